//! Text forms of `real` and `double precision`.

use std::fmt::Write as _;

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
        push_digits(&shortest(value), 15, out);
    } else {
        push_general(value, (15 + extra_digits).max(1) as usize, out);
    }
}

/// Appends a real.
pub fn float4_out(value: f32, extra_digits: i32, out: &mut String) {
    if push_special(f64::from(value), out) {
    } else if extra_digits > 0 {
        let text = longer(f64::from(value), format!("{value:e}"), 24, |text| {
            text.parse::<f32>() == Ok(value)
        });
        push_digits(&text, 6, out);
    } else {
        push_general(f64::from(value), (6 + extra_digits).max(1) as usize, out);
    }
}

/// The shortest digits that read back as the value.
fn shortest(value: f64) -> String {
    longer(value, format!("{value:e}"), 53, |text| text.parse::<f64>() == Ok(value))
}

/// PostgreSQL does not lean on ties being broken to even: digits that lie exactly between two floats are not enough for
/// it, and it goes on to the shortest ones that are nearer.
fn longer(value: f64, text: String, precision: i32, reads_back: impl Fn(&str) -> bool) -> String {
    // Below this a float has too many digits for any tie.
    if value.abs() < 2_f64.powi(precision - 4) {
        return text;
    }
    let digits = text
        .bytes()
        .take_while(|byte| *byte != b'e')
        .filter(u8::is_ascii_digit)
        .count();
    if !is_midpoint(value, &text, precision) {
        // Of two nearest ones PostgreSQL takes the even one.
        let even = format!("{value:.*e}", digits - 1);
        return if reads_back(&even) { even } else { text };
    }
    (digits..17)
        .map(|after_point| format!("{value:.after_point$e}"))
        .find(|longer| reads_back(longer) && !is_midpoint(value, longer, precision))
        .unwrap_or(text)
}

/// Whether the digits lie exactly between a float of `precision` bits and its neighbour. Only large whole numbers do.
fn is_midpoint(value: f64, text: &str, precision: i32) -> bool {
    let magnitude = value.abs();
    if magnitude < 2_f64.powi(precision) || magnitude >= 2_f64.powi(120) {
        return false;
    }
    let decimal = text.trim_start_matches('-').split_once('e').and_then(|(mantissa, exponent)| {
        let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits: u128 = format!("{whole}{part}").parse().ok()?;
        let zeros = exponent.parse::<u32>().ok()?.checked_sub(part.len() as u32)?;
        digits.checked_mul(10_u128.checked_pow(zeros)?)
    });
    let Some(decimal) = decimal else { return false };
    let exact = magnitude as u128;
    let step = 1_u128 << (exact.ilog2() as i32 + 1 - precision);
    let distance = exact.abs_diff(decimal);
    // Below a power of two the neighbour is half as far.
    distance * 2 == step || (exact.is_power_of_two() && decimal < exact && distance * 4 == step)
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
        let _ = write!(out, "e{sign}{:02}", exponent.abs());
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
