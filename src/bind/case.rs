//! CASE, COALESCE, NULLIF, GREATEST and LEAST.

use sqlparser::ast;

use super::Binder;
use super::at::At;
use super::coerce::common_typmod;
use super::operator::Use;
use super::tree::{Expr, ExprKind};
use crate::error::{PgError, Result, sqlstate};
use crate::types::{Value, oid};

impl<'a> Binder<'a> {
    pub(super) fn case(
        &mut self,
        operand: Option<&'a ast::Expr>,
        conditions: &'a [ast::CaseWhen],
        otherwise: Option<&'a ast::Expr>,
    ) -> Result<Expr> {
        let mut bound_operand = None;
        let mut operand_shape = None;
        if let Some(operand) = operand {
            let bound = self.expr(operand)?;
            let bound = self.resolve_unknown(bound, At::Expr(operand))?;
            let mut shape = Expr::new(ExprKind::CaseOperand, bound.ty);
            shape.typmod = bound.typmod;
            operand_shape = Some((shape, operand));
            bound_operand = Some(Box::new(bound));
        }
        let srf_before = self.level_ref().has_set_returning;
        let mut whens = Vec::with_capacity(conditions.len());
        let mut results = Vec::with_capacity(conditions.len() + 1);
        let mut places = Vec::with_capacity(conditions.len() + 1);
        for condition in conditions {
            let when = self.expr(&condition.condition)?;
            let when = match &operand_shape {
                Some((shape, operand)) => self.binary(
                    Use::at("=", super::at::start_of(operand)),
                    shape.clone(),
                    when,
                    At::Expr(operand),
                    At::Expr(&condition.condition),
                )?,
                None => when,
            };
            whens.push(self.coerce_to_specific(when, oid::BOOL, "CASE/WHEN", At::Expr(&condition.condition))?);
            results.push(self.expr(&condition.result)?);
            places.push(At::Expr(&condition.result));
        }
        let default = match otherwise {
            Some(otherwise) => (self.expr(otherwise)?, At::Expr(otherwise)),
            None => (Expr::constant(Value::Null, oid::UNKNOWN), At::NONE),
        };
        self.refuse_set_returning(srf_before, "CASE")?;
        // The default comes first where types are weighed.
        let mut types = vec![(default.0.ty, default.1)];
        types.extend(results.iter().map(|expr| expr.ty).zip(places.iter().copied()));
        let common = self.common_type(&types, Some("CASE"))?;
        let otherwise_expr = self.coerce_to_common(default.0, common, "CASE/ELSE", default.1)?;
        let mut branches = Vec::with_capacity(whens.len());
        for ((when, then), at) in whens.into_iter().zip(results).zip(places) {
            branches.push((when, self.coerce_to_common(then, common, "CASE/WHEN", at)?));
        }
        let typmod = common_typmod(branches.iter().map(|(_, then)| then).chain([&otherwise_expr]), common);
        let mut expr = Expr::new(
            ExprKind::Case {
                operand: bound_operand,
                branches,
                otherwise: otherwise.is_some().then(|| Box::new(otherwise_expr)),
            },
            common,
        );
        expr.typmod = typmod;
        Ok(expr)
    }

    /// COALESCE, GREATEST, LEAST.
    pub(super) fn common_list(&mut self, name: &'static str, args: &[&'a ast::Expr]) -> Result<Expr> {
        let srf_before = self.level_ref().has_set_returning;
        let mut bound = Vec::with_capacity(args.len());
        for arg in args {
            bound.push(self.expr(arg)?);
        }
        if name == "COALESCE" {
            self.refuse_set_returning(srf_before, "COALESCE")?;
        }
        let at: Vec<At<'a>> = args.iter().map(|arg| At::Expr(arg)).collect();
        let (bound, common) = self.unify(bound, &at, name)?;
        let typmod = common_typmod(&bound, common);
        let kind = match name {
            "COALESCE" => ExprKind::Coalesce(bound),
            "GREATEST" => ExprKind::Greatest(bound),
            _ => ExprKind::Least(bound),
        };
        let mut expr = Expr::new(kind, common);
        expr.typmod = typmod;
        Ok(expr)
    }

    pub(super) fn null_if(&mut self, left: &'a ast::Expr, right: &'a ast::Expr, position: u32) -> Result<Expr> {
        let bound_left = self.expr(left)?;
        let bound_right = self.expr(right)?;
        let used = Use::at("=", position);
        let equal = self.binary(used, bound_left, bound_right, At::Expr(left), At::Expr(right))?;
        if equal.ty != oid::BOOL {
            return Err(PgError::new(sqlstate::DATATYPE_MISMATCH, "NULLIF requires = operator to yield boolean").at(position));
        }
        match equal.kind {
            ExprKind::Call(equal) => {
                let first = &equal.args[0];
                let (ty, typmod) = (first.ty, first.typmod);
                let mut expr = Expr::new(ExprKind::NullIf { equal }, ty);
                expr.typmod = typmod;
                Ok(expr)
            }
            _ => Err(PgError::internal("= is not a call")),
        }
    }

    /// Set-returning functions may not stand under a conditional.
    fn refuse_set_returning(&mut self, before: bool, construct: &str) -> Result<()> {
        if self.level_ref().has_set_returning && !before {
            return Err(PgError::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                format!("set-returning functions are not allowed in {construct}"),
            )
            .hint("You might be able to move the set-returning function into a LATERAL FROM item.")
            .at(self.level_ref().set_returning_at));
        }
        Ok(())
    }
}
