//! How many rows, and at what price. The units are PostgreSQL's; the numbers are for rows kept in key order.

use super::planner::PlanContext;
use super::walk::any_expr;
use crate::bind::tree::{Expr, ExprKind};
use crate::catalog::Table;

pub(super) const TUPLE: f64 = 0.01;
pub(super) const OPERATOR: f64 = 0.0025;
/// Going to a key in a tree.
pub(super) const SEEK: f64 = 0.2;
/// A row fetched by its key after an index entry was read.
pub(super) const FETCH: f64 = 0.08;
/// Bytes of a page, for the cost of reading in order.
const PAGE: f64 = 8192.0;
/// Rows of a table that was never analyzed.
const ROWS_UNKNOWN: f64 = 1000.0;
/// Distinct values of a column that was never analyzed.
const DISTINCT_UNKNOWN: f64 = 200.0;

/// What is known of a table.
pub(super) struct TableFacts {
    pub rows: f64,
    statistics: Option<std::sync::Arc<crate::catalog::TableStatistics>>,
}

impl TableFacts {
    pub fn of(table: &Table, cx: &PlanContext<'_>) -> Self {
        let statistics = cx.catalog.statistics(table.oid);
        let rows = statistics
            .as_ref()
            .map_or(ROWS_UNKNOWN, |statistics| statistics.rows.max(1.0));
        TableFacts { rows, statistics }
    }

    /// Distinct values of a column.
    pub fn distinct(&self, column: usize) -> f64 {
        let known = self
            .statistics
            .as_ref()
            .and_then(|statistics| statistics.columns.get(column)?.as_ref())
            .map(|column| f64::from(column.distinct));
        let distinct = match known {
            Some(share) if share < 0.0 => -share * self.rows,
            Some(count) if count > 0.0 => count,
            _ => DISTINCT_UNKNOWN,
        };
        distinct.clamp(1.0, self.rows.max(1.0))
    }
}

/// Reading a whole table.
pub(super) fn seq_scan(rows: f64, width: f64, conditions: usize) -> f64 {
    rows * width.max(16.0) / PAGE + rows * TUPLE + rows * OPERATOR * count(conditions)
}

#[allow(clippy::cast_precision_loss)]
pub(super) fn count(n: usize) -> f64 {
    n as f64
}

/// Sorting.
pub(super) fn sort(rows: f64) -> f64 {
    let rows = rows.max(2.0);
    2.0 * OPERATOR * rows * rows.log2()
}

/// Share of rows for which a condition holds, on columns of one table or unknown ones.
pub(super) fn selectivity(condition: &Expr, facts: Option<&TableFacts>) -> f64 {
    match &condition.kind {
        ExprKind::And(parts) => parts.iter().map(|part| selectivity(part, facts)).product(),
        ExprKind::Or(parts) => 1.0 - parts.iter().map(|part| 1.0 - selectivity(part, facts)).product::<f64>(),
        ExprKind::Not(arg) => 1.0 - selectivity(arg, facts),
        ExprKind::NullTest { negated, .. } => {
            if *negated {
                0.995
            } else {
                0.005
            }
        }
        ExprKind::Const(crate::types::Value::Bool(truth)) => f64::from(u8::from(*truth)),
        ExprKind::Call(call) => match call.operator {
            Some("=") => equal(condition, facts),
            Some("<>") => 1.0 - equal(condition, facts),
            Some("<" | "<=" | ">" | ">=") => 1.0 / 3.0,
            Some("~~" | "~" | "~~*" | "~*") => 0.01,
            _ => 1.0 / 3.0,
        },
        ExprKind::ScalarArray { array, operator, .. } => {
            let elements = match &array.kind {
                ExprKind::Const(crate::types::Value::Array(array)) => count(array.values.len()),
                _ => 10.0,
            };
            if *operator == "=" {
                (equal(condition, facts) * elements).min(1.0)
            } else {
                0.5
            }
        }
        ExprKind::BooleanTest { .. } | ExprKind::Var { .. } => 0.5,
        _ => 1.0 / 3.0,
    }
}

/// A column equal to something.
fn equal(condition: &Expr, facts: Option<&TableFacts>) -> f64 {
    let mut column = None;
    any_expr(condition, &mut |part| {
        if let ExprKind::Var { level: 0, column: c, .. } = part.kind {
            column = Some(c);
        }
        column.is_some()
    });
    match (column, facts) {
        (Some(column), Some(facts)) => 1.0 / facts.distinct(column),
        _ => 1.0 / DISTINCT_UNKNOWN,
    }
}
