//! From stored keys and bytes to rows of values, and from values to key ranges.

use std::cmp::Ordering;
use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;

use super::row::{Batch, EpqRow, identity};
use crate::bind::tree::SystemColumn;
use crate::catalog::{Index, Table};
use crate::codec::key::{self, KeyOrder};
use crate::codec::layout::prefix_end;
use crate::codec::row::{RowView, decode_value};
use crate::error::{PgError, Result};
use crate::ids::{Oid, StorageId};
use crate::plan::node::{PointGet, ScanTarget};
use crate::txn::ScanRange;
use crate::types::{Value, oid};

/// Decodes what a scan gives of each row.
pub struct Decoder {
    columns: Vec<usize>,
    system: Vec<SystemColumn>,
    table: Oid,
    /// Values of columns that a row is too old to have; empty where no column has one.
    missing: Vec<Value>,
    /// Whether the columns ascend (then they are decoded in one go).
    ascending: bool,
}

impl Decoder {
    pub fn new(target: &ScanTarget) -> Self {
        Decoder {
            columns: target.columns.clone(),
            system: target.system.clone(),
            table: target.table.oid,
            missing: missing_values(&target.table),
            ascending: target.columns.is_sorted_by(|a, b| a < b),
        }
    }

    pub fn width(&self) -> usize {
        self.columns.len() + self.system.len()
    }

    /// Adds the row stored under `key`.
    pub fn push(&self, key: &[u8], row: &[u8], out: &mut Batch) -> Result<()> {
        out.push_with(|values| self.decode(key, row, values))
    }

    fn decode(&self, key: &[u8], row: &[u8], values: &mut Vec<Value>) -> Result<()> {
        let view = RowView::new(row)?;
        if self.ascending {
            view.decode_columns(&self.columns, &self.missing, |value| values.push(value))?;
        } else {
            for column in &self.columns {
                view.decode_columns(&[*column], &self.missing, |value| values.push(value))?;
            }
        }
        for column in &self.system {
            values.push(system_value(*column, self.table, key, &view));
        }
        Ok(())
    }

    /// Adds the row that `EvalPlanQual` put in place of the scan.
    pub fn push_epq(&self, row: &EpqRow, out: &mut Batch) -> Result<()> {
        match row {
            EpqRow::None => Ok(()),
            EpqRow::Stored { key, row } => self.push(key, row, out),
            EpqRow::Values(values) => {
                out.push(values);
                Ok(())
            }
        }
    }
}

/// A stored row's system column. `xmin` is the low half of the writer's id.
#[allow(clippy::cast_possible_truncation)]
pub fn system_value(column: SystemColumn, table: Oid, key: &[u8], view: &RowView<'_>) -> Value {
    match column {
        SystemColumn::TableOid => Value::Oid(table.0),
        SystemColumn::Xmin => Value::Oid(view.xid().0 as u32),
        SystemColumn::Xmax | SystemColumn::Cmin | SystemColumn::Cmax => Value::Oid(0),
        SystemColumn::Ctid => identity(key),
    }
}

/// Values of columns added after a row was written, by column; empty where there are none.
pub fn missing_values(table: &Table) -> Vec<Value> {
    if table.columns.iter().all(|column| column.missing.is_none()) {
        return Vec::new();
    }
    let value = |column: &crate::catalog::Column| match &column.missing {
        Some(bytes) => decode_value(column.ty, bytes).unwrap_or_default(),
        None => Value::Null,
    };
    table.columns.iter().map(value).collect()
}

/// A whole stored row: every column of the table.
pub fn decode_whole(table: &Table, row: &[u8]) -> Result<Vec<Value>> {
    let mut out = vec![Value::Null; table.columns.len()];
    RowView::new(row)?.decode_all(&[], &missing_values(table), &mut out)?;
    for (value, column) in out.iter_mut().zip(&table.columns) {
        if column.dropped {
            *value = Value::Null;
        }
    }
    Ok(out)
}

/// The key of a row by its primary key's values, in key order.
pub fn primary_key(index: &Index, values: &[Value]) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(values.len() * 10);
    for (part, value) in index.keys.iter().zip(values) {
        key::encode(part.ty, value, order_of(part), &mut out)?;
    }
    Ok(out)
}

fn order_of(part: &crate::catalog::IndexKey) -> KeyOrder {
    KeyOrder {
        desc: part.descending,
        nulls_first: part.nulls_first,
    }
}

/// How an index's keys are made.
pub struct IndexLayout {
    index: Arc<Index>,
}

/// A value in a key column's type.
enum Fitted {
    Value(Value),
    /// Below or above everything that the type can hold.
    Beyond(Ordering),
}

impl IndexLayout {
    pub fn new(_table: &Table, index: &Arc<Index>) -> Self {
        IndexLayout {
            index: Arc::clone(index),
        }
    }

    /// Where the entries are.
    pub fn storage(&self) -> Result<StorageId> {
        self.index
            .storage
            .ok_or_else(|| PgError::internal(format!("index \"{}\" has no storage", self.index.name)))
    }

    /// Type and direction of a key column.
    pub fn key_type(&self, place: usize) -> (Oid, bool) {
        self.index
            .keys
            .get(place)
            .map_or((oid::TEXT, false), |part| (part.ty, part.descending))
    }

    /// The table's key in an entry.
    pub fn row_key(&self, _key: &[u8], value: &Bytes) -> Result<Bytes> {
        Ok(crate::codec::layout::index_row_key(value))
    }

    /// Appends a value of a key column; false where the type cannot hold it, so that no key has it.
    pub fn encode(&self, place: usize, value: &Value, out: &mut Vec<u8>) -> Result<bool> {
        let part = &self.index.keys[place];
        match fit(part.ty, value) {
            Fitted::Value(value) => {
                key::encode(part.ty, &value, order_of(part), out)?;
                Ok(true)
            }
            Fitted::Beyond(_) => Ok(false),
        }
    }

    /// The range after `prefix` (which fixes the first `place` columns) between two values of the next column.
    pub fn range(
        &self,
        prefix: Vec<u8>,
        place: usize,
        lower: Option<&(Value, bool)>,
        upper: Option<&(Value, bool)>,
        not_null: bool,
    ) -> Result<Option<ScanRange>> {
        let bounded = lower.is_some() || upper.is_some();
        let Some(part) = self.index.keys.get(place).filter(|_| bounded || not_null) else {
            let upper = prefix_end(&prefix).map_or(Bound::Unbounded, Bound::Excluded);
            return Ok(Some(ScanRange {
                lower: Bound::Included(prefix),
                upper,
            }));
        };
        // In key order: a descending column begins with its greatest value.
        let (first, last) = if part.descending { (upper, lower) } else { (lower, upper) };
        let order = order_of(part);
        let marked = |extra: u8| {
            let mut key = prefix.clone();
            key.push(extra);
            key
        };
        let edge = |bound: Option<&(Value, bool)>| -> Result<Option<(Vec<u8>, bool)>> {
            let Some((value, inclusive)) = bound else { return Ok(None) };
            match fit(part.ty, value) {
                Fitted::Value(value) => {
                    let mut key = prefix.clone();
                    key::encode(part.ty, &value, order, &mut key)?;
                    Ok(Some((key, *inclusive)))
                }
                // Nothing is beyond: as good as no bound, or nothing at all (seen below by `impossible`).
                Fitted::Beyond(_) => Ok(None),
            }
        };
        if impossible(part.ty, lower, Ordering::Greater) || impossible(part.ty, upper, Ordering::Less) {
            return Ok(None);
        }
        let start = match edge(first)? {
            Some((key, true)) => key,
            Some((key, false)) => match prefix_end(&key) {
                Some(key) => key,
                None => return Ok(None),
            },
            None => marked(key::value_marker()),
        };
        let end = match edge(last)? {
            Some((key, true)) => prefix_end(&key),
            Some((key, false)) => Some(key),
            None => prefix_end(&marked(key::value_marker())),
        };
        Ok(Some(ScanRange {
            lower: Bound::Included(start),
            upper: end.map_or(Bound::Unbounded, Bound::Excluded),
        }))
    }
}

/// Whether a lower bound lies above (an upper one below) all that the type can hold.
fn impossible(ty: Oid, bound: Option<&(Value, bool)>, side: Ordering) -> bool {
    bound.is_some_and(|(value, _)| matches!(fit(ty, value), Fitted::Beyond(beyond) if beyond == side))
}

/// An integer of another width in the key's type; other values are as they are.
fn fit(ty: Oid, value: &Value) -> Fitted {
    if !matches!(ty, oid::INT2 | oid::INT4 | oid::INT8) {
        return Fitted::Value(value.clone());
    }
    let wide = match value {
        Value::Int2(v) => i64::from(*v),
        Value::Int4(v) => i64::from(*v),
        Value::Int8(v) => *v,
        _ => return Fitted::Value(value.clone()),
    };
    let fitted = match ty {
        oid::INT2 => i16::try_from(wide).ok().map(Value::Int2),
        oid::INT4 => i32::try_from(wide).ok().map(Value::Int4),
        _ => Some(Value::Int8(wide)),
    };
    match fitted {
        Some(value) => Fitted::Value(value),
        None => Fitted::Beyond(wide.cmp(&0)),
    }
}

/// Appends a part of a point's key; false where no row can have it.
pub fn encode_point(node: &PointGet, place: usize, value: &Value, out: &mut Vec<u8>) -> Result<bool> {
    let part = &node.key_index.keys[place];
    match fit(part.ty, value) {
        Fitted::Value(value) => {
            key::encode(part.ty, &value, order_of(part), out)?;
            Ok(true)
        }
        Fitted::Beyond(_) => Ok(false),
    }
}

/// Runs what may take long or wait for a disk, so that other sessions' tasks are not held up by it.
pub fn blocking<T>(long: bool, work: impl FnOnce() -> T) -> T {
    use tokio::runtime::{Handle, RuntimeFlavor};
    let threads = long && Handle::try_current().is_ok_and(|handle| handle.runtime_flavor() == RuntimeFlavor::MultiThread);
    if threads { tokio::task::block_in_place(work) } else { work() }
}
