//! Reads single fields: dates, times, numbers in context, displacements.

use super::tokens::{Decoded, Fault};
use super::words::{Word, date_word};
use super::{Civil, MICROS_PER_DAY, MICROS_PER_SECOND, civil_from_days, days_from_civil, days_in_month};
use crate::types::env::DateOrder;

/// Sets of parts that have been read.
pub(super) type Parts = u32;

/// A word for a whole value.
pub(super) const RESERVED: Parts = 1;
pub(super) const MONTH: Parts = 1 << 1;
pub(super) const YEAR: Parts = 1 << 2;
pub(super) const DAY: Parts = 1 << 3;
pub(super) const ZONE: Parts = 1 << 5;
pub(super) const DAYLIGHT: Parts = 1 << 6;
pub(super) const HALF: Parts = 1 << 9;
pub(super) const HOUR: Parts = 1 << 10;
pub(super) const MINUTE: Parts = 1 << 11;
pub(super) const SECOND: Parts = 1 << 12;
pub(super) const MILLISECOND: Parts = 1 << 13;
pub(super) const MICROSECOND: Parts = 1 << 14;
pub(super) const DAY_OF_YEAR: Parts = 1 << 15;
pub(super) const WEEKDAY: Parts = 1 << 16;
pub(super) const ERA: Parts = 1 << 18;
pub(super) const ALL_SECONDS: Parts = SECOND | MILLISECOND | MICROSECOND;
pub(super) const DATE: Parts = YEAR | MONTH | DAY;
pub(super) const TIME: Parts = HOUR | MINUTE | ALL_SECONDS;

/// Hours of a displacement at most.
const ZONE_HOURS_MAX: i64 = 15;

/// What has been read so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct State {
    pub civil: Civil,
    pub day_of_year: i32,
    pub two_digit_year: bool,
    pub julian: bool,
}

/// Leading decimal digits (with a sign) of a text, and what follows; overflow is a fault.
pub(super) fn leading_int(text: &str) -> Decoded<(i32, &str)> {
    let (value, rest) = leading_int64(text)?;
    i32::try_from(value)
        .map(|value| (value, rest))
        .map_err(|_| Fault::FieldOverflow)
}

pub(super) fn leading_int64(text: &str) -> Decoded<(i64, &str)> {
    let signed = usize::from(text.starts_with(['+', '-']));
    let digits = text[signed..].bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(signed + digits);
    if digits == 0 {
        return Ok((0, text));
    }
    number.parse().map(|value| (value, rest)).map_err(|_| Fault::FieldOverflow)
}

/// `.123` as a number below one; `.` alone is 0.
pub(super) fn fraction(text: &str) -> Decoded<f64> {
    let digits = text.strip_prefix('.').ok_or(Fault::BadFormat)?;
    if digits.is_empty() {
        return Ok(0.0);
    }
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Fault::BadFormat);
    }
    text.parse().map_err(|_| Fault::BadFormat)
}

/// `.123` in microseconds, rounded half to even.
pub(super) fn fraction_micros(text: &str) -> Decoded<i32> {
    Ok((fraction(text)? * 1e6).round_ties_even() as i32)
}

/// `hh:mm[:ss[.f]]` or `mm:ss.f`, hours without bound: hours, minutes, seconds, microseconds.
pub(super) fn clock(text: &str, minute_to_second: bool) -> Decoded<(i64, i32, i32, i32)> {
    let (hour, rest) = leading_int64(text)?;
    let rest = rest.strip_prefix(':').ok_or(Fault::BadFormat)?;
    let (minute, rest) = leading_int(rest)?;
    let (hour, minute, second, micros) = if rest.is_empty() {
        if minute_to_second {
            (0, i32::try_from(hour).map_err(|_| Fault::FieldOverflow)?, minute, 0)
        } else {
            (hour, minute, 0, 0)
        }
    } else if rest.starts_with('.') {
        let micros = fraction_micros(rest)?;
        (0, i32::try_from(hour).map_err(|_| Fault::FieldOverflow)?, minute, micros)
    } else if let Some(rest) = rest.strip_prefix(':') {
        let (second, rest) = leading_int(rest)?;
        let micros = match rest {
            "" => 0,
            rest if rest.starts_with('.') => fraction_micros(rest)?,
            _ => return Err(Fault::BadFormat),
        };
        (hour, minute, second, micros)
    } else {
        return Err(Fault::BadFormat);
    };
    let good = hour >= 0 && (0..60).contains(&minute) && (0..=60).contains(&second) && (0..=1_000_000).contains(&micros);
    if good {
        Ok((hour, minute, second, micros))
    } else {
        Err(Fault::FieldOverflow)
    }
}

/// Whether a time is past 24:00:00.
pub(super) fn time_overflows(civil: &Civil) -> bool {
    !(0..=24).contains(&civil.hour)
        || !(0..60).contains(&civil.minute)
        || !(0..=60).contains(&civil.second)
        || i64::from(civil.micros) > MICROS_PER_SECOND
        || civil.time_micros() > MICROS_PER_DAY
}

/// `+hh[[:]mm[:ss]]`: seconds **west** of UTC.
pub(super) fn decode_zone(text: &str) -> Decoded<i32> {
    let east_is = match text.as_bytes().first() {
        Some(b'+') => 1,
        Some(b'-') => -1,
        _ => return Err(Fault::BadFormat),
    };
    let overflow = |_| Fault::ZoneOverflow;
    let (mut hour, rest) = leading_int64(&text[1..]).map_err(overflow)?;
    let (mut minute, mut second) = (0, 0);
    let mut rest = rest;
    if let Some(after) = rest.strip_prefix(':') {
        (minute, rest) = leading_int64(after).map_err(overflow)?;
        if let Some(after) = rest.strip_prefix(':') {
            (second, rest) = leading_int64(after).map_err(overflow)?;
        }
    } else if rest.is_empty() && text.len() > 3 {
        minute = hour % 100;
        hour /= 100;
    }
    if !(0..=ZONE_HOURS_MAX).contains(&hour) || !(0..60).contains(&minute) || !(0..60).contains(&second) {
        return Err(Fault::ZoneOverflow);
    }
    if !rest.is_empty() {
        return Err(Fault::BadFormat);
    }
    Ok(-east_is * ((hour * 60 + minute) * 60 + second) as i32)
}

impl State {
    /// Takes in one clock field.
    pub fn time(&mut self, text: &str) -> Decoded<Parts> {
        let (hour, minute, second, micros) = clock(text, false)?;
        self.civil.hour = i32::try_from(hour).map_err(|_| Fault::FieldOverflow)?;
        (self.civil.minute, self.civil.second, self.civil.micros) = (minute, second, micros);
        if time_overflows(&self.civil) {
            return Err(Fault::FieldOverflow);
        }
        Ok(TIME)
    }

    /// Takes in a date with separators.
    pub fn date(&mut self, text: &str, have: Parts, order: DateOrder) -> Decoded<Parts> {
        let fields = split_date(text)?;
        let mut have = have;
        let mut got = 0;
        let mut text_month = false;
        let mut take = |parts: Parts, have: &mut Parts| {
            if *have & parts != 0 {
                return Err(Fault::BadFormat);
            }
            *have |= parts;
            got |= parts;
            Ok(())
        };
        // A month's name is unambiguous: it goes first.
        for field in fields
            .iter()
            .filter(|field| field.starts_with(|c: char| c.is_ascii_alphabetic()))
        {
            match date_word(field) {
                Some(Word::Ignore) => {}
                Some(Word::Month(month)) => {
                    self.civil.month = month;
                    text_month = true;
                    take(MONTH, &mut have)?;
                }
                _ => return Err(Fault::BadFormat),
            }
        }
        for field in fields
            .iter()
            .filter(|field| !field.starts_with(|c: char| c.is_ascii_alphabetic()))
        {
            if field.is_empty() {
                return Err(Fault::BadFormat);
            }
            let parts = self.number(field, text_month, have, order)?;
            take(parts, &mut have)?;
        }
        if have & !(DAY_OF_YEAR | ZONE) != DATE {
            return Err(Fault::BadFormat);
        }
        Ok(got)
    }

    /// Takes in a plain number by what is known already.
    pub fn number(&mut self, text: &str, text_month: bool, have: Parts, order: DateOrder) -> Decoded<Parts> {
        let (value, rest) = leading_int(text)?;
        let whole_len = text.len() - rest.len();
        if whole_len == 0 {
            return Err(Fault::BadFormat);
        }
        if rest.starts_with('.') {
            // More than two digits before the point: a date or a time run together.
            if whole_len > 2 {
                return self.run_together(text, have | DATE);
            }
            self.civil.micros = fraction_micros(rest)?;
        } else if !rest.is_empty() {
            return Err(Fault::BadFormat);
        }
        let len = text.len();
        if len == 3 && have & DATE == YEAR && (1..=366).contains(&value) {
            self.day_of_year = value;
            return Ok(DAY_OF_YEAR | MONTH | DAY);
        }
        let year_first = len >= 3 || order == DateOrder::Ymd;
        let parts = match have & DATE {
            0 if year_first => YEAR,
            0 if order == DateOrder::Dmy => DAY,
            0 => MONTH,
            YEAR => MONTH,
            MONTH if text_month && year_first => YEAR,
            MONTH => DAY,
            have if have == YEAR | MONTH => {
                // DD-MON-YYYY in YMD mode: the guess that the first number was the year was wrong.
                if text_month && len >= 3 && self.two_digit_year {
                    self.civil.day = self.civil.year;
                    self.civil.year = value;
                    self.two_digit_year = false;
                    return Ok(DAY);
                }
                DAY
            }
            DAY => MONTH,
            have if have == MONTH | DAY => YEAR,
            DATE => return self.run_together(text, have),
            _ => return Err(Fault::BadFormat),
        };
        match parts {
            YEAR => {
                self.civil.year = value;
                self.two_digit_year = len <= 2;
            }
            MONTH => self.civil.month = value,
            _ => self.civil.day = value,
        }
        Ok(parts)
    }

    /// Takes in `yyyymmdd`, `yymmdd`, `hhmmss[.f]` or `hhmm`.
    pub fn run_together(&mut self, text: &str, have: Parts) -> Decoded<Parts> {
        let int = |text: &str| leading_int(text).map(|(value, _)| value);
        let digits = if let Some((digits, _)) = text.split_once('.') {
            let point = &text[digits.len()..];
            self.civil.micros = fraction_micros(point)?;
            digits
        } else {
            let len = text.len();
            if have & DATE != DATE && len >= 6 {
                self.civil.day = int(&text[len - 2..])?;
                self.civil.month = int(&text[len - 4..len - 2])?;
                self.civil.year = int(&text[..len - 4])?;
                if len == 6 {
                    self.two_digit_year = true;
                }
                return Ok(DATE);
            }
            text
        };
        if have & TIME == TIME {
            return Err(Fault::BadFormat);
        }
        match digits.len() {
            6 => {
                self.civil.second = int(&digits[4..])?;
                self.civil.minute = int(&digits[2..4])?;
                self.civil.hour = int(&digits[..2])?;
            }
            4 => {
                self.civil.second = 0;
                self.civil.minute = int(&digits[2..])?;
                self.civil.hour = int(&digits[..2])?;
            }
            _ => return Err(Fault::BadFormat),
        }
        Ok(TIME)
    }

    /// Checks the date once all is known: two-digit years, eras, days of months.
    pub fn validate(&mut self, have: Parts, bc: bool) -> Decoded<()> {
        if have & YEAR != 0 && !self.julian {
            let year = &mut self.civil.year;
            if bc {
                if *year <= 0 {
                    return Err(Fault::FieldOverflow);
                }
                *year = 1 - *year;
            } else if self.two_digit_year {
                match *year {
                    ..0 => return Err(Fault::FieldOverflow),
                    0..70 => *year += 2000,
                    70..100 => *year += 1900,
                    _ => {}
                }
            } else if *year <= 0 {
                return Err(Fault::FieldOverflow);
            }
        }
        if have & DAY_OF_YEAR != 0 {
            let days = days_from_civil(self.civil.year, 1, 1) + i64::from(self.day_of_year) - 1;
            (self.civil.year, self.civil.month, self.civil.day) = civil_from_days(days);
        }
        if have & MONTH != 0 && !(1..=12).contains(&self.civil.month) {
            return Err(Fault::MonthDayOverflow);
        }
        if have & DAY != 0 && !(1..=31).contains(&self.civil.day) {
            return Err(Fault::MonthDayOverflow);
        }
        if have & DATE == DATE && self.civil.day > days_in_month(self.civil.year, self.civil.month) {
            return Err(Fault::FieldOverflow);
        }
        Ok(())
    }
}

/// Runs of digits or letters; the one character after each goes with it.
fn split_date(text: &str) -> Decoded<Vec<&str>> {
    let mut fields = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        rest = rest.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
        let Some(first) = rest.chars().next() else {
            return Err(Fault::BadFormat);
        };
        let same = |c: char| {
            if first.is_ascii_digit() {
                c.is_ascii_digit()
            } else {
                c.is_ascii_alphabetic()
            }
        };
        let len = rest.find(|c| !same(c)).unwrap_or(rest.len());
        let (field, tail) = rest.split_at(len);
        fields.push(field);
        rest = tail.get(1..).unwrap_or("");
    }
    Ok(fields)
}
