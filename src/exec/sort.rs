//! Sorting: in memory, the best few only, or past `work_mem` in runs on disk.

use std::cmp::Ordering;
use std::sync::Arc;

use async_trait::async_trait;

use super::build::build;
use super::context::ExecContext;
use super::operator::{BoxOperator, Operator};
use super::row::{Batch, Row};
use super::slots::Evaluator;
use super::spill::{RunReader, Runs};
use crate::error::Result;
use crate::limits::BATCH_ROWS_MAX;
use crate::plan::node::{Sort, SortColumn};
use crate::types::Value;
use crate::types::compare::compare_as;

/// How two rows stand in an order.
pub fn compare_rows(keys: &[SortColumn], a: &[Value], b: &[Value]) -> Ordering {
    for key in keys {
        let ordering = compare_values(key, &a[key.column], &b[key.column]);
        if ordering.is_ne() {
            return ordering;
        }
    }
    Ordering::Equal
}

fn compare_values(key: &SortColumn, a: &Value, b: &Value) -> Ordering {
    match (a.is_null(), b.is_null()) {
        (true, true) => Ordering::Equal,
        (true, false) if key.nulls_first => Ordering::Less,
        (true, false) => Ordering::Greater,
        (false, true) if key.nulls_first => Ordering::Greater,
        (false, true) => Ordering::Less,
        (false, false) if key.descending => compare_as(key.ty, b, a),
        (false, false) => compare_as(key.ty, a, b),
    }
}

/// Rough bytes of a row in memory.
pub fn row_size(row: &[Value]) -> usize {
    row.iter()
        .map(|value| {
            size_of::<Value>()
                + match value {
                    Value::Text(text) if text.len() > 23 => text.len(),
                    Value::Bytea(bytes) => bytes.len(),
                    Value::Array(array) => array.values.len() * size_of::<Value>(),
                    Value::Record(record) => record.fields.len() * (size_of::<Value>() + 8),
                    Value::Jsonb(_) => 256,
                    _ => 0,
                }
        })
        .sum::<usize>()
        + size_of::<Row>()
}

pub struct SortOp {
    node: Arc<Sort>,
    input: BoxOperator,
    evaluator: Evaluator,
    rows: Vec<Row>,
    at: usize,
    merge: Option<Merge>,
    sorted: bool,
    stamp: u64,
}

impl SortOp {
    pub fn new(ctx: &ExecContext, node: &Arc<Sort>) -> Self {
        SortOp {
            input: build(&node.input, ctx),
            evaluator: Evaluator::new(&ctx.plan, &node.bound),
            node: Arc::clone(node),
            rows: Vec::new(),
            at: 0,
            merge: None,
            sorted: false,
            stamp: 0,
        }
    }

    async fn load(&mut self, ctx: &ExecContext) -> Result<()> {
        let node = Arc::clone(&self.node);
        let bound = match &node.bound {
            Some(expr) => match self.evaluator.eval(ctx, expr, &[]).await? {
                Value::Int8(count) => usize::try_from(count).ok().filter(|count| *count < 10_000),
                _ => None,
            },
            None => None,
        };
        let mut batch = Batch::default();
        let mut bytes = 0;
        let mut runs = Runs::default();
        loop {
            let more = self.input.next(ctx, BATCH_ROWS_MAX, &mut batch).await?;
            for index in 0..batch.len() {
                let row = batch.take_row(index);
                bytes += row_size(&row);
                self.rows.push(row);
            }
            if let Some(bound) = bound
                && self.rows.len() > bound * 2 + BATCH_ROWS_MAX
            {
                self.sort_rows();
                self.rows.truncate(bound);
                bytes = self.rows.iter().map(|row| row_size(row)).sum();
            } else if bytes > ctx.work_mem {
                self.sort_rows();
                super::access::blocking(true, || runs.add(self.rows.drain(..)))?;
                bytes = 0;
            }
            if !more {
                break;
            }
        }
        self.sort_rows();
        if !runs.is_empty() {
            runs.add(self.rows.drain(..))?;
            self.merge = Some(Merge::new(runs.readers()?)?);
        }
        self.sorted = true;
        self.stamp = ctx.outer.stamp(&node.input.reads);
        Ok(())
    }

    fn sort_rows(&mut self) {
        let keys = &self.node.keys;
        super::access::blocking(self.rows.len() > 2_000, || self.rows.sort_by(|a, b| compare_rows(keys, a, b)));
    }
}

#[async_trait]
impl Operator for SortOp {
    async fn next(&mut self, ctx: &ExecContext, max_rows: usize, out: &mut Batch) -> Result<bool> {
        out.reset(self.node.input.width);
        ctx.breathe().await?;
        if !self.sorted {
            self.load(ctx).await?;
        }
        if let Some(merge) = &mut self.merge {
            while out.len() < max_rows {
                match merge.next(&self.node.keys)? {
                    Some(row) => out.push_values(row),
                    None => return Ok(false),
                }
            }
            return Ok(true);
        }
        let end = self.rows.len().min(self.at.saturating_add(max_rows));
        for row in &self.rows[self.at..end] {
            out.push(row);
        }
        self.at = end;
        Ok(end < self.rows.len())
    }

    async fn rescan(&mut self, ctx: &ExecContext) -> Result<()> {
        self.at = 0;
        if self.sorted && self.merge.is_none() && self.stamp == ctx.outer.stamp(&self.node.input.reads) && ctx.epq.is_none() {
            return Ok(());
        }
        self.rows.clear();
        self.merge = None;
        self.sorted = false;
        self.input.rescan(ctx).await
    }
}

/// Merges sorted runs; equal rows keep the order of their runs.
struct Merge {
    runs: Vec<(RunReader, Option<Row>)>,
}

impl Merge {
    fn new(readers: Vec<RunReader>) -> Result<Self> {
        let mut runs = Vec::with_capacity(readers.len());
        for mut reader in readers {
            let first = reader.next()?;
            runs.push((reader, first));
        }
        Ok(Merge { runs })
    }

    fn next(&mut self, keys: &[SortColumn]) -> Result<Option<Row>> {
        let mut best: Option<usize> = None;
        for (index, (_, row)) in self.runs.iter().enumerate() {
            let Some(row) = row else { continue };
            let better = best
                .and_then(|best| self.runs[best].1.as_ref())
                .is_none_or(|other| compare_rows(keys, row, other).is_lt());
            if better {
                best = Some(index);
            }
        }
        let Some(best) = best else {
            return Ok(None);
        };
        let (reader, row) = &mut self.runs[best];
        let next = reader.next()?;
        Ok(std::mem::replace(row, next))
    }
}
