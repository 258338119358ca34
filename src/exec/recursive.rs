//! WITH RECURSIVE: the start's rows, then the step over the rows of the round before, until a round gives none.

use std::sync::Arc;

use async_trait::async_trait;

use super::build::build;
use super::context::ExecContext;
use super::distinct::RowSet;
use super::operator::{BoxOperator, Operator};
use super::row::Batch;
use crate::error::Result;
use crate::plan::node::RecursiveUnion;

pub struct RecursiveUnionOp {
    node: Arc<RecursiveUnion>,
    start: BoxOperator,
    step: BoxOperator,
    seen: RowSet,
    /// What this round has made: the next round's work table.
    made: Batch,
    stepping: bool,
    done: bool,
}

impl RecursiveUnionOp {
    pub fn new(ctx: &ExecContext, node: &Arc<RecursiveUnion>) -> Self {
        RecursiveUnionOp {
            start: build(&node.start, ctx),
            step: build(&node.step, ctx),
            seen: RowSet::default(),
            made: Batch::new(node.types.len()),
            node: Arc::clone(node),
            stepping: false,
            done: false,
        }
    }

    /// Drops rows seen before (UNION without ALL) and remembers the others for the next round.
    fn take(&mut self, out: &mut Batch) {
        let mut kept = 0;
        for index in 0..out.len() {
            if self.node.all || self.seen.insert(&out.row(index)[..self.node.types.len()], &self.node.types) {
                out.move_row(index, kept);
                kept += 1;
            }
        }
        out.truncate(kept);
        for row in out.rows() {
            self.made.push(&row[..self.node.types.len()]);
        }
    }

    async fn next_round(&mut self, ctx: &ExecContext) -> Result<()> {
        if self.made.is_empty() {
            self.done = true;
            return Ok(());
        }
        let rows = std::mem::replace(&mut self.made, Batch::new(self.node.types.len()));
        ctx.ctes.set_work_table(self.node.work_table, Arc::new(rows));
        self.stepping = true;
        self.step.rescan(ctx).await
    }
}

#[async_trait]
impl Operator for RecursiveUnionOp {
    async fn next(&mut self, ctx: &ExecContext, max_rows: usize, out: &mut Batch) -> Result<bool> {
        out.reset(self.node.types.len());
        while !self.done {
            ctx.breathe().await?;
            let input = if self.stepping { &mut self.step } else { &mut self.start };
            let more = input.next(ctx, max_rows, out).await?;
            self.take(out);
            if !more {
                self.next_round(ctx).await?;
            }
            if !out.is_empty() {
                return Ok(!self.done);
            }
        }
        Ok(false)
    }

    async fn rescan(&mut self, ctx: &ExecContext) -> Result<()> {
        self.seen.clear();
        self.made.reset(self.node.types.len());
        self.stepping = false;
        self.done = false;
        self.start.rescan(ctx).await
    }
}
