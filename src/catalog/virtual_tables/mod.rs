//! Rows of the system's relations, computed from the catalog and the server's state at each read.
//!
//! A family a file. What a row holds and in which order is declared in `sql/`; a test compares the two.

use super::catalog::Catalog;
use super::server_state::VirtualContext;
use crate::error::{PgError, Result};
use crate::ids::Oid;
use crate::types::value::ArrayDim;
use crate::types::{Array, Value, oid as types};

mod activity;
mod columns;
mod constraints;
mod data;
mod depend;
mod extension;
mod functions;
mod holdfast;
mod indexes;
mod information;
mod information_keys;
mod objects;
mod relations;
mod sequences;
mod settings;
mod statistics;
mod type_rows;

pub(super) use super::catalog_functions::explode_acl;
pub(super) use data::{default_opclass, opclass_named};
pub(super) use objects::system_comments;

/// One row.
pub type Row = Vec<Value>;
type Source = fn(&VirtualContext<'_>) -> Result<Vec<Row>>;

/// By the name in `Table::virtual_source`.
fn source(name: &str) -> Option<Source> {
    Some(match name {
        "none" => |_| Ok(Vec::new()),
        "pg_class" => relations::pg_class,
        "pg_attribute" => columns::pg_attribute,
        "pg_attrdef" => columns::pg_attrdef,
        "pg_index" => indexes::pg_index,
        "pg_constraint" => constraints::pg_constraint,
        "pg_inherits" => |_| Ok(Vec::new()),
        "pg_rewrite" => relations::pg_rewrite,
        "pg_sequence" => sequences::pg_sequence,
        "pg_sequences" => sequences::pg_sequences,
        "pg_type" => type_rows::pg_type,
        "pg_enum" => type_rows::pg_enum,
        "pg_namespace" => objects::pg_namespace,
        "pg_database" => objects::pg_database,
        "pg_authid" => objects::pg_authid,
        "pg_auth_members" => objects::pg_auth_members,
        "pg_db_role_setting" => objects::pg_db_role_setting,
        "pg_description" => objects::pg_description,
        "pg_shdescription" => objects::pg_shdescription,
        "pg_extension" => extension::pg_extension,
        "pg_init_privs" => extension::pg_init_privs,
        "pg_depend" => depend::pg_depend,
        "pg_shdepend" => depend::pg_shdepend,
        "pg_proc" => functions::pg_proc,
        "pg_operator" => functions::pg_operator,
        "pg_aggregate" => functions::pg_aggregate,
        "pg_statistic" => |_| Ok(Vec::new()),
        "pg_stats" => statistics::pg_stats,
        "pg_stat_all_tables" | "pg_stat_xact_all_tables" => return statistics::stat_source(name),
        other => return later_source(other),
    })
}

fn later_source(name: &str) -> Option<Source> {
    Some(match name {
        "pg_settings" => settings::pg_settings,
        "pg_config" => settings::pg_config,
        "pg_timezone_names" => settings::pg_timezone_names,
        "pg_get_keywords" => |_| Ok(data::keywords()),
        "pg_timezone_abbrevs" => |_| Ok(Vec::new()),
        "pg_stat_activity" => activity::pg_stat_activity,
        "pg_locks" => activity::pg_locks,
        "pg_stat_database" => activity::pg_stat_database,
        "pg_cursors" => activity::pg_cursors,
        "pg_prepared_statements" => activity::pg_prepared_statements,
        "pg_prepared_xacts" => activity::pg_prepared_xacts,
        other => return statistics::stat_source(other).or_else(|| information::source(other)),
    })
}

/// The rows of a relation of the system by its `virtual_source`; `None` where nothing has that name.
pub fn rows(name: &str, context: &VirtualContext<'_>) -> Option<Result<Vec<Row>>> {
    if let Some(relation) = name.strip_prefix("data:") {
        return Some(data::rows(relation, context.catalog));
    }
    if let Some(relation) = name.strip_prefix("unsupported:") {
        return Some(Err(PgError::unsupported(format!("the view {relation}"))));
    }
    if let Some(rows) = holdfast::rows(name, context) {
        return Some(rows);
    }
    source(name).map(|source| source(context))
}

/// The same for sources that take arguments: `sequence` (an OID) is the one row that a sequence shows.
pub fn rows_with(name: &str, context: &VirtualContext<'_>, args: &[Value]) -> Option<Result<Vec<Row>>> {
    match (name, args) {
        ("aclexplode", [Value::Array(items)]) => Some(Ok(explode_acl(context.catalog, &items.values))),
        ("sequence", [Value::Oid(sequence)]) => Some(sequences::sequence(context, Oid(*sequence))),
        _ => rows(name, context),
    }
}

// Values by short names: rows are long.

fn oid(oid: Oid) -> Value {
    Value::Oid(oid.0)
}

fn text(text: &str) -> Value {
    Value::text(text)
}

fn ch(c: char) -> Value {
    Value::text(c.encode_utf8(&mut [0; 4]) as &str)
}

fn opt_text(value: Option<&str>) -> Value {
    value.map_or(Value::Null, text)
}

fn opt_time(micros: Option<i64>) -> Value {
    micros.map_or(Value::Null, Value::TimestampTz)
}

fn int2(value: usize) -> Value {
    Value::Int2(i16::try_from(value).unwrap_or(i16::MAX))
}

/// An attnum of a 0-based place.
fn attnum(place: u16) -> i16 {
    i16::try_from(place).map_or(i16::MAX, |place| place + 1)
}

/// `int2vector` and `oidvector`: arrays with lower bound 0.
fn vector(element: Oid, values: Vec<Value>) -> Value {
    let mut array = Array::one(element, values);
    for dim in &mut array.dims {
        *dim = ArrayDim { len: dim.len, lower: 0 };
    }
    Value::Array(std::sync::Arc::new(array))
}

fn array(element: Oid, values: Vec<Value>) -> Value {
    Value::Array(std::sync::Arc::new(Array::one(element, values)))
}

fn oids(values: impl IntoIterator<Item = Oid>) -> Value {
    array(types::OID, values.into_iter().map(oid).collect())
}

fn texts<'a>(element: Oid, values: impl IntoIterator<Item = &'a str>) -> Value {
    array(element, values.into_iter().map(text).collect())
}

/// Options as `name=value`, null where there are none.
fn options(list: &[(smol_str::SmolStr, String)]) -> Value {
    if list.is_empty() {
        return Value::Null;
    }
    let values = list
        .iter()
        .map(|(name, value)| Value::text(format!("{name}={value}")))
        .collect();
    array(types::TEXT, values)
}

fn acl(list: Option<&[String]>) -> Value {
    list.map_or(Value::Null, |list| texts(types::ACLITEM, list.iter().map(String::as_str)))
}

fn role_name(catalog: &Catalog, role: Oid) -> Value {
    match catalog.role(role) {
        Some(role) => text(&role.name),
        None => Value::text(format!("unknown (OID={role})")),
    }
}

fn schema_name(catalog: &Catalog, schema: Oid) -> &str {
    catalog.schema(schema).map_or("", |schema| schema.name.as_str())
}

/// The OID under which a column's default stands in `pg_attrdef` (place 0 to 1599), or a view's rule in `pg_rewrite`
/// (place 2047): these have no records of their own. Above what `Engine::new_oid` hands out, and stable.
fn derived_oid(relation: Oid, place: usize) -> Oid {
    let place = u32::try_from(place & 0x7ff).unwrap_or(0);
    Oid(0x8000_0000 | ((relation.0 << 11) & 0x7fff_f800) | place)
}

/// The place of a view's rule for [`derived_oid`].
const RULE: usize = 0x7ff;

#[cfg(test)]
mod tests;
