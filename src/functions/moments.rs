//! Dates, times and intervals: operators and the commonest functions, over the arithmetic of `types::datetime`.

use super::{Builtin, CallContext, pure};
use crate::error::{PgError, Result};
use crate::types::datetime::{self, ZoneSpec};
use crate::types::numeric::Numeric;
use crate::types::oid::*;
use crate::types::{Interval, Value};

fn wrong(args: &[Value]) -> PgError {
    PgError::internal(format!("not a date or time: {args:?}"))
}

fn interval(value: &Value) -> Result<&Interval> {
    match value {
        Value::Interval(interval) => Ok(interval),
        other => Err(wrong(std::slice::from_ref(other))),
    }
}

fn double(value: &Value) -> Result<f64> {
    match value {
        Value::Float8(number) => Ok(*number),
        other => Err(PgError::internal(format!("not a float: {other:?}"))),
    }
}

/// `+` where the second side is what is added.
fn plus(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(match args {
        [Value::Date(date), Value::Int4(days)] => Value::Date(datetime::date_add(*date, *days)?),
        [Value::Date(date), Value::Interval(by)] => Value::Timestamp(datetime::date_add_interval(*date, by)?),
        [Value::Date(date), Value::Time(time)] => Value::Timestamp(datetime::date_add_time(*date, *time)?),
        [Value::Timestamp(at), Value::Interval(by)] => Value::Timestamp(datetime::timestamp_add(*at, by)?),
        [Value::TimestampTz(at), Value::Interval(by)] => Value::TimestampTz(datetime::timestamptz_add(*at, by, &call.env)?),
        [Value::Time(at), Value::Interval(by)] => Value::Time(datetime::time_add(*at, by)),
        [Value::Interval(a), Value::Interval(b)] => Value::Interval(datetime::interval_add(a, b)?),
        _ => return Err(wrong(args)),
    })
}

/// `+` where the first side is what is added.
fn plus_swapped(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    plus(call, &[args[1].clone(), args[0].clone()])
}

fn minus(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(match args {
        [Value::Date(date), Value::Int4(days)] => Value::Date(datetime::date_sub(*date, *days)?),
        [Value::Date(a), Value::Date(b)] => Value::Int4(datetime::date_diff(*a, *b)?),
        [Value::Date(date), Value::Interval(by)] => Value::Timestamp(datetime::date_sub_interval(*date, by)?),
        [Value::Timestamp(at), Value::Interval(by)] => Value::Timestamp(datetime::timestamp_sub(*at, by)?),
        [Value::TimestampTz(at), Value::Interval(by)] => Value::TimestampTz(datetime::timestamptz_sub(*at, by, &call.env)?),
        [Value::Timestamp(a), Value::Timestamp(b)] | [Value::TimestampTz(a), Value::TimestampTz(b)] => {
            Value::Interval(datetime::timestamp_diff(*a, *b)?)
        }
        [Value::Time(at), Value::Interval(by)] => Value::Time(datetime::time_sub(*at, by)),
        [Value::Time(a), Value::Time(b)] => Value::Interval(datetime::time_diff(*a, *b)),
        [Value::Interval(a), Value::Interval(b)] => Value::Interval(datetime::interval_sub(a, b)?),
        _ => return Err(wrong(args)),
    })
}

fn negate(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    datetime::interval_neg(interval(&args[0])?).map(Value::Interval)
}

fn times(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    match args {
        [Value::Interval(a), Value::Float8(by)] | [Value::Float8(by), Value::Interval(a)] => {
            datetime::interval_mul(a, *by).map(Value::Interval)
        }
        _ => Err(wrong(args)),
    }
}

fn divided(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    datetime::interval_div(interval(&args[0])?, double(&args[1])?).map(Value::Interval)
}

fn unit(value: &Value) -> Result<&str> {
    match value {
        Value::Text(unit) => Ok(unit),
        other => Err(PgError::internal(format!("not a text: {other:?}"))),
    }
}

fn date_trunc(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let unit = unit(&args[0])?;
    Ok(match &args[1] {
        Value::Timestamp(at) => Value::Timestamp(datetime::trunc_timestamp(unit, *at)?),
        Value::TimestampTz(at) => Value::TimestampTz(datetime::trunc_timestamptz(unit, *at, &datetime::session_zone(&call.env))?),
        Value::Interval(interval) => Value::Interval(datetime::trunc_interval(unit, interval)?),
        _ => return Err(wrong(args)),
    })
}

fn extracted(call: &CallContext<'_>, args: &[Value]) -> Result<Option<Numeric>> {
    let unit = unit(&args[0])?;
    match &args[1] {
        Value::Timestamp(at) => datetime::extract_timestamp(unit, *at),
        Value::TimestampTz(at) => datetime::extract_timestamptz(unit, *at, &call.env),
        Value::Date(date) => datetime::extract_date(unit, *date),
        Value::Time(time) => datetime::extract_time(unit, *time).map(Some),
        Value::TimeTz(time) => datetime::extract_timetz(unit, *time).map(Some),
        Value::Interval(interval) => datetime::extract_interval(unit, interval).map(Some),
        _ => Err(wrong(args)),
    }
}

fn extract(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(extracted(call, args)?.map_or(Value::Null, Value::Numeric))
}

fn date_part(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(extracted(call, args)?.map_or(Value::Null, |number| Value::Float8(number.to_f64_lossy())))
}

fn age(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    match args {
        [Value::Timestamp(a), Value::Timestamp(b)] => datetime::age(*a, *b).map(Value::Interval),
        [Value::TimestampTz(a), Value::TimestampTz(b)] => datetime::age_tz(*a, *b, &call.env).map(Value::Interval),
        _ => Err(wrong(args)),
    }
}

fn to_timestamp(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    datetime::timestamp_from_unix(double(&args[0])?).map(Value::TimestampTz)
}

fn justify_interval(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    datetime::justify_interval(interval(&args[0])?).map(Value::Interval)
}

/// `AT TIME ZONE` with a zone's name.
fn timezone(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let spec = ZoneSpec::parse(unit(&args[0])?)?;
    Ok(match &args[1] {
        Value::TimestampTz(at) => Value::Timestamp(datetime::to_local(*at, &spec)?),
        Value::Timestamp(at) => Value::TimestampTz(datetime::to_utc(*at, &spec)?),
        _ => return Err(wrong(args)),
    })
}

/// `date(timestamp)` and kin, written as functions.
fn date(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(match &args[0] {
        Value::Timestamp(at) => Value::Date(datetime::timestamp_to_date(*at)),
        Value::TimestampTz(at) => Value::Date(datetime::timestamptz_to_date(*at, &call.env)?),
        _ => return Err(wrong(args)),
    })
}

#[rustfmt::skip]
pub const FUNCTIONS: &[Builtin] = &[
    pure(1141, "date_pli", &[DATE, INT4], DATE, plus),
    pure(1142, "date_mii", &[DATE, INT4], DATE, minus),
    pure(1140, "date_mi", &[DATE, DATE], INT4, minus),
    pure(2071, "date_pl_interval", &[DATE, INTERVAL], TIMESTAMP, plus),
    pure(2072, "date_mi_interval", &[DATE, INTERVAL], TIMESTAMP, minus),
    pure(1272, "datetime_pl", &[DATE, TIME], TIMESTAMP, plus),
    pure(2032, "timestamp_pl_interval", &[TIMESTAMP, INTERVAL], TIMESTAMP, plus),
    pure(2033, "timestamp_mi_interval", &[TIMESTAMP, INTERVAL], TIMESTAMP, minus),
    pure(2031, "timestamp_mi", &[TIMESTAMP, TIMESTAMP], INTERVAL, minus),
    pure(1189, "timestamptz_pl_interval", &[TIMESTAMPTZ, INTERVAL], TIMESTAMPTZ, plus).stable(),
    pure(1190, "timestamptz_mi_interval", &[TIMESTAMPTZ, INTERVAL], TIMESTAMPTZ, minus).stable(),
    pure(1188, "timestamptz_mi", &[TIMESTAMPTZ, TIMESTAMPTZ], INTERVAL, minus),
    pure(1747, "time_pl_interval", &[TIME, INTERVAL], TIME, plus),
    pure(1748, "time_mi_interval", &[TIME, INTERVAL], TIME, minus),
    pure(1690, "time_mi_time", &[TIME, TIME], INTERVAL, minus),
    pure(1169, "interval_pl", &[INTERVAL, INTERVAL], INTERVAL, plus),
    pure(1170, "interval_mi", &[INTERVAL, INTERVAL], INTERVAL, minus),
    pure(1168, "interval_um", &[INTERVAL], INTERVAL, negate),
    pure(1618, "interval_mul", &[INTERVAL, FLOAT8], INTERVAL, times),
    pure(1624, "mul_d_interval", &[FLOAT8, INTERVAL], INTERVAL, times),
    pure(1326, "interval_div", &[INTERVAL, FLOAT8], INTERVAL, divided),
    pure(2550, "integer_pl_date", &[INT4, DATE], DATE, plus_swapped),
    pure(2546, "interval_pl_date", &[INTERVAL, DATE], TIMESTAMP, plus_swapped),
    pure(2548, "interval_pl_timestamp", &[INTERVAL, TIMESTAMP], TIMESTAMP, plus_swapped),
    pure(2549, "interval_pl_timestamptz", &[INTERVAL, TIMESTAMPTZ], TIMESTAMPTZ, plus_swapped).stable(),
    pure(1848, "interval_pl_time", &[INTERVAL, TIME], TIME, plus_swapped),
    pure(2020, "date_trunc", &[TEXT, TIMESTAMP], TIMESTAMP, date_trunc),
    pure(1217, "date_trunc", &[TEXT, TIMESTAMPTZ], TIMESTAMPTZ, date_trunc).stable(),
    pure(1218, "date_trunc", &[TEXT, INTERVAL], INTERVAL, date_trunc),
    pure(6199, "extract", &[TEXT, DATE], NUMERIC, extract),
    pure(6200, "extract", &[TEXT, TIME], NUMERIC, extract),
    pure(6201, "extract", &[TEXT, TIMETZ], NUMERIC, extract),
    pure(6202, "extract", &[TEXT, TIMESTAMP], NUMERIC, extract),
    pure(6203, "extract", &[TEXT, TIMESTAMPTZ], NUMERIC, extract).stable(),
    pure(6204, "extract", &[TEXT, INTERVAL], NUMERIC, extract),
    pure(1171, "date_part", &[TEXT, TIMESTAMPTZ], FLOAT8, date_part).stable(),
    pure(1172, "date_part", &[TEXT, INTERVAL], FLOAT8, date_part),
    pure(1273, "date_part", &[TEXT, TIMETZ], FLOAT8, date_part),
    pure(1384, "date_part", &[TEXT, DATE], FLOAT8, date_part),
    pure(1385, "date_part", &[TEXT, TIME], FLOAT8, date_part),
    pure(2021, "date_part", &[TEXT, TIMESTAMP], FLOAT8, date_part),
    pure(2058, "age", &[TIMESTAMP, TIMESTAMP], INTERVAL, age),
    pure(1199, "age", &[TIMESTAMPTZ, TIMESTAMPTZ], INTERVAL, age),
    pure(1158, "to_timestamp", &[FLOAT8], TIMESTAMPTZ, to_timestamp),
    pure(2711, "justify_interval", &[INTERVAL], INTERVAL, justify_interval),
    pure(1159, "timezone", &[TEXT, TIMESTAMPTZ], TIMESTAMP, timezone),
    pure(2069, "timezone", &[TEXT, TIMESTAMP], TIMESTAMPTZ, timezone),
    pure(2029, "date", &[TIMESTAMP], DATE, date),
    pure(1178, "date", &[TIMESTAMPTZ], DATE, date).stable(),
];
