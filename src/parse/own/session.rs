//! Transactions, settings, cursors, prepared statements, notifications.

use sqlparser::keywords::Keyword;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::Token;

use super::ast::{
    Begin, CloseCursor, DeclareCursor, Discard, Execute, Fetch, FetchDirection, IsolationLevel, OwnStatement, Prepare, Reset,
    SetConstraints, SetItem, SetTransaction, SetValue, SetVariable, TransactionModes, VariableName,
};
use super::{Context, Own};
use crate::parse::cursor::{Cursor, PResult};
use crate::parse::error::syntax;
use crate::parse::types;

/// BEGIN, COMMIT and their kin.
pub(super) fn transaction(c: &mut Context, keyword: Keyword) -> Own {
    let p = &mut c.p;
    p.advance_token();
    match keyword {
        Keyword::BEGIN => {
            work(p);
            Ok(OwnStatement::Begin(Begin {
                start: false,
                modes: modes(p)?,
            }))
        }
        Keyword::START => {
            p.want(Keyword::TRANSACTION)?;
            Ok(OwnStatement::Begin(Begin {
                start: true,
                modes: modes(p)?,
            }))
        }
        Keyword::COMMIT if p.eat_text("prepared") => p.string().map(OwnStatement::CommitPrepared),
        Keyword::COMMIT | Keyword::END => {
            work(p);
            Ok(OwnStatement::Commit { chain: chain(p)? })
        }
        Keyword::ROLLBACK if p.eat_text("prepared") => p.string().map(OwnStatement::RollbackPrepared),
        Keyword::ROLLBACK => {
            work(p);
            if p.eat(Keyword::TO) {
                p.eat(Keyword::SAVEPOINT);
                return p.column_id().map(OwnStatement::RollbackTo);
            }
            Ok(OwnStatement::Rollback { chain: chain(p)? })
        }
        Keyword::ABORT => {
            work(p);
            Ok(OwnStatement::Rollback { chain: chain(p)? })
        }
        Keyword::SAVEPOINT => p.column_id().map(OwnStatement::Savepoint),
        _ => {
            p.eat(Keyword::SAVEPOINT);
            p.column_id().map(OwnStatement::Release)
        }
    }
}

fn work(p: &mut Parser) {
    if !p.eat(Keyword::WORK) {
        p.eat(Keyword::TRANSACTION);
    }
}

fn chain(p: &mut Parser) -> PResult<bool> {
    if !p.eat(Keyword::AND) {
        return Ok(false);
    }
    let chain = !p.eat(Keyword::NO);
    p.want(Keyword::CHAIN)?;
    Ok(chain)
}

/// Transaction modes, with or without commas.
fn modes(p: &mut Parser) -> PResult<TransactionModes> {
    let mut modes = TransactionModes::default();
    if !mode(p, &mut modes)? {
        return Ok(modes);
    }
    loop {
        if p.eat_token(&Token::Comma) {
            if !mode(p, &mut modes)? {
                return p.unexpected();
            }
        } else if !mode(p, &mut modes)? {
            return Ok(modes);
        }
    }
}

fn mode(p: &mut Parser, modes: &mut TransactionModes) -> PResult<bool> {
    if p.eat(Keyword::ISOLATION) {
        p.want(Keyword::LEVEL)?;
        modes.isolation = Some(isolation(p)?);
    } else if p.eat(Keyword::READ) {
        modes.read_only = Some(if p.eat(Keyword::ONLY) {
            true
        } else {
            p.want(Keyword::WRITE)?;
            false
        });
    } else if p.eat(Keyword::DEFERRABLE) {
        modes.deferrable = Some(true);
    } else if p.eat(Keyword::NOT) {
        p.want(Keyword::DEFERRABLE)?;
        modes.deferrable = Some(false);
    } else {
        return Ok(false);
    }
    Ok(true)
}

fn isolation(p: &mut Parser) -> PResult<IsolationLevel> {
    if p.eat(Keyword::SERIALIZABLE) {
        Ok(IsolationLevel::Serializable)
    } else if p.eat(Keyword::REPEATABLE) {
        p.want(Keyword::READ)?;
        Ok(IsolationLevel::RepeatableRead)
    } else {
        p.want(Keyword::READ)?;
        if p.eat(Keyword::COMMITTED) {
            return Ok(IsolationLevel::ReadCommitted);
        }
        p.want(Keyword::UNCOMMITTED)?;
        Ok(IsolationLevel::ReadUncommitted)
    }
}

fn required_modes(p: &mut Parser) -> PResult<TransactionModes> {
    let modes = modes(p)?;
    if modes == TransactionModes::default() {
        p.unexpected()
    } else {
        Ok(modes)
    }
}

/// SET in all its forms.
pub(super) fn set(c: &mut Context) -> Own {
    c.p.want(Keyword::SET)?;
    if c.p.at_text("constraints") && !c.p.at_nth(1, Keyword::TO) && !c.p.at_nth_token(1, &Token::Eq) {
        return set_constraints(c);
    }
    let local = c.p.eat(Keyword::LOCAL);
    if !local && c.p.at(Keyword::SESSION) && c.p.at_nth_text(1, "characteristics") {
        (0..2).for_each(|_| c.p.advance_token());
        c.p.want(Keyword::AS)?;
        c.p.want(Keyword::TRANSACTION)?;
        return Ok(OwnStatement::SetTransaction(SetTransaction::Session(required_modes(
            &mut c.p,
        )?)));
    }
    if !local && c.p.at(Keyword::SESSION) && !c.p.at_nth(1, Keyword::AUTHORIZATION) {
        c.p.advance_token();
    }
    if c.p.at(Keyword::TRANSACTION) && !c.p.at_nth(1, Keyword::TO) && !c.p.at_nth_token(1, &Token::Eq) {
        c.p.advance_token();
        if c.p.eat_text("snapshot") {
            return Ok(OwnStatement::SetTransaction(SetTransaction::Snapshot(c.p.string()?)));
        }
        return Ok(OwnStatement::SetTransaction(SetTransaction::Transaction(required_modes(
            &mut c.p,
        )?)));
    }
    set_rest(c, local).map(OwnStatement::Set)
}

/// What follows SET [LOCAL|SESSION]; also in ALTER ROLE, ALTER DATABASE and CREATE FUNCTION.
pub(super) fn set_rest(c: &mut Context, local: bool) -> PResult<SetVariable> {
    let position = c.here();
    let named = |name: &str, value| SetVariable {
        name: VariableName {
            name: name.to_owned(),
            position,
        },
        local,
        value,
    };
    let text = |text: String| SetValue::List(vec![SetItem::Text(text)]);
    if c.p.at(Keyword::TIME) && c.p.at_nth(1, Keyword::ZONE) {
        (0..2).for_each(|_| c.p.advance_token());
        return Ok(named("timezone", zone_value(c)?));
    }
    let plain = !c.p.at_nth(1, Keyword::TO) && !c.p.at_nth_token(1, &Token::Eq) && !c.p.at_nth_token(1, &Token::Period);
    if plain && c.p.eat_text("names") {
        let value = if let Some(name) = c.p.try_string() {
            text(name)
        } else {
            c.p.eat(Keyword::DEFAULT);
            SetValue::Default
        };
        return Ok(named("client_encoding", value));
    }
    if plain && c.p.eat_text("catalog") {
        c.p.string()?;
        return Err(syntax_unsupported("SET CATALOG"));
    }
    if plain && c.p.at(Keyword::SCHEMA) {
        c.p.advance_token();
        return Ok(named("search_path", text(c.p.string()?)));
    }
    if plain && c.p.at(Keyword::ROLE) {
        c.p.advance_token();
        return Ok(named("role", text(word_or_string(c)?)));
    }
    if c.p.at(Keyword::SESSION) && c.p.at_nth(1, Keyword::AUTHORIZATION) {
        (0..2).for_each(|_| c.p.advance_token());
        let value = if c.p.eat(Keyword::DEFAULT) {
            SetValue::Default
        } else {
            text(word_or_string(c)?)
        };
        return Ok(named("session_authorization", value));
    }
    if plain && c.p.at_text("xml") {
        return Err(syntax_unsupported("SET XML OPTION"));
    }
    let name = variable(c)?;
    if c.p.at(Keyword::FROM) && c.p.at_nth(1, Keyword::CURRENT) {
        (0..2).for_each(|_| c.p.advance_token());
        return Ok(SetVariable {
            name,
            local,
            value: SetValue::FromCurrent,
        });
    }
    if !c.p.eat(Keyword::TO) {
        c.p.want_token(&Token::Eq)?;
    }
    let value = if c.p.eat(Keyword::DEFAULT) {
        SetValue::Default
    } else {
        SetValue::List(set_items(c)?)
    };
    Ok(SetVariable { name, local, value })
}

fn syntax_unsupported(what: &str) -> sqlparser::parser::ParserError {
    crate::parse::error::fail(&crate::error::PgError::unsupported(what))
}

fn set_items(c: &mut Context) -> PResult<Vec<SetItem>> {
    let mut items = vec![set_item(c)?];
    while c.p.eat_token(&Token::Comma) {
        items.push(set_item(c)?);
    }
    Ok(items)
}

fn set_item(c: &mut Context) -> PResult<SetItem> {
    if let Some(text) = c.p.try_string() {
        return Ok(SetItem::Text(text));
    }
    if matches!(c.p.peek_token_ref().token, Token::Number(..) | Token::Plus | Token::Minus) {
        return c.signed_number().map(SetItem::Number);
    }
    c.boolean_word().map(SetItem::Text)
}

fn word_or_string(c: &mut Context) -> PResult<String> {
    match c.p.try_string() {
        Some(text) => Ok(text),
        None => Ok(c.p.non_reserved()?.text.to_string()),
    }
}

fn zone_value(c: &mut Context) -> PResult<SetValue> {
    if c.p.eat(Keyword::DEFAULT) || c.p.eat(Keyword::LOCAL) {
        return Ok(SetValue::Default);
    }
    let item = match &c.p.peek_token_ref().token {
        Token::EscapedStringLiteral(_) => SetItem::Text(c.p.string()?),
        Token::Number(..) | Token::Plus | Token::Minus => SetItem::Number(c.signed_number()?),
        Token::Word(word) if word.keyword == Keyword::INTERVAL => SetItem::Interval(Box::new(c.p.parse_expr()?)),
        _ => SetItem::Text(c.p.column_id()?.text.to_string()),
    };
    Ok(SetValue::List(vec![item]))
}

/// `var_name`: a name with dots.
pub(super) fn variable(c: &mut Context) -> PResult<VariableName> {
    let position = c.here();
    let mut name = c.p.column_id()?.text.to_string();
    while c.p.eat_token(&Token::Period) {
        name.push('.');
        name.push_str(&c.p.column_id()?.text);
    }
    Ok(VariableName { name, position })
}

/// The variable of SHOW and RESET, with their forms of several words.
fn variable_words(c: &mut Context) -> PResult<VariableName> {
    let position = c.here();
    let fixed = if c.p.eat_all(&[Keyword::TIME, Keyword::ZONE]) {
        "timezone"
    } else if c.p.at(Keyword::TRANSACTION) && c.p.at_nth(1, Keyword::ISOLATION) {
        (0..2).for_each(|_| c.p.advance_token());
        c.p.want(Keyword::LEVEL)?;
        "transaction_isolation"
    } else if c.p.eat_all(&[Keyword::SESSION, Keyword::AUTHORIZATION]) {
        "session_authorization"
    } else {
        return variable(c);
    };
    Ok(VariableName {
        name: fixed.to_owned(),
        position,
    })
}

pub(super) fn show(c: &mut Context) -> Own {
    c.p.want(Keyword::SHOW)?;
    if c.p.at(Keyword::ALL) {
        let position = c.here();
        c.p.advance_token();
        return Ok(OwnStatement::Show(VariableName {
            name: "all".to_owned(),
            position,
        }));
    }
    variable_words(c).map(OwnStatement::Show)
}

pub(super) fn reset(c: &mut Context) -> Own {
    c.p.want(Keyword::RESET)?;
    reset_rest(c).map(OwnStatement::Reset)
}

pub(super) fn reset_rest(c: &mut Context) -> PResult<Reset> {
    if c.p.eat(Keyword::ALL) {
        Ok(Reset::All)
    } else {
        variable_words(c).map(Reset::Variable)
    }
}

fn set_constraints(c: &mut Context) -> Own {
    c.p.advance_token();
    let names = if c.p.eat(Keyword::ALL) { Vec::new() } else { c.p.qnames()? };
    let deferred = c.p.eat(Keyword::DEFERRED);
    if !deferred {
        c.p.want(Keyword::IMMEDIATE)?;
    }
    Ok(OwnStatement::SetConstraints(SetConstraints { names, deferred }))
}

pub(super) fn discard(c: &mut Context) -> Own {
    c.p.want(Keyword::DISCARD)?;
    let what = match c.p.word().map(|word| (word.keyword, word.value.as_str())) {
        Some((Keyword::ALL, _)) => Discard::All,
        Some((Keyword::TEMP | Keyword::TEMPORARY, _)) => Discard::Temp,
        Some((_, "plans")) => Discard::Plans,
        Some((_, "sequences")) => Discard::Sequences,
        _ => return c.p.unexpected(),
    };
    c.p.advance_token();
    Ok(OwnStatement::Discard(what))
}

pub(super) fn notify(c: &mut Context, keyword: Keyword) -> Own {
    c.p.advance_token();
    match keyword {
        Keyword::LISTEN => c.p.column_id().map(OwnStatement::Listen),
        Keyword::UNLISTEN if c.p.eat_token(&Token::Mul) => Ok(OwnStatement::Unlisten(None)),
        Keyword::UNLISTEN => c.p.column_id().map(Some).map(OwnStatement::Unlisten),
        _ => {
            let channel = c.p.column_id()?;
            let payload = if c.p.eat_token(&Token::Comma) {
                Some(c.p.string()?)
            } else {
                None
            };
            Ok(OwnStatement::Notify { channel, payload })
        }
    }
}

pub(super) fn declare(c: &mut Context) -> Own {
    c.p.want(Keyword::DECLARE)?;
    let name = c.p.column_id()?;
    let (mut binary, mut insensitive, mut scroll) = (false, None, None);
    loop {
        if c.p.eat(Keyword::BINARY) {
            binary = true;
        } else if c.p.eat(Keyword::INSENSITIVE) {
            insensitive = Some(true);
        } else if c.p.eat(Keyword::ASENSITIVE) {
            insensitive = Some(false);
        } else if c.p.eat(Keyword::SCROLL) {
            scroll = Some(true);
        } else if c.p.eat(Keyword::NO) {
            c.p.want(Keyword::SCROLL)?;
            scroll = Some(false);
        } else {
            break;
        }
    }
    c.p.want(Keyword::CURSOR)?;
    let hold = if c.p.eat(Keyword::WITH) {
        c.p.want(Keyword::HOLD)?;
        true
    } else {
        if c.p.eat(Keyword::WITHOUT) {
            c.p.want(Keyword::HOLD)?;
        }
        false
    };
    c.p.want(Keyword::FOR)?;
    if !c.p.at_query() {
        return c.p.unexpected();
    }
    let query = c.nested_sql()?;
    Ok(OwnStatement::Declare(Box::new(DeclareCursor {
        name,
        binary,
        insensitive,
        scroll,
        hold,
        query,
    })))
}

/// FETCH and MOVE: `fetch_args`.
pub(super) fn fetch(c: &mut Context, is_move: bool) -> Own {
    c.p.advance_token();
    let (direction, count) = direction(c)?;
    if !c.p.eat(Keyword::FROM) {
        c.p.eat(Keyword::IN);
    }
    let cursor = c.p.column_id()?;
    Ok(OwnStatement::Fetch(Fetch {
        direction,
        count,
        cursor,
        is_move,
    }))
}

fn direction(c: &mut Context) -> PResult<(FetchDirection, i64)> {
    use FetchDirection::{Absolute, Backward, Forward, Relative};
    if matches!(c.p.peek_token_ref().token, Token::Number(..) | Token::Plus | Token::Minus) {
        return Ok((Forward, c.signed_integer()?));
    }
    let keyword = c.p.word().map_or(Keyword::NoKeyword, |word| word.keyword);
    // A cursor may have a direction's name: then the statement ends after it.
    let is_cursor = matches!(c.p.ahead(1).token, Token::EOF);
    if is_cursor {
        return Ok((Forward, 1));
    }
    let fixed = match keyword {
        Keyword::NEXT => (Forward, 1),
        Keyword::PRIOR => (Backward, 1),
        Keyword::FIRST => (Absolute, 1),
        Keyword::LAST => (Absolute, -1),
        Keyword::ALL => (Forward, Fetch::ALL),
        Keyword::ABSOLUTE => {
            c.p.advance_token();
            return Ok((Absolute, c.signed_integer()?));
        }
        Keyword::RELATIVE => {
            c.p.advance_token();
            return Ok((Relative, c.signed_integer()?));
        }
        Keyword::FORWARD | Keyword::BACKWARD => {
            c.p.advance_token();
            let direction = if keyword == Keyword::FORWARD { Forward } else { Backward };
            let count = if c.p.eat(Keyword::ALL) {
                Fetch::ALL
            } else if matches!(c.p.peek_token_ref().token, Token::Number(..) | Token::Plus | Token::Minus) {
                c.signed_integer()?
            } else {
                1
            };
            return Ok((direction, count));
        }
        _ => return Ok((Forward, 1)),
    };
    c.p.advance_token();
    Ok(fixed)
}

pub(super) fn close(c: &mut Context) -> Own {
    c.p.want(Keyword::CLOSE)?;
    let name = if c.p.eat(Keyword::ALL) { None } else { Some(c.p.column_id()?) };
    Ok(OwnStatement::Close(CloseCursor { name }))
}

pub(super) fn prepare(c: &mut Context) -> Own {
    c.p.want(Keyword::PREPARE)?;
    if c.p.at(Keyword::TRANSACTION) && matches!(c.p.ahead(1).token, Token::EscapedStringLiteral(_)) {
        c.p.advance_token();
        return c.p.string().map(OwnStatement::PrepareTransaction);
    }
    let name = c.p.column_id()?;
    let types = if c.p.eat_token(&Token::LParen) {
        let types = c.p.comma_list(types::parse_type_name)?;
        c.p.want_token(&Token::RParen)?;
        types
    } else {
        Vec::new()
    };
    c.p.want(Keyword::AS)?;
    let preparable = c.p.at_query()
        || matches!(
            c.p.word().map(|word| word.keyword),
            Some(Keyword::INSERT | Keyword::UPDATE | Keyword::DELETE | Keyword::MERGE)
        );
    if !preparable {
        return c.p.unexpected();
    }
    let statement = c.nested_sql()?;
    Ok(OwnStatement::Prepare(Box::new(Prepare { name, types, statement })))
}

pub(super) fn execute(c: &mut Context) -> PResult<Execute> {
    c.p.want(Keyword::EXECUTE)?;
    let name = c.p.column_id()?;
    let args = if c.p.at_token(&Token::LParen) {
        c.call_arguments()?
    } else {
        Vec::new()
    };
    Ok(Execute { name, args })
}

pub(super) fn deallocate(c: &mut Context) -> Own {
    c.p.want(Keyword::DEALLOCATE)?;
    if c.p.at(Keyword::PREPARE) && !matches!(c.p.ahead(1).token, Token::EOF) {
        c.p.advance_token();
    }
    let name = if c.p.eat(Keyword::ALL) { None } else { Some(c.p.column_id()?) };
    Ok(OwnStatement::Deallocate(name))
}

/// 42601 with a text of its own at a position.
pub(super) fn refuse<T>(message: &str, position: u32) -> PResult<T> {
    Err(syntax(message, position))
}
