//! Schema objects: what exists, by name and by OID, in versions.
//!
//! One [`Catalog`] value describes one database (and the shared objects) at one moment and never changes; DDL makes the next.
//! Objects are stored one a key in `Space::Catalog` and written by the transaction's own commit, so DDL is
//! transactional like any row. `pg_catalog` and `information_schema` are computed from the same objects ([`virtual_tables`]), so
//! a new object shows everywhere by itself.
//!
//! Names are read at the latest version plus the transaction's own changes ([`crate::txn`]), never at an old snapshot.

pub mod objects;

pub use objects::*;
