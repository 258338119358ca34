//! Window functions: a partition at a time.

use std::cmp::Ordering;
use std::sync::Arc;

use async_trait::async_trait;

use super::build::build;
use super::context::ExecContext;
use super::operator::{BoxOperator, Operator};
use super::row::{Batch, Row};
use super::slots::Evaluator;
use super::sort::compare_rows;
use crate::bind::tree::{Expr, FrameBound, FrameExclude, FrameMode, WindowFunction};
use crate::error::{PgError, Result, sqlstate};
use crate::functions::{AggregateState, Body, Builtin, WindowKind};
use crate::limits::BATCH_ROWS_MAX;
use crate::plan::node::{WindowNode, WindowPlan};
use crate::types::Value;

pub struct WindowOp {
    node: Arc<WindowNode>,
    input: BoxOperator,
    evaluator: Evaluator,
    rows: Batch,
    at: usize,
    more: bool,
    /// Finished rows, last first.
    output: Vec<Row>,
    /// First row of the next partition.
    carried: Option<Row>,
    offsets: Option<[Option<Value>; 2]>,
}

/// One partition's rows, and where their peer groups begin.
struct Partition {
    rows: Vec<Row>,
    /// Of each row: the number of its peer group.
    group: Vec<usize>,
    /// Of each group: first row; then the end.
    starts: Vec<usize>,
}

impl WindowOp {
    pub fn new(ctx: &ExecContext, node: &Arc<WindowNode>) -> Self {
        let calls = node.calls.iter().flat_map(|call| call.args.iter().chain(&call.filter));
        let offsets = crate::plan::walk::frame_offsets([&node.frame.start, &node.frame.end]);
        WindowOp {
            input: build(&node.input, ctx),
            evaluator: Evaluator::new(&ctx.plan, calls.chain(offsets)),
            node: Arc::clone(node),
            rows: Batch::default(),
            at: 0,
            more: true,
            output: Vec::new(),
            carried: None,
            offsets: None,
        }
    }

    /// Reads the rows of the next partition. `None` at the end.
    async fn read_partition(&mut self, ctx: &ExecContext) -> Result<Option<Partition>> {
        let mut rows: Vec<Row> = self.carried.take().into_iter().collect();
        'read: loop {
            while self.at < self.rows.len() {
                let row = self.rows.take_row(self.at);
                self.at += 1;
                if let Some(first) = rows.first()
                    && compare_rows(&self.node.partition, first, &row).is_ne()
                {
                    self.carried = Some(row);
                    break 'read;
                }
                rows.push(row);
            }
            if !self.more {
                break;
            }
            self.more = self.input.next(ctx, BATCH_ROWS_MAX, &mut self.rows).await?;
            self.at = 0;
        }
        if rows.is_empty() {
            return Ok(None);
        }
        let mut group = Vec::with_capacity(rows.len());
        let mut starts = vec![0];
        for at in 0..rows.len() {
            if at > 0 && compare_rows(&self.node.order, &rows[at - 1], &rows[at]).is_ne() {
                starts.push(at);
            }
            group.push(starts.len() - 1);
        }
        starts.push(rows.len());
        Ok(Some(Partition { rows, group, starts }))
    }

    /// Computes all calls over a partition.
    async fn compute(&mut self, ctx: &ExecContext, mut partition: Partition) -> Result<()> {
        let node = Arc::clone(&self.node);
        let mut results: Vec<Vec<Value>> = Vec::with_capacity(node.calls.len());
        for call in &node.calls {
            let args = self.arguments(ctx, call, &partition).await?;
            let frames = match call.function {
                WindowFunction::Builtin(kind) if !uses_frame(kind) => Vec::new(),
                _ => self.frames(ctx, &partition).await?,
            };
            results.push(match call.function {
                WindowFunction::Builtin(kind) => builtin(kind, &node, &partition, &args, &frames)?,
                WindowFunction::Aggregate(function) => aggregate(ctx, call, function, &node, &partition, &args, &frames)?,
            });
            ctx.breathe().await?;
        }
        for (at, row) in partition.rows.iter_mut().enumerate() {
            row.extend(results.iter_mut().map(|values| std::mem::take(&mut values[at])));
        }
        partition.rows.reverse();
        self.output = partition.rows;
        Ok(())
    }

    /// Each row's arguments; `None` where FILTER leaves the row out.
    async fn arguments(&mut self, ctx: &ExecContext, call: &WindowPlan, partition: &Partition) -> Result<Vec<Option<Row>>> {
        let mut all = Vec::with_capacity(partition.rows.len());
        for row in &partition.rows {
            if let Some(filter) = &call.filter
                && !self.evaluator.test(ctx, filter, row).await?
            {
                all.push(None);
                continue;
            }
            let mut args = Vec::with_capacity(call.args.len());
            for arg in &call.args {
                args.push(self.evaluator.eval(ctx, arg, row).await?);
            }
            all.push(Some(args));
        }
        Ok(all)
    }

    async fn offset(&mut self, ctx: &ExecContext, bound: &FrameBound, which: &str) -> Result<Option<Value>> {
        let (FrameBound::Preceding(expr) | FrameBound::Following(expr)) = bound else {
            return Ok(None);
        };
        let expr: &Expr = expr;
        match self.evaluator.eval(ctx, expr, &[]).await? {
            Value::Null => Err(PgError::new(
                sqlstate::NULL_VALUE_NOT_ALLOWED,
                format!("frame {which} offset must not be null"),
            )),
            Value::Int8(offset) if offset < 0 => Err(PgError::new(
                sqlstate::INVALID_PRECEDING_OR_FOLLOWING_SIZE,
                format!("frame {which} offset must not be negative"),
            )),
            value => Ok(Some(value)),
        }
    }

    /// Each row's frame: from and to (exclusive), before EXCLUDE.
    async fn frames(&mut self, ctx: &ExecContext, partition: &Partition) -> Result<Vec<(usize, usize)>> {
        let node = Arc::clone(&self.node);
        if self.offsets.is_none() {
            let start = self.offset(ctx, &node.frame.start, "starting").await?;
            let end = self.offset(ctx, &node.frame.end, "ending").await?;
            self.offsets = Some([start, end]);
        }
        let [start, end] = self.offsets.clone().unwrap_or_default();
        let mut frames = Vec::with_capacity(partition.rows.len());
        for at in 0..partition.rows.len() {
            let from = bound(&node, partition, at, &node.frame.start, start.as_ref(), false)?;
            let to = bound(&node, partition, at, &node.frame.end, end.as_ref(), true)?;
            frames.push((from, to.max(from)));
        }
        Ok(frames)
    }
}

fn uses_frame(kind: WindowKind) -> bool {
    matches!(kind, WindowKind::FirstValue | WindowKind::LastValue | WindowKind::NthValue)
}

fn count_of(value: Option<&Value>) -> usize {
    match value {
        Some(Value::Int8(v)) => usize::try_from(*v).unwrap_or(usize::MAX),
        Some(Value::Int4(v)) => usize::try_from(*v).unwrap_or(0),
        _ => 0,
    }
}

/// A frame's edge for row `at`; ends are exclusive.
fn bound(
    node: &WindowNode,
    partition: &Partition,
    at: usize,
    bound: &FrameBound,
    offset: Option<&Value>,
    is_end: bool,
) -> Result<usize> {
    let len = partition.rows.len();
    let group = partition.group[at];
    let groups = partition.starts.len() - 1;
    let step = usize::from(is_end);
    Ok(match (node.frame.mode, bound) {
        (_, FrameBound::UnboundedPreceding) => 0,
        (_, FrameBound::UnboundedFollowing) => len,
        (FrameMode::Rows, FrameBound::CurrentRow) => at + step,
        (FrameMode::Rows, FrameBound::Preceding(_)) => (at + step).saturating_sub(count_of(offset)),
        (FrameMode::Rows, FrameBound::Following(_)) => at.saturating_add(count_of(offset)).saturating_add(step).min(len),
        (_, FrameBound::CurrentRow) => partition.starts[group + step],
        (FrameMode::Groups, FrameBound::Preceding(_)) => match (group + step).checked_sub(count_of(offset)) {
            Some(group) => partition.starts[group],
            None => 0,
        },
        (FrameMode::Groups, FrameBound::Following(_)) => {
            partition.starts[group.saturating_add(count_of(offset)).saturating_add(step).min(groups)]
        }
        (FrameMode::Range, FrameBound::Preceding(_) | FrameBound::Following(_)) => {
            let preceding = matches!(bound, FrameBound::Preceding(_));
            range_bound(node, partition, at, offset, preceding, is_end)?
        }
    })
}

/// `RANGE n PRECEDING` and the like: by the value of the one sort key.
fn range_bound(
    node: &WindowNode,
    partition: &Partition,
    at: usize,
    offset: Option<&Value>,
    preceding: bool,
    is_end: bool,
) -> Result<usize> {
    let key = node
        .order
        .first()
        .ok_or_else(|| PgError::internal("RANGE with offset needs a sort key"))?;
    let column = key.column;
    let group = partition.group[at];
    let value = &partition.rows[at][column];
    if value.is_null() {
        // Nulls are peers of each other only.
        return Ok(partition.starts[group + usize::from(is_end)]);
    }
    let base = number(value)?;
    let offset = offset.map(number).transpose()?.unwrap_or(0.0);
    let edge = if preceding == key.descending {
        base + offset
    } else {
        base - offset
    };
    let len = partition.rows.len();
    for (place, row) in partition.rows.iter().enumerate() {
        let other = &row[column];
        if other.is_null() {
            if !key.nulls_first {
                return Ok(place);
            }
            continue;
        }
        let mut ordering = number(other)?.partial_cmp(&edge).unwrap_or(Ordering::Equal);
        if key.descending {
            ordering = ordering.reverse();
        }
        if ordering.is_gt() || (ordering.is_eq() && !is_end) {
            return Ok(place);
        }
    }
    Ok(len)
}

#[allow(clippy::cast_precision_loss)]
fn number(value: &Value) -> Result<f64> {
    Ok(match value {
        Value::Int2(v) => f64::from(*v),
        Value::Int4(v) | Value::Date(v) => f64::from(*v),
        Value::Int8(v) => *v as f64,
        Value::Float4(v) => f64::from(*v),
        Value::Float8(v) => *v,
        Value::Numeric(v) => v.to_string().parse().unwrap_or(0.0),
        Value::Timestamp(v) | Value::TimestampTz(v) | Value::Time(v) => *v as f64,
        Value::Interval(v) if v.months == 0 => f64::from(v.days) * 86_400e6 + v.micros as f64,
        _ => return Err(PgError::unsupported("RANGE with offset for this type")),
    })
}

/// Rows of a frame after EXCLUDE.
fn frame_rows<'f>(
    node: &WindowNode,
    partition: &'f Partition,
    at: usize,
    frame: (usize, usize),
) -> impl Iterator<Item = usize> + 'f {
    let exclude = node.frame.exclude;
    let group = partition.group[at];
    (frame.0..frame.1).filter(move |row| match exclude {
        FrameExclude::NoOthers => true,
        FrameExclude::CurrentRow => *row != at,
        FrameExclude::Group => partition.group[*row] != group,
        FrameExclude::Ties => *row == at || partition.group[*row] != group,
    })
}

fn int8(value: usize) -> Value {
    Value::Int8(i64::try_from(value).unwrap_or(i64::MAX))
}

#[allow(clippy::cast_precision_loss)]
fn ratio(part: usize, of: usize) -> Value {
    Value::Float8(if of == 0 { 0.0 } else { part as f64 / of as f64 })
}

fn builtin(
    kind: WindowKind,
    node: &WindowNode,
    partition: &Partition,
    args: &[Option<Row>],
    frames: &[(usize, usize)],
) -> Result<Vec<Value>> {
    let len = partition.rows.len();
    let arg = |at: usize, number: usize| {
        args[at]
            .as_ref()
            .and_then(|args| args.get(number))
            .cloned()
            .unwrap_or_default()
    };
    let mut out = Vec::with_capacity(len);
    for at in 0..len {
        let group = partition.group[at];
        let (start, end) = (partition.starts[group], partition.starts[group + 1]);
        out.push(match kind {
            WindowKind::RowNumber => int8(at + 1),
            WindowKind::Rank => int8(start + 1),
            WindowKind::DenseRank => int8(group + 1),
            WindowKind::PercentRank => ratio(start, len - 1),
            WindowKind::CumeDist => ratio(end, len),
            WindowKind::Ntile => ntile(&arg(0, 0), at, len)?,
            WindowKind::Lag | WindowKind::Lead => shifted(kind, at, len, &arg)?,
            WindowKind::FirstValue => frame_rows(node, partition, at, frames[at])
                .next()
                .map_or(Value::Null, |row| arg(row, 0)),
            WindowKind::LastValue => frame_rows(node, partition, at, frames[at])
                .last()
                .map_or(Value::Null, |row| arg(row, 0)),
            WindowKind::NthValue => match arg(at, 1) {
                Value::Null => Value::Null,
                Value::Int4(n) if n >= 1 => {
                    let place = usize::try_from(n - 1).unwrap_or(0);
                    frame_rows(node, partition, at, frames[at])
                        .nth(place)
                        .map_or(Value::Null, |row| arg(row, 0))
                }
                _ => {
                    return Err(PgError::new(
                        sqlstate::INVALID_ARGUMENT_FOR_NTH_VALUE,
                        "argument of nth_value must be greater than zero",
                    ));
                }
            },
        });
    }
    Ok(out)
}

fn ntile(buckets: &Value, at: usize, len: usize) -> Result<Value> {
    let Value::Int4(buckets) = buckets else {
        return Ok(Value::Null);
    };
    let buckets = usize::try_from(*buckets).ok().filter(|n| *n > 0).ok_or_else(|| {
        PgError::new(
            sqlstate::INVALID_ARGUMENT_FOR_NTILE,
            "argument of ntile must be greater than zero",
        )
    })?;
    let (small, larger) = (len / buckets, len % buckets);
    let bucket = if at < larger * (small + 1) {
        at / (small + 1)
    } else {
        larger + (at - larger * (small + 1)) / small.max(1)
    };
    Ok(Value::Int4(i32::try_from(bucket + 1).unwrap_or(i32::MAX)))
}

/// `lag(value, offset, default)` and `lead`.
fn shifted(kind: WindowKind, at: usize, len: usize, arg: &dyn Fn(usize, usize) -> Value) -> Result<Value> {
    let offset = match arg(at, 1) {
        Value::Int4(offset) => i64::from(offset),
        Value::Int8(offset) => offset,
        // Absent is one; a null given makes the result null. Both look alike here, and the binder fills the first in.
        _ => 1,
    };
    let here = i64::try_from(at).unwrap_or(i64::MAX);
    let place = if kind == WindowKind::Lag {
        here - offset
    } else {
        here + offset
    };
    match usize::try_from(place) {
        Ok(place) if place < len => Ok(arg(place, 0)),
        _ => Ok(arg(at, 2)),
    }
}

fn aggregate(
    ctx: &ExecContext,
    call: &WindowPlan,
    function: &'static Builtin,
    node: &WindowNode,
    partition: &Partition,
    args: &[Option<Row>],
    frames: &[(usize, usize)],
) -> Result<Vec<Value>> {
    let Body::Aggregate(make) = function.body else {
        return Err(PgError::unsupported(format!("{} as a window function", function.name)));
    };
    let context = ctx.call(&call.arg_types, call.return_type);
    let plain = node.frame.exclude == FrameExclude::NoOthers;
    let add = |state: &mut dyn AggregateState, row: usize| -> Result<()> {
        let Some(args) = &args[row] else { return Ok(()) };
        if function.strict && args.iter().any(Value::is_null) {
            return Ok(());
        }
        state.update(&context, args)
    };
    let mut out: Vec<Value> = Vec::with_capacity(partition.rows.len());
    let mut state = make(&context);
    let mut covered = (0, 0);
    for (at, frame) in frames.iter().enumerate() {
        if plain && at > 0 && *frame == frames[at - 1] {
            out.push(out[at - 1].clone());
            continue;
        }
        if plain && frame.0 == covered.0 && frame.1 >= covered.1 {
            for row in covered.1..frame.1 {
                add(state.as_mut(), row)?;
            }
        } else {
            state = make(&context);
            for row in frame_rows(node, partition, at, *frame) {
                add(state.as_mut(), row)?;
            }
        }
        covered = if plain { *frame } else { (usize::MAX, 0) };
        out.push(state.finish(&context, &[])?);
    }
    Ok(out)
}

#[async_trait]
impl Operator for WindowOp {
    async fn next(&mut self, ctx: &ExecContext, max_rows: usize, out: &mut Batch) -> Result<bool> {
        out.reset(self.node.input.width + self.node.calls.len());
        ctx.breathe().await?;
        while out.len() < max_rows {
            if let Some(row) = self.output.pop() {
                out.push_values(row);
                continue;
            }
            match self.read_partition(ctx).await? {
                Some(partition) => self.compute(ctx, partition).await?,
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    async fn rescan(&mut self, ctx: &ExecContext) -> Result<()> {
        self.output.clear();
        self.carried = None;
        self.offsets = None;
        self.rows.reset(0);
        self.at = 0;
        self.more = true;
        self.input.rescan(ctx).await
    }
}
