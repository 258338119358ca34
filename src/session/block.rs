//! The state of the transaction block (PostgreSQL's `xact.c`, as far as clients see it).

use super::session::BlockStatus;

/// Where the session is between statements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Block {
    /// No transaction.
    #[default]
    Idle,
    /// A transaction that the statements of one query string, or everything up to Sync, share.
    Implicit,
    /// After BEGIN.
    Explicit,
    /// After BEGIN and an error.
    Failed,
}

impl Block {
    pub(super) fn status(self) -> BlockStatus {
        match self {
            Block::Idle | Block::Implicit => BlockStatus::Idle,
            Block::Explicit => BlockStatus::InBlock,
            Block::Failed => BlockStatus::Failed,
        }
    }

    pub(super) fn is_explicit(self) -> bool {
        matches!(self, Block::Explicit | Block::Failed)
    }
}
