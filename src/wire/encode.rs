//! Values and descriptions into protocol bytes.

use bytes::{BufMut, BytesMut};
use pgwire::messages::data::{FieldDescription, RowDescription};

use crate::error::{PgError, Result};
use crate::ids::Oid;
use crate::session::{Format, Formats, ResultColumn};
use crate::types::{TypeEnv, Value, info, io};

/// Fields of `ErrorResponse` and `NoticeResponse` (PostgreSQL 15 docs, 55.8).
pub(crate) fn error_fields(error: &PgError) -> Vec<(u8, String)> {
    let fields = error.fields();
    let severity = fields.severity.as_str().to_owned();
    let mut out = vec![
        (b'S', severity.clone()),
        (b'V', severity),
        (b'C', fields.code.as_str().to_owned()),
        (b'M', fields.message.clone()),
    ];
    let mut add = |code: u8, text: &Option<String>| {
        if let Some(text) = text {
            out.push((code, text.clone()));
        }
    };
    add(b'D', &fields.detail);
    add(b'H', &fields.hint);
    add(b'P', &fields.position.map(|at| at.to_string()));
    add(b'p', &fields.internal_position.map(|at| at.to_string()));
    add(b'q', &fields.internal_query);
    add(b'W', &fields.context);
    add(b's', &fields.schema);
    add(b't', &fields.table);
    add(b'c', &fields.column);
    add(b'd', &fields.data_type);
    add(b'n', &fields.constraint);
    out
}

/// `RowDescription` of result columns.
pub(crate) fn row_description(columns: &[ResultColumn], formats: &Formats) -> RowDescription {
    let fields = columns
        .iter()
        .enumerate()
        .map(|(at, column)| {
            FieldDescription::new(
                column.name.to_string(),
                column.table.0.cast_signed(),
                column.attnum,
                column.ty.0,
                info::info(column.ty).map_or(-1, |info| info.len),
                column.typmod,
                i16::from(formats.of(at) == Format::Binary),
            )
        })
        .collect();
    RowDescription::new(fields)
}

/// A value's text with its length before it. `text` is scratch.
pub(crate) fn put_text(buffer: &mut BytesMut, ty: Oid, value: &Value, env: &TypeEnv<'_>, text: &mut String) -> Result<()> {
    match value {
        Value::Text(plain) if !pads_or_labels(ty) => put_sized(buffer, plain.as_bytes()),
        Value::Int4(number) => put_sized(buffer, itoa::Buffer::new().format(*number).as_bytes()),
        Value::Int8(number) => put_sized(buffer, itoa::Buffer::new().format(*number).as_bytes()),
        _ => {
            text.clear();
            io::text_out(ty, value, env, text)?;
            put_sized(buffer, text.as_bytes());
        }
    }
    Ok(())
}

/// Types whose text is not simply the stored text.
fn pads_or_labels(ty: Oid) -> bool {
    ty == crate::types::oid::CHAR
}

/// A value's binary form with its length before it. `scratch` is reused.
pub(crate) fn put_binary(buffer: &mut BytesMut, ty: Oid, value: &Value, env: &TypeEnv<'_>, scratch: &mut Vec<u8>) -> Result<()> {
    match value {
        Value::Int4(number) => {
            buffer.put_i32(4);
            buffer.put_i32(*number);
        }
        Value::Int8(number) => {
            buffer.put_i32(8);
            buffer.put_i64(*number);
        }
        _ => {
            scratch.clear();
            io::binary_out(ty, value, env, scratch)?;
            put_sized(buffer, scratch);
        }
    }
    Ok(())
}

fn put_sized(buffer: &mut BytesMut, bytes: &[u8]) {
    buffer.put_i32(i32::try_from(bytes.len()).expect("a value is under 1 GB"));
    buffer.put_slice(bytes);
}
