//! Looking into `jsonb` and `json`, and making them.

use std::sync::Arc;

use super::{Builtin, CallContext, json, pure};
use crate::error::{PgError, Result, sqlstate};
use crate::types::json::{Json, parse};
use crate::types::oid::*;
use crate::types::{Value, io};

fn read(value: &Value) -> Result<Arc<Json>> {
    match value {
        Value::Jsonb(json) => Ok(Arc::clone(json)),
        Value::Text(text) => parse(text).map(Arc::new),
        other => Err(PgError::internal(format!("not JSON: {other:?}"))),
    }
}

fn text(value: &Value) -> Result<&str> {
    match value {
        Value::Text(text) => Ok(text),
        other => Err(PgError::internal(format!("not a text: {other:?}"))),
    }
}

/// A part as the operator's result: text without quotes, or JSON of the input's kind.
fn give(call: &CallContext<'_>, part: Option<&Json>) -> Value {
    let Some(part) = part else { return Value::Null };
    if call.return_type == TEXT {
        return match part {
            Json::Null => Value::Null,
            Json::String(text) => Value::Text(text.clone()),
            other => Value::text(print(other)),
        };
    }
    if call.return_type == JSONB {
        Value::Jsonb(Arc::new(part.clone()))
    } else {
        Value::text(print(part))
    }
}

fn print(json: &Json) -> String {
    let mut out = String::new();
    json.write(&mut out);
    out
}

fn field(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(give(call, read(&args[0])?.get(text(&args[1])?)))
}

fn element(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let Value::Int4(at) = args[1] else {
        return Err(PgError::internal("not an integer"));
    };
    Ok(give(call, read(&args[0])?.index(i64::from(at))))
}

fn path(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let Value::Array(steps) = &args[1] else {
        return Err(PgError::internal("not a path"));
    };
    let whole = read(&args[0])?;
    let mut here = Some(&*whole);
    for step in &steps.values {
        if step.is_null() {
            return Ok(Value::Null);
        }
        let step = text(step)?;
        here = match here {
            Some(json @ Json::Array(_)) => step.parse().ok().and_then(|at| json.index(at)),
            Some(json) => json.get(step),
            None => None,
        };
    }
    Ok(give(call, here))
}

/// PostgreSQL's containment: objects by key, arrays as sets, and a top-level array contains a scalar.
fn contains(whole: &Json, part: &Json, top: bool) -> bool {
    match (whole, part) {
        (Json::Object(_), Json::Object(pairs)) => pairs
            .iter()
            .all(|(key, value)| whole.get(key).is_some_and(|own| contains(own, value, false))),
        (Json::Array(own), Json::Array(items)) => items.iter().all(|item| own.iter().any(|one| contains(one, item, false))),
        (Json::Array(own), scalar) if top && scalar.is_scalar() => own.iter().any(|one| contains(one, scalar, false)),
        _ => whole.is_scalar() && part.is_scalar() && whole.compare(part).is_eq(),
    }
}

fn jsonb_contains(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::Bool(contains(&*read(&args[0])?, &*read(&args[1])?, true)))
}

fn jsonb_contained(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::Bool(contains(&*read(&args[1])?, &*read(&args[0])?, true)))
}

fn exists(json: &Json, key: &str) -> bool {
    match json {
        Json::Object(_) => json.get(key).is_some(),
        Json::Array(items) => items.iter().any(|item| matches!(item, Json::String(text) if text == key)),
        Json::String(text) => text == key,
        _ => false,
    }
}

fn jsonb_exists(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::Bool(exists(&*read(&args[0])?, text(&args[1])?)))
}

fn jsonb_concat(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let (a, b) = (read(&args[0])?, read(&args[1])?);
    let list = |json: &Json| match json {
        Json::Array(items) => items.clone(),
        other => vec![other.clone()],
    };
    let joined = match (&*a, &*b) {
        (Json::Object(a), Json::Object(b)) => {
            let kept = a.iter().filter(|(key, _)| !b.iter().any(|(other, _)| other == key));
            Json::object(kept.chain(b).cloned().collect())
        }
        (a, b) => Json::Array(list(a).into_iter().chain(list(b)).collect()),
    };
    Ok(Value::Jsonb(Arc::new(joined)))
}

fn jsonb_delete(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let (json, key) = (read(&args[0])?, text(&args[1])?);
    let left = match &*json {
        Json::Object(pairs) => Json::Object(pairs.iter().filter(|(name, _)| name != key).cloned().collect()),
        Json::Array(items) => Json::Array(
            items
                .iter()
                .filter(|item| !matches!(item, Json::String(text) if text == key))
                .cloned()
                .collect(),
        ),
        _ => return Err(PgError::new(sqlstate::INVALID_PARAMETER_VALUE, "cannot delete from scalar")),
    };
    Ok(Value::Jsonb(Arc::new(left)))
}

fn typeof_(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::text(read(&args[0])?.type_name()))
}

fn array_length(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    match &*read(&args[0])? {
        Json::Array(items) => Ok(Value::Int4(i32::try_from(items.len()).unwrap_or(i32::MAX))),
        Json::Object(_) => Err(PgError::new(
            sqlstate::INVALID_PARAMETER_VALUE,
            "cannot get array length of a non-array",
        )),
        _ => Err(PgError::new(
            sqlstate::INVALID_PARAMETER_VALUE,
            "cannot get array length of a scalar",
        )),
    }
}

fn to_jsonb(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    json::to_json(call.arg_types[0], &args[0], &call.env).map(|json| Value::Jsonb(Arc::new(json)))
}

fn to_json(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let mut out = String::new();
    json::write_value(call.arg_types[0], &args[0], &call.env, &mut out)?;
    Ok(Value::text(out))
}

fn build_object(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    if args.len() % 2 == 1 {
        return Err(PgError::new(
            sqlstate::INVALID_PARAMETER_VALUE,
            "argument list must have even number of elements",
        )
        .hint(format!(
            "The arguments of {} must consist of alternating keys and values.",
            name_of(call)
        )));
    }
    let mut pairs = Vec::new();
    let mut written = String::from("{");
    for (at, pair) in args.chunks(2).enumerate() {
        let types = &call.arg_types[at * 2..at * 2 + 2];
        if pair[0].is_null() {
            let message = if call.return_type == JSONB {
                format!("argument {}: key must not be null", at * 2 + 1)
            } else {
                format!("argument {} cannot be null", at * 2 + 1)
            };
            return Err(PgError::new(sqlstate::INVALID_PARAMETER_VALUE, message));
        }
        if call.return_type == JSONB {
            let mut key = String::new();
            io::text_out(types[0], &pair[0], &call.env, &mut key)?;
            pairs.push((key.into(), json::to_json(types[1], &pair[1], &call.env)?));
            continue;
        }
        if at > 0 {
            written.push_str(", ");
        }
        json::write_key(types[0], &pair[0], &call.env, &mut written)?;
        written.push_str(" : ");
        json::write_value(types[1], &pair[1], &call.env, &mut written)?;
    }
    written.push('}');
    Ok(if call.return_type == JSONB {
        Value::Jsonb(Arc::new(Json::object(pairs)))
    } else {
        Value::text(written)
    })
}

fn name_of(call: &CallContext<'_>) -> &'static str {
    if call.return_type == JSONB {
        "jsonb_build_object()"
    } else {
        "json_build_object()"
    }
}

fn build_array(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let mut items = Vec::new();
    let mut written = String::from("[");
    for (at, (ty, value)) in call.arg_types.iter().zip(args).enumerate() {
        if call.return_type == JSONB {
            items.push(json::to_json(*ty, value, &call.env)?);
            continue;
        }
        if at > 0 {
            written.push_str(", ");
        }
        json::write_value(*ty, value, &call.env, &mut written)?;
    }
    written.push(']');
    Ok(if call.return_type == JSONB {
        Value::Jsonb(Arc::new(Json::Array(items)))
    } else {
        Value::text(written)
    })
}

#[rustfmt::skip]
pub const FUNCTIONS: &[Builtin] = &[
    pure(3478, "jsonb_object_field", &[JSONB, TEXT], JSONB, field),
    pure(3214, "jsonb_object_field_text", &[JSONB, TEXT], TEXT, field),
    pure(3947, "json_object_field", &[JSON, TEXT], JSON, field),
    pure(3948, "json_object_field_text", &[JSON, TEXT], TEXT, field),
    pure(3215, "jsonb_array_element", &[JSONB, INT4], JSONB, element),
    pure(3216, "jsonb_array_element_text", &[JSONB, INT4], TEXT, element),
    pure(3949, "json_array_element", &[JSON, INT4], JSON, element),
    pure(3950, "json_array_element_text", &[JSON, INT4], TEXT, element),
    pure(3217, "jsonb_extract_path", &[JSONB, TEXT_ARRAY], JSONB, path).variadic(),
    pure(3940, "jsonb_extract_path_text", &[JSONB, TEXT_ARRAY], TEXT, path).variadic(),
    pure(3951, "json_extract_path", &[JSON, TEXT_ARRAY], JSON, path).variadic(),
    pure(3953, "json_extract_path_text", &[JSON, TEXT_ARRAY], TEXT, path).variadic(),
    pure(4046, "jsonb_contains", &[JSONB, JSONB], BOOL, jsonb_contains),
    pure(4050, "jsonb_contained", &[JSONB, JSONB], BOOL, jsonb_contained),
    pure(4047, "jsonb_exists", &[JSONB, TEXT], BOOL, jsonb_exists),
    pure(3301, "jsonb_concat", &[JSONB, JSONB], JSONB, jsonb_concat),
    pure(3302, "jsonb_delete", &[JSONB, TEXT], JSONB, jsonb_delete),
    pure(3210, "jsonb_typeof", &[JSONB], TEXT, typeof_),
    pure(3968, "json_typeof", &[JSON], TEXT, typeof_),
    pure(3207, "jsonb_array_length", &[JSONB], INT4, array_length),
    pure(3956, "json_array_length", &[JSON], INT4, array_length),
    pure(3787, "to_jsonb", &[ANYELEMENT], JSONB, to_jsonb).stable(),
    pure(3176, "to_json", &[ANYELEMENT], JSON, to_json).stable(),
    pure(3273, "jsonb_build_object", &[ANY], JSONB, build_object).stable().called_on_null().variadic(),
    pure(3200, "json_build_object", &[ANY], JSON, build_object).stable().called_on_null().variadic(),
    pure(3271, "jsonb_build_array", &[ANY], JSONB, build_array).stable().called_on_null().variadic(),
    pure(3198, "json_build_array", &[ANY], JSON, build_array).stable().called_on_null().variadic(),
];
