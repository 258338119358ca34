//! Append, and hashed INTERSECT and EXCEPT.

use std::sync::Arc;

use async_trait::async_trait;
use rustc_hash::FxHashMap;

use super::build::build;
use super::context::ExecContext;
use super::operator::{BoxOperator, Operator};
use super::row::{Batch, Row};
use super::slots::{hash_row, same_group};
use crate::bind::tree::SetKind;
use crate::error::Result;
use crate::limits::BATCH_ROWS_MAX;
use crate::plan::node::{Append, HashSetOp};

pub struct AppendOp {
    inputs: Vec<BoxOperator>,
    at: usize,
    width: usize,
}

impl AppendOp {
    pub fn new(ctx: &ExecContext, node: &Arc<Append>) -> Self {
        AppendOp {
            inputs: node.inputs.iter().map(|input| build(input, ctx)).collect(),
            at: 0,
            width: node.inputs.first().map_or(0, |input| input.width),
        }
    }
}

#[async_trait]
impl Operator for AppendOp {
    async fn next(&mut self, ctx: &ExecContext, max_rows: usize, out: &mut Batch) -> Result<bool> {
        out.reset(self.width);
        while let Some(input) = self.inputs.get_mut(self.at) {
            let more = input.next(ctx, max_rows, out).await?;
            if !more {
                self.at += 1;
            }
            if !out.is_empty() {
                return Ok(self.at < self.inputs.len());
            }
        }
        Ok(false)
    }

    async fn rescan(&mut self, ctx: &ExecContext) -> Result<()> {
        self.at = 0;
        for input in &mut self.inputs {
            input.rescan(ctx).await?;
        }
        Ok(())
    }
}

/// Counts each value on both sides.
pub struct HashSetOpOp {
    node: Arc<HashSetOp>,
    left: BoxOperator,
    right: BoxOperator,
    loaded: bool,
    /// Rows to give, with how often each, last first.
    output: Vec<(Row, u64)>,
}

impl HashSetOpOp {
    pub fn new(ctx: &ExecContext, node: &Arc<HashSetOp>) -> Self {
        HashSetOpOp {
            left: build(&node.left, ctx),
            right: build(&node.right, ctx),
            node: Arc::clone(node),
            loaded: false,
            output: Vec::new(),
        }
    }

    async fn load(&mut self, ctx: &ExecContext) -> Result<()> {
        let types = &self.node.types;
        let mut rows: Vec<(Row, [u64; 2])> = Vec::new();
        let mut index: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
        let mut batch = Batch::default();
        for side in 0..2 {
            let input = if side == 0 { &mut self.left } else { &mut self.right };
            loop {
                let more = input.next(ctx, BATCH_ROWS_MAX, &mut batch).await?;
                for row in batch.rows() {
                    let row = &row[..types.len()];
                    let bucket = index.entry(hash_row(row, types)).or_default();
                    match bucket.iter().find(|place| same_group(&rows[**place].0, row, types)) {
                        Some(place) => rows[*place].1[side] += 1,
                        None if side == 0 => {
                            bucket.push(rows.len());
                            rows.push((row.to_vec(), [1, 0]));
                        }
                        None => {}
                    }
                }
                if !more {
                    break;
                }
            }
        }
        let node = &self.node;
        self.output = rows
            .into_iter()
            .map(|(row, [left, right])| {
                let count = match (node.kind, node.all) {
                    (SetKind::Intersect, true) => left.min(right),
                    (SetKind::Intersect, false) => u64::from(right > 0),
                    (SetKind::Except, true) => left.saturating_sub(right),
                    (SetKind::Except, false) => u64::from(right == 0),
                    (SetKind::Union, _) => left + right,
                };
                (row, count)
            })
            .filter(|(_, count)| *count > 0)
            .collect();
        self.output.reverse();
        self.loaded = true;
        Ok(())
    }
}

#[async_trait]
impl Operator for HashSetOpOp {
    async fn next(&mut self, ctx: &ExecContext, max_rows: usize, out: &mut Batch) -> Result<bool> {
        out.reset(self.node.types.len());
        ctx.breathe().await?;
        if !self.loaded {
            self.load(ctx).await?;
        }
        while out.len() < max_rows {
            let Some((row, count)) = self.output.last_mut() else {
                return Ok(false);
            };
            out.push(row);
            *count -= 1;
            if *count == 0 {
                self.output.pop();
            }
        }
        Ok(!self.output.is_empty())
    }

    async fn rescan(&mut self, ctx: &ExecContext) -> Result<()> {
        self.loaded = false;
        self.output.clear();
        self.left.rescan(ctx).await?;
        self.right.rescan(ctx).await
    }
}
