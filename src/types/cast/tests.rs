//! Expected values are PostgreSQL 15's.

use super::*;
use crate::types::env::{NoNames, TypeSettings};

fn with_env<T>(f: impl FnOnce(&TypeEnv<'_>) -> T) -> T {
    let settings = TypeSettings::default();
    f(&TypeEnv {
        settings: &settings,
        names: &NoNames,
        now_micros: 0,
    })
}

/// `'text'::from::to(typmod)`, as text or the error's message.
fn run(text: &str, from: Oid, to: Oid, typmod: i32) -> String {
    with_env(|env| {
        let result = io::text_in(from, -1, text, env)
            .and_then(|value| cast(from, to, typmod, &value, true, env))
            .and_then(|value| io::to_text(to, &value, env));
        match result {
            Ok(text) => text,
            Err(error) => format!("{}: {}", error.code().as_str(), error.message()),
        }
    })
}

#[test]
fn numbers() {
    assert_eq!(run("2.5", oid::FLOAT8, oid::INT4, -1), "2");
    assert_eq!(run("2.5", oid::NUMERIC, oid::INT4, -1), "3");
    assert_eq!(run("3e9", oid::FLOAT8, oid::INT4, -1), "22003: integer out of range");
    assert_eq!(run("40000", oid::INT4, oid::INT2, -1), "22003: smallint out of range");
    assert_eq!(run("NaN", oid::NUMERIC, oid::INT8, -1), "0A000: cannot convert NaN to bigint");
    assert_eq!(
        run("1e300", oid::FLOAT8, oid::FLOAT4, -1),
        "22003: value out of range: overflow"
    );
    assert_eq!(run("5", oid::INT4, oid::BIT, 8), "00000101");
    assert_eq!(run("-1", oid::INT4, oid::BIT, 3), "111");
    assert_eq!(run("10101", oid::BIT, oid::INT4, -1), "21");
    assert_eq!(run("4294967295", oid::OID, oid::INT4, -1), "-1");
    assert_eq!(run("-1", oid::INT8, oid::OID, -1), "22003: OID out of range");
    assert_eq!(run("5", oid::INT4, oid::BOOL, -1), "t");
}

#[test]
fn strings() {
    assert_eq!(run("abcdef", oid::TEXT, oid::VARCHAR, 7), "abc");
    assert_eq!(run("ab", oid::TEXT, oid::BPCHAR, 8), "ab  ");
    assert_eq!(run("ab  ", oid::BPCHAR, oid::TEXT, -1), "ab");
    assert_eq!(run("t", oid::BOOL, oid::TEXT, -1), "true");
    assert_eq!(run("12", oid::TEXT, oid::INT4, -1), "12");
    assert_eq!(
        run("x", oid::TEXT, oid::INT4, -1),
        "22P02: invalid input syntax for type integer: \"x\""
    );
    assert_eq!(run("65", oid::INT4, oid::CHAR, -1), "A");
    let too_long = with_env(|env| cast(oid::TEXT, oid::VARCHAR, 7, &Value::text("abcdef"), false, env));
    assert_eq!(
        too_long.expect_err("too long").message(),
        "value too long for type character varying(3)"
    );
}

#[test]
fn numeric_fields() {
    let typmod = info::typmod_in(oid::NUMERIC, &[4, 2]).expect("valid");
    assert_eq!(run("12.345", oid::NUMERIC, oid::NUMERIC, typmod), "12.35");
    assert_eq!(run("1", oid::INT4, oid::NUMERIC, typmod), "1.00");
    let error = with_env(|env| io::text_in(oid::NUMERIC, typmod, "99.999", env)).expect_err("overflow");
    assert_eq!(error.message(), "numeric field overflow");
    assert_eq!(
        error.fields().detail.as_deref(),
        Some("A field with precision 4, scale 2 must round to an absolute value less than 10^2.")
    );
    let thousands = info::typmod_in(oid::NUMERIC, &[3, -3]).expect("valid");
    assert_eq!(run("123456", oid::NUMERIC, oid::NUMERIC, thousands), "123000");
}

#[test]
fn moments_and_json() {
    assert_eq!(run("2024-02-29 13:14:15.678", oid::TIMESTAMP, oid::DATE, -1), "2024-02-29");
    assert_eq!(
        run("2024-02-29 13:14:15.678", oid::TIMESTAMP, oid::TIMESTAMPTZ, 0),
        "2024-02-29 13:14:16+00"
    );
    assert_eq!(run("26:00", oid::INTERVAL, oid::TIME, -1), "02:00:00");
    assert_eq!(run("1.5", oid::JSONB, oid::INT4, -1), "2");
    assert_eq!(
        run("\"a\"", oid::JSONB, oid::INT4, -1),
        "22023: cannot cast jsonb string to type integer"
    );
    assert_eq!(run("{1,2,NULL}", oid::INT4_ARRAY, oid::TEXT_ARRAY, -1), "{1,2,NULL}");
    assert_eq!(run("{1.5,2.5}", oid::FLOAT8_ARRAY, oid::INT4_ARRAY, -1), "{2,2}");
    assert_eq!(
        run("2024-01-01", oid::DATE, oid::INT4, -1),
        "42846: cannot cast type date to integer"
    );
}

#[test]
fn contexts() {
    let context = |from, to| find_cast(from, to).map(|cast| cast.context);
    assert_eq!(context(oid::INT4, oid::INT8), Some(CastContext::Implicit));
    assert_eq!(context(oid::INT8, oid::INT4), Some(CastContext::Assignment));
    assert_eq!(context(oid::INT4, oid::TEXT), Some(CastContext::Assignment));
    assert_eq!(context(oid::TEXT, oid::INT4), Some(CastContext::Explicit));
    assert_eq!(context(oid::INT4, oid::BOOL), Some(CastContext::Explicit));
    assert_eq!(context(oid::INT4_ARRAY, oid::INT8_ARRAY), Some(CastContext::Implicit));
    assert_eq!(context(oid::BOOL, oid::INT8), None);
    let rows: Vec<_> = all_casts().map(|cast| (cast.from, cast.to)).collect();
    assert!(rows.is_sorted(), "find() searches by halves");
}
