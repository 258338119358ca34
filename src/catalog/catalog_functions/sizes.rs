//! Sizes and properties of relations.

use super::{Call, int_arg, oid_arg};
use crate::catalog::catalog::{Catalog, RelationRef};
use crate::catalog::objects::Table;
use crate::catalog::server_state::VirtualContext;
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::types::Value;

pub(super) fn find(name: &str) -> Option<Call> {
    Some(match name {
        "pg_relation_size" => |context, args| Ok(size(context, oid_arg(args, 0), &own_size)),
        "pg_table_size" => |context, args| Ok(size(context, oid_arg(args, 0), &own_size)),
        "pg_indexes_size" => |context, args| Ok(size(context, oid_arg(args, 0), &indexes_size)),
        "pg_total_relation_size" => {
            |context, args| Ok(size(context, oid_arg(args, 0), &|c, r| own_size(c, r) + indexes_size(c, r)))
        }
        "pg_database_size" => database_size,
        "pg_tablespace_size" => |context, _| Ok(Value::Int8(total(context, context.catalog))),
        "pg_relation_filenode" => {
            |context, args| Ok(stored(context.catalog, oid_arg(args, 0)).map_or(Value::Null, |oid| Value::Oid(oid.0)))
        }
        "pg_relation_filepath" => |context, args| {
            let catalog = context.catalog;
            Ok(stored(catalog, oid_arg(args, 0))
                .map_or(Value::Null, |oid| Value::text(format!("base/{}/{oid}", catalog.database))))
        },
        "pg_relation_is_publishable" => |context, args| {
            Ok(match context.catalog.relation(oid_arg(args, 0)) {
                Some(RelationRef::Table(table)) => {
                    Value::Bool(table.virtual_source.is_none() && !table.temporary && !table.unlogged)
                }
                Some(_) => Value::Bool(false),
                None => Value::Null,
            })
        },
        "pg_relation_is_updatable" => |context, args| {
            // Bits of UPDATE, INSERT and DELETE.
            const ALL: i32 = 4 | 8 | 16;
            Ok(Value::Int4(if is_base_table(context.catalog, oid_arg(args, 0)) {
                ALL
            } else {
                0
            }))
        },
        "pg_column_is_updatable" => |context, args| {
            let positive = int_arg(args, 1).is_some_and(|number| number > 0);
            Ok(Value::Bool(positive && is_base_table(context.catalog, oid_arg(args, 0))))
        },
        _ => return None,
    })
}

fn is_base_table(catalog: &Catalog, relation: Oid) -> bool {
    catalog.table(relation).is_some_and(|table| table.virtual_source.is_none())
}

/// Relations that have something stored.
fn stored(catalog: &Catalog, relation: Oid) -> Option<Oid> {
    match catalog.relation(relation)? {
        RelationRef::Table(table) if table.virtual_source.is_some() => None,
        RelationRef::View(_) => None,
        other => Some(other.oid()),
    }
}

type Measure<'a> = dyn Fn(&VirtualContext<'_>, RelationRef<'_>) -> u64 + 'a;

fn size(context: &VirtualContext<'_>, relation: Oid, measure: &Measure<'_>) -> Value {
    let Some(relation) = context.catalog.relation(relation) else {
        return Value::Null;
    };
    Value::Int8(i64::try_from(measure(context, relation)).unwrap_or(i64::MAX))
}

fn own_size(context: &VirtualContext<'_>, relation: RelationRef<'_>) -> u64 {
    match relation {
        RelationRef::Table(table) => table_size(context, table),
        RelationRef::Index(index) => match index.storage {
            Some(storage) => context.state.storage_size(storage),
            // The primary key of a table that is stored by it: the table is the index.
            None => 0,
        },
        RelationRef::Sequence(_) => 8192,
        RelationRef::View(_) => 0,
    }
}

fn table_size(context: &VirtualContext<'_>, table: &Table) -> u64 {
    if table.virtual_source.is_some() {
        0
    } else {
        context.state.storage_size(table.storage)
    }
}

fn indexes_size(context: &VirtualContext<'_>, relation: RelationRef<'_>) -> u64 {
    let RelationRef::Table(table) = relation else {
        return 0;
    };
    let storages = context.catalog.indexes_of(table).filter_map(|index| index.storage);
    storages.map(|storage| context.state.storage_size(storage)).sum()
}

fn total(context: &VirtualContext<'_>, catalog: &Catalog) -> i64 {
    let tables: u64 = catalog
        .user_tables()
        .map(|table| table_size(context, table) + indexes_size(context, RelationRef::Table(table)))
        .sum();
    i64::try_from(tables).unwrap_or(i64::MAX)
}

/// Of the session's own database; another's catalog is not at hand here, and its size is the server's to know.
fn database_size(context: &VirtualContext<'_>, args: &[Value]) -> Result<Value> {
    let catalog = context.catalog;
    let database = match args.first() {
        Some(Value::Text(name)) => catalog
            .find_database(name)
            .ok_or_else(|| PgError::new(sqlstate::UNDEFINED_DATABASE, format!("database \"{name}\" does not exist")))?,
        _ => oid_arg(args, 0),
    };
    if catalog.database_by_oid(database).is_none() {
        return Ok(Value::Null);
    }
    if database == catalog.database {
        return Ok(Value::Int8(total(context, catalog)));
    }
    Ok(Value::Int8(context.state.database_size(database)))
}
