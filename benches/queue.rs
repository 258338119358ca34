//! What a claim costs at the head of a queue: with no job done before it, and with 200,000 done, deleted and updated.
//!
//! `cargo bench --bench queue` prints the medians in microseconds; they should not differ by more than noise.

use std::sync::Arc;
use std::time::{Duration, Instant};

use holdfast::server::Server;
use holdfast::storage::pipeline::PipelineOptions;
use holdfast::storage::rocks::{RocksOptions, RocksStore};
use tokio::net::TcpListener;
use tokio_postgres::{Client, NoTls};

const DONE: i64 = 200_000;
const CLAIMS: usize = 300;

async fn median(client: &Client, claim: &str) -> Duration {
    let statement = client.prepare(claim).await.expect("prepares");
    let mut times = Vec::with_capacity(CLAIMS);
    for _ in 0..CLAIMS {
        client.batch_execute("BEGIN").await.expect("begins");
        let began = Instant::now();
        let row = client.query_one(&statement, &[]).await.expect("a job is ready");
        times.push(began.elapsed());
        assert!(row.get::<_, i64>(0) > 0);
        client.batch_execute("ROLLBACK").await.expect("rolls back");
    }
    times.sort_unstable();
    times[CLAIMS / 2]
}

async fn measure() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = RocksStore::open(&folder.path().join("data"), &RocksOptions::default()).expect("opens");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let server = Server::start_on(Arc::new(store), listener, "bench".to_owned(), PipelineOptions::default()).expect("starts");
    let dsn = format!(
        "host=127.0.0.1 port={} user=postgres dbname=postgres",
        server.address().port()
    );
    let (client, connection) = tokio_postgres::connect(&dsn, NoTls).await.expect("a connection");
    tokio::spawn(connection);
    client
        .batch_execute(
            "CREATE TABLE jobs (id bigint PRIMARY KEY, state text NOT NULL);
             CREATE INDEX ready ON jobs (id) WHERE state = 'ready';
             CREATE TABLE queue (id bigint PRIMARY KEY, payload text)",
        )
        .await
        .expect("the tables are made");
    for table in ["jobs", "queue"] {
        let fill = format!(
            "INSERT INTO {table} SELECT n, 'ready' FROM generate_series(1, {}) AS n",
            DONE + 10_000
        );
        client.batch_execute(&fill).await.expect("fills");
    }
    let by_state = "SELECT id FROM jobs WHERE state = 'ready' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED";
    let by_key = "SELECT id FROM queue ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED";
    let before = [median(&client, by_state).await, median(&client, by_key).await];
    client
        .batch_execute(&format!("UPDATE jobs SET state = 'done' WHERE id <= {DONE}"))
        .await
        .expect("updates");
    client
        .batch_execute(&format!("DELETE FROM queue WHERE id <= {DONE}"))
        .await
        .expect("deletes");
    let after = [median(&client, by_state).await, median(&client, by_key).await];
    for (name, before, after) in [("updated", before[0], after[0]), ("deleted", before[1], after[1])] {
        println!("{DONE} jobs {name}: claim {before:?} before, {after:?} after");
    }
    drop(client);
    server.stop().await.expect("stops");
}

fn main() {
    // `cargo test` runs bench targets too; the measurement is for `cargo bench` alone.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(measure());
}
