//! Who can hold locks, and what each of them has: the log of a transaction's grants, and the session's.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use parking_lot::{Mutex, RwLock};
use rustc_hash::{FxHashMap, FxHashSet};
use tokio::sync::Notify;

use crate::cancel::Cancel;
use crate::ids::{BackendPid, SubXid, Xid};
use crate::lock::table::Slot;
use crate::lock::{Grant, Holder, Mode, Scope};

/// Parts of the registry, so that sessions do not meet on one lock word.
const PARTS: usize = 64;

/// A transaction's log of this many grants is kept for its next transaction.
const LOG_KEPT: usize = 1_024;

/// One mode taken in transaction scope. The log of these is all that ROLLBACK TO needs: what was first taken after the
/// savepoint is a suffix of it, because subtransaction numbers grow, and RELEASE moves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    pub place: Place,
    pub sub: SubXid,
}

/// A mode of an entry of a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub slot: Slot,
    pub shard: u8,
    /// Of the shard's release versions.
    pub bucket: u8,
    pub mode: u8,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum WaitState {
    Idle,
    Waiting(Waiting),
    /// Granted by whoever released, and not yet taken note of.
    Granted(Grant, Place, Scope),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    pub place: Place,
    pub mode: Mode,
    pub since: SystemTime,
    /// The ownership has to be obtained.
    pub obtain: bool,
}

pub(crate) struct HolderState {
    pub id: Holder,
    pub pid: BackendPid,
    pub cancel: Arc<Cancel>,
    /// 0: none.
    xid: AtomicU64,
    pub wake: Notify,
    /// Taken last, under a shard's lock or alone. `wait` changes under the lock of the shard that it names.
    pub inner: Mutex<Inner>,
}

pub(crate) struct Inner {
    pub log: Vec<Held>,
    pub session: FxHashSet<Place>,
    pub wait: WaitState,
}

impl HolderState {
    pub fn xid(&self) -> Xid {
        Xid(self.xid.load(Ordering::Acquire))
    }

    pub fn set_xid(&self, xid: Xid) {
        self.xid.store(xid.0, Ordering::Release);
    }

    /// Takes the whole log of the transaction.
    pub fn take_log(&self) -> Vec<Held> {
        std::mem::take(&mut self.inner.lock().log)
    }

    /// Gives the log's memory back for the next transaction.
    pub fn keep_log(&self, mut log: Vec<Held>) {
        if log.capacity() <= LOG_KEPT {
            log.clear();
            let mut inner = self.inner.lock();
            if inner.log.capacity() == 0 {
                inner.log = log;
            }
        }
    }
}

impl Inner {
    pub fn note(&mut self, place: Place, scope: Scope) {
        match scope {
            Scope::Transaction(sub) => self.log.push(Held { place, sub }),
            Scope::Session => {
                self.session.insert(place);
            }
        }
    }

    pub fn forget(&mut self, place: Place, scope: Scope) {
        match scope {
            Scope::Transaction(_) => {
                if let Some(at) = self.log.iter().rposition(|held| held.place == place) {
                    self.log.remove(at);
                }
            }
            Scope::Session => {
                self.session.remove(&place);
            }
        }
    }
}

/// All holders of the node.
pub(crate) struct Holders {
    parts: Vec<RwLock<FxHashMap<Holder, Arc<HolderState>>>>,
    by_pid: RwLock<FxHashMap<BackendPid, Holder>>,
    next: AtomicU64,
}

impl Holders {
    pub fn new() -> Self {
        Holders {
            parts: (0..PARTS).map(|_| RwLock::default()).collect(),
            by_pid: RwLock::default(),
            next: AtomicU64::new(1),
        }
    }

    fn part(&self, holder: Holder) -> &RwLock<FxHashMap<Holder, Arc<HolderState>>> {
        &self.parts[usize::from(holder.0.to_le_bytes()[0]) % PARTS]
    }

    pub fn register(&self, pid: BackendPid, cancel: Arc<Cancel>) -> Holder {
        let id = Holder(self.next.fetch_add(1, Ordering::Relaxed));
        let state = HolderState {
            id,
            pid,
            cancel,
            xid: AtomicU64::new(0),
            wake: Notify::new(),
            inner: Mutex::new(Inner {
                log: Vec::new(),
                session: FxHashSet::default(),
                wait: WaitState::Idle,
            }),
        };
        self.part(id).write().insert(id, Arc::new(state));
        // Prepared transactions belong to no process.
        if pid.0 != 0 {
            self.by_pid.write().insert(pid, id);
        }
        id
    }

    pub fn remove(&self, holder: Holder) {
        let removed = self.part(holder).write().remove(&holder);
        if let Some(state) = removed {
            let mut by_pid = self.by_pid.write();
            if by_pid.get(&state.pid) == Some(&holder) {
                by_pid.remove(&state.pid);
            }
        }
    }

    pub fn get(&self, holder: Holder) -> Option<Arc<HolderState>> {
        self.part(holder).read().get(&holder).cloned()
    }

    pub fn by_pid(&self, pid: BackendPid) -> Option<Arc<HolderState>> {
        let holder = *self.by_pid.read().get(&pid)?;
        self.get(holder)
    }
}
