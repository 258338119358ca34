//! [`CatalogOverlay`]: a transaction's own view of the catalog, the latest committed one plus its own changes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use super::apply::is_shared_class;
use super::bootstrap::Bootstrap;
use super::catalog::Catalog;
use super::objects::{Change, Comment, Object, ObjectKind};
use super::statistics::TableStatistics;
use super::store::{CatalogStore, encode, home, kind_key, object_key, statistics_key};
use crate::error::Result;
use crate::ids::Oid;
use crate::storage::Space;
use crate::txn::Txn;

/// Changes that a transaction has made; shared with its commit hook, which takes them out.
type Pending = Arc<Mutex<Vec<Change>>>;

/// A session's view of its database's catalog. One transaction at a time writes into it.
pub struct CatalogOverlay {
    store: Arc<CatalogStore>,
    database: Oid,
    /// Whether there are own changes: the common case, none, takes no lock.
    changed: AtomicBool,
    own: Mutex<Own>,
}

#[derive(Default)]
struct Own {
    pending: Pending,
    /// How many changes there were when the newest living commit hook was registered.
    hook_at: Option<usize>,
    /// Version of the committed catalog, number of changes, and both together.
    seen: Option<(u64, usize, Arc<Catalog>)>,
}

impl CatalogOverlay {
    pub fn new(store: &Arc<CatalogStore>, database: Oid) -> Self {
        CatalogOverlay {
            store: Arc::clone(store),
            database,
            changed: AtomicBool::new(false),
            own: Mutex::default(),
        }
    }

    /// The latest committed catalog with this transaction's changes on top.
    pub fn current(&self) -> Arc<Catalog> {
        // A database that was dropped under a session that is about to end shows shared objects only.
        let committed = self.store.current(self.database).unwrap_or_else(|| self.store.shared());
        if !self.changed.load(Ordering::Acquire) {
            return committed;
        }
        let mut own = self.own.lock();
        let pending = own.pending.lock().clone();
        if let Some((version, count, catalog)) = &own.seen
            && *version == committed.version
            && *count <= pending.len()
        {
            if *count == pending.len() {
                return Arc::clone(catalog);
            }
            let next = Arc::new(catalog.apply(&pending[*count..]));
            own.seen = Some((committed.version, pending.len(), Arc::clone(&next)));
            return next;
        }
        let next = Arc::new(committed.apply(&pending));
        own.seen = Some((committed.version, pending.len(), Arc::clone(&next)));
        next
    }

    /// Makes a change part of the transaction: its record, and the hook that publishes it at commit.
    pub fn change(&self, txn: &Txn, change: Change) -> Result<()> {
        self.write(txn, &change)?;
        let mut own = self.own.lock();
        let count = {
            let mut pending = own.pending.lock();
            pending.push(change);
            pending.len()
        };
        if own.hook_at.is_none() {
            own.hook_at = Some(count);
            let (store, database, pending) = (Arc::clone(&self.store), self.database, Arc::clone(&own.pending));
            txn.on_commit(Box::new(move |_| {
                // Hooks of one transaction share the list: the first publishes all of it at once.
                let changes = std::mem::take(&mut *pending.lock());
                if !changes.is_empty() {
                    store.publish(database, &changes);
                }
            }));
        }
        self.changed.store(true, Ordering::Release);
        Ok(())
    }

    fn write(&self, txn: &Txn, change: &Change) -> Result<()> {
        let database = home(self.database, change);
        match change {
            Change::Put(object @ Object::Comment(comment)) if comment.text.is_empty() => {
                txn.delete_raw(Space::Catalog, object_key(database, object))?;
            }
            Change::Put(object) => {
                if let Object::Database(made) = object
                    && self.current().database_by_oid(made.oid).is_none()
                {
                    for object in &Bootstrap::get().database {
                        txn.put_raw(Space::Catalog, object_key(made.oid, object), encode(object))?;
                    }
                }
                txn.put_raw(Space::Catalog, object_key(database, object), encode(object))?;
            }
            Change::Delete(kind, oid) => {
                txn.delete_raw(Space::Catalog, kind_key(database, *kind, *oid))?;
                self.delete_comments(txn, *kind, *oid)?;
                if *kind == ObjectKind::Table {
                    txn.delete_raw(Space::Catalog, statistics_key(database, *oid))?;
                }
                if *kind == ObjectKind::Database {
                    self.delete_database(txn, *oid)?;
                }
            }
        }
        Ok(())
    }

    fn delete_comments(&self, txn: &Txn, kind: ObjectKind, oid: Oid) -> Result<()> {
        let shared = matches!(kind, ObjectKind::Database | ObjectKind::Role);
        let catalog = self.current();
        let comments: Vec<Arc<Comment>> = catalog
            .comments_on(oid)
            .filter(|comment| is_shared_class(comment.class) == shared)
            .cloned()
            .collect();
        let database = if shared { Oid::INVALID } else { self.database };
        for comment in comments {
            txn.delete_raw(Space::Catalog, object_key(database, &Object::Comment(comment)))?;
        }
        Ok(())
    }

    /// Every record of a database that is dropped.
    fn delete_database(&self, txn: &Txn, database: Oid) -> Result<()> {
        let Some(catalog) = self.store.current(database) else {
            return Ok(());
        };
        for object in catalog.own_objects() {
            txn.delete_raw(Space::Catalog, object_key(database, &object))?;
            if let Object::Table(table) = object {
                txn.delete_raw(Space::Catalog, statistics_key(database, table.oid))?;
            }
        }
        Ok(())
    }

    /// ANALYZE's numbers for a table, seen by all once the transaction commits.
    pub fn set_statistics(&self, txn: &Txn, table: Oid, statistics: TableStatistics) -> Result<()> {
        txn.put_raw(Space::Catalog, statistics_key(self.database, table), encode(&statistics))?;
        let (store, database, statistics) = (Arc::clone(&self.store), self.database, Arc::new(statistics));
        txn.on_commit(Box::new(move |_| store.publish_statistics(database, table, statistics)));
        Ok(())
    }

    /// Catalogs of all databases (CREATE and DROP DATABASE look into others).
    pub fn store(&self) -> &Arc<CatalogStore> {
        &self.store
    }

    /// A mark for [`CatalogOverlay::back_to`].
    pub fn savepoint(&self) -> usize {
        if !self.changed.load(Ordering::Acquire) {
            return 0;
        }
        // Later changes may be rolled back alone, and a hook registered with them would go too.
        self.own.lock().pending.lock().len()
    }

    /// Undoes the changes made since the mark; 0 undoes all.
    pub fn back_to(&self, mark: usize) {
        if !self.changed.load(Ordering::Acquire) {
            return;
        }
        let mut own = self.own.lock();
        let left = {
            let mut pending = own.pending.lock();
            pending.truncate(mark);
            pending.len()
        };
        // The transaction dropped the hook that was registered with an undone change.
        own.hook_at = own.hook_at.filter(|at| *at <= left);
        own.seen = None;
        if left == 0 {
            self.changed.store(false, Ordering::Release);
        }
    }

    /// The transaction has committed, or was prepared: its hook has, or keeps, the changes.
    pub fn committed(&self) {
        if self.changed.swap(false, Ordering::AcqRel) {
            *self.own.lock() = Own::default();
        }
    }
}
