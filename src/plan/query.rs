//! One query level: FROM and WHERE, grouping, windows, targets, DISTINCT, ORDER BY, locks, LIMIT.

use std::cell::RefCell;
use std::sync::Arc;

use super::access::bare;
use super::cost;
use super::fold::fold;
use super::from::{Level, Needed, rows_estimate};
use super::join::Wish;
use super::node::{CtePlan, EpqSource, Limit, LockMark, LockRows, NodeKind, NodeRef, Project, ProjectSet, RecursiveUnion};
use super::node::{Sort, SortColumn, Unique};
use super::nodes::{after, over};
use super::path::{OrderKey, Path};
use super::planner::{CteRef, Layout, Planner, RelTypes, Scope};
use super::rewrite;
use super::same::{ColRef, for_query_exprs, groups, is_set, query_columns, query_is_volatile};
use crate::bind::tree::{Command, Cte, Distinct, Expr, ExprKind, Query, RelKind, SetKind, SetOperation, SystemColumn};
use crate::error::{PgError, Result};
use crate::lock::RelationMode;
use crate::types::oid;

impl Planner<'_> {
    /// Plans a query of any command. Its rows begin with its visible targets (or RETURNING's).
    pub(super) fn plan_query(&mut self, query: &Query) -> Result<NodeRef> {
        if self.scopes.len() > crate::limits::NESTING_MAX {
            return Err(PgError::too_deep());
        }
        let mut query = query.clone();
        let cx = self.cx;
        rewrite::fold_query(&mut query, &mut |expr| fold(expr, cx));
        self.scopes.push(Scope::default());
        let planned = self.plan_level(&mut query);
        self.scopes.pop();
        planned
    }

    fn plan_level(&mut self, query: &mut Query) -> Result<NodeRef> {
        self.note_rels(query);
        self.plan_ctes(query)?;
        if let (Command::Select, Some(operation)) = (&query.command, query.set_operation.clone()) {
            return self.plan_set_query(query, &operation);
        }
        if matches!(query.command, Command::Select) {
            self.inline_ctes(query);
            rewrite::pull_up(query);
        }
        self.note_rels(query);
        match query.command.clone() {
            Command::Select => self.plan_select(query),
            Command::Insert(insert) => self.plan_insert(query, &insert),
            Command::Update(update) => self.plan_update(query, &update),
            Command::Delete(delete) => self.plan_delete(query, &delete),
        }
    }

    /// Relation locks of the whole query, in the order in which PostgreSQL's parser meets the names.
    pub(super) fn lock_relations(&mut self, query: &Query) {
        for cte in &query.ctes {
            self.lock_relations(&cte.query);
        }
        let target = match &query.command {
            Command::Select => None,
            Command::Insert(insert) => Some(insert.target),
            Command::Update(update) => Some(update.target),
            Command::Delete(delete) => Some(delete.target),
        };
        for rel in target.into_iter().chain(0..query.rels.len()) {
            match &query.rels[rel].kind {
                RelKind::Table { table, lock, .. } if table.virtual_source.is_none() => self.lock(table.oid, *lock),
                RelKind::Subquery { query, view } => {
                    if let Some(view) = view {
                        self.lock(*view, RelationMode::AccessShare);
                    }
                    self.lock_relations(query);
                }
                RelKind::Sequence(sequence) => self.lock(sequence.oid, RelationMode::AccessShare),
                _ => {}
            }
        }
        for_query_exprs(query, &mut |expr| {
            super::walk::any_expr(expr, &mut |part| {
                if let ExprKind::SubLink(link) = &part.kind {
                    self.lock_relations(&link.query);
                }
                false
            });
        });
    }

    /// Types of the entries' columns, for whole-row values.
    pub(super) fn note_rels(&mut self, query: &Query) {
        let rels = query.rels.iter().map(|rel| RelTypes {
            row_type: match &rel.kind {
                RelKind::Table { table, .. } => table.row_type,
                _ => oid::RECORD,
            },
            columns: rel
                .columns
                .iter()
                .map(|c| (c.name.clone(), c.ty, c.typmod, c.dropped))
                .collect(),
        });
        let rels = rels.collect();
        self.scopes.last_mut().expect("a level is being planned").rels = rels;
    }

    /// What the level reads of each entry.
    pub(super) fn level<'q>(&mut self, query: &'q Query, epq: bool) -> Result<Level<'q>> {
        if query.rels.len() > 128 {
            return Err(PgError::unsupported("a query over more than 128 tables and sub-selects"));
        }
        let mut needed = vec![Needed::default(); query.rels.len()];
        query_columns(query, 0, &mut |column| note_needed(&mut needed, query, column));
        for rel in 0..query.rels.len() {
            let keyed = matches!(&query.rels[rel].kind, RelKind::Table { table, .. } if table.virtual_source.is_none());
            if epq && keyed {
                note_needed(&mut needed, query, ColRef::System(rel, SystemColumn::Ctid.into()));
            }
            if epq && !keyed {
                let all = 0..query.rels[rel].columns.len();
                needed[rel]
                    .columns
                    .extend(all.filter(|column| !query.rels[rel].columns[*column].dropped));
            }
        }
        Ok(Level {
            query,
            needed,
            epq,
            leaves: RefCell::new(Vec::new()),
        })
    }

    /// FROM and WHERE as one node: the cheapest, or the one that gives the order wanted where that is worth it.
    pub(super) fn plan_from(
        &mut self,
        level: &Level<'_>,
        tree: &super::join::Tree,
        conditions: Vec<Expr>,
        wish: &Wish<'_>,
    ) -> Result<(NodeRef, Layout, bool)> {
        let fixed_conditions = conditions.clone();
        let fixed = |expr: &Expr| is_fixed(expr, &fixed_conditions);
        let paths = self.tree_paths(level, tree, conditions, wish)?;
        let price = |path: &Path| {
            let sorted = wish.order.is_empty() || path.gives(wish.order, &fixed);
            let sort = if sorted { 0.0 } else { cost::sort(path.rows) };
            match wish.fraction {
                // Only some rows are read, unless all must be sorted first. The rows that pass a filter may all be at the
                // far end (a queue's done jobs come first): an index that finds just those wanted is worth much.
                Some(rows) if sorted => {
                    let risk = if path.drops_rows() { 20.0 } else { 1.0 };
                    path.startup + (path.total - path.startup) * (risk * rows / path.rows.max(1.0)).min(1.0)
                }
                _ => path.total + sort,
            }
        };
        let best = paths.iter().min_by(|a, b| price(a).total_cmp(&price(b)));
        let best = best.ok_or_else(|| PgError::internal("no way to read FROM"))?;
        let ordered = !wish.order.is_empty() && best.gives(wish.order, &fixed);
        let best = best.clone();
        let (node, layout) = self.path_node(level, &best)?;
        Ok((node, layout, ordered))
    }

    fn plan_select(&mut self, query: &mut Query) -> Result<NodeRef> {
        let (node, _) = self.plan_select_rows(query)?;
        Ok(node)
    }

    /// A SELECT level; also the rows that INSERT takes.
    pub(super) fn plan_select_rows(&mut self, query: &mut Query) -> Result<(NodeRef, Layout)> {
        let (tree, conditions) = rewrite::join_tree(query);
        self.note_rels(query);
        let query = &*query;
        let marks = !query.row_marks.is_empty();
        let conditions_query = with_conditions(query, &tree, &conditions);
        let level = self.level(&conditions_query, marks)?;
        let grouping = groups(query);
        let simple = !grouping && !query.has_windows && matches!(query.distinct, Distinct::No) && !query.has_set_returning;
        let order = if simple { wished_order(query) } else { Vec::new() };
        let fraction = if simple { limit_rows(query) } else { None };
        let (mut node, mut layout, mut ordered) = self.plan_from(&level, &tree, conditions, &Wish { order: &order, fraction })?;
        if grouping {
            (node, layout) = self.plan_groups(query, node, layout)?;
            ordered = false;
        }
        if query.has_windows {
            (node, layout) = self.plan_windows(query, node, layout)?;
            ordered = false;
        }
        let (sources, mark_list, hidden) = if marks {
            self.lock_parts(&level, &layout)?
        } else {
            Default::default()
        };
        node = self.plan_targets(query, node, &layout, &hidden)?;
        let width = query.targets.len();
        let distinct_sorted;
        (node, distinct_sorted) = self.plan_distinct(query, node)?;
        let keys = sort_columns(query);
        if !keys.is_empty() && !ordered && !distinct_sorted {
            node = self.plan_sort(query, node, keys.clone(), marks)?;
        }
        if marks {
            // Places of identities are after the targets.
            let moved = |place: usize| hidden.iter().position(|h| *h == place).map_or(place, |at| width + at);
            let marks = mark_list
                .into_iter()
                .map(|mark| LockMark {
                    identity: moved(mark.identity),
                    ..mark
                })
                .collect();
            let sources = sources.into_iter().map(|source| move_source(source, &moved)).collect();
            self.locks_rows = true;
            let estimate = over(&node, cost::TUPLE, node.estimate.rows);
            let row_width = node.width;
            node = self.node(
                NodeKind::LockRows(Arc::new(LockRows {
                    input: node,
                    marks,
                    sources,
                })),
                row_width,
                estimate,
            );
        }
        node = self.plan_limit(query, node, &keys)?;
        Ok((node, layout))
    }

    /// Row marks and leaves with their places in `layout`; and the places that must go on above the targets.
    #[allow(clippy::type_complexity)]
    fn lock_parts(&mut self, level: &Level<'_>, layout: &Layout) -> Result<(Vec<EpqSource>, Vec<LockMark>, Vec<usize>)> {
        let sources = self.epq_sources(level, layout);
        let mut hidden = Vec::new();
        for source in &sources {
            match source {
                EpqSource::Fetch { identity, .. } => hidden.push(*identity),
                EpqSource::Copy { columns, .. } => hidden.extend_from_slice(columns),
            }
        }
        let mut marks = Vec::new();
        for mark in &level.query.row_marks {
            let RelKind::Table { table, .. } = &level.query.rels[mark.rel].kind else {
                continue;
            };
            let leaf = level.leaves.borrow().iter().find(|leaf| leaf.rel == mark.rel).cloned();
            let identity = layout.columns.get(&ColRef::System(mark.rel, SystemColumn::Ctid.into()));
            if let (Some(leaf), Some(identity)) = (leaf, identity) {
                let (mode, wait) = (mark.mode, mark.wait);
                marks.push(LockMark {
                    scan: leaf.scan,
                    table: Arc::clone(table),
                    identity: *identity,
                    mode,
                    wait,
                });
            }
        }
        hidden.dedup();
        Ok((sources, marks, hidden))
    }

    /// How `EvalPlanQual` finds each leaf's row again.
    pub(super) fn epq_sources(&mut self, level: &Level<'_>, layout: &Layout) -> Vec<EpqSource> {
        let mut sources = Vec::new();
        for leaf in level.leaves.borrow().iter() {
            let identity = layout.columns.get(&ColRef::System(leaf.rel, SystemColumn::Ctid.into()));
            match (&level.query.rels[leaf.rel].kind, identity) {
                (RelKind::Table { table, .. }, Some(identity)) if table.virtual_source.is_none() => {
                    sources.push(EpqSource::Fetch {
                        scan: leaf.scan,
                        table: Arc::clone(table),
                        identity: *identity,
                    });
                }
                _ => {
                    let places: Option<Vec<usize>> = leaf
                        .columns
                        .iter()
                        .map(|column| layout.columns.get(column).copied())
                        .collect();
                    if let Some(columns) = places {
                        sources.push(EpqSource::Copy {
                            scan: leaf.scan,
                            columns,
                        });
                    }
                }
            }
        }
        sources
    }

    fn plan_targets(&mut self, query: &Query, input: NodeRef, layout: &Layout, hidden: &[usize]) -> Result<NodeRef> {
        let mut exprs = Vec::with_capacity(query.targets.len() + hidden.len());
        for target in &query.targets {
            exprs.push(self.translate(&target.expr, layout)?);
        }
        exprs.extend(hidden.iter().map(|place| Expr::new(ExprKind::Input(*place), oid::TID)));
        let width = exprs.len();
        let mut input = input;
        if query.has_set_returning {
            while exprs.iter().any(has_inner_set) {
                input = self.set_columns(input, &mut exprs);
            }
            if exprs.iter().any(is_set) {
                let estimate = over(&input, cost::TUPLE, input.estimate.rows * 100.0);
                return Ok(self.node(NodeKind::ProjectSet(Arc::new(ProjectSet { input, exprs })), width, estimate));
            }
        }
        // Nothing but the input's own columns in their places.
        let same = exprs
            .iter()
            .enumerate()
            .all(|(at, expr)| matches!(expr.kind, ExprKind::Input(place) if place == at));
        if same && input.width >= width && !exprs.is_empty() {
            return Ok(input);
        }
        if let NodeKind::Result(result) = &input.kind
            && result.input.is_none()
            && result.condition.is_none()
            && result.exprs.is_empty()
        {
            let estimate = rows_estimate(1.0, cost::TUPLE, 4.0 * cost::count(width));
            let kind = super::node::ResultNode {
                exprs,
                condition: None,
                input: None,
            };
            return Ok(self.node(NodeKind::Result(Arc::new(kind)), width, estimate));
        }
        let estimate = over(&input, 0.0, input.estimate.rows);
        Ok(self.node(NodeKind::Project(Arc::new(Project { input, exprs })), width, estimate))
    }

    /// Sets inside expressions become columns of a node below; the innermost ones first.
    fn set_columns(&mut self, input: NodeRef, exprs: &mut [Expr]) -> NodeRef {
        let mut columns: Vec<Expr> = (0..input.width)
            .map(|at| Expr::new(ExprKind::Input(at), oid::UNKNOWN))
            .collect();
        for expr in exprs.iter_mut() {
            take_sets(expr, &mut columns);
        }
        let (estimate, width) = (over(&input, cost::TUPLE, input.estimate.rows * 100.0), columns.len());
        self.node(
            NodeKind::ProjectSet(Arc::new(ProjectSet { input, exprs: columns })),
            width,
            estimate,
        )
    }

    /// DISTINCT. Answers whether the rows are sorted as ORDER BY wants.
    fn plan_distinct(&mut self, query: &Query, input: NodeRef) -> Result<(NodeRef, bool)> {
        let key = |column: usize| SortColumn {
            column,
            ty: query.targets[column].expr.ty,
            descending: false,
            nulls_first: false,
        };
        match &query.distinct {
            Distinct::No => Ok((input, false)),
            Distinct::All => {
                let keys = query
                    .targets
                    .iter()
                    .enumerate()
                    .filter(|(_, target)| !target.junk)
                    .map(|(at, _)| key(at))
                    .collect();
                let rows = (input.estimate.rows * 0.5).max(1.0);
                let (estimate, width) = (after(&input, input.estimate.rows * cost::TUPLE, rows), input.width);
                let kind = NodeKind::Unique(Arc::new(Unique {
                    input,
                    keys,
                    hashed: true,
                }));
                Ok((self.node(kind, width, estimate), false))
            }
            Distinct::On(places) => {
                let sorted = sort_columns(query);
                let mut keys: Vec<SortColumn> = sorted.clone();
                for place in places {
                    if !keys.iter().any(|key| key.column == *place) {
                        keys.push(key(*place));
                    }
                }
                let node = self.sort_node(input, keys, None);
                let on = places.iter().map(|place| key(*place)).collect();
                let rows = (node.estimate.rows * 0.5).max(1.0);
                let (estimate, width) = (over(&node, cost::OPERATOR, rows), node.width);
                let kind = NodeKind::Unique(Arc::new(Unique {
                    input: node,
                    keys: on,
                    hashed: false,
                }));
                Ok((self.node(kind, width, estimate), true))
            }
        }
    }

    pub(super) fn sort_node(&mut self, input: NodeRef, keys: Vec<SortColumn>, bound: Option<Expr>) -> NodeRef {
        let (estimate, width) = (
            after(&input, cost::sort(input.estimate.rows), input.estimate.rows),
            input.width,
        );
        self.node(
            NodeKind::Sort(Arc::new(Sort {
                input,
                keys,
                presorted: 0,
                bound,
            })),
            width,
            estimate,
        )
    }

    fn plan_sort(&mut self, query: &Query, input: NodeRef, keys: Vec<SortColumn>, marks: bool) -> Result<NodeRef> {
        // With row locks, rows may fall away above the sort.
        let bound = match (&query.limit, &query.offset) {
            (Some(limit), None) if !marks && !query.with_ties && !super::same::has_slots(limit) => {
                Some(self.translate(limit, &Layout::default())?)
            }
            _ => None,
        };
        // A bound that an outer row gives would make kept rows stale.
        let bound = bound.filter(|bound| !super::walk::any_expr(bound, &mut |part| matches!(part.kind, ExprKind::Outer(_))));
        Ok(self.sort_node(input, keys, bound))
    }

    fn plan_limit(&mut self, query: &Query, input: NodeRef, keys: &[SortColumn]) -> Result<NodeRef> {
        if query.limit.is_none() && query.offset.is_none() {
            return Ok(input);
        }
        let none = Layout::default();
        let limit = query.limit.as_ref().map(|expr| self.translate(expr, &none)).transpose()?;
        let offset = query.offset.as_ref().map(|expr| self.translate(expr, &none)).transpose()?;
        let ties = query.with_ties.then(|| keys.to_vec());
        let rows = limit_rows(query)
            .unwrap_or(input.estimate.rows * 0.1)
            .clamp(1.0, input.estimate.rows.max(1.0));
        let share = rows / input.estimate.rows.max(1.0);
        let mut estimate = input.estimate;
        estimate.total = estimate.startup + (estimate.total - estimate.startup) * share;
        estimate.rows = rows;
        let width = input.width;
        Ok(self.node(
            NodeKind::Limit(Arc::new(Limit {
                input,
                limit,
                offset,
                ties,
            })),
            width,
            estimate,
        ))
    }

    // CTEs.

    fn plan_ctes(&mut self, query: &Query) -> Result<()> {
        for (number, cte) in query.ctes.iter().enumerate() {
            let reference = self.plan_cte(query, number, cte)?;
            self.scopes.last_mut().expect("a level is being planned").ctes.push(reference);
        }
        Ok(())
    }

    fn plan_cte(&mut self, _query: &Query, _number: usize, cte: &Cte) -> Result<CteRef> {
        let select = matches!(cte.query.command, Command::Select);
        if cte.recursive && reads_itself(&cte.query) {
            return self.plan_recursive(cte);
        }
        if select && cte.references == 0 {
            return Ok(CteRef::Unused);
        }
        let inline = match cte.materialized {
            Some(materialized) => !materialized,
            None => cte.references == 1,
        };
        if select && inline && !query_is_volatile(&cte.query) {
            return Ok(CteRef::Inline(Arc::new(cte.query.clone())));
        }
        let root = self.plan_query(&cte.query)?;
        self.ctes.push(CtePlan {
            name: cte.name.clone(),
            root,
            run_to_end: !select,
        });
        Ok(CteRef::Plan(self.ctes.len() - 1))
    }

    /// `start UNION [ALL] step`, where the step reads the CTE itself.
    fn plan_recursive(&mut self, cte: &Cte) -> Result<CteRef> {
        let query = &cte.query;
        let Some(SetOperation::Node {
            kind: SetKind::Union,
            all,
            left,
            right,
            types,
        }) = &query.set_operation
        else {
            return Err(PgError::unsupported("a recursive query that is no UNION"));
        };
        let (SetOperation::Leaf(start), SetOperation::Leaf(step)) = (&**left, &**right) else {
            return Err(PgError::unsupported("a recursive query of several set operations"));
        };
        if !query.sort.is_empty() || query.limit.is_some() || query.offset.is_some() {
            return Err(PgError::unsupported("ORDER BY, LIMIT or OFFSET in a recursive query"));
        }
        let work_table = self.work_tables;
        self.work_tables += 1;
        // The leaves are sub-selects of the CTE's query, which is nested in this one.
        let this = self.scopes.len() - 1;
        self.scopes[this].ctes.push(CteRef::WorkTable(work_table));
        self.scopes.push(Scope::default());
        self.note_rels(query);
        let planned = self.recursive_sides(query, *start, *step);
        self.scopes.pop();
        self.scopes[this].ctes.pop();
        let (start, step) = planned?;
        let types: Vec<_> = types.iter().map(|(ty, _)| *ty).collect();
        let estimate = rows_estimate(
            start.estimate.rows + 10.0 * step.estimate.rows,
            cost::TUPLE,
            start.estimate.width,
        );
        let width = types.len();
        let union = RecursiveUnion {
            work_table,
            start,
            step,
            all: *all,
            types,
        };
        let root = self.node(NodeKind::RecursiveUnion(Arc::new(union)), width, estimate);
        self.ctes.push(CtePlan {
            name: cte.name.clone(),
            root,
            run_to_end: false,
        });
        Ok(CteRef::Plan(self.ctes.len() - 1))
    }

    fn recursive_sides(&mut self, query: &Query, start: usize, step: usize) -> Result<(NodeRef, NodeRef)> {
        self.plan_ctes(query)?;
        let mut sides = Vec::with_capacity(2);
        for rel in [start, step] {
            match &query.rels[rel].kind {
                RelKind::Subquery { query, .. } => sides.push(self.plan_query(query)?),
                _ => return Err(PgError::internal("a side of a recursive query is no sub-select")),
            }
        }
        let step = sides.pop().expect("two were pushed");
        let start = sides.pop().expect("two were pushed");
        Ok((start, step))
    }

    /// References to CTEs that are not computed apart become sub-selects.
    fn inline_ctes(&mut self, query: &mut Query) {
        for rel in &mut query.rels {
            if let RelKind::Cte { level, cte } = rel.kind
                && let Some(depth) = self.scopes.len().checked_sub(1 + level as usize)
                && let Some(CteRef::Inline(inner)) = self.scopes[depth].ctes.get(cte)
            {
                let mut inner = rewrite::deeper_query(inner, level);
                self_fold(&mut inner, self.cx);
                rel.kind = RelKind::Subquery {
                    query: Box::new(inner),
                    view: None,
                };
            }
        }
    }
}

fn self_fold(query: &mut Query, cx: &super::PlanContext<'_>) {
    rewrite::fold_query(query, &mut |expr| fold(expr, cx));
}

/// Whether a set-returning function stands anywhere but at the top.
fn has_inner_set(expr: &Expr) -> bool {
    let mut found = false;
    crate::bind::walk::children(expr, &mut |child| {
        found = found || super::walk::any_expr(child, &mut |part| is_set(part));
    });
    found
}

/// Moves the innermost sets of `expr` to `columns`, leaving references.
fn take_sets(expr: &mut Expr, columns: &mut Vec<Expr>) {
    if is_set(expr) && !has_inner_set(expr) {
        let place = columns.len();
        let reference = Expr {
            kind: ExprKind::Input(place),
            ty: expr.ty,
            typmod: expr.typmod,
        };
        columns.push(std::mem::replace(expr, reference));
        return;
    }
    crate::bind::walk::children_mut(expr, &mut |child| take_sets(child, columns));
}

/// The query as the level sees it after its conditions were taken out: they still say which columns are needed.
fn with_conditions(query: &Query, tree: &super::join::Tree, conditions: &[Expr]) -> Query {
    let mut all = conditions.to_vec();
    tree_conditions(tree, &mut all);
    let mut copy = query.clone();
    copy.filter = super::fold::conjunction(all);
    copy
}

fn tree_conditions(tree: &super::join::Tree, out: &mut Vec<Expr>) {
    use super::join::Tree;
    match tree {
        Tree::Rel(_) => {}
        Tree::Cross(parts) => parts.iter().for_each(|part| tree_conditions(part, out)),
        Tree::Join {
            left, right, conditions, ..
        } => {
            out.extend(conditions.iter().cloned());
            tree_conditions(left, out);
            tree_conditions(right, out);
        }
    }
}

/// For UPDATE and DELETE, which take their conditions apart themselves.
pub(super) fn level_query(query: &Query, tree: &super::join::Tree, conditions: &[Expr]) -> Query {
    with_conditions(query, tree, conditions)
}

fn note_needed(needed: &mut [Needed], query: &Query, column: ColRef) {
    let Some(entry) = needed.get_mut(column.rel()) else {
        return;
    };
    match column {
        ColRef::Column(_, column) => {
            entry.columns.insert(column);
        }
        ColRef::System(_, column) => {
            let column: SystemColumn = column.into();
            if !entry.system.contains(&column) {
                entry.system.push(column);
            }
        }
        ColRef::WholeRow(rel) => {
            let columns = query.rels[rel].columns.iter().enumerate();
            entry
                .columns
                .extend(columns.filter(|(_, column)| !column.dropped).map(|(at, _)| at));
        }
    }
}

fn move_source(source: EpqSource, moved: &dyn Fn(usize) -> usize) -> EpqSource {
    match source {
        EpqSource::Fetch { scan, table, identity } => EpqSource::Fetch {
            scan,
            table,
            identity: moved(identity),
        },
        EpqSource::Copy { scan, columns } => EpqSource::Copy {
            scan,
            columns: columns.into_iter().map(moved).collect(),
        },
    }
}

/// ORDER BY as columns of the targets.
pub(super) fn sort_columns(query: &Query) -> Vec<SortColumn> {
    let columns = query.sort.iter().map(|key| SortColumn {
        column: key.column,
        ty: query.targets[key.column].expr.ty,
        descending: key.descending,
        nulls_first: key.nulls_first,
    });
    columns.collect()
}

/// ORDER BY as expressions over FROM; empty where a key is nothing that a path could be ordered by.
fn wished_order(query: &Query) -> Vec<OrderKey> {
    let keys = query.sort.iter().map(|key| OrderKey {
        expr: bare(&query.targets[key.column].expr).clone(),
        descending: key.descending,
        nulls_first: key.nulls_first,
    });
    let keys: Vec<OrderKey> = keys.collect();
    let usable = keys
        .iter()
        .all(|key| !super::same::is_volatile(&key.expr) && !super::same::has_slots(&key.expr));
    if usable { keys } else { Vec::new() }
}

/// Rows that LIMIT and OFFSET will read, where they are constant; a guess where they are not.
fn limit_rows(query: &Query) -> Option<f64> {
    let number = |expr: &Expr| match &expr.kind {
        #[allow(clippy::cast_precision_loss)]
        ExprKind::Const(crate::types::Value::Int8(count)) => Some(*count as f64),
        ExprKind::Const(_) => None,
        _ => Some(10.0),
    };
    let limit = number(query.limit.as_ref()?)?;
    let offset = query.offset.as_ref().and_then(number).unwrap_or(0.0);
    Some((limit + offset).max(1.0))
}

/// Whether conditions allow only one value of the expression.
fn is_fixed(expr: &Expr, conditions: &[Expr]) -> bool {
    conditions.iter().any(|condition| match &condition.kind {
        ExprKind::Call(call) if call.operator == Some("=") && call.args.len() == 2 => {
            let (a, b) = (&call.args[0], &call.args[1]);
            let constant = |side: &Expr| super::same::rels_of(side) == 0 && !super::same::is_volatile(side);
            (super::same::same_expr(bare(a), bare(expr)) && constant(b))
                || (super::same::same_expr(bare(b), bare(expr)) && constant(a))
        }
        _ => false,
    })
}

/// Whether a CTE's query reads the CTE: through a reference that points out of all its own levels.
fn reads_itself(query: &Query) -> bool {
    fn inside(query: &Query, depth: u32) -> bool {
        let own = query.rels.iter().any(|rel| match &rel.kind {
            RelKind::Cte { level, .. } => *level > depth,
            RelKind::Subquery { query, .. } => inside(query, depth + 1),
            _ => false,
        });
        let mut found = own || query.ctes.iter().any(|cte| inside(&cte.query, depth + 1));
        for_query_exprs(query, &mut |expr| {
            found = found
                || super::walk::any_expr(expr, &mut |part| match &part.kind {
                    ExprKind::SubLink(link) => inside(&link.query, depth + 1),
                    _ => false,
                });
        });
        found
    }
    query.set_operation.is_some() && inside(query, 0)
}
