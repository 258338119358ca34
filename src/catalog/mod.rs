//! Schema objects: what exists, by name and by OID, in versions.
//!
//! One [`Catalog`] value describes one database (and the shared objects) at one moment and never changes; DDL makes the next.
//! Objects are stored one a key in `Space::Catalog` and written by the transaction's own commit, so DDL is
//! transactional like any row. `pg_catalog` and `information_schema` are computed from the same objects, so
//! a new object shows everywhere by itself.
//!
//! Names are read at the latest version plus the transaction's own changes, never at an old snapshot.

mod apply;
mod base;
mod bootstrap;
#[allow(clippy::module_inception, reason = "the main type's file")]
mod catalog;
pub mod catalog_functions;
pub mod deparse;
pub mod directory;
mod names;
pub mod objects;
mod overlay;
pub mod quote;
mod search_path;
mod server_state;
mod statistics;
mod store;
#[cfg(test)]
mod store_tests;
#[cfg(test)]
pub(crate) mod tests;
pub mod virtual_tables;

pub use base::BOOTSTRAP_SUPERUSER;
pub use catalog::{
    Catalog, HOLDFAST_SCHEMA, INFORMATION_SCHEMA, PG_CATALOG, PG_TOAST, PUBLIC, RelationRef, TypeRef, array_type_name, class,
};
pub use names::{CatalogNames, parse_qualified};
pub use objects::*;
pub use overlay::CatalogOverlay;
pub use search_path::{SearchPath, split_identifiers};
pub use server_state::{
    ActivityRow, CursorRow, DatabaseCounters, PreparedStatementRow, PreparedTransactionRow, ServerState, SettingRow,
    VirtualContext,
};
pub use statistics::{ColumnStatistics, Statistics, TableStatistics};
pub use store::CatalogStore;
