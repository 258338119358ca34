//! The transaction's own writes, not yet in the store: several versions a key.
//!
//! Each version carries the command and the subtransaction that made it. A reader with a command limit sees the newest
//! version of an earlier command; ROLLBACK TO takes the newest versions away.

use std::collections::BTreeMap;
use std::ops::Bound;

use bytes::Bytes;
use smallvec::SmallVec;

use crate::error::{PgError, Result, sqlstate};
use crate::ids::CommandId;
use crate::storage::{Direction, Space, Write};

/// Bytes counted for a version besides key and value.
const VERSION_BYTES: usize = 64;

#[derive(Clone, Debug)]
struct Version {
    command: CommandId,
    value: Option<Bytes>,
}

/// A key of any space.
type Key = (Space, Bytes);

/// Writes of one transaction.
#[derive(Debug, Default)]
pub(super) struct WriteBuffer {
    entries: BTreeMap<Key, SmallVec<[Version; 1]>>,
    /// Keys in the order in which their versions were added.
    log: Vec<Key>,
    bytes: usize,
}

impl WriteBuffer {
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// A place to go back to.
    pub(super) fn mark(&self) -> usize {
        self.log.len()
    }

    /// # Errors
    /// 54000 past `bytes_max`.
    pub(super) fn set(&mut self, key: Key, value: Option<Bytes>, command: CommandId, bytes_max: usize) -> Result<()> {
        self.bytes += key.1.len() + value.as_ref().map_or(0, Bytes::len) + VERSION_BYTES;
        if self.bytes > bytes_max {
            return Err(PgError::new(
                sqlstate::PROGRAM_LIMIT_EXCEEDED,
                format!("transaction writes more than {} MB", bytes_max >> 20),
            )
            .hint("Split it into several transactions, load with COPY into a table made in the same transaction, or raise holdfast.max_transaction_size."));
        }
        self.log.push(key.clone());
        self.entries.entry(key).or_default().push(Version { command, value });
        Ok(())
    }

    /// The version that a command limit shows: `None` where the buffer says nothing, `Some(None)` for a deleted key.
    pub(super) fn get(&self, key: &Key, limit: CommandId) -> Option<Option<Bytes>> {
        visible(self.entries.get(key)?, limit).cloned()
    }

    /// The command that wrote the key last.
    pub(super) fn last_command(&self, key: &Key) -> Option<CommandId> {
        self.entries.get(key)?.last().map(|version| version.command)
    }

    /// Keys in a range, in order, as a command limit shows them.
    pub(super) fn range<'a>(
        &'a self,
        space: Space,
        lower: &Bound<Bytes>,
        upper: &Bound<Bytes>,
        direction: Direction,
        limit: CommandId,
    ) -> Box<dyn Iterator<Item = (&'a Bytes, &'a Option<Bytes>)> + 'a> {
        let with_space = |bound: &Bound<Bytes>, unbounded: Bound<Key>| match bound {
            Bound::Included(key) => Bound::Included((space, key.clone())),
            Bound::Excluded(key) => Bound::Excluded((space, key.clone())),
            Bound::Unbounded => unbounded,
        };
        if self.entries.is_empty() || is_empty(lower, upper) {
            return Box::new(std::iter::empty());
        }
        let lower = with_space(lower, Bound::Included((space, Bytes::new())));
        let upper = with_space(upper, Bound::Unbounded);
        let pick = move |(key, versions): (&'a Key, &'a SmallVec<[Version; 1]>)| {
            if key.0 != space {
                return None;
            }
            visible(versions, limit).map(|value| (&key.1, value))
        };
        let range = self.entries.range((lower, upper));
        match direction {
            Direction::Forward => Box::new(range.filter_map(pick)),
            Direction::Backward => Box::new(range.rev().filter_map(pick)),
        }
    }

    /// Takes back every version added since the mark.
    pub(super) fn back_to(&mut self, mark: usize) {
        while self.log.len() > mark {
            let key = self.log.pop().expect("longer than the mark");
            let versions = self.entries.get_mut(&key).expect("a logged key has a version");
            let version = versions.pop().expect("a logged key has a version");
            self.bytes -= key.1.len() + version.value.as_ref().map_or(0, Bytes::len) + VERSION_BYTES;
            if versions.is_empty() {
                self.entries.remove(&key);
            }
        }
    }

    /// What the transaction leaves behind, in key order.
    pub(super) fn into_writes(self) -> Vec<Write> {
        self.entries
            .into_iter()
            .filter_map(|((space, key), mut versions)| {
                Some(match versions.pop()?.value {
                    Some(value) => Write::Put(space, key, value),
                    None => Write::Delete(space, key),
                })
            })
            .collect()
    }
}

fn visible(versions: &[Version], limit: CommandId) -> Option<&Option<Bytes>> {
    versions
        .iter()
        .rev()
        .find(|version| version.command < limit)
        .map(|version| &version.value)
}

/// Nothing can lie in the range; asking a `BTreeMap` for it would panic.
fn is_empty(lower: &Bound<Bytes>, upper: &Bound<Bytes>) -> bool {
    match (lower, upper) {
        (Bound::Included(lower), Bound::Included(upper)) => lower > upper,
        (Bound::Included(lower) | Bound::Excluded(lower), Bound::Excluded(upper) | Bound::Included(upper)) => lower >= upper,
        _ => false,
    }
}
