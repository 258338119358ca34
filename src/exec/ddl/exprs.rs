//! Expressions in definitions: bound against the table, kept as canonical text, run over its rows.

use std::sync::Arc;

use smol_str::SmolStr;
use sqlparser::ast;

use super::context::DdlContext;
use crate::bind::scalar::{Purpose, table_rel};
use crate::bind::tree::{Expr, ExprKind};
use crate::bind::walk::children_mut;
use crate::bind::{self, BindContext, Binder, ParamTypes, deparse};
use crate::catalog::{CatalogNames, Column, SearchPath, Table, UserTypeKind};
use crate::error::{PgError, Result, sqlstate};
use crate::exec::ExecContext;
use crate::exec::context::ExecSession;
use crate::ids::Oid;
use crate::lock::RelationMode;
use crate::parse::{ExprText, Parsed, Statement, TypeName};
use crate::plan::node::{Estimate, Node, NodeKind, PlanKind, ResultNode};
use crate::plan::walk::any_expr;
use crate::plan::{self, Plan, PlanContext};
use crate::txn::Wait;
use crate::types::oid;

/// A plan that gives one empty row: for contexts that only evaluate and write.
pub fn empty_plan() -> Arc<Plan> {
    let result = ResultNode {
        exprs: Vec::new(),
        condition: None,
        input: None,
    };
    let root = Arc::new(Node {
        kind: NodeKind::Result(Arc::new(result)),
        width: 0,
        estimate: Estimate::default(),
        id: 0,
        reads: Box::default(),
    });
    Arc::new(Plan {
        root,
        kind: PlanKind::Select,
        columns: Vec::new(),
        param_types: Arc::from([]),
        ctes: Vec::new(),
        slots: Vec::new(),
        outer_count: 0,
        scan_count: 0,
        relations: Vec::new(),
        catalog_version: 0,
        writes: false,
        locks_rows: false,
        node_count: 1,
        point: false,
    })
}

/// What a run of `plan` carries.
pub fn exec_context(ctx: &DdlContext<'_>, plan: &Arc<Plan>) -> Result<ExecContext> {
    let session = ExecSession {
        txn: Arc::clone(ctx.txn),
        view: ctx.txn.statement_view()?,
        params: Arc::from([]),
        settings: Arc::clone(&ctx.settings),
        names: Arc::clone(&ctx.names),
        host: Arc::clone(&ctx.host),
        catalog: ctx.catalog(),
        cancel: Arc::clone(&ctx.cancel),
        timeouts: ctx.timeouts,
        now_micros: ctx.now_micros,
        work_mem: ctx.work_mem,
    };
    Ok(ExecContext::new(plan, session))
}

/// Runs `run` with what binding needs; no parameters may appear.
pub fn with_bind<T>(ctx: &DdlContext<'_>, run: impl FnOnce(&mut BindContext<'_>) -> Result<T>) -> Result<T> {
    let catalog = ctx.catalog();
    let path = ctx.path(&catalog);
    let mut params = ParamTypes::none();
    let mut cx = BindContext {
        catalog: &catalog,
        path: &path,
        env: ctx.env(),
        host: &*ctx.host,
        params: &mut params,
    };
    run(&mut cx)
}

/// A type as written.
pub fn resolve_type(ctx: &DdlContext<'_>, name: &TypeName) -> Result<(Oid, i32)> {
    if name.setof {
        return Err(PgError::new(sqlstate::INVALID_TABLE_DEFINITION, "column cannot be declared SETOF").at(name.position));
    }
    with_bind(ctx, |cx| Binder::new(cx, None).resolve_type(name))
}

/// The canonical text of a bound expression, with every name outside `pg_catalog` qualified: it means the same under any
/// search path.
pub fn text(ctx: &DdlContext<'_>, expr: &Expr, table: Option<&Table>) -> String {
    let catalog = ctx.catalog();
    let path = SearchPath::system();
    let names = CatalogNames {
        catalog: &catalog,
        path: &path,
    };
    let env = crate::types::TypeEnv {
        settings: &ctx.settings,
        names: &names,
        now_micros: ctx.now_micros,
    };
    let columns: Vec<SmolStr> = table
        .map(|table| table.columns.iter().map(|column| column.name.clone()).collect())
        .unwrap_or_default();
    deparse::expression(expr, &columns, &deparse::Names { catalog: &catalog, env })
}

/// A column's DEFAULT, coerced to its type: the bound expression and its text.
pub fn default_value(ctx: &DdlContext<'_>, column: &Column, expr: &ast::Expr) -> Result<(Expr, String)> {
    let (bound, _) = with_bind(ctx, |cx| bind::bind_default(cx, ctx.parsed, expr, column))?;
    let text = text(ctx, &bound, None);
    Ok((bound, text))
}

/// The same for a text of the catalog.
pub fn stored_default(ctx: &DdlContext<'_>, column: &Column, text: &str) -> Result<Expr> {
    let expr = crate::parse::parse_expression(text)?;
    with_bind(ctx, |cx| bind::bind_default(cx, None, &expr, column)).map(|(bound, _)| bound)
}

/// What a column is when no value is given; `None` for null.
pub fn column_default(ctx: &DdlContext<'_>, table: &Table, at: usize) -> Result<Option<Expr>> {
    let column = &table.columns[at];
    let catalog = ctx.catalog();
    if column.identity.is_some() {
        let owned = super::sequence::owned_by_column(&catalog, table.oid, super::column::place(at))
            .ok_or_else(|| PgError::internal("an identity column without sequence"))?;
        return stored_default(ctx, column, &super::column::nextval(ctx, owned.oid)).map(Some);
    }
    let mut text = column.default.clone();
    let mut ty = column.ty;
    while text.is_none()
        && let Some(found) = catalog.user_type(ty)
        && let UserTypeKind::Domain { base, default, .. } = &found.kind
    {
        text.clone_from(default);
        ty = *base;
    }
    text.map(|text| stored_default(ctx, column, &text)).transpose()
}

/// GENERATED ALWAYS AS (...).
pub fn generated(ctx: &DdlContext<'_>, table: &Arc<Table>, column: &Column, expr: &ExprText) -> Result<String> {
    let (bound, _) = with_bind(ctx, |cx| {
        bind::bind_index_expr(cx, ctx.parsed, &expr.expr, table_rel(table), Purpose::Generated)
    })?;
    for other in columns_of(&bound) {
        let other = &table.columns[usize::from(other)];
        if other.generated.is_some() || other.name == column.name {
            return Err(PgError::new(
                sqlstate::INVALID_OBJECT_DEFINITION,
                format!(
                    "cannot use generated column \"{}\" in column generation expression",
                    other.name
                ),
            )
            .detail("A generated column cannot reference another generated column.")
            .at(expr.position));
        }
    }
    Ok(text(ctx, &bound, Some(table)))
}

/// CHECK (...): bound, with its text and the columns that it names.
pub fn check(ctx: &DdlContext<'_>, table: &Arc<Table>, expr: &ast::Expr) -> Result<(Expr, String, Vec<u16>)> {
    let (bound, _, columns) = with_bind(ctx, |cx| bind::bind_check(cx, ctx.parsed, expr, table_rel(table)))?;
    let text = text(ctx, &bound, Some(table));
    Ok((bound, text, columns))
}

/// An index's expression.
pub fn index_expr(ctx: &DdlContext<'_>, table: &Arc<Table>, expr: &ast::Expr) -> Result<(Expr, String)> {
    let (bound, _) = with_bind(ctx, |cx| {
        bind::bind_index_expr(cx, ctx.parsed, expr, table_rel(table), Purpose::IndexKey)
    })?;
    let text = text(ctx, &bound, Some(table));
    Ok((bound, text))
}

/// A partial index's predicate.
pub fn index_predicate(ctx: &DdlContext<'_>, table: &Arc<Table>, expr: &ast::Expr) -> Result<String> {
    let (bound, _) = with_bind(ctx, |cx| {
        bind::bind_index_expr(cx, ctx.parsed, expr, table_rel(table), Purpose::IndexPredicate)
    })?;
    Ok(text(ctx, &bound, Some(table)))
}

/// A condition over a table's rows (COPY ... WHERE), ready to run.
pub fn copy_condition(ctx: &DdlContext<'_>, table: &Arc<Table>, expr: &ast::Expr) -> Result<Expr> {
    let (bound, _) = with_bind(ctx, |cx| {
        bind::bind_index_expr(cx, ctx.parsed, expr, table_rel(table), Purpose::CopyWhere)
    })?;
    Ok(over_row(bound))
}

/// An expression of the catalog over a table's columns, said again with the names of `renamed`.
pub fn said_again(ctx: &DdlContext<'_>, table: &Arc<Table>, renamed: &Table, text: &str) -> Result<String> {
    let bound = with_bind(ctx, |cx| bind::scalar::bind_stored(cx, text, Some(table_rel(table))))?;
    Ok(self::text(ctx, &bound, Some(renamed)))
}

/// `ALTER COLUMN ... TYPE ... [USING ...]`: what makes the new value, ready to run over the old row; `None` where the
/// types do not fit without an explicit cast.
pub fn conversion(
    ctx: &DdlContext<'_>,
    table: &Arc<Table>,
    column: usize,
    to: (Oid, i32),
    using: Option<&ExprText>,
) -> Result<Option<Expr>> {
    let own = ast::Expr::Identifier(ast::Ident::new(table.columns[column].name.as_str()));
    let expr = using.map_or(&own, |using| &using.expr);
    let rel = table_rel(table);
    let bound = with_bind(ctx, |cx| bind::scalar::bind_assigned(cx, ctx.parsed, expr, rel, to))?;
    Ok(bound.map(over_row))
}

/// Columns (0-based, ascending) that an expression bound over one table names.
pub fn columns_of(expr: &Expr) -> Vec<u16> {
    let mut columns = Vec::new();
    any_expr(expr, &mut |part| {
        if let ExprKind::Var { column, .. } | ExprKind::Input(column) = part.kind
            && let Ok(column) = u16::try_from(column)
            && !columns.contains(&column)
        {
            columns.push(column);
        }
        false
    });
    columns.sort_unstable();
    columns
}

/// An expression over one table's columns as one over its whole row.
pub fn over_row(mut expr: Expr) -> Expr {
    fn go(expr: &mut Expr) {
        if let ExprKind::Var { column, .. } = expr.kind {
            expr.kind = ExprKind::Input(column);
            return;
        }
        children_mut(expr, &mut go);
    }
    go(&mut expr);
    expr
}

/// Whether a call in it may give different results for the same arguments; with `stable_too` false STABLE counts as such.
pub fn is_mutable(expr: &Expr, stable_is_fine: bool) -> bool {
    use crate::functions::Volatility;
    any_expr(expr, &mut |part| match &part.kind {
        ExprKind::Call(call) => match call.function.volatility {
            Volatility::Immutable => false,
            Volatility::Stable => !stable_is_fine,
            Volatility::Volatile => true,
        },
        ExprKind::NextVal(_) => true,
        _ => false,
    })
}

/// A query's plan, with the locks of everything that it names held.
pub async fn plan_query(ctx: &DdlContext<'_>, parsed: &Parsed) -> Result<Arc<Plan>> {
    loop {
        let catalog = ctx.catalog();
        let plan = plan_once(ctx, &catalog, parsed)?;
        for relation in &plan.relations {
            ctx.txn
                .lock_relation(
                    relation.oid,
                    relation.mode.max(RelationMode::AccessShare),
                    Wait::Block,
                    &ctx.timeouts,
                )
                .await?;
        }
        if Arc::ptr_eq(&ctx.catalog(), &catalog) {
            return Ok(plan);
        }
    }
}

fn plan_once(ctx: &DdlContext<'_>, catalog: &Arc<crate::catalog::Catalog>, parsed: &Parsed) -> Result<Arc<Plan>> {
    let Statement::Sql(statement) = &parsed.statement else {
        return Err(PgError::unsupported("a utility statement in this place"));
    };
    let path = ctx.path(catalog);
    let mut params = ParamTypes::none();
    let mut cx = BindContext {
        catalog,
        path: &path,
        env: ctx.env(),
        host: &*ctx.host,
        params: &mut params,
    };
    let query = bind::bind_query(&mut cx, parsed, statement)?;
    let cx = PlanContext {
        catalog,
        env: ctx.env(),
        host: &*ctx.host,
        param_types: Arc::from([]),
    };
    Ok(Arc::new(plan::plan(&query, &cx)?))
}

/// The text type's collation, or none.
pub fn collation_of(ty: Oid) -> Oid {
    const DEFAULT_COLLATION: Oid = Oid(100);
    const C_COLLATION: Oid = Oid(950);
    match ty {
        oid::TEXT | oid::VARCHAR | oid::BPCHAR | oid::TEXT_ARRAY | oid::VARCHAR_ARRAY | oid::BPCHAR_ARRAY => DEFAULT_COLLATION,
        oid::NAME | oid::NAME_ARRAY => C_COLLATION,
        _ => Oid::INVALID,
    }
}
