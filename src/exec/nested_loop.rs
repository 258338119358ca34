//! Nested loop: for each left row the right side is run again, or its kept rows are gone through again.

use std::sync::Arc;

use async_trait::async_trait;

use super::build::build;
use super::context::ExecContext;
use super::operator::{BoxOperator, Operator};
use super::row::Batch;
use super::slots::Evaluator;
use crate::error::Result;
use crate::limits::BATCH_ROWS_MAX;
use crate::plan::node::{JoinType, NestedLoop};
use crate::types::Value;

pub struct NestedLoopOp {
    node: Arc<NestedLoop>,
    left: BoxOperator,
    right: BoxOperator,
    evaluator: Evaluator,
    left_rows: Batch,
    /// The left row at hand.
    at: usize,
    left_more: bool,
    right_rows: Batch,
    right_at: usize,
    right_more: bool,
    /// The right side runs (or its kept rows are gone through) for the left row at hand.
    running: bool,
    matched: bool,
    /// The right side's rows, where they do not depend on the left row.
    kept: Option<Kept>,
    pair: Vec<Value>,
}

struct Kept {
    rows: Batch,
    stamp: u64,
}

impl NestedLoopOp {
    pub fn new(ctx: &ExecContext, node: &Arc<NestedLoop>) -> Self {
        let params = node.params.iter().map(|(_, expr)| expr);
        NestedLoopOp {
            left: build(&node.left, ctx),
            right: build(&node.right, ctx),
            evaluator: Evaluator::new(&ctx.plan, params.chain(&node.condition).chain(&node.filter)),
            node: Arc::clone(node),
            left_rows: Batch::default(),
            at: 0,
            left_more: true,
            right_rows: Batch::default(),
            right_at: 0,
            right_more: false,
            running: false,
            matched: false,
            kept: None,
            pair: Vec::new(),
        }
    }

    fn keeps(&self) -> bool {
        self.node.params.is_empty()
    }

    /// Starts the right side for the left row at hand.
    async fn start_right(&mut self, ctx: &ExecContext) -> Result<()> {
        self.running = true;
        self.matched = false;
        self.right_at = 0;
        if self.keeps() {
            let stamp = ctx.outer.stamp(&self.node.right.reads);
            if self.kept.as_ref().is_none_or(|kept| kept.stamp != stamp) {
                self.right.rescan(ctx).await?;
                let mut rows = Batch::new(self.node.right.width);
                loop {
                    let more = self.right.next(ctx, BATCH_ROWS_MAX, &mut self.right_rows).await?;
                    for row in self.right_rows.rows() {
                        rows.push(row);
                    }
                    if !more {
                        break;
                    }
                }
                self.kept = Some(Kept { rows, stamp });
            }
            return Ok(());
        }
        let node = Arc::clone(&self.node);
        for (outer, expr) in &node.params {
            let value = self.evaluator.eval(ctx, expr, self.left_rows.row(self.at)).await?;
            ctx.outer.set(*outer, value);
        }
        self.right_rows.reset(self.node.right.width);
        self.right_more = true;
        self.right.rescan(ctx).await
    }

    /// Puts the next right row into `pair` after the left row; false at the end of the right side.
    async fn next_pair(&mut self, ctx: &ExecContext, demand: usize) -> Result<bool> {
        loop {
            let (rows, more) = match &self.kept {
                Some(kept) if self.node.params.is_empty() => (&kept.rows, false),
                _ => (&self.right_rows, self.right_more),
            };
            if self.right_at < rows.len() {
                self.pair.clear();
                self.pair.extend_from_slice(self.left_rows.row(self.at));
                self.pair.extend_from_slice(rows.row(self.right_at));
                self.right_at += 1;
                return Ok(true);
            }
            if !more {
                return Ok(false);
            }
            self.right_at = 0;
            self.right_more = self.right.next(ctx, demand, &mut self.right_rows).await?;
        }
    }

    /// Goes on with the left row at hand until a row comes out or the right side ends.
    async fn step(&mut self, ctx: &ExecContext, demand: usize, out: &mut Batch) -> Result<()> {
        let node = Arc::clone(&self.node);
        let demand = if node.condition.is_some() { BATCH_ROWS_MAX } else { demand };
        let mut tried = 0u32;
        while self.next_pair(ctx, demand).await? {
            tried += 1;
            if tried.is_multiple_of(4096) {
                ctx.breathe().await?;
            }
            if let Some(condition) = &node.condition
                && !self.evaluator.test(ctx, condition, &self.pair).await?
            {
                continue;
            }
            self.matched = true;
            match node.kind {
                JoinType::Semi => {
                    self.running = false;
                    out.push(self.left_rows.row(self.at));
                }
                JoinType::Anti | JoinType::NullAwareAnti => self.running = false,
                _ => out.push(&self.pair),
            }
            return self.evaluator.retain_last(ctx, self.node.filter.as_ref(), out).await;
        }
        self.running = false;
        if self.matched {
            return Ok(());
        }
        match node.kind {
            JoinType::Left => {
                let nulls = vec![Value::Null; node.right.width];
                out.push_pair(self.left_rows.row(self.at), &nulls);
            }
            JoinType::Anti | JoinType::NullAwareAnti => out.push(self.left_rows.row(self.at)),
            _ => return Ok(()),
        }
        self.evaluator.retain_last(ctx, self.node.filter.as_ref(), out).await
    }
}

#[async_trait]
impl Operator for NestedLoopOp {
    async fn next(&mut self, ctx: &ExecContext, max_rows: usize, out: &mut Batch) -> Result<bool> {
        let left_only = matches!(self.node.kind, JoinType::Semi | JoinType::Anti | JoinType::NullAwareAnti);
        out.reset(self.node.left.width + if left_only { 0 } else { self.node.right.width });
        ctx.breathe().await?;
        while out.len() < max_rows {
            if !self.running {
                // `at` stands behind the last finished left row.
                if self.at >= self.left_rows.len() {
                    if !self.left_more {
                        return Ok(false);
                    }
                    self.left_more = self.left.next(ctx, max_rows, &mut self.left_rows).await?;
                    self.at = 0;
                    continue;
                }
                self.start_right(ctx).await?;
            }
            let before = out.len();
            self.step(ctx, max_rows - before, out).await?;
            if !self.running {
                self.at += 1;
            }
        }
        Ok(true)
    }

    async fn rescan(&mut self, ctx: &ExecContext) -> Result<()> {
        self.left_rows.reset(self.node.left.width);
        self.at = 0;
        self.left_more = true;
        self.running = false;
        self.left.rescan(ctx).await
    }
}
