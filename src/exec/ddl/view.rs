//! CREATE VIEW, and the texts of views when what they read gets another name.

use std::sync::Arc;

use super::column::{check_name, check_type};
use super::context::{DdlContext, exists};
use super::options;
use super::table::result_column;
use crate::bind::tree::{Expr, ExprKind, Query, RelKind};
use crate::bind::walk::{Step, walk_query};
use crate::bind::{self, BindContext, ParamTypes, deparse};
use crate::catalog::{Catalog, CatalogNames, Column, RelationRef, SearchPath, View};
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::lock::RelationMode;
use crate::parse::{CreateView, Parsed, Statement, quote_identifier};
use crate::types::TypeEnv;
use crate::types::info::format_type;

pub async fn create(ctx: &DdlContext<'_>, statement: &CreateView) -> Result<String> {
    let tag = "CREATE VIEW".to_owned();
    if statement.check_option.is_some() {
        return Err(PgError::unsupported("WITH CHECK OPTION"));
    }
    if has_into(&statement.query.query) {
        return Err(PgError::new(
            sqlstate::FEATURE_NOT_SUPPORTED,
            "views must not contain SELECT INTO",
        ));
    }
    options::check_view(&statement.options)?;
    let (query, depends_on) = if statement.recursive {
        bound(ctx, &recursive(statement)?).await?
    } else {
        bound(ctx, &statement.query.parsed).await?
    };
    let reads_temporary = {
        let catalog = ctx.catalog();
        depends_on
            .iter()
            .any(|oid| catalog.relation(*oid).is_some_and(|one| ctx.is_temp_schema(one.schema())))
    };
    if reads_temporary && !statement.temporary {
        ctx.notice(PgError::new(
            sqlstate::SUCCESSFUL_COMPLETION,
            format!("view \"{}\" will be a temporary view", statement.name.name()),
        ));
    }
    let columns = columns(ctx, &query, statement)?;
    let schema = ctx
        .creation_schema(&statement.name, statement.temporary || reads_temporary)
        .await?;
    let name = statement.name.name();
    ctx.lock_name(super::context::CLASS_RELATION, schema, name).await?;
    let before = ctx.catalog().find_relation(schema, name);
    let mut view = View {
        oid: ctx.new_oid(),
        schema,
        name: name.clone(),
        owner: ctx.role,
        query: text(ctx, &ctx.catalog(), &query),
        columns,
        row_type: ctx.new_oid(),
        depends_on,
        options: options::kept(&statement.options),
    };
    if let Some(oid) = before {
        if !statement.or_replace {
            return Err(exists(name));
        }
        replace(ctx, oid, &mut view).await?;
    }
    ctx.put_view(view)?;
    Ok(tag)
}

/// `CREATE RECURSIVE VIEW v (a) AS query` is `WITH RECURSIVE v (a) AS (query) SELECT a FROM v`.
fn recursive(statement: &CreateView) -> Result<Parsed> {
    let name = quote_identifier(statement.name.name());
    let columns: Vec<String> = statement
        .columns
        .iter()
        .map(|column| quote_identifier(&column.text))
        .collect();
    let columns = columns.join(", ");
    let query = &statement.query.text;
    crate::parse::parse_query(&format!(
        "WITH RECURSIVE {name} ({columns}) AS ({query}) SELECT {columns} FROM {name}"
    ))
}

fn has_into(query: &sqlparser::ast::Query) -> bool {
    matches!(&*query.body, sqlparser::ast::SetExpr::Select(select) if select.into.is_some())
}

/// OR REPLACE: old columns stay as they are, new ones may follow.
async fn replace(ctx: &DdlContext<'_>, oid: Oid, view: &mut View) -> Result<()> {
    ctx.lock(oid, RelationMode::AccessExclusive).await?;
    let catalog = ctx.catalog();
    let old = match catalog.relation(oid) {
        Some(RelationRef::View(old)) => Arc::clone(old),
        Some(other) => {
            return Err(PgError::new(
                sqlstate::WRONG_OBJECT_TYPE,
                format!("\"{}\" is not a view", other.name()),
            ));
        }
        None => return Err(super::context::gone(oid)),
    };
    ctx.must_own(old.owner, "view", &old.name)?;
    let refuse = |message: String| Err(PgError::new(sqlstate::INVALID_TABLE_DEFINITION, message));
    if view.columns.len() < old.columns.len() {
        return refuse("cannot drop columns from view".to_owned());
    }
    for (before, after) in old.columns.iter().zip(&view.columns) {
        if before.name != after.name {
            return refuse(format!(
                "cannot change name of view column \"{}\" to \"{}\"",
                before.name, after.name
            ))
            .map_err(|error| error.hint("Use ALTER VIEW ... RENAME COLUMN ... to change name of view column instead."));
        }
        if before.ty != after.ty || before.typmod != after.typmod {
            let shown = |column: &Column| format_type(column.ty, column.typmod, &*ctx.names);
            return refuse(format!(
                "cannot change data type of view column \"{}\" from {} to {}",
                before.name,
                shown(before),
                shown(after)
            ));
        }
    }
    if depends_on(&catalog, &view.depends_on, oid) {
        return refuse(format!("infinite recursion detected in rules for relation \"{}\"", view.name));
    }
    view.oid = old.oid;
    view.row_type = old.row_type;
    view.owner = old.owner;
    Ok(())
}

/// Whether any of `relations` reads `target`, directly or through views.
fn depends_on(catalog: &Catalog, relations: &[Oid], target: Oid) -> bool {
    relations.iter().any(|oid| {
        *oid == target
            || catalog
                .view(*oid)
                .is_some_and(|view| depends_on(catalog, &view.depends_on, target))
    })
}

/// A view's query, bound, with the relations that it names locked.
async fn bound(ctx: &DdlContext<'_>, parsed: &Parsed) -> Result<(Query, Vec<Oid>)> {
    loop {
        let catalog = ctx.catalog();
        let path = ctx.path(&catalog);
        let query = bind(ctx, &catalog, &path, parsed)?;
        let reads = reads(&query);
        for oid in reads.iter().filter(|oid| catalog.relation(**oid).is_some()) {
            ctx.lock(*oid, RelationMode::AccessShare).await?;
        }
        if Arc::ptr_eq(&ctx.catalog(), &catalog) {
            return Ok((query, reads));
        }
    }
}

fn bind(ctx: &DdlContext<'_>, catalog: &Arc<Catalog>, path: &SearchPath, parsed: &Parsed) -> Result<Query> {
    let Statement::Sql(statement) = &parsed.statement else {
        return Err(PgError::internal("a view's query is no query"));
    };
    let mut params = ParamTypes::none();
    let mut cx = BindContext {
        catalog,
        path,
        env: ctx.env(),
        host: &*ctx.host,
        params: &mut params,
    };
    bind::bind_query(&mut cx, parsed, statement)
}

/// The result's columns, named by the statement as far as it does.
fn columns(ctx: &DdlContext<'_>, query: &Query, statement: &CreateView) -> Result<Vec<Column>> {
    let output = bind::output_columns(query);
    if statement.columns.len() > output.len() {
        return Err(PgError::new(
            sqlstate::SYNTAX_ERROR,
            "CREATE VIEW specifies more column names than columns",
        ));
    }
    let mut columns: Vec<Column> = Vec::with_capacity(output.len());
    for (at, column) in output.into_iter().enumerate() {
        let name = statement.columns.get(at).map_or(column.name, |name| name.text.clone());
        check_name(&name, &columns)?;
        check_type(
            ctx,
            if column.ty == crate::types::oid::UNKNOWN {
                crate::types::oid::TEXT
            } else {
                column.ty
            },
            &name,
        )?;
        columns.push(result_column(name, column.ty, column.typmod));
    }
    Ok(columns)
}

/// Relations and types that a query names, without what views among them read.
fn reads(query: &Query) -> Vec<Oid> {
    let mut out = Vec::new();
    collect(query, &mut out);
    out
}

fn add(out: &mut Vec<Oid>, oid: Oid) {
    if oid.0 >= Oid::FIRST_USER.0 && !out.contains(&oid) {
        out.push(oid);
    }
}

fn collect(query: &Query, out: &mut Vec<Oid>) {
    for rel in &query.rels {
        match &rel.kind {
            RelKind::Table { table, .. } => add(out, table.oid),
            RelKind::Sequence(sequence) => add(out, sequence.oid),
            RelKind::Subquery { view: Some(view), .. } => add(out, *view),
            RelKind::Subquery { query, view: None } => collect(query, out),
            RelKind::Values(_) | RelKind::Functions { .. } | RelKind::Cte { .. } | RelKind::Join => {}
        }
    }
    for cte in &query.ctes {
        collect(&cte.query, out);
    }
    walk_query(query, 0, &mut |expr: &Expr, _| {
        add(out, expr.ty);
        match &expr.kind {
            ExprKind::SubLink(link) => {
                collect(&link.query, out);
                Step::Into
            }
            ExprKind::NextVal(sequence) => {
                add(out, *sequence);
                Step::Into
            }
            _ => Step::Into,
        }
    });
}

/// The text of a query, every name qualified, with the names that `catalog` has for what it reads.
fn text(ctx: &DdlContext<'_>, catalog: &Arc<Catalog>, query: &Query) -> String {
    let path = SearchPath::system();
    let names = CatalogNames { catalog, path: &path };
    let env = TypeEnv {
        settings: &ctx.settings,
        names: &names,
        now_micros: ctx.now_micros,
    };
    deparse::query(query, &deparse::Names { catalog, env })
}

/// Views that read a relation, with their queries bound while it still has its old name.
pub fn reading(ctx: &DdlContext<'_>, oid: Oid) -> Result<Vec<(Arc<View>, Query)>> {
    let catalog = ctx.catalog();
    let path = SearchPath::system();
    catalog
        .user_views()
        .filter(|view| view.depends_on.contains(&oid))
        .map(|view| {
            let parsed = crate::parse::parse_query(&view.query)?;
            Ok((Arc::clone(view), bind(ctx, &catalog, &path, &parsed)?))
        })
        .collect()
}

/// Puts the views back with the names of now.
pub fn say_again(ctx: &DdlContext<'_>, views: Vec<(Arc<View>, Query)>) -> Result<()> {
    for (view, query) in views {
        let catalog = ctx.catalog();
        let query = text(ctx, &catalog, &query);
        ctx.put_view(View {
            query,
            ..View::clone(&view)
        })?;
    }
    Ok(())
}

/// Whether a view's query can be bound against a catalog.
pub fn is_readable(ctx: &DdlContext<'_>, catalog: &Arc<Catalog>, view: &View) -> bool {
    let path = SearchPath::system();
    crate::parse::parse_query(&view.query).is_ok_and(|parsed| bind(ctx, catalog, &path, &parsed).is_ok())
}
