//! `jsonb` values.

use smol_str::SmolStr;

use crate::types::numeric::Numeric;

/// One `jsonb` value. Object keys are unique and in PostgreSQL's order (by length, then bytes).
#[derive(Clone, Debug)]
pub enum Json {
    Null,
    Bool(bool),
    Number(Numeric),
    String(SmolStr),
    Array(Vec<Json>),
    Object(Vec<(SmolStr, Json)>),
}
