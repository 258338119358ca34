//! Built-in functions, operators and aggregates: what they are called, what they take, and the code that runs them.
//!
//! A family a file (`strings.rs`, `math.rs`, ...); each exports a table `pub const FUNCTIONS: &[Builtin]`. The
//! [`registry`] joins the tables, indexes them by name and by OID, and knows the operators. OIDs are PostgreSQL's where
//! PostgreSQL has the function, so that `pg_proc` and drivers agree.
//!
//! Functions are sync and pure apart from what [`Host`] lends them. Those that wait (advisory locks, `pg_sleep`) have
//! the body [`Body::Waiting`]: the executor runs them between evaluations and puts the result in a slot.

use crate::error::Result;
use crate::ids::Oid;
use crate::types::{TypeEnv, Value};

pub mod aggregates;
pub mod argument_names;
mod arguments;
pub mod arrays;
pub mod assign;
pub mod binary;
pub mod bits;
pub mod catalog;
pub mod compare;
pub mod dates;
pub mod directory;
pub mod format_dates;
pub mod host;
pub mod integers;
pub mod json;
pub mod json_access;
pub mod json_build;
pub mod json_change;
mod json_text;
pub mod like;
pub mod math;
pub mod numerics;
pub mod operators;
pub mod ranges;
mod regex_syntax;
pub mod regexes;
pub mod registry;
pub mod sets;
pub mod strings;
pub mod system;
pub mod text;

pub use host::Host;

/// When a call may be folded or run again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Volatility {
    Immutable,
    Stable,
    Volatile,
}

/// What a function is called with besides its arguments.
pub struct CallContext<'a> {
    pub env: TypeEnv<'a>,
    pub host: &'a dyn Host,
    /// Types of the actual arguments: what `anyelement` and `"any"` stand for in this call.
    pub arg_types: &'a [Oid],
    /// The call's result type, polymorphism resolved.
    pub return_type: Oid,
}

/// A function of one row: arguments in, value out. Strict functions are never called with a null.
pub type ScalarFn = fn(&CallContext<'_>, &[Value]) -> Result<Value>;
/// A function that returns rows; each row has the columns of `Builtin::columns` (one where that is empty).
pub type SetFn = fn(&CallContext<'_>, &[Value]) -> Result<Box<dyn SetRows>>;
/// Makes the state of one aggregate call for one group.
pub type AggregateFn = fn(&CallContext<'_>) -> Box<dyn AggregateState>;

/// Rows of a set-returning function, made on demand.
pub trait SetRows: Send {
    fn next(&mut self) -> Result<Option<Vec<Value>>>;
}

/// The running state of an aggregate over one group.
pub trait AggregateState: Send {
    /// One input row's arguments; strict aggregates are not handed nulls.
    fn update(&mut self, call: &CallContext<'_>, args: &[Value]) -> Result<()>;
    /// The result for the rows so far; may be called again after more updates (window frames). For ordered-set
    /// aggregates `direct` holds the direct arguments.
    fn finish(&mut self, call: &CallContext<'_>, direct: &[Value]) -> Result<Value>;
    /// Takes in another state of the same aggregate (parallel scans). `Err(other)` where it cannot.
    fn merge(&mut self, other: Box<dyn AggregateState>) -> Result<(), Box<dyn AggregateState>>;
    /// For [`AggregateState::merge`].
    fn into_any(self: Box<Self>) -> Box<dyn std::any::Any>;
    /// Bytes held, roughly: for `work_mem`.
    fn size(&self) -> usize {
        64
    }
}

/// How a function runs.
#[derive(Clone, Copy)]
pub enum Body {
    Scalar(ScalarFn),
    Set(SetFn),
    Aggregate(AggregateFn),
    /// Ordered-set aggregate: the last `u8` arguments come from WITHIN GROUP (sorted), the others are direct.
    OrderedSet(AggregateFn, u8),
    /// A window function; the executor computes it by this name.
    Window(WindowKind),
    /// Waits: the executor asks the session ([`Waiting`]).
    Waiting(Waiting),
}

/// Window functions that are not aggregates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowKind {
    RowNumber,
    Rank,
    DenseRank,
    PercentRank,
    CumeDist,
    Ntile,
    Lag,
    Lead,
    FirstValue,
    LastValue,
    NthValue,
}

/// Functions that may wait; see `exec::waiting`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    Sleep,
    AdvisoryLock { session: bool, shared: bool, wait: bool },
}

/// One built-in function, aggregate or window function.
#[derive(Clone, Copy)]
pub struct Builtin {
    pub oid: Oid,
    pub name: &'static str,
    pub args: &'static [Oid],
    /// The last argument is the array that takes any number of actual arguments. `VARIADIC "any"` has `oid::ANY` there.
    pub variadic: bool,
    /// How many of the last arguments may be left out, and their values as SQL literals of the argument's type.
    pub defaults: &'static [&'static str],
    pub returns: Oid,
    /// Output columns (`OUT` arguments) of a set- or record-returning function; empty for a single value.
    pub columns: &'static [(&'static str, Oid)],
    pub strict: bool,
    pub volatility: Volatility,
    pub body: Body,
}

/// A scalar function that is strict and immutable, the most common kind.
pub const fn pure(oid: u32, name: &'static str, args: &'static [Oid], returns: Oid, body: ScalarFn) -> Builtin {
    Builtin {
        oid: Oid(oid),
        name,
        args,
        variadic: false,
        defaults: &[],
        returns,
        columns: &[],
        strict: true,
        volatility: Volatility::Immutable,
        body: Body::Scalar(body),
    }
}

/// Stands in [`pure`] where a body of another kind replaces it.
fn unused(_: &CallContext<'_>, _: &[Value]) -> Result<Value> {
    Err(crate::error::PgError::internal("this function has another kind of body"))
}

impl Builtin {
    pub const fn stable(mut self) -> Self {
        self.volatility = Volatility::Stable;
        self
    }

    pub const fn volatile(mut self) -> Self {
        self.volatility = Volatility::Volatile;
        self
    }

    /// Called with nulls too.
    pub const fn called_on_null(mut self) -> Self {
        self.strict = false;
        self
    }

    pub const fn variadic(mut self) -> Self {
        self.variadic = true;
        self
    }

    pub const fn with_defaults(mut self, defaults: &'static [&'static str]) -> Self {
        self.defaults = defaults;
        self
    }

    pub fn returns_set(&self) -> bool {
        matches!(self.body, Body::Set(_))
    }

    pub fn is_aggregate(&self) -> bool {
        matches!(self.body, Body::Aggregate(_) | Body::OrderedSet(..))
    }
}

/// An operator: a name for a function of one (prefix) or two arguments.
#[derive(Clone, Copy)]
pub struct Operator {
    pub oid: Oid,
    pub name: &'static str,
    /// `None` for a prefix operator.
    pub left: Option<Oid>,
    pub right: Oid,
    pub returns: Oid,
    /// OID of the [`Builtin`] that computes it.
    pub function: Oid,
    /// OID of the operator with the sides swapped, 0 for none.
    pub commutator: Oid,
    pub negator: Oid,
}
