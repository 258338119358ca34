//! Whether two expressions are the same, and what an expression refers to.

use crate::bind::tree::{Call, Expr, ExprKind, From, Group, Query, RelKind, SubLink, SubLinkKind, SystemColumn};
use crate::functions::{Body, Volatility};
use crate::types::Value;

use super::walk::any_expr;
use crate::bind::walk::children;

/// Structural equality. Calls of volatile functions are the same too: whoever asks has looked at volatility before.
pub fn same_expr(a: &Expr, b: &Expr) -> bool {
    if a.ty != b.ty || std::mem::discriminant(&a.kind) != std::mem::discriminant(&b.kind) || !same_head(a, b) {
        return false;
    }
    let (mut left, mut right) = (Vec::new(), Vec::new());
    children(a, &mut |child| left.push(child));
    children(b, &mut |child| right.push(child));
    left.len() == right.len() && left.iter().zip(&right).all(|(a, b)| same_expr(a, b))
}

fn same_call(a: &Call, b: &Call) -> bool {
    std::ptr::eq(a.function, b.function) || (a.function.oid == b.function.oid && a.function.name == b.function.name)
}

/// Equality of everything but the children.
fn same_head(a: &Expr, b: &Expr) -> bool {
    use ExprKind as K;
    match (&a.kind, &b.kind) {
        (K::Const(x), K::Const(y)) => same_value(x, y),
        (
            K::Var {
                level: l,
                rel: r,
                column: c,
            },
            K::Var { level, rel, column },
        ) => (l, r, c) == (level, rel, column),
        (
            K::SystemVar {
                level: l,
                rel: r,
                column: c,
            },
            K::SystemVar { level, rel, column },
        ) => (l, r, c) == (level, rel, column),
        (K::WholeRow { level: l, rel: r }, K::WholeRow { level, rel }) => (l, r) == (level, rel),
        (K::Param(x), K::Param(y)) | (K::Input(x), K::Input(y)) | (K::Outer(x), K::Outer(y)) => x == y,
        // Slots belong to one place each.
        (K::Slot(_), _) => false,
        (K::SubLink(x), K::SubLink(y)) => same_sub_link(x, y),
        (K::NextVal(x), K::NextVal(y)) => x == y,
        (K::CurrentOf(_) | K::Default, _) => false,
        (K::Call(x), K::Call(y)) => same_call(x, y) && x.variadic_array == y.variadic_array,
        (K::Distinct { equal: x, negated: n }, K::Distinct { equal, negated }) => same_call(x, equal) && n == negated,
        (K::NullIf { equal: x }, K::NullIf { equal }) => same_call(x, equal),
        (K::SqlCall { .. }, _) => false,
        (K::Cast(x), K::Cast(y)) => std::mem::discriminant(&x.kind) == std::mem::discriminant(&y.kind) && a.typmod == b.typmod,
        (K::NullTest { negated: x, .. }, K::NullTest { negated, .. }) => x == negated,
        (K::BooleanTest { test: x, .. }, K::BooleanTest { test, .. }) => x == test,
        (
            K::Case {
                operand: x,
                branches: n,
                otherwise: o,
            },
            K::Case {
                operand,
                branches,
                otherwise,
            },
        ) => x.is_some() == operand.is_some() && n.len() == branches.len() && o.is_some() == otherwise.is_some(),
        (K::ScalarArray { operator: x, all: p, .. }, K::ScalarArray { operator, all, .. }) => x == operator && p == all,
        (K::Array { nested: x, .. }, K::Array { nested, .. }) => x == nested,
        (
            K::RowCompare {
                operator: x, left: l, ..
            },
            K::RowCompare { operator, left, .. },
        ) => x == operator && l.len() == left.len(),
        (K::Field { field: x, .. }, K::Field { field, .. }) => x == field,
        (K::Subscript { slice: x, .. }, K::Subscript { slice, .. }) => x == slice,
        (K::Grouping(x), K::Grouping(y)) => x == y,
        (K::Aggregate(x), K::Aggregate(y)) => {
            std::ptr::eq(x.function, y.function)
                && x.distinct == y.distinct
                && x.star == y.star
                && x.level == y.level
                && x.order == y.order
                && x.args.len() == y.args.len()
                && x.filter.is_some() == y.filter.is_some()
        }
        (K::Window(x), K::Window(y)) => {
            x.window == y.window
                && x.star == y.star
                && same_window_function(x.function, y.function)
                && x.args.len() == y.args.len()
        }
        _ => true,
    }
}

fn same_sub_link(a: &SubLink, b: &SubLink) -> bool {
    let kinds = match (&a.kind, &b.kind) {
        (SubLinkKind::Quantified { all: x, operator: p, .. }, SubLinkKind::Quantified { all, operator, .. }) => {
            x == all && p == operator
        }
        (x, y) => std::mem::discriminant(x) == std::mem::discriminant(y),
    };
    kinds && same_query(&a.query, &b.query)
}

/// Structural equality of two queries that only read.
fn same_query(a: &Query, b: &Query) -> bool {
    let shape = |query: &Query| {
        (
            query.rels.len(),
            query.from.len(),
            query.ctes.len(),
            query.targets.len(),
            query.windows.len(),
        )
    };
    if shape(a) != shape(b) || !a.ctes.is_empty() || !a.row_marks.is_empty() || !b.row_marks.is_empty() || a.sort != b.sort {
        return false;
    }
    let plain = |query: &Query| matches!(query.command, crate::bind::tree::Command::Select) && query.set_operation.is_none();
    let grouped = |query: &Query| match &query.group {
        Group::Plain(places) => places.clone(),
        Group::None | Group::Sets(_) => Vec::new(),
    };
    let distinct = |query: &Query| matches!(query.distinct, crate::bind::tree::Distinct::No);
    if !plain(a) || !plain(b) || grouped(a) != grouped(b) || !distinct(a) || !distinct(b) {
        return false;
    }
    let rels = a.rels.iter().zip(&b.rels).all(|(x, y)| match (&x.kind, &y.kind) {
        (RelKind::Table { table: x, .. }, RelKind::Table { table: y, .. }) => x.oid == y.oid,
        (RelKind::Subquery { query: x, .. }, RelKind::Subquery { query: y, .. }) => same_query(x, y),
        (RelKind::Cte { level: l, cte: c }, RelKind::Cte { level, cte }) => (l, c) == (level, cte),
        (RelKind::Values(_), RelKind::Values(_)) | (RelKind::Functions { .. }, RelKind::Functions { .. }) => true,
        (RelKind::Join, RelKind::Join) => true,
        _ => false,
    });
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for_query_exprs(a, &mut |expr| left.push(expr));
    for_query_exprs(b, &mut |expr| right.push(expr));
    rels && a.from.iter().zip(&b.from).all(|(x, y)| same_from(x, y))
        && left.len() == right.len()
        && left.iter().zip(&right).all(|(x, y)| same_expr(x, y))
}

fn same_from(a: &From, b: &From) -> bool {
    match (a, b) {
        (From::Rel(x), From::Rel(y)) => x == y,
        (
            From::Join {
                kind: k,
                left: l,
                right: r,
                ..
            },
            From::Join { kind, left, right, .. },
        ) => k == kind && same_from(l, left) && same_from(r, right),
        _ => false,
    }
}

fn same_window_function(a: crate::bind::tree::WindowFunction, b: crate::bind::tree::WindowFunction) -> bool {
    use crate::bind::tree::WindowFunction as W;
    match (a, b) {
        (W::Builtin(a), W::Builtin(b)) => a == b,
        (W::Aggregate(a), W::Aggregate(b)) => std::ptr::eq(a, b),
        _ => false,
    }
}

fn same_value(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int4(a), Value::Int4(b)) => a == b,
        (Value::Int8(a), Value::Int8(b)) => a == b,
        (Value::Text(a), Value::Text(b)) => a == b,
        _ => std::mem::discriminant(a) == std::mem::discriminant(b) && format!("{a:?}") == format!("{b:?}"),
    }
}

/// A column of a query level's range table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ColRef {
    Column(usize, usize),
    System(usize, SystemColumn2),
    WholeRow(usize),
}

/// [`SystemColumn`] with a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SystemColumn2(pub u8);

impl std::convert::From<SystemColumn> for SystemColumn2 {
    fn from(column: SystemColumn) -> Self {
        SystemColumn2(match column {
            SystemColumn::TableOid => 0,
            SystemColumn::Xmin => 1,
            SystemColumn::Xmax => 2,
            SystemColumn::Cmin => 3,
            SystemColumn::Cmax => 4,
            SystemColumn::Ctid => 5,
        })
    }
}

impl std::convert::From<SystemColumn2> for SystemColumn {
    fn from(column: SystemColumn2) -> Self {
        match column.0 {
            0 => SystemColumn::TableOid,
            1 => SystemColumn::Xmin,
            2 => SystemColumn::Xmax,
            3 => SystemColumn::Cmin,
            4 => SystemColumn::Cmax,
            _ => SystemColumn::Ctid,
        }
    }
}

impl ColRef {
    pub fn rel(self) -> usize {
        match self {
            ColRef::Column(rel, _) | ColRef::System(rel, _) | ColRef::WholeRow(rel) => rel,
        }
    }
}

/// Calls `visit` for every column that `expr` reads of the query `level` levels up, inside sub-selects too.
pub fn columns_of(expr: &Expr, level: u32, visit: &mut dyn FnMut(ColRef)) {
    any_expr(expr, &mut |part| {
        match &part.kind {
            ExprKind::Var { level: l, rel, column } if *l == level => visit(ColRef::Column(*rel, *column)),
            ExprKind::SystemVar { level: l, rel, column } if *l == level => visit(ColRef::System(*rel, (*column).into())),
            ExprKind::WholeRow { level: l, rel } if *l == level => visit(ColRef::WholeRow(*rel)),
            ExprKind::SubLink(link) => query_columns(&link.query, level + 1, visit),
            _ => {}
        }
        false
    });
}

/// The same for a whole query, seen from `level` levels below the query meant.
pub fn query_columns(query: &Query, level: u32, visit: &mut dyn FnMut(ColRef)) {
    for_query_exprs(query, &mut |expr| columns_of(expr, level, visit));
    for_sub_queries(query, &mut |sub| query_columns(sub, level + 1, visit));
}

/// Calls `visit` for every expression of the query itself (not of sub-selects in FROM or WITH).
pub fn for_query_exprs<'a>(query: &'a Query, visit: &mut dyn FnMut(&'a Expr)) {
    use crate::bind::tree::Command;
    query.targets.iter().for_each(|target| visit(&target.expr));
    query
        .filter
        .iter()
        .chain(&query.having)
        .chain(&query.limit)
        .chain(&query.offset)
        .for_each(&mut *visit);
    for window in &query.windows {
        window.partition.iter().for_each(&mut *visit);
        window.order.iter().for_each(|key| visit(&key.expr));
        super::walk::frame_offsets([&window.frame.start, &window.frame.end]).for_each(&mut *visit);
    }
    query.from.iter().for_each(|from| from_exprs(from, visit));
    for rel in &query.rels {
        match &rel.kind {
            RelKind::Values(rows) => rows.iter().flatten().for_each(&mut *visit),
            RelKind::Functions { calls, .. } => calls.iter().for_each(|call| visit(&call.expr)),
            _ => {}
        }
    }
    match &query.command {
        Command::Select => {}
        Command::Insert(insert) => {
            insert.returning.iter().for_each(|target| visit(&target.expr));
            if let Some(update) = insert.on_conflict.as_ref().and_then(|conflict| conflict.update.as_ref()) {
                update.set.iter().for_each(|(_, expr)| visit(expr));
                update.filter.iter().for_each(&mut *visit);
            }
        }
        Command::Update(update) => {
            update.set.iter().for_each(|(_, expr)| visit(expr));
            update.returning.iter().for_each(|target| visit(&target.expr));
        }
        Command::Delete(delete) => delete.returning.iter().for_each(|target| visit(&target.expr)),
    }
}

fn from_exprs<'a>(from: &'a From, visit: &mut dyn FnMut(&'a Expr)) {
    if let From::Join {
        left, right, condition, ..
    } = from
    {
        from_exprs(left, visit);
        from_exprs(right, visit);
        condition.iter().for_each(visit);
    }
}

/// Calls `visit` for the sub-selects in FROM and WITH.
pub fn for_sub_queries<'a>(query: &'a Query, visit: &mut dyn FnMut(&'a Query)) {
    query.ctes.iter().for_each(|cte| visit(&cte.query));
    for rel in &query.rels {
        if let RelKind::Subquery { query, .. } = &rel.kind {
            visit(query);
        }
    }
}

/// Range table entries that `expr` reads, as bits.
pub fn rels_of(expr: &Expr) -> u128 {
    let mut rels = 0;
    columns_of(expr, 0, &mut |column| rels |= bit(column.rel()));
    rels
}

/// Entries past the last bit are never told apart; the planner refuses so many.
pub fn bit(rel: usize) -> u128 {
    1u128.checked_shl(u32::try_from(rel).unwrap_or(u32::MAX)).unwrap_or(0)
}

/// Whether evaluating it twice may give two answers, or has effects.
pub fn is_volatile(expr: &Expr) -> bool {
    any_expr(expr, &mut |part| match &part.kind {
        ExprKind::Call(call) => {
            call.function.volatility == Volatility::Volatile || matches!(call.function.body, Body::Waiting(_))
        }
        ExprKind::NextVal(_) | ExprKind::SqlCall { .. } => true,
        ExprKind::SubLink(link) => query_is_volatile(&link.query),
        _ => false,
    })
}

/// The same for a whole query; one that writes or locks counts.
pub fn query_is_volatile(query: &Query) -> bool {
    if !matches!(query.command, crate::bind::tree::Command::Select) || !query.row_marks.is_empty() {
        return true;
    }
    let mut volatile = false;
    for_query_exprs(query, &mut |expr| volatile = volatile || is_volatile(expr));
    for_sub_queries(query, &mut |sub| volatile = volatile || query_is_volatile(sub));
    volatile
}

/// Whether the expression contains a sub-select or a call that waits.
pub fn has_slots(expr: &Expr) -> bool {
    any_expr(expr, &mut |part| match &part.kind {
        ExprKind::SubLink(_) | ExprKind::Slot(_) => true,
        ExprKind::Call(call) => matches!(call.function.body, Body::Waiting(_)),
        _ => false,
    })
}

/// Whether a set-returning function stands at its top.
pub fn is_set(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Call(call) if call.function.returns_set())
}

/// Whether the query groups its rows.
pub fn groups(query: &Query) -> bool {
    query.has_aggregates || query.having.is_some() || !matches!(query.group, Group::None)
}
