//! `sqrt`, `exp`, `ln`, `log` and `power`, at the scales that `numeric.c` selects.
//!
//! Series run in binary fixed point with guard bits, so that results are correctly rounded but for cases nearer to a
//! tie than the guard can tell.

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::arith::clamp_scale;
use super::{
    DISPLAY_SCALE_MAX, Numeric, SIGNIFICANT_DIGITS_MIN, decimal_len, divide_rounded, division_by_zero, overflow, power_of_ten,
};
use crate::error::{PgError, Result, sqlstate};

/// `NUMERIC_MAX_RESULT_SCALE`.
const RESULT_SCALE_MAX: f64 = 2000.0;
/// `log10(e)`.
const LOG10_E: f64 = std::f64::consts::LOG10_E;
/// Bits past those asked for.
const GUARD_BITS: u64 = 64;

/// Bits that hold `digits` decimal digits after the point, with guard.
fn bits_for(digits: i64) -> u64 {
    (digits.max(0) as u64) * 3322 / 1000 + GUARD_BITS
}

fn log_domain(value: &Numeric) -> Result<()> {
    let message = match value.signum() {
        0 => "cannot take logarithm of zero",
        -1 => "cannot take logarithm of a negative number",
        _ => return Ok(()),
    };
    Err(PgError::new(sqlstate::INVALID_ARGUMENT_FOR_LOG, message))
}

/// `atanh(1 / n)` with `bits` fraction bits.
fn atanh_inverse(n: u32, bits: u64) -> BigInt {
    let square = BigInt::from(n) * n;
    let mut term = (BigInt::one() << bits) / n;
    let mut sum = term.clone();
    let mut k = 3_u32;
    while !term.is_zero() {
        term /= &square;
        sum += &term / k;
        k += 2;
    }
    sum
}

fn ln_2(bits: u64) -> BigInt {
    atanh_inverse(26, bits) * 18 - atanh_inverse(4801, bits) * 2 + atanh_inverse(8749, bits) * 8
}

fn ln_10(bits: u64) -> BigInt {
    atanh_inverse(31, bits) * 46 + atanh_inverse(49, bits) * 34 + atanh_inverse(161, bits) * 20
}

/// `ln(digits / 10^scale)` with `bits` fraction bits; the argument is positive.
fn ln_fixed(digits: &BigInt, scale: u16, bits: u64) -> BigInt {
    let divisor = power_of_ten(u32::from(scale));
    // x = m * 2^e with m near 1; e = 0 for x in [3/4, 3/2), where no cancellation is allowed.
    let mut e = digits.bits() as i64 - divisor.bits() as i64;
    let mantissa = |e: i64| {
        let shift = bits as i64 - e;
        if shift >= 0 {
            (digits << (shift as u64)) / &divisor
        } else {
            digits / (&divisor << (-shift as u64))
        }
    };
    let one = BigInt::one() << bits;
    let three = BigInt::from(3) << bits;
    let mut m = mantissa(e);
    while (&m << 1_u32) >= three {
        e += 1;
        m = mantissa(e);
    }
    while (&m << 2_u32) < three {
        e -= 1;
        m = mantissa(e);
    }
    // ln m = 2 atanh((m - 1) / (m + 1)).
    let z = ((&m - &one) << bits) / (&m + &one);
    let square = (&z * &z) >> bits;
    let mut term = z.clone();
    let mut sum = z;
    let mut k = 3_u32;
    while !term.is_zero() && term != BigInt::from(-1) {
        term = (term * &square) >> bits;
        sum += &term / k;
        k += 2;
    }
    (sum << 1_u32) + ln_2(bits) * e
}

/// `exp(x)` for `x` with `bits` fraction bits, as `(mantissa with bits fraction bits, power of ten)`.
fn exp_fixed(x: &BigInt, bits: u64) -> (BigInt, i64) {
    const HALVINGS: u32 = 8;
    let ln_10 = ln_10(bits);
    let power = divide_rounded(x, &ln_10);
    let rest = (x - &power * &ln_10) >> HALVINGS;
    let one = BigInt::one() << bits;
    let mut term = one.clone();
    let mut sum = one;
    let mut k = 1_u32;
    loop {
        term = ((term * &rest) >> bits) / k;
        if term.is_zero() || term == BigInt::from(-1) {
            break;
        }
        sum += &term;
        k += 1;
    }
    for _ in 0..HALVINGS {
        sum = (&sum * &sum) >> bits;
    }
    (sum, power.to_i64().unwrap_or(0))
}

/// Rounds `value * 10^power`, `value` with `bits` fraction bits, to `scale` decimal digits.
fn to_decimal(value: &BigInt, bits: u64, power: i64, scale: i64) -> Result<Numeric> {
    let shift = power + scale;
    let one = BigInt::one() << bits;
    let digits = if shift >= 0 {
        let shift = u32::try_from(shift).map_err(|_| overflow())?;
        divide_rounded(&(value * power_of_ten(shift)), &one)
    } else {
        divide_rounded(value, &(one * power_of_ten(u32::try_from(-shift).map_err(|_| overflow())?)))
    };
    Numeric::checked(digits, scale)
}

/// `digits / 10^scale` with `bits` fraction bits.
fn to_fixed(digits: &BigInt, scale: u16, bits: u64) -> BigInt {
    (digits << bits) / power_of_ten(u32::from(scale))
}

/// `estimate_ln_dweight`: about the decimal position of the first digit of `ln(value)`.
fn ln_weight(value: &Numeric) -> i64 {
    if value.signum() <= 0 {
        return 0;
    }
    let point_nine = Numeric::Small { digits: 9, scale: 1 };
    let one_point_one = Numeric::Small { digits: 11, scale: 1 };
    if *value >= point_nine && *value <= one_point_one {
        let Ok(distance) = value.sub(&Numeric::ONE) else { return 0 };
        if distance.is_zero() {
            return 0;
        }
        let (weight, lead) = distance.weight_and_lead(1);
        return weight * 4 + (lead as f64).log10() as i64;
    }
    let (weight, lead) = value.weight_and_lead(2);
    let ln = (lead as f64).ln() + (weight - 1) as f64 * 4.0 * std::f64::consts::LN_10;
    ln.abs().log10() as i64
}

impl Numeric {
    pub fn sqrt(&self) -> Result<Numeric> {
        match self {
            Numeric::NaN | Numeric::PosInfinity => return Ok(self.clone()),
            _ if self.signum() < 0 => {
                return Err(PgError::new(
                    sqlstate::INVALID_ARGUMENT_FOR_POWER_FUNCTION,
                    "cannot take square root of a negative number",
                ));
            }
            _ => {}
        }
        let (weight, _) = self.weight_and_lead(1);
        let result_weight = (weight + 1) * 4 / 2 - 1;
        let scale = clamp_scale(SIGNIFICANT_DIGITS_MIN - result_weight, &[self]);
        let (digits, from) = self.big_parts().unwrap_or_default();
        let scaled = digits * power_of_ten((2 * scale - i64::from(from)).max(0) as u32);
        let mut root = scaled.sqrt();
        if scaled - &root * &root > root {
            root += 1;
        }
        Numeric::checked(root, scale)
    }

    pub fn exp(&self) -> Result<Numeric> {
        match self {
            Numeric::NaN | Numeric::PosInfinity => return Ok(self.clone()),
            Numeric::NegInfinity => return Ok(Numeric::ZERO),
            _ => {}
        }
        let weight = (self.to_f64_lossy() * LOG10_E).clamp(-RESULT_SCALE_MAX, RESULT_SCALE_MAX) as i64;
        let scale = clamp_scale(SIGNIFICANT_DIGITS_MIN - weight, &[self]);
        self.exp_to_scale(scale)
    }

    fn exp_to_scale(&self, scale: i64) -> Result<Numeric> {
        let near = self.to_f64_lossy();
        if near.abs() >= RESULT_SCALE_MAX * 3.0 {
            return if near > 0.0 {
                Err(overflow())
            } else {
                Ok(Numeric::Small {
                    digits: 0,
                    scale: scale as u16,
                })
            };
        }
        let weight = (near * LOG10_E) as i64;
        let (digits, from) = self.big_parts().unwrap_or_default();
        // The reduction by ln 10 and the squarings cost a few digits.
        let bits = bits_for(scale + weight.max(0) + 12);
        let (value, power) = exp_fixed(&to_fixed(&digits, from, bits), bits);
        to_decimal(&value, bits, power, scale)
    }

    pub fn ln(&self) -> Result<Numeric> {
        match self {
            Numeric::NaN | Numeric::PosInfinity => return Ok(self.clone()),
            _ => log_domain(self)?,
        }
        let scale = clamp_scale(SIGNIFICANT_DIGITS_MIN - ln_weight(self), &[self]);
        self.ln_to_scale(scale)
    }

    fn ln_to_scale(&self, scale: i64) -> Result<Numeric> {
        let (digits, from) = self.big_parts().unwrap_or_default();
        let bits = bits_for(scale + 10);
        to_decimal(&ln_fixed(&digits, from, bits), bits, 0, scale)
    }

    /// `log(self)` to base 10.
    pub fn log10(&self) -> Result<Numeric> {
        Numeric::from(10).log(self)
    }

    /// `log(base, number)`; `self` is the base.
    pub fn log(&self, number: &Numeric) -> Result<Numeric> {
        let base = self;
        if base.is_nan() || number.is_nan() {
            return Ok(Numeric::NaN);
        }
        log_domain(base)?;
        log_domain(number)?;
        match (base.is_finite(), number.is_finite()) {
            (false, false) => return Ok(Numeric::NaN),
            (false, true) => return Ok(Numeric::ZERO),
            (true, false) => return Ok(Numeric::PosInfinity),
            (true, true) => {}
        }
        let (base_weight, number_weight) = (ln_weight(base), ln_weight(number));
        let weight = number_weight - base_weight;
        let scale = clamp_scale(SIGNIFICANT_DIGITS_MIN - weight, &[base, number]);
        let ln_base = base.ln_to_scale((scale + weight - base_weight + 8).max(0))?;
        let ln_number = number.ln_to_scale((scale + weight - number_weight + 8).max(0))?;
        if ln_base.is_zero() {
            return Err(division_by_zero());
        }
        ln_number.div_to_scale(&ln_base, scale)
    }

    /// `power(self, exponent)`.
    pub fn power(&self, exponent: &Numeric) -> Result<Numeric> {
        if let Some(special) = power_special(self, exponent)? {
            return Ok(special);
        }
        if let Some(whole) = exponent.as_whole()
            && let Some(n) = whole.to_i32()
        {
            let scale = clamp_scale(SIGNIFICANT_DIGITS_MIN, &[self]);
            return power_whole(self, n, scale);
        }
        if self.is_zero() {
            return Ok(Numeric::Small {
                digits: 0,
                scale: SIGNIFICANT_DIGITS_MIN as u16,
            });
        }
        let negative = self.signum() < 0 && exponent.as_whole().is_some_and(|whole| whole.bit(0));
        let result = power_real(&self.abs(), exponent)?;
        Ok(if negative { result.neg() } else { result })
    }

    /// The unscaled whole number, where there is no fraction.
    fn as_whole(&self) -> Option<BigInt> {
        match self.normalized() {
            Numeric::Small { digits, scale: 0 } => Some(BigInt::from(digits)),
            Numeric::Big(big) if big.scale == 0 => Some(big.digits.clone()),
            _ => None,
        }
    }
}

/// Domain errors, NaN and infinities.
fn power_special(base: &Numeric, exponent: &Numeric) -> Result<Option<Numeric>> {
    let one = Numeric::ONE;
    if base.is_nan() || exponent.is_nan() {
        // As POSIX: NaN ^ 0 = 1 and 1 ^ NaN = 1.
        let is_one = (base.is_nan() && exponent.is_zero()) || (exponent.is_nan() && *base == one);
        return Ok(Some(if is_one { one } else { Numeric::NaN }));
    }
    if base.is_zero() && exponent.signum() < 0 {
        return Err(PgError::new(
            sqlstate::INVALID_ARGUMENT_FOR_POWER_FUNCTION,
            "zero raised to a negative power is undefined",
        ));
    }
    if base.signum() < 0 && exponent.is_finite() && exponent.as_whole().is_none() {
        return Err(PgError::new(
            sqlstate::INVALID_ARGUMENT_FOR_POWER_FUNCTION,
            "a negative number raised to a non-integer power yields a complex result",
        ));
    }
    if base.is_finite() && exponent.is_finite() {
        return Ok(None);
    }
    if *base == one || exponent.is_zero() {
        return Ok(Some(one));
    }
    if base.is_zero() {
        return Ok(Some(Numeric::ZERO));
    }
    if !exponent.is_finite() {
        let magnitude = base.abs().cmp(&one);
        return Ok(Some(if magnitude.is_eq() {
            one
        } else if magnitude.is_gt() == (exponent.signum() > 0) {
            Numeric::PosInfinity
        } else {
            Numeric::ZERO
        }));
    }
    if exponent.signum() < 0 {
        return Ok(Some(Numeric::ZERO));
    }
    let odd = exponent.as_whole().is_some_and(|whole| whole.bit(0));
    Ok(Some(if base.signum() < 0 && odd {
        Numeric::NegInfinity
    } else {
        Numeric::PosInfinity
    }))
}

/// A whole exponent: `power_var_int`.
fn power_whole(base: &Numeric, exponent: i32, scale: i64) -> Result<Numeric> {
    let zero = Numeric::Small {
        digits: 0,
        scale: scale as u16,
    };
    match exponent {
        0 => return Ok(Numeric::ONE.round(scale as i32)),
        1 => return Ok(base.round(scale as i32)),
        _ if base.is_zero() => return if exponent < 0 { Err(division_by_zero()) } else { Ok(zero) },
        -1 => return Numeric::ONE.div_to_scale(base, scale),
        2 => return Ok(base.mul(base)?.round(scale as i32)),
        _ => {}
    }
    let (weight, lead) = base.weight_and_lead(2);
    let magnitude = f64::from(exponent) * ((lead as f64).log10() + 4.0 * (weight - 1) as f64);
    if magnitude > 3.0 * 32767.0 * 4.0 {
        return Err(overflow());
    }
    if magnitude + 1.0 < -(scale as f64) || magnitude + 1.0 < -(DISPLAY_SCALE_MAX as f64) {
        return Ok(zero);
    }
    let keep = (1 + scale + magnitude as i64).max(1) + f64::from(exponent).abs().ln() as i64 + 16;
    let (digits, from) = base.big_parts().unwrap_or_default();
    let (mantissa, power) = power_float(&digits, -i64::from(from), exponent.unsigned_abs(), keep as u32);
    round_float(&mantissa, power, exponent < 0, keep, scale)
}

/// `digits * 10^power` to the `n`th, mantissas cut to `keep` digits.
fn power_float(digits: &BigInt, power: i64, n: u32, keep: u32) -> (BigInt, i64) {
    let cut = |mantissa: BigInt, power: i64| {
        let len = decimal_len(&mantissa);
        if len <= keep {
            return (mantissa, power);
        }
        (
            divide_rounded(&mantissa, &power_of_ten(len - keep)),
            power + i64::from(len - keep),
        )
    };
    let mut result = (BigInt::one(), 0_i64);
    let mut square = cut(digits.clone(), power);
    let mut rest = n;
    while rest > 0 {
        if rest & 1 == 1 {
            result = cut(&result.0 * &square.0, result.1 + square.1);
        }
        rest >>= 1;
        if rest > 0 {
            square = cut(&square.0 * &square.0, square.1 * 2);
        }
    }
    result
}

/// `mantissa * 10^power`, or its inverse, rounded to `scale`.
fn round_float(mantissa: &BigInt, power: i64, inverse: bool, keep: i64, scale: i64) -> Result<Numeric> {
    let (mantissa, power) = if inverse {
        let digits = i64::from(decimal_len(mantissa)) + keep;
        (divide_rounded(&power_of_ten(digits as u32), mantissa), -power - digits)
    } else {
        (mantissa.clone(), power)
    };
    let shift = power + scale;
    if power > super::WHOLE_DIGITS_MAX {
        return Err(overflow());
    }
    let digits = if shift >= 0 {
        mantissa * power_of_ten(shift as u32)
    } else {
        divide_rounded(&mantissa, &power_of_ten(-shift as u32))
    };
    Numeric::checked(digits, scale)
}

/// Any exponent, positive base: `exp(exponent * ln(base))`.
fn power_real(base: &Numeric, exponent: &Numeric) -> Result<Numeric> {
    let weight_of_ln = ln_weight(base);
    let first = (8 - weight_of_ln).clamp(0, DISPLAY_SCALE_MAX);
    let estimate = base.ln_to_scale(first)?.mul(exponent)?.to_f64_lossy();
    if estimate.abs() > RESULT_SCALE_MAX * 3.01 {
        return if estimate > 0.0 {
            Err(overflow())
        } else {
            Ok(Numeric::Small {
                digits: 0,
                scale: DISPLAY_SCALE_MAX as u16,
            })
        };
    }
    let weight = (estimate * LOG10_E) as i64;
    let scale = clamp_scale(SIGNIFICANT_DIGITS_MIN - weight, &[base, exponent]);
    let ln_scale = ((scale + weight).max(0) - weight_of_ln + 8).max(0) + i64::from(exponent.digit_count());
    let product = base.ln_to_scale(ln_scale)?.mul(exponent)?;
    let (digits, from) = product.abs().big_parts().unwrap_or_default();
    let product = Numeric::from_digits(if product.signum() < 0 { -digits } else { digits }, from);
    product.exp_to_scale(scale)
}

/// `factorial(n)`.
pub fn factorial(n: i64) -> Result<Numeric> {
    if n < 0 {
        return Err(PgError::new(
            sqlstate::NUMERIC_VALUE_OUT_OF_RANGE,
            "factorial of a negative number is undefined",
        ));
    }
    if n > 32_177 {
        return Err(overflow());
    }
    let product = (2..=n).fold(BigInt::one(), |product, factor| product * factor);
    Ok(Numeric::from_digits(product.abs(), 0))
}
