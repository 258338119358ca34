//! From parsed SQL to a bound tree: names become relations and columns, literals get types, operators and functions are
//! resolved as in PostgreSQL 15 docs, chapter 10.

pub mod tree;
