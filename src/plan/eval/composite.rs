//! Casts, arrays, rows and comparisons of several values.

use std::cmp::Ordering;
use std::sync::Arc;

use super::{EvalContext, Evaluated, eval};
use crate::bind::tree::{Cast, CastKind, Expr, RowOperator};
use crate::error::{PgError, sqlstate};
use crate::ids::Oid;
use crate::types::compare::compare_as;
use crate::types::{Array, ArrayDim, Record, Value, cast as casts, info};

pub(super) fn cast(cast: &Cast, expr: &Expr, row: &[Value], ctx: &EvalContext<'_>) -> Evaluated {
    let value = eval(&cast.arg, row, ctx)?;
    if value.is_null() && !matches!(cast.kind, CastKind::ToDomain) {
        return Ok(Value::Null);
    }
    match cast.kind {
        CastKind::Relabel => Ok(value),
        CastKind::Plain => Ok(casts::cast(
            cast.arg.ty,
            expr.ty,
            expr.typmod,
            &value,
            cast.explicit,
            &ctx.env,
        )?),
        CastKind::Typmod => Ok(casts::apply_typmod(expr.ty, expr.typmod, value, cast.explicit)?),
        CastKind::ArrayElements => cast_elements(value, cast, expr, ctx),
        CastKind::Row => Ok(match value {
            Value::Record(record) => Value::Record(Arc::new(Record {
                ty: expr.ty,
                fields: record.fields.clone(),
                names: record.names.clone(),
            })),
            other => other,
        }),
        CastKind::ToDomain => Err(PgError::unsupported("a domain").into()),
    }
}

fn cast_elements(value: Value, cast: &Cast, expr: &Expr, ctx: &EvalContext<'_>) -> Evaluated {
    let Value::Array(array) = value else {
        return Ok(value);
    };
    let element = info::element_type(expr.ty, ctx.env.names).unwrap_or(array.element);
    let mut values = Vec::with_capacity(array.values.len());
    for value in &array.values {
        values.push(match value {
            Value::Null => Value::Null,
            value => casts::cast(array.element, element, expr.typmod, value, cast.explicit, &ctx.env)?,
        });
    }
    Ok(Value::Array(Arc::new(Array {
        element,
        dims: array.dims.clone(),
        values,
    })))
}

/// `IS NULL` and `IS NOT NULL`; a row is null if all its fields are, not null if none is.
pub(super) fn null_test(value: &Value, negated: bool) -> bool {
    match value {
        Value::Record(record) => record.fields.iter().all(|(_, field)| field.is_null() != negated),
        other => other.is_null() != negated,
    }
}

pub(super) fn extreme(parts: &[Expr], ty: Oid, wanted: Ordering, row: &[Value], ctx: &EvalContext<'_>) -> Evaluated {
    let mut best = Value::Null;
    for part in parts {
        let value = eval(part, row, ctx)?;
        if !value.is_null() && (best.is_null() || compare_as(ty, &value, &best) == wanted) {
            best = value;
        }
    }
    Ok(best)
}

pub(super) fn array(elements: &[Expr], nested: bool, ty: Oid, row: &[Value], ctx: &EvalContext<'_>) -> Evaluated {
    let element = info::element_type(ty, ctx.env.names)
        .or_else(|| elements.first().map(|e| e.ty))
        .unwrap_or(crate::types::oid::TEXT);
    let mut values = Vec::with_capacity(elements.len());
    for part in elements {
        values.push(eval(part, row, ctx)?);
    }
    if nested {
        return nest(element, &values);
    }
    Ok(Value::Array(Arc::new(Array::one(element, values))))
}

fn nest(element: Oid, parts: &[Value]) -> Evaluated {
    let mut values = Vec::new();
    let mut inner: Option<&[ArrayDim]> = None;
    for part in parts {
        let dims: &[ArrayDim] = match part {
            Value::Array(array) => {
                values.extend(array.values.iter().cloned());
                &array.dims
            }
            _ => &[],
        };
        if inner.is_some_and(|inner| inner != dims) {
            return Err(PgError::new(
                sqlstate::ARRAY_SUBSCRIPT_ERROR,
                "multidimensional arrays must have array expressions with matching dimensions",
            )
            .into());
        }
        inner = Some(dims);
    }
    let inner = inner.unwrap_or_default();
    let mut dims = Vec::with_capacity(inner.len() + 1);
    if !inner.is_empty() {
        dims.push(ArrayDim {
            len: i32::try_from(parts.len()).unwrap_or(i32::MAX),
            lower: 1,
        });
        dims.extend_from_slice(inner);
    }
    Ok(Value::Array(Arc::new(Array { element, dims, values })))
}

pub(super) fn row_compare(
    operator: RowOperator,
    left: &[Expr],
    right: &[Expr],
    row: &[Value],
    ctx: &EvalContext<'_>,
) -> Evaluated {
    let mut unknown = false;
    for (a, b) in left.iter().zip(right) {
        let (x, y) = (eval(a, row, ctx)?, eval(b, row, ctx)?);
        let ordering = (!x.is_null() && !y.is_null()).then(|| compare_as(a.ty, &x, &y));
        match (operator, ordering) {
            // Equality goes on past a null: a later difference decides.
            (RowOperator::Eq | RowOperator::Ne, None) => unknown = true,
            (_, None) => return Ok(Value::Null),
            (_, Some(Ordering::Equal)) => {}
            (RowOperator::Eq, _) => return Ok(Value::Bool(false)),
            (RowOperator::Ne, _) => return Ok(Value::Bool(true)),
            (RowOperator::Lt | RowOperator::Le, Some(ordering)) => return Ok(Value::Bool(ordering == Ordering::Less)),
            (RowOperator::Gt | RowOperator::Ge, Some(ordering)) => return Ok(Value::Bool(ordering == Ordering::Greater)),
        }
    }
    if unknown {
        return Ok(Value::Null);
    }
    Ok(Value::Bool(matches!(
        operator,
        RowOperator::Eq | RowOperator::Le | RowOperator::Ge
    )))
}

pub(super) fn subscript(
    array: &Expr,
    indexes: &[(Option<Expr>, Option<Expr>)],
    slice: bool,
    row: &[Value],
    ctx: &EvalContext<'_>,
) -> Evaluated {
    let array = match eval(array, row, ctx)? {
        Value::Array(array) => array,
        Value::Text(name) if !slice => {
            let [(lower, upper)] = indexes else { return Ok(Value::Null) };
            let Some(index) = lower.as_ref().or(upper.as_ref()) else {
                return Ok(Value::Null);
            };
            return Ok(byte_of_name(&name, &eval(index, row, ctx)?));
        }
        _ => return Ok(Value::Null),
    };
    let mut bounds = Vec::with_capacity(indexes.len());
    for (place, (lower, upper)) in indexes.iter().enumerate() {
        let dim = array.dims.get(place).copied().unwrap_or(ArrayDim { len: 0, lower: 1 });
        let bound = |expr: &Option<Expr>, missing: i64| -> Evaluated<Option<i64>> {
            match expr {
                None => Ok(Some(missing)),
                Some(expr) => Ok(match eval(expr, row, ctx)? {
                    Value::Int4(v) => Some(i64::from(v)),
                    Value::Int2(v) => Some(i64::from(v)),
                    Value::Int8(v) => Some(v),
                    _ => None,
                }),
            }
        };
        let last = i64::from(dim.lower) + i64::from(dim.len) - 1;
        let pair = if slice {
            let low = bound(lower, i64::from(dim.lower))?;
            (low, bound(upper, last)?)
        } else {
            let at = bound(if lower.is_some() { lower } else { upper }, 0)?;
            (at, at)
        };
        match pair {
            (Some(low), Some(high)) => bounds.push((low, high)),
            _ => return Ok(Value::Null),
        }
    }
    if slice {
        slice_of(&array, &bounds)
    } else {
        Ok(element_of(&array, &bounds))
    }
}

/// A `name` is an array of `"char"` from 0.
fn byte_of_name(name: &str, index: &Value) -> Value {
    let at = match index {
        Value::Int4(at) => usize::try_from(*at).ok(),
        Value::Int2(at) => usize::try_from(*at).ok(),
        _ => None,
    };
    match at.and_then(|at| name.as_bytes().get(at)) {
        Some(byte) if byte.is_ascii() => Value::text(char::from(*byte).encode_utf8(&mut [0; 4]) as &str),
        _ => Value::text(""),
    }
}

fn element_of(array: &Array, bounds: &[(i64, i64)]) -> Value {
    if bounds.len() != array.dims.len() {
        return Value::Null;
    }
    let mut place = 0usize;
    for (dim, (at, _)) in array.dims.iter().zip(bounds) {
        let offset = at - i64::from(dim.lower);
        if offset < 0 || offset >= i64::from(dim.len) {
            return Value::Null;
        }
        place = place * usize::try_from(dim.len).unwrap_or(0) + usize::try_from(offset).unwrap_or(0);
    }
    array.values.get(place).cloned().unwrap_or_default()
}

fn slice_of(array: &Array, bounds: &[(i64, i64)]) -> Evaluated {
    let empty = || {
        Value::Array(Arc::new(Array {
            element: array.element,
            dims: Vec::new(),
            values: Vec::new(),
        }))
    };
    if bounds.len() > array.dims.len() {
        return Ok(empty());
    }
    let mut ranges = Vec::with_capacity(array.dims.len());
    for (place, dim) in array.dims.iter().enumerate() {
        let (first, last) = (i64::from(dim.lower), i64::from(dim.lower) + i64::from(dim.len) - 1);
        let (low, high) = bounds.get(place).copied().unwrap_or((first, last));
        let (low, high) = (low.max(first) - first, high.min(last) - first);
        if high < low {
            return Ok(empty());
        }
        ranges.push((usize::try_from(low).unwrap_or(0), usize::try_from(high).unwrap_or(0)));
    }
    let mut values = Vec::new();
    collect(array, &ranges, 0, 0, &mut values);
    let dims = ranges
        .iter()
        .map(|(low, high)| ArrayDim {
            len: i32::try_from(high - low + 1).unwrap_or(i32::MAX),
            lower: 1,
        })
        .collect();
    Ok(Value::Array(Arc::new(Array {
        element: array.element,
        dims,
        values,
    })))
}

fn collect(array: &Array, ranges: &[(usize, usize)], level: usize, base: usize, out: &mut Vec<Value>) {
    let len = usize::try_from(array.dims[level].len).unwrap_or(0);
    for at in ranges[level].0..=ranges[level].1 {
        let place = base * len + at;
        if level + 1 == ranges.len() {
            out.extend(array.values.get(place).cloned());
        } else {
            collect(array, ranges, level + 1, place, out);
        }
    }
}
