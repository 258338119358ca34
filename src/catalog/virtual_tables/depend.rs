//! `pg_depend` and `pg_shdepend`: who needs whom, as far as objects know it.

use super::{RULE, Row, attnum, ch, constraints, derived_oid, extension, oid};
use crate::catalog::catalog::{Catalog, PG_CATALOG, TypeRef, class};
use crate::catalog::deparse::named_columns;
use crate::catalog::objects::{ConstraintKind, Identity, Index, IndexExpr, Table, View};
use crate::catalog::server_state::VirtualContext;
use crate::error::Result;
use crate::ids::Oid;
use crate::types::Value;

const REWRITE: Oid = Oid(2618);

#[derive(Clone, Copy)]
struct Object(Oid, Oid, i16);

struct Dependencies(Vec<Row>);

impl Dependencies {
    fn add(&mut self, Object(of, object, sub): Object, Object(on, target, target_sub): Object, kind: char) {
        self.0.push(vec![
            oid(of),
            oid(object),
            Value::Int4(i32::from(sub)),
            oid(on),
            oid(target),
            Value::Int4(i32::from(target_sub)),
            ch(kind),
        ]);
    }

    fn on_schema(&mut self, object: Object, schema: Oid) {
        if schema != PG_CATALOG {
            self.add(object, Object(class::NAMESPACE, schema, 0), 'n');
        }
    }

    fn table(&mut self, catalog: &Catalog, table: &Table) {
        let relation = |sub| Object(class::RELATION, table.oid, sub);
        self.on_schema(relation(0), table.schema);
        self.add(Object(class::TYPE, table.row_type, 0), relation(0), 'i');
        self.add(
            Object(class::TYPE, table.array_type, 0),
            Object(class::TYPE, table.row_type, 0),
            'i',
        );
        for (place, column) in table.live_columns() {
            let number = i16::try_from(place + 1).unwrap_or(i16::MAX);
            if catalog.type_ref(column.ty).is_some() {
                self.add(relation(number), Object(class::TYPE, column.ty, 0), 'n');
            }
            if column.default.is_some() || column.generated.is_some() {
                let default = Object(class::ATTRDEF, derived_oid(table.oid, place), 0);
                self.add(default, relation(number), if column.generated.is_some() { 'i' } else { 'a' });
                for sequence in sequences_in(catalog, table, place) {
                    self.add(default, Object(class::RELATION, sequence, 0), 'n');
                }
            }
        }
        for constraint in &table.constraints {
            let of = Object(class::CONSTRAINT, constraint.oid, 0);
            let columns = match &constraint.kind {
                ConstraintKind::PrimaryKey { index } | ConstraintKind::Unique { index } => {
                    self.add(Object(class::RELATION, *index, 0), of, 'i');
                    constraints::index_columns(catalog, *index)
                }
                ConstraintKind::Check { columns, .. } => columns.clone(),
                ConstraintKind::ForeignKey(key) => {
                    for place in &key.parent_columns {
                        self.add(of, Object(class::RELATION, key.parent, attnum(*place)), 'n');
                    }
                    self.add(of, Object(class::RELATION, key.parent_index, 0), 'n');
                    key.columns.clone()
                }
            };
            for place in columns {
                self.add(of, relation(attnum(place)), 'a');
            }
        }
    }

    /// An index without a constraint hangs on its columns, or on the table where it has only expressions.
    fn index(&mut self, catalog: &Catalog, index: &Index) {
        if index.constraint.is_some() {
            return;
        }
        let of = Object(class::RELATION, index.oid, 0);
        let table = catalog.table(index.table);
        let named = |source: &str| table.map_or_else(Vec::new, |table| named_columns(table, source));
        let mut places: Vec<i16> = index
            .keys
            .iter()
            .flat_map(|key| match &key.expr {
                IndexExpr::Column(place) => vec![*place],
                IndexExpr::Expression(source) => named(source),
            })
            .chain(index.include.iter().copied())
            .chain(index.predicate.as_deref().map_or_else(Vec::new, named))
            .map(attnum)
            .collect();
        if places.is_empty() {
            places.push(0);
        }
        for place in places {
            self.add(of, Object(class::RELATION, index.table, place), 'a');
        }
    }

    fn view(&mut self, catalog: &Catalog, view: &View) {
        let relation = Object(class::RELATION, view.oid, 0);
        let rule = Object(REWRITE, derived_oid(view.oid, RULE), 0);
        self.on_schema(relation, view.schema);
        self.add(Object(class::TYPE, view.row_type, 0), relation, 'i');
        self.add(rule, relation, 'i');
        self.add(rule, relation, 'n');
        for on in &view.depends_on {
            if catalog.relation(*on).is_some() {
                self.add(rule, Object(class::RELATION, *on, 0), 'n');
            } else if catalog.type_ref(*on).is_some() {
                self.add(rule, Object(class::TYPE, *on, 0), 'n');
            }
        }
    }
}

/// Sequences that a column's default calls: the one that the column owns.
fn sequences_in(catalog: &Catalog, table: &Table, place: usize) -> Vec<Oid> {
    let place = u16::try_from(place).unwrap_or(u16::MAX);
    catalog
        .sequences()
        .filter(|one| one.owned_by == Some((table.oid, place)) && !one.identity)
        .map(|one| one.oid)
        .collect()
}

pub(super) fn pg_depend(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let catalog = context.catalog;
    let mut all = Dependencies(extension::members(context));
    for table in catalog.user_tables() {
        all.table(catalog, table);
    }
    for index in catalog.indexes() {
        all.index(catalog, index);
    }
    for sequence in catalog.sequences() {
        let of = Object(class::RELATION, sequence.oid, 0);
        all.on_schema(of, sequence.schema);
        if let Some((table, place)) = sequence.owned_by {
            let is_identity = sequence.identity
                || catalog
                    .table(table)
                    .and_then(|table| table.columns.get(usize::from(place)))
                    .is_some_and(|column| matches!(column.identity, Some(Identity::Always | Identity::ByDefault)));
            all.add(
                of,
                Object(class::RELATION, table, attnum(place)),
                if is_identity { 'i' } else { 'a' },
            );
        }
    }
    for view in catalog.user_views() {
        all.view(catalog, view);
    }
    for ty in catalog.user_types() {
        if matches!(catalog.type_ref(ty.oid), Some(TypeRef::User(_))) && ty.oid.0 >= Oid::FIRST_USER.0 {
            all.on_schema(Object(class::TYPE, ty.oid, 0), ty.schema);
            all.add(Object(class::TYPE, ty.array_type, 0), Object(class::TYPE, ty.oid, 0), 'i');
        }
    }
    Ok(all.0)
}

/// Owners, of objects that users made.
pub(super) fn pg_shdepend(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let catalog = context.catalog;
    let row = |of: Oid, object: Oid, owner: Oid| {
        vec![
            oid(catalog.database),
            oid(of),
            oid(object),
            Value::Int4(0),
            oid(class::AUTHID),
            oid(owner),
            ch('o'),
        ]
    };
    // PostgreSQL pins the bootstrap superuser and records nothing for it.
    let mut rows = Vec::new();
    let mut add = |of, object, owner: Oid| {
        if owner.0 >= Oid::FIRST_USER.0 {
            rows.push(row(of, object, owner));
        }
    };
    catalog.user_tables().for_each(|one| add(class::RELATION, one.oid, one.owner));
    catalog.sequences().for_each(|one| add(class::RELATION, one.oid, one.owner));
    catalog.user_views().for_each(|one| add(class::RELATION, one.oid, one.owner));
    catalog.user_types().for_each(|one| add(class::TYPE, one.oid, one.owner));
    catalog.schemas().for_each(|one| add(class::NAMESPACE, one.oid, one.owner));
    Ok(rows)
}
