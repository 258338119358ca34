//! Functions that return rows: `generate_series`, `unnest`, `generate_subscripts`.

use std::sync::Arc;

use super::{Body, Builtin, CallContext, SetRows, pure, unused};
use crate::error::{PgError, Result, sqlstate};
use crate::types::numeric::Numeric;
use crate::types::oid::{ANYARRAY, ANYELEMENT, BOOL, INT4, INT8, NUMERIC};
use crate::types::{Array, Value};

/// Rows made by a closure, one column each.
struct Made<F>(F);

impl<F: FnMut() -> Result<Option<Value>> + Send> SetRows for Made<F> {
    fn next(&mut self) -> Result<Option<Vec<Value>>> {
        Ok((self.0)()?.map(|value| vec![value]))
    }
}

fn rows(next: impl FnMut() -> Result<Option<Value>> + Send + 'static) -> Result<Box<dyn SetRows>> {
    Ok(Box::new(Made(next)))
}

fn zero_step() -> PgError {
    PgError::new(sqlstate::INVALID_PARAMETER_VALUE, "step size cannot equal zero")
}

fn integer(value: &Value) -> Result<i64> {
    match value {
        Value::Int4(number) => Ok(i64::from(*number)),
        Value::Int8(number) => Ok(*number),
        other => Err(PgError::internal(format!("not an integer: {other:?}"))),
    }
}

/// Over `integer` and `bigint`; ends at the type's bounds without an error.
fn generate_series(call: &CallContext<'_>, args: &[Value]) -> Result<Box<dyn SetRows>> {
    let (mut at, end) = (Some(integer(&args[0])?), integer(&args[1])?);
    let step = args.get(2).map_or(Ok(1), integer)?;
    if step == 0 {
        return Err(zero_step());
    }
    let small = call.return_type == INT4;
    rows(move || {
        let Some(value) = at.filter(|value| if step > 0 { *value <= end } else { *value >= end }) else {
            return Ok(None);
        };
        at = value.checked_add(step);
        #[allow(clippy::cast_possible_truncation)]
        Ok(Some(if small {
            Value::Int4(value as i32)
        } else {
            Value::Int8(value)
        }))
    })
}

fn generate_series_numeric(_: &CallContext<'_>, args: &[Value]) -> Result<Box<dyn SetRows>> {
    let number = |at: usize| match &args[at] {
        Value::Numeric(number) => Ok(number.clone()),
        other => Err(PgError::internal(format!("not a numeric: {other:?}"))),
    };
    let step = if args.len() > 2 {
        number(2)?
    } else {
        Numeric::Small { digits: 1, scale: 0 }
    };
    let (mut at, end) = (number(0)?, number(1)?);
    for (what, value) in [("start", &at), ("stop", &end), ("step size", &step)] {
        if !value.is_finite() {
            let kind = if value.is_nan() { "NaN" } else { "infinity" };
            return Err(PgError::new(
                sqlstate::INVALID_PARAMETER_VALUE,
                format!("{what} value cannot be {kind}"),
            ));
        }
    }
    if step.is_zero() {
        return Err(zero_step());
    }
    rows(move || {
        let order = crate::types::compare::compare_as(NUMERIC, &Value::Numeric(at.clone()), &Value::Numeric(end.clone()));
        if if step.signum() > 0 { order.is_gt() } else { order.is_lt() } {
            return Ok(None);
        }
        let value = at.clone();
        at = at.add(&step)?;
        Ok(Some(Value::Numeric(value)))
    })
}

fn array(value: &Value) -> Result<Arc<Array>> {
    match value {
        Value::Array(array) => Ok(Arc::clone(array)),
        other => Err(PgError::internal(format!("not an array: {other:?}"))),
    }
}

fn unnest(_: &CallContext<'_>, args: &[Value]) -> Result<Box<dyn SetRows>> {
    let array = array(&args[0])?;
    let mut at = 0;
    rows(move || {
        let value = array.values.get(at).cloned();
        at += 1;
        Ok(value)
    })
}

fn generate_subscripts(_: &CallContext<'_>, args: &[Value]) -> Result<Box<dyn SetRows>> {
    let array = array(&args[0])?;
    let dim = usize::try_from(integer(&args[1])? - 1)
        .ok()
        .and_then(|dim| array.dims.get(dim))
        .copied();
    let backward = matches!(args.get(2), Some(Value::Bool(true)));
    let (first, last) = dim.map_or((1, 0), |dim| (dim.lower, dim.lower + dim.len - 1));
    let mut left = first..=last;
    rows(move || Ok(if backward { left.next_back() } else { left.next() }.map(Value::Int4)))
}

#[rustfmt::skip]
pub const FUNCTIONS: &[Builtin] = &[
    Builtin { body: Body::Set(generate_series), ..pure(1067, "generate_series", &[INT4, INT4], INT4, unused) },
    Builtin { body: Body::Set(generate_series), ..pure(1066, "generate_series", &[INT4, INT4, INT4], INT4, unused) },
    Builtin { body: Body::Set(generate_series), ..pure(1069, "generate_series", &[INT8, INT8], INT8, unused) },
    Builtin { body: Body::Set(generate_series), ..pure(1068, "generate_series", &[INT8, INT8, INT8], INT8, unused) },
    Builtin { body: Body::Set(generate_series_numeric), ..pure(3260, "generate_series", &[NUMERIC, NUMERIC], NUMERIC, unused) },
    Builtin { body: Body::Set(generate_series_numeric), ..pure(3259, "generate_series", &[NUMERIC, NUMERIC, NUMERIC], NUMERIC, unused) },
    Builtin { body: Body::Set(unnest), ..pure(2331, "unnest", &[ANYARRAY], ANYELEMENT, unused) },
    Builtin { body: Body::Set(generate_subscripts), ..pure(1192, "generate_subscripts", &[ANYARRAY, INT4], INT4, unused) },
    Builtin { body: Body::Set(generate_subscripts), ..pure(1191, "generate_subscripts", &[ANYARRAY, INT4, BOOL], INT4, unused) },
];
