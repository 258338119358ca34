//! PostgreSQL's types: values, their text and binary forms, casts, comparison.
//!
//! A [`Value`] does not carry its type: whoever holds one knows the type's OID (and modifier) from the expression or the
//! column. Several types share a variant (`text`, `varchar`, `bpchar`, `name` are all [`Value::Text`]).
//!
//! Invariants: `Value::Null` is the only null; text holds no NUL byte; a value is in range for its type.

pub mod cast;
pub mod compare;
pub mod datetime;
pub mod env;
pub mod info;
pub mod io;
pub mod json;
pub mod numeric;
pub mod oid;
pub mod range;
pub mod value;

pub use env::TypeEnv;
pub use value::{Array, ArrayDim, Interval, Record, TimeTz, Value};
