//! LIMIT and OFFSET: asks for exactly the rows still needed.

use std::sync::Arc;

use async_trait::async_trait;

use super::build::build;
use super::context::ExecContext;
use super::operator::{BoxOperator, Operator};
use super::row::{Batch, Row};
use super::slots::Evaluator;
use super::sort::compare_rows;
use crate::bind::tree::Expr;
use crate::error::{PgError, Result, SqlState, sqlstate};
use crate::limits::BATCH_ROWS_MAX;
use crate::plan::node::Limit;
use crate::types::Value;

pub struct LimitOp {
    node: Arc<Limit>,
    input: BoxOperator,
    evaluator: Evaluator,
    /// Rows still to be skipped and given; `None` before the first call.
    state: Option<(u64, u64)>,
    /// The last row inside the limit, for WITH TIES.
    last: Option<Row>,
    /// More may come from the input.
    more: bool,
}

impl LimitOp {
    pub fn new(ctx: &ExecContext, node: &Arc<Limit>) -> Self {
        LimitOp {
            input: build(&node.input, ctx),
            evaluator: Evaluator::new(&ctx.plan, node.limit.iter().chain(&node.offset)),
            node: Arc::clone(node),
            state: None,
            last: None,
            more: true,
        }
    }

    async fn bound(&mut self, ctx: &ExecContext, expr: &Expr, word: &str, code: SqlState) -> Result<Option<u64>> {
        let count = match self.evaluator.eval(ctx, expr, &[]).await? {
            Value::Null => return Ok(None),
            Value::Int8(v) => v,
            Value::Int4(v) => i64::from(v),
            Value::Int2(v) => i64::from(v),
            other => return Err(PgError::internal(format!("{word} is {other:?}"))),
        };
        u64::try_from(count)
            .map(Some)
            .map_err(|_| PgError::new(code, format!("{word} must not be negative")))
    }

    async fn start(&mut self, ctx: &ExecContext) -> Result<(u64, u64)> {
        let node = Arc::clone(&self.node);
        let offset = match &node.offset {
            Some(expr) => self
                .bound(ctx, expr, "OFFSET", sqlstate::INVALID_ROW_COUNT_IN_RESULT_OFFSET_CLAUSE)
                .await?
                .unwrap_or(0),
            None => 0,
        };
        let limit = match &node.limit {
            Some(expr) => {
                let code = sqlstate::INVALID_ROW_COUNT_IN_LIMIT_CLAUSE;
                self.bound(ctx, expr, "LIMIT", code).await?.unwrap_or(u64::MAX)
            }
            None => u64::MAX,
        };
        Ok((offset, limit))
    }

    /// Rows equal to the last one in the sort columns.
    async fn ties(&mut self, ctx: &ExecContext, max_rows: usize, out: &mut Batch) -> Result<bool> {
        let (Some(keys), Some(last), true) = (&self.node.ties, &self.last, self.more) else {
            return Ok(false);
        };
        self.more = self.input.next(ctx, max_rows, out).await?;
        let equal = (0..out.len())
            .take_while(|index| compare_rows(keys, last, out.row(*index)).is_eq())
            .count();
        self.more &= equal == out.len();
        out.truncate(equal);
        Ok(self.more)
    }
}

#[async_trait]
impl Operator for LimitOp {
    async fn next(&mut self, ctx: &ExecContext, max_rows: usize, out: &mut Batch) -> Result<bool> {
        out.reset(0);
        let (mut skip, mut left) = match self.state {
            Some(state) => state,
            None => self.start(ctx).await?,
        };
        while skip > 0 && left > 0 && self.more {
            let demand = usize::try_from(skip).unwrap_or(usize::MAX).min(BATCH_ROWS_MAX);
            self.more = self.input.next(ctx, demand, out).await?;
            skip -= out.len() as u64;
            out.reset(0);
        }
        if left == 0 || !self.more {
            self.state = Some((skip, left));
            if left == 0 {
                return self.ties(ctx, max_rows, out).await;
            }
            return Ok(false);
        }
        let demand = usize::try_from(left).unwrap_or(usize::MAX).min(max_rows);
        self.more = self.input.next(ctx, demand, out).await?;
        left -= out.len() as u64;
        if left == 0 && self.node.ties.is_some() && !out.is_empty() {
            self.last = Some(out.row(out.len() - 1).to_vec());
        }
        self.state = Some((skip, left));
        Ok(self.more && (left > 0 || self.node.ties.is_some()))
    }

    async fn rescan(&mut self, ctx: &ExecContext) -> Result<()> {
        self.state = None;
        self.last = None;
        self.more = true;
        self.input.rescan(ctx).await
    }
}
