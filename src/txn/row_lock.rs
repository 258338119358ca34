//! Locking a row, and finding out what became of it.
//!
//! Order: found by the statement's view, locked, read again. After every grant, waited for or not, the newest version is
//! compared with the view's, unless nothing on the row's lock can have been released since the view: whoever changes a
//! row holds its lock until its commit is published, and the grant says when that was.

use bytes::Bytes;

use super::snapshot::{LockTimeouts, View};
use super::transaction::Txn;
use crate::codec::layout;
use crate::codec::row::RowView;
use crate::error::{PgError, Result, sqlstate};
use crate::ids::{CommandId, Oid, StorageId};
use crate::lock::{LockError, Mode, RecordMode, TargetRef, Wait};
use crate::storage::Space;

/// A row that a view shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowId {
    pub relation: Oid,
    pub storage: StorageId,
    pub key: Bytes,
}

/// What came of locking a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowLock {
    /// Locked; the version that the view shows is the newest.
    Same(Bytes),
    /// Locked; this is the newest version, another one than the view's.
    Changed(Bytes),
    /// Deleted, or moved to another key.
    Gone,
    /// NOWAIT, and somebody has it.
    NotAvailable,
    /// SKIP LOCKED, and somebody has it.
    Skipped,
    /// The running command itself, or a later one than the view's, has changed the row.
    OwnWrite,
}

impl Txn {
    /// Locks a row that `view` shows. REPEATABLE READ and SERIALIZABLE fail with 40001 where it changed since.
    pub async fn lock_row(
        &self,
        row: &RowId,
        view: &View,
        mode: RecordMode,
        wait: Wait,
        timeouts: &LockTimeouts,
    ) -> Result<RowLock> {
        let locked = self.lock_row_any_level(row, view, mode, wait, timeouts).await?;
        self.check_isolation(locked)
    }

    /// The same where the caller has read the row by this view: `shown` is given back as [`RowLock::Same`], without a
    /// read, if nothing can have changed it. Who needs no value may give an empty one.
    pub async fn lock_shown_row(
        &self,
        row: &RowId,
        shown: &Bytes,
        view: &View,
        (mode, wait): (RecordMode, Wait),
        timeouts: &LockTimeouts,
    ) -> Result<RowLock> {
        let locked = self.lock_and_compare(row, Some(shown), view, (mode, wait), timeouts).await?;
        self.check_isolation(locked)
    }

    /// The same without the check of the isolation level: for foreign keys, which look at the newest version anyway.
    pub async fn lock_row_any_level(
        &self,
        row: &RowId,
        view: &View,
        mode: RecordMode,
        wait: Wait,
        timeouts: &LockTimeouts,
    ) -> Result<RowLock> {
        self.lock_and_compare(row, None, view, (mode, wait), timeouts).await
    }

    /// 40001 where a row changed since the one snapshot of REPEATABLE READ and SERIALIZABLE.
    pub fn check_isolation(&self, locked: RowLock) -> Result<RowLock> {
        if !self.options().isolation.uses_one_snapshot() {
            return Ok(locked);
        }
        let failed = |what| {
            Err(PgError::new(
                sqlstate::SERIALIZATION_FAILURE,
                format!("could not serialize access due to concurrent {what}"),
            ))
        };
        match locked {
            RowLock::Changed(_) => failed("update"),
            RowLock::Gone => failed("delete"),
            other => Ok(other),
        }
    }

    async fn lock_and_compare(
        &self,
        row: &RowId,
        shown: Option<&Bytes>,
        view: &View,
        (mode, wait): (RecordMode, Wait),
        timeouts: &LockTimeouts,
    ) -> Result<RowLock> {
        // By this very command, or by a later one than the view's (a cursor): `TM_SelfModified`.
        if self
            .last_command(row.storage, &row.key)
            .is_some_and(|last| last >= view.command)
        {
            return Ok(RowLock::OwnWrite);
        }
        let target = TargetRef::Record {
            database: self.link().database,
            relation: row.relation,
            storage: row.storage,
            key: &row.key,
        };
        let grant = match self.acquire(target, Mode::Record(mode), self.scope(), wait, timeouts).await {
            Ok(grant) => grant,
            Err(LockError::NotAvailable) => return Ok(RowLock::NotAvailable),
            Err(LockError::Skipped) => return Ok(RowLock::Skipped),
            Err(error) => return Err(error.into()),
        };
        // Whoever changed the row had its lock until the change was published, and the grant says when that was. The lock
        // of an own storage's row tells nothing: nobody else has ever had one.
        let unchanged = grant.seen <= view.snapshot.version || self.is_own_storage(row.storage);
        if let (true, Some(shown)) = (unchanged, shown) {
            return Ok(RowLock::Same(shown.clone()));
        }
        let key = layout::data_key(row.storage, &row.key);
        if self.has_own_writes()
            && let Some(own) = self.buffer().get(Space::Data, &key, CommandId(u32::MAX))
        {
            return Ok(own.map_or(RowLock::Gone, RowLock::Same));
        }
        let before = self.snapshot_for(view, row.storage).get(Space::Data, &key)?;
        if unchanged {
            return Ok(before.map_or(RowLock::Gone, RowLock::Same));
        }
        let newest = self.engine().pipeline.newest();
        self.link().observed.raise(newest.version);
        let Some(now) = newest.snapshot.get(Space::Data, &key)? else {
            return Ok(RowLock::Gone);
        };
        let same = match &before {
            Some(before) => RowView::new(before)?.xid() == RowView::new(&now)?.xid(),
            None => false,
        };
        Ok(if same { RowLock::Same(now) } else { RowLock::Changed(now) })
    }
}
