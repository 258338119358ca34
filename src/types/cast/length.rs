//! Length coercion: makes a value fit its type's modifier.

use std::sync::Arc;

use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::types::numeric::Numeric;
use crate::types::{Array, TimeTz, Value, datetime, info, oid};

/// Fits a value to a modifier. Strings are cut where that loses only blanks, or anything where the cast is `explicit`;
/// `char(n)` is padded; numbers and times are rounded.
pub fn apply_typmod(ty: Oid, typmod: i32, value: Value, explicit: bool) -> Result<Value> {
    if typmod < 0 {
        return Ok(value);
    }
    match value {
        Value::Text(text) if ty == oid::VARCHAR => varchar(&text, typmod, explicit).map(|fit| match fit {
            Some(cut) => Value::text(cut),
            None => Value::Text(text.clone()),
        }),
        Value::Text(text) if ty == oid::BPCHAR => bpchar(&text, typmod, explicit),
        Value::Numeric(number) => numeric(number, typmod).map(Value::Numeric),
        Value::Timestamp(micros) => datetime::round_timestamp(micros, typmod).map(Value::Timestamp),
        Value::TimestampTz(micros) => datetime::round_timestamp(micros, typmod).map(Value::TimestampTz),
        Value::Time(micros) => Ok(Value::Time(datetime::round_micros(micros, typmod as u32))),
        Value::TimeTz(time) => Ok(Value::TimeTz(TimeTz {
            micros: datetime::round_micros(time.micros, typmod as u32),
            ..time
        })),
        Value::Interval(interval) => datetime::fit_interval(&interval, typmod).map(Value::Interval),
        Value::Bit(bits) => fit_bits(ty, typmod, bits, explicit),
        Value::Array(array) if info::element_of(ty).is_some() => {
            let values = array
                .values
                .iter()
                .map(|element| apply_typmod(array.element, typmod, element.clone(), explicit))
                .collect::<Result<Vec<_>>>()?;
            Ok(Value::Array(Arc::new(Array {
                element: array.element,
                dims: array.dims.clone(),
                values,
            })))
        }
        other => Ok(other),
    }
}

/// Bytes of the first `length` characters; `None` where the text is not longer.
fn cut_at(text: &str, length: usize) -> Option<usize> {
    if text.len() <= length {
        return None;
    }
    text.char_indices().nth(length).map(|(at, _)| at)
}

fn too_long(name: &str, length: usize) -> PgError {
    PgError::new(
        sqlstate::STRING_DATA_RIGHT_TRUNCATION,
        format!("value too long for type {name}({length})"),
    )
}

fn varchar(text: &str, typmod: i32, explicit: bool) -> Result<Option<&str>> {
    let Some(length) = info::char_length(typmod) else {
        return Ok(None);
    };
    let Some(end) = cut_at(text, length) else { return Ok(None) };
    if !explicit && text[end..].bytes().any(|byte| byte != b' ') {
        return Err(too_long("character varying", length));
    }
    Ok(Some(&text[..end]))
}

fn bpchar(text: &str, typmod: i32, explicit: bool) -> Result<Value> {
    let Some(length) = info::char_length(typmod) else {
        return Ok(Value::text(text));
    };
    if let Some(end) = cut_at(text, length) {
        if !explicit && text[end..].bytes().any(|byte| byte != b' ') {
            return Err(too_long("character", length));
        }
        return Ok(Value::text(&text[..end]));
    }
    let missing = length - text.chars().count();
    if missing == 0 {
        return Ok(Value::text(text));
    }
    let mut padded = String::with_capacity(text.len() + missing);
    padded.push_str(text);
    padded.extend(std::iter::repeat_n(' ', missing));
    Ok(Value::text(padded))
}

fn field_overflow(detail: String) -> PgError {
    PgError::new(sqlstate::NUMERIC_VALUE_OUT_OF_RANGE, "numeric field overflow").detail(detail)
}

fn numeric(number: Numeric, typmod: i32) -> Result<Numeric> {
    let Some((precision, scale)) = info::numeric_typmod(typmod) else {
        return Ok(number);
    };
    if number.is_nan() {
        return Ok(number);
    }
    if !number.is_finite() {
        return Err(field_overflow(format!(
            "A field with precision {precision}, scale {scale} cannot hold an infinite value."
        )));
    }
    let rounded = if i32::from(number.scale()) == scale {
        number
    } else {
        number.round(scale)
    };
    let whole_digits = precision - scale;
    let fits = match &rounded {
        Numeric::Small { digits: 0, .. } => true,
        // |unscaled| < 10^(whole digits + digits after the point).
        other => other.digit_count() as i32 - i32::from(other.scale()) <= whole_digits,
    };
    if fits {
        return Ok(rounded);
    }
    let limit = if whole_digits == 0 {
        "1".to_owned()
    } else {
        format!("10^{whole_digits}")
    };
    Err(field_overflow(format!(
        "A field with precision {precision}, scale {scale} must round to an absolute value less than {limit}."
    )))
}

/// Whether a bit string of that length fits the type without being cut or padded.
pub(crate) fn check_bit_length(ty: Oid, typmod: i32, bits: u32) -> Result<()> {
    let length = typmod.unsigned_abs();
    if typmod <= 0 || bits == length || (ty == oid::VARBIT && bits <= length) {
        return Ok(());
    }
    Err(if ty == oid::VARBIT {
        PgError::new(
            sqlstate::STRING_DATA_RIGHT_TRUNCATION,
            format!("bit string too long for type bit varying({length})"),
        )
    } else {
        PgError::new(
            sqlstate::STRING_DATA_LENGTH_MISMATCH,
            format!("bit string length {bits} does not match type bit({length})"),
        )
    })
}

fn fit_bits(ty: Oid, typmod: i32, bits: Arc<(u32, Vec<u8>)>, explicit: bool) -> Result<Value> {
    let length = typmod.unsigned_abs();
    if typmod == 0 || bits.0 == length || (ty == oid::VARBIT && bits.0 <= length) {
        return Ok(Value::Bit(bits));
    }
    if !explicit {
        check_bit_length(ty, typmod, bits.0)?;
    }
    let mut bytes = bits.1.clone();
    bytes.resize(length.div_ceil(8) as usize, 0);
    let spare = (8 - length % 8) % 8;
    if let Some(last) = bytes.last_mut() {
        *last &= 0xff_u8.wrapping_shl(spare);
    }
    Ok(Value::Bit(Arc::new((length, bytes))))
}
