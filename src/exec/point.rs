//! One row by its whole key, without a tree of operators around it.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;

use super::access::{self, Decoder, IndexLayout};
use super::context::ExecContext;
use super::operator::Operator;
use super::row::Batch;
use super::slots::{Evaluator, eval_sync, finish, test_sync};
use crate::bind::tree::Expr;
use crate::error::{PgError, Result};
use crate::plan::eval::eval;
use crate::plan::node::PointGet;

/// The storage key and stored bytes of the row, before any filter; `None` where there is none. For keys without slots.
pub fn find(ctx: &ExecContext, node: &PointGet) -> Result<Option<(Bytes, Bytes)>> {
    let Some(key) = point_key(ctx, node)? else {
        return Ok(None);
    };
    find_by_key(ctx, node, key)
}

fn find_by_key(ctx: &ExecContext, node: &PointGet, key: Vec<u8>) -> Result<Option<(Bytes, Bytes)>> {
    let table = &node.target.table;
    let key = if node.primary {
        Bytes::from(key)
    } else {
        let layout = IndexLayout::new(table, &node.key_index);
        let Some(entry) = ctx.txn.get(&ctx.view, layout.storage()?, &key)? else {
            return Ok(None);
        };
        layout.row_key(&key, &entry)?
    };
    Ok(ctx.txn.get(&ctx.view, table.storage, &key)?.map(|row| (key, row)))
}

/// The encoded key that the node looks for; `None` where no row can have it.
fn point_key(ctx: &ExecContext, node: &PointGet) -> Result<Option<Vec<u8>>> {
    let mut key = Vec::with_capacity(24);
    for (place, expr) in node.key.iter().enumerate() {
        let value = eval_sync(ctx, expr, &[])?;
        if value.is_null() || !access::encode_point(node, place, &value, &mut key)? {
            return Ok(None);
        }
    }
    Ok(Some(key))
}

/// The row of a point SELECT (with `exprs` over it, where given) into `out`: no slots anywhere.
pub fn select(ctx: &ExecContext, node: &PointGet, exprs: Option<&[Expr]>, out: &mut Batch) -> Result<()> {
    let Some((key, row)) = find(ctx, node)? else {
        return Ok(());
    };
    let decoder = Decoder::new(&node.target);
    out.reset(decoder.width());
    decoder.push(&key, &row, out)?;
    let context = ctx.eval();
    if let Some(filter) = &node.filter
        && !test_sync(&context, filter, out.row(0))?
    {
        out.truncate(0);
    }
    if let (Some(exprs), false) = (exprs, out.is_empty()) {
        let row = out.take_row(0);
        out.reset(exprs.len());
        out.push_with(|values| {
            for expr in exprs {
                values.push(finish(eval(expr, &row, &context))?);
            }
            Ok::<(), PgError>(())
        })?;
    }
    Ok(())
}

/// The node as an operator: inside larger plans, and where its key has slots.
pub struct PointGetOp {
    node: Arc<PointGet>,
    decoder: Decoder,
    key: Evaluator,
    filter: Evaluator,
    recheck: Evaluator,
    done: bool,
}

impl PointGetOp {
    pub fn new(ctx: &ExecContext, node: &Arc<PointGet>) -> Self {
        PointGetOp {
            decoder: Decoder::new(&node.target),
            key: Evaluator::new(&ctx.plan, &node.key),
            filter: Evaluator::new(&ctx.plan, &node.filter),
            recheck: Evaluator::new(&ctx.plan, &node.recheck),
            node: Arc::clone(node),
            done: false,
        }
    }
}

#[async_trait]
impl Operator for PointGetOp {
    async fn next(&mut self, ctx: &ExecContext, _max_rows: usize, out: &mut Batch) -> Result<bool> {
        out.reset(self.decoder.width());
        if std::mem::replace(&mut self.done, true) {
            return Ok(false);
        }
        if let Some(row) = ctx.epq.as_ref().and_then(|rows| rows.get(self.node.target.scan)) {
            self.decoder.push_epq(row, out)?;
            if let Some(recheck) = &self.node.recheck {
                self.recheck.retain(ctx, recheck, out).await?;
            }
            return Ok(false);
        }
        let found = if self.key.is_sync() {
            find(ctx, &self.node)?
        } else {
            let mut key = Vec::new();
            for (place, expr) in self.node.key.iter().enumerate() {
                let value = self.key.eval(ctx, expr, &[]).await?;
                if value.is_null() || !access::encode_point(&self.node, place, &value, &mut key)? {
                    return Ok(false);
                }
            }
            find_by_key(ctx, &self.node, key)?
        };
        if let Some((key, row)) = found {
            self.decoder.push(&key, &row, out)?;
            if let Some(filter) = &self.node.filter {
                self.filter.retain(ctx, filter, out).await?;
            }
        }
        Ok(false)
    }

    async fn rescan(&mut self, _ctx: &ExecContext) -> Result<()> {
        self.done = false;
        Ok(())
    }
}
