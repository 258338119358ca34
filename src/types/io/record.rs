//! Text forms of composite values: `(1,"a b",)`.

use std::sync::Arc;

use smol_str::SmolStr;

use super::{scalar::is_space, text_in, text_out};
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::types::{Record, TypeEnv, Value};

fn malformed(text: &str, detail: &str) -> PgError {
    PgError::new(
        sqlstate::INVALID_TEXT_REPRESENTATION,
        format!("malformed record literal: \"{text}\""),
    )
    .detail(detail)
}

pub(super) fn record_in(ty: Oid, fields: &[(SmolStr, Oid, i32)], text: &str, env: &TypeEnv<'_>) -> Result<Value> {
    let body = text.trim_start_matches(|c: char| c.is_ascii() && is_space(c as u8));
    let Some(mut rest) = body.strip_prefix('(') else {
        return Err(malformed(text, "Missing left parenthesis."));
    };
    let mut values = Vec::with_capacity(fields.len());
    for (at, (_, field_type, typmod)) in fields.iter().enumerate() {
        if at > 0 {
            rest = rest.strip_prefix(',').ok_or_else(|| malformed(text, "Too few columns."))?;
        }
        let (item, tail) = read_field(rest).ok_or_else(|| malformed(text, "Unexpected end of input."))?;
        rest = tail;
        let value = match item {
            None => Value::Null,
            Some(item) => text_in(*field_type, *typmod, &item, env)?,
        };
        values.push((*field_type, value));
    }
    let Some(tail) = rest.strip_prefix(')') else {
        return Err(malformed(text, "Too many columns."));
    };
    if !tail.bytes().all(is_space) {
        return Err(malformed(text, "Junk after right parenthesis."));
    }
    Ok(Value::Record(Arc::new(Record {
        ty,
        fields: values,
        names: Some(fields.iter().map(|(name, ..)| name.clone()).collect()),
    })))
}

/// The next field up to `,` or `)`: `None` inside for NULL; `None` outside at the end of input.
fn read_field(text: &str) -> Option<(Option<String>, &str)> {
    if text.starts_with([',', ')']) {
        return Some((None, text));
    }
    let mut item = String::new();
    let mut in_quotes = false;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            ',' | ')' if !in_quotes => return Some((Some(item), &text[at..])),
            '\\' => item.push(chars.next()?.1),
            '"' if !in_quotes => in_quotes = true,
            '"' if chars.peek().is_some_and(|(_, next)| *next == '"') => {
                chars.next();
                item.push('"');
            }
            '"' => in_quotes = false,
            _ => item.push(c),
        }
    }
    None
}

pub(super) fn record_out(record: &Record, env: &TypeEnv<'_>, out: &mut String) -> Result<()> {
    out.push('(');
    let mut text = String::new();
    for (at, (ty, value)) in record.fields.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        if value.is_null() {
            continue;
        }
        text.clear();
        text_out(*ty, value, env, &mut text)?;
        let needs = text.is_empty()
            || text
                .bytes()
                .any(|byte| matches!(byte, b'"' | b'\\' | b'(' | b')' | b',') || is_space(byte));
        if !needs {
            out.push_str(&text);
            continue;
        }
        out.push('"');
        for c in text.chars() {
            if matches!(c, '"' | '\\') {
                out.push(c);
            }
            out.push(c);
        }
        out.push('"');
    }
    out.push(')');
    Ok(())
}
