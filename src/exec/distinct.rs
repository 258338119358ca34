//! DISTINCT: the first row of each run of equal rows, or of each value.

use std::sync::Arc;

use async_trait::async_trait;
use rustc_hash::FxHashMap;

use super::build::build;
use super::context::ExecContext;
use super::operator::{BoxOperator, Operator};
use super::row::{Batch, Row};
use super::slots::{hash_row, same_group};
use crate::error::Result;
use crate::ids::Oid;
use crate::plan::node::Unique;
use crate::types::Value;

/// Rows seen, by value.
#[derive(Default)]
pub struct RowSet {
    rows: FxHashMap<u64, Vec<Row>>,
}

impl RowSet {
    /// Adds a row; false where it was there.
    pub fn insert(&mut self, row: &[Value], types: &[Oid]) -> bool {
        let bucket = self.rows.entry(hash_row(row, types)).or_default();
        if bucket.iter().any(|other| same_group(other, row, types)) {
            return false;
        }
        bucket.push(row.to_vec());
        true
    }

    pub fn clear(&mut self) {
        self.rows.clear();
    }
}

pub struct UniqueOp {
    node: Arc<Unique>,
    types: Vec<Oid>,
    input: BoxOperator,
    last: Option<Row>,
    seen: RowSet,
}

impl UniqueOp {
    pub fn new(ctx: &ExecContext, node: &Arc<Unique>) -> Self {
        UniqueOp {
            types: node.keys.iter().map(|key| key.ty).collect(),
            input: build(&node.input, ctx),
            node: Arc::clone(node),
            last: None,
            seen: RowSet::default(),
        }
    }
}

#[async_trait]
impl Operator for UniqueOp {
    async fn next(&mut self, ctx: &ExecContext, max_rows: usize, out: &mut Batch) -> Result<bool> {
        loop {
            let more = self.input.next(ctx, max_rows, out).await?;
            let mut kept = 0;
            for index in 0..out.len() {
                let key: Row = self.node.keys.iter().map(|key| out.row(index)[key.column].clone()).collect();
                let new = if self.node.hashed {
                    self.seen.insert(&key, &self.types)
                } else {
                    let new = self.last.as_ref().is_none_or(|last| !same_group(last, &key, &self.types));
                    if new {
                        self.last = Some(key);
                    }
                    new
                };
                if new {
                    out.move_row(index, kept);
                    kept += 1;
                }
            }
            out.truncate(kept);
            if kept > 0 || !more {
                return Ok(more);
            }
        }
    }

    async fn rescan(&mut self, ctx: &ExecContext) -> Result<()> {
        self.last = None;
        self.seen.clear();
        self.input.rescan(ctx).await
    }
}
