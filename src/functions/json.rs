//! Values as JSON: what `to_json`, the JSON aggregates and constructors share.

use crate::error::Result;
use crate::ids::Oid;
use crate::types::json::{Json, print};
use crate::types::oid::{JSON, JSONB};
use crate::types::{Array, Record, TypeEnv, Value, io};

/// A value of any type as `jsonb`.
pub fn to_json(ty: Oid, value: &Value, env: &TypeEnv<'_>) -> Result<Json> {
    Ok(match value {
        Value::Null => Json::Null,
        Value::Bool(truth) => Json::Bool(*truth),
        Value::Jsonb(json) => (**json).clone(),
        _ => {
            let mut text = String::new();
            write_value(ty, value, env, &mut text)?;
            crate::types::json::parse::parse(&text)?
        }
    })
}

/// Appends a value of any type as JSON text (`datum_to_json`).
pub fn write_value(ty: Oid, value: &Value, env: &TypeEnv<'_>, out: &mut String) -> Result<()> {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Value::Array(array) => write_array(array, 0, &mut array.values.iter(), env, out)?,
        Value::Record(record) => write_record(record, env, out)?,
        Value::Text(text) if ty == JSON => out.push_str(text),
        Value::Int2(_) | Value::Int4(_) | Value::Int8(_) | Value::Float4(_) | Value::Float8(_) | Value::Numeric(_) => {
            let mut text = String::new();
            io::text_out(ty, value, env, &mut text)?;
            // NaN and the infinities are no JSON numbers.
            if text.bytes().next_back().is_some_and(|byte| byte.is_ascii_digit()) {
                out.push_str(&text);
            } else {
                print::write_string(&text, out);
            }
        }
        Value::Jsonb(_) if ty == JSONB => io::text_out(ty, value, env, out)?,
        Value::Timestamp(_) | Value::TimestampTz(_) | Value::Date(_) => {
            // ISO 8601 whatever DateStyle says.
            let mut settings = env.settings.clone();
            settings.date_format = crate::types::env::DateFormat::Iso;
            let iso = TypeEnv {
                settings: &settings,
                ..*env
            };
            let mut text = String::new();
            io::text_out(ty, value, &iso, &mut text)?;
            print::write_string(&iso_8601(&text, ty), out);
        }
        _ => {
            let mut text = String::new();
            io::text_out(ty, value, env, &mut text)?;
            print::write_string(&text, out);
        }
    }
    Ok(())
}

/// `2000-01-02 03:04:05+00` with a `T` and minutes in the offset.
fn iso_8601(text: &str, ty: Oid) -> String {
    let mut text = text.replacen(' ', "T", 1);
    if ty == crate::types::oid::TIMESTAMPTZ
        && let Some(at) = text.rfind(['+', '-'])
        && at > 10
        && !text[at..].contains(':')
    {
        text.push_str(":00");
    }
    text
}

fn write_array(
    array: &Array,
    dim: usize,
    values: &mut std::slice::Iter<'_, Value>,
    env: &TypeEnv<'_>,
    out: &mut String,
) -> Result<()> {
    out.push('[');
    let len = array.dims.get(dim).map_or(0, |dim| dim.len);
    for at in 0..len {
        if at > 0 {
            out.push(',');
        }
        if dim + 1 < array.dims.len() {
            write_array(array, dim + 1, values, env, out)?;
        } else if let Some(value) = values.next() {
            write_value(array.element, value, env, out)?;
        }
    }
    out.push(']');
    Ok(())
}

fn write_record(record: &Record, env: &TypeEnv<'_>, out: &mut String) -> Result<()> {
    out.push('{');
    for (at, (ty, value)) in record.fields.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        let name = match &record.names {
            Some(names) => names.get(at).map(ToString::to_string),
            None => None,
        };
        print::write_string(&name.unwrap_or_else(|| format!("f{}", at + 1)), out);
        out.push(':');
        write_value(*ty, value, env, out)?;
    }
    out.push('}');
    Ok(())
}

/// Appends a value as an object's key.
pub fn write_key(ty: Oid, value: &Value, env: &TypeEnv<'_>, out: &mut String) -> Result<()> {
    let mut text = String::new();
    io::text_out(ty, value, env, &mut text)?;
    print::write_string(&text, out);
    Ok(())
}
