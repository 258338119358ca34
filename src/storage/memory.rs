//! The store in memory: for tests, and for servers that are to forget.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::RwLock;

use super::{BulkWriter, Direction, KeyRange, PreparedWrites, Space, Store, StoreIter, StoreSnapshot, Write};
use crate::error::Result;

type Key = (Space, Bytes);
/// Values of one key by the sequence number that wrote them, oldest first; `None` is deleted.
type Versions = Vec<(u64, Option<Bytes>)>;

#[derive(Default)]
struct State {
    sequence: u64,
    entries: BTreeMap<Key, Versions>,
    /// Live snapshots by sequence number.
    snapshots: BTreeMap<u64, usize>,
}

/// A store that lives as long as the process.
#[derive(Clone, Default)]
pub struct MemoryStore {
    state: Arc<RwLock<State>>,
}

impl MemoryStore {
    pub fn new() -> Self {
        Self::default()
    }
}

impl State {
    fn set(&mut self, key: Key, value: Option<Bytes>) {
        let oldest = self.snapshots.keys().next().copied().unwrap_or(self.sequence);
        let sequence = self.sequence;
        let versions = self.entries.entry(key).or_default();
        // Versions that no snapshot can see any more: all before the newest one at or below the oldest snapshot.
        if let Some(needed) = versions.iter().rposition(|(at, _)| *at <= oldest) {
            versions.drain(..needed);
        }
        versions.push((sequence, value));
    }
}

fn visible(versions: &Versions, sequence: u64) -> Option<&Bytes> {
    versions
        .iter()
        .rev()
        .find(|(at, _)| *at <= sequence)
        .and_then(|(_, value)| value.as_ref())
}

impl Store for MemoryStore {
    fn snapshot(&self) -> Result<Arc<dyn StoreSnapshot>> {
        let mut state = self.state.write();
        let sequence = state.sequence;
        *state.snapshots.entry(sequence).or_default() += 1;
        Ok(Arc::new(MemorySnapshot {
            state: Arc::clone(&self.state),
            sequence,
        }))
    }

    fn write(&self, writes: &[Write]) -> Result<()> {
        let mut state = self.state.write();
        state.sequence += 1;
        for write in writes {
            match write {
                Write::Put(space, key, value) => state.set((*space, key.clone()), Some(value.clone())),
                Write::Delete(space, key) => state.set((*space, key.clone()), None),
                Write::DeleteRange(space, from, to) => {
                    let keys: Vec<Key> = state
                        .entries
                        .range((*space, from.clone())..(*space, to.clone()))
                        .map(|(key, _)| key.clone())
                        .collect();
                    for key in keys {
                        state.set(key, None);
                    }
                }
            }
        }
        Ok(())
    }

    fn sync(&self) -> Result<()> {
        Ok(())
    }

    fn bulk_writer(&self, space: Space) -> Result<Box<dyn BulkWriter>> {
        Ok(Box::new(MemoryBulk {
            store: self.clone(),
            space,
            writes: Vec::new(),
        }))
    }

    fn prepare(&self, space: Space, changes: &[(Bytes, Option<Bytes>)]) -> Result<Box<dyn PreparedWrites>> {
        let write = |(key, value): &(Bytes, Option<Bytes>)| match value {
            Some(value) => Write::Put(space, key.clone(), value.clone()),
            None => Write::Delete(space, key.clone()),
        };
        Ok(Box::new(MemoryPrepared {
            store: self.clone(),
            writes: changes.iter().map(write).collect(),
        }))
    }

    fn drop_range(&self, space: Space, from: &[u8], to: &[u8]) -> Result<()> {
        self.write(&[Write::DeleteRange(
            space,
            Bytes::copy_from_slice(from),
            Bytes::copy_from_slice(to),
        )])
    }

    fn compact(&self, _space: Space, _range: KeyRange) -> Result<()> {
        Ok(())
    }

    fn approximate_size(&self, space: Space, from: &[u8], to: &[u8]) -> Result<u64> {
        let state = self.state.read();
        let range = (space, Bytes::copy_from_slice(from))..(space, Bytes::copy_from_slice(to));
        Ok(state
            .entries
            .range(range)
            .map(|((_, key), versions)| key.len() + versions.last().and_then(|(_, value)| value.as_ref()).map_or(0, Bytes::len))
            .sum::<usize>() as u64)
    }
}

struct MemorySnapshot {
    state: Arc<RwLock<State>>,
    sequence: u64,
}

impl Drop for MemorySnapshot {
    fn drop(&mut self) {
        let mut state = self.state.write();
        if let Some(count) = state.snapshots.get_mut(&self.sequence) {
            *count -= 1;
            if *count == 0 {
                state.snapshots.remove(&self.sequence);
            }
        }
    }
}

impl StoreSnapshot for MemorySnapshot {
    fn get(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>> {
        let state = self.state.read();
        let found = state.entries.get(&(space, Bytes::copy_from_slice(key)));
        Ok(found.and_then(|versions| visible(versions, self.sequence)).cloned())
    }

    fn multi_get(&self, space: Space, keys: &[Bytes]) -> Result<Vec<Option<Bytes>>> {
        keys.iter().map(|key| self.get(space, key)).collect()
    }

    fn iter(self: Arc<Self>, space: Space, range: KeyRange, direction: Direction) -> Result<Box<dyn StoreIter>> {
        Ok(Box::new(MemoryIter {
            snapshot: self,
            space,
            range,
            direction,
            pair: None,
        }))
    }
}

struct MemoryIter {
    snapshot: Arc<MemorySnapshot>,
    space: Space,
    /// What is left.
    range: KeyRange,
    direction: Direction,
    pair: Option<(Bytes, Bytes)>,
}

impl MemoryIter {
    fn find(&self) -> Option<(Bytes, Bytes)> {
        let space = self.space;
        let lower = match self.range.lower.clone() {
            Bound::Included(key) => Bound::Included((space, key)),
            Bound::Excluded(key) => Bound::Excluded((space, key)),
            Bound::Unbounded => Bound::Included((space, Bytes::new())),
        };
        let upper = self.range.upper.clone().map(|key| (space, key));
        if is_empty(&self.range) {
            return None;
        }
        let state = self.snapshot.state.read();
        let pick = |(key, versions): (&Key, &Versions)| {
            (key.0 == space).then(|| visible(versions, self.snapshot.sequence).map(|value| (key.1.clone(), value.clone())))?
        };
        let range = state.entries.range((lower, upper));
        match self.direction {
            Direction::Forward => range.take_while(|(key, _)| key.0 == space).find_map(pick),
            Direction::Backward => range.rev().skip_while(|(key, _)| key.0 != space).find_map(pick),
        }
    }
}

/// Nothing can lie in the range; asking a `BTreeMap` for it would panic.
fn is_empty(range: &KeyRange) -> bool {
    match (&range.lower, &range.upper) {
        (Bound::Included(lower), Bound::Included(upper)) => lower > upper,
        (Bound::Included(lower) | Bound::Excluded(lower), Bound::Excluded(upper) | Bound::Included(upper)) => lower >= upper,
        _ => false,
    }
}

impl StoreIter for MemoryIter {
    fn next(&mut self) -> Result<Option<(&[u8], &[u8])>> {
        self.pair = self.find();
        if let Some((key, _)) = &self.pair {
            match self.direction {
                Direction::Forward => self.range.lower = Bound::Excluded(key.clone()),
                Direction::Backward => self.range.upper = Bound::Excluded(key.clone()),
            }
        }
        Ok(self.pair.as_ref().map(|(key, value)| (key.as_ref(), value.as_ref())))
    }

    fn seek(&mut self, key: &[u8]) -> Result<()> {
        let key = Bytes::copy_from_slice(key);
        match self.direction {
            Direction::Forward => self.range.lower = Bound::Included(key),
            Direction::Backward => self.range.upper = Bound::Included(key),
        }
        Ok(())
    }

    fn take_skipped(&mut self) -> u64 {
        0
    }
}

struct MemoryPrepared {
    store: MemoryStore,
    writes: Vec<Write>,
}

impl PreparedWrites for MemoryPrepared {
    fn take_in(self: Box<Self>) -> Result<()> {
        self.store.write(&self.writes)
    }
}

struct MemoryBulk {
    store: MemoryStore,
    space: Space,
    writes: Vec<Write>,
}

impl BulkWriter for MemoryBulk {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.writes.push(Write::Put(
            self.space,
            Bytes::copy_from_slice(key),
            Bytes::copy_from_slice(value),
        ));
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.store.write(&self.writes)
    }
}
