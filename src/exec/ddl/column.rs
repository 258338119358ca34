//! Columns of new tables and of ADD COLUMN: types, defaults, `serial`, identity, generated columns.

use std::sync::Arc;

use smol_str::SmolStr;

use super::context::DdlContext;
use super::{exprs, sequence};
use crate::catalog::{Column, Identity, Table};
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::limits;
use crate::parse::{ColumnConstraintKind, ColumnDef, ExprText, SequenceOption, TypeName};
use crate::types::info::{self, format_type};
use crate::types::oid;

const SYSTEM_COLUMNS: [&str; 6] = ["ctid", "xmin", "cmin", "xmax", "cmax", "tableoid"];

/// What a column's value comes from where the statement gives none.
pub enum Source<'a> {
    None,
    Default(&'a ExprText),
    /// `serial`: a sequence of this type.
    Serial(Oid),
    Identity {
        always: bool,
        options: &'a [SequenceOption],
    },
    Generated(&'a ExprText),
}

/// A column with what must be worked out once the table is known.
pub struct Planned<'a> {
    pub column: Column,
    pub source: Source<'a>,
}

/// A column's place as the catalog keeps it.
pub fn place(at: usize) -> u16 {
    u16::try_from(at).expect("a table has at most TABLE_COLUMNS_MAX columns")
}

/// 42703.
pub fn missing(column: &str, table: &str) -> PgError {
    PgError::new(
        sqlstate::UNDEFINED_COLUMN,
        format!("column \"{column}\" of relation \"{table}\" does not exist"),
    )
}

/// The place of a live column; 42703.
pub fn require(table: &Table, name: &str) -> Result<usize> {
    if SYSTEM_COLUMNS.contains(&name) {
        return Err(PgError::new(
            sqlstate::FEATURE_NOT_SUPPORTED,
            format!("cannot alter system column \"{name}\""),
        ));
    }
    table.column(name).map(|(at, _)| at).ok_or_else(|| missing(name, &table.name))
}

/// 42701 where the name is a system column's or taken.
pub fn check_name(name: &str, existing: &[Column]) -> Result<()> {
    if SYSTEM_COLUMNS.contains(&name) {
        return Err(PgError::new(
            sqlstate::DUPLICATE_COLUMN,
            format!("column name \"{name}\" conflicts with a system column name"),
        ));
    }
    if existing.iter().any(|column| !column.dropped && column.name == name) {
        return Err(PgError::new(
            sqlstate::DUPLICATE_COLUMN,
            format!("column \"{name}\" specified more than once"),
        ));
    }
    Ok(())
}

/// 54011 past PostgreSQL's limit.
pub fn check_count(count: usize) -> Result<()> {
    if count > limits::TABLE_COLUMNS_MAX {
        return Err(PgError::new(
            sqlstate::TOO_MANY_COLUMNS,
            format!("tables can have at most {} columns", limits::TABLE_COLUMNS_MAX),
        ));
    }
    Ok(())
}

/// A plain column.
pub fn plain(name: SmolStr, ty: Oid, typmod: i32) -> Column {
    Column {
        name,
        ty,
        typmod,
        not_null: false,
        default: None,
        identity: None,
        generated: None,
        dropped: false,
        missing: None,
        collation: exprs::collation_of(ty),
    }
}

/// The type behind `serial`, `bigserial`, `smallserial`.
fn serial_type(name: &TypeName) -> Option<Oid> {
    if name.dimensions > 0 || !matches!(name.schema(), None | Some("pg_catalog")) {
        return None;
    }
    match name.name() {
        "smallserial" | "serial2" => Some(oid::INT2),
        "serial" | "serial4" => Some(oid::INT4),
        "bigserial" | "serial8" => Some(oid::INT8),
        _ => None,
    }
}

/// A type that columns may have; 42P16 for pseudo-types.
pub fn column_type(ctx: &DdlContext<'_>, name: &TypeName, column: &str) -> Result<(Oid, i32)> {
    if name.setof {
        return Err(PgError::new(
            sqlstate::INVALID_TABLE_DEFINITION,
            format!("column \"{column}\" cannot be declared SETOF"),
        ));
    }
    let (ty, typmod) = exprs::resolve_type(ctx, name)?;
    check_type(ctx, ty, column)?;
    Ok((ty, typmod))
}

pub fn check_type(ctx: &DdlContext<'_>, ty: Oid, column: &str) -> Result<()> {
    let pseudo = info::info(ty).is_some_and(|row| row.kind == 'p');
    if pseudo {
        return Err(PgError::new(
            sqlstate::INVALID_TABLE_DEFINITION,
            format!("column \"{column}\" has pseudo-type {}", format_type(ty, -1, &*ctx.names)),
        ));
    }
    Ok(())
}

/// A column definition without its constraints. `table`: the table's name, for messages.
pub fn plan<'a>(ctx: &DdlContext<'_>, table: &str, definition: &'a ColumnDef) -> Result<Planned<'a>> {
    let name = &definition.name.text;
    let Some(type_name) = &definition.type_name else {
        return Err(PgError::unsupported("CREATE TABLE OF"));
    };
    let serial = serial_type(type_name);
    let (ty, typmod) = match serial {
        Some(ty) => (ty, -1),
        None => column_type(ctx, type_name, name)?,
    };
    let mut column = plain(name.clone(), ty, typmod);
    if let Some(collation) = &definition.collation {
        column.collation = collation_named(ctx, collation, ty)?;
    }
    let mut source = Source::None;
    if let Some(ty) = serial {
        source = Source::Serial(ty);
        column.not_null = true;
    }
    let mut nullable = None;
    for constraint in &definition.constraints {
        let at = constraint.position;
        match &constraint.kind {
            ColumnConstraintKind::NotNull | ColumnConstraintKind::Null => {
                let not_null = matches!(constraint.kind, ColumnConstraintKind::NotNull);
                let conflict = nullable.is_some_and(|before| before != not_null) || serial.is_some() && !not_null;
                if conflict {
                    return Err(conflicting(name, table, "conflicting NULL/NOT NULL declarations for").at(at));
                }
                nullable = Some(not_null);
                column.not_null |= not_null;
            }
            ColumnConstraintKind::Default(expr) => set_source(&mut source, Source::Default(expr), name, table, at)?,
            ColumnConstraintKind::Generated(expr) => set_source(&mut source, Source::Generated(expr), name, table, at)?,
            ColumnConstraintKind::Identity { always, options } => {
                if nullable == Some(false) {
                    return Err(conflicting(name, table, "conflicting NULL/NOT NULL declarations for").at(at));
                }
                column.not_null = true;
                let identity = Source::Identity {
                    always: *always,
                    options,
                };
                set_source(&mut source, identity, name, table, at)?;
            }
            ColumnConstraintKind::Check { .. }
            | ColumnConstraintKind::PrimaryKey(_)
            | ColumnConstraintKind::Unique(_)
            | ColumnConstraintKind::References(_) => {}
        }
    }
    Ok(Planned { column, source })
}

fn conflicting(column: &str, table: &str, what: &str) -> PgError {
    PgError::new(
        sqlstate::SYNTAX_ERROR,
        format!("{what} column \"{column}\" of table \"{table}\""),
    )
}

/// One source a column; 42601 for a second.
fn set_source<'a>(source: &mut Source<'a>, next: Source<'a>, column: &str, table: &str, at: u32) -> Result<()> {
    let what = match (&*source, &next) {
        (Source::None, _) => {
            *source = next;
            return Ok(());
        }
        (Source::Default(_) | Source::Serial(_), Source::Default(_)) => "multiple default values specified for",
        (Source::Identity { .. }, Source::Identity { .. }) => "multiple identity specifications for",
        (Source::Generated(_), Source::Generated(_)) => "multiple generation clauses specified for",
        (Source::Identity { .. }, Source::Generated(_)) | (Source::Generated(_), Source::Identity { .. }) => {
            "both identity and generation expression specified for"
        }
        (_, Source::Generated(_)) | (Source::Generated(_), _) => "both default and generation expression specified for",
        _ => "both default and identity specified for",
    };
    let error = conflicting(column, table, what);
    Err(if matches!(source, Source::Serial(_)) {
        error
    } else {
        error.at(at)
    })
}

/// `default`, `C` and `POSIX` are known: every text sorts by its bytes.
fn collation_named(ctx: &DdlContext<'_>, name: &crate::parse::QName, ty: Oid) -> Result<Oid> {
    if !exprs::collation_of(ty).is_valid() {
        return Err(PgError::new(
            sqlstate::DATATYPE_MISMATCH,
            format!("collations are not supported by type {}", format_type(ty, -1, &*ctx.names)),
        )
        .at(name.position));
    }
    match name.name().as_str() {
        "default" => Ok(Oid(100)),
        "C" => Ok(Oid(950)),
        "POSIX" => Ok(Oid(951)),
        other => Err(PgError::new(
            sqlstate::UNDEFINED_OBJECT,
            format!("collation \"{other}\" for encoding \"UTF8\" does not exist"),
        )
        .at(name.position)),
    }
}

/// Makes sequences, and the texts of defaults and generated columns, once `table` has all its columns.
pub async fn finish_sources(ctx: &DdlContext<'_>, table: &mut Table, sources: Vec<(usize, Source<'_>)>) -> Result<()> {
    for (at, source) in &sources {
        let column = &table.columns[*at];
        match source {
            Source::Default(expr) => {
                let (_, text) = exprs::default_value(ctx, column, &expr.expr)?;
                table.columns[*at].default = Some(text);
            }
            Source::Serial(ty) => {
                let sequence = sequence::create_owned(ctx, table, place(*at), *ty, &[], false).await?;
                table.columns[*at].default = Some(nextval(ctx, sequence));
            }
            Source::Identity { always, options } => {
                let ty = column.ty;
                sequence::create_owned(ctx, table, place(*at), ty, options, true).await?;
                table.columns[*at].identity = Some(if *always { Identity::Always } else { Identity::ByDefault });
            }
            Source::Generated(_) | Source::None => {}
        }
    }
    for (at, source) in &sources {
        if let Source::Generated(expr) = source {
            let whole = Arc::new(table.clone());
            let text = exprs::generated(ctx, &whole, &whole.columns[*at], expr)?;
            table.columns[*at].generated = Some(text);
        }
    }
    Ok(())
}

/// `nextval('schema.name'::regclass)`.
pub fn nextval(ctx: &DdlContext<'_>, sequence: Oid) -> String {
    let catalog = ctx.catalog();
    let (schema, name) = match catalog.sequence(sequence) {
        Some(sequence) => (ctx.schema_name(sequence.schema), sequence.name.clone()),
        None => Default::default(),
    };
    nextval_of(&schema, &name)
}

/// The text of a default that takes the next value of a sequence.
pub fn nextval_of(schema: &str, name: &str) -> String {
    format!("nextval({}::regclass)", regclass_literal(schema, name))
}

/// `'schema.name'`, as the canonical text of an expression names a relation.
pub fn regclass_literal(schema: &str, name: &str) -> String {
    let quote = crate::parse::quote_identifier;
    let full = format!("{}.{}", quote(schema), quote(name));
    format!("'{}'", full.replace('\'', "''"))
}
