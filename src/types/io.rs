//! Text and binary forms of every type: `typinput`, `typoutput`, `typreceive`, `typsend`.
//!
//! Input checks and their errors are PostgreSQL's. A modifier of -1 means none. NULL has no form: callers handle it.

use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::types::cast::apply_typmod;
use crate::types::env::UserType;
use crate::types::{TypeEnv, Value, datetime, info, json, numeric, oid, range};

mod array;
mod binary;
mod bits;
mod floats;
mod inet;
mod record;
mod scalar;
mod tid;

pub use array::quote_element;
pub use binary::{binary_in, binary_out, decode_utf8};
pub use floats::{float4_out, float8_out};
pub use scalar::parse_bool;
pub use tid::{row_id_of_tid, tid_of_row_id};

/// 22P02 `invalid input syntax for type x: "text"`.
pub(crate) fn invalid_syntax(type_name: &str, text: &str) -> PgError {
    PgError::new(
        sqlstate::INVALID_TEXT_REPRESENTATION,
        format!("invalid input syntax for type {type_name}: \"{text}\""),
    )
}

/// Reads a value's text form.
pub fn text_in(ty: Oid, typmod: i32, text: &str, env: &TypeEnv<'_>) -> Result<Value> {
    let value = match ty {
        oid::TEXT
        | oid::UNKNOWN
        | oid::CSTRING
        | oid::REFCURSOR
        | oid::XML
        | oid::PG_NODE_TREE
        | oid::ACLITEM
        | oid::PG_SNAPSHOT
        | oid::TXID_SNAPSHOT => return Ok(Value::text(text)),
        oid::INT4 => return scalar::int4_in(text),
        oid::INT8 => return scalar::int8_in(text),
        oid::INT2 => return scalar::int2_in(text),
        oid::BOOL => return scalar::bool_in(text),
        oid::FLOAT8 => return floats::float8_in(text),
        oid::FLOAT4 => return floats::float4_in(text),
        oid::NUMERIC => Value::Numeric(numeric::parse(text)?),
        oid::VARCHAR | oid::BPCHAR => Value::text(text),
        oid::NAME => Value::text(scalar::truncate_name(text)),
        oid::CHAR => scalar::char_in(text),
        oid::BYTEA => scalar::bytea_in(text)?,
        oid::UUID => scalar::uuid_in(text)?,
        oid::DATE => Value::Date(datetime::date_in(text, env)?),
        oid::TIME => Value::Time(datetime::time_in(text, env)?),
        oid::TIMETZ => Value::TimeTz(datetime::timetz_in(text, env)?),
        oid::TIMESTAMP => Value::Timestamp(datetime::timestamp_in(text, env)?),
        oid::TIMESTAMPTZ => Value::TimestampTz(datetime::timestamptz_in(text, env)?),
        oid::INTERVAL => Value::Interval(datetime::interval_in(text, typmod, env)?),
        oid::JSON => {
            json::validate(text)?;
            Value::text(text)
        }
        oid::JSONB => Value::Jsonb(std::sync::Arc::new(json::parse(text)?)),
        oid::OID => scalar::oid_in(text)?,
        oid::XID | oid::CID => scalar::xid_in(text),
        oid::XID8 => scalar::xid8_in(text),
        oid::PG_LSN => scalar::pg_lsn_in(text)?,
        oid::TID => tid::tid_in(text)?,
        oid::BIT | oid::VARBIT => bits::bits_in(ty, typmod, text)?,
        oid::INT2VECTOR => array::vector_in(oid::INT2, text, env)?,
        oid::OIDVECTOR => array::vector_in(oid::OID, text, env)?,
        oid::INET | oid::CIDR => inet::inet_in(ty, text)?,
        oid::VOID => Value::text(""),
        oid::RECORD => {
            return Err(PgError::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                "input of anonymous composite types is not implemented",
            ));
        }
        _ if is_reg(ty) => Value::Oid(reg_in(ty, text, env)?.0),
        _ => return other_in(ty, typmod, text, env),
    };
    if typmod < 0 {
        Ok(value)
    } else {
        apply_typmod(ty, typmod, value, false)
    }
}

/// The types whose values are OIDs shown as names.
pub fn is_reg(ty: Oid) -> bool {
    matches!(
        ty,
        oid::REGPROC
            | oid::REGPROCEDURE
            | oid::REGOPER
            | oid::REGOPERATOR
            | oid::REGCLASS
            | oid::REGTYPE
            | oid::REGROLE
            | oid::REGNAMESPACE
            | oid::REGCONFIG
            | oid::REGDICTIONARY
            | oid::REGCOLLATION
    )
}

/// `-` and numbers mean themselves; names ask the catalog.
fn reg_in(ty: Oid, text: &str, env: &TypeEnv<'_>) -> Result<Oid> {
    if text == "-" {
        return Ok(Oid::INVALID);
    }
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return match scalar::oid_in(text)? {
            Value::Oid(number) => Ok(Oid(number)),
            other => Err(PgError::internal(format!("not an OID: {other:?}"))),
        };
    }
    env.names.reg_in(ty, text)
}

/// Arrays, and types made by users.
fn other_in(ty: Oid, typmod: i32, text: &str, env: &TypeEnv<'_>) -> Result<Value> {
    if range::subtype_of(ty).is_some() {
        return range::range_in(ty, text, env);
    }
    if let Some(element) = info::element_type(ty, env.names) {
        return array::array_in(element, typmod, text, env);
    }
    match env.names.user_type(ty) {
        Some(UserType::Enum { name, labels }) => match labels.iter().find(|(_, label)| label == text) {
            Some((_, label)) => Ok(Value::Text(label.clone())),
            None => Err(PgError::new(
                sqlstate::INVALID_TEXT_REPRESENTATION,
                format!("invalid input value for enum {name}: \"{text}\""),
            )),
        },
        Some(UserType::Domain { base, typmod, .. }) => text_in(base, typmod, text, env),
        Some(UserType::Composite { fields, .. }) => record::record_in(ty, &fields, text, env),
        Some(UserType::Array { element }) => array::array_in(element, typmod, text, env),
        None => Err(no_form(ty, "accept a value of")),
    }
}

/// Pseudo-types, and types that are not built.
fn no_form(ty: Oid, verb: &str) -> PgError {
    match info::info(ty) {
        Some(row) if row.kind == 'p' => PgError::new(sqlstate::FEATURE_NOT_SUPPORTED, format!("cannot {verb} type {}", row.name)),
        Some(row) => PgError::unsupported(format_args!("type {}", row.name)),
        None => PgError::new(sqlstate::UNDEFINED_OBJECT, format!("type with OID {ty} does not exist")),
    }
}

/// Appends a value's text form. NULL appends nothing.
pub fn text_out(ty: Oid, value: &Value, env: &TypeEnv<'_>, out: &mut String) -> Result<()> {
    match value {
        Value::Null => {}
        Value::Bool(v) => out.push(if *v { 't' } else { 'f' }),
        Value::Int2(v) => out.push_str(itoa::Buffer::new().format(*v)),
        Value::Int4(v) => out.push_str(itoa::Buffer::new().format(*v)),
        Value::Int8(v) => out.push_str(itoa::Buffer::new().format(*v)),
        Value::Float4(v) => floats::float4_out(*v, env.settings.extra_float_digits, out),
        Value::Float8(v) => floats::float8_out(*v, env.settings.extra_float_digits, out),
        Value::Numeric(v) => v.write_text(out),
        Value::Text(v) => out.push_str(v),
        Value::Bytea(v) => scalar::bytea_out(v, env.settings.bytea_format, out),
        Value::Date(v) => datetime::date_out(*v, env.settings, out),
        Value::Time(v) => datetime::time_out(*v, out),
        Value::TimeTz(v) => datetime::timetz_out(*v, env.settings, out),
        Value::Timestamp(v) => datetime::timestamp_out(*v, env.settings, out),
        Value::TimestampTz(v) => datetime::timestamptz_out(*v, env.settings, out),
        Value::Interval(v) => datetime::interval_out(v, env.settings.interval_format, out),
        Value::Uuid(v) => scalar::uuid_out(v, out),
        Value::Jsonb(v) => v.write(out),
        Value::Oid(v) if is_reg(ty) => out.push_str(&env.names.reg_out(ty, Oid(*v))),
        Value::Oid(v) => out.push_str(itoa::Buffer::new().format(*v)),
        Value::Uint8(v) if ty == oid::PG_LSN => scalar::pg_lsn_out(*v, out),
        Value::Uint8(v) => out.push_str(itoa::Buffer::new().format(*v)),
        Value::Tid(v) => tid::tid_out(v, out)?,
        Value::Bit(v) => bits::bits_out(v, out),
        Value::Array(v) if matches!(ty, oid::INT2VECTOR | oid::OIDVECTOR) => array::vector_out(v, env, out)?,
        Value::Array(v) => array::array_out(v, env, out)?,
        Value::Record(v) if range::subtype_of(v.ty).is_some() => range::range_out(value, env, out)?,
        Value::Record(v) => record::record_out(v, env, out)?,
    }
    Ok(())
}

/// A value's text form as a new string.
pub fn to_text(ty: Oid, value: &Value, env: &TypeEnv<'_>) -> Result<String> {
    let mut out = String::new();
    text_out(ty, value, env, &mut out)?;
    Ok(out)
}

#[cfg(test)]
mod tests;
