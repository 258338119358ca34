//! The functions `holdfast.owner`, `holdfast.fencing_token` and `holdfast.release`: from a key's text to the record.

use super::shared::SessionShared;
use crate::catalog::{RowKey, Table};
use crate::codec::key::{self, KeyOrder};
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::types::{TypeEnv, Value, io};

/// Answers a function by its internal name; `None` for a name that is none of these.
pub(super) fn call(session: &SessionShared, name: &str, args: &[Value]) -> Option<Result<Value>> {
    let answer = match name.strip_prefix("holdfast.")? {
        "owner" => record(session, args).map(|(relation, _)| session.instance.ownership.owner_of(relation)),
        "fencing_token" => record(session, args)
            .map(|(relation, key)| session.instance.ownership.fencing_token(session.database_oid, relation, &key)),
        // Alone, a node has nobody to release a record to.
        "release" => Err(PgError::unsupported("holdfast.release on a node that is alone")),
        _ => return None,
    };
    Some(answer)
}

/// The relation and storage key that `(regclass, text)` names.
fn record(session: &SessionShared, args: &[Value]) -> Result<(Oid, Vec<u8>)> {
    let (Value::Oid(relation), Value::Text(text)) = (&args[0], &args[1]) else {
        return Err(PgError::internal("holdfast.owner takes a relation and a key"));
    };
    let catalog = session.catalog();
    let table = catalog.table(Oid(*relation)).ok_or_else(|| {
        PgError::new(
            sqlstate::UNDEFINED_TABLE,
            format!("relation with OID {relation} is not a table"),
        )
    })?;
    Ok((table.oid, storage_key(session, table, text)?))
}

/// A primary key's text: the value itself, for several columns a list as in `(1,x)`.
fn storage_key(session: &SessionShared, table: &Table, text: &str) -> Result<Vec<u8>> {
    let RowKey::Columns(columns) = &table.row_key else {
        return Err(PgError::new(
            sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE,
            format!("table \"{}\" has no primary key", table.name),
        ));
    };
    let parts: Vec<&str> = match columns.len() {
        1 => vec![text],
        _ => text
            .trim_start_matches('(')
            .trim_end_matches(')')
            .split(',')
            .map(str::trim)
            .collect(),
    };
    if parts.len() != columns.len() {
        return Err(PgError::new(
            sqlstate::INVALID_PARAMETER_VALUE,
            format!("the primary key of \"{}\" has {} columns", table.name, columns.len()),
        ));
    }
    let settings = session.type_settings();
    let names = crate::types::env::NoNames;
    let env = TypeEnv {
        settings: &settings,
        names: &names,
        now_micros: session.now_micros(),
    };
    let mut out = Vec::new();
    for (column, part) in columns.iter().zip(parts) {
        let column = &table.columns[usize::from(*column)];
        let value = io::text_in(column.ty, column.typmod, part, &env)?;
        key::encode(column.ty, &value, KeyOrder::default(), &mut out)?;
    }
    Ok(out)
}
