//! CREATE TABLE.

use std::sync::Arc;

use super::column::{self, Planned, Source};
use super::constraint::{self, Spec, SpecKind};
use super::context::DdlContext;
use super::like::{self, LikeParts};
use super::{exprs, foreign, options};
use crate::catalog::{Column, RowKey, Table};
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::lock::RelationMode;
use crate::parse::{CreateTable, OnCommit, Persistence, TableElement};

pub async fn create(ctx: &DdlContext<'_>, statement: &CreateTable) -> Result<String> {
    refuse_unsupported(statement)?;
    options::check_table(&statement.options)?;
    let tag = "CREATE TABLE".to_owned();
    let temporary = statement.persistence == Persistence::Temporary;
    let Some(mut table) = claim(ctx, &statement.name, statement.persistence, statement.if_not_exists).await? else {
        return Ok(tag);
    };
    refuse_on_commit(statement.on_commit, temporary)?;
    table.options = options::kept(&statement.options);

    let mut sources = Vec::new();
    let mut specs = Vec::new();
    let mut likes = Vec::new();
    for element in &statement.elements {
        match element {
            TableElement::Column(definition) => {
                let Planned { column, source } = column::plan(ctx, &table.name, definition)?;
                column::check_name(&column.name, &table.columns)?;
                sources.push((table.columns.len(), source));
                table.columns.push(column);
                specs.extend(constraint::of_column(definition));
            }
            TableElement::Constraint(constraint) => specs.push(constraint::of_table(constraint)?),
            TableElement::Like(clause) => likes.push(like::columns(ctx, clause, &mut table).await?),
        }
    }
    column::check_count(table.columns.len())?;
    check_specs(&table, &specs)?;
    let oid = table.oid;
    finish(ctx, table, sources, specs, likes).await?;
    ctx.lock(oid, RelationMode::AccessExclusive).await?;
    Ok(tag)
}

fn refuse_unsupported(statement: &CreateTable) -> Result<()> {
    let feature = if statement.of_type.is_some() {
        "CREATE TABLE OF"
    } else if !statement.inherits.is_empty() {
        "INHERITS"
    } else if statement.partitioned {
        "PARTITION BY"
    } else if statement.partition_of.is_some() {
        "PARTITION OF"
    } else {
        return access_method(statement.access_method.as_ref().map(|name| name.text.as_str()));
    };
    Err(PgError::unsupported(feature))
}

/// `heap` is what PostgreSQL calls its tables; there is one kind here.
pub fn access_method(name: Option<&str>) -> Result<()> {
    match name {
        None | Some("heap") => Ok(()),
        Some(other) => Err(PgError::new(
            sqlstate::UNDEFINED_OBJECT,
            format!("access method \"{other}\" does not exist"),
        )),
    }
}

pub fn refuse_on_commit(on_commit: OnCommit, temporary: bool) -> Result<()> {
    match on_commit {
        OnCommit::Preserve => Ok(()),
        _ if !temporary => Err(PgError::new(
            sqlstate::INVALID_TABLE_DEFINITION,
            "ON COMMIT can only be used on temporary tables",
        )),
        OnCommit::DeleteRows => Err(PgError::unsupported("ON COMMIT DELETE ROWS")),
        OnCommit::Drop => Err(PgError::unsupported("ON COMMIT DROP")),
    }
}

/// Takes the name and gives an empty table of it, not in the catalog yet; `None` where IF NOT EXISTS found one.
pub async fn claim(
    ctx: &DdlContext<'_>,
    name: &crate::parse::QName,
    persistence: Persistence,
    if_not_exists: bool,
) -> Result<Option<Table>> {
    let temporary = persistence == Persistence::Temporary;
    let schema = ctx.creation_schema(name, temporary).await?;
    let relation = name.name().clone();
    if let Err(error) = ctx.claim_relation(schema, &relation).await {
        if if_not_exists && error.code() == sqlstate::DUPLICATE_TABLE {
            ctx.skip(
                sqlstate::DUPLICATE_TABLE,
                format!("relation \"{relation}\" already exists, skipping"),
            );
            return Ok(None);
        }
        return Err(error);
    }
    if ctx.catalog().find_type(schema, &relation).is_some() {
        return Err(PgError::new(sqlstate::DUPLICATE_OBJECT, format!("type \"{relation}\" already exists"))
            .hint("A relation has an associated type of the same name, so you must use a name that doesn't conflict with any existing type."));
    }
    Ok(Some(Table {
        oid: ctx.new_oid(),
        schema,
        name: relation,
        owner: ctx.role,
        storage: ctx.txn.create_storage(),
        row_key: RowKey::RowId,
        columns: Vec::new(),
        constraints: Vec::new(),
        indexes: Vec::new(),
        row_type: ctx.new_oid(),
        array_type: ctx.new_oid(),
        temporary: temporary || ctx.is_temp_schema(schema),
        unlogged: persistence == Persistence::Unlogged,
        options: Vec::new(),
        virtual_source: None,
        acl: None,
    }))
}

/// A second PRIMARY KEY is told before anything else is looked at.
fn check_specs(table: &Table, specs: &[Spec<'_>]) -> Result<()> {
    let mut primaries = specs
        .iter()
        .filter(|spec| matches!(spec.kind, SpecKind::Key { primary: true, .. }));
    primaries.next();
    if let Some(second) = primaries.next() {
        return Err(PgError::new(
            sqlstate::INVALID_TABLE_DEFINITION,
            format!("multiple primary keys for table \"{}\" are not allowed", table.name),
        )
        .at(second.position));
    }
    if let Some(using) = specs.iter().find(|spec| matches!(spec.kind, SpecKind::KeyUsing { .. })) {
        return Err(PgError::new(
            sqlstate::FEATURE_NOT_SUPPORTED,
            "cannot use an existing index in CREATE TABLE",
        )
        .at(using.position));
    }
    Ok(())
}

/// Puts a table with all its columns into the catalog, and then everything that hangs on it, in PostgreSQL's order:
/// defaults, checks, keys (the primary key first), foreign keys.
async fn finish(
    ctx: &DdlContext<'_>,
    mut table: Table,
    sources: Vec<(usize, Source<'_>)>,
    specs: Vec<Spec<'_>>,
    likes: Vec<LikeParts>,
) -> Result<()> {
    // Sequences refer to the table; the catalog takes it in any order within the transaction.
    column::finish_sources(ctx, &mut table, sources).await?;
    for parts in &likes {
        like::sources(ctx, parts, &mut table).await?;
    }
    for spec in specs.iter().filter(|spec| matches!(spec.kind, SpecKind::Check { .. })) {
        constraint::add_check(ctx, &mut table, spec)?;
    }
    for parts in &likes {
        like::checks(ctx, parts, &mut table)?;
    }
    let keys = |primary: bool| {
        specs
            .iter()
            .filter(move |spec| matches!(&spec.kind, SpecKind::Key { primary: one, .. } if *one == primary))
    };
    for spec in keys(true).chain(keys(false)) {
        if is_repeated(&table, ctx, spec) {
            continue;
        }
        let index = constraint::add_key(ctx, &mut table, spec).await?;
        ctx.put_index(index)?;
    }
    for parts in &likes {
        like::indexes(ctx, parts, &mut table).await?;
    }
    ctx.put_table(table.clone())?;
    let mut changed = false;
    for spec in specs.iter().filter(|spec| matches!(spec.kind, SpecKind::Foreign { .. })) {
        foreign::add(ctx, &mut table, spec).await?;
        changed = true;
    }
    if changed {
        ctx.put_table(table.clone())?;
    }
    for parts in &likes {
        like::comments(ctx, parts, &table)?;
    }
    Ok(())
}

/// Two UNIQUE constraints over the same columns are one, as is one that repeats the primary key, unless it has a name.
fn is_repeated(table: &Table, ctx: &DdlContext<'_>, spec: &Spec<'_>) -> bool {
    let SpecKind::Key { columns, parameters, .. } = &spec.kind else {
        return false;
    };
    if spec.name.is_some() || !parameters.include.is_empty() {
        return false;
    }
    let catalog = ctx.catalog();
    catalog.indexes_of(table).any(|index| {
        index.include.is_empty()
            && index.nulls_not_distinct == parameters.nulls_not_distinct
            && index.keys.len() == columns.len()
            && index.keys.iter().zip(columns).all(|(key, name)| match key.expr {
                crate::catalog::IndexExpr::Column(at) => table.columns[usize::from(at)].name == name.text,
                crate::catalog::IndexExpr::Expression(_) => false,
            })
    })
}

/// A table from a query's columns (CREATE TABLE AS): in the catalog, empty.
pub fn put_plain(ctx: &DdlContext<'_>, mut table: Table, columns: Vec<Column>) -> Result<Arc<Table>> {
    column::check_count(columns.len())?;
    for column in columns {
        column::check_name(&column.name, &table.columns)?;
        column::check_type(ctx, column.ty, &column.name)?;
        table.columns.push(column);
    }
    ctx.put_table(table)
}

/// A column of a query's result, as a table takes it.
pub fn result_column(name: smol_str::SmolStr, ty: Oid, typmod: i32) -> Column {
    let ty = if ty == crate::types::oid::UNKNOWN {
        crate::types::oid::TEXT
    } else {
        ty
    };
    Column {
        collation: exprs::collation_of(ty),
        ..column::plain(name, ty, typmod)
    }
}
