//! From the bound tree to an immutable plan: rewrites, access paths, join order, cost, EXPLAIN.
//!
//! A plan is a tree of [`node::Node`]s whose expressions refer to columns of the operator's input row only
//! ([`ExprKind::Input`](crate::bind::tree::ExprKind::Input)), to statement parameters, to outer parameters and to slots.
//! It holds no state: any number of executions may run the same plan at once.

pub mod eval;
pub mod node;
pub mod walk;

pub use node::{Node, NodeKind, Plan};
