//! Paths: ways to get the rows of a set of range table entries, before they are made into nodes.

use std::sync::Arc;

use super::node::{IndexBounds, JoinType, NodeRef};
use super::planner::Layout;
use crate::bind::tree::Expr;
use crate::catalog::Index;
use crate::ids::Oid;

/// One way.
#[derive(Clone)]
pub(super) struct Path {
    pub kind: Arc<PathKind>,
    /// Entries whose columns the rows have.
    pub rels: u128,
    /// Entries whose columns must be given as outer parameters.
    pub needs: u128,
    pub startup: f64,
    pub total: f64,
    pub rows: f64,
    pub width: f64,
    /// What the rows are ordered by, leading keys first.
    pub order: Vec<OrderKey>,
}

#[derive(Clone)]
pub(super) struct OrderKey {
    pub expr: Expr,
    pub descending: bool,
    pub nulls_first: bool,
}

pub(super) enum PathKind {
    /// No rows to read from: one row without columns.
    Nothing,
    Seq {
        rel: usize,
        conditions: Vec<Expr>,
    },
    Index(IndexPath),
    Point {
        rel: usize,
        index: Arc<Index>,
        primary: bool,
        /// Expressions of other entries or constants, in key order.
        key: Vec<Expr>,
        /// Conditions that the key answers.
        used: Vec<Expr>,
        filter: Vec<Expr>,
    },
    /// Planned already (sub-selects, functions, VALUES, CTEs).
    Leaf(Leaf),
    Nest {
        kind: JoinType,
        left: Path,
        right: Path,
        conditions: Vec<Expr>,
    },
    Hash {
        kind: JoinType,
        left: Path,
        right: Path,
        /// (left, right, type).
        keys: Vec<(Expr, Expr, Oid)>,
        equalities: Vec<Expr>,
        conditions: Vec<Expr>,
    },
    Filter {
        input: Path,
        conditions: Vec<Expr>,
    },
    /// Each combination of `keys` once.
    Unique {
        input: Path,
        keys: Vec<Expr>,
    },
}

pub(super) struct IndexPath {
    pub rel: usize,
    pub index: Arc<Index>,
    pub primary: bool,
    pub bounds: IndexBounds,
    pub backward: bool,
    pub used: Vec<Expr>,
    pub filter: Vec<Expr>,
    /// All conditions that the rows pass.
    pub all: Vec<Expr>,
}

pub(super) struct Leaf {
    pub node: NodeRef,
    pub layout: Layout,
    /// Columns of this level that it wants as parameters (LATERAL): number, and column.
    pub requests: Vec<(super::same::ColRef, usize, Oid)>,
    pub conditions: Vec<Expr>,
}

impl Path {
    /// Whether rows are read that a condition then drops: how many, nobody knows.
    pub fn drops_rows(&self) -> bool {
        match &*self.kind {
            PathKind::Seq { conditions, .. } => !conditions.is_empty(),
            PathKind::Index(index) => !index.filter.is_empty(),
            PathKind::Filter { .. } => true,
            _ => false,
        }
    }

    /// Whether rows in this path's order are in the order wanted. `fixed` tells expressions that have one value only.
    pub fn gives(&self, wanted: &[OrderKey], fixed: &dyn Fn(&Expr) -> bool) -> bool {
        let mut have = self.order.iter().filter(|key| !fixed(&key.expr)).peekable();
        wanted.iter().filter(|key| !fixed(&key.expr)).all(|key| {
            have.next().is_some_and(|other| {
                other.descending == key.descending
                    && other.nulls_first == key.nulls_first
                    && super::same::same_expr(&other.expr, &key.expr)
            })
        })
    }
}
