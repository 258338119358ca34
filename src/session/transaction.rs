//! Beginning and ending transactions, savepoints, and what an error undoes.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::block::Block;
use super::session::Session;
use super::settings::Settings;
use crate::error::{PgError, Result, Severity, sqlstate};
use crate::txn::{Isolation, Txn, TxnOptions};

/// A savepoint with what of the session goes back to it.
pub(super) struct Savepoint {
    name: String,
    settings: usize,
    overlay: usize,
    /// Portals that existed when it was made.
    portals: Vec<String>,
}

/// Options that BEGIN or SET TRANSACTION may give.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TransactionModes {
    pub isolation: Option<Isolation>,
    pub read_only: Option<bool>,
    pub deferrable: Option<bool>,
}

impl TransactionModes {
    fn over(self, base: TxnOptions) -> TxnOptions {
        TxnOptions {
            isolation: self.isolation.unwrap_or(base.isolation),
            read_only: self.read_only.unwrap_or(base.read_only),
            deferrable: self.deferrable.unwrap_or(base.deferrable),
        }
    }
}

impl Session {
    /// The running transaction; starts one where there is none.
    pub(super) fn ensure_transaction(&mut self) -> Arc<Txn> {
        if let Some(txn) = &self.txn {
            return Arc::clone(txn);
        }
        if self.block == Block::Idle {
            self.block = Block::Implicit;
        }
        let options = self.default_options();
        self.start_transaction(options)
    }

    fn default_options(&self) -> TxnOptions {
        let settings = self.shared.settings.lock();
        TxnOptions {
            isolation: settings
                .get("default_transaction_isolation")
                .and_then(Isolation::parse)
                .unwrap_or_default(),
            read_only: settings.bool("default_transaction_read_only"),
            deferrable: settings.bool("default_transaction_deferrable"),
        }
    }

    fn start_transaction(&mut self, options: TxnOptions) -> Arc<Txn> {
        let engine = &self.shared.instance.engine;
        let megabytes = self.shared.settings.lock().integer("holdfast.max_transaction_size");
        let bytes = usize::try_from(megabytes).unwrap_or(0) << 20;
        self.shared.link.transaction_bytes_max.store(bytes, Ordering::Relaxed);
        let txn = Txn::begin(engine, &self.shared.link, options);
        let now = self.shared.statement_micros.load(Ordering::Relaxed);
        self.shared.transaction_micros.store(now, Ordering::Relaxed);
        self.shared.activity.lock().transaction_start = Some(now);
        *self.shared.txn.lock() = Some(Arc::clone(&txn));
        self.txn = Some(Arc::clone(&txn));
        txn
    }

    /// BEGIN and START TRANSACTION.
    pub(super) fn begin_block(&mut self, modes: TransactionModes) -> Result<()> {
        match self.block {
            Block::Explicit | Block::Failed => {
                self.warn(sqlstate::ACTIVE_SQL_TRANSACTION, "there is already a transaction in progress");
                self.set_transaction(modes)
            }
            // The statements before BEGIN in the same string become part of the block, as in PostgreSQL.
            Block::Idle | Block::Implicit => {
                let txn = self.ensure_transaction();
                self.block = Block::Explicit;
                txn.set_options(modes.over(txn.options()))
            }
        }
    }

    /// SET TRANSACTION.
    pub(super) fn set_transaction(&mut self, modes: TransactionModes) -> Result<()> {
        let txn = self.ensure_transaction();
        let before = txn.options();
        if txn.has_snapshot() {
            if modes.isolation.is_some_and(|isolation| isolation != before.isolation) {
                return Err(PgError::new(
                    sqlstate::ACTIVE_SQL_TRANSACTION,
                    "SET TRANSACTION ISOLATION LEVEL must be called before any query",
                ));
            }
            if before.read_only && modes.read_only == Some(false) {
                return Err(PgError::new(
                    sqlstate::ACTIVE_SQL_TRANSACTION,
                    "transaction read-write mode must be set before any query",
                ));
            }
            if modes.deferrable.is_some_and(|deferrable| deferrable != before.deferrable) {
                return Err(PgError::new(
                    sqlstate::ACTIVE_SQL_TRANSACTION,
                    "SET TRANSACTION [NOT] DEFERRABLE must be called before any query",
                ));
            }
        }
        if modes.isolation.is_some_and(|isolation| isolation != before.isolation) && !self.savepoints.is_empty() {
            return Err(PgError::new(
                sqlstate::ACTIVE_SQL_TRANSACTION,
                "SET TRANSACTION ISOLATION LEVEL must not be called in a subtransaction",
            ));
        }
        txn.set_options(modes.over(before))
    }

    /// COMMIT: the tag is ROLLBACK where the block had failed. `chain` starts a new block with the same options.
    pub(super) async fn commit_block(&mut self, chain: bool) -> Result<&'static str> {
        match self.block {
            Block::Explicit => {
                let options = self.txn.as_ref().map(|txn| txn.options());
                self.commit_transaction().await?;
                self.chain(chain, options);
                Ok("COMMIT")
            }
            Block::Failed => {
                let options = self.txn.as_ref().map(|txn| txn.options());
                self.abort_transaction();
                self.chain(chain, options);
                Ok("ROLLBACK")
            }
            Block::Idle | Block::Implicit => {
                self.outside_block("COMMIT AND CHAIN", chain)?;
                if self.block == Block::Implicit {
                    self.commit_transaction().await?;
                }
                Ok("COMMIT")
            }
        }
    }

    /// ROLLBACK.
    pub(super) fn rollback_block(&mut self, chain: bool) -> Result<&'static str> {
        let options = self.txn.as_ref().map(|txn| txn.options());
        match self.block {
            Block::Explicit | Block::Failed => {
                self.abort_transaction();
                self.chain(chain, options);
            }
            Block::Idle | Block::Implicit => {
                self.outside_block("ROLLBACK AND CHAIN", chain)?;
                self.abort_transaction();
            }
        }
        Ok("ROLLBACK")
    }

    fn outside_block(&self, chained: &str, chain: bool) -> Result<()> {
        if chain {
            return Err(PgError::new(
                sqlstate::NO_ACTIVE_SQL_TRANSACTION,
                format!("{chained} can only be used in transaction blocks"),
            ));
        }
        self.warn(sqlstate::NO_ACTIVE_SQL_TRANSACTION, "there is no transaction in progress");
        Ok(())
    }

    fn chain(&mut self, chain: bool, options: Option<TxnOptions>) {
        if chain {
            let options = options.unwrap_or_else(|| self.default_options());
            self.start_transaction(options);
            self.block = Block::Explicit;
        }
    }

    pub(super) fn warn(&self, code: crate::error::SqlState, message: &str) {
        self.shared.notice(PgError::new(code, message).severity(Severity::Warning));
    }

    /// Commits whatever runs. On error everything is rolled back.
    pub(super) async fn commit_transaction(&mut self) -> Result<()> {
        let Some(txn) = self.txn.clone() else {
            self.block = Block::Idle;
            return Ok(());
        };
        let committed = self.commit_steps(&txn).await;
        if let Err(error) = committed {
            self.abort_transaction();
            return Err(error);
        }
        self.shared.settings.lock().commit();
        self.shared.overlay.committed();
        self.portals.retain(|_, portal| portal.survives_commit());
        self.ended();
        Ok(())
    }

    async fn commit_steps(&mut self, txn: &Arc<Txn>) -> Result<()> {
        self.materialize_holdable_cursors().await?;
        self.apply_listens();
        txn.commit().await
    }

    /// Rolls back whatever runs; the session is idle afterwards.
    pub(super) fn abort_transaction(&mut self) {
        self.portals.retain(|_, portal| portal.survives_abort());
        self.pending_listens.clear();
        if let Some(txn) = self.txn.take() {
            txn.rollback();
        }
        self.shared.settings.lock().back_to(0);
        self.shared.overlay.back_to(0);
        self.ended();
    }

    pub(super) fn ended(&mut self) {
        self.txn = None;
        *self.shared.txn.lock() = None;
        self.savepoints.clear();
        self.block = Block::Idle;
        self.shared.refresh_type_settings();
        self.refresh_cursor_rows();
    }

    /// A statement failed: undoes what an error undoes. In a block with savepoints that is what came after the last one.
    pub(super) fn statement_failed(&mut self) {
        match self.block {
            Block::Idle | Block::Implicit => self.abort_transaction(),
            Block::Explicit | Block::Failed => {
                if let Some(last) = self.savepoints.len().checked_sub(1) {
                    self.back_to_savepoint(last);
                } else {
                    self.abort_transaction();
                }
                self.block = Block::Failed;
            }
        }
    }

    fn back_to_savepoint(&mut self, index: usize) {
        let savepoint = &self.savepoints[index];
        if let Some(txn) = &self.txn {
            txn.rollback_to(&savepoint.name)
                .expect("the session and its transaction have the same savepoints");
        }
        self.shared.settings.lock().back_to(savepoint.settings);
        self.shared.overlay.back_to(savepoint.overlay);
        let there = savepoint.portals.clone();
        self.portals
            .retain(|name, portal| there.contains(name) || portal.survives_abort());
        self.shared.refresh_type_settings();
        self.refresh_cursor_rows();
    }

    pub(super) fn savepoint(&mut self, name: &str) -> Result<()> {
        self.require_block("SAVEPOINT")?;
        let txn = self.ensure_transaction();
        txn.savepoint(name);
        let settings = Settings::mark(&self.shared.settings.lock());
        self.savepoints.push(Savepoint {
            name: name.to_owned(),
            settings,
            overlay: self.shared.overlay.savepoint(),
            portals: self.portals.keys().cloned().collect(),
        });
        Ok(())
    }

    pub(super) fn release_savepoint(&mut self, name: &str) -> Result<()> {
        self.require_block("RELEASE SAVEPOINT")?;
        let index = self.find_savepoint(name)?;
        self.ensure_transaction().release(name)?;
        self.savepoints.truncate(index);
        Ok(())
    }

    pub(super) fn rollback_to_savepoint(&mut self, name: &str) -> Result<()> {
        self.require_block("ROLLBACK TO SAVEPOINT")?;
        let index = self.find_savepoint(name)?;
        self.savepoints.truncate(index + 1);
        self.back_to_savepoint(index);
        self.block = Block::Explicit;
        Ok(())
    }

    fn find_savepoint(&self, name: &str) -> Result<usize> {
        self.savepoints
            .iter()
            .rposition(|savepoint| savepoint.name == name)
            .ok_or_else(|| {
                PgError::new(
                    sqlstate::S_E_INVALID_SPECIFICATION,
                    format!("savepoint \"{name}\" does not exist"),
                )
            })
    }

    /// 25P01 for commands that make sense inside a block only.
    pub(super) fn require_block(&self, command: &str) -> Result<()> {
        if self.block.is_explicit() {
            return Ok(());
        }
        Err(PgError::new(
            sqlstate::NO_ACTIVE_SQL_TRANSACTION,
            format!("{command} can only be used in transaction blocks"),
        ))
    }

    /// 25001 for commands that make sense outside a block only.
    pub(super) fn forbid_block(&self, command: &str) -> Result<()> {
        if self.block.is_explicit() {
            return Err(PgError::new(
                sqlstate::ACTIVE_SQL_TRANSACTION,
                format!("{command} cannot run inside a transaction block"),
            ));
        }
        Ok(())
    }
}
