//! `information_schema`: tables, columns, views, sequences, domains. Keys and constraints are in [`super::information_keys`].

use super::{Row, Source, information_keys, opt_text, text};
use crate::catalog::catalog::{Catalog, INFORMATION_SCHEMA, PG_CATALOG, RelationRef, TypeRef};
use crate::catalog::deparse::{Form, display, view_query};
use crate::catalog::names::CatalogNames;
use crate::catalog::objects::{Column, Identity, Sequence, UserType, UserTypeKind};
use crate::catalog::server_state::VirtualContext;
use crate::error::Result;
use crate::ids::Oid;
use crate::types::{Value, info, oid as types};

pub(super) fn source(name: &str) -> Option<Source> {
    Some(match name.strip_prefix("information_schema.")? {
        "columns" => columns,
        "tables" => tables,
        "views" => views,
        "schemata" => schemata,
        "sequences" => sequences,
        "domains" => domains,
        "element_types" => element_types,
        "information_schema_catalog_name" => |context| Ok(vec![vec![database_name(context.catalog)]]),
        "character_sets" => character_sets,
        "enabled_roles" => enabled_roles,
        "applicable_roles" => applicable_roles,
        "table_privileges" | "role_table_grants" => table_privileges,
        "collations" => collations,
        "view_table_usage" => view_table_usage,
        other => return information_keys::source(other),
    })
}

pub(super) fn database_name(catalog: &Catalog) -> Value {
    catalog
        .database_by_oid(catalog.database)
        .map_or(Value::Null, |database| text(&database.name))
}

pub(super) fn yes(is: bool) -> Value {
    text(if is { "YES" } else { "NO" })
}

/// A row of a view of `information_schema`, set by column names; what is not set is null.
pub(super) struct Named<'a> {
    columns: &'a [Column],
    row: Row,
}

impl<'a> Named<'a> {
    pub(super) fn new(catalog: &'a Catalog, view: &str) -> Named<'a> {
        let columns = catalog
            .find_relation(INFORMATION_SCHEMA, view)
            .and_then(|oid| catalog.table(oid))
            .map_or(&[] as &[Column], |table| &table.columns);
        Named {
            columns,
            row: vec![Value::Null; columns.len()],
        }
    }

    pub(super) fn set(&mut self, name: &str, value: Value) -> &mut Self {
        match self.columns.iter().position(|column| column.name == name) {
            Some(place) => self.row[place] = value,
            None => debug_assert!(false, "information_schema has no column {name}"),
        }
        self
    }

    pub(super) fn texts<const N: usize>(&mut self, values: [(&str, &str); N]) -> &mut Self {
        for (name, value) in values {
            self.set(name, text(value));
        }
        self
    }

    pub(super) fn take(&mut self) -> Row {
        std::mem::take(&mut self.row)
    }
}

fn int(value: Option<i32>) -> Value {
    value.map_or(Value::Null, Value::Int4)
}

/// The eleven numbers that describe a type with its modifier.
struct Shape {
    length: Option<i32>,
    octets: Option<i32>,
    precision: Option<i32>,
    radix: Option<i32>,
    scale: Option<i32>,
    datetime: Option<i32>,
    interval: Option<String>,
}

const UTF8_BYTES_MAX: i32 = 4;
const TEXT_OCTETS_MAX: i32 = 1 << 30;

fn shape(ty: Oid, typmod: i32) -> Shape {
    let length = match ty {
        types::BPCHAR | types::VARCHAR if typmod != -1 => Some(typmod - 4),
        types::BIT | types::VARBIT if typmod != -1 => Some(typmod),
        _ => None,
    };
    let octets = match ty {
        types::TEXT | types::BPCHAR | types::VARCHAR if typmod == -1 => Some(TEXT_OCTETS_MAX),
        types::BPCHAR | types::VARCHAR => length.map(|length| length.saturating_mul(UTF8_BYTES_MAX)),
        _ => None,
    };
    let (precision, radix, scale) = match ty {
        types::INT2 => (Some(16), Some(2), Some(0)),
        types::INT4 => (Some(32), Some(2), Some(0)),
        types::INT8 => (Some(64), Some(2), Some(0)),
        types::FLOAT4 => (Some(24), Some(2), None),
        types::FLOAT8 => (Some(53), Some(2), None),
        types::NUMERIC if typmod == -1 => (None, Some(10), None),
        types::NUMERIC => (Some(((typmod - 4) >> 16) & 0xffff), Some(10), Some((typmod - 4) & 0xffff)),
        _ => (None, None, None),
    };
    let datetime = match ty {
        types::DATE => Some(0),
        types::TIME | types::TIMESTAMP | types::TIMESTAMPTZ | types::TIMETZ => Some(if typmod < 0 { 6 } else { typmod }),
        types::INTERVAL if typmod < 0 || typmod & 0xffff == 0xffff => Some(6),
        types::INTERVAL => Some(typmod & 0xffff),
        _ => None,
    };
    let interval = (ty == types::INTERVAL && typmod >= 0).then(|| {
        let printed = info::typmod_out(ty, typmod);
        let words = printed.trim_start().split('(').next().unwrap_or_default().trim();
        words.to_uppercase()
    });
    Shape {
        length,
        octets,
        precision,
        radix,
        scale,
        datetime,
        interval: interval.filter(|words| !words.is_empty()),
    }
}

/// Base type and modifier of a domain, the type itself otherwise.
fn true_type(catalog: &Catalog, ty: Oid, typmod: i32) -> (Oid, i32) {
    match catalog.user_type(ty).map(|one| &one.kind) {
        Some(UserTypeKind::Domain { base, typmod, .. }) => (*base, *typmod),
        _ => (ty, typmod),
    }
}

/// Schema and name of any type.
fn type_identity(names: CatalogNames<'_>, ty: Oid) -> (Value, Value) {
    if let Some(row) = info::info(ty) {
        return (text("pg_catalog"), text(row.name));
    }
    match names.type_identity(ty) {
        Some((schema, name)) => (
            opt_text(names.catalog.schema(schema).map(|one| one.name.as_str())),
            text(&name),
        ),
        None => (Value::Null, Value::Null),
    }
}

/// `data_type`: SQL's name, `ARRAY` or `USER-DEFINED`.
fn data_type(names: CatalogNames<'_>, ty: Oid) -> Value {
    match info::info(ty) {
        // All varlena types with an element count as arrays, `int2vector` too.
        Some(row) if row.element.is_valid() && row.len == -1 => text("ARRAY"),
        Some(_) => Value::text(info::format_type(ty, -1, &names)),
        None => match names.catalog.type_ref(ty) {
            Some(TypeRef::UserArray(_) | TypeRef::RowArray(_)) => text("ARRAY"),
            _ => text("USER-DEFINED"),
        },
    }
}

fn names<'a>(context: &'a VirtualContext<'_>) -> CatalogNames<'a> {
    CatalogNames {
        catalog: context.catalog,
        path: context.search_path,
    }
}

fn columns(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let catalog = context.catalog;
    let mut rows = Vec::new();
    let tables = catalog.tables().map(RelationRef::Table);
    for relation in tables.chain(catalog.views().map(RelationRef::View)) {
        for (place, column) in relation.columns().iter().enumerate().filter(|(_, column)| !column.dropped) {
            rows.push(column_row(names(context), relation, place, column));
        }
    }
    Ok(rows)
}

fn identity_sequence(catalog: &Catalog, table: Oid, place: usize) -> Option<&Sequence> {
    let place = u16::try_from(place).ok()?;
    catalog
        .sequences()
        .find(|one| one.identity && one.owned_by == Some((table, place)))
        .map(|one| &**one)
}

fn column_row(names: CatalogNames<'_>, relation: RelationRef<'_>, place: usize, column: &Column) -> Row {
    let catalog = names.catalog;
    let domain = catalog
        .user_type(column.ty)
        .filter(|ty| matches!(ty.kind, UserTypeKind::Domain { .. }));
    let domain_not_null = domain.is_some_and(|ty| matches!(ty.kind, UserTypeKind::Domain { not_null: true, .. }));
    let (base, typmod) = true_type(catalog, column.ty, column.typmod);
    let shape = shape(base, typmod);
    let database = database_name(catalog);
    let (udt_schema, udt_name) = type_identity(names, base);
    let collation = super::super::names::COLLATIONS
        .iter()
        .find(|(oid, name)| *oid == column.collation && *name != "default")
        .map(|(_, name)| *name);
    let number = i32::try_from(place + 1).unwrap_or(i32::MAX);
    let sequence = column
        .identity
        .and_then(|_| identity_sequence(catalog, relation.oid(), place));
    let of_sequence =
        |pick: fn(&Sequence) -> i64| sequence.map_or(Value::Null, |sequence| Value::text(pick(sequence).to_string()));
    let only = |there: bool, value: Value| if there { value } else { Value::Null };
    let updatable = matches!(relation.kind(), 'r') || catalog.view(relation.oid()).is_some_and(|view| is_updatable(&view.query));
    let default = column.default.as_deref().filter(|_| column.generated.is_none());
    let default = default.map(|default| display(names, default));
    let null = || Value::Null;
    vec![
        database.clone(),
        text(super::schema_name(catalog, relation.schema())),
        text(relation.name()),
        text(&column.name),
        Value::Int4(number),
        opt_text(default.as_deref()),
        yes(!(column.not_null || domain_not_null)),
        data_type(names, base),
        int(shape.length),
        int(shape.octets),
        int(shape.precision),
        int(shape.radix),
        int(shape.scale),
        int(shape.datetime),
        opt_text(shape.interval.as_deref()),
        null(),
        null(),
        null(),
        null(),
        only(collation.is_some(), database.clone()),
        only(collation.is_some(), text("pg_catalog")),
        opt_text(collation),
        only(domain.is_some(), database.clone()),
        opt_text(
            domain
                .and_then(|ty| catalog.schema(ty.schema))
                .map(|schema| schema.name.as_str()),
        ),
        opt_text(domain.map(|ty| ty.name.as_str())),
        database,
        udt_schema,
        udt_name,
        null(),
        null(),
        null(),
        null(),
        Value::text(number.to_string()),
        text("NO"),
        yes(column.identity.is_some()),
        match column.identity {
            Some(Identity::Always) => text("ALWAYS"),
            Some(Identity::ByDefault) => text("BY DEFAULT"),
            None => Value::Null,
        },
        of_sequence(|sequence| sequence.start),
        of_sequence(|sequence| sequence.increment),
        of_sequence(|sequence| sequence.max),
        of_sequence(|sequence| sequence.min),
        yes(sequence.is_some_and(|sequence| sequence.cycle)),
        text(if column.generated.is_some() { "ALWAYS" } else { "NEVER" }),
        opt_text(column.generated.as_deref()),
        yes(updatable),
    ]
}

/// Whether a view's query is over one relation without grouping, so that PostgreSQL would write through it. Reads the
/// canonical text: clauses stand at a line's start.
fn is_updatable(query: &str) -> bool {
    let clause = |word: &str| query.lines().any(|line| line.trim_start().starts_with(word));
    let from = query.lines().map(str::trim).find_map(|line| line.strip_prefix("FROM "));
    let single = from.is_some_and(|from| !from.contains(['(', ',']) && !from.contains(" JOIN "));
    let blocked = [
        "GROUP BY",
        "HAVING",
        "LIMIT",
        "OFFSET",
        "UNION",
        "INTERSECT",
        "EXCEPT",
        "WITH",
        "WINDOW",
    ];
    single
        && !query.contains(" JOIN ")
        && !query.trim_start().starts_with("SELECT DISTINCT")
        && !blocked.iter().any(|word| clause(word))
}

fn tables(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let catalog = context.catalog;
    let relations = catalog
        .tables()
        .map(RelationRef::Table)
        .chain(catalog.views().map(RelationRef::View));
    let rows = relations.map(|relation| {
        let temporary = matches!(relation, RelationRef::Table(table) if table.temporary);
        let kind = match relation.kind() {
            'v' => "VIEW",
            _ if temporary => "LOCAL TEMPORARY",
            _ => "BASE TABLE",
        };
        let insertable = relation.kind() == 'r' || catalog.view(relation.oid()).is_some_and(|view| is_updatable(&view.query));
        Named::new(catalog, "tables")
            .set("table_catalog", database_name(catalog))
            .texts([
                ("table_schema", super::schema_name(catalog, relation.schema())),
                ("table_name", relation.name()),
                ("table_type", kind),
                ("is_typed", "NO"),
            ])
            .set("is_insertable_into", yes(insertable))
            .take()
    });
    Ok(rows.collect())
}

fn views(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let catalog = context.catalog;
    let rows = catalog.views().map(|view| {
        let updatable = is_updatable(&view.query);
        Named::new(catalog, "views")
            .set("table_catalog", database_name(catalog))
            .texts([
                ("table_schema", super::schema_name(catalog, view.schema)),
                ("table_name", &view.name),
                (
                    "view_definition",
                    &format!("{};", view_query(names(context), &view.query, Form::Full)),
                ),
                ("check_option", "NONE"),
                ("is_trigger_updatable", "NO"),
                ("is_trigger_deletable", "NO"),
                ("is_trigger_insertable_into", "NO"),
            ])
            .set("is_updatable", yes(updatable))
            .set("is_insertable_into", yes(updatable))
            .take()
    });
    Ok(rows.collect())
}

fn schemata(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let catalog = context.catalog;
    let rows = catalog.schemas().map(|schema| {
        Named::new(catalog, "schemata")
            .set("catalog_name", database_name(catalog))
            .set("schema_name", text(&schema.name))
            .set("schema_owner", super::role_name(catalog, schema.owner))
            .take()
    });
    Ok(rows.collect())
}

fn sequences(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let catalog = context.catalog;
    // Sequences of identity columns are not shown.
    let rows = catalog.sequences().filter(|one| !one.identity).map(|one| {
        let shape = shape(one.ty, -1);
        Named::new(catalog, "sequences")
            .set("sequence_catalog", database_name(catalog))
            .texts([
                ("sequence_schema", super::schema_name(catalog, one.schema)),
                ("sequence_name", &one.name),
                ("start_value", &one.start.to_string()),
                ("minimum_value", &one.min.to_string()),
                ("maximum_value", &one.max.to_string()),
                ("increment", &one.increment.to_string()),
            ])
            .set("data_type", data_type(names(context), one.ty))
            .set("numeric_precision", int(shape.precision))
            .set("numeric_precision_radix", int(shape.radix))
            .set("numeric_scale", int(shape.scale))
            .set("cycle_option", yes(one.cycle))
            .take()
    });
    Ok(rows.collect())
}

/// The columns that describe a type, which `domains` and `element_types` share.
fn describe(row: &mut Named<'_>, names: CatalogNames<'_>, ty: Oid, typmod: i32) {
    let shape = shape(ty, typmod);
    let (schema, name) = type_identity(names, ty);
    row.set("data_type", data_type(names, ty))
        .set("character_maximum_length", int(shape.length))
        .set("character_octet_length", int(shape.octets))
        .set("numeric_precision", int(shape.precision))
        .set("numeric_precision_radix", int(shape.radix))
        .set("numeric_scale", int(shape.scale))
        .set("datetime_precision", int(shape.datetime))
        .set("interval_type", opt_text(shape.interval.as_deref()))
        .set("udt_catalog", database_name(names.catalog))
        .set("udt_schema", schema)
        .set("udt_name", name);
}

fn domains(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let catalog = context.catalog;
    let row = |ty: &UserType| {
        let UserTypeKind::Domain {
            base, typmod, default, ..
        } = &ty.kind
        else {
            return None;
        };
        let mut row = Named::new(catalog, "domains");
        row.set("domain_catalog", database_name(catalog))
            .texts([
                ("domain_schema", super::schema_name(catalog, ty.schema)),
                ("domain_name", &ty.name),
            ])
            .set("domain_default", opt_text(default.as_deref()))
            .set("dtd_identifier", text("1"));
        describe(&mut row, names(context), *base, *typmod);
        Some(row.take())
    };
    Ok(catalog.user_types().filter_map(|ty| row(ty)).collect())
}

fn element_types(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let catalog = context.catalog;
    let names = names(context);
    let mut rows = Vec::new();
    for relation in catalog
        .tables()
        .map(RelationRef::Table)
        .chain(catalog.views().map(RelationRef::View))
    {
        for (place, column) in relation.columns().iter().enumerate().filter(|(_, column)| !column.dropped) {
            let Some(element) = info::element_type(column.ty, &names) else {
                continue;
            };
            let number = (place + 1).to_string();
            let mut row = Named::new(catalog, "element_types");
            row.set("object_catalog", database_name(catalog)).texts([
                ("object_schema", super::schema_name(catalog, relation.schema())),
                ("object_name", relation.name()),
                ("object_type", if relation.kind() == 'v' { "VIEW" } else { "TABLE" }),
                ("collection_type_identifier", &number),
                ("dtd_identifier", &format!("a{number}")),
            ]);
            describe(&mut row, names, element, -1);
            rows.push(row.take());
        }
    }
    Ok(rows)
}

fn character_sets(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let row = Named::new(context.catalog, "character_sets")
        .texts([
            ("character_set_name", "UTF8"),
            ("character_repertoire", "UCS"),
            ("form_of_use", "UTF8"),
            ("default_collate_schema", "pg_catalog"),
            ("default_collate_name", "ucs_basic"),
        ])
        .set("default_collate_catalog", database_name(context.catalog))
        .take();
    Ok(vec![row])
}

fn enabled_roles(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let catalog = context.catalog;
    let roles = catalog
        .roles()
        .filter(|role| catalog.is_member(context.current_user, role.oid));
    Ok(roles.map(|role| vec![text(&role.name)]).collect())
}

fn applicable_roles(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let catalog = context.catalog;
    let mut rows = Vec::new();
    for member in catalog
        .roles()
        .filter(|role| catalog.is_member(context.current_user, role.oid))
    {
        for group in &member.member_of {
            rows.push(vec![text(&member.name), super::role_name(catalog, *group), text("NO")]);
        }
    }
    Ok(rows)
}

fn table_privileges(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    const RIGHTS: [&str; 7] = ["INSERT", "SELECT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER"];
    let catalog = context.catalog;
    let mut rows = Vec::new();
    let relations = catalog.tables().map(|table| (RelationRef::Table(table), table.owner));
    for (relation, owner) in relations.chain(catalog.views().map(|view| (RelationRef::View(view), view.owner))) {
        let owner = super::role_name(catalog, owner);
        for right in RIGHTS {
            rows.push(vec![
                owner.clone(),
                owner.clone(),
                database_name(catalog),
                text(super::schema_name(catalog, relation.schema())),
                text(relation.name()),
                text(right),
                text("YES"),
                yes(right == "SELECT"),
            ]);
        }
    }
    Ok(rows)
}

fn collations(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let rows = super::super::names::COLLATIONS
        .iter()
        .map(|(_, name)| vec![database_name(context.catalog), text("pg_catalog"), text(name), text("NO PAD")]);
    Ok(rows.collect())
}

fn view_table_usage(context: &VirtualContext<'_>) -> Result<Vec<Row>> {
    let catalog = context.catalog;
    let mut rows = Vec::new();
    for view in catalog.user_views() {
        for on in view.depends_on.iter().filter_map(|oid| catalog.relation(*oid)) {
            if on.schema() == PG_CATALOG {
                continue;
            }
            rows.push(vec![
                database_name(catalog),
                text(super::schema_name(catalog, view.schema)),
                text(&view.name),
                database_name(catalog),
                text(super::schema_name(catalog, on.schema())),
                text(on.name()),
            ]);
        }
    }
    Ok(rows)
}
