//! TRUNCATE: new storage ids, the old ones go when the transaction commits.

use std::sync::Arc;

use super::context::{DdlContext, gone};
use super::sequence;
use crate::catalog::{Index, RelationRef, Table};
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::lock::RelationMode;
use crate::parse::Truncate;

pub async fn truncate(ctx: &DdlContext<'_>, statement: &Truncate) -> Result<String> {
    let mut tables: Vec<Oid> = Vec::new();
    for relation in &statement.tables {
        let Some(oid) = ctx.find_locked(&relation.name, RelationMode::AccessExclusive).await? else {
            return Err(ctx.missing_relation(&relation.name));
        };
        check(ctx, oid)?;
        if !tables.contains(&oid) {
            tables.push(oid);
        }
    }
    follow_references(ctx, &mut tables, statement.cascade).await?;
    for oid in &tables {
        empty(ctx, *oid, statement.restart_identity)?;
    }
    Ok("TRUNCATE TABLE".to_owned())
}

fn check(ctx: &DdlContext<'_>, oid: Oid) -> Result<()> {
    let catalog = ctx.catalog();
    match catalog.relation(oid) {
        Some(RelationRef::Table(table)) => {
            if oid.0 < Oid::FIRST_USER.0 {
                return Err(PgError::new(
                    sqlstate::INSUFFICIENT_PRIVILEGE,
                    format!("permission denied: \"{}\" is a system catalog", table.name),
                ));
            }
            if ctx.superuser || catalog.is_member(ctx.role, table.owner) {
                return Ok(());
            }
            Err(PgError::new(
                sqlstate::INSUFFICIENT_PRIVILEGE,
                format!("permission denied for table {}", table.name),
            ))
        }
        Some(other) => Err(PgError::new(
            sqlstate::WRONG_OBJECT_TYPE,
            format!("\"{}\" is not a table", other.name()),
        )),
        None => Err(gone(oid)),
    }
}

/// Tables that refer to those to be emptied: they go along under CASCADE, else 0A000.
async fn follow_references(ctx: &DdlContext<'_>, tables: &mut Vec<Oid>, cascade: bool) -> Result<()> {
    let mut at = 0;
    while let Some(oid) = tables.get(at).copied() {
        at += 1;
        loop {
            let catalog = ctx.catalog();
            let child = catalog
                .foreign_keys_to(oid)
                .iter()
                .map(|(child, _)| *child)
                .find(|child| !tables.contains(child));
            let Some(child) = child else { break };
            let name = |oid: Oid| catalog.table(oid).map(|table| table.name.clone()).unwrap_or_default();
            if !cascade {
                return Err(PgError::new(
                    sqlstate::FEATURE_NOT_SUPPORTED,
                    "cannot truncate a table referenced in a foreign key constraint",
                )
                .detail(format!("Table \"{}\" references \"{}\".", name(child), name(oid)))
                .hint(format!(
                    "Truncate table \"{}\" at the same time, or use TRUNCATE ... CASCADE.",
                    name(child)
                )));
            }
            ctx.skip(
                sqlstate::SUCCESSFUL_COMPLETION,
                format!("truncate cascades to table \"{}\"", name(child)),
            );
            ctx.lock(child, RelationMode::AccessExclusive).await?;
            check(ctx, child)?;
            tables.push(child);
        }
    }
    Ok(())
}

/// Gives a table and its indexes new storages.
fn empty(ctx: &DdlContext<'_>, oid: Oid, restart_identity: bool) -> Result<()> {
    let table = ctx.as_table(oid)?;
    let catalog = ctx.catalog();
    for index in catalog.indexes_of(&table) {
        if let Some(storage) = index.storage {
            ctx.txn.drop_storage(storage);
            ctx.put_index(Index {
                storage: Some(ctx.txn.create_storage()),
                ..Index::clone(index)
            })?;
        }
    }
    ctx.txn.drop_storage(table.storage);
    let mut next = Table::clone(&table);
    next.storage = ctx.txn.create_storage();
    // No row is left from before any column.
    next.columns.iter_mut().for_each(|column| column.missing = None);
    ctx.put_table(next)?;
    if restart_identity {
        let owned: Vec<_> = catalog
            .sequences()
            .filter(|one| one.owned_by.is_some_and(|(table, _)| table == oid))
            .map(Arc::clone)
            .collect();
        for one in owned {
            sequence::restart(ctx, &one)?;
        }
    }
    Ok(())
}
