//! Real drivers, each with a script of its own in `tests/drivers/` that prints `ok` at its end; tokio-postgres, the Rust
//! driver, is what the other tests here use.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::server::Server;

const SCRIPTS: [&str; 5] = [
    "psycopg3_claims.py",
    "psycopg2_stock.py",
    "asyncpg_limiter.py",
    "sqlalchemy_orm.py",
    "node_pg.js",
];

/// Where the drivers are installed: made by the first run, used by later ones.
fn folder() -> PathBuf {
    std::env::var_os("HOLDFAST_DRIVERS").map_or_else(
        || PathBuf::from(std::env::var_os("HOME").expect("a home directory")).join(".cache/holdfast-drivers"),
        PathBuf::from,
    )
}

fn said(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

fn run(script: &Path, folder: &Path, url: &str) -> Output {
    let program = match script.extension().and_then(|ending| ending.to_str()) {
        Some("py") => folder.join("venv/bin/python"),
        Some("js") => PathBuf::from("node"),
        other => panic!("no program for {other:?}"),
    };
    Command::new("timeout")
        .arg("120")
        .arg(program)
        .arg(script)
        .arg(url)
        .env("NODE_PATH", folder.join("node/node_modules"))
        .output()
        .expect("the script is run")
}

#[tokio::test(flavor = "multi_thread")]
async fn every_driver_runs_its_session() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = folder();
    let made = Command::new(root.join("scripts/setup-drivers.sh"))
        .arg(&folder)
        .output()
        .expect("the set-up script is run");
    assert!(made.status.success(), "{}", said(&made));
    let server = Server::start();
    for script in SCRIPTS {
        let database = script.split('.').next().expect("a name");
        server.run(&format!("CREATE DATABASE {database}")).await;
        let output = run(&root.join("tests/drivers").join(script), &folder, &server.url(database));
        let said = said(&output);
        assert!(output.status.success() && said.trim_end().ends_with("ok"), "{script}: {said}");
    }
}
