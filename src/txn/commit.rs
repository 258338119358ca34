//! The end of a transaction.
//!
//! A commit that was submitted belongs to the journal, locks included: what is left to do when it is sequenced travels with
//! it ([`Finish`]), and nothing of that needs the session any more.

use std::sync::Arc;

use indexmap::IndexSet;
use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::engine::Engine;
use super::journal::{Commit, stopped};
use super::notify::Notification;
use super::serializable::SealedReads;
use super::snapshot::SessionLink;
use super::transaction::{Hook, Txn};
use crate::error::Result;
use crate::ids::{StorageId, Version};
use crate::storage::pipeline::{Admission, Published};
use crate::storage::{Write, graveyard};

/// More locks than these are released by a thread of their own: the sequencer has other commits to tell.
const RELEASED_AT_ONCE_MAX: usize = 10_000;

/// What is left to do once a commit has its place in the order.
pub(super) struct Finish {
    pub engine: Arc<Engine>,
    pub link: Arc<SessionLink>,
    pub hooks: Vec<Hook>,
    pub notifications: IndexSet<(String, String)>,
    pub dropped: Vec<StorageId>,
    /// Storages made by the transaction: they go if the commit is refused.
    pub own: Vec<StorageId>,
    /// The state before the commit, where it drops storages.
    pub before: Option<Arc<Published>>,
    /// Told when the locks are released, where that is left to another thread.
    released: Option<oneshot::Sender<()>>,
}

impl Finish {
    /// On the sequencer's thread, after the snapshot that shows the commit was published.
    fn sequenced(self, version: Version) {
        // Before the locks go: the session's next statement sees its own commit.
        self.link.seen.raise(version);
        self.link.observed.raise(version);
        for hook in self.hooks {
            hook(version);
        }
        bury(&self.engine, &self.dropped, self.before.as_ref(), version);
        if !self.notifications.is_empty() {
            let all = self.notifications.into_iter().map(|(channel, payload)| Notification {
                pid: self.link.pid,
                channel: channel.into(),
                payload: payload.into(),
            });
            self.engine.notifier().queue(version, self.link.database, all.collect());
        }
        let Some(released) = self.released else {
            release(&self.engine, &self.link, version);
            return;
        };
        let (engine, link) = (self.engine, self.link);
        let job = move || {
            release(&engine, &link, version);
            // The session may be gone.
            let _ = released.send(());
        };
        // Where no thread can be had the job is dropped with the locks still held: the session's end releases them.
        if let Err(error) = std::thread::Builder::new().name("release".to_owned()).spawn(job) {
            tracing::error!(%error, "cannot start a thread to release locks");
        }
    }

    /// On the sequencer's thread: the commit has no effect.
    fn refused(self) {
        for storage in &self.own {
            self.engine.graveyard.bury_now(*storage);
        }
        let newest = self.engine.pipeline.newest_version();
        release(&self.engine, &self.link, newest);
    }
}

/// Lets the locks of a transaction go, and those of its session where that is over.
fn release(engine: &Engine, link: &SessionLink, version: Version) {
    engine.locks.release_transaction(link.holder, version);
    let mut life = link.life.lock();
    life.committing = false;
    if life.over {
        engine.locks.unregister(link.holder, version);
    }
}

/// Dropped storages go to the graveyard, and nothing is remembered of them.
pub(super) fn bury(engine: &Engine, dropped: &[StorageId], before: Option<&Arc<Published>>, version: Version) {
    let Some(before) = before else { return };
    for storage in dropped {
        engine.dead_ranges.forget(*storage);
        engine.sequences().forget(*storage);
        engine.row_ids.forget(*storage);
        engine.graveyard.bury(*storage, before, version);
    }
}

/// The check of a SERIALIZABLE transaction at its place in the order.
struct Check {
    reads: SealedReads,
    engine: Arc<Engine>,
    finish: Arc<Mutex<Option<Finish>>>,
}

impl Admission for Check {
    fn admit(&mut self, group: &[Write]) -> Result<()> {
        self.engine.serializable.validate(&self.reads, group)
    }

    fn refused(self: Box<Self>) {
        let finish = self.finish.lock().take();
        if let Some(finish) = finish {
            finish.refused();
        }
    }
}

/// What a transaction leaves behind.
pub(super) struct Ended {
    pub writes: Vec<Write>,
    pub finish: Finish,
    released: Option<oneshot::Receiver<()>>,
}

impl Txn {
    /// Commits: returns when the commit is durable. Its locks go as soon as it is published.
    ///
    /// # Errors
    /// 40001 where a SERIALIZABLE transaction read what others have written since. Nothing is left of it then.
    pub async fn commit(self: &Arc<Self>) -> Result<()> {
        let Some(ended) = self.end_writing() else {
            return Ok(());
        };
        let Ended {
            writes,
            finish,
            released,
        } = ended;
        let reads = self.reads().filter(|_| !writes.is_empty());
        let reads = reads.map(|reads| reads.lock().seal());
        self.end_reads();
        finish.link.life.lock().committing = true;
        let commit = match reads {
            None => Commit {
                writes,
                guards: Vec::new(),
                admission: None,
                on_sequenced: Box::new(move |version| finish.sequenced(version)),
            },
            Some(reads) => {
                let shared = Arc::new(Mutex::new(Some(finish)));
                let check = Check {
                    reads,
                    engine: Arc::clone(self.engine()),
                    finish: Arc::clone(&shared),
                };
                Commit {
                    writes,
                    guards: Vec::new(),
                    admission: Some(Box::new(check)),
                    on_sequenced: Box::new(move |version| {
                        let finish = shared.lock().take();
                        if let Some(finish) = finish {
                            finish.sequenced(version);
                        }
                    }),
                }
            }
        };
        let told = self.engine().journal.submit(commit);
        told.await.map_err(|_| stopped())??;
        if let Some(released) = released {
            // An error means that the server stops.
            let _ = released.await;
        }
        Ok(())
    }

    /// Ends the transaction and takes what it leaves; `None` where that is nothing, or it had ended.
    fn end_writing(&self) -> Option<Ended> {
        let nothing = {
            let state = self.state.lock();
            state.dropped.is_empty() && state.hooks.is_empty() && state.notifications.is_empty()
        };
        if nothing && self.buffer().is_empty() {
            if self.end() {
                self.end_reads();
                // Whoever gets its locks must see what it has seen.
                self.release_locks();
            }
            return None;
        }
        self.end_keeping_locks()
    }

    /// Ends the transaction and takes what it leaves, locks aside; `None` where it had ended.
    pub(super) fn end_keeping_locks(&self) -> Option<Ended> {
        if !self.end() {
            return None;
        }
        let mut writes = self.take_buffer().into_writes();
        let mut state = self.state.lock();
        let dropped = std::mem::take(&mut state.dropped);
        for storage in &dropped {
            writes.push(graveyard::record(*storage));
            writes.push(super::sequences::forget_write(*storage));
            writes.push(super::row_ids::forget_write(*storage));
        }
        let many = self.engine().locks.transaction_lock_count(self.link().holder) > RELEASED_AT_ONCE_MAX;
        let (tell, released) = if many {
            let (tell, told) = oneshot::channel();
            (Some(tell), Some(told))
        } else {
            (None, None)
        };
        let finish = Finish {
            engine: Arc::clone(self.engine()),
            link: Arc::clone(self.link()),
            hooks: std::mem::take(&mut state.hooks),
            notifications: std::mem::take(&mut state.notifications),
            own: state.own_storages.drain().map(|(storage, _)| storage).collect(),
            before: (!dropped.is_empty()).then(|| self.engine().pipeline.newest()),
            dropped,
            released: tell,
        };
        Some(Ended {
            writes,
            finish,
            released,
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
            state.own_storages.drain().map(|(storage, _)| storage).collect()
        };
        for storage in own {
            self.engine().graveyard.bury_now(storage);
        }
        self.end_reads();
        self.release_locks();
    }

    pub(super) fn end_reads(&self) {
        if let Some(reads) = self.reads() {
            reads.lock().end();
        }
    }

    fn release_locks(&self) {
        let link = self.link();
        let version = link.seen.get().max(link.observed.get());
        self.engine().locks.release_transaction(link.holder, version);
    }
}

impl Engine {
    /// The session is over: its locks go, those of a commit in flight when that has its place.
    pub fn end_session(&self, link: &SessionLink) {
        let mut life = link.life.lock();
        life.over = true;
        if !life.committing {
            self.locks.unregister(link.holder, self.pipeline.newest_version());
        }
    }
}
