//! Transactions over the memory store.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::*;
use crate::cancel::Cancel;
use crate::codec::row::encode_row;
use crate::error::sqlstate;
use crate::ids::{BackendPid, Oid, StorageId};
use crate::lock::{Everything, RecordMode};
use crate::storage::memory::MemoryStore;
use crate::storage::{Direction, Store};
use crate::types::Value;

const TABLE: Oid = Oid(20_000);

struct Node {
    engine: Arc<Engine>,
    storage: StorageId,
}

fn node() -> Node {
    node_on(Arc::new(MemoryStore::new()))
}

fn node_on(store: Arc<dyn Store>) -> Node {
    let engine = Engine::open(store, Arc::new(Everything), EngineOptions::default()).expect("the engine opens");
    let storage = engine.new_storage();
    Node { engine, storage }
}

impl Node {
    fn session(&self, pid: i32) -> Arc<SessionLink> {
        let cancel = Arc::new(Cancel::new());
        let holder = self.engine.locks.register(BackendPid(pid), Arc::clone(&cancel));
        Arc::new(SessionLink::new(holder, BackendPid(pid), cancel, Oid(5)))
    }

    fn begin(&self, link: &Arc<SessionLink>, isolation: Isolation) -> Arc<Txn> {
        Txn::begin(
            &self.engine,
            link,
            TxnOptions {
                isolation,
                ..TxnOptions::default()
            },
        )
    }

    fn row(&self, key: &'static [u8]) -> RowId {
        RowId {
            relation: TABLE,
            storage: self.storage,
            key: key.into(),
        }
    }

    fn put(&self, txn: &Txn, key: &[u8], value: i32) {
        let mut row = Vec::new();
        encode_row(txn.xid(), &[], &[Value::Int4(value)], &mut row).expect("encodes");
        txn.put(self.storage, key.to_vec(), row).expect("fits");
    }
}

fn timeouts() -> LockTimeouts {
    LockTimeouts {
        lock_timeout: Some(Duration::from_secs(10)),
        deadlock_timeout: Duration::from_millis(200),
    }
}

fn keys(txn: &Txn, view: &View, storage: StorageId, direction: Direction) -> Vec<String> {
    let mut scan = txn.scan(view, storage, ScanRange::all(), direction).expect("scans");
    let mut out = Vec::new();
    while scan.next_batch(txn, 2, &mut out).expect("reads") {}
    out.iter().map(|(key, _)| String::from_utf8_lossy(key).into_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_sees_earlier_commands_but_not_itself() {
    let node = node();
    let link = node.session(1);
    let txn = node.begin(&link, Isolation::ReadCommitted);
    let before = txn.statement_view().expect("a view");
    node.put(&txn, b"b", 1);
    assert!(txn.get(&before, node.storage, b"b").expect("reads").is_none());
    txn.next_command();
    let after = txn.statement_view().expect("a view");
    node.put(&txn, b"a", 2);
    assert_eq!(keys(&txn, &after, node.storage, Direction::Forward), ["b"]);
    assert_eq!(keys(&txn, &txn.latest_view(), node.storage, Direction::Backward), ["b", "a"]);
    txn.commit().await.expect("commits");
    let other = node.begin(&node.session(2), Isolation::ReadCommitted);
    node.engine.durable(&link).await;
    let view = other.statement_view().expect("a view");
    assert_eq!(keys(&other, &view, node.storage, Direction::Forward), ["a", "b"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn own_deletes_and_replacements_are_merged_into_scans() {
    let node = node();
    let link = node.session(1);
    let txn = node.begin(&link, Isolation::ReadCommitted);
    for key in ["a", "c", "e", "g"] {
        node.put(&txn, key.as_bytes(), 1);
    }
    txn.commit().await.expect("commits");
    let txn = node.begin(&link, Isolation::ReadCommitted);
    txn.delete(node.storage, b"c".to_vec()).expect("fits");
    node.put(&txn, b"d", 2);
    node.put(&txn, b"e", 3);
    txn.next_command();
    let view = txn.statement_view().expect("a view");
    assert_eq!(keys(&txn, &view, node.storage, Direction::Forward), ["a", "d", "e", "g"]);
    assert_eq!(keys(&txn, &view, node.storage, Direction::Backward), ["g", "e", "d", "a"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn rollback_to_takes_back_writes_and_locks() {
    let node = node();
    let link = node.session(1);
    let txn = node.begin(&link, Isolation::ReadCommitted);
    node.put(&txn, b"a", 1);
    txn.savepoint("s");
    node.put(&txn, b"b", 1);
    txn.lock_row_any_level(
        &node.row(b"a"),
        &txn.latest_view(),
        RecordMode::Update,
        Wait::Block,
        &timeouts(),
    )
    .await
    .expect("locks");
    assert_eq!(node.engine.locks.transaction_lock_count(link.holder), 1);
    txn.rollback_to("s").expect("exists");
    assert_eq!(node.engine.locks.transaction_lock_count(link.holder), 0);
    assert_eq!(keys(&txn, &txn.latest_view(), node.storage, Direction::Forward), ["a"]);
    assert_eq!(
        txn.rollback_to("t").expect_err("unknown").code(),
        sqlstate::S_E_INVALID_SPECIFICATION
    );
}

/// One transaction holds the row and changes it while the other waits for it.
async fn lock_after_change(isolation: Isolation, delete: bool) -> crate::error::Result<RowLock> {
    let node = node();
    let (first, second) = (node.session(1), node.session(2));
    let setup = node.begin(&first, Isolation::ReadCommitted);
    node.put(&setup, b"a", 1);
    setup.commit().await.expect("commits");
    node.engine.durable(&first).await;

    let writer = node.begin(&first, Isolation::ReadCommitted);
    let view = writer.statement_view().expect("a view");
    writer
        .lock_row(&node.row(b"a"), &view, RecordMode::Update, Wait::Block, &timeouts())
        .await
        .expect("locks");
    let waiter = node.begin(&second, isolation);
    let view = waiter.statement_view().expect("a view");
    let skipped = waiter
        .lock_row(&node.row(b"a"), &view, RecordMode::Share, Wait::Skip, &timeouts())
        .await;
    assert_eq!(skipped.expect("no error"), RowLock::Skipped);
    let refused = waiter
        .lock_row(&node.row(b"a"), &view, RecordMode::Share, Wait::NoWait, &timeouts())
        .await;
    assert_eq!(refused.expect("no error"), RowLock::NotAvailable);
    let row = node.row(b"a");
    let task = tokio::spawn(async move {
        let waited = waiter
            .lock_row(&row, &view, RecordMode::Update, Wait::Block, &timeouts())
            .await;
        // What the winner wrote is seen from now on, before any sync.
        let seen = waiter.latest_view();
        (waited, waiter, seen)
    });
    tokio::time::sleep(Duration::from_millis(50)).await;
    if delete {
        writer.delete(node.storage, b"a".to_vec()).expect("fits");
    } else {
        node.put(&writer, b"a", 2);
    }
    writer.commit().await.expect("commits");
    task.await.expect("ends").0
}

#[tokio::test(flavor = "multi_thread")]
async fn a_waiter_gets_the_newest_version() {
    assert!(matches!(
        lock_after_change(Isolation::ReadCommitted, false).await,
        Ok(RowLock::Changed(_))
    ));
    assert_eq!(
        lock_after_change(Isolation::ReadCommitted, true).await.expect("no error"),
        RowLock::Gone
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn above_read_committed_a_changed_row_is_40001() {
    for (delete, what) in [(false, "update"), (true, "delete")] {
        let error = lock_after_change(Isolation::RepeatableRead, delete).await.expect_err("fails");
        assert_eq!(error.code(), sqlstate::SERIALIZATION_FAILURE);
        assert_eq!(
            error.message(),
            format!("could not serialize access due to concurrent {what}")
        );
    }
}

/// Two transactions each read a range and write into the other's.
async fn write_skew(isolation: Isolation) -> (bool, bool) {
    let node = node();
    let links = [node.session(1), node.session(2)];
    let txns = links.each_ref().map(|link| node.begin(link, isolation));
    for (txn, own) in txns.iter().zip([b"a", b"b"]) {
        let view = txn.statement_view().expect("a view");
        assert!(keys(txn, &view, node.storage, Direction::Forward).is_empty());
        node.put(txn, own, 1);
    }
    (txns[0].commit().await.is_ok(), txns[1].commit().await.is_ok())
}

#[tokio::test(flavor = "multi_thread")]
async fn serializable_refuses_write_skew_that_repeatable_read_allows() {
    assert_eq!(
        write_skew(Isolation::RepeatableRead).await,
        (true, true),
        "the control arm shows the fault"
    );
    assert_eq!(write_skew(Isolation::Serializable).await, (true, false));
}

#[tokio::test(flavor = "multi_thread")]
async fn sequences_go_on_above_their_bound_after_a_restart() {
    let store = Arc::new(MemoryStore::new());
    let open = || Engine::open(store.clone(), Arc::new(Everything), EngineOptions::default()).expect("opens");
    let def = SequenceDef {
        storage: StorageId(9),
        start: 1,
        increment: 1,
        min: 1,
        max: 40,
        cache: 1,
        cycle: false,
    };
    let link = |engine: &Arc<Engine>| {
        let cancel = Arc::new(Cancel::new());
        let holder = engine.locks.register(BackendPid(1), Arc::clone(&cancel));
        SessionLink::new(holder, BackendPid(1), cancel, Oid(5))
    };
    let engine = open();
    let session = link(&engine);
    assert_eq!(engine.sequences().nextval(&session, &def).expect("a value"), 1);
    assert_eq!(engine.sequences().nextval(&session, &def).expect("a value"), 2);
    engine.durable(&session).await;
    engine.shutdown();
    let engine = open();
    let session = link(&engine);
    assert_eq!(
        engine.sequences().nextval(&session, &def).expect("a value"),
        34,
        "32 values were logged ahead of 1"
    );
    engine.sequences().setval(&session, &def, 40, true).expect("in bounds");
    let error = engine.sequences().nextval(&session, &def).expect_err("at its end");
    assert_eq!(error.code(), sqlstate::SEQUENCE_GENERATOR_LIMIT_EXCEEDED);
}

#[tokio::test(flavor = "multi_thread")]
async fn bulk_rows_are_seen_by_their_transaction_only_and_go_with_it() {
    let node = node();
    let txn = node.begin(&node.session(1), Isolation::ReadCommitted);
    let storage = txn.create_storage();
    assert!(txn.can_bulk(storage));
    let mut bulk = txn.bulk(storage).expect("starts");
    for key in [b"c", b"a", b"b"] {
        bulk.put(key, b"0123456789").expect("writes");
    }
    assert_eq!(bulk.finish(&txn).expect("no error"), None);
    assert_eq!(
        keys(&txn, &txn.statement_view().expect("a view"), storage, Direction::Forward),
        ["a", "b", "c"]
    );
    let mut twice = txn.bulk(storage).expect("starts");
    twice.put(b"z", b"1").expect("writes");
    twice.put(b"z", b"2").expect("writes");
    assert_eq!(twice.finish(&txn).expect("no error").as_deref(), Some(&b"z"[..]));
    txn.savepoint("s");
    assert!(
        !txn.can_bulk(storage),
        "rows loaded now could not be taken back by ROLLBACK TO"
    );
    drop(txn);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_transaction_frees_its_locks() {
    let node = node();
    let link = node.session(1);
    let txn = node.begin(&link, Isolation::ReadCommitted);
    txn.lock_key(TABLE, node.storage, b"k", &timeouts()).await.expect("locks");
    assert_eq!(node.engine.locks.transaction_lock_count(link.holder), 1);
    drop(txn);
    assert_eq!(node.engine.locks.transaction_lock_count(link.holder), 0);
}

/// Commits one row outside of any test's transactions.
async fn committed(node: &Node, link: &Arc<SessionLink>, key: &[u8], value: i32) {
    let txn = node.begin(link, Isolation::ReadCommitted);
    node.put(&txn, key, value);
    txn.commit().await.expect("commits");
}

#[tokio::test(flavor = "multi_thread")]
async fn serializable_set_after_begin_is_checked_as_well() {
    let node = node();
    let (link, other) = (node.session(1), node.session(2));
    let txn = node.begin(&link, Isolation::ReadCommitted);
    assert!(!txn.has_snapshot());
    txn.set_options(TxnOptions {
        isolation: Isolation::Serializable,
        ..TxnOptions::default()
    })
    .expect("no snapshot yet");
    let view = txn.statement_view().expect("a view");
    assert!(txn.has_snapshot());
    assert!(txn.get(&view, node.storage, b"a").expect("reads").is_none());
    // A writer of another level counts too.
    committed(&node, &other, b"a", 1).await;
    node.put(&txn, b"z", 1);
    let error = txn.commit().await.expect_err("what it read has changed");
    assert_eq!(error.code(), sqlstate::SERIALIZATION_FAILURE);
    assert_eq!(
        error.message(),
        "could not serialize access due to read/write dependencies among transactions"
    );
    let txn = node.begin(&link, Isolation::ReadCommitted);
    assert!(txn.get(&txn.latest_view(), node.storage, b"z").expect("reads").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn serializable_remembers_a_scan_only_as_far_as_it_went() {
    let node = node();
    let (link, other) = (node.session(1), node.session(2));
    for key in [b"b", b"d", b"f"] {
        committed(&node, &other, key, 1).await;
    }
    for (written, fails) in [(b"a", true), (b"c", true), (b"e", false)] {
        let txn = node.begin(&link, Isolation::Serializable);
        let view = txn.statement_view().expect("a view");
        let mut scan = txn
            .scan(&view, node.storage, ScanRange::all(), Direction::Forward)
            .expect("scans");
        let mut out = Vec::new();
        assert!(scan.next_batch(&txn, 2, &mut out).expect("reads"));
        committed(&node, &other, written, 1).await;
        node.put(&txn, b"own", 1);
        assert_eq!(txn.commit().await.is_err(), fails, "{written:?}");
        let undo = node.begin(&other, Isolation::ReadCommitted);
        undo.delete(node.storage, written.to_vec()).expect("fits");
        undo.commit().await.expect("commits");
    }
}

/// Each adds one to the sum of all it reads; without the check, additions are lost.
#[tokio::test(flavor = "multi_thread")]
async fn serializable_counters_lose_nothing() {
    let node = Arc::new(node());
    let mut tasks = Vec::new();
    for session in 0..4 {
        let node = Arc::clone(&node);
        tasks.push(tokio::spawn(async move {
            let link = node.session(session + 1);
            let mut done = 0_u8;
            while done < 25 {
                let txn = node.begin(&link, Isolation::Serializable);
                let view = txn.statement_view().expect("a view");
                let there = keys(&txn, &view, node.storage, Direction::Forward).len();
                node.put(&txn, format!("{there:04}").as_bytes(), session);
                done += u8::from(txn.commit().await.is_ok());
            }
        }));
    }
    for task in tasks {
        task.await.expect("ends");
    }
    let txn = node.begin(&node.session(9), Isolation::ReadCommitted);
    assert_eq!(keys(&txn, &txn.latest_view(), node.storage, Direction::Forward).len(), 100);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_woken_waiter_sees_what_the_winner_wrote_elsewhere() {
    let node = Arc::new(node());
    let (first, second) = (node.session(1), node.session(2));
    let key = crate::lock::AdvisoryKey::Big(1);
    let mode = crate::lock::AdvisoryMode::Exclusive;
    for round in 0..50_u8 {
        let writer = node.begin(&first, Isolation::ReadCommitted);
        assert!(
            writer
                .lock_advisory(key, mode, false, Wait::Block, &timeouts())
                .await
                .expect("locks")
        );
        node.put(&writer, &[round], 1);
        let (there, link) = (Arc::clone(&node), Arc::clone(&second));
        let waiter = tokio::spawn(async move {
            let txn = there.begin(&link, Isolation::ReadCommitted);
            assert!(
                txn.lock_advisory(key, mode, false, Wait::Block, &timeouts())
                    .await
                    .expect("locks")
            );
            let view = txn.statement_view().expect("a view");
            assert!(
                txn.get(&view, there.storage, &[round]).expect("reads").is_some(),
                "round {round}"
            );
        });
        tokio::task::yield_now().await;
        writer.commit().await.expect("commits");
        waiter.await.expect("ends");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_outlives_its_session_with_its_locks() {
    let node = node();
    let (link, other) = (node.session(1), node.session(2));
    let txn = node.begin(&link, Isolation::ReadCommitted);
    txn.lock_key(TABLE, node.storage, b"a", &timeouts()).await.expect("locks");
    node.put(&txn, b"a", 1);
    let mut commit = Box::pin(async move { txn.commit().await });
    // Polled once: submitted, and then the client is gone.
    let polled = futures::poll!(commit.as_mut());
    drop(commit);
    node.engine.end_session(&link);
    assert!(polled.is_pending() || polled.is_ready());
    let next = node.begin(&other, Isolation::ReadCommitted);
    next.lock_key(TABLE, node.storage, b"a", &timeouts()).await.expect("locks");
    let view = next.statement_view().expect("a view");
    assert!(next.get(&view, node.storage, b"a").expect("reads").is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_that_grows_too_large_is_refused() {
    let node = node();
    let session = node.session(1);
    session.transaction_bytes_max.store(1 << 20, Ordering::Relaxed);
    let txn = node.begin(&session, Isolation::ReadCommitted);
    let mark = txn.mark();
    let error = (0_u32..)
        .find_map(|n| txn.put(node.storage, n.to_be_bytes().to_vec(), vec![0; 1000]).err())
        .expect("there is an end");
    assert_eq!(error.code(), sqlstate::PROGRAM_LIMIT_EXCEEDED);
    assert_eq!(error.message(), "transaction writes more than 1 MB");
    txn.back_to(mark);
    txn.put(node.storage, b"a".to_vec(), vec![0; 1000])
        .expect("there is room again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prepared_transaction_waits_with_its_locks_over_a_restart() {
    let store = Arc::new(MemoryStore::new());
    let node = node_on(store.clone());
    let link = node.session(1);
    for gid in ["kept", "undone"] {
        let txn = node.begin(&link, Isolation::ReadCommitted);
        txn.lock_key(TABLE, node.storage, gid.as_bytes(), &timeouts())
            .await
            .expect("locks");
        node.put(&txn, gid.as_bytes(), 1);
        txn.prepare(gid, Oid(10)).await.expect("is prepared");
    }
    assert_eq!(
        node.engine.locks.transaction_lock_count(link.holder),
        0,
        "they are the session's no more"
    );
    let again = node.begin(&link, Isolation::ReadCommitted).prepare("kept", Oid(10)).await;
    assert_eq!(again.expect_err("is in use").code(), sqlstate::DUPLICATE_OBJECT);
    let storage = node.storage;
    node.engine.shutdown();
    let node = Node {
        storage,
        ..node_on(store)
    };
    let link = node.session(1);
    assert_eq!(node.engine.prepared_transactions().len(), 2);
    let txn = node.begin(&link, Isolation::ReadCommitted);
    let short = LockTimeouts {
        lock_timeout: Some(Duration::from_millis(50)),
        ..timeouts()
    };
    txn.lock_key(TABLE, storage, b"kept", &short).await.expect_err("is locked");
    drop(txn);
    let finish = |gid: &'static str, commit| {
        let (engine, link) = (Arc::clone(&node.engine), Arc::clone(&link));
        async move { engine.finish_prepared(&link, gid, (Oid(10), false), commit).await }
    };
    finish("kept", true).await.expect("commits");
    finish("undone", false).await.expect("rolls back");
    let error = finish("kept", true).await.expect_err("is finished");
    assert_eq!(
        error.message(),
        "prepared transaction with identifier \"kept\" does not exist"
    );
    let txn = node.begin(&link, Isolation::ReadCommitted);
    txn.lock_key(TABLE, storage, b"kept", &short).await.expect("is free");
    let view = txn.statement_view().expect("a view");
    assert_eq!(keys(&txn, &view, storage, Direction::Forward), ["kept"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn row_ids_and_xids_are_not_given_again_after_a_restart() {
    let store = Arc::new(MemoryStore::new());
    let node = node_on(store.clone());
    let txn = node.begin(&node.session(1), Isolation::ReadCommitted);
    assert_eq!([txn.next_row_id(node.storage), txn.next_row_id(node.storage)], [1, 2]);
    let (storage, xid) = (node.storage, txn.xid());
    drop(txn);
    node.engine.shutdown();
    let node = node_on(store);
    assert!(node.storage > storage);
    let txn = node.begin(&node.session(1), Isolation::ReadCommitted);
    assert!(txn.next_row_id(storage) > 2);
    assert!(txn.xid() > xid);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nothing_names_is_removed_at_the_start() {
    let store = Arc::new(MemoryStore::new());
    let node = node_on(store.clone());
    let link = node.session(1);
    committed(&node, &link, b"kept", 1).await;
    let txn = node.begin(&link, Isolation::ReadCommitted);
    let orphan = txn.create_storage();
    let mut bulk = txn.bulk(orphan).expect("starts");
    bulk.put(b"k", b"0123456789").expect("writes");
    assert_eq!(bulk.finish(&txn).expect("no error"), None);
    // The process dies with the transaction under way.
    std::mem::forget(txn);
    node.engine.shutdown();
    let storage = node.storage;
    let node = node_on(store);
    let live = std::collections::HashSet::from([storage]);
    assert_eq!(node.engine.remove_orphans(&live).expect("no error"), 1);
    let deadline = std::time::Instant::now() + Duration::from_secs(5);
    loop {
        let txn = node.begin(&node.session(7), Isolation::ReadCommitted);
        node.put(&txn, b"tick", 1);
        txn.commit().await.expect("commits");
        let txn = node.begin(&node.session(8), Isolation::ReadCommitted);
        if keys(&txn, &txn.latest_view(), orphan, Direction::Forward).is_empty() {
            assert_eq!(keys(&txn, &txn.latest_view(), storage, Direction::Forward), ["kept"]);
            return;
        }
        assert!(std::time::Instant::now() < deadline, "the graveyard works");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn notifications_come_in_commit_order_and_once() {
    let node = node();
    let (link, listener) = (node.session(1), node.session(2));
    let (sender, mut received) = tokio::sync::mpsc::channel(10);
    node.engine
        .notifier()
        .listen(Oid(5), "c", listener.pid, sender, Arc::clone(&listener.cancel));
    let txn = node.begin(&link, Isolation::ReadCommitted);
    for payload in ["1", "1", "2"] {
        txn.notify("c".to_owned(), payload.to_owned());
    }
    txn.notify("other".to_owned(), "3".to_owned());
    txn.commit().await.expect("commits");
    let mut got = Vec::new();
    for _ in 0..2 {
        let one = tokio::time::timeout(Duration::from_secs(5), received.recv()).await;
        got.push(one.expect("arrives").expect("is open").payload.to_string());
    }
    assert_eq!(got, ["1", "2"]);
    assert!(received.try_recv().is_err());
}
