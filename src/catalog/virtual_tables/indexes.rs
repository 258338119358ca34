//! `pg_index`.

use super::{Row, attnum, data, int2, oid, text, vector};
use crate::catalog::catalog::Catalog;
use crate::catalog::objects::{Index, IndexExpr, IndexKey};
use crate::catalog::server_state::VirtualContext;
use crate::error::Result;
use crate::types::{Value, oid as types};

const DESCENDING: i16 = 1;
const NULLS_FIRST: i16 = 2;

pub(super) fn pg_index(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    Ok(context.catalog.indexes().map(|index| row(context.catalog, index)).collect())
}

fn option(key: &IndexKey) -> Value {
    let descending = if key.descending { DESCENDING } else { 0 };
    let nulls = if key.nulls_first { NULLS_FIRST } else { 0 };
    Value::Int2(descending | nulls)
}

fn row(catalog: &Catalog, index: &Index) -> Row {
    let key_columns = index.keys.iter().map(|key| match key.expr {
        IndexExpr::Column(place) => Value::Int2(attnum(place)),
        IndexExpr::Expression(_) => Value::Int2(0),
    });
    let include = index.include.iter().map(|place| Value::Int2(attnum(*place)));
    let expressions: Vec<&str> = index
        .keys
        .iter()
        .filter_map(|key| match &key.expr {
            IndexExpr::Expression(source) => Some(source.as_str()),
            IndexExpr::Column(_) => None,
        })
        .collect();
    let expressions = if expressions.is_empty() {
        Value::Null
    } else {
        text(&expressions.join(", "))
    };
    let classes = index.keys.iter().map(|key| oid(data::key_opclass(catalog, index, key)));
    vec![
        oid(index.oid),
        oid(index.table),
        int2(index.keys.len() + index.include.len()),
        int2(index.keys.len()),
        Value::Bool(index.unique),
        Value::Bool(index.nulls_not_distinct),
        Value::Bool(index.primary),
        Value::Bool(false),
        Value::Bool(!index.deferrable),
        Value::Bool(false),
        Value::Bool(index.valid),
        Value::Bool(false),
        Value::Bool(true),
        Value::Bool(true),
        Value::Bool(false),
        vector(types::INT2, key_columns.chain(include).collect()),
        vector(types::OID, index.keys.iter().map(|key| oid(key.collation)).collect()),
        vector(types::OID, classes.collect()),
        vector(types::INT2, index.keys.iter().map(option).collect()),
        expressions,
        index.predicate.as_deref().map_or(Value::Null, text),
    ]
}
