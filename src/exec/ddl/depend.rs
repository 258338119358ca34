//! What depends on what: found in the objects themselves, since the catalog keeps no table of dependencies.

use std::sync::Arc;

use super::column::{place, regclass_literal};
use super::context::DdlContext;
use crate::catalog::{Catalog, Change, Constraint, ConstraintKind, Index, IndexExpr, Object, Table, UserTypeKind, View};
use crate::ids::Oid;

/// Something that can be dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    Schema(Oid),
    Table(Oid),
    View(Oid),
    Sequence(Oid),
    Index(Oid),
    Type(Oid),
    /// Table and place.
    Column(Oid, u16),
    /// The default of a column.
    Default(Oid, u16),
    /// Table and constraint.
    Constraint(Oid, Oid),
}

/// How a dependent goes along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    /// It is part of the other: goes without a word.
    Part,
    /// It stands by itself: RESTRICT refuses, CASCADE tells.
    Own,
}

/// A dependent that was found, and through what.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub node: Node,
    pub via: Node,
    pub strength: Strength,
}

/// All that goes with `targets`, each once, in PostgreSQL's order; the targets are not in it.
pub fn collect(ctx: &DdlContext<'_>, catalog: &Arc<Catalog>, targets: &[Node]) -> Vec<Found> {
    let mut search = Search {
        ctx,
        catalog,
        seen: targets.to_vec(),
        found: Vec::new(),
    };
    for target in targets {
        search.visit(*target);
    }
    search.found
}

struct Search<'a> {
    ctx: &'a DdlContext<'a>,
    catalog: &'a Arc<Catalog>,
    seen: Vec<Node>,
    found: Vec<Found>,
}

impl Search<'_> {
    fn visit(&mut self, node: Node) {
        let mut dependents = self.dependents(node);
        dependents.sort_by_key(|(dependent, _)| oid_of(*dependent));
        // What depends on this directly is told so, even where it also depends on a part of it.
        let mut fresh = Vec::with_capacity(dependents.len());
        for (dependent, strength) in dependents {
            if !self.covered(dependent) {
                self.seen.push(dependent);
                fresh.push(Found {
                    node: dependent,
                    via: node,
                    strength,
                });
            }
        }
        for found in fresh {
            let dependent = found.node;
            self.found.push(found);
            self.visit(dependent);
        }
    }

    /// Whether it goes already, by itself or with its table.
    fn covered(&self, node: Node) -> bool {
        if self.seen.contains(&node) {
            return true;
        }
        match node {
            Node::Column(table, _) | Node::Constraint(table, _) => self.seen.contains(&Node::Table(table)),
            Node::Default(table, column) => {
                self.seen.contains(&Node::Table(table)) || self.seen.contains(&Node::Column(table, column))
            }
            _ => false,
        }
    }

    fn dependents(&self, node: Node) -> Vec<(Node, Strength)> {
        let mut out = Vec::new();
        match node {
            Node::Schema(oid) => self.of_schema(oid, &mut out),
            Node::Table(oid) => self.of_table(oid, &mut out),
            Node::View(oid) => {
                self.views_on(oid, &mut out);
                if let Some(view) = self.catalog.view(oid) {
                    self.uses_of_type(view.row_type, Oid::INVALID, &mut out);
                }
            }
            Node::Sequence(oid) => self.of_sequence(oid, &mut out),
            Node::Index(oid) => self.of_index(oid, &mut out),
            Node::Type(oid) => {
                self.views_on(oid, &mut out);
                let array = self.catalog.user_type(oid).map_or(Oid::INVALID, |one| one.array_type);
                self.uses_of_type(oid, array, &mut out);
            }
            Node::Column(table, column) => self.of_column(table, column, &mut out),
            Node::Default(..) => {}
            Node::Constraint(table, constraint) => {
                if let Some(index) = self.constraint(table, constraint).and_then(key_index) {
                    out.push((Node::Index(index), Strength::Part));
                }
            }
        }
        out
    }

    fn constraint(&self, table: Oid, constraint: Oid) -> Option<&Constraint> {
        self.catalog
            .table(table)?
            .constraints
            .iter()
            .find(|one| one.oid == constraint)
    }

    fn of_schema(&self, schema: Oid, out: &mut Vec<(Node, Strength)>) {
        for table in self.catalog.user_tables().filter(|one| one.schema == schema) {
            out.push((Node::Table(table.oid), Strength::Own));
        }
        for view in self.catalog.user_views().filter(|one| one.schema == schema) {
            out.push((Node::View(view.oid), Strength::Own));
        }
        for sequence in self
            .catalog
            .sequences()
            .filter(|one| one.schema == schema && one.owned_by.is_none())
        {
            out.push((Node::Sequence(sequence.oid), Strength::Own));
        }
        for ty in self.catalog.user_types().filter(|one| one.schema == schema) {
            out.push((Node::Type(ty.oid), Strength::Own));
        }
    }

    fn of_table(&self, oid: Oid, out: &mut Vec<(Node, Strength)>) {
        let Some(table) = self.catalog.table(oid) else { return };
        for index in &table.indexes {
            out.push((Node::Index(*index), Strength::Part));
        }
        for (child, constraint) in self.catalog.foreign_keys_to(oid) {
            if *child != oid {
                out.push((Node::Constraint(*child, *constraint), Strength::Own));
            }
        }
        for sequence in self.catalog.sequences() {
            if sequence.owned_by.is_some_and(|(owner, _)| owner == oid) {
                out.push((Node::Sequence(sequence.oid), Strength::Part));
            }
        }
        self.views_on(oid, out);
        self.uses_of_type(table.row_type, table.array_type, out);
    }

    fn views_on(&self, oid: Oid, out: &mut Vec<(Node, Strength)>) {
        for view in self.catalog.user_views().filter(|view| view.depends_on.contains(&oid)) {
            out.push((Node::View(view.oid), Strength::Own));
        }
    }

    fn uses_of_type(&self, ty: Oid, array: Oid, out: &mut Vec<(Node, Strength)>) {
        let uses = |one: Oid| one == ty || array.is_valid() && one == array;
        for table in self.catalog.user_tables() {
            for (at, column) in table.live_columns() {
                if uses(column.ty) {
                    out.push((Node::Column(table.oid, place(at)), Strength::Own));
                }
            }
        }
        for other in self.catalog.user_types() {
            let depends = match &other.kind {
                UserTypeKind::Enum(_) => false,
                UserTypeKind::Composite(columns) => columns.iter().any(|column| uses(column.ty)),
                UserTypeKind::Domain { base, .. } => uses(*base),
            };
            if depends {
                out.push((Node::Type(other.oid), Strength::Own));
            }
        }
    }

    fn of_sequence(&self, oid: Oid, out: &mut Vec<(Node, Strength)>) {
        let Some(sequence) = self.catalog.sequence(oid) else { return };
        let schema = self
            .catalog
            .schema(sequence.schema)
            .map(|one| one.name.clone())
            .unwrap_or_default();
        let literal = regclass_literal(&schema, &sequence.name);
        for table in self.catalog.user_tables() {
            for (at, column) in table.live_columns() {
                if column.default.as_ref().is_some_and(|text| text.contains(&literal)) {
                    out.push((Node::Default(table.oid, place(at)), Strength::Own));
                }
            }
        }
    }

    fn of_index(&self, oid: Oid, out: &mut Vec<(Node, Strength)>) {
        let Some(index) = self.catalog.index(oid) else { return };
        for (child, constraint) in self.catalog.foreign_keys_to(index.table) {
            let refers = self
                .constraint(*child, *constraint)
                .is_some_and(|one| matches!(&one.kind, ConstraintKind::ForeignKey(key) if key.parent_index == oid));
            if refers {
                out.push((Node::Constraint(*child, *constraint), Strength::Own));
            }
        }
    }

    fn of_column(&self, oid: Oid, column: u16, out: &mut Vec<(Node, Strength)>) {
        let Some(table) = self.catalog.table(oid) else { return };
        for index in self.catalog.indexes_of(table) {
            if index.constraint.is_none() && index_uses(table, index, column) {
                out.push((Node::Index(index.oid), Strength::Part));
            }
        }
        for constraint in &table.constraints {
            if constraint_uses(self.catalog, constraint, column) {
                out.push((Node::Constraint(oid, constraint.oid), Strength::Part));
            }
        }
        for (child, constraint) in self.catalog.foreign_keys_to(oid) {
            let refers = self
                .constraint(*child, *constraint)
                .is_some_and(|one| matches!(&one.kind, ConstraintKind::ForeignKey(key) if key.parent_columns.contains(&column)));
            if refers {
                out.push((Node::Constraint(*child, *constraint), Strength::Own));
            }
        }
        for sequence in self.catalog.sequences().filter(|one| one.owned_by == Some((oid, column))) {
            out.push((Node::Sequence(sequence.oid), Strength::Part));
        }
        for (at, other) in table.live_columns() {
            if other.generated.as_ref().is_some_and(|text| text_uses(table, text, column)) {
                out.push((Node::Column(oid, place(at)), Strength::Own));
            }
        }
        for view in views_using(self.ctx, self.catalog, table, column) {
            out.push((Node::View(view.oid), Strength::Own));
        }
    }
}

fn oid_of(node: Node) -> Oid {
    match node {
        Node::Schema(oid) | Node::Table(oid) | Node::View(oid) | Node::Sequence(oid) | Node::Index(oid) | Node::Type(oid) => oid,
        Node::Column(table, _) | Node::Default(table, _) => table,
        Node::Constraint(_, constraint) => constraint,
    }
}

/// The index that enforces a PRIMARY KEY or UNIQUE constraint.
pub fn key_index(constraint: &Constraint) -> Option<Oid> {
    match constraint.kind {
        ConstraintKind::PrimaryKey { index } | ConstraintKind::Unique { index } => Some(index),
        ConstraintKind::Check { .. } | ConstraintKind::ForeignKey(_) => None,
    }
}

/// Whether an index reads or includes a column.
pub fn index_uses(table: &Table, index: &Index, column: u16) -> bool {
    index.include.contains(&column)
        || index.predicate.as_ref().is_some_and(|text| text_uses(table, text, column))
        || index.keys.iter().any(|key| match &key.expr {
            IndexExpr::Column(at) => *at == column,
            IndexExpr::Expression(text) => text_uses(table, text, column),
        })
}

/// Whether a constraint of the table itself names a column.
pub fn constraint_uses(catalog: &Catalog, constraint: &Constraint, column: u16) -> bool {
    match &constraint.kind {
        ConstraintKind::Check { columns, .. } => columns.contains(&column),
        ConstraintKind::ForeignKey(key) => key.columns.contains(&column),
        ConstraintKind::PrimaryKey { index } | ConstraintKind::Unique { index } => catalog.index(*index).is_some_and(|index| {
            index.include.contains(&column)
                || index
                    .keys
                    .iter()
                    .any(|key| matches!(key.expr, IndexExpr::Column(at) if at == column))
        }),
    }
}

/// Whether the text of an expression names a column of the table.
pub fn text_uses(table: &Table, text: &str, column: u16) -> bool {
    let Ok(expr) = crate::parse::parse_expression(text) else {
        return true;
    };
    let name = &table.columns[usize::from(column)].name;
    let mut uses = false;
    let _ = sqlparser::ast::visit_expressions(&expr, |part| {
        match part {
            sqlparser::ast::Expr::Identifier(ident) => uses |= crate::parse::ident_name(ident) == *name,
            sqlparser::ast::Expr::CompoundIdentifier(parts) => {
                uses |= parts.last().is_some_and(|ident| crate::parse::ident_name(ident) == *name);
            }
            _ => {}
        }
        std::ops::ControlFlow::<()>::Continue(())
    });
    uses
}

/// Views that could not be read without the column: found by reading their queries against a catalog without it.
pub fn views_using(ctx: &DdlContext<'_>, catalog: &Arc<Catalog>, table: &Table, column: u16) -> Vec<Arc<View>> {
    let candidates: Vec<Arc<View>> = catalog
        .user_views()
        .filter(|view| view.depends_on.contains(&table.oid))
        .cloned()
        .collect();
    if candidates.is_empty() {
        return candidates;
    }
    let mut without = table.clone();
    without.columns[usize::from(column)].dropped = true;
    let without = Arc::new(catalog.apply(&[Change::Put(Object::Table(Arc::new(without)))]));
    candidates
        .into_iter()
        .filter(|view| !super::view::is_readable(ctx, &without, view))
        .collect()
}

/// `constraint x_a_fkey on table x`, as messages name things.
pub fn describe(ctx: &DdlContext<'_>, catalog: &Catalog, node: Node) -> String {
    let relation = |oid: Oid| match catalog.relation(oid) {
        Some(one) => ctx.shown_name(one.schema(), one.name()),
        None => oid.to_string(),
    };
    let column = |table: Oid, at: u16| {
        catalog
            .table(table)
            .map(|one| one.columns[usize::from(at)].name.clone())
            .unwrap_or_default()
    };
    match node {
        Node::Schema(oid) => format!(
            "schema {}",
            catalog.schema(oid).map(|one| one.name.clone()).unwrap_or_default()
        ),
        Node::Table(oid) => format!("table {}", relation(oid)),
        Node::View(oid) => format!("view {}", relation(oid)),
        Node::Sequence(oid) => format!("sequence {}", relation(oid)),
        Node::Index(oid) => format!("index {}", relation(oid)),
        Node::Type(oid) => format!("type {}", crate::types::info::format_type(oid, -1, &*ctx.names)),
        Node::Column(table, at) => format!("column {} of table {}", column(table, at), relation(table)),
        Node::Default(table, at) => {
            format!("default value for column {} of table {}", column(table, at), relation(table))
        }
        Node::Constraint(table, constraint) => {
            let name = catalog
                .table(table)
                .and_then(|one| one.constraints.iter().find(|one| one.oid == constraint))
                .map(|one| one.name.clone())
                .unwrap_or_default();
            format!("constraint {name} on table {}", relation(table))
        }
    }
}
