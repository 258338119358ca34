//! Sub-selects in expressions.

use sqlparser::ast;

use super::Binder;
use super::at::{At, start_of};
use super::expr::unnest;
use super::operator::Use;
use super::tree::{Expr, ExprKind, Query, SubLink, SubLinkKind};
use crate::error::{PgError, Result, sqlstate};
use crate::types::oid;

impl<'a> Binder<'a> {
    pub(super) fn exists(&mut self, query: &'a ast::Query, negated: bool) -> Result<Expr> {
        let query = self.subquery(query)?;
        let link = self.link(SubLinkKind::Exists, query, oid::BOOL, -1);
        Ok(if negated {
            Expr::new(ExprKind::Not(Box::new(link)), oid::BOOL)
        } else {
            link
        })
    }

    pub(super) fn scalar_subquery(&mut self, query: &'a ast::Query, position: u32) -> Result<Expr> {
        let query = self.subquery(query)?;
        let column = self.only_column(&query, position)?;
        Ok(self.link(SubLinkKind::Scalar, query, column.0, column.1))
    }

    /// `ARRAY(SELECT ...)`.
    pub(super) fn array_subquery(&mut self, query: &'a ast::Query) -> Result<Expr> {
        let query = self.subquery(query)?;
        let (ty, typmod) = self.only_column(&query, 0)?;
        let array = match self.element_of(ty) {
            Some(_) => ty,
            None => self.array_of(ty).ok_or_else(|| {
                PgError::new(
                    sqlstate::UNDEFINED_OBJECT,
                    format!("could not find array type for data type {}", self.type_text(ty)),
                )
            })?,
        };
        Ok(self.link(SubLinkKind::Array, query, array, typmod))
    }

    /// `x IN (SELECT ...)`.
    pub(super) fn in_subquery(&mut self, left: &'a ast::Expr, query: &'a ast::Query, negated: bool) -> Result<Expr> {
        let used = Use::written("=", left, if negated { "not" } else { "in" });
        let found = self.quantified_subquery(used, left, query, false)?;
        Ok(if negated {
            Expr::new(ExprKind::Not(Box::new(found)), oid::BOOL)
        } else {
            found
        })
    }

    /// `x OP ANY|ALL (SELECT ...)`.
    pub(super) fn quantified_subquery(
        &mut self,
        used: Use<'a>,
        left: &'a ast::Expr,
        query: &'a ast::Query,
        all: bool,
    ) -> Result<Expr> {
        let lefts: Vec<&'a ast::Expr> = match unnest(left) {
            ast::Expr::Tuple(items) => items.iter().collect(),
            _ => vec![left],
        };
        let mut tests = Vec::with_capacity(lefts.len());
        for item in &lefts {
            tests.push(self.expr(item)?);
        }
        let query = self.subquery(query)?;
        let compared = self.compare_columns(used, tests, &lefts, &query)?;
        let tests = match compared.kind {
            ExprKind::And(list) if lefts.len() > 1 => list,
            _ => vec![compared],
        };
        let operator = self.static_operator(used.name);
        Ok(self.link(SubLinkKind::Quantified { tests, all, operator }, query, oid::BOOL, -1))
    }

    /// `ROW(a, b) OP (SELECT ...)`: at most one row, so ANY says the same.
    pub(super) fn row_subquery(&mut self, used: Use<'a>, items: &'a [ast::Expr], query: &'a ast::Query) -> Result<Expr> {
        let lefts: Vec<&'a ast::Expr> = items.iter().collect();
        let mut tests = Vec::with_capacity(lefts.len());
        for item in &lefts {
            tests.push(self.expr(item)?);
        }
        let query = self.subquery(query)?;
        let compared = self.compare_columns(used, tests, &lefts, &query)?;
        let tests = match compared.kind {
            ExprKind::And(list) if lefts.len() > 1 => list,
            _ => vec![compared],
        };
        let operator = self.static_operator(used.name);
        let kind = SubLinkKind::Quantified {
            tests,
            all: false,
            operator,
        };
        Ok(self.link(kind, query, oid::BOOL, -1))
    }

    /// Comparisons of values with a query's columns, which are [`ExprKind::Input`]s.
    fn compare_columns(&mut self, used: Use<'a>, tests: Vec<Expr>, lefts: &[&'a ast::Expr], query: &Query) -> Result<Expr> {
        let columns: Vec<Expr> = query
            .output_targets()
            .iter()
            .filter(|target| !target.junk)
            .enumerate()
            .map(|(at, target)| {
                let mut expr = Expr::new(ExprKind::Input(at), target.expr.ty);
                expr.typmod = target.expr.typmod;
                expr
            })
            .collect();
        let refuse = |binder: &Self, text: &str| Err(PgError::new(sqlstate::SYNTAX_ERROR, text).at(binder.use_position(used)));
        if columns.len() > tests.len() {
            return refuse(self, "subquery has too many columns");
        }
        if columns.len() < tests.len() {
            return refuse(self, "subquery has too few columns");
        }
        let at: Vec<At<'_>> = lefts.iter().map(|left| At::Position(start_of(left))).collect();
        self.row_compare(used, tests, columns, (&at, &[]))
    }

    fn static_operator(&self, name: &str) -> &'static str {
        crate::functions::registry::functions()
            .operators(name)
            .first()
            .map_or("=", |operator| operator.name)
    }

    fn only_column(&self, query: &Query, position: u32) -> Result<(crate::ids::Oid, i32)> {
        let mut columns = query.output_targets().iter().filter(|target| !target.junk);
        if let (Some(only), None) = (columns.next(), columns.next()) {
            Ok((only.expr.ty, only.expr.typmod))
        } else {
            let position = self.position_before(position, "(");
            Err(PgError::new(sqlstate::SYNTAX_ERROR, "subquery must return only one column").at(position))
        }
    }

    fn link(&mut self, kind: SubLinkKind, query: Query, ty: crate::ids::Oid, typmod: i32) -> Expr {
        self.level().has_sublinks = true;
        let mut expr = Expr::new(ExprKind::SubLink(Box::new(SubLink { kind, query })), ty);
        expr.typmod = typmod;
        expr
    }
}
