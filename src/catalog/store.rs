//! [`CatalogStore`]: the latest catalog of every database, and where objects lie in `Space::Catalog`.
//!
//! A key is the database (0 for shared objects), the kind, the OID, and of a comment its class and attnum, all big
//! endian; a value is the object in postcard's form. Transactions write records through their own buffer; when the commit
//! is published, its hook makes the next catalog here, before its locks are released.

use std::collections::HashSet;
use std::ops::Bound;
use std::sync::Arc;

use arc_swap::ArcSwap;
use bytes::Bytes;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::apply::is_shared;
use super::bootstrap::Bootstrap;
use super::catalog::{Catalog, Shared, next_version};
use super::objects::{Change, Object, ObjectKind};
use super::statistics::TableStatistics;
use crate::error::{PgError, Result};
use crate::ids::{Oid, StorageId};
use crate::storage::{Direction, KeyRange, Space, Store, Write};
use crate::txn::Engine;

/// After the kinds of objects: a table's statistics.
const STATISTICS: u8 = 100;

/// The latest catalogs, shared by all sessions.
pub struct CatalogStore {
    current: ArcSwap<State>,
    /// One change at a time; readers never wait.
    changing: Mutex<()>,
}

#[derive(Clone)]
struct State {
    /// Roles and databases, and nothing else.
    shared: Arc<Catalog>,
    databases: FxHashMap<Oid, Arc<Catalog>>,
}

fn key(database: Oid, kind: u8, oid: Oid) -> Vec<u8> {
    let mut key = Vec::with_capacity(9);
    key.extend_from_slice(&database.0.to_be_bytes());
    key.push(kind);
    key.extend_from_slice(&oid.0.to_be_bytes());
    key
}

/// The record's key of an object that belongs to `database`.
pub(super) fn object_key(database: Oid, object: &Object) -> Vec<u8> {
    let mut key = key(database, object.kind() as u8, object.oid());
    if let Object::Comment(comment) = object {
        key.extend_from_slice(&comment.class.0.to_be_bytes());
        key.extend_from_slice(&comment.sub.to_be_bytes());
    }
    key
}

pub(super) fn kind_key(database: Oid, kind: ObjectKind, oid: Oid) -> Vec<u8> {
    key(database, kind as u8, oid)
}

pub(super) fn statistics_key(database: Oid, table: Oid) -> Vec<u8> {
    key(database, STATISTICS, table)
}

pub(super) fn encode<T: serde::Serialize>(value: &T) -> Vec<u8> {
    postcard::to_stdvec(value).expect("catalog objects hold nothing that postcard cannot write")
}

fn decode<T: serde::de::DeserializeOwned>(value: &[u8]) -> Result<T> {
    postcard::from_bytes(value).map_err(|error| PgError::internal(format!("a record of the catalog cannot be read: {error}")))
}

/// Where a change's record belongs: 0 for shared objects.
pub(super) fn home(database: Oid, change: &Change) -> Oid {
    if is_shared(change) { Oid::INVALID } else { database }
}

fn is_temporary(object: &Object) -> bool {
    match object {
        Object::Table(table) => table.temporary,
        Object::Sequence(sequence) => sequence.temporary,
        Object::Schema(schema) => schema.name.starts_with("pg_temp_"),
        _ => false,
    }
}

impl CatalogStore {
    /// Loads every object; at the first start writes those of `sql/bootstrap.sql` before.
    pub fn open(engine: &Arc<Engine>) -> Result<Arc<CatalogStore>> {
        CatalogStore::open_store(&*engine.store)
    }

    /// The same over a store alone.
    pub fn open_store(store: &dyn Store) -> Result<Arc<CatalogStore>> {
        let mut state = load(store)?;
        if state.shared.databases().next().is_none() {
            bootstrap(store)?;
            state = load(store)?;
        }
        Ok(Arc::new(CatalogStore {
            current: ArcSwap::from_pointee(state),
            changing: Mutex::new(()),
        }))
    }

    /// Every storage that an object of any database names.
    pub fn storages(&self) -> HashSet<StorageId> {
        let state = self.current.load();
        let mut all = HashSet::new();
        for catalog in state.databases.values() {
            all.extend(catalog.tables().map(|table| table.storage));
            all.extend(catalog.indexes().filter_map(|index| index.storage));
            all.extend(catalog.sequences().map(|sequence| sequence.storage));
        }
        all
    }

    /// The latest catalog of a database; never waits.
    pub fn current(&self, database: Oid) -> Option<Arc<Catalog>> {
        self.current.load().databases.get(&database).cloned()
    }

    /// Roles and databases alone: for who has no database yet.
    pub fn shared(&self) -> Arc<Catalog> {
        Arc::clone(&self.current.load().shared)
    }

    /// Puts a committed transaction's changes in place. Called in the order of commits.
    pub fn publish(&self, database: Oid, changes: &[Change]) {
        let _one = self.changing.lock();
        let mut state = State::clone(&self.current.load());
        state.apply(database, changes);
        self.current.store(Arc::new(state));
    }

    /// Reads everything anew: after a commit whose changes are known from the store only (a prepared transaction of an
    /// earlier run). Statistics stay those that were loaded.
    pub fn reload(&self, store: &dyn Store) -> Result<()> {
        let _one = self.changing.lock();
        self.current.store(Arc::new(load(store)?));
        Ok(())
    }

    /// New statistics of a table, once their record is committed.
    pub fn publish_statistics(&self, database: Oid, table: Oid, statistics: Arc<TableStatistics>) {
        if let Some(catalog) = self.current(database) {
            catalog.statistics.set(table, statistics);
        }
    }
}

impl State {
    fn apply(&mut self, database: Oid, changes: &[Change]) {
        let (shared, own): (Vec<Change>, Vec<Change>) = changes.iter().cloned().partition(is_shared);
        if !shared.is_empty() {
            let next = Arc::new(self.shared.apply(&shared));
            for change in &shared {
                match change {
                    Change::Put(Object::Database(made)) if !self.databases.contains_key(&made.oid) => {
                        let objects: Vec<Change> = Bootstrap::get().database.iter().cloned().map(Change::Put).collect();
                        let catalog = Catalog::empty(made.oid).apply(&objects);
                        self.databases.insert(made.oid, Arc::new(catalog));
                    }
                    Change::Delete(ObjectKind::Database, oid) => {
                        self.databases.remove(oid);
                    }
                    _ => {}
                }
            }
            for catalog in self.databases.values_mut() {
                let mut changed = Catalog::clone(catalog);
                changed.shared = Arc::clone(&next.shared);
                changed.version = next_version();
                *catalog = Arc::new(changed);
            }
            self.shared = next;
        }
        if !own.is_empty()
            && let Some(catalog) = self.databases.get_mut(&database)
        {
            *catalog = Arc::new(catalog.apply(&own));
            for change in &own {
                if let Change::Delete(ObjectKind::Table, oid) = change {
                    catalog.statistics.remove(*oid);
                }
            }
        }
    }
}

fn load(store: &dyn Store) -> Result<State> {
    let snapshot = store.snapshot()?;
    let range = KeyRange {
        lower: Bound::Unbounded,
        upper: Bound::Unbounded,
    };
    let mut records = snapshot.iter(Space::Catalog, range, Direction::Forward)?;
    let mut shared = Shared::default();
    let mut objects: FxHashMap<Oid, Vec<Change>> = FxHashMap::default();
    let mut statistics = Vec::new();
    let mut leftovers = Vec::new();
    while let Some((key, value)) = records.next()? {
        let (Some((database, rest)), Some(kind)) = (key.split_first_chunk::<4>(), key.get(4)) else {
            return Err(PgError::internal("a key of the catalog is too short"));
        };
        let database = Oid(u32::from_be_bytes(*database));
        if *kind == STATISTICS {
            let table: [u8; 4] = rest[1..]
                .try_into()
                .map_err(|_| PgError::internal("a key of the catalog is too short"))?;
            statistics.push((database, Oid(u32::from_be_bytes(table)), decode::<TableStatistics>(value)?));
            continue;
        }
        let object: Object = decode(value)?;
        if is_temporary(&object) {
            leftovers.push(Write::Delete(Space::Catalog, Bytes::copy_from_slice(key)));
        } else if database.is_valid() {
            objects.entry(database).or_default().push(Change::Put(object));
        } else {
            shared.put(&object);
        }
    }
    drop(records);
    if !leftovers.is_empty() {
        remove_leftovers(store, &mut objects, leftovers)?;
    }
    let shared = Arc::new(shared);
    let with_shared = |database| {
        let mut catalog = Catalog::empty(database);
        catalog.shared = Arc::clone(&shared);
        catalog
    };
    let databases = shared
        .databases
        .keys()
        .map(|oid| {
            let own = objects.remove(oid).unwrap_or_default();
            (*oid, Arc::new(with_shared(*oid).apply(&own)))
        })
        .collect();
    let state = State {
        shared: Arc::new(with_shared(Oid::INVALID)),
        databases,
    };
    for (database, table, found) in statistics {
        if let Some(catalog) = state.databases.get(&database)
            && catalog.table(table).is_some()
        {
            catalog.statistics.set(table, Arc::new(found));
        }
    }
    Ok(state)
}

/// Temporary objects belong to sessions of an earlier run. Their storage is orphaned, which the engine removes.
fn remove_leftovers(store: &dyn Store, objects: &mut FxHashMap<Oid, Vec<Change>>, mut writes: Vec<Write>) -> Result<()> {
    for (database, own) in objects {
        let tables: Vec<Oid> = own
            .iter()
            .filter_map(|change| match change {
                Change::Put(Object::Table(table)) => Some(table.oid),
                _ => None,
            })
            .collect();
        own.retain(|change| match change {
            Change::Put(object @ Object::Index(index)) if !tables.contains(&index.table) => {
                writes.push(Write::Delete(Space::Catalog, Bytes::from(object_key(*database, object))));
                false
            }
            _ => true,
        });
    }
    store.write(&writes)
}

fn bootstrap(store: &dyn Store) -> Result<()> {
    let bootstrap = Bootstrap::get();
    let mut writes = Vec::new();
    let mut put = |database: Oid, object: &Object| {
        let key = Bytes::from(object_key(database, object));
        writes.push(Write::Put(Space::Catalog, key, Bytes::from(encode(object))));
    };
    for object in &bootstrap.shared {
        put(Oid::INVALID, object);
        if let Object::Database(database) = object {
            for object in &bootstrap.database {
                put(database.oid, object);
            }
        }
    }
    store.write(&writes)?;
    store.sync()
}
