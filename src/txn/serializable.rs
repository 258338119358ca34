//! SERIALIZABLE by validation: at commit, nothing that the transaction read may have been written since its snapshot.
//!
//! A writing transaction then behaves as if it had run at its commit, a reading one as if at its snapshot. Keys and ranges
//! are remembered as far as they were read, so phantoms count.
//!
//! The check runs in the sequencer, where a commit's place in the order is decided: everything before it is known, nothing
//! comes in between. While any SERIALIZABLE transaction runs, the sequencer leaves the keys of all commits in a window, those
//! of other isolation levels too; while none runs, a commit pays nothing.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use rustc_hash::FxHashSet;

use super::transaction::Txn;
use crate::codec::layout;
use crate::error::{PgError, Result, sqlstate};
use crate::ids::{StorageId, Version};
use crate::storage::pipeline::{Pipeline, Published, Witness};
use crate::storage::{Direction, Space, Write};

/// Keys and ranges that one transaction remembers; past it, whole storages.
const REMEMBERED_MAX: usize = 50_000;

#[derive(Default)]
struct State {
    /// Running SERIALIZABLE transactions with the version of their snapshot; 0 before they have one.
    running: BTreeMap<u64, Version>,
    next: u64,
    /// Keys written, oldest version first.
    commits: VecDeque<(Version, Vec<Bytes>)>,
    /// The last version that left no keys. A snapshot older than that cannot be checked.
    untracked: Version,
}

/// Recent writes, as long as anybody has to be checked against them.
#[derive(Default)]
pub(super) struct Window {
    state: Mutex<State>,
}

fn written_key(write: &Write) -> Option<&Bytes> {
    match write {
        Write::Put(Space::Data, key, _) | Write::Delete(Space::Data, key) => Some(key),
        _ => None,
    }
}

impl Witness for Window {
    fn publishing(&self, writes: &[Write], version: Version) {
        let mut state = self.state.lock();
        if state.running.is_empty() {
            state.untracked = version;
            return;
        }
        let keys = writes.iter().filter_map(written_key).cloned().collect();
        state.commits.push_back((version, keys));
    }
}

impl Window {
    /// A SERIALIZABLE transaction takes its snapshot: from now on commits leave their keys.
    pub(super) fn enter(self: &Arc<Self>, pipeline: &Pipeline) -> (Mutex<ReadSet>, Arc<Published>) {
        let (number, untracked) = {
            let mut state = self.state.lock();
            let number = state.next;
            state.next += 1;
            state.running.insert(number, Version(0));
            (number, state.untracked)
        };
        // The last commit that left no keys is at most about to be published.
        let mut snapshot = pipeline.newest();
        while snapshot.version < untracked {
            std::thread::yield_now();
            snapshot = pipeline.newest();
        }
        self.state.lock().running.insert(number, snapshot.version);
        let reads = ReadSet {
            snapshot: snapshot.version,
            registration: Some(Arc::new(Registration {
                number,
                window: Arc::clone(self),
            })),
            keys: FxHashSet::default(),
            ranges: Vec::new(),
            storages: FxHashSet::default(),
        };
        (Mutex::new(reads), snapshot)
    }

    fn leave(&self, number: u64) {
        let mut state = self.state.lock();
        state.running.remove(&number);
        match state.running.values().min().copied() {
            None => {
                if let Some((last, _)) = state.commits.back() {
                    state.untracked = *last;
                }
                state.commits = VecDeque::new();
            }
            Some(oldest) => {
                let gone = state.commits.partition_point(|(version, _)| *version <= oldest);
                state.commits.drain(..gone);
            }
        }
    }

    /// Whether nothing that was read has been written since its snapshot, in the window or in `group`.
    pub(super) fn validate(&self, reads: &SealedReads, group: &[Write]) -> Result<()> {
        let state = self.state.lock();
        let since = state.commits.partition_point(|(version, _)| *version <= reads.snapshot);
        let mut later = state.commits.range(since..).flat_map(|(_, keys)| keys);
        if state.untracked > reads.snapshot
            || later.any(|key| reads.contain(key))
            || group.iter().filter_map(written_key).any(|key| reads.contain(key))
        {
            return Err(failure());
        }
        Ok(())
    }
}

/// A running transaction's place in the window: as long as it is held, nothing is forgotten that it has to be checked
/// against.
struct Registration {
    number: u64,
    window: Arc<Window>,
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.window.leave(self.number);
    }
}

/// What one transaction has read.
pub(super) struct ReadSet {
    snapshot: Version,
    registration: Option<Arc<Registration>>,
    keys: FxHashSet<Bytes>,
    /// `[from, to)`.
    ranges: Vec<(Bytes, Bytes)>,
    /// Storages of which too much was read to remember it one by one.
    storages: FxHashSet<StorageId>,
}

impl ReadSet {
    fn remembers_all_of(&self, key: &[u8]) -> bool {
        !self.storages.is_empty() && layout::split_data_key(key).is_some_and(|(storage, _)| self.storages.contains(&storage))
    }

    pub(super) fn key(&mut self, key: &Bytes) {
        if self.remembers_all_of(key) {
            return;
        }
        self.keys.insert(key.clone());
        if self.keys.len() > REMEMBERED_MAX {
            let storages = self.keys.drain().filter_map(|key| Some(layout::split_data_key(&key)?.0));
            self.storages.extend(storages);
        }
    }

    fn range(&mut self, from: Bytes, to: Bytes) -> Option<usize> {
        if self.remembers_all_of(&from) {
            return None;
        }
        if self.ranges.len() >= REMEMBERED_MAX {
            if let Some((storage, _)) = layout::split_data_key(&from) {
                self.storages.insert(storage);
            }
            return None;
        }
        self.ranges.push((from, to));
        Some(self.ranges.len() - 1)
    }

    /// The transaction is over; what was sealed keeps its own hold of the window.
    pub(super) fn end(&mut self) {
        self.registration = None;
        self.keys = FxHashSet::default();
        self.ranges = Vec::new();
    }

    /// Ready for the check: sorted, without overlaps.
    pub(super) fn seal(&mut self) -> SealedReads {
        let mut ranges = std::mem::take(&mut self.ranges);
        ranges.extend(self.storages.drain().map(layout::storage_bounds));
        ranges.retain(|(from, to)| from < to);
        ranges.sort_unstable();
        let mut merged: Vec<(Bytes, Bytes)> = Vec::with_capacity(ranges.len());
        for (from, to) in ranges {
            match merged.last_mut() {
                Some(last) if from <= last.1 => last.1 = std::mem::take(&mut last.1).max(to),
                _ => merged.push((from, to)),
            }
        }
        SealedReads {
            snapshot: self.snapshot,
            _registration: self.registration.clone(),
            keys: std::mem::take(&mut self.keys),
            ranges: merged,
        }
    }
}

/// Reads of a transaction that is about to commit.
pub(super) struct SealedReads {
    snapshot: Version,
    _registration: Option<Arc<Registration>>,
    keys: FxHashSet<Bytes>,
    ranges: Vec<(Bytes, Bytes)>,
}

impl SealedReads {
    fn contain(&self, key: &Bytes) -> bool {
        if self.keys.contains(key) {
            return true;
        }
        let after = self.ranges.partition_point(|(from, _)| from <= key);
        after > 0 && *key < self.ranges[after - 1].1
    }
}

/// The first possible key after this one.
fn successor(key: &[u8]) -> Bytes {
    let mut next = Vec::with_capacity(key.len() + 1);
    next.extend_from_slice(key);
    next.push(0);
    Bytes::from(next)
}

fn failure() -> PgError {
    PgError::new(
        sqlstate::SERIALIZATION_FAILURE,
        "could not serialize access due to read/write dependencies among transactions",
    )
    .detail("Reason code: Canceled on identification as a pivot, during commit attempt.")
    .hint("The transaction might succeed if retried.")
}

/// The range that a scan has read so far, for SERIALIZABLE.
pub(super) struct ReadRange {
    place: usize,
    from: Bytes,
    to: Bytes,
    direction: Direction,
}

impl Txn {
    pub(super) fn note_key(&self, key: &Bytes) {
        if let Some(reads) = self.reads() {
            reads.lock().key(key);
        }
    }

    /// A scan begins: nothing is read yet.
    pub(super) fn note_scan(&self, lower: &Bound<Bytes>, upper: &Bound<Bytes>, direction: Direction) -> Option<ReadRange> {
        let reads = self.reads()?;
        let from = match lower {
            Bound::Included(key) => key.clone(),
            Bound::Excluded(key) => successor(key),
            Bound::Unbounded => Bytes::new(),
        };
        let to = match upper {
            Bound::Included(key) => successor(key),
            Bound::Excluded(key) => key.clone(),
            Bound::Unbounded => Bytes::from_static(&[0xff; 32]),
        };
        let at = match direction {
            Direction::Forward => &from,
            Direction::Backward => &to,
        };
        let place = reads.lock().range(at.clone(), at.clone())?;
        Some(ReadRange {
            place,
            from,
            to,
            direction,
        })
    }

    /// The scan has read up to `last` (of the scan's direction), or to its end.
    pub(super) fn note_progress(&self, range: &ReadRange, last: Option<&Bytes>) {
        let Some(reads) = self.reads() else { return };
        let mut reads = reads.lock();
        let Some(noted) = reads.ranges.get_mut(range.place) else {
            return;
        };
        *noted = match (last, range.direction) {
            (None, _) => (range.from.clone(), range.to.clone()),
            (Some(last), Direction::Forward) => (range.from.clone(), successor(last)),
            (Some(last), Direction::Backward) => (last.clone(), range.to.clone()),
        };
    }
}
