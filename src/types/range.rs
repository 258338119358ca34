//! Ranges over a type: `int4range`, `int8range`, `numrange`, `tsrange`, `tstzrange`, `daterange`.
//!
//! A range is held as a [`Value::Record`] of the range's type, whose seven fields are chosen so that the order of records
//! is the order of ranges: whether it has members; whether there is a lower bound, the bound, whether it is excluded;
//! whether there is no upper bound, the bound, whether it is included. [`Range`] is the readable form.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::types::compare::compare_as;
use crate::types::{Record, TypeEnv, Value, io, oid};

mod ops;

/// Bytes of the binary form's flags.
mod flag {
    pub(super) const EMPTY: u8 = 0x01;
    pub(super) const LOWER_INCLUDED: u8 = 0x02;
    pub(super) const UPPER_INCLUDED: u8 = 0x04;
    pub(super) const LOWER_INFINITE: u8 = 0x08;
    pub(super) const UPPER_INFINITE: u8 = 0x10;
}

/// One end of a range.
#[derive(Clone, Debug)]
pub struct Bound {
    pub value: Value,
    pub included: bool,
}

/// A range over `subtype`. `None` is no bound.
#[derive(Clone, Debug)]
pub struct Range {
    pub ty: Oid,
    pub empty: bool,
    pub lower: Option<Bound>,
    pub upper: Option<Bound>,
}

/// The type of a built-in range's bounds.
pub fn subtype_of(range: Oid) -> Option<Oid> {
    Some(match range {
        oid::INT4RANGE => oid::INT4,
        oid::INT8RANGE => oid::INT8,
        oid::NUMRANGE => oid::NUMERIC,
        oid::TSRANGE => oid::TIMESTAMP,
        oid::TSTZRANGE => oid::TIMESTAMPTZ,
        oid::DATERANGE => oid::DATE,
        _ => return None,
    })
}

/// The built-in range over a type.
pub fn range_over(subtype: Oid) -> Option<Oid> {
    Some(match subtype {
        oid::INT4 => oid::INT4RANGE,
        oid::INT8 => oid::INT8RANGE,
        oid::NUMERIC => oid::NUMRANGE,
        oid::TIMESTAMP => oid::TSRANGE,
        oid::TIMESTAMPTZ => oid::TSTZRANGE,
        oid::DATE => oid::DATERANGE,
        _ => return None,
    })
}

/// The next value of a discrete type; `None` for one that has no next (an infinite date, a continuous type).
fn successor(value: &Value) -> Result<Option<Value>> {
    let out_of_range = |name: &str| PgError::new(sqlstate::NUMERIC_VALUE_OUT_OF_RANGE, format!("{name} out of range"));
    match value {
        Value::Int4(v) => v
            .checked_add(1)
            .map(|v| Some(Value::Int4(v)))
            .ok_or_else(|| out_of_range("integer")),
        Value::Int8(v) => v
            .checked_add(1)
            .map(|v| Some(Value::Int8(v)))
            .ok_or_else(|| out_of_range("bigint")),
        Value::Date(v) if crate::types::datetime::is_finite_date(*v) => {
            crate::types::datetime::date_add(*v, 1).map(|v| Some(Value::Date(v)))
        }
        _ => Ok(None),
    }
}

impl Range {
    pub fn empty(ty: Oid) -> Self {
        Range {
            ty,
            empty: true,
            lower: None,
            upper: None,
        }
    }

    /// A range of those bounds in canonical form: discrete ranges include the lower and exclude the upper bound.
    pub fn new(ty: Oid, lower: Option<Bound>, upper: Option<Bound>) -> Result<Self> {
        let subtype = subtype_of(ty).unwrap_or(oid::TEXT);
        if let (Some(low), Some(high)) = (&lower, &upper) {
            match compare_as(subtype, &low.value, &high.value) {
                Ordering::Greater => {
                    return Err(PgError::new(
                        sqlstate::DATA_EXCEPTION,
                        "range lower bound must be less than or equal to range upper bound",
                    ));
                }
                Ordering::Equal if !(low.included && high.included) => return Ok(Range::empty(ty)),
                _ => {}
            }
        }
        let mut range = Range {
            ty,
            empty: false,
            lower,
            upper,
        };
        if let Some(low) = range.lower.as_mut().filter(|low| !low.included)
            && let Some(next) = successor(&low.value)?
        {
            *low = Bound {
                value: next,
                included: true,
            };
        }
        if let Some(high) = range.upper.as_mut().filter(|high| high.included)
            && let Some(next) = successor(&high.value)?
        {
            *high = Bound {
                value: next,
                included: false,
            };
        }
        // `(1,2)` of integers became `[2,2)`.
        if let (Some(low), Some(high)) = (&range.lower, &range.upper)
            && compare_as(subtype, &low.value, &high.value).is_eq()
            && !(low.included && high.included)
        {
            return Ok(Range::empty(ty));
        }
        Ok(range)
    }

    /// The range in a value of a range type.
    pub fn of(value: &Value) -> Result<Range> {
        let broken = || PgError::internal(format!("not a range: {value:?}"));
        let Value::Record(record) = value else { return Err(broken()) };
        let [members, has_lower, lower, lower_excluded, no_upper, upper, upper_included] = &record.fields[..] else {
            return Err(broken());
        };
        let truth = |field: &(Oid, Value)| matches!(field.1, Value::Bool(true));
        if !truth(members) {
            return Ok(Range::empty(record.ty));
        }
        Ok(Range {
            ty: record.ty,
            empty: false,
            lower: truth(has_lower).then(|| Bound {
                value: lower.1.clone(),
                included: !truth(lower_excluded),
            }),
            upper: (!truth(no_upper)).then(|| Bound {
                value: upper.1.clone(),
                included: truth(upper_included),
            }),
        })
    }

    pub fn into_value(self) -> Value {
        let subtype = subtype_of(self.ty).unwrap_or(oid::TEXT);
        let flag = |value: bool| (oid::BOOL, Value::Bool(value));
        let bound = |bound: &Option<Bound>| {
            let value = bound.as_ref().map_or(Value::Null, |bound| bound.value.clone());
            (subtype, value)
        };
        Value::Record(Arc::new(Record {
            ty: self.ty,
            fields: vec![
                flag(!self.empty),
                flag(self.lower.is_some()),
                bound(&self.lower),
                flag(self.lower.as_ref().is_some_and(|bound| !bound.included)),
                flag(self.upper.is_none()),
                bound(&self.upper),
                flag(self.upper.as_ref().is_some_and(|bound| bound.included)),
            ],
            names: None,
        }))
    }
}

fn malformed(text: &str, detail: &str) -> PgError {
    PgError::new(
        sqlstate::INVALID_TEXT_REPRESENTATION,
        format!("malformed range literal: \"{text}\""),
    )
    .detail(detail)
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t'..='\r')
}

/// Reads `[1,5)`, `(,5]`, `empty`.
pub(crate) fn range_in(ty: Oid, text: &str, env: &TypeEnv<'_>) -> Result<Value> {
    let subtype = subtype_of(ty).ok_or_else(|| PgError::internal("not a range type"))?;
    let body = text.trim_start_matches(is_space);
    if body.get(..5).is_some_and(|word| word.eq_ignore_ascii_case("empty")) {
        if !body[5..].chars().all(is_space) {
            return Err(malformed(text, "Junk after \"empty\" key word."));
        }
        return Ok(Range::empty(ty).into_value());
    }
    let lower_included = body.starts_with('[');
    let Some(rest) = body.strip_prefix(['[', '(']) else {
        return Err(malformed(text, "Missing left parenthesis or bracket."));
    };
    let (lower, rest) = read_bound(text, rest)?;
    let Some(rest) = rest.strip_prefix(',') else {
        return Err(malformed(text, "Missing comma after lower bound."));
    };
    let (upper, rest) = read_bound(text, rest)?;
    let upper_included = rest.starts_with(']');
    let Some(rest) = rest.strip_prefix([']', ')']) else {
        return Err(malformed(text, "Too many commas."));
    };
    if !rest.chars().all(is_space) {
        return Err(malformed(text, "Junk after right parenthesis or bracket."));
    }
    let bound = |text: Option<String>, included| -> Result<Option<Bound>> {
        text.map(|text| {
            Ok(Bound {
                value: io::text_in(subtype, -1, &text, env)?,
                included,
            })
        })
        .transpose()
    };
    let range = Range::new(ty, bound(lower, lower_included)?, bound(upper, upper_included)?)?;
    Ok(range.into_value())
}

/// A bound up to `,`, `)` or `]`; `None` for no bound.
fn read_bound<'a>(whole: &str, text: &'a str) -> Result<(Option<String>, &'a str)> {
    if text.starts_with([',', ')', ']']) {
        return Ok((None, text));
    }
    let mut bound = String::new();
    let mut in_quotes = false;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            ',' | ')' | ']' if !in_quotes => return Ok((Some(bound), &text[at..])),
            '\\' => match chars.next() {
                Some((_, escaped)) => bound.push(escaped),
                None => break,
            },
            '"' if !in_quotes => in_quotes = true,
            '"' if chars.peek().is_some_and(|(_, next)| *next == '"') => {
                chars.next();
                bound.push('"');
            }
            '"' => in_quotes = false,
            _ => bound.push(c),
        }
    }
    Err(malformed(whole, "Unexpected end of input."))
}

/// Appends the text form of a range's record.
pub(crate) fn range_out(value: &Value, env: &TypeEnv<'_>, out: &mut String) -> Result<()> {
    let range = Range::of(value)?;
    if range.empty {
        out.push_str("empty");
        return Ok(());
    }
    let subtype = subtype_of(range.ty).unwrap_or(oid::TEXT);
    let included = |bound: &Option<Bound>| bound.as_ref().is_some_and(|bound| bound.included);
    out.push(if included(&range.lower) { '[' } else { '(' });
    push_bound(subtype, range.lower.as_ref(), env, out)?;
    out.push(',');
    push_bound(subtype, range.upper.as_ref(), env, out)?;
    out.push(if included(&range.upper) { ']' } else { ')' });
    Ok(())
}

fn push_bound(subtype: Oid, bound: Option<&Bound>, env: &TypeEnv<'_>, out: &mut String) -> Result<()> {
    let Some(bound) = bound else { return Ok(()) };
    let text = io::to_text(subtype, &bound.value, env)?;
    let needs = text.is_empty()
        || text
            .chars()
            .any(|c| matches!(c, '"' | '\\' | '(' | ')' | '[' | ']' | ',') || is_space(c));
    if !needs {
        out.push_str(&text);
        return Ok(());
    }
    out.push('"');
    for c in text.chars() {
        if matches!(c, '"' | '\\') {
            out.push(c);
        }
        out.push(c);
    }
    out.push('"');
    Ok(())
}

/// Appends the binary form: flags, then each bound that there is with its length.
pub(crate) fn range_send(value: &Value, env: &TypeEnv<'_>, out: &mut Vec<u8>) -> Result<()> {
    let range = Range::of(value)?;
    let subtype = subtype_of(range.ty).unwrap_or(oid::TEXT);
    if range.empty {
        out.push(flag::EMPTY);
        return Ok(());
    }
    let end = |bound: &Option<Bound>, infinite, included| match bound {
        None => infinite,
        Some(bound) if bound.included => included,
        Some(_) => 0,
    };
    out.push(
        end(&range.lower, flag::LOWER_INFINITE, flag::LOWER_INCLUDED)
            | end(&range.upper, flag::UPPER_INFINITE, flag::UPPER_INCLUDED),
    );
    for bound in [&range.lower, &range.upper].into_iter().flatten() {
        let start = out.len();
        out.extend_from_slice(&[0; 4]);
        io::binary_out(subtype, &bound.value, env, out)?;
        let len = (out.len() - start - 4) as u32;
        out[start..start + 4].copy_from_slice(&len.to_be_bytes());
    }
    Ok(())
}

/// Reads the binary form.
pub(crate) fn range_recv(ty: Oid, bytes: &[u8], env: &TypeEnv<'_>) -> Result<Value> {
    let short = || PgError::new(sqlstate::PROTOCOL_VIOLATION, "insufficient data left in message");
    let subtype = subtype_of(ty).ok_or_else(|| PgError::internal("not a range type"))?;
    let (&flags, mut rest) = bytes.split_first().ok_or_else(short)?;
    let mut bound = |present: bool, included: bool| -> Result<Option<Bound>> {
        if !present {
            return Ok(None);
        }
        let (len, tail) = rest.split_first_chunk::<4>().ok_or_else(short)?;
        let (body, tail) = tail.split_at_checked(u32::from_be_bytes(*len) as usize).ok_or_else(short)?;
        rest = tail;
        Ok(Some(Bound {
            value: io::binary_in(subtype, -1, body, env)?,
            included,
        }))
    };
    let has = |bits: u8| flags & bits != 0;
    let empty = has(flag::EMPTY);
    let lower = bound(!empty && !has(flag::LOWER_INFINITE), has(flag::LOWER_INCLUDED))?;
    let upper = bound(!empty && !has(flag::UPPER_INFINITE), has(flag::UPPER_INCLUDED))?;
    if !rest.is_empty() {
        return Err(PgError::new(
            sqlstate::INVALID_BINARY_REPRESENTATION,
            "incorrect binary data format",
        ));
    }
    let range = if empty {
        Range::empty(ty)
    } else {
        Range::new(ty, lower, upper)?
    };
    Ok(range.into_value())
}

#[cfg(test)]
mod tests;
