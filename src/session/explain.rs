//! EXPLAIN: the plan's text, with what really happened for ANALYZE.

use std::sync::Arc;

use super::output::{Formats, Output, ResultColumn};
use super::prepared::Prepared;
use super::session::Session;
use super::utility::text_columns;
use crate::error::{PgError, Result, sqlstate};
use crate::exec::Execution;
use crate::parse::{Explain, OptionItem, OwnStatement, Parsed, Statement};
use crate::plan::explain;
use crate::types::{Value, oid};

/// EXPLAIN's options.
#[derive(Clone, Copy, Debug, Default)]
struct Options {
    analyze: bool,
    verbose: bool,
    costs: Option<bool>,
    timing: Option<bool>,
    summary: Option<bool>,
    json: bool,
}

/// The one column of EXPLAIN's answer.
pub(super) fn columns(explain: &Explain) -> Arc<[ResultColumn]> {
    let json = explain.options.iter().any(|one| one.name == "format" && one.value_text().as_deref() == Some("json"));
    let mut columns = text_columns(&["QUERY PLAN"]).to_vec();
    if json {
        columns[0].ty = oid::JSON;
    }
    columns.into()
}

fn read(items: &[OptionItem]) -> Result<Options> {
    let mut options = Options::default();
    for item in items {
        let text = item.value_text();
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
                Some("json") => options.json = true,
                other => {
                    return Err(PgError::unsupported(format!("EXPLAIN (FORMAT {})", other.unwrap_or_default())));
                }
            },
            other => {
                return Err(PgError::new(sqlstate::SYNTAX_ERROR, format!("unrecognized EXPLAIN option \"{other}\"")));
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
            execution = Execution::instrumented(execution)?;
            let began = std::time::Instant::now();
            while !execution.is_done() {
                execution.next_batch(crate::limits::BATCH_ROWS_MAX).await?;
            }
            ran = Some(began.elapsed());
        }
        let style = explain::Style {
            verbose: options.verbose,
            costs: options.costs.unwrap_or(true),
            timing: options.timing.unwrap_or(options.analyze),
            summary: options.summary.unwrap_or(options.analyze),
            json: options.json,
        };
        let lines = explain::lines(execution.plan(), &style, execution.instrument(), planning, ran);
        let rows: Vec<Vec<Value>> = lines.into_iter().map(|line| vec![Value::text(line)]).collect();
        self.finish_query(execution)?;
        self.give_table(&columns(explain), &rows, formats, describe, out)?;
        Ok("EXPLAIN".to_owned())
    }
}
