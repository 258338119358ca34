//! ALTER TABLE's actions on constraints, and the look at rows that they need.

use std::sync::Arc;

use super::alter::edit;
use super::build::{self, RowChange, TableReader};
use super::constraint::{self, Spec, SpecKind, attach_key, check_deferral, has_primary, must_be_new};
use super::context::DdlContext;
use super::depend::{Node, key_index};
use super::foreign;
use super::remove::remove;
use crate::catalog::{Constraint, ConstraintKind, Index, IndexExpr, Table};
use crate::error::{PgError, Result, sqlstate};
use crate::exec::foreign_keys::validate_reference;
use crate::exec::slots::eval_sync;
use crate::ids::Oid;
use crate::lock::RelationMode;
use crate::parse::{Name, TableConstraint};
use crate::types::Value;

/// ADD CONSTRAINT.
pub async fn add(ctx: &DdlContext<'_>, oid: Oid, constraint: &TableConstraint) -> Result<()> {
    add_spec(ctx, oid, &constraint::of_table(constraint)?).await
}

pub async fn add_spec(ctx: &DdlContext<'_>, oid: Oid, spec: &Spec<'_>) -> Result<()> {
    let old = ctx.as_table(oid)?;
    match &spec.kind {
        SpecKind::Check { .. } => {
            if let Some(name) = spec.name
                && old.constraints.iter().any(|one| one.name == name.text)
            {
                must_be_new(&old, &name.text)?;
            }
            let mut new = Table::clone(&old);
            let added = constraint::add_check(ctx, &mut new, spec)?;
            let new = ctx.put_table(new)?;
            check_rows(ctx, &new, added).await
        }
        SpecKind::Key { primary, .. } => add_key(ctx, &old, spec, *primary).await,
        SpecKind::KeyUsing { primary, index } => add_key_using(ctx, &old, spec, *primary, index).await,
        SpecKind::Foreign { .. } => {
            let mut new = Table::clone(&old);
            let added = foreign::add(ctx, &mut new, spec).await?;
            let new = ctx.put_table(new)?;
            check_rows(ctx, &new, added).await
        }
    }
}

async fn add_key(ctx: &DdlContext<'_>, old: &Arc<Table>, spec: &Spec<'_>, primary: bool) -> Result<()> {
    let mut new = Table::clone(old);
    let index = constraint::add_key(ctx, &mut new, spec).await?;
    let index_oid = index.oid;
    let columns: Vec<usize> = plain_columns(&index);
    ctx.put_index(index)?;
    if primary {
        // The table becomes its own index: it is written again in the order of the key.
        let not_null = columns.into_iter().filter(|at| !old.columns[*at].not_null).collect();
        let change = RowChange {
            not_null,
            ..RowChange::default()
        };
        return build::rewrite(ctx, old, new, &change).await.map(|_| ());
    }
    let new = ctx.put_table(new)?;
    build::fill_indexes(ctx, &new, &[index_oid]).await
}

fn plain_columns(index: &Index) -> Vec<usize> {
    index
        .keys
        .iter()
        .filter_map(|key| match key.expr {
            IndexExpr::Column(at) => Some(usize::from(at)),
            IndexExpr::Expression(_) => None,
        })
        .collect()
}

/// ADD PRIMARY KEY | UNIQUE USING INDEX.
async fn add_key_using(ctx: &DdlContext<'_>, old: &Arc<Table>, spec: &Spec<'_>, primary: bool, name: &Name) -> Result<()> {
    check_deferral(spec)?;
    let catalog = ctx.catalog();
    let at = spec.position;
    let Some(index) = catalog.indexes_of(old).find(|index| index.name == name.text) else {
        let error = if catalog
            .find_relation(old.schema, &name.text)
            .is_some_and(|oid| catalog.index(oid).is_some())
        {
            PgError::new(
                sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE,
                format!("index \"{name}\" does not belong to table \"{}\"", old.name),
            )
        } else {
            PgError::new(sqlstate::UNDEFINED_OBJECT, format!("index \"{name}\" does not exist"))
        };
        return Err(error.at(at));
    };
    fit_for_key(index, name, at)?;
    if primary && has_primary(old) {
        return Err(PgError::new(
            sqlstate::INVALID_TABLE_DEFINITION,
            format!("multiple primary keys for table \"{}\" are not allowed", old.name),
        )
        .at(at));
    }
    let constraint_name = spec.name.map_or_else(|| name.text.clone(), |name| name.text.clone());
    must_be_new(old, &constraint_name)?;
    let mut next = Index::clone(index);
    if constraint_name != next.name {
        ctx.skip(
            sqlstate::SUCCESSFUL_COMPLETION,
            format!(
                "ALTER TABLE / ADD CONSTRAINT USING INDEX will rename index \"{}\" to \"{constraint_name}\"",
                next.name
            ),
        );
        ctx.claim_relation(old.schema, &constraint_name).await?;
        next.name = constraint_name.clone();
    }
    let constraint = ctx.new_oid();
    next.constraint = Some(constraint);
    next.primary = primary;
    let columns = plain_columns(&next);
    let mut new = Table::clone(old);
    new.indexes.retain(|oid| *oid != next.oid);
    let places: Vec<u16> = columns.iter().map(|at| super::column::place(*at)).collect();
    attach_key(&mut new, &next, constraint_name, constraint, &places);
    ctx.put_index(next)?;
    if !primary {
        return ctx.put_table(new).map(|_| ());
    }
    let not_null = columns.into_iter().filter(|at| !old.columns[*at].not_null).collect();
    build::rewrite(
        ctx,
        old,
        new,
        &RowChange {
            not_null,
            ..RowChange::default()
        },
    )
    .await
    .map(|_| ())
}

/// 42809 for an index that cannot carry a constraint.
fn fit_for_key(index: &Index, name: &Name, at: u32) -> Result<()> {
    if index.constraint.is_some() {
        return Err(PgError::new(
            sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE,
            format!("index \"{name}\" is already associated with a constraint"),
        )
        .at(at));
    }
    let what = if !index.unique {
        format!("\"{name}\" is not a unique index")
    } else if index.keys.iter().any(|key| matches!(key.expr, IndexExpr::Expression(_))) {
        format!("index \"{name}\" contains expressions")
    } else if index.predicate.is_some() {
        format!("\"{name}\" is a partial index")
    } else if index
        .keys
        .iter()
        .any(|key| key.descending || key.nulls_first || key.opclass.is_some())
    {
        format!("index \"{name}\" column number 1 does not have default sorting behavior")
    } else {
        return Ok(());
    };
    Err(PgError::new(sqlstate::WRONG_OBJECT_TYPE, what)
        .detail("Cannot create a primary key or unique constraint using such an index.")
        .at(at))
}

fn find<'t>(table: &'t Table, name: &str) -> Result<&'t Constraint> {
    table.constraints.iter().find(|one| one.name == name).ok_or_else(|| {
        PgError::new(
            sqlstate::UNDEFINED_OBJECT,
            format!("constraint \"{name}\" of relation \"{}\" does not exist", table.name),
        )
    })
}

/// DROP CONSTRAINT.
pub async fn remove_constraint(ctx: &DdlContext<'_>, oid: Oid, name: &str, if_exists: bool, cascade: bool) -> Result<()> {
    let table = ctx.as_table(oid)?;
    let constraint = match find(&table, name) {
        Ok(constraint) => constraint,
        Err(error) if if_exists => {
            ctx.skip(sqlstate::SUCCESSFUL_COMPLETION, format!("{}, skipping", error.message()));
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    let index = key_index(constraint);
    remove(ctx, &[Node::Constraint(oid, constraint.oid)], cascade, false).await?;
    debug_assert!(
        index.is_none_or(|index| ctx.catalog().index(index).is_none()),
        "a key's index goes with it"
    );
    Ok(())
}

/// VALIDATE CONSTRAINT.
pub async fn validate(ctx: &DdlContext<'_>, oid: Oid, name: &str) -> Result<()> {
    let table = ctx.as_table(oid)?;
    let constraint = find(&table, name)?.clone();
    match &constraint.kind {
        ConstraintKind::Check { .. } => {}
        ConstraintKind::ForeignKey(key) => ctx.lock(key.parent, RelationMode::RowShare).await?,
        ConstraintKind::PrimaryKey { .. } | ConstraintKind::Unique { .. } => {
            return Err(PgError::new(
                sqlstate::WRONG_OBJECT_TYPE,
                format!(
                    "constraint \"{name}\" of relation \"{}\" is not a foreign key or check constraint",
                    table.name
                ),
            ));
        }
    }
    if constraint.validated {
        return Ok(());
    }
    let table = edit(ctx, oid, |table| {
        for one in &mut table.constraints {
            one.validated |= one.oid == constraint.oid;
        }
        Ok(())
    })?;
    check_rows(ctx, &table, constraint.oid).await
}

/// Looks at every row for a constraint that was added or is validated.
async fn check_rows(ctx: &DdlContext<'_>, table: &Arc<Table>, oid: Oid) -> Result<()> {
    let Some(constraint) = table.constraints.iter().find(|one| one.oid == oid && one.validated) else {
        return Ok(());
    };
    let exec = ctx.exec()?;
    let target = crate::plan::write_target(table, &exec.plan_context())?;
    let check = target.checks.iter().find(|check| check.name == constraint.name);
    let mut reader = TableReader::new(&exec, table)?;
    let mut row = vec![Value::Null; reader.width()];
    while !reader.next(&exec).await?.is_empty() {
        for at in 0..reader.len() {
            reader.decode(at, &mut row)?;
            match (&constraint.kind, check) {
                (ConstraintKind::ForeignKey(key), _) => validate_reference(&exec, table, constraint, key, &row)?,
                (_, Some(check)) if matches!(eval_sync(&exec, &check.condition, &row)?, Value::Bool(false)) => {
                    return Err(PgError::new(
                        sqlstate::CHECK_VIOLATION,
                        format!(
                            "check constraint \"{}\" of relation \"{}\" is violated by some row",
                            constraint.name, table.name
                        ),
                    )
                    .table(target.schema_name.as_str(), table.name.as_str())
                    .constraint(constraint.name.as_str()));
                }
                _ => {}
            }
        }
    }
    Ok(())
}
