//! Locks: one table, one set of rules, four kinds of target. `README.md` beside this file is the contract.

pub mod authority;
pub mod mode;
pub mod target;

pub use authority::Authority;
pub use mode::{AdvisoryMode, Mode, RecordMode, RelationMode};
pub use target::{AdvisoryKey, Target};
