//! Constraints of tables: what the text asks for, their names, and their place in the catalog.
//!
//! Nothing here looks at rows; ALTER TABLE does ([`super::build`]).

use std::sync::Arc;

use smol_str::SmolStr;

use super::column::place;
use super::context::{DdlContext, exists, free_name};
use super::exprs;
use crate::catalog::{Catalog, Constraint, ConstraintKind, Index, IndexExpr, IndexKey, RowKey, Table};
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::limits;
use crate::parse::{
    ColumnConstraintKind, ColumnDef, Deferral, ExprText, IndexParameters, Name, References, TableConstraint, TableConstraintKind,
};
use crate::types::info::{self, format_type};
use crate::types::oid;

/// A constraint as asked for.
pub struct Spec<'a> {
    pub name: Option<&'a Name>,
    pub kind: SpecKind<'a>,
    pub deferral: Deferral,
    pub position: u32,
}

pub enum SpecKind<'a> {
    Check {
        expr: &'a ExprText,
        no_inherit: bool,
    },
    Key {
        primary: bool,
        columns: Vec<Name>,
        parameters: &'a IndexParameters,
    },
    KeyUsing {
        primary: bool,
        index: &'a Name,
    },
    Foreign {
        columns: Vec<Name>,
        references: &'a References,
    },
}

/// Constraints in a column's definition.
pub fn of_column(definition: &ColumnDef) -> Vec<Spec<'_>> {
    let own = || vec![definition.name.clone()];
    definition
        .constraints
        .iter()
        .filter_map(|constraint| {
            let kind = match &constraint.kind {
                ColumnConstraintKind::Check { expr, no_inherit } => SpecKind::Check {
                    expr,
                    no_inherit: *no_inherit,
                },
                ColumnConstraintKind::PrimaryKey(parameters) => SpecKind::Key {
                    primary: true,
                    columns: own(),
                    parameters,
                },
                ColumnConstraintKind::Unique(parameters) => SpecKind::Key {
                    primary: false,
                    columns: own(),
                    parameters,
                },
                ColumnConstraintKind::References(references) => SpecKind::Foreign {
                    columns: own(),
                    references,
                },
                _ => return None,
            };
            let name = constraint.name.as_ref();
            Some(Spec {
                name,
                kind,
                deferral: constraint.deferral,
                position: constraint.position,
            })
        })
        .collect()
}

/// A constraint of the table's own.
pub fn of_table(constraint: &TableConstraint) -> Result<Spec<'_>> {
    let kind = match &constraint.kind {
        TableConstraintKind::Check(expr) => SpecKind::Check {
            expr,
            no_inherit: constraint.deferral.no_inherit,
        },
        TableConstraintKind::PrimaryKey { columns, parameters } => SpecKind::Key {
            primary: true,
            columns: columns.clone(),
            parameters,
        },
        TableConstraintKind::Unique { columns, parameters } => SpecKind::Key {
            primary: false,
            columns: columns.clone(),
            parameters,
        },
        TableConstraintKind::PrimaryKeyUsing(index) => SpecKind::KeyUsing { primary: true, index },
        TableConstraintKind::UniqueUsing(index) => SpecKind::KeyUsing { primary: false, index },
        TableConstraintKind::ForeignKey { columns, references } => SpecKind::Foreign {
            columns: columns.clone(),
            references,
        },
        TableConstraintKind::Exclude => return Err(PgError::unsupported("EXCLUDE")),
    };
    Ok(Spec {
        name: constraint.name.as_ref(),
        kind,
        deferral: constraint.deferral,
        position: constraint.position,
    })
}

/// 0A000 for what is not built.
pub fn check_deferral(spec: &Spec<'_>) -> Result<()> {
    if spec.deferral.deferrable {
        return Err(PgError::unsupported("DEFERRABLE").at(spec.position));
    }
    Ok(())
}

/// Whether a constraint of the schema has the name (PostgreSQL chooses names that are new in the schema).
pub fn name_in_use(catalog: &Catalog, table: &Table, name: &str) -> bool {
    table.constraints.iter().any(|one| one.name == name)
        || catalog
            .user_tables()
            .filter(|other| other.schema == table.schema && other.oid != table.oid)
            .any(|other| other.constraints.iter().any(|one| one.name == name))
}

/// 42710 where the table has a constraint of that name.
pub fn must_be_new(table: &Table, name: &str) -> Result<()> {
    if table.constraints.iter().any(|one| one.name == name) {
        return Err(PgError::new(
            sqlstate::DUPLICATE_OBJECT,
            format!("constraint \"{name}\" for relation \"{}\" already exists", table.name),
        ));
    }
    Ok(())
}

/// Adds a CHECK; answers its OID.
pub fn add_check(ctx: &DdlContext<'_>, table: &mut Table, spec: &Spec<'_>) -> Result<Oid> {
    let SpecKind::Check { expr, no_inherit } = &spec.kind else {
        return Err(PgError::internal("not a CHECK constraint"));
    };
    let whole = Arc::new(table.clone());
    let (_, text, columns) = exprs::check(ctx, &whole, &expr.expr)?;
    let name = if let Some(name) = spec.name {
        if table.constraints.iter().any(|one| one.name == name.text) {
            return Err(PgError::new(
                sqlstate::DUPLICATE_OBJECT,
                format!("check constraint \"{name}\" already exists"),
            ));
        }
        name.text.clone()
    } else {
        let catalog = ctx.catalog();
        let only = match columns[..] {
            [only] => Some(table.columns[usize::from(only)].name.as_str()),
            _ => None,
        };
        free_name(&table.name, only, "check", |name| name_in_use(&catalog, table, name))
    };
    let oid = ctx.new_oid();
    table.constraints.push(Constraint {
        oid,
        name,
        kind: ConstraintKind::Check {
            expression: text,
            columns,
            no_inherit: *no_inherit,
        },
        deferrable: false,
        initially_deferred: false,
        validated: !spec.deferral.not_valid,
    });
    Ok(oid)
}

/// The columns that a key names, in order.
fn key_columns(table: &Table, names: &[Name], primary: bool, position: u32) -> Result<Vec<u16>> {
    let mut columns = Vec::with_capacity(names.len());
    for name in names {
        let Some((at, _)) = table.column(&name.text) else {
            return Err(PgError::new(
                sqlstate::UNDEFINED_COLUMN,
                format!("column \"{name}\" named in key does not exist"),
            )
            .at(position));
        };
        let at = place(at);
        if columns.contains(&at) {
            let what = if primary { "primary key" } else { "unique" };
            return Err(PgError::new(
                sqlstate::DUPLICATE_COLUMN,
                format!("column \"{name}\" appears twice in {what} constraint"),
            )
            .at(position));
        }
        columns.push(at);
    }
    Ok(columns)
}

/// Adds a PRIMARY KEY or UNIQUE to the definition of a table; answers its index, which is not in the catalog yet. A
/// primary key becomes the table's row key: the caller rewrites a table that has rows.
pub async fn add_key(ctx: &DdlContext<'_>, table: &mut Table, spec: &Spec<'_>) -> Result<Index> {
    check_deferral(spec)?;
    let SpecKind::Key {
        primary,
        columns: names,
        parameters,
    } = &spec.kind
    else {
        return Err(PgError::internal("not a key constraint"));
    };
    let primary = *primary;
    if primary && has_primary(table) {
        return Err(PgError::new(
            sqlstate::INVALID_TABLE_DEFINITION,
            format!("multiple primary keys for table \"{}\" are not allowed", table.name),
        ));
    }
    let columns = key_columns(table, names, primary, spec.position)?;
    let mut include = Vec::new();
    for name in &parameters.include {
        include.push(key_columns(table, std::slice::from_ref(name), primary, spec.position)?[0]);
    }
    if columns.len() + include.len() > limits::INDEX_COLUMNS_MAX {
        return Err(PgError::new(
            sqlstate::TOO_MANY_COLUMNS,
            format!("cannot use more than {} columns in an index", limits::INDEX_COLUMNS_MAX),
        ));
    }
    let keys = columns
        .iter()
        .map(|at| key_of_column(ctx, table, *at))
        .collect::<Result<Vec<_>>>()?;
    let name = key_name(ctx, table, spec, primary, &columns, &include).await?;
    super::options::check_index(&parameters.options)?;
    let oid = ctx.new_oid();
    let constraint = ctx.new_oid();
    let index = Index {
        oid,
        schema: table.schema,
        name: name.clone(),
        table: table.oid,
        storage: if primary { None } else { Some(ctx.txn.create_storage()) },
        unique: true,
        primary,
        nulls_not_distinct: parameters.nulls_not_distinct,
        deferrable: false,
        keys,
        include,
        predicate: None,
        constraint: Some(constraint),
        method: SmolStr::new("btree"),
        valid: true,
        options: super::options::kept(&parameters.options),
    };
    attach_key(table, &index, name, constraint, &columns);
    Ok(index)
}

/// Records a key's constraint and index in the table.
pub fn attach_key(table: &mut Table, index: &Index, name: SmolStr, constraint: Oid, columns: &[u16]) {
    if index.primary {
        for at in columns {
            table.columns[usize::from(*at)].not_null = true;
        }
        table.row_key = RowKey::Columns(columns.to_vec());
    }
    let kind = if index.primary {
        ConstraintKind::PrimaryKey { index: index.oid }
    } else {
        ConstraintKind::Unique { index: index.oid }
    };
    table.constraints.push(Constraint {
        oid: constraint,
        name,
        kind,
        deferrable: false,
        initially_deferred: false,
        validated: true,
    });
    table.indexes.push(index.oid);
}

pub fn has_primary(table: &Table) -> bool {
    table
        .constraints
        .iter()
        .any(|one| matches!(one.kind, ConstraintKind::PrimaryKey { .. }))
}

/// The name of a key's index, claimed.
async fn key_name(
    ctx: &DdlContext<'_>,
    table: &Table,
    spec: &Spec<'_>,
    primary: bool,
    columns: &[u16],
    include: &[u16],
) -> Result<SmolStr> {
    let catalog = ctx.catalog();
    let name = if let Some(name) = spec.name {
        must_be_new(table, &name.text)?;
        if name.text == table.name {
            return Err(exists(&name.text));
        }
        name.text.clone()
    } else {
        let taken = |name: &str| {
            name == table.name || catalog.find_relation(table.schema, name).is_some() || name_in_use(&catalog, table, name)
        };
        if primary {
            free_name(&table.name, None, "pkey", taken)
        } else {
            let all: Vec<&str> = columns
                .iter()
                .chain(include)
                .map(|at| table.columns[usize::from(*at)].name.as_str())
                .collect();
            free_name(&table.name, Some(&joined(&all)), "key", taken)
        }
    };
    ctx.claim_relation(table.schema, &name).await?;
    Ok(name)
}

/// Column names joined by `_`, as `ChooseIndexNameAddition`: it stops when 63 bytes are full.
pub fn joined(names: &[&str]) -> String {
    let mut out = String::new();
    for name in names {
        if !out.is_empty() {
            out.push('_');
        }
        out.push_str(name);
        if out.len() > limits::IDENTIFIER_BYTES_MAX {
            break;
        }
    }
    let mut end = out.len().min(limits::IDENTIFIER_BYTES_MAX);
    while !out.is_char_boundary(end) {
        end -= 1;
    }
    out.truncate(end);
    out
}

/// An ascending key over a column.
pub fn key_of_column(ctx: &DdlContext<'_>, table: &Table, at: u16) -> Result<IndexKey> {
    let column = &table.columns[usize::from(at)];
    orderable(ctx, column.ty, "btree")?;
    Ok(IndexKey {
        expr: IndexExpr::Column(at),
        ty: column.ty,
        descending: false,
        nulls_first: false,
        collation: column.collation,
        opclass: None,
    })
}

/// 42704 for types that no index can order.
pub fn orderable(ctx: &DdlContext<'_>, ty: Oid, method: &str) -> Result<()> {
    let (base, _) = info::base_type(ty, -1, &*ctx.names);
    let element = info::element_type(base, &*ctx.names).unwrap_or(base);
    if matches!(
        element,
        oid::JSON | oid::XML | oid::POINT | oid::XID | oid::CID | oid::ACLITEM | oid::JSONPATH
    ) {
        return Err(PgError::new(
            sqlstate::UNDEFINED_OBJECT,
            format!(
                "data type {} has no default operator class for access method \"{method}\"",
                format_type(ty, -1, &*ctx.names)
            ),
        )
        .hint("You must specify an operator class for the index or define a default operator class for the data type."));
    }
    Ok(())
}
