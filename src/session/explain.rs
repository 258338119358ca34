//! EXPLAIN: the plan's text, with what really happened for ANALYZE.

use std::sync::Arc;

use super::output::{Formats, Output, ResultColumn};
use super::prepared::Prepared;
use super::session::Session;
use super::utility::text_columns;
use crate::error::{PgError, Result, sqlstate};
use crate::parse::{Explain, OptionItem, OwnStatement, Parsed, Statement};
use crate::plan::explain::{self, ExplainOptions};
use crate::types::Value;

/// EXPLAIN's options.
#[derive(Clone, Copy, Debug, Default)]
struct Options {
    analyze: bool,
    verbose: bool,
    costs: Option<bool>,
    timing: Option<bool>,
    summary: Option<bool>,
}

/// The one column of EXPLAIN's answer.
pub(super) fn columns(_: &Explain) -> Arc<[ResultColumn]> {
    text_columns(&["QUERY PLAN"])
}

fn read(items: &[OptionItem]) -> Result<Options> {
    let mut options = Options::default();
    for item in items {
        let text = item.value.as_deref().map(str::to_ascii_lowercase);
        let on = || match &text {
            None => Ok(true),
            Some(text) => crate::config::parse_bool(text)
                .ok_or_else(|| PgError::new(sqlstate::SYNTAX_ERROR, format!("{} requires a Boolean value", item.name))),
        };
        match item.name.as_str() {
            "analyze" => options.analyze = on()?,
            "verbose" => options.verbose = on()?,
            "costs" => options.costs = Some(on()?),
            "timing" => options.timing = Some(on()?),
            "summary" => options.summary = Some(on()?),
            "buffers" | "wal" | "settings" if !on()? => {}
            "buffers" | "wal" | "settings" => {}
            "format" => match text.as_deref() {
                Some("text") => {}
                other => {
                    return Err(PgError::unsupported(format!(
                        "EXPLAIN (FORMAT {})",
                        other.unwrap_or_default()
                    )));
                }
            },
            other => {
                return Err(PgError::new(
                    sqlstate::SYNTAX_ERROR,
                    format!("unrecognized EXPLAIN option \"{other}\""),
                ));
            }
        }
    }
    Ok(options)
}

impl Session {
    pub(super) async fn run_explain(
        &mut self,
        explain: &Explain,
        params: &[Value],
        formats: &Formats,
        describe: bool,
        out: &mut dyn Output,
    ) -> Result<String> {
        let options = read(&explain.options)?;
        let inner: Arc<Parsed> = Arc::new(explain.statement.clone());
        let prepared = match &inner.statement {
            Statement::Sql(_) => Arc::new(Prepared::new(Some(inner), Vec::new())),
            Statement::Own(OwnStatement::Execute(execute)) => self.find_prepared(&execute.name.text)?,
            Statement::Own(OwnStatement::Declare(declare)) => {
                Arc::new(Prepared::new(Some(Arc::new(declare.query.clone())), Vec::new()))
            }
            Statement::Own(other) => return Err(PgError::unsupported(format!("EXPLAIN of {}", other.tag()))),
        };
        let began = std::time::Instant::now();
        let (mut execution, _) = self.start_query(&prepared, Arc::from(params)).await?;
        let planning = began.elapsed();
        let mut ran = None;
        if options.analyze {
            execution = execution.instrumented();
            let began = std::time::Instant::now();
            while !execution.is_done() {
                execution.next_batch(crate::limits::BATCH_ROWS_MAX).await?;
            }
            ran = Some(began.elapsed());
        }
        let shown = ExplainOptions {
            verbose: options.verbose,
            costs: options.costs.unwrap_or(true),
            timing: options.timing.unwrap_or(options.analyze),
            summary: options.summary.unwrap_or(options.analyze),
        };
        let actual = execution.actual();
        let mut lines = explain::explain(execution.plan(), shown, actual.as_deref());
        if options.summary.unwrap_or(options.analyze) {
            lines.push(format!("Planning Time: {:.3} ms", planning.as_secs_f64() * 1e3));
            if let Some(ran) = ran {
                lines.push(format!("Execution Time: {:.3} ms", ran.as_secs_f64() * 1e3));
            }
        }
        let rows: Vec<Vec<Value>> = lines.into_iter().map(|line| vec![Value::text(line)]).collect();
        self.finish_query(execution)?;
        self.give_table(&columns(explain), &rows, formats, describe, out)?;
        Ok("EXPLAIN".to_owned())
    }
}
