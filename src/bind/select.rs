//! Query levels: SELECT, VALUES, TABLE, and the clauses around them.

use sqlparser::ast;

use super::Binder;
use super::at::{At, start_of};
use super::expr::has_vars;
use super::scope::{Clause, Level};
use super::tree::{Command, Distinct, Expr, ExprKind, From, Group, MarkWait, Query, Rel, RelColumn, RelKind, Target};
use super::walk::{Step, walk};
use crate::error::{PgError, Result, sqlstate};
use crate::limits::TARGET_COLUMNS_MAX;
use crate::parse::{LockingClause, position_of};
use crate::types::oid;

/// The clauses around a query's body, gathered through redundant parentheses.
#[derive(Default)]
pub(super) struct Tail<'a> {
    pub with: Option<&'a ast::With>,
    pub order_by: &'a [ast::OrderByExpr],
    pub limit: Option<&'a ast::Expr>,
    pub offset: Option<&'a ast::Expr>,
    pub with_ties: bool,
    pub locking: Vec<LockingClause>,
}

impl<'a> Binder<'a> {
    pub fn statement(&mut self, statement: &'a ast::Statement) -> Result<Query> {
        match statement {
            ast::Statement::Query(query) => self.subquery(query),
            other => {
                self.levels.push(Level::new());
                let result = self.modify(other);
                self.levels.pop();
                result
            }
        }
    }

    /// A query at a level of its own.
    pub(super) fn subquery(&mut self, query: &'a ast::Query) -> Result<Query> {
        self.subquery_at(query, Level::new())
    }

    pub(super) fn subquery_at(&mut self, query: &'a ast::Query, level: Level<'a>) -> Result<Query> {
        self.levels.push(level);
        let result = self.nested(|binder| binder.query_body(query));
        self.levels.pop();
        result
    }

    fn query_body(&mut self, query: &'a ast::Query) -> Result<Query> {
        let mut tail = Tail::default();
        let body = self.gather(query, &mut tail)?;
        if let Some(with) = tail.with {
            self.with(with)?;
        }
        self.plain_body(body, &tail)
    }

    /// A body whose WITH is bound.
    pub(super) fn plain_body(&mut self, body: &'a ast::SetExpr, tail: &Tail<'a>) -> Result<Query> {
        match body {
            ast::SetExpr::Select(select) => self.select(select, tail),
            ast::SetExpr::Values(values) => self.values(values, tail),
            ast::SetExpr::Table(table) => self.table_query(table, tail),
            ast::SetExpr::SetOperation { .. } => self.set_operation(body, tail),
            ast::SetExpr::Insert(statement) | ast::SetExpr::Update(statement) | ast::SetExpr::Delete(statement) => {
                self.modify(statement)
            }
            ast::SetExpr::Merge(_) => Err(PgError::unsupported("MERGE")),
            ast::SetExpr::Query(_) => Err(PgError::internal("parentheses were unwrapped")),
        }
    }

    /// Unwraps parentheses around a body, as `insertSelectOptions` merges their clauses.
    fn gather(&self, query: &'a ast::Query, tail: &mut Tail<'a>) -> Result<&'a ast::SetExpr> {
        let multiple = |what: &str, position: u32| {
            Err(PgError::new(sqlstate::SYNTAX_ERROR, format!("multiple {what} clauses not allowed")).at(position))
        };
        let mut query = query;
        loop {
            if let Some(with) = &query.with {
                if let Some(outer) = tail.with {
                    return multiple("WITH", position_of(outer.with_token.0.span));
                }
                tail.with = Some(with);
            }
            if let Some(order) = &query.order_by
                && let ast::OrderByKind::Expressions(keys) = &order.kind
            {
                if !tail.order_by.is_empty() {
                    return multiple("ORDER BY", start_of(&tail.order_by[0].expr));
                }
                tail.order_by = keys;
            }
            let (limit, offset) = match &query.limit_clause {
                Some(ast::LimitClause::LimitOffset { limit, offset, .. }) => {
                    (limit.as_ref(), offset.as_ref().map(|offset| &offset.value))
                }
                Some(ast::LimitClause::OffsetCommaLimit { offset, limit }) => (Some(limit), Some(offset)),
                None => (None, None),
            };
            let fetch = query.fetch.as_ref();
            let limit = limit.or(fetch.and_then(|fetch| fetch.quantity.as_ref()));
            if let Some(limit) = limit {
                if let Some(outer) = tail.limit {
                    return multiple("LIMIT", start_of(outer));
                }
                tail.limit = Some(limit);
            }
            if let Some(offset) = offset {
                if let Some(outer) = tail.offset {
                    return multiple("OFFSET", start_of(outer));
                }
                tail.offset = Some(offset);
            }
            tail.with_ties |= fetch.is_some_and(|fetch| fetch.with_ties);
            if !query.locks.is_empty()
                && let Some(parsed) = self.parsed
            {
                // Outer clauses stand after inner ones in the text; all apply.
                let mut clauses = parsed.locking_of(query);
                clauses.append(&mut tail.locking);
                tail.locking = clauses;
            }
            match &*query.body {
                ast::SetExpr::Query(inner) => query = inner,
                body => return Ok(body),
            }
        }
    }

    fn select(&mut self, select: &'a ast::Select, tail: &Tail<'a>) -> Result<Query> {
        if select.into.is_some() {
            return Err(PgError::unsupported("SELECT INTO"));
        }
        self.name_windows(&select.named_window)?;
        let from = self.from_clause(&select.from)?;
        let mut targets = self.targets(&select.projection, Clause::SelectTarget)?;
        let filter = self.condition(select.selection.as_ref(), Clause::Where)?;
        let having = self.condition(select.having.as_ref(), Clause::Having)?;
        let sort = self.order_by(tail.order_by, &mut targets)?;
        let group = self.group_by(&select.group_by, &mut targets)?;
        let distinct = self.distinct(select.distinct.as_ref(), &mut targets, &sort, tail.order_by)?;
        let (limit, offset) = self.limits(tail)?;
        let windows = if self.level_ref().windows.is_empty() {
            Vec::new()
        } else {
            self.bind_windows()?
        };
        if self.level_ref().resolve_unknowns {
            self.resolve_targets(&mut targets, &select.projection)?;
        }
        let level = self.level();
        let mut query = Query {
            command: Command::Select,
            ctes: Vec::new(),
            rels: Vec::new(),
            from,
            filter,
            targets,
            group,
            having,
            windows,
            distinct,
            sort,
            limit,
            offset,
            with_ties: tail.with_ties,
            row_marks: Vec::new(),
            set_operation: None,
            has_aggregates: level.has_aggregates,
            has_windows: level.has_windows,
            has_set_returning: level.has_set_returning,
            has_sublinks: level.has_sublinks,
        };
        if query.has_aggregates || query.having.is_some() || !matches!(query.group, Group::None) {
            self.check_grouping(&mut query, select, tail.order_by)?;
        }
        self.finish(query, tail)
    }

    /// Moves what the level gathered into the query, and puts the row marks on.
    pub(super) fn finish(&mut self, mut query: Query, tail: &Tail<'a>) -> Result<Query> {
        if query.targets.len() > TARGET_COLUMNS_MAX {
            return Err(PgError::new(
                sqlstate::TOO_MANY_COLUMNS,
                format!("target lists can have at most {TARGET_COLUMNS_MAX} entries"),
            ));
        }
        if tail.with_ties && tail.order_by.is_empty() {
            return Err(PgError::new(
                sqlstate::SYNTAX_ERROR,
                "WITH TIES cannot be specified without ORDER BY clause",
            ));
        }
        let level = self.level();
        query.rels = std::mem::take(&mut level.rels);
        query.ctes = std::mem::take(&mut level.ctes);
        for (cte, name) in query.ctes.iter_mut().zip(&level.cte_names) {
            cte.references = name.references;
        }
        if !tail.locking.is_empty() {
            self.lock_rows(&mut query, &tail.locking)?;
            if tail.with_ties && query.row_marks.iter().any(|mark| mark.wait == MarkWait::SkipLocked) {
                return Err(PgError::new(
                    sqlstate::SYNTAX_ERROR,
                    "SKIP LOCKED and WITH TIES options cannot be used together",
                ));
            }
        }
        Ok(query)
    }

    /// WHERE, HAVING: a boolean, `construct` being the clause's name.
    pub(super) fn condition(&mut self, expr: Option<&'a ast::Expr>, clause: Clause) -> Result<Option<Expr>> {
        let Some(expr) = expr else {
            return Ok(None);
        };
        let bound = self.expr_in(expr, clause)?;
        self.coerce_to_specific(bound, oid::BOOL, clause.name(), At::Expr(expr))
            .map(Some)
    }

    pub(super) fn limits(&mut self, tail: &Tail<'a>) -> Result<(Option<Expr>, Option<Expr>)> {
        let offset = self.limit(tail.offset, Clause::Offset)?;
        let limit = self.limit(tail.limit, Clause::Limit)?;
        Ok((limit, offset))
    }

    fn limit(&mut self, expr: Option<&'a ast::Expr>, clause: Clause) -> Result<Option<Expr>> {
        let Some(expr) = expr else {
            return Ok(None);
        };
        let bound = self.expr_in(expr, clause)?;
        let bound = self.coerce_to_specific(bound, oid::INT8, clause.name(), At::Expr(expr))?;
        self.check_no_vars(&bound, clause.name(), start_of(expr))?;
        // LIMIT NULL and LIMIT ALL are no limit.
        if matches!(bound.kind, ExprKind::Const(crate::types::Value::Null)) {
            return Ok(None);
        }
        Ok(Some(bound))
    }

    /// `checkExprIsVarFree`.
    pub(super) fn check_no_vars(&self, expr: &Expr, construct: &str, position: u32) -> Result<()> {
        if has_vars(expr) {
            return Err(PgError::new(
                sqlstate::INVALID_COLUMN_REFERENCE,
                format!("argument of {construct} must not contain variables"),
            )
            .at(position));
        }
        Ok(())
    }

    /// `VALUES (...), (...)` as a query.
    fn values(&mut self, values: &'a ast::Values, tail: &Tail<'a>) -> Result<Query> {
        let rows = self.value_rows(values)?;
        let columns = rows
            .first()
            .map(|row| row.iter().enumerate().map(|(at, expr)| values_column(at, expr)).collect())
            .unwrap_or_default();
        let mut rel = Rel {
            kind: RelKind::Values(rows),
            name: "*VALUES*".into(),
            columns,
            lateral: false,
        };
        if let RelKind::Values(rows) = &rel.kind {
            for (at, column) in rel.columns.iter_mut().enumerate() {
                column.typmod = super::coerce::common_typmod(rows.iter().map(|row| &row[at]), column.ty);
            }
        }
        // Values may refer to outer queries as a lateral rel does.
        rel.lateral = false;
        let level = self.level();
        let at = level.add_rel(rel);
        level.add_item(at, None, true, true);
        let mut targets: Vec<Target> = (0..level.rels[at].columns.len())
            .map(|column| Target {
                expr: level.var(at, column),
                name: level.rels[at].columns[column].name.clone(),
                junk: false,
                origin: None,
            })
            .collect();
        let sort = self.order_by(tail.order_by, &mut targets)?;
        let (limit, offset) = self.limits(tail)?;
        if !tail.locking.is_empty() {
            return Err(PgError::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                format!("{} cannot be applied to VALUES", tail.locking[0].strength.as_str()),
            ));
        }
        let query = Query {
            from: vec![From::Rel(at)],
            sort,
            limit,
            offset,
            with_ties: tail.with_ties,
            has_sublinks: self.level_ref().has_sublinks,
            ..empty_query(targets)
        };
        self.finish(query, tail)
    }

    /// The rows of VALUES, coerced column by column.
    fn value_rows(&mut self, values: &'a ast::Values) -> Result<Vec<Vec<Expr>>> {
        let width = values.rows.first().map_or(0, |row| row.content.len());
        let mut columns: Vec<Vec<Expr>> = (0..width).map(|_| Vec::with_capacity(values.rows.len())).collect();
        let clause = Clause::Values;
        for row in &values.rows {
            if row.content.len() != width {
                return Err(
                    PgError::new(sqlstate::SYNTAX_ERROR, "VALUES lists must all be the same length")
                        .at(row.content.first().map_or(0, start_of)),
                );
            }
            for (column, item) in columns.iter_mut().zip(&row.content) {
                column.push(self.expr_in(item, clause)?);
            }
        }
        let mut rows: Vec<Vec<Expr>> = values.rows.iter().map(|_| Vec::with_capacity(width)).collect();
        for (at_column, column) in columns.into_iter().enumerate() {
            let at: Vec<At<'a>> = values.rows.iter().map(|row| At::Expr(&row.content[at_column])).collect();
            let column = if self.level_ref().resolve_unknowns || values.rows.len() > 1 {
                self.unify(column, &at, "VALUES")?.0
            } else {
                column
            };
            for (row, expr) in rows.iter_mut().zip(column) {
                row.push(expr);
            }
        }
        Ok(rows)
    }

    /// `TABLE name`.
    fn table_query(&mut self, table: &'a ast::Table, tail: &Tail<'a>) -> Result<Query> {
        let name = table.table_name.as_ref().map_or("", |name| name.value.as_str());
        let schema = table.schema_name.as_ref().map(|schema| schema.value.as_str());
        let position = table
            .schema_name
            .as_ref()
            .or(table.table_name.as_ref())
            .map_or(0, |ident| position_of(ident.span));
        let rel = self.relation(schema, name, None, position)?;
        let (at, schema) = (rel.0, rel.1);
        self.level().add_item(at, schema, true, true);
        let mut targets = self.expand_all(position)?;
        let sort = self.order_by(tail.order_by, &mut targets)?;
        let (limit, offset) = self.limits(tail)?;
        let query = Query {
            from: vec![From::Rel(at)],
            sort,
            limit,
            offset,
            with_ties: tail.with_ties,
            ..empty_query(targets)
        };
        self.finish(query, tail)
    }
}

fn values_column(at: usize, expr: &Expr) -> RelColumn {
    RelColumn {
        name: format!("column{}", at + 1).into(),
        ty: expr.ty,
        typmod: expr.typmod,
        dropped: false,
    }
}

/// A query of nothing but targets.
pub(super) fn empty_query(targets: Vec<Target>) -> Query {
    Query {
        command: Command::Select,
        ctes: Vec::new(),
        rels: Vec::new(),
        from: Vec::new(),
        filter: None,
        targets,
        group: Group::None,
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

/// Whether a set-returning call stands in the expression, at its own level.
pub(super) fn contains_set_returning(expr: &Expr) -> bool {
    let mut found = false;
    walk(expr, 0, &mut |expr, depth| {
        found |= depth == 0 && matches!(&expr.kind, ExprKind::Call(call) if call.function.returns_set());
        if depth == 0 { Step::Into } else { Step::Over }
    });
    found
}
