#![doc = include_str!("README.md")]

mod buffer;
mod bulk;
mod commit;
mod counters;
mod engine;
pub mod journal;
mod notify;
mod orphans;
mod prepared;
mod row_ids;
mod row_lock;
mod savepoints;
mod scan;
mod sequences;
mod serializable;
mod snapshot;
mod transaction;

#[cfg(test)]
mod tests;

pub use bulk::Bulk;
pub use engine::{Engine, EngineOptions};
pub use journal::{Commit, Journal, LocalJournal};
pub use notify::{Notification, Notifier};
pub use prepared::PreparedTransaction;
pub use row_lock::{RowId, RowLock};
pub use savepoints::Mark;
pub use scan::{Scan, ScanRange};
pub use sequences::{SequenceDef, Sequences};
pub use snapshot::{LockTimeouts, RaisingVersion, SessionLink, View};
pub use transaction::{Isolation, Txn, TxnOptions};

pub use crate::lock::Wait;
