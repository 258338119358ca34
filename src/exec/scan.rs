//! Every row of a table, in key order.

use std::ops::Bound;

use async_trait::async_trait;
use bytes::Bytes;

use super::access::{self, Decoder};
use super::context::ExecContext;
use super::operator::Operator;
use super::row::{Batch, EpqRow};
use super::slots::{Evaluator, test_sync};
use crate::error::Result;
use crate::limits::BATCH_ROWS_MAX;
use crate::plan::node::SeqScan;
use crate::storage::Direction;
use crate::txn::{Scan, ScanRange};

/// Rows read from the store at once, at first: a small LIMIT should not pay for a large read.
pub(super) const FIRST_READ: usize = 64;

pub struct SeqScanOp {
    node: std::sync::Arc<SeqScan>,
    decoder: Decoder,
    evaluator: Evaluator,
    scan: Option<Scan>,
    buffer: Vec<(Bytes, Bytes)>,
    /// First unread place of `buffer`.
    at: usize,
    /// More may be in the scan.
    more: bool,
    reads: usize,
    read_len: usize,
    done: bool,
}

impl SeqScanOp {
    pub fn new(ctx: &ExecContext, node: &std::sync::Arc<SeqScan>) -> Self {
        SeqScanOp {
            decoder: Decoder::new(&node.target),
            evaluator: Evaluator::new(&ctx.plan, &node.filter),
            node: std::sync::Arc::clone(node),
            scan: None,
            buffer: Vec::new(),
            at: 0,
            more: true,
            reads: 0,
            read_len: FIRST_READ,
            done: false,
        }
    }

    /// Reads the next stretch into the buffer.
    fn read(&mut self, ctx: &ExecContext, demand: usize) -> Result<()> {
        self.buffer.clear();
        self.at = 0;
        if self.scan.is_none() {
            let range = ScanRange {
                lower: Bound::Unbounded,
                upper: Bound::Unbounded,
            };
            self.scan = Some(
                ctx.txn
                    .scan(&ctx.view, self.node.target.table.storage, range, Direction::Forward)?,
            );
            // A filter throws some away; a small LIMIT still should not pay for a large read.
            self.read_len = if self.node.filter.is_some() {
                (demand.saturating_mul(4)).clamp(4, FIRST_READ)
            } else {
                demand.clamp(1, BATCH_ROWS_MAX)
            };
        }
        let scan = self.scan.as_mut().expect("set above");
        let (buffer, len) = (&mut self.buffer, self.read_len);
        self.more = access::blocking(self.reads > 4, || scan.next_batch(&ctx.txn, len, buffer))?;
        self.reads += 1;
        self.read_len = (self.read_len * 2).min(BATCH_ROWS_MAX);
        Ok(())
    }

    async fn epq(&mut self, ctx: &ExecContext, row: &EpqRow, out: &mut Batch) -> Result<bool> {
        if !self.done {
            self.done = true;
            self.decoder.push_epq(row, out)?;
            if let Some(filter) = &self.node.filter {
                self.evaluator.retain(ctx, filter, out).await?;
            }
        }
        Ok(false)
    }
}

#[async_trait]
impl Operator for SeqScanOp {
    async fn next(&mut self, ctx: &ExecContext, max_rows: usize, out: &mut Batch) -> Result<bool> {
        out.reset(self.decoder.width());
        if let Some(row) = ctx.epq.as_ref().and_then(|rows| rows.get(self.node.target.scan)) {
            let row = row.clone();
            return self.epq(ctx, &row, out).await;
        }
        ctx.breathe().await?;
        while out.is_empty() {
            if self.at == self.buffer.len() {
                if !self.more {
                    return Ok(false);
                }
                self.read(ctx, max_rows)?;
            }
            if let (Some(filter), true) = (&self.node.filter, self.evaluator.is_sync()) {
                let eval_context = ctx.eval();
                while self.at < self.buffer.len() && out.len() < max_rows {
                    let (key, row) = &self.buffer[self.at];
                    self.at += 1;
                    self.decoder.push(key, row, out)?;
                    if !test_sync(&eval_context, filter, out.row(out.len() - 1))? {
                        out.pop();
                    }
                }
            } else {
                while self.at < self.buffer.len() && out.len() < max_rows {
                    let (key, row) = &self.buffer[self.at];
                    self.at += 1;
                    self.decoder.push(key, row, out)?;
                }
                if let Some(filter) = &self.node.filter {
                    self.evaluator.retain(ctx, filter, out).await?;
                }
            }
            if out.is_empty() {
                ctx.breathe().await?;
            }
        }
        Ok(self.more || self.at < self.buffer.len())
    }

    async fn rescan(&mut self, _ctx: &ExecContext) -> Result<()> {
        self.scan = None;
        self.buffer.clear();
        self.at = 0;
        self.more = true;
        self.reads = 0;
        self.done = false;
        Ok(())
    }
}
