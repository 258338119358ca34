//! Statements that are not queries or DML, each by a small parser over sqlparser's token cursor.

pub mod ast;
pub mod ddl;

mod alter;
mod create;
mod function;
mod index;
mod object;
mod other;
mod role;
mod session;
mod table;
mod tags;
mod utility;

use std::sync::Arc;

use sqlparser::ast::Expr;
use sqlparser::keywords::Keyword;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Token, TokenWithSpan};

use self::ast::{OwnStatement, QueryText};
use self::ddl::{ExprText, OptionItem, RoleSpec};
use super::cursor::{Cursor, PResult};
use super::dialect::HoldfastDialect;
use super::keywords::{Category, category};
use super::{Parsed, SideTables, Source, Statement};

/// What the parsers of this module work on.
pub(crate) struct Context<'a> {
    pub p: Parser<'a>,
    pub dialect: &'a HoldfastDialect,
    pub source: &'a Source<'a>,
    pub side: Arc<SideTables>,
}

type Own = PResult<OwnStatement>;

/// Statements whose FOR, SET and AS mean other things than in queries: the token pass leaves them alone.
pub(crate) fn keeps_tokens(tokens: &[TokenWithSpan]) -> bool {
    let word = |at: usize| match tokens.get(at).map(|token| &token.token) {
        Some(Token::Word(word)) => word.keyword,
        _ => Keyword::NoKeyword,
    };
    match word(0) {
        Keyword::CREATE => {
            let kind = if word(1) == Keyword::OR { word(3) } else { word(1) };
            !matches!(
                kind,
                Keyword::TABLE
                    | Keyword::TEMP
                    | Keyword::TEMPORARY
                    | Keyword::LOCAL
                    | Keyword::GLOBAL
                    | Keyword::UNLOGGED
                    | Keyword::VIEW
                    | Keyword::RECURSIVE
                    | Keyword::MATERIALIZED
                    | Keyword::SCHEMA
            )
        }
        Keyword::SELECT
        | Keyword::WITH
        | Keyword::VALUES
        | Keyword::TABLE
        | Keyword::INSERT
        | Keyword::UPDATE
        | Keyword::DELETE
        | Keyword::MERGE
        | Keyword::EXPLAIN
        | Keyword::PREPARE
        | Keyword::DECLARE
        | Keyword::COPY => false,
        _ => matches!(tokens.first().map(|token| &token.token), Some(Token::Word(_))),
    }
}

/// Any statement, up to its end.
pub(crate) fn statement(c: &mut Context) -> PResult<Statement> {
    let Some(word) = c.p.word() else {
        return sql(c);
    };
    let keyword = word.keyword;
    let own = match keyword {
        Keyword::SELECT
        | Keyword::INSERT
        | Keyword::UPDATE
        | Keyword::DELETE
        | Keyword::WITH
        | Keyword::VALUES
        | Keyword::TABLE
        | Keyword::MERGE => return sql(c),
        Keyword::BEGIN
        | Keyword::START
        | Keyword::COMMIT
        | Keyword::END
        | Keyword::ROLLBACK
        | Keyword::ABORT
        | Keyword::SAVEPOINT
        | Keyword::RELEASE => session::transaction(c, keyword),
        Keyword::SET => session::set(c),
        Keyword::SHOW => session::show(c),
        Keyword::RESET => session::reset(c),
        Keyword::DISCARD => session::discard(c),
        Keyword::LISTEN | Keyword::UNLISTEN | Keyword::NOTIFY => session::notify(c, keyword),
        Keyword::DECLARE => session::declare(c),
        Keyword::FETCH => session::fetch(c, false),
        Keyword::CLOSE => session::close(c),
        Keyword::PREPARE => session::prepare(c),
        Keyword::EXECUTE => session::execute(c).map(OwnStatement::Execute),
        Keyword::DEALLOCATE => session::deallocate(c),
        Keyword::LOCK => utility::lock(c),
        Keyword::COPY => utility::copy(c),
        Keyword::EXPLAIN => utility::explain(c),
        Keyword::VACUUM => utility::vacuum(c),
        Keyword::ANALYZE => utility::analyze(c),
        Keyword::REINDEX => utility::reindex(c),
        Keyword::CLUSTER => utility::cluster(c),
        Keyword::TRUNCATE => utility::truncate(c),
        Keyword::LOAD => utility::load(c),
        Keyword::DO => utility::do_block(c),
        Keyword::CALL => utility::call(c),
        Keyword::REFRESH => create::refresh(c),
        Keyword::CREATE => create::create(c),
        Keyword::ALTER => alter::alter(c),
        Keyword::DROP => object::drop_statement(c),
        Keyword::COMMENT => object::comment(c),
        Keyword::GRANT => object::grant(c),
        Keyword::REVOKE => object::revoke(c),
        _ => match word.value.as_str() {
            "move" => session::fetch(c, true),
            "checkpoint" => {
                c.p.advance_token();
                Ok(OwnStatement::Checkpoint)
            }
            "analyse" => utility::analyze(c),
            "reindex" => utility::reindex(c),
            _ => other::other(c),
        },
    };
    own.map(Statement::Own)
}

fn sql(c: &mut Context) -> PResult<Statement> {
    let statement = super::parse_sql(&mut c.p)?;
    super::check::check(&statement, c.source, &c.side)?;
    Ok(Statement::Sql(Box::new(statement)))
}

impl Context<'_> {
    pub(crate) fn here(&self) -> u32 {
        self.p.here()
    }

    /// Position just past the last token read.
    pub(crate) fn last_end(&self) -> u32 {
        u32::try_from(self.p.get_current_token().span.end.column).unwrap_or(0)
    }

    /// The text from a position to the last token read.
    pub(crate) fn text_from(&self, start: u32) -> String {
        self.source.slice(start, self.last_end()).to_owned()
    }

    /// An expression with its text.
    pub(crate) fn expr_text(&mut self) -> PResult<ExprText> {
        let position = self.here();
        let expr = self.p.parse_expr()?;
        Ok(ExprText {
            expr,
            text: self.text_from(position),
            position,
        })
    }

    /// `( expr )` with the text inside.
    pub(crate) fn parenthesized_expr(&mut self) -> PResult<ExprText> {
        self.p.want_token(&Token::LParen)?;
        let expr = self.expr_text()?;
        self.p.want_token(&Token::RParen)?;
        Ok(expr)
    }

    /// A statement inside this one.
    pub(crate) fn nested(&mut self, parse: impl FnOnce(&mut Self) -> PResult<Statement>) -> PResult<Parsed> {
        let start = self.here();
        let statement = parse(self)?;
        Ok(Parsed {
            statement,
            text: Arc::from(self.text_from(start)),
            offset: start.saturating_sub(1),
            side: Arc::clone(&self.side),
            notices: Vec::new(),
        })
    }

    /// A query (no DML) with its text.
    pub(crate) fn query_text(&mut self) -> PResult<QueryText> {
        let start = self.here();
        let query = self.p.query()?;
        let text = self.text_from(start);
        let statement = sqlparser::ast::Statement::Query(query.clone());
        super::check::check(&statement, self.source, &self.side)?;
        let statement = Statement::Sql(Box::new(statement));
        let parsed = Parsed {
            statement,
            text: Arc::from(text.as_str()),
            offset: start.saturating_sub(1),
            side: Arc::clone(&self.side),
            notices: Vec::new(),
        };
        Ok(QueryText { query, text, parsed })
    }

    /// A query or DML, for statements that take either.
    pub(crate) fn nested_sql(&mut self) -> PResult<Parsed> {
        self.nested(sql)
    }

    /// IF EXISTS.
    pub(crate) fn if_exists(&mut self) -> bool {
        self.p.eat_all(&[Keyword::IF, Keyword::EXISTS])
    }

    /// IF NOT EXISTS.
    pub(crate) fn if_not_exists(&mut self) -> bool {
        self.p.eat_all(&[Keyword::IF, Keyword::NOT, Keyword::EXISTS])
    }

    /// `CASCADE | RESTRICT`, if there: whether CASCADE.
    pub(crate) fn cascade(&mut self) -> bool {
        if self.p.eat(Keyword::CASCADE) {
            return true;
        }
        self.p.eat(Keyword::RESTRICT);
        false
    }

    /// A number with its sign, as text.
    pub(crate) fn signed_number(&mut self) -> PResult<String> {
        let sign = if self.p.eat_token(&Token::Minus) {
            "-"
        } else {
            self.p.eat_token(&Token::Plus);
            ""
        };
        match self.p.try_number() {
            Some(digits) => Ok(format!("{sign}{digits}")),
            None => self.p.unexpected(),
        }
    }

    /// `SignedIconst`.
    pub(crate) fn signed_integer(&mut self) -> PResult<i64> {
        let start = self.here();
        match self.signed_number()?.parse() {
            Ok(value) => Ok(value),
            Err(_) => Err(super::error::syntax_error_at(start)),
        }
    }

    /// `( name [= value], ... )` of WITH, SET and the like.
    pub(crate) fn definitions(&mut self) -> PResult<Vec<OptionItem>> {
        self.p.want_token(&Token::LParen)?;
        let mut items = Vec::new();
        loop {
            let position = self.here();
            let mut name = self.p.label()?.text.to_string();
            if self.p.eat_token(&Token::Period) {
                name = format!("{name}.{}", self.p.label()?.text);
            }
            let value = if self.p.eat_token(&Token::Eq) {
                Some(self.definition_value()?)
            } else {
                None
            };
            items.push(OptionItem { name, value, position });
            if !self.p.eat_token(&Token::Comma) {
                break;
            }
        }
        self.p.want_token(&Token::RParen)?;
        Ok(items)
    }

    /// `def_arg`: a type name, key word, operator, number or string, as text.
    fn definition_value(&mut self) -> PResult<String> {
        if let Some(text) = self.p.try_string() {
            return Ok(text);
        }
        if matches!(self.p.peek_token_ref().token, Token::Number(..) | Token::Plus | Token::Minus)
            && !matches!(self.p.ahead(1).token, Token::Comma | Token::RParen)
            || matches!(self.p.peek_token_ref().token, Token::Number(..))
        {
            return self.signed_number();
        }
        if self.p.eat(Keyword::NONE) {
            return Ok("none".to_owned());
        }
        if let Some(word) = self.p.word() {
            if category(word) == Category::Reserved {
                return Ok(self.p.label()?.text.to_string());
            }
            return Ok(super::types::parse_type_name(&mut self.p)?.to_string());
        }
        if super::infix::operator_of(&self.p.peek_token_ref().token).is_some() {
            return Ok(self.p.next_token().token.to_string());
        }
        self.p.unexpected()
    }

    /// `( name [value], ... )` of EXPLAIN, VACUUM and the like (`utility_option_list`).
    pub(crate) fn utility_options(&mut self) -> PResult<Vec<OptionItem>> {
        self.p.want_token(&Token::LParen)?;
        let mut items = Vec::new();
        loop {
            let position = self.here();
            let name = match self.p.word().map(|word| (word.keyword, word.value.clone())) {
                Some((Keyword::ANALYZE, _)) => {
                    self.p.advance_token();
                    "analyze".to_owned()
                }
                Some((_, text)) if text == "analyse" => {
                    self.p.advance_token();
                    "analyze".to_owned()
                }
                _ => self.p.non_reserved()?.text.to_string(),
            };
            let value = self.utility_value()?;
            items.push(OptionItem { name, value, position });
            if !self.p.eat_token(&Token::Comma) {
                break;
            }
        }
        self.p.want_token(&Token::RParen)?;
        Ok(items)
    }

    fn utility_value(&mut self) -> PResult<Option<String>> {
        match &self.p.peek_token_ref().token {
            Token::Comma | Token::RParen => Ok(None),
            Token::EscapedStringLiteral(_) => self.p.string().map(Some),
            Token::Number(..) | Token::Plus | Token::Minus => self.signed_number().map(Some),
            _ => self.boolean_word().map(Some),
        }
    }

    /// `opt_boolean_or_string` as a word: TRUE, FALSE, ON or a name.
    pub(crate) fn boolean_word(&mut self) -> PResult<String> {
        match self.p.word().map(|word| word.keyword) {
            Some(Keyword::TRUE | Keyword::FALSE | Keyword::ON) => Ok(self.p.label()?.text.to_string()),
            _ => Ok(self.p.non_reserved()?.text.to_string()),
        }
    }

    /// `RoleSpec`.
    pub(crate) fn role(&mut self) -> PResult<RoleSpec> {
        let Some(word) = self.p.word() else {
            return self.p.unexpected();
        };
        let spec = match word.keyword {
            Keyword::CURRENT_USER => RoleSpec::CurrentUser,
            Keyword::CURRENT_ROLE => RoleSpec::CurrentRole,
            Keyword::SESSION_USER => RoleSpec::SessionUser,
            _ if word.quote_style.is_none() && word.value == "public" => RoleSpec::Public,
            _ if word.quote_style.is_none() && word.value == "none" => {
                let error = crate::error::PgError::new(crate::error::sqlstate::RESERVED_NAME, "role name \"none\" is reserved");
                return Err(super::error::fail(&error.at(self.here())));
            }
            _ => return Ok(RoleSpec::Name(self.p.non_reserved()?)),
        };
        self.p.advance_token();
        Ok(spec)
    }

    pub(crate) fn roles(&mut self) -> PResult<Vec<RoleSpec>> {
        let mut roles = vec![self.role()?];
        while self.p.eat_token(&Token::Comma) {
            roles.push(self.role()?);
        }
        Ok(roles)
    }

    /// Expressions in parentheses, possibly none.
    pub(crate) fn call_arguments(&mut self) -> PResult<Vec<Expr>> {
        self.p.want_token(&Token::LParen)?;
        let args = self.p.comma_list(Parser::parse_expr)?;
        self.p.want_token(&Token::RParen)?;
        Ok(args)
    }

    /// Reads to the end of the statement whatever comes.
    pub(crate) fn skip_rest(&mut self) {
        while !self.p.at_end() {
            self.p.advance_token();
        }
    }
}
