//! Offsets of time zones, at moments and at local times.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone};

use super::abbreviations::{Abbreviation, abbreviation};
use super::{Civil, MICROS_PER_DAY, MICROS_PER_SECOND, UNIX_EPOCH_MICROS, timestamp_out_of_range};
use crate::error::{PgError, Result, sqlstate};
use crate::types::{Interval, TypeEnv};

/// 400 years, after which the calendar repeats, weekdays included.
const CYCLE_MICROS: i64 = 146_097 * MICROS_PER_DAY;
/// `jiff` ends with the year 9999: later moments ask about the same day of an earlier cycle.
const LATEST_MICROS: i64 = 7_900 * 365 * MICROS_PER_DAY;

fn within_jiff(micros: i64) -> i64 {
    if micros <= LATEST_MICROS {
        return micros;
    }
    LATEST_MICROS - CYCLE_MICROS + (micros - LATEST_MICROS) % CYCLE_MICROS
}

fn instant(utc_micros: i64) -> Timestamp {
    // Moments before the year -9999 do not exist in PostgreSQL.
    Timestamp::from_microsecond(within_jiff(utc_micros) - UNIX_EPOCH_MICROS).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// Seconds east of UTC at a moment.
pub fn offset_at(zone: &TimeZone, utc_micros: i64) -> i32 {
    if let Ok(fixed) = zone.to_fixed_offset() {
        return fixed.seconds();
    }
    zone.to_offset(instant(utc_micros)).seconds()
}

/// Seconds east of UTC and the zone's abbreviation at a moment.
pub fn offset_and_name_at(zone: &TimeZone, utc_micros: i64) -> (i32, String) {
    let info = zone.to_offset_info(instant(utc_micros));
    (info.offset().seconds(), info.abbreviation().to_owned())
}

/// Whether daylight saving time is in force at a moment.
pub fn is_dst_at(zone: &TimeZone, utc_micros: i64) -> bool {
    zone.to_offset_info(instant(utc_micros)).dst().is_dst()
}

/// Seconds east of UTC at a local time. In a gap the offset before it counts, in an overlap the one after: as PostgreSQL.
pub fn local_offset(zone: &TimeZone, local_micros: i64) -> i32 {
    if let Ok(fixed) = zone.to_fixed_offset() {
        return fixed.seconds();
    }
    let civil = Civil::from_micros(within_jiff(local_micros));
    let local = DateTime::new(
        civil.year as i16,
        civil.month as i8,
        civil.day as i8,
        civil.hour as i8,
        civil.minute as i8,
        civil.second as i8,
        civil.micros * 1000,
    );
    let Ok(local) = local else { return 0 };
    match zone.to_ambiguous_timestamp(local).offset() {
        AmbiguousOffset::Unambiguous { offset } => offset.seconds(),
        AmbiguousOffset::Gap { before, .. } => before.seconds(),
        AmbiguousOffset::Fold { after, .. } => after.seconds(),
    }
}

/// A time zone by name (`Europe/Paris`, any case) or POSIX rule (`EST5EDT`, `<+03>-3`).
pub fn zone_by_name(name: &str) -> Option<TimeZone> {
    if name.is_empty() || name.len() > 255 {
        return None;
    }
    if name.eq_ignore_ascii_case("utc") || name.eq_ignore_ascii_case("gmt") {
        return Some(TimeZone::UTC);
    }
    TimeZone::get(name)
        .ok()
        .or_else(|| TimeZone::posix(&name.to_ascii_uppercase()).ok())
}

/// 22023 `time zone "x" not recognized`.
pub fn zone_not_recognized(name: &str) -> PgError {
    PgError::new(
        sqlstate::INVALID_PARAMETER_VALUE,
        format!("time zone \"{name}\" not recognized"),
    )
}

/// What `AT TIME ZONE 'x'` takes: a numeric displacement, an abbreviation or a zone.
#[derive(Clone, Debug)]
pub enum ZoneSpec {
    /// Seconds east of UTC.
    Fixed(i32),
    Zone(TimeZone),
}

impl ZoneSpec {
    /// Reads a zone as `timestamptz_zone` does.
    pub fn parse(name: &str) -> Result<ZoneSpec> {
        let lower = name.to_ascii_lowercase();
        match abbreviation(&lower) {
            Some(Abbreviation::Fixed { east_seconds, .. }) => return Ok(ZoneSpec::Fixed(east_seconds)),
            Some(Abbreviation::Zone(zone)) => {
                return zone_by_name(zone)
                    .map(ZoneSpec::Zone)
                    .ok_or_else(|| zone_not_recognized(name));
            }
            None => {}
        }
        // PostgreSQL reads `+05` by POSIX: west of UTC.
        let numeric = if name.starts_with(|c: char| c.is_ascii_digit()) {
            super::decode_fields::decode_zone(&format!("+{name}"))
        } else {
            super::decode_fields::decode_zone(name)
        };
        if let Ok(west) = numeric {
            return Ok(ZoneSpec::Fixed(west));
        }
        zone_by_name(name)
            .map(ZoneSpec::Zone)
            .ok_or_else(|| zone_not_recognized(name))
    }

    /// A displacement given as an interval.
    pub fn from_interval(interval: &Interval) -> Result<ZoneSpec> {
        if interval.months != 0 || interval.days != 0 {
            return Err(PgError::new(
                sqlstate::INVALID_PARAMETER_VALUE,
                format!(
                    "interval time zone \"{}\" must not include months or days",
                    super::encode_interval::postgres_text(interval)
                ),
            ));
        }
        Ok(ZoneSpec::Fixed((interval.micros / MICROS_PER_SECOND) as i32))
    }

    /// Seconds east of UTC at a moment.
    pub fn offset_at(&self, utc_micros: i64) -> i32 {
        match self {
            ZoneSpec::Fixed(seconds) => *seconds,
            ZoneSpec::Zone(zone) => offset_at(zone, utc_micros),
        }
    }

    /// Seconds east of UTC at a local time.
    pub fn local_offset(&self, local_micros: i64) -> i32 {
        match self {
            ZoneSpec::Fixed(seconds) => *seconds,
            ZoneSpec::Zone(zone) => local_offset(zone, local_micros),
        }
    }
}

/// `timestamptz AT TIME ZONE zone`: the local time there.
pub fn to_local(utc_micros: i64, zone: &ZoneSpec) -> Result<i64> {
    if !super::is_finite_timestamp(utc_micros) {
        return Ok(utc_micros);
    }
    let local = utc_micros + i64::from(zone.offset_at(utc_micros)) * MICROS_PER_SECOND;
    if super::is_valid_timestamp(local) {
        Ok(local)
    } else {
        Err(timestamp_out_of_range())
    }
}

/// `timestamp AT TIME ZONE zone`: the moment it was that local time there.
pub fn to_utc(local_micros: i64, zone: &ZoneSpec) -> Result<i64> {
    if !super::is_finite_timestamp(local_micros) {
        return Ok(local_micros);
    }
    let utc = local_micros - i64::from(zone.local_offset(local_micros)) * MICROS_PER_SECOND;
    if super::is_valid_timestamp(utc) {
        Ok(utc)
    } else {
        Err(timestamp_out_of_range())
    }
}

/// The session's zone.
pub fn session_zone(env: &TypeEnv<'_>) -> ZoneSpec {
    ZoneSpec::Zone(env.settings.time_zone.clone())
}
