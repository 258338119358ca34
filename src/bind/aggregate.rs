//! Aggregate calls: where they may stand, which level computes them.

use std::sync::Arc;

use sqlparser::ast;

use super::Binder;
use super::at::{At, start_of};
use super::function::{Found, Resolved, Written};
use super::scope::Clause;
use super::syntax::{CallForm, wrong_object};
use super::tree::{AggregateCall, Expr, ExprKind, SortKey};
use super::walk::{Step, same, walk};
use crate::error::{PgError, Result, sqlstate};
use crate::functions::Body;
use crate::ids::Oid;
use crate::types::oid;

impl<'a> Binder<'a> {
    pub(super) fn aggregate(&mut self, form: &CallForm<'a>, resolved: &Resolved, mut written: Written<'a>) -> Result<Expr> {
        let position = written.position;
        if written.args.is_empty() && !form.star {
            return Err(wrong_object(
                format!("{}(*) must be used to call a parameterless aggregate function", written.name),
                position,
            ));
        }
        let places = written.at.clone();
        let actual: Vec<Oid> = written.args.iter().map(|arg| arg.ty).collect();
        let (args, ty) = self.fit_arguments(resolved, &mut written)?;
        let args = self.concrete_args(args, &places)?;
        let arg_types: Arc<[Oid]> = args.iter().map(|arg| arg.ty).collect();
        let _ = actual;
        let mut call = AggregateCall {
            function: resolved.function,
            args,
            arg_types,
            direct: Vec::new(),
            distinct: form.distinct,
            order: Vec::new(),
            filter: None,
            star: form.star,
            level: 0,
        };
        self.aggregate_order(&mut call, form)?;
        call.filter = self.filter(form.function)?;
        self.place_aggregate(&mut call, position)?;
        Ok(Expr::new(ExprKind::Aggregate(Box::new(call)), ty))
    }

    /// Unknown literals given to `"any"` and `anyelement` are text.
    fn concrete_args(&mut self, args: Vec<Expr>, places: &[At<'a>]) -> Result<Vec<Expr>> {
        let mut concrete = Vec::with_capacity(args.len());
        for (at, arg) in args.into_iter().enumerate() {
            let place = places.get(at).copied().unwrap_or(At::NONE);
            // A parameter without a type stays one, and is refused in the end.
            let is_param = matches!(arg.kind, ExprKind::Param(_));
            concrete.push(if is_param { arg } else { self.resolve_unknown(arg, place)? });
        }
        Ok(concrete)
    }

    /// ORDER BY inside the call: keys that are no arguments are added behind them.
    fn aggregate_order(&mut self, call: &mut AggregateCall, form: &CallForm<'a>) -> Result<()> {
        let real = call.args.len();
        for key in form.order {
            let bound = self.expr_in(&key.expr, Clause::OrderBy)?;
            let bound = self.resolve_unknown(bound, At::Expr(&key.expr))?;
            self.check_orderable(bound.ty, At::Expr(&key.expr))?;
            let column = if let Some(at) = call.args.iter().position(|arg| same(arg, &bound)) {
                at
            } else {
                call.args.push(bound);
                call.args.len() - 1
            };
            if form.distinct && column >= real {
                return Err(PgError::new(
                    sqlstate::INVALID_COLUMN_REFERENCE,
                    "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list",
                )
                .at(start_of(&key.expr)));
            }
            let (descending, nulls_first) = self.sort_direction(&key.options)?;
            call.order.push(SortKey {
                column,
                descending,
                nulls_first,
            });
        }
        if form.distinct {
            for arg in &call.args[..real] {
                if !self.has_equality(arg.ty) {
                    return Err(PgError::new(
                        sqlstate::UNDEFINED_FUNCTION,
                        format!("could not identify an equality operator for type {}", self.type_text(arg.ty)),
                    ));
                }
            }
        }
        Ok(())
    }

    pub(super) fn filter(&mut self, function: &'a ast::Function) -> Result<Option<Expr>> {
        let Some(filter) = function.filter.as_deref() else {
            return Ok(None);
        };
        let bound = self.expr_in(filter, Clause::Filter)?;
        self.coerce_to_specific(bound, oid::BOOL, "FILTER", At::Expr(filter))
            .map(Some)
    }

    /// `name(direct) WITHIN GROUP (ORDER BY args)`.
    pub(super) fn ordered_set(&mut self, form: CallForm<'a>, mut written: Written<'a>) -> Result<Expr> {
        let position = written.position;
        let direct_count = written.args.len();
        if form.distinct || !form.order.is_empty() {
            return Err(PgError::new(
                sqlstate::SYNTAX_ERROR,
                if form.distinct {
                    "cannot use DISTINCT with WITHIN GROUP"
                } else {
                    "cannot use multiple ORDER BY clauses with WITHIN GROUP"
                },
            )
            .at(position));
        }
        let mut directions = Vec::new();
        for key in &form.function.within_group {
            let bound = self.expr_in(&key.expr, Clause::OrderBy)?;
            written.args.push(bound);
            written.at.push(At::Expr(&key.expr));
            directions.push(self.sort_direction(&key.options)?);
        }
        let places = written.at.clone();
        let Found::Function(resolved) = self.resolve_function(&written)? else {
            return Err(wrong_object(
                format!("WITHIN GROUP specified, but {} is not an aggregate function", written.name),
                position,
            ));
        };
        let sorted = match resolved.function.body {
            Body::OrderedSet(_, sorted) => usize::from(sorted),
            Body::Aggregate(_) => {
                return Err(wrong_object(
                    format!(
                        "{} is not an ordered-set aggregate, so it cannot have WITHIN GROUP",
                        written.name
                    ),
                    position,
                ));
            }
            _ => {
                return Err(wrong_object(
                    format!("WITHIN GROUP specified, but {} is not an aggregate function", written.name),
                    position,
                ));
            }
        };
        if form.function.over.is_some() {
            return Err(PgError::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                format!("OVER is not supported for ordered-set aggregate {}", written.name),
            )
            .at(position));
        }
        let (args, ty) = self.fit_arguments(&resolved, &mut written)?;
        let mut args = self.concrete_args(args, &places)?;
        let arg_types: Arc<[Oid]> = args.iter().map(|arg| arg.ty).collect();
        let sorted_args = args.split_off(direct_count.min(args.len() - sorted.min(args.len())));
        let mut order = Vec::new();
        for (column, (descending, nulls_first)) in directions.into_iter().enumerate() {
            let key_type = sorted_args.get(column).map_or(oid::TEXT, |arg| arg.ty);
            self.check_orderable(key_type, At::Position(position))?;
            order.push(SortKey {
                column,
                descending,
                nulls_first,
            });
        }
        let mut call = AggregateCall {
            function: resolved.function,
            args: sorted_args,
            arg_types,
            direct: args,
            distinct: false,
            order,
            filter: self.filter(form.function)?,
            star: false,
            level: 0,
        };
        self.place_aggregate(&mut call, position)?;
        Ok(Expr::new(ExprKind::Aggregate(Box::new(call)), ty))
    }

    /// `check_agglevels_and_constraints`: the level of the innermost variable computes it.
    fn place_aggregate(&mut self, call: &mut AggregateCall, position: u32) -> Result<()> {
        let mut var_level: Option<u32> = None;
        let mut aggregate_level: Option<u32> = None;
        let mut window = false;
        let mut set = false;
        let mut visit = |expr: &Expr, depth: u32| {
            match &expr.kind {
                ExprKind::Var { level, .. } | ExprKind::SystemVar { level, .. } | ExprKind::WholeRow { level, .. } => {
                    if let Some(level) = level.checked_sub(depth) {
                        var_level = Some(var_level.map_or(level, |found| found.min(level)));
                    }
                }
                ExprKind::Aggregate(inner) => {
                    if let Some(level) = inner.level.checked_sub(depth) {
                        aggregate_level = Some(aggregate_level.map_or(level, |found| found.min(level)));
                    }
                }
                ExprKind::Window(_) if depth == 0 => window = true,
                ExprKind::Call(inner) if depth == 0 => set |= inner.function.returns_set(),
                _ => {}
            }
            Step::Into
        };
        for expr in call.args.iter().chain(&call.direct).chain(&call.filter) {
            walk(expr, 0, &mut visit);
        }
        if window {
            return Err(PgError::new(
                sqlstate::GROUPING_ERROR,
                "aggregate function calls cannot contain window function calls",
            )
            .at(self.nested_position(position)));
        }
        if set {
            return Err(PgError::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                "aggregate function calls cannot contain set-returning function calls",
            )
            .hint("You might be able to move the set-returning function into a LATERAL FROM item.")
            .at(self.nested_position(position)));
        }
        let level = match (var_level, aggregate_level) {
            (Some(a), Some(b)) => a.min(b),
            (Some(a), None) | (None, Some(a)) => a,
            (None, None) => 0,
        };
        if aggregate_level == Some(level) {
            return Err(
                PgError::new(sqlstate::GROUPING_ERROR, "aggregate function calls cannot be nested")
                    .at(self.nested_position(position)),
            );
        }
        call.level = level;
        let Some(owner) = self.level_up(level) else {
            return Err(PgError::internal("an aggregate of no level"));
        };
        owner.has_aggregates = true;
        let clause = owner.clause;
        if let Some(place) = refused_place(clause) {
            return Err(PgError::new(
                sqlstate::GROUPING_ERROR,
                format!("aggregate functions are not allowed in {place}"),
            )
            .at(position));
        }
        Ok(())
    }

    /// Where the inner of two nested calls begins: behind the outer's parenthesis.
    pub(super) fn nested_position(&self, outer: u32) -> u32 {
        let Some(parsed) = self.parsed else {
            return outer;
        };
        let open = self.position_from(outer, "(");
        let from = open.saturating_sub(parsed.offset) as usize;
        let skipped = parsed.text.chars().skip(from).take_while(|c| c.is_whitespace()).count();
        open + 1 + u32::try_from(skipped).unwrap_or(0)
    }

    /// GROUPING(a, b): its arguments are matched to the grouping when that is known.
    pub(super) fn grouping(&mut self, args: &[&'a ast::Expr], position: u32) -> Result<Expr> {
        if args.len() > 31 {
            return Err(PgError::new(sqlstate::TOO_MANY_ARGUMENTS, "GROUPING must have fewer than 32 arguments").at(position));
        }
        let mut bound = Vec::with_capacity(args.len());
        for arg in args {
            bound.push(self.expr(arg)?);
        }
        if let Some(place) = refused_place(self.level_ref().clause) {
            return Err(PgError::new(
                sqlstate::GROUPING_ERROR,
                format!("grouping operations are not allowed in {place}"),
            )
            .at(position));
        }
        let level = self.level();
        level.has_aggregates = true;
        level.groupings.push((bound, position));
        let index = level.groupings.len() - 1;
        Ok(Expr::new(ExprKind::Grouping(vec![index]), oid::INT4))
    }

    pub(super) fn check_orderable(&self, ty: Oid, at: At<'_>) -> Result<()> {
        if self.is_orderable(ty) {
            return Ok(());
        }
        Err(PgError::new(
            sqlstate::UNDEFINED_FUNCTION,
            format!("could not identify an ordering operator for type {}", self.type_text(ty)),
        )
        .hint("Use an explicit ordering operator or modify the query.")
        .at(at.position()))
    }
}

/// How messages call a clause where no aggregate may stand.
fn refused_place(clause: Clause) -> Option<&'static str> {
    Some(match clause {
        Clause::None
        | Clause::Having
        | Clause::SelectTarget
        | Clause::OrderBy
        | Clause::DistinctOn
        | Clause::WindowPartition
        | Clause::WindowOrder => return None,
        Clause::JoinOn => "JOIN conditions",
        Clause::FromSubselect => "FROM clause of their own query level",
        Clause::FromFunction => "functions in FROM",
        Clause::Check => "check constraints",
        Clause::Default => "DEFAULT expressions",
        Clause::IndexExpression => "index expressions",
        Clause::IndexPredicate => "index predicates",
        Clause::Generated => "column generation expressions",
        Clause::CopyWhere => "COPY FROM WHERE conditions",
        other => other.name(),
    })
}
