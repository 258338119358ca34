//! `numeric`: arbitrary precision, NaN and the infinities.

use std::sync::Arc;

use num_bigint::BigInt;

/// An exact decimal number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Numeric {
    /// `digits / 10^scale`, printed with `scale` digits after the point; small ones without allocation.
    Small {
        digits: i64,
        scale: u16,
    },
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
