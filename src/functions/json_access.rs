//! Reading `json` and `jsonb`: fields, elements, paths, containment, and the functions that give their parts as rows.

use std::sync::Arc;

use super::arguments::{array, count, int4, invalid, listed, text};
use super::json_text::{self, Kind};
use super::{Body, Builtin, CallContext, SetRows, pure, unused};
use crate::error::{PgError, Result};
use crate::ids::Oid;
use crate::types::Value;
use crate::types::json::Json;
use crate::types::oid::{BOOL, INT4, JSON, JSONB, RECORD, TEXT, TEXT_ARRAY};

/// A JSON value of either type.
#[derive(Clone, Copy)]
pub(super) enum Doc<'a> {
    Text(&'a str),
    Tree(&'a Json),
}

impl<'a> Doc<'a> {
    pub(super) fn of(value: &'a Value) -> Result<Doc<'a>> {
        match value {
            Value::Jsonb(tree) => Ok(Doc::Tree(tree)),
            Value::Text(text) => Ok(Doc::Text(text)),
            other => Err(PgError::internal(format!("not a JSON value: {other:?}"))),
        }
    }

    pub(super) fn kind(self) -> Kind {
        match self {
            Doc::Text(text) => json_text::kind(text),
            Doc::Tree(Json::Null) => Kind::Null,
            Doc::Tree(Json::Bool(_)) => Kind::Bool,
            Doc::Tree(Json::Number(_)) => Kind::Number,
            Doc::Tree(Json::String(_)) => Kind::String,
            Doc::Tree(Json::Array(_)) => Kind::Array,
            Doc::Tree(Json::Object(_)) => Kind::Object,
        }
    }

    fn field(self, key: &str) -> Result<Option<Doc<'a>>> {
        if self.kind() != Kind::Object {
            return Ok(None);
        }
        Ok(match self {
            Doc::Tree(tree) => tree.get(key).map(Doc::Tree),
            // Of equal keys the last counts.
            Doc::Text(text) => json_text::members(text)?
                .into_iter()
                .rev()
                .find(|(name, _)| name == key)
                .map(|(_, value)| Doc::Text(value)),
        })
    }

    fn element(self, at: i64) -> Option<Doc<'a>> {
        if self.kind() != Kind::Array {
            return None;
        }
        match self {
            Doc::Tree(tree) => tree.index(at).map(Doc::Tree),
            Doc::Text(text) => {
                let elements = json_text::elements(text);
                let at = if at < 0 {
                    at + i64::try_from(elements.len()).ok()?
                } else {
                    at
                };
                elements.get(usize::try_from(at).ok()?).map(|text| Doc::Text(text))
            }
        }
    }

    pub(super) fn elements(self) -> Vec<Doc<'a>> {
        match self {
            Doc::Tree(Json::Array(items)) => items.iter().map(Doc::Tree).collect(),
            Doc::Text(text) => json_text::elements(text).into_iter().map(Doc::Text).collect(),
            Doc::Tree(_) => Vec::new(),
        }
    }

    pub(super) fn members(self) -> Result<Vec<(String, Doc<'a>)>> {
        Ok(match self {
            Doc::Tree(Json::Object(pairs)) => pairs.iter().map(|(key, value)| (key.to_string(), Doc::Tree(value))).collect(),
            Doc::Text(text) => json_text::members(text)?
                .into_iter()
                .map(|(key, value)| (key, Doc::Text(value)))
                .collect(),
            Doc::Tree(_) => Vec::new(),
        })
    }

    pub(super) fn value(self) -> Value {
        match self {
            Doc::Text(text) => Value::text(text),
            Doc::Tree(tree) => Value::Jsonb(Arc::new(tree.clone())),
        }
    }

    /// What `->>` gives: a string's content, nothing for null.
    pub(super) fn text(self) -> Result<Option<String>> {
        match self {
            Doc::Text(text) => json_text::as_text(text),
            Doc::Tree(Json::Null) => Ok(None),
            Doc::Tree(Json::String(text)) => Ok(Some(text.to_string())),
            Doc::Tree(tree) => Ok(Some(tree.to_string())),
        }
    }

    fn text_value(self) -> Result<Value> {
        Ok(self.text()?.map_or(Value::Null, Value::text))
    }

    fn follow(self, path: &[Value]) -> Result<Option<Doc<'a>>> {
        let mut at = self;
        for step in path {
            let Value::Text(step) = step else { return Ok(None) };
            let next = match at.kind() {
                Kind::Object => at.field(step)?,
                Kind::Array => step.trim_start().parse().ok().and_then(|place: i64| at.element(place)),
                _ => None,
            };
            match next {
                Some(next) => at = next,
                None => return Ok(None),
            }
        }
        Ok(Some(at))
    }
}

fn found(doc: Option<Doc<'_>>) -> Value {
    doc.map_or(Value::Null, Doc::value)
}

fn found_text(doc: Option<Doc<'_>>) -> Result<Value> {
    doc.map_or(Ok(Value::Null), Doc::text_value)
}

fn object_field(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(found(Doc::of(&args[0])?.field(text(&args[1])?)?))
}

fn object_field_text(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    found_text(Doc::of(&args[0])?.field(text(&args[1])?)?)
}

fn array_element(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(found(Doc::of(&args[0])?.element(i64::from(int4(&args[1])?))))
}

fn array_element_text(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    found_text(Doc::of(&args[0])?.element(i64::from(int4(&args[1])?)))
}

fn extract_path(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(found(Doc::of(&args[0])?.follow(&array(&args[1])?.values)?))
}

fn extract_path_text(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    found_text(Doc::of(&args[0])?.follow(&array(&args[1])?.values)?)
}

fn type_of(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::text(match Doc::of(&args[0])?.kind() {
        Kind::Object => "object",
        Kind::Array => "array",
        Kind::String => "string",
        Kind::Number => "number",
        Kind::Bool => "boolean",
        Kind::Null => "null",
    }))
}

fn array_length(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let doc = Doc::of(&args[0])?;
    match doc.kind() {
        Kind::Array => count(doc.elements().len()),
        Kind::Object => Err(invalid("cannot get array length of a non-array")),
        _ => Err(invalid("cannot get array length of a scalar")),
    }
}

fn tree(value: &Value) -> Result<&Json> {
    match value {
        Value::Jsonb(tree) => Ok(tree),
        other => Err(PgError::internal(format!("not a jsonb: {other:?}"))),
    }
}

fn same(a: &Json, b: &Json) -> bool {
    a.compare(b).is_eq()
}

fn contains_inside(whole: &Json, part: &Json) -> bool {
    match (whole, part) {
        (Json::Object(_), Json::Object(pairs)) => pairs
            .iter()
            .all(|(key, value)| whole.get(key).is_some_and(|own| contains_inside(own, value))),
        (Json::Array(own), Json::Array(items)) => items.iter().all(|item| own.iter().any(|one| contains_inside(one, item))),
        (Json::Array(_) | Json::Object(_), _) | (_, Json::Array(_) | Json::Object(_)) => false,
        (a, b) => same(a, b),
    }
}

/// `@>`: at the top an array also contains a scalar that is one of its elements.
fn contains(whole: &Json, part: &Json) -> bool {
    match whole {
        Json::Array(items) if part.is_scalar() => items.iter().any(|item| item.is_scalar() && same(item, part)),
        _ => contains_inside(whole, part),
    }
}

fn jsonb_contains(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::Bool(contains(tree(&args[0])?, tree(&args[1])?)))
}

fn jsonb_contained(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::Bool(contains(tree(&args[1])?, tree(&args[0])?)))
}

fn has_key(tree: &Json, key: &str) -> bool {
    let is_key = |item: &Json| matches!(item, Json::String(text) if text == key);
    match tree {
        Json::Object(_) => tree.get(key).is_some(),
        Json::Array(items) => items.iter().any(is_key),
        scalar => is_key(scalar),
    }
}

fn jsonb_exists(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::Bool(has_key(tree(&args[0])?, text(&args[1])?)))
}

fn keys(value: &Value) -> Result<impl Iterator<Item = &str>> {
    Ok(array(value)?.values.iter().filter_map(|key| text(key).ok()))
}

fn jsonb_exists_any(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let tree = tree(&args[0])?;
    Ok(Value::Bool(keys(&args[1])?.any(|key| has_key(tree, key))))
}

fn jsonb_exists_all(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let tree = tree(&args[0])?;
    Ok(Value::Bool(keys(&args[1])?.all(|key| has_key(tree, key))))
}

fn expect_array(doc: Doc<'_>, name: &str) -> Result<()> {
    Err(invalid(match (doc, doc.kind()) {
        (_, Kind::Array) => return Ok(()),
        (Doc::Tree(_), Kind::Object) => "cannot extract elements from an object".to_owned(),
        (Doc::Tree(_), _) => "cannot extract elements from a scalar".to_owned(),
        (Doc::Text(_), Kind::Object) => format!("cannot call {name} on a non-array"),
        (Doc::Text(_), _) => format!("cannot call {name} on a scalar"),
    }))
}

fn elements_of(args: &[Value], name: &str, as_text: bool) -> Result<Box<dyn SetRows>> {
    let doc = Doc::of(&args[0])?;
    expect_array(doc, name)?;
    let value = |item: Doc<'_>| if as_text { item.text_value() } else { Ok(item.value()) };
    listed(
        doc.elements()
            .into_iter()
            .map(|item| Ok(vec![value(item)?]))
            .collect::<Result<_>>()?,
    )
}

fn array_elements(_: &CallContext<'_>, args: &[Value]) -> Result<Box<dyn SetRows>> {
    elements_of(args, "json_array_elements", false)
}

fn array_elements_text(_: &CallContext<'_>, args: &[Value]) -> Result<Box<dyn SetRows>> {
    elements_of(args, "json_array_elements_text", true)
}

fn pairs_of(args: &[Value], name: &str, as_text: bool) -> Result<Box<dyn SetRows>> {
    let doc = Doc::of(&args[0])?;
    if doc.kind() != Kind::Object {
        return Err(invalid(match (doc, doc.kind()) {
            (Doc::Tree(_), _) => format!("cannot call {name} on a non-object"),
            (Doc::Text(_), Kind::Array) => "cannot deconstruct an array as an object".to_owned(),
            (Doc::Text(_), _) => "cannot deconstruct a scalar".to_owned(),
        }));
    }
    let mut rows = Vec::new();
    for (key, value) in doc.members()? {
        let value = if as_text { value.text_value()? } else { value.value() };
        rows.push(vec![Value::text(key), value]);
    }
    listed(rows)
}

fn each(_: &CallContext<'_>, args: &[Value]) -> Result<Box<dyn SetRows>> {
    pairs_of(args, "jsonb_each", false)
}

fn each_text(_: &CallContext<'_>, args: &[Value]) -> Result<Box<dyn SetRows>> {
    pairs_of(args, "jsonb_each_text", true)
}

fn object_keys(_: &CallContext<'_>, args: &[Value]) -> Result<Box<dyn SetRows>> {
    let doc = Doc::of(&args[0])?;
    let name = if matches!(doc, Doc::Tree(_)) {
        "jsonb_object_keys"
    } else {
        "json_object_keys"
    };
    match doc.kind() {
        Kind::Object => {}
        Kind::Array => return Err(invalid(format!("cannot call {name} on an array"))),
        _ => return Err(invalid(format!("cannot call {name} on a scalar"))),
    }
    listed(doc.members()?.into_iter().map(|(key, _)| vec![Value::text(key)]).collect())
}

fn jsonb_pretty(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let mut out = String::new();
    tree(&args[0])?.write_pretty(0, &mut out);
    Ok(Value::text(out))
}

fn without_nulls(tree: &Json) -> Json {
    match tree {
        Json::Array(items) => Json::Array(items.iter().map(without_nulls).collect()),
        Json::Object(pairs) => Json::Object(
            pairs
                .iter()
                .filter(|(_, value)| !matches!(value, Json::Null))
                .map(|(key, value)| (key.clone(), without_nulls(value)))
                .collect(),
        ),
        scalar => scalar.clone(),
    }
}

fn jsonb_strip_nulls(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::Jsonb(Arc::new(without_nulls(tree(&args[0])?))))
}

fn write_without_nulls(doc: Doc<'_>, out: &mut String) -> Result<()> {
    let mut first = true;
    let mut comma = |out: &mut String| {
        if !std::mem::take(&mut first) {
            out.push(',');
        }
    };
    match (doc.kind(), doc) {
        (Kind::Array, _) => {
            out.push('[');
            for item in doc.elements() {
                comma(out);
                write_without_nulls(item, out)?;
            }
            out.push(']');
        }
        (Kind::Object, _) => {
            out.push('{');
            for (key, value) in doc.members()? {
                if value.kind() != Kind::Null {
                    comma(out);
                    crate::types::json::write_string(&key, out);
                    out.push(':');
                    write_without_nulls(value, out)?;
                }
            }
            out.push('}');
        }
        (_, Doc::Text(text)) => out.push_str(text.trim()),
        (_, Doc::Tree(tree)) => tree.write(out),
    }
    Ok(())
}

fn json_strip_nulls(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let mut out = String::new();
    write_without_nulls(Doc::of(&args[0])?, &mut out)?;
    Ok(Value::text(out))
}

const fn columns(mut function: Builtin, columns: &'static [(&'static str, Oid)]) -> Builtin {
    function.columns = columns;
    function
}

const KEY_JSON: &[(&str, Oid)] = &[("key", TEXT), ("value", JSON)];
const KEY_JSONB: &[(&str, Oid)] = &[("key", TEXT), ("value", JSONB)];
const KEY_TEXT: &[(&str, Oid)] = &[("key", TEXT), ("value", TEXT)];
const VALUE_JSON: &[(&str, Oid)] = &[("value", JSON)];
const VALUE_JSONB: &[(&str, Oid)] = &[("value", JSONB)];
const VALUE_TEXT: &[(&str, Oid)] = &[("value", TEXT)];

#[rustfmt::skip]
pub const FUNCTIONS: &[Builtin] = &[
    pure(3947, "json_object_field", &[JSON, TEXT], JSON, object_field),
    pure(3478, "jsonb_object_field", &[JSONB, TEXT], JSONB, object_field),
    pure(3948, "json_object_field_text", &[JSON, TEXT], TEXT, object_field_text),
    pure(3214, "jsonb_object_field_text", &[JSONB, TEXT], TEXT, object_field_text),
    pure(3949, "json_array_element", &[JSON, INT4], JSON, array_element),
    pure(3215, "jsonb_array_element", &[JSONB, INT4], JSONB, array_element),
    pure(3950, "json_array_element_text", &[JSON, INT4], TEXT, array_element_text),
    pure(3216, "jsonb_array_element_text", &[JSONB, INT4], TEXT, array_element_text),
    pure(3951, "json_extract_path", &[JSON, TEXT_ARRAY], JSON, extract_path).variadic(),
    pure(3217, "jsonb_extract_path", &[JSONB, TEXT_ARRAY], JSONB, extract_path).variadic(),
    pure(3953, "json_extract_path_text", &[JSON, TEXT_ARRAY], TEXT, extract_path_text).variadic(),
    pure(3940, "jsonb_extract_path_text", &[JSONB, TEXT_ARRAY], TEXT, extract_path_text).variadic(),
    pure(3968, "json_typeof", &[JSON], TEXT, type_of),
    pure(3210, "jsonb_typeof", &[JSONB], TEXT, type_of),
    pure(3956, "json_array_length", &[JSON], INT4, array_length),
    pure(3207, "jsonb_array_length", &[JSONB], INT4, array_length),
    pure(4046, "jsonb_contains", &[JSONB, JSONB], BOOL, jsonb_contains),
    pure(4050, "jsonb_contained", &[JSONB, JSONB], BOOL, jsonb_contained),
    pure(4047, "jsonb_exists", &[JSONB, TEXT], BOOL, jsonb_exists),
    pure(4048, "jsonb_exists_any", &[JSONB, TEXT_ARRAY], BOOL, jsonb_exists_any),
    pure(4049, "jsonb_exists_all", &[JSONB, TEXT_ARRAY], BOOL, jsonb_exists_all),
    columns(Builtin { body: Body::Set(array_elements), ..pure(3955, "json_array_elements", &[JSON], JSON, unused) }, VALUE_JSON),
    columns(Builtin { body: Body::Set(array_elements), ..pure(3219, "jsonb_array_elements", &[JSONB], JSONB, unused) }, VALUE_JSONB),
    columns(Builtin { body: Body::Set(array_elements_text), ..pure(3969, "json_array_elements_text", &[JSON], TEXT, unused) }, VALUE_TEXT),
    columns(Builtin { body: Body::Set(array_elements_text), ..pure(3465, "jsonb_array_elements_text", &[JSONB], TEXT, unused) }, VALUE_TEXT),
    columns(Builtin { body: Body::Set(each), ..pure(3958, "json_each", &[JSON], RECORD, unused) }, KEY_JSON),
    columns(Builtin { body: Body::Set(each), ..pure(3208, "jsonb_each", &[JSONB], RECORD, unused) }, KEY_JSONB),
    columns(Builtin { body: Body::Set(each_text), ..pure(3959, "json_each_text", &[JSON], RECORD, unused) }, KEY_TEXT),
    columns(Builtin { body: Body::Set(each_text), ..pure(3932, "jsonb_each_text", &[JSONB], RECORD, unused) }, KEY_TEXT),
    Builtin { body: Body::Set(object_keys), ..pure(3957, "json_object_keys", &[JSON], TEXT, unused) },
    Builtin { body: Body::Set(object_keys), ..pure(3931, "jsonb_object_keys", &[JSONB], TEXT, unused) },
    pure(3306, "jsonb_pretty", &[JSONB], TEXT, jsonb_pretty),
    pure(3262, "jsonb_strip_nulls", &[JSONB], JSONB, jsonb_strip_nulls),
    pure(3261, "json_strip_nulls", &[JSON], JSON, json_strip_nulls),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::json::parse;

    #[test]
    fn contains_as_postgresql() {
        for (whole, part, expected) in [
            ("[1,2,[1,3]]", "[[1]]", true),
            ("[1]", "1", true),
            ("1", "[1]", false),
            (r#"{"a":{"b":1,"c":2}}"#, r#"{"a":{"b":1}}"#, true),
            (r#"{"a":[1]}"#, r#"{"a":1}"#, false),
            ("[1,2]", "[2,2,1]", true),
        ] {
            let (whole_tree, part_tree) = (parse(whole).expect("valid"), parse(part).expect("valid"));
            assert_eq!(contains(&whole_tree, &part_tree), expected, "{whole} @> {part}");
        }
    }
}
