//! Changing `jsonb`: `||`, `-`, `#-`, `jsonb_set`, `jsonb_insert`.

use std::sync::Arc;

use smol_str::SmolStr;

use super::arguments::{array, boolean, int4, invalid, text};
use super::{Builtin, CallContext, pure};
use crate::error::{PgError, Result, sqlstate};
use crate::types::json::Json;
use crate::types::oid::{BOOL, INT4, JSONB, TEXT, TEXT_ARRAY};
use crate::types::{Array, Value};

fn tree(value: &Value) -> Result<Arc<Json>> {
    match value {
        Value::Jsonb(tree) => Ok(Arc::clone(tree)),
        other => Err(PgError::internal(format!("not a jsonb: {other:?}"))),
    }
}

fn jsonb(tree: Json) -> Result<Value> {
    Ok(Value::Jsonb(Arc::new(tree)))
}

fn into_items(tree: Json) -> Vec<Json> {
    match tree {
        Json::Array(items) => items,
        other => vec![other],
    }
}

fn jsonb_concat(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let a = Arc::unwrap_or_clone(tree(&args[0])?);
    let b = Arc::unwrap_or_clone(tree(&args[1])?);
    jsonb(match (a, b) {
        (Json::Object(mut pairs), Json::Object(more)) => {
            pairs.extend(more);
            Json::object(pairs)
        }
        (a, b) => {
            let mut items = into_items(a);
            items.extend(into_items(b));
            Json::Array(items)
        }
    })
}

fn without_keys(tree: &Json, keys: &[&str]) -> Result<Value> {
    let gone = |key: &str| keys.contains(&key);
    match tree {
        Json::Object(pairs) => jsonb(Json::Object(pairs.iter().filter(|(key, _)| !gone(key)).cloned().collect())),
        Json::Array(items) => jsonb(Json::Array(
            items
                .iter()
                .filter(|item| !matches!(item, Json::String(text) if gone(text)))
                .cloned()
                .collect(),
        )),
        _ => Err(invalid("cannot delete from scalar")),
    }
}

fn jsonb_delete(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    without_keys(&*tree(&args[0])?, &[text(&args[1])?])
}

fn jsonb_delete_array(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let keys: Vec<&str> = array(&args[1])?.values.iter().filter_map(|key| text(key).ok()).collect();
    without_keys(&*tree(&args[0])?, &keys)
}

fn jsonb_delete_idx(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    match &*tree(&args[0])? {
        Json::Object(_) => Err(invalid("cannot delete from object using integer index")),
        Json::Array(items) => {
            let at = i64::from(int4(&args[1])?);
            let at = if at < 0 { at + items.len() as i64 } else { at };
            let mut items = items.clone();
            if let Ok(at) = usize::try_from(at)
                && at < items.len()
            {
                items.remove(at);
            }
            jsonb(Json::Array(items))
        }
        _ => Err(invalid("cannot delete from scalar")),
    }
}

/// What happens at the end of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Delete,
    Replace,
    /// Replace, or add where nothing is.
    Create,
    InsertBefore,
    InsertAfter,
}

impl Change {
    fn adds(self) -> bool {
        matches!(self, Change::Create | Change::InsertBefore | Change::InsertAfter)
    }

    fn inserts(self) -> bool {
        matches!(self, Change::InsertBefore | Change::InsertAfter)
    }
}

struct PathChange<'a> {
    path: &'a [Value],
    change: Change,
    new: Option<&'a Json>,
}

impl PathChange<'_> {
    fn step(&self, level: usize) -> Result<&str> {
        match &self.path[level] {
            Value::Null => Err(PgError::new(
                sqlstate::NULL_VALUE_NOT_ALLOWED,
                format!("path element at position {} is null", level + 1),
            )),
            step => text(step),
        }
    }

    fn is_last(&self, level: usize) -> bool {
        level + 1 == self.path.len()
    }

    fn apply(&self, tree: &mut Json, level: usize) -> Result<()> {
        match tree {
            Json::Object(pairs) => self.in_object(pairs, level),
            Json::Array(items) => self.in_array(items, level),
            _ => Ok(()),
        }
    }

    fn in_object(&self, pairs: &mut Vec<(SmolStr, Json)>, level: usize) -> Result<()> {
        let key = self.step(level)?;
        let place = pairs.binary_search_by(|(name, _)| crate::types::json::compare_keys(name, key));
        match place {
            Ok(at) if !self.is_last(level) => self.apply(&mut pairs[at].1, level + 1),
            Ok(_) if self.change.inserts() => {
                Err(invalid("cannot replace existing key").hint("Try using the function jsonb_set to replace key value."))
            }
            Ok(at) => {
                match self.new {
                    Some(new) => pairs[at].1 = new.clone(),
                    None => drop(pairs.remove(at)),
                }
                Ok(())
            }
            Err(at) => {
                if let Some(new) = self.new
                    && self.is_last(level)
                    && self.change.adds()
                {
                    pairs.insert(at, (SmolStr::from(key), new.clone()));
                }
                Ok(())
            }
        }
    }

    fn in_array(&self, items: &mut Vec<Json>, level: usize) -> Result<()> {
        let step = self.step(level)?;
        let wanted: i32 = step.trim_start().parse().map_err(|_| {
            PgError::new(
                sqlstate::INVALID_TEXT_REPRESENTATION,
                format!("path element at position {} is not an integer: \"{step}\"", level + 1),
            )
        })?;
        let len = items.len() as i64;
        let wanted = i64::from(wanted);
        let at = if wanted < 0 { wanted + len } else { wanted.min(len) };
        let last = self.is_last(level);
        if let Some(new) = self.new
            && last
            && self.change.adds()
            && (at < 0 || at >= len)
        {
            let place = if at < 0 { 0 } else { items.len() };
            items.insert(place, new.clone());
            return Ok(());
        }
        let Some(at) = usize::try_from(at).ok().filter(|at| *at < items.len()) else {
            return Ok(());
        };
        if !last {
            return self.apply(&mut items[at], level + 1);
        }
        match (self.change, self.new) {
            (Change::Delete, _) | (_, None) => drop(items.remove(at)),
            (Change::Replace | Change::Create, Some(new)) => items[at] = new.clone(),
            (Change::InsertBefore, Some(new)) => items.insert(at, new.clone()),
            (Change::InsertAfter, Some(new)) => items.insert(at + 1, new.clone()),
        }
        Ok(())
    }
}

fn path(value: &Value) -> Result<&Array> {
    let path = array(value)?;
    if path.dims.len() > 1 {
        return Err(PgError::new(
            sqlstate::ARRAY_SUBSCRIPT_ERROR,
            "wrong number of array subscripts",
        ));
    }
    Ok(path)
}

fn change(target: &Value, at: &Value, new: Option<&Value>, change: Change) -> Result<Value> {
    let path = path(at)?;
    let mut whole = Arc::unwrap_or_clone(tree(target)?);
    if whole.is_scalar() {
        return Err(invalid(if change == Change::Delete {
            "cannot delete path in scalar"
        } else {
            "cannot set path in scalar"
        }));
    }
    if path.values.is_empty() {
        return Ok(target.clone());
    }
    let new = new.map(tree).transpose()?;
    PathChange {
        path: &path.values,
        change,
        new: new.as_deref(),
    }
    .apply(&mut whole, 0)?;
    jsonb(whole)
}

fn jsonb_delete_path(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    change(&args[0], &args[1], None, Change::Delete)
}

fn set(target: &Value, path: &Value, new: &Value, create: bool) -> Result<Value> {
    let kind = if create { Change::Create } else { Change::Replace };
    change(target, path, Some(new), kind)
}

fn jsonb_set(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    set(&args[0], &args[1], &args[2], boolean(&args[3])?)
}

fn jsonb_set_lax(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    if args[0].is_null() || args[1].is_null() || args[3].is_null() {
        return Ok(Value::Null);
    }
    if args[4].is_null() {
        return Err(invalid(
            "null_value_treatment must be \"delete_key\", \"return_target\", \"use_json_null\", or \"raise_exception\"",
        ));
    }
    let create = boolean(&args[3])?;
    if !args[2].is_null() {
        return set(&args[0], &args[1], &args[2], create);
    }
    match text(&args[4])? {
        "raise_exception" => Err(PgError::new(sqlstate::NULL_VALUE_NOT_ALLOWED, "JSON value must not be null")
            .detail("Exception was raised because null_value_treatment is \"raise_exception\".")
            .hint("To avoid, either change the null_value_treatment argument or ensure that an SQL NULL is not passed.")),
        "use_json_null" => set(&args[0], &args[1], &Value::Jsonb(Arc::new(Json::Null)), create),
        "delete_key" => change(&args[0], &args[1], None, Change::Delete),
        "return_target" => Ok(args[0].clone()),
        _ => Err(invalid(
            "null_value_treatment must be \"delete_key\", \"return_target\", \"use_json_null\", or \"raise_exception\"",
        )),
    }
}

fn jsonb_insert(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let kind = if boolean(&args[3])? {
        Change::InsertAfter
    } else {
        Change::InsertBefore
    };
    change(&args[0], &args[1], Some(&args[2]), kind)
}

#[rustfmt::skip]
pub const FUNCTIONS: &[Builtin] = &[
    pure(3301, "jsonb_concat", &[JSONB, JSONB], JSONB, jsonb_concat),
    pure(3302, "jsonb_delete", &[JSONB, TEXT], JSONB, jsonb_delete),
    pure(3303, "jsonb_delete", &[JSONB, INT4], JSONB, jsonb_delete_idx),
    pure(3343, "jsonb_delete", &[JSONB, TEXT_ARRAY], JSONB, jsonb_delete_array).variadic(),
    pure(3304, "jsonb_delete_path", &[JSONB, TEXT_ARRAY], JSONB, jsonb_delete_path),
    pure(3305, "jsonb_set", &[JSONB, TEXT_ARRAY, JSONB, BOOL], JSONB, jsonb_set).with_defaults(&["true"]),
    pure(5054, "jsonb_set_lax", &[JSONB, TEXT_ARRAY, JSONB, BOOL, TEXT], JSONB, jsonb_set_lax).called_on_null().with_defaults(&["true", "use_json_null"]),
    pure(3579, "jsonb_insert", &[JSONB, TEXT_ARRAY, JSONB, BOOL], JSONB, jsonb_insert).with_defaults(&["false"]),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::json::parse;

    fn changed(target: &str, path: &[&str], new: Option<&str>, kind: Change) -> String {
        let value = |text: &str| Value::Jsonb(Arc::new(parse(text).expect("valid")));
        let path = Array::one(TEXT, path.iter().copied().map(Value::text).collect());
        let new = new.map(value);
        let result = change(&value(target), &Value::Array(Arc::new(path)), new.as_ref(), kind);
        match result.expect("works") {
            Value::Jsonb(tree) => tree.to_string(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn paths_are_set_as_postgresql() {
        let set = |target, path: &[&str]| changed(target, path, Some("9"), Change::Create);
        assert_eq!(set(r#"{"a":1}"#, &["b"]), r#"{"a": 1, "b": 9}"#);
        assert_eq!(set("[1,2]", &["-1"]), "[1, 9]");
        assert_eq!(set("[1,2]", &["5"]), "[1, 2, 9]");
        assert_eq!(set("[1,2]", &["-5"]), "[9, 1, 2]");
        assert_eq!(set(r#"{"a":{"b":1}}"#, &["a", "c", "d"]), r#"{"a": {"b": 1}}"#);
        assert_eq!(changed("[1,2]", &["0"], Some("9"), Change::InsertBefore), "[9, 1, 2]");
        assert_eq!(changed("[1,2]", &["0"], Some("9"), Change::InsertAfter), "[1, 9, 2]");
        assert_eq!(
            changed(r#"{"a":[1,{"b":2}]}"#, &["a", "1", "b"], None, Change::Delete),
            r#"{"a": [1, {}]}"#
        );
    }
}
