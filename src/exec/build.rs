//! From a plan's node to its operator.

use super::context::ExecContext;
use super::instrument::Instrumented;
use super::operator::BoxOperator;
use super::{
    aggregate, cte, distinct, hash_join, index_scan, leaf, limit, lock_rows, modify, nested_loop, point, project, recursive,
    scan, set_op, sort, window,
};
use crate::plan::node::{NodeKind, NodeRef};

/// The operator tree of a node; it starts at its first `next`.
pub fn build(node: &NodeRef, ctx: &ExecContext) -> BoxOperator {
    let operator = build_plain(&node.kind, ctx);
    if ctx.instrument.is_some() {
        Box::new(Instrumented::new(node.id, operator))
    } else {
        operator
    }
}

fn build_plain(kind: &NodeKind, ctx: &ExecContext) -> BoxOperator {
    match kind {
        NodeKind::Result(n) => Box::new(project::ResultOp::new(ctx, n)),
        NodeKind::PointGet(n) => Box::new(point::PointGetOp::new(ctx, n)),
        NodeKind::SeqScan(n) => Box::new(scan::SeqScanOp::new(ctx, n)),
        NodeKind::IndexScan(n) => Box::new(index_scan::IndexScanOp::new(ctx, n)),
        NodeKind::VirtualScan(n) => Box::new(leaf::VirtualScanOp::new(ctx, n)),
        NodeKind::SequenceScan(n) => Box::new(leaf::SequenceScanOp::new(ctx, n)),
        NodeKind::FunctionScan(n) => Box::new(leaf::FunctionScanOp::new(ctx, n)),
        NodeKind::Values(n) => Box::new(leaf::ValuesOp::new(ctx, n)),
        NodeKind::SubqueryScan(n) => Box::new(leaf::SubqueryScanOp::new(ctx, n)),
        NodeKind::CteScan(n) => Box::new(cte::CteScanOp::new(ctx, n)),
        NodeKind::WorkTableScan(n) => Box::new(cte::WorkTableScanOp::new(ctx, n)),
        NodeKind::Filter(n) => Box::new(project::FilterOp::new(ctx, n)),
        NodeKind::Project(n) => Box::new(project::ProjectOp::new(ctx, n)),
        NodeKind::ProjectSet(n) => Box::new(project::ProjectSetOp::new(ctx, n)),
        NodeKind::NestedLoop(n) => Box::new(nested_loop::NestedLoopOp::new(ctx, n)),
        NodeKind::HashJoin(n) => Box::new(hash_join::HashJoinOp::new(ctx, n)),
        NodeKind::Sort(n) => Box::new(sort::SortOp::new(ctx, n)),
        NodeKind::Limit(n) => Box::new(limit::LimitOp::new(ctx, n)),
        NodeKind::Aggregate(n) => Box::new(aggregate::AggregateOp::new(ctx, n)),
        NodeKind::Window(n) => Box::new(window::WindowOp::new(ctx, n)),
        NodeKind::Unique(n) => Box::new(distinct::UniqueOp::new(ctx, n)),
        NodeKind::HashSetOp(n) => Box::new(set_op::HashSetOpOp::new(ctx, n)),
        NodeKind::Append(n) => Box::new(set_op::AppendOp::new(ctx, n)),
        NodeKind::RecursiveUnion(n) => Box::new(recursive::RecursiveUnionOp::new(ctx, n)),
        NodeKind::Materialize(n) => Box::new(leaf::MaterializeOp::new(ctx, n)),
        NodeKind::LockRows(n) => Box::new(lock_rows::LockRowsOperator::new(ctx, n)),
        NodeKind::Modify(n) => Box::new(modify::ModifyOperator::new(ctx, n)),
    }
}
