//! Expressions with sub-plans: fills slots between evaluations.

use std::hash::Hasher;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHasher};

use super::build::build;
use super::context::ExecContext;
use super::operator::BoxOperator;
use super::row::{Batch, Row};
use super::waiting;
use crate::bind::tree::{Expr, ExprKind};
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::limits::BATCH_ROWS_MAX;
use crate::plan::eval::{EvalContext, Memo, SlotValues, Stop, eval};
use crate::plan::node::{Plan, SlotKind, SlotPlan};
use crate::plan::walk::any_expr;
use crate::types::compare::{equal_as, hash_as};
use crate::types::{Array, Record, Value};

/// Evaluates a node's expressions. Costs nothing where they have no slots.
#[derive(Default)]
pub struct Evaluator {
    runner: Option<Box<Runner>>,
}

/// The slots of one node's expressions.
struct Runner {
    slots: Vec<SlotState>,
    values: SlotValues,
    memo: Memo,
}

struct SlotState {
    number: usize,
    operator: Option<BoxOperator>,
    hashed: Option<HashedRows>,
    /// [`OuterParams::stamp`](crate::plan::eval::OuterParams::stamp) of what it reads, when it was filled.
    stamp: u64,
}

impl Evaluator {
    pub fn new<'a>(plan: &Plan, exprs: impl IntoIterator<Item = &'a Expr>) -> Self {
        let mut numbers = Vec::new();
        for expr in exprs {
            collect(plan, expr, &mut numbers);
        }
        if numbers.is_empty() {
            return Evaluator { runner: None };
        }
        let slots = numbers
            .into_iter()
            .map(|number| SlotState {
                number,
                operator: None,
                hashed: None,
                stamp: 0,
            })
            .collect();
        Evaluator {
            runner: Some(Box::new(Runner {
                slots,
                values: SlotValues::default(),
                memo: Memo::default(),
            })),
        }
    }

    /// Whether [`eval_sync`] will do.
    pub fn is_sync(&self) -> bool {
        self.runner.is_none()
    }

    pub async fn eval(&mut self, ctx: &ExecContext, expr: &Expr, row: &[Value]) -> Result<Value> {
        match &mut self.runner {
            None => eval_sync(ctx, expr, row),
            Some(runner) => {
                runner.begin(ctx);
                runner.eval(ctx, expr, row).await
            }
        }
    }

    /// Whether a condition holds.
    pub async fn test(&mut self, ctx: &ExecContext, expr: &Expr, row: &[Value]) -> Result<bool> {
        Ok(matches!(self.eval(ctx, expr, row).await?, Value::Bool(true)))
    }

    /// Drops the row just added where a condition is given and does not hold: what stands after a join.
    pub async fn retain_last(&mut self, ctx: &ExecContext, condition: Option<&Expr>, out: &mut Batch) -> Result<()> {
        if let Some(condition) = condition
            && !out.is_empty()
            && !self.test(ctx, condition, out.row(out.len() - 1)).await?
        {
            out.pop();
        }
        Ok(())
    }

    /// Drops the rows of `out` for which `condition` does not hold.
    pub async fn retain(&mut self, ctx: &ExecContext, condition: &Expr, out: &mut Batch) -> Result<()> {
        let mut kept = 0;
        if self.is_sync() {
            let eval_context = ctx.eval();
            for index in 0..out.len() {
                if test_sync(&eval_context, condition, out.row(index))? {
                    out.move_row(index, kept);
                    kept += 1;
                }
            }
        } else {
            for index in 0..out.len() {
                if self.test(ctx, condition, out.row(index)).await? {
                    out.move_row(index, kept);
                    kept += 1;
                }
            }
        }
        out.truncate(kept);
        Ok(())
    }
}

/// Evaluates an expression that has no slots.
pub fn eval_sync(ctx: &ExecContext, expr: &Expr, row: &[Value]) -> Result<Value> {
    finish(eval(expr, row, &ctx.eval()))
}

/// The same for a condition, with a context made once for many rows.
pub fn test_sync(ctx: &EvalContext<'_>, condition: &Expr, row: &[Value]) -> Result<bool> {
    Ok(matches!(finish(eval(condition, row, ctx))?, Value::Bool(true)))
}

/// The value, where no slot can stop the evaluation.
pub fn finish(value: std::result::Result<Value, Stop>) -> Result<Value> {
    value.map_err(|stop| match stop {
        Stop::Error(error) => error,
        Stop::Slot(number) => PgError::internal(format!("slot {number} met where no sub-plan can run")),
    })
}

/// Slots in `expr`, and in what they need.
fn collect(plan: &Plan, expr: &Expr, numbers: &mut Vec<usize>) {
    any_expr(expr, &mut |part| {
        if let ExprKind::Slot(number) = part.kind
            && !numbers.contains(&number)
        {
            numbers.push(number);
            let slot = &plan.slots[number];
            for (_, param) in &slot.params {
                collect(plan, param, numbers);
            }
            match &slot.kind {
                SlotKind::Hashed { left, .. } => left.iter().for_each(|part| collect(plan, part, numbers)),
                SlotKind::Waiting { args, .. } => args.iter().for_each(|part| collect(plan, part, numbers)),
                SlotKind::Quantified { test, .. } => collect(plan, test, numbers),
                _ => {}
            }
        }
        false
    });
}

impl Runner {
    /// A new row, or a new evaluation: forgets what depends on it.
    fn begin(&mut self, ctx: &ExecContext) {
        self.memo.clear();
        for state in &self.slots {
            let slot = &ctx.plan.slots[state.number];
            if !slot.params.is_empty() || slot.kind.by_row() || ctx.outer.stamp(&slot.reads) != state.stamp {
                self.values.forget(state.number);
            }
        }
    }

    async fn eval(&mut self, ctx: &ExecContext, expr: &Expr, row: &[Value]) -> Result<Value> {
        loop {
            let evaluated = {
                let context = EvalContext {
                    memo: Some(&self.memo),
                    ..ctx.eval_with(&self.values)
                };
                eval(expr, row, &context)
            };
            match evaluated {
                Ok(value) => return Ok(value),
                Err(Stop::Error(error)) => return Err(error),
                Err(Stop::Slot(number)) => {
                    let plan = Arc::clone(&ctx.plan);
                    let slot = &plan.slots[number];
                    // An error stays in the slot, and is raised by whoever reads it.
                    let value = if slot.params.is_empty() && !slot.kind.by_row() {
                        self.fill_once(ctx, number, slot, row).await
                    } else {
                        Box::pin(self.fill(ctx, number, slot, row)).await
                    };
                    self.values.set(number, value);
                }
            }
        }
    }

    fn state(&mut self, number: usize) -> Result<&mut SlotState> {
        self.slots
            .iter_mut()
            .find(|state| state.number == number)
            .ok_or_else(|| PgError::internal(format!("slot {number} is not the node's")))
    }

    /// A slot that depends on no row: computed by whoever asks first.
    async fn fill_once(&mut self, ctx: &ExecContext, number: usize, slot: &SlotPlan, row: &[Value]) -> Result<Value> {
        let stamp = ctx.outer.stamp(&slot.reads);
        if let Some(value) = ctx.once.get(number, stamp) {
            self.state(number)?.stamp = stamp;
            return value;
        }
        let value = Box::pin(self.fill(ctx, number, slot, row)).await;
        ctx.once.set(number, stamp, value.clone());
        value
    }

    async fn fill(&mut self, ctx: &ExecContext, number: usize, slot: &SlotPlan, row: &[Value]) -> Result<Value> {
        for (outer, expr) in &slot.params {
            let value = self.eval(ctx, expr, row).await?;
            ctx.outer.set(*outer, value);
        }
        match &slot.kind {
            SlotKind::Waiting { waiting, args, strict } => {
                let mut values = Vec::with_capacity(args.len());
                for arg in args {
                    values.push(self.eval(ctx, arg, row).await?);
                }
                if *strict && values.iter().any(Value::is_null) {
                    return Ok(Value::Null);
                }
                waiting::run(ctx, *waiting, &values).await
            }
            SlotKind::Hashed { input, left, types } => {
                let mut values = Vec::with_capacity(left.len());
                for part in left {
                    values.push(self.eval(ctx, part, row).await?);
                }
                let stamp = ctx.outer.stamp(&slot.reads);
                let state = self.state(number)?;
                if state.hashed.is_none() || state.stamp != stamp {
                    let operator = state.start(ctx, input).await?;
                    let rows = HashedRows::load(ctx, operator, types).await?;
                    state.hashed = Some(rows);
                    state.stamp = stamp;
                }
                Ok(state
                    .hashed
                    .as_ref()
                    .map_or(Value::Null, |rows| rows.contains(&values, types)))
            }
            SlotKind::Quantified { input, test, all } => self.quantified(ctx, number, input, test, *all).await,
            SlotKind::Exists(input)
            | SlotKind::Scalar(input)
            | SlotKind::Record { input, .. }
            | SlotKind::Array { input, .. } => {
                let stamp = ctx.outer.stamp(&slot.reads);
                let state = self.state(number)?;
                state.stamp = stamp;
                let operator = state.start(ctx, input).await?;
                rows_value(ctx, operator, &slot.kind).await
            }
        }
    }

    async fn quantified(
        &mut self,
        ctx: &ExecContext,
        number: usize,
        input: &crate::plan::node::NodeRef,
        test: &Expr,
        all: bool,
    ) -> Result<Value> {
        let state = self.state(number)?;
        let stamp = ctx.outer.stamp(&ctx.plan.slots[number].reads);
        state.stamp = stamp;
        let mut operator = match state.operator.take() {
            Some(mut operator) => {
                operator.rescan(ctx).await?;
                operator
            }
            None => build(input, ctx),
        };
        let mut batch = Batch::default();
        let mut unknown = false;
        let mut result = None;
        'rows: loop {
            let more = operator.next(ctx, BATCH_ROWS_MAX, &mut batch).await?;
            for row in batch.rows() {
                match self.eval(ctx, test, row).await? {
                    Value::Bool(truth) if truth != all => {
                        result = Some(truth);
                        break 'rows;
                    }
                    Value::Bool(_) => {}
                    _ => unknown = true,
                }
            }
            if !more {
                break;
            }
        }
        self.state(number)?.operator = Some(operator);
        Ok(match result {
            Some(truth) => Value::Bool(truth),
            None if unknown => Value::Null,
            None => Value::Bool(all),
        })
    }
}

impl SlotState {
    /// The sub-plan's operator at its beginning.
    async fn start(&mut self, ctx: &ExecContext, input: &crate::plan::node::NodeRef) -> Result<&mut BoxOperator> {
        match &mut self.operator {
            Some(operator) => operator.rescan(ctx).await?,
            None => self.operator = Some(build(input, ctx)),
        }
        self.operator
            .as_mut()
            .ok_or_else(|| PgError::internal("a sub-plan has no operator"))
    }
}

/// What EXISTS, a scalar sub-select, a row or ARRAY(...) makes of the rows.
async fn rows_value(ctx: &ExecContext, operator: &mut BoxOperator, kind: &SlotKind) -> Result<Value> {
    let mut batch = Batch::default();
    match kind {
        SlotKind::Exists(_) => loop {
            let more = operator.next(ctx, 1, &mut batch).await?;
            if !batch.is_empty() || !more {
                return Ok(Value::Bool(!batch.is_empty()));
            }
        },
        SlotKind::Array { element, .. } => {
            let mut values = Vec::new();
            loop {
                let more = operator.next(ctx, BATCH_ROWS_MAX, &mut batch).await?;
                values.extend(batch.rows().map(|row| row[0].clone()));
                if !more {
                    break;
                }
            }
            Ok(Value::Array(Arc::new(Array::one(*element, values))))
        }
        _ => {
            let Some(row) = only_row(ctx, operator).await? else {
                return Ok(Value::Null);
            };
            Ok(match kind {
                SlotKind::Record { types, .. } => Value::Record(Arc::new(Record {
                    ty: crate::types::oid::RECORD,
                    fields: types.iter().copied().zip(row).collect(),
                    names: None,
                })),
                _ => row.into_iter().next().unwrap_or_default(),
            })
        }
    }
}

async fn only_row(ctx: &ExecContext, operator: &mut BoxOperator) -> Result<Option<Row>> {
    let mut batch = Batch::default();
    let mut only = None;
    loop {
        let more = operator.next(ctx, 2, &mut batch).await?;
        for index in 0..batch.len() {
            if only.replace(batch.take_row(index)).is_some() {
                return Err(PgError::new(
                    sqlstate::CARDINALITY_VIOLATION,
                    "more than one row returned by a subquery used as an expression",
                ));
            }
        }
        if !more {
            return Ok(only);
        }
    }
}

/// The rows of an uncorrelated `IN (SELECT ...)`.
struct HashedRows {
    rows: FxHashMap<u64, Vec<Row>>,
    /// Rows with a null in them: they make some answers unknown.
    with_null: Vec<Row>,
    empty: bool,
}

impl HashedRows {
    async fn load(ctx: &ExecContext, operator: &mut BoxOperator, types: &[Oid]) -> Result<Self> {
        let mut hashed = HashedRows {
            rows: FxHashMap::default(),
            with_null: Vec::new(),
            empty: true,
        };
        let mut batch = Batch::default();
        loop {
            let more = operator.next(ctx, BATCH_ROWS_MAX, &mut batch).await?;
            for row in batch.rows() {
                hashed.empty = false;
                let row = &row[..types.len()];
                if row.iter().any(Value::is_null) {
                    if hashed.with_null.len() < 64 || types.len() > 1 {
                        hashed.with_null.push(row.to_vec());
                    }
                    continue;
                }
                let bucket = hashed.rows.entry(hash_row(row, types)).or_default();
                if !bucket.iter().any(|other| same(other, row, types)) {
                    bucket.push(row.to_vec());
                }
            }
            if !more {
                return Ok(hashed);
            }
        }
    }

    /// Three-valued `values IN rows`.
    fn contains(&self, values: &[Value], types: &[Oid]) -> Value {
        if self.empty {
            return Value::Bool(false);
        }
        if values.iter().any(Value::is_null) {
            let maybe = |row: &Row| possibly_equal(row, values, types);
            let unknown = self.with_null.iter().any(maybe) || self.rows.values().flatten().any(maybe);
            return if unknown { Value::Null } else { Value::Bool(false) };
        }
        let found = self
            .rows
            .get(&hash_row(values, types))
            .is_some_and(|bucket| bucket.iter().any(|row| same(row, values, types)));
        if found {
            Value::Bool(true)
        } else if self.with_null.iter().any(|row| possibly_equal(row, values, types)) {
            Value::Null
        } else {
            Value::Bool(false)
        }
    }
}

/// Whether two rows would be equal if their nulls were the right values.
fn possibly_equal(a: &[Value], b: &[Value], types: &[Oid]) -> bool {
    a.iter()
        .zip(b)
        .zip(types)
        .all(|((a, b), ty)| a.is_null() || b.is_null() || equal_as(*ty, a, b))
}

fn same(a: &[Value], b: &[Value], types: &[Oid]) -> bool {
    a.iter().zip(b).zip(types).all(|((a, b), ty)| equal_as(*ty, a, b))
}

/// A row's hash, each value as its type; nulls hash alike.
pub fn hash_row(row: &[Value], types: &[Oid]) -> u64 {
    let mut hasher = FxHasher::default();
    for (value, ty) in row.iter().zip(types) {
        if value.is_null() {
            hasher.write_u8(0xff);
        } else {
            hash_as(*ty, value, &mut hasher);
        }
    }
    hasher.finish()
}

/// Whether two rows are the same for grouping: nulls are equal to each other.
pub fn same_group(a: &[Value], b: &[Value], types: &[Oid]) -> bool {
    a.iter()
        .zip(b)
        .zip(types)
        .all(|((a, b), ty)| match (a.is_null(), b.is_null()) {
            (true, true) => true,
            (false, false) => equal_as(*ty, a, b),
            _ => false,
        })
}
