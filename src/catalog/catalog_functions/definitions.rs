//! `pg_get_indexdef`, `pg_get_constraintdef`, `pg_get_viewdef`, `pg_get_expr`, ...

use super::{Call, int_arg, is_true, names, oid_arg, text, text_arg};
use crate::catalog::catalog::{Catalog, RelationRef};
use crate::catalog::deparse::{self, Form};
use crate::catalog::objects::{Table, UserTypeKind};
use crate::catalog::server_state::VirtualContext;
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::types::value::Record;
use crate::types::{Value, oid as types};

pub(super) fn find(name: &str) -> Option<Call> {
    Some(match name {
        "pg_get_indexdef" => index_definition,
        "pg_get_constraintdef" => constraint_definition,
        "pg_get_expr" => expression,
        "pg_get_viewdef" => view_definition,
        "pg_get_serial_sequence" => serial_sequence,
        "pg_sequence_parameters" => sequence_parameters,
        "pg_sequence_last_value" => sequence_last_value,
        "pg_index_column_has_property" => index_column_has_property,
        "pg_index_has_property" => index_has_property,
        "pg_indexam_has_property" => method_has_property,
        // There are no such objects to define.
        "pg_get_triggerdef"
        | "pg_get_ruledef"
        | "pg_get_partkeydef"
        | "pg_get_partition_constraintdef"
        | "pg_get_statisticsobjdef"
        | "pg_get_statisticsobjdef_columns"
        | "pg_get_statisticsobjdef_expressions"
        | "pg_partition_root" => |_, _| Ok(Value::Null),
        _ => return None,
    })
}

fn form(pretty: bool) -> Form {
    if pretty { Form::Pretty } else { Form::Full }
}

/// `(index)` or `(index, column, pretty)`; column 0 is the whole.
fn index_definition(context: &VirtualContext<'_>, args: &[Value]) -> Result<Value> {
    let Some(index) = context.catalog.index(oid_arg(args, 0)) else {
        return Ok(Value::Null);
    };
    let form = form(is_true(args, 2));
    let number = int_arg(args, 1).unwrap_or(0);
    if number == 0 {
        return Ok(text(deparse::index_definition(names(context), index, form)));
    }
    let column = usize::try_from(number)
        .ok()
        .and_then(|number| deparse::index_column(names(context), index, number, form));
    Ok(Value::text(column.unwrap_or_default()))
}

fn constraint_definition(context: &VirtualContext<'_>, args: &[Value]) -> Result<Value> {
    let (wanted, form) = (oid_arg(args, 0), form(is_true(args, 1)));
    let catalog = context.catalog;
    for table in catalog.user_tables() {
        if let Some(constraint) = table.constraints.iter().find(|one| one.oid == wanted) {
            return Ok(Value::text(deparse::constraint_definition(
                names(context),
                table,
                constraint,
                form,
            )));
        }
    }
    for ty in catalog.user_types() {
        if let UserTypeKind::Domain { checks, .. } = &ty.kind
            && let Some((_, _, expression)) = checks.iter().find(|(oid, _, _)| *oid == wanted)
        {
            let expression = form.expression(names(context), expression);
            return Ok(Value::text(format!("CHECK ({expression})")));
        }
    }
    Ok(Value::Null)
}

/// Stored expressions are texts already.
fn expression(context: &VirtualContext<'_>, args: &[Value]) -> Result<Value> {
    let relation = oid_arg(args, 1);
    if relation.is_valid() && context.catalog.relation(relation).is_none() {
        return Ok(Value::Null);
    }
    let form = form(is_true(args, 2));
    Ok(Value::text(form.expression(names(context), text_arg(args, 0))))
}

fn relation_arg(context: &VirtualContext<'_>, args: &[Value], at: usize) -> Result<Oid> {
    match args.get(at) {
        Some(Value::Text(name)) => names(context).class_in(name),
        _ => Ok(oid_arg(args, at)),
    }
}

/// `(view)`, `(view, pretty)` or `(view, wrap column)`; the last is pretty too.
fn view_definition(context: &VirtualContext<'_>, args: &[Value]) -> Result<Value> {
    let catalog = context.catalog;
    let query = match catalog.relation(relation_arg(context, args, 0)?) {
        Some(RelationRef::View(view)) => {
            let form = form(is_true(args, 1) || int_arg(args, 1).is_some());
            deparse::view_query(names(context), &view.query, form)
        }
        Some(RelationRef::Table(table)) if table.is_system_view() => computed_view(catalog, table),
        Some(_) => return Ok(Value::text("Not a view")),
        None => return Ok(Value::Null),
    };
    Ok(Value::text(query + ";"))
}

/// What stands for the query of a view of the system whose rows are computed.
fn computed_view(catalog: &Catalog, table: &Table) -> String {
    let columns: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    let schema = catalog.schema(table.schema).map_or("", |schema| schema.name.as_str());
    format!(" SELECT {}\n   FROM {schema}.{}()", columns.join(",\n    "), table.name)
}

fn serial_sequence(context: &VirtualContext<'_>, args: &[Value]) -> Result<Value> {
    let catalog = context.catalog;
    let relation = names(context).class_in(text_arg(args, 0))?;
    let column = text_arg(args, 1);
    let name = catalog.relation(relation).map_or("", |relation| relation.name().as_str());
    let place = catalog
        .table(relation)
        .and_then(|table| table.column(column))
        .map(|(place, _)| place);
    let Some(place) = place else {
        return Err(PgError::new(
            sqlstate::UNDEFINED_COLUMN,
            format!("column \"{column}\" of relation \"{name}\" does not exist"),
        ));
    };
    let place = u16::try_from(place).unwrap_or(u16::MAX);
    let sequence = catalog.sequences().find(|one| one.owned_by == Some((relation, place)));
    Ok(text(sequence.map(|one| names(context).qualified(one.schema, &one.name))))
}

fn sequence_parameters(context: &VirtualContext<'_>, args: &[Value]) -> Result<Value> {
    let oid = oid_arg(args, 0);
    let Some(one) = context.catalog.sequence(oid) else {
        return Err(PgError::internal(format!("cache lookup failed for sequence {oid}")));
    };
    let fields = vec![
        (types::INT8, Value::Int8(one.start)),
        (types::INT8, Value::Int8(one.min)),
        (types::INT8, Value::Int8(one.max)),
        (types::INT8, Value::Int8(one.increment)),
        (types::BOOL, Value::Bool(one.cycle)),
        (types::INT8, Value::Int8(one.cache)),
        (types::OID, Value::Oid(one.ty.0)),
    ];
    let names = [
        "start_value",
        "minimum_value",
        "maximum_value",
        "increment",
        "cycle_option",
        "cache_size",
        "data_type",
    ];
    let names = Some(names.into_iter().map(smol_str::SmolStr::new_static).collect());
    Ok(Value::Record(std::sync::Arc::new(Record {
        ty: types::RECORD,
        fields,
        names,
    })))
}

fn sequence_last_value(context: &VirtualContext<'_>, args: &[Value]) -> Result<Value> {
    let Some(sequence) = context.catalog.sequence(oid_arg(args, 0)) else {
        return Ok(Value::Null);
    };
    let (last, called) = context.state.sequence_value(sequence)?;
    Ok(if called { Value::Int8(last) } else { Value::Null })
}

fn index_column_has_property(context: &VirtualContext<'_>, args: &[Value]) -> Result<Value> {
    let Some(index) = context.catalog.index(oid_arg(args, 0)) else {
        return Ok(Value::Null);
    };
    let number = int_arg(args, 1).and_then(|number| usize::try_from(number - 1).ok());
    let Some(at) = number.filter(|at| *at < index.keys.len() + index.include.len()) else {
        return Ok(Value::Null);
    };
    let ordered = index.method != "hash";
    let answer = match (text_arg(args, 2).to_ascii_lowercase().as_str(), index.keys.get(at)) {
        ("returnable", _) => ordered,
        ("asc", Some(key)) => ordered && !key.descending,
        ("desc", Some(key)) => ordered && key.descending,
        ("nulls_first", Some(key)) => ordered && key.nulls_first,
        ("nulls_last", Some(key)) => ordered && !key.nulls_first,
        ("orderable" | "search_array" | "search_nulls", Some(_)) => ordered,
        ("distance_orderable", Some(_)) => false,
        _ => return Ok(Value::Null),
    };
    Ok(Value::Bool(answer))
}

fn index_has_property(context: &VirtualContext<'_>, args: &[Value]) -> Result<Value> {
    let Some(index) = context.catalog.index(oid_arg(args, 0)) else {
        return Ok(Value::Null);
    };
    Ok(match text_arg(args, 1).to_ascii_lowercase().as_str() {
        "clusterable" => Value::Bool(index.method != "hash"),
        "index_scan" | "bitmap_scan" | "backward_scan" => Value::Bool(true),
        _ => Value::Null,
    })
}

fn method_has_property(_context: &VirtualContext<'_>, args: &[Value]) -> Result<Value> {
    let ordered = match oid_arg(args, 0) {
        Oid(403) => true,
        Oid(405) => false,
        _ => return Ok(Value::Null),
    };
    Ok(match text_arg(args, 1).to_ascii_lowercase().as_str() {
        "can_order" | "can_unique" | "can_multi_col" | "can_include" => Value::Bool(ordered),
        "can_exclude" => Value::Bool(true),
        _ => Value::Null,
    })
}
