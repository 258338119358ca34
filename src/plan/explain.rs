//! EXPLAIN in PostgreSQL's text form.

use std::fmt::Write as _;
use std::time::Duration;

use super::deparse::Deparser;
use super::node::{AggregateStrategy, JoinType, Node, NodeKind, Operation, Plan, ScanTarget};
use crate::bind::tree::{Expr, SetKind};

/// What EXPLAIN was asked to show.
#[derive(Clone, Copy, Debug)]
pub struct ExplainOptions {
    pub costs: bool,
    pub verbose: bool,
    pub timing: bool,
    pub summary: bool,
}

impl Default for ExplainOptions {
    fn default() -> Self {
        ExplainOptions {
            costs: true,
            verbose: false,
            timing: true,
            summary: false,
        }
    }
}

/// What a node really did (ANALYZE).
#[derive(Clone, Copy, Debug, Default)]
pub struct Actual {
    pub loops: u64,
    pub rows: u64,
    pub first: Duration,
    pub total: Duration,
}

impl Actual {
    /// Takes in one `next`; `fresh`: it was the first of a run.
    pub fn add(&mut self, time: Duration, rows: usize, fresh: bool) {
        if fresh {
            self.loops += 1;
            self.first += time;
        }
        self.total += time;
        self.rows += rows as u64;
    }
}

/// The lines of EXPLAIN, with `actual` where the plan was run.
pub fn explain(plan: &Plan, options: ExplainOptions, actual: Option<&[Actual]>) -> Vec<String> {
    let mut text = Text {
        plan,
        options,
        actual,
        lines: Vec::new(),
    };
    text.node(&plan.root, 0, "");
    text.ctes_unread();
    text.lines
}

struct Text<'a> {
    plan: &'a Plan,
    options: ExplainOptions,
    actual: Option<&'a [Actual]>,
    lines: Vec<String>,
}

impl Text<'_> {
    fn node(&mut self, node: &Node, depth: usize, label: &str) {
        // Projections are not shown, as in PostgreSQL.
        if let NodeKind::Project(project) = &node.kind {
            self.node(&project.input, depth, label);
            self.sub_plans(project.exprs.iter(), depth + 1);
            return;
        }
        let mut filters: Vec<&Expr> = Vec::new();
        let mut shown = node;
        while let NodeKind::Filter(filter) = &shown.kind {
            filters.push(&filter.condition);
            shown = &filter.input;
        }
        let indent = if depth == 0 {
            String::new()
        } else {
            format!("{}->  ", " ".repeat(depth * 6 - 4))
        };
        let mut line = format!("{indent}{}", title(shown));
        if self.options.costs {
            let e = &node.estimate;
            let _ = write!(
                line,
                "  (cost={:.2}..{:.2} rows={:.0} width={:.0})",
                e.startup,
                e.total,
                e.rows.max(1.0),
                e.width
            );
        }
        self.add_actual(node, &mut line);
        if !label.is_empty() {
            let pad = " ".repeat(if depth == 0 { 0 } else { depth * 6 - 4 });
            self.lines.push(format!("{pad}{label}"));
        }
        self.lines.push(line);
        self.details(shown, &filters, depth);
        for input in shown.kind.inputs() {
            self.node(input, depth + 1, "");
        }
        let mut exprs = Vec::new();
        super::reads::for_exprs(&shown.kind, &mut |expr| exprs.push(expr));
        exprs.extend(filters);
        self.sub_plans(exprs.into_iter(), depth + 1);
    }

    fn add_actual(&self, node: &Node, line: &mut String) {
        let Some(actual) = self.actual.and_then(|actual| actual.get(node.id)) else {
            return;
        };
        if actual.loops == 0 {
            line.push_str(" (never executed)");
            return;
        }
        #[allow(clippy::cast_precision_loss)]
        let loops = actual.loops as f64;
        let ms = |time: Duration| time.as_secs_f64() * 1000.0 / loops;
        #[allow(clippy::cast_precision_loss)]
        let rows = actual.rows as f64 / loops;
        if self.options.timing {
            let _ = write!(
                line,
                " (actual time={:.3}..{:.3} rows={rows:.0} loops={})",
                ms(actual.first),
                ms(actual.total),
                actual.loops
            );
        } else {
            let _ = write!(line, " (actual rows={rows:.0} loops={})", actual.loops);
        }
    }

    fn detail(&mut self, depth: usize, text: &str) {
        let pad = " ".repeat(depth * 6 + 2);
        self.lines.push(format!("{pad}{text}"));
    }

    fn details(&mut self, node: &Node, filters: &[&Expr], depth: usize) {
        let names = Deparser::of_node(node, self.plan);
        let show = |expr: &Expr| names.show(expr);
        let mut lines: Vec<(&str, String)> = Vec::new();
        match &node.kind {
            NodeKind::PointGet(n) => lines.extend(n.condition.iter().map(|c| ("Index Cond", show(c)))),
            NodeKind::IndexScan(n) => lines.extend(n.condition.iter().map(|c| ("Index Cond", show(c)))),
            NodeKind::HashJoin(n) => lines.push(("Hash Cond", names.list(&n.equalities, " AND "))),
            NodeKind::Sort(n) => lines.push(("Sort Key", names.keys(&n.keys))),
            NodeKind::Aggregate(n) if n.strategy != AggregateStrategy::Plain => {
                let below = Deparser::of_row(&n.input, self.plan);
                lines.push(("Group Key", below.list_plain(&n.group)));
            }
            NodeKind::Result(n) => lines.extend(n.condition.iter().map(|c| ("One-Time Filter", show(c)))),
            _ => {}
        }
        if let Some(join) = match &node.kind {
            NodeKind::NestedLoop(n) => n.condition.as_ref(),
            NodeKind::HashJoin(n) => n.condition.as_ref(),
            _ => None,
        } {
            lines.push(("Join Filter", show(join)));
        }
        if let Some(filter) = own_filter(node) {
            lines.push(("Filter", show(filter)));
        }
        let above = Deparser::of_row(node, self.plan);
        lines.extend(filters.iter().map(|filter| ("Filter", above.show(filter))));
        for (label, text) in lines {
            self.detail(depth, &format!("{label}: {text}"));
        }
    }

    /// Sub-plans of a node's expressions.
    fn sub_plans<'e>(&mut self, exprs: impl Iterator<Item = &'e Expr>, depth: usize) {
        let mut numbers = Vec::new();
        for expr in exprs {
            super::walk::any_expr(expr, &mut |part| {
                if let crate::bind::tree::ExprKind::Slot(number) = part.kind {
                    numbers.push(number);
                }
                false
            });
        }
        let plan = self.plan;
        for number in numbers {
            let slot = &plan.slots[number];
            if let Some(input) = slot.kind.input() {
                self.node(input, depth, &slot.label);
            }
        }
    }

    /// CTEs, after the main tree.
    fn ctes_unread(&mut self) {
        let plan = self.plan;
        for cte in &plan.ctes {
            self.node(&cte.root, 1, &format!("CTE {}", cte.name));
        }
    }
}

fn own_filter(node: &Node) -> Option<&Expr> {
    match &node.kind {
        NodeKind::PointGet(n) => n.filter.as_ref(),
        NodeKind::SeqScan(n) => n.filter.as_ref(),
        NodeKind::IndexScan(n) => n.filter.as_ref(),
        NodeKind::VirtualScan(n) => n.filter.as_ref(),
        NodeKind::SequenceScan(n) => n.filter.as_ref(),
        NodeKind::FunctionScan(n) => n.filter.as_ref(),
        NodeKind::Values(n) => n.filter.as_ref(),
        NodeKind::SubqueryScan(n) => n.filter.as_ref(),
        NodeKind::CteScan(n) => n.filter.as_ref(),
        NodeKind::WorkTableScan(n) => n.filter.as_ref(),
        NodeKind::NestedLoop(n) => n.filter.as_ref(),
        NodeKind::HashJoin(n) => n.filter.as_ref(),
        _ => None,
    }
}

fn on(target: &ScanTarget) -> String {
    if target.alias == target.table.name {
        format!("on {}", target.table.name)
    } else {
        format!("on {} {}", target.table.name, target.alias)
    }
}

fn title(node: &Node) -> String {
    match &node.kind {
        NodeKind::Result(_) => "Result".to_owned(),
        NodeKind::PointGet(n) => format!("Index Scan using {} {}", n.key_index.name, on(&n.target)),
        NodeKind::SeqScan(n) => format!("Seq Scan {}", on(&n.target)),
        NodeKind::IndexScan(n) => {
            let only = if n.index_only { "Index Only Scan" } else { "Index Scan" };
            let backward = if n.backward { " Backward" } else { "" };
            format!("{only}{backward} using {} {}", n.index.name, on(&n.target))
        }
        NodeKind::VirtualScan(n) => format!("Seq Scan {}", on(&n.target)),
        NodeKind::SequenceScan(n) => format!("Seq Scan on {}", n.sequence.name),
        NodeKind::FunctionScan(n) => {
            let name = n.calls.first().and_then(|(expr, _)| match &expr.kind {
                crate::bind::tree::ExprKind::Call(call) => Some(call.function.name),
                _ => None,
            });
            match name {
                Some(name) if n.alias != name => format!("Function Scan on {name} {}", n.alias),
                _ => format!("Function Scan on {}", n.alias),
            }
        }
        NodeKind::Values(n) => format!("Values Scan on \"{}\"", n.alias),
        NodeKind::SubqueryScan(n) => format!("Subquery Scan on {}", n.alias),
        NodeKind::CteScan(n) if n.name == n.alias => format!("CTE Scan on {}", n.name),
        NodeKind::CteScan(n) => format!("CTE Scan on {} {}", n.name, n.alias),
        NodeKind::WorkTableScan(n) => format!("WorkTable Scan on {}", n.alias),
        NodeKind::Filter(_) => "Result".to_owned(),
        NodeKind::Project(_) => "Result".to_owned(),
        NodeKind::ProjectSet(_) => "ProjectSet".to_owned(),
        NodeKind::NestedLoop(n) => format!("Nested Loop{}", join_word(n.kind)),
        NodeKind::HashJoin(n) if n.kind == JoinType::Inner => "Hash Join".to_owned(),
        NodeKind::HashJoin(n) => format!("Hash{} Join", join_word(n.kind).trim_end_matches(" Join")),
        NodeKind::Sort(_) => "Sort".to_owned(),
        NodeKind::Limit(_) => "Limit".to_owned(),
        NodeKind::Aggregate(n) => match n.strategy {
            AggregateStrategy::Plain => "Aggregate",
            AggregateStrategy::Sorted => "GroupAggregate",
            AggregateStrategy::Hashed => "HashAggregate",
        }
        .to_owned(),
        NodeKind::Window(_) => "WindowAgg".to_owned(),
        NodeKind::Unique(n) if n.hashed => "HashAggregate".to_owned(),
        NodeKind::Unique(_) => "Unique".to_owned(),
        NodeKind::HashSetOp(n) => {
            let kind = match n.kind {
                SetKind::Union => "Union",
                SetKind::Intersect => "Intersect",
                SetKind::Except => "Except",
            };
            format!("HashSetOp {kind}{}", if n.all { " All" } else { "" })
        }
        NodeKind::Append(_) => "Append".to_owned(),
        NodeKind::RecursiveUnion(_) => "Recursive Union".to_owned(),
        NodeKind::LockRows(_) => "LockRows".to_owned(),
        NodeKind::Modify(n) => {
            let verb = match n.operation {
                Operation::Insert { .. } => "Insert",
                Operation::Update { .. } => "Update",
                Operation::Delete { .. } => "Delete",
            };
            format!("{verb} on {}", n.target.table.name)
        }
        NodeKind::Materialize(_) => "Materialize".to_owned(),
    }
}

fn join_word(kind: JoinType) -> &'static str {
    match kind {
        JoinType::Inner => "",
        JoinType::Left => " Left Join",
        JoinType::Right => " Right Join",
        JoinType::Full => " Full Join",
        JoinType::Semi => " Semi Join",
        JoinType::Anti | JoinType::NullAwareAnti => " Anti Join",
    }
}
