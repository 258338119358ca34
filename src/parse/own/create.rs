//! CREATE: the dispatch, and views, schemas, types, domains, sequences, extensions, databases.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::Token;

use super::ast::OwnStatement;
use super::ddl::{
    CheckOption, ColumnConstraint, ColumnConstraintKind, ColumnDef, CreateDatabase, CreateDomain, CreateExtension, CreateSchema,
    CreateSequence, CreateTableAs, CreateType, CreateTypeKind, CreateView, Deferral, OnCommit, OptionItem, Persistence, Refresh,
    SequenceOption, TableSource,
};
use super::{Context, Own};
use crate::parse::cursor::{Cursor, PResult};
use crate::parse::types;

pub(super) fn create(c: &mut Context) -> Own {
    c.p.want(Keyword::CREATE)?;
    let or_replace = c.p.eat_all(&[Keyword::OR, Keyword::REPLACE]);
    let persistence = persistence(c);
    let temporary = persistence == Persistence::Temporary;
    let Some((keyword, text)) = c.p.word().map(|word| (word.keyword, word.value.clone())) else {
        return c.p.unexpected();
    };
    match keyword {
        Keyword::VIEW | Keyword::RECURSIVE if persistence != Persistence::Unlogged => view(c, or_replace, temporary),
        Keyword::FUNCTION | Keyword::PROCEDURE if persistence == Persistence::Permanent => {
            super::function::create_function(c, or_replace)
        }
        _ if or_replace => super::other::other_create(c, &text),
        Keyword::TABLE => {
            c.p.advance_token();
            super::table::create_table(c, persistence)
        }
        Keyword::SEQUENCE => sequence(c, persistence),
        _ if persistence == Persistence::Temporary => c.p.unexpected(),
        Keyword::MATERIALIZED => materialized_view(c, persistence),
        Keyword::UNIQUE | Keyword::INDEX => super::index::create_index(c),
        Keyword::SCHEMA => schema(c),
        Keyword::TYPE => create_type(c),
        Keyword::DOMAIN => domain(c),
        Keyword::EXTENSION => extension(c),
        Keyword::DATABASE => database(c),
        Keyword::ROLE | Keyword::USER | Keyword::GROUP if !c.p.at_nth(1, Keyword::MAPPING) => {
            super::role::create_role(c, keyword)
        }
        _ => super::other::other_create(c, &text),
    }
}

fn persistence(c: &mut Context) -> Persistence {
    if (c.p.at(Keyword::LOCAL) || c.p.at(Keyword::GLOBAL)) && (c.p.at_nth(1, Keyword::TEMP) || c.p.at_nth(1, Keyword::TEMPORARY))
    {
        c.p.advance_token();
    }
    if c.p.eat(Keyword::TEMP) || c.p.eat(Keyword::TEMPORARY) {
        Persistence::Temporary
    } else if c.p.eat(Keyword::UNLOGGED) {
        Persistence::Unlogged
    } else {
        Persistence::Permanent
    }
}

fn view(c: &mut Context, or_replace: bool, temporary: bool) -> Own {
    let recursive = c.p.eat(Keyword::RECURSIVE);
    c.p.want(Keyword::VIEW)?;
    let name = c.p.qname()?;
    let columns = if recursive {
        c.p.parenthesized_names()?
    } else {
        c.p.optional_names()?
    };
    let options = if c.p.eat(Keyword::WITH) {
        c.definitions()?
    } else {
        Vec::new()
    };
    c.p.want(Keyword::AS)?;
    let query = c.query_text()?;
    let mut check_option = None;
    if c.p.eat(Keyword::WITH) {
        check_option = Some(if c.p.eat(Keyword::LOCAL) {
            CheckOption::Local
        } else {
            CheckOption::Cascaded
        });
        c.p.eat(Keyword::CASCADED);
        c.p.want(Keyword::CHECK)?;
        c.p.want(Keyword::OPTION)?;
    }
    Ok(OwnStatement::CreateView(Box::new(CreateView {
        name,
        or_replace,
        temporary,
        recursive,
        columns,
        options,
        query,
        check_option,
    })))
}

fn materialized_view(c: &mut Context, persistence: Persistence) -> Own {
    c.p.advance_token();
    c.p.want(Keyword::VIEW)?;
    let if_not_exists = c.if_not_exists();
    let name = c.p.qname()?;
    let columns = c.p.optional_names()?;
    let access_method = if c.p.eat(Keyword::USING) {
        Some(c.p.column_id()?)
    } else {
        None
    };
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
    c.p.want(Keyword::AS)?;
    let source = TableSource::Query(c.query_text()?);
    let with_data = super::table::with_data(c)?;
    Ok(OwnStatement::CreateTableAs(Box::new(CreateTableAs {
        name,
        persistence,
        if_not_exists,
        columns,
        access_method,
        options,
        on_commit: OnCommit::Preserve,
        tablespace,
        source,
        with_data,
        materialized_view: true,
    })))
}

pub(super) fn refresh(c: &mut Context) -> Own {
    c.p.want(Keyword::REFRESH)?;
    c.p.want(Keyword::MATERIALIZED)?;
    c.p.want(Keyword::VIEW)?;
    let concurrently = c.p.eat(Keyword::CONCURRENTLY);
    let name = c.p.qname()?;
    let with_data = super::table::with_data(c)?;
    Ok(OwnStatement::RefreshMaterializedView(Refresh {
        name,
        concurrently,
        with_data,
    }))
}

fn sequence(c: &mut Context, persistence: Persistence) -> Own {
    c.p.advance_token();
    let if_not_exists = c.if_not_exists();
    let name = c.p.qname()?;
    let options = sequence_options(c)?;
    Ok(OwnStatement::CreateSequence(Box::new(CreateSequence {
        name,
        persistence,
        if_not_exists,
        options,
    })))
}

/// Sequence options as long as they come.
pub(super) fn sequence_options(c: &mut Context) -> PResult<Vec<SequenceOption>> {
    let mut options = Vec::new();
    while let Some(option) = sequence_option(c)? {
        options.push(option);
    }
    Ok(options)
}

pub(super) fn sequence_option(c: &mut Context) -> PResult<Option<SequenceOption>> {
    let Some((keyword, text)) = c.p.word().map(|word| (word.keyword, word.value.clone())) else {
        return Ok(None);
    };
    let option = match (keyword, text.as_str()) {
        (Keyword::AS, _) => {
            c.p.advance_token();
            SequenceOption::As(types::parse_type_name(&mut c.p)?)
        }
        (_, "increment") => {
            c.p.advance_token();
            c.p.eat(Keyword::BY);
            SequenceOption::Increment(c.signed_number()?)
        }
        (_, "minvalue") => {
            c.p.advance_token();
            SequenceOption::MinValue(Some(c.signed_number()?))
        }
        (_, "maxvalue") => {
            c.p.advance_token();
            SequenceOption::MaxValue(Some(c.signed_number()?))
        }
        (Keyword::NO, _) => {
            c.p.advance_token();
            let option = match c.p.word().map(|word| word.value.as_str()) {
                Some("minvalue") => SequenceOption::MinValue(None),
                Some("maxvalue") => SequenceOption::MaxValue(None),
                Some("cycle") => SequenceOption::Cycle(false),
                _ => return c.p.unexpected(),
            };
            c.p.advance_token();
            option
        }
        (_, "start") => {
            c.p.advance_token();
            c.p.eat(Keyword::WITH);
            SequenceOption::Start(c.signed_number()?)
        }
        (_, "restart") => {
            c.p.advance_token();
            let with = c.p.eat(Keyword::WITH);
            let number = with || matches!(c.p.peek_token_ref().token, Token::Number(..) | Token::Plus | Token::Minus);
            SequenceOption::Restart(if number { Some(c.signed_number()?) } else { None })
        }
        (_, "cache") => {
            c.p.advance_token();
            SequenceOption::Cache(c.signed_number()?)
        }
        (_, "cycle") => {
            c.p.advance_token();
            SequenceOption::Cycle(true)
        }
        (_, "owned") => {
            c.p.advance_token();
            c.p.want(Keyword::BY)?;
            let owner = c.p.qname()?;
            let none = owner.parts.len() == 1 && owner.name() == "none";
            SequenceOption::OwnedBy(if none { None } else { Some(owner) })
        }
        (Keyword::SEQUENCE, _) => {
            c.p.advance_token();
            c.p.want(Keyword::NAME)?;
            SequenceOption::SequenceName(c.p.qname()?)
        }
        _ => return Ok(None),
    };
    Ok(Some(option))
}

fn schema(c: &mut Context) -> Own {
    c.p.advance_token();
    let if_not_exists = c.if_not_exists();
    let name = if c.p.at(Keyword::AUTHORIZATION) {
        None
    } else {
        Some(c.p.column_id()?)
    };
    let authorization = if c.p.eat(Keyword::AUTHORIZATION) {
        match c.role()? {
            super::ddl::RoleSpec::Name(name) => Some(name),
            super::ddl::RoleSpec::Public => Some(crate::parse::Name {
                text: "public".into(),
                position: 0,
            }),
            super::ddl::RoleSpec::SessionUser => Some(crate::parse::Name {
                text: "session_user".into(),
                position: 0,
            }),
            _ => Some(crate::parse::Name {
                text: "current_user".into(),
                position: 0,
            }),
        }
    } else {
        None
    };
    let mut elements = Vec::new();
    while !c.p.at_end() {
        if if_not_exists {
            let text = "CREATE SCHEMA IF NOT EXISTS cannot include schema elements";
            return Err(crate::parse::error::fail(
                &crate::error::PgError::new(crate::error::sqlstate::FEATURE_NOT_SUPPORTED, text).at(c.here()),
            ));
        }
        let element = if c.p.at(Keyword::CREATE) {
            create(c)?
        } else if c.p.at(Keyword::GRANT) {
            super::object::grant(c)?
        } else {
            return c.p.unexpected();
        };
        elements.push(element);
    }
    Ok(OwnStatement::CreateSchema(CreateSchema {
        name,
        authorization,
        if_not_exists,
        elements,
    }))
}

fn create_type(c: &mut Context) -> Own {
    c.p.advance_token();
    let name = c.p.qname()?;
    let kind = if c.p.eat(Keyword::AS) {
        if c.p.eat_text("enum") {
            c.p.want_token(&Token::LParen)?;
            let labels = if c.p.at_token(&Token::RParen) {
                Vec::new()
            } else {
                c.p.comma_list(Cursor::string)?
            };
            c.p.want_token(&Token::RParen)?;
            CreateTypeKind::Enum(labels)
        } else if c.p.eat(Keyword::RANGE) {
            CreateTypeKind::Range(c.definitions()?)
        } else {
            CreateTypeKind::Composite(composite(c)?)
        }
    } else if c.p.at_token(&Token::LParen) {
        CreateTypeKind::Base(c.definitions()?)
    } else {
        CreateTypeKind::Shell
    };
    Ok(OwnStatement::CreateType(CreateType { name, kind }))
}

fn composite(c: &mut Context) -> PResult<Vec<ColumnDef>> {
    c.p.want_token(&Token::LParen)?;
    let mut columns = Vec::new();
    if !c.p.at_token(&Token::RParen) {
        loop {
            columns.push(attribute(c)?);
            if !c.p.eat_token(&Token::Comma) {
                break;
            }
        }
    }
    c.p.want_token(&Token::RParen)?;
    Ok(columns)
}

/// `TableFuncElement`: a name, a type, a collation.
pub(super) fn attribute(c: &mut Context) -> PResult<ColumnDef> {
    let name = c.p.column_id()?;
    let type_name = Some(types::parse_type_name(&mut c.p)?);
    let collation = if c.p.eat(Keyword::COLLATE) { Some(c.p.qname()?) } else { None };
    Ok(ColumnDef {
        name,
        type_name,
        collation,
        storage: None,
        compression: None,
        constraints: Vec::new(),
    })
}

fn domain(c: &mut Context) -> Own {
    c.p.advance_token();
    let name = c.p.qname()?;
    c.p.eat(Keyword::AS);
    let base = types::parse_type_name(&mut c.p)?;
    let mut collation = None;
    let mut constraints = Vec::new();
    loop {
        let position = c.here();
        if c.p.eat(Keyword::COLLATE) {
            collation = Some(c.p.qname()?);
            continue;
        }
        let name = if c.p.eat(Keyword::CONSTRAINT) {
            Some(c.p.column_id()?)
        } else {
            None
        };
        let kind = match c.p.word().map(|word| word.keyword) {
            Some(Keyword::NOT) => {
                c.p.advance_token();
                c.p.want(Keyword::NULL)?;
                ColumnConstraintKind::NotNull
            }
            Some(Keyword::NULL) => {
                c.p.advance_token();
                ColumnConstraintKind::Null
            }
            Some(Keyword::DEFAULT) => {
                c.p.advance_token();
                ColumnConstraintKind::Default(super::table::default_expr(c)?)
            }
            Some(Keyword::CHECK) => {
                c.p.advance_token();
                let expr = c.parenthesized_expr()?;
                ColumnConstraintKind::Check {
                    expr,
                    no_inherit: c.p.eat_all(&[Keyword::NO, Keyword::INHERIT]),
                }
            }
            _ if name.is_some() => return c.p.unexpected(),
            _ => break,
        };
        constraints.push(ColumnConstraint {
            name,
            kind,
            deferral: Deferral::default(),
            position,
        });
    }
    Ok(OwnStatement::CreateDomain(Box::new(CreateDomain {
        name,
        base,
        collation,
        constraints,
    })))
}

fn extension(c: &mut Context) -> Own {
    c.p.advance_token();
    let if_not_exists = c.if_not_exists();
    let name = c.p.column_id()?;
    let mut extension = CreateExtension {
        name,
        if_not_exists,
        schema: None,
        version: None,
        cascade: false,
    };
    c.p.eat(Keyword::WITH);
    loop {
        if c.p.eat(Keyword::SCHEMA) {
            extension.schema = Some(c.p.column_id()?);
        } else if c.p.eat(Keyword::VERSION) {
            extension.version = Some(match c.p.try_string() {
                Some(text) => text,
                None => c.p.non_reserved()?.text.to_string(),
            });
        } else if c.p.eat(Keyword::CASCADE) {
            extension.cascade = true;
        } else {
            break;
        }
    }
    Ok(OwnStatement::CreateExtension(extension))
}

fn database(c: &mut Context) -> Own {
    c.p.advance_token();
    let name = c.p.column_id()?;
    c.p.eat(Keyword::WITH);
    Ok(OwnStatement::CreateDatabase(CreateDatabase {
        name,
        options: database_options(c)?,
    }))
}

/// `name [=] value` as long as they come.
pub(super) fn database_options(c: &mut Context) -> PResult<Vec<OptionItem>> {
    let mut options = Vec::new();
    while !c.p.at_end() {
        let position = c.here();
        let name = if c.p.at(Keyword::CONNECTION) && c.p.at_nth(1, Keyword::LIMIT) {
            (0..2).for_each(|_| c.p.advance_token());
            "connection_limit".to_owned()
        } else {
            c.p.non_reserved()?.text.to_string()
        };
        c.p.eat_token(&Token::Eq);
        let value = if c.p.eat(Keyword::DEFAULT) {
            None
        } else if let Some(text) = c.p.try_string() {
            Some(text)
        } else if matches!(c.p.peek_token_ref().token, Token::Number(..) | Token::Plus | Token::Minus) {
            Some(c.signed_number()?)
        } else {
            Some(c.boolean_word()?)
        };
        options.push(OptionItem { name, value, position });
    }
    Ok(options)
}
