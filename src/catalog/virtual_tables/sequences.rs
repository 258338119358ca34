//! `pg_sequence` and `pg_sequences`.

use super::{Row, oid, role_name, schema_name, text};
use crate::catalog::server_state::VirtualContext;
use crate::error::{PgError, Result};
use crate::ids::Oid;
use crate::types::Value;

/// `SELECT * FROM sequence`: `last_value`, `log_cnt`, `is_called`.
pub(super) fn sequence(context: &VirtualContext<'_>, sequence: Oid) -> Result<Vec<Row>> {
    let Some(one) = context.catalog.sequence(sequence) else {
        return Err(PgError::internal(format!("could not open relation with OID {sequence}")));
    };
    let (last, called) = context.state.sequence_value(one)?;
    Ok(vec![vec![Value::Int8(last), Value::Int8(0), Value::Bool(called)]])
}

pub(super) fn pg_sequence(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let rows = context.catalog.sequences().map(|one| {
        vec![
            oid(one.oid),
            oid(one.ty),
            Value::Int8(one.start),
            Value::Int8(one.increment),
            Value::Int8(one.max),
            Value::Int8(one.min),
            Value::Int8(one.cache),
            Value::Bool(one.cycle),
        ]
    });
    Ok(rows.collect())
}

pub(super) fn pg_sequences(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let catalog = context.catalog;
    let mut rows = Vec::new();
    for one in catalog.sequences() {
        let (last, called) = context.state.sequence_value(one)?;
        rows.push(vec![
            text(schema_name(catalog, one.schema)),
            text(&one.name),
            role_name(catalog, one.owner),
            oid(one.ty),
            Value::Int8(one.start),
            Value::Int8(one.min),
            Value::Int8(one.max),
            Value::Int8(one.increment),
            Value::Bool(one.cycle),
            Value::Int8(one.cache),
            if called { Value::Int8(last) } else { Value::Null },
        ]);
    }
    Ok(rows)
}
