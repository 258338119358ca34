//! Binary form: `ndigits, weight, sign, dscale`, then digits in base 10000, all 16 bits.

use num_bigint::{BigInt, BigUint};
use num_traits::Zero;

use super::{Numeric, SCALE_MAX, power_of_ten};
use crate::error::{PgError, Result, sqlstate};

const NEGATIVE: u16 = 0x4000;
const NAN: u16 = 0xc000;
const POSITIVE_INFINITY: u16 = 0xd000;
const NEGATIVE_INFINITY: u16 = 0xf000;

fn invalid(message: &str) -> PgError {
    PgError::new(sqlstate::INVALID_BINARY_REPRESENTATION, message)
}

impl Numeric {
    /// Appends the binary form.
    pub fn write_binary(&self, out: &mut Vec<u8>) {
        let sign = match self {
            Numeric::NaN => NAN,
            Numeric::PosInfinity => POSITIVE_INFINITY,
            Numeric::NegInfinity => NEGATIVE_INFINITY,
            _ if self.signum() < 0 => NEGATIVE,
            _ => 0,
        };
        let (digits, weight) = self.base_10000();
        out.extend_from_slice(&(digits.len() as u16).to_be_bytes());
        out.extend_from_slice(&weight.to_be_bytes());
        out.extend_from_slice(&sign.to_be_bytes());
        out.extend_from_slice(&self.scale().to_be_bytes());
        for digit in digits {
            out.extend_from_slice(&digit.to_be_bytes());
        }
    }

    /// Digits in base 10000, first first, without zeros at either end, and the position of the first.
    fn base_10000(&self) -> (Vec<u16>, i16) {
        if self.is_zero() || !self.is_finite() {
            return (Vec::new(), 0);
        }
        // Whole groups of four after the point.
        let groups = i64::from(self.scale().div_ceil(4));
        let pad = (groups * 4 - i64::from(self.scale())) as u32;
        let mut digits = Vec::new();
        match self {
            Numeric::Small { digits: value, .. } if pad <= 3 => {
                let mut rest = u128::from(value.unsigned_abs()) * 10_u128.pow(pad);
                while rest > 0 {
                    digits.push((rest % 10_000) as u16);
                    rest /= 10_000;
                }
            }
            _ => {
                let (value, _) = self.big_parts().unwrap_or_default();
                let text = (value * power_of_ten(pad)).magnitude().to_string();
                let bytes = text.as_bytes();
                for chunk in bytes.rchunks(4) {
                    digits.push(chunk.iter().fold(0, |n, byte| n * 10 + u16::from(byte - b'0')));
                }
            }
        }
        let weight = digits.len() as i64 - 1 - groups;
        let low_zeros = digits.iter().take_while(|digit| **digit == 0).count();
        digits.drain(..low_zeros);
        digits.reverse();
        (digits, weight as i16)
    }

    /// Reads the binary form.
    pub fn read_binary(bytes: &[u8]) -> Result<Numeric> {
        let word = |at: usize| -> Result<u16> {
            bytes
                .get(at * 2..at * 2 + 2)
                .map(|pair| u16::from_be_bytes([pair[0], pair[1]]))
                .ok_or_else(|| PgError::new(sqlstate::PROTOCOL_VIOLATION, "insufficient data left in message"))
        };
        let count = usize::from(word(0)?);
        let weight = i64::from(word(1)? as i16);
        let sign = word(2)?;
        let scale = word(3)?;
        match sign {
            NAN => return Ok(Numeric::NaN),
            POSITIVE_INFINITY => return Ok(Numeric::PosInfinity),
            NEGATIVE_INFINITY => return Ok(Numeric::NegInfinity),
            0 | NEGATIVE => {}
            _ => return Err(invalid("invalid sign in external \"numeric\" value")),
        }
        if scale > SCALE_MAX {
            return Err(invalid("invalid scale in external \"numeric\" value"));
        }
        let mut ascii = Vec::with_capacity(count * 4);
        for at in 0..count {
            let digit = word(4 + at)?;
            if digit >= 10_000 {
                return Err(invalid("invalid digit in external \"numeric\" value"));
            }
            ascii.extend_from_slice(format!("{digit:04}").as_bytes());
        }
        if bytes.len() != 8 + count * 2 {
            return Err(invalid("incorrect binary data format"));
        }
        let magnitude = BigUint::parse_bytes(&ascii, 10).unwrap_or_default();
        if magnitude.is_zero() {
            return Ok(Numeric::Small { digits: 0, scale });
        }
        // value = magnitude * 10000^(weight - count + 1); wanted: value * 10^scale, truncated.
        let shift = 4 * (weight - count as i64 + 1) + i64::from(scale);
        let magnitude = BigInt::from(magnitude);
        let unscaled = if shift >= 0 {
            magnitude * power_of_ten(shift as u32)
        } else {
            magnitude / power_of_ten(-shift as u32)
        };
        Numeric::checked(if sign == NEGATIVE { -unscaled } else { unscaled }, i64::from(scale))
    }
}
