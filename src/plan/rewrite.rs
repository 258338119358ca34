//! Rewrites of the bound tree before paths are looked for: sub-selects in FROM become part of their query, `IN` and EXISTS
//! become semi joins, outer joins whose nulls are refused become inner ones.

use super::fold::{conjunction, conjuncts};
use super::join::Tree;
use super::node::JoinType;
use super::same::{bit, for_sub_queries, groups, has_slots, is_set, is_volatile, query_columns, query_is_volatile, rels_of};
use super::walk::any_expr;
use crate::bind::tree::{Command, Distinct, Expr, ExprKind, From, Query, Rel, RelColumn, RelKind, SubLink, SubLinkKind};
use crate::bind::walk::children_mut;

/// Changes every column reference in `expr`, sub-selects included. `change` gets the node and how many query levels it is
/// below the query that `expr` belongs to.
pub(super) fn change_columns(expr: &mut Expr, depth: u32, change: &mut dyn FnMut(&mut Expr, u32)) {
    match &mut expr.kind {
        ExprKind::Var { .. } | ExprKind::SystemVar { .. } | ExprKind::WholeRow { .. } => return change(expr, depth),
        ExprKind::SubLink(link) => change_query(&mut link.query, depth + 1, change),
        _ => {}
    }
    children_mut(expr, &mut |child| change_columns(child, depth, change));
    if let ExprKind::Aggregate(call) = &mut expr.kind {
        // An aggregate belongs to the level of its columns; it moves with them.
        let _ = call;
    }
}

/// The same for a whole query that is `depth` levels below.
pub(super) fn change_query(query: &mut Query, depth: u32, change: &mut dyn FnMut(&mut Expr, u32)) {
    for_query_exprs_mut(query, &mut |expr| change_columns(expr, depth, change));
    for cte in &mut query.ctes {
        change_query(&mut cte.query, depth + 1, change);
    }
    for rel in &mut query.rels {
        if let RelKind::Subquery { query, .. } = &mut rel.kind {
            change_query(query, depth + 1, change);
        }
    }
}

fn for_query_exprs_mut(query: &mut Query, visit: &mut dyn FnMut(&mut Expr)) {
    query.targets.iter_mut().for_each(|target| visit(&mut target.expr));
    let parts = query
        .filter
        .iter_mut()
        .chain(&mut query.having)
        .chain(&mut query.limit)
        .chain(&mut query.offset);
    parts.for_each(&mut *visit);
    for window in &mut query.windows {
        window.partition.iter_mut().for_each(&mut *visit);
        window.order.iter_mut().for_each(|key| visit(&mut key.expr));
        for bound in [&mut window.frame.start, &mut window.frame.end] {
            use crate::bind::tree::FrameBound::{Following, Preceding};
            if let Preceding(expr) | Following(expr) = bound {
                visit(expr);
            }
        }
    }
    query.from.iter_mut().for_each(|from| from_exprs_mut(from, visit));
    for rel in &mut query.rels {
        match &mut rel.kind {
            RelKind::Values(rows) => rows.iter_mut().flatten().for_each(&mut *visit),
            RelKind::Functions { calls, .. } => calls.iter_mut().for_each(|call| visit(&mut call.expr)),
            _ => {}
        }
    }
    match &mut query.command {
        Command::Select => {}
        Command::Insert(insert) => {
            insert.returning.iter_mut().for_each(|target| visit(&mut target.expr));
            if let Some(update) = insert.on_conflict.as_mut().and_then(|conflict| conflict.update.as_mut()) {
                update.set.iter_mut().for_each(|(_, expr)| visit(expr));
                update.filter.iter_mut().for_each(&mut *visit);
            }
        }
        Command::Update(update) => {
            update.set.iter_mut().for_each(|(_, expr)| visit(expr));
            update.returning.iter_mut().for_each(|target| visit(&mut target.expr));
        }
        Command::Delete(delete) => delete.returning.iter_mut().for_each(|target| visit(&mut target.expr)),
    }
}

fn from_exprs_mut(from: &mut From, visit: &mut dyn FnMut(&mut Expr)) {
    if let From::Join {
        left, right, condition, ..
    } = from
    {
        from_exprs_mut(left, visit);
        from_exprs_mut(right, visit);
        condition.iter_mut().for_each(visit);
    }
}

/// Visits every expression of the query to fold it.
pub(super) fn fold_query(query: &mut Query, fold: &mut dyn FnMut(&mut Expr)) {
    for_query_exprs_mut(query, fold);
}

fn level_mut(expr: &mut Expr) -> Option<&mut u32> {
    match &mut expr.kind {
        ExprKind::Var { level, .. } | ExprKind::SystemVar { level, .. } | ExprKind::WholeRow { level, .. } => Some(level),
        _ => None,
    }
}

/// The expression as seen from `levels` levels further down.
pub(super) fn deeper(expr: &Expr, levels: u32) -> Expr {
    let mut out = expr.clone();
    if levels > 0 {
        change_columns(&mut out, 0, &mut |part, depth| {
            if let Some(level) = level_mut(part)
                && *level >= depth
            {
                *level += levels;
            }
        });
        shift_cte_levels(&mut out, 0, levels);
    }
    out
}

/// The query (nested directly in some query) as nested `levels` levels further down.
pub(super) fn deeper_query(query: &Query, levels: u32) -> Query {
    let mut out = query.clone();
    if levels > 0 {
        change_query(&mut out, 0, &mut |part, depth| {
            if let Some(level) = level_mut(part)
                && *level > depth
            {
                *level += levels;
            }
        });
        shift_query_ctes(&mut out, 0, levels);
    }
    out
}

fn shift_cte_levels(expr: &mut Expr, depth: u32, levels: u32) {
    if let ExprKind::SubLink(link) = &mut expr.kind {
        shift_query_ctes(&mut link.query, depth + 1, levels);
    }
    children_mut(expr, &mut |child| shift_cte_levels(child, depth, levels));
}

fn shift_query_ctes(query: &mut Query, depth: u32, levels: u32) {
    for cte in &mut query.ctes {
        shift_query_ctes(&mut cte.query, depth + 1, levels);
    }
    for rel in &mut query.rels {
        match &mut rel.kind {
            RelKind::Cte { level, .. } if *level > depth => *level += levels,
            RelKind::Subquery { query, .. } => shift_query_ctes(query, depth + 1, levels),
            _ => {}
        }
    }
    for_query_exprs_mut(query, &mut |expr| shift_cte_levels(expr, depth, levels));
}

/// Whether a reference to a CTE stands in the query (then its levels matter).
fn refers_to_ctes(query: &Query) -> bool {
    let mut found = query.rels.iter().any(|rel| matches!(rel.kind, RelKind::Cte { .. })) || !query.ctes.is_empty();
    for_sub_queries(query, &mut |sub| found = found || refers_to_ctes(sub));
    super::same::for_query_exprs(query, &mut |expr| {
        found = found
            || any_expr(expr, &mut |part| match &part.kind {
                ExprKind::SubLink(link) => refers_to_ctes(&link.query),
                _ => false,
            });
    });
    found
}

/// Whether the sub-select is nothing but joins, conditions and plain targets.
fn is_simple(query: &Query) -> bool {
    matches!(query.command, Command::Select)
        && query.ctes.is_empty()
        && !groups(query)
        && !query.has_windows
        && !query.has_set_returning
        && query.windows.is_empty()
        && matches!(query.distinct, Distinct::No)
        && query.limit.is_none()
        && query.offset.is_none()
        && query.row_marks.is_empty()
        && query.set_operation.is_none()
        && !query.from.is_empty()
        && !refers_to_ctes(query)
}

/// Makes simple sub-selects in FROM part of the query.
pub(super) fn pull_up(query: &mut Query) {
    for rel in 0..query.rels.len() {
        let nullable = is_nullable(&query.from, rel);
        let RelKind::Subquery { query: sub, .. } = &mut query.rels[rel].kind else {
            continue;
        };
        pull_up(sub);
        let plain = |expr: &Expr| matches!(expr.kind, ExprKind::Var { level: 0, .. });
        let marked = query.row_marks.iter().any(|mark| mark.rel == rel);
        let fits = is_simple(sub)
            && sub.sort.is_empty()
            && !marked
            && sub
                .targets
                .iter()
                .all(|target| !is_volatile(&target.expr) && !has_slots(&target.expr) && !is_set(&target.expr))
            && (!nullable || (sub.targets.iter().all(|target| plain(&target.expr)) && sub.from.len() == 1))
            && stands_in(&query.from, rel)
            && !reads_whole_row(query, rel);
        if fits {
            pull_up_one(query, rel);
        }
    }
}

fn reads_whole_row(query: &Query, rel: usize) -> bool {
    let mut found = false;
    query_columns(query, 0, &mut |column| {
        found = found || (column.rel() == rel && !matches!(column, super::same::ColRef::Column(..)));
    });
    found
}

fn stands_in(from: &[From], rel: usize) -> bool {
    from.iter().any(|from| from_rels(from) & bit(rel) != 0)
}

pub(super) fn from_rels(from: &From) -> u128 {
    match from {
        From::Rel(rel) => bit(*rel),
        From::Join { left, right, .. } => from_rels(left) | from_rels(right),
    }
}

/// Whether an outer join may make the entry's columns null.
pub(super) fn is_nullable(from: &[From], rel: usize) -> bool {
    fn inside(from: &From, rel: usize, nullable: bool) -> bool {
        use crate::bind::tree::JoinKind::{Full, Inner, Left, Right};
        match from {
            From::Rel(other) => *other == rel && nullable,
            From::Join { kind, left, right, .. } => {
                let (a, b) = match kind {
                    Inner => (nullable, nullable),
                    Left => (nullable, true),
                    Right => (true, nullable),
                    Full => (true, true),
                };
                inside(left, rel, a) || inside(right, rel, b)
            }
        }
    }
    from.iter().any(|from| inside(from, rel, false))
}

fn pull_up_one(query: &mut Query, rel: usize) {
    let offset = query.rels.len();
    let placeholder = RelKind::Join;
    let RelKind::Subquery { query: mut sub, view } = std::mem::replace(&mut query.rels[rel].kind, placeholder) else {
        return;
    };
    merge_levels(&mut sub, offset);
    // Seen from deeper levels, the targets' columns are as many levels further up.
    let targets: Vec<Expr> = sub.targets.iter().map(|target| target.expr.clone()).collect();
    let mut put = |part: &mut Expr, depth: u32| {
        if let ExprKind::Var { level, rel: r, column } = part.kind
            && level == depth
            && r == rel
            && let Some(target) = targets.get(column)
        {
            *part = deeper(target, depth);
        }
    };
    change_query(query, 0, &mut put);
    let filter = sub.filter.take();
    let inner = join_all(sub.from);
    let mut rest = filter;
    for from in &mut query.from {
        replace_rel(from, rel, &inner, &mut rest);
    }
    if let Some(rest) = rest {
        add_filter(query, rest);
    }
    let lateral = query.rels[rel].lateral;
    let mut rels = sub.rels;
    for inner in &mut rels {
        inner.lateral |= lateral;
    }
    query.rels.append(&mut rels);
    query.has_sublinks |= sub.has_sublinks;
    // A view stays named for its lock.
    if let Some(view) = view {
        query.rels[rel].kind = RelKind::Subquery {
            query: Box::new(empty_query()),
            view: Some(view),
        };
    }
}

/// A query without anything, in place of a view that was pulled up.
fn empty_query() -> Query {
    Query {
        command: Command::Select,
        ctes: Vec::new(),
        rels: Vec::new(),
        from: Vec::new(),
        filter: None,
        targets: Vec::new(),
        group: crate::bind::tree::Group::None,
        having: None,
        windows: Vec::new(),
        distinct: Distinct::No,
        sort: Vec::new(),
        limit: None,
        offset: None,
        with_ties: false,
        row_marks: Vec::new(),
        set_operation: None,
        has_aggregates: false,
        has_windows: false,
        has_set_returning: false,
        has_sublinks: false,
    }
}

/// Renumbers a sub-select for its parent's range table: its entries come after `offset`, its parent is itself now.
fn merge_levels(sub: &mut Query, offset: usize) {
    change_query(sub, 0, &mut |part, depth| match &mut part.kind {
        ExprKind::Var { level, rel, .. } | ExprKind::SystemVar { level, rel, .. } | ExprKind::WholeRow { level, rel } => {
            if *level == depth {
                *rel += offset;
            } else if *level > depth {
                *level -= 1;
            }
        }
        _ => {}
    });
    for from in &mut sub.from {
        shift_from(from, offset);
    }
}

fn shift_from(from: &mut From, offset: usize) {
    match from {
        From::Rel(rel) => *rel += offset,
        From::Join { left, right, .. } => {
            shift_from(left, offset);
            shift_from(right, offset);
        }
    }
}

fn join_all(from: Vec<From>) -> From {
    use crate::bind::tree::JoinKind;
    let mut parts = from.into_iter();
    let first = parts.next().expect("a simple sub-select has a FROM item");
    parts.fold(first, |left, right| From::Join {
        kind: JoinKind::Inner,
        left: Box::new(left),
        right: Box::new(right),
        condition: None,
    })
}

/// Puts `inner` in place of an entry. Its condition goes to the join whose nullable side it is, else it stays in `filter`.
fn replace_rel(from: &mut From, rel: usize, inner: &From, filter: &mut Option<Expr>) {
    use crate::bind::tree::JoinKind::{Full, Inner, Left, Right};
    match from {
        From::Rel(other) if *other == rel => *from = inner.clone(),
        From::Rel(_) => {}
        From::Join {
            kind,
            left,
            right,
            condition,
        } => {
            replace_rel(left, rel, inner, filter);
            replace_rel(right, rel, inner, filter);
            let here = from_rels(inner);
            let nullable = match kind {
                Inner => false,
                Left => from_rels(right) & here != 0,
                Right => from_rels(left) & here != 0,
                Full => (from_rels(left) | from_rels(right)) & here != 0,
            };
            if nullable
                && *kind != Full
                && let Some(extra) = filter.take()
            {
                *condition = conjunction(condition.take().into_iter().chain([extra]).collect());
            }
        }
    }
}

pub(super) fn add_filter(query: &mut Query, extra: Expr) {
    query.filter = conjunction(query.filter.take().into_iter().chain([extra]).collect());
}

/// FROM as a join tree, WHERE as a list; `IN` and EXISTS among the conditions as semi and anti joins around it.
pub(super) fn join_tree(query: &mut Query) -> (Tree, Vec<Expr>) {
    let mut conditions = Vec::new();
    if let Some(filter) = query.filter.take() {
        conjuncts(filter, &mut conditions);
    }
    let mut parts: Vec<Tree> = query.from.iter().map(tree_of).collect();
    let mut tree = if parts.len() == 1 {
        parts.swap_remove(0)
    } else {
        Tree::Cross(parts)
    };
    if query.has_sublinks {
        let mut kept = Vec::with_capacity(conditions.len());
        for condition in conditions {
            tree = match pull_sub_link(query, condition, tree) {
                Ok(tree) => tree,
                Err((condition, same)) => {
                    kept.push(condition);
                    same
                }
            };
        }
        conditions = kept;
    }
    reduce(&mut tree, &conditions);
    (tree, conditions)
}

fn tree_of(from: &From) -> Tree {
    use crate::bind::tree::JoinKind;
    match from {
        From::Rel(rel) => Tree::Rel(*rel),
        From::Join {
            kind,
            left,
            right,
            condition,
        } => {
            let (left, right) = (Box::new(tree_of(left)), Box::new(tree_of(right)));
            let mut conditions = Vec::new();
            if let Some(condition) = condition {
                conjuncts(condition.clone(), &mut conditions);
            }
            match kind {
                JoinKind::Right => Tree::Join {
                    kind: JoinType::Left,
                    left: right,
                    right: left,
                    conditions,
                },
                kind => Tree::Join {
                    kind: (*kind).into(),
                    left,
                    right,
                    conditions,
                },
            }
        }
    }
}

/// A condition that is `IN (sub-select)` or `[NOT] EXISTS (sub-select)` as a join; the condition and the tree back where
/// it cannot be one.
#[allow(clippy::result_large_err)]
fn pull_sub_link(query: &mut Query, condition: Expr, tree: Tree) -> Result<Tree, (Expr, Tree)> {
    let (link, negated) = match &condition.kind {
        ExprKind::SubLink(link) => (link, false),
        ExprKind::Not(arg) => match &arg.kind {
            ExprKind::SubLink(link) => (link, true),
            _ => return Err((condition, tree)),
        },
        _ => return Err((condition, tree)),
    };
    let joined = match &link.kind {
        SubLinkKind::Exists => pull_exists(query, link),
        SubLinkKind::Quantified {
            tests,
            all: false,
            operator: "=",
        } if !negated => pull_in(query, link, tests),
        _ => None,
    };
    match joined {
        Some((right, conditions)) => Ok(Tree::Join {
            kind: if negated { JoinType::Anti } else { JoinType::Semi },
            left: Box::new(tree),
            right: Box::new(right),
            conditions,
        }),
        None => Err((condition, tree)),
    }
}

/// `x IN (SELECT y ...)`, uncorrelated: the sub-select becomes an entry of the range table.
fn pull_in(query: &mut Query, link: &SubLink, tests: &[Expr]) -> Option<(Tree, Vec<Expr>)> {
    let mut correlated = false;
    query_columns(&link.query, 1, &mut |_| correlated = true);
    if correlated || tests.iter().any(|test| is_volatile(test) || has_slots(test)) {
        return None;
    }
    // References to CTEs were counted from one level further down, as they are in FROM.
    let rel = query.rels.len();
    let columns = link.query.targets.iter().filter(|target| !target.junk);
    query.rels.push(Rel {
        kind: RelKind::Subquery {
            query: Box::new(link.query.clone()),
            view: None,
        },
        name: "ANY_subquery".into(),
        columns: columns
            .map(|target| RelColumn {
                name: target.name.clone(),
                ty: target.expr.ty,
                typmod: target.expr.typmod,
                dropped: false,
            })
            .collect(),
        lateral: false,
    });
    let mut conditions = tests.to_vec();
    for condition in &mut conditions {
        put_columns(condition, rel);
    }
    Some((Tree::Rel(rel), conditions))
}

/// The sub-select's columns ([`ExprKind::Input`]) as columns of an entry.
fn put_columns(expr: &mut Expr, rel: usize) {
    if let ExprKind::Input(column) = expr.kind {
        expr.kind = ExprKind::Var { level: 0, rel, column };
        return;
    }
    children_mut(expr, &mut |child| put_columns(child, rel));
}

/// `EXISTS (SELECT ... FROM ... WHERE ...)`: the sub-select's FROM and WHERE become the right side.
fn pull_exists(query: &mut Query, link: &SubLink) -> Option<(Tree, Vec<Expr>)> {
    let sub = &link.query;
    let simple = Query {
        limit: None,
        targets: Vec::new(),
        sort: Vec::new(),
        distinct: Distinct::No,
        ..sub.clone()
    };
    let constant_limit = sub
        .limit
        .as_ref()
        .is_none_or(|limit| matches!(limit.kind, ExprKind::Const(crate::types::Value::Int8(count)) if count > 0));
    if !constant_limit || !is_simple(&simple) || query_is_volatile(sub) {
        return None;
    }
    let mut sub = sub.clone();
    // What its FROM needs of the outer query would be LATERAL: left to the sub-plan.
    let mut correlated_from = false;
    let without_filter = Query {
        filter: None,
        targets: Vec::new(),
        ..sub.clone()
    };
    query_columns(&without_filter, 1, &mut |_| correlated_from = true);
    if correlated_from {
        return None;
    }
    let filter = sub.filter.take();
    let mut conditions = Vec::new();
    let mut holder = Query { filter, ..sub };
    merge_levels(&mut holder, query.rels.len());
    if let Some(filter) = holder.filter.take() {
        conjuncts(filter, &mut conditions);
    }
    if conditions.iter().all(|condition| rels_of(condition) & all_rels(query) == 0) {
        // Uncorrelated: better computed once.
        return None;
    }
    let mut parts: Vec<Tree> = holder.from.iter().map(tree_of).collect();
    query.rels.append(&mut holder.rels);
    query.has_sublinks |= holder.has_sublinks;
    let right = if parts.len() == 1 {
        parts.swap_remove(0)
    } else {
        Tree::Cross(parts)
    };
    Some((right, conditions))
}

fn all_rels(query: &Query) -> u128 {
    (0..query.rels.len()).fold(0, |rels, rel| rels | bit(rel))
}

/// Left and full joins become narrower where a condition above refuses the nulls that they would add.
fn reduce(tree: &mut Tree, above: &[Expr]) {
    match tree {
        Tree::Rel(_) => {}
        Tree::Cross(parts) => parts.iter_mut().for_each(|part| reduce(part, above)),
        Tree::Join {
            kind,
            left,
            right,
            conditions,
        } => {
            let refused = |rels: u128| above.iter().any(|condition| refuses_nulls(condition, rels));
            match kind {
                JoinType::Left if refused(right.rels()) => *kind = JoinType::Inner,
                JoinType::Full => {
                    let (a, b) = (refused(left.rels()), refused(right.rels()));
                    match (a, b) {
                        (true, true) => *kind = JoinType::Inner,
                        (true, false) => *kind = JoinType::Left,
                        (false, true) => {
                            *kind = JoinType::Left;
                            std::mem::swap(left, right);
                        }
                        (false, false) => {}
                    }
                }
                _ => {}
            }
            let mut both = above.to_vec();
            match kind {
                JoinType::Inner | JoinType::Semi => {
                    both.extend(conditions.iter().cloned());
                    reduce(left, &both);
                    reduce(right, &both);
                }
                JoinType::Left | JoinType::Anti | JoinType::NullAwareAnti => {
                    reduce(left, above);
                    reduce(right, conditions);
                }
                JoinType::Full | JoinType::Right => {
                    reduce(left, &[]);
                    reduce(right, &[]);
                }
            }
        }
    }
}

/// Whether the condition cannot be true when all columns of `rels` are null.
fn refuses_nulls(condition: &Expr, rels: u128) -> bool {
    match &condition.kind {
        ExprKind::And(parts) => parts.iter().any(|part| refuses_nulls(part, rels)),
        ExprKind::Or(parts) => parts.iter().all(|part| refuses_nulls(part, rels)),
        ExprKind::NullTest { arg, negated: true } => null_on_null(arg, rels),
        _ => null_on_null(condition, rels),
    }
}

/// Whether the expression is null when all columns of `rels` are.
fn null_on_null(expr: &Expr, rels: u128) -> bool {
    match &expr.kind {
        ExprKind::Var { level: 0, rel, .. } => bit(*rel) & rels != 0,
        ExprKind::Call(call) => call.function.strict && call.args.iter().any(|arg| null_on_null(arg, rels)),
        ExprKind::Cast(cast) => !matches!(cast.kind, crate::bind::tree::CastKind::ToDomain) && null_on_null(&cast.arg, rels),
        ExprKind::Not(arg) => null_on_null(arg, rels),
        ExprKind::ScalarArray {
            scalar,
            compare,
            all: false,
            ..
        } => compare.strict && null_on_null(scalar, rels),
        _ => false,
    }
}
