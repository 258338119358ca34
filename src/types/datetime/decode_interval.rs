//! Reads intervals: `1 day 02:03`, `@ 1 year ago`, `1-2 3 4:05`.

use super::decode_fields::{
    ALL_SECONDS, DAY, HOUR, MICROSECOND, MILLISECOND, MINUTE, MONTH, Parts, SECOND, TIME, YEAR, clock, fraction, leading_int64,
};
use super::tokens::{Decoded, Fault, Field, Kind};
use super::words::{IntervalWord, Unit, interval_word};
use super::{MICROS_PER_DAY, MICROS_PER_HOUR, MICROS_PER_MINUTE, MICROS_PER_SECOND};
use crate::types::Interval;
use crate::types::env::IntervalFormat;
use crate::types::info::INTERVAL_FULL_RANGE;

const WEEK: Parts = 1 << 24;
const DECADE: Parts = 1 << 25;
const CENTURY: Parts = 1 << 26;
const MILLENNIUM: Parts = 1 << 27;

/// An interval being added up.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    years: i32,
    months: i32,
    days: i32,
    micros: i64,
}

impl Sum {
    pub fn years(&mut self, value: i64, scale: i64) -> Decoded<()> {
        add(&mut self.years, value, scale)
    }

    pub fn months(&mut self, value: i64) -> Decoded<()> {
        add(&mut self.months, value, 1)
    }

    pub fn days(&mut self, value: i64, scale: i64) -> Decoded<()> {
        add(&mut self.days, value, scale)
    }

    /// `value + fraction` units of `scale` microseconds.
    pub fn micros(&mut self, value: i64, fraction: f64, scale: i64) -> Decoded<()> {
        self.micros = value
            .checked_mul(scale)
            .and_then(|micros| self.micros.checked_add(micros))
            .ok_or(Fault::FieldOverflow)?;
        self.fraction_micros(fraction, scale)
    }

    /// A fraction of a unit of `scale` microseconds.
    pub fn fraction_micros(&mut self, fraction: f64, scale: i64) -> Decoded<()> {
        if fraction == 0.0 {
            return Ok(());
        }
        let micros = fraction * scale as f64;
        let mut whole = micros as i64;
        let rest = micros - whole as f64;
        if rest > 0.5 {
            whole += 1;
        } else if rest < -0.5 {
            whole -= 1;
        }
        self.micros = self.micros.checked_add(whole).ok_or(Fault::FieldOverflow)?;
        Ok(())
    }

    /// A fraction of a unit of `scale` days.
    pub fn fraction_days(&mut self, fraction: f64, scale: i64) -> Decoded<()> {
        if fraction == 0.0 {
            return Ok(());
        }
        let days = fraction * scale as f64;
        let whole = days as i64;
        self.days(whole, 1)?;
        self.fraction_micros(days - whole as f64, MICROS_PER_DAY)
    }

    /// A fraction of a unit of `scale` years, in whole months.
    pub fn fraction_years(&mut self, fraction: f64, scale: i64) -> Decoded<()> {
        let months = (fraction * scale as f64 * 12.0).round_ties_even();
        self.months(months as i64)
    }

    fn negate(&mut self) -> Decoded<()> {
        let overflow = Fault::FieldOverflow;
        self.years = self.years.checked_neg().ok_or(overflow)?;
        self.months = self.months.checked_neg().ok_or(overflow)?;
        self.days = self.days.checked_neg().ok_or(overflow)?;
        self.micros = self.micros.checked_neg().ok_or(overflow)?;
        Ok(())
    }

    /// `None` where the months overflow.
    pub fn finish(self) -> Option<Interval> {
        let months = i64::from(self.years) * 12 + i64::from(self.months);
        Some(Interval {
            months: i32::try_from(months).ok()?,
            days: self.days,
            micros: self.micros,
        })
    }
}

fn add(into: &mut i32, value: i64, scale: i64) -> Decoded<()> {
    let sum = value
        .checked_mul(scale)
        .and_then(|value| value.checked_add(i64::from(*into)))
        .and_then(|value| i32::try_from(value).ok());
    *into = sum.ok_or(Fault::FieldOverflow)?;
    Ok(())
}

/// The unit of the last number, where none is written, by the fields of `interval ... to ...`.
fn default_unit(range: i32) -> Unit {
    const TYPMOD_YEAR: i32 = 1 << 2;
    const TYPMOD_MONTH: i32 = 1 << 1;
    const TYPMOD_DAY: i32 = 1 << 3;
    const TYPMOD_HOUR: i32 = 1 << 10;
    const TYPMOD_MINUTE: i32 = 1 << 11;
    const TYPMOD_SECOND: i32 = 1 << 12;
    if range == INTERVAL_FULL_RANGE || range & TYPMOD_SECOND != 0 {
        Unit::Second
    } else if range & TYPMOD_MINUTE != 0 {
        Unit::Minute
    } else if range & TYPMOD_HOUR != 0 {
        Unit::Hour
    } else if range & TYPMOD_DAY != 0 {
        Unit::Day
    } else if range & TYPMOD_MONTH != 0 {
        Unit::Month
    } else if range & TYPMOD_YEAR != 0 {
        Unit::Year
    } else {
        Unit::Second
    }
}

/// `MINUTE TO SECOND`: two fields are minutes and seconds.
const MINUTE_TO_SECOND: i32 = 1 << 11 | 1 << 12;

/// Adds the fields up, from the last, so that units come before their numbers.
pub(super) fn interval(fields: &[Field], range: i32, style: IntervalFormat) -> Decoded<Sum> {
    let mut sum = Sum::default();
    let mut have: Parts = 0;
    let mut unit = None;
    let mut ago = false;
    let signed = |field: &Field| field.text.starts_with(['+', '-']);
    // SQL standard: a leading minus goes for all fields, unless another one has a sign.
    let force_negative = style == IntervalFormat::SqlStandard
        && fields.first().is_some_and(|field| field.text.starts_with('-'))
        && !fields.iter().skip(1).any(signed);
    for field in fields.iter().rev() {
        let got = match field.kind {
            Kind::Time => {
                let micros = clock_micros(&field.text, range)?;
                // A clock field stands for the whole time, fractions of later fields included.
                sum.micros = if force_negative { -micros.abs() } else { micros };
                unit = Some(Unit::Day);
                TIME
            }
            Kind::Zone if field.text[1..].contains(':') && clock_micros(&field.text[1..], range).is_ok() => {
                let micros = clock_micros(&field.text[1..], range)?;
                let negative = field.text.starts_with('-') || force_negative;
                sum.micros = if negative { -micros } else { micros };
                unit = Some(Unit::Day);
                TIME
            }
            Kind::Zone | Kind::Date | Kind::Number => {
                let of = *unit.get_or_insert_with(|| default_unit(range));
                let (got, next) = number(&mut sum, &field.text, of, force_negative)?;
                unit = Some(next);
                got
            }
            Kind::Word | Kind::Special => match interval_word(&field.text) {
                Some(IntervalWord::Ignore) => continue,
                Some(IntervalWord::Unit(of)) => {
                    unit = Some(of);
                    0
                }
                Some(IntervalWord::Ago) => {
                    ago = true;
                    // A number right before `ago` has no unit: this one fits no number.
                    unit = Some(Unit::IsoTime);
                    0
                }
                None => return Err(Fault::BadFormat),
            },
        };
        if got & have != 0 {
            return Err(Fault::BadFormat);
        }
        have |= got;
    }
    if have == 0 {
        return Err(Fault::BadFormat);
    }
    if ago {
        sum.negate()?;
    }
    Ok(sum)
}

fn clock_micros(text: &str, range: i32) -> Decoded<i64> {
    let (hour, minute, second, micros) = clock(text, range == MINUTE_TO_SECOND)?;
    let rest = i64::from(minute) * MICROS_PER_MINUTE + i64::from(second) * MICROS_PER_SECOND + i64::from(micros);
    hour.checked_mul(MICROS_PER_HOUR)
        .and_then(|hours| hours.checked_add(rest))
        .ok_or(Fault::FieldOverflow)
}

/// Takes a number in; answers what it was and the unit of the number before it.
fn number(sum: &mut Sum, text: &str, unit: Unit, force_negative: bool) -> Decoded<(Parts, Unit)> {
    let negative = text.starts_with('-');
    let (mut value, rest) = leading_int64(text)?;
    let mut unit = unit;
    let mut part = 0.0;
    if let Some(months) = rest.strip_prefix('-') {
        // years-months
        let (months, rest) = leading_int64(months)?;
        if !(0..12).contains(&months) {
            return Err(Fault::FieldOverflow);
        }
        if !rest.is_empty() {
            return Err(Fault::BadFormat);
        }
        unit = Unit::Month;
        value = value
            .checked_mul(12)
            .and_then(|years| years.checked_add(if negative { -months } else { months }))
            .ok_or(Fault::FieldOverflow)?;
    } else if rest.starts_with('.') || (value == 0 && rest.len() == text.len() && rest[1.min(rest.len())..].starts_with('.')) {
        let digits = rest.trim_start_matches(['+', '-']);
        part = fraction(digits)?;
        if negative {
            part = -part;
        }
    } else if !rest.is_empty() {
        return Err(Fault::BadFormat);
    }
    if force_negative {
        value = -value.abs();
        part = -part.abs();
    }
    let got = add_unit(sum, value, part, unit)?;
    Ok((got, if unit == Unit::Hour { Unit::Day } else { unit }))
}

fn add_unit(sum: &mut Sum, value: i64, part: f64, unit: Unit) -> Decoded<Parts> {
    Ok(match unit {
        Unit::Microsecond => {
            sum.micros(value, part, 1)?;
            MICROSECOND
        }
        Unit::Millisecond => {
            sum.micros(value, part, 1_000)?;
            MILLISECOND
        }
        Unit::Second => {
            sum.micros(value, part, MICROS_PER_SECOND)?;
            if part == 0.0 { SECOND } else { ALL_SECONDS }
        }
        Unit::Minute => {
            sum.micros(value, part, MICROS_PER_MINUTE)?;
            MINUTE
        }
        Unit::Hour => {
            sum.micros(value, part, MICROS_PER_HOUR)?;
            HOUR
        }
        Unit::Day => {
            sum.days(value, 1)?;
            sum.fraction_micros(part, MICROS_PER_DAY)?;
            DAY
        }
        Unit::Week => {
            sum.days(value, 7)?;
            sum.fraction_days(part, 7)?;
            WEEK
        }
        Unit::Month => {
            sum.months(value)?;
            sum.fraction_days(part, 30)?;
            MONTH
        }
        Unit::Year | Unit::Decade | Unit::Century | Unit::Millennium => {
            let (scale, got) = match unit {
                Unit::Year => (1, YEAR),
                Unit::Decade => (10, DECADE),
                Unit::Century => (100, CENTURY),
                _ => (1000, MILLENNIUM),
            };
            sum.years(value, scale)?;
            sum.fraction_years(part, scale)?;
            got
        }
        _ => return Err(Fault::BadFormat),
    })
}
