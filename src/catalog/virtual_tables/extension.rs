//! What holdfast adds to PostgreSQL shows as an extension, so that `pg_dump` and tools leave schema `holdfast` alone; and the
//! rights that the system's relations have from the start (`pg_init_privs`), for the same reason.

use super::{Row, acl, ch, objects, oid, text};
use crate::catalog::base::BOOTSTRAP_SUPERUSER;
use crate::catalog::catalog::{HOLDFAST_SCHEMA, class};
use crate::catalog::directory;
use crate::catalog::names::function_name;
use crate::catalog::server_state::VirtualContext;
use crate::error::Result;
use crate::ids::Oid;
use crate::types::Value;

const EXTENSION: Oid = Oid(15050);
const PG_EXTENSION: Oid = Oid(3079);

pub(super) fn pg_extension(_context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    Ok(vec![vec![
        oid(EXTENSION),
        text("holdfast"),
        oid(BOOTSTRAP_SUPERUSER),
        oid(HOLDFAST_SCHEMA),
        Value::Bool(false),
        text(env!("CARGO_PKG_VERSION")),
        Value::Null,
        Value::Null,
    ]])
}

/// `pg_depend`: the schema, its relations and functions are the extension's.
pub(super) fn members(context: &VirtualContext<'_>) -> Vec<Row> {
    let relations = context.catalog.tables().filter(|table| table.schema == HOLDFAST_SCHEMA);
    let functions = directory::functions();
    let functions = functions
        .iter()
        .filter(|function| function_name(function).0 == HOLDFAST_SCHEMA);
    let members = std::iter::once((class::NAMESPACE, HOLDFAST_SCHEMA))
        .chain(relations.map(|table| (class::RELATION, table.oid)))
        .chain(functions.map(|function| (class::PROC, function.oid)));
    let row = |(of, member)| {
        vec![
            oid(of),
            oid(member),
            Value::Int4(0),
            oid(PG_EXTENSION),
            oid(EXTENSION),
            Value::Int4(0),
            ch('e'),
        ]
    };
    members.map(row).collect()
}

pub(super) fn pg_init_privs(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let catalog = context.catalog;
    let row = |object: Oid, of: Oid, rights: Value| vec![oid(object), oid(of), Value::Int4(0), ch('i'), rights];
    let relations = catalog
        .tables()
        .filter(|table| table.virtual_source.is_some() && table.acl.is_some())
        .map(|table| row(table.oid, class::RELATION, acl(table.acl.as_deref())));
    let schemas = catalog.schemas().filter_map(|schema| {
        let rights = objects::schema_acl(schema)?;
        Some(row(schema.oid, class::NAMESPACE, acl(Some(&rights))))
    });
    Ok(relations.chain(schemas).collect())
}
