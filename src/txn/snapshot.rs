//! What a statement sees, and how far a session has seen.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::cancel::Cancel;
use crate::ids::{BackendPid, CommandId, Oid, Version};
use crate::limits;
use crate::lock::Holder;
use crate::storage::pipeline::Published;

/// What a statement sees: a state of the store, and of its own transaction's writes those of earlier commands.
#[derive(Clone)]
pub struct View {
    pub snapshot: Arc<Published>,
    pub command: CommandId,
}

/// A version that only grows.
#[derive(Debug, Default)]
pub struct RaisingVersion(AtomicU64);

impl RaisingVersion {
    pub fn get(&self) -> Version {
        Version(self.0.load(Ordering::Acquire))
    }

    pub fn raise(&self, version: Version) {
        self.0.fetch_max(version.0, Ordering::AcqRel);
    }
}

/// What of the session a transaction needs for its whole life.
pub struct SessionLink {
    pub holder: Holder,
    pub pid: BackendPid,
    pub cancel: Arc<Cancel>,
    pub database: Oid,
    /// No later snapshot of the session may be older.
    pub seen: Arc<RaisingVersion>,
    /// What the session's answers show: the wire waits until it is durable.
    pub observed: Arc<RaisingVersion>,
    /// Writes outside transactions (sequence blocks) that were submitted and not sequenced yet.
    pub(super) pending: Arc<Pending>,
    pub(super) life: Mutex<Life>,
    /// `holdfast.max_transaction_size` of the session's running transaction, in bytes.
    pub transaction_bytes_max: AtomicUsize,
}

/// Whether the session's locks are its own to release.
#[derive(Default)]
pub(super) struct Life {
    /// A commit was submitted and is not sequenced yet: the locks belong to the journal.
    pub committing: bool,
    /// The session is over; whoever ends the commit unregisters its holder.
    pub over: bool,
}

/// Counts submitted writes that an answer must wait for.
#[derive(Default)]
pub(super) struct Pending {
    count: AtomicU64,
    settled: Notify,
}

impl Pending {
    pub(super) fn add(&self) {
        self.count.fetch_add(1, Ordering::AcqRel);
    }

    pub(super) fn done(&self) {
        self.count.fetch_sub(1, Ordering::AcqRel);
        self.settled.notify_waiters();
    }

    pub(super) async fn settle(&self) {
        loop {
            let settled = self.settled.notified();
            tokio::pin!(settled);
            settled.as_mut().enable();
            if self.count.load(Ordering::Acquire) == 0 {
                return;
            }
            settled.await;
        }
    }
}

impl SessionLink {
    pub fn new(holder: Holder, pid: BackendPid, cancel: Arc<Cancel>, database: Oid) -> Self {
        SessionLink {
            holder,
            pid,
            cancel,
            database,
            seen: Arc::default(),
            observed: Arc::default(),
            pending: Arc::default(),
            life: Mutex::default(),
            transaction_bytes_max: AtomicUsize::new(limits::TRANSACTION_BYTES_MAX),
        }
    }
}

/// Timeouts that the session's settings give.
#[derive(Clone, Copy, Debug)]
pub struct LockTimeouts {
    /// `None`: no limit.
    pub lock_timeout: Option<Duration>,
    pub deadlock_timeout: Duration,
}
