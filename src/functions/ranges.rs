//! Functions and operators of ranges.

use super::arguments::text;
use super::{Builtin, CallContext, pure};
use crate::error::{PgError, Result, sqlstate};
use crate::types::Value;
use crate::types::oid::{
    ANYELEMENT, ANYRANGE, BOOL, DATE, DATERANGE, INT4, INT4RANGE, INT8, INT8RANGE, NUMERIC, NUMRANGE, TEXT, TIMESTAMP,
    TIMESTAMPTZ, TSRANGE, TSTZRANGE,
};
use crate::types::range::{Bound, Range};

/// `int4range(low, high [, '[)'])`; a null bound is no bound.
fn construct(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let flags = match args.get(2) {
        None => "[)",
        Some(Value::Null) => {
            return Err(PgError::new(
                sqlstate::DATA_EXCEPTION,
                "range constructor flags argument must not be null",
            ));
        }
        Some(flags) => text(flags)?,
    };
    let (low_included, high_included) = match flags {
        "[]" => (true, true),
        "[)" => (true, false),
        "(]" => (false, true),
        "()" => (false, false),
        _ => {
            return Err(PgError::new(sqlstate::SYNTAX_ERROR, "invalid range bound flags")
                .hint("Valid values are \"[]\", \"[)\", \"(]\", and \"()\"."));
        }
    };
    let bound = |value: &Value, included| {
        (!value.is_null()).then(|| Bound {
            value: value.clone(),
            included,
        })
    };
    let range = Range::new(
        call.return_type,
        bound(&args[0], low_included),
        bound(&args[1], high_included),
    )?;
    Ok(range.into_value())
}

/// Functions of one range.
macro_rules! of_one {
    ($($name:ident => |$range:ident| $body:expr;)*) => {$(
        fn $name(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
            let $range = Range::of(&args[0])?;
            Ok($body)
        }
    )*};
}

of_one! {
    lower => |range| range.lower.map_or(Value::Null, |bound| bound.value);
    upper => |range| range.upper.map_or(Value::Null, |bound| bound.value);
    lower_inc => |range| Value::Bool(range.lower.is_some_and(|bound| bound.included));
    upper_inc => |range| Value::Bool(range.upper.is_some_and(|bound| bound.included));
    lower_inf => |range| Value::Bool(!range.empty && range.lower.is_none());
    upper_inf => |range| Value::Bool(!range.empty && range.upper.is_none());
    isempty => |range| Value::Bool(range.empty);
}

/// Functions of two ranges.
macro_rules! of_two {
    ($($name:ident => |$a:ident, $b:ident| $body:expr;)*) => {$(
        fn $name(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
            let ($a, $b) = (Range::of(&args[0])?, Range::of(&args[1])?);
            Ok($body)
        }
    )*};
}

of_two! {
    contains => |a, b| Value::Bool(a.contains(&b));
    contained_by => |a, b| Value::Bool(b.contains(&a));
    overlaps => |a, b| Value::Bool(a.overlaps(&b));
    before => |a, b| Value::Bool(a.is_before(&b));
    after => |a, b| Value::Bool(b.is_before(&a));
    overleft => |a, b| Value::Bool(a.is_not_right_of(&b));
    overright => |a, b| Value::Bool(a.is_not_left_of(&b));
    adjacent => |a, b| Value::Bool(a.is_adjacent(&b));
    merge => |a, b| a.merge(&b)?.into_value();
    union => |a, b| a.union(&b)?.into_value();
    intersect => |a, b| a.intersect(&b)?.into_value();
    minus => |a, b| a.minus(&b)?.into_value();
}

fn contains_elem(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::Bool(Range::of(&args[0])?.contains_value(&args[1])))
}

fn elem_contained(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::Bool(Range::of(&args[1])?.contains_value(&args[0])))
}

#[rustfmt::skip]
pub const FUNCTIONS: &[Builtin] = &[
    pure(3840, "int4range", &[INT4, INT4], INT4RANGE, construct).called_on_null(),
    pure(3841, "int4range", &[INT4, INT4, TEXT], INT4RANGE, construct).called_on_null(),
    pure(3945, "int8range", &[INT8, INT8], INT8RANGE, construct).called_on_null(),
    pure(3946, "int8range", &[INT8, INT8, TEXT], INT8RANGE, construct).called_on_null(),
    pure(3844, "numrange", &[NUMERIC, NUMERIC], NUMRANGE, construct).called_on_null(),
    pure(3845, "numrange", &[NUMERIC, NUMERIC, TEXT], NUMRANGE, construct).called_on_null(),
    pure(3933, "tsrange", &[TIMESTAMP, TIMESTAMP], TSRANGE, construct).called_on_null(),
    pure(3934, "tsrange", &[TIMESTAMP, TIMESTAMP, TEXT], TSRANGE, construct).called_on_null(),
    pure(3937, "tstzrange", &[TIMESTAMPTZ, TIMESTAMPTZ], TSTZRANGE, construct).called_on_null(),
    pure(3938, "tstzrange", &[TIMESTAMPTZ, TIMESTAMPTZ, TEXT], TSTZRANGE, construct).called_on_null(),
    pure(3941, "daterange", &[DATE, DATE], DATERANGE, construct).called_on_null(),
    pure(3942, "daterange", &[DATE, DATE, TEXT], DATERANGE, construct).called_on_null(),
    pure(3848, "lower", &[ANYRANGE], ANYELEMENT, lower),
    pure(3849, "upper", &[ANYRANGE], ANYELEMENT, upper),
    pure(3851, "lower_inc", &[ANYRANGE], BOOL, lower_inc),
    pure(3852, "upper_inc", &[ANYRANGE], BOOL, upper_inc),
    pure(3853, "lower_inf", &[ANYRANGE], BOOL, lower_inf),
    pure(3854, "upper_inf", &[ANYRANGE], BOOL, upper_inf),
    pure(3850, "isempty", &[ANYRANGE], BOOL, isempty),
    pure(3859, "range_contains", &[ANYRANGE, ANYRANGE], BOOL, contains),
    pure(3861, "range_contained_by", &[ANYRANGE, ANYRANGE], BOOL, contained_by),
    pure(3857, "range_overlaps", &[ANYRANGE, ANYRANGE], BOOL, overlaps),
    pure(3863, "range_before", &[ANYRANGE, ANYRANGE], BOOL, before),
    pure(3864, "range_after", &[ANYRANGE, ANYRANGE], BOOL, after),
    pure(3865, "range_overleft", &[ANYRANGE, ANYRANGE], BOOL, overleft),
    pure(3866, "range_overright", &[ANYRANGE, ANYRANGE], BOOL, overright),
    pure(3862, "range_adjacent", &[ANYRANGE, ANYRANGE], BOOL, adjacent),
    pure(4057, "range_merge", &[ANYRANGE, ANYRANGE], ANYRANGE, merge),
    pure(3867, "range_union", &[ANYRANGE, ANYRANGE], ANYRANGE, union),
    pure(3868, "range_intersect", &[ANYRANGE, ANYRANGE], ANYRANGE, intersect),
    pure(3869, "range_minus", &[ANYRANGE, ANYRANGE], ANYRANGE, minus),
    pure(3858, "range_contains_elem", &[ANYRANGE, ANYELEMENT], BOOL, contains_elem),
    pure(3860, "elem_contained_by_range", &[ANYELEMENT, ANYRANGE], BOOL, elem_contained),
];
