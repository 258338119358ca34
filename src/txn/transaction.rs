//! A running transaction.

use std::collections::HashMap;
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use indexmap::IndexSet;
use parking_lot::{Mutex, MutexGuard};

use super::buffer::WriteBuffer;
use super::engine::Engine;
use super::savepoints::Savepoint;
use super::serializable::ReadSet;
use super::snapshot::{LockTimeouts, SessionLink, View};
use crate::codec::layout;
use crate::error::Result;
use crate::ids::{CommandId, Oid, StorageId, SubXid, Version, Xid};
use crate::lock::{AdvisoryKey, AdvisoryMode, Grant, LockError, Mode, RelationMode, Request, Scope, TargetRef, Wait};
use crate::storage::pipeline::Published;
use crate::storage::{Direction, KeyRange, Space, StoreSnapshot};

/// Transaction isolation (PostgreSQL 15 docs, 13.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Isolation {
    /// The same as READ COMMITTED; only its name differs.
    ReadUncommitted,
    #[default]
    ReadCommitted,
    RepeatableRead,
    Serializable,
}

impl Isolation {
    pub fn as_str(self) -> &'static str {
        match self {
            Isolation::ReadUncommitted => "read uncommitted",
            Isolation::ReadCommitted => "read committed",
            Isolation::RepeatableRead => "repeatable read",
            Isolation::Serializable => "serializable",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [
            Isolation::ReadUncommitted,
            Isolation::ReadCommitted,
            Isolation::RepeatableRead,
            Isolation::Serializable,
        ]
        .into_iter()
        .find(|one| one.as_str() == text)
    }

    /// One snapshot for the whole transaction, and 40001 where a row changed since.
    pub fn uses_one_snapshot(self) -> bool {
        matches!(self, Isolation::RepeatableRead | Isolation::Serializable)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TxnOptions {
    pub isolation: Isolation,
    pub read_only: bool,
    pub deferrable: bool,
}

const READ_ONLY: u8 = 4;
const DEFERRABLE: u8 = 8;

impl TxnOptions {
    fn bits(self) -> u8 {
        let isolation = match self.isolation {
            Isolation::ReadUncommitted => 0,
            Isolation::ReadCommitted => 1,
            Isolation::RepeatableRead => 2,
            Isolation::Serializable => 3,
        };
        isolation | if self.read_only { READ_ONLY } else { 0 } | if self.deferrable { DEFERRABLE } else { 0 }
    }

    fn from_bits(bits: u8) -> Self {
        TxnOptions {
            isolation: match bits & 3 {
                0 => Isolation::ReadUncommitted,
                1 => Isolation::ReadCommitted,
                2 => Isolation::RepeatableRead,
                _ => Isolation::Serializable,
            },
            read_only: bits & READ_ONLY != 0,
            deferrable: bits & DEFERRABLE != 0,
        }
    }
}

/// Runs when the commit is published, on the sequencer's thread.
pub(super) type Hook = Box<dyn FnOnce(Version) + Send>;

/// A transaction. Everything takes `&self`: a statement's operators share it. One statement runs at a time, so the locks
/// inside are never contended, except by others that look on. Lock order: `state` before `buffer`.
pub struct Txn {
    engine: Arc<Engine>,
    link: Arc<SessionLink>,
    /// [`TxnOptions`] in bits.
    options: AtomicU8,
    buffer: Mutex<WriteBuffer>,
    pub(super) state: Mutex<State>,
    command: AtomicU32,
    sub: AtomicU32,
    /// 0: not assigned.
    xid: AtomicU64,
    wrote: AtomicBool,
    owns_storage: AtomicBool,
    ended: AtomicBool,
    has_snapshot: AtomicBool,
    /// What SERIALIZABLE has read; there from its snapshot on.
    reads: OnceLock<Mutex<ReadSet>>,
}

#[derive(Default)]
pub(super) struct State {
    /// The snapshot of REPEATABLE READ and SERIALIZABLE.
    pub snapshot: Option<Arc<Published>>,
    pub savepoints: Vec<Savepoint>,
    pub hooks: Vec<Hook>,
    /// In the order of their first NOTIFY, each once.
    pub notifications: IndexSet<(String, String)>,
    pub dropped: Vec<StorageId>,
    /// Storages made here, with the subtransaction that made them.
    pub own_storages: HashMap<StorageId, SubXid>,
    /// A state that shows what was loaded into them in bulk.
    pub own_snapshot: Option<Arc<dyn StoreSnapshot>>,
    /// Relation locks known to be held, so that statements need not ask again.
    pub relations: Vec<(Oid, RelationMode)>,
}

impl Txn {
    /// Starts a transaction of a session. Costs nothing until it reads, writes or locks.
    pub fn begin(engine: &Arc<Engine>, link: &Arc<SessionLink>, options: TxnOptions) -> Arc<Txn> {
        Arc::new(Txn {
            engine: Arc::clone(engine),
            link: Arc::clone(link),
            options: AtomicU8::new(options.bits()),
            buffer: Mutex::default(),
            state: Mutex::default(),
            command: AtomicU32::new(1),
            sub: AtomicU32::new(1),
            xid: AtomicU64::new(0),
            wrote: AtomicBool::new(false),
            owns_storage: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            has_snapshot: AtomicBool::new(false),
            reads: OnceLock::new(),
        })
    }

    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    pub fn link(&self) -> &Arc<SessionLink> {
        &self.link
    }

    pub fn options(&self) -> TxnOptions {
        TxnOptions::from_bits(self.options.load(Ordering::Relaxed))
    }

    /// SET TRANSACTION. The caller has checked that no snapshot was taken where the isolation changes.
    pub fn set_options(&self, options: TxnOptions) -> Result<()> {
        self.options.store(options.bits(), Ordering::Relaxed);
        Ok(())
    }

    /// Whether a statement has read, after which the isolation level stands.
    pub fn has_snapshot(&self) -> bool {
        self.has_snapshot.load(Ordering::Relaxed)
    }

    /// What is read under SERIALIZABLE.
    pub(super) fn reads(&self) -> Option<&Mutex<ReadSet>> {
        self.reads.get()
    }

    pub fn command(&self) -> CommandId {
        CommandId(self.command.load(Ordering::Relaxed))
    }

    /// The statement is over: what it wrote is seen by the next one.
    pub fn next_command(&self) {
        self.command.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn sub(&self) -> SubXid {
        SubXid(self.sub.load(Ordering::Relaxed))
    }

    pub(super) fn next_sub(&self) -> SubXid {
        SubXid(self.sub.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// The transaction's id; assigned at the first call.
    pub fn xid(&self) -> Xid {
        let known = self.xid.load(Ordering::Relaxed);
        if known != 0 {
            return Xid(known);
        }
        let xid = self.engine.new_xid();
        self.xid.store(xid.0, Ordering::Relaxed);
        self.engine.locks.set_xid(self.link.holder, xid);
        xid
    }

    pub fn xid_if_assigned(&self) -> Option<Xid> {
        Some(Xid(self.xid.load(Ordering::Relaxed))).filter(|xid| xid.0 != 0)
    }

    /// What a statement that begins now sees.
    pub fn statement_view(&self) -> Result<View> {
        if !self.has_snapshot.load(Ordering::Relaxed) {
            self.has_snapshot.store(true, Ordering::Relaxed);
        }
        let isolation = self.options().isolation;
        let snapshot = if isolation.uses_one_snapshot() {
            let mut state = self.state.lock();
            if let Some(snapshot) = &state.snapshot {
                Arc::clone(snapshot)
            } else {
                let fresh = if isolation == Isolation::Serializable {
                    self.serializable_snapshot()
                } else {
                    self.fresh_snapshot()
                };
                state.snapshot = Some(Arc::clone(&fresh));
                fresh
            }
        } else {
            self.fresh_snapshot()
        };
        Ok(View {
            snapshot,
            command: self.command(),
        })
    }

    /// The newest durable state, unless the session has seen a later one.
    fn fresh_snapshot(&self) -> Arc<Published> {
        let synced = self.engine.pipeline.synced();
        if synced.version >= self.link.seen.get() {
            return synced;
        }
        let newest = self.engine.pipeline.newest();
        self.link.observed.raise(newest.version);
        newest
    }

    /// The newest state: a transaction is checked against everything after its snapshot, and that leaves the least.
    fn serializable_snapshot(&self) -> Arc<Published> {
        let (reads, newest) = self.engine.serializable.enter(&self.engine.pipeline);
        // Fails only if it was set before, which the caller has ruled out.
        let _ = self.reads.set(reads);
        self.link.observed.raise(newest.version);
        newest
    }

    /// The newest state, with all of the transaction's own writes.
    pub fn latest_view(&self) -> View {
        let newest = self.engine.pipeline.newest();
        self.link.observed.raise(newest.version);
        View {
            snapshot: newest,
            command: CommandId(u32::MAX),
        }
    }

    pub(super) fn buffer(&self) -> MutexGuard<'_, WriteBuffer> {
        self.buffer.lock()
    }

    pub(super) fn has_own_writes(&self) -> bool {
        self.wrote.load(Ordering::Relaxed)
    }

    pub(super) fn is_own_storage(&self, storage: StorageId) -> bool {
        self.owns_storage.load(Ordering::Relaxed) && self.state.lock().own_storages.contains_key(&storage)
    }

    pub(super) fn snapshot_for(&self, view: &View, storage: StorageId) -> Arc<dyn StoreSnapshot> {
        if self.owns_storage.load(Ordering::Relaxed) {
            let state = self.state.lock();
            if let Some(own) = &state.own_snapshot
                && state.own_storages.contains_key(&storage)
            {
                return Arc::clone(own);
            }
        }
        Arc::clone(&view.snapshot.snapshot)
    }

    /// The value of a key as the view shows it.
    pub fn get(&self, view: &View, storage: StorageId, key: &[u8]) -> Result<Option<Bytes>> {
        let key = layout::data_key(storage, key);
        self.note_key(&key);
        if self.has_own_writes()
            && let Some(own) = self.buffer.lock().get(Space::Data, &key, view.command)
        {
            return Ok(own);
        }
        if self.owns_storage.load(Ordering::Relaxed) {
            return self.snapshot_for(view, storage).get(Space::Data, &key);
        }
        view.snapshot.snapshot.get(Space::Data, &key)
    }

    /// Several keys of one storage at once.
    pub fn multi_get(&self, view: &View, storage: StorageId, keys: &[Bytes]) -> Result<Vec<Option<Bytes>>> {
        let full: Vec<Bytes> = keys.iter().map(|key| layout::data_key(storage, key)).collect();
        full.iter().for_each(|key| self.note_key(key));
        let mut found = self.snapshot_for(view, storage).multi_get(Space::Data, &full)?;
        if self.has_own_writes() {
            let buffer = self.buffer.lock();
            for (key, place) in full.into_iter().zip(&mut found) {
                if let Some(own) = buffer.get(Space::Data, &key, view.command) {
                    *place = own;
                }
            }
        }
        Ok(found)
    }

    /// # Errors
    /// 54000 past `holdfast.max_transaction_size`.
    pub fn put(&self, storage: StorageId, key: Vec<u8>, value: Vec<u8>) -> Result<()> {
        self.write((Space::Data, layout::data_key(storage, &key)), Some(Bytes::from(value)))
    }

    pub fn delete(&self, storage: StorageId, key: Vec<u8>) -> Result<()> {
        self.write((Space::Data, layout::data_key(storage, &key)), None)
    }

    /// A record of another space (the catalog), seen by this transaction at once.
    pub fn put_raw(&self, space: Space, key: Vec<u8>, value: Vec<u8>) -> Result<()> {
        self.write((space, Bytes::from(key)), Some(Bytes::from(value)))
    }

    pub fn delete_raw(&self, space: Space, key: Vec<u8>) -> Result<()> {
        self.write((space, Bytes::from(key)), None)
    }

    fn write(&self, key: (Space, Bytes), value: Option<Bytes>) -> Result<()> {
        self.wrote.store(true, Ordering::Relaxed);
        self.buffer.lock().set(
            key,
            value,
            self.command(),
            self.link.transaction_bytes_max.load(Ordering::Relaxed),
        )
    }

    /// A record of another space, own writes included.
    pub fn get_raw(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>> {
        if let Some(own) = self.buffer.lock().get(space, key, CommandId(u32::MAX)) {
            return Ok(own);
        }
        self.engine.pipeline.newest().snapshot.get(space, key)
    }

    /// Records of another space that begin with `prefix`, own writes included.
    pub fn scan_raw(&self, space: Space, prefix: &[u8]) -> Result<Vec<(Bytes, Bytes)>> {
        let lower = Bound::Included(Bytes::copy_from_slice(prefix));
        let upper = layout::prefix_end(prefix).map_or(Bound::Unbounded, |end| Bound::Excluded(Bytes::from(end)));
        let mut found = std::collections::BTreeMap::new();
        let range = KeyRange {
            lower: lower.clone(),
            upper: upper.clone(),
        };
        let newest = Arc::clone(&self.engine.pipeline.newest().snapshot);
        let mut iter = newest.iter(space, range, Direction::Forward)?;
        while let Some((key, value)) = iter.next()? {
            found.insert(Bytes::copy_from_slice(key), Bytes::copy_from_slice(value));
        }
        for (key, value) in self
            .buffer
            .lock()
            .range(space, &lower, &upper, Direction::Forward, CommandId(u32::MAX))
        {
            match value {
                Some(value) => found.insert(key.clone(), value.clone()),
                None => found.remove(key),
            };
        }
        Ok(found.into_iter().collect())
    }

    /// Whether the running command has written the key already.
    pub fn written_by_this_command(&self, storage: StorageId, key: &[u8]) -> bool {
        self.last_command(storage, key) == Some(self.command())
    }

    /// The command that wrote the key last.
    pub(super) fn last_command(&self, storage: StorageId, key: &[u8]) -> Option<CommandId> {
        if !self.has_own_writes() {
            return None;
        }
        self.buffer.lock().last_command(Space::Data, &layout::data_key(storage, key))
    }

    pub(super) async fn acquire(
        &self,
        target: TargetRef<'_>,
        mode: Mode,
        scope: Scope,
        wait: Wait,
        timeouts: &LockTimeouts,
    ) -> Result<Grant, LockError> {
        let request = Request {
            holder: self.link.holder,
            target,
            mode,
            scope,
            wait,
            lock_timeout: timeouts.lock_timeout,
            deadlock_timeout: timeouts.deadlock_timeout,
        };
        let grant = match self.engine.locks.try_acquire(&request) {
            Some(done) => done?,
            None => self.engine.locks.acquire(request).await?,
        };
        self.link.seen.raise(grant.seen);
        Ok(grant)
    }

    pub(super) fn scope(&self) -> Scope {
        Scope::Transaction(self.sub())
    }

    /// Locks a relation; false where `wait` does not wait and somebody has it.
    pub async fn lock_relation(&self, relation: Oid, mode: RelationMode, wait: Wait, timeouts: &LockTimeouts) -> Result<bool> {
        if self.holds_relation_mode(relation, mode) {
            return Ok(true);
        }
        let target = TargetRef::Relation {
            database: self.link.database,
            relation,
        };
        match self.acquire(target, Mode::Relation(mode), self.scope(), wait, timeouts).await {
            Ok(_) => {
                self.state.lock().relations.push((relation, mode));
                Ok(true)
            }
            Err(LockError::NotAvailable | LockError::Skipped) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn holds_relation_mode(&self, relation: Oid, mode: RelationMode) -> bool {
        self.state.lock().relations.contains(&(relation, mode))
    }

    /// The strongest lock that this transaction is known to hold on a relation.
    pub fn holds_relation(&self, relation: Oid) -> Option<RelationMode> {
        self.state
            .lock()
            .relations
            .iter()
            .filter(|(oid, _)| *oid == relation)
            .map(|(_, mode)| *mode)
            .max()
    }

    /// Takes a unique value (or a name) that is being added or removed: waits for whoever has it.
    pub async fn lock_key(&self, relation: Oid, storage: StorageId, key: &[u8], timeouts: &LockTimeouts) -> Result<()> {
        let target = TargetRef::Key {
            database: self.link.database,
            relation,
            storage,
            key,
        };
        self.acquire(target, Mode::Key, self.scope(), Wait::Block, timeouts).await?;
        Ok(())
    }

    /// An advisory lock; false where `wait` does not wait and somebody has it.
    pub async fn lock_advisory(
        &self,
        key: AdvisoryKey,
        mode: AdvisoryMode,
        session_scope: bool,
        wait: Wait,
        timeouts: &LockTimeouts,
    ) -> Result<bool> {
        let target = TargetRef::Advisory {
            database: self.link.database,
            key,
        };
        let scope = if session_scope { Scope::Session } else { self.scope() };
        match self.acquire(target, Mode::Advisory(mode), scope, wait, timeouts).await {
            Ok(_) => Ok(true),
            Err(LockError::NotAvailable | LockError::Skipped) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// A storage that nobody else knows yet.
    pub fn create_storage(&self) -> StorageId {
        let storage = self.engine.new_storage();
        self.state.lock().own_storages.insert(storage, self.sub());
        self.owns_storage.store(true, Ordering::Relaxed);
        storage
    }

    /// The storage's rows go when the transaction commits.
    pub fn drop_storage(&self, storage: StorageId) {
        self.state.lock().dropped.push(storage);
    }

    /// The relation goes when the transaction commits, and the node's ownership of it.
    pub fn drop_relation(&self, relation: Oid) {
        let (engine, database) = (Arc::clone(&self.engine), self.link.database);
        self.on_commit(Box::new(move |_| engine.locks.forget_relation(database, relation)));
    }

    /// Whether rows may go into the storage past the buffer: it was made in this very subtransaction, so that they go with it.
    pub fn can_bulk(&self, storage: StorageId) -> bool {
        let state = self.state.lock();
        let innermost = state.savepoints.last().map_or(SubXid(1), |savepoint| savepoint.sub);
        state.own_storages.get(&storage).is_some_and(|made_in| *made_in >= innermost)
    }

    /// The next hidden row id of a storage: it grows, and is never given twice.
    pub fn next_row_id(&self, storage: StorageId) -> u64 {
        self.engine.row_ids.next(&self.engine, storage)
    }

    /// Runs when the commit is published; dropped by ROLLBACK TO.
    pub fn on_commit(&self, hook: Hook) {
        self.state.lock().hooks.push(hook);
    }

    /// NOTIFY; the same message twice is sent once.
    pub fn notify(&self, channel: String, payload: String) {
        self.state.lock().notifications.insert((channel, payload));
    }

    pub(super) fn take_buffer(&self) -> WriteBuffer {
        std::mem::take(&mut self.buffer.lock())
    }

    /// Whether this call ended the transaction.
    pub(super) fn end(&self) -> bool {
        !self.ended.swap(true, Ordering::AcqRel)
    }
}

impl Drop for Txn {
    fn drop(&mut self) {
        self.rollback();
    }
}
