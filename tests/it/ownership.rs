//! The transaction's lock ends with the commit; the node's ownership stays.

use crate::server::Server;

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_releases_the_lock_and_leaves_the_ownership() {
    let mut server = Server::start();
    server
        .run("CREATE TABLE accounts (id int PRIMARY KEY, balance bigint); INSERT INTO accounts VALUES (1, 100)")
        .await;
    let client = server.connect().await;
    let locked = "SELECT count(*) FROM pg_locks WHERE locktype = 'tuple' AND relation = 'accounts'::regclass";
    let token = "SELECT holdfast.fencing_token('accounts', '1')";

    client
        .batch_execute("BEGIN; SELECT * FROM accounts WHERE id = 1 FOR UPDATE")
        .await
        .expect("locks");
    assert_eq!(server.number(locked).await, 1);
    let first = server.number(token).await;
    client.batch_execute("COMMIT").await.expect("commits");

    assert_eq!(server.number(locked).await, 0, "the transaction's lock is gone");
    assert_eq!(
        server.number("SELECT holdfast.owner('accounts', '1')::bigint").await,
        1,
        "the owner is still this node"
    );
    let owned = "SELECT count(*) FROM holdfast.ownership WHERE relation = 'accounts'::regclass AND node = 1";
    assert_eq!(server.number(owned).await, 1);
    let messages = "SELECT coalesce(sum(sent), 0)::bigint FROM holdfast.messages WHERE kind IN ('yield', 'yielded', 'ping')";
    assert_eq!(server.number(messages).await, 0, "nobody was asked");

    client
        .batch_execute("BEGIN; SELECT * FROM accounts WHERE id = 1 FOR UPDATE; COMMIT")
        .await
        .expect("locks again");
    let second = server.number(token).await;
    assert!(second > first, "tokens grow with every grant: {first}, {second}");

    server.kill();
    server.restart();
    server
        .run("BEGIN; SELECT * FROM accounts WHERE id = 1 FOR UPDATE; COMMIT")
        .await;
    let third = server.number(token).await;
    assert!(third > second, "and over restarts: {second}, {third}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_away_frees_its_locks() {
    let server = Server::start();
    server
        .run("CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1)")
        .await;
    let (gone, connection) = tokio_postgres::connect(&server.dsn(), tokio_postgres::NoTls)
        .await
        .expect("a connection");
    let socket = tokio::spawn(connection);
    gone.batch_execute("BEGIN; SELECT * FROM t WHERE id = 1 FOR UPDATE")
        .await
        .expect("locks");
    // In the middle of a statement: the sleep is cut short when the socket closes.
    let sleeping = tokio::spawn(async move { gone.batch_execute("SELECT pg_sleep(60)").await });
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    socket.abort();
    assert!(sleeping.await.expect("ends").is_err(), "the client lost its connection");
    let other = server.connect().await;
    other
        .batch_execute("SET lock_timeout = '5s'; BEGIN; SELECT * FROM t WHERE id = 1 FOR UPDATE; COMMIT")
        .await
        .expect("the lock is free again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prepared_transaction_keeps_its_locks_without_a_process() {
    let server = Server::start();
    server
        .run("CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1)")
        .await;
    let client = server.connect().await;
    client
        .batch_execute("BEGIN; SELECT * FROM t WHERE id = 1 FOR UPDATE; PREPARE TRANSACTION 'p'")
        .await
        .expect("prepares");
    let orphaned = "SELECT count(*) FROM pg_locks, pg_prepared_xacts \
         WHERE pid IS NULL AND locktype = 'tuple' AND virtualtransaction = '-1/' || transaction";
    assert_eq!(server.number(orphaned).await, 1);
    client.batch_execute("ROLLBACK PREPARED 'p'").await.expect("rolls back");
    assert_eq!(server.number(orphaned).await, 0);

    let refused = client
        .batch_execute("SELECT pg_advisory_lock(7); BEGIN; SELECT pg_advisory_xact_lock(7); PREPARE TRANSACTION 'q'")
        .await
        .expect_err("is locked in both ways");
    let refused = refused.as_db_error().expect("an error of the server").message();
    assert_eq!(
        refused,
        "cannot PREPARE while holding both session-level and transaction-level locks on the same object"
    );
}
