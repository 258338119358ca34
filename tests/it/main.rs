//! Integration tests: one binary, so that the server is linked once.

mod catalogs;
mod crash;
mod drivers;
mod lost_bytes;
mod ownership;
mod passwords;
mod races;
mod server;
mod tidy;
