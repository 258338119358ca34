//! COMMENT ON.

use std::sync::Arc;

use smol_str::SmolStr;

use super::column;
use super::context::{CLASS_CONSTRAINT, CLASS_DATABASE, CLASS_RELATION, CLASS_ROLE, CLASS_SCHEMA, CLASS_TYPE, DdlContext, gone};
use crate::catalog::{Change, Comment, Object, RelationRef};
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::lock::RelationMode;
use crate::parse::{CommentOn, ObjectKind, QName};

/// Class, object and attnum that a comment is about.
type Subject = (Oid, Oid, i32);

pub async fn comment(ctx: &DdlContext<'_>, statement: &CommentOn) -> Result<String> {
    let name = &statement.object.name;
    let (class, object, sub) = match statement.kind {
        ObjectKind::Table | ObjectKind::View | ObjectKind::Sequence | ObjectKind::Index => {
            relation(ctx, statement.kind, name).await?
        }
        ObjectKind::Column => column(ctx, name).await?,
        ObjectKind::Constraint => constraint(ctx, name, statement.object.on.as_ref()).await?,
        ObjectKind::Schema => {
            let catalog = ctx.catalog();
            let found = catalog.find_schema(name.name()).and_then(|oid| catalog.schema(oid)).cloned();
            let Some(schema) = found else {
                return Err(PgError::new(
                    sqlstate::UNDEFINED_SCHEMA,
                    format!("schema \"{}\" does not exist", name.name()),
                ));
            };
            ctx.must_own(schema.owner, "schema", &schema.name)?;
            (CLASS_SCHEMA, schema.oid, 0)
        }
        ObjectKind::Type | ObjectKind::Domain => user_type(ctx, name)?,
        ObjectKind::Role => (CLASS_ROLE, ctx.role_named(name.name())?, 0),
        ObjectKind::Database => {
            let Some(oid) = ctx.catalog().find_database(name.name()) else {
                return Err(PgError::new(
                    sqlstate::UNDEFINED_DATABASE,
                    format!("database \"{}\" does not exist", name.name()),
                ));
            };
            (CLASS_DATABASE, oid, 0)
        }
        other => return Err(PgError::unsupported(format!("COMMENT ON {}", other.words()))),
    };
    let text = statement.comment.clone().unwrap_or_default();
    ctx.change(Change::Put(Object::Comment(Arc::new(Comment {
        class,
        object,
        sub,
        text,
    }))))?;
    Ok("COMMENT".to_owned())
}

async fn relation(ctx: &DdlContext<'_>, kind: ObjectKind, name: &QName) -> Result<Subject> {
    let oid = locked(ctx, name).await?;
    let catalog = ctx.catalog();
    let Some(found) = catalog.relation(oid) else {
        return Err(gone(oid));
    };
    let what = match (kind, found) {
        (ObjectKind::Table, RelationRef::Table(_))
        | (ObjectKind::View, RelationRef::View(_))
        | (ObjectKind::Sequence, RelationRef::Sequence(_))
        | (ObjectKind::Index, RelationRef::Index(_)) => return owned(ctx, found).map(|()| (CLASS_RELATION, oid, 0)),
        (ObjectKind::Table, _) => "a table",
        (ObjectKind::View, _) => "a view",
        (ObjectKind::Sequence, _) => "a sequence",
        _ => "an index",
    };
    Err(PgError::new(
        sqlstate::WRONG_OBJECT_TYPE,
        format!("\"{}\" is not {what}", found.name()),
    ))
}

async fn locked(ctx: &DdlContext<'_>, name: &QName) -> Result<Oid> {
    match ctx.find_locked(name, RelationMode::ShareUpdateExclusive).await? {
        Some(oid) => Ok(oid),
        None => Err(ctx.missing_relation(name)),
    }
}

fn owned(ctx: &DdlContext<'_>, relation: RelationRef<'_>) -> Result<()> {
    let catalog = ctx.catalog();
    let (owner, kind) = match relation {
        RelationRef::Table(one) => (one.owner, "table"),
        RelationRef::View(one) => (one.owner, "view"),
        RelationRef::Sequence(one) => (one.owner, "sequence"),
        RelationRef::Index(one) => (catalog.table(one.table).map_or(Oid::INVALID, |table| table.owner), "index"),
    };
    ctx.must_own(owner, kind, relation.name())
}

/// `table.column`.
async fn column(ctx: &DdlContext<'_>, name: &QName) -> Result<Subject> {
    let Some((last, relation)) = name.parts.split_last().filter(|(_, relation)| !relation.is_empty()) else {
        return Err(PgError::new(sqlstate::SYNTAX_ERROR, "column name must be qualified"));
    };
    let oid = locked(
        ctx,
        &QName {
            parts: relation.to_vec(),
            position: name.position,
        },
    )
    .await?;
    let catalog = ctx.catalog();
    let Some(found) = catalog.relation(oid) else {
        return Err(gone(oid));
    };
    owned(ctx, found)?;
    let at = found
        .columns()
        .iter()
        .position(|column| !column.dropped && column.name == *last);
    match at {
        Some(at) => Ok((CLASS_RELATION, oid, i32::from(column::place(at)) + 1)),
        None => Err(column::missing(last, found.name())),
    }
}

async fn constraint(ctx: &DdlContext<'_>, name: &QName, on: Option<&QName>) -> Result<Subject> {
    let Some(on) = on else {
        return Err(PgError::unsupported("COMMENT ON CONSTRAINT of a domain"));
    };
    let oid = locked(ctx, on).await?;
    let table = ctx.as_table(oid)?;
    ctx.must_own_table(&table)?;
    match table.constraints.iter().find(|one| one.name == *name.name()) {
        Some(found) => Ok((CLASS_CONSTRAINT, found.oid, 0)),
        None => Err(PgError::new(
            sqlstate::UNDEFINED_OBJECT,
            format!("constraint \"{}\" for table \"{}\" does not exist", name.name(), table.name),
        )),
    }
}

fn user_type(ctx: &DdlContext<'_>, name: &QName) -> Result<Subject> {
    let catalog = ctx.catalog();
    let path = ctx.path(&catalog);
    let oid = catalog.lookup_type(&path, name.schema().map(SmolStr::as_str), name.name())?;
    if let Some(ty) = catalog.user_type(oid) {
        ctx.must_own(ty.owner, "type", &ty.name)?;
    }
    Ok((CLASS_TYPE, oid, 0))
}
