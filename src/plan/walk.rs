//! Walking over expressions.

use crate::bind::tree::{Expr, FrameBound};
use crate::bind::walk::children;

/// Calls `visit` for `expr` and everything inside it, parents first, until one answers true. Sub-selects are not entered,
/// but the left operands of theirs are.
pub fn any_expr(expr: &Expr, visit: &mut dyn FnMut(&Expr) -> bool) -> bool {
    if visit(expr) {
        return true;
    }
    let mut found = false;
    children(expr, &mut |child| found = found || any_expr(child, visit));
    found
}

/// Offsets of a window frame's bounds.
pub fn frame_offsets(bounds: [&FrameBound; 2]) -> impl Iterator<Item = &Expr> {
    bounds.into_iter().filter_map(|bound| match bound {
        FrameBound::Preceding(expr) | FrameBound::Following(expr) => Some(expr),
        _ => None,
    })
}
