//! Walking over expressions.

use crate::bind::tree::{Expr, ExprKind, FrameBound, SubLinkKind};

/// Calls `visit` for `expr` and everything inside it, parents first, until one answers true. Sub-selects are not entered,
/// but the left operands of theirs are.
pub fn any_expr(expr: &Expr, visit: &mut dyn FnMut(&Expr) -> bool) -> bool {
    if visit(expr) {
        return true;
    }
    let mut found = false;
    for_children(expr, &mut |child| found = found || any_expr(child, visit));
    found
}

/// Calls `visit` for each expression directly inside `expr`.
pub fn for_children<'a>(expr: &'a Expr, visit: &mut dyn FnMut(&'a Expr)) {
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
        ExprKind::Call(call) => call.args.iter().for_each(visit),
        ExprKind::Distinct { equal, .. } | ExprKind::NullIf { equal } => equal.args.iter().for_each(visit),
        ExprKind::SqlCall { args, .. } => args.iter().for_each(visit),
        ExprKind::Cast(cast) => visit(&cast.arg),
        ExprKind::Not(arg) | ExprKind::NullTest { arg, .. } | ExprKind::BooleanTest { arg, .. } => visit(arg),
        ExprKind::And(parts)
        | ExprKind::Or(parts)
        | ExprKind::Coalesce(parts)
        | ExprKind::Greatest(parts)
        | ExprKind::Least(parts)
        | ExprKind::Row(parts) => parts.iter().for_each(visit),
        ExprKind::Array { elements, .. } => elements.iter().for_each(visit),
        ExprKind::Case {
            operand,
            branches,
            otherwise,
        } => {
            operand.iter().for_each(|part| visit(part));
            for (condition, result) in branches {
                visit(condition);
                visit(result);
            }
            otherwise.iter().for_each(|part| visit(part));
        }
        ExprKind::ScalarArray { scalar, array, .. } => {
            visit(scalar);
            visit(array);
        }
        ExprKind::RowCompare { left, right, .. } => left.iter().chain(right).for_each(visit),
        ExprKind::Field { record, .. } => visit(record),
        ExprKind::Subscript { array, indexes, .. } => {
            visit(array);
            for (lower, upper) in indexes {
                lower.iter().chain(upper).for_each(&mut *visit);
            }
        }
        ExprKind::SubLink(link) => {
            if let SubLinkKind::Quantified { tests, .. } = &link.kind {
                tests.iter().for_each(visit);
            }
        }
        ExprKind::Aggregate(call) => {
            call.args.iter().chain(&call.direct).chain(&call.filter).for_each(visit);
        }
        ExprKind::Window(call) => call.args.iter().chain(&call.filter).for_each(visit),
    }
}

/// The same, to change them.
pub fn for_children_mut(expr: &mut Expr, visit: &mut dyn FnMut(&mut Expr)) {
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
        ExprKind::Call(call) => call.args.iter_mut().for_each(visit),
        ExprKind::Distinct { equal, .. } | ExprKind::NullIf { equal } => equal.args.iter_mut().for_each(visit),
        ExprKind::SqlCall { args, .. } => args.iter_mut().for_each(visit),
        ExprKind::Cast(cast) => visit(&mut cast.arg),
        ExprKind::Not(arg) | ExprKind::NullTest { arg, .. } | ExprKind::BooleanTest { arg, .. } => visit(arg),
        ExprKind::And(parts)
        | ExprKind::Or(parts)
        | ExprKind::Coalesce(parts)
        | ExprKind::Greatest(parts)
        | ExprKind::Least(parts)
        | ExprKind::Row(parts) => parts.iter_mut().for_each(visit),
        ExprKind::Array { elements, .. } => elements.iter_mut().for_each(visit),
        ExprKind::Case {
            operand,
            branches,
            otherwise,
        } => {
            operand.iter_mut().for_each(|part| visit(part));
            for (condition, result) in branches {
                visit(condition);
                visit(result);
            }
            otherwise.iter_mut().for_each(|part| visit(part));
        }
        ExprKind::ScalarArray { scalar, array, .. } => {
            visit(scalar);
            visit(array);
        }
        ExprKind::RowCompare { left, right, .. } => left.iter_mut().chain(right).for_each(visit),
        ExprKind::Field { record, .. } => visit(record),
        ExprKind::Subscript { array, indexes, .. } => {
            visit(array);
            for (lower, upper) in indexes {
                lower.iter_mut().chain(upper).for_each(&mut *visit);
            }
        }
        ExprKind::SubLink(link) => {
            if let SubLinkKind::Quantified { tests, .. } = &mut link.kind {
                tests.iter_mut().for_each(visit);
            }
        }
        ExprKind::Aggregate(call) => {
            call.args
                .iter_mut()
                .chain(&mut call.direct)
                .chain(&mut call.filter)
                .for_each(visit);
        }
        ExprKind::Window(call) => call.args.iter_mut().chain(&mut call.filter).for_each(visit),
    }
}

/// Offsets of a window frame's bounds.
pub fn frame_offsets(bounds: [&FrameBound; 2]) -> impl Iterator<Item = &Expr> {
    bounds.into_iter().filter_map(|bound| match bound {
        FrameBound::Preceding(expr) | FrameBound::Following(expr) => Some(expr),
        _ => None,
    })
}
