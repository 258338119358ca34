//! Going over a whole table: building indexes, and rewriting the table under a new storage id.
//!
//! What is written is not seen by anybody else before the commit, so it goes past the transaction's buffer
//! ([`crate::txn::Txn::bulk`]). The caller holds a relation lock that keeps writers out.

use std::sync::Arc;

use bytes::Bytes;

use super::context::DdlContext;
use crate::bind::tree::Expr;
use crate::catalog::{Index, IndexExpr, RowKey, Table};
use crate::codec::key::{self, KeyOrder};
use crate::codec::layout;
use crate::codec::row::{self, RowView};
use crate::error::{PgError, Result, sqlstate};
use crate::exec::ExecContext;
use crate::exec::access::missing_values;
use crate::exec::row::Row;
use crate::exec::slots::eval_sync;
use crate::exec::table_writer::TableWriter;
use crate::ids::Oid;
use crate::storage::Direction;
use crate::txn::{Bulk, Scan, ScanRange};
use crate::types::Value;

/// Rows read at once.
const BATCH: usize = 512;

/// What a rewrite changes in each row.
#[derive(Default)]
pub struct RowChange {
    /// (column, expression over the old row).
    pub set: Vec<(usize, Expr)>,
    /// Columns that must not be null from now on: 23502 `contains null values`.
    pub not_null: Vec<usize>,
    /// CHECK constraints are looked at again.
    pub recheck: bool,
}

/// Runs something that keeps a core busy for long without holding up other sessions of this thread.
pub fn busy<T>(run: impl FnOnce() -> T) -> T {
    use tokio::runtime::{Handle, RuntimeFlavor};
    match Handle::try_current() {
        Ok(handle) if handle.runtime_flavor() == RuntimeFlavor::MultiThread => tokio::task::block_in_place(run),
        _ => run(),
    }
}

/// Reads a table's rows, decoded as its definition says.
pub struct TableReader {
    scan: Scan,
    batch: Vec<(Bytes, Bytes)>,
    types: Vec<Oid>,
    missing: Vec<Value>,
    more: bool,
}

impl TableReader {
    pub fn new(ctx: &ExecContext, table: &Table) -> Result<Self> {
        Ok(TableReader {
            scan: ctx
                .txn
                .scan(&ctx.txn.latest_view(), table.storage, ScanRange::all(), Direction::Forward)?,
            batch: Vec::with_capacity(BATCH),
            types: table.columns.iter().map(|column| column.ty).collect(),
            missing: missing_values(table),
            more: true,
        })
    }

    /// The next rows, as keys and stored bytes; empty at the end.
    pub async fn next(&mut self, ctx: &ExecContext) -> Result<&[(Bytes, Bytes)]> {
        self.batch.clear();
        while self.more && self.batch.is_empty() {
            ctx.breathe().await?;
            self.more = self.scan.next_batch(&ctx.txn, BATCH, &mut self.batch)?;
        }
        Ok(&self.batch)
    }

    pub fn width(&self) -> usize {
        self.types.len()
    }

    pub fn decode(&self, at: usize, row: &mut Row) -> Result<()> {
        RowView::new(&self.batch[at].1)?.decode_all(&self.types, &self.missing, row)
    }

    /// Decodes only `wanted` (ascending); other values of `row` stay as they are.
    pub fn decode_some(&self, at: usize, wanted: &[usize], row: &mut Row) -> Result<()> {
        let mut places = wanted.iter();
        RowView::new(&self.batch[at].1)?.decode_columns(wanted, &self.missing, |value| {
            if let Some(place) = places.next() {
                row[*place] = value;
            }
        })
    }

    pub fn pair(&self, at: usize) -> (&Bytes, &Bytes) {
        (&self.batch[at].0, &self.batch[at].1)
    }

    pub fn len(&self) -> usize {
        self.batch.len()
    }
}

/// An index that is being filled.
struct Filling {
    /// Place in the write target.
    at: usize,
    index: Arc<Index>,
    bulk: Bulk,
}

/// Fills indexes that the catalog has already, over all rows of the table: 23505 for a value that comes twice.
pub async fn fill_indexes(ctx: &DdlContext<'_>, table: &Arc<Table>, indexes: &[Oid]) -> Result<()> {
    let exec = ctx.exec()?;
    let writer = TableWriter::new(crate::plan::write_target(table, &exec.plan_context())?);
    let mut filling = fillings(&exec, &writer, Some(indexes))?;
    if filling.is_empty() {
        return Ok(());
    }
    let wanted = wanted_columns(&filling);
    let mut reader = TableReader::new(&exec, table)?;
    let mut row = vec![Value::Null; reader.width()];
    while !reader.next(&exec).await?.is_empty() {
        for at in 0..reader.len() {
            match &wanted {
                Some(wanted) => reader.decode_some(at, wanted, &mut row)?,
                None => reader.decode(at, &mut row)?,
            }
            let (row_key, _) = reader.pair(at);
            for one in &mut filling {
                if let Some((key, value)) = writer.stored_entry(&exec, one.at, &row, row_key)? {
                    one.bulk.put(&key, &value)?;
                }
            }
        }
    }
    for one in filling {
        if let Some(twice) = busy(|| one.bulk.finish(&exec.txn))? {
            return Err(duplicated(&exec, &writer, table, one.at, &one.index, &twice).await?);
        }
    }
    Ok(())
}

fn fillings(exec: &ExecContext, writer: &TableWriter, only: Option<&[Oid]>) -> Result<Vec<Filling>> {
    let mut filling = Vec::new();
    for (at, index) in writer.target().indexes.iter().enumerate() {
        let wanted = only.is_none_or(|only| only.contains(&index.index.oid));
        if let Some(storage) = index.index.storage.filter(|_| wanted) {
            filling.push(Filling {
                at,
                index: Arc::clone(&index.index),
                bulk: exec.txn.bulk(storage)?,
            });
        }
    }
    Ok(filling)
}

/// The columns that the indexes read, where they read nothing but columns.
fn wanted_columns(filling: &[Filling]) -> Option<Vec<usize>> {
    let mut wanted = Vec::new();
    for one in filling {
        if one.index.predicate.is_some() {
            return None;
        }
        for key in &one.index.keys {
            match key.expr {
                IndexExpr::Column(column) => wanted.push(usize::from(column)),
                IndexExpr::Expression(_) => return None,
            }
        }
    }
    wanted.sort_unstable();
    wanted.dedup();
    Some(wanted)
}

/// The error for a key that came twice: the table is read again for the values.
async fn duplicated(
    exec: &ExecContext,
    writer: &TableWriter,
    table: &Arc<Table>,
    at: usize,
    index: &Index,
    twice: &[u8],
) -> Result<PgError> {
    let mut reader = TableReader::new(exec, table)?;
    let mut row = vec![Value::Null; reader.width()];
    while !reader.next(exec).await?.is_empty() {
        for number in 0..reader.len() {
            reader.decode(number, &mut row)?;
            let (row_key, _) = reader.pair(number);
            let same = match writer.stored_entry(exec, at, &row, row_key)? {
                Some((key, _)) => key == twice,
                None => false,
            };
            if same {
                return Ok(not_unique(writer, index, &writer.describe_entry(exec, at, &row)?));
            }
        }
    }
    Ok(not_unique(writer, index, ""))
}

fn not_unique(writer: &TableWriter, index: &Index, values: &str) -> PgError {
    let target = writer.target();
    PgError::new(
        sqlstate::UNIQUE_VIOLATION,
        format!("could not create unique index \"{}\"", index.name),
    )
    .detail(format!("Key {values} is duplicated."))
    .table(target.schema_name.as_str(), target.table.name.as_str())
    .constraint(index.name.as_str())
}

/// Writes all rows of `old` again as rows of `new` (the same table with other columns, types or row key), under new
/// storage ids, indexes included. `new` and its indexes are put into the catalog.
pub async fn rewrite(ctx: &DdlContext<'_>, old: &Arc<Table>, mut new: Table, change: &RowChange) -> Result<Arc<Table>> {
    ctx.txn.drop_storage(old.storage);
    new.storage = ctx.txn.create_storage();
    let catalog = ctx.catalog();
    for oid in &new.indexes {
        let Some(index) = catalog.index(*oid) else { continue };
        if let Some(storage) = index.storage {
            ctx.txn.drop_storage(storage);
        }
        let mut index = Index::clone(index);
        let keyed = index.primary && matches!(new.row_key, RowKey::Columns(_));
        index.storage = if keyed { None } else { Some(ctx.txn.create_storage()) };
        for key in &mut index.keys {
            if let IndexExpr::Column(column) = key.expr {
                key.ty = new.columns[usize::from(column)].ty;
            }
        }
        ctx.put_index(index)?;
    }
    if !change.set.is_empty() || change.recheck || old.columns.len() != new.columns.len() {
        // Every row is written whole.
        new.columns.iter_mut().for_each(|column| column.missing = None);
    }
    let new = ctx.put_table(new)?;
    let exec = ctx.exec()?;
    let mut rewriting = Rewriting {
        writer: TableWriter::new(crate::plan::write_target(&new, &exec.plan_context())?),
        types: new.columns.iter().map(|column| column.ty).collect(),
        old,
        new: &new,
        change,
        row: Vec::new(),
        key: Vec::new(),
        stored: Vec::new(),
    };
    rewriting.run(&exec).await?;
    Ok(Arc::clone(&new))
}

struct Rewriting<'a> {
    writer: TableWriter,
    types: Vec<Oid>,
    old: &'a Arc<Table>,
    new: &'a Arc<Table>,
    change: &'a RowChange,
    /// The new row, its key and its stored bytes.
    row: Row,
    key: Vec<u8>,
    stored: Vec<u8>,
}

impl Rewriting<'_> {
    async fn run(&mut self, exec: &ExecContext) -> Result<()> {
        let mut rows = exec.txn.bulk(self.new.storage)?;
        let mut filling = fillings(exec, &self.writer, None)?;
        let mut reader = TableReader::new(exec, self.old)?;
        let mut before = vec![Value::Null; reader.width()];
        let wanted = self.wanted(&filling);
        while !reader.next(exec).await?.is_empty() {
            for at in 0..reader.len() {
                match &wanted {
                    Some(wanted) => reader.decode_some(at, wanted, &mut before)?,
                    None => reader.decode(at, &mut before)?,
                }
                let (old_key, old_stored) = reader.pair(at);
                self.convert(exec, &before, old_key, old_stored)?;
                rows.put(&self.key, &self.stored)?;
                for one in &mut filling {
                    if let Some((key, value)) = self.writer.stored_entry(exec, one.at, &self.row, &self.key)? {
                        one.bulk.put(&key, &value)?;
                    }
                }
            }
        }
        if let Some(twice) = busy(|| rows.finish(&exec.txn))? {
            return Err(self.duplicated(exec, None, &twice).await?);
        }
        for one in filling {
            if let Some(twice) = busy(|| one.bulk.finish(&exec.txn))? {
                return Err(self.duplicated(exec, Some(one.at), &twice).await?);
            }
        }
        Ok(())
    }

    /// Columns to decode where rows stay as they are and only keys are made anew.
    fn wanted(&self, filling: &[Filling]) -> Option<Vec<usize>> {
        if !self.keeps_rows() {
            return None;
        }
        let mut wanted = wanted_columns(filling)?;
        if let RowKey::Columns(columns) = &self.new.row_key {
            wanted.extend(columns.iter().map(|column| usize::from(*column)));
        }
        wanted.extend(&self.change.not_null);
        wanted.sort_unstable();
        wanted.dedup();
        Some(wanted)
    }

    fn keeps_rows(&self) -> bool {
        self.change.set.is_empty() && !self.change.recheck && self.old.columns.len() == self.new.columns.len()
    }

    /// Makes the new row, its key and its bytes.
    fn convert(&mut self, exec: &ExecContext, before: &Row, old_key: &[u8], old_stored: &[u8]) -> Result<()> {
        self.row.clone_from(before);
        self.row.resize(self.types.len(), Value::Null);
        for (column, expr) in &self.change.set {
            self.row[*column] = eval_sync(exec, expr, before)?;
        }
        for column in &self.change.not_null {
            if self.row[*column].is_null() {
                return Err(contains_nulls(
                    &self.new.columns[*column].name,
                    self.new,
                    &self.writer.target().schema_name,
                ));
            }
        }
        self.stored.clear();
        if self.keeps_rows() {
            self.stored.extend_from_slice(old_stored);
        } else {
            self.writer.check_row(exec, &mut self.row)?;
            row::encode_row(exec.txn.xid(), &self.types, &self.row, &mut self.stored)?;
        }
        self.key.clear();
        match &self.new.row_key {
            RowKey::Columns(columns) => {
                for column in columns {
                    let at = usize::from(*column);
                    key::encode(self.types[at], &self.row[at], KeyOrder::default(), &mut self.key)?;
                }
            }
            RowKey::RowId if matches!(self.old.row_key, RowKey::RowId) => self.key.extend_from_slice(old_key),
            RowKey::RowId => {
                self.key
                    .extend_from_slice(&layout::row_id_key(exec.txn.next_row_id(self.new.storage)));
            }
        }
        Ok(())
    }

    /// The error for a key of the table (`index` is `None`) or of an index that came twice.
    async fn duplicated(&mut self, exec: &ExecContext, index: Option<usize>, twice: &[u8]) -> Result<PgError> {
        let at = match index {
            Some(at) => at,
            None => self
                .writer
                .target()
                .indexes
                .iter()
                .position(|index| index.primary)
                .unwrap_or(0),
        };
        let definition = Arc::clone(&self.writer.target().indexes[at].index);
        let mut reader = TableReader::new(exec, self.old)?;
        let mut before = vec![Value::Null; reader.width()];
        while !reader.next(exec).await?.is_empty() {
            for number in 0..reader.len() {
                reader.decode(number, &mut before)?;
                let (old_key, old_stored) = reader.pair(number);
                self.convert(exec, &before, old_key, old_stored)?;
                let same = match index {
                    None => self.key == twice,
                    Some(at) => self
                        .writer
                        .stored_entry(exec, at, &self.row, &self.key)?
                        .is_some_and(|(key, _)| key == twice),
                };
                if same {
                    let values = self.writer.describe_entry(exec, at, &self.row)?;
                    return Ok(not_unique(&self.writer, &definition, &values));
                }
            }
        }
        Ok(not_unique(&self.writer, &definition, ""))
    }
}

/// 23502 of SET NOT NULL and ADD PRIMARY KEY.
pub fn contains_nulls(column: &str, table: &Table, schema: &str) -> PgError {
    PgError::new(
        sqlstate::NOT_NULL_VIOLATION,
        format!("column \"{column}\" of relation \"{}\" contains null values", table.name),
    )
    .table(schema, table.name.as_str())
    .column(column)
}
