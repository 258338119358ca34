//! Functions of `bytea`: parts, bytes and bits, digests, encodings.

use std::fmt::Write as _;
use std::sync::Arc;

use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};

use super::arguments::{bytes, count, int, int4, integer_out_of_range, invalid, text};
use super::{Builtin, CallContext, pure};
use crate::error::{PgError, Result, sqlstate};
use crate::types::oid::{BYTEA, INT4, INT8, NAME, TEXT};
use crate::types::{Value, io};

fn bytea(bytes: impl Into<Arc<[u8]>>) -> Result<Value> {
    Ok(Value::Bytea(bytes.into()))
}

fn byteacat(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    bytea([bytes(&args[0])?, bytes(&args[1])?].concat())
}

fn bit_length(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    count(bytes(&args[0])?.len() * 8)
}

fn bit_count(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let ones = bytes(&args[0])?.iter().map(|byte| i64::from(byte.count_ones())).sum();
    Ok(Value::Int8(ones))
}

fn negative_length() -> PgError {
    PgError::new(sqlstate::SUBSTRING_ERROR, "negative substring length not allowed")
}

/// Bytes from `start` (from 1), `length` of them; what lies outside is left out.
fn part(whole: &[u8], start: i32, length: Option<i32>) -> Result<&[u8]> {
    let len = i64::try_from(whole.len()).map_err(|_| integer_out_of_range())?;
    let start = i64::from(start);
    let end = match length {
        None => len + 1,
        Some(length) if length < 0 => return Err(negative_length()),
        Some(length) => (start + i64::from(length)).clamp(1, len + 1),
    };
    let start = start.clamp(1, len + 1);
    let place = |at: i64| usize::try_from(at - 1).unwrap_or(0);
    Ok(&whole[place(start)..place(end.max(start))])
}

fn substr(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let length = args.get(2).map(int4).transpose()?;
    bytea(part(bytes(&args[0])?, int4(&args[1])?, length)?)
}

fn overlay(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let (whole, new) = (bytes(&args[0])?, bytes(&args[1])?);
    let start = int4(&args[2])?;
    let length = match args.get(3) {
        Some(length) => int4(length)?,
        None => i32::try_from(new.len()).map_err(|_| integer_out_of_range())?,
    };
    if start <= 0 {
        return Err(negative_length());
    }
    let end = start.checked_add(length).ok_or_else(integer_out_of_range)?;
    bytea([part(whole, 1, Some(start - 1))?, new, part(whole, end, None)?].concat())
}

fn position(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let found = memchr::memmem::find(bytes(&args[0])?, bytes(&args[1])?);
    found.map_or(Ok(Value::Int4(0)), |at| count(at + 1))
}

fn trimmed(args: &[Value], front: bool, back: bool) -> Result<Value> {
    let (mut whole, set) = (bytes(&args[0])?, bytes(&args[1])?);
    while front
        && let Some((first, rest)) = whole.split_first()
        && set.contains(first)
    {
        whole = rest;
    }
    while back
        && let Some((last, rest)) = whole.split_last()
        && set.contains(last)
    {
        whole = rest;
    }
    bytea(whole)
}

fn btrim(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    trimmed(args, true, true)
}

fn ltrim(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    trimmed(args, true, false)
}

fn rtrim(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    trimmed(args, false, true)
}

/// A place within `len`, or 2202E.
fn place(at: i64, len: usize) -> Result<usize> {
    usize::try_from(at).ok().filter(|at| *at < len).ok_or_else(|| {
        PgError::new(
            sqlstate::ARRAY_SUBSCRIPT_ERROR,
            format!("index {at} out of valid range, 0..{}", len as i64 - 1),
        )
    })
}

fn get_byte(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let whole = bytes(&args[0])?;
    let at = place(i64::from(int4(&args[1])?), whole.len())?;
    Ok(Value::Int4(i32::from(whole[at])))
}

fn set_byte(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let mut whole = bytes(&args[0])?.to_vec();
    let at = place(i64::from(int4(&args[1])?), whole.len())?;
    whole[at] = int4(&args[2])?.to_le_bytes()[0];
    bytea(whole)
}

fn get_bit(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let whole = bytes(&args[0])?;
    let at = place(int(&args[1])?, whole.len() * 8)?;
    Ok(Value::Int4(i32::from(whole[at / 8] >> (at % 8) & 1)))
}

fn set_bit(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let mut whole = bytes(&args[0])?.to_vec();
    let at = place(int(&args[1])?, whole.len() * 8)?;
    match int4(&args[2])? {
        0 => whole[at / 8] &= !(1 << (at % 8)),
        1 => whole[at / 8] |= 1 << (at % 8),
        _ => return Err(invalid("new bit must be 0 or 1")),
    }
    bytea(whole)
}

fn sha224(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    bytea(Sha224::digest(bytes(&args[0])?).as_slice())
}

fn sha256(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    bytea(Sha256::digest(bytes(&args[0])?).as_slice())
}

fn sha384(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    bytea(Sha384::digest(bytes(&args[0])?).as_slice())
}

fn sha512(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    bytea(Sha512::digest(bytes(&args[0])?).as_slice())
}

/// In lines of 76 characters.
fn base64_lines(bytes: &[u8]) -> String {
    use base64::Engine;
    let whole = base64::engine::general_purpose::STANDARD.encode(bytes);
    let mut out = String::with_capacity(whole.len() + whole.len() / 76);
    for (at, c) in whole.chars().enumerate() {
        if at > 0 && at % 76 == 0 {
            out.push('\n');
        }
        out.push(c);
    }
    out
}

fn escaped(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for byte in bytes {
        match byte {
            b'\\' => out.push_str("\\\\"),
            0 | 0x80.. => _ = write!(out, "\\{byte:03o}"),
            byte => out.push(char::from(*byte)),
        }
    }
    out
}

fn unknown_encoding(name: &str) -> PgError {
    invalid(format!("unrecognized encoding: \"{name}\""))
}

fn encode(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let (bytes, name) = (bytes(&args[0])?, text(&args[1])?);
    Ok(Value::text(match name.to_ascii_lowercase().as_str() {
        "hex" => hex::encode(bytes),
        "base64" => base64_lines(bytes),
        "escape" => escaped(bytes),
        _ => return Err(unknown_encoding(name)),
    }))
}

fn decode_base64(text: &str) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut buffer, mut pos, mut end) = (0_u32, 0, 0);
    for c in text.chars() {
        let bits = match c {
            ' ' | '\t' | '\n' | '\r' => continue,
            'A'..='Z' => u32::from(c) - u32::from('A'),
            'a'..='z' => u32::from(c) - u32::from('a') + 26,
            '0'..='9' => u32::from(c) - u32::from('0') + 52,
            '+' => 62,
            '/' => 63,
            '=' => {
                if end == 0 {
                    end = match pos {
                        2 => 1,
                        3 => 2,
                        _ => return Err(invalid("unexpected \"=\" while decoding base64 sequence")),
                    };
                }
                0
            }
            c => {
                return Err(invalid(format!(
                    "invalid symbol \"{c}\" found while decoding base64 sequence"
                )));
            }
        };
        buffer = buffer << 6 | bits;
        pos += 1;
        if pos == 4 {
            let [_, first, second, third] = buffer.to_be_bytes();
            out.push(first);
            if end != 1 {
                out.push(second);
            }
            if end == 0 {
                out.push(third);
            }
            (buffer, pos) = (0, 0);
        }
    }
    if pos != 0 {
        return Err(invalid("invalid base64 end sequence")
            .hint("Input data is missing padding, is truncated, or is otherwise corrupted."));
    }
    Ok(out)
}

fn decode_hex(text: &str) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 2);
    let mut high = None;
    for c in text.chars().filter(|c| !matches!(c, ' ' | '\t' | '\n' | '\r')) {
        let digit = c
            .to_digit(16)
            .ok_or_else(|| invalid(format!("invalid hexadecimal digit: \"{c}\"")))?;
        match high.take() {
            None => high = Some(digit),
            Some(high) => out.push((high << 4 | digit).to_le_bytes()[0]),
        }
    }
    if high.is_some() {
        return Err(invalid("invalid hexadecimal data: odd number of digits"));
    }
    Ok(out)
}

fn decode_escape(text: &str) -> Result<Vec<u8>> {
    let bad = || PgError::new(sqlstate::INVALID_TEXT_REPRESENTATION, "invalid input syntax for type bytea");
    let source = text.as_bytes();
    let mut out = Vec::with_capacity(source.len());
    let mut at = 0;
    while at < source.len() {
        if source[at] != b'\\' {
            out.push(source[at]);
            at += 1;
        } else if source.get(at + 1) == Some(&b'\\') {
            out.push(b'\\');
            at += 2;
        } else {
            let digits = text.get(at + 1..at + 4).ok_or_else(bad)?;
            if !digits.bytes().all(|digit| (b'0'..=b'7').contains(&digit)) {
                return Err(bad());
            }
            out.push(u8::from_str_radix(digits, 8).map_err(|_| bad())?);
            at += 4;
        }
    }
    Ok(out)
}

fn decode(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let (source, name) = (text(&args[0])?, text(&args[1])?);
    bytea(match name.to_ascii_lowercase().as_str() {
        "hex" => decode_hex(source)?,
        "base64" => decode_base64(source)?,
        "escape" => decode_escape(source)?,
        _ => return Err(unknown_encoding(name)),
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Utf8,
    Latin1,
    Ascii,
}

/// Names as PostgreSQL compares them: case and punctuation do not count.
fn encoding(name: &str) -> Option<Encoding> {
    let plain: String = name
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect();
    match plain.as_str() {
        "utf8" | "unicode" => Some(Encoding::Utf8),
        "latin1" | "iso88591" => Some(Encoding::Latin1),
        "sqlascii" => Some(Encoding::Ascii),
        _ => None,
    }
}

fn convert_from(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let (bytes, name) = (bytes(&args[0])?, text(&args[1])?);
    match encoding(name) {
        Some(Encoding::Utf8 | Encoding::Ascii) => io::decode_utf8(bytes).map(Value::text),
        Some(Encoding::Latin1) => Ok(Value::text(bytes.iter().map(|byte| char::from(*byte)).collect::<String>())),
        None => Err(invalid(format!("invalid source encoding name \"{name}\""))),
    }
}

fn convert_to(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let (source, name) = (text(&args[0])?, text(&args[1])?);
    match encoding(name) {
        Some(Encoding::Utf8 | Encoding::Ascii) => bytea(source.as_bytes()),
        Some(Encoding::Latin1) => {
            let byte = |c: char| {
                u8::try_from(u32::from(c)).map_err(|_| {
                    let shown: Vec<String> = c
                        .encode_utf8(&mut [0; 4])
                        .bytes()
                        .map(|byte| format!("0x{byte:02x}"))
                        .collect();
                    PgError::new(
                        sqlstate::UNTRANSLATABLE_CHARACTER,
                        format!(
                            "character with byte sequence {} in encoding \"UTF8\" has no equivalent in encoding \"LATIN1\"",
                            shown.join(" ")
                        ),
                    )
                })
            };
            bytea(source.chars().map(byte).collect::<Result<Vec<u8>>>()?)
        }
        None => Err(invalid(format!("invalid destination encoding name \"{name}\""))),
    }
}

/// Characters of bytes in an encoding.
fn length_in(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let (bytes, name) = (bytes(&args[0])?, text(&args[1])?);
    match encoding(name) {
        Some(Encoding::Utf8) => count(io::decode_utf8(bytes)?.chars().count()),
        Some(_) => count(bytes.len()),
        None => Err(invalid(format!("invalid encoding name \"{name}\""))),
    }
}

#[rustfmt::skip]
pub const FUNCTIONS: &[Builtin] = &[
    pure(2011, "byteacat", &[BYTEA, BYTEA], BYTEA, byteacat),
    pure(1810, "bit_length", &[BYTEA], INT4, bit_length),
    pure(6163, "bit_count", &[BYTEA], INT8, bit_count),
    pure(2085, "substr", &[BYTEA, INT4, INT4], BYTEA, substr),
    pure(2086, "substr", &[BYTEA, INT4], BYTEA, substr),
    pure(2012, "substring", &[BYTEA, INT4, INT4], BYTEA, substr),
    pure(2013, "substring", &[BYTEA, INT4], BYTEA, substr),
    pure(749, "overlay", &[BYTEA, BYTEA, INT4, INT4], BYTEA, overlay),
    pure(752, "overlay", &[BYTEA, BYTEA, INT4], BYTEA, overlay),
    pure(2014, "position", &[BYTEA, BYTEA], INT4, position),
    pure(2015, "btrim", &[BYTEA, BYTEA], BYTEA, btrim),
    pure(6195, "ltrim", &[BYTEA, BYTEA], BYTEA, ltrim),
    pure(6196, "rtrim", &[BYTEA, BYTEA], BYTEA, rtrim),
    pure(721, "get_byte", &[BYTEA, INT4], INT4, get_byte),
    pure(722, "set_byte", &[BYTEA, INT4, INT4], BYTEA, set_byte),
    pure(723, "get_bit", &[BYTEA, INT8], INT4, get_bit),
    pure(724, "set_bit", &[BYTEA, INT8, INT4], BYTEA, set_bit),
    pure(3419, "sha224", &[BYTEA], BYTEA, sha224),
    pure(3420, "sha256", &[BYTEA], BYTEA, sha256),
    pure(3421, "sha384", &[BYTEA], BYTEA, sha384),
    pure(3422, "sha512", &[BYTEA], BYTEA, sha512),
    pure(1946, "encode", &[BYTEA, TEXT], TEXT, encode),
    pure(1947, "decode", &[TEXT, TEXT], BYTEA, decode),
    pure(1714, "convert_from", &[BYTEA, NAME], TEXT, convert_from).stable(),
    pure(1717, "convert_to", &[TEXT, NAME], BYTEA, convert_to).stable(),
    pure(1713, "length", &[BYTEA, NAME], INT4, length_in).stable(),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_with_postgresqls_errors() {
        assert_eq!(decode_base64("EjT/").expect("valid"), [0x12, 0x34, 0xff]);
        assert_eq!(decode_base64("YQ==").expect("valid"), b"a");
        for (source, message) in [
            ("YQ=", "invalid base64 end sequence"),
            ("Y?==", "invalid symbol \"?\" found while decoding base64 sequence"),
        ] {
            assert_eq!(decode_base64(source).expect_err("invalid").message(), message);
        }
        assert_eq!(
            decode_hex("a").expect_err("odd").message(),
            "invalid hexadecimal data: odd number of digits"
        );
        assert_eq!(escaped(&[0, 0x12, b'\\']), "\\000\x12\\\\");
    }
}
