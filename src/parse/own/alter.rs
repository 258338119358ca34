//! ALTER: the dispatch, ALTER TABLE with its actions, indexes, sequences, types, domains, databases.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::Token;

use super::ast::{OwnStatement, RelationRef};
use super::ddl::{
    AlterAction, AlterDatabase, AlterDatabaseAction, AlterDomain, AlterDomainAction, AlterIndex, AlterIndexAction, AlterSequence,
    AlterTable, AlterType, AlterTypeAction, AlterView, Deferral, EnumPlace, ObjectKind, ObjectRef, RoleSpec, TableKind,
};
use super::{Context, Own};
use crate::parse::cursor::{Cursor, PResult};
use crate::parse::names::Name;
use crate::parse::types;

pub(super) fn alter(c: &mut Context) -> Own {
    c.p.want(Keyword::ALTER)?;
    let Some((keyword, text)) = c.p.word().map(|word| (word.keyword, word.value.clone())) else {
        return c.p.unexpected();
    };
    match keyword {
        Keyword::TABLE => {
            c.p.advance_token();
            table(c, TableKind::Table)
        }
        Keyword::INDEX => index(c),
        Keyword::SEQUENCE => sequence(c),
        Keyword::VIEW => {
            c.p.advance_token();
            view(c)
        }
        Keyword::MATERIALIZED => {
            c.p.advance_token();
            c.p.want(Keyword::VIEW)?;
            table(c, TableKind::MaterializedView)
        }
        Keyword::FOREIGN if c.p.at_nth(1, Keyword::TABLE) => {
            (0..2).for_each(|_| c.p.advance_token());
            table(c, TableKind::ForeignTable)
        }
        Keyword::TYPE => alter_type(c),
        Keyword::DOMAIN => domain(c),
        Keyword::DATABASE => database(c),
        Keyword::ROLE | Keyword::USER | Keyword::GROUP if !c.p.at_nth(1, Keyword::MAPPING) => super::role::alter_role(c, keyword),
        _ => super::object::alter_object(c, &text),
    }
}

fn table(c: &mut Context, kind: TableKind) -> Own {
    if c.p.at(Keyword::ALL) && c.p.at_nth(1, Keyword::IN) {
        c.skip_rest();
        return Ok(OwnStatement::Other { tag: "ALTER TABLE" });
    }
    let if_exists = c.if_exists();
    let relation = super::utility::relation(c)?;
    let single = single_action(c)?;
    let actions = if let Some(action) = single {
        vec![action]
    } else {
        let mut actions = vec![action(c)?];
        while c.p.eat_token(&Token::Comma) {
            actions.push(action(c)?);
        }
        actions
    };
    Ok(OwnStatement::AlterTable(Box::new(AlterTable {
        kind,
        if_exists,
        relation,
        actions,
    })))
}

/// Forms that stand alone: RENAME, SET SCHEMA, partitions.
fn single_action(c: &mut Context) -> PResult<Option<AlterAction>> {
    if c.p.eat(Keyword::RENAME) {
        if c.p.eat(Keyword::TO) {
            return c.p.column_id().map(|name| Some(AlterAction::RenameTo(name)));
        }
        if c.p.eat(Keyword::CONSTRAINT) {
            let from = c.p.column_id()?;
            c.p.want(Keyword::TO)?;
            return Ok(Some(AlterAction::RenameConstraint {
                from,
                to: c.p.column_id()?,
            }));
        }
        c.p.eat(Keyword::COLUMN);
        let from = c.p.column_id()?;
        c.p.want(Keyword::TO)?;
        return Ok(Some(AlterAction::RenameColumn {
            from,
            to: c.p.column_id()?,
        }));
    }
    if c.p.at(Keyword::SET) && c.p.at_nth(1, Keyword::SCHEMA) {
        (0..2).for_each(|_| c.p.advance_token());
        return c.p.column_id().map(|name| Some(AlterAction::SetSchema(name)));
    }
    if c.p.eat_text("attach") {
        c.p.want(Keyword::PARTITION)?;
        let name = c.p.qname()?;
        if !c.p.at_end() {
            super::table::partition_bound(c)?;
        }
        return Ok(Some(AlterAction::AttachPartition(name)));
    }
    if c.p.eat_text("detach") {
        c.p.want(Keyword::PARTITION)?;
        let name = c.p.qname()?;
        if !c.p.eat(Keyword::CONCURRENTLY) {
            c.p.eat_text("finalize");
        }
        return Ok(Some(AlterAction::DetachPartition(name)));
    }
    Ok(None)
}

/// `alter_table_cmd`.
fn action(c: &mut Context) -> PResult<AlterAction> {
    let Some((keyword, text)) = c.p.word().map(|word| (word.keyword, word.value.clone())) else {
        return c.p.unexpected();
    };
    match (keyword, text.as_str()) {
        (Keyword::ADD, _) => add(c),
        (Keyword::DROP, _) => drop_action(c),
        (Keyword::ALTER, _) => alter_action(c),
        (Keyword::SET, _) => set_action(c),
        (_, "validate") => {
            c.p.advance_token();
            c.p.want(Keyword::CONSTRAINT)?;
            c.p.column_id().map(AlterAction::ValidateConstraint)
        }
        (Keyword::OWNER, _) => {
            c.p.advance_token();
            c.p.want(Keyword::TO)?;
            role_name(c).map(AlterAction::OwnerTo)
        }
        (Keyword::RESET, _) => {
            c.p.advance_token();
            c.definitions().map(AlterAction::ResetOptions)
        }
        (Keyword::CLUSTER, _) => {
            c.p.advance_token();
            c.p.want(Keyword::ON)?;
            c.p.column_id().map(AlterAction::ClusterOn)
        }
        (_, "inherit") => {
            c.p.advance_token();
            c.p.qname().map(AlterAction::Inherit)
        }
        (Keyword::NO, _) => {
            c.p.advance_token();
            if c.p.eat_text("inherit") {
                return c.p.qname().map(AlterAction::NoInherit);
            }
            rest(c).map(AlterAction::RowSecurity)
        }
        (Keyword::OF, _) => {
            c.p.advance_token();
            c.p.qname().map(AlterAction::OfType)
        }
        (Keyword::NOT, _) => {
            c.p.advance_token();
            c.p.want(Keyword::OF)?;
            Ok(AlterAction::NotOfType)
        }
        (_, "replica") => rest(c).map(AlterAction::ReplicaIdentity),
        (_, "force") => rest(c).map(AlterAction::RowSecurity),
        (_, "enable" | "disable") => {
            let text = rest(c)?;
            if text.to_ascii_lowercase().contains("row level security") {
                Ok(AlterAction::RowSecurity(text))
            } else {
                Ok(AlterAction::Trigger(text))
            }
        }
        _ => c.p.unexpected(),
    }
}

/// The words up to the next comma, as text.
fn rest(c: &mut Context) -> PResult<String> {
    let start = c.here();
    while !c.p.at_end() && !c.p.at_token(&Token::Comma) {
        if c.p.word().is_none() {
            return c.p.unexpected();
        }
        c.p.advance_token();
    }
    Ok(c.text_from(start))
}

fn role_name(c: &mut Context) -> PResult<Name> {
    let position = c.here();
    let special = |text: &str| Name {
        text: text.into(),
        position,
    };
    Ok(match c.role()? {
        RoleSpec::Name(name) => name,
        RoleSpec::CurrentUser | RoleSpec::CurrentRole => special("current_user"),
        RoleSpec::SessionUser => special("session_user"),
        RoleSpec::Public => special("public"),
    })
}

fn add(c: &mut Context) -> PResult<AlterAction> {
    c.p.want(Keyword::ADD)?;
    if super::table::at_constraint(c) {
        return super::table::table_constraint(c).map(|constraint| AlterAction::AddConstraint(Box::new(constraint)));
    }
    c.p.eat(Keyword::COLUMN);
    let if_not_exists = c.if_not_exists();
    let column = Box::new(super::table::column(c)?);
    Ok(AlterAction::AddColumn { if_not_exists, column })
}

fn drop_action(c: &mut Context) -> PResult<AlterAction> {
    c.p.want(Keyword::DROP)?;
    if c.p.eat(Keyword::CONSTRAINT) {
        let if_exists = c.if_exists();
        let name = c.p.column_id()?;
        return Ok(AlterAction::DropConstraint {
            if_exists,
            name,
            cascade: c.cascade(),
        });
    }
    c.p.eat(Keyword::COLUMN);
    let if_exists = c.if_exists();
    let column = c.p.column_id()?;
    Ok(AlterAction::DropColumn {
        if_exists,
        column,
        cascade: c.cascade(),
    })
}

fn set_action(c: &mut Context) -> PResult<AlterAction> {
    c.p.want(Keyword::SET)?;
    if c.p.at_token(&Token::LParen) {
        return c.definitions().map(AlterAction::SetOptions);
    }
    let text = c.p.label()?.text;
    match text.as_str() {
        "logged" => Ok(AlterAction::SetLogged(true)),
        "unlogged" => Ok(AlterAction::SetLogged(false)),
        "tablespace" => c.p.column_id().map(AlterAction::SetTablespace),
        "access" => {
            c.p.want(Keyword::METHOD)?;
            c.p.column_id().map(AlterAction::SetAccessMethod)
        }
        "without" if c.p.eat(Keyword::CLUSTER) => Ok(AlterAction::SetWithoutCluster),
        "without" => {
            c.p.want_text("oids")?;
            Ok(AlterAction::SetWithoutOids)
        }
        _ => {
            c.p.prev_token();
            c.p.unexpected()
        }
    }
}

/// `ALTER [COLUMN] name` ... and ALTER CONSTRAINT.
fn alter_action(c: &mut Context) -> PResult<AlterAction> {
    c.p.want(Keyword::ALTER)?;
    if c.p.eat(Keyword::CONSTRAINT) {
        let name = c.p.column_id()?;
        let mut deferral = Deferral::default();
        super::table::deferral(c, &mut deferral)?;
        return Ok(AlterAction::AlterConstraint { name, deferral });
    }
    c.p.eat(Keyword::COLUMN);
    let column = match c.p.try_number() {
        Some(number) => Name {
            text: number.into(),
            position: c.here(),
        },
        None => c.p.column_id()?,
    };
    match c.p.word().map(|word| word.keyword) {
        Some(Keyword::TYPE) => set_type(c, column),
        Some(Keyword::SET) => {
            if c.p.at_nth(1, Keyword::DATA) {
                (0..2).for_each(|_| c.p.advance_token());
                return set_type(c, column);
            }
            set_column(c, column)
        }
        Some(Keyword::DROP) => drop_column_property(c, column),
        Some(Keyword::ADD) => {
            c.p.advance_token();
            c.p.want(Keyword::GENERATED)?;
            let always = generated_when(c)?;
            c.p.want(Keyword::AS)?;
            c.p.want(Keyword::IDENTITY)?;
            let options = if c.p.eat_token(&Token::LParen) {
                let options = super::create::sequence_options(c)?;
                c.p.want_token(&Token::RParen)?;
                options
            } else {
                Vec::new()
            };
            Ok(AlterAction::AddIdentity { column, always, options })
        }
        Some(Keyword::RESET) => {
            c.p.advance_token();
            Ok(AlterAction::ResetColumnOptions {
                column,
                options: c.definitions()?,
            })
        }
        _ if c.p.at_text("restart") => identity(c, column),
        _ => c.p.unexpected(),
    }
}

fn generated_when(c: &mut Context) -> PResult<bool> {
    if c.p.eat(Keyword::ALWAYS) {
        return Ok(true);
    }
    c.p.want(Keyword::BY)?;
    c.p.want(Keyword::DEFAULT)?;
    Ok(false)
}

fn set_type(c: &mut Context, column: Name) -> PResult<AlterAction> {
    c.p.want(Keyword::TYPE)?;
    let type_name = Box::new(types::parse_type_name(&mut c.p)?);
    let collation = if c.p.eat(Keyword::COLLATE) { Some(c.p.qname()?) } else { None };
    let using = if c.p.eat(Keyword::USING) {
        Some(Box::new(c.expr_text()?))
    } else {
        None
    };
    Ok(AlterAction::SetType {
        column,
        type_name,
        collation,
        using,
    })
}

fn set_column(c: &mut Context, column: Name) -> PResult<AlterAction> {
    let second = c.p.word_at(1).map(|word| word.value.clone()).unwrap_or_default();
    if c.p.at_nth_token(1, &Token::LParen) {
        c.p.advance_token();
        return Ok(AlterAction::SetColumnOptions {
            column,
            options: c.definitions()?,
        });
    }
    match second.as_str() {
        "default" => {
            (0..2).for_each(|_| c.p.advance_token());
            Ok(AlterAction::SetDefault {
                column,
                default: Box::new(c.expr_text()?),
            })
        }
        "not" => {
            (0..2).for_each(|_| c.p.advance_token());
            c.p.want(Keyword::NULL)?;
            Ok(AlterAction::SetNotNull { column })
        }
        "statistics" => {
            (0..2).for_each(|_| c.p.advance_token());
            Ok(AlterAction::SetStatistics {
                column,
                target: c.signed_integer()?,
            })
        }
        "storage" => {
            (0..2).for_each(|_| c.p.advance_token());
            Ok(AlterAction::SetStorage {
                column,
                storage: c.p.column_id()?,
            })
        }
        "compression" => {
            (0..2).for_each(|_| c.p.advance_token());
            let method = if c.p.at(Keyword::DEFAULT) {
                c.p.label()?
            } else {
                c.p.column_id()?
            };
            Ok(AlterAction::SetCompression { column, method })
        }
        _ => identity(c, column),
    }
}

/// SET GENERATED, SET option and RESTART in any order.
fn identity(c: &mut Context, column: Name) -> PResult<AlterAction> {
    let (mut always, mut options) = (None, Vec::new());
    loop {
        if c.p.at_text("restart") {
            options.extend(super::create::sequence_option(c)?);
        } else if c.p.eat(Keyword::SET) {
            if c.p.eat(Keyword::GENERATED) {
                always = Some(generated_when(c)?);
            } else {
                match super::create::sequence_option(c)? {
                    Some(option) => options.push(option),
                    None => return c.p.unexpected(),
                }
            }
        } else {
            break;
        }
    }
    Ok(AlterAction::SetIdentity { column, always, options })
}

fn drop_column_property(c: &mut Context, column: Name) -> PResult<AlterAction> {
    c.p.want(Keyword::DROP)?;
    match c.p.word().map(|word| word.value.as_str()) {
        Some("default") => {
            c.p.advance_token();
            Ok(AlterAction::DropDefault { column })
        }
        Some("not") => {
            c.p.advance_token();
            c.p.want(Keyword::NULL)?;
            Ok(AlterAction::DropNotNull { column })
        }
        Some("expression") => {
            c.p.advance_token();
            Ok(AlterAction::DropExpression {
                column,
                if_exists: c.if_exists(),
            })
        }
        Some("identity") => {
            c.p.advance_token();
            Ok(AlterAction::DropIdentity {
                column,
                if_exists: c.if_exists(),
            })
        }
        _ => c.p.unexpected(),
    }
}

fn view(c: &mut Context) -> Own {
    let if_exists = c.if_exists();
    let name = c.p.qname()?;
    let action = match single_action(c)? {
        Some(action) => action,
        None => action(c)?,
    };
    Ok(OwnStatement::AlterView(Box::new(AlterView { name, if_exists, action })))
}

fn index(c: &mut Context) -> Own {
    c.p.advance_token();
    if c.p.at(Keyword::ALL) {
        c.skip_rest();
        return Ok(OwnStatement::Other { tag: "ALTER INDEX" });
    }
    let if_exists = c.if_exists();
    let name = c.p.qname()?;
    let action = if c.p.eat(Keyword::RENAME) {
        c.p.want(Keyword::TO)?;
        AlterIndexAction::RenameTo(c.p.column_id()?)
    } else if c.p.eat(Keyword::RESET) {
        AlterIndexAction::ResetOptions(c.definitions()?)
    } else if c.p.at(Keyword::SET) && c.p.at_nth_token(1, &Token::LParen) {
        c.p.advance_token();
        AlterIndexAction::SetOptions(c.definitions()?)
    } else if c.p.eat_all(&[Keyword::SET, Keyword::TABLESPACE]) {
        AlterIndexAction::SetTablespace(c.p.column_id()?)
    } else if c.p.at(Keyword::ALTER) {
        column_number(c)?;
        c.skip_rest();
        AlterIndexAction::Other("this form of ALTER INDEX")
    } else if c.p.at_text("attach") || c.p.at_text("depends") || c.p.at(Keyword::NO) {
        c.skip_rest();
        AlterIndexAction::Other("this form of ALTER INDEX")
    } else {
        return c.p.unexpected();
    };
    Ok(OwnStatement::AlterIndex(AlterIndex { if_exists, name, action }))
}

/// `ALTER [COLUMN] number`: only the number is looked at.
fn column_number(c: &mut Context) -> PResult<()> {
    c.p.want(Keyword::ALTER)?;
    c.p.eat(Keyword::COLUMN);
    let position = c.here();
    let Some(number) = c.p.try_number() else {
        return Ok(());
    };
    if number.parse::<u16>().is_ok_and(|number| (1..=32767).contains(&number)) {
        return Ok(());
    }
    let text = "column number must be in range from 1 to 32767";
    let error = crate::error::PgError::new(crate::error::sqlstate::INVALID_PARAMETER_VALUE, text);
    Err(crate::parse::error::fail(&error.at(position)))
}

fn sequence(c: &mut Context) -> Own {
    c.p.advance_token();
    let if_exists = c.if_exists();
    let name = c.p.qname()?;
    let set = c.p.at(Keyword::SET);
    if c.p.at(Keyword::RENAME) || c.p.at(Keyword::OWNER) || set {
        let action = match single_action(c)? {
            Some(action) => action,
            None => action(c)?,
        };
        return Ok(OwnStatement::AlterTable(Box::new(AlterTable {
            kind: TableKind::Sequence,
            if_exists,
            relation: RelationRef { name, only: false },
            actions: vec![action],
        })));
    }
    let options = super::create::sequence_options(c)?;
    if options.is_empty() {
        return c.p.unexpected();
    }
    Ok(OwnStatement::AlterSequence(Box::new(AlterSequence {
        name,
        if_exists,
        options,
    })))
}

fn alter_type(c: &mut Context) -> Own {
    c.p.advance_token();
    let name = c.p.qname()?;
    if c.p.eat_all(&[Keyword::ADD, Keyword::VALUE]) {
        let if_not_exists = c.if_not_exists();
        let value = c.p.string()?;
        let place = if c.p.eat(Keyword::BEFORE) {
            Some((EnumPlace::Before, c.p.string()?))
        } else if c.p.eat(Keyword::AFTER) {
            Some((EnumPlace::After, c.p.string()?))
        } else {
            None
        };
        let action = AlterTypeAction::AddValue {
            if_not_exists,
            value,
            place,
        };
        return Ok(OwnStatement::AlterType(AlterType { name, action }));
    }
    if c.p.at(Keyword::RENAME) && c.p.at_nth(1, Keyword::VALUE) {
        (0..2).for_each(|_| c.p.advance_token());
        let from = c.p.string()?;
        c.p.want(Keyword::TO)?;
        let action = AlterTypeAction::RenameValue { from, to: c.p.string()? };
        return Ok(OwnStatement::AlterType(AlterType { name, action }));
    }
    if c.p.at(Keyword::RENAME) && c.p.at_nth_text(1, "attribute") {
        (0..2).for_each(|_| c.p.advance_token());
        let from = c.p.column_id()?;
        c.p.want(Keyword::TO)?;
        let to = c.p.column_id()?;
        let action = AlterTypeAction::RenameAttribute {
            from,
            to,
            cascade: c.cascade(),
        };
        return Ok(OwnStatement::AlterType(AlterType { name, action }));
    }
    let attribute = c.p.at_nth_text(1, "attribute") && (c.p.at(Keyword::ADD) || c.p.at(Keyword::DROP) || c.p.at(Keyword::ALTER));
    if attribute {
        c.skip_rest();
        return Ok(OwnStatement::AlterType(AlterType {
            name,
            action: AlterTypeAction::Attributes,
        }));
    }
    if c.p.at(Keyword::SET) && c.p.at_nth_token(1, &Token::LParen) {
        c.skip_rest();
        return Ok(OwnStatement::AlterType(AlterType {
            name,
            action: AlterTypeAction::SetProperties,
        }));
    }
    super::object::common_action(
        c,
        ObjectKind::Type,
        ObjectRef {
            name,
            arguments: None,
            on: None,
        },
        false,
    )
}

fn domain(c: &mut Context) -> Own {
    c.p.advance_token();
    let name = c.p.qname()?;
    let action = if c.p.at(Keyword::SET) && c.p.at_nth(1, Keyword::DEFAULT) {
        (0..2).for_each(|_| c.p.advance_token());
        AlterDomainAction::SetDefault(c.expr_text()?)
    } else if c.p.eat_all(&[Keyword::SET, Keyword::NOT, Keyword::NULL]) {
        AlterDomainAction::SetNotNull
    } else if c.p.eat_all(&[Keyword::DROP, Keyword::NOT, Keyword::NULL]) {
        AlterDomainAction::DropNotNull
    } else if c.p.eat_all(&[Keyword::DROP, Keyword::DEFAULT]) {
        AlterDomainAction::DropDefault
    } else if c.p.eat_all(&[Keyword::DROP, Keyword::CONSTRAINT]) {
        let if_exists = c.if_exists();
        let name = c.p.column_id()?;
        AlterDomainAction::DropConstraint {
            if_exists,
            name,
            cascade: c.cascade(),
        }
    } else if c.p.eat(Keyword::ADD) {
        AlterDomainAction::AddConstraint(super::table::table_constraint(c)?)
    } else if c.p.at_text("validate") {
        c.p.advance_token();
        c.p.want(Keyword::CONSTRAINT)?;
        AlterDomainAction::ValidateConstraint(c.p.column_id()?)
    } else if c.p.eat_all(&[Keyword::RENAME, Keyword::CONSTRAINT]) {
        let from = c.p.column_id()?;
        c.p.want(Keyword::TO)?;
        AlterDomainAction::RenameConstraint {
            from,
            to: c.p.column_id()?,
        }
    } else {
        let object = ObjectRef {
            name,
            arguments: None,
            on: None,
        };
        return super::object::common_action(c, ObjectKind::Domain, object, false);
    };
    Ok(OwnStatement::AlterDomain(Box::new(AlterDomain { name, action })))
}

fn database(c: &mut Context) -> Own {
    c.p.advance_token();
    let name = c.p.column_id()?;
    let action = if c.p.at(Keyword::SET) && c.p.at_nth(1, Keyword::TABLESPACE) {
        (0..2).for_each(|_| c.p.advance_token());
        AlterDatabaseAction::SetTablespace(c.p.column_id()?)
    } else if c.p.eat(Keyword::SET) {
        AlterDatabaseAction::Set(super::session::set_rest(c, false)?)
    } else if c.p.eat(Keyword::RESET) {
        AlterDatabaseAction::Reset(super::session::reset_rest(c)?)
    } else if c.p.at(Keyword::REFRESH) {
        c.skip_rest();
        AlterDatabaseAction::RefreshCollation
    } else if c.p.at(Keyword::RENAME) || c.p.at(Keyword::OWNER) {
        let name = crate::parse::QName {
            parts: vec![name.text],
            position: name.position,
        };
        let object = ObjectRef {
            name,
            arguments: None,
            on: None,
        };
        return super::object::common_action(c, ObjectKind::Database, object, false);
    } else {
        c.p.eat(Keyword::WITH);
        AlterDatabaseAction::Options(super::create::database_options(c)?)
    };
    Ok(OwnStatement::AlterDatabase(AlterDatabase { name, action }))
}
