//! From the bound tree to an immutable plan: rewrites, access paths, join order, cost, EXPLAIN.
//!
//! A plan is a tree of [`node::Node`]s whose expressions refer to columns of the operator's input row only
//! ([`ExprKind::Input`](crate::bind::tree::ExprKind::Input)), to statement parameters, to outer parameters and to slots.
//! It holds no state: any number of executions may run the same plan at once.
//!
//! ```text
//! Query ─ fold, pull up, semi joins ─► join tree + conditions ─ paths, costs ─► Path ─ places for columns ─► Node
//! ```

mod access;
mod cost;
mod deparse;
pub mod eval;
pub mod explain;
mod fold;
mod from;
mod group;
mod join;
mod modify;
pub mod node;
mod nodes;
mod path;
mod planner;
mod query;
mod reads;
mod rewrite;
mod same;
mod set_query;
mod table_expr;
pub mod walk;

use std::sync::Arc;

use crate::bind::tree::{Command, Expr, Query, Target};
use crate::catalog::{Catalog, Table};
use crate::error::Result;
use crate::lock::RecordMode;

pub use node::{Node, NodeKind, OutputColumn, Plan, PlanKind, WriteTarget};
pub use planner::PlanContext;

/// Plans a bound statement.
pub fn plan(query: &Query, cx: &PlanContext<'_>) -> Result<Plan> {
    let mut planner = planner::Planner::new(cx);
    planner.lock_relations(query);
    let root = planner.plan_query(query)?;
    let (kind, targets): (PlanKind, &[Target]) = match &query.command {
        Command::Select => (PlanKind::Select, &query.targets),
        Command::Insert(insert) => (PlanKind::Insert, &insert.returning),
        Command::Update(update) => (PlanKind::Update, &update.returning),
        Command::Delete(delete) => (PlanKind::Delete, &delete.returning),
    };
    let columns = targets.iter().filter(|target| !target.junk).map(|target| {
        let (table, attnum) = target.origin.unwrap_or_default();
        OutputColumn {
            name: target.name.clone(),
            ty: target.expr.ty,
            typmod: target.expr.typmod,
            table,
            attnum,
        }
    });
    let point = is_point(&root);
    Ok(Plan {
        kind,
        columns: columns.collect(),
        param_types: std::sync::Arc::clone(&cx.param_types),
        ctes: planner.ctes,
        slots: planner.slots,
        outer_count: planner.outer_count,
        scan_count: planner.scan_count,
        relations: planner.relations,
        catalog_version: cx.catalog.version,
        writes: planner.writes,
        locks_rows: planner.locks_rows,
        node_count: planner.node_count,
        point,
        root,
    })
}

/// A table as a writer outside a planned statement sees it (foreign-key actions, COPY, index builds).
pub fn write_target(table: &Arc<Table>, cx: &PlanContext<'_>) -> Result<Arc<WriteTarget>> {
    planner::Planner::new(cx).write_target(table, 0)
}

/// The expression that DEFAULT stands for in a column (0-based): no input row. `None` where the column has no default.
pub fn column_default(table: &Arc<Table>, column: usize, cx: &PlanContext<'_>) -> Result<Option<Expr>> {
    planner::Planner::new(cx).column_default(table, column)
}

/// One row by its key, without slots.
fn is_point(root: &Node) -> bool {
    let mut slots = false;
    let mut look = |node: &Node| {
        reads::for_exprs(&node.kind, &mut |expr| {
            slots = slots || walk::any_expr(expr, &mut |part| matches!(part.kind, crate::bind::tree::ExprKind::Slot(_)));
        });
    };
    look(root);
    let point = match &root.kind {
        NodeKind::PointGet(_) => true,
        NodeKind::Project(project) => {
            look(&project.input);
            matches!(project.input.kind, NodeKind::PointGet(_))
        }
        _ => false,
    };
    point && !slots
}

impl Plan {
    /// Whether everything that the plan was made of is still as it was.
    pub fn is_valid(&self, catalog: &Catalog) -> bool {
        // Any DDL makes new plans; the catalog's version says whether there was one.
        self.catalog_version == catalog.version
    }

    /// The strongest locking clause.
    pub fn strongest_row_lock(&self) -> Option<RecordMode> {
        fn strongest(node: &Node) -> Option<RecordMode> {
            let own = match &node.kind {
                NodeKind::LockRows(lock) => lock.marks.iter().map(|mark| mark.mode).max(),
                _ => None,
            };
            node.kind
                .inputs()
                .into_iter()
                .filter_map(|input| strongest(input))
                .chain(own)
                .max()
        }
        let inner = self
            .ctes
            .iter()
            .map(|cte| &cte.root)
            .chain(self.slots.iter().filter_map(|slot| slot.kind.input()));
        inner.filter_map(|node| strongest(node)).chain(strongest(&self.root)).max()
    }
}
