//! Savepoints and statement marks: what is taken back, and how far.
//!
//! Subtransaction numbers only grow. Everything of a number at or above a savepoint's belongs to it or to what came
//! after, so RELEASE has nothing to move, and ROLLBACK TO takes back whatever has such a number.

use super::transaction::{State, Txn};
use crate::error::{PgError, Result, sqlstate};
use crate::ids::SubXid;

/// A place in the transaction to go back to.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    sub: SubXid,
    writes: usize,
    hooks: usize,
    notifications: usize,
    dropped: usize,
}

pub(super) struct Savepoint {
    name: String,
    pub sub: SubXid,
    mark: Mark,
}

impl Txn {
    /// A mark; locks taken from now on go with [`Txn::back_to`].
    pub fn mark(&self) -> Mark {
        let sub = self.next_sub();
        let state = self.state.lock();
        Mark {
            sub,
            writes: self.buffer().mark(),
            hooks: state.hooks.len(),
            notifications: state.notifications.len(),
            dropped: state.dropped.len(),
        }
    }

    /// Takes back everything since the mark: writes, locks, hooks, storages.
    pub fn back_to(&self, mark: Mark) {
        {
            let mut state = self.state.lock();
            state.hooks.truncate(mark.hooks);
            state.notifications.truncate(mark.notifications);
            state.dropped.truncate(mark.dropped);
            // What is known of relation locks may be released below.
            state.relations.clear();
            self.forget_storages(&mut state, mark.sub);
            self.buffer().back_to(mark.writes);
        }
        let released_at = self.link().seen.get();
        self.engine().locks.release_after(self.link().holder, mark.sub, released_at);
        // Locks taken from here on belong to a new subtransaction.
        self.next_sub();
    }

    fn forget_storages(&self, state: &mut State, sub: SubXid) {
        let gone: Vec<_> = state
            .own_storages
            .iter()
            .filter(|(_, made)| **made >= sub)
            .map(|(storage, _)| *storage)
            .collect();
        for storage in gone {
            state.own_storages.remove(&storage);
            self.engine().graveyard.bury_now(storage);
        }
    }

    pub fn savepoint(&self, name: &str) {
        let mark = self.mark();
        self.state.lock().savepoints.push(Savepoint {
            name: name.to_owned(),
            sub: mark.sub,
            mark,
        });
    }

    /// # Errors
    /// 3B001 for a name that no savepoint has.
    pub fn release(&self, name: &str) -> Result<()> {
        let mut state = self.state.lock();
        let index = find(&state, name)?;
        state.savepoints.truncate(index);
        Ok(())
    }

    /// Goes back to a savepoint, which stays.
    ///
    /// # Errors
    /// 3B001 for a name that no savepoint has.
    pub fn rollback_to(&self, name: &str) -> Result<()> {
        let mark = {
            let mut state = self.state.lock();
            let index = find(&state, name)?;
            state.savepoints.truncate(index + 1);
            state.savepoints[index].mark
        };
        self.back_to(mark);
        Ok(())
    }
}

fn find(state: &State, name: &str) -> Result<usize> {
    state
        .savepoints
        .iter()
        .rposition(|savepoint| savepoint.name == name)
        .ok_or_else(|| {
            PgError::new(
                sqlstate::S_E_INVALID_SPECIFICATION,
                format!("savepoint \"{name}\" does not exist"),
            )
        })
}
