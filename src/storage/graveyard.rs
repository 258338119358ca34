//! Storages that are gone: their rows are removed once no snapshot can show them.
//!
//! A dropped storage is recorded in `Space::Meta` by the commit that drops it, so that a crash forgets none. A job of its own
//! thread removes the rows when every snapshot published before the drop has been let go, then the record.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::{Condvar, Mutex};

use super::pipeline::{CommitBatch, Pipeline, Published, fatal};
use super::{Direction, KeyRange, Space, Store, Write};
use crate::codec::layout;
use crate::error::Result;
use crate::ids::{StorageId, Version};

const PREFIX: &[u8] = b"grave/";
/// How often the job looks whether snapshots are gone.
const LOOK_EVERY: Duration = Duration::from_millis(500);

struct Grave {
    storage: StorageId,
    /// The last published state that shows the rows, and the version of the commit that dropped them, which has to be
    /// durable first; `None` where nobody ever saw them.
    shown_by: Option<(Weak<Published>, Version)>,
}

/// Storages waiting to be removed.
pub struct Graveyard {
    store: Arc<dyn Store>,
    pipeline: Arc<Pipeline>,
    graves: Mutex<Vec<Grave>>,
    woken: Condvar,
    stopping: AtomicBool,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// The record that a commit writes for a storage it drops, and a bulk load before its files become part of the store.
pub fn record(storage: StorageId) -> Write {
    Write::Put(Space::Meta, record_key(storage), Bytes::new())
}

/// Takes back the record of a bulk load: its rows stay.
pub fn unrecord(storage: StorageId) -> Write {
    Write::Delete(Space::Meta, record_key(storage))
}

fn record_key(storage: StorageId) -> Bytes {
    let mut key = PREFIX.to_vec();
    key.extend_from_slice(&storage.0.to_be_bytes());
    Bytes::from(key)
}

impl Graveyard {
    /// Starts the job, with what an earlier run left.
    pub fn start(store: Arc<dyn Store>, pipeline: Arc<Pipeline>) -> Result<Arc<Self>> {
        let left = left_over(&pipeline.newest())?;
        let graveyard = Arc::new(Graveyard {
            store,
            pipeline,
            graves: Mutex::new(left.into_iter().map(|storage| Grave { storage, shown_by: None }).collect()),
            woken: Condvar::new(),
            stopping: AtomicBool::new(false),
            thread: Mutex::default(),
        });
        let job = Arc::clone(&graveyard);
        let thread = std::thread::Builder::new()
            .name("graveyard".to_owned())
            .spawn(move || job.run())
            .map_err(|error| crate::error::PgError::internal(format!("cannot start the graveyard thread: {error}")))?;
        *graveyard.thread.lock() = Some(thread);
        Ok(graveyard)
    }

    /// A commit that dropped a storage was published as `version`; `before` is the state before it.
    pub fn bury(&self, storage: StorageId, before: &Arc<Published>, version: Version) {
        self.graves.lock().push(Grave {
            storage,
            shown_by: Some((Arc::downgrade(before), version)),
        });
        self.woken.notify_one();
    }

    /// A storage whose transaction rolled back: nobody else ever saw it.
    pub fn bury_now(&self, storage: StorageId) {
        self.graves.lock().push(Grave { storage, shown_by: None });
        self.woken.notify_one();
    }

    pub fn shutdown(&self) {
        {
            // Under the lock, so that the job is either before its look at the flag or waiting.
            let _graves = self.graves.lock();
            self.stopping.store(true, Ordering::Release);
        }
        self.woken.notify_all();
        if let Some(thread) = self.thread.lock().take() {
            // A panic there has been reported; what is left in the graveyard is found at the next start.
            let _ = thread.join();
        }
    }

    fn run(&self) {
        while !self.stopping.load(Ordering::Acquire) {
            let ready: Vec<StorageId> = {
                let mut graves = self.graves.lock();
                if graves.is_empty() && !self.stopping.load(Ordering::Acquire) {
                    self.woken.wait(&mut graves);
                }
                let synced = self.pipeline.synced_version();
                // Files go at once, whatever the log says: a drop that a power cut takes back must not have removed any.
                let gone = |grave: &mut Grave| match &grave.shown_by {
                    Some((state, dropped_at)) => *dropped_at <= synced && state.strong_count() == 0,
                    None => true,
                };
                graves.extract_if(.., gone).map(|grave| grave.storage).collect()
            };
            if ready.is_empty() {
                let mut graves = self.graves.lock();
                if !self.stopping.load(Ordering::Acquire) {
                    self.woken.wait_for(&mut graves, LOOK_EVERY);
                }
                continue;
            }
            for storage in ready {
                let (from, to) = layout::storage_bounds(storage);
                if let Err(error) = self.store.drop_range(Space::Data, &from, &to) {
                    fatal("cannot remove dropped rows", &error);
                }
                self.pipeline.submit(CommitBatch {
                    writes: vec![unrecord(storage)],
                    on_sequenced: Box::new(|_| {}),
                });
            }
        }
    }
}

fn left_over(now: &Arc<Published>) -> Result<Vec<StorageId>> {
    let end = layout::prefix_end(PREFIX).expect("the prefix is not all 0xff");
    let range = KeyRange {
        lower: std::ops::Bound::Included(Bytes::from_static(PREFIX)),
        upper: std::ops::Bound::Excluded(Bytes::from(end)),
    };
    let mut iter = Arc::clone(&now.snapshot).iter(Space::Meta, range, Direction::Forward)?;
    let mut left = Vec::new();
    while let Some((key, _)) = iter.next()? {
        if let Ok(id) = <[u8; 8]>::try_from(&key[PREFIX.len()..]) {
            left.push(StorageId(u64::from_be_bytes(id)));
        }
    }
    Ok(left)
}
