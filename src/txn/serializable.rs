//! SERIALIZABLE by validation: at commit, nothing that the transaction read may have been written since its snapshot.
//!
//! A writing transaction then behaves as if it had run at its commit, a reading one as if at its snapshot. Keys and whole
//! ranges are remembered, so phantoms count. While any SERIALIZABLE transaction runs, every commit leaves its keys in a
//! window; validation and the commit's place in the order are one step under the window's lock.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use parking_lot::Mutex;

use super::transaction::Txn;
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Version;
use crate::storage::{Space, Write};

/// Ranges of one transaction beyond which neighbours are counted as one.
const RANGES_MAX: usize = 4096;

/// What one transaction has read.
pub(super) struct ReadSet {
    number: u64,
    window: Arc<Window>,
    keys: HashSet<Bytes>,
    ranges: Vec<(Bound<Bytes>, Bound<Bytes>)>,
}

impl Drop for ReadSet {
    fn drop(&mut self) {
        self.window.leave(self.number);
    }
}

/// Keys that a commit wrote, and the version that shows them (0 until it is sequenced).
struct Written {
    keys: Vec<Bytes>,
    version: Arc<AtomicU64>,
}

struct State {
    /// Running SERIALIZABLE transactions, with a version at or before their snapshot.
    running: HashMap<u64, Version>,
    next: u64,
    commits: VecDeque<Written>,
    /// The version of the last commit that left no keys (0 until it is sequenced). A snapshot older than that cannot be
    /// checked.
    untracked: Arc<AtomicU64>,
}

impl Default for State {
    fn default() -> Self {
        let untracked = Arc::new(AtomicU64::new(1));
        State {
            running: HashMap::new(),
            next: 0,
            commits: VecDeque::new(),
            untracked,
        }
    }
}

/// Recent writes, as long as anybody has to be checked against them.
#[derive(Default)]
pub(super) struct Window {
    state: Mutex<State>,
}

/// The window, shared by all transactions.
#[derive(Default)]
pub(super) struct Serializable {
    window: Arc<Window>,
}

impl Window {
    fn leave(&self, number: u64) {
        let mut state = self.state.lock();
        state.running.remove(&number);
        let oldest = state.running.values().min().copied();
        match oldest {
            None => state.commits.clear(),
            Some(oldest) => {
                while state.commits.front().is_some_and(|one| {
                    let version = one.version.load(Ordering::Acquire);
                    version != 0 && version <= oldest.0
                }) {
                    state.commits.pop_front();
                }
            }
        }
    }
}

impl Serializable {
    /// A SERIALIZABLE transaction begins: from now on commits leave their keys.
    pub(super) fn enter(&self) -> Mutex<ReadSet> {
        let mut state = self.window.state.lock();
        let number = state.next;
        state.next += 1;
        // Nothing is known yet of its snapshot: keep every commit from here on.
        state.running.insert(number, Version(0));
        Mutex::new(ReadSet {
            number,
            window: Arc::clone(&self.window),
            keys: HashSet::new(),
            ranges: Vec::new(),
        })
    }

    /// Gives a commit its place: `submit` is called under the window's lock, after the check of what `reads` names.
    pub(super) fn commit<T>(
        &self,
        reads: Option<&Mutex<ReadSet>>,
        snapshot: Option<Version>,
        writes: Vec<Write>,
        submit: impl FnOnce(Vec<Write>, Arc<AtomicU64>) -> T,
    ) -> Result<T> {
        let mut state = self.window.state.lock();
        let version = Arc::new(AtomicU64::new(0));
        if state.running.is_empty() {
            state.untracked = Arc::clone(&version);
            return Ok(submit(writes, version));
        }
        if let (Some(reads), Some(snapshot)) = (reads, snapshot) {
            let reads = reads.lock();
            let untracked = state.untracked.load(Ordering::Acquire);
            if untracked == 0 || untracked > snapshot.0 || state.commits.iter().any(|one| one.conflicts(&reads, snapshot)) {
                return Err(failure());
            }
        }
        let keys = writes
            .iter()
            .filter_map(|write| match write {
                Write::Put(Space::Data, key, _) | Write::Delete(Space::Data, key) => Some(key.clone()),
                _ => None,
            })
            .collect();
        state.commits.push_back(Written {
            keys,
            version: Arc::clone(&version),
        });
        Ok(submit(writes, version))
    }
}

impl Written {
    fn conflicts(&self, reads: &ReadSet, snapshot: Version) -> bool {
        let version = self.version.load(Ordering::Acquire);
        if version != 0 && version <= snapshot.0 {
            return false;
        }
        self.keys
            .iter()
            .any(|key| reads.keys.contains(key) || reads.ranges.iter().any(|range| contains(range, key)))
    }
}

fn contains((lower, upper): &(Bound<Bytes>, Bound<Bytes>), key: &Bytes) -> bool {
    let above = match lower {
        Bound::Included(from) => key >= from,
        Bound::Excluded(from) => key > from,
        Bound::Unbounded => true,
    };
    let below = match upper {
        Bound::Included(to) => key <= to,
        Bound::Excluded(to) => key < to,
        Bound::Unbounded => true,
    };
    above && below
}

fn failure() -> PgError {
    PgError::new(
        sqlstate::SERIALIZATION_FAILURE,
        "could not serialize access due to read/write dependencies among transactions",
    )
    .detail("Reason code: Canceled on identification as a pivot, during commit attempt.")
    .hint("The transaction might succeed if retried.")
}

impl Txn {
    pub(super) fn note_key(&self, key: &Bytes) {
        if let Some(reads) = self.reads.get() {
            reads.lock().keys.insert(key.clone());
        }
    }

    pub(super) fn note_range(&self, lower: &Bound<Bytes>, upper: &Bound<Bytes>) {
        let Some(reads) = self.reads.get() else { return };
        let mut reads = reads.lock();
        let range = (lower.clone(), upper.clone());
        if reads.ranges.contains(&range) {
            return;
        }
        if reads.ranges.len() >= RANGES_MAX {
            // Rather a conflict too many than one too few: everything from here on is one range.
            reads.ranges.clear();
            reads.ranges.push((Bound::Unbounded, Bound::Unbounded));
            return;
        }
        reads.ranges.push(range);
    }
}
