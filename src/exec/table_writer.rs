//! Writing rows of one table: constraints, keys and index entries.
//!
//! Used by INSERT, UPDATE, DELETE, COPY, foreign-key actions and index builds, so that a row is checked the same way
//! whoever writes it. Rows are whole (every column of the table, dropped ones null). Foreign keys are not checked here:
//! callers hand what they wrote to [`super::foreign_keys`].

use std::sync::Arc;

use bytes::Bytes;

use super::access;
use super::context::ExecContext;
use super::row::Row;
use super::slots::eval_sync;
use crate::catalog::{Column, RowKey, Table};
use crate::codec::key::{self, KeyOrder};
use crate::codec::layout;
use crate::codec::row;
use crate::error::{PgError, Result, sqlstate};
use crate::ids::{Oid, StorageId};
use crate::limits;
use crate::plan::node::{WriteIndex, WriteTarget};
use crate::types::{Value, io};

/// Characters of one value in "Failing row contains".
const SHOWN_CHARS_MAX: usize = 64;

/// Writes rows of one table inside one statement.
pub struct TableWriter {
    target: Arc<WriteTarget>,
    types: Vec<Oid>,
    key_buffer: Vec<u8>,
    row_buffer: Vec<u8>,
}

/// One entry of an index: the key's bytes without the row's key, and whether a null in it makes it distinct from all.
struct Entry {
    key: Vec<u8>,
    values: Vec<Value>,
    distinct: bool,
}

impl TableWriter {
    pub fn new(target: Arc<WriteTarget>) -> Self {
        let types = target.table.columns.iter().map(|column| column.ty).collect();
        TableWriter {
            target,
            types,
            key_buffer: Vec::new(),
            row_buffer: Vec::new(),
        }
    }

    pub fn target(&self) -> &Arc<WriteTarget> {
        &self.target
    }

    fn table(&self) -> &Table {
        &self.target.table
    }

    /// Decodes every column of a stored row.
    pub fn decode(&self, stored: &[u8]) -> Result<Row> {
        access::decode_whole(&self.target.table, stored)
    }

    /// Fills generated columns and checks NOT NULL, domains and CHECK.
    pub fn check_row(&self, ctx: &ExecContext, row: &mut Row) -> Result<()> {
        for (column, expr) in &self.target.generated {
            row[*column] = eval_sync(ctx, expr, row)?;
        }
        for (column, expr) in &self.target.domains {
            row[*column] = eval_sync(ctx, expr, row)?;
        }
        for (at, column) in self.table().live_columns() {
            if column.not_null && row[at].is_null() {
                return Err(self.null_violation(ctx, column, row));
            }
        }
        for check in &self.target.checks {
            if matches!(eval_sync(ctx, &check.condition, row)?, Value::Bool(false)) {
                return Err(PgError::new(
                    sqlstate::CHECK_VIOLATION,
                    format!(
                        "new row for relation \"{}\" violates check constraint \"{}\"",
                        self.table().name,
                        check.name
                    ),
                )
                .detail(self.failing_row(ctx, row))
                .table(self.target.schema_name.as_str(), self.table().name.as_str())
                .constraint(check.name.as_str()));
            }
        }
        Ok(())
    }

    fn null_violation(&self, ctx: &ExecContext, column: &Column, row: &Row) -> PgError {
        PgError::new(
            sqlstate::NOT_NULL_VIOLATION,
            format!(
                "null value in column \"{}\" of relation \"{}\" violates not-null constraint",
                column.name,
                self.table().name
            ),
        )
        .detail(self.failing_row(ctx, row))
        .table(self.target.schema_name.as_str(), self.table().name.as_str())
        .column(column.name.as_str())
    }

    fn failing_row(&self, ctx: &ExecContext, row: &Row) -> String {
        let shown: Vec<String> = self
            .table()
            .live_columns()
            .map(|(at, column)| match &row[at] {
                Value::Null => "null".to_owned(),
                value => shorten(text_of(ctx, column.ty, value)),
            })
            .collect();
        format!("Failing row contains ({}).", shown.join(", "))
    }

    /// The storage key of a new row.
    pub fn row_key(&mut self, ctx: &ExecContext, row: &Row) -> Result<Bytes> {
        match &self.target.table.row_key {
            RowKey::RowId => Ok(Bytes::copy_from_slice(&layout::row_id_key(
                ctx.txn.next_row_id(self.table().storage),
            ))),
            RowKey::Columns(columns) => {
                self.key_buffer.clear();
                for column in columns {
                    let at = usize::from(*column);
                    key::encode(self.types[at], &row[at], KeyOrder::default(), &mut self.key_buffer)?;
                }
                Ok(Bytes::copy_from_slice(&self.key_buffer))
            }
        }
    }

    /// Adds a row that [`TableWriter::check_row`] has passed: 23505 where a unique value is taken. Answers its key.
    pub async fn insert(&mut self, ctx: &ExecContext, row: &Row) -> Result<Bytes> {
        let target = Arc::clone(&self.target);
        let mut entries = Vec::with_capacity(target.indexes.len());
        for index in &target.indexes {
            let entry = self.entry(ctx, index, row)?;
            if let Some(entry) = &entry {
                self.claim(ctx, index, entry, None).await?;
            }
            entries.push(entry);
        }
        let key = self.row_key(ctx, row)?;
        self.put_row(ctx, &key, row)?;
        for (index, entry) in target.indexes.iter().zip(&entries) {
            if let Some(entry) = entry {
                self.put_entry(ctx, index, entry, &key)?;
            }
        }
        Ok(key)
    }

    /// Replaces a row that the caller has locked. Answers the new key.
    pub async fn update(&mut self, ctx: &ExecContext, old_key: &Bytes, old: &Row, new: &Row) -> Result<Bytes> {
        let target = Arc::clone(&self.target);
        let keyed = matches!(target.table.row_key, RowKey::Columns(_));
        let new_key = if keyed { self.row_key(ctx, new)? } else { old_key.clone() };
        let moved = new_key != *old_key;
        let mut changes = Vec::new();
        for index in &target.indexes {
            let (before, after) = (self.entry(ctx, index, old)?, self.entry(ctx, index, new)?);
            let same_value = before.as_ref().map(|one| &one.key) == after.as_ref().map(|one| &one.key);
            if same_value && !moved {
                continue;
            }
            if !same_value {
                if let Some(entry) = &before {
                    self.lock_value(ctx, index, entry).await?;
                }
                if let Some(entry) = &after {
                    self.claim(ctx, index, entry, Some(old_key)).await?;
                }
            }
            changes.push((index, before, after));
        }
        if moved {
            ctx.txn.delete(target.table.storage, old_key.to_vec())?;
        }
        self.put_row(ctx, &new_key, new)?;
        for (index, before, after) in &changes {
            if let Some(entry) = before {
                self.delete_entry(ctx, index, entry, old_key)?;
            }
            if let Some(entry) = after {
                self.put_entry(ctx, index, entry, &new_key)?;
            }
        }
        Ok(new_key)
    }

    /// Removes a row that the caller has locked.
    pub async fn delete(&mut self, ctx: &ExecContext, key: &Bytes, old: &Row) -> Result<()> {
        let target = Arc::clone(&self.target);
        for index in &target.indexes {
            if let Some(entry) = self.entry(ctx, index, old)? {
                self.lock_value(ctx, index, &entry).await?;
                self.delete_entry(ctx, index, &entry, key)?;
            }
        }
        ctx.txn.delete(self.table().storage, key.to_vec())
    }

    fn put_row(&mut self, ctx: &ExecContext, key: &Bytes, row: &Row) -> Result<()> {
        self.row_buffer.clear();
        row::encode_row(ctx.txn.xid(), &self.types, row, &mut self.row_buffer)?;
        ctx.txn.put(self.table().storage, key.to_vec(), self.row_buffer.clone())
    }

    /// The index's entry for a row; `None` where the predicate leaves the row out.
    fn entry(&self, ctx: &ExecContext, index: &WriteIndex, row: &Row) -> Result<Option<Entry>> {
        if let Some(predicate) = &index.predicate
            && !matches!(eval_sync(ctx, predicate, row)?, Value::Bool(true))
        {
            return Ok(None);
        }
        let mut entry = Entry {
            key: Vec::new(),
            values: Vec::with_capacity(index.keys.len()),
            distinct: false,
        };
        for (expr, definition) in index.keys.iter().zip(&index.index.keys) {
            let value = eval_sync(ctx, expr, row)?;
            let order = KeyOrder {
                desc: definition.descending,
                nulls_first: definition.nulls_first,
            };
            key::encode(definition.ty, &value, order, &mut entry.key)?;
            entry.distinct |= value.is_null() && !index.index.nulls_not_distinct;
            entry.values.push(value);
        }
        if entry.key.len() > limits::INDEX_KEY_BYTES_MAX {
            return Err(PgError::new(
                sqlstate::PROGRAM_LIMIT_EXCEEDED,
                format!(
                    "index row size {} exceeds maximum {} for index \"{}\"",
                    entry.key.len(),
                    limits::INDEX_KEY_BYTES_MAX,
                    index.index.name
                ),
            ));
        }
        Ok(Some(entry))
    }

    /// The entry of a row in index `at` of the target as it is stored, without looking at other rows (index builds); `None`
    /// where the predicate leaves the row out, or the index is the table itself.
    pub fn stored_entry(&self, ctx: &ExecContext, at: usize, row: &Row, row_key: &[u8]) -> Result<Option<(Vec<u8>, Vec<u8>)>> {
        let index = &self.target.indexes[at];
        if index.index.storage.is_none() {
            return Ok(None);
        }
        let entry = self.entry(ctx, index, row)?;
        Ok(entry.map(|entry| layout::index_entry(&entry.key, row_key, index.index.unique && !entry.distinct)))
    }

    /// `(a, lower(b))=(1, x)`: a row's values in index `at` of the target.
    pub fn describe_entry(&self, ctx: &ExecContext, at: usize, row: &Row) -> Result<String> {
        let index = &self.target.indexes[at];
        let entry = self.entry(ctx, index, row)?;
        Ok(entry
            .map(|entry| self.describe_key(ctx, index, &entry.values))
            .unwrap_or_default())
    }

    /// Where the values of a unique index live: the table itself for the primary key.
    fn value_storage(&self, index: &WriteIndex) -> StorageId {
        index.index.storage.unwrap_or(self.target.table.storage)
    }

    /// Takes the key target of a unique value that is being removed or added.
    async fn lock_value(&self, ctx: &ExecContext, index: &WriteIndex, entry: &Entry) -> Result<()> {
        if !index.index.unique || entry.distinct {
            return Ok(());
        }
        ctx.txn
            .lock_key(index.index.oid, self.value_storage(index), &entry.key, &ctx.timeouts)
            .await
    }

    /// Makes sure that no row but `own` has the value; afterwards nobody can take it before this transaction ends.
    async fn claim(&self, ctx: &ExecContext, index: &WriteIndex, entry: &Entry, own: Option<&Bytes>) -> Result<()> {
        if !index.index.unique || entry.distinct {
            return Ok(());
        }
        self.lock_value(ctx, index, entry).await?;
        match self.owner(ctx, index, entry)? {
            Some(owner) if own != Some(&owner) => Err(self.duplicate(ctx, index, entry)),
            _ => Ok(()),
        }
    }

    /// The key of the row that has the value now, own writes included.
    fn owner(&self, ctx: &ExecContext, index: &WriteIndex, entry: &Entry) -> Result<Option<Bytes>> {
        let view = ctx.txn.latest_view();
        if index.primary {
            let found = ctx.txn.get(&view, self.target.table.storage, &entry.key)?;
            return Ok(found.map(|_| Bytes::copy_from_slice(&entry.key)));
        }
        let found = ctx.txn.get(&view, self.value_storage(index), &entry.key)?;
        Ok(found.map(|stored| layout::index_row_key(&stored)))
    }

    fn put_entry(&self, ctx: &ExecContext, index: &WriteIndex, entry: &Entry, row_key: &Bytes) -> Result<()> {
        let Some(storage) = index.index.storage else { return Ok(()) };
        let (key, value) = layout::index_entry(&entry.key, row_key, index.index.unique && !entry.distinct);
        ctx.txn.put(storage, key, value)
    }

    fn delete_entry(&self, ctx: &ExecContext, index: &WriteIndex, entry: &Entry, row_key: &Bytes) -> Result<()> {
        let Some(storage) = index.index.storage else { return Ok(()) };
        let (key, _) = layout::index_entry(&entry.key, row_key, index.index.unique && !entry.distinct);
        ctx.txn.delete(storage, key)
    }

    fn duplicate(&self, ctx: &ExecContext, index: &WriteIndex, entry: &Entry) -> PgError {
        PgError::new(
            sqlstate::UNIQUE_VIOLATION,
            format!("duplicate key value violates unique constraint \"{}\"", index.index.name),
        )
        .detail(format!(
            "Key {} already exists.",
            self.describe_key(ctx, index, &entry.values)
        ))
        .table(self.target.schema_name.as_str(), self.table().name.as_str())
        .constraint(index.index.name.as_str())
    }

    /// `(a, lower(b))=(1, x)`.
    fn describe_key(&self, ctx: &ExecContext, index: &WriteIndex, values: &[Value]) -> String {
        use crate::catalog::IndexExpr;
        let names: Vec<&str> = index
            .index
            .keys
            .iter()
            .map(|one| match &one.expr {
                IndexExpr::Column(column) => self.table().columns[usize::from(*column)].name.as_str(),
                IndexExpr::Expression(text) => text.as_str(),
            })
            .collect();
        let texts: Vec<String> = index
            .index
            .keys
            .iter()
            .zip(values)
            .map(|(one, value)| text_of(ctx, one.ty, value))
            .collect();
        format!("({})=({})", names.join(", "), texts.join(", "))
    }

    /// Whether a row stands in the way of `row` in one of the arbiters (all unique indexes where that is empty): the key of
    /// that row, read at the latest version.
    pub fn find_conflict(&self, ctx: &ExecContext, arbiters: &[usize], row: &Row) -> Result<Option<Conflict>> {
        for (at, index) in self.target.indexes.iter().enumerate() {
            if !index.index.unique || !(arbiters.is_empty() || arbiters.contains(&at)) {
                continue;
            }
            let Some(entry) = self.entry(ctx, index, row)?.filter(|entry| !entry.distinct) else {
                continue;
            };
            if let Some(row_key) = self.owner(ctx, index, &entry)? {
                return Ok(Some(Conflict {
                    index: at,
                    value: entry.key.into(),
                    row_key,
                }));
            }
        }
        Ok(None)
    }

    /// Takes the key targets of all values by which `row` could conflict: afterwards no other transaction inserts or
    /// removes one of them.
    pub async fn lock_arbiters(&self, ctx: &ExecContext, arbiters: &[usize], row: &Row) -> Result<()> {
        for (at, index) in self.target.indexes.iter().enumerate() {
            if !(arbiters.is_empty() || arbiters.contains(&at)) {
                continue;
            }
            if let Some(entry) = self.entry(ctx, index, row)? {
                self.lock_value(ctx, index, &entry).await?;
            }
        }
        Ok(())
    }

    /// Waits until nobody inserts or removes the conflicting value, without keeping its key target.
    pub async fn wait_for_value(&self, ctx: &ExecContext, conflict: &Conflict) -> Result<()> {
        let index = &self.target.indexes[conflict.index];
        let mark = ctx.txn.mark();
        let waited = ctx
            .txn
            .lock_key(index.index.oid, self.value_storage(index), &conflict.value, &ctx.timeouts)
            .await;
        ctx.txn.back_to(mark);
        waited
    }

    /// Whether the update changes a value that foreign keys may refer to: it then locks the row in UPDATE mode, else in NO
    /// KEY UPDATE mode.
    pub fn changes_key(&self, old: &Row, new: &Row) -> bool {
        use crate::catalog::IndexExpr;
        self.target
            .indexes
            .iter()
            .filter(|one| one.index.unique && one.index.predicate.is_none())
            .any(|one| {
                let plain = one.index.keys.iter().all(|key| matches!(key.expr, IndexExpr::Column(_)));
                plain
                    && one.index.keys.iter().any(|key| match key.expr {
                        IndexExpr::Column(column) => {
                            let at = usize::from(column);
                            !same_value(self.types[at], &old[at], &new[at])
                        }
                        IndexExpr::Expression(_) => false,
                    })
            })
    }
}

/// A row in the way of an INSERT.
pub struct Conflict {
    index: usize,
    value: Bytes,
    pub row_key: Bytes,
}

/// Equal, nulls too.
pub fn same_value(ty: Oid, a: &Value, b: &Value) -> bool {
    match (a.is_null(), b.is_null()) {
        (true, true) => true,
        (false, false) => crate::types::compare::equal_as(ty, a, b),
        _ => false,
    }
}

/// A value's text for a message; what cannot be printed is left out.
pub fn text_of(ctx: &ExecContext, ty: Oid, value: &Value) -> String {
    if value.is_null() {
        return "null".to_owned();
    }
    let mut text = String::new();
    match io::text_out(ty, value, &ctx.env(), &mut text) {
        Ok(()) => text,
        Err(_) => String::new(),
    }
}

fn shorten(text: String) -> String {
    if text.chars().count() <= SHOWN_CHARS_MAX {
        return text;
    }
    text.chars().take(SHOWN_CHARS_MAX).chain("...".chars()).collect()
}
