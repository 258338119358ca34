//! INSERT, and what INSERT and UPDATE share: columns, defaults, assignment.

use std::sync::Arc;

use smol_str::SmolStr;
use sqlparser::ast;

use super::Binder;
use super::at::{At, start_of};
use super::coerce::Target as CoercionTarget;
use super::scope::{Clause, Level};
use super::select::empty_query;
use super::tree::{Command, ConflictUpdate, Expr, ExprKind, From, Insert, OnConflict, Query, Rel, RelColumn, RelKind, Target};
use crate::catalog::{Column, Identity, Index, IndexExpr, RelationRef, Table};
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::lock::RelationMode;
use crate::parse::{is_default, position_of};
use crate::types::{Value, oid};

/// Which values of identity columns an INSERT overrides.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Overriding {
    No,
    System,
    User,
}

impl<'a> Binder<'a> {
    /// INSERT, UPDATE or DELETE at the innermost level.
    pub(super) fn modify(&mut self, statement: &'a ast::Statement) -> Result<Query> {
        match statement {
            ast::Statement::Insert(insert) => self.insert(insert),
            ast::Statement::Update(update) => self.update(update),
            ast::Statement::Delete(delete) => self.delete(delete),
            ast::Statement::Merge(_) => Err(PgError::unsupported("MERGE")),
            ast::Statement::Query(query) => self.subquery(query),
            _ => Err(PgError::unsupported("this statement here")),
        }
    }

    /// The table that a statement changes, as the first rel of the level.
    pub(super) fn target_table(
        &mut self,
        name: &'a ast::ObjectName,
        alias: Option<&'a ast::Ident>,
        verb: &str,
    ) -> Result<(usize, Arc<Table>)> {
        let (schema, relation, position) = self.relation_name(name)?;
        let oid = self.lookup(schema, relation, position)?;
        let table = match self.catalog.relation(oid) {
            Some(RelationRef::Table(table)) if table.virtual_source.is_some() => {
                return Err(PgError::new(
                    sqlstate::INSUFFICIENT_PRIVILEGE,
                    format!("permission denied: \"{}\" is a system catalog", table.name),
                ));
            }
            Some(RelationRef::Table(table)) => table.clone(),
            Some(RelationRef::View(_)) => return Err(PgError::unsupported(format!("{verb} on a view"))),
            Some(RelationRef::Sequence(sequence)) => {
                return Err(PgError::new(
                    sqlstate::WRONG_OBJECT_TYPE,
                    format!("cannot change sequence \"{}\"", sequence.name),
                ));
            }
            _ => {
                return Err(PgError::new(sqlstate::WRONG_OBJECT_TYPE, format!("\"{relation}\" is an index")).at(position));
            }
        };
        let mut rel = self.relation_rel(oid, RelationMode::RowExclusive, position)?;
        if let Some(alias) = alias {
            rel.name = SmolStr::new(&alias.value);
        }
        Ok((self.level().add_rel(rel), table))
    }

    fn insert(&mut self, insert: &'a ast::Insert) -> Result<Query> {
        let ast::TableObject::TableName(name) = &insert.table else {
            return Err(PgError::unsupported("INSERT into this"));
        };
        let alias = insert.table_alias.as_ref().map(|alias| &alias.alias);
        let (target, table) = self.target_table(name, alias, "INSERT")?;
        let (columns, places) = self.insert_columns(&table, &insert.columns)?;
        let explicit = !insert.columns.is_empty();
        let overriding = match insert.overriding {
            Some(ast::InsertOverriding::System) => Overriding::System,
            Some(ast::InsertOverriding::User) => Overriding::User,
            None => Overriding::No,
        };
        let source = self.insert_source(insert, &table, &columns, &places, explicit)?;
        let targets = self.insert_targets(&table, &columns, source.values, overriding)?;
        let level = self.level();
        let has_sublinks = level.has_sublinks;
        let schema = alias.is_none().then_some(table.schema);
        let on_conflict = match &insert.on {
            Some(ast::OnInsert::OnConflict(conflict)) => Some(self.on_conflict(conflict, target, &table, schema)?),
            Some(_) => return Err(PgError::unsupported("this form of INSERT")),
            None => None,
        };
        self.level().items.clear();
        self.level().add_item(target, schema, true, true);
        let returning = self.returning(insert.returning.as_deref())?;
        let level = self.level();
        let query = Query {
            command: Command::Insert(Box::new(Insert {
                target,
                on_conflict,
                returning,
                columns,
            })),
            from: source.from,
            has_sublinks: has_sublinks || level.has_sublinks,
            has_set_returning: level.has_set_returning,
            ..empty_query(targets)
        };
        self.finish(query, &super::select::Tail::default())
    }

    /// Places of the columns given (or all), with their positions in the text.
    fn insert_columns(&mut self, table: &Table, names: &'a [ast::ObjectName]) -> Result<(Vec<usize>, Vec<u32>)> {
        if names.is_empty() {
            return Ok((table.live_columns().map(|(at, _)| at).collect(), Vec::new()));
        }
        let mut columns = Vec::with_capacity(names.len());
        let mut places = Vec::with_capacity(names.len());
        for name in names {
            if self.parsed.is_some_and(|parsed| parsed.target_element(name).is_some()) || name.0.len() > 1 {
                return Err(PgError::unsupported("assignment to an array element or a field"));
            }
            let ident = name.0.first().and_then(|part| part.as_ident());
            let (text, position) = ident.map_or(("", 0), |ident| (ident.value.as_str(), position_of(ident.span)));
            let at = find_column(table, text, position)?;
            if columns.contains(&at) {
                return Err(PgError::new(
                    sqlstate::DUPLICATE_COLUMN,
                    format!("column \"{text}\" specified more than once"),
                )
                .at(position));
            }
            columns.push(at);
            places.push(position);
        }
        Ok((columns, places))
    }

    fn insert_source(
        &mut self,
        insert: &'a ast::Insert,
        table: &Table,
        columns: &[usize],
        places: &[u32],
        explicit: bool,
    ) -> Result<Source> {
        let Some(source) = insert.source.as_deref() else {
            return Ok(Source {
                values: Vec::new(),
                from: Vec::new(),
            });
        };
        let plain = source.with.is_none()
            && source.order_by.is_none()
            && source.limit_clause.is_none()
            && source.fetch.is_none()
            && source.locks.is_empty();
        match &*source.body {
            ast::SetExpr::Values(values) if plain => {
                let width = values.rows.first().map_or(0, |row| row.content.len());
                for row in &values.rows {
                    if row.content.len() != width {
                        return Err(
                            PgError::new(sqlstate::SYNTAX_ERROR, "VALUES lists must all be the same length")
                                .at(row.content.first().map_or(0, start_of)),
                        );
                    }
                }
                let first = values.rows.first().map_or(&[][..], |row| &row.content);
                check_width(width, columns.len(), explicit, |at| first.get(at).map_or(0, start_of), places)?;
                if let [row] = values.rows.as_slice() {
                    let values = self.insert_row(&row.content, table, columns, Clause::ValuesSingle)?;
                    return Ok(Source {
                        values,
                        from: Vec::new(),
                    });
                }
                self.insert_rows(values, table, columns, width)
            }
            _ => self.insert_query(source, table, columns, places, explicit),
        }
    }

    /// One row's values, each as its column wants it.
    fn insert_row(&mut self, row: &'a [ast::Expr], table: &Table, columns: &[usize], clause: Clause) -> Result<Vec<Given>> {
        let mut values = Vec::with_capacity(row.len());
        for (item, at) in row.iter().zip(columns) {
            if is_default(item) {
                values.push(Given::Default);
                continue;
            }
            let bound = self.expr_in(item, clause)?;
            values.push(Given::Value(self.assign(bound, &table.columns[*at], At::Expr(item))?));
        }
        Ok(values)
    }

    /// Several rows: a VALUES rel, its cells already of the columns' types.
    fn insert_rows(&mut self, values: &'a ast::Values, table: &Table, columns: &[usize], width: usize) -> Result<Source> {
        let mut rows: Vec<Vec<Expr>> = Vec::with_capacity(values.rows.len());
        let mut defaulted = vec![0_usize; width];
        for row in &values.rows {
            let given = self.insert_row(&row.content, table, columns, Clause::Values)?;
            let mut cells = Vec::with_capacity(width);
            for (at, value) in given.into_iter().enumerate() {
                cells.push(match value {
                    Given::Value(expr) => expr,
                    Given::Default => {
                        defaulted[at] += 1;
                        self.column_default(table, columns[at])?
                    }
                });
            }
            rows.push(cells);
        }
        let count = rows.len();
        let rel_columns = columns[..width]
            .iter()
            .enumerate()
            .map(|(at, column)| RelColumn {
                name: format!("column{}", at + 1).into(),
                ty: table.columns[*column].ty,
                typmod: table.columns[*column].typmod,
                dropped: false,
            })
            .collect();
        let level = self.level();
        let rel = level.add_rel(Rel {
            kind: RelKind::Values(rows),
            name: "*VALUES*".into(),
            columns: rel_columns,
            lateral: false,
        });
        let given = (0..width)
            .map(|at| {
                // A column that is DEFAULT in every row was not given at all.
                if defaulted[at] == count {
                    Given::Default
                } else {
                    Given::Value(level.var(rel, at))
                }
            })
            .collect();
        Ok(Source {
            values: given,
            from: vec![From::Rel(rel)],
        })
    }

    /// INSERT ... SELECT.
    fn insert_query(
        &mut self,
        source: &'a ast::Query,
        table: &Table,
        columns: &[usize],
        places: &[u32],
        explicit: bool,
    ) -> Result<Source> {
        let mut level = Level::new();
        level.resolve_unknowns = false;
        let query = self.subquery_at(source, level)?;
        let outputs: Vec<Expr> = query
            .output_targets()
            .iter()
            .filter(|target| !target.junk)
            .map(|target| target.expr.clone())
            .collect();
        check_width(
            outputs.len(),
            columns.len(),
            explicit,
            |at| select_position(source, at),
            places,
        )?;
        let rel_columns = query.rel_columns();
        let rel = self.level().add_rel(Rel {
            kind: RelKind::Subquery {
                query: Box::new(query),
                view: None,
            },
            name: "*SELECT*".into(),
            columns: rel_columns,
            lateral: false,
        });
        let mut values = Vec::with_capacity(outputs.len());
        for (at, (output, column)) in outputs.into_iter().zip(columns).enumerate() {
            // Unknown literals and parameters meet the column's type here.
            let literal = output.ty == oid::UNKNOWN && matches!(output.kind, ExprKind::Const(_) | ExprKind::Param(_));
            let value = if literal { output } else { self.level_ref().var(rel, at) };
            let place = At::Position(select_position(source, at));
            values.push(Given::Value(self.assign(value, &table.columns[*column], place)?));
        }
        self.settle_literals(rel, table, columns)?;
        Ok(Source {
            values,
            from: vec![From::Rel(rel)],
        })
    }

    /// Unknown outputs of the sub-select itself become text, as nothing reads them.
    fn settle_literals(&mut self, rel: usize, _table: &Table, _columns: &[usize]) -> Result<()> {
        let mut kind = std::mem::replace(&mut self.level().rels[rel].kind, RelKind::Join);
        if let RelKind::Subquery { query, .. } = &mut kind {
            for target in &mut query.targets {
                if target.expr.ty == oid::UNKNOWN {
                    let value = match &target.expr.kind {
                        ExprKind::Const(value) => value.clone(),
                        _ => Value::Null,
                    };
                    target.expr = Expr::constant(value, oid::TEXT);
                }
            }
        }
        self.level().rels[rel].kind = kind;
        for column in &mut self.level().rels[rel].columns {
            if column.ty == oid::UNKNOWN {
                column.ty = oid::TEXT;
            }
        }
        Ok(())
    }

    /// One expression for each column of the table.
    fn insert_targets(
        &mut self,
        table: &Table,
        columns: &[usize],
        values: Vec<Given>,
        overriding: Overriding,
    ) -> Result<Vec<Target>> {
        let mut given: Vec<Option<Given>> = table.columns.iter().map(|_| None).collect();
        for (at, value) in columns.iter().zip(values) {
            given[*at] = Some(value);
        }
        let mut targets = Vec::with_capacity(table.columns.len());
        for (at, (column, value)) in table.columns.iter().zip(given).enumerate() {
            let value = match value {
                Some(Given::Value(_)) if column.identity.is_some() && overriding == Overriding::User => None,
                Some(Given::Value(value)) => {
                    check_assignable(column, overriding)?;
                    Some(value)
                }
                Some(Given::Default) | None => None,
            };
            let expr = match value {
                Some(value) => value,
                None => self.column_default(table, at)?,
            };
            targets.push(Target {
                expr,
                name: column.name.clone(),
                junk: false,
                origin: None,
            });
        }
        Ok(targets)
    }

    /// `transformAssignedExpr`: a value as a column wants it.
    pub(super) fn assign(&mut self, value: Expr, column: &Column, at: At<'_>) -> Result<Expr> {
        if value.ty == column.ty && (column.typmod < 0 || column.typmod == value.typmod) {
            return Ok(value);
        }
        let from = value.ty;
        match self.coerce_to(value, CoercionTarget::assignment(column.ty, column.typmod), at)? {
            Some(expr) => Ok(expr),
            None => Err(PgError::new(
                sqlstate::DATATYPE_MISMATCH,
                format!(
                    "column \"{}\" is of type {} but expression is of type {}",
                    column.name,
                    self.type_text(column.ty),
                    self.type_text(from)
                ),
            )
            .hint("You will need to rewrite or cast the expression.")
            .at(at.position())),
        }
    }

    /// RETURNING.
    pub(super) fn returning(&mut self, items: Option<&'a [ast::SelectItem]>) -> Result<Vec<Target>> {
        let Some(items) = items else {
            return Ok(Vec::new());
        };
        let mut targets = self.targets(items, Clause::Returning)?;
        self.resolve_targets(&mut targets, items)?;
        Ok(targets)
    }

    fn on_conflict(
        &mut self,
        conflict: &'a ast::OnConflict,
        target: usize,
        table: &Arc<Table>,
        schema: Option<Oid>,
    ) -> Result<OnConflict> {
        let mut rel = self.level_ref().rels[target].clone();
        rel.name = SmolStr::new_static("excluded");
        // Never in FROM, so the mark says nothing else: it has no system columns.
        rel.lateral = true;
        let excluded = self.level().add_rel(rel);
        let arbiters = self.arbiters(conflict, target, table, schema)?;
        let update = match &conflict.action {
            ast::OnConflictAction::DoNothing => None,
            ast::OnConflictAction::DoUpdate(update) => {
                if conflict.conflict_target.is_none() {
                    return Err(PgError::new(
                        sqlstate::SYNTAX_ERROR,
                        "ON CONFLICT DO UPDATE requires inference specification or constraint name",
                    )
                    .hint("For example, ON CONFLICT (column_name).")
                    .at(self.position_from(1, "on conflict")));
                }
                self.level().items.clear();
                self.level().add_item(target, schema, true, true);
                self.level().add_item(excluded, None, true, true);
                let set = self.assignments(&update.assignments, table, target)?;
                let filter = self.condition(update.selection.as_ref(), Clause::Where)?;
                Some(ConflictUpdate { set, filter })
            }
        };
        Ok(OnConflict {
            arbiters,
            update,
            excluded,
        })
    }

    /// Unique indexes that an ON CONFLICT target means (`infer_arbiter_indexes`).
    fn arbiters(
        &mut self,
        conflict: &'a ast::OnConflict,
        target: usize,
        table: &Arc<Table>,
        schema: Option<Oid>,
    ) -> Result<Vec<Arc<Index>>> {
        let indexes: Vec<Arc<Index>> = self.catalog.indexes_of(table).cloned().collect();
        match &conflict.conflict_target {
            None => Ok(Vec::new()),
            Some(ast::ConflictTarget::OnConstraint(name)) => {
                let ident = name.0.last().and_then(|part| part.as_ident());
                let text = ident.map_or("", |ident| ident.value.as_str());
                let constraint = table.constraints.iter().find(|constraint| constraint.name == text);
                let index =
                    constraint.and_then(|constraint| indexes.iter().find(|index| index.constraint == Some(constraint.oid)));
                let index = match (constraint, index) {
                    (None, _) => {
                        return Err(PgError::new(
                            sqlstate::UNDEFINED_OBJECT,
                            format!("constraint \"{text}\" for table \"{}\" does not exist", table.name),
                        ));
                    }
                    (Some(_), None) => {
                        return Err(PgError::new(
                            sqlstate::WRONG_OBJECT_TYPE,
                            "constraint in ON CONFLICT clause has no associated index",
                        ));
                    }
                    (Some(_), Some(index)) => index,
                };
                if index.deferrable {
                    return Err(deferrable_arbiter());
                }
                Ok(vec![index.clone()])
            }
            Some(ast::ConflictTarget::Columns { columns, predicate }) => {
                self.level().items.clear();
                self.level().add_item(target, schema, true, true);
                let mut wanted: Vec<Expr> = Vec::new();
                let elements = self.parsed.and_then(|parsed| parsed.conflict_elements(columns));
                match elements {
                    Some(elements) => {
                        for element in elements {
                            let mut bound = self.expr_in(&element.expr, Clause::IndexExpression)?;
                            if bound.ty == oid::UNKNOWN {
                                bound = self.resolve_unknown(bound, At::NONE)?;
                            }
                            wanted.push(bound);
                        }
                    }
                    None => {
                        for column in columns {
                            let bound = self.identifier(column).map_err(|mut error| {
                                // PostgreSQL points at the parenthesis.
                                let place = self.position_before(position_of(column.span), "(");
                                error.fields_mut().position = Some(place);
                                error
                            });
                            wanted.push(bound?);
                        }
                    }
                }
                let predicate = match predicate {
                    Some(predicate) => {
                        let bound = self.expr_in(predicate, Clause::IndexPredicate)?;
                        Some(self.coerce_to_specific(bound, oid::BOOL, "WHERE", At::Expr(predicate))?)
                    }
                    None => None,
                };
                self.infer(&indexes, target, &wanted, predicate.as_ref())
            }
        }
    }

    fn infer(
        &mut self,
        indexes: &[Arc<Index>],
        target: usize,
        wanted: &[Expr],
        predicate: Option<&Expr>,
    ) -> Result<Vec<Arc<Index>>> {
        let mut found = Vec::new();
        let mut deferrable = false;
        for index in indexes.iter().filter(|index| index.unique && index.valid) {
            let mut keys = Vec::with_capacity(index.keys.len());
            for key in &index.keys {
                keys.push(match &key.expr {
                    IndexExpr::Column(column) => self.level_ref().var(target, usize::from(*column)),
                    IndexExpr::Expression(text) => self.stored_expression(text, target)?,
                });
            }
            let covered = keys.iter().all(|key| wanted.iter().any(|expr| super::same(key, expr)))
                && wanted.iter().all(|expr| keys.iter().any(|key| super::same(key, expr)));
            if !covered {
                continue;
            }
            if let Some(text) = &index.predicate {
                let stored = self.stored_expression(text, target)?;
                if !predicate.is_some_and(|given| implies(given, &stored)) {
                    continue;
                }
            }
            if index.deferrable {
                deferrable = true;
                continue;
            }
            found.push(index.clone());
        }
        if found.is_empty() {
            return Err(if deferrable {
                deferrable_arbiter()
            } else {
                PgError::new(
                    sqlstate::INVALID_COLUMN_REFERENCE,
                    "there is no unique or exclusion constraint matching the ON CONFLICT specification",
                )
            });
        }
        Ok(found)
    }
}

/// A column's value in a row of INSERT.
enum Given {
    Value(Expr),
    Default,
}

/// Where an INSERT's rows come from.
struct Source {
    values: Vec<Given>,
    from: Vec<From>,
}

fn deferrable_arbiter() -> PgError {
    PgError::new(
        sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE,
        "ON CONFLICT does not support deferrable unique constraints/exclusion constraints as arbiters",
    )
}

/// Whether every part of `stored` is a part of `given` (a small piece of `predicate_implied_by`).
fn implies(given: &Expr, stored: &Expr) -> bool {
    let parts = |expr: &Expr| match &expr.kind {
        ExprKind::And(list) => list.clone(),
        _ => vec![expr.clone()],
    };
    let given = parts(given);
    parts(stored)
        .iter()
        .all(|part| given.iter().any(|other| super::same(other, part)))
}

/// The place of a column that a statement sets.
pub(super) fn find_column(table: &Table, name: &str, position: u32) -> Result<usize> {
    if let Some((at, _)) = table.column(name) {
        return Ok(at);
    }
    if super::scope::system_column(name).is_some() {
        return Err(PgError::new(
            sqlstate::FEATURE_NOT_SUPPORTED,
            format!("cannot assign to system column \"{name}\""),
        )
        .at(position));
    }
    Err(PgError::new(
        sqlstate::UNDEFINED_COLUMN,
        format!("column \"{name}\" of relation \"{}\" does not exist", table.name),
    )
    .at(position))
}

fn check_width(given: usize, columns: usize, explicit: bool, place: impl Fn(usize) -> u32, places: &[u32]) -> Result<()> {
    if given > columns {
        return Err(PgError::new(sqlstate::SYNTAX_ERROR, "INSERT has more expressions than target columns").at(place(columns)));
    }
    if explicit && given < columns {
        return Err(
            PgError::new(sqlstate::SYNTAX_ERROR, "INSERT has more target columns than expressions")
                .at(places.get(given).copied().unwrap_or(0)),
        );
    }
    Ok(())
}

fn select_position(query: &ast::Query, at: usize) -> u32 {
    match &*query.body {
        ast::SetExpr::Select(select) => match select.projection.get(at) {
            Some(ast::SelectItem::UnnamedExpr(expr) | ast::SelectItem::ExprWithAlias { expr, .. }) => start_of(expr),
            _ => 0,
        },
        ast::SetExpr::Values(values) => values.rows.first().and_then(|row| row.content.get(at)).map_or(0, start_of),
        ast::SetExpr::Query(query) => select_position(query, at),
        _ => 0,
    }
}

/// Generated columns take no values, GENERATED ALWAYS identities only when overridden.
fn check_assignable(column: &Column, overriding: Overriding) -> Result<()> {
    let refuse = || {
        PgError::new(
            sqlstate::GENERATED_ALWAYS,
            format!("cannot insert a non-DEFAULT value into column \"{}\"", column.name),
        )
    };
    if column.generated.is_some() {
        return Err(refuse().detail(format!("Column \"{}\" is a generated column.", column.name)));
    }
    if column.identity == Some(Identity::Always) && overriding == Overriding::No {
        return Err(refuse()
            .detail(format!(
                "Column \"{}\" is an identity column defined as GENERATED ALWAYS.",
                column.name
            ))
            .hint("Use OVERRIDING SYSTEM VALUE to override."));
    }
    Ok(())
}
