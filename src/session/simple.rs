//! The simple query protocol: a string of statements, run as one implicit transaction.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::block::Block;
use super::output::{Format, Formats, Output};
use super::session::Session;
use super::shared::State;
use crate::cancel::Reason;
use crate::error::{PgError, Result, sqlstate};
use crate::parse::{self, OwnStatement, Parsed, Statement};

impl Session {
    /// Runs a query string and answers everything but `ReadyForQuery`. An error has already been undone when it is returned.
    pub async fn simple_query(&mut self, sql: &str, out: &mut dyn Output) -> Result<()> {
        self.start_command(sql);
        let done = self.run_string(sql, out).await;
        if done.is_err() {
            self.statement_failed();
        }
        self.rest();
        done
    }

    async fn run_string(&mut self, sql: &str, out: &mut dyn Output) -> Result<()> {
        let statements = parse::parse(sql)?;
        if statements.is_empty() {
            out.empty_query();
            return Ok(());
        }
        let count = statements.len();
        for (index, parsed) in statements.into_iter().enumerate() {
            let last = index + 1 == count;
            let tag = self.run_one(Arc::new(parsed), out).await?;
            // The commit comes before the tag: a commit that fails must not look like success.
            if last && self.block == Block::Implicit {
                self.commit_transaction().await?;
            }
            self.drain_notices(out);
            out.complete(&tag);
            out.pressure().await?;
        }
        Ok(())
    }

    async fn run_one(&mut self, parsed: Arc<Parsed>, out: &mut dyn Output) -> Result<String> {
        self.refuse_in_failed_block(&parsed)?;
        let formats = Formats::All(Format::Text);
        let limit = self.statement_timeout();
        let shared = Arc::clone(&self.shared);
        with_timeout(limit, &shared, self.run_statement(&parsed, &[], &formats, true, out)).await
    }

    /// A message arrived: what functions call the statement's start, and what `pg_stat_activity` shows.
    pub(super) fn start_command(&mut self, sql: &str) {
        self.shared.cancel().clear_statement();
        let now = self.shared.instance.engine.clock.now_micros();
        self.shared.statement_micros.store(now, Ordering::Relaxed);
        let mut activity = self.shared.activity.lock();
        activity.state = State::Active;
        activity.state_change = now;
        activity.query_start = Some(now);
        if &*activity.query != sql {
            activity.query = Arc::from(sql);
        }
    }

    /// The session waits for its client again.
    pub(super) fn rest(&mut self) {
        self.shared.set_state(match self.block {
            Block::Idle | Block::Implicit => State::Idle,
            Block::Explicit => State::IdleInTransaction,
            Block::Failed => State::IdleInFailedTransaction,
        });
    }

    pub(super) fn statement_timeout(&self) -> Option<std::time::Duration> {
        let millis = self.shared.settings.lock().integer("statement_timeout");
        u64::try_from(millis)
            .ok()
            .filter(|ms| *ms > 0)
            .map(std::time::Duration::from_millis)
    }

    /// 25P02 for what a failed block does not take.
    pub(super) fn refuse_in_failed_block(&self, parsed: &Parsed) -> Result<()> {
        if self.block == Block::Failed && !ends_failed_block(parsed) {
            return Err(PgError::new(
                sqlstate::IN_FAILED_SQL_TRANSACTION,
                "current transaction is aborted, commands ignored until end of transaction block",
            ));
        }
        Ok(())
    }
}

/// Runs a statement; past the limit its cancel flag is raised, and it is still awaited to its end.
pub(super) async fn with_timeout<T>(
    limit: Option<std::time::Duration>,
    shared: &super::SessionShared,
    statement: impl Future<Output = T>,
) -> T {
    let Some(limit) = limit else { return statement.await };
    let mut statement = pin!(statement);
    tokio::select! {
        biased;
        done = &mut statement => return done,
        () = tokio::time::sleep(limit) => shared.cancel().raise(Reason::StatementTimeout),
    }
    statement.await
}

/// ROLLBACK, COMMIT and ROLLBACK TO: all that a failed block takes.
fn ends_failed_block(parsed: &Parsed) -> bool {
    matches!(
        parsed.statement,
        Statement::Own(
            OwnStatement::Commit { .. }
                | OwnStatement::Rollback { .. }
                | OwnStatement::RollbackTo(_)
                | OwnStatement::PrepareTransaction(_)
        )
    )
}
