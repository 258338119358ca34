//! Relations whose rows are the same in every server: `sql/data/*.tsv`, in COPY's text form.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::{Row, array, vector};
use crate::catalog::catalog::{Catalog, PG_CATALOG, TypeRef};
use crate::catalog::objects::{Index, IndexKey, UserTypeKind};
use crate::error::{PgError, Result};
use crate::ids::Oid;
use crate::types::{Value, info, oid as types};

const FILES: &[(&str, &str)] = &[
    ("pg_am", include_str!("../../../sql/data/pg_am.tsv")),
    ("pg_amop", include_str!("../../../sql/data/pg_amop.tsv")),
    ("pg_amproc", include_str!("../../../sql/data/pg_amproc.tsv")),
    ("pg_cast", include_str!("../../../sql/data/pg_cast.tsv")),
    ("pg_collation", include_str!("../../../sql/data/pg_collation.tsv")),
    ("pg_language", include_str!("../../../sql/data/pg_language.tsv")),
    ("pg_opclass", include_str!("../../../sql/data/pg_opclass.tsv")),
    ("pg_opfamily", include_str!("../../../sql/data/pg_opfamily.tsv")),
    ("pg_range", include_str!("../../../sql/data/pg_range.tsv")),
    ("pg_tablespace", include_str!("../../../sql/data/pg_tablespace.tsv")),
];

/// Rows of one relation, read as its columns say.
pub(super) fn rows(relation: &str, catalog: &Catalog) -> Result<Vec<Row>> {
    let (Some((_, file)), Some(table)) = (
        FILES.iter().find(|(name, _)| *name == relation),
        catalog.find_relation(PG_CATALOG, relation).and_then(|oid| catalog.table(oid)),
    ) else {
        return Err(PgError::internal(format!("no data for {relation}")));
    };
    let columns: Vec<Oid> = table.columns.iter().map(|column| column.ty).collect();
    let row = |line: &str| line.split('\t').zip(&columns).map(|(field, ty)| value(field, *ty)).collect();
    Ok(file.lines().map(row).collect())
}

/// `pg_get_keywords()`: word, category, whether it may be a bare label, both in words.
pub(super) fn keywords() -> Vec<Row> {
    let row = |line: &str| {
        let field = |(at, field): (usize, &str)| {
            if at == 2 {
                Value::Bool(field == "t")
            } else {
                Value::text(field)
            }
        };
        line.split('\t').enumerate().map(field).collect()
    };
    include_str!("../../../sql/data/keywords.tsv").lines().map(row).collect()
}

fn value(field: &str, ty: Oid) -> Value {
    if field == "\\N" {
        return Value::Null;
    }
    let number = || field.parse::<u32>().map_or(Value::Null, Value::Oid);
    match ty {
        types::OID | types::REGPROC | types::REGTYPE | types::XID => number(),
        types::BOOL => Value::Bool(field == "t"),
        types::INT2 => field.parse().map_or(Value::Null, Value::Int2),
        types::INT4 => field.parse().map_or(Value::Null, Value::Int4),
        types::FLOAT4 => field.parse().map_or(Value::Null, Value::Float4),
        types::OIDVECTOR => {
            let values = field.split_ascii_whitespace();
            vector(
                types::OID,
                values.filter_map(|one| one.parse().ok().map(Value::Oid)).collect(),
            )
        }
        types::ACLITEM_ARRAY => {
            let items = field.trim_matches(['{', '}']).split(',').map(Value::text).collect();
            array(types::ACLITEM, items)
        }
        _ => Value::text(field),
    }
}

/// One operator class.
struct OperatorClass {
    oid: Oid,
    method: Oid,
    name: &'static str,
    input: Oid,
    default: bool,
}

static CLASSES: LazyLock<Vec<OperatorClass>> = LazyLock::new(|| {
    let file = FILES
        .iter()
        .find(|(name, _)| *name == "pg_opclass")
        .map_or("", |(_, file)| file);
    let number = |text: &str| Oid(text.parse().unwrap_or(0));
    file.lines()
        .map(|line| {
            let fields: Vec<&'static str> = line.split('\t').collect();
            OperatorClass {
                oid: number(fields[0]),
                method: number(fields[1]),
                name: fields[2],
                input: number(fields[6]),
                default: fields[7] == "t",
            }
        })
        .collect()
});

/// Default classes by method and type.
static DEFAULTS: LazyLock<FxHashMap<(Oid, Oid), usize>> = LazyLock::new(|| {
    let places = CLASSES.iter().enumerate().filter(|(_, class)| class.default);
    places.map(|(at, class)| ((class.method, class.input), at)).collect()
});

fn method(index: &Index) -> Oid {
    if index.method == "hash" { Oid(405) } else { Oid(403) }
}

/// The type whose operator class a type uses.
fn class_type(catalog: &Catalog, ty: Oid) -> Oid {
    match ty {
        types::VARCHAR => types::TEXT,
        types::CIDR => types::INET,
        _ => match info::info(ty) {
            Some(row) if row.category == 'A' && row.name.starts_with('_') => types::ANYARRAY,
            Some(row) if row.kind == 'r' => types::ANYRANGE,
            Some(_) => ty,
            None => match catalog.type_ref(ty) {
                Some(TypeRef::UserArray(_) | TypeRef::RowArray(_)) => types::ANYARRAY,
                Some(TypeRef::Row(_)) | None => types::RECORD,
                Some(TypeRef::User(oid)) => match catalog.user_type(oid).map(|one| &one.kind) {
                    Some(UserTypeKind::Enum(_)) => types::ANYENUM,
                    Some(UserTypeKind::Domain { base, .. }) => class_type(catalog, *base),
                    Some(UserTypeKind::Composite(_)) | None => types::RECORD,
                },
            },
        },
    }
}

/// OID and name of the default operator class of a type; `hash` or else `btree`.
pub(in crate::catalog) fn default_opclass(catalog: &Catalog, ty: Oid, hash: bool) -> Option<(Oid, SmolStr)> {
    let method = if hash { Oid(405) } else { Oid(403) };
    let at = DEFAULTS.get(&(method, class_type(catalog, ty)))?;
    let class = &CLASSES[*at];
    Some((class.oid, SmolStr::new_static(class.name)))
}

/// OID of an operator class by name.
pub(in crate::catalog) fn opclass_named(name: &str, hash: bool) -> Option<Oid> {
    let method = if hash { Oid(405) } else { Oid(403) };
    CLASSES
        .iter()
        .find(|class| class.method == method && class.name == name)
        .map(|class| class.oid)
}

/// The class that an index key uses.
pub(super) fn key_opclass(catalog: &Catalog, index: &Index, key: &IndexKey) -> Oid {
    let hash = method(index) == Oid(405);
    key.opclass
        .as_deref()
        .and_then(|name| opclass_named(name, hash))
        .or_else(|| default_opclass(catalog, key.ty, hash).map(|(oid, _)| oid))
        .unwrap_or(Oid::INVALID)
}
