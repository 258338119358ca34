//! What `pg_type` says of the built-in types, the names SQL knows them by, and type modifiers.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::ids::Oid;
use crate::types::env::{NameLookup, UserType};
use crate::types::oid;

mod table;
mod typmod;

pub use typmod::{
    INTERVAL_FULL_PRECISION, INTERVAL_FULL_RANGE, char_length, interval_precision, interval_range, numeric_typmod,
    time_precision, typmod_in, typmod_out,
};

/// One row of `pg_type`.
#[derive(Clone, Copy, Debug)]
pub struct TypeInfo {
    pub oid: Oid,
    /// `typname`.
    pub name: &'static str,
    /// As `format_type` prints it without a modifier.
    pub sql_name: &'static str,
    /// `typlen`: bytes, -1 for variable, -2 for a C string.
    pub len: i16,
    pub by_value: bool,
    pub category: char,
    pub preferred: bool,
    /// Element of an array (also of `name`, `point`, ... which can be subscripted); 0 if none.
    pub element: Oid,
    /// Its array type; 0 if none.
    pub array: Oid,
    pub align: char,
    pub storage: char,
    /// `b`ase, `p`seudo, `r`ange or `m`ultirange.
    pub kind: char,
    pub input: &'static str,
    pub output: &'static str,
    pub receive: &'static str,
    pub send: &'static str,
    pub delim: char,
    pub collation: Oid,
}

#[expect(non_upper_case_globals, reason = "keeps the generated table narrow")]
const t: bool = true;
#[expect(non_upper_case_globals, reason = "keeps the generated table narrow")]
const f: bool = false;

#[expect(clippy::too_many_arguments, reason = "one argument a column of the generated table")]
const fn row(
    oid: u32,
    name: &'static str,
    sql_name: &'static str,
    len: i16,
    by_value: bool,
    category: u8,
    preferred: bool,
    element: u32,
    array: u32,
    align: u8,
    storage: u8,
    kind: u8,
    functions: [&'static str; 4],
    delim: u8,
    collation: u32,
) -> TypeInfo {
    TypeInfo {
        oid: Oid(oid),
        name,
        sql_name,
        len,
        by_value,
        category: category as char,
        preferred,
        element: Oid(element),
        array: Oid(array),
        align: align as char,
        storage: storage as char,
        kind: kind as char,
        input: functions[0],
        output: functions[1],
        receive: functions[2],
        send: functions[3],
        delim: delim as char,
        collation: Oid(collation),
    }
}

/// OIDs of the table lie below this.
const OID_MAX: usize = 6_200;

/// Position in the table plus one, by OID.
static BY_OID: [u8; OID_MAX] = {
    let mut index = [0_u8; OID_MAX];
    let mut at = 0;
    while at < table::TABLE.len() {
        index[table::TABLE[at].oid.0 as usize] = (at + 1) as u8;
        at += 1;
    }
    index
};

/// The table holds fewer rows than `BY_OID` can name.
const _: () = assert!(table::TABLE.len() < 255);

/// The built-in type with that OID.
pub fn info(ty: Oid) -> Option<&'static TypeInfo> {
    match BY_OID.get(ty.0 as usize)? {
        0 => None,
        at => table::TABLE.get(usize::from(*at) - 1),
    }
}

/// All built-in types in OID order.
pub fn all() -> &'static [TypeInfo] {
    table::TABLE
}

/// SQL's spellings that are not the `typname`.
const ALIASES: &[(&str, Oid)] = &[
    ("boolean", oid::BOOL),
    ("smallint", oid::INT2),
    ("int", oid::INT4),
    ("integer", oid::INT4),
    ("bigint", oid::INT8),
    ("real", oid::FLOAT4),
    ("float", oid::FLOAT8),
    ("double precision", oid::FLOAT8),
    ("decimal", oid::NUMERIC),
    ("dec", oid::NUMERIC),
    ("character", oid::BPCHAR),
    ("nchar", oid::BPCHAR),
    ("national character", oid::BPCHAR),
    ("national char", oid::BPCHAR),
    ("character varying", oid::VARCHAR),
    ("char varying", oid::VARCHAR),
    ("national character varying", oid::VARCHAR),
    ("bit varying", oid::VARBIT),
    ("time without time zone", oid::TIME),
    ("time with time zone", oid::TIMETZ),
    ("timestamp without time zone", oid::TIMESTAMP),
    ("timestamp with time zone", oid::TIMESTAMPTZ),
    ("\"char\"", oid::CHAR),
];

static BY_NAME: LazyLock<FxHashMap<&'static str, &'static TypeInfo>> = LazyLock::new(|| {
    let mut names = FxHashMap::default();
    for row in table::TABLE {
        names.insert(row.name, row);
    }
    for (alias, ty) in ALIASES {
        if let Some(row) = info(*ty) {
            names.entry(*alias).or_insert(row);
        }
    }
    names
});

/// By `typname` or by SQL's name (lower case, single blanks). The bare word `char` is `bpchar` in SQL, but the catalog's
/// `char` is the one-byte type: this answers the catalog's; see [`by_sql_name`].
pub fn by_name(name: &str) -> Option<&'static TypeInfo> {
    BY_NAME.get(name).copied()
}

/// As the grammar reads an unquoted type name: `char` is `character`.
pub fn by_sql_name(name: &str) -> Option<&'static TypeInfo> {
    match name {
        "char" => info(oid::BPCHAR),
        other => by_name(other),
    }
}

/// The built-in array type over an element type.
pub fn array_of(element: Oid) -> Option<Oid> {
    info(element).map(|row| row.array).filter(|array| array.is_valid())
}

/// The element type of a true array type (also `int2vector` and `oidvector`).
pub fn element_of(array: Oid) -> Option<Oid> {
    let row = info(array)?;
    (row.category == 'A' && row.element.is_valid()).then_some(row.element)
}

/// The element type of an array type, built-in or made by users.
pub fn element_type(ty: Oid, names: &dyn NameLookup) -> Option<Oid> {
    if let Some(element) = element_of(ty) {
        return Some(element);
    }
    if ty < Oid::FIRST_CATALOG {
        return None;
    }
    match names.user_type(ty) {
        Some(UserType::Array { element }) => Some(element),
        _ => None,
    }
}

/// The type below all domains, and the modifier that the innermost domain with one gives.
pub fn base_type(ty: Oid, typmod: i32, names: &dyn NameLookup) -> (Oid, i32) {
    let (mut ty, mut typmod) = (ty, typmod);
    while ty >= Oid::FIRST_CATALOG {
        match names.user_type(ty) {
            Some(UserType::Domain {
                base, typmod: of_domain, ..
            }) => {
                ty = base;
                typmod = of_domain;
            }
            _ => break,
        }
    }
    (ty, typmod)
}

/// PostgreSQL's `format_type(oid, typmod)`; a modifier of -1 means none.
pub fn format_type(ty: Oid, typmod: i32, names: &dyn NameLookup) -> String {
    if !ty.is_valid() {
        return "-".to_owned();
    }
    let Some(row) = info(ty) else {
        return format_user_type(ty, typmod, names);
    };
    let is_plain_array = row.element.is_valid() && row.name.starts_with('_');
    if is_plain_array {
        return format_type(row.element, typmod, names) + "[]";
    }
    if typmod < 0 {
        return row.sql_name.to_owned();
    }
    let modifier = typmod_out(ty, typmod);
    match row.sql_name.split_once(" with") {
        // The precision stands before `with[out] time zone`.
        Some((head, tail)) if matches!(ty, oid::TIME | oid::TIMETZ | oid::TIMESTAMP | oid::TIMESTAMPTZ) => {
            let precision = modifier.split(' ').next().unwrap_or("");
            format!("{head}{precision} with{tail}")
        }
        _ => format!("{}{modifier}", row.sql_name),
    }
}

/// `format_type` where a modifier was given, be it -1: `bpchar` and `bit` without a length do not mean length 1.
pub fn format_type_given(ty: Oid, typmod: i32, names: &dyn NameLookup) -> String {
    match ty {
        oid::BPCHAR if typmod < 0 => "bpchar".to_owned(),
        oid::BIT if typmod < 0 => "\"bit\"".to_owned(),
        _ => format_type(ty, typmod, names),
    }
}

fn format_user_type(ty: Oid, typmod: i32, names: &dyn NameLookup) -> String {
    match names.user_type(ty) {
        None => "???".to_owned(),
        Some(UserType::Array { element }) => format_type(element, typmod, names) + "[]",
        Some(_) => names.reg_out(oid::REGTYPE, ty),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::env::NoNames;

    #[test]
    fn names_and_modifiers_print_as_postgresql_prints_them() {
        let print = |ty, typmod| format_type(ty, typmod, &NoNames);
        assert_eq!(print(oid::VARCHAR, 14), "character varying(10)");
        assert_eq!(print(oid::VARCHAR, -1), "character varying");
        assert_eq!(print(oid::BPCHAR, 9), "character(5)");
        assert_eq!(print(oid::NUMERIC, (10 << 16 | 2) + 4), "numeric(10,2)");
        assert_eq!(print(oid::TIMESTAMPTZ, 3), "timestamp(3) with time zone");
        assert_eq!(print(oid::TIME, 0), "time(0) without time zone");
        assert_eq!(print(oid::INT4_ARRAY, -1), "integer[]");
        assert_eq!(print(oid::VARCHAR_ARRAY, 14), "character varying(10)[]");
        assert_eq!(
            print(oid::INTERVAL, typmod_in(oid::INTERVAL, &[4]).unwrap_or(-1)),
            "interval year"
        );
        assert_eq!(print(oid::CHAR, -1), "\"char\"");
        assert_eq!(print(oid::INT2VECTOR, -1), "int2vector");
    }

    #[test]
    fn looks_up_by_name_and_oid() {
        assert_eq!(by_name("integer").map(|row| row.oid), Some(oid::INT4));
        assert_eq!(by_name("timestamp with time zone").map(|row| row.oid), Some(oid::TIMESTAMPTZ));
        assert_eq!(by_name("char").map(|row| row.oid), Some(oid::CHAR));
        assert_eq!(by_sql_name("char").map(|row| row.oid), Some(oid::BPCHAR));
        assert_eq!(array_of(oid::UUID), Some(oid::UUID_ARRAY));
        assert_eq!(element_of(oid::UUID_ARRAY), Some(oid::UUID));
        assert_eq!(element_of(oid::NAME), None);
        assert!(
            all()
                .iter()
                .all(|row| info(row.oid).is_some_and(|found| found.oid == row.oid))
        );
    }
}
