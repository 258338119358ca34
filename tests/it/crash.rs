//! SIGKILL at random moments under load: what was acknowledged is there, nothing is there by halves, indexes agree.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use rand::Rng;

use crate::server::Server;

const CRASHES: usize = 20;
const WRITERS: usize = 6;

const SCHEMA: &str = "
    CREATE TABLE accounts (id int PRIMARY KEY, balance bigint NOT NULL);
    CREATE TABLE branches (id int PRIMARY KEY, balance bigint NOT NULL);
    CREATE TABLE history (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, writer int NOT NULL, number bigint NOT NULL,
                          delta bigint NOT NULL, UNIQUE (writer, number));
    CREATE INDEX history_writer ON history (writer);
    INSERT INTO accounts SELECT n, 0 FROM generate_series(1, 100) AS n;
    INSERT INTO branches VALUES (1, 0), (2, 0)";

/// One transfer in one transaction over three tables; `number` is the writer's own count.
async fn transfer(client: &tokio_postgres::Client, writer: i32, number: i64, seed: u64) -> Result<(), tokio_postgres::Error> {
    let account = i32::try_from(seed % 100).expect("below 100") + 1;
    let branch = i32::try_from(seed / 100 % 2).expect("below 2") + 1;
    let delta = i64::try_from(seed % 1_000).expect("below 1,000") - 500;
    client.batch_execute("BEGIN").await?;
    client
        .execute(
            "UPDATE accounts SET balance = balance + $1 WHERE id = $2",
            &[&delta, &account],
        )
        .await?;
    client
        .execute("UPDATE branches SET balance = balance + $1 WHERE id = $2", &[&delta, &branch])
        .await?;
    client
        .execute(
            "INSERT INTO history (writer, number, delta) VALUES ($1, $2, $3)",
            &[&writer, &number, &delta],
        )
        .await?;
    client.batch_execute("COMMIT").await
}

/// Writes until the server dies; `acknowledged` is the last number whose COMMIT was answered.
async fn write(server: Arc<tokio::sync::RwLock<Server>>, writer: i32, acknowledged: Arc<AtomicI64>, first: i64) {
    let Ok(client) = server.read().await.try_connect().await else {
        return;
    };
    for number in first.. {
        let seed = rand::rng().random::<u32>();
        if transfer(&client, writer, number, u64::from(seed)).await.is_err() {
            return;
        }
        acknowledged.store(number, Ordering::SeqCst);
    }
}

async fn check(server: &Server, acknowledged: &[Arc<AtomicI64>]) {
    let accounts = server.number("SELECT coalesce(sum(balance), 0)::bigint FROM accounts").await;
    let branches = server.number("SELECT coalesce(sum(balance), 0)::bigint FROM branches").await;
    let history = server.number("SELECT coalesce(sum(delta), 0)::bigint FROM history").await;
    assert_eq!((accounts, branches), (history, history), "no transaction is there by halves");
    for (writer, last) in acknowledged.iter().enumerate() {
        let there = server
            .number(&format!(
                "SELECT coalesce(max(number), 0) FROM history WHERE writer = {writer}"
            ))
            .await;
        let count = server
            .number(&format!("SELECT count(*) FROM history WHERE writer = {writer}"))
            .await;
        let last = last.load(Ordering::SeqCst);
        assert!(there >= last, "writer {writer}: {last} was acknowledged, {there} is there");
        assert_eq!(count, there, "writer {writer}: every number up to the last is there");
        // The last one may have been committed without its answer having arrived.
        assert!(
            there <= last + 1,
            "writer {writer}: {there} is there, {last} was acknowledged"
        );
    }
    let by_table = server.number("SELECT count(*) FROM history WHERE delta IS NOT NULL").await;
    let by_index = server.number("SELECT count(*) FROM history WHERE writer >= 0").await;
    assert_eq!(by_table, by_index, "the index has an entry for each row");
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_crashes_lose_nothing_that_was_acknowledged() {
    let server = Server::start();
    server.run(SCHEMA).await;
    let server = Arc::new(tokio::sync::RwLock::new(server));
    let acknowledged: Vec<Arc<AtomicI64>> = (0..WRITERS).map(|_| Arc::default()).collect();
    for crash in 1..=CRASHES {
        let tasks: Vec<_> = acknowledged
            .iter()
            .enumerate()
            .map(|(writer, last)| {
                let first = last.load(Ordering::SeqCst) + 1;
                let writer = i32::try_from(writer).expect("few writers");
                tokio::spawn(write(Arc::clone(&server), writer, Arc::clone(last), first))
            })
            .collect();
        tokio::time::sleep(Duration::from_millis(rand::rng().random_range(150..700))).await;
        let mut guard = server.write().await;
        guard.kill();
        drop(guard);
        for task in tasks {
            task.await.expect("a writer ends");
        }
        let mut guard = server.write().await;
        let took = guard.restart();
        assert!(took < Duration::from_secs(20), "crash {crash}: the restart took {took:?}");
        check(&guard, &acknowledged).await;
        // What was committed without an answer counts from here on.
        for (writer, last) in acknowledged.iter().enumerate() {
            let there = guard
                .number(&format!(
                    "SELECT coalesce(max(number), 0) FROM history WHERE writer = {writer}"
                ))
                .await;
            last.store(there, Ordering::SeqCst);
        }
    }
    let total: i64 = acknowledged.iter().map(|last| last.load(Ordering::SeqCst)).sum();
    assert!(total > 100, "the load was real: {total} transactions");
}
