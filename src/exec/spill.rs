//! Rows in temporary files: sorted runs, and rows set aside.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};

use super::row::Row;
use crate::codec::row::{decode_any, encode_any};
use crate::error::{PgError, Result, sqlstate};
use crate::types::Value;

/// Files of rows, in order of writing. Each is unlinked from the start, so nothing stays behind.
#[derive(Default)]
pub struct Runs {
    files: Vec<File>,
}

impl Runs {
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Writes a run.
    pub fn add(&mut self, rows: impl Iterator<Item = Row>) -> Result<()> {
        let mut writer = BufWriter::with_capacity(1 << 16, temporary_file()?);
        let mut bytes = Vec::new();
        for row in rows {
            bytes.clear();
            encode_row(&row, &mut bytes);
            let len = u32::try_from(bytes.len()).map_err(|_| PgError::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, "row is too big"))?;
            writer
                .write_all(&len.to_le_bytes())
                .and_then(|()| writer.write_all(&bytes))
                .map_err(io_error)?;
        }
        let mut file = writer.into_inner().map_err(|error| io_error(error.into_error()))?;
        file.seek(SeekFrom::Start(0)).map_err(io_error)?;
        self.files.push(file);
        Ok(())
    }

    pub fn readers(self) -> Result<Vec<RunReader>> {
        Ok(self
            .files
            .into_iter()
            .map(|file| RunReader {
                reader: BufReader::with_capacity(1 << 16, file),
                bytes: Vec::new(),
            })
            .collect())
    }
}

/// Reads a run.
pub struct RunReader {
    reader: BufReader<File>,
    bytes: Vec<u8>,
}

impl RunReader {
    pub fn next(&mut self) -> Result<Option<Row>> {
        let mut len = [0; 4];
        match self.reader.read_exact(&mut len) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) => return Err(io_error(error)),
        }
        self.bytes.resize(u32::from_le_bytes(len) as usize, 0);
        self.reader.read_exact(&mut self.bytes).map_err(io_error)?;
        decode_row(&self.bytes).map(Some)
    }
}

fn temporary_file() -> Result<File> {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("holdfast-{}-{number}.tmp", std::process::id()));
    let file = File::options()
        .read(true)
        .write(true)
        .create_new(true)
        .open(&path)
        .map_err(io_error)?;
    std::fs::remove_file(&path).map_err(io_error)?;
    Ok(file)
}

fn io_error(error: std::io::Error) -> PgError {
    let code = if error.kind() == std::io::ErrorKind::StorageFull {
        sqlstate::DISK_FULL
    } else {
        sqlstate::IO_ERROR
    };
    PgError::new(code, format!("could not write to a temporary file: {error}"))
}

fn encode_row(row: &[Value], out: &mut Vec<u8>) {
    for value in row {
        encode_any(value, out);
    }
}

fn decode_row(mut bytes: &[u8]) -> Result<Row> {
    let mut row = Vec::new();
    while !bytes.is_empty() {
        row.push(decode_any(&mut bytes)?);
    }
    Ok(row)
}
