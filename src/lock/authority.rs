//! Who lets this node grant locks: on a cluster of one always yes, and the ownership is recorded all the same.

use async_trait::async_trait;

use crate::error::Result;
use crate::ids::{LogIndex, Oid};
use crate::lock::{Mode, Target};

/// The node's right to grant locks (`OWNERSHIP.md`). Implemented by `cluster::`; the lock floor only asks.
#[async_trait]
pub trait Authority: Send + Sync {
    /// Whether this node may grant `mode` on `target` now, without asking anybody: the epoch since which it may, or
    /// `None` if it has to [`Authority::obtain`] it first. Must be cheap: it is asked for every grant.
    fn covers(&self, target: &Target, mode: Mode) -> Option<LogIndex>;
    /// Gets ownership that covers `mode` on `target` from the other nodes. Cancel-safe: dropping it withdraws the request.
    async fn obtain(&self, target: &Target, mode: Mode) -> Result<LogIndex>;
    /// A transaction lock was granted: counts for `holdfast.messages` and fencing tokens.
    fn granted(&self, target: &Target, mode: Mode);
    /// A relation was dropped: nothing of it is to be owned any more.
    fn dropped(&self, database: Oid, relation: Oid);
}

/// The authority of a node that owns everything since the log's beginning: no peer, nothing to ask.
#[derive(Clone, Copy, Debug, Default)]
pub struct Everything;

#[async_trait]
impl Authority for Everything {
    fn covers(&self, _target: &Target, _mode: Mode) -> Option<LogIndex> {
        Some(LogIndex(1))
    }

    async fn obtain(&self, _target: &Target, _mode: Mode) -> Result<LogIndex> {
        Ok(LogIndex(1))
    }

    fn granted(&self, _target: &Target, _mode: Mode) {}

    fn dropped(&self, _database: Oid, _relation: Oid) {}
}
