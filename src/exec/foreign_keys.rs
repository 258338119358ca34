//! Foreign keys: checks of new references, and what happens to references when their row goes or changes.
//!
//! Checks run after the statement's last row, in the order of the rows. They read the latest version, not the statement's
//! snapshot, lock the parent row in KEY SHARE mode if it exists, and look again after the grant, in every isolation
//! level (DESIGN, Locks).

use std::sync::Arc;

use bytes::Bytes;

use super::access;
use super::context::ExecContext;
use super::row::Row;
use super::slots::eval_sync;
use super::table_writer::{TableWriter, same_value, text_of};
use crate::catalog::{Catalog, Constraint, ConstraintKind, ForeignAction, ForeignKey, Index, IndexExpr, Table};
use crate::codec::key::{self, KeyOrder};
use crate::codec::layout;
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::lock::{RecordMode, RelationMode};
use crate::plan;
use crate::storage::Direction;
use crate::txn::{RowId, RowLock, ScanRange, Wait};
use crate::types::Value;

/// Rows that a child scan reads at once.
const SCAN_BATCH: usize = 256;

/// The foreign keys of one table, on both sides, and what one statement did to its rows.
pub struct ForeignKeys {
    table: Arc<Table>,
    /// Keys of this table.
    own: Vec<Constraint>,
    /// Keys of other tables (or itself) that refer to this one.
    referring: Vec<(Oid, Constraint)>,
    events: Vec<Event>,
}

enum Event {
    Inserted(Row),
    Updated { old: Row, new: Row },
    Deleted(Row),
}

impl ForeignKeys {
    pub fn of(table: &Arc<Table>, catalog: &Catalog) -> Self {
        let own = table
            .constraints
            .iter()
            .filter(|one| matches!(one.kind, ConstraintKind::ForeignKey(_)))
            .cloned()
            .collect();
        let referring = catalog
            .foreign_keys_to(table.oid)
            .iter()
            .filter_map(|(child, constraint)| {
                let child_table = catalog.table(*child)?;
                let constraint = child_table.constraints.iter().find(|one| one.oid == *constraint)?;
                Some((*child, constraint.clone()))
            })
            .collect();
        ForeignKeys {
            table: Arc::clone(table),
            own,
            referring,
            events: Vec::new(),
        }
    }

    pub fn inserted(&mut self, row: &Row) {
        if !self.own.is_empty() {
            self.events.push(Event::Inserted(row.clone()));
        }
    }

    pub fn updated(&mut self, old: &Row, new: &Row) {
        if !self.own.is_empty() || !self.referring.is_empty() {
            self.events.push(Event::Updated {
                old: old.clone(),
                new: new.clone(),
            });
        }
    }

    pub fn deleted(&mut self, old: &Row) {
        if !self.referring.is_empty() {
            self.events.push(Event::Deleted(old.clone()));
        }
    }

    /// Checks everything that was noted, and carries out the actions.
    pub async fn check(&mut self, ctx: &ExecContext) -> Result<()> {
        let events = std::mem::take(&mut self.events);
        if events.is_empty() {
            return Ok(());
        }
        for event in &events {
            ctx.breathe().await?;
            match event {
                Event::Inserted(row) => self.check_references(ctx, None, row).await?,
                Event::Updated { old, new } => {
                    self.check_references(ctx, Some(old), new).await?;
                    self.parent_changed(ctx, old, Some(new)).await?;
                }
                Event::Deleted(old) => self.parent_changed(ctx, old, None).await?,
            }
        }
        Ok(())
    }

    async fn check_references(&self, ctx: &ExecContext, old: Option<&Row>, row: &Row) -> Result<()> {
        for constraint in &self.own {
            let ConstraintKind::ForeignKey(key) = &constraint.kind else {
                continue;
            };
            if old.is_none_or(|old| differs(&self.table, &key.columns, old, row)) {
                check_reference(ctx, &self.table, constraint, key, row).await?;
            }
        }
        Ok(())
    }

    async fn parent_changed(&self, ctx: &ExecContext, old: &Row, new: Option<&Row>) -> Result<()> {
        for (child, constraint) in &self.referring {
            let ConstraintKind::ForeignKey(key) = &constraint.kind else {
                continue;
            };
            if new.is_some_and(|new| !differs(&self.table, &key.parent_columns, old, new)) {
                continue;
            }
            let values = pick(old, &key.parent_columns);
            if values.iter().any(Value::is_null) {
                continue;
            }
            let Some(child) = ctx.catalog.table(*child).cloned() else {
                continue;
            };
            // Boxed: an action on a child may set off actions on its own children.
            Box::pin(act(ctx, &self.table, &child, constraint, key, &values, new)).await?;
        }
        Ok(())
    }
}

fn differs(table: &Table, columns: &[u16], old: &Row, new: &Row) -> bool {
    columns.iter().any(|column| {
        let at = usize::from(*column);
        !same_value(table.columns[at].ty, &old[at], &new[at])
    })
}

fn pick(row: &Row, columns: &[u16]) -> Vec<Value> {
    columns.iter().map(|column| row[usize::from(*column)].clone()).collect()
}

fn describe(ctx: &ExecContext, table: &Table, columns: &[u16], values: &[Value]) -> String {
    let names: Vec<&str> = columns
        .iter()
        .map(|column| table.columns[usize::from(*column)].name.as_str())
        .collect();
    let texts: Vec<String> = columns
        .iter()
        .zip(values)
        .map(|(column, value)| text_of(ctx, table.columns[usize::from(*column)].ty, value))
        .collect();
    format!("({})=({})", names.join(", "), texts.join(", "))
}

fn schema_name(ctx: &ExecContext, table: &Table) -> String {
    ctx.catalog
        .schema(table.schema)
        .map_or_else(String::new, |schema| schema.name.to_string())
}

/// 23503 unless the row that `row` refers to exists; that row is then locked in KEY SHARE mode.
pub async fn check_reference(
    ctx: &ExecContext,
    table: &Arc<Table>,
    constraint: &Constraint,
    key: &ForeignKey,
    row: &Row,
) -> Result<()> {
    let values = pick(row, &key.columns);
    let nulls = values.iter().filter(|value| value.is_null()).count();
    if nulls > 0 {
        if key.match_full && nulls < values.len() {
            return Err(PgError::new(
                sqlstate::FOREIGN_KEY_VIOLATION,
                format!(
                    "insert or update on table \"{}\" violates foreign key constraint \"{}\"",
                    table.name, constraint.name
                ),
            )
            .detail("MATCH FULL does not allow mixing of null and nonnull key values.")
            .table(schema_name(ctx, table), table.name.as_str())
            .constraint(constraint.name.as_str()));
        }
        return Ok(());
    }
    let Some(parent) = ctx.catalog.table(key.parent).cloned() else {
        return Err(PgError::internal(format!(
            "foreign key {} refers to no table",
            constraint.name
        )));
    };
    if lock_parent(ctx, table, &parent, key, &values).await? {
        return Ok(());
    }
    Err(PgError::new(
        sqlstate::FOREIGN_KEY_VIOLATION,
        format!(
            "insert or update on table \"{}\" violates foreign key constraint \"{}\"",
            table.name, constraint.name
        ),
    )
    .detail(format!(
        "Key {} is not present in table \"{}\".",
        describe(ctx, table, &key.columns, &values),
        parent.name
    ))
    .table(schema_name(ctx, table), table.name.as_str())
    .constraint(constraint.name.as_str()))
}

/// 23503 unless the row that `row` refers to exists. Locks no row: for callers whose relation lock keeps writers of the
/// parent out (ADD FOREIGN KEY, VALIDATE CONSTRAINT).
pub fn validate_reference(
    ctx: &ExecContext,
    table: &Arc<Table>,
    constraint: &Constraint,
    key: &ForeignKey,
    row: &Row,
) -> Result<()> {
    let values = pick(row, &key.columns);
    let nulls = values.iter().filter(|value| value.is_null()).count();
    if nulls > 0 && (!key.match_full || nulls == values.len()) {
        return Ok(());
    }
    let found = if nulls == 0 {
        let parent = ctx
            .catalog
            .table(key.parent)
            .ok_or_else(|| PgError::internal("a foreign key refers to no table"))?;
        let index = ctx
            .catalog
            .index(key.parent_index)
            .ok_or_else(|| PgError::internal("a foreign key's unique index does not exist"))?;
        let entry = parent_entry(table, parent, index, key, &values)?;
        find_parent(ctx, &ctx.txn.latest_view(), parent, index, &entry)?.is_some()
    } else {
        false
    };
    if found {
        return Ok(());
    }
    let parent = ctx
        .catalog
        .table(key.parent)
        .map(|parent| parent.name.clone())
        .unwrap_or_default();
    let detail = if nulls > 0 {
        "MATCH FULL does not allow mixing of null and nonnull key values.".to_owned()
    } else {
        format!(
            "Key {} is not present in table \"{parent}\".",
            describe(ctx, table, &key.columns, &values)
        )
    };
    Err(PgError::new(
        sqlstate::FOREIGN_KEY_VIOLATION,
        format!(
            "insert or update on table \"{}\" violates foreign key constraint \"{}\"",
            table.name, constraint.name
        ),
    )
    .detail(detail)
    .table(schema_name(ctx, table), table.name.as_str())
    .constraint(constraint.name.as_str()))
}

/// Locks the parent row that has the values; false where there is none.
async fn lock_parent(ctx: &ExecContext, child: &Table, parent: &Arc<Table>, key: &ForeignKey, values: &[Value]) -> Result<bool> {
    ctx.txn
        .lock_relation(parent.oid, RelationMode::RowShare, Wait::Block, &ctx.timeouts)
        .await?;
    let index = ctx
        .catalog
        .index(key.parent_index)
        .ok_or_else(|| PgError::internal("a foreign key's unique index does not exist"))?;
    let entry = parent_entry(child, parent, index, key, values)?;
    loop {
        ctx.breathe().await?;
        let view = ctx.txn.latest_view();
        let Some(row_key) = find_parent(ctx, &view, parent, index, &entry)? else {
            return Ok(false);
        };
        let id = RowId {
            relation: parent.oid,
            storage: parent.storage,
            key: row_key,
        };
        match ctx
            .txn
            .lock_row_any_level(&id, &view, RecordMode::KeyShare, Wait::Block, &ctx.timeouts)
            .await?
        {
            // Held in KEY SHARE, its key cannot change any more; but it may have before the grant.
            RowLock::Same(_) | RowLock::OwnWrite => return Ok(true),
            RowLock::Changed(_) => {
                let again = ctx.txn.latest_view();
                if find_parent(ctx, &again, parent, index, &entry)?.is_some_and(|key| key == id.key) {
                    return Ok(true);
                }
            }
            RowLock::Gone => {}
            RowLock::NotAvailable | RowLock::Skipped => return Err(PgError::internal("a blocking row lock was refused")),
        }
    }
}

/// The unique index's key for the values of a foreign key, whose columns may be in another order.
fn parent_entry(child: &Table, parent: &Table, index: &Index, key: &ForeignKey, values: &[Value]) -> Result<Vec<u8>> {
    let mut entry = Vec::new();
    for part in &index.keys {
        let IndexExpr::Column(column) = part.expr else {
            return Err(PgError::internal("a foreign key refers to an index over expressions"));
        };
        let at = key
            .parent_columns
            .iter()
            .position(|one| *one == column)
            .ok_or_else(|| PgError::internal("a foreign key and its unique index differ"))?;
        let from = child.columns[usize::from(key.columns[at])].ty;
        let value = convert(from, parent.columns[usize::from(column)].ty, &values[at])?;
        key::encode(
            part.ty,
            &value,
            KeyOrder {
                desc: part.descending,
                nulls_first: part.nulls_first,
            },
            &mut entry,
        )?;
    }
    Ok(entry)
}

/// A parent row's key values in the types of the child's columns.
fn in_child_types(parent: &Table, child: &Table, key: &ForeignKey, values: &[Value]) -> Result<Vec<Value>> {
    let pairs = key.columns.iter().zip(&key.parent_columns).zip(values);
    pairs
        .map(|((to, from), value)| {
            convert(
                parent.columns[usize::from(*from)].ty,
                child.columns[usize::from(*to)].ty,
                value,
            )
        })
        .collect()
}

/// A value of one side's type as the other side's.
fn convert(from: Oid, to: Oid, value: &Value) -> Result<Value> {
    if from == to || value.is_null() {
        return Ok(value.clone());
    }
    crate::types::cast::convert_plain(from, to, value)
}

fn find_parent(ctx: &ExecContext, view: &crate::txn::View, parent: &Table, index: &Index, entry: &[u8]) -> Result<Option<Bytes>> {
    match index.storage {
        None => Ok(ctx
            .txn
            .get(view, parent.storage, entry)?
            .map(|_| Bytes::copy_from_slice(entry))),
        Some(storage) => Ok(ctx
            .txn
            .get(view, storage, entry)?
            .map(|stored| layout::index_row_key(&stored))),
    }
}

/// What a constraint does when the row that is referred to goes (`new` is `None`) or changes.
async fn act(
    ctx: &ExecContext,
    parent: &Arc<Table>,
    child: &Arc<Table>,
    constraint: &Constraint,
    key: &ForeignKey,
    values: &[Value],
    new: Option<&Row>,
) -> Result<()> {
    let action = if new.is_some() { key.on_update } else { key.on_delete };
    // Another row may have taken the value meanwhile (NO ACTION only).
    if action == ForeignAction::NoAction && parent_still_there(ctx, parent, child, key, values)? {
        return Ok(());
    }
    let rows = referring_rows(ctx, parent, child, key, values).await?;
    if rows.is_empty() {
        return Ok(());
    }
    if matches!(action, ForeignAction::NoAction | ForeignAction::Restrict) {
        return Err(still_referenced(ctx, parent, child, constraint, key, values));
    }
    ctx.txn
        .lock_relation(child.oid, RelationMode::RowExclusive, Wait::Block, &ctx.timeouts)
        .await?;
    let target = plan::write_target(child, &ctx.plan_context())?;
    let mut writer = TableWriter::new(target);
    let mut further = ForeignKeys::of(child, &ctx.catalog);
    for row_key in rows {
        change_child(ctx, child, parent, &mut writer, &mut further, action, key, &row_key, new).await?;
    }
    further.check(ctx).await
}

fn still_referenced(
    ctx: &ExecContext,
    parent: &Table,
    child: &Table,
    constraint: &Constraint,
    key: &ForeignKey,
    values: &[Value],
) -> PgError {
    PgError::new(
        sqlstate::FOREIGN_KEY_VIOLATION,
        format!(
            "update or delete on table \"{}\" violates foreign key constraint \"{}\" on table \"{}\"",
            parent.name, constraint.name, child.name
        ),
    )
    .detail(format!(
        "Key {} is still referenced from table \"{}\".",
        describe(ctx, parent, &key.parent_columns, values),
        child.name
    ))
    .table(schema_name(ctx, child), child.name.as_str())
    .constraint(constraint.name.as_str())
}

fn parent_still_there(ctx: &ExecContext, parent: &Table, child: &Table, key: &ForeignKey, values: &[Value]) -> Result<bool> {
    let Some(index) = ctx.catalog.index(key.parent_index) else {
        return Ok(false);
    };
    // `values` are the parent's here; `parent_entry` converts from the child's types.
    let entry = parent_entry(child, parent, index, key, &in_child_types(parent, child, key, values)?)?;
    Ok(find_parent(ctx, &ctx.txn.latest_view(), parent, index, &entry)?.is_some())
}

#[allow(clippy::too_many_arguments)]
async fn change_child(
    ctx: &ExecContext,
    child: &Arc<Table>,
    parent: &Arc<Table>,
    writer: &mut TableWriter,
    further: &mut ForeignKeys,
    action: ForeignAction,
    key: &ForeignKey,
    row_key: &Bytes,
    new: Option<&Row>,
) -> Result<()> {
    let id = RowId {
        relation: child.oid,
        storage: child.storage,
        key: row_key.clone(),
    };
    let view = ctx.txn.latest_view();
    let mode = if action == ForeignAction::Cascade && new.is_none() {
        RecordMode::Update
    } else {
        RecordMode::NoKeyUpdate
    };
    let stored = match ctx
        .txn
        .lock_row_any_level(&id, &view, mode, Wait::Block, &ctx.timeouts)
        .await?
    {
        RowLock::Same(row) | RowLock::Changed(row) => row,
        RowLock::Gone | RowLock::OwnWrite => return Ok(()),
        RowLock::NotAvailable | RowLock::Skipped => return Err(PgError::internal("a blocking row lock was refused")),
    };
    let old = writer.decode(&stored)?;
    if action == ForeignAction::Cascade && new.is_none() {
        writer.delete(ctx, row_key, &old).await?;
        further.deleted(&old);
        return Ok(());
    }
    let mut changed = old.clone();
    for (at, column) in key.columns.iter().enumerate() {
        let column = usize::from(*column);
        let limited = new.is_none() && !key.delete_set_columns.is_empty();
        if limited && !key.delete_set_columns.iter().any(|one| usize::from(*one) == column) {
            continue;
        }
        changed[column] = match (action, new) {
            (ForeignAction::Cascade, Some(new)) => {
                let from = usize::from(key.parent_columns[at]);
                convert(parent.columns[from].ty, child.columns[column].ty, &new[from])?
            }
            (ForeignAction::SetDefault, _) => column_default(ctx, child, column)?,
            _ => Value::Null,
        };
    }
    writer.check_row(ctx, &mut changed)?;
    writer.update(ctx, row_key, &old, &changed).await?;
    further.updated(&old, &changed);
    Ok(())
}

/// Keys of the child rows that have the values, at the latest version: through an index that begins with the key's
/// columns, else by reading the table.
async fn referring_rows(
    ctx: &ExecContext,
    parent: &Table,
    child: &Arc<Table>,
    key: &ForeignKey,
    values: &[Value],
) -> Result<Vec<Bytes>> {
    ctx.txn
        .lock_relation(child.oid, RelationMode::RowShare, Wait::Block, &ctx.timeouts)
        .await?;
    let wanted = in_child_types(parent, child, key, values)?;
    match child_index(ctx, child, key) {
        Some(index) => by_index(ctx, child, &index, key, &wanted).await,
        None => by_reading(ctx, child, key, &wanted).await,
    }
}

fn child_index(ctx: &ExecContext, child: &Table, key: &ForeignKey) -> Option<Arc<Index>> {
    ctx.catalog
        .indexes_of(child)
        .find(|index| {
            index.predicate.is_none()
                && index.keys.len() >= key.columns.len()
                && index.keys[..key.columns.len()]
                    .iter()
                    .all(|part| matches!(part.expr, IndexExpr::Column(column) if key.columns.contains(&column)))
        })
        .cloned()
}

async fn by_index(ctx: &ExecContext, child: &Table, index: &Index, key: &ForeignKey, wanted: &[Value]) -> Result<Vec<Bytes>> {
    let mut prefix = Vec::new();
    for part in &index.keys[..key.columns.len()] {
        let IndexExpr::Column(column) = part.expr else { continue };
        let at = key
            .columns
            .iter()
            .position(|one| *one == column)
            .expect("the index begins with the key's columns");
        key::encode(
            part.ty,
            &wanted[at],
            KeyOrder {
                desc: part.descending,
                nulls_first: part.nulls_first,
            },
            &mut prefix,
        )?;
    }
    let storage = index.storage.unwrap_or(child.storage);
    let mut scan = ctx.txn.scan(
        &ctx.txn.latest_view(),
        storage,
        ScanRange::prefix(&prefix),
        Direction::Forward,
    )?;
    let mut keys = Vec::new();
    let mut batch = Vec::new();
    loop {
        ctx.breathe().await?;
        batch.clear();
        let more = scan.next_batch(&ctx.txn, SCAN_BATCH, &mut batch)?;
        keys.extend(batch.iter().map(|(entry, stored)| match index.storage {
            Some(_) => layout::index_row_key(stored),
            None => entry.clone(),
        }));
        if !more {
            return Ok(keys);
        }
    }
}

async fn by_reading(ctx: &ExecContext, child: &Table, key: &ForeignKey, wanted: &[Value]) -> Result<Vec<Bytes>> {
    let types: Vec<Oid> = child.columns.iter().map(|column| column.ty).collect();
    let mut scan = ctx
        .txn
        .scan(&ctx.txn.latest_view(), child.storage, ScanRange::all(), Direction::Forward)?;
    let mut keys = Vec::new();
    let mut batch = Vec::new();
    loop {
        ctx.breathe().await?;
        batch.clear();
        let more = scan.next_batch(&ctx.txn, SCAN_BATCH, &mut batch)?;
        for (row_key, stored) in &batch {
            let row = access::decode_whole(child, stored)?;
            let same = key.columns.iter().zip(wanted).all(|(column, value)| {
                let at = usize::from(*column);
                same_value(types[at], &row[at], value)
            });
            if same {
                keys.push(row_key.clone());
            }
        }
        if !more {
            return Ok(keys);
        }
    }
}

/// The value that DEFAULT stands for, for ON DELETE SET DEFAULT.
fn column_default(ctx: &ExecContext, table: &Arc<Table>, column: usize) -> Result<Value> {
    match plan::column_default(table, column, &ctx.plan_context())? {
        Some(expr) => eval_sync(ctx, &expr, &[]),
        None => Ok(Value::Null),
    }
}
