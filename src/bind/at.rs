//! Where in the statement an expression stands, worked out only when an error needs it.

use sqlparser::ast::{self, Spanned};

use crate::parse::position_of;

/// A place in the statement's text.
#[derive(Clone, Copy)]
pub(crate) enum At<'a> {
    /// The start of an expression.
    Expr(&'a ast::Expr),
    /// A character position from 1; 0 for none.
    Position(u32),
}

impl At<'_> {
    pub const NONE: At<'static> = At::Position(0);

    /// Characters from 1, or 0 where the place is not known.
    pub fn position(self) -> u32 {
        match self {
            At::Position(position) => position,
            At::Expr(expr) => start_of(expr),
        }
    }
}

/// Position of the leftmost token of an expression, as PostgreSQL's `exprLocation` has it.
pub(crate) fn start_of(expr: &ast::Expr) -> u32 {
    match expr {
        ast::Expr::Identifier(ident) => position_of(ident.span),
        ast::Expr::CompoundIdentifier(idents) => idents.first().map_or(0, |ident| position_of(ident.span)),
        ast::Expr::Nested(inner) => start_of(inner),
        ast::Expr::BinaryOp { left, .. } => start_of(left),
        ast::Expr::Value(value) => position_of(value.span),
        ast::Expr::Function(function) => position_of(function.name.span()),
        ast::Expr::Subquery(query) => position_of(query.span()),
        other => position_of(other.span()),
    }
}

/// Position of an operator's text after its left operand; 0 where it is not found. `text` is the statement's, which
/// begins `offset` characters into the query string that positions count from.
pub(crate) fn operator_position(text: &str, left: &ast::Expr, operator: &str, offset: u32) -> u32 {
    let span = left.span();
    let after = u32::try_from(span.end.column.max(span.start.column)).unwrap_or(0);
    let from = after.saturating_sub(1).saturating_sub(offset);
    find_from(text, from as usize, operator, offset)
}

/// Position of `needle` at or after the character `from` (from 0) of `text`; 0 if there is none.
pub(crate) fn find_from(text: &str, from: usize, needle: &str, offset: u32) -> u32 {
    let Some((start, _)) = text.char_indices().nth(from) else {
        return 0;
    };
    match text[start..].find(needle) {
        Some(found) => {
            let characters = from + text[start..start + found].chars().count() + 1;
            u32::try_from(characters).unwrap_or(0) + offset
        }
        None => 0,
    }
}
