//! `pg_type` and `pg_enum`, and how values of a type are laid out.

use smol_str::SmolStr;

use super::{RULE, Row, ch, derived_oid, oid, opt_text, text};
use crate::catalog::base::BOOTSTRAP_SUPERUSER;
use crate::catalog::catalog::{Catalog, PG_CATALOG, RelationRef, TypeRef, array_type_name};
use crate::catalog::directory::type_function;
use crate::catalog::objects::{Column, UserType, UserTypeKind};
use crate::catalog::server_state::VirtualContext;
use crate::error::Result;
use crate::ids::Oid;
use crate::types::info::{self, TypeInfo};
use crate::types::{Value, oid as types};

/// Composite types that users made, with their columns.
pub(super) fn composites(catalog: &Catalog) -> impl Iterator<Item = (&UserType, &[Column])> {
    catalog.user_types().filter_map(|ty| match &ty.kind {
        UserTypeKind::Composite(columns) => Some((&**ty, columns.as_slice())),
        UserTypeKind::Enum(_) | UserTypeKind::Domain { .. } => None,
    })
}

/// How values of a type are laid out, as `pg_type` and `pg_attribute` say it.
#[derive(Clone, Copy)]
pub(in crate::catalog) struct Physical {
    pub len: i16,
    pub by_value: bool,
    pub align: char,
    pub storage: char,
    pub is_array: bool,
}

const COMPOSITE: Physical = Physical {
    len: -1,
    by_value: false,
    align: 'd',
    storage: 'x',
    is_array: false,
};

pub(in crate::catalog) fn physical(catalog: &Catalog, ty: Oid) -> Physical {
    if let Some(row) = info::info(ty) {
        return Physical {
            len: row.len,
            by_value: row.by_value,
            align: row.align,
            storage: row.storage,
            is_array: row.category == 'A' && row.name.starts_with('_'),
        };
    }
    let array_over = |element: Physical| Physical {
        align: if element.align == 'd' { 'd' } else { 'i' },
        is_array: true,
        ..COMPOSITE
    };
    match catalog.type_ref(ty) {
        Some(TypeRef::User(oid)) => match catalog.user_type(oid).map(|one| &one.kind) {
            Some(UserTypeKind::Enum(_)) => Physical {
                len: 4,
                by_value: true,
                align: 'i',
                storage: 'p',
                is_array: false,
            },
            Some(UserTypeKind::Domain { base, .. }) => physical(catalog, *base),
            Some(UserTypeKind::Composite(_)) | None => COMPOSITE,
        },
        Some(TypeRef::UserArray(element)) => array_over(physical(catalog, element)),
        Some(TypeRef::RowArray(_)) => array_over(COMPOSITE),
        Some(TypeRef::Row(_)) | None => COMPOSITE,
    }
}

/// A row of `pg_type`, by what differs.
struct TypeRow<'a> {
    oid: Oid,
    name: &'a str,
    schema: Oid,
    owner: Oid,
    form: Physical,
    kind: char,
    category: char,
    preferred: bool,
    delim: char,
    relation: Oid,
    subscript: &'a str,
    element: Oid,
    array: Oid,
    /// Input, output, receive, send, modifier in and out, analyze.
    functions: [&'a str; 7],
    not_null: bool,
    base: Oid,
    base_typmod: i32,
    collation: Oid,
    default: Option<&'a str>,
}

impl TypeRow<'_> {
    fn row(&self) -> Row {
        let function = |name: &str| oid(type_function(name));
        let [input, output, receive, send, typmod_in, typmod_out, analyze] = self.functions;
        vec![
            oid(self.oid),
            text(self.name),
            oid(self.schema),
            oid(self.owner),
            Value::Int2(self.form.len),
            Value::Bool(self.form.by_value),
            ch(self.kind),
            ch(self.category),
            Value::Bool(self.preferred),
            Value::Bool(true),
            ch(self.delim),
            oid(self.relation),
            function(self.subscript),
            oid(self.element),
            oid(self.array),
            function(input),
            function(output),
            function(receive),
            function(send),
            function(typmod_in),
            function(typmod_out),
            function(analyze),
            ch(self.form.align),
            ch(self.form.storage),
            Value::Bool(self.not_null),
            oid(self.base),
            Value::Int4(self.base_typmod),
            Value::Int4(0),
            oid(self.collation),
            opt_text(self.default),
            opt_text(self.default),
            Value::Null,
        ]
    }
}

const ARRAY_SUBSCRIPT: &str = "array_subscript_handler";
const ARRAY: [&str; 7] = [
    "array_in",
    "array_out",
    "array_recv",
    "array_send",
    "",
    "",
    "array_typanalyze",
];
const RECORD: [&str; 7] = ["record_in", "record_out", "record_recv", "record_send", "", "", ""];
const ENUM: [&str; 7] = ["enum_in", "enum_out", "enum_recv", "enum_send", "", "", ""];

/// Names of the functions for modifiers of a type (of an array: of its element).
fn typmod_functions(ty: Oid) -> [&'static str; 2] {
    match ty {
        types::BPCHAR => ["bpchartypmodin", "bpchartypmodout"],
        types::VARCHAR => ["varchartypmodin", "varchartypmodout"],
        types::NUMERIC => ["numerictypmodin", "numerictypmodout"],
        types::TIME => ["timetypmodin", "timetypmodout"],
        types::TIMETZ => ["timetztypmodin", "timetztypmodout"],
        types::TIMESTAMP => ["timestamptypmodin", "timestamptypmodout"],
        types::TIMESTAMPTZ => ["timestamptztypmodin", "timestamptztypmodout"],
        types::INTERVAL => ["intervaltypmodin", "intervaltypmodout"],
        types::BIT => ["bittypmodin", "bittypmodout"],
        types::VARBIT => ["varbittypmodin", "varbittypmodout"],
        _ => ["", ""],
    }
}

fn built_in(catalog: &Catalog, row: &TypeInfo) -> Row {
    let is_array = row.name.starts_with('_');
    let [typmod_in, typmod_out] = typmod_functions(if is_array { row.element } else { row.oid });
    let subscript = match row.oid {
        _ if is_array => ARRAY_SUBSCRIPT,
        types::INT2VECTOR | types::OIDVECTOR => ARRAY_SUBSCRIPT,
        types::JSONB => "jsonb_subscript_handler",
        _ if row.element.is_valid() => "raw_array_subscript_handler",
        _ => "",
    };
    let analyze = match row.kind {
        _ if is_array => "array_typanalyze",
        'r' => "range_typanalyze",
        'm' => "multirange_typanalyze",
        _ => "",
    };
    TypeRow {
        oid: row.oid,
        name: row.name,
        schema: PG_CATALOG,
        owner: BOOTSTRAP_SUPERUSER,
        form: physical(catalog, row.oid),
        kind: row.kind,
        category: row.category,
        preferred: row.preferred,
        delim: row.delim,
        relation: Oid::INVALID,
        subscript,
        element: row.element,
        array: row.array,
        functions: [row.input, row.output, row.receive, row.send, typmod_in, typmod_out, analyze],
        not_null: false,
        base: Oid::INVALID,
        base_typmod: -1,
        collation: row.collation,
        default: None,
    }
    .row()
}

/// The array type over a type that users made.
fn array_row(catalog: &Catalog, element: &TypeRow<'_>, array: Oid) -> Row {
    TypeRow {
        oid: array,
        name: &array_type_name(element.name),
        form: physical(catalog, array),
        kind: 'b',
        category: 'A',
        preferred: false,
        delim: ',',
        relation: Oid::INVALID,
        subscript: ARRAY_SUBSCRIPT,
        element: element.oid,
        array: Oid::INVALID,
        functions: ARRAY,
        not_null: false,
        base: Oid::INVALID,
        base_typmod: -1,
        default: None,
        ..*element
    }
    .row()
}

fn user_rows(catalog: &Catalog, ty: &UserType, out: &mut Vec<Row>) {
    let mut row = TypeRow {
        oid: ty.oid,
        name: &ty.name,
        schema: ty.schema,
        owner: ty.owner,
        form: physical(catalog, ty.oid),
        kind: 'e',
        category: 'E',
        preferred: false,
        delim: ',',
        relation: Oid::INVALID,
        subscript: "",
        element: Oid::INVALID,
        array: ty.array_type,
        functions: ENUM,
        not_null: false,
        base: Oid::INVALID,
        base_typmod: -1,
        collation: Oid::INVALID,
        default: None,
    };
    match &ty.kind {
        UserTypeKind::Enum(_) => {}
        UserTypeKind::Composite(_) => {
            (row.kind, row.category, row.functions) = ('c', 'C', RECORD);
            row.relation = derived_oid(ty.oid, RULE);
        }
        UserTypeKind::Domain {
            base,
            typmod,
            not_null,
            default,
            ..
        } => {
            row.kind = 'd';
            row.functions = ["domain_in", "", "domain_recv", "", "", "", ""];
            if let Some(of) = info::info(*base) {
                (row.category, row.functions[1], row.functions[3]) = (of.category, of.output, of.send);
                (row.delim, row.collation) = (of.delim, of.collation);
            }
            // The system's own domains have collation C.
            if row.collation.is_valid() && ty.oid < Oid::FIRST_USER {
                row.collation = Oid(950);
            }
            (row.base, row.base_typmod, row.not_null) = (*base, *typmod, *not_null);
            row.default = default.as_deref();
        }
    }
    out.push(row.row());
    if ty.array_type.is_valid() {
        out.push(array_row(catalog, &row, ty.array_type));
    }
}

fn relation_rows(catalog: &Catalog, relation: RelationRef<'_>, out: &mut Vec<Row>) {
    let (row_type, array, owner) = match relation {
        RelationRef::Table(table) => (table.row_type, table.array_type, table.owner),
        RelationRef::View(view) => (view.row_type, Oid::INVALID, view.owner),
        RelationRef::Index(_) | RelationRef::Sequence(_) => return,
    };
    if !row_type.is_valid() {
        return;
    }
    let name: &SmolStr = relation.name();
    let row = TypeRow {
        oid: row_type,
        name,
        schema: relation.schema(),
        owner,
        form: COMPOSITE,
        kind: 'c',
        category: 'C',
        preferred: false,
        delim: ',',
        relation: relation.oid(),
        subscript: "",
        element: Oid::INVALID,
        array,
        functions: RECORD,
        not_null: false,
        base: Oid::INVALID,
        base_typmod: -1,
        collation: Oid::INVALID,
        default: None,
    };
    out.push(row.row());
    if array.is_valid() {
        out.push(array_row(catalog, &row, array));
    }
}

pub(super) fn pg_type(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let catalog = context.catalog;
    let mut rows: Vec<Row> = info::all().iter().map(|row| built_in(catalog, row)).collect();
    for ty in catalog.user_types() {
        user_rows(catalog, ty, &mut rows);
    }
    for table in catalog.tables() {
        relation_rows(catalog, RelationRef::Table(table), &mut rows);
    }
    for view in catalog.views() {
        relation_rows(catalog, RelationRef::View(view), &mut rows);
    }
    Ok(rows)
}

pub(super) fn pg_enum(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for ty in context.catalog.user_types() {
        if let UserTypeKind::Enum(labels) = &ty.kind {
            let mut order = 0.0_f32;
            for (label, name) in labels.iter() {
                order += 1.0;
                rows.push(vec![oid(*label), oid(ty.oid), Value::Float4(order), text(name)]);
            }
        }
    }
    Ok(rows)
}
