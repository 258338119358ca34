//! Arrays with elements taken out or put in place of others.

use std::sync::Arc;

use super::{Builtin, CallContext, pure};
use crate::error::{PgError, Result};
use crate::types::compare::equal_as;
use crate::types::oid::*;
use crate::types::{Array, Value};

/// The array, `None` where it is null.
fn array(value: &Value) -> Result<Option<&Arc<Array>>> {
    match value {
        Value::Null => Ok(None),
        Value::Array(array) => Ok(Some(array)),
        other => Err(PgError::internal(format!("not an array: {other:?}"))),
    }
}

/// Nulls are like each other here.
fn same(array: &Array, a: &Value, b: &Value) -> bool {
    match (a.is_null(), b.is_null()) {
        (true, true) => true,
        (false, false) => equal_as(array.element, a, b),
        _ => false,
    }
}

fn array_remove(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let Some(from) = array(&args[0])? else {
        return Ok(Value::Null);
    };
    if from.dims.len() > 1 {
        return Err(PgError::new(
            crate::error::sqlstate::FEATURE_NOT_SUPPORTED,
            "removing elements from multidimensional arrays is not supported",
        ));
    }
    let left: Vec<Value> = from.values.iter().filter(|value| !same(from, value, &args[1])).cloned().collect();
    if left.len() == from.values.len() {
        return Ok(args[0].clone());
    }
    let mut result = Array::one(from.element, left);
    if let (Some(dim), Some(before)) = (result.dims.first_mut(), from.dims.first()) {
        dim.lower = before.lower;
    }
    Ok(Value::Array(Arc::new(result)))
}

fn array_replace(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let Some(from) = array(&args[0])? else {
        return Ok(Value::Null);
    };
    let replaced = |value: &Value| if same(from, value, &args[1]) { args[2].clone() } else { value.clone() };
    Ok(Value::Array(Arc::new(Array {
        element: from.element,
        dims: from.dims.clone(),
        values: from.values.iter().map(replaced).collect(),
    })))
}

pub const FUNCTIONS: &[Builtin] = &[
    pure(
        3167,
        "array_remove",
        &[ANYCOMPATIBLEARRAY, ANYCOMPATIBLE],
        ANYCOMPATIBLEARRAY,
        array_remove,
    )
    .called_on_null(),
    pure(
        3168,
        "array_replace",
        &[ANYCOMPATIBLEARRAY, ANYCOMPATIBLE, ANYCOMPATIBLE],
        ANYCOMPATIBLEARRAY,
        array_replace,
    )
    .called_on_null(),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_removed_with_their_likes() {
        let list = |values: &[i32]| Array::one(INT4, values.iter().map(|n| Value::Int4(*n)).collect());
        let mut from = list(&[1, 2, 1]);
        from.dims[0].lower = 3;
        assert!(same(&from, &Value::Int4(1), &Value::Int4(1)) && same(&from, &Value::Null, &Value::Null));
        assert!(!same(&from, &Value::Int4(1), &Value::Null));
        assert!(array(&Value::Null).is_ok_and(|found| found.is_none()));
    }
}
