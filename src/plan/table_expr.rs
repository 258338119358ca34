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
}
