//! Joins: which order, which way.

use std::sync::Arc;

use super::access::BaseTable;
use super::cost;
use super::node::JoinType;
use super::path::{OrderKey, Path, PathKind};
use super::planner::Planner;
use super::same::{bit, is_volatile, rels_of};
use crate::bind::tree::{Expr, ExprKind};
use crate::error::Result;
use crate::ids::Oid;

/// Items above this number are joined greedily.
const EXHAUSTIVE_MAX: usize = 7;

/// The join tree after rewriting. Right joins are left joins with the sides changed.
pub(super) enum Tree {
    Rel(usize),
    Join {
        kind: JoinType,
        left: Box<Tree>,
        right: Box<Tree>,
        conditions: Vec<Expr>,
    },
    /// `left` rows that have a match among the sub-select's rows (an entry of the range table made for it).
    Cross(Vec<Tree>),
}

/// What is to be joined: one table, or something with a path of its own.
pub(super) enum Item {
    Table { base: BaseTable, conditions: Vec<Expr> },
    Ready(Path),
}

impl Item {
    fn rels(&self) -> u128 {
        match self {
            Item::Table { base, .. } => bit(base.rel),
            Item::Ready(path) => path.rels,
        }
    }
}

/// What the caller would like of the rows.
#[derive(Default)]
pub(super) struct Wish<'w> {
    pub order: &'w [OrderKey],
    /// Rows that will be read of all, 1.0 for all.
    pub fraction: Option<f64>,
}

impl Tree {
    pub fn rels(&self) -> u128 {
        match self {
            Tree::Rel(rel) => bit(*rel),
            Tree::Join { left, right, kind, .. } => match kind {
                JoinType::Semi | JoinType::Anti | JoinType::NullAwareAnti => left.rels(),
                _ => left.rels() | right.rels(),
            },
            Tree::Cross(parts) => parts.iter().fold(0, |rels, part| rels | part.rels()),
        }
    }
}

impl Planner<'_> {
    /// The paths worth keeping for joining all `items` under `conditions`.
    pub(super) fn join_items(&mut self, items: Vec<Item>, conditions: &[Expr], wish: &Wish<'_>) -> Result<Vec<Path>> {
        let mut used = vec![false; conditions.len()];
        if items.is_empty() {
            let nothing = Path {
                kind: Arc::new(PathKind::Nothing),
                rels: 0,
                needs: 0,
                startup: 0.0,
                total: cost::TUPLE,
                rows: 1.0,
                width: 0.0,
                order: Vec::new(),
            };
            return Ok(vec![nothing]);
        }
        let mut singles = Vec::with_capacity(items.len());
        for item in &items {
            singles.push(self.single_paths(item));
        }
        if items.len() == 1 {
            return Ok(keep_best(singles.swap_remove(0), wish));
        }
        used.fill(false);
        if items.len() <= EXHAUSTIVE_MAX {
            Ok(self.exhaustive(&items, singles, conditions, wish))
        } else {
            Ok(self.greedy(&items, singles, conditions, wish))
        }
    }

    fn single_paths(&mut self, item: &Item) -> Vec<Path> {
        match item {
            Item::Table { base, conditions } => self.table_paths(base, conditions, 0),
            Item::Ready(path) => vec![path.clone()],
        }
    }

    /// Best paths for every subset of items, smaller ones first.
    fn exhaustive(&mut self, items: &[Item], singles: Vec<Vec<Path>>, conditions: &[Expr], wish: &Wish<'_>) -> Vec<Path> {
        let all = (1usize << items.len()) - 1;
        let mut best: Vec<Vec<Path>> = vec![Vec::new(); all + 1];
        for (number, paths) in singles.into_iter().enumerate() {
            best[1 << number] = keep_best(paths, wish);
        }
        // Unconnected sets are only joined where nothing else is possible.
        for subset in 1..=all {
            if subset.count_ones() < 2 {
                continue;
            }
            let mut paths = Vec::new();
            for connected in [true, false] {
                for (number, item) in items.iter().enumerate() {
                    let rest = subset & !(1 << number);
                    if subset & (1 << number) == 0 || best[rest].is_empty() {
                        continue;
                    }
                    for left in best[rest].clone() {
                        if connected != is_connected(&left, item, conditions) {
                            continue;
                        }
                        let right = best[1 << number].clone();
                        self.join_paths(&left, item, &right, conditions, &mut paths);
                    }
                }
                if !paths.is_empty() {
                    break;
                }
            }
            best[subset] = keep_best(paths, wish);
        }
        std::mem::take(&mut best[all])
    }

    /// Starts at the cheapest item, then takes the join with the fewest rows each time.
    fn greedy(&mut self, items: &[Item], singles: Vec<Vec<Path>>, conditions: &[Expr], wish: &Wish<'_>) -> Vec<Path> {
        let ready = |paths: &Vec<Path>| paths.iter().all(|path| path.needs == 0);
        let rows = |paths: &Vec<Path>| paths.iter().map(|path| path.rows).fold(f64::MAX, f64::min);
        let start = (0..items.len())
            .filter(|n| ready(&singles[*n]))
            .min_by(|a, b| rows(&singles[*a]).total_cmp(&rows(&singles[*b])))
            .unwrap_or(0);
        let mut left = cheapest(&singles[start]).cloned().into_iter().collect::<Vec<_>>();
        let mut open: Vec<usize> = (0..items.len()).filter(|n| *n != start).collect();
        while !open.is_empty() {
            let Some(current) = cheapest(&left).cloned() else {
                return Vec::new();
            };
            let mut found: Option<(usize, Vec<Path>)> = None;
            for connected in [true, false] {
                for number in &open {
                    let item = &items[*number];
                    if is_connected(&current, item, conditions) != connected {
                        continue;
                    }
                    let mut paths = Vec::new();
                    self.join_paths(&current, item, &singles[*number], conditions, &mut paths);
                    let better = |a: &[Path], b: &[Path]| match (cheapest(a), cheapest(b)) {
                        (Some(a), Some(b)) => (a.rows, a.total) < (b.rows, b.total),
                        (Some(_), None) => true,
                        _ => false,
                    };
                    if !paths.is_empty() && found.as_ref().is_none_or(|(_, other)| better(&paths, other)) {
                        found = Some((*number, paths));
                    }
                }
                if found.is_some() {
                    break;
                }
            }
            let Some((number, paths)) = found else {
                return Vec::new();
            };
            open.retain(|n| *n != number);
            left = keep_best(paths, wish);
        }
        left
    }

    /// Every way to join `left` with one more item.
    fn join_paths(&mut self, left: &Path, item: &Item, right: &[Path], conditions: &[Expr], out: &mut Vec<Path>) {
        let (a, b) = (left.rels, item.rels());
        // What becomes possible with this join and was not before it.
        let applicable: Vec<Expr> = conditions
            .iter()
            .filter(|c| {
                let rels = rels_of(c);
                rels & !(a | b) == 0 && rels & !a != 0 && rels & !b != 0
            })
            .cloned()
            .collect();
        let constant = conditions.iter().filter(|c| rels_of(c) == 0);
        debug_assert!(constant.count() == 0, "conditions without columns are applied above");
        for right in right {
            if right.needs & !(a | b) == 0 && left.needs == 0 {
                self.join_two(JoinType::Inner, left, right, &applicable, out);
                if right.needs == 0 {
                    self.hash_two(JoinType::Inner, right, left, &applicable, out);
                }
            }
        }
        // An index of the table, looked up with values of the left row.
        if let Item::Table { base, conditions: own } = item
            && left.needs == 0
        {
            let together: Vec<Expr> = own.iter().chain(&applicable).cloned().collect();
            for path in self.table_paths(base, &together, a) {
                if path.needs != 0 && !matches!(&*path.kind, PathKind::Seq { .. }) {
                    self.nest_two(JoinType::Inner, left, &path, &[], out);
                }
            }
        }
    }

    /// Nested loop and hash join of two finished paths.
    pub(super) fn join_two(&mut self, kind: JoinType, left: &Path, right: &Path, conditions: &[Expr], out: &mut Vec<Path>) {
        if right.needs & left.rels == 0 {
            self.hash_two(kind, left, right, conditions, out);
        }
        if !matches!(kind, JoinType::Full | JoinType::Right) {
            self.nest_two(kind, left, right, conditions, out);
        }
    }

    pub(super) fn nest_two(&mut self, kind: JoinType, left: &Path, right: &Path, conditions: &[Expr], out: &mut Vec<Path>) {
        let needs = (left.needs | right.needs) & !(left.rels | right.rels);
        let again = if right.needs & left.rels == 0 {
            right.rows * cost::OPERATOR
        } else {
            right.total
        };
        let pairs = left.rows * right.rows;
        let rows = join_rows(kind, left.rows, right.rows, conditions);
        let total = left.total
            + right.total
            + (left.rows - 1.0).max(0.0) * again
            + pairs * (cost::TUPLE + cost::OPERATOR * cost::count(conditions.len()));
        out.push(Path {
            kind: Arc::new(PathKind::Nest {
                kind,
                left: left.clone(),
                right: right.clone(),
                conditions: conditions.to_vec(),
            }),
            rels: joined_rels(kind, left, right),
            needs,
            startup: left.startup + right.startup,
            total,
            rows,
            width: left.width + right.width,
            order: left.order.clone(),
        });
    }

    fn hash_two(&mut self, kind: JoinType, left: &Path, right: &Path, conditions: &[Expr], out: &mut Vec<Path>) {
        let (mut keys, mut equalities, mut other) = (Vec::new(), Vec::new(), Vec::new());
        for condition in conditions {
            match hash_key(condition, left.rels, right.rels) {
                Some(key) => {
                    keys.push(key);
                    equalities.push(condition.clone());
                }
                None => other.push(condition.clone()),
            }
        }
        let outer = matches!(kind, JoinType::Full | JoinType::Right);
        if keys.is_empty() && !outer {
            return;
        }
        let rows = join_rows(kind, left.rows, right.rows, conditions);
        let startup = right.total + right.rows * (cost::TUPLE + cost::OPERATOR) + left.startup;
        let probe = left.total - left.startup + left.rows * cost::OPERATOR * cost::count(keys.len() + 1) + rows * cost::TUPLE;
        out.push(Path {
            kind: Arc::new(PathKind::Hash {
                kind,
                left: left.clone(),
                right: right.clone(),
                keys,
                equalities,
                conditions: other,
            }),
            rels: joined_rels(kind, left, right),
            needs: (left.needs | right.needs) & !(left.rels | right.rels),
            startup,
            total: startup + probe,
            rows,
            width: left.width + right.width,
            order: if outer { Vec::new() } else { left.order.clone() },
        });
    }
}

fn joined_rels(kind: JoinType, left: &Path, right: &Path) -> u128 {
    match kind {
        JoinType::Semi | JoinType::Anti | JoinType::NullAwareAnti => left.rels,
        _ => left.rels | right.rels,
    }
}

fn join_rows(kind: JoinType, left: f64, right: f64, conditions: &[Expr]) -> f64 {
    let mut share = 1.0;
    for condition in conditions {
        share *= match &condition.kind {
            ExprKind::Call(call) if call.operator == Some("=") => 1.0 / left.max(right).max(1.0),
            _ => cost::selectivity(condition, None),
        };
    }
    let inner = (left * right * share).max(1.0);
    match kind {
        JoinType::Inner => inner,
        JoinType::Left => inner.max(left),
        JoinType::Right => inner.max(right),
        JoinType::Full => inner.max(left + right - inner).max(1.0),
        JoinType::Semi => inner.min(left),
        JoinType::Anti | JoinType::NullAwareAnti => (left - inner).max(left * 0.1).max(1.0),
    }
}

/// `left = right` with one type on both sides.
pub(super) fn hash_key(condition: &Expr, left: u128, right: u128) -> Option<(Expr, Expr, Oid)> {
    let ExprKind::Call(call) = &condition.kind else {
        return None;
    };
    let [a, b] = &call.args[..] else {
        return None;
    };
    if call.operator != Some("=") || a.ty != b.ty || is_volatile(condition) {
        return None;
    }
    let (x, y) = (rels_of(a), rels_of(b));
    if x == 0 || y == 0 {
        return None;
    }
    if x & !left == 0 && y & !right == 0 {
        Some((a.clone(), b.clone(), a.ty))
    } else if y & !left == 0 && x & !right == 0 {
        Some((b.clone(), a.clone(), a.ty))
    } else {
        None
    }
}

fn is_connected(left: &Path, item: &Item, conditions: &[Expr]) -> bool {
    let (a, b) = (left.rels, item.rels());
    conditions.iter().any(|c| {
        let rels = rels_of(c);
        rels & a != 0 && rels & b != 0
    })
}

pub(super) fn cheapest(paths: &[Path]) -> Option<&Path> {
    paths.iter().min_by(|a, b| a.total.total_cmp(&b.total))
}

/// The cheapest path; the cheapest one that asks for nothing; and the cheapest for each useful order.
pub(super) fn keep_best(paths: Vec<Path>, wish: &Wish<'_>) -> Vec<Path> {
    let mut kept: Vec<Path> = Vec::new();
    if let Some(best) = cheapest(&paths) {
        kept.push(best.clone());
    }
    let fast = paths
        .iter()
        .min_by(|a, b| a.startup.total_cmp(&b.startup).then(a.total.total_cmp(&b.total)));
    if wish.fraction.is_some()
        && let Some(fast) = fast
    {
        kept.push(fast.clone());
    }
    if !wish.order.is_empty() {
        let ordered = paths.iter().filter(|path| leads(path, wish.order));
        if let Some(best) = ordered.min_by(|a, b| a.total.total_cmp(&b.total)) {
            kept.push(best.clone());
        }
    }
    kept
}

/// Whether the path's order may serve the order wanted: keys fixed by conditions are told apart later.
fn leads(path: &Path, wanted: &[OrderKey]) -> bool {
    wanted.first().is_some_and(|first| {
        path.order.iter().any(|key| {
            key.descending == first.descending
                && key.nulls_first == first.nulls_first
                && super::same::same_expr(&key.expr, super::access::bare(&first.expr))
        })
    })
}
