//! From parsed SQL to a bound tree: names become relations and columns, literals get types, operators and functions are
//! resolved as in PostgreSQL 15 docs, chapter 10.
//!
//! A [`Binder`] goes once over a statement. It keeps a stack of query levels ([`scope::Level`]), innermost last, as
//! PostgreSQL's `ParseState` does; a column is found in the innermost level that has it. Each file below binds one kind of
//! clause. Positions of errors are worked out from the syntax tree only when an error is made ([`at`]).
//!
//! The result holds no names that still need looking up, and nothing in it depends on settings except literals of types
//! whose input does. It takes no locks and reads no rows.

use std::sync::Arc;

use sqlparser::ast;

use crate::catalog::{Catalog, SearchPath};
use crate::error::{PgError, Result};
use crate::functions::Host;
use crate::ids::Oid;
use crate::limits::NESTING_MAX;
use crate::parse::Parsed;
use crate::types::TypeEnv;

pub mod deparse;
pub mod params;
pub mod scalar;
pub mod tree;
pub mod walk;

mod aggregate;
mod assign;
mod at;
mod case;
mod coerce;
mod column;
mod cte;
mod delete;
mod expr;
mod from;
mod function;
mod group;
mod insert;
mod join;
mod kind;
mod literal;
mod locking;
mod operator;
mod polymorphic;
mod scope;
mod select;
mod setop;
mod sort;
mod sublink;
mod syntax;
mod targets;
mod update;
mod window;

pub use params::ParamTypes;
pub use scalar::{Purpose, bind_check, bind_default, bind_domain_check, bind_index_expr, bind_scalar, bind_stored, table_rel};
pub use walk::same;

#[cfg(test)]
mod tests;

use scope::{Clause, Level};
use tree::{Expr, Query};

/// What binding reads besides the statement.
pub struct BindContext<'a> {
    pub catalog: &'a Arc<Catalog>,
    pub path: &'a SearchPath,
    pub env: TypeEnv<'a>,
    pub host: &'a dyn Host,
    pub params: &'a mut ParamTypes,
}

/// Binds SELECT, VALUES, TABLE, INSERT, UPDATE or DELETE, with or without WITH.
///
/// # Errors
/// PostgreSQL's errors of parse analysis, with their positions.
pub fn bind_query<'a>(cx: &'a mut BindContext<'_>, parsed: &'a Parsed, statement: &'a ast::Statement) -> Result<Query> {
    let mut binder = Binder::new(cx, Some(parsed));
    let query = binder.statement(statement)?;
    Ok(query)
}

/// The type and modifier that a written type name means.
///
/// # Errors
/// 42704 where there is no such type; those of its modifiers.
pub fn resolve_type(cx: &mut BindContext<'_>, name: &crate::parse::TypeName) -> Result<(Oid, i32)> {
    Binder::new(cx, None).resolve_type(name)
}

/// Columns of a query's result: name, type, modifier, and the table and attnum that it comes from.
pub fn output_columns(query: &Query) -> Vec<OutputColumn> {
    query
        .output_targets()
        .iter()
        .filter(|target| !target.junk)
        .map(|target| OutputColumn {
            name: target.name.clone(),
            ty: target.expr.ty,
            typmod: target.expr.typmod,
            origin: target.origin,
        })
        .collect()
}

/// One column of [`output_columns`].
#[derive(Clone, Debug)]
pub struct OutputColumn {
    pub name: smol_str::SmolStr,
    pub ty: Oid,
    pub typmod: i32,
    pub origin: Option<(Oid, i16)>,
}

/// One pass over one statement.
pub(crate) struct Binder<'a> {
    pub catalog: &'a Arc<Catalog>,
    pub path: &'a SearchPath,
    pub env: TypeEnv<'a>,
    pub host: &'a dyn Host,
    pub params: &'a mut ParamTypes,
    /// The statement's text and side tables; none where an expression is bound alone.
    pub parsed: Option<&'a Parsed>,
    /// Query levels, innermost last.
    pub levels: Vec<Level<'a>>,
    depth: usize,
}

impl<'a> Binder<'a> {
    pub fn new(cx: &'a mut BindContext<'_>, parsed: Option<&'a Parsed>) -> Self {
        Binder {
            catalog: cx.catalog,
            path: cx.path,
            env: cx.env,
            host: cx.host,
            params: cx.params,
            parsed,
            levels: Vec::with_capacity(2),
            depth: 0,
        }
    }

    /// The innermost level.
    pub fn level(&mut self) -> &mut Level<'a> {
        self.levels.last_mut().expect("a level is pushed before anything is bound")
    }

    pub fn level_ref(&self) -> &Level<'a> {
        self.levels.last().expect("a level is pushed before anything is bound")
    }

    /// The level `up` queries out.
    pub fn level_up(&mut self, up: u32) -> Option<&mut Level<'a>> {
        let at = self.levels.len().checked_sub(1 + up as usize)?;
        self.levels.get_mut(at)
    }

    /// Runs `f` inside a clause of the innermost level.
    pub fn in_clause<T>(&mut self, clause: Clause, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let before = std::mem::replace(&mut self.level().clause, clause);
        let result = f(self);
        self.level().clause = before;
        result
    }

    /// Guards recursion: 54001 past [`NESTING_MAX`].
    pub fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.depth += 1;
        if self.depth > NESTING_MAX {
            return Err(PgError::too_deep());
        }
        let result = f(self);
        self.depth -= 1;
        result
    }

    /// An expression in the given clause.
    pub fn expr_in(&mut self, expr: &'a ast::Expr, clause: Clause) -> Result<Expr> {
        self.in_clause(clause, |binder| binder.expr(expr))
    }
}
