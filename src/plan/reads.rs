//! Which outer parameters a node or slot depends on.

use super::node::{CtePlan, IndexBounds, KeyTerm, NodeKind, Operation, SlotKind, SlotPlan};
use super::walk::{any_expr, frame_offsets};
use crate::bind::tree::{Expr, ExprKind};

/// Outer parameters that a node and what is below it read and do not set.
pub(super) fn of_node(kind: &NodeKind, slots: &[SlotPlan], ctes: &[CtePlan]) -> Box<[usize]> {
    let mut reads = Vec::new();
    for_exprs(kind, &mut |expr| of_expr(expr, slots, &mut reads));
    for input in kind.inputs() {
        reads.extend_from_slice(&input.reads);
    }
    match kind {
        NodeKind::NestedLoop(join) => reads.retain(|number| join.params.iter().all(|(set, _)| set != number)),
        // A reference inside the CTE's own recursion is a work table, so the plan is there.
        NodeKind::CteScan(scan) => reads.extend(ctes.get(scan.cte).iter().flat_map(|cte| cte.root.reads.iter().copied())),
        _ => {}
    }
    finish(reads)
}

pub(super) fn of_slot(kind: &SlotKind, params: &[(usize, Expr)], slots: &[SlotPlan]) -> Box<[usize]> {
    let mut reads = Vec::new();
    if let Some(input) = kind.input() {
        reads.extend_from_slice(&input.reads);
    }
    match kind {
        SlotKind::Quantified { test, .. } => of_expr(test, slots, &mut reads),
        SlotKind::Hashed { left, .. } => left.iter().for_each(|expr| of_expr(expr, slots, &mut reads)),
        SlotKind::Waiting { args, .. } => args.iter().for_each(|expr| of_expr(expr, slots, &mut reads)),
        _ => {}
    }
    reads.retain(|number| params.iter().all(|(set, _)| set != number));
    for (_, expr) in params {
        of_expr(expr, slots, &mut reads);
    }
    finish(reads)
}

fn of_expr(expr: &Expr, slots: &[SlotPlan], reads: &mut Vec<usize>) {
    any_expr(expr, &mut |part| {
        match part.kind {
            ExprKind::Outer(number) => reads.push(number),
            ExprKind::Slot(number) => reads.extend(slots.get(number).iter().flat_map(|slot| slot.reads.iter().copied())),
            _ => {}
        }
        false
    });
}

fn finish(mut reads: Vec<usize>) -> Box<[usize]> {
    reads.sort_unstable();
    reads.dedup();
    reads.into_boxed_slice()
}

/// Every expression that a node evaluates itself.
pub(super) fn for_exprs<'a>(kind: &'a NodeKind, visit: &mut dyn FnMut(&'a Expr)) {
    match kind {
        NodeKind::Result(n) => n.exprs.iter().chain(&n.condition).for_each(visit),
        NodeKind::PointGet(n) => n.key.iter().chain(&n.filter).chain(&n.recheck).for_each(visit),
        NodeKind::SeqScan(n) => n.filter.iter().for_each(visit),
        NodeKind::IndexScan(n) => {
            bounds(&n.bounds, visit);
            n.filter.iter().chain(&n.recheck).for_each(visit);
        }
        NodeKind::VirtualScan(n) => n.filter.iter().for_each(visit),
        NodeKind::SequenceScan(n) => n.filter.iter().for_each(visit),
        NodeKind::FunctionScan(n) => n.calls.iter().map(|(expr, _)| expr).chain(&n.filter).for_each(visit),
        NodeKind::Values(n) => n.rows.iter().flatten().chain(&n.filter).for_each(visit),
        NodeKind::SubqueryScan(n) => n.filter.iter().for_each(visit),
        NodeKind::CteScan(n) => n.filter.iter().for_each(visit),
        NodeKind::WorkTableScan(n) => n.filter.iter().for_each(visit),
        NodeKind::Filter(n) => visit(&n.condition),
        NodeKind::Project(n) => n.exprs.iter().for_each(visit),
        NodeKind::ProjectSet(n) => n.exprs.iter().for_each(visit),
        NodeKind::NestedLoop(n) => {
            n.params
                .iter()
                .map(|(_, expr)| expr)
                .chain(&n.condition)
                .chain(&n.filter)
                .for_each(visit);
        }
        NodeKind::HashJoin(n) => {
            n.left_keys
                .iter()
                .chain(&n.right_keys)
                .chain(&n.condition)
                .chain(&n.filter)
                .for_each(visit);
        }
        NodeKind::Sort(n) => n.bound.iter().for_each(visit),
        NodeKind::Limit(n) => n.limit.iter().chain(&n.offset).for_each(visit),
        NodeKind::Aggregate(n) => {
            n.group.iter().for_each(&mut *visit);
            for call in &n.calls {
                call.args.iter().chain(&call.direct).chain(&call.filter).for_each(&mut *visit);
            }
        }
        NodeKind::Window(n) => {
            frame_offsets([&n.frame.start, &n.frame.end]).for_each(&mut *visit);
            for call in &n.calls {
                call.args.iter().chain(&call.filter).for_each(&mut *visit);
            }
        }
        NodeKind::LockRows(_)
        | NodeKind::Unique(_)
        | NodeKind::HashSetOp(_)
        | NodeKind::Append(_)
        | NodeKind::RecursiveUnion(_)
        | NodeKind::Materialize(_) => {}
        NodeKind::Modify(n) => {
            n.returning.iter().for_each(&mut *visit);
            match &n.operation {
                Operation::Update { set, .. } => set.iter().for_each(|(_, expr)| visit(expr)),
                Operation::Insert {
                    on_conflict: Some(conflict),
                } => {
                    if let Some(update) = &conflict.update {
                        update.set.iter().map(|(_, expr)| expr).chain(&update.filter).for_each(visit);
                    }
                }
                Operation::Insert { on_conflict: None } | Operation::Delete { .. } => {}
            }
        }
    }
}

fn bounds<'a>(bounds: &'a IndexBounds, visit: &mut dyn FnMut(&'a Expr)) {
    for term in &bounds.equal {
        match term {
            KeyTerm::Equal(expr) | KeyTerm::AnyOf(expr) => visit(expr),
            KeyTerm::IsNull => {}
        }
    }
    bounds.lower.iter().chain(&bounds.upper).for_each(|(expr, _)| visit(expr));
}
