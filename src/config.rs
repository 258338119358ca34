//! Settings: what exists (`config/settings.tsv`), how values are read and printed, and one session's values.
//!
//! The table follows PostgreSQL's `pg_settings`; its `effect` column says which of them change an answer. Nothing that would change an
//! answer is taken and ignored.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::error::{PgError, Result, sqlstate};

/// Type of a setting, with its bounds.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    Bool,
    Integer { min: i64, max: i64, unit: Unit },
    Real { min: f64, max: f64, unit: Unit },
    Text,
    Enum(Vec<&'static str>),
}

/// Base unit of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    None,
    Milliseconds,
    Seconds,
    Minutes,
    Bytes,
    Kilobytes,
    Blocks,
    Megabytes,
}

/// Who may change a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    Internal,
    Postmaster,
    Sighup,
    SuperuserBackend,
    Backend,
    Superuser,
    User,
}

/// What a setting changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    Live,
    Hint,
    Fixed,
}

/// One setting.
#[derive(Clone, Debug)]
pub struct Definition {
    pub name: &'static str,
    pub kind: Kind,
    pub unit_name: &'static str,
    pub context: Context,
    pub context_name: &'static str,
    pub default: &'static str,
    pub effect: Effect,
    pub category: &'static str,
    pub description: &'static str,
    pub min_text: &'static str,
    pub max_text: &'static str,
}

/// All definitions, in order of name.
pub fn definitions() -> &'static [Definition] {
    static ALL: OnceLock<Vec<Definition>> = OnceLock::new();
    ALL.get_or_init(|| {
        include_str!("config/settings.tsv")
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(parse_line)
            .collect()
    })
}

/// The definition of a name, any case.
pub fn find(name: &str) -> Option<&'static Definition> {
    static BY_NAME: OnceLock<HashMap<String, &'static Definition>> = OnceLock::new();
    let by_name = BY_NAME.get_or_init(|| definitions().iter().map(|one| (one.name.to_ascii_lowercase(), one)).collect());
    match by_name.get(name) {
        Some(found) => Some(found),
        None => by_name.get(&name.to_ascii_lowercase()).copied(),
    }
}

/// 42704 for a name that nobody knows.
pub fn unknown(name: &str) -> PgError {
    PgError::new(
        sqlstate::UNDEFINED_OBJECT,
        format!("unrecognized configuration parameter \"{name}\""),
    )
}

fn parse_line(line: &'static str) -> Definition {
    let fields: Vec<&'static str> = line.split('\t').collect();
    assert!(fields.len() == 11, "settings.tsv: eleven fields in: {line}");
    let unit = parse_unit(fields[2]);
    let number = |text: &str, or: f64| text.parse().unwrap_or(or);
    let kind = match fields[1] {
        "bool" => Kind::Bool,
        "integer" => Kind::Integer {
            min: fields[4].parse().unwrap_or(i64::MIN),
            max: fields[5].parse().unwrap_or(i64::MAX),
            unit,
        },
        "real" => Kind::Real {
            min: number(fields[4], f64::MIN),
            max: number(fields[5], f64::MAX),
            unit,
        },
        "enum" => Kind::Enum(fields[6].split(',').collect()),
        _ => Kind::Text,
    };
    Definition {
        name: fields[0],
        kind,
        unit_name: fields[2],
        context: parse_context(fields[3]),
        context_name: fields[3],
        default: fields[7],
        effect: match fields[8] {
            "live" => Effect::Live,
            "hint" => Effect::Hint,
            _ => Effect::Fixed,
        },
        category: fields[9],
        description: fields[10],
        min_text: fields[4],
        max_text: fields[5],
    }
}

fn parse_unit(text: &str) -> Unit {
    match text {
        "ms" => Unit::Milliseconds,
        "s" => Unit::Seconds,
        "min" => Unit::Minutes,
        "B" => Unit::Bytes,
        "kB" => Unit::Kilobytes,
        "8kB" => Unit::Blocks,
        "MB" => Unit::Megabytes,
        _ => Unit::None,
    }
}

fn parse_context(text: &str) -> Context {
    match text {
        "internal" => Context::Internal,
        "postmaster" => Context::Postmaster,
        "sighup" => Context::Sighup,
        "superuser-backend" => Context::SuperuserBackend,
        "backend" => Context::Backend,
        "superuser" => Context::Superuser,
        _ => Context::User,
    }
}

impl Unit {
    /// (name, factor to the base unit), largest first; `None` where the unit takes no suffix.
    fn scale(self) -> &'static [(&'static str, f64)] {
        const MS: &[(&str, f64)] = &[
            ("d", 86_400_000.0),
            ("h", 3_600_000.0),
            ("min", 60_000.0),
            ("s", 1_000.0),
            ("ms", 1.0),
            ("us", 0.001),
        ];
        const S: &[(&str, f64)] = &[
            ("d", 86_400.0),
            ("h", 3_600.0),
            ("min", 60.0),
            ("s", 1.0),
            ("ms", 0.001),
            ("us", 0.000_001),
        ];
        const MIN: &[(&str, f64)] = &[
            ("d", 1_440.0),
            ("h", 60.0),
            ("min", 1.0),
            ("s", 1.0 / 60.0),
            ("ms", 1.0 / 60_000.0),
        ];
        const B: &[(&str, f64)] = &[
            ("TB", 1_099_511_627_776.0),
            ("GB", 1_073_741_824.0),
            ("MB", 1_048_576.0),
            ("kB", 1_024.0),
            ("B", 1.0),
        ];
        const KB: &[(&str, f64)] = &[
            ("TB", 1_073_741_824.0),
            ("GB", 1_048_576.0),
            ("MB", 1_024.0),
            ("kB", 1.0),
            ("B", 1.0 / 1_024.0),
        ];
        const BLOCK: &[(&str, f64)] = &[
            ("TB", 134_217_728.0),
            ("GB", 131_072.0),
            ("MB", 128.0),
            ("kB", 0.125),
            ("B", 1.0 / 8_192.0),
        ];
        const MB: &[(&str, f64)] = &[("TB", 1_048_576.0), ("GB", 1_024.0), ("MB", 1.0), ("kB", 1.0 / 1_024.0)];
        match self {
            Unit::None => &[],
            Unit::Milliseconds => MS,
            Unit::Seconds => S,
            Unit::Minutes => MIN,
            Unit::Bytes => B,
            Unit::Kilobytes => KB,
            Unit::Blocks => BLOCK,
            Unit::Megabytes => MB,
        }
    }

    /// A number in base units, with the largest unit that divides it (`SHOW`).
    fn show(self, value: i64) -> String {
        if value <= 0 || self == Unit::None {
            return value.to_string();
        }
        for (name, factor) in self.scale() {
            if *factor >= 1.0 {
                #[allow(clippy::cast_possible_truncation)]
                let whole = *factor as i64;
                if value % whole == 0 {
                    return format!("{}{name}", value / whole);
                }
            } else if *factor > 0.01 {
                // Blocks shown in kB.
                #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)]
                let scaled = (value as f64 / factor) as i64;
                return format!("{scaled}{name}");
            }
        }
        value.to_string()
    }
}

/// Reads a boolean as settings take it: any unambiguous prefix of true, false, yes, no, on, off, and 1 and 0.
pub fn parse_bool(text: &str) -> Option<bool> {
    let text = text.trim().to_ascii_lowercase();
    let prefix = |word: &str, least: usize| text.len() >= least && word.starts_with(&text);
    match () {
        () if prefix("true", 1) || prefix("yes", 1) || prefix("on", 2) || text == "1" => Some(true),
        () if prefix("false", 1) || prefix("no", 1) || prefix("off", 2) || text == "0" => Some(false),
        () => None,
    }
}

impl Definition {
    /// Checks a value and brings it into the form in which it is kept (numbers in base units).
    ///
    /// # Errors
    /// 22023 with PostgreSQL's text for what is not a value of the setting.
    pub fn canonical(&self, text: &str) -> Result<String> {
        match &self.kind {
            Kind::Bool => match parse_bool(text) {
                Some(value) => Ok(if value { "on" } else { "off" }.to_owned()),
                None => Err(invalid(format!("parameter \"{}\" requires a Boolean value", self.name))),
            },
            Kind::Enum(values) => match values.iter().find(|value| value.eq_ignore_ascii_case(text.trim())) {
                Some(value) => Ok((*value).to_owned()),
                None => Err(invalid(format!("invalid value for parameter \"{}\": \"{text}\"", self.name))
                    .hint(format!("Available values: {}.", values.join(", ")))),
            },
            Kind::Integer { min, max, unit } => self.integer(text, *min, *max, *unit),
            Kind::Real { min, max, unit } => {
                let value = self.number(text, *unit)?;
                if value < *min || value > *max {
                    return Err(self.out_of_range(&value.to_string()));
                }
                Ok(value.to_string())
            }
            Kind::Text => Ok(text.to_owned()),
        }
    }

    fn integer(&self, text: &str, min: i64, max: i64, unit: Unit) -> Result<String> {
        let value = self.number(text, unit)?.round_ties_even();
        #[allow(clippy::cast_precision_loss)]
        if value.abs() > i64::from(i32::MAX) as f64 {
            return Err(invalid(format!("invalid value for parameter \"{}\": \"{text}\"", self.name))
                .hint("Value exceeds integer range."));
        }
        #[allow(clippy::cast_possible_truncation)]
        let value = value as i64;
        if value < min || value > max {
            return Err(self.out_of_range(&value.to_string()));
        }
        Ok(value.to_string())
    }

    fn out_of_range(&self, value: &str) -> PgError {
        let unit = if self.unit_name.is_empty() {
            String::new()
        } else {
            format!(" {}", self.unit_name)
        };
        invalid(format!(
            "{value}{unit} is outside the valid range for parameter \"{}\" ({}{unit} .. {}{unit})",
            self.name, self.min_text, self.max_text
        ))
    }

    fn number(&self, text: &str, unit: Unit) -> Result<f64> {
        let trimmed = text.trim();
        let bad = || invalid(format!("invalid value for parameter \"{}\": \"{text}\"", self.name));
        let (digits, suffix) = match trimmed.find(|c: char| c.is_ascii_alphabetic() && c != 'e' && c != 'E' && c != 'x') {
            Some(at) => (trimmed[..at].trim(), trimmed[at..].trim()),
            None => (trimmed, ""),
        };
        let number: f64 = match digits.strip_prefix("0x") {
            #[allow(clippy::cast_precision_loss)]
            Some(hex) => i64::from_str_radix(hex, 16).map_err(|_| bad())? as f64,
            None => digits.parse().map_err(|_| bad())?,
        };
        if suffix.is_empty() {
            return Ok(number);
        }
        match unit.scale().iter().find(|(name, _)| *name == suffix) {
            Some((_, factor)) => Ok(number * factor),
            None => Err(match unit {
                Unit::None => bad(),
                Unit::Milliseconds | Unit::Seconds | Unit::Minutes => {
                    bad().hint("Valid units for this parameter are \"us\", \"ms\", \"s\", \"min\", \"h\", and \"d\".")
                }
                _ => bad().hint("Valid units for this parameter are \"B\", \"kB\", \"MB\", \"GB\", and \"TB\"."),
            }),
        }
    }

    /// The value as SHOW prints it.
    pub fn show(&self, canonical: &str) -> String {
        match &self.kind {
            Kind::Integer { unit, .. } => canonical
                .parse()
                .map_or_else(|_| canonical.to_owned(), |value| unit.show(value)),
            _ => canonical.to_owned(),
        }
    }
}

fn invalid(message: String) -> PgError {
    PgError::new(sqlstate::INVALID_PARAMETER_VALUE, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set_and_show(name: &str, text: &str) -> Result<String> {
        let one = find(name).expect("the setting exists");
        one.canonical(text).map(|value| one.show(&value))
    }

    #[test]
    fn numbers_are_read_and_shown_with_units() {
        assert_eq!(set_and_show("statement_timeout", "5s").expect("valid"), "5s");
        assert_eq!(set_and_show("lock_timeout", "90000").expect("valid"), "90s");
        assert_eq!(set_and_show("statement_timeout", "1500us").expect("valid"), "2ms");
        assert_eq!(set_and_show("work_mem", "64MB").expect("valid"), "64MB");
        assert_eq!(set_and_show("work_mem", "4096").expect("valid"), "4MB");
        assert_eq!(set_and_show("statement_timeout", "0").expect("valid"), "0");
        assert_eq!(set_and_show("extra_float_digits", "-3").expect("valid"), "-3");
    }

    #[test]
    fn bad_values_say_what_postgresql_says() {
        let message = |name, text| set_and_show(name, text).expect_err("refused").message().to_owned();
        assert_eq!(
            message("work_mem", "1"),
            "1 kB is outside the valid range for parameter \"work_mem\" (64 kB .. 2147483647 kB)"
        );
        assert_eq!(
            message("statement_timeout", "x"),
            "invalid value for parameter \"statement_timeout\": \"x\""
        );
        assert_eq!(
            message("enable_seqscan", "maybe"),
            "parameter \"enable_seqscan\" requires a Boolean value"
        );
    }
}
