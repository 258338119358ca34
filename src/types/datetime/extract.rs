//! `extract` and `date_part`.

use super::words::{Unit, unit_of};
use super::zone::offset_at;
use super::{
    Civil, EPOCH_JULIAN, MICROS_PER_DAY, MICROS_PER_HOUR, MICROS_PER_MINUTE, MICROS_PER_SECOND, UNIX_EPOCH_DAYS,
    UNIX_EPOCH_MICROS, civil_from_days, day_of_week, days_from_civil, is_finite_date, is_finite_timestamp,
    timestamptz_to_timestamp,
};
use crate::error::{PgError, Result, sqlstate};
use crate::types::numeric::Numeric;
use crate::types::{Interval, TimeTz, TypeEnv};

/// 22023: no such unit.
pub(super) fn not_recognized(unit: &str, type_name: &str) -> PgError {
    PgError::new(
        sqlstate::INVALID_PARAMETER_VALUE,
        format!("unit \"{}\" not recognized for type {type_name}", unit.to_ascii_lowercase()),
    )
}

/// 0A000: a unit that the type does not have.
pub(super) fn not_supported(unit: &str, type_name: &str) -> PgError {
    PgError::new(
        sqlstate::FEATURE_NOT_SUPPORTED,
        format!("unit \"{}\" not supported for type {type_name}", unit.to_ascii_lowercase()),
    )
}

fn whole(value: i64) -> Numeric {
    Numeric::from(value)
}

/// `micros / 10^scale`.
fn scaled(micros: i64, scale: u16) -> Numeric {
    Numeric::Small { digits: micros, scale }
}

/// The year, decade, ... of a calendar year, in which 1 BC is -1.
fn year_part(unit: Unit, year: i32) -> Option<i64> {
    let year = i64::from(year);
    Some(match unit {
        Unit::Year if year > 0 => year,
        Unit::Year => year - 1,
        Unit::Decade if year >= 0 => year / 10,
        Unit::Decade => -((8 - (year - 1)) / 10),
        Unit::Century if year > 0 => (year + 99) / 100,
        Unit::Century => -((99 - (year - 1)) / 100),
        Unit::Millennium if year > 0 => (year + 999) / 1000,
        Unit::Millennium => -((999 - (year - 1)) / 1000),
        _ => return None,
    })
}

/// ISO week and the year it belongs to.
pub fn iso_week(days: i64) -> (i32, i32) {
    // The week belongs to the year of its Thursday.
    let thursday = days - i64::from((day_of_week(days) + 6) % 7) + 3;
    let (year, ..) = civil_from_days(thursday);
    let week = (thursday - days_from_civil(year, 1, 1)) / 7 + 1;
    (year, week as i32)
}

/// Parts that a date alone has.
fn day_part(unit: Unit, civil: &Civil) -> Option<i64> {
    let days = civil.days();
    Some(match unit {
        Unit::Day => i64::from(civil.day),
        Unit::Month => i64::from(civil.month),
        Unit::Quarter => i64::from((civil.month - 1) / 3 + 1),
        Unit::Week => i64::from(iso_week(days).1),
        Unit::IsoYear => match iso_week(days).0 {
            year if year > 0 => i64::from(year),
            year => i64::from(year) - 1,
        },
        Unit::DayOfWeek => i64::from(day_of_week(days)),
        Unit::IsoDayOfWeek => i64::from((day_of_week(days) + 6) % 7 + 1),
        Unit::DayOfYear => days - days_from_civil(civil.year, 1, 1) + 1,
        _ => return year_part(unit, civil.year),
    })
}

/// Parts of a time within a day.
fn time_part(unit: Unit, micros: i64) -> Option<Numeric> {
    let in_minute = micros % MICROS_PER_MINUTE;
    Some(match unit {
        Unit::Microsecond => whole(in_minute),
        Unit::Millisecond => scaled(in_minute, 3),
        Unit::Second => scaled(in_minute, 6),
        Unit::Minute => whole(micros / MICROS_PER_MINUTE % 60),
        Unit::Hour => whole(micros / MICROS_PER_HOUR),
        _ => return None,
    })
}

/// A part of an infinity: itself for what grows without end, NULL for what goes round.
#[expect(clippy::option_option, reason = "no such part, or a part that is NULL")]
fn infinite_part(unit: Unit, negative: bool) -> Option<Option<Numeric>> {
    match unit {
        Unit::Microsecond
        | Unit::Millisecond
        | Unit::Second
        | Unit::Minute
        | Unit::Hour
        | Unit::Day
        | Unit::Month
        | Unit::Quarter
        | Unit::Week
        | Unit::DayOfWeek
        | Unit::IsoDayOfWeek
        | Unit::DayOfYear
        | Unit::TimeZone
        | Unit::TimeZoneHour
        | Unit::TimeZoneMinute => Some(None),
        Unit::Year | Unit::Decade | Unit::Century | Unit::Millennium | Unit::Julian | Unit::IsoYear | Unit::Epoch => {
            Some(Some(if negative {
                Numeric::NegInfinity
            } else {
                Numeric::PosInfinity
            }))
        }
        Unit::IsoTime => None,
    }
}

fn zone_part(unit: Unit, east_seconds: i32) -> Option<i64> {
    let seconds = i64::from(east_seconds);
    Some(match unit {
        Unit::TimeZone => seconds,
        Unit::TimeZoneHour => seconds / 3600,
        Unit::TimeZoneMinute => seconds / 60 % 60,
        _ => return None,
    })
}

/// Microseconds since 1970 as seconds.
fn epoch_seconds(micros: i64) -> Numeric {
    Numeric::from_digits_128(i128::from(micros) - i128::from(UNIX_EPOCH_MICROS), 6)
}

fn moment_part(unit: Unit, local: i64) -> Result<Option<Numeric>> {
    let civil = Civil::from_micros(local);
    let time = local.rem_euclid(MICROS_PER_DAY);
    if let Some(part) = time_part(unit, time) {
        return Ok(Some(part));
    }
    if unit == Unit::Julian {
        let day = whole(civil.days() + i64::from(EPOCH_JULIAN));
        return day.add(&whole(time).div(&whole(MICROS_PER_DAY))?).map(Some);
    }
    Ok(day_part(unit, &civil).map(whole))
}

/// `extract(unit from timestamp)`; `None` is NULL.
pub fn extract_timestamp(unit_text: &str, micros: i64) -> Result<Option<Numeric>> {
    const NAME: &str = "timestamp without time zone";
    let unit = unit_of(unit_text).ok_or_else(|| not_recognized(unit_text, NAME))?;
    let unsupported = || not_supported(unit_text, NAME);
    if zone_part(unit, 0).is_some() {
        return Err(unsupported());
    }
    if !is_finite_timestamp(micros) {
        return infinite_part(unit, micros < 0).ok_or_else(unsupported);
    }
    if unit == Unit::Epoch {
        return Ok(Some(epoch_seconds(micros)));
    }
    moment_part(unit, micros)?.ok_or_else(unsupported).map(Some)
}

/// `extract(unit from timestamptz)`, in the session's zone.
pub fn extract_timestamptz(unit_text: &str, utc: i64, env: &TypeEnv<'_>) -> Result<Option<Numeric>> {
    const NAME: &str = "timestamp with time zone";
    let unit = unit_of(unit_text).ok_or_else(|| not_recognized(unit_text, NAME))?;
    let unsupported = || not_supported(unit_text, NAME);
    if !is_finite_timestamp(utc) {
        return infinite_part(unit, utc < 0).ok_or_else(unsupported);
    }
    if unit == Unit::Epoch {
        return Ok(Some(epoch_seconds(utc)));
    }
    if let Some(part) = zone_part(unit, offset_at(&env.settings.time_zone, utc)) {
        return Ok(Some(whole(part)));
    }
    moment_part(unit, timestamptz_to_timestamp(utc, env)?)?
        .ok_or_else(unsupported)
        .map(Some)
}

/// `extract(unit from date)`.
pub fn extract_date(unit_text: &str, days: i32) -> Result<Option<Numeric>> {
    const NAME: &str = "date";
    let unit = unit_of(unit_text).ok_or_else(|| not_recognized(unit_text, NAME))?;
    let unsupported = || not_supported(unit_text, NAME);
    if time_part(unit, 0).is_some() || zone_part(unit, 0).is_some() {
        return Err(unsupported());
    }
    if !is_finite_date(days) {
        return infinite_part(unit, days < 0).ok_or_else(unsupported);
    }
    let part = match unit {
        Unit::Epoch => (i64::from(days) - i64::from(UNIX_EPOCH_DAYS)) * 86_400,
        Unit::Julian => i64::from(days) + i64::from(EPOCH_JULIAN),
        _ => {
            let (year, month, day) = civil_from_days(i64::from(days));
            let civil = Civil {
                year,
                month,
                day,
                ..Civil::default()
            };
            day_part(unit, &civil).ok_or_else(unsupported)?
        }
    };
    Ok(Some(whole(part)))
}

/// `extract(unit from time)`.
pub fn extract_time(unit_text: &str, micros: i64) -> Result<Numeric> {
    const NAME: &str = "time without time zone";
    let unit = unit_of(unit_text).ok_or_else(|| not_recognized(unit_text, NAME))?;
    match unit {
        Unit::Epoch => Ok(scaled(micros, 6)),
        _ => time_part(unit, micros).ok_or_else(|| not_supported(unit_text, NAME)),
    }
}

/// `extract(unit from timetz)`.
pub fn extract_timetz(unit_text: &str, time: TimeTz) -> Result<Numeric> {
    const NAME: &str = "time with time zone";
    let unit = unit_of(unit_text).ok_or_else(|| not_recognized(unit_text, NAME))?;
    if unit == Unit::Epoch {
        return Ok(scaled(time.micros + i64::from(time.west_seconds) * MICROS_PER_SECOND, 6));
    }
    zone_part(unit, -time.west_seconds)
        .map(whole)
        .or_else(|| time_part(unit, time.micros))
        .ok_or_else(|| not_supported(unit_text, NAME))
}

/// `extract(unit from interval)`.
pub fn extract_interval(unit_text: &str, interval: &Interval) -> Result<Numeric> {
    const NAME: &str = "interval";
    let unit = unit_of(unit_text).ok_or_else(|| not_recognized(unit_text, NAME))?;
    if let Some(part) = time_part(unit, interval.micros) {
        return Ok(part);
    }
    let (years, months) = (i64::from(interval.months / 12), i64::from(interval.months % 12));
    Ok(whole(match unit {
        Unit::Day => i64::from(interval.days),
        Unit::Month => months,
        Unit::Quarter => months / 3 + 1,
        Unit::Year => years,
        Unit::Decade => years / 10,
        Unit::Century => years / 100,
        Unit::Millennium => years / 1000,
        Unit::Epoch => {
            // Years of 365.25 days, in quarters of a day.
            let quarter_days = years * 1461 + months * 120 + i64::from(interval.days) * 4;
            let micros = i128::from(quarter_days) * i128::from(MICROS_PER_DAY / 4) + i128::from(interval.micros);
            return Ok(Numeric::from_digits_128(micros, 6));
        }
        _ => return Err(not_supported(unit_text, NAME)),
    }))
}
