//! Planned expressions as text, for EXPLAIN.

use super::node::{Node, NodeKind, Plan, ScanTarget, SortColumn};
use crate::bind::tree::{BooleanTest, Expr, ExprKind, SystemColumn};
use crate::types::Value;

/// Knows the names of an input row's columns.
pub(super) struct Deparser<'p> {
    plan: &'p Plan,
    columns: Vec<String>,
}

impl<'p> Deparser<'p> {
    /// For expressions that the node evaluates itself.
    pub fn of_node(node: &Node, plan: &'p Plan) -> Self {
        let columns = match &node.kind {
            NodeKind::NestedLoop(n) => both(&n.left, &n.right, plan),
            NodeKind::HashJoin(n) => both(&n.left, &n.right, plan),
            NodeKind::Sort(n) => columns_of(&n.input, plan, true),
            kind if kind.inputs().len() == 1 => columns_of(kind.inputs()[0], plan, true),
            _ => columns_of(node, plan, false),
        };
        Deparser { plan, columns }
    }

    /// For expressions over the node's own rows.
    pub fn of_row(node: &Node, plan: &'p Plan) -> Self {
        Deparser {
            plan,
            columns: columns_of(node, plan, true),
        }
    }

    pub fn list(&self, exprs: &[Expr], between: &str) -> String {
        let parts: Vec<String> = exprs.iter().map(|expr| self.show(expr)).collect();
        if parts.len() == 1 {
            parts.concat()
        } else {
            format!("({})", parts.join(between))
        }
    }

    pub fn list_plain(&self, exprs: &[Expr]) -> String {
        exprs.iter().map(|expr| self.show(expr)).collect::<Vec<_>>().join(", ")
    }

    pub fn keys(&self, keys: &[SortColumn]) -> String {
        let show = |key: &SortColumn| {
            let mut text = self.column(key.column);
            if key.descending {
                text.push_str(" DESC");
            }
            if key.nulls_first != key.descending {
                text.push_str(if key.nulls_first { " NULLS FIRST" } else { " NULLS LAST" });
            }
            text
        };
        keys.iter().map(show).collect::<Vec<_>>().join(", ")
    }

    fn column(&self, place: usize) -> String {
        self.columns.get(place).cloned().unwrap_or_else(|| format!("${place}"))
    }

    pub fn show(&self, expr: &Expr) -> String {
        let list = |parts: &[Expr], word: &str| {
            let parts: Vec<String> = parts.iter().map(|part| self.show(part)).collect();
            format!("({})", parts.join(word))
        };
        match &expr.kind {
            ExprKind::Input(place) => self.column(*place),
            ExprKind::Const(value) => constant(value, expr.ty),
            ExprKind::Param(number) => format!("${}", number + 1),
            ExprKind::Outer(number) => format!("${number}"),
            ExprKind::Slot(number) => match self.plan.slots.get(*number) {
                Some(slot) if slot.label.starts_with("InitPlan") => format!("${number}"),
                Some(slot) => format!("({})", slot.label),
                None => "(SubPlan)".to_owned(),
            },
            ExprKind::Call(call) => match (call.operator, &call.args[..]) {
                (Some(operator), [left, right]) => format!("({} {operator} {})", self.show(left), self.show(right)),
                (Some(operator), [arg]) => format!("({operator} {})", self.show(arg)),
                _ => format!("{}({})", call.function.name, self.list_plain(&call.args)),
            },
            ExprKind::Cast(cast) => {
                let ty = crate::types::info::format_type(expr.ty, expr.typmod, &crate::types::env::NoNames);
                let arg = self.show(&cast.arg);
                if arg.starts_with('(') || matches!(cast.arg.kind, ExprKind::Const(_)) {
                    format!("{arg}::{ty}")
                } else {
                    format!("({arg})::{ty}")
                }
            }
            ExprKind::And(parts) => list(parts, " AND "),
            ExprKind::Or(parts) => list(parts, " OR "),
            ExprKind::Not(arg) => format!("(NOT {})", self.show(arg)),
            ExprKind::NullTest { arg, negated } => {
                format!("({} IS {}NULL)", self.show(arg), if *negated { "NOT " } else { "" })
            }
            ExprKind::BooleanTest { arg, test } => {
                let word = match test {
                    BooleanTest::True => "TRUE",
                    BooleanTest::NotTrue => "NOT TRUE",
                    BooleanTest::False => "FALSE",
                    BooleanTest::NotFalse => "NOT FALSE",
                    BooleanTest::Unknown => "UNKNOWN",
                    BooleanTest::NotUnknown => "NOT UNKNOWN",
                };
                format!("({} IS {word})", self.show(arg))
            }
            ExprKind::Distinct { equal, negated } => {
                let word = if *negated {
                    "IS NOT DISTINCT FROM"
                } else {
                    "IS DISTINCT FROM"
                };
                format!("({} {word} {})", self.show(&equal.args[0]), self.show(&equal.args[1]))
            }
            ExprKind::NullIf { equal } => format!("NULLIF({})", self.list_plain(&equal.args)),
            ExprKind::Coalesce(parts) => format!("COALESCE({})", self.list_plain(parts)),
            ExprKind::Greatest(parts) => format!("GREATEST({})", self.list_plain(parts)),
            ExprKind::Least(parts) => format!("LEAST({})", self.list_plain(parts)),
            ExprKind::ScalarArray {
                operator,
                scalar,
                array,
                all,
                ..
            } => {
                let word = if *all { "ALL" } else { "ANY" };
                format!("({} {operator} {word} ({}))", self.show(scalar), self.show(array))
            }
            ExprKind::Array { elements, .. } => format!("ARRAY[{}]", self.list_plain(elements)),
            ExprKind::Row(fields) => format!("ROW({})", self.list_plain(fields)),
            ExprKind::Case { .. } => "CASE".to_owned(),
            ExprKind::Field { record, .. } => format!("({}).field", self.show(record)),
            ExprKind::Subscript { array, .. } => format!("{}[]", self.show(array)),
            _ => "?".to_owned(),
        }
    }
}

fn constant(value: &Value, ty: crate::ids::Oid) -> String {
    let name = || crate::types::info::format_type(ty, -1, &crate::types::env::NoNames);
    match value {
        Value::Null => format!("NULL::{}", name()),
        Value::Bool(truth) => truth.to_string(),
        Value::Int4(v) => v.to_string(),
        Value::Int2(v) => format!("'{v}'::smallint"),
        Value::Int8(v) => format!("'{v}'::bigint"),
        Value::Float8(v) => format!("'{v}'::double precision"),
        Value::Text(text) => format!("'{}'::{}", text.replace('\'', "''"), name()),
        Value::Oid(v) => format!("'{v}'::{}", name()),
        Value::Array(array) => {
            let parts: Vec<String> = array.values.iter().map(plain).collect();
            format!("'{{{}}}'::{}", parts.join(","), name())
        }
        other => format!("'{}'::{}", plain(other), name()),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Int2(v) => v.to_string(),
        Value::Int4(v) => v.to_string(),
        Value::Int8(v) => v.to_string(),
        Value::Text(v) => v.to_string(),
        Value::Numeric(v) => v.to_string(),
        Value::Bool(v) => v.to_string(),
        _ => "...".to_owned(),
    }
}

fn both(left: &Node, right: &Node, plan: &Plan) -> Vec<String> {
    let mut columns = columns_of(left, plan, true);
    columns.resize(left.width, "?".to_owned());
    columns.extend(columns_of(right, plan, true));
    columns
}

fn target_names(target: &ScanTarget, qualified: bool) -> Vec<String> {
    let prefix = if qualified {
        format!("{}.", target.alias)
    } else {
        String::new()
    };
    let columns = target.columns.iter().map(|column| {
        let name = target.table.columns.get(*column).map_or("?", |column| column.name.as_str());
        format!("{prefix}{name}")
    });
    let system = target.system.iter().map(|column| {
        let name = match column {
            SystemColumn::TableOid => "tableoid",
            SystemColumn::Xmin => "xmin",
            SystemColumn::Xmax => "xmax",
            SystemColumn::Cmin => "cmin",
            SystemColumn::Cmax => "cmax",
            SystemColumn::Ctid => "ctid",
        };
        format!("{prefix}{name}")
    });
    columns.chain(system).collect()
}

/// Names of the columns of a node's rows. `qualified`: with the table's name, as where several tables meet.
fn columns_of(node: &Node, plan: &Plan, qualified: bool) -> Vec<String> {
    match &node.kind {
        NodeKind::PointGet(n) => target_names(&n.target, qualified),
        NodeKind::SeqScan(n) => target_names(&n.target, qualified),
        NodeKind::IndexScan(n) => target_names(&n.target, qualified),
        NodeKind::VirtualScan(n) => target_names(&n.target, qualified),
        NodeKind::NestedLoop(n) => both(&n.left, &n.right, plan),
        NodeKind::HashJoin(n) => both(&n.left, &n.right, plan),
        NodeKind::Project(n) => {
            let names = Deparser {
                plan,
                columns: columns_of(&n.input, plan, qualified),
            };
            n.exprs.iter().map(|expr| names.show(expr)).collect()
        }
        NodeKind::ProjectSet(n) => {
            let names = Deparser {
                plan,
                columns: columns_of(&n.input, plan, qualified),
            };
            n.exprs.iter().map(|expr| names.show(expr)).collect()
        }
        NodeKind::Aggregate(n) => {
            let names = Deparser {
                plan,
                columns: columns_of(&n.input, plan, qualified),
            };
            let keys = n.group.iter().map(|expr| names.show(expr));
            let calls = n.calls.iter().map(|call| {
                if call.star {
                    format!("({}(*))", call.function.name)
                } else {
                    format!("({}({}))", call.function.name, names.list_plain(&call.args))
                }
            });
            keys.chain(calls).collect()
        }
        NodeKind::CteScan(n) => numbered(&n.alias, node.width),
        NodeKind::SubqueryScan(n) => {
            let inner = columns_of(&n.input, plan, false);
            inner.into_iter().map(|name| format!("{}.{name}", n.alias)).collect()
        }
        NodeKind::FunctionScan(n) => numbered(&n.alias, node.width),
        NodeKind::Values(n) => numbered(&n.alias, node.width),
        kind => match kind.inputs().first() {
            Some(input) => columns_of(input, plan, qualified),
            None => numbered("result", node.width),
        },
    }
}

fn numbered(alias: &str, width: usize) -> Vec<String> {
    (1..=width)
        .map(|at| {
            if width == 1 {
                alias.to_owned()
            } else {
                format!("{alias}.column{at}")
            }
        })
        .collect()
}
