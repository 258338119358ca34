//! What catalog relations and functions read besides the catalog: the session and the server, behind a trait that a
//! higher floor implements.

use std::time::SystemTime;

use super::catalog::Catalog;
use super::objects::Sequence;
use super::search_path::SearchPath;
use crate::error::Result;
use crate::ids::{Oid, StorageId};
use crate::lock::LockRow;
use crate::types::Value;

/// Borrowed for one call of [`super::virtual_tables::rows`] or [`super::catalog_functions::call`].
pub struct VirtualContext<'a> {
    pub catalog: &'a Catalog,
    pub search_path: &'a SearchPath,
    pub current_user: Oid,
    pub state: &'a dyn ServerState,
}

/// A row of `pg_settings`, values as SHOW prints them.
#[derive(Clone, Debug)]
pub struct SettingRow {
    pub name: &'static str,
    /// In base units, without the unit.
    pub setting: String,
    pub reset: String,
    /// `default`, `configuration file`, `session`, `client`, ...
    pub source: &'static str,
}

/// A row of `pg_stat_activity`. Times are microseconds since 2000-01-01 UTC.
#[derive(Clone, Debug, Default)]
pub struct ActivityRow {
    pub pid: i32,
    pub database: Option<Oid>,
    pub user: Option<Oid>,
    pub application_name: String,
    pub client: Option<std::net::SocketAddr>,
    pub backend_start: i64,
    pub transaction_start: Option<i64>,
    pub query_start: Option<i64>,
    pub state_change: Option<i64>,
    /// `Lock` and what is waited for, `Client` and `ClientRead`, ...
    pub wait: Option<(&'static str, &'static str)>,
    /// `active`, `idle`, `idle in transaction`, ...
    pub state: Option<&'static str>,
    pub transaction: Option<u64>,
    pub query: String,
    /// `client backend`, `logger`, ...
    pub backend_type: &'static str,
}

/// A row of `pg_cursors`.
#[derive(Clone, Debug)]
pub struct CursorRow {
    pub name: String,
    pub statement: String,
    pub holdable: bool,
    pub binary: bool,
    pub scrollable: bool,
    pub created_micros: i64,
}

/// A row of `pg_prepared_statements`.
#[derive(Clone, Debug)]
pub struct PreparedStatementRow {
    pub name: String,
    pub statement: String,
    pub prepared_micros: i64,
    pub parameter_types: Vec<Oid>,
    pub from_sql: bool,
    pub generic_plans: i64,
    pub custom_plans: i64,
}

/// A row of `pg_prepared_xacts`.
#[derive(Clone, Debug)]
pub struct PreparedTransactionRow {
    pub transaction: u64,
    pub gid: String,
    pub prepared_micros: i64,
    pub owner: Oid,
    pub database: Oid,
}

/// Counters of one database (`pg_stat_database`).
#[derive(Clone, Copy, Debug, Default)]
pub struct DatabaseCounters {
    pub backends: i32,
    pub commits: i64,
    pub rollbacks: i64,
    pub deadlocks: i64,
}

/// The session and its server. Everything has an answer that is true for a server without the feature, so that small
/// doubles implement little.
pub trait ServerState {
    fn settings(&self) -> Vec<SettingRow> {
        Vec::new()
    }
    fn activity(&self) -> Vec<ActivityRow> {
        Vec::new()
    }
    fn locks(&self) -> Vec<LockRow> {
        Vec::new()
    }
    fn cursors(&self) -> Vec<CursorRow> {
        Vec::new()
    }
    fn prepared_statements(&self) -> Vec<PreparedStatementRow> {
        Vec::new()
    }
    fn prepared_transactions(&self) -> Vec<PreparedTransactionRow> {
        Vec::new()
    }
    fn database_counters(&self, _database: Oid) -> DatabaseCounters {
        DatabaseCounters::default()
    }
    /// `last_value` and `is_called`.
    fn sequence_value(&self, _sequence: &Sequence) -> Result<(i64, bool)> {
        Ok((1, false))
    }
    /// Rough bytes of one stored tree.
    fn storage_size(&self, _storage: StorageId) -> u64 {
        0
    }
    /// Rough bytes of another database.
    fn database_size(&self, _database: Oid) -> i64 {
        0
    }
    /// Rows of `holdfast.ownership`, `holdfast.nodes`, ... by their whole name, with the columns
    /// that `sql/holdfast.sql` declares; `None` for another name.
    fn cluster_rows(&self, _name: &str) -> Option<Result<Vec<Vec<Value>>>> {
        None
    }
    /// The functions `holdfast.owner`, `holdfast.fencing_token`, ... by their whole name; `None` for another.
    fn cluster_function(&self, _name: &str, _args: &[Value]) -> Option<Result<Value>> {
        None
    }
    /// The text of a stored value (statistics) for `pg_stats`; `None` where it cannot be read.
    fn stored_value_text(&self, _ty: Oid, _encoded: &[u8]) -> Option<String> {
        None
    }
}

/// Microseconds since 2000-01-01 UTC.
pub(super) fn pg_micros(time: SystemTime) -> i64 {
    const UNIX_TO_2000_MICROS: i64 = 946_684_800_000_000;
    let unix = time
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| i64::try_from(since.as_micros()).unwrap_or(i64::MAX));
    unix - UNIX_TO_2000_MICROS
}
