//! `LockRows`: the work of FOR UPDATE and friends.
//!
//! Each row of the input is locked as the clause says, in the order of the marks. A row that changed meanwhile is checked
//! again in its newest version ([`super::recheck`]); one that is gone, or is skipped, is left out. No row is locked that
//! is not asked for: the demand goes through.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;

use super::access;
use super::build::build;
use super::context::ExecContext;
use super::operator::{BoxOperator, Operator};
use super::recheck::{Exchanged, recheck};
use super::row::{Batch, Row, identity_key};
use super::table_writer::same_value;
use crate::bind::tree::MarkWait;
use crate::catalog::IndexExpr;
use crate::error::{PgError, Result, sqlstate};
use crate::lock::RecordMode;
use crate::plan::node::{LockMark, LockRows};
use crate::txn::{RowId, RowLock, Wait};
use crate::types::Value;

pub struct LockRowsOperator {
    node: Arc<LockRows>,
    input: BoxOperator,
    batch: Batch,
    width: usize,
}

/// What came of locking all marks of one row.
enum Locked {
    Same,
    Changed(Vec<Exchanged>),
    LeftOut,
}

impl LockRowsOperator {
    pub fn new(ctx: &ExecContext, node: &Arc<LockRows>) -> Self {
        LockRowsOperator {
            input: build(&node.input, ctx),
            width: node.input.width,
            node: Arc::clone(node),
            batch: Batch::default(),
        }
    }

    async fn lock(marks: &[LockMark], ctx: &ExecContext, row: &[Value]) -> Result<Locked> {
        let mut exchanged = Vec::new();
        for mark in marks {
            // Null: the outer join found no row here.
            let Some(key) = identity_key(&row[mark.identity]) else {
                continue;
            };
            let id = RowId {
                relation: mark.table.oid,
                storage: mark.table.storage,
                key,
            };
            let wait = match mark.wait {
                MarkWait::Block => Wait::Block,
                MarkWait::NoWait => Wait::NoWait,
                MarkWait::SkipLocked => Wait::Skip,
            };
            match lock_mark(ctx, mark, &id, wait).await? {
                RowLock::Same(_) => {}
                RowLock::Changed(row) => exchanged.push(Exchanged {
                    scan: mark.scan,
                    key: id.key,
                    row,
                }),
                RowLock::NotAvailable => return Err(not_available(mark)),
                RowLock::Gone | RowLock::Skipped | RowLock::OwnWrite => return Ok(Locked::LeftOut),
            }
        }
        Ok(if exchanged.is_empty() {
            Locked::Same
        } else {
            Locked::Changed(exchanged)
        })
    }

    /// The row to give, if any.
    async fn take(&mut self, ctx: &ExecContext, index: usize) -> Result<Option<Row>> {
        match Self::lock(&self.node.marks, ctx, self.batch.row(index)).await? {
            Locked::Same => Ok(Some(self.batch.take_row(index))),
            Locked::LeftOut => Ok(None),
            Locked::Changed(exchanged) => {
                recheck(ctx, &self.node.input, &self.node.sources, self.batch.row(index), &exchanged).await
            }
        }
    }
}

/// Locks one row of a mark. FOR KEY SHARE does not conflict with an update that leaves the keys alone: the row is then
/// taken as the snapshot shows it, as PostgreSQL does.
async fn lock_mark(ctx: &ExecContext, mark: &LockMark, id: &RowId, wait: Wait) -> Result<RowLock> {
    let txn = &ctx.txn;
    if mark.mode != RecordMode::KeyShare {
        // The row's values are in the input already: nothing of the stored bytes is needed.
        let (unread, how) = (Bytes::new(), (mark.mode, wait));
        return txn.lock_shown_row(id, &unread, &ctx.view, how, &ctx.timeouts).await;
    }
    let locked = txn.lock_row_any_level(id, &ctx.view, mark.mode, wait, &ctx.timeouts).await?;
    if let RowLock::Changed(now) = &locked
        && let Some(shown) = txn.get(&ctx.view, id.storage, &id.key)?
        && !changes_key(ctx, mark, &shown, now)?
    {
        return Ok(RowLock::Same(shown));
    }
    txn.check_isolation(locked)
}

fn changes_key(ctx: &ExecContext, mark: &LockMark, before: &[u8], after: &[u8]) -> Result<bool> {
    let (before, after) = (
        access::decode_whole(&mark.table, before)?,
        access::decode_whole(&mark.table, after)?,
    );
    let unique = ctx
        .catalog
        .indexes_of(&mark.table)
        .filter(|index| index.unique && index.predicate.is_none());
    Ok(unique.flat_map(|index| &index.keys).any(|key| match key.expr {
        IndexExpr::Column(column) => {
            let at = usize::from(column);
            !same_value(mark.table.columns[at].ty, &before[at], &after[at])
        }
        IndexExpr::Expression(_) => false,
    }))
}

fn not_available(mark: &LockMark) -> PgError {
    PgError::new(
        sqlstate::LOCK_NOT_AVAILABLE,
        format!("could not obtain lock on row in relation \"{}\"", mark.table.name),
    )
}

#[async_trait]
impl Operator for LockRowsOperator {
    async fn next(&mut self, ctx: &ExecContext, max_rows: usize, out: &mut Batch) -> Result<bool> {
        out.reset(self.width);
        // A row put in place by an outer EvalPlanQual is locked already.
        if ctx.epq.is_some() {
            return self.input.next(ctx, max_rows, out).await;
        }
        loop {
            ctx.breathe().await?;
            let more = self.input.next(ctx, max_rows - out.len(), &mut self.batch).await?;
            for index in 0..self.batch.len() {
                if let Some(row) = self.take(ctx, index).await? {
                    out.push_values(row);
                }
            }
            if !more || out.len() == max_rows {
                return Ok(more);
            }
        }
    }

    async fn rescan(&mut self, ctx: &ExecContext) -> Result<()> {
        self.input.rescan(ctx).await
    }
}
