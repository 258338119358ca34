//! `pg_attribute` and `pg_attrdef`.

use super::{Row, ch, derived_oid, oid, text, type_rows};
use crate::catalog::catalog::{Catalog, RelationRef};
use crate::catalog::objects::{Column, Identity, Index, IndexExpr};
use crate::catalog::server_state::VirtualContext;
use crate::error::Result;
use crate::ids::Oid;
use crate::types::Value;
use crate::types::oid as types;

/// Columns that every table has: name, type, attnum.
const SYSTEM_COLUMNS: [(&str, Oid, i16); 6] = [
    ("tableoid", types::OID, -6),
    ("cmax", types::CID, -5),
    ("xmax", types::XID, -4),
    ("cmin", types::CID, -3),
    ("xmin", types::XID, -2),
    ("ctid", types::TID, -1),
];

/// What a sequence shows as its columns.
pub(in crate::catalog) const SEQUENCE_COLUMNS: [(&str, Oid); 3] = [
    ("last_value", types::INT8),
    ("log_cnt", types::INT8),
    ("is_called", types::BOOL),
];

/// What differs between columns in a row of `pg_attribute`.
#[derive(Clone, Copy)]
struct Attribute<'a> {
    relation: Oid,
    name: &'a str,
    ty: Oid,
    typmod: i32,
    number: i16,
    not_null: bool,
    has_default: bool,
    has_missing: bool,
    identity: &'a str,
    generated: &'a str,
    dropped: bool,
    collation: Oid,
}

impl<'a> Attribute<'a> {
    fn plain(relation: Oid, name: &'a str, ty: Oid, number: i16) -> Self {
        Attribute {
            relation,
            name,
            ty,
            typmod: -1,
            number,
            not_null: false,
            has_default: false,
            has_missing: false,
            identity: "",
            generated: "",
            dropped: false,
            collation: Oid::INVALID,
        }
    }

    fn row(self, catalog: &Catalog) -> Row {
        let form = type_rows::physical(catalog, self.ty);
        let fixed = self.dropped || self.number < 0;
        let none = Value::Null;
        vec![
            oid(self.relation),
            text(self.name),
            oid(if self.dropped { Oid::INVALID } else { self.ty }),
            Value::Int4(if fixed { 0 } else { -1 }),
            Value::Int2(form.len),
            Value::Int2(self.number),
            Value::Int4(i32::from(form.is_array)),
            Value::Int4(-1),
            Value::Int4(self.typmod),
            Value::Bool(form.by_value),
            ch(form.align),
            ch(form.storage),
            text(""),
            Value::Bool(self.not_null),
            Value::Bool(self.has_default),
            Value::Bool(self.has_missing),
            text(self.identity),
            text(self.generated),
            Value::Bool(self.dropped),
            Value::Bool(true),
            Value::Int4(0),
            oid(self.collation),
            none.clone(),
            none.clone(),
            none.clone(),
            none,
        ]
    }
}

fn column_rows(catalog: &Catalog, relation: Oid, columns: &[Column], out: &mut Vec<Row>) {
    for (place, column) in columns.iter().enumerate() {
        let number = i16::try_from(place + 1).unwrap_or(i16::MAX);
        let dropped_name;
        let name = if column.dropped {
            dropped_name = format!("........pg.dropped.{number}........");
            &dropped_name
        } else {
            column.name.as_str()
        };
        let attribute = Attribute {
            typmod: column.typmod,
            not_null: column.not_null && !column.dropped,
            has_default: (column.default.is_some() || column.generated.is_some()) && !column.dropped,
            has_missing: column.missing.is_some() && !column.dropped,
            identity: match column.identity {
                Some(Identity::Always) => "a",
                Some(Identity::ByDefault) => "d",
                None => "",
            },
            generated: if column.generated.is_some() { "s" } else { "" },
            dropped: column.dropped,
            collation: column.collation,
            ..Attribute::plain(relation, name, column.ty, number)
        };
        out.push(attribute.row(catalog));
    }
}

/// Names of an index's columns: `expr`, `expr1`, ... and the function's name for expressions.
pub(in crate::catalog) fn index_column_names(catalog: &Catalog, index: &Index) -> Vec<String> {
    let table = catalog.table(index.table);
    let column = |place: u16| {
        table
            .and_then(|table| table.columns.get(usize::from(place)))
            .map_or_else(String::new, |column| column.name.to_string())
    };
    let mut names: Vec<String> = Vec::new();
    let keys = index.keys.iter().map(|key| match &key.expr {
        IndexExpr::Column(place) => column(*place),
        IndexExpr::Expression(source) => expression_name(source).to_owned(),
    });
    for wanted in keys.chain(index.include.iter().map(|place| column(*place))) {
        let mut name = wanted.clone();
        let mut count = 0;
        while names.contains(&name) {
            count += 1;
            name = format!("{wanted}{count}");
        }
        names.push(name);
    }
    names
}

/// As PostgreSQL names an index column for an expression: the function's name, else `expr`.
fn expression_name(source: &str) -> &str {
    match source.split_once('(') {
        Some((name, _)) if !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') => name,
        _ => "expr",
    }
}

fn index_rows(catalog: &Catalog, index: &Index, out: &mut Vec<Row>) {
    let table = catalog.table(index.table);
    let names = index_column_names(catalog, index);
    let column = |place: u16| table.and_then(|table| table.columns.get(usize::from(place)));
    let keys = index.keys.iter().map(|key| {
        let typmod = match key.expr {
            IndexExpr::Column(place) => column(place).map_or(-1, |column| column.typmod),
            IndexExpr::Expression(_) => -1,
        };
        (key.ty, typmod, key.collation)
    });
    let include = index
        .include
        .iter()
        .filter_map(|place| column(*place))
        .map(|column| (column.ty, column.typmod, Oid::INVALID));
    for (place, ((ty, typmod, collation), name)) in keys.chain(include).zip(&names).enumerate() {
        let number = i16::try_from(place + 1).unwrap_or(i16::MAX);
        let attribute = Attribute {
            typmod,
            collation,
            ..Attribute::plain(index.oid, name, ty, number)
        };
        out.push(attribute.row(catalog));
    }
}

pub(super) fn pg_attribute(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let catalog = context.catalog;
    let mut rows = Vec::with_capacity(4096);
    for table in catalog.tables() {
        column_rows(catalog, table.oid, &table.columns, &mut rows);
        if !table.is_system_view() {
            for (name, ty, number) in SYSTEM_COLUMNS {
                let attribute = Attribute {
                    not_null: true,
                    ..Attribute::plain(table.oid, name, ty, number)
                };
                rows.push(attribute.row(catalog));
            }
        }
    }
    for view in catalog.views() {
        column_rows(catalog, view.oid, &view.columns, &mut rows);
    }
    for (ty, columns) in type_rows::composites(catalog) {
        column_rows(catalog, derived_oid(ty.oid, super::RULE), columns, &mut rows);
    }
    for index in catalog.indexes() {
        index_rows(catalog, index, &mut rows);
    }
    for sequence in catalog.sequences() {
        for (number, (name, ty)) in (1..).zip(SEQUENCE_COLUMNS) {
            let attribute = Attribute {
                not_null: true,
                ..Attribute::plain(sequence.oid, name, ty, number)
            };
            rows.push(attribute.row(catalog));
        }
    }
    Ok(rows)
}

pub(super) fn pg_attrdef(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let catalog = context.catalog;
    let relations = catalog
        .user_tables()
        .map(RelationRef::Table)
        .chain(catalog.user_views().map(RelationRef::View));
    let mut rows = Vec::new();
    for relation in relations {
        for (place, column) in relation.columns().iter().enumerate() {
            let Some(source) = column.default.as_deref().or(column.generated.as_deref()) else {
                continue;
            };
            if column.dropped {
                continue;
            }
            rows.push(vec![
                oid(derived_oid(relation.oid(), place)),
                oid(relation.oid()),
                Value::Int2(i16::try_from(place + 1).unwrap_or(i16::MAX)),
                text(source),
            ]);
        }
    }
    Ok(rows)
}
