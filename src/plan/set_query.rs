//! UNION, INTERSECT and EXCEPT.

use std::sync::Arc;

use super::cost;
use super::node::{Append, Estimate, HashSetOp, Limit, NodeKind, NodeRef, SortColumn, Unique};
use super::nodes::after;
use super::planner::{Layout, Planner};
use super::query::sort_columns;
use crate::bind::tree::{Expr, ExprKind};
use crate::bind::tree::{Query, RelKind, SetKind, SetOperation};
use crate::error::{PgError, Result};
use crate::ids::Oid;

impl Planner<'_> {
    /// The whole query: its set operation, then ORDER BY and LIMIT over the result's columns.
    pub(super) fn plan_set_query(&mut self, query: &Query, operation: &SetOperation) -> Result<NodeRef> {
        let mut node = self.plan_set_operation(query, operation)?;
        let types: Vec<Oid> = match operation {
            SetOperation::Node { types, .. } => types.iter().map(|(ty, _)| *ty).collect(),
            SetOperation::Leaf(_) => Vec::new(),
        };
        let mut keys = sort_columns(query);
        for key in &mut keys {
            // Targets are the first leaf's columns, in order; the result's types count.
            if let Some(ty) = types.get(key.column) {
                key.ty = *ty;
            }
        }
        if !keys.is_empty() {
            node = self.sort_node(node, keys.clone(), None);
        }
        if query.limit.is_none() && query.offset.is_none() {
            return Ok(node);
        }
        let none = Layout::default();
        let limit = query.limit.as_ref().map(|expr| self.translate(expr, &none)).transpose()?;
        let offset = query.offset.as_ref().map(|expr| self.translate(expr, &none)).transpose()?;
        let ties = query.with_ties.then_some(keys);
        let (width, estimate) = (node.width, node.estimate);
        Ok(self.node(
            NodeKind::Limit(Arc::new(Limit {
                input: node,
                limit,
                offset,
                ties,
            })),
            width,
            estimate,
        ))
    }

    fn plan_set_operation(&mut self, query: &Query, operation: &SetOperation) -> Result<NodeRef> {
        match operation {
            SetOperation::Leaf(rel) => match &query.rels[*rel].kind {
                RelKind::Subquery { query: sub, .. } => {
                    let columns = sub.targets.iter().filter(|target| !target.junk).count();
                    let node = self.plan_query(sub)?;
                    Ok(self.narrowed(node, columns))
                }
                _ => Err(PgError::internal("a part of a set operation is no sub-select")),
            },
            SetOperation::Node {
                kind: SetKind::Union,
                all,
                left,
                right,
                types,
            } => {
                let mut inputs = Vec::new();
                for side in [left, right] {
                    self.union_inputs(query, side, *all, types, &mut inputs)?;
                }
                let node = self.append(inputs);
                if *all {
                    return Ok(node);
                }
                let keys = types.iter().enumerate().map(|(column, (ty, _))| SortColumn {
                    column,
                    ty: *ty,
                    descending: false,
                    nulls_first: false,
                });
                let keys = keys.collect();
                let (estimate, width) = (after(&node, node.estimate.rows * cost::TUPLE, node.estimate.rows), node.width);
                Ok(self.node(
                    NodeKind::Unique(Arc::new(Unique {
                        input: node,
                        keys,
                        hashed: true,
                    })),
                    width,
                    estimate,
                ))
            }
            SetOperation::Node {
                kind,
                all,
                left,
                right,
                types,
            } => {
                let left = self.plan_set_operation(query, left)?;
                let right = self.plan_set_operation(query, right)?;
                let types: Vec<Oid> = types.iter().map(|(ty, _)| *ty).collect();
                let rows = left.estimate.rows;
                let total = left.estimate.total + right.estimate.total + (rows + right.estimate.rows) * cost::TUPLE;
                let estimate = Estimate {
                    startup: total,
                    total: total + rows * cost::OPERATOR,
                    rows,
                    width: left.estimate.width,
                };
                let width = types.len();
                let node = HashSetOp {
                    kind: *kind,
                    all: *all,
                    left,
                    right,
                    types,
                };
                Ok(self.node(NodeKind::HashSetOp(Arc::new(node)), width, estimate))
            }
        }
    }

    /// Sides of a UNION: those of the same kind inside it belong to it.
    fn union_inputs(
        &mut self,
        query: &Query,
        operation: &SetOperation,
        all: bool,
        types: &[(Oid, i32)],
        inputs: &mut Vec<NodeRef>,
    ) -> Result<()> {
        if let SetOperation::Node {
            kind: SetKind::Union,
            all: inner,
            left,
            right,
            types: inner_types,
        } = operation
            && (*inner == all || !all)
            && inner_types == types
        {
            self.union_inputs(query, left, all, types, inputs)?;
            return self.union_inputs(query, right, all, types, inputs);
        }
        let node = self.plan_set_operation(query, operation)?;
        inputs.push(node);
        Ok(())
    }

    fn append(&mut self, inputs: Vec<NodeRef>) -> NodeRef {
        let mut estimate = Estimate::default();
        for input in &inputs {
            estimate.total += input.estimate.total;
            estimate.rows += input.estimate.rows;
            estimate.width = estimate.width.max(input.estimate.width);
        }
        let width = inputs.first().map_or(0, |input| input.width);
        self.node(NodeKind::Append(Arc::new(Append { inputs })), width, estimate)
    }

    /// The node without hidden columns after the first `columns`.
    pub(super) fn narrowed(&mut self, node: NodeRef, columns: usize) -> NodeRef {
        if node.width <= columns {
            return node;
        }
        let exprs = (0..columns)
            .map(|at| Expr::new(ExprKind::Input(at), crate::types::oid::UNKNOWN))
            .collect();
        let estimate = node.estimate;
        self.node(
            NodeKind::Project(Arc::new(super::node::Project { input: node, exprs })),
            columns,
            estimate,
        )
    }
}
