//! Expressions that the catalog stores as text (defaults, checks, index keys and predicates), bound to a table.

use std::sync::Arc;

use super::planner::Planner;
use crate::bind::tree::Expr;
use crate::catalog::Table;
use crate::error::{PgError, Result};

impl Planner<'_> {
    /// An expression over the columns of entry `rel`, which is `table`.
    pub(super) fn table_expr(&mut self, _table: &Arc<Table>, text: &str, _rel: usize) -> Result<Expr> {
        Err(PgError::unsupported(format!("the stored expression \"{text}\"")))
    }

    /// The default of a column, without an input row.
    pub(super) fn column_default(&mut self, table: &Arc<Table>, column: usize) -> Result<Option<Expr>> {
        match &table.columns[column].default {
            Some(text) => self.table_expr(table, text, 0).map(Some),
            None => Ok(None),
        }
    }
}
