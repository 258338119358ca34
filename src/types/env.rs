//! What the text forms of types depend on: settings of the session, the clock, and the names of catalog objects.

use crate::error::Result;
use crate::ids::Oid;
use crate::types::Value;

/// Field order of ambiguous dates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateOrder {
    Mdy,
    Dmy,
    Ymd,
}

/// Output style of dates and timestamps (`DateStyle`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateFormat {
    Iso,
    Postgres,
    Sql,
    German,
}

/// `IntervalStyle`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntervalFormat {
    Postgres,
    PostgresVerbose,
    SqlStandard,
    Iso8601,
}

/// `bytea_output`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteaFormat {
    Hex,
    Escape,
}

/// Settings that types read; rebuilt by the session when one of them changes.
#[derive(Clone, Debug)]
pub struct TypeSettings {
    pub date_order: DateOrder,
    pub date_format: DateFormat,
    pub interval_format: IntervalFormat,
    pub bytea_format: ByteaFormat,
    pub extra_float_digits: i32,
    pub time_zone: jiff::tz::TimeZone,
    /// The zone as the user wrote it, for `SHOW TimeZone`.
    pub time_zone_name: String,
}

impl Default for TypeSettings {
    fn default() -> Self {
        TypeSettings {
            date_order: DateOrder::Mdy,
            date_format: DateFormat::Iso,
            interval_format: IntervalFormat::Postgres,
            bytea_format: ByteaFormat::Hex,
            extra_float_digits: 1,
            time_zone: jiff::tz::TimeZone::UTC,
            time_zone_name: "UTC".to_owned(),
        }
    }
}

/// What the reg* types, enums, composites and domains ask the catalog. `NoNames` serves where there is none.
pub trait NameLookup: Send + Sync {
    /// Text to OID for a `reg*` type (`regclass`, `regtype`, `regproc`, `regnamespace`, `regrole`, ...); the error is PostgreSQL's (42P01, 42704, 42883).
    fn reg_in(&self, reg_type: Oid, text: &str) -> Result<Oid>;
    /// OID to text; a number where nothing has it, `-` for 0.
    fn reg_out(&self, reg_type: Oid, oid: Oid) -> String;
    /// What a type made by users is; `None` where the OID is unknown.
    fn user_type(&self, ty: Oid) -> Option<UserType>;
}

/// A type made by users, as the text and binary forms need it.
#[derive(Clone, Debug)]
pub enum UserType {
    /// Labels in order.
    Enum {
        name: String,
        labels: std::sync::Arc<[(Oid, smol_str::SmolStr)]>,
    },
    /// Field names and types (with modifiers).
    Composite {
        name: String,
        fields: std::sync::Arc<[(smol_str::SmolStr, Oid, i32)]>,
    },
    /// A domain over a base type and modifier (its checks are expressions: the executor's work).
    Domain { name: String, base: Oid, typmod: i32 },
    /// An array of another type.
    Array { element: Oid },
}

/// No catalog: every name is unknown.
#[derive(Debug, Default)]
pub struct NoNames;

impl NameLookup for NoNames {
    fn reg_in(&self, _reg_type: Oid, text: &str) -> Result<Oid> {
        use crate::error::{PgError, sqlstate};
        text.parse()
            .map(Oid)
            .map_err(|_| PgError::new(sqlstate::UNDEFINED_OBJECT, format!("\"{text}\" does not exist")))
    }

    fn reg_out(&self, _reg_type: Oid, oid: Oid) -> String {
        if oid.is_valid() { oid.to_string() } else { "-".to_owned() }
    }

    fn user_type(&self, _ty: Oid) -> Option<UserType> {
        None
    }
}

/// Handed to every input and output function.
#[derive(Clone, Copy)]
pub struct TypeEnv<'a> {
    pub settings: &'a TypeSettings,
    pub names: &'a dyn NameLookup,
    /// `now()` of the transaction, microseconds since 2000-01-01 UTC: what `'now'`, `'today'` read.
    pub now_micros: i64,
}

/// A value with the type it has, for messages.
pub type TypedValue = (Oid, Value);
