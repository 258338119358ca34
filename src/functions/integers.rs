//! Arithmetic and bit operators of `smallint`, `integer` and `bigint`.

use super::{Builtin, CallContext, pure};
use crate::error::{PgError, Result, sqlstate};
use crate::types::Value;
use crate::types::oid::*;

fn wide(value: &Value) -> Result<i64> {
    match value {
        Value::Int4(v) => Ok(i64::from(*v)),
        Value::Int8(v) => Ok(*v),
        Value::Int2(v) => Ok(i64::from(*v)),
        other => Err(PgError::internal(format!("not an integer: {other:?}"))),
    }
}

pub(crate) fn division_by_zero() -> PgError {
    PgError::new(sqlstate::DIVISION_BY_ZERO, "division by zero")
}

/// The operators of one width; operands of mixed widths are widened first. Results are computed in 128 bits, so that
/// only the range check at the end can fail.
macro_rules! width {
    ($variant:ident $int:ty, $shift:ty, $bits:literal, $name:literal:
     $add:ident $sub:ident $mul:ident $div:ident $rem:ident $and:ident $or:ident $xor:ident $shl:ident $shr:ident $plus:ident $neg:ident $abs:ident $not:ident $fit:ident) => {
        fn $fit(value: i128) -> Result<Value> {
            <$int>::try_from(value)
                .map(Value::$variant)
                .map_err(|_| PgError::new(sqlstate::NUMERIC_VALUE_OUT_OF_RANGE, concat!($name, " out of range")))
        }
        fn $add(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
            $fit(i128::from(wide(&args[0])?) + i128::from(wide(&args[1])?))
        }
        fn $sub(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
            $fit(i128::from(wide(&args[0])?) - i128::from(wide(&args[1])?))
        }
        fn $mul(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
            $fit(i128::from(wide(&args[0])?) * i128::from(wide(&args[1])?))
        }
        fn $div(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
            match wide(&args[1])? {
                0 => Err(division_by_zero()),
                divisor => $fit(i128::from(wide(&args[0])?) / i128::from(divisor)),
            }
        }
        fn $rem(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
            match wide(&args[1])? {
                0 => Err(division_by_zero()),
                divisor => $fit(i128::from(wide(&args[0])?) % i128::from(divisor)),
            }
        }
        fn $and(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
            $fit(i128::from(wide(&args[0])? & wide(&args[1])?))
        }
        fn $or(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
            $fit(i128::from(wide(&args[0])? | wide(&args[1])?))
        }
        fn $xor(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
            $fit(i128::from(wide(&args[0])? ^ wide(&args[1])?))
        }
        // Shift counts wrap at the width, as the hardware does under PostgreSQL.
        fn $shl(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
            let count = (wide(&args[1])? & ($bits - 1)) as u32;
            Ok(Value::$variant((wide(&args[0])? as $shift).wrapping_shl(count) as $int))
        }
        fn $shr(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
            let count = (wide(&args[1])? & ($bits - 1)) as u32;
            Ok(Value::$variant((wide(&args[0])? as $shift).wrapping_shr(count) as $int))
        }
        fn $plus(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
            Ok(args[0].clone())
        }
        fn $neg(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
            $fit(-i128::from(wide(&args[0])?))
        }
        fn $abs(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
            $fit(i128::from(wide(&args[0])?).abs())
        }
        fn $not(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
            $fit(i128::from(!wide(&args[0])?))
        }
    };
}

width!(Int2 i16, i32, 32, "smallint": int2_add int2_sub int2_mul int2_div int2_rem int2_and int2_or int2_xor int2_shl int2_shr int2_plus int2_neg int2_abs int2_not int2_fit);
width!(Int4 i32, i32, 32, "integer": int4_add int4_sub int4_mul int4_div int4_rem int4_and int4_or int4_xor int4_shl int4_shr int4_plus int4_neg int4_abs int4_not int4_fit);
width!(Int8 i64, i64, 64, "bigint": int8_add int8_sub int8_mul int8_div int8_rem int8_and int8_or int8_xor int8_shl int8_shr int8_plus int8_neg int8_abs int8_not int8_fit);

#[rustfmt::skip]
pub const FUNCTIONS: &[Builtin] = &[
];
