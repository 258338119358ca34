//! Loading many rows into a storage that only this transaction knows: sorted files, past the buffer.
//!
//! [`Txn::bulk`] takes rows in any order: they are sorted in memory, past a limit in runs that are merged at the end, and a
//! key that comes twice is reported. [`Txn::bulk_ordered`] takes growing keys and sorts nothing.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write as _};

use super::transaction::Txn;
use crate::codec::layout;
use crate::error::{PgError, Result, sqlstate};
use crate::ids::StorageId;
use crate::storage::{BulkWriter, Space};

/// Bytes sorted in memory before they become a run in a file.
const RUN_BYTES: usize = 256 << 20;
/// Bytes counted for a pair besides its own.
const PAIR_BYTES: usize = 64;

type Pair = (Vec<u8>, Vec<u8>);

/// A bulk load under way. Dropped without `finish` it leaves nothing.
pub struct Bulk {
    storage: StorageId,
    writer: Box<dyn BulkWriter>,
    /// Keys grow: every pair goes straight to the writer.
    ordered: bool,
    unsorted: Vec<Pair>,
    unsorted_bytes: usize,
    runs: Vec<File>,
    rows: u64,
}

fn failed(error: &std::io::Error) -> PgError {
    PgError::new(sqlstate::IO_ERROR, format!("cannot use a temporary file: {error}"))
}

impl Txn {
    /// Starts a bulk load into a storage for which [`Txn::can_bulk`] holds.
    pub fn bulk(&self, storage: StorageId) -> Result<Bulk> {
        self.bulk_with(storage, false)
    }

    /// The same for keys that grow strictly.
    pub fn bulk_ordered(&self, storage: StorageId) -> Result<Bulk> {
        self.bulk_with(storage, true)
    }

    fn bulk_with(&self, storage: StorageId, ordered: bool) -> Result<Bulk> {
        Ok(Bulk {
            storage,
            writer: self.engine().store.bulk_writer(Space::Data)?,
            ordered,
            unsorted: Vec::new(),
            unsorted_bytes: 0,
            runs: Vec::new(),
            rows: 0,
        })
    }
}

impl Bulk {
    /// Adds a pair; keys without the storage's prefix.
    pub fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.rows += 1;
        if self.ordered {
            return self.write(key, value);
        }
        self.unsorted_bytes += key.len() + value.len() + PAIR_BYTES;
        self.unsorted.push((key.to_vec(), value.to_vec()));
        if self.unsorted_bytes >= RUN_BYTES {
            self.spill()
        } else {
            Ok(())
        }
    }

    pub fn rows(&self) -> u64 {
        self.rows
    }

    fn write(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.writer.put(&layout::data_key(self.storage, key), value)
    }

    fn sort(&mut self) -> Vec<Pair> {
        self.unsorted_bytes = 0;
        let mut pairs = std::mem::take(&mut self.unsorted);
        pairs.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        pairs
    }

    fn spill(&mut self) -> Result<()> {
        let mut file = BufWriter::new(unnamed_file()?);
        for (key, value) in self.sort() {
            let mut put = |bytes: &[u8]| -> std::io::Result<()> {
                let length = u32::try_from(bytes.len()).expect("a key or value is under 1 GB");
                file.write_all(&length.to_le_bytes())?;
                file.write_all(bytes)
            };
            put(&key).and_then(|()| put(&value)).map_err(|error| failed(&error))?;
        }
        self.runs.push(file.into_inner().map_err(|error| failed(error.error()))?);
        Ok(())
    }

    /// Makes the rows part of the storage; `txn` sees them from now on. Answers a key that came twice, in which case nothing
    /// was added.
    pub fn finish(mut self, txn: &Txn) -> Result<Option<Vec<u8>>> {
        let duplicate = if self.runs.is_empty() {
            self.write_sorted()?
        } else {
            self.merge()?
        };
        if duplicate.is_some() {
            return Ok(duplicate);
        }
        self.writer.finish()?;
        txn.state.lock().own_snapshot = Some(txn.engine().store.snapshot()?);
        Ok(None)
    }

    fn write_sorted(&mut self) -> Result<Option<Vec<u8>>> {
        let pairs = self.sort();
        if let Some(twice) = pairs.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Ok(Some(twice[0].0.clone()));
        }
        for (key, value) in pairs {
            self.write(&key, &value)?;
        }
        Ok(None)
    }

    fn merge(&mut self) -> Result<Option<Vec<u8>>> {
        self.spill()?;
        let mut runs: Vec<Run> = std::mem::take(&mut self.runs)
            .into_iter()
            .map(Run::open)
            .collect::<Result<_>>()?;
        let mut heap = BinaryHeap::new();
        for (number, run) in runs.iter_mut().enumerate() {
            if let Some(pair) = run.next()? {
                heap.push(Reverse((pair, number)));
            }
        }
        let mut last: Option<Vec<u8>> = None;
        while let Some(Reverse(((key, value), number))) = heap.pop() {
            if last.as_ref() == Some(&key) {
                return Ok(Some(key));
            }
            self.write(&key, &value)?;
            last = Some(key);
            if let Some(next) = runs[number].next()? {
                heap.push(Reverse((next, number)));
            }
        }
        Ok(None)
    }
}

/// A sorted run being read.
struct Run(BufReader<File>);

impl Run {
    fn open(mut file: File) -> Result<Self> {
        file.seek(SeekFrom::Start(0)).map_err(|error| failed(&error))?;
        Ok(Run(BufReader::new(file)))
    }

    fn next(&mut self) -> Result<Option<Pair>> {
        let Some(key) = self.read()? else { return Ok(None) };
        let value = self
            .read()?
            .ok_or_else(|| PgError::internal("a sorted run ends inside a pair"))?;
        Ok(Some((key, value)))
    }

    fn read(&mut self) -> Result<Option<Vec<u8>>> {
        let mut length = [0; 4];
        match self.0.read_exact(&mut length) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) => return Err(failed(&error)),
        }
        let mut bytes = vec![0; u32::from_le_bytes(length) as usize];
        self.0.read_exact(&mut bytes).map_err(|error| failed(&error))?;
        Ok(Some(bytes))
    }
}

/// A temporary file without a name: it goes with its handle.
fn unnamed_file() -> Result<File> {
    let path = std::env::temp_dir().join(format!("holdfast-{}-{:016x}", std::process::id(), rand::random::<u64>()));
    let file = File::options()
        .read(true)
        .write(true)
        .create_new(true)
        .open(&path)
        .map_err(|error| failed(&error))?;
    std::fs::remove_file(&path).map_err(|error| failed(&error))?;
    Ok(file)
}
