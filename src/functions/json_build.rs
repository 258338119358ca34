//! Making `json` and `jsonb` from SQL values.

use std::sync::Arc;

use smol_str::SmolStr;

use super::arguments::{array, boolean, invalid, text};
use super::json::{to_json, write_value};
use super::{Builtin, CallContext, pure};
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::types::json::{Json, write_string};
use crate::types::oid::{ANY, ANYARRAY, ANYELEMENT, BOOL, JSON, JSONB, RECORD, TEXT, TEXT_ARRAY};
use crate::types::{Array, Value};

fn jsonb(tree: Json) -> Result<Value> {
    Ok(Value::Jsonb(Arc::new(tree)))
}

fn arg_type(call: &CallContext<'_>, at: usize) -> Oid {
    call.arg_types.get(at).copied().unwrap_or(TEXT)
}

fn to_json_text(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let mut out = String::new();
    write_value(arg_type(call, 0), &args[0], &call.env, &mut out)?;
    Ok(Value::text(out))
}

fn to_jsonb(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    jsonb(to_json(arg_type(call, 0), &args[0], &call.env)?)
}

/// With a line a field where wanted.
fn row_to_json(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let Value::Record(record) = &args[0] else {
        return Err(PgError::internal("not a record"));
    };
    if !args.get(1).map_or(Ok(false), boolean)? {
        return to_json_text(call, args);
    }
    let mut out = String::from("{");
    for (at, (ty, value)) in record.fields.iter().enumerate() {
        if at > 0 {
            out.push_str(",\n ");
        }
        match record.names.as_ref().and_then(|names| names.get(at)) {
            Some(name) => write_string(name, &mut out),
            None => write_string(&format!("f{}", at + 1), &mut out),
        }
        out.push(':');
        write_value(*ty, value, &call.env, &mut out)?;
    }
    out.push('}');
    Ok(Value::text(out))
}

/// With a line an element of the first dimension where wanted.
fn array_to_json(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    if !args.get(1).map_or(Ok(false), boolean)? {
        return to_json_text(call, args);
    }
    let array = array(&args[0])?;
    let Some(first) = array.dims.first() else {
        return Ok(Value::text("[]"));
    };
    let len = first.len.unsigned_abs() as usize;
    let width = array.values.len() / len.max(1);
    let mut out = String::from("[");
    for (at, values) in array.values.chunks(width.max(1)).enumerate() {
        if at > 0 {
            out.push_str(",\n ");
        }
        if array.dims.len() == 1 {
            write_value(array.element, &values[0], &call.env, &mut out)?;
        } else {
            let inner = Value::Array(Arc::new(Array {
                element: array.element,
                dims: array.dims[1..].to_vec(),
                values: values.to_vec(),
            }));
            write_value(ANYARRAY, &inner, &call.env, &mut out)?;
        }
    }
    out.push(']');
    Ok(Value::text(out))
}

/// A value as an object's key: its JSON text in quotes.
fn key_text(call: &CallContext<'_>, ty: Oid, value: &Value) -> Result<String> {
    let mut shown = String::new();
    write_value(ty, value, &call.env, &mut shown)?;
    if shown.starts_with('"') && !matches!(ty, JSON | JSONB) {
        return Ok(shown);
    }
    if matches!(ty, JSON | JSONB) || shown.starts_with(['{', '[']) {
        return Err(invalid("key value must be scalar, not array, composite, or json"));
    }
    Ok(format!("\"{shown}\""))
}

fn check_pairs(args: &[Value], function: &str) -> Result<()> {
    if args.len() % 2 == 1 {
        return Err(invalid("argument list must have even number of elements").hint(format!(
            "The arguments of {function}() must consist of alternating keys and values."
        )));
    }
    Ok(())
}

fn json_build_object(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    check_pairs(args, "json_build_object")?;
    let mut out = String::from("{");
    for (at, pair) in args.chunks(2).enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        if pair[0].is_null() {
            return Err(invalid(format!("argument {} cannot be null", at * 2 + 1)).hint("Object keys should be text."));
        }
        out.push_str(&key_text(call, arg_type(call, at * 2), &pair[0])?);
        out.push_str(" : ");
        write_value(arg_type(call, at * 2 + 1), &pair[1], &call.env, &mut out)?;
    }
    out.push('}');
    Ok(Value::text(out))
}

fn jsonb_build_object(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    check_pairs(args, "jsonb_build_object")?;
    let mut pairs = Vec::with_capacity(args.len() / 2);
    for (at, pair) in args.chunks(2).enumerate() {
        if pair[0].is_null() {
            return Err(invalid(format!("argument {}: key must not be null", at * 2 + 1)));
        }
        let key = super::json_text::string(&key_text(call, arg_type(call, at * 2), &pair[0])?)?;
        pairs.push((SmolStr::from(key), to_json(arg_type(call, at * 2 + 1), &pair[1], &call.env)?));
    }
    jsonb(Json::object(pairs))
}

fn json_build_array(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let mut out = String::from("[");
    for (at, value) in args.iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        write_value(arg_type(call, at), value, &call.env, &mut out)?;
    }
    out.push(']');
    Ok(Value::text(out))
}

fn jsonb_build_array(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let items = args
        .iter()
        .enumerate()
        .map(|(at, value)| to_json(arg_type(call, at), value, &call.env));
    jsonb(Json::Array(items.collect::<Result<_>>()?))
}

fn bad_array(message: &str) -> PgError {
    PgError::new(sqlstate::ARRAY_SUBSCRIPT_ERROR, message)
}

/// The pairs that one array of pairs, or an array of keys and one of values, stand for.
fn text_pairs(args: &[Value]) -> Result<Vec<(SmolStr, Value)>> {
    let first = array(&args[0])?;
    let pairs: Vec<(&Value, &Value)> = if let Some(second) = args.get(1) {
        let second = array(second)?;
        if first.dims.len() > 1 || second.dims.len() > 1 {
            return Err(bad_array("wrong number of array subscripts"));
        }
        if first.values.len() != second.values.len() {
            return Err(bad_array("mismatched array dimensions"));
        }
        first.values.iter().zip(&second.values).collect()
    } else {
        match &first.dims[..] {
            [] => {}
            [dim] if dim.len % 2 == 1 => return Err(bad_array("array must have even number of elements")),
            [_] => {}
            [_, dim] if dim.len != 2 => return Err(bad_array("array must have two columns")),
            [_, _] => {}
            _ => return Err(bad_array("wrong number of array subscripts")),
        }
        first.values.chunks(2).map(|pair| (&pair[0], &pair[1])).collect()
    };
    pairs
        .into_iter()
        .map(|(key, value)| {
            if key.is_null() {
                return Err(PgError::new(
                    sqlstate::NULL_VALUE_NOT_ALLOWED,
                    "null value not allowed for object key",
                ));
            }
            Ok((SmolStr::from(text(key)?), value.clone()))
        })
        .collect()
}

fn json_object(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let mut out = String::from("{");
    for (at, (key, value)) in text_pairs(args)?.into_iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        write_string(&key, &mut out);
        out.push_str(" : ");
        match &value {
            Value::Null => out.push_str("null"),
            value => write_string(text(value)?, &mut out),
        }
    }
    out.push('}');
    Ok(Value::text(out))
}

fn jsonb_object(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let pairs = text_pairs(args)?.into_iter().map(|(key, value)| {
        let value = match &value {
            Value::Null => Json::Null,
            value => Json::String(SmolStr::from(text(value)?)),
        };
        Ok((key, value))
    });
    jsonb(Json::object(pairs.collect::<Result<_>>()?))
}

#[rustfmt::skip]
pub const FUNCTIONS: &[Builtin] = &[
    pure(3176, "to_json", &[ANYELEMENT], JSON, to_json_text).stable(),
    pure(3787, "to_jsonb", &[ANYELEMENT], JSONB, to_jsonb).stable(),
    pure(3155, "row_to_json", &[RECORD], JSON, row_to_json).stable(),
    pure(3156, "row_to_json", &[RECORD, BOOL], JSON, row_to_json).stable(),
    pure(3153, "array_to_json", &[ANYARRAY], JSON, array_to_json).stable(),
    pure(3154, "array_to_json", &[ANYARRAY, BOOL], JSON, array_to_json).stable(),
    pure(3200, "json_build_object", &[ANY], JSON, json_build_object).stable().called_on_null().variadic(),
    pure(3201, "json_build_object", &[], JSON, json_build_object).stable().called_on_null(),
    pure(3273, "jsonb_build_object", &[ANY], JSONB, jsonb_build_object).stable().called_on_null().variadic(),
    pure(3274, "jsonb_build_object", &[], JSONB, jsonb_build_object).stable().called_on_null(),
    pure(3198, "json_build_array", &[ANY], JSON, json_build_array).stable().called_on_null().variadic(),
    pure(3199, "json_build_array", &[], JSON, json_build_array).stable().called_on_null(),
    pure(3271, "jsonb_build_array", &[ANY], JSONB, jsonb_build_array).stable().called_on_null().variadic(),
    pure(3272, "jsonb_build_array", &[], JSONB, jsonb_build_array).stable().called_on_null(),
    pure(3202, "json_object", &[TEXT_ARRAY], JSON, json_object),
    pure(3203, "json_object", &[TEXT_ARRAY, TEXT_ARRAY], JSON, json_object),
    pure(3263, "jsonb_object", &[TEXT_ARRAY], JSONB, jsonb_object),
    pure(3264, "jsonb_object", &[TEXT_ARRAY, TEXT_ARRAY], JSONB, jsonb_object),
];
