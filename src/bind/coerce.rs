//! Coercion: implicit, by assignment and explicit; common types (PostgreSQL 15 docs, 10.4 and 10.5).

use std::sync::Arc;

use super::Binder;
use super::at::At;
use super::kind::STRING_CATEGORY;
use super::polymorphic::is_polymorphic;
use super::tree::{Call, Cast, CastKind, Expr, ExprKind};
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::types::cast::{CastContext, CastMethod, find_cast};
use crate::types::{Value, io, oid};

/// How one type becomes another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Path {
    /// Bits stay as they are.
    Relabel,
    /// A function of `pg_cast`, or through text.
    Function,
    ArrayElements,
}

/// What is asked of a coercion besides the type.
#[derive(Clone, Copy)]
pub(crate) struct Target {
    pub ty: Oid,
    pub typmod: i32,
    pub context: CastContext,
}

impl Target {
    pub fn implicit(ty: Oid) -> Self {
        Target {
            ty,
            typmod: -1,
            context: CastContext::Implicit,
        }
    }

    pub fn assignment(ty: Oid, typmod: i32) -> Self {
        Target {
            ty,
            typmod,
            context: CastContext::Assignment,
        }
    }

    pub fn explicit(ty: Oid, typmod: i32) -> Self {
        Target {
            ty,
            typmod,
            context: CastContext::Explicit,
        }
    }

    fn is_explicit(self) -> bool {
        self.context == CastContext::Explicit
    }
}

impl Binder<'_> {
    /// `find_coercion_pathway`.
    pub(super) fn pathway(&self, from: Oid, to: Oid, context: CastContext) -> Option<Path> {
        let (from, to) = (self.base_type(from), self.base_type(to));
        if from == to {
            return Some(Path::Relabel);
        }
        if from < Oid::FIRST_CATALOG && to < Oid::FIRST_CATALOG {
            let found = find_cast(from, to).filter(|found| context >= found.context)?;
            return Some(match found.method {
                CastMethod::Binary => Path::Relabel,
                CastMethod::Function(_) | CastMethod::InOut => Path::Function,
                CastMethod::Elements(..) => Path::ArrayElements,
            });
        }
        if let (Some(from), Some(to_element)) = (self.element_of(from), self.element_of(to))
            && !matches!(to, oid::OIDVECTOR | oid::INT2VECTOR)
        {
            return self.pathway(from, to_element, context).map(|_| Path::ArrayElements);
        }
        let to_string = context >= CastContext::Assignment && self.category(to).0 == STRING_CATEGORY;
        let from_string = context == CastContext::Explicit && self.category(from).0 == STRING_CATEGORY;
        (to_string || from_string).then_some(Path::Function)
    }

    /// `can_coerce_type` for one value.
    pub(super) fn can_coerce(&self, from: Oid, to: Oid, context: CastContext) -> bool {
        if from == to || to == oid::ANY || from == oid::UNKNOWN || is_polymorphic(to) {
            return true;
        }
        if self.pathway(from, to, context).is_some() {
            return true;
        }
        (from == oid::RECORD && self.is_row(self.base_type(to))) || (to == oid::RECORD && self.is_row(self.base_type(from)))
    }

    /// `coerce_type`: the type only. The caller has checked [`Binder::can_coerce`].
    pub(super) fn coerce(&mut self, expr: Expr, target: Target, at: At<'_>) -> Result<Expr> {
        let to = target.ty;
        if expr.ty == to || to == oid::ANY || (is_polymorphic(to) && expr.ty != oid::UNKNOWN) {
            return Ok(expr);
        }
        if expr.ty == oid::UNKNOWN && !is_polymorphic(to) {
            match expr.kind {
                ExprKind::Const(value) => return self.literal_as(value, target, at),
                ExprKind::Param(number) => {
                    // A parameter takes a domain as it is: its values are checked when they come in.
                    return self.param_becomes(number, to, at);
                }
                _ => {}
            }
        }
        if expr.ty == oid::UNKNOWN {
            return Ok(expr);
        }
        match self.pathway(expr.ty, to, target.context) {
            Some(path) => Ok(self.convert(expr, path, target)),
            None if self.is_row(self.base_type(expr.ty)) && self.is_row(self.base_type(to)) => {
                let row = Target {
                    ty: self.base_type(to),
                    ..target
                };
                let converted = self.convert_row(expr, row, at)?;
                Ok(if row.ty == to {
                    converted
                } else {
                    self.to_domain(converted, target)
                })
            }
            None => Err(PgError::internal(format!(
                "failed to find conversion function from {} to {}",
                self.type_text(expr.ty),
                self.type_text(to)
            ))),
        }
    }

    fn convert(&mut self, expr: Expr, path: Path, target: Target) -> Expr {
        let base = self.base_type(target.ty);
        let explicit = target.is_explicit();
        let from = self.base_type(expr.ty);
        let expr = if from == base {
            // A domain over the target (or the target's own base): the modifier stays.
            if base == target.ty {
                let typmod = expr.typmod;
                let mut relabelled = cast_node(expr, CastKind::Relabel, base, explicit);
                relabelled.typmod = typmod;
                return relabelled;
            }
            expr
        } else {
            let kind = match path {
                Path::Relabel => CastKind::Relabel,
                Path::Function => CastKind::Plain,
                Path::ArrayElements => CastKind::ArrayElements,
            };
            cast_node(expr, kind, base, explicit)
        };
        if base == target.ty {
            expr
        } else {
            self.to_domain(expr, target)
        }
    }

    /// `coerce_to_domain`, with the domain's own modifier first.
    fn to_domain(&mut self, expr: Expr, target: Target) -> Expr {
        let (base, typmod) = self.base_type_and_typmod(target.ty, -1);
        let length = Target {
            ty: base,
            typmod,
            context: target.context,
        };
        let expr = self.coerce_typmod(expr, length);
        cast_node(expr, CastKind::ToDomain, target.ty, target.is_explicit())
    }

    fn convert_row(&mut self, expr: Expr, target: Target, at: At<'_>) -> Result<Expr> {
        if target.ty == oid::RECORD {
            return Ok(cast_node(expr, CastKind::Relabel, oid::RECORD, target.is_explicit()));
        }
        let failed = |binder: &Self, detail: String| {
            Err(PgError::new(
                sqlstate::CANNOT_COERCE,
                format!(
                    "cannot cast type {} to {}",
                    binder.type_text(expr.ty),
                    binder.type_text(target.ty)
                ),
            )
            .detail(detail)
            .at(at.position()))
        };
        let Some(fields) = self.fields_of(target.ty) else {
            return failed(self, String::new());
        };
        let ExprKind::Row(values) = &expr.kind else {
            return Ok(cast_node(expr, CastKind::Row, target.ty, target.is_explicit()));
        };
        if values.len() != fields.len() {
            let detail = if values.len() < fields.len() {
                "Input has too few columns."
            } else {
                "Input has too many columns."
            };
            return failed(self, detail.to_owned());
        }
        let mut columns = Vec::with_capacity(values.len());
        for (at_field, (value, (_, ty, typmod))) in values.iter().zip(fields.iter()).enumerate() {
            let wanted = Target {
                ty: *ty,
                typmod: *typmod,
                context: target.context,
            };
            if let Some(column) = self.coerce_to(value.clone(), wanted, At::NONE)? {
                columns.push(column);
            } else {
                let detail = format!(
                    "Cannot cast type {} to {} in column {}.",
                    self.type_text(value.ty),
                    self.type_text(*ty),
                    at_field + 1
                );
                return failed(self, detail);
            }
        }
        let row = Expr::new(ExprKind::Row(columns), oid::RECORD);
        Ok(cast_node(row, CastKind::Row, target.ty, target.is_explicit()))
    }

    /// An unknown literal as a value of the target type, by its input function.
    fn literal_as(&mut self, value: Value, target: Target, at: At<'_>) -> Result<Expr> {
        let (base, base_typmod) = self.base_type_and_typmod(target.ty, target.typmod);
        // Only interval's input needs the modifier: it says which field a bare number is.
        let typmod = if base == oid::INTERVAL { base_typmod } else { -1 };
        let value = match value {
            Value::Text(text) => io::text_in(base, typmod, &text, &self.env).map_err(|error| error.at(at.position()))?,
            other => other,
        };
        let mut expr = Expr::constant(value, base);
        expr.typmod = typmod;
        if base == target.ty {
            return Ok(expr);
        }
        Ok(self.to_domain(expr, target))
    }

    /// `coerce_type_typmod`: applies a length or precision.
    pub(super) fn coerce_typmod(&mut self, mut expr: Expr, target: Target) -> Expr {
        if target.typmod == expr.typmod || is_domain_cast(&expr) {
            return expr;
        }
        if target.typmod < 0 {
            expr = cast_node(expr, CastKind::Relabel, target.ty, target.is_explicit());
            expr.typmod = -1;
            return expr;
        }
        // NULL has every length.
        if matches!(expr.kind, ExprKind::Const(Value::Null)) {
            expr.typmod = target.typmod;
            return expr;
        }
        let mut cast = cast_node(expr, CastKind::Typmod, target.ty, target.is_explicit());
        cast.typmod = target.typmod;
        cast
    }

    /// `coerce_to_target_type`: type and modifier; `None` where there is no way.
    pub(super) fn coerce_to(&mut self, expr: Expr, target: Target, at: At<'_>) -> Result<Option<Expr>> {
        if expr.ty == target.ty && (target.typmod < 0 || target.typmod == expr.typmod) {
            return Ok(Some(expr));
        }
        if !self.can_coerce(expr.ty, target.ty, target.context) {
            return Ok(None);
        }
        let expr = self.coerce(expr, target, at)?;
        if target.typmod < 0 || target.ty != self.base_type(target.ty) {
            return Ok(Some(expr));
        }
        Ok(Some(self.coerce_typmod(expr, target)))
    }

    /// `x::type`.
    pub(super) fn cast(&mut self, expr: Expr, ty: Oid, typmod: i32, at: At<'_>, cast_at: u32) -> Result<Expr> {
        let from = expr.ty;
        if let Some(expr) = self.coerce_to(expr, Target::explicit(ty, typmod), at)? {
            Ok(expr)
        } else {
            let position = if cast_at > 0 { cast_at } else { at.position() };
            Err(PgError::new(
                sqlstate::CANNOT_COERCE,
                format!("cannot cast type {} to {}", self.type_text(from), self.type_text(ty)),
            )
            .at(position))
        }
    }

    /// `coerce_to_boolean` and `coerce_to_specific_type`.
    pub(super) fn coerce_to_specific(&mut self, expr: Expr, ty: Oid, construct: &str, at: At<'_>) -> Result<Expr> {
        if expr.ty == ty {
            return Ok(expr);
        }
        let from = expr.ty;
        match self.coerce_to(expr, Target::assignment(ty, -1), at)? {
            Some(expr) => Ok(expr),
            None => Err(PgError::new(
                sqlstate::DATATYPE_MISMATCH,
                format!(
                    "argument of {construct} must be type {}, not type {}",
                    self.type_text(ty),
                    self.type_text(from)
                ),
            )
            .at(at.position())),
        }
    }

    /// `select_common_type`; `context` is the word that messages use, `None` for no error (then `Oid::INVALID`).
    pub(super) fn common_type(&self, types: &[(Oid, At<'_>)], context: Option<&str>) -> Result<Oid> {
        let Some((first, _)) = types.first() else {
            return Ok(oid::TEXT);
        };
        if *first != oid::UNKNOWN && types.iter().all(|(ty, _)| ty == first) {
            return Ok(*first);
        }
        let mut chosen = self.base_type(*first);
        let (mut category, mut preferred) = self.category(chosen);
        for (ty, at) in &types[1..] {
            let ty = self.base_type(*ty);
            if ty == oid::UNKNOWN || ty == chosen {
                continue;
            }
            let (of_ty, ty_preferred) = self.category(ty);
            if chosen == oid::UNKNOWN {
                (chosen, category, preferred) = (ty, of_ty, ty_preferred);
            } else if of_ty != category {
                let Some(context) = context else {
                    return Ok(Oid::INVALID);
                };
                return Err(PgError::new(
                    sqlstate::DATATYPE_MISMATCH,
                    format!(
                        "{context} types {} and {} cannot be matched",
                        self.type_text(chosen),
                        self.type_text(ty)
                    ),
                )
                .at(at.position()));
            } else if !preferred
                && self.can_coerce(chosen, ty, CastContext::Implicit)
                && !self.can_coerce(ty, chosen, CastContext::Implicit)
            {
                (chosen, category, preferred) = (ty, of_ty, ty_preferred);
            }
        }
        Ok(if chosen == oid::UNKNOWN { oid::TEXT } else { chosen })
    }

    /// `verify_common_type`: whether all can become it.
    pub(super) fn all_can_become(&self, types: &[(Oid, At<'_>)], common: Oid) -> bool {
        types
            .iter()
            .all(|(ty, _)| self.can_coerce(*ty, common, CastContext::Implicit))
    }

    /// `coerce_to_common_type`.
    pub(super) fn coerce_to_common(&mut self, expr: Expr, ty: Oid, context: &str, at: At<'_>) -> Result<Expr> {
        if expr.ty == ty {
            return Ok(expr);
        }
        if self.can_coerce(expr.ty, ty, CastContext::Implicit) {
            return self.coerce(expr, Target::implicit(ty), at);
        }
        Err(PgError::new(
            sqlstate::CANNOT_COERCE,
            format!(
                "{context} could not convert type {} to {}",
                self.type_text(expr.ty),
                self.type_text(ty)
            ),
        )
        .at(at.position()))
    }

    /// Coerces all to their common type; answers it.
    pub(super) fn unify(&mut self, exprs: Vec<Expr>, at: &[At<'_>], context: &str) -> Result<(Vec<Expr>, Oid)> {
        let types: Vec<(Oid, At<'_>)> = exprs.iter().map(|expr| expr.ty).zip(at.iter().copied()).collect();
        let common = self.common_type(&types, Some(context))?;
        let mut unified = Vec::with_capacity(exprs.len());
        for (expr, at) in exprs.into_iter().zip(at) {
            unified.push(self.coerce_to_common(expr, common, context, *at)?);
        }
        Ok((unified, common))
    }

    /// What an unknown value is in the end: text.
    pub(super) fn resolve_unknown(&mut self, expr: Expr, at: At<'_>) -> Result<Expr> {
        if expr.ty == oid::UNKNOWN {
            return self.coerce(expr, Target::implicit(oid::TEXT), at);
        }
        Ok(expr)
    }
}

fn is_domain_cast(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Cast(cast) if matches!(cast.kind, CastKind::ToDomain))
}

/// `select_common_typmod`.
pub(super) fn common_typmod<'e>(exprs: impl IntoIterator<Item = &'e Expr>, common: Oid) -> i32 {
    let mut typmod = None;
    for expr in exprs {
        if expr.ty != common {
            return -1;
        }
        match typmod {
            None => typmod = Some(expr.typmod),
            Some(found) if found == expr.typmod => {}
            Some(_) => return -1,
        }
    }
    typmod.unwrap_or(-1)
}

pub(super) fn cast_node(arg: Expr, kind: CastKind, ty: Oid, explicit: bool) -> Expr {
    Expr::new(ExprKind::Cast(Box::new(Cast { arg, kind, explicit })), ty)
}

/// A call of a known builtin.
pub(super) fn call_node(
    function: &'static crate::functions::Builtin,
    args: Vec<Expr>,
    ty: Oid,
    operator: Option<&'static str>,
) -> Expr {
    let arg_types: Arc<[Oid]> = args.iter().map(|arg| arg.ty).collect();
    Expr::new(
        ExprKind::Call(Box::new(Call {
            function,
            args,
            arg_types,
            operator,
            variadic_array: false,
        })),
        ty,
    )
}
