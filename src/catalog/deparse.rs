//! Definitions of indexes and constraints as `pg_get_indexdef` and `pg_get_constraintdef` print them.
//!
//! Expressions are stored as `pg_get_expr` prints them; here they are put into their statements, and [`mod@pretty`] takes
//! away the parentheses that PostgreSQL's pretty form leaves out.

use std::fmt::Write;

use super::catalog::Catalog;
use super::names::{COLLATIONS, CatalogNames};
use super::objects::{Constraint, ConstraintKind, ForeignAction, ForeignKey, Index, IndexExpr, IndexKey, Table};
use super::quote::{quote_identifier, quote_literal};
use super::virtual_tables::{default_opclass, opclass_named};

mod pretty;
mod query;

pub use pretty::{is_call, pretty};
pub use query::{display, named_columns, view_query};

/// The two forms that PostgreSQL prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// All parentheses, names with their schema where the form says so.
    Full,
    /// For people.
    Pretty,
}

impl Form {
    /// A stored expression in this form, with names as the path shows them.
    pub fn expression(self, names: CatalogNames<'_>, canonical: &str) -> String {
        let shown = display(names, canonical);
        match self {
            Form::Full => shown,
            Form::Pretty => pretty(&shown),
        }
    }
}

fn column_name(table: &Table, place: u16) -> String {
    table
        .columns
        .get(usize::from(place))
        .map_or_else(|| "?".to_owned(), |column| quote_identifier(&column.name).into_owned())
}

fn column_list(table: &Table, places: &[u16]) -> String {
    let names: Vec<String> = places.iter().map(|place| column_name(table, *place)).collect();
    names.join(", ")
}

/// One key of an index: the column, or the expression in parentheses unless it is a call.
fn key_expression(names: CatalogNames<'_>, table: &Table, key: &IndexKey, form: Form) -> String {
    match &key.expr {
        IndexExpr::Column(place) => column_name(table, *place),
        IndexExpr::Expression(canonical) => {
            let printed = form.expression(names, canonical);
            if is_call(canonical) { printed } else { format!("({printed})") }
        }
    }
}

/// `COLLATE`, operator class, `DESC`, `NULLS`, where they are not the defaults.
fn key_options(catalog: &Catalog, index: &Index, table: &Table, key: &IndexKey, out: &mut String) {
    let of_column = match key.expr {
        IndexExpr::Column(place) => table.columns.get(usize::from(place)).map(|column| column.collation),
        IndexExpr::Expression(_) => crate::types::info::info(key.ty).map(|row| row.collation),
    };
    if key.collation.is_valid()
        && of_column != Some(key.collation)
        && let Some((_, name)) = COLLATIONS.iter().find(|(oid, _)| *oid == key.collation)
    {
        let _ = write!(out, " COLLATE {}", quote_identifier(name));
    }
    let hash = index.method == "hash";
    if let Some(class) = &key.opclass
        && opclass_named(class, hash) != default_opclass(catalog, key.ty, hash).map(|(oid, _)| oid)
    {
        let _ = write!(out, " {}", quote_identifier(class));
    }
    if hash {
        return;
    }
    match (key.descending, key.nulls_first) {
        (false, false) => {}
        (false, true) => out.push_str(" NULLS FIRST"),
        (true, true) => out.push_str(" DESC"),
        (true, false) => out.push_str(" DESC NULLS LAST"),
    }
}

/// One column of an index, from 1, without its options; `None` past the end.
pub fn index_column(names: CatalogNames<'_>, index: &Index, number: usize, form: Form) -> Option<String> {
    let table = names.catalog.table(index.table)?;
    let at = number.checked_sub(1)?;
    match index.keys.get(at) {
        Some(key) => Some(key_expression(names, table, key, form)),
        None => index
            .include
            .get(at - index.keys.len())
            .map(|place| column_name(table, *place)),
    }
}

/// `CREATE [UNIQUE] INDEX ...`.
pub fn index_definition(names: CatalogNames<'_>, index: &Index, form: Form) -> Option<String> {
    let catalog = names.catalog;
    let table = catalog.table(index.table)?;
    let on = match form {
        Form::Full => names.qualified(table.schema, &table.name),
        Form::Pretty => names.relation_name(super::catalog::RelationRef::Table(table)),
    };
    let mut out = format!(
        "CREATE {}INDEX {} ON {on} USING {} (",
        if index.unique { "UNIQUE " } else { "" },
        quote_identifier(&index.name),
        quote_identifier(&index.method),
    );
    for (at, key) in index.keys.iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        out.push_str(&key_expression(names, table, key, form));
        key_options(catalog, index, table, key, &mut out);
    }
    out.push(')');
    if !index.include.is_empty() {
        let _ = write!(out, " INCLUDE ({})", column_list(table, &index.include));
    }
    if index.nulls_not_distinct {
        out.push_str(" NULLS NOT DISTINCT");
    }
    if !index.options.is_empty() {
        let _ = write!(out, " WITH ({})", option_list(&index.options));
    }
    if let Some(predicate) = &index.predicate {
        let _ = write!(out, " WHERE {}", form.expression(names, predicate));
    }
    Some(out)
}

/// `name='value', ...`, as PostgreSQL prints storage options.
fn option_list(options: &[(smol_str::SmolStr, String)]) -> String {
    let one = |(name, value): &(smol_str::SmolStr, String)| format!("{}={}", quote_identifier(name), quote_literal(value));
    options.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn key_constraint(catalog: &Catalog, table: &Table, index: crate::ids::Oid, word: &str) -> String {
    let Some(index) = catalog.index(index) else {
        return format!("{word} ()");
    };
    let nulls = if index.nulls_not_distinct { " NULLS NOT DISTINCT" } else { "" };
    let mut out = format!("{word}{nulls} ({})", column_list(table, &index.key_columns()));
    if !index.include.is_empty() {
        let _ = write!(out, " INCLUDE ({})", column_list(table, &index.include));
    }
    if !index.options.is_empty() {
        let _ = write!(out, " WITH ({})", option_list(&index.options));
    }
    out
}

fn action(action: ForeignAction) -> Option<&'static str> {
    match action {
        ForeignAction::NoAction => None,
        ForeignAction::Restrict => Some("RESTRICT"),
        ForeignAction::Cascade => Some("CASCADE"),
        ForeignAction::SetNull => Some("SET NULL"),
        ForeignAction::SetDefault => Some("SET DEFAULT"),
    }
}

fn foreign_key(names: CatalogNames<'_>, table: &Table, key: &ForeignKey) -> String {
    let mut out = format!("FOREIGN KEY ({}) REFERENCES ", column_list(table, &key.columns));
    match names.catalog.table(key.parent) {
        Some(parent) => {
            out.push_str(&names.relation_name(super::catalog::RelationRef::Table(parent)));
            let _ = write!(out, "({})", column_list(parent, &key.parent_columns));
        }
        None => out.push_str(&key.parent.to_string()),
    }
    if key.match_full {
        out.push_str(" MATCH FULL");
    }
    if let Some(word) = action(key.on_update) {
        let _ = write!(out, " ON UPDATE {word}");
    }
    if let Some(word) = action(key.on_delete) {
        let _ = write!(out, " ON DELETE {word}");
    }
    if !key.delete_set_columns.is_empty() {
        let _ = write!(out, " ({})", column_list(table, &key.delete_set_columns));
    }
    out
}

/// `PRIMARY KEY (...)`, `CHECK (...)`, ...
pub fn constraint_definition(names: CatalogNames<'_>, table: &Table, constraint: &Constraint, form: Form) -> String {
    let mut out = match &constraint.kind {
        ConstraintKind::PrimaryKey { index } => key_constraint(names.catalog, table, *index, "PRIMARY KEY"),
        ConstraintKind::Unique { index } => key_constraint(names.catalog, table, *index, "UNIQUE"),
        ConstraintKind::Check {
            expression, no_inherit, ..
        } => {
            let tail = if *no_inherit { " NO INHERIT" } else { "" };
            format!("CHECK ({}){tail}", form.expression(names, expression))
        }
        ConstraintKind::ForeignKey(key) => foreign_key(names, table, key),
    };
    if constraint.deferrable {
        out.push_str(" DEFERRABLE");
    }
    if constraint.initially_deferred {
        out.push_str(" INITIALLY DEFERRED");
    }
    if !constraint.validated {
        out.push_str(" NOT VALID");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::SearchPath;
    use crate::catalog::tests::sample;
    use crate::ids::Oid;

    #[test]
    fn definitions_are_postgresqls() {
        let catalog = sample();
        let path = SearchPath::resolve(&catalog, "public", "postgres");
        let names = CatalogNames {
            catalog: &catalog,
            path: &path,
        };
        let index = |oid, form| index_definition(names, catalog.index(Oid(oid)).expect("index"), form).expect("its table");
        assert_eq!(
            index(20003, Form::Full),
            "CREATE UNIQUE INDEX acct_pkey ON public.acct USING btree (id)"
        );
        assert_eq!(
            index(20017, Form::Full),
            "CREATE INDEX line_at ON public.\"Line\" USING btree (at DESC, ((id + 1))) WHERE (acct > 0)"
        );
        assert_eq!(
            index(20017, Form::Pretty),
            "CREATE INDEX line_at ON \"Line\" USING btree (at DESC, (id + 1)) WHERE acct > 0"
        );
        let line_at = catalog.index(Oid(20017)).expect("index");
        assert_eq!(index_column(names, line_at, 1, Form::Full).as_deref(), Some("at"));
        assert_eq!(index_column(names, line_at, 2, Form::Pretty).as_deref(), Some("(id + 1)"));
        let constraint = |table: u32, at: usize, form| {
            let table = catalog.table(Oid(table)).expect("table");
            constraint_definition(names, table, &table.constraints[at], form)
        };
        assert_eq!(constraint(20000, 0, Form::Full), "CHECK ((bal >= (0)::numeric))");
        assert_eq!(constraint(20000, 0, Form::Pretty), "CHECK (bal >= 0::numeric)");
        assert_eq!(constraint(20000, 1, Form::Full), "PRIMARY KEY (id)");
        assert_eq!(
            constraint(20010, 1, Form::Full),
            "FOREIGN KEY (acct) REFERENCES acct(id) ON DELETE CASCADE"
        );
    }
}
