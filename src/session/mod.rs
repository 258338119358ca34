//! A client's session: its transaction block, prepared statements, portals and settings.
//!
//! ```text
//!  wire ── simple_query / parse, bind, execute, sync ──► Session
//!                                                          │ one statement at a time
//!          Prepared (bound and planned once) ──► Portal (parameters, a running execution)
//! ```
//!
//! Invariants: at most one transaction; a statement that fails leaves nothing of itself; after an error in a block only
//! ROLLBACK, COMMIT and ROLLBACK TO are taken (25P02); whatever ends a session gives back its locks.

mod block;
mod copy;
mod cursors;
mod ddl;
mod explain;
mod extended;
mod host;
mod instance;
mod listen;
mod names;
mod output;
mod ownership;
mod portal;
mod prepared;
mod run;
mod server_state;
#[allow(clippy::module_inception)]
mod session;
mod settings;
mod shared;
mod simple;
mod start;
mod transaction;
mod two_phase;
mod utility;

pub use instance::{Instance, Place};
pub use output::{Format, Formats, Output, ResultColumn};
pub use portal::Completion;
pub use session::{BlockStatus, IdleLimit, Session};
pub use shared::SessionShared;
pub use start::StartOptions;

pub use crate::txn::Notification;
