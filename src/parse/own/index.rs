//! CREATE INDEX.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::Token;

use super::ast::OwnStatement;
use super::ddl::CreateIndex;
use super::{Context, Own};
use crate::parse::cursor::Cursor;
use crate::parse::rewrite::index_element;

pub(super) fn create_index(c: &mut Context) -> Own {
    let unique = c.p.eat(Keyword::UNIQUE);
    c.p.want(Keyword::INDEX)?;
    let concurrently = c.p.eat(Keyword::CONCURRENTLY);
    let if_not_exists = c.if_not_exists();
    let name = if c.p.at(Keyword::ON) && !if_not_exists {
        None
    } else {
        Some(c.p.column_id()?)
    };
    c.p.want(Keyword::ON)?;
    let table = super::utility::relation(c)?;
    let method = if c.p.eat(Keyword::USING) {
        Some(c.p.column_id()?)
    } else {
        None
    };
    c.p.want_token(&Token::LParen)?;
    let (mut elements, mut texts) = (Vec::new(), Vec::new());
    loop {
        let start = c.here();
        let element = index_element(&mut c.p)?;
        texts.push(element_text(c, start));
        elements.push(element);
        if !c.p.eat_token(&Token::Comma) {
            break;
        }
    }
    c.p.want_token(&Token::RParen)?;
    let include = if c.p.eat(Keyword::INCLUDE) {
        c.p.parenthesized_names()?
    } else {
        Vec::new()
    };
    let nulls_not_distinct = super::table::nulls_distinct(c)?;
    let options = if c.p.eat(Keyword::WITH) {
        c.definitions()?
    } else {
        Vec::new()
    };
    let tablespace = if c.p.eat(Keyword::TABLESPACE) {
        Some(c.p.column_id()?)
    } else {
        None
    };
    let selection = if c.p.eat(Keyword::WHERE) { Some(c.expr_text()?) } else { None };
    Ok(OwnStatement::CreateIndex(Box::new(CreateIndex {
        unique,
        concurrently,
        if_not_exists,
        name,
        table,
        method,
        elements,
        texts,
        include,
        nulls_not_distinct,
        options,
        tablespace,
        selection,
    })))
}

/// The text of an element's expression: the element again, up to where the expression ends.
fn element_text(c: &Context, start: u32) -> String {
    let text = c.text_from(start);
    let Ok(lexed) = crate::parse::lexer::lex(&text) else {
        return text;
    };
    let (mut depth, mut end) = (0usize, 0u64);
    for token in &lexed.tokens {
        match token.token {
            Token::LParen => depth += 1,
            Token::RParen => depth = depth.saturating_sub(1),
            Token::Word(_) if depth == 0 && end > 0 => break,
            _ => {}
        }
        end = token.span.end.column;
    }
    text.chars()
        .take(usize::try_from(end.saturating_sub(1)).unwrap_or(0))
        .collect()
}
