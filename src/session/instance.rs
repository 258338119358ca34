//! One running server: the engine, the catalogs, and the sessions on them.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use bytes::Bytes;
use parking_lot::RwLock;
use rand::Rng as _;
use tokio::sync::Notify;

use super::shared::{SessionShared, State};
use crate::cancel::Reason;
use crate::catalog::CatalogStore;
use crate::cluster::Ownership;
use crate::error::Result;
use crate::ids::BackendPid;
use crate::storage::pipeline::CommitBatch;
use crate::storage::{Space, Write};
use crate::txn::Engine;

/// How often, and how many times, a cancel request looks whether its session has become active.
const CANCEL_LOOK_EVERY: std::time::Duration = std::time::Duration::from_millis(2);
const CANCEL_LOOKS: u32 = 10;

/// A running server.
pub struct Instance {
    pub engine: Arc<Engine>,
    pub catalogs: Arc<CatalogStore>,
    pub ownership: Arc<Ownership>,
    pub started_micros: i64,
    /// Where clients connect, for `pg_settings` and `\conninfo`.
    pub listen: String,
    pub data_directory: String,
    /// Whether clients on this machine need no password.
    pub trust_loopback: bool,
    /// What made-up salts are derived from, for roles that do not exist.
    pub mock_secret: Bytes,
    sessions: RwLock<HashMap<BackendPid, Arc<SessionShared>>>,
    next_pid: AtomicI32,
    /// Told each time a session ends.
    ended: Notify,
}

/// Where a server is, and whom it lets in without a password.
pub struct Place {
    pub listen: String,
    pub data_directory: String,
    pub trust_loopback: bool,
}

const MOCK_SECRET: &[u8] = b"mock_authentication_secret";

/// Made once for a data directory, as PostgreSQL's `mock_authentication_nonce`: the salt of a role that does not exist
/// stays the same over restarts, and nobody outside can compute it.
fn mock_secret(engine: &Engine) -> Result<Bytes> {
    if let Some(stored) = engine.pipeline.newest().snapshot.get(Space::Meta, MOCK_SECRET)? {
        return Ok(stored);
    }
    let mut secret = [0; 32];
    rand::rng().fill(&mut secret);
    let secret = Bytes::copy_from_slice(&secret);
    engine.pipeline.submit(CommitBatch {
        writes: vec![Write::Put(Space::Meta, Bytes::from_static(MOCK_SECRET), secret.clone())],
        on_sequenced: Box::new(|_| {}),
    });
    Ok(secret)
}

impl Instance {
    pub fn new(engine: Arc<Engine>, catalogs: Arc<CatalogStore>, ownership: Arc<Ownership>, place: Place) -> Result<Arc<Self>> {
        let mock_secret = mock_secret(&engine)?;
        let started_micros = engine.clock.now_micros();
        Ok(Arc::new(Instance {
            engine,
            catalogs,
            ownership,
            started_micros,
            listen: place.listen,
            data_directory: place.data_directory,
            trust_loopback: place.trust_loopback,
            mock_secret,
            sessions: RwLock::default(),
            next_pid: AtomicI32::new(1),
            ended: Notify::new(),
        }))
    }

    /// A process id that no session has.
    pub(super) fn new_pid(&self) -> BackendPid {
        loop {
            let pid = BackendPid(self.next_pid.fetch_add(1, Ordering::Relaxed) & i32::MAX);
            if pid.0 != 0 && !self.sessions.read().contains_key(&pid) {
                return pid;
            }
        }
    }

    pub(super) fn enter(&self, session: &Arc<SessionShared>) {
        self.sessions.write().insert(session.pid(), Arc::clone(session));
    }

    pub(super) fn leave(&self, pid: BackendPid) {
        self.sessions.write().remove(&pid);
        self.ended.notify_waiters();
    }

    pub fn session(&self, pid: BackendPid) -> Option<Arc<SessionShared>> {
        self.sessions.read().get(&pid).cloned()
    }

    /// All sessions, by process id.
    pub fn sessions(&self) -> Vec<Arc<SessionShared>> {
        let mut all: Vec<_> = self.sessions.read().values().cloned().collect();
        all.sort_by_key(|session| session.pid());
        all
    }

    /// A `CancelRequest` packet; a wrong key is passed over in silence, as PostgreSQL does. The request comes on another
    /// connection and may overtake the query that it means: an idle session is given a moment to receive it.
    pub async fn cancel_request(&self, pid: i32, secret: i32) {
        let Some(session) = self.session(BackendPid(pid)).filter(|session| session.secret == secret) else {
            return;
        };
        for _ in 0..CANCEL_LOOKS {
            if session.activity().state == State::Active {
                session.cancel().raise(Reason::UserRequest);
                return;
            }
            tokio::time::sleep(CANCEL_LOOK_EVERY).await;
        }
    }

    /// The stored SCRAM secret of a role, if it has one and may log in with it now.
    pub fn role_password(&self, name: &str) -> Option<String> {
        let catalog = self.catalogs.shared();
        let role = catalog.find_role(name).and_then(|oid| catalog.role(oid))?;
        let now = self.engine.clock.now_micros();
        role.password
            .clone()
            .filter(|_| role.valid_until.is_none_or(|until| until > now))
    }

    /// Ends every session and waits until the last has given its locks back.
    pub async fn end_all_sessions(&self) {
        loop {
            let ended = self.ended.notified();
            tokio::pin!(ended);
            ended.as_mut().enable();
            let sessions = self.sessions();
            if sessions.is_empty() {
                return;
            }
            for session in sessions {
                session.cancel().raise(Reason::Shutdown);
            }
            ended.await;
        }
    }

    /// Ends the sessions of one database (DROP DATABASE ... WITH (FORCE)) but the caller's, and waits for them.
    pub async fn end_sessions_of(&self, database: crate::ids::Oid, but: BackendPid) {
        loop {
            let ended = self.ended.notified();
            tokio::pin!(ended);
            ended.as_mut().enable();
            let there: Vec<_> = self
                .sessions()
                .into_iter()
                .filter(|one| one.database_oid == database && one.pid() != but)
                .collect();
            if there.is_empty() {
                return;
            }
            for session in there {
                session.cancel().raise(Reason::Terminate);
            }
            ended.await;
        }
    }
}
