//! Counters for EXPLAIN ANALYZE.

use std::time::Instant;

use async_trait::async_trait;
use parking_lot::Mutex;

use super::context::ExecContext;
use super::operator::{BoxOperator, Operator};
use super::row::Batch;
use crate::error::Result;
use crate::plan::explain::Actual;

/// What each node of a plan did, by `Node::id`.
#[derive(Debug, Default)]
pub struct Instrument {
    nodes: Mutex<Vec<Actual>>,
}

impl Instrument {
    pub fn new(node_count: usize) -> Self {
        Instrument {
            nodes: Mutex::new(vec![Actual::default(); node_count]),
        }
    }

    pub fn actual(&self) -> Vec<Actual> {
        self.nodes.lock().clone()
    }

    fn update(&self, id: usize, change: impl FnOnce(&mut Actual)) {
        if let Some(actual) = self.nodes.lock().get_mut(id) {
            change(actual);
        }
    }
}

/// An operator that counts.
pub struct Instrumented {
    id: usize,
    inner: BoxOperator,
    fresh: bool,
}

impl Instrumented {
    pub fn new(id: usize, inner: BoxOperator) -> Self {
        Instrumented { id, inner, fresh: true }
    }
}

#[async_trait]
impl Operator for Instrumented {
    async fn next(&mut self, ctx: &ExecContext, max_rows: usize, out: &mut Batch) -> Result<bool> {
        let start = Instant::now();
        let more = self.inner.next(ctx, max_rows, out).await;
        if let Some(instrument) = &ctx.instrument {
            let (rows, fresh) = (out.len(), std::mem::replace(&mut self.fresh, false));
            instrument.update(self.id, |actual| actual.add(start.elapsed(), rows, fresh));
        }
        more
    }

    async fn rescan(&mut self, ctx: &ExecContext) -> Result<()> {
        self.fresh = true;
        self.inner.rescan(ctx).await
    }
}
