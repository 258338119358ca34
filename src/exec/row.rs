//! Batches of rows, and how a row says who it is.
//!
//! A batch is one flat vector of values, `width` of them a row: no allocation a row, and buffers are used again.
//!
//! **Identity.** A scan that is asked for [`SystemColumn::Ctid`](crate::bind::tree::SystemColumn::Ctid) adds a column with
//! the row's storage key as `Value::Tid`. With the table that the plan names this is all that `LockRows`, UPDATE and DELETE
//! need: the transaction reads the row again by its key. Null stands for a row that an outer join did not find.

use std::sync::Arc;

use bytes::Bytes;

use crate::types::Value;

/// One row on its own.
pub type Row = Vec<Value>;

/// Rows of one width.
#[derive(Debug, Default)]
pub struct Batch {
    width: usize,
    len: usize,
    values: Vec<Value>,
}

impl Batch {
    pub fn new(width: usize) -> Self {
        Batch {
            width,
            len: 0,
            values: Vec::new(),
        }
    }

    /// Empties the batch for rows of `width` values; keeps its memory.
    pub fn reset(&mut self, width: usize) {
        self.width = width;
        self.len = 0;
        self.values.clear();
    }

    pub fn width(&self) -> usize {
        self.width
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn row(&self, index: usize) -> &[Value] {
        &self.values[index * self.width..(index + 1) * self.width]
    }

    pub fn row_mut(&mut self, index: usize) -> &mut [Value] {
        &mut self.values[index * self.width..(index + 1) * self.width]
    }

    pub fn rows(&self) -> impl Iterator<Item = &[Value]> {
        (0..self.len).map(|index| self.row(index))
    }

    /// Adds a copy of a row.
    pub fn push(&mut self, row: &[Value]) {
        assert_eq!(row.len(), self.width, "a row has the batch's width");
        self.values.extend_from_slice(row);
        self.len += 1;
    }

    /// Adds a row made of two parts.
    pub fn push_pair(&mut self, left: &[Value], right: &[Value]) {
        assert_eq!(left.len() + right.len(), self.width, "a row has the batch's width");
        self.values.extend_from_slice(left);
        self.values.extend_from_slice(right);
        self.len += 1;
    }

    /// Adds a row from values given one by one.
    pub fn push_values(&mut self, row: impl IntoIterator<Item = Value>) {
        self.values.extend(row);
        self.len += 1;
        assert_eq!(self.values.len(), self.len * self.width, "a row has the batch's width");
    }

    /// Adds a row that `fill` appends to the values it is handed; nothing is added where it fails.
    pub fn push_with<E>(&mut self, fill: impl FnOnce(&mut Vec<Value>) -> Result<(), E>) -> Result<(), E> {
        let before = self.values.len();
        match fill(&mut self.values) {
            Ok(()) => {
                self.len += 1;
                assert_eq!(self.values.len(), self.len * self.width, "a row has the batch's width");
                Ok(())
            }
            Err(error) => {
                self.values.truncate(before);
                Err(error)
            }
        }
    }

    /// Takes a row's values out, leaving nulls.
    pub fn take_row(&mut self, index: usize) -> Row {
        self.row_mut(index).iter_mut().map(std::mem::take).collect()
    }

    /// Drops the last row.
    pub fn pop(&mut self) {
        if self.len > 0 {
            self.truncate(self.len - 1);
        }
    }

    /// Keeps the first `len` rows.
    pub fn truncate(&mut self, len: usize) {
        if len < self.len {
            self.len = len;
            self.values.truncate(len * self.width);
        }
    }

    /// Drops the first `count` rows.
    pub fn skip(&mut self, count: usize) {
        let count = count.min(self.len);
        self.values.drain(..count * self.width);
        self.len -= count;
    }

    /// Moves row `from` to place `to` (`to <= from`), for filtering in place; `truncate` afterwards.
    pub fn move_row(&mut self, from: usize, to: usize) {
        if from != to {
            for column in 0..self.width {
                self.values.swap(from * self.width + column, to * self.width + column);
            }
        }
    }

    /// Puts another row in place of row `index`.
    pub fn replace(&mut self, index: usize, row: &[Value]) {
        self.row_mut(index).clone_from_slice(row);
    }
}

/// The identity of a row in a table, as `Value::Tid` carries it.
pub fn identity(key: &[u8]) -> Value {
    Value::Tid(Arc::from(key))
}

/// The storage key in an identity column; `None` for null.
pub fn identity_key(value: &Value) -> Option<Bytes> {
    match value {
        Value::Tid(key) => Some(Bytes::copy_from_slice(key)),
        _ => None,
    }
}

/// One leaf's row while `EvalPlanQual` runs.
#[derive(Clone, Debug)]
pub enum EpqRow {
    /// The leaf gives no row.
    None,
    /// A table's row: storage key and stored bytes.
    Stored { key: Bytes, row: Bytes },
    /// A row of any other leaf.
    Values(Row),
}

/// Rows put in place of scans, by scan number; scans without an entry run as always.
#[derive(Clone, Debug, Default)]
pub struct EpqRows {
    rows: Vec<Option<EpqRow>>,
}

impl EpqRows {
    pub fn new(scan_count: usize) -> Self {
        EpqRows {
            rows: vec![None; scan_count],
        }
    }

    pub fn set(&mut self, scan: usize, row: EpqRow) {
        self.rows[scan] = Some(row);
    }

    pub fn get(&self, scan: usize) -> Option<&EpqRow> {
        self.rows.get(scan)?.as_ref()
    }
}
