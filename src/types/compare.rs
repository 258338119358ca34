//! The default btree order, equality and hash of every type.
//!
//! `compare`, `equal_as` and `hash_as` agree: values that compare equal hash alike. Integers of different widths compare
//! by value, floats too. Strings compare bytewise (collation C).

use std::cmp::Ordering;
use std::hash::Hasher;

use crate::ids::Oid;
use crate::types::{Array, Interval, Record, TimeTz, Value, oid};

const MICROS_PER_DAY: i128 = 86_400_000_000;

/// Order of two non-null values of one type whose OID is at hand: `bpchar` ignores trailing blanks, arrays and records
/// know their own element types.
pub fn compare_as(ty: Oid, a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Text(a), Value::Text(b)) if ty == oid::BPCHAR => trim_blanks(a).cmp(trim_blanks(b)),
        _ => compare(a, b),
    }
}

/// Whether two non-null values are equal under the type's `=`.
pub fn equal_as(ty: Oid, a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Int4(a), Value::Int4(b)) => a == b,
        (Value::Int8(a), Value::Int8(b)) => a == b,
        (Value::Text(a), Value::Text(b)) if ty != oid::BPCHAR => a == b,
        _ => compare_as(ty, a, b).is_eq(),
    }
}

/// Bytes of a `bpchar` that count.
pub fn trim_blanks(text: &str) -> &[u8] {
    text.trim_end_matches(' ').as_bytes()
}

/// Order of two values of one type. NULL is greater than everything, as in arrays and records. Values of different kinds
/// (which the binder never compares) are ordered by kind.
pub fn compare(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Int4(a), Value::Int4(b)) => a.cmp(b),
        (Value::Int8(a), Value::Int8(b)) => a.cmp(b),
        (Value::Text(a), Value::Text(b)) => a.as_bytes().cmp(b.as_bytes()),
        (Value::Null, Value::Null) => Ordering::Equal,
        (Value::Null, _) => Ordering::Greater,
        (_, Value::Null) => Ordering::Less,
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Float4(a), Value::Float4(b)) => compare_floats(f64::from(*a), f64::from(*b)),
        (Value::Float8(a), Value::Float8(b)) => compare_floats(*a, *b),
        (Value::Numeric(a), Value::Numeric(b)) => a.cmp(b),
        (Value::Bytea(a), Value::Bytea(b)) | (Value::Tid(a), Value::Tid(b)) => a.cmp(b),
        (Value::Date(a), Value::Date(b)) => a.cmp(b),
        (Value::Time(a), Value::Time(b))
        | (Value::Timestamp(a), Value::Timestamp(b))
        | (Value::TimestampTz(a), Value::TimestampTz(b)) => a.cmp(b),
        (Value::TimeTz(a), Value::TimeTz(b)) => time_tz_key(a).cmp(&time_tz_key(b)),
        (Value::Interval(a), Value::Interval(b)) => interval_key(a).cmp(&interval_key(b)),
        (Value::Uuid(a), Value::Uuid(b)) => a.cmp(b),
        (Value::Jsonb(a), Value::Jsonb(b)) => a.compare(b),
        (Value::Oid(a), Value::Oid(b)) => a.cmp(b),
        (Value::Uint8(a), Value::Uint8(b)) => a.cmp(b),
        (Value::Bit(a), Value::Bit(b)) => a.1.cmp(&b.1).then(a.0.cmp(&b.0)),
        (Value::Array(a), Value::Array(b)) => compare_arrays(a, b),
        (Value::Record(a), Value::Record(b)) => compare_records(a, b),
        _ => compare_widths(a, b),
    }
}

/// Integers and floats of different widths; anything else by kind.
fn compare_widths(a: &Value, b: &Value) -> Ordering {
    if let (Some(a), Some(b)) = (integer(a), integer(b)) {
        return a.cmp(&b);
    }
    if let (Some(a), Some(b)) = (float(a), float(b)) {
        return compare_floats(a, b);
    }
    kind(a).cmp(&kind(b))
}

fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Int2(v) => Some(i64::from(*v)),
        Value::Int4(v) => Some(i64::from(*v)),
        Value::Int8(v) => Some(*v),
        _ => None,
    }
}

fn float(value: &Value) -> Option<f64> {
    match value {
        Value::Float4(v) => Some(f64::from(*v)),
        Value::Float8(v) => Some(*v),
        _ => None,
    }
}

/// NaN is greatest and equals itself; -0 equals 0.
pub fn compare_floats(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// The instant in UTC first, the zone as a tie-breaker.
fn time_tz_key(value: &TimeTz) -> (i64, i32) {
    (value.micros + i64::from(value.west_seconds) * 1_000_000, value.west_seconds)
}

/// The length in microseconds with 30 days a month.
pub fn interval_key(value: &Interval) -> i128 {
    (i128::from(value.months) * 30 + i128::from(value.days)) * MICROS_PER_DAY + i128::from(value.micros)
}

fn compare_arrays(a: &Array, b: &Array) -> Ordering {
    for (x, y) in a.values.iter().zip(&b.values) {
        let order = compare_as(a.element, x, y);
        if order.is_ne() {
            return order;
        }
    }
    let lengths = |array: &Array| array.dims.iter().map(|dim| dim.len).collect::<Vec<_>>();
    let bounds = |array: &Array| array.dims.iter().map(|dim| dim.lower).collect::<Vec<_>>();
    a.values
        .len()
        .cmp(&b.values.len())
        .then_with(|| a.dims.len().cmp(&b.dims.len()))
        .then_with(|| lengths(a).cmp(&lengths(b)))
        .then_with(|| bounds(a).cmp(&bounds(b)))
}

fn compare_records(a: &Record, b: &Record) -> Ordering {
    for ((ty, x), (_, y)) in a.fields.iter().zip(&b.fields) {
        let order = compare_as(*ty, x, y);
        if order.is_ne() {
            return order;
        }
    }
    a.fields.len().cmp(&b.fields.len())
}

fn kind(value: &Value) -> u8 {
    match value {
        Value::Bool(_) => 0,
        Value::Int2(_) | Value::Int4(_) | Value::Int8(_) => 1,
        Value::Float4(_) | Value::Float8(_) => 2,
        Value::Numeric(_) => 3,
        Value::Text(_) => 4,
        Value::Bytea(_) => 5,
        Value::Date(_) => 6,
        Value::Time(_) => 7,
        Value::TimeTz(_) => 8,
        Value::Timestamp(_) => 9,
        Value::TimestampTz(_) => 10,
        Value::Interval(_) => 11,
        Value::Uuid(_) => 12,
        Value::Jsonb(_) => 13,
        Value::Oid(_) => 14,
        Value::Uint8(_) => 15,
        Value::Tid(_) => 16,
        Value::Bit(_) => 17,
        Value::Array(_) => 18,
        Value::Record(_) => 19,
        Value::Null => 20,
    }
}

/// Feeds a value to a hasher so that equal values (`equal_as`) feed alike; integers of all widths alike, floats too.
pub fn hash_as(ty: Oid, value: &Value, state: &mut impl Hasher) {
    match value {
        Value::Null => state.write_u8(0xff),
        Value::Bool(v) => state.write_u8(u8::from(*v)),
        Value::Int2(v) => state.write_i64(i64::from(*v)),
        Value::Int4(v) => state.write_i64(i64::from(*v)),
        Value::Int8(v) => state.write_i64(*v),
        Value::Float4(v) => hash_float(f64::from(*v), state),
        Value::Float8(v) => hash_float(*v, state),
        Value::Numeric(v) => std::hash::Hash::hash(v, state),
        Value::Text(v) if ty == oid::BPCHAR => hash_bytes(trim_blanks(v), state),
        Value::Text(v) => hash_bytes(v.as_bytes(), state),
        Value::Bytea(v) | Value::Tid(v) => hash_bytes(v, state),
        Value::Date(v) => state.write_i32(*v),
        Value::Time(v) | Value::Timestamp(v) | Value::TimestampTz(v) => state.write_i64(*v),
        Value::TimeTz(v) => {
            let (micros, zone) = time_tz_key(v);
            state.write_i64(micros);
            state.write_i32(zone);
        }
        Value::Interval(v) => state.write_i128(interval_key(v)),
        Value::Uuid(v) => state.write(v),
        Value::Jsonb(v) => v.hash_into(state),
        Value::Oid(v) => state.write_u32(*v),
        Value::Uint8(v) => state.write_u64(*v),
        Value::Bit(v) => {
            state.write_u32(v.0);
            state.write(&v.1);
        }
        Value::Array(v) => {
            for element in &v.values {
                hash_as(v.element, element, state);
            }
            state.write_usize(v.values.len());
        }
        Value::Record(v) => {
            for (ty, field) in &v.fields {
                hash_as(*ty, field, state);
            }
            state.write_usize(v.fields.len());
        }
    }
}

fn hash_bytes(bytes: &[u8], state: &mut impl Hasher) {
    state.write(bytes);
    state.write_u8(0xff);
}

fn hash_float(value: f64, state: &mut impl Hasher) {
    let canonical = if value.is_nan() {
        f64::NAN
    } else if value == 0.0 {
        0.0
    } else {
        value
    };
    state.write_u64(canonical.to_bits());
}

#[cfg(test)]
mod tests {
    use std::hash::DefaultHasher;

    use super::*;
    use crate::types::numeric;

    fn hash(ty: Oid, value: &Value) -> u64 {
        let mut state = DefaultHasher::new();
        hash_as(ty, value, &mut state);
        state.finish()
    }

    fn number(text: &str) -> Value {
        Value::Numeric(numeric::parse(text).expect("a number"))
    }

    #[test]
    fn equal_values_hash_alike() {
        let month = Interval {
            months: 1,
            ..Interval::default()
        };
        let days = Interval {
            days: 30,
            ..Interval::default()
        };
        let pairs = [
            (oid::NUMERIC, number("1.0"), number("1.00")),
            (
                oid::NUMERIC,
                number("100000000000000000000"),
                number("100000000000000000000.00"),
            ),
            (oid::FLOAT8, Value::Float8(-0.0), Value::Float8(0.0)),
            (oid::FLOAT8, Value::Float8(f64::NAN), Value::Float8(-f64::NAN)),
            (oid::INTERVAL, Value::Interval(month), Value::Interval(days)),
            (oid::BPCHAR, Value::text("a  "), Value::text("a")),
            (oid::INT8, Value::Int4(7), Value::Int8(7)),
        ];
        for (ty, a, b) in pairs {
            assert!(equal_as(ty, &a, &b), "{a:?} {b:?}");
            assert_eq!(hash(ty, &a), hash(ty, &b), "{a:?} {b:?}");
        }
        assert!(!equal_as(oid::TEXT, &Value::text("a  "), &Value::text("a")));
    }

    #[test]
    fn orders_as_postgresql() {
        assert!(compare(&Value::Float8(f64::NAN), &Value::Float8(f64::INFINITY)).is_gt());
        assert!(compare(&number("NaN"), &number("Infinity")).is_gt());
        assert!(compare(&number("-1e30"), &number("0.5")).is_lt());
        let array = |values: Vec<Value>| Value::Array(std::sync::Arc::new(Array::one(oid::INT4, values)));
        assert!(compare(&array(vec![Value::Int4(1)]), &array(vec![Value::Int4(1), Value::Int4(0)])).is_lt());
        assert!(compare(&array(vec![Value::Null]), &array(vec![Value::Int4(1)])).is_gt());
    }
}
