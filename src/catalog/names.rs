//! [`CatalogNames`]: what the `reg*` types, enums, composites and domains ask the catalog.

use smol_str::SmolStr;

use super::catalog::{Catalog, HOLDFAST_SCHEMA, INFORMATION_SCHEMA, PG_CATALOG, RelationRef, TypeRef, array_type_name};
use super::directory::{self, FunctionRow, OperatorRow};
use super::objects::{Column, UserTypeKind};
use super::quote::{quote_identifier, quote_qualified};
use super::search_path::SearchPath;
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::types::env::{NameLookup, UserType};
use crate::types::{info, oid as types};

/// A catalog seen along a search path.
#[derive(Clone, Copy)]
pub struct CatalogNames<'a> {
    pub catalog: &'a Catalog,
    pub path: &'a SearchPath,
}

/// Collations that exist: OID, name, collate, ctype.
pub(super) const COLLATIONS: &[(Oid, &str)] = &[
    (Oid(100), "default"),
    (Oid(950), "C"),
    (Oid(951), "POSIX"),
    (Oid(12340), "ucs_basic"),
];

/// `a."B".c` into its parts, folded and unquoted.
///
/// # Errors
/// 42602 `invalid name syntax`.
pub fn parse_qualified(text: &str) -> Result<Vec<SmolStr>> {
    let bad = || PgError::new(sqlstate::INVALID_NAME, "invalid name syntax");
    let mut parts = Vec::new();
    let mut rest = text.trim();
    loop {
        if let Some(after) = rest.strip_prefix('"') {
            let mut name = String::new();
            let mut after = after;
            loop {
                let at = after.find('"').ok_or_else(bad)?;
                name.push_str(&after[..at]);
                after = &after[at + 1..];
                match after.strip_prefix('"') {
                    Some(more) => {
                        name.push('"');
                        after = more;
                    }
                    None => break,
                }
            }
            if name.is_empty() {
                return Err(bad());
            }
            parts.push(SmolStr::from(name));
            rest = after.trim_start();
        } else {
            let end = rest
                .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
                .unwrap_or(rest.len());
            let word = &rest[..end];
            if word.is_empty() || word.starts_with(|c: char| c.is_ascii_digit() || c == '$') {
                return Err(bad());
            }
            parts.push(SmolStr::from(word.to_lowercase()));
            rest = rest[end..].trim_start();
        }
        if rest.is_empty() {
            return Ok(parts);
        }
        rest = rest.strip_prefix('.').ok_or_else(bad)?.trim_start();
    }
}

fn number(text: &str) -> Option<Oid> {
    if text == "-" {
        return Some(Oid::INVALID);
    }
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    text.parse().ok().map(Oid)
}

fn undefined(message: String) -> PgError {
    PgError::new(sqlstate::UNDEFINED_OBJECT, message)
}

/// Splits `name(arguments)`.
fn split_arguments(text: &str) -> Result<(&str, &str)> {
    let open = text
        .find('(')
        .ok_or_else(|| PgError::new(sqlstate::INVALID_TEXT_REPRESENTATION, "expected a left parenthesis"))?;
    let inner = text[open + 1..]
        .trim_end()
        .strip_suffix(')')
        .ok_or_else(|| PgError::new(sqlstate::INVALID_TEXT_REPRESENTATION, "expected a right parenthesis"))?;
    Ok((&text[..open], inner))
}

impl CatalogNames<'_> {
    /// Schema and name, the schema `None` where the text has none.
    fn schema_and_name(self, text: &str) -> Result<(Option<SmolStr>, SmolStr)> {
        let mut parts = parse_qualified(text)?;
        if parts.len() > 3 {
            return Err(PgError::new(
                sqlstate::SYNTAX_ERROR,
                format!("improper relation name (too many dotted names): {}", parts.join(".")),
            ));
        }
        let name = parts.pop().expect("parse_qualified answers one part or more");
        let schema = parts.pop();
        if let Some(database) = parts.pop() {
            let mine = self.catalog.database_by_oid(self.catalog.database);
            if mine.is_none_or(|mine| mine.name != database) {
                return Err(PgError::unsupported(format!(
                    "cross-database reference \"{database}.{}.{name}\"",
                    schema.as_deref().unwrap_or_default()
                )));
            }
        }
        Ok((schema, name))
    }

    pub fn class_in(self, text: &str) -> Result<Oid> {
        let (schema, name) = self.schema_and_name(text)?;
        self.catalog.lookup_relation_for_command(self.path, schema.as_deref(), &name)
    }

    /// A type as SQL writes it: `integer[]`, `varchar(10)`, `public.mood`, `timestamp with time zone`.
    pub fn type_in(self, text: &str) -> Result<(Oid, i32)> {
        let mut rest = text.trim();
        let mut is_array = false;
        while let Some(inner) = rest.strip_suffix(']') {
            let Some(open) = inner.rfind('[') else { break };
            is_array = true;
            rest = inner[..open].trim_end();
        }
        let mut bare = rest.to_owned();
        let mut modifiers = Vec::new();
        if let (Some(open), false) = (rest.find('('), rest.starts_with('"')) {
            let close = rest[open..].find(')').map_or(rest.len(), |at| open + at);
            for argument in rest[open + 1..close].split(',') {
                let argument = argument.trim();
                modifiers.push(
                    argument
                        .parse::<i64>()
                        .map_err(|_| PgError::new(sqlstate::SYNTAX_ERROR, format!("syntax error at or near \"{argument}\"")))?,
                );
            }
            bare = format!("{}{}", rest[..open].trim_end(), rest.get(close + 1..).unwrap_or_default());
        }
        let words = bare.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        let ty = match info::by_sql_name(&words) {
            Some(built_in) if !bare.contains(['"', '.', '_']) || words == built_in.name => built_in.oid,
            _ => {
                let (schema, name) = self.schema_and_name(&bare)?;
                self.catalog.lookup_type(self.path, schema.as_deref(), &name)?
            }
        };
        let typmod = if modifiers.is_empty() {
            -1
        } else {
            info::typmod_in(ty, &modifiers)?
        };
        if !is_array {
            return Ok((ty, typmod));
        }
        match self.catalog.array_type_of(ty) {
            Some(array) => Ok((array, typmod)),
            None => Err(undefined(format!("type \"{text}\" does not exist"))),
        }
    }

    fn functions(self, text: &str) -> Result<Vec<FunctionRow>> {
        let (schema, name) = self.schema_and_name(text)?;
        let found = match schema.as_deref() {
            None | Some("pg_catalog") => directory::functions_named(&name),
            Some(schema) => directory::functions_named(&format!("{schema}.{name}")),
        };
        Ok(found)
    }

    fn operators(self, text: &str) -> Vec<OperatorRow> {
        let name = text.rsplit_once('.').map_or(text, |(_, name)| name);
        directory::operators_named(name.trim())
    }

    fn function_in(self, text: &str) -> Result<Oid> {
        match self.functions(text)?.as_slice() {
            [one] => Ok(one.oid),
            [] => Err(PgError::new(
                sqlstate::UNDEFINED_FUNCTION,
                format!("function \"{text}\" does not exist"),
            )),
            _ => Err(PgError::new(
                sqlstate::AMBIGUOUS_FUNCTION,
                format!("more than one function named \"{text}\""),
            )),
        }
    }

    fn types_in(self, list: &str) -> Result<Vec<Oid>> {
        if list.trim().is_empty() {
            return Ok(Vec::new());
        }
        list.split(',').map(|one| self.type_in(one).map(|(ty, _)| ty)).collect()
    }

    fn procedure_in(self, text: &str) -> Result<Oid> {
        let (name, list) = split_arguments(text)?;
        let args = self.types_in(list)?;
        self.functions(name)?
            .into_iter()
            .find(|function| function.args == args)
            .map(|function| function.oid)
            .ok_or_else(|| PgError::new(sqlstate::UNDEFINED_FUNCTION, format!("function \"{text}\" does not exist")))
    }

    fn operator_in(self, text: &str) -> Result<Oid> {
        match self.operators(text).as_slice() {
            [one] => Ok(one.oid),
            [] => Err(PgError::new(
                sqlstate::UNDEFINED_FUNCTION,
                format!("operator does not exist: {text}"),
            )),
            _ => Err(PgError::new(
                sqlstate::AMBIGUOUS_FUNCTION,
                format!("more than one operator named {text}"),
            )),
        }
    }

    fn operator_with_types_in(self, text: &str) -> Result<Oid> {
        let (name, list) = split_arguments(text)?;
        let mut args = Vec::new();
        for one in list.split(',') {
            args.push(if one.trim().eq_ignore_ascii_case("none") {
                None
            } else {
                Some(self.type_in(one)?.0)
            });
        }
        let [left, Some(right)] = args[..] else {
            return Err(PgError::new(sqlstate::UNDEFINED_PARAMETER, "missing argument")
                .hint("Use NONE to denote the missing argument of a unary operator."));
        };
        self.operators(name)
            .into_iter()
            .find(|operator| operator.left == left && operator.right == right)
            .map(|operator| operator.oid)
            .ok_or_else(|| PgError::new(sqlstate::UNDEFINED_FUNCTION, format!("operator does not exist: {text}")))
    }

    /// One identifier, as `regrole` and `regnamespace` take it.
    fn single(self, text: &str) -> Result<SmolStr> {
        let mut parts = parse_qualified(text)?;
        if parts.len() != 1 {
            return Err(PgError::new(sqlstate::INVALID_NAME, "invalid name syntax"));
        }
        Ok(parts.pop().expect("one part"))
    }

    fn role_in(self, text: &str) -> Result<Oid> {
        let name = self.single(text)?;
        self.catalog
            .find_role(&name)
            .ok_or_else(|| undefined(format!("role \"{name}\" does not exist")))
    }

    fn namespace_in(self, text: &str) -> Result<Oid> {
        let name = self.single(text)?;
        self.catalog.named_schema(self.path, &name)
    }

    fn collation_in(self, text: &str) -> Result<Oid> {
        let (_, name) = self.schema_and_name(text)?;
        COLLATIONS
            .iter()
            .find(|(_, one)| *one == name)
            .map(|(oid, _)| *oid)
            .ok_or_else(|| undefined(format!("collation \"{text}\" for encoding \"UTF8\" does not exist")))
    }

    /// A relation's name, with its schema where the path does not show it.
    pub fn relation_name(self, relation: RelationRef<'_>) -> String {
        if self
            .path
            .shows_relation(self.catalog, relation.schema(), relation.name(), relation.oid())
        {
            return quote_identifier(relation.name()).into_owned();
        }
        self.qualified(relation.schema(), relation.name())
    }

    /// `schema.name`; the session's own temporary schema is `pg_temp`.
    pub fn qualified(self, schema: Oid, name: &str) -> String {
        if self.path.temp == Some(schema) {
            return quote_qualified("pg_temp", name);
        }
        match self.catalog.schema(schema) {
            Some(schema) => quote_qualified(&schema.name, name),
            None => quote_identifier(name).into_owned(),
        }
    }

    /// Schema and `typname` of a type made by users (or a row type).
    pub fn type_identity(self, ty: Oid) -> Option<(Oid, SmolStr)> {
        match self.catalog.type_ref(ty)? {
            TypeRef::User(oid) => {
                let one = self.catalog.user_type(oid)?;
                Some((one.schema, one.name.clone()))
            }
            TypeRef::UserArray(oid) => {
                let one = self.catalog.user_type(oid)?;
                Some((one.schema, array_type_name(&one.name)))
            }
            TypeRef::Row(oid) => {
                let one = self.catalog.relation(oid)?;
                Some((one.schema(), one.name().clone()))
            }
            TypeRef::RowArray(oid) => {
                let one = self.catalog.relation(oid)?;
                Some((one.schema(), array_type_name(one.name())))
            }
        }
    }

    fn type_out(self, ty: Oid) -> String {
        if info::info(ty).is_some() {
            return info::format_type(ty, -1, &self);
        }
        match self.catalog.type_ref(ty) {
            None => ty.to_string(),
            Some(TypeRef::UserArray(_) | TypeRef::RowArray(_)) => info::format_type(ty, -1, &self),
            Some(TypeRef::User(_) | TypeRef::Row(_)) => match self.type_identity(ty) {
                Some((schema, name)) if self.path.shows_type(self.catalog, schema, &name, ty) => {
                    quote_identifier(&name).into_owned()
                }
                Some((schema, name)) => self.qualified(schema, &name),
                None => ty.to_string(),
            },
        }
    }

    /// A function's name; qualified where others have it too.
    fn function_out(self, oid: Oid) -> String {
        let Some(function) = directory::function(oid) else {
            return oid.to_string();
        };
        let (schema, name) = function_name(&function);
        let only = schema == PG_CATALOG && directory::functions_named(function.name).len() == 1;
        if only {
            quote_identifier(name).into_owned()
        } else {
            self.qualified(schema, name)
        }
    }

    fn procedure_out(self, oid: Oid) -> String {
        let Some(function) = directory::function(oid) else {
            return oid.to_string();
        };
        let (schema, name) = function_name(&function);
        let args: Vec<String> = function.args.iter().map(|ty| self.type_out(*ty)).collect();
        let name = if self.path.schemas.contains(&schema) {
            quote_identifier(name).into_owned()
        } else {
            self.qualified(schema, name)
        };
        format!("{name}({})", args.join(","))
    }

    fn operator_out(self, oid: Oid) -> String {
        match directory::operator(oid) {
            None => oid.to_string(),
            Some(operator) if directory::operators_named(operator.name).len() == 1 => operator.name.to_owned(),
            Some(operator) => format!("pg_catalog.{}", operator.name),
        }
    }

    fn operator_with_types_out(self, oid: Oid) -> String {
        let Some(operator) = directory::operator(oid) else {
            return oid.to_string();
        };
        let left = operator.left.map_or_else(|| "NONE".to_owned(), |ty| self.type_out(ty));
        format!("{}({left},{})", operator.name, self.type_out(operator.right))
    }
}

/// Schema and bare name of a function.
pub(super) fn function_name(function: &FunctionRow) -> (Oid, &'static str) {
    match function.name.split_once('.') {
        Some(("information_schema", name)) => (INFORMATION_SCHEMA, name),
        Some((_, name)) => (HOLDFAST_SCHEMA, name),
        None => (PG_CATALOG, function.name),
    }
}

fn fields(columns: &[Column]) -> std::sync::Arc<[(SmolStr, Oid, i32)]> {
    columns
        .iter()
        .filter(|column| !column.dropped)
        .map(|column| (column.name.clone(), column.ty, column.typmod))
        .collect()
}

impl NameLookup for CatalogNames<'_> {
    fn reg_in(&self, reg_type: Oid, text: &str) -> Result<Oid> {
        if let Some(oid) = number(text) {
            return Ok(oid);
        }
        match reg_type {
            types::REGCLASS => self.class_in(text),
            types::REGTYPE => self.type_in(text).map(|(ty, _)| ty),
            types::REGPROC => self.function_in(text),
            types::REGPROCEDURE => self.procedure_in(text),
            types::REGOPER => self.operator_in(text),
            types::REGOPERATOR => self.operator_with_types_in(text),
            types::REGROLE => self.role_in(text),
            types::REGNAMESPACE => self.namespace_in(text),
            types::REGCOLLATION => self.collation_in(text),
            types::REGCONFIG => Err(undefined(format!("text search configuration \"{text}\" does not exist"))),
            types::REGDICTIONARY => Err(undefined(format!("text search dictionary \"{text}\" does not exist"))),
            other => Err(PgError::internal(format!("type {other} names no objects"))),
        }
    }

    fn reg_out(&self, reg_type: Oid, oid: Oid) -> String {
        if !oid.is_valid() {
            return "-".to_owned();
        }
        let found = match reg_type {
            types::REGCLASS => self.catalog.relation(oid).map(|relation| self.relation_name(relation)),
            types::REGTYPE => return self.type_out(oid),
            types::REGPROC => return self.function_out(oid),
            types::REGPROCEDURE => return self.procedure_out(oid),
            types::REGOPER => return self.operator_out(oid),
            types::REGOPERATOR => return self.operator_with_types_out(oid),
            types::REGROLE => self.catalog.role(oid).map(|role| quote_identifier(&role.name).into_owned()),
            types::REGNAMESPACE => self
                .catalog
                .schema(oid)
                .map(|schema| quote_identifier(&schema.name).into_owned()),
            types::REGCOLLATION => COLLATIONS
                .iter()
                .find(|(one, _)| *one == oid)
                .map(|(_, name)| quote_identifier(name).into_owned()),
            _ => None,
        };
        found.unwrap_or_else(|| oid.to_string())
    }

    fn user_type(&self, ty: Oid) -> Option<UserType> {
        let found = match self.catalog.type_ref(ty)? {
            TypeRef::User(oid) => {
                let one = self.catalog.user_type(oid)?;
                let name = self.type_out(ty);
                match &one.kind {
                    UserTypeKind::Enum(labels) => UserType::Enum {
                        name,
                        labels: std::sync::Arc::clone(labels),
                    },
                    UserTypeKind::Composite(columns) => UserType::Composite {
                        name,
                        fields: fields(columns),
                    },
                    UserTypeKind::Domain { base, typmod, .. } => UserType::Domain {
                        name,
                        base: *base,
                        typmod: *typmod,
                    },
                }
            }
            TypeRef::UserArray(element) => UserType::Array { element },
            TypeRef::Row(relation) => {
                let columns = self.catalog.relation(relation)?.columns();
                UserType::Composite {
                    name: self.type_out(ty),
                    fields: fields(columns),
                }
            }
            TypeRef::RowArray(relation) => {
                let element = match self.catalog.relation(relation)? {
                    RelationRef::Table(table) => table.row_type,
                    RelationRef::View(view) => view.row_type,
                    RelationRef::Index(_) | RelationRef::Sequence(_) => return None,
                };
                UserType::Array { element }
            }
        };
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::tests::sample;

    #[test]
    fn names_go_in_and_come_out_as_in_postgresql() {
        let catalog = sample();
        let path = SearchPath::resolve(&catalog, "public", "postgres");
        let names = CatalogNames {
            catalog: &catalog,
            path: &path,
        };
        let class = |text| names.reg_in(types::REGCLASS, text);
        assert_eq!(class("acct").ok(), Some(Oid(20000)));
        assert_eq!(class("\"Line\"").ok(), Some(Oid(20010)));
        assert_eq!(class("20010").ok(), Some(Oid(20010)));
        assert_eq!(
            class("Line").expect_err("folded").message(),
            "relation \"line\" does not exist"
        );
        assert_eq!(class("nosuch.t").expect_err("schema").code(), sqlstate::UNDEFINED_SCHEMA);
        assert_eq!(class("a b").expect_err("syntax").message(), "invalid name syntax");
        assert_eq!(names.reg_out(types::REGCLASS, Oid(20010)), "\"Line\"");
        assert_eq!(names.reg_out(types::REGCLASS, Oid(1259)), "pg_class");
        assert_eq!(names.reg_out(types::REGCLASS, Oid(99999)), "99999");
        assert_eq!(names.reg_out(types::REGCLASS, Oid(0)), "-");
        let ty = |text| names.reg_in(types::REGTYPE, text).ok();
        assert_eq!(ty("mood[]"), Some(Oid(20030)));
        assert_eq!(ty("timestamp(3) with time zone"), Some(types::TIMESTAMPTZ));
        assert_eq!(ty("pg_catalog.int4"), Some(types::INT4));
        assert_eq!(ty("character varying(10)[]"), Some(types::VARCHAR_ARRAY));
        assert_eq!(names.reg_out(types::REGTYPE, Oid(20030)), "mood[]");
        assert_eq!(names.reg_out(types::REGTYPE, types::INT4), "integer");
        assert_eq!(names.reg_out(types::REGNAMESPACE, Oid(2200)), "public");
        assert_eq!(names.reg_in(types::REGROLE, "bob").ok(), Some(Oid(20100)));
        assert_eq!(names.reg_out(types::REGPROC, Oid(42)), "int4in");
        let hidden = SearchPath::resolve(&catalog, "", "postgres");
        let names = CatalogNames {
            catalog: &catalog,
            path: &hidden,
        };
        assert_eq!(names.reg_out(types::REGCLASS, Oid(20010)), "public.\"Line\"");
        assert_eq!(names.reg_out(types::REGTYPE, Oid(20031)), "public.mood");
        assert!(matches!(names.user_type(Oid(20031)), Some(UserType::Enum { labels, .. }) if labels.len() == 2));
    }
}
