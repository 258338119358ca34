//! The plainest functions of `text`: joining, cases, parts, padding.

use super::{Builtin, CallContext, pure};
use crate::error::{PgError, Result, sqlstate};
use crate::limits;
use crate::types::oid::{ANY, ANYARRAY, ANYNONARRAY, BPCHAR, BYTEA, INT4, TEXT};
use crate::types::{Value, io};

fn text(value: &Value) -> Result<&str> {
    match value {
        Value::Text(text) => Ok(text),
        other => Err(PgError::internal(format!("not a text: {other:?}"))),
    }
}

fn int(value: &Value) -> Result<i64> {
    match value {
        Value::Int4(number) => Ok(i64::from(*number)),
        other => Err(PgError::internal(format!("not an integer: {other:?}"))),
    }
}

fn count(value: usize) -> Result<Value> {
    i32::try_from(value)
        .map(Value::Int4)
        .map_err(|_| PgError::new(sqlstate::NUMERIC_VALUE_OUT_OF_RANGE, "integer out of range"))
}

fn textcat(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::text(format!("{}{}", text(&args[0])?, text(&args[1])?)))
}

/// One side is text, the other anything.
fn any_cat(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let mut out = String::new();
    for (ty, value) in call.arg_types.iter().zip(args) {
        io::text_out(*ty, value, &call.env, &mut out)?;
    }
    Ok(Value::text(out))
}

fn length(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    count(text(&args[0])?.chars().count())
}

fn bpchar_length(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    count(text(&args[0])?.trim_end_matches(' ').chars().count())
}

fn octet_length(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    match &args[0] {
        Value::Bytea(bytes) => count(bytes.len()),
        value => count(text(value)?.len()),
    }
}

fn lower(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::text(text(&args[0])?.to_lowercase()))
}

fn upper(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::text(text(&args[0])?.to_uppercase()))
}

/// Characters from `start` (from 1), `length` of them; what lies outside is left out.
fn substr(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let start = int(&args[1])?;
    let end = match args.get(2) {
        Some(length) => {
            let length = int(length)?;
            if length < 0 {
                return Err(PgError::new(
                    sqlstate::SUBSTRING_ERROR,
                    "negative substring length not allowed",
                ));
            }
            start + length
        }
        None => i64::MAX,
    };
    let from = usize::try_from(start.max(1) - 1).unwrap_or(0);
    let many = usize::try_from((end - start.max(1)).max(0)).unwrap_or(usize::MAX);
    Ok(Value::text(text(&args[0])?.chars().skip(from).take(many).collect::<String>()))
}

fn strpos(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let (whole, part) = (text(&args[0])?, text(&args[1])?);
    match whole.find(part) {
        Some(at) => count(whole[..at].chars().count() + 1),
        None => count(0),
    }
}

fn replace(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let from = text(&args[1])?;
    let whole = text(&args[0])?;
    Ok(if from.is_empty() {
        args[0].clone()
    } else {
        Value::text(whole.replace(from, text(&args[2])?))
    })
}

fn trim_set(args: &[Value]) -> Result<Vec<char>> {
    args.get(1).map_or(Ok(vec![' ']), |set| Ok(text(set)?.chars().collect()))
}

fn btrim(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::text(text(&args[0])?.trim_matches(&trim_set(args)?[..])))
}

fn ltrim(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::text(text(&args[0])?.trim_start_matches(&trim_set(args)?[..])))
}

fn rtrim(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::text(text(&args[0])?.trim_end_matches(&trim_set(args)?[..])))
}

fn repeat(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let times = usize::try_from(int(&args[1])?).unwrap_or(0);
    let one = text(&args[0])?;
    if one.len().saturating_mul(times) > limits::VALUE_BYTES_MAX {
        return Err(PgError::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, "requested length too large"));
    }
    Ok(Value::text(one.repeat(times)))
}

fn md5(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    use md5::{Digest, Md5};
    let bytes: &[u8] = match &args[0] {
        Value::Bytea(bytes) => bytes,
        value => text(value)?.as_bytes(),
    };
    Ok(Value::text(hex::encode(Md5::digest(bytes))))
}

fn split_part(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let (whole, between, at) = (text(&args[0])?, text(&args[1])?, int(&args[2])?);
    if at == 0 {
        return Err(PgError::new(
            sqlstate::INVALID_PARAMETER_VALUE,
            "field position must not be zero",
        ));
    }
    let parts: Vec<&str> = if between.is_empty() {
        vec![whole]
    } else {
        whole.split(between).collect()
    };
    let place = if at > 0 {
        usize::try_from(at - 1).ok()
    } else {
        parts.len().checked_sub(usize::try_from(-at).unwrap_or(usize::MAX))
    };
    Ok(Value::text(
        place.and_then(|place| parts.get(place)).copied().unwrap_or_default(),
    ))
}

/// Arguments of any type joined, nulls left out.
fn concat(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let mut out = String::new();
    for (ty, value) in call.arg_types.iter().zip(args) {
        if !value.is_null() {
            io::text_out(*ty, value, &call.env, &mut out)?;
        }
    }
    Ok(Value::text(out))
}

fn array_to_string(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let (Value::Array(array), Value::Text(between)) = (&args[0], &args[1]) else {
        return Ok(Value::Null);
    };
    let null = args.get(2).filter(|null| !null.is_null());
    let mut out = String::new();
    let mut first = true;
    for value in &array.values {
        if value.is_null() && null.is_none() {
            continue;
        }
        if !first {
            out.push_str(between);
        }
        first = false;
        match (value.is_null(), null) {
            (true, Some(null)) => out.push_str(text(null)?),
            _ => io::text_out(array.element, value, &call.env, &mut out)?,
        }
    }
    Ok(Value::text(out))
}

fn quote_ident(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::text(crate::catalog::quote::quote_identifier(text(&args[0])?)))
}

#[rustfmt::skip]
pub const FUNCTIONS: &[Builtin] = &[
    pure(1258, "textcat", &[TEXT, TEXT], TEXT, textcat),
    pure(2004, "anytextcat", &[ANYNONARRAY, TEXT], TEXT, any_cat).stable(),
    pure(2003, "textanycat", &[TEXT, ANYNONARRAY], TEXT, any_cat).stable(),
    pure(1317, "length", &[TEXT], INT4, length),
    pure(1318, "length", &[BPCHAR], INT4, bpchar_length),
    pure(1381, "char_length", &[TEXT], INT4, length),
    pure(1369, "character_length", &[TEXT], INT4, length),
    pure(1374, "octet_length", &[TEXT], INT4, octet_length),
    pure(720, "octet_length", &[BYTEA], INT4, octet_length),
    pure(2010, "length", &[BYTEA], INT4, octet_length),
    pure(870, "lower", &[TEXT], TEXT, lower),
    pure(871, "upper", &[TEXT], TEXT, upper),
    pure(883, "substr", &[TEXT, INT4], TEXT, substr),
    pure(877, "substr", &[TEXT, INT4, INT4], TEXT, substr),
    pure(937, "substring", &[TEXT, INT4], TEXT, substr),
    pure(936, "substring", &[TEXT, INT4, INT4], TEXT, substr),
    pure(868, "strpos", &[TEXT, TEXT], INT4, strpos),
    pure(849, "position", &[TEXT, TEXT], INT4, strpos),
    pure(2087, "replace", &[TEXT, TEXT, TEXT], TEXT, replace),
    pure(885, "btrim", &[TEXT], TEXT, btrim),
    pure(884, "btrim", &[TEXT, TEXT], TEXT, btrim),
    pure(881, "ltrim", &[TEXT], TEXT, ltrim),
    pure(875, "ltrim", &[TEXT, TEXT], TEXT, ltrim),
    pure(882, "rtrim", &[TEXT], TEXT, rtrim),
    pure(876, "rtrim", &[TEXT, TEXT], TEXT, rtrim),
    pure(1622, "repeat", &[TEXT, INT4], TEXT, repeat),
    pure(2311, "md5", &[TEXT], TEXT, md5),
    pure(2321, "md5", &[BYTEA], TEXT, md5),
    pure(2088, "split_part", &[TEXT, TEXT, INT4], TEXT, split_part),
    pure(3058, "concat", &[ANY], TEXT, concat).stable().called_on_null().variadic(),
    pure(395, "array_to_string", &[ANYARRAY, TEXT], TEXT, array_to_string).stable(),
    pure(384, "array_to_string", &[ANYARRAY, TEXT, TEXT], TEXT, array_to_string).stable().called_on_null(),
    pure(1282, "quote_ident", &[TEXT], TEXT, quote_ident),
];
