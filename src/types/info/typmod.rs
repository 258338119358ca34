//! Type modifiers: `typmodin` and `typmodout` of the types that have one.

use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::types::oid;

/// Bytes before the data of a variable-length value, which PostgreSQL counts in the modifiers of strings and numerics.
const HEADER: i32 = 4;
/// `MaxAttrSize`.
const STRING_LENGTH_MAX: i64 = 10 * 1024 * 1024;
/// Range of an interval without fields.
pub const INTERVAL_FULL_RANGE: i32 = 0x7fff;
/// Precision of an interval without one.
pub const INTERVAL_FULL_PRECISION: i32 = 0xffff;

const NUMERIC_PRECISION_MAX: i64 = 1000;
const TIME_PRECISION_MAX: i64 = 6;

fn invalid(message: impl Into<String>) -> PgError {
    PgError::new(sqlstate::INVALID_PARAMETER_VALUE, message)
}

/// The modifier for a type's arguments as written (`numeric(10,2)`: `[10, 2]`). An interval's first argument is its mask
/// of fields ([`INTERVAL_FULL_RANGE`] for none), the second its precision.
pub fn typmod_in(ty: Oid, args: &[i64]) -> Result<i32> {
    match ty {
        oid::VARCHAR | oid::VARCHAR_ARRAY => string(args, "varchar"),
        oid::BPCHAR | oid::BPCHAR_ARRAY => string(args, "char"),
        oid::BIT | oid::BIT_ARRAY => bits(args, "bit"),
        oid::VARBIT | oid::VARBIT_ARRAY => bits(args, "varbit"),
        oid::NUMERIC | oid::NUMERIC_ARRAY => numeric(args),
        oid::TIME | oid::TIME_ARRAY => time(args, "TIME", ""),
        oid::TIMETZ | oid::TIMETZ_ARRAY => time(args, "TIME", " WITH TIME ZONE"),
        oid::TIMESTAMP | oid::TIMESTAMP_ARRAY => time(args, "TIMESTAMP", ""),
        oid::TIMESTAMPTZ | oid::TIMESTAMPTZ_ARRAY => time(args, "TIMESTAMP", " WITH TIME ZONE"),
        oid::INTERVAL | oid::INTERVAL_ARRAY => interval(args),
        other => {
            let name = super::info(other).map_or_else(|| other.to_string(), |row| row.name.to_owned());
            Err(PgError::new(
                sqlstate::SYNTAX_ERROR,
                format!("type modifier is not allowed for type \"{name}\""),
            ))
        }
    }
}

fn one(args: &[i64]) -> Result<i64> {
    match args {
        [arg] => Ok(*arg),
        _ => Err(invalid("invalid type modifier")),
    }
}

fn string(args: &[i64], name: &str) -> Result<i32> {
    let length = one(args)?;
    if length < 1 {
        return Err(invalid(format!("length for type {name} must be at least 1")));
    }
    if length > STRING_LENGTH_MAX {
        return Err(invalid(format!("length for type {name} cannot exceed {STRING_LENGTH_MAX}")));
    }
    Ok(length as i32 + HEADER)
}

fn bits(args: &[i64], name: &str) -> Result<i32> {
    let length = one(args)?;
    if length < 1 {
        return Err(invalid(format!("length for type {name} must be at least 1")));
    }
    if length > STRING_LENGTH_MAX * 8 {
        return Err(invalid(format!(
            "length for type {name} cannot exceed {}",
            STRING_LENGTH_MAX * 8
        )));
    }
    Ok(length as i32)
}

fn numeric(args: &[i64]) -> Result<i32> {
    let (precision, scale) = match args {
        [precision] => (*precision, 0),
        [precision, scale] => (*precision, *scale),
        _ => return Err(invalid("invalid NUMERIC type modifier")),
    };
    if !(1..=NUMERIC_PRECISION_MAX).contains(&precision) {
        return Err(invalid(format!(
            "NUMERIC precision {precision} must be between 1 and {NUMERIC_PRECISION_MAX}"
        )));
    }
    if !(-1000..=1000).contains(&scale) {
        return Err(invalid(format!("NUMERIC scale {scale} must be between -1000 and 1000")));
    }
    Ok(numeric_pack(precision as i32, scale as i32))
}

const fn numeric_pack(precision: i32, scale: i32) -> i32 {
    ((precision << 16) | (scale & 0x7ff)) + HEADER
}

/// Precision and scale of a `numeric` modifier, `None` for -1.
pub fn numeric_typmod(typmod: i32) -> Option<(i32, i32)> {
    if typmod < HEADER {
        return None;
    }
    let packed = typmod - HEADER;
    Some(((packed >> 16) & 0xffff, ((packed & 0x7ff) ^ 1024) - 1024))
}

/// Characters of `varchar(n)` and `char(n)`, `None` for -1.
pub fn char_length(typmod: i32) -> Option<usize> {
    usize::try_from(typmod.checked_sub(HEADER)?).ok()
}

fn time(args: &[i64], name: &str, zone: &str) -> Result<i32> {
    let precision = one(args)?;
    if precision < 0 {
        return Err(invalid(format!("{name}({precision}){zone} precision must not be negative")));
    }
    // PostgreSQL warns and reduces.
    Ok(precision.min(TIME_PRECISION_MAX) as i32)
}

/// Digits after the second's point of `time`, `timestamp` and their kin.
pub fn time_precision(typmod: i32) -> Option<u32> {
    u32::try_from(typmod).ok()
}

fn interval(args: &[i64]) -> Result<i32> {
    let (range, precision) = match args {
        [] => return Ok(-1),
        [range] => (*range, None),
        [range, precision] => (*range, Some(*precision)),
        _ => return Err(invalid("invalid INTERVAL type modifier")),
    };
    let range = i32::try_from(range).map_err(|_| invalid("invalid INTERVAL type modifier"))?;
    match precision {
        None if range == INTERVAL_FULL_RANGE => Ok(-1),
        None => Ok((range << 16) | INTERVAL_FULL_PRECISION),
        Some(precision) if precision < 0 => Err(invalid(format!("INTERVAL({precision}) precision must not be negative"))),
        Some(precision) => Ok((range << 16) | precision.min(TIME_PRECISION_MAX) as i32),
    }
}

/// The mask of fields in an interval's modifier.
pub fn interval_range(typmod: i32) -> i32 {
    if typmod < 0 {
        INTERVAL_FULL_RANGE
    } else {
        (typmod >> 16) & 0x7fff
    }
}

/// Digits after the second's point in an interval's modifier.
pub fn interval_precision(typmod: i32) -> Option<u32> {
    if typmod < 0 || typmod & 0xffff == INTERVAL_FULL_PRECISION {
        None
    } else {
        Some((typmod & 0xffff) as u32)
    }
}

const YEAR: i32 = 1 << 2;
const MONTH: i32 = 1 << 1;
const DAY: i32 = 1 << 3;
const HOUR: i32 = 1 << 10;
const MINUTE: i32 = 1 << 11;
const SECOND: i32 = 1 << 12;

/// Interval fields and their words.
const INTERVAL_WORDS: &[(i32, &str)] = &[
    (YEAR, " year"),
    (MONTH, " month"),
    (DAY, " day"),
    (HOUR, " hour"),
    (MINUTE, " minute"),
    (SECOND, " second"),
    (YEAR | MONTH, " year to month"),
    (DAY | HOUR, " day to hour"),
    (DAY | HOUR | MINUTE, " day to minute"),
    (DAY | HOUR | MINUTE | SECOND, " day to second"),
    (HOUR | MINUTE, " hour to minute"),
    (HOUR | MINUTE | SECOND, " hour to second"),
    (MINUTE | SECOND, " minute to second"),
    (INTERVAL_FULL_RANGE, ""),
];

/// The text after the type's name: `(10)`, `(3) with time zone`, ` day to second(3)`; empty for none.
pub fn typmod_out(ty: Oid, typmod: i32) -> String {
    if typmod < 0 {
        return String::new();
    }
    match ty {
        oid::VARCHAR | oid::BPCHAR => char_length(typmod).map_or_else(String::new, |n| format!("({n})")),
        oid::BIT | oid::VARBIT => format!("({typmod})"),
        oid::NUMERIC => numeric_typmod(typmod).map_or_else(String::new, |(p, s)| format!("({p},{s})")),
        oid::TIME | oid::TIMESTAMP => format!("({typmod}) without time zone"),
        oid::TIMETZ | oid::TIMESTAMPTZ => format!("({typmod}) with time zone"),
        oid::INTERVAL => {
            let range = interval_range(typmod);
            let words = INTERVAL_WORDS
                .iter()
                .find(|(mask, _)| *mask == range)
                .map_or("", |(_, words)| words);
            match interval_precision(typmod) {
                Some(precision) => format!("{words}({precision})"),
                None => words.to_owned(),
            }
        }
        _ => String::new(),
    }
}
