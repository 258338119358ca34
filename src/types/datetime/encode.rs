//! Text output of dates, times and timestamps in the four `DateStyles`.

use super::{
    Civil, DATE_NEG_INFINITY, DATE_POS_INFINITY, MICROS_PER_SECOND, TIMESTAMP_NEG_INFINITY, TIMESTAMP_POS_INFINITY,
    civil_from_days, day_of_week, offset_and_name_at, offset_at,
};
use crate::types::TimeTz;
use crate::types::env::{DateFormat, DateOrder, TypeSettings};

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];
const WEEKDAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
/// Bytes of a zone's abbreviation shown.
const ZONE_BYTES_MAX: usize = 10;

/// Two digits.
pub(super) fn push2(value: i32, out: &mut String) {
    push_padded(value, 2, out);
}

/// At least `width` digits.
pub(super) fn push_padded(value: i32, width: usize, out: &mut String) {
    let mut buffer = itoa::Buffer::new();
    let text = buffer.format(value);
    out.extend(std::iter::repeat_n('0', width.saturating_sub(text.len())));
    out.push_str(text);
}

/// `.123`, without trailing zeros; nothing for 0.
pub(super) fn push_fraction(micros: i32, out: &mut String) {
    if micros == 0 {
        return;
    }
    out.push('.');
    let start = out.len();
    push_padded(micros.abs(), 6, out);
    let kept = out[start..].trim_end_matches('0').len();
    out.truncate(start + kept);
}

fn push_clock(civil: &Civil, out: &mut String) {
    push2(civil.hour, out);
    out.push(':');
    push2(civil.minute, out);
    out.push(':');
    push2(civil.second, out);
    push_fraction(civil.micros, out);
}

/// `+hh[:mm[:ss]]`; ISO style always leaves zero minutes out, the others show them never either.
pub(super) fn push_offset(east_seconds: i32, out: &mut String) {
    out.push(if east_seconds < 0 { '-' } else { '+' });
    let seconds = east_seconds.abs();
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    push2(hour, out);
    if minute != 0 || second != 0 {
        out.push(':');
        push2(minute, out);
    }
    if second != 0 {
        out.push(':');
        push2(second, out);
    }
}

/// The year as it is counted in its era.
fn shown_year(year: i32) -> i32 {
    if year > 0 { year } else { 1 - year }
}

fn push_year(year: i32, out: &mut String) {
    push_padded(shown_year(year), 4, out);
}

fn push_era(year: i32, out: &mut String) {
    if year <= 0 {
        out.push_str(" BC");
    }
}

/// The date in a style, without its era.
fn push_date(civil: &Civil, settings: &TypeSettings, out: &mut String) {
    let day_first = settings.date_order == DateOrder::Dmy;
    let (first, second) = if day_first {
        (civil.day, civil.month)
    } else {
        (civil.month, civil.day)
    };
    let (first, second, separator) = match settings.date_format {
        DateFormat::Iso => {
            push_year(civil.year, out);
            out.push('-');
            push2(civil.month, out);
            out.push('-');
            push2(civil.day, out);
            return;
        }
        DateFormat::Sql => (first, second, '/'),
        DateFormat::German => (civil.day, civil.month, '.'),
        DateFormat::Postgres => (first, second, '-'),
    };
    push2(first, out);
    out.push(separator);
    push2(second, out);
    out.push(separator);
    push_year(civil.year, out);
}

pub fn date_out(days: i32, settings: &TypeSettings, out: &mut String) {
    match days {
        DATE_NEG_INFINITY => out.push_str("-infinity"),
        DATE_POS_INFINITY => out.push_str("infinity"),
        _ => {
            let (year, month, day) = civil_from_days(i64::from(days));
            let civil = Civil {
                year,
                month,
                day,
                ..Civil::default()
            };
            push_date(&civil, settings, out);
            push_era(year, out);
        }
    }
}

pub fn time_out(micros: i64, out: &mut String) {
    push_clock(&Civil::of_time(micros), out);
}

pub fn timetz_out(value: TimeTz, _settings: &TypeSettings, out: &mut String) {
    time_out(value.micros, out);
    push_offset(-value.west_seconds, out);
}

/// A zone to show: the offset, and its abbreviation where the style shows it.
struct ShownZone {
    east_seconds: i32,
    name: String,
}

fn push_moment(micros: i64, settings: &TypeSettings, zone: Option<&ShownZone>, out: &mut String) {
    let civil = Civil::from_micros(micros);
    let push_zone = |out: &mut String| {
        let Some(zone) = zone else { return };
        match settings.date_format {
            DateFormat::Iso => push_offset(zone.east_seconds, out),
            _ if zone.name.is_empty() => push_offset(zone.east_seconds, out),
            _ => {
                out.push(' ');
                out.push_str(zone.name.get(..ZONE_BYTES_MAX).unwrap_or(&zone.name));
            }
        }
    };
    match settings.date_format {
        DateFormat::Iso | DateFormat::Sql | DateFormat::German => {
            push_date(&civil, settings, out);
            out.push(' ');
            push_clock(&civil, out);
            push_zone(out);
        }
        DateFormat::Postgres => {
            out.push_str(WEEKDAYS[day_of_week(civil.days()) as usize]);
            out.push(' ');
            let month = MONTHS[(civil.month - 1).clamp(0, 11) as usize];
            if settings.date_order == DateOrder::Dmy {
                push2(civil.day, out);
                out.push(' ');
                out.push_str(month);
            } else {
                out.push_str(month);
                out.push(' ');
                push2(civil.day, out);
            }
            out.push(' ');
            push_clock(&civil, out);
            out.push(' ');
            push_year(civil.year, out);
            push_zone(out);
        }
    }
    push_era(civil.year, out);
}

fn push_infinity(micros: i64, out: &mut String) -> bool {
    match micros {
        TIMESTAMP_NEG_INFINITY => out.push_str("-infinity"),
        TIMESTAMP_POS_INFINITY => out.push_str("infinity"),
        _ => return false,
    }
    true
}

pub fn timestamp_out(micros: i64, settings: &TypeSettings, out: &mut String) {
    if !push_infinity(micros, out) {
        push_moment(micros, settings, None, out);
    }
}

pub fn timestamptz_out(micros: i64, settings: &TypeSettings, out: &mut String) {
    if push_infinity(micros, out) {
        return;
    }
    let zone = if settings.date_format == DateFormat::Iso {
        ShownZone {
            east_seconds: offset_at(&settings.time_zone, micros),
            name: String::new(),
        }
    } else {
        let (east_seconds, name) = offset_and_name_at(&settings.time_zone, micros);
        ShownZone { east_seconds, name }
    };
    let local = micros + i64::from(zone.east_seconds) * MICROS_PER_SECOND;
    push_moment(local, settings, Some(&zone), out);
}
