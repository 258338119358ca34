//! `information_schema`: constraints and the columns that they are on.

use super::information::{database_name, yes};
use super::{Row, Source, constraints, schema_name, text};
use crate::catalog::catalog::Catalog;
use crate::catalog::objects::{Constraint, ConstraintKind, ForeignAction, Table, UserTypeKind};
use crate::catalog::quote::quote_identifier;
use crate::catalog::server_state::VirtualContext;
use crate::error::Result;
use crate::ids::Oid;
use crate::types::Value;

pub(super) fn source(name: &str) -> Option<Source> {
    Some(match name {
        "table_constraints" => table_constraints,
        "key_column_usage" => key_column_usage,
        "constraint_column_usage" => constraint_column_usage,
        "constraint_table_usage" => constraint_table_usage,
        "referential_constraints" => referential_constraints,
        "check_constraints" => check_constraints,
        _ => return None,
    })
}

fn all(catalog: &Catalog) -> impl Iterator<Item = (&Table, &Constraint)> {
    catalog
        .user_tables()
        .flat_map(|table| table.constraints.iter().map(move |constraint| (&**table, constraint)))
}

/// Catalog, schema and name.
fn qualified(catalog: &Catalog, schema: Oid, name: &str) -> [Value; 3] {
    [database_name(catalog), text(schema_name(catalog, schema)), text(name)]
}

/// NOT NULL shows as a check that the standard's views make up a name for.
fn not_nulls(catalog: &Catalog) -> impl Iterator<Item = (&Table, String, &str)> {
    catalog.user_tables().flat_map(|table| {
        table
            .live_columns()
            .filter(|(_, column)| column.not_null)
            .map(move |(place, column)| {
                let name = format!("{}_{}_{}_not_null", table.schema, table.oid, place + 1);
                (&**table, name, column.name.as_str())
            })
    })
}

fn table_constraints(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let catalog = context.catalog;
    let row = |table: &Table, name: &str, kind: &str, deferrable: bool, deferred: bool, nulls: Value| {
        let mut row: Row = qualified(catalog, table.schema, name).into();
        row.extend(qualified(catalog, table.schema, &table.name));
        row.extend([text(kind), yes(deferrable), yes(deferred), text("YES"), nulls]);
        row
    };
    let mut rows: Vec<Row> = all(catalog)
        .map(|(table, constraint)| {
            let (kind, nulls) = match &constraint.kind {
                ConstraintKind::PrimaryKey { .. } => ("PRIMARY KEY", Value::Null),
                ConstraintKind::Unique { index } => {
                    let distinct = catalog.index(*index).is_none_or(|index| !index.nulls_not_distinct);
                    ("UNIQUE", yes(distinct))
                }
                ConstraintKind::Check { .. } => ("CHECK", Value::Null),
                ConstraintKind::ForeignKey(_) => ("FOREIGN KEY", Value::Null),
            };
            row(
                table,
                &constraint.name,
                kind,
                constraint.deferrable,
                constraint.initially_deferred,
                nulls,
            )
        })
        .collect();
    rows.extend(not_nulls(catalog).map(|(table, name, _)| row(table, &name, "CHECK", false, false, Value::Null)));
    Ok(rows)
}

fn column_name(table: &Table, place: u16) -> Value {
    table
        .columns
        .get(usize::from(place))
        .map_or(Value::Null, |column| text(&column.name))
}

fn key_column_usage(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let catalog = context.catalog;
    let mut rows = Vec::new();
    for (table, constraint) in all(catalog) {
        let (columns, positions): (Vec<u16>, Vec<Value>) = match &constraint.kind {
            ConstraintKind::PrimaryKey { index } | ConstraintKind::Unique { index } => {
                let columns = constraints::index_columns(catalog, *index);
                let positions = vec![Value::Null; columns.len()];
                (columns, positions)
            }
            ConstraintKind::ForeignKey(key) => {
                let of_index = constraints::index_columns(catalog, key.parent_index);
                let position = |place: &u16| {
                    let at = of_index.iter().position(|one| one == place)?;
                    i32::try_from(at + 1).ok()
                };
                let positions = key
                    .parent_columns
                    .iter()
                    .map(|place| position(place).map_or(Value::Null, Value::Int4))
                    .collect();
                (key.columns.clone(), positions)
            }
            ConstraintKind::Check { .. } => continue,
        };
        for (number, (place, position)) in (1..).zip(columns.into_iter().zip(positions)) {
            let mut row: Row = qualified(catalog, table.schema, &constraint.name).into();
            row.extend(qualified(catalog, table.schema, &table.name));
            row.extend([column_name(table, place), Value::Int4(number), position]);
            rows.push(row);
        }
    }
    Ok(rows)
}

fn constraint_column_usage(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let catalog = context.catalog;
    let mut rows = Vec::new();
    for (table, constraint) in all(catalog) {
        // A foreign key uses the columns that it refers to.
        let (of, columns) = match &constraint.kind {
            ConstraintKind::PrimaryKey { index } | ConstraintKind::Unique { index } => {
                (Some(table), constraints::index_columns(catalog, *index))
            }
            ConstraintKind::Check { columns, .. } => (Some(table), columns.clone()),
            ConstraintKind::ForeignKey(key) => (catalog.table(key.parent).map(|parent| &**parent), key.parent_columns.clone()),
        };
        let Some(of) = of else { continue };
        for place in columns {
            let mut row: Row = qualified(catalog, of.schema, &of.name).into();
            row.push(column_name(of, place));
            row.extend(qualified(catalog, table.schema, &constraint.name));
            rows.push(row);
        }
    }
    Ok(rows)
}

fn constraint_table_usage(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let catalog = context.catalog;
    let mut rows = Vec::new();
    for (table, constraint) in all(catalog) {
        let of = match &constraint.kind {
            ConstraintKind::PrimaryKey { .. } | ConstraintKind::Unique { .. } => Some(table),
            ConstraintKind::ForeignKey(key) => catalog.table(key.parent).map(|parent| &**parent),
            ConstraintKind::Check { .. } => None,
        };
        if let Some(of) = of {
            let mut row: Row = qualified(catalog, of.schema, &of.name).into();
            row.extend(qualified(catalog, table.schema, &constraint.name));
            rows.push(row);
        }
    }
    Ok(rows)
}

fn rule(action: ForeignAction) -> Value {
    text(match action {
        ForeignAction::NoAction => "NO ACTION",
        ForeignAction::Restrict => "RESTRICT",
        ForeignAction::Cascade => "CASCADE",
        ForeignAction::SetNull => "SET NULL",
        ForeignAction::SetDefault => "SET DEFAULT",
    })
}

fn referential_constraints(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let catalog = context.catalog;
    let mut rows = Vec::new();
    for (table, constraint) in all(catalog) {
        let ConstraintKind::ForeignKey(key) = &constraint.kind else {
            continue;
        };
        // The unique constraint behind the index, if it is one and not a plain unique index.
        let unique = catalog.table(key.parent).and_then(|parent| {
            let of = catalog.index(key.parent_index)?.constraint?;
            let found = parent.constraints.iter().find(|one| one.oid == of)?;
            Some(qualified(catalog, parent.schema, &found.name))
        });
        let mut row: Row = qualified(catalog, table.schema, &constraint.name).into();
        row.extend(unique.unwrap_or([Value::Null, Value::Null, Value::Null]));
        row.extend([
            text(if key.match_full { "FULL" } else { "NONE" }),
            rule(key.on_update),
            rule(key.on_delete),
        ]);
        rows.push(row);
    }
    Ok(rows)
}

fn check_constraints(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let catalog = context.catalog;
    let row = |schema: Oid, name: &str, clause: &str| {
        let mut row: Row = qualified(catalog, schema, name).into();
        row.push(text(clause));
        row
    };
    let mut rows = Vec::new();
    for (table, constraint) in all(catalog) {
        if let ConstraintKind::Check { expression, .. } = &constraint.kind {
            rows.push(row(table.schema, &constraint.name, &format!("({expression})")));
        }
    }
    for ty in catalog.user_types() {
        if let UserTypeKind::Domain { checks, .. } = &ty.kind {
            rows.extend(
                checks
                    .iter()
                    .map(|(_, name, text)| row(ty.schema, name, &format!("({text})"))),
            );
        }
    }
    rows.extend(
        not_nulls(catalog)
            .map(|(table, name, column)| row(table.schema, &name, &format!("{} IS NOT NULL", quote_identifier(column)))),
    );
    Ok(rows)
}
