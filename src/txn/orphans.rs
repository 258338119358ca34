//! Storages that no catalog object names: made by a transaction that a crash ended, or of temporary tables.

use std::collections::HashSet;
use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;

use super::engine::Engine;
use super::{row_ids, sequences};
use crate::codec::layout;
use crate::error::Result;
use crate::ids::StorageId;
use crate::storage::pipeline::CommitBatch;
use crate::storage::{Direction, KeyRange, Space, StoreSnapshot};

impl Engine {
    /// Removes what is stored under ids that are not in `live` (the catalog's), nor of a prepared transaction. For the
    /// start of a server, before it has sessions. Answers how many there were.
    pub fn remove_orphans(&self, live: &HashSet<StorageId>) -> Result<usize> {
        let prepared = self.prepared.storages();
        let orphan = |storage: &StorageId| !live.contains(storage) && !prepared.contains(storage);
        let snapshot = Arc::clone(&self.pipeline.newest().snapshot);
        let mut orphans: Vec<StorageId> = stored(&snapshot)?.into_iter().filter(orphan).collect();
        let found = orphans.len();
        for storage in &orphans {
            self.graveyard.bury_now(*storage);
        }
        orphans.extend(recorded(&snapshot, b"row/")?.into_iter().filter(orphan));
        orphans.extend(recorded(&snapshot, b"sequence/")?.into_iter().filter(orphan));
        let writes = orphans
            .into_iter()
            .flat_map(|storage| [row_ids::forget_write(storage), sequences::forget_write(storage)])
            .collect();
        self.pipeline.submit(CommitBatch {
            writes,
            on_sequenced: Box::new(|_| {}),
        });
        Ok(found)
    }
}

/// Every storage that has a row: one seek each.
fn stored(snapshot: &Arc<dyn StoreSnapshot>) -> Result<Vec<StorageId>> {
    let range = KeyRange {
        lower: Bound::Unbounded,
        upper: Bound::Unbounded,
    };
    let mut iter = Arc::clone(snapshot).iter(Space::Data, range, Direction::Forward)?;
    let mut found = Vec::new();
    while let Some((key, _)) = iter.next()? {
        let Some((storage, _)) = layout::split_data_key(key) else {
            continue;
        };
        found.push(storage);
        iter.seek(&layout::storage_bounds(storage).1)?;
    }
    Ok(found)
}

/// Storages in the names of records of `Space::Meta`.
fn recorded(snapshot: &Arc<dyn StoreSnapshot>, prefix: &'static [u8]) -> Result<Vec<StorageId>> {
    let range = KeyRange {
        lower: Bound::Included(Bytes::from_static(prefix)),
        upper: layout::prefix_end(prefix).map_or(Bound::Unbounded, |end| Bound::Excluded(Bytes::from(end))),
    };
    let mut iter = Arc::clone(snapshot).iter(Space::Meta, range, Direction::Forward)?;
    let mut found = Vec::new();
    while let Some((key, _)) = iter.next()? {
        if let Ok(id) = <[u8; 8]>::try_from(&key[prefix.len()..]) {
            found.push(StorageId(u64::from_be_bytes(id)));
        }
    }
    Ok(found)
}
