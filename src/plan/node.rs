//! The nodes of a plan: what `exec` runs and EXPLAIN shows.
//!
//! Every node gives rows of [`Node::width`] values. Trailing columns may be hidden (row identities, sort keys): whoever
//! reads a node knows which places it wants, and a result ends at `Plan::columns.len()`.
//!
//! Expressions are [`Expr`]s without `Var`s: [`ExprKind::Input`](crate::bind::tree::ExprKind::Input) is a column of the
//! row that the node hands to the expression (said at each field), `Outer(n)` a value that a node above has set, `Slot(n)`
//! the result of [`Plan::slots`]`[n]`.

use std::sync::Arc;

use smol_str::SmolStr;

use crate::bind::tree::{Expr, Frame, JoinKind as BoundJoin, MarkWait, SystemColumn, WindowFunction};
use crate::catalog::{Index, Sequence, Table};
use crate::functions::{Builtin, Waiting};
use crate::ids::Oid;
use crate::lock::{RecordMode, RelationMode};

/// A planned statement. Immutable; shared by prepared statements and their executions.
pub struct Plan {
    pub root: NodeRef,
    pub kind: PlanKind,
    /// The result's columns; empty where the statement returns no rows.
    pub columns: Vec<OutputColumn>,
    pub param_types: Arc<[Oid]>,
    /// By `CteScan::cte`.
    pub ctes: Vec<CtePlan>,
    /// By `ExprKind::Slot`.
    pub slots: Vec<SlotPlan>,
    /// How many `ExprKind::Outer` parameters there are.
    pub outer_count: usize,
    /// How many scans carry a number ([`ScanId`]).
    pub scan_count: usize,
    /// Relations that the statement names, with the lock it takes on each, in the order they are taken.
    pub relations: Vec<RelationUse>,
    pub catalog_version: u64,
    /// Writes rows: refused in a READ ONLY transaction (25006).
    pub writes: bool,
    /// Takes row locks with a locking clause.
    pub locks_rows: bool,
    pub node_count: usize,
    /// One row by its key, with no slots: run without operators.
    pub point: bool,
}

/// What the command tag says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanKind {
    Select,
    Insert,
    Update,
    Delete,
}

#[derive(Clone, Debug, PartialEq)]
pub struct OutputColumn {
    pub name: SmolStr,
    pub ty: Oid,
    pub typmod: i32,
    /// Table and attnum where the column is a plain column of a table, else 0.
    pub table: Oid,
    pub attnum: i16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelationUse {
    pub oid: Oid,
    pub mode: RelationMode,
}

/// Number of a scan in its plan: what `EvalPlanQual` puts a row in place of.
pub type ScanId = usize;

pub type NodeRef = Arc<Node>;

/// A node with what the planner expects of it.
pub struct Node {
    pub kind: NodeKind,
    /// Values in each row that it gives.
    pub width: usize,
    pub estimate: Estimate,
    /// Place in `EXPLAIN ANALYZE`'s counters.
    pub id: usize,
    /// Outer parameters that it or anything below reads and does not set itself.
    pub reads: Box<[usize]>,
}

/// The planner's guess, in PostgreSQL's units.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    pub startup: f64,
    pub total: f64,
    pub rows: f64,
    /// Bytes a row.
    pub width: f64,
}

/// What a node does. Each variant's struct says what its rows look like.
#[derive(Clone)]
pub enum NodeKind {
    Result(Arc<ResultNode>),
    PointGet(Arc<PointGet>),
    SeqScan(Arc<SeqScan>),
    IndexScan(Arc<IndexScan>),
    VirtualScan(Arc<VirtualScan>),
    SequenceScan(Arc<SequenceScan>),
    FunctionScan(Arc<FunctionScan>),
    Values(Arc<Values>),
    SubqueryScan(Arc<SubqueryScan>),
    CteScan(Arc<CteScan>),
    WorkTableScan(Arc<WorkTableScan>),
    Filter(Arc<Filter>),
    Project(Arc<Project>),
    ProjectSet(Arc<ProjectSet>),
    NestedLoop(Arc<NestedLoop>),
    HashJoin(Arc<HashJoin>),
    Sort(Arc<Sort>),
    Limit(Arc<Limit>),
    Aggregate(Arc<Aggregate>),
    Window(Arc<WindowNode>),
    Unique(Arc<Unique>),
    HashSetOp(Arc<HashSetOp>),
    Append(Arc<Append>),
    RecursiveUnion(Arc<RecursiveUnion>),
    LockRows(Arc<LockRows>),
    Modify(Arc<Modify>),
    Materialize(Arc<Materialize>),
}

/// One row of `exprs` (no input row), or none where `condition` is not true.
pub struct ResultNode {
    pub exprs: Vec<Expr>,
    pub condition: Option<Expr>,
    /// The condition gates this node instead; `exprs` is empty then.
    pub input: Option<NodeRef>,
}

/// What a scan of a table gives: `columns` of the table (0-based), then `system` columns. [`SystemColumn::Ctid`] is the
/// row's identity: `Value::Tid` of its storage key.
pub struct ScanTarget {
    pub scan: ScanId,
    pub table: Arc<Table>,
    /// As EXPLAIN shows it.
    pub alias: SmolStr,
    pub columns: Vec<usize>,
    pub system: Vec<SystemColumn>,
}

/// One row by its whole primary key or unique index; none where a part of the key is null.
pub struct PointGet {
    pub target: ScanTarget,
    /// The key's values, cast to the key columns' types, in key order (no input row).
    pub key: Vec<Expr>,
    /// The unique index that the key belongs to.
    pub key_index: Arc<Index>,
    /// The table is stored by this key; else the index's entry names the row.
    pub primary: bool,
    /// Over the scan's row: conditions that the key does not answer.
    pub filter: Option<Expr>,
    /// Over the scan's row: all conditions, for a row put in place by `EvalPlanQual`.
    pub recheck: Option<Expr>,
    /// The conditions that became the key, over the scan's row: for EXPLAIN.
    pub condition: Option<Expr>,
}

/// Every row of a table in key order.
pub struct SeqScan {
    pub target: ScanTarget,
    /// Over the scan's row.
    pub filter: Option<Expr>,
}

/// Rows of a table in an index's order, within bounds.
pub struct IndexScan {
    pub target: ScanTarget,
    pub index: Arc<Index>,
    /// The table itself is stored by this index's key.
    pub primary: bool,
    pub bounds: IndexBounds,
    pub backward: bool,
    /// All that the scan gives is in the index's entries.
    pub index_only: bool,
    /// Over the scan's row: conditions that the bounds do not answer.
    pub filter: Option<Expr>,
    /// Over the scan's row: all conditions, for a row put in place by `EvalPlanQual`.
    pub recheck: Option<Expr>,
    /// The conditions that became bounds, over the scan's row: for EXPLAIN.
    pub condition: Option<Expr>,
}

/// Which keys an index scan reads: leading columns fixed by `equal`, then a range of the next one. The expressions have
/// no input row (constants, parameters, outer parameters, slots) and the key column's type.
#[derive(Clone, Default)]
pub struct IndexBounds {
    pub equal: Vec<KeyTerm>,
    /// Value and whether it belongs to the range; in terms of SQL's order, whatever the index's direction.
    pub lower: Option<(Expr, bool)>,
    pub upper: Option<(Expr, bool)>,
    /// `IS NOT NULL` on the column after `equal`.
    pub not_null: bool,
}

#[derive(Clone)]
pub enum KeyTerm {
    /// `column = value`; a null value finds nothing.
    Equal(Expr),
    /// `column = ANY (array)`.
    AnyOf(Expr),
    IsNull,
}

/// Rows computed by the host (`Table::virtual_source`).
pub struct VirtualScan {
    pub target: ScanTarget,
    pub source: SmolStr,
    pub filter: Option<Expr>,
}

/// `SELECT ... FROM sequence`: `last_value`, `log_cnt`, `is_called`.
pub struct SequenceScan {
    pub scan: ScanId,
    pub sequence: Arc<Sequence>,
    pub filter: Option<Expr>,
}

/// Functions in FROM, row by row: the columns of each, then the ordinality.
pub struct FunctionScan {
    pub scan: ScanId,
    pub alias: SmolStr,
    /// Each call (no input row) and how many columns it gives.
    pub calls: Vec<(Expr, usize)>,
    pub ordinality: bool,
    pub filter: Option<Expr>,
}

pub struct Values {
    pub scan: ScanId,
    pub alias: SmolStr,
    /// No input row.
    pub rows: Vec<Vec<Expr>>,
    pub filter: Option<Expr>,
}

/// A sub-select as a leaf: only where `EvalPlanQual` may have to put a row in its place, and for EXPLAIN.
pub struct SubqueryScan {
    pub scan: ScanId,
    pub alias: SmolStr,
    pub input: NodeRef,
    pub filter: Option<Expr>,
}

/// Rows of `Plan::ctes[cte]`, computed once and shared.
pub struct CteScan {
    pub scan: ScanId,
    pub cte: usize,
    pub name: SmolStr,
    pub alias: SmolStr,
    pub filter: Option<Expr>,
}

/// The rows that the last round of a recursive union made.
pub struct WorkTableScan {
    pub scan: ScanId,
    /// `RecursiveUnion::work_table`.
    pub work_table: usize,
    pub alias: SmolStr,
    pub filter: Option<Expr>,
}

/// Rows of the input for which `condition` (over the input row) is true.
pub struct Filter {
    pub input: NodeRef,
    pub condition: Expr,
}

/// One row of `exprs` (over the input row) for each input row.
pub struct Project {
    pub input: NodeRef,
    pub exprs: Vec<Expr>,
}

/// As [`Project`], where some of `exprs` are calls of set-returning functions: they advance in step, nulls after the
/// shorter ones' ends.
pub struct ProjectSet {
    pub input: NodeRef,
    pub exprs: Vec<Expr>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinType {
    Inner,
    Left,
    Right,
    Full,
    /// Left rows with a match; the row is the left one.
    Semi,
    /// Left rows without a match; the row is the left one.
    Anti,
    /// As `Anti` for NOT IN: no rows at all where the right side has a null key, unless it is empty.
    NullAwareAnti,
}

impl From<BoundJoin> for JoinType {
    fn from(kind: BoundJoin) -> Self {
        match kind {
            BoundJoin::Inner => JoinType::Inner,
            BoundJoin::Left => JoinType::Left,
            BoundJoin::Right => JoinType::Right,
            BoundJoin::Full => JoinType::Full,
        }
    }
}

/// For each left row, the right side is run again. Rows: left ++ right (left alone for semi and anti joins).
/// Only Inner, Left, Semi and Anti.
pub struct NestedLoop {
    pub kind: JoinType,
    pub left: NodeRef,
    pub right: NodeRef,
    /// Outer parameters set from the left row before the right side runs: (number, expression over the left row).
    /// Empty: the right side gives the same rows each time and is kept.
    pub params: Vec<(usize, Expr)>,
    /// The join's condition, over left ++ right.
    pub condition: Option<Expr>,
    /// Conditions after the join, over the output row.
    pub filter: Option<Expr>,
}

/// The right side is hashed. Rows: left ++ right (left alone for semi and anti joins).
pub struct HashJoin {
    pub kind: JoinType,
    pub left: NodeRef,
    pub right: NodeRef,
    /// Over the left row; never null-safe: a null key matches nothing.
    pub left_keys: Vec<Expr>,
    /// Over the right row; same types.
    pub right_keys: Vec<Expr>,
    /// Type that each pair of keys is hashed and compared as.
    pub key_types: Vec<Oid>,
    /// Further condition of the join, over left ++ right.
    pub condition: Option<Expr>,
    /// Conditions after the join, over the output row.
    pub filter: Option<Expr>,
    /// The join's equalities over left ++ right, for EXPLAIN.
    pub equalities: Vec<Expr>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortColumn {
    pub column: usize,
    pub ty: Oid,
    pub descending: bool,
    pub nulls_first: bool,
}

pub struct Sort {
    pub input: NodeRef,
    pub keys: Vec<SortColumn>,
    /// Input is in order by so many leading keys already.
    pub presorted: usize,
    /// Rows that the LIMIT above will ask for (limit + offset; no input row): a heap of so many is kept.
    pub bound: Option<Expr>,
}

pub struct Limit {
    pub input: NodeRef,
    /// No input row; null is no limit.
    pub limit: Option<Expr>,
    pub offset: Option<Expr>,
    /// Sort columns to compare for WITH TIES.
    pub ties: Option<Vec<SortColumn>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AggregateStrategy {
    /// No grouping: one row, also for no input.
    Plain,
    /// Input is ordered by the group columns.
    Sorted,
    Hashed,
}

/// Rows: the group expressions' values, one column a call, one a `groupings` entry.
pub struct Aggregate {
    pub input: NodeRef,
    pub strategy: AggregateStrategy,
    /// Over the input row.
    pub group: Vec<Expr>,
    /// Grouping sets as places in `group`; empty: one set of all.
    pub sets: Vec<Vec<usize>>,
    pub calls: Vec<AggregatePlan>,
    /// Each GROUPING(...) as places in `group`.
    pub groupings: Vec<Vec<usize>>,
}

pub struct AggregatePlan {
    pub function: &'static Builtin,
    /// Over the input row.
    pub args: Vec<Expr>,
    pub arg_types: Arc<[Oid]>,
    pub return_type: Oid,
    /// Over the group's values.
    pub direct: Vec<Expr>,
    pub distinct: bool,
    /// Places in `args` (those after `visible_args` are only for ordering).
    pub order: Vec<SortColumn>,
    pub visible_args: usize,
    pub filter: Option<Expr>,
    pub star: bool,
}

/// Input sorted by partition and order. Rows: input ++ one column a call.
pub struct WindowNode {
    pub input: NodeRef,
    pub partition: Vec<SortColumn>,
    pub order: Vec<SortColumn>,
    /// Offsets in frames have no input row.
    pub frame: Frame,
    pub calls: Vec<WindowPlan>,
}

pub struct WindowPlan {
    pub function: WindowFunction,
    /// Over the input row.
    pub args: Vec<Expr>,
    pub arg_types: Arc<[Oid]>,
    pub return_type: Oid,
    pub filter: Option<Expr>,
    pub star: bool,
}

/// First row of each run of rows equal in `keys` (input sorted by them), or of each value where `hashed`.
pub struct Unique {
    pub input: NodeRef,
    pub keys: Vec<SortColumn>,
    pub hashed: bool,
}

/// INTERSECT and EXCEPT, with and without ALL, over all `types.len()` columns.
pub struct HashSetOp {
    pub kind: crate::bind::tree::SetKind,
    pub all: bool,
    pub left: NodeRef,
    pub right: NodeRef,
    pub types: Vec<Oid>,
}

pub struct Append {
    pub inputs: Vec<NodeRef>,
}

pub struct RecursiveUnion {
    pub work_table: usize,
    pub start: NodeRef,
    pub step: NodeRef,
    /// UNION ALL; else rows are compared as `types`.
    pub all: bool,
    pub types: Vec<Oid>,
}

/// Keeps its input's rows, so that running it again costs nothing unless outer parameters changed.
pub struct Materialize {
    pub input: NodeRef,
}

/// A CTE's plan; `run_to_end` for data-modifying ones, which are run to their end whether read or not.
pub struct CtePlan {
    pub name: SmolStr,
    pub root: NodeRef,
    pub run_to_end: bool,
}

/// How a leaf's row is found again when `EvalPlanQual` runs a plan with one row exchanged.
#[derive(Clone)]
pub enum EpqSource {
    /// By its identity, in the statement's view.
    Fetch {
        scan: ScanId,
        table: Arc<Table>,
        /// Column of the row with the leaf's `Value::Tid`; null where an outer join found none.
        identity: usize,
    },
    /// By its values, which the row still has at these places.
    Copy { scan: ScanId, columns: Vec<usize> },
}

/// Locks rows as a locking clause says, after finding them by the statement's view; gives the rows that still qualify.
/// Rows as the input's.
pub struct LockRows {
    pub input: NodeRef,
    /// In the order in which they are locked.
    pub marks: Vec<LockMark>,
    /// Every leaf below, the marked ones too.
    pub sources: Vec<EpqSource>,
}

pub struct LockMark {
    pub scan: ScanId,
    pub table: Arc<Table>,
    /// Column of the input row with the `Value::Tid`; null where an outer join found no row.
    pub identity: usize,
    pub mode: RecordMode,
    pub wait: MarkWait,
}

/// INSERT, UPDATE or DELETE. Rows: `returning`, or nothing.
pub struct Modify {
    pub operation: Operation,
    pub target: Arc<WriteTarget>,
    pub input: NodeRef,
    /// INSERT: over the new row (all columns of the table, then `target.system`). UPDATE and DELETE: over the new (old) row's
    /// columns and `target.system`, then the input row.
    pub returning: Vec<Expr>,
    pub has_returning: bool,
    /// UPDATE and DELETE: every leaf below.
    pub sources: Vec<EpqSource>,
}

pub enum Operation {
    /// Input row: one value for each column of the table.
    Insert {
        on_conflict: Option<ConflictPlan>,
    },
    Update {
        scan: ScanId,
        /// Column of the input row with the target's `Value::Tid`.
        identity: usize,
        /// (column, expression over the input row).
        set: Vec<(usize, Expr)>,
    },
    Delete {
        scan: ScanId,
        identity: usize,
    },
}

/// System columns that follow the table's columns in rows that RETURNING reads, in this order.
pub const RETURNING_SYSTEM: [SystemColumn; 4] = [
    SystemColumn::TableOid,
    SystemColumn::Xmin,
    SystemColumn::Xmax,
    SystemColumn::Ctid,
];

pub struct ConflictPlan {
    /// Unique indexes that arbitrate, as places in `WriteTarget::indexes`; empty: any of them.
    pub arbiters: Vec<usize>,
    /// `None`: DO NOTHING.
    pub update: Option<ConflictUpdatePlan>,
}

pub struct ConflictUpdatePlan {
    /// (column, expression over existing row ++ `RETURNING_SYSTEM` ++ excluded row), each table row in full.
    pub set: Vec<(usize, Expr)>,
    pub filter: Option<Expr>,
}

/// A table as a writer sees it, with everything about it bound. Expressions are over the table's whole row (all columns,
/// dropped ones null).
pub struct WriteTarget {
    pub table: Arc<Table>,
    /// Schema's name, for errors.
    pub schema_name: SmolStr,
    pub indexes: Vec<WriteIndex>,
    pub checks: Vec<CheckPlan>,
    /// Stored generated columns, in order.
    pub generated: Vec<(usize, Expr)>,
    /// Domain-typed columns whose constraints are checked by a cast of the value: (column, cast over the row).
    pub domains: Vec<(usize, Expr)>,
}

pub struct WriteIndex {
    pub index: Arc<Index>,
    /// A value for each key column.
    pub keys: Vec<Expr>,
    pub predicate: Option<Expr>,
    /// The key lives as the table's own key.
    pub primary: bool,
}

pub struct CheckPlan {
    pub name: SmolStr,
    pub condition: Expr,
}

/// What fills a slot.
pub struct SlotPlan {
    pub kind: SlotKind,
    /// Outer parameters set first: (number, expression over the owner's row). Where empty the result is kept.
    pub params: Vec<(usize, Expr)>,
    /// Outer parameters that it reads and does not set: its kept result is stale when they change.
    pub reads: Box<[usize]>,
    /// For EXPLAIN: `InitPlan 1` or `SubPlan 1`.
    pub label: SmolStr,
    pub ty: Oid,
}

pub enum SlotKind {
    Exists(NodeRef),
    /// First column of the only row, null for none; 21000 for more than one.
    Scalar(NodeRef),
    /// The only row's columns as a record, null for none (row comparisons).
    Record {
        input: NodeRef,
        types: Vec<Oid>,
    },
    /// `ARRAY(...)` with this element type.
    Array {
        input: NodeRef,
        element: Oid,
    },
    /// ANY or ALL of `test` over the sub-select's rows (left operands are outer parameters).
    Quantified {
        input: NodeRef,
        test: Expr,
        all: bool,
    },
    /// `(left...) IN (sub-select)` where the sub-select depends on nothing: its rows are hashed once; `left` over the
    /// owner's row. Result: true, false, or null where a null makes it unknown.
    Hashed {
        input: NodeRef,
        left: Vec<Expr>,
        types: Vec<Oid>,
    },
    /// A function that waits; `args` over the owner's row.
    Waiting {
        waiting: Waiting,
        args: Vec<Expr>,
        strict: bool,
    },
}

impl SlotKind {
    /// Whether the result differs from row to row although no parameter is set.
    pub fn by_row(&self) -> bool {
        matches!(self, SlotKind::Hashed { .. } | SlotKind::Waiting { .. })
    }

    pub fn input(&self) -> Option<&NodeRef> {
        match self {
            SlotKind::Exists(input) | SlotKind::Scalar(input) => Some(input),
            SlotKind::Record { input, .. }
            | SlotKind::Array { input, .. }
            | SlotKind::Quantified { input, .. }
            | SlotKind::Hashed { input, .. } => Some(input),
            SlotKind::Waiting { .. } => None,
        }
    }
}

impl NodeKind {
    /// The nodes directly below, in EXPLAIN's order.
    pub fn inputs(&self) -> Vec<&NodeRef> {
        match self {
            NodeKind::Result(n) => n.input.iter().collect(),
            NodeKind::PointGet(_)
            | NodeKind::SeqScan(_)
            | NodeKind::IndexScan(_)
            | NodeKind::VirtualScan(_)
            | NodeKind::SequenceScan(_)
            | NodeKind::FunctionScan(_)
            | NodeKind::Values(_)
            | NodeKind::CteScan(_)
            | NodeKind::WorkTableScan(_) => Vec::new(),
            NodeKind::SubqueryScan(n) => vec![&n.input],
            NodeKind::Filter(n) => vec![&n.input],
            NodeKind::Project(n) => vec![&n.input],
            NodeKind::ProjectSet(n) => vec![&n.input],
            NodeKind::NestedLoop(n) => vec![&n.left, &n.right],
            NodeKind::HashJoin(n) => vec![&n.left, &n.right],
            NodeKind::Sort(n) => vec![&n.input],
            NodeKind::Limit(n) => vec![&n.input],
            NodeKind::Aggregate(n) => vec![&n.input],
            NodeKind::Window(n) => vec![&n.input],
            NodeKind::Unique(n) => vec![&n.input],
            NodeKind::HashSetOp(n) => vec![&n.left, &n.right],
            NodeKind::Append(n) => n.inputs.iter().collect(),
            NodeKind::RecursiveUnion(n) => vec![&n.start, &n.step],
            NodeKind::LockRows(n) => vec![&n.input],
            NodeKind::Modify(n) => vec![&n.input],
            NodeKind::Materialize(n) => vec![&n.input],
        }
    }
}
