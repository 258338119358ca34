//! The part of a session that others see: what `pg_stat_activity` shows, what cancels it, what functions ask of it.

use std::collections::{BTreeSet, HashMap};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use smol_str::SmolStr;

use super::instance::Instance;
use super::settings::Settings;
use crate::cancel::Cancel;
use crate::catalog::{Catalog, CatalogOverlay, SearchPath};
use crate::error::PgError;
use crate::ids::{BackendPid, Oid};
use crate::txn::{LockTimeouts, SessionLink, Txn};
use crate::types::env::TypeSettings;

/// State as `pg_stat_activity.state` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Idle,
    Active,
    IdleInTransaction,
    IdleInFailedTransaction,
}

impl State {
    pub fn as_str(self) -> &'static str {
        match self {
            State::Idle => "idle",
            State::Active => "active",
            State::IdleInTransaction => "idle in transaction",
            State::IdleInFailedTransaction => "idle in transaction (aborted)",
        }
    }
}

/// What the session does, for `pg_stat_activity`.
#[derive(Clone, Debug)]
pub struct Activity {
    pub state: State,
    /// The text of the running statement, or of the last one.
    pub query: Arc<str>,
    pub query_start: Option<i64>,
    pub transaction_start: Option<i64>,
    pub state_change: i64,
}

/// Shared by the session, its connection, and everybody who looks at it.
pub struct SessionShared {
    pub instance: Arc<Instance>,
    pub link: Arc<SessionLink>,
    pub secret: i32,
    pub user: SmolStr,
    pub user_oid: Oid,
    pub superuser: bool,
    pub database: SmolStr,
    pub database_oid: Oid,
    pub client: SocketAddr,
    pub server: SocketAddr,
    pub started_micros: i64,
    pub(super) settings: Mutex<Settings>,
    pub(super) type_settings: ArcSwap<TypeSettings>,
    pub(super) overlay: CatalogOverlay,
    pub(super) activity: Mutex<Activity>,
    /// The running transaction, for functions that ask about it.
    pub(super) txn: Mutex<Option<Arc<Txn>>>,
    pub(super) statement_micros: AtomicI64,
    pub(super) transaction_micros: AtomicI64,
    pub(super) notices: Mutex<Vec<PgError>>,
    pub(super) listening: Mutex<BTreeSet<String>>,
    /// `currval` by sequence, and the sequence of the last `nextval`.
    pub(super) sequence_values: Mutex<(HashMap<Oid, i64>, Option<Oid>)>,
    pub(super) random: Mutex<super::host::SessionRandom>,
    /// SET ROLE / SET SESSION AUTHORIZATION.
    pub(super) role: Mutex<Option<(Oid, SmolStr)>>,
    pub(super) cursors: Mutex<Vec<CursorRow>>,
    pub(super) prepared: Mutex<Vec<PreparedRow>>,
}

/// A row of `pg_cursors`.
#[derive(Clone, Debug)]
pub struct CursorRow {
    pub name: String,
    pub statement: Arc<str>,
    pub holdable: bool,
    pub binary: bool,
    pub scrollable: bool,
    pub created_micros: i64,
}

/// A row of `pg_prepared_statements`.
#[derive(Clone, Debug)]
pub struct PreparedRow {
    pub name: String,
    pub statement: Arc<str>,
    pub prepared_micros: i64,
    pub parameter_types: Vec<Oid>,
    pub from_sql: bool,
}

impl SessionShared {
    pub fn pid(&self) -> BackendPid {
        self.link.pid
    }

    pub fn cancel(&self) -> &Cancel {
        &self.link.cancel
    }

    /// Waits until everything that the session has observed is durable.
    pub async fn wait_durable(&self) {
        self.instance.engine.durable(&self.link).await;
    }

    /// The catalog as this session sees it now: the latest version with its transaction's own changes.
    pub fn catalog(&self) -> Arc<Catalog> {
        self.overlay.current()
    }

    pub fn current_txn(&self) -> Option<Arc<Txn>> {
        self.txn.lock().clone()
    }

    /// `search_path` resolved against a catalog.
    pub fn search_path(&self, catalog: &Catalog) -> SearchPath {
        let settings = self.settings.lock();
        let text = settings.get("search_path").unwrap_or_default();
        let temporary = catalog.find_schema(&self.temporary_schema());
        SearchPath::resolve_with_temp(catalog, text, &self.current_role_name(), temporary)
    }

    /// The name of the session's temporary schema, whether it exists or not.
    pub(super) fn temporary_schema(&self) -> SmolStr {
        smol_str::format_smolstr!("pg_temp_{}", self.pid())
    }

    pub(super) fn current_role_name(&self) -> SmolStr {
        self.role
            .lock()
            .as_ref()
            .map_or_else(|| self.user.clone(), |(_, name)| name.clone())
    }

    pub(super) fn current_role(&self) -> Oid {
        self.role.lock().as_ref().map_or(self.user_oid, |(oid, _)| *oid)
    }

    pub fn lock_timeouts(&self) -> LockTimeouts {
        let settings = self.settings.lock();
        let millis = |name: &str| u64::try_from(settings.integer(name)).unwrap_or(0);
        let lock_timeout = Some(millis("lock_timeout"))
            .filter(|ms| *ms > 0)
            .map(std::time::Duration::from_millis);
        LockTimeouts {
            lock_timeout,
            deadlock_timeout: std::time::Duration::from_millis(millis("deadlock_timeout")),
        }
    }

    pub fn type_settings(&self) -> Arc<TypeSettings> {
        self.type_settings.load_full()
    }

    pub fn activity(&self) -> Activity {
        self.activity.lock().clone()
    }

    pub(super) fn set_state(&self, state: State) {
        let now = self.instance.engine.clock.now_micros();
        let mut activity = self.activity.lock();
        activity.state = state;
        activity.state_change = now;
        if state == State::Idle {
            activity.transaction_start = None;
        }
    }

    pub(super) fn now_micros(&self) -> i64 {
        self.transaction_micros.load(Ordering::Relaxed)
    }

    pub fn notice(&self, notice: PgError) {
        self.notices.lock().push(notice);
    }
}
