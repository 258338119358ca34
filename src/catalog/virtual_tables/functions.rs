//! `pg_proc`, `pg_operator` and `pg_aggregate`, from the registry of functions.

use super::{Row, array, ch, int2, oid, text, texts, vector};
use crate::catalog::base::BOOTSTRAP_SUPERUSER;
use crate::catalog::catalog::PG_CATALOG;
use crate::catalog::directory::{self, FunctionRow};
use crate::catalog::names::function_name;
use crate::catalog::server_state::VirtualContext;
use crate::error::Result;
use crate::ids::Oid;
use crate::types::{Value, oid as types};

const LANGUAGE_INTERNAL: Oid = Oid(12);

pub(super) fn pg_proc(_context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    Ok(directory::functions().iter().map(row).collect())
}

fn row(function: &FunctionRow) -> Row {
    let (schema, name) = function_name(function);
    let variadic = match function.args.last().filter(|_| function.variadic) {
        Some(&types::ANY) => types::ANY,
        Some(&types::ANYARRAY) => types::ANYELEMENT,
        Some(last) => crate::types::info::element_of(*last).unwrap_or(types::ANY),
        None => Oid::INVALID,
    };
    let outs = !function.columns.is_empty();
    let all_types = function
        .args
        .iter()
        .copied()
        .chain(function.columns.iter().map(|(_, ty)| *ty));
    let modes = function.args.iter().map(|_| "i").chain(function.columns.iter().map(|_| "o"));
    let names = function
        .args
        .iter()
        .map(|_| "")
        .chain(function.columns.iter().map(|(name, _)| *name));
    let defaults = function.defaults.join(", ");
    vec![
        oid(function.oid),
        text(name),
        oid(schema),
        oid(BOOTSTRAP_SUPERUSER),
        oid(LANGUAGE_INTERNAL),
        Value::Float4(1.0),
        Value::Float4(if function.returns_set { 1000.0 } else { 0.0 }),
        oid(variadic),
        Value::Oid(0),
        ch(function.kind),
        Value::Bool(false),
        Value::Bool(false),
        Value::Bool(function.strict),
        Value::Bool(function.returns_set),
        ch(function.volatility),
        ch('s'),
        int2(function.args.len()),
        int2(function.defaults.len()),
        oid(function.returns),
        vector(types::OID, function.args.iter().map(|ty| oid(*ty)).collect()),
        if outs {
            array(types::OID, all_types.map(oid).collect())
        } else {
            Value::Null
        },
        if outs { texts(types::CHAR, modes) } else { Value::Null },
        if outs { texts(types::TEXT, names) } else { Value::Null },
        if defaults.is_empty() { Value::Null } else { text(&defaults) },
        Value::Null,
        text(if function.kind == 'a' { "aggregate_dummy" } else { name }),
        Value::Null,
        Value::Null,
        Value::Null,
        Value::Null,
    ]
}

pub(super) fn pg_operator(_context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let rows = directory::operators().into_iter().map(|operator| {
        let equality = operator.name == "=";
        vec![
            oid(operator.oid),
            text(operator.name),
            oid(PG_CATALOG),
            oid(BOOTSTRAP_SUPERUSER),
            ch(if operator.left.is_some() { 'b' } else { 'l' }),
            Value::Bool(equality),
            Value::Bool(equality),
            oid(operator.left.unwrap_or(Oid::INVALID)),
            oid(operator.right),
            oid(operator.returns),
            oid(operator.commutator),
            oid(operator.negator),
            oid(operator.function),
            Value::Oid(0),
            Value::Oid(0),
        ]
    });
    Ok(rows.collect())
}

pub(super) fn pg_aggregate(_context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let none = || Value::Oid(0);
    let aggregates = directory::functions().into_iter().filter(|function| function.kind == 'a');
    let rows = aggregates.map(|function| {
        let mut row = vec![oid(function.oid), ch('n'), Value::Int2(0)];
        row.extend((0..8).map(|_| none()));
        row.extend([Value::Bool(false), Value::Bool(false), ch('r'), ch('r')]);
        row.extend([
            none(),
            oid(types::INTERNAL),
            Value::Int4(0),
            none(),
            Value::Int4(0),
            Value::Null,
            Value::Null,
        ]);
        row
    });
    Ok(rows.collect())
}
