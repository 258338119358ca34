//! Polymorphic arguments and results (PostgreSQL 15 docs, 38.2.5).

use super::Binder;
use super::at::At;
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::types::cast::CastContext;
use crate::types::oid;

/// Types that stand for the actual argument's.
pub(crate) fn is_polymorphic(ty: Oid) -> bool {
    is_simple(ty) || is_compatible(ty)
}

fn is_simple(ty: Oid) -> bool {
    matches!(
        ty,
        oid::ANYELEMENT | oid::ANYARRAY | oid::ANYNONARRAY | oid::ANYENUM | oid::ANYRANGE
    )
}

fn is_compatible(ty: Oid) -> bool {
    matches!(
        ty,
        oid::ANYCOMPATIBLE | oid::ANYCOMPATIBLEARRAY | oid::ANYCOMPATIBLENONARRAY | oid::ANYCOMPATIBLERANGE
    )
}

/// What the arguments say.
#[derive(Default)]
struct Seen {
    element: Option<Oid>,
    array: Option<Oid>,
    compatible: Option<Oid>,
    compatible_array: bool,
    nonarray: bool,
    enumeration: bool,
    compatible_nonarray: bool,
    has_simple: bool,
}

fn mismatch(message: impl Into<String>) -> PgError {
    PgError::new(sqlstate::DATATYPE_MISMATCH, message)
}

impl Binder<'_> {
    /// `check_generic_type_consistency`: whether the actual types fit the declared ones together.
    pub(super) fn polymorphic_fits(&self, actual: &[Oid], declared: &[Oid]) -> bool {
        if !declared.iter().any(|ty| is_polymorphic(*ty)) {
            return true;
        }
        match self.see(actual, declared) {
            Ok(seen) => self.check_seen(&seen).is_ok(),
            Err(_) => false,
        }
    }

    fn see(&self, actual: &[Oid], declared: &[Oid]) -> Result<Seen> {
        let mut seen = Seen::default();
        let mut compatible = Vec::new();
        for (actual, declared) in actual.iter().zip(declared) {
            match *declared {
                oid::ANYELEMENT | oid::ANYNONARRAY | oid::ANYENUM => {
                    seen.has_simple = true;
                    seen.nonarray |= *declared == oid::ANYNONARRAY;
                    seen.enumeration |= *declared == oid::ANYENUM;
                    if *actual == oid::UNKNOWN {
                        continue;
                    }
                    if seen.element.is_some_and(|found| found != *actual) {
                        return Err(
                            mismatch("arguments declared \"anyelement\" are not all alike").detail(format!(
                                "{} versus {}",
                                self.type_text(seen.element.unwrap_or_default()),
                                self.type_text(*actual)
                            )),
                        );
                    }
                    seen.element = Some(*actual);
                }
                oid::ANYARRAY => {
                    seen.has_simple = true;
                    if *actual == oid::UNKNOWN {
                        continue;
                    }
                    let base = self.base_type(*actual);
                    if seen.array.is_some_and(|found| found != base) {
                        return Err(mismatch("arguments declared \"anyarray\" are not all alike").detail(format!(
                            "{} versus {}",
                            self.type_text(seen.array.unwrap_or_default()),
                            self.type_text(base)
                        )));
                    }
                    seen.array = Some(base);
                }
                oid::ANYCOMPATIBLE | oid::ANYCOMPATIBLENONARRAY => {
                    seen.compatible_nonarray |= *declared == oid::ANYCOMPATIBLENONARRAY;
                    compatible.push(*actual);
                }
                oid::ANYCOMPATIBLEARRAY => {
                    seen.compatible_array = true;
                    if *actual == oid::UNKNOWN {
                        continue;
                    }
                    match self.element_of(*actual) {
                        Some(element) => compatible.push(element),
                        None => {
                            return Err(mismatch(format!(
                                "argument declared {} is not an array but type {}",
                                "anycompatiblearray",
                                self.type_text(*actual)
                            )));
                        }
                    }
                }
                oid::ANYRANGE | oid::ANYCOMPATIBLERANGE => {
                    return Err(mismatch(format!(
                        "argument declared {} is not a range type but type {}",
                        "anyrange",
                        self.type_text(*actual)
                    )));
                }
                _ => {}
            }
        }
        if !compatible.is_empty() || seen.compatible_array {
            seen.compatible = self.compatible_type(&compatible)?;
        }
        Ok(seen)
    }

    fn compatible_type(&self, types: &[Oid]) -> Result<Option<Oid>> {
        if types.iter().all(|ty| *ty == oid::UNKNOWN) {
            return Ok(None);
        }
        let types: Vec<(Oid, At<'_>)> = types.iter().map(|ty| (*ty, At::NONE)).collect();
        let common = self.common_type(&types, Some("arguments of anycompatible family"))?;
        if !self.all_can_become(&types, common) {
            return Err(mismatch("arguments of anycompatible family cannot be cast to a common type"));
        }
        Ok(Some(common))
    }

    fn check_seen(&self, seen: &Seen) -> Result<()> {
        if let Some(array) = seen.array {
            let Some(element) = self.element_of(array) else {
                return Err(mismatch(format!(
                    "argument declared {} is not an array but type {}",
                    "anyarray",
                    self.type_text(array)
                )));
            };
            if let Some(found) = seen.element
                && found != element
            {
                return Err(mismatch(format!(
                    "argument declared {} is not consistent with argument declared {}",
                    "anyarray", "anyelement"
                ))
                .detail(format!("{} versus {}", self.type_text(array), self.type_text(found))));
            }
        }
        let element = seen.element.or_else(|| seen.array.and_then(|array| self.element_of(array)));
        if seen.nonarray && element.is_some_and(|ty| self.element_of(ty).is_some()) {
            return Err(mismatch(format!(
                "type matched to anynonarray is an array type: {}",
                self.type_text(element.unwrap_or_default())
            )));
        }
        if seen.enumeration && element.is_some_and(|ty| !self.is_enum(ty)) {
            return Err(mismatch(format!(
                "type matched to anyenum is not an enum type: {}",
                self.type_text(element.unwrap_or_default())
            )));
        }
        if seen.compatible_nonarray && seen.compatible.is_some_and(|ty| self.element_of(ty).is_some()) {
            return Err(mismatch("type matched to anycompatiblenonarray is an array type"));
        }
        Ok(())
    }

    /// `enforce_generic_type_consistency`: puts the actual types into `declared`, and answers the result type.
    pub(super) fn resolve_polymorphic(&self, actual: &[Oid], declared: &mut [Oid], returns: Oid) -> Result<Oid> {
        if !declared.iter().any(|ty| is_polymorphic(*ty)) {
            if is_polymorphic(returns) {
                return Err(undetermined());
            }
            return Ok(returns);
        }
        let seen = self.see(actual, declared)?;
        self.check_seen(&seen)?;
        let element = match (seen.element, seen.array) {
            (Some(element), _) => Some(element),
            (None, Some(array)) => self.element_of(array),
            (None, None) if seen.has_simple => return Err(undetermined()),
            (None, None) => None,
        };
        // Unknown arguments of the compatible family are text.
        let compatible = seen.compatible.unwrap_or(oid::TEXT);
        let resolve = |ty: Oid| -> Result<Oid> {
            let array_over = |element: Oid| {
                self.array_of(element).ok_or_else(|| {
                    PgError::new(
                        sqlstate::UNDEFINED_OBJECT,
                        format!("could not find array type for data type {}", self.type_text(element)),
                    )
                })
            };
            Ok(match ty {
                oid::ANYELEMENT | oid::ANYNONARRAY | oid::ANYENUM => element.ok_or_else(undetermined)?,
                oid::ANYARRAY => match seen.array {
                    Some(array) => array,
                    None => array_over(element.ok_or_else(undetermined)?)?,
                },
                oid::ANYCOMPATIBLE | oid::ANYCOMPATIBLENONARRAY => compatible,
                oid::ANYCOMPATIBLEARRAY => array_over(compatible)?,
                other => other,
            })
        };
        for ty in declared.iter_mut() {
            *ty = resolve(*ty)?;
        }
        resolve(returns)
    }

    /// Whether each actual type becomes the declared one implicitly, polymorphism included (`can_coerce_type`).
    pub(super) fn args_fit(&self, actual: &[Oid], declared: &[Oid]) -> bool {
        actual
            .iter()
            .zip(declared)
            .all(|(actual, declared)| self.can_coerce(*actual, *declared, CastContext::Implicit))
            && self.polymorphic_fits(actual, declared)
    }
}

fn undetermined() -> PgError {
    PgError::new(
        sqlstate::INDETERMINATE_DATATYPE,
        "could not determine polymorphic type because input has type unknown",
    )
}
