//! ORDER BY, DISTINCT and DISTINCT ON: keys as places in the target list.

use sqlparser::ast::{self, OrderBySort};

use super::Binder;
use super::at::{At, start_of};
use super::expr::unnest;
use super::scope::Clause;
use super::tree::{Distinct, Expr, ExprKind, SortKey, Target};
use super::walk::same;
use crate::error::{PgError, Result, sqlstate};
use crate::types::oid;

impl<'a> Binder<'a> {
    pub(super) fn order_by(&mut self, keys: &'a [ast::OrderByExpr], targets: &mut Vec<Target>) -> Result<Vec<SortKey>> {
        let mut sort: Vec<SortKey> = Vec::with_capacity(keys.len());
        for key in keys {
            let column = self.find_target(&key.expr, targets, Clause::OrderBy)?;
            self.resolve_target_unknown(&mut targets[column], At::Expr(&key.expr))?;
            self.check_orderable(targets[column].expr.ty, At::Expr(&key.expr))?;
            let (descending, nulls_first) = self.sort_direction(&key.options)?;
            if !sort.iter().any(|found| found.column == column) {
                sort.push(SortKey {
                    column,
                    descending,
                    nulls_first,
                });
            }
        }
        Ok(sort)
    }

    /// (descending, nulls first).
    pub(super) fn sort_direction(&self, options: &ast::OrderByOptions) -> Result<(bool, bool)> {
        let descending = match &options.sort {
            None | Some(OrderBySort::Asc) => false,
            Some(OrderBySort::Desc) => true,
            Some(OrderBySort::Using(name)) => {
                let text = name.to_string();
                match text.rsplit('.').next().unwrap_or("").trim_matches(['(', ')', '"']) {
                    "<" | "~<~" => false,
                    ">" | "~>~" => true,
                    operator => {
                        return Err(PgError::new(
                            sqlstate::WRONG_OBJECT_TYPE,
                            format!("operator {operator} is not a valid ordering operator"),
                        )
                        .hint("Ordering operators must be \"<\" or \">\" members of btree operator families."));
                    }
                }
            }
        };
        Ok((descending, options.nulls_first.unwrap_or(descending)))
    }

    fn resolve_target_unknown(&mut self, target: &mut Target, at: At<'a>) -> Result<()> {
        if target.expr.ty == oid::UNKNOWN {
            let expr = std::mem::replace(&mut target.expr, Expr::new(ExprKind::CaseOperand, oid::UNKNOWN));
            target.expr = self.resolve_unknown(expr, at)?;
        }
        Ok(())
    }

    /// `findTargetlistEntrySQL92`: an output name, a place, or an expression.
    pub(super) fn find_target(&mut self, key: &'a ast::Expr, targets: &mut Vec<Target>, clause: Clause) -> Result<usize> {
        match unnest(key) {
            ast::Expr::Identifier(ident) => {
                let position = start_of(key);
                // GROUP BY prefers a column of FROM, ORDER BY an output name.
                let shadowed = clause == Clause::GroupBy && self.find_bare(&ident.value, position)?.is_some();
                if !shadowed && let Some(found) = self.output_name(&ident.value, targets, clause, position)? {
                    return Ok(found);
                }
            }
            ast::Expr::Value(value) => match &value.value {
                ast::Value::Number(text, _) if text.parse::<i32>().is_ok() => {
                    let place: usize = text.parse().unwrap_or(0);
                    let output: Vec<usize> = (0..targets.len()).filter(|at| !targets[*at].junk).collect();
                    return match place.checked_sub(1).and_then(|at| output.get(at)) {
                        Some(at) => Ok(*at),
                        None => Err(PgError::new(
                            sqlstate::INVALID_COLUMN_REFERENCE,
                            format!("{} position {place} is not in select list", clause.name()),
                        )
                        .at(start_of(key))),
                    };
                }
                ast::Value::Placeholder(_) => {}
                ast::Value::Boolean(_) => {}
                _ => {
                    return Err(
                        PgError::new(sqlstate::SYNTAX_ERROR, format!("non-integer constant in {}", clause.name()))
                            .at(start_of(key)),
                    );
                }
            },
            _ => {}
        }
        let bound = self.expr_in(key, clause)?;
        Ok(self.target_of(bound, targets))
    }

    fn output_name(&self, name: &str, targets: &[Target], clause: Clause, position: u32) -> Result<Option<usize>> {
        let mut found: Option<usize> = None;
        for (at, target) in targets.iter().enumerate() {
            if target.junk || target.name != name {
                continue;
            }
            match found {
                None => found = Some(at),
                Some(first) if same(&targets[first].expr, &target.expr) => {}
                Some(_) => {
                    return Err(PgError::new(
                        sqlstate::AMBIGUOUS_COLUMN,
                        format!("{} \"{name}\" is ambiguous", clause.name()),
                    )
                    .at(position));
                }
            }
        }
        Ok(found)
    }

    /// The target that computes an expression; a junk one is added where there is none.
    pub(super) fn target_of(&mut self, expr: Expr, targets: &mut Vec<Target>) -> usize {
        if let Some(found) = targets.iter().position(|target| same(&target.expr, &expr)) {
            return found;
        }
        targets.push(Target {
            expr,
            name: "?column?".into(),
            junk: true,
            origin: None,
        });
        targets.len() - 1
    }

    pub(super) fn distinct(
        &mut self,
        distinct: Option<&'a ast::Distinct>,
        targets: &mut Vec<Target>,
        sort: &[SortKey],
        order_by: &'a [ast::OrderByExpr],
    ) -> Result<Distinct> {
        match distinct {
            None | Some(ast::Distinct::All) => Ok(Distinct::No),
            Some(ast::Distinct::Distinct) => {
                if let Some(at) = sort.iter().position(|key| targets[key.column].junk) {
                    return Err(PgError::new(
                        sqlstate::INVALID_COLUMN_REFERENCE,
                        "for SELECT DISTINCT, ORDER BY expressions must appear in select list",
                    )
                    .at(order_by.get(at).map_or(0, |key| start_of(&key.expr))));
                }
                for target in targets.iter_mut().filter(|target| !target.junk) {
                    self.resolve_target_unknown(target, At::NONE)?;
                    self.check_equality(target.expr.ty, 0)?;
                }
                Ok(Distinct::All)
            }
            Some(ast::Distinct::On(keys)) => {
                let mut places: Vec<usize> = Vec::with_capacity(keys.len());
                for key in keys {
                    let at = self.find_target(key, targets, Clause::DistinctOn)?;
                    self.resolve_target_unknown(&mut targets[at], At::Expr(key))?;
                    self.check_equality(targets[at].expr.ty, start_of(key))?;
                    if !places.contains(&at) {
                        places.push(at);
                    }
                }
                // Sort keys must begin with the DISTINCT ON keys, in any order.
                let mut skipped = false;
                for key in sort {
                    let matches = places.contains(&key.column);
                    if matches && skipped {
                        return Err(PgError::new(
                            sqlstate::INVALID_COLUMN_REFERENCE,
                            "SELECT DISTINCT ON expressions must match initial ORDER BY expressions",
                        )
                        .at(places
                            .iter()
                            .position(|place| *place == key.column)
                            .and_then(|at| keys.get(at))
                            .map_or(0, start_of)));
                    }
                    skipped |= !matches;
                }
                let sorted = sort.iter().filter(|key| places.contains(&key.column)).count();
                if skipped && sorted < places.len() {
                    return Err(PgError::new(
                        sqlstate::INVALID_COLUMN_REFERENCE,
                        "SELECT DISTINCT ON expressions must match initial ORDER BY expressions",
                    )
                    .at(keys.first().map_or(0, start_of)));
                }
                Ok(Distinct::On(places))
            }
        }
    }

    pub(super) fn check_equality(&self, ty: crate::ids::Oid, position: u32) -> Result<()> {
        if self.has_equality(ty) {
            return Ok(());
        }
        Err(PgError::new(
            sqlstate::UNDEFINED_FUNCTION,
            format!("could not identify an equality operator for type {}", self.type_text(ty)),
        )
        .at(position))
    }
}
