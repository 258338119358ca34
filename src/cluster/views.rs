//! What SQL shows of ownership: rows of the `holdfast` views, answers of its functions.

use std::sync::atomic::Ordering;

use super::local::Ownership;
use crate::error::Result;
use crate::ids::Oid;
use crate::types::Value;

impl Ownership {
    /// Rows of `holdfast.ownership`, `.ownership_history`, `.nodes` or `.messages` for one database; `None` for another
    /// name.
    pub fn rows(&self, name: &str, database: Oid, address: &str) -> Option<Result<Vec<Vec<Value>>>> {
        match name.strip_prefix("holdfast.").unwrap_or(name) {
            "ownership" => Some(Ok(self.ownership_rows(database))),
            "ownership_history" => Some(self.history_rows(database)),
            "nodes" => Some(Ok(vec![self.node_row(address)])),
            "messages" => Some(Ok(self.message_rows())),
            _ => None,
        }
    }

    fn ownership_rows(&self, database: Oid) -> Vec<Vec<Value>> {
        self.relations()
            .into_iter()
            .filter(|((owned_in, _), _)| *owned_in == database)
            .map(|((_, relation), since)| {
                vec![
                    Value::Oid(relation.0),
                    Value::Null,
                    Value::Int4(i32::from(self.node.0)),
                    bigint(self.incarnation.0),
                    Value::text("ACCESS EXCLUSIVE"),
                    bigint(since.0),
                ]
            })
            .collect()
    }

    fn history_rows(&self, database: Oid) -> Result<Vec<Vec<Value>>> {
        let ours = self
            .history()?
            .into_iter()
            .filter(|change| change.relation.is_none_or(|(owned_in, _)| owned_in == database));
        Ok(ours
            .map(|change| {
                vec![
                    bigint(change.epoch.0),
                    change.relation.map_or(Value::Null, |(_, relation)| Value::Oid(relation.0)),
                    Value::Null,
                    Value::Int4(i32::from(change.node.0)),
                    if change.relation.is_some() {
                        Value::text("ACCESS EXCLUSIVE")
                    } else {
                        Value::Null
                    },
                    Value::text(change.event),
                    Value::TimestampTz(change.happened_micros),
                ]
            })
            .collect())
    }

    fn node_row(&self, address: &str) -> Vec<Value> {
        vec![
            Value::Int4(i32::from(self.node.0)),
            Value::text(address),
            Value::text("leader"),
            bigint(self.incarnation.0),
            Value::Bool(true),
            Value::Null,
            bigint(self.applied().0),
            Value::Int8(0),
        ]
    }

    /// Kinds of messages between nodes, and log entries; a node that is alone sends none.
    fn message_rows(&self) -> Vec<Vec<Value>> {
        let row = |kind: &str, sent: u64| vec![Value::text(kind), bigint(sent), Value::Int8(0)];
        vec![
            row("claim_entry", self.claims.load(Ordering::Relaxed)),
            row("grant_local", self.grants.load(Ordering::Relaxed)),
            row("yield", 0),
            row("yielded", 0),
            row("ping", 0),
        ]
    }

    /// `holdfast.owner`: the node that owns a record.
    pub fn owner_of(&self, _relation: Oid) -> Value {
        Value::Int4(i32::from(self.node.0))
    }

    /// `holdfast.fencing_token` of a record by its storage key.
    pub fn fencing_token(&self, database: Oid, relation: Oid, key: &[u8]) -> Value {
        Value::Int8(self.token(database, relation, key))
    }
}

fn bigint(value: u64) -> Value {
    Value::Int8(i64::try_from(value).unwrap_or(i64::MAX))
}
