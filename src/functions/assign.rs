//! What `SET array[i] = x`, `SET array[a:b] = x` and `SET row.field = x` compute: the binder makes calls of these.

use std::sync::Arc;

use super::{Builtin, CallContext, pure};
use crate::error::{PgError, Result, sqlstate};
use crate::types::env::UserType;
use crate::types::oid::{ANY, ANYARRAY, ANYELEMENT, INT4, INT4_ARRAY, TEXT};
use crate::types::value::ArrayDim;
use crate::types::{Array, Record, Value};

fn subscript_error(text: &str) -> PgError {
    PgError::new(sqlstate::ARRAY_SUBSCRIPT_ERROR, text)
}

/// Subscripts as the binder passes them; a null among them is refused.
fn subscripts(value: &Value) -> Result<Vec<i64>> {
    let Value::Array(array) = value else {
        return Err(PgError::internal("subscripts are an array"));
    };
    array
        .values
        .iter()
        .map(|value| match value {
            Value::Int4(v) => Ok(i64::from(*v)),
            _ => Err(PgError::new(
                sqlstate::NULL_VALUE_NOT_ALLOWED,
                "array subscript in assignment must not be null",
            )),
        })
        .collect()
}

/// A one-dimensional array from `lower`, a value for each place.
fn line(element: crate::ids::Oid, lower: i64, values: Vec<Value>) -> Result<Value> {
    let too_large = || {
        PgError::new(
            sqlstate::PROGRAM_LIMIT_EXCEEDED,
            "array size exceeds the maximum allowed (134217727)",
        )
    };
    let len = i32::try_from(values.len()).map_err(|_| too_large())?;
    let lower = i32::try_from(lower).map_err(|_| too_large())?;
    let dims = vec![ArrayDim { len, lower }];
    Ok(Value::Array(Arc::new(Array { element, dims, values })))
}

/// Puts `given` at `lower` into a one-dimensional array, with nulls in any gap.
fn put(base: Option<&Array>, element: crate::ids::Oid, lower: i64, given: &[Value]) -> Result<Value> {
    const SIZE_MAX: i64 = 134_217_727;
    let count = given.len() as i64;
    let (old_lower, old) = match base {
        Some(array) if !array.dims.is_empty() => (i64::from(array.dims[0].lower), array.values.as_slice()),
        _ => return line(element, lower, given.to_vec()),
    };
    let old_end = old_lower + old.len() as i64;
    let (new_lower, new_end) = (old_lower.min(lower), old_end.max(lower + count));
    if new_end - new_lower > SIZE_MAX {
        return Err(PgError::new(
            sqlstate::PROGRAM_LIMIT_EXCEEDED,
            format!("array size exceeds the maximum allowed ({SIZE_MAX})"),
        ));
    }
    let values = (new_lower..new_end)
        .map(|at| {
            if (lower..lower + count).contains(&at) {
                given[(at - lower) as usize].clone()
            } else if (old_lower..old_end).contains(&at) {
                old[(at - old_lower) as usize].clone()
            } else {
                Value::Null
            }
        })
        .collect();
    line(element, new_lower, values)
}

/// `array[i, ...] = value` (`array_set_element`).
fn array_element(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let places = subscripts(&args[2])?;
    let base = match &args[0] {
        Value::Array(array) => Some(&**array),
        _ => None,
    };
    let element = call.arg_types.get(1).copied().unwrap_or(TEXT);
    let dims = base.map_or(&[][..], |array| &array.dims);
    if let [place] = places.as_slice()
        && dims.len() <= 1
    {
        return put(base, element, *place, &args[1..2]);
    }
    if dims.is_empty() {
        let dims = places
            .iter()
            .map(|place| {
                let lower = i32::try_from(*place).map_err(|_| subscript_error("array subscript out of range"))?;
                Ok(ArrayDim { len: 1, lower })
            })
            .collect::<Result<Vec<_>>>()?;
        let values = vec![args[1].clone()];
        return Ok(Value::Array(Arc::new(Array { element, dims, values })));
    }
    if dims.len() != places.len() {
        return Err(subscript_error("wrong number of array subscripts"));
    }
    let mut offset = 0_usize;
    for (dim, place) in dims.iter().zip(&places) {
        let at = place - i64::from(dim.lower);
        if at < 0 || at >= i64::from(dim.len) {
            return Err(subscript_error("array subscript out of range"));
        }
        offset = offset * dim.len as usize + at as usize;
    }
    let mut array = base.cloned().unwrap_or_else(|| Array::one(element, Vec::new()));
    array.values[offset] = args[1].clone();
    Ok(Value::Array(Arc::new(array)))
}

/// `array[low:high] = value` (`array_set_slice`), of one dimension.
fn array_slice(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let Value::Array(source) = &args[1] else {
        // A null source changes nothing.
        return Ok(args[0].clone());
    };
    let (lows, highs) = (subscripts(&args[2])?, subscripts(&args[3])?);
    let base = match &args[0] {
        Value::Array(array) => Some(&**array),
        _ => None,
    };
    let ([low], [high]) = (lows.as_slice(), highs.as_slice()) else {
        return Err(PgError::unsupported("assignment to a slice of several dimensions"));
    };
    if base.is_some_and(|array| array.dims.len() > 1) {
        return Err(PgError::unsupported("assignment to a slice of several dimensions"));
    }
    if low > high {
        return Err(subscript_error("upper bound cannot be less than lower bound"));
    }
    let count = usize::try_from(high - low + 1).unwrap_or(usize::MAX);
    if source.values.len() < count {
        return Err(subscript_error("source array too small"));
    }
    put(base, source.element, *low, &source.values[..count])
}

/// `row.field = value`: the row (a new one of nulls for null), the value, the field's place.
fn row_field(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let Value::Int4(place) = args[2] else {
        return Err(PgError::internal("a field's place is an integer"));
    };
    let mut record = match &args[0] {
        Value::Record(record) => (**record).clone(),
        _ => match call.env.names.user_type(call.return_type) {
            Some(UserType::Composite { fields, .. }) => Record {
                ty: call.return_type,
                fields: fields.iter().map(|(_, ty, _)| (*ty, Value::Null)).collect(),
                names: Some(fields.iter().map(|(name, ..)| name.clone()).collect()),
            },
            _ => return Err(PgError::internal("assignment to a field of no row")),
        },
    };
    match record.fields.get_mut(place as usize) {
        Some(field) => field.1 = args[1].clone(),
        None => return Err(PgError::internal("assignment to a field that is not there")),
    }
    Ok(Value::Record(Arc::new(record)))
}

/// OIDs of the assignments, by which the binder finds them.
pub const ARRAY_ELEMENT: u32 = 15191;
pub const ARRAY_SLICE: u32 = 15192;
pub const ROW_FIELD: u32 = 15193;

#[rustfmt::skip]
pub const FUNCTIONS: &[Builtin] = &[
    pure(ARRAY_ELEMENT, "holdfast.set_element", &[ANYARRAY, ANYELEMENT, INT4_ARRAY], ANYARRAY, array_element).called_on_null(),
    pure(ARRAY_SLICE, "holdfast.set_slice", &[ANYARRAY, ANYARRAY, INT4_ARRAY, INT4_ARRAY], ANYARRAY, array_slice).called_on_null(),
    pure(ROW_FIELD, "holdfast.set_field", &[ANYELEMENT, ANY, INT4], ANYELEMENT, row_field).called_on_null(),
];
