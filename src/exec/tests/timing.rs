//! What a point statement costs inside plan and exec. Run by hand: `cargo test --release exec::tests::timing -- --ignored --nocapture`.

use std::sync::Arc;
use std::time::Instant;

use super::harness::Db;
use crate::exec::Execution;
use crate::types::{Value, oid};

#[tokio::test]
#[ignore = "prints times"]
async fn point_select() {
    const ROUNDS: u32 = 100_000;
    let db = Db::with_rows().await;
    for sql in [
        "SELECT m FROM big WHERE n = $1",
        "SELECT n, m FROM big WHERE n >= $1 AND n < $1 + 10",
        "SELECT m FROM big WHERE m = -1",
    ] {
        let start = Instant::now();
        let rounds = ROUNDS / 10;
        for _ in 0..rounds {
            db.plan(sql, &[oid::INT4]).expect("plans");
        }
        println!("{sql}: parse, bind, plan {:?}", start.elapsed() / rounds);
        let plan = db.plan(sql, &[oid::INT4]).expect("plans");
        let txn = db.begin();
        let rounds = if sql.contains("-1") { 100 } else { ROUNDS };
        let start = Instant::now();
        for round in 0..rounds {
            let key = Value::Int4(i32::try_from(round % 3_000).unwrap_or(0));
            let context = db.context(&plan, &txn, vec![key]).expect("a snapshot");
            let mut execution = Execution::start(Arc::clone(&plan), context).expect("starts");
            while !execution.is_done() {
                execution.next_batch(1024).await.expect("runs");
            }
        }
        println!("{sql}: run {:?}", start.elapsed() / rounds);
    }
}
