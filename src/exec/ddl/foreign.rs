//! Foreign keys: what they refer to, whether the types fit, their names.

use std::sync::Arc;

use smol_str::SmolStr;

use super::column::place;
use super::constraint::{Spec, SpecKind, check_deferral, joined, must_be_new, name_in_use};
use super::context::{DdlContext, free_name};
use crate::catalog::{Catalog, Constraint, ConstraintKind, ForeignAction, ForeignKey, Index, IndexExpr, RelationRef, Table};
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::lock::RelationMode;
use crate::parse::{MatchKind, Name, References, ReferentialAction};
use crate::types::info::{self, format_type};
use crate::types::oid;

/// Adds a FOREIGN KEY to the definition of a table; answers its OID. The rows are the caller's business.
pub async fn add(ctx: &DdlContext<'_>, table: &mut Table, spec: &Spec<'_>) -> Result<Oid> {
    check_deferral(spec)?;
    let SpecKind::Foreign { columns, references } = &spec.kind else {
        return Err(PgError::internal("not a foreign key"));
    };
    if references.match_kind == MatchKind::Partial {
        return Err(PgError::new(sqlstate::FEATURE_NOT_SUPPORTED, "MATCH PARTIAL not yet implemented").at(spec.position));
    }
    let parent = parent_table(ctx, table, references).await?;
    check_persistence(table, &parent)?;
    let own = referenced_places(table, columns)?;
    let catalog = ctx.catalog();
    let (parent_columns, index) = parent_key(&catalog, &parent, references, own.len())?;
    let name = name_of(&catalog, table, spec, &own)?;
    check_types(ctx, table, &parent, &name, &own, &parent_columns)?;
    let delete_set_columns = referenced_places(table, &references.on_delete_columns)?;
    if let Some(other) = delete_set_columns.iter().find(|column| !own.contains(column)) {
        return Err(PgError::new(
            sqlstate::INVALID_COLUMN_REFERENCE,
            format!(
                "column \"{}\" referenced in ON DELETE SET action must be part of foreign key",
                table.columns[usize::from(*other)].name
            ),
        ));
    }
    check_generated(table, &own, references)?;
    let oid = ctx.new_oid();
    table.constraints.push(Constraint {
        oid,
        name,
        kind: ConstraintKind::ForeignKey(ForeignKey {
            columns: own,
            parent: parent.oid,
            parent_columns,
            parent_index: index,
            on_delete: action(references.on_delete),
            on_update: action(references.on_update),
            delete_set_columns,
            match_full: references.match_kind == MatchKind::Full,
        }),
        deferrable: false,
        initially_deferred: false,
        validated: !spec.deferral.not_valid,
    });
    Ok(oid)
}

fn action(action: ReferentialAction) -> ForeignAction {
    match action {
        ReferentialAction::NoAction => ForeignAction::NoAction,
        ReferentialAction::Restrict => ForeignAction::Restrict,
        ReferentialAction::Cascade => ForeignAction::Cascade,
        ReferentialAction::SetNull => ForeignAction::SetNull,
        ReferentialAction::SetDefault => ForeignAction::SetDefault,
    }
}

/// The table referred to, locked; it may be the table itself, which need not be in the catalog yet.
async fn parent_table(ctx: &DdlContext<'_>, table: &Table, references: &References) -> Result<Arc<Table>> {
    let name = &references.table;
    let is_self = *name.name() == table.name
        && match name.schema() {
            Some(schema) => ctx.catalog().find_schema(schema) == Some(table.schema),
            None => ctx.find(name).is_none_or(|found| found == table.oid),
        };
    if is_self && ctx.find(name).is_none_or(|found| found == table.oid) {
        return Ok(Arc::new(table.clone()));
    }
    let Some(oid) = ctx.find_locked(name, RelationMode::ShareRowExclusive).await? else {
        if let Some(schema) = name.schema()
            && ctx.catalog().find_schema(schema).is_none()
        {
            return Err(PgError::new(
                sqlstate::UNDEFINED_SCHEMA,
                format!("schema \"{schema}\" does not exist"),
            ));
        }
        return Err(PgError::new(
            sqlstate::UNDEFINED_TABLE,
            format!("relation \"{name}\" does not exist"),
        ));
    };
    let catalog = ctx.catalog();
    match catalog.relation(oid) {
        Some(RelationRef::Table(parent)) if oid.0 >= Oid::FIRST_USER.0 => Ok(Arc::clone(parent)),
        Some(RelationRef::Table(parent)) => Err(PgError::new(
            sqlstate::INSUFFICIENT_PRIVILEGE,
            format!("permission denied: \"{}\" is a system catalog", parent.name),
        )),
        _ => Err(PgError::new(
            sqlstate::WRONG_OBJECT_TYPE,
            format!("referenced relation \"{}\" is not a table", name.name()),
        )),
    }
}

fn check_persistence(table: &Table, parent: &Table) -> Result<()> {
    let message = if table.temporary {
        (!parent.temporary).then_some("constraints on temporary tables may reference only temporary tables")
    } else if table.unlogged {
        parent
            .temporary
            .then_some("constraints on unlogged tables may reference only permanent or unlogged tables")
    } else {
        (parent.temporary || parent.unlogged).then_some("constraints on permanent tables may reference only permanent tables")
    };
    match message {
        Some(message) => Err(PgError::new(sqlstate::INVALID_TABLE_DEFINITION, message)),
        None => Ok(()),
    }
}

fn referenced_places(table: &Table, names: &[Name]) -> Result<Vec<u16>> {
    names
        .iter()
        .map(|name| match table.column(&name.text) {
            Some((at, _)) => Ok(place(at)),
            None => Err(PgError::new(
                sqlstate::UNDEFINED_COLUMN,
                format!("column \"{name}\" referenced in foreign key constraint does not exist"),
            )),
        })
        .collect()
}

/// The columns referred to, in the order of the key, and the unique index over exactly them.
fn parent_key(catalog: &Catalog, parent: &Table, references: &References, count: usize) -> Result<(Vec<u16>, Oid)> {
    if references.columns.is_empty() {
        let primary = parent.constraints.iter().find_map(|one| match one.kind {
            ConstraintKind::PrimaryKey { index } => catalog.index(index),
            _ => None,
        });
        let Some(index) = primary else {
            return Err(PgError::new(
                sqlstate::UNDEFINED_OBJECT,
                format!("there is no primary key for referenced table \"{}\"", parent.name),
            ));
        };
        let columns = plain_columns(index);
        disagree(columns.len(), count)?;
        return Ok((columns, index.oid));
    }
    let columns = referenced_places(parent, &references.columns)?;
    for (at, column) in columns.iter().enumerate() {
        if columns[..at].contains(column) {
            return Err(PgError::new(
                sqlstate::INVALID_FOREIGN_KEY,
                "foreign key referenced-columns list must not contain duplicates",
            ));
        }
    }
    disagree(columns.len(), count)?;
    let index = catalog.indexes_of(parent).find(|index| {
        index.unique
            && index.predicate.is_none()
            && index.keys.len() == columns.len()
            && index
                .keys
                .iter()
                .all(|key| matches!(key.expr, IndexExpr::Column(column) if columns.contains(&column)))
    });
    match index {
        Some(index) => Ok((columns, index.oid)),
        None => Err(PgError::new(
            sqlstate::INVALID_FOREIGN_KEY,
            format!(
                "there is no unique constraint matching given keys for referenced table \"{}\"",
                parent.name
            ),
        )),
    }
}

fn disagree(parent: usize, own: usize) -> Result<()> {
    if parent == own {
        return Ok(());
    }
    Err(PgError::new(
        sqlstate::INVALID_FOREIGN_KEY,
        "number of referencing and referenced columns for foreign key disagree",
    ))
}

fn plain_columns(index: &Index) -> Vec<u16> {
    index
        .keys
        .iter()
        .filter_map(|key| match key.expr {
            IndexExpr::Column(column) => Some(column),
            IndexExpr::Expression(_) => None,
        })
        .collect()
}

fn name_of(catalog: &Catalog, table: &Table, spec: &Spec<'_>, columns: &[u16]) -> Result<SmolStr> {
    if let Some(name) = spec.name {
        must_be_new(table, &name.text)?;
        return Ok(name.text.clone());
    }
    let names: Vec<&str> = columns
        .iter()
        .map(|at| table.columns[usize::from(*at)].name.as_str())
        .collect();
    Ok(free_name(&table.name, Some(&joined(&names)), "fkey", |name| {
        name_in_use(catalog, table, name)
    }))
}

/// 42804 where a pair of columns has no equality that the parent's index knows.
fn check_types(ctx: &DdlContext<'_>, table: &Table, parent: &Table, name: &str, own: &[u16], theirs: &[u16]) -> Result<()> {
    for (from, to) in own.iter().zip(theirs) {
        let (from, to) = (&table.columns[usize::from(*from)], &parent.columns[usize::from(*to)]);
        let (from_base, _) = info::base_type(from.ty, -1, &*ctx.names);
        let (to_base, _) = info::base_type(to.ty, -1, &*ctx.names);
        if !comparable(from_base, to_base) {
            return Err(PgError::new(
                sqlstate::DATATYPE_MISMATCH,
                format!("foreign key constraint \"{name}\" cannot be implemented"),
            )
            .detail(format!(
                "Key columns \"{}\" and \"{}\" are of incompatible types: {} and {}.",
                from.name,
                to.name,
                format_type(from.ty, -1, &*ctx.names),
                format_type(to.ty, -1, &*ctx.names)
            )));
        }
    }
    Ok(())
}

/// Whether values of `from` can be looked up in an index over `to`: one operator family, or an implicit cast to it.
fn comparable(from: Oid, to: Oid) -> bool {
    const FAMILIES: &[&[Oid]] = &[
        &[oid::INT2, oid::INT4, oid::INT8],
        &[oid::FLOAT4, oid::FLOAT8],
        &[oid::TEXT, oid::VARCHAR, oid::NAME],
        &[oid::DATE, oid::TIMESTAMP, oid::TIMESTAMPTZ],
        &[oid::BIT, oid::VARBIT],
    ];
    const IMPLICIT: &[(&[Oid], &[Oid])] = &[
        (
            &[oid::INT2, oid::INT4, oid::INT8],
            &[oid::NUMERIC, oid::FLOAT4, oid::FLOAT8, oid::OID],
        ),
        (&[oid::NUMERIC], &[oid::FLOAT4, oid::FLOAT8]),
        (&[oid::BPCHAR], &[oid::TEXT, oid::VARCHAR, oid::NAME]),
        (&[oid::TEXT, oid::VARCHAR], &[oid::BPCHAR]),
        (&[oid::TIME], &[oid::TIMETZ, oid::INTERVAL]),
    ];
    from == to
        || FAMILIES.iter().any(|family| family.contains(&from) && family.contains(&to))
        || IMPLICIT
            .iter()
            .any(|(sources, targets)| sources.contains(&from) && targets.contains(&to))
}

fn check_generated(table: &Table, own: &[u16], references: &References) -> Result<()> {
    let generated = own.iter().any(|at| table.columns[usize::from(*at)].generated.is_some());
    if !generated {
        return Ok(());
    }
    let refuse = |clause: &str| {
        PgError::new(
            sqlstate::SYNTAX_ERROR,
            format!("invalid {clause} action for foreign key constraint containing generated column"),
        )
    };
    let changes = |action| matches!(action, ReferentialAction::SetNull | ReferentialAction::SetDefault);
    if changes(references.on_update) || references.on_update == ReferentialAction::Cascade {
        return Err(refuse("ON UPDATE"));
    }
    if changes(references.on_delete) {
        return Err(refuse("ON DELETE"));
    }
    Ok(())
}
