//! The PostgreSQL protocol (version 3.0) over TCP, on the message codec of the `pgwire` crate.
//!
//! ```text
//!  listener ──► startup (SSLRequest, CancelRequest, authentication) ──► connection
//!                                                     input: reads, also while a statement runs
//!                                                     dispatch: a message → the session
//!                                                     output: buffers, waits for durability, sends
//! ```
//!
//! A connection is one task. Answers are buffered and sent at Sync, Flush, the end of a simple query, or when much is
//! waiting. A client that goes away raises its session's cancel flag; the session then gives everything back.

mod auth;
mod connection;
mod dispatch;
mod encode;
mod input;
pub mod listener;
mod output;
mod startup;

pub use listener::serve;
