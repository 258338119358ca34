//! Text output of intervals in the four `IntervalStyles`.

use std::fmt::Write as _;

use super::encode::{push_fraction, push2};
use super::{MICROS_PER_HOUR, MICROS_PER_MINUTE, MICROS_PER_SECOND};
use crate::types::Interval;
use crate::types::env::IntervalFormat;

/// An interval's parts, each with its own sign.
struct Parts {
    years: i32,
    months: i32,
    days: i32,
    hours: i64,
    minutes: i64,
    seconds: i64,
    micros: i32,
}

impl Parts {
    fn of(interval: &Interval) -> Self {
        Parts {
            years: interval.months / 12,
            months: interval.months % 12,
            days: interval.days,
            hours: interval.micros / MICROS_PER_HOUR,
            minutes: interval.micros / MICROS_PER_MINUTE % 60,
            seconds: interval.micros / MICROS_PER_SECOND % 60,
            micros: (interval.micros % MICROS_PER_SECOND) as i32,
        }
    }

    fn has_time(&self) -> bool {
        self.hours != 0 || self.minutes != 0 || self.seconds != 0 || self.micros != 0
    }

    fn time_is_negative(&self) -> bool {
        self.hours < 0 || self.minutes < 0 || self.seconds < 0 || self.micros < 0
    }

    /// `hh:mm:ss.f` without a sign.
    fn push_clock(&self, hour_width: usize, out: &mut String) {
        let _ = write!(out, "{:0hour_width$}:", self.hours.unsigned_abs());
        push2(self.minutes.abs() as i32, out);
        out.push(':');
        push2(self.seconds.abs() as i32, out);
        push_fraction(self.micros, out);
    }

    /// `s.f` with as many digits of the second as needed.
    fn push_seconds(&self, out: &mut String) {
        out.push_str(&self.seconds.abs().to_string());
        push_fraction(self.micros, out);
    }
}

pub fn interval_out(interval: &Interval, style: IntervalFormat, out: &mut String) {
    let parts = Parts::of(interval);
    match style {
        IntervalFormat::Postgres => postgres(&parts, out),
        IntervalFormat::PostgresVerbose => verbose(&parts, out),
        IntervalFormat::SqlStandard => sql_standard(&parts, out),
        IntervalFormat::Iso8601 => iso_8601(&parts, out),
    }
}

/// In style `postgres`, for messages.
pub(super) fn postgres_text(interval: &Interval) -> String {
    let mut out = String::new();
    interval_out(interval, IntervalFormat::Postgres, &mut out);
    out
}

fn postgres(parts: &Parts, out: &mut String) {
    let start = out.len();
    let mut after_negative = false;
    for (value, unit) in [(parts.years, "year"), (parts.months, "mon"), (parts.days, "day")] {
        if value == 0 {
            continue;
        }
        if out.len() > start {
            out.push(' ');
        }
        let plus = if after_negative && value > 0 { "+" } else { "" };
        let plural = if value == 1 { "" } else { "s" };
        let _ = write!(out, "{plus}{value} {unit}{plural}");
        after_negative = value < 0;
    }
    if out.len() == start || parts.has_time() {
        if out.len() > start {
            out.push(' ');
        }
        if parts.time_is_negative() {
            out.push('-');
        } else if after_negative {
            out.push('+');
        }
        parts.push_clock(2, out);
    }
}

fn verbose(parts: &Parts, out: &mut String) {
    out.push('@');
    let (mut is_zero, mut negative) = (true, false);
    let mut push = |value: i64, unit: &str, out: &mut String| {
        if value == 0 {
            return;
        }
        // The first field's sign is told by `ago`; the others are shown relative to it.
        let shown = if is_zero {
            negative = value < 0;
            value.abs()
        } else if negative {
            -value
        } else {
            value
        };
        is_zero = false;
        let _ = write!(out, " {shown} {unit}{}", if shown == 1 { "" } else { "s" });
    };
    push(i64::from(parts.years), "year", out);
    push(i64::from(parts.months), "mon", out);
    push(i64::from(parts.days), "day", out);
    push(parts.hours, "hour", out);
    push(parts.minutes, "min", out);
    if parts.seconds != 0 || parts.micros != 0 {
        out.push(' ');
        let below = parts.seconds < 0 || parts.micros < 0;
        if is_zero {
            negative = below;
            is_zero = false;
        } else if below != negative {
            out.push('-');
        }
        parts.push_seconds(out);
        let one = parts.seconds.abs() == 1 && parts.micros == 0;
        out.push_str(if one { " sec" } else { " secs" });
    }
    if is_zero {
        out.push_str(" 0");
    }
    if negative {
        out.push_str(" ago");
    }
}

fn sql_standard(parts: &Parts, out: &mut String) {
    let signs = [
        i64::from(parts.years),
        i64::from(parts.months),
        i64::from(parts.days),
        parts.hours,
        parts.minutes,
        parts.seconds,
        i64::from(parts.micros),
    ];
    let has_negative = signs.iter().any(|value| *value < 0);
    let has_positive = signs.iter().any(|value| *value > 0);
    let has_month = parts.years != 0 || parts.months != 0;
    let has_day = parts.days != 0;
    let has_time = parts.has_time();
    // The standard has no mixed signs and no years beside days: then every field gets a sign.
    let standard = !(has_negative && has_positive) && !(has_month && (has_day || has_time));
    if !has_negative && !has_positive {
        out.push('0');
    } else if !standard {
        let sign = |below: bool| if below { '-' } else { '+' };
        let _ = write!(
            out,
            "{}{}-{} {}{} {}",
            sign(parts.years < 0 || parts.months < 0),
            parts.years.unsigned_abs(),
            parts.months.abs(),
            sign(parts.days < 0),
            parts.days.unsigned_abs(),
            sign(parts.time_is_negative()),
        );
        parts.push_clock(1, out);
    } else {
        if has_negative {
            out.push('-');
        }
        if has_month {
            let _ = write!(out, "{}-{}", parts.years.unsigned_abs(), parts.months.abs());
        } else if has_day {
            let _ = write!(out, "{} ", parts.days.unsigned_abs());
            parts.push_clock(1, out);
        } else {
            parts.push_clock(1, out);
        }
    }
}

fn iso_8601(parts: &Parts, out: &mut String) {
    if parts.years == 0 && parts.months == 0 && parts.days == 0 && !parts.has_time() {
        out.push_str("PT0S");
        return;
    }
    let push = |value: i64, unit: char, out: &mut String| {
        if value != 0 {
            let _ = write!(out, "{value}{unit}");
        }
    };
    out.push('P');
    push(i64::from(parts.years), 'Y', out);
    push(i64::from(parts.months), 'M', out);
    push(i64::from(parts.days), 'D', out);
    if parts.has_time() {
        out.push('T');
    }
    push(parts.hours, 'H', out);
    push(parts.minutes, 'M', out);
    if parts.seconds != 0 || parts.micros != 0 {
        if parts.seconds < 0 || parts.micros < 0 {
            out.push('-');
        }
        parts.push_seconds(out);
        out.push('S');
    }
}
