//! `obj_description` and its kin, and descriptions of objects for messages (`pg_describe_object`).

use super::{Call, int_arg, names, oid_arg, text, text_arg};
use crate::catalog::catalog::{PG_CATALOG, RelationRef, class};
use crate::catalog::names::CatalogNames;
use crate::catalog::quote::quote_identifier;
use crate::catalog::server_state::VirtualContext;
use crate::catalog::virtual_tables::system_comments;
use crate::error::{PgError, Result};
use crate::ids::Oid;
use crate::types::env::NameLookup;
use crate::types::{Value, oid as types};

pub(super) fn find(name: &str) -> Option<Call> {
    Some(match name {
        "obj_description" => |context, args| {
            let class = args.get(1).map(|_| class_named(context, text_arg(args, 1)));
            Ok(comment(context, class, oid_arg(args, 0), 0))
        },
        "shobj_description" => |context, args| {
            Ok(comment(
                context,
                Some(class_named(context, text_arg(args, 1))),
                oid_arg(args, 0),
                0,
            ))
        },
        "col_description" => |context, args| {
            let number = int_arg(args, 1).and_then(|number| i32::try_from(number).ok()).unwrap_or(0);
            // Number 0 would be the table's own.
            let found = if number == 0 {
                Value::Null
            } else {
                comment(context, Some(class::RELATION), oid_arg(args, 0), number)
            };
            Ok(found)
        },
        "pg_describe_object" => |context, args| {
            let sub = int_arg(args, 2).and_then(|sub| i16::try_from(sub).ok()).unwrap_or(0);
            Ok(text(describe_object(names(context), oid_arg(args, 0), oid_arg(args, 1), sub)))
        },
        _ => return None,
    })
}

fn class_named(context: &VirtualContext<'_>, name: &str) -> Oid {
    context.catalog.find_relation(PG_CATALOG, name).unwrap_or(Oid::INVALID)
}

fn comment(context: &VirtualContext<'_>, of: Option<Oid>, object: Oid, sub: i32) -> Value {
    let catalog = context.catalog;
    let own = match of {
        Some(of) => catalog.comment(of, object, sub),
        None => catalog
            .all_comments()
            .find(|one| one.object == object && one.sub == sub)
            .map(|one| one.text.as_str()),
    };
    let system = || {
        system_comments()
            .find(|(class, oid, _, _)| *oid == object && sub == 0 && of.is_none_or(|of| of == *class))
            .map(|(_, _, _, text)| text)
    };
    own.or_else(system).map_or(Value::Null, Value::text)
}

/// How PostgreSQL names an object in messages: `table acct`, `column id of table acct`, `constraint c on table t`.
pub fn describe_object(names: CatalogNames<'_>, of: Oid, object: Oid, sub: i16) -> Option<String> {
    let catalog = names.catalog;
    match of {
        class::RELATION => {
            let relation = catalog.relation(object)?;
            let word = match relation {
                RelationRef::Table(table) if table.is_system_view() => "view",
                RelationRef::Table(_) => "table",
                RelationRef::Index(_) => "index",
                RelationRef::Sequence(_) => "sequence",
                RelationRef::View(_) => "view",
            };
            let whole = format!("{word} {}", names.relation_name(relation));
            if sub == 0 {
                return Some(whole);
            }
            let place = usize::try_from(sub).ok()?.checked_sub(1)?;
            let column = relation.columns().get(place)?;
            Some(format!("column {} of {whole}", quote_identifier(&column.name)))
        }
        class::TYPE => Some(format!("type {}", names.reg_out(types::REGTYPE, object))),
        class::NAMESPACE => Some(format!("schema {}", quote_identifier(&catalog.schema(object)?.name))),
        class::AUTHID => Some(format!("role {}", catalog.role(object)?.name)),
        class::DATABASE => Some(format!("database {}", catalog.database_by_oid(object)?.name)),
        class::PROC => Some(format!("function {}", names.reg_out(types::REGPROCEDURE, object))),
        class::CONSTRAINT => catalog.user_tables().find_map(|table| {
            let constraint = table.constraints.iter().find(|one| one.oid == object)?;
            let on = names.relation_name(RelationRef::Table(table));
            Some(format!("constraint {} on table {on}", quote_identifier(&constraint.name)))
        }),
        _ => None,
    }
}

impl CatalogNames<'_> {
    /// [`describe_object`] of a relation that exists.
    pub fn describe_relation(self, relation: Oid) -> Result<String> {
        describe_object(self, class::RELATION, relation, 0)
            .ok_or_else(|| PgError::internal(format!("cache lookup failed for relation {relation}")))
    }
}
