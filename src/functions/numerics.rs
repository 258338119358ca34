//! Operators and functions of `numeric`, `real` and `double precision`.

use super::{Builtin, CallContext, pure};
use crate::error::{PgError, Result, sqlstate};
use crate::types::Value;
use crate::types::numeric::{Numeric, division_by_zero};
use crate::types::oid::{FLOAT4, FLOAT8, INT4, NUMERIC};

fn number(value: &Value) -> Result<&Numeric> {
    match value {
        Value::Numeric(number) => Ok(number),
        other => Err(PgError::internal(format!("not a numeric: {other:?}"))),
    }
}

fn double(value: &Value) -> Result<f64> {
    match value {
        Value::Float8(number) => Ok(*number),
        Value::Float4(number) => Ok(f64::from(*number)),
        other => Err(PgError::internal(format!("not a float: {other:?}"))),
    }
}

macro_rules! numeric_operators {
    ($($name:ident => $method:ident;)*) => {$(
        pub(super) fn $name(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
            number(&args[0])?.$method(number(&args[1])?).map(Value::Numeric)
        }
    )*};
}

numeric_operators! {
    numeric_add => add;
    numeric_sub => sub;
    numeric_mul => mul;
    numeric_div => div;
    numeric_mod => rem;
    numeric_power => power;
    numeric_div_trunc => div_trunc;
}

fn numeric_uminus(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::Numeric(number(&args[0])?.neg()))
}

fn same(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(args[0].clone())
}

fn numeric_abs(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::Numeric(number(&args[0])?.abs()))
}

fn scale_of(args: &[Value]) -> Result<i32> {
    match args.get(1) {
        None => Ok(0),
        Some(Value::Int4(scale)) => Ok(*scale),
        Some(other) => Err(PgError::internal(format!("not an integer: {other:?}"))),
    }
}

fn numeric_round(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::Numeric(number(&args[0])?.round(scale_of(args)?)))
}

fn numeric_trunc(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::Numeric(number(&args[0])?.trunc(scale_of(args)?)))
}

fn numeric_ceil(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    number(&args[0])?.ceil().map(Value::Numeric)
}

fn numeric_floor(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    number(&args[0])?.floor().map(Value::Numeric)
}

fn numeric_sqrt(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    number(&args[0])?.sqrt().map(Value::Numeric)
}

fn numeric_sign(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::Numeric(number(&args[0])?.sign()))
}

/// A float result; infinite or zero only where an operand was.
fn float(call: &CallContext<'_>, result: f64, operands: [f64; 2], zero_allowed: bool) -> Result<Value> {
    let narrow = call.return_type == FLOAT4;
    #[allow(clippy::cast_possible_truncation)]
    let shown = if narrow { f64::from(result as f32) } else { result };
    if shown.is_infinite() && operands.iter().all(|one| one.is_finite()) {
        return Err(PgError::new(
            sqlstate::NUMERIC_VALUE_OUT_OF_RANGE,
            "value out of range: overflow",
        ));
    }
    if shown == 0.0 && !zero_allowed && operands.iter().all(|one| *one != 0.0) {
        return Err(PgError::new(
            sqlstate::NUMERIC_VALUE_OUT_OF_RANGE,
            "value out of range: underflow",
        ));
    }
    #[allow(clippy::cast_possible_truncation)]
    Ok(if narrow {
        Value::Float4(result as f32)
    } else {
        Value::Float8(result)
    })
}

fn float_add(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let (a, b) = (double(&args[0])?, double(&args[1])?);
    float(call, a + b, [a, b], true)
}

fn float_sub(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let (a, b) = (double(&args[0])?, double(&args[1])?);
    float(call, a - b, [a, b], true)
}

fn float_mul(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let (a, b) = (double(&args[0])?, double(&args[1])?);
    float(call, a * b, [a, b], false)
}

fn float_div(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let (a, b) = (double(&args[0])?, double(&args[1])?);
    if b == 0.0 && !a.is_nan() {
        return Err(division_by_zero());
    }
    float(call, a / b, [a, b], b.is_infinite())
}

fn float_neg(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let a = double(&args[0])?;
    float(call, -a, [a, a], true)
}

fn float_abs(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let a = double(&args[0])?;
    float(call, a.abs(), [a, a], true)
}

macro_rules! float_functions {
    ($($name:ident => $method:ident;)*) => {$(
        pub(super) fn $name(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
            Ok(Value::Float8(double(&args[0])?.$method()))
        }
    )*};
}

float_functions! {
    float_round => round_ties_even;
    float_trunc => trunc;
    float_ceil => ceil;
    float_floor => floor;
}

fn float_sqrt(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let a = double(&args[0])?;
    if a < 0.0 {
        return Err(PgError::new(
            sqlstate::INVALID_ARGUMENT_FOR_POWER_FUNCTION,
            "cannot take square root of a negative number",
        ));
    }
    Ok(Value::Float8(a.sqrt()))
}

#[rustfmt::skip]
pub const FUNCTIONS: &[Builtin] = &[
    pure(1724, "numeric_add", &[NUMERIC, NUMERIC], NUMERIC, numeric_add),
    pure(1725, "numeric_sub", &[NUMERIC, NUMERIC], NUMERIC, numeric_sub),
    pure(1726, "numeric_mul", &[NUMERIC, NUMERIC], NUMERIC, numeric_mul),
    pure(1727, "numeric_div", &[NUMERIC, NUMERIC], NUMERIC, numeric_div),
    pure(1729, "numeric_mod", &[NUMERIC, NUMERIC], NUMERIC, numeric_mod),
    pure(1728, "mod", &[NUMERIC, NUMERIC], NUMERIC, numeric_mod),
    pure(1973, "div", &[NUMERIC, NUMERIC], NUMERIC, numeric_div_trunc),
    pure(1739, "numeric_power", &[NUMERIC, NUMERIC], NUMERIC, numeric_power),
    pure(2169, "power", &[NUMERIC, NUMERIC], NUMERIC, numeric_power),
    pure(1771, "numeric_uminus", &[NUMERIC], NUMERIC, numeric_uminus),
    pure(1915, "numeric_uplus", &[NUMERIC], NUMERIC, same),
    pure(1704, "numeric_abs", &[NUMERIC], NUMERIC, numeric_abs),
    pure(1705, "abs", &[NUMERIC], NUMERIC, numeric_abs),
    pure(1708, "round", &[NUMERIC], NUMERIC, numeric_round),
    pure(1707, "round", &[NUMERIC, INT4], NUMERIC, numeric_round),
    pure(1710, "trunc", &[NUMERIC], NUMERIC, numeric_trunc),
    pure(1709, "trunc", &[NUMERIC, INT4], NUMERIC, numeric_trunc),
    pure(1711, "ceil", &[NUMERIC], NUMERIC, numeric_ceil),
    pure(2167, "ceiling", &[NUMERIC], NUMERIC, numeric_ceil),
    pure(1712, "floor", &[NUMERIC], NUMERIC, numeric_floor),
    pure(1730, "sqrt", &[NUMERIC], NUMERIC, numeric_sqrt),
    pure(1706, "sign", &[NUMERIC], NUMERIC, numeric_sign),
    pure(218, "float8pl", &[FLOAT8, FLOAT8], FLOAT8, float_add),
    pure(219, "float8mi", &[FLOAT8, FLOAT8], FLOAT8, float_sub),
    pure(216, "float8mul", &[FLOAT8, FLOAT8], FLOAT8, float_mul),
    pure(217, "float8div", &[FLOAT8, FLOAT8], FLOAT8, float_div),
    pure(204, "float4pl", &[FLOAT4, FLOAT4], FLOAT4, float_add),
    pure(205, "float4mi", &[FLOAT4, FLOAT4], FLOAT4, float_sub),
    pure(202, "float4mul", &[FLOAT4, FLOAT4], FLOAT4, float_mul),
    pure(203, "float4div", &[FLOAT4, FLOAT4], FLOAT4, float_div),
    pure(281, "float48pl", &[FLOAT4, FLOAT8], FLOAT8, float_add),
    pure(282, "float48mi", &[FLOAT4, FLOAT8], FLOAT8, float_sub),
    pure(279, "float48mul", &[FLOAT4, FLOAT8], FLOAT8, float_mul),
    pure(280, "float48div", &[FLOAT4, FLOAT8], FLOAT8, float_div),
    pure(285, "float84pl", &[FLOAT8, FLOAT4], FLOAT8, float_add),
    pure(286, "float84mi", &[FLOAT8, FLOAT4], FLOAT8, float_sub),
    pure(283, "float84mul", &[FLOAT8, FLOAT4], FLOAT8, float_mul),
    pure(284, "float84div", &[FLOAT8, FLOAT4], FLOAT8, float_div),
    pure(220, "float8um", &[FLOAT8], FLOAT8, float_neg),
    pure(206, "float4um", &[FLOAT4], FLOAT4, float_neg),
    pure(1914, "float8up", &[FLOAT8], FLOAT8, same),
    pure(1913, "float4up", &[FLOAT4], FLOAT4, same),
    pure(221, "float8abs", &[FLOAT8], FLOAT8, float_abs),
    pure(207, "float4abs", &[FLOAT4], FLOAT4, float_abs),
    pure(1395, "abs", &[FLOAT8], FLOAT8, float_abs),
    pure(1394, "abs", &[FLOAT4], FLOAT4, float_abs),
    pure(1342, "round", &[FLOAT8], FLOAT8, float_round),
    pure(1343, "trunc", &[FLOAT8], FLOAT8, float_trunc),
    pure(2308, "ceil", &[FLOAT8], FLOAT8, float_ceil),
    pure(2320, "ceiling", &[FLOAT8], FLOAT8, float_ceil),
    pure(2309, "floor", &[FLOAT8], FLOAT8, float_floor),
    pure(1344, "sqrt", &[FLOAT8], FLOAT8, float_sqrt),
    pure(230, "dsqrt", &[FLOAT8], FLOAT8, float_sqrt),
];
