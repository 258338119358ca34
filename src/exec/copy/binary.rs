//! COPY's binary format (PostgreSQL 15 docs, COPY, "Binary Format").

use std::ops::Range;

use super::{CopySource, bad_format};
use crate::error::{PgError, Result};

pub const SIGNATURE: &[u8; 11] = b"PGCOPY\n\xff\r\n\0";
/// Bits of the flags that a reader must understand.
const CRITICAL: u32 = 0xffff_0000;
const WITH_OIDS: u32 = 1 << 16;

/// Reads tuples from a source.
#[derive(Default)]
pub struct BinaryReader {
    buffer: Vec<u8>,
    at: usize,
    ended: bool,
    /// Fields of the tuple that was read last.
    fields: Vec<Option<Range<usize>>>,
}

impl BinaryReader {
    /// Makes sure that `count` bytes are there; false at the end of the data.
    async fn need(&mut self, source: &mut dyn CopySource, count: usize) -> Result<bool> {
        while self.buffer.len() - self.at < count && !self.ended {
            match source.next().await? {
                Some(data) => self.buffer.extend_from_slice(&data),
                None => self.ended = true,
            }
        }
        Ok(self.buffer.len() - self.at >= count)
    }

    fn take<const N: usize>(&mut self) -> [u8; N] {
        let bytes = self.buffer[self.at..self.at + N]
            .try_into()
            .expect("the caller made sure of the bytes");
        self.at += N;
        bytes
    }

    async fn integer(&mut self, source: &mut dyn CopySource, missing: &str) -> Result<u32> {
        if !self.need(source, 4).await? {
            return Err(bad_format(missing));
        }
        Ok(u32::from_be_bytes(self.take()))
    }

    pub async fn header(&mut self, source: &mut dyn CopySource) -> Result<()> {
        if !self.need(source, SIGNATURE.len()).await? || self.take::<11>() != *SIGNATURE {
            return Err(bad_format("COPY file signature not recognized"));
        }
        let flags = self.integer(source, "invalid COPY file header (missing flags)").await?;
        if flags & WITH_OIDS != 0 {
            return Err(bad_format("invalid COPY file header (WITH OIDS)"));
        }
        if flags & CRITICAL != 0 {
            return Err(bad_format("unrecognized critical flags in COPY file header"));
        }
        let extension = self.integer(source, "invalid COPY file header (missing length)").await? as usize;
        if !self.need(source, extension).await? {
            return Err(bad_format("invalid COPY file header (wrong length)"));
        }
        self.at += extension;
        Ok(())
    }

    /// Reads a tuple; false at the trailer or the end.
    pub async fn tuple(&mut self, source: &mut dyn CopySource, expected: usize) -> Result<bool> {
        self.buffer.drain(..self.at);
        self.at = 0;
        self.fields.clear();
        if !self.need(source, 2).await? {
            return Ok(false);
        }
        let count = i16::from_be_bytes(self.take());
        if count == -1 {
            if self.need(source, 1).await? {
                return Err(bad_format("received copy data after EOF marker"));
            }
            return Ok(false);
        }
        if usize::try_from(count) != Ok(expected) {
            return Err(bad_format(format!("row field count is {count}, expected {expected}")));
        }
        for _ in 0..expected {
            let length = self.integer(source, "unexpected EOF in COPY data").await?.cast_signed();
            if length == -1 {
                self.fields.push(None);
                continue;
            }
            let Ok(length) = usize::try_from(length) else {
                return Err(bad_format("invalid field size"));
            };
            if length > crate::limits::VALUE_BYTES_MAX {
                return Err(bad_format("invalid field size"));
            }
            if !self.need(source, length).await? {
                return Err(bad_format("unexpected EOF in COPY data"));
            }
            self.fields.push(Some(self.at..self.at + length));
            self.at += length;
        }
        Ok(true)
    }

    pub fn field(&self, at: usize) -> Option<&[u8]> {
        self.fields[at].clone().map(|place| &self.buffer[place])
    }

    /// Takes whatever else comes.
    pub async fn drain(&mut self, source: &mut dyn CopySource) -> Result<()> {
        while !self.ended {
            self.ended = source.next().await?.is_none();
        }
        Ok(())
    }
}

/// Signature, flags and an empty extension.
pub fn write_header(out: &mut Vec<u8>) {
    out.extend_from_slice(SIGNATURE);
    out.extend_from_slice(&[0; 8]);
}

/// Appends a field that `write` makes.
pub fn write_field(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>) -> Result<()>) -> Result<()> {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    write(out)?;
    let length = i32::try_from(out.len() - start - 4).map_err(|_| PgError::internal("a value of over 2 GB"))?;
    out[start..start + 4].copy_from_slice(&length.to_be_bytes());
    Ok(())
}
