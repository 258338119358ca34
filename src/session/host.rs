//! What functions ask of their session: [`Host`] for [`SessionShared`].

use std::sync::atomic::Ordering;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use super::server_state::SessionServerState;
use super::settings::Duration;
use super::shared::SessionShared;
use crate::cancel::Reason;
use crate::catalog::{VirtualContext, catalog_functions, virtual_tables};
use crate::config;
use crate::error::{PgError, Result, sqlstate};
use crate::functions::Host;
use crate::functions::host::Addresses;
use crate::ids::{BackendPid, Oid};
use crate::limits;
use crate::lock::{AdvisoryKey, AdvisoryMode, Mode, Target};
use crate::txn::SequenceDef;
use crate::types::Value;

/// The generator behind `random()`.
pub struct SessionRandom(StdRng);

impl SessionRandom {
    pub fn new() -> Self {
        SessionRandom(StdRng::from_os_rng())
    }
}

impl SessionShared {
    /// Everything that catalog relations and functions read, borrowed for one call.
    pub(super) fn with_virtual_context<T>(&self, run: impl FnOnce(&VirtualContext<'_>) -> T) -> T {
        let catalog = self.catalog();
        let search_path = self.search_path(&catalog);
        let state = SessionServerState { session: self };
        run(&VirtualContext {
            catalog: &catalog,
            search_path: &search_path,
            current_user: self.current_role(),
            state: &state,
        })
    }

    fn sequence(&self, oid: Oid) -> Result<(SequenceDef, String)> {
        let catalog = self.catalog();
        let Some(sequence) = catalog.sequence(oid) else {
            return Err(match catalog.relation(oid) {
                Some(other) => PgError::new(sqlstate::WRONG_OBJECT_TYPE, format!("\"{}\" is not a sequence", other.name())),
                None => PgError::new(sqlstate::UNDEFINED_TABLE, format!("could not open relation with OID {oid}")),
            });
        };
        Ok((sequence.definition(), sequence.name.to_string()))
    }

    fn writable(&self, what: &str) -> Result<()> {
        match self.current_txn() {
            Some(txn) if txn.options().read_only => Err(PgError::new(
                sqlstate::READ_ONLY_SQL_TRANSACTION,
                format!("cannot execute {what} in a read-only transaction"),
            )),
            _ => Ok(()),
        }
    }

    /// Settings that are not in the table: computed from the session or its transaction.
    fn computed_setting(&self, name: &str) -> Option<String> {
        let on = |yes: bool| if yes { "on" } else { "off" }.to_owned();
        match name {
            "is_superuser" => Some(on(self.superuser)),
            "session_authorization" => Some(self.user.to_string()),
            "role" => Some(
                self.role
                    .lock()
                    .as_ref()
                    .map_or_else(|| "none".to_owned(), |(_, name)| name.to_string()),
            ),
            "transaction_isolation" => self.current_txn().map(|txn| txn.options().isolation.as_str().to_owned()),
            "transaction_read_only" => self.current_txn().map(|txn| on(txn.options().read_only)),
            "transaction_deferrable" => self.current_txn().map(|txn| on(txn.options().deferrable)),
            "port" => self.instance.listen.rsplit(':').next().map(str::to_owned),
            "listen_addresses" => self.instance.listen.rsplit_once(':').map(|(host, _)| host.to_owned()),
            "data_directory" => Some(self.instance.data_directory.clone()),
            _ => None,
        }
    }

    /// Rebuilds what types read after a setting changed.
    pub(super) fn refresh_type_settings(&self) {
        let fresh = self.settings.lock().type_settings();
        self.type_settings.store(std::sync::Arc::new(fresh));
    }
}

impl Host for SessionShared {
    fn current_user(&self) -> String {
        self.current_role_name().to_string()
    }

    fn session_user(&self) -> String {
        self.user.to_string()
    }

    fn current_database(&self) -> String {
        self.database.to_string()
    }

    fn search_path(&self, include_implicit: bool) -> Vec<String> {
        let catalog = self.catalog();
        let path = SessionShared::search_path(self, &catalog);
        path.names(&catalog, include_implicit)
    }

    fn backend_pid(&self) -> i32 {
        self.pid().0
    }

    fn addresses(&self) -> Addresses {
        Addresses {
            client: Some(self.client),
            server: Some(self.server),
        }
    }

    fn statement_micros(&self) -> i64 {
        self.statement_micros.load(Ordering::Relaxed)
    }

    fn transaction_micros(&self) -> i64 {
        self.now_micros()
    }

    fn server_start_micros(&self) -> i64 {
        self.instance.started_micros
    }

    fn setting(&self, name: &str) -> Option<String> {
        let lower = name.to_ascii_lowercase();
        self.computed_setting(&lower).or_else(|| self.settings.lock().show(&lower))
    }

    fn set_setting(&self, name: &str, value: &str, local: bool) -> Result<String> {
        let duration = if local { Duration::Transaction } else { Duration::Session };
        self.settings.lock().set(name, Some(value), duration)?;
        self.refresh_type_settings();
        self.setting(name).ok_or_else(|| config::unknown(name))
    }

    fn nextval(&self, sequence: Oid) -> Result<i64> {
        self.writable("nextval()")?;
        let (definition, name) = self.sequence(sequence)?;
        let value = self
            .instance
            .engine
            .sequences()
            .nextval(&self.link, &definition)
            .map_err(|error| named(error, &name))?;
        let mut values = self.sequence_values.lock();
        values.0.insert(sequence, value);
        values.1 = Some(sequence);
        Ok(value)
    }

    fn currval(&self, sequence: Oid) -> Result<i64> {
        let (_, name) = self.sequence(sequence)?;
        self.sequence_values.lock().0.get(&sequence).copied().ok_or_else(|| {
            PgError::new(
                sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE,
                format!("currval of sequence \"{name}\" is not yet defined in this session"),
            )
        })
    }

    fn lastval(&self) -> Result<i64> {
        let values = self.sequence_values.lock();
        values.1.and_then(|sequence| values.0.get(&sequence).copied()).ok_or_else(|| {
            PgError::new(
                sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE,
                "lastval is not yet defined in this session",
            )
        })
    }

    fn setval(&self, sequence: Oid, value: i64, is_called: bool) -> Result<i64> {
        self.writable("setval()")?;
        let (definition, name) = self.sequence(sequence)?;
        if value < definition.min || value > definition.max {
            return Err(PgError::new(
                sqlstate::NUMERIC_VALUE_OUT_OF_RANGE,
                format!(
                    "setval: value {value} is out of bounds for sequence \"{name}\" ({}..{})",
                    definition.min, definition.max
                ),
            ));
        }
        self.instance
            .engine
            .sequences()
            .setval(&self.link, &definition, value, is_called)?;
        if is_called {
            self.sequence_values.lock().0.insert(sequence, value);
        }
        Ok(value)
    }

    fn transaction_id(&self) -> Result<u64> {
        match self.current_txn() {
            Some(txn) => Ok(txn.xid().0),
            None => Err(PgError::internal("a function runs outside a transaction")),
        }
    }

    fn transaction_id_if_assigned(&self) -> Option<u64> {
        self.current_txn().and_then(|txn| txn.xid_if_assigned()).map(|xid| xid.0)
    }

    fn notify(&self, channel: &str, payload: &str) -> Result<()> {
        if channel.is_empty() {
            return Err(PgError::new(
                sqlstate::INVALID_PARAMETER_VALUE,
                "channel name cannot be empty",
            ));
        }
        if channel.len() > limits::IDENTIFIER_BYTES_MAX {
            return Err(PgError::new(sqlstate::INVALID_PARAMETER_VALUE, "channel name too long"));
        }
        if payload.len() > limits::NOTIFY_PAYLOAD_BYTES_MAX {
            return Err(PgError::new(sqlstate::INVALID_PARAMETER_VALUE, "payload string too long"));
        }
        match self.current_txn() {
            Some(txn) => {
                txn.notify(channel.to_owned(), payload.to_owned());
                Ok(())
            }
            None => Err(PgError::internal("NOTIFY outside a transaction")),
        }
    }

    fn listening_channels(&self) -> Vec<String> {
        self.listening.lock().iter().cloned().collect()
    }

    fn signal_backend(&self, pid: i32, terminate: bool) -> Result<bool> {
        let Some(other) = self.instance.session(BackendPid(pid)) else {
            self.notice(
                PgError::new(sqlstate::WARNING, format!("PID {pid} is not a PostgreSQL backend process"))
                    .severity(crate::error::Severity::Warning),
            );
            return Ok(false);
        };
        if !self.superuser && other.superuser {
            let what = if terminate { "terminate" } else { "cancel query of" };
            return Err(PgError::new(
                sqlstate::INSUFFICIENT_PRIVILEGE,
                format!("must be a superuser to {what} superuser process"),
            ));
        }
        other
            .cancel()
            .raise(if terminate { Reason::Terminate } else { Reason::UserRequest });
        Ok(true)
    }

    fn blocking_pids(&self, pid: i32) -> Vec<i32> {
        self.instance
            .engine
            .locks
            .blocking_pids(BackendPid(pid))
            .into_iter()
            .map(|pid| pid.0)
            .collect()
    }

    fn is_blocked_by(&self, pid: i32, interesting: &[i32]) -> bool {
        let pids: Vec<BackendPid> = interesting.iter().map(|pid| BackendPid(*pid)).collect();
        self.instance.engine.locks.is_blocked_by(BackendPid(pid), &pids)
    }

    fn advisory_unlock(&self, key: AdvisoryKey, shared: bool) -> Result<bool> {
        let mode = if shared {
            AdvisoryMode::Share
        } else {
            AdvisoryMode::Exclusive
        };
        let target = Target::Advisory {
            database: self.database_oid,
            key,
        };
        // Whoever gets the lock must see what was committed under it.
        let newest = self.instance.engine.pipeline.newest_version();
        let held = self
            .instance
            .engine
            .locks
            .release_session_lock(self.link.holder, &target, Mode::Advisory(mode), newest);
        if !held {
            let name = if shared { "ShareLock" } else { "ExclusiveLock" };
            self.notice(
                PgError::new(sqlstate::WARNING, format!("you don't own a lock of type {name}"))
                    .severity(crate::error::Severity::Warning),
            );
        }
        Ok(held)
    }

    fn advisory_unlock_all(&self) {
        let newest = self.instance.engine.pipeline.newest_version();
        self.instance.engine.locks.release_all_session(self.link.holder, newest);
    }

    fn notice(&self, notice: PgError) {
        SessionShared::notice(self, notice);
    }

    fn catalog_function(&self, name: &str, args: &[Value]) -> Result<Value> {
        self.with_virtual_context(|context| catalog_functions::call(name, context, args))
    }

    fn virtual_rows(&self, name: &str, args: &[Value]) -> Result<Vec<Vec<Value>>> {
        self.with_virtual_context(|context| virtual_tables::rows_with(name, context, args))
            .unwrap_or_else(|| Err(PgError::internal(format!("no source of rows is called \"{name}\""))))
    }

    fn random(&self) -> f64 {
        self.random.lock().0.random::<f64>()
    }

    fn set_seed(&self, seed: f64) {
        self.random.lock().0 = StdRng::seed_from_u64(seed.to_bits());
    }
}

/// Sequence errors are made below the catalog, which knows the name.
fn named(mut error: PgError, name: &str) -> PgError {
    let fields = error.fields_mut();
    fields.message = fields.message.replace("sequence \"\"", &format!("sequence \"{name}\""));
    error
}
