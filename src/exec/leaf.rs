//! Leaves that are not stored tables: VALUES, functions, virtual tables, sequences, sub-selects; and kept rows.

use std::sync::Arc;

use async_trait::async_trait;

use super::build::build;
use super::context::ExecContext;
use super::operator::{BoxOperator, Operator};
use super::project::start_set;
use super::row::{Batch, EpqRow, Row};
use super::slots::Evaluator;
use crate::bind::tree::{Expr, ExprKind, SystemColumn};
use crate::error::Result;
use crate::functions::SetRows;
use crate::limits::BATCH_ROWS_MAX;
use crate::plan::node::{FunctionScan, Materialize, SequenceScan, SubqueryScan, Values, VirtualScan};
use crate::types::Value;

/// The row put in place of a leaf by `EvalPlanQual`, given once; `None` where there is none.
pub fn epq_values(ctx: &ExecContext, scan: usize, width: usize, done: &mut bool, out: &mut Batch) -> Option<bool> {
    let row = ctx.epq.as_ref()?.get(scan)?;
    out.reset(width);
    if !std::mem::replace(done, true)
        && let EpqRow::Values(row) = row
    {
        out.push(row);
    }
    Some(false)
}

pub struct ValuesOp {
    node: Arc<Values>,
    evaluator: Evaluator,
    at: usize,
    done: bool,
}

impl ValuesOp {
    pub fn new(ctx: &ExecContext, node: &Arc<Values>) -> Self {
        ValuesOp {
            evaluator: Evaluator::new(&ctx.plan, node.rows.iter().flatten().chain(&node.filter)),
            node: Arc::clone(node),
            at: 0,
            done: false,
        }
    }
}

#[async_trait]
impl Operator for ValuesOp {
    async fn next(&mut self, ctx: &ExecContext, max_rows: usize, out: &mut Batch) -> Result<bool> {
        let node = Arc::clone(&self.node);
        let width = node.rows.first().map_or(0, Vec::len);
        let more = if let Some(more) = epq_values(ctx, node.scan, width, &mut self.done, out) {
            more
        } else {
            out.reset(width);
            ctx.breathe().await?;
            let mut row = Vec::with_capacity(width);
            while out.len() < max_rows && self.at < node.rows.len() {
                for expr in &node.rows[self.at] {
                    row.push(self.evaluator.eval(ctx, expr, &[]).await?);
                }
                out.push_values(row.drain(..));
                self.at += 1;
            }
            self.at < node.rows.len()
        };
        if let Some(filter) = &node.filter {
            self.evaluator.retain(ctx, filter, out).await?;
        }
        Ok(more)
    }

    async fn rescan(&mut self, _ctx: &ExecContext) -> Result<()> {
        self.at = 0;
        self.done = false;
        Ok(())
    }
}

/// Functions in FROM. Shorter ones are filled up with nulls.
pub struct FunctionScanOp {
    node: Arc<FunctionScan>,
    evaluator: Evaluator,
    sets: Option<Vec<Source>>,
    count: i64,
    width: usize,
    done: bool,
}

/// One function's rows.
enum Source {
    Set(Box<dyn SetRows>),
    One(Option<Value>),
}

impl FunctionScanOp {
    pub fn new(ctx: &ExecContext, node: &Arc<FunctionScan>) -> Self {
        let exprs = node.calls.iter().flat_map(|(expr, _)| match &expr.kind {
            ExprKind::Call(call) if call.function.returns_set() => call.args.iter().collect::<Vec<_>>(),
            _ => vec![expr],
        });
        FunctionScanOp {
            evaluator: Evaluator::new(&ctx.plan, exprs.chain(&node.filter)),
            width: node.calls.iter().map(|(_, columns)| columns).sum::<usize>() + usize::from(node.ordinality),
            node: Arc::clone(node),
            sets: None,
            count: 0,
            done: false,
        }
    }

    async fn start(&mut self, ctx: &ExecContext, expr: &Expr) -> Result<Source> {
        match &expr.kind {
            ExprKind::Call(call) if call.function.returns_set() => {
                let mut args = Vec::with_capacity(call.args.len());
                for arg in &call.args {
                    args.push(self.evaluator.eval(ctx, arg, &[]).await?);
                }
                Ok(Source::Set(start_set(ctx, call, expr.ty, &args)?))
            }
            _ => Ok(Source::One(Some(self.evaluator.eval(ctx, expr, &[]).await?))),
        }
    }

    /// Adds the next row; false where all functions have ended.
    fn step(&mut self, out: &mut Batch) -> Result<bool> {
        let Some(sets) = &mut self.sets else {
            return Ok(false);
        };
        let mut any = false;
        let mut row: Row = Vec::with_capacity(self.width);
        for (source, (_, columns)) in sets.iter_mut().zip(&self.node.calls) {
            let values = match source {
                Source::Set(set) => set.next()?,
                Source::One(value) => value.take().map(|value| vec![value]),
            };
            match values {
                Some(values) => {
                    any = true;
                    spread(values, *columns, &mut row);
                }
                None => row.extend(std::iter::repeat_n(Value::Null, *columns)),
            }
        }
        if any {
            self.count += 1;
            if self.node.ordinality {
                row.push(Value::Int8(self.count));
            }
            out.push_values(row);
        }
        Ok(any)
    }
}

/// A function's row as `columns` values: a record is taken apart.
fn spread(values: Row, columns: usize, row: &mut Row) {
    let end = row.len() + columns;
    match values.first() {
        Some(Value::Record(record)) if values.len() == 1 && columns != 1 => {
            row.extend(record.fields.iter().map(|(_, value)| value.clone()));
        }
        _ => row.extend(values),
    }
    row.resize(end, Value::Null);
}

#[async_trait]
impl Operator for FunctionScanOp {
    async fn next(&mut self, ctx: &ExecContext, max_rows: usize, out: &mut Batch) -> Result<bool> {
        let node = Arc::clone(&self.node);
        loop {
            let more = if let Some(more) = epq_values(ctx, node.scan, self.width, &mut self.done, out) {
                more
            } else {
                out.reset(self.width);
                ctx.breathe().await?;
                if self.sets.is_none() {
                    let mut sets = Vec::with_capacity(node.calls.len());
                    for (expr, _) in &node.calls {
                        sets.push(self.start(ctx, expr).await?);
                    }
                    self.sets = Some(sets);
                }
                let mut more = true;
                while more && out.len() < max_rows {
                    more = self.step(out)?;
                }
                more
            };
            if let Some(filter) = &node.filter {
                self.evaluator.retain(ctx, filter, out).await?;
            }
            if !out.is_empty() || !more {
                return Ok(more);
            }
        }
    }

    async fn rescan(&mut self, _ctx: &ExecContext) -> Result<()> {
        self.sets = None;
        self.count = 0;
        self.done = false;
        Ok(())
    }
}

/// Rows that the host computes, all at once.
pub struct VirtualScanOp {
    node: Arc<VirtualScan>,
    evaluator: Evaluator,
    rows: Option<std::vec::IntoIter<Vec<Value>>>,
    done: bool,
}

impl VirtualScanOp {
    pub fn new(ctx: &ExecContext, node: &Arc<VirtualScan>) -> Self {
        VirtualScanOp {
            evaluator: Evaluator::new(&ctx.plan, &node.filter),
            node: Arc::clone(node),
            rows: None,
            done: false,
        }
    }
}

#[async_trait]
impl Operator for VirtualScanOp {
    async fn next(&mut self, ctx: &ExecContext, max_rows: usize, out: &mut Batch) -> Result<bool> {
        let node = Arc::clone(&self.node);
        let target = &node.target;
        let width = target.columns.len() + target.system.len();
        loop {
            let more = if let Some(more) = epq_values(ctx, target.scan, width, &mut self.done, out) {
                more
            } else {
                out.reset(width);
                ctx.breathe().await?;
                if self.rows.is_none() {
                    self.rows = Some(ctx.host.virtual_rows(&node.source, &[])?.into_iter());
                }
                let rows = self.rows.as_mut().expect("set above");
                for row in rows.by_ref().take(max_rows) {
                    let columns = target
                        .columns
                        .iter()
                        .map(|column| row.get(*column).cloned().unwrap_or_default());
                    let system = target.system.iter().map(|column| match column {
                        SystemColumn::TableOid => Value::Oid(target.table.oid.0),
                        _ => Value::Null,
                    });
                    out.push_values(columns.chain(system));
                }
                rows.len() > 0
            };
            if let Some(filter) = &node.filter {
                self.evaluator.retain(ctx, filter, out).await?;
            }
            if !out.is_empty() || !more {
                return Ok(more);
            }
        }
    }

    async fn rescan(&mut self, _ctx: &ExecContext) -> Result<()> {
        self.rows = None;
        self.done = false;
        Ok(())
    }
}

/// The one row of a sequence; the host knows it as the virtual relation `sequence`.
pub struct SequenceScanOp {
    node: Arc<SequenceScan>,
    evaluator: Evaluator,
    done: bool,
}

impl SequenceScanOp {
    pub fn new(ctx: &ExecContext, node: &Arc<SequenceScan>) -> Self {
        SequenceScanOp {
            evaluator: Evaluator::new(&ctx.plan, &node.filter),
            node: Arc::clone(node),
            done: false,
        }
    }
}

#[async_trait]
impl Operator for SequenceScanOp {
    async fn next(&mut self, ctx: &ExecContext, _max_rows: usize, out: &mut Batch) -> Result<bool> {
        out.reset(3);
        if std::mem::replace(&mut self.done, true) {
            return Ok(false);
        }
        let oid = Value::Oid(self.node.sequence.oid.0);
        for row in ctx.host.virtual_rows("sequence", &[oid])? {
            out.push(&row);
        }
        let node = Arc::clone(&self.node);
        if let Some(filter) = &node.filter {
            self.evaluator.retain(ctx, filter, out).await?;
        }
        Ok(false)
    }

    async fn rescan(&mut self, _ctx: &ExecContext) -> Result<()> {
        self.done = false;
        Ok(())
    }
}

pub struct SubqueryScanOp {
    node: Arc<SubqueryScan>,
    input: BoxOperator,
    evaluator: Evaluator,
    done: bool,
}

impl SubqueryScanOp {
    pub fn new(ctx: &ExecContext, node: &Arc<SubqueryScan>) -> Self {
        SubqueryScanOp {
            input: build(&node.input, ctx),
            evaluator: Evaluator::new(&ctx.plan, &node.filter),
            node: Arc::clone(node),
            done: false,
        }
    }
}

#[async_trait]
impl Operator for SubqueryScanOp {
    async fn next(&mut self, ctx: &ExecContext, max_rows: usize, out: &mut Batch) -> Result<bool> {
        let node = Arc::clone(&self.node);
        loop {
            let more = match epq_values(ctx, node.scan, node.input.width, &mut self.done, out) {
                Some(more) => more,
                None => self.input.next(ctx, max_rows, out).await?,
            };
            if let Some(filter) = &node.filter {
                self.evaluator.retain(ctx, filter, out).await?;
            }
            if !out.is_empty() || !more {
                return Ok(more);
            }
        }
    }

    async fn rescan(&mut self, ctx: &ExecContext) -> Result<()> {
        self.done = false;
        self.input.rescan(ctx).await
    }
}

/// Keeps its input's rows for the next run.
pub struct MaterializeOp {
    node: Arc<Materialize>,
    input: BoxOperator,
    rows: Batch,
    at: usize,
    complete: bool,
    stamp: u64,
}

impl MaterializeOp {
    pub fn new(ctx: &ExecContext, node: &Arc<Materialize>) -> Self {
        MaterializeOp {
            input: build(&node.input, ctx),
            rows: Batch::new(node.input.width),
            node: Arc::clone(node),
            at: 0,
            complete: false,
            stamp: 0,
        }
    }
}

#[async_trait]
impl Operator for MaterializeOp {
    async fn next(&mut self, ctx: &ExecContext, max_rows: usize, out: &mut Batch) -> Result<bool> {
        if self.at < self.rows.len() || self.complete {
            out.reset(self.node.input.width);
            let end = self.rows.len().min(self.at.saturating_add(max_rows));
            for index in self.at..end {
                out.push(self.rows.row(index));
            }
            self.at = end;
            return Ok(!self.complete || end < self.rows.len());
        }
        if self.rows.is_empty() {
            self.stamp = ctx.outer.stamp(&self.node.input.reads);
        }
        let more = self.input.next(ctx, max_rows.min(BATCH_ROWS_MAX), out).await?;
        for row in out.rows() {
            self.rows.push(row);
        }
        self.at = self.rows.len();
        self.complete = !more;
        Ok(more)
    }

    async fn rescan(&mut self, ctx: &ExecContext) -> Result<()> {
        self.at = 0;
        if ctx.epq.is_some() || self.stamp != ctx.outer.stamp(&self.node.input.reads) {
            self.rows.reset(self.node.input.width);
            self.complete = false;
            self.input.rescan(ctx).await?;
        }
        Ok(())
    }
}
