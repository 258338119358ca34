//! Integration tests: one binary, so that the server is linked once.

mod crash;
mod races;
mod server;
mod tidy;
