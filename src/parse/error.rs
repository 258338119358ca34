//! From sqlparser's errors to PostgreSQL's.

use sqlparser::parser::ParserError;

use crate::error::{PgError, SqlState, sqlstate};

/// Marks an error of ours inside `ParserError`, which carries only text.
const OURS: char = '\u{1}';

/// Carries an error of ours through sqlparser.
pub(crate) fn fail(error: &PgError) -> ParserError {
    let fields = error.fields();
    let position = fields.position.unwrap_or(0);
    let hint = fields.hint.as_deref().unwrap_or("");
    ParserError::ParserError(format!(
        "{OURS}{}{OURS}{position}{OURS}{}{OURS}{hint}",
        fields.code.as_str(),
        fields.message
    ))
}

/// 42601 with a text of its own.
pub(crate) fn syntax(message: &str, position: u32) -> ParserError {
    fail(&PgError::new(sqlstate::SYNTAX_ERROR, message).at(position))
}

/// `syntax error at or near` the token at this position; 0 is the end of the statement.
pub(crate) fn syntax_error_at(position: u32) -> ParserError {
    ParserError::ParserError(format!("{OURS}near{OURS}{position}{OURS}{OURS}"))
}

/// As [`syntax_error_at`], and no later look at the tokens may move it.
pub(crate) fn exact_syntax_error_at(position: u32) -> ParserError {
    ParserError::ParserError(format!("{OURS}exact{OURS}{position}{OURS}{OURS}"))
}

/// What went wrong, once sqlparser's text is read.
pub(crate) enum Failure {
    /// Syntax error at the token of this position; 0 at the end.
    Near(u32),
    /// As `Near`, by a parser that knows.
    Exact(u32),
    /// Syntax error at the end of the statement that ends at this position.
    End(u32),
    Other(PgError),
}

pub(crate) fn failure(error: &ParserError) -> Failure {
    let text = match error {
        ParserError::RecursionLimitExceeded => return Failure::Other(PgError::too_deep()),
        ParserError::ParserError(text) | ParserError::TokenizerError(text) => text,
    };
    if text.starts_with(OURS) {
        return ours(text);
    }
    let position = text.rfind("Column: ").and_then(|at| text[at + 8..].parse().ok());
    Failure::Near(position.unwrap_or(0))
}

fn ours(text: &str) -> Failure {
    let mut parts = text.split(OURS).skip(1);
    let mut part = || parts.next().unwrap_or("");
    let (code, position, message, hint) = (part(), part(), part(), part());
    let position = position.parse().unwrap_or(0);
    match code {
        "near" => return Failure::Near(position),
        "exact" => return Failure::Exact(position),
        _ => {}
    }
    let code: [u8; 5] = code.as_bytes().try_into().unwrap_or(*b"42601");
    let mut error = PgError::new(SqlState(code), message).at(position);
    if !hint.is_empty() {
        error = error.hint(hint);
    }
    Failure::Other(error)
}
