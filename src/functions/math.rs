//! Mathematical functions: exponentials, logarithms, trigonometry, `width_bucket`, divisors.

use super::arguments::{array, double, int, int4, integer_out_of_range, numeric};
use super::numerics::numeric_power;
use super::{Builtin, CallContext, pure};
use crate::error::{PgError, Result, SqlState, sqlstate};
use crate::types::Value;
use crate::types::compare::{compare_as, compare_floats};
use crate::types::numeric::Numeric;
use crate::types::oid::{ANYCOMPATIBLE, ANYCOMPATIBLEARRAY, FLOAT4, FLOAT8, INT4, INT8, NUMERIC};

fn error(code: SqlState, message: &str) -> PgError {
    PgError::new(code, message)
}

fn overflow() -> PgError {
    error(sqlstate::NUMERIC_VALUE_OUT_OF_RANGE, "value out of range: overflow")
}

fn underflow() -> PgError {
    error(sqlstate::NUMERIC_VALUE_OUT_OF_RANGE, "value out of range: underflow")
}

fn input_out_of_range() -> PgError {
    error(sqlstate::NUMERIC_VALUE_OUT_OF_RANGE, "input is out of range")
}

fn float8(value: f64) -> Result<Value> {
    Ok(Value::Float8(value))
}

fn dcbrt(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    float8(double(&args[0])?.cbrt())
}

fn dexp(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let power = double(&args[0])?;
    let result = power.exp();
    match () {
        () if result.is_infinite() && !power.is_infinite() => Err(overflow()),
        () if result == 0.0 && !power.is_infinite() => Err(underflow()),
        () => float8(result),
    }
}

fn log_domain(value: f64) -> Result<f64> {
    let bad = |message| Err(error(sqlstate::INVALID_ARGUMENT_FOR_LOG, message));
    if value == 0.0 {
        return bad("cannot take logarithm of zero");
    }
    if value < 0.0 {
        return bad("cannot take logarithm of a negative number");
    }
    Ok(value)
}

fn dlog1(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    float8(log_domain(double(&args[0])?)?.ln())
}

fn dlog10(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    float8(log_domain(double(&args[0])?)?.log10())
}

fn dpow(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let (base, power) = (double(&args[0])?, double(&args[1])?);
    let bad = |message| Err(error(sqlstate::INVALID_ARGUMENT_FOR_POWER_FUNCTION, message));
    if base == 0.0 && power < 0.0 {
        return bad("zero raised to a negative power is undefined");
    }
    if base < 0.0 && base.is_finite() && power.is_finite() && power.fract() != 0.0 {
        return bad("a negative number raised to a non-integer power yields a complex result");
    }
    let result = base.powf(power);
    if base.is_finite() && power.is_finite() {
        if result.is_infinite() {
            return Err(overflow());
        }
        if result == 0.0 && base != 0.0 {
            return Err(underflow());
        }
    }
    float8(result)
}

fn dsign(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let value = double(&args[0])?;
    float8(if value > 0.0 {
        1.0
    } else if value < 0.0 {
        -1.0
    } else {
        0.0
    })
}

/// Functions of one angle, which has to be finite.
macro_rules! of_angle {
    ($($name:ident => $method:expr;)*) => {$(
        fn $name(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
            let angle = double(&args[0])?;
            if angle.is_infinite() {
                return Err(input_out_of_range());
            }
            let method: fn(f64) -> f64 = $method;
            float8(method(angle))
        }
    )*};
}

of_angle! {
    dsin => f64::sin;
    dcos => f64::cos;
    dtan => f64::tan;
    dcot => |angle| 1.0 / angle.tan();
    dsind => sind;
    dcosd => cosd;
    dtand => |angle| sind(angle) / cosd(angle);
    dcotd => |angle| cosd(angle) / sind(angle);
}

/// Functions of any number.
macro_rules! of_any {
    ($($name:ident => $method:expr;)*) => {$(
        fn $name(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
            let method: fn(f64) -> f64 = $method;
            float8(method(double(&args[0])?))
        }
    )*};
}

of_any! {
    datan => f64::atan;
    datand => |value| exact_degrees(value.atan());
    dsinh => f64::sinh;
    dcosh => f64::cosh;
    dtanh => f64::tanh;
    dasinh => f64::asinh;
}

/// Functions of a number from -1 to 1.
macro_rules! of_ratio {
    ($($name:ident => $method:expr;)*) => {$(
        fn $name(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
            let ratio = double(&args[0])?;
            if !ratio.is_nan() && !(-1.0..=1.0).contains(&ratio) {
                return Err(input_out_of_range());
            }
            let method: fn(f64) -> f64 = $method;
            float8(method(ratio))
        }
    )*};
}

of_ratio! {
    dasin => f64::asin;
    dacos => f64::acos;
    dasind => |ratio| exact_degrees(ratio.asin());
    dacosd => |ratio| exact_degrees(ratio.acos());
    datanh => f64::atanh;
}

fn dacosh(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let value = double(&args[0])?;
    if value < 1.0 {
        return Err(input_out_of_range());
    }
    float8(value.acosh())
}

fn datan2(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    float8(double(&args[0])?.atan2(double(&args[1])?))
}

fn datan2d(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    float8(exact_degrees(double(&args[0])?.atan2(double(&args[1])?)))
}

/// Degrees of an angle, whole and half ones exact.
fn exact_degrees(radians: f64) -> f64 {
    let degrees = radians.to_degrees();
    let near = (degrees * 2.0).round() / 2.0;
    if (degrees - near).abs() < 1e-13 { near } else { degrees }
}

/// Sine of degrees, exact where it is 0, a half or 1.
fn sind(degrees: f64) -> f64 {
    let mut angle = degrees % 360.0;
    let mut sign = 1.0;
    if angle < 0.0 {
        (angle, sign) = (-angle, -sign);
    }
    if angle > 180.0 {
        (angle, sign) = (360.0 - angle, -sign);
    }
    if angle > 90.0 {
        angle = 180.0 - angle;
    }
    sign * quadrant_sine(angle)
}

fn cosd(degrees: f64) -> f64 {
    let mut angle = (degrees % 360.0).abs();
    let mut sign = 1.0;
    if angle > 180.0 {
        angle = 360.0 - angle;
    }
    if angle > 90.0 {
        (angle, sign) = (180.0 - angle, -sign);
    }
    sign * quadrant_sine(90.0 - angle)
}

fn quadrant_sine(angle: f64) -> f64 {
    if angle == 30.0 {
        0.5
    } else if angle <= 45.0 {
        angle.to_radians().sin()
    } else if angle == 90.0 {
        1.0
    } else if angle == 60.0 {
        30.0_f64.to_radians().cos()
    } else {
        (90.0 - angle).to_radians().cos()
    }
}

fn degrees(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    float8(double(&args[0])? / (std::f64::consts::PI / 180.0))
}

fn radians(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    float8(double(&args[0])? * (std::f64::consts::PI / 180.0))
}

fn dpi(_: &CallContext<'_>, _: &[Value]) -> Result<Value> {
    float8(std::f64::consts::PI)
}

fn bucket_error(message: &str) -> PgError {
    error(sqlstate::INVALID_ARGUMENT_FOR_WIDTH_BUCKET_FUNCTION, message)
}

#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
fn width_bucket_float8(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let (operand, low, high) = (double(&args[0])?, double(&args[1])?, double(&args[2])?);
    let count = int4(&args[3])?;
    if count <= 0 {
        return Err(bucket_error("count must be greater than zero"));
    }
    if operand.is_nan() || low.is_nan() || high.is_nan() {
        return Err(bucket_error("operand, lower bound, and upper bound cannot be NaN"));
    }
    if !low.is_finite() || !high.is_finite() {
        return Err(bucket_error("lower and upper bounds must be finite"));
    }
    if low == high {
        return Err(bucket_error("lower bound cannot equal upper bound"));
    }
    let (outside, past) = if low < high {
        (operand < low, operand >= high)
    } else {
        (operand > low, operand <= high)
    };
    if outside {
        return Ok(Value::Int4(0));
    }
    if past {
        return count.checked_add(1).map(Value::Int4).ok_or_else(integer_out_of_range);
    }
    // Halved, so that the width of the widest range stays finite.
    let share = (operand / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
    Ok(Value::Int4(((f64::from(count) * share) as i32).min(count - 1) + 1))
}

fn width_bucket_numeric(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let (operand, low, high) = (numeric(&args[0])?, numeric(&args[1])?, numeric(&args[2])?);
    let count = int4(&args[3])?;
    if count <= 0 {
        return Err(bucket_error("count must be greater than zero"));
    }
    if operand.is_nan() || low.is_nan() || high.is_nan() {
        return Err(bucket_error("operand, lower bound, and upper bound cannot be NaN"));
    }
    if !low.is_finite() || !high.is_finite() {
        return Err(bucket_error("lower and upper bounds must be finite"));
    }
    let (outside, past) = match low.cmp(high) {
        std::cmp::Ordering::Equal => return Err(bucket_error("lower bound cannot equal upper bound")),
        std::cmp::Ordering::Less => (operand < low, operand >= high),
        std::cmp::Ordering::Greater => (operand > low, operand <= high),
    };
    if outside {
        return Ok(Value::Int4(0));
    }
    if past {
        return count.checked_add(1).map(Value::Int4).ok_or_else(integer_out_of_range);
    }
    let scaled = operand.sub(low)?.mul(&Numeric::from(i128::from(count)))?;
    let bucket = scaled.div_trunc(&high.sub(low)?)?.to_i32()?;
    Ok(Value::Int4(bucket.min(count - 1) + 1))
}

/// How many of the sorted thresholds are not above the operand.
fn width_bucket_array(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let thresholds = array(&args[1])?;
    if thresholds.dims.len() > 1 {
        return Err(PgError::new(
            sqlstate::ARRAY_SUBSCRIPT_ERROR,
            "thresholds must be one-dimensional array",
        ));
    }
    if thresholds.values.iter().any(Value::is_null) {
        return Err(PgError::new(
            sqlstate::NULL_VALUE_NOT_ALLOWED,
            "thresholds array must not contain NULLs",
        ));
    }
    let at = thresholds
        .values
        .partition_point(|one| compare_as(thresholds.element, one, &args[0]).is_le());
    super::arguments::count(at)
}

fn greatest_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn fit(call: &CallContext<'_>, value: Option<u64>) -> Result<Value> {
    let value = value.and_then(|value| i64::try_from(value).ok());
    if call.return_type == INT4 {
        let value = value.and_then(|value| i32::try_from(value).ok());
        return value.map(Value::Int4).ok_or_else(integer_out_of_range);
    }
    value
        .map(Value::Int8)
        .ok_or_else(|| error(sqlstate::NUMERIC_VALUE_OUT_OF_RANGE, "bigint out of range"))
}

fn int_gcd(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    fit(
        call,
        Some(greatest_divisor(int(&args[0])?.unsigned_abs(), int(&args[1])?.unsigned_abs())),
    )
}

fn int_lcm(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let (a, b) = (int(&args[0])?.unsigned_abs(), int(&args[1])?.unsigned_abs());
    if a == 0 || b == 0 {
        return fit(call, Some(0));
    }
    fit(call, (a / greatest_divisor(a, b)).checked_mul(b))
}

/// Functions of numerics that answer a numeric.
macro_rules! numeric_functions {
    ($($name:ident => |$a:ident $(, $b:ident)?| $body:expr;)*) => {$(
        fn $name(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
            let $a = numeric(&args[0])?;
            $(let $b = numeric(&args[1])?;)?
            $body.map(Value::Numeric)
        }
    )*};
}

numeric_functions! {
    numeric_exp => |a| a.exp();
    numeric_ln => |a| a.ln();
    numeric_log10 => |a| a.log10();
    numeric_log => |a, b| a.log(b);
    numeric_gcd => |a, b| a.gcd(b);
    numeric_lcm => |a, b| a.lcm(b);
    numeric_inc => |a| a.add(&Numeric::ONE);
    numeric_larger => |a, b| Ok::<_, PgError>(if a >= b { a.clone() } else { b.clone() });
    numeric_smaller => |a, b| Ok::<_, PgError>(if a <= b { a.clone() } else { b.clone() });
}

fn numeric_scale(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let number = numeric(&args[0])?;
    Ok(if number.is_finite() {
        Value::Int4(i32::from(number.scale()))
    } else {
        Value::Null
    })
}

fn numeric_min_scale(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let number = numeric(&args[0])?;
    Ok(if number.is_finite() {
        Value::Int4(i32::from(number.min_scale()))
    } else {
        Value::Null
    })
}

fn numeric_trim_scale(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::Numeric(numeric(&args[0])?.normalized()))
}

fn factorial(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    crate::types::numeric::factorial(int(&args[0])?).map(Value::Numeric)
}

fn larger(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let first = compare_floats(double(&args[0])?, double(&args[1])?).is_ge();
    Ok(args[usize::from(!first)].clone())
}

fn smaller(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let first = compare_floats(double(&args[0])?, double(&args[1])?).is_le();
    Ok(args[usize::from(!first)].clone())
}

#[rustfmt::skip]
pub const FUNCTIONS: &[Builtin] = &[
    pure(231, "dcbrt", &[FLOAT8], FLOAT8, dcbrt),
    pure(1345, "cbrt", &[FLOAT8], FLOAT8, dcbrt),
    pure(1347, "exp", &[FLOAT8], FLOAT8, dexp),
    pure(233, "dexp", &[FLOAT8], FLOAT8, dexp),
    pure(1341, "ln", &[FLOAT8], FLOAT8, dlog1),
    pure(234, "dlog1", &[FLOAT8], FLOAT8, dlog1),
    pure(1340, "log", &[FLOAT8], FLOAT8, dlog10),
    pure(1194, "log10", &[FLOAT8], FLOAT8, dlog10),
    pure(1339, "dlog10", &[FLOAT8], FLOAT8, dlog10),
    pure(232, "dpow", &[FLOAT8, FLOAT8], FLOAT8, dpow),
    pure(1368, "power", &[FLOAT8, FLOAT8], FLOAT8, dpow),
    pure(1346, "pow", &[FLOAT8, FLOAT8], FLOAT8, dpow),
    pure(1738, "pow", &[NUMERIC, NUMERIC], NUMERIC, numeric_power),
    pure(2310, "sign", &[FLOAT8], FLOAT8, dsign),
    pure(1604, "sin", &[FLOAT8], FLOAT8, dsin),
    pure(1605, "cos", &[FLOAT8], FLOAT8, dcos),
    pure(1606, "tan", &[FLOAT8], FLOAT8, dtan),
    pure(1607, "cot", &[FLOAT8], FLOAT8, dcot),
    pure(2735, "sind", &[FLOAT8], FLOAT8, dsind),
    pure(2736, "cosd", &[FLOAT8], FLOAT8, dcosd),
    pure(2737, "tand", &[FLOAT8], FLOAT8, dtand),
    pure(2738, "cotd", &[FLOAT8], FLOAT8, dcotd),
    pure(1600, "asin", &[FLOAT8], FLOAT8, dasin),
    pure(1601, "acos", &[FLOAT8], FLOAT8, dacos),
    pure(1602, "atan", &[FLOAT8], FLOAT8, datan),
    pure(1603, "atan2", &[FLOAT8, FLOAT8], FLOAT8, datan2),
    pure(2731, "asind", &[FLOAT8], FLOAT8, dasind),
    pure(2732, "acosd", &[FLOAT8], FLOAT8, dacosd),
    pure(2733, "atand", &[FLOAT8], FLOAT8, datand),
    pure(2734, "atan2d", &[FLOAT8, FLOAT8], FLOAT8, datan2d),
    pure(2462, "sinh", &[FLOAT8], FLOAT8, dsinh),
    pure(2463, "cosh", &[FLOAT8], FLOAT8, dcosh),
    pure(2464, "tanh", &[FLOAT8], FLOAT8, dtanh),
    pure(2465, "asinh", &[FLOAT8], FLOAT8, dasinh),
    pure(2466, "acosh", &[FLOAT8], FLOAT8, dacosh),
    pure(2467, "atanh", &[FLOAT8], FLOAT8, datanh),
    pure(1608, "degrees", &[FLOAT8], FLOAT8, degrees),
    pure(1609, "radians", &[FLOAT8], FLOAT8, radians),
    pure(1610, "pi", &[], FLOAT8, dpi),
    pure(320, "width_bucket", &[FLOAT8, FLOAT8, FLOAT8, INT4], INT4, width_bucket_float8),
    pure(2170, "width_bucket", &[NUMERIC, NUMERIC, NUMERIC, INT4], INT4, width_bucket_numeric),
    pure(3218, "width_bucket", &[ANYCOMPATIBLE, ANYCOMPATIBLEARRAY], INT4, width_bucket_array),
    pure(5044, "gcd", &[INT4, INT4], INT4, int_gcd),
    pure(5045, "gcd", &[INT8, INT8], INT8, int_gcd),
    pure(5048, "gcd", &[NUMERIC, NUMERIC], NUMERIC, numeric_gcd),
    pure(5046, "lcm", &[INT4, INT4], INT4, int_lcm),
    pure(5047, "lcm", &[INT8, INT8], INT8, int_lcm),
    pure(5049, "lcm", &[NUMERIC, NUMERIC], NUMERIC, numeric_lcm),
    pure(1732, "exp", &[NUMERIC], NUMERIC, numeric_exp),
    pure(1733, "numeric_exp", &[NUMERIC], NUMERIC, numeric_exp),
    pure(1734, "ln", &[NUMERIC], NUMERIC, numeric_ln),
    pure(1735, "numeric_ln", &[NUMERIC], NUMERIC, numeric_ln),
    pure(1741, "log", &[NUMERIC], NUMERIC, numeric_log10),
    pure(1481, "log10", &[NUMERIC], NUMERIC, numeric_log10),
    pure(1736, "log", &[NUMERIC, NUMERIC], NUMERIC, numeric_log),
    pure(1737, "numeric_log", &[NUMERIC, NUMERIC], NUMERIC, numeric_log),
    pure(1764, "numeric_inc", &[NUMERIC], NUMERIC, numeric_inc),
    pure(1767, "numeric_larger", &[NUMERIC, NUMERIC], NUMERIC, numeric_larger),
    pure(1766, "numeric_smaller", &[NUMERIC, NUMERIC], NUMERIC, numeric_smaller),
    pure(3281, "scale", &[NUMERIC], INT4, numeric_scale),
    pure(5042, "min_scale", &[NUMERIC], INT4, numeric_min_scale),
    pure(5043, "trim_scale", &[NUMERIC], NUMERIC, numeric_trim_scale),
    pure(1376, "factorial", &[INT8], NUMERIC, factorial),
    pure(223, "float8larger", &[FLOAT8, FLOAT8], FLOAT8, larger),
    pure(224, "float8smaller", &[FLOAT8, FLOAT8], FLOAT8, smaller),
    pure(209, "float4larger", &[FLOAT4, FLOAT4], FLOAT4, larger),
    pure(211, "float4smaller", &[FLOAT4, FLOAT4], FLOAT4, smaller),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sines_of_degrees_are_exact() {
        // select sind(30), cosd(60), sind(-90), cosd(180), tand(45)
        assert_eq!(sind(30.0), 0.5);
        assert_eq!(cosd(60.0), 0.5);
        assert_eq!(sind(-90.0), -1.0);
        assert_eq!(cosd(180.0), -1.0);
        assert_eq!(sind(45.0) / cosd(45.0), 1.0);
        assert_eq!(exact_degrees(0.5_f64.asin()), 30.0);
    }
}
