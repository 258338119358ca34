//! Grouping, aggregates and window functions of one query level.

use std::sync::Arc;

use super::cost;
use super::node::{Aggregate, AggregatePlan, AggregateStrategy, NodeKind, NodeRef, SortColumn, WindowNode, WindowPlan};
use super::nodes::{after, over};
use super::planner::{Layout, Planner};
use super::same::{ColRef, columns_of, same_expr};
use super::walk::{any_expr, frame_offsets};
use crate::bind::tree::{AggregateCall, Expr, ExprKind, FrameBound, Group, Query, WindowCall, WindowFunction};
use crate::error::Result;
use crate::types::oid;

/// Grouping parts of a query, found in its expressions.
#[derive(Default)]
struct Found {
    aggregates: Vec<Expr>,
    groupings: Vec<Expr>,
    windows: Vec<Expr>,
}

impl Found {
    fn look(&mut self, expr: &Expr) {
        any_expr(expr, &mut |part| {
            let list = match &part.kind {
                ExprKind::Aggregate(call) if call.level == 0 => &mut self.aggregates,
                ExprKind::Grouping(_) => &mut self.groupings,
                ExprKind::Window(_) => &mut self.windows,
                _ => return false,
            };
            if !list.iter().any(|known| same_expr(known, part)) {
                list.push(part.clone());
            }
            false
        });
    }

    fn of(query: &Query) -> Self {
        let mut found = Found::default();
        query.targets.iter().for_each(|target| found.look(&target.expr));
        query.having.iter().for_each(|expr| found.look(expr));
        for window in &query.windows {
            window.partition.iter().for_each(|expr| found.look(expr));
            window.order.iter().for_each(|key| found.look(&key.expr));
            frame_offsets([&window.frame.start, &window.frame.end]).for_each(|expr| found.look(expr));
        }
        found
    }
}

impl Planner<'_> {
    /// GROUP BY, aggregates and HAVING over `input`.
    pub(super) fn plan_groups(&mut self, query: &Query, input: NodeRef, layout: Layout) -> Result<(NodeRef, Layout)> {
        let (input, layout) = self.plan_grouped_sets(query, input, layout)?;
        let found = Found::of(query);
        let (places, sets) = match &query.group {
            Group::None => (Vec::new(), Vec::new()),
            Group::Plain(places) => (places.clone(), Vec::new()),
            Group::Sets(sets) => {
                let mut places: Vec<usize> = sets.iter().flatten().copied().collect();
                places.sort_unstable();
                places.dedup();
                let at = |place: &usize| places.iter().position(|p| p == place).unwrap_or(0);
                let sets = sets.iter().map(|set| set.iter().map(at).collect()).collect();
                (places, sets)
            }
        };
        let mut keys: Vec<Expr> = places.iter().map(|place| query.targets[*place].expr.clone()).collect();
        if sets.is_empty() {
            self.add_dependent_columns(query, &mut keys);
        }
        let mut calls = Vec::with_capacity(found.aggregates.len());
        for aggregate in &found.aggregates {
            if let ExprKind::Aggregate(call) = &aggregate.kind {
                calls.push(self.aggregate_plan(call, aggregate.ty, &layout, &keys)?);
            }
        }
        let group = self.translate_all(&keys, &layout)?;
        let mut out = Layout {
            width: keys.len() + calls.len() + found.groupings.len(),
            ..Layout::default()
        };
        let known = keys.iter().chain(&found.aggregates).chain(&found.groupings);
        out.exprs = known.cloned().enumerate().map(|(at, expr)| (expr, at)).collect();
        let groupings = found.groupings.iter().map(|grouping| match &grouping.kind {
            ExprKind::Grouping(of) => of
                .iter()
                .map(|place| places.iter().position(|p| p == place).unwrap_or(0))
                .collect(),
            _ => Vec::new(),
        });
        let strategy = if keys.is_empty() && sets.is_empty() {
            AggregateStrategy::Plain
        } else {
            AggregateStrategy::Hashed
        };
        let rows = if keys.is_empty() {
            1.0
        } else {
            (input.estimate.rows * 0.2).clamp(1.0, 200.0_f64.powi(i32::try_from(keys.len()).unwrap_or(4).min(4)))
        };
        let work = input.estimate.rows * (cost::OPERATOR * cost::count(calls.len() + keys.len()) + cost::TUPLE * 0.5);
        let estimate = after(&input, work, rows);
        let node = Aggregate {
            input,
            strategy,
            group,
            sets,
            calls,
            groupings: groupings.collect(),
        };
        let mut node = self.node(NodeKind::Aggregate(Arc::new(node)), out.width, estimate);
        if let Some(having) = &query.having {
            let estimate = over(&node, cost::OPERATOR, (rows / 3.0).max(1.0));
            node = self.filter_node(node, std::slice::from_ref(having), &out, estimate)?;
        }
        Ok((node, out))
    }

    /// Set-returning functions in group keys: their rows are made before rows are grouped.
    fn plan_grouped_sets(&mut self, query: &Query, mut node: NodeRef, mut layout: Layout) -> Result<(NodeRef, Layout)> {
        let places: Vec<usize> = match &query.group {
            Group::None => Vec::new(),
            Group::Plain(places) => places.clone(),
            Group::Sets(sets) => sets.iter().flatten().copied().collect(),
        };
        let mut sets: Vec<Expr> = Vec::new();
        for place in places.iter().filter(|_| query.has_set_returning) {
            any_expr(&query.targets[*place].expr, &mut |part| {
                if super::same::is_set(part) && !sets.iter().any(|known| same_expr(known, part)) {
                    sets.push(part.clone());
                }
                false
            });
        }
        if sets.is_empty() {
            return Ok((node, layout));
        }
        let mut columns: Vec<Expr> = (0..layout.width)
            .map(|at| Expr::new(ExprKind::Input(at), oid::UNKNOWN))
            .collect();
        for set in sets {
            columns.push(self.translate(&set, &layout)?);
            layout.exprs.push((set, columns.len() - 1));
        }
        layout.width = columns.len();
        let estimate = over(&node, cost::TUPLE, node.estimate.rows * 100.0);
        let set = super::node::ProjectSet {
            input: node,
            exprs: columns,
        };
        node = self.node(NodeKind::ProjectSet(Arc::new(set)), layout.width, estimate);
        Ok((node, layout))
    }

    /// Columns that are not grouped by but depend on a primary key that is: grouping by them too changes nothing.
    fn add_dependent_columns(&mut self, query: &Query, keys: &mut Vec<Expr>) {
        let mut more: Vec<Expr> = Vec::new();
        let rels = &query.rels;
        let mut look = |expr: &Expr| {
            outside_aggregates(expr, keys, &mut |part| {
                columns_of(part, 0, &mut |column| {
                    if let ColRef::Column(rel, column) = column
                        && let Some(known) = rels[rel].columns.get(column)
                    {
                        let var = Expr {
                            kind: ExprKind::Var { level: 0, rel, column },
                            ty: known.ty,
                            typmod: known.typmod,
                        };
                        if !more.iter().any(|other| same_expr(other, &var)) {
                            more.push(var);
                        }
                    }
                });
            });
        };
        query.targets.iter().for_each(|target| look(&target.expr));
        query.having.iter().for_each(&mut look);
        for window in &query.windows {
            window.partition.iter().for_each(&mut look);
            window.order.iter().for_each(|key| look(&key.expr));
        }
        if !keys.is_empty() {
            keys.extend(more);
        }
    }

    fn aggregate_plan(
        &mut self,
        call: &AggregateCall,
        ty: crate::ids::Oid,
        layout: &Layout,
        keys: &[Expr],
    ) -> Result<AggregatePlan> {
        let args = self.translate_all(&call.args, layout)?;
        let order = call.order.iter().map(|key| SortColumn {
            column: key.column,
            ty: call.args[key.column].ty,
            descending: key.descending,
            nulls_first: key.nulls_first,
        });
        let group_layout = Layout {
            exprs: keys.iter().cloned().enumerate().map(|(at, expr)| (expr, at)).collect(),
            width: keys.len(),
            ..Layout::default()
        };
        Ok(AggregatePlan {
            function: call.function,
            arg_types: Arc::clone(&call.arg_types),
            return_type: ty,
            direct: self.translate_all(&call.direct, &group_layout)?,
            distinct: call.distinct,
            order: order.collect(),
            visible_args: if call.star { 0 } else { call.arg_types.len().min(args.len()) },
            filter: call
                .filter
                .as_ref()
                .map(|filter| self.translate(filter, layout))
                .transpose()?,
            star: call.star,
            args,
        })
    }

    /// Window functions: a sort and a pass for each window in use.
    pub(super) fn plan_windows(&mut self, query: &Query, mut node: NodeRef, mut layout: Layout) -> Result<(NodeRef, Layout)> {
        let found = Found::of(query);
        for (number, window) in query.windows.iter().enumerate() {
            let of_window = |expr: &&Expr| matches!(&expr.kind, ExprKind::Window(call) if call.window == number);
            let calls: Vec<Expr> = found.windows.iter().filter(of_window).cloned().collect();
            if calls.is_empty() {
                continue;
            }
            let keys = window.partition.iter().map(|expr| (expr, false, false));
            let keys = keys.chain(window.order.iter().map(|key| (&key.expr, key.descending, key.nulls_first)));
            let keys: Vec<_> = keys
                .map(|(expr, descending, nulls_first)| (expr.clone(), descending, nulls_first))
                .collect();
            let columns;
            (node, layout, columns) = self.with_columns(node, layout, &keys)?;
            if !columns.is_empty() {
                node = self.sort_node(node, columns.clone(), None);
            }
            let (partition, order) = columns.split_at(window.partition.len());
            let mut plans = Vec::with_capacity(calls.len());
            for call in &calls {
                if let ExprKind::Window(window) = &call.kind {
                    plans.push(self.window_plan(window, call.ty, &layout)?);
                }
            }
            let mut frame = window.frame.clone();
            for bound in [&mut frame.start, &mut frame.end] {
                if let FrameBound::Preceding(expr) | FrameBound::Following(expr) = bound {
                    *expr = self.translate(expr, &Layout::default())?;
                }
            }
            let estimate = over(&node, cost::OPERATOR * cost::count(plans.len()), node.estimate.rows);
            for (at, call) in calls.into_iter().enumerate() {
                layout.exprs.push((call, layout.width + at));
            }
            layout.width += plans.len();
            let window = WindowNode {
                input: node,
                partition: partition.to_vec(),
                order: order.to_vec(),
                frame,
                calls: plans,
            };
            node = self.node(NodeKind::Window(Arc::new(window)), layout.width, estimate);
        }
        Ok((node, layout))
    }

    /// The row with each expression as a column of its own; those that are columns stay where they are.
    fn with_columns(
        &mut self,
        node: NodeRef,
        mut layout: Layout,
        keys: &[(Expr, bool, bool)],
    ) -> Result<(NodeRef, Layout, Vec<SortColumn>)> {
        let mut columns = Vec::with_capacity(keys.len());
        let mut exprs: Vec<Expr> = (0..layout.width)
            .map(|at| Expr::new(ExprKind::Input(at), oid::UNKNOWN))
            .collect();
        for (key, descending, nulls_first) in keys {
            let translated = self.translate(key, &layout)?;
            let column = if let ExprKind::Input(column) = translated.kind {
                column
            } else {
                exprs.push(translated);
                exprs.len() - 1
            };
            columns.push(SortColumn {
                column,
                ty: key.ty,
                descending: *descending,
                nulls_first: *nulls_first,
            });
        }
        if exprs.len() == layout.width {
            return Ok((node, layout, columns));
        }
        layout.width = exprs.len();
        let estimate = over(&node, cost::OPERATOR, node.estimate.rows);
        let width = layout.width;
        let node = self.node(
            NodeKind::Project(Arc::new(super::node::Project { input: node, exprs })),
            width,
            estimate,
        );
        Ok((node, layout, columns))
    }

    fn window_plan(&mut self, call: &WindowCall, ty: crate::ids::Oid, layout: &Layout) -> Result<WindowPlan> {
        let function: WindowFunction = call.function;
        Ok(WindowPlan {
            function,
            args: self.translate_all(&call.args, layout)?,
            arg_types: Arc::clone(&call.arg_types),
            return_type: ty,
            filter: call
                .filter
                .as_ref()
                .map(|filter| self.translate(filter, layout))
                .transpose()?,
            star: call.star,
        })
    }
}

/// Calls `visit` for the parts of `expr` outside aggregates that are no group key.
fn outside_aggregates(expr: &Expr, keys: &[Expr], visit: &mut dyn FnMut(&Expr)) {
    if keys.iter().any(|key| same_expr(key, expr)) {
        return;
    }
    match &expr.kind {
        ExprKind::Aggregate(call) if call.level == 0 => {}
        ExprKind::Var { .. } | ExprKind::WholeRow { .. } | ExprKind::SubLink(_) => visit(expr),
        _ => crate::bind::walk::children(expr, &mut |child| outside_aggregates(child, keys, visit)),
    }
}
