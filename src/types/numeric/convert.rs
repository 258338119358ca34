//! To and from machine numbers.

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::{Numeric, power_of_ten};
use crate::error::{PgError, Result, sqlstate};

macro_rules! from_integers {
    ($($int:ty),*) => {$(
        impl From<$int> for Numeric {
            fn from(value: $int) -> Self {
                Numeric::Small { digits: i64::from(value), scale: 0 }
            }
        }
    )*};
}

from_integers!(i16, i32, i64, u32);

impl From<i128> for Numeric {
    fn from(value: i128) -> Self {
        Numeric::from_digits_128(value, 0)
    }
}

impl From<u64> for Numeric {
    fn from(value: u64) -> Self {
        Numeric::from_digits_128(i128::from(value), 0)
    }
}

/// A decimal number of `significant` digits near a float, as `printf("%.*g")` makes it.
fn from_float(value: f64, significant: usize) -> Numeric {
    if value.is_nan() {
        return Numeric::NaN;
    }
    if value.is_infinite() {
        return if value > 0.0 {
            Numeric::PosInfinity
        } else {
            Numeric::NegInfinity
        };
    }
    let text = format!("{:.*e}", significant - 1, value);
    let Some((mantissa, exponent)) = text.split_once('e') else {
        return Numeric::ZERO;
    };
    let exponent: i64 = exponent.parse().unwrap_or(0);
    let negative = mantissa.starts_with('-');
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let digits = digits.trim_end_matches('0');
    if digits.is_empty() {
        return Numeric::ZERO;
    }
    let mut unscaled: i128 = digits.parse().unwrap_or(0);
    if negative {
        unscaled = -unscaled;
    }
    let scale = digits.len() as i64 - 1 - exponent;
    if scale >= 0 {
        Numeric::from_digits_128(unscaled, scale as u16)
    } else {
        Numeric::from_digits(BigInt::from(unscaled) * power_of_ten(-scale as u32), 0)
    }
}

impl Numeric {
    /// 15 significant digits, as PostgreSQL's cast.
    pub fn from_f64(value: f64) -> Numeric {
        from_float(value, 15)
    }

    /// 6 significant digits.
    pub fn from_f32(value: f32) -> Numeric {
        from_float(f64::from(value), 6)
    }

    /// The nearest double; `"x" is out of range for type double precision` when there is none.
    pub fn to_f64(&self) -> Result<f64> {
        let value = self.to_f64_lossy();
        if value.is_infinite() && self.is_finite() {
            return Err(PgError::new(
                sqlstate::NUMERIC_VALUE_OUT_OF_RANGE,
                format!("\"{self}\" is out of range for type double precision"),
            ));
        }
        Ok(value)
    }

    /// The nearest double, an infinity past the range.
    pub fn to_f64_lossy(&self) -> f64 {
        match self {
            // Both are exact doubles, so that the quotient is rounded once.
            Numeric::Small { digits, scale } if digits.unsigned_abs() < 1 << 53 && *scale <= 22 => {
                *digits as f64 / 10_f64.powi(i32::from(*scale))
            }
            Numeric::NaN => f64::NAN,
            Numeric::PosInfinity => f64::INFINITY,
            Numeric::NegInfinity => f64::NEG_INFINITY,
            _ => self.to_string().parse().unwrap_or(f64::NAN),
        }
    }

    pub fn to_f32(&self) -> Result<f32> {
        let value = match self {
            Numeric::NaN => f32::NAN,
            Numeric::PosInfinity => f32::INFINITY,
            Numeric::NegInfinity => f32::NEG_INFINITY,
            _ => self.to_string().parse().unwrap_or(f32::NAN),
        };
        if value.is_infinite() && self.is_finite() {
            return Err(PgError::new(
                sqlstate::NUMERIC_VALUE_OUT_OF_RANGE,
                format!("\"{self}\" is out of range for type real"),
            ));
        }
        Ok(value)
    }

    /// Rounded to a whole number, where it fits.
    pub fn to_i128(&self) -> Option<i128> {
        match self.round(0) {
            Numeric::Small { digits, .. } => Some(i128::from(digits)),
            Numeric::Big(big) => big.digits.to_i128(),
            _ => None,
        }
    }

    /// Rounded to `bigint`; the errors name `type_name` (`bigint`, `integer`, `smallint`).
    fn to_integer<T: TryFrom<i128>>(&self, type_name: &str) -> Result<T> {
        match self {
            Numeric::NaN => {
                return Err(PgError::new(
                    sqlstate::FEATURE_NOT_SUPPORTED,
                    format!("cannot convert NaN to {type_name}"),
                ));
            }
            Numeric::PosInfinity | Numeric::NegInfinity => {
                return Err(PgError::new(
                    sqlstate::FEATURE_NOT_SUPPORTED,
                    format!("cannot convert infinity to {type_name}"),
                ));
            }
            _ => {}
        }
        self.to_i128()
            .and_then(|wide| T::try_from(wide).ok())
            .ok_or_else(|| PgError::new(sqlstate::NUMERIC_VALUE_OUT_OF_RANGE, format!("{type_name} out of range")))
    }

    pub fn to_i64(&self) -> Result<i64> {
        self.to_integer("bigint")
    }

    pub fn to_i32(&self) -> Result<i32> {
        self.to_integer("integer")
    }

    pub fn to_i16(&self) -> Result<i16> {
        self.to_integer("smallint")
    }
}
