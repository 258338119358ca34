//! Binary forms: `typreceive` and `typsend`.

use std::sync::Arc;

use super::{inet, scalar, text_out, tid};
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::limits::ARRAY_DIMENSIONS_MAX;
use crate::types::cast::apply_typmod;
use crate::types::env::UserType;
use crate::types::numeric::Numeric;
use crate::types::{Array, ArrayDim, Interval, Record, TimeTz, TypeEnv, Value, datetime, info, json, oid, range};

fn short() -> PgError {
    PgError::new(sqlstate::PROTOCOL_VIOLATION, "insufficient data left in message")
}

fn invalid(message: impl Into<String>) -> PgError {
    PgError::new(sqlstate::INVALID_BINARY_REPRESENTATION, message)
}

/// Bytes of one value, read from the front.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn bytes(&mut self, count: usize) -> Result<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(count).ok_or_else(short)?;
        self.0 = tail;
        Ok(head)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (head, tail) = self.0.split_first_chunk::<N>().ok_or_else(short)?;
        self.0 = tail;
        Ok(*head)
    }

    fn i16(&mut self) -> Result<i16> {
        self.array().map(i16::from_be_bytes)
    }

    fn i32(&mut self) -> Result<i32> {
        self.array().map(i32::from_be_bytes)
    }

    fn u32(&mut self) -> Result<u32> {
        self.array().map(u32::from_be_bytes)
    }

    fn i64(&mut self) -> Result<i64> {
        self.array().map(i64::from_be_bytes)
    }

    fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }

    /// A length and that many bytes; `None` for -1.
    fn counted(&mut self) -> Result<Option<&'a [u8]>> {
        let len = self.i32()?;
        match usize::try_from(len) {
            Ok(len) => self.bytes(len).map(Some),
            Err(_) if len == -1 => Ok(None),
            Err(_) => Err(short()),
        }
    }
}

/// Text from a client: valid UTF-8 without NUL, or 22021.
pub fn decode_utf8(bytes: &[u8]) -> Result<&str> {
    let bad = |bytes: &[u8]| {
        let shown: Vec<String> = bytes.iter().map(|byte| format!("0x{byte:02x}")).collect();
        PgError::new(
            sqlstate::CHARACTER_NOT_IN_REPERTOIRE,
            format!("invalid byte sequence for encoding \"UTF8\": {}", shown.join(" ")),
        )
    };
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let start = error.valid_up_to();
        // PostgreSQL shows as many bytes as the first one promises.
        let promised = match bytes[start] {
            0xc0..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf7 => 4,
            _ => 1,
        };
        bad(&bytes[start..(start + promised).min(bytes.len())])
    })?;
    if memchr::memchr(0, bytes).is_some() {
        return Err(bad(&[0]));
    }
    Ok(text)
}

/// Reads a value's binary form; all bytes must be used.
pub fn binary_in(ty: Oid, typmod: i32, bytes: &[u8], env: &TypeEnv<'_>) -> Result<Value> {
    let mut input = Input(bytes);
    let value = read(ty, typmod, &mut input, env)?;
    if !input.0.is_empty() {
        return Err(invalid("incorrect binary data format"));
    }
    if typmod < 0 {
        Ok(value)
    } else {
        apply_typmod(ty, typmod, value, false)
    }
}

fn read(ty: Oid, typmod: i32, input: &mut Input<'_>, env: &TypeEnv<'_>) -> Result<Value> {
    Ok(match ty {
        oid::BOOL => Value::Bool(input.array::<1>()?[0] != 0),
        oid::INT2 => Value::Int2(input.i16()?),
        oid::INT4 => Value::Int4(input.i32()?),
        oid::INT8 => Value::Int8(input.i64()?),
        oid::FLOAT4 => Value::Float4(f32::from_be_bytes(input.array()?)),
        oid::FLOAT8 => Value::Float8(f64::from_be_bytes(input.array()?)),
        oid::NUMERIC => Value::Numeric(Numeric::read_binary(input.rest())?),
        oid::TEXT | oid::VARCHAR | oid::BPCHAR | oid::UNKNOWN | oid::CSTRING | oid::REFCURSOR | oid::XML => {
            Value::text(decode_utf8(input.rest())?)
        }
        oid::NAME => Value::text(scalar::truncate_name(decode_utf8(input.rest())?)),
        oid::CHAR => match input.array::<1>()? {
            [0] => Value::text(""),
            [byte] => Value::text(char::from(byte).to_string()),
        },
        oid::BYTEA => Value::Bytea(Arc::from(input.rest())),
        oid::DATE => Value::Date(datetime::check_date(input.i32()?)?),
        oid::TIME => Value::Time(datetime::check_time(input.i64()?)?),
        oid::TIMETZ => Value::TimeTz(TimeTz {
            micros: datetime::check_time(input.i64()?)?,
            west_seconds: datetime::check_zone(input.i32()?)?,
        }),
        oid::TIMESTAMP => Value::Timestamp(datetime::check_timestamp(input.i64()?)?),
        oid::TIMESTAMPTZ => Value::TimestampTz(datetime::check_timestamp(input.i64()?)?),
        oid::INTERVAL => Value::Interval(Interval {
            micros: input.i64()?,
            days: input.i32()?,
            months: input.i32()?,
        }),
        oid::UUID => Value::Uuid(input.array()?),
        oid::JSON => {
            let text = decode_utf8(input.rest())?;
            json::validate(text)?;
            Value::text(text)
        }
        oid::JSONB => match input.array::<1>()? {
            [1] => Value::Jsonb(Arc::new(json::parse(decode_utf8(input.rest())?)?)),
            [version] => {
                return Err(PgError::internal(format!("unsupported jsonb version number {version}")));
            }
        },
        oid::OID | oid::XID | oid::CID => Value::Oid(input.u32()?),
        oid::XID8 | oid::PG_LSN => Value::Uint8(input.i64()? as u64),
        oid::TID => tid::from_block_and_offset(input.u32()?, input.i16()? as u16),
        oid::BIT | oid::VARBIT => read_bits(input)?,
        oid::INET | oid::CIDR => inet::inet_recv(ty, input.rest())?,
        oid::VOID => {
            input.rest();
            Value::text("")
        }
        _ if super::is_reg(ty) => Value::Oid(input.u32()?),
        _ => return read_other(ty, typmod, input, env),
    })
}

fn read_bits(input: &mut Input<'_>) -> Result<Value> {
    let len = u32::try_from(input.i32()?).map_err(|_| invalid("invalid length in external bit string"))?;
    let mut bytes = input.bytes(len.div_ceil(8) as usize)?.to_vec();
    if let (Some(last), spare @ 1..) = (bytes.last_mut(), len.wrapping_neg() % 8) {
        *last &= 0xff << spare;
    }
    Ok(Value::Bit(Arc::new((len, bytes))))
}

fn read_other(ty: Oid, typmod: i32, input: &mut Input<'_>, env: &TypeEnv<'_>) -> Result<Value> {
    if range::subtype_of(ty).is_some() {
        return range::range_recv(ty, input.rest(), env);
    }
    if let Some(element) = info::element_type(ty, env.names) {
        return read_array(element, typmod, input, env);
    }
    if ty == oid::RECORD {
        return Err(PgError::new(
            sqlstate::FEATURE_NOT_SUPPORTED,
            "input of anonymous composite types is not implemented",
        ));
    }
    match env.names.user_type(ty) {
        Some(UserType::Domain { base, typmod, .. }) => {
            let bytes = input.rest();
            binary_in(base, typmod, bytes, env)
        }
        Some(UserType::Composite { fields, .. }) => {
            let count = input.i32()?;
            if count != fields.len() as i32 {
                return Err(PgError::new(
                    sqlstate::DATATYPE_MISMATCH,
                    format!("wrong number of columns: {count}, expected {}", fields.len()),
                ));
            }
            let mut values = Vec::with_capacity(fields.len());
            for (at, (_, field_type, typmod)) in fields.iter().enumerate() {
                let sent = Oid(input.u32()?);
                if sent != *field_type {
                    return Err(wrong_column_type(sent, *field_type, at + 1, env));
                }
                let value = match input.counted()? {
                    None => Value::Null,
                    Some(bytes) => binary_in(*field_type, *typmod, bytes, env)?,
                };
                values.push((*field_type, value));
            }
            Ok(Value::Record(Arc::new(Record {
                ty,
                fields: values,
                names: Some(fields.iter().map(|(name, ..)| name.clone()).collect()),
            })))
        }
        // An enum's binary form is its text; everything else that has none fails in the same way as its text does.
        _ => super::text_in(ty, typmod, decode_utf8(input.rest())?, env),
    }
}

fn wrong_column_type(sent: Oid, expected: Oid, column: usize, env: &TypeEnv<'_>) -> PgError {
    let name = |ty| info::format_type(ty, -1, env.names);
    PgError::new(
        sqlstate::DATATYPE_MISMATCH,
        format!(
            "binary data has type {sent} ({}) instead of expected {expected} ({}) in record column {column}",
            name(sent),
            name(expected)
        ),
    )
}

fn read_array(element: Oid, typmod: i32, input: &mut Input<'_>, env: &TypeEnv<'_>) -> Result<Value> {
    let count = input.i32()?;
    let Ok(dimensions) = usize::try_from(count) else {
        return Err(invalid(format!("invalid number of dimensions: {count}")));
    };
    if dimensions > ARRAY_DIMENSIONS_MAX {
        return Err(PgError::new(
            sqlstate::PROGRAM_LIMIT_EXCEEDED,
            format!("number of array dimensions ({count}) exceeds the maximum allowed ({ARRAY_DIMENSIONS_MAX})"),
        ));
    }
    let flags = input.i32()?;
    if flags != 0 && flags != 1 {
        return Err(invalid("invalid array flags"));
    }
    let sent = Oid(input.u32()?);
    if sent != element {
        let name = |ty| info::format_type(ty, -1, env.names);
        return Err(PgError::new(
            sqlstate::DATATYPE_MISMATCH,
            format!(
                "binary data has array element type {sent} ({}) instead of expected {element} ({})",
                name(sent),
                name(element)
            ),
        ));
    }
    let mut dims = Vec::with_capacity(dimensions);
    let mut total = 1_usize;
    for _ in 0..dimensions {
        let (len, lower) = (input.i32()?, input.i32()?);
        total = usize::try_from(len)
            .ok()
            .and_then(|len| total.checked_mul(len))
            .ok_or_else(|| PgError::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, "array size exceeds the maximum allowed"))?;
        dims.push(ArrayDim { len, lower });
    }
    if dimensions == 0 || total == 0 {
        return Ok(Value::Array(Arc::new(Array::one(element, Vec::new()))));
    }
    // Each element has four bytes at least: a bound on what a lying length can reserve.
    let mut values = Vec::with_capacity(total.min(input.0.len() / 4 + 1));
    for _ in 0..total {
        values.push(match input.counted()? {
            None => Value::Null,
            Some(bytes) => binary_in(element, typmod, bytes, env)?,
        });
    }
    Ok(Value::Array(Arc::new(Array { element, dims, values })))
}

/// Appends a value's binary form. NULL appends nothing.
pub fn binary_out(ty: Oid, value: &Value, env: &TypeEnv<'_>, out: &mut Vec<u8>) -> Result<()> {
    match value {
        Value::Null => {}
        Value::Bool(v) => out.push(u8::from(*v)),
        Value::Int2(v) => out.extend_from_slice(&v.to_be_bytes()),
        Value::Int4(v) | Value::Date(v) => out.extend_from_slice(&v.to_be_bytes()),
        Value::Int8(v) | Value::Time(v) | Value::Timestamp(v) | Value::TimestampTz(v) => {
            out.extend_from_slice(&v.to_be_bytes());
        }
        Value::Float4(v) => out.extend_from_slice(&v.to_be_bytes()),
        Value::Float8(v) => out.extend_from_slice(&v.to_be_bytes()),
        Value::Numeric(v) => v.write_binary(out),
        Value::Text(v) if ty == oid::CHAR => out.push(v.bytes().next().unwrap_or(0)),
        Value::Text(v) if matches!(ty, oid::INET | oid::CIDR) => inet::inet_send(ty, v, out)?,
        Value::Text(v) => out.extend_from_slice(v.as_bytes()),
        Value::Bytea(v) => out.extend_from_slice(v),
        Value::TimeTz(v) => {
            out.extend_from_slice(&v.micros.to_be_bytes());
            out.extend_from_slice(&v.west_seconds.to_be_bytes());
        }
        Value::Interval(v) => {
            out.extend_from_slice(&v.micros.to_be_bytes());
            out.extend_from_slice(&v.days.to_be_bytes());
            out.extend_from_slice(&v.months.to_be_bytes());
        }
        Value::Uuid(v) => out.extend_from_slice(v),
        Value::Jsonb(_) => {
            out.push(1);
            let mut text = String::new();
            text_out(ty, value, env, &mut text)?;
            out.extend_from_slice(text.as_bytes());
        }
        Value::Oid(v) => out.extend_from_slice(&v.to_be_bytes()),
        Value::Uint8(v) => out.extend_from_slice(&v.to_be_bytes()),
        Value::Tid(v) => {
            let (block, offset) = tid::block_and_offset(v)?;
            out.extend_from_slice(&block.to_be_bytes());
            out.extend_from_slice(&offset.to_be_bytes());
        }
        Value::Bit(v) => {
            out.extend_from_slice(&v.0.to_be_bytes());
            out.extend_from_slice(&v.1);
        }
        Value::Array(v) => write_array(v, env, out)?,
        Value::Record(v) if range::subtype_of(v.ty).is_some() => range::range_send(value, env, out)?,
        Value::Record(v) => {
            out.extend_from_slice(&(v.fields.len() as i32).to_be_bytes());
            for (ty, field) in &v.fields {
                out.extend_from_slice(&ty.0.to_be_bytes());
                write_counted(*ty, field, env, out)?;
            }
        }
    }
    Ok(())
}

fn write_array(array: &Array, env: &TypeEnv<'_>, out: &mut Vec<u8>) -> Result<()> {
    let has_null = array.values.iter().any(Value::is_null);
    out.extend_from_slice(&(array.dims.len() as i32).to_be_bytes());
    out.extend_from_slice(&i32::from(has_null).to_be_bytes());
    out.extend_from_slice(&array.element.0.to_be_bytes());
    for dim in &array.dims {
        out.extend_from_slice(&dim.len.to_be_bytes());
        out.extend_from_slice(&dim.lower.to_be_bytes());
    }
    for value in &array.values {
        write_counted(array.element, value, env, out)?;
    }
    Ok(())
}

/// A length and the value; -1 for NULL.
fn write_counted(ty: Oid, value: &Value, env: &TypeEnv<'_>, out: &mut Vec<u8>) -> Result<()> {
    if value.is_null() {
        out.extend_from_slice(&(-1_i32).to_be_bytes());
        return Ok(());
    }
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    binary_out(ty, value, env, out)?;
    let len = (out.len() - start - 4) as i32;
    out[start..start + 4].copy_from_slice(&len.to_be_bytes());
    Ok(())
}
