//! Expressions that the catalog stores as text (checks, generated columns, index keys and predicates), bound to a table.

use std::sync::Arc;

use super::fold::fold;
use super::planner::Planner;
use super::rewrite::change_columns;
use crate::bind::scalar::{bind_stored, table_rel};
use crate::bind::tree::{Expr, ExprKind};
use crate::bind::{BindContext, ParamTypes};
use crate::catalog::{SearchPath, Table};
use crate::error::Result;

impl Planner<'_> {
    /// An expression over the columns of entry `rel`, which is `table`.
    pub(super) fn table_expr(&mut self, table: &Arc<Table>, text: &str, rel: usize) -> Result<Expr> {
        // Canonical texts name objects in full, but for the system's.
        let path = SearchPath::system();
        let mut params = ParamTypes::none();
        let mut context = BindContext {
            catalog: self.cx.catalog,
            path: &path,
            env: self.cx.env,
            host: self.cx.host,
            params: &mut params,
        };
        let mut expr = bind_stored(&mut context, text, Some(table_rel(table)))?;
        fold(&mut expr, self.cx);
        change_columns(&mut expr, 0, &mut |part, _| match &mut part.kind {
            ExprKind::Var { rel: r, .. } | ExprKind::SystemVar { rel: r, .. } | ExprKind::WholeRow { rel: r, .. } => *r = rel,
            _ => {}
        });
        Ok(expr)
    }

    /// The default of a column, without an input row.
    pub(super) fn column_default(&mut self, table: &Arc<Table>, column: usize) -> Result<Option<Expr>> {
        match &table.columns[column].default {
            Some(text) => self.table_expr(table, text, 0).map(Some),
            None => Ok(None),
        }
    }
}
