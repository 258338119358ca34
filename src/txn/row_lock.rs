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
    /// The running command itself has changed the row before.
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

    /// The same without the check of the isolation level: for foreign keys, which look at the newest version anyway.
    pub async fn lock_row_any_level(
        &self,
        row: &RowId,
        view: &View,
        mode: RecordMode,
        wait: Wait,
        timeouts: &LockTimeouts,
    ) -> Result<RowLock> {
        if view.command != CommandId(u32::MAX) && self.written_by_this_command(row.storage, &row.key) {
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
        let key = layout::data_key(row.storage, &row.key);
        if self.has_own_writes()
            && let Some(own) = self.buffer().get(&(Space::Data, key.clone()), CommandId(u32::MAX))
        {
            return Ok(own.map_or(RowLock::Gone, RowLock::Same));
        }
        let shown = self.snapshot_for(view, row.storage).get(Space::Data, &key)?;
        if grant.seen <= view.snapshot.version || self.is_own_storage(row.storage) {
            return Ok(shown.map_or(RowLock::Gone, RowLock::Same));
        }
        let newest = self.engine().pipeline.newest();
        self.link().observed.raise(newest.version);
        let Some(now) = newest.snapshot.get(Space::Data, &key)? else {
            return Ok(RowLock::Gone);
        };
        let same = match &shown {
            Some(shown) => RowView::new(shown)?.xid() == RowView::new(&now)?.xid(),
            None => false,
        };
        Ok(if same { RowLock::Same(now) } else { RowLock::Changed(now) })
    }
}
