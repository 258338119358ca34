//! Functions that read the catalog or the server's state, by name: `pg_get_indexdef`, `format_type`,
//! `pg_table_is_visible`, `has_table_privilege`, ... The registry of functions declares them and calls them through the
//! session.
//!
//! Arguments come as the caller gave them: a role or relation may be an OID or a name. Strict functions are not called
//! with nulls.

use super::names::CatalogNames;
use super::server_state::VirtualContext;
use crate::error::{PgError, Result};
use crate::ids::Oid;
use crate::types::Value;

mod acl;
mod comments;
mod definitions;
mod functions;
mod privileges;
mod sizes;
mod visible;

pub(super) use acl::explode as explode_acl;
pub use comments::describe_object;
pub use privileges::{Privilege, has_privilege, table_privileges};

type Call = fn(&VirtualContext<'_>, &[Value]) -> Result<Value>;

/// Calls a function by its internal name.
///
/// # Errors
/// XX000 for a name that nothing has; what the function itself raises.
pub fn call(name: &str, context: &VirtualContext<'_>, args: &[Value]) -> Result<Value> {
    if name.starts_with("holdfast.") {
        return context
            .state
            .cluster_function(name, args)
            .unwrap_or_else(|| Err(PgError::unsupported(format!("the function {name} on this server"))));
    }
    let found = definitions::find(name)
        .or_else(|| functions::find(name))
        .or_else(|| visible::find(name))
        .or_else(|| comments::find(name))
        .or_else(|| acl::find(name))
        .or_else(|| privileges::find(name))
        .or_else(|| sizes::find(name));
    match found {
        Some(call) => call(context, args),
        None => Err(PgError::internal(format!("no catalog function is called \"{name}\""))),
    }
}

/// The catalog along the session's search path.
fn names<'a>(context: &'a VirtualContext<'_>) -> CatalogNames<'a> {
    CatalogNames {
        catalog: context.catalog,
        path: context.search_path,
    }
}

fn oid_arg(args: &[Value], at: usize) -> Oid {
    match args.get(at) {
        Some(Value::Oid(oid)) => Oid(*oid),
        Some(Value::Int4(oid)) => Oid(u32::try_from(*oid).unwrap_or(0)),
        Some(Value::Int8(oid)) => Oid(u32::try_from(*oid).unwrap_or(0)),
        _ => Oid::INVALID,
    }
}

fn text_arg(args: &[Value], at: usize) -> &str {
    match args.get(at) {
        Some(Value::Text(text)) => text,
        _ => "",
    }
}

fn int_arg(args: &[Value], at: usize) -> Option<i64> {
    match args.get(at) {
        Some(Value::Int2(number)) => Some(i64::from(*number)),
        Some(Value::Int4(number)) => Some(i64::from(*number)),
        Some(Value::Int8(number)) => Some(*number),
        _ => None,
    }
}

fn is_true(args: &[Value], at: usize) -> bool {
    matches!(args.get(at), Some(Value::Bool(true)))
}

/// Text, or null for none.
fn text(value: Option<String>) -> Value {
    value.map_or(Value::Null, Value::text)
}

#[cfg(test)]
mod tests;
