//! ANALYZE, VACUUM and REINDEX.

use std::cmp::Ordering;
use std::sync::Arc;

use rand::Rng as _;

use super::build::{self, TableReader, busy};
use super::context::DdlContext;
use super::{column, index};
use crate::catalog::{ColumnStatistics, Index, RelationRef, Table, TableStatistics};
use crate::codec::row;
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::lock::RelationMode;
use crate::parse::{OptionItem, Reindex, ReindexKind, Vacuum, VacuumRelation};
use crate::types::io::parse_bool;
use crate::types::{Value, compare};

/// Rows that statistics are made from: PostgreSQL's 300 times the default target of 100.
const SAMPLE_ROWS: usize = 30_000;
/// Most common values, and buckets of histograms (`default_statistics_target`).
const TARGET: usize = 100;
/// Values longer than this are counted and not kept.
const KEPT_BYTES_MAX: usize = 1024;
const PAGE_BYTES: u64 = 8192;

/// ANALYZE.
pub async fn analyze(ctx: &DdlContext<'_>, statement: &Vacuum) -> Result<String> {
    check_options(&statement.options, &["verbose", "skip_locked", "buffer_usage_limit"])?;
    analyze_all(ctx, &statement.relations).await?;
    Ok("ANALYZE".to_owned())
}

/// VACUUM: dead rows go by themselves; what it can do is compact the files, and ANALYZE when asked.
pub async fn vacuum(ctx: &DdlContext<'_>, statement: &Vacuum) -> Result<String> {
    check_options(
        &statement.options,
        &[
            "full",
            "freeze",
            "verbose",
            "analyze",
            "disable_page_skipping",
            "skip_locked",
            "index_cleanup",
            "process_toast",
            "truncate",
            "parallel",
        ],
    )?;
    for relation in &statement.relations {
        table_of(ctx, relation, RelationMode::ShareUpdateExclusive).await?;
    }
    if option(&statement.options, "analyze")? {
        analyze_all(ctx, &statement.relations).await?;
    }
    Ok("VACUUM".to_owned())
}

fn check_options(options: &[OptionItem], known: &[&str]) -> Result<()> {
    match options.iter().find(|option| !known.contains(&option.name.as_str())) {
        Some(option) => {
            Err(PgError::new(sqlstate::SYNTAX_ERROR, format!("unrecognized option \"{}\"", option.name)).at(option.position))
        }
        None => Ok(()),
    }
}

fn option(options: &[OptionItem], name: &str) -> Result<bool> {
    let Some(option) = options.iter().find(|option| option.name == name) else {
        return Ok(false);
    };
    match &option.value {
        None => Ok(true),
        Some(value) => {
            parse_bool(value).ok_or_else(|| PgError::new(sqlstate::SYNTAX_ERROR, format!("{name} requires a Boolean value")))
        }
    }
}

async fn table_of(ctx: &DdlContext<'_>, relation: &VacuumRelation, mode: RelationMode) -> Result<Option<Arc<Table>>> {
    let Some(oid) = ctx.find_locked(&relation.name, mode).await? else {
        return Err(ctx.missing_relation(&relation.name));
    };
    let catalog = ctx.catalog();
    match catalog.relation(oid) {
        Some(RelationRef::Table(table)) if oid.0 >= Oid::FIRST_USER.0 => {
            for name in &relation.columns {
                if table.column(&name.text).is_none() {
                    return Err(column::missing(&name.text, &table.name));
                }
            }
            Ok(Some(Arc::clone(table)))
        }
        Some(RelationRef::Table(_)) | None => Ok(None),
        Some(other) => {
            ctx.host.notice(
                PgError::new(
                    sqlstate::WARNING,
                    format!(
                        "skipping \"{}\" --- cannot vacuum non-tables or special system tables",
                        other.name()
                    ),
                )
                .severity(crate::error::Severity::Warning),
            );
            Ok(None)
        }
    }
}

async fn analyze_all(ctx: &DdlContext<'_>, relations: &[VacuumRelation]) -> Result<()> {
    let mut tables = Vec::new();
    for relation in relations {
        tables.extend(table_of(ctx, relation, RelationMode::ShareUpdateExclusive).await?);
    }
    if relations.is_empty() {
        tables.extend(ctx.catalog().user_tables().cloned());
    }
    for table in tables {
        ctx.lock(table.oid, RelationMode::ShareUpdateExclusive).await?;
        // It may have gone while others held it.
        let Some(table) = ctx.catalog().table(table.oid).cloned() else {
            continue;
        };
        let owner = ctx.superuser || ctx.catalog().is_member(ctx.role, table.owner);
        if owner {
            analyze_table(ctx, &table).await?;
        }
    }
    Ok(())
}

async fn analyze_table(ctx: &DdlContext<'_>, table: &Arc<Table>) -> Result<()> {
    let exec = ctx.exec()?;
    let mut reader = TableReader::new(&exec, table)?;
    let mut sample: Vec<Vec<Value>> = Vec::new();
    let (mut rows, mut bytes) = (0_usize, 0_u64);
    while !reader.next(&exec).await?.is_empty() {
        for at in 0..reader.len() {
            rows += 1;
            bytes += reader.pair(at).1.len() as u64 + 28;
            // Algorithm R: every row is in the sample with the same chance.
            let place = if sample.len() < SAMPLE_ROWS {
                sample.len()
            } else {
                rand::rng().random_range(0..rows)
            };
            if place < SAMPLE_ROWS {
                let mut row = vec![Value::Null; reader.width()];
                reader.decode(at, &mut row)?;
                if place == sample.len() {
                    sample.push(row);
                } else {
                    sample[place] = row;
                }
            }
        }
    }
    let columns = busy(|| column_statistics(table, &sample, rows))?;
    let statistics = TableStatistics {
        rows: rows as f64,
        pages: bytes.div_ceil(PAGE_BYTES),
        columns,
        analyzed_micros: ctx.txn.engine().clock.now_micros(),
    };
    ctx.overlay.set_statistics(ctx.txn, table.oid, statistics)
}

fn column_statistics(table: &Table, sample: &[Vec<Value>], rows: usize) -> Result<Vec<Option<ColumnStatistics>>> {
    let mut out = Vec::with_capacity(table.columns.len());
    for (at, column) in table.columns.iter().enumerate() {
        if column.dropped || sample.is_empty() {
            out.push(None);
            continue;
        }
        let values: Vec<&Value> = sample.iter().map(|row| &row[at]).collect();
        out.push(Some(of_column(column.ty, &values, rows)?));
    }
    Ok(out)
}

fn encoded(ty: Oid, value: &Value) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    row::encode_value(ty, value, &mut bytes)?;
    Ok(bytes)
}

/// PostgreSQL's `compute_scalar_stats`, in short.
fn of_column(ty: Oid, values: &[&Value], rows: usize) -> Result<ColumnStatistics> {
    let mut sorted: Vec<(usize, &Value)> = Vec::with_capacity(values.len());
    let mut width = 0;
    for (at, value) in values.iter().enumerate().filter(|(_, value)| !value.is_null()) {
        width += encoded(ty, value)?.len() - 1;
        sorted.push((at, value));
    }
    let mut statistics = ColumnStatistics {
        null_fraction: 1.0 - sorted.len() as f32 / values.len() as f32,
        ..ColumnStatistics::default()
    };
    if sorted.is_empty() {
        return Ok(statistics);
    }
    statistics.width = i32::try_from(width / sorted.len()).unwrap_or(i32::MAX);
    sorted.sort_by(|a, b| compare::compare_as(ty, a.1, b.1).then(a.0.cmp(&b.0)));
    // Runs of equal values: first place and length.
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for at in 0..sorted.len() {
        match runs.last_mut() {
            Some((first, length)) if compare::compare_as(ty, sorted[*first].1, sorted[at].1) == Ordering::Equal => {
                *length += 1;
            }
            _ => runs.push((at, 1)),
        }
    }
    statistics.distinct = distinct(&runs, values.len(), sorted.len(), rows);
    statistics.min = Some(encoded(ty, sorted[0].1)?);
    statistics.max = Some(encoded(ty, sorted[sorted.len() - 1].1)?);
    let common = common_values(&runs, values.len(), sorted.len());
    for (first, length) in &common {
        let bytes = encoded(ty, sorted[*first].1)?;
        if bytes.len() <= KEPT_BYTES_MAX {
            statistics.common.push((bytes, *length as f32 / values.len() as f32));
        }
    }
    let rest: Vec<&Value> = runs
        .iter()
        .filter(|run| !common.contains(run))
        .flat_map(|(first, length)| sorted[*first..first + length].iter().map(|(_, value)| *value))
        .collect();
    statistics.histogram = histogram(ty, &rest)?;
    statistics.correlation = Some(correlation(&sorted));
    Ok(statistics)
}

/// `n_distinct` by Haas and Stokes' estimator.
fn distinct(runs: &[(usize, usize)], sampled: usize, present: usize, rows: usize) -> f32 {
    let multiple = runs.iter().filter(|(_, length)| *length > 1).count();
    let not_null = present as f64 / sampled as f64;
    if multiple == 0 {
        return -not_null as f32;
    }
    let found = runs.len() as f64;
    let mut estimate = found;
    if multiple != runs.len() && sampled < rows {
        let once = (runs.len() - multiple) as f64;
        let (present, total) = (present as f64, rows as f64 * not_null);
        let numerator = present * found;
        let denominator = (present - once) + once * present / total;
        estimate = (numerator / denominator).clamp(found, total).round();
    }
    // A count that grows with the table is kept as a part of it.
    if estimate > 0.1 * rows as f64 {
        -(estimate / rows as f64) as f32
    } else {
        estimate as f32
    }
}

fn common_values(runs: &[(usize, usize)], sampled: usize, present: usize) -> Vec<(usize, usize)> {
    let mut multiple: Vec<(usize, usize)> = runs.iter().copied().filter(|(_, length)| *length > 1).collect();
    multiple.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    if multiple.len() == runs.len() && runs.len() <= TARGET {
        return multiple;
    }
    // Clearly more frequent than the average value.
    let average = present as f64 / runs.len() as f64;
    let least = (average * 1.25).max(2.0).min(sampled as f64);
    multiple.retain(|(_, length)| *length as f64 >= least);
    multiple.truncate(TARGET);
    multiple
}

fn histogram(ty: Oid, values: &[&Value]) -> Result<Vec<Vec<u8>>> {
    let buckets = TARGET.min(values.len().saturating_sub(1));
    if buckets == 0 {
        return Ok(Vec::new());
    }
    (0..=buckets)
        .map(|at| encoded(ty, values[at * (values.len() - 1) / buckets]))
        .collect()
}

/// Between the order of values and the order of rows.
fn correlation(sorted: &[(usize, &Value)]) -> f32 {
    let n = sorted.len() as f64;
    if sorted.len() < 2 {
        return 1.0;
    }
    let mut order: Vec<usize> = sorted.iter().map(|(at, _)| *at).collect();
    order.sort_unstable();
    let rank = |at: usize| order.binary_search(&at).map_or(0.0, |rank| rank as f64);
    let sum_xy: f64 = sorted.iter().enumerate().map(|(x, (at, _))| x as f64 * rank(*at)).sum();
    let sum = n * (n - 1.0) / 2.0;
    let squares = n * (n - 1.0) * (2.0 * n - 1.0) / 6.0;
    ((n * sum_xy - sum * sum) / (n * squares - sum * sum)) as f32
}

/// REINDEX: new storages, filled from the tables.
pub async fn reindex(ctx: &DdlContext<'_>, statement: &Reindex) -> Result<String> {
    check_options(&statement.options, &["verbose", "concurrently", "tablespace"])?;
    match statement.kind {
        ReindexKind::Index => {
            let Some(found) = index::require(ctx, &statement.name, RelationMode::Share).await? else {
                return Err(ctx.missing_relation(&statement.name));
            };
            let table = ctx.table(found.table)?;
            ctx.must_own(table.owner, "index", &found.name)?;
            rebuild(ctx, &table, &[found]).await?;
        }
        ReindexKind::Table => {
            let table = ctx.require_table(&statement.name, RelationMode::Share).await?;
            ctx.must_own_table(&table)?;
            rebuild_all(ctx, &table).await?;
        }
        ReindexKind::Schema | ReindexKind::System | ReindexKind::Database => {
            let catalog = ctx.catalog();
            let schema = match statement.kind {
                ReindexKind::Schema => Some(catalog.named_schema(&ctx.path(&catalog), statement.name.name())?),
                _ => None,
            };
            for table in catalog
                .user_tables()
                .filter(|table| schema.is_none_or(|schema| schema == table.schema))
            {
                ctx.lock(table.oid, RelationMode::Share).await?;
                if let Some(table) = ctx.catalog().table(table.oid).cloned() {
                    rebuild_all(ctx, &table).await?;
                }
            }
        }
    }
    Ok("REINDEX".to_owned())
}

async fn rebuild_all(ctx: &DdlContext<'_>, table: &Arc<Table>) -> Result<()> {
    let catalog = ctx.catalog();
    let indexes: Vec<Arc<Index>> = catalog.indexes_of(table).cloned().collect();
    rebuild(ctx, table, &indexes).await
}

async fn rebuild(ctx: &DdlContext<'_>, table: &Arc<Table>, indexes: &[Arc<Index>]) -> Result<()> {
    let mut fresh = Vec::new();
    for index in indexes {
        // The primary key's index is the table.
        let Some(storage) = index.storage else { continue };
        ctx.lock(index.oid, RelationMode::AccessExclusive).await?;
        ctx.txn.drop_storage(storage);
        ctx.put_index(Index {
            storage: Some(ctx.txn.create_storage()),
            ..Index::clone(index)
        })?;
        fresh.push(index.oid);
    }
    build::fill_indexes(ctx, table, &fresh).await
}
