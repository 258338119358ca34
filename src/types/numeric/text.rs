//! Text form of `numeric`.

use std::fmt::Write as _;

use num_bigint::BigInt;

use super::{Numeric, overflow, power_of_ten};
use crate::error::{PgError, Result, sqlstate};

fn invalid(text: &str) -> PgError {
    PgError::new(
        sqlstate::INVALID_TEXT_REPRESENTATION,
        format!("invalid input syntax for type numeric: \"{text}\""),
    )
}

/// The blanks that C's `isspace` knows.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Reads a number as `numeric_in` does, without a modifier.
pub fn parse(text: &str) -> Result<Numeric> {
    let bytes = text.as_bytes();
    if let Some(small) = parse_small(bytes) {
        return Ok(small);
    }
    let trimmed = trim(text);
    if let Some(special) = special(trimmed) {
        return Ok(special);
    }
    parse_long(trimmed).ok_or_else(|| invalid(text))?
}

fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_ascii() && is_space(c as u8))
}

fn special(text: &str) -> Option<Numeric> {
    let is = |word: &str| text.eq_ignore_ascii_case(word);
    if is("nan") {
        Some(Numeric::NaN)
    } else if is("infinity") || is("+infinity") || is("inf") || is("+inf") {
        Some(Numeric::PosInfinity)
    } else if is("-infinity") || is("-inf") {
        Some(Numeric::NegInfinity)
    } else {
        None
    }
}

/// Plain numbers of at most 18 digits, without blanks or exponent.
fn parse_small(bytes: &[u8]) -> Option<Numeric> {
    let (negative, body) = match bytes {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    if body.is_empty() || body.len() > 19 {
        return None;
    }
    let (mut digits, mut count, mut scale, mut point) = (0_i64, 0, 0_u16, false);
    for byte in body {
        match byte {
            b'0'..=b'9' => {
                digits = digits * 10 + i64::from(byte - b'0');
                count += 1;
                scale += u16::from(point);
            }
            b'.' if !point => point = true,
            _ => return None,
        }
        if count > 18 {
            return None;
        }
    }
    (count > 0).then_some(Numeric::Small {
        digits: if negative { -digits } else { digits },
        scale,
    })
}

/// `[sign] digits [. digits] [e [sign] digits]`; `None` for a syntax error.
fn parse_long(text: &str) -> Option<Result<Numeric>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    let negative = match bytes.first()? {
        b'-' => {
            at += 1;
            true
        }
        b'+' => {
            at += 1;
            false
        }
        _ => false,
    };
    let mut digits = Vec::with_capacity(bytes.len());
    let mut scale = 0_i64;
    let mut point = false;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'0'..=b'9' => {
                digits.push(*byte);
                scale += i64::from(point);
            }
            b'.' if !point => point = true,
            _ => break,
        }
        at += 1;
    }
    if digits.is_empty() {
        return None;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let exponent = text.get(at + 1..)?;
        let body = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        if body.is_empty() || !body.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        // Past any exponent that a number can have; PostgreSQL too refuses these.
        let exponent = exponent
            .parse::<i32>()
            .ok()
            .filter(|e| e.unsigned_abs() <= i32::MAX as u32 / 2)?;
        scale -= i64::from(exponent);
        at = bytes.len();
    }
    if at != bytes.len() {
        return None;
    }
    Some(scaled(&digits, negative, scale))
}

fn scaled(ascii: &[u8], negative: bool, scale: i64) -> Result<Numeric> {
    let mut digits = BigInt::parse_bytes(ascii, 10).unwrap_or_default();
    if negative {
        digits = -digits;
    }
    if scale >= 0 {
        if scale > i64::from(super::SCALE_MAX) {
            return Err(overflow());
        }
        return Numeric::checked(digits, scale);
    }
    if digits == BigInt::ZERO {
        return Ok(Numeric::ZERO);
    }
    if -scale > super::WHOLE_DIGITS_MAX {
        return Err(overflow());
    }
    Numeric::checked(digits * power_of_ten(-scale as u32), 0)
}

impl Numeric {
    /// Appends the text form.
    pub fn write_text(&self, out: &mut String) {
        match self {
            Numeric::Small { digits, scale } => {
                let mut buffer = itoa::Buffer::new();
                write_scaled(buffer.format(digits.unsigned_abs()), *digits < 0, usize::from(*scale), out);
            }
            Numeric::Big(big) => write_scaled(
                &big.digits.magnitude().to_string(),
                self.signum() < 0,
                usize::from(big.scale),
                out,
            ),
            Numeric::NaN => out.push_str("NaN"),
            Numeric::PosInfinity => out.push_str("Infinity"),
            Numeric::NegInfinity => out.push_str("-Infinity"),
        }
    }
}

fn write_scaled(digits: &str, negative: bool, scale: usize, out: &mut String) {
    if negative {
        out.push('-');
    }
    if scale == 0 {
        out.push_str(digits);
    } else if digits.len() > scale {
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        out.push_str(whole);
        out.push('.');
        out.push_str(fraction);
    } else {
        out.push_str("0.");
        out.extend(std::iter::repeat_n('0', scale - digits.len()));
        out.push_str(digits);
    }
}

impl std::fmt::Display for Numeric {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = String::new();
        self.write_text(&mut text);
        f.write_str(&text)
    }
}

impl Numeric {
    /// `1.2345e+05`: used where a message prints a number in exponent form.
    pub fn to_scientific(&self, digits: i32) -> String {
        let mut out = String::new();
        let len = self.digit_count() as i32;
        let exponent = if self.is_zero() {
            0
        } else {
            len - 1 - i32::from(self.scale())
        };
        let Some((unscaled, scale)) = self.big_parts() else {
            return self.to_string();
        };
        let shift = digits - exponent - i32::from(scale);
        let mantissa = if shift >= 0 {
            unscaled * power_of_ten(shift as u32)
        } else {
            super::divide_rounded(&unscaled, &power_of_ten(-shift as u32))
        };
        Numeric::from_digits(mantissa, digits.max(0) as u16).write_text(&mut out);
        let _ = write!(out, "e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs());
        out
    }
}
