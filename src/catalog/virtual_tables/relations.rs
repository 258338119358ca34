//! `pg_class` and `pg_rewrite`.

use smol_str::SmolStr;

use super::{RULE, Row, acl, ch, derived_oid, int2, oid, options, text};
use crate::catalog::catalog::{Catalog, PG_CATALOG};
use crate::catalog::objects::{ConstraintKind, Index, Sequence, Table, View};
use crate::catalog::server_state::VirtualContext;
use crate::error::Result;
use crate::ids::Oid;
use crate::types::Value;

const HEAP: Oid = Oid(2);
const BTREE: Oid = Oid(403);
const HASH: Oid = Oid(405);
/// Tablespace of shared relations.
const PG_GLOBAL: Oid = Oid(1664);

/// What differs between relations in a row of `pg_class`.
struct ClassRow<'a> {
    oid: Oid,
    name: &'a SmolStr,
    schema: Oid,
    row_type: Oid,
    owner: Oid,
    method: Oid,
    file: Oid,
    pages: i32,
    tuples: f32,
    has_index: bool,
    shared: bool,
    persistence: char,
    kind: char,
    columns: usize,
    checks: usize,
    has_rules: bool,
    has_triggers: bool,
    identity: char,
    frozen: u32,
    acl: Option<&'a [String]>,
    options: &'a [(SmolStr, String)],
}

fn row(class: &ClassRow<'_>) -> Row {
    let none = Value::Bool(false);
    vec![
        oid(class.oid),
        text(class.name),
        oid(class.schema),
        oid(class.row_type),
        Value::Oid(0),
        oid(class.owner),
        oid(class.method),
        oid(class.file),
        oid(if class.shared { PG_GLOBAL } else { Oid::INVALID }),
        Value::Int4(class.pages),
        Value::Float4(class.tuples),
        Value::Int4(0),
        Value::Oid(0),
        Value::Bool(class.has_index),
        Value::Bool(class.shared),
        ch(class.persistence),
        ch(class.kind),
        int2(class.columns),
        int2(class.checks),
        Value::Bool(class.has_rules),
        Value::Bool(class.has_triggers),
        none.clone(),
        none.clone(),
        none.clone(),
        Value::Bool(true),
        ch(class.identity),
        none,
        Value::Oid(0),
        Value::Oid(class.frozen),
        Value::Oid(u32::from(class.frozen > 0)),
        acl(class.acl),
        options(class.options),
        Value::Null,
    ]
}

pub(super) fn pg_class(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let catalog = context.catalog;
    let mut rows: Vec<Row> = Vec::with_capacity(512);
    rows.extend(catalog.tables().map(|table| table_row(catalog, table)));
    rows.extend(catalog.indexes().map(|index| index_row(catalog, index)));
    rows.extend(catalog.sequences().map(|sequence| sequence_row(sequence)));
    rows.extend(catalog.views().map(|view| view_row(view)));
    rows.extend(composite_rows(catalog));
    Ok(rows)
}

/// `reltuples` and `relpages` as ANALYZE left them.
fn counts(catalog: &Catalog, table: Oid) -> (f32, i32) {
    match catalog.statistics(table) {
        #[expect(clippy::cast_possible_truncation, reason = "an estimate, in PostgreSQL's type")]
        Some(found) => (found.rows as f32, i32::try_from(found.pages).unwrap_or(i32::MAX)),
        None => (-1.0, 0),
    }
}

fn table_row(catalog: &Catalog, table: &Table) -> Row {
    let system = table.virtual_source.is_some();
    let view = table.is_system_view();
    let (tuples, pages) = counts(catalog, table.oid);
    let checks = |kind: &ConstraintKind| matches!(kind, ConstraintKind::Check { .. });
    let refers = |kind: &ConstraintKind| matches!(kind, ConstraintKind::ForeignKey(_));
    let has = |test: &dyn Fn(&ConstraintKind) -> bool| table.constraints.iter().filter(|one| test(&one.kind)).count();
    row(&ClassRow {
        oid: table.oid,
        name: &table.name,
        schema: table.schema,
        row_type: table.row_type,
        owner: table.owner,
        method: if view { Oid::INVALID } else { HEAP },
        file: if system { Oid::INVALID } else { table.oid },
        pages,
        tuples,
        has_index: !table.indexes.is_empty(),
        shared: table.is_shared(),
        persistence: persistence(table.temporary, table.unlogged),
        kind: if view { 'v' } else { 'r' },
        columns: table.columns.len(),
        checks: has(&checks),
        has_rules: view,
        has_triggers: has(&refers) > 0 || !catalog.foreign_keys_to(table.oid).is_empty(),
        identity: if table.schema == PG_CATALOG || view { 'n' } else { 'd' },
        frozen: if view { 0 } else { 726 },
        acl: table.acl.as_deref(),
        options: if system { &[] } else { &table.options },
    })
}

fn persistence(temporary: bool, unlogged: bool) -> char {
    match (temporary, unlogged) {
        (true, _) => 't',
        (false, true) => 'u',
        (false, false) => 'p',
    }
}

fn index_row(catalog: &Catalog, index: &Index) -> Row {
    let table = catalog.table(index.table);
    let (tuples, _) = counts(catalog, index.table);
    row(&ClassRow {
        oid: index.oid,
        name: &index.name,
        schema: index.schema,
        row_type: Oid::INVALID,
        owner: table.map_or(Oid::INVALID, |table| table.owner),
        method: if index.method == "hash" { HASH } else { BTREE },
        file: index.oid,
        pages: 1,
        tuples: tuples.max(0.0),
        has_index: false,
        shared: false,
        persistence: table.map_or('p', |table| persistence(table.temporary, table.unlogged)),
        kind: 'i',
        columns: index.keys.len() + index.include.len(),
        checks: 0,
        has_rules: false,
        has_triggers: false,
        identity: 'n',
        frozen: 0,
        acl: None,
        options: &index.options,
    })
}

fn sequence_row(sequence: &Sequence) -> Row {
    row(&ClassRow {
        oid: sequence.oid,
        name: &sequence.name,
        schema: sequence.schema,
        row_type: Oid::INVALID,
        owner: sequence.owner,
        method: Oid::INVALID,
        file: sequence.oid,
        pages: 1,
        tuples: 1.0,
        has_index: false,
        shared: false,
        persistence: persistence(sequence.temporary, false),
        kind: 'S',
        columns: 3,
        checks: 0,
        has_rules: false,
        has_triggers: false,
        identity: 'n',
        frozen: 0,
        acl: None,
        options: &[],
    })
}

fn view_row(view: &View) -> Row {
    row(&ClassRow {
        oid: view.oid,
        name: &view.name,
        schema: view.schema,
        row_type: view.row_type,
        owner: view.owner,
        method: Oid::INVALID,
        file: Oid::INVALID,
        pages: 0,
        tuples: -1.0,
        has_index: false,
        shared: false,
        persistence: 'p',
        kind: 'v',
        columns: view.columns.len(),
        checks: 0,
        has_rules: true,
        has_triggers: false,
        identity: 'n',
        frozen: 0,
        acl: None,
        options: &view.options,
    })
}

/// Composite types have a relation that holds their columns; its OID is derived from the type's.
fn composite_rows(catalog: &Catalog) -> impl Iterator<Item = Row> {
    super::type_rows::composites(catalog).map(|(ty, columns)| {
        row(&ClassRow {
            oid: derived_oid(ty.oid, RULE),
            name: &ty.name,
            schema: ty.schema,
            row_type: ty.oid,
            owner: ty.owner,
            method: Oid::INVALID,
            file: Oid::INVALID,
            pages: 0,
            tuples: -1.0,
            has_index: false,
            shared: false,
            persistence: 'p',
            kind: 'c',
            columns: columns.len(),
            checks: 0,
            has_rules: false,
            has_triggers: false,
            identity: 'n',
            frozen: 0,
            acl: None,
            options: &[],
        })
    })
}

pub(super) fn pg_rewrite(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let rule = |view: &View| {
        vec![
            oid(derived_oid(view.oid, RULE)),
            text("_RETURN"),
            oid(view.oid),
            ch('1'),
            ch('O'),
            Value::Bool(true),
            text("<>"),
            text(&view.query),
        ]
    };
    Ok(context.catalog.views().map(|view| rule(view)).collect())
}
