//! `jsonb` values and the JSON grammar.
//!
//! `json` keeps its text and is only checked ([`validate`]); `jsonb` is a [`Json`] tree.

use std::cmp::Ordering;
use std::hash::Hasher;

use smol_str::SmolStr;

use crate::types::numeric::Numeric;

pub mod parse;
pub mod print;

pub use parse::{parse, validate};
pub use print::write_string;

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

/// `jsonb`'s order of object keys.
pub fn compare_keys(a: &str, b: &str) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.as_bytes().cmp(b.as_bytes()))
}

impl Json {
    /// An object from pairs in any order: of equal keys the last wins.
    pub fn object(mut pairs: Vec<(SmolStr, Json)>) -> Json {
        pairs.sort_by(|(a, _), (b, _)| compare_keys(a, b));
        // A stable sort keeps equal keys in order; keep the last of each run.
        let mut unique: Vec<(SmolStr, Json)> = Vec::with_capacity(pairs.len());
        for pair in pairs {
            match unique.last_mut() {
                Some(last) if last.0 == pair.0 => *last = pair,
                _ => unique.push(pair),
            }
        }
        Json::Object(unique)
    }

    /// The field of an object.
    pub fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Object(pairs) => pairs
                .binary_search_by(|(name, _)| compare_keys(name, key))
                .ok()
                .map(|at| &pairs[at].1),
            _ => None,
        }
    }

    /// The element of an array; negative counts from the end.
    pub fn index(&self, at: i64) -> Option<&Json> {
        match self {
            Json::Array(items) => {
                let at = if at < 0 { at + items.len() as i64 } else { at };
                items.get(usize::try_from(at).ok()?)
            }
            _ => None,
        }
    }

    /// `jsonb_typeof`.
    pub fn type_name(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool(_) => "boolean",
            Json::Number(_) => "number",
            Json::String(_) => "string",
            Json::Array(_) => "array",
            Json::Object(_) => "object",
        }
    }

    pub fn is_scalar(&self) -> bool {
        !matches!(self, Json::Array(_) | Json::Object(_))
    }

    fn rank(&self) -> u8 {
        match self {
            Json::Null => 0,
            Json::String(_) => 1,
            Json::Number(_) => 2,
            Json::Bool(_) => 3,
            Json::Array(_) => 4,
            Json::Object(_) => 5,
        }
    }

    /// The btree order of `jsonb`. PostgreSQL holds a top-level scalar as an array of one element, and compares the
    /// lengths of arrays first: the empty array sorts before every scalar.
    pub fn compare(&self, other: &Json) -> Ordering {
        match (self, other) {
            (Json::Array(items), scalar) if scalar.is_scalar() => items.len().cmp(&1).then(Ordering::Greater),
            (scalar, Json::Array(items)) if scalar.is_scalar() => 1.cmp(&items.len()).then(Ordering::Less),
            _ => self.compare_nested(other),
        }
    }

    fn compare_nested(&self, other: &Json) -> Ordering {
        match (self, other) {
            (Json::Bool(a), Json::Bool(b)) => a.cmp(b),
            (Json::Number(a), Json::Number(b)) => a.cmp(b),
            (Json::String(a), Json::String(b)) => a.as_bytes().cmp(b.as_bytes()),
            (Json::Array(a), Json::Array(b)) => a.len().cmp(&b.len()).then_with(|| {
                let orders = a.iter().zip(b).map(|(x, y)| x.compare_nested(y));
                orders.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
            }),
            (Json::Object(a), Json::Object(b)) => a.len().cmp(&b.len()).then_with(|| {
                let orders = a
                    .iter()
                    .zip(b)
                    .map(|((k, x), (l, y))| k.as_bytes().cmp(l.as_bytes()).then_with(|| x.compare_nested(y)));
                orders.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
            }),
            _ => self.rank().cmp(&other.rank()),
        }
    }

    /// Feeds a hasher; equal values feed alike.
    pub fn hash_into(&self, state: &mut impl Hasher) {
        state.write_u8(self.rank());
        match self {
            Json::Null => {}
            Json::Bool(v) => state.write_u8(u8::from(*v)),
            Json::Number(v) => std::hash::Hash::hash(v, state),
            Json::String(v) => {
                state.write(v.as_bytes());
                state.write_u8(0xff);
            }
            Json::Array(items) => {
                state.write_usize(items.len());
                for item in items {
                    item.hash_into(state);
                }
            }
            Json::Object(pairs) => {
                state.write_usize(pairs.len());
                for (key, value) in pairs {
                    state.write(key.as_bytes());
                    value.hash_into(state);
                }
            }
        }
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.compare(other).is_eq()
    }
}

impl Eq for Json {}

#[cfg(test)]
mod tests;
