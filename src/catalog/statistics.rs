//! What ANALYZE finds, for the planner and `pg_stats`. Kept beside the catalog: plans need not be made anew for it.

use std::sync::Arc;

use parking_lot::RwLock;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::ids::Oid;

/// A table's numbers as of its last ANALYZE.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TableStatistics {
    /// Rows, by count or by estimate.
    pub rows: f64,
    /// Pages of 8 kB that the rows would fill.
    pub pages: u64,
    /// By place in `Table::columns`; dropped and never analysed columns are `None`.
    pub columns: Vec<Option<ColumnStatistics>>,
    /// When, microseconds since 2000-01-01 UTC.
    pub analyzed_micros: i64,
}

/// A column's numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ColumnStatistics {
    /// Part of the rows that are null, 0 to 1.
    pub null_fraction: f32,
    /// `n_distinct`: over 0 a count, below 0 minus the part of the rows.
    pub distinct: f32,
    /// Bytes, on average.
    pub width: i32,
    /// Least and greatest value, encoded by `codec::row::encode_value`.
    pub min: Option<Vec<u8>>,
    pub max: Option<Vec<u8>>,
    /// Most common values, encoded, with their part of the rows.
    pub common: Vec<(Vec<u8>, f32)>,
    /// Bounds of equally full buckets of the other values, encoded, in order.
    pub histogram: Vec<Vec<u8>>,
    /// Between the order of values and the order of rows, -1 to 1.
    pub correlation: Option<f32>,
}

/// One database's statistics, by table.
#[derive(Debug, Default)]
pub struct Statistics {
    tables: RwLock<FxHashMap<Oid, Arc<TableStatistics>>>,
}

impl Statistics {
    pub fn get(&self, table: Oid) -> Option<Arc<TableStatistics>> {
        self.tables.read().get(&table).cloned()
    }

    pub fn set(&self, table: Oid, statistics: Arc<TableStatistics>) {
        self.tables.write().insert(table, statistics);
    }

    pub fn remove(&self, table: Oid) {
        self.tables.write().remove(&table);
    }
}
