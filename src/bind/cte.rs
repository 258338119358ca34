//! WITH: plain, recursive and data-modifying.

use smol_str::SmolStr;
use sqlparser::ast;

use super::Binder;
use super::scope::{CteName, Level};
use super::tree::{Command, Cte, Expr, ExprKind, From, Query, Rel, RelColumn, RelKind, SetKind, SetOperation};
use super::walk::children_mut;
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::parse::position_of;

impl<'a> Binder<'a> {
    /// Binds the list; its names are visible in the rest of the innermost level.
    pub(super) fn with(&mut self, with: &'a ast::With) -> Result<()> {
        for (at, cte) in with.cte_tables.iter().enumerate() {
            let name = &cte.alias.name;
            if with.cte_tables[..at].iter().any(|other| other.alias.name.value == name.value) {
                return Err(PgError::new(
                    sqlstate::DUPLICATE_ALIAS,
                    format!("WITH query name \"{}\" specified more than once", name.value),
                )
                .at(position_of(name.span)));
            }
            let hidden = CteName {
                name: SmolStr::new(&name.value),
                columns: Vec::new(),
                references: 0,
                has_rows: true,
                modifies: false,
                in_progress: false,
                origins: Vec::new(),
                visible: false,
            };
            self.level().cte_names.push(hidden);
        }
        for (at, cte) in with.cte_tables.iter().enumerate() {
            let bound = self.cte(cte, at, with.recursive)?;
            self.level().ctes.push(bound);
        }
        Ok(())
    }

    fn cte(&mut self, cte: &'a ast::Cte, at: usize, recursive: bool) -> Result<Cte> {
        let modifies = modifies(&cte.query.body);
        if modifies && self.levels.len() > 1 {
            return Err(PgError::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                "WITH clause containing a data-modifying statement must be at the top level",
            )
            .at(position_of(cte.alias.name.span)));
        }
        let refers = recursive && !modifies && mentions(&cte.query, &cte.alias.name.value);
        let query = if refers {
            self.recursive_cte(cte, at)?
        } else {
            self.subquery(&cte.query)?
        };
        let columns = cte_columns(cte, &query)?;
        let has_rows = matches!(query.command, Command::Select) || !query.output_targets().is_empty();
        let origins = query
            .output_targets()
            .iter()
            .filter(|target| !target.junk)
            .map(|target| target.origin)
            .collect();
        let level = self.level();
        let name = &mut level.cte_names[at];
        name.columns = columns;
        name.has_rows = has_rows;
        name.modifies = !matches!(query.command, Command::Select);
        name.in_progress = false;
        name.visible = true;
        name.origins = origins;
        Ok(Cte {
            name: name.name.clone(),
            query,
            recursive: refers,
            materialized: cte
                .materialized
                .as_ref()
                .map(|word| matches!(word, ast::CteAsMaterialized::Materialized)),
            references: 0,
        })
    }

    /// `WITH RECURSIVE x AS (start UNION [ALL] step)`.
    fn recursive_cte(&mut self, cte: &'a ast::Cte, at: usize) -> Result<Query> {
        let name = &cte.alias.name;
        let position = position_of(name.span);
        let ast::SetExpr::SetOperation {
            left,
            op: ast::SetOperator::Union,
            set_quantifier,
            right,
        } = &*cte.query.body
        else {
            return Err(PgError::new(
                sqlstate::INVALID_RECURSION,
                format!(
                    "recursive query \"{}\" does not have the form non-recursive-term UNION [ALL] recursive-term",
                    name.value
                ),
            )
            .at(position));
        };
        if !mentions_body(right, &name.value) || mentions_body(left, &name.value) {
            return Err(PgError::new(
                sqlstate::INVALID_RECURSION,
                format!(
                    "recursive reference to query \"{}\" must not appear within its non-recursive term",
                    name.value
                ),
            )
            .at(position));
        }
        let tail = &cte.query;
        if let Some(order) = &tail.order_by {
            let place = match &order.kind {
                ast::OrderByKind::Expressions(keys) => keys.first().map_or(0, |key| super::at::start_of(&key.expr)),
                ast::OrderByKind::All(_) => 0,
            };
            return Err(PgError::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                "ORDER BY in a recursive query is not implemented",
            )
            .at(place));
        }
        if tail.limit_clause.is_some() || tail.fetch.is_some() {
            return Err(PgError::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                "LIMIT in a recursive query is not implemented",
            )
            .at(match &tail.limit_clause {
                Some(ast::LimitClause::LimitOffset { limit: Some(limit), .. }) => super::at::start_of(limit),
                _ => 0,
            }));
        }
        if !tail.locks.is_empty() {
            return Err(PgError::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                "FOR UPDATE/SHARE in a recursive query is not implemented",
            ));
        }
        self.levels.push(Level::new());
        if let Some(with) = &tail.with {
            self.with(with)?;
        }
        let mut start = self.recursion_term(left, true)?;
        start.ctes.iter_mut().for_each(|_| {});
        let columns = {
            let mut columns = start.rel_columns();
            for (column, alias) in columns.iter_mut().zip(&cte.alias.columns) {
                column.name = SmolStr::new(&alias.name.value);
            }
            columns
        };
        let owner = self.levels.len() - 2;
        let entry = &mut self.levels[owner].cte_names[at];
        entry.columns.clone_from(&columns);
        entry.visible = true;
        entry.in_progress = true;
        let step = self.recursion_term(right, false)?;
        let query = self.join_terms(
            start,
            step,
            &columns,
            matches!(set_quantifier, ast::SetQuantifier::All),
            (name, left),
        )?;
        self.levels.pop();
        Ok(query)
    }

    fn recursion_term(&mut self, body: &'a ast::SetExpr, start: bool) -> Result<Query> {
        let mut level = Level::new();
        level.resolve_unknowns = start;
        match body {
            ast::SetExpr::Query(query) => self.subquery_at(query, level),
            other => {
                self.levels.push(level);
                let tail = super::select::Tail::default();
                let result = self.nested(|binder| binder.plain_body(other, &tail));
                self.levels.pop();
                result
            }
        }
    }

    /// Start and step as one UNION; the step must give the start's types.
    fn join_terms(
        &mut self,
        start: Query,
        mut step: Query,
        columns: &[RelColumn],
        all: bool,
        (name, start_body): (&'a ast::Ident, &'a ast::SetExpr),
    ) -> Result<Query> {
        let step_columns = step.rel_columns();
        if step_columns.len() != columns.len() {
            return Err(PgError::new(
                sqlstate::SYNTAX_ERROR,
                "each UNION query must have the same number of columns",
            ));
        }
        for (at, column) in columns.iter().enumerate() {
            let Some(target) = step.targets.iter_mut().filter(|target| !target.junk).nth(at) else {
                continue;
            };
            if target.expr.ty == column.ty {
                continue;
            }
            let types = [(column.ty, super::at::At::NONE), (target.expr.ty, super::at::At::NONE)];
            let common = self.common_type(&types, Some("UNION"))?;
            if common != column.ty {
                return Err(PgError::new(
                    sqlstate::DATATYPE_MISMATCH,
                    format!(
                        "recursive query \"{}\" column {} has type {} in non-recursive term but type {} overall",
                        name.value,
                        at + 1,
                        self.type_text(column.ty),
                        self.type_text(common)
                    ),
                )
                .hint("Cast the output of the non-recursive term to the correct type.")
                .at(super::setop::body_position(start_body, at)));
            }
            let expr = std::mem::replace(&mut target.expr, Expr::new(ExprKind::CaseOperand, crate::types::oid::UNKNOWN));
            target.expr = self.coerce_to_common(expr, common, "UNION", super::at::At::NONE)?;
        }
        let types: Vec<(Oid, i32)> = columns.iter().map(|column| (column.ty, column.typmod)).collect();
        let mut leaves = Vec::with_capacity(2);
        for query in [start, step] {
            let level = self.level();
            let rel = Rel {
                columns: query.rel_columns(),
                name: format!("*SELECT* {}", level.rels.len() + 1).into(),
                kind: RelKind::Subquery {
                    query: Box::new(query),
                    view: None,
                },
                lateral: false,
            };
            leaves.push(Box::new(SetOperation::Leaf(level.add_rel(rel))));
        }
        let right = leaves.pop().expect("two leaves were pushed");
        let left = leaves.pop().expect("two leaves were pushed");
        let targets = super::setop::pass_through(columns);
        let query = Query {
            set_operation: Some(SetOperation::Node {
                kind: SetKind::Union,
                all,
                left,
                right,
                types,
            }),
            ..super::select::empty_query(targets)
        };
        self.finish(query, &super::select::Tail::default())
    }

    /// A rel for a CTE of that name, if one is visible.
    pub(super) fn cte_reference(
        &mut self,
        name: &str,
        alias: Option<&'a ast::TableAlias>,
        position: u32,
    ) -> Result<Option<usize>> {
        for up in 0..self.levels.len() {
            let at_level = self.levels.len() - 1 - up;
            let found = self.levels[at_level]
                .cte_names
                .iter()
                .position(|cte| cte.visible && cte.name == name);
            let Some(at) = found else {
                continue;
            };
            let entry = &mut self.levels[at_level].cte_names[at];
            entry.references += 1;
            if !entry.has_rows {
                return Err(PgError::new(
                    sqlstate::FEATURE_NOT_SUPPORTED,
                    format!("WITH query \"{name}\" does not have a RETURNING clause"),
                )
                .at(position));
            }
            let mut rel = Rel {
                kind: RelKind::Cte {
                    level: u32::try_from(up).unwrap_or(u32::MAX),
                    cte: at,
                },
                name: entry.name.clone(),
                columns: entry.columns.clone(),
                lateral: false,
            };
            super::from::apply_alias(&mut rel, alias)?;
            return Ok(Some(self.level().add_rel(rel)));
        }
        Ok(None)
    }
}

/// Column names of a CTE: its alias list over the query's own.
fn cte_columns(cte: &ast::Cte, query: &Query) -> Result<Vec<RelColumn>> {
    let mut columns = query.rel_columns();
    if cte.alias.columns.len() > columns.len() {
        return Err(PgError::new(
            sqlstate::INVALID_COLUMN_REFERENCE,
            format!(
                "WITH query \"{}\" has {} columns available but {} columns specified",
                cte.alias.name.value,
                columns.len(),
                cte.alias.columns.len()
            ),
        )
        .at(position_of(cte.alias.name.span)));
    }
    for (column, alias) in columns.iter_mut().zip(&cte.alias.columns) {
        column.name = SmolStr::new(&alias.name.value);
    }
    Ok(columns)
}

fn modifies(body: &ast::SetExpr) -> bool {
    match body {
        ast::SetExpr::Insert(_) | ast::SetExpr::Update(_) | ast::SetExpr::Delete(_) | ast::SetExpr::Merge(_) => true,
        ast::SetExpr::Query(query) => modifies(&query.body),
        _ => false,
    }
}

/// Whether a relation of that name is named anywhere in a query.
fn mentions(query: &ast::Query, name: &str) -> bool {
    named_in(query, name)
}

fn mentions_body(body: &ast::SetExpr, name: &str) -> bool {
    named_in(body, name)
}

fn named_in<T: ast::Visit>(node: &T, name: &str) -> bool {
    let mut found = false;
    let _ = ast::visit_relations(node, |relation| {
        if let [only] = relation.0.as_slice()
            && only.as_ident().is_some_and(|ident| ident.value == name)
        {
            found = true;
            return std::ops::ControlFlow::Break(());
        }
        std::ops::ControlFlow::<()>::Continue(())
    });
    found
}

/// Moves a bound query `by` levels further in: its references to outer queries, `inside` levels up or more, go further.
pub(super) fn deepen_query(query: &mut Query, inside: u32, by: u32) {
    let Query {
        command,
        ctes,
        rels,
        from,
        filter,
        targets,
        having,
        windows,
        limit,
        offset,
        ..
    } = query;
    let mut fix = |expr: &mut Expr| deepen_expr(expr, inside, by);
    for target in targets {
        fix(&mut target.expr);
    }
    for expr in [filter, having, limit, offset].into_iter().flatten() {
        fix(expr);
    }
    for window in windows {
        window.partition.iter_mut().for_each(&mut fix);
        window.order.iter_mut().for_each(|order| fix(&mut order.expr));
    }
    from.iter_mut().for_each(|from| deepen_from(from, inside, by));
    for cte in ctes {
        deepen_query(&mut cte.query, inside + 1, by);
    }
    for rel in rels {
        match &mut rel.kind {
            RelKind::Subquery { query, .. } => deepen_query(query, inside + 1, by),
            RelKind::Values(rows) => rows.iter_mut().flatten().for_each(|e| deepen_expr(e, inside, by)),
            RelKind::Functions { calls, .. } => calls.iter_mut().for_each(|c| deepen_expr(&mut c.expr, inside, by)),
            RelKind::Cte { level, .. } if *level >= inside => *level += by,
            _ => {}
        }
    }
    let _ = command;
}

fn deepen_from(from: &mut From, inside: u32, by: u32) {
    if let From::Join {
        left, right, condition, ..
    } = from
    {
        deepen_from(left, inside, by);
        deepen_from(right, inside, by);
        if let Some(condition) = condition {
            deepen_expr(condition, inside, by);
        }
    }
}

fn deepen_expr(expr: &mut Expr, inside: u32, by: u32) {
    match &mut expr.kind {
        ExprKind::Var { level, .. } | ExprKind::SystemVar { level, .. } | ExprKind::WholeRow { level, .. }
            if *level >= inside =>
        {
            *level += by;
        }
        ExprKind::Aggregate(call) if call.level >= inside => call.level += by,
        ExprKind::SubLink(link) => deepen_query(&mut link.query, inside + 1, by),
        _ => {}
    }
    children_mut(expr, &mut |child| deepen_expr(child, inside, by));
}
