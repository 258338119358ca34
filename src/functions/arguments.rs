//! Reading arguments: what the binder promised about their types, checked again without a panic.

use std::sync::Arc;

use super::SetRows;
use crate::error::{PgError, Result, sqlstate};
use crate::types::numeric::Numeric;
use crate::types::{Array, Interval, Value};

fn wrong<T>(what: &str, value: &Value) -> Result<T> {
    Err(PgError::internal(format!("not {what}: {value:?}")))
}

pub(crate) fn text(value: &Value) -> Result<&str> {
    match value {
        Value::Text(text) => Ok(text),
        other => wrong("a text", other),
    }
}

pub(crate) fn bytes(value: &Value) -> Result<&[u8]> {
    match value {
        Value::Bytea(bytes) => Ok(bytes),
        other => wrong("a bytea", other),
    }
}

pub(crate) fn boolean(value: &Value) -> Result<bool> {
    match value {
        Value::Bool(truth) => Ok(*truth),
        other => wrong("a boolean", other),
    }
}

/// Any of the integer types.
pub(crate) fn int(value: &Value) -> Result<i64> {
    match value {
        Value::Int4(number) => Ok(i64::from(*number)),
        Value::Int8(number) => Ok(*number),
        Value::Int2(number) => Ok(i64::from(*number)),
        other => wrong("an integer", other),
    }
}

pub(crate) fn int4(value: &Value) -> Result<i32> {
    match value {
        Value::Int4(number) => Ok(*number),
        other => wrong("an integer", other),
    }
}

pub(crate) fn double(value: &Value) -> Result<f64> {
    match value {
        Value::Float8(number) => Ok(*number),
        Value::Float4(number) => Ok(f64::from(*number)),
        other => wrong("a float", other),
    }
}

pub(crate) fn numeric(value: &Value) -> Result<&Numeric> {
    match value {
        Value::Numeric(number) => Ok(number),
        other => wrong("a numeric", other),
    }
}

pub(crate) fn interval(value: &Value) -> Result<&Interval> {
    match value {
        Value::Interval(interval) => Ok(interval),
        other => wrong("an interval", other),
    }
}

pub(crate) fn array(value: &Value) -> Result<&Arc<Array>> {
    match value {
        Value::Array(array) => Ok(array),
        other => wrong("an array", other),
    }
}

/// A length or a place as `integer`.
pub(crate) fn count(value: usize) -> Result<Value> {
    i32::try_from(value).map(Value::Int4).map_err(|_| integer_out_of_range())
}

pub(crate) fn integer_out_of_range() -> PgError {
    PgError::new(sqlstate::NUMERIC_VALUE_OUT_OF_RANGE, "integer out of range")
}

/// 22023 with this message.
pub(crate) fn invalid(message: impl Into<String>) -> PgError {
    PgError::new(sqlstate::INVALID_PARAMETER_VALUE, message)
}

/// Rows that are all there at the start.
pub(crate) struct Listed(std::vec::IntoIter<Vec<Value>>);

impl SetRows for Listed {
    fn next(&mut self) -> Result<Option<Vec<Value>>> {
        Ok(self.0.next())
    }
}

pub(crate) fn listed(rows: Vec<Vec<Value>>) -> Result<Box<dyn SetRows>> {
    Ok(Box::new(Listed(rows.into_iter())))
}

/// Rows of one column.
pub(crate) fn listed_values(values: impl IntoIterator<Item = Value>) -> Result<Box<dyn SetRows>> {
    listed(values.into_iter().map(|value| vec![value]).collect())
}
