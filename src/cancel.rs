//! The flag by which a running statement is told to stop. Waits wake on it; batches look at it.
//!
//! A statement is never dropped or raced: it sees the flag, fails with the error that the flag stands for, and its
//! writes go back to its mark.

use std::sync::atomic::{AtomicU8, Ordering};

use tokio::sync::Notify;

use crate::error::{PgError, Result, Severity, sqlstate};

/// Why a statement or session has to stop. A stronger reason replaces a weaker one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Reason {
    /// `CancelRequest` or `pg_cancel_backend`.
    UserRequest = 1,
    StatementTimeout = 2,
    IdleInTransaction = 3,
    /// The client's socket closed: nobody is left to answer.
    ClientGone = 4,
    /// `pg_terminate_backend`.
    Terminate = 5,
    /// The server shuts down.
    Shutdown = 6,
}

/// One session's stop flag; shared by the session, its connection and whoever may cancel it.
#[derive(Debug, Default)]
pub struct Cancel {
    reason: AtomicU8,
    notify: Notify,
}

impl Cancel {
    pub fn new() -> Self {
        Self::default()
    }

    /// Raises the flag and wakes every wait of the session.
    pub fn raise(&self, reason: Reason) {
        self.reason.fetch_max(reason as u8, Ordering::AcqRel);
        self.notify.notify_waiters();
    }

    /// Takes back a cancel of one statement (a reason up to `StatementTimeout`); stronger reasons stay.
    pub fn clear_statement(&self) {
        let _ = self.reason.fetch_update(Ordering::AcqRel, Ordering::Acquire, |reason| {
            (reason <= Reason::StatementTimeout as u8).then_some(0)
        });
    }

    pub fn reason(&self) -> Option<Reason> {
        match self.reason.load(Ordering::Acquire) {
            0 => None,
            1 => Some(Reason::UserRequest),
            2 => Some(Reason::StatementTimeout),
            3 => Some(Reason::IdleInTransaction),
            4 => Some(Reason::ClientGone),
            5 => Some(Reason::Terminate),
            _ => Some(Reason::Shutdown),
        }
    }

    /// The error to fail with, if the flag is raised. Cheap: one atomic load.
    pub fn check(&self) -> Result<()> {
        match self.reason() {
            None => Ok(()),
            Some(reason) => Err(reason.error()),
        }
    }

    /// Waits until the flag is raised.
    pub async fn raised(&self) -> Reason {
        loop {
            let woken = self.notify.notified();
            tokio::pin!(woken);
            woken.as_mut().enable();
            if let Some(reason) = self.reason() {
                return reason;
            }
            woken.await;
        }
    }
}

impl Reason {
    /// PostgreSQL's error for the reason.
    pub fn error(self) -> PgError {
        match self {
            Reason::UserRequest => PgError::new(sqlstate::QUERY_CANCELED, "canceling statement due to user request"),
            Reason::StatementTimeout => PgError::new(sqlstate::QUERY_CANCELED, "canceling statement due to statement timeout"),
            Reason::IdleInTransaction => PgError::new(
                sqlstate::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
                "terminating connection due to idle-in-transaction timeout",
            )
            .severity(Severity::Fatal),
            Reason::ClientGone => {
                PgError::new(sqlstate::CONNECTION_FAILURE, "connection to client lost").severity(Severity::Fatal)
            }
            Reason::Terminate | Reason::Shutdown => PgError::new(
                sqlstate::ADMIN_SHUTDOWN,
                "terminating connection due to administrator command",
            )
            .severity(Severity::Fatal),
        }
    }
}
