//! Session and system functions: who, where, when, sequences, notifications, advisory locks.

use std::sync::Arc;

use super::{Body, Builtin, CallContext, SetRows, Waiting, pure, unused};
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::lock::AdvisoryKey;
use crate::types::oid::{
    ANY, BOOL, FLOAT8, INT4, INT4_ARRAY, INT8, NAME, NAME_ARRAY, OID, REGCLASS, REGTYPE, TEXT, TIMESTAMPTZ, UNKNOWN, UUID, VOID,
    XID8,
};
use crate::types::{Array, Value};

/// What `version()` and `server_version` say.
pub const SERVER_VERSION: &str = "15.18";

const fn advisory(session: bool, shared: bool, wait: bool) -> Waiting {
    Waiting::AdvisoryLock { session, shared, wait }
}

const SESSION: Waiting = advisory(true, false, true);
const SESSION_SHARED: Waiting = advisory(true, true, true);
const TRY_SESSION: Waiting = advisory(true, false, false);
const TRY_SESSION_SHARED: Waiting = advisory(true, true, false);
const XACT: Waiting = advisory(false, false, true);
const XACT_SHARED: Waiting = advisory(false, true, true);
const TRY_XACT: Waiting = advisory(false, false, false);
const TRY_XACT_SHARED: Waiting = advisory(false, true, false);

fn text(value: &Value) -> Result<&str> {
    match value {
        Value::Text(text) => Ok(text),
        other => Err(PgError::internal(format!("not a text: {other:?}"))),
    }
}

fn boolean(value: &Value) -> Result<bool> {
    match value {
        Value::Bool(truth) => Ok(*truth),
        other => Err(PgError::internal(format!("not a boolean: {other:?}"))),
    }
}

fn int4(value: &Value) -> Result<i32> {
    match value {
        Value::Int4(number) => Ok(*number),
        other => Err(PgError::internal(format!("not an integer: {other:?}"))),
    }
}

fn int8(value: &Value) -> Result<i64> {
    match value {
        Value::Int8(number) => Ok(*number),
        other => Err(PgError::internal(format!("not a bigint: {other:?}"))),
    }
}

fn relation(value: &Value) -> Result<Oid> {
    match value {
        Value::Oid(oid) => Ok(Oid(*oid)),
        other => Err(PgError::internal(format!("not an object: {other:?}"))),
    }
}

fn current_database(call: &CallContext<'_>, _: &[Value]) -> Result<Value> {
    Ok(Value::text(call.host.current_database()))
}

fn current_schema(call: &CallContext<'_>, _: &[Value]) -> Result<Value> {
    Ok(call
        .host
        .search_path(false)
        .into_iter()
        .next()
        .map_or(Value::Null, Value::text))
}

fn current_schemas(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let names = call
        .host
        .search_path(boolean(&args[0])?)
        .into_iter()
        .map(Value::text)
        .collect();
    Ok(Value::Array(Arc::new(Array::one(NAME, names))))
}

fn current_setting(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let name = text(&args[0])?;
    match call.host.setting(name) {
        Some(value) => Ok(Value::text(value)),
        None => Err(crate::config::unknown(name)),
    }
}

fn current_setting_missing(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    if boolean(&args[1])? && call.host.setting(text(&args[0])?).is_none() {
        return Ok(Value::Null);
    }
    current_setting(call, args)
}

fn set_config(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    if args[0].is_null() {
        return Err(PgError::new(sqlstate::NULL_VALUE_NOT_ALLOWED, "SET requires parameter name"));
    }
    let value = if args[1].is_null() { "" } else { text(&args[1])? };
    let local = !args[2].is_null() && boolean(&args[2])?;
    call.host.set_setting(text(&args[0])?, value, local).map(Value::text)
}

fn pg_backend_pid(call: &CallContext<'_>, _: &[Value]) -> Result<Value> {
    Ok(Value::Int4(call.host.backend_pid()))
}

fn version(_: &CallContext<'_>, _: &[Value]) -> Result<Value> {
    Ok(Value::text(format!(
        "PostgreSQL {SERVER_VERSION} (holdfast {})",
        env!("CARGO_PKG_VERSION")
    )))
}

fn now(call: &CallContext<'_>, _: &[Value]) -> Result<Value> {
    Ok(Value::TimestampTz(call.host.transaction_micros()))
}

fn statement_timestamp(call: &CallContext<'_>, _: &[Value]) -> Result<Value> {
    Ok(Value::TimestampTz(call.host.statement_micros()))
}

fn clock_timestamp(_: &CallContext<'_>, _: &[Value]) -> Result<Value> {
    use crate::clock::{Clock, SystemClock};
    Ok(Value::TimestampTz(SystemClock.now_micros()))
}

fn pg_postmaster_start_time(call: &CallContext<'_>, _: &[Value]) -> Result<Value> {
    Ok(Value::TimestampTz(call.host.server_start_micros()))
}

fn nextval(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    call.host.nextval(relation(&args[0])?).map(Value::Int8)
}

fn currval(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    call.host.currval(relation(&args[0])?).map(Value::Int8)
}

fn lastval(call: &CallContext<'_>, _: &[Value]) -> Result<Value> {
    call.host.lastval().map(Value::Int8)
}

fn setval(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    call.host.setval(relation(&args[0])?, int8(&args[1])?, true).map(Value::Int8)
}

fn setval_called(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    call.host
        .setval(relation(&args[0])?, int8(&args[1])?, boolean(&args[2])?)
        .map(Value::Int8)
}

fn txid_current(call: &CallContext<'_>, _: &[Value]) -> Result<Value> {
    call.host.transaction_id().map(|xid| Value::Int8(xid.cast_signed()))
}

fn pg_current_xact_id(call: &CallContext<'_>, _: &[Value]) -> Result<Value> {
    call.host.transaction_id().map(Value::Uint8)
}

fn txid_current_if_assigned(call: &CallContext<'_>, _: &[Value]) -> Result<Value> {
    Ok(call
        .host
        .transaction_id_if_assigned()
        .map_or(Value::Null, |xid| Value::Int8(xid.cast_signed())))
}

fn pg_notify(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let channel = if args[0].is_null() { "" } else { text(&args[0])? };
    let payload = if args[1].is_null() { "" } else { text(&args[1])? };
    call.host.notify(channel, payload)?;
    Ok(Value::text(""))
}

/// Rows that are all here, one column each.
struct Listed(std::vec::IntoIter<Value>);

impl SetRows for Listed {
    fn next(&mut self) -> Result<Option<Vec<Value>>> {
        Ok(self.0.next().map(|value| vec![value]))
    }
}

fn pg_listening_channels(call: &CallContext<'_>, _: &[Value]) -> Result<Box<dyn SetRows>> {
    let channels: Vec<Value> = call.host.listening_channels().into_iter().map(Value::text).collect();
    Ok(Box::new(Listed(channels.into_iter())))
}

fn pg_cancel_backend(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    call.host.signal_backend(int4(&args[0])?, false).map(Value::Bool)
}

fn pg_terminate_backend(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    call.host.signal_backend(int4(&args[0])?, true).map(Value::Bool)
}

fn pg_blocking_pids(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let pids = call
        .host
        .blocking_pids(int4(&args[0])?)
        .into_iter()
        .map(Value::Int4)
        .collect();
    Ok(Value::Array(Arc::new(Array::one(INT4, pids))))
}

fn pg_isolation_test_session_is_blocked(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let Value::Array(pids) = &args[1] else {
        return Err(PgError::internal("not an array"));
    };
    let pids: Vec<i32> = pids.values.iter().map(int4).collect::<Result<_>>()?;
    Ok(Value::Bool(call.host.is_blocked_by(int4(&args[0])?, &pids)))
}

/// The key that one or two arguments name.
pub fn advisory_key(args: &[Value]) -> Result<AdvisoryKey> {
    match args {
        [Value::Int8(key)] => Ok(AdvisoryKey::Big(*key)),
        [Value::Int4(first), Value::Int4(second)] => Ok(AdvisoryKey::Pair(*first, *second)),
        other => Err(PgError::internal(format!("not a key of an advisory lock: {other:?}"))),
    }
}

fn unlock(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    call.host.advisory_unlock(advisory_key(args)?, false).map(Value::Bool)
}

fn unlock_shared(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    call.host.advisory_unlock(advisory_key(args)?, true).map(Value::Bool)
}

fn unlock_all(call: &CallContext<'_>, _: &[Value]) -> Result<Value> {
    call.host.advisory_unlock_all();
    Ok(Value::text(""))
}

fn random(call: &CallContext<'_>, _: &[Value]) -> Result<Value> {
    Ok(Value::Float8(call.host.random()))
}

fn setseed(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let Value::Float8(seed) = args[0] else {
        return Err(PgError::internal("not a float"));
    };
    if !(-1.0..=1.0).contains(&seed) {
        return Err(PgError::new(
            sqlstate::INVALID_PARAMETER_VALUE,
            format!("setseed parameter {seed} is out of allowed range [-1,1]"),
        ));
    }
    call.host.set_seed(seed);
    Ok(Value::text(""))
}

fn inet_client_port(call: &CallContext<'_>, _: &[Value]) -> Result<Value> {
    Ok(call
        .host
        .addresses()
        .client
        .map_or(Value::Null, |address| Value::Int4(i32::from(address.port()))))
}

fn inet_server_port(call: &CallContext<'_>, _: &[Value]) -> Result<Value> {
    Ok(call
        .host
        .addresses()
        .server
        .map_or(Value::Null, |address| Value::Int4(i32::from(address.port()))))
}

fn no(_: &CallContext<'_>, _: &[Value]) -> Result<Value> {
    Ok(Value::Bool(false))
}

fn zero_oid(_: &CallContext<'_>, _: &[Value]) -> Result<Value> {
    Ok(Value::Oid(0))
}

/// Version 4.
fn gen_random_uuid(_: &CallContext<'_>, _: &[Value]) -> Result<Value> {
    let mut bytes: [u8; 16] = rand::random();
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    Ok(Value::Uuid(bytes))
}

fn pg_typeof(call: &CallContext<'_>, _: &[Value]) -> Result<Value> {
    Ok(Value::Oid(call.arg_types.first().map_or(UNKNOWN.0, |ty| ty.0)))
}

fn pg_client_encoding(call: &CallContext<'_>, _: &[Value]) -> Result<Value> {
    Ok(Value::text(call.host.setting("client_encoding").unwrap_or_default()))
}

/// Names of `current_user` and friends, which the binder resolves by name.
fn current_user(call: &CallContext<'_>, _: &[Value]) -> Result<Value> {
    Ok(Value::text(call.host.current_user()))
}

fn session_user(call: &CallContext<'_>, _: &[Value]) -> Result<Value> {
    Ok(Value::text(call.host.session_user()))
}

/// Bytes of a value as it is stored.
fn pg_column_size(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let mut bytes = Vec::new();
    crate::codec::row::encode_any(&args[0], &mut bytes);
    Ok(Value::Int4(i32::try_from(bytes.len().saturating_sub(1)).unwrap_or(i32::MAX)))
}

#[rustfmt::skip]
pub const FUNCTIONS: &[Builtin] = &[
    pure(861, "current_database", &[], NAME, current_database).stable(),
    pure(1402, "current_schema", &[], NAME, current_schema).stable(),
    pure(1403, "current_schemas", &[BOOL], NAME_ARRAY, current_schemas).stable(),
    pure(2077, "current_setting", &[TEXT], TEXT, current_setting).stable(),
    pure(3294, "current_setting", &[TEXT, BOOL], TEXT, current_setting_missing).stable(),
    pure(2078, "set_config", &[TEXT, TEXT, BOOL], TEXT, set_config).volatile().called_on_null(),
    pure(2026, "pg_backend_pid", &[], INT4, pg_backend_pid).stable(),
    pure(89, "version", &[], TEXT, version).stable(),
    pure(1299, "now", &[], TIMESTAMPTZ, now).stable(),
    pure(2647, "transaction_timestamp", &[], TIMESTAMPTZ, now).stable(),
    pure(2648, "statement_timestamp", &[], TIMESTAMPTZ, statement_timestamp).stable(),
    pure(2649, "clock_timestamp", &[], TIMESTAMPTZ, clock_timestamp).volatile(),
    pure(1574, "nextval", &[REGCLASS], INT8, nextval).volatile(),
    pure(1575, "currval", &[REGCLASS], INT8, currval).volatile(),
    pure(2559, "lastval", &[], INT8, lastval).volatile(),
    pure(1576, "setval", &[REGCLASS, INT8], INT8, setval).volatile(),
    pure(1765, "setval", &[REGCLASS, INT8, BOOL], INT8, setval_called).volatile(),
    pure(2943, "txid_current", &[], INT8, txid_current).stable(),
    pure(5059, "pg_current_xact_id", &[], XID8, pg_current_xact_id).stable(),
    pure(3348, "txid_current_if_assigned", &[], INT8, txid_current_if_assigned).stable(),
    pure(3036, "pg_notify", &[TEXT, TEXT], VOID, pg_notify).volatile().called_on_null(),
    Builtin { body: Body::Set(pg_listening_channels), ..pure(3035, "pg_listening_channels", &[], TEXT, unused) }.stable(),
    pure(2171, "pg_cancel_backend", &[INT4], BOOL, pg_cancel_backend).volatile(),
    pure(2096, "pg_terminate_backend", &[INT4, INT8], BOOL, pg_terminate_backend).volatile(),
    pure(2561, "pg_blocking_pids", &[INT4], INT4_ARRAY, pg_blocking_pids).volatile(),
    pure(3378, "pg_isolation_test_session_is_blocked", &[INT4, INT4_ARRAY], BOOL, pg_isolation_test_session_is_blocked).volatile(),
    pure(2884, "pg_advisory_unlock", &[INT8], BOOL, unlock).volatile(),
    pure(2890, "pg_advisory_unlock", &[INT4, INT4], BOOL, unlock).volatile(),
    pure(2885, "pg_advisory_unlock_shared", &[INT8], BOOL, unlock_shared).volatile(),
    pure(2891, "pg_advisory_unlock_shared", &[INT4, INT4], BOOL, unlock_shared).volatile(),
    pure(2892, "pg_advisory_unlock_all", &[], VOID, unlock_all).volatile(),
    Builtin { body: Body::Waiting(SESSION), ..pure(2880, "pg_advisory_lock", &[INT8], VOID, unused) }.volatile(),
    Builtin { body: Body::Waiting(SESSION), ..pure(2886, "pg_advisory_lock", &[INT4, INT4], VOID, unused) }.volatile(),
    Builtin { body: Body::Waiting(SESSION_SHARED), ..pure(2881, "pg_advisory_lock_shared", &[INT8], VOID, unused) }.volatile(),
    Builtin { body: Body::Waiting(SESSION_SHARED), ..pure(2887, "pg_advisory_lock_shared", &[INT4, INT4], VOID, unused) }.volatile(),
    Builtin { body: Body::Waiting(TRY_SESSION), ..pure(2882, "pg_try_advisory_lock", &[INT8], BOOL, unused) }.volatile(),
    Builtin { body: Body::Waiting(TRY_SESSION), ..pure(2888, "pg_try_advisory_lock", &[INT4, INT4], BOOL, unused) }.volatile(),
    Builtin { body: Body::Waiting(TRY_SESSION_SHARED), ..pure(2883, "pg_try_advisory_lock_shared", &[INT8], BOOL, unused) }.volatile(),
    Builtin { body: Body::Waiting(TRY_SESSION_SHARED), ..pure(2889, "pg_try_advisory_lock_shared", &[INT4, INT4], BOOL, unused) }.volatile(),
    Builtin { body: Body::Waiting(XACT), ..pure(3089, "pg_advisory_xact_lock", &[INT8], VOID, unused) }.volatile(),
    Builtin { body: Body::Waiting(XACT), ..pure(3093, "pg_advisory_xact_lock", &[INT4, INT4], VOID, unused) }.volatile(),
    Builtin { body: Body::Waiting(XACT_SHARED), ..pure(3090, "pg_advisory_xact_lock_shared", &[INT8], VOID, unused) }.volatile(),
    Builtin { body: Body::Waiting(XACT_SHARED), ..pure(3094, "pg_advisory_xact_lock_shared", &[INT4, INT4], VOID, unused) }.volatile(),
    Builtin { body: Body::Waiting(TRY_XACT), ..pure(3091, "pg_try_advisory_xact_lock", &[INT8], BOOL, unused) }.volatile(),
    Builtin { body: Body::Waiting(TRY_XACT), ..pure(3095, "pg_try_advisory_xact_lock", &[INT4, INT4], BOOL, unused) }.volatile(),
    Builtin { body: Body::Waiting(TRY_XACT_SHARED), ..pure(3092, "pg_try_advisory_xact_lock_shared", &[INT8], BOOL, unused) }.volatile(),
    Builtin { body: Body::Waiting(TRY_XACT_SHARED), ..pure(3096, "pg_try_advisory_xact_lock_shared", &[INT4, INT4], BOOL, unused) }.volatile(),
    Builtin { body: Body::Waiting(Waiting::Sleep), ..pure(2626, "pg_sleep", &[FLOAT8], VOID, unused) }.volatile(),
    pure(1598, "random", &[], FLOAT8, random).volatile(),
    pure(1599, "setseed", &[FLOAT8], VOID, setseed).volatile(),
    pure(2560, "pg_postmaster_start_time", &[], TIMESTAMPTZ, pg_postmaster_start_time).stable(),
    pure(2034, "pg_conf_load_time", &[], TIMESTAMPTZ, pg_postmaster_start_time).stable(),
    pure(2197, "inet_client_port", &[], INT4, inet_client_port).stable().called_on_null(),
    pure(2199, "inet_server_port", &[], INT4, inet_server_port).stable().called_on_null(),
    pure(3810, "pg_is_in_recovery", &[], BOOL, no).volatile(),
    pure(315, "pg_jit_available", &[], BOOL, no).volatile(),
    pure(2854, "pg_my_temp_schema", &[], OID, zero_oid).stable(),
    pure(3432, "gen_random_uuid", &[], UUID, gen_random_uuid).volatile(),
    pure(1619, "pg_typeof", &[ANY], REGTYPE, pg_typeof).stable().called_on_null(),
    pure(810, "pg_client_encoding", &[], NAME, pg_client_encoding).stable(),
    pure(745, "current_user", &[], NAME, current_user).stable(),
    pure(746, "session_user", &[], NAME, session_user).stable(),
    pure(1269, "pg_column_size", &[ANY], INT4, pg_column_size).stable(),
];
