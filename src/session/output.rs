//! Where a session's answers go. The wire implements it; tests collect.

use async_trait::async_trait;
use bytes::Bytes;

use crate::error::{PgError, Result};
use crate::ids::Oid;
use crate::types::{TypeEnv, Value};

/// A result column as `RowDescription` tells it.
#[derive(Clone, Debug)]
pub struct ResultColumn {
    pub name: smol_str::SmolStr,
    pub ty: Oid,
    pub typmod: i32,
    /// Table and attnum, or zeros.
    pub table: Oid,
    pub attnum: i16,
}

/// Text or binary, as a client asks for a column or sends a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Text,
    Binary,
}

/// Formats of result columns: one for all, or one each.
#[derive(Clone, Debug)]
pub enum Formats {
    All(Format),
    Each(Vec<Format>),
}

impl Formats {
    pub fn of(&self, column: usize) -> Format {
        match self {
            Formats::All(format) => *format,
            Formats::Each(formats) => formats.get(column).copied().unwrap_or(Format::Text),
        }
    }
}

/// A sink for everything that a statement answers. Writes only buffer; [`Output::pressure`] sends when much is
/// waiting, and nothing is sent before what it shows is durable.
#[async_trait]
pub trait Output: Send {
    fn row_description(&mut self, columns: &[ResultColumn], formats: &Formats);
    fn row(&mut self, columns: &[ResultColumn], formats: &Formats, row: &[Value], env: &TypeEnv<'_>) -> Result<()>;
    fn complete(&mut self, tag: &str);
    fn empty_query(&mut self);
    fn notice(&mut self, notice: &PgError);
    fn parameter_status(&mut self, name: &str, value: &str);
    /// Sends what is buffered if it is much. Errors only when the client is gone.
    async fn pressure(&mut self) -> Result<()>;
    fn copy_in_start(&mut self, binary: bool, columns: usize);
    /// The next piece of COPY data; `None` at its end. `CopyFail` is 57014 `COPY from stdin failed: ...`.
    async fn copy_in_next(&mut self) -> Result<Option<Bytes>>;
    fn copy_out_start(&mut self, binary: bool, columns: usize);
    fn copy_out_data(&mut self, data: &[u8]);
    fn copy_out_end(&mut self);
}
