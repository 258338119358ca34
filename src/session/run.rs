//! Running one statement: relation locks, a snapshot, rows into the output, the command tag.

use std::sync::Arc;

use super::output::{Formats, Output, ResultColumn};
use super::prepared::{Planned, Prepared};
use super::session::Session;
use crate::error::{PgError, Result, sqlstate};
use crate::exec::context::ExecSession;
use crate::exec::{ExecContext, Execution};
use crate::limits;
use crate::lock::RelationMode;
use crate::parse::{Parsed, Statement};
use crate::plan::{Plan, PlanKind};
use crate::txn::{Txn, Wait};
use crate::types::Value;

impl Session {
    /// Runs one statement to its end and answers its tag. `describe`: `RowDescription` goes first (the simple protocol).
    pub(super) async fn run_statement(
        &mut self,
        parsed: &Arc<Parsed>,
        params: &[Value],
        formats: &Formats,
        describe: bool,
        out: &mut dyn Output,
    ) -> Result<String> {
        match &parsed.statement {
            Statement::Sql(_) => {
                if let Some(tag) = Box::pin(self.run_select_into(parsed)).await? {
                    return Ok(tag);
                }
                let prepared = Prepared::new(Some(Arc::clone(parsed)), Vec::new());
                self.run_query(&prepared, Arc::from(params), formats, describe, out).await
            }
            // Boxed: utility statements are many and large, and run queries in turn.
            Statement::Own(own) => Box::pin(self.run_utility(parsed, own, params, formats, describe, out)).await,
        }
    }

    /// Runs a planned query to its end.
    pub(super) async fn run_query(
        &mut self,
        prepared: &Prepared,
        params: Arc<[Value]>,
        formats: &Formats,
        describe: bool,
        out: &mut dyn Output,
    ) -> Result<String> {
        let (mut execution, columns) = self.start_query(prepared, params).await?;
        if describe && !columns.is_empty() {
            out.row_description(&columns, formats);
        }
        let mut rows = 0;
        while let Some(count) = self.give_rows(&mut execution, &columns, formats, usize::MAX, out).await? {
            rows += count;
        }
        let tag = tag(&execution, rows);
        self.finish_query(execution)?;
        Ok(tag)
    }

    /// Locks what the statement names, takes its snapshot and starts it.
    pub(super) async fn start_query(
        &mut self,
        prepared: &Prepared,
        params: Arc<[Value]>,
    ) -> Result<(Execution, Arc<[ResultColumn]>)> {
        let txn = self.ensure_transaction();
        let Planned { plan, columns } = self.locked_plan(prepared, &txn).await?;
        self.check_read_only(&plan, &txn)?;
        let context = self.exec_context(&plan, &txn, params)?;
        Ok((Execution::start(plan, context)?, columns))
    }

    /// The plan, with all its relation locks held and still right after they were waited for.
    async fn locked_plan(&mut self, prepared: &Prepared, txn: &Arc<Txn>) -> Result<Planned> {
        let timeouts = self.shared.lock_timeouts();
        loop {
            let catalog = self.shared.catalog();
            let planned = prepared.plan(self, &catalog)?;
            for relation in &planned.plan.relations {
                txn.lock_relation(relation.oid, relation.mode, Wait::Block, &timeouts).await?;
            }
            let now = self.shared.catalog();
            if Arc::ptr_eq(&now, &catalog) || planned.plan.is_valid(&now) {
                return Ok(planned);
            }
        }
    }

    fn check_read_only(&self, plan: &Plan, txn: &Txn) -> Result<()> {
        if !txn.options().read_only || !(plan.writes || plan.locks_rows) {
            return Ok(());
        }
        let what = match plan.kind {
            PlanKind::Insert => "INSERT",
            PlanKind::Update => "UPDATE",
            PlanKind::Delete => "DELETE",
            PlanKind::Select if plan.locks_rows => locking_name(plan),
            PlanKind::Select => "SELECT",
        };
        // Temporary tables may be written in read-only transactions.
        let catalog = self.shared.catalog();
        let permanent = plan.relations.iter().any(|relation| {
            relation.mode >= RelationMode::RowShare && catalog.table(relation.oid).is_none_or(|table| !table.temporary)
        });
        if permanent {
            return Err(PgError::new(
                sqlstate::READ_ONLY_SQL_TRANSACTION,
                format!("cannot execute {what} in a read-only transaction"),
            ));
        }
        Ok(())
    }

    /// What an execution carries from this session.
    pub(super) fn exec_context(&self, plan: &Arc<Plan>, txn: &Arc<Txn>, params: Arc<[Value]>) -> Result<ExecContext> {
        let work_mem_kb = self.shared.settings.lock().integer("work_mem");
        let session = ExecSession {
            txn: Arc::clone(txn),
            view: txn.statement_view()?,
            params,
            settings: self.shared.type_settings(),
            names: self.names.clone(),
            host: self.shared.clone(),
            catalog: self.shared.catalog(),
            cancel: Arc::clone(&self.shared.link.cancel),
            timeouts: self.shared.lock_timeouts(),
            now_micros: self.shared.now_micros(),
            work_mem: usize::try_from(work_mem_kb).unwrap_or(4096) * 1024,
        };
        Ok(ExecContext::new(plan, session))
    }

    /// Gives up to `limit` rows to the output. `None` when there are no more; else how many were given.
    pub(super) async fn give_rows(
        &mut self,
        execution: &mut Execution,
        columns: &Arc<[ResultColumn]>,
        formats: &Formats,
        limit: usize,
        out: &mut dyn Output,
    ) -> Result<Option<u64>> {
        if execution.is_done() {
            return Ok(None);
        }
        let batch = execution.next_batch(limit.min(limits::BATCH_ROWS_MAX)).await?;
        let settings = self.shared.type_settings();
        let env = crate::types::TypeEnv {
            settings: &settings,
            names: &*self.names,
            now_micros: self.shared.now_micros(),
        };
        for row in batch.rows() {
            out.row(columns, formats, row, &env)?;
        }
        let count = batch.len() as u64;
        out.pressure().await?;
        Ok(Some(count))
    }

    /// A statement is over: what it wrote is seen by the next one.
    pub(super) fn finish_query(&mut self, execution: Execution) -> Result<()> {
        drop(execution);
        if let Some(txn) = &self.txn {
            txn.next_command();
        }
        Ok(())
    }
}

pub(super) fn locking_name(plan: &Plan) -> &'static str {
    use crate::lock::RecordMode;
    match plan.strongest_row_lock() {
        Some(RecordMode::KeyShare) => "SELECT FOR KEY SHARE",
        Some(RecordMode::Share) => "SELECT FOR SHARE",
        Some(RecordMode::NoKeyUpdate) => "SELECT FOR NO KEY UPDATE",
        Some(RecordMode::Update) | None => "SELECT FOR UPDATE",
    }
}

/// The command tag (PostgreSQL 15 docs, 55.7, `CommandComplete`).
pub(super) fn tag(execution: &Execution, rows: u64) -> String {
    match execution.plan().kind {
        PlanKind::Select => format!("SELECT {rows}"),
        PlanKind::Insert => format!("INSERT 0 {}", execution.affected()),
        PlanKind::Update => format!("UPDATE {}", execution.affected()),
        PlanKind::Delete => format!("DELETE {}", execution.affected()),
    }
}
