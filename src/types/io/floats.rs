//! Text forms of `real` and `double precision`.

use super::{invalid_syntax, scalar::trim};
use crate::error::{PgError, Result, sqlstate};
use crate::types::Value;

fn out_of_range(text: &str, type_name: &str) -> PgError {
    PgError::new(
        sqlstate::NUMERIC_VALUE_OUT_OF_RANGE,
        format!("\"{text}\" is out of range for type {type_name}"),
    )
}

/// Whether an infinite or zero result came of a finite, nonzero number.
fn lost(text: &str, infinite: bool, zero: bool) -> bool {
    let has_digit = |from: u8| {
        text.bytes()
            .take_while(|byte| !matches!(byte, b'e' | b'E'))
            .any(|byte| (from..=b'9').contains(&byte))
    };
    (infinite && has_digit(b'0')) || (zero && has_digit(b'1'))
}

pub(super) fn float8_in(text: &str) -> Result<Value> {
    let body = trim(text);
    let value: f64 = body.parse().map_err(|_| invalid_syntax("double precision", text))?;
    if (value.is_infinite() || value == 0.0) && lost(body, value.is_infinite(), value == 0.0) {
        return Err(out_of_range(text, "double precision"));
    }
    Ok(Value::Float8(value))
}

pub(super) fn float4_in(text: &str) -> Result<Value> {
    let body = trim(text);
    let value: f32 = body.parse().map_err(|_| invalid_syntax("real", text))?;
    if (value.is_infinite() || value == 0.0) && lost(body, value.is_infinite(), value == 0.0) {
        return Err(out_of_range(text, "real"));
    }
    Ok(Value::Float4(value))
}

/// Appends a double: the shortest exact form where `extra_float_digits` is positive, else `%.*g`.
pub fn float8_out(value: f64, extra_digits: i32, out: &mut String) {
    if push_special(value, out) {
    } else if extra_digits > 0 {
        push_digits(&format!("{value:e}"), 15, out);
    } else {
        push_general(value, (15 + extra_digits).max(1) as usize, out);
    }
}

/// Appends a real.
pub fn float4_out(value: f32, extra_digits: i32, out: &mut String) {
    if push_special(f64::from(value), out) {
    } else if extra_digits > 0 {
        push_digits(&format!("{value:e}"), 6, out);
    } else {
        push_general(f64::from(value), (6 + extra_digits).max(1) as usize, out);
    }
}

fn push_special(value: f64, out: &mut String) -> bool {
    if value.is_nan() {
        out.push_str("NaN");
    } else if value.is_infinite() {
        out.push_str(if value > 0.0 { "Infinity" } else { "-Infinity" });
    } else {
        return false;
    }
    true
}

/// `%.*g`: trailing zeros go.
fn push_general(value: f64, digits: usize, out: &mut String) {
    let text = format!("{value:.*e}", digits - 1);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let mantissa = if mantissa.contains('.') {
        mantissa.trim_end_matches('0').trim_end_matches('.')
    } else {
        mantissa
    };
    push_digits(&format!("{mantissa}e{exponent}"), digits as i32, out);
}

/// Lays out `d.ddde[-]x`: fixed for exponents from -4 to below `fixed_max`, else with an exponent of two digits.
fn push_digits(text: &str, fixed_max: i32, out: &mut String) {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let mantissa = match mantissa.strip_prefix('-') {
        Some(rest) => {
            out.push('-');
            rest
        }
        None => mantissa,
    };
    if !(-4..fixed_max).contains(&exponent) {
        out.push_str(mantissa);
        let sign = if exponent < 0 { '-' } else { '+' };
        out.push_str(&format!("e{sign}{:02}", exponent.abs()));
        return;
    }
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    if exponent < 0 {
        out.push_str("0.");
        out.extend(std::iter::repeat_n('0', (-exponent - 1) as usize));
        out.push_str(&digits);
        return;
    }
    let whole = exponent as usize + 1;
    if digits.len() <= whole {
        out.push_str(&digits);
        out.extend(std::iter::repeat_n('0', whole - digits.len()));
    } else {
        out.push_str(&digits[..whole]);
        out.push('.');
        out.push_str(&digits[whole..]);
    }
}
