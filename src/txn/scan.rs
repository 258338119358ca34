//! Scans: the store's snapshot and the transaction's own writes, merged in key order.
//!
//! A scan keeps no hold of the buffer between batches: it goes on by key, so that its own statement's writes in between
//! do not disturb it (they are of the same command, and not seen anyway).
//!
//! The store's side learns and jumps dead ranges ([`crate::storage::dead_ranges`]): a step that took long has stepped over
//! deleted keys, and the next scans need not.

use std::cmp::Ordering;
use std::ops::Bound;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};

use super::serializable::ReadRange;
use super::snapshot::View;
use super::transaction::Txn;
use crate::codec::layout::{self, PREFIX_BYTES};
use crate::error::Result;
use crate::ids::{StorageId, Version};
use crate::storage::{Direction, KeyRange, Space, StoreIter};

/// A step that takes longer has stepped over deleted keys (or waited for the disk): worth remembering.
const SLOW_STEP: Duration = Duration::from_micros(60);
/// Steps of a scan that are timed: a queue's claim makes few, and a long scan shall not look at the clock for each row.
const TIMED_STEPS: u32 = 64;

/// Bounds of a scan inside one storage.
#[derive(Clone, Debug)]
pub struct ScanRange {
    pub lower: Bound<Vec<u8>>,
    pub upper: Bound<Vec<u8>>,
}

impl ScanRange {
    pub fn all() -> Self {
        ScanRange {
            lower: Bound::Unbounded,
            upper: Bound::Unbounded,
        }
    }

    /// Every key that begins with `prefix`.
    pub fn prefix(prefix: &[u8]) -> Self {
        ScanRange {
            lower: Bound::Included(prefix.to_vec()),
            upper: layout::prefix_end(prefix).map_or(Bound::Unbounded, Bound::Excluded),
        }
    }

    /// The range as keys of `Space::Data`.
    fn with_storage(&self, storage: StorageId) -> (Bound<Bytes>, Bound<Bytes>) {
        let (first, end) = layout::storage_bounds(storage);
        let full = |bound: &Bound<Vec<u8>>, unbounded: Bound<Bytes>| match bound {
            Bound::Included(key) => Bound::Included(layout::data_key(storage, key)),
            Bound::Excluded(key) => Bound::Excluded(layout::data_key(storage, key)),
            Bound::Unbounded => unbounded,
        };
        (
            full(&self.lower, Bound::Included(first)),
            full(&self.upper, Bound::Excluded(end)),
        )
    }
}

/// A running scan.
pub struct Scan {
    view: View,
    storage: StorageId,
    direction: Direction,
    /// What is left, for the buffer's side; its near end moves with the scan.
    lower: Bound<Bytes>,
    upper: Bound<Bytes>,
    store: StoreSide,
    /// A pair of the store that was read and not given yet.
    pending: Option<(Bytes, Bytes)>,
    /// What SERIALIZABLE remembers of it.
    read: Option<ReadRange>,
}

/// The store's side of a scan.
struct StoreSide {
    /// `None` at its end.
    iter: Option<Box<dyn StoreIter>>,
    storage: StorageId,
    version: Version,
    /// Stretches known to hold nothing, in order; those before `next_dead` are behind.
    dead: Vec<(Bytes, Bytes)>,
    next_dead: usize,
    /// The end of the range, or its start before the first step, or the last key: as far as it is needed to learn or jump.
    at: Vec<u8>,
    /// `at` itself is still to be read.
    at_start: bool,
    upper: Option<Bytes>,
    timed_steps: u32,
}

impl Txn {
    /// Starts a scan of one storage.
    pub fn scan(&self, view: &View, storage: StorageId, range: ScanRange, direction: Direction) -> Result<Scan> {
        let (lower, upper) = range.with_storage(storage);
        let learns = direction == Direction::Forward && !self.is_own_storage(storage);
        let version = view.snapshot.version;
        let dead = match (learns, &lower, &upper) {
            (true, Bound::Included(from) | Bound::Excluded(from), Bound::Included(to) | Bound::Excluded(to)) => {
                self.engine().dead_ranges.between(storage, from, to, version)
            }
            _ => Vec::new(),
        };
        let (at, at_start) = match &lower {
            Bound::Included(from) => (from.to_vec(), true),
            Bound::Excluded(from) => (from.to_vec(), false),
            Bound::Unbounded => (Vec::new(), true),
        };
        let range = KeyRange {
            lower: lower.clone(),
            upper: upper.clone(),
        };
        let iter = self.snapshot_for(view, storage).iter(Space::Data, range, direction)?;
        Ok(Scan {
            view: view.clone(),
            storage,
            direction,
            read: self.note_scan(&lower, &upper, direction),
            store: StoreSide {
                iter: Some(iter),
                storage,
                version,
                dead,
                next_dead: 0,
                at,
                at_start,
                upper: match &upper {
                    Bound::Included(end) | Bound::Excluded(end) => Some(end.clone()),
                    Bound::Unbounded => None,
                },
                timed_steps: if learns { TIMED_STEPS } else { 0 },
            },
            lower,
            upper,
            pending: None,
        })
    }
}

impl StoreSide {
    fn next(&mut self, txn: &Txn) -> Result<Option<(&[u8], &[u8])>> {
        let Some(iter) = self.iter.as_mut() else { return Ok(None) };
        if self.timed_steps == 0 && self.next_dead >= self.dead.len() {
            return iter.next();
        }
        // Over what is known to be dead.
        while let Some((from, to)) = self.dead.get(self.next_dead) {
            if to.as_ref() <= self.at.as_slice() {
                self.next_dead += 1;
                continue;
            }
            if !reaches(from, &self.at, self.at_start) {
                break;
            }
            iter.seek(to)?;
            self.at.clear();
            self.at.extend_from_slice(to);
            self.at_start = true;
            self.next_dead += 1;
        }
        let began = (self.timed_steps > 0).then(Instant::now);
        self.timed_steps = self.timed_steps.saturating_sub(1);
        let found = iter.next()?;
        if began.is_some_and(|began| began.elapsed() > SLOW_STEP) {
            let from = if self.at_start {
                Bytes::copy_from_slice(&self.at)
            } else {
                successor(&self.at)
            };
            let to = found
                .map(|(key, _)| Bytes::copy_from_slice(key))
                .or_else(|| self.upper.clone());
            if let Some(to) = to {
                let newest = txn.engine().pipeline.newest_version();
                txn.engine().dead_ranges.learn(self.storage, &from, &to, self.version, newest);
            }
        }
        if let Some((key, _)) = found {
            self.at.clear();
            self.at.extend_from_slice(key);
            self.at_start = false;
        }
        Ok(found)
    }
}

/// Whether a dead range that begins at `from` begins at or before the next key: `at` itself, or the first one after it.
fn reaches(from: &[u8], at: &[u8], at_start: bool) -> bool {
    from <= at || !at_start && from.split_last().is_some_and(|(last, rest)| *last == 0 && rest == at)
}

fn successor(key: &[u8]) -> Bytes {
    let mut next = Vec::with_capacity(key.len() + 1);
    next.extend_from_slice(key);
    next.push(0);
    Bytes::from(next)
}

/// Keys and values of one batch, side by side in one allocation.
#[derive(Default)]
struct Arena {
    bytes: BytesMut,
    ends: Vec<(usize, usize)>,
}

impl Arena {
    fn push(&mut self, key: &[u8], value: &[u8]) {
        self.bytes.extend_from_slice(key);
        let middle = self.bytes.len();
        self.bytes.extend_from_slice(value);
        self.ends.push((middle, self.bytes.len()));
    }

    fn give(self, out: &mut Vec<(Bytes, Bytes)>) {
        let bytes = self.bytes.freeze();
        let mut start = 0;
        for (middle, end) in self.ends {
            out.push((bytes.slice(start..middle), bytes.slice(middle..end)));
            start = end;
        }
    }
}

impl Scan {
    /// Appends up to `max` pairs to `out`, keys without the storage's prefix. Answers whether more may follow.
    pub fn next_batch(&mut self, txn: &Txn, max: usize, out: &mut Vec<(Bytes, Bytes)>) -> Result<bool> {
        let from = out.len();
        let more = if txn.has_own_writes() && self.has_own(txn) {
            self.merged_batch(txn, max, out)?
        } else {
            self.store_batch(txn, max, out)?
        };
        if let Some((key, _)) = out[from..].last() {
            let key = layout::data_key(self.storage, key);
            if let Some(read) = &self.read {
                txn.note_progress(read, Some(&key).filter(|_| more));
            }
            match self.direction {
                Direction::Forward => self.lower = Bound::Excluded(key),
                Direction::Backward => self.upper = Bound::Excluded(key),
            }
        } else if let Some(read) = &self.read
            && !more
        {
            txn.note_progress(read, None);
        }
        Ok(more)
    }

    /// Whether the transaction has writes of its own in what is left.
    fn has_own(&self, txn: &Txn) -> bool {
        let buffer = txn.buffer();
        let mut own = buffer.range(Space::Data, &self.lower, &self.upper, self.direction, self.view.command);
        own.next().is_some()
    }

    fn merged_batch(&mut self, txn: &Txn, max: usize, out: &mut Vec<(Bytes, Bytes)>) -> Result<bool> {
        let buffer = txn.buffer();
        let mut own = buffer
            .range(Space::Data, &self.lower, &self.upper, self.direction, self.view.command)
            .peekable();
        let mut given = 0;
        while given < max {
            if self.pending.is_none() {
                let pair = self.store.next(txn)?;
                self.pending = pair.map(|(key, value)| (Bytes::copy_from_slice(key), Bytes::copy_from_slice(value)));
                if self.pending.is_none() {
                    self.store.iter = None;
                }
            }
            let order = match (own.peek(), &self.pending) {
                (None, None) => return Ok(false),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some((own_key, _)), Some((key, _))) => match self.direction {
                    Direction::Forward => (*own_key).cmp(key),
                    Direction::Backward => key.cmp(own_key),
                },
            };
            if order == Ordering::Greater {
                let (key, value) = self.pending.take().expect("compared above");
                out.push((key.slice(PREFIX_BYTES..), value));
                given += 1;
                continue;
            }
            if order == Ordering::Equal {
                self.pending = None;
            }
            let (key, value) = own.next().expect("peeked above");
            if let Some(value) = value {
                out.push((key.slice(PREFIX_BYTES..), value.clone()));
                given += 1;
            }
        }
        Ok(true)
    }

    /// A batch where the transaction has no writes of its own in what is left.
    fn store_batch(&mut self, txn: &Txn, max: usize, out: &mut Vec<(Bytes, Bytes)>) -> Result<bool> {
        let mut arena = Arena::default();
        let mut given = 0;
        if max > 0
            && let Some((key, value)) = self.pending.take()
        {
            arena.push(&key[PREFIX_BYTES..], &value);
            given = 1;
        }
        let mut more = true;
        while given < max && more {
            match self.store.next(txn)? {
                Some((key, value)) => {
                    arena.push(&key[PREFIX_BYTES..], value);
                    given += 1;
                }
                None => more = false,
            }
        }
        if !more {
            self.store.iter = None;
        }
        arena.give(out);
        Ok(more)
    }
}
