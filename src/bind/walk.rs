//! Walking over bound expressions and queries, and telling whether two expressions are the same.

use super::tree::{Call, Command, Expr, ExprKind, FrameBound, From, Query, RelKind, SubLinkKind};
use crate::types::Value;

/// Calls `f` on each direct sub-expression of the same query level (a sub-link's tests, not its query).
pub fn children<'e>(expr: &'e Expr, f: &mut dyn FnMut(&'e Expr)) {
    match &expr.kind {
        ExprKind::Const(_)
        | ExprKind::Var { .. }
        | ExprKind::SystemVar { .. }
        | ExprKind::WholeRow { .. }
        | ExprKind::Param(_)
        | ExprKind::CaseOperand
        | ExprKind::Grouping(_)
        | ExprKind::Default
        | ExprKind::CurrentOf(_)
        | ExprKind::DomainValue
        | ExprKind::NextVal(_)
        | ExprKind::Input(_)
        | ExprKind::Outer(_)
        | ExprKind::Slot(_) => {}
        ExprKind::Call(call) => call.args.iter().for_each(f),
        ExprKind::Distinct { equal, .. } | ExprKind::NullIf { equal } => equal.args.iter().for_each(f),
        ExprKind::SqlCall { args, .. } => args.iter().for_each(f),
        ExprKind::Cast(cast) => f(&cast.arg),
        ExprKind::And(list)
        | ExprKind::Or(list)
        | ExprKind::Coalesce(list)
        | ExprKind::Greatest(list)
        | ExprKind::Least(list)
        | ExprKind::Row(list) => list.iter().for_each(f),
        ExprKind::Array { elements, .. } => elements.iter().for_each(f),
        ExprKind::Not(arg) | ExprKind::NullTest { arg, .. } | ExprKind::BooleanTest { arg, .. } => f(arg),
        ExprKind::Case {
            operand,
            branches,
            otherwise,
        } => {
            operand.iter().for_each(|e| f(e));
            for (when, then) in branches {
                f(when);
                f(then);
            }
            otherwise.iter().for_each(|e| f(e));
        }
        ExprKind::ScalarArray { scalar, array, .. } => {
            f(scalar);
            f(array);
        }
        ExprKind::RowCompare { left, right, .. } => left.iter().chain(right).for_each(f),
        ExprKind::Field { record, .. } => f(record),
        ExprKind::Subscript { array, indexes, .. } => {
            f(array);
            for (low, high) in indexes {
                low.iter().chain(high).for_each(&mut *f);
            }
        }
        ExprKind::SubLink(link) => {
            if let SubLinkKind::Quantified { tests, .. } = &link.kind {
                tests.iter().for_each(f);
            }
        }
        ExprKind::Aggregate(call) => {
            call.args.iter().chain(&call.direct).chain(&call.filter).for_each(f);
        }
        ExprKind::Window(call) => call.args.iter().chain(&call.filter).for_each(f),
    }
}

/// [`children`] with the right to change them.
pub fn children_mut(expr: &mut Expr, f: &mut dyn FnMut(&mut Expr)) {
    match &mut expr.kind {
        ExprKind::Const(_)
        | ExprKind::Var { .. }
        | ExprKind::SystemVar { .. }
        | ExprKind::WholeRow { .. }
        | ExprKind::Param(_)
        | ExprKind::CaseOperand
        | ExprKind::Grouping(_)
        | ExprKind::Default
        | ExprKind::CurrentOf(_)
        | ExprKind::DomainValue
        | ExprKind::NextVal(_)
        | ExprKind::Input(_)
        | ExprKind::Outer(_)
        | ExprKind::Slot(_) => {}
        ExprKind::Call(call) => call.args.iter_mut().for_each(f),
        ExprKind::Distinct { equal, .. } | ExprKind::NullIf { equal } => equal.args.iter_mut().for_each(f),
        ExprKind::SqlCall { args, .. } => args.iter_mut().for_each(f),
        ExprKind::Cast(cast) => f(&mut cast.arg),
        ExprKind::And(list)
        | ExprKind::Or(list)
        | ExprKind::Coalesce(list)
        | ExprKind::Greatest(list)
        | ExprKind::Least(list)
        | ExprKind::Row(list) => list.iter_mut().for_each(f),
        ExprKind::Array { elements, .. } => elements.iter_mut().for_each(f),
        ExprKind::Not(arg) | ExprKind::NullTest { arg, .. } | ExprKind::BooleanTest { arg, .. } => f(arg),
        ExprKind::Case {
            operand,
            branches,
            otherwise,
        } => {
            operand.iter_mut().for_each(|e| f(e));
            for (when, then) in branches {
                f(when);
                f(then);
            }
            otherwise.iter_mut().for_each(|e| f(e));
        }
        ExprKind::ScalarArray { scalar, array, .. } => {
            f(scalar);
            f(array);
        }
        ExprKind::RowCompare { left, right, .. } => left.iter_mut().chain(right).for_each(f),
        ExprKind::Field { record, .. } => f(record),
        ExprKind::Subscript { array, indexes, .. } => {
            f(array);
            for (low, high) in indexes {
                low.iter_mut().chain(high).for_each(&mut *f);
            }
        }
        ExprKind::SubLink(link) => {
            if let SubLinkKind::Quantified { tests, .. } = &mut link.kind {
                tests.iter_mut().for_each(f);
            }
        }
        ExprKind::Aggregate(call) => {
            call.args
                .iter_mut()
                .chain(&mut call.direct)
                .chain(&mut call.filter)
                .for_each(f);
        }
        ExprKind::Window(call) => call.args.iter_mut().chain(&mut call.filter).for_each(f),
    }
}

/// What [`walk`] does below an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Into,
    Over,
}

/// Visits an expression and everything below it, sub-queries included; `depth` is how many query levels down.
pub fn walk<'e>(expr: &'e Expr, depth: u32, f: &mut dyn FnMut(&'e Expr, u32) -> Step) {
    if f(expr, depth) == Step::Over {
        return;
    }
    children(expr, &mut |child| walk(child, depth, f));
    if let ExprKind::SubLink(link) = &expr.kind {
        walk_query(&link.query, depth + 1, f);
    }
}

/// [`walk`] over all expressions of a query, whose own level is `depth`.
pub fn walk_query<'e>(query: &'e Query, depth: u32, f: &mut dyn FnMut(&'e Expr, u32) -> Step) {
    roots(query, &mut |expr| walk(expr, depth, f));
    for cte in &query.ctes {
        walk_query(&cte.query, depth + 1, f);
    }
    for rel in &query.rels {
        if let RelKind::Subquery { query, .. } = &rel.kind {
            walk_query(query, depth + 1, f);
        }
    }
}

/// The expressions that a query holds at its own level.
pub fn roots<'e>(query: &'e Query, f: &mut dyn FnMut(&'e Expr)) {
    query.targets.iter().for_each(|target| f(&target.expr));
    [&query.filter, &query.having, &query.limit, &query.offset]
        .into_iter()
        .flatten()
        .for_each(&mut *f);
    query.from.iter().for_each(|from| from_roots(from, f));
    for window in &query.windows {
        window.partition.iter().for_each(&mut *f);
        window.order.iter().for_each(|order| f(&order.expr));
        for bound in [&window.frame.start, &window.frame.end] {
            if let FrameBound::Preceding(expr) | FrameBound::Following(expr) = bound {
                f(expr);
            }
        }
    }
    for rel in &query.rels {
        match &rel.kind {
            RelKind::Values(rows) => rows.iter().flatten().for_each(&mut *f),
            RelKind::Functions { calls, .. } => calls.iter().for_each(|call| f(&call.expr)),
            _ => {}
        }
    }
    match &query.command {
        Command::Select => {}
        Command::Insert(insert) => {
            insert.returning.iter().for_each(|target| f(&target.expr));
            if let Some(update) = insert.on_conflict.as_ref().and_then(|conflict| conflict.update.as_ref()) {
                update.set.iter().for_each(|(_, expr)| f(expr));
                update.filter.iter().for_each(f);
            }
        }
        Command::Update(update) => {
            update.set.iter().for_each(|(_, expr)| f(expr));
            update.returning.iter().for_each(|target| f(&target.expr));
        }
        Command::Delete(delete) => delete.returning.iter().for_each(|target| f(&target.expr)),
    }
}

fn from_roots<'e>(from: &'e From, f: &mut dyn FnMut(&'e Expr)) {
    if let From::Join {
        left, right, condition, ..
    } = from
    {
        from_roots(left, f);
        from_roots(right, f);
        condition.iter().for_each(f);
    }
}

/// Moves an expression (without sub-queries or aggregates of its own) `up` more levels away from its tables.
pub(crate) fn deepen(expr: &mut Expr, up: u32) {
    if up == 0 {
        return;
    }
    match &mut expr.kind {
        ExprKind::Var { level, .. } | ExprKind::SystemVar { level, .. } | ExprKind::WholeRow { level, .. } => {
            *level += up;
        }
        _ => children_mut(expr, &mut |child| deepen(child, up)),
    }
}

/// Whether two expressions compute the same by their form (PostgreSQL's `equal()`). Sub-queries are never the same.
pub fn same(a: &Expr, b: &Expr) -> bool {
    a.ty == b.ty && a.typmod == b.typmod && same_kind(&a.kind, &b.kind)
}

fn same_list(a: &[Expr], b: &[Expr]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
}

fn same_option(a: Option<&Expr>, b: Option<&Expr>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => same(a, b),
        _ => false,
    }
}

fn same_call(a: &Call, b: &Call) -> bool {
    a.function.oid == b.function.oid && a.variadic_array == b.variadic_array && same_list(&a.args, &b.args)
}

fn same_kind(a: &ExprKind, b: &ExprKind) -> bool {
    use ExprKind as K;
    match (a, b) {
        (K::Const(a), K::Const(b)) => same_value(a, b),
        (
            K::Var { level, rel, column },
            K::Var {
                level: l,
                rel: r,
                column: c,
            },
        ) => (level, rel, column) == (l, r, c),
        (
            K::SystemVar { level, rel, column },
            K::SystemVar {
                level: l,
                rel: r,
                column: c,
            },
        ) => (level, rel, column) == (l, r, c),
        (K::WholeRow { level, rel }, K::WholeRow { level: l, rel: r }) => (level, rel) == (l, r),
        (K::Param(a), K::Param(b)) | (K::Input(a), K::Input(b)) | (K::Outer(a), K::Outer(b)) => a == b,
        (K::Slot(a), K::Slot(b)) => a == b,
        (K::Call(a), K::Call(b)) => same_call(a, b),
        (K::Cast(a), K::Cast(b)) => std::mem::discriminant(&a.kind) == std::mem::discriminant(&b.kind) && same(&a.arg, &b.arg),
        (K::And(a), K::And(b))
        | (K::Or(a), K::Or(b))
        | (K::Coalesce(a), K::Coalesce(b))
        | (K::Greatest(a), K::Greatest(b))
        | (K::Least(a), K::Least(b))
        | (K::Row(a), K::Row(b)) => same_list(a, b),
        (K::Not(a), K::Not(b)) => same(a, b),
        (K::NullTest { arg, negated }, K::NullTest { arg: b, negated: n }) => negated == n && same(arg, b),
        (K::BooleanTest { arg, test }, K::BooleanTest { arg: b, test: t }) => test == t && same(arg, b),
        (K::Distinct { equal, negated }, K::Distinct { equal: b, negated: n }) => negated == n && same_call(equal, b),
        (K::NullIf { equal }, K::NullIf { equal: b }) => same_call(equal, b),
        (K::CaseOperand, K::CaseOperand) | (K::DomainValue, K::DomainValue) => true,
        (K::NextVal(a), K::NextVal(b)) => a == b,
        (K::Grouping(a), K::Grouping(b)) => a == b,
        (K::Array { elements, nested }, K::Array { elements: b, nested: n }) => nested == n && same_list(elements, b),
        (K::Field { record, field }, K::Field { record: b, field: f }) => field == f && same(record, b),
        _ => same_compound(a, b),
    }
}

fn same_compound(a: &ExprKind, b: &ExprKind) -> bool {
    use ExprKind as K;
    match (a, b) {
        (
            K::Case {
                operand,
                branches,
                otherwise,
            },
            K::Case {
                operand: o,
                branches: bs,
                otherwise: e,
            },
        ) => {
            same_option(operand.as_deref(), o.as_deref())
                && same_option(otherwise.as_deref(), e.as_deref())
                && branches.len() == bs.len()
                && branches.iter().zip(bs).all(|(a, b)| same(&a.0, &b.0) && same(&a.1, &b.1))
        }
        (
            K::ScalarArray {
                compare,
                scalar,
                array,
                all,
                ..
            },
            K::ScalarArray {
                compare: c,
                scalar: s,
                array: r,
                all: l,
                ..
            },
        ) => compare.oid == c.oid && all == l && same(scalar, s) && same(array, r),
        (
            K::RowCompare { operator, left, right },
            K::RowCompare {
                operator: o,
                left: l,
                right: r,
            },
        ) => operator == o && same_list(left, l) && same_list(right, r),
        (
            K::Subscript { array, indexes, slice },
            K::Subscript {
                array: b,
                indexes: i,
                slice: s,
            },
        ) => {
            slice == s
                && same(array, b)
                && indexes.len() == i.len()
                && indexes
                    .iter()
                    .zip(i)
                    .all(|(a, b)| same_option(a.0.as_ref(), b.0.as_ref()) && same_option(a.1.as_ref(), b.1.as_ref()))
        }
        (K::Aggregate(a), K::Aggregate(b)) => {
            a.function.oid == b.function.oid
                && (a.distinct, a.star, a.level) == (b.distinct, b.star, b.level)
                && a.order == b.order
                && same_list(&a.args, &b.args)
                && same_list(&a.direct, &b.direct)
                && same_option(a.filter.as_ref(), b.filter.as_ref())
        }
        (K::SqlCall { function, args }, K::SqlCall { function: f, args: b }) => function == f && same_list(args, b),
        _ => false,
    }
}

/// Whether two constants are the same bits.
fn same_value(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int2(a), Value::Int2(b)) => a == b,
        (Value::Int4(a), Value::Int4(b)) => a == b,
        (Value::Int8(a), Value::Int8(b)) => a == b,
        (Value::Text(a), Value::Text(b)) => a == b,
        // The other kinds are rare where this is asked; their debug form shows every bit.
        _ => std::mem::discriminant(a) == std::mem::discriminant(b) && format!("{a:?}") == format!("{b:?}"),
    }
}
