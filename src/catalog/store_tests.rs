//! The store and the overlay over a memory store.

use std::sync::Arc;

use super::tests::{role, sample};
use super::*;
use crate::cancel::Cancel;
use crate::ids::{BackendPid, Oid};
use crate::lock::Everything;
use crate::storage::memory::MemoryStore;
use crate::txn::{Engine, EngineOptions, SessionLink, Txn, TxnOptions};

const DATABASE: Oid = Oid(5);

fn engine() -> Arc<Engine> {
    Engine::open(Arc::new(MemoryStore::new()), Arc::new(Everything), EngineOptions::default()).expect("the engine opens")
}

fn begin(engine: &Arc<Engine>) -> Arc<Txn> {
    let cancel = Arc::new(Cancel::new());
    let holder = engine.locks.register(BackendPid(1), Arc::clone(&cancel));
    let link = Arc::new(SessionLink::new(holder, BackendPid(1), cancel, DATABASE));
    Txn::begin(engine, &link, TxnOptions::default())
}

fn table() -> Change {
    Change::Put(Object::Table(Arc::clone(sample().table(Oid(20000)).expect("acct"))))
}

#[tokio::test]
async fn objects_are_there_after_the_commit_and_after_a_restart() {
    let engine = engine();
    let store = CatalogStore::open(&engine).expect("bootstraps");
    let first = store.current(DATABASE).expect("postgres");
    assert_eq!(first.find_schema("public"), Some(PUBLIC));
    assert_eq!(first.find_role("pg_monitor"), Some(Oid(3373)));
    assert_eq!(
        first.comment(class::DATABASE, Oid(5), 0),
        Some("default administrative connection database")
    );
    let (mine, other) = (CatalogOverlay::new(&store, DATABASE), CatalogOverlay::new(&store, DATABASE));
    let txn = begin(&engine);
    mine.change(&txn, table()).expect("fits");
    mine.change(&txn, Change::Put(Object::Role(Arc::new(role(30000, "carol", false)))))
        .expect("fits");
    let database = Database {
        oid: Oid(30001),
        name: "shop".into(),
        ..Database::clone(first.database_by_oid(DATABASE).expect("5"))
    };
    mine.change(&txn, Change::Put(Object::Database(Arc::new(database))))
        .expect("fits");
    mine.set_statistics(
        &txn,
        Oid(20000),
        TableStatistics {
            rows: 7.0,
            ..TableStatistics::default()
        },
    )
    .expect("fits");
    assert_eq!(mine.current().find_relation(PUBLIC, "acct"), Some(Oid(20000)));
    assert_eq!(mine.current().find_role("carol"), Some(Oid(30000)));
    assert_eq!(other.current().find_relation(PUBLIC, "acct"), None);
    txn.commit().await.expect("commits");
    mine.committed();
    for catalog in [
        mine.current(),
        other.current(),
        CatalogStore::open(&engine).expect("opens").current(DATABASE).expect("5"),
    ] {
        assert_eq!(catalog.find_relation(PUBLIC, "acct"), Some(Oid(20000)));
        assert_eq!(catalog.find_role("carol"), Some(Oid(30000)));
        assert_eq!(catalog.statistics(Oid(20000)).map(|found| found.rows), Some(7.0));
    }
    let shop = store.current(Oid(30001)).expect("shop");
    assert_eq!(shop.find_schema("public"), Some(PUBLIC));
    assert_eq!(shop.find_relation(PUBLIC, "acct"), None);
    assert!(!shop.has_user_objects());
    let txn = begin(&engine);
    mine.change(&txn, Change::Delete(ObjectKind::Database, Oid(30001)))
        .expect("fits");
    mine.change(&txn, Change::Delete(ObjectKind::Table, Oid(20000)))
        .expect("fits");
    txn.commit().await.expect("commits");
    mine.committed();
    let again = CatalogStore::open(&engine).expect("opens");
    assert!(again.current(Oid(30001)).is_none() && store.current(Oid(30001)).is_none());
    assert!(again.current(DATABASE).is_some_and(|catalog| !catalog.has_user_objects()));
}

#[tokio::test]
async fn savepoints_take_changes_back() {
    let engine = engine();
    let store = CatalogStore::open(&engine).expect("bootstraps");
    let overlay = CatalogOverlay::new(&store, DATABASE);
    let txn = begin(&engine);
    txn.savepoint("a");
    let mark = overlay.savepoint();
    overlay.change(&txn, table()).expect("fits");
    txn.rollback_to("a").expect("there");
    overlay.back_to(mark);
    assert!(!overlay.current().has_user_objects());
    // The hook went with the savepoint; the next change brings its own.
    let view = Arc::clone(sample().view(Oid(20020)).expect("rich"));
    overlay.change(&txn, Change::Put(Object::View(view))).expect("fits");
    txn.commit().await.expect("commits");
    overlay.committed();
    assert_eq!(
        store
            .current(DATABASE)
            .and_then(|catalog| catalog.find_relation(PUBLIC, "rich")),
        Some(Oid(20020))
    );
    assert_eq!(
        store
            .current(DATABASE)
            .and_then(|catalog| catalog.find_relation(PUBLIC, "acct")),
        None
    );
}
