//! Makes a moment of fields, as `DecodeDateTime` and `DecodeTimeOnly` do.

use jiff::tz::TimeZone;

use super::abbreviations::{Abbreviation, abbreviation};
use super::decode_fields::{
    ALL_SECONDS, DATE, DAY, DAYLIGHT, ERA, HALF, HOUR, MINUTE, MONTH, Parts, RESERVED, SECOND, State, TIME, WEEKDAY, YEAR, ZONE,
    decode_zone, fraction, fraction_micros, leading_int, time_overflows,
};
use super::tokens::{Decoded, Fault, Field, Kind};
use super::words::{Special, Unit, Word, date_word};
use super::{Civil, EPOCH_JULIAN, MICROS_PER_DAY, MICROS_PER_SECOND, civil_from_days, local_offset, offset_at};
use crate::types::TypeEnv;

/// What input of a date or timestamp means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    /// A local date and time, and seconds west of UTC.
    At {
        civil: Civil,
        west: i32,
    },
    Epoch,
    PosInfinity,
    NegInfinity,
}

/// Whether a date has to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goal {
    Moment,
    Time,
}

struct Decoder<'a> {
    env: &'a TypeEnv<'a>,
    goal: Goal,
    fields: &'a [Field],
    state: State,
    have: Parts,
    /// A unit that labels the next number.
    label: Option<Unit>,
    text_month: bool,
    bc: bool,
    pm: Option<bool>,
    west: i32,
    named: Option<TimeZone>,
    fixed: Option<Moment>,
}

/// A date with or without a time.
pub(super) fn moment(fields: &[Field], env: &TypeEnv<'_>) -> Decoded<Moment> {
    let mut decoder = Decoder::new(fields, env, Goal::Moment);
    decoder.run()?;
    if let Some(fixed) = decoder.fixed {
        return Ok(fixed);
    }
    if decoder.have & DATE != DATE {
        return Err(Fault::BadFormat);
    }
    decoder.resolve_zone()?;
    Ok(Moment::At {
        civil: decoder.state.civil,
        west: decoder.west,
    })
}

/// A time of day, perhaps with a date that tells the zone's offset: local microseconds, and seconds west of UTC.
pub(super) fn time_of_day(fields: &[Field], env: &TypeEnv<'_>) -> Decoded<(Civil, i32)> {
    let mut decoder = Decoder::new(fields, env, Goal::Time);
    decoder.run()?;
    if time_overflows(&decoder.state.civil) {
        return Err(Fault::FieldOverflow);
    }
    if decoder.have & TIME != TIME {
        return Err(Fault::BadFormat);
    }
    decoder.resolve_zone_of_time()?;
    Ok((decoder.state.civil, decoder.west))
}

impl<'a> Decoder<'a> {
    fn new(fields: &'a [Field], env: &'a TypeEnv<'a>, goal: Goal) -> Self {
        Decoder {
            env,
            goal,
            fields,
            state: State::default(),
            have: 0,
            label: None,
            text_month: false,
            bc: false,
            pm: None,
            west: 0,
            named: None,
            fixed: None,
        }
    }

    fn run(&mut self) -> Decoded<()> {
        let fields = self.fields;
        for (at, field) in fields.iter().enumerate() {
            let got = match field.kind {
                Kind::Date => self.date_field(at, &field.text)?,
                Kind::Time => {
                    // Only a date with a time minds a unit before its clock field.
                    if self.goal == Goal::Moment && self.label.take().is_some_and(|label| label != Unit::IsoTime) {
                        return Err(Fault::BadFormat);
                    }
                    self.state.time(&field.text)?
                }
                Kind::Zone => {
                    self.west = decode_zone(&field.text)?;
                    ZONE
                }
                Kind::Number => self.number_field(at, &field.text)?,
                Kind::Word | Kind::Special => self.word_field(at, &field.text)?,
            };
            if got & self.have != 0 {
                return Err(Fault::BadFormat);
            }
            self.have |= got;
        }
        self.state.validate(self.have, self.bc)?;
        if let Some(pm) = self.pm {
            let hour = &mut self.state.civil.hour;
            if *hour > 12 {
                return Err(Fault::FieldOverflow);
            }
            *hour = *hour % 12 + if pm { 12 } else { 0 };
        }
        Ok(())
    }

    fn order(&self) -> crate::types::env::DateOrder {
        self.env.settings.date_order
    }

    fn last_kind(&self) -> Option<Kind> {
        self.fields.last().map(|field| field.kind)
    }

    /// A date with separators; or, once there is a date, a zone's name or `hhmmss-zz`.
    fn date_field(&mut self, at: usize, text: &str) -> Decoded<Parts> {
        if self.goal == Goal::Time {
            return self.date_field_of_time(at, text);
        }
        if self.label == Some(Unit::Julian) {
            let (days, rest) = leading_int(text)?;
            self.label = None;
            self.set_julian(days)?;
            self.west = decode_zone(rest)?;
            return Ok(DATE | TIME | ZONE);
        }
        let starts_with_digit = text.starts_with(|c: char| c.is_ascii_digit());
        if self.label.is_none() && self.have & (MONTH | DAY) != MONTH | DAY {
            return self.state.date(text, self.have, self.order());
        }
        if !starts_with_digit && self.label.is_none() {
            return self.zone_name(text);
        }
        if let Some(label) = self.label.take()
            && label != Unit::IsoTime
        {
            return Err(Fault::BadFormat);
        }
        self.time_with_zone(text, self.have)
    }

    /// `hhmmss-zz`.
    fn time_with_zone(&mut self, text: &str, have: Parts) -> Decoded<Parts> {
        if self.have & TIME == TIME {
            return Err(Fault::BadFormat);
        }
        let dash = text.find('-').ok_or(Fault::BadFormat)?;
        self.west = decode_zone(&text[dash..])?;
        Ok(self.state.run_together(&text[..dash], have)? | ZONE)
    }

    fn date_field_of_time(&mut self, at: usize, text: &str) -> Decoded<Parts> {
        let many = self.fields.len() >= 2;
        if at == 0 && many && (self.last_kind() == Some(Kind::Date) || self.fields[1].kind == Kind::Time) {
            return self.state.date(text, self.have, self.order());
        }
        if text.starts_with(|c: char| c.is_ascii_digit()) {
            return self.time_with_zone(text, self.have | DATE);
        }
        self.zone_name(text)
    }

    fn zone_name(&mut self, text: &str) -> Decoded<Parts> {
        let zone = super::zone_by_name(text).ok_or(Fault::ZoneNotRecognized)?;
        self.named = Some(zone);
        Ok(ZONE)
    }

    fn set_julian(&mut self, days: i32) -> Decoded<()> {
        if days < 0 {
            return Err(Fault::FieldOverflow);
        }
        let civil = &mut self.state.civil;
        (civil.year, civil.month, civil.day) = civil_from_days(i64::from(days) - i64::from(EPOCH_JULIAN));
        self.state.julian = true;
        Ok(())
    }

    fn number_field(&mut self, at: usize, text: &str) -> Decoded<Parts> {
        if let Some(label) = self.label.take() {
            return self.labelled_number(label, text);
        }
        let len = text.len();
        let point = text.find('.');
        if self.goal == Goal::Time {
            let have = self.have | DATE;
            return match point {
                Some(_) if at == 0 && self.fields.len() >= 2 && self.last_kind() == Some(Kind::Date) => {
                    self.state.date(text, self.have, self.order())
                }
                Some(point) if point > 2 => self.state.run_together(text, have),
                Some(_) => Err(Fault::BadFormat),
                None if len > 4 => self.state.run_together(text, have),
                None => self.state.number(text, false, have, self.order()),
            };
        }
        match point {
            Some(_) if self.have & DATE == 0 => self.state.date(text, self.have, self.order()),
            Some(point) if point > 2 => self.state.run_together(text, self.have),
            // Six digits or more are a run-together date or time, as long as one of them is missing.
            _ if len >= 6 && (self.have & DATE == 0 || self.have & TIME == 0) => self.state.run_together(text, self.have),
            _ => self.state.number(text, self.text_month, self.have, self.order()),
        }
    }

    /// A number after a unit: `y2001m02d04`, `j2451187`, `t040506`.
    fn labelled_number(&mut self, label: Unit, text: &str) -> Decoded<Parts> {
        let (value, rest) = leading_int(text)?;
        let takes_fraction = matches!(label, Unit::Julian | Unit::IsoTime | Unit::Second);
        let has_fraction = takes_fraction && rest.starts_with('.');
        if !rest.is_empty() && !has_fraction {
            return Err(Fault::BadFormat);
        }
        let civil = &mut self.state.civil;
        Ok(match label {
            Unit::Year => {
                civil.year = value;
                YEAR
            }
            Unit::Month if self.have & MONTH != 0 && self.have & HOUR != 0 => {
                civil.minute = value;
                MINUTE
            }
            Unit::Month => {
                civil.month = value;
                MONTH
            }
            Unit::Day => {
                civil.day = value;
                DAY
            }
            Unit::Hour => {
                civil.hour = value;
                HOUR
            }
            Unit::Minute => {
                civil.minute = value;
                MINUTE
            }
            Unit::Second => {
                civil.second = value;
                if rest.is_empty() {
                    SECOND
                } else {
                    civil.micros = fraction_micros(rest)?;
                    ALL_SECONDS
                }
            }
            Unit::Julian => {
                self.set_julian(value)?;
                if rest.is_empty() {
                    return Ok(DATE);
                }
                let micros = (fraction(rest)? * MICROS_PER_DAY as f64) as i64;
                let time = Civil::of_time(micros);
                let civil = &mut self.state.civil;
                (civil.hour, civil.minute, civil.second, civil.micros) = (time.hour, time.minute, time.second, time.micros);
                DATE | TIME
            }
            Unit::IsoTime => {
                let got = self.state.run_together(text, self.have | DATE)?;
                if got != TIME {
                    return Err(Fault::BadFormat);
                }
                got
            }
            _ => return Err(Fault::BadFormat),
        })
    }

    fn word_field(&mut self, at: usize, text: &str) -> Decoded<Parts> {
        match abbreviation(text) {
            Some(Abbreviation::Fixed { east_seconds, .. }) => {
                self.west = -east_seconds;
                return Ok(ZONE);
            }
            Some(Abbreviation::Zone(name)) => return self.zone_name(name),
            None => {}
        }
        let Some(word) = date_word(text) else {
            let zone = super::zone_by_name(text).ok_or(Fault::BadFormat)?;
            self.named = Some(zone);
            return Ok(ZONE);
        };
        Ok(match word {
            Word::Ignore => 0,
            Word::Special(special) => return self.special(special),
            Word::Month(month) => {
                if self.goal == Goal::Time {
                    return Err(Fault::BadFormat);
                }
                let mut got = MONTH;
                // A number taken for the month was the day.
                let civil = &mut self.state.civil;
                if self.have & MONTH != 0 && !self.text_month && self.have & DAY == 0 && (1..=31).contains(&civil.month) {
                    civil.day = civil.month;
                    got = DAY;
                }
                self.text_month = true;
                civil.month = month;
                got
            }
            Word::Weekday if self.goal == Goal::Moment => WEEKDAY,
            Word::Weekday => return Err(Fault::BadFormat),
            Word::Am => {
                self.pm = Some(false);
                HALF
            }
            Word::Pm => {
                self.pm = Some(true);
                HALF
            }
            Word::Ad => {
                self.bc = false;
                ERA
            }
            Word::Bc => {
                self.bc = true;
                ERA
            }
            Word::Daylight => {
                self.west -= 3600;
                DAYLIGHT
            }
            Word::Unit(unit) => {
                self.label = Some(unit);
                0
            }
            Word::IsoTime => {
                let next = self.fields.get(at + 1).map(|field| field.kind);
                let dated = self.goal == Goal::Time || self.have & DATE == DATE;
                if !dated || !matches!(next, Some(Kind::Number | Kind::Time | Kind::Date)) {
                    return Err(Fault::BadFormat);
                }
                self.label = Some(Unit::IsoTime);
                0
            }
        })
    }

    fn special(&mut self, special: Special) -> Decoded<Parts> {
        let now = self.env.now_micros;
        let offset = i64::from(offset_at(&self.env.settings.time_zone, now));
        let local = now + offset * MICROS_PER_SECOND;
        if self.goal == Goal::Time {
            return match special {
                Special::Now => {
                    let civil = Civil::from_micros(local);
                    let into = &mut self.state.civil;
                    (into.hour, into.minute, into.second, into.micros) = (civil.hour, civil.minute, civil.second, civil.micros);
                    Ok(TIME)
                }
                Special::Midnight => Ok(TIME | ZONE),
                _ => Err(Fault::BadFormat),
            };
        }
        let today = local.div_euclid(MICROS_PER_DAY);
        let day = match special {
            Special::Now => {
                self.state.civil = Civil::from_micros(local);
                self.west = -(offset as i32);
                self.state.julian = true;
                return Ok(DATE | TIME | ZONE);
            }
            Special::Today => today,
            Special::Tomorrow => today + 1,
            Special::Yesterday => today - 1,
            Special::Midnight => {
                self.west = 0;
                return Ok(TIME | ZONE);
            }
            Special::Epoch | Special::PosInfinity | Special::NegInfinity => {
                self.fixed = Some(match special {
                    Special::Epoch => Moment::Epoch,
                    Special::PosInfinity => Moment::PosInfinity,
                    _ => Moment::NegInfinity,
                });
                return Ok(RESERVED);
            }
        };
        let civil = &mut self.state.civil;
        (civil.year, civil.month, civil.day) = civil_from_days(day);
        self.state.julian = true;
        Ok(DATE)
    }

    fn local_micros(&self) -> i64 {
        let civil = &self.state.civil;
        civil.to_micros().unwrap_or(0)
    }

    /// A zone's offset depends on the date: now there is one.
    fn resolve_zone(&mut self) -> Decoded<()> {
        let local = self.local_micros();
        if let Some(zone) = &self.named {
            if self.have & DAYLIGHT != 0 {
                return Err(Fault::BadFormat);
            }
            self.west = -local_offset(zone, local);
        } else if self.have & ZONE == 0 {
            if self.have & DAYLIGHT != 0 {
                return Err(Fault::BadFormat);
            }
            self.west = -local_offset(&self.env.settings.time_zone, local);
        }
        Ok(())
    }

    fn resolve_zone_of_time(&mut self) -> Decoded<()> {
        if self.named.is_none() && self.have & ZONE != 0 {
            return Ok(());
        }
        if self.have & DAYLIGHT != 0 {
            return Err(Fault::BadFormat);
        }
        let zone = match &self.named {
            Some(zone) => {
                // A zone whose offset changes needs the date.
                if zone.to_fixed_offset().is_err() && self.have & DATE != DATE {
                    return Err(Fault::BadFormat);
                }
                zone.clone()
            }
            None => self.env.settings.time_zone.clone(),
        };
        let mut civil = self.state.civil;
        match self.have & DATE {
            DATE => {}
            0 => {
                let now = self.env.now_micros;
                let offset = i64::from(offset_at(&self.env.settings.time_zone, now));
                let today = (now + offset * MICROS_PER_SECOND).div_euclid(MICROS_PER_DAY);
                (civil.year, civil.month, civil.day) = civil_from_days(today);
            }
            _ => return Err(Fault::BadFormat),
        }
        self.west = -local_offset(&zone, civil.to_micros().unwrap_or(0));
        Ok(())
    }
}
