//! Filter, projection, and projection with set-returning functions.

use std::sync::Arc;

use async_trait::async_trait;

use super::build::build;
use super::context::ExecContext;
use super::operator::{BoxOperator, Operator};
use super::row::{Batch, Row};
use super::slots::{Evaluator, eval_sync, finish};
use crate::bind::tree::ExprKind;
use crate::error::{PgError, Result};
use crate::functions::{Body, SetRows};
use crate::plan::eval::eval;
use crate::plan::node::{Filter, Project, ProjectSet, ResultNode};
use crate::types::Value;

pub struct FilterOp {
    node: Arc<Filter>,
    input: BoxOperator,
    evaluator: Evaluator,
}

impl FilterOp {
    pub fn new(ctx: &ExecContext, node: &Arc<Filter>) -> Self {
        FilterOp {
            input: build(&node.input, ctx),
            evaluator: Evaluator::new(&ctx.plan, [&node.condition]),
            node: Arc::clone(node),
        }
    }
}

#[async_trait]
impl Operator for FilterOp {
    async fn next(&mut self, ctx: &ExecContext, max_rows: usize, out: &mut Batch) -> Result<bool> {
        loop {
            let more = self.input.next(ctx, max_rows, out).await?;
            self.evaluator.retain(ctx, &self.node.condition, out).await?;
            if !out.is_empty() || !more {
                return Ok(more);
            }
        }
    }

    async fn rescan(&mut self, ctx: &ExecContext) -> Result<()> {
        self.input.rescan(ctx).await
    }
}

pub struct ProjectOp {
    node: Arc<Project>,
    input: BoxOperator,
    evaluator: Evaluator,
    rows: Batch,
}

impl ProjectOp {
    pub fn new(ctx: &ExecContext, node: &Arc<Project>) -> Self {
        ProjectOp {
            input: build(&node.input, ctx),
            evaluator: Evaluator::new(&ctx.plan, &node.exprs),
            node: Arc::clone(node),
            rows: Batch::default(),
        }
    }
}

#[async_trait]
impl Operator for ProjectOp {
    async fn next(&mut self, ctx: &ExecContext, max_rows: usize, out: &mut Batch) -> Result<bool> {
        out.reset(self.node.exprs.len());
        let more = self.input.next(ctx, max_rows, &mut self.rows).await?;
        if self.evaluator.is_sync() {
            let context = ctx.eval();
            for row in self.rows.rows() {
                out.push_with(|values| {
                    for expr in &self.node.exprs {
                        values.push(finish(eval(expr, row, &context))?);
                    }
                    Ok::<(), PgError>(())
                })?;
            }
            return Ok(more);
        }
        let mut values = Vec::with_capacity(self.node.exprs.len());
        for row in self.rows.rows() {
            for expr in &self.node.exprs {
                values.push(self.evaluator.eval(ctx, expr, row).await?);
            }
            out.push_values(values.drain(..));
        }
        Ok(more)
    }

    async fn rescan(&mut self, ctx: &ExecContext) -> Result<()> {
        self.input.rescan(ctx).await
    }
}

/// One row without input, or the input's rows, where a condition holds.
pub struct ResultOp {
    node: Arc<ResultNode>,
    input: Option<BoxOperator>,
    evaluator: Evaluator,
    /// Whether the condition held; `None` before it was looked at.
    passed: Option<bool>,
    done: bool,
}

impl ResultOp {
    pub fn new(ctx: &ExecContext, node: &Arc<ResultNode>) -> Self {
        ResultOp {
            input: node.input.as_ref().map(|input| build(input, ctx)),
            evaluator: Evaluator::new(&ctx.plan, node.exprs.iter().chain(&node.condition)),
            node: Arc::clone(node),
            passed: None,
            done: false,
        }
    }
}

#[async_trait]
impl Operator for ResultOp {
    async fn next(&mut self, ctx: &ExecContext, max_rows: usize, out: &mut Batch) -> Result<bool> {
        out.reset(self.node.exprs.len());
        if self.passed.is_none() {
            self.passed = Some(match &self.node.condition {
                None => true,
                Some(condition) => self.evaluator.test(ctx, condition, &[]).await?,
            });
        }
        if self.passed == Some(false) {
            return Ok(false);
        }
        if let Some(input) = &mut self.input {
            return input.next(ctx, max_rows, out).await;
        }
        if std::mem::replace(&mut self.done, true) {
            return Ok(false);
        }
        let mut values = Vec::with_capacity(self.node.exprs.len());
        for expr in &self.node.exprs {
            values.push(self.evaluator.eval(ctx, expr, &[]).await?);
        }
        out.push_values(values);
        Ok(false)
    }

    async fn rescan(&mut self, ctx: &ExecContext) -> Result<()> {
        self.passed = None;
        self.done = false;
        match &mut self.input {
            Some(input) => input.rescan(ctx).await,
            None => Ok(()),
        }
    }
}

/// Set-returning functions in targets: they advance together, and a row comes out as long as one of them has one.
pub struct ProjectSetOp {
    node: Arc<ProjectSet>,
    input: BoxOperator,
    evaluator: Evaluator,
    rows: Batch,
    /// Next row of `rows`.
    at: usize,
    more: bool,
    /// The running sets of the row at hand; empty between rows.
    sets: Vec<Option<Box<dyn SetRows>>>,
    /// Values of the other expressions.
    scalars: Row,
}

impl ProjectSetOp {
    pub fn new(ctx: &ExecContext, node: &Arc<ProjectSet>) -> Self {
        let args = node.exprs.iter().flat_map(|expr| match &expr.kind {
            ExprKind::Call(call) if call.function.returns_set() => call.args.iter().collect::<Vec<_>>(),
            _ => vec![expr],
        });
        ProjectSetOp {
            input: build(&node.input, ctx),
            evaluator: Evaluator::new(&ctx.plan, args),
            node: Arc::clone(node),
            rows: Batch::default(),
            at: 0,
            more: true,
            sets: Vec::new(),
            scalars: Vec::new(),
        }
    }

    /// Evaluates the row at hand and starts its sets.
    async fn start(&mut self, ctx: &ExecContext) -> Result<()> {
        let node = Arc::clone(&self.node);
        self.sets.clear();
        self.scalars.clear();
        for expr in &node.exprs {
            let row = self.rows.row(self.at);
            match &expr.kind {
                ExprKind::Call(call) if call.function.returns_set() => {
                    let mut args = Vec::with_capacity(call.args.len());
                    for arg in &call.args {
                        args.push(self.evaluator.eval(ctx, arg, row).await?);
                    }
                    self.sets.push(Some(start_set(ctx, call, expr.ty, &args)?));
                    self.scalars.push(Value::Null);
                }
                _ => {
                    self.scalars.push(self.evaluator.eval(ctx, expr, row).await?);
                    self.sets.push(None);
                }
            }
        }
        self.at += 1;
        Ok(())
    }

    /// The next row of the running sets; false where all have ended.
    fn step(&mut self, out: &mut Batch) -> Result<bool> {
        let mut any = false;
        let mut row = self.scalars.clone();
        for (set, value) in self.sets.iter_mut().zip(&mut row) {
            if let Some(set) = set
                && let Some(values) = set.next()?
            {
                any = true;
                *value = one_value(values);
            }
        }
        if any {
            out.push_values(row);
        }
        Ok(any)
    }
}

/// A set's row as one value: a record where it has several columns.
fn one_value(mut values: Row) -> Value {
    if values.len() == 1 {
        return values.swap_remove(0);
    }
    let fields = values.into_iter().map(|value| (natural_type(&value), value)).collect();
    Value::Record(Arc::new(crate::types::Record {
        ty: crate::types::oid::RECORD,
        fields,
        names: None,
    }))
}

/// The type that a field of a record is printed as.
fn natural_type(value: &Value) -> crate::ids::Oid {
    use crate::types::oid;
    match value {
        Value::Bool(_) => oid::BOOL,
        Value::Int2(_) => oid::INT2,
        Value::Int4(_) => oid::INT4,
        Value::Int8(_) => oid::INT8,
        Value::Float4(_) => oid::FLOAT4,
        Value::Float8(_) => oid::FLOAT8,
        Value::Numeric(_) => oid::NUMERIC,
        Value::Oid(_) => oid::OID,
        Value::Jsonb(_) => oid::JSONB,
        Value::Timestamp(_) => oid::TIMESTAMP,
        Value::TimestampTz(_) => oid::TIMESTAMPTZ,
        Value::Date(_) => oid::DATE,
        Value::Uuid(_) => oid::UUID,
        Value::Text(_) => oid::TEXT,
        Value::Array(array) => crate::types::info::array_of(array.element).unwrap_or(oid::UNKNOWN),
        _ => oid::UNKNOWN,
    }
}

/// Starts a set-returning function; a strict one with a null argument gives no rows.
pub fn start_set(
    ctx: &ExecContext,
    call: &crate::bind::tree::Call,
    ty: crate::ids::Oid,
    args: &[Value],
) -> Result<Box<dyn SetRows>> {
    if call.function.strict && args.iter().any(Value::is_null) {
        return Ok(Box::new(NoRows));
    }
    match call.function.body {
        Body::Set(body) => body(&ctx.call(&call.arg_types, ty), args),
        _ => Err(PgError::internal(format!("{} returns no set", call.function.name))),
    }
}

struct NoRows;

impl SetRows for NoRows {
    fn next(&mut self) -> Result<Option<Vec<Value>>> {
        Ok(None)
    }
}

#[async_trait]
impl Operator for ProjectSetOp {
    async fn next(&mut self, ctx: &ExecContext, max_rows: usize, out: &mut Batch) -> Result<bool> {
        out.reset(self.node.exprs.len());
        ctx.breathe().await?;
        while out.len() < max_rows {
            if !self.sets.is_empty() {
                if !self.step(out)? {
                    self.sets.clear();
                }
                continue;
            }
            if self.at < self.rows.len() {
                self.start(ctx).await?;
                continue;
            }
            if !self.more {
                return Ok(false);
            }
            self.more = self.input.next(ctx, max_rows, &mut self.rows).await?;
            self.at = 0;
        }
        Ok(true)
    }

    async fn rescan(&mut self, ctx: &ExecContext) -> Result<()> {
        self.sets.clear();
        self.rows.reset(0);
        self.at = 0;
        self.more = true;
        self.input.rescan(ctx).await
    }
}

/// The values of expressions that have neither an input row nor slots.
pub fn constants(ctx: &ExecContext, exprs: &[crate::bind::tree::Expr]) -> Result<Row> {
    exprs.iter().map(|expr| eval_sync(ctx, expr, &[])).collect()
}
