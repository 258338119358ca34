//! The functions behind `pg_cast`.

use std::sync::Arc;

use crate::error::{PgError, Result, sqlstate};
use crate::types::json::Json;
use crate::types::numeric::Numeric;
use crate::types::{Interval, TypeEnv, Value, datetime, io, oid};

fn out_of_range(type_name: &str) -> PgError {
    PgError::new(sqlstate::NUMERIC_VALUE_OUT_OF_RANGE, format!("{type_name} out of range"))
}

fn unexpected(value: &Value) -> PgError {
    PgError::internal(format!("a cast met an unexpected value: {value:?}"))
}

fn integer(value: &Value) -> Result<i64> {
    match value {
        Value::Int2(v) => Ok(i64::from(*v)),
        Value::Int4(v) => Ok(i64::from(*v)),
        Value::Int8(v) => Ok(*v),
        Value::Oid(v) => Ok(i64::from(*v)),
        other => Err(unexpected(other)),
    }
}

fn text(value: &Value) -> Result<&str> {
    match value {
        Value::Text(v) => Ok(v),
        other => Err(unexpected(other)),
    }
}

/// Rounded half to even and within the bounds (both exact doubles, the upper one exclusive).
fn float_to_integer(value: f64, low: f64, high: f64, type_name: &str) -> Result<i64> {
    let rounded = value.round_ties_even();
    if rounded >= low && rounded < high {
        Ok(rounded as i64)
    } else {
        Err(out_of_range(type_name))
    }
}

/// A number of any kind to `smallint`.
pub(super) fn to_int2(value: &Value, _: i32, _: bool, _: &TypeEnv<'_>) -> Result<Value> {
    Ok(Value::Int2(match value {
        Value::Float4(v) => float_to_integer(f64::from(*v), -32768.0, 32768.0, "smallint")? as i16,
        Value::Float8(v) => float_to_integer(*v, -32768.0, 32768.0, "smallint")? as i16,
        Value::Numeric(v) => v.to_i16()?,
        other => i16::try_from(integer(other)?).map_err(|_| out_of_range("smallint"))?,
    }))
}

pub(super) fn to_int4(value: &Value, _: i32, _: bool, _: &TypeEnv<'_>) -> Result<Value> {
    const LOW: f64 = -2_147_483_648.0;
    Ok(Value::Int4(match value {
        Value::Float4(v) => float_to_integer(f64::from(*v), LOW, -LOW, "integer")? as i32,
        Value::Float8(v) => float_to_integer(*v, LOW, -LOW, "integer")? as i32,
        Value::Numeric(v) => v.to_i32()?,
        Value::Bool(v) => i32::from(*v),
        Value::Text(v) => v.bytes().next().map_or(0, |byte| i32::from(byte as i8)),
        other => i32::try_from(integer(other)?).map_err(|_| out_of_range("integer"))?,
    }))
}

pub(super) fn to_int8(value: &Value, _: i32, _: bool, _: &TypeEnv<'_>) -> Result<Value> {
    const LOW: f64 = -9_223_372_036_854_775_808.0;
    Ok(Value::Int8(match value {
        Value::Float4(v) => float_to_integer(f64::from(*v), LOW, -LOW, "bigint")?,
        Value::Float8(v) => float_to_integer(*v, LOW, -LOW, "bigint")?,
        Value::Numeric(v) => v.to_i64()?,
        other => integer(other)?,
    }))
}

pub(super) fn to_float4(value: &Value, _: i32, _: bool, _: &TypeEnv<'_>) -> Result<Value> {
    Ok(Value::Float4(match value {
        Value::Float8(v) => {
            let narrow = *v as f32;
            let lost = |what| PgError::new(sqlstate::NUMERIC_VALUE_OUT_OF_RANGE, format!("value out of range: {what}"));
            if narrow.is_infinite() && v.is_finite() {
                return Err(lost("overflow"));
            }
            if narrow == 0.0 && *v != 0.0 {
                return Err(lost("underflow"));
            }
            narrow
        }
        Value::Numeric(v) => v.to_f32()?,
        other => integer(other)? as f32,
    }))
}

pub(super) fn to_float8(value: &Value, _: i32, _: bool, _: &TypeEnv<'_>) -> Result<Value> {
    Ok(Value::Float8(match value {
        Value::Float4(v) => f64::from(*v),
        Value::Numeric(v) => v.to_f64()?,
        other => integer(other)? as f64,
    }))
}

pub(super) fn to_numeric(value: &Value, _: i32, _: bool, _: &TypeEnv<'_>) -> Result<Value> {
    Ok(Value::Numeric(match value {
        Value::Float4(v) => Numeric::from_f32(*v),
        Value::Float8(v) => Numeric::from_f64(*v),
        other => Numeric::from(integer(other)?),
    }))
}

/// An integer to `oid` or a `reg*` type.
pub(super) fn to_oid(value: &Value, _: i32, _: bool, _: &TypeEnv<'_>) -> Result<Value> {
    match value {
        // int2 and int4 are reinterpreted, as a binary cast does.
        Value::Int2(v) => Ok(Value::Oid(i32::from(*v) as u32)),
        Value::Int4(v) => Ok(Value::Oid(*v as u32)),
        Value::Int8(v) => u32::try_from(*v).map(Value::Oid).map_err(|_| out_of_range("OID")),
        other => Err(unexpected(other)),
    }
}

/// `oid` or a `reg*` type to `integer`: the same bits.
pub(super) fn oid_to_int4(value: &Value, _: i32, _: bool, _: &TypeEnv<'_>) -> Result<Value> {
    match value {
        Value::Oid(v) => Ok(Value::Int4(*v as i32)),
        other => Err(unexpected(other)),
    }
}

pub(super) fn int4_to_bool(value: &Value, _: i32, _: bool, _: &TypeEnv<'_>) -> Result<Value> {
    Ok(Value::Bool(integer(value)? != 0))
}

pub(super) fn bool_to_text(value: &Value, _: i32, _: bool, _: &TypeEnv<'_>) -> Result<Value> {
    match value {
        Value::Bool(v) => Ok(Value::text(if *v { "true" } else { "false" })),
        other => Err(unexpected(other)),
    }
}

pub(super) fn int4_to_char(value: &Value, _: i32, _: bool, _: &TypeEnv<'_>) -> Result<Value> {
    let code = integer(value)?;
    let byte = i8::try_from(code).map_err(|_| out_of_range("\"char\""))? as u8;
    Ok(match byte {
        0 => Value::text(""),
        byte => Value::text(char::from(byte).to_string()),
    })
}

/// A string to `"char"`: its first byte.
pub(super) fn to_char(value: &Value, _: i32, _: bool, env: &TypeEnv<'_>) -> Result<Value> {
    io::text_in(oid::CHAR, -1, text(value)?, env)
}

/// Text as it is, for casts that copy (`name` to `text`, `"char"` to `text`).
#[expect(clippy::unnecessary_wraps, reason = "a CastFn")]
pub(super) fn same_text(value: &Value, _: i32, _: bool, _: &TypeEnv<'_>) -> Result<Value> {
    Ok(value.clone())
}

/// `char(n)` to `text`: the padding goes.
pub(super) fn bpchar_to_text(value: &Value, _: i32, _: bool, _: &TypeEnv<'_>) -> Result<Value> {
    let text = text(value)?;
    let trimmed = text.trim_end_matches(' ');
    Ok(if trimmed.len() == text.len() {
        value.clone()
    } else {
        Value::text(trimmed)
    })
}

pub(super) fn to_name(value: &Value, _: i32, _: bool, env: &TypeEnv<'_>) -> Result<Value> {
    io::text_in(oid::NAME, -1, text(value)?, env)
}

pub(super) fn bpchar_to_name(value: &Value, _: i32, _: bool, env: &TypeEnv<'_>) -> Result<Value> {
    io::text_in(oid::NAME, -1, text(value)?.trim_end_matches(' '), env)
}

pub(super) fn text_to_regclass(value: &Value, _: i32, _: bool, env: &TypeEnv<'_>) -> Result<Value> {
    io::text_in(oid::REGCLASS, -1, text(value)?, env)
}

/// A date or time of any kind to `date`.
pub(super) fn to_date(value: &Value, _: i32, _: bool, env: &TypeEnv<'_>) -> Result<Value> {
    Ok(Value::Date(match value {
        Value::Timestamp(v) => datetime::timestamp_to_date(*v),
        Value::TimestampTz(v) => datetime::timestamptz_to_date(*v, env)?,
        other => return Err(unexpected(other)),
    }))
}

pub(super) fn to_time(value: &Value, _: i32, _: bool, env: &TypeEnv<'_>) -> Result<Value> {
    let time = match value {
        Value::Timestamp(v) => datetime::timestamp_to_time(*v),
        Value::TimestampTz(v) => datetime::timestamp_to_time(datetime::timestamptz_to_timestamp(*v, env)?),
        Value::Interval(v) => Some(datetime::interval_to_time(v)),
        Value::TimeTz(v) => Some(v.micros),
        other => return Err(unexpected(other)),
    };
    Ok(time.map_or(Value::Null, Value::Time))
}

pub(super) fn to_timetz(value: &Value, _: i32, _: bool, env: &TypeEnv<'_>) -> Result<Value> {
    let time = match value {
        Value::Time(v) => Some(datetime::time_to_timetz(*v, env)),
        Value::TimestampTz(v) => datetime::timestamptz_to_timetz(*v, env)?,
        other => return Err(unexpected(other)),
    };
    Ok(time.map_or(Value::Null, Value::TimeTz))
}

pub(super) fn to_timestamp(value: &Value, _: i32, _: bool, env: &TypeEnv<'_>) -> Result<Value> {
    Ok(Value::Timestamp(match value {
        Value::Date(v) => datetime::date_to_timestamp(*v)?,
        Value::TimestampTz(v) => datetime::timestamptz_to_timestamp(*v, env)?,
        other => return Err(unexpected(other)),
    }))
}

pub(super) fn to_timestamptz(value: &Value, _: i32, _: bool, env: &TypeEnv<'_>) -> Result<Value> {
    Ok(Value::TimestampTz(match value {
        Value::Date(v) => datetime::date_to_timestamptz(*v, env)?,
        Value::Timestamp(v) => datetime::timestamp_to_timestamptz(*v, env)?,
        other => return Err(unexpected(other)),
    }))
}

pub(super) fn time_to_interval(value: &Value, _: i32, _: bool, _: &TypeEnv<'_>) -> Result<Value> {
    match value {
        Value::Time(micros) => Ok(Value::Interval(Interval {
            micros: *micros,
            ..Interval::default()
        })),
        other => Err(unexpected(other)),
    }
}

/// The low `width` bits of a number as `bit(typmod)`: cut on the left or extended by the sign.
fn to_bits(number: i64, typmod: i32) -> Value {
    let length = if typmod <= 0 { 1 } else { typmod.unsigned_abs() };
    let mut bytes = vec![0_u8; length.div_ceil(8) as usize];
    for at in 0..length {
        let place = length - 1 - at;
        let bit = if place >= 64 { number < 0 } else { number >> place & 1 == 1 };
        if bit {
            bytes[(at / 8) as usize] |= 0x80 >> (at % 8);
        }
    }
    Value::Bit(Arc::new((length, bytes)))
}

pub(super) fn int_to_bit(value: &Value, typmod: i32, _: bool, _: &TypeEnv<'_>) -> Result<Value> {
    Ok(to_bits(integer(value)?, typmod))
}

fn from_bits(value: &Value, width: u32, type_name: &str) -> Result<u64> {
    let Value::Bit(bits) = value else {
        return Err(unexpected(value));
    };
    if bits.0 > width {
        return Err(out_of_range(type_name));
    }
    let number = bits.1.iter().fold(0_u128, |number, byte| number << 8 | u128::from(*byte));
    let spare = bits.1.len() as u32 * 8 - bits.0;
    Ok((number >> spare) as u64)
}

pub(super) fn bit_to_int4(value: &Value, _: i32, _: bool, _: &TypeEnv<'_>) -> Result<Value> {
    from_bits(value, 32, "integer").map(|bits| Value::Int4(bits as u32 as i32))
}

pub(super) fn bit_to_int8(value: &Value, _: i32, _: bool, _: &TypeEnv<'_>) -> Result<Value> {
    from_bits(value, 64, "bigint").map(|bits| Value::Int8(bits as i64))
}

pub(super) fn xid8_to_xid(value: &Value, _: i32, _: bool, _: &TypeEnv<'_>) -> Result<Value> {
    match value {
        Value::Uint8(v) => Ok(Value::Oid(*v as u32)),
        other => Err(unexpected(other)),
    }
}

fn json_kind_error(json: &Json, type_name: &str) -> PgError {
    let kind = match json {
        Json::Number(_) => "numeric",
        other => other.type_name(),
    };
    PgError::new(
        sqlstate::INVALID_PARAMETER_VALUE,
        format!("cannot cast jsonb {kind} to type {type_name}"),
    )
}

pub(super) fn jsonb_to_bool(value: &Value, _: i32, _: bool, _: &TypeEnv<'_>) -> Result<Value> {
    match value {
        Value::Jsonb(json) => match &**json {
            Json::Bool(v) => Ok(Value::Bool(*v)),
            other => Err(json_kind_error(other, "boolean")),
        },
        other => Err(unexpected(other)),
    }
}

fn json_number<'a>(value: &'a Value, type_name: &str) -> Result<&'a Numeric> {
    match value {
        Value::Jsonb(json) => match &**json {
            Json::Number(number) => Ok(number),
            other => Err(json_kind_error(other, type_name)),
        },
        other => Err(unexpected(other)),
    }
}

pub(super) fn jsonb_to_numeric(value: &Value, _: i32, _: bool, _: &TypeEnv<'_>) -> Result<Value> {
    Ok(Value::Numeric(json_number(value, "numeric")?.clone()))
}

pub(super) fn jsonb_to_int2(value: &Value, _: i32, _: bool, _: &TypeEnv<'_>) -> Result<Value> {
    json_number(value, "smallint")?.to_i16().map(Value::Int2)
}

pub(super) fn jsonb_to_int4(value: &Value, _: i32, _: bool, _: &TypeEnv<'_>) -> Result<Value> {
    json_number(value, "integer")?.to_i32().map(Value::Int4)
}

pub(super) fn jsonb_to_int8(value: &Value, _: i32, _: bool, _: &TypeEnv<'_>) -> Result<Value> {
    json_number(value, "bigint")?.to_i64().map(Value::Int8)
}

pub(super) fn jsonb_to_float4(value: &Value, _: i32, _: bool, _: &TypeEnv<'_>) -> Result<Value> {
    json_number(value, "real")?.to_f32().map(Value::Float4)
}

pub(super) fn jsonb_to_float8(value: &Value, _: i32, _: bool, _: &TypeEnv<'_>) -> Result<Value> {
    json_number(value, "double precision")?.to_f64().map(Value::Float8)
}
