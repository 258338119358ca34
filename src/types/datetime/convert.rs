//! Conversions between the date and time types, and rounding to a modifier.

use super::{
    DATE_NEG_INFINITY, DATE_POS_INFINITY, MICROS_PER_DAY, MICROS_PER_SECOND, TIMESTAMP_NEG_INFINITY, TIMESTAMP_POS_INFINITY,
    interval_out_of_range, is_finite_timestamp, is_valid_timestamp, local_offset, offset_at, timestamp_out_of_range,
};
use crate::error::{PgError, Result, sqlstate};
use crate::types::info::{INTERVAL_FULL_RANGE, interval_precision, interval_range};
use crate::types::{Interval, TimeTz, TypeEnv};

/// `date` to `timestamp`.
pub fn date_to_timestamp(days: i32) -> Result<i64> {
    match days {
        DATE_NEG_INFINITY => Ok(TIMESTAMP_NEG_INFINITY),
        DATE_POS_INFINITY => Ok(TIMESTAMP_POS_INFINITY),
        _ => i64::from(days)
            .checked_mul(MICROS_PER_DAY)
            .filter(|micros| is_valid_timestamp(*micros))
            .ok_or_else(|| PgError::new(sqlstate::DATETIME_VALUE_OUT_OF_RANGE, "date out of range for timestamp")),
    }
}

/// `date` to `timestamptz`: midnight in the session's zone.
pub fn date_to_timestamptz(days: i32, env: &TypeEnv<'_>) -> Result<i64> {
    let local = date_to_timestamp(days)?;
    if !is_finite_timestamp(local) {
        return Ok(local);
    }
    let utc = local - i64::from(local_offset(&env.settings.time_zone, local)) * MICROS_PER_SECOND;
    if is_valid_timestamp(utc) {
        Ok(utc)
    } else {
        Err(PgError::new(
            sqlstate::DATETIME_VALUE_OUT_OF_RANGE,
            "date out of range for timestamp",
        ))
    }
}

/// `timestamp` to `date`.
pub fn timestamp_to_date(micros: i64) -> i32 {
    match micros {
        TIMESTAMP_NEG_INFINITY => DATE_NEG_INFINITY,
        TIMESTAMP_POS_INFINITY => DATE_POS_INFINITY,
        _ => micros.div_euclid(MICROS_PER_DAY) as i32,
    }
}

/// `timestamptz` to the session's local `timestamp`.
pub fn timestamptz_to_timestamp(utc: i64, env: &TypeEnv<'_>) -> Result<i64> {
    if !is_finite_timestamp(utc) {
        return Ok(utc);
    }
    let local = utc + i64::from(offset_at(&env.settings.time_zone, utc)) * MICROS_PER_SECOND;
    if is_valid_timestamp(local) {
        Ok(local)
    } else {
        Err(timestamp_out_of_range())
    }
}

/// `timestamp`, read in the session's zone, to `timestamptz`.
pub fn timestamp_to_timestamptz(local: i64, env: &TypeEnv<'_>) -> Result<i64> {
    if !is_finite_timestamp(local) {
        return Ok(local);
    }
    let utc = local - i64::from(local_offset(&env.settings.time_zone, local)) * MICROS_PER_SECOND;
    if is_valid_timestamp(utc) {
        Ok(utc)
    } else {
        Err(timestamp_out_of_range())
    }
}

/// `timestamptz` to the session's local date.
pub fn timestamptz_to_date(utc: i64, env: &TypeEnv<'_>) -> Result<i32> {
    Ok(timestamp_to_date(timestamptz_to_timestamp(utc, env)?))
}

/// `timestamp` to `time`; `None` for an infinity (NULL in SQL).
pub fn timestamp_to_time(micros: i64) -> Option<i64> {
    is_finite_timestamp(micros).then(|| micros.rem_euclid(MICROS_PER_DAY))
}

/// `timestamptz` to `timetz`, in the session's zone; `None` for an infinity.
pub fn timestamptz_to_timetz(utc: i64, env: &TypeEnv<'_>) -> Result<Option<TimeTz>> {
    if !is_finite_timestamp(utc) {
        return Ok(None);
    }
    let local = timestamptz_to_timestamp(utc, env)?;
    Ok(Some(TimeTz {
        micros: local.rem_euclid(MICROS_PER_DAY),
        west_seconds: -offset_at(&env.settings.time_zone, utc),
    }))
}

/// `time` to `timetz`: the session's offset today.
pub fn time_to_timetz(micros: i64, env: &TypeEnv<'_>) -> TimeTz {
    let zone = &env.settings.time_zone;
    let local_now = env.now_micros + i64::from(offset_at(zone, env.now_micros)) * MICROS_PER_SECOND;
    let today = local_now.div_euclid(MICROS_PER_DAY) * MICROS_PER_DAY;
    TimeTz {
        micros,
        west_seconds: -local_offset(zone, today + micros),
    }
}

/// `interval` to `time`: what is left of whole days.
pub fn interval_to_time(interval: &Interval) -> i64 {
    interval.micros.rem_euclid(MICROS_PER_DAY)
}

const UNITS: [i64; 7] = [1_000_000, 100_000, 10_000, 1_000, 100, 10, 1];

/// Rounds microseconds to that many digits of a second, half away from zero.
pub fn round_micros(micros: i64, digits: u32) -> i64 {
    let Some(unit) = UNITS.get(digits as usize).copied().filter(|unit| *unit > 1) else {
        return micros;
    };
    let half = unit / 2;
    if micros >= 0 {
        micros.checked_add(half).map_or(micros, |sum| sum / unit * unit)
    } else {
        micros.checked_sub(half).map_or(micros, |sum| sum / unit * unit)
    }
}

/// Rounds a finite timestamp to a modifier.
pub fn round_timestamp(micros: i64, typmod: i32) -> Result<i64> {
    if typmod < 0 || !is_finite_timestamp(micros) {
        return Ok(micros);
    }
    let rounded = round_micros(micros, typmod as u32);
    if is_valid_timestamp(rounded) {
        Ok(rounded)
    } else {
        Err(timestamp_out_of_range())
    }
}

/// Drops the fields that an interval's modifier does not have, and rounds the seconds.
pub fn fit_interval(interval: &Interval, typmod: i32) -> Result<Interval> {
    const YEAR: i32 = 1 << 2;
    const MONTH: i32 = 1 << 1;
    const DAY: i32 = 1 << 3;
    const HOUR: i32 = 1 << 10;
    const MINUTE: i32 = 1 << 11;
    const SECOND: i32 = 1 << 12;
    let mut fit = *interval;
    if typmod < 0 {
        return Ok(fit);
    }
    let range = interval_range(typmod);
    if range != INTERVAL_FULL_RANGE {
        // Fields below the last one go; those above the first one stay.
        if range & SECOND != 0 {
        } else if range & MINUTE != 0 {
            fit.micros -= fit.micros % super::MICROS_PER_MINUTE;
        } else if range & HOUR != 0 {
            fit.micros -= fit.micros % super::MICROS_PER_HOUR;
        } else {
            fit.micros = 0;
            if range & DAY == 0 {
                fit.days = 0;
                if range & MONTH == 0 && range & YEAR != 0 {
                    fit.months -= fit.months % 12;
                }
            }
        }
    }
    if let Some(digits) = interval_precision(typmod) {
        let Some(unit) = UNITS.get(digits as usize).copied() else {
            return Err(interval_out_of_range());
        };
        if unit > 1 {
            let half = if fit.micros >= 0 { unit / 2 } else { -unit / 2 };
            fit.micros = fit.micros.checked_add(half).ok_or_else(interval_out_of_range)? / unit * unit;
        }
    }
    Ok(fit)
}
