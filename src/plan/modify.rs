//! INSERT, UPDATE and DELETE.

use std::sync::Arc;

use super::cost;
use super::join::Wish;
use super::node::{CheckPlan, ConflictPlan, ConflictUpdatePlan, Modify, NodeKind, NodeRef, Operation, RETURNING_SYSTEM};
use super::node::{WriteIndex, WriteTarget};
use super::nodes::over;
use super::planner::{Layout, Planner};
use super::query::level_query;
use super::rewrite;
use super::same::ColRef;
use crate::bind::tree::{Delete, Expr, ExprKind, Insert, OnConflict, Query, RelKind, SystemColumn, Target, Update};
use crate::catalog::{ConstraintKind, Index, IndexExpr, RowKey, Table};
use crate::error::{PgError, Result};

impl Planner<'_> {
    pub(super) fn plan_insert(&mut self, query: &mut Query, insert: &Insert) -> Result<NodeRef> {
        self.writes = true;
        let table = target_table(query, insert.target)?;
        let rows = match query.set_operation.clone() {
            Some(operation) => self.plan_set_query(query, &operation)?,
            None => self.plan_select_rows(query)?.0,
        };
        let input = self.narrowed(rows, table.columns.len());
        let target = self.write_target(&table, insert.target)?;
        let on_conflict = match &insert.on_conflict {
            Some(conflict) => Some(self.conflict(conflict, insert.target, &target)?),
            None => None,
        };
        let layout = row_layout(insert.target, &table, 0);
        let returning = self.returning(&insert.returning, &layout)?;
        self.modify(Operation::Insert { on_conflict }, target, input, returning, Vec::new())
    }

    fn conflict(&mut self, conflict: &OnConflict, rel: usize, target: &WriteTarget) -> Result<ConflictPlan> {
        let place = |arbiter: &Arc<Index>| target.indexes.iter().position(|index| index.index.oid == arbiter.oid);
        let arbiters = conflict.arbiters.iter().filter_map(place).collect();
        let Some(update) = &conflict.update else {
            return Ok(ConflictPlan { arbiters, update: None });
        };
        let existing = row_layout(rel, &target.table, 0);
        let excluded = row_layout(conflict.excluded, &target.table, 0);
        let layout = existing.join(&excluded);
        let mut set = Vec::with_capacity(update.set.len());
        for (column, expr) in &update.set {
            set.push((*column, self.translate(expr, &layout)?));
        }
        let filter = update
            .filter
            .as_ref()
            .map(|filter| self.translate(filter, &layout))
            .transpose()?;
        Ok(ConflictPlan {
            arbiters,
            update: Some(ConflictUpdatePlan { set, filter }),
        })
    }

    pub(super) fn plan_update(&mut self, query: &mut Query, update: &Update) -> Result<NodeRef> {
        let (input, layout, sources) = self.plan_target_rows(query, update.target)?;
        let table = target_table(query, update.target)?;
        let target = self.write_target(&table, update.target)?;
        let mut set = Vec::with_capacity(update.set.len());
        for (column, expr) in &update.set {
            set.push((*column, self.translate(expr, &layout)?));
        }
        let returning = self.returning(&update.returning, &after_row(update.target, &table, &layout))?;
        let (scan, identity) = target_place(update.target, &layout, &sources)?;
        self.modify(Operation::Update { scan, identity, set }, target, input, returning, sources)
    }

    pub(super) fn plan_delete(&mut self, query: &mut Query, delete: &Delete) -> Result<NodeRef> {
        let (input, layout, sources) = self.plan_target_rows(query, delete.target)?;
        let table = target_table(query, delete.target)?;
        let target = self.write_target(&table, delete.target)?;
        let returning = self.returning(&delete.returning, &after_row(delete.target, &table, &layout))?;
        let (scan, identity) = target_place(delete.target, &layout, &sources)?;
        self.modify(Operation::Delete { scan, identity }, target, input, returning, sources)
    }

    /// The rows that UPDATE or DELETE changes, joined with what they are changed by.
    fn plan_target_rows(&mut self, query: &mut Query, _target: usize) -> Result<(NodeRef, Layout, Vec<super::node::EpqSource>)> {
        self.writes = true;
        let (tree, conditions) = rewrite::join_tree(query);
        self.note_rels(query);
        let whole = level_query(query, &tree, &conditions);
        let level = self.level(&whole, true)?;
        let (node, layout, _) = self.plan_from(&level, &tree, conditions, &Wish::default())?;
        let sources = self.epq_sources(&level, &layout);
        Ok((node, layout, sources))
    }

    fn returning(&mut self, returning: &[Target], layout: &Layout) -> Result<Option<Vec<Expr>>> {
        if returning.is_empty() {
            return Ok(None);
        }
        self.translate_all(returning.iter().map(|target| &target.expr), layout)
            .map(Some)
    }

    fn modify(
        &mut self,
        operation: Operation,
        target: Arc<WriteTarget>,
        input: NodeRef,
        returning: Option<Vec<Expr>>,
        sources: Vec<super::node::EpqSource>,
    ) -> Result<NodeRef> {
        let estimate = over(
            &input,
            cost::TUPLE,
            if returning.is_some() { input.estimate.rows } else { 0.0 },
        );
        let has_returning = returning.is_some();
        let returning = returning.unwrap_or_default();
        let width = returning.len();
        let node = Modify {
            operation,
            target,
            input,
            returning,
            has_returning,
            sources,
        };
        Ok(self.node(NodeKind::Modify(Arc::new(node)), width, estimate))
    }

    /// Everything about the table that a writer checks and maintains.
    pub(super) fn write_target(&mut self, table: &Arc<Table>, rel: usize) -> Result<Arc<WriteTarget>> {
        let layout = row_layout(rel, table, 0);
        let mut indexes = Vec::new();
        for index in self.cx.catalog.indexes_of(table) {
            indexes.push(self.write_index(table, index, rel, &layout)?);
        }
        let mut checks = Vec::new();
        for constraint in &table.constraints {
            if let ConstraintKind::Check { expression, .. } = &constraint.kind {
                let condition = self.table_expr(table, expression, rel)?;
                checks.push(CheckPlan {
                    name: constraint.name.clone(),
                    condition: self.translate(&condition, &layout)?,
                });
            }
        }
        let mut generated = Vec::new();
        for (place, column) in table.live_columns() {
            if let Some(text) = &column.generated {
                let expr = self.table_expr(table, text, rel)?;
                generated.push((place, self.translate(&expr, &layout)?));
            }
        }
        let schema_name = self
            .cx
            .catalog
            .schema(table.schema)
            .map(|schema| schema.name.clone())
            .unwrap_or_default();
        Ok(Arc::new(WriteTarget {
            table: Arc::clone(table),
            schema_name,
            indexes,
            checks,
            generated,
            domains: Vec::new(),
        }))
    }

    fn write_index(&mut self, table: &Arc<Table>, index: &Arc<Index>, rel: usize, layout: &Layout) -> Result<WriteIndex> {
        let mut keys = Vec::with_capacity(index.keys.len());
        for key in &index.keys {
            let expr = match &key.expr {
                IndexExpr::Column(column) => {
                    let column = usize::from(*column);
                    Expr::new(ExprKind::Var { level: 0, rel, column }, key.ty)
                }
                IndexExpr::Expression(text) => self.table_expr(table, text, rel)?,
            };
            keys.push(self.translate(&expr, layout)?);
        }
        let predicate = match &index.predicate {
            Some(text) => {
                let expr = self.table_expr(table, text, rel)?;
                Some(self.translate(&expr, layout)?)
            }
            None => None,
        };
        let primary = index.primary && index.storage.is_none() && matches!(table.row_key, RowKey::Columns(_));
        Ok(WriteIndex {
            index: Arc::clone(index),
            keys,
            predicate,
            primary,
        })
    }
}

fn target_table(query: &Query, rel: usize) -> Result<Arc<Table>> {
    match query.rels.get(rel).map(|rel| &rel.kind) {
        Some(RelKind::Table { table, .. }) => Ok(Arc::clone(table)),
        _ => Err(PgError::internal("the target of a modification is no table")),
    }
}

/// A whole row of the table (all columns, then [`RETURNING_SYSTEM`]), beginning at `at`.
fn row_layout(rel: usize, table: &Table, at: usize) -> Layout {
    let mut layout = Layout {
        width: table.columns.len() + RETURNING_SYSTEM.len(),
        ..Layout::default()
    };
    for column in 0..table.columns.len() {
        layout.columns.insert(ColRef::Column(rel, column), at + column);
    }
    for (place, column) in RETURNING_SYSTEM.iter().enumerate() {
        layout
            .columns
            .insert(ColRef::System(rel, (*column).into()), at + table.columns.len() + place);
    }
    layout
}

/// The written row, then the input row: the target's columns mean the written row.
fn after_row(rel: usize, table: &Table, input: &Layout) -> Layout {
    let written = row_layout(rel, table, 0);
    let mut layout = written.join(input);
    layout.columns.extend(written.columns);
    layout
}

/// Number of the target's scan, and where its identity is.
fn target_place(rel: usize, layout: &Layout, sources: &[super::node::EpqSource]) -> Result<(usize, usize)> {
    let identity = layout.columns.get(&ColRef::System(rel, SystemColumn::Ctid.into()));
    let identity = *identity.ok_or_else(|| PgError::internal("the target's rows carry no identity"))?;
    let scan = sources.iter().find_map(|source| match source {
        super::node::EpqSource::Fetch {
            scan, identity: place, ..
        } if *place == identity => Some(*scan),
        _ => None,
    });
    Ok((scan.ok_or_else(|| PgError::internal("the target has no scan"))?, identity))
}
