//! Dates, times, timestamps and intervals: operators, parts, zones, construction, series.

use super::arguments::{double, int, int4, interval, invalid, text};
use super::{Body, Builtin, CallContext, SetRows, pure, unused};
use crate::error::{PgError, Result};
use crate::types::compare::compare;
use crate::types::datetime as dt;
use crate::types::datetime::ZoneSpec;
use crate::types::numeric::Numeric;
use crate::types::oid::{BOOL, DATE, FLOAT8, INT4, INTERVAL, NUMERIC, TEXT, TIME, TIMESTAMP, TIMESTAMPTZ, TIMETZ};
use crate::types::{Interval, TimeTz, Value};

fn wrong(args: &[Value]) -> PgError {
    PgError::internal(format!("not dates or times: {args:?}"))
}

fn days(value: &Value) -> Result<i32> {
    i32::try_from(int(value)?).map_err(|_| dt::date_out_of_range())
}

/// `+` of two: the side of the date or time first or second.
fn plus(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    use Value as V;
    let (a, b) = (&args[0], &args[1]);
    Ok(match (a, b) {
        (V::Date(date), V::Int4(_)) => V::Date(dt::date_add(*date, days(b)?)?),
        (V::Date(date), V::Interval(by)) => V::Timestamp(dt::date_add_interval(*date, by)?),
        (V::Date(date), V::Time(time)) => V::Timestamp(dt::date_add_time(*date, *time)?),
        (V::Date(date), V::TimeTz(time)) => V::TimestampTz(dt::date_add_timetz(*date, *time)?),
        (V::Timestamp(at), V::Interval(by)) => V::Timestamp(dt::timestamp_add(*at, by)?),
        (V::TimestampTz(at), V::Interval(by)) => V::TimestampTz(dt::timestamptz_add(*at, by, &call.env)?),
        (V::Time(time), V::Interval(by)) => V::Time(dt::time_add(*time, by)),
        (V::TimeTz(time), V::Interval(by)) => V::TimeTz(dt::timetz_add(*time, by)),
        (V::Interval(a), V::Interval(b)) => V::Interval(dt::interval_add(a, b)?),
        (V::Int4(_) | V::Interval(_) | V::Time(_) | V::TimeTz(_), _) => {
            return match b {
                V::Date(_) | V::Timestamp(_) | V::TimestampTz(_) | V::Time(_) | V::TimeTz(_) => {
                    plus(call, &[b.clone(), a.clone()])
                }
                _ => Err(wrong(args)),
            };
        }
        _ => return Err(wrong(args)),
    })
}

fn minus(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    use Value as V;
    Ok(match (&args[0], &args[1]) {
        (V::Date(a), V::Date(b)) => V::Int4(dt::date_diff(*a, *b)?),
        (V::Date(date), by @ V::Int4(_)) => V::Date(dt::date_sub(*date, days(by)?)?),
        (V::Date(date), V::Interval(by)) => V::Timestamp(dt::date_sub_interval(*date, by)?),
        (V::Timestamp(at), V::Interval(by)) => V::Timestamp(dt::timestamp_sub(*at, by)?),
        (V::TimestampTz(at), V::Interval(by)) => V::TimestampTz(dt::timestamptz_sub(*at, by, &call.env)?),
        (V::Timestamp(a), V::Timestamp(b)) | (V::TimestampTz(a), V::TimestampTz(b)) => V::Interval(dt::timestamp_diff(*a, *b)?),
        (V::Time(time), V::Interval(by)) => V::Time(dt::time_sub(*time, by)),
        (V::Time(a), V::Time(b)) => V::Interval(dt::time_diff(*a, *b)),
        (V::TimeTz(time), V::Interval(by)) => V::TimeTz(dt::timetz_sub(*time, by)),
        (V::Interval(a), V::Interval(b)) => V::Interval(dt::interval_sub(a, b)?),
        _ => return Err(wrong(args)),
    })
}

fn interval_um(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    dt::interval_neg(interval(&args[0])?).map(Value::Interval)
}

fn interval_mul(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    dt::interval_mul(interval(&args[0])?, double(&args[1])?).map(Value::Interval)
}

fn mul_d_interval(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    dt::interval_mul(interval(&args[1])?, double(&args[0])?).map(Value::Interval)
}

fn interval_div(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    dt::interval_div(interval(&args[0])?, double(&args[1])?).map(Value::Interval)
}

fn justify_hours(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    dt::justify_hours(interval(&args[0])?).map(Value::Interval)
}

fn justify_days(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    dt::justify_days(interval(&args[0])?).map(Value::Interval)
}

fn justify_interval(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    dt::justify_interval(interval(&args[0])?).map(Value::Interval)
}

fn age(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let today = || dt::timestamptz_to_date(call.env.now_micros, &call.env);
    Ok(Value::Interval(match args {
        [Value::Timestamp(a), Value::Timestamp(b)] => dt::age(*a, *b)?,
        [Value::TimestampTz(a), Value::TimestampTz(b)] => dt::age_tz(*a, *b, &call.env)?,
        [Value::Timestamp(b)] => dt::age(dt::date_to_timestamp(today()?)?, *b)?,
        [Value::TimestampTz(b)] => dt::age_tz(dt::date_to_timestamptz(today()?, &call.env)?, *b, &call.env)?,
        _ => return Err(wrong(args)),
    }))
}

fn part(call: &CallContext<'_>, args: &[Value]) -> Result<Option<Numeric>> {
    let unit = text(&args[0])?;
    match &args[1] {
        Value::Date(date) => dt::extract_date(unit, *date),
        Value::Time(time) => dt::extract_time(unit, *time).map(Some),
        Value::TimeTz(time) => dt::extract_timetz(unit, *time).map(Some),
        Value::Timestamp(at) => dt::extract_timestamp(unit, *at),
        Value::TimestampTz(at) => dt::extract_timestamptz(unit, *at, &call.env),
        Value::Interval(span) => dt::extract_interval(unit, span).map(Some),
        _ => Err(wrong(args)),
    }
}

fn extract(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(part(call, args)?.map_or(Value::Null, Value::Numeric))
}

fn date_part(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    // A date counts as the timestamp of its midnight here.
    let found = match &args[1] {
        Value::Date(date) => dt::extract_timestamp(text(&args[0])?, dt::date_to_timestamp(*date)?)?,
        _ => part(call, args)?,
    };
    found.map_or(Ok(Value::Null), |part| part.to_f64().map(Value::Float8))
}

fn date_trunc(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let unit = text(&args[0])?;
    Ok(match &args[1] {
        Value::Timestamp(at) => Value::Timestamp(dt::trunc_timestamp(unit, *at)?),
        Value::TimestampTz(at) => {
            let zone = match args.get(2) {
                Some(name) => ZoneSpec::parse(text(name)?)?,
                None => dt::session_zone(&call.env),
            };
            Value::TimestampTz(dt::trunc_timestamptz(unit, *at, &zone)?)
        }
        Value::Interval(span) => Value::Interval(dt::trunc_interval(unit, span)?),
        _ => return Err(wrong(args)),
    })
}

fn date_bin(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let stride = interval(&args[0])?;
    match (&args[1], &args[2]) {
        (Value::Timestamp(at), Value::Timestamp(origin)) => dt::date_bin(stride, *at, *origin).map(Value::Timestamp),
        (Value::TimestampTz(at), Value::TimestampTz(origin)) => dt::date_bin(stride, *at, *origin).map(Value::TimestampTz),
        _ => Err(wrong(args)),
    }
}

/// `x AT TIME ZONE zone`.
fn timezone(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let zone = match &args[0] {
        Value::Interval(offset) => ZoneSpec::from_interval(offset)?,
        name => ZoneSpec::parse(text(name)?)?,
    };
    Ok(match &args[1] {
        Value::Timestamp(local) => Value::TimestampTz(dt::to_utc(*local, &zone)?),
        Value::TimestampTz(utc) => Value::Timestamp(dt::to_local(*utc, &zone)?),
        Value::TimeTz(time) => Value::TimeTz(dt::timetz_at_offset(*time, zone.offset_at(call.env.now_micros))),
        _ => return Err(wrong(args)),
    })
}

fn isfinite(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::Bool(match &args[0] {
        Value::Date(date) => dt::is_finite_date(*date),
        Value::Timestamp(at) | Value::TimestampTz(at) => dt::is_finite_timestamp(*at),
        Value::Interval(_) => true,
        _ => return Err(wrong(args)),
    }))
}

fn moved(call: &CallContext<'_>, start: &Value, end: &Value) -> Result<Value> {
    match end {
        Value::Interval(_) if start.is_null() => Ok(Value::Null),
        Value::Interval(_) => plus(call, &[start.clone(), end.clone()]),
        _ => Ok(end.clone()),
    }
}

/// Start and end of a period in order; `None` where both are unknown. A null end stands for an unknown one.
fn period(call: &CallContext<'_>, start: &Value, end: &Value) -> Result<Option<(Value, Value)>> {
    let end = moved(call, start, end)?;
    Ok(match (start.is_null(), end.is_null()) {
        (true, true) => None,
        (true, false) => Some((end, Value::Null)),
        (false, false) if compare(start, &end).is_gt() => Some((end, start.clone())),
        _ => Some((start.clone(), end)),
    })
}

fn overlaps(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let first = period(call, &args[0], &args[1])?;
    let second = period(call, &args[2], &args[3])?;
    let (Some(first), Some(second)) = (first, second) else {
        return Ok(Value::Null);
    };
    let order = compare(&first.0, &second.0);
    let (early, late) = if order.is_gt() { (second, first) } else { (first, second) };
    let unknown = Ok(Value::Null);
    if order.is_eq() {
        return if early.1.is_null() || late.1.is_null() {
            unknown
        } else {
            Ok(Value::Bool(true))
        };
    }
    if early.1.is_null() {
        return unknown;
    }
    if compare(&late.0, &early.1).is_lt() {
        return Ok(Value::Bool(true));
    }
    if late.1.is_null() { unknown } else { Ok(Value::Bool(false)) }
}

fn make_date(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    dt::make_date(int4(&args[0])?, int4(&args[1])?, int4(&args[2])?).map(Value::Date)
}

fn make_time(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    dt::make_time(int4(&args[0])?, int4(&args[1])?, double(&args[2])?).map(Value::Time)
}

fn timestamp_parts(args: &[Value]) -> Result<dt::TimestampParts> {
    Ok(dt::TimestampParts {
        year: int4(&args[0])?,
        month: int4(&args[1])?,
        day: int4(&args[2])?,
        hour: int4(&args[3])?,
        minute: int4(&args[4])?,
        second: double(&args[5])?,
    })
}

fn make_timestamp(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    dt::make_timestamp(timestamp_parts(args)?).map(Value::Timestamp)
}

fn make_timestamptz(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let zone = match args.get(6) {
        Some(name) => ZoneSpec::parse(text(name)?)?,
        None => dt::session_zone(&call.env),
    };
    dt::make_timestamptz(timestamp_parts(args)?, &zone).map(Value::TimestampTz)
}

fn make_interval(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    dt::make_interval(&dt::IntervalParts {
        years: int4(&args[0])?,
        months: int4(&args[1])?,
        weeks: int4(&args[2])?,
        days: int4(&args[3])?,
        hours: int4(&args[4])?,
        minutes: int4(&args[5])?,
        seconds: double(&args[6])?,
    })
    .map(Value::Interval)
}

fn to_timestamp(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    dt::timestamp_from_unix(double(&args[0])?).map(Value::TimestampTz)
}

fn timeofday(call: &CallContext<'_>, _: &[Value]) -> Result<Value> {
    use crate::clock::{Clock, SystemClock};
    const DAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let utc = SystemClock.now_micros();
    let (offset, zone) = dt::offset_and_name_at(&call.env.settings.time_zone, utc);
    let civil = dt::Civil::from_micros(utc + i64::from(offset) * dt::MICROS_PER_SECOND);
    let day = DAYS[dt::day_of_week(civil.days()).unsigned_abs() as usize % 7];
    let month = MONTHS[(civil.month - 1).unsigned_abs() as usize % 12];
    Ok(Value::text(format!(
        "{day} {month} {:02} {:02}:{:02}:{:02}.{:06} {} {zone}",
        civil.day, civil.hour, civil.minute, civil.second, civil.micros, civil.year
    )))
}

/// The sign of an interval by its estimate in microseconds.
fn sign(span: &Interval) -> std::cmp::Ordering {
    crate::types::compare::interval_key(span).cmp(&0)
}

/// Timestamps of either kind.
struct Series {
    at: Option<i64>,
    end: i64,
    step: Interval,
    ascending: bool,
    zone: Option<jiff::tz::TimeZone>,
}

impl Series {
    fn after(&self, at: i64) -> Result<i64> {
        let Some(zone) = &self.zone else {
            return dt::timestamp_add(at, &self.step);
        };
        let settings = crate::types::env::TypeSettings {
            time_zone: zone.clone(),
            ..crate::types::env::TypeSettings::default()
        };
        let env = crate::types::TypeEnv {
            settings: &settings,
            names: &crate::types::env::NoNames,
            now_micros: 0,
        };
        dt::timestamptz_add(at, &self.step, &env)
    }
}

impl SetRows for Series {
    fn next(&mut self) -> Result<Option<Vec<Value>>> {
        let within = |at: &i64| if self.ascending { *at <= self.end } else { *at >= self.end };
        let Some(at) = self.at.filter(within) else {
            return Ok(None);
        };
        self.at = Some(self.after(at)?);
        Ok(Some(vec![if self.zone.is_some() {
            Value::TimestampTz(at)
        } else {
            Value::Timestamp(at)
        }]))
    }
}

fn generate_series(call: &CallContext<'_>, args: &[Value]) -> Result<Box<dyn SetRows>> {
    let step = *interval(&args[2])?;
    let ascending = match sign(&step) {
        std::cmp::Ordering::Equal => return Err(invalid("step size cannot equal zero")),
        order => order.is_gt(),
    };
    let (at, end, zone) = match (&args[0], &args[1]) {
        (Value::Timestamp(at), Value::Timestamp(end)) => (*at, *end, None),
        (Value::TimestampTz(at), Value::TimestampTz(end)) => (*at, *end, Some(call.env.settings.time_zone.clone())),
        _ => return Err(wrong(args)),
    };
    Ok(Box::new(Series {
        at: Some(at),
        end,
        step,
        ascending,
        zone,
    }))
}

/// `time` and `timetz` made of others by call: `timestamptz(date, time)`.
fn timestamptz_of_date_time(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    match (&args[0], &args[1]) {
        (Value::Date(date), Value::Time(time)) => {
            dt::timestamp_to_timestamptz(dt::date_add_time(*date, *time)?, &call.env).map(Value::TimestampTz)
        }
        (Value::Date(date), Value::TimeTz(TimeTz { .. })) => plus(call, &[Value::Date(*date), args[1].clone()]),
        _ => Err(wrong(args)),
    }
}

fn date(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    match &args[0] {
        Value::Timestamp(at) => Ok(Value::Date(dt::timestamp_to_date(*at))),
        Value::TimestampTz(at) => dt::timestamptz_to_date(*at, &call.env).map(Value::Date),
        _ => Err(wrong(args)),
    }
}

#[rustfmt::skip]
pub const FUNCTIONS: &[Builtin] = &[
    pure(2029, "date", &[TIMESTAMP], DATE, date),
    pure(1178, "date", &[TIMESTAMPTZ], DATE, date).stable(),
    pure(1141, "date_pli", &[DATE, INT4], DATE, plus),
    pure(2550, "integer_pl_date", &[INT4, DATE], DATE, plus),
    pure(2071, "date_pl_interval", &[DATE, INTERVAL], TIMESTAMP, plus),
    pure(2546, "interval_pl_date", &[INTERVAL, DATE], TIMESTAMP, plus),
    pure(1272, "datetime_pl", &[DATE, TIME], TIMESTAMP, plus),
    pure(1296, "timedate_pl", &[TIME, DATE], TIMESTAMP, plus),
    pure(1297, "datetimetz_pl", &[DATE, TIMETZ], TIMESTAMPTZ, plus),
    pure(1298, "timetzdate_pl", &[TIMETZ, DATE], TIMESTAMPTZ, plus),
    pure(2032, "timestamp_pl_interval", &[TIMESTAMP, INTERVAL], TIMESTAMP, plus),
    pure(2548, "interval_pl_timestamp", &[INTERVAL, TIMESTAMP], TIMESTAMP, plus),
    pure(1189, "timestamptz_pl_interval", &[TIMESTAMPTZ, INTERVAL], TIMESTAMPTZ, plus).stable(),
    pure(2549, "interval_pl_timestamptz", &[INTERVAL, TIMESTAMPTZ], TIMESTAMPTZ, plus).stable(),
    pure(1747, "time_pl_interval", &[TIME, INTERVAL], TIME, plus),
    pure(1848, "interval_pl_time", &[INTERVAL, TIME], TIME, plus),
    pure(1749, "timetz_pl_interval", &[TIMETZ, INTERVAL], TIMETZ, plus),
    pure(2547, "interval_pl_timetz", &[INTERVAL, TIMETZ], TIMETZ, plus),
    pure(1169, "interval_pl", &[INTERVAL, INTERVAL], INTERVAL, plus),
    pure(1140, "date_mi", &[DATE, DATE], INT4, minus),
    pure(1142, "date_mii", &[DATE, INT4], DATE, minus),
    pure(2072, "date_mi_interval", &[DATE, INTERVAL], TIMESTAMP, minus),
    pure(2033, "timestamp_mi_interval", &[TIMESTAMP, INTERVAL], TIMESTAMP, minus),
    pure(1190, "timestamptz_mi_interval", &[TIMESTAMPTZ, INTERVAL], TIMESTAMPTZ, minus).stable(),
    pure(2031, "timestamp_mi", &[TIMESTAMP, TIMESTAMP], INTERVAL, minus),
    pure(1188, "timestamptz_mi", &[TIMESTAMPTZ, TIMESTAMPTZ], INTERVAL, minus),
    pure(1748, "time_mi_interval", &[TIME, INTERVAL], TIME, minus),
    pure(1690, "time_mi_time", &[TIME, TIME], INTERVAL, minus),
    pure(1750, "timetz_mi_interval", &[TIMETZ, INTERVAL], TIMETZ, minus),
    pure(1170, "interval_mi", &[INTERVAL, INTERVAL], INTERVAL, minus),
    pure(1168, "interval_um", &[INTERVAL], INTERVAL, interval_um),
    pure(1618, "interval_mul", &[INTERVAL, FLOAT8], INTERVAL, interval_mul),
    pure(1624, "mul_d_interval", &[FLOAT8, INTERVAL], INTERVAL, mul_d_interval),
    pure(1326, "interval_div", &[INTERVAL, FLOAT8], INTERVAL, interval_div),
    pure(1175, "justify_hours", &[INTERVAL], INTERVAL, justify_hours),
    pure(1295, "justify_days", &[INTERVAL], INTERVAL, justify_days),
    pure(2711, "justify_interval", &[INTERVAL], INTERVAL, justify_interval),
    pure(1199, "age", &[TIMESTAMPTZ, TIMESTAMPTZ], INTERVAL, age),
    pure(1386, "age", &[TIMESTAMPTZ], INTERVAL, age).stable(),
    pure(2058, "age", &[TIMESTAMP, TIMESTAMP], INTERVAL, age),
    pure(2059, "age", &[TIMESTAMP], INTERVAL, age).stable(),
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
    pure(1217, "date_trunc", &[TEXT, TIMESTAMPTZ], TIMESTAMPTZ, date_trunc).stable(),
    pure(1218, "date_trunc", &[TEXT, INTERVAL], INTERVAL, date_trunc),
    pure(1284, "date_trunc", &[TEXT, TIMESTAMPTZ, TEXT], TIMESTAMPTZ, date_trunc).stable(),
    pure(2020, "date_trunc", &[TEXT, TIMESTAMP], TIMESTAMP, date_trunc),
    pure(6177, "date_bin", &[INTERVAL, TIMESTAMP, TIMESTAMP], TIMESTAMP, date_bin),
    pure(6178, "date_bin", &[INTERVAL, TIMESTAMPTZ, TIMESTAMPTZ], TIMESTAMPTZ, date_bin),
    pure(1026, "timezone", &[INTERVAL, TIMESTAMPTZ], TIMESTAMP, timezone),
    pure(1159, "timezone", &[TEXT, TIMESTAMPTZ], TIMESTAMP, timezone),
    pure(2037, "timezone", &[TEXT, TIMETZ], TIMETZ, timezone).stable(),
    pure(2038, "timezone", &[INTERVAL, TIMETZ], TIMETZ, timezone),
    pure(2069, "timezone", &[TEXT, TIMESTAMP], TIMESTAMPTZ, timezone),
    pure(2070, "timezone", &[INTERVAL, TIMESTAMP], TIMESTAMPTZ, timezone),
    pure(1373, "isfinite", &[DATE], BOOL, isfinite),
    pure(1389, "isfinite", &[TIMESTAMPTZ], BOOL, isfinite),
    pure(1390, "isfinite", &[INTERVAL], BOOL, isfinite),
    pure(2048, "isfinite", &[TIMESTAMP], BOOL, isfinite),
    pure(1271, "overlaps", &[TIMETZ, TIMETZ, TIMETZ, TIMETZ], BOOL, overlaps).called_on_null(),
    pure(1304, "overlaps", &[TIMESTAMPTZ, TIMESTAMPTZ, TIMESTAMPTZ, TIMESTAMPTZ], BOOL, overlaps).called_on_null(),
    pure(1305, "overlaps", &[TIMESTAMPTZ, INTERVAL, TIMESTAMPTZ, INTERVAL], BOOL, overlaps).stable().called_on_null(),
    pure(1306, "overlaps", &[TIMESTAMPTZ, TIMESTAMPTZ, TIMESTAMPTZ, INTERVAL], BOOL, overlaps).stable().called_on_null(),
    pure(1307, "overlaps", &[TIMESTAMPTZ, INTERVAL, TIMESTAMPTZ, TIMESTAMPTZ], BOOL, overlaps).stable().called_on_null(),
    pure(1308, "overlaps", &[TIME, TIME, TIME, TIME], BOOL, overlaps).called_on_null(),
    pure(1309, "overlaps", &[TIME, INTERVAL, TIME, INTERVAL], BOOL, overlaps).called_on_null(),
    pure(1310, "overlaps", &[TIME, TIME, TIME, INTERVAL], BOOL, overlaps).called_on_null(),
    pure(1311, "overlaps", &[TIME, INTERVAL, TIME, TIME], BOOL, overlaps).called_on_null(),
    pure(2041, "overlaps", &[TIMESTAMP, TIMESTAMP, TIMESTAMP, TIMESTAMP], BOOL, overlaps).called_on_null(),
    pure(2042, "overlaps", &[TIMESTAMP, INTERVAL, TIMESTAMP, INTERVAL], BOOL, overlaps).called_on_null(),
    pure(2043, "overlaps", &[TIMESTAMP, TIMESTAMP, TIMESTAMP, INTERVAL], BOOL, overlaps).called_on_null(),
    pure(2044, "overlaps", &[TIMESTAMP, INTERVAL, TIMESTAMP, TIMESTAMP], BOOL, overlaps).called_on_null(),
    pure(3846, "make_date", &[INT4, INT4, INT4], DATE, make_date),
    pure(3847, "make_time", &[INT4, INT4, FLOAT8], TIME, make_time),
    pure(3461, "make_timestamp", &[INT4, INT4, INT4, INT4, INT4, FLOAT8], TIMESTAMP, make_timestamp),
    pure(3462, "make_timestamptz", &[INT4, INT4, INT4, INT4, INT4, FLOAT8], TIMESTAMPTZ, make_timestamptz).stable(),
    pure(3463, "make_timestamptz", &[INT4, INT4, INT4, INT4, INT4, FLOAT8, TEXT], TIMESTAMPTZ, make_timestamptz).stable(),
    pure(3464, "make_interval", &[INT4, INT4, INT4, INT4, INT4, INT4, FLOAT8], INTERVAL, make_interval).with_defaults(&["0", "0", "0", "0", "0", "0", "0.0"]),
    pure(1158, "to_timestamp", &[FLOAT8], TIMESTAMPTZ, to_timestamp),
    pure(274, "timeofday", &[], TEXT, timeofday).volatile(),
    pure(2025, "timestamp", &[DATE, TIME], TIMESTAMP, plus),
    pure(1176, "timestamptz", &[DATE, TIME], TIMESTAMPTZ, timestamptz_of_date_time).stable(),
    pure(1359, "timestamptz", &[DATE, TIMETZ], TIMESTAMPTZ, timestamptz_of_date_time),
    Builtin { body: Body::Set(generate_series), ..pure(938, "generate_series", &[TIMESTAMP, TIMESTAMP, INTERVAL], TIMESTAMP, unused) },
    Builtin { body: Body::Set(generate_series), ..pure(939, "generate_series", &[TIMESTAMPTZ, TIMESTAMPTZ, INTERVAL], TIMESTAMPTZ, unused) }.stable(),
];
