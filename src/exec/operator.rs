//! The interface of every operator.

use async_trait::async_trait;

use super::context::ExecContext;
use super::row::Batch;
use crate::error::Result;

/// A running node of a plan.
///
/// Demand: `next` gives at most `max_rows` rows and does no more work for them than it must; LIMIT asks for exactly what
/// it still needs, so that `LockRows` below it locks no row that is not returned.
///
/// Cancellation: an operator is never dropped in the middle of `next`. It looks at `ctx.cancel` at least once a batch
/// (`ctx.breathe().await`), and every wait wakes on it. An error leaves the operator unusable until it is dropped.
#[async_trait]
pub trait Operator: Send {
    /// Empties `out` and puts the next rows into it, `max_rows` (at least 1) at most. Answers whether more may follow; a
    /// batch may be empty although more follow.
    async fn next(&mut self, ctx: &ExecContext, max_rows: usize, out: &mut Batch) -> Result<bool>;

    /// Starts from the beginning: outer parameters may have changed.
    async fn rescan(&mut self, ctx: &ExecContext) -> Result<()>;
}

/// An operator on the heap.
pub type BoxOperator = Box<dyn Operator>;
