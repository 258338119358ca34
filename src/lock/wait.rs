//! Waiting for a lock: woken by whoever releases, by the session's flag, by `lock_timeout`; after `deadlock_timeout` the
//! waiter looks for a deadlock, and is its victim.

use std::future::pending;
use std::sync::Arc;

use tokio::time::{Instant, sleep_until};

use crate::error::Result;
use crate::ids::LogIndex;
use crate::lock::holders::{HolderState, WaitState};
use crate::lock::manager::{Begun, LockManager};
use crate::lock::{Grant, LockError, Request};

/// Tries of a request that does not wait: the ownership may be lost again between obtaining and granting.
const TRIES: usize = 3;

/// A place in a queue. Dropped before its grant was taken, it gives the place or the grant back.
pub(crate) struct Ticket<'a> {
    manager: &'a LockManager,
    state: Arc<HolderState>,
}

impl<'a> Ticket<'a> {
    pub fn new(manager: &'a LockManager, state: Arc<HolderState>) -> Self {
        Ticket { manager, state }
    }

    /// Takes the grant, if there is one.
    pub fn poll(&self) -> Option<Grant> {
        let mut inner = self.state.inner.lock();
        let WaitState::Granted(grant, ..) = inner.wait else {
            return None;
        };
        inner.wait = WaitState::Idle;
        Some(grant)
    }

    fn must_obtain(&self) -> bool {
        matches!(self.state.inner.lock().wait, WaitState::Waiting(waiting) if waiting.obtain)
    }

    pub fn check_deadlock(&self) -> Result<(), LockError> {
        self.manager.check_deadlock(&self.state)
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        self.manager.abandon(&self.state);
    }
}

pub(crate) async fn wait(manager: &LockManager, ticket: Ticket<'_>, request: &Request<'_>) -> Result<Grant, LockError> {
    let started = Instant::now();
    let check = sleep_until(started + request.deadlock_timeout);
    let timeout = async {
        match request.lock_timeout {
            Some(limit) => sleep_until(started + limit).await,
            None => pending().await,
        }
    };
    tokio::pin!(check, timeout);
    let mut checked = false;
    let mut obtaining = None;
    loop {
        if let Some(grant) = ticket.poll() {
            return Ok(grant);
        }
        if obtaining.is_none() && ticket.must_obtain() {
            obtaining = Some(Box::pin(obtain(manager, request)));
        }
        let obtained = async {
            match obtaining.as_mut() {
                Some(obtaining) => obtaining.await,
                None => pending().await,
            }
        };
        // A grant wins over everything that happens at the same time.
        tokio::select! {
            biased;
            () = ticket.state.wake.notified() => {}
            reason = ticket.state.cancel.raised() => return Err(LockError::Cancelled(reason.error())),
            () = &mut timeout => return Err(LockError::Timeout),
            result = obtained => {
                obtaining = None;
                result.map_err(LockError::Authority)?;
                manager.retry(&ticket.state);
            }
            () = &mut check, if !checked => {
                checked = true;
                ticket.check_deadlock()?;
            }
        }
    }
}

/// A request that does not wait, where the table would grant but the node lacks the ownership: asks for it, tries again.
pub(crate) async fn obtain_then_try(
    manager: &LockManager,
    state: &HolderState,
    request: &Request<'_>,
) -> Result<Grant, LockError> {
    for _ in 0..TRIES {
        tokio::select! {
            result = obtain(manager, request) => result.map_err(LockError::Authority)?,
            reason = state.cancel.raised() => return Err(LockError::Cancelled(reason.error())),
        };
        if let Begun::Granted(grant) = manager.begin(request, state, request.wait)? {
            return Ok(grant);
        }
    }
    Err(LockError::NotAvailable)
}

async fn obtain(manager: &LockManager, request: &Request<'_>) -> Result<LogIndex> {
    manager.authority.obtain(&request.target.to_target(), request.mode).await
}
