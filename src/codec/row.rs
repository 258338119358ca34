//! Stored rows and values.
//!
//! `xid (8, LE), column count (2, LE)`, then a tag and a payload a column. Fixed-width payloads follow the tag at once,
//! others after their length (LEB128).

use std::sync::Arc;

use smol_str::SmolStr;

use crate::error::{PgError, Result, sqlstate};
use crate::ids::{Oid, Xid};
use crate::types::json::Json;
use crate::types::numeric::Numeric;
use crate::types::{Array, ArrayDim, Interval, Record, TimeTz, Value};

const HEADER_BYTES: usize = 10;

/// Tags of values. Stored: never renumber.
mod tag {
    pub const NULL: u8 = 0;
    pub const FALSE: u8 = 1;
    pub const TRUE: u8 = 2;
    pub const INT2: u8 = 3;
    pub const INT4: u8 = 4;
    pub const INT8: u8 = 5;
    pub const FLOAT4: u8 = 6;
    pub const FLOAT8: u8 = 7;
    pub const NUMERIC_SMALL: u8 = 8;
    pub const NUMERIC: u8 = 9;
    pub const TEXT: u8 = 10;
    pub const BYTEA: u8 = 11;
    pub const DATE: u8 = 12;
    pub const TIME: u8 = 13;
    pub const TIMETZ: u8 = 14;
    pub const TIMESTAMP: u8 = 15;
    pub const TIMESTAMPTZ: u8 = 16;
    pub const INTERVAL: u8 = 17;
    pub const UUID: u8 = 18;
    pub const JSONB: u8 = 19;
    pub const OID: u8 = 20;
    pub const UINT8: u8 = 21;
    pub const TID: u8 = 22;
    pub const BIT: u8 = 23;
    pub const ARRAY: u8 = 24;
    pub const RECORD: u8 = 25;
}

/// Appends a stored row. Trailing columns that a later ALTER TABLE adds are not there.
pub fn encode_row(xid: Xid, _types: &[Oid], row: &[Value], out: &mut Vec<u8>) -> Result<()> {
    let count = u16::try_from(row.len()).map_err(|_| PgError::internal("a row has too many columns"))?;
    out.extend_from_slice(&xid.0.to_le_bytes());
    out.extend_from_slice(&count.to_le_bytes());
    for value in row {
        encode_any(value, out);
    }
    Ok(())
}

/// A stored row, not decoded yet.
#[derive(Clone, Copy)]
pub struct RowView<'a> {
    bytes: &'a [u8],
    xid: Xid,
    count: usize,
}

impl<'a> RowView<'a> {
    /// # Errors
    /// XX001 where the bytes are no row.
    pub fn new(bytes: &'a [u8]) -> Result<Self> {
        let Some((header, rest)) = bytes.split_first_chunk::<HEADER_BYTES>() else {
            return Err(corrupted());
        };
        let [x0, x1, x2, x3, x4, x5, x6, x7, c0, c1] = *header;
        Ok(RowView {
            bytes: rest,
            xid: Xid(u64::from_le_bytes([x0, x1, x2, x3, x4, x5, x6, x7])),
            count: usize::from(u16::from_le_bytes([c0, c1])),
        })
    }

    /// Who wrote this version.
    pub fn xid(&self) -> Xid {
        self.xid
    }

    /// Columns that the table had when the row was written.
    pub fn column_count(&self) -> usize {
        self.count
    }

    /// Decodes every column into `out`; those that the row does not have come from `missing`.
    pub fn decode_all(&self, _types: &[Oid], missing: &[Value], out: &mut [Value]) -> Result<()> {
        let mut bytes = self.bytes;
        for (at, place) in out.iter_mut().enumerate() {
            *place = if at < self.count {
                decode_any(&mut bytes)?
            } else {
                missing.get(at).cloned().unwrap_or_default()
            };
        }
        Ok(())
    }

    /// Hands the columns of `wanted` (ascending, 0-based) to `give`, in that order; what the row does not have comes from
    /// `missing`.
    pub fn decode_columns(&self, wanted: &[usize], missing: &[Value], mut give: impl FnMut(Value)) -> Result<()> {
        let mut bytes = self.bytes;
        let mut at = 0;
        for &column in wanted {
            if column >= self.count {
                give(missing.get(column).cloned().unwrap_or_default());
                continue;
            }
            while at < column {
                skip_any(&mut bytes)?;
                at += 1;
            }
            give(decode_any(&mut bytes)?);
            at += 1;
        }
        Ok(())
    }
}

fn corrupted() -> PgError {
    PgError::new(sqlstate::DATA_CORRUPTED, "a stored row is damaged")
}

/// A value on its own (a column's missing value).
pub fn encode_value(_ty: Oid, value: &Value, out: &mut Vec<u8>) -> Result<()> {
    encode_any(value, out);
    Ok(())
}

/// Reads [`encode_value`].
pub fn decode_value(_ty: Oid, mut bytes: &[u8]) -> Result<Value> {
    decode_any(&mut bytes)
}

/// Appends any value.
pub fn encode_any(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.push(tag::NULL),
        Value::Bool(v) => out.push(if *v { tag::TRUE } else { tag::FALSE }),
        Value::Int2(v) => fixed(out, tag::INT2, &v.to_le_bytes()),
        Value::Int4(v) => fixed(out, tag::INT4, &v.to_le_bytes()),
        Value::Int8(v) => fixed(out, tag::INT8, &v.to_le_bytes()),
        Value::Float4(v) => fixed(out, tag::FLOAT4, &v.to_le_bytes()),
        Value::Float8(v) => fixed(out, tag::FLOAT8, &v.to_le_bytes()),
        Value::Numeric(Numeric::Small { digits, scale }) => {
            fixed(out, tag::NUMERIC_SMALL, &digits.to_le_bytes());
            out.extend_from_slice(&scale.to_le_bytes());
        }
        Value::Numeric(other) => sized(out, tag::NUMERIC, |out| other.write_binary(out)),
        Value::Text(v) => bytes_of(out, tag::TEXT, v.as_bytes()),
        Value::Bytea(v) => bytes_of(out, tag::BYTEA, v),
        Value::Date(v) => fixed(out, tag::DATE, &v.to_le_bytes()),
        Value::Time(v) => fixed(out, tag::TIME, &v.to_le_bytes()),
        Value::TimeTz(v) => {
            fixed(out, tag::TIMETZ, &v.micros.to_le_bytes());
            out.extend_from_slice(&v.west_seconds.to_le_bytes());
        }
        Value::Timestamp(v) => fixed(out, tag::TIMESTAMP, &v.to_le_bytes()),
        Value::TimestampTz(v) => fixed(out, tag::TIMESTAMPTZ, &v.to_le_bytes()),
        Value::Interval(v) => {
            fixed(out, tag::INTERVAL, &v.months.to_le_bytes());
            out.extend_from_slice(&v.days.to_le_bytes());
            out.extend_from_slice(&v.micros.to_le_bytes());
        }
        Value::Uuid(v) => fixed(out, tag::UUID, v),
        Value::Jsonb(v) => sized(out, tag::JSONB, |out| encode_json(v, out)),
        Value::Oid(v) => fixed(out, tag::OID, &v.to_le_bytes()),
        Value::Uint8(v) => fixed(out, tag::UINT8, &v.to_le_bytes()),
        Value::Tid(v) => bytes_of(out, tag::TID, v),
        Value::Bit(v) => sized(out, tag::BIT, |out| {
            length(out, v.0 as usize);
            out.extend_from_slice(&v.1);
        }),
        Value::Array(v) => sized(out, tag::ARRAY, |out| encode_array(v, out)),
        Value::Record(v) => sized(out, tag::RECORD, |out| encode_record(v, out)),
    }
}

fn fixed(out: &mut Vec<u8>, tag: u8, payload: &[u8]) {
    out.push(tag);
    out.extend_from_slice(payload);
}

fn bytes_of(out: &mut Vec<u8>, tag: u8, payload: &[u8]) {
    out.push(tag);
    length(out, payload.len());
    out.extend_from_slice(payload);
}

fn sized(out: &mut Vec<u8>, tag: u8, write: impl FnOnce(&mut Vec<u8>)) {
    let mut payload = Vec::new();
    write(&mut payload);
    bytes_of(out, tag, &payload);
}

/// LEB128.
fn length(out: &mut Vec<u8>, mut value: usize) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn encode_array(array: &Array, out: &mut Vec<u8>) {
    out.extend_from_slice(&array.element.0.to_le_bytes());
    length(out, array.dims.len());
    for dim in &array.dims {
        out.extend_from_slice(&dim.len.to_le_bytes());
        out.extend_from_slice(&dim.lower.to_le_bytes());
    }
    for value in &array.values {
        encode_any(value, out);
    }
}

fn encode_record(record: &Record, out: &mut Vec<u8>) {
    out.extend_from_slice(&record.ty.0.to_le_bytes());
    length(out, record.fields.len());
    for (ty, value) in &record.fields {
        out.extend_from_slice(&ty.0.to_le_bytes());
        encode_any(value, out);
    }
}

fn encode_json(json: &Json, out: &mut Vec<u8>) {
    match json {
        Json::Null => out.push(0),
        Json::Bool(false) => out.push(1),
        Json::Bool(true) => out.push(2),
        Json::Number(number) => {
            out.push(3);
            encode_any(&Value::Numeric(number.clone()), out);
        }
        Json::String(text) => {
            out.push(4);
            length(out, text.len());
            out.extend_from_slice(text.as_bytes());
        }
        Json::Array(items) => {
            out.push(5);
            length(out, items.len());
            items.iter().for_each(|item| encode_json(item, out));
        }
        Json::Object(pairs) => {
            out.push(6);
            length(out, pairs.len());
            for (key, value) in pairs {
                length(out, key.len());
                out.extend_from_slice(key.as_bytes());
                encode_json(value, out);
            }
        }
    }
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Result<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(count).ok_or_else(corrupted)?;
    *bytes = rest;
    Ok(taken)
}

fn take_array<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N]> {
    let (taken, rest) = bytes.split_first_chunk::<N>().ok_or_else(corrupted)?;
    *bytes = rest;
    Ok(*taken)
}

fn take_length(bytes: &mut &[u8]) -> Result<usize> {
    let mut value = 0_usize;
    for shift in (0..usize::BITS).step_by(7) {
        let [byte] = take_array::<1>(bytes)?;
        value |= usize::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err(corrupted())
}

fn take_sized<'a>(bytes: &mut &'a [u8]) -> Result<&'a [u8]> {
    let count = take_length(bytes)?;
    take(bytes, count)
}

fn text(bytes: &[u8]) -> Result<SmolStr> {
    std::str::from_utf8(bytes).map(SmolStr::new).map_err(|_| corrupted())
}

/// Reads one value and steps over it.
pub fn decode_any(bytes: &mut &[u8]) -> Result<Value> {
    let [kind] = take_array::<1>(bytes)?;
    Ok(match kind {
        tag::NULL => Value::Null,
        tag::FALSE => Value::Bool(false),
        tag::TRUE => Value::Bool(true),
        tag::INT2 => Value::Int2(i16::from_le_bytes(take_array(bytes)?)),
        tag::INT4 => Value::Int4(i32::from_le_bytes(take_array(bytes)?)),
        tag::INT8 => Value::Int8(i64::from_le_bytes(take_array(bytes)?)),
        tag::FLOAT4 => Value::Float4(f32::from_le_bytes(take_array(bytes)?)),
        tag::FLOAT8 => Value::Float8(f64::from_le_bytes(take_array(bytes)?)),
        tag::NUMERIC_SMALL => {
            let digits = i64::from_le_bytes(take_array(bytes)?);
            Value::Numeric(Numeric::Small {
                digits,
                scale: u16::from_le_bytes(take_array(bytes)?),
            })
        }
        tag::NUMERIC => Value::Numeric(Numeric::read_binary(take_sized(bytes)?)?),
        tag::TEXT => Value::Text(text(take_sized(bytes)?)?),
        tag::BYTEA => Value::Bytea(Arc::from(take_sized(bytes)?)),
        tag::DATE => Value::Date(i32::from_le_bytes(take_array(bytes)?)),
        tag::TIME => Value::Time(i64::from_le_bytes(take_array(bytes)?)),
        tag::TIMETZ => {
            let micros = i64::from_le_bytes(take_array(bytes)?);
            Value::TimeTz(TimeTz {
                micros,
                west_seconds: i32::from_le_bytes(take_array(bytes)?),
            })
        }
        tag::TIMESTAMP => Value::Timestamp(i64::from_le_bytes(take_array(bytes)?)),
        tag::TIMESTAMPTZ => Value::TimestampTz(i64::from_le_bytes(take_array(bytes)?)),
        tag::INTERVAL => {
            let months = i32::from_le_bytes(take_array(bytes)?);
            let days = i32::from_le_bytes(take_array(bytes)?);
            Value::Interval(Interval {
                months,
                days,
                micros: i64::from_le_bytes(take_array(bytes)?),
            })
        }
        tag::UUID => Value::Uuid(take_array(bytes)?),
        tag::JSONB => Value::Jsonb(Arc::new(decode_json(&mut take_sized(bytes)?)?)),
        tag::OID => Value::Oid(u32::from_le_bytes(take_array(bytes)?)),
        tag::UINT8 => Value::Uint8(u64::from_le_bytes(take_array(bytes)?)),
        tag::TID => Value::Tid(Arc::from(take_sized(bytes)?)),
        tag::BIT => {
            let mut payload = take_sized(bytes)?;
            let count = u32::try_from(take_length(&mut payload)?).map_err(|_| corrupted())?;
            Value::Bit(Arc::new((count, payload.to_vec())))
        }
        tag::ARRAY => Value::Array(Arc::new(decode_array(take_sized(bytes)?)?)),
        tag::RECORD => Value::Record(Arc::new(decode_record(take_sized(bytes)?)?)),
        _ => return Err(corrupted()),
    })
}

/// Steps over one value.
fn skip_any(bytes: &mut &[u8]) -> Result<()> {
    let [kind] = take_array::<1>(bytes)?;
    let count = match kind {
        tag::NULL | tag::FALSE | tag::TRUE => 0,
        tag::INT2 => 2,
        tag::INT4 | tag::FLOAT4 | tag::DATE | tag::OID => 4,
        tag::INT8 | tag::FLOAT8 | tag::TIME | tag::TIMESTAMP | tag::TIMESTAMPTZ | tag::UINT8 => 8,
        tag::NUMERIC_SMALL => 10,
        tag::TIMETZ => 12,
        tag::INTERVAL | tag::UUID => 16,
        _ => take_length(bytes)?,
    };
    take(bytes, count).map(|_| ())
}

fn decode_array(mut bytes: &[u8]) -> Result<Array> {
    let element = Oid(u32::from_le_bytes(take_array(&mut bytes)?));
    let count = take_length(&mut bytes)?;
    let mut dims = Vec::with_capacity(count.min(8));
    for _ in 0..count {
        let len = i32::from_le_bytes(take_array(&mut bytes)?);
        dims.push(ArrayDim {
            len,
            lower: i32::from_le_bytes(take_array(&mut bytes)?),
        });
    }
    let mut values = Vec::new();
    while !bytes.is_empty() {
        values.push(decode_any(&mut bytes)?);
    }
    Ok(Array { element, dims, values })
}

fn decode_record(mut bytes: &[u8]) -> Result<Record> {
    let ty = Oid(u32::from_le_bytes(take_array(&mut bytes)?));
    let count = take_length(&mut bytes)?;
    let mut fields = Vec::with_capacity(count.min(64));
    for _ in 0..count {
        let ty = Oid(u32::from_le_bytes(take_array(&mut bytes)?));
        fields.push((ty, decode_any(&mut bytes)?));
    }
    Ok(Record { ty, fields, names: None })
}

fn decode_json(bytes: &mut &[u8]) -> Result<Json> {
    let [kind] = take_array::<1>(bytes)?;
    Ok(match kind {
        0 => Json::Null,
        1 => Json::Bool(false),
        2 => Json::Bool(true),
        3 => match decode_any(bytes)? {
            Value::Numeric(number) => Json::Number(number),
            _ => return Err(corrupted()),
        },
        4 => Json::String(text(take_sized(bytes)?)?),
        5 => {
            let count = take_length(bytes)?;
            Json::Array((0..count).map(|_| decode_json(bytes)).collect::<Result<_>>()?)
        }
        6 => {
            let count = take_length(bytes)?;
            let pair = |_| Ok((text(take_sized(bytes)?)?, decode_json(bytes)?));
            Json::Object((0..count).map(pair).collect::<Result<_>>()?)
        }
        _ => return Err(corrupted()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Vec<Value> {
        vec![
            Value::Int4(-7),
            Value::Null,
            Value::text("a text that is longer than what fits inline"),
            Value::Bool(true),
            Value::Numeric(Numeric::Small {
                digits: -12_345,
                scale: 3,
            }),
            Value::Interval(Interval {
                months: 1,
                days: -2,
                micros: 3,
            }),
            Value::Array(Arc::new(Array::one(Oid(23), vec![Value::Int4(1), Value::Null]))),
            Value::Jsonb(Arc::new(Json::Object(vec![(
                "a".into(),
                Json::Array(vec![Json::Null, Json::Bool(true)]),
            )]))),
            Value::Int8(i64::MAX),
        ]
    }

    #[test]
    fn rows_come_back_whole_and_in_part() {
        let row = samples();
        let mut stored = Vec::new();
        encode_row(Xid(42), &[], &row, &mut stored).expect("encodes");
        let view = RowView::new(&stored).expect("a row");
        assert_eq!((view.xid(), view.column_count()), (Xid(42), row.len()));
        let mut all = vec![Value::Null; row.len() + 1];
        let missing: Vec<Value> = (0..=row.len()).map(|_| Value::Int2(9)).collect();
        view.decode_all(&[], &missing, &mut all).expect("decodes");
        assert_eq!(format!("{:?}", &all[..row.len()]), format!("{row:?}"));
        assert!(
            matches!(all[row.len()], Value::Int2(9)),
            "a column added later has its missing value"
        );
        let mut some = Vec::new();
        view.decode_columns(&[0, 3, 8, 9], &missing, |value| some.push(value))
            .expect("decodes");
        assert!(matches!(
            some[..],
            [Value::Int4(-7), Value::Bool(true), Value::Int8(i64::MAX), Value::Int2(9)]
        ));
    }

    #[test]
    fn damaged_rows_are_errors() {
        let mut stored = Vec::new();
        encode_row(Xid(1), &[], &samples(), &mut stored).expect("encodes");
        for length in 0..stored.len() {
            let mut out = vec![Value::Null; samples().len()];
            let read = RowView::new(&stored[..length]).and_then(|view| view.decode_all(&[], &[], &mut out));
            assert!(read.is_err(), "{length} bytes of {} were taken for a row", stored.len());
        }
    }
}
