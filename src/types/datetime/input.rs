//! Text input of the date and time types.

use super::decode::{Moment, moment, time_of_day};
use super::decode_iso;
use super::tokens::{Decoded, Fault, Field, Kind, split};
use super::{
    Civil, DATE_NEG_INFINITY, DATE_POS_INFINITY, MICROS_PER_SECOND, TIMESTAMP_NEG_INFINITY, TIMESTAMP_POS_INFINITY,
    UNIX_EPOCH_DAYS, UNIX_EPOCH_MICROS, is_valid_date, is_valid_timestamp,
};
use crate::error::{PgError, Result, sqlstate};
use crate::types::env::IntervalFormat;
use crate::types::info::interval_range;
use crate::types::{Interval, TimeTz, TypeEnv};

/// PostgreSQL's error for refused input of a type.
fn fault(fault: Fault, type_name: &str, text: &str) -> PgError {
    match fault {
        Fault::BadFormat => PgError::new(
            sqlstate::INVALID_DATETIME_FORMAT,
            format!("invalid input syntax for type {type_name}: \"{text}\""),
        ),
        Fault::FieldOverflow => out_of_range("date/time field value", text),
        Fault::MonthDayOverflow => {
            out_of_range("date/time field value", text).hint("Perhaps you need a different \"datestyle\" setting.")
        }
        Fault::IntervalOverflow => PgError::new(
            sqlstate::INTERVAL_FIELD_OVERFLOW,
            format!("interval field value out of range: \"{text}\""),
        ),
        Fault::ZoneOverflow => PgError::new(
            sqlstate::INVALID_TIME_ZONE_DISPLACEMENT_VALUE,
            format!("time zone displacement out of range: \"{text}\""),
        ),
        Fault::ZoneNotRecognized => {
            let name = split(text).ok().and_then(|fields| {
                let is_zone =
                    |field: &Field| field.kind == Kind::Date && field.text.starts_with(|c: char| c.is_ascii_alphabetic());
                fields.into_iter().find(is_zone).map(|field| field.text)
            });
            super::zone_not_recognized(&name.unwrap_or_else(|| text.to_owned()))
        }
    }
}

/// 22008 `x out of range: "text"`.
fn out_of_range(what: &str, text: &str) -> PgError {
    PgError::new(
        sqlstate::DATETIME_VALUE_OUT_OF_RANGE,
        format!("{what} out of range: \"{text}\""),
    )
}

fn decode<T>(text: &str, type_name: &str, decoded: Decoded<T>) -> Result<T> {
    decoded.map_err(|reason| fault(reason, type_name, text))
}

pub fn date_in(text: &str, env: &TypeEnv<'_>) -> Result<i32> {
    if let Some(days) = plain_date(text.as_bytes()) {
        return Ok(days);
    }
    let decoded = split(text).and_then(|fields| moment(&fields, env));
    match decode(text, "date", decoded)? {
        Moment::At { civil, .. } => {
            let days = civil.days();
            if is_valid_date(days) {
                Ok(days as i32)
            } else {
                Err(out_of_range("date", text))
            }
        }
        Moment::Epoch => Ok(UNIX_EPOCH_DAYS),
        Moment::PosInfinity => Ok(DATE_POS_INFINITY),
        Moment::NegInfinity => Ok(DATE_NEG_INFINITY),
    }
}

/// `yyyy-mm-dd`, the form that drivers send, means the same in every `DateStyle`.
fn plain_date(bytes: &[u8]) -> Option<i32> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = bytes else {
        return None;
    };
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| i32::from(byte - b'0'));
    let year = digit(y1)? * 1000 + digit(y2)? * 100 + digit(y3)? * 10 + digit(y4)?;
    let month = digit(m1)? * 10 + digit(m2)?;
    let day = digit(d1)? * 10 + digit(d2)?;
    let good = year > 0 && (1..=12).contains(&month) && day >= 1 && day <= super::days_in_month(year, month);
    good.then(|| super::days_from_civil(year, month, day) as i32)
}

pub fn timestamp_in(text: &str, env: &TypeEnv<'_>) -> Result<i64> {
    let decoded = split(text).and_then(|fields| moment(&fields, env));
    match decode(text, "timestamp", decoded)? {
        Moment::At { civil, .. } => civil.to_micros().ok_or_else(|| out_of_range("timestamp", text)),
        Moment::Epoch => Ok(UNIX_EPOCH_MICROS),
        Moment::PosInfinity => Ok(TIMESTAMP_POS_INFINITY),
        Moment::NegInfinity => Ok(TIMESTAMP_NEG_INFINITY),
    }
}

pub fn timestamptz_in(text: &str, env: &TypeEnv<'_>) -> Result<i64> {
    let decoded = split(text).and_then(|fields| moment(&fields, env));
    match decode(text, "timestamp with time zone", decoded)? {
        Moment::At { civil, west } => {
            // The local time may lie past the range where the moment does not.
            let local = i128::from(civil.days()) * 86_400_000_000 + i128::from(civil.time_micros());
            i64::try_from(local + i128::from(west) * i128::from(MICROS_PER_SECOND))
                .ok()
                .filter(|micros| is_valid_timestamp(*micros))
                .ok_or_else(|| out_of_range("timestamp", text))
        }
        Moment::Epoch => Ok(UNIX_EPOCH_MICROS),
        Moment::PosInfinity => Ok(TIMESTAMP_POS_INFINITY),
        Moment::NegInfinity => Ok(TIMESTAMP_NEG_INFINITY),
    }
}

fn time_fields(text: &str, type_name: &str, env: &TypeEnv<'_>) -> Result<(Civil, i32)> {
    decode(text, type_name, split(text).and_then(|fields| time_of_day(&fields, env)))
}

pub fn time_in(text: &str, env: &TypeEnv<'_>) -> Result<i64> {
    Ok(time_fields(text, "time", env)?.0.time_micros())
}

pub fn timetz_in(text: &str, env: &TypeEnv<'_>) -> Result<TimeTz> {
    let (civil, west_seconds) = time_fields(text, "time with time zone", env)?;
    Ok(TimeTz {
        micros: civil.time_micros(),
        west_seconds,
    })
}

/// Reads an interval; a modifier's fields decide what a bare number means.
pub fn interval_in(text: &str, typmod: i32, env: &TypeEnv<'_>) -> Result<Interval> {
    interval_with(text, typmod, env.settings.interval_format)
}

fn interval_with(text: &str, typmod: i32, style: IntervalFormat) -> Result<Interval> {
    let decoded = split(text).and_then(|fields| super::decode_interval::interval(&fields, interval_range(typmod), style));
    let decoded = match decoded {
        Err(Fault::BadFormat) => decode_iso::interval(text),
        other => other,
    };
    let decoded = decoded.map_err(|reason| match reason {
        Fault::FieldOverflow => Fault::IntervalOverflow,
        other => other,
    });
    decode(text, "interval", decoded)?
        .finish()
        .ok_or_else(super::interval_out_of_range)
}
