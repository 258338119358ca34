//! Who has and who wants one target.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::lock::mode::{Kind, Mode, ModeSet};
use crate::lock::table::{Ask, Place, Released, Spare};
use crate::lock::{Holder, Scope};

/// Capacity of the collections of a [`Shared`] that is worth keeping.
const RECYCLED_MAX: usize = 64;

/// Nearly all locks have one holder, one mode, and nobody waiting: those take 16 bytes here.
pub(crate) enum Owners {
    Nobody,
    Solo { holder: Holder, modes: ModeSet },
    Shared(Box<Shared>),
}

#[derive(Default)]
pub(crate) struct Shared {
    pub counts: Counts,
    pub holders: FxHashMap<Holder, Holding>,
    pub queue: VecDeque<Waiter>,
    waiting: [u32; 8],
    /// The modes with a count in `waiting`.
    pub waiting_set: ModeSet,
}

/// How many holders have each mode: joining and leaving a crowd costs the same as being alone.
#[derive(Default)]
pub(crate) struct Counts {
    by_mode: [u32; 8],
    set: ModeSet,
}

/// What one holder has of a target.
#[derive(Default)]
pub(crate) struct Holding {
    pub transaction: ModeSet,
    /// Mode index and count: session locks are re-entrant.
    pub session: SmallVec<[(u8, u32); 1]>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiter {
    pub holder: Holder,
    pub mode: Mode,
    pub scope: Scope,
    /// It has been told to obtain the node's ownership.
    pub obtaining: bool,
}

impl Counts {
    fn add(&mut self, index: u8) {
        self.by_mode[usize::from(index)] += 1;
        self.set = self.set.with(index);
    }

    fn subtract(&mut self, index: u8) {
        let count = &mut self.by_mode[usize::from(index)];
        *count -= 1;
        if *count == 0 {
            self.set = self.set.without(index);
        }
    }

    /// The modes that holders other than one with `own` have.
    pub fn others(&self, own: ModeSet) -> ModeSet {
        if own.is_empty() {
            return self.set;
        }
        let alone = own.indexes().filter(|&index| self.by_mode[usize::from(index)] == 1);
        alone.fold(self.set, ModeSet::without)
    }
}

impl Holding {
    pub fn all(&self) -> ModeSet {
        self.session.iter().fold(self.transaction, |set, &(index, _)| set.with(index))
    }

    fn is_empty(&self) -> bool {
        self.transaction.is_empty() && self.session.is_empty()
    }
}

impl Shared {
    pub fn add(&mut self, holder: Holder, index: u8, scope: Scope) {
        let holding = self.holders.entry(holder).or_default();
        let had = holding.all().contains(index);
        match scope {
            Scope::Transaction(_) => holding.transaction = holding.transaction.with(index),
            Scope::Session => match holding.session.iter_mut().find(|(mode, _)| *mode == index) {
                Some((_, count)) => *count += 1,
                None => holding.session.push((index, 1)),
            },
        }
        if !had {
            self.counts.add(index);
        }
    }

    pub fn release(&mut self, holder: Holder, index: u8, session: bool) -> Released {
        let Some(holding) = self.holders.get_mut(&holder) else {
            return Released::NotHeld;
        };
        if session {
            let Some(place) = holding.session.iter().position(|&(mode, _)| mode == index) else {
                return Released::NotHeld;
            };
            let count = &mut holding.session[place].1;
            *count -= 1;
            if *count > 0 {
                return Released::StillHeld;
            }
            holding.session.remove(place);
        } else if holding.transaction.contains(index) {
            holding.transaction = holding.transaction.without(index);
        } else {
            return Released::NotHeld;
        }
        if holding.all().contains(index) {
            return Released::InOtherScope;
        }
        if holding.is_empty() {
            self.holders.remove(&holder);
        }
        self.counts.subtract(index);
        Released::Gone
    }

    pub fn insert_waiter(&mut self, position: usize, waiter: Waiter) {
        let index = waiter.mode.index();
        self.waiting[usize::from(index)] += 1;
        self.waiting_set = self.waiting_set.with(index);
        self.queue.insert(position, waiter);
    }

    pub fn remove_waiter(&mut self, position: usize) -> Waiter {
        let waiter = self
            .queue
            .remove(position)
            .expect("the caller found the waiter at this position");
        let index = waiter.mode.index();
        let count = &mut self.waiting[usize::from(index)];
        *count -= 1;
        if *count == 0 {
            self.waiting_set = self.waiting_set.without(index);
        }
        waiter
    }

    /// Whether this emptied part is small enough to be used again.
    pub fn recycle(&mut self) -> bool {
        self.holders.capacity() <= RECYCLED_MAX && self.queue.capacity() <= RECYCLED_MAX
    }
}

impl Owners {
    pub fn is_empty(&self) -> bool {
        match self {
            Owners::Nobody => true,
            Owners::Solo { modes, .. } => modes.is_empty(),
            Owners::Shared(shared) => shared.holders.is_empty() && shared.queue.is_empty(),
        }
    }

    pub fn shared_mut(&mut self) -> Option<&mut Shared> {
        match self {
            Owners::Shared(shared) => Some(shared),
            Owners::Nobody | Owners::Solo { .. } => None,
        }
    }

    /// Everything that the holder has, in both scopes.
    pub fn held_by(&self, who: Holder) -> ModeSet {
        match self {
            Owners::Solo { holder, modes } if *holder == who => *modes,
            Owners::Nobody | Owners::Solo { .. } => ModeSet::EMPTY,
            Owners::Shared(shared) => shared.holders.get(&who).map_or(ModeSet::EMPTY, Holding::all),
        }
    }

    /// What others than `who`, who has `own`, hold.
    pub fn held_by_others(&self, who: Holder, own: ModeSet) -> ModeSet {
        match self {
            Owners::Solo { holder, modes } if *holder != who => *modes,
            Owners::Nobody | Owners::Solo { .. } => ModeSet::EMPTY,
            Owners::Shared(shared) => shared.counts.others(own),
        }
    }

    pub fn waiting(&self) -> ModeSet {
        match self {
            Owners::Nobody | Owners::Solo { .. } => ModeSet::EMPTY,
            Owners::Shared(shared) => shared.waiting_set,
        }
    }

    /// Whether the first waiter is one that only lacks the node's ownership, and wants something of `conflicts`.
    pub fn first_obtains(&self, conflicts: ModeSet) -> bool {
        let Owners::Shared(shared) = self else { return false };
        shared
            .queue
            .front()
            .is_some_and(|first| first.obtaining && conflicts.contains(first.mode.index()))
    }

    pub fn queue_len(&self) -> usize {
        match self {
            Owners::Nobody | Owners::Solo { .. } => 0,
            Owners::Shared(shared) => shared.queue.len(),
        }
    }

    /// Whether the scope has the mode, or one that covers it; counts a session lock once more.
    pub fn bump_if_held(&mut self, kind: Kind, who: Holder, index: u8, scope: Scope) -> bool {
        let covered = |held: ModeSet| held.indexes().any(|mode| kind.covered_by(mode).contains(index));
        match (self, scope) {
            (Owners::Nobody, _) | (Owners::Solo { .. }, Scope::Session) => false,
            (Owners::Solo { holder, modes }, Scope::Transaction(_)) => *holder == who && covered(*modes),
            (Owners::Shared(shared), Scope::Transaction(_)) => {
                shared.holders.get(&who).is_some_and(|held| covered(held.transaction))
            }
            (Owners::Shared(shared), Scope::Session) => {
                let Some(held) = shared.holders.get_mut(&who) else {
                    return false;
                };
                let Some((_, count)) = held.session.iter_mut().find(|(mode, _)| *mode == index) else {
                    return false;
                };
                *count += 1;
                true
            }
        }
    }

    /// `ProcSleep`: behind everybody, or, for a holder, in front of the first waiter who waits for it. A record's
    /// deadlocks are left to the timed check, as PostgreSQL finds them there.
    pub fn place_in_queue(&self, kind: Kind, ask: &Ask, own: ModeSet, by_holder: bool) -> Place {
        let Owners::Shared(shared) = self else { return Place::At(0) };
        if own.is_empty() {
            return Place::At(shared.queue.len());
        }
        let conflicts = kind.conflicts(ask.mode.index());
        let mut ahead = ModeSet::EMPTY;
        for (position, waiter) in shared.queue.iter().enumerate() {
            if kind.conflicts(waiter.mode.index()).intersects(own) {
                let its = shared.holders.get(&waiter.holder).map_or(ModeSet::EMPTY, Holding::all);
                if kind != Kind::Record && conflicts.intersects(its) {
                    return Place::Deadlock {
                        with: waiter.holder,
                        its_mode: waiter.mode,
                    };
                }
                if !by_holder && !conflicts.intersects(ahead) {
                    return Place::Free;
                }
                return Place::At(position);
            }
            ahead = ahead.with(waiter.mode.index());
        }
        Place::At(shared.queue.len())
    }

    /// The place of the first waiter who waits for what `who` holds.
    pub fn first_waiter_for(&self, who: Holder, kind: Kind) -> Option<usize> {
        let Owners::Shared(shared) = self else { return None };
        let own = self.held_by(who);
        shared
            .queue
            .iter()
            .position(|waiter| kind.conflicts(waiter.mode.index()).intersects(own))
    }

    /// Grants without a [`Shared`] where that is possible.
    pub fn grant_solo(&mut self, who: Holder, index: u8, scope: Scope) -> bool {
        match (&mut *self, scope) {
            (Owners::Nobody, Scope::Transaction(_)) => {
                *self = Owners::Solo {
                    holder: who,
                    modes: ModeSet::EMPTY.with(index),
                };
                true
            }
            (Owners::Solo { holder, modes }, Scope::Transaction(_)) if *holder == who => {
                *modes = modes.with(index);
                true
            }
            _ => false,
        }
    }

    pub fn transfer_solo(&mut self, from: Holder, to: Holder) -> bool {
        match self {
            Owners::Solo { holder, .. } if *holder == from => {
                *holder = to;
                true
            }
            // A holder with several modes moves whole at the first of them.
            Owners::Solo { holder, .. } => *holder == to,
            Owners::Nobody | Owners::Shared(_) => false,
        }
    }

    pub fn make_shared(&mut self, spare: &mut Spare) -> &mut Shared {
        if !matches!(self, Owners::Shared(_)) {
            let mut shared = spare.pop().unwrap_or_default();
            if let Owners::Solo { holder, modes } = self {
                shared.holders.insert(
                    *holder,
                    Holding {
                        transaction: *modes,
                        session: SmallVec::new(),
                    },
                );
                modes.indexes().for_each(|index| shared.counts.add(index));
            }
            *self = Owners::Shared(shared);
        }
        match self {
            Owners::Shared(shared) => shared,
            Owners::Nobody | Owners::Solo { .. } => unreachable!("made shared above"),
        }
    }

    pub fn release(&mut self, who: Holder, index: u8, session: bool) -> Released {
        match self {
            Owners::Solo { holder, modes } if *holder == who && !session && modes.contains(index) => {
                *modes = modes.without(index);
                Released::Gone
            }
            Owners::Nobody | Owners::Solo { .. } => Released::NotHeld,
            Owners::Shared(shared) => shared.release(who, index, session),
        }
    }
}
