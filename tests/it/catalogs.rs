//! What psql, drivers and `pg_dump` read of the catalogs, against PostgreSQL's own answers in `tests/catalogs`.

use std::path::Path;
use std::process::Command;

use crate::server::Server;

fn output(command: &mut Command) -> String {
    let said = command.output().expect("postgresql-client-15 is installed");
    String::from_utf8_lossy(&said.stdout).into_owned() + &String::from_utf8_lossy(&said.stderr)
}

fn golden(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/catalogs").join(name);
    std::fs::read_to_string(path).expect("the expected answers are there")
}

/// The first lines that differ, for a message that can be read.
fn assert_same(found: &str, wanted: &str, what: &str) {
    let mut lines = (1..).zip(found.lines().zip(wanted.lines()));
    if let Some((number, (found, wanted))) = lines.find(|(_, (found, wanted))| found != wanted) {
        panic!("{what}, line {number}:\n  found  {found}\n  wanted {wanted}");
    }
    assert_eq!(found.lines().count(), wanted.lines().count(), "{what}: lines");
}

#[tokio::test(flavor = "multi_thread")]
async fn psql_and_pg_dump_see_what_postgresql_shows() {
    let server = Server::start();
    server.run("CREATE DATABASE cat_g").await;
    let dsn = server.dsn().replace("dbname=postgres", "dbname=cat_g");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/catalogs/psql.sql");
    let said = output(Command::new("psql").args(["-XAq", &dsn, "-f"]).arg(script));
    assert_same(&said, &golden("psql.out"), "psql");

    let versions = ["\\restrict", "\\unrestrict", "-- Dumped"];
    let dump: Vec<String> = output(Command::new("pg_dump").args(["-s", &dsn]))
        .lines()
        .filter(|line| !versions.iter().any(|start| line.starts_with(start)))
        .map(str::to_owned)
        .collect();
    assert_same(&(dump.join("\n") + "\n"), &golden("dump.out"), "pg_dump");
}
