//! Schemas, databases, roles and comments: `pg_namespace`, `pg_database`, `pg_authid`, `pg_description`, ...

use super::{Row, acl, array, ch, oid, opt_text, opt_time, text};
use crate::catalog::base::BOOTSTRAP_SUPERUSER;
use crate::catalog::catalog::{Catalog, PG_TOAST, PUBLIC, class};
use crate::catalog::objects::{Comment, Database, Role, Schema};
use crate::catalog::server_state::VirtualContext;
use crate::error::Result;
use crate::ids::Oid;
use crate::types::{Value, oid as types};

const UTF8: i32 = 6;
const PG_DEFAULT: Oid = Oid(1663);
/// Comments on what the system made: class, object, text.
const SYSTEM_COMMENTS: &[(Oid, Oid, &str)] = &[
    (class::AM, Oid(2), "heap table access method"),
    (class::AM, Oid(403), "b-tree index access method"),
    (class::AM, Oid(405), "hash index access method"),
    (class::NAMESPACE, Oid(11), "system catalog schema"),
    (class::NAMESPACE, Oid(99), "reserved schema for TOAST tables"),
    (class::NAMESPACE, Oid(15000), "ownership of records by nodes"),
    (Oid(3079), Oid(15050), "record locks over a cluster"),
];

pub(in crate::catalog) fn system_comments() -> impl Iterator<Item = (Oid, Oid, i32, &'static str)> {
    SYSTEM_COMMENTS.iter().map(|(of, object, text)| (*of, *object, 0, *text))
}

pub(super) fn pg_namespace(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let row = |schema: &Schema| {
        vec![
            oid(schema.oid),
            text(&schema.name),
            oid(schema.owner),
            acl(schema_acl(schema).as_deref()),
        ]
    };
    Ok(context.catalog.schemas().map(|schema| row(schema)).collect())
}

/// Rights on schemas are the defaults: everybody uses the system's, and sees `public`.
pub(super) fn schema_acl(schema: &Schema) -> Option<Vec<String>> {
    if schema.oid == PUBLIC {
        return Some(vec![
            "pg_database_owner=UC/pg_database_owner".to_owned(),
            "=U/pg_database_owner".to_owned(),
        ]);
    }
    let open = schema.oid.0 < Oid::FIRST_USER.0 && schema.oid != PG_TOAST && schema.owner == BOOTSTRAP_SUPERUSER;
    open.then(|| vec!["postgres=UC/postgres".to_owned(), "=U/postgres".to_owned()])
}

pub(super) fn pg_database(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let catalog = context.catalog;
    let row = |database: &Database| {
        let owner = catalog.role(database.owner).map_or("postgres", |role| role.name.as_str());
        let rights = database
            .is_template
            .then(|| vec![format!("=c/{owner}"), format!("{owner}=CTc/{owner}")]);
        vec![
            oid(database.oid),
            text(&database.name),
            oid(database.owner),
            Value::Int4(UTF8),
            ch('c'),
            Value::Bool(database.is_template),
            Value::Bool(database.allow_connections),
            Value::Int4(database.connection_limit),
            Value::Oid(716),
            Value::Oid(1),
            oid(PG_DEFAULT),
            text("C"),
            text("C"),
            Value::Null,
            Value::Null,
            acl(rights.as_deref()),
        ]
    };
    Ok(catalog.databases().map(|database| row(database)).collect())
}

pub(super) fn pg_authid(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let row = |role: &Role| {
        vec![
            oid(role.oid),
            text(&role.name),
            Value::Bool(role.superuser),
            Value::Bool(role.inherit),
            Value::Bool(role.create_role),
            Value::Bool(role.create_db),
            Value::Bool(role.login),
            Value::Bool(role.replication),
            Value::Bool(role.bypass_rls),
            Value::Int4(role.connection_limit),
            opt_text(role.password.as_deref()),
            opt_time(role.valid_until),
        ]
    };
    Ok(context.catalog.roles().map(|role| row(role)).collect())
}

pub(super) fn pg_auth_members(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for role in context.catalog.roles() {
        for group in &role.member_of {
            rows.push(vec![oid(*group), oid(role.oid), oid(BOOTSTRAP_SUPERUSER), Value::Bool(false)]);
        }
    }
    Ok(rows)
}

pub(super) fn pg_db_role_setting(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let catalog = context.catalog;
    let list = |settings: &[(smol_str::SmolStr, String)]| {
        let values = settings
            .iter()
            .map(|(name, value)| Value::text(format!("{name}={value}")))
            .collect();
        array(types::TEXT, values)
    };
    let databases = catalog
        .databases()
        .filter(|one| !one.settings.is_empty())
        .map(|one| vec![oid(one.oid), Value::Oid(0), list(&one.settings)]);
    let roles = catalog
        .roles()
        .filter(|one| !one.settings.is_empty())
        .map(|one| vec![Value::Oid(0), oid(one.oid), list(&one.settings)]);
    Ok(databases.chain(roles).collect())
}

fn is_shared(comment: &Comment) -> bool {
    comment.class == class::DATABASE || comment.class == class::AUTHID
}

pub(super) fn pg_description(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let catalog: &Catalog = context.catalog;
    let system = system_comments().map(|(of, object, sub, comment)| vec![oid(object), oid(of), Value::Int4(sub), text(comment)]);
    let own = catalog.all_comments().filter(|comment| !is_shared(comment)).map(|comment| {
        vec![
            oid(comment.object),
            oid(comment.class),
            Value::Int4(comment.sub),
            text(&comment.text),
        ]
    });
    Ok(system.chain(own).collect())
}

pub(super) fn pg_shdescription(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let rows = context
        .catalog
        .all_comments()
        .filter(|comment| is_shared(comment))
        .map(|comment| vec![oid(comment.object), oid(comment.class), text(&comment.text)]);
    Ok(rows.collect())
}
