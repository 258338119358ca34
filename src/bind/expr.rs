//! Scalar expressions: the dispatch over the syntax tree, and the plain operators and tests.

use sqlparser::ast::{self, BinaryOperator, UnaryOperator};

use super::Binder;
use super::at::{At, start_of};
use super::operator::{Use, operator_name};
use super::tree::{BooleanTest, Expr, ExprKind};
use crate::error::{PgError, Result, sqlstate};
use crate::parse::position_of;
use crate::types::{Value, oid};

impl<'a> Binder<'a> {
    /// Binds one expression of the innermost level's clause.
    pub(super) fn expr(&mut self, expr: &'a ast::Expr) -> Result<Expr> {
        match expr {
            ast::Expr::Identifier(ident) => self.identifier(ident),
            ast::Expr::CompoundIdentifier(parts) => self.compound(parts),
            ast::Expr::Value(value) => self.literal(value),
            ast::Expr::Nested(inner) => self.nested(|binder| binder.expr(inner)),
            other => self.nested(|binder| binder.compound_expr(other)),
        }
    }

    fn compound_expr(&mut self, expr: &'a ast::Expr) -> Result<Expr> {
        use ast::Expr as E;
        match expr {
            E::BinaryOp { left, op, right } => self.binary_op(left, op, right),
            E::UnaryOp { op, expr } => self.unary_op(op, expr),
            E::Prefixed { prefix, value } => {
                let name = prefix.value.trim_start_matches("OPERATOR(").trim_end_matches(')');
                let name = name.rsplit_once('.').map_or(name, |(_, name)| name);
                let arg = self.expr(value)?;
                self.prefix(name, position_of(prefix.span), arg, At::Expr(value))
            }
            E::IsNull(arg) => self.null_test(arg, false),
            E::IsNotNull(arg) => self.null_test(arg, true),
            E::IsTrue(arg) => self.boolean_test(arg, BooleanTest::True, "IS TRUE"),
            E::IsNotTrue(arg) => self.boolean_test(arg, BooleanTest::NotTrue, "IS NOT TRUE"),
            E::IsFalse(arg) => self.boolean_test(arg, BooleanTest::False, "IS FALSE"),
            E::IsNotFalse(arg) => self.boolean_test(arg, BooleanTest::NotFalse, "IS NOT FALSE"),
            E::IsUnknown(arg) => self.boolean_test(arg, BooleanTest::Unknown, "IS UNKNOWN"),
            E::IsNotUnknown(arg) => self.boolean_test(arg, BooleanTest::NotUnknown, "IS NOT UNKNOWN"),
            E::IsDistinctFrom(left, right) => self.distinct_from(left, right, false),
            E::IsNotDistinctFrom(left, right) => self.distinct_from(left, right, true),
            E::Between {
                expr,
                negated,
                low,
                high,
            } => self.between(expr, *negated, low, high),
            E::In {
                expr, target, negated, ..
            } => self.in_target(expr, target, *negated),
            E::AnyOp {
                left, compare_op, right, ..
            } => self.quantified(left, compare_op, right, false),
            E::AllOp { left, compare_op, right } => self.quantified(left, compare_op, right, true),
            E::Exists { subquery, negated } => self.exists(subquery, *negated),
            E::Subquery(query) => self.scalar_subquery(query, start_of(expr)),
            E::Case {
                operand,
                conditions,
                else_result,
                ..
            } => self.case(operand.as_deref(), conditions, else_result.as_deref()),
            E::Function(function) => self.function(function),
            E::Cast {
                expr, data_type, kind, ..
            } => self.cast_expr(expr, data_type, kind),
            E::TypedString(typed) => self.typed_string(typed),
            E::Interval(interval) => self.interval(interval),
            E::Tuple(items) => self.row(items),
            E::Array(array) => self.array(array, None, start_of(expr)),
            E::CompoundFieldAccess { root, access_chain } => self.access(root, access_chain),
            E::Collate { expr, collation } => self.collate(expr, collation),
            E::QualifiedWildcard(name, _) => {
                let (up, at) = self.find_star(name)?;
                self.whole_row(up, at)
            }
            other => self.special_form(other),
        }
    }

    fn binary_op(&mut self, left: &'a ast::Expr, op: &'a BinaryOperator, right: &'a ast::Expr) -> Result<Expr> {
        match op {
            BinaryOperator::And => return self.logic("AND", left, right),
            BinaryOperator::Or => return self.logic("OR", left, right),
            BinaryOperator::Overlaps => return self.overlaps(left, right),
            _ => {}
        }
        let name: &'a str = operator_name(op);
        self.check_operator_schema(op, left)?;
        let used = Use::infix(name, left);
        if let (ast::Expr::Tuple(left_items), ast::Expr::Tuple(right_items)) = (unnest(left), unnest(right)) {
            let lefts = self.exprs(left_items)?;
            let rights = self.exprs(right_items)?;
            let at_left: Vec<At<'_>> = left_items.iter().map(At::Expr).collect();
            let at_right: Vec<At<'_>> = right_items.iter().map(At::Expr).collect();
            return self.row_compare(used, lefts, rights, (&at_left, &at_right));
        }
        if let (ast::Expr::Tuple(items), ast::Expr::Subquery(query)) = (unnest(left), right) {
            return self.row_subquery(used, items, query);
        }
        let bound_left = self.expr(left)?;
        let bound_right = self.expr(right)?;
        self.binary(used, bound_left, bound_right, At::Expr(left), At::Expr(right))
    }

    /// `OPERATOR(schema.op)`: all operators are `pg_catalog`'s.
    fn check_operator_schema(&self, op: &BinaryOperator, left: &ast::Expr) -> Result<()> {
        let BinaryOperator::PGCustomBinaryOperator(parts) = op else {
            return Ok(());
        };
        let [schema, name] = parts.as_slice() else {
            return Ok(());
        };
        if schema == "pg_catalog" {
            return Ok(());
        }
        let position = self.position_after(left, "operator");
        if self.catalog.find_schema(schema).is_none() {
            let message = format!("schema \"{schema}\" does not exist");
            return Err(PgError::new(sqlstate::UNDEFINED_SCHEMA, message).at(position));
        }
        Err(PgError::new(
            sqlstate::UNDEFINED_FUNCTION,
            format!("operator does not exist: {schema}.{name}"),
        )
        .hint("No operator matches the given name and argument types. You might need to add explicit type casts.")
        .at(position))
    }

    /// A list of expressions.
    pub(super) fn exprs(&mut self, items: &'a [ast::Expr]) -> Result<Vec<Expr>> {
        items.iter().map(|item| self.expr(item)).collect()
    }

    /// AND and OR, flattened over chains of the same word.
    fn logic(&mut self, word: &'static str, left: &'a ast::Expr, right: &'a ast::Expr) -> Result<Expr> {
        let and = word == "AND";
        let mut operands = vec![right];
        let mut rest = left;
        // Chains lean left; walking them here keeps deep ones off the stack.
        loop {
            match rest {
                ast::Expr::BinaryOp {
                    left,
                    op: BinaryOperator::And,
                    right,
                } if and => {
                    operands.push(right);
                    rest = left;
                }
                ast::Expr::BinaryOp {
                    left,
                    op: BinaryOperator::Or,
                    right,
                } if !and => {
                    operands.push(right);
                    rest = left;
                }
                _ => break,
            }
        }
        operands.push(rest);
        let mut bound = Vec::with_capacity(operands.len());
        for operand in operands.into_iter().rev() {
            let expr = self.expr(operand)?;
            bound.push(self.coerce_to_specific(expr, oid::BOOL, word, At::Expr(operand))?);
        }
        let kind = if and { ExprKind::And(bound) } else { ExprKind::Or(bound) };
        Ok(Expr::new(kind, oid::BOOL))
    }

    fn unary_op(&mut self, op: &'a UnaryOperator, arg: &'a ast::Expr) -> Result<Expr> {
        let name = match op {
            UnaryOperator::Not => {
                let bound = self.expr(arg)?;
                let bound = self.coerce_to_specific(bound, oid::BOOL, "NOT", At::Expr(arg))?;
                return Ok(Expr::new(ExprKind::Not(Box::new(bound)), oid::BOOL));
            }
            UnaryOperator::Minus => {
                if let ast::Expr::Value(value) = arg
                    && let ast::Value::Number(text, _) = &value.value
                {
                    return self.number(&format!("-{text}"), position_of(value.span));
                }
                "-"
            }
            UnaryOperator::Plus => "+",
            UnaryOperator::BitwiseNot => "~",
            UnaryOperator::PGAbs => "@",
            UnaryOperator::PGSquareRoot => "|/",
            UnaryOperator::PGCubeRoot => "||/",
            UnaryOperator::PGPrefixFactorial => "!!",
            UnaryOperator::Hash => "#",
            UnaryOperator::DoubleAt => "@@",
            UnaryOperator::QuestionPipe => "?|",
            UnaryOperator::QuestionDash => "?-",
            UnaryOperator::AtDashAt => "@-@",
            UnaryOperator::BangNot | UnaryOperator::PGPostfixFactorial => "!",
        };
        let bound = self.expr(arg)?;
        // The operator stands before its operand; its own position is not in the tree.
        let position = self.position_before(start_of(arg), name);
        self.prefix(name, position, bound, At::Expr(arg))
    }

    /// Position of the last `text` before a position.
    pub(super) fn position_before(&self, position: u32, text: &str) -> u32 {
        let Some(parsed) = self.parsed else {
            return 0;
        };
        let end = position.saturating_sub(parsed.offset).saturating_sub(1) as usize;
        let before: String = parsed.text.chars().take(end).collect();
        match before.rfind(text) {
            Some(found) => u32::try_from(before[..found].chars().count()).unwrap_or(0) + 1 + parsed.offset,
            None => position,
        }
    }

    fn null_test(&mut self, arg: &'a ast::Expr, negated: bool) -> Result<Expr> {
        let bound = self.expr(arg)?;
        Ok(Expr::new(
            ExprKind::NullTest {
                arg: Box::new(bound),
                negated,
            },
            oid::BOOL,
        ))
    }

    fn boolean_test(&mut self, arg: &'a ast::Expr, test: BooleanTest, construct: &str) -> Result<Expr> {
        let bound = self.expr(arg)?;
        let bound = self.coerce_to_specific(bound, oid::BOOL, construct, At::Expr(arg))?;
        Ok(Expr::new(
            ExprKind::BooleanTest {
                arg: Box::new(bound),
                test,
            },
            oid::BOOL,
        ))
    }

    fn distinct_from(&mut self, left: &'a ast::Expr, right: &'a ast::Expr, negated: bool) -> Result<Expr> {
        let used = Use::written("=", left, "is");
        if let (ast::Expr::Tuple(lefts), ast::Expr::Tuple(rights)) = (unnest(left), unnest(right)) {
            return self.row_distinct(used, lefts, rights, negated);
        }
        let bound_left = self.expr(left)?;
        let bound_right = self.expr(right)?;
        // `x IS DISTINCT FROM NULL` is a null test.
        let is_null = |expr: &Expr| matches!(expr.kind, ExprKind::Const(Value::Null)) && expr.ty == oid::UNKNOWN;
        if is_null(&bound_right) || is_null(&bound_left) {
            let arg = if is_null(&bound_right) { bound_left } else { bound_right };
            return Ok(Expr::new(
                ExprKind::NullTest {
                    arg: Box::new(arg),
                    negated: !negated,
                },
                oid::BOOL,
            ));
        }
        self.distinct_node(used, bound_left, bound_right, (At::Expr(left), At::Expr(right)), negated)
    }

    fn distinct_node(&mut self, used: Use<'a>, left: Expr, right: Expr, at: (At<'_>, At<'_>), negated: bool) -> Result<Expr> {
        let equal = self.binary(used, left, right, at.0, at.1)?;
        if equal.ty != oid::BOOL {
            return Err(PgError::new(
                sqlstate::DATATYPE_MISMATCH,
                "IS DISTINCT FROM requires = operator to yield boolean",
            )
            .at(self.use_position(used)));
        }
        match equal.kind {
            ExprKind::Call(equal) => Ok(Expr::new(ExprKind::Distinct { equal, negated }, oid::BOOL)),
            _ => Err(PgError::internal("= is not a call")),
        }
    }

    fn row_distinct(&mut self, used: Use<'a>, lefts: &'a [ast::Expr], rights: &'a [ast::Expr], negated: bool) -> Result<Expr> {
        if lefts.len() != rights.len() {
            return Err(
                PgError::new(sqlstate::SYNTAX_ERROR, "unequal number of entries in row expressions").at(self.use_position(used)),
            );
        }
        let mut pairs = Vec::with_capacity(lefts.len());
        for (left, right) in lefts.iter().zip(rights) {
            let bound_left = self.expr(left)?;
            let bound_right = self.expr(right)?;
            pairs.push(self.distinct_node(used, bound_left, bound_right, (At::Expr(left), At::Expr(right)), negated)?);
        }
        let kind = if negated { ExprKind::And(pairs) } else { ExprKind::Or(pairs) };
        Ok(Expr::new(kind, oid::BOOL))
    }

    fn between(&mut self, arg: &'a ast::Expr, negated: bool, low: &'a ast::Expr, high: &'a ast::Expr) -> Result<Expr> {
        let (first, second) = if negated { ("<", ">") } else { (">=", "<=") };
        let mut sides = Vec::with_capacity(2);
        for (name, bound) in [(first, low), (second, high)] {
            let left = self.expr(arg)?;
            let right = self.expr(bound)?;
            let used = Use::written(name, arg, if negated { "not" } else { "between" });
            sides.push(self.binary(used, left, right, At::Expr(arg), At::Expr(bound))?);
        }
        let kind = if negated { ExprKind::Or(sides) } else { ExprKind::And(sides) };
        Ok(Expr::new(kind, oid::BOOL))
    }

    fn in_target(&mut self, arg: &'a ast::Expr, target: &'a ast::InTarget, negated: bool) -> Result<Expr> {
        match target {
            ast::InTarget::Subquery(query) => self.in_subquery(arg, query, negated),
            ast::InTarget::List(list) => self.in_list(arg, list, negated),
            _ => Err(PgError::unsupported("this form of IN")),
        }
    }

    /// `transformAExprIn`: constants go into one array, the others into comparisons.
    fn in_list(&mut self, arg: &'a ast::Expr, list: &'a [ast::Expr], negated: bool) -> Result<Expr> {
        let name = if negated { "<>" } else { "=" };
        let used = Use::written(name, arg, if negated { "not" } else { "in" });
        let is_row = matches!(unnest(arg), ast::Expr::Tuple(_));
        let mut rights = Vec::with_capacity(list.len());
        if !is_row {
            for item in list {
                rights.push((self.expr(item)?, item));
            }
        }
        let mut parts = Vec::new();
        let (plain, others): (Vec<_>, Vec<_>) = rights.into_iter().partition(|(expr, _)| !has_vars(expr));
        let mut others = others;
        if plain.len() > 1 {
            let left = self.expr(arg)?;
            let mut types = vec![(left.ty, At::Expr(arg))];
            types.extend(plain.iter().map(|(expr, item)| (expr.ty, At::Expr(item))));
            let common = self.common_type(&types, None)?;
            let usable = common.is_valid() && common != oid::RECORD && self.all_can_become(&types, common);
            match self.array_of(common).filter(|_| usable) {
                Some(array_type) => {
                    let mut elements = Vec::with_capacity(plain.len());
                    for (expr, item) in plain {
                        elements.push(self.coerce_to_common(expr, common, "IN", At::Expr(item))?);
                    }
                    let array = Expr::new(ExprKind::Array { elements, nested: false }, array_type);
                    parts.push(self.scalar_array(used, left, array, negated, (At::Expr(arg), At::NONE))?);
                }
                None => others.extend(plain),
            }
        } else {
            others.extend(plain);
        }
        for (right, item) in others {
            let left = self.expr(arg)?;
            let compared = self.binary(used, left, right, At::Expr(arg), At::Expr(item))?;
            parts.push(self.coerce_to_specific(compared, oid::BOOL, "IN", At::Expr(arg))?);
        }
        if let (true, ast::Expr::Tuple(lefts)) = (is_row, unnest(arg)) {
            for item in list {
                parts.push(self.in_row(used, lefts, item)?);
            }
        }
        if parts.len() == 1 {
            return Ok(parts.remove(0));
        }
        let kind = if negated { ExprKind::And(parts) } else { ExprKind::Or(parts) };
        Ok(Expr::new(kind, oid::BOOL))
    }

    fn in_row(&mut self, used: Use<'a>, lefts: &'a [ast::Expr], item: &'a ast::Expr) -> Result<Expr> {
        let left = self.exprs(lefts)?;
        let at_left: Vec<At<'_>> = lefts.iter().map(At::Expr).collect();
        if let ast::Expr::Tuple(rights) = unnest(item) {
            let right = self.exprs(rights)?;
            let at_right: Vec<At<'_>> = rights.iter().map(At::Expr).collect();
            return self.row_compare(used, left, right, (&at_left, &at_right));
        }
        let right = self.expr(item)?;
        let row = Expr::new(ExprKind::Row(left), oid::RECORD);
        self.binary(used, row, right, At::NONE, At::Expr(item))
    }

    /// `left OP ANY|ALL (array or query)`.
    fn quantified(&mut self, left: &'a ast::Expr, op: &'a BinaryOperator, right: &'a ast::Expr, all: bool) -> Result<Expr> {
        let name = operator_name(op);
        let used = Use::infix(name, left);
        if let ast::Expr::Subquery(query) = right {
            return self.quantified_subquery(used, left, query, all);
        }
        let bound_left = self.expr(left)?;
        let bound_right = self.expr(right)?;
        self.scalar_array(used, bound_left, bound_right, all, (At::Expr(left), At::Expr(right)))
    }
}

/// The expression inside any parentheses.
pub(super) fn unnest(expr: &ast::Expr) -> &ast::Expr {
    match expr {
        ast::Expr::Nested(inner) => unnest(inner),
        other => other,
    }
}

/// `contain_vars_of_level`: whether a variable of this level stands in it.
pub(super) fn has_vars(expr: &Expr) -> bool {
    let mut found = false;
    super::walk::walk(expr, 0, &mut |expr, depth| {
        if let ExprKind::Var { level, .. } | ExprKind::SystemVar { level, .. } | ExprKind::WholeRow { level, .. } = expr.kind {
            found |= level == depth;
        }
        super::walk::Step::Into
    });
    found
}
