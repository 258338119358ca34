#![doc = include_str!("README.md")]

mod chains;
mod check;
mod cursor;
mod diagnose;
mod dialect;
mod error;
mod expr;
mod forms;
mod infix;
mod keywords;
mod lexer;
mod merge;
mod names;
mod own;
mod rewrite;
mod types;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use sqlparser::ast::{DataType, Expr, Ident, ObjectName, Query, Statement as SqlStatement};
use sqlparser::keywords::Keyword;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Location, Span, Token, TokenWithSpan};

pub use cursor::position_of;
pub use keywords::Category;
pub use names::{Name, QName, ident_name, qname_of, quote_identifier};
pub use own::ast::*;
pub use own::ddl::*;
pub use rewrite::{
    IndexElement, LockStrength, LockWait, LockingClause, NO_ALIAS, ROWS_FROM, SideTables, TargetElement, TargetStep,
};
pub use types::{INTERVAL_FULL_RANGE, TypeName, type_name_of};

use crate::error::{PgError, Result, sqlstate};
use crate::limits::NESTING_MAX;
use cursor::{Cursor, PResult};
use dialect::HoldfastDialect;
use error::Failure;
use rewrite::Mark;

/// One parsed statement.
#[derive(Clone, Debug)]
pub struct Parsed {
    pub statement: Statement,
    /// This statement's own source text, without the semicolon.
    pub text: Arc<str>,
    /// Characters of the whole query string before `text`. Positions in the tree count from the whole string.
    pub offset: u32,
    /// What the token pass put aside; shared with statements inside this one.
    pub side: Arc<SideTables>,
    /// Notices of the lexer (names cut to 63 bytes), on the first statement of a string.
    pub notices: Vec<PgError>,
}

/// A statement: sqlparser's (queries, INSERT, UPDATE, DELETE, MERGE) or ours (everything else).
#[derive(Clone, Debug)]
pub enum Statement {
    Sql(Box<SqlStatement>),
    Own(OwnStatement),
}

impl Parsed {
    /// PostgreSQL's position (characters from 1 in the whole query string) of a location in the tree; 0 if unknown.
    #[allow(clippy::unused_self)] // callers need not know that a location is a position already
    pub fn position(&self, location: Location) -> u32 {
        u32::try_from(location.column).unwrap_or(0)
    }

    /// The locking clauses of a query node of this statement, in order.
    pub fn locking_of(&self, query: &Query) -> Vec<LockingClause> {
        self.side.locking_of(query)
    }

    /// The inference elements behind an ON CONFLICT column list that is not plain columns.
    pub fn conflict_elements(&self, columns: &[Ident]) -> Option<&[IndexElement]> {
        let [only] = columns else {
            return None;
        };
        self.side
            .conflicts
            .get(Mark::Conflict.index_of(&only.value)?)
            .map(Vec::as_slice)
    }

    /// The element or field assignment behind an UPDATE's target or an INSERT's column, when it is not a plain name.
    pub fn target_element(&self, target: &ObjectName) -> Option<&TargetElement> {
        let [only] = target.0.as_slice() else {
            return None;
        };
        self.side.targets.get(Mark::Target.index_of(&only.as_ident()?.value)?)
    }
}

/// As [`Parsed::locking_of`].
pub fn locking_of(parsed: &Parsed, query: &Query) -> Vec<LockingClause> {
    parsed.locking_of(query)
}

/// The cursor of `WHERE CURRENT OF cursor`, if the expression is that: an identifier or a parameter.
pub fn current_of(expr: &Expr) -> Option<&Expr> {
    use sqlparser::ast::{FunctionArg, FunctionArgExpr, FunctionArguments};
    let Expr::Function(function) = expr else {
        return None;
    };
    let name = function.name.0.first()?.as_ident()?;
    if name.value != "\u{1}current_of" {
        return None;
    }
    match &function.args {
        FunctionArguments::List(list) => match list.args.first()? {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(cursor)) => Some(cursor),
            _ => None,
        },
        _ => None,
    }
}

/// Whether the expression is the key word DEFAULT (in VALUES and SET; anywhere else 42601 is due).
pub fn is_default(expr: &Expr) -> bool {
    matches!(expr, Expr::Identifier(ident) if ident.quote_style.is_none() && ident.value == "default")
}

/// Splits and parses a string of statements; empty ones are dropped. An error anywhere fails the whole string.
///
/// # Errors
/// 42601 and the lexer's errors, with PostgreSQL's text and position; 54001 for nesting; 0A000 for a few forms that
/// the tree cannot hold.
pub fn parse(sql: &str) -> Result<Vec<Parsed>> {
    let mut lexed = lexer::lex_lazily(sql);
    let source = Source {
        sql,
        ascii: sql.is_ascii(),
    };
    let mut notices = std::mem::take(&mut lexed.notices);
    let mut statements = Vec::with_capacity(1);
    for tokens in split(lexed.tokens) {
        if tokens.is_empty() {
            continue;
        }
        match (parse_one(tokens, &source), lexed.error.take()) {
            (Ok(mut parsed), error) => {
                parsed.notices = std::mem::take(&mut notices);
                statements.push(parsed);
                lexed.error = error;
            }
            (Err(Failure::End(_) | Failure::Near(0)), Some(error)) => return Err(error),
            (Err(failure), _) => return Err(widen(sql, failure)),
        }
    }
    match lexed.error {
        Some(error) => Err(error),
        None => Ok(statements),
    }
}

/// Parses one statement of a string (the extended protocol takes one).
///
/// # Errors
/// As [`parse`]; 42601 if there is more than one statement.
pub fn parse_single(sql: &str) -> Result<Option<Parsed>> {
    let mut statements = parse(sql)?;
    if statements.len() > 1 {
        return Err(PgError::new(
            sqlstate::SYNTAX_ERROR,
            "cannot insert multiple commands into a prepared statement",
        ));
    }
    Ok(statements.pop())
}

/// Parses an expression (a default or a check from the catalog).
///
/// # Errors
/// As [`parse`].
#[allow(clippy::redundant_closure_for_method_calls)] // the method is for one lifetime
pub fn parse_expression(sql: &str) -> Result<Expr> {
    parse_part(sql, |p| p.parse_expr())
}

/// Parses a type name.
///
/// # Errors
/// As [`parse`].
#[allow(clippy::redundant_closure_for_method_calls)] // the method is for one lifetime
pub fn parse_type_name(sql: &str) -> Result<DataType> {
    parse_part(sql, |p| p.parse_data_type())
}

/// Parses a type name with SETOF and %TYPE, as `regtype` and function signatures need it.
///
/// # Errors
/// As [`parse`].
pub fn parse_type(sql: &str) -> Result<TypeName> {
    parse_part(sql, types::parse_type_name)
}

/// Parses a query (a view's definition from the catalog).
///
/// # Errors
/// As [`parse`]; 42601 if it is not one query.
pub fn parse_query(sql: &str) -> Result<Parsed> {
    match parse_single(sql)? {
        Some(parsed) if matches!(&parsed.statement, Statement::Sql(s) if matches!(**s, SqlStatement::Query(_))) => Ok(parsed),
        _ => Err(PgError::new(sqlstate::SYNTAX_ERROR, "a query was expected")),
    }
}

/// Parses a name that may be qualified and quoted, as `regclass` input does.
///
/// # Errors
/// 42602, as PostgreSQL's `stringToQualifiedNameList`.
pub fn parse_qualified_name(text: &str) -> Result<QName> {
    let invalid = || PgError::new(sqlstate::INVALID_NAME, "invalid name syntax");
    let lexed = lexer::lex(text).map_err(|_| invalid())?;
    let mut parts = Vec::new();
    let mut want_name = true;
    for token in &lexed.tokens {
        match (&token.token, want_name) {
            (Token::Word(word), true) => parts.push(word.value.as_str().into()),
            (Token::Period, false) => {}
            _ => return Err(invalid()),
        }
        want_name = !want_name;
    }
    if want_name {
        Err(invalid())
    } else {
        Ok(QName { parts, position: 0 })
    }
}

fn parse_part<T>(sql: &str, part: impl FnOnce(&mut Parser) -> PResult<T>) -> Result<T> {
    let lexed = lexer::lex(sql)?;
    let dialect = HoldfastDialect::default();
    let mut parser = Parser::new(&dialect)
        .with_recursion_limit(NESTING_MAX)
        .with_tokens_with_locations(lexed.tokens);
    let result = part(&mut parser).and_then(|value| if parser.at_end() { Ok(value) } else { parser.unexpected() });
    result.map_err(|error| widen(sql, located(&parser, &error, None)))
}

/// The text under the parser, to cut pieces out of.
pub(crate) struct Source<'a> {
    pub sql: &'a str,
    ascii: bool,
}

impl<'a> Source<'a> {
    /// The text between two positions (characters from 1, the end exclusive).
    pub(crate) fn slice(&self, start: u32, end: u32) -> &'a str {
        let (start, end) = (self.byte(start), self.byte(end));
        self.sql.get(start..end.max(start)).unwrap_or("")
    }

    fn byte(&self, position: u32) -> usize {
        let chars = position.saturating_sub(1) as usize;
        if self.ascii {
            return chars.min(self.sql.len());
        }
        self.sql.char_indices().nth(chars).map_or(self.sql.len(), |(at, _)| at)
    }
}

/// Tokens by statement, semicolons dropped; a `Semicolon` token stays as the last of its statement, to be told in errors.
fn split(tokens: Vec<TokenWithSpan>) -> Vec<Vec<TokenWithSpan>> {
    if !tokens.iter().any(|token| token.token == Token::SemiColon) {
        return vec![tokens];
    }
    let mut statements = Vec::new();
    let mut current: Vec<TokenWithSpan> = Vec::new();
    let mut atomic = 0usize;
    let mut parens = 0usize;
    for token in tokens {
        match &token.token {
            Token::SemiColon if atomic == 0 && parens == 0 => {
                statements.push(std::mem::take(&mut current));
                continue;
            }
            // The bodies of rules and SQL-standard functions hold semicolons.
            Token::LParen => parens += usize::from(is_rule(&current)),
            Token::RParen => parens = parens.saturating_sub(1),
            Token::Word(word) => match word.keyword {
                Keyword::ATOMIC if ends_with(&current, Keyword::BEGIN) => atomic += 1,
                Keyword::CASE if atomic > 0 => atomic += 1,
                Keyword::END if atomic > 0 => atomic -= 1,
                _ => {}
            },
            _ => {}
        }
        current.push(token);
    }
    statements.push(current);
    statements
}

fn ends_with(tokens: &[TokenWithSpan], keyword: Keyword) -> bool {
    matches!(tokens.last().map(|token| &token.token), Some(Token::Word(word)) if word.keyword == keyword)
}

fn is_rule(tokens: &[TokenWithSpan]) -> bool {
    let word = |at: usize| match tokens.get(at).map(|token| &token.token) {
        Some(Token::Word(word)) => Some(word.keyword),
        _ => None,
    };
    word(0) == Some(Keyword::CREATE)
        && (word(1) == Some(Keyword::RULE) || word(1) == Some(Keyword::OR) && word(3) == Some(Keyword::RULE))
}

fn parse_one(tokens: Vec<TokenWithSpan>, source: &Source) -> Result<Parsed, Failure> {
    let chains = chains::longest(&tokens).map_err(Failure::Other)?;
    let dialect = HoldfastDialect::for_chains(chains);
    let (start, end) = bounds(&tokens);
    let (tokens, side) = if own::keeps_tokens(&tokens) {
        (tokens, SideTables::default())
    } else {
        rewrite::rewrite(tokens, &dialect)
            .map_err(|error| error::failure(&error))
            .map_err(|failure| match failure {
                Failure::Near(0) => Failure::End(end),
                other => other,
            })?
    };
    let side = Arc::new(side);
    let parser = Parser::new(&dialect)
        .with_recursion_limit(NESTING_MAX)
        .with_tokens_with_locations(tokens);
    let mut context = own::Context {
        p: parser,
        dialect: &dialect,
        source,
        side: Arc::clone(&side),
    };
    let result = own::statement(&mut context);
    let result = result.and_then(|statement| {
        if context.p.at_end() {
            Ok(statement)
        } else {
            context.p.unexpected()
        }
    });
    match result {
        Ok(statement) => Ok(Parsed {
            statement,
            text: Arc::from(source.slice(start, end)),
            offset: start - 1,
            side,
            notices: Vec::new(),
        }),
        Err(error) => {
            let failure = located(&context.p, &error, Some(end));
            Err(diagnose::deepen(failure, &context.p.into_tokens(), end))
        }
    }
}

fn bounds(tokens: &[TokenWithSpan]) -> (u32, u32) {
    let start = tokens.first().map_or(1, |token| position_of(token.span));
    let end = tokens
        .last()
        .map_or(1, |token| u32::try_from(token.span.end.column).unwrap_or(1));
    (start, end)
}

/// What an error says once the parser's place is known.
fn located(parser: &Parser, error: &sqlparser::parser::ParserError, end: Option<u32>) -> Failure {
    match error::failure(error) {
        Failure::Near(0) if !parser.at_end() && !error.to_string().contains("found: EOF") => Failure::Near(parser.here()),
        Failure::Near(0) | Failure::Exact(0) => end.map_or(Failure::Near(0), Failure::End),
        other => other,
    }
}

/// The final error: `syntax error at or near "..."` with the token's text, or at end of input.
fn widen(sql: &str, failure: Failure) -> PgError {
    let source = Source {
        sql,
        ascii: sql.is_ascii(),
    };
    let (position, after) = match failure {
        Failure::Other(error) => return error,
        Failure::Near(position) | Failure::Exact(position) => (position, 0),
        Failure::End(end) => (0, end),
    };
    let lexed = lexer::lex_lazily(sql);
    let start_of = |token: &TokenWithSpan| position_of(token.span);
    let found = if position > 0 {
        lexed.tokens.iter().find(|token| start_of(token) >= position)
    } else {
        lexed.tokens.iter().find(|token| after > 0 && start_of(token) >= after)
    };
    match found {
        Some(token) => {
            let (start, end) = (start_of(token), u32::try_from(token.span.end.column).unwrap_or(0));
            let text = source.slice(start, end);
            PgError::new(sqlstate::SYNTAX_ERROR, format!("syntax error at or near \"{text}\"")).at(start)
        }
        None => PgError::new(sqlstate::SYNTAX_ERROR, "syntax error at end of input").at(lexed.end.max(1)),
    }
}

/// A query, INSERT, UPDATE, DELETE or MERGE, by sqlparser.
pub(crate) fn parse_sql(p: &mut Parser) -> PResult<SqlStatement> {
    let second = |p: &mut Parser, keyword: Keyword| {
        if p.at_nth(1, keyword) {
            return Ok(());
        }
        p.advance_token();
        p.unexpected()
    };
    match p.word().map(|word| word.keyword) {
        Some(Keyword::MERGE) => return merge::merge(p).map(SqlStatement::Merge),
        Some(Keyword::INSERT) => {
            second(p, Keyword::INTO)?;
            insert_head(p)?;
        }
        Some(Keyword::DELETE) => second(p, Keyword::FROM)?,
        Some(Keyword::UPDATE) => {}
        _ => return p.query().map(SqlStatement::Query),
    }
    p.parse_statement()
}

/// Checks `INSERT INTO name [AS alias]` ahead of the cursor: sqlparser takes any word for a name and needs no AS.
fn insert_head(p: &Parser) -> PResult<()> {
    let is_name = |at: usize| {
        p.word_at(at)
            .is_some_and(|word| matches!(keywords::category(word), Category::Unreserved | Category::ColumnName))
    };
    let wrong = |at: usize| Err(error::exact_syntax_error_at(position_of(p.ahead(at).span)));
    let mut at = 2;
    if !is_name(at) {
        return wrong(at);
    }
    at += 1;
    while p.at_nth_token(at, &Token::Period) {
        if p.word_at(at + 1).is_none() {
            return wrong(at + 1);
        }
        at += 2;
    }
    if p.at_nth(at, Keyword::AS) {
        if !is_name(at + 1) {
            return wrong(at + 1);
        }
        at += 2;
    }
    if p.at_nth(at, Keyword::DEFAULT) && !p.at_nth(at + 1, Keyword::VALUES) {
        return wrong(at + 1);
    }
    let goes_on = p.at_nth_token(at, &Token::LParen)
        || p.word_at(at).is_some_and(|word| {
            matches!(
                word.keyword,
                Keyword::DEFAULT | Keyword::VALUES | Keyword::SELECT | Keyword::WITH | Keyword::TABLE | Keyword::OVERRIDING
            )
        });
    if !goes_on {
        return wrong(at);
    }
    if p.at_nth_token(at, &Token::LParen) && !expr::at_query_from(p, at + 1) {
        return column_names(p, at + 1);
    }
    Ok(())
}

/// Every column of an INSERT's list begins with a name that may be one.
fn column_names(p: &Parser, mut at: usize) -> PResult<()> {
    let (mut depth, mut begins) = (0usize, true);
    loop {
        match &p.ahead(at).token {
            Token::Word(word) if begins => {
                if !matches!(keywords::category(word), Category::Unreserved | Category::ColumnName) {
                    return Err(error::exact_syntax_error_at(position_of(p.ahead(at).span)));
                }
                begins = false;
            }
            _ if begins => return Err(error::exact_syntax_error_at(position_of(p.ahead(at).span))),
            Token::LParen | Token::LBracket => depth += 1,
            Token::RParen if depth == 0 => return Ok(()),
            Token::RParen | Token::RBracket => depth = depth.saturating_sub(1),
            Token::Comma if depth == 0 => begins = true,
            Token::EOF => return Ok(()),
            _ => {}
        }
        at += 1;
    }
}

/// The span of a token, for diagnostics that have only a position.
pub fn span_at(position: u32) -> Span {
    let at = Location::new(1, u64::from(position));
    Span::new(at, at)
}
