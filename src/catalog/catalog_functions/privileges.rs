//! Who may do what: `has_*_privilege`, `pg_has_role`, and the same for the executor.
//!
//! Superusers may do everything, owners everything with what they own; tables carry rights of their own (`relacl`); all
//! else has PostgreSQL's defaults.

use super::{Call, names, oid_arg, text_arg};
use crate::catalog::catalog::{Catalog, INFORMATION_SCHEMA, PG_CATALOG, PUBLIC, RelationRef};
use crate::catalog::directory;
use crate::catalog::server_state::VirtualContext;
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::types::env::NameLookup;
use crate::types::{Value, oid as types};

/// A right, by PostgreSQL's letter in ACLs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Privilege {
    Select,
    Insert,
    Update,
    Delete,
    Truncate,
    References,
    Trigger,
    Usage,
    Create,
    Connect,
    Temporary,
    Execute,
    Set,
    AlterSystem,
}

impl Privilege {
    fn letter(self) -> char {
        match self {
            Privilege::Select => 'r',
            Privilege::Insert => 'a',
            Privilege::Update => 'w',
            Privilege::Delete => 'd',
            Privilege::Truncate => 'D',
            Privilege::References => 'x',
            Privilege::Trigger => 't',
            Privilege::Usage => 'U',
            Privilege::Create => 'C',
            Privilege::Connect => 'c',
            Privilege::Temporary => 'T',
            Privilege::Execute => 'X',
            Privilege::Set => 's',
            Privilege::AlterSystem => 'A',
        }
    }
}

/// A kind of object and the rights that it knows.
#[derive(Clone, Copy, PartialEq)]
enum Subject {
    Table,
    Column,
    Sequence,
    Schema,
    Database,
    Function,
    Type,
    Language,
    Tablespace,
    Foreign,
    Parameter,
}

const TABLE: &[(&str, Privilege)] = &[
    ("SELECT", Privilege::Select),
    ("INSERT", Privilege::Insert),
    ("UPDATE", Privilege::Update),
    ("DELETE", Privilege::Delete),
    ("TRUNCATE", Privilege::Truncate),
    ("REFERENCES", Privilege::References),
    ("TRIGGER", Privilege::Trigger),
];

impl Subject {
    fn rights(self) -> &'static [(&'static str, Privilege)] {
        match self {
            Subject::Table => TABLE,
            Subject::Column => &[
                ("SELECT", Privilege::Select),
                ("INSERT", Privilege::Insert),
                ("UPDATE", Privilege::Update),
                ("REFERENCES", Privilege::References),
            ],
            Subject::Sequence => &[
                ("USAGE", Privilege::Usage),
                ("SELECT", Privilege::Select),
                ("UPDATE", Privilege::Update),
            ],
            Subject::Schema => &[("CREATE", Privilege::Create), ("USAGE", Privilege::Usage)],
            Subject::Database => &[
                ("CREATE", Privilege::Create),
                ("TEMPORARY", Privilege::Temporary),
                ("TEMP", Privilege::Temporary),
                ("CONNECT", Privilege::Connect),
            ],
            Subject::Function => &[("EXECUTE", Privilege::Execute)],
            Subject::Type | Subject::Language | Subject::Foreign => &[("USAGE", Privilege::Usage)],
            Subject::Tablespace => &[("CREATE", Privilege::Create)],
            Subject::Parameter => &[("SET", Privilege::Set), ("ALTER SYSTEM", Privilege::AlterSystem)],
        }
    }
}

pub(super) fn find(name: &str) -> Option<Call> {
    Some(match name {
        "has_table_privilege" => |context, args| has(context, args, Subject::Table),
        "has_any_column_privilege" => |context, args| has(context, args, Subject::Column),
        "has_column_privilege" => has_column,
        "has_sequence_privilege" => |context, args| has(context, args, Subject::Sequence),
        "has_schema_privilege" => |context, args| has(context, args, Subject::Schema),
        "has_database_privilege" => |context, args| has(context, args, Subject::Database),
        "has_function_privilege" => |context, args| has(context, args, Subject::Function),
        "has_type_privilege" => |context, args| has(context, args, Subject::Type),
        "has_language_privilege" => |context, args| has(context, args, Subject::Language),
        "has_tablespace_privilege" => |context, args| has(context, args, Subject::Tablespace),
        "has_foreign_data_wrapper_privilege" | "has_server_privilege" => |context, args| has(context, args, Subject::Foreign),
        "has_parameter_privilege" => |context, args| has(context, args, Subject::Parameter),
        "pg_has_role" => has_role,
        "row_security_active" => |_, _| Ok(Value::Bool(false)),
        _ => return None,
    })
}

/// What is asked: rights by name, each perhaps with its grant option. Any of them answers.
fn parse(list: &str, subject: Subject) -> Result<Vec<(Privilege, bool)>> {
    let mut found = Vec::new();
    for part in list.split(',') {
        let part = part.trim();
        let upper = part.to_ascii_uppercase();
        let (word, grant) = match upper.strip_suffix(" WITH GRANT OPTION") {
            Some(word) => (word.trim_end().to_owned(), true),
            None => (upper, false),
        };
        match subject.rights().iter().find(|(name, _)| *name == word) {
            Some((_, right)) => found.push((*right, grant)),
            None => {
                return Err(PgError::new(
                    sqlstate::INVALID_PARAMETER_VALUE,
                    format!("unrecognized privilege type: \"{part}\""),
                ));
            }
        }
    }
    Ok(found)
}

/// The role that the question is about; `public` counts as a role without rights of its own.
fn role_arg(context: &VirtualContext<'_>, value: &Value) -> Result<Oid> {
    match value {
        Value::Text(name) if name == "public" => Ok(Oid::INVALID),
        Value::Text(name) => context
            .catalog
            .find_role(name)
            .ok_or_else(|| PgError::new(sqlstate::UNDEFINED_OBJECT, format!("role \"{name}\" does not exist"))),
        other => Ok(oid_arg(std::slice::from_ref(other), 0)),
    }
}

fn object_arg(context: &VirtualContext<'_>, value: &Value, subject: Subject) -> Result<Oid> {
    let Value::Text(name) = value else {
        return Ok(oid_arg(std::slice::from_ref(value), 0));
    };
    let catalog = context.catalog;
    let names = names(context);
    let missing = |what: &str, code| PgError::new(code, format!("{what} \"{name}\" does not exist"));
    match subject {
        Subject::Table | Subject::Column | Subject::Sequence => names.class_in(name),
        Subject::Schema => names.catalog.named_schema(context.search_path, name),
        Subject::Database => catalog
            .find_database(name)
            .ok_or_else(|| missing("database", sqlstate::UNDEFINED_DATABASE)),
        Subject::Function => names.reg_in(types::REGPROCEDURE, name),
        Subject::Type => names.reg_in(types::REGTYPE, name),
        Subject::Language => match name.as_str() {
            "internal" => Ok(Oid(12)),
            "c" => Ok(Oid(13)),
            "sql" => Ok(Oid(14)),
            _ => Err(missing("language", sqlstate::UNDEFINED_OBJECT)),
        },
        Subject::Tablespace => match name.as_str() {
            "pg_default" => Ok(Oid(1663)),
            "pg_global" => Ok(Oid(1664)),
            _ => Err(missing("tablespace", sqlstate::UNDEFINED_OBJECT)),
        },
        Subject::Foreign => Err(missing("server", sqlstate::UNDEFINED_OBJECT)),
        Subject::Parameter => Ok(Oid(1)),
    }
}

/// `([role,] object, rights)`. An OID that nothing has answers null.
fn has(context: &VirtualContext<'_>, args: &[Value], subject: Subject) -> Result<Value> {
    let (role, object, rights) = match args {
        [object, _] => (context.current_user, object, 1),
        [role, object, _] => (role_arg(context, role)?, object, 2),
        _ => return Err(PgError::internal("a privilege function takes two or three arguments")),
    };
    let object = object_arg(context, object, subject)?;
    let rights = parse(text_arg(args, rights), subject)?;
    Ok(answer(context.catalog, role, object, subject, &rights))
}

fn answer(catalog: &Catalog, role: Oid, object: Oid, subject: Subject, rights: &[(Privilege, bool)]) -> Value {
    let Some(owner) = owner(catalog, object, subject) else {
        return Value::Null;
    };
    if catalog.is_superuser(role) || (owner.is_valid() && catalog.is_member(role, owner)) {
        return Value::Bool(true);
    }
    let any = rights
        .iter()
        .any(|(right, grant)| !grant && allowed(catalog, role, object, subject, *right));
    Value::Bool(any)
}

/// The owner; `None` where there is no such object.
fn owner(catalog: &Catalog, object: Oid, subject: Subject) -> Option<Oid> {
    match subject {
        Subject::Table | Subject::Column | Subject::Sequence => relation_owner(catalog, object),
        Subject::Schema => catalog.schema(object).map(|schema| schema.owner),
        Subject::Database => catalog.database_by_oid(object).map(|database| database.owner),
        Subject::Function => directory::function(object).map(|_| Oid::INVALID),
        Subject::Type => match catalog.user_type(object) {
            Some(ty) => Some(ty.owner),
            None => crate::types::info::info(object)
                .map(|_| Oid::INVALID)
                .or(catalog.type_ref(object).map(|_| Oid::INVALID)),
        },
        Subject::Language | Subject::Tablespace | Subject::Parameter => Some(Oid::INVALID),
        Subject::Foreign => None,
    }
}

fn relation_owner(catalog: &Catalog, relation: Oid) -> Option<Oid> {
    match catalog.relation(relation)? {
        RelationRef::Table(table) => Some(table.owner),
        RelationRef::Index(index) => catalog.table(index.table).map(|table| table.owner),
        RelationRef::Sequence(sequence) => Some(sequence.owner),
        RelationRef::View(view) => Some(view.owner),
    }
}

/// Rights of those who do not own.
fn allowed(catalog: &Catalog, role: Oid, object: Oid, subject: Subject, right: Privilege) -> bool {
    match subject {
        Subject::Table | Subject::Column => table_allows(catalog, role, object, right),
        Subject::Sequence => false,
        Subject::Schema => {
            right == Privilege::Usage && (object == PUBLIC || object == PG_CATALOG || object == INFORMATION_SCHEMA)
        }
        Subject::Database => matches!(right, Privilege::Connect | Privilege::Temporary),
        Subject::Function | Subject::Type | Subject::Language => true,
        Subject::Tablespace | Subject::Foreign | Subject::Parameter => false,
    }
}

fn table_allows(catalog: &Catalog, role: Oid, relation: Oid, right: Privilege) -> bool {
    let member = |name: &str| catalog.find_role(name).is_some_and(|of| catalog.is_member(role, of));
    if right == Privilege::Select && member("pg_read_all_data") {
        return true;
    }
    if matches!(right, Privilege::Insert | Privilege::Update | Privilege::Delete) && member("pg_write_all_data") {
        return true;
    }
    // Views of the system are open as its tables are.
    let items = match catalog.relation(relation) {
        Some(RelationRef::Table(table)) => table.acl.as_deref(),
        Some(RelationRef::View(view)) => return right == Privilege::Select && view.oid.0 < Oid::FIRST_USER.0,
        _ => None,
    };
    items.into_iter().flatten().any(|item| {
        let Some((grantee, rights)) = item.rsplit_once('=') else {
            return false;
        };
        let rights = rights.split('/').next().unwrap_or_default();
        let grantee = grantee.trim_matches('"');
        rights.contains(right.letter()) && (grantee.is_empty() || member(grantee))
    })
}

/// Whether a role may do something with a table or view; for the executor's 42501.
pub fn has_privilege(catalog: &Catalog, role: Oid, relation: Oid, right: Privilege) -> bool {
    catalog.is_superuser(role)
        || relation_owner(catalog, relation).is_some_and(|owner| catalog.is_member(role, owner))
        || table_allows(catalog, role, relation, right)
}

/// Names and rights of tables, for GRANT and REVOKE.
pub fn table_privileges() -> &'static [(&'static str, Privilege)] {
    TABLE
}

/// `([role,] table, column, rights)`: a column has its table's rights.
fn has_column(context: &VirtualContext<'_>, args: &[Value]) -> Result<Value> {
    let (role, table, column, rights) = match args {
        [table, column, _] => (context.current_user, table, column, 2),
        [role, table, column, _] => (role_arg(context, role)?, table, column, 3),
        _ => return Err(PgError::internal("has_column_privilege takes three or four arguments")),
    };
    let catalog = context.catalog;
    let table = object_arg(context, table, Subject::Column)?;
    let Some(relation) = catalog.relation(table) else {
        return Ok(Value::Null);
    };
    let known = match column {
        Value::Text(name) => {
            let known = relation.columns().iter().any(|one| !one.dropped && one.name == *name);
            if !known {
                return Err(PgError::new(
                    sqlstate::UNDEFINED_COLUMN,
                    format!("column \"{name}\" of relation \"{}\" does not exist", relation.name()),
                ));
            }
            known
        }
        other => super::int_arg(std::slice::from_ref(other), 0)
            .and_then(|number| usize::try_from(number - 1).ok())
            .and_then(|place| relation.columns().get(place))
            .is_some_and(|column| !column.dropped),
    };
    let rights = parse(text_arg(args, rights), Subject::Column)?;
    Ok(if known {
        answer(catalog, role, table, Subject::Column, &rights)
    } else {
        Value::Null
    })
}

/// `([role,] role, USAGE | MEMBER | SET)`.
fn has_role(context: &VirtualContext<'_>, args: &[Value]) -> Result<Value> {
    let (member, of, right) = match args {
        [of, _] => (context.current_user, role_arg(context, of)?, 1),
        [member, of, _] => (role_arg(context, member)?, role_arg(context, of)?, 2),
        _ => return Err(PgError::internal("pg_has_role takes two or three arguments")),
    };
    for part in text_arg(args, right).split(',') {
        let word = part.trim().to_ascii_uppercase();
        let word = word
            .strip_suffix(" WITH GRANT OPTION")
            .or(word.strip_suffix(" WITH ADMIN OPTION"))
            .unwrap_or(&word);
        if !matches!(word, "USAGE" | "MEMBER") {
            return Err(PgError::new(
                sqlstate::INVALID_PARAMETER_VALUE,
                format!("unrecognized privilege type: \"{}\"", part.trim()),
            ));
        }
    }
    Ok(Value::Bool(context.catalog.is_member(member, of)))
}
