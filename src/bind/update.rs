//! UPDATE, and the assignments that ON CONFLICT DO UPDATE shares with it.

use std::sync::Arc;

use sqlparser::ast::{self, AssignmentTarget};

use super::Binder;
use super::at::{At, start_of};
use super::expr::unnest;
use super::insert::find_column;
use super::scope::Clause;
use super::select::empty_query;
use super::tree::{Command, Expr, ExprKind, From, Query, SubLink, SubLinkKind, Target, Update};
use crate::catalog::{Identity, Table};
use crate::error::{PgError, Result, sqlstate};
use crate::parse::{is_default, position_of};
use crate::types::oid;

impl<'a> Binder<'a> {
    pub(super) fn update(&mut self, update: &'a ast::Update) -> Result<Query> {
        let ast::TableFactor::Table { name, alias, .. } = &update.table.relation else {
            return Err(PgError::unsupported("UPDATE of this"));
        };
        let (target, table) = self.target_table(name, alias.as_ref().map(|alias| &alias.name), "UPDATE")?;
        let schema = alias.is_none().then_some(table.schema);
        self.level().add_item(target, schema, true, true);
        let mut from = vec![From::Rel(target)];
        if let Some(list) = &update.from {
            let (ast::UpdateTableFromKind::BeforeSet(list) | ast::UpdateTableFromKind::AfterSet(list)) = list;
            self.hide_target();
            from.append(&mut self.from_clause(list)?);
        }
        let set = self.assignments(&update.assignments, &table, target)?;
        let filter = self.condition(update.selection.as_ref(), Clause::Where)?;
        let returning = self.returning(update.returning.as_deref())?;
        let query = Query {
            command: Command::Update(Box::new(Update { target, set, returning })),
            from,
            filter,
            has_sublinks: self.level_ref().has_sublinks,
            ..empty_query(Vec::new())
        };
        self.finish(query, &super::select::Tail::default())
    }

    /// Sub-selects in FROM or USING cannot refer to the target.
    pub(super) fn hide_target(&mut self) {
        for item in &mut self.level().items {
            item.lateral_only = true;
            item.lateral_ok = false;
        }
    }

    /// SET lists: (column, expression).
    pub(super) fn assignments(
        &mut self,
        assignments: &'a [ast::Assignment],
        table: &Arc<Table>,
        target: usize,
    ) -> Result<Vec<(usize, Expr)>> {
        let mut set: Vec<(usize, Expr)> = Vec::with_capacity(assignments.len());
        for assignment in assignments {
            match &assignment.target {
                AssignmentTarget::ColumnName(name) => {
                    if let Some(part) = self.parsed.and_then(|parsed| parsed.target_element(name)) {
                        self.assign_to_part(&mut set, part, &assignment.value, table, target)?;
                        continue;
                    }
                    let column = self.assigned_column(name, table)?;
                    if name.0.len() > 1 {
                        let base = self.part_base(&mut set, table, column, target)?;
                        let value = self.assigned_field(name, base, &table.columns[column], &assignment.value)?;
                        set.push((column, value));
                        continue;
                    }
                    let value = self.assigned_value(&assignment.value, table, column)?;
                    self.add_assignment(&mut set, column, value, table)?;
                }
                AssignmentTarget::Tuple(names) => {
                    let mut columns = Vec::with_capacity(names.len());
                    for name in names {
                        columns.push(self.assigned_column(name, table)?);
                    }
                    for (column, value) in self.assigned_row(&assignment.value, table, &columns)? {
                        self.add_assignment(&mut set, column, value, table)?;
                    }
                }
            }
        }
        Ok(set)
    }

    /// `SET array[i] = x`: further parts of one column go on from the value so far.
    fn assign_to_part(
        &mut self,
        set: &mut Vec<(usize, Expr)>,
        part: &'a crate::parse::TargetElement,
        value: &'a ast::Expr,
        table: &Arc<Table>,
        target: usize,
    ) -> Result<()> {
        let column = find_column(table, &part.column.text, part.column.position)?;
        if is_default(value) {
            let what = match part.indirection.last() {
                Some(crate::parse::TargetStep::Field(_)) => "cannot set a subfield to DEFAULT",
                _ => "cannot set an array element to DEFAULT",
            };
            return Err(PgError::new(sqlstate::FEATURE_NOT_SUPPORTED, what).at(part.column.position));
        }
        if is_always(table, column) {
            return Err(only_default(table, column));
        }
        let bound = self.expr_in(value, Clause::UpdateSource)?;
        let base = self.part_base(set, table, column, target)?;
        let value = self.in_clause(Clause::UpdateSource, |binder| {
            binder.assign_part(part, base, &table.columns[column], bound, At::Expr(value))
        })?;
        set.push((column, value));
        Ok(())
    }

    /// What an assignment to a part starts from: the parts assigned before, or the column.
    fn part_base(&self, set: &mut Vec<(usize, Expr)>, table: &Table, column: usize, target: usize) -> Result<Expr> {
        match set.iter().position(|(other, _)| *other == column) {
            Some(at) if is_part(&set[at].1) => Ok(set.remove(at).1),
            Some(_) => Err(PgError::new(
                sqlstate::SYNTAX_ERROR,
                format!("multiple assignments to same column \"{}\"", table.columns[column].name),
            )),
            None => Ok(self.level_ref().var(target, column)),
        }
    }

    fn add_assignment(&self, set: &mut Vec<(usize, Expr)>, column: usize, value: Expr, table: &Table) -> Result<()> {
        if set.iter().any(|(other, _)| *other == column) {
            return Err(PgError::new(
                sqlstate::SYNTAX_ERROR,
                format!("multiple assignments to same column \"{}\"", table.columns[column].name),
            ));
        }
        set.push((column, value));
        Ok(())
    }

    fn assigned_column(&mut self, name: &'a ast::ObjectName, table: &Table) -> Result<usize> {
        if self.parsed.is_some_and(|parsed| parsed.target_element(name).is_some()) {
            return Err(PgError::unsupported("assignment to an array element or a field"));
        }
        let ident = name.0.first().and_then(|part| part.as_ident());
        let (text, position) = ident.map_or(("", 0), |ident| (ident.value.as_str(), position_of(ident.span)));
        let column = find_column(table, text, position)?;
        Ok(column)
    }

    fn assigned_value(&mut self, value: &'a ast::Expr, table: &Arc<Table>, column: usize) -> Result<Expr> {
        let found = &table.columns[column];
        if is_default(value) {
            return self.column_default(table, column);
        }
        let always = found.identity == Some(Identity::Always);
        let bound = self.expr_in(value, Clause::UpdateSource)?;
        let bound = self.assign(bound, found, At::Expr(value))?;
        if always || found.generated.is_some() {
            return Err(only_default(table, column));
        }
        Ok(bound)
    }

    /// `(a, b) = ROW(x, y)`, `= (x, y)` or `= (SELECT ...)`.
    fn assigned_row(&mut self, value: &'a ast::Expr, table: &Arc<Table>, columns: &[usize]) -> Result<Vec<(usize, Expr)>> {
        let mismatch =
            || PgError::new(sqlstate::SYNTAX_ERROR, "number of columns does not match number of values").at(start_of(value));
        match unnest(value) {
            ast::Expr::Tuple(items) => {
                if items.len() != columns.len() {
                    return Err(mismatch());
                }
                let mut set = Vec::with_capacity(columns.len());
                for (item, column) in items.iter().zip(columns) {
                    set.push((*column, self.assigned_value(item, table, *column)?));
                }
                Ok(set)
            }
            ast::Expr::Subquery(query) => {
                let query = self.in_clause(Clause::UpdateSource, |binder| binder.subquery(query))?;
                let outputs = query.rel_columns();
                if outputs.len() != columns.len() {
                    let mut error = mismatch();
                    error.fields_mut().position = Some(self.position_before(start_of(value), "("));
                    return Err(error);
                }
                if columns.iter().any(|column| is_always(table, *column)) {
                    let column = columns.iter().find(|column| is_always(table, **column));
                    return Err(only_default(table, column.copied().unwrap_or(0)));
                }
                let record = self.row_of_query(query);
                let mut set = Vec::with_capacity(columns.len());
                for (field, (output, column)) in outputs.iter().zip(columns).enumerate() {
                    let mut expr = Expr::new(
                        ExprKind::Field {
                            record: Box::new(record.clone()),
                            field,
                        },
                        output.ty,
                    );
                    expr.typmod = output.typmod;
                    set.push((*column, self.assign(expr, &table.columns[*column], At::Expr(value))?));
                }
                Ok(set)
            }
            // `(a) = expr` with one column.
            other if columns.len() == 1 => Ok(vec![(columns[0], self.assigned_value(other, table, columns[0])?)]),
            _ => Err(PgError::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression",
            )
            .at(start_of(value))),
        }
    }

    /// A sub-select's row as one value.
    fn row_of_query(&mut self, query: Query) -> Expr {
        let mut outer = super::setop::wrap(query);
        let fields = outer.targets.drain(..).map(|target| target.expr).collect();
        outer.targets.push(Target {
            expr: Expr::new(ExprKind::Row(fields), oid::RECORD),
            name: "row".into(),
            junk: false,
            origin: None,
        });
        self.level().has_sublinks = true;
        let kind = SubLinkKind::Scalar;
        Expr::new(ExprKind::SubLink(Box::new(SubLink { kind, query: outer })), oid::RECORD)
    }
}

/// Whether a value is the assignment to a part of its column.
fn is_part(expr: &Expr) -> bool {
    use crate::functions::assign;
    matches!(&expr.kind, ExprKind::Call(call)
        if [assign::ARRAY_ELEMENT, assign::ARRAY_SLICE, assign::ROW_FIELD].contains(&call.function.oid.0))
}

fn is_always(table: &Table, column: usize) -> bool {
    let found = &table.columns[column];
    found.identity == Some(Identity::Always) || found.generated.is_some()
}

fn only_default(table: &Table, column: usize) -> PgError {
    let found = &table.columns[column];
    let error = PgError::new(
        sqlstate::GENERATED_ALWAYS,
        format!("column \"{}\" can only be updated to DEFAULT", found.name),
    );
    if found.generated.is_some() {
        error.detail(format!("Column \"{}\" is a generated column.", found.name))
    } else {
        error.detail(format!(
            "Column \"{}\" is an identity column defined as GENERATED ALWAYS.",
            found.name
        ))
    }
}
