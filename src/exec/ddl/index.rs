//! CREATE INDEX and ALTER INDEX.

use std::sync::Arc;

use smol_str::SmolStr;
use sqlparser::ast;

use super::column::place;
use super::constraint::{joined, orderable};
use super::context::{DdlContext, free_name, gone};
use super::{build, exprs, options};
use crate::catalog::{Index, IndexExpr, IndexKey, RelationRef, Table};
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::limits;
use crate::lock::RelationMode;
use crate::parse::{AlterIndex, AlterIndexAction, CreateIndex, IndexElement, ident_name};
use crate::types::info;

pub async fn create(ctx: &DdlContext<'_>, statement: &CreateIndex) -> Result<String> {
    let tag = "CREATE INDEX".to_owned();
    let mode = if statement.concurrently {
        RelationMode::ShareUpdateExclusive
    } else {
        RelationMode::Share
    };
    // CONCURRENTLY is built like any other index: writers must stay out meanwhile.
    let mode = mode.max(RelationMode::Share);
    let oid = ctx.require_locked(&statement.table.name, mode).await?;
    let table = indexable(ctx, oid)?;
    ctx.must_own_table(&table)?;
    let method = method_of(statement)?;
    options::check_index(&statement.options)?;
    let mut index = define(ctx, statement, &table, method)?;
    index.name = if let Some(name) = &statement.name {
        name.text.clone()
    } else {
        let names = column_names(&table, &index);
        let names: Vec<&str> = names.iter().map(SmolStr::as_str).collect();
        let catalog = ctx.catalog();
        free_name(&table.name, Some(&joined(&names)), "idx", |name| {
            catalog.find_relation(table.schema, name).is_some()
        })
    };
    if let Err(error) = ctx.claim_relation(table.schema, &index.name).await {
        if statement.if_not_exists && error.code() == sqlstate::DUPLICATE_TABLE {
            ctx.skip(
                sqlstate::DUPLICATE_TABLE,
                format!("relation \"{}\" already exists, skipping", index.name),
            );
            return Ok(tag);
        }
        return Err(error);
    }
    let oid = index.oid;
    ctx.put_index(index)?;
    let mut next = Table::clone(&table);
    next.indexes.push(oid);
    let next = ctx.put_table(next)?;
    build::fill_indexes(ctx, &next, &[oid]).await?;
    Ok(tag)
}

fn indexable(ctx: &DdlContext<'_>, oid: Oid) -> Result<Arc<Table>> {
    let catalog = ctx.catalog();
    match catalog.relation(oid) {
        Some(RelationRef::Table(table)) => Ok(Arc::clone(table)),
        Some(other) => {
            let what = match other {
                RelationRef::Index(_) => "indexes",
                RelationRef::Sequence(_) => "sequences",
                _ => "views",
            };
            Err(PgError::new(
                sqlstate::WRONG_OBJECT_TYPE,
                format!("cannot create index on relation \"{}\"", other.name()),
            )
            .detail(format!("This operation is not supported for {what}.")))
        }
        None => Err(gone(oid)),
    }
}

fn method_of(statement: &CreateIndex) -> Result<&str> {
    let method = statement.method.as_ref().map_or("btree", |name| name.text.as_str());
    let refuse = |what: &str| {
        Err(PgError::new(
            sqlstate::FEATURE_NOT_SUPPORTED,
            format!("access method \"{method}\" does not support {what}"),
        ))
    };
    match method {
        "btree" => Ok(method),
        "hash" if statement.unique => refuse("unique indexes"),
        "hash" if statement.elements.len() > 1 => refuse("multicolumn indexes"),
        "hash" if !statement.include.is_empty() => refuse("included columns"),
        "hash" => Ok(method),
        "gin" | "gist" | "brin" | "spgist" => Err(PgError::unsupported(format!("index access method {method}"))),
        other => Err(PgError::new(
            sqlstate::UNDEFINED_OBJECT,
            format!("access method \"{other}\" does not exist"),
        )),
    }
}

/// The index without its name.
fn define(ctx: &DdlContext<'_>, statement: &CreateIndex, table: &Arc<Table>, method: &str) -> Result<Index> {
    if statement.elements.len() + statement.include.len() > limits::INDEX_COLUMNS_MAX {
        return Err(PgError::new(
            sqlstate::TOO_MANY_COLUMNS,
            format!("cannot use more than {} columns in an index", limits::INDEX_COLUMNS_MAX),
        ));
    }
    let predicate = match &statement.selection {
        Some(selection) => Some(exprs::index_predicate(ctx, table, &selection.expr)?),
        None => None,
    };
    let keys = statement
        .elements
        .iter()
        .map(|element| key(ctx, table, element, method))
        .collect::<Result<Vec<_>>>()?;
    let include = statement
        .include
        .iter()
        .map(|name| match table.column(&name.text) {
            Some((at, _)) => Ok(place(at)),
            None => Err(no_column(&name.text)),
        })
        .collect::<Result<Vec<_>>>()?;
    Ok(Index {
        oid: ctx.new_oid(),
        schema: table.schema,
        name: SmolStr::default(),
        table: table.oid,
        storage: Some(ctx.txn.create_storage()),
        unique: statement.unique,
        primary: false,
        nulls_not_distinct: statement.nulls_not_distinct,
        deferrable: false,
        keys,
        include,
        predicate,
        constraint: None,
        method: SmolStr::new(method),
        valid: true,
        options: options::kept(&statement.options),
    })
}

fn no_column(name: &str) -> PgError {
    PgError::new(sqlstate::UNDEFINED_COLUMN, format!("column \"{name}\" does not exist"))
}

fn plain_column(expr: &ast::Expr) -> Option<SmolStr> {
    match expr {
        ast::Expr::Identifier(ident) => Some(ident_name(ident)),
        ast::Expr::Nested(inner) => plain_column(inner),
        _ => None,
    }
}

fn key(ctx: &DdlContext<'_>, table: &Arc<Table>, element: &IndexElement, method: &str) -> Result<IndexKey> {
    let (expr, ty, mut collation) = if let Some(name) = plain_column(&element.expr) {
        let (at, column) = table.column(&name).ok_or_else(|| no_column(&name))?;
        (IndexExpr::Column(place(at)), column.ty, column.collation)
    } else {
        let (bound, text) = exprs::index_expr(ctx, table, &element.expr)?;
        (IndexExpr::Expression(text), bound.ty, exprs::collation_of(bound.ty))
    };
    if let Some(named) = &element.collation {
        collation = match named.name().as_str() {
            "default" => Oid(100),
            "C" => Oid(950),
            "POSIX" => Oid(951),
            other => {
                return Err(PgError::new(
                    sqlstate::UNDEFINED_OBJECT,
                    format!("collation \"{other}\" for encoding \"UTF8\" does not exist"),
                )
                .at(named.position));
            }
        };
    }
    let opclass = if let Some(name) = &element.opclass {
        opclass_named(name.name(), method)?
    } else {
        orderable(ctx, ty, method)?;
        None
    };
    if method == "hash" && (element.descending || element.nulls_first.is_some()) {
        let what = if element.descending { "ASC/DESC" } else { "NULLS FIRST/LAST" };
        return Err(PgError::new(
            sqlstate::FEATURE_NOT_SUPPORTED,
            format!("access method \"hash\" does not support {what} options"),
        ));
    }
    Ok(IndexKey {
        expr,
        ty,
        descending: element.descending,
        nulls_first: element.nulls_first.unwrap_or(element.descending),
        collation,
        opclass,
    })
}

/// The operator class where it is not the type's default one. All of btree's order text by bytes here.
fn opclass_named(name: &str, method: &str) -> Result<Option<SmolStr>> {
    let pattern = matches!(name, "text_pattern_ops" | "varchar_pattern_ops" | "bpchar_pattern_ops");
    let known = pattern
        || name.strip_suffix("_ops").is_some_and(|ty| {
            matches!(ty, "array" | "enum" | "record" | "cidr" | "datetime" | "integer" | "float") || info::by_name(ty).is_some()
        });
    if !known {
        return Err(PgError::new(
            sqlstate::UNDEFINED_OBJECT,
            format!("operator class \"{name}\" does not exist for access method \"{method}\""),
        ));
    }
    Ok(pattern.then(|| SmolStr::new(name)))
}

/// Names of an index's columns, included ones too (`ChooseIndexColumnNames`): an expression is named after its function,
/// or `expr`, and repeated names get numbers.
pub fn column_names(table: &Table, index: &Index) -> Vec<SmolStr> {
    let mut names: Vec<SmolStr> = Vec::new();
    let include = index.include.iter().map(|at| IndexExpr::Column(*at));
    for expr in index.keys.iter().map(|key| key.expr.clone()).chain(include) {
        let base = match &expr {
            IndexExpr::Column(at) => table.columns[usize::from(*at)].name.clone(),
            IndexExpr::Expression(text) => expression_name(text),
        };
        let mut name = base.clone();
        let mut number = 0;
        while names.contains(&name) {
            number += 1;
            name = SmolStr::from(format!("{base}{number}"));
        }
        names.push(name);
    }
    names
}

fn expression_name(text: &str) -> SmolStr {
    fn of(expr: &ast::Expr) -> Option<SmolStr> {
        match expr {
            ast::Expr::Function(function) => function.name.0.last()?.as_ident().map(ident_name),
            ast::Expr::Nested(inner) => of(inner),
            ast::Expr::Cast { expr, .. } | ast::Expr::Collate { expr, .. } => of(expr),
            ast::Expr::Case { .. } => Some(SmolStr::new("case")),
            _ => None,
        }
    }
    let parsed = crate::parse::parse_expression(text).ok();
    parsed.as_ref().and_then(of).unwrap_or_else(|| SmolStr::new("expr"))
}

/// The index of a name, with its table locked.
pub async fn require(ctx: &DdlContext<'_>, name: &crate::parse::QName, mode: RelationMode) -> Result<Option<Arc<Index>>> {
    loop {
        let Some(oid) = ctx.find(name) else { return Ok(None) };
        let catalog = ctx.catalog();
        let index = match catalog.relation(oid) {
            Some(RelationRef::Index(index)) => Arc::clone(index),
            Some(other) => {
                return Err(PgError::new(
                    sqlstate::WRONG_OBJECT_TYPE,
                    format!("\"{}\" is not an index", other.name()),
                ));
            }
            None => return Ok(None),
        };
        // The table first, as everybody who writes it does.
        ctx.lock(index.table, mode).await?;
        ctx.lock(oid, mode).await?;
        if ctx.find(name) == Some(oid) {
            return Ok(ctx.catalog().index(oid).cloned());
        }
    }
}

pub async fn alter(ctx: &DdlContext<'_>, statement: &AlterIndex) -> Result<String> {
    let tag = "ALTER INDEX".to_owned();
    let Some(index) = require(ctx, &statement.name, RelationMode::ShareUpdateExclusive).await? else {
        if statement.if_exists {
            ctx.skip(
                sqlstate::UNDEFINED_TABLE,
                format!("relation \"{}\" does not exist, skipping", statement.name),
            );
            return Ok(tag);
        }
        return Err(ctx.missing_relation(&statement.name));
    };
    let table = ctx.table(index.table)?;
    ctx.must_own(table.owner, "index", &index.name)?;
    match &statement.action {
        AlterIndexAction::RenameTo(name) => super::rename::rename_index(ctx, &index, &name.text).await?,
        AlterIndexAction::SetOptions(items) => {
            options::check_index(items)?;
            let mut next = Index::clone(&index);
            options::set(&mut next.options, items);
            ctx.put_index(next)?;
        }
        AlterIndexAction::ResetOptions(items) => {
            let mut next = Index::clone(&index);
            options::reset(&mut next.options, items);
            ctx.put_index(next)?;
        }
        AlterIndexAction::SetTablespace(_) => return Err(PgError::unsupported("SET TABLESPACE")),
        AlterIndexAction::Other(what) => return Err(PgError::unsupported(format!("ALTER INDEX {what}"))),
    }
    Ok(tag)
}
