//! The store on RocksDB. Snapshots and iterators borrow the database; `self_cell` holds them together with it.

use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use rocksdb::{
    BlockBasedOptions, Cache, ColumnFamily, ColumnFamilyDescriptor, DB, DBCompressionType, DBRawIterator,
    IngestExternalFileOptions, Options, Range, ReadOptions, Snapshot, SstFileWriter, WriteBatch, WriteOptions,
};
use self_cell::self_cell;

use super::{BulkWriter, Direction, KeyRange, PreparedWrites, Space, Store, StoreIter, StoreSnapshot, Write};
use crate::error::{PgError, Result, sqlstate};

/// Version of the on-disk format; another one is refused.
pub const FORMAT_VERSION: u32 = 1;

const FORMAT_FILE: &str = "HOLDFAST_FORMAT";
const STORE_FOLDER: &str = "store";
const BULK_FOLDER: &str = "bulk";
/// Bytes after which a bulk load starts another file.
const BULK_FILE_BYTES: u64 = 256 << 20;

/// Sizes that a deployment may want to change.
#[derive(Clone, Debug)]
pub struct RocksOptions {
    /// Block cache in bytes, shared by all spaces.
    pub cache_bytes: usize,
    /// Memtable of the data space in bytes.
    pub memtable_bytes: usize,
    pub background_jobs: i32,
}

impl Default for RocksOptions {
    fn default() -> Self {
        RocksOptions {
            cache_bytes: 512 << 20,
            memtable_bytes: 64 << 20,
            background_jobs: 2,
        }
    }
}

/// A store in a folder.
pub struct RocksStore {
    db: Arc<DB>,
    bulk_folder: PathBuf,
    next_file: AtomicU64,
    write_options: WriteOptions,
}

self_cell!(
    struct SnapshotCell {
        owner: Arc<DB>,
        #[covariant]
        dependent: Snapshot,
    }
);

self_cell!(
    struct IteratorCell {
        owner: Arc<RocksSnapshot>,
        #[covariant]
        dependent: DBRawIterator,
    }
);

struct RocksSnapshot(SnapshotCell);

struct RocksIter {
    cell: IteratorCell,
    direction: Direction,
    position: Position,
}

/// Where an iterator stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    /// Nowhere yet.
    Start,
    /// On a pair that has not been given.
    Before,
    /// On the pair that was given last.
    On,
}

fn space_name(space: Space) -> &'static str {
    match space {
        Space::Data => "data",
        Space::Catalog => "catalog",
        Space::Meta => "meta",
        Space::Ownership => "ownership",
        Space::Log => "log",
    }
}

fn io_error(what: &str, error: impl std::fmt::Display) -> PgError {
    PgError::new(sqlstate::IO_ERROR, format!("{what}: {error}"))
}

impl RocksStore {
    /// Opens the store in `folder`, makes it where there is none.
    ///
    /// # Errors
    /// 55006 where another server uses the folder, 0A000 for another format version, 58030 for whatever the disk refuses.
    pub fn open(folder: &Path, options: &RocksOptions) -> Result<RocksStore> {
        let shown = folder.display();
        std::fs::create_dir_all(folder).map_err(|error| io_error(&format!("cannot create data directory \"{shown}\""), error))?;
        check_format(folder)?;
        let bulk_folder = folder.join(BULK_FOLDER);
        let store_folder = folder.join(STORE_FOLDER);
        let cache = Cache::new_lru_cache(options.cache_bytes);
        let families =
            Space::ALL.map(|space| ColumnFamilyDescriptor::new(space_name(space), family_options(space, options, &cache)));
        let db = DB::open_cf_descriptors(&database_options(options), &store_folder, families).map_err(|error| {
            if error.to_string().contains("lock") {
                PgError::new(
                    sqlstate::OBJECT_IN_USE,
                    format!("data directory \"{shown}\" is in use by another holdfast server"),
                )
            } else {
                io_error(&format!("cannot open data directory \"{shown}\""), error)
            }
        })?;
        // Files of bulk loads that a crash interrupted before they were ingested.
        if bulk_folder.exists() {
            std::fs::remove_dir_all(&bulk_folder).map_err(|error| io_error("cannot clear the bulk folder", error))?;
        }
        std::fs::create_dir_all(&bulk_folder).map_err(|error| io_error("cannot create the bulk folder", error))?;
        let mut write_options = WriteOptions::default();
        write_options.set_sync(false);
        Ok(RocksStore {
            db: Arc::new(db),
            bulk_folder,
            next_file: AtomicU64::new(1),
            write_options,
        })
    }

    fn family(&self, space: Space) -> &ColumnFamily {
        family(&self.db, space)
    }
}

fn family(db: &DB, space: Space) -> &ColumnFamily {
    db.cf_handle(space_name(space)).expect("every space is opened with the store")
}

fn check_format(folder: &Path) -> Result<()> {
    let file = folder.join(FORMAT_FILE);
    match std::fs::read_to_string(&file) {
        Ok(text) if text.trim() == FORMAT_VERSION.to_string() => Ok(()),
        Ok(text) => Err(PgError::new(
            sqlstate::FEATURE_NOT_SUPPORTED,
            format!(
                "data directory \"{}\" has format version {}, this holdfast reads version {FORMAT_VERSION}",
                folder.display(),
                text.trim()
            ),
        )),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            if folder.join(STORE_FOLDER).exists() {
                return Err(PgError::new(
                    sqlstate::DATA_CORRUPTED,
                    format!("data directory \"{}\" has no format version", folder.display()),
                ));
            }
            std::fs::write(&file, format!("{FORMAT_VERSION}\n"))
                .map_err(|error| io_error(&format!("cannot write to data directory \"{}\"", folder.display()), error))
        }
        Err(error) => Err(io_error(
            &format!("cannot read data directory \"{}\"", folder.display()),
            error,
        )),
    }
}

fn database_options(options: &RocksOptions) -> Options {
    let mut database = Options::default();
    database.create_if_missing(true);
    database.create_missing_column_families(true);
    database.set_max_background_jobs(options.background_jobs);
    // A recycled log file is already allocated: a sync then writes data only, no metadata.
    database.set_recycle_log_file_num(4);
    database.set_max_total_wal_size(1 << 30);
    database.set_keep_log_file_num(4);
    database.set_max_open_files(4096);
    database.set_bytes_per_sync(1 << 20);
    database
}

fn family_options(space: Space, options: &RocksOptions, cache: &Cache) -> Options {
    let mut blocks = BlockBasedOptions::default();
    blocks.set_block_cache(cache);
    blocks.set_bloom_filter(10.0, false);
    blocks.set_whole_key_filtering(true);
    blocks.set_cache_index_and_filter_blocks(true);
    blocks.set_pin_l0_filter_and_index_blocks_in_cache(true);
    blocks.set_format_version(5);
    blocks.set_block_size(8 << 10);
    let mut family = Options::default();
    family.set_block_based_table_factory(&blocks);
    family.set_compression_per_level(&[
        DBCompressionType::None,
        DBCompressionType::None,
        DBCompressionType::Lz4,
        DBCompressionType::Lz4,
        DBCompressionType::Lz4,
        DBCompressionType::Lz4,
        DBCompressionType::Zstd,
    ]);
    family.set_memtable_whole_key_filtering(true);
    family.set_memtable_prefix_bloom_ratio(0.02);
    if space == Space::Data {
        family.set_write_buffer_size(options.memtable_bytes);
        family.set_max_write_buffer_number(4);
        // A queue's head is a field of tombstones: files that are full of them are compacted early.
        family.add_compact_on_deletion_collector_factory(1 << 16, 1 << 14, 0.5);
    } else {
        family.set_write_buffer_size(8 << 20);
    }
    family
}

impl Store for RocksStore {
    fn snapshot(&self) -> Result<Arc<dyn StoreSnapshot>> {
        Ok(Arc::new(RocksSnapshot(SnapshotCell::new(Arc::clone(&self.db), |db| {
            db.snapshot()
        }))))
    }

    fn write(&self, writes: &[Write]) -> Result<()> {
        let mut batch = WriteBatch::default();
        for write in writes {
            match write {
                Write::Put(space, key, value) => batch.put_cf(self.family(*space), key, value),
                Write::Delete(space, key) => batch.delete_cf(self.family(*space), key),
                Write::DeleteRange(space, from, to) => batch.delete_range_cf(self.family(*space), from.as_ref(), to.as_ref()),
            }
        }
        self.db
            .write_opt(batch, &self.write_options)
            .map_err(|error| io_error("cannot write to the store", error))
    }

    fn sync(&self) -> Result<()> {
        self.db
            .flush_wal(true)
            .map_err(|error| io_error("cannot sync the store's log", error))
    }

    fn prepare(&self, space: Space, changes: &[(Bytes, Option<Bytes>)]) -> Result<Box<dyn PreparedWrites>> {
        let stem = self.next_file.fetch_add(1, Ordering::Relaxed);
        let prepared = RocksPrepared {
            db: Arc::clone(&self.db),
            space,
            file: self.bulk_folder.join(format!("{stem}-large.sst")),
        };
        let failed = |error| io_error("cannot write the file of a large commit", error);
        let options = file_options();
        let mut writer = SstFileWriter::create(&options);
        writer.open(&prepared.file).map_err(failed)?;
        for (key, value) in changes {
            match value {
                Some(value) => writer.put(key, value).map_err(failed)?,
                None => writer.delete(key).map_err(failed)?,
            }
        }
        writer.finish().map_err(failed)?;
        // The memtable has to go before a file with keys of its range is taken in. Here nobody waits for that, and what
        // is left to do then is what has been written meanwhile.
        self.db
            .flush_cf(self.family(space))
            .map_err(|error| io_error("cannot flush the store", error))?;
        Ok(Box::new(prepared))
    }

    fn bulk_writer(&self, space: Space) -> Result<Box<dyn BulkWriter>> {
        Ok(Box::new(RocksBulk {
            db: Arc::clone(&self.db),
            space,
            folder: self.bulk_folder.clone(),
            stem: self.next_file.fetch_add(1, Ordering::Relaxed),
            files: Vec::new(),
            pending: Vec::new(),
            pending_bytes: 0,
        }))
    }

    fn drop_range(&self, space: Space, from: &[u8], to: &[u8]) -> Result<()> {
        let gone = |error| io_error("cannot remove dropped rows", error);
        self.db.delete_file_in_range_cf(self.family(space), from, to).map_err(gone)?;
        self.db.delete_range_cf(self.family(space), from, to).map_err(gone)
    }

    fn compact(&self, space: Space, range: KeyRange) -> Result<()> {
        let bytes = |bound: Bound<Bytes>| match bound {
            Bound::Included(key) | Bound::Excluded(key) => Some(key),
            Bound::Unbounded => None,
        };
        self.db
            .compact_range_cf(self.family(space), bytes(range.lower), bytes(range.upper));
        Ok(())
    }

    fn approximate_size(&self, space: Space, from: &[u8], to: &[u8]) -> Result<u64> {
        Ok(self
            .db
            .get_approximate_sizes_cf(self.family(space), &[Range::new(from, to)])
            .into_iter()
            .sum())
    }
}

impl StoreSnapshot for RocksSnapshot {
    fn get(&self, space: Space, key: &[u8]) -> Result<Option<Bytes>> {
        let found = self.0.borrow_dependent().get_cf(family(self.0.borrow_owner(), space), key);
        Ok(found
            .map_err(|error| io_error("cannot read the store", error))?
            .map(Bytes::from))
    }

    fn multi_get(&self, space: Space, keys: &[Bytes]) -> Result<Vec<Option<Bytes>>> {
        let family = family(self.0.borrow_owner(), space);
        self.0
            .borrow_dependent()
            .multi_get_cf(keys.iter().map(|key| (family, key)))
            .into_iter()
            .map(|found| {
                Ok(found
                    .map_err(|error| io_error("cannot read the store", error))?
                    .map(Bytes::from))
            })
            .collect()
    }

    fn iter(self: Arc<Self>, space: Space, range: KeyRange, direction: Direction) -> Result<Box<dyn StoreIter>> {
        let mut options = ReadOptions::default();
        match range.lower {
            Bound::Included(key) => options.set_iterate_lower_bound(key),
            Bound::Excluded(key) => options.set_iterate_lower_bound(after(&key)),
            Bound::Unbounded => {}
        }
        match range.upper {
            Bound::Included(key) => options.set_iterate_upper_bound(after(&key)),
            Bound::Excluded(key) => options.set_iterate_upper_bound(key),
            Bound::Unbounded => {}
        }
        let cell = IteratorCell::new(self, |snapshot| {
            let family = family(snapshot.0.borrow_owner(), space);
            snapshot.0.borrow_dependent().raw_iterator_cf_opt(family, options)
        });
        Ok(Box::new(RocksIter {
            cell,
            direction,
            position: Position::Start,
        }))
    }
}

/// The next possible key.
fn after(key: &[u8]) -> Vec<u8> {
    let mut next = key.to_vec();
    next.push(0);
    next
}

impl StoreIter for RocksIter {
    fn next(&mut self) -> Result<Option<(&[u8], &[u8])>> {
        let (direction, position) = (self.direction, self.position);
        self.position = Position::On;
        self.cell.with_dependent_mut(|_, iter| {
            match (position, direction) {
                (Position::Start, Direction::Forward) => iter.seek_to_first(),
                (Position::Start, Direction::Backward) => iter.seek_to_last(),
                (Position::On, Direction::Forward) if iter.valid() => iter.next(),
                (Position::On, Direction::Backward) if iter.valid() => iter.prev(),
                (Position::On | Position::Before, _) => {}
            }
            iter.status().map_err(|error| io_error("cannot read the store", error))
        })?;
        Ok(self.cell.borrow_dependent().item())
    }

    fn seek(&mut self, key: &[u8]) -> Result<()> {
        let direction = self.direction;
        self.position = Position::Before;
        self.cell.with_dependent_mut(|_, iter| {
            match direction {
                Direction::Forward => iter.seek(key),
                Direction::Backward => iter.seek_for_prev(key),
            }
            iter.status().map_err(|error| io_error("cannot read the store", error))
        })
    }

    fn take_skipped(&mut self) -> u64 {
        0
    }
}

/// Options of files that are written beside the store.
fn file_options() -> Options {
    let mut options = Options::default();
    options.set_compression_type(DBCompressionType::Lz4);
    // Little by little: syncs of the log do not wait behind the whole file.
    options.set_bytes_per_sync(1 << 20);
    let mut blocks = BlockBasedOptions::default();
    blocks.set_bloom_filter(10.0, false);
    blocks.set_format_version(5);
    options.set_block_based_table_factory(&blocks);
    options
}

fn ingest(db: &DB, space: Space, files: Vec<PathBuf>) -> Result<()> {
    let mut options = IngestExternalFileOptions::default();
    options.set_move_files(true);
    db.ingest_external_file_cf_opts(family(db, space), &options, files)
        .map_err(|error| io_error("cannot take in a file", error))
}

struct RocksPrepared {
    db: Arc<DB>,
    space: Space,
    file: PathBuf,
}

impl PreparedWrites for RocksPrepared {
    fn take_in(self: Box<Self>) -> Result<()> {
        ingest(&self.db, self.space, vec![self.file.clone()])
    }
}

impl Drop for RocksPrepared {
    fn drop(&mut self) {
        // Gone where it was taken in; a file that is left is removed at the next start anyway.
        let _ = std::fs::remove_file(&self.file);
    }
}

struct RocksBulk {
    db: Arc<DB>,
    space: Space,
    folder: PathBuf,
    stem: u64,
    files: Vec<PathBuf>,
    pending: Vec<(Vec<u8>, Vec<u8>)>,
    pending_bytes: u64,
}

impl RocksBulk {
    fn write_file(&mut self) -> Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let failed = |error| io_error("cannot write a bulk file", error);
        let path = self.folder.join(format!("{}-{}.sst", self.stem, self.files.len()));
        let options = file_options();
        let mut writer = SstFileWriter::create(&options);
        writer.open(&path).map_err(failed)?;
        for (key, value) in self.pending.drain(..) {
            writer.put(key, value).map_err(failed)?;
        }
        writer.finish().map_err(failed)?;
        self.pending_bytes = 0;
        self.files.push(path);
        Ok(())
    }
}

impl BulkWriter for RocksBulk {
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        self.pending_bytes += (key.len() + value.len()) as u64;
        self.pending.push((key.to_vec(), value.to_vec()));
        if self.pending_bytes >= BULK_FILE_BYTES / 8 {
            self.write_file()
        } else {
            Ok(())
        }
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.write_file()?;
        if self.files.is_empty() {
            return Ok(());
        }
        let files = std::mem::take(&mut self.files);
        ingest(&self.db, self.space, files)
    }
}

impl Drop for RocksBulk {
    fn drop(&mut self) {
        for file in &self.files {
            // Left files are removed at the next start anyway.
            let _ = std::fs::remove_file(file);
        }
    }
}
