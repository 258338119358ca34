//! The bound tree: a query with every name resolved and every expression typed. The planner reads it; nothing changes it.
//!
//! It follows PostgreSQL's `Query`: a range table (`rels`), a join tree over it (`from`), targets, and clauses that refer to
//! targets by place. Columns are [`ExprKind::Var`]s: (levels up, range table index, column index).

use std::sync::Arc;

use smol_str::SmolStr;

use crate::catalog::{Index, Sequence, Table};
use crate::functions::{Builtin, WindowKind};
use crate::ids::Oid;
use crate::lock::{RecordMode, RelationMode};
use crate::types::Value;

/// A bound, typed expression.
#[derive(Clone)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: Oid,
    /// -1 for none.
    pub typmod: i32,
}

#[derive(Clone)]
pub enum ExprKind {
    Const(Value),
    /// Column `column` (0-based: attnum - 1 for a table, place for others) of `rels[rel]`, `level` queries up.
    Var {
        level: u32,
        rel: usize,
        column: usize,
    },
    SystemVar {
        level: u32,
        rel: usize,
        column: SystemColumn,
    },
    /// `t` or `t.*` as one composite value.
    WholeRow {
        level: u32,
        rel: usize,
    },
    /// `$n`, 0-based.
    Param(usize),
    /// A built-in function or operator; a set-returning one only directly in targets or in FROM.
    Call(Box<Call>),
    /// A function written in SQL by a user: its body is run with `args` as parameters.
    SqlCall {
        function: Oid,
        args: Vec<Expr>,
    },
    Cast(Box<Cast>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Not(Box<Expr>),
    /// `IS [NOT] NULL`; on composite values as PostgreSQL defines it.
    NullTest {
        arg: Box<Expr>,
        negated: bool,
    },
    /// `IS [NOT] TRUE | FALSE | UNKNOWN`.
    BooleanTest {
        arg: Box<Expr>,
        test: BooleanTest,
    },
    /// `a IS [NOT] DISTINCT FROM b`, with the equality function.
    Distinct {
        equal: Box<Call>,
        negated: bool,
    },
    NullIf {
        equal: Box<Call>,
    },
    /// With an operand, each condition is a comparison with [`ExprKind::CaseOperand`].
    Case {
        operand: Option<Box<Expr>>,
        branches: Vec<(Expr, Expr)>,
        otherwise: Option<Box<Expr>>,
    },
    CaseOperand,
    Coalesce(Vec<Expr>),
    Greatest(Vec<Expr>),
    Least(Vec<Expr>),
    /// `scalar OP ANY|ALL (array)`; `x IN (a, b)` over constants too.
    ScalarArray {
        compare: &'static Builtin,
        operator: &'static str,
        scalar: Box<Expr>,
        array: Box<Expr>,
        all: bool,
    },
    /// `ARRAY[...]`; `nested` when the elements are arrays of the same type.
    Array {
        elements: Vec<Expr>,
        nested: bool,
    },
    /// `ROW(...)`.
    Row(Vec<Expr>),
    /// `(a, b) < (c, d)`: pairwise comparison calls (for the operator itself and for equality).
    RowCompare {
        operator: RowOperator,
        left: Vec<Expr>,
        right: Vec<Expr>,
    },
    /// `(record).field`, 0-based.
    Field {
        record: Box<Expr>,
        field: usize,
    },
    /// `array[i]`, `array[a:b]`; jsonb subscripts are calls.
    Subscript {
        array: Box<Expr>,
        indexes: Vec<(Option<Expr>, Option<Expr>)>,
        slice: bool,
    },
    SubLink(Box<SubLink>),
    Aggregate(Box<AggregateCall>),
    /// GROUPING(...) over targets' group references.
    Grouping(Vec<usize>),
    Window(Box<WindowCall>),
    /// `DEFAULT` in INSERT or UPDATE; the binder replaces it by the default's expression before anybody sees it, except where the column has none (then a null constant).
    Default,
    /// `WHERE CURRENT OF cursor`.
    CurrentOf(SmolStr),
    /// `VALUE` in a domain's check.
    DomainValue,
    /// Value of a sequence-backed default (`nextval` of a known sequence).
    NextVal(Oid),

    // Made by the planner only:
    /// Column of the operator's input row.
    Input(usize),
    /// A parameter that an outer plan node or an outer query sets before this one runs.
    Outer(usize),
    /// The result of a sub-plan or waiting call, by its number in the plan's slot table.
    Slot(usize),
}

#[derive(Clone)]
pub struct Call {
    pub function: &'static Builtin,
    pub args: Vec<Expr>,
    /// Types of the arguments as `CallContext` shows them.
    pub arg_types: Arc<[Oid]>,
    /// Set for an operator: how it is written (for deparse and EXPLAIN).
    pub operator: Option<&'static str>,
    /// The last argument was given as `VARIADIC array`.
    pub variadic_array: bool,
}

#[derive(Clone)]
pub struct Cast {
    pub arg: Expr,
    pub kind: CastKind,
    /// Written by the user (`::`, CAST) rather than added by the binder.
    pub explicit: bool,
}

#[derive(Clone, Copy)]
pub enum CastKind {
    /// `types::cast::find_cast(arg.ty, ty)` computes it (function, binary or through text), then the typmod is applied.
    Plain,
    /// Only the length or precision is applied; the type stays.
    Typmod,
    /// Nothing to do at run time (e.g. `varchar` to `text`, domain to its base).
    Relabel,
    /// Base type to domain: its constraints are checked.
    ToDomain,
    /// Element-wise cast of an array.
    ArrayElements,
    /// Row to composite type.
    Row,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemColumn {
    TableOid,
    Xmin,
    Xmax,
    Cmin,
    Cmax,
    Ctid,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BooleanTest {
    True,
    NotTrue,
    False,
    NotFalse,
    Unknown,
    NotUnknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowOperator {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// A sub-select inside an expression.
#[derive(Clone)]
pub struct SubLink {
    pub kind: SubLinkKind,
    pub query: Query,
}

#[derive(Clone)]
pub enum SubLinkKind {
    Exists,
    /// One value or null; more than one row is 21000.
    Scalar,
    /// `ROW(...) = (SELECT a, b)`: one row.
    /// `test OP ANY|ALL (SELECT ...)`: a comparison per column, whose second argument is [`ExprKind::Input`] of the sub-select's column.
    Quantified {
        tests: Vec<Expr>,
        all: bool,
        operator: &'static str,
    },
    /// `ARRAY(SELECT ...)`.
    Array,
}

#[derive(Clone)]
pub struct AggregateCall {
    pub function: &'static Builtin,
    pub args: Vec<Expr>,
    pub arg_types: Arc<[Oid]>,
    /// Direct arguments of an ordered-set aggregate.
    pub direct: Vec<Expr>,
    pub distinct: bool,
    /// ORDER BY inside the call or WITHIN GROUP: places in `args`.
    pub order: Vec<SortKey>,
    pub filter: Option<Expr>,
    /// `count(*)`.
    pub star: bool,
    /// Queries up where it is computed.
    pub level: u32,
}

#[derive(Clone)]
pub struct WindowCall {
    pub function: WindowFunction,
    pub args: Vec<Expr>,
    pub arg_types: Arc<[Oid]>,
    pub filter: Option<Expr>,
    /// Index in `Query::windows`.
    pub window: usize,
    pub star: bool,
}

#[derive(Clone, Copy)]
pub enum WindowFunction {
    Builtin(WindowKind),
    Aggregate(&'static Builtin),
}

/// A window definition, names resolved; keys are expressions over the same scope as targets.
#[derive(Clone)]
pub struct Window {
    pub partition: Vec<Expr>,
    pub order: Vec<WindowOrder>,
    pub frame: Frame,
}

#[derive(Clone)]
pub struct WindowOrder {
    pub expr: Expr,
    pub descending: bool,
    pub nulls_first: bool,
}

#[derive(Clone)]
pub struct Frame {
    pub mode: FrameMode,
    pub start: FrameBound,
    pub end: FrameBound,
    pub exclude: FrameExclude,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameMode {
    Rows,
    Range,
    Groups,
}

#[derive(Clone)]
pub enum FrameBound {
    UnboundedPreceding,
    Preceding(Expr),
    CurrentRow,
    Following(Expr),
    UnboundedFollowing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameExclude {
    NoOthers,
    CurrentRow,
    Group,
    Ties,
}

/// Sorting by a place (of targets, or of an aggregate's arguments).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortKey {
    pub column: usize,
    pub descending: bool,
    pub nulls_first: bool,
}

/// A query level.
#[derive(Clone)]
pub struct Query {
    pub command: Command,
    pub ctes: Vec<Cte>,
    pub rels: Vec<Rel>,
    /// Top-level FROM items; joined by cross product, filtered by `filter`.
    pub from: Vec<From>,
    pub filter: Option<Expr>,
    /// Output columns, then junk ones (sort and group keys that are not output).
    pub targets: Vec<Target>,
    pub group: Group,
    pub having: Option<Expr>,
    pub windows: Vec<Window>,
    pub distinct: Distinct,
    pub sort: Vec<SortKey>,
    pub limit: Option<Expr>,
    pub offset: Option<Expr>,
    pub with_ties: bool,
    pub row_marks: Vec<RowMark>,
    /// For a set operation: its tree over `rels` (all sub-selects); `targets` then are the Vars of the first leaf.
    pub set_operation: Option<SetOperation>,
    pub has_aggregates: bool,
    pub has_windows: bool,
    /// A set-returning function stands in the targets.
    pub has_set_returning: bool,
    pub has_sublinks: bool,
}

#[derive(Clone)]
pub struct Target {
    pub expr: Expr,
    pub name: SmolStr,
    /// Not part of the result.
    pub junk: bool,
    /// Table and attnum for `RowDescription`, where the target is a plain column.
    pub origin: Option<(Oid, i16)>,
}

#[derive(Clone, Default)]
pub enum Group {
    #[default]
    None,
    /// Places in `targets`.
    Plain(Vec<usize>),
    /// Grouping sets, each places in `targets`.
    Sets(Vec<Vec<usize>>),
}

#[derive(Clone, Default)]
pub enum Distinct {
    #[default]
    No,
    All,
    /// DISTINCT ON: places in `targets`.
    On(Vec<usize>),
}

/// An entry of the range table.
#[derive(Clone)]
pub struct Rel {
    pub kind: RelKind,
    /// Alias or name, for messages and EXPLAIN.
    pub name: SmolStr,
    pub columns: Vec<RelColumn>,
    /// Whether its sub-select may refer to FROM items on its left.
    pub lateral: bool,
}

#[derive(Clone)]
pub struct RelColumn {
    pub name: SmolStr,
    pub ty: Oid,
    pub typmod: i32,
    /// Dropped columns of a table keep their place; never referred to.
    pub dropped: bool,
}

#[derive(Clone)]
pub enum RelKind {
    /// A table, stored or computed (`Table::virtual_source`), with the relation lock that the statement takes.
    Table {
        table: Arc<Table>,
        indexes: Vec<Arc<Index>>,
        lock: RelationMode,
    },
    /// `SELECT ... FROM sequence`: `last_value`, `log_cnt`, `is_called`.
    Sequence(Arc<Sequence>),
    /// A sub-select; a view too (then `view` is its OID, for locks and messages).
    Subquery {
        query: Box<Query>,
        view: Option<Oid>,
    },
    Values(Vec<Vec<Expr>>),
    /// Functions in FROM, joined row by row (ROWS FROM); `columns` of each in order, then the ordinality.
    Functions {
        calls: Vec<TableFunction>,
        ordinality: bool,
    },
    /// Reference to a CTE `level` queries up, by its place in `Query::ctes`.
    Cte {
        level: u32,
        cte: usize,
    },
    /// The result columns of a JOIN USING or NATURAL JOIN: merged columns only exist as expressions, so this never stands in `From`.
    Join,
}

#[derive(Clone)]
pub struct TableFunction {
    /// The call; for a scalar function one row comes out.
    pub expr: Expr,
    /// How many columns it gives.
    pub columns: usize,
}

#[derive(Clone)]
pub enum From {
    Rel(usize),
    Join {
        kind: JoinKind,
        left: Box<From>,
        right: Box<From>,
        condition: Option<Expr>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinKind {
    Inner,
    Left,
    Right,
    Full,
}

#[derive(Clone)]
pub struct Cte {
    pub name: SmolStr,
    pub query: Query,
    pub recursive: bool,
    /// MATERIALIZED / NOT MATERIALIZED, where written.
    pub materialized: Option<bool>,
    pub references: usize,
}

/// FOR UPDATE and friends on one entry of the range table (sub-selects are marked through).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowMark {
    pub rel: usize,
    pub mode: RecordMode,
    pub wait: MarkWait,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkWait {
    Block,
    SkipLocked,
    NoWait,
}

#[derive(Clone)]
pub enum SetOperation {
    /// Index in `rels`.
    Leaf(usize),
    Node {
        kind: SetKind,
        all: bool,
        left: Box<SetOperation>,
        right: Box<SetOperation>,
        types: Vec<(Oid, i32)>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetKind {
    Union,
    Intersect,
    Except,
}

#[derive(Clone)]
pub enum Command {
    Select,
    Insert(Box<Insert>),
    Update(Box<Update>),
    Delete(Box<Delete>),
}

/// INSERT: the rows come from the query itself (its targets are one expression for each column of the table, defaults
/// filled in, casts applied, dropped columns null); `rels[target]` is the table, not part of `from`.
#[derive(Clone)]
pub struct Insert {
    pub target: usize,
    pub on_conflict: Option<OnConflict>,
    pub returning: Vec<Target>,
    /// OVERRIDING SYSTEM VALUE was given or not needed; checked by the binder.
    pub columns: Vec<usize>,
}

#[derive(Clone)]
pub struct OnConflict {
    /// Unique indexes that arbitrate; empty for "any" (DO NOTHING without target).
    pub arbiters: Vec<Arc<Index>>,
    /// `None`: DO NOTHING.
    pub update: Option<ConflictUpdate>,
    /// `rels` index of `excluded`.
    pub excluded: usize,
}

#[derive(Clone)]
pub struct ConflictUpdate {
    /// (column, expression) over `rels[target]` and `rels[excluded]`.
    pub set: Vec<(usize, Expr)>,
    pub filter: Option<Expr>,
}

/// UPDATE: `rels[target]` is in `from` first; `filter` is WHERE; `set` over all rels.
#[derive(Clone)]
pub struct Update {
    pub target: usize,
    /// (column, expression); generated columns are added by the executor.
    pub set: Vec<(usize, Expr)>,
    pub returning: Vec<Target>,
}

/// DELETE: `rels[target]` is in `from` first.
#[derive(Clone)]
pub struct Delete {
    pub target: usize,
    pub returning: Vec<Target>,
}

impl Expr {
    pub fn new(kind: ExprKind, ty: Oid) -> Self {
        Expr { kind, ty, typmod: -1 }
    }

    pub fn constant(value: Value, ty: Oid) -> Self {
        Expr::new(ExprKind::Const(value), ty)
    }
}
