#![doc = include_str!("README.md")]

pub mod access;
pub mod aggregate;
pub mod build;
mod conflict;
pub mod context;
pub mod copy;
pub mod cte;
pub mod ddl;
pub mod distinct;
pub mod foreign_keys;
pub mod hash_join;
pub mod index_scan;
pub mod instrument;
pub mod leaf;
pub mod limit;
pub mod lock_rows;
pub mod modify;
pub mod nested_loop;
pub mod operator;
pub mod point;
pub mod project;
pub mod recheck;
pub mod recursive;
pub mod row;
pub mod run;
pub mod scan;
pub mod set_op;
pub mod slots;
pub mod sort;
pub mod spill;
pub mod table_writer;
pub mod waiting;
pub mod window;

pub use context::ExecContext;
pub use operator::{BoxOperator, Operator};
pub use row::{Batch, Row};
pub use run::Execution;

#[cfg(test)]
mod tests;
