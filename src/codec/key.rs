//! Order-preserving keys.
//!
//! Each column is a marker (null, or not) and the value's bytes, inverted for a descending column. The marker follows
//! NULLS FIRST or LAST whatever the direction. Every value's bytes end themselves, so that no key of one index is a
//! prefix of another one.

use num_bigint::BigInt;

use crate::error::{PgError, Result};
use crate::ids::Oid;
use crate::types::json::Json;
use crate::types::numeric::Numeric;
use crate::types::oid::BPCHAR;
use crate::types::{Array, Interval, Value};

/// Direction of one column of an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyOrder {
    pub desc: bool,
    pub nulls_first: bool,
}

const NULL_FIRST: u8 = 0;
const NOT_NULL: u8 = 1;
const NULL_LAST: u8 = 2;

/// Appends one column's value.
///
/// # Errors
/// 0A000 for values that have no order.
pub fn encode(ty: Oid, value: &Value, order: KeyOrder, out: &mut Vec<u8>) -> Result<()> {
    if value.is_null() {
        out.push(null_marker(order));
        return Ok(());
    }
    out.push(NOT_NULL);
    let start = out.len();
    encode_value(ty, value, out)?;
    if order.desc {
        out[start..].iter_mut().for_each(|byte| *byte = !*byte);
    }
    Ok(())
}

/// The marker of a null in a column: all of its nulls' bytes.
pub fn null_marker(order: KeyOrder) -> u8 {
    if order.nulls_first { NULL_FIRST } else { NULL_LAST }
}

/// The marker that every value but null begins with.
pub fn value_marker() -> u8 {
    NOT_NULL
}

fn encode_value(ty: Oid, value: &Value, out: &mut Vec<u8>) -> Result<()> {
    match value {
        Value::Bool(v) => out.push(u8::from(*v)),
        Value::Int2(v) => out.extend_from_slice(&(v.cast_unsigned() ^ (1 << 15)).to_be_bytes()),
        Value::Int4(v) => signed32(*v, out),
        Value::Int8(v) => signed64(*v, out),
        Value::Float4(v) => float(f64::from(*v), out),
        Value::Float8(v) => float(*v, out),
        Value::Numeric(v) => numeric(v, out),
        Value::Text(v) if ty == BPCHAR => text(v.trim_end_matches(' '), out),
        Value::Text(v) => text(v, out),
        Value::Bytea(v) => escaped(v, out),
        Value::Tid(v) => escaped(v, out),
        Value::Date(v) => signed32(*v, out),
        Value::Time(v) | Value::Timestamp(v) | Value::TimestampTz(v) => signed64(*v, out),
        Value::TimeTz(v) => {
            signed64(v.micros + i64::from(v.west_seconds) * 1_000_000, out);
            signed32(v.west_seconds, out);
        }
        Value::Interval(v) => interval(v, out),
        Value::Uuid(v) => out.extend_from_slice(v),
        Value::Oid(v) => out.extend_from_slice(&v.to_be_bytes()),
        Value::Uint8(v) => out.extend_from_slice(&v.to_be_bytes()),
        Value::Bit(v) => {
            escaped(&v.1, out);
            out.extend_from_slice(&v.0.to_be_bytes());
        }
        Value::Jsonb(v) => json(v, true, out),
        Value::Array(v) => array(v, out)?,
        Value::Record(v) => {
            for (ty, field) in &v.fields {
                encode(*ty, field, KeyOrder::default(), out)?;
            }
        }
        Value::Null => return Err(PgError::internal("a null inside a key's value")),
    }
    Ok(())
}

fn signed32(value: i32, out: &mut Vec<u8>) {
    out.extend_from_slice(&(value.cast_unsigned() ^ (1 << 31)).to_be_bytes());
}

fn signed64(value: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(&(value.cast_unsigned() ^ (1 << 63)).to_be_bytes());
}

/// Negative floats have all bits inverted, others the sign bit; NaN is greatest, the two zeros are one.
fn float(value: f64, out: &mut Vec<u8>) {
    let bits = if value.is_nan() {
        u64::MAX
    } else {
        let bits = (value + 0.0).to_bits();
        if bits >> 63 == 1 { !bits } else { bits | (1 << 63) }
    };
    out.extend_from_slice(&bits.to_be_bytes());
}

/// Text holds no NUL byte, so that one ends it.
fn text(value: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(value.as_bytes());
    out.push(0);
}

/// Bytes of any value: `00` becomes `00 FF`, the end is `00 00`.
fn escaped(value: &[u8], out: &mut Vec<u8>) {
    for &byte in value {
        out.push(byte);
        if byte == 0 {
            out.push(0xff);
        }
    }
    out.extend_from_slice(&[0, 0]);
}

/// Intervals are compared with months of 30 days and days of 24 hours.
fn interval(value: &Interval, out: &mut Vec<u8>) {
    const DAY_MICROS: i128 = 86_400_000_000;
    let total = i128::from(value.micros) + (i128::from(value.months) * 30 + i128::from(value.days)) * DAY_MICROS;
    out.extend_from_slice(&(total.cast_unsigned() ^ (1 << 127)).to_be_bytes());
}

/// A class, then for finite numbers other than zero the decimal exponent and the digits, inverted for negative ones.
fn numeric(value: &Numeric, out: &mut Vec<u8>) {
    const NEG_INFINITY: u8 = 1;
    const NEGATIVE: u8 = 2;
    const ZERO: u8 = 3;
    const POSITIVE: u8 = 4;
    const POS_INFINITY: u8 = 5;
    const NAN: u8 = 6;
    let (digits, scale) = match value {
        Numeric::NaN => return out.push(NAN),
        Numeric::PosInfinity => return out.push(POS_INFINITY),
        Numeric::NegInfinity => return out.push(NEG_INFINITY),
        Numeric::Small { digits, scale } => (digits.to_string(), *scale),
        Numeric::Big(big) => (BigInt::to_string(&big.digits), big.scale),
    };
    let (negative, digits) = match digits.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, digits.as_str()),
    };
    let significant = digits.trim_start_matches('0').trim_end_matches('0');
    if significant.is_empty() {
        return out.push(ZERO);
    }
    let leading = digits.len() - digits.trim_start_matches('0').len();
    let exponent = i32::try_from(digits.len() - leading).unwrap_or(i32::MAX) - i32::from(scale);
    out.push(if negative { NEGATIVE } else { POSITIVE });
    let start = out.len();
    signed32(exponent, out);
    // Digits from 1 on, so that 0 ends them.
    out.extend(significant.bytes().map(|digit| digit - b'0' + 1));
    out.push(0);
    if negative {
        out[start..].iter_mut().for_each(|byte| *byte = !*byte);
    }
}

/// Element by element, then the shorter one first, then by dimensions.
fn array(value: &Array, out: &mut Vec<u8>) -> Result<()> {
    for element in &value.values {
        encode(value.element, element, KeyOrder::default(), out)?;
    }
    // Below every marker of an element.
    out.push(0);
    out.extend_from_slice(&u16::try_from(value.dims.len()).unwrap_or(u16::MAX).to_be_bytes());
    for dim in &value.dims {
        signed32(dim.len, out);
        signed32(dim.lower, out);
    }
    Ok(())
}

/// PostgreSQL's order of `jsonb`: Object > Array > Boolean > Number > String > Null, containers by size first; an empty
/// array at the top is least of all.
fn json(value: &Json, top: bool, out: &mut Vec<u8>) {
    let count = |len: usize, out: &mut Vec<u8>| out.extend_from_slice(&u32::try_from(len).unwrap_or(u32::MAX).to_be_bytes());
    match value {
        Json::Array(items) if items.is_empty() && top => out.push(0),
        Json::Null => out.push(1),
        Json::String(string) => {
            out.push(2);
            escaped(string.as_bytes(), out);
        }
        Json::Number(number) => {
            out.push(3);
            numeric(number, out);
        }
        Json::Bool(truth) => {
            out.push(4);
            out.push(u8::from(*truth));
        }
        Json::Array(items) => {
            out.push(5);
            count(items.len(), out);
            items.iter().for_each(|item| json(item, false, out));
        }
        Json::Object(pairs) => {
            out.push(6);
            count(pairs.len(), out);
            for (key, value) in pairs {
                count(key.len(), out);
                escaped(key.as_bytes(), out);
                json(value, false, out);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::oid::{FLOAT8, INT4, NUMERIC, TEXT};

    fn key(ty: Oid, value: &Value, order: KeyOrder) -> Vec<u8> {
        let mut out = Vec::new();
        encode(ty, value, order, &mut out).expect("has an order");
        out
    }

    /// Values in PostgreSQL's order must encode in that order, and in the opposite one for a descending column.
    fn ascends(ty: Oid, values: &[Value]) {
        for pair in values.windows(2) {
            let (a, b) = (key(ty, &pair[0], KeyOrder::default()), key(ty, &pair[1], KeyOrder::default()));
            assert!(a < b, "{:?} < {:?}", pair[0], pair[1]);
            let desc = KeyOrder {
                desc: true,
                nulls_first: true,
            };
            assert!(
                key(ty, &pair[0], desc) > key(ty, &pair[1], desc),
                "{:?} > {:?} descending",
                pair[0],
                pair[1]
            );
        }
    }

    #[test]
    fn integers_and_nulls() {
        ascends(INT4, &[i32::MIN, -1, 0, 1, i32::MAX].map(Value::Int4));
        assert!(key(INT4, &Value::Null, KeyOrder::default()) > key(INT4, &Value::Int4(i32::MAX), KeyOrder::default()));
        let first = KeyOrder {
            desc: false,
            nulls_first: true,
        };
        assert!(key(INT4, &Value::Null, first) < key(INT4, &Value::Int4(i32::MIN), first));
    }

    #[test]
    fn floats() {
        ascends(
            FLOAT8,
            &[f64::NEG_INFINITY, -1.5, -0.1, 0.0, 0.1, 2.0, f64::INFINITY, f64::NAN].map(Value::Float8),
        );
        assert_eq!(
            key(FLOAT8, &Value::Float8(-0.0), KeyOrder::default()),
            key(FLOAT8, &Value::Float8(0.0), KeyOrder::default())
        );
    }

    #[test]
    fn numerics_by_value_not_by_scale() {
        let small = |digits, scale| Value::Numeric(Numeric::Small { digits, scale });
        ascends(
            NUMERIC,
            &[
                Value::Numeric(Numeric::NegInfinity),
                small(-1000, 0),
                small(-999, 0),
                small(-1, 2),
                small(0, 5),
                small(1, 3),
                small(99, 2),
                small(1, 0),
                small(101, 2),
                small(10, 0),
                Value::Numeric(Numeric::PosInfinity),
                Value::Numeric(Numeric::NaN),
            ],
        );
        assert_eq!(
            key(NUMERIC, &small(10, 1), KeyOrder::default()),
            key(NUMERIC, &small(1, 0), KeyOrder::default())
        );
    }

    #[test]
    fn texts_and_their_prefixes() {
        ascends(TEXT, &["", "a", "a b", "ab", "b"].map(Value::text));
    }
}
