//! Running a plan: for simple queries to its end, for portals a row limit at a time.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::build::build;
use super::context::ExecContext;
use super::instrument::Instrument;
use super::operator::BoxOperator;
use super::point;
use super::row::Batch;
use crate::error::Result;
use crate::limits::BATCH_ROWS_MAX;
use crate::plan::explain::Actual;
use crate::plan::node::{NodeKind, Plan};

/// A running statement. Rows may be longer than `Plan::columns`: what follows is hidden.
pub struct Execution {
    ctx: ExecContext,
    root: Option<BoxOperator>,
    batch: Batch,
    done: bool,
}

impl Execution {
    /// Prepares a run; nothing is read before the first [`Execution::next_batch`].
    pub fn start(plan: Arc<Plan>, ctx: ExecContext) -> Result<Self> {
        debug_assert!(Arc::ptr_eq(&plan, &ctx.plan));
        Ok(Execution {
            ctx,
            root: None,
            batch: Batch::default(),
            done: false,
        })
    }

    /// The same run with counters for each node (EXPLAIN ANALYZE).
    #[must_use]
    pub fn instrumented(mut self) -> Self {
        self.ctx.instrument = Some(Arc::new(Instrument::new(self.ctx.plan.node_count)));
        self
    }

    /// What each node did, by `Node::id`, where it is counted.
    pub fn actual(&self) -> Option<Vec<Actual>> {
        self.ctx.instrument.as_ref().map(|instrument| instrument.actual())
    }

    pub fn plan(&self) -> &Arc<Plan> {
        &self.ctx.plan
    }

    pub fn context(&self) -> &ExecContext {
        &self.ctx
    }

    pub fn is_done(&self) -> bool {
        self.done
    }

    /// Rows inserted, updated or deleted so far.
    pub fn affected(&self) -> u64 {
        self.ctx.affected.load(Ordering::Relaxed)
    }

    /// The next rows, `max_rows` (at least 1) at most; none where the statement has ended.
    pub async fn next_batch(&mut self, max_rows: usize) -> Result<&Batch> {
        self.batch.reset(self.ctx.plan.columns.len());
        if self.done {
            return Ok(&self.batch);
        }
        if self.root.is_none() && self.run_point()? {
            return Ok(&self.batch);
        }
        let demand = max_rows.clamp(1, BATCH_ROWS_MAX);
        let root = self.root.get_or_insert_with(|| build(&self.ctx.plan.root, &self.ctx));
        loop {
            let more = root.next(&self.ctx, demand, &mut self.batch).await?;
            if !more {
                self.done = true;
                finish(&self.ctx).await?;
                break;
            }
            if !self.batch.is_empty() {
                break;
            }
        }
        Ok(&self.batch)
    }

    /// A row by its key needs no operators.
    fn run_point(&mut self) -> Result<bool> {
        if !self.ctx.plan.point || self.ctx.instrument.is_some() {
            return Ok(false);
        }
        let (node, exprs) = match &self.ctx.plan.root.kind {
            NodeKind::PointGet(node) => (node, None),
            NodeKind::Project(project) => match &project.input.kind {
                NodeKind::PointGet(node) => (node, Some(&project.exprs[..])),
                _ => return Ok(false),
            },
            _ => return Ok(false),
        };
        point::select(&self.ctx, node, exprs, &mut self.batch)?;
        self.done = true;
        Ok(true)
    }
}

/// Data-modifying CTEs run to their end, in order, whether anybody read them or not.
async fn finish(ctx: &ExecContext) -> Result<()> {
    for (number, cte) in ctx.plan.ctes.iter().enumerate() {
        if cte.run_to_end {
            ctx.ctes.run_to_end(ctx, number).await?;
        }
    }
    Ok(())
}
