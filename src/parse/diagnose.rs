//! Where a syntax error really is.
//!
//! sqlparser tries a subquery, backs out and tries something else; what it reports is then the failure of the second try,
//! at the subquery's beginning. PostgreSQL's parser never backs out. After a failure (and only then) the subqueries that
//! are open at the reported place are parsed again, each on its own, and the deepest failure counts.

use sqlparser::keywords::Keyword;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::cursor::{Cursor, position_of};
use super::dialect::HoldfastDialect;
use super::error::{self, Failure};
use crate::error::{PgError, sqlstate};
use crate::limits::NESTING_MAX;

/// The failure, moved to where PostgreSQL's parser would stop. `end` is the position past the statement.
pub(crate) fn deepen(failure: Failure, tokens: &[TokenWithSpan], end: u32) -> Failure {
    let Failure::Near(mut position) = failure else {
        return failure;
    };
    // Each round goes deeper; the bound keeps hostile text from costing a parse a parenthesis.
    for _ in 0..16 {
        match deeper(tokens, position) {
            Some(0) => return Failure::End(end),
            Some(next) if next > position => position = next,
            _ => break,
        }
    }
    if let Some(limit) = comma_of_limit(tokens, position) {
        let error = PgError::new(sqlstate::SYNTAX_ERROR, "LIMIT #,# syntax is not supported")
            .hint("Use separate LIMIT and OFFSET clauses.")
            .at(limit);
        return Failure::Other(error);
    }
    after_first_word(tokens, position, end)
}

/// For a comma that follows LIMIT's count: the position of LIMIT.
fn comma_of_limit(tokens: &[TokenWithSpan], position: u32) -> Option<u32> {
    let place = index_at(tokens, position);
    if tokens.get(place)?.token != Token::Comma {
        return None;
    }
    let mut depth = 0usize;
    for token in tokens[..place].iter().rev() {
        match &token.token {
            Token::RParen => depth += 1,
            Token::LParen => depth = depth.checked_sub(1)?,
            Token::Word(word) if depth == 0 => match word.keyword {
                Keyword::LIMIT => return Some(position_of(token.span)),
                Keyword::FROM | Keyword::SELECT | Keyword::WHERE | Keyword::BY | Keyword::OFFSET => return None,
                _ => {}
            },
            _ => {}
        }
    }
    None
}

fn index_at(tokens: &[TokenWithSpan], position: u32) -> usize {
    tokens.partition_point(|token| position_of(token.span) < position)
}

/// Parses the open subqueries again: the furthest place where one fails; 0 is the end.
fn deeper(tokens: &[TokenWithSpan], position: u32) -> Option<u32> {
    let place = index_at(tokens, position);
    let mut open = Vec::new();
    for (at, token) in tokens.iter().enumerate().take(place) {
        match token.token {
            Token::LParen => open.push(at + 1),
            Token::RParen => {
                open.pop();
            }
            _ => {}
        }
    }
    open.into_iter()
        .filter(|at| starts_query(tokens, *at))
        .rev()
        .take(4)
        .find_map(|at| failure_of(&tokens[at..], position))
}

/// Whether a subquery begins at a token: not after a function's name, whose parenthesis holds arguments.
fn starts_query(tokens: &[TokenWithSpan], at: usize) -> bool {
    let of_call = matches!(tokens.get(at.wrapping_sub(2)).map(|token| &token.token), Some(Token::Word(word))
        if super::keywords::category(word) != super::Category::Reserved
            && !matches!(word.keyword, Keyword::IN | Keyword::EXISTS | Keyword::MATERIALIZED));
    !of_call
        && matches!(tokens.get(at).map(|token| &token.token), Some(Token::Word(word))
        if matches!(word.keyword, Keyword::SELECT | Keyword::VALUES | Keyword::WITH))
}

/// Where the query at the head of these tokens goes wrong, if past `position`.
fn failure_of(tokens: &[TokenWithSpan], position: u32) -> Option<u32> {
    let dialect = HoldfastDialect::default();
    let mut parser = Parser::new(&dialect)
        .with_recursion_limit(NESTING_MAX)
        .with_tokens_with_locations(tokens.to_vec());
    let found = match parser.parse_query() {
        Ok(_) if parser.at_token(&Token::RParen) => {
            // The alias belongs to what sqlparser tries as one.
            parser.advance_token();
            match parser.maybe_parse_table_alias().map_err(|error| error::failure(&error)) {
                Err(Failure::Near(position) | Failure::Exact(position)) => position,
                _ => return None,
            }
        }
        Ok(_) => parser.here(),
        Err(error) => match error::failure(&error) {
            Failure::Near(position) | Failure::Exact(position) => position,
            _ => return None,
        },
    };
    (found == 0 || found > position).then_some(found)
}

/// `ORDER` and `GROUP` promise a `BY`: PostgreSQL stops at what comes instead.
fn after_first_word(tokens: &[TokenWithSpan], position: u32, end: u32) -> Failure {
    let place = index_at(tokens, position);
    let word = |at: usize| match tokens.get(at).map(|token| &token.token) {
        Some(Token::Word(word)) => Some(word.keyword),
        _ => None,
    };
    let promises = matches!(word(place), Some(Keyword::ORDER | Keyword::GROUP)) && word(place + 1) != Some(Keyword::BY);
    let after_operand = place > 0
        && match &tokens[place - 1].token {
            Token::Word(word) => matches!(word.keyword, Keyword::SELECT | Keyword::NoKeyword),
            Token::RParen | Token::RBracket | Token::Mul | Token::Number(..) | Token::EscapedStringLiteral(_) => true,
            _ => false,
        };
    let in_query = matches!(
        word(0),
        Some(Keyword::SELECT | Keyword::WITH | Keyword::VALUES | Keyword::DECLARE | Keyword::EXPLAIN)
    ) || matches!(tokens.first().map(|token| &token.token), Some(Token::LParen));
    if !promises || !after_operand || !in_query {
        return Failure::Near(position);
    }
    tokens
        .get(place + 1)
        .map_or(Failure::End(end), |token| Failure::Near(position_of(token.span)))
}
