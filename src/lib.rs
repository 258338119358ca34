//! holdfast: a PostgreSQL-compatible server whose record locks hold over a whole cluster.

#![forbid(unsafe_code)]

pub mod bind;
pub mod cancel;
pub mod catalog;
pub mod clock;
pub mod cluster;
pub mod codec;
pub mod config;
pub mod error;
pub mod exec;
pub mod functions;
pub mod ids;
pub mod limits;
pub mod lock;
pub mod parse;
pub mod plan;
pub mod server;
pub mod session;
pub mod storage;
pub mod txn;
pub mod types;
pub mod wire;
