//! The end of a transaction.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::journal::{Commit, stopped};
use super::notify::Notification;
use super::transaction::Txn;
use crate::error::Result;
use crate::ids::{StorageId, SubXid, Version};
use crate::storage::{Write, graveyard};

impl Txn {
    /// Commits. Locks go when the commit is published; answers wait for `observed` to be durable.
    ///
    /// # Errors
    /// 40001 where a SERIALIZABLE transaction read what others have written since. Nothing is left of it then.
    pub async fn commit(self: &Arc<Self>) -> Result<()> {
        let writes = self.collect_writes();
        if writes.is_empty() && self.state.lock().notifications.is_empty() && self.state.lock().hooks.is_empty() {
            if self.end() {
                // What it has seen others must see who get its locks.
                self.release_locks(self.link().seen.get().max(self.link().observed.get()));
            }
            return Ok(());
        }
        match self.submit(writes) {
            Err(error) => {
                self.rollback();
                Err(error)
            }
            Ok(told) => {
                // From here on the commit belongs to the journal, locks included.
                self.end();
                let version = told.await.map_err(|_| stopped())??;
                self.link().seen.raise(version);
                self.link().observed.raise(version);
                Ok(())
            }
        }
    }

    fn collect_writes(&self) -> Vec<Write> {
        let mut writes = self.take_buffer().into_writes();
        writes.extend(self.state.lock().dropped.iter().map(|storage| graveyard::record(*storage)));
        writes
    }

    fn submit(&self, writes: Vec<Write>) -> Result<tokio::sync::oneshot::Receiver<Result<Version>>> {
        let (hooks, notifications, dropped, snapshot) = {
            let mut state = self.state.lock();
            let snapshot = state.snapshot.as_ref().map(|snapshot| snapshot.version);
            (
                std::mem::take(&mut state.hooks),
                std::mem::take(&mut state.notifications),
                std::mem::take(&mut state.dropped),
                snapshot,
            )
        };
        let engine = Arc::clone(self.engine());
        let link = Arc::clone(self.link());
        let serializable = Arc::clone(self.engine());
        serializable
            .serializable
            .commit(self.reads.get(), snapshot, writes, move |writes, window_version| {
                let journal = Arc::clone(&engine);
                let before = (!dropped.is_empty()).then(|| engine.pipeline.newest());
                let on_sequenced = move |version: Version| {
                    window_version.store(version.0, Ordering::Release);
                    for hook in hooks {
                        hook(version);
                    }
                    bury(&engine, &dropped, before);
                    engine.locks.release_transaction(link.holder, version);
                    if !notifications.is_empty() {
                        let all = notifications
                            .into_iter()
                            .map(|(channel, payload)| Notification {
                                pid: link.pid,
                                channel: channel.into(),
                                payload: payload.into(),
                            })
                            .collect();
                        engine.notifier().queue(version, link.database, all);
                    }
                };
                journal.journal.submit(Commit {
                    writes,
                    guards: Vec::new(),
                    on_sequenced: Box::new(on_sequenced),
                })
            })
    }

    /// Takes everything back and lets every lock go. Does nothing to a transaction that has ended.
    pub fn rollback(&self) {
        if !self.end() {
            return;
        }
        drop(self.take_buffer());
        let own: Vec<StorageId> = {
            let mut state = self.state.lock();
            state.hooks.clear();
            state.notifications.clear();
            state.dropped.clear();
            state
                .own_storages
                .drain()
                .map(|(storage, _): (StorageId, SubXid)| storage)
                .collect()
        };
        for storage in own {
            self.engine().graveyard.bury_now(storage);
        }
        self.release_locks(self.link().seen.get().max(self.link().observed.get()));
    }

    fn release_locks(&self, version: Version) {
        self.engine().locks.release_transaction(self.link().holder, version);
    }
}

/// Dropped storages go to the graveyard, and nothing is remembered of them.
fn bury(engine: &super::Engine, dropped: &[StorageId], before: Option<Arc<crate::storage::pipeline::Published>>) {
    let Some(before) = before else { return };
    for storage in dropped {
        engine.dead_ranges.forget(*storage);
        engine.graveyard.bury(*storage, &before);
    }
}
