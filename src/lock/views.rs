//! What the outside sees of the lock table: `pg_locks`, `pg_blocking_pids`, counts.

use std::time::SystemTime;

use crate::ids::{BackendPid, Xid};
use crate::lock::holders::WaitState;
use crate::lock::manager::LockManager;
use crate::lock::mode::{Mode, ModeSet};
use crate::lock::owners::{Holding, Owners};
use crate::lock::table::Entry;
use crate::lock::target::Target;
use crate::lock::{Holder, Scope};

/// One mode held or waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockRow {
    pub pid: BackendPid,
    /// 0: none yet.
    pub xid: Xid,
    pub target: Target,
    pub mode: Mode,
    pub granted: bool,
    /// Held or wanted beyond the transaction.
    pub session: bool,
    pub wait_start: Option<SystemTime>,
    /// Of a waiter, from 1.
    pub position: Option<usize>,
}

/// Sizes, for metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Modes held and waited for.
    pub locks: usize,
    pub waiting: usize,
    /// Targets that somebody waits for.
    pub contended: usize,
}

impl LockManager {
    /// All locks at one moment.
    pub fn snapshot(&self) -> Vec<LockRow> {
        let shards = self.lock_all();
        let mut rows = Vec::new();
        for entry in shards.iter().flat_map(|shard| shard.table.entries()) {
            self.rows_of(entry, &mut rows);
        }
        rows
    }

    fn rows_of(&self, entry: &Entry, rows: &mut Vec<LockRow>) {
        let mut held = |holder: Holder, modes: ModeSet, session: bool| {
            let (pid, xid) = self
                .holders
                .get(holder)
                .map_or((BackendPid(0), Xid(0)), |state| (state.pid, state.xid()));
            rows.extend(modes.indexes().map(|index| LockRow {
                pid,
                xid,
                target: entry.target.clone(),
                mode: entry.target.kind().mode(index),
                granted: true,
                session,
                wait_start: None,
                position: None,
            }));
        };
        match &entry.owners {
            Owners::Nobody => {}
            Owners::Solo { holder, modes } => held(*holder, *modes, false),
            Owners::Shared(shared) => {
                for (&holder, holding) in &shared.holders {
                    held(holder, holding.transaction, false);
                    let session = holding
                        .session
                        .iter()
                        .fold(ModeSet::EMPTY, |set, &(index, _)| set.with(index));
                    held(holder, session, true);
                }
                for (position, waiter) in shared.queue.iter().enumerate() {
                    let Some(state) = self.holders.get(waiter.holder) else {
                        continue;
                    };
                    let since = match state.inner.lock().wait {
                        WaitState::Waiting(waiting) => Some(waiting.since),
                        WaitState::Idle | WaitState::Granted(..) => None,
                    };
                    rows.push(LockRow {
                        pid: state.pid,
                        xid: state.xid(),
                        target: entry.target.clone(),
                        mode: waiter.mode,
                        granted: false,
                        session: waiter.scope == Scope::Session,
                        wait_start: since,
                        position: Some(position + 1),
                    });
                }
            }
        }
    }

    /// `pg_blocking_pids`: who holds what the session waits for, and who waits ahead of it for something that conflicts.
    /// A prepared transaction counts as process 0.
    pub fn blocking_pids(&self, pid: BackendPid) -> Vec<BackendPid> {
        let Some(state) = self.holders.by_pid(pid) else {
            return Vec::new();
        };
        let WaitState::Waiting(waiting) = state.inner.lock().wait else {
            return Vec::new();
        };
        let part = self.shard(waiting.place.shard).lock();
        // Read again: it may have been granted before the shard was ours.
        let WaitState::Waiting(waiting) = state.inner.lock().wait else {
            return Vec::new();
        };
        let entry = part.table.entry(waiting.place.slot);
        let Owners::Shared(shared) = &entry.owners else {
            return Vec::new();
        };
        let kind = entry.target.kind();
        let conflicts = kind.conflicts(waiting.place.mode);
        let blocks = |&(&holder, holding): &(&Holder, &Holding)| holder != state.id && holding.all().intersects(conflicts);
        let hard = shared.holders.iter().filter(blocks).map(|(&holder, _)| holder);
        let ahead = shared.queue.iter().take_while(|waiter| waiter.holder != state.id);
        let soft = ahead
            .filter(|waiter| conflicts.contains(waiter.mode.index()))
            .map(|waiter| waiter.holder);
        let pid = |holder| self.holders.get(holder).map_or(BackendPid(0), |state| state.pid);
        hard.chain(soft).map(pid).collect()
    }

    /// `pg_isolation_test_session_is_blocked`: whether `pid` waits for one of `by`.
    pub fn is_blocked_by(&self, pid: BackendPid, by: &[BackendPid]) -> bool {
        self.blocking_pids(pid).iter().any(|blocker| by.contains(blocker))
    }

    /// What the session waits for, and since when: `pg_stat_activity.wait_event`.
    pub fn waiting_for(&self, pid: BackendPid) -> Option<(Target, Mode, SystemTime)> {
        let state = self.holders.by_pid(pid)?;
        let WaitState::Waiting(waiting) = state.inner.lock().wait else {
            return None;
        };
        let shard = self.shard(waiting.place.shard).lock();
        let WaitState::Waiting(waiting) = state.inner.lock().wait else {
            return None;
        };
        Some((
            shard.table.entry(waiting.place.slot).target.clone(),
            waiting.mode,
            waiting.since,
        ))
    }

    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for number in 0..=u8::MAX {
            let shard = self.shard(number).lock();
            counts.locks += shard.table.locks();
            for (_, entry) in shard.table.contended() {
                counts.contended += 1;
                counts.waiting += entry.owners.queue_len();
            }
        }
        counts
    }
}
