//! GROUP BY, grouping sets, and the check that what is not grouped stands only in aggregates.

use std::ops::ControlFlow;

use smol_str::SmolStr;
use sqlparser::ast::{self, Spanned};

use super::Binder;
use super::at::{At, start_of};
use super::expr::unnest;
use super::scope::Clause;
use super::tree::{Expr, ExprKind, Group, Query, RelKind, SystemColumn, Target};
use super::walk::{Step, children_mut, same, walk};
use crate::catalog::{ConstraintKind, IndexExpr};
use crate::error::{PgError, Result, sqlstate};
use crate::parse::position_of;

/// Grouping sets that a query may spell out (PostgreSQL: 4096).
const GROUPING_SETS_MAX: usize = 4096;

impl<'a> Binder<'a> {
    pub(super) fn group_by(&mut self, group: &'a ast::GroupByExpr, targets: &mut Vec<Target>) -> Result<Group> {
        let ast::GroupByExpr::Expressions(items, _) = group else {
            return Err(PgError::unsupported("GROUP BY ALL"));
        };
        if items.is_empty() {
            return Ok(Group::None);
        }
        let has_sets = items.iter().any(|item| {
            matches!(item, ast::Expr::GroupingSets(_) | ast::Expr::Cube(_) | ast::Expr::Rollup(_))
                || matches!(item, ast::Expr::Tuple(list) if list.is_empty())
        });
        if !has_sets {
            let mut places = Vec::with_capacity(items.len());
            for item in items {
                self.group_item(item, targets, &mut places)?;
            }
            return Ok(Group::Plain(places));
        }
        // The sets of all items, multiplied.
        let mut sets: Vec<Vec<usize>> = vec![Vec::new()];
        for item in items {
            let of_item = self.item_sets(item, targets)?;
            let mut product = Vec::with_capacity(sets.len() * of_item.len());
            for set in &sets {
                for other in &of_item {
                    let mut joined = set.clone();
                    for place in other {
                        if !joined.contains(place) {
                            joined.push(*place);
                        }
                    }
                    product.push(joined);
                }
            }
            if product.len() > GROUPING_SETS_MAX {
                return Err(PgError::new(
                    sqlstate::STATEMENT_TOO_COMPLEX,
                    format!("too many grouping sets present (maximum {GROUPING_SETS_MAX})"),
                ));
            }
            sets = product;
        }
        Ok(Group::Sets(sets))
    }

    /// One plain item; a row is its members.
    fn group_item(&mut self, item: &'a ast::Expr, targets: &mut Vec<Target>, places: &mut Vec<usize>) -> Result<()> {
        if let ast::Expr::Tuple(list) = unnest(item) {
            for member in list {
                self.group_item(member, targets, places)?;
            }
            return Ok(());
        }
        let at = self.find_target(item, targets, Clause::GroupBy)?;
        let expr = targets[at].expr.clone();
        if contains_aggregate(&expr) {
            return Err(
                PgError::new(sqlstate::GROUPING_ERROR, "aggregate functions are not allowed in GROUP BY").at(start_of(item)),
            );
        }
        if super::window::contains_window(&expr) {
            return Err(
                PgError::new(sqlstate::WINDOWING_ERROR, "window functions are not allowed in GROUP BY").at(start_of(item)),
            );
        }
        if expr.ty == crate::types::oid::UNKNOWN {
            targets[at].expr = self.resolve_unknown(expr, At::Expr(item))?;
        }
        self.check_equality(targets[at].expr.ty, start_of(item))?;
        if !places.contains(&at) {
            places.push(at);
        }
        Ok(())
    }

    fn item_sets(&mut self, item: &'a ast::Expr, targets: &mut Vec<Target>) -> Result<Vec<Vec<usize>>> {
        match item {
            ast::Expr::Rollup(lists) => {
                let groups = self.group_lists(lists, targets)?;
                Ok(rollup_sets(&groups))
            }
            ast::Expr::Cube(lists) => {
                let groups = self.group_lists(lists, targets)?;
                if groups.len() > 12 {
                    return Err(PgError::new(sqlstate::TOO_MANY_COLUMNS, "CUBE is limited to 12 elements"));
                }
                Ok(cube_sets(&groups))
            }
            ast::Expr::GroupingSets(lists) => {
                let mut sets = Vec::new();
                for list in lists {
                    match list.as_slice() {
                        [inner @ (ast::Expr::Rollup(_) | ast::Expr::Cube(_) | ast::Expr::GroupingSets(_))] => {
                            sets.append(&mut self.item_sets(inner, targets)?);
                        }
                        [ast::Expr::Function(function)] if nested_sets(function).is_some() => {
                            sets.append(&mut self.nested_sets(function, targets)?);
                        }
                        list => sets.push(self.group_list(list, targets)?),
                    }
                }
                Ok(sets)
            }
            plain => {
                let mut places = Vec::new();
                self.group_item(plain, targets, &mut places)?;
                Ok(vec![places])
            }
        }
    }

    /// ROLLUP and CUBE inside GROUPING SETS, which the parser reads as calls.
    fn nested_sets(&mut self, function: &'a ast::Function, targets: &mut Vec<Target>) -> Result<Vec<Vec<usize>>> {
        let ast::FunctionArguments::List(list) = &function.args else {
            return Ok(Vec::new());
        };
        let mut groups = Vec::with_capacity(list.args.len());
        for arg in &list.args {
            let ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(expr)) = arg else {
                return Err(PgError::new(sqlstate::SYNTAX_ERROR, "syntax error in grouping set"));
            };
            let mut places = Vec::new();
            self.group_item(expr, targets, &mut places)?;
            groups.push(places);
        }
        Ok(match nested_sets(function) {
            Some("cube") => cube_sets(&groups),
            _ => rollup_sets(&groups),
        })
    }

    fn group_lists(&mut self, lists: &'a [Vec<ast::Expr>], targets: &mut Vec<Target>) -> Result<Vec<Vec<usize>>> {
        lists.iter().map(|list| self.group_list(list, targets)).collect()
    }

    fn group_list(&mut self, list: &'a [ast::Expr], targets: &mut Vec<Target>) -> Result<Vec<usize>> {
        let mut places = Vec::new();
        for item in list {
            self.group_item(item, targets, &mut places)?;
        }
        Ok(places)
    }

    /// `parseCheckAggregates`.
    pub(super) fn check_grouping(
        &mut self,
        query: &mut Query,
        select: &'a ast::Select,
        order_by: &'a [ast::OrderByExpr],
    ) -> Result<()> {
        let places: Vec<usize> = match &query.group {
            Group::None => Vec::new(),
            Group::Plain(places) => places.clone(),
            Group::Sets(sets) => {
                let mut all: Vec<usize> = sets.concat();
                all.sort_unstable();
                all.dedup();
                all
            }
        };
        self.finish_groupings(query, &places)?;
        let keys: Vec<Expr> = places.iter().map(|at| query.targets[*at].expr.clone()).collect();
        // What depends on a key must be grouped by it in every set.
        let common: Vec<Expr> = match &query.group {
            Group::Sets(sets) => places
                .iter()
                .filter(|place| sets.iter().all(|set| set.contains(place)))
                .map(|at| query.targets[*at].expr.clone())
                .collect(),
            _ => keys.clone(),
        };
        let fixed = self.dependent_rels(&common);
        let written = Written { select, order_by };
        for (at, target) in query.targets.iter().enumerate() {
            if !places.contains(&at) {
                self.check_ungrouped(&target.expr, &keys, &fixed, &written)?;
            }
        }
        if let Some(having) = &query.having {
            self.check_ungrouped(having, &keys, &fixed, &written)?;
        }
        Ok(())
    }

    /// Turns GROUPING's arguments into places of the grouping.
    fn finish_groupings(&mut self, query: &mut Query, places: &[usize]) -> Result<()> {
        let groupings = std::mem::take(&mut self.level().groupings);
        if groupings.is_empty() {
            return Ok(());
        }
        let mut resolved = Vec::with_capacity(groupings.len());
        for (args, position) in &groupings {
            let mut found = Vec::with_capacity(args.len());
            for arg in args {
                match places.iter().find(|at| same(&query.targets[**at].expr, arg)) {
                    Some(at) => found.push(*at),
                    None => {
                        return Err(PgError::new(
                            sqlstate::GROUPING_ERROR,
                            "arguments to GROUPING must be grouping expressions of the associated query level",
                        )
                        .at(self.position_from(*position, "(") + 1));
                    }
                }
            }
            resolved.push(found);
        }
        for target in &mut query.targets {
            put_groupings(&mut target.expr, &resolved);
        }
        if let Some(having) = &mut query.having {
            put_groupings(having, &resolved);
        }
        Ok(())
    }

    /// Rels whose primary key is grouped: all their columns depend on it.
    fn dependent_rels(&self, keys: &[Expr]) -> Vec<usize> {
        let grouped = |rel: usize, column: usize| {
            keys.iter()
                .any(|key| matches!(key.kind, ExprKind::Var { level: 0, rel: r, column: c } if (r, c) == (rel, column)))
        };
        let level = self.level_ref();
        let mut found = Vec::new();
        for (at, rel) in level.rels.iter().enumerate() {
            let RelKind::Table { table, indexes, .. } = &rel.kind else {
                continue;
            };
            let primary = table.constraints.iter().find_map(|constraint| match constraint.kind {
                ConstraintKind::PrimaryKey { index } if !constraint.deferrable => Some(index),
                _ => None,
            });
            let Some(index) = primary.and_then(|oid| indexes.iter().find(|index| index.oid == oid)) else {
                continue;
            };
            let all = index.keys.iter().all(|key| match key.expr {
                IndexExpr::Column(column) => grouped(at, usize::from(column)),
                IndexExpr::Expression(_) => false,
            });
            if all {
                found.push(at);
            }
        }
        found
    }

    /// `check_ungrouped_columns`.
    fn check_ungrouped(&self, expr: &Expr, keys: &[Expr], fixed: &[usize], written: &Written<'a>) -> Result<()> {
        let mut bad: Option<(usize, Option<usize>, SystemOrWhole, bool)> = None;
        walk(expr, 0, &mut |expr, depth| {
            if bad.is_some() {
                return Step::Over;
            }
            if let ExprKind::Aggregate(call) = &expr.kind
                && call.level >= depth
            {
                return Step::Over;
            }
            if depth == 0 && keys.iter().any(|key| same(key, expr)) {
                return Step::Over;
            }
            let (level, rel, column, kind) = match &expr.kind {
                ExprKind::Var { level, rel, column } => (*level, *rel, Some(*column), SystemOrWhole::Column),
                ExprKind::SystemVar { level, rel, column } => (*level, *rel, None, SystemOrWhole::System(*column)),
                ExprKind::WholeRow { level, rel } => (*level, *rel, None, SystemOrWhole::Whole),
                _ => return Step::Into,
            };
            if level != depth || fixed.contains(&rel) {
                return Step::Into;
            }
            let grouped = keys.iter().any(|key| match (&key.kind, column) {
                (
                    ExprKind::Var {
                        level: 0,
                        rel: r,
                        column: c,
                    },
                    Some(column),
                ) => (*r, *c) == (rel, column),
                _ => false,
            });
            if !grouped {
                bad = Some((rel, column, kind, depth > 0));
            }
            Step::Into
        });
        let Some((rel, column, kind, outer)) = bad else {
            return Ok(());
        };
        let found = &self.level_ref().rels[rel];
        let name: SmolStr = match (column, kind) {
            (Some(column), _) => found.columns[column].name.clone(),
            (None, SystemOrWhole::System(column)) => super::scope::system_column_name(column).into(),
            (None, _) => "*".into(),
        };
        let full = format!("{}.{name}", found.name);
        let message = if outer {
            format!("subquery uses ungrouped column \"{full}\" from outer query")
        } else {
            format!("column \"{full}\" must appear in the GROUP BY clause or be used in an aggregate function")
        };
        Err(PgError::new(sqlstate::GROUPING_ERROR, message).at(name_position(written, &name, &found.name)))
    }
}

/// Where the names of a query stand.
struct Written<'a> {
    select: &'a ast::Select,
    order_by: &'a [ast::OrderByExpr],
}

enum SystemOrWhole {
    Column,
    System(SystemColumn),
    Whole,
}

/// The name of a call that is a grouping set of its own.
fn nested_sets(function: &ast::Function) -> Option<&'static str> {
    let [name] = function.name.0.as_slice() else {
        return None;
    };
    let ident = name.as_ident().filter(|ident| ident.quote_style.is_none())?;
    match ident.value.as_str() {
        "rollup" => Some("rollup"),
        "cube" => Some("cube"),
        _ => None,
    }
}

fn rollup_sets(groups: &[Vec<usize>]) -> Vec<Vec<usize>> {
    (0..=groups.len()).rev().map(|len| groups[..len].concat()).collect()
}

fn cube_sets(groups: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let width = groups.len();
    (0..1_usize << width)
        .rev()
        .map(|mask| {
            let kept = (0..width).filter(|at| mask >> (width - 1 - at) & 1 == 1);
            kept.flat_map(|at| groups[at].clone()).collect()
        })
        .collect()
}

fn put_groupings(expr: &mut Expr, resolved: &[Vec<usize>]) {
    if let ExprKind::Grouping(places) = &mut expr.kind {
        if let Some(found) = places.first().and_then(|at| resolved.get(*at)) {
            *places = found.clone();
        }
        return;
    }
    children_mut(expr, &mut |child| put_groupings(child, resolved));
}

/// Where a column is first named in the targets or HAVING; bound trees do not carry positions.
fn name_position(written: &Written<'_>, name: &str, relation: &str) -> u32 {
    let select = written.select;
    let find = |expr: &ast::Expr| {
        let mut found = 0;
        let _ = ast::visit_expressions(expr, |expr| {
            let (last, first) = match expr {
                ast::Expr::Identifier(ident) => (ident, ident),
                ast::Expr::CompoundIdentifier(parts) => match (parts.last(), parts.first()) {
                    (Some(last), Some(first)) => (last, first),
                    _ => return ControlFlow::Continue(()),
                },
                _ => return ControlFlow::Continue(()),
            };
            let whole = name == "*" && last.value == relation;
            let qualified = !std::ptr::eq(last, first);
            if whole || last.value == name && (!qualified || first.value == relation) {
                found = position_of(first.span);
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        found
    };
    for item in &select.projection {
        let position = match item {
            ast::SelectItem::UnnamedExpr(expr) | ast::SelectItem::ExprWithAlias { expr, .. } => find(expr),
            ast::SelectItem::Wildcard(options) => position_of(options.wildcard_token.0.span),
            ast::SelectItem::QualifiedWildcard(ast::SelectItemQualifiedWildcardKind::ObjectName(of), _) => {
                let last = of.0.last().and_then(|part| part.as_ident());
                if last.is_some_and(|ident| ident.value == relation) {
                    position_of(of.span())
                } else {
                    0
                }
            }
            ast::SelectItem::QualifiedWildcard(..) => 0,
            ast::SelectItem::ExprWithAliases { .. } => 0,
        };
        if position > 0 {
            return position;
        }
    }
    let sorted = || {
        written
            .order_by
            .iter()
            .map(|key| find(&key.expr))
            .find(|position| *position > 0)
    };
    match select.having.as_ref().map_or(0, find) {
        0 => sorted().unwrap_or(0),
        position => position,
    }
}

fn contains_aggregate(expr: &Expr) -> bool {
    let mut found = false;
    walk(expr, 0, &mut |expr, depth| {
        if let ExprKind::Aggregate(call) = &expr.kind {
            found |= call.level == depth;
        }
        Step::Into
    });
    found
}
