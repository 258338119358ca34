//! ACLs as texts (`grantee=rights/grantor`): the defaults, and one row a right.

use super::{Call, oid_arg, text_arg};
use crate::catalog::catalog::Catalog;
use crate::catalog::quote::quote_identifier;
use crate::catalog::server_state::VirtualContext;
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::types::{Array, Value, oid as types};

pub(super) fn find(name: &str) -> Option<Call> {
    (name == "acldefault").then_some(default as Call)
}

/// `acldefault(kind, owner)`: what everybody and the owner may do where nothing was granted.
fn default(context: &VirtualContext<'_>, args: &[Value]) -> Result<Value> {
    let (everybody, own) = match text_arg(args, 0) {
        "c" => ("", ""),
        "r" => ("", "arwdDxt"),
        "s" => ("", "rwU"),
        "d" => ("Tc", "CTc"),
        "f" => ("X", "X"),
        "l" | "T" => ("U", "U"),
        "L" => ("", "rw"),
        "n" => ("", "UC"),
        "t" => ("", "C"),
        "F" | "S" => ("", "U"),
        "p" => ("", "sA"),
        other => {
            return Err(PgError::new(
                sqlstate::INTERNAL_ERROR,
                format!("unrecognized object type abbreviation: {other}"),
            ));
        }
    };
    let owner = oid_arg(args, 1);
    let owner = context
        .catalog
        .role(owner)
        .map_or_else(|| owner.to_string(), |role| quote_identifier(&role.name).into_owned());
    let item = |grantee: &str, rights: &str| Value::text(format!("{grantee}={rights}/{owner}"));
    let mut items = Vec::new();
    if !everybody.is_empty() {
        items.push(item("", everybody));
    }
    if !own.is_empty() {
        items.push(item(&owner, own));
    }
    Ok(Value::Array(std::sync::Arc::new(Array::one(types::ACLITEM, items))))
}

/// Letters of rights and their words.
const WORDS: &[(char, &str)] = &[
    ('r', "SELECT"),
    ('a', "INSERT"),
    ('w', "UPDATE"),
    ('d', "DELETE"),
    ('D', "TRUNCATE"),
    ('x', "REFERENCES"),
    ('t', "TRIGGER"),
    ('U', "USAGE"),
    ('C', "CREATE"),
    ('c', "CONNECT"),
    ('T', "TEMPORARY"),
    ('X', "EXECUTE"),
    ('s', "SET"),
    ('A', "ALTER SYSTEM"),
];

/// `aclexplode`: grantor, grantee, right, with grant option; grantee 0 is everybody.
pub(in crate::catalog) fn explode(catalog: &Catalog, items: &[Value]) -> Vec<Vec<Value>> {
    let role = |name: &str| {
        let name = name.trim_matches('"').replace("\"\"", "\"");
        catalog.find_role(&name).unwrap_or(Oid::INVALID)
    };
    let mut rows = Vec::new();
    for item in items {
        let Value::Text(item) = item else { continue };
        let Some((grantee, rest)) = item.split_once('=') else {
            continue;
        };
        let (rights, grantor) = rest.split_once('/').unwrap_or((rest, ""));
        let mut letters = rights.chars().peekable();
        while let Some(letter) = letters.next() {
            let grantable = letters.next_if_eq(&'*').is_some();
            if let Some((_, word)) = WORDS.iter().find(|(one, _)| *one == letter) {
                rows.push(vec![
                    Value::Oid(role(grantor).0),
                    Value::Oid(role(grantee).0),
                    Value::text(*word),
                    Value::Bool(grantable),
                ]);
            }
        }
    }
    rows
}
