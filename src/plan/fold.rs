//! Constant folding and splitting of conditions.

use super::eval::{EvalContext, OuterParams, SlotValues, eval};
use super::planner::PlanContext;
use crate::bind::tree::{CastKind, Expr, ExprKind};
use crate::bind::walk::children_mut;
use crate::functions::{Body, Volatility};
use crate::ids::Oid;
use crate::types::{Value, oid};

/// Replaces what never changes by its value. What fails is left: it may never be evaluated.
pub(super) fn fold(expr: &mut Expr, cx: &PlanContext<'_>) {
    children_mut(expr, &mut |child| fold(child, cx));
    match &mut expr.kind {
        ExprKind::And(parts) => {
            flatten(parts, true);
            simplify(expr, true);
        }
        ExprKind::Or(parts) => {
            flatten(parts, false);
            simplify(expr, false);
        }
        _ => {}
    }
    if foldable(expr) {
        let outer = OuterParams::default();
        let context = EvalContext {
            env: cx.env,
            host: cx.host,
            params: &[],
            outer: &outer,
            slots: SlotValues::none(),
            memo: None,
            case: None,
            domain: None,
        };
        if let Ok(value) = eval(expr, &[], &context) {
            expr.kind = ExprKind::Const(value);
        }
    }
}

fn is_const(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Const(_))
}

/// Whether all that it needs is constant, and it is immutable.
fn foldable(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Call(call) => {
            call.function.volatility == Volatility::Immutable
                && matches!(call.function.body, Body::Scalar(_))
                && call.args.iter().all(is_const)
        }
        ExprKind::Cast(cast) => {
            is_const(&cast.arg)
                && match cast.kind {
                    CastKind::Relabel | CastKind::Typmod => true,
                    CastKind::Plain => immutable_type(cast.arg.ty) && immutable_type(expr.ty),
                    CastKind::ToDomain | CastKind::ArrayElements | CastKind::Row => false,
                }
        }
        ExprKind::Not(arg) | ExprKind::NullTest { arg, .. } | ExprKind::BooleanTest { arg, .. } => is_const(arg),
        ExprKind::Array { elements, .. } => elements.iter().all(is_const),
        ExprKind::Coalesce(parts) => !parts.is_empty() && parts.iter().all(is_const),
        ExprKind::ScalarArray {
            scalar, array, compare, ..
        } => is_const(scalar) && is_const(array) && compare.volatility == Volatility::Immutable,
        _ => false,
    }
}

/// Types whose text depends on no setting, clock or catalog.
fn immutable_type(ty: Oid) -> bool {
    matches!(
        ty,
        oid::BOOL
            | oid::INT2
            | oid::INT4
            | oid::INT8
            | oid::NUMERIC
            | oid::FLOAT4
            | oid::FLOAT8
            | oid::TEXT
            | oid::VARCHAR
            | oid::BPCHAR
            | oid::NAME
            | oid::CHAR
            | oid::UUID
            | oid::OID
            | oid::UNKNOWN
            | oid::JSONB
            | oid::JSON
    )
}

/// `a AND (b AND c)` as one list.
fn flatten(parts: &mut Vec<Expr>, and: bool) {
    let nested = |part: &Expr| matches!((&part.kind, and), (ExprKind::And(_), true) | (ExprKind::Or(_), false));
    if !parts.iter().any(nested) {
        return;
    }
    let mut flat = Vec::with_capacity(parts.len() + 1);
    for part in parts.drain(..) {
        match part.kind {
            ExprKind::And(inner) if and => flat.extend(inner),
            ExprKind::Or(inner) if !and => flat.extend(inner),
            _ => flat.push(part),
        }
    }
    *parts = flat;
}

/// Drops parts that change nothing, and everything where one part decides.
fn simplify(expr: &mut Expr, and: bool) {
    let (ExprKind::And(parts) | ExprKind::Or(parts)) = &mut expr.kind else {
        return;
    };
    let is = |part: &Expr, truth: bool| matches!(part.kind, ExprKind::Const(Value::Bool(b)) if b == truth);
    if parts.iter().any(|part| is(part, !and)) {
        expr.kind = ExprKind::Const(Value::Bool(!and));
        return;
    }
    parts.retain(|part| !is(part, and));
    match parts.len() {
        0 => expr.kind = ExprKind::Const(Value::Bool(and)),
        1 => *expr = parts.swap_remove(0),
        _ => {}
    }
}

/// The conditions that must all hold.
pub(super) fn conjuncts(expr: Expr, out: &mut Vec<Expr>) {
    match expr.kind {
        ExprKind::And(parts) => parts.into_iter().for_each(|part| conjuncts(part, out)),
        ExprKind::Const(Value::Bool(true)) => {}
        _ => out.push(expr),
    }
}

/// One condition out of many; `None` for none.
pub(super) fn conjunction(mut parts: Vec<Expr>) -> Option<Expr> {
    match parts.len() {
        0 => None,
        1 => parts.pop(),
        _ => Some(Expr::new(ExprKind::And(parts), oid::BOOL)),
    }
}
