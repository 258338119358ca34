//! The objects themselves, as stored.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::ids::{Oid, StorageId};
use crate::txn::SequenceDef;

/// Any object of the catalog, with the identity that all share.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Object {
    Database(Arc<Database>),
    Role(Arc<Role>),
    Schema(Arc<Schema>),
    Table(Arc<Table>),
    Index(Arc<Index>),
    Sequence(Arc<Sequence>),
    View(Arc<View>),
    Type(Arc<UserType>),
    Comment(Arc<Comment>),
}

/// What sort of object; also a byte of its key in the store, so the numbers stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum ObjectKind {
    Database = 1,
    Role = 2,
    Schema = 3,
    Table = 4,
    Index = 5,
    Sequence = 6,
    View = 7,
    Type = 8,
    Comment = 9,
}

impl Object {
    pub fn kind(&self) -> ObjectKind {
        match self {
            Object::Database(_) => ObjectKind::Database,
            Object::Role(_) => ObjectKind::Role,
            Object::Schema(_) => ObjectKind::Schema,
            Object::Table(_) => ObjectKind::Table,
            Object::Index(_) => ObjectKind::Index,
            Object::Sequence(_) => ObjectKind::Sequence,
            Object::View(_) => ObjectKind::View,
            Object::Type(_) => ObjectKind::Type,
            Object::Comment(_) => ObjectKind::Comment,
        }
    }

    /// The OID; of a comment, that of the object that it is about.
    pub fn oid(&self) -> Oid {
        match self {
            Object::Database(one) => one.oid,
            Object::Role(one) => one.oid,
            Object::Schema(one) => one.oid,
            Object::Table(one) => one.oid,
            Object::Index(one) => one.oid,
            Object::Sequence(one) => one.oid,
            Object::View(one) => one.oid,
            Object::Type(one) => one.oid,
            Object::Comment(one) => one.object,
        }
    }
}

/// One step from a catalog to the next.
#[derive(Clone, Debug)]
pub enum Change {
    /// Adds the object or puts it in place of the one with its OID. A comment without text removes the comment.
    Put(Object),
    /// Removes the object and the comments on it.
    Delete(ObjectKind, Oid),
}

/// A database. Shared by all; other objects belong to one database.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Database {
    pub oid: Oid,
    pub name: SmolStr,
    pub owner: Oid,
    pub allow_connections: bool,
    pub is_template: bool,
    pub connection_limit: i32,
    /// `ALTER DATABASE ... SET`.
    pub settings: Vec<(SmolStr, String)>,
}

/// A role. Shared by all databases.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Role {
    pub oid: Oid,
    pub name: SmolStr,
    pub superuser: bool,
    pub inherit: bool,
    pub create_role: bool,
    pub create_db: bool,
    pub login: bool,
    pub replication: bool,
    pub bypass_rls: bool,
    pub connection_limit: i32,
    /// A SCRAM-SHA-256 secret as PostgreSQL stores it (`SCRAM-SHA-256$4096:salt$stored:server`).
    pub password: Option<String>,
    /// `VALID UNTIL`, microseconds since 2000-01-01 UTC.
    pub valid_until: Option<i64>,
    pub member_of: Vec<Oid>,
    /// `ALTER ROLE ... SET`.
    pub settings: Vec<(SmolStr, String)>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Schema {
    pub oid: Oid,
    pub name: SmolStr,
    pub owner: Oid,
}

/// A column. `attnum` is its place in `Table::columns` plus one and never changes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Column {
    pub name: SmolStr,
    pub ty: Oid,
    pub typmod: i32,
    pub not_null: bool,
    /// Source text of the default, canonical (as `pg_get_expr` prints it); parsed and bound on use.
    pub default: Option<String>,
    pub identity: Option<Identity>,
    /// `GENERATED ALWAYS AS (...) STORED`: the expression's text.
    pub generated: Option<String>,
    pub dropped: bool,
    /// Value of rows that were stored before the column was added, encoded by `codec::row::encode_value`.
    pub missing: Option<Vec<u8>>,
    /// 0 for types without collation.
    pub collation: Oid,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Identity {
    Always,
    ByDefault,
}

/// How the rows of a table are keyed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RowKey {
    /// By the primary key: places in `Table::columns` (0-based), in key order.
    Columns(Vec<u16>),
    /// By a hidden, growing row id.
    RowId,
}

/// A table (also one that only exists to be read: `virtual_source`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Table {
    pub oid: Oid,
    pub schema: Oid,
    pub name: SmolStr,
    pub owner: Oid,
    pub storage: StorageId,
    pub row_key: RowKey,
    pub columns: Vec<Column>,
    /// PRIMARY KEY, UNIQUE, CHECK, FOREIGN KEY, in order of creation.
    pub constraints: Vec<Constraint>,
    /// OIDs of the indexes, the primary key's index (which has no storage of its own) included.
    pub indexes: Vec<Oid>,
    /// OID of the row type and of its array.
    pub row_type: Oid,
    pub array_type: Oid,
    pub temporary: bool,
    pub unlogged: bool,
    pub options: Vec<(SmolStr, String)>,
    /// Set for relations of `pg_catalog`, `information_schema` and `holdfast` whose rows are computed: the name that
    /// `virtual_tables` (or the host) knows.
    pub virtual_source: Option<SmolStr>,
    /// Rights, as PostgreSQL prints them (`relacl`); `None` is the default.
    pub acl: Option<Vec<String>>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Constraint {
    pub oid: Oid,
    pub name: SmolStr,
    pub kind: ConstraintKind,
    pub deferrable: bool,
    pub initially_deferred: bool,
    pub validated: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ConstraintKind {
    /// The index that enforces it.
    PrimaryKey {
        index: Oid,
    },
    Unique {
        index: Oid,
    },
    /// Canonical text of the expression, without the outer `CHECK (...)`, and the columns it names (0-based).
    Check {
        expression: String,
        columns: Vec<u16>,
        no_inherit: bool,
    },
    ForeignKey(ForeignKey),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ForeignKey {
    pub columns: Vec<u16>,
    pub parent: Oid,
    pub parent_columns: Vec<u16>,
    /// The parent's unique index that the key refers to.
    pub parent_index: Oid,
    pub on_delete: ForeignAction,
    pub on_update: ForeignAction,
    /// `ON DELETE SET NULL (columns)`; empty for all.
    pub delete_set_columns: Vec<u16>,
    pub match_full: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ForeignAction {
    NoAction,
    Restrict,
    Cascade,
    SetNull,
    SetDefault,
}

/// An index. The primary key's index of a table stored by its primary key has `storage: None`: the table is the index.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Index {
    pub oid: Oid,
    pub schema: Oid,
    pub name: SmolStr,
    pub table: Oid,
    pub storage: Option<StorageId>,
    pub unique: bool,
    pub primary: bool,
    pub nulls_not_distinct: bool,
    /// Checked at the end of the statement or transaction, not at once (DEFERRABLE): stored as a non-unique index.
    pub deferrable: bool,
    pub keys: Vec<IndexKey>,
    /// INCLUDE columns (0-based).
    pub include: Vec<u16>,
    /// Canonical text of the partial index's predicate.
    pub predicate: Option<String>,
    /// Constraint that owns the index, if any.
    pub constraint: Option<Oid>,
    /// `btree` or `hash`: kept for display; every index is ordered.
    pub method: SmolStr,
    pub valid: bool,
    pub options: Vec<(SmolStr, String)>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct IndexKey {
    pub expr: IndexExpr,
    pub ty: Oid,
    pub descending: bool,
    pub nulls_first: bool,
    pub collation: Oid,
    /// Operator class, where not the type's default.
    pub opclass: Option<SmolStr>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum IndexExpr {
    /// 0-based column.
    Column(u16),
    /// Canonical text.
    Expression(String),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sequence {
    pub oid: Oid,
    pub schema: Oid,
    pub name: SmolStr,
    pub owner: Oid,
    pub ty: Oid,
    pub start: i64,
    pub increment: i64,
    pub min: i64,
    pub max: i64,
    pub cache: i64,
    pub cycle: bool,
    /// Table and 0-based column that own it (`serial`, identity, OWNED BY).
    pub owned_by: Option<(Oid, u16)>,
    /// Made by an identity column (dropped only with it).
    pub identity: bool,
    /// Its value's key in the store; RESTART and TRUNCATE RESTART IDENTITY take a new one, so that they are transactional.
    pub storage: StorageId,
    pub temporary: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct View {
    pub oid: Oid,
    pub schema: Oid,
    pub name: SmolStr,
    pub owner: Oid,
    /// Canonical text of the query.
    pub query: String,
    pub columns: Vec<Column>,
    pub row_type: Oid,
    /// Relations, types and functions that it reads.
    pub depends_on: Vec<Oid>,
    pub options: Vec<(SmolStr, String)>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UserType {
    pub oid: Oid,
    pub array_type: Oid,
    pub schema: Oid,
    pub name: SmolStr,
    pub owner: Oid,
    pub kind: UserTypeKind,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum UserTypeKind {
    /// Labels in order.
    Enum(Arc<[(Oid, SmolStr)]>),
    Composite(Vec<Column>),
    Domain {
        base: Oid,
        typmod: i32,
        not_null: bool,
        default: Option<String>,
        checks: Vec<(Oid, SmolStr, String)>,
    },
}

/// COMMENT ON: `class` is the OID of the catalog that the object is in (1259 for relations), `sub` the attnum or 0.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Comment {
    pub class: Oid,
    pub object: Oid,
    pub sub: i32,
    pub text: String,
}

impl Index {
    /// Key columns (0-based) that are plain columns, in order.
    pub fn key_columns(&self) -> Vec<u16> {
        self.keys
            .iter()
            .filter_map(|key| match key.expr {
                IndexExpr::Column(place) => Some(place),
                IndexExpr::Expression(_) => None,
            })
            .collect()
    }
}

impl Sequence {
    /// What the engine needs of it.
    pub fn definition(&self) -> SequenceDef {
        SequenceDef {
            storage: self.storage,
            start: self.start,
            increment: self.increment,
            min: self.min,
            max: self.max,
            cache: self.cache,
            cycle: self.cycle,
        }
    }
}

impl Table {
    /// The column of a name, with its 0-based place; dropped ones are not found.
    pub fn column(&self, name: &str) -> Option<(usize, &Column)> {
        self.columns
            .iter()
            .enumerate()
            .find(|(_, column)| !column.dropped && column.name == name)
    }

    /// Columns that exist, with their 0-based places.
    pub fn live_columns(&self) -> impl Iterator<Item = (usize, &Column)> {
        self.columns.iter().enumerate().filter(|(_, column)| !column.dropped)
    }
}
