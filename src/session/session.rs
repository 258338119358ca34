//! The session itself: opening, closing, and what the connection asks between statements.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::time::Duration;

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use tokio::sync::mpsc;

use super::block::Block;
use super::host::SessionRandom;
use super::instance::Instance;
use super::names::SessionNames;
use super::output::Output;
use super::portal::Portal;
use super::prepared::Prepared;
use super::settings::{REPORTED, Settings};
use super::shared::{Activity, SessionShared, State};
use super::start::StartOptions;
use crate::cancel::{Cancel, Reason};
use crate::catalog::CatalogOverlay;
use crate::error::{PgError, Result, Severity, sqlstate};
use crate::functions::Host;
use crate::limits;
use crate::txn::{Notification, SessionLink, Txn};

/// What `ReadyForQuery` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockStatus {
    Idle,
    InBlock,
    Failed,
}

/// How long the session may stay idle, and the error when it does longer.
#[derive(Clone, Copy, Debug)]
pub struct IdleLimit {
    pub after: Duration,
    in_transaction: bool,
}

impl IdleLimit {
    pub fn error(self) -> PgError {
        if self.in_transaction {
            Reason::IdleInTransaction.error()
        } else {
            PgError::new(
                sqlstate::IDLE_SESSION_TIMEOUT,
                "terminating connection due to idle-session timeout",
            )
            .severity(Severity::Fatal)
        }
    }
}

/// One client's session. Used by its connection alone; what others may see is in [`SessionShared`].
pub struct Session {
    pub(super) shared: Arc<SessionShared>,
    pub(super) names: Arc<SessionNames>,
    pub(super) block: Block,
    pub(super) txn: Option<Arc<Txn>>,
    /// Names and marks of savepoints, outermost first.
    pub(super) savepoints: Vec<super::transaction::Savepoint>,
    pub(super) prepared: HashMap<String, Arc<Prepared>>,
    pub(super) portals: HashMap<String, Portal>,
    /// Statements by text, so that a client that sends the same text again finds its plan.
    pub(super) recent: super::prepared::Recent,
    notifications: mpsc::Receiver<Notification>,
    pub(super) notifier: mpsc::Sender<Notification>,
    pub(super) pending_listens: Vec<super::listen::ListenAction>,
    closed: bool,
}

impl Session {
    /// Opens a session for a client that has proved who it is.
    ///
    /// # Errors
    /// 28000 for a role that does not exist or may not log in, 3D000 for a database that does not exist, 22023 and others for
    /// settings.
    pub fn open(instance: &Arc<Instance>, options: StartOptions) -> Result<Session> {
        let shared_catalog = instance.catalogs.shared();
        let role = shared_catalog
            .find_role(&options.user)
            .and_then(|oid| shared_catalog.role(oid))
            .cloned()
            .ok_or_else(|| {
                PgError::new(
                    sqlstate::INVALID_AUTHORIZATION_SPECIFICATION,
                    format!("role \"{}\" does not exist", options.user),
                )
            })?;
        if !role.login {
            return Err(PgError::new(
                sqlstate::INVALID_AUTHORIZATION_SPECIFICATION,
                format!("role \"{}\" is not permitted to log in", options.user),
            ));
        }
        let database = shared_catalog
            .find_database(&options.database)
            .and_then(|oid| shared_catalog.database_by_oid(oid))
            .cloned()
            .ok_or_else(|| {
                PgError::new(
                    sqlstate::UNDEFINED_DATABASE,
                    format!("database \"{}\" does not exist", options.database),
                )
            })?;
        if !database.allow_connections {
            return Err(PgError::new(
                sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE,
                format!("database \"{}\" is not currently accepting connections", database.name),
            ));
        }
        let mut settings = Settings::new(role.superuser);
        for (name, value) in database.settings.iter().chain(&role.settings) {
            settings.set_start(name, value)?;
        }
        for (name, value) in &options.settings {
            settings.set_start(name, value)?;
        }
        let pid = instance.new_pid();
        let cancel = Arc::new(Cancel::new());
        let holder = instance.engine.locks.register(pid, Arc::clone(&cancel));
        let link = Arc::new(SessionLink::new(holder, pid, cancel, database.oid));
        let now = instance.engine.clock.now_micros();
        let type_settings = settings.type_settings();
        let shared = Arc::new(SessionShared {
            instance: Arc::clone(instance),
            link,
            secret: rand::random(),
            user: role.name.clone(),
            user_oid: role.oid,
            superuser: role.superuser,
            database: database.name.clone(),
            database_oid: database.oid,
            client: options.client,
            server: options.server,
            started_micros: now,
            settings: Mutex::new(settings),
            type_settings: ArcSwap::from_pointee(type_settings),
            overlay: CatalogOverlay::new(&instance.catalogs, database.oid),
            activity: Mutex::new(Activity {
                state: State::Idle,
                query: Arc::from(""),
                query_start: None,
                transaction_start: None,
                state_change: now,
            }),
            txn: Mutex::new(None),
            statement_micros: AtomicI64::new(now),
            transaction_micros: AtomicI64::new(now),
            notices: Mutex::default(),
            listening: Mutex::default(),
            sequence_values: Mutex::default(),
            random: Mutex::new(SessionRandom::new()),
            role: Mutex::default(),
            cursors: Mutex::default(),
            prepared: Mutex::default(),
        });
        instance.enter(&shared);
        let (notifier, notifications) = mpsc::channel(limits::NOTIFY_QUEUE_MAX);
        let names = Arc::new(SessionNames {
            session: Arc::clone(&shared),
        });
        Ok(Session {
            shared,
            names,
            block: Block::Idle,
            txn: None,
            savepoints: Vec::new(),
            prepared: HashMap::new(),
            portals: HashMap::new(),
            recent: super::prepared::Recent::default(),
            notifications,
            notifier,
            pending_listens: Vec::new(),
            closed: false,
        })
    }

    pub fn shared(&self) -> &Arc<SessionShared> {
        &self.shared
    }

    /// Process id and secret for `CancelRequest`.
    pub fn cancel_key(&self) -> (i32, i32) {
        (self.shared.pid().0, self.shared.secret)
    }

    pub fn status(&self) -> BlockStatus {
        self.block.status()
    }

    /// The settings that every client is told at the start.
    pub fn reported_settings(&self) -> Vec<(&'static str, String)> {
        REPORTED
            .iter()
            .filter_map(|name| Some((*name, self.shared.setting(name)?)))
            .collect()
    }

    /// Idle limit for the state the session is in.
    pub fn idle_limit(&self) -> Option<IdleLimit> {
        let in_transaction = self.block.is_explicit();
        let name = if in_transaction {
            "idle_in_transaction_session_timeout"
        } else {
            "idle_session_timeout"
        };
        let millis = u64::try_from(self.shared.settings.lock().integer(name))
            .ok()
            .filter(|ms| *ms > 0)?;
        Some(IdleLimit {
            after: Duration::from_millis(millis),
            in_transaction,
        })
    }

    /// Waits for a notification that may be shown now: none inside a transaction block. Cancel-safe.
    pub async fn next_notification(&mut self) -> Notification {
        if self.block.is_explicit() {
            std::future::pending::<()>().await;
        }
        // The session holds a sender itself, so the channel never ends.
        self.notifications.recv().await.expect("the session keeps a sender")
    }

    pub fn take_notification(&mut self) -> Option<Notification> {
        self.notifications.try_recv().ok()
    }

    /// Hands over notices and changed settings that wait for the client.
    pub fn drain_notices(&mut self, out: &mut dyn Output) {
        let notices = std::mem::take(&mut *self.shared.notices.lock());
        let least = self
            .shared
            .settings
            .lock()
            .get("client_min_messages")
            .map(str::to_owned)
            .unwrap_or_default();
        for notice in notices.iter().filter(|notice| wanted(notice, &least)) {
            out.notice(notice);
        }
        let reports = self.shared.settings.lock().take_reports();
        for name in reports {
            if let Some(value) = self.shared.setting(name) {
                out.parameter_status(name, &value);
            }
        }
    }

    /// Ends the session: rolls back, and gives back everything.
    pub async fn close(&mut self) {
        if self.closed {
            return;
        }
        self.closed = true;
        self.portals.clear();
        self.abort_transaction();
        self.drop_temporary_objects().await;
        self.release();
    }

    fn release(&mut self) {
        let instance = &self.shared.instance;
        instance.engine.notifier().unlisten_all(self.shared.pid());
        instance.engine.end_session(&self.shared.link);
        instance.leave(self.shared.pid());
    }
}

/// Whatever ends a connection's task, its session gives everything back.
impl Drop for Session {
    fn drop(&mut self) {
        if !self.closed {
            self.closed = true;
            self.portals.clear();
            self.abort_transaction();
            self.release();
        }
    }
}

fn wanted(notice: &PgError, least: &str) -> bool {
    let rank = |severity: Severity| match severity {
        Severity::Debug => 0,
        Severity::Log => 1,
        Severity::Notice => 2,
        Severity::Warning => 3,
        Severity::Error | Severity::Fatal | Severity::Panic => 4,
        // INFO is always sent.
        Severity::Info => 5,
    };
    let least = match least {
        "log" => 1,
        "notice" => 2,
        "warning" => 3,
        "error" => 4,
        debug if debug.starts_with("debug") => 0,
        _ => 2,
    };
    rank(notice.fields().severity) >= least
}
