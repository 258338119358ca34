//! UNION, INTERSECT and EXCEPT.

use sqlparser::ast::{self, SetOperator, SetQuantifier};

use super::Binder;
use super::at::{At, start_of};
use super::coerce::{Target as CoercionTarget, common_typmod};
use super::scope::{Clause, Level};
use super::select::{Tail, empty_query};
use super::tree::{
    Command, Distinct, Expr, ExprKind, From, Group, Query, Rel, RelColumn, RelKind, SetKind, SetOperation, SortKey, Target,
};
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::types::oid;

/// A set operation whose leaves are bound; columns are (type, typmod).
enum Tree {
    Leaf(Box<Query>),
    Node {
        kind: SetKind,
        all: bool,
        left: Box<Tree>,
        right: Box<Tree>,
    },
}

impl<'a> Binder<'a> {
    pub(super) fn set_operation(&mut self, body: &'a ast::SetExpr, tail: &Tail<'a>) -> Result<Query> {
        let (tree, types) = self.set_tree(body)?;
        self.finish_set_operation(tree, types, tail)
    }

    fn finish_set_operation(&mut self, tree: Tree, types: Vec<(Oid, i32)>, tail: &Tail<'a>) -> Result<Query> {
        if !tail.locking.is_empty() {
            return Err(PgError::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                format!(
                    "{} is not allowed with UNION/INTERSECT/EXCEPT",
                    tail.locking[0].strength.as_str()
                ),
            ));
        }
        let names: Vec<smol_str::SmolStr> = first_leaf(&tree)
            .output_targets()
            .iter()
            .filter(|target| !target.junk)
            .map(|target| target.name.clone())
            .collect();
        let operation = self.plant(tree, &types)?;
        let mut targets: Vec<Target> = types
            .iter()
            .zip(names)
            .enumerate()
            .map(|(column, ((ty, typmod), name))| Target {
                expr: Expr {
                    kind: ExprKind::Var {
                        level: 0,
                        rel: 0,
                        column,
                    },
                    ty: *ty,
                    typmod: *typmod,
                },
                name,
                junk: false,
                origin: None,
            })
            .collect();
        let width = targets.len();
        let sort = self.set_order_by(tail.order_by, &mut targets, width)?;
        let (limit, offset) = self.limits(tail)?;
        let query = Query {
            set_operation: Some(operation),
            sort,
            limit,
            offset,
            with_ties: tail.with_ties,
            has_sublinks: self.level_ref().has_sublinks,
            ..empty_query(targets)
        };
        self.finish(query, tail)
    }

    /// ORDER BY of a set operation names output columns only.
    fn set_order_by(&mut self, keys: &'a [ast::OrderByExpr], targets: &mut Vec<Target>, width: usize) -> Result<Vec<SortKey>> {
        let refused = |position: u32| {
            PgError::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                "invalid UNION/INTERSECT/EXCEPT ORDER BY clause",
            )
            .detail("Only result column names can be used, not expressions or functions.")
            .hint("Add the expression/function to every SELECT, or move the UNION into a FROM clause.")
            .at(position)
        };
        // Output columns by name, so that expressions over them are told apart from unknown columns.
        let names: Vec<super::scope::ItemColumn> = targets
            .iter()
            .map(|target| super::scope::ItemColumn {
                name: target.name.clone(),
                expr: Some(target.expr.clone()),
            })
            .collect();
        let level = self.level();
        level.items.push(super::scope::Item {
            name: "*SELECT*".into(),
            schema: None,
            rel: None,
            columns: names,
            rel_visible: false,
            columns_visible: true,
            lateral_only: false,
            lateral_ok: true,
        });
        for key in keys {
            let before = targets.len();
            let at = self.find_target(&key.expr, targets, Clause::OrderBy)?;
            if at >= width || targets.len() > before {
                return Err(refused(start_of(&key.expr)));
            }
        }
        let sort = self.order_by(keys, targets);
        self.level().items.pop();
        sort
    }

    /// Binds the leaves, and finds the common types of each operation (`transformSetOperationTree`).
    fn set_tree(&mut self, body: &'a ast::SetExpr) -> Result<(Tree, Vec<(Oid, i32)>)> {
        match body {
            ast::SetExpr::SetOperation {
                left,
                op,
                set_quantifier,
                right,
            } => {
                let (left_tree, left_types) = self.nested(|binder| binder.set_tree(left))?;
                let (right_tree, right_types) = self.nested(|binder| binder.set_tree(right))?;
                self.set_node(
                    *op,
                    *set_quantifier,
                    (left_tree, left_types, left),
                    (right_tree, right_types, right),
                )
            }
            // Parentheses without clauses of their own are part of the tree.
            ast::SetExpr::Query(query) if is_bare(query) && matches!(*query.body, ast::SetExpr::SetOperation { .. }) => {
                self.set_tree(&query.body)
            }
            leaf => {
                let query = self.leaf(leaf)?;
                let types = query
                    .output_targets()
                    .iter()
                    .filter(|target| !target.junk)
                    .map(|target| (target.expr.ty, target.expr.typmod))
                    .collect();
                Ok((Tree::Leaf(Box::new(query)), types))
            }
        }
    }

    fn leaf(&mut self, body: &'a ast::SetExpr) -> Result<Query> {
        let mut level = Level::new();
        level.resolve_unknowns = false;
        match body {
            ast::SetExpr::Query(query) => {
                if !query.locks.is_empty()
                    && let Some(clause) = self.parsed.and_then(|parsed| parsed.locking_of(query).into_iter().next())
                {
                    return Err(PgError::new(
                        sqlstate::FEATURE_NOT_SUPPORTED,
                        format!("{} is not allowed with UNION/INTERSECT/EXCEPT", clause.strength.as_str()),
                    ));
                }
                self.subquery_at(query, level)
            }
            other => {
                self.levels.push(level);
                let tail = Tail::default();
                let result = match other {
                    ast::SetExpr::Select(_) | ast::SetExpr::Values(_) | ast::SetExpr::Table(_) => {
                        self.nested(|binder| binder.plain_body(other, &tail))
                    }
                    _ => Err(PgError::new(sqlstate::SYNTAX_ERROR, "syntax error in set operation")),
                };
                self.levels.pop();
                result
            }
        }
    }

    fn set_node(
        &mut self,
        op: SetOperator,
        quantifier: SetQuantifier,
        left: (Tree, Vec<(Oid, i32)>, &'a ast::SetExpr),
        right: (Tree, Vec<(Oid, i32)>, &'a ast::SetExpr),
    ) -> Result<(Tree, Vec<(Oid, i32)>)> {
        let (kind, name) = match op {
            SetOperator::Union => (SetKind::Union, "UNION"),
            SetOperator::Intersect => (SetKind::Intersect, "INTERSECT"),
            SetOperator::Except | SetOperator::Minus => (SetKind::Except, "EXCEPT"),
        };
        let all = matches!(quantifier, SetQuantifier::All);
        let (mut left_tree, left_types, left_body) = left;
        let (mut right_tree, right_types, right_body) = right;
        if left_types.len() != right_types.len() {
            return Err(PgError::new(
                sqlstate::SYNTAX_ERROR,
                format!("each {name} query must have the same number of columns"),
            )
            .at(body_position(right_body, 0)));
        }
        let mut types = Vec::with_capacity(left_types.len());
        for (column, (l, r)) in left_types.iter().zip(&right_types).enumerate() {
            let (left_at, right_at) = (body_position(left_body, column), body_position(right_body, column));
            let candidates = [(l.0, At::Position(left_at)), (r.0, At::Position(right_at))];
            let common = self.common_type(&candidates, Some(name))?;
            // Unknown literals take the common type now, so that a bad one is reported at its place.
            self.settle(&mut left_tree, column, common, left_at)?;
            self.settle(&mut right_tree, column, common, right_at)?;
            if !all || kind != SetKind::Union {
                self.check_equality(common, left_at)?;
            }
            let sides = [dummy(*l), dummy(*r)];
            types.push((common, common_typmod(&sides, common)));
        }
        Ok((
            Tree::Node {
                kind,
                all,
                left: Box::new(left_tree),
                right: Box::new(right_tree),
            },
            types,
        ))
    }

    /// Gives an unknown column of a leaf its type.
    fn settle(&mut self, tree: &mut Tree, column: usize, ty: Oid, position: u32) -> Result<()> {
        let Tree::Leaf(query) = tree else {
            return Ok(());
        };
        let Some(target) = query.targets.iter_mut().filter(|target| !target.junk).nth(column) else {
            return Ok(());
        };
        if target.expr.ty != oid::UNKNOWN {
            return Ok(());
        }
        let expr = std::mem::replace(&mut target.expr, Expr::new(ExprKind::CaseOperand, oid::UNKNOWN));
        target.expr = self.coerce(expr, CoercionTarget::implicit(ty), At::Position(position))?;
        Ok(())
    }

    /// Puts the leaves into the range table, cast to the final types.
    fn plant(&mut self, tree: Tree, types: &[(Oid, i32)]) -> Result<SetOperation> {
        match tree {
            Tree::Leaf(query) => {
                let query = self.cast_leaf(*query, types)?;
                let level = self.level();
                let name = format!("*SELECT* {}", level.rels.len() + 1);
                let columns = query.rel_columns();
                let at = level.add_rel(Rel {
                    kind: RelKind::Subquery {
                        query: Box::new(query),
                        view: None,
                    },
                    name: name.into(),
                    columns,
                    lateral: false,
                });
                Ok(SetOperation::Leaf(at))
            }
            Tree::Node { kind, all, left, right } => {
                let left = Box::new(self.plant(*left, types)?);
                let right = Box::new(self.plant(*right, types)?);
                Ok(SetOperation::Node {
                    kind,
                    all,
                    left,
                    right,
                    types: types.to_vec(),
                })
            }
        }
    }

    fn cast_leaf(&mut self, query: Query, types: &[(Oid, i32)]) -> Result<Query> {
        let fits = query
            .output_targets()
            .iter()
            .filter(|target| !target.junk)
            .zip(types)
            .all(|(target, (ty, _))| target.expr.ty == *ty);
        if fits {
            return Ok(query);
        }
        let simple = query.set_operation.is_none()
            && query.sort.is_empty()
            && matches!(query.command, Command::Select)
            && matches!(query.group, Group::None)
            && matches!(query.distinct, Distinct::No);
        let mut query = if simple { query } else { wrap(query) };
        for (target, (ty, _)) in query.targets.iter_mut().filter(|target| !target.junk).zip(types) {
            let expr = std::mem::replace(&mut target.expr, Expr::new(ExprKind::CaseOperand, oid::UNKNOWN));
            target.expr = self.coerce_to_common(expr, *ty, "UNION", At::NONE)?;
            target.origin = None;
        }
        Ok(query)
    }
}

/// Targets that are the columns of the first entry of the range table, one for one.
pub(super) fn pass_through(columns: &[RelColumn]) -> Vec<Target> {
    let target = |(column, found): (usize, &RelColumn)| Target {
        expr: Expr {
            kind: ExprKind::Var {
                level: 0,
                rel: 0,
                column,
            },
            ty: found.ty,
            typmod: found.typmod,
        },
        name: found.name.clone(),
        junk: false,
        origin: None,
    };
    columns.iter().enumerate().map(target).collect()
}

/// A query over a query, column for column.
pub(super) fn wrap(query: Query) -> Query {
    let columns = query.rel_columns();
    let targets = pass_through(&columns);
    let mut outer = empty_query(targets);
    // References from inside to outer queries have one more level to go.
    let mut inner = query;
    super::cte::deepen_query(&mut inner, 1, 1);
    outer.rels.push(Rel {
        kind: RelKind::Subquery {
            query: Box::new(inner),
            view: None,
        },
        name: "*SELECT*".into(),
        columns,
        lateral: false,
    });
    outer.from.push(From::Rel(0));
    outer
}

fn dummy((ty, typmod): (Oid, i32)) -> Expr {
    let mut expr = Expr::new(ExprKind::CaseOperand, ty);
    expr.typmod = typmod;
    expr
}

fn first_leaf(tree: &Tree) -> &Query {
    match tree {
        Tree::Leaf(query) => query,
        Tree::Node { left, .. } => first_leaf(left),
    }
}

/// A query node that only adds parentheses.
fn is_bare(query: &ast::Query) -> bool {
    query.with.is_none()
        && query.order_by.is_none()
        && query.limit_clause.is_none()
        && query.fetch.is_none()
        && query.locks.is_empty()
}

/// Where a leaf's column stands.
pub(super) fn body_position(body: &ast::SetExpr, column: usize) -> u32 {
    match body {
        ast::SetExpr::Select(select) => match select.projection.get(column) {
            Some(ast::SelectItem::UnnamedExpr(expr) | ast::SelectItem::ExprWithAlias { expr, .. }) => start_of(expr),
            Some(ast::SelectItem::Wildcard(options)) => crate::parse::position_of(options.wildcard_token.0.span),
            _ => 0,
        },
        ast::SetExpr::Values(values) => {
            let first = values.rows.first().and_then(|row| row.content.get(column));
            first.map_or(0, start_of)
        }
        ast::SetExpr::Query(query) => body_position(&query.body, column),
        ast::SetExpr::SetOperation { left, .. } => body_position(left, column),
        _ => 0,
    }
}
