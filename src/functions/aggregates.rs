//! Aggregates. Each call in each group has a state; states of the same aggregate can be merged.

use std::any::Any;
use std::sync::Arc;

use super::{AggregateState, Body, Builtin, CallContext, WindowKind, pure, unused};
use crate::error::{PgError, Result, sqlstate};
use crate::types::compare::compare_as;
use crate::types::json::Json;
use crate::types::numeric::Numeric;
use crate::types::oid::{
    ANY, ANYARRAY, ANYCOMPATIBLE, ANYELEMENT, ANYENUM, ANYNONARRAY, BIT, BOOL, BPCHAR, BYTEA, DATE, FLOAT4, FLOAT8, INT2, INT4,
    INT8, INTERVAL, JSON, JSONB, NUMERIC, OID, PG_LSN, TEXT, TID, TIME, TIMESTAMP, TIMESTAMPTZ, TIMETZ, XID8,
};
use crate::types::{Array, ArrayDim, Interval, Value, datetime};

/// Joins a state type to [`AggregateState::merge`] and `into_any`.
macro_rules! merging {
    ($merge:expr) => {
        fn merge(&mut self, other: Box<dyn AggregateState>) -> Result<(), Box<dyn AggregateState>> {
            let other: Box<dyn Any> = other.into_any();
            match other.downcast::<Self>() {
                Ok(other) => {
                    let merge: fn(&mut Self, Self) = $merge;
                    merge(self, *other);
                    Ok(())
                }
                // The planner merges states of one aggregate only.
                Err(_) => unreachable!("two states of one aggregate have one type"),
            }
        }

        fn into_any(self: Box<Self>) -> Box<dyn Any> {
            self
        }
    };
}

/// States that depend on the order of their input are never merged.
macro_rules! not_merging {
    () => {
        fn merge(&mut self, other: Box<dyn AggregateState>) -> Result<(), Box<dyn AggregateState>> {
            Err(other)
        }

        fn into_any(self: Box<Self>) -> Box<dyn Any> {
            self
        }
    };
}

/// `count(*)` and `count(x)`.
struct Count {
    rows: i64,
    star: bool,
}

impl AggregateState for Count {
    fn update(&mut self, _: &CallContext<'_>, args: &[Value]) -> Result<()> {
        if self.star || !args[0].is_null() {
            self.rows += 1;
        }
        Ok(())
    }

    fn finish(&mut self, _: &CallContext<'_>, _: &[Value]) -> Result<Value> {
        Ok(Value::Int8(self.rows))
    }

    merging!(|own, other| own.rows += other.rows);
}

fn count(_: &CallContext<'_>) -> Box<dyn AggregateState> {
    Box::new(Count { rows: 0, star: false })
}

fn count_star(_: &CallContext<'_>) -> Box<dyn AggregateState> {
    Box::new(Count { rows: 0, star: true })
}

/// What `sum` and `avg` add up, by type.
enum Total {
    /// Integers: exact in 128 bits (2^64 rows of any bigint fit).
    Integer(i128),
    Float(f64),
    Numeric(Numeric),
    Interval(Interval),
}

struct Sum {
    total: Option<Total>,
    rows: i64,
    average: bool,
}

impl Sum {
    fn add(&mut self, value: &Value) -> Result<()> {
        let integer = |value: i64| Total::Integer(i128::from(value));
        self.rows += 1;
        let one = match value {
            Value::Int2(v) => integer(i64::from(*v)),
            Value::Int4(v) => integer(i64::from(*v)),
            Value::Int8(v) => integer(*v),
            Value::Float4(v) => Total::Float(f64::from(*v)),
            Value::Float8(v) => Total::Float(*v),
            Value::Numeric(v) => Total::Numeric(v.clone()),
            Value::Interval(v) => Total::Interval(*v),
            other => return Err(PgError::internal(format!("cannot add up {other:?}"))),
        };
        self.total = Some(match self.total.take() {
            None => one,
            Some(total) => plus(total, one)?,
        });
        Ok(())
    }

    fn sum(&self, call: &CallContext<'_>) -> Result<Value> {
        Ok(match &self.total {
            None => Value::Null,
            Some(Total::Integer(total)) if call.return_type == INT8 => Value::Int8(
                i64::try_from(*total).map_err(|_| PgError::new(sqlstate::NUMERIC_VALUE_OUT_OF_RANGE, "bigint out of range"))?,
            ),
            Some(Total::Integer(total)) => Value::Numeric(Numeric::from(*total)),
            #[allow(clippy::cast_possible_truncation)]
            Some(Total::Float(total)) if call.return_type == FLOAT4 => Value::Float4(*total as f32),
            Some(Total::Float(total)) => Value::Float8(*total),
            Some(Total::Numeric(total)) => Value::Numeric(total.clone()),
            Some(Total::Interval(total)) => Value::Interval(*total),
        })
    }

    fn average(&self) -> Result<Value> {
        let rows = Numeric::from(i128::from(self.rows));
        Ok(match &self.total {
            None => Value::Null,
            Some(Total::Integer(total)) => Value::Numeric(Numeric::from(*total).div(&rows)?),
            #[allow(clippy::cast_precision_loss)]
            Some(Total::Float(total)) => Value::Float8(total / self.rows as f64),
            Some(Total::Numeric(total)) => Value::Numeric(total.div(&rows)?),
            #[allow(clippy::cast_precision_loss)]
            Some(Total::Interval(total)) => Value::Interval(datetime::interval_div(total, self.rows as f64)?),
        })
    }
}

fn plus(a: Total, b: Total) -> Result<Total> {
    Ok(match (a, b) {
        (Total::Integer(a), Total::Integer(b)) => Total::Integer(a + b),
        (Total::Float(a), Total::Float(b)) => Total::Float(a + b),
        (Total::Numeric(a), Total::Numeric(b)) => Total::Numeric(a.add(&b)?),
        (Total::Interval(a), Total::Interval(b)) => Total::Interval(datetime::interval_add(&a, &b)?),
        _ => return Err(PgError::internal("values of two types in one sum")),
    })
}

impl AggregateState for Sum {
    fn update(&mut self, _: &CallContext<'_>, args: &[Value]) -> Result<()> {
        if args[0].is_null() { Ok(()) } else { self.add(&args[0]) }
    }

    fn finish(&mut self, call: &CallContext<'_>, _: &[Value]) -> Result<Value> {
        if self.average { self.average() } else { self.sum(call) }
    }

    merging!(|own, other| {
        own.rows += other.rows;
        own.total = match (own.total.take(), other.total) {
            (Some(a), Some(b)) => plus(a, b).ok(),
            (a, b) => a.or(b),
        };
    });
}

fn sum(_: &CallContext<'_>) -> Box<dyn AggregateState> {
    Box::new(Sum {
        total: None,
        rows: 0,
        average: false,
    })
}

fn avg(_: &CallContext<'_>) -> Box<dyn AggregateState> {
    Box::new(Sum {
        total: None,
        rows: 0,
        average: true,
    })
}

/// `min` and `max`.
struct Extreme {
    best: Value,
    greatest: bool,
    ty: crate::ids::Oid,
}

impl Extreme {
    fn take(&mut self, value: Value) {
        if value.is_null() {
            return;
        }
        let better = self.best.is_null() || {
            let order = compare_as(self.ty, &value, &self.best);
            if self.greatest { order.is_gt() } else { order.is_lt() }
        };
        if better {
            self.best = value;
        }
    }
}

impl AggregateState for Extreme {
    fn update(&mut self, _: &CallContext<'_>, args: &[Value]) -> Result<()> {
        self.take(args[0].clone());
        Ok(())
    }

    fn finish(&mut self, _: &CallContext<'_>, _: &[Value]) -> Result<Value> {
        Ok(self.best.clone())
    }

    merging!(|own, other| own.take(other.best));
}

fn min(call: &CallContext<'_>) -> Box<dyn AggregateState> {
    Box::new(Extreme {
        best: Value::Null,
        greatest: false,
        ty: call.return_type,
    })
}

fn max(call: &CallContext<'_>) -> Box<dyn AggregateState> {
    Box::new(Extreme {
        best: Value::Null,
        greatest: true,
        ty: call.return_type,
    })
}

/// `bool_and`, `bool_or`, `bit_and`, `bit_or`, `bit_xor`: two values become one.
struct Fold {
    value: Value,
    join: fn(&Value, &Value) -> Value,
}

impl Fold {
    fn take(&mut self, value: Value) {
        if !value.is_null() {
            self.value = if self.value.is_null() {
                value
            } else {
                (self.join)(&self.value, &value)
            };
        }
    }
}

impl AggregateState for Fold {
    fn update(&mut self, _: &CallContext<'_>, args: &[Value]) -> Result<()> {
        self.take(args[0].clone());
        Ok(())
    }

    fn finish(&mut self, _: &CallContext<'_>, _: &[Value]) -> Result<Value> {
        Ok(self.value.clone())
    }

    merging!(|own, other| own.take(other.value));
}

/// Joins two values of one type bit by bit, booleans too.
macro_rules! bitwise {
    ($name:ident, $operator:tt) => {
        fn $name(_: &CallContext<'_>) -> Box<dyn AggregateState> {
            fn join(a: &Value, b: &Value) -> Value {
                match (a, b) {
                    (Value::Bool(a), Value::Bool(b)) => Value::Bool(a $operator b),
                    (Value::Int2(a), Value::Int2(b)) => Value::Int2(a $operator b),
                    (Value::Int4(a), Value::Int4(b)) => Value::Int4(a $operator b),
                    (Value::Int8(a), Value::Int8(b)) => Value::Int8(a $operator b),
                    (Value::Bit(a), Value::Bit(b)) => {
                        Value::Bit(Arc::new((a.0, a.1.iter().zip(&b.1).map(|(a, b)| a $operator b).collect())))
                    }
                    _ => Value::Null,
                }
            }
            Box::new(Fold { value: Value::Null, join })
        }
    };
}

bitwise!(bit_and, &);
bitwise!(bit_or, |);
bitwise!(bit_xor, ^);
bitwise!(bool_and, &);
bitwise!(bool_or, |);

/// `string_agg`: texts or byte strings.
struct Concat {
    bytes: Option<Vec<u8>>,
    binary: bool,
}

impl AggregateState for Concat {
    fn update(&mut self, _: &CallContext<'_>, args: &[Value]) -> Result<()> {
        fn bytes(value: &Value) -> &[u8] {
            match value {
                Value::Text(text) => text.as_bytes(),
                Value::Bytea(bytes) => bytes,
                _ => &[],
            }
        }
        if args[0].is_null() {
            return Ok(());
        }
        match &mut self.bytes {
            Some(joined) => {
                joined.extend_from_slice(bytes(&args[1]));
                joined.extend_from_slice(bytes(&args[0]));
            }
            None => self.bytes = Some(bytes(&args[0]).to_vec()),
        }
        Ok(())
    }

    fn finish(&mut self, _: &CallContext<'_>, _: &[Value]) -> Result<Value> {
        Ok(match &self.bytes {
            None => Value::Null,
            Some(bytes) if self.binary => Value::Bytea(Arc::from(&bytes[..])),
            Some(bytes) => Value::text(String::from_utf8_lossy(bytes)),
        })
    }

    not_merging!();

    fn size(&self) -> usize {
        64 + self.bytes.as_ref().map_or(0, Vec::len)
    }
}

fn string_agg(_: &CallContext<'_>) -> Box<dyn AggregateState> {
    Box::new(Concat {
        bytes: None,
        binary: false,
    })
}

fn string_agg_bytes(_: &CallContext<'_>) -> Box<dyn AggregateState> {
    Box::new(Concat {
        bytes: None,
        binary: true,
    })
}

/// `array_agg` of values, or of arrays, which become a dimension more.
struct Collect {
    values: Vec<Value>,
    nested: bool,
}

impl AggregateState for Collect {
    fn update(&mut self, _: &CallContext<'_>, args: &[Value]) -> Result<()> {
        if self.nested && args[0].is_null() {
            return Err(PgError::new(
                sqlstate::NULL_VALUE_NOT_ALLOWED,
                "cannot accumulate null arrays",
            ));
        }
        self.values.push(args[0].clone());
        Ok(())
    }

    fn finish(&mut self, call: &CallContext<'_>, _: &[Value]) -> Result<Value> {
        if self.values.is_empty() {
            return Ok(Value::Null);
        }
        let array = if self.nested {
            nest(&self.values)?
        } else {
            Array::one(call.arg_types.first().copied().unwrap_or(TEXT), self.values.clone())
        };
        Ok(Value::Array(Arc::new(array)))
    }

    not_merging!();

    fn size(&self) -> usize {
        64 + self.values.len() * size_of::<Value>()
    }
}

fn nest(arrays: &[Value]) -> Result<Array> {
    let mut dims: Option<Vec<ArrayDim>> = None;
    let mut values = Vec::new();
    let mut element = TEXT;
    for array in arrays {
        let Value::Array(array) = array else {
            return Err(PgError::internal("not an array"));
        };
        if array.dims.is_empty() {
            return Err(PgError::new(
                sqlstate::ARRAY_SUBSCRIPT_ERROR,
                "cannot accumulate empty arrays",
            ));
        }
        match &dims {
            Some(dims) if *dims != array.dims => {
                return Err(PgError::new(
                    sqlstate::ARRAY_SUBSCRIPT_ERROR,
                    "cannot accumulate arrays of different dimensionality",
                ));
            }
            _ => dims = Some(array.dims.clone()),
        }
        element = array.element;
        values.extend(array.values.iter().cloned());
    }
    let mut all = vec![ArrayDim {
        len: i32::try_from(arrays.len()).unwrap_or(i32::MAX),
        lower: 1,
    }];
    all.extend(dims.unwrap_or_default());
    Ok(Array {
        element,
        dims: all,
        values,
    })
}

fn array_agg(_: &CallContext<'_>) -> Box<dyn AggregateState> {
    Box::new(Collect {
        values: Vec::new(),
        nested: false,
    })
}

fn array_agg_arrays(_: &CallContext<'_>) -> Box<dyn AggregateState> {
    Box::new(Collect {
        values: Vec::new(),
        nested: true,
    })
}

/// Variance and standard deviation: floats by Youngs and Cramer's recurrence as PostgreSQL, exact numbers from exact sums.
struct Spread {
    rows: i64,
    float: Option<(f64, f64)>,
    exact: Option<(Numeric, Numeric)>,
    sample: bool,
    root: bool,
}

impl Spread {
    fn float(&mut self, value: f64) {
        self.rows += 1;
        let (sum, squares) = self.float.unwrap_or((0.0, 0.0));
        #[allow(clippy::cast_precision_loss)]
        let rows = self.rows as f64;
        let total = sum + value;
        let next = if self.rows > 1 {
            let difference = value * rows - total;
            squares + difference * difference / (rows * (rows - 1.0))
        } else if value.is_finite() {
            squares
        } else {
            f64::NAN
        };
        self.float = Some((total, next));
    }

    fn exact(&mut self, value: &Numeric) -> Result<()> {
        self.rows += 1;
        let square = value.mul(value)?;
        self.exact = Some(match self.exact.take() {
            None => (value.clone(), square),
            Some((sum, squares)) => (sum.add(value)?, squares.add(&square)?),
        });
        Ok(())
    }
}

impl AggregateState for Spread {
    fn update(&mut self, _: &CallContext<'_>, args: &[Value]) -> Result<()> {
        let integer = |value: i64| Numeric::from(i128::from(value));
        match &args[0] {
            Value::Null => {}
            Value::Float4(v) => self.float(f64::from(*v)),
            Value::Float8(v) => self.float(*v),
            Value::Int2(v) => self.exact(&integer(i64::from(*v)))?,
            Value::Int4(v) => self.exact(&integer(i64::from(*v)))?,
            Value::Int8(v) => self.exact(&integer(*v))?,
            Value::Numeric(v) => self.exact(v)?,
            other => return Err(PgError::internal(format!("no variance of {other:?}"))),
        }
        Ok(())
    }

    fn finish(&mut self, _: &CallContext<'_>, _: &[Value]) -> Result<Value> {
        let less = i64::from(self.sample);
        if self.rows <= less {
            return Ok(Value::Null);
        }
        if let Some((_, squares)) = self.float {
            #[allow(clippy::cast_precision_loss)]
            let variance = squares / (self.rows - less) as f64;
            return Ok(Value::Float8(if self.root { variance.sqrt() } else { variance }));
        }
        let Some((sum, squares)) = &self.exact else {
            return Ok(Value::Null);
        };
        let rows = Numeric::from(i128::from(self.rows));
        let top = rows.mul(squares)?.sub(&sum.mul(sum)?)?;
        if top.signum() <= 0 {
            return Ok(Value::Numeric(if top.is_nan() {
                Numeric::NaN
            } else {
                Numeric::from(0_i128)
            }));
        }
        let variance = top.div(&rows.mul(&Numeric::from(i128::from(self.rows - less)))?)?;
        Ok(Value::Numeric(if self.root { variance.sqrt()? } else { variance }))
    }

    not_merging!();
}

fn spread(sample: bool, root: bool) -> Box<dyn AggregateState> {
    Box::new(Spread {
        rows: 0,
        float: None,
        exact: None,
        sample,
        root,
    })
}

fn stddev_samp(_: &CallContext<'_>) -> Box<dyn AggregateState> {
    spread(true, true)
}

fn stddev_pop(_: &CallContext<'_>) -> Box<dyn AggregateState> {
    spread(false, true)
}

fn var_samp(_: &CallContext<'_>) -> Box<dyn AggregateState> {
    spread(true, false)
}

fn var_pop(_: &CallContext<'_>) -> Box<dyn AggregateState> {
    spread(false, false)
}

/// `jsonb_agg` and `jsonb_object_agg`.
struct JsonbCollect {
    items: Vec<Json>,
    pairs: Vec<(smol_str::SmolStr, Json)>,
    any: bool,
    object: bool,
}

impl AggregateState for JsonbCollect {
    fn update(&mut self, call: &CallContext<'_>, args: &[Value]) -> Result<()> {
        self.any = true;
        let last = args.len() - 1;
        let value = super::json::to_json(call.arg_types[last], &args[last], &call.env)?;
        if self.object {
            if args[0].is_null() {
                return Err(PgError::new(sqlstate::INVALID_PARAMETER_VALUE, "field name must not be null"));
            }
            let mut key = String::new();
            crate::types::io::text_out(call.arg_types[0], &args[0], &call.env, &mut key)?;
            self.pairs.push((key.into(), value));
        } else {
            self.items.push(value);
        }
        Ok(())
    }

    fn finish(&mut self, _: &CallContext<'_>, _: &[Value]) -> Result<Value> {
        if !self.any {
            return Ok(Value::Null);
        }
        let json = if self.object {
            Json::object(self.pairs.clone())
        } else {
            Json::Array(self.items.clone())
        };
        Ok(Value::Jsonb(Arc::new(json)))
    }

    not_merging!();
}

fn jsonb_agg(_: &CallContext<'_>) -> Box<dyn AggregateState> {
    Box::new(JsonbCollect {
        items: Vec::new(),
        pairs: Vec::new(),
        any: false,
        object: false,
    })
}

fn jsonb_object_agg(_: &CallContext<'_>) -> Box<dyn AggregateState> {
    Box::new(JsonbCollect {
        items: Vec::new(),
        pairs: Vec::new(),
        any: false,
        object: true,
    })
}

/// `json_agg` and `json_object_agg`: text as it is written.
struct JsonText {
    text: Option<String>,
    object: bool,
}

impl AggregateState for JsonText {
    fn update(&mut self, call: &CallContext<'_>, args: &[Value]) -> Result<()> {
        let (open, between) = if self.object { ("{ ", ", ") } else { ("[", ", ") };
        let mut text = match self.text.take() {
            None => open.to_owned(),
            Some(mut text) => {
                text.push_str(between);
                text
            }
        };
        let last = args.len() - 1;
        if self.object {
            if args[0].is_null() {
                return Err(PgError::new(sqlstate::INVALID_PARAMETER_VALUE, "field name must not be null"));
            }
            super::json::write_key(call.arg_types[0], &args[0], &call.env, &mut text)?;
            text.push_str(" : ");
        }
        super::json::write_value(call.arg_types[last], &args[last], &call.env, &mut text)?;
        self.text = Some(text);
        Ok(())
    }

    fn finish(&mut self, _: &CallContext<'_>, _: &[Value]) -> Result<Value> {
        let close = if self.object { " }" } else { "]" };
        Ok(self
            .text
            .as_ref()
            .map_or(Value::Null, |text| Value::text(format!("{text}{close}"))))
    }

    not_merging!();
}

fn json_agg(_: &CallContext<'_>) -> Box<dyn AggregateState> {
    Box::new(JsonText {
        text: None,
        object: false,
    })
}

fn json_object_agg(_: &CallContext<'_>) -> Box<dyn AggregateState> {
    Box::new(JsonText {
        text: None,
        object: true,
    })
}

#[rustfmt::skip]
pub const FUNCTIONS: &[Builtin] = &[
    Builtin { body: Body::Aggregate(count), ..pure(2147, "count", &[ANY], INT8, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(count_star), ..pure(2803, "count", &[], INT8, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(sum), ..pure(2107, "sum", &[INT8], NUMERIC, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(sum), ..pure(2108, "sum", &[INT4], INT8, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(sum), ..pure(2109, "sum", &[INT2], INT8, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(sum), ..pure(2110, "sum", &[FLOAT4], FLOAT4, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(sum), ..pure(2111, "sum", &[FLOAT8], FLOAT8, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(sum), ..pure(2113, "sum", &[INTERVAL], INTERVAL, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(sum), ..pure(2114, "sum", &[NUMERIC], NUMERIC, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(avg), ..pure(2100, "avg", &[INT8], NUMERIC, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(avg), ..pure(2101, "avg", &[INT4], NUMERIC, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(avg), ..pure(2102, "avg", &[INT2], NUMERIC, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(avg), ..pure(2103, "avg", &[NUMERIC], NUMERIC, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(avg), ..pure(2104, "avg", &[FLOAT4], FLOAT8, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(avg), ..pure(2105, "avg", &[FLOAT8], FLOAT8, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(avg), ..pure(2106, "avg", &[INTERVAL], INTERVAL, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(min), ..pure(2051, "min", &[ANYARRAY], ANYARRAY, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(min), ..pure(2131, "min", &[INT8], INT8, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(min), ..pure(2132, "min", &[INT4], INT4, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(min), ..pure(2133, "min", &[INT2], INT2, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(min), ..pure(2134, "min", &[OID], OID, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(min), ..pure(2135, "min", &[FLOAT4], FLOAT4, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(min), ..pure(2136, "min", &[FLOAT8], FLOAT8, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(min), ..pure(2138, "min", &[DATE], DATE, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(min), ..pure(2139, "min", &[TIME], TIME, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(min), ..pure(2140, "min", &[TIMETZ], TIMETZ, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(min), ..pure(2142, "min", &[TIMESTAMP], TIMESTAMP, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(min), ..pure(2143, "min", &[TIMESTAMPTZ], TIMESTAMPTZ, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(min), ..pure(2144, "min", &[INTERVAL], INTERVAL, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(min), ..pure(2145, "min", &[TEXT], TEXT, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(min), ..pure(2146, "min", &[NUMERIC], NUMERIC, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(min), ..pure(2245, "min", &[BPCHAR], BPCHAR, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(min), ..pure(2798, "min", &[TID], TID, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(min), ..pure(3527, "min", &[ANYENUM], ANYENUM, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(min), ..pure(4190, "min", &[PG_LSN], PG_LSN, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(min), ..pure(5100, "min", &[XID8], XID8, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(max), ..pure(2050, "max", &[ANYARRAY], ANYARRAY, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(max), ..pure(2115, "max", &[INT8], INT8, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(max), ..pure(2116, "max", &[INT4], INT4, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(max), ..pure(2117, "max", &[INT2], INT2, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(max), ..pure(2118, "max", &[OID], OID, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(max), ..pure(2119, "max", &[FLOAT4], FLOAT4, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(max), ..pure(2120, "max", &[FLOAT8], FLOAT8, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(max), ..pure(2122, "max", &[DATE], DATE, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(max), ..pure(2123, "max", &[TIME], TIME, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(max), ..pure(2124, "max", &[TIMETZ], TIMETZ, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(max), ..pure(2126, "max", &[TIMESTAMP], TIMESTAMP, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(max), ..pure(2127, "max", &[TIMESTAMPTZ], TIMESTAMPTZ, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(max), ..pure(2128, "max", &[INTERVAL], INTERVAL, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(max), ..pure(2129, "max", &[TEXT], TEXT, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(max), ..pure(2130, "max", &[NUMERIC], NUMERIC, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(max), ..pure(2244, "max", &[BPCHAR], BPCHAR, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(max), ..pure(2797, "max", &[TID], TID, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(max), ..pure(3526, "max", &[ANYENUM], ANYENUM, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(max), ..pure(4189, "max", &[PG_LSN], PG_LSN, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(max), ..pure(5099, "max", &[XID8], XID8, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(bool_and), ..pure(2517, "bool_and", &[BOOL], BOOL, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(bool_or), ..pure(2518, "bool_or", &[BOOL], BOOL, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(bool_and), ..pure(2519, "every", &[BOOL], BOOL, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(string_agg), ..pure(3538, "string_agg", &[TEXT, TEXT], TEXT, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(string_agg_bytes), ..pure(3545, "string_agg", &[BYTEA, BYTEA], BYTEA, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(array_agg), ..pure(2335, "array_agg", &[ANYNONARRAY], ANYARRAY, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(array_agg_arrays), ..pure(4053, "array_agg", &[ANYARRAY], ANYARRAY, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(bit_and), ..pure(2236, "bit_and", &[INT2], INT2, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(bit_and), ..pure(2238, "bit_and", &[INT4], INT4, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(bit_and), ..pure(2240, "bit_and", &[INT8], INT8, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(bit_and), ..pure(2242, "bit_and", &[BIT], BIT, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(bit_or), ..pure(2237, "bit_or", &[INT2], INT2, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(bit_or), ..pure(2239, "bit_or", &[INT4], INT4, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(bit_or), ..pure(2241, "bit_or", &[INT8], INT8, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(bit_or), ..pure(2243, "bit_or", &[BIT], BIT, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(bit_xor), ..pure(6164, "bit_xor", &[INT2], INT2, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(bit_xor), ..pure(6165, "bit_xor", &[INT4], INT4, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(bit_xor), ..pure(6166, "bit_xor", &[INT8], INT8, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(bit_xor), ..pure(6167, "bit_xor", &[BIT], BIT, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(stddev_samp), ..pure(2154, "stddev", &[INT8], NUMERIC, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(stddev_samp), ..pure(2155, "stddev", &[INT4], NUMERIC, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(stddev_samp), ..pure(2156, "stddev", &[INT2], NUMERIC, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(stddev_samp), ..pure(2157, "stddev", &[FLOAT4], FLOAT8, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(stddev_samp), ..pure(2158, "stddev", &[FLOAT8], FLOAT8, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(stddev_samp), ..pure(2159, "stddev", &[NUMERIC], NUMERIC, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(stddev_samp), ..pure(2712, "stddev_samp", &[INT8], NUMERIC, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(stddev_samp), ..pure(2713, "stddev_samp", &[INT4], NUMERIC, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(stddev_samp), ..pure(2714, "stddev_samp", &[INT2], NUMERIC, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(stddev_samp), ..pure(2715, "stddev_samp", &[FLOAT4], FLOAT8, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(stddev_samp), ..pure(2716, "stddev_samp", &[FLOAT8], FLOAT8, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(stddev_samp), ..pure(2717, "stddev_samp", &[NUMERIC], NUMERIC, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(stddev_pop), ..pure(2724, "stddev_pop", &[INT8], NUMERIC, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(stddev_pop), ..pure(2725, "stddev_pop", &[INT4], NUMERIC, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(stddev_pop), ..pure(2726, "stddev_pop", &[INT2], NUMERIC, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(stddev_pop), ..pure(2727, "stddev_pop", &[FLOAT4], FLOAT8, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(stddev_pop), ..pure(2728, "stddev_pop", &[FLOAT8], FLOAT8, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(stddev_pop), ..pure(2729, "stddev_pop", &[NUMERIC], NUMERIC, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(var_samp), ..pure(2148, "variance", &[INT8], NUMERIC, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(var_samp), ..pure(2149, "variance", &[INT4], NUMERIC, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(var_samp), ..pure(2150, "variance", &[INT2], NUMERIC, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(var_samp), ..pure(2151, "variance", &[FLOAT4], FLOAT8, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(var_samp), ..pure(2152, "variance", &[FLOAT8], FLOAT8, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(var_samp), ..pure(2153, "variance", &[NUMERIC], NUMERIC, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(var_samp), ..pure(2641, "var_samp", &[INT8], NUMERIC, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(var_samp), ..pure(2642, "var_samp", &[INT4], NUMERIC, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(var_samp), ..pure(2643, "var_samp", &[INT2], NUMERIC, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(var_samp), ..pure(2644, "var_samp", &[FLOAT4], FLOAT8, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(var_samp), ..pure(2645, "var_samp", &[FLOAT8], FLOAT8, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(var_samp), ..pure(2646, "var_samp", &[NUMERIC], NUMERIC, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(var_pop), ..pure(2718, "var_pop", &[INT8], NUMERIC, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(var_pop), ..pure(2719, "var_pop", &[INT4], NUMERIC, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(var_pop), ..pure(2720, "var_pop", &[INT2], NUMERIC, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(var_pop), ..pure(2721, "var_pop", &[FLOAT4], FLOAT8, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(var_pop), ..pure(2722, "var_pop", &[FLOAT8], FLOAT8, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(var_pop), ..pure(2723, "var_pop", &[NUMERIC], NUMERIC, unused) }.called_on_null(),
    Builtin { body: Body::Aggregate(json_agg), ..pure(3175, "json_agg", &[ANYELEMENT], JSON, unused) }.stable().called_on_null(),
    Builtin { body: Body::Aggregate(jsonb_agg), ..pure(3267, "jsonb_agg", &[ANYELEMENT], JSONB, unused) }.stable().called_on_null(),
    Builtin { body: Body::Aggregate(json_object_agg), ..pure(3197, "json_object_agg", &[ANY, ANY], JSON, unused) }.stable().called_on_null(),
    Builtin { body: Body::Aggregate(jsonb_object_agg), ..pure(3270, "jsonb_object_agg", &[ANY, ANY], JSONB, unused) }.called_on_null(),
    Builtin { body: Body::Window(WindowKind::RowNumber), ..pure(3100, "row_number", &[], INT8, unused) }.called_on_null(),
    Builtin { body: Body::Window(WindowKind::Rank), ..pure(3101, "rank", &[], INT8, unused) }.called_on_null(),
    Builtin { body: Body::Window(WindowKind::DenseRank), ..pure(3102, "dense_rank", &[], INT8, unused) }.called_on_null(),
    Builtin { body: Body::Window(WindowKind::PercentRank), ..pure(3103, "percent_rank", &[], FLOAT8, unused) }.called_on_null(),
    Builtin { body: Body::Window(WindowKind::CumeDist), ..pure(3104, "cume_dist", &[], FLOAT8, unused) }.called_on_null(),
    Builtin { body: Body::Window(WindowKind::Ntile), ..pure(3105, "ntile", &[INT4], INT4, unused) },
    Builtin { body: Body::Window(WindowKind::FirstValue), ..pure(3112, "first_value", &[ANYELEMENT], ANYELEMENT, unused) },
    Builtin { body: Body::Window(WindowKind::LastValue), ..pure(3113, "last_value", &[ANYELEMENT], ANYELEMENT, unused) },
    Builtin { body: Body::Window(WindowKind::NthValue), ..pure(3114, "nth_value", &[ANYELEMENT, INT4], ANYELEMENT, unused) },
    Builtin { body: Body::Window(WindowKind::Lag), ..pure(3106, "lag", &[ANYELEMENT], ANYELEMENT, unused) },
    Builtin { body: Body::Window(WindowKind::Lag), ..pure(3107, "lag", &[ANYELEMENT, INT4], ANYELEMENT, unused) },
    Builtin { body: Body::Window(WindowKind::Lag), ..pure(3108, "lag", &[ANYCOMPATIBLE, INT4, ANYCOMPATIBLE], ANYCOMPATIBLE, unused) },
    Builtin { body: Body::Window(WindowKind::Lead), ..pure(3109, "lead", &[ANYELEMENT], ANYELEMENT, unused) },
    Builtin { body: Body::Window(WindowKind::Lead), ..pure(3110, "lead", &[ANYELEMENT, INT4], ANYELEMENT, unused) },
    Builtin { body: Body::Window(WindowKind::Lead), ..pure(3111, "lead", &[ANYCOMPATIBLE, INT4, ANYCOMPATIBLE], ANYCOMPATIBLE, unused) },
];
