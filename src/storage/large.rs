//! Commits that are too large for one write batch.
//!
//! A batch of a million keys holds the sequencer for seconds, and every other commit with it. The rows of such a commit are
//! written to a sorted file beside the log, by a thread of its own, and the sequencer takes the file in as one step. What
//! the commit writes to other spaces (the catalog, counters) cannot be in that file; it waits in a redo record:
//!
//! | step | a crash after it leaves |
//! |---|---|
//! | the redo record is written and synced | a record without its marker: [`recover`] forgets it |
//! | the file is taken in, a marker among its rows | a record and its marker: [`recover`] writes what the record says |
//! | the rest is written, record and marker deleted | nothing to do |

use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::{Direction, KeyRange, PreparedWrites, Space, Store, Write};
use crate::codec::layout;
use crate::error::{PgError, Result, sqlstate};
use crate::ids::StorageId;
use crate::limits;

const REDO_PREFIX: &[u8] = b"redo/";
/// Holds the markers; no object has this id.
const MARKERS: StorageId = StorageId(0);

/// What a commit writes beside its rows, as stored.
#[derive(Serialize, Deserialize)]
struct Redo {
    /// Space, key, value; no value deletes.
    changes: Vec<(u8, Vec<u8>, Option<Vec<u8>>)>,
}

/// A large commit, ready to be sequenced.
pub struct LargeCommit {
    file: Box<dyn PreparedWrites>,
    rest: Vec<Write>,
    /// Storages that it has rows of.
    pub(super) storages: Vec<StorageId>,
}

/// Whether a commit is to be prepared as a [`LargeCommit`].
pub fn is_large(writes: &[Write]) -> bool {
    let mut bytes = 0;
    for write in writes {
        bytes += match write {
            Write::Put(_, key, value) => key.len() + value.len() + limits::WRITE_OVERHEAD_BYTES,
            Write::Delete(_, key) => key.len() + limits::WRITE_OVERHEAD_BYTES,
            // A range stands in the order of the batch; a file has none.
            Write::DeleteRange(..) => return false,
        };
    }
    bytes >= limits::LARGE_COMMIT_BYTES
}

impl LargeCommit {
    /// Writes the file of a commit's rows, and the redo record of the rest where there is any. Takes time: not for a
    /// thread that others wait for.
    pub fn prepare(store: &dyn Store, writes: &[Write]) -> Result<LargeCommit> {
        let mut rows: Vec<(Bytes, Option<Bytes>)> = Vec::with_capacity(writes.len());
        let mut rest = Vec::new();
        for write in writes {
            match write {
                Write::Put(Space::Data, key, value) => rows.push((key.clone(), Some(value.clone()))),
                Write::Delete(Space::Data, key) => rows.push((key.clone(), None)),
                other => rest.push(other.clone()),
            }
        }
        if !rest.is_empty() {
            let name: [u8; 16] = rand::random();
            let (record, marker) = (redo_key(&name), layout::data_key(MARKERS, &name));
            store.write(&[Write::Put(Space::Meta, record.clone(), encode(&rest)?)])?;
            store.sync()?;
            rows.push((marker.clone(), Some(Bytes::new())));
            rest.push(Write::Delete(Space::Meta, record));
            rest.push(Write::Delete(Space::Data, marker));
        }
        // Sorted already but for the marker.
        rows.sort_by(|a, b| a.0.cmp(&b.0));
        let file = store.prepare(Space::Data, &rows)?;
        let mut storages: Vec<StorageId> = rows
            .iter()
            .filter_map(|(key, _)| layout::split_data_key(key).map(|(storage, _)| storage))
            .collect();
        storages.dedup();
        Ok(LargeCommit { file, rest, storages })
    }

    /// Makes the commit part of the store: its rows are durable then, the rest with the next sync.
    pub(super) fn take_in(self, store: &dyn Store) -> Result<()> {
        let rest = self.take_in_rows(store)?;
        if rest.is_empty() {
            return Ok(());
        }
        store.write(&rest)
    }

    /// The rows alone; answers what is left to write.
    pub(super) fn take_in_rows(self, store: &dyn Store) -> Result<Vec<Write>> {
        // A file is durable at once; what was written before it must not be less so.
        store.sync()?;
        self.file.take_in()?;
        Ok(self.rest)
    }
}

/// Finishes the large commits that a crash has left half done, before anybody reads the store.
pub fn recover(store: &dyn Store) -> Result<()> {
    let snapshot = store.snapshot()?;
    let range = KeyRange {
        lower: Bound::Included(Bytes::from_static(REDO_PREFIX)),
        upper: layout::prefix_end(REDO_PREFIX).map_or(Bound::Unbounded, |end| Bound::Excluded(Bytes::from(end))),
    };
    let mut iter = Arc::clone(&snapshot).iter(Space::Meta, range, Direction::Forward)?;
    let mut writes = Vec::new();
    while let Some((key, stored)) = iter.next()? {
        let marker = layout::data_key(MARKERS, &key[REDO_PREFIX.len()..]);
        if snapshot.get(Space::Data, &marker)?.is_some() {
            writes.extend(decode(stored)?);
            writes.push(Write::Delete(Space::Data, marker));
        }
        writes.push(Write::Delete(Space::Meta, Bytes::copy_from_slice(key)));
    }
    if writes.is_empty() {
        return Ok(());
    }
    store.write(&writes)?;
    store.sync()
}

fn redo_key(name: &[u8]) -> Bytes {
    Bytes::from([REDO_PREFIX, name].concat())
}

fn encode(rest: &[Write]) -> Result<Bytes> {
    let changes = rest.iter().map(|write| match write {
        Write::Put(space, key, value) => Ok((*space as u8, key.to_vec(), Some(value.to_vec()))),
        Write::Delete(space, key) => Ok((*space as u8, key.to_vec(), None)),
        Write::DeleteRange(..) => Err(PgError::internal("a range in a large commit")),
    });
    let redo = Redo {
        changes: changes.collect::<Result<_>>()?,
    };
    postcard::to_stdvec(&redo)
        .map(Bytes::from)
        .map_err(|error| PgError::internal(format!("cannot encode a redo record: {error}")))
}

fn decode(stored: &[u8]) -> Result<Vec<Write>> {
    let damaged = || PgError::new(sqlstate::DATA_CORRUPTED, "a stored redo record is damaged");
    let redo: Redo = postcard::from_bytes(stored).map_err(|_| damaged())?;
    let write = |(space, key, value): (u8, Vec<u8>, Option<Vec<u8>>)| {
        let space = Space::ALL.into_iter().find(|one| *one as u8 == space).ok_or_else(damaged)?;
        Ok(match value {
            Some(value) => Write::Put(space, Bytes::from(key), Bytes::from(value)),
            None => Write::Delete(space, Bytes::from(key)),
        })
    };
    redo.changes.into_iter().map(write).collect()
}
