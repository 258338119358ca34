//! Removing objects with everything that depends on them: what DROP and ALTER TABLE ... DROP share.

use std::sync::Arc;

use super::context::DdlContext;
use super::depend::{self, Found, Node, Strength, describe, key_index};
use crate::catalog::{Catalog, ConstraintKind, Index, ObjectKind, RowKey, Table};
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::lock::RelationMode;

/// Drops the targets. `quiet`: their dependents go without a NOTICE (temporary relations at the session's end).
pub async fn remove(ctx: &DdlContext<'_>, targets: &[Node], cascade: bool, quiet: bool) -> Result<()> {
    let (catalog, found) = loop {
        let catalog = ctx.catalog();
        let found = depend::collect(ctx, &catalog, targets);
        refuse_dependents(ctx, &catalog, targets, &found, cascade)?;
        for node in targets.iter().copied().chain(found.iter().map(|one| one.node)) {
            lock(ctx, &catalog, node).await?;
        }
        if depend::collect(ctx, &ctx.catalog(), targets) == found {
            break (ctx.catalog(), found);
        }
    };
    if !quiet {
        tell(ctx, &catalog, &found);
    }
    // Dependents first, so that nothing in the catalog ever names what is gone.
    for one in found.iter().rev() {
        take(ctx, one.node).await?;
    }
    for target in targets {
        take(ctx, *target).await?;
    }
    for node in targets.iter().copied().chain(found.iter().map(|one| one.node)) {
        if let Node::Index(index) = node
            && let Some(index) = catalog.index(index).filter(|index| index.primary)
        {
            unkey(ctx, index.table).await?;
        }
    }
    Ok(())
}

/// 2BP01 where something that stands by itself depends on a target.
fn refuse_dependents(
    ctx: &DdlContext<'_>,
    catalog: &Arc<Catalog>,
    targets: &[Node],
    found: &[Found],
    cascade: bool,
) -> Result<()> {
    if cascade {
        return Ok(());
    }
    let lines: Vec<String> = found
        .iter()
        .filter(|one| one.strength == Strength::Own)
        .map(|one| {
            format!(
                "{} depends on {}",
                describe(ctx, catalog, one.node),
                describe(ctx, catalog, via(catalog, one))
            )
        })
        .collect();
    if lines.is_empty() {
        return Ok(());
    }
    let message = match targets {
        [only] => format!(
            "cannot drop {} because other objects depend on it",
            describe(ctx, catalog, *only)
        ),
        _ => "cannot drop desired object(s) because other objects depend on them".to_owned(),
    };
    Err(PgError::new(sqlstate::DEPENDENT_OBJECTS_STILL_EXIST, message)
        .detail(lines.join("\n"))
        .hint("Use DROP ... CASCADE to drop the dependent objects too."))
}

/// What a dependent is said to depend on: a column of a row type depends on the type of the table.
fn via(catalog: &Catalog, found: &Found) -> Node {
    match (found.node, found.via) {
        (Node::Column(..) | Node::Type(_), Node::Table(table)) => {
            catalog.table(table).map_or(found.via, |table| Node::Type(table.row_type))
        }
        _ => found.via,
    }
}

fn tell(ctx: &DdlContext<'_>, catalog: &Arc<Catalog>, found: &[Found]) {
    let lines: Vec<String> = found
        .iter()
        .filter(|one| one.strength == Strength::Own)
        .map(|one| format!("drop cascades to {}", describe(ctx, catalog, one.node)))
        .collect();
    match &lines[..] {
        [] => {}
        [only] => ctx.notice(PgError::new(sqlstate::SUCCESSFUL_COMPLETION, only.clone())),
        _ => ctx.notice(
            PgError::new(
                sqlstate::SUCCESSFUL_COMPLETION,
                format!("drop cascades to {} other objects", lines.len()),
            )
            .detail(lines.join("\n")),
        ),
    }
}

async fn lock(ctx: &DdlContext<'_>, catalog: &Catalog, node: Node) -> Result<()> {
    let exclusive = RelationMode::AccessExclusive;
    match node {
        Node::Table(oid) => {
            ctx.lock(oid, exclusive).await?;
            // Tables that it refers to lose a watcher.
            if let Some(table) = catalog.table(oid) {
                for constraint in &table.constraints {
                    if let ConstraintKind::ForeignKey(key) = &constraint.kind
                        && key.parent != oid
                    {
                        ctx.lock(key.parent, exclusive).await?;
                    }
                }
            }
            Ok(())
        }
        Node::View(oid) | Node::Sequence(oid) => ctx.lock(oid, exclusive).await,
        Node::Index(oid) => {
            if let Some(index) = catalog.index(oid) {
                ctx.lock(index.table, exclusive).await?;
            }
            ctx.lock(oid, exclusive).await
        }
        Node::Column(table, _) | Node::Default(table, _) => ctx.lock(table, exclusive).await,
        Node::Constraint(table, constraint) => {
            ctx.lock(table, exclusive).await?;
            let parent = catalog.table(table).and_then(|table| {
                table
                    .constraints
                    .iter()
                    .find(|one| one.oid == constraint)
                    .and_then(|one| match &one.kind {
                        ConstraintKind::ForeignKey(key) => Some(key.parent),
                        _ => None,
                    })
            });
            match parent {
                Some(parent) => ctx.lock(parent, exclusive).await,
                None => Ok(()),
            }
        }
        Node::Schema(_) | Node::Type(_) => Ok(()),
    }
}

/// Takes one object out of the catalog; what depends on it is gone already.
async fn take(ctx: &DdlContext<'_>, node: Node) -> Result<()> {
    let catalog = ctx.catalog();
    match node {
        Node::Schema(oid) => ctx.delete(ObjectKind::Schema, oid),
        Node::View(oid) => ctx.delete(ObjectKind::View, oid),
        Node::Type(oid) => ctx.delete(ObjectKind::Type, oid),
        Node::Sequence(oid) => {
            if let Some(sequence) = catalog.sequence(oid) {
                ctx.txn.drop_storage(sequence.storage);
            }
            ctx.delete(ObjectKind::Sequence, oid)
        }
        Node::Table(oid) => {
            if let Some(table) = catalog.table(oid) {
                ctx.txn.drop_storage(table.storage);
                ctx.txn.drop_relation(table.oid);
            }
            ctx.delete(ObjectKind::Table, oid)
        }
        Node::Index(oid) => take_index(ctx, &catalog, oid).await,
        Node::Default(table, column) => edit(ctx, &catalog, table, |table| {
            table.columns[usize::from(column)].default = None;
        }),
        Node::Column(table, column) => edit(ctx, &catalog, table, |table| {
            let column = &mut table.columns[usize::from(column)];
            // PostgreSQL's name for what was there; no user's column can be called so and found.
            column.dropped = true;
            column.not_null = false;
            column.default = None;
            column.identity = None;
            column.generated = None;
        }),
        Node::Constraint(table, constraint) => edit(ctx, &catalog, table, |table| {
            table.constraints.retain(|one| one.oid != constraint);
        }),
    }
}

fn edit(ctx: &DdlContext<'_>, catalog: &Catalog, oid: Oid, change: impl FnOnce(&mut Table)) -> Result<()> {
    let Some(table) = catalog.table(oid) else { return Ok(()) };
    let mut next = Table::clone(table);
    change(&mut next);
    ctx.put_table(next).map(|_| ())
}

/// Removes an index. A table that loses its primary key gets hidden row ids, unless it goes itself.
async fn take_index(ctx: &DdlContext<'_>, catalog: &Arc<Catalog>, oid: Oid) -> Result<()> {
    let Some(index) = catalog.index(oid).cloned() else {
        return Ok(());
    };
    if let Some(storage) = index.storage {
        ctx.txn.drop_storage(storage);
    }
    ctx.delete(ObjectKind::Index, oid)?;
    edit(ctx, catalog, index.table, |table| {
        table.indexes.retain(|one| *one != oid);
        table.constraints.retain(|one| key_index(one) != Some(oid));
    })
}

/// Gives hidden row ids to a table that is keyed by a primary key that it does not have any more.
async fn unkey(ctx: &DdlContext<'_>, table: Oid) -> Result<()> {
    let catalog = ctx.catalog();
    let Some(table) = catalog.table(table) else { return Ok(()) };
    let keyed = matches!(table.row_key, RowKey::Columns(_));
    let has_key = catalog.indexes_of(table).any(|index: &Arc<Index>| index.primary);
    if !keyed || has_key {
        return Ok(());
    }
    let mut new = Table::clone(table);
    new.row_key = RowKey::RowId;
    super::build::rewrite(ctx, table, new, &super::build::RowChange::default())
        .await
        .map(|_| ())
}
