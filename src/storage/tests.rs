//! What the pipeline and the graveyard do between a write and its sync.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::graveyard::{self, Graveyard};
use super::lossy::LossyStore;
use super::pipeline::{CommitBatch, Pipeline, PipelineOptions, Published};
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
