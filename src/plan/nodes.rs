//! From paths to nodes: columns become places in rows.

use std::sync::Arc;

use super::cost;
use super::fold::conjunction;
use super::from::{LeafInfo, Level, target_columns};
use super::node::{Estimate, Filter, HashJoin, IndexBounds, IndexScan, JoinType, KeyTerm, NestedLoop, Node, NodeKind, NodeRef};
use super::node::{PointGet, ResultNode, SeqScan, SortColumn, Unique};
use super::path::{IndexPath, Leaf, Path, PathKind};
use super::planner::{Layout, Planner};
use crate::bind::tree::{Expr, RelKind};
use crate::catalog::Table;
use crate::error::{PgError, Result};

impl Planner<'_> {
    /// The node of a path, and where its row has what.
    pub(super) fn path_node(&mut self, level: &Level<'_>, path: &Path) -> Result<(NodeRef, Layout)> {
        match &*path.kind {
            PathKind::Nothing => {
                let kind = NodeKind::Result(Arc::new(ResultNode {
                    exprs: Vec::new(),
                    condition: None,
                    input: None,
                }));
                Ok((self.node(kind, 0, estimate(path)), Layout::default()))
            }
            PathKind::Seq { rel, conditions } => {
                let (target, layout) = self.table_target(level, *rel)?;
                let filter = self.condition(conditions, &layout)?;
                let kind = NodeKind::SeqScan(Arc::new(SeqScan { target, filter }));
                Ok((self.node(kind, layout.width, estimate(path)), layout))
            }
            PathKind::Index(index) => self.index_node(level, path, index),
            PathKind::Point {
                rel,
                index,
                primary,
                key,
                used,
                filter,
            } => {
                let (target, layout) = self.table_target(level, *rel)?;
                let key = self.translate_all(key, &Layout::default())?;
                let all: Vec<Expr> = used.iter().chain(filter).cloned().collect();
                let node = PointGet {
                    target,
                    key,
                    key_index: Arc::clone(index),
                    primary: *primary,
                    filter: self.condition(filter, &layout)?,
                    recheck: self.recheck(level, &all, &layout)?,
                    condition: self.condition(used, &layout)?,
                };
                Ok((
                    self.node(NodeKind::PointGet(Arc::new(node)), layout.width, estimate(path)),
                    layout,
                ))
            }
            PathKind::Leaf(leaf) => self.leaf_path_node(path, leaf),
            PathKind::Nest {
                kind,
                left,
                right,
                conditions,
            } => self.nest_node(level, path, *kind, left, right, conditions),
            PathKind::Hash { .. } => self.hash_node(level, path),
            PathKind::Filter { input, conditions } => {
                let (node, layout) = self.path_node(level, input)?;
                let node = self.filter_node(node, conditions, &layout, estimate(path))?;
                Ok((node, layout))
            }
            PathKind::Unique { input, keys } => {
                let (node, layout) = self.path_node(level, input)?;
                let mut columns = Vec::with_capacity(keys.len());
                for key in keys {
                    match self.translate(key, &layout)?.kind {
                        crate::bind::tree::ExprKind::Input(column) => {
                            columns.push(SortColumn {
                                column,
                                ty: key.ty,
                                descending: false,
                                nulls_first: false,
                            });
                        }
                        _ => return Err(PgError::internal("a key to make unique is no column")),
                    }
                }
                let kind = NodeKind::Unique(Arc::new(Unique {
                    input: node,
                    keys: columns,
                    hashed: true,
                }));
                Ok((self.node(kind, layout.width, estimate(path)), layout))
            }
        }
    }

    /// What a scan of an entry gives.
    fn table_target(&mut self, level: &Level<'_>, rel: usize) -> Result<(super::node::ScanTarget, Layout)> {
        let RelKind::Table { table, .. } = &level.query.rels[rel].kind else {
            return Err(PgError::internal("a path over a table that is none"));
        };
        let table: Arc<Table> = Arc::clone(table);
        let target = self.scan_target(level, rel, &table);
        let columns = target_columns(rel, &target);
        let mut layout = Layout {
            width: columns.len(),
            ..Layout::default()
        };
        for (place, column) in columns.iter().enumerate() {
            layout.columns.insert(*column, place);
        }
        level.leaves.borrow_mut().push(LeafInfo {
            rel,
            scan: target.scan,
            columns,
        });
        Ok((target, layout))
    }

    pub(super) fn condition(&mut self, conditions: &[Expr], layout: &Layout) -> Result<Option<Expr>> {
        Ok(conjunction(self.translate_all(conditions, layout)?))
    }

    /// Conditions for a row put in place: only plans that may need it carry it.
    fn recheck(&mut self, level: &Level<'_>, conditions: &[Expr], layout: &Layout) -> Result<Option<Expr>> {
        if level.epq {
            self.condition(conditions, layout)
        } else {
            Ok(None)
        }
    }

    fn index_node(&mut self, level: &Level<'_>, path: &Path, index: &IndexPath) -> Result<(NodeRef, Layout)> {
        let (target, layout) = self.table_target(level, index.rel)?;
        let mut bounds = IndexBounds {
            not_null: index.bounds.not_null,
            ..IndexBounds::default()
        };
        let none = Layout::default();
        for term in &index.bounds.equal {
            bounds.equal.push(match term {
                KeyTerm::Equal(expr) => KeyTerm::Equal(self.translate(expr, &none)?),
                KeyTerm::AnyOf(expr) => KeyTerm::AnyOf(self.translate(expr, &none)?),
                KeyTerm::IsNull => KeyTerm::IsNull,
            });
        }
        for (place, bound) in [
            (&mut bounds.lower, &index.bounds.lower),
            (&mut bounds.upper, &index.bounds.upper),
        ] {
            if let Some((expr, inclusive)) = bound {
                *place = Some((self.translate(expr, &none)?, *inclusive));
            }
        }
        let node = IndexScan {
            target,
            index: Arc::clone(&index.index),
            primary: index.primary,
            bounds,
            backward: index.backward,
            index_only: false,
            filter: self.condition(&index.filter, &layout)?,
            recheck: self.recheck(level, &index.all, &layout)?,
            condition: self.condition(&index.used, &layout)?,
        };
        Ok((
            self.node(NodeKind::IndexScan(Arc::new(node)), layout.width, estimate(path)),
            layout,
        ))
    }

    fn leaf_path_node(&mut self, path: &Path, leaf: &Leaf) -> Result<(NodeRef, Layout)> {
        // What the leaf wants of entries on its left is given by the nested loop above.
        let scope = self.scopes.last_mut().expect("a level is being planned");
        scope.requests.extend(leaf.requests.iter().copied());
        let condition = self.condition(&leaf.conditions, &leaf.layout)?;
        let Some(filter) = condition else {
            return Ok((Arc::clone(&leaf.node), leaf.layout.clone()));
        };
        let kind = with_filter(&leaf.node.kind, &filter);
        let width = leaf.node.width;
        let node = if let Some(kind) = kind {
            self.node(kind, width, estimate(path))
        } else {
            let kind = NodeKind::Filter(Arc::new(Filter {
                input: Arc::clone(&leaf.node),
                condition: filter,
            }));
            self.node(kind, width, estimate(path))
        };
        Ok((node, leaf.layout.clone()))
    }

    fn nest_node(
        &mut self,
        level: &Level<'_>,
        path: &Path,
        kind: JoinType,
        left: &Path,
        right: &Path,
        conditions: &[Expr],
    ) -> Result<(NodeRef, Layout)> {
        let (left_node, left_layout) = self.path_node(level, left)?;
        let scope = self.scopes.last_mut().expect("a level is being planned");
        let before = std::mem::take(&mut scope.requests);
        let built = self.path_node(level, right);
        let scope = self.scopes.last_mut().expect("a level is being planned");
        let wanted = std::mem::replace(&mut scope.requests, before);
        let (right_node, right_layout) = built?;
        let mut params = Vec::new();
        for (column, number, ty) in wanted {
            if let Some(place) = left_layout.columns.get(&column) {
                params.push((number, Expr::new(crate::bind::tree::ExprKind::Input(*place), ty)));
            } else {
                // Somebody further out gives it.
                let scope = self.scopes.last_mut().expect("a level is being planned");
                scope.requests.push((column, number, ty));
            }
        }
        let both = left_layout.join(&right_layout);
        let condition = self.condition(conditions, &both)?;
        let semi = is_left_only(kind);
        let layout = if semi { left_layout } else { both };
        let node = NestedLoop {
            kind,
            left: left_node,
            right: right_node,
            params,
            condition,
            filter: None,
        };
        Ok((
            self.node(NodeKind::NestedLoop(Arc::new(node)), layout.width, estimate(path)),
            layout,
        ))
    }

    fn hash_node(&mut self, level: &Level<'_>, path: &Path) -> Result<(NodeRef, Layout)> {
        let PathKind::Hash {
            kind,
            left,
            right,
            keys,
            equalities,
            conditions,
        } = &*path.kind
        else {
            return Err(PgError::internal("not a hash join"));
        };
        let (left_node, left_layout) = self.path_node(level, left)?;
        let (right_node, right_layout) = self.path_node(level, right)?;
        let both = left_layout.join(&right_layout);
        let left_keys = self.translate_all(keys.iter().map(|(left, ..)| left), &left_layout)?;
        let right_keys = self.translate_all(keys.iter().map(|(_, right, _)| right), &right_layout)?;
        let condition = self.condition(conditions, &both)?;
        let equalities = self.translate_all(equalities, &both)?;
        let layout = if is_left_only(*kind) { left_layout } else { both };
        let node = HashJoin {
            kind: *kind,
            left: left_node,
            right: right_node,
            left_keys,
            right_keys,
            key_types: keys.iter().map(|(_, _, ty)| *ty).collect(),
            condition,
            filter: None,
            equalities,
        };
        Ok((
            self.node(NodeKind::HashJoin(Arc::new(node)), layout.width, estimate(path)),
            layout,
        ))
    }

    /// Conditions over a node: into a scan or join where possible, so that EXPLAIN reads as PostgreSQL's.
    pub(super) fn filter_node(
        &mut self,
        input: NodeRef,
        conditions: &[Expr],
        layout: &Layout,
        estimate: Estimate,
    ) -> Result<NodeRef> {
        let (mut per_row, mut once) = (Vec::new(), Vec::new());
        for condition in conditions {
            let constant =
                super::same::rels_of(condition) == 0 && !super::same::is_volatile(condition) && layout.exprs.is_empty();
            if constant {
                once.push(condition.clone());
            } else {
                per_row.push(condition.clone());
            }
        }
        let width = input.width;
        let mut node = input;
        if let Some(condition) = self.condition(&per_row, layout)? {
            let kind = NodeKind::Filter(Arc::new(Filter { input: node, condition }));
            node = self.node(kind, width, estimate);
        }
        if let Some(condition) = self.condition(&once, layout)? {
            let kind = NodeKind::Result(Arc::new(ResultNode {
                exprs: Vec::new(),
                condition: Some(condition),
                input: Some(node),
            }));
            node = self.node(kind, width, estimate);
        }
        Ok(node)
    }
}

fn is_left_only(kind: JoinType) -> bool {
    matches!(kind, JoinType::Semi | JoinType::Anti | JoinType::NullAwareAnti)
}

pub(super) fn estimate(path: &Path) -> Estimate {
    Estimate {
        startup: path.startup,
        total: path.total,
        rows: path.rows,
        width: path.width,
    }
}

/// The leaf with a filter of its own; `None` where it cannot have one.
fn with_filter(kind: &NodeKind, filter: &Expr) -> Option<NodeKind> {
    use super::node::{CteScan, FunctionScan, SequenceScan, SubqueryScan, Values, VirtualScan, WorkTableScan};
    let filter = Some(filter.clone());
    Some(match kind {
        NodeKind::Values(n) => NodeKind::Values(Arc::new(Values {
            scan: n.scan,
            alias: n.alias.clone(),
            rows: n.rows.clone(),
            filter,
        })),
        NodeKind::FunctionScan(n) => NodeKind::FunctionScan(Arc::new(FunctionScan {
            scan: n.scan,
            alias: n.alias.clone(),
            calls: n.calls.clone(),
            ordinality: n.ordinality,
            filter,
        })),
        NodeKind::SubqueryScan(n) => NodeKind::SubqueryScan(Arc::new(SubqueryScan {
            scan: n.scan,
            alias: n.alias.clone(),
            input: Arc::clone(&n.input),
            filter,
        })),
        NodeKind::CteScan(n) => NodeKind::CteScan(Arc::new(CteScan {
            scan: n.scan,
            cte: n.cte,
            name: n.name.clone(),
            alias: n.alias.clone(),
            filter,
        })),
        NodeKind::WorkTableScan(n) => NodeKind::WorkTableScan(Arc::new(WorkTableScan {
            scan: n.scan,
            work_table: n.work_table,
            alias: n.alias.clone(),
            filter,
        })),
        NodeKind::SequenceScan(n) => NodeKind::SequenceScan(Arc::new(SequenceScan {
            scan: n.scan,
            sequence: Arc::clone(&n.sequence),
            filter,
        })),
        NodeKind::VirtualScan(n) => NodeKind::VirtualScan(Arc::new(VirtualScan {
            target: super::node::ScanTarget {
                scan: n.target.scan,
                table: Arc::clone(&n.target.table),
                alias: n.target.alias.clone(),
                columns: n.target.columns.clone(),
                system: n.target.system.clone(),
            },
            source: n.source.clone(),
            filter,
        })),
        _ => return None,
    })
}

/// An estimate for a node that does some work on each row of its input.
pub(super) fn over(input: &Node, a_row: f64, rows: f64) -> Estimate {
    Estimate {
        startup: input.estimate.startup,
        total: input.estimate.total + input.estimate.rows * a_row,
        rows,
        width: input.estimate.width,
    }
}

/// An estimate for a node that reads all its input before it gives a row.
pub(super) fn after(input: &Node, work: f64, rows: f64) -> Estimate {
    let startup = input.estimate.total + work;
    Estimate {
        startup,
        total: startup + rows * cost::OPERATOR,
        rows,
        width: input.estimate.width,
    }
}
