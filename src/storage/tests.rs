//! What the pipeline and the graveyard do between a write and its sync.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::graveyard::{self, Graveyard};
use super::large::{self, LargeCommit};
use super::lossy::LossyStore;
use super::memory::MemoryStore;
use super::pipeline::{CommitBatch, Pipeline, PipelineOptions, Published};
use super::rocks::{RocksOptions, RocksStore};
use super::{Space, Store, Write};
use crate::codec::layout;
use crate::ids::{StorageId, Version};

fn start(sync_time: Duration) -> (Arc<LossyStore>, Arc<Pipeline>) {
    let store = Arc::new(LossyStore::new(sync_time));
    let pipeline = Pipeline::start(store.clone(), PipelineOptions::default()).expect("the pipeline starts");
    (store, pipeline)
}

fn batch(writes: Vec<Write>, on_sequenced: impl FnOnce(Version) + Send + 'static) -> CommitBatch {
    CommitBatch {
        writes,
        on_sequenced: Box::new(on_sequenced),
    }
}

fn meta(name: &'static str) -> Write {
    Write::Put(Space::Meta, Bytes::from_static(name.as_bytes()), Bytes::new())
}

/// Looks every few milliseconds, for ten seconds at most.
fn eventually(mut holds: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(10) {
        if holds() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    false
}

#[tokio::test]
async fn a_commit_that_the_syncer_overtakes_is_answered() {
    let (_, pipeline) = start(Duration::from_millis(20));
    // Keeps the syncer busy, so that it finds the second commit by itself.
    let start = pipeline.newest_version();
    let first = pipeline.commit(batch(vec![meta("first")], |_| {}), None);
    assert!(eventually(|| pipeline.newest_version() > start));
    let watched = Arc::clone(&pipeline);
    let synced_first = move |version| assert!(eventually(|| watched.synced_version() >= version), "never synced");
    let second = pipeline.commit(batch(vec![meta("second")], synced_first), None);
    first.await.expect("told").expect("commits");
    let told = tokio::time::timeout(Duration::from_secs(10), second).await;
    told.expect("an answer in time").expect("told").expect("commits");
    pipeline.shutdown();
}

#[tokio::test]
async fn rows_of_a_drop_stay_until_the_drop_is_durable() {
    const SYNC: Duration = Duration::from_millis(1_500);
    let (store, pipeline) = start(SYNC);
    let graveyard = Graveyard::start(store.clone(), Arc::clone(&pipeline)).expect("the graveyard starts");
    let storage = StorageId(77);
    let row = layout::storage_bounds(storage).0;
    let written = pipeline.commit(batch(vec![Write::Put(Space::Data, row.clone(), Bytes::new())], |_| {}), None);
    written.await.expect("told").expect("commits");
    // A state that is published and let go before the next sync: no snapshot keeps the rows.
    let between = Arc::new(std::sync::Mutex::new(None::<Arc<Published>>));
    let (seen, watched) = (Arc::clone(&between), Arc::clone(&pipeline));
    pipeline.submit(batch(vec![meta("other")], move |_| {
        *seen.lock().expect("not poisoned") = Some(watched.newest());
    }));
    assert!(eventually(|| between.lock().expect("not poisoned").is_some()));
    let yard = Arc::clone(&graveyard);
    let dropped = pipeline.commit(
        batch(vec![graveyard::record(storage)], move |version| {
            let before = between.lock().expect("not poisoned").take().expect("there");
            yard.bury(storage, &before, version);
        }),
        None,
    );
    // Longer than the graveyard's look, shorter than the sync.
    tokio::time::sleep(Duration::from_millis(900)).await;
    let crashed = store.after_crash().expect("a store").snapshot().expect("a snapshot");
    assert!(
        crashed.get(Space::Data, &row).expect("reads").is_some(),
        "a power cut takes back the drop, and the rows are gone"
    );
    dropped.await.expect("told").expect("commits");
    let gone = || {
        let now = store.snapshot().expect("a snapshot");
        now.get(Space::Data, &row).expect("reads").is_none()
    };
    assert!(eventually(gone), "the rows are never removed");
    graveyard.shutdown();
    pipeline.shutdown();
}

/// Rows and a record of another space, as a large commit has them.
fn large_writes() -> Vec<Write> {
    let row = |n: u32| {
        Write::Put(
            Space::Data,
            layout::data_key(StorageId(9), &n.to_be_bytes()),
            Bytes::from_static(b"row"),
        )
    };
    let mut writes: Vec<Write> = (0..1_000).map(row).collect();
    writes.push(Write::Put(
        Space::Catalog,
        Bytes::from_static(b"table"),
        Bytes::from_static(b"changed"),
    ));
    writes
}

/// Rows of the table, and whether its catalog record is there.
fn state(store: &dyn Store) -> (usize, bool) {
    let now = store.snapshot().expect("a snapshot");
    let rows = (0_u32..1_000).filter(|n| {
        let key = layout::data_key(StorageId(9), &n.to_be_bytes());
        now.get(Space::Data, &key).expect("reads").is_some()
    });
    (rows.count(), now.get(Space::Catalog, b"table").expect("reads").is_some())
}

fn stores() -> Vec<(Arc<dyn Store>, Option<tempfile::TempDir>)> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rocks = RocksStore::open(folder.path(), &RocksOptions::default()).expect("opens");
    vec![(Arc::new(MemoryStore::new()), None), (Arc::new(rocks), Some(folder))]
}

#[test]
fn a_large_commit_is_whole_or_nothing_wherever_it_stops() {
    for (store, _folder) in stores() {
        let store = &*store;
        // Before its file was taken in.
        drop(LargeCommit::prepare(store, &large_writes()).expect("prepares"));
        large::recover(store).expect("recovers");
        assert_eq!(state(store), (0, false));
        // After that, and before the rest was written.
        LargeCommit::prepare(store, &large_writes())
            .expect("prepares")
            .take_in_rows(store)
            .expect("takes in");
        assert_eq!(state(store), (1_000, false));
        large::recover(store).expect("recovers");
        assert_eq!(state(store), (1_000, true));
        // A second recovery finds nothing left to do.
        store
            .write(&[Write::Delete(Space::Catalog, Bytes::from_static(b"table"))])
            .expect("writes");
        large::recover(store).expect("recovers");
        assert_eq!(state(store), (1_000, false));
    }
}

#[tokio::test]
async fn a_large_commit_is_seen_at_once_and_takes_back_what_was_there() {
    for (store, _folder) in stores() {
        let pipeline = Pipeline::start(Arc::clone(&store), PipelineOptions::default()).expect("the pipeline starts");
        let old = layout::data_key(StorageId(9), &7_u32.to_be_bytes());
        let gone = layout::data_key(StorageId(9), b"gone");
        let small = |key: &Bytes| Write::Put(Space::Data, key.clone(), Bytes::from_static(b"old"));
        let first = pipeline.commit(batch(vec![small(&old), small(&gone)], |_| {}), None);
        first.await.expect("told").expect("commits");
        let before = pipeline.newest();
        let mut writes = large_writes();
        writes.push(Write::Delete(Space::Data, gone.clone()));
        let prepared = LargeCommit::prepare(pipeline.store(), &writes).expect("prepares");
        let (tell, told) = tokio::sync::oneshot::channel();
        pipeline.commit_large(batch(writes, |_| {}), prepared, None, tell);
        let version = told.await.expect("told").expect("commits");
        let after = pipeline.newest();
        assert!(after.version >= version);
        assert_eq!(state(&*store), (1_000, true));
        let read = |state: &Published, key: &Bytes| state.snapshot.get(Space::Data, key).expect("reads");
        assert_eq!(read(&before, &old).as_deref(), Some(&b"old"[..]), "an older snapshot");
        assert_eq!(read(&before, &gone).as_deref(), Some(&b"old"[..]), "an older snapshot");
        assert_eq!(read(&after, &old).as_deref(), Some(&b"row"[..]));
        assert_eq!(read(&after, &gone), None);
        pipeline.shutdown();
    }
}
