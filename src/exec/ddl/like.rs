//! `CREATE TABLE (LIKE source INCLUDING ...)`.

use std::sync::Arc;

use smol_str::SmolStr;

use super::column::{check_name, place};
use super::constraint::{attach_key, joined, name_in_use};
use super::context::{CLASS_RELATION, DdlContext, free_name};
use super::sequence;
use crate::catalog::{Change, Column, Comment, Constraint, ConstraintKind, Index, IndexExpr, Object, RelationRef, Table};
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::lock::RelationMode;
use crate::parse::{LikeClause, SequenceOption};

/// What a LIKE clause copies, and from where.
pub struct LikeParts {
    source: LikeSource,
    defaults: bool,
    generated: bool,
    identity: bool,
    constraints: bool,
    indexes: bool,
    comments: bool,
    /// Place in the new table of each column of the source.
    places: Vec<Option<u16>>,
}

struct LikeSource {
    oid: Oid,
    columns: Vec<Column>,
    table: Option<Arc<Table>>,
}

/// Adds the source's columns to the table.
pub async fn columns(ctx: &DdlContext<'_>, clause: &LikeClause, table: &mut Table) -> Result<LikeParts> {
    let source = source(ctx, clause).await?;
    let mut parts = LikeParts {
        source,
        defaults: false,
        generated: false,
        identity: false,
        constraints: false,
        indexes: false,
        comments: false,
        places: Vec::new(),
    };
    for (including, what) in &clause.options {
        let all = what == "all";
        for (name, flag) in [
            ("defaults", &mut parts.defaults),
            ("generated", &mut parts.generated),
            ("identity", &mut parts.identity),
            ("constraints", &mut parts.constraints),
            ("indexes", &mut parts.indexes),
            ("comments", &mut parts.comments),
        ] {
            if all || what == name {
                *flag = *including;
            }
        }
    }
    for column in &parts.source.columns {
        if column.dropped {
            parts.places.push(None);
            continue;
        }
        check_name(&column.name, &table.columns)?;
        parts.places.push(Some(place(table.columns.len())));
        table.columns.push(Column {
            default: None,
            identity: None,
            generated: None,
            missing: None,
            ..column.clone()
        });
    }
    Ok(parts)
}

async fn source(ctx: &DdlContext<'_>, clause: &LikeClause) -> Result<LikeSource> {
    let oid = ctx
        .require_locked(&clause.table, RelationMode::AccessShare)
        .await
        .map_err(|error| error.at(clause.table.position))?;
    let catalog = ctx.catalog();
    match catalog.relation(oid) {
        Some(RelationRef::Table(table)) => Ok(LikeSource {
            oid,
            columns: table.columns.clone(),
            table: Some(Arc::clone(table)),
        }),
        Some(RelationRef::View(view)) => Ok(LikeSource {
            oid,
            columns: view.columns.clone(),
            table: None,
        }),
        _ => Err(PgError::new(
            sqlstate::WRONG_OBJECT_TYPE,
            format!("relation \"{}\" is invalid in LIKE clause", clause.table.name()),
        )
        .at(clause.table.position)),
    }
}

/// Copies defaults, generated columns and identities.
pub async fn sources(ctx: &DdlContext<'_>, parts: &LikeParts, table: &mut Table) -> Result<()> {
    for (from, to) in parts.source.columns.iter().zip(&parts.places) {
        let Some(to) = to else { continue };
        let at = usize::from(*to);
        if parts.defaults && from.generated.is_none() {
            table.columns[at].default.clone_from(&from.default);
        }
        if parts.generated {
            table.columns[at].generated.clone_from(&from.generated);
        }
        if parts.identity
            && let Some(identity) = from.identity
        {
            let options = identity_options(ctx, parts, from);
            let ty = from.ty;
            sequence::create_owned(ctx, table, *to, ty, &options, true).await?;
            table.columns[at].identity = Some(identity);
        }
    }
    Ok(())
}

fn identity_options(ctx: &DdlContext<'_>, parts: &LikeParts, column: &Column) -> Vec<SequenceOption> {
    let catalog = ctx.catalog();
    let at = parts
        .source
        .columns
        .iter()
        .position(|one| !one.dropped && one.name == column.name)
        .unwrap_or(0);
    let Some(sequence) = sequence::owned_by_column(&catalog, parts.source.oid, place(at)) else {
        return Vec::new();
    };
    vec![
        SequenceOption::Increment(sequence.increment.to_string()),
        SequenceOption::MinValue(Some(sequence.min.to_string())),
        SequenceOption::MaxValue(Some(sequence.max.to_string())),
        SequenceOption::Start(sequence.start.to_string()),
        SequenceOption::Cache(sequence.cache.to_string()),
        SequenceOption::Cycle(sequence.cycle),
    ]
}

/// Copies CHECK constraints under their names.
pub fn checks(ctx: &DdlContext<'_>, parts: &LikeParts, table: &mut Table) -> Result<()> {
    let Some(source) = parts.source.table.as_ref().filter(|_| parts.constraints) else {
        return Ok(());
    };
    for constraint in &source.constraints {
        let ConstraintKind::Check {
            expression,
            columns,
            no_inherit,
        } = &constraint.kind
        else {
            continue;
        };
        let columns = columns.iter().filter_map(|at| parts.places[usize::from(*at)]).collect();
        if table.constraints.iter().any(|one| one.name == constraint.name) {
            return Err(PgError::new(
                sqlstate::DUPLICATE_OBJECT,
                format!("check constraint \"{}\" already exists", constraint.name),
            ));
        }
        table.constraints.push(Constraint {
            oid: ctx.new_oid(),
            kind: ConstraintKind::Check {
                expression: expression.clone(),
                columns,
                no_inherit: *no_inherit,
            },
            validated: true,
            ..constraint.clone()
        });
    }
    Ok(())
}

/// Copies indexes and the keys on them, with names of their own.
pub async fn indexes(ctx: &DdlContext<'_>, parts: &LikeParts, table: &mut Table) -> Result<()> {
    let Some(source) = parts.source.table.as_ref().filter(|_| parts.indexes) else {
        return Ok(());
    };
    let catalog = ctx.catalog();
    let originals: Vec<Arc<Index>> = catalog.indexes_of(source).cloned().collect();
    for original in originals {
        let mut index = Index::clone(&original);
        index.oid = ctx.new_oid();
        index.table = table.oid;
        index.schema = table.schema;
        for key in &mut index.keys {
            if let IndexExpr::Column(at) = &mut key.expr {
                *at = parts.places[usize::from(*at)].unwrap_or(*at);
            }
        }
        for at in &mut index.include {
            *at = parts.places[usize::from(*at)].unwrap_or(*at);
        }
        if index.primary && super::constraint::has_primary(table) {
            return Err(PgError::new(
                sqlstate::INVALID_TABLE_DEFINITION,
                format!("multiple primary keys for table \"{}\" are not allowed", table.name),
            ));
        }
        index.storage = if index.primary { None } else { Some(ctx.txn.create_storage()) };
        index.name = new_name(ctx, table, &index);
        ctx.claim_relation(table.schema, &index.name).await?;
        let columns = plain_columns(&index);
        match index.constraint {
            Some(_) => {
                let constraint = ctx.new_oid();
                index.constraint = Some(constraint);
                attach_key(table, &index, index.name.clone(), constraint, &columns);
            }
            None => table.indexes.push(index.oid),
        }
        ctx.put_index(index)?;
    }
    Ok(())
}

fn plain_columns(index: &Index) -> Vec<u16> {
    index
        .keys
        .iter()
        .filter_map(|key| match key.expr {
            IndexExpr::Column(at) => Some(at),
            IndexExpr::Expression(_) => None,
        })
        .collect()
}

/// The name that PostgreSQL would choose for the copy.
fn new_name(ctx: &DdlContext<'_>, table: &Table, index: &Index) -> SmolStr {
    let catalog = ctx.catalog();
    let taken = |name: &str| {
        name == table.name || catalog.find_relation(table.schema, name).is_some() || name_in_use(&catalog, table, name)
    };
    if index.primary {
        return free_name(&table.name, None, "pkey", taken);
    }
    let columns = super::index::column_names(table, index);
    let names: Vec<&str> = columns.iter().map(SmolStr::as_str).collect();
    let label = if index.constraint.is_some() { "key" } else { "idx" };
    free_name(&table.name, Some(&joined(&names)), label, taken)
}

/// Copies the comments of columns.
pub fn comments(ctx: &DdlContext<'_>, parts: &LikeParts, table: &Table) -> Result<()> {
    if !parts.comments {
        return Ok(());
    }
    let catalog = ctx.catalog();
    for (from, to) in parts.places.iter().enumerate() {
        let Some(to) = to else { continue };
        let attnum = i32::from(place(from)) + 1;
        if let Some(text) = catalog.comment(CLASS_RELATION, parts.source.oid, attnum) {
            ctx.change(Change::Put(Object::Comment(Arc::new(Comment {
                class: CLASS_RELATION,
                object: table.oid,
                sub: i32::from(*to) + 1,
                text: text.to_owned(),
            }))))?;
        }
    }
    Ok(())
}
