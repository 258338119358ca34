//! Text forms of the small types: booleans, integers, OIDs, names, `bytea`, `uuid`, `pg_lsn`.

use std::fmt::Write as _;

use std::sync::Arc;

use super::invalid_syntax;
use crate::error::{PgError, Result, sqlstate};
use crate::limits::IDENTIFIER_BYTES_MAX;
use crate::types::Value;
use crate::types::env::ByteaFormat;

/// Blanks of C's `isspace`.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_ascii() && is_space(c as u8))
}

/// PostgreSQL's spellings of booleans, unique prefixes included, without blanks around.
pub fn parse_bool(text: &str) -> Option<bool> {
    let prefix_of = |word: &str, min: usize| {
        text.len() >= min && text.len() <= word.len() && word.as_bytes()[..text.len()].eq_ignore_ascii_case(text.as_bytes())
    };
    if prefix_of("true", 1) || prefix_of("yes", 1) || prefix_of("on", 2) || text == "1" {
        Some(true)
    } else if prefix_of("false", 1) || prefix_of("no", 1) || prefix_of("off", 2) || text == "0" {
        Some(false)
    } else {
        None
    }
}

pub(super) fn bool_in(text: &str) -> Result<Value> {
    parse_bool(trim(text))
        .map(Value::Bool)
        .ok_or_else(|| invalid_syntax("boolean", text))
}

/// Decimal integers with a sign and blanks around.
fn integer(text: &str, type_name: &str) -> Result<i64> {
    let out_of_range = || {
        PgError::new(
            sqlstate::NUMERIC_VALUE_OUT_OF_RANGE,
            format!("value \"{text}\" is out of range for type {type_name}"),
        )
    };
    let body = trim(text);
    let (negative, digits) = match body.as_bytes() {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(invalid_syntax(type_name, text));
    }
    // Counting downwards, so that the least number needs no special case.
    let mut value = 0_i64;
    for digit in digits {
        value = value
            .checked_mul(10)
            .and_then(|value| value.checked_sub(i64::from(digit - b'0')))
            .ok_or_else(out_of_range)?;
    }
    if negative {
        Ok(value)
    } else {
        value.checked_neg().ok_or_else(out_of_range)
    }
}

macro_rules! integer_in {
    ($($name:ident: $int:ty, $variant:ident, $type_name:literal;)*) => {$(
        pub(super) fn $name(text: &str) -> Result<Value> {
            <$int>::try_from(integer(text, $type_name)?).map(Value::$variant).map_err(|_| {
                PgError::new(
                    sqlstate::NUMERIC_VALUE_OUT_OF_RANGE,
                    format!("value \"{text}\" is out of range for type {}", $type_name),
                )
            })
        }
    )*};
}

integer_in! {
    int2_in: i16, Int2, "smallint";
    int4_in: i32, Int4, "integer";
    int8_in: i64, Int8, "bigint";
}

/// `strtoul`: a sign is taken, negative numbers wrap.
pub(super) fn oid_in(text: &str) -> Result<Value> {
    let body = trim(text);
    let digits = body.strip_prefix(['-', '+']).unwrap_or(body);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(invalid_syntax("oid", text));
    }
    let out_of_range = || {
        PgError::new(
            sqlstate::NUMERIC_VALUE_OUT_OF_RANGE,
            format!("value \"{text}\" is out of range for type oid"),
        )
    };
    let number: i64 = body.parse().map_err(|_| out_of_range())?;
    if let Ok(number) = u32::try_from(number) {
        return Ok(Value::Oid(number));
    }
    i32::try_from(number)
        .map(|negative| Value::Oid(negative as u32))
        .map_err(|_| out_of_range())
}

/// Octal, decimal or hexadecimal digits as C's `strtoul` with base 0 reads them: what follows them is not looked at.
fn unsigned(text: &str) -> u64 {
    let body = trim(text);
    let (radix, digits) = match body.as_bytes() {
        [b'0', b'x' | b'X', _, ..] => (16, &body[2..]),
        [b'0', _, ..] => (8, &body[1..]),
        _ => (10, body),
    };
    let len = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    match digits.get(..len) {
        None | Some("") => 0,
        Some(digits) => u64::from_str_radix(digits, radix).unwrap_or(u64::MAX),
    }
}

pub(super) fn xid_in(text: &str) -> Value {
    Value::Oid(unsigned(text) as u32)
}

pub(super) fn xid8_in(text: &str) -> Value {
    Value::Uint8(unsigned(text))
}

pub(super) fn pg_lsn_in(text: &str) -> Result<Value> {
    let half = |part: &str| {
        let good = (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_hexdigit());
        good.then(|| u64::from_str_radix(part, 16).ok()).flatten()
    };
    text.split_once('/')
        .and_then(|(high, low)| Some(half(high)? << 32 | half(low)?))
        .map(Value::Uint8)
        .ok_or_else(|| invalid_syntax("pg_lsn", text))
}

pub(super) fn pg_lsn_out(value: u64, out: &mut String) {
    let _ = write!(out, "{:X}/{:X}", value >> 32, value & 0xffff_ffff);
}

/// `name`: cut to 63 bytes at a character's end.
pub(crate) fn truncate_name(text: &str) -> &str {
    if text.len() <= IDENTIFIER_BYTES_MAX {
        return text;
    }
    let mut end = IDENTIFIER_BYTES_MAX;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// `"char"`: the first character.
pub(super) fn char_in(text: &str) -> Value {
    let len = text.chars().next().map_or(0, char::len_utf8);
    Value::text(&text[..len])
}

fn hex_digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

pub(super) fn bytea_in(text: &str) -> Result<Value> {
    let bytes = match text.strip_prefix("\\x") {
        Some(digits) => decode_hex(digits)?,
        None => decode_escape(text)?,
    };
    Ok(Value::Bytea(Arc::from(bytes)))
}

/// Pairs of hexadecimal digits, blanks between pairs. Also `decode(x, 'hex')`.
pub fn decode_hex(text: &str) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 2);
    let mut chars = text.char_indices();
    let digit = |c: char, at: usize| {
        u8::try_from(c).ok().and_then(hex_digit).ok_or_else(|| {
            let shown = &text[at..at + c.len_utf8()];
            PgError::new(
                sqlstate::INVALID_PARAMETER_VALUE,
                format!("invalid hexadecimal digit: \"{shown}\""),
            )
        })
    };
    while let Some((at, c)) = chars.next() {
        if matches!(c, ' ' | '\n' | '\t' | '\r') {
            continue;
        }
        let high = digit(c, at)?;
        let Some((at, c)) = chars.next() else {
            return Err(PgError::new(
                sqlstate::INVALID_PARAMETER_VALUE,
                "invalid hexadecimal data: odd number of digits",
            ));
        };
        out.push(high << 4 | digit(c, at)?);
    }
    Ok(out)
}

fn decode_escape(text: &str) -> Result<Vec<u8>> {
    let invalid = || PgError::new(sqlstate::INVALID_TEXT_REPRESENTATION, "invalid input syntax for type bytea");
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    loop {
        rest = match rest {
            [] => return Ok(out),
            [b'\\', b'\\', tail @ ..] => {
                out.push(b'\\');
                tail
            }
            [b'\\', a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', tail @ ..] => {
                out.push((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'));
                tail
            }
            [b'\\', ..] => return Err(invalid()),
            [byte, tail @ ..] => {
                out.push(*byte);
                tail
            }
        };
    }
}

pub(super) fn bytea_out(bytes: &[u8], format: ByteaFormat, out: &mut String) {
    match format {
        ByteaFormat::Hex => {
            out.push_str("\\x");
            push_hex(bytes, out);
        }
        ByteaFormat::Escape => {
            for byte in bytes {
                match byte {
                    b'\\' => out.push_str("\\\\"),
                    0x20..=0x7e => out.push(char::from(*byte)),
                    _ => {
                        let _ = write!(out, "\\{byte:03o}");
                    }
                }
            }
        }
    }
}

fn push_hex(bytes: &[u8], out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    out.reserve(bytes.len() * 2);
    for byte in bytes {
        out.push(char::from(DIGITS[usize::from(byte >> 4)]));
        out.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
}

/// 32 hexadecimal digits, hyphens after any group of four, braces around.
pub(super) fn uuid_in(text: &str) -> Result<Value> {
    parse_uuid(text.as_bytes())
        .map(Value::Uuid)
        .ok_or_else(|| invalid_syntax("uuid", text))
}

fn parse_uuid(text: &[u8]) -> Option<[u8; 16]> {
    let braced = text.first() == Some(&b'{');
    let mut rest = if braced { &text[1..] } else { text };
    let mut uuid = [0; 16];
    for (at, byte) in uuid.iter_mut().enumerate() {
        let [high, low, tail @ ..] = rest else { return None };
        *byte = hex_digit(*high)? << 4 | hex_digit(*low)?;
        rest = tail;
        if at % 2 == 1
            && at < 15
            && let [b'-', tail @ ..] = rest
        {
            rest = tail;
        }
    }
    (rest == if braced { &b"}"[..] } else { &b""[..] }).then_some(uuid)
}

pub(super) fn uuid_out(uuid: &[u8; 16], out: &mut String) {
    for (at, group) in [&uuid[..4], &uuid[4..6], &uuid[6..8], &uuid[8..10], &uuid[10..]]
        .iter()
        .enumerate()
    {
        if at > 0 {
            out.push('-');
        }
        push_hex(group, out);
    }
}
