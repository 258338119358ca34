//! Two-phase commit: PREPARE TRANSACTION, COMMIT PREPARED, ROLLBACK PREPARED (PostgreSQL 15 docs, PREPARE TRANSACTION).
//!
//! A prepared transaction is a record of `Space::Meta`: its writes and its locks. The locks go to a holder of its own when
//! the record is sequenced, and are taken again when the engine opens, before anybody else can ask for them.

use std::collections::{HashMap, HashSet};
use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::commit::{Ended, bury};
use super::engine::Engine;
use super::journal::{Commit, stopped};
use super::snapshot::SessionLink;
use super::transaction::{Isolation, Txn};
use crate::cancel::Cancel;
use crate::codec::layout;
use crate::error::{PgError, Result, sqlstate};
use crate::ids::{BackendPid, Oid, StorageId, SubXid, Version, Xid};
use crate::lock::{AdvisoryKey, Holder, Kind, Mode, Request, Scope, Target, Wait};
use crate::storage::{Direction, KeyRange, Space, Write};

/// Bytes of a global identifier (`GIDSIZE`, with its final zero).
const GID_BYTES_MAX: usize = 200;
const PREFIX: &[u8] = b"prepared/";

/// A prepared transaction, as `pg_prepared_xacts` shows it.
#[derive(Clone, Debug)]
pub struct PreparedTransaction {
    pub gid: String,
    pub xid: Xid,
    pub database: Oid,
    pub owner: Oid,
    /// Microseconds since 2000-01-01 UTC.
    pub prepared_micros: i64,
}

/// All prepared transactions of the node.
#[derive(Default)]
pub(super) struct Prepared {
    by_gid: Mutex<HashMap<String, Entry>>,
}

struct Entry {
    about: PreparedTransaction,
    holder: Holder,
    /// Being prepared, committed or rolled back.
    busy: bool,
    own: Vec<StorageId>,
}

/// As it is stored.
#[derive(Serialize, Deserialize)]
struct Record {
    gid: String,
    xid: Xid,
    database: Oid,
    owner: Oid,
    prepared_micros: i64,
    writes: Vec<StoredWrite>,
    locks: Vec<StoredLock>,
    own: Vec<StorageId>,
    dropped: Vec<StorageId>,
}

/// Number of the space, key, value (`None`: deleted).
type StoredWrite = (u8, Vec<u8>, Option<Vec<u8>>);

#[derive(Serialize, Deserialize)]
struct StoredLock {
    target: StoredTarget,
    /// [`Mode::index`].
    mode: u8,
}

#[derive(Serialize, Deserialize)]
enum StoredTarget {
    Relation(Oid, Oid),
    Record(Oid, Oid, StorageId, Vec<u8>),
    AdvisoryBig(Oid, i64),
    AdvisoryPair(Oid, i32, i32),
    Key(Oid, Oid, StorageId, Vec<u8>),
}

/// Spaces by their stored number.
fn store_write(write: &Write) -> StoredWrite {
    let number = |space: Space| {
        let place = Space::ALL
            .iter()
            .position(|one| *one == space)
            .expect("every space is listed");
        u8::try_from(place).expect("there are few spaces")
    };
    match write {
        Write::Put(space, key, value) => (number(*space), key.to_vec(), Some(value.to_vec())),
        Write::Delete(space, key) => (number(*space), key.to_vec(), None),
        Write::DeleteRange(..) => unreachable!("a write buffer has single keys only"),
    }
}

fn load_write((space, key, value): StoredWrite) -> Result<Write> {
    let space = *Space::ALL.get(usize::from(space)).ok_or_else(damaged)?;
    let key = Bytes::from(key);
    Ok(match value {
        Some(value) => Write::Put(space, key, Bytes::from(value)),
        None => Write::Delete(space, key),
    })
}

fn store_target(target: Target) -> StoredTarget {
    match target {
        Target::Relation { database, relation } => StoredTarget::Relation(database, relation),
        Target::Record {
            database,
            relation,
            storage,
            key,
        } => StoredTarget::Record(database, relation, storage, key.into_vec()),
        Target::Advisory {
            database,
            key: AdvisoryKey::Big(key),
        } => StoredTarget::AdvisoryBig(database, key),
        Target::Advisory {
            database,
            key: AdvisoryKey::Pair(first, second),
        } => StoredTarget::AdvisoryPair(database, first, second),
        Target::Key {
            database,
            relation,
            storage,
            key,
        } => StoredTarget::Key(database, relation, storage, key.into_vec()),
    }
}

fn load_target(target: StoredTarget) -> (Target, Kind) {
    match target {
        StoredTarget::Relation(database, relation) => (Target::Relation { database, relation }, Kind::Relation),
        StoredTarget::Record(database, relation, storage, key) => (
            Target::Record {
                database,
                relation,
                storage,
                key: key.into(),
            },
            Kind::Record,
        ),
        StoredTarget::AdvisoryBig(database, key) => (
            Target::Advisory {
                database,
                key: AdvisoryKey::Big(key),
            },
            Kind::Advisory,
        ),
        StoredTarget::AdvisoryPair(database, first, second) => (
            Target::Advisory {
                database,
                key: AdvisoryKey::Pair(first, second),
            },
            Kind::Advisory,
        ),
        StoredTarget::Key(database, relation, storage, key) => (
            Target::Key {
                database,
                relation,
                storage,
                key: key.into(),
            },
            Kind::Key,
        ),
    }
}

fn damaged() -> PgError {
    PgError::new(sqlstate::DATA_CORRUPTED, "a stored prepared transaction is damaged")
}

fn record_key(gid: &str) -> Bytes {
    Bytes::from([PREFIX, gid.as_bytes()].concat())
}

fn unknown(gid: &str) -> PgError {
    PgError::new(
        sqlstate::UNDEFINED_OBJECT,
        format!("prepared transaction with identifier \"{gid}\" does not exist"),
    )
}

impl Prepared {
    /// Storages that prepared transactions made.
    pub(super) fn storages(&self) -> HashSet<StorageId> {
        self.by_gid
            .lock()
            .values()
            .flat_map(|entry| entry.own.iter().copied())
            .collect()
    }

    /// Makes an identifier ours until the transaction is prepared.
    fn reserve(&self, entry: Entry) -> Result<()> {
        let mut all = self.by_gid.lock();
        let gid = entry.about.gid.clone();
        if all.contains_key(&gid) {
            return Err(PgError::new(
                sqlstate::DUPLICATE_OBJECT,
                format!("transaction identifier \"{gid}\" is already in use"),
            ));
        }
        all.insert(gid, entry);
        Ok(())
    }

    fn ready(&self, gid: &str, own: Vec<StorageId>) {
        if let Some(entry) = self.by_gid.lock().get_mut(gid) {
            entry.busy = false;
            entry.own = own;
        }
    }

    /// Takes the right to finish a transaction.
    fn claim(&self, gid: &str, database: Oid, who: Oid, superuser: bool) -> Result<Holder> {
        let mut all = self.by_gid.lock();
        let entry = all.get_mut(gid).ok_or_else(|| unknown(gid))?;
        if entry.busy {
            return Err(PgError::new(
                sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE,
                format!("prepared transaction with identifier \"{gid}\" is busy"),
            ));
        }
        if entry.about.owner != who && !superuser {
            return Err(PgError::new(
                sqlstate::INSUFFICIENT_PRIVILEGE,
                "permission denied to finish prepared transaction",
            )
            .hint("Must be superuser or the user that prepared the transaction."));
        }
        if entry.about.database != database {
            return Err(PgError::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                "prepared transaction belongs to another database",
            )
            .hint("Connect to the database where the transaction was prepared to finish it."));
        }
        entry.busy = true;
        Ok(entry.holder)
    }
}

impl Txn {
    /// PREPARE TRANSACTION: the transaction ends for its session, and waits for COMMIT or ROLLBACK PREPARED. Returns when
    /// it is durable; an error has rolled it back.
    ///
    /// # Errors
    /// 42710 for an identifier in use, 22023 for one too long, 0A000 for what cannot be prepared.
    pub async fn prepare(self: &Arc<Self>, gid: &str, owner: Oid) -> Result<()> {
        let begun = self.preparable(gid).and_then(|()| self.begin_prepare(gid, owner));
        let commit = match begun {
            Ok(commit) => commit,
            Err(error) => {
                self.rollback();
                return Err(error);
            }
        };
        let told = self.engine().journal.submit(commit);
        told.await.map_err(|_| stopped())??;
        Ok(())
    }

    fn preparable(&self, gid: &str) -> Result<()> {
        if gid.len() >= GID_BYTES_MAX {
            return Err(PgError::new(
                sqlstate::INVALID_PARAMETER_VALUE,
                format!("transaction identifier \"{gid}\" is too long"),
            ));
        }
        let state = self.state.lock();
        if !state.notifications.is_empty() {
            return Err(PgError::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                "cannot PREPARE a transaction that has executed LISTEN, UNLISTEN, or NOTIFY",
            ));
        }
        if !state.hooks.is_empty() {
            return Err(PgError::unsupported("PREPARE TRANSACTION after a change of the catalog"));
        }
        if self.engine().locks.holds_in_both_scopes(self.link().holder) {
            return Err(PgError::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                "cannot PREPARE while holding both session-level and transaction-level locks on the same object",
            ));
        }
        if self.options().isolation == Isolation::Serializable {
            // What it has read would have to stay as it is until COMMIT PREPARED.
            return Err(PgError::unsupported("PREPARE TRANSACTION of a serializable transaction"));
        }
        Ok(())
    }

    fn begin_prepare(&self, gid: &str, owner: Oid) -> Result<Commit> {
        let engine = Arc::clone(self.engine());
        let link = Arc::clone(self.link());
        let about = PreparedTransaction {
            gid: gid.to_owned(),
            xid: self.xid(),
            database: link.database,
            owner,
            prepared_micros: engine.clock.now_micros(),
        };
        let locks = engine.locks.transaction_locks(link.holder);
        let holder = engine.locks.register(BackendPid(0), Arc::new(Cancel::new()));
        let entry = Entry {
            about: about.clone(),
            holder,
            busy: true,
            own: Vec::new(),
        };
        if let Err(error) = engine.prepared.reserve(entry) {
            engine.locks.unregister(holder, engine.pipeline.newest_version());
            return Err(error);
        }
        let (writes, own, dropped) = self.take_for_prepare();
        let record = Record {
            gid: about.gid,
            xid: about.xid,
            database: about.database,
            owner,
            prepared_micros: about.prepared_micros,
            writes: writes.iter().map(store_write).collect(),
            locks: locks.into_iter().map(store_lock).collect(),
            own: own.clone(),
            dropped,
        };
        let stored = postcard::to_stdvec(&record).expect("a record of plain data can be encoded");
        link.life.lock().committing = true;
        let gid = gid.to_owned();
        Ok(Commit {
            writes: vec![Write::Put(Space::Meta, record_key(&gid), Bytes::from(stored))],
            guards: Vec::new(),
            admission: None,
            on_sequenced: Box::new(move |version| {
                link.seen.raise(version);
                link.observed.raise(version);
                engine.locks.transfer_transaction(link.holder, holder);
                engine.prepared.ready(&gid, own);
                let mut life = link.life.lock();
                life.committing = false;
                if life.over {
                    engine.locks.unregister(link.holder, version);
                }
            }),
        })
    }

    /// Ends the transaction for its session, locks kept.
    fn take_for_prepare(&self) -> (Vec<Write>, Vec<StorageId>, Vec<StorageId>) {
        match self.end_keeping_locks() {
            Some(Ended { writes, finish, .. }) => (writes, finish.own, finish.dropped),
            None => (Vec::new(), Vec::new(), Vec::new()),
        }
    }
}

fn store_lock((target, mode): (Target, Mode)) -> StoredLock {
    StoredLock {
        target: store_target(target),
        mode: mode.index(),
    }
}

impl Engine {
    /// Rows of `pg_prepared_xacts`.
    pub fn prepared_transactions(&self) -> Vec<PreparedTransaction> {
        let all = self.prepared.by_gid.lock();
        let mut rows: Vec<_> = all.values().map(|entry| entry.about.clone()).collect();
        rows.sort_unstable_by_key(|row| row.xid);
        rows
    }

    /// COMMIT PREPARED (`commit`) or ROLLBACK PREPARED by role `who`. Returns when it is durable.
    ///
    /// # Errors
    /// 42704 for an unknown identifier, 55000 for one that is being finished, 42501 and 0A000 as in PostgreSQL.
    pub async fn finish_prepared(
        self: &Arc<Self>,
        link: &Arc<SessionLink>,
        gid: &str,
        (who, superuser): (Oid, bool),
        commit: bool,
    ) -> Result<()> {
        let holder = self.prepared.claim(gid, link.database, who, superuser)?;
        let stored = self.pipeline.newest().snapshot.get(Space::Meta, &record_key(gid))?;
        let record = decode(&stored.ok_or_else(|| unknown(gid))?)?;
        let mut writes = vec![Write::Delete(Space::Meta, record_key(gid))];
        if commit {
            for write in record.writes {
                writes.push(load_write(write)?);
            }
        }
        let (engine, link, gid) = (Arc::clone(self), Arc::clone(link), gid.to_owned());
        let before = self.pipeline.newest();
        let finish = move |version: Version| {
            link.seen.raise(version);
            link.observed.raise(version);
            if commit {
                bury(&engine, &record.dropped, Some(&before), version);
            } else {
                record.own.iter().for_each(|storage| engine.graveyard.bury_now(*storage));
            }
            engine.locks.unregister(holder, version);
            engine.prepared.by_gid.lock().remove(&gid);
        };
        let told = self.journal.submit(Commit {
            writes,
            guards: Vec::new(),
            admission: None,
            on_sequenced: Box::new(finish),
        });
        told.await.map_err(|_| stopped())??;
        Ok(())
    }

    /// Takes the locks of prepared transactions again.
    pub(super) fn recover_prepared(&self) -> Result<()> {
        let range = KeyRange {
            lower: Bound::Included(Bytes::from_static(PREFIX)),
            upper: layout::prefix_end(PREFIX).map_or(Bound::Unbounded, |end| Bound::Excluded(Bytes::from(end))),
        };
        let newest = Arc::clone(&self.pipeline.newest().snapshot);
        let mut iter = newest.iter(Space::Meta, range, Direction::Forward)?;
        while let Some((_, stored)) = iter.next()? {
            self.recover_one(decode(stored)?)?;
        }
        Ok(())
    }

    fn recover_one(&self, record: Record) -> Result<()> {
        let holder = self.locks.register(BackendPid(0), Arc::new(Cancel::new()));
        self.locks.set_xid(holder, record.xid);
        for lock in record.locks {
            let (target, kind) = load_target(lock.target);
            let request = Request {
                holder,
                target: target.as_ref(),
                mode: kind.mode(lock.mode),
                scope: Scope::Transaction(SubXid(1)),
                wait: Wait::NoWait,
                lock_timeout: None,
                deadlock_timeout: std::time::Duration::MAX,
            };
            match self.locks.try_acquire(&request) {
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(error.into()),
                None => return Err(PgError::internal("a prepared transaction's lock is not free")),
            }
        }
        let entry = Entry {
            about: PreparedTransaction {
                gid: record.gid,
                xid: record.xid,
                database: record.database,
                owner: record.owner,
                prepared_micros: record.prepared_micros,
            },
            holder,
            busy: false,
            own: record.own,
        };
        self.prepared.reserve(entry)
    }
}

fn decode(stored: &[u8]) -> Result<Record> {
    postcard::from_bytes(stored).map_err(|_| damaged())
}
