//! Ordered key-value storage with snapshots, and the pipeline that makes commits durable.
//!
//! [`Store`] has two implementations: RocksDB ([`rocks`]) and memory ([`memory`]); a third wraps one and loses unsynced
//! bytes at a planned crash (tests). Keys live in [`Space`]s (column families). No version chain of ours: a
//! [`StoreSnapshot`] sees the store as it was.
//!
//! [`pipeline::Pipeline`] owns two threads: the sequencer merges waiting commits, writes them without sync and
//! publishes a snapshot; the syncer syncs the log. See its module doc.

pub mod dead_ranges;
pub mod graveyard;
pub mod large;
pub mod lossy;
pub mod memory;
pub mod pipeline;
pub mod rocks;

use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;

use crate::error::Result;

/// A key space: a column family in RocksDB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// Rows and index entries: storage id (big endian), then the key.
    Data,
    /// Catalog objects.
    Catalog,
    /// Format version, counters, sequences, statistics, graveyard, prepared transactions.
    Meta,
    /// Ownership of records, its history, verdicts.
    Ownership,
    /// The replicated log and its hard state.
    Log,
}

impl Space {
    pub const ALL: [Space; 5] = [Space::Data, Space::Catalog, Space::Meta, Space::Ownership, Space::Log];
}

/// One change of a batch.
#[derive(Clone, Debug)]
pub enum Write {
    Put(Space, Bytes, Bytes),
    Delete(Space, Bytes),
    /// Every key in `[from, to)`.
    DeleteRange(Space, Bytes, Bytes),
}

/// Key bounds of a scan inside one space.
#[derive(Clone, Debug)]
pub struct KeyRange {
    pub lower: Bound<Bytes>,
    pub upper: Bound<Bytes>,
}

/// Direction of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Forward,
    Backward,
}

/// An ordered store. All errors are fatal to the process unless said otherwise: it never goes on over an unknown disk.
pub trait Store: Send + Sync {
    /// The store as it is now.
    fn snapshot(&self) -> Result<Arc<dyn StoreSnapshot>>;
    /// Applies all writes or none; visible to later snapshots; durable only after [`Store::sync`].
    fn write(&self, writes: &[Write]) -> Result<()>;
    /// Returns once every earlier write survives a power cut.
    fn sync(&self) -> Result<()>;
    /// A writer of a sorted file for bulk loads into `space`; see [`BulkWriter`].
    fn bulk_writer(&self, space: Space) -> Result<Box<dyn BulkWriter>>;
    /// Writes changes of one space, their keys strictly growing, to a file that can be taken in as one step. No value deletes.
    fn prepare(&self, space: Space, changes: &[(Bytes, Option<Bytes>)]) -> Result<Box<dyn PreparedWrites>>;
    /// Removes whole files and then the rest of `[from, to)`: the graveyard's work.
    fn drop_range(&self, space: Space, from: &[u8], to: &[u8]) -> Result<()>;
    /// Compacts a space (VACUUM).
    fn compact(&self, space: Space, range: KeyRange) -> Result<()>;
    /// Rough bytes on disk in a range (planner, `pg_relation_size`).
    fn approximate_size(&self, space: Space, from: &[u8], to: &[u8]) -> Result<u64>;
}

/// The store at one moment. Dropping it lets old versions go.
pub trait StoreSnapshot: Send + Sync {
    fn get(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>>;
    fn multi_get(&self, space: Space, keys: &[Bytes]) -> Result<Vec<Option<Bytes>>>;
    /// An iterator that keeps its own hold of the snapshot.
    fn iter(self: Arc<Self>, space: Space, range: KeyRange, direction: Direction) -> Result<Box<dyn StoreIter>>;
}

/// A cursor over keys in order.
pub trait StoreIter: Send {
    /// The next pair, or `None` at the end of the range.
    fn next(&mut self) -> Result<Option<(&[u8], &[u8])>>;
    /// Goes to the first key at or after `key` (at or before, backward), without leaving the range.
    fn seek(&mut self, key: &[u8]) -> Result<()>;
    /// Deleted keys and old versions stepped over since the last call; for the dead-range memory. 0 where unknown.
    fn take_skipped(&mut self) -> u64;
}

/// Changes in a file beside the store. Dropped, they never were.
pub trait PreparedWrites: Send {
    /// Makes all of them part of the store at once, durably. What was written before must be durable already.
    fn take_in(self: Box<Self>) -> Result<()>;
}

/// Writes sorted files of new keys; nothing is visible until [`BulkWriter::finish`] ingested them.
pub trait BulkWriter: Send {
    /// Keys must grow strictly.
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()>;
    /// Makes the files part of the store, durably (files and manifest are synced). Visible to snapshots taken later.
    fn finish(self: Box<Self>) -> Result<()>;
}

#[cfg(test)]
mod tests;
