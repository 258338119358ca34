//! Expected values are PostgreSQL 15's.

use super::*;
use crate::types::env::{NoNames, TypeSettings};
use crate::types::numeric::Numeric;
use crate::types::{Interval, io, oid};

fn settings(zone: &str) -> TypeSettings {
    TypeSettings {
        time_zone: zone_by_name(zone).expect("a zone"),
        ..TypeSettings::default()
    }
}

fn env(settings: &TypeSettings) -> TypeEnv<'_> {
    TypeEnv {
        settings,
        names: &NoNames,
        now_micros: 0,
    }
}

fn ts(text: &str) -> i64 {
    let settings = TypeSettings::default();
    timestamp_in(text, &env(&settings)).expect(text)
}

fn date(text: &str) -> i32 {
    let settings = TypeSettings::default();
    date_in(text, &env(&settings)).expect(text)
}

fn iv(text: &str) -> Interval {
    let settings = TypeSettings::default();
    interval_in(text, -1, &env(&settings)).expect(text)
}

fn show(ty: crate::ids::Oid, result: Result<Value>) -> String {
    let settings = TypeSettings::default();
    match result {
        Ok(value) => io::to_text(ty, &value, &env(&settings)).expect("printable"),
        Err(error) => error.message().to_owned(),
    }
}

fn show_ts(result: Result<i64>) -> String {
    show(oid::TIMESTAMP, result.map(Value::Timestamp))
}

fn show_iv(result: Result<Interval>) -> String {
    show(oid::INTERVAL, result.map(Value::Interval))
}

fn show_part(result: Result<Option<Numeric>>) -> String {
    match result {
        Ok(part) => part.map_or_else(|| "NULL".to_owned(), |part| part.to_string()),
        Err(error) => error.message().to_owned(),
    }
}

#[test]
fn timestamps_and_intervals() {
    assert_eq!(show_ts(timestamp_add(ts("2020-01-31"), &iv("1 mon"))), "2020-02-29 00:00:00");
    assert_eq!(
        show_ts(timestamp_sub(ts("2020-03-31"), &iv("1 mon 1 day 1 hour"))),
        "2020-02-27 23:00:00"
    );
    assert_eq!(
        show_ts(timestamp_add(ts("294276-12-31"), &iv("1 year"))),
        "timestamp out of range"
    );
    assert_eq!(
        show_iv(timestamp_diff(ts("2020-03-01 12:00"), ts("2020-02-28 13:00"))),
        "1 day 23:00:00"
    );
    assert_eq!(
        show_iv(timestamp_diff(ts("infinity"), ts("2020-01-01"))),
        "cannot subtract infinite timestamps"
    );
    assert_eq!(show_iv(age(ts("2020-03-01"), ts("2019-12-31"))), "2 mons 1 day");
    assert_eq!(
        show_iv(age(ts("2019-12-31 10:00"), ts("2020-03-01 09:00"))),
        "-2 mons -23:00:00"
    );
    assert_eq!(
        date_add(date("5874897-12-31"), 1).expect_err("past").message(),
        "date out of range"
    );
    assert_eq!(
        show_ts(date_add_interval(date("5874897-12-31"), &iv("1 day"))),
        "date out of range for timestamp"
    );
    assert_eq!(time_sub(MICROS_PER_HOUR, &iv("2 hours 1 day")), 23 * MICROS_PER_HOUR);
}

#[test]
fn days_follow_the_sessions_calendar() {
    let paris = settings("Europe/Paris");
    let env = env(&paris);
    let add = |interval| {
        let start = timestamptz_in("2020-03-28 12:00", &env).expect("valid");
        let sum = timestamptz_add(start, &iv(interval), &env).expect("in range");
        io::to_text(oid::TIMESTAMPTZ, &Value::TimestampTz(sum), &env).expect("printable")
    };
    assert_eq!(add("1 day"), "2020-03-29 12:00:00+02");
    assert_eq!(add("24 hours"), "2020-03-29 13:00:00+02");
    let zone = session_zone(&env);
    let noon = timestamptz_in("2020-03-29 12:00", &env).expect("valid");
    assert_eq!(
        show(
            oid::TIMESTAMPTZ,
            trunc_timestamptz("day", noon, &zone).map(Value::TimestampTz)
        ),
        "2020-03-28 23:00:00+00"
    );
    let utc = ts("2020-01-01");
    let at = |name| show_ts(ZoneSpec::parse(name).and_then(|zone| to_local(utc, &zone)));
    assert_eq!(at("+05"), "2019-12-31 19:00:00");
    assert_eq!(at("Asia/Kolkata"), "2020-01-01 05:30:00");
    assert_eq!(at("foo"), "time zone \"foo\" not recognized");
    assert_eq!(
        ZoneSpec::from_interval(&iv("1 day")).expect_err("days").message(),
        "interval time zone \"1 day\" must not include months or days"
    );
}

#[test]
fn intervals_scale_and_justify() {
    assert_eq!(show_iv(interval_mul(&iv("1 year 2 days"), 1.5)), "1 year 6 mons 3 days");
    assert_eq!(show_iv(interval_mul(&iv("1 month"), 0.7)), "21 days");
    assert_eq!(show_iv(interval_div(&iv("1 year 3 days"), 4.0)), "3 mons 18:00:00");
    assert_eq!(show_iv(interval_mul(&iv("-1 month 1 day"), 2.3)), "-2 mons -7 days +07:12:00");
    assert_eq!(show_iv(interval_div(&iv("1 day"), 7.0)), "03:25:42.857143");
    assert_eq!(show_iv(interval_mul(&iv("178000000 years"), 2.0)), "interval out of range");
    assert_eq!(show_iv(interval_div(&iv("1 day"), 0.0)), "division by zero");
    assert_eq!(
        show_iv(interval_add(&iv("2000000000 days"), &iv("2000000000 days"))),
        "interval out of range"
    );
    assert_eq!(show_iv(justify_hours(&iv("27 hours -1 day"))), "03:00:00");
    assert_eq!(show_iv(justify_days(&iv("35 days -1 mon"))), "5 days");
    assert_eq!(show_iv(justify_interval(&iv("1 mon -1 hour"))), "29 days 23:00:00");
    assert_eq!(
        show_iv(justify_interval(&iv("-35 days 25 hours"))),
        "-1 mons -3 days -23:00:00"
    );
}

#[test]
fn extracts() {
    let of_ts = |unit, text| show_part(extract_timestamp(unit, ts(text)));
    assert_eq!(of_ts("epoch", "2020-01-01 00:00:00.123456"), "1577836800.123456");
    assert_eq!(of_ts("julian", "2020-01-01 12:00"), "2458850.50000000000000000000");
    assert_eq!(of_ts("second", "2020-01-01 00:00:05.5"), "5.500000");
    assert_eq!(of_ts("milliseconds", "2020-01-01 00:00:05.123456"), "5123.456");
    assert_eq!(of_ts("year", "infinity"), "Infinity");
    assert_eq!(of_ts("month", "-infinity"), "NULL");
    assert_eq!(
        of_ts("foo", "2020-01-01"),
        "unit \"foo\" not recognized for type timestamp without time zone"
    );
    assert_eq!(
        of_ts("timezone", "2020-01-01"),
        "unit \"timezone\" not supported for type timestamp without time zone"
    );
    let of_date = |unit, text| show_part(extract_date(unit, date(text)));
    for (unit, text, part) in [
        ("year", "0044-03-15 BC", "-44"),
        ("century", "0001-01-01", "1"),
        ("century", "0001-01-01 BC", "-1"),
        ("millennium", "2001-01-01", "3"),
        ("decade", "0005-01-01 BC", "-1"),
        ("week", "2021-01-03", "53"),
        ("isoyear", "2021-01-03", "2020"),
        ("dow", "2021-01-03", "0"),
        ("isodow", "2021-01-03", "7"),
        ("doy", "2021-03-03", "62"),
        ("quarter", "2021-03-03", "1"),
        ("epoch", "2020-01-01", "1577836800"),
        ("julian", "2020-01-01", "2458850"),
        ("hour", "2020-01-01", "unit \"hour\" not supported for type date"),
    ] {
        assert_eq!(of_date(unit, text), part, "{unit} {text}");
    }
    let of_interval = |unit, text| show_part(extract_interval(unit, &iv(text)).map(Some));
    for (unit, text, part) in [
        ("epoch", "1 year 1 mon 1 day 1.5 s", "34236001.500000"),
        ("hour", "-100:30", "-100"),
        ("minute", "-100:30", "-30"),
        ("second", "-1.5 s", "-1.500000"),
        ("month", "-14 mon", "-2"),
        ("quarter", "-14 mon", "1"),
        ("century", "250 years", "2"),
        ("epoch", "100000 years", "3155760000000.000000"),
        ("dow", "1 d", "unit \"dow\" not supported for type interval"),
    ] {
        assert_eq!(of_interval(unit, text), part, "{unit} {text}");
    }
}

#[test]
fn truncates_and_bins() {
    let trunc = |unit, text| show_ts(trunc_timestamp(unit, ts(text)));
    assert_eq!(trunc("week", "2021-01-03"), "2020-12-28 00:00:00");
    assert_eq!(trunc("century", "2000-05-05"), "1901-01-01 00:00:00");
    assert_eq!(trunc("decade", "0005-05-05 BC"), "0011-01-01 00:00:00 BC");
    assert_eq!(trunc("millennium", "2000-05-05"), "1001-01-01 00:00:00");
    assert_eq!(trunc("ms", "2020-01-01 00:00:00.123456"), "2020-01-01 00:00:00.123");
    assert_eq!(
        trunc("dow", "2020-01-01"),
        "unit \"dow\" not recognized for type timestamp without time zone"
    );
    assert_eq!(show_iv(trunc_interval("quarter", &iv("14 mon 3 days"))), "1 year");
    let origin = ts("2001-01-01");
    let bin = |stride, text| show_ts(date_bin(&iv(stride), ts(text), origin));
    assert_eq!(bin("15 min", "2020-01-01 10:37"), "2020-01-01 10:30:00");
    assert_eq!(bin("15 min", "2000-01-01 10:37"), "2000-01-01 10:30:00");
    assert_eq!(bin("-1 h", "2020-01-01"), "stride must be greater than zero");
}

#[test]
fn makes() {
    let made = |year, month, day| show(oid::DATE, make_date(year, month, day).map(Value::Date));
    assert_eq!(made(-44, 3, 15), "0044-03-15 BC");
    assert_eq!(made(2020, 2, 30), "date field value out of range: 2020-02-30");
    assert_eq!(made(0, 1, 1), "date field value out of range: 0-01-01");
    assert_eq!(show(oid::TIME, make_time(10, 20, 30.5).map(Value::Time)), "10:20:30.5");
    assert_eq!(
        show(oid::TIME, make_time(25, 0, 0.0).map(Value::Time)),
        "time field value out of range: 25:00:00"
    );
    let unix = |seconds| show(oid::TIMESTAMPTZ, timestamp_from_unix(seconds).map(Value::TimestampTz));
    assert_eq!(unix(1_600_000_000.123_456), "2020-09-13 12:26:40.123456+00");
    assert_eq!(unix(f64::INFINITY), "infinity");
    assert_eq!(unix(1e300), "timestamp out of range: \"1e+300\"");
}
