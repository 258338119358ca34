//! Target lists: expansion of stars, and the names of columns (`FigureColname`).

use smol_str::SmolStr;
use sqlparser::ast::{self, SelectItem, SelectItemQualifiedWildcardKind};

use super::Binder;
use super::at::At;
use super::scope::Clause;
use super::tree::{Expr, ExprKind, RelKind, Target};
use crate::error::{PgError, Result, sqlstate};
use crate::parse::{position_of, type_name_of};
use crate::types::oid;

impl<'a> Binder<'a> {
    pub(super) fn targets(&mut self, items: &'a [SelectItem], clause: Clause) -> Result<Vec<Target>> {
        let before = std::mem::replace(&mut self.level().clause, clause);
        let mut targets = Vec::with_capacity(items.len());
        for item in items {
            self.target_item(item, &mut targets)?;
        }
        self.level().clause = before;
        Ok(targets)
    }

    fn target_item(&mut self, item: &'a SelectItem, targets: &mut Vec<Target>) -> Result<()> {
        match item {
            SelectItem::UnnamedExpr(ast::Expr::QualifiedWildcard(name, _)) => self.expand_relation(name, targets),
            SelectItem::UnnamedExpr(expr) => {
                let bound = self.expr(expr)?;
                targets.push(self.target(bound, column_name(expr)));
                Ok(())
            }
            SelectItem::ExprWithAlias { expr, alias } => {
                let bound = self.expr(expr)?;
                targets.push(self.target(bound, SmolStr::new(&alias.value)));
                Ok(())
            }
            SelectItem::Wildcard(options) => {
                let position = position_of(options.wildcard_token.0.span);
                targets.append(&mut self.expand_all(position)?);
                Ok(())
            }
            SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) => {
                self.expand_relation(name, targets)
            }
            SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::Expr(expr), _) => self.expand_row(expr, targets),
            SelectItem::ExprWithAliases { .. } => Err(PgError::unsupported("several aliases for a column")),
        }
    }

    pub(super) fn target(&self, expr: Expr, name: SmolStr) -> Target {
        let origin = self.level_ref().origin(&expr).or_else(|| self.cte_origin(&expr));
        Target {
            expr,
            name,
            junk: false,
            origin,
        }
    }

    /// The origin of a CTE's column.
    fn cte_origin(&self, expr: &Expr) -> Option<(crate::ids::Oid, i16)> {
        let ExprKind::Var { level: 0, rel, column } = expr.kind else {
            return None;
        };
        let RelKind::Cte { level, cte } = &self.level_ref().rels[rel].kind else {
            return None;
        };
        let owner = &self.levels[self.levels.len() - 1 - *level as usize];
        owner.cte_names.get(*cte)?.origins.get(column).copied().flatten()
    }

    /// `*`.
    pub(super) fn expand_all(&mut self, position: u32) -> Result<Vec<Target>> {
        let level = self.level_ref();
        let mut columns = Vec::new();
        let mut found = false;
        for item in level.items.iter().filter(|item| item.columns_visible && !item.lateral_only) {
            found = true;
            columns.append(&mut level.columns_of(item));
        }
        if !found {
            return Err(PgError::new(sqlstate::SYNTAX_ERROR, "SELECT * with no tables specified is not valid").at(position));
        }
        Ok(columns.into_iter().map(|(name, expr)| self.target(expr, name)).collect())
    }

    /// `t.*`.
    fn expand_relation(&mut self, name: &'a ast::ObjectName, targets: &mut Vec<Target>) -> Result<()> {
        let (up, at) = self.find_star(name)?;
        let level = &self.levels[self.levels.len() - 1 - up as usize];
        let item = &level.items[at];
        let columns: Vec<(SmolStr, Expr)> = (0..level.width(item))
            .filter_map(|column| Some((level.column_name(item, column)?.clone(), level.column_expr(item, column, up))))
            .collect();
        for (name, expr) in columns {
            targets.push(self.target(expr, name));
        }
        Ok(())
    }

    /// `(row).*`.
    fn expand_row(&mut self, expr: &'a ast::Expr, targets: &mut Vec<Target>) -> Result<()> {
        let row = self.expr(expr)?;
        let record = Box::new(row);
        let fields: Vec<(SmolStr, crate::ids::Oid, i32)> = match (&record.kind, self.fields_of(record.ty)) {
            (ExprKind::Row(values), None) => values
                .iter()
                .enumerate()
                .map(|(at, value)| (format!("f{}", at + 1).into(), value.ty, value.typmod))
                .collect(),
            (_, Some(fields)) => fields.to_vec(),
            (ExprKind::Call(call), None) if !call.function.columns.is_empty() => call
                .function
                .columns
                .iter()
                .map(|(name, ty)| (SmolStr::new(*name), *ty, -1))
                .collect(),
            (ExprKind::WholeRow { level, rel }, None) => {
                let owner = &self.levels[self.levels.len() - 1 - *level as usize];
                let columns = owner.rels[*rel].columns.iter();
                columns
                    .map(|column| (column.name.clone(), column.ty, column.typmod))
                    .collect()
            }
            _ => {
                let position = super::at::start_of(expr);
                return Err(if record.ty == oid::RECORD {
                    PgError::new(sqlstate::FEATURE_NOT_SUPPORTED, "record type has not been registered").at(position)
                } else {
                    PgError::new(
                        sqlstate::WRONG_OBJECT_TYPE,
                        format!("type {} is not composite", self.type_text(record.ty)),
                    )
                    .at(position)
                });
            }
        };
        for (field, (name, ty, typmod)) in fields.into_iter().enumerate() {
            let mut value = Expr::new(
                ExprKind::Field {
                    record: record.clone(),
                    field,
                },
                ty,
            );
            value.typmod = typmod;
            targets.push(self.target(value, name));
        }
        Ok(())
    }

    /// `resolveTargetListUnknowns`.
    pub(super) fn resolve_targets(&mut self, targets: &mut [Target], items: &'a [SelectItem]) -> Result<()> {
        // Places are only right without stars; with them an error here cannot happen for the starred ones.
        for (at, target) in targets.iter_mut().enumerate() {
            if target.expr.ty == oid::UNKNOWN {
                let place = match items.get(at) {
                    Some(SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }) => At::Expr(expr),
                    _ => At::NONE,
                };
                let expr = std::mem::replace(&mut target.expr, Expr::new(ExprKind::CaseOperand, oid::UNKNOWN));
                target.expr = self.resolve_unknown(expr, place)?;
            }
        }
        Ok(())
    }
}

/// `FigureColname`.
pub(super) fn column_name(expr: &ast::Expr) -> SmolStr {
    figure(expr).map_or_else(|| SmolStr::new_static("?column?"), |(name, _)| name)
}

/// A name with its strength: 2 for a good one, 1 for a type's or `case`.
fn figure(expr: &ast::Expr) -> Option<(SmolStr, u8)> {
    use ast::Expr as E;
    let fixed = |name: &'static str| Some((SmolStr::new_static(name), 2));
    match expr {
        E::Identifier(ident) => Some((SmolStr::new(&ident.value), 2)),
        E::CompoundIdentifier(parts) => parts.last().map(|ident| (SmolStr::new(&ident.value), 2)),
        E::Nested(inner) => figure(inner),
        E::Collate { expr, .. } => figure(expr),
        E::CompoundFieldAccess { root, access_chain } => {
            let field = access_chain.iter().rev().find_map(|step| match step {
                ast::AccessExpr::Dot(E::Identifier(ident)) => Some((SmolStr::new(&ident.value), 2)),
                _ => None,
            });
            field.or_else(|| figure(root))
        }
        E::Function(function) => {
            let name = function.name.0.last()?.as_ident()?;
            Some((SmolStr::new(&name.value), 2))
        }
        E::Cast { expr, data_type, .. } => match figure(expr) {
            Some((name, 2)) => Some((name, 2)),
            _ => Some((SmolStr::new(type_name_of(data_type).name()), 1)),
        },
        E::TypedString(typed) => Some((SmolStr::new(type_name_of(&typed.data_type).name()), 1)),
        E::Interval(_) => Some((SmolStr::new_static("interval"), 1)),
        E::Value(value) if matches!(value.value, ast::Value::NationalStringLiteral(_)) => {
            Some((SmolStr::new_static("bpchar"), 1))
        }
        E::Case { else_result, .. } => match else_result.as_deref().and_then(figure) {
            Some((name, 2)) => Some((name, 2)),
            _ => Some((SmolStr::new_static("case"), 1)),
        },
        E::Exists { negated: false, .. } => fixed("exists"),
        E::Subquery(query) => subquery_name(&query.body),
        E::Array(_) => fixed("array"),
        E::Tuple(_) => fixed("row"),
        E::AtTimeZone { .. } => fixed("timezone"),
        E::Extract { .. } => fixed("extract"),
        E::Position { .. } => fixed("position"),
        E::Substring { .. } => fixed("substring"),
        E::Overlay { .. } => fixed("overlay"),
        E::Trim { trim_where, .. } => fixed(match trim_where {
            Some(ast::TrimWhereField::Leading) => "ltrim",
            Some(ast::TrimWhereField::Trailing) => "rtrim",
            _ => "btrim",
        }),
        E::Ceil { .. } => fixed("ceil"),
        E::Floor { .. } => fixed("floor"),
        E::BinaryOp {
            op: ast::BinaryOperator::Overlaps,
            ..
        } => fixed("overlaps"),
        E::IsNormalized { negated: false, .. } => fixed("is_normalized"),
        _ => None,
    }
}

/// A scalar sub-select is called as its only column.
fn subquery_name(body: &ast::SetExpr) -> Option<(SmolStr, u8)> {
    match body {
        ast::SetExpr::Select(select) => match select.projection.first()? {
            SelectItem::UnnamedExpr(expr) => figure(expr),
            SelectItem::ExprWithAlias { alias, .. } => Some((SmolStr::new(&alias.value), 2)),
            _ => None,
        },
        ast::SetExpr::Query(query) => subquery_name(&query.body),
        ast::SetExpr::SetOperation { left, .. } => subquery_name(left),
        ast::SetExpr::Values(_) => Some((SmolStr::new_static("column1"), 2)),
        _ => None,
    }
}
