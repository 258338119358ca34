//! What a function may ask of the session that runs it. The session implements it; tests use a small double.

use crate::error::{PgError, Result};
use crate::ids::Oid;
use crate::lock::AdvisoryKey;
use crate::types::Value;

/// The session as functions see it. All sync: whatever waits is a [`super::Waiting`].
pub trait Host: Send + Sync {
    fn current_user(&self) -> String;
    fn session_user(&self) -> String;
    fn current_database(&self) -> String;
    /// `current_schemas(include_implicit)`.
    fn search_path(&self, include_implicit: bool) -> Vec<String>;
    fn backend_pid(&self) -> i32;
    /// Client address and port, server address and port.
    fn addresses(&self) -> Addresses;
    /// Start of the statement, of the transaction, of the server: microseconds since 2000-01-01 UTC.
    fn statement_micros(&self) -> i64;
    fn transaction_micros(&self) -> i64;
    fn server_start_micros(&self) -> i64;
    /// `SHOW name`; `None` where no such setting exists.
    fn setting(&self, name: &str) -> Option<String>;
    /// `SET [LOCAL] name = value`; answers the value as SHOW would.
    fn set_setting(&self, name: &str, value: &str, local: bool) -> Result<String>;
    fn nextval(&self, sequence: Oid) -> Result<i64>;
    fn currval(&self, sequence: Oid) -> Result<i64>;
    fn lastval(&self) -> Result<i64>;
    fn setval(&self, sequence: Oid, value: i64, is_called: bool) -> Result<i64>;
    /// The transaction's id, given one if it has none (`txid_current`).
    fn transaction_id(&self) -> Result<u64>;
    /// The same, or `None` if it has none yet.
    fn transaction_id_if_assigned(&self) -> Option<u64>;
    fn notify(&self, channel: &str, payload: &str) -> Result<()>;
    fn listening_channels(&self) -> Vec<String>;
    /// `pg_cancel_backend` and `pg_terminate_backend`: whether there was such a session.
    fn signal_backend(&self, pid: i32, terminate: bool) -> Result<bool>;
    /// Who blocks `pid` (`pg_blocking_pids`), soft blocks included.
    fn blocking_pids(&self, pid: i32) -> Vec<i32>;
    /// `pg_isolation_test_session_is_blocked`: whether `pid` waits for one of `interesting`.
    fn is_blocked_by(&self, pid: i32, interesting: &[i32]) -> bool;
    /// Releases a session-level advisory lock; whether it was held.
    fn advisory_unlock(&self, key: AdvisoryKey, shared: bool) -> Result<bool>;
    fn advisory_unlock_all(&self);
    /// Sends a NOTICE, WARNING, ... to the client.
    fn notice(&self, notice: PgError);
    /// A function that reads the catalog or the server's state, by its internal name: `pg_get_indexdef`,
    /// `pg_table_is_visible`, `holdfast.owner`, ... The catalog floor answers; XX000 for a name it does not know.
    fn catalog_function(&self, name: &str, args: &[Value]) -> Result<Value>;
    /// Rows of a virtual relation or set function by its internal name (`pg_class`, `pg_locks`, `holdfast.ownership`, ...).
    fn virtual_rows(&self, name: &str, args: &[Value]) -> Result<Vec<Vec<Value>>>;
    /// A uniform random number in [0, 1), from the session's generator (`setseed`).
    fn random(&self) -> f64;
    fn set_seed(&self, seed: f64);
}

/// Addresses of a connection; `None` for a side that has none.
#[derive(Clone, Debug, Default)]
pub struct Addresses {
    pub client: Option<std::net::SocketAddr>,
    pub server: Option<std::net::SocketAddr>,
}
