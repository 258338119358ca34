//! One value of any type.

use std::sync::Arc;

use smol_str::SmolStr;

use crate::ids::Oid;
use crate::types::numeric::Numeric;

/// One SQL value. Cheap to clone: everything large is shared.
#[derive(Clone, Debug, Default)]
pub enum Value {
    #[default]
    Null,
    Bool(bool),
    Int2(i16),
    Int4(i32),
    Int8(i64),
    Float4(f32),
    Float8(f64),
    Numeric(Numeric),
    /// `text`, `varchar`, `bpchar` (blanks kept), `name`, `"char"`, `json`, `unknown`, `cstring`, `refcursor`, `xml`, an enum's label.
    Text(SmolStr),
    Bytea(Arc<[u8]>),
    /// Days since 2000-01-01; `i32::MIN` and `i32::MAX` are the infinities.
    Date(i32),
    /// Microseconds since midnight, 0 to 86,400,000,000.
    Time(i64),
    TimeTz(TimeTz),
    /// Microseconds since 2000-01-01 00:00; `i64::MIN` and `i64::MAX` are the infinities.
    Timestamp(i64),
    /// The same in UTC.
    TimestampTz(i64),
    Interval(Interval),
    Uuid([u8; 16]),
    Jsonb(Arc<crate::types::json::Json>),
    /// `oid`, `xid`, `cid` and every `reg*` type.
    Oid(u32),
    /// `xid8`, `pg_lsn`.
    Uint8(u64),
    /// `tid`: an opaque storage key (see `DESIGN.md`), equal exactly when the row is the same.
    Tid(Arc<[u8]>),
    /// `bit` and `varbit`: bits and their count.
    Bit(Arc<(u32, Vec<u8>)>),
    Array(Arc<Array>),
    Record(Arc<Record>),
}

/// `time with time zone`: local microseconds since midnight, and seconds west of UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeTz {
    pub micros: i64,
    pub west_seconds: i32,
}

/// `interval`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Interval {
    pub months: i32,
    pub days: i32,
    pub micros: i64,
}

/// One dimension of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayDim {
    pub len: i32,
    pub lower: i32,
}

/// An array of any dimension; `int2vector` and `oidvector` too (lower bound 0).
#[derive(Clone, Debug)]
pub struct Array {
    pub element: Oid,
    /// Empty for the empty array.
    pub dims: Vec<ArrayDim>,
    /// Row-major.
    pub values: Vec<Value>,
}

/// A composite value: its fields' types travel with it, so that an anonymous record can be printed.
#[derive(Clone, Debug)]
pub struct Record {
    /// The composite type, or `types::oid::RECORD`.
    pub ty: Oid,
    pub fields: Vec<(Oid, Value)>,
    /// Field names, where known (`row_to_json`, `(r).name`).
    pub names: Option<Arc<[SmolStr]>>,
}

impl Value {
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    pub fn text(text: impl Into<SmolStr>) -> Self {
        Value::Text(text.into())
    }
}

impl Array {
    /// A one-dimensional array with lower bound 1.
    pub fn one(element: Oid, values: Vec<Value>) -> Self {
        let dims = if values.is_empty() {
            Vec::new()
        } else {
            vec![ArrayDim {
                len: i32::try_from(values.len()).expect("an array has at most VALUE_BYTES_MAX elements"),
                lower: 1,
            }]
        };
        Array { element, dims, values }
    }
}
