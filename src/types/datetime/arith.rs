//! Arithmetic on dates, times, timestamps and intervals.

use super::zone::{local_offset, offset_at};
use super::{
    Civil, DAYS_PER_MONTH, MICROS_PER_DAY, MICROS_PER_SECOND, date_out_of_range, date_to_timestamp, days_in_month,
    interval_out_of_range, is_finite_date, is_finite_timestamp, is_valid_date, is_valid_timestamp, timestamp_out_of_range,
    timestamptz_to_timestamp,
};
use crate::error::{PgError, Result, sqlstate};
use crate::types::numeric::division_by_zero;
use crate::types::{Interval, TimeTz, TypeEnv};

fn in_range(micros: Option<i64>) -> Result<i64> {
    micros
        .filter(|micros| is_valid_timestamp(*micros))
        .ok_or_else(timestamp_out_of_range)
}

/// The same day some months later; the last of the month where that day is missing.
fn add_months(micros: i64, months: i32) -> Result<i64> {
    let mut civil = Civil::from_micros(micros);
    let month = i64::from(civil.month) - 1 + i64::from(months);
    let year = i64::from(civil.year) + month.div_euclid(12);
    civil.year = i32::try_from(year).map_err(|_| timestamp_out_of_range())?;
    civil.month = month.rem_euclid(12) as i32 + 1;
    civil.day = civil.day.min(days_in_month(civil.year, civil.month));
    civil.to_micros().ok_or_else(timestamp_out_of_range)
}

fn add_days(micros: i64, days: i32) -> Result<i64> {
    in_range(
        i64::from(days)
            .checked_mul(MICROS_PER_DAY)
            .and_then(|days| micros.checked_add(days)),
    )
}

/// `timestamp + interval`: months, then days, then time.
pub fn timestamp_add(micros: i64, interval: &Interval) -> Result<i64> {
    if !is_finite_timestamp(micros) {
        return Ok(micros);
    }
    let mut sum = micros;
    if interval.months != 0 {
        sum = add_months(sum, interval.months)?;
    }
    if interval.days != 0 {
        sum = add_days(sum, interval.days)?;
    }
    in_range(sum.checked_add(interval.micros))
}

/// `timestamp - interval`.
pub fn timestamp_sub(micros: i64, interval: &Interval) -> Result<i64> {
    timestamp_add(micros, &negated(interval))
}

/// `timestamptz + interval`: months and days by the session's calendar.
pub fn timestamptz_add(utc: i64, interval: &Interval, env: &TypeEnv<'_>) -> Result<i64> {
    if !is_finite_timestamp(utc) {
        return Ok(utc);
    }
    let zone = &env.settings.time_zone;
    let by_calendar = |utc: i64, step: &dyn Fn(i64) -> Result<i64>| {
        let local = utc + i64::from(offset_at(zone, utc)) * MICROS_PER_SECOND;
        let local = step(local)?;
        in_range(Some(local - i64::from(local_offset(zone, local)) * MICROS_PER_SECOND))
    };
    let mut sum = utc;
    if interval.months != 0 {
        sum = by_calendar(sum, &|local| add_months(local, interval.months))?;
    }
    if interval.days != 0 {
        sum = by_calendar(sum, &|local| add_days(local, interval.days))?;
    }
    in_range(sum.checked_add(interval.micros))
}

/// `timestamptz - interval`.
pub fn timestamptz_sub(utc: i64, interval: &Interval, env: &TypeEnv<'_>) -> Result<i64> {
    timestamptz_add(utc, &negated(interval), env)
}

/// The opposite, wrapping at the ends as PostgreSQL's subtraction does.
fn negated(interval: &Interval) -> Interval {
    Interval {
        months: interval.months.wrapping_neg(),
        days: interval.days.wrapping_neg(),
        micros: interval.micros.wrapping_neg(),
    }
}

/// `timestamp - timestamp` (and `timestamptz`): days and time.
pub fn timestamp_diff(a: i64, b: i64) -> Result<Interval> {
    if !is_finite_timestamp(a) || !is_finite_timestamp(b) {
        return Err(PgError::new(
            sqlstate::DATETIME_VALUE_OUT_OF_RANGE,
            "cannot subtract infinite timestamps",
        ));
    }
    let micros = a.checked_sub(b).ok_or_else(interval_out_of_range)?;
    justify_hours(&Interval {
        micros,
        ..Interval::default()
    })
}

/// `date + integer`.
pub fn date_add(date: i32, days: i32) -> Result<i32> {
    if !is_finite_date(date) {
        return Ok(date);
    }
    let sum = i64::from(date) + i64::from(days);
    if is_valid_date(sum) {
        Ok(sum as i32)
    } else {
        Err(date_out_of_range())
    }
}

/// `date - integer`.
pub fn date_sub(date: i32, days: i32) -> Result<i32> {
    if !is_finite_date(date) {
        return Ok(date);
    }
    let difference = i64::from(date) - i64::from(days);
    if is_valid_date(difference) {
        Ok(difference as i32)
    } else {
        Err(date_out_of_range())
    }
}

/// `date - date`, in days.
pub fn date_diff(a: i32, b: i32) -> Result<i32> {
    if !is_finite_date(a) || !is_finite_date(b) {
        return Err(PgError::new(
            sqlstate::DATETIME_VALUE_OUT_OF_RANGE,
            "cannot subtract infinite dates",
        ));
    }
    Ok(a.wrapping_sub(b))
}

/// `date + interval`: a timestamp.
pub fn date_add_interval(date: i32, interval: &Interval) -> Result<i64> {
    timestamp_add(date_to_timestamp(date)?, interval)
}

/// `date - interval`: a timestamp.
pub fn date_sub_interval(date: i32, interval: &Interval) -> Result<i64> {
    timestamp_sub(date_to_timestamp(date)?, interval)
}

/// `date + time`: a timestamp.
pub fn date_add_time(date: i32, time: i64) -> Result<i64> {
    let midnight = date_to_timestamp(date)?;
    if !is_finite_timestamp(midnight) {
        return Ok(midnight);
    }
    in_range(midnight.checked_add(time))
}

/// `date + timetz`: a timestamptz.
pub fn date_add_timetz(date: i32, time: TimeTz) -> Result<i64> {
    let midnight = date_to_timestamp(date)?;
    if !is_finite_timestamp(midnight) {
        return Ok(midnight);
    }
    in_range(midnight.checked_add(time.micros + i64::from(time.west_seconds) * MICROS_PER_SECOND))
}

/// `time + interval`: around the clock; months and days do not count.
pub fn time_add(time: i64, interval: &Interval) -> i64 {
    (i128::from(time) + i128::from(interval.micros)).rem_euclid(i128::from(MICROS_PER_DAY)) as i64
}

/// `time - interval`.
pub fn time_sub(time: i64, interval: &Interval) -> i64 {
    (i128::from(time) - i128::from(interval.micros)).rem_euclid(i128::from(MICROS_PER_DAY)) as i64
}

/// `time - time`.
pub fn time_diff(a: i64, b: i64) -> Interval {
    Interval {
        micros: a - b,
        ..Interval::default()
    }
}

/// `timetz + interval`.
pub fn timetz_add(time: TimeTz, interval: &Interval) -> TimeTz {
    TimeTz {
        micros: time_add(time.micros, interval),
        ..time
    }
}

/// `timetz - interval`.
pub fn timetz_sub(time: TimeTz, interval: &Interval) -> TimeTz {
    TimeTz {
        micros: time_sub(time.micros, interval),
        ..time
    }
}

/// `timetz` as it reads at another displacement (seconds east).
pub fn timetz_at_offset(time: TimeTz, east_seconds: i32) -> TimeTz {
    let utc = time.micros + i64::from(time.west_seconds) * MICROS_PER_SECOND;
    TimeTz {
        micros: (utc + i64::from(east_seconds) * MICROS_PER_SECOND).rem_euclid(MICROS_PER_DAY),
        west_seconds: -east_seconds,
    }
}

pub fn interval_add(a: &Interval, b: &Interval) -> Result<Interval> {
    let sum = || {
        Some(Interval {
            months: a.months.checked_add(b.months)?,
            days: a.days.checked_add(b.days)?,
            micros: a.micros.checked_add(b.micros)?,
        })
    };
    sum().ok_or_else(interval_out_of_range)
}

pub fn interval_sub(a: &Interval, b: &Interval) -> Result<Interval> {
    let difference = || {
        Some(Interval {
            months: a.months.checked_sub(b.months)?,
            days: a.days.checked_sub(b.days)?,
            micros: a.micros.checked_sub(b.micros)?,
        })
    };
    difference().ok_or_else(interval_out_of_range)
}

pub fn interval_neg(a: &Interval) -> Result<Interval> {
    interval_sub(&Interval::default(), a)
}

/// To the nearest microsecond, in seconds or days.
fn round_sixth(value: f64) -> f64 {
    (value * 1e6).round_ties_even() / 1e6
}

/// Scaled parts into an interval: what is lost of months goes to days (30 a month), of days to time.
fn scaled(months: f64, days: f64, micros: f64) -> Result<Interval> {
    const SECONDS_PER_DAY: f64 = 86_400.0;
    let whole = |value: f64| {
        let fits = value >= f64::from(i32::MIN) && value <= f64::from(i32::MAX);
        if fits {
            Ok(value as i32)
        } else {
            Err(interval_out_of_range())
        }
    };
    let (whole_months, mut whole_days) = (whole(months)?, whole(days)?);
    let month_days = round_sixth((months - f64::from(whole_months)) * DAYS_PER_MONTH as f64);
    let mut seconds = round_sixth((days - f64::from(whole_days) + month_days - month_days.trunc()) * SECONDS_PER_DAY);
    let add = |days: i32, more: f64| days.checked_add(more as i32).ok_or_else(interval_out_of_range);
    if seconds.abs() >= SECONDS_PER_DAY {
        let extra = (seconds / SECONDS_PER_DAY).trunc();
        whole_days = add(whole_days, extra)?;
        seconds -= extra * SECONDS_PER_DAY;
    }
    whole_days = add(whole_days, month_days)?;
    let micros = (micros + seconds * 1e6).round_ties_even();
    if !(-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&micros) {
        return Err(interval_out_of_range());
    }
    Ok(Interval {
        months: whole_months,
        days: whole_days,
        micros: micros as i64,
    })
}

pub fn interval_mul(a: &Interval, factor: f64) -> Result<Interval> {
    scaled(
        f64::from(a.months) * factor,
        f64::from(a.days) * factor,
        a.micros as f64 * factor,
    )
}

pub fn interval_div(a: &Interval, divisor: f64) -> Result<Interval> {
    if divisor == 0.0 {
        return Err(division_by_zero());
    }
    scaled(
        f64::from(a.months) / divisor,
        f64::from(a.days) / divisor,
        a.micros as f64 / divisor,
    )
}

/// Whole days out of the time; then both of one sign.
pub fn justify_hours(a: &Interval) -> Result<Interval> {
    let mut days = i64::from(a.days) + a.micros / MICROS_PER_DAY;
    let mut micros = a.micros % MICROS_PER_DAY;
    if days > 0 && micros < 0 {
        micros += MICROS_PER_DAY;
        days -= 1;
    } else if days < 0 && micros > 0 {
        micros -= MICROS_PER_DAY;
        days += 1;
    }
    Ok(Interval {
        months: a.months,
        days: i32::try_from(days).map_err(|_| interval_out_of_range())?,
        micros,
    })
}

/// Whole months of 30 days out of the days; then both of one sign.
pub fn justify_days(a: &Interval) -> Result<Interval> {
    let mut months = i64::from(a.months) + i64::from(a.days) / DAYS_PER_MONTH;
    let mut days = i64::from(a.days) % DAYS_PER_MONTH;
    if months > 0 && days < 0 {
        days += DAYS_PER_MONTH;
        months -= 1;
    } else if months < 0 && days > 0 {
        days -= DAYS_PER_MONTH;
        months += 1;
    }
    Ok(Interval {
        months: i32::try_from(months).map_err(|_| interval_out_of_range())?,
        days: days as i32,
        micros: a.micros,
    })
}

/// Both, all of one sign.
pub fn justify_interval(a: &Interval) -> Result<Interval> {
    let mut days = i64::from(a.days) + a.micros / MICROS_PER_DAY;
    let mut micros = a.micros % MICROS_PER_DAY;
    let mut months = i64::from(a.months) + days / DAYS_PER_MONTH;
    days %= DAYS_PER_MONTH;
    if months > 0 && (days < 0 || (days == 0 && micros < 0)) {
        days += DAYS_PER_MONTH;
        months -= 1;
    } else if months < 0 && (days > 0 || (days == 0 && micros > 0)) {
        days -= DAYS_PER_MONTH;
        months += 1;
    }
    if days > 0 && micros < 0 {
        micros += MICROS_PER_DAY;
        days -= 1;
    } else if days < 0 && micros > 0 {
        micros -= MICROS_PER_DAY;
        days += 1;
    }
    Ok(Interval {
        months: i32::try_from(months).map_err(|_| interval_out_of_range())?,
        days: days as i32,
        micros,
    })
}

/// `age(a, b)` of local timestamps: years, months, days and time by the calendar.
pub fn age(a: i64, b: i64) -> Result<Interval> {
    if !is_finite_timestamp(a) || !is_finite_timestamp(b) {
        return Err(timestamp_out_of_range());
    }
    let (x, y) = (Civil::from_micros(a), Civil::from_micros(b));
    let sign = if a < b { -1 } else { 1 };
    let mut micros = i64::from(sign) * (x.time_micros() - y.time_micros());
    let mut days = sign * (x.day - y.day);
    let mut months = sign * ((x.year - y.year) * 12 + x.month - y.month);
    if micros < 0 {
        micros += MICROS_PER_DAY;
        days -= 1;
    }
    // Days are borrowed from the month of the earlier moment.
    let earlier = if a < b { &x } else { &y };
    while days < 0 {
        days += days_in_month(earlier.year, earlier.month);
        months -= 1;
    }
    Ok(Interval {
        months: sign * months,
        days: sign * days,
        micros: i64::from(sign) * micros,
    })
}

/// `age(a, b)` of moments, by the session's calendar.
pub fn age_tz(a: i64, b: i64, env: &TypeEnv<'_>) -> Result<Interval> {
    age(timestamptz_to_timestamp(a, env)?, timestamptz_to_timestamp(b, env)?)
}
