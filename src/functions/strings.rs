//! Functions of text beside the plainest: padding, places, quoting, `format`, splitting, characters and their codes.

use std::sync::Arc;

use super::arguments::{boolean, count, int4, invalid, listed_values, text};
use super::{Body, Builtin, CallContext, SetRows, pure, unused};
use crate::catalog::quote::{quote_identifier, quote_literal as quoted_literal};
use crate::error::{PgError, Result, sqlstate};
use crate::limits;
use crate::types::oid::{ANY, ANYELEMENT, BOOL, BPCHAR, INT4, INT8, TEXT, TEXT_ARRAY};
use crate::types::{Array, Value, io};

fn too_large() -> PgError {
    PgError::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, "requested length too large")
}

fn bpchar_length(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    count(text(&args[0])?.trim_end_matches(' ').chars().count())
}

fn octet_length(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    count(text(&args[0])?.len())
}

fn bit_length(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    count(text(&args[0])?.len() * 8)
}

fn initcap(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let mut out = String::new();
    let mut in_word = false;
    for c in text(&args[0])?.chars() {
        if in_word {
            out.extend(c.to_lowercase());
        } else {
            out.extend(c.to_uppercase());
        }
        in_word = c.is_alphanumeric();
    }
    Ok(Value::text(out))
}

/// The fill of `lpad` and `rpad`: what is kept of the text, and the padding.
fn padding(args: &[Value]) -> Result<(String, String)> {
    let whole = text(&args[0])?;
    let wanted = usize::try_from(int4(&args[1])?).unwrap_or(0);
    let fill = args.get(2).map_or(Ok(" "), text)?;
    if wanted.saturating_mul(4) > limits::VALUE_BYTES_MAX {
        return Err(too_large());
    }
    let kept: String = whole.chars().take(wanted).collect();
    let missing = wanted - kept.chars().count();
    Ok((kept, fill.chars().cycle().take(missing).collect()))
}

fn lpad(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let (kept, fill) = padding(args)?;
    Ok(Value::text(fill + &kept))
}

fn rpad(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let (kept, fill) = padding(args)?;
    Ok(Value::text(kept + &fill))
}

fn reverse(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::text(text(&args[0])?.chars().rev().collect::<String>()))
}

/// The byte where `n` characters end; a negative `n` leaves out that many at the end.
fn prefix_len(whole: &str, n: i32) -> usize {
    let n = if n >= 0 {
        n.unsigned_abs() as usize
    } else {
        whole.chars().count().saturating_sub(n.unsigned_abs() as usize)
    };
    whole.char_indices().nth(n).map_or(whole.len(), |(at, _)| at)
}

fn left(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let whole = text(&args[0])?;
    Ok(Value::text(&whole[..prefix_len(whole, int4(&args[1])?)]))
}

fn right(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let (whole, n) = (text(&args[0])?, int4(&args[1])?);
    let skipped = if n < 0 {
        n.unsigned_abs() as usize
    } else {
        whole.chars().count().saturating_sub(n.unsigned_abs() as usize)
    };
    let at = whole.char_indices().nth(skipped).map_or(whole.len(), |(at, _)| at);
    Ok(Value::text(&whole[at..]))
}

/// Characters before `start` (from 1), the new part, characters from `start + length`.
fn overlay(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let (whole, part) = (text(&args[0])?, text(&args[1])?);
    let start = int4(&args[2])?;
    let length = match args.get(3) {
        Some(length) => int4(length)?,
        None => i32::try_from(part.chars().count()).unwrap_or(i32::MAX),
    };
    if start <= 0 {
        return Err(PgError::new(
            sqlstate::SUBSTRING_ERROR,
            "negative substring length not allowed",
        ));
    }
    let end = start.checked_add(length).ok_or_else(super::arguments::integer_out_of_range)?;
    let before = &whole[..prefix_len(whole, start - 1)];
    let after = &whole[prefix_len(whole, (end - 1).max(0))..];
    Ok(Value::text(format!("{before}{part}{after}")))
}

fn starts_with(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::Bool(text(&args[0])?.starts_with(text(&args[1])?)))
}

fn ascii(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let code = text(&args[0])?.chars().next().map_or(0, u32::from);
    Ok(Value::Int4(code.cast_signed()))
}

fn chr(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let code = int4(&args[0])?;
    let bad = |message: String| PgError::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, message);
    match u32::try_from(code) {
        Err(_) => Err(PgError::new(
            sqlstate::PROGRAM_LIMIT_EXCEEDED,
            "character number must be positive",
        )),
        Ok(0) => Err(bad("null character not permitted".to_owned())),
        Ok(code) if code > 0x10_ffff => Err(bad(format!("requested character too large for encoding: {code}"))),
        Ok(code) => char::from_u32(code)
            .map(|c| Value::text(c.to_string()))
            .ok_or_else(|| bad(format!("requested character not valid for encoding: {code}"))),
    }
}

fn to_hex(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::text(match args[0] {
        Value::Int4(number) => format!("{number:x}"),
        Value::Int8(number) => format!("{number:x}"),
        _ => return Err(PgError::internal("not an integer")),
    }))
}

fn translate(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let from: Vec<char> = text(&args[1])?.chars().collect();
    let to: Vec<char> = text(&args[2])?.chars().collect();
    let out: String = text(&args[0])?
        .chars()
        .filter_map(|c| match from.iter().position(|one| *one == c) {
            Some(at) => to.get(at).copied(),
            None => Some(c),
        })
        .collect();
    Ok(Value::text(out))
}

/// Of any type, by its text.
fn quote_literal(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let ty = call.arg_types.first().copied().unwrap_or(TEXT);
    Ok(Value::text(quoted_literal(&io::to_text(ty, &args[0], &call.env)?)))
}

fn quote_nullable(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    if args[0].is_null() {
        return Ok(Value::text("NULL"));
    }
    quote_literal(call, args)
}

fn concat_ws(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    if args[0].is_null() {
        return Ok(Value::Null);
    }
    let between = text(&args[0])?;
    let mut out = String::new();
    let mut first = true;
    for (ty, value) in call.arg_types.iter().zip(args).skip(1) {
        if value.is_null() {
            continue;
        }
        if !first {
            out.push_str(between);
        }
        first = false;
        io::text_out(*ty, value, &call.env, &mut out)?;
    }
    Ok(Value::text(out))
}

/// A specifier of `format` behind its `%`.
#[derive(Default)]
struct Specifier {
    /// Which argument, from 1; the next where none is said.
    argument: Option<usize>,
    left: bool,
    width: i32,
    /// The width is an argument: which one, or the next.
    width_argument: Option<Option<usize>>,
}

fn specifier_unended() -> PgError {
    invalid("unterminated format() type specifier").hint("For a single \"%\" use \"%%\".")
}

/// Digits at the start, and what follows them.
fn format_digits(source: &str) -> Result<(Option<i32>, &str)> {
    let len = source.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &source[len..];
    if rest.is_empty() {
        return Err(specifier_unended());
    }
    if len == 0 {
        return Ok((None, rest));
    }
    let number = source[..len]
        .parse()
        .map_err(|_| PgError::new(sqlstate::NUMERIC_VALUE_OUT_OF_RANGE, "number is out of range"))?;
    Ok((Some(number), rest))
}

fn argument_number(number: i32) -> Result<usize> {
    if number == 0 {
        return Err(invalid("format specifies argument 0, but arguments are numbered from 1"));
    }
    Ok(number.unsigned_abs() as usize)
}

/// Reads a specifier; answers it and the text from its type letter on.
fn specifier(source: &str) -> Result<(Specifier, &str)> {
    let mut read = Specifier::default();
    let (number, mut rest) = format_digits(source)?;
    if let Some(number) = number {
        let Some(after) = rest.strip_prefix('$') else {
            read.width = number;
            return Ok((read, rest));
        };
        read.argument = Some(argument_number(number)?);
        rest = after;
    }
    while let Some(after) = rest.strip_prefix('-') {
        read.left = true;
        rest = after;
    }
    if let Some(after) = rest.strip_prefix('*') {
        let (number, after) = format_digits(after)?;
        rest = after;
        read.width_argument = Some(None);
        if let Some(number) = number {
            rest = rest
                .strip_prefix('$')
                .ok_or_else(|| invalid("width argument position must be ended by \"$\""))?;
            read.width_argument = Some(Some(argument_number(number)?));
        }
    } else {
        let (number, after) = format_digits(rest)?;
        read.width = number.unwrap_or(0);
        rest = after;
    }
    if rest.is_empty() {
        return Err(specifier_unended());
    }
    Ok((read, rest))
}

/// What `format` writes for one argument.
fn formatted(call: &CallContext<'_>, letter: char, ty: crate::ids::Oid, value: &Value) -> Result<String> {
    if value.is_null() {
        return match letter {
            's' => Ok(String::new()),
            'L' => Ok("NULL".to_owned()),
            _ => Err(PgError::new(
                sqlstate::NULL_VALUE_NOT_ALLOWED,
                "null values cannot be formatted as an SQL identifier",
            )),
        };
    }
    let shown = io::to_text(ty, value, &call.env)?;
    Ok(match letter {
        's' => shown,
        'I' => quote_identifier(&shown).into_owned(),
        _ => quoted_literal(&shown),
    })
}

fn push_padded(shown: &str, width: i32, left: bool, out: &mut String) -> Result<()> {
    let wanted = width.unsigned_abs() as usize;
    if wanted > limits::VALUE_BYTES_MAX {
        return Err(too_large());
    }
    let missing = wanted.saturating_sub(shown.chars().count());
    let fill = std::iter::repeat_n(' ', missing);
    if left || width < 0 {
        out.push_str(shown);
        out.extend(fill);
    } else {
        out.extend(fill);
        out.push_str(shown);
    }
    Ok(())
}

fn format_text(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    if args[0].is_null() {
        return Ok(Value::Null);
    }
    let mut rest = text(&args[0])?;
    let mut out = String::with_capacity(rest.len());
    let mut last = 0;
    let mut take = |wanted: Option<usize>| {
        let at = wanted.unwrap_or(last + 1);
        last = at;
        match (args.get(at), call.arg_types.get(at)) {
            (Some(value), Some(ty)) => Ok((*ty, value)),
            _ => Err(invalid("too few arguments for format()")),
        }
    };
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('%') {
            out.push('%');
            rest = after;
            continue;
        }
        if rest.is_empty() {
            return Err(specifier_unended());
        }
        let (mut read, after) = specifier(rest)?;
        let letter = after.chars().next().ok_or_else(specifier_unended)?;
        if !matches!(letter, 's' | 'I' | 'L') {
            return Err(
                invalid(format!("unrecognized format() type specifier \"{letter}\"")).hint("For a single \"%\" use \"%%\".")
            );
        }
        if let Some(place) = read.width_argument {
            let (ty, value) = take(place)?;
            read.width = match value {
                Value::Null => 0,
                Value::Int4(width) => *width,
                other => match io::text_in(INT4, -1, &io::to_text(ty, other, &call.env)?, &call.env)? {
                    Value::Int4(width) => width,
                    _ => 0,
                },
            };
        }
        let (ty, value) = take(read.argument)?;
        let shown = formatted(call, letter, ty, value)?;
        push_padded(&shown, read.width, read.left, &mut out)?;
        rest = &after[letter.len_utf8()..];
    }
    out.push_str(rest);
    Ok(Value::text(out))
}

/// The parts of `string_to_array` and `string_to_table`; `None` for a null text.
fn parts(args: &[Value]) -> Result<Option<Vec<Value>>> {
    if args[0].is_null() {
        return Ok(None);
    }
    let whole = text(&args[0])?;
    let null = args.get(2).filter(|null| !null.is_null()).map(text).transpose()?;
    let part = |part: &str| if null == Some(part) { Value::Null } else { Value::text(part) };
    if whole.is_empty() {
        return Ok(Some(Vec::new()));
    }
    Ok(Some(match &args[1] {
        Value::Text(between) if between.is_empty() => vec![part(whole)],
        Value::Text(between) => whole.split(between.as_str()).map(part).collect(),
        _ => whole.chars().map(|c| part(c.encode_utf8(&mut [0; 4]))).collect(),
    }))
}

fn string_to_array(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(parts(args)?.map_or(Value::Null, |parts| Value::Array(Arc::new(Array::one(TEXT, parts)))))
}

fn string_to_table(_: &CallContext<'_>, args: &[Value]) -> Result<Box<dyn SetRows>> {
    listed_values(parts(args)?.unwrap_or_default())
}

fn bad_unicode() -> PgError {
    PgError::new(sqlstate::SYNTAX_ERROR, "invalid Unicode escape")
        .hint("Unicode escapes must be \\XXXX, \\+XXXXXX, \\uXXXX, or \\UXXXXXXXX.")
}

fn unistr(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let mut rest = text(&args[0])?;
    let mut out = String::with_capacity(rest.len());
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('\\') {
            out.push('\\');
            rest = after;
            continue;
        }
        let (skip, digits) = match rest.as_bytes().first() {
            Some(b'+') => (1, 6),
            Some(b'u') => (1, 4),
            Some(b'U') => (1, 8),
            _ => (0, 4),
        };
        let code = rest.get(skip..skip + digits).ok_or_else(bad_unicode)?;
        if !code.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(bad_unicode());
        }
        let code = u32::from_str_radix(code, 16).map_err(|_| bad_unicode())?;
        let bad_value = || PgError::new(sqlstate::SYNTAX_ERROR, "invalid Unicode escape value");
        out.push(char::from_u32(code).ok_or_else(bad_value)?);
        rest = &rest[skip + digits..];
    }
    out.push_str(rest);
    Ok(Value::text(out))
}

fn not_an_identifier(whole: &str) -> PgError {
    invalid(format!("string is not a valid identifier: \"{whole}\""))
}

/// `parse_ident`: the parts of a qualified name, folded as SQL folds them.
fn parse_ident(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let whole = text(&args[0])?;
    let strict = args.get(1).map_or(Ok(true), boolean)?;
    let mut rest = whole.trim_start();
    let mut names = Vec::new();
    loop {
        if let Some(quoted) = rest.strip_prefix('"') {
            let mut name = String::new();
            let mut after = quoted;
            loop {
                let at = after
                    .find('"')
                    .ok_or_else(|| not_an_identifier(whole).detail("String has unclosed double quotes."))?;
                name.push_str(&after[..at]);
                after = &after[at + 1..];
                let Some(doubled) = after.strip_prefix('"') else { break };
                name.push('"');
                after = doubled;
            }
            if name.is_empty() {
                return Err(not_an_identifier(whole).detail("Quoted identifier must not be empty."));
            }
            names.push(Value::text(name));
            rest = after;
        } else {
            let starts = |c: char| c.is_alphabetic() || c == '_' || !c.is_ascii();
            let len = if rest.starts_with(starts) {
                rest.find(|c: char| !(starts(c) || c.is_ascii_digit() || c == '$'))
                    .unwrap_or(rest.len())
            } else {
                0
            };
            if len == 0 {
                return Err(match (names.is_empty(), rest.starts_with('.')) {
                    (true, true) => not_an_identifier(whole).detail("No valid identifier before \".\"."),
                    (false, _) => not_an_identifier(whole).detail("No valid identifier after \".\"."),
                    (true, false) => not_an_identifier(whole),
                });
            }
            names.push(Value::text(rest[..len].to_lowercase()));
            rest = &rest[len..];
        }
        rest = rest.trim_start();
        match rest.strip_prefix('.') {
            Some(after) => rest = after.trim_start(),
            None => break,
        }
    }
    if strict && !rest.is_empty() {
        return Err(not_an_identifier(whole));
    }
    Ok(Value::Array(Arc::new(Array::one(TEXT, names))))
}

#[rustfmt::skip]
pub const FUNCTIONS: &[Builtin] = &[
    pure(1372, "char_length", &[BPCHAR], INT4, bpchar_length),
    pure(1367, "character_length", &[BPCHAR], INT4, bpchar_length),
    pure(1375, "octet_length", &[BPCHAR], INT4, octet_length),
    pure(1811, "bit_length", &[TEXT], INT4, bit_length),
    pure(872, "initcap", &[TEXT], TEXT, initcap),
    pure(873, "lpad", &[TEXT, INT4, TEXT], TEXT, lpad),
    pure(879, "lpad", &[TEXT, INT4], TEXT, lpad),
    pure(874, "rpad", &[TEXT, INT4, TEXT], TEXT, rpad),
    pure(880, "rpad", &[TEXT, INT4], TEXT, rpad),
    pure(3062, "reverse", &[TEXT], TEXT, reverse),
    pure(3060, "left", &[TEXT, INT4], TEXT, left),
    pure(3061, "right", &[TEXT, INT4], TEXT, right),
    pure(1405, "overlay", &[TEXT, TEXT, INT4], TEXT, overlay),
    pure(1404, "overlay", &[TEXT, TEXT, INT4, INT4], TEXT, overlay),
    pure(3696, "starts_with", &[TEXT, TEXT], BOOL, starts_with),
    pure(1620, "ascii", &[TEXT], INT4, ascii),
    pure(1621, "chr", &[INT4], TEXT, chr),
    pure(2089, "to_hex", &[INT4], TEXT, to_hex),
    pure(2090, "to_hex", &[INT8], TEXT, to_hex),
    pure(878, "translate", &[TEXT, TEXT, TEXT], TEXT, translate),
    pure(1283, "quote_literal", &[TEXT], TEXT, quote_literal),
    pure(1285, "quote_literal", &[ANYELEMENT], TEXT, quote_literal).stable(),
    pure(1289, "quote_nullable", &[TEXT], TEXT, quote_nullable).called_on_null(),
    pure(1290, "quote_nullable", &[ANYELEMENT], TEXT, quote_nullable).stable().called_on_null(),
    pure(3059, "concat_ws", &[TEXT, ANY], TEXT, concat_ws).stable().called_on_null().variadic(),
    pure(3539, "format", &[TEXT, ANY], TEXT, format_text).stable().called_on_null().variadic(),
    pure(3540, "format", &[TEXT], TEXT, format_text).stable().called_on_null(),
    pure(376, "string_to_array", &[TEXT, TEXT, TEXT], TEXT_ARRAY, string_to_array).called_on_null(),
    pure(394, "string_to_array", &[TEXT, TEXT], TEXT_ARRAY, string_to_array).called_on_null(),
    Builtin { body: Body::Set(string_to_table), ..pure(6160, "string_to_table", &[TEXT, TEXT], TEXT, unused) }.called_on_null(),
    Builtin { body: Body::Set(string_to_table), ..pure(6161, "string_to_table", &[TEXT, TEXT, TEXT], TEXT, unused) }.called_on_null(),
    pure(6198, "unistr", &[TEXT], TEXT, unistr),
    pure(1268, "parse_ident", &[TEXT, BOOL], TEXT_ARRAY, parse_ident).with_defaults(&["true"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifiers_of_format() {
        let (read, rest) = specifier("2$-10s").expect("valid");
        assert_eq!((read.argument, read.left, read.width, rest), (Some(2), true, 10, "s"));
        let (read, rest) = specifier("*s").expect("valid");
        assert_eq!((read.width_argument, rest), (Some(None), "s"));
        assert!(specifier("0$s").is_err());
    }

    #[test]
    fn prefixes_count_characters() {
        assert_eq!(prefix_len("añb", 2), 3);
        assert_eq!(prefix_len("añb", -1), 3);
        assert_eq!(prefix_len("añb", -9), 0);
        assert_eq!(prefix_len("añb", 9), 4);
    }
}
