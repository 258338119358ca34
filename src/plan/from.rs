//! FROM and WHERE: which items there are, where conditions go, what is planned on its own.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::cost;
use super::join::{Item, Tree, Wish, cheapest, hash_key, keep_best};
use super::node::{CteScan, Estimate, FunctionScan, JoinType, NodeKind, NodeRef, ScanId, ScanTarget, SequenceScan};
use super::node::{SubqueryScan, Values, VirtualScan, WorkTableScan};
use super::path::{Leaf, Path, PathKind};
use super::planner::{CteRef, Layout, Planner};
use super::rewrite::deeper_query;
use super::same::{ColRef, bit, rels_of};
use crate::bind::tree::{Expr, Query, Rel, RelKind, SystemColumn};
use crate::error::Result;

/// What a query level needs of one range table entry.
#[derive(Clone, Default)]
pub(super) struct Needed {
    pub columns: BTreeSet<usize>,
    pub system: Vec<SystemColumn>,
}

/// A query level with what its entries must give.
pub(super) struct Level<'q> {
    pub query: &'q Query,
    pub needed: Vec<Needed>,
    /// Rows may be put in place of scans (EvalPlanQual): leaves must be known.
    pub epq: bool,
    pub leaves: RefCell<Vec<LeafInfo>>,
}

/// A leaf of the join, for `EvalPlanQual`.
#[derive(Clone)]
pub(super) struct LeafInfo {
    pub rel: usize,
    pub scan: ScanId,
    /// Its columns in order.
    pub columns: Vec<ColRef>,
}

impl Level<'_> {
    fn rel(&self, rel: usize) -> &Rel {
        &self.query.rels[rel]
    }

    /// Rough bytes of what is needed of an entry.
    pub fn width(&self, rel: usize) -> f64 {
        let widths = self.needed[rel].columns.iter().map(|column| {
            use crate::types::oid;
            match self.rel(rel).columns.get(*column).map(|column| column.ty) {
                Some(oid::BOOL) => 1.0,
                Some(oid::INT2) => 2.0,
                Some(oid::INT4 | oid::FLOAT4 | oid::DATE | oid::OID) => 4.0,
                Some(oid::INT8 | oid::FLOAT8 | oid::TIMESTAMP | oid::TIMESTAMPTZ | oid::TIME) => 8.0,
                Some(oid::UUID | oid::INTERVAL) => 16.0,
                _ => 32.0,
            }
        });
        widths.sum()
    }
}

impl Planner<'_> {
    /// Paths for a part of the join tree under the conditions that stand above it.
    pub(super) fn tree_paths(
        &mut self,
        level: &Level<'_>,
        tree: &Tree,
        conditions: Vec<Expr>,
        wish: &Wish<'_>,
    ) -> Result<Vec<Path>> {
        self.group_paths(level, tree, conditions, Vec::new(), wish)
    }

    /// Inner joins of the tree's parts and of `extra` finished paths.
    fn group_paths(
        &mut self,
        level: &Level<'_>,
        tree: &Tree,
        mut conditions: Vec<Expr>,
        extra: Vec<Path>,
        wish: &Wish<'_>,
    ) -> Result<Vec<Path>> {
        let mut parts = Vec::new();
        flatten(tree, &mut parts, &mut conditions);
        let mut own: Vec<Vec<Expr>> = vec![Vec::new(); parts.len() + extra.len()];
        let mut joining = Vec::new();
        let mut above = Vec::new();
        for condition in conditions {
            let rels = rels_of(&condition);
            let place = parts.iter().position(|part| rels & !part.rels() == 0).filter(|_| rels != 0);
            let place = place.or_else(|| {
                let place = extra.iter().position(|path| rels & !path.rels == 0).filter(|_| rels != 0);
                place.map(|place| place + parts.len())
            });
            match place {
                Some(place) => own[place].push(condition),
                None if rels == 0 => above.push(condition),
                None => joining.push(condition),
            }
        }
        let mut own = own.into_iter();
        let mut items = Vec::with_capacity(parts.len() + extra.len());
        for part in parts {
            let conditions = own.next().unwrap_or_default();
            items.push(self.item(level, part, conditions)?);
        }
        for path in extra {
            let conditions = own.next().unwrap_or_default();
            items.push(Item::Ready(filtered(path, conditions)));
        }
        let alone = items.len() == 1;
        let mut paths = match items.pop() {
            // A join's own paths, in all their orders.
            Some(Item::Ready(path)) if alone => vec![path],
            Some(item) => {
                items.push(item);
                self.join_items(items, &joining, wish)?
            }
            None => self.join_items(items, &joining, wish)?,
        };
        if !above.is_empty() {
            paths = paths.into_iter().map(|path| filtered(path, above.clone())).collect();
        }
        Ok(paths)
    }

    fn item(&mut self, level: &Level<'_>, tree: &Tree, conditions: Vec<Expr>) -> Result<Item> {
        match tree {
            Tree::Rel(rel) => match &level.rel(*rel).kind {
                RelKind::Table { table, indexes, .. } if table.virtual_source.is_none() => {
                    let base = self.base_table(*rel, table, indexes, level.width(*rel))?;
                    Ok(Item::Table { base, conditions })
                }
                _ => Ok(Item::Ready(self.leaf(level, *rel, conditions)?)),
            },
            Tree::Join {
                kind,
                left,
                right,
                conditions: on,
            } => {
                let paths = self.outer_join(level, *kind, left, right, on, conditions)?;
                let best = cheapest(&paths).cloned();
                Ok(Item::Ready(
                    best.ok_or_else(|| crate::error::PgError::internal("no way to join"))?,
                ))
            }
            Tree::Cross(_) => {
                let paths = self.tree_paths(level, tree, conditions, &Wish::default())?;
                let best = cheapest(&paths).cloned();
                Ok(Item::Ready(
                    best.ok_or_else(|| crate::error::PgError::internal("no way to join"))?,
                ))
            }
        }
    }

    /// A join that is not inner: the sides are planned on their own.
    fn outer_join(
        &mut self,
        level: &Level<'_>,
        kind: JoinType,
        left: &Tree,
        right: &Tree,
        on: &[Expr],
        above: Vec<Expr>,
    ) -> Result<Vec<Path>> {
        let (mut to_left, mut to_right, mut joining, mut after) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let full = matches!(kind, JoinType::Full);
        for condition in above {
            let rels = rels_of(&condition);
            if !full && rels & !left.rels() == 0 {
                to_left.push(condition);
            } else {
                after.push(condition);
            }
        }
        for condition in on {
            let rels = rels_of(condition);
            let right_only = !full && rels != 0 && rels & !right.rels() == 0;
            if right_only {
                to_right.push(condition.clone());
            } else {
                joining.push(condition.clone());
            }
        }
        let wish = Wish::default();
        let left_paths = self.tree_paths(level, left, to_left.clone(), &wish)?;
        let right_paths = self.tree_paths(level, right, to_right.clone(), &wish)?;
        let mut paths = Vec::new();
        for left in &left_paths {
            for right in &right_paths {
                self.join_two(kind, left, right, &joining, &mut paths);
            }
            // The right table by an index, with values of the left row.
            if let Tree::Rel(rel) = right
                && !full
                && let RelKind::Table { table, indexes, .. } = &level.rel(*rel).kind
                && table.virtual_source.is_none()
            {
                let base = self.base_table(*rel, table, indexes, level.width(*rel))?;
                let together: Vec<Expr> = to_right.iter().chain(&joining).cloned().collect();
                for path in self.table_paths(&base, &together, left.rels) {
                    if path.needs != 0 && !matches!(&*path.kind, PathKind::Seq { .. }) {
                        self.nest_two(kind, left, &path, &[], &mut paths);
                    }
                }
            }
        }
        if kind == JoinType::Semi
            && let Some(unique) = self.unique_right(&right_paths, &joining, left.rels())
        {
            // Each right value once, then an ordinary join: the left table may be looked up by an index.
            paths.extend(self.group_paths(level, left, to_left.into_iter().chain(joining).collect(), vec![unique], &wish)?);
        }
        let paths = paths.into_iter().map(|path| filtered(path, after.clone())).collect();
        Ok(keep_best(paths, &wish))
    }

    /// The right side of a semi join with each combination of join values once.
    fn unique_right(&mut self, right: &[Path], joining: &[Expr], left_rels: u128) -> Option<Path> {
        let right = cheapest(right)?;
        let mut keys = Vec::with_capacity(joining.len());
        for condition in joining {
            keys.push(hash_key(condition, left_rels, right.rels)?.1);
        }
        if keys.is_empty() || right.needs != 0 {
            return None;
        }
        Some(Path {
            startup: right.total + right.rows * cost::OPERATOR,
            total: right.total + right.rows * (cost::OPERATOR + cost::TUPLE),
            rows: (right.rows * 0.9).max(1.0),
            kind: Arc::new(PathKind::Unique {
                input: right.clone(),
                keys,
            }),
            order: Vec::new(),
            ..*right
        })
    }

    /// Anything in FROM that is no stored table.
    fn leaf(&mut self, level: &Level<'_>, rel: usize, conditions: Vec<Expr>) -> Result<Path> {
        let before = std::mem::take(&mut self.scopes.last_mut().expect("a level is being planned").requests);
        let planned = self.leaf_node(level, rel);
        let scope = self.scopes.last_mut().expect("a level is being planned");
        let requests = std::mem::replace(&mut scope.requests, before);
        let (node, columns, scan) = planned?;
        let mut layout = Layout {
            width: node.width,
            ..Layout::default()
        };
        for (place, column) in columns.iter().enumerate() {
            layout.columns.insert(*column, place);
        }
        if let Some(scan) = scan {
            level.leaves.borrow_mut().push(LeafInfo { rel, scan, columns });
        }
        let needs = requests.iter().fold(0, |rels, (column, ..)| rels | bit(column.rel()))
            | (conditions.iter().fold(0, |rels, c| rels | rels_of(c)) & !bit(rel));
        let estimate = node.estimate;
        let share: f64 = conditions.iter().map(|c| cost::selectivity(c, None)).product();
        Ok(Path {
            rels: bit(rel),
            needs,
            startup: estimate.startup,
            total: estimate.total + estimate.rows * cost::OPERATOR * cost::count(conditions.len()),
            rows: (estimate.rows * share).max(1.0),
            width: estimate.width,
            order: Vec::new(),
            kind: Arc::new(PathKind::Leaf(Leaf {
                node,
                layout,
                requests,
                conditions,
            })),
        })
    }

    fn leaf_node(&mut self, level: &Level<'_>, rel: usize) -> Result<(NodeRef, Vec<ColRef>, Option<ScanId>)> {
        let entry = level.rel(rel);
        let all = |count: usize| (0..count).map(|column| ColRef::Column(rel, column)).collect::<Vec<_>>();
        match &entry.kind {
            RelKind::Subquery { query, .. } => {
                let node = self.plan_query(query)?;
                self.sub_query_leaf(level, rel, node)
            }
            RelKind::Cte { level: up, cte } => self.cte_leaf(level, rel, *up, *cte),
            RelKind::Values(rows) => {
                let scan = self.new_scan();
                let mut planned = Vec::with_capacity(rows.len());
                for row in rows {
                    planned.push(self.translate_all(row, &Layout::default())?);
                }
                let width = rows.first().map_or(0, Vec::len);
                let estimate = rows_estimate(cost::count(rows.len()), cost::OPERATOR, level.width(rel));
                let kind = NodeKind::Values(Arc::new(Values {
                    scan,
                    alias: entry.name.clone(),
                    rows: planned,
                    filter: None,
                }));
                Ok((self.node(kind, width, estimate), all(width), Some(scan)))
            }
            RelKind::Functions { calls, ordinality } => {
                let scan = self.new_scan();
                let mut planned = Vec::with_capacity(calls.len());
                for call in calls {
                    planned.push((self.translate(&call.expr, &Layout::default())?, call.columns));
                }
                let width = calls.iter().map(|call| call.columns).sum::<usize>() + usize::from(*ordinality);
                let rows = if calls.iter().any(|call| super::same::is_set(&call.expr)) {
                    function_rows(calls)
                } else {
                    1.0
                };
                let estimate = rows_estimate(rows, cost::TUPLE, level.width(rel));
                let kind = NodeKind::FunctionScan(Arc::new(FunctionScan {
                    scan,
                    alias: entry.name.clone(),
                    calls: planned,
                    ordinality: *ordinality,
                    filter: None,
                }));
                Ok((self.node(kind, width, estimate), all(width), Some(scan)))
            }
            RelKind::Sequence(sequence) => {
                let scan = self.new_scan();
                let kind = NodeKind::SequenceScan(Arc::new(SequenceScan {
                    scan,
                    sequence: Arc::clone(sequence),
                    filter: None,
                }));
                Ok((self.node(kind, 3, rows_estimate(1.0, 1.0, 17.0)), all(3), Some(scan)))
            }
            RelKind::Table { table, .. } => {
                let target = self.scan_target(level, rel, table);
                let columns = target_columns(rel, &target);
                let scan = target.scan;
                let source = table.virtual_source.clone().unwrap_or_default();
                let estimate = rows_estimate(100.0, cost::TUPLE, level.width(rel));
                let kind = NodeKind::VirtualScan(Arc::new(VirtualScan {
                    target,
                    source,
                    filter: None,
                }));
                Ok((self.node(kind, columns.len(), estimate), columns, Some(scan)))
            }
            RelKind::Join => Err(crate::error::PgError::internal("a join's result columns stand in FROM")),
        }
    }

    fn sub_query_leaf(
        &mut self,
        level: &Level<'_>,
        rel: usize,
        input: NodeRef,
    ) -> Result<(NodeRef, Vec<ColRef>, Option<ScanId>)> {
        let entry = level.rel(rel);
        let columns = (0..entry.columns.len()).map(|column| ColRef::Column(rel, column)).collect();
        let scan = self.new_scan();
        let (width, estimate) = (input.width, input.estimate);
        let kind = NodeKind::SubqueryScan(Arc::new(SubqueryScan {
            scan,
            alias: entry.name.clone(),
            input,
            filter: None,
        }));
        Ok((self.node(kind, width, estimate), columns, Some(scan)))
    }

    fn cte_leaf(&mut self, level: &Level<'_>, rel: usize, up: u32, cte: usize) -> Result<(NodeRef, Vec<ColRef>, Option<ScanId>)> {
        let entry = level.rel(rel);
        let depth = self.scopes.len().checked_sub(1 + up as usize);
        let reference = depth.and_then(|depth| self.scopes[depth].ctes.get(cte)).cloned();
        let columns = |width: usize| (0..width).map(|column| ColRef::Column(rel, column)).collect::<Vec<_>>();
        match reference {
            Some(CteRef::Plan(number)) => {
                let scan = self.new_scan();
                let root = Arc::clone(&self.ctes[number].root);
                let estimate = rows_estimate(root.estimate.rows, cost::TUPLE * 2.0, root.estimate.width);
                let kind = NodeKind::CteScan(Arc::new(CteScan {
                    scan,
                    cte: number,
                    name: self.ctes[number].name.clone(),
                    alias: entry.name.clone(),
                    filter: None,
                }));
                Ok((
                    self.node(kind, root.width, estimate),
                    columns(entry.columns.len()),
                    Some(scan),
                ))
            }
            Some(CteRef::WorkTable(work_table)) => {
                let scan = self.new_scan();
                let width = entry.columns.len();
                let kind = NodeKind::WorkTableScan(Arc::new(WorkTableScan {
                    scan,
                    work_table,
                    alias: entry.name.clone(),
                    filter: None,
                }));
                Ok((
                    self.node(kind, width, rows_estimate(10.0, cost::TUPLE, level.width(rel))),
                    columns(width),
                    Some(scan),
                ))
            }
            Some(CteRef::Inline(query)) => {
                let node = self.plan_query(&deeper_query(&query, up))?;
                self.sub_query_leaf(level, rel, node)
            }
            Some(CteRef::Unused) | None => Err(crate::error::PgError::internal("a CTE is not there")),
        }
    }

    /// What a scan of a table gives at this level.
    pub(super) fn scan_target(&mut self, level: &Level<'_>, rel: usize, table: &Arc<crate::catalog::Table>) -> ScanTarget {
        let needed = &level.needed[rel];
        ScanTarget {
            scan: self.new_scan(),
            table: Arc::clone(table),
            alias: level.rel(rel).name.clone(),
            columns: needed.columns.iter().copied().collect(),
            system: needed.system.clone(),
        }
    }
}

/// The columns of a scan's rows.
pub(super) fn target_columns(rel: usize, target: &ScanTarget) -> Vec<ColRef> {
    let columns = target.columns.iter().map(|column| ColRef::Column(rel, *column));
    columns
        .chain(target.system.iter().map(|column| ColRef::System(rel, (*column).into())))
        .collect()
}

/// Parts of inner joins.
fn flatten<'t>(tree: &'t Tree, parts: &mut Vec<&'t Tree>, conditions: &mut Vec<Expr>) {
    match tree {
        Tree::Join {
            kind: JoinType::Inner,
            left,
            right,
            conditions: on,
        } => {
            flatten(left, parts, conditions);
            flatten(right, parts, conditions);
            conditions.extend(on.iter().cloned());
        }
        Tree::Cross(inner) => inner.iter().for_each(|part| flatten(part, parts, conditions)),
        Tree::Rel(_) | Tree::Join { .. } => parts.push(tree),
    }
}

/// A path with conditions on top.
pub(super) fn filtered(path: Path, conditions: Vec<Expr>) -> Path {
    if conditions.is_empty() {
        return path;
    }
    let share: f64 = conditions.iter().map(|c| cost::selectivity(c, None)).product();
    let outside = conditions.iter().fold(0, |rels, c| rels | rels_of(c)) & !path.rels;
    Path {
        rels: path.rels,
        needs: path.needs | outside,
        startup: path.startup,
        total: path.total + path.rows * cost::OPERATOR * cost::count(conditions.len()),
        rows: (path.rows * share).max(1.0),
        width: path.width,
        order: path.order.clone(),
        kind: Arc::new(PathKind::Filter { input: path, conditions }),
    }
}

pub(super) fn rows_estimate(rows: f64, a_row: f64, width: f64) -> Estimate {
    Estimate {
        startup: 0.0,
        total: rows * a_row,
        rows: rows.max(1.0),
        width,
    }
}

/// Rows of `generate_series` with constant bounds; a guess for others.
fn function_rows(calls: &[crate::bind::tree::TableFunction]) -> f64 {
    use crate::bind::tree::ExprKind;
    use crate::types::Value;
    let number = |expr: &Expr| match &expr.kind {
        ExprKind::Const(Value::Int4(v)) => Some(f64::from(*v)),
        #[allow(clippy::cast_precision_loss)]
        ExprKind::Const(Value::Int8(v)) => Some(*v as f64),
        _ => None,
    };
    if let [call] = calls
        && let ExprKind::Call(call) = &call.expr.kind
        && call.function.name == "generate_series"
        && let [start, end] = &call.args[..]
        && let (Some(start), Some(end)) = (number(start), number(end))
    {
        return (end - start + 1.0).max(1.0);
    }
    1000.0
}
