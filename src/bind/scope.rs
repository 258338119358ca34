//! Query levels and what names mean in them.

use smol_str::SmolStr;
use sqlparser::ast;

use super::tree::{Command, Cte, Expr, ExprKind, Query, Rel, RelColumn, RelKind, SystemColumn, Target};
use super::walk::deepen;
use crate::ids::Oid;
use crate::types::oid;

/// The clause that is being bound: decides what may stand in it and how messages call it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clause {
    None,
    Where,
    Having,
    Filter,
    JoinOn,
    FromSubselect,
    FromFunction,
    WindowPartition,
    WindowOrder,
    WindowRange,
    WindowRows,
    WindowGroups,
    SelectTarget,
    UpdateSource,
    GroupBy,
    OrderBy,
    DistinctOn,
    Limit,
    Offset,
    Returning,
    Values,
    ValuesSingle,
    Check,
    Default,
    IndexExpression,
    IndexPredicate,
    Generated,
    CopyWhere,
}

impl Clause {
    /// `ParseExprKindName`.
    pub fn name(self) -> &'static str {
        match self {
            Clause::None => "invalid expression context",
            Clause::Where | Clause::CopyWhere => "WHERE",
            Clause::Having => "HAVING",
            Clause::Filter => "FILTER",
            Clause::JoinOn => "JOIN/ON",
            Clause::FromSubselect => "sub-SELECT in FROM",
            Clause::FromFunction => "function in FROM",
            Clause::WindowPartition => "window PARTITION BY",
            Clause::WindowOrder => "window ORDER BY",
            Clause::WindowRange => "window RANGE",
            Clause::WindowRows => "window ROWS",
            Clause::WindowGroups => "window GROUPS",
            Clause::SelectTarget => "SELECT",
            Clause::UpdateSource => "UPDATE",
            Clause::GroupBy => "GROUP BY",
            Clause::OrderBy => "ORDER BY",
            Clause::DistinctOn => "DISTINCT ON",
            Clause::Limit => "LIMIT",
            Clause::Offset => "OFFSET",
            Clause::Returning => "RETURNING",
            Clause::Values | Clause::ValuesSingle => "VALUES",
            Clause::Check => "CHECK",
            Clause::Default => "DEFAULT",
            Clause::IndexExpression => "index expression",
            Clause::IndexPredicate => "index predicate",
            Clause::Generated => "GENERATED AS",
        }
    }
}

/// A column that a name may mean.
#[derive(Clone)]
pub(crate) struct ItemColumn {
    pub name: SmolStr,
    /// The value, as seen from the item's own level. `None` for a dropped column.
    pub expr: Option<Expr>,
}

/// One entry of a level's name space: a table, a sub-select, a function or a join in FROM.
#[derive(Clone)]
pub(crate) struct Item {
    pub name: SmolStr,
    /// Schema of a table without alias, for `schema.table.column`.
    pub schema: Option<Oid>,
    /// Its place in `Level::rels`; none for a join.
    pub rel: Option<usize>,
    /// A join's columns; a rel's are `rels[rel].columns`.
    pub columns: Vec<ItemColumn>,
    /// `name.column` finds it.
    pub rel_visible: bool,
    /// Bare `column` finds it.
    pub columns_visible: bool,
    /// Only LATERAL items may see it (an item of the same FROM list).
    pub lateral_only: bool,
    /// Whether such a reference is allowed (not across a RIGHT or FULL join).
    pub lateral_ok: bool,
}

/// A CTE that is visible at a level.
#[derive(Clone)]
pub(crate) struct CteName {
    pub name: SmolStr,
    pub columns: Vec<RelColumn>,
    pub references: usize,
    /// INSERT, UPDATE or DELETE without RETURNING gives no columns.
    pub has_rows: bool,
    pub modifies: bool,
    /// Being bound as the recursive term of itself.
    pub in_progress: bool,
    /// Origins of the columns.
    pub origins: Vec<Option<(Oid, i16)>>,
    pub visible: bool,
}

/// A window as written, bound after the targets.
#[derive(Clone)]
pub(crate) struct WindowDef<'a> {
    pub name: Option<SmolStr>,
    pub spec: &'a ast::WindowSpec,
    pub position: u32,
}

/// One query level while it is being bound (PostgreSQL's `ParseState`).
pub(crate) struct Level<'a> {
    pub clause: Clause,
    pub rels: Vec<Rel>,
    pub items: Vec<Item>,
    pub cte_names: Vec<CteName>,
    pub ctes: Vec<Cte>,
    pub windows: Vec<WindowDef<'a>>,
    /// GROUPING's arguments, until the grouping is known.
    pub groupings: Vec<(Vec<Expr>, u32)>,
    /// What VALUE stands for, in a domain's check.
    pub domain: Option<(Oid, i32)>,
    /// Inside a LATERAL item, whose references to its left are allowed.
    pub lateral: bool,
    /// Unknown literals of the targets become text.
    pub resolve_unknowns: bool,
    pub has_aggregates: bool,
    pub has_windows: bool,
    pub has_set_returning: bool,
    /// Where the last set-returning call stands.
    pub set_returning_at: u32,
    pub has_sublinks: bool,
}

impl Level<'_> {
    pub fn new() -> Self {
        Level {
            clause: Clause::None,
            rels: Vec::new(),
            items: Vec::new(),
            cte_names: Vec::new(),
            ctes: Vec::new(),
            windows: Vec::new(),
            groupings: Vec::new(),
            domain: None,
            lateral: false,
            resolve_unknowns: true,
            has_aggregates: false,
            has_windows: false,
            has_set_returning: false,
            set_returning_at: 0,
            has_sublinks: false,
        }
    }

    /// Adds a rel and answers its place.
    pub fn add_rel(&mut self, rel: Rel) -> usize {
        self.rels.push(rel);
        self.rels.len() - 1
    }

    /// Adds the name space entry of a rel.
    pub fn add_item(&mut self, rel: usize, schema: Option<Oid>, rel_visible: bool, columns_visible: bool) {
        let name = self.rels[rel].name.clone();
        self.items.push(Item {
            name,
            schema,
            rel: Some(rel),
            columns: Vec::new(),
            rel_visible,
            columns_visible,
            lateral_only: false,
            lateral_ok: true,
        });
    }

    /// A variable of this level.
    pub fn var(&self, rel: usize, column: usize) -> Expr {
        let found = &self.rels[rel].columns[column];
        Expr {
            kind: ExprKind::Var { level: 0, rel, column },
            ty: found.ty,
            typmod: found.typmod,
        }
    }

    /// Number of columns of an item, dropped ones included.
    pub fn width(&self, item: &Item) -> usize {
        match item.rel {
            Some(rel) => self.rels[rel].columns.len(),
            None => item.columns.len(),
        }
    }

    /// The name of an item's column; `None` if it is dropped.
    pub fn column_name<'i>(&'i self, item: &'i Item, column: usize) -> Option<&'i SmolStr> {
        if let Some(rel) = item.rel {
            let found = &self.rels[rel].columns[column];
            (!found.dropped).then_some(&found.name)
        } else {
            let found = &item.columns[column];
            found.expr.is_some().then_some(&found.name)
        }
    }

    /// An item's column as an expression seen from `up` levels below.
    pub fn column_expr(&self, item: &Item, column: usize, up: u32) -> Expr {
        let mut expr = match item.rel {
            Some(rel) => self.var(rel, column),
            None => item.columns[column]
                .expr
                .clone()
                .unwrap_or_else(|| Expr::constant(crate::types::Value::Null, oid::TEXT)),
        };
        deepen(&mut expr, up);
        expr
    }

    /// All columns of an item with their names.
    pub fn columns_of(&self, item: &Item) -> Vec<(SmolStr, Expr)> {
        (0..self.width(item))
            .filter_map(|at| Some((self.column_name(item, at)?.clone(), self.column_expr(item, at, 0))))
            .collect()
    }

    /// How many columns of that name an item has, and the first.
    pub fn find_column(&self, item: &Item, name: &str) -> (usize, Option<usize>) {
        let mut count = 0;
        let mut first = None;
        for at in 0..self.width(item) {
            if self.column_name(item, at).is_some_and(|found| found == name) {
                count += 1;
                first = first.or(Some(at));
            }
        }
        (count, first)
    }

    /// Table and attnum that a variable of this level comes from.
    pub fn origin(&self, expr: &Expr) -> Option<(Oid, i16)> {
        if let ExprKind::WholeRow { level: 0, rel } = expr.kind
            && let RelKind::Table { table, .. } = &self.rels[rel].kind
        {
            return Some((table.oid, 0));
        }
        if let ExprKind::SystemVar { level: 0, rel, column } = expr.kind
            && let RelKind::Table { table, .. } = &self.rels[rel].kind
        {
            return Some((table.oid, system_attnum(column)));
        }
        let ExprKind::Var { level: 0, rel, column } = expr.kind else {
            return None;
        };
        match &self.rels[rel].kind {
            RelKind::Table { table, .. } => Some((table.oid, i16::try_from(column + 1).ok()?)),
            RelKind::Sequence(sequence) => Some((sequence.oid, i16::try_from(column + 1).ok()?)),
            RelKind::Subquery { view: Some(view), .. } => Some((*view, i16::try_from(column + 1).ok()?)),
            RelKind::Subquery { query, .. } => query.output_targets().get(column)?.origin,
            _ => None,
        }
    }
}

/// A system column's name.
pub(crate) fn system_column(name: &str) -> Option<(SystemColumn, Oid)> {
    Some(match name {
        "tableoid" => (SystemColumn::TableOid, oid::OID),
        "xmin" => (SystemColumn::Xmin, oid::XID),
        "xmax" => (SystemColumn::Xmax, oid::XID),
        "cmin" => (SystemColumn::Cmin, oid::CID),
        "cmax" => (SystemColumn::Cmax, oid::CID),
        "ctid" => (SystemColumn::Ctid, oid::TID),
        _ => return None,
    })
}

/// A system column's attribute number.
fn system_attnum(column: SystemColumn) -> i16 {
    match column {
        SystemColumn::Ctid => -1,
        SystemColumn::Xmin => -2,
        SystemColumn::Cmin => -3,
        SystemColumn::Xmax => -4,
        SystemColumn::Cmax => -5,
        SystemColumn::TableOid => -6,
    }
}

/// How a system column is written.
pub(crate) fn system_column_name(column: SystemColumn) -> &'static str {
    match column {
        SystemColumn::TableOid => "tableoid",
        SystemColumn::Xmin => "xmin",
        SystemColumn::Xmax => "xmax",
        SystemColumn::Cmin => "cmin",
        SystemColumn::Cmax => "cmax",
        SystemColumn::Ctid => "ctid",
    }
}

impl Query {
    /// The targets that make the result: RETURNING's for a command that modifies.
    pub fn output_targets(&self) -> &[Target] {
        match &self.command {
            Command::Select => &self.targets,
            Command::Insert(insert) => &insert.returning,
            Command::Update(update) => &update.returning,
            Command::Delete(delete) => &delete.returning,
        }
    }

    /// Names and types of the result, as a rel over this query has them.
    pub(crate) fn rel_columns(&self) -> Vec<RelColumn> {
        self.output_targets()
            .iter()
            .filter(|target| !target.junk)
            .map(|target| RelColumn {
                name: target.name.clone(),
                ty: target.expr.ty,
                typmod: target.expr.typmod,
                dropped: false,
            })
            .collect()
    }
}
