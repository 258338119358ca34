//! `numeric`: arbitrary precision, NaN and the infinities.
//!
//! A number is `digits / 10^scale`; the scale is PostgreSQL's display scale, so `1.0` and `1.00` are equal and print
//! differently. Numbers whose digits fit in 64 bits are [`Numeric::Small`] and never allocate; arithmetic on them stays
//! in machine integers where the result allows. Scales of results follow `numeric.c`, which counts in base 10000: see
//! `weight_and_lead`.

use std::cmp::Ordering;
use std::sync::Arc;

use num_bigint::{BigInt, Sign};
use num_traits::{Signed, ToPrimitive, Zero};

use crate::error::{PgError, Result, sqlstate};

mod arith;
mod convert;
mod text;
mod transcendental;
mod wire;

pub use text::parse;
pub use transcendental::factorial;

/// Digits after the point at most (`NUMERIC_DSCALE_MAX`).
pub const SCALE_MAX: u16 = 0x3fff;
/// Digits before the point at most (`(NUMERIC_WEIGHT_MAX + 1) * DEC_DIGITS`).
const WHOLE_DIGITS_MAX: i64 = 131_072;
/// `NUMERIC_MIN_SIG_DIGITS`.
const SIGNIFICANT_DIGITS_MIN: i64 = 16;
/// `NUMERIC_MAX_DISPLAY_SCALE`.
const DISPLAY_SCALE_MAX: i64 = 1000;

/// An exact decimal number. `==` is numeric equality: 1.0 = 1.00, NaN = NaN.
#[derive(Clone, Debug)]
pub enum Numeric {
    /// `digits / 10^scale`, printed with `scale` digits after the point; small ones without allocation.
    Small {
        digits: i64,
        scale: u16,
    },
    /// Digits that do not fit in 64 bits.
    Big(Arc<BigNumeric>),
    NaN,
    PosInfinity,
    NegInfinity,
}

/// A number whose digits do not fit in 64 bits.
#[derive(Debug, PartialEq, Eq)]
pub struct BigNumeric {
    pub digits: BigInt,
    pub scale: u16,
}

const POWERS: [i64; 19] = {
    let mut powers = [1_i64; 19];
    let mut at = 1;
    while at < 19 {
        powers[at] = powers[at - 1] * 10;
        at += 1;
    }
    powers
};

const POWERS_128: [i128; 39] = {
    let mut powers = [1_i128; 39];
    let mut at = 1;
    while at < 39 {
        powers[at] = powers[at - 1] * 10;
        at += 1;
    }
    powers
};

/// `10^n`.
pub(crate) fn power_of_ten(n: u32) -> BigInt {
    match POWERS_128.get(n as usize) {
        Some(power) => BigInt::from(*power),
        None => BigInt::from(10).pow(n),
    }
}

/// `dividend / divisor`, rounded half away from zero.
pub(crate) fn divide_rounded(dividend: &BigInt, divisor: &BigInt) -> BigInt {
    let (quotient, rest) = num_integer::Integer::div_rem(dividend, divisor);
    if (rest.abs() << 1_u32) >= divisor.abs() {
        let negative = (dividend.sign() == Sign::Minus) != (divisor.sign() == Sign::Minus);
        if negative { quotient - 1 } else { quotient + 1 }
    } else {
        quotient
    }
}

/// 22003 `value overflows numeric format`.
pub(crate) fn overflow() -> PgError {
    PgError::new(sqlstate::NUMERIC_VALUE_OUT_OF_RANGE, "value overflows numeric format")
}

/// 22012.
pub fn division_by_zero() -> PgError {
    PgError::new(sqlstate::DIVISION_BY_ZERO, "division by zero")
}

/// Decimal digits of `|value|`; 0 has none.
pub(crate) fn decimal_len(value: &BigInt) -> u32 {
    if value.is_zero() {
        return 0;
    }
    if let Some(small) = value.magnitude().to_u128() {
        return small.ilog10() + 1;
    }
    // At most one below the true length, because bits - 1 <= log2 < bits.
    let low = ((value.bits() - 1) as f64 * std::f64::consts::LOG10_2) as u32;
    let mut len = low.max(1);
    while *value.magnitude() >= *power_of_ten(len).magnitude() {
        len += 1;
    }
    len
}

impl Numeric {
    pub const ZERO: Numeric = Numeric::Small { digits: 0, scale: 0 };
    pub const ONE: Numeric = Numeric::Small { digits: 1, scale: 0 };

    /// The number `digits / 10^scale` in its canonical representation.
    pub fn from_digits(digits: BigInt, scale: u16) -> Self {
        match digits.to_i64() {
            Some(digits) => Numeric::Small { digits, scale },
            None => Numeric::Big(Arc::new(BigNumeric { digits, scale })),
        }
    }

    pub(crate) fn from_digits_128(digits: i128, scale: u16) -> Self {
        match i64::try_from(digits) {
            Ok(digits) => Numeric::Small { digits, scale },
            Err(_) => Numeric::from_digits(BigInt::from(digits), scale),
        }
    }

    /// As `from_digits`, after the checks that PostgreSQL's `make_result` and `numeric_mul` do: too long a fraction is
    /// rounded, too large a number is an error.
    pub(crate) fn checked(digits: BigInt, scale: i64) -> Result<Self> {
        let (digits, scale) = if scale > i64::from(SCALE_MAX) {
            let drop = u32::try_from(scale - i64::from(SCALE_MAX)).map_err(|_| overflow())?;
            (divide_rounded(&digits, &power_of_ten(drop)), SCALE_MAX)
        } else {
            (digits, scale.max(0) as u16)
        };
        // Cheap bound first: bits / 3.3 is at least the digits.
        if digits.bits() > 400_000 && i64::from(decimal_len(&digits)) - i64::from(scale) > WHOLE_DIGITS_MAX {
            return Err(overflow());
        }
        Ok(Numeric::from_digits(digits, scale))
    }

    /// Digits after the point that are shown; 0 for NaN and the infinities.
    pub fn scale(&self) -> u16 {
        match self {
            Numeric::Small { scale, .. } => *scale,
            Numeric::Big(big) => big.scale,
            _ => 0,
        }
    }

    pub fn is_nan(&self) -> bool {
        matches!(self, Numeric::NaN)
    }

    /// Neither NaN nor an infinity.
    pub fn is_finite(&self) -> bool {
        matches!(self, Numeric::Small { .. } | Numeric::Big(_))
    }

    pub fn is_zero(&self) -> bool {
        matches!(self, Numeric::Small { digits: 0, .. })
    }

    /// -1, 0 or 1; 0 for NaN.
    pub fn signum(&self) -> i32 {
        match self {
            Numeric::Small { digits, .. } => digits.signum() as i32,
            Numeric::Big(big) => {
                if big.digits.is_negative() {
                    -1
                } else {
                    1
                }
            }
            Numeric::NaN => 0,
            Numeric::PosInfinity => 1,
            Numeric::NegInfinity => -1,
        }
    }

    /// Digits and scale of a finite number.
    pub(crate) fn big_parts(&self) -> Option<(BigInt, u16)> {
        match self {
            Numeric::Small { digits, scale } => Some((BigInt::from(*digits), *scale)),
            Numeric::Big(big) => Some((big.digits.clone(), big.scale)),
            _ => None,
        }
    }

    /// Decimal digits of the unscaled number.
    pub(crate) fn digit_count(&self) -> u32 {
        match self {
            Numeric::Small { digits: 0, .. } => 0,
            Numeric::Small { digits, .. } => digits.unsigned_abs().ilog10() + 1,
            Numeric::Big(big) => decimal_len(&big.digits),
            _ => 0,
        }
    }

    /// Position of the first base-10000 digit (0: the one before the point), and the `count` (1 or 2) first digits in
    /// base 10000 as one number; `(0, 0)` for zero.
    pub(crate) fn weight_and_lead(&self, count: i64) -> (i64, i64) {
        if self.is_zero() || !self.is_finite() {
            return (0, 0);
        }
        let len = i64::from(self.digit_count());
        let weight = (len - 1 - i64::from(self.scale())).div_euclid(4);
        // value / 10000^(weight - count + 1), truncated: shift the unscaled digits by that many decimal places.
        let drop = i64::from(self.scale()) + 4 * (weight - count + 1);
        let lead = match self {
            Numeric::Small { digits, .. } => {
                let digits = i128::from(digits.unsigned_abs());
                let power = |n: i64| POWERS_128.get(n as usize).copied().unwrap_or(i128::MAX);
                if drop >= 0 {
                    digits / power(drop)
                } else {
                    digits * power(-drop)
                }
            }
            Numeric::Big(big) => {
                let digits = big.digits.abs();
                let lead = if drop >= 0 {
                    digits / power_of_ten(drop as u32)
                } else {
                    digits * power_of_ten(-drop as u32)
                };
                lead.to_i128().unwrap_or(0)
            }
            _ => 0,
        };
        (weight, lead as i64)
    }

    /// The same number with trailing zeros of the fraction removed: equal numbers get equal parts.
    pub fn normalized(&self) -> Self {
        match self {
            Numeric::Small { digits, scale } => {
                let (mut digits, mut scale) = (*digits, *scale);
                while scale > 0 && digits % 10 == 0 {
                    digits /= 10;
                    scale -= 1;
                }
                Numeric::Small { digits, scale }
            }
            Numeric::Big(big) => {
                let (mut digits, mut scale) = (big.digits.clone(), big.scale);
                while scale > 0 {
                    let (quotient, rest) = num_integer::Integer::div_rem(&digits, &BigInt::from(10));
                    if !rest.is_zero() {
                        break;
                    }
                    digits = quotient;
                    scale -= 1;
                }
                Numeric::from_digits(digits, scale)
            }
            other => other.clone(),
        }
    }
}

/// Order among the kinds: -Infinity, finite, Infinity, NaN.
fn kind_rank(value: &Numeric) -> u8 {
    match value {
        Numeric::NegInfinity => 0,
        Numeric::Small { .. } | Numeric::Big(_) => 1,
        Numeric::PosInfinity => 2,
        Numeric::NaN => 3,
    }
}

impl Ord for Numeric {
    fn cmp(&self, other: &Self) -> Ordering {
        if let (Numeric::Small { digits: a, scale: s }, Numeric::Small { digits: b, scale: t }) = (self, other) {
            if s == t {
                return a.cmp(b);
            }
            let (a, b) = (i128::from(*a), i128::from(*b));
            // 64 bits times 10^19 fit in 128.
            let power = |n: u16| (n <= 19).then(|| POWERS_128[usize::from(n)]);
            if s < t {
                if let Some(power) = power(t - s) {
                    return (a * power).cmp(&b);
                }
            } else if let Some(power) = power(s - t) {
                return a.cmp(&(b * power));
            }
        }
        match (self.big_parts(), other.big_parts()) {
            (Some((a, s)), Some((b, t))) => match s.cmp(&t) {
                Ordering::Equal => a.cmp(&b),
                Ordering::Less => (a * power_of_ten(u32::from(t - s))).cmp(&b),
                Ordering::Greater => a.cmp(&(b * power_of_ten(u32::from(s - t)))),
            },
            _ => kind_rank(self).cmp(&kind_rank(other)),
        }
    }
}

impl PartialOrd for Numeric {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Numeric {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Numeric {}

impl std::hash::Hash for Numeric {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        match self.normalized() {
            Numeric::Small { digits, scale } => {
                state.write_i64(digits);
                state.write_u16(scale);
            }
            Numeric::Big(big) => {
                big.digits.hash(state);
                state.write_u16(big.scale);
            }
            other => state.write_u8(kind_rank(&other)),
        }
    }
}

#[cfg(test)]
mod tests;
