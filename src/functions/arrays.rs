//! Functions and operators of arrays.

use std::sync::Arc;

use super::arguments::{array, count, int4, integer_out_of_range, invalid};
use super::{Builtin, CallContext, pure};
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::limits;
use crate::types::compare::{compare_as, equal_as};
use crate::types::oid::{
    ANY, ANYARRAY, ANYCOMPATIBLE, ANYCOMPATIBLEARRAY, ANYELEMENT, BOOL, INT4, INT4_ARRAY, INT8, NUMERIC, TEXT,
};
use crate::types::{Array, ArrayDim, Value, info};

/// `MaxArraySize`.
const ARRAY_LEN_MAX: i64 = 134_217_727;

fn bad(message: &str) -> PgError {
    PgError::new(sqlstate::ARRAY_SUBSCRIPT_ERROR, message)
}

fn made(array: Array) -> Result<Value> {
    Ok(Value::Array(Arc::new(array)))
}

/// The array of this argument, or an empty one of the call's type for a null.
fn array_or_empty(call: &CallContext<'_>, args: &[Value], at: usize) -> Result<Arc<Array>> {
    if !args[at].is_null() {
        return array(&args[at]).map(Arc::clone);
    }
    let element = info::element_of(call.return_type)
        .or_else(|| call.arg_types.get(1 - at).copied())
        .unwrap_or(TEXT);
    Ok(Arc::new(Array::one(element, Vec::new())))
}

/// Puts one element at an end, keeping the lower bound.
fn extended(array: Arc<Array>, value: &Value, front: bool) -> Result<Value> {
    if array.dims.len() > 1 {
        return Err(PgError::new(
            sqlstate::DATA_EXCEPTION,
            "argument must be empty or one-dimensional array",
        ));
    }
    let mut array = Arc::unwrap_or_clone(array);
    match array.dims.first_mut() {
        None => array.dims.push(ArrayDim { len: 1, lower: 1 }),
        Some(dim) => {
            dim.len += 1;
            if i64::from(dim.len) > ARRAY_LEN_MAX || dim.lower.checked_add(dim.len).is_none() {
                return Err(integer_out_of_range());
            }
        }
    }
    if front {
        array.values.insert(0, value.clone());
    } else {
        array.values.push(value.clone());
    }
    made(array)
}

fn array_append(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    extended(array_or_empty(call, args, 0)?, &args[1], false)
}

fn array_prepend(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    extended(array_or_empty(call, args, 1)?, &args[0], true)
}

fn incompatible(detail: impl Into<String>) -> PgError {
    bad("cannot concatenate incompatible arrays").detail(detail)
}

fn same_lengths(a: &[ArrayDim], b: &[ArrayDim]) -> bool {
    a.iter().map(|dim| dim.len).eq(b.iter().map(|dim| dim.len))
}

fn array_cat(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    const DIFFERING: &str = "Arrays with differing dimensions are not compatible for concatenation.";
    if args[0].is_null() || args[1].is_null() {
        return Ok(args[usize::from(args[0].is_null())].clone());
    }
    let (a, b) = (array(&args[0])?, array(&args[1])?);
    let (m, n) = (a.dims.len(), b.dims.len());
    if n == 0 {
        return Ok(args[0].clone());
    }
    if m == 0 {
        return Ok(args[1].clone());
    }
    let dims = if m == n {
        if !same_lengths(&a.dims[1..], &b.dims[1..]) {
            return Err(incompatible(
                "Arrays with differing element dimensions are not compatible for concatenation.",
            ));
        }
        let mut dims = a.dims.clone();
        dims[0].len += b.dims[0].len;
        dims
    } else if m + 1 == n {
        if !same_lengths(&a.dims, &b.dims[1..]) {
            return Err(incompatible(DIFFERING));
        }
        let mut dims = b.dims.clone();
        dims[0].len += 1;
        dims
    } else if m == n + 1 {
        if !same_lengths(&a.dims[1..], &b.dims) {
            return Err(incompatible(DIFFERING));
        }
        let mut dims = a.dims.clone();
        dims[0].len += 1;
        dims
    } else {
        return Err(incompatible(format!(
            "Arrays of {m} and {n} dimensions are not compatible for concatenation."
        )));
    };
    made(Array {
        element: a.element,
        dims,
        values: a.values.iter().chain(&b.values).cloned().collect(),
    })
}

/// The dimension of a number from 1, if the array has it.
fn dimension(args: &[Value]) -> Result<Option<ArrayDim>> {
    let at = usize::try_from(i64::from(int4(&args[1])?) - 1).ok();
    Ok(at.and_then(|at| array(&args[0]).ok()?.dims.get(at).copied()))
}

fn array_length(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(dimension(args)?.map_or(Value::Null, |dim| Value::Int4(dim.len)))
}

fn array_lower(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(dimension(args)?.map_or(Value::Null, |dim| Value::Int4(dim.lower)))
}

fn array_upper(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(dimension(args)?.map_or(Value::Null, |dim| Value::Int4(dim.lower + dim.len - 1)))
}

fn array_ndims(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let dims = &array(&args[0])?.dims;
    if dims.is_empty() { Ok(Value::Null) } else { count(dims.len()) }
}

fn array_dims(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let dims = &array(&args[0])?.dims;
    if dims.is_empty() {
        return Ok(Value::Null);
    }
    let dims: Vec<String> = dims
        .iter()
        .map(|dim| format!("[{}:{}]", dim.lower, dim.lower + dim.len - 1))
        .collect();
    Ok(Value::text(dims.concat()))
}

fn cardinality(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    count(array(&args[0])?.values.len())
}

/// Equal, a null only to a null.
fn same(element: Oid, a: &Value, b: &Value) -> bool {
    match (a.is_null(), b.is_null()) {
        (false, false) => equal_as(element, a, b),
        (a, b) => a && b,
    }
}

fn searched(args: &[Value]) -> Result<Option<&Arc<Array>>> {
    if args[0].is_null() {
        return Ok(None);
    }
    let array = array(&args[0])?;
    if array.dims.len() > 1 {
        return Err(PgError::new(
            sqlstate::FEATURE_NOT_SUPPORTED,
            "searching for elements in multidimensional arrays is not supported",
        ));
    }
    Ok(Some(array))
}

/// Subscripts of the elements equal to the second argument.
fn places<'a>(array: &'a Array, wanted: &'a Value) -> impl Iterator<Item = i32> + 'a {
    let lower = array.dims.first().map_or(1, |dim| dim.lower);
    (lower..)
        .zip(&array.values)
        .filter(|(_, value)| same(array.element, value, wanted))
        .map(|(at, _)| at)
}

fn array_position(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let Some(array) = searched(args)? else {
        return Ok(Value::Null);
    };
    let from = match args.get(2) {
        None => i32::MIN,
        Some(Value::Null) => {
            return Err(PgError::new(
                sqlstate::NULL_VALUE_NOT_ALLOWED,
                "initial position must not be null",
            ));
        }
        Some(from) => int4(from)?,
    };
    Ok(places(array, &args[1])
        .find(|at| *at >= from)
        .map_or(Value::Null, Value::Int4))
}

fn array_positions(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let Some(array) = searched(args)? else {
        return Ok(Value::Null);
    };
    made(Array::one(INT4, places(array, &args[1]).map(Value::Int4).collect()))
}

fn array_remove(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    if args[0].is_null() {
        return Ok(Value::Null);
    }
    let array = array(&args[0])?;
    if array.dims.len() > 1 {
        return Err(PgError::new(
            sqlstate::FEATURE_NOT_SUPPORTED,
            "removing elements from multidimensional arrays is not supported",
        ));
    }
    let kept: Vec<Value> = array
        .values
        .iter()
        .filter(|value| !same(array.element, value, &args[1]))
        .cloned()
        .collect();
    let mut rest = Array::one(array.element, kept);
    if let (Some(dim), Some(old)) = (rest.dims.first_mut(), array.dims.first()) {
        dim.lower = old.lower;
    }
    made(rest)
}

fn array_replace(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    if args[0].is_null() {
        return Ok(Value::Null);
    }
    let array = array(&args[0])?;
    let replaced = |value: &Value| {
        if same(array.element, value, &args[1]) {
            args[2].clone()
        } else {
            value.clone()
        }
    };
    made(Array {
        element: array.element,
        dims: array.dims.clone(),
        values: array.values.iter().map(replaced).collect(),
    })
}

/// Whether every element of `part` is in `whole`; a null is in nothing.
fn holds_all(whole: &Array, part: &Array) -> bool {
    let known = whole.values.iter().filter(|value| !value.is_null());
    if whole.values.len() > 32 && part.values.len() > 8 {
        let mut sorted: Vec<&Value> = known.collect();
        sorted.sort_by(|a, b| compare_as(whole.element, a, b));
        return part
            .values
            .iter()
            .all(|value| !value.is_null() && sorted.binary_search_by(|one| compare_as(whole.element, one, value)).is_ok());
    }
    part.values
        .iter()
        .all(|value| !value.is_null() && known.clone().any(|one| equal_as(whole.element, one, value)))
}

fn arraycontains(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::Bool(holds_all(array(&args[0])?, array(&args[1])?)))
}

fn arraycontained(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::Bool(holds_all(array(&args[1])?, array(&args[0])?)))
}

fn arrayoverlap(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let (a, b) = (array(&args[0])?, array(&args[1])?);
    let shared = a
        .values
        .iter()
        .filter(|value| !value.is_null())
        .any(|value| b.values.iter().any(|one| !one.is_null() && equal_as(a.element, one, value)));
    Ok(Value::Bool(shared))
}

/// Numbers of a dimension or bound array.
fn numbers(value: &Value, what: &str) -> Result<Vec<i32>> {
    if value.is_null() {
        return Err(PgError::new(
            sqlstate::NULL_VALUE_NOT_ALLOWED,
            "dimension array or low bound array cannot be null",
        ));
    }
    let array = array(value)?;
    if array.dims.len() > 1 {
        return Err(bad("wrong number of array subscripts").detail(format!("{what} array must be one dimensional.")));
    }
    let number = |value: &Value| {
        if value.is_null() {
            return Err(PgError::new(
                sqlstate::NULL_VALUE_NOT_ALLOWED,
                "dimension values cannot be null",
            ));
        }
        int4(value)
    };
    array.values.iter().map(number).collect()
}

fn array_fill(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let lengths = numbers(&args[1], "Dimension")?;
    let lowers = match args.get(2) {
        Some(lowers) => numbers(lowers, "Dimension")?,
        None => vec![1; lengths.len()],
    };
    if lowers.len() != lengths.len() {
        return Err(bad("wrong number of array subscripts").detail("Low bound array has different size than dimensions array."));
    }
    if lengths.len() > limits::ARRAY_DIMENSIONS_MAX {
        return Err(PgError::new(
            sqlstate::PROGRAM_LIMIT_EXCEEDED,
            format!(
                "number of array dimensions ({}) exceeds the maximum allowed ({})",
                lengths.len(),
                limits::ARRAY_DIMENSIONS_MAX
            ),
        ));
    }
    let mut total = 1_i64;
    for len in &lengths {
        total = total.saturating_mul(i64::from(*len));
        if *len < 0 || total > ARRAY_LEN_MAX {
            return Err(PgError::new(
                sqlstate::PROGRAM_LIMIT_EXCEEDED,
                format!("array size exceeds the maximum allowed ({ARRAY_LEN_MAX})"),
            ));
        }
    }
    let element = call.arg_types.first().copied().unwrap_or(TEXT);
    if lengths.is_empty() || total == 0 {
        return made(Array::one(element, Vec::new()));
    }
    let total = usize::try_from(total).map_err(|_| integer_out_of_range())?;
    made(Array {
        element,
        dims: lengths
            .iter()
            .zip(&lowers)
            .map(|(len, lower)| ArrayDim {
                len: *len,
                lower: *lower,
            })
            .collect(),
        values: vec![args[0].clone(); total],
    })
}

/// Drops elements at the end of the first dimension.
fn trim_array(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let (array, dropped) = (array(&args[0])?, int4(&args[1])?);
    let len = array.dims.first().map_or(0, |dim| dim.len);
    if dropped < 0 || dropped > len {
        return Err(PgError::new(
            sqlstate::ARRAY_ELEMENT_ERROR,
            format!("number of elements to trim must be between 0 and {len}"),
        ));
    }
    if len == dropped {
        return made(Array::one(array.element, Vec::new()));
    }
    let kept = (len - dropped).unsigned_abs() as usize;
    let width = array.values.len() / (len.unsigned_abs() as usize);
    let mut dims: Vec<ArrayDim> = array.dims.iter().map(|dim| ArrayDim { len: dim.len, lower: 1 }).collect();
    dims[0].len = len - dropped;
    made(Array {
        element: array.element,
        dims,
        values: array.values[..kept * width].to_vec(),
    })
}

fn array_larger(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let first = compare_as(ANYARRAY, &args[0], &args[1]).is_ge();
    Ok(args[usize::from(!first)].clone())
}

fn array_smaller(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let first = compare_as(ANYARRAY, &args[0], &args[1]).is_le();
    Ok(args[usize::from(!first)].clone())
}

/// How many of the arguments are null; a variadic array is one argument that is looked into by the caller.
fn nulls(args: &[Value]) -> usize {
    args.iter().filter(|value| value.is_null()).count()
}

fn num_nulls(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    count(nulls(args))
}

fn num_nonnulls(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    count(args.len() - nulls(args))
}

/// `123 kB` and the like (`pg_size_pretty`).
fn pg_size_pretty(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    const UNITS: [(&str, i64, bool); 6] = [
        ("bytes", 10 * 1024, false),
        ("kB", 20 * 1024 - 1, true),
        ("MB", 20 * 1024 - 1, true),
        ("GB", 20 * 1024 - 1, true),
        ("TB", 20 * 1024 - 1, true),
        ("PB", 20 * 1024 - 1, true),
    ];
    let mut size = match &args[0] {
        Value::Int8(size) => *size,
        Value::Numeric(size) => size.to_i64()?,
        other => return Err(PgError::internal(format!("not a size: {other:?}"))),
    };
    for (at, (name, limit, round)) in UNITS.iter().enumerate() {
        if at + 1 == UNITS.len() || size.abs() < *limit {
            if *round {
                size = i64::midpoint(size, size.signum());
            }
            return Ok(Value::text(format!("{size} {name}")));
        }
        // One bit is kept for rounding once the unit rounds.
        let next_rounds = UNITS[at + 1].2;
        let bits = 10 - u32::from(next_rounds) + u32::from(*round);
        size /= 1_i64 << bits;
    }
    Err(invalid("size too large"))
}

#[rustfmt::skip]
pub const FUNCTIONS: &[Builtin] = &[
    pure(378, "array_append", &[ANYCOMPATIBLEARRAY, ANYCOMPATIBLE], ANYCOMPATIBLEARRAY, array_append).called_on_null(),
    pure(379, "array_prepend", &[ANYCOMPATIBLE, ANYCOMPATIBLEARRAY], ANYCOMPATIBLEARRAY, array_prepend).called_on_null(),
    pure(383, "array_cat", &[ANYCOMPATIBLEARRAY, ANYCOMPATIBLEARRAY], ANYCOMPATIBLEARRAY, array_cat).called_on_null(),
    pure(2176, "array_length", &[ANYARRAY, INT4], INT4, array_length),
    pure(2091, "array_lower", &[ANYARRAY, INT4], INT4, array_lower),
    pure(2092, "array_upper", &[ANYARRAY, INT4], INT4, array_upper),
    pure(748, "array_ndims", &[ANYARRAY], INT4, array_ndims),
    pure(747, "array_dims", &[ANYARRAY], TEXT, array_dims),
    pure(3179, "cardinality", &[ANYARRAY], INT4, cardinality),
    pure(3277, "array_position", &[ANYCOMPATIBLEARRAY, ANYCOMPATIBLE], INT4, array_position).called_on_null(),
    pure(3278, "array_position", &[ANYCOMPATIBLEARRAY, ANYCOMPATIBLE, INT4], INT4, array_position).called_on_null(),
    pure(3279, "array_positions", &[ANYCOMPATIBLEARRAY, ANYCOMPATIBLE], INT4_ARRAY, array_positions).called_on_null(),
    pure(3167, "array_remove", &[ANYCOMPATIBLEARRAY, ANYCOMPATIBLE], ANYCOMPATIBLEARRAY, array_remove).called_on_null(),
    pure(3168, "array_replace", &[ANYCOMPATIBLEARRAY, ANYCOMPATIBLE, ANYCOMPATIBLE], ANYCOMPATIBLEARRAY, array_replace).called_on_null(),
    pure(2748, "arraycontains", &[ANYARRAY, ANYARRAY], BOOL, arraycontains),
    pure(2749, "arraycontained", &[ANYARRAY, ANYARRAY], BOOL, arraycontained),
    pure(2747, "arrayoverlap", &[ANYARRAY, ANYARRAY], BOOL, arrayoverlap),
    pure(1193, "array_fill", &[ANYELEMENT, INT4_ARRAY], ANYARRAY, array_fill).called_on_null(),
    pure(1286, "array_fill", &[ANYELEMENT, INT4_ARRAY, INT4_ARRAY], ANYARRAY, array_fill).called_on_null(),
    pure(6172, "trim_array", &[ANYARRAY, INT4], ANYARRAY, trim_array),
    pure(515, "array_larger", &[ANYARRAY, ANYARRAY], ANYARRAY, array_larger),
    pure(516, "array_smaller", &[ANYARRAY, ANYARRAY], ANYARRAY, array_smaller),
    pure(438, "num_nulls", &[ANY], INT4, num_nulls).called_on_null().variadic(),
    pure(440, "num_nonnulls", &[ANY], INT4, num_nonnulls).called_on_null().variadic(),
    pure(2288, "pg_size_pretty", &[INT8], TEXT, pg_size_pretty),
    pure(3166, "pg_size_pretty", &[NUMERIC], TEXT, pg_size_pretty),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn ints(values: &[i32]) -> Array {
        Array::one(INT4, values.iter().copied().map(Value::Int4).collect())
    }

    #[test]
    fn containment_ignores_order_and_repeats() {
        assert!(holds_all(&ints(&[2, 1, 1]), &ints(&[1, 2])));
        assert!(holds_all(&ints(&[1]), &ints(&[])));
        assert!(!holds_all(&ints(&[1]), &Array::one(INT4, vec![Value::Null])));
    }

    #[test]
    fn lower_bounds_stay_when_an_array_grows() {
        // select array_prepend(0, '[2:3]={1,2}'::int[])  -- [2:4]={0,1,2}
        let mut array = ints(&[1, 2]);
        array.dims[0].lower = 2;
        let Value::Array(grown) = extended(Arc::new(array), &Value::Int4(0), true).expect("one dimension") else {
            panic!("an array");
        };
        assert_eq!(grown.dims, [ArrayDim { len: 3, lower: 2 }]);
    }
}
