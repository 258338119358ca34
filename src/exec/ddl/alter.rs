//! ALTER TABLE: what each action needs, in the order given.

use std::sync::Arc;

use super::context::{DdlContext, gone};
use super::{alter_column, alter_constraint, column, options, rename};
use crate::catalog::{RelationRef, Table};
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::lock::RelationMode;
use crate::parse::{AlterAction, AlterTable, AlterView, QName, TableConstraintKind, TableKind};

pub async fn alter(ctx: &DdlContext<'_>, statement: &AlterTable) -> Result<String> {
    let tag = format!("ALTER {}", words(statement.kind));
    let name = &statement.relation.name;
    let mode = statement
        .actions
        .iter()
        .map(lock_of)
        .max()
        .unwrap_or(RelationMode::AccessExclusive);
    let Some(oid) = ctx.find_locked(name, mode).await? else {
        return missing(ctx, name, statement.if_exists).map(|()| tag);
    };
    let catalog = ctx.catalog();
    let Some(relation) = catalog.relation(oid) else {
        return Err(gone(oid));
    };
    check_kind(relation, statement.kind)?;
    if !matches!(relation, RelationRef::Table(_)) {
        for action in &statement.actions {
            other_relation(ctx, oid, action).await?;
        }
        return Ok(tag);
    }
    let table = ctx.as_table(oid)?;
    ctx.must_own_table(&table)?;
    for action in &statement.actions {
        apply(ctx, oid, action).await?;
    }
    Ok(tag)
}

/// ALTER VIEW's actions of ALTER TABLE's kind.
pub async fn alter_view(ctx: &DdlContext<'_>, statement: &AlterView) -> Result<String> {
    let Some(oid) = ctx.find_locked(&statement.name, RelationMode::AccessExclusive).await? else {
        return missing(ctx, &statement.name, statement.if_exists).map(|()| "ALTER VIEW".to_owned());
    };
    other_relation(ctx, oid, &statement.action).await?;
    Ok("ALTER VIEW".to_owned())
}

fn missing(ctx: &DdlContext<'_>, name: &QName, if_exists: bool) -> Result<()> {
    if if_exists {
        ctx.skip(
            sqlstate::SUCCESSFUL_COMPLETION,
            format!("relation \"{name}\" does not exist, skipping"),
        );
        return Ok(());
    }
    Err(ctx.missing_relation(name))
}

fn words(kind: TableKind) -> &'static str {
    match kind {
        TableKind::Table => "TABLE",
        TableKind::View => "VIEW",
        TableKind::MaterializedView => "MATERIALIZED VIEW",
        TableKind::Sequence => "SEQUENCE",
        TableKind::Index => "INDEX",
        TableKind::ForeignTable => "FOREIGN TABLE",
    }
}

fn check_kind(relation: RelationRef<'_>, kind: TableKind) -> Result<()> {
    let what = match (kind, relation) {
        (TableKind::View, RelationRef::View(_))
        | (TableKind::Sequence, RelationRef::Sequence(_))
        | (TableKind::Index, RelationRef::Index(_))
        | (TableKind::Table, _) => return Ok(()),
        (TableKind::View, _) => "a view",
        (TableKind::Sequence, _) => "a sequence",
        (TableKind::Index, _) => "an index",
        (TableKind::MaterializedView, _) => "a materialized view",
        (TableKind::ForeignTable, _) => "a foreign table",
    };
    Err(PgError::new(
        sqlstate::WRONG_OBJECT_TYPE,
        format!("\"{}\" is not {what}", relation.name()),
    ))
}

/// The lock that PostgreSQL takes for an action (`AlterTableGetLockLevel`).
fn lock_of(action: &AlterAction) -> RelationMode {
    match action {
        AlterAction::AddConstraint(constraint) if matches!(constraint.kind, TableConstraintKind::ForeignKey { .. }) => {
            RelationMode::ShareRowExclusive
        }
        AlterAction::ValidateConstraint(_)
        | AlterAction::SetOptions(_)
        | AlterAction::ResetOptions(_)
        | AlterAction::SetStatistics { .. }
        | AlterAction::SetColumnOptions { .. }
        | AlterAction::ResetColumnOptions { .. }
        | AlterAction::ClusterOn(_)
        | AlterAction::SetWithoutCluster => RelationMode::ShareUpdateExclusive,
        _ => RelationMode::AccessExclusive,
    }
}

/// Changes a table's definition and nothing else.
pub fn edit(ctx: &DdlContext<'_>, oid: Oid, change: impl FnOnce(&mut Table) -> Result<()>) -> Result<Arc<Table>> {
    let mut next = Table::clone(&*ctx.as_table(oid)?);
    change(&mut next)?;
    ctx.put_table(next)
}

#[allow(clippy::too_many_lines)]
async fn apply(ctx: &DdlContext<'_>, oid: Oid, action: &AlterAction) -> Result<()> {
    match action {
        AlterAction::AddColumn { if_not_exists, column } => alter_column::add(ctx, oid, column, *if_not_exists).await,
        AlterAction::DropColumn {
            if_exists,
            column,
            cascade,
        } => alter_column::remove_column(ctx, oid, &column.text, *if_exists, *cascade).await,
        AlterAction::SetType {
            column,
            type_name,
            collation,
            using,
        } => {
            let collation = collation.as_ref();
            alter_column::set_type(ctx, oid, &column.text, type_name, collation, using.as_deref()).await
        }
        AlterAction::SetDefault { column, default } => alter_column::set_default(ctx, oid, &column.text, Some(default)),
        AlterAction::DropDefault { column } => alter_column::set_default(ctx, oid, &column.text, None),
        AlterAction::SetNotNull { column } => alter_column::set_not_null(ctx, oid, &column.text).await,
        AlterAction::DropNotNull { column } => alter_column::drop_not_null(ctx, oid, &column.text),
        AlterAction::DropExpression { column, if_exists } => alter_column::drop_expression(ctx, oid, &column.text, *if_exists),
        AlterAction::AddIdentity { column, always, options } => {
            alter_column::add_identity(ctx, oid, &column.text, *always, options).await
        }
        AlterAction::SetIdentity { column, always, options } => {
            alter_column::set_identity(ctx, oid, &column.text, *always, options).await
        }
        AlterAction::DropIdentity { column, if_exists } => alter_column::drop_identity(ctx, oid, &column.text, *if_exists).await,
        AlterAction::AddConstraint(constraint) => alter_constraint::add(ctx, oid, constraint).await,
        AlterAction::ValidateConstraint(name) => alter_constraint::validate(ctx, oid, &name.text).await,
        AlterAction::DropConstraint {
            if_exists,
            name,
            cascade,
        } => alter_constraint::remove_constraint(ctx, oid, &name.text, *if_exists, *cascade).await,
        AlterAction::AlterConstraint { .. } => Err(PgError::unsupported("ALTER CONSTRAINT")),
        AlterAction::RenameColumn { from, to } => rename::rename_column(ctx, oid, &from.text, &to.text),
        AlterAction::RenameConstraint { from, to } => rename::rename_constraint(ctx, oid, &from.text, &to.text).await,
        AlterAction::RenameTo(name) => rename::rename_relation(ctx, oid, &name.text).await,
        AlterAction::OwnerTo(name) => rename::owner_relation(ctx, oid, ctx.role_named(&name.text)?),
        AlterAction::SetSchema(name) => rename::move_relation(ctx, oid, &name.text).await,
        AlterAction::SetOptions(items) => {
            options::check_table(items)?;
            edit(ctx, oid, |table| {
                options::set(&mut table.options, items);
                Ok(())
            })
            .map(|_| ())
        }
        AlterAction::ResetOptions(items) => edit(ctx, oid, |table| {
            options::reset(&mut table.options, items);
            Ok(())
        })
        .map(|_| ()),
        AlterAction::SetStatistics { column, .. }
        | AlterAction::SetStorage { column, .. }
        | AlterAction::SetCompression { column, .. }
        | AlterAction::SetColumnOptions { column, .. }
        | AlterAction::ResetColumnOptions { column, .. } => {
            // They say how PostgreSQL stores or samples a column; there is nothing to change here.
            column::require(&*ctx.as_table(oid)?, &column.text).map(|_| ())
        }
        AlterAction::SetLogged(logged) => edit(ctx, oid, |table| {
            table.unlogged = !logged;
            Ok(())
        })
        .map(|_| ()),
        AlterAction::SetWithoutCluster | AlterAction::SetWithoutOids | AlterAction::ReplicaIdentity(_) => Ok(()),
        AlterAction::SetAccessMethod(name) => super::table::access_method(Some(&name.text)),
        AlterAction::SetTablespace(name) if name.text == "pg_default" => Ok(()),
        other => Err(PgError::unsupported(action_words(other))),
    }
}

/// Actions on views, sequences and indexes that ALTER TABLE takes too.
async fn other_relation(ctx: &DdlContext<'_>, oid: Oid, action: &AlterAction) -> Result<()> {
    let catalog = ctx.catalog();
    let Some(relation) = catalog.relation(oid) else {
        return Err(gone(oid));
    };
    match (action, relation) {
        (AlterAction::RenameTo(name), _) => rename::rename_relation(ctx, oid, &name.text).await,
        (AlterAction::OwnerTo(name), _) => rename::owner_relation(ctx, oid, ctx.role_named(&name.text)?),
        (AlterAction::SetSchema(name), _) => rename::move_relation(ctx, oid, &name.text).await,
        (AlterAction::SetOptions(items), RelationRef::View(view)) => {
            options::check_view(items)?;
            let mut next = crate::catalog::View::clone(view);
            options::set(&mut next.options, items);
            ctx.put_view(next)
        }
        (AlterAction::ResetOptions(items), RelationRef::View(view)) => {
            let mut next = crate::catalog::View::clone(view);
            options::reset(&mut next.options, items);
            ctx.put_view(next)
        }
        (_, relation) => {
            let what = match relation {
                RelationRef::View(_) => "views",
                RelationRef::Sequence(_) => "sequences",
                RelationRef::Index(_) => "indexes",
                RelationRef::Table(_) => "tables",
            };
            Err(PgError::new(
                sqlstate::WRONG_OBJECT_TYPE,
                format!(
                    "ALTER action {} cannot be performed on relation \"{}\"",
                    action_words(action),
                    relation.name()
                ),
            )
            .detail(format!("This operation is not supported for {what}.")))
        }
    }
}

fn action_words(action: &AlterAction) -> &'static str {
    match action {
        AlterAction::AddColumn { .. } => "ADD COLUMN",
        AlterAction::DropColumn { .. } => "DROP COLUMN",
        AlterAction::SetType { .. } => "ALTER COLUMN ... SET DATA TYPE",
        AlterAction::SetDefault { .. } | AlterAction::DropDefault { .. } => "ALTER COLUMN ... SET DEFAULT",
        AlterAction::SetNotNull { .. } => "ALTER COLUMN ... SET NOT NULL",
        AlterAction::DropNotNull { .. } => "ALTER COLUMN ... DROP NOT NULL",
        AlterAction::DropExpression { .. } => "ALTER COLUMN ... DROP EXPRESSION",
        AlterAction::AddIdentity { .. } => "ALTER COLUMN ... ADD IDENTITY",
        AlterAction::SetIdentity { .. } => "ALTER COLUMN ... SET",
        AlterAction::DropIdentity { .. } => "ALTER COLUMN ... DROP IDENTITY",
        AlterAction::SetStatistics { .. } => "ALTER COLUMN ... SET STATISTICS",
        AlterAction::SetStorage { .. } => "ALTER COLUMN ... SET STORAGE",
        AlterAction::SetCompression { .. } => "ALTER COLUMN ... SET COMPRESSION",
        AlterAction::SetColumnOptions { .. } => "ALTER COLUMN ... SET",
        AlterAction::ResetColumnOptions { .. } => "ALTER COLUMN ... RESET",
        AlterAction::AddConstraint(_) => "ADD CONSTRAINT",
        AlterAction::AlterConstraint { .. } => "ALTER CONSTRAINT",
        AlterAction::ValidateConstraint(_) => "VALIDATE CONSTRAINT",
        AlterAction::DropConstraint { .. } => "DROP CONSTRAINT",
        AlterAction::RenameColumn { .. } => "RENAME COLUMN",
        AlterAction::RenameConstraint { .. } => "RENAME CONSTRAINT",
        AlterAction::RenameTo(_) => "RENAME",
        AlterAction::OwnerTo(_) => "OWNER TO",
        AlterAction::SetSchema(_) => "SET SCHEMA",
        AlterAction::SetTablespace(_) => "SET TABLESPACE",
        AlterAction::SetOptions(_) => "SET",
        AlterAction::ResetOptions(_) => "RESET",
        AlterAction::SetLogged(true) => "SET LOGGED",
        AlterAction::SetLogged(false) => "SET UNLOGGED",
        AlterAction::SetAccessMethod(_) => "SET ACCESS METHOD",
        AlterAction::ClusterOn(_) => "CLUSTER ON",
        AlterAction::SetWithoutCluster => "SET WITHOUT CLUSTER",
        AlterAction::SetWithoutOids => "SET WITHOUT OIDS",
        AlterAction::ReplicaIdentity(_) => "REPLICA IDENTITY",
        AlterAction::RowSecurity(_) => "ROW SECURITY",
        AlterAction::Trigger(_) => "TRIGGER",
        AlterAction::Inherit(_) => "INHERIT",
        AlterAction::NoInherit(_) => "NO INHERIT",
        AlterAction::AttachPartition(_) => "ATTACH PARTITION",
        AlterAction::DetachPartition(_) => "DETACH PARTITION",
        AlterAction::OfType(_) => "OF",
        AlterAction::NotOfType => "NOT OF",
    }
}
