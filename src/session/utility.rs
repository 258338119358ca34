//! Statements that are not queries: each goes to its own small function, or to DDL and COPY.

use std::sync::Arc;

use super::output::{Formats, Output, ResultColumn};
use super::session::Session;
use super::settings::Duration;
use super::transaction::TransactionModes;
use crate::config;
use crate::error::{PgError, Result, sqlstate};
use crate::functions::Host;
use crate::ids::Oid;
use crate::lock::RelationMode;
use crate::parse::{
    self, Begin, Discard, LockTable, LockWait, OwnStatement, Parsed, Reset, SetTransaction, SetVariable, TableLock,
};
use crate::txn::{Isolation, Wait};
use crate::types::{Value, oid};

impl Session {
    /// Runs a statement of our own grammar and answers its command tag.
    pub(super) async fn run_utility(
        &mut self,
        parsed: &Arc<Parsed>,
        statement: &OwnStatement,
        params: &[Value],
        formats: &Formats,
        describe: bool,
        out: &mut dyn Output,
    ) -> Result<String> {
        match statement {
            OwnStatement::Begin(begin) => self.run_begin(*begin),
            OwnStatement::Commit { chain } => self.commit_block(*chain).await.map(str::to_owned),
            OwnStatement::Rollback { chain } => self.rollback_block(*chain).map(str::to_owned),
            OwnStatement::PrepareTransaction(gid) => self.prepare_transaction(gid).await,
            OwnStatement::CommitPrepared(gid) => self.finish_prepared(gid, true).await,
            OwnStatement::RollbackPrepared(gid) => self.finish_prepared(gid, false).await,
            OwnStatement::Savepoint(name) => self.savepoint(&name.text).map(|()| "SAVEPOINT".to_owned()),
            OwnStatement::Release(name) => self.release_savepoint(&name.text).map(|()| "RELEASE".to_owned()),
            OwnStatement::RollbackTo(name) => self.rollback_to_savepoint(&name.text).map(|()| "ROLLBACK".to_owned()),
            OwnStatement::SetTransaction(set) => self.run_set_transaction(set),
            OwnStatement::Set(set) => self.run_set(set),
            OwnStatement::Reset(reset) => self.run_reset(reset),
            OwnStatement::Show(name) => self.run_show(&name.name, formats, describe, out),
            OwnStatement::Lock(lock) => self.run_lock(lock).await,
            OwnStatement::Discard(discard) => self.run_discard(*discard).await,
            OwnStatement::Listen(name) => self.run_listen(&name.text),
            OwnStatement::Unlisten(name) => self.run_unlisten(name.as_ref().map(|name| name.text.as_str())),
            OwnStatement::Notify { channel, payload } => {
                self.ensure_transaction();
                self.shared.notify(&channel.text, payload.as_deref().unwrap_or_default())?;
                Ok("NOTIFY".to_owned())
            }
            OwnStatement::Declare(declare) => self.declare_cursor(parsed, declare, params).await,
            OwnStatement::Fetch(fetch) => self.fetch_cursor(fetch, formats, describe, out).await,
            OwnStatement::Close(close) => self.close_cursor(close.name.as_ref().map(|name| name.text.as_str())),
            OwnStatement::Prepare(prepare) => self.run_prepare(prepare),
            OwnStatement::Execute(execute) => self.run_execute(parsed, execute, formats, describe, out).await,
            OwnStatement::Deallocate(name) => self.run_deallocate(name.as_ref().map(|name| name.text.as_str())),
            OwnStatement::Explain(explain) => self.run_explain(explain, params, formats, describe, out).await,
            OwnStatement::Copy(copy) => Box::pin(self.run_copy(parsed, copy, out)).await,
            OwnStatement::Other { tag } => Err(PgError::unsupported(tag)),
            other => self.run_ddl(parsed, other).await,
        }
    }

    /// What a utility statement's result looks like, for Describe.
    pub(super) fn utility_columns(&mut self, parsed: &Parsed) -> Result<Option<Arc<[ResultColumn]>>> {
        let parse::Statement::Own(own) = &parsed.statement else {
            return Ok(None);
        };
        Ok(match own {
            OwnStatement::Show(name) if name.name == "all" => Some(show_all_columns()),
            OwnStatement::Show(name) => Some(text_column(&self.shown_name(&name.name))),
            OwnStatement::Explain(explain) => Some(super::explain::columns(explain)),
            OwnStatement::Fetch(fetch) if !fetch.is_move => self
                .portals
                .get(fetch.cursor.text.as_str())
                .and_then(|portal| portal.columns.clone()),
            OwnStatement::Execute(execute) => self.execute_columns(&execute.name.text)?,
            _ => None,
        })
    }

    fn run_begin(&mut self, begin: Begin) -> Result<String> {
        self.begin_block(modes(begin.modes))?;
        Ok(if begin.start { "START TRANSACTION" } else { "BEGIN" }.to_owned())
    }

    fn run_set_transaction(&mut self, set: &SetTransaction) -> Result<String> {
        match set {
            SetTransaction::Transaction(given) => {
                if !self.block.is_explicit() {
                    self.warn(
                        sqlstate::NO_ACTIVE_SQL_TRANSACTION,
                        "SET TRANSACTION can only be used in transaction blocks",
                    );
                    return Ok("SET".to_owned());
                }
                self.set_transaction(modes(*given))?;
            }
            SetTransaction::Session(given) => {
                let on = |yes: bool| if yes { "on" } else { "off" };
                let mut settings = self.shared.settings.lock();
                if let Some(isolation) = given.isolation {
                    settings.set("default_transaction_isolation", Some(isolation.as_str()), Duration::Session)?;
                }
                if let Some(read_only) = given.read_only {
                    settings.set("default_transaction_read_only", Some(on(read_only)), Duration::Session)?;
                }
                if let Some(deferrable) = given.deferrable {
                    settings.set("default_transaction_deferrable", Some(on(deferrable)), Duration::Session)?;
                }
            }
            SetTransaction::Snapshot(_) => return Err(PgError::unsupported("SET TRANSACTION SNAPSHOT")),
        }
        Ok("SET".to_owned())
    }

    fn run_set(&mut self, set: &SetVariable) -> Result<String> {
        self.ensure_transaction();
        let duration = if set.local { Duration::Transaction } else { Duration::Session };
        if set.local && !self.block.is_explicit() {
            self.warn(
                sqlstate::NO_ACTIVE_SQL_TRANSACTION,
                "SET LOCAL can only be used in transaction blocks",
            );
        }
        let value = match &set.value {
            parse::SetValue::Default => None,
            parse::SetValue::FromCurrent => return Err(PgError::unsupported("SET ... FROM CURRENT outside CREATE FUNCTION")),
            list @ parse::SetValue::List(_) => list.text(),
        };
        self.set_variable(&set.name.name, value.as_deref(), duration)?;
        Ok("SET".to_owned())
    }

    fn set_variable(&mut self, name: &str, value: Option<&str>, duration: Duration) -> Result<()> {
        match name {
            "role" => return self.set_role(value),
            "session_authorization" => return self.set_session_authorization(value),
            "transaction_isolation" => {
                let isolation = value.and_then(|text| Isolation::parse(&text.to_ascii_lowercase()));
                let isolation = isolation.ok_or_else(|| bad_value(name, value))?;
                return self.set_transaction(TransactionModes {
                    isolation: Some(isolation),
                    ..TransactionModes::default()
                });
            }
            "transaction_read_only" => {
                let read_only = value.and_then(config::parse_bool).ok_or_else(|| bad_value(name, value))?;
                return self.set_transaction(TransactionModes {
                    read_only: Some(read_only),
                    ..TransactionModes::default()
                });
            }
            _ => {}
        }
        // One list item that names several schemas is one name with commas in it only when it was quoted; PostgreSQL
        // splits the same text again, so nothing is lost.
        self.shared.settings.lock().set(name, value, duration)?;
        self.shared.refresh_type_settings();
        if name.starts_with("enable_") {
            self.recent.clear();
        }
        Ok(())
    }

    fn set_role(&mut self, value: Option<&str>) -> Result<()> {
        let role = match value {
            None | Some("none") => None,
            Some(name) => {
                let catalog = self.shared.catalog();
                let oid = catalog
                    .find_role(name)
                    .ok_or_else(|| PgError::new(sqlstate::INVALID_PARAMETER_VALUE, format!("role \"{name}\" does not exist")))?;
                if !self.shared.superuser && !catalog.is_member(self.shared.user_oid, oid) {
                    return Err(PgError::new(
                        sqlstate::INSUFFICIENT_PRIVILEGE,
                        format!("permission denied to set role \"{name}\""),
                    ));
                }
                Some((oid, name.into()))
            }
        };
        *self.shared.role.lock() = role;
        Ok(())
    }

    fn set_session_authorization(&mut self, value: Option<&str>) -> Result<()> {
        match value {
            None => Ok(()),
            Some(name) if name == self.shared.user => Ok(()),
            Some(_) => Err(PgError::unsupported("SET SESSION AUTHORIZATION to another role")),
        }
    }

    fn run_reset(&mut self, reset: &Reset) -> Result<String> {
        self.ensure_transaction();
        match reset {
            Reset::All => self.shared.settings.lock().reset_all()?,
            Reset::Variable(name) => self.set_variable(&name.name, None, Duration::Session)?,
        }
        self.shared.refresh_type_settings();
        Ok("RESET".to_owned())
    }

    /// The name as SHOW prints it above its value.
    fn shown_name(&self, name: &str) -> String {
        config::find(name).map_or_else(|| name.to_owned(), |one| one.name.to_owned())
    }

    fn run_show(&mut self, name: &str, formats: &Formats, describe: bool, out: &mut dyn Output) -> Result<String> {
        if name == "all" {
            let columns = show_all_columns();
            let rows: Vec<Vec<Value>> = config::definitions()
                .iter()
                .map(|one| {
                    let value = self.shared.setting(one.name).unwrap_or_default();
                    vec![Value::text(one.name), Value::text(value), Value::text(one.description)]
                })
                .collect();
            return self
                .give_table(&columns, &rows, formats, describe, out)
                .map(|()| "SHOW".to_owned());
        }
        let value = self.shared.setting(name).ok_or_else(|| config::unknown(name))?;
        let columns = text_column(&self.shown_name(name));
        self.give_table(&columns, &[vec![Value::text(value)]], formats, describe, out)?;
        Ok("SHOW".to_owned())
    }

    /// Answers rows that are all here.
    pub(super) fn give_table(
        &self,
        columns: &[ResultColumn],
        rows: &[Vec<Value>],
        formats: &Formats,
        describe: bool,
        out: &mut dyn Output,
    ) -> Result<()> {
        if describe {
            out.row_description(columns, formats);
        }
        let settings = self.shared.type_settings();
        let env = crate::types::TypeEnv {
            settings: &settings,
            names: &*self.names,
            now_micros: self.shared.now_micros(),
        };
        rows.iter().try_for_each(|row| out.row(columns, formats, row, &env))
    }

    async fn run_lock(&mut self, lock: &LockTable) -> Result<String> {
        self.require_block("LOCK TABLE")?;
        let txn = self.ensure_transaction();
        let timeouts = self.shared.lock_timeouts();
        let mode = relation_mode(lock.mode);
        let wait = if lock.wait == LockWait::NoWait {
            Wait::NoWait
        } else {
            Wait::Block
        };
        for table in &lock.tables {
            // The name may mean another relation once the lock is there: look again until it does not.
            loop {
                let oid = self.lookup_lockable(&table.name)?;
                if !txn.lock_relation(oid, mode, wait, &timeouts).await? {
                    return Err(PgError::new(
                        sqlstate::LOCK_NOT_AVAILABLE,
                        format!("could not obtain lock on relation \"{}\"", table.name.name()),
                    ));
                }
                if self.lookup_lockable(&table.name)? == oid {
                    break;
                }
            }
        }
        txn.next_command();
        Ok("LOCK TABLE".to_owned())
    }

    fn lookup_lockable(&self, name: &parse::QName) -> Result<Oid> {
        let catalog = self.shared.catalog();
        let path = self.shared.search_path(&catalog);
        let oid = catalog.lookup_relation(&path, name.schema().map(smol_str::SmolStr::as_str), name.name())?;
        if catalog.table(oid).is_none() && catalog.view(oid).is_none() {
            return Err(PgError::new(
                sqlstate::WRONG_OBJECT_TYPE,
                format!("\"{}\" is not a table or view", name.name()),
            ));
        }
        Ok(oid)
    }

    async fn run_discard(&mut self, discard: Discard) -> Result<String> {
        match discard {
            Discard::All => {
                self.forbid_block("DISCARD ALL")?;
                self.portals.clear();
                self.refresh_cursor_rows();
                *self.shared.role.lock() = None;
                self.shared.settings.lock().reset_all()?;
                self.shared.refresh_type_settings();
                self.run_deallocate(None)?;
                self.recent.clear();
                self.run_unlisten(None)?;
                self.shared.advisory_unlock_all();
                *self.shared.sequence_values.lock() = Default::default();
                self.drop_temporary_objects().await;
                Ok("DISCARD ALL".to_owned())
            }
            Discard::Plans => {
                self.recent.clear();
                Ok("DISCARD PLANS".to_owned())
            }
            Discard::Sequences => {
                *self.shared.sequence_values.lock() = Default::default();
                Ok("DISCARD SEQUENCES".to_owned())
            }
            Discard::Temp => {
                self.drop_temporary_objects().await;
                Ok("DISCARD TEMP".to_owned())
            }
        }
    }
}

fn bad_value(name: &str, value: Option<&str>) -> PgError {
    PgError::new(
        sqlstate::INVALID_PARAMETER_VALUE,
        format!("invalid value for parameter \"{name}\": \"{}\"", value.unwrap_or("default")),
    )
}

fn modes(given: parse::TransactionModes) -> TransactionModes {
    TransactionModes {
        isolation: given.isolation.map(|level| match level {
            parse::IsolationLevel::ReadUncommitted => Isolation::ReadUncommitted,
            parse::IsolationLevel::ReadCommitted => Isolation::ReadCommitted,
            parse::IsolationLevel::RepeatableRead => Isolation::RepeatableRead,
            parse::IsolationLevel::Serializable => Isolation::Serializable,
        }),
        read_only: given.read_only,
        deferrable: given.deferrable,
    }
}

fn relation_mode(mode: TableLock) -> RelationMode {
    match mode {
        TableLock::AccessShare => RelationMode::AccessShare,
        TableLock::RowShare => RelationMode::RowShare,
        TableLock::RowExclusive => RelationMode::RowExclusive,
        TableLock::ShareUpdateExclusive => RelationMode::ShareUpdateExclusive,
        TableLock::Share => RelationMode::Share,
        TableLock::ShareRowExclusive => RelationMode::ShareRowExclusive,
        TableLock::Exclusive => RelationMode::Exclusive,
        TableLock::AccessExclusive => RelationMode::AccessExclusive,
    }
}

/// One text column.
pub(super) fn text_column(name: &str) -> Arc<[ResultColumn]> {
    text_columns(&[name])
}

fn show_all_columns() -> Arc<[ResultColumn]> {
    text_columns(&["name", "setting", "description"])
}

pub(super) fn text_columns(names: &[&str]) -> Arc<[ResultColumn]> {
    names
        .iter()
        .map(|name| ResultColumn {
            name: (*name).into(),
            ty: oid::TEXT,
            typmod: -1,
            table: Oid::INVALID,
            attnum: 0,
        })
        .collect()
}
