//! Aggregation: plain, over sorted input, hashed; grouping sets; DISTINCT, ORDER BY and FILTER in calls.

use std::sync::Arc;

use async_trait::async_trait;
use rustc_hash::FxHashMap;

use super::build::build;
use super::context::ExecContext;
use super::operator::{BoxOperator, Operator};
use super::row::{Batch, Row};
use super::slots::{Evaluator, finish, hash_row, same_group};
use super::sort::compare_rows;
use crate::error::{PgError, Result};
use crate::functions::{AggregateState, Body};
use crate::ids::Oid;
use crate::limits::BATCH_ROWS_MAX;
use crate::plan::eval::eval;
use crate::plan::node::{Aggregate, AggregatePlan, AggregateStrategy, SortColumn};
use crate::types::Value;
use crate::types::compare::compare_as;

pub struct AggregateOp {
    node: Arc<Aggregate>,
    input: BoxOperator,
    evaluator: Evaluator,
    types: Vec<Oid>,
    rows: Batch,
    loaded: bool,
    /// Finished groups, to be given.
    output: Vec<Group>,
    at: usize,
    /// Sorted input: the group that is being read, and what of `rows` is still to be read.
    current: Option<Group>,
    rows_at: usize,
    input_more: bool,
}

/// One group of one grouping set.
struct Group {
    set: usize,
    /// All group expressions' values; null where the set leaves one out.
    key: Row,
    calls: Vec<CallState>,
}

/// One call in one group.
struct CallState {
    state: Box<dyn AggregateState>,
    /// Arguments kept until the end, for DISTINCT and ORDER BY.
    kept: Vec<Row>,
}

impl AggregateOp {
    pub fn new(ctx: &ExecContext, node: &Arc<Aggregate>) -> Self {
        let calls = node
            .calls
            .iter()
            .flat_map(|call| call.args.iter().chain(&call.direct).chain(&call.filter));
        AggregateOp {
            input: build(&node.input, ctx),
            evaluator: Evaluator::new(&ctx.plan, node.group.iter().chain(calls)),
            types: node.group.iter().map(|expr| expr.ty).collect(),
            node: Arc::clone(node),
            rows: Batch::default(),
            loaded: false,
            output: Vec::new(),
            at: 0,
            current: None,
            rows_at: 0,
            input_more: true,
        }
    }

    fn new_group(&self, ctx: &ExecContext, set: usize, key: Row) -> Result<Group> {
        let mut calls = Vec::with_capacity(self.node.calls.len());
        for call in &self.node.calls {
            calls.push(CallState {
                state: new_state(ctx, call)?,
                kept: Vec::new(),
            });
        }
        Ok(Group { set, key, calls })
    }

    /// Reads all input into groups (plain and hashed).
    async fn load(&mut self, ctx: &ExecContext) -> Result<()> {
        let node = Arc::clone(&self.node);
        let sets = grouping_sets(&node);
        let mut groups: Vec<Group> = Vec::new();
        let mut index: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
        // An empty grouping set gives a row also for no input.
        for (number, set) in sets.iter().enumerate() {
            if set.is_empty() {
                let key = vec![Value::Null; node.group.len()];
                let hash = group_hash(number, &key, &self.types);
                index
                    .entry(hash)
                    .or_default()
                    .push(u32::try_from(groups.len()).unwrap_or(u32::MAX));
                groups.push(self.new_group(ctx, number, key)?);
            }
        }
        let mut key = Vec::with_capacity(node.group.len());
        let mut args = Vec::new();
        loop {
            let mut rows = std::mem::take(&mut self.rows);
            let more = self.input.next(ctx, BATCH_ROWS_MAX, &mut rows).await?;
            for row in rows.rows() {
                self.group_values(ctx, row, &mut key).await?;
                for (number, set) in sets.iter().enumerate() {
                    let place = if node.group.is_empty() {
                        number
                    } else {
                        self.find_group(ctx, number, set, &key, &mut groups, &mut index)?
                    };
                    self.update(ctx, &mut groups[place], row, &mut args).await?;
                }
            }
            self.rows = rows;
            if !more {
                break;
            }
        }
        self.output = groups;
        self.loaded = true;
        Ok(())
    }

    async fn group_values(&mut self, ctx: &ExecContext, row: &[Value], key: &mut Row) -> Result<()> {
        let node = Arc::clone(&self.node);
        key.clear();
        for expr in &node.group {
            key.push(self.evaluator.eval(ctx, expr, row).await?);
        }
        Ok(())
    }

    fn find_group(
        &self,
        ctx: &ExecContext,
        number: usize,
        set: &[usize],
        key: &[Value],
        groups: &mut Vec<Group>,
        index: &mut FxHashMap<u64, Vec<u32>>,
    ) -> Result<usize> {
        let partial: Row;
        let key = if set.len() == key.len() {
            key
        } else {
            partial = key
                .iter()
                .enumerate()
                .map(|(at, v)| if set.contains(&at) { v.clone() } else { Value::Null })
                .collect();
            &partial
        };
        let bucket = index.entry(group_hash(number, key, &self.types)).or_default();
        for place in bucket.iter() {
            let group = &groups[*place as usize];
            if group.set == number && same_group(&group.key, key, &self.types) {
                return Ok(*place as usize);
            }
        }
        let place = groups.len();
        bucket.push(u32::try_from(place).map_err(|_| PgError::internal("too many groups"))?);
        groups.push(self.new_group(ctx, number, key.to_vec())?);
        Ok(place)
    }

    /// Takes one input row into a group.
    async fn update(&mut self, ctx: &ExecContext, group: &mut Group, row: &[Value], args: &mut Row) -> Result<()> {
        let node = Arc::clone(&self.node);
        for (call, state) in node.calls.iter().zip(&mut group.calls) {
            if let Some(filter) = &call.filter
                && !self.evaluator.test(ctx, filter, row).await?
            {
                continue;
            }
            args.clear();
            if self.evaluator.is_sync() {
                let context = ctx.eval();
                for arg in &call.args {
                    args.push(finish(eval(arg, row, &context))?);
                }
            } else {
                for arg in &call.args {
                    args.push(self.evaluator.eval(ctx, arg, row).await?);
                }
            }
            let ordered = matches!(call.function.body, Body::OrderedSet(..));
            if call.distinct || !call.order.is_empty() || ordered {
                if call.function.strict && args[..call.visible_args].iter().any(Value::is_null) && !ordered {
                    continue;
                }
                state.kept.push(args.clone());
                continue;
            }
            update_state(ctx, call, state.state.as_mut(), args)?;
        }
        Ok(())
    }

    /// Adds a finished group's row.
    async fn emit(&mut self, ctx: &ExecContext, mut group: Group, sets: &[Vec<usize>], out: &mut Batch) -> Result<()> {
        let node = Arc::clone(&self.node);
        let mut row = Vec::with_capacity(out.width());
        for (call, state) in node.calls.iter().zip(&mut group.calls) {
            feed_kept(ctx, call, state)?;
            let mut direct = Vec::with_capacity(call.direct.len());
            for expr in &call.direct {
                direct.push(self.evaluator.eval(ctx, expr, &group.key).await?);
            }
            row.push(state.state.finish(&ctx.call(&call.arg_types, call.return_type), &direct)?);
        }
        let set = &sets[group.set];
        for grouping in &node.groupings {
            let bits = grouping
                .iter()
                .fold(0, |bits, place| (bits << 1) | i32::from(!set.contains(place)));
            row.push(Value::Int4(bits));
        }
        out.push_values(group.key.into_iter().chain(row));
        Ok(())
    }

    /// Sorted input: goes on until a group ends. `None` at the end of the input.
    async fn next_sorted(&mut self, ctx: &ExecContext) -> Result<Option<Group>> {
        let mut key = Vec::new();
        let mut args = Vec::new();
        loop {
            if self.rows_at >= self.rows.len() {
                if !self.input_more {
                    return Ok(self.current.take());
                }
                let mut rows = std::mem::take(&mut self.rows);
                self.input_more = self.input.next(ctx, BATCH_ROWS_MAX, &mut rows).await?;
                self.rows = rows;
                self.rows_at = 0;
                continue;
            }
            let rows = std::mem::take(&mut self.rows);
            let row = rows.row(self.rows_at);
            self.group_values(ctx, row, &mut key).await?;
            let mut finished = None;
            let mut group = match self.current.take() {
                Some(group) if same_group(&group.key, &key, &self.types) => group,
                other => {
                    finished = other;
                    self.new_group(ctx, 0, key.clone())?
                }
            };
            self.update(ctx, &mut group, row, &mut args).await?;
            self.current = Some(group);
            self.rows = rows;
            self.rows_at += 1;
            if finished.is_some() {
                return Ok(finished);
            }
        }
    }
}

/// A fresh state of a call.
pub fn new_state(ctx: &ExecContext, call: &AggregatePlan) -> Result<Box<dyn AggregateState>> {
    match call.function.body {
        Body::Aggregate(make) | Body::OrderedSet(make, _) => Ok(make(&ctx.call(&call.arg_types, call.return_type))),
        _ => Err(PgError::internal(format!("{} is no aggregate", call.function.name))),
    }
}

fn update_state(ctx: &ExecContext, call: &AggregatePlan, state: &mut dyn AggregateState, args: &[Value]) -> Result<()> {
    let args = &args[..call.visible_args.min(args.len())];
    if call.function.strict && args.iter().any(Value::is_null) {
        return Ok(());
    }
    state.update(&ctx.call(&call.arg_types, call.return_type), args)
}

/// DISTINCT and ORDER BY: the kept arguments go in, sorted, each once.
fn feed_kept(ctx: &ExecContext, call: &AggregatePlan, state: &mut CallState) -> Result<()> {
    let mut kept = std::mem::take(&mut state.kept);
    if kept.is_empty() {
        return Ok(());
    }
    let keys = kept_order(call);
    kept.sort_by(|a, b| compare_rows(&keys, a, b));
    let mut last: Option<&Row> = None;
    for row in &kept {
        let again = call.distinct && last.is_some_and(|last| same_args(call, last, row));
        if !again {
            update_state(ctx, call, state.state.as_mut(), row)?;
        }
        last = Some(row);
    }
    Ok(())
}

/// The written order, then (for DISTINCT) the arguments not in it.
fn kept_order(call: &AggregatePlan) -> Vec<SortColumn> {
    let mut keys = call.order.clone();
    if call.distinct {
        for column in 0..call.visible_args {
            if !keys.iter().any(|key| key.column == column) {
                let ty = call.args[column].ty;
                keys.push(SortColumn {
                    column,
                    ty,
                    descending: false,
                    nulls_first: false,
                });
            }
        }
    }
    keys
}

fn same_args(call: &AggregatePlan, a: &[Value], b: &[Value]) -> bool {
    (0..call.visible_args).all(|at| match (a[at].is_null(), b[at].is_null()) {
        (true, true) => true,
        (false, false) => compare_as(call.args[at].ty, &a[at], &b[at]).is_eq(),
        _ => false,
    })
}

fn grouping_sets(node: &Aggregate) -> Vec<Vec<usize>> {
    if node.sets.is_empty() {
        vec![(0..node.group.len()).collect()]
    } else {
        node.sets.clone()
    }
}

/// Groups of several sets in the order of their keys, each subtotal after what it sums up.
fn compare_groups(a: &Group, b: &Group, sets: &[Vec<usize>], types: &[Oid]) -> std::cmp::Ordering {
    use std::cmp::Ordering::{Equal, Greater, Less};
    for (at, ty) in types.iter().enumerate() {
        let ordering = match (sets[a.set].contains(&at), sets[b.set].contains(&at)) {
            (true, false) => Less,
            (false, true) => Greater,
            (false, false) => Equal,
            (true, true) => match (a.key[at].is_null(), b.key[at].is_null()) {
                (true, true) => Equal,
                (true, false) => Greater,
                (false, true) => Less,
                (false, false) => compare_as(*ty, &a.key[at], &b.key[at]),
            },
        };
        if ordering.is_ne() {
            return ordering;
        }
    }
    a.set.cmp(&b.set)
}

fn group_hash(set: usize, key: &[Value], types: &[Oid]) -> u64 {
    hash_row(key, types) ^ (set as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[async_trait]
impl Operator for AggregateOp {
    async fn next(&mut self, ctx: &ExecContext, max_rows: usize, out: &mut Batch) -> Result<bool> {
        let node = Arc::clone(&self.node);
        out.reset(node.group.len() + node.calls.len() + node.groupings.len());
        ctx.breathe().await?;
        let sets = grouping_sets(&node);
        if node.strategy == AggregateStrategy::Sorted && node.sets.is_empty() {
            while out.len() < max_rows {
                match self.next_sorted(ctx).await? {
                    Some(group) => self.emit(ctx, group, &sets, out).await?,
                    None => return Ok(false),
                }
            }
            return Ok(true);
        }
        if !self.loaded {
            self.load(ctx).await?;
            if sets.len() > 1 {
                let types = &self.types;
                self.output.sort_by(|a, b| compare_groups(a, b, &sets, types));
            }
            self.output.reverse();
        }
        while out.len() < max_rows {
            match self.output.pop() {
                Some(group) => self.emit(ctx, group, &sets, out).await?,
                None => return Ok(false),
            }
        }
        Ok(!self.output.is_empty())
    }

    async fn rescan(&mut self, ctx: &ExecContext) -> Result<()> {
        self.loaded = false;
        self.output.clear();
        self.current = None;
        self.rows.reset(0);
        self.rows_at = 0;
        self.input_more = true;
        self.at = 0;
        self.input.rescan(ctx).await
    }
}
