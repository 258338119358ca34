//! DROP of tables, views, indexes, sequences, schemas, types and domains.

use smol_str::SmolStr;

use super::context::DdlContext;
use super::depend::{Node, describe};
use super::remove::remove;
use crate::catalog::{Catalog, RelationRef, UserTypeKind};
use crate::error::{PgError, Result, SqlState, sqlstate};
use crate::ids::Oid;
use crate::lock::RelationMode;
use crate::parse::{Drop, ObjectKind, QName};

pub async fn drop_objects(ctx: &DdlContext<'_>, statement: &Drop) -> Result<String> {
    let mut targets = Vec::new();
    for object in &statement.objects {
        let name = &object.name;
        let found = match statement.kind {
            ObjectKind::Table | ObjectKind::View | ObjectKind::Sequence | ObjectKind::Index => {
                relation(ctx, statement.kind, name).await?
            }
            ObjectKind::Schema => schema(ctx, name).await?,
            ObjectKind::Type | ObjectKind::Domain => user_type(ctx, statement.kind, name).await?,
            other => return missing_kind(ctx, statement, other),
        };
        match found {
            Ok(node) if targets.contains(&node) => {}
            Ok(node) => targets.push(node),
            Err((code, message)) if statement.if_exists => {
                let _ = code;
                ctx.skip(sqlstate::SUCCESSFUL_COMPLETION, format!("{message}, skipping"));
            }
            Err((code, message)) => return Err(PgError::new(code, message)),
        }
    }
    if !targets.is_empty() {
        remove(ctx, &targets, statement.cascade, false).await?;
    }
    Ok(format!("DROP {}", statement.kind.words()))
}

/// Kinds that holdfast has none of: with IF EXISTS there is nothing to drop.
fn missing_kind(ctx: &DdlContext<'_>, statement: &Drop, kind: ObjectKind) -> Result<String> {
    let words = kind.words();
    if !statement.if_exists {
        return Err(PgError::unsupported(format!("DROP {words}")));
    }
    for object in &statement.objects {
        let message = format!("{} \"{}\" does not exist, skipping", words.to_ascii_lowercase(), object.name);
        ctx.skip(sqlstate::SUCCESSFUL_COMPLETION, message);
    }
    Ok(format!("DROP {words}"))
}

/// A target, or why there is none.
type Target = std::result::Result<Node, (SqlState, String)>;

fn kind_word(kind: ObjectKind) -> (&'static str, &'static str) {
    match kind {
        ObjectKind::Table => ("table", "a table"),
        ObjectKind::View => ("view", "a view"),
        ObjectKind::Sequence => ("sequence", "a sequence"),
        _ => ("index", "an index"),
    }
}

async fn relation(ctx: &DdlContext<'_>, kind: ObjectKind, name: &QName) -> Result<Target> {
    let (word, article) = kind_word(kind);
    if let Some(schema) = name.schema()
        && schema != "pg_temp"
        && ctx.catalog().find_schema(schema).is_none()
    {
        return Ok(Err((
            sqlstate::UNDEFINED_SCHEMA,
            format!("schema \"{schema}\" does not exist"),
        )));
    }
    loop {
        let Some(oid) = ctx.find(name) else {
            let code = if kind == ObjectKind::Index {
                sqlstate::UNDEFINED_OBJECT
            } else {
                sqlstate::UNDEFINED_TABLE
            };
            return Ok(Err((code, format!("{word} \"{name}\" does not exist"))));
        };
        let catalog = ctx.catalog();
        let Some(found) = catalog.relation(oid) else { continue };
        check_kind(found, kind, article)?;
        check_rights(ctx, &catalog, found, word)?;
        if let RelationRef::Index(index) = found {
            ctx.lock(index.table, RelationMode::AccessExclusive).await?;
        }
        ctx.lock(oid, RelationMode::AccessExclusive).await?;
        if ctx.find(name) == Some(oid) {
            return target_of(ctx, oid).map(Ok);
        }
    }
}

fn check_kind(found: RelationRef<'_>, kind: ObjectKind, article: &str) -> Result<()> {
    let (fits, word) = match found {
        RelationRef::Table(_) => (kind == ObjectKind::Table, "TABLE"),
        RelationRef::View(_) => (kind == ObjectKind::View, "VIEW"),
        RelationRef::Sequence(_) => (kind == ObjectKind::Sequence, "SEQUENCE"),
        RelationRef::Index(_) => (kind == ObjectKind::Index, "INDEX"),
    };
    if fits {
        return Ok(());
    }
    let one = if word == "INDEX" { "an index" } else { "a" };
    let what = if word == "INDEX" {
        one.to_owned()
    } else {
        format!("{one} {}", word.to_ascii_lowercase())
    };
    Err(
        PgError::new(sqlstate::WRONG_OBJECT_TYPE, format!("\"{}\" is not {article}", found.name()))
            .hint(format!("Use DROP {word} to remove {what}.")),
    )
}

fn check_rights(ctx: &DdlContext<'_>, catalog: &Catalog, found: RelationRef<'_>, word: &str) -> Result<()> {
    if found.oid().0 < Oid::FIRST_USER.0 {
        return Err(PgError::new(
            sqlstate::INSUFFICIENT_PRIVILEGE,
            format!("permission denied: \"{}\" is a system catalog", found.name()),
        ));
    }
    let owner = match found {
        RelationRef::Table(one) => one.owner,
        RelationRef::View(one) => one.owner,
        RelationRef::Sequence(one) => one.owner,
        RelationRef::Index(one) => catalog.table(one.table).map_or(Oid::INVALID, |table| table.owner),
    };
    ctx.must_own(owner, word, found.name())
}

/// 2BP01 for parts of something else, which can only go with it.
fn target_of(ctx: &DdlContext<'_>, oid: Oid) -> Result<Node> {
    let catalog = ctx.catalog();
    let required = |node: Node, by: Node| {
        let (what, by) = (describe(ctx, &catalog, node), describe(ctx, &catalog, by));
        PgError::new(
            sqlstate::DEPENDENT_OBJECTS_STILL_EXIST,
            format!("cannot drop {what} because {by} requires it"),
        )
        .hint(format!("You can drop {by} instead."))
    };
    match catalog.relation(oid) {
        Some(RelationRef::Table(_)) | None => Ok(Node::Table(oid)),
        Some(RelationRef::View(_)) => Ok(Node::View(oid)),
        Some(RelationRef::Sequence(sequence)) => match sequence.owned_by {
            Some((table, column)) if sequence.identity => Err(required(Node::Sequence(oid), Node::Column(table, column))),
            _ => Ok(Node::Sequence(oid)),
        },
        Some(RelationRef::Index(index)) => match index.constraint {
            Some(constraint) => Err(required(Node::Index(oid), Node::Constraint(index.table, constraint))),
            None => Ok(Node::Index(oid)),
        },
    }
}

async fn schema(ctx: &DdlContext<'_>, name: &QName) -> Result<Target> {
    let name = name.name();
    ctx.lock_name(super::context::CLASS_SCHEMA, Oid::INVALID, name).await?;
    let catalog = ctx.catalog();
    let Some(oid) = catalog.find_schema(name) else {
        return Ok(Err((sqlstate::UNDEFINED_SCHEMA, format!("schema \"{name}\" does not exist"))));
    };
    let owner = catalog.schema(oid).map_or(Oid::INVALID, |schema| schema.owner);
    ctx.must_own(owner, "schema", name)?;
    if oid.0 < Oid::FIRST_USER.0 && oid != Oid(2200) {
        return Err(PgError::new(
            sqlstate::DEPENDENT_OBJECTS_STILL_EXIST,
            format!("cannot drop schema {name} because it is required by the database system"),
        ));
    }
    Ok(Ok(Node::Schema(oid)))
}

async fn user_type(ctx: &DdlContext<'_>, kind: ObjectKind, name: &QName) -> Result<Target> {
    let catalog = ctx.catalog();
    let path = ctx.path(&catalog);
    let schema = name.schema().map(SmolStr::as_str);
    if let Some(schema) = schema
        && catalog.find_schema(schema).is_none()
    {
        return Ok(Err((
            sqlstate::UNDEFINED_SCHEMA,
            format!("schema \"{schema}\" does not exist"),
        )));
    }
    let Ok(oid) = catalog.lookup_type(&path, schema, name.name()) else {
        return Ok(Err((sqlstate::UNDEFINED_OBJECT, format!("type \"{name}\" does not exist"))));
    };
    let Some(ty) = catalog.user_type(oid).filter(|_| oid.0 >= Oid::FIRST_USER.0) else {
        return Err(not_droppable(ctx, &catalog, oid));
    };
    if kind == ObjectKind::Domain && !matches!(ty.kind, UserTypeKind::Domain { .. }) {
        return Err(PgError::new(
            sqlstate::WRONG_OBJECT_TYPE,
            format!("\"{name}\" is not a domain"),
        ));
    }
    ctx.must_own(ty.owner, "type", name.name())?;
    ctx.lock_name(super::context::CLASS_TYPE, ty.schema, &ty.name).await?;
    Ok(Ok(Node::Type(oid)))
}

/// Built-in types, row types and arrays.
fn not_droppable(ctx: &DdlContext<'_>, catalog: &Catalog, oid: Oid) -> PgError {
    let shown = crate::types::info::format_type(oid, -1, &*ctx.names);
    let table = catalog.user_tables().find(|table| table.row_type == oid);
    match table {
        Some(table) => {
            let table = describe(ctx, catalog, Node::Table(table.oid));
            PgError::new(
                sqlstate::DEPENDENT_OBJECTS_STILL_EXIST,
                format!("cannot drop type {shown} because {table} requires it"),
            )
            .hint(format!("You can drop {table} instead."))
        }
        None => PgError::new(
            sqlstate::DEPENDENT_OBJECTS_STILL_EXIST,
            format!("cannot drop type {shown} because it is required by the database system"),
        ),
    }
}

/// Drops everything in the session's temporary schema: at its end.
pub async fn drop_temporary(ctx: &DdlContext<'_>) -> Result<()> {
    let Some(schema) = ctx.catalog().find_schema(&ctx.temp_schema) else {
        return Ok(());
    };
    remove(ctx, &[Node::Schema(schema)], true, true).await
}
