//! Expressions bound alone: defaults, checks, index keys and predicates, generated columns.

use std::sync::Arc;

use sqlparser::ast;

use super::at::At;
use super::coerce::Target as CoercionTarget;
use super::deparse;
use super::params::ParamTypes;
use super::scope::{Clause, Level};
use super::tree::{CastKind, Expr, ExprKind, Rel, RelColumn, RelKind, SystemColumn};
use super::walk::{Step, walk};
use super::{BindContext, Binder};
use crate::catalog::{Column, Table, UserTypeKind};
use crate::error::{PgError, Result, sqlstate};
use crate::functions::Volatility;
use crate::ids::Oid;
use crate::lock::RelationMode;
use crate::parse;
use crate::types::{Value, oid};

/// What an expression bound alone is for: decides what may stand in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Default,
    Check,
    IndexKey,
    IndexPredicate,
    Generated,
    /// `COPY ... WHERE`.
    CopyWhere,
    /// USING of ALTER COLUMN TYPE, EXECUTE's arguments and the like.
    Plain,
}

impl Purpose {
    fn clause(self) -> Clause {
        match self {
            Purpose::Default => Clause::Default,
            Purpose::Check => Clause::Check,
            Purpose::IndexKey => Clause::IndexExpression,
            Purpose::IndexPredicate => Clause::IndexPredicate,
            Purpose::Generated => Clause::Generated,
            Purpose::CopyWhere => Clause::CopyWhere,
            Purpose::Plain => Clause::SelectTarget,
        }
    }
}

/// The columns that a lone expression may name, as `rels[0]` of its only level.
pub fn table_rel(table: &Arc<Table>) -> Rel {
    Rel {
        kind: RelKind::Table {
            table: table.clone(),
            indexes: Vec::new(),
            lock: RelationMode::AccessShare,
        },
        name: table.name.clone(),
        columns: table
            .columns
            .iter()
            .map(|column| RelColumn {
                name: column.name.clone(),
                ty: column.ty,
                typmod: column.typmod,
                dropped: column.dropped,
            })
            .collect(),
        lateral: false,
    }
}

/// Binds an expression over the columns of one rel (`Var { level: 0, rel: 0, .. }`), or over none.
///
/// # Errors
/// Those of binding; sub-queries, aggregates, window and set-returning functions are refused by purpose.
pub fn bind_scalar(
    cx: &mut BindContext<'_>,
    parsed: Option<&parse::Parsed>,
    expr: &ast::Expr,
    rel: Option<Rel>,
    purpose: Purpose,
) -> Result<Expr> {
    let mut binder = Binder::new(cx, parsed);
    binder.lone(expr, rel, purpose)
}

/// A column's DEFAULT: coerced to the column, with its canonical text.
///
/// # Errors
/// As [`bind_scalar`]; 42804 where the type does not fit.
pub fn bind_default(
    cx: &mut BindContext<'_>,
    parsed: Option<&parse::Parsed>,
    expr: &ast::Expr,
    column: &Column,
) -> Result<(Expr, String)> {
    let mut binder = Binder::new(cx, parsed);
    let bound = binder.lone(expr, None, Purpose::Default)?;
    binder.levels.push(Level::new());
    let bound = binder.fit_default(bound, column, At::Expr(expr))?;
    let text = deparse::expression(&bound, &[], &deparse_env(&binder));
    Ok((bound, text))
}

/// A CHECK constraint's condition: with its canonical text and the columns that it names (0-based, in order).
///
/// # Errors
/// As [`bind_scalar`]; 42804 where it is no boolean.
pub fn bind_check(
    cx: &mut BindContext<'_>,
    parsed: Option<&parse::Parsed>,
    expr: &ast::Expr,
    rel: Rel,
) -> Result<(Expr, String, Vec<u16>)> {
    let names = column_names(&rel);
    let mut binder = Binder::new(cx, parsed);
    let bound = binder.lone(expr, Some(rel), Purpose::Check)?;
    binder.levels.push(Level::new());
    let bound = binder.coerce_to_specific(bound, oid::BOOL, "CHECK", At::Expr(expr))?;
    let text = deparse::expression(&bound, &names, &deparse_env(&binder));
    let columns = named_columns(&bound);
    Ok((bound, text, columns))
}

/// A domain's CHECK over VALUE, a value of the base type: with its canonical text.
///
/// # Errors
/// As [`bind_check`].
pub fn bind_domain_check(
    cx: &mut BindContext<'_>,
    parsed: Option<&parse::Parsed>,
    expr: &ast::Expr,
    base: (Oid, i32),
) -> Result<(Expr, String)> {
    let mut binder = Binder::new(cx, parsed);
    let mut level = Level::new();
    level.clause = Clause::Check;
    level.domain = Some(base);
    binder.levels.push(level);
    let bound = binder.expr(expr)?;
    if binder.level_ref().has_sublinks {
        let place = first_query(expr, &binder);
        return Err(PgError::new(sqlstate::FEATURE_NOT_SUPPORTED, "cannot use subquery in check constraint").at(place));
    }
    let bound = binder.coerce_to_specific(bound, oid::BOOL, "CHECK", At::Expr(expr))?;
    let text = deparse::expression(&bound, &[], &deparse_env(&binder));
    Ok((bound, text))
}

/// An index key, a partial index's predicate, a generated column's expression or COPY's WHERE, with its canonical text.
///
/// # Errors
/// As [`bind_scalar`]; 42P17 where a function in it is not immutable; 42804 for a predicate that is no boolean.
pub fn bind_index_expr(
    cx: &mut BindContext<'_>,
    parsed: Option<&parse::Parsed>,
    expr: &ast::Expr,
    rel: Rel,
    purpose: Purpose,
) -> Result<(Expr, String)> {
    let names = column_names(&rel);
    let mut binder = Binder::new(cx, parsed);
    let bound = binder.lone(expr, Some(rel), purpose)?;
    binder.levels.push(Level::new());
    let bound = match purpose {
        Purpose::IndexPredicate | Purpose::CopyWhere => binder.coerce_to_specific(bound, oid::BOOL, "WHERE", At::Expr(expr))?,
        _ => binder.resolve_unknown(bound, At::Expr(expr))?,
    };
    if purpose != Purpose::CopyWhere && !is_immutable(&bound) {
        let what = match purpose {
            Purpose::IndexPredicate => "functions in index predicate must be marked IMMUTABLE",
            Purpose::Generated => "generation expression is not immutable",
            _ => "functions in index expression must be marked IMMUTABLE",
        };
        return Err(PgError::new(sqlstate::INVALID_OBJECT_DEFINITION, what));
    }
    let text = deparse::expression(&bound, &names, &deparse_env(&binder));
    Ok((bound, text))
}

/// An expression over the columns of one rel, assigned to a type (USING of ALTER COLUMN TYPE); `None` where that needs an
/// explicit cast.
///
/// # Errors
/// As [`bind_scalar`].
pub fn bind_assigned(
    cx: &mut BindContext<'_>,
    parsed: Option<&parse::Parsed>,
    expr: &ast::Expr,
    rel: Rel,
    to: (Oid, i32),
) -> Result<Option<Expr>> {
    let mut binder = Binder::new(cx, parsed);
    let bound = binder.lone(expr, Some(rel), Purpose::Plain)?;
    binder.levels.push(Level::new());
    binder.coerce_to(bound, CoercionTarget::assignment(to.0, to.1), At::Expr(expr))
}

/// An expression of the catalog (default, check, index key, ...) over `rels[0]`.
///
/// # Errors
/// Those of binding; its text was bound before, so they mean that something it needs has gone.
pub fn bind_stored(cx: &mut BindContext<'_>, text: &str, rel: Option<Rel>) -> Result<Expr> {
    let expr = parse::parse_expression(text)?;
    let table = rel.as_ref().and_then(|rel| match &rel.kind {
        RelKind::Table { table, .. } => Some(table.oid),
        _ => None,
    });
    let mut binder = Binder::new(cx, None);
    let mut bound = binder.lone(&expr, rel, Purpose::Plain)?;
    if let Some(table) = table {
        name_table(&mut bound, table);
    }
    Ok(bound)
}

/// `tableoid` of a stored expression is known: the row that it looks at need not carry it.
fn name_table(expr: &mut Expr, table: Oid) {
    if let ExprKind::SystemVar {
        column: SystemColumn::TableOid,
        ..
    } = expr.kind
    {
        expr.kind = ExprKind::Const(Value::Oid(table.0));
        return;
    }
    super::walk::children_mut(expr, &mut |child| name_table(child, table));
}

fn deparse_env<'b>(binder: &'b Binder<'_>) -> deparse::Names<'b> {
    deparse::Names {
        catalog: binder.catalog,
        env: binder.env,
    }
}

fn column_names(rel: &Rel) -> Vec<smol_str::SmolStr> {
    rel.columns.iter().map(|column| column.name.clone()).collect()
}

/// Columns of `rels[0]` that an expression names, as they come.
fn named_columns(expr: &Expr) -> Vec<u16> {
    let mut columns = Vec::new();
    walk(expr, 0, &mut |expr, _| {
        if let ExprKind::Var { column, .. } = expr.kind
            && let Ok(column) = u16::try_from(column)
            && !columns.contains(&column)
        {
            columns.push(column);
        }
        Step::Into
    });
    columns
}

/// Whether nothing in the expression depends on more than its arguments.
pub fn is_immutable(expr: &Expr) -> bool {
    let mut immutable = true;
    walk(expr, 0, &mut |expr, _| {
        match &expr.kind {
            // `anything || text` depends on how the other side prints.
            ExprKind::Call(call) if matches!(call.function.name, "textanycat" | "anytextcat") => {
                immutable &= !call.args.iter().any(|arg| is_stable_cast(arg.ty, oid::TEXT));
            }
            ExprKind::Call(call) => immutable &= call.function.volatility == Volatility::Immutable,
            ExprKind::Cast(cast) if matches!(cast.kind, CastKind::Plain) => {
                immutable &= !is_stable_cast(cast.arg.ty, expr.ty);
            }
            ExprKind::NextVal(_) | ExprKind::SubLink(_) => immutable = false,
            _ => {}
        }
        Step::Into
    });
    immutable
}

/// Casts that read the time zone or the catalog.
fn is_stable_cast(from: Oid, to: Oid) -> bool {
    let zoned = |ty| matches!(ty, oid::TIMESTAMPTZ | oid::TIMETZ);
    let textual = |ty| matches!(ty, oid::TEXT | oid::VARCHAR | oid::BPCHAR);
    let dated = |ty| {
        matches!(
            ty,
            oid::DATE | oid::TIME | oid::TIMESTAMP | oid::TIMESTAMPTZ | oid::TIMETZ | oid::INTERVAL
        )
    };
    (zoned(from) != zoned(to) && dated(from) && dated(to)) || (textual(from) && dated(to)) || (dated(from) && textual(to))
}

impl<'a> Binder<'a> {
    /// An expression at a level of its own.
    fn lone(&mut self, expr: &'a ast::Expr, rel: Option<Rel>, purpose: Purpose) -> Result<Expr> {
        if let Some(rel) = rel {
            self.push_table_level(rel, purpose.clause());
        } else {
            let mut level = Level::new();
            level.clause = purpose.clause();
            self.levels.push(level);
        }
        let bound = self.expr(expr).map_err(|error| match purpose {
            Purpose::Default if error.code() == sqlstate::UNDEFINED_COLUMN => {
                let position = At::Expr(expr).position();
                let at = error.fields().position.unwrap_or(position);
                PgError::new(
                    sqlstate::FEATURE_NOT_SUPPORTED,
                    "cannot use column reference in DEFAULT expression",
                )
                .at(at)
            }
            _ => error,
        });
        let level = self.levels.pop();
        let bound = bound?;
        let has_sublinks = level.is_some_and(|level| level.has_sublinks);
        let place = match purpose {
            Purpose::Plain => return Ok(bound),
            Purpose::Default => "DEFAULT expression",
            Purpose::Check => "check constraint",
            Purpose::IndexKey => "index expression",
            Purpose::IndexPredicate => "index predicate",
            Purpose::Generated => "column generation expression",
            Purpose::CopyWhere => "COPY FROM WHERE condition",
        };
        if has_sublinks {
            return Err(
                PgError::new(sqlstate::FEATURE_NOT_SUPPORTED, format!("cannot use subquery in {place}"))
                    .at(first_query(expr, self)),
            );
        }
        Ok(bound)
    }

    fn fit_default(&mut self, bound: Expr, column: &Column, at: At<'_>) -> Result<Expr> {
        let from = bound.ty;
        match self.coerce_to(bound, CoercionTarget::assignment(column.ty, column.typmod), at)? {
            Some(expr) => Ok(expr),
            None => Err(PgError::new(
                sqlstate::DATATYPE_MISMATCH,
                format!(
                    "column \"{}\" is of type {} but default expression is of type {}",
                    column.name,
                    self.type_text(column.ty),
                    self.type_text(from)
                ),
            )
            .hint("You will need to rewrite or cast the expression.")),
        }
    }

    /// What a column is when no value is given.
    pub(super) fn column_default(&mut self, table: &Table, at: usize) -> Result<Expr> {
        let column = &table.columns[at];
        let null = |ty: Oid, typmod: i32| {
            let mut expr = Expr::constant(Value::Null, ty);
            expr.typmod = typmod;
            expr
        };
        if column.dropped || column.generated.is_some() {
            let ty = if column.dropped { oid::INT4 } else { column.ty };
            return Ok(null(ty, -1));
        }
        if column.identity.is_some() {
            let place = (table.oid, u16::try_from(at).unwrap_or(u16::MAX));
            let sequence = self
                .catalog
                .sequences()
                .find(|sequence| sequence.identity && sequence.owned_by == Some(place))
                .map(|sequence| sequence.oid)
                .ok_or_else(|| PgError::internal("an identity column without sequence"))?;
            let value = Expr::new(ExprKind::NextVal(sequence), oid::INT8);
            return self.fit_default(value, column, At::NONE);
        }
        let text = match &column.default {
            Some(text) => Some(text.clone()),
            None => self.domain_default(column.ty),
        };
        match text {
            Some(text) => {
                let bound = self.stored_alone(&text)?;
                self.fit_default(bound, column, At::NONE)
            }
            None if self.is_domain(column.ty) => {
                // A domain's checks see the null.
                let value = null(oid::UNKNOWN, -1);
                self.fit_default(value, column, At::NONE)
            }
            None => Ok(null(column.ty, column.typmod)),
        }
    }

    fn domain_default(&self, ty: Oid) -> Option<String> {
        if ty < Oid::FIRST_CATALOG {
            return None;
        }
        match &self.catalog.user_type(ty)?.kind {
            UserTypeKind::Domain { default, base, .. } => default.clone().or_else(|| self.domain_default(*base)),
            _ => None,
        }
    }

    /// A stored expression without columns.
    fn stored_alone(&mut self, text: &str) -> Result<Expr> {
        let mut params = ParamTypes::none();
        let mut cx = BindContext {
            catalog: self.catalog,
            path: self.path,
            env: self.env,
            host: self.host,
            params: &mut params,
        };
        bind_stored(&mut cx, text, None)
    }

    /// A stored expression over a rel of this level.
    pub(super) fn stored_expression(&mut self, text: &str, rel: usize) -> Result<Expr> {
        let columns = self.level_ref().rels[rel].clone();
        let mut params = ParamTypes::none();
        let mut cx = BindContext {
            catalog: self.catalog,
            path: self.path,
            env: self.env,
            host: self.host,
            params: &mut params,
        };
        let mut bound = bind_stored(&mut cx, text, Some(columns))?;
        renumber(&mut bound, rel);
        Ok(bound)
    }
}

fn renumber(expr: &mut Expr, to: usize) {
    if let ExprKind::Var { level: 0, rel, .. }
    | ExprKind::SystemVar { level: 0, rel, .. }
    | ExprKind::WholeRow { level: 0, rel } = &mut expr.kind
    {
        *rel = to;
    }
    super::walk::children_mut(expr, &mut |child| renumber(child, to));
}

/// Where the first sub-query of an expression opens.
fn first_query(expr: &ast::Expr, binder: &Binder<'_>) -> u32 {
    let mut found = 0;
    let _ = ast::visit_expressions(expr, |expr| {
        let query = match expr {
            ast::Expr::Subquery(query) => query,
            ast::Expr::Exists { subquery, .. } => subquery,
            _ => return std::ops::ControlFlow::<()>::Continue(()),
        };
        found = ast::Spanned::span(&**query).start.column;
        std::ops::ControlFlow::Break(())
    });
    let position = u32::try_from(found).unwrap_or(0);
    if position > 0 {
        binder.position_before(position, "(")
    } else {
        0
    }
}
