//! CREATE SCHEMA.

use std::sync::Arc;

use super::context::{CLASS_SCHEMA, DdlContext};
use crate::catalog::{Catalog, Change, Object, Schema};
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::parse::{CreateSchema, OwnStatement};

pub async fn create(ctx: &DdlContext<'_>, statement: &CreateSchema) -> Result<String> {
    let tag = "CREATE SCHEMA".to_owned();
    let owner = match &statement.authorization {
        Some(role) if role.text == "current_user" || role.text == "current_role" => ctx.role,
        Some(role) if role.text == "session_user" => ctx.session_role,
        Some(role) => ctx.role_named(&role.text)?,
        None => ctx.role,
    };
    let catalog = ctx.catalog();
    let name = match &statement.name {
        Some(name) => name.text.clone(),
        None => catalog.role(owner).map(|role| role.name.clone()).unwrap_or_default(),
    };
    let owns_database = catalog
        .database_by_oid(ctx.database)
        .is_some_and(|database| catalog.is_member(ctx.role, database.owner));
    if !ctx.superuser && !owns_database {
        let database = catalog
            .database_by_oid(ctx.database)
            .map(|one| one.name.clone())
            .unwrap_or_default();
        return Err(PgError::new(
            sqlstate::INSUFFICIENT_PRIVILEGE,
            format!("permission denied for database {database}"),
        ));
    }
    check_name(&name)?;
    ctx.lock_name(CLASS_SCHEMA, Oid::INVALID, &name).await?;
    if ctx.catalog().find_schema(&name).is_some() {
        let message = format!("schema \"{name}\" already exists");
        if statement.if_not_exists {
            ctx.skip(sqlstate::DUPLICATE_SCHEMA, format!("{message}, skipping"));
            return Ok(tag);
        }
        return Err(PgError::new(sqlstate::DUPLICATE_SCHEMA, message));
    }
    let schema = Schema {
        oid: ctx.new_oid(),
        name,
        owner,
    };
    let oid = schema.oid;
    ctx.change(Change::Put(Object::Schema(Arc::new(schema))))?;
    elements(ctx, oid, &statement.elements).await?;
    Ok(tag)
}

/// The statements inside CREATE SCHEMA: unqualified names mean the new schema first.
async fn elements(ctx: &DdlContext<'_>, schema: Oid, elements: &[OwnStatement]) -> Result<()> {
    let path = |catalog: &Catalog| {
        let mut path = ctx.path(catalog);
        path.schemas.insert(path.implicit, schema);
        path.creation = Some(schema);
        path
    };
    let inner = DdlContext {
        search_path: &path,
        temp_schema: ctx.temp_schema.clone(),
        settings: Arc::clone(&ctx.settings),
        names: Arc::clone(&ctx.names),
        host: Arc::clone(&ctx.host),
        cancel: Arc::clone(&ctx.cancel),
        ..*ctx
    };
    for element in elements {
        // Boxed: it is this module's own entry.
        Box::pin(super::run(&inner, element)).await?;
    }
    Ok(())
}

/// 42939 for names that are PostgreSQL's own.
pub fn check_name(name: &str) -> Result<()> {
    if name.starts_with("pg_") {
        return Err(
            PgError::new(sqlstate::RESERVED_NAME, format!("unacceptable schema name \"{name}\""))
                .detail("The prefix \"pg_\" is reserved for system schemas."),
        );
    }
    Ok(())
}
