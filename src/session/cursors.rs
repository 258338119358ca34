//! SQL cursors and PREPARE: DECLARE, FETCH, MOVE, CLOSE, PREPARE, EXECUTE, DEALLOCATE.
//!
//! A cursor that neither scrolls nor is held runs on demand. Others keep their rows: a scrolling one from its first FETCH
//! backward on, a held one from the commit on.

use std::sync::Arc;

use super::output::{Format, Formats, Output, ResultColumn};
use super::portal::{CursorOptions, Portal, PortalRun};
use super::prepared::Prepared;
use super::session::Session;
use super::shared::CursorRow;
use crate::error::{PgError, Result, sqlstate};
use crate::exec::Execution;
use crate::exec::row::Row;
use crate::ids::Oid;
use crate::limits::BATCH_ROWS_MAX;
use crate::parse::{DeclareCursor, Execute, Fetch, FetchDirection, Parsed};
use crate::plan::eval::{EvalContext, OuterParams, SlotValues, eval};
use crate::types::{TypeEnv, Value, cast, io, oid};
use sqlparser::ast::Expr;

fn no_cursor(name: &str) -> PgError {
    PgError::new(sqlstate::UNDEFINED_CURSOR, format!("cursor \"{name}\" does not exist"))
}

impl Session {
    pub(super) async fn declare_cursor(
        &mut self,
        parsed: &Arc<Parsed>,
        declare: &DeclareCursor,
        params: &[Value],
    ) -> Result<String> {
        if !declare.hold {
            self.require_block("DECLARE CURSOR")?;
        }
        let name = declare.name.text.as_str();
        if self.portals.contains_key(name) {
            return Err(PgError::new(
                sqlstate::DUPLICATE_CURSOR,
                format!("cursor \"{name}\" already exists"),
            ));
        }
        let prepared = Arc::new(Prepared::new(Some(Arc::new(declare.query.clone())), Vec::new()));
        let params: Arc<[Value]> = Arc::from(params);
        let (execution, columns) = self.start_query(&prepared, Arc::clone(&params)).await?;
        let plan = execution.plan();
        if plan.writes {
            return Err(PgError::new(
                sqlstate::INVALID_CURSOR_DEFINITION,
                "DECLARE CURSOR must not contain data-modifying statements in WITH",
            ));
        }
        if plan.locks_rows && (declare.hold || declare.scroll == Some(true)) {
            let what = if declare.hold { "WITH HOLD" } else { "SCROLL" };
            return Err(PgError::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                format!("DECLARE {what} ... {} is not supported", super::run::locking_name(plan)),
            )
            .detail(if declare.hold {
                "Holdable cursors must be READ ONLY."
            } else {
                "Scrollable cursors must be READ ONLY."
            }));
        }
        let format = if declare.binary { Format::Binary } else { Format::Text };
        let cursor = CursorOptions {
            holdable: declare.hold,
            binary: declare.binary,
            scroll: declare.scroll,
            created_micros: self.shared.instance.engine.clock.now_micros(),
            text: Arc::clone(&parsed.text),
            held: false,
        };
        self.portals.insert(
            name.to_owned(),
            Portal {
                prepared,
                params,
                formats: Formats::All(format),
                columns: Some(columns),
                run: PortalRun::Running(Box::new(execution)),
                cursor: Some(cursor),
                rows: 0,
            },
        );
        if let Some(txn) = &self.txn {
            txn.next_command();
        }
        self.refresh_cursor_rows();
        Ok("DECLARE CURSOR".to_owned())
    }

    pub(super) async fn fetch_cursor(
        &mut self,
        fetch: &Fetch,
        formats: &Formats,
        describe: bool,
        out: &mut dyn Output,
    ) -> Result<String> {
        self.ensure_transaction();
        let name = fetch.cursor.text.as_str();
        let mut portal = self.portals.remove(name).ok_or_else(|| no_cursor(name))?;
        let done = self.fetch_from(&mut portal, fetch).await;
        let columns = portal.columns.clone().unwrap_or_else(|| Arc::from([]));
        let binary = portal.cursor.as_ref().is_some_and(|cursor| cursor.binary);
        // A cursor whose query failed is of no use any more.
        if done.is_ok() {
            self.portals.insert(name.to_owned(), portal);
        }
        let rows = done?;
        if fetch.is_move {
            return Ok(format!("MOVE {}", rows.len()));
        }
        let formats = if binary {
            Formats::All(Format::Binary)
        } else {
            formats.clone()
        };
        self.give_table(&columns, &rows, &formats, describe, out)?;
        Ok(format!("FETCH {}", rows.len()))
    }

    async fn fetch_from(&mut self, portal: &mut Portal, fetch: &Fetch) -> Result<Vec<Row>> {
        let forward = fetch.direction == FetchDirection::Forward && fetch.count >= 0;
        if forward && matches!(portal.run, PortalRun::Running(_)) && portal.rows_are_needed_once() {
            return self.fetch_forward(portal, fetch.count).await;
        }
        if portal.cursor.as_ref().is_some_and(|cursor| cursor.scroll == Some(false)) && !forward {
            return Err(
                PgError::new(sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE, "cursor can only scan forward")
                    .hint("Declare it with SCROLL option to enable backward scan."),
            );
        }
        self.store_rows(portal).await?;
        let PortalRun::Stored { rows, position } = &mut portal.run else {
            return Ok(Vec::new());
        };
        Ok(scroll(rows, position, fetch))
    }

    /// The next rows of a running cursor; with 0 none.
    async fn fetch_forward(&mut self, portal: &mut Portal, count: i64) -> Result<Vec<Row>> {
        let PortalRun::Running(execution) = &mut portal.run else {
            return Ok(Vec::new());
        };
        let wanted = usize::try_from(count).unwrap_or(usize::MAX);
        let width = execution.plan().columns.len();
        let mut rows = Vec::new();
        while rows.len() < wanted && !execution.is_done() {
            let batch = execution.next_batch((wanted - rows.len()).min(BATCH_ROWS_MAX)).await?;
            rows.extend(batch.rows().map(|row| row[..width].to_vec()));
        }
        portal.rows += rows.len() as u64;
        Ok(rows)
    }

    /// Runs a cursor to its end and keeps its rows. A cursor that has given rows before is run again from its start, in
    /// the same snapshot, so that they can be given again.
    async fn store_rows(&mut self, portal: &mut Portal) -> Result<()> {
        if matches!(portal.run, PortalRun::Stored { .. }) {
            return Ok(());
        }
        let PortalRun::Running(execution) = &mut portal.run else {
            return Ok(());
        };
        let given = usize::try_from(portal.rows).unwrap_or(usize::MAX);
        if given > 0 {
            let plan = Arc::clone(execution.plan());
            let context = execution.context().clone();
            **execution = Execution::start(plan, context)?;
        }
        portal.rows = 0;
        let rows = self.fetch_forward(portal, i64::MAX).await?;
        let position = given.min(rows.len());
        portal.run = PortalRun::Stored { rows, position };
        Ok(())
    }

    /// Before a commit: cursors WITH HOLD take their remaining rows along.
    pub(super) async fn materialize_holdable_cursors(&mut self) -> Result<()> {
        let names: Vec<String> = self
            .portals
            .iter()
            .filter(|(_, portal)| portal.survives_commit() && !portal.survives_abort())
            .map(|(name, _)| name.clone())
            .collect();
        for name in names {
            let Some(mut portal) = self.portals.remove(&name) else {
                continue;
            };
            self.store_rows(&mut portal).await?;
            if let Some(cursor) = &mut portal.cursor {
                cursor.held = true;
            }
            self.portals.insert(name, portal);
        }
        Ok(())
    }

    pub(super) fn close_cursor(&mut self, name: Option<&str>) -> Result<String> {
        if let Some(name) = name {
            self.portals.remove(name).ok_or_else(|| no_cursor(name))?;
            self.refresh_cursor_rows();
            Ok("CLOSE CURSOR".to_owned())
        } else {
            self.portals.clear();
            self.refresh_cursor_rows();
            Ok("CLOSE CURSOR ALL".to_owned())
        }
    }

    /// What `pg_cursors` shows.
    pub(super) fn refresh_cursor_rows(&self) {
        let mut rows = self.shared.cursors.lock();
        rows.clear();
        rows.extend(self.portals.iter().filter_map(|(name, portal)| {
            let cursor = portal.cursor.as_ref()?;
            Some(CursorRow {
                name: name.clone(),
                statement: Arc::clone(&cursor.text),
                holdable: cursor.holdable,
                binary: cursor.binary,
                scrollable: cursor.scroll != Some(false),
                created_micros: cursor.created_micros,
            })
        }));
    }

    pub(super) fn run_prepare(&mut self, prepare: &crate::parse::Prepare) -> Result<String> {
        self.ensure_transaction();
        let name = prepare.name.text.as_str();
        if self.prepared.contains_key(name) {
            return Err(PgError::new(
                sqlstate::DUPLICATE_PSTATEMENT,
                format!("prepared statement \"{name}\" already exists"),
            ));
        }
        let types: Vec<Oid> = prepare
            .types
            .iter()
            .map(|ty| self.resolve_type_name(ty))
            .collect::<Result<_>>()?;
        let prepared = Arc::new(Prepared::new(Some(Arc::new(prepare.statement.clone())), types));
        if prepared.is_planned() {
            let catalog = self.shared.catalog();
            prepared.plan(self, &catalog)?;
        }
        self.keep_prepared(name, prepared, &prepare.statement.text, true);
        Ok("PREPARE".to_owned())
    }

    pub(super) async fn run_execute(
        &mut self,
        parsed: &Parsed,
        execute: &Execute,
        formats: &Formats,
        describe: bool,
        out: &mut dyn Output,
    ) -> Result<String> {
        let name = execute.name.text.as_str();
        let prepared = self.find_prepared(name)?;
        let Some(inner) = prepared.parsed.clone() else {
            return Err(PgError::new(
                sqlstate::INVALID_SQL_STATEMENT_NAME,
                format!("prepared statement \"{name}\" is empty"),
            ));
        };
        if !prepared.is_planned() {
            return self.run_statement(&inner, &[], formats, describe, out).await;
        }
        self.ensure_transaction();
        let catalog = self.shared.catalog();
        let plan = prepared.plan(self, &catalog)?.plan;
        if plan.param_types.len() != execute.args.len() {
            return Err(PgError::new(
                sqlstate::SYNTAX_ERROR,
                format!("wrong number of parameters for prepared statement \"{name}\""),
            )
            .detail(format!(
                "Expected {} parameters but got {}.",
                plan.param_types.len(),
                execute.args.len()
            )));
        }
        let params = self.execute_arguments(parsed, &execute.args, &plan.param_types).await?;
        self.run_query(&prepared, params.into(), formats, describe, out).await
    }

    pub(super) fn execute_columns(&mut self, name: &str) -> Result<Option<Arc<[ResultColumn]>>> {
        let prepared = self.find_prepared(name)?;
        if !prepared.is_planned() {
            return Ok(None);
        }
        let catalog = self.shared.catalog();
        Ok(prepared.plan(self, &catalog)?.described())
    }

    pub(super) fn run_deallocate(&mut self, name: Option<&str>) -> Result<String> {
        if let Some(name) = name {
            self.find_prepared(name)?;
            self.close_statement(name);
            Ok("DEALLOCATE".to_owned())
        } else {
            self.prepared.clear();
            self.shared.prepared.lock().clear();
            Ok("DEALLOCATE ALL".to_owned())
        }
    }
}

impl Session {
    /// Values of EXECUTE's arguments, in the parameters' types.
    async fn execute_arguments(&mut self, parsed: &Parsed, args: &[Expr], types: &[Oid]) -> Result<Vec<Value>> {
        let catalog = self.shared.catalog();
        let bound = self.bind_lone_expressions(parsed, args, &catalog)?;
        let settings = self.shared.type_settings();
        let env = TypeEnv {
            settings: &settings,
            names: &*self.names,
            now_micros: self.shared.now_micros(),
        };
        let none = OuterParams::new(0);
        let context = EvalContext {
            env,
            host: &*self.shared,
            params: &[],
            outer: &none,
            slots: SlotValues::none(),
            memo: None,
            case: None,
            domain: None,
        };
        bound
            .iter()
            .zip(types)
            .map(|(expr, ty)| {
                let value = crate::exec::slots::finish(eval(expr, &[], &context))?;
                match &value {
                    Value::Text(text) if expr.ty == oid::UNKNOWN => io::text_in(*ty, -1, text, &env),
                    _ if expr.ty == *ty => Ok(value),
                    _ => cast::cast(expr.ty, *ty, -1, &value, false, &env),
                }
            })
            .collect()
    }
}

impl Portal {
    /// Rows may be given as they come: nobody will ask for them again without the cursor being run again.
    fn rows_are_needed_once(&self) -> bool {
        self.cursor.is_some()
    }
}

/// Moves in stored rows as FETCH says; `position` is the current row's number, 0 before the first, `len + 1` after the
/// last (PostgreSQL 15 docs, FETCH).
fn scroll(rows: &[Row], position: &mut usize, fetch: &Fetch) -> Vec<Row> {
    let len = i64::try_from(rows.len()).unwrap_or(i64::MAX);
    let here = i64::try_from(*position).unwrap_or(i64::MAX);
    let row_at = |at: i64| usize::try_from(at - 1).ok().and_then(|at| rows.get(at)).cloned();
    let mut go = |to: i64| *position = usize::try_from(to.clamp(0, len.saturating_add(1))).unwrap_or(0);
    let (forward, count) = match (fetch.direction, fetch.count) {
        (FetchDirection::Absolute, at) => {
            let at = if at < 0 { len + 1 + at } else { at };
            go(at);
            return row_at(at).into_iter().collect();
        }
        (FetchDirection::Relative, by) => {
            let at = here.saturating_add(by);
            go(at);
            return row_at(at).into_iter().collect();
        }
        (FetchDirection::Forward, count) => (count >= 0, count.unsigned_abs()),
        (FetchDirection::Backward, count) => (count < 0, count.unsigned_abs()),
    };
    if count == 0 {
        return row_at(here).into_iter().collect();
    }
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    let mut given = Vec::new();
    if forward {
        let end = here.saturating_add(count);
        given.extend((here + 1..=end.min(len)).filter_map(row_at));
        go(if end > len { len + 1 } else { end });
    } else {
        let end = here.saturating_sub(count);
        given.extend((end.max(1)..here).rev().filter_map(row_at));
        go(end.max(0));
    }
    given
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::Name;

    fn fetch(direction: FetchDirection, count: i64) -> Fetch {
        Fetch {
            direction,
            count,
            cursor: Name {
                text: "c".into(),
                position: 0,
            },
            is_move: false,
        }
    }

    fn numbers(rows: &[Row]) -> Vec<i32> {
        rows.iter()
            .map(|row| if let Value::Int4(n) = row[0] { n } else { 0 })
            .collect()
    }

    #[test]
    fn a_stored_cursor_scrolls_as_postgresql_does() {
        use FetchDirection::{Absolute, Backward, Forward, Relative};
        let rows: Vec<Row> = (1..=5).map(|n| vec![Value::Int4(n)]).collect();
        let mut at = 0;
        let mut go = |direction, count| numbers(&scroll(&rows, &mut at, &fetch(direction, count)));
        assert_eq!(go(Forward, 2), [1, 2]);
        assert_eq!(go(Forward, 0), [2]);
        assert_eq!(go(Backward, 1), [1]);
        assert_eq!(go(Absolute, -1), [5]);
        assert_eq!(go(Forward, 1), [0; 0]);
        assert_eq!(go(Backward, Fetch::ALL), [5, 4, 3, 2, 1]);
        assert_eq!(go(Relative, 3), [3]);
        assert_eq!(go(Forward, Fetch::ALL), [4, 5]);
    }
}
