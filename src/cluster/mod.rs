#![doc = include_str!("README.md")]

mod local;
mod views;

pub use local::Ownership;
