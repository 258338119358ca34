//! Functions that read the catalog: declared here, answered by the catalog floor through the session
//! ([`crate::catalog::catalog_functions`]). Those of schema `holdfast` are the server's.

use super::{Body, Builtin, CallContext, SetRows, Volatility, pure, unused};
use crate::error::Result;
use crate::ids::Oid;
use crate::types::Value;
use crate::types::oid::{
    ACLITEM_ARRAY, ANYARRAY, ANYELEMENT, BOOL, CHAR, INT2, INT4, INT8, NAME, OID, PG_NODE_TREE, RECORD, REGCLASS, REGCOLLATION,
    REGNAMESPACE, REGOPER, REGOPERATOR, REGPROC, REGPROCEDURE, REGROLE, REGTYPE, TEXT, TEXT_ARRAY,
};

/// A stable function that the host answers by its name.
macro_rules! catalog {
    ($oid:literal, $name:literal, [$($arg:expr),*], $returns:expr) => {
        pure($oid, $name, &[$($arg),*], $returns, |call, args| call.host.catalog_function($name, args)).stable()
    };
}

const fn columns(mut function: Builtin, columns: &'static [(&'static str, Oid)]) -> Builtin {
    function.columns = columns;
    function
}

const SEQUENCE_PARAMETERS: &[(&str, Oid)] = &[
    ("start_value", INT8),
    ("minimum_value", INT8),
    ("maximum_value", INT8),
    ("increment", INT8),
    ("cycle_option", BOOL),
    ("cache_size", INT8),
    ("data_type", OID),
];

/// Rows that are all there at the start.
struct Listed(std::vec::IntoIter<Vec<Value>>);

impl SetRows for Listed {
    fn next(&mut self) -> Result<Option<Vec<Value>>> {
        Ok(self.0.next())
    }
}

fn keywords(call: &CallContext<'_>, args: &[Value]) -> Result<Box<dyn SetRows>> {
    Ok(Box::new(Listed(call.host.virtual_rows("pg_get_keywords", args)?.into_iter())))
}

const KEYWORDS: Builtin = Builtin {
    columns: &[
        ("word", TEXT),
        ("catcode", CHAR),
        ("barelabel", BOOL),
        ("catdesc", TEXT),
        ("baredesc", TEXT),
    ],
    volatility: Volatility::Stable,
    body: Body::Set(keywords),
    ..pure(1686, "pg_get_keywords", &[], RECORD, unused)
};

/// No table is partitioned, so none has ancestors or a tree.
fn no_rows(_: &CallContext<'_>, _: &[Value]) -> Result<Box<dyn SetRows>> {
    Ok(Box::new(Listed(Vec::new().into_iter())))
}

/// `name=value` texts (`reloptions`) as rows.
fn options(call: &CallContext<'_>, args: &[Value]) -> Result<Box<dyn SetRows>> {
    let Some(Value::Array(array)) = args.first() else {
        return no_rows(call, args);
    };
    let row = |value: &Value| match value {
        Value::Text(text) => match text.split_once('=') {
            Some((name, value)) => Some(vec![Value::text(name), Value::text(value)]),
            None => Some(vec![Value::text(text.clone()), Value::Null]),
        },
        _ => None,
    };
    Ok(Box::new(Listed(
        array.values.iter().filter_map(row).collect::<Vec<_>>().into_iter(),
    )))
}

/// Elements of an array with their places from 1: the information schema's helper, which drivers call too.
fn expand(call: &CallContext<'_>, args: &[Value]) -> Result<Box<dyn SetRows>> {
    let Some(Value::Array(array)) = args.first() else {
        return no_rows(call, args);
    };
    let rows: Vec<Vec<Value>> = (1..)
        .zip(&array.values)
        .map(|(at, value)| vec![value.clone(), Value::Int4(at)])
        .collect();
    Ok(Box::new(Listed(rows.into_iter())))
}

fn explode_acl(call: &CallContext<'_>, args: &[Value]) -> Result<Box<dyn SetRows>> {
    Ok(Box::new(Listed(call.host.virtual_rows("aclexplode", args)?.into_iter())))
}

const fn set(mut function: Builtin, body: super::SetFn, columns: &'static [(&'static str, Oid)]) -> Builtin {
    function.columns = columns;
    function.body = Body::Set(body);
    function
}

/// OIDs are PostgreSQL's; those of schema `holdfast` lie in the range that the system keeps for itself.
#[rustfmt::skip]
pub const FUNCTIONS: &[Builtin] = &[
    KEYWORDS,
    set(pure(3425, "pg_partition_ancestors", &[REGCLASS], REGCLASS, unused).volatile(), no_rows, &[("relid", REGCLASS)]),
    set(pure(3423, "pg_partition_tree", &[REGCLASS], RECORD, unused).volatile(), no_rows, &[("relid", REGCLASS), ("parentrelid", REGCLASS), ("isleaf", BOOL), ("level", INT4)]),
    set(pure(2289, "pg_options_to_table", &[TEXT_ARRAY], RECORD, unused).stable(), options, &[("option_name", TEXT), ("option_value", TEXT)]),
    set(pure(13208, "information_schema._pg_expandarray", &[ANYARRAY], RECORD, unused), expand, &[("x", ANYELEMENT), ("n", INT4)]),
    catalog!(1643, "pg_get_indexdef", [OID], TEXT),
    catalog!(2507, "pg_get_indexdef", [OID, INT4, BOOL], TEXT),
    catalog!(1387, "pg_get_constraintdef", [OID], TEXT),
    catalog!(2508, "pg_get_constraintdef", [OID, BOOL], TEXT),
    catalog!(1716, "pg_get_expr", [PG_NODE_TREE, OID], TEXT),
    catalog!(2509, "pg_get_expr", [PG_NODE_TREE, OID, BOOL], TEXT),
    catalog!(1640, "pg_get_viewdef", [TEXT], TEXT),
    catalog!(1641, "pg_get_viewdef", [OID], TEXT),
    catalog!(2505, "pg_get_viewdef", [TEXT, BOOL], TEXT),
    catalog!(2506, "pg_get_viewdef", [OID, BOOL], TEXT),
    catalog!(3159, "pg_get_viewdef", [OID, INT4], TEXT),
    catalog!(1665, "pg_get_serial_sequence", [TEXT, TEXT], TEXT),
    columns(catalog!(3078, "pg_sequence_parameters", [OID], RECORD), SEQUENCE_PARAMETERS),
    catalog!(4032, "pg_sequence_last_value", [REGCLASS], INT8).volatile(),
    catalog!(638, "pg_index_column_has_property", [REGCLASS, INT4, TEXT], BOOL),
    catalog!(637, "pg_index_has_property", [REGCLASS, TEXT], BOOL),
    catalog!(636, "pg_indexam_has_property", [OID, TEXT], BOOL),
    catalog!(1662, "pg_get_triggerdef", [OID], TEXT),
    catalog!(2730, "pg_get_triggerdef", [OID, BOOL], TEXT),
    catalog!(1573, "pg_get_ruledef", [OID], TEXT),
    catalog!(2504, "pg_get_ruledef", [OID, BOOL], TEXT),
    catalog!(3352, "pg_get_partkeydef", [OID], TEXT),
    catalog!(3408, "pg_get_partition_constraintdef", [OID], TEXT),
    catalog!(3415, "pg_get_statisticsobjdef", [OID], TEXT),
    catalog!(6174, "pg_get_statisticsobjdef_columns", [OID], TEXT),
    catalog!(6173, "pg_get_statisticsobjdef_expressions", [OID], TEXT_ARRAY),
    catalog!(3424, "pg_partition_root", [REGCLASS], REGCLASS),
    catalog!(2098, "pg_get_functiondef", [OID], TEXT),
    catalog!(2162, "pg_get_function_arguments", [OID], TEXT),
    catalog!(2232, "pg_get_function_identity_arguments", [OID], TEXT),
    catalog!(2165, "pg_get_function_result", [OID], TEXT),
    catalog!(3808, "pg_get_function_arg_default", [OID, INT4], TEXT),
    catalog!(6197, "pg_get_function_sqlbody", [OID], TEXT),
    catalog!(2079, "pg_table_is_visible", [OID], BOOL),
    catalog!(2080, "pg_type_is_visible", [OID], BOOL),
    catalog!(2081, "pg_function_is_visible", [OID], BOOL),
    catalog!(2082, "pg_operator_is_visible", [OID], BOOL),
    catalog!(3815, "pg_collation_is_visible", [OID], BOOL),
    catalog!(2083, "pg_opclass_is_visible", [OID], BOOL),
    catalog!(3829, "pg_opfamily_is_visible", [OID], BOOL),
    catalog!(2093, "pg_conversion_is_visible", [OID], BOOL),
    catalog!(3758, "pg_ts_config_is_visible", [OID], BOOL),
    catalog!(3757, "pg_ts_dict_is_visible", [OID], BOOL),
    catalog!(3756, "pg_ts_parser_is_visible", [OID], BOOL),
    catalog!(3768, "pg_ts_template_is_visible", [OID], BOOL),
    catalog!(3403, "pg_statistics_obj_is_visible", [OID], BOOL),
    catalog!(3495, "to_regclass", [TEXT], REGCLASS),
    catalog!(3493, "to_regtype", [TEXT], REGTYPE),
    catalog!(3494, "to_regproc", [TEXT], REGPROC),
    catalog!(3479, "to_regprocedure", [TEXT], REGPROCEDURE),
    catalog!(3492, "to_regoper", [TEXT], REGOPER),
    catalog!(3476, "to_regoperator", [TEXT], REGOPERATOR),
    catalog!(4086, "to_regnamespace", [TEXT], REGNAMESPACE),
    catalog!(4093, "to_regrole", [TEXT], REGROLE),
    catalog!(4195, "to_regcollation", [TEXT], REGCOLLATION),
    catalog!(1081, "format_type", [OID, INT4], TEXT).called_on_null(),
    catalog!(1642, "pg_get_userbyid", [OID], NAME),
    catalog!(2855, "pg_is_other_temp_schema", [OID], BOOL),
    catalog!(1597, "pg_encoding_to_char", [INT4], NAME),
    catalog!(1264, "pg_char_to_encoding", [NAME], INT4),
    catalog!(1039, "getdatabaseencoding", [], NAME),
    catalog!(3778, "pg_tablespace_location", [OID], TEXT),
    catalog!(1215, "obj_description", [OID, NAME], TEXT),
    catalog!(1348, "obj_description", [OID], TEXT),
    catalog!(1993, "shobj_description", [OID, NAME], TEXT),
    catalog!(1216, "col_description", [OID, INT4], TEXT),
    catalog!(3537, "pg_describe_object", [OID, OID, INT4], TEXT),
    catalog!(1922, "has_table_privilege", [NAME, TEXT, TEXT], BOOL),
    catalog!(1923, "has_table_privilege", [NAME, OID, TEXT], BOOL),
    catalog!(1924, "has_table_privilege", [OID, TEXT, TEXT], BOOL),
    catalog!(1925, "has_table_privilege", [OID, OID, TEXT], BOOL),
    catalog!(1926, "has_table_privilege", [TEXT, TEXT], BOOL),
    catalog!(1927, "has_table_privilege", [OID, TEXT], BOOL),
    catalog!(3024, "has_any_column_privilege", [NAME, TEXT, TEXT], BOOL),
    catalog!(3025, "has_any_column_privilege", [NAME, OID, TEXT], BOOL),
    catalog!(3026, "has_any_column_privilege", [OID, TEXT, TEXT], BOOL),
    catalog!(3027, "has_any_column_privilege", [OID, OID, TEXT], BOOL),
    catalog!(3028, "has_any_column_privilege", [TEXT, TEXT], BOOL),
    catalog!(3029, "has_any_column_privilege", [OID, TEXT], BOOL),
    catalog!(3012, "has_column_privilege", [NAME, TEXT, TEXT, TEXT], BOOL),
    catalog!(3013, "has_column_privilege", [NAME, TEXT, INT2, TEXT], BOOL),
    catalog!(3014, "has_column_privilege", [NAME, OID, TEXT, TEXT], BOOL),
    catalog!(3015, "has_column_privilege", [NAME, OID, INT2, TEXT], BOOL),
    catalog!(3016, "has_column_privilege", [OID, TEXT, TEXT, TEXT], BOOL),
    catalog!(3017, "has_column_privilege", [OID, TEXT, INT2, TEXT], BOOL),
    catalog!(3018, "has_column_privilege", [OID, OID, TEXT, TEXT], BOOL),
    catalog!(3019, "has_column_privilege", [OID, OID, INT2, TEXT], BOOL),
    catalog!(3020, "has_column_privilege", [TEXT, TEXT, TEXT], BOOL),
    catalog!(3021, "has_column_privilege", [TEXT, INT2, TEXT], BOOL),
    catalog!(3022, "has_column_privilege", [OID, TEXT, TEXT], BOOL),
    catalog!(3023, "has_column_privilege", [OID, INT2, TEXT], BOOL),
    catalog!(2181, "has_sequence_privilege", [NAME, TEXT, TEXT], BOOL),
    catalog!(2182, "has_sequence_privilege", [NAME, OID, TEXT], BOOL),
    catalog!(2183, "has_sequence_privilege", [OID, TEXT, TEXT], BOOL),
    catalog!(2184, "has_sequence_privilege", [OID, OID, TEXT], BOOL),
    catalog!(2185, "has_sequence_privilege", [TEXT, TEXT], BOOL),
    catalog!(2186, "has_sequence_privilege", [OID, TEXT], BOOL),
    catalog!(2268, "has_schema_privilege", [NAME, TEXT, TEXT], BOOL),
    catalog!(2269, "has_schema_privilege", [NAME, OID, TEXT], BOOL),
    catalog!(2270, "has_schema_privilege", [OID, TEXT, TEXT], BOOL),
    catalog!(2271, "has_schema_privilege", [OID, OID, TEXT], BOOL),
    catalog!(2272, "has_schema_privilege", [TEXT, TEXT], BOOL),
    catalog!(2273, "has_schema_privilege", [OID, TEXT], BOOL),
    catalog!(2250, "has_database_privilege", [NAME, TEXT, TEXT], BOOL),
    catalog!(2251, "has_database_privilege", [NAME, OID, TEXT], BOOL),
    catalog!(2252, "has_database_privilege", [OID, TEXT, TEXT], BOOL),
    catalog!(2253, "has_database_privilege", [OID, OID, TEXT], BOOL),
    catalog!(2254, "has_database_privilege", [TEXT, TEXT], BOOL),
    catalog!(2255, "has_database_privilege", [OID, TEXT], BOOL),
    catalog!(2256, "has_function_privilege", [NAME, TEXT, TEXT], BOOL),
    catalog!(2257, "has_function_privilege", [NAME, OID, TEXT], BOOL),
    catalog!(2258, "has_function_privilege", [OID, TEXT, TEXT], BOOL),
    catalog!(2259, "has_function_privilege", [OID, OID, TEXT], BOOL),
    catalog!(2260, "has_function_privilege", [TEXT, TEXT], BOOL),
    catalog!(2261, "has_function_privilege", [OID, TEXT], BOOL),
    catalog!(3138, "has_type_privilege", [NAME, TEXT, TEXT], BOOL),
    catalog!(3139, "has_type_privilege", [NAME, OID, TEXT], BOOL),
    catalog!(3140, "has_type_privilege", [OID, TEXT, TEXT], BOOL),
    catalog!(3141, "has_type_privilege", [OID, OID, TEXT], BOOL),
    catalog!(3142, "has_type_privilege", [TEXT, TEXT], BOOL),
    catalog!(3143, "has_type_privilege", [OID, TEXT], BOOL),
    catalog!(2262, "has_language_privilege", [NAME, TEXT, TEXT], BOOL),
    catalog!(2263, "has_language_privilege", [NAME, OID, TEXT], BOOL),
    catalog!(2264, "has_language_privilege", [OID, TEXT, TEXT], BOOL),
    catalog!(2265, "has_language_privilege", [OID, OID, TEXT], BOOL),
    catalog!(2266, "has_language_privilege", [TEXT, TEXT], BOOL),
    catalog!(2267, "has_language_privilege", [OID, TEXT], BOOL),
    catalog!(2390, "has_tablespace_privilege", [NAME, TEXT, TEXT], BOOL),
    catalog!(2391, "has_tablespace_privilege", [NAME, OID, TEXT], BOOL),
    catalog!(2392, "has_tablespace_privilege", [OID, TEXT, TEXT], BOOL),
    catalog!(2393, "has_tablespace_privilege", [OID, OID, TEXT], BOOL),
    catalog!(2394, "has_tablespace_privilege", [TEXT, TEXT], BOOL),
    catalog!(2395, "has_tablespace_privilege", [OID, TEXT], BOOL),
    catalog!(3000, "has_foreign_data_wrapper_privilege", [NAME, TEXT, TEXT], BOOL),
    catalog!(3001, "has_foreign_data_wrapper_privilege", [NAME, OID, TEXT], BOOL),
    catalog!(3002, "has_foreign_data_wrapper_privilege", [OID, TEXT, TEXT], BOOL),
    catalog!(3003, "has_foreign_data_wrapper_privilege", [OID, OID, TEXT], BOOL),
    catalog!(3004, "has_foreign_data_wrapper_privilege", [TEXT, TEXT], BOOL),
    catalog!(3005, "has_foreign_data_wrapper_privilege", [OID, TEXT], BOOL),
    catalog!(3006, "has_server_privilege", [NAME, TEXT, TEXT], BOOL),
    catalog!(3007, "has_server_privilege", [NAME, OID, TEXT], BOOL),
    catalog!(3008, "has_server_privilege", [OID, TEXT, TEXT], BOOL),
    catalog!(3009, "has_server_privilege", [OID, OID, TEXT], BOOL),
    catalog!(3010, "has_server_privilege", [TEXT, TEXT], BOOL),
    catalog!(3011, "has_server_privilege", [OID, TEXT], BOOL),
    catalog!(6205, "has_parameter_privilege", [NAME, TEXT, TEXT], BOOL),
    catalog!(6206, "has_parameter_privilege", [OID, TEXT, TEXT], BOOL),
    catalog!(6207, "has_parameter_privilege", [TEXT, TEXT], BOOL),
    catalog!(2705, "pg_has_role", [NAME, NAME, TEXT], BOOL),
    catalog!(2706, "pg_has_role", [NAME, OID, TEXT], BOOL),
    catalog!(2707, "pg_has_role", [OID, NAME, TEXT], BOOL),
    catalog!(2708, "pg_has_role", [OID, OID, TEXT], BOOL),
    catalog!(2709, "pg_has_role", [NAME, TEXT], BOOL),
    catalog!(2710, "pg_has_role", [OID, TEXT], BOOL),
    catalog!(3298, "row_security_active", [OID], BOOL),
    catalog!(3299, "row_security_active", [TEXT], BOOL),
    catalog!(2325, "pg_relation_size", [REGCLASS], INT8).volatile(),
    catalog!(2332, "pg_relation_size", [REGCLASS, TEXT], INT8).volatile(),
    catalog!(2997, "pg_table_size", [REGCLASS], INT8).volatile(),
    catalog!(2998, "pg_indexes_size", [REGCLASS], INT8).volatile(),
    catalog!(2286, "pg_total_relation_size", [REGCLASS], INT8).volatile(),
    catalog!(2168, "pg_database_size", [NAME], INT8).volatile(),
    catalog!(2324, "pg_database_size", [OID], INT8).volatile(),
    catalog!(2322, "pg_tablespace_size", [OID], INT8).volatile(),
    catalog!(2323, "pg_tablespace_size", [NAME], INT8).volatile(),
    catalog!(2999, "pg_relation_filenode", [REGCLASS], OID),
    catalog!(3034, "pg_relation_filepath", [REGCLASS], TEXT),
    catalog!(6121, "pg_relation_is_publishable", [REGCLASS], BOOL),
    catalog!(3842, "pg_relation_is_updatable", [REGCLASS, BOOL], INT4),
    catalog!(3843, "pg_column_is_updatable", [REGCLASS, INT2, BOOL], BOOL),
    catalog!(3943, "acldefault", [CHAR, OID], ACLITEM_ARRAY),
    set(pure(1689, "aclexplode", &[ACLITEM_ARRAY], RECORD, unused).stable(), explode_acl, &[("grantor", OID), ("grantee", OID), ("privilege_type", TEXT), ("is_grantable", BOOL)]),
    catalog!(15101, "holdfast.owner", [REGCLASS, TEXT], INT4).volatile(),
    catalog!(15102, "holdfast.fencing_token", [REGCLASS, TEXT], INT8).volatile(),
    catalog!(15103, "holdfast.release", [REGCLASS, TEXT], BOOL).volatile(),
    catalog!(15104, "holdfast.checksum", [], TEXT).volatile(),
];
