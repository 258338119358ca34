//! From waiting commits to durable ones.
//!
//! ```text
//!  submit ──► queue ──► sequencer: one write for all that wait, without sync
//!                          │ publishes a snapshot (`newest`), then tells each commit: its locks go
//!                          ▼
//!                       syncer: one sync for all that were sequenced, then moves `synced` forward
//!                          │
//!                          ▼ durable(version) returns
//! ```
//!
//! Invariants:
//! - a commit's locks are released only after a snapshot that shows it is published: a woken waiter sees it;
//! - an [`Admission`] sees everything that was sequenced before its commit, and nothing else comes in between;
//! - [`Pipeline::durable`] returns only when the log was synced after the version was written;
//! - a failed write or sync ends the process: it never goes on over an unknown disk.
//!
//! Both are threads of their own, not tasks: a disk that stalls must not take the workers that run statements with it.

use std::iter::Peekable;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

use arc_swap::ArcSwap;
use parking_lot::{Condvar, Mutex};
use tokio::sync::oneshot;

use super::dead_ranges::DeadRanges;
use super::large::{self, LargeCommit};
use super::{Store, StoreSnapshot, Write};
use crate::error::{PgError, Result};
use crate::ids::Version;

/// Bytes of writes that the sequencer merges into one store write.
const MERGE_BYTES_MAX: usize = 8 << 20;

/// A published state of the store.
pub struct Published {
    pub version: Version,
    pub snapshot: Arc<dyn StoreSnapshot>,
}

/// One commit.
pub struct CommitBatch {
    pub writes: Vec<Write>,
    /// Called on the sequencer's thread after the snapshot that shows the writes is published: releases locks, queues
    /// notifications. Must be quick.
    pub on_sequenced: Box<dyn FnOnce(Version) + Send>,
}

/// Decides on the sequencer's thread whether a commit may take effect: whatever comes before it in the order is known
/// then, and nothing can come in between.
pub trait Admission: Send {
    /// `group`: writes that are sequenced before this commit and not published yet.
    ///
    /// # Errors
    /// Why the commit has no effect.
    fn admit(&mut self, group: &[Write]) -> Result<()>;
    /// It had none: locks are released here.
    fn refused(self: Box<Self>);
}

/// Is told of all writes before the snapshot that shows them is published.
pub trait Witness: Send + Sync {
    fn publishing(&self, writes: &[Write], version: Version);
}

/// A commit in the queue.
struct Waiting {
    batch: CommitBatch,
    admission: Option<Box<dyn Admission>>,
    durable: Option<Teller>,
    /// Its writes in a file, where they are many; the batch names them for those who watch.
    large: Option<LargeCommit>,
}

/// Runs on the sequencer's thread once the snapshot that shows the commit is published.
type OnSequenced = Box<dyn FnOnce(Version) + Send>;

/// Learns the version of a commit once it is durable, or why it had no effect.
pub type Teller = oneshot::Sender<Result<Version>>;

/// Who waits for a sync.
enum Waiter {
    /// A caller of `durable`.
    Session(oneshot::Sender<()>),
    Commit(Teller),
}

/// Switches for tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct PipelineOptions {
    /// Planted fault: answers do not wait for the sync.
    pub plant_answer_before_sync: bool,
}

#[derive(Default)]
struct Queue {
    waiting: Vec<Waiting>,
    stopping: bool,
}

#[derive(Default)]
struct SyncState {
    /// Who waits, with the version that each waits for.
    waiters: Vec<(u64, Waiter)>,
    stopping: bool,
}

/// The pipeline; shared by all sessions.
pub struct Pipeline {
    store: Arc<dyn Store>,
    options: PipelineOptions,
    dead_ranges: Arc<DeadRanges>,
    witness: Option<Arc<dyn Witness>>,
    queue: Mutex<Queue>,
    queued: Condvar,
    newest: ArcSwap<Published>,
    synced: ArcSwap<Published>,
    synced_version: AtomicU64,
    sync: Mutex<SyncState>,
    sequenced: Condvar,
    threads: Mutex<Vec<JoinHandle<()>>>,
    stopped: AtomicBool,
}

impl Pipeline {
    /// Starts both threads over a store.
    pub fn start(store: Arc<dyn Store>, options: PipelineOptions) -> Result<Arc<Self>> {
        Self::start_with(store, options, Arc::default(), None)
    }

    /// The same; all writes are told to `dead_ranges` and `witness` before the snapshot that shows them is published.
    pub fn start_with(
        store: Arc<dyn Store>,
        options: PipelineOptions,
        dead_ranges: Arc<DeadRanges>,
        witness: Option<Arc<dyn Witness>>,
    ) -> Result<Arc<Self>> {
        large::recover(&*store)?;
        let first = Arc::new(Published {
            version: Version(1),
            snapshot: store.snapshot()?,
        });
        let pipeline = Arc::new(Pipeline {
            store,
            options,
            dead_ranges,
            witness,
            queue: Mutex::default(),
            queued: Condvar::new(),
            newest: ArcSwap::new(Arc::clone(&first)),
            synced: ArcSwap::new(first),
            synced_version: AtomicU64::new(1),
            sync: Mutex::default(),
            sequenced: Condvar::new(),
            threads: Mutex::default(),
            stopped: AtomicBool::new(false),
        });
        let threads = [
            spawn("sequencer", Arc::clone(&pipeline), Pipeline::sequence)?,
            spawn("syncer", Arc::clone(&pipeline), Pipeline::sync_loop)?,
        ];
        pipeline.threads.lock().extend(threads);
        Ok(pipeline)
    }

    /// The newest sequenced state; it may not be durable yet.
    pub fn newest(&self) -> Arc<Published> {
        self.newest.load_full()
    }

    pub fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// The newest durable state.
    pub fn synced(&self) -> Arc<Published> {
        self.synced.load_full()
    }

    pub fn synced_version(&self) -> Version {
        Version(self.synced_version.load(Ordering::Acquire))
    }

    pub fn newest_version(&self) -> Version {
        self.newest.load().version
    }

    /// Queues a commit. Commits are sequenced in the order in which they are queued.
    pub fn submit(&self, batch: CommitBatch) {
        self.queue_up(Waiting {
            batch,
            admission: None,
            durable: None,
            large: None,
        });
    }

    /// Queues a commit that `admission` may refuse. The receiver is told when the commit is durable: one wake-up a commit,
    /// where waiting to be sequenced first would take two.
    pub fn commit(&self, batch: CommitBatch, admission: Option<Box<dyn Admission>>) -> oneshot::Receiver<Result<Version>> {
        let (tell, told) = oneshot::channel();
        self.queue_up(Waiting {
            batch,
            admission,
            durable: Some(tell),
            large: None,
        });
        told
    }

    /// The same for a commit whose writes were prepared in a file, with the one who is told when it is durable.
    pub fn commit_large(&self, batch: CommitBatch, large: LargeCommit, admission: Option<Box<dyn Admission>>, tell: Teller) {
        self.queue_up(Waiting {
            batch,
            admission,
            durable: Some(tell),
            large: Some(large),
        });
    }

    fn queue_up(&self, waiting: Waiting) {
        let mut queue = self.queue.lock();
        queue.waiting.push(waiting);
        if queue.waiting.len() == 1 {
            self.queued.notify_one();
        }
    }

    /// Waits until a published version is durable.
    pub async fn durable(&self, version: Version) {
        if self.synced_version() >= version || self.options.plant_answer_before_sync {
            return;
        }
        let told = {
            let mut sync = self.sync.lock();
            if self.synced_version() >= version {
                return;
            }
            let (tell, told) = oneshot::channel();
            sync.waiters.push((version.0, Waiter::Session(tell)));
            told
        };
        // An error means that the pipeline was shut down, after a last sync.
        let _ = told.await;
    }

    /// Sequences and syncs what waits, and stops. Later commits are never sequenced.
    pub fn shutdown(&self) {
        if self.stopped.swap(true, Ordering::AcqRel) {
            return;
        }
        self.queue.lock().stopping = true;
        self.queued.notify_all();
        let mut threads = std::mem::take(&mut *self.threads.lock()).into_iter();
        let join = |thread: Option<JoinHandle<()>>| {
            if let Some(thread) = thread
                && thread.join().is_err()
            {
                fatal("the commit pipeline failed", &PgError::internal("a pipeline thread panicked"));
            }
        };
        join(threads.next());
        self.sync.lock().stopping = true;
        self.sequenced.notify_all();
        join(threads.next());
    }

    fn sequence(&self) {
        loop {
            let batches = {
                let mut queue = self.queue.lock();
                while queue.waiting.is_empty() {
                    if queue.stopping {
                        return;
                    }
                    self.queued.wait(&mut queue);
                }
                std::mem::take(&mut queue.waiting)
            };
            let mut batches = batches.into_iter().peekable();
            while batches.peek().is_some() {
                self.sequence_group(&mut batches);
            }
        }
    }

    /// Writes and publishes the next commits as one.
    fn sequence_group(&self, batches: &mut Peekable<impl Iterator<Item = Waiting>>) {
        let mut writes = Vec::new();
        let mut calls = Vec::new();
        let mut tellers = Vec::new();
        let mut bytes = 0;
        let mut large = None;
        // A large commit makes a group of its own.
        while let Some(mut waiting) = batches.next_if(|next| next.large.is_none() || calls.is_empty()) {
            if let Some(mut admission) = waiting.admission.take()
                && let Err(error) = admission.admit(&writes)
            {
                admission.refused();
                if let Some(teller) = waiting.durable {
                    // The session may be gone.
                    let _ = teller.send(Err(error));
                }
                continue;
            }
            let batch = waiting.batch;
            large = waiting.large;
            bytes += batch.writes.iter().map(size).sum::<usize>();
            if writes.is_empty() {
                writes = batch.writes;
            } else {
                writes.extend(batch.writes);
            }
            calls.push(batch.on_sequenced);
            tellers.extend(waiting.durable);
            if large.is_some() || bytes >= MERGE_BYTES_MAX {
                break;
            }
        }
        if !calls.is_empty() {
            let is_large = large.is_some();
            self.publish(&writes, large, calls, tellers);
            if is_large {
                // Giving back the memory of a million writes takes a second; where no thread can be had, it is taken here.
                let _ = std::thread::Builder::new().spawn(move || drop(writes));
            }
        }
    }

    fn publish(&self, writes: &[Write], large: Option<LargeCommit>, calls: Vec<OnSequenced>, tellers: Vec<Teller>) {
        let version = Version(self.newest.load().version.0 + 1);
        let written = match large {
            None => {
                self.dead_ranges.cut(writes, version);
                self.store.write(writes)
            }
            Some(large) => {
                self.dead_ranges.cut_whole(&large.storages, version);
                large.take_in(&*self.store)
            }
        };
        if let Err(error) = written {
            fatal("cannot write a commit", &error);
        }
        let snapshot = self
            .store
            .snapshot()
            .unwrap_or_else(|error| fatal("cannot take a snapshot", &error));
        if let Some(witness) = &self.witness {
            witness.publishing(writes, version);
        }
        let before = self.newest.swap(Arc::new(Published { version, snapshot }));
        for call in calls {
            call(version);
        }
        let early = {
            // Taken so that the syncer is either before its look at `newest` or waiting.
            let mut sync = self.sync.lock();
            let waiters = tellers.into_iter().map(|teller| (version.0, Waiter::Commit(teller)));
            // The syncer may have come by since the snapshot was published: nobody would tell these again.
            let early = if self.options.plant_answer_before_sync || version <= self.synced_version() {
                waiters.collect()
            } else {
                sync.waiters.extend(waiters);
                Vec::new()
            };
            self.sequenced.notify_one();
            early
        };
        early.into_iter().for_each(tell);
        // Letting go of the last hold of a snapshot takes time; nobody waits for it here.
        drop(before);
    }

    fn sync_loop(&self) {
        loop {
            let newest = {
                let mut sync = self.sync.lock();
                loop {
                    let newest = self.newest.load_full();
                    if newest.version > self.synced_version() {
                        break newest;
                    }
                    if sync.stopping {
                        sync.waiters.clear();
                        return;
                    }
                    self.sequenced.wait(&mut sync);
                }
            };
            if let Err(error) = self.store.sync() {
                fatal("cannot sync the log", &error);
            }
            let version = newest.version;
            let before = self.synced.swap(newest);
            let told: Vec<(u64, Waiter)> = {
                let mut sync = self.sync.lock();
                self.synced_version.store(version.0, Ordering::Release);
                sync.waiters.extract_if(.., |(wanted, _)| *wanted <= version.0).collect()
            };
            told.into_iter().for_each(tell);
            drop(before);
        }
    }
}

/// A caller that went away needs no answer.
fn tell((version, waiter): (u64, Waiter)) {
    match waiter {
        Waiter::Session(session) => drop(session.send(())),
        Waiter::Commit(commit) => drop(commit.send(Ok(Version(version)))),
    }
}

fn size(write: &Write) -> usize {
    match write {
        Write::Put(_, key, value) => key.len() + value.len(),
        Write::Delete(_, key) => key.len(),
        Write::DeleteRange(_, from, to) => from.len() + to.len(),
    }
}

fn spawn(name: &str, pipeline: Arc<Pipeline>, run: fn(&Pipeline)) -> Result<JoinHandle<()>> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(move || run(&pipeline))
        .map_err(|error| PgError::internal(format!("cannot start the {name} thread: {error}")))
}

/// Ends the process: what is on the disk is not known any more.
pub fn fatal(what: &str, error: &PgError) -> ! {
    tracing::error!(%error, "{what}");
    eprintln!("holdfast: {what}: {}", error.message());
    std::process::abort()
}
