//! What every DDL statement uses: names, locks, rights, notices, and the changes of the catalog.

use std::sync::Arc;

use smol_str::SmolStr;

use crate::cancel::Cancel;
use crate::catalog::{
    Catalog, CatalogOverlay, CatalogStore, Change, Index, Object, ObjectKind, RelationRef, Schema, SearchPath, Sequence, Table,
    View,
};
use crate::error::{PgError, Result, Severity, SqlState, sqlstate};
use crate::exec::ExecContext;
use crate::functions::Host;
use crate::ids::{Oid, StorageId};
use crate::limits;
use crate::lock::RelationMode;
use crate::parse::{Parsed, QName, RoleSpec};
use crate::txn::{LockTimeouts, Txn, Wait};
use crate::types::TypeEnv;
use crate::types::env::{NameLookup, TypeSettings};

/// Storage id in key locks on names: no table has it.
const NAME_STORAGE: StorageId = StorageId(0);
/// `pg_class`, `pg_type`, `pg_namespace`, `pg_authid`, `pg_database`: what a name lock is taken in.
pub const CLASS_RELATION: Oid = Oid(1259);
pub const CLASS_TYPE: Oid = Oid(1247);
pub const CLASS_SCHEMA: Oid = Oid(2615);
pub const CLASS_ROLE: Oid = Oid(1260);
pub const CLASS_DATABASE: Oid = Oid(1262);
pub const CLASS_CONSTRAINT: Oid = Oid(2606);

/// `pg_catalog`.
pub const PG_CATALOG: Oid = Oid(11);

/// The statement's surroundings; the session builds one a statement.
pub struct DdlContext<'a> {
    pub txn: &'a Arc<Txn>,
    /// The statement, for positions in errors.
    pub parsed: Option<&'a Parsed>,
    pub catalogs: &'a Arc<CatalogStore>,
    pub overlay: &'a CatalogOverlay,
    /// `search_path` against a catalog, which changes under the statement's own hands.
    pub search_path: &'a (dyn Fn(&Catalog) -> SearchPath + Send + Sync),
    /// `pg_temp_N`: made when the first temporary relation is.
    pub temp_schema: SmolStr,
    pub role: Oid,
    pub session_role: Oid,
    pub superuser: bool,
    pub database: Oid,
    pub timeouts: LockTimeouts,
    pub settings: Arc<TypeSettings>,
    pub names: Arc<dyn NameLookup>,
    pub host: Arc<dyn Host>,
    pub cancel: Arc<Cancel>,
    pub now_micros: i64,
    pub work_mem: usize,
}

impl DdlContext<'_> {
    /// The latest committed catalog with this transaction's own changes.
    pub fn catalog(&self) -> Arc<Catalog> {
        self.overlay.current()
    }

    pub fn path(&self, catalog: &Catalog) -> SearchPath {
        (self.search_path)(catalog)
    }

    pub fn env(&self) -> TypeEnv<'_> {
        TypeEnv {
            settings: &self.settings,
            names: &*self.names,
            now_micros: self.now_micros,
        }
    }

    pub fn new_oid(&self) -> Oid {
        self.txn.engine().new_oid()
    }

    pub fn change(&self, change: Change) -> Result<()> {
        self.overlay.change(self.txn, change)
    }

    pub fn put_table(&self, table: Table) -> Result<Arc<Table>> {
        let table = Arc::new(table);
        self.change(Change::Put(Object::Table(Arc::clone(&table))))?;
        Ok(table)
    }

    pub fn put_index(&self, index: Index) -> Result<Arc<Index>> {
        let index = Arc::new(index);
        self.change(Change::Put(Object::Index(Arc::clone(&index))))?;
        Ok(index)
    }

    pub fn put_sequence(&self, sequence: Sequence) -> Result<()> {
        self.change(Change::Put(Object::Sequence(Arc::new(sequence))))
    }

    pub fn put_view(&self, view: View) -> Result<()> {
        self.change(Change::Put(Object::View(Arc::new(view))))
    }

    pub fn delete(&self, kind: ObjectKind, oid: Oid) -> Result<()> {
        self.change(Change::Delete(kind, oid))
    }

    pub fn table(&self, oid: Oid) -> Result<Arc<Table>> {
        self.catalog().table(oid).cloned().ok_or_else(|| gone(oid))
    }

    /// A context for operators and writers, over the catalog as it is now.
    pub fn exec(&self) -> Result<ExecContext> {
        super::exprs::exec_context(self, &super::exprs::empty_plan())
    }

    pub fn notice(&self, notice: PgError) {
        self.host.notice(notice.severity(Severity::Notice));
    }

    /// `relation "x" already exists, skipping` and the like.
    pub fn skip(&self, code: SqlState, message: impl Into<String>) {
        self.notice(PgError::new(code, message));
    }

    /// Waits until nobody makes or removes the name; afterwards nobody else does before this transaction ends.
    pub async fn lock_name(&self, class: Oid, schema: Oid, name: &str) -> Result<()> {
        let mut key = Vec::with_capacity(8 + name.len());
        key.extend_from_slice(&class.0.to_be_bytes());
        key.extend_from_slice(&schema.0.to_be_bytes());
        key.extend_from_slice(name.as_bytes());
        self.txn.lock_key(class, NAME_STORAGE, &key, &self.timeouts).await
    }

    pub async fn lock(&self, relation: Oid, mode: RelationMode) -> Result<()> {
        self.txn
            .lock_relation(relation, mode, Wait::Block, &self.timeouts)
            .await
            .map(|_| ())
    }

    pub fn find(&self, name: &QName) -> Option<Oid> {
        let catalog = self.catalog();
        let path = self.path(&catalog);
        catalog.find_relation_in(&path, name.schema().map(SmolStr::as_str), name.name())
    }

    /// Finds a relation by name and locks it: the name still stands for it afterwards. `None` where there is none.
    pub async fn find_locked(&self, name: &QName, mode: RelationMode) -> Result<Option<Oid>> {
        loop {
            let Some(oid) = self.find(name) else { return Ok(None) };
            if oid.0 < Oid::FIRST_USER.0 {
                return Ok(Some(oid));
            }
            self.lock(oid, mode).await?;
            if self.find(name) == Some(oid) {
                return Ok(Some(oid));
            }
        }
    }

    /// The same: 42P01 where there is none (3F000 where the schema does not exist).
    pub async fn require_locked(&self, name: &QName, mode: RelationMode) -> Result<Oid> {
        match self.find_locked(name, mode).await? {
            Some(oid) => Ok(oid),
            None => Err(self.missing_relation(name)),
        }
    }

    pub fn missing_relation(&self, name: &QName) -> PgError {
        PgError::new(sqlstate::UNDEFINED_TABLE, format!("relation \"{name}\" does not exist"))
    }

    /// The table of a name, locked.
    pub async fn require_table(&self, name: &QName, mode: RelationMode) -> Result<Arc<Table>> {
        let oid = self.require_locked(name, mode).await?;
        self.as_table(oid)
    }

    pub fn as_table(&self, oid: Oid) -> Result<Arc<Table>> {
        let catalog = self.catalog();
        match catalog.relation(oid) {
            Some(RelationRef::Table(table)) if table.virtual_source.is_none() => Ok(Arc::clone(table)),
            Some(RelationRef::Table(table)) => Err(PgError::new(
                sqlstate::INSUFFICIENT_PRIVILEGE,
                format!("permission denied: \"{}\" is a system catalog", table.name),
            )),
            Some(other) => Err(PgError::new(
                sqlstate::WRONG_OBJECT_TYPE,
                format!("\"{}\" is not a table", other.name()),
            )),
            None => Err(gone(oid)),
        }
    }

    /// The schema for a new object, and that the role may make objects there.
    pub async fn creation_schema(&self, name: &QName, temporary: bool) -> Result<Oid> {
        let catalog = self.catalog();
        let path = self.path(&catalog);
        if let Some(schema) = name.schema() {
            let explicit_temp = schema == "pg_temp" || *schema == self.temp_schema;
            if temporary && !explicit_temp {
                return Err(PgError::new(
                    sqlstate::INVALID_TABLE_DEFINITION,
                    "cannot create temporary relation in non-temporary schema",
                )
                .at(name.position));
            }
            if explicit_temp {
                return self.own_temp_schema().await;
            }
            let oid = catalog.named_schema(&path, schema).map_err(|error| error.at(name.position))?;
            if is_system_schema(oid) {
                return Err(PgError::new(
                    sqlstate::INSUFFICIENT_PRIVILEGE,
                    format!("permission denied to create \"{name}\""),
                )
                .detail("System catalog modifications are currently disallowed."));
            }
            self.may_create_in(oid)?;
            return Ok(oid);
        }
        if temporary {
            return self.own_temp_schema().await;
        }
        let Some(oid) = path.creation else {
            return Err(PgError::new(sqlstate::UNDEFINED_SCHEMA, "no schema has been selected to create in").at(name.position));
        };
        self.may_create_in(oid)?;
        Ok(oid)
    }

    /// The session's temporary schema, made if it has none yet.
    async fn own_temp_schema(&self) -> Result<Oid> {
        self.lock_name(CLASS_SCHEMA, Oid::INVALID, &self.temp_schema).await?;
        if let Some(oid) = self.catalog().find_schema(&self.temp_schema) {
            return Ok(oid);
        }
        let schema = Schema {
            oid: self.new_oid(),
            name: self.temp_schema.clone(),
            owner: self.role,
        };
        let oid = schema.oid;
        self.change(Change::Put(Object::Schema(Arc::new(schema))))?;
        Ok(oid)
    }

    pub fn is_temp_schema(&self, schema: Oid) -> bool {
        self.catalog()
            .schema(schema)
            .is_some_and(|schema| schema.name.starts_with("pg_temp_"))
    }

    pub fn may_create_in(&self, schema: Oid) -> Result<()> {
        let catalog = self.catalog();
        let Some(found) = catalog.schema(schema) else {
            return Err(gone(schema));
        };
        if is_system_schema(schema) {
            return Err(PgError::new(
                sqlstate::INSUFFICIENT_PRIVILEGE,
                format!("permission denied for schema {}", found.name),
            )
            .detail("System catalog modifications are currently disallowed."));
        }
        if self.superuser || self.is_temp_schema(schema) || catalog.is_member(self.role, found.owner) {
            return Ok(());
        }
        Err(PgError::new(
            sqlstate::INSUFFICIENT_PRIVILEGE,
            format!("permission denied for schema {}", found.name),
        ))
    }

    /// 42501 unless the role owns the object (directly or as a member).
    pub fn must_own(&self, owner: Oid, kind: &str, name: &str) -> Result<()> {
        if self.superuser || self.catalog().is_member(self.role, owner) {
            return Ok(());
        }
        Err(PgError::new(
            sqlstate::INSUFFICIENT_PRIVILEGE,
            format!("must be owner of {kind} {name}"),
        ))
    }

    pub fn must_own_table(&self, table: &Table) -> Result<()> {
        if table.oid.0 < Oid::FIRST_USER.0 {
            return Err(PgError::new(
                sqlstate::INSUFFICIENT_PRIVILEGE,
                format!("permission denied: \"{}\" is a system catalog", table.name),
            ));
        }
        self.must_own(table.owner, "table", &table.name)
    }

    /// The OID of a role as written.
    pub fn role(&self, spec: &RoleSpec) -> Result<Oid> {
        match spec {
            RoleSpec::CurrentUser | RoleSpec::CurrentRole => Ok(self.role),
            RoleSpec::SessionUser => Ok(self.session_role),
            RoleSpec::Public => Err(no_role("public")),
            RoleSpec::Name(name) => self.role_named(&name.text),
        }
    }

    pub fn role_named(&self, name: &str) -> Result<Oid> {
        self.catalog().find_role(name).ok_or_else(|| no_role(name))
    }

    /// Takes the name of a new relation; 42P07 where it is taken. Types share tables' names.
    pub async fn claim_relation(&self, schema: Oid, name: &str) -> Result<()> {
        self.lock_name(CLASS_RELATION, schema, name).await?;
        if self.catalog().find_relation(schema, name).is_some() {
            return Err(exists(name));
        }
        Ok(())
    }

    /// Takes the name of a new type; 42710 where it is taken.
    pub async fn claim_type(&self, schema: Oid, name: &str) -> Result<()> {
        self.lock_name(CLASS_TYPE, schema, name).await?;
        if self.catalog().find_type(schema, name).is_some() {
            return Err(PgError::new(
                sqlstate::DUPLICATE_OBJECT,
                format!("type \"{name}\" already exists"),
            ));
        }
        Ok(())
    }

    pub fn schema_name(&self, schema: Oid) -> SmolStr {
        self.catalog()
            .schema(schema)
            .map(|schema| schema.name.clone())
            .unwrap_or_default()
    }

    /// `name` or `schema.name`, as messages name a relation outside the search path.
    pub fn shown_name(&self, schema: Oid, name: &str) -> String {
        let catalog = self.catalog();
        let path = self.path(&catalog);
        let visible = path
            .schemas
            .iter()
            .find_map(|one| catalog.find_relation(*one, name).map(|_| *one));
        if visible == Some(schema) || visible.is_none() && path.schemas.contains(&schema) {
            return crate::parse::quote_identifier(name);
        }
        format!(
            "{}.{}",
            crate::parse::quote_identifier(&self.schema_name(schema)),
            crate::parse::quote_identifier(name)
        )
    }

    pub async fn breathe(&self) -> Result<()> {
        self.cancel.check()?;
        tokio::task::consume_budget().await;
        Ok(())
    }
}

/// `pg_catalog` and its like; `public` is a schema as any other.
fn is_system_schema(schema: Oid) -> bool {
    schema.0 < Oid::FIRST_USER.0 && schema != crate::catalog::PUBLIC
}

pub fn gone(oid: Oid) -> PgError {
    PgError::new(sqlstate::UNDEFINED_TABLE, format!("could not open relation with OID {oid}"))
}

pub fn no_role(name: &str) -> PgError {
    PgError::new(sqlstate::UNDEFINED_OBJECT, format!("role \"{name}\" does not exist"))
}

pub fn exists(name: &str) -> PgError {
    PgError::new(sqlstate::DUPLICATE_TABLE, format!("relation \"{name}\" already exists"))
}

/// PostgreSQL's `makeObjectName`: parts joined by `_`, the two names cut so that all fits an identifier.
pub fn object_name(name1: &str, name2: Option<&str>, label: &str) -> SmolStr {
    let overhead = if label.is_empty() { 0 } else { label.len() + 1 } + usize::from(name2.is_some());
    let available = limits::IDENTIFIER_BYTES_MAX.saturating_sub(overhead);
    let (mut first, mut second) = (name1.len(), name2.map_or(0, str::len));
    while first + second > available {
        if first > second {
            first -= 1;
        } else {
            second -= 1;
        }
    }
    let mut out = String::from(cut(name1, first));
    if let Some(name2) = name2 {
        out.push('_');
        out.push_str(cut(name2, second));
    }
    if !label.is_empty() {
        out.push('_');
        out.push_str(label);
    }
    SmolStr::from(out)
}

fn cut(text: &str, mut len: usize) -> &str {
    while !text.is_char_boundary(len) {
        len -= 1;
    }
    &text[..len]
}

/// The first of `name1_name2_label`, `..label1`, `..label2` that is free.
pub fn free_name(name1: &str, name2: Option<&str>, label: &str, taken: impl Fn(&str) -> bool) -> SmolStr {
    let mut name = object_name(name1, name2, label);
    let mut number = 0;
    while taken(&name) {
        number += 1;
        name = object_name(name1, name2, &format!("{label}{number}"));
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_and_cut_as_postgresql_does() {
        assert_eq!(object_name("t", Some("a"), "key"), "t_a_key");
        assert_eq!(object_name("t", None, "pkey"), "t_pkey");
        let long = "a".repeat(63);
        let made = object_name(&long, Some(&long), "key");
        assert_eq!(made.len(), 63);
        assert!(made.ends_with("_key"));
        assert_eq!(free_name("t", Some("a"), "idx", |name| name == "t_a_idx"), "t_a_idx1");
    }
}
