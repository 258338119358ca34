//! A store that forgets what was not synced: for tests of crashes, which a SIGKILL alone does not prove (the page cache
//! survives it).

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;

use super::memory::MemoryStore;
use super::{BulkWriter, KeyRange, PreparedWrites, Space, Store, StoreSnapshot, Write};
use crate::error::Result;

/// Writes are seen at once and survive [`LossyStore::after_crash`] only when they were synced.
pub struct LossyStore {
    live: MemoryStore,
    disk: Arc<Mutex<Disk>>,
    /// How long a sync takes.
    sync_time: Duration,
}

#[derive(Default)]
struct Disk {
    durable: Vec<Write>,
    unsynced: Vec<Write>,
}

impl LossyStore {
    pub fn new(sync_time: Duration) -> Self {
        LossyStore {
            live: MemoryStore::new(),
            disk: Arc::default(),
            sync_time,
        }
    }

    /// The store as a power cut at this moment would leave it.
    pub fn after_crash(&self) -> Result<Arc<dyn Store>> {
        let store = MemoryStore::new();
        store.write(&self.disk.lock().durable)?;
        Ok(Arc::new(store))
    }
}

impl Store for LossyStore {
    fn snapshot(&self) -> Result<Arc<dyn StoreSnapshot>> {
        self.live.snapshot()
    }

    fn write(&self, writes: &[Write]) -> Result<()> {
        let mut disk = self.disk.lock();
        disk.unsynced.extend_from_slice(writes);
        self.live.write(writes)
    }

    fn sync(&self) -> Result<()> {
        let count = self.disk.lock().unsynced.len();
        std::thread::sleep(self.sync_time);
        let mut disk = self.disk.lock();
        let synced: Vec<Write> = disk.unsynced.drain(..count).collect();
        disk.durable.extend(synced);
        Ok(())
    }

    fn bulk_writer(&self, space: Space) -> Result<Box<dyn BulkWriter>> {
        // Ingested files are synced by themselves: what they hold is durable at once.
        Ok(Box::new(LossyBulk {
            inner: self.live.bulk_writer(space)?,
        }))
    }

    fn prepare(&self, space: Space, changes: &[(Bytes, Option<Bytes>)]) -> Result<Box<dyn PreparedWrites>> {
        Ok(Box::new(LossyPrepared {
            inner: self.live.prepare(space, changes)?,
            disk: Arc::clone(&self.disk),
            writes: changes
                .iter()
                .map(|(key, value)| match value {
                    Some(value) => Write::Put(space, key.clone(), value.clone()),
                    None => Write::Delete(space, key.clone()),
                })
                .collect(),
        }))
    }

    fn drop_range(&self, space: Space, from: &[u8], to: &[u8]) -> Result<()> {
        // Files are removed at once, whatever the log says.
        let range = (Bytes::copy_from_slice(from), Bytes::copy_from_slice(to));
        self.disk.lock().durable.push(Write::DeleteRange(space, range.0, range.1));
        self.live.drop_range(space, from, to)
    }

    fn compact(&self, space: Space, range: KeyRange) -> Result<()> {
        self.live.compact(space, range)
    }

    fn approximate_size(&self, space: Space, from: &[u8], to: &[u8]) -> Result<u64> {
        self.live.approximate_size(space, from, to)
    }
}

/// Durable once it is taken in.
struct LossyPrepared {
    inner: Box<dyn PreparedWrites>,
    disk: Arc<Mutex<Disk>>,
    writes: Vec<Write>,
}

impl PreparedWrites for LossyPrepared {
    fn take_in(self: Box<Self>) -> Result<()> {
        let mut disk = self.disk.lock();
        disk.durable.extend(self.writes);
        self.inner.take_in()
    }
}

/// Bulk loads are not part of what these tests crash.
struct LossyBulk {
    inner: Box<dyn BulkWriter>,
}

impl BulkWriter for LossyBulk {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.inner.put(key, value)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.inner.finish()
    }
}
