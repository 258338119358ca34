//! The lock table's rules as a pure state machine: no time, no thread, no socket. The [manager](super::manager) keeps
//! one table a shard and does the waiting.
//!
//! Each locked target has an entry: who holds it in which modes, and who waits, first come first served.
//! ```text
//! index: hash ──► slot ──► entry { target, owners: Solo(holder, modes)                       one holder: 16 bytes
//!                                         or Shared { counts by mode, holders, queue } }      more, or waiters
//! ```
//! Invariants:
//! - No two holders of an entry have conflicting modes; a holder never conflicts with itself.
//! - An entry lives exactly as long as somebody holds or waits, so its slot is a name for it meanwhile.
//! - Nobody waits who could go ahead: after every step the queue's grantable waiters have been granted, save those
//!   whose node has to obtain the ownership first.

use hashbrown::HashTable;
use rustc_hash::FxHashSet;

use crate::ids::LogIndex;
use crate::lock::mode::{Kind, Mode, ModeSet};
use crate::lock::owners::{Holding, Owners, Shared, Waiter};
use crate::lock::slots::Slots;
use crate::lock::target::{Target, TargetRef};
use crate::lock::{Holder, Scope, Wait};

/// Names an entry of one table while it is held or waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Slot(pub u32);

/// Boxes, because they move between here and the entries: the list saves their allocation.
pub(crate) type Spare = Vec<Box<Shared>>;

/// Shared parts kept for the next entry that needs one: a hot table's lock flips between one holder and many.
const SPARE_MAX: usize = 8;

/// Whether this node may grant a mode on a target, and since which log index: [`super::Authority::covers`].
pub(crate) trait Covers: Fn(&Target, Mode) -> Option<LogIndex> {}
impl<F: Fn(&Target, Mode) -> Option<LogIndex>> Covers for F {}

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ask {
    pub holder: Holder,
    pub mode: Mode,
    pub scope: Scope,
    pub wait: Wait,
}

/// What became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Granted {
        slot: Slot,
        since: LogIndex,
    },
    /// The holder had it before, in this scope: nothing to undo but a session lock's count.
    AlreadyHeld,
    Queued {
        slot: Slot,
        /// The table would grant it, but the node has to obtain the ownership.
        obtain: bool,
    },
    /// As `Queued { obtain: true }` for a request that does not wait: nothing was recorded.
    Uncovered,
    Refused,
    Skipped,
    /// Waiting would deadlock with this waiter of the same queue.
    Deadlock {
        with: Holder,
        its_mode: Mode,
    },
    Full,
}

/// News for a waiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wake {
    Granted {
        holder: Holder,
        slot: Slot,
        mode: Mode,
        scope: Scope,
        since: LogIndex,
    },
    /// The table would grant it now: obtain the ownership, then [`Table::retry`].
    Obtain { holder: Holder },
}

pub(crate) struct Entry {
    pub target: Target,
    pub owners: Owners,
}

/// One shard's locks.
pub(crate) struct Table {
    slots: Slots,
    index: HashTable<Slot>,
    /// Entries with waiters: all that a deadlock check has to look at.
    contended: FxHashSet<Slot>,
    spare: Spare,
    /// Modes held and waited for, over all entries.
    locks: usize,
    locks_max: usize,
}

impl Table {
    pub fn new(locks_max: usize) -> Self {
        Table {
            slots: Slots::default(),
            index: HashTable::new(),
            contended: FxHashSet::default(),
            spare: Vec::new(),
            locks: 0,
            locks_max,
        }
    }

    /// Grants, queues or refuses. PostgreSQL's rules (`LockAcquireExtended`, `ProcSleep` in lock.c and proc.c): a request
    /// waits if it conflicts with a holder or with a waiter, except that a holder goes ahead of waiters who wait for it.
    /// A record lock (`heap_lock_tuple`) looks at holders only.
    pub fn acquire(&mut self, hash: u64, target: TargetRef<'_>, ask: &Ask, covers: &impl Covers) -> Answer {
        let Some(slot) = self.find(hash, target) else {
            return self.acquire_new(hash, target, ask, covers);
        };
        let kind = target.kind();
        let index = ask.mode.index();
        let entry = self.slots.get_mut(slot);
        let own = entry.owners.held_by(ask.holder);
        if entry.owners.bump_if_held(kind, ask.holder, index, ask.scope) {
            return Answer::AlreadyHeld;
        }
        if self.locks >= self.locks_max {
            return Answer::Full;
        }
        let conflicts = kind.conflicts(index);
        let by_holder = entry.owners.held_by_others(ask.holder, own).intersects(conflicts);
        let by_waiter = match kind {
            // Only behind one that nobody here blocks, which waits for other nodes.
            Kind::Record => entry.owners.first_obtains(conflicts),
            Kind::Relation | Kind::Advisory | Kind::Key => entry.owners.waiting().intersects(conflicts),
        };
        // Held in the other scope: the same transaction never waits for itself.
        let free = (!by_holder && !by_waiter) || own.contains(index);
        let place = if free {
            Place::Free
        } else {
            entry.owners.place_in_queue(kind, ask, own, by_holder)
        };
        let position = match place {
            Place::Free => {
                let Some(since) = covers(&entry.target, ask.mode) else {
                    return self.queue_uncovered(slot, ask);
                };
                self.grant(slot, ask.holder, ask.mode, ask.scope);
                return Answer::Granted { slot, since };
            }
            Place::Deadlock { with, its_mode } if ask.wait == Wait::Block => return Answer::Deadlock { with, its_mode },
            Place::Deadlock { .. } => 0,
            Place::At(position) => position,
        };
        match ask.wait {
            Wait::NoWait => Answer::Refused,
            Wait::Skip => Answer::Skipped,
            Wait::Block => {
                self.enqueue(slot, ask, position, false);
                Answer::Queued { slot, obtain: false }
            }
        }
    }

    fn acquire_new(&mut self, hash: u64, target: TargetRef<'_>, ask: &Ask, covers: &impl Covers) -> Answer {
        if self.locks >= self.locks_max {
            return Answer::Full;
        }
        let owned = target.to_target();
        let Some(since) = covers(&owned, ask.mode) else {
            if ask.wait != Wait::Block {
                return Answer::Uncovered;
            }
            let slot = self.insert(hash, owned);
            self.enqueue(slot, ask, 0, true);
            return Answer::Queued { slot, obtain: true };
        };
        let slot = self.insert(hash, owned);
        self.grant(slot, ask.holder, ask.mode, ask.scope);
        Answer::Granted { slot, since }
    }

    /// The table says yes, the node may not grant yet: the waiter keeps a place, in front of those who wait for it.
    fn queue_uncovered(&mut self, slot: Slot, ask: &Ask) -> Answer {
        if ask.wait != Wait::Block {
            return Answer::Uncovered;
        }
        let position = match self.slots.get(slot).owners.first_waiter_for(ask.holder, ask.mode.kind()) {
            Some(position) => position,
            None => self.slots.get(slot).owners.queue_len(),
        };
        self.enqueue(slot, ask, position, true);
        Answer::Queued { slot, obtain: true }
    }

    /// Takes one mode from a holder: a transaction's, or one count of a session's. Whether the holder had it.
    pub fn release(
        &mut self,
        slot: Slot,
        holder: Holder,
        index: u8,
        session: bool,
        covers: &impl Covers,
        wakes: &mut impl Extend<Wake>,
    ) -> Released {
        let entry = self.slots.get_mut(slot);
        let released = entry.owners.release(holder, index, session);
        match released {
            Released::NotHeld | Released::StillHeld => return released,
            Released::InOtherScope => self.locks -= 1,
            Released::Gone => {
                self.locks -= 1;
                let freed = entry.target.kind().conflicts(index);
                if entry.owners.waiting().intersects(freed) {
                    self.wake(slot, covers, wakes);
                }
            }
        }
        self.remove_if_empty(slot);
        released
    }

    /// Removes a waiter: it gave up. Those behind it may go ahead.
    pub fn dequeue(&mut self, slot: Slot, holder: Holder, covers: &impl Covers, wakes: &mut impl Extend<Wake>) {
        if let Some(shared) = self.slots.get_mut(slot).owners.shared_mut()
            && let Some(position) = shared.queue.iter().position(|waiter| waiter.holder == holder)
        {
            shared.remove_waiter(position);
            self.locks -= 1;
        }
        self.wake(slot, covers, wakes);
        self.remove_if_empty(slot);
    }

    /// The waiter's node has tried to obtain the ownership: look at it again.
    pub fn retry(&mut self, slot: Slot, holder: Holder, covers: &impl Covers, wakes: &mut impl Extend<Wake>) {
        if let Some(shared) = self.slots.get_mut(slot).owners.shared_mut()
            && let Some(waiter) = shared.queue.iter_mut().find(|waiter| waiter.holder == holder)
        {
            waiter.obtaining = false;
        }
        self.wake(slot, covers, wakes);
    }

    /// Puts the queue into the order that the deadlock check found, and wakes whom that frees.
    pub fn reorder(&mut self, slot: Slot, order: &[Holder], covers: &impl Covers, wakes: &mut impl Extend<Wake>) {
        if let Some(shared) = self.slots.get_mut(slot).owners.shared_mut() {
            let place = |waiter: &Waiter| order.iter().position(|&holder| holder == waiter.holder);
            shared.queue.make_contiguous().sort_by_key(place);
        }
        self.wake(slot, covers, wakes);
    }

    /// `ProcLockWakeup`: grants in queue order whatever conflicts neither with holders nor with those still waiting ahead.
    fn wake(&mut self, slot: Slot, covers: &impl Covers, wakes: &mut impl Extend<Wake>) {
        let entry = self.slots.get_mut(slot);
        let Owners::Shared(shared) = &mut entry.owners else { return };
        let kind = entry.target.kind();
        let mut blocked = ModeSet::EMPTY;
        let mut position = 0;
        while let Some(waiter) = shared.queue.get_mut(position) {
            if shared.waiting_set.0 & !blocked.0 == 0 {
                break;
            }
            let index = waiter.mode.index();
            let own = shared.holders.get(&waiter.holder).map_or(ModeSet::EMPTY, Holding::all);
            let conflicts = kind.conflicts(index);
            let free = !blocked.contains(index) && !shared.counts.others(own).intersects(conflicts);
            let since = if free { covers(&entry.target, waiter.mode) } else { None };
            if let Some(since) = since {
                let Waiter { holder, mode, scope, .. } = shared.remove_waiter(position);
                shared.add(holder, index, scope);
                wakes.extend([Wake::Granted {
                    holder,
                    slot,
                    mode,
                    scope,
                    since,
                }]);
            } else {
                if free && !waiter.obtaining {
                    waiter.obtaining = true;
                    wakes.extend([Wake::Obtain { holder: waiter.holder }]);
                }
                blocked = blocked.union(conflicts);
                position += 1;
            }
        }
        if shared.queue.is_empty() {
            self.contended.remove(&slot);
        }
    }

    fn grant(&mut self, slot: Slot, holder: Holder, mode: Mode, scope: Scope) {
        self.locks += 1;
        let owners = &mut self.slots.get_mut(slot).owners;
        if !owners.grant_solo(holder, mode.index(), scope) {
            owners.make_shared(&mut self.spare).add(holder, mode.index(), scope);
        }
    }

    fn enqueue(&mut self, slot: Slot, ask: &Ask, position: usize, obtaining: bool) {
        self.locks += 1;
        let shared = self.slots.get_mut(slot).owners.make_shared(&mut self.spare);
        shared.insert_waiter(
            position,
            Waiter {
                holder: ask.holder,
                mode: ask.mode,
                scope: ask.scope,
                obtaining,
            },
        );
        self.contended.insert(slot);
    }

    /// Hands a transaction's mode on to another holder (PREPARE TRANSACTION); `from` has the mode in transaction scope.
    pub fn transfer(&mut self, slot: Slot, from: Holder, to: Holder, index: u8) {
        let owners = &mut self.slots.get_mut(slot).owners;
        if owners.transfer_solo(from, to) {
            return;
        }
        let shared = owners.make_shared(&mut self.spare);
        if shared.release(from, index, false) != Released::NotHeld {
            shared.add(to, index, Scope::Transaction(crate::ids::SubXid(1)));
        }
    }

    pub fn find(&self, hash: u64, target: TargetRef<'_>) -> Option<Slot> {
        self.index
            .find(hash, |&slot| self.slots.get(slot).target.as_ref() == target)
            .copied()
    }

    fn insert(&mut self, hash: u64, target: Target) -> Slot {
        let slot = self.slots.insert(Entry {
            target,
            owners: Owners::Nobody,
        });
        let slots = &self.slots;
        self.index
            .insert_unique(hash, slot, |&slot| slots.get(slot).target.as_ref().hash64());
        slot
    }

    fn remove_if_empty(&mut self, slot: Slot) {
        let entry = self.slots.get_mut(slot);
        if !entry.owners.is_empty() {
            return;
        }
        let hash = entry.target.as_ref().hash64();
        if let Owners::Shared(mut shared) = std::mem::replace(&mut entry.owners, Owners::Nobody)
            && self.spare.len() < SPARE_MAX
            && shared.recycle()
        {
            self.spare.push(shared);
        }
        self.slots.remove(slot);
        self.contended.remove(&slot);
        self.index
            .find_entry(hash, |&other| other == slot)
            .expect("every entry is in the index")
            .remove();
        if self.index.is_empty() && self.slots.shrink() {
            self.index = HashTable::new();
        }
    }

    pub fn entry(&self, slot: Slot) -> &Entry {
        self.slots.get(slot)
    }

    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.index.iter().map(|&slot| self.slots.get(slot))
    }

    /// The entries that somebody waits for.
    pub fn contended(&self) -> impl Iterator<Item = (Slot, &Entry)> {
        self.contended.iter().map(|&slot| (slot, self.slots.get(slot)))
    }

    /// Modes held and waited for.
    pub fn locks(&self) -> usize {
        self.locks
    }
}

/// Where a request that cannot be granted at once belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    At(usize),
    /// Ahead of waiters who wait for the asking holder nothing stands in its way.
    Free,
    Deadlock {
        with: Holder,
        its_mode: Mode,
    },
}

/// What a release took away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Released {
    NotHeld,
    /// A session lock with a count above one.
    StillHeld,
    /// The last of this scope; the holder has the mode in the other scope as well.
    InOtherScope,
    Gone,
}
