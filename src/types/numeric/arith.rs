//! Exact arithmetic, rounding, and PostgreSQL's choice of scales.

use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use super::{
    DISPLAY_SCALE_MAX, Numeric, POWERS, POWERS_128, SIGNIFICANT_DIGITS_MIN, divide_rounded, division_by_zero, power_of_ten,
};
use crate::error::Result;

/// Largest scale that `round` and `trunc` take (`NUMERIC_MAX_RESULT_SCALE`).
const RESULT_SCALE_MAX: i32 = 2000;

/// How digits past the scale are dropped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Drop {
    /// Half away from zero.
    Round,
    Truncate,
}

impl Numeric {
    pub fn add(&self, other: &Numeric) -> Result<Numeric> {
        if let (Numeric::Small { digits: a, scale: s }, Numeric::Small { digits: b, scale: t }) = (self, other)
            && let Some(sum) = add_small(*a, *s, *b, *t)
        {
            return Ok(sum);
        }
        match (self, other) {
            (Numeric::NaN, _) | (_, Numeric::NaN) => Ok(Numeric::NaN),
            (Numeric::PosInfinity, Numeric::NegInfinity) | (Numeric::NegInfinity, Numeric::PosInfinity) => Ok(Numeric::NaN),
            _ => match (self.big_parts(), other.big_parts()) {
                (Some((a, s)), Some((b, t))) => {
                    let scale = s.max(t);
                    let sum = a * power_of_ten(u32::from(scale - s)) + b * power_of_ten(u32::from(scale - t));
                    Numeric::checked(sum, i64::from(scale))
                }
                (None, _) => Ok(self.clone()),
                (_, None) => Ok(other.clone()),
            },
        }
    }

    pub fn sub(&self, other: &Numeric) -> Result<Numeric> {
        self.add(&other.neg())
    }

    pub fn mul(&self, other: &Numeric) -> Result<Numeric> {
        if let (Numeric::Small { digits: a, scale: s }, Numeric::Small { digits: b, scale: t }) = (self, other)
            && *s + *t <= super::SCALE_MAX
        {
            return Ok(Numeric::from_digits_128(i128::from(*a) * i128::from(*b), s + t));
        }
        if self.is_nan() || other.is_nan() {
            return Ok(Numeric::NaN);
        }
        match (self.big_parts(), other.big_parts()) {
            (Some((a, s)), Some((b, t))) => Numeric::checked(a * b, i64::from(s) + i64::from(t)),
            _ => Ok(infinity_or_nan(self.signum() * other.signum())),
        }
    }

    /// Rounded to the scale that PostgreSQL selects: at least 16 significant digits and both inputs' scales.
    pub fn div(&self, other: &Numeric) -> Result<Numeric> {
        if let Some(special) = self.div_special(other)? {
            return Ok(special);
        }
        let scale = div_scale(self, other);
        self.div_to_scale(other, scale)
    }

    /// `div()`: the quotient truncated to a whole number.
    pub fn div_trunc(&self, other: &Numeric) -> Result<Numeric> {
        if let Some(special) = self.div_special(other)? {
            return Ok(special);
        }
        self.quotient(other)
    }

    /// Results with NaN, an infinity or a zero divisor.
    fn div_special(&self, other: &Numeric) -> Result<Option<Numeric>> {
        if self.is_nan() || other.is_nan() {
            return Ok(Some(Numeric::NaN));
        }
        if other.is_zero() {
            return Err(division_by_zero());
        }
        match (self.is_finite(), other.is_finite()) {
            (false, false) => Ok(Some(Numeric::NaN)),
            (false, true) => Ok(Some(infinity_or_nan(self.signum() * other.signum()))),
            (true, false) => Ok(Some(Numeric::ZERO)),
            (true, true) => Ok(None),
        }
    }

    /// Finite operands only: the quotient rounded to `scale` digits.
    pub(crate) fn div_to_scale(&self, other: &Numeric, scale: i64) -> Result<Numeric> {
        let shift = scale + i64::from(other.scale()) - i64::from(self.scale());
        if let (Numeric::Small { digits: a, .. }, Numeric::Small { digits: b, .. }) = (self, other)
            && let Some(quotient) = div_small(*a, *b, shift)
        {
            return Ok(Numeric::from_digits_128(quotient, scale as u16));
        }
        let (Some((a, _)), Some((b, _))) = (self.big_parts(), other.big_parts()) else {
            return Ok(Numeric::NaN);
        };
        if b.is_zero() {
            return Err(division_by_zero());
        }
        let quotient = if shift >= 0 {
            divide_rounded(&(a * power_of_ten(shift as u32)), &b)
        } else {
            divide_rounded(&a, &(b * power_of_ten(-shift as u32)))
        };
        Numeric::checked(quotient, scale)
    }

    fn quotient(&self, other: &Numeric) -> Result<Numeric> {
        let (Some((a, s)), Some((b, t))) = (self.big_parts(), other.big_parts()) else {
            return Ok(Numeric::NaN);
        };
        let scale = s.max(t);
        let quotient = (a * power_of_ten(u32::from(scale - s))) / (b * power_of_ten(u32::from(scale - t)));
        Numeric::checked(quotient, 0)
    }

    /// `%`: the sign is the dividend's.
    pub fn rem(&self, other: &Numeric) -> Result<Numeric> {
        if self.is_nan() || other.is_nan() {
            return Ok(Numeric::NaN);
        }
        if !self.is_finite() {
            return if other.is_zero() {
                Err(division_by_zero())
            } else {
                Ok(Numeric::NaN)
            };
        }
        if !other.is_finite() {
            return Ok(self.clone());
        }
        if other.is_zero() {
            return Err(division_by_zero());
        }
        let (Some((a, s)), Some((b, t))) = (self.big_parts(), other.big_parts()) else {
            return Ok(Numeric::NaN);
        };
        let scale = s.max(t);
        let rest = (a * power_of_ten(u32::from(scale - s))) % (b * power_of_ten(u32::from(scale - t)));
        Ok(Numeric::from_digits(rest, scale))
    }

    pub fn neg(&self) -> Numeric {
        match self {
            Numeric::Small { digits, scale } => match digits.checked_neg() {
                Some(digits) => Numeric::Small { digits, scale: *scale },
                None => Numeric::from_digits(-BigInt::from(*digits), *scale),
            },
            Numeric::Big(big) => Numeric::from_digits(-&big.digits, big.scale),
            Numeric::NaN => Numeric::NaN,
            Numeric::PosInfinity => Numeric::NegInfinity,
            Numeric::NegInfinity => Numeric::PosInfinity,
        }
    }

    pub fn abs(&self) -> Numeric {
        if self.signum() < 0 { self.neg() } else { self.clone() }
    }

    /// `sign()`.
    pub fn sign(&self) -> Numeric {
        if self.is_nan() {
            return Numeric::NaN;
        }
        Numeric::from(self.signum())
    }

    /// `round(n, scale)`: half away from zero; a negative scale rounds before the point.
    pub fn round(&self, scale: i32) -> Numeric {
        self.drop_digits(scale.clamp(-RESULT_SCALE_MAX, RESULT_SCALE_MAX), Drop::Round)
    }

    /// `trunc(n, scale)`.
    pub fn trunc(&self, scale: i32) -> Numeric {
        self.drop_digits(scale.clamp(-RESULT_SCALE_MAX, RESULT_SCALE_MAX), Drop::Truncate)
    }

    fn drop_digits(&self, scale: i32, how: Drop) -> Numeric {
        if let Numeric::Small { digits, scale: from } = self
            && let Some(result) = drop_small(*digits, i32::from(*from), scale, how)
        {
            return result;
        }
        let Some((digits, from)) = self.big_parts() else {
            return self.clone();
        };
        let from = i32::from(from);
        if scale >= from {
            return Numeric::from_digits(digits * power_of_ten((scale - from) as u32), scale as u16);
        }
        let divisor = power_of_ten((from - scale) as u32);
        let kept = match how {
            Drop::Round => divide_rounded(&digits, &divisor),
            Drop::Truncate => digits / divisor,
        };
        if scale >= 0 {
            Numeric::from_digits(kept, scale as u16)
        } else {
            Numeric::from_digits(kept * power_of_ten(-scale as u32), 0)
        }
    }

    pub fn floor(&self) -> Result<Numeric> {
        let whole = self.trunc(0);
        if whole > *self { whole.sub(&Numeric::ONE) } else { Ok(whole) }
    }

    pub fn ceil(&self) -> Result<Numeric> {
        let whole = self.trunc(0);
        if whole < *self { whole.add(&Numeric::ONE) } else { Ok(whole) }
    }

    /// `min_scale()`: the digits after the point that are needed.
    pub fn min_scale(&self) -> u16 {
        self.normalized().scale()
    }

    /// Greatest common divisor of the absolute values, with the larger scale.
    pub fn gcd(&self, other: &Numeric) -> Result<Numeric> {
        let (Some((a, s)), Some((b, t))) = (self.big_parts(), other.big_parts()) else {
            return Ok(Numeric::NaN);
        };
        let scale = s.max(t);
        let a = a * power_of_ten(u32::from(scale - s));
        let b = b * power_of_ten(u32::from(scale - t));
        Numeric::checked(num_integer::Integer::gcd(&a, &b), i64::from(scale))
    }

    /// Least common multiple.
    pub fn lcm(&self, other: &Numeric) -> Result<Numeric> {
        let (Some((a, s)), Some((b, t))) = (self.big_parts(), other.big_parts()) else {
            return Ok(Numeric::NaN);
        };
        let scale = s.max(t);
        let a = a * power_of_ten(u32::from(scale - s));
        let b = b * power_of_ten(u32::from(scale - t));
        Numeric::checked(num_integer::Integer::lcm(&a, &b).abs(), i64::from(scale))
    }
}

/// The infinity of a sign; NaN for 0.
fn infinity_or_nan(sign: i32) -> Numeric {
    match sign {
        1 => Numeric::PosInfinity,
        -1 => Numeric::NegInfinity,
        _ => Numeric::NaN,
    }
}

fn add_small(a: i64, s: u16, b: i64, t: u16) -> Option<Numeric> {
    if s == t {
        return match a.checked_add(b) {
            Some(digits) => Some(Numeric::Small { digits, scale: s }),
            None => Some(Numeric::from_digits_128(i128::from(a) + i128::from(b), s)),
        };
    }
    let (low, high) = (s.min(t), s.max(t));
    let power = *POWERS.get(usize::from(high - low))?;
    let (a, b) = if s < t {
        (i128::from(a) * i128::from(power), i128::from(b))
    } else {
        (i128::from(a), i128::from(b) * i128::from(power))
    };
    Some(Numeric::from_digits_128(a + b, high))
}

/// `a * 10^shift / b` rounded, where 128 bits do.
fn div_small(a: i64, b: i64, shift: i64) -> Option<i128> {
    let (dividend, divisor) = if shift >= 0 {
        let power = POWERS_128.get(usize::try_from(shift).ok()?)?;
        (i128::from(a).checked_mul(*power)?, i128::from(b))
    } else {
        let power = POWERS_128.get(usize::try_from(-shift).ok()?)?;
        (i128::from(a), i128::from(b).checked_mul(*power)?)
    };
    let quotient = dividend.checked_div(divisor)?;
    let rest = (dividend % divisor).unsigned_abs();
    if rest >= divisor.unsigned_abs() - rest {
        Some(quotient + if (dividend < 0) == (divisor < 0) { 1 } else { -1 })
    } else {
        Some(quotient)
    }
}

fn drop_small(digits: i64, from: i32, scale: i32, how: Drop) -> Option<Numeric> {
    if scale >= from {
        let power = *POWERS.get((scale - from) as usize)?;
        let digits = digits.checked_mul(power)?;
        return Some(Numeric::Small {
            digits,
            scale: scale as u16,
        });
    }
    let divisor = i128::from(*POWERS.get((from - scale) as usize)?);
    let wide = i128::from(digits);
    let mut kept = wide / divisor;
    if how == Drop::Round && (wide % divisor).unsigned_abs() * 2 >= divisor.unsigned_abs() {
        kept += wide.signum();
    }
    if scale >= 0 {
        return Some(Numeric::from_digits_128(kept, scale as u16));
    }
    let power = POWERS_128.get(scale.unsigned_abs() as usize)?;
    Some(Numeric::from_digits_128(kept.checked_mul(*power)?, 0))
}

/// `select_div_scale` of `numeric.c`.
pub(crate) fn div_scale(dividend: &Numeric, divisor: &Numeric) -> i64 {
    let (weight_a, first_a) = dividend.weight_and_lead(1);
    let (weight_b, first_b) = divisor.weight_and_lead(1);
    let mut weight = weight_a - weight_b;
    if first_a <= first_b {
        weight -= 1;
    }
    clamp_scale(SIGNIFICANT_DIGITS_MIN - weight * 4, &[dividend, divisor])
}

/// At least the inputs' scales and 0, at most the largest that is shown.
pub(crate) fn clamp_scale(scale: i64, inputs: &[&Numeric]) -> i64 {
    inputs
        .iter()
        .fold(scale.max(0), |scale, input| scale.max(i64::from(input.scale())))
        .min(DISPLAY_SCALE_MAX)
}
