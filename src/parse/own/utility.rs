//! LOCK, COPY, EXPLAIN, VACUUM and other utilities.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::Token;

use super::ast::{
    Cluster, Copy, CopyOption, CopySource, CopyTarget, CopyValue, Do, Explain, LockTable, OwnStatement, Reindex, ReindexKind,
    RelationRef, TableLock, Truncate, Vacuum, VacuumRelation,
};
use super::ddl::OptionItem;
use super::{Context, Own};
use crate::parse::LockWait;
use crate::parse::cursor::{Cursor, PResult};

/// `relation_expr`: `[ONLY] name [*]` or `ONLY (name)`.
pub(super) fn relation(c: &mut Context) -> PResult<RelationRef> {
    if c.p.eat(Keyword::ONLY) {
        let parenthesized = c.p.eat_token(&Token::LParen);
        let name = c.p.qname()?;
        if parenthesized {
            c.p.want_token(&Token::RParen)?;
        }
        return Ok(RelationRef { name, only: true });
    }
    let name = c.p.qname()?;
    c.p.eat_token(&Token::Mul);
    Ok(RelationRef { name, only: false })
}

fn relations(c: &mut Context) -> PResult<Vec<RelationRef>> {
    let mut list = vec![relation(c)?];
    while c.p.eat_token(&Token::Comma) {
        list.push(relation(c)?);
    }
    Ok(list)
}

pub(super) fn lock(c: &mut Context) -> Own {
    c.p.want(Keyword::LOCK)?;
    c.p.eat(Keyword::TABLE);
    let tables = relations(c)?;
    let mode = if c.p.eat(Keyword::IN) {
        let mode = lock_mode(c)?;
        c.p.want(Keyword::MODE)?;
        mode
    } else {
        TableLock::AccessExclusive
    };
    let wait = if c.p.eat(Keyword::NOWAIT) {
        LockWait::NoWait
    } else {
        LockWait::Block
    };
    Ok(OwnStatement::Lock(LockTable { tables, mode, wait }))
}

fn lock_mode(c: &mut Context) -> PResult<TableLock> {
    let p = &mut c.p;
    if p.eat(Keyword::ACCESS) {
        if p.eat(Keyword::SHARE) {
            return Ok(TableLock::AccessShare);
        }
        p.want(Keyword::EXCLUSIVE)?;
        return Ok(TableLock::AccessExclusive);
    }
    if p.eat(Keyword::ROW) {
        if p.eat(Keyword::SHARE) {
            return Ok(TableLock::RowShare);
        }
        p.want(Keyword::EXCLUSIVE)?;
        return Ok(TableLock::RowExclusive);
    }
    if p.eat(Keyword::SHARE) {
        if p.eat(Keyword::UPDATE) {
            p.want(Keyword::EXCLUSIVE)?;
            return Ok(TableLock::ShareUpdateExclusive);
        }
        if p.eat(Keyword::ROW) {
            p.want(Keyword::EXCLUSIVE)?;
            return Ok(TableLock::ShareRowExclusive);
        }
        return Ok(TableLock::Share);
    }
    p.want(Keyword::EXCLUSIVE)?;
    Ok(TableLock::Exclusive)
}

/// COPY in both syntaxes.
pub(super) fn copy(c: &mut Context) -> Own {
    c.p.want(Keyword::COPY)?;
    let position = c.here();
    let mut options = Vec::new();
    let source = if c.p.eat_token(&Token::LParen) {
        let query = c.nested_sql()?;
        c.p.want_token(&Token::RParen)?;
        CopySource::Query(query)
    } else {
        if c.p.at(Keyword::BINARY)
            && c.p
                .word_at(1)
                .is_some_and(|w| !matches!(w.keyword, Keyword::FROM | Keyword::TO))
        {
            c.p.advance_token();
            options.push(copy_option("format", CopyValue::Text("binary".to_owned()), position));
        }
        let name = c.p.qname()?;
        CopySource::Table {
            name,
            columns: c.p.optional_names()?,
        }
    };
    let is_from = c.p.eat(Keyword::FROM);
    if !is_from {
        c.p.want(Keyword::TO)?;
    } else if matches!(source, CopySource::Query(_)) {
        c.p.prev_token();
        return c.p.unexpected();
    }
    let target = copy_target(c)?;
    if (c.p.at(Keyword::USING) && c.p.at_nth_text(1, "delimiters")) || c.p.at_text("delimiters") {
        let position = c.here();
        c.p.eat(Keyword::USING);
        c.p.advance_token();
        options.push(copy_option("delimiter", CopyValue::Text(c.p.string()?), position));
    }
    c.p.eat(Keyword::WITH);
    if c.p.at_token(&Token::LParen) {
        options.extend(copy_generic(c)?);
    } else {
        copy_old(c, &mut options)?;
    }
    let selection = if c.p.at(Keyword::WHERE) {
        let position = c.here();
        c.p.advance_token();
        if !is_from {
            return super::session::refuse("WHERE clause not allowed with COPY TO", position);
        }
        Some(c.p.parse_expr()?)
    } else {
        None
    };
    Ok(OwnStatement::Copy(Box::new(Copy {
        source,
        is_from,
        target,
        options,
        selection,
    })))
}

fn copy_option(name: &str, value: CopyValue, position: u32) -> CopyOption {
    CopyOption {
        name: name.to_owned(),
        value,
        position,
    }
}

fn copy_target(c: &mut Context) -> PResult<CopyTarget> {
    if c.p.eat(Keyword::STDIN) || c.p.eat(Keyword::STDOUT) {
        return Ok(CopyTarget::Client);
    }
    if c.p.eat(Keyword::PROGRAM) {
        return c.p.string().map(CopyTarget::Program);
    }
    c.p.string().map(CopyTarget::File)
}

fn copy_generic(c: &mut Context) -> PResult<Vec<CopyOption>> {
    c.p.want_token(&Token::LParen)?;
    let mut options = Vec::new();
    loop {
        let position = c.here();
        let name = c.p.label()?.text.to_string();
        let value = match &c.p.peek_token_ref().token {
            Token::Comma | Token::RParen => CopyValue::None,
            Token::Mul => {
                c.p.advance_token();
                CopyValue::Star
            }
            Token::LParen => {
                c.p.advance_token();
                let mut names = Vec::new();
                loop {
                    let word = c.here();
                    let text = match c.p.try_string() {
                        Some(text) => text,
                        None => c.boolean_word()?,
                    };
                    names.push(crate::parse::Name {
                        text: text.into(),
                        position: word,
                    });
                    if !c.p.eat_token(&Token::Comma) {
                        break;
                    }
                }
                c.p.want_token(&Token::RParen)?;
                CopyValue::List(names)
            }
            Token::EscapedStringLiteral(_) => CopyValue::Text(c.p.string()?),
            Token::Number(..) | Token::Plus | Token::Minus => CopyValue::Text(c.signed_number()?),
            _ => CopyValue::Text(c.boolean_word()?),
        };
        options.push(CopyOption { name, value, position });
        if !c.p.eat_token(&Token::Comma) {
            break;
        }
    }
    c.p.want_token(&Token::RParen)?;
    Ok(options)
}

fn copy_old(c: &mut Context, options: &mut Vec<CopyOption>) -> PResult<()> {
    loop {
        let position = c.here();
        let Some((keyword, text)) = c.p.word().map(|word| (word.keyword, word.value.clone())) else {
            return Ok(());
        };
        let option = match (keyword, text.as_str()) {
            (Keyword::BINARY, _) => ("format", CopyValue::Text("binary".to_owned())),
            (_, "csv") => ("format", CopyValue::Text("csv".to_owned())),
            (Keyword::FREEZE, _) => ("freeze", CopyValue::Text("true".to_owned())),
            (_, "header") => ("header", CopyValue::Text("true".to_owned())),
            (_, "delimiter" | "null" | "quote" | "escape") => {
                c.p.advance_token();
                c.p.eat(Keyword::AS);
                let value = CopyValue::Text(c.p.string()?);
                options.push(CopyOption {
                    name: text,
                    value,
                    position,
                });
                continue;
            }
            (_, "encoding") => {
                c.p.advance_token();
                ("encoding", CopyValue::Text(c.p.string()?))
            }
            (_, "force") => {
                c.p.advance_token();
                force_option(c, options, position)?;
                continue;
            }
            _ => return Ok(()),
        };
        if option.0 != "encoding" {
            c.p.advance_token();
        }
        options.push(copy_option(option.0, option.1, position));
    }
}

fn force_option(c: &mut Context, options: &mut Vec<CopyOption>, position: u32) -> PResult<()> {
    if c.p.eat(Keyword::NOT) {
        c.p.want(Keyword::NULL)?;
        let names = c.p.names()?;
        options.push(copy_option("force_not_null", CopyValue::List(names), position));
    } else if c.p.eat(Keyword::NULL) {
        let names = c.p.names()?;
        options.push(copy_option("force_null", CopyValue::List(names), position));
    } else {
        c.p.want_text("quote")?;
        let value = if c.p.eat_token(&Token::Mul) {
            CopyValue::Star
        } else {
            CopyValue::List(c.p.names()?)
        };
        options.push(copy_option("force_quote", value, position));
    }
    Ok(())
}

pub(super) fn explain(c: &mut Context) -> Own {
    c.p.want(Keyword::EXPLAIN)?;
    let mut options = Vec::new();
    if c.p.at_token(&Token::LParen) && !c.p.at_query() {
        options = c.utility_options()?;
    } else {
        for name in ["analyze", "verbose"] {
            let position = c.here();
            if c.p.eat_text(name) || name == "analyze" && c.p.eat_text("analyse") {
                options.push(OptionItem {
                    name: name.to_owned(),
                    value: None,
                    position,
                });
            }
        }
    }
    let statement = c.nested(explained)?;
    Ok(OwnStatement::Explain(Box::new(Explain { options, statement })))
}

/// `ExplainableStmt`.
fn explained(c: &mut Context) -> PResult<crate::parse::Statement> {
    let explainable = c.p.at_query()
        || matches!(
            c.p.word().map(|word| word.keyword),
            Some(
                Keyword::INSERT
                    | Keyword::UPDATE
                    | Keyword::DELETE
                    | Keyword::MERGE
                    | Keyword::DECLARE
                    | Keyword::EXECUTE
                    | Keyword::CREATE
                    | Keyword::REFRESH
            )
        );
    if explainable { super::statement(c) } else { c.p.unexpected() }
}

fn vacuum_relations(c: &mut Context) -> PResult<Vec<VacuumRelation>> {
    let mut list = Vec::new();
    if c.p.at_end() {
        return Ok(list);
    }
    loop {
        let name = c.p.qname()?;
        let columns = c.p.optional_names()?;
        list.push(VacuumRelation { name, columns });
        if !c.p.eat_token(&Token::Comma) {
            return Ok(list);
        }
    }
}

/// Option words of the old syntax, in this order only.
fn option_words(c: &mut Context, words: &[&str]) -> Vec<OptionItem> {
    let mut options = Vec::new();
    for word in words {
        let position = c.here();
        if c.p.eat_text(word) || *word == "analyze" && c.p.eat_text("analyse") {
            options.push(OptionItem {
                name: (*word).to_owned(),
                value: None,
                position,
            });
        }
    }
    options
}

pub(super) fn vacuum(c: &mut Context) -> Own {
    c.p.want(Keyword::VACUUM)?;
    let options = if c.p.at_token(&Token::LParen) {
        c.utility_options()?
    } else {
        option_words(c, &["full", "freeze", "verbose", "analyze"])
    };
    Ok(OwnStatement::Vacuum(Vacuum {
        options,
        relations: vacuum_relations(c)?,
    }))
}

pub(super) fn analyze(c: &mut Context) -> Own {
    c.p.advance_token();
    let options = if c.p.at_token(&Token::LParen) {
        c.utility_options()?
    } else {
        option_words(c, &["verbose"])
    };
    Ok(OwnStatement::Analyze(Vacuum {
        options,
        relations: vacuum_relations(c)?,
    }))
}

pub(super) fn reindex(c: &mut Context) -> Own {
    c.p.advance_token();
    let options = if c.p.at_token(&Token::LParen) {
        c.utility_options()?
    } else {
        Vec::new()
    };
    let kind = match c.p.word().map(|word| word.keyword) {
        Some(Keyword::INDEX) => ReindexKind::Index,
        Some(Keyword::TABLE) => ReindexKind::Table,
        Some(Keyword::SCHEMA) => ReindexKind::Schema,
        Some(Keyword::SYSTEM) => ReindexKind::System,
        Some(Keyword::DATABASE) => ReindexKind::Database,
        _ => return c.p.unexpected(),
    };
    c.p.advance_token();
    let concurrently = c.p.eat(Keyword::CONCURRENTLY);
    let name = c.p.qname()?;
    Ok(OwnStatement::Reindex(Reindex {
        kind,
        options,
        concurrently,
        name,
    }))
}

pub(super) fn cluster(c: &mut Context) -> Own {
    c.p.want(Keyword::CLUSTER)?;
    let options = if c.p.at_token(&Token::LParen) {
        c.utility_options()?
    } else {
        option_words(c, &["verbose"])
    };
    if c.p.at_end() {
        return Ok(OwnStatement::Cluster(Cluster {
            options,
            table: None,
            index: None,
        }));
    }
    let name = c.p.qname()?;
    if c.p.eat(Keyword::ON) {
        let table = Some(c.p.qname()?);
        let index = Some(crate::parse::Name {
            text: name.name().clone(),
            position: name.position,
        });
        return Ok(OwnStatement::Cluster(Cluster { options, table, index }));
    }
    let index = if c.p.eat(Keyword::USING) {
        Some(c.p.column_id()?)
    } else {
        None
    };
    Ok(OwnStatement::Cluster(Cluster {
        options,
        table: Some(name),
        index,
    }))
}

pub(super) fn truncate(c: &mut Context) -> Own {
    c.p.want(Keyword::TRUNCATE)?;
    c.p.eat(Keyword::TABLE);
    let tables = relations(c)?;
    let restart_identity = if c.p.eat(Keyword::RESTART) {
        c.p.want(Keyword::IDENTITY)?;
        true
    } else {
        if c.p.eat(Keyword::CONTINUE) {
            c.p.want(Keyword::IDENTITY)?;
        }
        false
    };
    let cascade = c.cascade();
    Ok(OwnStatement::Truncate(Truncate {
        tables,
        restart_identity,
        cascade,
    }))
}

pub(super) fn load(c: &mut Context) -> Own {
    c.p.want(Keyword::LOAD)?;
    c.p.string().map(OwnStatement::Load)
}

pub(super) fn do_block(c: &mut Context) -> Own {
    c.p.want(Keyword::DO)?;
    let (mut body, mut language) = (None, None);
    loop {
        if c.p.eat(Keyword::LANGUAGE) {
            language = Some(c.p.non_reserved()?);
        } else if let Some(text) = c.p.try_string() {
            body = Some(text);
        } else {
            break;
        }
    }
    match body {
        Some(body) => Ok(OwnStatement::Do(Do { body, language })),
        None if language.is_none() => c.p.unexpected(),
        None => super::session::refuse("no inline code specified", 0),
    }
}

pub(super) fn call(c: &mut Context) -> Own {
    c.p.want(Keyword::CALL)?;
    let start = c.here();
    match c.p.parse_expr()? {
        expr @ sqlparser::ast::Expr::Function(_) => Ok(OwnStatement::Call(Box::new(expr))),
        _ => Err(crate::parse::error::syntax_error_at(start)),
    }
}
