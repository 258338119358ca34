//! Reading helpers over sqlparser's token cursor, for the parsers of this floor.

use smol_str::SmolStr;
use sqlparser::ast::Query;
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Span, Token, TokenWithSpan, Word};

use super::error::{fail, syntax_error_at};
use super::keywords::{Category, category};
use super::names::{Name, QName};
use crate::error::PgError;

/// What every parser of this floor answers; widened to `PgError` once, in `parse`.
pub(crate) type PResult<T> = Result<T, ParserError>;

/// Position (characters from 1) where a span starts; 0 if unknown.
pub fn position_of(span: Span) -> u32 {
    u32::try_from(span.start.column).unwrap_or(0)
}

/// Reading helpers; all leave the cursor alone when they answer `false` or `None`.
pub(crate) trait Cursor {
    /// The token this far ahead, in constant time: our tokens have no white space between them.
    fn ahead(&self, count: usize) -> &TokenWithSpan;
    fn word(&self) -> Option<&Word>;
    fn word_at(&self, ahead: usize) -> Option<&Word>;
    fn here(&self) -> u32;
    /// 42601 at the next token.
    fn unexpected<T>(&self) -> PResult<T>;
    fn at(&self, keyword: Keyword) -> bool;
    fn at_nth(&self, ahead: usize, keyword: Keyword) -> bool;
    fn at_token(&self, token: &Token) -> bool;
    fn at_nth_token(&self, ahead: usize, token: &Token) -> bool;
    fn eat(&mut self, keyword: Keyword) -> bool;
    fn eat_all(&mut self, keywords: &[Keyword]) -> bool;
    fn eat_token(&mut self, token: &Token) -> bool;
    /// A word that sqlparser has no `Keyword` for.
    fn at_text(&self, text: &str) -> bool;
    fn at_nth_text(&self, ahead: usize, text: &str) -> bool;
    fn eat_text(&mut self, text: &str) -> bool;
    fn want(&mut self, keyword: Keyword) -> PResult<()>;
    fn want_text(&mut self, text: &str) -> PResult<()>;
    fn want_token(&mut self, token: &Token) -> PResult<()>;
    /// `ColId`.
    fn column_id(&mut self) -> PResult<Name>;
    fn try_column_id(&mut self) -> Option<Name>;
    /// `ColLabel`: any word.
    fn label(&mut self) -> PResult<Name>;
    /// `type_function_name`.
    fn type_function_name(&mut self) -> PResult<Name>;
    /// `NonReservedWord`: everything but reserved.
    fn non_reserved(&mut self) -> PResult<Name>;
    /// `any_name`, `qualified_name`: `ColId` and labels after dots.
    fn qname(&mut self) -> PResult<QName>;
    /// `func_name`.
    fn function_name(&mut self) -> PResult<QName>;
    fn qnames(&mut self) -> PResult<Vec<QName>>;
    fn names(&mut self) -> PResult<Vec<Name>>;
    /// `( name, ... )`.
    fn parenthesized_names(&mut self) -> PResult<Vec<Name>>;
    fn optional_names(&mut self) -> PResult<Vec<Name>>;
    fn string(&mut self) -> PResult<String>;
    fn try_string(&mut self) -> Option<String>;
    /// A whole number without sign; `None` leaves the cursor.
    fn try_number(&mut self) -> Option<String>;
    fn comma_list<T>(&mut self, item: impl FnMut(&mut Self) -> PResult<T>) -> PResult<Vec<T>>
    where
        Self: Sized;
    fn at_end(&self) -> bool;
    /// A query: SELECT, VALUES, TABLE, WITH or one in parentheses.
    fn query(&mut self) -> PResult<Box<Query>>;
    fn at_query(&self) -> bool;
}

fn name_of(word: &Word, span: Span) -> Name {
    Name {
        text: SmolStr::new(&word.value),
        position: position_of(span),
    }
}

impl Cursor for Parser<'_> {
    fn ahead(&self, count: usize) -> &TokenWithSpan {
        self.token_at(self.index() + count)
    }

    fn word(&self) -> Option<&Word> {
        self.word_at(0)
    }

    fn word_at(&self, ahead: usize) -> Option<&Word> {
        match &self.ahead(ahead).token {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }

    fn here(&self) -> u32 {
        position_of(self.ahead(0).span)
    }

    fn unexpected<T>(&self) -> PResult<T> {
        Err(syntax_error_at(self.here()))
    }

    fn at(&self, keyword: Keyword) -> bool {
        self.at_nth(0, keyword)
    }

    fn at_nth(&self, ahead: usize, keyword: Keyword) -> bool {
        self.word_at(ahead).is_some_and(|word| word.keyword == keyword)
    }

    fn at_token(&self, token: &Token) -> bool {
        self.ahead(0).token == *token
    }

    fn at_nth_token(&self, ahead: usize, token: &Token) -> bool {
        self.ahead(ahead).token == *token
    }

    fn eat(&mut self, keyword: Keyword) -> bool {
        let found = self.at(keyword);
        if found {
            self.advance_token();
        }
        found
    }

    fn eat_all(&mut self, keywords: &[Keyword]) -> bool {
        let found = keywords
            .iter()
            .enumerate()
            .all(|(ahead, keyword)| self.at_nth(ahead, *keyword));
        if found {
            for _ in keywords {
                self.advance_token();
            }
        }
        found
    }

    fn eat_token(&mut self, token: &Token) -> bool {
        let found = self.at_token(token);
        if found {
            self.advance_token();
        }
        found
    }

    fn at_text(&self, text: &str) -> bool {
        self.at_nth_text(0, text)
    }

    fn at_nth_text(&self, ahead: usize, text: &str) -> bool {
        self.word_at(ahead)
            .is_some_and(|word| word.quote_style.is_none() && word.value == text)
    }

    fn eat_text(&mut self, text: &str) -> bool {
        let found = self.at_text(text);
        if found {
            self.advance_token();
        }
        found
    }

    fn want(&mut self, keyword: Keyword) -> PResult<()> {
        if self.eat(keyword) { Ok(()) } else { self.unexpected() }
    }

    fn want_text(&mut self, text: &str) -> PResult<()> {
        if self.eat_text(text) { Ok(()) } else { self.unexpected() }
    }

    fn want_token(&mut self, token: &Token) -> PResult<()> {
        if self.eat_token(token) { Ok(()) } else { self.unexpected() }
    }

    fn column_id(&mut self) -> PResult<Name> {
        match self.try_column_id() {
            Some(name) => Ok(name),
            None => self.unexpected(),
        }
    }

    fn try_column_id(&mut self) -> Option<Name> {
        let token = self.ahead(0);
        let Token::Word(word) = &token.token else {
            return None;
        };
        if !matches!(category(word), Category::Unreserved | Category::ColumnName) {
            return None;
        }
        let name = name_of(word, token.span);
        self.advance_token();
        Some(name)
    }

    fn label(&mut self) -> PResult<Name> {
        let token = self.ahead(0);
        let Token::Word(word) = &token.token else {
            return self.unexpected();
        };
        let name = name_of(word, token.span);
        self.advance_token();
        Ok(name)
    }

    fn type_function_name(&mut self) -> PResult<Name> {
        match self.word().map(category) {
            Some(Category::Unreserved | Category::TypeFunction) => self.label(),
            _ => self.unexpected(),
        }
    }

    fn non_reserved(&mut self) -> PResult<Name> {
        match self.word().map(category) {
            Some(Category::Reserved) | None => self.unexpected(),
            Some(_) => self.label(),
        }
    }

    fn qname(&mut self) -> PResult<QName> {
        let first = self.column_id()?;
        let mut parts = vec![first.text];
        while self.eat_token(&Token::Period) {
            parts.push(self.label()?.text);
        }
        Ok(QName {
            parts,
            position: first.position,
        })
    }

    fn function_name(&mut self) -> PResult<QName> {
        if self.at_nth_token(1, &Token::Period) {
            return self.qname();
        }
        let name = self.type_function_name()?;
        Ok(QName {
            parts: vec![name.text],
            position: name.position,
        })
    }

    fn qnames(&mut self) -> PResult<Vec<QName>> {
        self.comma_list(Cursor::qname)
    }

    fn names(&mut self) -> PResult<Vec<Name>> {
        self.comma_list(Cursor::column_id)
    }

    fn parenthesized_names(&mut self) -> PResult<Vec<Name>> {
        self.want_token(&Token::LParen)?;
        let names = self.names()?;
        self.want_token(&Token::RParen)?;
        Ok(names)
    }

    fn optional_names(&mut self) -> PResult<Vec<Name>> {
        if self.at_token(&Token::LParen) {
            self.parenthesized_names()
        } else {
            Ok(Vec::new())
        }
    }

    fn string(&mut self) -> PResult<String> {
        match self.try_string() {
            Some(text) => Ok(text),
            None => self.unexpected(),
        }
    }

    fn try_string(&mut self) -> Option<String> {
        let Token::EscapedStringLiteral(text) = &self.ahead(0).token else {
            return None;
        };
        let text = text.clone();
        self.advance_token();
        Some(text)
    }

    fn try_number(&mut self) -> Option<String> {
        let Token::Number(text, _) = &self.ahead(0).token else {
            return None;
        };
        let text = text.clone();
        self.advance_token();
        Some(text)
    }

    fn comma_list<T>(&mut self, mut item: impl FnMut(&mut Self) -> PResult<T>) -> PResult<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.eat_token(&Token::Comma) {
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn at_end(&self) -> bool {
        self.at_token(&Token::EOF)
    }

    fn query(&mut self) -> PResult<Box<Query>> {
        if self.at_query() {
            return self.parse_query();
        }
        while self.eat_token(&Token::LParen) {}
        self.unexpected()
    }

    fn at_query(&self) -> bool {
        let mut ahead = 0;
        while self.at_nth_token(ahead, &Token::LParen) {
            ahead += 1;
        }
        self.word_at(ahead).is_some_and(|word| {
            matches!(
                word.keyword,
                Keyword::SELECT | Keyword::VALUES | Keyword::TABLE | Keyword::WITH
            )
        })
    }
}

/// 0A000 from inside a parser.
pub(crate) fn unsupported<T>(feature: &str) -> PResult<T> {
    Err(fail(&PgError::unsupported(feature)))
}
