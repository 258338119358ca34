//! Queries back to text.

use smol_str::SmolStr;

use super::{Printer, RelNames, Scope};
use crate::bind::tree::{
    Cte, Distinct, Expr, ExprKind, FrameBound, FrameMode, From, Group, JoinKind, MarkWait, Query, Rel, RelColumn, RelKind,
    SetKind, SetOperation, SubLink, SubLinkKind, Window, WindowCall, WindowFunction,
};
use crate::catalog::RelationRef;
use crate::ids::Oid;
use crate::lock::RecordMode;
use crate::parse::quote_identifier;

/// `PRETTYINDENT_STD`: spaces that a query's clauses lie under its start.
const STD_INDENT: isize = 8;

impl Printer<'_> {
    /// A clause on a line of its own.
    fn clause(&mut self, word: &str, plus: usize) {
        self.line_plus(word, -STD_INDENT, STD_INDENT, plus);
    }

    pub(super) fn query(&mut self, query: &Query) {
        let start = self.indent;
        let scope = self.scope_of(query);
        self.scopes.push(scope);
        self.with(&query.ctes);
        if let Some(operation) = &query.set_operation {
            self.set_operation(operation, query);
            self.indent += STD_INDENT.unsigned_abs();
        } else {
            self.indent += STD_INDENT.unsigned_abs();
            self.put(" ");
            self.select(query);
        }
        self.tail(query);
        self.scopes.pop();
        self.indent = start;
    }

    /// Names for a level's rels, each unlike any that is in use around it.
    fn scope_of(&self, query: &Query) -> Scope {
        let mut rels: Vec<RelNames> = Vec::with_capacity(query.rels.len());
        for rel in &query.rels {
            let used = |name: &str, rels: &[RelNames]| {
                let outer = self.scopes.iter().flat_map(|scope| &scope.rels);
                outer.chain(rels).any(|other| other.alias == name)
            };
            let mut alias = rel.name.to_string();
            let mut suffix = 0;
            while used(&alias, &rels) {
                suffix += 1;
                alias = format!("{}_{suffix}", rel.name);
            }
            rels.push(RelNames {
                alias,
                columns: unique_columns(&rel.columns),
            });
        }
        // A view's query always names the relation (`varprefix`).
        Scope {
            qualify: true,
            rels,
            windows: query.windows.clone(),
        }
    }

    fn with(&mut self, ctes: &[Cte]) {
        if ctes.is_empty() {
            return;
        }
        self.indent += STD_INDENT.unsigned_abs();
        self.put(if ctes.iter().any(|cte| cte.recursive) {
            " WITH RECURSIVE "
        } else {
            " WITH "
        });
        for (at, cte) in ctes.iter().enumerate() {
            if at > 0 {
                self.put(", ");
            }
            let columns: Vec<String> = cte
                .query
                .output_targets()
                .iter()
                .filter(|target| !target.junk)
                .map(|target| quote_identifier(&target.name))
                .collect();
            self.put(&format!("{}({}) AS ", quote_identifier(&cte.name), columns.join(", ")));
            match cte.materialized {
                Some(true) => self.put("MATERIALIZED "),
                Some(false) => self.put("NOT MATERIALIZED "),
                None => {}
            }
            self.put("(");
            self.line("", 0, 0);
            self.query(&cte.query);
            self.line(")", 0, 0);
        }
        self.line("", -STD_INDENT, 0);
    }

    fn select(&mut self, query: &Query) {
        if let ([From::Rel(at)], [rel]) = (query.from.as_slice(), query.rels.as_slice())
            && let RelKind::Values(rows) = &rel.kind
            && *at == 0
            && query.filter.is_none()
            && query
                .targets
                .iter()
                .all(|target| matches!(target.expr.kind, ExprKind::Var { level: 0, .. }))
        {
            return self.values(rows);
        }
        self.put("SELECT");
        match &query.distinct {
            Distinct::No => {}
            Distinct::All => self.put(" DISTINCT"),
            Distinct::On(places) => {
                self.put(" DISTINCT ON (");
                for (at, place) in places.iter().enumerate() {
                    if at > 0 {
                        self.put(", ");
                    }
                    self.expr(&query.targets[*place].expr);
                }
                self.put(")");
            }
        }
        for (at, target) in query.targets.iter().filter(|target| !target.junk).enumerate() {
            self.put(if at > 0 { "," } else { " " });
            // CASE begins its own line.
            if at > 0 && !matches!(target.expr.kind, ExprKind::Case { .. }) {
                self.clause("", 4);
            }
            let start = self.out.len();
            self.expr(&target.expr);
            let named = matches!(target.expr.kind, ExprKind::Var { .. })
                && self.out[start..].ends_with(&format!(".{}", quote_identifier(&target.name)));
            if !named {
                self.put(&format!(" AS {}", quote_identifier(&target.name)));
            }
        }
        if !query.from.is_empty() {
            self.clause(" FROM ", 2);
            for (at, from) in query.from.iter().enumerate() {
                if at > 0 {
                    self.put(",");
                    self.clause("", 4);
                }
                self.from(from, query);
            }
        }
        if let Some(filter) = &query.filter {
            self.clause(" WHERE ", 1);
            self.bare(filter);
        }
        self.group(query);
        if let Some(having) = &query.having {
            self.clause(" HAVING ", 0);
            self.bare(having);
        }
    }

    fn group(&mut self, query: &Query) {
        let places = |printer: &mut Self, places: &[usize]| {
            for (at, place) in places.iter().enumerate() {
                if at > 0 {
                    printer.put(", ");
                }
                let expr = &query.targets[*place].expr;
                // A bare constant would be read as a place.
                if matches!(expr.kind, ExprKind::Const(_)) && !query.targets[*place].junk {
                    printer.put(&format!("{}", place + 1));
                } else {
                    printer.expr(expr);
                }
            }
        };
        match &query.group {
            Group::None => {}
            Group::Plain(list) => {
                self.clause(" GROUP BY ", 1);
                places(self, list);
            }
            Group::Sets(sets) => {
                self.clause(" GROUP BY GROUPING SETS (", 1);
                for (at, set) in sets.iter().enumerate() {
                    if at > 0 {
                        self.put(", ");
                    }
                    self.put("(");
                    places(self, set);
                    self.put(")");
                }
                self.put(")");
            }
        }
    }

    fn values(&mut self, rows: &[Vec<Expr>]) {
        self.put("VALUES ");
        for (at, row) in rows.iter().enumerate() {
            if at > 0 {
                self.put(", ");
            }
            self.put("(");
            self.list(row);
            self.put(")");
        }
    }

    fn tail(&mut self, query: &Query) {
        for (at, key) in query.sort.iter().enumerate() {
            if at > 0 {
                self.put(", ");
            } else {
                self.clause(" ORDER BY ", 1);
            }
            let target = &query.targets[key.column];
            if query.set_operation.is_some() {
                self.put(&quote_identifier(&target.name));
            } else if matches!(target.expr.kind, ExprKind::Const(_)) {
                self.put(&format!("{}", key.column + 1));
            } else {
                self.expr(&target.expr);
            }
            self.direction(key.descending, key.nulls_first);
        }
        if let Some(offset) = &query.offset {
            self.clause(" OFFSET ", 0);
            self.expr(offset);
        }
        if let Some(limit) = &query.limit {
            if query.with_ties {
                self.clause(" FETCH FIRST (", 0);
                self.expr(limit);
                self.put(") ROWS WITH TIES");
            } else {
                self.clause(" LIMIT ", 0);
                self.expr(limit);
            }
        }
        for mark in &query.row_marks {
            let word = match mark.mode {
                RecordMode::KeyShare => " FOR KEY SHARE",
                RecordMode::Share => " FOR SHARE",
                RecordMode::NoKeyUpdate => " FOR NO KEY UPDATE",
                RecordMode::Update => " FOR UPDATE",
            };
            self.clause(word, 0);
            let alias = self.alias(mark.rel);
            self.put(&format!(" OF {alias}"));
            match mark.wait {
                MarkWait::Block => {}
                MarkWait::SkipLocked => self.put(" SKIP LOCKED"),
                MarkWait::NoWait => self.put(" NOWAIT"),
            }
        }
    }

    fn alias(&self, rel: usize) -> String {
        self.scopes
            .last()
            .and_then(|scope| scope.rels.get(rel))
            .map_or_else(String::new, |rel| quote_identifier(&rel.alias))
    }

    fn set_operation(&mut self, operation: &SetOperation, query: &Query) {
        match operation {
            SetOperation::Leaf(at) => {
                if let RelKind::Subquery { query: leaf, .. } = &query.rels[*at].kind {
                    let bare = leaf.sort.is_empty()
                        && leaf.limit.is_none()
                        && leaf.offset.is_none()
                        && leaf.ctes.is_empty()
                        && leaf.row_marks.is_empty()
                        && leaf.set_operation.is_none();
                    self.put(if bare { "" } else { "(" });
                    self.query(leaf);
                    self.put(if bare { "" } else { ")" });
                }
            }
            SetOperation::Node {
                kind, all, left, right, ..
            } => {
                // The same operation on the left needs no parentheses.
                let left_nested = match &**left {
                    SetOperation::Node {
                        kind: below,
                        all: below_all,
                        ..
                    } => (below, below_all) != (kind, all),
                    SetOperation::Leaf(_) => false,
                };
                self.side(left, query, left_nested);
                self.line("", 0, 0);
                self.put(match kind {
                    SetKind::Union => "UNION ",
                    SetKind::Intersect => "INTERSECT ",
                    SetKind::Except => "EXCEPT ",
                });
                if *all {
                    self.put("ALL ");
                }
                let right_nested = matches!(**right, SetOperation::Node { .. });
                if !right_nested {
                    self.line("", 0, 0);
                }
                self.side(right, query, right_nested);
            }
        }
    }

    fn side(&mut self, operation: &SetOperation, query: &Query, nested: bool) {
        if !nested {
            return self.set_operation(operation, query);
        }
        self.put("(");
        self.line("", STD_INDENT, 0);
        self.set_operation(operation, query);
        self.line(")", -STD_INDENT, 0);
    }

    fn from(&mut self, from: &From, query: &Query) {
        match from {
            From::Rel(at) => self.rel(*at, &query.rels[*at]),
            From::Join {
                kind,
                left,
                right,
                condition,
            } => {
                self.put("(");
                self.from(left, query);
                let word = match (kind, condition) {
                    (JoinKind::Inner, None) => " CROSS JOIN ",
                    (JoinKind::Inner, Some(_)) => " JOIN ",
                    (JoinKind::Left, _) => " LEFT JOIN ",
                    (JoinKind::Right, _) => " RIGHT JOIN ",
                    (JoinKind::Full, _) => " FULL JOIN ",
                };
                self.clause(word, 4);
                self.from(right, query);
                if let Some(condition) = condition {
                    self.put(" ON (");
                    self.bare(condition);
                    self.put(")");
                }
                self.put(")");
            }
        }
    }

    fn rel(&mut self, at: usize, rel: &Rel) {
        let alias = self.alias(at);
        let columns = |printer: &Self| {
            let scope = printer.scopes.last();
            let names = scope.and_then(|scope| scope.rels.get(at)).map(|rel| rel.columns.clone());
            let live = names
                .unwrap_or_default()
                .into_iter()
                .zip(&rel.columns)
                .filter(|(_, c)| !c.dropped);
            live.map(|(name, _)| quote_identifier(&name)).collect::<Vec<_>>().join(", ")
        };
        match &rel.kind {
            RelKind::Table { table, .. } => {
                // By OID: a rename is said with the catalog that has it.
                let catalog = self.names.catalog;
                let table = catalog.table(table.oid).unwrap_or(table);
                let name = self.qualified(table.schema, &table.name);
                self.put(&name);
                let renamed = table
                    .columns
                    .iter()
                    .zip(&rel.columns)
                    .any(|(a, b)| !a.dropped && a.name != b.name);
                if renamed {
                    let columns = columns(self);
                    self.put(&format!(" {alias}({columns})"));
                } else if alias != quote_identifier(&table.name) {
                    self.put(&format!(" {alias}"));
                }
            }
            RelKind::Sequence(sequence) => {
                let name = self.qualified(sequence.schema, &sequence.name);
                self.put(&format!("{name} {alias}"));
            }
            RelKind::Subquery { view: Some(view), .. } => {
                let (name, bare, own) = match self.names.catalog.relation(*view) {
                    Some(RelationRef::View(view)) => {
                        let own = view.columns.iter().map(|column| column.name.as_str()).collect();
                        (self.qualified(view.schema, &view.name), quote_identifier(&view.name), own)
                    }
                    _ => (alias.clone(), String::new(), Vec::new()),
                };
                self.put(&name);
                self.alias_list(rel, &alias, &bare, &own, &columns(self));
            }
            RelKind::Subquery { query, view: None } => {
                self.put(if rel.lateral { "LATERAL (" } else { "(" });
                // A sub-select sees outer levels, not this one, unless it is lateral; the level counts either way.
                self.query(query);
                self.put(")");
                let targets = query.output_targets().iter().filter(|target| !target.junk);
                let own: Vec<&str> = targets.map(|target| target.name.as_str()).collect();
                self.alias_list(rel, &alias, "", &own, &columns(self));
            }
            RelKind::Values(rows) => {
                self.put("( ");
                self.values(rows);
                let columns = columns(self);
                self.put(&format!(") {alias}({columns})"));
            }
            RelKind::Functions { calls, ordinality } => {
                if calls.len() > 1 {
                    self.put("ROWS FROM(");
                }
                for (at, call) in calls.iter().enumerate() {
                    if at > 0 {
                        self.put(", ");
                    }
                    self.expr(&call.expr);
                }
                if calls.len() > 1 {
                    self.put(")");
                }
                if *ordinality {
                    self.put(" WITH ORDINALITY");
                }
                let columns = columns(self);
                self.put(&format!(" {alias}({columns})"));
            }
            RelKind::Cte { .. } => {
                let columns = columns(self);
                self.put(&format!("{} {alias}({columns})", quote_identifier(&rel.name)));
            }
            RelKind::Join => {}
        }
    }

    /// ` alias(columns)` after a relation called `bare`, as far as they say something new.
    fn alias_list(&mut self, rel: &Rel, alias: &str, bare: &str, own: &[&str], columns: &str) {
        let same = rel.columns.len() == own.len() && rel.columns.iter().zip(own).all(|(column, own)| column.name == *own);
        let unique = own.iter().enumerate().all(|(at, name)| !own[..at].contains(name));
        if !(same && unique) {
            self.put(&format!(" {alias}({columns})"));
        } else if alias != bare {
            self.put(&format!(" {alias}"));
        }
    }

    fn qualified(&self, schema: Oid, name: &str) -> String {
        match self.names.catalog.schema(schema) {
            Some(schema) => format!("{}.{}", quote_identifier(&schema.name), quote_identifier(name)),
            None => quote_identifier(name),
        }
    }

    pub(super) fn sublink(&mut self, link: &SubLink) {
        match &link.kind {
            SubLinkKind::Exists => self.put("(EXISTS ("),
            SubLinkKind::Scalar => self.put("("),
            SubLinkKind::Array => self.put("ARRAY("),
            SubLinkKind::Quantified { tests, all, operator } => {
                self.put("(");
                let lefts: Vec<&Expr> = tests.iter().filter_map(first_argument).collect();
                if let [only] = lefts.as_slice() {
                    self.expr(only);
                } else {
                    self.put("ROW(");
                    for (at, left) in lefts.iter().enumerate() {
                        if at > 0 {
                            self.put(", ");
                        }
                        self.expr(left);
                    }
                    self.put(")");
                }
                let word = if *all { "ALL" } else { "ANY" };
                // `IN` and `= ANY` are one.
                if !*all && *operator == "=" {
                    self.put(" IN (");
                } else {
                    self.put(&format!(" {operator} {word} ("));
                }
            }
        }
        self.query(&link.query);
        self.put(match &link.kind {
            SubLinkKind::Exists | SubLinkKind::Quantified { .. } => "))",
            SubLinkKind::Scalar | SubLinkKind::Array => ")",
        });
    }

    pub(super) fn grouping(&mut self, places: &[usize]) {
        let text: Vec<String> = places.iter().map(|place| format!("{}", place + 1)).collect();
        self.put(&format!("GROUPING({})", text.join(", ")));
    }

    pub(super) fn window(&mut self, call: &WindowCall) {
        let name = match call.function {
            WindowFunction::Builtin(kind) => window_name(kind).to_owned(),
            WindowFunction::Aggregate(function) => quote_identifier(function.name),
        };
        self.put(&name);
        self.put("(");
        if call.star {
            self.put("*");
        }
        self.list(&call.args);
        self.put(")");
        self.filter(call.filter.as_ref());
        self.over(call.window);
    }

    /// ` OVER (...)` with the window written out.
    fn over(&mut self, at: usize) {
        let window = self.scopes.last().and_then(|scope| scope.windows.get(at)).cloned();
        self.put(" OVER (");
        if let Some(window) = window {
            self.window_definition(&window);
        }
        self.put(")");
    }

    fn window_definition(&mut self, window: &Window) {
        if !window.partition.is_empty() {
            self.put("PARTITION BY ");
            self.list(&window.partition);
        }
        for (at, key) in window.order.iter().enumerate() {
            self.put(match (at, window.partition.is_empty()) {
                (0, true) => "ORDER BY ",
                (0, false) => " ORDER BY ",
                _ => ", ",
            });
            self.expr(&key.expr);
            self.direction(key.descending, key.nulls_first);
        }
        let frame = &window.frame;
        let default = frame.mode == FrameMode::Range
            && matches!(frame.start, FrameBound::UnboundedPreceding)
            && matches!(frame.end, FrameBound::CurrentRow);
        if default {
            return;
        }
        self.put(match frame.mode {
            FrameMode::Rows => " ROWS BETWEEN ",
            FrameMode::Range => " RANGE BETWEEN ",
            FrameMode::Groups => " GROUPS BETWEEN ",
        });
        self.frame_bound(&frame.start);
        self.put(" AND ");
        self.frame_bound(&frame.end);
    }

    fn frame_bound(&mut self, bound: &FrameBound) {
        match bound {
            FrameBound::UnboundedPreceding => self.put("UNBOUNDED PRECEDING"),
            FrameBound::CurrentRow => self.put("CURRENT ROW"),
            FrameBound::UnboundedFollowing => self.put("UNBOUNDED FOLLOWING"),
            FrameBound::Preceding(offset) => {
                self.expr(offset);
                self.put(" PRECEDING");
            }
            FrameBound::Following(offset) => {
                self.expr(offset);
                self.put(" FOLLOWING");
            }
        }
    }
}

fn window_name(kind: crate::functions::WindowKind) -> &'static str {
    use crate::functions::WindowKind as K;
    match kind {
        K::RowNumber => "row_number",
        K::Rank => "rank",
        K::DenseRank => "dense_rank",
        K::PercentRank => "percent_rank",
        K::CumeDist => "cume_dist",
        K::Ntile => "ntile",
        K::Lag => "lag",
        K::Lead => "lead",
        K::FirstValue => "first_value",
        K::LastValue => "last_value",
        K::NthValue => "nth_value",
    }
}

fn first_argument(test: &Expr) -> Option<&Expr> {
    match &test.kind {
        ExprKind::Call(call) => call.args.first(),
        ExprKind::RowCompare { left, .. } => left.first(),
        _ => None,
    }
}

/// Column names of a rel, made unlike each other so that each can be referred to.
fn unique_columns(columns: &[RelColumn]) -> Vec<SmolStr> {
    let mut names: Vec<SmolStr> = Vec::with_capacity(columns.len());
    for column in columns {
        let mut name = column.name.clone();
        let mut suffix = 0;
        while names.contains(&name) {
            suffix += 1;
            name = format!("{}_{suffix}", column.name).into();
        }
        names.push(name);
    }
    names
}
