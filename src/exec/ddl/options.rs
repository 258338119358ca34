//! Storage options (`WITH (fillfactor = 70)`): checked as in PostgreSQL, kept, and without effect.

use smol_str::SmolStr;

use crate::error::{PgError, Result, sqlstate};
use crate::parse::OptionItem;

enum Kind {
    Bool,
    Integer(i64, i64),
    Real(f64, f64),
    Choice(&'static [&'static str]),
}

const AUTOVACUUM: &[(&str, Kind)] = &[
    ("autovacuum_enabled", Kind::Bool),
    ("autovacuum_vacuum_threshold", Kind::Integer(0, i32::MAX as i64)),
    ("autovacuum_vacuum_insert_threshold", Kind::Integer(-1, i32::MAX as i64)),
    ("autovacuum_analyze_threshold", Kind::Integer(0, i32::MAX as i64)),
    ("autovacuum_vacuum_cost_limit", Kind::Integer(1, 10_000)),
    ("autovacuum_freeze_min_age", Kind::Integer(0, 1_000_000_000)),
    ("autovacuum_multixact_freeze_min_age", Kind::Integer(0, 1_000_000_000)),
    ("autovacuum_freeze_max_age", Kind::Integer(100_000, 2_000_000_000)),
    ("autovacuum_multixact_freeze_max_age", Kind::Integer(10_000, 2_000_000_000)),
    ("autovacuum_freeze_table_age", Kind::Integer(0, 2_000_000_000)),
    ("autovacuum_multixact_freeze_table_age", Kind::Integer(0, 2_000_000_000)),
    ("log_autovacuum_min_duration", Kind::Integer(-1, i32::MAX as i64)),
    ("autovacuum_vacuum_cost_delay", Kind::Real(0.0, 100.0)),
    ("autovacuum_vacuum_scale_factor", Kind::Real(0.0, 100.0)),
    ("autovacuum_vacuum_insert_scale_factor", Kind::Real(0.0, 100.0)),
    ("autovacuum_analyze_scale_factor", Kind::Real(0.0, 100.0)),
    (
        "vacuum_index_cleanup",
        Kind::Choice(&["auto", "on", "off", "true", "false", "yes", "no", "1", "0"]),
    ),
    ("vacuum_truncate", Kind::Bool),
];

const TABLE: &[(&str, Kind)] = &[
    ("fillfactor", Kind::Integer(10, 100)),
    ("toast_tuple_target", Kind::Integer(128, 8160)),
    ("user_catalog_table", Kind::Bool),
    ("parallel_workers", Kind::Integer(0, 1024)),
];

const INDEX: &[(&str, Kind)] = &[("fillfactor", Kind::Integer(10, 100)), ("deduplicate_items", Kind::Bool)];

const VIEW: &[(&str, Kind)] = &[
    ("security_barrier", Kind::Bool),
    ("security_invoker", Kind::Bool),
    ("check_option", Kind::Choice(&["local", "cascaded"])),
];

pub fn check_table(options: &[OptionItem]) -> Result<()> {
    check(options, &[TABLE, AUTOVACUUM])
}

pub fn check_index(options: &[OptionItem]) -> Result<()> {
    check(options, &[INDEX])
}

pub fn check_view(options: &[OptionItem]) -> Result<()> {
    check(options, &[VIEW])
}

fn check(options: &[OptionItem], known: &[&[(&str, Kind)]]) -> Result<()> {
    for option in options {
        let name = match option.name.split_once('.') {
            Some(("toast", rest)) => rest,
            Some((space, _)) => {
                return Err(PgError::new(
                    sqlstate::INVALID_PARAMETER_VALUE,
                    format!("unrecognized parameter namespace \"{space}\""),
                ));
            }
            None => option.name.as_str(),
        };
        if name == "oids" {
            if option
                .value
                .as_deref()
                .is_none_or(|value| crate::types::io::parse_bool(value) == Some(true))
            {
                return Err(PgError::new(
                    sqlstate::FEATURE_NOT_SUPPORTED,
                    "tables declared WITH OIDS are not supported",
                ));
            }
            continue;
        }
        let Some((_, kind)) = known.iter().flat_map(|list| list.iter()).find(|(one, _)| *one == name) else {
            return Err(PgError::new(
                sqlstate::INVALID_PARAMETER_VALUE,
                format!("unrecognized parameter \"{name}\""),
            ));
        };
        check_value(name, option.value.as_deref().unwrap_or("true"), kind)?;
    }
    Ok(())
}

fn check_value(name: &str, value: &str, kind: &Kind) -> Result<()> {
    let invalid = |what: &str| {
        PgError::new(
            sqlstate::INVALID_PARAMETER_VALUE,
            format!("invalid value for {what} option \"{name}\": {value}"),
        )
    };
    let outside = |low: String, high: String| {
        PgError::new(
            sqlstate::INVALID_PARAMETER_VALUE,
            format!("value {value} out of bounds for option \"{name}\""),
        )
        .detail(format!("Valid values are between \"{low}\" and \"{high}\"."))
    };
    match kind {
        Kind::Bool => crate::types::io::parse_bool(value)
            .map(|_| ())
            .ok_or_else(|| invalid("boolean")),
        Kind::Integer(low, high) => {
            let number: i64 = value.parse().map_err(|_| invalid("integer"))?;
            if number < *low || number > *high {
                Err(outside(low.to_string(), high.to_string()))
            } else {
                Ok(())
            }
        }
        Kind::Real(low, high) => {
            let number: f64 = value.parse().map_err(|_| invalid("floating point"))?;
            if number < *low || number > *high {
                return Err(outside(format!("{low:.6}"), format!("{high:.6}")));
            }
            Ok(())
        }
        Kind::Choice(values) => {
            if values.contains(&value.to_ascii_lowercase().as_str()) {
                Ok(())
            } else {
                Err(invalid("enum"))
            }
        }
    }
}

/// As the catalog keeps them.
pub fn kept(options: &[OptionItem]) -> Vec<(SmolStr, String)> {
    options
        .iter()
        .filter(|option| option.name != "oids")
        .map(|option| {
            (
                SmolStr::new(&option.name),
                option.value.clone().unwrap_or_else(|| "true".to_owned()),
            )
        })
        .collect()
}

/// SET (...) over what there is.
pub fn set(before: &mut Vec<(SmolStr, String)>, options: &[OptionItem]) {
    for (name, value) in kept(options) {
        before.retain(|(one, _)| *one != name);
        before.push((name, value));
    }
}

/// RESET (...).
pub fn reset(before: &mut Vec<(SmolStr, String)>, options: &[OptionItem]) {
    before.retain(|(name, _)| !options.iter().any(|option| option.name == *name));
}
