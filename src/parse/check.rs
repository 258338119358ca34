//! What sqlparser accepts and PostgreSQL's grammar refuses, found in the finished tree.

use sqlparser::ast::{Query, Statement};

use super::cursor::PResult;
use super::error::syntax;

/// Refuses a statement that PostgreSQL's grammar refuses.
pub(crate) fn check(statement: &Statement) -> PResult<()> {
    match statement {
        Statement::Query(query) => check_query(query),
        Statement::Update(update) if !update.table.joins.is_empty() => Err(syntax("syntax error", 0)),
        _ => Ok(()),
    }
}

/// As [`check`], for a query.
pub(crate) fn check_query(query: &Query) -> PResult<()> {
    let ties = query.fetch.as_ref().is_some_and(|fetch| fetch.with_ties);
    if ties && query.order_by.is_none() {
        return Err(syntax("WITH TIES cannot be specified without ORDER BY clause", 0));
    }
    Ok(())
}
