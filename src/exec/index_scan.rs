//! Rows of a table in an index's order, within bounds.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;

use super::access::{self, Decoder, IndexLayout};
use super::context::ExecContext;
use super::operator::Operator;
use super::row::{Batch, EpqRow};
use super::scan::FIRST_READ;
use super::slots::Evaluator;
use crate::bind::tree::Expr;
use crate::error::Result;
use crate::limits::BATCH_ROWS_MAX;
use crate::plan::node::{IndexBounds, IndexScan, KeyTerm};
use crate::storage::Direction;
use crate::txn::{Scan, ScanRange};
use crate::types::Value;
use crate::types::compare::compare_as;

pub struct IndexScanOp {
    node: Arc<IndexScan>,
    layout: IndexLayout,
    decoder: Decoder,
    filter: Evaluator,
    recheck: Evaluator,
    bounds: Evaluator,
    /// Ranges still to be read, last first.
    ranges: Option<Vec<ScanRange>>,
    /// Whole keys of a unique index instead of ranges, last first.
    points: Vec<Bytes>,
    scan: Option<Scan>,
    entries: Vec<(Bytes, Bytes)>,
    /// Keys and rows fetched from the table.
    rows: Vec<(Bytes, Option<Bytes>)>,
    at: usize,
    more: bool,
    read_len: usize,
    reads: usize,
    done: bool,
}

impl IndexScanOp {
    pub fn new(ctx: &ExecContext, node: &Arc<IndexScan>) -> Self {
        IndexScanOp {
            layout: IndexLayout::new(&node.target.table, &node.index),
            decoder: Decoder::new(&node.target),
            filter: Evaluator::new(&ctx.plan, &node.filter),
            recheck: Evaluator::new(&ctx.plan, &node.recheck),
            bounds: Evaluator::new(&ctx.plan, bound_exprs(&node.bounds)),
            node: Arc::clone(node),
            ranges: None,
            points: Vec::new(),
            scan: None,
            entries: Vec::new(),
            rows: Vec::new(),
            at: 0,
            more: false,
            read_len: FIRST_READ,
            reads: 0,
            done: false,
        }
    }

    /// Reads the next stretch of the index and the rows it names. False at the end.
    fn read(&mut self, ctx: &ExecContext) -> Result<bool> {
        self.rows.clear();
        self.at = 0;
        if !self.points.is_empty() {
            return self.read_points(ctx);
        }
        loop {
            if !self.more {
                let Some(range) = self.ranges.as_mut().and_then(Vec::pop) else {
                    return Ok(false);
                };
                let storage = if self.node.primary {
                    self.node.target.table.storage
                } else {
                    self.layout.storage()?
                };
                let direction = if self.node.backward {
                    Direction::Backward
                } else {
                    Direction::Forward
                };
                self.scan = Some(ctx.txn.scan(&ctx.view, storage, range, direction)?);
            }
            let scan = self.scan.as_mut().expect("opened above, or more follows");
            self.entries.clear();
            let (entries, len) = (&mut self.entries, self.read_len);
            self.more = access::blocking(self.reads > 4, || scan.next_batch(&ctx.txn, len, entries))?;
            self.reads += 1;
            if !self.entries.is_empty() {
                break;
            }
        }
        self.read_len = (self.read_len * 2).min(BATCH_ROWS_MAX);
        if self.node.primary {
            self.rows.extend(self.entries.drain(..).map(|(key, row)| (key, Some(row))));
            return Ok(true);
        }
        let mut keys = Vec::with_capacity(self.entries.len());
        for (key, value) in &self.entries {
            keys.push(self.layout.row_key(key, value)?);
        }
        let storage = self.node.target.table.storage;
        let found = access::blocking(self.reads > 4, || ctx.txn.multi_get(&ctx.view, storage, &keys))?;
        self.rows.extend(keys.into_iter().zip(found));
        Ok(true)
    }

    /// Rows of the next few whole keys. False at the end.
    fn read_points(&mut self, ctx: &ExecContext) -> Result<bool> {
        while !self.points.is_empty() && self.rows.is_empty() {
            let from = self.points.len().saturating_sub(self.read_len);
            let mut keys: Vec<Bytes> = self.points.drain(from..).rev().collect();
            if !self.node.primary {
                let entries = ctx.txn.multi_get(&ctx.view, self.layout.storage()?, &keys)?;
                keys = entries
                    .into_iter()
                    .flatten()
                    .map(|entry| self.layout.row_key(&[], &entry))
                    .collect::<Result<_>>()?;
            }
            let found = ctx.txn.multi_get(&ctx.view, self.node.target.table.storage, &keys)?;
            self.rows.extend(keys.into_iter().zip(found).filter(|(_, row)| row.is_some()));
            self.read_len = (self.read_len * 2).min(BATCH_ROWS_MAX);
        }
        Ok(!self.rows.is_empty())
    }

    async fn open(&mut self, ctx: &ExecContext, max_rows: usize) -> Result<()> {
        let node = Arc::clone(&self.node);
        let prefixes = prefixes(ctx, &node.bounds, &self.layout, &mut self.bounds).await?;
        // Taken from the end.
        if is_points(&node) {
            self.points = prefixes.into_iter().map(Bytes::from).collect();
            self.ranges = Some(Vec::new());
            if !node.backward {
                self.points.reverse();
            }
        } else {
            let mut ranges = ranges(ctx, &node.bounds, &self.layout, &mut self.bounds, prefixes).await?;
            if !node.backward {
                ranges.reverse();
            }
            self.ranges = Some(ranges);
        }
        // A filter throws some away; a small LIMIT still should not pay for a large read.
        self.read_len = if node.filter.is_some() {
            (max_rows.saturating_mul(4)).clamp(4, FIRST_READ)
        } else {
            max_rows.clamp(1, BATCH_ROWS_MAX)
        };
        Ok(())
    }

    async fn epq(&mut self, ctx: &ExecContext, row: &EpqRow, out: &mut Batch) -> Result<bool> {
        if !self.done {
            self.done = true;
            self.decoder.push_epq(row, out)?;
            if let Some(recheck) = &self.node.recheck {
                self.recheck.retain(ctx, recheck, out).await?;
            }
        }
        Ok(false)
    }
}

#[async_trait]
impl Operator for IndexScanOp {
    async fn next(&mut self, ctx: &ExecContext, max_rows: usize, out: &mut Batch) -> Result<bool> {
        out.reset(self.decoder.width());
        if let Some(row) = ctx.epq.as_ref().and_then(|rows| rows.get(self.node.target.scan)) {
            let row = row.clone();
            return self.epq(ctx, &row, out).await;
        }
        ctx.breathe().await?;
        if self.ranges.is_none() {
            self.open(ctx, max_rows).await?;
        }
        while out.is_empty() {
            if self.at == self.rows.len() && !self.read(ctx)? {
                return Ok(false);
            }
            while self.at < self.rows.len() && out.len() < max_rows {
                let (key, row) = &self.rows[self.at];
                self.at += 1;
                if let Some(row) = row {
                    self.decoder.push(key, row, out)?;
                }
            }
            if let Some(filter) = &self.node.filter {
                self.filter.retain(ctx, filter, out).await?;
            }
            if out.is_empty() {
                ctx.breathe().await?;
            }
        }
        Ok(true)
    }

    async fn rescan(&mut self, _ctx: &ExecContext) -> Result<()> {
        self.ranges = None;
        self.points.clear();
        self.scan = None;
        self.more = false;
        self.rows.clear();
        self.at = 0;
        self.reads = 0;
        self.done = false;
        Ok(())
    }
}

/// All expressions of the bounds.
pub(crate) fn bound_exprs(bounds: &IndexBounds) -> impl Iterator<Item = &Expr> {
    let terms = bounds.equal.iter().filter_map(|term| match term {
        KeyTerm::Equal(expr) | KeyTerm::AnyOf(expr) => Some(expr),
        KeyTerm::IsNull => None,
    });
    terms.chain(bounds.lower.iter().chain(&bounds.upper).map(|(expr, _)| expr))
}

/// Whether each combination of key values names one row at most.
fn is_points(node: &IndexScan) -> bool {
    let single = |term: &KeyTerm| !matches!(term, KeyTerm::IsNull);
    (node.primary || (node.index.unique && !node.index.deferrable))
        && node.bounds.equal.len() == node.index.keys.len()
        && node.bounds.equal.iter().all(single)
}

/// Every combination of the leading columns' values, encoded, in index order.
async fn prefixes(
    ctx: &ExecContext,
    bounds: &IndexBounds,
    layout: &IndexLayout,
    evaluator: &mut Evaluator,
) -> Result<Vec<Vec<u8>>> {
    let mut prefixes: Vec<Vec<u8>> = vec![Vec::new()];
    for (place, term) in bounds.equal.iter().enumerate() {
        let values = match term {
            KeyTerm::Equal(expr) => match evaluator.eval(ctx, expr, &[]).await? {
                Value::Null => return Ok(Vec::new()),
                value => vec![value],
            },
            KeyTerm::IsNull => vec![Value::Null],
            KeyTerm::AnyOf(expr) => match evaluator.eval(ctx, expr, &[]).await? {
                Value::Array(array) => distinct_values(layout, place, &array.values),
                _ => return Ok(Vec::new()),
            },
        };
        let mut longer = Vec::with_capacity(prefixes.len() * values.len());
        for prefix in &prefixes {
            for value in &values {
                let mut key = prefix.clone();
                if layout.encode(place, value, &mut key)? {
                    longer.push(key);
                }
            }
        }
        prefixes = longer;
    }
    Ok(prefixes)
}

/// The key ranges that the bounds stand for after each prefix.
async fn ranges(
    ctx: &ExecContext,
    bounds: &IndexBounds,
    layout: &IndexLayout,
    evaluator: &mut Evaluator,
    prefixes: Vec<Vec<u8>>,
) -> Result<Vec<ScanRange>> {
    let mut side = [None, None];
    for (slot, bound) in side.iter_mut().zip([&bounds.lower, &bounds.upper]) {
        if let Some((expr, inclusive)) = bound {
            match evaluator.eval(ctx, expr, &[]).await? {
                Value::Null => return Ok(Vec::new()),
                value => *slot = Some((value, *inclusive)),
            }
        }
    }
    let [lower, upper] = side;
    let mut out = Vec::with_capacity(prefixes.len());
    for prefix in prefixes {
        out.extend(layout.range(prefix, bounds.equal.len(), lower.as_ref(), upper.as_ref(), bounds.not_null)?);
    }
    Ok(out)
}

/// The values to look for, in index order, each once, without nulls.
fn distinct_values(layout: &IndexLayout, place: usize, values: &[Value]) -> Vec<Value> {
    let (ty, descending) = layout.key_type(place);
    let mut sorted: Vec<Value> = values.iter().filter(|value| !value.is_null()).cloned().collect();
    sorted.sort_by(|a, b| {
        if descending {
            compare_as(ty, b, a)
        } else {
            compare_as(ty, a, b)
        }
    });
    sorted.dedup_by(|a, b| compare_as(ty, a, b).is_eq());
    sorted
}
