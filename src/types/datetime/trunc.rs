//! `date_trunc` and `date_bin`.

use super::extract::{not_recognized, not_supported};
use super::words::{IntervalWord, Unit, interval_word};
use super::zone::ZoneSpec;
use super::{
    Civil, MICROS_PER_DAY, MICROS_PER_SECOND, civil_from_days, day_of_week, interval_out_of_range, is_finite_timestamp,
    is_valid_timestamp, timestamp_out_of_range,
};
use crate::error::{PgError, Result, sqlstate};
use crate::types::Interval;

fn unit_named(text: &str, type_name: &str) -> Result<Unit> {
    match interval_word(&text.to_ascii_lowercase()) {
        Some(IntervalWord::Unit(unit)) => Ok(unit),
        _ => Err(not_recognized(text, type_name)),
    }
}

/// The first day of a day's week, month, year, ...; `None` for units below a day and those that do not truncate.
fn first_day(unit: Unit, civil: &Civil) -> Option<(i32, i32, i32)> {
    let year = civil.year;
    Some(match unit {
        Unit::Day => (year, civil.month, civil.day),
        Unit::Week => {
            let days = civil.days();
            civil_from_days(days - i64::from((day_of_week(days) + 6) % 7))
        }
        Unit::Month => (year, civil.month, 1),
        Unit::Quarter => (year, (civil.month - 1) / 3 * 3 + 1, 1),
        Unit::Year => (year, 1, 1),
        Unit::Decade if year > 0 => (year / 10 * 10, 1, 1),
        Unit::Decade => (-((8 - (year - 1)) / 10) * 10, 1, 1),
        Unit::Century if year > 0 => ((year + 99) / 100 * 100 - 99, 1, 1),
        Unit::Century => (-((99 - (year - 1)) / 100) * 100 + 1, 1, 1),
        Unit::Millennium if year > 0 => ((year + 999) / 1000 * 1000 - 999, 1, 1),
        Unit::Millennium => (-((999 - (year - 1)) / 1000) * 1000 + 1, 1, 1),
        _ => return None,
    })
}

/// Microseconds of a unit below a day.
fn unit_micros(unit: Unit) -> Option<i64> {
    Some(match unit {
        Unit::Microsecond => 1,
        Unit::Millisecond => 1_000,
        Unit::Second => MICROS_PER_SECOND,
        Unit::Minute => super::MICROS_PER_MINUTE,
        Unit::Hour => super::MICROS_PER_HOUR,
        _ => return None,
    })
}

fn trunc_local(unit: Unit, micros: i64) -> Option<Result<i64>> {
    if let Some(step) = unit_micros(unit) {
        return Some(Ok(micros - micros.rem_euclid(step)));
    }
    let (year, month, day) = first_day(unit, &Civil::from_micros(micros))?;
    let first = Civil {
        year,
        month,
        day,
        ..Civil::default()
    };
    Some(first.to_micros().ok_or_else(timestamp_out_of_range))
}

/// `date_trunc(unit, timestamp)`.
pub fn trunc_timestamp(unit_text: &str, micros: i64) -> Result<i64> {
    const NAME: &str = "timestamp without time zone";
    let unit = unit_named(unit_text, NAME)?;
    if !is_finite_timestamp(micros) {
        return Ok(micros);
    }
    trunc_local(unit, micros).ok_or_else(|| not_supported(unit_text, NAME))?
}

/// `date_trunc(unit, timestamptz [, zone])`.
pub fn trunc_timestamptz(unit_text: &str, utc: i64, zone: &ZoneSpec) -> Result<i64> {
    const NAME: &str = "timestamp with time zone";
    let unit = unit_named(unit_text, NAME)?;
    if !is_finite_timestamp(utc) {
        return Ok(utc);
    }
    let offset = i64::from(zone.offset_at(utc)) * MICROS_PER_SECOND;
    let local = trunc_local(unit, utc + offset).ok_or_else(|| not_supported(unit_text, NAME))??;
    // Within a day the offset stays what it is: an hour in a fold must not jump.
    let offset = if unit_micros(unit).is_some() {
        offset
    } else {
        i64::from(zone.local_offset(local)) * MICROS_PER_SECOND
    };
    let truncated = local - offset;
    if is_valid_timestamp(truncated) {
        Ok(truncated)
    } else {
        Err(timestamp_out_of_range())
    }
}

/// `date_trunc(unit, interval)`.
pub fn trunc_interval(unit_text: &str, interval: &Interval) -> Result<Interval> {
    const NAME: &str = "interval";
    let unit = unit_named(unit_text, NAME)?;
    if let Some(step) = unit_micros(unit) {
        return Ok(Interval {
            micros: interval.micros - interval.micros % step,
            ..*interval
        });
    }
    let months_step = match unit {
        Unit::Day => {
            return Ok(Interval { micros: 0, ..*interval });
        }
        Unit::Month => 1,
        Unit::Quarter => 3,
        Unit::Year => 12,
        Unit::Decade => 120,
        Unit::Century => 1_200,
        Unit::Millennium => 12_000,
        Unit::Week => {
            return Err(not_supported(unit_text, NAME).detail("Months usually have fractional weeks."));
        }
        _ => return Err(not_supported(unit_text, NAME)),
    };
    Ok(Interval {
        months: interval.months - interval.months % months_step,
        days: 0,
        micros: 0,
    })
}

/// `date_bin(stride, timestamp, origin)`, of `timestamp` and `timestamptz` alike.
pub fn date_bin(stride: &Interval, micros: i64, origin: i64) -> Result<i64> {
    let bad = |message: &str| PgError::new(sqlstate::DATETIME_VALUE_OUT_OF_RANGE, message);
    if !is_finite_timestamp(micros) {
        return Ok(micros);
    }
    if !is_finite_timestamp(origin) {
        return Err(bad("origin out of range"));
    }
    if stride.months != 0 {
        return Err(PgError::new(
            sqlstate::FEATURE_NOT_SUPPORTED,
            "timestamps cannot be binned into intervals containing months or years",
        ));
    }
    let step = i64::from(stride.days)
        .checked_mul(MICROS_PER_DAY)
        .and_then(|days| days.checked_add(stride.micros))
        .ok_or_else(interval_out_of_range)?;
    if step <= 0 {
        return Err(bad("stride must be greater than zero"));
    }
    let distance = micros.checked_sub(origin).ok_or_else(interval_out_of_range)?;
    let binned = origin.checked_add(distance - distance.rem_euclid(step));
    binned
        .filter(|micros| is_valid_timestamp(*micros))
        .ok_or_else(timestamp_out_of_range)
}
