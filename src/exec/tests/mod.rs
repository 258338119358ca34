//! Statements over the memory store: parsed, bound, planned and run, with the answers PostgreSQL 15 gives.

mod harness;
mod queries;

mod timing;
