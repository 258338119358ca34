//! The transaction's own writes, not yet in the store: several versions a key.
//!
//! ```text
//!  versions (in the order of writing)      0:a  1:b  2:a  3:c
//!  index (key → its newest version)        a→2 →(previous) 0     b→1     c→3
//! ```
//!
//! Each version carries the command that made it; a reader with a command limit sees the newest version of an earlier
//! command. The list of versions is the undo log: going back to a mark takes versions off its end. A transaction of few
//! writes keeps its index in a short sorted list, a larger one in trees.

use std::collections::BTreeMap;
use std::ops::Bound;

use bytes::Bytes;
use smallvec::SmallVec;

use crate::error::{PgError, Result, sqlstate};
use crate::ids::CommandId;
use crate::storage::{Direction, Space, Write};

/// Bytes counted for a version besides key and value.
const VERSION_BYTES: usize = 64;
/// Keys in the short list; past it, trees.
const SHORT_MAX: usize = 16;
/// No version before this one.
const NONE: u32 = u32::MAX;
#[derive(Debug)]
struct Version {
    space: Space,
    key: Bytes,
    value: Option<Bytes>,
    command: CommandId,
    /// The version of the same key before this one.
    previous: u32,
}

/// From a key to its newest version.
#[derive(Debug)]
enum Index {
    /// Sorted by space and key.
    Short(SmallVec<[u32; SHORT_MAX]>),
    /// One a space, in the order of `Space::ALL`.
    Trees(Box<[BTreeMap<Bytes, u32>; Space::ALL.len()]>),
}

/// Writes of one transaction.
#[derive(Debug)]
pub(super) struct WriteBuffer {
    versions: Vec<Version>,
    index: Index,
    bytes: usize,
}

impl Default for WriteBuffer {
    fn default() -> Self {
        WriteBuffer {
            versions: Vec::new(),
            index: Index::Short(SmallVec::new()),
            bytes: 0,
        }
    }
}

/// The place of a space among the trees.
fn place(space: Space) -> usize {
    Space::ALL
        .iter()
        .position(|one| *one == space)
        .expect("every space is listed")
}

/// A version's number; there are fewer than 2^32, as each takes `VERSION_BYTES` of a bounded size.
fn number(length: usize) -> u32 {
    u32::try_from(length).expect("the buffer's size is bounded")
}

impl WriteBuffer {
    pub(super) fn is_empty(&self) -> bool {
        self.versions.is_empty()
    }

    /// A place to go back to.
    pub(super) fn mark(&self) -> usize {
        self.versions.len()
    }

    /// # Errors
    /// 54000 past `bytes_max`.
    pub(super) fn set(
        &mut self,
        (space, key): (Space, Bytes),
        value: Option<Bytes>,
        command: CommandId,
        bytes_max: usize,
    ) -> Result<()> {
        let bytes = self.bytes + key.len() + value.as_ref().map_or(0, Bytes::len) + VERSION_BYTES;
        if bytes > bytes_max || self.versions.len() >= NONE as usize {
            return Err(too_large(bytes_max));
        }
        self.bytes = bytes;
        let fresh = number(self.versions.len());
        let previous = self.point_to(space, &key, fresh);
        self.versions.push(Version {
            space,
            key,
            value,
            command,
            previous,
        });
        Ok(())
    }

    /// Makes `fresh` the newest version of a key; answers the one before.
    fn point_to(&mut self, space: Space, key: &Bytes, fresh: u32) -> u32 {
        match &mut self.index {
            Index::Trees(trees) => trees[place(space)].insert(key.clone(), fresh).unwrap_or(NONE),
            Index::Short(list) => match find(&self.versions, list, space, key) {
                Ok(at) => std::mem::replace(&mut list[at], fresh),
                Err(at) if list.len() < SHORT_MAX => {
                    list.insert(at, fresh);
                    NONE
                }
                Err(_) => {
                    let mut trees: Box<[BTreeMap<Bytes, u32>; Space::ALL.len()]> = Box::default();
                    for newest in list.iter() {
                        let version = &self.versions[*newest as usize];
                        trees[place(version.space)].insert(version.key.clone(), *newest);
                    }
                    trees[place(space)].insert(key.clone(), fresh);
                    self.index = Index::Trees(trees);
                    NONE
                }
            },
        }
    }

    fn newest(&self, space: Space, key: &[u8]) -> Option<u32> {
        match &self.index {
            Index::Short(list) => find(&self.versions, list, space, key).ok().map(|at| list[at]),
            Index::Trees(trees) => trees[place(space)].get(key).copied(),
        }
    }

    /// The newest version that a command limit shows.
    fn visible(&self, newest: u32, limit: CommandId) -> Option<&Version> {
        let mut number = newest;
        while number != NONE {
            let version = &self.versions[number as usize];
            if version.command < limit {
                return Some(version);
            }
            number = version.previous;
        }
        None
    }

    /// What a command limit shows of a key: `None` where the buffer says nothing, `Some(None)` for a deleted key.
    pub(super) fn get(&self, space: Space, key: &[u8], limit: CommandId) -> Option<Option<Bytes>> {
        let newest = self.newest(space, key)?;
        self.visible(newest, limit).map(|version| version.value.clone())
    }

    /// The command that wrote the key last.
    pub(super) fn last_command(&self, space: Space, key: &[u8]) -> Option<CommandId> {
        let newest = self.newest(space, key)?;
        Some(self.versions[newest as usize].command)
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
        if self.is_empty() || is_empty(lower, upper) {
            return Box::new(std::iter::empty());
        }
        let pick = move |newest: u32| {
            let version = self.visible(newest, limit)?;
            Some((&version.key, &version.value))
        };
        match &self.index {
            Index::Short(list) => {
                let inside = self.short_range(list, space, lower, upper);
                match direction {
                    Direction::Forward => Box::new(inside.iter().copied().filter_map(pick)),
                    Direction::Backward => Box::new(inside.iter().rev().copied().filter_map(pick)),
                }
            }
            Index::Trees(trees) => {
                let bounds = (lower.as_ref().map(Bytes::as_ref), upper.as_ref().map(Bytes::as_ref));
                let inside = trees[place(space)].range::<[u8], _>(bounds).map(|(_, newest)| *newest);
                match direction {
                    Direction::Forward => Box::new(inside.filter_map(pick)),
                    Direction::Backward => Box::new(inside.rev().filter_map(pick)),
                }
            }
        }
    }

    fn short_range<'a>(&self, list: &'a [u32], space: Space, lower: &Bound<Bytes>, upper: &Bound<Bytes>) -> &'a [u32] {
        let before = |number: &u32| {
            let version = &self.versions[*number as usize];
            version.space < space
                || version.space == space
                    && match lower {
                        Bound::Included(key) => version.key < *key,
                        Bound::Excluded(key) => version.key <= *key,
                        Bound::Unbounded => false,
                    }
        };
        let inside = |number: &u32| {
            let version = &self.versions[*number as usize];
            version.space == space
                && match upper {
                    Bound::Included(key) => version.key <= *key,
                    Bound::Excluded(key) => version.key < *key,
                    Bound::Unbounded => true,
                }
        };
        let rest = &list[list.partition_point(before)..];
        &rest[..rest.partition_point(inside)]
    }

    /// Takes back every version added since the mark.
    pub(super) fn back_to(&mut self, mark: usize) {
        while self.versions.len() > mark {
            let version = self.versions.pop().expect("longer than the mark");
            self.bytes -= version.key.len() + version.value.as_ref().map_or(0, Bytes::len) + VERSION_BYTES;
            let going = number(self.versions.len());
            match &mut self.index {
                Index::Trees(trees) => {
                    let tree = &mut trees[place(version.space)];
                    if version.previous == NONE {
                        tree.remove(&version.key);
                    } else if let Some(newest) = tree.get_mut(&version.key) {
                        *newest = version.previous;
                    }
                }
                Index::Short(list) => {
                    let at = list.iter().position(|newest| *newest == going);
                    let at = at.expect("the last version written is the newest of its key");
                    if version.previous == NONE {
                        list.remove(at);
                    } else {
                        list[at] = version.previous;
                    }
                }
            }
        }
    }

    /// What the transaction leaves behind, in key order.
    pub(super) fn into_writes(mut self) -> Vec<Write> {
        let newest: Vec<u32> = match &self.index {
            Index::Short(list) => list.to_vec(),
            Index::Trees(trees) => trees.iter().flat_map(|tree| tree.values().copied()).collect(),
        };
        // The trees' keys go first, so that the versions' own are the last hold of them.
        self.index = Index::Short(SmallVec::new());
        let write = |newest: u32| {
            let version = &mut self.versions[newest as usize];
            let key = std::mem::take(&mut version.key);
            match version.value.take() {
                Some(value) => Write::Put(version.space, key, value),
                None => Write::Delete(version.space, key),
            }
        };
        newest.into_iter().map(write).collect()
    }
}

/// The place of a key in the short list, or where it would be.
fn find(versions: &[Version], list: &[u32], space: Space, key: &[u8]) -> std::result::Result<usize, usize> {
    list.binary_search_by(|number| {
        let version = &versions[*number as usize];
        (version.space, version.key.as_ref()).cmp(&(space, key))
    })
}

fn too_large(bytes_max: usize) -> PgError {
    PgError::new(
        sqlstate::PROGRAM_LIMIT_EXCEEDED,
        format!("transaction writes more than {} MB", bytes_max >> 20),
    )
    .hint("Split it into several transactions, load with COPY into a table made in the same transaction, or raise holdfast.max_transaction_size.")
}

/// Nothing can lie in the range; asking a `BTreeMap` for it would panic.
fn is_empty(lower: &Bound<Bytes>, upper: &Bound<Bytes>) -> bool {
    match (lower, upper) {
        (Bound::Included(lower), Bound::Included(upper)) => lower > upper,
        (Bound::Included(lower) | Bound::Excluded(lower), Bound::Excluded(upper) | Bound::Included(upper)) => lower >= upper,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(n: u32) -> Bytes {
        Bytes::copy_from_slice(&n.to_be_bytes())
    }

    fn set(buffer: &mut WriteBuffer, n: u32, value: Option<&'static [u8]>, command: u32) {
        let value = value.map(Bytes::from_static);
        buffer
            .set((Space::Data, key(n)), value, CommandId(command), 1 << 20)
            .expect("fits");
    }

    fn shown(buffer: &WriteBuffer, limit: u32, direction: Direction) -> Vec<u32> {
        let all = buffer.range(Space::Data, &Bound::Unbounded, &Bound::Unbounded, direction, CommandId(limit));
        all.filter(|(_, value)| value.is_some())
            .map(|(key, _)| u32::from_be_bytes(key.as_ref().try_into().expect("four bytes")))
            .collect()
    }

    /// The same steps below and above the short list's length.
    #[test]
    fn versions_marks_and_order_are_the_same_in_both_shapes() {
        for base in [0, 40] {
            let mut buffer = WriteBuffer::default();
            (100..100 + base).for_each(|n| set(&mut buffer, n, Some(b"x"), 1));
            set(&mut buffer, 7, Some(b"one"), 1);
            let mark = buffer.mark();
            set(&mut buffer, 3, Some(b"two"), 2);
            set(&mut buffer, 7, None, 2);
            assert_eq!(buffer.get(Space::Data, &key(7), CommandId(2)), Some(Some(Bytes::from("one"))));
            assert_eq!(buffer.get(Space::Data, &key(7), CommandId(3)), Some(None));
            assert_eq!(buffer.get(Space::Meta, &key(7), CommandId(3)), None);
            assert_eq!(buffer.last_command(Space::Data, &key(7)), Some(CommandId(2)));
            assert_eq!(shown(&buffer, 2, Direction::Forward)[0], 7);
            assert_eq!(shown(&buffer, 3, Direction::Forward)[0], 3);
            assert_eq!(shown(&buffer, 3, Direction::Backward).last(), Some(&3));
            assert_eq!(shown(&buffer, 3, Direction::Forward).len(), 1 + base as usize);
            buffer.back_to(mark);
            assert_eq!(shown(&buffer, 9, Direction::Forward)[0], 7);
            assert_eq!(buffer.get(Space::Data, &key(3), CommandId(9)), None);
            assert_eq!(buffer.into_writes().len(), 1 + base as usize);
        }
    }

    #[test]
    fn past_its_size_a_write_fails_and_leaves_nothing() {
        let mut buffer = WriteBuffer::default();
        let big = || Some(Bytes::from(vec![0; 900]));
        buffer.set((Space::Data, key(1)), big(), CommandId(1), 1_000).expect("fits");
        let error = buffer
            .set((Space::Data, key(2)), big(), CommandId(1), 1_000)
            .expect_err("is too much");
        assert_eq!(error.code(), sqlstate::PROGRAM_LIMIT_EXCEEDED);
        buffer.back_to(0);
        assert_eq!(buffer.bytes, 0);
        buffer
            .set((Space::Data, key(2)), big(), CommandId(1), 1_000)
            .expect("fits now");
    }
}
