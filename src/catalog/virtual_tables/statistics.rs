//! `pg_stats`, and the `pg_stat_*` views of tables and indexes. Nothing counts scans and rows: those columns are 0; sizes
//! and the last ANALYZE are true.

use super::{Row, Source, array, oid, schema_name, text};
use crate::catalog::catalog::{Catalog, INFORMATION_SCHEMA, PG_CATALOG, PG_TOAST};
use crate::catalog::objects::Table;
use crate::catalog::server_state::VirtualContext;
use crate::error::Result;
use crate::ids::Oid;
use crate::types::{Value, oid as types};

fn is_system(schema: Oid) -> bool {
    schema == PG_CATALOG || schema == INFORMATION_SCHEMA || schema == PG_TOAST
}

#[derive(Clone, Copy, PartialEq)]
enum Which {
    All,
    User,
    System,
}

impl Which {
    fn takes(self, schema: Oid) -> bool {
        match self {
            Which::All => true,
            Which::User => !is_system(schema),
            Which::System => is_system(schema),
        }
    }
}

pub(super) fn stat_source(name: &str) -> Option<Source> {
    Some(match name {
        "pg_stat_all_tables" => |context| Ok(stat_tables(context, Which::All)),
        "pg_stat_user_tables" => |context| Ok(stat_tables(context, Which::User)),
        "pg_stat_sys_tables" => |context| Ok(stat_tables(context, Which::System)),
        "pg_stat_xact_all_tables" => |context| Ok(zeros(context, Which::All, 8)),
        "pg_stat_xact_user_tables" => |context| Ok(zeros(context, Which::User, 8)),
        "pg_statio_all_tables" => |context| Ok(zeros(context, Which::All, 8)),
        "pg_statio_user_tables" => |context| Ok(zeros(context, Which::User, 8)),
        "pg_statio_sys_tables" => |context| Ok(zeros(context, Which::System, 8)),
        "pg_stat_all_indexes" => |context| Ok(stat_indexes(context, Which::All, 3)),
        "pg_stat_user_indexes" => |context| Ok(stat_indexes(context, Which::User, 3)),
        "pg_stat_sys_indexes" => |context| Ok(stat_indexes(context, Which::System, 3)),
        "pg_statio_all_indexes" => |context| Ok(stat_indexes(context, Which::All, 2)),
        "pg_statio_user_indexes" => |context| Ok(stat_indexes(context, Which::User, 2)),
        "pg_statio_sys_indexes" => |context| Ok(stat_indexes(context, Which::System, 2)),
        "pg_statio_all_sequences" | "pg_statio_user_sequences" => statio_sequences,
        _ => return None,
    })
}

fn base_tables(catalog: &Catalog, which: Which) -> impl Iterator<Item = &Table> {
    catalog
        .tables()
        .map(|table| &**table)
        .filter(move |table| !table.is_system_view() && which.takes(table.schema))
}

fn identity(catalog: &Catalog, table: &Table) -> Row {
    vec![oid(table.oid), text(schema_name(catalog, table.schema)), text(&table.name)]
}

fn zeros(context: &VirtualContext<'_>, which: Which, count: usize) -> Vec<Row> {
    let row = |table| {
        let mut row = identity(context.catalog, table);
        row.extend((0..count).map(|_| Value::Int8(0)));
        row
    };
    base_tables(context.catalog, which).map(row).collect()
}

fn stat_tables(context: &VirtualContext<'_>, which: Which) -> Vec<Row> {
    let catalog = context.catalog;
    let row = |table: &Table| {
        let statistics = catalog.statistics(table.oid);
        let mut row = identity(catalog, table);
        row.extend((0..8).map(|_| Value::Int8(0)));
        #[expect(clippy::cast_possible_truncation, reason = "an estimate")]
        row.push(Value::Int8(statistics.as_ref().map_or(0, |found| found.rows as i64)));
        row.extend((0..3).map(|_| Value::Int8(0)));
        row.extend([Value::Null, Value::Null]);
        row.push(
            statistics
                .as_ref()
                .map_or(Value::Null, |found| Value::TimestampTz(found.analyzed_micros)),
        );
        row.push(Value::Null);
        row.extend([
            Value::Int8(0),
            Value::Int8(0),
            Value::Int8(i64::from(statistics.is_some())),
            Value::Int8(0),
        ]);
        row
    };
    base_tables(catalog, which).map(row).collect()
}

fn stat_indexes(context: &VirtualContext<'_>, which: Which, counters: usize) -> Vec<Row> {
    let catalog = context.catalog;
    let rows = catalog.indexes().filter_map(|index| {
        let table = catalog.table(index.table).filter(|table| which.takes(table.schema))?;
        let mut row = vec![
            oid(table.oid),
            oid(index.oid),
            text(schema_name(catalog, table.schema)),
            text(&table.name),
            text(&index.name),
        ];
        row.extend((0..counters).map(|_| Value::Int8(0)));
        Some(row)
    });
    rows.collect()
}

fn statio_sequences(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let catalog = context.catalog;
    let rows = catalog.sequences().map(|one| {
        vec![
            oid(one.oid),
            text(schema_name(catalog, one.schema)),
            text(&one.name),
            Value::Int8(0),
            Value::Int8(0),
        ]
    });
    Ok(rows.collect())
}

/// `anyarray` values are shown as arrays of text.
fn values_text(context: &VirtualContext<'_>, ty: Oid, values: &[Vec<u8>]) -> Value {
    let texts: Option<Vec<Value>> = values
        .iter()
        .map(|value| context.state.stored_value_text(ty, value).map(Value::text))
        .collect();
    match texts {
        Some(texts) if !texts.is_empty() => array(types::TEXT, texts),
        _ => Value::Null,
    }
}

pub(super) fn pg_stats(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let catalog = context.catalog;
    let mut rows = Vec::new();
    for table in catalog.user_tables() {
        let Some(statistics) = catalog.statistics(table.oid) else {
            continue;
        };
        for (place, column) in table.live_columns() {
            let Some(Some(found)) = statistics.columns.get(place) else {
                continue;
            };
            let common: Vec<Vec<u8>> = found.common.iter().map(|(value, _)| value.clone()).collect();
            let frequencies: Vec<Value> = found.common.iter().map(|(_, part)| Value::Float4(*part)).collect();
            rows.push(vec![
                text(schema_name(catalog, table.schema)),
                text(&table.name),
                text(&column.name),
                Value::Bool(false),
                Value::Float4(found.null_fraction),
                Value::Int4(found.width),
                Value::Float4(found.distinct),
                values_text(context, column.ty, &common),
                if frequencies.is_empty() {
                    Value::Null
                } else {
                    array(types::FLOAT4, frequencies)
                },
                values_text(context, column.ty, &found.histogram),
                found.correlation.map_or(Value::Null, Value::Float4),
                Value::Null,
                Value::Null,
                Value::Null,
            ]);
        }
    }
    Ok(rows)
}
