//! Joins: ON, USING, NATURAL, and the names that they leave visible.

use smol_str::SmolStr;
use sqlparser::ast::{self, JoinConstraint, JoinOperator};

use super::Binder;
use super::at::At;
use super::coerce::Target as CoercionTarget;
use super::operator::Use;
use super::scope::{Clause, Item, ItemColumn, Level};
use super::tree::{Expr, ExprKind, From, JoinKind};
use crate::error::{PgError, Result, sqlstate};
use crate::types::oid;

impl<'a> Binder<'a> {
    pub(super) fn table_with_joins(&mut self, entry: &'a ast::TableWithJoins) -> Result<(From, Vec<Item>)> {
        let (mut from, mut items) = self.factor(&entry.relation)?;
        for join in &entry.joins {
            (from, items) = self.join(from, items, join)?;
        }
        Ok((from, items))
    }

    /// `(a JOIN b) [AS alias]`.
    pub(super) fn nested_join(
        &mut self,
        entry: &'a ast::TableWithJoins,
        alias: Option<&'a ast::TableAlias>,
    ) -> Result<(From, Vec<Item>)> {
        let (from, items) = self.table_with_joins(entry)?;
        let Some(alias) = alias else {
            return Ok((from, items));
        };
        // An alias hides everything inside.
        let mut columns: Vec<ItemColumn> = self
            .visible_columns(&items)
            .into_iter()
            .map(|(name, expr)| ItemColumn { name, expr: Some(expr) })
            .collect();
        if alias.columns.len() > columns.len() {
            return Err(PgError::new(
                sqlstate::INVALID_COLUMN_REFERENCE,
                format!(
                    "join expression \"{}\" has {} columns available but {} columns specified",
                    alias.name.value,
                    columns.len(),
                    alias.columns.len()
                ),
            ));
        }
        for (column, name) in columns.iter_mut().zip(&alias.columns) {
            column.name = SmolStr::new(&name.name.value);
        }
        let item = Item {
            name: SmolStr::new(&alias.name.value),
            schema: None,
            rel: None,
            columns,
            rel_visible: true,
            columns_visible: true,
            lateral_only: false,
            lateral_ok: true,
        };
        Ok((from, vec![item]))
    }

    fn visible_columns(&self, items: &[Item]) -> Vec<(SmolStr, Expr)> {
        let level = self.level_ref();
        items
            .iter()
            .filter(|item| item.columns_visible)
            .flat_map(|item| level.columns_of(item))
            .collect()
    }

    fn join(&mut self, left: From, mut left_items: Vec<Item>, join: &'a ast::Join) -> Result<(From, Vec<Item>)> {
        let (kind, constraint) = match &join.join_operator {
            JoinOperator::Join(constraint) | JoinOperator::Inner(constraint) => (JoinKind::Inner, constraint),
            JoinOperator::CrossJoin(constraint) => (JoinKind::Inner, constraint),
            JoinOperator::Left(constraint) | JoinOperator::LeftOuter(constraint) => (JoinKind::Left, constraint),
            JoinOperator::Right(constraint) | JoinOperator::RightOuter(constraint) => (JoinKind::Right, constraint),
            JoinOperator::FullOuter(constraint) => (JoinKind::Full, constraint),
            _ => return Err(PgError::unsupported("this kind of join")),
        };
        // The right side may see the left one laterally, an INNER or LEFT join permitting.
        let outside = self.level_ref().items.len();
        for item in &mut left_items {
            item.lateral_only = true;
            item.lateral_ok = matches!(kind, JoinKind::Inner | JoinKind::Left);
        }
        self.level().items.append(&mut left_items);
        let right = self.factor(&join.relation)?;
        let mut left_items = self.level().items.split_off(outside);
        for item in &mut left_items {
            item.lateral_only = false;
            item.lateral_ok = true;
        }
        let (right, right_items) = right;
        check_conflicts(&left_items, &right_items, self.level_ref())?;
        let using: Vec<SmolStr> = match constraint {
            JoinConstraint::Using(names) | JoinConstraint::UsingAlias(names, _) => names
                .iter()
                .filter_map(|name| name.0.last()?.as_ident())
                .map(|ident| SmolStr::new(&ident.value))
                .collect(),
            JoinConstraint::Natural => self.common_names(&left_items, &right_items),
            JoinConstraint::On(_) | JoinConstraint::None => Vec::new(),
        };
        let mut condition = None;
        let mut join_item = None;
        if !using.is_empty() {
            let (found, columns, merged) = self.using(&using, kind, &left_items, &right_items)?;
            condition = Some(found);
            join_item = Some((columns, merged));
        }
        left_items.extend(right_items);
        let mut items = left_items;
        if let Some((columns, merged)) = join_item {
            for item in &mut items {
                item.columns_visible = false;
            }
            items.retain(|item| item.rel_visible);
            items.push(hidden_item(columns));
            if let JoinConstraint::UsingAlias(_, alias) = constraint {
                check_alias(&items, &alias.value)?;
                let mut item = hidden_item(merged);
                item.name = SmolStr::new(&alias.value);
                item.rel_visible = true;
                item.columns_visible = false;
                items.push(item);
            }
        }
        if let JoinConstraint::On(on) = constraint {
            condition = Some(self.join_on(on, &items)?);
        }
        let from = From::Join {
            kind,
            left: Box::new(left),
            right: Box::new(right),
            condition,
        };
        Ok((from, items))
    }

    /// ON sees exactly the two sides (and outer queries).
    fn join_on(&mut self, on: &'a ast::Expr, items: &[Item]) -> Result<Expr> {
        let outside = std::mem::replace(&mut self.level().items, items.to_vec());
        let bound = self.expr_in(on, Clause::JoinOn);
        self.level().items = outside;
        self.coerce_to_specific(bound?, oid::BOOL, "JOIN/ON", At::Expr(on))
    }

    fn common_names(&self, left: &[Item], right: &[Item]) -> Vec<SmolStr> {
        let rights = self.visible_columns(right);
        let mut found: Vec<SmolStr> = Vec::new();
        for (name, _) in self.visible_columns(left) {
            if rights.iter().any(|(other, _)| *other == name) {
                found.push(name);
            }
        }
        found
    }

    /// The condition of USING, the join's columns (merged ones first), and the merged ones alone.
    fn using(
        &mut self,
        names: &[SmolStr],
        kind: JoinKind,
        left: &[Item],
        right: &[Item],
    ) -> Result<(Expr, Vec<ItemColumn>, Vec<ItemColumn>)> {
        let mut lefts = self.visible_columns(left);
        let mut rights = self.visible_columns(right);
        let mut merged = Vec::with_capacity(names.len());
        let mut conditions = Vec::with_capacity(names.len());
        for (at, name) in names.iter().enumerate() {
            if names[..at].contains(name) {
                return Err(PgError::new(
                    sqlstate::DUPLICATE_COLUMN,
                    format!("column name \"{name}\" appears more than once in USING clause"),
                ));
            }
            let l = take_column(&mut lefts, name, "left")?;
            let r = take_column(&mut rights, name, "right")?;
            let used = Use::at("=", 0);
            let condition = self.binary(used, l.clone(), r.clone(), At::NONE, At::NONE)?;
            conditions.push(self.coerce_to_specific(condition, oid::BOOL, "JOIN/USING", At::NONE)?);
            let value = self.merged_column(l, r, kind)?;
            merged.push(ItemColumn {
                name: name.clone(),
                expr: Some(value),
            });
        }
        let mut columns = merged.clone();
        columns.extend(
            lefts
                .into_iter()
                .chain(rights)
                .map(|(name, expr)| ItemColumn { name, expr: Some(expr) }),
        );
        let condition = if conditions.len() == 1 {
            conditions.remove(0)
        } else {
            Expr::new(ExprKind::And(conditions), oid::BOOL)
        };
        Ok((condition, columns, merged))
    }

    /// `buildMergedJoinVar`.
    fn merged_column(&mut self, left: Expr, right: Expr, kind: JoinKind) -> Result<Expr> {
        let types = [(left.ty, At::NONE), (right.ty, At::NONE)];
        let common = self.common_type(&types, Some("JOIN/USING"))?;
        let same_type = left.ty == common && right.ty == common;
        let typmod = if same_type && left.typmod == right.typmod {
            left.typmod
        } else {
            -1
        };
        let left_is_var = left.ty == common;
        let right_is_var = right.ty == common;
        let left = self.coerce_to_common(left, common, "JOIN/USING", At::NONE)?;
        let right = self.coerce_to_common(right, common, "JOIN/USING", At::NONE)?;
        let left = self.coerce_typmod(left, CoercionTarget::implicit(common).with_typmod(typmod));
        let right = self.coerce_typmod(right, CoercionTarget::implicit(common).with_typmod(typmod));
        Ok(match kind {
            JoinKind::Inner if left_is_var || !right_is_var => left,
            JoinKind::Inner | JoinKind::Right => right,
            JoinKind::Left => left,
            JoinKind::Full => {
                let mut expr = Expr::new(ExprKind::Coalesce(vec![left, right]), common);
                expr.typmod = typmod;
                expr
            }
        })
    }
}

fn hidden_item(columns: Vec<ItemColumn>) -> Item {
    Item {
        name: SmolStr::new_static("unnamed_join"),
        schema: None,
        rel: None,
        columns,
        rel_visible: false,
        columns_visible: true,
        lateral_only: false,
        lateral_ok: true,
    }
}

fn take_column(columns: &mut Vec<(SmolStr, Expr)>, name: &str, side: &str) -> Result<Expr> {
    let mut found = columns.iter().enumerate().filter(|(_, (other, _))| other == name);
    match (found.next(), found.next()) {
        (Some((at, _)), None) => Ok(columns.remove(at).1),
        (None, _) => Err(PgError::new(
            sqlstate::UNDEFINED_COLUMN,
            format!("column \"{name}\" specified in USING clause does not exist in {side} table"),
        )),
        (Some(_), Some(_)) => Err(PgError::new(
            sqlstate::AMBIGUOUS_COLUMN,
            format!("common column name \"{name}\" appears more than once in {side} table"),
        )),
    }
}

/// A name for USING's merged columns must be new.
fn check_alias(items: &[Item], alias: &str) -> Result<()> {
    if items.iter().any(|item| item.rel_visible && item.name == alias) {
        return Err(PgError::new(
            sqlstate::DUPLICATE_ALIAS,
            format!("table name \"{alias}\" specified more than once"),
        ));
    }
    Ok(())
}

/// `checkNameSpaceConflicts`.
pub(super) fn check_conflicts(left: &[Item], right: &[Item], level: &Level<'_>) -> Result<()> {
    for a in left.iter().filter(|item| item.rel_visible) {
        for b in right.iter().filter(|item| item.rel_visible && item.name == a.name) {
            // Tables of one name in different schemas, both without alias, can be told apart.
            if a.schema.is_some() && b.schema.is_some() && a.schema != b.schema {
                continue;
            }
            let _ = level;
            return Err(PgError::new(
                sqlstate::DUPLICATE_ALIAS,
                format!("table name \"{}\" specified more than once", b.name),
            ));
        }
    }
    Ok(())
}
