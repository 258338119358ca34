//! Sizes of arrays, and joining them.

use std::sync::Arc;

use super::{Builtin, CallContext, pure};
use crate::error::{PgError, Result, sqlstate};
use crate::types::compare::equal_as;
use crate::types::oid::*;
use crate::types::{Array, ArrayDim, Value};

fn array(value: &Value) -> Result<&Arc<Array>> {
    match value {
        Value::Array(array) => Ok(array),
        other => Err(PgError::internal(format!("not an array: {other:?}"))),
    }
}

fn dimension(args: &[Value]) -> Result<Option<ArrayDim>> {
    let Value::Int4(number) = args[1] else {
        return Err(PgError::internal("not an integer"));
    };
    Ok(usize::try_from(number - 1)
        .ok()
        .and_then(|at| array(&args[0]).ok()?.dims.get(at).copied()))
}

fn array_length(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(dimension(args)?.map_or(Value::Null, |dim| Value::Int4(dim.len)))
}

fn array_upper(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(dimension(args)?.map_or(Value::Null, |dim| Value::Int4(dim.lower + dim.len - 1)))
}

fn array_lower(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(dimension(args)?.map_or(Value::Null, |dim| Value::Int4(dim.lower)))
}

fn array_ndims(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let count = array(&args[0])?.dims.len();
    Ok(if count == 0 {
        Value::Null
    } else {
        Value::Int4(i32::try_from(count).unwrap_or(i32::MAX))
    })
}

fn cardinality(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::Int4(i32::try_from(array(&args[0])?.values.len()).unwrap_or(i32::MAX)))
}

/// One dimension grows by values in front of or behind it.
fn joined(element: crate::ids::Oid, lower: i32, values: Vec<Value>) -> Value {
    let dims = if values.is_empty() {
        Vec::new()
    } else {
        vec![ArrayDim {
            len: i32::try_from(values.len()).unwrap_or(i32::MAX),
            lower,
        }]
    };
    Value::Array(Arc::new(Array { element, dims, values }))
}

fn one_dimension(array: &Array) -> Result<i32> {
    match array.dims[..] {
        [] => Ok(1),
        [dim] => Ok(dim.lower),
        _ => Err(PgError::new(
            sqlstate::DATA_EXCEPTION,
            "argument must be empty or one-dimensional array",
        )),
    }
}

fn array_append(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let Value::Array(array) = &args[0] else {
        return Ok(joined(call.arg_types[1], 1, vec![args[1].clone()]));
    };
    let lower = one_dimension(array)?;
    let values = array.values.iter().cloned().chain([args[1].clone()]).collect();
    Ok(joined(array.element, lower, values))
}

fn array_prepend(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let Value::Array(array) = &args[1] else {
        return Ok(joined(call.arg_types[0], 1, vec![args[0].clone()]));
    };
    let lower = one_dimension(array)?;
    let values = [args[0].clone()].into_iter().chain(array.values.iter().cloned()).collect();
    Ok(joined(array.element, lower, values))
}

fn array_cat(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    match (&args[0], &args[1]) {
        (Value::Null, other) | (other, Value::Null) => Ok(other.clone()),
        (Value::Array(a), other) if a.dims.is_empty() => Ok(other.clone()),
        (other, Value::Array(b)) if b.dims.is_empty() => Ok(other.clone()),
        (Value::Array(a), Value::Array(b)) if a.dims.len() == 1 && b.dims.len() == 1 => Ok(joined(
            a.element,
            a.dims[0].lower,
            a.values.iter().chain(&b.values).cloned().collect(),
        )),
        _ => Err(PgError::unsupported("joining arrays of several dimensions")),
    }
}

fn contains(whole: &Array, part: &Array) -> bool {
    let has = |value: &Value| {
        !value.is_null()
            && whole
                .values
                .iter()
                .any(|one| !one.is_null() && equal_as(whole.element, one, value))
    };
    part.values.iter().all(has)
}

fn array_contains(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::Bool(contains(array(&args[0])?, array(&args[1])?)))
}

fn array_contained(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::Bool(contains(array(&args[1])?, array(&args[0])?)))
}

fn array_overlap(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let (a, b) = (array(&args[0])?, array(&args[1])?);
    let shared = |value: &Value| !value.is_null() && b.values.iter().any(|one| !one.is_null() && equal_as(b.element, one, value));
    Ok(Value::Bool(a.values.iter().any(shared)))
}

fn array_position(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let Value::Array(array) = &args[0] else {
        return Ok(Value::Null);
    };
    let lower = one_dimension(array)?;
    let same = |one: &Value| match (one.is_null(), args[1].is_null()) {
        (false, false) => equal_as(array.element, one, &args[1]),
        (a, b) => a && b,
    };
    let at = array.values.iter().position(same).and_then(|at| i32::try_from(at).ok());
    Ok(at.map_or(Value::Null, |at| Value::Int4(at + lower)))
}

#[rustfmt::skip]
pub const FUNCTIONS: &[Builtin] = &[
    pure(2176, "array_length", &[ANYARRAY, INT4], INT4, array_length),
    pure(2092, "array_upper", &[ANYARRAY, INT4], INT4, array_upper),
    pure(2091, "array_lower", &[ANYARRAY, INT4], INT4, array_lower),
    pure(748, "array_ndims", &[ANYARRAY], INT4, array_ndims),
    pure(3179, "cardinality", &[ANYARRAY], INT4, cardinality),
    pure(378, "array_append", &[ANYCOMPATIBLEARRAY, ANYCOMPATIBLE], ANYCOMPATIBLEARRAY, array_append).called_on_null(),
    pure(379, "array_prepend", &[ANYCOMPATIBLE, ANYCOMPATIBLEARRAY], ANYCOMPATIBLEARRAY, array_prepend).called_on_null(),
    pure(383, "array_cat", &[ANYCOMPATIBLEARRAY, ANYCOMPATIBLEARRAY], ANYCOMPATIBLEARRAY, array_cat).called_on_null(),
    pure(2748, "arraycontains", &[ANYARRAY, ANYARRAY], BOOL, array_contains),
    pure(2749, "arraycontained", &[ANYARRAY, ANYARRAY], BOOL, array_contained),
    pure(2747, "arrayoverlap", &[ANYARRAY, ANYARRAY], BOOL, array_overlap),
    pure(3277, "array_position", &[ANYCOMPATIBLEARRAY, ANYCOMPATIBLE], INT4, array_position).called_on_null(),
];
