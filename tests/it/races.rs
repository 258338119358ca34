//! The races that the project exists for, over the wire with many clients. Each has a control arm without the lock that
//! must show the fault: a test that cannot fail proves nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use tokio_postgres::Client;

use crate::server::Server;

const CLIENTS: usize = 32;

/// Runs `work` on many connections at once and adds up what each answers.
async fn together<F, T>(server: &Server, clients: usize, work: F) -> i64
where
    F: Fn(usize, Client) -> T,
    T: Future<Output = i64> + Send + 'static,
{
    let mut tasks = Vec::new();
    for number in 0..clients {
        tasks.push(tokio::spawn(work(number, server.connect().await)));
    }
    let mut total = 0;
    for task in tasks {
        total += task.await.expect("a client ends well");
    }
    total
}

/// Claims jobs until none is left; answers how many it did.
async fn claim_jobs(client: Client, clause: &str) -> i64 {
    let claim = format!("SELECT id FROM jobs WHERE state = 'ready' ORDER BY id LIMIT 1 {clause}");
    let mut done = 0;
    loop {
        client.batch_execute("BEGIN").await.expect("begins");
        let Some(job) = client.query_opt(&claim, &[]).await.expect("claims") else {
            client.batch_execute("COMMIT").await.expect("commits");
            return done;
        };
        let id: i64 = job.get(0);
        client
            .execute("INSERT INTO work (job) VALUES ($1)", &[&id])
            .await
            .expect("works");
        client
            .execute("UPDATE jobs SET state = 'done' WHERE id = $1", &[&id])
            .await
            .expect("finishes");
        client.batch_execute("COMMIT").await.expect("commits");
        done += 1;
    }
}

async fn queue(jobs: i64, clause: &'static str) -> (i64, i64) {
    let server = Server::start();
    server
        .run(&format!(
            "CREATE TABLE jobs (id bigint PRIMARY KEY, state text NOT NULL); CREATE TABLE work (job bigint NOT NULL);
             CREATE INDEX ready ON jobs (id) WHERE state = 'ready';
             INSERT INTO jobs SELECT n, 'ready' FROM generate_series(1, {jobs}) AS n"
        ))
        .await;
    let done = together(&server, CLIENTS, |_, client| claim_jobs(client, clause)).await;
    (done, server.number("SELECT count(DISTINCT job) FROM work").await)
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_jobs_are_each_done_once() {
    assert_eq!(queue(10_000, "FOR UPDATE SKIP LOCKED").await, (10_000, 10_000));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_lock_jobs_are_done_twice() {
    let (done, different) = queue(300, "").await;
    assert!(
        done > different,
        "the control arm shows the fault: {done} runs of {different} jobs"
    );
}

/// Reads the stock, decides, and takes one; answers how many it took.
async fn buy(client: Client, read: &str, tries: i64) -> i64 {
    let mut taken = 0;
    for _ in 0..tries {
        client.batch_execute("BEGIN").await.expect("begins");
        let left: i64 = client.query_one(read, &[]).await.expect("reads").get(0);
        if left > 0 {
            client
                .batch_execute("UPDATE stock SET quantity = quantity - 1 WHERE item = 1")
                .await
                .expect("takes");
            taken += 1;
        }
        client.batch_execute("COMMIT").await.expect("commits");
    }
    taken
}

async fn stock(read: &'static str) -> i64 {
    let server = Server::start();
    server
        .run("CREATE TABLE stock (item int PRIMARY KEY, quantity bigint NOT NULL); INSERT INTO stock VALUES (1, 200)")
        .await;
    together(&server, CLIENTS, |_, client| buy(client, read, 20)).await;
    server.number("SELECT quantity FROM stock").await
}

#[tokio::test(flavor = "multi_thread")]
async fn stock_ends_at_exactly_zero() {
    assert_eq!(stock("SELECT quantity FROM stock WHERE item = 1 FOR UPDATE").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_lock_stock_goes_below_zero() {
    let left = stock("SELECT quantity FROM stock WHERE item = 1").await;
    assert!(left < 0, "the control arm shows the fault: {left}");
}

/// One burst of thirty askers against a limit of ten, counted in another table under `guard`.
async fn limiter(guard: &'static str) -> i64 {
    let server = Server::start();
    server
        .run(
            "CREATE TABLE guard (id int PRIMARY KEY); INSERT INTO guard VALUES (1);
             CREATE TABLE admitted (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, burst int NOT NULL)",
        )
        .await;
    let mut most = 0;
    for burst in 1..=5_i32 {
        together(&server, 30, move |_, client| async move {
            client.batch_execute("BEGIN").await.expect("begins");
            if !guard.is_empty() {
                client.batch_execute(guard).await.expect("guards");
            }
            let count: i64 = client
                .query_one("SELECT count(*) FROM admitted WHERE burst = $1", &[&burst])
                .await
                .expect("counts")
                .get(0);
            if count < 10 {
                client
                    .execute("INSERT INTO admitted (burst) VALUES ($1)", &[&burst])
                    .await
                    .expect("admits");
            }
            client.batch_execute("COMMIT").await.expect("commits");
            0
        })
        .await;
        let admitted = server
            .number(&format!("SELECT count(*) FROM admitted WHERE burst = {burst}"))
            .await;
        if !guard.is_empty() {
            assert_eq!(admitted, 10, "burst {burst} under {guard}");
        }
        most = most.max(admitted);
    }
    most
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_of_ten_admits_ten_under_a_guard_row() {
    limiter("SELECT 1 FROM guard WHERE id = 1 FOR UPDATE").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_of_ten_admits_ten_under_an_advisory_lock() {
    limiter("SELECT pg_advisory_xact_lock(42)").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_of_ten_admits_ten_under_lock_table() {
    limiter("LOCK TABLE guard IN EXCLUSIVE MODE").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_guard_the_limit_is_passed() {
    let most = limiter("").await;
    assert!(most > 10, "the control arm shows the fault: at most {most} were admitted");
}

/// Increments a counter by reading it and writing what was read plus one.
async fn counter(read: &'static str) -> i64 {
    let server = Server::start();
    server
        .run("CREATE TABLE counter (id int PRIMARY KEY, value bigint NOT NULL); INSERT INTO counter VALUES (1, 0)")
        .await;
    together(&server, CLIENTS, move |_, client| async move {
        for _ in 0..25 {
            client.batch_execute("BEGIN").await.expect("begins");
            let value: i64 = client.query_one(read, &[]).await.expect("reads").get(0);
            client
                .execute("UPDATE counter SET value = $1 WHERE id = 1", &[&(value + 1)])
                .await
                .expect("writes");
            client.batch_execute("COMMIT").await.expect("commits");
        }
        0
    })
    .await;
    server.number("SELECT value FROM counter").await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_counter_under_for_update_loses_nothing() {
    assert_eq!(
        counter("SELECT value FROM counter WHERE id = 1 FOR UPDATE").await,
        25 * CLIENTS as i64
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_lock_increments_are_lost() {
    let value = counter("SELECT value FROM counter WHERE id = 1").await;
    assert!(value < 25 * CLIENTS as i64, "the control arm shows the fault: {value}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_check_has_one_winner_a_round() {
    let server = Server::start();
    server
        .run("CREATE TABLE doc (id int PRIMARY KEY, version bigint NOT NULL); INSERT INTO doc VALUES (1, 0)")
        .await;
    for round in 0..20_i64 {
        let winners = together(&server, CLIENTS, move |_, client| async move {
            let update = "UPDATE doc SET version = version + 1 WHERE id = 1 AND version = $1";
            i64::try_from(client.execute(update, &[&round]).await.expect("updates")).expect("one or none")
        })
        .await;
        assert_eq!(winners, 1, "round {round}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deadlock_storm_ends_and_leaves_no_lock() {
    let server = Server::start();
    server
        .run("CREATE TABLE hot (id int PRIMARY KEY, n int NOT NULL); INSERT INTO hot SELECT n, 0 FROM generate_series(1, 8) AS n")
        .await;
    let victims = Arc::new(AtomicI64::new(0));
    let ended = Arc::clone(&victims);
    let committed = together(&server, 64, move |number, client| {
        let victims = Arc::clone(&ended);
        async move {
            let mut committed = 0;
            let began = std::time::Instant::now();
            let mut seed = number as u64 * 2_654_435_761 + 1;
            while began.elapsed() < Duration::from_secs(30) {
                client.batch_execute("BEGIN").await.expect("begins");
                let mut failed = false;
                for _ in 0..3 {
                    seed = seed
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1_442_695_040_888_963_407);
                    let row = i32::try_from((seed >> 33) % 8).expect("below 8") + 1;
                    if let Err(error) = client.execute("SELECT n FROM hot WHERE id = $1 FOR UPDATE", &[&row]).await {
                        assert_eq!(
                            error.code().map(|code| code.code().to_owned()).as_deref(),
                            Some("40P01"),
                            "{error}"
                        );
                        victims.fetch_add(1, Ordering::Relaxed);
                        failed = true;
                        break;
                    }
                }
                client
                    .batch_execute(if failed { "ROLLBACK" } else { "COMMIT" })
                    .await
                    .expect("ends");
                committed += i64::from(!failed);
            }
            committed
        }
    })
    .await;
    assert!(committed > 0, "somebody gets through");
    assert!(victims.load(Ordering::Relaxed) > 0, "the storm makes deadlocks");
    let left = server.number("SELECT count(*) FROM pg_locks WHERE locktype = 'tuple'").await;
    assert_eq!(left, 0, "the lock table is empty at the end");
}
