//! Deadlock detection, PostgreSQL's algorithm (`src/backend/storage/lmgr/deadlock.c`, README "The Deadlock Detection
//! Algorithm"), over a picture of the waits.
//!
//! A waiter waits *hard* for holders that it conflicts with, and *soft* for waiters ahead of it that it conflicts with.
//! A cycle of hard edges is a deadlock. A cycle with a soft edge may be solved by turning that edge round: letting the
//! waiter overtake. The search tries such reorderings until one leaves no cycle.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::lock::Holder;
use crate::lock::mode::{Kind, ModeSet};

/// Configurations of queues that one check tries before it gives the deadlock for unsolvable.
const CONFIGURATIONS_MAX: usize = 1_000;

/// One target that somebody waits for.
pub(crate) struct Queue {
    pub kind: Kind,
    pub holders: Vec<(Holder, ModeSet)>,
    /// In order, with the index of the mode each waits for.
    pub waiters: Vec<(Holder, u8)>,
}

/// All waits at one moment.
#[derive(Default)]
pub(crate) struct Picture {
    pub queues: Vec<Queue>,
    /// The queue that each waiter is in, and the mode that it waits for.
    waits: FxHashMap<Holder, (usize, u8)>,
}

/// A step of a cycle: `waiter` waits for `blocker`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub waiter: Holder,
    pub blocker: Holder,
    pub mode: u8,
    /// Index into [`Picture::queues`].
    pub queue: usize,
    pub soft: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    NoDeadlock,
    /// These queues in these orders leave no deadlock.
    Reorder(Vec<(usize, Vec<Holder>)>),
    /// The cycle, from the checking waiter on where it is in it.
    Deadlock(Vec<Edge>),
}

impl Picture {
    pub fn push(&mut self, queue: Queue) {
        for &(holder, mode) in &queue.waiters {
            self.waits.insert(holder, (self.queues.len(), mode));
        }
        self.queues.push(queue);
    }

    /// Whether `start` is in a deadlock, and what to do about it.
    pub fn check(&self, start: Holder) -> Verdict {
        let mut search = Search {
            picture: self,
            orders: FxHashMap::default(),
            constraints: Vec::new(),
            tried: 0,
        };
        if search.solve(start) {
            let orders = search.orders.into_iter();
            let mut changed: Vec<_> = orders
                .map(|(queue, order)| (queue, order.into_iter().map(|w| w.0).collect()))
                .collect();
            changed.sort_unstable_by_key(|&(queue, _)| queue);
            return if changed.is_empty() {
                Verdict::NoDeadlock
            } else {
                Verdict::Reorder(changed)
            };
        }
        search.orders.clear();
        Verdict::Deadlock(search.find_cycle(start).unwrap_or_default())
    }
}

struct Search<'a> {
    picture: &'a Picture,
    /// Queues in a proposed order.
    orders: FxHashMap<usize, Vec<(Holder, u8)>>,
    /// Soft edges to turn round: the waiter has to come before the blocker.
    constraints: Vec<Edge>,
    tried: usize,
}

/// How the waits look under the constraints.
enum Tested {
    Free,
    Soft(Vec<Edge>),
    Hard,
}

impl Search<'_> {
    /// `DeadLockCheckRecurse`: whether some set of constraints solves it; `orders` then holds the solution.
    fn solve(&mut self, start: Holder) -> bool {
        self.tried += 1;
        if self.tried > CONFIGURATIONS_MAX {
            return false;
        }
        let edges = match self.test(start) {
            Tested::Free => return true,
            Tested::Hard => return false,
            Tested::Soft(edges) => edges,
        };
        for edge in edges {
            self.constraints.push(edge);
            if self.solve(start) {
                return true;
            }
            self.constraints.pop();
        }
        false
    }

    /// `TestConfiguration`: cycles through the checking waiter or through anybody whom a constraint moved.
    fn test(&mut self, start: Holder) -> Tested {
        if !self.expand() {
            return Tested::Hard;
        }
        let moved = self.constraints.iter().flat_map(|edge| [edge.waiter, edge.blocker]);
        let mut soft = Vec::new();
        for from in moved.chain([start]) {
            if let Some(cycle) = self.find_cycle(from) {
                // The edge farthest from the waiter is tried first, as PostgreSQL does: which queue changes is visible.
                soft = cycle.into_iter().rev().filter(|edge| edge.soft).collect();
                if soft.is_empty() {
                    return Tested::Hard;
                }
            }
        }
        if soft.is_empty() { Tested::Free } else { Tested::Soft(soft) }
    }

    /// `ExpandConstraints`: orders every constrained queue anew; false if the constraints contradict each other.
    fn expand(&mut self) -> bool {
        self.orders.clear();
        for place in 0..self.constraints.len() {
            let queue = self.constraints[place].queue;
            if self.orders.contains_key(&queue) {
                continue;
            }
            match self.sort(queue) {
                Some(order) => self.orders.insert(queue, order),
                None => return false,
            };
        }
        true
    }

    /// `TopoSort`: the queue's order, changed only where constraints say so. Filled from the end with the last waiter
    /// that nobody unplaced has to follow.
    fn sort(&self, queue: usize) -> Option<Vec<(Holder, u8)>> {
        let mut rest = self.picture.queues[queue].waiters.clone();
        let mut order = Vec::with_capacity(rest.len());
        while !rest.is_empty() {
            let unplaced: FxHashSet<Holder> = rest.iter().map(|waiter| waiter.0).collect();
            let must_precede = |holder: Holder| {
                let mine = self
                    .constraints
                    .iter()
                    .filter(|edge| edge.queue == queue && edge.waiter == holder);
                mine.into_iter().any(|edge| unplaced.contains(&edge.blocker))
            };
            let last = rest.iter().rposition(|waiter| !must_precede(waiter.0))?;
            order.push(rest.remove(last));
        }
        order.reverse();
        Some(order)
    }

    fn order(&self, queue: usize) -> &[(Holder, u8)] {
        self.orders
            .get(&queue)
            .map_or(&self.picture.queues[queue].waiters, |order| order)
    }

    /// `FindLockCycle`: a depth-first search for a way from `from` back to itself, with a stack of its own.
    fn find_cycle(&self, from: Holder) -> Option<Vec<Edge>> {
        let mut visited = FxHashSet::default();
        visited.insert(from);
        let mut seen_ahead = FxHashMap::default();
        let mut path = vec![self.step(from)?];
        while let Some(step) = path.last_mut() {
            let Some(blocker) = self.advance(step, from, &visited, &mut seen_ahead) else {
                path.pop();
                continue;
            };
            if blocker == from {
                return Some(path.iter().map(|step| step.edge).collect());
            }
            if visited.insert(blocker)
                && let Some(step) = self.step(blocker)
            {
                path.push(step);
            }
        }
        None
    }

    fn step(&self, waiter: Holder) -> Option<Step> {
        let &(queue, mode) = self.picture.waits.get(&waiter)?;
        let conflicts = self.picture.queues[queue].kind.conflicts(mode);
        let edge = Edge {
            waiter,
            blocker: waiter,
            mode,
            queue,
            soft: false,
        };
        Some(Step {
            edge,
            conflicts,
            next: 0,
        })
    }

    /// The next one whom the step's waiter waits for. `seen_ahead` counts, for each queue, the waiters at its front that
    /// were all visited: a queue of thousands is walked once, not once for each waiter.
    fn advance(
        &self,
        step: &mut Step,
        from: Holder,
        visited: &FxHashSet<Holder>,
        seen_ahead: &mut FxHashMap<usize, usize>,
    ) -> Option<Holder> {
        let queue = step.edge.queue;
        let holders = &self.picture.queues[queue].holders;
        while !step.edge.soft {
            let Some(&(holder, modes)) = holders.get(step.next) else {
                step.edge.soft = true;
                step.next = *seen_ahead.get(&queue).unwrap_or(&0);
                break;
            };
            step.next += 1;
            if holder != step.edge.waiter && modes.intersects(step.conflicts) {
                step.edge.blocker = holder;
                return Some(holder);
            }
        }
        let order = self.order(queue);
        while let Some(&(holder, mode)) = order.get(step.next) {
            if holder == step.edge.waiter {
                return None;
            }
            let seen = seen_ahead.entry(queue).or_insert(0);
            if *seen == step.next && holder != from && visited.contains(&holder) {
                *seen += 1;
            }
            step.next += 1;
            if step.conflicts.contains(mode) && (holder == from || !visited.contains(&holder)) {
                step.edge.blocker = holder;
                return Some(holder);
            }
        }
        None
    }
}

struct Step {
    edge: Edge,
    conflicts: ModeSet,
    /// The next holder to look at, or, once `edge.soft`, the next place in the queue.
    next: usize,
}
