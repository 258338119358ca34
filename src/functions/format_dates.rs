//! `to_char`, `to_date` and `to_timestamp` of dates and times (PostgreSQL 15 docs, 9.8).

use super::arguments::text;
use super::{Builtin, CallContext, pure};
use crate::error::{PgError, Result, sqlstate};
use crate::types::datetime as dt;
use crate::types::datetime::{Civil, MICROS_PER_SECOND};
use crate::types::oid::{DATE, INTERVAL, TEXT, TIMESTAMP, TIMESTAMPTZ};
use crate::types::{Interval, TypeEnv, Value};

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const ROMAN: [&str; 12] = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"];

/// Keywords in capitals, the longer before those that they begin with.
const KEYWORDS: [&str; 51] = [
    "A.D.", "A.M.", "AD", "AM", "B.C.", "BC", "CC", "DAY", "DDD", "DD", "DY", "D", "FF1", "FF2", "FF3", "FF4", "FF5", "FF6",
    "HH24", "HH12", "HH", "IDDD", "ID", "IW", "IYYY", "IYY", "IY", "I", "J", "MI", "MM", "MONTH", "MON", "MS", "OF", "P.M.",
    "PM", "Q", "RM", "SSSSS", "SSSS", "SS", "TZH", "TZM", "TZ", "US", "WW", "W", "Y,YYY", "YYYY", "YYY",
];
const SHORT_YEARS: [&str; 2] = ["YY", "Y"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Upper,
    Lower,
    Title,
}

enum Node {
    Text(String),
    Field {
        word: &'static str,
        case: Case,
        /// `FM`: no padding.
        plain: bool,
        /// `TH` or `th`.
        ordinal: Option<Case>,
    },
}

fn keyword(rest: &str) -> Option<(&'static str, Case)> {
    for (title, word) in [("Day", "DAY"), ("Dy", "DY"), ("Month", "MONTH"), ("Mon", "MON")] {
        if rest.starts_with(title) {
            return Some((word, Case::Title));
        }
    }
    KEYWORDS.iter().chain(&SHORT_YEARS).find_map(|word| {
        let head = rest.get(..word.len())?;
        if head == *word {
            Some((*word, Case::Upper))
        } else if head == word.to_ascii_lowercase() {
            Some((*word, Case::Lower))
        } else {
            None
        }
    })
}

fn push_text(nodes: &mut Vec<Node>, c: char) {
    match nodes.last_mut() {
        Some(Node::Text(text)) => text.push(c),
        _ => nodes.push(Node::Text(c.to_string())),
    }
}

fn template(format: &str) -> Vec<Node> {
    let mut nodes = Vec::new();
    let mut rest = format;
    while let Some(c) = rest.chars().next() {
        if c == '"' {
            rest = &rest[1..];
            let mut chars = rest.char_indices();
            let mut end = rest.len();
            while let Some((at, c)) = chars.next() {
                match c {
                    '"' => {
                        end = at + 1;
                        break;
                    }
                    '\\' => {
                        if let Some((_, c)) = chars.next() {
                            push_text(&mut nodes, c);
                        }
                    }
                    c => push_text(&mut nodes, c),
                }
            }
            rest = &rest[end..];
            continue;
        }
        let mut plain = false;
        let mut after = rest;
        while let Some(prefix) = after.get(..2) {
            match prefix.to_ascii_uppercase().as_str() {
                "FM" => plain = true,
                "TM" | "FX" => {}
                _ => break,
            }
            after = &after[2..];
        }
        if let Some((word, case)) = keyword(after) {
            rest = &after[word.len()..];
            let ordinal = match rest.get(..2) {
                Some("TH") => Some(Case::Upper),
                Some("th") => Some(Case::Lower),
                _ => None,
            };
            if ordinal.is_some() {
                rest = &rest[2..];
            }
            nodes.push(Node::Field {
                word,
                case,
                plain,
                ordinal,
            });
        } else if after.len() < rest.len() {
            rest = after;
        } else {
            if c == '\\' && rest[1..].starts_with('"') {
                rest = &rest[1..];
            }
            let c = rest.chars().next().unwrap_or(c);
            push_text(&mut nodes, c);
            rest = &rest[c.len_utf8()..];
        }
    }
    nodes
}

fn cased(name: &str, case: Case) -> String {
    match case {
        Case::Upper => name.to_uppercase(),
        Case::Lower => name.to_lowercase(),
        Case::Title => name.to_owned(),
    }
}

/// `st`, `nd`, `rd`, `th`.
pub(super) fn ordinal_suffix(digits: &str) -> &'static str {
    let bytes = digits.as_bytes();
    let teen = bytes.len() > 1 && bytes[bytes.len() - 2] == b'1';
    match bytes.last() {
        _ if teen => "th",
        Some(b'1') => "st",
        Some(b'2') => "nd",
        Some(b'3') => "rd",
        _ => "th",
    }
}

/// What is shown: a moment by the calendar, or an interval's fields.
struct Shown {
    civil: Civil,
    hours: i64,
    interval: bool,
    zone: Option<(i32, String)>,
}

fn number(value: i64, width: usize, plain: bool) -> String {
    if plain {
        return value.to_string();
    }
    // A sign is not counted in the width.
    let width = if value < 0 { width + 1 } else { width };
    format!("{value:0width$}")
}

impl Shown {
    fn day_of_year(&self) -> i64 {
        self.civil.days() - dt::days_from_civil(self.civil.year, 1, 1) + 1
    }

    fn weekday(&self) -> usize {
        dt::day_of_week(self.civil.days()).unsigned_abs() as usize % 7
    }

    fn calendar_only(&self) -> Result<()> {
        if self.interval {
            return Err(PgError::new(
                sqlstate::INVALID_DATETIME_FORMAT,
                "invalid format specification for an interval value",
            )
            .hint("Intervals are not tied to specific calendar dates."));
        }
        Ok(())
    }

    fn year_shown(&self, iso: bool) -> i64 {
        if self.interval {
            return i64::from(self.civil.year);
        }
        let year = i64::from(if iso {
            dt::iso_week(self.civil.days()).0
        } else {
            self.civil.year
        });
        if year <= 0 { 1 - year } else { year }
    }

    fn field(&self, word: &str, case: Case, plain: bool) -> Result<(String, bool)> {
        let civil = &self.civil;
        let digits = |value: i64, width| Ok((number(value, width, plain), true));
        let name = |name: &str, width: usize| {
            let shown = cased(name, case);
            let width = if plain { 0 } else { width };
            Ok((format!("{shown:<width$}"), false))
        };
        let micros = i64::from(civil.micros);
        match word {
            "A.M." | "P.M." => name(if self.hours % 24 >= 12 { "p.m." } else { "a.m." }, 0),
            "AM" | "PM" => name(if self.hours % 24 >= 12 { "pm" } else { "am" }, 0),
            "HH" | "HH12" => digits(
                match self.hours % 12 {
                    0 => 12,
                    hour => hour,
                },
                2,
            ),
            "HH24" => digits(self.hours, 2),
            "MI" => digits(i64::from(civil.minute), 2),
            "SS" => digits(i64::from(civil.second), 2),
            "FF1" => Ok((format!("{:01}", micros / 100_000), true)),
            "FF2" => Ok((format!("{:02}", micros / 10_000), true)),
            "MS" | "FF3" => Ok((format!("{:03}", micros / 1_000), true)),
            "FF4" => Ok((format!("{:04}", micros / 100), true)),
            "FF5" => Ok((format!("{:05}", micros / 10), true)),
            "US" | "FF6" => Ok((format!("{micros:06}"), true)),
            "SSSS" | "SSSSS" => Ok((
                (self.hours * 3600 + i64::from(civil.minute) * 60 + i64::from(civil.second)).to_string(),
                true,
            )),
            "TZ" | "TZH" | "TZM" | "OF" => self.zone_field(word, case),
            _ => self.date_field(word, case, plain),
        }
    }

    fn zone_field(&self, word: &str, case: Case) -> Result<(String, bool)> {
        self.calendar_only()?;
        let Some((offset, zone)) = &self.zone else {
            return Ok((
                match word {
                    "TZ" => String::new(),
                    "TZM" => "00".to_owned(),
                    _ => "+00".to_owned(),
                },
                false,
            ));
        };
        let sign = if *offset < 0 { '-' } else { '+' };
        let (hours, minutes) = (offset.abs() / 3600, offset.abs() / 60 % 60);
        let shown = match word {
            "TZ" => cased(&zone.to_uppercase(), case),
            "TZM" => format!("{minutes:02}"),
            "OF" if minutes != 0 => format!("{sign}{hours:02}:{minutes:02}"),
            _ => format!("{sign}{hours:02}"),
        };
        Ok((shown, false))
    }

    fn date_field(&self, word: &str, case: Case, plain: bool) -> Result<(String, bool)> {
        let civil = &self.civil;
        let digits = |value: i64, width| Ok((number(value, width, plain), true));
        let name = |name: &str, width: usize| {
            let shown = cased(name, case);
            let width = if plain { 0 } else { width };
            Ok((format!("{shown:<width$}"), false))
        };
        let month = (civil.month - 1).unsigned_abs() as usize;
        if !matches!(
            word,
            "MM" | "DD" | "CC" | "Q" | "RM" | "Y,YYY" | "YYYY" | "YYY" | "YY" | "Y" | "DDD" | "J" | "W" | "WW"
        ) {
            self.calendar_only()?;
        }
        match word {
            "AD" | "BC" => name(if civil.year <= 0 { "BC" } else { "AD" }, 0),
            "A.D." | "B.C." => name(if civil.year <= 0 { "B.C." } else { "A.D." }, 0),
            "MONTH" => name(MONTHS[month % 12], 9),
            "MON" => name(&MONTHS[month % 12][..3], 3),
            "MM" => digits(i64::from(civil.month), 2),
            "DAY" => name(DAYS[self.weekday()], 9),
            "DY" => name(&DAYS[self.weekday()][..3], 3),
            "DDD" if self.interval => digits(i64::from(civil.year * 360 + civil.month * 30 + civil.day), 3),
            "DDD" => digits(self.day_of_year(), 3),
            "IDDD" => {
                let (year, _) = dt::iso_week(civil.days());
                let fourth = dt::days_from_civil(year, 1, 4);
                let first = fourth - i64::from((dt::day_of_week(fourth) + 6) % 7);
                digits(civil.days() - first + 1, 3)
            }
            "DD" => digits(i64::from(civil.day), 2),
            "D" => digits(self.weekday() as i64 + 1, 1),
            "ID" => digits(
                match self.weekday() as i64 {
                    0 => 7,
                    day => day,
                },
                1,
            ),
            "WW" => digits((self.day_of_year() - 1) / 7 + 1, 2),
            "IW" => digits(i64::from(dt::iso_week(civil.days()).1), 2),
            "W" => digits(i64::from((civil.day - 1) / 7 + 1), 1),
            "Q" if civil.month == 0 => Ok((String::new(), false)),
            "Q" => digits(i64::from((civil.month - 1) / 3 + 1), 1),
            "CC" => {
                let year = i64::from(civil.year);
                let century = match () {
                    () if self.interval => year / 100,
                    () if year > 0 => (year - 1) / 100 + 1,
                    () => year / 100 - 1,
                };
                digits(century, 2)
            }
            "Y,YYY" => {
                let year = self.year_shown(false);
                Ok((format!("{},{:03}", year / 1000, year % 1000), true))
            }
            "YYYY" | "IYYY" => digits(self.year_shown(word == "IYYY"), 4),
            "YYY" | "IYY" => digits(self.year_shown(word == "IYY") % 1000, 3),
            "YY" | "IY" => digits(self.year_shown(word == "IY") % 100, 2),
            "Y" | "I" => digits(self.year_shown(word == "I") % 10, 1),
            "RM" if civil.month == 0 => Ok((String::new(), false)),
            "RM" => name(ROMAN[month % 12], 4),
            "J" => digits(civil.days() + i64::from(dt::EPOCH_JULIAN), 0),
            other => Err(PgError::internal(format!("no such field: {other}"))),
        }
    }

    fn write(&self, format: &str) -> Result<Value> {
        let mut out = String::new();
        for node in template(format) {
            match node {
                Node::Text(text) => out.push_str(&text),
                Node::Field {
                    word,
                    case,
                    plain,
                    ordinal,
                } => {
                    let (shown, numeric) = self.field(word, case, plain)?;
                    out.push_str(&shown);
                    if let Some(ordinal) = ordinal.filter(|_| numeric) {
                        out.push_str(&cased(ordinal_suffix(&shown), ordinal));
                    }
                }
            }
        }
        Ok(Value::text(out))
    }
}

fn to_char(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let format = text(&args[1])?;
    if format.is_empty() {
        return Ok(Value::Null);
    }
    let calendar = |micros: i64, zone| {
        let civil = Civil::from_micros(micros);
        Shown {
            civil,
            hours: i64::from(civil.hour),
            interval: false,
            zone,
        }
    };
    match &args[0] {
        Value::Timestamp(at) | Value::TimestampTz(at) if !dt::is_finite_timestamp(*at) => Ok(Value::Null),
        Value::Timestamp(at) => calendar(*at, None).write(format),
        Value::TimestampTz(at) => {
            let zone = dt::offset_and_name_at(&call.env.settings.time_zone, *at);
            calendar(dt::timestamptz_to_timestamp(*at, &call.env)?, Some(zone)).write(format)
        }
        Value::Interval(span) => of_interval(span).write(format),
        other => Err(PgError::internal(format!("no date or time: {other:?}"))),
    }
}

fn of_interval(span: &Interval) -> Shown {
    let time = span.micros;
    let rest = time % dt::MICROS_PER_HOUR;
    let small = |value: i64| i32::try_from(value).unwrap_or(0);
    Shown {
        civil: Civil {
            year: span.months / 12,
            month: span.months % 12,
            day: span.days,
            hour: 0,
            minute: small(rest / dt::MICROS_PER_MINUTE),
            second: small(rest / MICROS_PER_SECOND % 60),
            micros: small(rest % MICROS_PER_SECOND),
        },
        hours: time / dt::MICROS_PER_HOUR,
        interval: true,
        zone: None,
    }
}

/// What a parse found.
#[derive(Default)]
struct Parsed {
    year: Option<i64>,
    before_christ: bool,
    month: Option<i64>,
    day: Option<i64>,
    day_of_year: Option<i64>,
    julian: Option<i64>,
    iso_year: Option<i64>,
    iso_week: Option<i64>,
    iso_day: Option<i64>,
    week: Option<i64>,
    week_of_month: Option<i64>,
    hour: i64,
    hour12: bool,
    afternoon: Option<bool>,
    minute: i64,
    second: i64,
    micros: i64,
    second_of_day: Option<i64>,
    zone_sign: i64,
    zone_hours: Option<i64>,
    zone_minutes: i64,
}

fn bad_value(found: &str, word: &str) -> PgError {
    PgError::new(
        sqlstate::INVALID_DATETIME_FORMAT,
        format!("invalid value \"{found}\" for \"{word}\""),
    )
}

struct Reader<'a> {
    rest: &'a str,
    parsed: Parsed,
}

impl Reader<'_> {
    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// An integer of at most `width` digits, of any number where the field ends by itself.
    fn integer(&mut self, word: &str, width: usize, open: bool) -> Result<(i64, usize)> {
        self.skip_blanks();
        let signed = self.rest.starts_with(['-', '+']);
        let body = &self.rest[usize::from(signed)..];
        let mut len = body.bytes().take_while(u8::is_ascii_digit).count();
        if !open {
            len = len.min(width);
        }
        let end = usize::from(signed) + len;
        if len == 0 {
            let shown: String = self.rest.chars().take(width).collect();
            return Err(bad_value(&shown, word).detail("Value must be an integer."));
        }
        let value = self.rest[..end].parse().map_err(|_| {
            PgError::new(
                sqlstate::DATETIME_VALUE_OUT_OF_RANGE,
                format!("value for \"{word}\" in source string is out of range"),
            )
        })?;
        self.rest = &self.rest[end..];
        Ok((value, len))
    }

    /// One of these words, in any case; its place.
    fn one_of(&mut self, word: &str, names: &[&str]) -> Result<usize> {
        self.skip_blanks();
        let found = names.iter().enumerate().filter(|(_, name)| {
            self.rest
                .get(..name.len())
                .is_some_and(|head| head.eq_ignore_ascii_case(name))
        });
        if let Some((at, name)) = found.max_by_key(|(_, name)| name.len()) {
            self.rest = &self.rest[name.len()..];
            Ok(at)
        } else {
            let shown: String = self.rest.chars().take_while(|c| !c.is_whitespace()).collect();
            Err(bad_value(&shown, word).detail("The given value did not match any of the allowed values for this field."))
        }
    }

    fn field(&mut self, word: &'static str, open: bool) -> Result<()> {
        match word {
            "AD" | "BC" => self.parsed.before_christ = self.one_of(word, &["AD", "BC"])? == 1,
            "A.D." | "B.C." => self.parsed.before_christ = self.one_of(word, &["A.D.", "B.C."])? == 1,
            "AM" | "PM" => self.parsed.afternoon = Some(self.one_of(word, &["AM", "PM"])? == 1),
            "A.M." | "P.M." => self.parsed.afternoon = Some(self.one_of(word, &["A.M.", "P.M."])? == 1),
            "MONTH" | "MON" => {
                let short: Vec<&str> = MONTHS.iter().map(|name| &name[..3]).collect();
                let names = if word == "MONTH" { MONTHS.to_vec() } else { short };
                self.parsed.month = Some(self.one_of(word, &names)? as i64 + 1);
            }
            "DAY" => drop(self.one_of(word, &DAYS)?),
            "DY" => {
                let short: Vec<&str> = DAYS.iter().map(|name| &name[..3]).collect();
                self.one_of(word, &short)?;
            }
            "RM" => self.parsed.month = Some(self.one_of(word, &ROMAN)? as i64 + 1),
            "TZ" | "OF" => {
                return Err(PgError::new(
                    sqlstate::FEATURE_NOT_SUPPORTED,
                    format!("formatting field \"{word}\" is only supported in to_char"),
                ));
            }
            "TZH" => {
                self.parsed.zone_sign = if self.rest.starts_with('-') { -1 } else { 1 };
                self.rest = self.rest.strip_prefix(['+', '-']).unwrap_or(self.rest);
                self.parsed.zone_hours = Some(self.integer(word, 2, open)?.0);
            }
            "Y,YYY" => {
                let thousands = self.integer(word, 9, true)?.0;
                self.rest = self
                    .rest
                    .strip_prefix(',')
                    .ok_or_else(|| PgError::new(sqlstate::INVALID_DATETIME_FORMAT, "invalid input string for \"Y,YYY\""))?;
                self.parsed.year = Some(thousands * 1000 + self.integer(word, 3, false)?.0);
            }
            _ => self.number_field(word, open)?,
        }
        Ok(())
    }

    fn number_field(&mut self, word: &'static str, open: bool) -> Result<()> {
        let width = match word {
            "YYYY" | "IYYY" | "J" => 4,
            "YYY" | "IYY" | "DDD" | "IDDD" | "MS" | "FF3" => 3,
            "US" | "FF6" | "SSSS" | "SSSSS" => 6,
            "FF4" => 4,
            "FF5" => 5,
            "D" | "ID" | "Q" | "W" | "Y" | "I" | "FF1" => 1,
            _ => 2,
        };
        let open = open || word == "J";
        let (value, len) = self.integer(word, width, open)?;
        let parsed = &mut self.parsed;
        let fraction = |digits: u32| value * 10_i64.pow(6_u32.saturating_sub(digits));
        let some_digits = u32::try_from(len).unwrap_or(6).min(6);
        match word {
            "YYYY" => parsed.year = Some(value),
            "YYY" | "YY" | "Y" => {
                parsed.year = Some(match value {
                    _ if len > 3 => value,
                    0..70 => value + 2000,
                    70..100 => value + 1900,
                    100..520 => value + 2000,
                    520..1000 => value + 1000,
                    value => value,
                });
            }
            "IYYY" | "IYY" | "IY" | "I" => parsed.iso_year = Some(if value < 70 { value + 2000 } else { value }),
            "MM" => parsed.month = Some(value),
            "DD" => parsed.day = Some(value),
            "DDD" => parsed.day_of_year = Some(value),
            "J" => parsed.julian = Some(value),
            "IW" => parsed.iso_week = Some(value),
            "ID" => parsed.iso_day = Some(value),
            "WW" => parsed.week = Some(value),
            "W" => parsed.week_of_month = Some(value),
            "HH24" => (parsed.hour, parsed.hour12) = (value, false),
            "HH" | "HH12" => (parsed.hour, parsed.hour12) = (value, true),
            "MI" => parsed.minute = value,
            "SS" => parsed.second = value,
            "MS" | "US" | "FF1" | "FF2" | "FF3" | "FF4" | "FF5" | "FF6" => parsed.micros = fraction(some_digits),
            "SSSS" | "SSSSS" => parsed.second_of_day = Some(value),
            "TZM" => parsed.zone_minutes = value,
            // Read and left: day of the week, quarter, century.
            _ => {}
        }
        Ok(())
    }

    /// Text of the template: a separator takes a separator, or nothing; another character takes any.
    fn text(&mut self, text: &str) {
        for c in text.chars() {
            if c.is_alphanumeric() {
                let mut chars = self.rest.chars();
                chars.next();
                self.rest = chars.as_str();
                continue;
            }
            if c.is_whitespace() {
                self.skip_blanks();
                continue;
            }
            self.skip_blanks();
            let mut chars = self.rest.chars();
            if chars.next().is_some_and(|c| !c.is_alphanumeric() && c != '+') {
                self.rest = chars.as_str();
            }
        }
    }
}

fn parse(source: &str, format: &str) -> Result<Parsed> {
    let nodes = template(format);
    let mut reader = Reader {
        rest: source,
        parsed: Parsed::default(),
    };
    for (at, node) in nodes.iter().enumerate() {
        match node {
            Node::Text(text) => reader.text(text),
            Node::Field {
                word, plain, ordinal, ..
            } => {
                if reader.rest.trim_start().is_empty() {
                    break;
                }
                // A field that no digit can follow reads all digits.
                let open = *plain
                    || match nodes.get(at + 1) {
                        None => true,
                        Some(Node::Text(text)) => !text.starts_with(|c: char| c.is_ascii_digit()),
                        Some(Node::Field { word, .. }) => {
                            matches!(*word, "MONTH" | "MON" | "DAY" | "DY" | "AM" | "PM" | "A.M." | "P.M." | "RM")
                        }
                    };
                reader.field(word, open)?;
                if ordinal.is_some() {
                    reader.rest = reader.rest.get(2..).unwrap_or("");
                }
            }
        }
    }
    Ok(reader.parsed)
}

impl Parsed {
    fn out_of_range(source: &str) -> PgError {
        PgError::new(
            sqlstate::DATETIME_VALUE_OUT_OF_RANGE,
            format!("date/time field value out of range: \"{source}\""),
        )
    }

    /// The day, counted from 2000-01-01.
    fn days(&self, source: &str) -> Result<i64> {
        let bad = || Self::out_of_range(source);
        if let Some(julian) = self.julian {
            return Ok(julian - i64::from(dt::EPOCH_JULIAN));
        }
        if let Some(week) = self.iso_week {
            let year = i32::try_from(self.iso_year.or(self.year).unwrap_or(0)).map_err(|_| bad())?;
            let fourth = dt::days_from_civil(year, 1, 4);
            let first = fourth - i64::from((dt::day_of_week(fourth) + 6) % 7);
            return Ok(first + (week - 1) * 7 + self.iso_day.unwrap_or(1) - 1);
        }
        let year = match self.year.or(self.iso_year) {
            Some(year) if self.before_christ && year > 0 => 1 - year,
            Some(year) => year,
            None => 0,
        };
        let year = i32::try_from(year).map_err(|_| bad())?;
        let of_year = self.day_of_year.or_else(|| self.week.map(|week| (week - 1) * 7 + 1));
        if let Some(day) = of_year {
            if !(1..=366).contains(&day) {
                return Err(bad());
            }
            return Ok(dt::days_from_civil(year, 1, 1) + day - 1);
        }
        let day = self
            .day
            .or_else(|| self.week_of_month.map(|week| (week - 1) * 7 + 1))
            .unwrap_or(1);
        let month = i32::try_from(self.month.unwrap_or(1)).map_err(|_| bad())?;
        if !(1..=12).contains(&month) || !(1..=i64::from(dt::days_in_month(year, month))).contains(&day) {
            return Err(bad());
        }
        Ok(dt::days_from_civil(year, month, 1) + day - 1)
    }

    fn time_micros(&self, source: &str) -> Result<i64> {
        let mut hour = self.hour;
        if self.hour12 || self.afternoon.is_some() {
            if !(1..=12).contains(&hour) {
                return Err(PgError::new(
                    sqlstate::INVALID_DATETIME_FORMAT,
                    format!("hour \"{hour}\" is invalid for the 12-hour clock"),
                )
                .hint("Use the 24-hour clock, or give an hour between 1 and 12."));
            }
            match self.afternoon {
                Some(true) if hour < 12 => hour += 12,
                Some(false) if hour == 12 => hour = 0,
                _ => {}
            }
        }
        if let Some(seconds) = self.second_of_day {
            return Ok(seconds * MICROS_PER_SECOND + self.micros);
        }
        if !(0..24).contains(&hour) || !(0..60).contains(&self.minute) || !(0..60).contains(&self.second) {
            return Err(Self::out_of_range(source));
        }
        Ok((hour * 3600 + self.minute * 60 + self.second) * MICROS_PER_SECOND + self.micros)
    }
}

fn to_date(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let source = text(&args[0])?;
    let days = parse(source, text(&args[1])?)?.days(source)?;
    match i32::try_from(days) {
        Ok(short) if dt::is_valid_date(days) => Ok(Value::Date(short)),
        _ => Err(PgError::new(
            sqlstate::DATETIME_VALUE_OUT_OF_RANGE,
            format!("date out of range: \"{source}\""),
        )),
    }
}

fn moment(source: &str, format: &str, env: &TypeEnv<'_>) -> Result<i64> {
    let parsed = parse(source, format)?;
    let local = parsed
        .days(source)?
        .checked_mul(dt::MICROS_PER_DAY)
        .and_then(|days| days.checked_add(parsed.time_micros(source).ok()?));
    let local = match local {
        Some(local) if dt::is_valid_timestamp(local) => local,
        _ => {
            parsed.time_micros(source)?;
            return Err(dt::timestamp_out_of_range());
        }
    };
    match parsed.zone_hours {
        Some(hours) => {
            let east = parsed.zone_sign * (hours * 3600 + parsed.zone_minutes * 60);
            Ok(local - east * MICROS_PER_SECOND)
        }
        None => dt::timestamp_to_timestamptz(local, env),
    }
}

fn to_timestamp(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    moment(text(&args[0])?, text(&args[1])?, &call.env).map(Value::TimestampTz)
}

#[rustfmt::skip]
pub const FUNCTIONS: &[Builtin] = &[
    pure(2049, "to_char", &[TIMESTAMP, TEXT], TEXT, to_char).stable(),
    pure(1770, "to_char", &[TIMESTAMPTZ, TEXT], TEXT, to_char).stable(),
    pure(1768, "to_char", &[INTERVAL, TEXT], TEXT, to_char).stable(),
    pure(1780, "to_date", &[TEXT, TEXT], DATE, to_date).stable(),
    pure(1778, "to_timestamp", &[TEXT, TEXT], TIMESTAMPTZ, to_timestamp).stable(),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(format: &str) -> String {
        // timestamp '2024-03-05 14:07:09.123456'
        let civil = Civil {
            year: 2024,
            month: 3,
            day: 5,
            hour: 14,
            minute: 7,
            second: 9,
            micros: 123_456,
        };
        let shown = Shown {
            civil,
            hours: 14,
            interval: false,
            zone: None,
        };
        match shown.write(format).expect("valid") {
            Value::Text(text) => text.to_string(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn writes_as_postgresql() {
        for (format, expected) in [
            ("YYYY-MM-DD HH24:MI:SS.US MS AM pm", "2024-03-05 14:07:09.123456 123 PM pm"),
            ("Day DAY day Dy Mon MON", "Tuesday   TUESDAY   tuesday   Tue Mar MAR"),
            (
                "DDD D ID IYYY IW WW W Q J CC RM rm",
                "065 3 2 2024 10 10 1 1 2460375 21 III  iii ",
            ),
            ("DDth FMDDth FMMonth Y,YYY", "05th 5th March 2,024"),
            (
                "SSSS HH12 HH \"text\" FF3 FF6 YY Y A.D. BC",
                "50829 02 02 text 123 123456 24 4 A.D. AD",
            ),
        ] {
            assert_eq!(shown(format), expected, "{format}");
        }
    }

    #[test]
    fn reads_as_postgresql() {
        for (source, format, expected) in [
            ("2024-03-05", "YYYY-MM-DD", (2024, 3, 5)),
            ("05 Mar 2024", "DD Mon YYYY", (2024, 3, 5)),
            ("20240305", "YYYYMMDD", (2024, 3, 5)),
            ("2024 065", "YYYY DDD", (2024, 3, 5)),
        ] {
            let days = parse(source, format).expect("valid").days(source).expect("in range");
            assert_eq!(dt::civil_from_days(days), expected, "{source}");
        }
    }
}
