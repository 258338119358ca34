//! Hash join: the right side is read into a table, the left side looks each row up.

use std::sync::Arc;

use async_trait::async_trait;
use rustc_hash::FxHashMap;

use super::build::build;
use super::context::ExecContext;
use super::operator::{BoxOperator, Operator};
use super::row::{Batch, Row};
use super::slots::{Evaluator, hash_row};
use crate::bind::tree::Expr;
use crate::error::Result;
use crate::limits::BATCH_ROWS_MAX;
use crate::plan::node::{HashJoin, JoinType};
use crate::types::Value;
use crate::types::compare::equal_as;

/// End of a chain.
const NONE: u32 = u32::MAX;

pub struct HashJoinOp {
    node: Arc<HashJoin>,
    left: BoxOperator,
    right: BoxOperator,
    evaluator: Evaluator,
    table: Option<Table>,
    left_rows: Batch,
    at: usize,
    left_more: bool,
    /// The next entry of the chain for the left row at hand.
    chain: u32,
    running: bool,
    matched: bool,
    keys: Row,
    pair: Row,
    /// Next right row to look at when unmatched ones are given (RIGHT, FULL).
    unmatched: usize,
}

/// The right side's rows: chains of equal hashes.
struct Table {
    heads: FxHashMap<u64, u32>,
    /// Of each row: the next in its chain.
    next: Vec<u32>,
    keys: Batch,
    rows: Batch,
    /// Rows that met a left row; kept for RIGHT and FULL joins.
    met: Vec<bool>,
    /// A key with a null was seen.
    null_key: bool,
    stamp: u64,
}

impl HashJoinOp {
    pub fn new(ctx: &ExecContext, node: &Arc<HashJoin>) -> Self {
        let exprs = node
            .left_keys
            .iter()
            .chain(&node.right_keys)
            .chain(&node.condition)
            .chain(&node.filter);
        HashJoinOp {
            left: build(&node.left, ctx),
            right: build(&node.right, ctx),
            evaluator: Evaluator::new(&ctx.plan, exprs),
            node: Arc::clone(node),
            table: None,
            left_rows: Batch::default(),
            at: 0,
            left_more: true,
            chain: NONE,
            running: false,
            matched: false,
            keys: Vec::new(),
            pair: Vec::new(),
            unmatched: 0,
        }
    }

    fn keeps_unmatched_right(&self) -> bool {
        matches!(self.node.kind, JoinType::Right | JoinType::Full)
    }

    async fn load(&mut self, ctx: &ExecContext) -> Result<()> {
        let node = Arc::clone(&self.node);
        let stamp = ctx.outer.stamp(&node.right.reads);
        if let Some(table) = &mut self.table
            && table.stamp == stamp
        {
            table.met.fill(false);
            return Ok(());
        }
        if self.table.take().is_some() {
            self.right.rescan(ctx).await?;
        }
        let mut table = Table {
            heads: FxHashMap::default(),
            next: Vec::new(),
            keys: Batch::new(node.right_keys.len()),
            rows: Batch::new(node.right.width),
            met: Vec::new(),
            null_key: false,
            stamp,
        };
        let mut batch = Batch::default();
        let mut keys = Vec::new();
        loop {
            let more = self.right.next(ctx, BATCH_ROWS_MAX, &mut batch).await?;
            for row in batch.rows() {
                eval_keys(&mut self.evaluator, ctx, &node.right_keys, row, &mut keys).await?;
                let null = keys.iter().any(Value::is_null);
                table.null_key |= null;
                if null && !matches!(node.kind, JoinType::Right | JoinType::Full) {
                    continue;
                }
                table.add(&keys, row, null, &node);
            }
            if !more {
                break;
            }
        }
        if self.keeps_unmatched_right() {
            table.met = vec![false; table.rows.len()];
        }
        self.table = Some(table);
        Ok(())
    }

    /// Looks up the left row at hand.
    async fn start_row(&mut self, ctx: &ExecContext) -> Result<()> {
        let node = Arc::clone(&self.node);
        let row = self.left_rows.row(self.at);
        eval_keys(&mut self.evaluator, ctx, &node.left_keys, row, &mut self.keys).await?;
        self.running = true;
        self.matched = false;
        let table = self.table.as_ref().expect("loaded before rows are looked up");
        self.chain = if self.keys.iter().any(Value::is_null) {
            // NOT IN: a null on the left is unknown unless the right side is empty.
            if node.kind == JoinType::NullAwareAnti && !table.rows.is_empty() {
                self.matched = true;
            }
            NONE
        } else {
            table
                .heads
                .get(&hash_row(&self.keys, &node.key_types))
                .copied()
                .unwrap_or(NONE)
        };
        Ok(())
    }

    /// The next right row with the same keys.
    fn next_match(&mut self) -> Option<usize> {
        let table = self.table.as_ref().expect("loaded before rows are looked up");
        while self.chain != NONE {
            let place = self.chain as usize;
            self.chain = table.next[place];
            let key = table.keys.row(place);
            let same = key
                .iter()
                .zip(&self.keys)
                .zip(&self.node.key_types)
                .all(|((a, b), ty)| equal_as(*ty, a, b));
            if same {
                return Some(place);
            }
        }
        None
    }

    async fn step(&mut self, ctx: &ExecContext, out: &mut Batch) -> Result<()> {
        let node = Arc::clone(&self.node);
        while let Some(place) = self.next_match() {
            let table = self.table.as_mut().expect("loaded before rows are looked up");
            self.pair.clear();
            self.pair.extend_from_slice(self.left_rows.row(self.at));
            self.pair.extend_from_slice(table.rows.row(place));
            if let Some(condition) = &node.condition
                && !self.evaluator.test(ctx, condition, &self.pair).await?
            {
                continue;
            }
            self.matched = true;
            if let Some(met) = table.met.get_mut(place) {
                *met = true;
            }
            match node.kind {
                JoinType::Semi => {
                    self.running = false;
                    out.push(self.left_rows.row(self.at));
                }
                JoinType::Anti | JoinType::NullAwareAnti => {
                    self.running = false;
                    return Ok(());
                }
                _ => out.push(&self.pair),
            }
            return self.evaluator.retain_last(ctx, self.node.filter.as_ref(), out).await;
        }
        self.running = false;
        if self.matched {
            return Ok(());
        }
        match node.kind {
            JoinType::Left | JoinType::Full => {
                let nulls = vec![Value::Null; node.right.width];
                out.push_pair(self.left_rows.row(self.at), &nulls);
            }
            JoinType::Anti | JoinType::NullAwareAnti => out.push(self.left_rows.row(self.at)),
            _ => return Ok(()),
        }
        self.evaluator.retain_last(ctx, self.node.filter.as_ref(), out).await
    }

    /// Right rows that met no left row. False at their end.
    async fn rest(&mut self, ctx: &ExecContext, max_rows: usize, out: &mut Batch) -> Result<bool> {
        if !self.keeps_unmatched_right() {
            return Ok(false);
        }
        let nulls = vec![Value::Null; self.node.left.width];
        while out.len() < max_rows {
            let table = self.table.as_ref().expect("loaded before the left side was read");
            if self.unmatched >= table.rows.len() {
                return Ok(false);
            }
            let place = self.unmatched;
            self.unmatched += 1;
            if !table.met[place] {
                out.push_pair(&nulls, table.rows.row(place));
                self.evaluator.retain_last(ctx, self.node.filter.as_ref(), out).await?;
            }
        }
        Ok(true)
    }
}

impl Table {
    fn add(&mut self, keys: &[Value], row: &[Value], null: bool, node: &HashJoin) {
        let place = u32::try_from(self.rows.len()).expect("a hash table holds fewer than 2^32 rows");
        self.rows.push(row);
        self.keys.push(keys);
        let before = if null {
            None
        } else {
            self.heads.insert(hash_row(keys, &node.key_types), place)
        };
        self.next.push(before.unwrap_or(NONE));
    }
}

async fn eval_keys(evaluator: &mut Evaluator, ctx: &ExecContext, exprs: &[Expr], row: &[Value], keys: &mut Row) -> Result<()> {
    keys.clear();
    for expr in exprs {
        keys.push(evaluator.eval(ctx, expr, row).await?);
    }
    Ok(())
}

#[async_trait]
impl Operator for HashJoinOp {
    async fn next(&mut self, ctx: &ExecContext, max_rows: usize, out: &mut Batch) -> Result<bool> {
        let left_only = matches!(self.node.kind, JoinType::Semi | JoinType::Anti | JoinType::NullAwareAnti);
        let width = self.node.left.width + if left_only { 0 } else { self.node.right.width };
        out.reset(width);
        ctx.breathe().await?;
        if self.table.is_none() || (self.at == 0 && self.left_rows.is_empty() && self.left_more) {
            self.load(ctx).await?;
        }
        let table = self.table.as_ref().expect("loaded above");
        if self.node.kind == JoinType::NullAwareAnti && table.null_key {
            return Ok(false);
        }
        if table.rows.is_empty() && matches!(self.node.kind, JoinType::Inner | JoinType::Semi | JoinType::Right) {
            return Ok(false);
        }
        while out.len() < max_rows {
            if !self.running {
                if self.at >= self.left_rows.len() {
                    if !self.left_more {
                        return self.rest(ctx, max_rows, out).await;
                    }
                    self.left_more = self.left.next(ctx, BATCH_ROWS_MAX, &mut self.left_rows).await?;
                    self.at = 0;
                    continue;
                }
                self.start_row(ctx).await?;
            }
            self.step(ctx, out).await?;
            if !self.running {
                self.at += 1;
            }
        }
        Ok(true)
    }

    async fn rescan(&mut self, ctx: &ExecContext) -> Result<()> {
        self.left_rows.reset(self.node.left.width);
        self.at = 0;
        self.left_more = true;
        self.running = false;
        self.unmatched = 0;
        self.left.rescan(ctx).await
    }
}
