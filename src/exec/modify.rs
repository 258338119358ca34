//! INSERT, UPDATE and DELETE.
//!
//! A modification runs to its end before it gives its first RETURNING row, as in PostgreSQL: how many rows a client
//! fetches does not change what is written. Foreign keys are checked after the last row.

use std::collections::VecDeque;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;

use super::build::build;
use super::conflict;
use super::context::ExecContext;
use super::foreign_keys::ForeignKeys;
use super::operator::{BoxOperator, Operator};
use super::recheck::{Exchanged, recheck};
use super::row::{Batch, Row, identity, identity_key};
use super::slots::Evaluator;
use super::table_writer::TableWriter;
use crate::error::{PgError, Result};
use crate::limits::BATCH_ROWS_MAX;
use crate::lock::RecordMode;
use crate::plan::node::{Modify, NodeKind, Operation, ScanId};
use crate::txn::{RowId, RowLock, Wait};
use crate::types::Value;

pub struct ModifyOperator {
    pub(super) node: Arc<Modify>,
    input: BoxOperator,
    batch: Batch,
    pub(super) writer: TableWriter,
    pub(super) evaluator: Evaluator,
    pub(super) foreign_keys: ForeignKeys,
    returned: VecDeque<Row>,
    done: bool,
    counts: bool,
}

impl ModifyOperator {
    pub fn new(ctx: &ExecContext, node: &Arc<Modify>) -> Self {
        let mut exprs: Vec<_> = node.returning.iter().collect();
        match &node.operation {
            Operation::Update { set, .. } => exprs.extend(set.iter().map(|(_, expr)| expr)),
            Operation::Insert { on_conflict: Some(plan) } => {
                if let Some(update) = &plan.update {
                    exprs.extend(update.set.iter().map(|(_, expr)| expr).chain(&update.filter));
                }
            }
            Operation::Insert { on_conflict: None } | Operation::Delete { .. } => {}
        }
        // The command tag counts the rows of the statement's own modification, not of those in its WITH.
        let counts = matches!(&ctx.plan.root.kind, NodeKind::Modify(root) if Arc::ptr_eq(root, node));
        ModifyOperator {
            input: build(&node.input, ctx),
            batch: Batch::default(),
            writer: TableWriter::new(Arc::clone(&node.target)),
            evaluator: Evaluator::new(&ctx.plan, exprs),
            foreign_keys: ForeignKeys::of(&node.target.table, &ctx.catalog),
            returned: VecDeque::new(),
            done: false,
            counts,
            node: Arc::clone(node),
        }
    }

    async fn run(&mut self, ctx: &ExecContext) -> Result<()> {
        loop {
            ctx.breathe().await?;
            let mut batch = std::mem::take(&mut self.batch);
            let more = self.input.next(ctx, BATCH_ROWS_MAX, &mut batch).await?;
            for index in 0..batch.len() {
                let row = batch.take_row(index);
                self.one(ctx, row).await?;
            }
            self.batch = batch;
            if !more {
                break;
            }
        }
        self.foreign_keys.check(ctx).await
    }

    async fn one(&mut self, ctx: &ExecContext, input: Row) -> Result<()> {
        let node = Arc::clone(&self.node);
        match &node.operation {
            Operation::Insert { on_conflict: None } => self.insert(ctx, input).await,
            Operation::Insert { on_conflict: Some(plan) } => conflict::insert(self, ctx, plan, input).await,
            Operation::Update { scan, identity, .. } => self.update(ctx, *scan, *identity, input).await,
            Operation::Delete { scan, identity } => self.delete(ctx, *scan, *identity, input).await,
        }
    }

    async fn insert(&mut self, ctx: &ExecContext, mut row: Row) -> Result<()> {
        self.writer.check_row(ctx, &mut row)?;
        let key = self.writer.insert(ctx, &row).await?;
        self.inserted(ctx, &key, row).await
    }

    /// After a row was inserted: foreign keys, RETURNING, the count.
    pub(super) async fn inserted(&mut self, ctx: &ExecContext, key: &Bytes, row: Row) -> Result<()> {
        self.foreign_keys.inserted(&row);
        self.give(ctx, key, &row, &[]).await
    }

    async fn update(&mut self, ctx: &ExecContext, scan: ScanId, identity: usize, mut input: Row) -> Result<()> {
        let Some(key) = identity_key(&input[identity]) else {
            return Ok(());
        };
        let id = RowId {
            relation: self.node.target.table.oid,
            storage: self.node.target.table.storage,
            key,
        };
        let Some(mut stored) = ctx.txn.get(&ctx.view, id.storage, &id.key)? else {
            return Ok(());
        };
        // Each turn computes the new row from the newest version that is known, and ends when that very version is
        // locked in a mode that is strong enough.
        let mut held = None;
        loop {
            let old = self.writer.decode(&stored)?;
            let mut new = self.updated_row(ctx, &old, &input).await?;
            let mode = if self.writer.changes_key(&old, &new) {
                RecordMode::Update
            } else {
                RecordMode::NoKeyUpdate
            };
            if held.is_none_or(|held| held < mode) {
                match ctx.txn.lock_row(&id, &ctx.view, mode, Wait::Block, &ctx.timeouts).await? {
                    RowLock::Same(_) => {}
                    RowLock::Changed(row) if row == stored => {}
                    RowLock::Changed(row) => {
                        let exchanged = [Exchanged {
                            scan,
                            key: id.key.clone(),
                            row: row.clone(),
                        }];
                        match recheck(ctx, &self.node.input, &self.node.sources, &input, &exchanged).await? {
                            Some(again) => input = again,
                            None => return Ok(()),
                        }
                        stored = row;
                        held = Some(mode);
                        continue;
                    }
                    // Gone, or changed by this very command before (a join that finds a row twice updates it once).
                    RowLock::Gone | RowLock::OwnWrite => return Ok(()),
                    RowLock::NotAvailable | RowLock::Skipped => {
                        return Err(PgError::internal("a blocking row lock was refused"));
                    }
                }
            }
            self.writer.check_row(ctx, &mut new)?;
            let new_key = self.writer.update(ctx, &id.key, &old, &new).await?;
            self.foreign_keys.updated(&old, &new);
            return self.give(ctx, &new_key, &new, &input).await;
        }
    }

    async fn updated_row(&mut self, ctx: &ExecContext, old: &Row, input: &Row) -> Result<Row> {
        let node = Arc::clone(&self.node);
        let Operation::Update { set, .. } = &node.operation else {
            return Err(PgError::internal("only UPDATE computes new values"));
        };
        let mut new = old.clone();
        for (column, expr) in set {
            new[*column] = self.evaluator.eval(ctx, expr, input).await?;
        }
        Ok(new)
    }

    async fn delete(&mut self, ctx: &ExecContext, scan: ScanId, identity: usize, mut input: Row) -> Result<()> {
        let Some(key) = identity_key(&input[identity]) else {
            return Ok(());
        };
        let id = RowId {
            relation: self.node.target.table.oid,
            storage: self.node.target.table.storage,
            key,
        };
        let stored = match ctx
            .txn
            .lock_row(&id, &ctx.view, RecordMode::Update, Wait::Block, &ctx.timeouts)
            .await?
        {
            RowLock::Same(row) => row,
            RowLock::Changed(row) => {
                let exchanged = [Exchanged {
                    scan,
                    key: id.key.clone(),
                    row: row.clone(),
                }];
                match recheck(ctx, &self.node.input, &self.node.sources, &input, &exchanged).await? {
                    Some(again) => input = again,
                    None => return Ok(()),
                }
                row
            }
            RowLock::Gone | RowLock::OwnWrite => return Ok(()),
            RowLock::NotAvailable | RowLock::Skipped => return Err(PgError::internal("a blocking row lock was refused")),
        };
        let old = self.writer.decode(&stored)?;
        self.writer.delete(ctx, &id.key, &old).await?;
        self.foreign_keys.deleted(&old);
        self.give(ctx, &id.key, &old, &input).await
    }

    /// Counts a written row and computes its RETURNING row.
    pub(super) async fn give(&mut self, ctx: &ExecContext, key: &Bytes, row: &Row, input: &[Value]) -> Result<()> {
        if self.counts {
            ctx.add_affected(1);
        }
        if !self.node.has_returning {
            return Ok(());
        }
        let node = Arc::clone(&self.node);
        let mut scope = row.clone();
        scope.extend(system_columns(ctx, &node, key));
        scope.extend_from_slice(input);
        let mut returned = Vec::with_capacity(node.returning.len());
        for expr in &node.returning {
            returned.push(self.evaluator.eval(ctx, expr, &scope).await?);
        }
        self.returned.push_back(returned);
        Ok(())
    }
}

/// Values of `RETURNING_SYSTEM` for a row just written: tableoid, xmin, xmax, ctid.
pub(super) fn system_columns(ctx: &ExecContext, node: &Modify, key: &Bytes) -> [Value; 4] {
    #[allow(clippy::cast_possible_truncation)]
    let xmin = ctx.txn.xid().0 as u32;
    [
        Value::Oid(node.target.table.oid.0),
        Value::Oid(xmin),
        Value::Oid(0),
        identity(key),
    ]
}

#[async_trait]
impl Operator for ModifyOperator {
    async fn next(&mut self, ctx: &ExecContext, max_rows: usize, out: &mut Batch) -> Result<bool> {
        out.reset(self.node.returning.len());
        if !self.done {
            self.run(ctx).await?;
            self.done = true;
        }
        while out.len() < max_rows {
            match self.returned.pop_front() {
                Some(row) => out.push_values(row),
                None => return Ok(false),
            }
        }
        Ok(!self.returned.is_empty())
    }

    async fn rescan(&mut self, _ctx: &ExecContext) -> Result<()> {
        Err(PgError::internal("a modification runs once"))
    }
}
