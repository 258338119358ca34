//! `*_is_visible`, `to_reg*`, `format_type`, and other questions about names.

use super::{Call, int_arg, names, oid_arg, text_arg};
use crate::catalog::catalog::{HOLDFAST_SCHEMA, PG_CATALOG};
use crate::catalog::directory;
use crate::catalog::names::{COLLATIONS, function_name};
use crate::catalog::server_state::VirtualContext;
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::types::env::NameLookup;
use crate::types::{Value, info, oid as types};

pub(super) fn find(name: &str) -> Option<Call> {
    Some(match name {
        "pg_table_is_visible" => table_is_visible,
        "pg_type_is_visible" => type_is_visible,
        "pg_function_is_visible" => function_is_visible,
        "pg_operator_is_visible" => |context, args| {
            let known = directory::operator(oid_arg(args, 0)).is_some();
            Ok(if known {
                Value::Bool(in_path(context, PG_CATALOG))
            } else {
                Value::Null
            })
        },
        "pg_collation_is_visible" => |context, args| {
            let known = COLLATIONS.iter().any(|(oid, _)| *oid == oid_arg(args, 0));
            Ok(if known {
                Value::Bool(in_path(context, PG_CATALOG))
            } else {
                Value::Null
            })
        },
        // All of these are the system's.
        "pg_opclass_is_visible"
        | "pg_opfamily_is_visible"
        | "pg_conversion_is_visible"
        | "pg_ts_config_is_visible"
        | "pg_ts_dict_is_visible"
        | "pg_ts_parser_is_visible"
        | "pg_ts_template_is_visible" => |context, _| Ok(Value::Bool(in_path(context, PG_CATALOG))),
        "pg_statistics_obj_is_visible" => |_, _| Ok(Value::Null),
        "to_regclass" => |context, args| to_reg(context, args, types::REGCLASS),
        "to_regtype" => |context, args| to_reg(context, args, types::REGTYPE),
        "to_regproc" => |context, args| to_reg(context, args, types::REGPROC),
        "to_regprocedure" => |context, args| to_reg(context, args, types::REGPROCEDURE),
        "to_regoper" => |context, args| to_reg(context, args, types::REGOPER),
        "to_regoperator" => |context, args| to_reg(context, args, types::REGOPERATOR),
        "to_regnamespace" => |context, args| to_reg(context, args, types::REGNAMESPACE),
        "to_regrole" => |context, args| to_reg(context, args, types::REGROLE),
        "to_regcollation" => |context, args| to_reg(context, args, types::REGCOLLATION),
        "format_type" => format_type,
        "pg_get_userbyid" => user_by_id,
        "pg_my_temp_schema" => |context, _| Ok(Value::Oid(context.search_path.temp.unwrap_or(Oid::INVALID).0)),
        "pg_is_other_temp_schema" => is_other_temp_schema,
        "pg_encoding_to_char" => encoding_to_char,
        "pg_char_to_encoding" => char_to_encoding,
        "getdatabaseencoding" => |_, _| Ok(Value::text("UTF8")),
        "pg_tablespace_location" => |_, _| Ok(Value::text("")),
        _ => return None,
    })
}

fn in_path(context: &VirtualContext<'_>, schema: Oid) -> bool {
    context.search_path.schemas.contains(&schema)
}

fn table_is_visible(context: &VirtualContext<'_>, args: &[Value]) -> Result<Value> {
    let Some(relation) = context.catalog.relation(oid_arg(args, 0)) else {
        return Ok(Value::Null);
    };
    Ok(Value::Bool(context.search_path.shows_relation(
        context.catalog,
        relation.schema(),
        relation.name(),
        relation.oid(),
    )))
}

fn type_is_visible(context: &VirtualContext<'_>, args: &[Value]) -> Result<Value> {
    let ty = oid_arg(args, 0);
    let identity = match info::info(ty) {
        Some(row) => Some((PG_CATALOG, smol_str::SmolStr::new_static(row.name))),
        None => names(context).type_identity(ty),
    };
    let Some((schema, name)) = identity else {
        return Ok(Value::Null);
    };
    Ok(Value::Bool(context.search_path.shows_type(
        context.catalog,
        schema,
        &name,
        ty,
    )))
}

fn function_is_visible(context: &VirtualContext<'_>, args: &[Value]) -> Result<Value> {
    let Some(function) = directory::function(oid_arg(args, 0)) else {
        return Ok(Value::Null);
    };
    let (schema, _) = function_name(&function);
    Ok(Value::Bool(
        in_path(context, schema) || (schema == HOLDFAST_SCHEMA && in_path(context, HOLDFAST_SCHEMA)),
    ))
}

/// Null where nothing has the name; bad syntax is still an error.
fn to_reg(context: &VirtualContext<'_>, args: &[Value], reg_type: Oid) -> Result<Value> {
    match names(context).reg_in(reg_type, text_arg(args, 0)) {
        Ok(oid) => Ok(Value::Oid(oid.0)),
        Err(error) if is_missing(&error) => Ok(Value::Null),
        Err(error) => Err(error),
    }
}

fn is_missing(error: &PgError) -> bool {
    [
        sqlstate::UNDEFINED_TABLE,
        sqlstate::UNDEFINED_SCHEMA,
        sqlstate::UNDEFINED_OBJECT,
        sqlstate::UNDEFINED_FUNCTION,
        sqlstate::AMBIGUOUS_FUNCTION,
    ]
    .contains(&error.code())
}

/// Called with a null modifier too, which prints the type as if none was asked for.
fn format_type(context: &VirtualContext<'_>, args: &[Value]) -> Result<Value> {
    if args.first().is_none_or(Value::is_null) {
        return Ok(Value::Null);
    }
    let ty = oid_arg(args, 0);
    let names = names(context);
    Ok(Value::text(match int_arg(args, 1) {
        Some(typmod) => info::format_type_given(ty, i32::try_from(typmod).unwrap_or(-1), &names),
        None => info::format_type(ty, -1, &names),
    }))
}

fn user_by_id(context: &VirtualContext<'_>, args: &[Value]) -> Result<Value> {
    let oid = oid_arg(args, 0);
    Ok(match context.catalog.role(oid) {
        Some(role) => Value::text(role.name.clone()),
        None => Value::text(format!("unknown (OID={oid})")),
    })
}

fn is_other_temp_schema(context: &VirtualContext<'_>, args: &[Value]) -> Result<Value> {
    let schema = oid_arg(args, 0);
    let is_temp = context
        .catalog
        .schema(schema)
        .is_some_and(|schema| schema.name.starts_with("pg_temp_"));
    Ok(Value::Bool(is_temp && context.search_path.temp != Some(schema)))
}

/// Encodings by number, as in PostgreSQL's `pg_wchar.h`.
const ENCODINGS: [&str; 42] = [
    "SQL_ASCII",
    "EUC_JP",
    "EUC_CN",
    "EUC_KR",
    "EUC_TW",
    "EUC_JIS_2004",
    "UTF8",
    "MULE_INTERNAL",
    "LATIN1",
    "LATIN2",
    "LATIN3",
    "LATIN4",
    "LATIN5",
    "LATIN6",
    "LATIN7",
    "LATIN8",
    "LATIN9",
    "LATIN10",
    "WIN1256",
    "WIN1258",
    "WIN866",
    "WIN874",
    "KOI8R",
    "WIN1251",
    "WIN1252",
    "ISO_8859_5",
    "ISO_8859_6",
    "ISO_8859_7",
    "ISO_8859_8",
    "WIN1250",
    "WIN1253",
    "WIN1254",
    "WIN1255",
    "WIN1257",
    "KOI8U",
    "SJIS",
    "BIG5",
    "GBK",
    "UHC",
    "GB18030",
    "JOHAB",
    "SHIFT_JIS_2004",
];

fn encoding_to_char(_context: &VirtualContext<'_>, args: &[Value]) -> Result<Value> {
    let name = int_arg(args, 0)
        .and_then(|number| usize::try_from(number).ok())
        .and_then(|number| ENCODINGS.get(number));
    Ok(Value::text(*name.unwrap_or(&"")))
}

fn char_to_encoding(_context: &VirtualContext<'_>, args: &[Value]) -> Result<Value> {
    let plain = |name: &str| {
        name.chars()
            .filter(char::is_ascii_alphanumeric)
            .collect::<String>()
            .to_ascii_uppercase()
    };
    let wanted = match plain(text_arg(args, 0)).as_str() {
        "UNICODE" => "UTF8".to_owned(),
        other => other.to_owned(),
    };
    let number = ENCODINGS.iter().position(|name| plain(name) == wanted);
    Ok(Value::Int4(
        number.and_then(|number| i32::try_from(number).ok()).unwrap_or(-1),
    ))
}
