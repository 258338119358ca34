//! Hidden row ids of tables without a primary key.
//!
//! They grow, so that such a table is in insertion order, and none is given twice, not even after a crash: an upper bound is
//! written ahead of them, in the log before any row that has one of them.

use std::collections::hash_map::Entry;
use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::engine::Engine;
use crate::codec::layout;
use crate::error::Result;
use crate::ids::StorageId;
use crate::storage::pipeline::{CommitBatch, fatal};
use crate::storage::{Direction, KeyRange, Space, Write};

/// Ids reserved at once.
const BLOCK: u64 = 10_000;

#[derive(Clone, Copy)]
struct Ids {
    next: u64,
    bound: u64,
}

/// Counters of all storages that were written since the start.
#[derive(Default)]
pub(super) struct RowIds {
    all: Mutex<FxHashMap<StorageId, Ids>>,
}

fn record_key(storage: StorageId) -> Bytes {
    let mut key = b"row/".to_vec();
    key.extend_from_slice(&storage.0.to_be_bytes());
    Bytes::from(key)
}

/// What removes a storage's bound.
pub(super) fn forget_write(storage: StorageId) -> Write {
    Write::Delete(Space::Meta, record_key(storage))
}

impl RowIds {
    pub(super) fn next(&self, engine: &Engine, storage: StorageId) -> u64 {
        let mut all = self.all.lock();
        let ids = match all.entry(storage) {
            Entry::Occupied(there) => there.into_mut(),
            Entry::Vacant(free) => {
                // A store that cannot be read ends the process, as a failed write does.
                let next = first_free(engine, storage).unwrap_or_else(|error| fatal("cannot read the last row id", &error));
                free.insert(Ids { next, bound: next })
            }
        };
        let given = ids.next;
        ids.next += 1;
        if given >= ids.bound {
            ids.bound = given + BLOCK;
            let value = Bytes::copy_from_slice(&ids.bound.to_be_bytes());
            engine.pipeline.submit(CommitBatch {
                writes: vec![Write::Put(Space::Meta, record_key(storage), value)],
                on_sequenced: Box::new(|_| {}),
            });
        }
        given
    }

    pub(super) fn forget(&self, storage: StorageId) {
        self.all.lock().remove(&storage);
    }
}

/// Above everything that was given before, and everything that is stored.
fn first_free(engine: &Engine, storage: StorageId) -> Result<u64> {
    let newest = Arc::clone(&engine.pipeline.newest().snapshot);
    let bound = newest.get(Space::Meta, &record_key(storage))?;
    let bound = bound
        .and_then(|stored| stored.as_ref().try_into().ok())
        .map_or(0, u64::from_be_bytes);
    let (from, to) = layout::storage_bounds(storage);
    let range = KeyRange {
        lower: Bound::Included(from),
        upper: Bound::Excluded(to),
    };
    let mut iter = newest.iter(Space::Data, range, Direction::Backward)?;
    let last = iter
        .next()?
        .and_then(|(key, _)| key.get(layout::PREFIX_BYTES..)?.try_into().ok());
    Ok(last.map_or(0, u64::from_be_bytes).max(bound.saturating_sub(1)) + 1)
}
