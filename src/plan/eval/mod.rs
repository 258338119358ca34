//! Evaluation of expressions: sync, with three-valued logic and PostgreSQL's order of evaluation.
//!
//! What an expression cannot compute by itself (a sub-select, a call that waits) is a slot. Meeting a slot that has no
//! value yet stops the evaluation with [`Stop::Slot`]; the operator fills it and evaluates again. A slot may hold an
//! error, which is raised only when the slot is read: `CASE WHEN false THEN (sub-select that fails) END` does not fail.

use std::cell::RefCell;

use parking_lot::Mutex;
use smallvec::SmallVec;

use crate::bind::tree::{BooleanTest, Call, Expr, ExprKind};
use crate::error::{PgError, Result};
use crate::functions::{Body, Builtin, CallContext, Host, Volatility};
use crate::ids::Oid;
use crate::types::{Array, Record, TypeEnv, Value};

mod composite;

/// Why an evaluation ended without a value.
#[derive(Debug)]
pub enum Stop {
    /// The slot of this number has to be filled first.
    Slot(usize),
    Error(PgError),
}

impl From<PgError> for Stop {
    fn from(error: PgError) -> Self {
        Stop::Error(error)
    }
}

/// What an evaluation gives.
pub type Evaluated<T = Value> = std::result::Result<T, Stop>;

/// Arguments of a call; few calls have more.
type Args = SmallVec<[Value; 4]>;

/// What an expression may look at besides its input row.
#[derive(Clone, Copy)]
pub struct EvalContext<'a> {
    pub env: TypeEnv<'a>,
    pub host: &'a dyn Host,
    /// Statement parameters.
    pub params: &'a [Value],
    pub outer: &'a OuterParams,
    pub slots: &'a SlotValues,
    /// Results of volatile calls of this row, where an expression may be evaluated twice.
    pub memo: Option<&'a Memo>,
    /// Operand of the innermost CASE.
    pub case: Option<&'a Value>,
    /// VALUE in a domain's check.
    pub domain: Option<&'a Value>,
}

/// Parameters that outer nodes set for inner ones. The lock is held for a copy only.
#[derive(Debug, Default)]
pub struct OuterParams {
    /// Values, each with the number of changes it has seen.
    values: Mutex<Vec<(Value, u64)>>,
}

impl OuterParams {
    pub fn new(count: usize) -> Self {
        OuterParams {
            values: Mutex::new(vec![(Value::Null, 0); count]),
        }
    }

    pub fn get(&self, number: usize) -> Value {
        self.values
            .lock()
            .get(number)
            .map(|(value, _)| value.clone())
            .unwrap_or_default()
    }

    pub fn set(&self, number: usize, value: Value) {
        let mut values = self.values.lock();
        if values.len() <= number {
            values.resize(number + 1, (Value::Null, 0));
        }
        let changes = values[number].1 + 1;
        values[number] = (value, changes);
    }

    /// A number that differs after any of `numbers` was set: whatever depends on them is stale then.
    pub fn stamp(&self, numbers: &[usize]) -> u64 {
        if numbers.is_empty() {
            return 0;
        }
        let values = self.values.lock();
        numbers
            .iter()
            .map(|number| values.get(*number).map_or(0, |(_, changes)| *changes))
            .sum()
    }
}

/// Slots that have a value, or the error that reading them raises.
#[derive(Debug, Default)]
pub struct SlotValues {
    values: Vec<(usize, Result<Value>)>,
}

impl SlotValues {
    /// No slots.
    pub fn none() -> &'static Self {
        static NONE: SlotValues = SlotValues { values: Vec::new() };
        &NONE
    }

    pub fn get(&self, slot: usize) -> Option<&Result<Value>> {
        self.values.iter().find(|(number, _)| *number == slot).map(|(_, value)| value)
    }

    pub fn set(&mut self, slot: usize, value: Result<Value>) {
        self.forget(slot);
        self.values.push((slot, value));
    }

    pub fn forget(&mut self, slot: usize) {
        self.values.retain(|(number, _)| *number != slot);
    }

    pub fn clear(&mut self) {
        self.values.clear();
    }
}

/// Results of volatile calls, by the call's place in memory (a plan does not move).
#[derive(Debug, Default)]
pub struct Memo {
    values: RefCell<Vec<(usize, Value)>>,
}

impl Memo {
    pub fn clear(&mut self) {
        self.values.get_mut().clear();
    }

    fn get(&self, place: usize) -> Option<Value> {
        self.values
            .borrow()
            .iter()
            .find(|(at, _)| *at == place)
            .map(|(_, value)| value.clone())
    }

    fn set(&self, place: usize, value: Value) {
        self.values.borrow_mut().push((place, value));
    }
}

impl EvalContext<'_> {
    fn call<'b>(&'b self, arg_types: &'b [Oid], return_type: Oid) -> CallContext<'b> {
        CallContext {
            env: self.env,
            host: self.host,
            arg_types,
            return_type,
        }
    }
}

/// The value of `expr` for `row`.
pub fn eval(expr: &Expr, row: &[Value], ctx: &EvalContext<'_>) -> Evaluated {
    match &expr.kind {
        ExprKind::Input(column) => Ok(row[*column].clone()),
        ExprKind::Const(value) => Ok(value.clone()),
        ExprKind::Param(number) => param(*number, ctx),
        ExprKind::Outer(number) => Ok(ctx.outer.get(*number)),
        ExprKind::Slot(number) => match ctx.slots.get(*number) {
            Some(Ok(value)) => Ok(value.clone()),
            Some(Err(error)) => Err(error.clone().into()),
            None => Err(Stop::Slot(*number)),
        },
        ExprKind::Call(call) => eval_call(call, expr.ty, row, ctx),
        ExprKind::Cast(cast) => composite::cast(cast, expr, row, ctx),
        ExprKind::And(parts) => and(parts, row, ctx),
        ExprKind::Or(parts) => or(parts, row, ctx),
        ExprKind::Not(arg) => Ok(match eval(arg, row, ctx)? {
            Value::Bool(value) => Value::Bool(!value),
            other => other,
        }),
        ExprKind::NullTest { arg, negated } => {
            let value = eval(arg, row, ctx)?;
            Ok(Value::Bool(composite::null_test(&value, *negated)))
        }
        ExprKind::BooleanTest { arg, test } => Ok(Value::Bool(boolean_test(&eval(arg, row, ctx)?, *test))),
        ExprKind::Distinct { equal, negated } => {
            let args = eval_args(&equal.args, row, ctx)?;
            let distinct = !not_distinct(equal, &args, ctx)?;
            Ok(Value::Bool(distinct != *negated))
        }
        ExprKind::NullIf { equal } => null_if(equal, row, ctx),
        ExprKind::Case {
            operand,
            branches,
            otherwise,
        } => case(operand.as_deref(), branches, otherwise.as_deref(), row, ctx),
        ExprKind::CaseOperand => Ok(ctx.case.cloned().unwrap_or_default()),
        ExprKind::DomainValue => Ok(ctx.domain.cloned().unwrap_or_default()),
        ExprKind::Coalesce(parts) => {
            for part in parts {
                let value = eval(part, row, ctx)?;
                if !value.is_null() {
                    return Ok(value);
                }
            }
            Ok(Value::Null)
        }
        ExprKind::Greatest(parts) => composite::extreme(parts, expr.ty, std::cmp::Ordering::Greater, row, ctx),
        ExprKind::Least(parts) => composite::extreme(parts, expr.ty, std::cmp::Ordering::Less, row, ctx),
        ExprKind::ScalarArray {
            compare,
            scalar,
            array,
            all,
            ..
        } => scalar_array(compare, scalar, array, *all, row, ctx),
        ExprKind::Array { elements, nested } => composite::array(elements, *nested, expr.ty, row, ctx),
        ExprKind::Row(fields) => {
            let mut values = Vec::with_capacity(fields.len());
            for field in fields {
                values.push((field.ty, eval(field, row, ctx)?));
            }
            Ok(Value::Record(std::sync::Arc::new(Record {
                ty: expr.ty,
                fields: values,
                names: None,
            })))
        }
        ExprKind::RowCompare { operator, left, right } => composite::row_compare(*operator, left, right, row, ctx),
        ExprKind::Field { record, field } => Ok(match eval(record, row, ctx)? {
            Value::Record(record) => record.fields.get(*field).map(|(_, value)| value.clone()).unwrap_or_default(),
            _ => Value::Null,
        }),
        ExprKind::Subscript { array, indexes, slice } => composite::subscript(array, indexes, *slice, row, ctx),
        ExprKind::NextVal(sequence) => volatile(expr, ctx, || Ok(Value::Int8(ctx.host.nextval(*sequence)?))),
        ExprKind::Default => Ok(Value::Null),
        ExprKind::SqlCall { .. } => Err(PgError::unsupported("a function written in SQL").into()),
        ExprKind::CurrentOf(_) => Err(PgError::unsupported("WHERE CURRENT OF in this place").into()),
        ExprKind::Var { .. }
        | ExprKind::SystemVar { .. }
        | ExprKind::WholeRow { .. }
        | ExprKind::SubLink(_)
        | ExprKind::Aggregate(_)
        | ExprKind::Grouping(_)
        | ExprKind::Window(_) => Err(PgError::internal("an expression was not planned").into()),
    }
}

/// Whether a condition holds: null counts as false.
pub fn test(expr: &Expr, row: &[Value], ctx: &EvalContext<'_>) -> Evaluated<bool> {
    Ok(matches!(eval(expr, row, ctx)?, Value::Bool(true)))
}

fn param(number: usize, ctx: &EvalContext<'_>) -> Evaluated {
    ctx.params.get(number).cloned().ok_or_else(|| {
        let message = format!("there is no parameter ${}", number + 1);
        PgError::new(crate::error::sqlstate::UNDEFINED_PARAMETER, message).into()
    })
}

fn eval_args(args: &[Expr], row: &[Value], ctx: &EvalContext<'_>) -> Evaluated<Args> {
    let mut values = Args::new();
    for arg in args {
        values.push(eval(arg, row, ctx)?);
    }
    Ok(values)
}

fn eval_call(call: &Call, return_type: Oid, row: &[Value], ctx: &EvalContext<'_>) -> Evaluated {
    let args = eval_args(&call.args, row, ctx)?;
    let place = std::ptr::from_ref(call).addr();
    let memo = ctx.memo.filter(|_| call.function.volatility == Volatility::Volatile);
    if let Some(value) = memo.and_then(|memo| memo.get(place)) {
        return Ok(value);
    }
    let value = apply(call.function, &args, &ctx.call(&call.arg_types, return_type))?;
    if let Some(memo) = memo {
        memo.set(place, value.clone());
    }
    Ok(value)
}

/// Runs `compute` once a row even where the expression is evaluated again for a slot.
fn volatile(expr: &Expr, ctx: &EvalContext<'_>, compute: impl FnOnce() -> Result<Value>) -> Evaluated {
    let place = std::ptr::from_ref(expr).addr();
    if let Some(value) = ctx.memo.and_then(|memo| memo.get(place)) {
        return Ok(value);
    }
    let value = compute()?;
    if let Some(memo) = ctx.memo {
        memo.set(place, value.clone());
    }
    Ok(value)
}

/// Calls a scalar function; a strict one with a null argument gives null.
pub fn apply(function: &Builtin, args: &[Value], call: &CallContext<'_>) -> Result<Value> {
    if function.strict && args.iter().any(Value::is_null) {
        return Ok(Value::Null);
    }
    match function.body {
        Body::Scalar(body) => body(call, args),
        Body::Set(_) => Err(PgError::new(
            crate::error::sqlstate::FEATURE_NOT_SUPPORTED,
            "set-valued function called in context that cannot accept a set",
        )),
        Body::Aggregate(_) | Body::OrderedSet(..) | Body::Window(_) | Body::Waiting(_) => {
            Err(PgError::internal(format!("function {} was not planned", function.name)))
        }
    }
}

fn and(parts: &[Expr], row: &[Value], ctx: &EvalContext<'_>) -> Evaluated {
    let mut unknown = false;
    for part in parts {
        match eval(part, row, ctx)? {
            Value::Bool(true) => {}
            Value::Bool(false) => return Ok(Value::Bool(false)),
            _ => unknown = true,
        }
    }
    Ok(if unknown { Value::Null } else { Value::Bool(true) })
}

fn or(parts: &[Expr], row: &[Value], ctx: &EvalContext<'_>) -> Evaluated {
    let mut unknown = false;
    for part in parts {
        match eval(part, row, ctx)? {
            Value::Bool(false) => {}
            Value::Bool(true) => return Ok(Value::Bool(true)),
            _ => unknown = true,
        }
    }
    Ok(if unknown { Value::Null } else { Value::Bool(false) })
}

fn boolean_test(value: &Value, test: BooleanTest) -> bool {
    let truth = match value {
        Value::Bool(truth) => Some(*truth),
        _ => None,
    };
    match test {
        BooleanTest::True => truth == Some(true),
        BooleanTest::NotTrue => truth != Some(true),
        BooleanTest::False => truth == Some(false),
        BooleanTest::NotFalse => truth != Some(false),
        BooleanTest::Unknown => truth.is_none(),
        BooleanTest::NotUnknown => truth.is_some(),
    }
}

fn not_distinct(equal: &Call, args: &[Value], ctx: &EvalContext<'_>) -> Result<bool> {
    match (args[0].is_null(), args[1].is_null()) {
        (true, true) => Ok(true),
        (false, false) => {
            let value = apply(equal.function, args, &ctx.call(&equal.arg_types, crate::types::oid::BOOL))?;
            Ok(matches!(value, Value::Bool(true)))
        }
        _ => Ok(false),
    }
}

fn null_if(equal: &Call, row: &[Value], ctx: &EvalContext<'_>) -> Evaluated {
    let mut args = eval_args(&equal.args, row, ctx)?;
    if args.iter().any(Value::is_null) || !not_distinct(equal, &args, ctx)? {
        return Ok(args.swap_remove(0));
    }
    Ok(Value::Null)
}

fn case(
    operand: Option<&Expr>,
    branches: &[(Expr, Expr)],
    otherwise: Option<&Expr>,
    row: &[Value],
    ctx: &EvalContext<'_>,
) -> Evaluated {
    let operand = operand.map(|operand| eval(operand, row, ctx)).transpose()?;
    let inner = EvalContext {
        case: operand.as_ref().or(ctx.case),
        ..*ctx
    };
    for (condition, result) in branches {
        if test(condition, row, &inner)? {
            return eval(result, row, ctx);
        }
    }
    match otherwise {
        Some(otherwise) => eval(otherwise, row, ctx),
        None => Ok(Value::Null),
    }
}

fn scalar_array(compare: &Builtin, scalar: &Expr, array: &Expr, all: bool, row: &[Value], ctx: &EvalContext<'_>) -> Evaluated {
    let value = eval(scalar, row, ctx)?;
    let array = match &array.kind {
        // A constant list is by far the commonest: do not count it up and down.
        ExprKind::Const(Value::Array(array)) => return Ok(any_all(compare, scalar.ty, value, array, all, ctx)?),
        _ => eval(array, row, ctx)?,
    };
    match array {
        Value::Array(array) => Ok(any_all(compare, scalar.ty, value, &array, all, ctx)?),
        _ => Ok(Value::Null),
    }
}

fn any_all(compare: &Builtin, ty: Oid, value: Value, array: &Array, all: bool, ctx: &EvalContext<'_>) -> Result<Value> {
    if array.values.is_empty() {
        return Ok(Value::Bool(all));
    }
    if value.is_null() && compare.strict {
        return Ok(Value::Null);
    }
    let types = [ty, array.element];
    let call = ctx.call(&types, crate::types::oid::BOOL);
    let mut args = [value, Value::Null];
    let mut unknown = false;
    for element in &array.values {
        args[1] = element.clone();
        match apply(compare, &args, &call)? {
            Value::Bool(truth) if truth != all => return Ok(Value::Bool(truth)),
            Value::Bool(_) => {}
            _ => unknown = true,
        }
    }
    Ok(if unknown { Value::Null } else { Value::Bool(all) })
}
