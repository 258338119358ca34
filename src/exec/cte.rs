//! CTEs: computed once an execution, on demand; and the work tables of recursive ones.

use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::Mutex;

use super::build::build;
use super::context::ExecContext;
use super::leaf::epq_values;
use super::operator::{BoxOperator, Operator};
use super::row::Batch;
use super::slots::Evaluator;
use crate::error::Result;
use crate::limits::BATCH_ROWS_MAX;
use crate::plan::node::{CteScan, Plan, WorkTableScan};

/// The CTEs and work tables of one execution.
#[derive(Default)]
pub struct CteStates {
    states: Vec<Mutex<CteState>>,
    work_tables: parking_lot::Mutex<Vec<Arc<Batch>>>,
}

/// One CTE: the rows so far, and what makes more.
#[derive(Default)]
struct CteState {
    operator: Option<BoxOperator>,
    rows: Batch,
    done: bool,
    stamp: u64,
}

impl CteStates {
    pub fn new(plan: &Plan) -> Self {
        CteStates {
            states: plan.ctes.iter().map(|_| Mutex::new(CteState::default())).collect(),
            work_tables: parking_lot::Mutex::new(Vec::new()),
        }
    }

    /// Copies rows from place `at` on to `out`. Answers whether more may follow.
    async fn read(&self, ctx: &ExecContext, cte: usize, at: usize, max_rows: usize, out: &mut Batch) -> Result<bool> {
        let node = &ctx.plan.ctes[cte].root;
        out.reset(node.width);
        let mut state = self.states[cte].lock().await;
        state.refresh(ctx, cte).await?;
        while at >= state.rows.len() && !state.done {
            state.more(ctx, cte, max_rows).await?;
        }
        let end = state.rows.len().min(at.saturating_add(max_rows));
        for index in at..end {
            out.push(state.rows.row(index));
        }
        Ok(!state.done || end < state.rows.len())
    }

    /// Computes all rows: for data-modifying CTEs at the end of the statement.
    pub async fn run_to_end(&self, ctx: &ExecContext, cte: usize) -> Result<()> {
        let mut state = self.states[cte].lock().await;
        while !state.done {
            state.more(ctx, cte, BATCH_ROWS_MAX).await?;
        }
        Ok(())
    }

    pub fn set_work_table(&self, number: usize, rows: Arc<Batch>) {
        let mut tables = self.work_tables.lock();
        if tables.len() <= number {
            tables.resize_with(number + 1, Arc::default);
        }
        tables[number] = rows;
    }

    pub fn work_table(&self, number: usize) -> Arc<Batch> {
        self.work_tables.lock().get(number).cloned().unwrap_or_default()
    }
}

impl CteState {
    /// Starts again where outer parameters that it reads have changed.
    async fn refresh(&mut self, ctx: &ExecContext, cte: usize) -> Result<()> {
        let stamp = ctx.outer.stamp(&ctx.plan.ctes[cte].root.reads);
        if stamp != self.stamp {
            self.stamp = stamp;
            self.done = false;
            self.rows.reset(ctx.plan.ctes[cte].root.width);
            if let Some(operator) = &mut self.operator {
                operator.rescan(ctx).await?;
            }
        }
        Ok(())
    }

    async fn more(&mut self, ctx: &ExecContext, cte: usize, demand: usize) -> Result<()> {
        let plan = Arc::clone(&ctx.plan);
        let plain;
        // A CTE's rows are the same for everybody, whatever rows are put in place elsewhere.
        let ctx = if ctx.epq.is_some() {
            plain = ctx.without_epq();
            &plain
        } else {
            ctx
        };
        if self.operator.is_none() {
            self.operator = Some(build(&plan.ctes[cte].root, ctx));
            self.rows.reset(plan.ctes[cte].root.width);
        }
        let operator = self.operator.as_mut().expect("set above");
        let mut batch = Batch::default();
        let more = operator.next(ctx, demand, &mut batch).await?;
        for row in batch.rows() {
            self.rows.push(row);
        }
        self.done = !more;
        Ok(())
    }
}

pub struct CteScanOp {
    node: Arc<CteScan>,
    evaluator: Evaluator,
    at: usize,
    stamp: u64,
    done: bool,
}

impl CteScanOp {
    pub fn new(ctx: &ExecContext, node: &Arc<CteScan>) -> Self {
        CteScanOp {
            evaluator: Evaluator::new(&ctx.plan, &node.filter),
            node: Arc::clone(node),
            at: 0,
            stamp: 0,
            done: false,
        }
    }
}

#[async_trait]
impl Operator for CteScanOp {
    async fn next(&mut self, ctx: &ExecContext, max_rows: usize, out: &mut Batch) -> Result<bool> {
        let node = Arc::clone(&self.node);
        let width = ctx.plan.ctes[node.cte].root.width;
        if let Some(more) = epq_values(ctx, node.scan, width, &mut self.done, out) {
            if let Some(filter) = &node.filter {
                self.evaluator.retain(ctx, filter, out).await?;
            }
            return Ok(more);
        }
        let stamp = ctx.outer.stamp(&ctx.plan.ctes[node.cte].root.reads);
        if stamp != self.stamp {
            self.stamp = stamp;
            self.at = 0;
        }
        loop {
            ctx.breathe().await?;
            let more = ctx.ctes.read(ctx, node.cte, self.at, max_rows, out).await?;
            self.at += out.len();
            if let Some(filter) = &node.filter {
                self.evaluator.retain(ctx, filter, out).await?;
            }
            if !out.is_empty() || !more {
                return Ok(more);
            }
        }
    }

    async fn rescan(&mut self, _ctx: &ExecContext) -> Result<()> {
        self.at = 0;
        self.done = false;
        Ok(())
    }
}

pub struct WorkTableScanOp {
    node: Arc<WorkTableScan>,
    evaluator: Evaluator,
    rows: Option<Arc<Batch>>,
    at: usize,
}

impl WorkTableScanOp {
    pub fn new(ctx: &ExecContext, node: &Arc<WorkTableScan>) -> Self {
        WorkTableScanOp {
            evaluator: Evaluator::new(&ctx.plan, &node.filter),
            node: Arc::clone(node),
            rows: None,
            at: 0,
        }
    }
}

#[async_trait]
impl Operator for WorkTableScanOp {
    async fn next(&mut self, ctx: &ExecContext, max_rows: usize, out: &mut Batch) -> Result<bool> {
        let node = Arc::clone(&self.node);
        let rows = self.rows.get_or_insert_with(|| ctx.ctes.work_table(node.work_table));
        out.reset(rows.width());
        let end = rows.len().min(self.at.saturating_add(max_rows));
        for index in self.at..end {
            out.push(rows.row(index));
        }
        self.at = end;
        let more = end < rows.len();
        if let Some(filter) = &node.filter {
            self.evaluator.retain(ctx, filter, out).await?;
        }
        Ok(more)
    }

    async fn rescan(&mut self, _ctx: &ExecContext) -> Result<()> {
        self.rows = None;
        self.at = 0;
        Ok(())
    }
}
