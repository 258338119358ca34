//! The lock table in shards, with its holders: everything that grants and releases. Waiting is in [`super::wait`].
//!
//! Order of locks: a shard (several only in ascending order), the holders' registry, one holder's `inner`. Nothing is
//! held across an await.

use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use smallvec::SmallVec;

use crate::cancel::Cancel;
use crate::error::PgError;
use crate::ids::{BackendPid, LogIndex, Oid, SubXid, Version, Xid};
use crate::limits;
use crate::lock::authority::Authority;
use crate::lock::deadlock::{Edge, Picture, Queue, Verdict};
use crate::lock::holders::{Held, HolderState, Holders, Place, WaitState, Waiting};
use crate::lock::mode::{Mode, ModeSet};
use crate::lock::owners::{Holding, Owners};
use crate::lock::table::{Answer, Ask, Entry, Released, Slot, Table, Wake};
use crate::lock::target::{Target, TargetRef};
use crate::lock::{Grant, Holder, LockError, Request, Scope, Wait, wait};

const SHARDS: usize = 256;
/// Release versions kept a shard: targets that share one only raise each other's `seen`.
const BUCKETS: u8 = 16;

pub(crate) struct Shard {
    pub table: Table,
    released: [Version; BUCKETS as usize],
}

/// A shard on a cache line of its own, or neighbours slow each other down.
#[repr(align(128))]
struct Aligned(Mutex<Shard>);

/// Holders to notify once no lock is held.
pub(crate) type Woken = SmallVec<[Arc<HolderState>; 4]>;

/// What a request came to without waiting.
pub(crate) enum Begun {
    Granted(Grant),
    Queued,
    /// The table would grant it; the node has to obtain the ownership first. Only for requests that do not wait.
    Uncovered,
}

/// Everything that is locked on this node.
pub struct LockManager {
    shards: Vec<Aligned>,
    pub(crate) holders: Holders,
    pub(crate) authority: Arc<dyn Authority>,
}

impl LockManager {
    pub fn new(authority: Arc<dyn Authority>) -> Self {
        Self::with_limit(authority, limits::LOCKS_MAX)
    }

    /// `locks_max` is shared out over the shards: a table that is full in one of them is full.
    pub fn with_limit(authority: Arc<dyn Authority>, locks_max: usize) -> Self {
        let shard = || Shard {
            table: Table::new(locks_max.div_ceil(SHARDS)),
            released: [Version(0); BUCKETS as usize],
        };
        LockManager {
            shards: (0..SHARDS).map(|_| Aligned(Mutex::new(shard()))).collect(),
            holders: Holders::new(),
            authority,
        }
    }

    /// A relation was dropped.
    pub fn forget_relation(&self, database: Oid, relation: Oid) {
        self.authority.dropped(database, relation);
    }

    /// A new holder; `cancel` ends its waits.
    pub fn register(&self, pid: BackendPid, cancel: Arc<Cancel>) -> Holder {
        self.holders.register(pid, cancel)
    }

    /// Releases whatever the holder still has, and forgets it; `released_at` is the newest published state.
    pub fn unregister(&self, holder: Holder, released_at: Version) {
        self.release_transaction(holder, released_at);
        self.release_all_session(holder, released_at);
        self.holders.remove(holder);
    }

    /// The transaction's id, for the texts of deadlocks and `pg_locks`; 0 for none.
    pub fn set_xid(&self, holder: Holder, xid: Xid) {
        if let Some(state) = self.holders.get(holder) {
            state.set_xid(xid);
        }
    }

    /// Grants or refuses at once; `None` if the request has to wait, for which there is [`LockManager::acquire`].
    pub fn try_acquire(&self, request: &Request<'_>) -> Option<Result<Grant, LockError>> {
        let state = match self.state(request.holder) {
            Ok(state) => state,
            Err(error) => return Some(Err(error)),
        };
        let wait = if request.wait == Wait::Skip {
            Wait::Skip
        } else {
            Wait::NoWait
        };
        match self.begin(request, &state, wait) {
            Ok(Begun::Granted(grant)) => Some(Ok(grant)),
            Ok(Begun::Queued | Begun::Uncovered) => None,
            Err(LockError::NotAvailable) if request.wait == Wait::Block => None,
            Err(error) => Some(Err(error)),
        }
    }

    /// Gets the lock, waiting as the request says. Dropping the future leaves the queue, or gives back a grant that it
    /// has not seen yet.
    pub async fn acquire(&self, request: Request<'_>) -> Result<Grant, LockError> {
        let state = self.state(request.holder)?;
        match self.begin(&request, &state, request.wait)? {
            Begun::Granted(grant) => Ok(grant),
            Begun::Queued => wait::wait(self, wait::Ticket::new(self, state), &request).await,
            Begun::Uncovered => wait::obtain_then_try(self, &state, &request).await,
        }
    }

    pub(crate) fn state(&self, holder: Holder) -> Result<Arc<HolderState>, LockError> {
        let unknown = || LockError::Authority(PgError::internal(format!("lock holder {} is not registered", holder.0)));
        self.holders.get(holder).ok_or_else(unknown)
    }

    pub(crate) fn begin(&self, request: &Request<'_>, state: &HolderState, wait: Wait) -> Result<Begun, LockError> {
        debug_assert_eq!(request.mode.kind(), request.target.kind(), "a mode of the target's kind");
        let hash = request.target.hash64();
        let (number, bucket) = shard_and_bucket(hash);
        let ask = Ask {
            holder: request.holder,
            mode: request.mode,
            scope: request.scope,
            wait,
        };
        let place = |slot| Place {
            slot,
            shard: number,
            bucket,
            mode: request.mode.index(),
        };
        let mut shard = self.shard(number).lock();
        let answer = shard.table.acquire(hash, request.target, &ask, &self.covers());
        let seen = shard.released[usize::from(bucket)];
        let grant = |already_held, granted_at| {
            Begun::Granted(Grant {
                seen,
                waited: false,
                already_held,
                granted_at,
            })
        };
        match answer {
            Answer::Granted { slot, since } => {
                self.authority.granted(&shard.table.entry(slot).target, request.mode);
                state.inner.lock().note(place(slot), request.scope);
                Ok(grant(false, since))
            }
            Answer::AlreadyHeld => Ok(grant(true, LogIndex(0))),
            Answer::Queued { slot, obtain } => {
                let mut inner = state.inner.lock();
                debug_assert!(
                    matches!(inner.wait, WaitState::Idle),
                    "a session waits for one lock at a time"
                );
                let since = std::time::SystemTime::now();
                inner.wait = WaitState::Waiting(Waiting {
                    place: place(slot),
                    mode: request.mode,
                    since,
                    obtain,
                });
                Ok(Begun::Queued)
            }
            Answer::Uncovered => Ok(Begun::Uncovered),
            Answer::Refused => Err(LockError::NotAvailable),
            Answer::Skipped => Err(LockError::Skipped),
            Answer::Full => Err(LockError::TableFull),
            Answer::Deadlock { with, its_mode } => {
                drop(shard);
                let mine = (request.holder, request.mode, with);
                Err(self.simple_deadlock(request.target, mine, (with, its_mode, request.holder)))
            }
        }
    }

    /// Releases all that the transaction holds; `released_at` is the published state that shows its writes, or, if
    /// it wrote nothing, the newest one. Publish before release: a woken waiter must see our writes.
    pub fn release_transaction(&self, holder: Holder, released_at: Version) {
        let Some(state) = self.holders.get(holder) else { return };
        let log = state.take_log();
        for held in log.iter().rev() {
            self.release_place(holder, held.place, false, released_at);
        }
        state.keep_log(log);
        state.set_xid(Xid(0));
    }

    /// ROLLBACK TO: releases what was first taken in `sub` or a later subtransaction. RELEASE needs no call: a later
    /// ROLLBACK TO an outer savepoint has a smaller number.
    pub fn release_after(&self, holder: Holder, sub: SubXid, released_at: Version) {
        let Some(state) = self.holders.get(holder) else { return };
        let undone = {
            let mut inner = state.inner.lock();
            let kept = inner.log.iter().rposition(|held| held.sub < sub).map_or(0, |last| last + 1);
            inner.log.split_off(kept)
        };
        for held in undone.iter().rev() {
            self.release_place(holder, held.place, false, released_at);
        }
    }

    /// Takes one count off a session lock; false if the session does not have it (PostgreSQL warns then). `released_at`
    /// is the newest published state: what the session did under the lock is in it.
    pub fn release_session_lock<'a>(
        &self,
        holder: Holder,
        target: impl Into<TargetRef<'a>>,
        mode: Mode,
        released_at: Version,
    ) -> bool {
        let target = target.into();
        let hash = target.hash64();
        let (number, bucket) = shard_and_bucket(hash);
        let Some(slot) = self.shard(number).lock().table.find(hash, target) else {
            return false;
        };
        let place = Place {
            slot,
            shard: number,
            bucket,
            mode: mode.index(),
        };
        let Some(state) = self.holders.get(holder) else { return false };
        // Only what the session holds keeps the slot's meaning; no one else takes locks away from it meanwhile.
        if !state.inner.lock().session.contains(&place) {
            return false;
        }
        if self.release_place(holder, place, true, released_at) != Released::StillHeld {
            state.inner.lock().session.remove(&place);
        }
        true
    }

    /// `pg_advisory_unlock_all` and the session's end; `released_at` as in [`LockManager::release_session_lock`].
    pub fn release_all_session(&self, holder: Holder, released_at: Version) {
        let Some(state) = self.holders.get(holder) else { return };
        let session = std::mem::take(&mut state.inner.lock().session);
        for place in session {
            while self.release_place(holder, place, true, released_at) == Released::StillHeld {}
        }
    }

    fn release_place(&self, holder: Holder, place: Place, session: bool, released_at: Version) -> Released {
        let mut wakes = SmallVec::<[Wake; 4]>::new();
        let mut woken = Woken::new();
        let released = {
            let mut shard = self.shard(place.shard).lock();
            let seen = &mut shard.released[usize::from(place.bucket)];
            *seen = (*seen).max(released_at);
            let released = shard
                .table
                .release(place.slot, holder, place.mode, session, &self.covers(), &mut wakes);
            self.deliver(place, &shard, &wakes, &mut woken);
            released
        };
        notify(woken);
        released
    }

    /// Tells waiters their news, under the lock of the shard at `place`.
    pub(crate) fn deliver(&self, place: Place, shard: &Shard, wakes: &[Wake], woken: &mut Woken) {
        for wake in wakes {
            let (Wake::Granted { holder, .. } | Wake::Obtain { holder }) = *wake;
            let state = self
                .holders
                .get(holder)
                .expect("a holder leaves its queue before it is unregistered");
            {
                let mut inner = state.inner.lock();
                match *wake {
                    Wake::Obtain { .. } => {
                        if let WaitState::Waiting(waiting) = &mut inner.wait {
                            waiting.obtain = true;
                        }
                    }
                    Wake::Granted {
                        slot,
                        mode,
                        scope,
                        since,
                        ..
                    } => {
                        let place = Place {
                            slot,
                            mode: mode.index(),
                            ..place
                        };
                        let seen = shard.released[usize::from(place.bucket)];
                        let grant = Grant {
                            seen,
                            waited: true,
                            already_held: false,
                            granted_at: since,
                        };
                        self.authority.granted(&shard.table.entry(slot).target, mode);
                        inner.note(place, scope);
                        inner.wait = WaitState::Granted(grant, place, scope);
                    }
                }
            }
            woken.push(state);
        }
    }

    /// Leaves the queue, or gives back a grant that nobody has seen.
    pub(crate) fn abandon(&self, state: &HolderState) {
        let place = match state.inner.lock().wait {
            WaitState::Idle => return,
            WaitState::Waiting(waiting) => waiting.place,
            WaitState::Granted(_, place, _) => place,
        };
        let mut wakes = SmallVec::<[Wake; 4]>::new();
        let mut woken = Woken::new();
        {
            let mut shard = self.shard(place.shard).lock();
            // Read again: a grant may have come in between.
            let wait = std::mem::replace(&mut state.inner.lock().wait, WaitState::Idle);
            match wait {
                WaitState::Idle => {}
                WaitState::Waiting(_) => shard.table.dequeue(place.slot, state.id, &self.covers(), &mut wakes),
                WaitState::Granted(_, place, scope) => {
                    state.inner.lock().forget(place, scope);
                    let session = scope == Scope::Session;
                    shard
                        .table
                        .release(place.slot, state.id, place.mode, session, &self.covers(), &mut wakes);
                }
            }
            self.deliver(place, &shard, &wakes, &mut woken);
        }
        notify(woken);
    }

    /// After the node tried to obtain the ownership.
    pub(crate) fn retry(&self, state: &HolderState) {
        let WaitState::Waiting(Waiting { place, .. }) = state.inner.lock().wait else {
            return;
        };
        let mut wakes = SmallVec::<[Wake; 4]>::new();
        let mut woken = Woken::new();
        {
            let mut shard = self.shard(place.shard).lock();
            if let WaitState::Waiting(waiting) = &mut state.inner.lock().wait {
                waiting.obtain = false;
            } else {
                return;
            }
            shard.table.retry(place.slot, state.id, &self.covers(), &mut wakes);
            self.deliver(place, &shard, &wakes, &mut woken);
        }
        notify(woken);
    }

    /// The waiter's deadlock check: lets it or others overtake where that solves the cycle, else takes it out of its queue
    /// and answers with the error.
    pub(crate) fn check_deadlock(&self, state: &HolderState) -> Result<(), LockError> {
        let mut wakes = SmallVec::<[Wake; 4]>::new();
        let mut woken = Woken::new();
        let mut shards = self.lock_all();
        let WaitState::Waiting(Waiting { place, .. }) = state.inner.lock().wait else {
            return Ok(());
        };
        let (picture, places) = picture(&shards);
        let result = match picture.check(state.id) {
            Verdict::NoDeadlock => Ok(()),
            Verdict::Reorder(queues) => {
                for (queue, order) in queues {
                    let (shard, slot) = places[queue];
                    let shard = &mut shards[shard];
                    let target = shard.table.entry(slot).target.as_ref();
                    let (number, bucket) = shard_and_bucket(target.hash64());
                    shard.table.reorder(slot, &order, &self.covers(), &mut wakes);
                    self.deliver(
                        Place {
                            slot,
                            shard: number,
                            bucket,
                            mode: 0,
                        },
                        shard,
                        &wakes,
                        &mut woken,
                    );
                    wakes.clear();
                }
                Ok(())
            }
            Verdict::Deadlock(cycle) => {
                let line = |edge: &Edge| {
                    let (number, slot) = places[edge.queue];
                    let target = &shards[number].table.entry(slot).target;
                    self.describe(target.as_ref(), target.kind().mode(edge.mode), edge)
                };
                let detail = cycle.iter().map(line).collect::<Vec<_>>().join("\n");
                state.inner.lock().wait = WaitState::Idle;
                let shard = &mut shards[usize::from(place.shard)];
                shard.table.dequeue(place.slot, state.id, &self.covers(), &mut wakes);
                self.deliver(place, shard, &wakes, &mut woken);
                Err(deadlock(detail))
            }
        };
        drop(shards);
        notify(woken);
        result
    }

    fn describe(&self, target: TargetRef<'_>, mode: Mode, edge: &Edge) -> String {
        let pid = |holder| self.holders.get(holder).map_or(BackendPid(0), |state| state.pid);
        let xid = self.holders.get(edge.blocker).map_or(Xid(0), |state| state.xid());
        let what = match target {
            // PostgreSQL waits for the transaction that has the row, and for the row itself only behind other waiters.
            TargetRef::Record { .. } | TargetRef::Key { .. } if !edge.soft && xid.0 != 0 => {
                format!("ShareLock on transaction {}", xid.0 & 0xFFFF_FFFF)
            }
            _ => format!("{} on {target}", mode.pg_name()),
        };
        format!(
            "Process {} waits for {what}; blocked by process {}.",
            pid(edge.waiter),
            pid(edge.blocker)
        )
    }

    /// Two who would wait for each other on one target: `RememberSimpleDeadLock`.
    fn simple_deadlock(&self, target: TargetRef<'_>, mine: (Holder, Mode, Holder), its: (Holder, Mode, Holder)) -> LockError {
        let line = |(waiter, mode, blocker): (Holder, Mode, Holder)| {
            self.describe(
                target,
                mode,
                &Edge {
                    waiter,
                    blocker,
                    mode: mode.index(),
                    queue: 0,
                    soft: false,
                },
            )
        };
        deadlock([line(mine), line(its)].join("\n"))
    }

    /// Hands all of a transaction's locks on to another holder: PREPARE TRANSACTION.
    pub fn transfer_transaction(&self, from: Holder, to: Holder) {
        let (Some(from_state), Some(to_state)) = (self.holders.get(from), self.holders.get(to)) else {
            return;
        };
        let log = from_state.take_log();
        for held in &log {
            self.shard(held.place.shard)
                .lock()
                .table
                .transfer(held.place.slot, from, to, held.place.mode);
        }
        to_state.set_xid(from_state.xid());
        from_state.set_xid(Xid(0));
        to_state.inner.lock().log.extend(log);
    }

    /// What the transaction holds, in the order it was taken: what PREPARE TRANSACTION writes down and COMMIT guards.
    pub fn transaction_locks(&self, holder: Holder) -> Vec<(Target, Mode)> {
        let Some(state) = self.holders.get(holder) else {
            return Vec::new();
        };
        let log: Vec<Held> = state.inner.lock().log.clone();
        let target = |held: &Held| {
            let target = self
                .shard(held.place.shard)
                .lock()
                .table
                .entry(held.place.slot)
                .target
                .clone();
            let mode = target.kind().mode(held.place.mode);
            (target, mode)
        };
        log.iter().map(target).collect()
    }

    /// Whether a target is locked both by the holder's transaction and beyond it.
    pub fn holds_in_both_scopes(&self, holder: Holder) -> bool {
        self.holders.get(holder).is_some_and(|state| {
            let inner = state.inner.lock();
            let beyond: rustc_hash::FxHashSet<_> = inner.session.iter().map(|place| (place.shard, place.slot)).collect();
            !beyond.is_empty()
                && inner
                    .log
                    .iter()
                    .any(|held| beyond.contains(&(held.place.shard, held.place.slot)))
        })
    }

    /// The modes that the holder has on the target, in either scope.
    pub fn held<'a>(&self, holder: Holder, target: impl Into<TargetRef<'a>>) -> ModeSet {
        let target = target.into();
        let hash = target.hash64();
        let shard = self.shard(shard_and_bucket(hash).0).lock();
        let slot = shard.table.find(hash, target);
        slot.map_or(ModeSet::EMPTY, |slot| shard.table.entry(slot).owners.held_by(holder))
    }

    /// How many locks the transaction has taken: releasing very many is work for another thread than the sequencer's.
    pub fn transaction_lock_count(&self, holder: Holder) -> usize {
        self.holders.get(holder).map_or(0, |state| state.inner.lock().log.len())
    }

    pub(crate) fn shard(&self, number: u8) -> &Mutex<Shard> {
        &self.shards[usize::from(number)].0
    }

    /// One picture of everything: all shards, in ascending order.
    pub(crate) fn lock_all(&self) -> Vec<MutexGuard<'_, Shard>> {
        self.shards.iter().map(|shard| shard.0.lock()).collect()
    }

    fn covers(&self) -> impl Fn(&Target, Mode) -> Option<LogIndex> + '_ {
        |target, mode| self.authority.covers(target, mode)
    }
}

/// From bits that the index of a shard does not lean on.
fn shard_and_bucket(hash: u64) -> (u8, u8) {
    let bytes = hash.to_be_bytes();
    (bytes[3], bytes[2] % BUCKETS)
}

pub(crate) fn notify(woken: Woken) {
    for state in woken {
        state.wake.notify_one();
    }
}

fn deadlock(detail: String) -> LockError {
    LockError::Deadlock(
        PgError::new(crate::error::sqlstate::DEADLOCK_DETECTED, "deadlock detected")
            .detail(detail)
            .hint("See server log for query details."),
    )
}

/// Everybody's waits, and where each queue is.
fn picture(shards: &[MutexGuard<'_, Shard>]) -> (Picture, Vec<(usize, Slot)>) {
    let mut picture = Picture::default();
    let mut places = Vec::new();
    for (number, shard) in shards.iter().enumerate() {
        for (slot, entry) in shard.table.contended() {
            if let Some(queue) = queue(entry) {
                picture.push(queue);
                places.push((number, slot));
            }
        }
    }
    (picture, places)
}

fn queue(entry: &Entry) -> Option<Queue> {
    let Owners::Shared(shared) = &entry.owners else { return None };
    let held = |(&holder, holding): (&Holder, &Holding)| -> (Holder, ModeSet) { (holder, holding.all()) };
    let waiters = shared.queue.iter().map(|waiter| (waiter.holder, waiter.mode.index()));
    Some(Queue {
        kind: entry.target.kind(),
        holders: shared.holders.iter().map(held).collect(),
        waiters: waiters.collect(),
    })
}
