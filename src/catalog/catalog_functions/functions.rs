//! `pg_get_functiondef` and its kin, over the registry's functions.

use super::{Call, int_arg, names, oid_arg, text};
use crate::catalog::directory::{self, FunctionRow};
use crate::catalog::names::{CatalogNames, function_name};
use crate::catalog::quote::quote_identifier;
use crate::catalog::server_state::VirtualContext;
use crate::error::{PgError, Result, sqlstate};
use crate::types::{Value, info};

pub(super) fn find(name: &str) -> Option<Call> {
    Some(match name {
        "pg_get_functiondef" => definition,
        "pg_get_function_arguments" => |context, args| with(context, args, |names, one| arguments(names, one, true)),
        "pg_get_function_identity_arguments" => |context, args| with(context, args, |names, one| arguments(names, one, false)),
        "pg_get_function_result" => |context, args| {
            let Some(function) = directory::function(oid_arg(args, 0)) else {
                return Ok(Value::Null);
            };
            Ok(Value::text(result(names(context), &function)))
        },
        "pg_get_function_arg_default" => arg_default,
        "pg_get_function_sqlbody" => |_, _| Ok(Value::Null),
        _ => return None,
    })
}

fn with(context: &VirtualContext<'_>, args: &[Value], print: impl Fn(CatalogNames<'_>, &FunctionRow) -> String) -> Result<Value> {
    Ok(text(
        directory::function(oid_arg(args, 0)).map(|function| print(names(context), &function)),
    ))
}

fn arguments(names: CatalogNames<'_>, function: &FunctionRow, with_defaults: bool) -> String {
    let first_default = function.args.len() - function.defaults.len().min(function.args.len());
    let inputs = function.args.iter().enumerate().map(|(at, ty)| {
        let mode = if function.variadic && at + 1 == function.args.len() {
            "VARIADIC "
        } else {
            ""
        };
        let default = match function.defaults.get(at.wrapping_sub(first_default)) {
            Some(default) if with_defaults && at >= first_default => format!(" DEFAULT {default}"),
            _ => String::new(),
        };
        format!("{mode}{}{default}", info::format_type(*ty, -1, &names))
    });
    let outputs = function
        .columns
        .iter()
        .map(|(name, ty)| format!("OUT {} {}", quote_identifier(name), info::format_type(*ty, -1, &names)));
    inputs.chain(outputs).collect::<Vec<_>>().join(", ")
}

fn result(names: CatalogNames<'_>, function: &FunctionRow) -> String {
    let set = if function.returns_set { "SETOF " } else { "" };
    format!("{set}{}", info::format_type(function.returns, -1, &names))
}

fn definition(context: &VirtualContext<'_>, args: &[Value]) -> Result<Value> {
    let Some(function) = directory::function(oid_arg(args, 0)) else {
        return Ok(Value::Null);
    };
    let (schema, name) = function_name(&function);
    if function.kind == 'a' {
        return Err(PgError::new(
            sqlstate::WRONG_OBJECT_TYPE,
            format!("\"{name}\" is an aggregate function"),
        ));
    }
    let volatility = match function.volatility {
        'i' => " IMMUTABLE",
        's' => " STABLE",
        _ => "",
    };
    let names = names(context);
    Ok(Value::text(format!(
        "CREATE OR REPLACE FUNCTION {}({})\n RETURNS {}\n LANGUAGE internal\n{volatility}{}{}\nAS $function${name}$function$\n",
        names.qualified(schema, name),
        arguments(names, &function, true),
        result(names, &function),
        " PARALLEL SAFE",
        if function.strict { " STRICT" } else { "" },
    )))
}

fn arg_default(_context: &VirtualContext<'_>, args: &[Value]) -> Result<Value> {
    let Some(function) = directory::function(oid_arg(args, 0)) else {
        return Ok(Value::Null);
    };
    let first = function.args.len() - function.defaults.len().min(function.args.len());
    let at = int_arg(args, 1).and_then(|number| usize::try_from(number - 1).ok());
    let default = at.filter(|at| *at >= first).and_then(|at| function.defaults.get(at - first));
    Ok(text(default.map(|default| (*default).to_owned())))
}
