//! `pg_constraint`: constraints of tables and checks of domains.

use super::{Row, array, attnum, ch, oid, oids, text};
use crate::catalog::catalog::Catalog;
use crate::catalog::directory;
use crate::catalog::objects::{Constraint, ConstraintKind, ForeignAction, ForeignKey, Table, UserTypeKind};
use crate::catalog::server_state::VirtualContext;
use crate::error::Result;
use crate::ids::Oid;
use crate::types::{Value, oid as types};

pub(super) fn pg_constraint(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let catalog = context.catalog;
    let mut rows = Vec::new();
    for table in catalog.user_tables() {
        rows.extend(
            table
                .constraints
                .iter()
                .map(|constraint| table_row(catalog, table, constraint)),
        );
    }
    for ty in catalog.user_types() {
        if let UserTypeKind::Domain { checks, .. } = &ty.kind {
            for (constraint, name, expression) in checks {
                let fields = Fields {
                    of_type: ty.oid,
                    expression: Some(expression),
                    ..Fields::new('c')
                };
                rows.push(fields.row(*constraint, name, ty.schema, [false, false, true]));
            }
        }
    }
    Ok(rows)
}

/// `pg_constraint.confupdtype` and `.confdeltype`.
pub(super) fn action(action: ForeignAction) -> char {
    match action {
        ForeignAction::NoAction => 'a',
        ForeignAction::Restrict => 'r',
        ForeignAction::Cascade => 'c',
        ForeignAction::SetNull => 'n',
        ForeignAction::SetDefault => 'd',
    }
}

struct Fields<'a> {
    kind: char,
    relation: Oid,
    of_type: Oid,
    index: Oid,
    no_inherit: bool,
    columns: Option<Vec<u16>>,
    foreign: Option<&'a ForeignKey>,
    operators: Option<Vec<Oid>>,
    expression: Option<&'a str>,
}

impl Fields<'_> {
    fn new(kind: char) -> Self {
        Fields {
            kind,
            relation: Oid::INVALID,
            of_type: Oid::INVALID,
            index: Oid::INVALID,
            no_inherit: false,
            columns: None,
            foreign: None,
            operators: None,
            expression: None,
        }
    }

    fn row(self, constraint: Oid, name: &str, schema: Oid, [deferrable, deferred, validated]: [bool; 3]) -> Row {
        let numbers = |columns: &[u16]| array(types::INT2, columns.iter().map(|place| Value::Int2(attnum(*place))).collect());
        let operators = self.operators.map_or(Value::Null, oids);
        let foreign = self.foreign;
        let of_foreign = |pick: &dyn Fn(&ForeignKey) -> char| ch(foreign.map_or(' ', pick));
        vec![
            oid(constraint),
            text(name),
            oid(schema),
            ch(self.kind),
            Value::Bool(deferrable),
            Value::Bool(deferred),
            Value::Bool(validated),
            oid(self.relation),
            oid(self.of_type),
            oid(self.index),
            Value::Oid(0),
            oid(foreign.map_or(Oid::INVALID, |key| key.parent)),
            of_foreign(&|key| action(key.on_update)),
            of_foreign(&|key| action(key.on_delete)),
            of_foreign(&|key| if key.match_full { 'f' } else { 's' }),
            Value::Bool(true),
            Value::Int4(0),
            Value::Bool(self.no_inherit),
            self.columns.as_deref().map_or(Value::Null, numbers),
            foreign.map_or(Value::Null, |key| numbers(&key.parent_columns)),
            operators.clone(),
            operators.clone(),
            operators,
            foreign
                .filter(|key| !key.delete_set_columns.is_empty())
                .map_or(Value::Null, |key| numbers(&key.delete_set_columns)),
            Value::Null,
            self.expression.map_or(Value::Null, text),
        ]
    }
}

/// Key columns of the index behind a constraint (0-based).
pub(super) fn index_columns(catalog: &Catalog, index: Oid) -> Vec<u16> {
    catalog.index(index).map_or_else(Vec::new, |index| index.key_columns())
}

fn table_row(catalog: &Catalog, table: &Table, constraint: &Constraint) -> Row {
    let relation = table.oid;
    let fields = match &constraint.kind {
        ConstraintKind::PrimaryKey { index } => Fields {
            relation,
            index: *index,
            no_inherit: true,
            columns: Some(index_columns(catalog, *index)),
            ..Fields::new('p')
        },
        ConstraintKind::Unique { index } => Fields {
            relation,
            index: *index,
            no_inherit: true,
            columns: Some(index_columns(catalog, *index)),
            ..Fields::new('u')
        },
        ConstraintKind::Check {
            expression,
            columns,
            no_inherit,
        } => Fields {
            relation,
            no_inherit: *no_inherit,
            columns: Some(columns.clone()),
            expression: Some(expression),
            ..Fields::new('c')
        },
        ConstraintKind::ForeignKey(key) => Fields {
            relation,
            index: key.parent_index,
            no_inherit: true,
            columns: Some(key.columns.clone()),
            operators: Some(equalities(table, key)),
            foreign: Some(key),
            ..Fields::new('f')
        },
    };
    let flags = [constraint.deferrable, constraint.initially_deferred, constraint.validated];
    fields.row(constraint.oid, &constraint.name, table.schema, flags)
}

/// The equality operator of each key column's type.
fn equalities(table: &Table, key: &ForeignKey) -> Vec<Oid> {
    let all = directory::operators_named("=");
    key.columns
        .iter()
        .map(|place| {
            let ty = table
                .columns
                .get(usize::from(*place))
                .map_or(Oid::INVALID, |column| column.ty);
            let ty = if ty == types::VARCHAR { types::TEXT } else { ty };
            all.iter()
                .find(|operator| operator.left == Some(ty) && operator.right == ty)
                .map_or(Oid::INVALID, |operator| operator.oid)
        })
        .collect()
}
