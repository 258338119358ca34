//! Stretches of keys that are known to hold nothing.
//!
//! A queue's head is a field of deleted keys, and a seek across 200,000 of them takes milliseconds. A scan whose first step
//! was slow tells what it found; later scans with a snapshot at least as new jump over it.
//!
//! A range is right for a snapshot of version v when it was empty at some version `known_at <= v` and nothing was put into
//! it up to v. The second half needs a witness: from the first slow scan of a storage on, the sequencer records every
//! put into it ([`DeadRanges::cut`], before the version is published), cuts ranges, and so a range that is there is
//! right for every snapshot from `known_at` on.

use std::collections::{BTreeMap, HashMap};

use bytes::{BufMut, Bytes, BytesMut};
use parking_lot::RwLock;

use super::{Space, Write};
use crate::codec::layout;
use crate::ids::{StorageId, Version};

/// Ranges kept a storage; the oldest goes first.
const RANGES_MAX: usize = 16;
/// Puts recorded a storage; past it, recording starts anew.
const PUTS_MAX: usize = 8192;

struct DeadRange {
    from: Bytes,
    /// Exclusive.
    to: Bytes,
    known_at: Version,
}

struct Watched {
    /// Every put of a later version is recorded.
    since: Version,
    puts: BTreeMap<Bytes, Version>,
    ranges: Vec<DeadRange>,
}

#[derive(Default)]
struct State {
    last_cut: Version,
    storages: HashMap<StorageId, Watched>,
}

/// The dead ranges of all storages. Only in memory.
#[derive(Default)]
pub struct DeadRanges {
    state: RwLock<State>,
}

impl DeadRanges {
    /// The first key at or after `from` that may hold something, for a snapshot of a version; `None` where nothing is known.
    pub fn jump(&self, storage: StorageId, from: &[u8], version: Version) -> Option<Bytes> {
        let state = self.state.read();
        if state.storages.is_empty() {
            return None;
        }
        let watched = state.storages.get(&storage)?;
        let mut at: Option<&Bytes> = None;
        // Ranges may touch: go on from the end of each.
        loop {
            let here: &[u8] = at.map_or(from, |key| key.as_ref());
            let next = watched
                .ranges
                .iter()
                .find(|range| range.known_at <= version && range.from.as_ref() <= here && here < range.to.as_ref());
            match next {
                Some(range) => at = Some(&range.to),
                None => return at.cloned(),
            }
        }
    }

    /// The stretches of `[from, to)` that hold nothing for a snapshot of a version, in order.
    pub fn between(&self, storage: StorageId, from: &[u8], to: &[u8], version: Version) -> Vec<(Bytes, Bytes)> {
        let state = self.state.read();
        let Some(watched) = state.storages.get(&storage) else {
            return Vec::new();
        };
        let mut found: Vec<(Bytes, Bytes)> = watched
            .ranges
            .iter()
            .filter(|range| range.known_at <= version && range.from.as_ref() < to && from < range.to.as_ref())
            .map(|range| (range.from.clone(), range.to.clone()))
            .collect();
        found.sort_unstable();
        found
    }

    /// A scan with a snapshot of `version` found nothing in `[from, to)`. `newest` is the newest published version.
    pub fn learn(&self, storage: StorageId, from: &Bytes, to: &Bytes, version: Version, newest: Version) {
        if from >= to {
            return;
        }
        let mut state = self.state.write();
        let since = state.last_cut.max(newest);
        let watched = state.storages.entry(storage).or_insert_with(|| Watched {
            since,
            puts: BTreeMap::new(),
            ranges: Vec::new(),
        });
        let unseen = |(_, put): (&Bytes, &Version)| *put > version;
        if version < watched.since || watched.puts.range(from.clone()..to.clone()).any(unseen) {
            return;
        }
        watched.add(DeadRange {
            from: from.clone(),
            to: to.clone(),
            known_at: version,
        });
    }

    /// Commits of a version are about to be published: what they put is not dead.
    pub fn cut(&self, writes: &[Write], version: Version) {
        let mut state = self.state.write();
        state.last_cut = version;
        if state.storages.is_empty() {
            return;
        }
        for write in writes {
            let Write::Put(Space::Data, key, _) = write else { continue };
            let Some((storage, _)) = layout::split_data_key(key) else {
                continue;
            };
            if let Some(watched) = state.storages.get_mut(&storage) {
                watched.put(key, version);
            }
        }
    }

    /// The same for a commit with more puts than are recorded: whatever is known of these storages is learned anew.
    pub fn cut_whole(&self, storages: &[StorageId], version: Version) {
        let mut state = self.state.write();
        state.last_cut = version;
        for storage in storages {
            state.storages.remove(storage);
        }
    }

    /// A storage is gone.
    pub fn forget(&self, storage: StorageId) {
        self.state.write().storages.remove(&storage);
    }
}

impl Watched {
    fn put(&mut self, key: &Bytes, version: Version) {
        if self.puts.len() >= PUTS_MAX {
            self.puts.clear();
            self.since = version;
        }
        self.puts.insert(key.clone(), version);
        let Some(at) = self.ranges.iter().position(|range| range.from <= *key && *key < range.to) else {
            return;
        };
        let range = self.ranges.remove(at);
        let after = successor(key);
        let known_at = range.known_at;
        if range.from < *key {
            self.ranges.push(DeadRange {
                from: range.from,
                to: key.clone(),
                known_at,
            });
        }
        if after < range.to {
            self.ranges.push(DeadRange {
                from: after,
                to: range.to,
                known_at,
            });
        }
        // A cut may have left one piece more, and others may lie over the same key.
        if self.ranges.iter().any(|range| range.from <= *key && *key < range.to) {
            self.put(key, version);
        }
        self.trim();
    }

    fn add(&mut self, mut fresh: DeadRange) {
        // One that touches it becomes one with it, known from the later of both.
        while let Some(at) = self
            .ranges
            .iter()
            .position(|range| range.from <= fresh.to && fresh.from <= range.to)
        {
            let range = self.ranges.remove(at);
            fresh.from = fresh.from.min(range.from);
            fresh.to = fresh.to.max(range.to);
            fresh.known_at = fresh.known_at.max(range.known_at);
        }
        self.ranges.push(fresh);
        self.trim();
    }

    fn trim(&mut self) {
        while self.ranges.len() > RANGES_MAX {
            self.ranges.remove(0);
        }
    }
}

/// The next possible key.
fn successor(key: &[u8]) -> Bytes {
    let mut next = BytesMut::with_capacity(key.len() + 1);
    next.put_slice(key);
    next.put_u8(0);
    next.freeze()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(n: u8) -> Bytes {
        layout::data_key(StorageId(7), &[n])
    }

    fn put(n: u8) -> Write {
        Write::Put(Space::Data, key(n), Bytes::new())
    }

    /// The first report only starts the record of puts; from the second on ranges are kept.
    fn watched() -> DeadRanges {
        let dead = DeadRanges::default();
        dead.cut(&[], Version(10));
        dead.learn(StorageId(7), &key(0), &key(1), Version(5), Version(10));
        assert_eq!(
            dead.jump(StorageId(7), &key(0), Version(20)),
            None,
            "nothing is known of puts between 5 and 10"
        );
        dead
    }

    #[test]
    fn newer_snapshots_jump_and_older_ones_do_not() {
        let dead = watched();
        dead.learn(StorageId(7), &key(0), &key(9), Version(12), Version(12));
        assert_eq!(dead.jump(StorageId(7), &key(3), Version(12)), Some(key(9)));
        assert_eq!(dead.jump(StorageId(7), &key(3), Version(11)), None);
        assert_eq!(dead.jump(StorageId(7), &key(9), Version(12)), None);
    }

    #[test]
    fn a_put_cuts_and_a_late_report_does_not_hide_it() {
        let dead = watched();
        dead.learn(StorageId(7), &key(0), &key(9), Version(12), Version(12));
        dead.cut(&[put(5)], Version(13));
        assert_eq!(
            dead.jump(StorageId(7), &key(0), Version(13)),
            Some(key(5)),
            "stops at the put"
        );
        // A scan with an older snapshot did not see the put; its report comes after it.
        dead.learn(StorageId(7), &key(0), &key(9), Version(12), Version(13));
        assert_eq!(dead.jump(StorageId(7), &key(0), Version(13)), Some(key(5)));
    }

    #[test]
    fn ranges_that_touch_become_one() {
        let dead = watched();
        dead.learn(StorageId(7), &key(0), &key(4), Version(12), Version(12));
        dead.learn(StorageId(7), &key(4), &key(8), Version(14), Version(14));
        assert_eq!(dead.jump(StorageId(7), &key(0), Version(14)), Some(key(8)));
        assert_eq!(
            dead.jump(StorageId(7), &key(0), Version(12)),
            None,
            "known only since the later report"
        );
    }
}
