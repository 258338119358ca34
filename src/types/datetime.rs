//! Dates, times, timestamps and intervals: calendar, text forms, arithmetic.
//!
//! Days and microseconds are counted from 2000-01-01; the calendar is Gregorian without end, with a year 0 (1 BC).
//! Ranges, overflow errors and the input grammar are PostgreSQL's; the rules of time zones are `jiff`'s.

use std::cmp::Ordering;

use crate::error::{PgError, Result, sqlstate};
use crate::types::{TypeEnv, Value};

mod abbreviations;
mod arith;
mod convert;
mod decode;
mod decode_fields;
mod decode_interval;
mod decode_iso;
mod encode;
mod encode_interval;
mod extract;
mod input;
mod make;
mod tokens;
mod trunc;
mod words;
mod zone;

pub use abbreviations::{ABBREVIATIONS, Abbreviation};
pub use arith::*;
pub use convert::*;
pub use encode::{date_out, time_out, timestamp_out, timestamptz_out, timetz_out};
pub use encode_interval::interval_out;
pub use extract::*;
pub use input::*;
pub use make::*;
pub use trunc::*;
pub use zone::*;

pub const MICROS_PER_SECOND: i64 = 1_000_000;
pub const MICROS_PER_MINUTE: i64 = 60 * MICROS_PER_SECOND;
pub const MICROS_PER_HOUR: i64 = 60 * MICROS_PER_MINUTE;
pub const MICROS_PER_DAY: i64 = 24 * MICROS_PER_HOUR;
pub const DAYS_PER_MONTH: i64 = 30;
pub const MONTHS_PER_YEAR: i64 = 12;

/// Julian day number of 2000-01-01.
pub const EPOCH_JULIAN: i32 = 2_451_545;
/// Days from 1970-01-01 to 2000-01-01.
pub const UNIX_EPOCH_DAYS: i32 = -10_957;
/// Microseconds from 2000-01-01 to 1970-01-01.
pub const UNIX_EPOCH_MICROS: i64 = UNIX_EPOCH_DAYS as i64 * MICROS_PER_DAY;

/// The first timestamp, 4714-11-24 BC.
pub const TIMESTAMP_MIN: i64 = -211_813_488_000_000_000;
/// The first moment past all timestamps, 294277-01-01.
pub const TIMESTAMP_END: i64 = 9_223_371_331_200_000_000;
/// The first date, Julian day 0.
pub const DATE_MIN: i32 = -EPOCH_JULIAN;
/// The first day past all dates, 5874898-06-04.
pub const DATE_END: i32 = 2_147_483_494 - EPOCH_JULIAN;

pub const DATE_NEG_INFINITY: i32 = i32::MIN;
pub const DATE_POS_INFINITY: i32 = i32::MAX;
pub const TIMESTAMP_NEG_INFINITY: i64 = i64::MIN;
pub const TIMESTAMP_POS_INFINITY: i64 = i64::MAX;

/// A date and a time of day by the calendar and clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Civil {
    /// 0 is 1 BC.
    pub year: i32,
    /// 1 to 12.
    pub month: i32,
    /// 1 to 31.
    pub day: i32,
    pub hour: i32,
    pub minute: i32,
    pub second: i32,
    pub micros: i32,
}

/// Days of a month.
pub fn days_in_month(year: i32, month: i32) -> i32 {
    match month {
        2 if is_leap_year(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

pub fn is_leap_year(year: i32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Days since 2000-01-01 of a calendar day; the day may lie outside its month.
pub fn days_from_civil(year: i32, month: i32, day: i32) -> i64 {
    // Years begin in March, so that the leap day is the last.
    let year = i64::from(year) - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month = i64::from((month + 9) % 12);
    let day_of_year = (153 * month + 2) / 5 + i64::from(day) - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 730_425
}

/// Year, month and day of a count of days since 2000-01-01.
pub fn civil_from_days(days: i64) -> (i32, i32, i32) {
    let days = days + 730_425;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year as i32, month as i32, day as i32)
}

/// Day of the week, 0 for Sunday.
pub fn day_of_week(days: i64) -> i32 {
    // 2000-01-01 was a Saturday.
    (days + 6).rem_euclid(7) as i32
}

impl Civil {
    /// Of microseconds since 2000-01-01 00:00.
    pub fn from_micros(micros: i64) -> Self {
        let (year, month, day) = civil_from_days(micros.div_euclid(MICROS_PER_DAY));
        let time = micros.rem_euclid(MICROS_PER_DAY);
        Civil {
            year,
            month,
            day,
            ..Civil::of_time(time)
        }
    }

    /// Of a time of day; the date is 0.
    pub fn of_time(micros: i64) -> Self {
        Civil {
            hour: (micros / MICROS_PER_HOUR) as i32,
            minute: (micros / MICROS_PER_MINUTE % 60) as i32,
            second: (micros / MICROS_PER_SECOND % 60) as i32,
            micros: (micros % MICROS_PER_SECOND) as i32,
            ..Civil::default()
        }
    }

    /// Days since 2000-01-01.
    pub fn days(&self) -> i64 {
        days_from_civil(self.year, self.month, self.day)
    }

    /// Microseconds since midnight.
    pub fn time_micros(&self) -> i64 {
        i64::from(self.hour) * MICROS_PER_HOUR
            + i64::from(self.minute) * MICROS_PER_MINUTE
            + i64::from(self.second) * MICROS_PER_SECOND
            + i64::from(self.micros)
    }

    /// Microseconds since 2000-01-01 00:00; `None` outside the range of timestamps.
    pub fn to_micros(&self) -> Option<i64> {
        let micros = i128::from(self.days()) * i128::from(MICROS_PER_DAY) + i128::from(self.time_micros());
        i64::try_from(micros).ok().filter(|micros| is_valid_timestamp(*micros))
    }
}

pub fn is_valid_timestamp(micros: i64) -> bool {
    (TIMESTAMP_MIN..TIMESTAMP_END).contains(&micros)
}

pub fn is_valid_date(days: i64) -> bool {
    (i64::from(DATE_MIN)..i64::from(DATE_END)).contains(&days)
}

pub fn is_finite_timestamp(micros: i64) -> bool {
    micros != TIMESTAMP_NEG_INFINITY && micros != TIMESTAMP_POS_INFINITY
}

pub fn is_finite_date(days: i32) -> bool {
    days != DATE_NEG_INFINITY && days != DATE_POS_INFINITY
}

/// 22008 `timestamp out of range`.
pub fn timestamp_out_of_range() -> PgError {
    PgError::new(sqlstate::DATETIME_VALUE_OUT_OF_RANGE, "timestamp out of range")
}

/// 22008 `date out of range`.
pub fn date_out_of_range() -> PgError {
    PgError::new(sqlstate::DATETIME_VALUE_OUT_OF_RANGE, "date out of range")
}

/// 22008 `interval out of range`.
pub fn interval_out_of_range() -> PgError {
    PgError::new(sqlstate::DATETIME_VALUE_OUT_OF_RANGE, "interval out of range")
}

/// A date from a client, checked.
pub fn check_date(days: i32) -> Result<i32> {
    if is_finite_date(days) && !is_valid_date(i64::from(days)) {
        return Err(date_out_of_range());
    }
    Ok(days)
}

/// A time of day from a client, checked.
pub fn check_time(micros: i64) -> Result<i64> {
    if (0..=MICROS_PER_DAY).contains(&micros) {
        Ok(micros)
    } else {
        Err(PgError::new(sqlstate::DATETIME_VALUE_OUT_OF_RANGE, "time out of range"))
    }
}

/// Seconds west of UTC from a client, checked.
pub fn check_zone(west_seconds: i32) -> Result<i32> {
    const LIMIT: i32 = 16 * 3600;
    if west_seconds > -LIMIT && west_seconds < LIMIT {
        Ok(west_seconds)
    } else {
        Err(PgError::new(
            sqlstate::INVALID_TIME_ZONE_DISPLACEMENT_VALUE,
            "time zone displacement out of range",
        ))
    }
}

/// A timestamp from a client, checked.
pub fn check_timestamp(micros: i64) -> Result<i64> {
    if is_finite_timestamp(micros) && !is_valid_timestamp(micros) {
        return Err(timestamp_out_of_range());
    }
    Ok(micros)
}

/// Compares `date`, `timestamp` and `timestamptz` with each other: local ones are read in the session's zone. Dates past
/// the range of timestamps compare as they should instead of failing.
pub fn compare_moments(a: &Value, b: &Value, env: &TypeEnv<'_>) -> Result<Ordering> {
    match (a, b) {
        (Value::Date(a), Value::Date(b)) => Ok(a.cmp(b)),
        (Value::Timestamp(a), Value::Timestamp(b)) | (Value::TimestampTz(a), Value::TimestampTz(b)) => Ok(a.cmp(b)),
        (Value::TimestampTz(a), other) => Ok(a.cmp(&utc_of(other, env)?)),
        (other, Value::TimestampTz(b)) => Ok(utc_of(other, env)?.cmp(b)),
        _ => Ok(local_of(a)?.cmp(&local_of(b)?)),
    }
}

/// A `date` or `timestamp` as a timestamp, saturating.
fn local_of(value: &Value) -> Result<i64> {
    match value {
        Value::Timestamp(micros) => Ok(*micros),
        Value::Date(DATE_NEG_INFINITY) => Ok(TIMESTAMP_NEG_INFINITY),
        Value::Date(DATE_POS_INFINITY) => Ok(TIMESTAMP_POS_INFINITY),
        // Past the last timestamp, but before infinity.
        Value::Date(days) => Ok(i64::from(*days)
            .checked_mul(MICROS_PER_DAY)
            .unwrap_or(TIMESTAMP_POS_INFINITY - 1)),
        other => Err(PgError::internal(format!("not a date or timestamp: {other:?}"))),
    }
}

fn utc_of(value: &Value, env: &TypeEnv<'_>) -> Result<i64> {
    let local = local_of(value)?;
    if !is_finite_timestamp(local) || !is_valid_timestamp(local) {
        return Ok(local);
    }
    Ok(local - i64::from(local_offset(&env.settings.time_zone, local)) * MICROS_PER_SECOND)
}

#[cfg(test)]
mod tests;
