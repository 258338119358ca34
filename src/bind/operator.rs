//! Operators: which one is meant (PostgreSQL 15 docs, 10.2), and calls of it.

use sqlparser::ast;

use super::Binder;
use super::at::{At, find_from, operator_position};
use super::coerce::{Target, call_node};
use super::function::{Candidate, select_candidate};
use super::polymorphic::is_polymorphic;
use super::tree::{Expr, ExprKind, RowOperator};
use crate::error::{PgError, Result, sqlstate};
use crate::functions::{Operator, registry};
use crate::ids::Oid;
use crate::types::oid;
use smallvec::SmallVec;

/// A use of an operator, for resolution and its errors.
#[derive(Clone, Copy)]
pub(super) struct Use<'a> {
    pub name: &'a str,
    /// The whole expression's left operand: the operator's position is searched behind it.
    pub after: Option<&'a ast::Expr>,
    /// Where the operator stands, if known.
    pub position: u32,
    /// How it is written, where that is not the operator's name (LIKE, BETWEEN, IN, IS DISTINCT): its key word's
    /// position is the error's.
    pub written: Option<&'static str>,
}

impl<'a> Use<'a> {
    pub fn infix(name: &'a str, left: &'a ast::Expr) -> Self {
        Use {
            name,
            after: Some(left),
            position: 0,
            written: None,
        }
    }

    pub fn at(name: &'a str, position: u32) -> Self {
        Use {
            name,
            after: None,
            position,
            written: None,
        }
    }

    pub fn written(name: &'a str, left: &'a ast::Expr, word: &'static str) -> Self {
        Use {
            name,
            after: Some(left),
            position: 0,
            written: Some(word),
        }
    }
}

impl<'a> Binder<'a> {
    /// Position of an operator for an error.
    pub(super) fn use_position(&self, used: Use<'_>) -> u32 {
        if used.position > 0 {
            return used.position;
        }
        match used.after {
            Some(left) => self.position_after(left, used.written.unwrap_or(used.name)),
            None => 0,
        }
    }

    /// Position of a text behind an expression, without regard to case.
    pub(super) fn position_after(&self, left: &ast::Expr, text: &str) -> u32 {
        let Some(parsed) = self.parsed else {
            return 0;
        };
        let offset = parsed.offset;
        let lower = parsed.text.to_ascii_lowercase();
        operator_position(&lower, left, text, offset)
    }

    /// Position of a text at or after a position, without regard to case.
    pub(super) fn position_from(&self, position: u32, text: &str) -> u32 {
        let Some(parsed) = self.parsed else {
            return 0;
        };
        let from = position.saturating_sub(parsed.offset).saturating_sub(1);
        find_from(&parsed.text.to_ascii_lowercase(), from as usize, text, parsed.offset)
    }

    /// A binary operator over two values.
    pub(super) fn binary(&mut self, used: Use<'_>, left: Expr, right: Expr, left_at: At<'_>, right_at: At<'_>) -> Result<Expr> {
        let operator = self.find_binary(used, left.ty, right.ty)?;
        self.apply_binary(operator, used, left, right, left_at, right_at)
    }

    fn apply_binary(
        &mut self,
        operator: Operator,
        used: Use<'_>,
        left: Expr,
        right: Expr,
        left_at: At<'_>,
        right_at: At<'_>,
    ) -> Result<Expr> {
        let function = registry::functions()
            .by_oid(operator.function)
            .ok_or_else(|| PgError::internal("operator without function"))?;
        let left_type = operator.left.unwrap_or(oid::UNKNOWN);
        let actual = [left.ty, right.ty];
        let mut declared = [left_type, operator.right];
        let returns = if declared.iter().any(|ty| is_polymorphic(*ty)) {
            self.resolve_polymorphic(&actual, &mut declared, operator.returns)
                .map_err(|error| error.at(self.use_position(used)))?
        } else {
            operator.returns
        };
        let left = self.coerce(left, Target::implicit(declared[0]), left_at)?;
        let right = self.coerce(right, Target::implicit(declared[1]), right_at)?;
        Ok(call_node(function, vec![left, right], returns, Some(operator.name)))
    }

    /// A prefix operator.
    pub(super) fn prefix(&mut self, name: &'a str, position: u32, arg: Expr, arg_at: At<'_>) -> Result<Expr> {
        let operator = self.find_prefix(name, arg.ty, position)?;
        let function = registry::functions()
            .by_oid(operator.function)
            .ok_or_else(|| PgError::internal("operator without function"))?;
        let arg = self.coerce(arg, Target::implicit(operator.right), arg_at)?;
        Ok(call_node(function, vec![arg], operator.returns, Some(operator.name)))
    }

    /// `oper`: the binary operator for two types.
    pub(super) fn find_binary(&self, used: Use<'_>, left: Oid, right: Oid) -> Result<Operator> {
        let registry = registry::functions();
        let all = registry.operators(used.name);
        if let Some(found) = self.exact_binary(all, left, right) {
            return Ok(*found);
        }
        let mut candidates: SmallVec<[Candidate<'_>; 16]> = SmallVec::new();
        for operator in all {
            if let Some(left) = operator.left {
                candidates.push(Candidate::of_operator(operator, &[left, operator.right]));
            }
        }
        match self.choose(&mut candidates, &[left, right]) {
            Choice::One(operator) => Ok(operator),
            Choice::None => Err(self.no_operator(used, Some(left), right)),
            Choice::Many => Err(self.ambiguous_operator(used, Some(left), right)),
        }
    }

    fn find_prefix(&self, name: &str, arg: Oid, position: u32) -> Result<Operator> {
        let all = registry::functions().operators(name);
        if let Some(found) = all.iter().find(|op| op.left.is_none() && op.right == arg) {
            return Ok(*found);
        }
        let mut candidates: SmallVec<[Candidate<'_>; 16]> = SmallVec::new();
        for operator in all.iter().filter(|operator| operator.left.is_none()) {
            candidates.push(Candidate::of_operator(operator, &[operator.right]));
        }
        let used = Use::at(name, position);
        match self.choose(&mut candidates, &[arg]) {
            Choice::One(operator) => Ok(operator),
            Choice::None => Err(self.no_operator(used, None, arg)),
            Choice::Many => Err(self.ambiguous_operator(used, None, arg)),
        }
    }

    /// `binary_oper_exact`: the types as they are, or an unknown one taken as the other's.
    fn exact_binary<'o>(&self, all: &'o [Operator], left: Oid, right: Oid) -> Option<&'o Operator> {
        let (mut left, mut right) = (left, right);
        let mut was_unknown = false;
        if left == oid::UNKNOWN && right.is_valid() {
            left = right;
            was_unknown = true;
        } else if right == oid::UNKNOWN && left.is_valid() {
            right = left;
            was_unknown = true;
        }
        let find = |left: Oid, right: Oid| all.iter().find(|op| op.left == Some(left) && op.right == right);
        if let Some(found) = find(left, right) {
            return Some(found);
        }
        if was_unknown {
            let base = self.base_type(left);
            if base != left {
                return find(base, base);
            }
        }
        None
    }

    fn choose(&self, candidates: &mut SmallVec<[Candidate<'_>; 16]>, types: &[Oid]) -> Choice {
        candidates.retain(|candidate| self.args_fit(types, &candidate.args));
        let pick = |candidate: &Candidate<'_>| match candidate.operator {
            Some(operator) => Choice::One(*operator),
            None => Choice::None,
        };
        match candidates.len() {
            0 => Choice::None,
            1 => pick(&candidates[0]),
            _ => match select_candidate(self, types, candidates) {
                Some(at) => pick(&candidates[at]),
                None => Choice::Many,
            },
        }
    }

    fn signature(&self, name: &str, left: Option<Oid>, right: Oid) -> String {
        match left {
            Some(left) => format!("{} {name} {}", self.type_text(left), self.type_text(right)),
            None => format!("{name} {}", self.type_text(right)),
        }
    }

    /// 42883.
    pub(super) fn no_operator(&self, used: Use<'_>, left: Option<Oid>, right: Oid) -> PgError {
        let hint = if left.is_some() {
            "No operator matches the given name and argument types. You might need to add explicit type casts."
        } else {
            "No operator matches the given name and argument type. You might need to add an explicit type cast."
        };
        PgError::new(
            sqlstate::UNDEFINED_FUNCTION,
            format!("operator does not exist: {}", self.signature(used.name, left, right)),
        )
        .hint(hint)
        .at(self.use_position(used))
    }

    fn ambiguous_operator(&self, used: Use<'_>, left: Option<Oid>, right: Oid) -> PgError {
        PgError::new(
            sqlstate::AMBIGUOUS_FUNCTION,
            format!("operator is not unique: {}", self.signature(used.name, left, right)),
        )
        .hint("Could not choose a best candidate operator. You might need to add explicit type casts.")
        .at(self.use_position(used))
    }

    /// `make_scalar_array_op`: `scalar OP ANY|ALL (array)`.
    pub(super) fn scalar_array(
        &mut self,
        used: Use<'_>,
        scalar: Expr,
        array: Expr,
        all: bool,
        at: (At<'_>, At<'_>),
    ) -> Result<Expr> {
        let element = match array.ty {
            oid::UNKNOWN => oid::UNKNOWN,
            ty => match self.element_of(ty) {
                Some(element) => element,
                None => {
                    return Err(
                        PgError::new(sqlstate::WRONG_OBJECT_TYPE, "op ANY/ALL (array) requires array on right side")
                            .at(self.use_position(used)),
                    );
                }
            },
        };
        let operator = self.find_binary(used, scalar.ty, element)?;
        let function = registry::functions()
            .by_oid(operator.function)
            .ok_or_else(|| PgError::internal("operator without function"))?;
        let mut declared = [operator.left.unwrap_or(oid::UNKNOWN), operator.right];
        let returns = self
            .resolve_polymorphic(&[scalar.ty, element], &mut declared, operator.returns)
            .map_err(|error| error.at(self.use_position(used)))?;
        if returns != oid::BOOL {
            return Err(PgError::new(
                sqlstate::WRONG_OBJECT_TYPE,
                "op ANY/ALL (array) requires operator to yield boolean",
            )
            .at(self.use_position(used)));
        }
        let array_type = self.array_of(declared[1]).ok_or_else(|| {
            PgError::new(
                sqlstate::UNDEFINED_OBJECT,
                format!("could not find array type for data type {}", self.type_text(declared[1])),
            )
            .at(self.use_position(used))
        })?;
        let scalar = self.coerce(scalar, Target::implicit(declared[0]), at.0)?;
        let array = self.coerce(array, Target::implicit(array_type), at.1)?;
        Ok(Expr::new(
            ExprKind::ScalarArray {
                compare: function,
                operator: operator.name,
                scalar: Box::new(scalar),
                array: Box::new(array),
                all,
            },
            oid::BOOL,
        ))
    }

    /// `make_row_comparison_op`.
    pub(super) fn row_compare(
        &mut self,
        used: Use<'_>,
        left: Vec<Expr>,
        right: Vec<Expr>,
        at: (&[At<'_>], &[At<'_>]),
    ) -> Result<Expr> {
        let position = self.use_position(used);
        if left.len() != right.len() {
            return Err(PgError::new(sqlstate::SYNTAX_ERROR, "unequal number of entries in row expressions").at(position));
        }
        if left.is_empty() {
            return Err(PgError::new(sqlstate::FEATURE_NOT_SUPPORTED, "cannot compare rows of zero length").at(position));
        }
        let used = Use::at(used.name, position);
        let mut pairs = Vec::with_capacity(left.len());
        for (i, (l, r)) in left.into_iter().zip(right).enumerate() {
            let place = |list: &[At<'_>]| list.get(i).map_or(0, |at| at.position());
            let (left_at, right_at) = (At::Position(place(at.0)), At::Position(place(at.1)));
            let pair = self.binary(used, l, r, left_at, right_at)?;
            if pair.ty != oid::BOOL {
                return Err(PgError::new(
                    sqlstate::DATATYPE_MISMATCH,
                    format!(
                        "row comparison operator must yield type boolean, not type {}",
                        self.type_text(pair.ty)
                    ),
                )
                .at(position));
            }
            pairs.push(pair);
        }
        if pairs.len() == 1 {
            return Ok(pairs.remove(0));
        }
        let operator = match used.name {
            "=" => return Ok(Expr::new(ExprKind::And(pairs), oid::BOOL)),
            "<>" => return Ok(Expr::new(ExprKind::Or(pairs), oid::BOOL)),
            "<" => RowOperator::Lt,
            "<=" => RowOperator::Le,
            ">" => RowOperator::Gt,
            ">=" => RowOperator::Ge,
            name => {
                return Err(PgError::new(
                    sqlstate::FEATURE_NOT_SUPPORTED,
                    format!("could not determine interpretation of row comparison operator {name}"),
                )
                .hint("Row comparison operators must be associated with btree operator families.")
                .at(position));
            }
        };
        let (mut lefts, mut rights) = (Vec::new(), Vec::new());
        for pair in pairs {
            if let ExprKind::Call(call) = pair.kind {
                let mut args = call.args.into_iter();
                lefts.extend(args.next());
                rights.extend(args.next());
            }
        }
        Ok(Expr::new(
            ExprKind::RowCompare {
                operator,
                left: lefts,
                right: rights,
            },
            oid::BOOL,
        ))
    }
}

enum Choice {
    One(Operator),
    None,
    Many,
}

/// The text of an operator as PostgreSQL names it: `!=` is `<>`.
pub(super) fn operator_name(op: &ast::BinaryOperator) -> &str {
    use ast::BinaryOperator as B;
    match op {
        B::Plus => "+",
        B::Minus => "-",
        B::Multiply => "*",
        B::Divide => "/",
        B::Modulo => "%",
        B::StringConcat => "||",
        B::Gt => ">",
        B::Lt => "<",
        B::GtEq => ">=",
        B::LtEq => "<=",
        B::Eq => "=",
        B::NotEq => "<>",
        B::BitwiseOr => "|",
        B::BitwiseAnd => "&",
        B::PGExp => "^",
        B::PGBitwiseXor => "#",
        B::PGBitwiseShiftLeft => "<<",
        B::PGBitwiseShiftRight => ">>",
        B::PGOverlap => "&&",
        B::PGStartsWith => "^@",
        B::PGRegexMatch => "~",
        B::PGRegexIMatch => "~*",
        B::PGRegexNotMatch => "!~",
        B::PGRegexNotIMatch => "!~*",
        B::PGLikeMatch => "~~",
        B::PGILikeMatch => "~~*",
        B::PGNotLikeMatch => "!~~",
        B::PGNotILikeMatch => "!~~*",
        B::Arrow => "->",
        B::LongArrow => "->>",
        B::HashArrow => "#>",
        B::HashLongArrow => "#>>",
        B::AtArrow => "@>",
        B::ArrowAt => "<@",
        B::HashMinus => "#-",
        B::AtQuestion => "@?",
        B::AtAt => "@@",
        B::Question => "?",
        B::QuestionAnd => "?&",
        B::QuestionPipe => "?|",
        B::PGCustomBinaryOperator(parts) => match parts.last().map_or("", String::as_str) {
            "!=" => "<>",
            name => name,
        },
        B::Custom(text) => match text.as_str() {
            "!=" => "<>",
            name => name,
        },
        // The parser of this house makes none of the others.
        _ => "",
    }
}
