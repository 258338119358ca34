//! Access paths: how the rows of one table that satisfy some conditions are found.

use std::sync::Arc;

use super::cost::{self, TableFacts};
use super::fold::conjuncts;
use super::node::{IndexBounds, KeyTerm};
use super::path::{IndexPath, OrderKey, Path, PathKind};
use super::planner::Planner;
use super::same::{bit, is_volatile, rels_of, same_expr};
use crate::bind::tree::{CastKind, Expr, ExprKind};
use crate::catalog::{Index, IndexExpr, RowKey, Table};
use crate::error::Result;
use crate::ids::Oid;
use crate::types::oid;

/// A table in the range table, as the planner looks at it.
pub(super) struct BaseTable {
    pub rel: usize,
    pub indexes: Vec<IndexInfo>,
    pub facts: TableFacts,
    /// Bytes of the columns wanted.
    pub width: f64,
}

/// An index with its expressions bound, over columns of the entry.
pub(super) struct IndexInfo {
    pub index: Arc<Index>,
    pub primary: bool,
    /// Each key column as an expression of the range table entry.
    pub keys: Vec<Expr>,
    pub predicate: Vec<Expr>,
}

/// How an index answers some conditions.
struct Match {
    bounds: IndexBounds,
    used: Vec<Expr>,
    /// Share of the table's rows in the bounds.
    share: f64,
    /// Whole key of a unique index fixed by single values.
    whole_key: bool,
}

impl Planner<'_> {
    /// All paths of a table for which `conditions` (all on this table, or on it and `outer`) can be used.
    pub(super) fn table_paths(&mut self, base: &BaseTable, conditions: &[Expr], outer: u128) -> Vec<Path> {
        let selected: f64 = conditions.iter().map(|c| cost::selectivity(c, Some(&base.facts))).product();
        let rows = (base.facts.rows * selected).max(1.0);
        let mut paths = vec![Path {
            kind: Arc::new(PathKind::Seq {
                rel: base.rel,
                conditions: conditions.to_vec(),
            }),
            rels: bit(base.rel),
            needs: needs(conditions, base.rel),
            startup: 0.0,
            total: cost::seq_scan(base.facts.rows, base.width, conditions.len()),
            rows,
            width: base.width,
            order: Vec::new(),
        }];
        for info in &base.indexes {
            if !info
                .predicate
                .iter()
                .all(|part| conditions.iter().any(|c| same_expr(c, part)))
            {
                continue;
            }
            let matched = match_index(base, info, conditions, outer);
            if matched.whole_key {
                return vec![point_path(base, info, matched, conditions)];
            }
            for backward in [false, true] {
                paths.push(index_path(base, info, &matched, conditions, rows, backward));
            }
        }
        paths
    }

    /// Binds the expressions of a table's indexes.
    pub(super) fn base_table(&mut self, rel: usize, table: &Arc<Table>, indexes: &[Arc<Index>], width: f64) -> Result<BaseTable> {
        let mut infos = Vec::with_capacity(indexes.len());
        for index in indexes {
            if !index.valid {
                continue;
            }
            let primary = index.primary && index.storage.is_none() && matches!(table.row_key, RowKey::Columns(_));
            let mut keys = Vec::with_capacity(index.keys.len());
            for key in &index.keys {
                keys.push(match &key.expr {
                    IndexExpr::Column(column) => {
                        let column = usize::from(*column);
                        let ty = table.columns.get(column).map_or(key.ty, |column| column.ty);
                        Expr::new(ExprKind::Var { level: 0, rel, column }, ty)
                    }
                    IndexExpr::Expression(text) => self.table_expr(table, text, rel)?,
                });
            }
            let mut predicate = Vec::new();
            if let Some(text) = &index.predicate {
                conjuncts(self.table_expr(table, text, rel)?, &mut predicate);
            }
            infos.push(IndexInfo {
                index: Arc::clone(index),
                primary,
                keys,
                predicate,
            });
        }
        Ok(BaseTable {
            rel,
            indexes: infos,
            facts: TableFacts::of(table, self.cx),
            width,
        })
    }
}

fn needs(conditions: &[Expr], rel: usize) -> u128 {
    conditions.iter().fold(0, |rels, condition| rels | rels_of(condition)) & !bit(rel)
}

/// Without the casts that change nothing.
pub(super) fn bare(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Cast(cast) if matches!(cast.kind, CastKind::Relabel) => bare(&cast.arg),
        _ => expr,
    }
}

/// A condition on an index key.
enum Test<'a> {
    Equal(&'a Expr),
    AnyOf(&'a Expr),
    IsNull,
    NotNull,
    Lower(&'a Expr, bool),
    Upper(&'a Expr, bool),
}

/// `condition` as a test of `key` against something that other entries or constants give.
fn as_test<'a>(condition: &'a Expr, key: &Expr, rel: usize, outer: u128) -> Option<Test<'a>> {
    let free = |expr: &Expr| {
        let rels = rels_of(expr);
        rels & bit(rel) == 0 && rels & !outer == 0 && !changes_by_row(expr)
    };
    let is_key = |expr: &Expr| same_expr(bare(expr), bare(key));
    match &condition.kind {
        ExprKind::Call(call) if call.args.len() == 2 => {
            let (left, right) = (&call.args[0], &call.args[1]);
            let operator = call.operator?;
            let (operator, value) = if is_key(left) && free(right) {
                (operator, right)
            } else if is_key(right) && free(left) {
                (mirrored(operator)?, left)
            } else {
                return None;
            };
            if !comparable(key.ty, value.ty) {
                return None;
            }
            match operator {
                "=" => Some(Test::Equal(value)),
                "<" => Some(Test::Upper(value, false)),
                "<=" => Some(Test::Upper(value, true)),
                ">" => Some(Test::Lower(value, false)),
                ">=" => Some(Test::Lower(value, true)),
                _ => None,
            }
        }
        ExprKind::ScalarArray {
            operator: "=",
            scalar,
            array,
            all: false,
            ..
        } => {
            let element = crate::types::info::element_of(array.ty)?;
            (is_key(scalar) && free(array) && comparable(key.ty, element)).then_some(Test::AnyOf(array))
        }
        ExprKind::NullTest { arg, negated } if is_key(arg) => Some(if *negated { Test::NotNull } else { Test::IsNull }),
        // `flag` and `NOT flag`.
        _ => None,
    }
}

/// Whether an expression may give another value for another row. An uncorrelated sub-select is computed once, whatever it
/// does (claims from queues lock rows in one).
pub(super) fn changes_by_row(expr: &Expr) -> bool {
    let mut correlated = false;
    if let ExprKind::SubLink(link) = &expr.kind {
        super::same::query_columns(&link.query, 1, &mut |_| correlated = true);
        if !correlated {
            return matches!(link.kind, crate::bind::tree::SubLinkKind::Quantified { .. }) && is_volatile(expr);
        }
        return is_volatile(expr);
    }
    let own = match &expr.kind {
        ExprKind::Call(call) => {
            call.function.volatility == crate::functions::Volatility::Volatile
                || matches!(call.function.body, crate::functions::Body::Waiting(_))
        }
        ExprKind::NextVal(_) | ExprKind::SqlCall { .. } => true,
        _ => false,
    };
    let mut inner = false;
    crate::bind::walk::children(expr, &mut |child| inner = inner || changes_by_row(child));
    own || inner
}

fn mirrored(operator: &str) -> Option<&'static str> {
    Some(match operator {
        "=" => "=",
        "<" => ">",
        "<=" => ">=",
        ">" => "<",
        ">=" => "<=",
        _ => return None,
    })
}

/// Whether values of both types have one order, and one form as a key.
fn comparable(key: Oid, value: Oid) -> bool {
    let class = |ty| match ty {
        oid::INT2 | oid::INT4 | oid::INT8 => 1,
        oid::TEXT | oid::VARCHAR | oid::NAME => 2,
        oid::OID | oid::REGCLASS | oid::REGTYPE | oid::REGPROC | oid::REGROLE | oid::REGNAMESPACE => 3,
        _ => 0,
    };
    key == value || (class(key) != 0 && class(key) == class(value))
}

fn match_index(base: &BaseTable, info: &IndexInfo, conditions: &[Expr], outer: u128) -> Match {
    let mut out = Match {
        bounds: IndexBounds::default(),
        used: Vec::new(),
        share: 1.0,
        whole_key: false,
    };
    let mut singles = 0;
    for key in &info.keys {
        let tests: Vec<(&Expr, Test<'_>)> = conditions
            .iter()
            .filter_map(|c| as_test(c, key, base.rel, outer).map(|test| (c, test)))
            .collect();
        let term = tests.iter().find_map(|(c, test)| match test {
            Test::Equal(value) => Some((*c, KeyTerm::Equal((*value).clone()), true)),
            _ => None,
        });
        let term = term.or_else(|| {
            tests.iter().find_map(|(c, test)| match test {
                Test::AnyOf(array) => Some((*c, KeyTerm::AnyOf((*array).clone()), false)),
                Test::IsNull => Some((*c, KeyTerm::IsNull, false)),
                _ => None,
            })
        });
        if let Some((condition, term, single)) = term {
            out.share *= cost::selectivity(condition, Some(&base.facts));
            out.bounds.equal.push(term);
            out.used.push(condition.clone());
            singles += usize::from(single);
            continue;
        }
        for (condition, test) in tests {
            match test {
                Test::Lower(value, inclusive) if out.bounds.lower.is_none() => {
                    out.bounds.lower = Some((value.clone(), inclusive));
                }
                Test::Upper(value, inclusive) if out.bounds.upper.is_none() => {
                    out.bounds.upper = Some((value.clone(), inclusive));
                }
                Test::NotNull => out.bounds.not_null = true,
                _ => continue,
            }
            out.share *= cost::selectivity(condition, Some(&base.facts));
            out.used.push(condition.clone());
        }
        break;
    }
    if out.bounds.lower.is_some() && out.bounds.upper.is_some() {
        out.share = out.share.min(0.05);
    }
    let unique = info.index.unique && !info.index.deferrable && info.index.valid;
    out.whole_key = unique && singles == info.keys.len() && out.bounds.equal.len() == singles;
    out
}

fn rest(conditions: &[Expr], used: &[Expr]) -> Vec<Expr> {
    conditions
        .iter()
        .filter(|c| !used.iter().any(|u| std::ptr::eq(*c, u) || same_expr(c, u)))
        .cloned()
        .collect()
}

fn point_path(base: &BaseTable, info: &IndexInfo, matched: Match, conditions: &[Expr]) -> Path {
    let key = matched.bounds.equal.into_iter().filter_map(|term| match term {
        KeyTerm::Equal(expr) => Some(expr),
        KeyTerm::AnyOf(_) | KeyTerm::IsNull => None,
    });
    let total = cost::SEEK * if info.primary { 1.0 } else { 2.0 } + cost::TUPLE;
    Path {
        kind: Arc::new(PathKind::Point {
            rel: base.rel,
            index: Arc::clone(&info.index),
            primary: info.primary,
            key: key.collect(),
            filter: rest(conditions, &matched.used),
            used: matched.used,
        }),
        rels: bit(base.rel),
        needs: needs(conditions, base.rel),
        startup: 0.0,
        total,
        rows: 1.0,
        width: base.width,
        order: Vec::new(),
    }
}

fn index_path(base: &BaseTable, info: &IndexInfo, matched: &Match, conditions: &[Expr], rows: f64, backward: bool) -> Path {
    // Every entry of a partial index passes the index's predicate.
    let mut filter = rest(conditions, &matched.used);
    filter.retain(|condition| !info.predicate.iter().any(|part| same_expr(part, condition)));
    let mut share = matched.share;
    // A partial index holds only rows that pass its predicate.
    for part in &info.predicate {
        share *= cost::selectivity(part, Some(&base.facts));
    }
    let read = (base.facts.rows * share).max(1.0);
    // Rows that fail a partial index's predicate cluster where a scan of the table would begin (the done jobs at a queue's
    // head), which no estimate of independent columns sees: such an index is taken to be there for this very query.
    let fetched_nearby = info.primary || !info.predicate.is_empty();
    let fetch = if fetched_nearby { base.width / 8192.0 } else { cost::FETCH };
    let a_row = cost::TUPLE + cost::OPERATOR * cost::count(filter.len()) + fetch;
    let ordered = !matched.bounds.equal.iter().any(|term| matches!(term, KeyTerm::AnyOf(_)));
    let order = if ordered {
        let keys = info.keys.iter().zip(&info.index.keys);
        keys.map(|(expr, key)| OrderKey {
            expr: bare(expr).clone(),
            descending: key.descending != backward,
            nulls_first: key.nulls_first != backward,
        })
        .collect()
    } else {
        Vec::new()
    };
    Path {
        kind: Arc::new(PathKind::Index(IndexPath {
            rel: base.rel,
            index: Arc::clone(&info.index),
            primary: info.primary,
            bounds: matched.bounds.clone(),
            backward,
            all: conditions.to_vec(),
            used: matched.used.clone(),
            filter,
        })),
        rels: bit(base.rel),
        needs: needs(conditions, base.rel),
        startup: cost::SEEK,
        // Going backward is a little slower; among equals forward wins.
        total: cost::SEEK + read * a_row * if backward { 1.001 } else { 1.0 },
        rows: rows.min(read),
        width: base.width,
        order,
    }
}
