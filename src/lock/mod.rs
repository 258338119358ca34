#![doc = include_str!("README.md")]

pub mod authority;
mod deadlock;
mod error;
mod holders;
pub mod manager;
pub mod mode;
mod owners;
mod slots;
mod table;
pub mod target;
#[cfg(test)]
mod tests;
mod views;
mod wait;

use std::time::Duration;

pub use authority::{Authority, Everything};
pub use error::LockError;
pub use manager::LockManager;
pub use mode::{AdvisoryMode, Kind, Mode, ModeSet, RecordMode, RelationMode};
pub use target::{AdvisoryKey, Target, TargetRef};
pub use views::{Counts, LockRow};

use crate::ids::{LogIndex, SubXid, Version};

/// Who holds locks: a session, or a prepared transaction. Never used again after it is unregistered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Holder(pub u64);

/// How long a lock stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// To the transaction's end, or to the ROLLBACK TO of the subtransaction that took it first or of one around that.
    Transaction(SubXid),
    /// To its release or the session's end; counted, so that it takes as many releases as acquisitions.
    Session,
}

/// What to do when the lock is not free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    Block,
    NoWait,
    /// SKIP LOCKED.
    Skip,
}

/// One lock asked for.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub holder: Holder,
    pub target: TargetRef<'a>,
    /// Of the target's kind.
    pub mode: Mode,
    pub scope: Scope,
    pub wait: Wait,
    /// `None`: no limit (the setting's 0).
    pub lock_timeout: Option<Duration>,
    pub deadlock_timeout: Duration,
}

/// A lock given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// No later snapshot of the session may be older: the newest state at which a lock on this target (or on one that
    /// shares its bucket) was released.
    pub seen: Version,
    /// Whether others had to let go first.
    pub waited: bool,
    /// The scope had this mode, or one that covers it, before: nothing was added.
    pub already_held: bool,
    /// Since when the node may grant this mode, for the commit's guard; 0 if `already_held`, where the first grant's guard stands.
    pub granted_at: LogIndex,
}
