//! `search_path`: where unqualified names are looked for.

use smol_str::SmolStr;

use super::catalog::{Catalog, PG_CATALOG};
use crate::ids::Oid;

/// Schemas in order. The session's temporary schema and `pg_catalog` come first unless the setting names them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchPath {
    pub schemas: Vec<Oid>,
    /// Where new objects go: the first schema named that exists.
    pub creation: Option<Oid>,
    /// The session's `pg_temp_N`, once it has one.
    pub temp: Option<Oid>,
    /// How many at the front of `schemas` were not named.
    pub implicit: usize,
}

impl SearchPath {
    /// The setting's text against a catalog; schemas that do not exist are passed over.
    pub fn resolve(catalog: &Catalog, text: &str, user: &str) -> SearchPath {
        SearchPath::resolve_with_temp(catalog, text, user, None)
    }

    /// The same for a session that has a temporary schema.
    pub fn resolve_with_temp(catalog: &Catalog, text: &str, user: &str, temp: Option<Oid>) -> SearchPath {
        let mut named: Vec<Oid> = Vec::new();
        let mut creation = None;
        for name in split_identifiers(text) {
            let found = match name.as_str() {
                "$user" => catalog.find_schema(user),
                "pg_temp" => temp,
                other => catalog.find_schema(other),
            };
            if let Some(schema) = found {
                // `pg_temp` in front of the path makes it the place for new objects; the session then creates it first.
                creation = creation.or(Some(schema));
                if !named.contains(&schema) {
                    named.push(schema);
                }
            }
        }
        let mut schemas = Vec::with_capacity(named.len() + 2);
        schemas.extend(temp.filter(|temp| !named.contains(temp)));
        if !named.contains(&PG_CATALOG) {
            schemas.push(PG_CATALOG);
        }
        let implicit = schemas.len();
        schemas.extend(named);
        SearchPath {
            schemas,
            creation,
            temp,
            implicit,
        }
    }

    /// `pg_catalog` alone: for views and expressions of the system.
    pub fn system() -> SearchPath {
        SearchPath {
            schemas: vec![PG_CATALOG],
            creation: None,
            temp: None,
            implicit: 1,
        }
    }

    /// `current_schemas(include_implicit)`.
    pub fn names(&self, catalog: &Catalog, include_implicit: bool) -> Vec<String> {
        let from = if include_implicit { 0 } else { self.implicit };
        self.schemas[from..]
            .iter()
            .filter_map(|schema| catalog.schema(*schema))
            .map(|schema| schema.name.to_string())
            .collect()
    }

    /// Whether a relation is found by its bare name.
    pub fn shows_relation(&self, catalog: &Catalog, schema: Oid, name: &str, oid: Oid) -> bool {
        self.schemas.contains(&schema) && self.schemas.iter().find_map(|one| catalog.find_relation(*one, name)) == Some(oid)
    }

    /// Whether a type is found by its bare name.
    pub fn shows_type(&self, catalog: &Catalog, schema: Oid, name: &str, oid: Oid) -> bool {
        self.schemas.contains(&schema) && self.schemas.iter().find_map(|one| catalog.find_type(*one, name)) == Some(oid)
    }
}

/// Splits a list of identifiers (`"$user", public`): unquoted ones are folded to lower case. Bad parts are passed over;
/// SET refuses them before they come here.
pub fn split_identifiers(text: &str) -> Vec<SmolStr> {
    let mut out = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('"') {
            let mut name = String::new();
            let mut chars = after.char_indices().peekable();
            let mut end = after.len();
            while let Some((at, c)) = chars.next() {
                if c != '"' {
                    name.push(c);
                } else if chars.peek().is_some_and(|(_, c)| *c == '"') {
                    name.push('"');
                    chars.next();
                } else {
                    end = at + 1;
                    break;
                }
            }
            out.push(SmolStr::from(name));
            rest = &after[end..];
            rest = rest.trim_start().trim_start_matches(',').trim_start();
        } else {
            let (name, after) = rest.split_once(',').unwrap_or((rest, ""));
            let name = name.trim();
            if !name.is_empty() {
                out.push(SmolStr::from(name.to_lowercase()));
            }
            rest = after.trim_start();
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_identifiers_fold_and_unquote() {
        assert_eq!(split_identifiers("\"$user\", Public"), ["$user", "public"]);
        assert_eq!(split_identifiers("\"My \"\"S\"\"\",a"), ["My \"S\"", "a"]);
        assert!(split_identifiers("").is_empty());
    }

    #[test]
    fn pg_catalog_comes_first_unless_named() {
        let catalog = crate::catalog::tests::sample();
        let path = SearchPath::resolve(&catalog, "\"$user\", public", "postgres");
        assert_eq!(path.names(&catalog, true), ["pg_catalog", "public"]);
        assert_eq!(path.names(&catalog, false), ["public"]);
        let path = SearchPath::resolve(&catalog, "nosuch, public, pg_catalog", "postgres");
        assert_eq!(path.names(&catalog, true), ["public", "pg_catalog"]);
        assert_eq!(path.creation, catalog.find_schema("public"));
    }
}
