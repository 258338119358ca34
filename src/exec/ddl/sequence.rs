//! CREATE, ALTER and DROP SEQUENCE, and the sequences behind `serial` and identity columns.

use std::sync::Arc;

use smol_str::SmolStr;

use super::context::{DdlContext, exists, free_name, gone};
use super::exprs;
use crate::catalog::{Catalog, RelationRef, Sequence, Table};
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::lock::RelationMode;
use crate::parse::{AlterSequence, CreateSequence, Persistence, QName, SequenceOption};
use crate::types::info::format_type;
use crate::types::oid;

/// What CREATE and ALTER change besides the sequence's own fields.
#[derive(Default)]
struct Extra {
    /// `Some(None)` is RESTART without a value.
    restart: Option<Option<i64>>,
    owned_by: Option<Option<QName>>,
}

pub async fn create(ctx: &DdlContext<'_>, statement: &CreateSequence) -> Result<String> {
    let temporary = statement.persistence == Persistence::Temporary;
    let schema = ctx.creation_schema(&statement.name, temporary).await?;
    let name = statement.name.name().clone();
    if let Err(error) = ctx.claim_relation(schema, &name).await {
        if statement.if_not_exists && error.code() == sqlstate::DUPLICATE_TABLE {
            ctx.skip(
                sqlstate::DUPLICATE_TABLE,
                format!("relation \"{name}\" already exists, skipping"),
            );
            return Ok("CREATE SEQUENCE".to_owned());
        }
        return Err(error);
    }
    let mut sequence = blank(ctx, schema, name, temporary || ctx.is_temp_schema(schema));
    let extra = apply_options(ctx, &mut sequence, &statement.options, true)?;
    if let Some(Some(owner)) = &extra.owned_by {
        sequence.owned_by = owning_column(ctx, &sequence, owner).await?;
    }
    start_at(ctx, &sequence, extra.restart)?;
    ctx.put_sequence(sequence)?;
    Ok("CREATE SEQUENCE".to_owned())
}

/// A `bigint` sequence with PostgreSQL's defaults and no place in the catalog yet.
fn blank(ctx: &DdlContext<'_>, schema: Oid, name: SmolStr, temporary: bool) -> Sequence {
    Sequence {
        oid: ctx.new_oid(),
        schema,
        name,
        owner: ctx.role,
        ty: oid::INT8,
        start: 1,
        increment: 1,
        min: 1,
        max: i64::MAX,
        cache: 1,
        cycle: false,
        owned_by: None,
        identity: false,
        storage: ctx.txn.create_storage(),
        temporary,
    }
}

/// The sequence of a `serial` or identity column; its name is `table_column_seq` unless the options say otherwise.
pub async fn create_owned(
    ctx: &DdlContext<'_>,
    table: &Table,
    column: u16,
    ty: Oid,
    options: &[SequenceOption],
    identity: bool,
) -> Result<Oid> {
    let wanted = options.iter().find_map(|option| match option {
        SequenceOption::SequenceName(name) => Some(name),
        _ => None,
    });
    let name = if let Some(name) = wanted {
        name.name().clone()
    } else {
        let catalog = ctx.catalog();
        let column = &table.columns[usize::from(column)].name;
        free_name(&table.name, Some(column), "seq", |name| {
            name == table.name || catalog.find_relation(table.schema, name).is_some()
        })
    };
    ctx.claim_relation(table.schema, &name).await?;
    let mut sequence = blank(ctx, table.schema, name, table.temporary);
    sequence.owner = table.owner;
    sequence.owned_by = Some((table.oid, column));
    sequence.identity = identity;
    let mut all = vec![];
    if !options.iter().any(|option| matches!(option, SequenceOption::As(_))) {
        set_type(ctx, &mut sequence, ty, identity)?;
    }
    all.extend(
        options
            .iter()
            .filter(|option| !matches!(option, SequenceOption::SequenceName(_)))
            .cloned(),
    );
    let extra = apply_options(ctx, &mut sequence, &all, true)?;
    start_at(ctx, &sequence, extra.restart)?;
    let oid = sequence.oid;
    ctx.put_sequence(sequence)?;
    Ok(oid)
}

pub async fn alter(ctx: &DdlContext<'_>, statement: &AlterSequence) -> Result<String> {
    let tag = "ALTER SEQUENCE".to_owned();
    let Some(oid) = ctx.find_locked(&statement.name, RelationMode::ShareRowExclusive).await? else {
        if statement.if_exists {
            ctx.skip(
                sqlstate::UNDEFINED_TABLE,
                format!("relation \"{}\" does not exist, skipping", statement.name),
            );
            return Ok(tag);
        }
        return Err(ctx.missing_relation(&statement.name));
    };
    let sequence = require(&ctx.catalog(), oid)?;
    ctx.must_own(sequence.owner, "sequence", &sequence.name)?;
    alter_options(ctx, &sequence, &statement.options, false).await?;
    Ok(tag)
}

/// ALTER SEQUENCE's options, also as ALTER COLUMN ... SET of identity columns has them.
pub async fn alter_options(
    ctx: &DdlContext<'_>,
    sequence: &Sequence,
    options: &[SequenceOption],
    by_identity: bool,
) -> Result<()> {
    let mut next = sequence.clone();
    let extra = apply_options(ctx, &mut next, options, false)?;
    if let Some(owner) = &extra.owned_by {
        if sequence.identity && !by_identity {
            return Err(identity_owned(ctx, sequence));
        }
        next.owned_by = match owner {
            Some(owner) => owning_column(ctx, &next, owner).await?,
            None => None,
        };
    }
    if extra.restart.is_some() {
        ctx.txn.drop_storage(next.storage);
        next.storage = ctx.txn.create_storage();
        start_at(ctx, &next, extra.restart)?;
    }
    ctx.put_sequence(next)
}

fn identity_owned(ctx: &DdlContext<'_>, sequence: &Sequence) -> PgError {
    let table = sequence.owned_by.and_then(|(table, _)| ctx.catalog().table(table).cloned());
    PgError::new(
        sqlstate::FEATURE_NOT_SUPPORTED,
        "cannot change ownership of identity sequence",
    )
    .detail(format!(
        "Sequence \"{}\" is linked to table \"{}\".",
        sequence.name,
        table.map(|table| table.name.clone()).unwrap_or_default()
    ))
}

pub fn require(catalog: &Catalog, oid: Oid) -> Result<Arc<Sequence>> {
    match catalog.relation(oid) {
        Some(RelationRef::Sequence(sequence)) => Ok(Arc::clone(sequence)),
        Some(other) => Err(PgError::new(
            sqlstate::WRONG_OBJECT_TYPE,
            format!("\"{}\" is not a sequence", other.name()),
        )),
        None => Err(gone(oid)),
    }
}

/// A new storage id, counting from the start again: TRUNCATE ... RESTART IDENTITY.
pub fn restart(ctx: &DdlContext<'_>, sequence: &Sequence) -> Result<()> {
    let mut next = sequence.clone();
    ctx.txn.drop_storage(next.storage);
    next.storage = ctx.txn.create_storage();
    ctx.put_sequence(next)
}

/// The sequence that a column owns.
pub fn owned_by_column(catalog: &Catalog, table: Oid, column: u16) -> Option<Arc<Sequence>> {
    catalog
        .sequences()
        .find(|sequence| sequence.owned_by == Some((table, column)))
        .cloned()
}

/// Makes RESTART's value the next one. The storage is new, so nobody else sees it before the commit.
fn start_at(ctx: &DdlContext<'_>, sequence: &Sequence, restart: Option<Option<i64>>) -> Result<()> {
    let Some(Some(value)) = restart else { return Ok(()) };
    if value == sequence.start {
        return Ok(());
    }
    ctx.txn
        .engine()
        .sequences()
        .setval(ctx.txn.link(), &sequence.definition(), value, false)
}

async fn owning_column(ctx: &DdlContext<'_>, sequence: &Sequence, owner: &QName) -> Result<Option<(Oid, u16)>> {
    if owner.parts.len() < 2 {
        if owner.parts.len() == 1 && owner.name() == "none" {
            return Ok(None);
        }
        return Err(PgError::new(sqlstate::SYNTAX_ERROR, "invalid OWNED BY option")
            .hint("Specify OWNED BY table.column or OWNED BY NONE."));
    }
    let relation = QName {
        parts: owner.parts[..owner.parts.len() - 1].to_vec(),
        position: owner.position,
    };
    let table = ctx.require_table(&relation, RelationMode::AccessShare).await?;
    if table.owner != sequence.owner {
        return Err(PgError::new(
            sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE,
            "sequence must have same owner as table it is linked to",
        ));
    }
    if table.schema != sequence.schema {
        return Err(PgError::new(
            sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE,
            "sequence must be in same schema as table it is linked to",
        ));
    }
    let Some((at, _)) = table.column(owner.name()) else {
        return Err(super::column::missing(owner.name(), &table.name));
    };
    Ok(Some((table.oid, super::column::place(at))))
}

fn set_type(ctx: &DdlContext<'_>, sequence: &mut Sequence, ty: Oid, identity: bool) -> Result<()> {
    let (low, high) = match ty {
        oid::INT2 => (i64::from(i16::MIN), i64::from(i16::MAX)),
        oid::INT4 => (i64::from(i32::MIN), i64::from(i32::MAX)),
        oid::INT8 => (i64::MIN, i64::MAX),
        _ => {
            let what = if identity { "identity column type" } else { "sequence type" };
            return Err(PgError::new(
                sqlstate::INVALID_PARAMETER_VALUE,
                format!("{what} must be smallint, integer, or bigint"),
            ));
        }
    };
    let (old_low, old_high) = range(sequence.ty);
    // Bounds that were the old type's move with it.
    if sequence.max == old_high {
        sequence.max = high;
    }
    if sequence.min == old_low {
        sequence.min = low;
    }
    sequence.ty = ty;
    let _ = ctx;
    Ok(())
}

fn range(ty: Oid) -> (i64, i64) {
    match ty {
        oid::INT2 => (i64::from(i16::MIN), i64::from(i16::MAX)),
        oid::INT4 => (i64::from(i32::MIN), i64::from(i32::MAX)),
        _ => (i64::MIN, i64::MAX),
    }
}

fn number(text: &str) -> Result<i64> {
    text.parse().map_err(|_| {
        PgError::new(
            sqlstate::NUMERIC_VALUE_OUT_OF_RANGE,
            format!("value \"{text}\" is out of range for type bigint"),
        )
    })
}

fn invalid(message: String) -> PgError {
    PgError::new(sqlstate::INVALID_PARAMETER_VALUE, message)
}

/// The options over a sequence, in PostgreSQL's order of checks. `fresh`: bounds and start not given get their defaults.
fn apply_options(ctx: &DdlContext<'_>, sequence: &mut Sequence, options: &[SequenceOption], fresh: bool) -> Result<Extra> {
    let mut extra = Extra::default();
    let (mut min, mut max, mut start) = (None, None, None);
    let mut seen = Vec::new();
    for option in options {
        let kind = std::mem::discriminant(option);
        if seen.contains(&kind) {
            return Err(PgError::new(sqlstate::SYNTAX_ERROR, "conflicting or redundant options"));
        }
        seen.push(kind);
        match option {
            SequenceOption::As(name) => {
                let (ty, _) = exprs::resolve_type(ctx, name)?;
                set_type(ctx, sequence, ty, sequence.identity)?;
            }
            SequenceOption::Increment(text) => sequence.increment = number(text)?,
            SequenceOption::MinValue(value) => min = Some(value.as_deref().map(number).transpose()?),
            SequenceOption::MaxValue(value) => max = Some(value.as_deref().map(number).transpose()?),
            SequenceOption::Start(text) => start = Some(number(text)?),
            SequenceOption::Restart(value) => extra.restart = Some(value.as_deref().map(number).transpose()?),
            SequenceOption::Cache(text) => sequence.cache = number(text)?,
            SequenceOption::Cycle(cycle) => sequence.cycle = *cycle,
            SequenceOption::OwnedBy(owner) => extra.owned_by = Some(owner.clone()),
            SequenceOption::SequenceName(_) => {
                return Err(PgError::new(sqlstate::SYNTAX_ERROR, "invalid sequence option SEQUENCE NAME"));
            }
        }
    }
    if sequence.increment == 0 {
        return Err(invalid("INCREMENT must not be zero".to_owned()));
    }
    bounds(ctx, sequence, min, max, fresh)?;
    first_value(sequence, start, fresh)?;
    if let Some(Some(value)) = extra.restart {
        within(sequence, "RESTART", value)?;
    } else if extra.restart.is_some() {
        extra.restart = Some(Some(sequence.start));
    }
    if sequence.cache <= 0 {
        return Err(invalid(format!("CACHE ({}) must be greater than zero", sequence.cache)));
    }
    Ok(extra)
}

type Bound = Option<Option<i64>>;

fn bounds(ctx: &DdlContext<'_>, sequence: &mut Sequence, min: Bound, max: Bound, fresh: bool) -> Result<()> {
    let (low, high) = range(sequence.ty);
    let ascending = sequence.increment > 0;
    match max {
        Some(Some(value)) => sequence.max = value,
        Some(None) => sequence.max = if ascending { high } else { -1 },
        None if fresh => sequence.max = if ascending { high } else { -1 },
        None => {}
    }
    match min {
        Some(Some(value)) => sequence.min = value,
        Some(None) => sequence.min = if ascending { 1 } else { low },
        None if fresh => sequence.min = if ascending { 1 } else { low },
        None => {}
    }
    let type_name = || format_type(sequence.ty, -1, &*ctx.names);
    if sequence.max < low || sequence.max > high {
        return Err(invalid(format!(
            "MAXVALUE ({}) is out of range for sequence data type {}",
            sequence.max,
            type_name()
        )));
    }
    if sequence.min < low || sequence.min > high {
        return Err(invalid(format!(
            "MINVALUE ({}) is out of range for sequence data type {}",
            sequence.min,
            type_name()
        )));
    }
    if sequence.min >= sequence.max {
        return Err(invalid(format!(
            "MINVALUE ({}) must be less than MAXVALUE ({})",
            sequence.min, sequence.max
        )));
    }
    Ok(())
}

fn first_value(sequence: &mut Sequence, start: Option<i64>, fresh: bool) -> Result<()> {
    match start {
        Some(value) => sequence.start = value,
        None if fresh => sequence.start = if sequence.increment > 0 { sequence.min } else { sequence.max },
        None => {}
    }
    within(sequence, "START", sequence.start)
}

fn within(sequence: &Sequence, what: &str, value: i64) -> Result<()> {
    if value < sequence.min {
        return Err(invalid(format!(
            "{what} value ({value}) cannot be less than MINVALUE ({})",
            sequence.min
        )));
    }
    if value > sequence.max {
        return Err(invalid(format!(
            "{what} value ({value}) cannot be greater than MAXVALUE ({})",
            sequence.max
        )));
    }
    Ok(())
}

/// 42P07 unless the name is free: for renames.
pub fn must_be_free(catalog: &Catalog, schema: Oid, name: &str) -> Result<()> {
    match catalog.find_relation(schema, name) {
        Some(_) => Err(exists(name)),
        None => Ok(()),
    }
}
