//! Arithmetic and bit operators of `smallint`, `integer` and `bigint`.

use super::{Builtin, CallContext, pure};
use crate::error::{PgError, Result, sqlstate};
use crate::types::Value;
use crate::types::oid::{INT2, INT4, INT8};

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
    pure(141, "int4mul", &[INT4, INT4], INT4, int4_mul),
    pure(152, "int2mul", &[INT2, INT2], INT2, int2_mul),
    pure(153, "int2div", &[INT2, INT2], INT2, int2_div),
    pure(154, "int4div", &[INT4, INT4], INT4, int4_div),
    pure(155, "int2mod", &[INT2, INT2], INT2, int2_rem),
    pure(156, "int4mod", &[INT4, INT4], INT4, int4_rem),
    pure(170, "int24mul", &[INT2, INT4], INT4, int4_mul),
    pure(171, "int42mul", &[INT4, INT2], INT4, int4_mul),
    pure(172, "int24div", &[INT2, INT4], INT4, int4_div),
    pure(173, "int42div", &[INT4, INT2], INT4, int4_div),
    pure(176, "int2pl", &[INT2, INT2], INT2, int2_add),
    pure(177, "int4pl", &[INT4, INT4], INT4, int4_add),
    pure(178, "int24pl", &[INT2, INT4], INT4, int4_add),
    pure(179, "int42pl", &[INT4, INT2], INT4, int4_add),
    pure(180, "int2mi", &[INT2, INT2], INT2, int2_sub),
    pure(181, "int4mi", &[INT4, INT4], INT4, int4_sub),
    pure(182, "int24mi", &[INT2, INT4], INT4, int4_sub),
    pure(183, "int42mi", &[INT4, INT2], INT4, int4_sub),
    pure(212, "int4um", &[INT4], INT4, int4_neg),
    pure(213, "int2um", &[INT2], INT2, int2_neg),
    pure(462, "int8um", &[INT8], INT8, int8_neg),
    pure(463, "int8pl", &[INT8, INT8], INT8, int8_add),
    pure(464, "int8mi", &[INT8, INT8], INT8, int8_sub),
    pure(465, "int8mul", &[INT8, INT8], INT8, int8_mul),
    pure(466, "int8div", &[INT8, INT8], INT8, int8_div),
    pure(837, "int82pl", &[INT8, INT2], INT8, int8_add),
    pure(838, "int82mi", &[INT8, INT2], INT8, int8_sub),
    pure(839, "int82mul", &[INT8, INT2], INT8, int8_mul),
    pure(840, "int82div", &[INT8, INT2], INT8, int8_div),
    pure(841, "int28pl", &[INT2, INT8], INT8, int8_add),
    pure(942, "int28mi", &[INT2, INT8], INT8, int8_sub),
    pure(943, "int28mul", &[INT2, INT8], INT8, int8_mul),
    pure(945, "int8mod", &[INT8, INT8], INT8, int8_rem),
    pure(948, "int28div", &[INT2, INT8], INT8, int8_div),
    pure(1230, "int8abs", &[INT8], INT8, int8_abs),
    pure(1251, "int4abs", &[INT4], INT4, int4_abs),
    pure(1253, "int2abs", &[INT2], INT2, int2_abs),
    pure(1274, "int84pl", &[INT8, INT4], INT8, int8_add),
    pure(1275, "int84mi", &[INT8, INT4], INT8, int8_sub),
    pure(1276, "int84mul", &[INT8, INT4], INT8, int8_mul),
    pure(1277, "int84div", &[INT8, INT4], INT8, int8_div),
    pure(1278, "int48pl", &[INT4, INT8], INT8, int8_add),
    pure(1279, "int48mi", &[INT4, INT8], INT8, int8_sub),
    pure(1280, "int48mul", &[INT4, INT8], INT8, int8_mul),
    pure(1281, "int48div", &[INT4, INT8], INT8, int8_div),
    pure(1892, "int2and", &[INT2, INT2], INT2, int2_and),
    pure(1893, "int2or", &[INT2, INT2], INT2, int2_or),
    pure(1894, "int2xor", &[INT2, INT2], INT2, int2_xor),
    pure(1895, "int2not", &[INT2], INT2, int2_not),
    pure(1896, "int2shl", &[INT2, INT4], INT2, int2_shl),
    pure(1897, "int2shr", &[INT2, INT4], INT2, int2_shr),
    pure(1898, "int4and", &[INT4, INT4], INT4, int4_and),
    pure(1899, "int4or", &[INT4, INT4], INT4, int4_or),
    pure(1900, "int4xor", &[INT4, INT4], INT4, int4_xor),
    pure(1901, "int4not", &[INT4], INT4, int4_not),
    pure(1902, "int4shl", &[INT4, INT4], INT4, int4_shl),
    pure(1903, "int4shr", &[INT4, INT4], INT4, int4_shr),
    pure(1904, "int8and", &[INT8, INT8], INT8, int8_and),
    pure(1905, "int8or", &[INT8, INT8], INT8, int8_or),
    pure(1906, "int8xor", &[INT8, INT8], INT8, int8_xor),
    pure(1907, "int8not", &[INT8], INT8, int8_not),
    pure(1908, "int8shl", &[INT8, INT4], INT8, int8_shl),
    pure(1909, "int8shr", &[INT8, INT4], INT8, int8_shr),
    pure(1910, "int8up", &[INT8], INT8, int8_plus),
    pure(1911, "int2up", &[INT2], INT2, int2_plus),
    pure(1912, "int4up", &[INT4], INT4, int4_plus),
    pure(940, "mod", &[INT2, INT2], INT2, int2_rem),
    pure(941, "mod", &[INT4, INT4], INT4, int4_rem),
    pure(947, "mod", &[INT8, INT8], INT8, int8_rem),
    pure(1396, "abs", &[INT8], INT8, int8_abs),
    pure(1397, "abs", &[INT4], INT4, int4_abs),
    pure(1398, "abs", &[INT2], INT2, int2_abs),
];
