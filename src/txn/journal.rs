//! Where commits go. Alone, a node's journal is its own pipeline; in a cluster it is the replicated log.

use std::sync::Arc;

use async_trait::async_trait;

use crate::error::{PgError, Result, sqlstate};
use crate::ids::LogIndex;
use crate::ids::Version;
use crate::lock::{Mode, Target};
use crate::storage::Write;
use crate::storage::large::{self, LargeCommit};
use crate::storage::pipeline::{Admission, CommitBatch, Pipeline, fatal};

/// A commit on its way (`OWNERSHIP.md`, One log).
pub struct Commit {
    pub writes: Vec<Write>,
    /// Locks that stand at the commit, with the ownership that they rest on.
    pub guards: Vec<(Target, Mode, LogIndex)>,
    /// Decides at the commit's place in the order whether it takes effect (SERIALIZABLE).
    pub admission: Option<Box<dyn Admission>>,
    /// Runs when the commit is sequenced and published: releases locks.
    pub on_sequenced: Box<dyn FnOnce(Version) + Send>,
}

/// Takes commits, in one total order.
#[async_trait]
pub trait Journal: Send + Sync {
    /// Puts a commit into the order. It belongs to the journal from now on, also when the caller goes away. The receiver
    /// learns, once the commit is durable, the version that shows it, or the error with which it had no effect.
    fn submit(&self, commit: Commit) -> tokio::sync::oneshot::Receiver<Result<Version>>;
    /// Waits until a version is as durable as the journal makes things.
    async fn durable(&self, version: Version);
}

/// The journal of a node that is alone: ownership cannot move, so guards always hold.
pub struct LocalJournal {
    pipeline: Arc<Pipeline>,
}

impl LocalJournal {
    pub fn new(pipeline: Arc<Pipeline>) -> Self {
        LocalJournal { pipeline }
    }

    /// Prepares a large commit on a thread of its own, then queues it.
    fn submit_large(
        &self,
        batch: CommitBatch,
        admission: Option<Box<dyn Admission>>,
    ) -> tokio::sync::oneshot::Receiver<Result<Version>> {
        let (tell, told) = tokio::sync::oneshot::channel();
        let pipeline = Arc::clone(&self.pipeline);
        let job = move || match LargeCommit::prepare(pipeline.store(), &batch.writes) {
            Ok(large) => pipeline.commit_large(batch, large, admission, tell),
            // As for any commit: the process never goes on over a disk that does not take it.
            Err(error) => fatal("cannot prepare a large commit", &error),
        };
        if let Err(error) = std::thread::Builder::new().name("large-commit".to_owned()).spawn(job) {
            let error = PgError::internal(format!("cannot start a thread for a large commit: {error}"));
            fatal("cannot prepare a large commit", &error);
        }
        told
    }
}

#[async_trait]
impl Journal for LocalJournal {
    fn submit(&self, commit: Commit) -> tokio::sync::oneshot::Receiver<Result<Version>> {
        let batch = CommitBatch {
            writes: commit.writes,
            on_sequenced: commit.on_sequenced,
        };
        if large::is_large(&batch.writes) {
            return self.submit_large(batch, commit.admission);
        }
        self.pipeline.commit(batch, commit.admission)
    }

    async fn durable(&self, version: Version) {
        self.pipeline.durable(version).await;
    }
}

/// What a session learns when the server stops before its commit was sequenced.
pub(super) fn stopped() -> PgError {
    PgError::new(
        sqlstate::ADMIN_SHUTDOWN,
        "the server shut down before the transaction was committed",
    )
}
