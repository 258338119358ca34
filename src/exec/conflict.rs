//! INSERT ... ON CONFLICT.
//!
//! ```text
//!  latest version has the value? ──yes──► somebody removes it right now? wait, look again
//!        │ no                              else DO NOTHING, or lock that row and DO UPDATE
//!        ▼
//!  take the key targets, look again ──taken meanwhile──► (as above)
//!        │ free
//!        ▼ insert
//! ```

use std::sync::Arc;

use bytes::Bytes;

use super::context::ExecContext;
use super::modify::{ModifyOperator, system_columns};
use super::row::Row;
use crate::error::{PgError, Result, sqlstate};
use crate::lock::RecordMode;
use crate::plan::node::{ConflictPlan, ConflictUpdatePlan};
use crate::txn::{RowId, RowLock, Wait};
use crate::types::Value;

/// Inserts a row, or does what the clause says where another row has one of its values.
pub(super) async fn insert(operator: &mut ModifyOperator, ctx: &ExecContext, plan: &ConflictPlan, mut row: Row) -> Result<()> {
    operator.writer.check_row(ctx, &mut row)?;
    loop {
        ctx.breathe().await?;
        let Some(conflict) = operator.writer.find_conflict(ctx, &plan.arbiters, &row)? else {
            operator.writer.lock_arbiters(ctx, &plan.arbiters, &row).await?;
            if operator.writer.find_conflict(ctx, &plan.arbiters, &row)?.is_some() {
                continue;
            }
            let key = operator.writer.insert(ctx, &row).await?;
            return operator.inserted(ctx, &key, row).await;
        };
        let Some(update) = &plan.update else {
            // DO NOTHING waits for whoever is removing the row, but leaves it alone.
            operator.writer.wait_for_value(ctx, &conflict).await?;
            match operator.writer.find_conflict(ctx, &plan.arbiters, &row)? {
                Some(still) => return check_visible(operator, ctx, &still.row_key),
                None => continue,
            }
        };
        if do_update(operator, ctx, update, &conflict.row_key, &row).await? {
            return Ok(());
        }
    }
}

/// Above READ COMMITTED a row that the snapshot does not show must not decide anything.
fn check_visible(operator: &ModifyOperator, ctx: &ExecContext, key: &Bytes) -> Result<()> {
    if !ctx.txn.options().isolation.uses_one_snapshot() {
        return Ok(());
    }
    let storage = operator.node.target.table.storage;
    if ctx.txn.get(&ctx.view, storage, key)?.is_none() && !ctx.txn.written_by_this_command(storage, key) {
        return Err(PgError::new(
            sqlstate::SERIALIZATION_FAILURE,
            "could not serialize access due to concurrent update",
        ));
    }
    Ok(())
}

/// Locks the row in the way and updates it; false where it is gone and the insert has to be tried again.
async fn do_update(
    operator: &mut ModifyOperator,
    ctx: &ExecContext,
    update: &ConflictUpdatePlan,
    key: &Bytes,
    excluded: &Row,
) -> Result<bool> {
    let node = Arc::clone(&operator.node);
    let id = RowId {
        relation: node.target.table.oid,
        storage: node.target.table.storage,
        key: key.clone(),
    };
    if ctx.txn.written_by_this_command(id.storage, &id.key) {
        return Err(second_time());
    }
    check_visible(operator, ctx, key)?;
    let changes_key = update.set.iter().any(|(column, _)| is_key_column(operator, *column));
    let mode = if changes_key {
        RecordMode::Update
    } else {
        RecordMode::NoKeyUpdate
    };
    // Unlike UPDATE, DO UPDATE works on the newest version whatever the statement's snapshot shows.
    let view = if ctx.txn.options().isolation.uses_one_snapshot() {
        ctx.view.clone()
    } else {
        ctx.txn.latest_view()
    };
    let stored = match ctx.txn.lock_row(&id, &view, mode, Wait::Block, &ctx.timeouts).await? {
        RowLock::Same(row) | RowLock::Changed(row) => row,
        RowLock::Gone => return Ok(false),
        RowLock::OwnWrite => return Err(second_time()),
        RowLock::NotAvailable | RowLock::Skipped => return Err(PgError::internal("a blocking row lock was refused")),
    };
    let old = operator.writer.decode(&stored)?;
    let mut scope: Vec<Value> = old.clone();
    scope.extend(system_columns(ctx, &node, key));
    scope.extend_from_slice(excluded);
    if let Some(filter) = &update.filter
        && !operator.evaluator.test(ctx, filter, &scope).await?
    {
        return Ok(true);
    }
    let mut new = old.clone();
    for (column, expr) in &update.set {
        new[*column] = operator.evaluator.eval(ctx, expr, &scope).await?;
    }
    operator.writer.check_row(ctx, &mut new)?;
    let new_key = operator.writer.update(ctx, key, &old, &new).await?;
    operator.foreign_keys.updated(&old, &new);
    operator.give(ctx, &new_key, &new, &[]).await?;
    Ok(true)
}

fn is_key_column(operator: &ModifyOperator, column: usize) -> bool {
    use crate::catalog::IndexExpr;
    operator
        .node
        .target
        .indexes
        .iter()
        .filter(|one| one.index.unique && one.index.predicate.is_none())
        .flat_map(|one| &one.index.keys)
        .any(|key| matches!(key.expr, IndexExpr::Column(at) if usize::from(at) == column))
}

fn second_time() -> PgError {
    PgError::new(
        sqlstate::CARDINALITY_VIOLATION,
        "ON CONFLICT DO UPDATE command cannot affect row a second time",
    )
    .hint("Ensure that no rows proposed for insertion within the same command have duplicate constrained values.")
}
