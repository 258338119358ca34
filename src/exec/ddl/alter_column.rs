//! ALTER TABLE's actions on columns.

use std::sync::Arc;

use super::alter::edit;
use super::build::{self, RowChange, TableReader, contains_nulls};
use super::column::{self, Planned, Source, place, require};
use super::constraint;
use super::context::DdlContext;
use super::depend::{Node, text_uses, views_using};
use super::remove::remove;
use super::{alter_constraint, exprs, sequence};
use crate::bind::tree::{Expr, ExprKind};
use crate::catalog::{Identity, Index, IndexExpr, Table};
use crate::codec::row;
use crate::error::{PgError, Result, sqlstate};
use crate::exec::slots::eval_sync;
use crate::ids::Oid;
use crate::parse::{ColumnDef, ExprText, QName, SequenceOption, TypeName};
use crate::types::Value;
use crate::types::info::format_type;

/// ADD COLUMN. A default that is the same for every row is kept with the column; another one writes every row anew.
pub async fn add(ctx: &DdlContext<'_>, oid: Oid, definition: &ColumnDef, if_not_exists: bool) -> Result<()> {
    let old = ctx.as_table(oid)?;
    let name = &definition.name.text;
    if old.column(name).is_some() {
        let message = format!("column \"{name}\" of relation \"{}\" already exists", old.name);
        if if_not_exists {
            ctx.skip(sqlstate::DUPLICATE_COLUMN, format!("{message}, skipping"));
            return Ok(());
        }
        return Err(PgError::new(sqlstate::DUPLICATE_COLUMN, message));
    }
    column::check_name(name, &[])?;
    column::check_count(old.columns.len() + 1)?;
    let Planned {
        column: mut planned,
        source,
    } = column::plan(ctx, &old.name, definition)?;
    let at = old.columns.len();
    let not_null = std::mem::take(&mut planned.not_null);
    let mut new = Table::clone(&old);
    new.columns.push(planned);
    let fill = fill_of(ctx, &mut new, at, source).await?;
    new.columns[at].not_null = not_null;
    match fill {
        Fill::Value(value) => {
            if value.is_null() {
                if not_null && has_rows(ctx, &old).await? {
                    return Err(contains_nulls(name, &new, &ctx.schema_name(new.schema)));
                }
            } else {
                let mut bytes = Vec::new();
                row::encode_value(new.columns[at].ty, &value, &mut bytes)?;
                new.columns[at].missing = Some(bytes);
            }
            ctx.put_table(new)?;
        }
        Fill::Each(expr) => {
            let change = RowChange {
                set: vec![(at, expr)],
                not_null: nulls(not_null, at),
                recheck: false,
            };
            build::rewrite(ctx, &old, new, &change).await?;
        }
        Fill::Generated => {
            let change = RowChange {
                recheck: true,
                ..RowChange::default()
            };
            build::rewrite(ctx, &old, new, &change).await?;
        }
    }
    for spec in constraint::of_column(definition) {
        alter_constraint::add_spec(ctx, oid, &spec).await?;
    }
    Ok(())
}

fn nulls(not_null: bool, at: usize) -> Vec<usize> {
    if not_null { vec![at] } else { Vec::new() }
}

/// What rows that are there already get in a new column.
enum Fill {
    Value(Value),
    Each(Expr),
    Generated,
}

async fn fill_of(ctx: &DdlContext<'_>, table: &mut Table, at: usize, source: Source<'_>) -> Result<Fill> {
    let generated = matches!(source, Source::Generated(_));
    let identity = matches!(source, Source::Identity { .. });
    let no_source = matches!(source, Source::None);
    column::finish_sources(ctx, table, vec![(at, source)]).await?;
    if generated {
        return Ok(Fill::Generated);
    }
    let column = &table.columns[at];
    let expr = if identity {
        let catalog = ctx.catalog();
        let owned = sequence::owned_by_column(&catalog, table.oid, place(at))
            .ok_or_else(|| PgError::internal("an identity column without sequence"))?;
        exprs::stored_default(ctx, column, &column::nextval(ctx, owned.oid))?
    } else {
        match &column.default {
            Some(text) => exprs::stored_default(ctx, column, text)?,
            // A domain's default and checks count too.
            None if no_source && column.ty.0 >= Oid::FIRST_USER.0 => exprs::stored_default(ctx, column, "NULL")?,
            None => return Ok(Fill::Value(Value::Null)),
        }
    };
    if exprs::is_mutable(&expr, true) {
        return Ok(Fill::Each(expr));
    }
    Ok(Fill::Value(eval_sync(&ctx.exec()?, &expr, &[])?))
}

async fn has_rows(ctx: &DdlContext<'_>, table: &Table) -> Result<bool> {
    let exec = ctx.exec()?;
    let mut reader = TableReader::new(&exec, table)?;
    Ok(!reader.next(&exec).await?.is_empty())
}

/// DROP COLUMN: the column stays as a gap; stored rows are not touched.
pub async fn remove_column(ctx: &DdlContext<'_>, oid: Oid, name: &str, if_exists: bool, cascade: bool) -> Result<()> {
    let table = ctx.as_table(oid)?;
    let at = match table.column(name) {
        Some((at, _)) => at,
        None if if_exists => {
            let message = format!("column \"{name}\" of relation \"{}\" does not exist, skipping", table.name);
            ctx.skip(sqlstate::SUCCESSFUL_COMPLETION, message);
            return Ok(());
        }
        None => {
            return Err(match require(&table, name) {
                Err(error) if error.code() == sqlstate::FEATURE_NOT_SUPPORTED => {
                    PgError::new(error.code(), format!("cannot drop system column \"{name}\""))
                }
                Err(error) => error,
                Ok(_) => PgError::internal("a column that is there and is not"),
            });
        }
    };
    remove(ctx, &[Node::Column(oid, place(at))], cascade, false).await
}

fn no_identity(table: &Table, at: usize) -> Result<()> {
    if table.columns[at].identity.is_some() {
        return Err(PgError::new(
            sqlstate::SYNTAX_ERROR,
            format!(
                "column \"{}\" of relation \"{}\" is an identity column",
                table.columns[at].name, table.name
            ),
        ));
    }
    Ok(())
}

/// SET DEFAULT and DROP DEFAULT.
pub fn set_default(ctx: &DdlContext<'_>, oid: Oid, name: &str, default: Option<&ExprText>) -> Result<()> {
    let table = ctx.as_table(oid)?;
    let at = require(&table, name)?;
    if table.columns[at].identity.is_some() {
        let error = no_identity(&table, at).expect_err("it is an identity column");
        return Err(if default.is_none() {
            error.hint("Use ALTER TABLE ... ALTER COLUMN ... DROP IDENTITY instead.")
        } else {
            error
        });
    }
    if table.columns[at].generated.is_some() {
        let error = PgError::new(
            sqlstate::SYNTAX_ERROR,
            format!("column \"{name}\" of relation \"{}\" is a generated column", table.name),
        );
        return Err(if default.is_none() {
            error.hint("Use ALTER TABLE ... ALTER COLUMN ... DROP EXPRESSION instead.")
        } else {
            error
        });
    }
    let text = match default {
        Some(default) => Some(exprs::default_value(ctx, &table.columns[at], &default.expr)?.1),
        None => None,
    };
    edit(ctx, oid, |table| {
        table.columns[at].default = text;
        Ok(())
    })
    .map(|_| ())
}

/// SET NOT NULL: every row is looked at.
pub async fn set_not_null(ctx: &DdlContext<'_>, oid: Oid, name: &str) -> Result<()> {
    let table = ctx.as_table(oid)?;
    let at = require(&table, name)?;
    if table.columns[at].not_null {
        return Ok(());
    }
    check_no_nulls(ctx, &table, &[at]).await?;
    edit(ctx, oid, |table| {
        table.columns[at].not_null = true;
        Ok(())
    })
    .map(|_| ())
}

/// 23502 where a row has a null in one of the columns (ascending).
pub async fn check_no_nulls(ctx: &DdlContext<'_>, table: &Arc<Table>, columns: &[usize]) -> Result<()> {
    if columns.is_empty() {
        return Ok(());
    }
    let exec = ctx.exec()?;
    let mut reader = TableReader::new(&exec, table)?;
    let mut row = vec![Value::Null; reader.width()];
    while !reader.next(&exec).await?.is_empty() {
        for number in 0..reader.len() {
            reader.decode_some(number, columns, &mut row)?;
            if let Some(null) = columns.iter().find(|at| row[**at].is_null()) {
                return Err(contains_nulls(
                    &table.columns[*null].name,
                    table,
                    &ctx.schema_name(table.schema),
                ));
            }
        }
    }
    Ok(())
}

pub fn drop_not_null(ctx: &DdlContext<'_>, oid: Oid, name: &str) -> Result<()> {
    let table = ctx.as_table(oid)?;
    let at = require(&table, name)?;
    no_identity(&table, at)?;
    let catalog = ctx.catalog();
    let in_key = catalog
        .indexes_of(&table)
        .any(|index| index.primary && index.keys.iter().any(|key| key.expr == IndexExpr::Column(place(at))));
    if in_key {
        return Err(PgError::new(
            sqlstate::INVALID_TABLE_DEFINITION,
            format!("column \"{name}\" is in a primary key"),
        ));
    }
    edit(ctx, oid, |table| {
        table.columns[at].not_null = false;
        Ok(())
    })
    .map(|_| ())
}

/// DROP EXPRESSION: the column keeps its values and becomes a plain one.
pub fn drop_expression(ctx: &DdlContext<'_>, oid: Oid, name: &str, if_exists: bool) -> Result<()> {
    let table = ctx.as_table(oid)?;
    let at = require(&table, name)?;
    if table.columns[at].generated.is_none() {
        let message = format!(
            "column \"{name}\" of relation \"{}\" is not a stored generated column",
            table.name
        );
        if if_exists {
            ctx.skip(sqlstate::SUCCESSFUL_COMPLETION, format!("{message}, skipping"));
            return Ok(());
        }
        return Err(PgError::new(sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE, message));
    }
    edit(ctx, oid, |table| {
        table.columns[at].generated = None;
        Ok(())
    })
    .map(|_| ())
}

fn identity_state(table: &Table, name: &str, what: &str) -> PgError {
    PgError::new(
        sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE,
        format!("column \"{name}\" of relation \"{}\" {what}", table.name),
    )
}

pub async fn add_identity(ctx: &DdlContext<'_>, oid: Oid, name: &str, always: bool, options: &[SequenceOption]) -> Result<()> {
    let table = ctx.as_table(oid)?;
    let at = require(&table, name)?;
    let column = &table.columns[at];
    if !column.not_null {
        return Err(identity_state(
            &table,
            name,
            "must be declared NOT NULL before identity can be added",
        ));
    }
    if column.identity.is_some() {
        return Err(identity_state(&table, name, "is already an identity column"));
    }
    if column.default.is_some() {
        return Err(identity_state(&table, name, "already has a default value"));
    }
    sequence::create_owned(ctx, &table, place(at), column.ty, options, true).await?;
    edit(ctx, oid, |table| {
        table.columns[at].identity = Some(if always { Identity::Always } else { Identity::ByDefault });
        Ok(())
    })
    .map(|_| ())
}

pub async fn set_identity(
    ctx: &DdlContext<'_>,
    oid: Oid,
    name: &str,
    always: Option<bool>,
    options: &[SequenceOption],
) -> Result<()> {
    let table = ctx.as_table(oid)?;
    let at = require(&table, name)?;
    if table.columns[at].identity.is_none() {
        return Err(identity_state(&table, name, "is not an identity column"));
    }
    if !options.is_empty()
        && let Some(owned) = sequence::owned_by_column(&ctx.catalog(), oid, place(at))
    {
        sequence::alter_options(ctx, &owned, options, true).await?;
    }
    let Some(always) = always else { return Ok(()) };
    edit(ctx, oid, |table| {
        table.columns[at].identity = Some(if always { Identity::Always } else { Identity::ByDefault });
        Ok(())
    })
    .map(|_| ())
}

pub async fn drop_identity(ctx: &DdlContext<'_>, oid: Oid, name: &str, if_exists: bool) -> Result<()> {
    let table = ctx.as_table(oid)?;
    let at = require(&table, name)?;
    if table.columns[at].identity.is_none() {
        if if_exists {
            let message = format!(
                "column \"{name}\" of relation \"{}\" is not an identity column, skipping",
                table.name
            );
            ctx.skip(sqlstate::SUCCESSFUL_COMPLETION, message);
            return Ok(());
        }
        return Err(identity_state(&table, name, "is not an identity column"));
    }
    let owned = sequence::owned_by_column(&ctx.catalog(), oid, place(at));
    edit(ctx, oid, |table| {
        table.columns[at].identity = None;
        Ok(())
    })?;
    match owned {
        Some(owned) => remove(ctx, &[Node::Sequence(owned.oid)], false, true).await,
        None => Ok(()),
    }
}

/// ALTER COLUMN TYPE.
pub async fn set_type(
    ctx: &DdlContext<'_>,
    oid: Oid,
    name: &str,
    type_name: &TypeName,
    collation: Option<&QName>,
    using: Option<&ExprText>,
) -> Result<()> {
    let old = ctx.as_table(oid)?;
    let at = require(&old, name)?;
    if collation.is_some_and(|collation| !matches!(collation.name().as_str(), "default" | "C" | "POSIX")) {
        return Err(PgError::unsupported("COLLATE in ALTER COLUMN TYPE"));
    }
    refuse_users(ctx, &old, at)?;
    let to = column::column_type(ctx, type_name, name)?;
    let Some(expr) = exprs::conversion(ctx, &old, at, to, using)? else {
        return Err(not_automatic(ctx, &old, at, to, using.is_some()));
    };
    let default = new_default(ctx, &old, at, to)?;
    let mut new = Table::clone(&old);
    {
        let column = &mut new.columns[at];
        (column.ty, column.typmod) = to;
        column.collation = exprs::collation_of(to.0);
        if column.generated.is_none() {
            column.default = default;
        }
    }
    retype_sequence(ctx, oid, at, to.0).await?;
    if is_same_value(&expr, at) {
        let catalog = ctx.catalog();
        for index in catalog.indexes_of(&old) {
            let mut next = Index::clone(index);
            let mut changed = false;
            for key in &mut next.keys {
                if key.expr == IndexExpr::Column(place(at)) {
                    key.ty = to.0;
                    changed = true;
                }
            }
            if changed {
                ctx.put_index(next)?;
            }
        }
        return ctx.put_table(new).map(|_| ());
    }
    let change = RowChange {
        set: vec![(at, expr)],
        not_null: nulls(old.columns[at].not_null, at),
        recheck: true,
    };
    build::rewrite(ctx, &old, new, &change).await.map(|_| ())
}

/// Whether the conversion gives the old value as it is.
fn is_same_value(expr: &Expr, at: usize) -> bool {
    match &expr.kind {
        ExprKind::Input(column) => *column == at,
        ExprKind::Cast(cast) => matches!(cast.kind, crate::bind::tree::CastKind::Relabel) && is_same_value(&cast.arg, at),
        _ => false,
    }
}

/// Views and generated columns hold on to the type of what they read.
fn refuse_users(ctx: &DdlContext<'_>, table: &Arc<Table>, at: usize) -> Result<()> {
    let name = &table.columns[at].name;
    if let Some(view) = views_using(ctx, &ctx.catalog(), table, place(at)).first() {
        return Err(PgError::new(
            sqlstate::FEATURE_NOT_SUPPORTED,
            "cannot alter type of a column used by a view or rule",
        )
        .detail(format!("rule _RETURN on view {} depends on column \"{name}\"", view.name)));
    }
    let user = table
        .live_columns()
        .find(|(_, other)| other.generated.as_ref().is_some_and(|text| text_uses(table, text, place(at))));
    if let Some((_, other)) = user {
        return Err(PgError::new(
            sqlstate::FEATURE_NOT_SUPPORTED,
            "cannot alter type of a column used by a generated column",
        )
        .detail(format!("Column \"{name}\" is used by generated column \"{}\".", other.name)));
    }
    Ok(())
}

fn not_automatic(ctx: &DdlContext<'_>, table: &Table, at: usize, to: (Oid, i32), using: bool) -> PgError {
    let name = &table.columns[at].name;
    let shown = format_type(to.0, -1, &*ctx.names);
    if using {
        return PgError::new(
            sqlstate::DATATYPE_MISMATCH,
            format!("result of USING clause for column \"{name}\" cannot be cast automatically to type {shown}"),
        )
        .hint("You might need to add an explicit cast.");
    }
    let with_modifier = format_type(to.0, to.1, &*ctx.names);
    PgError::new(
        sqlstate::DATATYPE_MISMATCH,
        format!("column \"{name}\" cannot be cast automatically to type {shown}"),
    )
    .hint(format!(
        "You might need to specify \"USING {}::{with_modifier}\".",
        crate::parse::quote_identifier(name)
    ))
}

/// The default, converted to the new type.
fn new_default(ctx: &DdlContext<'_>, table: &Table, at: usize, to: (Oid, i32)) -> Result<Option<String>> {
    let Some(text) = &table.columns[at].default else {
        return Ok(None);
    };
    let mut column = table.columns[at].clone();
    (column.ty, column.typmod) = to;
    let expr = crate::parse::parse_expression(text)?;
    match exprs::default_value(ctx, &column, &expr) {
        Ok((_, text)) => Ok(Some(text)),
        Err(error) if error.code() == sqlstate::DATATYPE_MISMATCH => Err(PgError::new(
            sqlstate::DATATYPE_MISMATCH,
            format!(
                "default for column \"{}\" cannot be cast automatically to type {}",
                column.name,
                format_type(to.0, -1, &*ctx.names)
            ),
        )),
        Err(error) => Err(error),
    }
}

/// The sequence of an identity column follows its type.
async fn retype_sequence(ctx: &DdlContext<'_>, oid: Oid, at: usize, ty: Oid) -> Result<()> {
    let catalog = ctx.catalog();
    let Some(owned) = sequence::owned_by_column(&catalog, oid, place(at)) else {
        return Ok(());
    };
    if !owned.identity || owned.ty == ty {
        return Ok(());
    }
    let name = crate::types::info::info(ty).map_or("", |row| row.name);
    let option = SequenceOption::As(TypeName {
        names: vec!["pg_catalog".into(), name.into()],
        ..TypeName::default()
    });
    sequence::alter_options(ctx, &owned, &[option], true).await
}
