//! What can be locked.

use std::fmt;
use std::hash::Hasher;

use rustc_hash::FxHasher;

use crate::ids::{Oid, StorageId};
use crate::lock::mode::Kind;

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

/// A [`Target`] whose key is borrowed: what a request names, so that a lock costs no allocation before it is new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetRef<'a> {
    Relation {
        database: Oid,
        relation: Oid,
    },
    Record {
        database: Oid,
        relation: Oid,
        storage: StorageId,
        key: &'a [u8],
    },
    Advisory {
        database: Oid,
        key: AdvisoryKey,
    },
    Key {
        database: Oid,
        relation: Oid,
        storage: StorageId,
        key: &'a [u8],
    },
}

impl Target {
    pub fn as_ref(&self) -> TargetRef<'_> {
        match *self {
            Target::Relation { database, relation } => TargetRef::Relation { database, relation },
            Target::Record {
                database,
                relation,
                storage,
                ref key,
            } => TargetRef::Record {
                database,
                relation,
                storage,
                key,
            },
            Target::Advisory { database, key } => TargetRef::Advisory { database, key },
            Target::Key {
                database,
                relation,
                storage,
                ref key,
            } => TargetRef::Key {
                database,
                relation,
                storage,
                key,
            },
        }
    }

    pub fn database(&self) -> Oid {
        self.as_ref().database()
    }

    pub fn kind(&self) -> Kind {
        self.as_ref().kind()
    }
}

impl<'a> From<&'a Target> for TargetRef<'a> {
    fn from(target: &'a Target) -> Self {
        target.as_ref()
    }
}

impl TargetRef<'_> {
    pub fn to_target(self) -> Target {
        match self {
            TargetRef::Relation { database, relation } => Target::Relation { database, relation },
            TargetRef::Record {
                database,
                relation,
                storage,
                key,
            } => Target::Record {
                database,
                relation,
                storage,
                key: key.into(),
            },
            TargetRef::Advisory { database, key } => Target::Advisory { database, key },
            TargetRef::Key {
                database,
                relation,
                storage,
                key,
            } => Target::Key {
                database,
                relation,
                storage,
                key: key.into(),
            },
        }
    }

    pub fn kind(self) -> Kind {
        match self {
            TargetRef::Relation { .. } => Kind::Relation,
            TargetRef::Record { .. } => Kind::Record,
            TargetRef::Advisory { .. } => Kind::Advisory,
            TargetRef::Key { .. } => Kind::Key,
        }
    }

    pub fn database(self) -> Oid {
        match self {
            TargetRef::Relation { database, .. }
            | TargetRef::Record { database, .. }
            | TargetRef::Advisory { database, .. }
            | TargetRef::Key { database, .. } => database,
        }
    }

    /// Places the target in shards and buckets. A storage id says which relation and database it belongs to.
    pub fn hash64(self) -> u64 {
        let mut hasher = FxHasher::default();
        match self {
            TargetRef::Relation { database, relation } => {
                hasher.write_u64(u64::from(database.0) << 32 | u64::from(relation.0));
            }
            TargetRef::Record { storage, key, .. } => {
                hasher.write_u64(storage.0 << 1);
                hasher.write(key);
            }
            TargetRef::Advisory { database, key } => {
                hasher.write_u32(database.0);
                match key {
                    AdvisoryKey::Big(key) => hasher.write_i64(key),
                    AdvisoryKey::Pair(class, object) => {
                        hasher.write_u8(1);
                        hasher.write_i32(class);
                        hasher.write_i32(object);
                    }
                }
            }
            TargetRef::Key { storage, key, .. } => {
                hasher.write_u64(storage.0 << 1 | 1);
                hasher.write(key);
            }
        }
        // The multiplication of Fx leaves the low bits weak for small integers; shards and buckets use all bits.
        let hash = hasher.finish();
        (hash ^ (hash >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }
}

/// How PostgreSQL names the object of a heavyweight lock (`DescribeLockTag`).
impl fmt::Display for TargetRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            TargetRef::Relation { database, relation } => write!(f, "relation {relation} of database {database}"),
            TargetRef::Record {
                database, relation, key, ..
            } => {
                write!(f, "tuple {} of relation {relation} of database {database}", Hex(key))
            }
            TargetRef::Advisory {
                database,
                key: AdvisoryKey::Big(key),
            } => {
                write!(
                    f,
                    "advisory lock [{database},{},{},1]",
                    key.cast_unsigned() >> 32,
                    key & 0xFFFF_FFFF
                )
            }
            TargetRef::Advisory {
                database,
                key: AdvisoryKey::Pair(class, object),
            } => {
                write!(
                    f,
                    "advisory lock [{database},{},{},2]",
                    class.cast_unsigned(),
                    object.cast_unsigned()
                )
            }
            TargetRef::Key {
                database, relation, key, ..
            } => {
                write!(f, "key {} of relation {relation} of database {database}", Hex(key))
            }
        }
    }
}

/// Bytes as hexadecimal digits, shortened when long.
struct Hex<'a>(&'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN_MAX: usize = 32;
        for byte in self.0.iter().take(SHOWN_MAX) {
            write!(f, "{byte:02x}")?;
        }
        if self.0.len() > SHOWN_MAX {
            f.write_str("...")
        } else {
            Ok(())
        }
    }
}
