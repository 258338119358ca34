//! Why a lock was not given.

use crate::error::{PgError, sqlstate};

#[derive(Clone, Debug)]
pub enum LockError {
    /// NOWAIT, and somebody has it. The caller knows the names for PostgreSQL's text.
    NotAvailable,
    /// SKIP LOCKED, and somebody has it.
    Skipped,
    /// `lock_timeout` is over.
    Timeout,
    /// 40P01 with PostgreSQL's detail.
    Deadlock(PgError),
    /// The session's flag was raised: its error.
    Cancelled(PgError),
    /// `limits::LOCKS_MAX`.
    TableFull,
    /// The node could not obtain the ownership.
    Authority(PgError),
}

impl From<LockError> for PgError {
    fn from(error: LockError) -> Self {
        match error {
            LockError::NotAvailable | LockError::Skipped => PgError::new(sqlstate::LOCK_NOT_AVAILABLE, "could not obtain lock"),
            LockError::Timeout => PgError::new(sqlstate::LOCK_NOT_AVAILABLE, "canceling statement due to lock timeout"),
            LockError::TableFull => PgError::new(sqlstate::OUT_OF_MEMORY, "out of shared memory")
                .hint("You might need to increase max_locks_per_transaction."),
            LockError::Deadlock(error) | LockError::Cancelled(error) | LockError::Authority(error) => error,
        }
    }
}
