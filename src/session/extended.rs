//! The extended query protocol: Parse, Bind, Describe, Execute, Close, Sync.

use std::sync::Arc;

use bytes::Bytes;

use super::block::Block;
use super::output::{Format, Formats, Output, ResultColumn};
use super::portal::{Completion, Portal, PortalRun};
use super::prepared::Prepared;
use super::run;
use super::session::Session;
use super::shared::PreparedRow;
use super::simple::with_timeout;
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::parse;
use crate::types::{TypeEnv, Value, io};

impl Session {
    /// Parse: checks and plans the statement, and keeps it by name.
    pub async fn parse(&mut self, name: &str, sql: &str, types: &[Oid]) -> Result<()> {
        self.start_command(sql);
        let done = self.parse_inner(name, sql, types);
        self.extended_done(done)
    }

    fn parse_inner(&mut self, name: &str, sql: &str, types: &[Oid]) -> Result<()> {
        if !name.is_empty() && self.prepared.contains_key(name) {
            return Err(PgError::new(
                sqlstate::DUPLICATE_PSTATEMENT,
                format!("prepared statement \"{name}\" already exists"),
            ));
        }
        let prepared = if let Some(known) = self.recent.get(sql, types) {
            known
        } else {
            let fresh = self.prepare(sql, types)?;
            self.recent.put(sql, types, &fresh);
            fresh
        };
        if let Some(parsed) = &prepared.parsed {
            self.refuse_in_failed_block(parsed)?;
        }
        if prepared.is_planned() {
            let catalog = self.shared.catalog();
            prepared.plan(self, &catalog)?;
        }
        self.keep_prepared(name, prepared, sql, false);
        Ok(())
    }

    fn prepare(&self, sql: &str, types: &[Oid]) -> Result<Arc<Prepared>> {
        let mut statements = parse::parse(sql)?;
        if statements.len() > 1 {
            return Err(PgError::new(
                sqlstate::SYNTAX_ERROR,
                "cannot insert multiple commands into a prepared statement",
            ));
        }
        Ok(Arc::new(Prepared::new(statements.pop().map(Arc::new), types.to_vec())))
    }

    pub(super) fn keep_prepared(&mut self, name: &str, prepared: Arc<Prepared>, text: &str, from_sql: bool) {
        if !name.is_empty() {
            let row = PreparedRow {
                name: name.to_owned(),
                statement: Arc::from(text),
                prepared_micros: self.shared.instance.engine.clock.now_micros(),
                parameter_types: self.parameter_types(&prepared).unwrap_or_default(),
                from_sql,
            };
            self.shared.prepared.lock().push(row);
        }
        self.prepared.insert(name.to_owned(), prepared);
    }

    fn parameter_types(&self, prepared: &Prepared) -> Result<Vec<Oid>> {
        if !prepared.is_planned() {
            return Ok(Vec::new());
        }
        let catalog = self.shared.catalog();
        Ok(prepared.plan(self, &catalog)?.plan.param_types.to_vec())
    }

    pub(super) fn find_prepared(&self, name: &str) -> Result<Arc<Prepared>> {
        self.prepared.get(name).cloned().ok_or_else(|| {
            let text = if name.is_empty() {
                "unnamed prepared statement does not exist".to_owned()
            } else {
                format!("prepared statement \"{name}\" does not exist")
            };
            PgError::new(sqlstate::INVALID_SQL_STATEMENT_NAME, text)
        })
    }

    /// Parameter types and result columns of a prepared statement.
    pub async fn describe_statement(&mut self, name: &str) -> Result<(Vec<Oid>, Option<Arc<[ResultColumn]>>)> {
        let described = self.describe_statement_inner(name);
        self.extended_done(described)
    }

    fn describe_statement_inner(&mut self, name: &str) -> Result<(Vec<Oid>, Option<Arc<[ResultColumn]>>)> {
        let prepared = self.find_prepared(name)?;
        let Some(parsed) = prepared.parsed.clone() else {
            return Ok((Vec::new(), None));
        };
        self.refuse_in_failed_block(&parsed)?;
        if prepared.is_planned() {
            let catalog = self.shared.catalog();
            let planned = prepared.plan(self, &catalog)?;
            return Ok((planned.plan.param_types.to_vec(), planned.described()));
        }
        Ok((Vec::new(), self.utility_columns(&parsed)?))
    }

    /// Bind: decodes the parameters and makes a portal.
    pub fn bind(
        &mut self,
        portal: &str,
        statement: &str,
        parameter_formats: &Formats,
        parameters: &[Option<Bytes>],
        formats: Formats,
    ) -> Result<()> {
        let bound = self.bind_inner(portal, statement, parameter_formats, parameters, formats);
        self.extended_done(bound)
    }

    fn bind_inner(
        &mut self,
        portal: &str,
        statement: &str,
        parameter_formats: &Formats,
        parameters: &[Option<Bytes>],
        formats: Formats,
    ) -> Result<()> {
        let prepared = self.find_prepared(statement)?;
        if let Some(parsed) = &prepared.parsed {
            self.refuse_in_failed_block(parsed)?;
        }
        if !portal.is_empty() && self.portals.contains_key(portal) {
            return Err(PgError::new(
                sqlstate::DUPLICATE_CURSOR,
                format!("cursor \"{portal}\" already exists"),
            ));
        }
        let (types, columns) = self.bound_shape(&prepared)?;
        if types.len() != parameters.len() {
            return Err(PgError::new(
                sqlstate::PROTOCOL_VIOLATION,
                format!(
                    "bind message supplies {} parameters, but prepared statement \"{statement}\" requires {}",
                    parameters.len(),
                    types.len()
                ),
            ));
        }
        if let (Formats::Each(each), Some(columns)) = (&formats, &columns)
            && each.len() != columns.len()
        {
            return Err(PgError::new(
                sqlstate::PROTOCOL_VIOLATION,
                format!(
                    "bind message has {} result formats but query has {} columns",
                    each.len(),
                    columns.len()
                ),
            ));
        }
        let params = self.decode_parameters(&types, parameter_formats, parameters)?;
        let made = Portal {
            prepared,
            params: params.into(),
            formats,
            columns,
            run: PortalRun::Ready,
            cursor: None,
            rows: 0,
        };
        self.portals.insert(portal.to_owned(), made);
        Ok(())
    }

    fn bound_shape(&mut self, prepared: &Arc<Prepared>) -> Result<(Arc<[Oid]>, Option<Arc<[ResultColumn]>>)> {
        let none: Arc<[Oid]> = Arc::from([]);
        let Some(parsed) = &prepared.parsed else {
            return Ok((none, None));
        };
        if !prepared.is_planned() {
            return Ok((none, self.utility_columns(parsed)?));
        }
        let catalog = self.shared.catalog();
        let planned = prepared.plan(self, &catalog)?;
        Ok((Arc::clone(&planned.plan.param_types), planned.described()))
    }

    fn decode_parameters(&self, types: &[Oid], formats: &Formats, raw: &[Option<Bytes>]) -> Result<Vec<Value>> {
        let settings = self.shared.type_settings();
        let env = TypeEnv {
            settings: &settings,
            names: &*self.names,
            now_micros: self.shared.now_micros(),
        };
        let decode = |(at, (ty, bytes)): (usize, (&Oid, &Option<Bytes>))| -> Result<Value> {
            let Some(bytes) = bytes else { return Ok(Value::Null) };
            match formats.of(at) {
                Format::Binary => io::binary_in(*ty, -1, bytes, &env),
                Format::Text => {
                    let text = std::str::from_utf8(bytes)
                        .ok()
                        .filter(|text| !text.contains('\0'))
                        .ok_or_else(|| {
                            PgError::new(
                                sqlstate::CHARACTER_NOT_IN_REPERTOIRE,
                                "invalid byte sequence for encoding \"UTF8\" in a parameter",
                            )
                        })?;
                    io::text_in(*ty, -1, text, &env)
                }
            }
            .map_err(|error| error.context(format!("unnamed portal parameter ${}", at + 1)))
        };
        types.iter().zip(raw).enumerate().map(decode).collect()
    }

    /// Result columns and formats of a portal.
    pub fn describe_portal(&mut self, name: &str) -> Result<(Option<Arc<[ResultColumn]>>, Formats)> {
        let described = self
            .find_portal(name)
            .map(|portal| (portal.columns.clone(), portal.formats.clone()));
        self.extended_done(described)
    }

    pub(super) fn find_portal(&self, name: &str) -> Result<&Portal> {
        self.portals
            .get(name)
            .ok_or_else(|| PgError::new(sqlstate::UNDEFINED_CURSOR, format!("portal \"{name}\" does not exist")))
    }

    /// Execute: runs a portal for at most `max_rows` rows.
    pub async fn execute(&mut self, name: &str, max_rows: Option<usize>, out: &mut dyn Output) -> Result<Completion> {
        let done = self.execute_outer(name, max_rows, out).await;
        self.drain_notices(out);
        self.extended_done(done)
    }

    async fn execute_outer(&mut self, name: &str, max_rows: Option<usize>, out: &mut dyn Output) -> Result<Completion> {
        let Some(mut portal) = self.portals.remove(name) else {
            return self.find_portal(name).map(|_| Completion::Done);
        };
        if let Some(parsed) = portal.prepared.parsed.clone() {
            self.start_command(&parsed.text);
        }
        let limit = self.statement_timeout();
        let shared = Arc::clone(&self.shared);
        let done = with_timeout(limit, &shared, self.execute_portal(&mut portal, max_rows, out)).await;
        if done.is_ok() && (self.txn.is_some() || portal.survives_abort()) {
            self.portals.insert(name.to_owned(), portal);
        }
        done
    }

    async fn execute_portal(&mut self, portal: &mut Portal, max_rows: Option<usize>, out: &mut dyn Output) -> Result<Completion> {
        let Some(parsed) = portal.prepared.parsed.clone() else {
            out.empty_query();
            return Ok(Completion::Done);
        };
        self.refuse_in_failed_block(&parsed)?;
        if !portal.prepared.is_planned() {
            let tag = self.run_statement(&parsed, &[], &portal.formats, false, out).await?;
            self.drain_notices(out);
            out.complete(&tag);
            return Ok(Completion::Done);
        }
        if matches!(portal.run, PortalRun::Ready) {
            let (execution, columns) = self.start_query(&portal.prepared, Arc::clone(&portal.params)).await?;
            if let Some(described) = &portal.columns
                && !same_shape(described, &columns)
            {
                return Err(PgError::new(
                    sqlstate::FEATURE_NOT_SUPPORTED,
                    "cached plan must not change result type",
                ));
            }
            portal.run = PortalRun::Running(Box::new(execution));
        }
        self.advance(portal, max_rows, out).await
    }

    /// Gives a running portal's next rows.
    async fn advance(&mut self, portal: &mut Portal, max_rows: Option<usize>, out: &mut dyn Output) -> Result<Completion> {
        let PortalRun::Running(mut execution) = std::mem::replace(&mut portal.run, PortalRun::Finished) else {
            // Run to its end before: nothing more comes.
            out.complete("SELECT 0");
            return Ok(Completion::Done);
        };
        let columns = portal.columns.clone().unwrap_or_else(|| Arc::from([]));
        let mut left = max_rows.unwrap_or(usize::MAX);
        let mut given = 0;
        while left > 0 {
            match self.give_rows(&mut execution, &columns, &portal.formats, left, out).await? {
                None => {
                    let tag = run::tag(&execution, given);
                    self.finish_query(*execution)?;
                    out.complete(&tag);
                    return Ok(Completion::Done);
                }
                Some(count) => {
                    given += count;
                    left -= usize::try_from(count).unwrap_or(left).min(left);
                }
            }
        }
        portal.rows += given;
        portal.run = PortalRun::Running(execution);
        Ok(Completion::Suspended)
    }

    pub fn close_statement(&mut self, name: &str) {
        self.prepared.remove(name);
        self.shared.prepared.lock().retain(|row| row.name != name);
    }

    pub fn close_portal(&mut self, name: &str) {
        self.portals.remove(name);
        self.refresh_cursor_rows();
    }

    /// Sync: ends the implicit transaction. Portals end with it.
    pub async fn sync(&mut self) -> Result<()> {
        let done = match self.block {
            Block::Implicit => self.commit_transaction().await,
            _ => Ok(()),
        };
        if self.block == Block::Idle {
            self.portals.retain(|_, portal| portal.survives_abort());
        }
        self.rest();
        done
    }

    /// An error of the extended protocol undoes what an error undoes; messages up to Sync are then passed over.
    fn extended_done<T>(&mut self, done: Result<T>) -> Result<T> {
        if done.is_err() {
            self.statement_failed();
        }
        done
    }
}

fn same_shape(a: &[ResultColumn], b: &[ResultColumn]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.ty == b.ty && a.typmod == b.typmod)
}
