//! Functions and operators of `bit` and `bit varying`.

use std::sync::Arc;

use super::arguments::{count, int4, integer_out_of_range, invalid};
use super::{Builtin, CallContext, pure};
use crate::error::{PgError, Result, sqlstate};
use crate::types::Value;
use crate::types::oid::{BIT, INT4, INT8, VARBIT};

fn bits(value: &Value) -> Result<Vec<bool>> {
    match value {
        Value::Bit(bits) => Ok((0..bits.0 as usize)
            .map(|at| bits.1[at / 8] & (0x80 >> (at % 8)) != 0)
            .collect()),
        other => Err(PgError::internal(format!("not a bit string: {other:?}"))),
    }
}

fn len(value: &Value) -> Result<u32> {
    match value {
        Value::Bit(bits) => Ok(bits.0),
        other => Err(PgError::internal(format!("not a bit string: {other:?}"))),
    }
}

fn made(bits: &[bool]) -> Result<Value> {
    let mut bytes = vec![0_u8; bits.len().div_ceil(8)];
    for (at, _) in bits.iter().enumerate().filter(|(_, bit)| **bit) {
        bytes[at / 8] |= 0x80 >> (at % 8);
    }
    let len = u32::try_from(bits.len()).map_err(|_| integer_out_of_range())?;
    Ok(Value::Bit(Arc::new((len, bytes))))
}

fn paired(args: &[Value], name: &str, each: fn(bool, bool) -> bool) -> Result<Value> {
    let (a, b) = (bits(&args[0])?, bits(&args[1])?);
    if a.len() != b.len() {
        return Err(PgError::new(
            sqlstate::STRING_DATA_LENGTH_MISMATCH,
            format!("cannot {name} bit strings of different sizes"),
        ));
    }
    made(&a.iter().zip(&b).map(|(a, b)| each(*a, *b)).collect::<Vec<_>>())
}

fn bitand(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    paired(args, "AND", |a, b| a && b)
}

fn bitor(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    paired(args, "OR", |a, b| a || b)
}

fn bitxor(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    paired(args, "XOR", |a, b| a != b)
}

fn bitnot(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    made(&bits(&args[0])?.into_iter().map(|bit| !bit).collect::<Vec<_>>())
}

fn shifted(value: &Value, left: i64) -> Result<Value> {
    let bits = bits(value)?;
    let at = |place: usize| {
        let from = i64::try_from(place).ok()?.checked_add(left)?;
        bits.get(usize::try_from(from).ok()?).copied()
    };
    made(&(0..bits.len()).map(|place| at(place).unwrap_or(false)).collect::<Vec<_>>())
}

fn shift_left(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    shifted(&args[0], i64::from(int4(&args[1])?))
}

fn shift_right(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    shifted(&args[0], -i64::from(int4(&args[1])?))
}

fn bitcat(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    made(&[bits(&args[0])?, bits(&args[1])?].concat())
}

fn length(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    count(len(&args[0])? as usize)
}

fn octet_length(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    count(len(&args[0])?.div_ceil(8) as usize)
}

fn bit_count(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let ones = bits(&args[0])?.into_iter().filter(|bit| *bit).count();
    Ok(Value::Int8(i64::try_from(ones).unwrap_or(i64::MAX)))
}

fn place(at: i32, len: usize) -> Result<usize> {
    usize::try_from(at).ok().filter(|at| *at < len).ok_or_else(|| {
        PgError::new(
            sqlstate::ARRAY_SUBSCRIPT_ERROR,
            format!("bit index {at} out of valid range (0..{})", len as i64 - 1),
        )
    })
}

fn get_bit(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let bits = bits(&args[0])?;
    let at = place(int4(&args[1])?, bits.len())?;
    Ok(Value::Int4(i32::from(bits[at])))
}

fn set_bit(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let mut bits = bits(&args[0])?;
    let at = place(int4(&args[1])?, bits.len())?;
    bits[at] = match int4(&args[2])? {
        0 => false,
        1 => true,
        _ => return Err(invalid("new bit must be 0 or 1")),
    };
    made(&bits)
}

fn negative_length() -> PgError {
    PgError::new(sqlstate::SUBSTRING_ERROR, "negative substring length not allowed")
}

fn part(bits: &[bool], start: i32, length: Option<i32>) -> Result<&[bool]> {
    let len = bits.len() as i64;
    let end = match length {
        None => len + 1,
        Some(length) if length < 0 => return Err(negative_length()),
        Some(length) => (i64::from(start) + i64::from(length)).clamp(1, len + 1),
    };
    let start = i64::from(start).clamp(1, len + 1);
    let place = |at: i64| usize::try_from(at - 1).unwrap_or(0);
    Ok(&bits[place(start)..place(end.max(start))])
}

fn substring(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let length = args.get(2).map(int4).transpose()?;
    made(part(&bits(&args[0])?, int4(&args[1])?, length)?)
}

fn overlay(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let (whole, new) = (bits(&args[0])?, bits(&args[1])?);
    let start = int4(&args[2])?;
    let length = match args.get(3) {
        Some(length) => int4(length)?,
        None => i32::try_from(new.len()).map_err(|_| integer_out_of_range())?,
    };
    if start <= 0 {
        return Err(negative_length());
    }
    let end = start.checked_add(length).ok_or_else(integer_out_of_range)?;
    made(&[part(&whole, 1, Some(start - 1))?, &new, part(&whole, end, None)?].concat())
}

fn position(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let (part, whole) = (bits(&args[1])?, bits(&args[0])?);
    if part.is_empty() {
        return Ok(Value::Int4(i32::from(!whole.is_empty())));
    }
    let found = whole.windows(part.len()).position(|window| *window == part[..]);
    found.map_or(Ok(Value::Int4(0)), |at| count(at + 1))
}

#[rustfmt::skip]
pub const FUNCTIONS: &[Builtin] = &[
    pure(1673, "bitand", &[BIT, BIT], BIT, bitand),
    pure(1674, "bitor", &[BIT, BIT], BIT, bitor),
    pure(1675, "bitxor", &[BIT, BIT], BIT, bitxor),
    pure(1676, "bitnot", &[BIT], BIT, bitnot),
    pure(1677, "bitshiftleft", &[BIT, INT4], BIT, shift_left),
    pure(1678, "bitshiftright", &[BIT, INT4], BIT, shift_right),
    pure(1679, "bitcat", &[VARBIT, VARBIT], VARBIT, bitcat),
    pure(1681, "length", &[BIT], INT4, length),
    pure(1682, "octet_length", &[BIT], INT4, octet_length),
    pure(1812, "bit_length", &[BIT], INT4, length),
    pure(6162, "bit_count", &[BIT], INT8, bit_count),
    pure(3032, "get_bit", &[BIT, INT4], INT4, get_bit),
    pure(3033, "set_bit", &[BIT, INT4, INT4], BIT, set_bit),
    pure(1680, "substring", &[BIT, INT4, INT4], BIT, substring),
    pure(1699, "substring", &[BIT, INT4], BIT, substring),
    pure(3030, "overlay", &[BIT, BIT, INT4, INT4], BIT, overlay),
    pure(3031, "overlay", &[BIT, BIT, INT4], BIT, overlay),
    pure(1698, "position", &[BIT, BIT], INT4, position),
];
