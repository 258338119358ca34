//! [`Catalog`]: one database's objects, and the shared ones, at one moment.
//!
//! Maps hang on `Arc`s, so that the next version copies only the maps that a change touches, and the objects never.
//! Relations and types of the system ([`Base`]) lie under every catalog and never change.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::base::Base;
use super::objects::{Column, Comment, Database, Index, Object, Role, Schema, Sequence, Table, UserType, View};
use super::search_path::SearchPath;
use super::statistics::{Statistics, TableStatistics};
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::types::info;

/// Schemas with fixed OIDs, as in PostgreSQL (`holdfast` apart).
pub const PG_CATALOG: Oid = Oid(11);
pub const PG_TOAST: Oid = Oid(99);
pub const PUBLIC: Oid = Oid(2200);
pub const INFORMATION_SCHEMA: Oid = Oid(13207);
pub const HOLDFAST_SCHEMA: Oid = Oid(15000);

/// Catalogs that hold objects: the `class` of comments and dependencies.
pub mod class {
    use crate::ids::Oid;

    pub const RELATION: Oid = Oid(1259);
    pub const TYPE: Oid = Oid(1247);
    pub const PROC: Oid = Oid(1255);
    pub const AUTHID: Oid = Oid(1260);
    pub const DATABASE: Oid = Oid(1262);
    pub const NAMESPACE: Oid = Oid(2615);
    pub const CONSTRAINT: Oid = Oid(2606);
    pub const ATTRDEF: Oid = Oid(2604);
    pub const AM: Oid = Oid(2601);
}

pub(super) type Objects<T> = Arc<FxHashMap<Oid, Arc<T>>>;
pub(super) type Names = Arc<FxHashMap<(Oid, SmolStr), Oid>>;
/// Comments on one object: (class, attnum, text).
pub(super) type ObjectComments = Vec<(Oid, i32, Arc<Comment>)>;

/// Databases and roles: the same for every database.
#[derive(Clone, Debug, Default)]
pub(super) struct Shared {
    pub databases: FxHashMap<Oid, Arc<Database>>,
    pub database_names: FxHashMap<SmolStr, Oid>,
    pub roles: FxHashMap<Oid, Arc<Role>>,
    pub role_names: FxHashMap<SmolStr, Oid>,
    pub comments: FxHashMap<Oid, ObjectComments>,
}

/// One database's objects (and the shared ones) at one moment; never changes.
#[derive(Clone)]
pub struct Catalog {
    /// Unique in this run of the process: two catalogs with one version are the same.
    pub version: u64,
    pub database: Oid,
    pub(super) base: &'static Base,
    pub(super) shared: Arc<Shared>,
    pub(super) schemas: Objects<Schema>,
    pub(super) schema_names: Arc<FxHashMap<SmolStr, Oid>>,
    pub(super) tables: Objects<Table>,
    pub(super) indexes: Objects<Index>,
    pub(super) sequences: Objects<Sequence>,
    pub(super) views: Objects<View>,
    pub(super) relation_names: Names,
    pub(super) types: Objects<UserType>,
    pub(super) type_names: Names,
    pub(super) type_refs: Arc<FxHashMap<Oid, TypeRef>>,
    /// Parent to (child table, constraint).
    pub(super) foreign_keys: Arc<FxHashMap<Oid, Vec<(Oid, Oid)>>>,
    pub(super) comments: Arc<FxHashMap<Oid, ObjectComments>>,
    pub(super) statistics: Arc<Statistics>,
}

/// What a type's OID stands for, where it is not built in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeRef {
    /// An enum, composite or domain: the key of [`Catalog::user_type`].
    User(Oid),
    /// The array over the user type.
    UserArray(Oid),
    /// The row type of a relation.
    Row(Oid),
    /// The array over a relation's row type.
    RowArray(Oid),
}

/// A relation of any kind.
#[derive(Clone, Copy, Debug)]
pub enum RelationRef<'a> {
    Table(&'a Arc<Table>),
    Index(&'a Arc<Index>),
    Sequence(&'a Arc<Sequence>),
    View(&'a Arc<View>),
}

impl<'a> RelationRef<'a> {
    pub fn oid(self) -> Oid {
        match self {
            RelationRef::Table(one) => one.oid,
            RelationRef::Index(one) => one.oid,
            RelationRef::Sequence(one) => one.oid,
            RelationRef::View(one) => one.oid,
        }
    }

    pub fn name(self) -> &'a SmolStr {
        match self {
            RelationRef::Table(one) => &one.name,
            RelationRef::Index(one) => &one.name,
            RelationRef::Sequence(one) => &one.name,
            RelationRef::View(one) => &one.name,
        }
    }

    pub fn schema(self) -> Oid {
        match self {
            RelationRef::Table(one) => one.schema,
            RelationRef::Index(one) => one.schema,
            RelationRef::Sequence(one) => one.schema,
            RelationRef::View(one) => one.schema,
        }
    }

    /// `pg_class.relkind`.
    pub fn kind(self) -> char {
        match self {
            RelationRef::Table(one) if one.is_system_view() => 'v',
            RelationRef::Table(_) => 'r',
            RelationRef::Index(_) => 'i',
            RelationRef::Sequence(_) => 'S',
            RelationRef::View(_) => 'v',
        }
    }

    /// Columns of a table or view; none for the others.
    pub fn columns(self) -> &'a [Column] {
        match self {
            RelationRef::Table(one) => &one.columns,
            RelationRef::View(one) => &one.columns,
            RelationRef::Index(_) | RelationRef::Sequence(_) => &[],
        }
    }
}

/// Versions are handed out once a process, so that no two catalogs share one.
pub(super) fn next_version() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Objects in the order of their OIDs.
fn ordered<T>(objects: &FxHashMap<Oid, Arc<T>>) -> impl Iterator<Item = &Arc<T>> {
    let mut all: Vec<(&Oid, &Arc<T>)> = objects.iter().collect();
    all.sort_unstable_by_key(|(oid, _)| **oid);
    all.into_iter().map(|(_, object)| object)
}

/// `_name`, cut to what an identifier may hold.
pub fn array_type_name(element: &str) -> SmolStr {
    let mut end = element.len().min(crate::limits::IDENTIFIER_BYTES_MAX - 1);
    while !element.is_char_boundary(end) {
        end -= 1;
    }
    SmolStr::from(format!("_{}", &element[..end]))
}

impl Catalog {
    /// A database without objects of its own, but for those given later by `apply`. Tests build theirs from this.
    pub fn empty(database: Oid) -> Catalog {
        Catalog {
            version: next_version(),
            database,
            base: Base::get(),
            shared: Arc::default(),
            schemas: Arc::default(),
            schema_names: Arc::default(),
            tables: Arc::default(),
            indexes: Arc::default(),
            sequences: Arc::default(),
            views: Arc::default(),
            relation_names: Arc::default(),
            types: Arc::default(),
            type_names: Arc::default(),
            type_refs: Arc::default(),
            foreign_keys: Arc::default(),
            comments: Arc::default(),
            statistics: Arc::default(),
        }
    }

    pub fn table(&self, oid: Oid) -> Option<&Arc<Table>> {
        self.tables.get(&oid).or_else(|| self.base.tables.get(&oid))
    }

    pub fn index(&self, oid: Oid) -> Option<&Arc<Index>> {
        self.indexes.get(&oid)
    }

    pub fn sequence(&self, oid: Oid) -> Option<&Arc<Sequence>> {
        self.sequences.get(&oid)
    }

    pub fn view(&self, oid: Oid) -> Option<&Arc<View>> {
        self.views.get(&oid).or_else(|| self.base.views.get(&oid))
    }

    pub fn schema(&self, oid: Oid) -> Option<&Arc<Schema>> {
        self.schemas.get(&oid).or_else(|| self.base.schemas.get(&oid))
    }

    pub fn user_type(&self, oid: Oid) -> Option<&Arc<UserType>> {
        self.types.get(&oid).or_else(|| self.base.types.get(&oid))
    }

    /// What a type's OID stands for, unless it is built in.
    pub fn type_ref(&self, oid: Oid) -> Option<TypeRef> {
        self.type_refs.get(&oid).or_else(|| self.base.type_refs.get(&oid)).copied()
    }

    pub fn role(&self, oid: Oid) -> Option<&Arc<Role>> {
        self.shared.roles.get(&oid)
    }

    pub fn database_by_oid(&self, oid: Oid) -> Option<&Arc<Database>> {
        self.shared.databases.get(&oid)
    }

    pub fn relation(&self, oid: Oid) -> Option<RelationRef<'_>> {
        if let Some(table) = self.table(oid) {
            return Some(RelationRef::Table(table));
        }
        if let Some(index) = self.index(oid) {
            return Some(RelationRef::Index(index));
        }
        if let Some(sequence) = self.sequence(oid) {
            return Some(RelationRef::Sequence(sequence));
        }
        self.view(oid).map(RelationRef::View)
    }

    /// Tables, indexes, sequences and views share one name space.
    pub fn find_relation(&self, schema: Oid, name: &str) -> Option<Oid> {
        let key = (schema, SmolStr::new(name));
        self.relation_names
            .get(&key)
            .or_else(|| self.base.relation_names.get(&key))
            .copied()
    }

    pub fn find_schema(&self, name: &str) -> Option<Oid> {
        self.schema_names
            .get(name)
            .or_else(|| self.base.schema_names.get(name))
            .copied()
    }

    /// A type by schema and `typname` (of a built-in one also by SQL's name): enums, domains, composites, row types and arrays.
    pub fn find_type(&self, schema: Oid, name: &str) -> Option<Oid> {
        if schema == PG_CATALOG
            && let Some(built_in) = info::by_name(name)
        {
            return Some(built_in.oid);
        }
        let key = (schema, SmolStr::new(name));
        self.type_names.get(&key).or_else(|| self.base.type_names.get(&key)).copied()
    }

    pub fn find_role(&self, name: &str) -> Option<Oid> {
        self.shared.role_names.get(name).copied()
    }

    pub fn find_database(&self, name: &str) -> Option<Oid> {
        self.shared.database_names.get(name).copied()
    }

    /// A relation named in a query.
    ///
    /// # Errors
    /// 42P01 `relation "x" does not exist`, also where the schema does not exist (as queries say it).
    pub fn lookup_relation(&self, path: &SearchPath, schema: Option<&str>, name: &str) -> Result<Oid> {
        if let Some(found) = self.find_relation_in(path, schema, name) {
            return Ok(found);
        }
        let full = match schema {
            Some(schema) => format!("{schema}.{name}"),
            None => name.to_owned(),
        };
        Err(PgError::new(
            sqlstate::UNDEFINED_TABLE,
            format!("relation \"{full}\" does not exist"),
        ))
    }

    /// A relation named in a command (ALTER, LOCK, COMMENT, ...), which complains of a missing schema first.
    ///
    /// # Errors
    /// 3F000 for the schema, 42P01 for the relation.
    pub fn lookup_relation_for_command(&self, path: &SearchPath, schema: Option<&str>, name: &str) -> Result<Oid> {
        if let Some(schema) = schema {
            self.named_schema(path, schema)?;
        }
        self.lookup_relation(path, schema, name)
    }

    /// The same without an error.
    pub fn find_relation_in(&self, path: &SearchPath, schema: Option<&str>, name: &str) -> Option<Oid> {
        match schema {
            Some(schema) => self.find_relation(self.schema_in(path, schema)?, name),
            None => path.schemas.iter().find_map(|schema| self.find_relation(*schema, name)),
        }
    }

    /// A schema by name; `pg_temp` is the session's own.
    fn schema_in(&self, path: &SearchPath, name: &str) -> Option<Oid> {
        match name {
            "pg_temp" => path.temp,
            other => self.find_schema(other),
        }
    }

    /// # Errors
    /// 3F000 `schema "x" does not exist`.
    pub fn named_schema(&self, path: &SearchPath, name: &str) -> Result<Oid> {
        self.schema_in(path, name)
            .ok_or_else(|| PgError::new(sqlstate::UNDEFINED_SCHEMA, format!("schema \"{name}\" does not exist")))
    }

    /// A type by name, built-in or user's.
    ///
    /// # Errors
    /// 42704 `type "x" does not exist`; 3F000 for the schema.
    pub fn lookup_type(&self, path: &SearchPath, schema: Option<&str>, name: &str) -> Result<Oid> {
        let found = match schema {
            Some(schema) => self.find_type(self.named_schema(path, schema)?, name),
            None => path.schemas.iter().find_map(|schema| self.find_type(*schema, name)),
        };
        found.ok_or_else(|| {
            let full = match schema {
                Some(schema) => format!("{schema}.{name}"),
                None => name.to_owned(),
            };
            PgError::new(sqlstate::UNDEFINED_OBJECT, format!("type \"{full}\" does not exist"))
        })
    }

    /// The table's indexes, in order of creation.
    pub fn indexes_of<'a>(&'a self, table: &'a Table) -> impl Iterator<Item = &'a Arc<Index>> {
        table.indexes.iter().filter_map(|oid| self.index(*oid))
    }

    /// Foreign keys that refer to a table: (child, constraint).
    pub fn foreign_keys_to(&self, table: Oid) -> &[(Oid, Oid)] {
        self.foreign_keys.get(&table).map_or(&[], Vec::as_slice)
    }

    /// The comment on an object; `sub` is an attnum or 0.
    pub fn comment(&self, class: Oid, object: Oid, sub: i32) -> Option<&str> {
        self.comments
            .get(&object)
            .or_else(|| self.shared.comments.get(&object))?
            .iter()
            .find(|(of_class, of_sub, _)| *of_class == class && *of_sub == sub)
            .map(|(_, _, comment)| comment.text.as_str())
    }

    /// What ANALYZE found; `None` before the first.
    pub fn statistics(&self, table: Oid) -> Option<Arc<TableStatistics>> {
        self.statistics.get(table)
    }

    /// The array type over any type; `None` for arrays and pseudo-types.
    pub fn array_type_of(&self, element: Oid) -> Option<Oid> {
        if let Some(array) = info::array_of(element) {
            return Some(array);
        }
        match self.type_ref(element)? {
            TypeRef::User(oid) => self.user_type(oid).map(|one| one.array_type),
            TypeRef::Row(relation) => match self.relation(relation)? {
                RelationRef::Table(table) => Some(table.array_type).filter(|oid| oid.is_valid()),
                _ => None,
            },
            TypeRef::UserArray(_) | TypeRef::RowArray(_) => None,
        }
    }

    // All objects of a kind in the order of their OIDs, which is that of their creation: the system's first.

    pub fn tables(&self) -> impl Iterator<Item = &Arc<Table>> {
        ordered(&self.base.tables).chain(ordered(&self.tables))
    }

    /// Tables that users made.
    pub fn user_tables(&self) -> impl Iterator<Item = &Arc<Table>> {
        ordered(&self.tables)
    }

    pub fn indexes(&self) -> impl Iterator<Item = &Arc<Index>> {
        ordered(&self.indexes)
    }

    pub fn sequences(&self) -> impl Iterator<Item = &Arc<Sequence>> {
        ordered(&self.sequences)
    }

    pub fn views(&self) -> impl Iterator<Item = &Arc<View>> {
        ordered(&self.base.views).chain(ordered(&self.views))
    }

    /// Views that users made.
    pub fn user_views(&self) -> impl Iterator<Item = &Arc<View>> {
        ordered(&self.views)
    }

    pub fn schemas(&self) -> impl Iterator<Item = &Arc<Schema>> {
        ordered(&self.base.schemas).chain(ordered(&self.schemas))
    }

    pub fn user_types(&self) -> impl Iterator<Item = &Arc<UserType>> {
        ordered(&self.base.types).chain(ordered(&self.types))
    }

    pub fn roles(&self) -> impl Iterator<Item = &Arc<Role>> {
        ordered(&self.shared.roles)
    }

    pub fn databases(&self) -> impl Iterator<Item = &Arc<Database>> {
        ordered(&self.shared.databases)
    }

    /// Every comment: on the database's objects and on shared ones.
    pub fn all_comments(&self) -> impl Iterator<Item = &Arc<Comment>> {
        let local = self.comments.values().flatten();
        local
            .chain(self.shared.comments.values().flatten())
            .map(|(_, _, comment)| comment)
    }

    /// Comments on an object and its columns, whatever its class.
    pub(super) fn comments_on(&self, object: Oid) -> impl Iterator<Item = &Arc<Comment>> {
        let own = self.comments.get(&object).into_iter().flatten();
        own.chain(self.shared.comments.get(&object).into_iter().flatten())
            .map(|(_, _, comment)| comment)
    }

    /// Every stored object of the database itself.
    pub(super) fn own_objects(&self) -> impl Iterator<Item = Object> + '_ {
        let schemas = self.schemas.values().map(|one| Object::Schema(Arc::clone(one)));
        let tables = self.tables.values().map(|one| Object::Table(Arc::clone(one)));
        let indexes = self.indexes.values().map(|one| Object::Index(Arc::clone(one)));
        let sequences = self.sequences.values().map(|one| Object::Sequence(Arc::clone(one)));
        let views = self.views.values().map(|one| Object::View(Arc::clone(one)));
        let types = self.types.values().map(|one| Object::Type(Arc::clone(one)));
        let comments = self
            .comments
            .values()
            .flatten()
            .map(|(_, _, comment)| Object::Comment(Arc::clone(comment)));
        schemas
            .chain(tables)
            .chain(indexes)
            .chain(sequences)
            .chain(views)
            .chain(types)
            .chain(comments)
    }

    /// Whether a database has objects that users made (a template with any cannot be copied).
    pub fn has_user_objects(&self) -> bool {
        !(self.tables.is_empty() && self.sequences.is_empty() && self.views.is_empty() && self.types.is_empty())
    }

    /// Whether a role is a member of another, directly or through others; everybody is of itself, superusers of all.
    pub fn is_member(&self, role: Oid, of: Oid) -> bool {
        if role == of {
            return true;
        }
        let mut seen = vec![role];
        let mut at = 0;
        while let Some(next) = seen.get(at).copied() {
            at += 1;
            let Some(one) = self.role(next) else { continue };
            if one.superuser && next == role {
                return true;
            }
            for above in &one.member_of {
                if *above == of {
                    return true;
                }
                if !seen.contains(above) {
                    seen.push(*above);
                }
            }
        }
        false
    }

    pub fn is_superuser(&self, role: Oid) -> bool {
        self.role(role).is_some_and(|one| one.superuser)
    }
}

impl std::fmt::Debug for Catalog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Catalog")
            .field("version", &self.version)
            .field("database", &self.database)
            .field("tables", &self.tables.len())
            .finish_non_exhaustive()
    }
}
