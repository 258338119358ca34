//! One session's settings: SET, SET LOCAL, RESET, and what a rollback takes back.

use std::collections::HashMap;

use crate::config::{self, Context, Definition, Effect};
use crate::error::{PgError, Result, sqlstate};
use crate::types::env::{ByteaFormat, DateFormat, DateOrder, IntervalFormat, TypeSettings};

/// Settings that clients are told of when they change (PostgreSQL 15 docs, 55.2.7), in the order of the greeting.
pub const REPORTED: [&str; 13] = [
    "application_name",
    "client_encoding",
    "DateStyle",
    "default_transaction_read_only",
    "in_hot_standby",
    "integer_datetimes",
    "IntervalStyle",
    "is_superuser",
    "server_encoding",
    "server_version",
    "session_authorization",
    "standard_conforming_strings",
    "TimeZone",
];

/// How long a change lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duration {
    Session,
    /// SET LOCAL: until the transaction ends.
    Transaction,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Setting {
    /// What RESET goes back to.
    start: String,
    session: String,
    local: Option<String>,
}

/// The settings of one session.
#[derive(Debug, Default)]
pub struct Settings {
    /// By lower-case name; only those that were ever given a value here.
    changed: HashMap<String, Setting>,
    /// What to put back on rollback, oldest first.
    undo: Vec<(String, Option<Setting>)>,
    /// Reported settings that changed since the client was last told.
    to_report: Vec<&'static str>,
    superuser: bool,
}

impl Settings {
    pub fn new(superuser: bool) -> Self {
        Settings {
            superuser,
            ..Settings::default()
        }
    }

    /// The value in base units, or `None` for a name that does not exist.
    pub fn get(&self, name: &str) -> Option<&str> {
        let lower;
        let key = if name.bytes().any(|b| b.is_ascii_uppercase()) {
            lower = name.to_ascii_lowercase();
            &lower
        } else {
            name
        };
        match self.changed.get(key) {
            Some(setting) => Some(setting.local.as_deref().unwrap_or(&setting.session)),
            None => config::find(key).map(|one| one.default),
        }
    }

    /// The value as SHOW prints it.
    pub fn show(&self, name: &str) -> Option<String> {
        let value = self.get(name)?;
        Some(config::find(name).map_or_else(|| value.to_owned(), |one| one.show(value)))
    }

    /// A number in base units; the definition guarantees that it reads.
    pub fn integer(&self, name: &str) -> i64 {
        self.get(name).and_then(|value| value.parse().ok()).unwrap_or_default()
    }

    pub fn bool(&self, name: &str) -> bool {
        self.get(name) == Some("on")
    }

    /// A value given at start (startup packet, ALTER ROLE, ALTER DATABASE): becomes what RESET goes back to.
    pub fn set_start(&mut self, name: &str, value: &str) -> Result<()> {
        let canonical = self.check(name, value)?;
        self.changed.insert(
            name.to_ascii_lowercase(),
            Setting {
                start: canonical.clone(),
                session: canonical,
                local: None,
            },
        );
        Ok(())
    }

    /// SET; `None` is DEFAULT and RESET.
    ///
    /// # Errors
    /// 42704 for an unknown name, 22023 for a bad value, 55P02 for what cannot be changed now, 42501 for superusers' settings,
    /// 0A000 for a value that holdfast cannot honour.
    pub fn set(&mut self, name: &str, value: Option<&str>, duration: Duration) -> Result<()> {
        let key = name.to_ascii_lowercase();
        let before = self.changed.get(&key).cloned();
        let start = match &before {
            Some(setting) => setting.start.clone(),
            None => match config::find(&key) {
                Some(one) => one.default.to_owned(),
                None if is_custom(&key) => String::new(),
                None => return Err(config::unknown(name)),
            },
        };
        let canonical = if let Some(value) = value {
            self.check(name, value)?
        } else {
            if let Some(one) = config::find(&key) {
                self.check_right(one)?;
            }
            start.clone()
        };
        let mut setting = before.clone().unwrap_or(Setting {
            session: start.clone(),
            start,
            local: None,
        });
        match duration {
            Duration::Session => {
                setting.session = canonical;
                setting.local = None;
            }
            Duration::Transaction => setting.local = Some(canonical),
        }
        if before.as_ref() != Some(&setting) {
            self.undo.push((key.clone(), before));
            self.changed.insert(key, setting);
            self.report(name);
        }
        Ok(())
    }

    /// RESET ALL (and the settings' part of DISCARD ALL).
    pub fn reset_all(&mut self) -> Result<()> {
        let names: Vec<String> = self
            .changed
            .iter()
            .filter(|(name, setting)| setting.session != setting.start && !name.starts_with("transaction_"))
            .map(|(name, _)| name.clone())
            .collect();
        names.iter().try_for_each(|name| self.set(name, None, Duration::Session))
    }

    fn report(&mut self, name: &str) {
        if let Some(reported) = REPORTED.iter().find(|one| one.eq_ignore_ascii_case(name))
            && !self.to_report.contains(reported)
        {
            self.to_report.push(reported);
        }
    }

    /// Names of reported settings that changed since the last call.
    pub fn take_reports(&mut self) -> Vec<&'static str> {
        std::mem::take(&mut self.to_report)
    }

    /// A place to go back to with [`Settings::back_to`].
    pub fn mark(&self) -> usize {
        self.undo.len()
    }

    /// Undoes every change since the mark (ROLLBACK TO, and with 0 ROLLBACK).
    pub fn back_to(&mut self, mark: usize) {
        while self.undo.len() > mark {
            let (name, before) = self.undo.pop().expect("longer than the mark");
            self.report(&name);
            match before {
                Some(setting) => self.changed.insert(name, setting),
                None => self.changed.remove(&name),
            };
        }
    }

    /// The transaction committed: local values end, the others stay.
    pub fn commit(&mut self) {
        for (name, _) in std::mem::take(&mut self.undo) {
            let Some(setting) = self.changed.get_mut(&name) else {
                continue;
            };
            if setting.local.take().is_some() {
                self.report(&name);
            }
        }
    }

    fn check_right(&self, one: &Definition) -> Result<()> {
        match one.context {
            Context::User | Context::Backend => Ok(()),
            Context::Superuser | Context::SuperuserBackend if self.superuser => Ok(()),
            Context::Superuser | Context::SuperuserBackend => Err(PgError::new(
                sqlstate::INSUFFICIENT_PRIVILEGE,
                format!("permission denied to set parameter \"{}\"", one.name),
            )),
            Context::Internal => Err(PgError::new(
                sqlstate::CANT_CHANGE_RUNTIME_PARAM,
                format!("parameter \"{}\" cannot be changed", one.name),
            )),
            Context::Postmaster => Err(PgError::new(
                sqlstate::CANT_CHANGE_RUNTIME_PARAM,
                format!("parameter \"{}\" cannot be changed without restarting the server", one.name),
            )),
            Context::Sighup => Err(PgError::new(
                sqlstate::CANT_CHANGE_RUNTIME_PARAM,
                format!("parameter \"{}\" cannot be changed now", one.name),
            )),
        }
    }

    fn check(&self, name: &str, value: &str) -> Result<String> {
        let Some(one) = config::find(name) else {
            return if is_custom(name) {
                Ok(value.to_owned())
            } else {
                Err(config::unknown(name))
            };
        };
        self.check_right(one)?;
        let canonical = match one.name {
            "DateStyle" => canonical_date_style(value, self.get("datestyle").unwrap_or(one.default))?,
            "TimeZone" => time_zone(value)?.1,
            "client_encoding" => client_encoding(value)?,
            _ => one.canonical(value)?,
        };
        if one.effect == Effect::Fixed && canonical != one.default {
            return Err(PgError::unsupported(format!("setting \"{}\" to \"{value}\"", one.name)));
        }
        Ok(canonical)
    }

    /// The settings that types read.
    pub fn type_settings(&self) -> TypeSettings {
        let text = |name: &str| self.get(name).unwrap_or_default();
        let (date_format, date_order) =
            parse_date_style(text("datestyle"), DateFormat::Iso, DateOrder::Mdy).unwrap_or((DateFormat::Iso, DateOrder::Mdy));
        let (time_zone, time_zone_name) =
            time_zone(text("timezone")).unwrap_or_else(|_| (jiff::tz::TimeZone::UTC, "UTC".to_owned()));
        TypeSettings {
            date_order,
            date_format,
            interval_format: match text("intervalstyle") {
                "postgres_verbose" => IntervalFormat::PostgresVerbose,
                "sql_standard" => IntervalFormat::SqlStandard,
                "iso_8601" => IntervalFormat::Iso8601,
                _ => IntervalFormat::Postgres,
            },
            bytea_format: if text("bytea_output") == "escape" {
                ByteaFormat::Escape
            } else {
                ByteaFormat::Hex
            },
            extra_float_digits: i32::try_from(self.integer("extra_float_digits")).unwrap_or(1),
            time_zone,
            time_zone_name,
        }
    }
}

/// `prefix.name` belongs to nobody: a placeholder that applications use as a session variable.
fn is_custom(name: &str) -> bool {
    name.split_once('.')
        .is_some_and(|(prefix, rest)| !prefix.is_empty() && !rest.is_empty() && !prefix.eq_ignore_ascii_case("holdfast"))
}

fn invalid(name: &str, value: &str) -> PgError {
    PgError::new(
        sqlstate::INVALID_PARAMETER_VALUE,
        format!("invalid value for parameter \"{name}\": \"{value}\""),
    )
}

fn canonical_date_style(value: &str, current: &str) -> Result<String> {
    let (format, order) = parse_date_style(current, DateFormat::Iso, DateOrder::Mdy).unwrap_or((DateFormat::Iso, DateOrder::Mdy));
    let (format, order) =
        parse_date_style(value, format, order).ok_or_else(|| invalid("DateStyle", value).detail("Unrecognized key word."))?;
    let format = match format {
        DateFormat::Iso => "ISO",
        DateFormat::Sql => "SQL",
        DateFormat::Postgres => "Postgres",
        DateFormat::German => "German",
    };
    let order = match order {
        DateOrder::Mdy => "MDY",
        DateOrder::Dmy => "DMY",
        DateOrder::Ymd => "YMD",
    };
    Ok(format!("{format}, {order}"))
}

fn parse_date_style(value: &str, mut format: DateFormat, mut order: DateOrder) -> Option<(DateFormat, DateOrder)> {
    let mut order_given = false;
    for word in value
        .split(',')
        .map(|word| word.trim().to_ascii_lowercase())
        .filter(|word| !word.is_empty())
    {
        match word.as_str() {
            "iso" => format = DateFormat::Iso,
            "sql" => format = DateFormat::Sql,
            word if word.starts_with("postgres") => format = DateFormat::Postgres,
            word if word.starts_with("german") => {
                format = DateFormat::German;
                if !order_given {
                    order = DateOrder::Dmy;
                }
            }
            "ymd" => (order, order_given) = (DateOrder::Ymd, true),
            "dmy" => (order, order_given) = (DateOrder::Dmy, true),
            word if word.starts_with("euro") => (order, order_given) = (DateOrder::Dmy, true),
            "mdy" | "us" => (order, order_given) = (DateOrder::Mdy, true),
            word if word.starts_with("noneuro") => (order, order_given) = (DateOrder::Mdy, true),
            "default" => (format, order) = (DateFormat::Iso, DateOrder::Mdy),
            _ => return None,
        }
    }
    Some((format, order))
}

/// A zone by name, by hours east of Greenwich, or as a POSIX string, with the name that SHOW prints.
fn time_zone(value: &str) -> Result<(jiff::tz::TimeZone, String)> {
    use jiff::tz::{Offset, TimeZone};
    let trimmed = value.trim();
    if let Ok(hours) = trimmed.parse::<f64>() {
        #[allow(clippy::cast_possible_truncation)]
        let seconds = (hours * 3600.0) as i32;
        let offset = Offset::from_seconds(seconds).map_err(|_| invalid("TimeZone", value))?;
        let sign = if seconds < 0 { '-' } else { '+' };
        let (hours, minutes) = (seconds.abs() / 3600, seconds.abs() / 60 % 60);
        let east = if minutes == 0 {
            format!("{sign}{hours:02}")
        } else {
            format!("{sign}{hours:02}:{minutes:02}")
        };
        let west = east.replace(['+', '-'], if seconds < 0 { "+" } else { "-" });
        return Ok((TimeZone::fixed(offset), format!("<{east}>{west}")));
    }
    if let Ok(zone) = TimeZone::get(trimmed) {
        let name = zone.iana_name().map_or_else(|| trimmed.to_owned(), str::to_owned);
        return Ok((zone, name));
    }
    match TimeZone::posix(trimmed) {
        Ok(zone) => Ok((zone, trimmed.to_owned())),
        Err(_) => Err(invalid("TimeZone", value)),
    }
}

/// UTF8 by any of its names: the server converts nothing.
fn client_encoding(value: &str) -> Result<String> {
    let plain: String = value
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect::<String>()
        .to_ascii_lowercase();
    match plain.as_str() {
        "utf8" | "unicode" => Ok("UTF8".to_owned()),
        "sqlascii" => Ok("SQL_ASCII".to_owned()),
        "latin1" | "iso88591" | "latin9" | "win1252" | "win1251" | "win1250" | "latin2" | "koi8r" | "eucjp" | "sjis" | "big5"
        | "gbk" => Err(PgError::unsupported(format!("client encoding \"{value}\""))),
        _ => Err(invalid("client_encoding", value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rollback_takes_set_back_and_a_commit_ends_set_local() {
        let mut settings = Settings::new(true);
        settings.set("lock_timeout", Some("1s"), Duration::Session).expect("valid");
        settings.commit();
        settings.set("lock_timeout", Some("2s"), Duration::Session).expect("valid");
        let mark = settings.mark();
        settings
            .set("lock_timeout", Some("3s"), Duration::Transaction)
            .expect("valid");
        assert_eq!(settings.show("lock_timeout").as_deref(), Some("3s"));
        settings.back_to(mark);
        assert_eq!(settings.show("lock_timeout").as_deref(), Some("2s"));
        settings.back_to(0);
        assert_eq!(settings.show("lock_timeout").as_deref(), Some("1s"));
        settings
            .set("lock_timeout", Some("4s"), Duration::Transaction)
            .expect("valid");
        settings.commit();
        assert_eq!(settings.show("lock_timeout").as_deref(), Some("1s"));
    }

    #[test]
    fn unknown_names_and_unhonoured_values_are_refused() {
        let mut settings = Settings::new(true);
        let code = |settings: &mut Settings, name, value| {
            settings
                .set(name, Some(value), Duration::Session)
                .expect_err("refused")
                .code()
                .as_str()
                .to_owned()
        };
        assert_eq!(code(&mut settings, "no_such_thing", "1"), "42704");
        assert_eq!(code(&mut settings, "standard_conforming_strings", "off"), "0A000");
        assert_eq!(code(&mut settings, "server_version", "16"), "55P02");
        assert_eq!(code(&mut settings, "TimeZone", "Nowhere/Land"), "22023");
        settings
            .set("my.tenant", Some("7"), Duration::Session)
            .expect("a custom setting");
        assert_eq!(settings.get("my.tenant"), Some("7"));
    }

    #[test]
    fn date_styles_combine() {
        let mut settings = Settings::new(true);
        settings
            .set("datestyle", Some("Postgres, MDY"), Duration::Session)
            .expect("valid");
        settings.set("datestyle", Some("dmy"), Duration::Session).expect("valid");
        assert_eq!(settings.get("DateStyle"), Some("Postgres, DMY"));
    }
}
