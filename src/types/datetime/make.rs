//! `make_date` and its kin, `to_timestamp`.

use super::zone::{ZoneSpec, to_utc};
use super::{
    MICROS_PER_DAY, MICROS_PER_HOUR, MICROS_PER_MINUTE, TIMESTAMP_NEG_INFINITY, TIMESTAMP_POS_INFINITY, UNIX_EPOCH_MICROS,
    days_from_civil, days_in_month, interval_out_of_range, is_valid_date, is_valid_timestamp,
};
use crate::error::{PgError, Result, sqlstate};
use crate::types::Interval;

fn overflow(message: String) -> PgError {
    PgError::new(sqlstate::DATETIME_FIELD_OVERFLOW, message)
}

/// A date; negative years are BC.
pub fn make_date(year: i32, month: i32, day: i32) -> Result<i32> {
    let bad = || overflow(format!("date field value out of range: {year}-{month:02}-{day:02}"));
    let calendar = match year {
        0 => return Err(bad()),
        // 1 BC is year 0.
        ..0 => year.checked_add(1).ok_or_else(bad)?,
        _ => year,
    };
    if !(1..=12).contains(&month) || day < 1 || day > days_in_month(calendar, month) {
        return Err(bad());
    }
    let days = days_from_civil(calendar, month, day);
    if is_valid_date(days) {
        Ok(days as i32)
    } else {
        Err(overflow(format!("date out of range: {year}-{month:02}-{day:02}")))
    }
}

/// C's `%02g`.
fn shown_seconds(second: f64) -> String {
    let mut text = String::new();
    crate::types::io::float8_out(second, -9, &mut text);
    format!("{text:0>2}")
}

/// Microseconds since midnight of a time of day up to 24:00:00.
pub fn make_time(hour: i32, minute: i32, second: f64) -> Result<i64> {
    let bad = || {
        overflow(format!(
            "time field value out of range: {hour}:{minute:02}:{}",
            shown_seconds(second)
        ))
    };
    let fields_good = (0..=24).contains(&hour) && (0..60).contains(&minute) && (0.0..=60.0).contains(&second);
    if !fields_good {
        return Err(bad());
    }
    let micros =
        i64::from(hour) * MICROS_PER_HOUR + i64::from(minute) * MICROS_PER_MINUTE + (second * 1e6).round_ties_even() as i64;
    if micros > MICROS_PER_DAY { Err(bad()) } else { Ok(micros) }
}

/// The parts of `make_timestamp`.
#[derive(Clone, Copy, Debug)]
pub struct TimestampParts {
    pub year: i32,
    pub month: i32,
    pub day: i32,
    pub hour: i32,
    pub minute: i32,
    pub second: f64,
}

pub fn make_timestamp(parts: TimestampParts) -> Result<i64> {
    let TimestampParts {
        year,
        month,
        day,
        hour,
        minute,
        second,
    } = parts;
    let date = make_date(year, month, day)?;
    let time = make_time(hour, minute, second)?;
    i64::from(date)
        .checked_mul(MICROS_PER_DAY)
        .and_then(|days| days.checked_add(time))
        .filter(|micros| is_valid_timestamp(*micros))
        .ok_or_else(|| {
            overflow(format!(
                "timestamp out of range: {year}-{month:02}-{day:02} {hour}:{minute:02}:{}",
                shown_seconds(second)
            ))
        })
}

/// `make_timestamptz`, in a zone.
pub fn make_timestamptz(parts: TimestampParts, zone: &ZoneSpec) -> Result<i64> {
    to_utc(make_timestamp(parts)?, zone)
}

/// The arguments of `make_interval`.
#[derive(Clone, Copy, Debug, Default)]
pub struct IntervalParts {
    pub years: i32,
    pub months: i32,
    pub weeks: i32,
    pub days: i32,
    pub hours: i32,
    pub minutes: i32,
    pub seconds: f64,
}

pub fn make_interval(parts: &IntervalParts) -> Result<Interval> {
    let narrow = |value: i64| i32::try_from(value).map_err(|_| interval_out_of_range());
    if !parts.seconds.is_finite() {
        return Err(interval_out_of_range());
    }
    let seconds = (parts.seconds * 1e6).round_ties_even();
    if seconds.abs() >= 9.2e18 {
        return Err(interval_out_of_range());
    }
    let micros = i64::from(parts.hours) * MICROS_PER_HOUR + i64::from(parts.minutes) * MICROS_PER_MINUTE;
    Ok(Interval {
        months: narrow(i64::from(parts.years) * 12 + i64::from(parts.months))?,
        days: narrow(i64::from(parts.weeks) * 7 + i64::from(parts.days))?,
        micros: micros.checked_add(seconds as i64).ok_or_else(interval_out_of_range)?,
    })
}

/// `to_timestamp(seconds since 1970)`.
pub fn timestamp_from_unix(seconds: f64) -> Result<i64> {
    if seconds.is_nan() {
        return Err(PgError::new(sqlstate::DATETIME_VALUE_OUT_OF_RANGE, "timestamp cannot be NaN"));
    }
    if seconds.is_infinite() {
        return Ok(if seconds > 0.0 {
            TIMESTAMP_POS_INFINITY
        } else {
            TIMESTAMP_NEG_INFINITY
        });
    }
    let bad = || {
        let mut shown = String::new();
        crate::types::io::float8_out(seconds, -9, &mut shown);
        PgError::new(
            sqlstate::DATETIME_VALUE_OUT_OF_RANGE,
            format!("timestamp out of range: \"{shown}\""),
        )
    };
    if seconds.abs() > 1e13 {
        return Err(bad());
    }
    // Seconds since 2000 first, so that the fraction keeps its digits.
    let since_2000 = seconds + UNIX_EPOCH_MICROS as f64 / 1e6;
    let micros = (since_2000 * 1e6).round_ties_even();
    if micros.abs() >= 9.223_372e18 {
        return Err(bad());
    }
    let micros = micros as i64;
    if is_valid_timestamp(micros) { Ok(micros) } else { Err(bad()) }
}
