//! DROP, COMMENT, GRANT, REVOKE, and ALTER of any object's name, owner or schema.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::Token;

use super::ast::OwnStatement;
use super::ddl::{
    AlterObject, AlterObjectAction, CommentOn, Drop, DropDatabase, Grant, GrantRole, GrantTarget, ObjectKind, ObjectRef,
    Privilege, RoleSpec,
};
use super::{Context, Own};
use crate::parse::cursor::{Cursor, PResult};
use crate::parse::names::{Name, QName};
use crate::parse::types;

fn plain(name: QName) -> ObjectRef {
    ObjectRef {
        name,
        arguments: None,
        on: None,
    }
}

/// The words of a kind of object; the cursor moves past them.
pub(super) fn object_kind(c: &mut Context) -> PResult<ObjectKind> {
    let Some((keyword, text)) = c.p.word().map(|word| (word.keyword, word.value.clone())) else {
        return c.p.unexpected();
    };
    let second = c.p.word_at(1).map(|word| word.value.clone()).unwrap_or_default();
    let (kind, words) = match (keyword, text.as_str(), second.as_str()) {
        (Keyword::TABLE, ..) => (ObjectKind::Table, 1),
        (Keyword::VIEW, ..) => (ObjectKind::View, 1),
        (_, "materialized", "view") => (ObjectKind::MaterializedView, 2),
        (Keyword::SEQUENCE, ..) => (ObjectKind::Sequence, 1),
        (Keyword::INDEX, ..) => (ObjectKind::Index, 1),
        (_, "foreign", "table") => (ObjectKind::ForeignTable, 2),
        (_, "foreign", "data") => (ObjectKind::ForeignDataWrapper, 3),
        (_, "foreign", "server") => (ObjectKind::ForeignServer, 2),
        (Keyword::SCHEMA, ..) => (ObjectKind::Schema, 1),
        (Keyword::TYPE, ..) => (ObjectKind::Type, 1),
        (Keyword::DOMAIN, ..) => (ObjectKind::Domain, 1),
        (Keyword::COLUMN, ..) => (ObjectKind::Column, 1),
        (Keyword::CONSTRAINT, ..) => (ObjectKind::Constraint, 1),
        (Keyword::FUNCTION, ..) => (ObjectKind::Function, 1),
        (Keyword::PROCEDURE, ..) => (ObjectKind::Procedure, 1),
        (_, "routine", _) => (ObjectKind::Routine, 1),
        (_, "aggregate", _) => (ObjectKind::Aggregate, 1),
        (_, "operator", "class") => (ObjectKind::OperatorClass, 2),
        (_, "operator", "family") => (ObjectKind::OperatorFamily, 2),
        (_, "operator", _) => (ObjectKind::Operator, 1),
        (_, "collation", _) => (ObjectKind::Collation, 1),
        (_, "conversion", _) => (ObjectKind::Conversion, 1),
        (_, "extension", _) => (ObjectKind::Extension, 1),
        (Keyword::DATABASE, ..) => (ObjectKind::Database, 1),
        (Keyword::ROLE, ..) => (ObjectKind::Role, 1),
        (Keyword::TABLESPACE, ..) => (ObjectKind::Tablespace, 1),
        (_, "event", "trigger") => (ObjectKind::EventTrigger, 2),
        (Keyword::TRIGGER, ..) => (ObjectKind::Trigger, 1),
        (_, "rule", _) => (ObjectKind::Rule, 1),
        (_, "policy", _) => (ObjectKind::Policy, 1),
        (_, "procedural", "language") => (ObjectKind::Language, 2),
        (_, "language", _) => (ObjectKind::Language, 1),
        (Keyword::CAST, ..) => (ObjectKind::Cast, 1),
        (_, "transform", _) => (ObjectKind::Transform, 1),
        (_, "large", "object") => (ObjectKind::LargeObject, 2),
        (_, "access", "method") => (ObjectKind::AccessMethod, 2),
        (_, "server", _) => (ObjectKind::ForeignServer, 1),
        (_, "publication", _) => (ObjectKind::Publication, 1),
        (_, "subscription", _) => (ObjectKind::Subscription, 1),
        (_, "statistics", _) => (ObjectKind::Statistics, 1),
        (_, "text", "search") => (text_search(c)?, 3),
        (_, "materialized" | "foreign" | "event" | "text" | "access" | "large", _) => {
            c.p.advance_token();
            return c.p.unexpected();
        }
        _ => return c.p.unexpected(),
    };
    (0..words).for_each(|_| c.p.advance_token());
    Ok(kind)
}

fn text_search(c: &Context) -> PResult<ObjectKind> {
    Ok(match c.p.word_at(2).map(|word| word.value.as_str()) {
        Some("configuration") => ObjectKind::TextSearchConfiguration,
        Some("dictionary") => ObjectKind::TextSearchDictionary,
        Some("parser") => ObjectKind::TextSearchParser,
        Some("template") => ObjectKind::TextSearchTemplate,
        _ => return c.p.unexpected(),
    })
}

/// One object of a kind, as DROP, COMMENT and ALTER name it.
fn object(c: &mut Context, kind: ObjectKind) -> PResult<ObjectRef> {
    match kind {
        ObjectKind::Function | ObjectKind::Procedure | ObjectKind::Routine => function_ref(c),
        ObjectKind::Aggregate => {
            let object = function_ref(c)?;
            if object.arguments.is_none() {
                c.p.unexpected()
            } else {
                Ok(object)
            }
        }
        ObjectKind::Trigger | ObjectKind::Rule | ObjectKind::Policy => {
            let name = c.p.column_id()?;
            c.p.want(Keyword::ON)?;
            let on = Some(c.p.qname()?);
            Ok(ObjectRef {
                name: one(name),
                arguments: None,
                on,
            })
        }
        ObjectKind::Constraint => {
            let name = c.p.column_id()?;
            c.p.want(Keyword::ON)?;
            c.p.eat(Keyword::DOMAIN);
            let on = Some(c.p.qname()?);
            Ok(ObjectRef {
                name: one(name),
                arguments: None,
                on,
            })
        }
        ObjectKind::Type | ObjectKind::Domain => {
            let position = c.here();
            let type_name = types::parse_type_name(&mut c.p)?;
            Ok(plain(QName {
                parts: type_name.names,
                position,
            }))
        }
        _ => rare_object(c, kind),
    }
}

/// Kinds that holdfast does not keep, read so that their names are told right, and those with a plain name.
fn rare_object(c: &mut Context, kind: ObjectKind) -> PResult<ObjectRef> {
    match kind {
        ObjectKind::OperatorClass | ObjectKind::OperatorFamily => {
            let name = c.p.qname()?;
            c.p.want(Keyword::USING)?;
            c.p.column_id()?;
            Ok(plain(name))
        }
        ObjectKind::Operator => operator_ref(c),
        ObjectKind::Cast => {
            let position = c.here();
            crate::parse::rewrite::skip_parentheses(&mut c.p)?;
            Ok(plain(QName {
                parts: vec!["cast".into()],
                position,
            }))
        }
        ObjectKind::Transform => {
            c.p.want(Keyword::FOR)?;
            let position = c.here();
            types::parse_type_name(&mut c.p)?;
            c.p.want(Keyword::LANGUAGE)?;
            c.p.column_id()?;
            Ok(plain(QName {
                parts: vec!["transform".into()],
                position,
            }))
        }
        ObjectKind::LargeObject => {
            let position = c.here();
            let number = c.signed_number()?;
            Ok(plain(QName {
                parts: vec![number.into()],
                position,
            }))
        }
        _ => c.p.qname().map(plain),
    }
}

fn one(name: Name) -> QName {
    QName {
        parts: vec![name.text],
        position: name.position,
    }
}

/// `name [(argument types)]`.
fn function_ref(c: &mut Context) -> PResult<ObjectRef> {
    let name = c.p.function_name()?;
    let mut arguments = None;
    if c.p.eat_token(&Token::LParen) {
        let mut list = Vec::new();
        if c.p.eat_token(&Token::Mul) {
        } else if !c.p.at_token(&Token::RParen) {
            loop {
                list.push(argument_type(c)?);
                if !c.p.eat_token(&Token::Comma) && !c.p.at(Keyword::ORDER) {
                    break;
                }
                c.p.eat_all(&[Keyword::ORDER, Keyword::BY]);
            }
        }
        c.p.want_token(&Token::RParen)?;
        arguments = Some(list);
    }
    Ok(ObjectRef {
        name,
        arguments,
        on: None,
    })
}

/// `[schema.]operator ( left, right )`.
fn operator_ref(c: &mut Context) -> PResult<ObjectRef> {
    let position = c.here();
    let mut parts = Vec::new();
    while c.p.word().is_some() {
        parts.push(c.p.column_id()?.text);
        c.p.want_token(&Token::Period)?;
    }
    if crate::parse::infix::operator_of(&c.p.peek_token_ref().token).is_none() {
        return c.p.unexpected();
    }
    parts.push(c.p.next_token().token.to_string().into());
    c.p.want_token(&Token::LParen)?;
    let mut arguments = Vec::new();
    if !c.p.eat(Keyword::NONE) {
        arguments.push(types::parse_type_name(&mut c.p)?);
    }
    if arguments.len() == 1 && c.p.at_token(&Token::RParen) {
        let error = crate::error::PgError::new(crate::error::sqlstate::SYNTAX_ERROR, "missing argument")
            .hint("Use NONE to denote the missing argument of a unary operator.")
            .at(c.here());
        return Err(crate::parse::error::fail(&error));
    }
    c.p.want_token(&Token::Comma)?;
    if arguments.is_empty() || !c.p.eat(Keyword::NONE) {
        arguments.push(types::parse_type_name(&mut c.p)?);
    }
    c.p.want_token(&Token::RParen)?;
    Ok(ObjectRef {
        name: QName { parts, position },
        arguments: Some(arguments),
        on: None,
    })
}

/// `[mode] [name] type` of a signature.
fn argument_type(c: &mut Context) -> PResult<types::TypeName> {
    if c.p.at(Keyword::IN) || c.p.at(Keyword::VARIADIC) || c.p.at_text("out") || c.p.at_text("inout") {
        c.p.advance_token();
    }
    let named = c.p.word_at(1).is_some()
        && !c.p.at(Keyword::DOUBLE)
        && !c.p.at_nth(1, Keyword::ARRAY)
        && !c.p.at_nth(1, Keyword::ORDER)
        && c.p.word().is_some_and(|word| {
            use crate::parse::keywords::{Category, category};
            matches!(category(word), Category::Unreserved | Category::TypeFunction)
        });
    if named {
        c.p.advance_token();
    }
    types::parse_type_name(&mut c.p)
}

pub(super) fn drop_statement(c: &mut Context) -> Own {
    c.p.want(Keyword::DROP)?;
    if c.p.at_text("owned") {
        c.p.advance_token();
        c.p.want(Keyword::BY)?;
        c.roles()?;
        c.cascade();
        return Ok(OwnStatement::Other { tag: "DROP OWNED" });
    }
    match c.p.word().map(|word| word.keyword) {
        Some(Keyword::USER) if c.p.at_nth(1, Keyword::MAPPING) => {
            c.skip_rest();
            return Ok(OwnStatement::Other {
                tag: "DROP USER MAPPING",
            });
        }
        Some(Keyword::ROLE | Keyword::USER | Keyword::GROUP) => return super::role::drop_role(c),
        Some(Keyword::DATABASE) => return drop_database(c),
        _ => {}
    }
    let kind = object_kind(c)?;
    if matches!(kind, ObjectKind::Column | ObjectKind::Constraint | ObjectKind::LargeObject) {
        c.p.prev_token();
        return c.p.unexpected();
    }
    let concurrently = kind == ObjectKind::Index && c.p.eat(Keyword::CONCURRENTLY);
    let if_exists = c.if_exists();
    let mut objects = vec![object(c, kind)?];
    let several = !matches!(
        kind,
        ObjectKind::Trigger | ObjectKind::Rule | ObjectKind::Policy | ObjectKind::Cast | ObjectKind::Transform
    );
    while several && c.p.eat_token(&Token::Comma) {
        objects.push(object(c, kind)?);
    }
    let cascade = c.cascade();
    Ok(OwnStatement::Drop(Drop {
        kind,
        objects,
        if_exists,
        cascade,
        concurrently,
    }))
}

fn drop_database(c: &mut Context) -> Own {
    c.p.advance_token();
    let if_exists = c.if_exists();
    let name = c.p.column_id()?;
    let mut force = false;
    c.p.eat(Keyword::WITH);
    if c.p.eat_token(&Token::LParen) {
        loop {
            c.p.want_text("force")?;
            force = true;
            if !c.p.eat_token(&Token::Comma) {
                break;
            }
        }
        c.p.want_token(&Token::RParen)?;
    }
    Ok(OwnStatement::DropDatabase(DropDatabase { name, if_exists, force }))
}

pub(super) fn comment(c: &mut Context) -> Own {
    c.p.want(Keyword::COMMENT)?;
    c.p.want(Keyword::ON)?;
    let mut kind = object_kind(c)?;
    let is_domain = kind == ObjectKind::Constraint && c.p.at_nth(1, Keyword::ON) && c.p.at_nth(2, Keyword::DOMAIN);
    let object = object(c, kind)?;
    if is_domain {
        kind = ObjectKind::DomainConstraint;
    }
    c.p.want(Keyword::IS)?;
    let comment = if c.p.eat(Keyword::NULL) { None } else { Some(c.p.string()?) };
    Ok(OwnStatement::Comment(CommentOn { kind, object, comment }))
}

/// ALTER of a kind without a parser of its own.
pub(super) fn alter_object(c: &mut Context, text: &str) -> Own {
    match text {
        "system" => {
            c.skip_rest();
            return Ok(OwnStatement::Other { tag: "ALTER SYSTEM" });
        }
        "default" => {
            c.skip_rest();
            return Ok(OwnStatement::Other {
                tag: "ALTER DEFAULT PRIVILEGES",
            });
        }
        "user" => {
            c.skip_rest();
            return Ok(OwnStatement::Other {
                tag: "ALTER USER MAPPING",
            });
        }
        _ => {}
    }
    let kind = object_kind(c)?;
    if matches!(
        kind,
        ObjectKind::Column | ObjectKind::Constraint | ObjectKind::Cast | ObjectKind::Transform
    ) {
        c.p.prev_token();
        return c.p.unexpected();
    }
    let if_exists = c.if_exists();
    let object = object(c, kind)?;
    common_action(c, kind, object, if_exists)
}

/// RENAME TO, OWNER TO, SET SCHEMA; anything else of a known kind is not supported.
pub(super) fn common_action(c: &mut Context, kind: ObjectKind, object: ObjectRef, if_exists: bool) -> Own {
    let action = if c.p.at(Keyword::RENAME) && c.p.at_nth(1, Keyword::TO) {
        (0..2).for_each(|_| c.p.advance_token());
        AlterObjectAction::RenameTo(c.p.column_id()?)
    } else if c.p.at(Keyword::OWNER) && c.p.at_nth(1, Keyword::TO) {
        (0..2).for_each(|_| c.p.advance_token());
        AlterObjectAction::OwnerTo(c.role()?)
    } else if c.p.at(Keyword::SET) && c.p.at_nth(1, Keyword::SCHEMA) {
        (0..2).for_each(|_| c.p.advance_token());
        AlterObjectAction::SetSchema(c.p.column_id()?)
    } else if c.p.word().is_some() && !matches!(kind, ObjectKind::Schema | ObjectKind::Type | ObjectKind::Domain) {
        c.skip_rest();
        return Ok(OwnStatement::Other {
            tag: super::tags::alter_tag(kind),
        });
    } else {
        return c.p.unexpected();
    };
    Ok(OwnStatement::AlterObject(AlterObject {
        kind,
        object,
        if_exists,
        action,
    }))
}

pub(super) fn grant(c: &mut Context) -> Own {
    c.p.want(Keyword::GRANT)?;
    privileges_or_roles(c, true, false)
}

pub(super) fn revoke(c: &mut Context) -> Own {
    c.p.want(Keyword::REVOKE)?;
    let option_for = |c: &mut Context, word: &str| {
        let found = c.p.at_text(word) && c.p.at_nth(1, Keyword::OPTION) && c.p.at_nth(2, Keyword::FOR);
        if found {
            (0..3).for_each(|_| c.p.advance_token());
        }
        found
    };
    let option = option_for(c, "grant") || option_for(c, "admin");
    privileges_or_roles(c, false, option)
}

/// The list after GRANT or REVOKE, then ON (rights) or TO/FROM (roles).
fn privileges_or_roles(c: &mut Context, is_grant: bool, option: bool) -> Own {
    let mut privileges = Vec::new();
    loop {
        privileges.push(privilege(c)?);
        if !c.p.eat_token(&Token::Comma) {
            break;
        }
    }
    let link = if is_grant { Keyword::TO } else { Keyword::FROM };
    let target = if c.p.eat(Keyword::ON) { Some(target(c)?) } else { None };
    c.p.want(link)?;
    let grantees = grantees(c)?;
    let with = |c: &mut Context, word: &str| {
        let found = c.p.at(Keyword::WITH) && c.p.at_nth_text(1, word) && c.p.at_nth(2, Keyword::OPTION);
        if found {
            (0..3).for_each(|_| c.p.advance_token());
        }
        found
    };
    let Some(target) = target else {
        let admin_option = option || is_grant && with(c, "admin");
        granted_by(c)?;
        let cascade = !is_grant && c.cascade();
        let roles = privileges
            .into_iter()
            .map(|privilege| role_of(c, privilege))
            .collect::<PResult<Vec<Name>>>()?;
        return Ok(OwnStatement::GrantRole(GrantRole {
            is_grant,
            roles,
            grantees,
            admin_option,
            cascade,
        }));
    };
    let grant_option = option || is_grant && with(c, "grant");
    granted_by(c)?;
    let cascade = !is_grant && c.cascade();
    Ok(OwnStatement::Grant(Grant {
        is_grant,
        privileges,
        target,
        grantees,
        grant_option,
        cascade,
    }))
}

fn role_of(c: &Context, privilege: Privilege) -> PResult<Name> {
    if privilege.columns.is_empty() {
        Ok(Name {
            text: privilege.name.into(),
            position: 0,
        })
    } else {
        c.p.unexpected()
    }
}

fn granted_by(c: &mut Context) -> PResult<()> {
    if c.p.at_text("granted") {
        c.p.advance_token();
        c.p.want(Keyword::BY)?;
        c.role()?;
    }
    Ok(())
}

fn grantees(c: &mut Context) -> PResult<Vec<RoleSpec>> {
    let mut list = Vec::new();
    loop {
        c.p.eat(Keyword::GROUP);
        list.push(c.role()?);
        if !c.p.eat_token(&Token::Comma) {
            return Ok(list);
        }
    }
}

fn privilege(c: &mut Context) -> PResult<Privilege> {
    if c.p.eat(Keyword::ALL) {
        c.p.eat(Keyword::PRIVILEGES);
        return Ok(Privilege {
            name: "all".to_owned(),
            columns: c.p.optional_names()?,
        });
    }
    let reserved = matches!(
        c.p.word().map(|word| word.keyword),
        Some(Keyword::SELECT | Keyword::REFERENCES | Keyword::CREATE)
    );
    let mut name = if reserved { c.p.label()? } else { c.p.column_id()? }.text.to_string();
    if name == "alter" && c.p.eat(Keyword::SYSTEM) {
        "alter system".clone_into(&mut name);
    }
    Ok(Privilege {
        name,
        columns: c.p.optional_names()?,
    })
}

fn target(c: &mut Context) -> PResult<GrantTarget> {
    if c.p.eat(Keyword::ALL) {
        let kind = match c.p.label()?.text.as_str() {
            "tables" => ObjectKind::Table,
            "sequences" => ObjectKind::Sequence,
            "functions" => ObjectKind::Function,
            "procedures" => ObjectKind::Procedure,
            "routines" => ObjectKind::Routine,
            _ => {
                c.p.prev_token();
                return c.p.unexpected();
            }
        };
        c.p.want(Keyword::IN)?;
        c.p.want(Keyword::SCHEMA)?;
        return Ok(GrantTarget::AllInSchema {
            kind,
            schemas: c.p.names()?,
        });
    }
    if c.p.at_text("parameter") {
        c.p.advance_token();
        let mut list = vec![super::session::variable(c)?];
        while c.p.eat_token(&Token::Comma) {
            list.push(super::session::variable(c)?);
        }
        return Ok(GrantTarget::Parameters(list));
    }
    let named = matches!(
        c.p.word().map(|word| word.value.as_str()),
        Some(
            "table"
                | "sequence"
                | "database"
                | "schema"
                | "function"
                | "procedure"
                | "routine"
                | "language"
                | "large"
                | "type"
                | "domain"
                | "tablespace"
                | "foreign"
        )
    ) && (c.p.word_at(1).is_some() || c.p.at_nth_token(1, &Token::Period) || c.p.at(Keyword::TABLE));
    let kind = if named { object_kind(c)? } else { ObjectKind::Table };
    let mut objects = vec![object(c, kind)?];
    while c.p.eat_token(&Token::Comma) {
        objects.push(object(c, kind)?);
    }
    Ok(GrantTarget::Objects { kind, objects })
}
