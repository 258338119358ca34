//! `pg_settings`, `pg_config`, `pg_timezone_names`.

use super::{Row, opt_text, text, texts};
use crate::catalog::server_state::VirtualContext;
use crate::config::{self, Kind};
use crate::error::Result;
use crate::types::{Interval, Value, oid as types};

pub(super) fn pg_settings(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let mut rows: Vec<(String, Row)> = context
        .state
        .settings()
        .into_iter()
        .filter_map(|setting| {
            let definition = config::find(setting.name)?;
            let kind = match &definition.kind {
                Kind::Bool => "bool",
                Kind::Integer { .. } => "integer",
                Kind::Real { .. } => "real",
                Kind::Text => "string",
                Kind::Enum(_) => "enum",
            };
            let values = match &definition.kind {
                Kind::Enum(values) => texts(types::TEXT, values.iter().copied()),
                _ => Value::Null,
            };
            let given = |text: &'static str| opt_text(Some(text).filter(|text| !text.is_empty()));
            let row = vec![
                text(setting.name),
                text(&setting.setting),
                given(definition.unit_name),
                text(definition.category),
                text(definition.description),
                Value::Null,
                text(definition.context_name),
                text(kind),
                text(setting.source),
                given(definition.min_text),
                given(definition.max_text),
                values,
                text(definition.default),
                text(&setting.reset),
                Value::Null,
                Value::Null,
                Value::Bool(false),
            ];
            Some((setting.name.to_ascii_lowercase(), row))
        })
        .collect();
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(rows.into_iter().map(|(_, row)| row).collect())
}

pub(super) fn pg_config(_context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let version = concat!("holdfast ", env!("CARGO_PKG_VERSION"));
    Ok(vec![vec![text("VERSION"), text(version)]])
}

/// Zones as of now.
pub(super) fn pg_timezone_names(_context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let now = jiff::Timestamp::now();
    let database = jiff::tz::db();
    let rows = database.available().filter_map(|name| {
        let zone = database.get(name.as_str()).ok()?;
        let info = zone.to_offset_info(now);
        let offset = Interval {
            micros: i64::from(info.offset().seconds()) * 1_000_000,
            ..Interval::default()
        };
        Some(vec![
            text(name.as_str()),
            text(info.abbreviation()),
            Value::Interval(offset),
            Value::Bool(info.dst().is_dst()),
        ])
    });
    Ok(rows.collect())
}
