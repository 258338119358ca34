//! Text forms against PostgreSQL 15's answers: `postgresql.tsv` has a setting, its value, a type, an input and the answer
//! a line. Every value read is also sent through its binary form.

use super::*;
use crate::types::env::{ByteaFormat, DateFormat, DateOrder, IntervalFormat, NoNames, TypeSettings};

const INTERVAL_FIELDS: &[(&str, i64)] = &[
    ("year to month", 4 | 2),
    ("day to hour", 8 | 1024),
    ("day to second", 8 | 1024 | 2048 | 4096),
    ("hour to minute", 1024 | 2048),
    ("minute to second", 2048 | 4096),
    ("year", 4),
    ("month", 2),
    ("day", 8),
    ("hour", 1024),
    ("minute", 2048),
    ("second", 4096),
];

/// A type and modifier by name, as written.
fn type_by_name(name: &str) -> (Oid, i32) {
    if let Some(element) = name.strip_suffix("[]") {
        let (element, typmod) = type_by_name(element);
        return (info::array_of(element).expect("an array type"), typmod);
    }
    let (base, args) = match name.split_once('(') {
        Some((base, args)) => (
            base,
            args.trim_end_matches(')')
                .split(',')
                .map(|arg| arg.parse().expect("a number"))
                .collect(),
        ),
        None => (name, Vec::<i64>::new()),
    };
    if let Some(fields) = base.strip_prefix("interval") {
        let fields = fields.trim();
        let range = INTERVAL_FIELDS
            .iter()
            .find(|(word, _)| *word == fields)
            .map_or(0x7fff, |(_, mask)| *mask);
        let args: Vec<i64> = std::iter::once(range).chain(args).collect();
        return (oid::INTERVAL, info::typmod_in(oid::INTERVAL, &args).expect("valid"));
    }
    let ty = info::by_sql_name(base).expect(base).oid;
    let args = if args.is_empty() && base == "bit" { vec![1] } else { args };
    let typmod = if args.is_empty() {
        -1
    } else {
        info::typmod_in(ty, &args).expect("valid")
    };
    (ty, typmod)
}

fn settings(name: &str, value: &str) -> TypeSettings {
    let mut settings = TypeSettings::default();
    match name {
        "datestyle" => {
            let (format, order) = value.split_once(", ").unwrap_or((value, "DMY"));
            settings.date_format = match format {
                "SQL" => DateFormat::Sql,
                "German" => DateFormat::German,
                "Postgres" => DateFormat::Postgres,
                _ => DateFormat::Iso,
            };
            settings.date_order = match order {
                "DMY" => DateOrder::Dmy,
                "YMD" => DateOrder::Ymd,
                _ => DateOrder::Mdy,
            };
        }
        "intervalstyle" => {
            settings.interval_format = match value {
                "postgres_verbose" => IntervalFormat::PostgresVerbose,
                "sql_standard" => IntervalFormat::SqlStandard,
                "iso_8601" => IntervalFormat::Iso8601,
                _ => IntervalFormat::Postgres,
            };
        }
        "bytea_output" if value == "escape" => settings.bytea_format = ByteaFormat::Escape,
        "extra_float_digits" => settings.extra_float_digits = value.parse().expect("a number"),
        "timezone" => settings.time_zone = datetime::zone_by_name(value).expect("a zone"),
        _ => {}
    }
    settings
}

fn unescape(text: &str) -> String {
    text.replace("\\\\", "\u{1}")
        .replace("\\t", "\t")
        .replace("\\n", "\n")
        .replace('\u{1}', "\\")
}

fn answer(ty: Oid, typmod: i32, input: &str, env: &TypeEnv<'_>) -> String {
    let result = text_in(ty, typmod, input, env).and_then(|value| {
        let text = to_text(ty, &value, env)?;
        let mut bytes = Vec::new();
        binary_out(ty, &value, env, &mut bytes)?;
        if !matches!(ty, oid::INT2VECTOR | oid::OIDVECTOR) {
            let back = to_text(ty, &binary_in(ty, -1, &bytes, env)?, env)?;
            assert_eq!(back, text, "binary form of {input:?}");
        }
        Ok(text)
    });
    match result {
        Ok(text) => format!("ok {text}"),
        Err(error) => {
            let fields = error.fields();
            let detail = fields
                .detail
                .as_ref()
                .map_or_else(String::new, |detail| format!(" | {detail}"));
            let hint = fields.hint.as_ref().map_or_else(String::new, |hint| format!(" ? {hint}"));
            format!("err {} {}{detail}{hint}", error.code().as_str(), error.message())
        }
    }
}

#[test]
fn answers_are_postgresqls() {
    let mut wrong = Vec::new();
    for line in include_str!("postgresql.tsv").lines() {
        let [setting, setting_value, ty, input, expected] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("five columns: {line}")
        };
        let settings = settings(setting, setting_value);
        let env = TypeEnv {
            settings: &settings,
            names: &NoNames,
            now_micros: 840_000_000_000_000,
        };
        let (oid, typmod) = type_by_name(ty);
        let got = answer(oid, typmod, &unescape(input), &env);
        let expected = unescape(expected);
        if got != expected {
            wrong.push(format!(
                "{setting} {setting_value} {ty} {input:?}\n   want {expected}\n    got {got}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn clients_bytes_are_checked() {
    let settings = TypeSettings::default();
    let env = TypeEnv {
        settings: &settings,
        names: &NoNames,
        now_micros: 0,
    };
    let message = |ty, bytes: &[u8]| binary_in(ty, -1, bytes, &env).expect_err("refused").message().to_owned();
    assert_eq!(message(oid::INT4, &[0, 0, 1]), "insufficient data left in message");
    assert_eq!(message(oid::INT4, &[0, 0, 0, 1, 2]), "incorrect binary data format");
    assert_eq!(
        message(oid::TEXT, &[b'a', 0xff]),
        "invalid byte sequence for encoding \"UTF8\": 0xff"
    );
    assert_eq!(
        message(oid::TEXT, &[b'a', 0]),
        "invalid byte sequence for encoding \"UTF8\": 0x00"
    );
    assert_eq!(message(oid::JSONB, &[2, b'1']), "unsupported jsonb version number 2");
    assert_eq!(
        message(oid::TIMESTAMP, &i64::MAX.wrapping_sub(1).to_be_bytes()),
        "timestamp out of range"
    );
}

#[test]
fn values_stay_small() {
    assert!(size_of::<Value>() <= 32);
}
