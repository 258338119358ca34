//! A small catalog by hand, and tests over it.

use std::sync::Arc;

use smol_str::SmolStr;

use super::*;
use crate::error::sqlstate;
use crate::ids::{Oid, StorageId};
use crate::types::oid as types;

fn column(name: &str, ty: Oid, not_null: bool) -> Column {
    Column {
        name: SmolStr::new(name),
        ty,
        typmod: -1,
        not_null,
        default: None,
        identity: None,
        generated: None,
        dropped: false,
        missing: None,
        collation: crate::types::info::info(ty).map_or(Oid::INVALID, |row| row.collation),
    }
}

fn table(oid: u32, name: &str, columns: Vec<Column>, constraints: Vec<Constraint>, indexes: Vec<Oid>) -> Table {
    Table {
        oid: Oid(oid),
        schema: PUBLIC,
        name: SmolStr::new(name),
        owner: BOOTSTRAP_SUPERUSER,
        storage: StorageId(u64::from(oid)),
        row_key: RowKey::Columns(vec![0]),
        columns,
        constraints,
        indexes,
        row_type: Oid(oid + 2),
        array_type: Oid(oid + 1),
        temporary: false,
        unlogged: false,
        options: Vec::new(),
        virtual_source: None,
        acl: None,
    }
}

fn index(oid: u32, name: &str, table: u32, keys: Vec<IndexKey>) -> Index {
    Index {
        oid: Oid(oid),
        schema: PUBLIC,
        name: SmolStr::new(name),
        table: Oid(table),
        storage: Some(StorageId(u64::from(oid))),
        unique: false,
        primary: false,
        nulls_not_distinct: false,
        deferrable: false,
        keys,
        include: Vec::new(),
        predicate: None,
        constraint: None,
        method: SmolStr::new("btree"),
        valid: true,
        options: Vec::new(),
    }
}

fn key(column: u16, ty: Oid) -> IndexKey {
    IndexKey {
        expr: IndexExpr::Column(column),
        ty,
        descending: false,
        nulls_first: false,
        collation: crate::types::info::info(ty).map_or(Oid::INVALID, |row| row.collation),
        opclass: None,
    }
}

fn constraint(oid: u32, name: &str, kind: ConstraintKind) -> Constraint {
    Constraint {
        oid: Oid(oid),
        name: SmolStr::new(name),
        kind,
        deferrable: false,
        initially_deferred: false,
        validated: true,
    }
}

pub(crate) fn role(oid: u32, name: &str, superuser: bool) -> Role {
    Role {
        oid: Oid(oid),
        name: SmolStr::new(name),
        superuser,
        inherit: true,
        create_role: superuser,
        create_db: superuser,
        login: true,
        replication: superuser,
        bypass_rls: superuser,
        connection_limit: -1,
        password: None,
        valid_until: None,
        member_of: Vec::new(),
        settings: Vec::new(),
    }
}

/// ```sql
/// CREATE TYPE mood AS ENUM ('sad', 'ok');
/// CREATE TABLE acct (id int PRIMARY KEY, name varchar(20) NOT NULL, bal numeric(10,2) DEFAULT 0 CHECK (bal >= 0));
/// CREATE TABLE "Line" (id bigserial PRIMARY KEY, acct int REFERENCES acct ON DELETE CASCADE, at timestamptz DEFAULT now());
/// CREATE INDEX line_at ON "Line" (at DESC, lower(...)) WHERE acct > 0;
/// CREATE VIEW rich AS SELECT ...;
/// ```
pub(crate) fn sample() -> Catalog {
    let mut bal = column("bal", types::NUMERIC, false);
    bal.typmod = (10 << 16 | 2) + 4;
    bal.default = Some("0".to_owned());
    let mut name = column("name", types::VARCHAR, true);
    name.typmod = 24;
    let acct = table(
        20000,
        "acct",
        vec![column("id", types::INT4, true), name, bal],
        vec![
            constraint(
                20004,
                "acct_bal_check",
                ConstraintKind::Check {
                    expression: "(bal >= (0)::numeric)".to_owned(),
                    columns: vec![2],
                    no_inherit: false,
                },
            ),
            constraint(20005, "acct_pkey", ConstraintKind::PrimaryKey { index: Oid(20003) }),
        ],
        vec![Oid(20003)],
    );
    let mut acct_pkey = index(20003, "acct_pkey", 20000, vec![key(0, types::INT4)]);
    acct_pkey.unique = true;
    acct_pkey.primary = true;
    acct_pkey.constraint = Some(Oid(20005));
    let mut at = column("at", types::TIMESTAMPTZ, false);
    at.default = Some("now()".to_owned());
    let mut id = column("id", types::INT8, true);
    id.default = Some("nextval('\"Line_id_seq\"'::regclass)".to_owned());
    let foreign = ForeignKey {
        columns: vec![1],
        parent: Oid(20000),
        parent_columns: vec![0],
        parent_index: Oid(20003),
        on_delete: ForeignAction::Cascade,
        on_update: ForeignAction::NoAction,
        delete_set_columns: Vec::new(),
        match_full: false,
    };
    let line = table(
        20010,
        "Line",
        vec![id, column("acct", types::INT4, false), at],
        vec![
            constraint(20015, "Line_pkey", ConstraintKind::PrimaryKey { index: Oid(20013) }),
            constraint(20016, "Line_acct_fkey", ConstraintKind::ForeignKey(foreign)),
        ],
        vec![Oid(20013), Oid(20017)],
    );
    let mut line_pkey = index(20013, "Line_pkey", 20010, vec![key(0, types::INT8)]);
    line_pkey.unique = true;
    line_pkey.primary = true;
    line_pkey.constraint = Some(Oid(20015));
    let mut at_key = key(2, types::TIMESTAMPTZ);
    at_key.descending = true;
    at_key.nulls_first = true;
    let mut expr_key = key(0, types::INT8);
    expr_key.expr = IndexExpr::Expression("(id + 1)".to_owned());
    let mut line_at = index(20017, "line_at", 20010, vec![at_key, expr_key]);
    line_at.predicate = Some("(acct > 0)".to_owned());
    let sequence = Sequence {
        oid: Oid(20018),
        schema: PUBLIC,
        name: SmolStr::new("Line_id_seq"),
        owner: BOOTSTRAP_SUPERUSER,
        ty: types::INT8,
        start: 1,
        increment: 1,
        min: 1,
        max: i64::MAX,
        cache: 1,
        cycle: false,
        owned_by: Some((Oid(20010), 0)),
        identity: false,
        storage: StorageId(20018),
        temporary: false,
    };
    let view = View {
        oid: Oid(20020),
        schema: PUBLIC,
        name: SmolStr::new("rich"),
        owner: BOOTSTRAP_SUPERUSER,
        query: " SELECT acct.id,\n    acct.name\n   FROM acct\n  WHERE (acct.bal > (100)::numeric)".to_owned(),
        columns: vec![column("id", types::INT4, false), column("name", types::VARCHAR, false)],
        row_type: Oid(20021),
        depends_on: vec![Oid(20000)],
        options: Vec::new(),
    };
    let mood = UserType {
        oid: Oid(20031),
        array_type: Oid(20030),
        schema: PUBLIC,
        name: SmolStr::new("mood"),
        owner: BOOTSTRAP_SUPERUSER,
        kind: UserTypeKind::Enum(Arc::from([(Oid(20032), "sad".into()), (Oid(20033), "ok".into())])),
    };
    let database = Database {
        oid: Oid(5),
        name: SmolStr::new("postgres"),
        owner: BOOTSTRAP_SUPERUSER,
        allow_connections: true,
        is_template: false,
        connection_limit: -1,
        settings: Vec::new(),
    };
    let comment = Comment {
        class: class::RELATION,
        object: Oid(20000),
        sub: 2,
        text: "who".to_owned(),
    };
    let public = Schema {
        oid: PUBLIC,
        name: SmolStr::new("public"),
        owner: Oid(6171),
    };
    let mut owner = role(6171, "pg_database_owner", false);
    owner.login = false;
    Catalog::empty(Oid(5)).apply(
        &[
            Object::Database(Arc::new(database)),
            Object::Role(Arc::new(role(10, "postgres", true))),
            Object::Role(Arc::new(owner)),
            Object::Role(Arc::new(role(20100, "bob", false))),
            Object::Schema(Arc::new(public)),
            Object::Type(Arc::new(mood)),
            Object::Table(Arc::new(acct)),
            Object::Index(Arc::new(acct_pkey)),
            Object::Table(Arc::new(line)),
            Object::Index(Arc::new(line_pkey)),
            Object::Index(Arc::new(line_at)),
            Object::Sequence(Arc::new(sequence)),
            Object::View(Arc::new(view)),
            Object::Comment(Arc::new(comment)),
        ]
        .map(Change::Put),
    )
}

#[test]
fn names_are_found_and_missing_ones_named_as_postgresql_names_them() {
    let catalog = sample();
    let path = SearchPath::resolve(&catalog, "\"$user\", public", "postgres");
    let relation = |schema, name| catalog.lookup_relation(&path, schema, name);
    assert_eq!(relation(None, "acct").ok(), Some(Oid(20000)));
    assert_eq!(relation(None, "Line_id_seq").ok(), Some(Oid(20018)));
    assert_eq!(relation(None, "pg_class").ok(), Some(Oid(1259)));
    assert_eq!(relation(Some("pg_catalog"), "pg_class").ok(), Some(Oid(1259)));
    let error = relation(Some("nosuch"), "t").expect_err("no such schema");
    assert_eq!(error.message(), "relation \"nosuch.t\" does not exist");
    let error = catalog
        .lookup_relation_for_command(&path, Some("nosuch"), "t")
        .expect_err("no such schema");
    assert_eq!(
        (error.code(), error.message()),
        (sqlstate::UNDEFINED_SCHEMA, "schema \"nosuch\" does not exist")
    );
    let ty = |schema, name| catalog.lookup_type(&path, schema, name);
    assert_eq!(ty(None, "mood").ok(), Some(Oid(20031)));
    assert_eq!(ty(None, "_mood").ok(), Some(Oid(20030)));
    assert_eq!(ty(None, "acct").ok(), Some(Oid(20002)));
    assert_eq!(ty(None, "int4").ok(), Some(types::INT4));
    assert_eq!(
        ty(None, "nosuch").expect_err("unknown").message(),
        "type \"nosuch\" does not exist"
    );
    assert_eq!(catalog.foreign_keys_to(Oid(20000)), &[(Oid(20010), Oid(20016))]);
    assert_eq!(catalog.comment(class::RELATION, Oid(20000), 2), Some("who"));
}

#[test]
fn a_change_makes_a_new_catalog_and_leaves_the_old() {
    let before = sample();
    let mut renamed = Table::clone(before.table(Oid(20010)).expect("Line"));
    renamed.name = SmolStr::new("line");
    renamed.constraints.pop();
    let after = before.apply(&[
        Change::Put(Object::Table(Arc::new(renamed))),
        Change::Delete(ObjectKind::Type, Oid(20031)),
        Change::Delete(ObjectKind::View, Oid(20020)),
    ]);
    assert_ne!(before.version, after.version);
    assert_eq!(after.find_relation(PUBLIC, "Line"), None);
    assert_eq!(after.find_relation(PUBLIC, "line"), Some(Oid(20010)));
    assert_eq!(after.find_type(PUBLIC, "_line"), Some(Oid(20011)));
    assert_eq!(after.find_type(PUBLIC, "mood"), None);
    assert_eq!(after.type_ref(Oid(20030)), None);
    assert!(after.foreign_keys_to(Oid(20000)).is_empty());
    assert_eq!(before.find_relation(PUBLIC, "Line"), Some(Oid(20010)));
    assert_eq!(before.foreign_keys_to(Oid(20000)).len(), 1);
    assert!(Arc::ptr_eq(
        before.table(Oid(20000)).expect("acct"),
        after.table(Oid(20000)).expect("acct")
    ));
}
