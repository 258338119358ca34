//! Passwords: where loopback is not trusted, every client proves what it knows by SCRAM-SHA-256.

use std::path::Path;
use std::time::Duration;

use holdfast::error::sqlstate;
use holdfast::server::{Server, ServerOptions};
use holdfast::storage::rocks::RocksOptions;
use tokio_postgres::{Client, NoTls};

async fn serve(data: &Path, trust_loopback: bool) -> Server {
    let options = ServerOptions {
        data: data.to_owned(),
        listen: "127.0.0.1:0".to_owned(),
        rocks: RocksOptions::default(),
        trust_loopback,
    };
    for _ in 0..100 {
        match Server::start(&options).await {
            // In one process, the store is closed a moment after the server before it has stopped.
            Err(error) if error.code() == sqlstate::OBJECT_IN_USE => tokio::time::sleep(Duration::from_millis(50)).await,
            started => return started.expect("the server starts"),
        }
    }
    panic!("the data directory stays in use");
}

async fn connect(server: &Server, user: &str, password: &str) -> Result<Client, String> {
    let mut config = tokio_postgres::Config::new();
    config
        .host("127.0.0.1")
        .port(server.address().port())
        .user(user)
        .password(password)
        .dbname("postgres");
    let (client, connection) = config.connect(NoTls).await.map_err(|error| {
        let told = error.as_db_error().expect("the server's own error");
        format!("{}: {}", told.code().code(), told.message())
    })?;
    tokio::spawn(connection);
    Ok(client)
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_right_password_lets_in() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let trusting = serve(folder.path(), true).await;
    connect(&trusting, "postgres", "")
        .await
        .expect("loopback is trusted")
        .batch_execute(
            "CREATE ROLE app LOGIN PASSWORD 'first'; ALTER ROLE app PASSWORD 'sécret';
             CREATE ROLE late LOGIN PASSWORD 'late' VALID UNTIL '2020-01-01';
             CREATE ROLE without LOGIN; CREATE ROLE closed PASSWORD 'closed'",
        )
        .await
        .expect("roles are made");
    trusting.stop().await.expect("stops");

    let server = serve(folder.path(), false).await;
    let client = connect(&server, "app", "sécret").await.expect("the right password");
    let user: String = client
        .query_one("SELECT current_user::text", &[])
        .await
        .expect("a row")
        .get(0);
    assert_eq!(user, "app");
    for (user, password) in [("app", "first"), ("late", "late"), ("without", ""), ("nobody", "x")] {
        let refused = connect(&server, user, password).await.err();
        let expected = format!("28P01: password authentication failed for user \"{user}\"");
        assert_eq!(refused, Some(expected));
    }
    let refused = connect(&server, "closed", "closed").await.err();
    assert_eq!(refused.as_deref(), Some("28000: role \"closed\" is not permitted to log in"));
    drop(client);
    server.stop().await.expect("stops");
}
