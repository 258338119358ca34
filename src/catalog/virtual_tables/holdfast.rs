//! The relations of schema `holdfast`: the server has their rows; locks of this node are known here too.

use super::{Row, oid, opt_time, text};
use crate::catalog::server_state::{VirtualContext, pg_micros};
use crate::error::Result;
use crate::lock::{AdvisoryKey, LockRow, Target};
use crate::types::Value;

/// This node's number where the server knows no other.
const ALONE: i32 = 1;

pub(super) fn rows(name: &str, context: &VirtualContext<'_>) -> Option<Result<Vec<Row>>> {
    let bare = name.strip_prefix("holdfast.")?;
    if let Some(rows) = context.state.cluster_rows(name) {
        return Some(rows);
    }
    Some(Ok(match bare {
        "locks" => context.state.locks().iter().map(lock_row).collect(),
        _ => Vec::new(),
    }))
}

fn lock_row(lock: &LockRow) -> Row {
    let hex = |key: &[u8]| Value::text(hex::encode(key));
    let (kind, database, relation, key) = match &lock.target {
        Target::Relation { database, relation } => ("relation", *database, oid(*relation), Value::Null),
        Target::Record {
            database, relation, key, ..
        } => ("tuple", *database, oid(*relation), hex(key)),
        Target::Key {
            database, relation, key, ..
        } => ("key", *database, oid(*relation), hex(key)),
        Target::Advisory { database, key } => {
            let key = match key {
                AdvisoryKey::Big(key) => key.to_string(),
                AdvisoryKey::Pair(high, low) => format!("{high},{low}"),
            };
            ("advisory", *database, Value::Null, Value::text(key))
        }
    };
    vec![
        Value::Int4(ALONE),
        Value::Int4(lock.pid.0),
        text(kind),
        oid(database),
        relation,
        key,
        text(lock.mode.pg_name()),
        Value::Bool(lock.granted),
        lock.position
            .map_or(Value::Null, |place| Value::Int4(i32::try_from(place).unwrap_or(i32::MAX))),
        opt_time(lock.wait_start.map(pg_micros)),
    ]
}
