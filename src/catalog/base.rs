//! The system's own relations and types, read once from `sql/`: they lie under every catalog and never change.
//!
//! The files are SQL in a narrow form that [`Reader`] takes: `CREATE TABLE | VIEW schema.name (column type [COLLATE "C"]
//! [NOT NULL], ...) WITH (oid = ..., source = '...') [AS query];`, `CREATE DOMAIN`, and comments on lines of their own.
//! `source` names the rows in [`super::virtual_tables`]: `data` for a file in `sql/data`, `none` for a relation without
//! rows, `unsupported` for one that cannot be read.

use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::catalog::{HOLDFAST_SCHEMA, INFORMATION_SCHEMA, PG_CATALOG, PG_TOAST, TypeRef, array_type_name};
use super::objects::{Column, RowKey, Schema, Table, UserType, UserTypeKind, View};
use crate::ids::{Oid, StorageId};
use crate::types::info;
use crate::types::oid as types;

/// Role `postgres`, owner of all that the system made.
pub const BOOTSTRAP_SUPERUSER: Oid = Oid(10);
const COLLATION_C: Oid = Oid(950);

const FILES: [&str; 3] = [
    include_str!("../../sql/pg_catalog.sql"),
    include_str!("../../sql/information_schema.sql"),
    include_str!("../../sql/holdfast.sql"),
];

/// Objects of the system.
#[derive(Default)]
pub(super) struct Base {
    pub schemas: FxHashMap<Oid, Arc<Schema>>,
    pub schema_names: FxHashMap<SmolStr, Oid>,
    pub tables: FxHashMap<Oid, Arc<Table>>,
    pub views: FxHashMap<Oid, Arc<View>>,
    pub relation_names: FxHashMap<(Oid, SmolStr), Oid>,
    pub types: FxHashMap<Oid, Arc<UserType>>,
    pub type_names: FxHashMap<(Oid, SmolStr), Oid>,
    pub type_refs: FxHashMap<Oid, TypeRef>,
}

static BASE: LazyLock<Base> = LazyLock::new(|| {
    let mut base = Base::default();
    for (oid, name) in [
        (PG_CATALOG, "pg_catalog"),
        (PG_TOAST, "pg_toast"),
        (INFORMATION_SCHEMA, "information_schema"),
        (HOLDFAST_SCHEMA, "holdfast"),
    ] {
        let schema = Schema {
            oid,
            name: SmolStr::new(name),
            owner: BOOTSTRAP_SUPERUSER,
        };
        base.schema_names.insert(schema.name.clone(), oid);
        base.schemas.insert(oid, Arc::new(schema));
    }
    for file in FILES {
        for statement in statements(file) {
            base.take(statement)
                .unwrap_or_else(|wrong| panic!("sql/: {wrong} in: {statement}"));
        }
    }
    base
});

impl Base {
    pub(super) fn get() -> &'static Base {
        &BASE
    }

    fn take(&mut self, statement: &str) -> Result<(), String> {
        let mut reader = Reader { rest: statement };
        reader.word("CREATE")?;
        match reader.identifier()? {
            "TABLE" => self.relation(&mut reader, false),
            "VIEW" => self.relation(&mut reader, true),
            "DOMAIN" => self.domain(&mut reader),
            other => Err(format!("CREATE {other}")),
        }
    }

    fn qualified(&self, reader: &mut Reader<'_>) -> Result<(Oid, SmolStr), String> {
        let schema = reader.identifier()?;
        reader.sign('.')?;
        let name = reader.identifier()?;
        let schema = self.schema_names.get(schema).ok_or_else(|| format!("schema {schema}"))?;
        Ok((*schema, SmolStr::new(name)))
    }

    fn relation(&mut self, reader: &mut Reader<'_>, is_view: bool) -> Result<(), String> {
        let (schema, name) = self.qualified(reader)?;
        let columns = self.columns(reader)?;
        let options = reader.options()?;
        let number = |key: &str| -> Oid { Oid(option(&options, key).and_then(|text| text.parse().ok()).unwrap_or(0)) };
        let (oid, row_type, array_type) = (number("oid"), number("rowtype"), number("arraytype"));
        if !oid.is_valid() || self.relation_names.insert((schema, name.clone()), oid).is_some() {
            return Err("oid is missing or the name is there twice".to_owned());
        }
        if row_type.is_valid() {
            self.type_names.insert((schema, name.clone()), row_type);
            self.type_refs.insert(row_type, TypeRef::Row(oid));
        }
        if array_type.is_valid() {
            self.type_names.insert((schema, array_type_name(&name)), array_type);
            self.type_refs.insert(array_type, TypeRef::RowArray(oid));
        }
        if reader.try_word("AS") {
            let view = View {
                oid,
                schema,
                name,
                owner: BOOTSTRAP_SUPERUSER,
                query: reader.rest.trim_start_matches('\n').trim_end().to_owned(),
                columns,
                row_type,
                depends_on: Vec::new(),
                options: Vec::new(),
            };
            self.views.insert(oid, Arc::new(view));
            return Ok(());
        }
        let source = match option(&options, "source").ok_or("source is missing")? {
            // The host is asked by one name; what the relation is called tells the rest.
            kind @ ("data" | "unsupported") => SmolStr::from(format!("{kind}:{name}")),
            other => SmolStr::new(other),
        };
        let mut kept = Vec::new();
        if is_view {
            kept.push((SmolStr::new_static(Table::RELKIND), "v".to_owned()));
        }
        if option(&options, "shared").is_some() {
            kept.push((SmolStr::new_static(Table::SHARED), "true".to_owned()));
        }
        let table = Table {
            oid,
            schema,
            name,
            owner: BOOTSTRAP_SUPERUSER,
            storage: StorageId(0),
            row_key: RowKey::RowId,
            columns,
            constraints: Vec::new(),
            indexes: Vec::new(),
            row_type,
            array_type,
            temporary: false,
            unlogged: false,
            options: kept,
            virtual_source: Some(source),
            acl: Some(vec!["postgres=arwdDxt/postgres".to_owned(), "=r/postgres".to_owned()]),
        };
        self.tables.insert(oid, Arc::new(table));
        Ok(())
    }

    fn columns(&self, reader: &mut Reader<'_>) -> Result<Vec<Column>, String> {
        let mut columns = Vec::new();
        reader.sign('(')?;
        loop {
            let name = SmolStr::new(reader.identifier()?);
            let (ty, typmod) = self.column_type(reader)?;
            let mut collation = info::info(ty).map_or(Oid::INVALID, |row| row.collation);
            if reader.try_word("COLLATE") {
                reader.identifier()?;
                collation = COLLATION_C;
            }
            let not_null = reader.try_word("NOT");
            if not_null {
                reader.word("NULL")?;
            }
            columns.push(Column {
                name,
                ty,
                typmod,
                not_null,
                default: None,
                identity: None,
                generated: None,
                dropped: false,
                missing: None,
                collation,
            });
            if !reader.try_sign(',') {
                break;
            }
        }
        reader.sign(')')?;
        Ok(columns)
    }

    /// The words up to what ends a type: `timestamp(2) with time zone`, `text[]`, `information_schema.yes_or_no`.
    fn column_type(&self, reader: &mut Reader<'_>) -> Result<(Oid, i32), String> {
        let mut words = reader.identifier()?.to_owned();
        if reader.try_sign('.') {
            let name = reader.identifier()?;
            let key = (INFORMATION_SCHEMA, SmolStr::new(name));
            let ty = self.type_names.get(&key).ok_or_else(|| format!("type {words}.{name}"))?;
            return Ok((*ty, -1));
        }
        let mut argument = None;
        loop {
            if reader.try_sign('(') {
                argument = Some(reader.identifier()?.parse::<i64>().map_err(|_| "type modifier")?);
                reader.sign(')')?;
            } else if let Some(word) = reader.peek_type_word() {
                words.push(' ');
                words.push_str(word);
                reader.identifier()?;
            } else {
                break;
            }
        }
        let mut ty = match words.as_str() {
            "pg_statistic" => Oid(10028),
            other => info::by_name(other).ok_or_else(|| format!("type {words}"))?.oid,
        };
        let typmod = match argument {
            Some(argument) => info::typmod_in(ty, &[argument]).map_err(|error| error.message().to_owned())?,
            None => -1,
        };
        if reader.try_sign('[') {
            reader.sign(']')?;
            // pg_statistic's own row type is the only array over a row type.
            ty = info::array_of(ty).unwrap_or(types::RECORD_ARRAY);
        }
        Ok((ty, typmod))
    }

    fn domain(&mut self, reader: &mut Reader<'_>) -> Result<(), String> {
        let (schema, name) = self.qualified(reader)?;
        reader.word("AS")?;
        let (base, typmod) = self.column_type(reader)?;
        let options = reader.options()?;
        let number = |key: &str| -> Oid { Oid(option(&options, key).and_then(|text| text.parse().ok()).unwrap_or(0)) };
        let (oid, array_type) = (number("oid"), number("arraytype"));
        self.type_names.insert((schema, name.clone()), oid);
        self.type_names.insert((schema, array_type_name(&name)), array_type);
        self.type_refs.insert(oid, TypeRef::User(oid));
        self.type_refs.insert(array_type, TypeRef::UserArray(oid));
        let kind = UserTypeKind::Domain {
            base,
            typmod,
            not_null: false,
            default: None,
            checks: Vec::new(),
        };
        let ty = UserType {
            oid,
            array_type,
            schema,
            name,
            owner: BOOTSTRAP_SUPERUSER,
            kind,
        };
        self.types.insert(oid, Arc::new(ty));
        Ok(())
    }
}

impl Table {
    const RELKIND: &'static str = "relkind";
    const SHARED: &'static str = "shared";

    /// A relation of the system that PostgreSQL has as a view.
    pub fn is_system_view(&self) -> bool {
        self.virtual_source.is_some() && self.options.iter().any(|(name, _)| name == Table::RELKIND)
    }

    /// A relation of the system that is the same in every database.
    pub fn is_shared(&self) -> bool {
        self.virtual_source.is_some() && self.options.iter().any(|(name, _)| name == Table::SHARED)
    }
}

pub(super) fn option<'a>(options: &[(&'a str, &'a str)], key: &str) -> Option<&'a str> {
    options.iter().find(|(name, _)| *name == key).map(|(_, value)| *value)
}

/// Statements of a file: they end with `;` at a line's end. Comment lines stand outside statements.
pub(super) fn statements(file: &str) -> impl Iterator<Item = &str> {
    file.split(";\n").filter_map(|part| {
        let mut rest = part.trim();
        while rest.starts_with("--") {
            rest = rest.split_once('\n').map_or("", |(_, after)| after.trim_start());
        }
        (!rest.is_empty()).then_some(rest)
    })
}

/// Reads the narrow SQL of `sql/`.
pub(super) struct Reader<'a> {
    pub(super) rest: &'a str,
}

impl<'a> Reader<'a> {
    /// A word, a number, or a quoted identifier with its quotes.
    pub(super) fn identifier(&mut self) -> Result<&'a str, String> {
        self.rest = self.rest.trim_start();
        let end = if let Some(inner) = self.rest.strip_prefix('"') {
            inner.find('"').map_or(self.rest.len(), |at| at + 2)
        } else {
            self.rest
                .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                .unwrap_or(self.rest.len())
        };
        if end == 0 {
            return Err(format!("a word is missing before {:.20}", self.rest));
        }
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        Ok(word)
    }

    pub(super) fn word(&mut self, expected: &str) -> Result<(), String> {
        let found = self.identifier()?;
        if found == expected {
            Ok(())
        } else {
            Err(format!("{found} instead of {expected}"))
        }
    }

    fn try_word(&mut self, word: &str) -> bool {
        let rest = self.rest.trim_start();
        let there = rest
            .strip_prefix(word)
            .filter(|after| !after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'));
        if let Some(after) = there {
            self.rest = after;
        }
        there.is_some()
    }

    /// The next word of a type's name of several words.
    fn peek_type_word(&self) -> Option<&'static str> {
        let rest = self.rest.trim_start();
        ["with", "without", "time", "zone", "precision", "varying"]
            .into_iter()
            .find(|word| {
                rest.strip_prefix(word)
                    .is_some_and(|after| !after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
            })
    }

    fn try_sign(&mut self, sign: char) -> bool {
        match self.rest.trim_start().strip_prefix(sign) {
            Some(after) => {
                self.rest = after;
                true
            }
            None => false,
        }
    }

    fn sign(&mut self, sign: char) -> Result<(), String> {
        if self.try_sign(sign) {
            Ok(())
        } else {
            Err(format!("{sign} is missing before {:.20}", self.rest))
        }
    }

    /// `WITH (name = value, ...)`.
    pub(super) fn options(&mut self) -> Result<Vec<(&'a str, &'a str)>, String> {
        let mut options = Vec::new();
        self.word("WITH")?;
        self.sign('(')?;
        loop {
            let name = self.identifier()?;
            self.sign('=')?;
            let value = if self.try_sign('\'') {
                let (value, rest) = self.rest.split_once('\'').ok_or("a quote is missing")?;
                self.rest = rest;
                value
            } else {
                self.identifier()?
            };
            options.push((name, value));
            if !self.try_sign(',') {
                break;
            }
        }
        self.sign(')')?;
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_sql_is_read() {
        let base = Base::get();
        let class = base.tables.get(&Oid(1259)).expect("pg_class");
        assert_eq!(class.columns.len(), 33);
        assert_eq!(
            class.column("relname").map(|(at, column)| (at, column.ty)),
            Some((1, types::NAME))
        );
        assert_eq!(class.row_type, Oid(83));
        let roles = base.relation_names[&(PG_CATALOG, SmolStr::new("pg_roles"))];
        assert!(base.views[&roles].query.starts_with(" SELECT pg_authid.rolname"));
        let columns = base.relation_names[&(INFORMATION_SCHEMA, SmolStr::new("columns"))];
        assert_eq!(base.tables[&columns].columns.len(), 44);
        assert!(base.tables[&columns].is_system_view());
        assert!(base.tables[&Oid(1262)].is_shared());
    }
}
