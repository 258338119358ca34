//! CREATE, ALTER and DROP of ROLE, USER and GROUP.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::Token;

use super::ast::OwnStatement;
use super::ddl::{
    AlterObject, AlterObjectAction, AlterRole, AlterRoleAction, CreateRole, DropRole, ObjectKind, ObjectRef, RoleOption, RoleSpec,
};
use super::session::refuse;
use super::{Context, Own};
use crate::parse::QName;
use crate::parse::cursor::{Cursor, PResult};

pub(super) fn create_role(c: &mut Context, keyword: Keyword) -> Own {
    c.p.advance_token();
    let position = c.here();
    let name = match c.role()? {
        RoleSpec::Name(name) => name,
        spec => return reserved(&spec, position),
    };
    c.p.eat(Keyword::WITH);
    let options = options(c)?;
    Ok(OwnStatement::CreateRole(CreateRole {
        name,
        is_user: keyword == Keyword::USER,
        options,
    }))
}

/// Roles that cannot be made or dropped.
fn reserved<T>(spec: &RoleSpec, position: u32) -> PResult<T> {
    let text = match spec {
        RoleSpec::Public => "role name \"public\" is reserved".to_owned(),
        RoleSpec::CurrentRole => "CURRENT_ROLE cannot be used as a role name here".to_owned(),
        RoleSpec::SessionUser => "SESSION_USER cannot be used as a role name here".to_owned(),
        _ => "CURRENT_USER cannot be used as a role name here".to_owned(),
    };
    let error = crate::error::PgError::new(crate::error::sqlstate::RESERVED_NAME, text).at(position);
    Err(crate::parse::error::fail(&error))
}

fn options(c: &mut Context) -> PResult<Vec<RoleOption>> {
    let mut list = Vec::new();
    while !c.p.at_end() {
        list.push(option(c)?);
    }
    Ok(list)
}

/// Options that are one word.
fn flag(text: &str) -> Option<RoleOption> {
    Some(match text {
        "superuser" => RoleOption::Superuser(true),
        "nosuperuser" => RoleOption::Superuser(false),
        "inherit" => RoleOption::Inherit(true),
        "noinherit" => RoleOption::Inherit(false),
        "createrole" => RoleOption::CreateRole(true),
        "nocreaterole" => RoleOption::CreateRole(false),
        "createdb" => RoleOption::CreateDb(true),
        "nocreatedb" => RoleOption::CreateDb(false),
        "login" => RoleOption::Login(true),
        "nologin" => RoleOption::Login(false),
        "replication" => RoleOption::Replication(true),
        "noreplication" => RoleOption::Replication(false),
        "bypassrls" => RoleOption::BypassRls(true),
        "nobypassrls" => RoleOption::BypassRls(false),
        _ => return None,
    })
}

fn option(c: &mut Context) -> PResult<RoleOption> {
    let position = c.here();
    let Some(text) =
        c.p.word()
            .filter(|word| word.quote_style.is_none())
            .map(|word| word.value.clone())
    else {
        return c.p.unexpected();
    };
    c.p.advance_token();
    if let Some(flag) = flag(&text) {
        return Ok(flag);
    }
    Ok(match text.as_str() {
        "password" | "encrypted" => {
            if text == "encrypted" {
                c.p.want(Keyword::PASSWORD)?;
            } else if c.p.eat(Keyword::NULL) {
                return Ok(RoleOption::Password(None));
            }
            RoleOption::Password(Some(c.p.string()?))
        }
        "unencrypted" => {
            c.p.want(Keyword::PASSWORD)?;
            c.p.string()?;
            return Err(crate::parse::error::fail(
                &crate::error::PgError::new(
                    crate::error::sqlstate::FEATURE_NOT_SUPPORTED,
                    "UNENCRYPTED PASSWORD is no longer supported",
                )
                .hint("Remove UNENCRYPTED to store the password in encrypted form instead.")
                .at(position),
            ));
        }
        "connection" => {
            c.p.want(Keyword::LIMIT)?;
            RoleOption::ConnectionLimit(c.signed_integer()?)
        }
        "valid" => {
            c.p.want(Keyword::UNTIL)?;
            RoleOption::ValidUntil(c.p.string()?)
        }
        "user" | "role" => RoleOption::Members(c.roles()?),
        "admin" => RoleOption::Admins(c.roles()?),
        "in" => {
            if !c.p.eat(Keyword::GROUP) {
                c.p.want(Keyword::ROLE)?;
            }
            RoleOption::InRole(c.roles()?)
        }
        "sysid" => match c.p.try_number() {
            Some(number) => RoleOption::SysId(number),
            None => return c.p.unexpected(),
        },
        other => {
            let key_word = c.p.get_current_token();
            let known = matches!(&key_word.token, Token::Word(word)
                if crate::parse::keywords::category(word) != crate::parse::Category::Unreserved
                    || word.keyword != Keyword::NoKeyword);
            c.p.prev_token();
            if known {
                return c.p.unexpected();
            }
            return refuse(&format!("unrecognized role option \"{other}\""), position);
        }
    })
}

pub(super) fn alter_role(c: &mut Context, keyword: Keyword) -> Own {
    c.p.advance_token();
    let role = if c.p.eat(Keyword::ALL) { None } else { Some(c.role()?) };
    if let (Some(RoleSpec::Name(name)), true) = (&role, c.p.at(Keyword::RENAME)) {
        c.p.advance_token();
        c.p.want(Keyword::TO)?;
        let name = QName {
            parts: vec![name.text.clone()],
            position: name.position,
        };
        return Ok(OwnStatement::AlterObject(AlterObject {
            kind: ObjectKind::Role,
            object: ObjectRef {
                name,
                arguments: None,
                on: None,
            },
            if_exists: false,
            action: AlterObjectAction::RenameTo(c.p.column_id()?),
        }));
    }
    if keyword == Keyword::GROUP && (c.p.at(Keyword::ADD) || c.p.at(Keyword::DROP)) {
        let add = c.p.at(Keyword::ADD);
        c.p.advance_token();
        c.p.want(Keyword::USER)?;
        let action = AlterRoleAction::Members {
            add,
            members: c.roles()?,
        };
        return Ok(OwnStatement::AlterRole(AlterRole { role, action }));
    }
    let database = if c.p.eat_all(&[Keyword::IN, Keyword::DATABASE]) {
        Some(c.p.column_id()?)
    } else {
        None
    };
    let action = if c.p.eat(Keyword::SET) {
        AlterRoleAction::Set {
            database,
            set: super::session::set_rest(c, false)?,
        }
    } else if c.p.eat(Keyword::RESET) {
        AlterRoleAction::Reset {
            database,
            reset: super::session::reset_rest(c)?,
        }
    } else if database.is_some() || role.is_none() {
        return c.p.unexpected();
    } else {
        c.p.eat(Keyword::WITH);
        AlterRoleAction::Options(options(c)?)
    };
    Ok(OwnStatement::AlterRole(AlterRole { role, action }))
}

pub(super) fn drop_role(c: &mut Context) -> Own {
    c.p.advance_token();
    let if_exists = c.if_exists();
    let roles = c.roles()?;
    Ok(OwnStatement::DropRole(DropRole { roles, if_exists }))
}
