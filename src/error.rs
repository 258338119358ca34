//! The one error type that every floor speaks: PostgreSQL's fields, SQLSTATE first.
//!
//! Build one with [`PgError::new`] and a constant of [`sqlstate`], then add what PostgreSQL adds:
//!
//! ```
//! use holdfast::error::{PgError, sqlstate};
//! let error = PgError::new(sqlstate::LOCK_NOT_AVAILABLE, "could not obtain lock on row in relation \"acct\"");
//! assert_eq!(error.code().as_str(), "55P03");
//! ```

use std::fmt;

pub mod sqlstate;
pub use sqlstate::SqlState;

/// What every fallible call of this crate answers with.
pub type Result<T, E = PgError> = std::result::Result<T, E>;

/// Severity of an error or notice, as the wire protocol names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    Debug,
    Log,
    Info,
    Notice,
    Warning,
    Error,
    Fatal,
    Panic,
}

impl Severity {
    /// The word that goes into the `S` and `V` fields.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Debug => "DEBUG",
            Severity::Log => "LOG",
            Severity::Info => "INFO",
            Severity::Notice => "NOTICE",
            Severity::Warning => "WARNING",
            Severity::Error => "ERROR",
            Severity::Fatal => "FATAL",
            Severity::Panic => "PANIC",
        }
    }
}

/// An error or notice with PostgreSQL's fields. One pointer wide, so that `Result<Value>` stays small.
#[derive(Clone)]
pub struct PgError(Box<Fields>);

/// The fields of an error, as in PostgreSQL 15 docs, 55.8.
#[derive(Clone, Debug)]
pub struct Fields {
    pub severity: Severity,
    pub code: SqlState,
    pub message: String,
    pub detail: Option<String>,
    pub hint: Option<String>,
    /// Character (not byte) position in the statement's text, from 1.
    pub position: Option<u32>,
    /// Position in `internal_query`, from 1.
    pub internal_position: Option<u32>,
    pub internal_query: Option<String>,
    /// The `W` field: context, innermost first, a line each.
    pub context: Option<String>,
    pub schema: Option<String>,
    pub table: Option<String>,
    pub column: Option<String>,
    pub data_type: Option<String>,
    pub constraint: Option<String>,
}

impl PgError {
    pub fn new(code: SqlState, message: impl Into<String>) -> Self {
        PgError(Box::new(Fields {
            severity: Severity::Error,
            code,
            message: message.into(),
            detail: None,
            hint: None,
            position: None,
            internal_position: None,
            internal_query: None,
            context: None,
            schema: None,
            table: None,
            column: None,
            data_type: None,
            constraint: None,
        }))
    }

    /// 0A000: a feature that PostgreSQL has and holdfast does not have; names it.
    pub fn unsupported(feature: impl fmt::Display) -> Self {
        PgError::new(
            sqlstate::FEATURE_NOT_SUPPORTED,
            format!("{feature} is not supported by holdfast"),
        )
    }

    /// 54001, as PostgreSQL words it.
    pub fn too_deep() -> Self {
        Self::new(sqlstate::STATEMENT_TOO_COMPLEX, "stack depth limit exceeded").hint(
            "Increase the configuration parameter \"max_stack_depth\" (currently 2048kB), after ensuring the platform's stack depth limit is adequate.",
        )
    }

    /// XX000: a broken invariant met where only the statement has to fail.
    pub fn internal(message: impl Into<String>) -> Self {
        PgError::new(sqlstate::INTERNAL_ERROR, message)
    }

    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.0.severity = severity;
        self
    }

    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.0.detail = Some(detail.into());
        self
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// Sets the position (characters, from 1) unless one is set already or `position` is 0.
    #[must_use]
    pub fn at(mut self, position: u32) -> Self {
        if self.0.position.is_none() && position > 0 {
            self.0.position = Some(position);
        }
        self
    }

    #[must_use]
    pub fn context(mut self, line: impl Into<String>) -> Self {
        let line = line.into();
        self.0.context = Some(match self.0.context.take() {
            Some(inner) => format!("{inner}\n{line}"),
            None => line,
        });
        self
    }

    #[must_use]
    pub fn table(mut self, schema: impl Into<String>, table: impl Into<String>) -> Self {
        self.0.schema = Some(schema.into());
        self.0.table = Some(table.into());
        self
    }

    #[must_use]
    pub fn column(mut self, column: impl Into<String>) -> Self {
        self.0.column = Some(column.into());
        self
    }

    #[must_use]
    pub fn data_type(mut self, schema: impl Into<String>, name: impl Into<String>) -> Self {
        self.0.schema = Some(schema.into());
        self.0.data_type = Some(name.into());
        self
    }

    #[must_use]
    pub fn constraint(mut self, constraint: impl Into<String>) -> Self {
        self.0.constraint = Some(constraint.into());
        self
    }

    pub fn code(&self) -> SqlState {
        self.0.code
    }

    pub fn message(&self) -> &str {
        &self.0.message
    }

    pub fn fields(&self) -> &Fields {
        &self.0
    }

    pub fn fields_mut(&mut self) -> &mut Fields {
        &mut self.0
    }

    pub fn is_fatal(&self) -> bool {
        matches!(self.0.severity, Severity::Fatal | Severity::Panic)
    }
}

impl fmt::Debug for PgError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for PgError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} ({})",
            self.0.severity.as_str(),
            self.0.message,
            self.0.code.as_str()
        )?;
        if let Some(detail) = &self.0.detail {
            write!(f, " DETAIL: {detail}")?;
        }
        Ok(())
    }
}

impl std::error::Error for PgError {}
