//! CREATE TABLE AS and SELECT INTO.

use std::sync::Arc;

use super::build::busy;
use super::context::DdlContext;
use super::exprs::{exec_context, plan_query};
use super::options;
use super::table::{claim, put_plain, refuse_on_commit, result_column};
use crate::catalog::{Column, Table};
use crate::codec::layout;
use crate::codec::row;
use crate::error::{PgError, Result, sqlstate};
use crate::exec::Execution;
use crate::ids::Oid;
use crate::limits::BATCH_ROWS_MAX;
use crate::lock::RelationMode;
use crate::parse::{CreateTableAs, Name, Parsed, Persistence, QName};
use crate::plan::Plan;

/// CREATE TABLE AS a query. `parsed` is the query (EXECUTE's statement too, when the session has found it).
pub async fn create_table_as(ctx: &DdlContext<'_>, statement: &CreateTableAs, parsed: &Parsed) -> Result<String> {
    if statement.materialized_view {
        return Err(PgError::unsupported("CREATE MATERIALIZED VIEW"));
    }
    super::table::access_method(statement.access_method.as_ref().map(|name| name.text.as_str()))?;
    options::check_table(&statement.options)?;
    refuse_on_commit(statement.on_commit, statement.persistence == Persistence::Temporary)?;
    let target = Target {
        name: &statement.name,
        persistence: statement.persistence,
        if_not_exists: statement.if_not_exists,
        columns: &statement.columns,
        options: options::kept(&statement.options),
        with_data: statement.with_data,
    };
    match fill(ctx, target, parsed).await? {
        Some(rows) if statement.with_data => Ok(format!("SELECT {rows}")),
        _ => Ok("CREATE TABLE AS".to_owned()),
    }
}

/// SELECT INTO: `parsed` is the query without INTO.
pub async fn select_into(ctx: &DdlContext<'_>, name: &QName, persistence: Persistence, parsed: &Parsed) -> Result<String> {
    let target = Target {
        name,
        persistence,
        if_not_exists: false,
        columns: &[],
        options: Vec::new(),
        with_data: true,
    };
    let rows = fill(ctx, target, parsed).await?.unwrap_or(0);
    Ok(format!("SELECT {rows}"))
}

struct Target<'a> {
    name: &'a QName,
    persistence: Persistence,
    if_not_exists: bool,
    columns: &'a [Name],
    options: Vec<(smol_str::SmolStr, String)>,
    with_data: bool,
}

/// Makes the table and fills it; `None` where IF NOT EXISTS found one.
async fn fill(ctx: &DdlContext<'_>, target: Target<'_>, parsed: &Parsed) -> Result<Option<u64>> {
    let plan = plan_query(ctx, parsed).await?;
    let columns = columns_of(&plan, target.columns)?;
    let Some(mut table) = claim(ctx, target.name, target.persistence, target.if_not_exists).await? else {
        return Ok(None);
    };
    table.options = target.options;
    // The query does not see the table that it fills.
    let exec = exec_context(ctx, &plan)?;
    let table = put_plain(ctx, table, columns)?;
    ctx.lock(table.oid, RelationMode::AccessExclusive).await?;
    if !target.with_data {
        return Ok(Some(0));
    }
    let execution = Execution::start(Arc::clone(&plan), exec)?;
    load(ctx, &table, execution).await.map(Some)
}

fn columns_of(plan: &Plan, names: &[Name]) -> Result<Vec<Column>> {
    if names.len() > plan.columns.len() {
        return Err(PgError::new(sqlstate::SYNTAX_ERROR, "too many column names were specified"));
    }
    Ok(plan
        .columns
        .iter()
        .enumerate()
        .map(|(at, column)| {
            let name = names.get(at).map_or_else(|| column.name.clone(), |name| name.text.clone());
            result_column(name, column.ty, column.typmod)
        })
        .collect())
}

/// Puts a query's rows into a new table without indexes.
async fn load(ctx: &DdlContext<'_>, table: &Arc<Table>, mut execution: Execution) -> Result<u64> {
    let types: Vec<Oid> = table.columns.iter().map(|column| column.ty).collect();
    let mut bulk = ctx.txn.bulk_ordered(table.storage)?;
    let mut stored = Vec::new();
    let xid = ctx.txn.xid();
    let mut rows = 0;
    while !execution.is_done() {
        ctx.breathe().await?;
        let batch = execution.next_batch(BATCH_ROWS_MAX).await?;
        for values in batch.rows() {
            stored.clear();
            row::encode_row(xid, &types, &values[..types.len()], &mut stored)?;
            bulk.put(&layout::row_id_key(ctx.txn.next_row_id(table.storage)), &stored)?;
            rows += 1;
        }
    }
    drop(execution);
    busy(|| bulk.finish(ctx.txn))?;
    Ok(rows)
}
