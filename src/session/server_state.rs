//! What catalog relations read of the session and the server: [`ServerState`] for a session.

use super::shared::SessionShared;
use crate::catalog::Sequence;
use crate::catalog::{
    ActivityRow, CursorRow, DatabaseCounters, PreparedStatementRow, PreparedTransactionRow, ServerState, SettingRow,
};
use crate::codec::layout;
use crate::config;
use crate::error::Result;
use crate::functions::Host;
use crate::ids::{Oid, StorageId};
use crate::lock::{LockRow, Target};
use crate::storage::Space;
use crate::txn::PreparedTransaction;
use crate::types::Value;

/// A session's view of the server.
pub(super) struct SessionServerState<'a> {
    pub session: &'a SessionShared,
}

impl ServerState for SessionServerState<'_> {
    fn settings(&self) -> Vec<SettingRow> {
        let settings = self.session.settings.lock();
        config::definitions()
            .iter()
            .map(|one| {
                let setting = settings.get(one.name).unwrap_or(one.default).to_owned();
                let source = if setting == one.default { "default" } else { "session" };
                SettingRow {
                    name: one.name,
                    setting,
                    reset: one.default.to_owned(),
                    source,
                }
            })
            .collect()
    }

    fn activity(&self) -> Vec<ActivityRow> {
        let locks = &self.session.instance.engine.locks;
        self.session
            .instance
            .sessions()
            .iter()
            .map(|one| {
                let activity = one.activity();
                let waits = locks.waiting_for(one.pid());
                ActivityRow {
                    pid: one.pid().0,
                    database: Some(one.database_oid),
                    user: Some(one.user_oid),
                    application_name: one.settings.lock().get("application_name").unwrap_or_default().to_owned(),
                    client: Some(one.client),
                    backend_start: one.started_micros,
                    transaction_start: activity.transaction_start,
                    query_start: activity.query_start,
                    state_change: Some(activity.state_change),
                    wait: match &waits {
                        Some((target, _, _)) => Some(("Lock", wait_event(target))),
                        None if activity.state.as_str() == "active" => None,
                        None => Some(("Client", "ClientRead")),
                    },
                    state: Some(activity.state.as_str()),
                    transaction: one.transaction_id_if_assigned(),
                    query: activity.query.to_string(),
                    backend_type: "client backend",
                }
            })
            .collect()
    }

    fn locks(&self) -> Vec<LockRow> {
        self.session.instance.engine.locks.snapshot()
    }

    fn cursors(&self) -> Vec<CursorRow> {
        let rows = self.session.cursors.lock();
        rows.iter()
            .map(|row| CursorRow {
                name: row.name.clone(),
                statement: row.statement.to_string(),
                holdable: row.holdable,
                binary: row.binary,
                scrollable: row.scrollable,
                created_micros: row.created_micros,
            })
            .collect()
    }

    fn prepared_statements(&self) -> Vec<PreparedStatementRow> {
        let rows = self.session.prepared.lock();
        rows.iter()
            .map(|row| PreparedStatementRow {
                name: row.name.clone(),
                statement: row.statement.to_string(),
                prepared_micros: row.prepared_micros,
                parameter_types: row.parameter_types.clone(),
                from_sql: row.from_sql,
                generic_plans: 0,
                custom_plans: 0,
            })
            .collect()
    }

    fn database_counters(&self, database: Oid) -> DatabaseCounters {
        let backends = self
            .session
            .instance
            .sessions()
            .iter()
            .filter(|one| one.database_oid == database)
            .count();
        DatabaseCounters {
            backends: i32::try_from(backends).unwrap_or(i32::MAX),
            ..DatabaseCounters::default()
        }
    }

    fn prepared_transactions(&self) -> Vec<PreparedTransactionRow> {
        let prepared = self.session.instance.engine.prepared_transactions();
        let row = |one: PreparedTransaction| PreparedTransactionRow {
            transaction: one.xid.0,
            gid: one.gid,
            prepared_micros: one.prepared_micros,
            owner: one.owner,
            database: one.database,
        };
        prepared.into_iter().map(row).collect()
    }

    fn sequence_value(&self, sequence: &Sequence) -> Result<(i64, bool)> {
        self.session.instance.engine.sequences().last_value(&sequence.definition())
    }

    fn storage_size(&self, storage: StorageId) -> u64 {
        let (from, to) = layout::storage_bounds(storage);
        self.session
            .instance
            .engine
            .store
            .approximate_size(Space::Data, &from, &to)
            .unwrap_or(0)
    }

    fn cluster_rows(&self, name: &str) -> Option<Result<Vec<Vec<Value>>>> {
        self.session
            .instance
            .ownership
            .rows(name, self.session.database_oid, &self.session.instance.listen)
    }

    fn cluster_function(&self, name: &str, args: &[Value]) -> Option<Result<Value>> {
        super::ownership::call(self.session, name, args)
    }
}

/// `wait_event` of a lock wait.
fn wait_event(target: &Target) -> &'static str {
    match target {
        Target::Relation { .. } => "relation",
        // PostgreSQL waits for the transaction that has the row.
        Target::Record { .. } | Target::Key { .. } => "transactionid",
        Target::Advisory { .. } => "advisory",
    }
}
