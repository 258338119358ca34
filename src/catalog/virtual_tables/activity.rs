//! Sessions and their locks: `pg_stat_activity`, `pg_locks`, `pg_cursors`, ...

use super::{Row, array, oid, opt_text, opt_time, role_name, text};
use crate::catalog::server_state::{ActivityRow, VirtualContext, pg_micros};
use crate::error::Result;
use crate::lock::{AdvisoryKey, LockRow, Target};
use crate::types::{Value, oid as types};

pub(super) fn pg_stat_activity(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    Ok(context
        .state
        .activity()
        .iter()
        .map(|one| activity_row(context, one))
        .collect())
}

fn activity_row(context: &VirtualContext<'_>, one: &ActivityRow) -> Row {
    let catalog = context.catalog;
    let database = one.database.and_then(|database| catalog.database_by_oid(database));
    // Others' statements are shown to superusers, to members of pg_read_all_stats and to the role itself.
    let open = one.user.is_none_or(|user| user == context.current_user)
        || catalog.is_superuser(context.current_user)
        || catalog
            .find_role("pg_read_all_stats")
            .is_some_and(|role| catalog.is_member(context.current_user, role));
    let hide = |value: Value| if open { value } else { Value::Null };
    vec![
        one.database.map_or(Value::Null, oid),
        opt_text(database.map(|database| database.name.as_str())),
        Value::Int4(one.pid),
        Value::Null,
        one.user.map_or(Value::Null, oid),
        one.user.map_or(Value::Null, |user| role_name(catalog, user)),
        hide(text(&one.application_name)),
        // `inet` values are text.
        hide(one.client.map_or(Value::Null, |client| Value::text(client.ip().to_string()))),
        Value::Null,
        hide(
            one.client
                .map_or(Value::Int4(-1), |client| Value::Int4(i32::from(client.port()))),
        ),
        hide(Value::TimestampTz(one.backend_start)),
        hide(opt_time(one.transaction_start)),
        hide(opt_time(one.query_start)),
        hide(opt_time(one.state_change)),
        hide(opt_text(one.wait.map(|(kind, _)| kind))),
        hide(opt_text(one.wait.map(|(_, event)| event))),
        hide(opt_text(one.state)),
        #[expect(clippy::cast_possible_truncation, reason = "xid shows the low 32 bits")]
        hide(one.transaction.map_or(Value::Null, |xid| Value::Oid(xid as u32))),
        Value::Null,
        Value::Null,
        if open {
            text(&one.query)
        } else {
            text("<insufficient privilege>")
        },
        text(one.backend_type),
    ]
}

/// A record's key as 16 bits twice, for the columns `page` and `tuple`: equal keys give equal numbers.
fn key_numbers(key: &[u8]) -> (i32, i16) {
    use std::hash::Hasher;
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write(key);
    let hash = hasher.finish();
    let low = u16::try_from(hash & 0x7fff).unwrap_or(0);
    let high = u32::try_from((hash >> 32) & 0x7fff_ffff).unwrap_or(0);
    (i32::try_from(high).unwrap_or(0), i16::try_from(low).unwrap_or(0))
}

pub(super) fn pg_locks(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    Ok(context.state.locks().iter().map(lock_row).collect())
}

fn lock_row(lock: &LockRow) -> Row {
    let none = || Value::Null;
    // database, relation, page, tuple, virtualxid, transactionid, classid, objid, objsubid
    let (kind, place) = match &lock.target {
        Target::Relation { database, relation } => (
            "relation",
            [oid(*database), oid(*relation), none(), none(), none(), none(), none()],
        ),
        Target::Record {
            database, relation, key, ..
        }
        | Target::Key {
            database, relation, key, ..
        } => {
            let (page, tuple) = key_numbers(key);
            let kind = if matches!(lock.target, Target::Key { .. }) {
                "key"
            } else {
                "tuple"
            };
            (
                kind,
                [
                    oid(*database),
                    oid(*relation),
                    Value::Int4(page),
                    Value::Int2(tuple),
                    none(),
                    none(),
                    none(),
                ],
            )
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "halves of a number, as PostgreSQL shows them"
        )]
        Target::Advisory { database, key } => {
            let (high, low, sub) = match key {
                AdvisoryKey::Big(key) => ((*key >> 32) as u32, *key as u32, 1),
                AdvisoryKey::Pair(high, low) => (*high as u32, *low as u32, 2),
            };
            let numbers = [Value::Oid(high), Value::Oid(low), Value::Int2(sub)];
            let [high, low, sub] = numbers;
            ("advisory", [oid(*database), none(), none(), none(), high, low, sub])
        }
    };
    let [database, relation, page, tuple, class, object, sub] = place;
    // A prepared transaction belongs to no process. Numbers of transactions are shown by their low 32 bits everywhere.
    #[expect(clippy::cast_possible_truncation, reason = "as pg_prepared_xacts and xid show it")]
    let xid = lock.xid.0 as u32;
    let (transaction, pid) = if lock.pid.0 == 0 {
        (format!("-1/{xid}"), Value::Null)
    } else {
        (format!("{}/{xid}", lock.pid), Value::Int4(lock.pid.0))
    };
    vec![
        text(kind),
        database,
        relation,
        page,
        tuple,
        none(),
        none(),
        class,
        object,
        sub,
        Value::text(transaction),
        pid,
        text(lock.mode.pg_name()),
        Value::Bool(lock.granted),
        Value::Bool(false),
        opt_time(lock.wait_start.map(pg_micros)),
    ]
}

pub(super) fn pg_stat_database(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let rows = context.catalog.databases().map(|database| {
        let counters = context.state.database_counters(database.oid);
        let mut row = vec![
            oid(database.oid),
            text(&database.name),
            Value::Int4(counters.backends),
            Value::Int8(counters.commits),
            Value::Int8(counters.rollbacks),
        ];
        row.extend((0..10).map(|_| Value::Int8(0)));
        row.push(Value::Int8(counters.deadlocks));
        row.extend([Value::Null, Value::Null]);
        row.extend((0..5).map(|_| Value::Float8(0.0)));
        row.extend((0..4).map(|_| Value::Int8(0)));
        row.push(Value::Null);
        row
    });
    Ok(rows.collect())
}

pub(super) fn pg_cursors(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let rows = context.state.cursors().into_iter().map(|cursor| {
        vec![
            text(&cursor.name),
            text(&cursor.statement),
            Value::Bool(cursor.holdable),
            Value::Bool(cursor.binary),
            Value::Bool(cursor.scrollable),
            Value::TimestampTz(cursor.created_micros),
        ]
    });
    Ok(rows.collect())
}

pub(super) fn pg_prepared_statements(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let rows = context.state.prepared_statements().into_iter().map(|one| {
        vec![
            text(&one.name),
            text(&one.statement),
            Value::TimestampTz(one.prepared_micros),
            array(types::REGTYPE, one.parameter_types.into_iter().map(oid).collect()),
            Value::Bool(one.from_sql),
            Value::Int8(one.generic_plans),
            Value::Int8(one.custom_plans),
        ]
    });
    Ok(rows.collect())
}

pub(super) fn pg_prepared_xacts(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let catalog = context.catalog;
    let rows = context.state.prepared_transactions().into_iter().map(|one| {
        vec![
            #[expect(clippy::cast_possible_truncation, reason = "xid shows the low 32 bits")]
            Value::Oid(one.transaction as u32),
            text(&one.gid),
            Value::TimestampTz(one.prepared_micros),
            role_name(catalog, one.owner),
            opt_text(catalog.database_by_oid(one.database).map(|database| database.name.as_str())),
        ]
    });
    Ok(rows.collect())
}
