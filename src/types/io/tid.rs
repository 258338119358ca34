//! `tid`: an opaque storage key. Keys of tables stored by row id are eight bytes, the row id in big-endian order, and
//! have PostgreSQL's text form `(block,offset)`; keys of tables stored by primary key have none.

use std::fmt::Write as _;

use std::sync::Arc;

use super::invalid_syntax;
use crate::error::{PgError, Result};
use crate::types::Value;

/// Offsets of one block in the text form, from 1.
const OFFSETS: u64 = 65_535;

/// The `tid` of a row id.
pub fn tid_of_row_id(row_id: u64) -> Value {
    Value::Tid(Arc::from(row_id.to_be_bytes()))
}

/// The row id in a `tid`, where it is one.
pub fn row_id_of_tid(tid: &[u8]) -> Option<u64> {
    tid.try_into().ok().map(u64::from_be_bytes)
}

pub(super) fn block_and_offset(tid: &[u8]) -> Result<(u32, u16)> {
    let parts = row_id_of_tid(tid).and_then(|row_id| {
        let block = u32::try_from(row_id / OFFSETS).ok()?;
        Some((block, (row_id % OFFSETS) as u16 + 1))
    });
    parts.ok_or_else(|| PgError::unsupported("the text form of ctid in a table with a primary key"))
}

pub(super) fn from_block_and_offset(block: u32, offset: u16) -> Value {
    tid_of_row_id((u64::from(block) * OFFSETS + u64::from(offset)).saturating_sub(1))
}

pub(super) fn tid_in(text: &str) -> Result<Value> {
    let parts = text.trim_start().strip_prefix('(').and_then(|rest| {
        let (block, rest) = rest.split_once(',')?;
        let (offset, _) = rest.split_once(')')?;
        Some((block.parse::<u32>().ok()?, offset.parse::<u16>().ok()?))
    });
    parts
        .map(|(block, offset)| from_block_and_offset(block, offset))
        .ok_or_else(|| invalid_syntax("tid", text))
}

pub(super) fn tid_out(tid: &[u8], out: &mut String) -> Result<()> {
    let (block, offset) = block_and_offset(tid)?;
    let _ = write!(out, "({block},{offset})");
    Ok(())
}
