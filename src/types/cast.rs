//! Casts between built-in types, and the length coercion of type modifiers.
//!
//! [`find_cast`] answers as PostgreSQL's `find_coercion_pathway`: `pg_cast` first, then arrays element by element, then
//! conversion by text (to a string type on assignment, from one only when written out). Domains are looked through by
//! the caller (`info::base_type`); enums and composites cast by text.

use std::sync::Arc;

use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::types::{Array, TypeEnv, Value, info, io, oid};

mod functions;
mod length;
mod table;

pub use length::apply_typmod;
pub(crate) use length::check_bit_length;

/// Where a cast may happen by itself; a later context includes the earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CastContext {
    /// In any expression.
    Implicit,
    /// When a value is stored into a column.
    Assignment,
    /// Only where written: `CAST(x AS t)`.
    Explicit,
}

/// Value, target modifier (-1 for none), whether written out, environment.
pub type CastFn = fn(&Value, i32, bool, &TypeEnv<'_>) -> Result<Value>;

/// How a cast is done.
#[derive(Clone, Copy)]
pub enum CastMethod {
    Function(CastFn),
    /// The value stays; only a modifier may have to be applied.
    Binary,
    /// By the text form.
    InOut,
    /// An array, element by element: the element types.
    Elements(Oid, Oid),
}

/// One way from type to type.
#[derive(Clone, Copy)]
pub struct Cast {
    pub from: Oid,
    pub to: Oid,
    /// The earliest context that allows it.
    pub context: CastContext,
    pub method: CastMethod,
}

/// The cast between two types, if there is one in any context.
pub fn find_cast(from: Oid, to: Oid) -> Option<Cast> {
    let cast = |context, method| Cast {
        from,
        to,
        context,
        method,
    };
    if from == to {
        return Some(cast(CastContext::Implicit, CastMethod::Binary));
    }
    if let Some((context, method)) = table::find(from, to) {
        return Some(cast(context, method));
    }
    if !matches!(to, oid::INT2VECTOR | oid::OIDVECTOR)
        && let (Some(from_element), Some(to_element)) = (info::element_of(from), info::element_of(to))
    {
        let element = find_cast(from_element, to_element)?;
        return Some(cast(element.context, CastMethod::Elements(from_element, to_element)));
    }
    if is_string(to) && !is_pseudo(from) {
        return Some(cast(CastContext::Assignment, CastMethod::InOut));
    }
    if is_string(from) && !is_pseudo(to) {
        return Some(cast(CastContext::Explicit, CastMethod::InOut));
    }
    None
}

/// All of `pg_cast` that is built, in order.
pub fn all_casts() -> impl Iterator<Item = Cast> {
    table::CASTS.iter().map(|(from, to, context, method)| Cast {
        from: *from,
        to: *to,
        context: *context,
        method: *method,
    })
}

/// Category `S`.
fn is_string(ty: Oid) -> bool {
    matches!(ty, oid::TEXT | oid::VARCHAR | oid::BPCHAR | oid::NAME)
}

fn is_pseudo(ty: Oid) -> bool {
    // Records print; the other pseudo-types have no text.
    info::info(ty).is_some_and(|row| row.kind == 'p') && !matches!(ty, oid::RECORD | oid::UNKNOWN | oid::CSTRING | oid::VOID)
}

impl Cast {
    /// Casts a value (NULL stays NULL) and applies the modifier.
    pub fn apply(&self, value: &Value, typmod: i32, explicit: bool, env: &TypeEnv<'_>) -> Result<Value> {
        if value.is_null() {
            return Ok(Value::Null);
        }
        let cast = match self.method {
            CastMethod::Function(function) => function(value, typmod, explicit, env)?,
            CastMethod::Binary => value.clone(),
            CastMethod::InOut => {
                let text = io::to_text(self.from, value, env)?;
                io::text_in(self.to, -1, &text, env)?
            }
            CastMethod::Elements(from, to) => return cast_elements(value, from, to, typmod, explicit, env),
        };
        if typmod < 0 {
            Ok(cast)
        } else {
            apply_typmod(self.to, typmod, cast, explicit)
        }
    }
}

fn cast_elements(value: &Value, from: Oid, to: Oid, typmod: i32, explicit: bool, env: &TypeEnv<'_>) -> Result<Value> {
    let Value::Array(array) = value else {
        return Err(PgError::internal(format!("not an array: {value:?}")));
    };
    let cast = find_cast(from, to).ok_or_else(|| cannot_cast(from, to, env))?;
    let values = array
        .values
        .iter()
        .map(|element| cast.apply(element, typmod, explicit, env))
        .collect::<Result<Vec<_>>>()?;
    Ok(Value::Array(Arc::new(Array {
        element: to,
        dims: array.dims.clone(),
        values,
    })))
}

/// Casts a value between any two types that have a cast.
pub fn cast(from: Oid, to: Oid, typmod: i32, value: &Value, explicit: bool, env: &TypeEnv<'_>) -> Result<Value> {
    match find_cast(from, to) {
        Some(cast) => cast.apply(value, typmod, explicit, env),
        None => Err(cannot_cast(from, to, env)),
    }
}

/// Casts where neither settings nor names matter (a key of one number type compared with another's).
pub fn convert_plain(from: Oid, to: Oid, value: &Value) -> Result<Value> {
    let settings = crate::types::env::TypeSettings::default();
    let env = TypeEnv {
        settings: &settings,
        names: &crate::types::env::NoNames,
        now_micros: 0,
    };
    cast(from, to, -1, value, false, &env)
}

/// 42846 `cannot cast type x to y`.
pub fn cannot_cast(from: Oid, to: Oid, env: &TypeEnv<'_>) -> PgError {
    PgError::new(
        sqlstate::CANNOT_COERCE,
        format!(
            "cannot cast type {} to {}",
            info::format_type(from, -1, env.names),
            info::format_type(to, -1, env.names)
        ),
    )
}

#[cfg(test)]
mod tests;
