//! What can be locked.

use crate::ids::{Oid, StorageId};

/// Key of an advisory lock: the one-argument and the two-argument spaces are apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AdvisoryKey {
    Big(i64),
    Pair(i32, i32),
}

/// A thing that transactions lock.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    Relation {
        database: Oid,
        relation: Oid,
    },
    /// A row of a table, by its storage key.
    Record {
        database: Oid,
        relation: Oid,
        storage: StorageId,
        key: Box<[u8]>,
    },
    Advisory {
        database: Oid,
        key: AdvisoryKey,
    },
    /// A value of a unique index that is being inserted or removed (also a name in the catalog).
    Key {
        database: Oid,
        relation: Oid,
        storage: StorageId,
        key: Box<[u8]>,
    },
}
