//! COPY between a table or query and a stream of bytes.
//!
//! ```text
//! source ─► lines ─► fields ─► values ─► checks ─► bulk file (new, unindexed table) or row by row
//! ```
//!
//! Rows go past the transaction's buffer where the table was made (or emptied) in the same transaction and nothing has to
//! be looked up for a row.

mod binary;
mod fields;
mod from;
mod lines;
mod options;
mod to;

use async_trait::async_trait;
use bytes::Bytes;
use smol_str::SmolStr;

pub use from::copy_in;
pub use to::copy_out;

use super::ddl::DdlContext;
use crate::catalog::Table;
use crate::error::{PgError, Result, sqlstate};
use crate::parse::{CopyTarget, Name};

/// Where COPY FROM reads.
#[async_trait]
pub trait CopySource: Send {
    /// Asks for data: `columns` of them, in text (CSV too) or binary form.
    fn start(&mut self, binary: bool, columns: usize);
    /// The next piece; `None` at the end.
    async fn next(&mut self) -> Result<Option<Bytes>>;
}

/// Where COPY TO writes.
#[async_trait]
pub trait CopySink: Send {
    fn start(&mut self, binary: bool, columns: usize);
    /// One row (or header, or trailer).
    fn data(&mut self, data: &[u8]);
    /// Sends what is buffered if it is much.
    async fn pressure(&mut self) -> Result<()>;
}

/// 22P04.
fn bad_format(message: impl Into<String>) -> PgError {
    PgError::new(sqlstate::BAD_COPY_FILE_FORMAT, message)
}

fn only_client(target: &CopyTarget) -> Result<()> {
    match target {
        CopyTarget::Client => Ok(()),
        CopyTarget::File(_) => Err(PgError::unsupported("COPY with a file of the server")),
        CopyTarget::Program(_) => Err(PgError::unsupported("COPY with a program")),
    }
}

/// Places of the columns that take part: those named, else all but generated ones.
fn columns_of(table: &Table, names: &[Name]) -> Result<Vec<usize>> {
    if names.is_empty() {
        return Ok(table
            .live_columns()
            .filter(|(_, column)| column.generated.is_none())
            .map(|(at, _)| at)
            .collect());
    }
    let mut places = Vec::with_capacity(names.len());
    for name in names {
        let Some((at, column)) = table.column(&name.text) else {
            return Err(no_column(&name.text, &table.name));
        };
        if column.generated.is_some() {
            return Err(PgError::new(
                sqlstate::INVALID_COLUMN_REFERENCE,
                format!("column \"{name}\" is a generated column"),
            )
            .detail("Generated columns cannot be used in COPY."));
        }
        if places.contains(&at) {
            return Err(PgError::new(
                sqlstate::DUPLICATE_COLUMN,
                format!("column \"{name}\" specified more than once"),
            ));
        }
        places.push(at);
    }
    Ok(places)
}

fn no_column(column: &str, table: &str) -> PgError {
    PgError::new(
        sqlstate::UNDEFINED_COLUMN,
        format!("column \"{column}\" of relation \"{table}\" does not exist"),
    )
}

/// Rights on a table are its owner's.
fn may_use(ctx: &DdlContext<'_>, table: &Table) -> Result<()> {
    if ctx.superuser || ctx.catalog().is_member(ctx.role, table.owner) {
        return Ok(());
    }
    Err(PgError::new(
        sqlstate::INSUFFICIENT_PRIVILEGE,
        format!("permission denied for table {}", table.name),
    ))
}

/// Which of the columns are in a FORCE_... list. `unknown` makes the error for another name.
fn forced(list: &options::Columns, names: &[SmolStr], unknown: impl Fn(&str) -> PgError) -> Result<Vec<bool>> {
    match list {
        options::Columns::None => Ok(vec![false; names.len()]),
        options::Columns::All => Ok(vec![true; names.len()]),
        options::Columns::Some(list) => {
            let mut out = vec![false; names.len()];
            for name in list {
                let at = names.iter().position(|one| *one == name.text);
                out[at.ok_or_else(|| unknown(&name.text))?] = true;
            }
            Ok(out)
        }
    }
}

/// A column in a FORCE_... list that the table has not, or that is not copied.
fn not_copied(table: &Table, column: &str, option: &str) -> PgError {
    if table.column(column).is_none() {
        return no_column(column, &table.name);
    }
    PgError::new(
        sqlstate::INVALID_COLUMN_REFERENCE,
        format!("{option} column \"{column}\" not referenced by COPY"),
    )
}
