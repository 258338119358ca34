//! Newtypes for every number that names something, so that no two kinds can be mixed up.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id!(
    /// A PostgreSQL object id. User objects start at [`Oid::FIRST_USER`]; 0 is `InvalidOid`.
    Oid(u32)
);
id!(
    /// Names one stored tree of keys: a table's rows or an index's entries. A rewrite (TRUNCATE, ADD PRIMARY KEY) takes a
    /// new one; ids are never used again.
    StorageId(u64)
);
id!(
    /// A transaction that wrote: unique across nodes and restarts, in every row's header. `xmin` shows its low 32 bits.
    Xid(u64)
);
id!(
    /// A command inside a transaction, from 0. A statement sees what commands before it wrote, never its own writes.
    CommandId(u32)
);
id!(
    /// A subtransaction (savepoint level entry) inside a transaction: 1 is the top level; each SAVEPOINT takes the next.
    SubXid(u32)
);
id!(
    /// A published state of the node's store, from 1; every sequenced batch of commits makes the next. Local to a node and
    /// a run of the process.
    Version(u64)
);
id!(
    /// A position in the replicated log (on a single node: a counter of ownership changes). Epochs and fencing tokens are made of it.
    LogIndex(u64)
);
id!(
    /// A node of the cluster, from 1.
    NodeId(u16)
);
id!(
    /// One life of a node; grows with every start.
    Incarnation(u64)
);
id!(
    /// The process id that clients see (`pg_backend_pid()`), one a session.
    BackendPid(i32)
);

impl Oid {
    pub const INVALID: Oid = Oid(0);
    /// Types below are built in (`types::info`); from here on they are of the catalog, the system's own domains too.
    pub const FIRST_CATALOG: Oid = Oid(10000);
    /// First OID of objects that users create, as in PostgreSQL.
    pub const FIRST_USER: Oid = Oid(16384);

    pub fn is_valid(self) -> bool {
        self.0 != 0
    }
}
