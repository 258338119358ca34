//! Reads ISO 8601 intervals: `P1Y2M3DT4H5M6S`, `P0001-02-03T04:05:06`, `P00010203T040506`.

use super::decode_interval::Sum;
use super::tokens::{Decoded, Fault};
use super::{MICROS_PER_DAY, MICROS_PER_HOUR, MICROS_PER_MINUTE, MICROS_PER_SECOND};

struct Reader<'a> {
    rest: &'a str,
    sum: Sum,
}

/// A number and the digits of its whole part.
struct Number {
    whole: i64,
    part: f64,
    width: usize,
}

impl Reader<'_> {
    fn number(&mut self) -> Decoded<Number> {
        let len = number_len(self.rest);
        let (text, rest) = self.rest.split_at(len);
        if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '.')) {
            return Err(Fault::BadFormat);
        }
        let value: f64 = text.parse().map_err(|_| Fault::BadFormat)?;
        if value.abs() > 1e15 {
            return Err(Fault::FieldOverflow);
        }
        self.rest = rest;
        let whole = value.trunc() as i64;
        let digits = text.trim_start_matches('-');
        Ok(Number {
            whole,
            part: value - whole as f64,
            width: digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len()),
        })
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    fn days(&mut self, number: &Number) -> Decoded<()> {
        self.sum.days(number.whole, 1)?;
        self.sum.fraction_micros(number.part, MICROS_PER_DAY)
    }

    /// `years-months-days`, after the years and their `-`; answers whether a time follows.
    fn extended_date(&mut self) -> Decoded<bool> {
        let months = self.number()?;
        self.sum.months(months.whole)?;
        self.sum.fraction_days(months.part, 30)?;
        match self.next() {
            None => return Ok(false),
            Some('T') => return Ok(true),
            Some('-') => {}
            Some(_) => return Err(Fault::BadFormat),
        }
        let days = self.number()?;
        self.days(&days)?;
        match self.next() {
            None => Ok(false),
            Some('T') => Ok(true),
            Some(_) => Err(Fault::BadFormat),
        }
    }

    /// `hours:minutes:seconds`, after the hours and their `:`.
    fn extended_time(&mut self) -> Decoded<()> {
        let minutes = self.number()?;
        self.sum.micros(minutes.whole, minutes.part, MICROS_PER_MINUTE)?;
        match self.next() {
            None => return Ok(()),
            Some(':') => {}
            Some(_) => return Err(Fault::BadFormat),
        }
        let seconds = self.number()?;
        self.sum.micros(seconds.whole, seconds.part, MICROS_PER_SECOND)?;
        if self.rest.is_empty() { Ok(()) } else { Err(Fault::BadFormat) }
    }

    /// The part before `T`; answers whether a time follows.
    fn date_part(&mut self) -> Decoded<bool> {
        let mut first = true;
        while !self.rest.is_empty() {
            if self.rest.starts_with('T') {
                self.next();
                return Ok(true);
            }
            let number = self.number()?;
            let unit = self.next();
            match unit {
                Some('Y') => {
                    self.sum.years(number.whole, 1)?;
                    self.sum.fraction_years(number.part, 1)?;
                }
                Some('M') => {
                    self.sum.months(number.whole)?;
                    self.sum.fraction_days(number.part, 30)?;
                }
                Some('W') => {
                    self.sum.days(number.whole, 7)?;
                    self.sum.fraction_days(number.part, 7)?;
                }
                Some('D') => self.days(&number)?,
                None | Some('T') if number.width == 8 && first => {
                    self.sum.years(number.whole / 10_000, 1)?;
                    self.sum.months(number.whole / 100 % 100)?;
                    self.sum.days(number.whole % 100, 1)?;
                    self.sum.fraction_micros(number.part, MICROS_PER_DAY)?;
                    return Ok(unit.is_some());
                }
                None | Some('T' | '-') if first => {
                    self.sum.years(number.whole, 1)?;
                    self.sum.fraction_years(number.part, 1)?;
                    return match unit {
                        None => Ok(false),
                        Some('T') => Ok(true),
                        Some(_) => self.extended_date(),
                    };
                }
                _ => return Err(Fault::BadFormat),
            }
            first = false;
        }
        Ok(false)
    }

    fn time_part(&mut self) -> Decoded<()> {
        let mut first = true;
        while !self.rest.is_empty() {
            if self.rest.starts_with('T') {
                self.next();
                first = true;
                continue;
            }
            let number = self.number()?;
            match self.next() {
                Some('H') => self.sum.micros(number.whole, number.part, MICROS_PER_HOUR)?,
                Some('M') => self.sum.micros(number.whole, number.part, MICROS_PER_MINUTE)?,
                Some('S') => self.sum.micros(number.whole, number.part, MICROS_PER_SECOND)?,
                None if number.width == 6 && first => {
                    self.sum.micros(number.whole / 10_000, 0.0, MICROS_PER_HOUR)?;
                    self.sum.micros(number.whole / 100 % 100, 0.0, MICROS_PER_MINUTE)?;
                    self.sum.micros(number.whole % 100, number.part, MICROS_PER_SECOND)?;
                    return Ok(());
                }
                None if first => return self.sum.micros(number.whole, number.part, MICROS_PER_HOUR),
                Some(':') if first => {
                    self.sum.micros(number.whole, number.part, MICROS_PER_HOUR)?;
                    return self.extended_time();
                }
                _ => return Err(Fault::BadFormat),
            }
            first = false;
        }
        Ok(())
    }
}

/// Bytes of the number at the start: a minus, digits, a point and digits, an exponent.
fn number_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |at: usize| at + bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = digits(usize::from(text.starts_with('-')));
    if bytes.get(at) == Some(&b'.') {
        at = digits(at + 1);
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let end = digits(at + 1 + sign);
        if end > at + 1 + sign {
            at = end;
        }
    }
    at
}

pub(super) fn interval(text: &str) -> Decoded<Sum> {
    let rest = text.strip_prefix('P').ok_or(Fault::BadFormat)?;
    if rest.is_empty() {
        return Err(Fault::BadFormat);
    }
    let mut reader = Reader {
        rest,
        sum: Sum::default(),
    };
    if reader.date_part()? {
        reader.time_part()?;
    }
    Ok(reader.sum)
}
