//! Integration tests: one binary, so that the server is linked once.

mod tidy;
