//! Comparison functions behind `=`, `<>`, `<`, `<=`, `>`, `>=`.

use std::cmp::Ordering;

use super::{Builtin, CallContext, pure};
use crate::error::{PgError, Result};
use crate::types::compare::compare_as;
use crate::types::oid::{
    ANYARRAY, ANYENUM, BIT, BOOL, BPCHAR, BYTEA, CHAR, CID, DATE, FLOAT4, FLOAT8, INT2, INT4, INT8, INTERVAL, JSONB, NAME,
    NUMERIC, OID, OIDVECTOR, PG_LSN, RECORD, TEXT, TID, TIME, TIMESTAMP, TIMESTAMPTZ, TIMETZ, UUID, VARBIT, XID, XID8,
};
use crate::types::{Value, datetime};

/// Compares integers of any widths.
fn int(_: &CallContext<'_>, args: &[Value]) -> Result<Ordering> {
    Ok(integer(&args[0])?.cmp(&integer(&args[1])?))
}

fn integer(value: &Value) -> Result<i64> {
    match value {
        Value::Int4(v) => Ok(i64::from(*v)),
        Value::Int8(v) => Ok(*v),
        Value::Int2(v) => Ok(i64::from(*v)),
        other => Err(PgError::internal(format!("not an integer: {other:?}"))),
    }
}

/// Compares floats of either width; NaN is greatest and equals itself.
fn float(_: &CallContext<'_>, args: &[Value]) -> Result<Ordering> {
    let (a, b) = (double(&args[0])?, double(&args[1])?);
    Ok(a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan())))
}

fn double(value: &Value) -> Result<f64> {
    match value {
        Value::Float8(v) => Ok(*v),
        Value::Float4(v) => Ok(f64::from(*v)),
        other => Err(PgError::internal(format!("not a float: {other:?}"))),
    }
}

/// `text` and `name`: bytewise (collation C).
fn text(_: &CallContext<'_>, args: &[Value]) -> Result<Ordering> {
    match (&args[0], &args[1]) {
        (Value::Text(a), Value::Text(b)) => Ok(a.as_bytes().cmp(b.as_bytes())),
        other => Err(PgError::internal(format!("not texts: {other:?}"))),
    }
}

/// `xid = xid` and `xid = int4`.
fn xid(_: &CallContext<'_>, args: &[Value]) -> Result<Ordering> {
    let number = |value: &Value| match value {
        Value::Oid(v) => Ok(i64::from(*v)),
        other => integer(other),
    };
    Ok(number(&args[0])?.cmp(&number(&args[1])?))
}

/// Two values of one type.
fn same(call: &CallContext<'_>, args: &[Value]) -> Result<Ordering> {
    let ty = call.arg_types.first().copied().unwrap_or(TEXT);
    Ok(compare_as(ty, &args[0], &args[1]))
}

/// `date`, `timestamp` and `timestamptz` with each other, in the session's time zone.
fn moment(call: &CallContext<'_>, args: &[Value]) -> Result<Ordering> {
    datetime::compare_moments(&args[0], &args[1], &call.env)
}

macro_rules! six {
    ($($by:ident: $eq:ident $ne:ident $lt:ident $le:ident $gt:ident $ge:ident;)*) => {$(
        fn $eq(call: &CallContext<'_>, args: &[Value]) -> Result<Value> { Ok(Value::Bool($by(call, args)?.is_eq())) }
        fn $ne(call: &CallContext<'_>, args: &[Value]) -> Result<Value> { Ok(Value::Bool($by(call, args)?.is_ne())) }
        fn $lt(call: &CallContext<'_>, args: &[Value]) -> Result<Value> { Ok(Value::Bool($by(call, args)?.is_lt())) }
        fn $le(call: &CallContext<'_>, args: &[Value]) -> Result<Value> { Ok(Value::Bool($by(call, args)?.is_le())) }
        fn $gt(call: &CallContext<'_>, args: &[Value]) -> Result<Value> { Ok(Value::Bool($by(call, args)?.is_gt())) }
        fn $ge(call: &CallContext<'_>, args: &[Value]) -> Result<Value> { Ok(Value::Bool($by(call, args)?.is_ge())) }
    )*};
}

six! {
    int: int_eq int_ne int_lt int_le int_gt int_ge;
    float: float_eq float_ne float_lt float_le float_gt float_ge;
    text: text_eq text_ne text_lt text_le text_gt text_ge;
    same: same_eq same_ne same_lt same_le same_gt same_ge;
    moment: moment_eq moment_ne moment_lt moment_le moment_gt moment_ge;
}

fn xid_eq(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::Bool(xid(call, args)?.is_eq()))
}

fn xid_ne(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::Bool(xid(call, args)?.is_ne()))
}

#[rustfmt::skip]
pub const FUNCTIONS: &[Builtin] = &[
    pure(56, "boollt", &[BOOL, BOOL], BOOL, same_lt),
    pure(57, "boolgt", &[BOOL, BOOL], BOOL, same_gt),
    pure(60, "booleq", &[BOOL, BOOL], BOOL, same_eq),
    pure(61, "chareq", &[CHAR, CHAR], BOOL, same_eq),
    pure(62, "nameeq", &[NAME, NAME], BOOL, text_eq),
    pure(63, "int2eq", &[INT2, INT2], BOOL, int_eq),
    pure(64, "int2lt", &[INT2, INT2], BOOL, int_lt),
    pure(65, "int4eq", &[INT4, INT4], BOOL, int_eq),
    pure(66, "int4lt", &[INT4, INT4], BOOL, int_lt),
    pure(67, "texteq", &[TEXT, TEXT], BOOL, text_eq),
    pure(68, "xideq", &[XID, XID], BOOL, xid_eq),
    pure(69, "cideq", &[CID, CID], BOOL, same_eq),
    pure(70, "charne", &[CHAR, CHAR], BOOL, same_ne),
    pure(72, "charle", &[CHAR, CHAR], BOOL, same_le),
    pure(73, "chargt", &[CHAR, CHAR], BOOL, same_gt),
    pure(74, "charge", &[CHAR, CHAR], BOOL, same_ge),
    pure(84, "boolne", &[BOOL, BOOL], BOOL, same_ne),
    pure(144, "int4ne", &[INT4, INT4], BOOL, int_ne),
    pure(145, "int2ne", &[INT2, INT2], BOOL, int_ne),
    pure(146, "int2gt", &[INT2, INT2], BOOL, int_gt),
    pure(147, "int4gt", &[INT4, INT4], BOOL, int_gt),
    pure(148, "int2le", &[INT2, INT2], BOOL, int_le),
    pure(149, "int4le", &[INT4, INT4], BOOL, int_le),
    pure(150, "int4ge", &[INT4, INT4], BOOL, int_ge),
    pure(151, "int2ge", &[INT2, INT2], BOOL, int_ge),
    pure(157, "textne", &[TEXT, TEXT], BOOL, text_ne),
    pure(158, "int24eq", &[INT2, INT4], BOOL, int_eq),
    pure(159, "int42eq", &[INT4, INT2], BOOL, int_eq),
    pure(160, "int24lt", &[INT2, INT4], BOOL, int_lt),
    pure(161, "int42lt", &[INT4, INT2], BOOL, int_lt),
    pure(162, "int24gt", &[INT2, INT4], BOOL, int_gt),
    pure(163, "int42gt", &[INT4, INT2], BOOL, int_gt),
    pure(164, "int24ne", &[INT2, INT4], BOOL, int_ne),
    pure(165, "int42ne", &[INT4, INT2], BOOL, int_ne),
    pure(166, "int24le", &[INT2, INT4], BOOL, int_le),
    pure(167, "int42le", &[INT4, INT2], BOOL, int_le),
    pure(168, "int24ge", &[INT2, INT4], BOOL, int_ge),
    pure(169, "int42ge", &[INT4, INT2], BOOL, int_ge),
    pure(184, "oideq", &[OID, OID], BOOL, same_eq),
    pure(185, "oidne", &[OID, OID], BOOL, same_ne),
    pure(240, "nameeqtext", &[NAME, TEXT], BOOL, text_eq),
    pure(241, "namelttext", &[NAME, TEXT], BOOL, text_lt),
    pure(242, "nameletext", &[NAME, TEXT], BOOL, text_le),
    pure(243, "namegetext", &[NAME, TEXT], BOOL, text_ge),
    pure(244, "namegttext", &[NAME, TEXT], BOOL, text_gt),
    pure(245, "namenetext", &[NAME, TEXT], BOOL, text_ne),
    pure(247, "texteqname", &[TEXT, NAME], BOOL, text_eq),
    pure(248, "textltname", &[TEXT, NAME], BOOL, text_lt),
    pure(249, "textlename", &[TEXT, NAME], BOOL, text_le),
    pure(250, "textgename", &[TEXT, NAME], BOOL, text_ge),
    pure(251, "textgtname", &[TEXT, NAME], BOOL, text_gt),
    pure(252, "textnename", &[TEXT, NAME], BOOL, text_ne),
    pure(287, "float4eq", &[FLOAT4, FLOAT4], BOOL, float_eq),
    pure(288, "float4ne", &[FLOAT4, FLOAT4], BOOL, float_ne),
    pure(289, "float4lt", &[FLOAT4, FLOAT4], BOOL, float_lt),
    pure(290, "float4le", &[FLOAT4, FLOAT4], BOOL, float_le),
    pure(291, "float4gt", &[FLOAT4, FLOAT4], BOOL, float_gt),
    pure(292, "float4ge", &[FLOAT4, FLOAT4], BOOL, float_ge),
    pure(293, "float8eq", &[FLOAT8, FLOAT8], BOOL, float_eq),
    pure(294, "float8ne", &[FLOAT8, FLOAT8], BOOL, float_ne),
    pure(295, "float8lt", &[FLOAT8, FLOAT8], BOOL, float_lt),
    pure(296, "float8le", &[FLOAT8, FLOAT8], BOOL, float_le),
    pure(297, "float8gt", &[FLOAT8, FLOAT8], BOOL, float_gt),
    pure(298, "float8ge", &[FLOAT8, FLOAT8], BOOL, float_ge),
    pure(299, "float48eq", &[FLOAT4, FLOAT8], BOOL, float_eq),
    pure(300, "float48ne", &[FLOAT4, FLOAT8], BOOL, float_ne),
    pure(301, "float48lt", &[FLOAT4, FLOAT8], BOOL, float_lt),
    pure(302, "float48le", &[FLOAT4, FLOAT8], BOOL, float_le),
    pure(303, "float48gt", &[FLOAT4, FLOAT8], BOOL, float_gt),
    pure(304, "float48ge", &[FLOAT4, FLOAT8], BOOL, float_ge),
    pure(305, "float84eq", &[FLOAT8, FLOAT4], BOOL, float_eq),
    pure(306, "float84ne", &[FLOAT8, FLOAT4], BOOL, float_ne),
    pure(307, "float84lt", &[FLOAT8, FLOAT4], BOOL, float_lt),
    pure(308, "float84le", &[FLOAT8, FLOAT4], BOOL, float_le),
    pure(309, "float84gt", &[FLOAT8, FLOAT4], BOOL, float_gt),
    pure(310, "float84ge", &[FLOAT8, FLOAT4], BOOL, float_ge),
    pure(390, "array_ne", &[ANYARRAY, ANYARRAY], BOOL, same_ne),
    pure(391, "array_lt", &[ANYARRAY, ANYARRAY], BOOL, same_lt),
    pure(392, "array_gt", &[ANYARRAY, ANYARRAY], BOOL, same_gt),
    pure(393, "array_le", &[ANYARRAY, ANYARRAY], BOOL, same_le),
    pure(396, "array_ge", &[ANYARRAY, ANYARRAY], BOOL, same_ge),
    pure(467, "int8eq", &[INT8, INT8], BOOL, int_eq),
    pure(468, "int8ne", &[INT8, INT8], BOOL, int_ne),
    pure(469, "int8lt", &[INT8, INT8], BOOL, int_lt),
    pure(470, "int8gt", &[INT8, INT8], BOOL, int_gt),
    pure(471, "int8le", &[INT8, INT8], BOOL, int_le),
    pure(472, "int8ge", &[INT8, INT8], BOOL, int_ge),
    pure(474, "int84eq", &[INT8, INT4], BOOL, int_eq),
    pure(475, "int84ne", &[INT8, INT4], BOOL, int_ne),
    pure(476, "int84lt", &[INT8, INT4], BOOL, int_lt),
    pure(477, "int84gt", &[INT8, INT4], BOOL, int_gt),
    pure(478, "int84le", &[INT8, INT4], BOOL, int_le),
    pure(479, "int84ge", &[INT8, INT4], BOOL, int_ge),
    pure(619, "oidvectorne", &[OIDVECTOR, OIDVECTOR], BOOL, same_ne),
    pure(655, "namelt", &[NAME, NAME], BOOL, text_lt),
    pure(656, "namele", &[NAME, NAME], BOOL, text_le),
    pure(657, "namegt", &[NAME, NAME], BOOL, text_gt),
    pure(658, "namege", &[NAME, NAME], BOOL, text_ge),
    pure(659, "namene", &[NAME, NAME], BOOL, text_ne),
    pure(677, "oidvectorlt", &[OIDVECTOR, OIDVECTOR], BOOL, same_lt),
    pure(678, "oidvectorle", &[OIDVECTOR, OIDVECTOR], BOOL, same_le),
    pure(679, "oidvectoreq", &[OIDVECTOR, OIDVECTOR], BOOL, same_eq),
    pure(680, "oidvectorge", &[OIDVECTOR, OIDVECTOR], BOOL, same_ge),
    pure(681, "oidvectorgt", &[OIDVECTOR, OIDVECTOR], BOOL, same_gt),
    pure(716, "oidlt", &[OID, OID], BOOL, same_lt),
    pure(717, "oidle", &[OID, OID], BOOL, same_le),
    pure(740, "text_lt", &[TEXT, TEXT], BOOL, text_lt),
    pure(741, "text_le", &[TEXT, TEXT], BOOL, text_le),
    pure(742, "text_gt", &[TEXT, TEXT], BOOL, text_gt),
    pure(743, "text_ge", &[TEXT, TEXT], BOOL, text_ge),
    pure(744, "array_eq", &[ANYARRAY, ANYARRAY], BOOL, same_eq),
    pure(852, "int48eq", &[INT4, INT8], BOOL, int_eq),
    pure(853, "int48ne", &[INT4, INT8], BOOL, int_ne),
    pure(854, "int48lt", &[INT4, INT8], BOOL, int_lt),
    pure(855, "int48gt", &[INT4, INT8], BOOL, int_gt),
    pure(856, "int48le", &[INT4, INT8], BOOL, int_le),
    pure(857, "int48ge", &[INT4, INT8], BOOL, int_ge),
    pure(1048, "bpchareq", &[BPCHAR, BPCHAR], BOOL, same_eq),
    pure(1049, "bpcharlt", &[BPCHAR, BPCHAR], BOOL, same_lt),
    pure(1050, "bpcharle", &[BPCHAR, BPCHAR], BOOL, same_le),
    pure(1051, "bpchargt", &[BPCHAR, BPCHAR], BOOL, same_gt),
    pure(1052, "bpcharge", &[BPCHAR, BPCHAR], BOOL, same_ge),
    pure(1053, "bpcharne", &[BPCHAR, BPCHAR], BOOL, same_ne),
    pure(1086, "date_eq", &[DATE, DATE], BOOL, same_eq),
    pure(1087, "date_lt", &[DATE, DATE], BOOL, same_lt),
    pure(1088, "date_le", &[DATE, DATE], BOOL, same_le),
    pure(1089, "date_gt", &[DATE, DATE], BOOL, same_gt),
    pure(1090, "date_ge", &[DATE, DATE], BOOL, same_ge),
    pure(1091, "date_ne", &[DATE, DATE], BOOL, same_ne),
    pure(1102, "time_lt", &[TIME, TIME], BOOL, same_lt),
    pure(1103, "time_le", &[TIME, TIME], BOOL, same_le),
    pure(1104, "time_gt", &[TIME, TIME], BOOL, same_gt),
    pure(1105, "time_ge", &[TIME, TIME], BOOL, same_ge),
    pure(1106, "time_ne", &[TIME, TIME], BOOL, same_ne),
    pure(1145, "time_eq", &[TIME, TIME], BOOL, same_eq),
    pure(1152, "timestamptz_eq", &[TIMESTAMPTZ, TIMESTAMPTZ], BOOL, same_eq),
    pure(1153, "timestamptz_ne", &[TIMESTAMPTZ, TIMESTAMPTZ], BOOL, same_ne),
    pure(1154, "timestamptz_lt", &[TIMESTAMPTZ, TIMESTAMPTZ], BOOL, same_lt),
    pure(1155, "timestamptz_le", &[TIMESTAMPTZ, TIMESTAMPTZ], BOOL, same_le),
    pure(1156, "timestamptz_ge", &[TIMESTAMPTZ, TIMESTAMPTZ], BOOL, same_ge),
    pure(1157, "timestamptz_gt", &[TIMESTAMPTZ, TIMESTAMPTZ], BOOL, same_gt),
    pure(1162, "interval_eq", &[INTERVAL, INTERVAL], BOOL, same_eq),
    pure(1163, "interval_ne", &[INTERVAL, INTERVAL], BOOL, same_ne),
    pure(1164, "interval_lt", &[INTERVAL, INTERVAL], BOOL, same_lt),
    pure(1165, "interval_le", &[INTERVAL, INTERVAL], BOOL, same_le),
    pure(1166, "interval_ge", &[INTERVAL, INTERVAL], BOOL, same_ge),
    pure(1167, "interval_gt", &[INTERVAL, INTERVAL], BOOL, same_gt),
    pure(1246, "charlt", &[CHAR, CHAR], BOOL, same_lt),
    pure(1265, "tidne", &[TID, TID], BOOL, same_ne),
    pure(1292, "tideq", &[TID, TID], BOOL, same_eq),
    pure(1319, "xideqint4", &[XID, INT4], BOOL, xid_eq),
    pure(1352, "timetz_eq", &[TIMETZ, TIMETZ], BOOL, same_eq),
    pure(1353, "timetz_ne", &[TIMETZ, TIMETZ], BOOL, same_ne),
    pure(1354, "timetz_lt", &[TIMETZ, TIMETZ], BOOL, same_lt),
    pure(1355, "timetz_le", &[TIMETZ, TIMETZ], BOOL, same_le),
    pure(1356, "timetz_ge", &[TIMETZ, TIMETZ], BOOL, same_ge),
    pure(1357, "timetz_gt", &[TIMETZ, TIMETZ], BOOL, same_gt),
    pure(1581, "biteq", &[BIT, BIT], BOOL, same_eq),
    pure(1582, "bitne", &[BIT, BIT], BOOL, same_ne),
    pure(1592, "bitge", &[BIT, BIT], BOOL, same_ge),
    pure(1593, "bitgt", &[BIT, BIT], BOOL, same_gt),
    pure(1594, "bitle", &[BIT, BIT], BOOL, same_le),
    pure(1595, "bitlt", &[BIT, BIT], BOOL, same_lt),
    pure(1638, "oidgt", &[OID, OID], BOOL, same_gt),
    pure(1639, "oidge", &[OID, OID], BOOL, same_ge),
    pure(1666, "varbiteq", &[VARBIT, VARBIT], BOOL, same_eq),
    pure(1667, "varbitne", &[VARBIT, VARBIT], BOOL, same_ne),
    pure(1668, "varbitge", &[VARBIT, VARBIT], BOOL, same_ge),
    pure(1669, "varbitgt", &[VARBIT, VARBIT], BOOL, same_gt),
    pure(1670, "varbitle", &[VARBIT, VARBIT], BOOL, same_le),
    pure(1671, "varbitlt", &[VARBIT, VARBIT], BOOL, same_lt),
    pure(1691, "boolle", &[BOOL, BOOL], BOOL, same_le),
    pure(1692, "boolge", &[BOOL, BOOL], BOOL, same_ge),
    pure(1718, "numeric_eq", &[NUMERIC, NUMERIC], BOOL, same_eq),
    pure(1719, "numeric_ne", &[NUMERIC, NUMERIC], BOOL, same_ne),
    pure(1720, "numeric_gt", &[NUMERIC, NUMERIC], BOOL, same_gt),
    pure(1721, "numeric_ge", &[NUMERIC, NUMERIC], BOOL, same_ge),
    pure(1722, "numeric_lt", &[NUMERIC, NUMERIC], BOOL, same_lt),
    pure(1723, "numeric_le", &[NUMERIC, NUMERIC], BOOL, same_le),
    pure(1850, "int28eq", &[INT2, INT8], BOOL, int_eq),
    pure(1851, "int28ne", &[INT2, INT8], BOOL, int_ne),
    pure(1852, "int28lt", &[INT2, INT8], BOOL, int_lt),
    pure(1853, "int28gt", &[INT2, INT8], BOOL, int_gt),
    pure(1854, "int28le", &[INT2, INT8], BOOL, int_le),
    pure(1855, "int28ge", &[INT2, INT8], BOOL, int_ge),
    pure(1856, "int82eq", &[INT8, INT2], BOOL, int_eq),
    pure(1857, "int82ne", &[INT8, INT2], BOOL, int_ne),
    pure(1858, "int82lt", &[INT8, INT2], BOOL, int_lt),
    pure(1859, "int82gt", &[INT8, INT2], BOOL, int_gt),
    pure(1860, "int82le", &[INT8, INT2], BOOL, int_le),
    pure(1861, "int82ge", &[INT8, INT2], BOOL, int_ge),
    pure(1948, "byteaeq", &[BYTEA, BYTEA], BOOL, same_eq),
    pure(1949, "bytealt", &[BYTEA, BYTEA], BOOL, same_lt),
    pure(1950, "byteale", &[BYTEA, BYTEA], BOOL, same_le),
    pure(1951, "byteagt", &[BYTEA, BYTEA], BOOL, same_gt),
    pure(1952, "byteage", &[BYTEA, BYTEA], BOOL, same_ge),
    pure(1953, "byteane", &[BYTEA, BYTEA], BOOL, same_ne),
    pure(2052, "timestamp_eq", &[TIMESTAMP, TIMESTAMP], BOOL, same_eq),
    pure(2053, "timestamp_ne", &[TIMESTAMP, TIMESTAMP], BOOL, same_ne),
    pure(2054, "timestamp_lt", &[TIMESTAMP, TIMESTAMP], BOOL, same_lt),
    pure(2055, "timestamp_le", &[TIMESTAMP, TIMESTAMP], BOOL, same_le),
    pure(2056, "timestamp_ge", &[TIMESTAMP, TIMESTAMP], BOOL, same_ge),
    pure(2057, "timestamp_gt", &[TIMESTAMP, TIMESTAMP], BOOL, same_gt),
    pure(2338, "date_lt_timestamp", &[DATE, TIMESTAMP], BOOL, moment_lt),
    pure(2339, "date_le_timestamp", &[DATE, TIMESTAMP], BOOL, moment_le),
    pure(2340, "date_eq_timestamp", &[DATE, TIMESTAMP], BOOL, moment_eq),
    pure(2341, "date_gt_timestamp", &[DATE, TIMESTAMP], BOOL, moment_gt),
    pure(2342, "date_ge_timestamp", &[DATE, TIMESTAMP], BOOL, moment_ge),
    pure(2343, "date_ne_timestamp", &[DATE, TIMESTAMP], BOOL, moment_ne),
    pure(2351, "date_lt_timestamptz", &[DATE, TIMESTAMPTZ], BOOL, moment_lt).stable(),
    pure(2352, "date_le_timestamptz", &[DATE, TIMESTAMPTZ], BOOL, moment_le).stable(),
    pure(2353, "date_eq_timestamptz", &[DATE, TIMESTAMPTZ], BOOL, moment_eq).stable(),
    pure(2354, "date_gt_timestamptz", &[DATE, TIMESTAMPTZ], BOOL, moment_gt).stable(),
    pure(2355, "date_ge_timestamptz", &[DATE, TIMESTAMPTZ], BOOL, moment_ge).stable(),
    pure(2356, "date_ne_timestamptz", &[DATE, TIMESTAMPTZ], BOOL, moment_ne).stable(),
    pure(2364, "timestamp_lt_date", &[TIMESTAMP, DATE], BOOL, moment_lt),
    pure(2365, "timestamp_le_date", &[TIMESTAMP, DATE], BOOL, moment_le),
    pure(2366, "timestamp_eq_date", &[TIMESTAMP, DATE], BOOL, moment_eq),
    pure(2367, "timestamp_gt_date", &[TIMESTAMP, DATE], BOOL, moment_gt),
    pure(2368, "timestamp_ge_date", &[TIMESTAMP, DATE], BOOL, moment_ge),
    pure(2369, "timestamp_ne_date", &[TIMESTAMP, DATE], BOOL, moment_ne),
    pure(2377, "timestamptz_lt_date", &[TIMESTAMPTZ, DATE], BOOL, moment_lt).stable(),
    pure(2378, "timestamptz_le_date", &[TIMESTAMPTZ, DATE], BOOL, moment_le).stable(),
    pure(2379, "timestamptz_eq_date", &[TIMESTAMPTZ, DATE], BOOL, moment_eq).stable(),
    pure(2380, "timestamptz_gt_date", &[TIMESTAMPTZ, DATE], BOOL, moment_gt).stable(),
    pure(2381, "timestamptz_ge_date", &[TIMESTAMPTZ, DATE], BOOL, moment_ge).stable(),
    pure(2382, "timestamptz_ne_date", &[TIMESTAMPTZ, DATE], BOOL, moment_ne).stable(),
    pure(2520, "timestamp_lt_timestamptz", &[TIMESTAMP, TIMESTAMPTZ], BOOL, moment_lt).stable(),
    pure(2521, "timestamp_le_timestamptz", &[TIMESTAMP, TIMESTAMPTZ], BOOL, moment_le).stable(),
    pure(2522, "timestamp_eq_timestamptz", &[TIMESTAMP, TIMESTAMPTZ], BOOL, moment_eq).stable(),
    pure(2523, "timestamp_gt_timestamptz", &[TIMESTAMP, TIMESTAMPTZ], BOOL, moment_gt).stable(),
    pure(2524, "timestamp_ge_timestamptz", &[TIMESTAMP, TIMESTAMPTZ], BOOL, moment_ge).stable(),
    pure(2525, "timestamp_ne_timestamptz", &[TIMESTAMP, TIMESTAMPTZ], BOOL, moment_ne).stable(),
    pure(2527, "timestamptz_lt_timestamp", &[TIMESTAMPTZ, TIMESTAMP], BOOL, moment_lt).stable(),
    pure(2528, "timestamptz_le_timestamp", &[TIMESTAMPTZ, TIMESTAMP], BOOL, moment_le).stable(),
    pure(2529, "timestamptz_eq_timestamp", &[TIMESTAMPTZ, TIMESTAMP], BOOL, moment_eq).stable(),
    pure(2530, "timestamptz_gt_timestamp", &[TIMESTAMPTZ, TIMESTAMP], BOOL, moment_gt).stable(),
    pure(2531, "timestamptz_ge_timestamp", &[TIMESTAMPTZ, TIMESTAMP], BOOL, moment_ge).stable(),
    pure(2532, "timestamptz_ne_timestamp", &[TIMESTAMPTZ, TIMESTAMP], BOOL, moment_ne).stable(),
    pure(2790, "tidgt", &[TID, TID], BOOL, same_gt),
    pure(2791, "tidlt", &[TID, TID], BOOL, same_lt),
    pure(2792, "tidge", &[TID, TID], BOOL, same_ge),
    pure(2793, "tidle", &[TID, TID], BOOL, same_le),
    pure(2954, "uuid_lt", &[UUID, UUID], BOOL, same_lt),
    pure(2955, "uuid_le", &[UUID, UUID], BOOL, same_le),
    pure(2956, "uuid_eq", &[UUID, UUID], BOOL, same_eq),
    pure(2957, "uuid_ge", &[UUID, UUID], BOOL, same_ge),
    pure(2958, "uuid_gt", &[UUID, UUID], BOOL, same_gt),
    pure(2959, "uuid_ne", &[UUID, UUID], BOOL, same_ne),
    pure(2981, "record_eq", &[RECORD, RECORD], BOOL, same_eq),
    pure(2982, "record_ne", &[RECORD, RECORD], BOOL, same_ne),
    pure(2983, "record_lt", &[RECORD, RECORD], BOOL, same_lt),
    pure(2984, "record_gt", &[RECORD, RECORD], BOOL, same_gt),
    pure(2985, "record_le", &[RECORD, RECORD], BOOL, same_le),
    pure(2986, "record_ge", &[RECORD, RECORD], BOOL, same_ge),
    pure(3231, "pg_lsn_lt", &[PG_LSN, PG_LSN], BOOL, same_lt),
    pure(3232, "pg_lsn_le", &[PG_LSN, PG_LSN], BOOL, same_le),
    pure(3233, "pg_lsn_eq", &[PG_LSN, PG_LSN], BOOL, same_eq),
    pure(3234, "pg_lsn_ge", &[PG_LSN, PG_LSN], BOOL, same_ge),
    pure(3235, "pg_lsn_gt", &[PG_LSN, PG_LSN], BOOL, same_gt),
    pure(3236, "pg_lsn_ne", &[PG_LSN, PG_LSN], BOOL, same_ne),
    pure(3308, "xidneq", &[XID, XID], BOOL, xid_ne),
    pure(3309, "xidneqint4", &[XID, INT4], BOOL, xid_ne),
    pure(3508, "enum_eq", &[ANYENUM, ANYENUM], BOOL, same_eq),
    pure(3509, "enum_ne", &[ANYENUM, ANYENUM], BOOL, same_ne),
    pure(3510, "enum_lt", &[ANYENUM, ANYENUM], BOOL, same_lt),
    pure(3511, "enum_gt", &[ANYENUM, ANYENUM], BOOL, same_gt),
    pure(3512, "enum_le", &[ANYENUM, ANYENUM], BOOL, same_le),
    pure(3513, "enum_ge", &[ANYENUM, ANYENUM], BOOL, same_ge),
    pure(4038, "jsonb_ne", &[JSONB, JSONB], BOOL, same_ne),
    pure(4039, "jsonb_lt", &[JSONB, JSONB], BOOL, same_lt),
    pure(4040, "jsonb_gt", &[JSONB, JSONB], BOOL, same_gt),
    pure(4041, "jsonb_le", &[JSONB, JSONB], BOOL, same_le),
    pure(4042, "jsonb_ge", &[JSONB, JSONB], BOOL, same_ge),
    pure(4043, "jsonb_eq", &[JSONB, JSONB], BOOL, same_eq),
    pure(5034, "xid8lt", &[XID8, XID8], BOOL, same_lt),
    pure(5035, "xid8gt", &[XID8, XID8], BOOL, same_gt),
    pure(5036, "xid8le", &[XID8, XID8], BOOL, same_le),
    pure(5037, "xid8ge", &[XID8, XID8], BOOL, same_ge),
    pure(5084, "xid8eq", &[XID8, XID8], BOOL, same_eq),
    pure(5085, "xid8ne", &[XID8, XID8], BOOL, same_ne),
];
