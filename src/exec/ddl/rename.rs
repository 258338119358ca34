//! RENAME, OWNER TO and SET SCHEMA of every kind of object.
//!
//! Expressions are kept as text, so a new name of a column or a sequence means saying them again.

use std::sync::Arc;

use smol_str::SmolStr;

use super::alter::edit;
use super::column::{check_name, regclass_literal, require};
use super::constraint::must_be_new;
use super::context::{CLASS_DATABASE, CLASS_ROLE, CLASS_SCHEMA, DdlContext, gone};
use super::depend::{index_uses, key_index, text_uses};
use super::{exprs, sequence, view};
use crate::catalog::{
    Change, ConstraintKind, Database, Index, IndexExpr, Object, RelationRef, Role, Schema, Sequence, Table, UserType,
    UserTypeKind, View,
};
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::lock::RelationMode;
use crate::parse::{AlterObject, AlterObjectAction, ObjectKind, QName, quote_identifier};

/// ALTER kind name RENAME TO | OWNER TO | SET SCHEMA.
pub async fn alter_object(ctx: &DdlContext<'_>, statement: &AlterObject) -> Result<String> {
    let tag = format!("ALTER {}", statement.kind.words());
    let name = &statement.object.name;
    match statement.kind {
        ObjectKind::Table | ObjectKind::View | ObjectKind::Sequence | ObjectKind::Index => {
            let Some(oid) = relation(ctx, statement.kind, name, statement.if_exists).await? else {
                return Ok(tag);
            };
            match &statement.action {
                AlterObjectAction::RenameTo(new) => rename_relation(ctx, oid, &new.text).await?,
                AlterObjectAction::OwnerTo(role) => owner_relation(ctx, oid, ctx.role(role)?)?,
                AlterObjectAction::SetSchema(schema) => move_relation(ctx, oid, &schema.text).await?,
            }
        }
        ObjectKind::Schema => schema_object(ctx, name.name(), &statement.action).await?,
        ObjectKind::Type | ObjectKind::Domain => type_object(ctx, name, &statement.action).await?,
        ObjectKind::Role => role_object(ctx, name.name(), &statement.action).await?,
        ObjectKind::Database => database_object(ctx, name.name(), &statement.action).await?,
        other => return Err(PgError::unsupported(format!("ALTER {}", other.words()))),
    }
    Ok(tag)
}

async fn relation(ctx: &DdlContext<'_>, kind: ObjectKind, name: &QName, if_exists: bool) -> Result<Option<Oid>> {
    let Some(oid) = ctx.find_locked(name, RelationMode::AccessExclusive).await? else {
        if if_exists {
            ctx.skip(
                sqlstate::SUCCESSFUL_COMPLETION,
                format!("relation \"{name}\" does not exist, skipping"),
            );
            return Ok(None);
        }
        return Err(ctx.missing_relation(name));
    };
    let catalog = ctx.catalog();
    let what = match (kind, catalog.relation(oid)) {
        (ObjectKind::View, Some(RelationRef::View(_)))
        | (ObjectKind::Sequence, Some(RelationRef::Sequence(_)))
        | (ObjectKind::Index, Some(RelationRef::Index(_)))
        | (ObjectKind::Table, _) => return Ok(Some(oid)),
        (ObjectKind::View, _) => "a view",
        (ObjectKind::Sequence, _) => "a sequence",
        _ => "an index",
    };
    Err(PgError::new(
        sqlstate::WRONG_OBJECT_TYPE,
        format!("\"{}\" is not {what}", name.name()),
    ))
}

fn owner_of(ctx: &DdlContext<'_>, oid: Oid) -> Result<(Oid, &'static str, SmolStr)> {
    let catalog = ctx.catalog();
    let Some(relation) = catalog.relation(oid) else {
        return Err(gone(oid));
    };
    let name = relation.name().clone();
    Ok(match relation {
        RelationRef::Table(one) => (one.owner, "table", name),
        RelationRef::View(one) => (one.owner, "view", name),
        RelationRef::Sequence(one) => (one.owner, "sequence", name),
        RelationRef::Index(one) => (
            catalog.table(one.table).map_or(Oid::INVALID, |table| table.owner),
            "index",
            name,
        ),
    })
}

fn must_own(ctx: &DdlContext<'_>, oid: Oid) -> Result<()> {
    let (owner, kind, name) = owner_of(ctx, oid)?;
    if oid.0 < Oid::FIRST_USER.0 {
        return Err(PgError::new(
            sqlstate::INSUFFICIENT_PRIVILEGE,
            format!("permission denied: \"{name}\" is a system catalog"),
        ));
    }
    ctx.must_own(owner, kind, &name)
}

/// RENAME TO of a relation of any kind.
pub async fn rename_relation(ctx: &DdlContext<'_>, oid: Oid, new: &str) -> Result<()> {
    must_own(ctx, oid)?;
    let catalog = ctx.catalog();
    let Some(relation) = catalog.relation(oid) else {
        return Err(gone(oid));
    };
    if let RelationRef::Index(index) = relation {
        return rename_index(ctx, &Arc::clone(index), new).await;
    }
    ctx.claim_relation(relation.schema(), new).await?;
    match relation {
        RelationRef::Table(table) => {
            let views = view::reading(ctx, oid)?;
            ctx.put_table(Table {
                name: new.into(),
                ..Table::clone(table)
            })?;
            view::say_again(ctx, views)
        }
        RelationRef::View(found) => {
            let views = view::reading(ctx, oid)?;
            ctx.put_view(View {
                name: new.into(),
                ..View::clone(found)
            })?;
            view::say_again(ctx, views)
        }
        RelationRef::Sequence(sequence) => {
            let schema = ctx.schema_name(sequence.schema);
            rename_in_defaults(
                ctx,
                &regclass_literal(&schema, &sequence.name),
                &regclass_literal(&schema, new),
            )?;
            ctx.put_sequence(Sequence {
                name: new.into(),
                ..Sequence::clone(sequence)
            })
        }
        RelationRef::Index(_) => Ok(()),
    }
}

/// An index and the constraint on it have one name.
pub async fn rename_index(ctx: &DdlContext<'_>, index: &Arc<Index>, new: &str) -> Result<()> {
    ctx.claim_relation(index.schema, new).await?;
    ctx.put_index(Index {
        name: new.into(),
        ..Index::clone(index)
    })?;
    if index.constraint.is_none() {
        return Ok(());
    }
    edit(ctx, index.table, |table| {
        for constraint in &mut table.constraints {
            if key_index(constraint) == Some(index.oid) {
                constraint.name = new.into();
            }
        }
        Ok(())
    })
    .map(|_| ())
}

pub async fn rename_constraint(ctx: &DdlContext<'_>, oid: Oid, from: &str, to: &str) -> Result<()> {
    let table = ctx.as_table(oid)?;
    let Some(constraint) = table.constraints.iter().find(|one| one.name == from) else {
        return Err(PgError::new(
            sqlstate::UNDEFINED_OBJECT,
            format!("constraint \"{from}\" for table \"{}\" does not exist", table.name),
        ));
    };
    must_be_new(&table, to)?;
    if let Some(index) = key_index(constraint)
        && let Some(index) = ctx.catalog().index(index).cloned()
    {
        return rename_index(ctx, &index, to).await;
    }
    let renamed = constraint.oid;
    edit(ctx, oid, |table| {
        for one in &mut table.constraints {
            if one.oid == renamed {
                one.name = to.into();
            }
        }
        Ok(())
    })
    .map(|_| ())
}

/// RENAME COLUMN: everything that names the column in a text is said again.
pub fn rename_column(ctx: &DdlContext<'_>, oid: Oid, from: &str, to: &str) -> Result<()> {
    let old = ctx.as_table(oid)?;
    let Some((at, _)) = old.column(from) else {
        return Err(match require(&old, from) {
            Err(error) if error.code() == sqlstate::FEATURE_NOT_SUPPORTED => {
                PgError::new(error.code(), format!("cannot rename system column \"{from}\""))
            }
            _ => PgError::new(sqlstate::UNDEFINED_COLUMN, format!("column \"{from}\" does not exist")),
        });
    };
    check_name(to, &[])?;
    if old.column(to).is_some() {
        return Err(PgError::new(
            sqlstate::DUPLICATE_COLUMN,
            format!("column \"{to}\" of relation \"{}\" already exists", old.name),
        ));
    }
    let place = super::column::place(at);
    let views = view::reading(ctx, oid)?;
    let mut new = Table::clone(&old);
    new.columns[at].name = to.into();
    let names = new.clone();
    let again = |text: &str| exprs::said_again(ctx, &old, &names, text);
    for column in &mut new.columns {
        if let Some(text) = &column.generated
            && text_uses(&old, text, place)
        {
            column.generated = Some(again(text)?);
        }
    }
    for constraint in &mut new.constraints {
        if let ConstraintKind::Check { expression, columns, .. } = &mut constraint.kind
            && columns.contains(&place)
        {
            *expression = again(expression)?;
        }
    }
    let catalog = ctx.catalog();
    for index in catalog.indexes_of(&old).filter(|index| index_uses(&old, index, place)) {
        let mut next = Index::clone(index);
        for key in &mut next.keys {
            if let IndexExpr::Expression(text) = &mut key.expr {
                *text = again(text)?;
            }
        }
        if let Some(text) = &next.predicate {
            next.predicate = Some(again(text)?);
        }
        ctx.put_index(next)?;
    }
    ctx.put_table(new)?;
    view::say_again(ctx, views)
}

/// Puts one relation's literal in place of another's in every default.
fn rename_in_defaults(ctx: &DdlContext<'_>, from: &str, to: &str) -> Result<()> {
    let catalog = ctx.catalog();
    for table in catalog.user_tables() {
        let names = |text: &Option<String>| text.as_ref().is_some_and(|text| text.contains(from));
        if !table.columns.iter().any(|column| names(&column.default)) {
            continue;
        }
        let mut next = Table::clone(table);
        for column in &mut next.columns {
            if let Some(text) = &mut column.default {
                *text = text.replace(from, to);
            }
        }
        ctx.put_table(next)?;
    }
    Ok(())
}

/// OWNER TO: a table takes the sequences of its columns along.
pub fn owner_relation(ctx: &DdlContext<'_>, oid: Oid, owner: Oid) -> Result<()> {
    must_own(ctx, oid)?;
    may_give_to(ctx, owner)?;
    let catalog = ctx.catalog();
    match catalog.relation(oid) {
        Some(RelationRef::Table(table)) => {
            for sequence in catalog
                .sequences()
                .filter(|one| one.owned_by.is_some_and(|(table, _)| table == oid))
            {
                ctx.put_sequence(Sequence {
                    owner,
                    ..Sequence::clone(sequence)
                })?;
            }
            ctx.put_table(Table {
                owner,
                ..Table::clone(table)
            })
            .map(|_| ())
        }
        Some(RelationRef::View(view)) => ctx.put_view(View {
            owner,
            ..View::clone(view)
        }),
        Some(RelationRef::Sequence(one)) => {
            if let Some((table, _)) = one.owned_by {
                let table = catalog.table(table).map(|table| table.name.clone()).unwrap_or_default();
                return Err(PgError::new(
                    sqlstate::FEATURE_NOT_SUPPORTED,
                    format!("cannot change owner of sequence \"{}\"", one.name),
                )
                .detail(format!("Sequence \"{}\" is linked to table \"{table}\".", one.name)));
            }
            ctx.put_sequence(Sequence {
                owner,
                ..Sequence::clone(one)
            })
        }
        Some(RelationRef::Index(index)) => Err(PgError::new(
            sqlstate::WRONG_OBJECT_TYPE,
            format!("cannot change owner of index \"{}\"", index.name),
        )
        .hint("Change the ownership of the index's table instead.")),
        None => Err(gone(oid)),
    }
}

fn may_give_to(ctx: &DdlContext<'_>, owner: Oid) -> Result<()> {
    if ctx.superuser || ctx.catalog().is_member(ctx.role, owner) {
        return Ok(());
    }
    let name = ctx.catalog().role(owner).map(|role| role.name.clone()).unwrap_or_default();
    Err(PgError::new(
        sqlstate::INSUFFICIENT_PRIVILEGE,
        format!("must be member of role \"{name}\""),
    ))
}

/// SET SCHEMA: indexes and owned sequences move along.
pub async fn move_relation(ctx: &DdlContext<'_>, oid: Oid, schema: &str) -> Result<()> {
    must_own(ctx, oid)?;
    let catalog = ctx.catalog();
    let path = ctx.path(&catalog);
    let to = catalog.named_schema(&path, schema)?;
    ctx.may_create_in(to)?;
    let Some(relation) = catalog.relation(oid) else {
        return Err(gone(oid));
    };
    if relation.schema() == to {
        return Ok(());
    }
    if ctx.is_temp_schema(to) || ctx.is_temp_schema(relation.schema()) {
        return Err(PgError::new(
            sqlstate::FEATURE_NOT_SUPPORTED,
            "cannot move objects into or out of temporary schemas",
        ));
    }
    let taken = |name: &str| {
        PgError::new(
            sqlstate::DUPLICATE_TABLE,
            format!("relation \"{name}\" already exists in schema \"{schema}\""),
        )
    };
    if let Err(error) = ctx.claim_relation(to, relation.name()).await {
        return Err(if error.code() == sqlstate::DUPLICATE_TABLE {
            taken(relation.name())
        } else {
            error
        });
    }
    match relation {
        RelationRef::Table(table) => {
            let views = view::reading(ctx, oid)?;
            for index in catalog.indexes_of(table) {
                ctx.put_index(Index {
                    schema: to,
                    ..Index::clone(index)
                })?;
            }
            ctx.put_table(Table {
                schema: to,
                ..Table::clone(table)
            })?;
            for one in catalog
                .sequences()
                .filter(|one| one.owned_by.is_some_and(|(table, _)| table == oid))
            {
                move_sequence(ctx, one, to)?;
            }
            view::say_again(ctx, views)
        }
        RelationRef::View(found) => {
            let views = view::reading(ctx, oid)?;
            ctx.put_view(View {
                schema: to,
                ..View::clone(found)
            })?;
            view::say_again(ctx, views)
        }
        RelationRef::Sequence(one) => {
            if let Some((table, _)) = one.owned_by {
                let table = catalog.table(table).map(|table| table.name.clone()).unwrap_or_default();
                return Err(PgError::new(
                    sqlstate::FEATURE_NOT_SUPPORTED,
                    "cannot move an owned sequence into another schema",
                )
                .detail(format!("Sequence \"{}\" is linked to table \"{table}\".", one.name)));
            }
            move_sequence(ctx, one, to)
        }
        RelationRef::Index(index) => Err(PgError::new(
            sqlstate::WRONG_OBJECT_TYPE,
            format!("\"{}\" is not a table, view, sequence, or foreign table", index.name),
        )),
    }
}

fn move_sequence(ctx: &DdlContext<'_>, one: &Sequence, to: Oid) -> Result<()> {
    sequence::must_be_free(&ctx.catalog(), to, &one.name)?;
    let from = regclass_literal(&ctx.schema_name(one.schema), &one.name);
    rename_in_defaults(ctx, &from, &regclass_literal(&ctx.schema_name(to), &one.name))?;
    ctx.put_sequence(Sequence {
        schema: to,
        ..Sequence::clone(one)
    })
}

async fn schema_object(ctx: &DdlContext<'_>, name: &str, action: &AlterObjectAction) -> Result<()> {
    ctx.lock_name(CLASS_SCHEMA, Oid::INVALID, name).await?;
    let catalog = ctx.catalog();
    let Some(schema) = catalog.find_schema(name).and_then(|oid| catalog.schema(oid)) else {
        return Err(PgError::new(
            sqlstate::UNDEFINED_SCHEMA,
            format!("schema \"{name}\" does not exist"),
        ));
    };
    ctx.must_own(schema.owner, "schema", name)?;
    let mut next = Schema::clone(schema);
    match action {
        AlterObjectAction::RenameTo(new) => {
            super::schema::check_name(&new.text)?;
            ctx.lock_name(CLASS_SCHEMA, Oid::INVALID, &new.text).await?;
            if ctx.catalog().find_schema(&new.text).is_some() {
                return Err(PgError::new(
                    sqlstate::DUPLICATE_SCHEMA,
                    format!("schema \"{new}\" already exists"),
                ));
            }
            let reads = catalog.user_views().any(|view| {
                view.depends_on
                    .iter()
                    .any(|oid| catalog.relation(*oid).is_some_and(|one| one.schema() == schema.oid))
            });
            if reads {
                return Err(PgError::unsupported("renaming a schema whose relations a view reads"));
            }
            for one in catalog.sequences().filter(|one| one.schema == schema.oid) {
                rename_in_defaults(
                    ctx,
                    &regclass_literal(name, &one.name),
                    &regclass_literal(&new.text, &one.name),
                )?;
            }
            next.name = new.text.clone();
        }
        AlterObjectAction::OwnerTo(role) => {
            next.owner = ctx.role(role)?;
            may_give_to(ctx, next.owner)?;
        }
        AlterObjectAction::SetSchema(_) => return Err(PgError::unsupported("SET SCHEMA of a schema")),
    }
    ctx.change(Change::Put(Object::Schema(Arc::new(next))))
}

async fn type_object(ctx: &DdlContext<'_>, name: &QName, action: &AlterObjectAction) -> Result<()> {
    let catalog = ctx.catalog();
    let path = ctx.path(&catalog);
    let oid = catalog.lookup_type(&path, name.schema().map(SmolStr::as_str), name.name())?;
    let Some(ty) = catalog.user_type(oid) else {
        return Err(PgError::new(
            sqlstate::WRONG_OBJECT_TYPE,
            format!(
                "{} is a table's row type",
                crate::types::info::format_type(oid, -1, &*ctx.names)
            ),
        )
        .hint("Use ALTER TABLE instead."));
    };
    ctx.must_own(ty.owner, "type", name.name())?;
    let mut next = UserType::clone(ty);
    match action {
        AlterObjectAction::RenameTo(new) => {
            ctx.claim_type(ty.schema, &new.text).await?;
            refuse_type_texts(ctx, ty)?;
            next.name = new.text.clone();
        }
        AlterObjectAction::OwnerTo(role) => {
            next.owner = ctx.role(role)?;
            may_give_to(ctx, next.owner)?;
        }
        AlterObjectAction::SetSchema(schema) => {
            let to = catalog.named_schema(&path, &schema.text)?;
            ctx.may_create_in(to)?;
            ctx.claim_type(to, &ty.name).await?;
            refuse_type_texts(ctx, ty)?;
            next.schema = to;
        }
    }
    ctx.change(Change::Put(Object::Type(Arc::new(next))))
}

/// Texts of defaults, checks and views may name the type.
fn refuse_type_texts(ctx: &DdlContext<'_>, ty: &UserType) -> Result<()> {
    let catalog = ctx.catalog();
    let quoted = quote_identifier(&ty.name);
    let names = |text: &str| text.contains(&quoted);
    let in_tables = catalog.user_tables().any(|table| {
        table
            .columns
            .iter()
            .any(|column| column.default.as_deref().is_some_and(names) || column.generated.as_deref().is_some_and(names))
            || table
                .constraints
                .iter()
                .any(|one| matches!(&one.kind, ConstraintKind::Check { expression, .. } if names(expression)))
    });
    let in_types = catalog.user_types().any(|other| match &other.kind {
        UserTypeKind::Domain { default, checks, .. } => {
            default.as_deref().is_some_and(names) || checks.iter().any(|(_, _, text)| names(text))
        }
        UserTypeKind::Enum(_) | UserTypeKind::Composite(_) => false,
    });
    if in_tables || in_types || catalog.user_views().any(|view| view.depends_on.contains(&ty.oid)) {
        return Err(PgError::unsupported("renaming a type that an expression names"));
    }
    Ok(())
}

async fn role_object(ctx: &DdlContext<'_>, name: &str, action: &AlterObjectAction) -> Result<()> {
    let AlterObjectAction::RenameTo(new) = action else {
        return Err(PgError::unsupported("ALTER ROLE of that kind"));
    };
    super::role::may_manage(ctx)?;
    super::role::check_name(&new.text)?;
    ctx.lock_name(CLASS_ROLE, Oid::INVALID, &new.text).await?;
    let catalog = ctx.catalog();
    let oid = ctx.role_named(name)?;
    if oid == ctx.session_role {
        return Err(PgError::new(
            sqlstate::FEATURE_NOT_SUPPORTED,
            "session user cannot be renamed",
        ));
    }
    if catalog.find_role(&new.text).is_some() {
        return Err(PgError::new(
            sqlstate::DUPLICATE_OBJECT,
            format!("role \"{new}\" already exists"),
        ));
    }
    let Some(role) = catalog.role(oid) else {
        return Err(super::context::no_role(name));
    };
    let next = Role {
        name: new.text.clone(),
        ..Role::clone(role)
    };
    ctx.change(Change::Put(Object::Role(Arc::new(next))))
}

async fn database_object(ctx: &DdlContext<'_>, name: &str, action: &AlterObjectAction) -> Result<()> {
    let catalog = ctx.catalog();
    let Some(database) = catalog.find_database(name).and_then(|oid| catalog.database_by_oid(oid)) else {
        return Err(PgError::new(
            sqlstate::UNDEFINED_DATABASE,
            format!("database \"{name}\" does not exist"),
        ));
    };
    ctx.must_own(database.owner, "database", name)?;
    let mut next = Database::clone(database);
    match action {
        AlterObjectAction::RenameTo(new) => {
            ctx.lock_name(CLASS_DATABASE, Oid::INVALID, &new.text).await?;
            if ctx.catalog().find_database(&new.text).is_some() {
                return Err(PgError::new(
                    sqlstate::DUPLICATE_DATABASE,
                    format!("database \"{new}\" already exists"),
                ));
            }
            if database.oid == ctx.database {
                return Err(PgError::new(
                    sqlstate::FEATURE_NOT_SUPPORTED,
                    "current database cannot be renamed",
                ));
            }
            next.name = new.text.clone();
        }
        AlterObjectAction::OwnerTo(role) => {
            next.owner = ctx.role(role)?;
            may_give_to(ctx, next.owner)?;
        }
        AlterObjectAction::SetSchema(_) => return Err(PgError::unsupported("SET SCHEMA of a database")),
    }
    ctx.change(Change::Put(Object::Database(Arc::new(next))))
}
