//! A power cut: what was not synced is gone. Everything that was answered must still be there; a server that answers
//! before the sync (planted) must be caught.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use holdfast::server::Server;
use holdfast::storage::Store;
use holdfast::storage::lossy::LossyStore;
use holdfast::storage::pipeline::PipelineOptions;
use tokio::net::TcpListener;
use tokio_postgres::{Client, NoTls};

const WRITERS: i32 = 4;

async fn serve(store: Arc<dyn Store>, plant_answer_before_sync: bool) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let options = PipelineOptions {
        plant_answer_before_sync,
    };
    Server::start_on(store, listener, "memory".to_owned(), options).expect("the server starts")
}

async fn connect(server: &Server) -> Client {
    let dsn = format!(
        "host=127.0.0.1 port={} user=postgres dbname=postgres",
        server.address().port()
    );
    let (client, connection) = tokio_postgres::connect(&dsn, NoTls).await.expect("a connection");
    tokio::spawn(connection);
    client
}

/// Runs writers, cuts the power once, and answers how many acknowledged numbers are missing afterwards.
async fn missing_after_power_cut(plant_answer_before_sync: bool) -> i64 {
    let store = Arc::new(LossyStore::new(Duration::from_millis(4)));
    let server = serve(store.clone(), plant_answer_before_sync).await;
    let setup = connect(&server).await;
    setup
        .batch_execute("CREATE TABLE numbers (writer int, number bigint, PRIMARY KEY (writer, number))")
        .await
        .expect("the table is made");
    // The table itself must have reached the disk before the cut, planted fault or not.
    tokio::time::sleep(Duration::from_millis(200)).await;
    let stop = Arc::new(AtomicBool::new(false));
    let acknowledged: Vec<Arc<AtomicI64>> = (0..WRITERS).map(|_| Arc::default()).collect();
    let mut tasks = Vec::new();
    for (writer, last) in (0..WRITERS).zip(&acknowledged) {
        let client = connect(&server).await;
        let (last, stop) = (Arc::clone(last), Arc::clone(&stop));
        tasks.push(tokio::spawn(async move {
            for number in 1_i64.. {
                if stop.load(Ordering::SeqCst) {
                    return;
                }
                client
                    .execute("INSERT INTO numbers VALUES ($1, $2)", &[&writer, &number])
                    .await
                    .expect("inserts");
                last.store(number, Ordering::SeqCst);
            }
        }));
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    // What was answered by now, then the cut.
    let answered: Vec<i64> = acknowledged.iter().map(|last| last.load(Ordering::SeqCst)).collect();
    let after = store.after_crash().expect("the disk can be read");
    stop.store(true, Ordering::SeqCst);
    for task in tasks {
        task.await.expect("a writer ends");
    }
    server.stop().await.expect("stops");
    assert!(answered.iter().sum::<i64>() > 20, "the load was real: {answered:?}");

    let server = serve(after, false).await;
    let client = connect(&server).await;
    let mut missing = 0;
    for (writer, last) in (0..WRITERS).zip(answered) {
        let row = client
            .query_one(
                "SELECT count(*) FROM numbers WHERE writer = $1 AND number <= $2",
                &[&writer, &last],
            )
            .await
            .expect("counts");
        missing += last - row.get::<_, i64>(0);
    }
    server.stop().await.expect("stops");
    missing
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_answered_is_lost_in_a_power_cut() {
    assert_eq!(missing_after_power_cut(false).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn answering_before_the_sync_is_caught() {
    let missing = missing_after_power_cut(true).await;
    assert!(missing > 0, "the planted fault must lose answered commits");
}
