//! Expected values are PostgreSQL 15's.

use super::{Numeric, parse};

fn n(text: &str) -> Numeric {
    parse(text).expect("a number")
}

fn show(result: crate::error::Result<Numeric>) -> String {
    match result {
        Ok(value) => value.to_string(),
        Err(error) => error.message().to_owned(),
    }
}

#[test]
fn quotients_have_postgresqls_scale() {
    let div = |a, b| show(n(a).div(&n(b)));
    assert_eq!(div("1", "3"), "0.33333333333333333333");
    assert_eq!(div("10", "3.00"), "3.3333333333333333");
    assert_eq!(div("2.5", "7"), "0.35714285714285714286");
    assert_eq!(div("0.00001", "3"), "0.000003333333333333333333");
    assert_eq!(div("1e10", "7.0"), "1428571428.57142857");
    assert_eq!(div("123456.789", "0.000123"), "1003713731.70731707");
    assert_eq!(div("1", "0"), "division by zero");
    assert_eq!(show(n("7.5").rem(&n("2"))), "1.5");
    assert_eq!(show(n("-7.5").rem(&n("2.25"))), "-0.75");
    assert_eq!(
        show(n("123456789012345678901234567890.123456789").mul(&n("987654321.123456789"))),
        "121932631140070110864197532086419753208.629782057750190521"
    );
    assert_eq!(show(n("9223372036854775807").add(&n("0.1"))), "9223372036854775807.1");
}

#[test]
fn rounds_half_away_from_zero() {
    assert_eq!(n("2.5").round(0).to_string(), "3");
    assert_eq!(n("-2.5").round(0).to_string(), "-3");
    assert_eq!(n("1234.567").round(-2).to_string(), "1200");
    assert_eq!(n("1.5").round(3).to_string(), "1.500");
    assert_eq!(n("-1.59").trunc(1).to_string(), "-1.5");
    assert_eq!(show(n("-1.5").floor()), "-2");
    assert_eq!(show(n("1.2").ceil()), "2");
}

#[test]
fn roots_powers_and_logarithms() {
    assert_eq!(show(n("2").sqrt()), "1.414213562373095");
    assert_eq!(show(n("0.0001").sqrt()), "0.01000000000000000");
    assert_eq!(show(n("123456789012345678901234567890").sqrt()), "351364182882014.4");
    assert_eq!(show(n("0").sqrt()), "0.000000000000000");
    assert_eq!(show(n("1").exp()), "2.7182818284590452");
    assert_eq!(show(n("-10.5").exp()), "0.00002753644934974716");
    assert_eq!(show(n("100.123").exp()), "30399497973617603767213595855347100570496028.833");
    assert_eq!(show(n("0").exp()), "1.0000000000000000");
    assert_eq!(show(n("2").ln()), "0.6931471805599453");
    assert_eq!(show(n("1.0000001").ln()), "0.00000009999999500000033");
    assert_eq!(show(n("1e50").ln()), "115.12925464970228");
    assert_eq!(show(n("100").log10()), "2.0000000000000000");
    assert_eq!(show(n("3.0").log(&n("10"))), "2.0959032742893846");
    assert_eq!(show(n("0.5").log10()), "-0.3010299956639812");
    assert_eq!(show(n("0").ln()), "cannot take logarithm of zero");
}

#[test]
fn powers() {
    let power = |a, b| show(n(a).power(&n(b)));
    POWERS_OF_POSTGRESQL
        .iter()
        .for_each(|(a, b, expected)| assert_eq!(power(a, b), *expected, "{a} ^ {b}"));
}

const POWERS_OF_POSTGRESQL: &[(&str, &str, &str)] = &[
    ("2", "3", "8.0000000000000000"),
    ("2", "0.5", "1.4142135623730950"),
    ("1.1", "100", "13780.6123398222701841"),
    ("10", "-5", "0.0000100000000000"),
    ("1.0000001", "123456.789", "1.0124222007518631"),
    ("0", "0.5", "0.0000000000000000"),
    ("0.5", "-20", "1048576.0000000000000000"),
    (
        "3",
        "200",
        "265613988875874769338781322035779626829233452653394495974574961739092490901302182994384699044001.0000000000000000",
    ),
    ("-2", "3", "-8.0000000000000000"),
    ("2", "-1", "0.5000000000000000"),
    ("1.5", "0", "1.0000000000000000"),
    ("0.3", "77", "0.0000000000000000"),
    ("12.345", "-7", "0.0000000228856020"),
    ("2", "100.5", "1792728671193156477399422023278.7"),
];

#[test]
fn text_forms() {
    for (text, printed) in [
        ("1e-5", "0.00001"),
        ("1.5e3", "1500"),
        (".5", "0.5"),
        ("5.", "5"),
        ("  12.5  ", "12.5"),
        ("-0", "0"),
        ("+1.10", "1.10"),
        ("nan", "NaN"),
        ("-inf", "-Infinity"),
        ("12345678901234567890123.45", "12345678901234567890123.45"),
    ] {
        assert_eq!(n(text).to_string(), printed);
    }
    for (text, message) in [
        ("1e", "invalid input syntax for type numeric: \"1e\""),
        ("", "invalid input syntax for type numeric: \"\""),
        ("1 2", "invalid input syntax for type numeric: \"1 2\""),
        ("1e200000", "value overflows numeric format"),
        ("1e-20000", "value overflows numeric format"),
    ] {
        assert_eq!(show(parse(text)), message);
    }
}

#[test]
fn binary_form() {
    for (text, hex) in [
        ("1234567.0089", "0003000100000004007b11d70059"),
        ("-0.00001", "0001fffe4000000503e8"),
        ("10000", "00010001000000000001"),
        ("0.00", "0000000000000002"),
        ("NaN", "00000000c0000000"),
        ("-Infinity", "00000000f0000000"),
    ] {
        let mut bytes = Vec::new();
        n(text).write_binary(&mut bytes);
        assert_eq!(hex::encode(&bytes), hex, "{text}");
        assert_eq!(Numeric::read_binary(&bytes).expect("valid").to_string(), text);
    }
    for text in [
        "1e30",
        "-123456789012345678901234567890.000001",
        "0.0000000000000000000000001",
    ] {
        let mut bytes = Vec::new();
        n(text).write_binary(&mut bytes);
        assert_eq!(Numeric::read_binary(&bytes).expect("valid"), n(text));
    }
}

#[test]
fn floats_give_their_first_digits() {
    for (float, text) in [
        (0.1, "0.1"),
        (1e20, "100000000000000000000"),
        (1.234_567_890_123_456_7, "1.23456789012346"),
        (1.5e-7, "0.00000015"),
        (-0.0, "0"),
    ] {
        assert_eq!(Numeric::from_f64(float).to_string(), text);
    }
    assert_eq!(Numeric::from_f32(2.718_281_7).to_string(), "2.71828");
    assert_eq!(n("0.3").to_f64().ok(), Some(0.3));
    assert!(n("1e400").to_f64().is_err());
}
