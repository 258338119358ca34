//! Sizes in bytes for people: `pg_size_pretty`.

use super::{Builtin, CallContext, pure};
use crate::error::{PgError, Result};
use crate::types::Value;
use crate::types::oid::*;

/// Name, limit from which the next unit is used, whether the number is kept doubled to round at the end, bits.
const UNITS: [(&str, i128, bool, u32); 6] = [
    ("bytes", 10 * 1024, false, 0),
    ("kB", 20 * 1024 - 1, true, 10),
    ("MB", 20 * 1024 - 1, true, 20),
    ("GB", 20 * 1024 - 1, true, 30),
    ("TB", 20 * 1024 - 1, true, 40),
    ("PB", 20 * 1024 - 1, true, 50),
];

fn pretty(mut size: i128) -> String {
    for (at, (name, limit, round, bits)) in UNITS.iter().enumerate() {
        let next = UNITS.get(at + 1);
        let Some((_, _, next_round, next_bits)) = next.filter(|_| size.abs() >= *limit) else {
            if *round {
                size = (size + if size < 0 { -1 } else { 1 }) / 2;
            }
            return format!("{size} {name}");
        };
        let shift = next_bits - bits - u32::from(*next_round) + u32::from(*round);
        size /= 1_i128 << shift;
    }
    size.to_string()
}

fn pg_size_pretty(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    match &args[0] {
        Value::Int8(size) => Ok(Value::text(pretty(i128::from(*size)))),
        Value::Numeric(size) => {
            // Parts of a byte are not shown beyond the whole.
            let whole = size.to_string();
            let whole = whole.split('.').next().unwrap_or_default();
            match whole.parse::<i128>() {
                Ok(size) => Ok(Value::text(pretty(size))),
                Err(_) => Err(PgError::unsupported("pg_size_pretty of so large a number")),
            }
        }
        other => Err(PgError::internal(format!("not a size: {other:?}"))),
    }
}

pub const FUNCTIONS: &[Builtin] = &[
    pure(2288, "pg_size_pretty", &[INT8], TEXT, pg_size_pretty),
    pure(3166, "pg_size_pretty", &[NUMERIC], TEXT, pg_size_pretty),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// As PostgreSQL 15 prints them.
    #[test]
    fn sizes_are_printed_in_the_unit_that_people_read() {
        for (size, printed) in [
            (0, "0 bytes"),
            (10239, "10239 bytes"),
            (10240, "10 kB"),
            (1_234_567, "1206 kB"),
            (20_971_519, "20 MB"),
            (-1_234_567, "-1206 kB"),
            (123_456_789_012, "115 GB"),
        ] {
            assert_eq!(pretty(size), printed);
        }
    }
}
