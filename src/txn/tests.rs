//! Transactions over the memory store.

use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::cancel::Cancel;
use crate::codec::row::encode_row;
use crate::error::sqlstate;
use crate::ids::{BackendPid, Oid, StorageId};
use crate::lock::{Everything, RecordMode};
use crate::storage::Direction;
use crate::storage::memory::MemoryStore;
use crate::types::Value;

const TABLE: Oid = Oid(20_000);

struct Node {
    engine: Arc<Engine>,
    storage: StorageId,
}

fn node() -> Node {
    let engine =
        Engine::open(Arc::new(MemoryStore::new()), Arc::new(Everything), EngineOptions::default()).expect("the engine opens");
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
