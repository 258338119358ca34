//! Scans: the store's snapshot and the transaction's own writes, merged in key order.
//!
//! A scan keeps no hold of the buffer between batches: it goes on by key, so that its own statement's writes in between
//! do not disturb it (they are of the same command, and not seen anyway).

use std::cmp::Ordering;
use std::ops::Bound;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};

use super::snapshot::View;
use super::transaction::Txn;
use crate::codec::layout::{self, PREFIX_BYTES};
use crate::error::Result;
use crate::ids::StorageId;
use crate::storage::{Direction, KeyRange, Space, StoreIter};

/// A first step that takes longer has stepped over deleted keys (or waited for the disk): worth remembering.
const SLOW_FIRST_STEP: Duration = Duration::from_micros(60);

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
    iter: Option<Box<dyn StoreIter>>,
    /// A pair of the store that was read and not given yet.
    pending: Option<(Bytes, Bytes)>,
    started: bool,
}

impl Txn {
    /// Starts a scan of one storage.
    pub fn scan(&self, view: &View, storage: StorageId, range: ScanRange, direction: Direction) -> Result<Scan> {
        let (mut lower, upper) = range.with_storage(storage);
        self.note_range(&lower, &upper);
        let dead = &self.engine().dead_ranges;
        if direction == Direction::Forward
            && !self.is_own_storage(storage)
            && let Bound::Included(from) | Bound::Excluded(from) = &lower
            && let Some(further) = dead.jump(storage, from, view.snapshot.version)
        {
            // Own writes are not part of what was found dead.
            if !self.has_own_writes() {
                lower = Bound::Included(further);
            }
        }
        let snapshot = self.snapshot_for(view, storage);
        let iter = snapshot.iter(
            Space::Data,
            KeyRange {
                lower: lower.clone(),
                upper: upper.clone(),
            },
            direction,
        )?;
        Ok(Scan {
            view: view.clone(),
            storage,
            direction,
            lower,
            upper,
            iter: Some(iter),
            pending: None,
            started: false,
        })
    }
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
        let buffer = txn.buffer();
        let has_own = !buffer.is_empty()
            && buffer
                .range(Space::Data, &self.lower, &self.upper, self.direction, self.view.command)
                .next()
                .is_some();
        if !has_own {
            drop(buffer);
            return self.store_batch(txn, max, out);
        }
        let mut own = buffer
            .range(Space::Data, &self.lower, &self.upper, self.direction, self.view.command)
            .peekable();
        let mut given = 0;
        let mut last = None;
        while given < max {
            if self.pending.is_none() {
                self.pending = next_pair(&mut self.iter)?;
            }
            let order = match (own.peek(), &self.pending) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some((own_key, _)), Some((key, _))) => match self.direction {
                    Direction::Forward => (*own_key).cmp(key),
                    Direction::Backward => key.cmp(own_key),
                },
            };
            if order == Ordering::Greater {
                let (key, value) = self.pending.take().expect("compared above");
                last = Some(key.clone());
                out.push((key.slice(PREFIX_BYTES..), value));
                given += 1;
                continue;
            }
            if order == Ordering::Equal {
                self.pending = None;
            }
            let (key, value) = own.next().expect("peeked above");
            last = Some(key.clone());
            if let Some(value) = value {
                out.push((key.slice(PREFIX_BYTES..), value.clone()));
                given += 1;
            }
        }
        drop(own);
        drop(buffer);
        if let Some(key) = last {
            self.move_to(key);
        }
        Ok(given == max)
    }

    /// A batch where the transaction has no writes of its own in what is left.
    fn store_batch(&mut self, txn: &Txn, max: usize, out: &mut Vec<(Bytes, Bytes)>) -> Result<bool> {
        let mut arena = Arena::default();
        let mut given = 0;
        if let Some((key, value)) = self.pending.take() {
            arena.push(&key[PREFIX_BYTES..], &value);
            given = 1;
        }
        let mut ended = self.iter.is_none();
        if let Some(iter) = &mut self.iter {
            if !self.started {
                self.started = true;
                let began = Instant::now();
                let first = iter
                    .next()?
                    .map(|(key, value)| (Bytes::copy_from_slice(key), Bytes::copy_from_slice(value)));
                if began.elapsed() > SLOW_FIRST_STEP && self.direction == Direction::Forward {
                    self.remember_dead(txn, first.as_ref().map(|(key, _)| key));
                }
                match first {
                    Some(pair) if given < max => {
                        arena.push(&pair.0[PREFIX_BYTES..], &pair.1);
                        self.lower = Bound::Excluded(pair.0);
                        given += 1;
                    }
                    Some(pair) => self.pending = Some(pair),
                    None => ended = true,
                }
            }
            let iter = self.iter.as_mut().expect("there above");
            while given < max && !ended {
                match iter.next()? {
                    Some((key, value)) => {
                        arena.push(&key[PREFIX_BYTES..], value);
                        given += 1;
                    }
                    None => ended = true,
                }
            }
        }
        if ended {
            self.iter = None;
        }
        let from = out.len();
        arena.give(out);
        if let Some((key, _)) = out[from..].last() {
            let key = layout::data_key(self.storage, key);
            self.move_to(key);
        }
        Ok(!ended || self.pending.is_some())
    }

    fn move_to(&mut self, key: Bytes) {
        match self.direction {
            Direction::Forward => self.lower = Bound::Excluded(key),
            Direction::Backward => self.upper = Bound::Excluded(key),
        }
    }

    /// The stretch from the scan's start to its first key holds nothing: tell others.
    fn remember_dead(&self, txn: &Txn, first: Option<&Bytes>) {
        if txn.is_own_storage(self.storage) {
            return;
        }
        let (Bound::Included(from) | Bound::Excluded(from)) = &self.lower else {
            return;
        };
        let to = match (first, &self.upper) {
            (Some(key), _) => key.clone(),
            (None, Bound::Excluded(end) | Bound::Included(end)) => end.clone(),
            (None, Bound::Unbounded) => return,
        };
        let newest = txn.engine().pipeline.newest_version();
        txn.engine()
            .dead_ranges
            .learn(self.storage, from, &to, self.view.snapshot.version, newest);
    }
}

fn next_pair(iter: &mut Option<Box<dyn StoreIter>>) -> Result<Option<(Bytes, Bytes)>> {
    let Some(open) = iter else { return Ok(None) };
    let pair = open
        .next()?
        .map(|(key, value)| (Bytes::copy_from_slice(key), Bytes::copy_from_slice(value)));
    if pair.is_none() {
        *iter = None;
    }
    Ok(pair)
}
