//! CREATE, ALTER and DROP DATABASE. That they stand outside a transaction block, and that nobody is connected to what is
//! dropped, the session sees to.

use std::sync::Arc;

use super::context::{CLASS_DATABASE, DdlContext};
use super::role::{reset_setting, set_setting};
use crate::catalog::{Catalog, Change, Database, Object, ObjectKind};
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::parse::{AlterDatabase, AlterDatabaseAction, CreateDatabase, DropDatabase, OptionItem};
use crate::types::io::parse_bool;

pub async fn create(ctx: &DdlContext<'_>, statement: &CreateDatabase) -> Result<String> {
    let catalog = ctx.catalog();
    if !ctx.superuser && !catalog.role(ctx.role).is_some_and(|role| role.create_db) {
        return Err(PgError::new(
            sqlstate::INSUFFICIENT_PRIVILEGE,
            "permission denied to create database",
        ));
    }
    let name = &statement.name.text;
    let mut database = Database {
        oid: ctx.new_oid(),
        name: name.clone(),
        owner: ctx.role,
        allow_connections: true,
        is_template: false,
        connection_limit: -1,
        settings: Vec::new(),
    };
    apply(ctx, &catalog, &mut database, &statement.options)?;
    ctx.lock_name(CLASS_DATABASE, Oid::INVALID, name).await?;
    if ctx.catalog().find_database(name).is_some() {
        return Err(PgError::new(
            sqlstate::DUPLICATE_DATABASE,
            format!("database \"{name}\" already exists"),
        ));
    }
    put(ctx, database)?;
    Ok("CREATE DATABASE".to_owned())
}

fn put(ctx: &DdlContext<'_>, database: Database) -> Result<()> {
    ctx.change(Change::Put(Object::Database(Arc::new(database))))
}

fn apply(ctx: &DdlContext<'_>, catalog: &Catalog, database: &mut Database, options: &[OptionItem]) -> Result<()> {
    for option in options {
        let Some(value) = &option.value else { continue };
        let boolean = || {
            parse_bool(value)
                .ok_or_else(|| PgError::new(sqlstate::SYNTAX_ERROR, format!("{} requires a Boolean value", option.name)))
        };
        match option.name.as_str() {
            "owner" => database.owner = ctx.role_named(value)?,
            "template" => check_template(catalog, value)?,
            "encoding" => check_encoding(value, option.position)?,
            "connection_limit" => {
                database.connection_limit = value.parse().ok().filter(|limit| *limit >= -1).ok_or_else(|| {
                    PgError::new(
                        sqlstate::INVALID_PARAMETER_VALUE,
                        format!("invalid connection limit: {value}"),
                    )
                })?;
            }
            "allow_connections" => database.allow_connections = boolean()?,
            "is_template" => database.is_template = boolean()?,
            // Every database sorts text by its bytes.
            "lc_collate" | "lc_ctype" | "locale" | "icu_locale" | "locale_provider" | "collation_version" | "strategy" => {}
            "tablespace" if value == "pg_default" => {}
            "tablespace" => return Err(PgError::unsupported("TABLESPACE")),
            other => {
                return Err(
                    PgError::new(sqlstate::SYNTAX_ERROR, format!("option \"{other}\" not recognized")).at(option.position),
                );
            }
        }
    }
    Ok(())
}

/// A new database is empty: templates with objects of their own are refused rather than forgotten.
fn check_template(catalog: &Catalog, name: &str) -> Result<()> {
    let Some(oid) = catalog.find_database(name) else {
        return Err(PgError::new(
            sqlstate::UNDEFINED_DATABASE,
            format!("template database \"{name}\" does not exist"),
        ));
    };
    if matches!(name, "template0" | "template1") {
        return Ok(());
    }
    if oid == catalog.database && !catalog.has_user_objects() {
        return Ok(());
    }
    Err(PgError::unsupported("copying a template database"))
}

fn check_encoding(name: &str, position: u32) -> Result<()> {
    let plain: String = name
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect::<String>()
        .to_ascii_lowercase();
    match plain.as_str() {
        "utf8" | "unicode" | "6" => Ok(()),
        "sqlascii" | "latin1" | "iso88591" | "win1252" => Err(PgError::unsupported(format!("encoding {name}"))),
        _ => Err(PgError::new(sqlstate::UNDEFINED_OBJECT, format!("{name} is not a valid encoding name")).at(position)),
    }
}

fn require(catalog: &Catalog, name: &str) -> Result<Arc<Database>> {
    catalog
        .find_database(name)
        .and_then(|oid| catalog.database_by_oid(oid))
        .cloned()
        .ok_or_else(|| PgError::new(sqlstate::UNDEFINED_DATABASE, format!("database \"{name}\" does not exist")))
}

pub async fn alter(ctx: &DdlContext<'_>, statement: &AlterDatabase) -> Result<String> {
    let name = &statement.name.text;
    ctx.lock_name(CLASS_DATABASE, Oid::INVALID, name).await?;
    let catalog = ctx.catalog();
    let database = require(&catalog, name)?;
    ctx.must_own(database.owner, "database", name)?;
    let mut next = Database::clone(&database);
    match &statement.action {
        AlterDatabaseAction::Options(options) => {
            for option in options {
                if !matches!(
                    option.name.as_str(),
                    "connection_limit" | "allow_connections" | "is_template" | "tablespace"
                ) {
                    return Err(
                        PgError::new(sqlstate::SYNTAX_ERROR, format!("option \"{}\" not recognized", option.name))
                            .at(option.position),
                    );
                }
            }
            apply(ctx, &catalog, &mut next, options)?;
            if !next.allow_connections && next.oid == ctx.database {
                return Err(PgError::new(
                    sqlstate::INVALID_PARAMETER_VALUE,
                    "cannot disallow connections for current database",
                ));
            }
        }
        AlterDatabaseAction::Set(set) => set_setting(ctx, &mut next.settings, set)?,
        AlterDatabaseAction::Reset(reset) => reset_setting(&mut next.settings, reset),
        AlterDatabaseAction::SetTablespace(_) => return Err(PgError::unsupported("SET TABLESPACE")),
        AlterDatabaseAction::RefreshCollation => {}
    }
    put(ctx, next)?;
    Ok("ALTER DATABASE".to_owned())
}

pub async fn drop_database(ctx: &DdlContext<'_>, statement: &DropDatabase) -> Result<String> {
    let name = &statement.name.text;
    ctx.lock_name(CLASS_DATABASE, Oid::INVALID, name).await?;
    let catalog = ctx.catalog();
    let database = match require(&catalog, name) {
        Ok(database) => database,
        Err(error) if statement.if_exists => {
            ctx.skip(sqlstate::SUCCESSFUL_COMPLETION, format!("{}, skipping", error.message()));
            return Ok("DROP DATABASE".to_owned());
        }
        Err(error) => return Err(error),
    };
    ctx.must_own(database.owner, "database", name)?;
    if database.is_template {
        return Err(PgError::new(sqlstate::WRONG_OBJECT_TYPE, "cannot drop a template database"));
    }
    if database.oid == ctx.database {
        return Err(PgError::new(
            sqlstate::OBJECT_IN_USE,
            "cannot drop the currently open database",
        ));
    }
    // Its tables' rows go with it.
    if let Some(inside) = ctx.catalogs.current(database.oid) {
        inside.user_tables().for_each(|table| ctx.txn.drop_storage(table.storage));
        inside
            .indexes()
            .filter_map(|index| index.storage)
            .for_each(|storage| ctx.txn.drop_storage(storage));
        inside.sequences().for_each(|sequence| ctx.txn.drop_storage(sequence.storage));
    }
    ctx.delete(ObjectKind::Database, database.oid)?;
    Ok("DROP DATABASE".to_owned())
}
