//! Ownership on a node that is alone: everything can be had, and all of it is recorded.

use std::collections::{BTreeMap, HashMap};
use std::hash::{Hash, Hasher};
use std::ops::Bound;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use bytes::Bytes;
use parking_lot::{Mutex, RwLock};
use rustc_hash::FxHasher;
use serde::{Deserialize, Serialize};

use crate::clock::Clock;
use crate::codec::layout;
use crate::error::{PgError, Result, sqlstate};
use crate::ids::{Incarnation, LogIndex, NodeId, Oid};
use crate::lock::{Authority, Mode, RelationMode, Target};
use crate::storage::pipeline::{CommitBatch, Pipeline};
use crate::storage::{Direction, KeyRange, Space, Store, Write};

/// Slots of grant counters.
const TOKEN_SLOTS: usize = 1 << 16;
/// Bits of a token below `since`.
const COUNTER_BITS: u32 = 32;

const NODE_KEY: &[u8] = b"node";
const RELATION_PREFIX: &[u8] = b"relation/";
const HISTORY_PREFIX: &[u8] = b"history/";

/// What is stored of the node.
#[derive(Serialize, Deserialize)]
struct NodeRecord {
    node: NodeId,
    incarnation: Incarnation,
    /// The last log index given.
    index: LogIndex,
}

/// A whole relation's owner, as stored.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Holding {
    pub node: NodeId,
    pub incarnation: Incarnation,
    pub since: LogIndex,
}

/// A change of ownership, as stored.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Change {
    pub epoch: LogIndex,
    pub relation: Option<(Oid, Oid)>,
    pub node: NodeId,
    pub event: String,
    /// Microseconds since 2000-01-01 UTC.
    pub happened_micros: i64,
}

/// A node's ownership of what it locks.
pub struct Ownership {
    pub(super) node: NodeId,
    pub(super) incarnation: Incarnation,
    /// Index of this incarnation's `NodeUp`.
    up: LogIndex,
    clock: Arc<dyn Clock>,
    /// (database, relation) to the index since which it is owned whole.
    relations: RwLock<HashMap<(Oid, Oid), LogIndex>>,
    index: Mutex<LogIndex>,
    /// Where claims are written; set once the engine is there.
    pipeline: OnceLock<Arc<Pipeline>>,
    /// Grants of this incarnation.
    counter: AtomicU64,
    /// By a record's hash: the count at the last grant.
    slots: Box<[AtomicU64]>,
    /// Since when the counter's value above `COUNTER_BITS` stands: the first is that of `NodeUp`, each overflow adds one.
    rounds: Mutex<Vec<LogIndex>>,
    pub(super) claims: AtomicU64,
    pub(super) grants: AtomicU64,
}

fn relation_key(database: Oid, relation: Oid) -> Bytes {
    let mut key = RELATION_PREFIX.to_vec();
    key.extend_from_slice(&database.0.to_be_bytes());
    key.extend_from_slice(&relation.0.to_be_bytes());
    Bytes::from(key)
}

fn encode<T: Serialize>(record: &T) -> Result<Bytes> {
    postcard::to_stdvec(record)
        .map(Bytes::from)
        .map_err(|error| PgError::internal(format!("cannot encode ownership: {error}")))
}

fn decode<'a, T: Deserialize<'a>>(stored: &'a [u8]) -> Result<T> {
    postcard::from_bytes(stored).map_err(|error| {
        PgError::new(
            sqlstate::DATA_CORRUPTED,
            format!("a stored ownership record is damaged: {error}"),
        )
    })
}

fn history_write(change: &Change) -> Result<Write> {
    let mut key = HISTORY_PREFIX.to_vec();
    key.extend_from_slice(&change.epoch.0.to_be_bytes());
    Ok(Write::Put(Space::Ownership, Bytes::from(key), encode(change)?))
}

impl Ownership {
    /// `NodeUp`: takes the next incarnation, durably, and carries the node's relations over to it.
    pub fn open(store: &Arc<dyn Store>, node: NodeId, clock: Arc<dyn Clock>) -> Result<Arc<Ownership>> {
        let snapshot = store.snapshot()?;
        let before = snapshot.get(Space::Ownership, NODE_KEY)?;
        let (incarnation, last) = match &before {
            Some(stored) => {
                let record: NodeRecord = decode(stored)?;
                (record.incarnation, record.index)
            }
            None => (Incarnation(0), LogIndex(0)),
        };
        let (incarnation, up) = (Incarnation(incarnation.0 + 1), LogIndex(last.0 + 1));
        let change = Change {
            epoch: up,
            relation: None,
            node,
            event: "NodeUp".to_owned(),
            happened_micros: clock.now_micros(),
        };
        let mut writes = vec![
            Write::Put(
                Space::Ownership,
                Bytes::from_static(NODE_KEY),
                encode(&NodeRecord {
                    node,
                    incarnation,
                    index: up,
                })?,
            ),
            history_write(&change)?,
        ];
        let mut relations = HashMap::new();
        for (key, _) in scan(store, RELATION_PREFIX)? {
            let Some((database, relation)) = parse_relation(&key) else {
                continue;
            };
            relations.insert((database, relation), up);
            writes.push(Write::Put(
                Space::Ownership,
                key,
                encode(&Holding {
                    node,
                    incarnation,
                    since: up,
                })?,
            ));
        }
        store.write(&writes)?;
        store.sync()?;
        Ok(Arc::new(Ownership {
            node,
            incarnation,
            up,
            clock,
            relations: RwLock::new(relations),
            index: Mutex::new(up),
            pipeline: OnceLock::new(),
            counter: AtomicU64::new(0),
            slots: (0..TOKEN_SLOTS).map(|_| AtomicU64::new(0)).collect(),
            rounds: Mutex::new(vec![up]),
            claims: AtomicU64::new(0),
            grants: AtomicU64::new(0),
        }))
    }

    /// Joins the engine's pipeline, through which claims are written from now on.
    pub fn join(&self, pipeline: &Arc<Pipeline>) {
        // Called once, when the server is put together; a second pipeline would be a broken server.
        assert!(
            self.pipeline.set(Arc::clone(pipeline)).is_ok(),
            "ownership is joined to one pipeline"
        );
    }

    pub(super) fn relations(&self) -> BTreeMap<(Oid, Oid), LogIndex> {
        self.relations.read().iter().map(|(key, since)| (*key, *since)).collect()
    }

    pub(super) fn applied(&self) -> LogIndex {
        *self.index.lock()
    }

    pub(super) fn history(&self) -> Result<Vec<Change>> {
        let Some(pipeline) = self.pipeline.get() else {
            return Ok(Vec::new());
        };
        let newest = Arc::clone(&pipeline.newest().snapshot);
        let mut iter = newest.iter(Space::Ownership, prefix_range(HISTORY_PREFIX), Direction::Forward)?;
        let mut changes = Vec::new();
        while let Some((_, stored)) = iter.next()? {
            changes.push(decode(stored)?);
        }
        Ok(changes)
    }

    /// `Claim` of a whole relation that nobody owns: answers the index since which it is owned.
    fn claim(&self, database: Oid, relation: Oid) -> LogIndex {
        let mut index = self.index.lock();
        if let Some(since) = self.relations.read().get(&(database, relation)) {
            return *since;
        }
        let since = LogIndex(index.0 + 1);
        if let Err(error) = self.write_claim(database, relation, since) {
            // The lock is granted all the same: alone, nobody could take the relation away.
            tracing::error!(%error, "cannot record a claim");
        }
        *index = since;
        self.relations.write().insert((database, relation), since);
        self.claims.fetch_add(1, Ordering::Relaxed);
        since
    }

    fn write_claim(&self, database: Oid, relation: Oid, since: LogIndex) -> Result<()> {
        let holding = Holding {
            node: self.node,
            incarnation: self.incarnation,
            since,
        };
        let change = Change {
            epoch: since,
            relation: Some((database, relation)),
            node: self.node,
            event: "Claim".to_owned(),
            happened_micros: self.clock.now_micros(),
        };
        let writes = vec![
            Write::Put(Space::Ownership, relation_key(database, relation), encode(&holding)?),
            self.node_write(since)?,
            history_write(&change)?,
        ];
        self.submit(writes);
        Ok(())
    }

    pub(super) fn since(&self, database: Oid, relation: Oid) -> LogIndex {
        self.relations.read().get(&(database, relation)).copied().unwrap_or(self.up)
    }

    fn slot(&self, relation: Oid, key: &[u8]) -> &AtomicU64 {
        let mut hasher = FxHasher::default();
        (relation, key).hash(&mut hasher);
        #[allow(clippy::cast_possible_truncation)]
        let place = (hasher.finish() >> 32) as usize % TOKEN_SLOTS;
        &self.slots[place]
    }

    /// The token of a record's last grant; larger than that of every grant before it.
    pub(super) fn token(&self, database: Oid, relation: Oid, key: &[u8]) -> i64 {
        let count = self.slot(relation, key).load(Ordering::Acquire);
        let since = self.since(database, relation).max(self.round(count >> COUNTER_BITS));
        let counter = count & ((1 << COUNTER_BITS) - 1);
        i64::try_from(since.0 << COUNTER_BITS | counter).unwrap_or(i64::MAX)
    }

    /// Since when a round of the counter counts. The counter has overflowed where that is not known yet: a new index is
    /// taken, so that tokens go on growing.
    fn round(&self, number: u64) -> LogIndex {
        let mut rounds = self.rounds.lock();
        let number = usize::try_from(number).expect("a count has few bits above the counter's");
        while rounds.len() <= number {
            let mut index = self.index.lock();
            let since = LogIndex(index.0 + 1);
            match self.round_writes(since) {
                Ok(writes) => self.submit(writes),
                Err(error) => tracing::error!(%error, "cannot record a claim"),
            }
            *index = since;
            rounds.push(since);
        }
        rounds[number]
    }

    fn round_writes(&self, since: LogIndex) -> Result<Vec<Write>> {
        let change = Change {
            epoch: since,
            relation: None,
            node: self.node,
            event: "Claim".to_owned(),
            happened_micros: self.clock.now_micros(),
        };
        Ok(vec![self.node_write(since)?, history_write(&change)?])
    }

    fn node_write(&self, index: LogIndex) -> Result<Write> {
        let record = NodeRecord {
            node: self.node,
            incarnation: self.incarnation,
            index,
        };
        Ok(Write::Put(Space::Ownership, Bytes::from_static(NODE_KEY), encode(&record)?))
    }

    fn submit(&self, writes: Vec<Write>) {
        if let Some(pipeline) = self.pipeline.get() {
            pipeline.submit(CommitBatch {
                writes,
                on_sequenced: Box::new(|_| {}),
            });
        }
    }
}

fn prefix_range(prefix: &'static [u8]) -> KeyRange {
    let end = layout::prefix_end(prefix).expect("prefixes are not all 0xff");
    KeyRange {
        lower: Bound::Included(Bytes::from_static(prefix)),
        upper: Bound::Excluded(Bytes::from(end)),
    }
}

fn scan(store: &Arc<dyn Store>, prefix: &'static [u8]) -> Result<Vec<(Bytes, Bytes)>> {
    let mut iter = store
        .snapshot()?
        .iter(Space::Ownership, prefix_range(prefix), Direction::Forward)?;
    let mut found = Vec::new();
    while let Some((key, value)) = iter.next()? {
        found.push((Bytes::copy_from_slice(key), Bytes::copy_from_slice(value)));
    }
    Ok(found)
}

fn parse_relation(key: &[u8]) -> Option<(Oid, Oid)> {
    let rest: [u8; 8] = key.strip_prefix(RELATION_PREFIX)?.try_into().ok()?;
    let [d0, d1, d2, d3, r0, r1, r2, r3] = rest;
    Some((
        Oid(u32::from_be_bytes([d0, d1, d2, d3])),
        Oid(u32::from_be_bytes([r0, r1, r2, r3])),
    ))
}

#[async_trait]
impl Authority for Ownership {
    fn covers(&self, target: &Target, mode: Mode) -> Option<LogIndex> {
        let (database, relation) = match target {
            Target::Record { database, relation, .. } | Target::Key { database, relation, .. } => (*database, *relation),
            // Every live node holds every relation in ACCESS SHARE, and no advisory lock is owned by anybody else.
            Target::Relation { .. } if mode == Mode::Relation(RelationMode::AccessShare) => return Some(self.up),
            Target::Relation { database, relation } => (*database, *relation),
            Target::Advisory { .. } => return Some(self.up),
        };
        if let Some(since) = self.relations.read().get(&(database, relation)) {
            return Some(*since);
        }
        Some(self.claim(database, relation))
    }

    async fn obtain(&self, _target: &Target, _mode: Mode) -> Result<LogIndex> {
        Err(PgError::internal("a node that is alone covers everything"))
    }

    fn granted(&self, target: &Target, _mode: Mode) {
        self.grants.fetch_add(1, Ordering::Relaxed);
        if let Target::Record { relation, key, .. } = target {
            let counter = self.counter.fetch_add(1, Ordering::AcqRel) + 1;
            self.slot(*relation, key).fetch_max(counter, Ordering::AcqRel);
        }
    }

    fn dropped(&self, database: Oid, relation: Oid) {
        if self.relations.write().remove(&(database, relation)).is_some() {
            self.submit(vec![Write::Delete(Space::Ownership, relation_key(database, relation))]);
        }
    }
}
