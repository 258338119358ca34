//! Where things live in the store.

use bytes::{BufMut, Bytes, BytesMut};

use crate::ids::StorageId;

/// Bytes of the storage id in front of every key of `Space::Data`.
pub const PREFIX_BYTES: usize = 8;

/// The key of `Space::Data` for a key inside one storage.
pub fn data_key(storage: StorageId, key: &[u8]) -> Bytes {
    let mut out = BytesMut::with_capacity(PREFIX_BYTES + key.len());
    out.put_u64(storage.0);
    out.put_slice(key);
    out.freeze()
}

/// Takes the storage id off a key of `Space::Data`.
pub fn split_data_key(key: &[u8]) -> Option<(StorageId, &[u8])> {
    let (prefix, rest) = key.split_first_chunk::<PREFIX_BYTES>()?;
    Some((StorageId(u64::from_be_bytes(*prefix)), rest))
}

/// The first key of a storage, and the first one after it.
pub fn storage_bounds(storage: StorageId) -> (Bytes, Bytes) {
    (data_key(storage, &[]), data_key(StorageId(storage.0 + 1), &[]))
}

/// The key of a row in a table without primary key.
pub fn row_id_key(row_id: u64) -> [u8; 8] {
    row_id.to_be_bytes()
}

/// An index entry (without the storage id): key and value. `unique`: the index is unique and no part of the key is null.
pub fn index_entry(columns: &[u8], row_key: &[u8], unique: bool) -> (Vec<u8>, Vec<u8>) {
    if unique {
        return (columns.to_vec(), row_key.to_vec());
    }
    let mut key = Vec::with_capacity(columns.len() + row_key.len());
    key.extend_from_slice(columns);
    key.extend_from_slice(row_key);
    (key, row_key.to_vec())
}

/// The row's key in an index entry's value.
pub fn index_row_key(value: &Bytes) -> Bytes {
    value.clone()
}

/// The first key that does not begin with `prefix`; `None` where there is none.
pub fn prefix_end(prefix: &[u8]) -> Option<Vec<u8>> {
    let mut end = prefix.to_vec();
    while let Some(last) = end.pop() {
        if last < u8::MAX {
            end.push(last + 1);
            return Some(end);
        }
    }
    None
}
