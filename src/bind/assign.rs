//! Assignment to a part of a column: `SET array[i] = x`, `SET array[a:b] = x`, `SET row.field = x`.

use sqlparser::ast::{self, Subscript};

use super::Binder;
use super::at::At;
use super::coerce::{Target as CoercionTarget, call_node};
use super::scope::Clause;
use super::tree::{Expr, ExprKind};
use crate::catalog::Column;
use crate::error::{PgError, Result, sqlstate};
use crate::functions::{assign, registry};
use crate::ids::Oid;
use crate::parse::{Name, TargetElement, TargetStep, is_default, position_of};
use crate::types::{Value, info, oid};

/// What is assigned to: the part's value so far, its type and modifier.
struct Place {
    value: Expr,
    ty: Oid,
    typmod: i32,
}

impl<'a> Binder<'a> {
    /// The column's new value: `base` with the part replaced.
    pub(super) fn assign_part(
        &mut self,
        target: &'a TargetElement,
        base: Expr,
        column: &Column,
        value: Expr,
        at: At<'a>,
    ) -> Result<Expr> {
        let place = Place {
            value: base,
            ty: column.ty,
            typmod: column.typmod,
        };
        self.assign_steps(&target.column, place, &target.indirection, value, at)
    }

    /// `SET column.field[.field ...] = x`.
    pub(super) fn assigned_field(
        &mut self,
        name: &'a ast::ObjectName,
        base: Expr,
        column: &Column,
        value: &'a ast::Expr,
    ) -> Result<Expr> {
        let names: Vec<Name> = name
            .0
            .iter()
            .filter_map(|part| part.as_ident())
            .map(|ident| Name {
                text: ident.value.as_str().into(),
                position: position_of(ident.span),
            })
            .collect();
        if is_default(value) {
            let position = names.first().map_or(0, |name| name.position);
            return Err(PgError::new(sqlstate::FEATURE_NOT_SUPPORTED, "cannot set a subfield to DEFAULT").at(position));
        }
        let bound = self.expr_in(value, Clause::UpdateSource)?;
        let place = Place {
            value: base,
            ty: column.ty,
            typmod: column.typmod,
        };
        self.assign_fields(&names, place, bound, At::Expr(value))
    }

    fn assign_fields(&mut self, names: &[Name], place: Place, value: Expr, at: At<'_>) -> Result<Expr> {
        let [name, field, ..] = names else {
            return self.assign_value(&names[0], place.ty, place.typmod, value, at, "subfield");
        };
        let (index, ty, typmod) = self.part_field(name, place.ty, field)?;
        let inner = Place {
            value: Expr::new(
                ExprKind::Field {
                    record: Box::new(place.value.clone()),
                    field: index,
                },
                ty,
            ),
            ty,
            typmod,
        };
        let value = self.assign_fields(&names[1..], inner, value, at)?;
        self.set_field(place, index, value)
    }

    fn assign_steps(&mut self, name: &'a Name, place: Place, steps: &'a [TargetStep], value: Expr, at: At<'a>) -> Result<Expr> {
        match steps.first() {
            None => self.assign_value(name, place.ty, place.typmod, value, at, "subscripted assignment"),
            Some(TargetStep::Field(field)) => self.assign_field(name, place, field, &steps[1..], value, at),
            Some(TargetStep::Subscript(_)) => {
                let count = steps
                    .iter()
                    .take_while(|step| matches!(step, TargetStep::Subscript(_)))
                    .count();
                self.assign_subscripts(name, place, steps.split_at(count), value, at)
            }
        }
    }

    fn assign_value(&mut self, name: &Name, ty: Oid, typmod: i32, value: Expr, at: At<'_>, kind: &str) -> Result<Expr> {
        let from = value.ty;
        if let Some(expr) = self.coerce_to(value, CoercionTarget::assignment(ty, typmod), at)? {
            return Ok(expr);
        }
        let (wanted, given) = (self.type_text(ty), self.type_text(from));
        let message = if kind == "subfield" {
            format!("subfield \"{name}\" is of type {wanted} but expression is of type {given}")
        } else {
            format!("subscripted assignment to \"{name}\" requires type {wanted} but expression is of type {given}")
        };
        Err(PgError::new(sqlstate::DATATYPE_MISMATCH, message)
            .hint("You will need to rewrite or cast the expression.")
            .at(name.position))
    }

    fn assign_field(
        &mut self,
        name: &'a Name,
        place: Place,
        field: &'a Name,
        rest: &'a [TargetStep],
        value: Expr,
        at: At<'a>,
    ) -> Result<Expr> {
        let (index, ty, typmod) = self.part_field(name, place.ty, field)?;
        let value = if rest.is_empty() {
            self.assign_value(field, ty, typmod, value, at, "subfield")?
        } else {
            let record = Box::new(place.value.clone());
            let inner = Place {
                value: Expr::new(ExprKind::Field { record, field: index }, ty),
                ty,
                typmod,
            };
            self.assign_steps(field, inner, rest, value, at)?
        };
        self.set_field(place, index, value)
    }

    /// A call that puts a value into a field of a row.
    fn set_field(&mut self, place: Place, index: usize, value: Expr) -> Result<Expr> {
        let index = Value::Int4(i32::try_from(index).unwrap_or(i32::MAX));
        let base = self.base_type(place.ty);
        let args = vec![place.value, value, Expr::constant(index, oid::INT4)];
        let row = assignment(assign::ROW_FIELD, args, base)?;
        if base == place.ty {
            return Ok(row);
        }
        let target = CoercionTarget::assignment(place.ty, -1);
        self.coerce(row, target, At::NONE)
    }

    /// Place, type and modifier of a field that is assigned to.
    fn part_field(&self, name: &Name, ty: Oid, field: &Name) -> Result<(usize, Oid, i32)> {
        let Some(fields) = self.fields_of(ty) else {
            return Err(PgError::new(
                sqlstate::DATATYPE_MISMATCH,
                format!(
                    "cannot assign to field \"{field}\" of column \"{name}\" because its type {} is not a composite type",
                    self.type_text(ty)
                ),
            )
            .at(name.position));
        };
        let Some(index) = fields.iter().position(|(other, ..)| *other == field.text) else {
            return Err(PgError::new(
                sqlstate::UNDEFINED_COLUMN,
                format!(
                    "cannot assign to field \"{field}\" of column \"{name}\" because there is no such column in data type {}",
                    self.type_text(ty)
                ),
            )
            .at(name.position));
        };
        let (_, ty, typmod) = fields[index];
        Ok((index, ty, typmod))
    }

    fn assign_subscripts(
        &mut self,
        name: &'a Name,
        place: Place,
        (subscripts, rest): (&'a [TargetStep], &'a [TargetStep]),
        value: Expr,
        at: At<'a>,
    ) -> Result<Expr> {
        let base = self.base_type(place.ty);
        let element = match info::info(base) {
            Some(row) if row.element.is_valid() && row.category == 'A' => Some(row.element),
            _ => self.element_of(base),
        };
        let Some(element) = element else {
            return Err(PgError::new(
                sqlstate::DATATYPE_MISMATCH,
                format!(
                    "cannot subscript type {} because it does not support subscripting",
                    self.type_text(place.ty)
                ),
            )
            .at(name.position));
        };
        let (mut lows, mut highs, mut slice) = (Vec::new(), Vec::new(), false);
        for step in subscripts {
            let TargetStep::Subscript(subscript) = step else {
                continue;
            };
            match subscript {
                Subscript::Index { index } => {
                    lows.push(self.index(index)?);
                    highs.push(None);
                }
                Subscript::Slice {
                    lower_bound: Some(low),
                    upper_bound: Some(high),
                    ..
                } => {
                    slice = true;
                    lows.push(self.index(low)?);
                    highs.push(Some(self.index(high)?));
                }
                Subscript::Slice { .. } => {
                    return Err(PgError::unsupported("assignment to a slice without both bounds").at(name.position));
                }
            }
        }
        if slice {
            let value = self.assign_value(name, base, place.typmod, value, at, "subscripted assignment")?;
            // In a slice, `[n]` means `[1:n]`.
            let mut bounds = (Vec::new(), Vec::new());
            for (low, high) in lows.into_iter().zip(highs) {
                if let Some(high) = high {
                    bounds.0.push(low);
                    bounds.1.push(high);
                } else {
                    bounds.0.push(Expr::constant(Value::Int4(1), oid::INT4));
                    bounds.1.push(low);
                }
            }
            let args = vec![place.value, value, integers(bounds.0), integers(bounds.1)];
            return assignment(assign::ARRAY_SLICE, args, place.ty);
        }
        let value = if rest.is_empty() {
            self.assign_value(name, element, place.typmod, value, at, "subscripted assignment")?
        } else {
            let indexes = lows.iter().map(|low| (Some(low.clone()), None)).collect();
            let inner = Expr::new(
                ExprKind::Subscript {
                    array: Box::new(place.value.clone()),
                    indexes,
                    slice: false,
                },
                element,
            );
            let inner = Place {
                value: inner,
                ty: element,
                typmod: place.typmod,
            };
            self.assign_steps(name, inner, rest, value, at)?
        };
        let args = vec![place.value, value, integers(lows)];
        assignment(assign::ARRAY_ELEMENT, args, place.ty)
    }
}

fn integers(elements: Vec<Expr>) -> Expr {
    Expr::new(ExprKind::Array { elements, nested: false }, oid::INT4_ARRAY)
}

fn assignment(function: u32, args: Vec<Expr>, ty: Oid) -> Result<Expr> {
    let function = registry::functions()
        .by_oid(Oid(function))
        .ok_or_else(|| PgError::internal("assignments are functions of the registry"))?;
    Ok(call_node(function, args, ty, None))
}
