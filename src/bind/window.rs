//! Window calls and window definitions.

use std::sync::Arc;

use sqlparser::ast;

use super::Binder;
use super::at::{At, start_of};
use super::coerce::Target;
use super::function::{Resolved, Written};
use super::scope::{Clause, WindowDef};
use super::syntax::{CallForm, wrong_object};
use super::tree::{Expr, ExprKind, Frame, FrameBound, FrameExclude, FrameMode, Window, WindowCall, WindowFunction, WindowOrder};
use super::walk::{Step, walk};
use crate::error::{PgError, Result, sqlstate};
use crate::functions::Body;
use crate::ids::Oid;
use crate::parse::position_of;
use crate::types::cast::CastContext;
use crate::types::oid;

impl<'a> Binder<'a> {
    pub(super) fn window_call(&mut self, form: &CallForm<'a>, resolved: &Resolved, mut written: Written<'a>) -> Result<Expr> {
        let (position, name) = (written.position, written.name);
        let Some(over) = &form.function.over else {
            return Err(wrong_object(
                format!("window function {name} requires an OVER clause"),
                position,
            ));
        };
        if form.distinct {
            return Err(PgError::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                "DISTINCT is not implemented for window functions",
            )
            .at(position));
        }
        if !form.order.is_empty() {
            return Err(PgError::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                "aggregate ORDER BY is not implemented for window functions",
            )
            .at(position));
        }
        if written.args.is_empty() && !form.star && matches!(resolved.function.body, Body::Aggregate(_)) {
            return Err(wrong_object(
                format!("{name}(*) must be used to call a parameterless aggregate function"),
                position,
            ));
        }
        let function = match resolved.function.body {
            Body::Window(kind) => {
                if form.function.filter.is_some() {
                    return Err(PgError::new(
                        sqlstate::FEATURE_NOT_SUPPORTED,
                        "FILTER is not implemented for non-aggregate window functions",
                    )
                    .at(position));
                }
                WindowFunction::Builtin(kind)
            }
            _ => WindowFunction::Aggregate(resolved.function),
        };
        let places = written.at.clone();
        let (fitted, ty) = self.fit_arguments(resolved, &mut written)?;
        let mut args = Vec::with_capacity(fitted.len());
        for (at, arg) in fitted.into_iter().enumerate() {
            args.push(self.resolve_unknown(arg, places.get(at).copied().unwrap_or(At::NONE))?);
        }
        let filter = self.filter(form.function)?;
        if args.iter().chain(&filter).any(contains_window) {
            return Err(
                PgError::new(sqlstate::WINDOWING_ERROR, "window function calls cannot be nested")
                    .at(self.nested_position(position)),
            );
        }
        if args.iter().chain(&filter).any(super::select::contains_set_returning) {
            return Err(PgError::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                "window function calls cannot contain set-returning function calls",
            )
            .hint("You might be able to move the set-returning function into a LATERAL FROM item.")
            .at(self.nested_position(position)));
        }
        if let Some(place) = refused_place(self.level_ref().clause) {
            return Err(PgError::new(
                sqlstate::WINDOWING_ERROR,
                format!("window functions are not allowed in {place}"),
            )
            .at(position));
        }
        let window = self.find_window(over, position)?;
        let arg_types: Arc<[Oid]> = args.iter().map(|arg| arg.ty).collect();
        self.level().has_windows = true;
        Ok(Expr::new(
            ExprKind::Window(Box::new(WindowCall {
                function,
                args,
                arg_types,
                filter,
                window,
                star: form.star,
            })),
            ty,
        ))
    }

    /// The place of an OVER clause's window among the level's definitions.
    fn find_window(&mut self, over: &'a ast::WindowType, call: u32) -> Result<usize> {
        let level = self.level();
        match over {
            ast::WindowType::NamedWindow(name) => {
                let found = level
                    .windows
                    .iter()
                    .position(|def| def.name.as_deref() == Some(name.value.as_str()));
                found.ok_or_else(|| no_window(&name.value, position_of(name.span)))
            }
            ast::WindowType::WindowSpec(spec) => {
                if let Some(at) = level.windows.iter().position(|def| def.name.is_none() && def.spec == spec) {
                    return Ok(at);
                }
                level.windows.push(WindowDef {
                    name: None,
                    spec,
                    position: call,
                });
                Ok(level.windows.len() - 1)
            }
        }
    }

    /// Takes in the WINDOW clause, before the targets.
    pub(super) fn name_windows(&mut self, named: &'a [ast::NamedWindowDefinition]) -> Result<()> {
        for ast::NamedWindowDefinition(name, def) in named {
            let position = position_of(name.span);
            let ast::NamedWindowExpr::WindowSpec(spec) = def else {
                return Err(PgError::new(sqlstate::SYNTAX_ERROR, "syntax error in WINDOW clause").at(position));
            };
            let text = Some(name.value.as_str());
            if self.level_ref().windows.iter().any(|def| def.name.as_deref() == text) {
                return Err(PgError::new(
                    sqlstate::WINDOWING_ERROR,
                    format!("window \"{}\" is already defined", name.value),
                )
                .at(self.position_from(position, "(")));
            }
            self.level().windows.push(WindowDef {
                name: Some(name.value.as_str().into()),
                spec,
                position,
            });
        }
        Ok(())
    }

    /// `transformWindowDefinitions`, after the targets.
    pub(super) fn bind_windows(&mut self) -> Result<Vec<Window>> {
        let defs = self.level().windows.clone();
        let mut windows: Vec<Window> = Vec::with_capacity(defs.len());
        for (at, def) in defs.iter().enumerate() {
            let mut base = None;
            if let Some(name) = &def.spec.window_name {
                let found = defs[..at]
                    .iter()
                    .position(|other| other.name.as_deref() == Some(name.value.as_str()));
                let place = found.ok_or_else(|| no_window(&name.value, position_of(name.span)))?;
                base = Some((place, name));
            }
            let window = self.window(def, base.map(|(place, name)| (&windows[place], defs[place].spec, name)))?;
            windows.push(window);
        }
        Ok(windows)
    }

    fn window(&mut self, def: &WindowDef<'a>, base: Option<(&Window, &'a ast::WindowSpec, &'a ast::Ident)>) -> Result<Window> {
        let spec = def.spec;
        let at_spec = self.spec_position(def);
        let mut partition = Vec::new();
        for key in &spec.partition_by {
            let bound = self.expr_in(key, Clause::WindowPartition)?;
            let bound = self.resolve_unknown(bound, At::Expr(key))?;
            self.check_no_window(&bound, start_of(key))?;
            partition.push(bound);
        }
        let mut order = Vec::new();
        for key in &spec.order_by {
            let bound = self.expr_in(&key.expr, Clause::WindowOrder)?;
            let bound = self.resolve_unknown(bound, At::Expr(&key.expr))?;
            self.check_no_window(&bound, start_of(&key.expr))?;
            self.check_orderable(bound.ty, At::Expr(&key.expr))?;
            let (descending, nulls_first) = self.sort_direction(&key.options)?;
            order.push(WindowOrder {
                expr: bound,
                descending,
                nulls_first,
            });
        }
        if let Some((window, base_spec, name)) = base {
            let refuse = |what: String| Err(PgError::new(sqlstate::WINDOWING_ERROR, what).at(at_spec));
            if !partition.is_empty() {
                return refuse(format!("cannot override PARTITION BY clause of window \"{}\"", name.value));
            }
            if !order.is_empty() && !window.order.is_empty() {
                return refuse(format!("cannot override ORDER BY clause of window \"{}\"", name.value));
            }
            if base_spec.window_frame.is_some() {
                return refuse(format!("cannot copy window \"{}\" because it has a frame clause", name.value));
            }
            partition.clone_from(&window.partition);
            if order.is_empty() {
                order.clone_from(&window.order);
            }
        }
        let frame = self.frame(spec.window_frame.as_ref(), &order, at_spec)?;
        Ok(Window { partition, order, frame })
    }

    /// Where a definition's parenthesis opens.
    fn spec_position(&self, def: &WindowDef<'_>) -> u32 {
        let from = match def.name {
            Some(_) => def.position,
            None => self.position_from(def.position, "over"),
        };
        self.position_from(from, "(")
    }

    fn check_no_window(&self, expr: &Expr, position: u32) -> Result<()> {
        if contains_window(expr) {
            return Err(PgError::new(
                sqlstate::WINDOWING_ERROR,
                "window functions are not allowed in window definitions",
            )
            .at(position));
        }
        Ok(())
    }

    fn frame(&mut self, frame: Option<&'a ast::WindowFrame>, order: &[WindowOrder], position: u32) -> Result<Frame> {
        let Some(frame) = frame else {
            return Ok(Frame {
                mode: FrameMode::Range,
                start: FrameBound::UnboundedPreceding,
                end: FrameBound::CurrentRow,
                exclude: FrameExclude::NoOthers,
            });
        };
        let mode = match frame.units {
            ast::WindowFrameUnits::Rows => FrameMode::Rows,
            ast::WindowFrameUnits::Range => FrameMode::Range,
            ast::WindowFrameUnits::Groups => FrameMode::Groups,
        };
        if mode == FrameMode::Groups && order.is_empty() {
            return Err(PgError::new(sqlstate::WINDOWING_ERROR, "GROUPS mode requires an ORDER BY clause").at(position));
        }
        check_frame(frame)?;
        let start = self.frame_bound(&frame.start_bound, mode, order, position)?;
        let end = match &frame.end_bound {
            Some(bound) => self.frame_bound(bound, mode, order, position)?,
            None => FrameBound::CurrentRow,
        };
        Ok(Frame {
            mode,
            start,
            end,
            exclude: FrameExclude::NoOthers,
        })
    }

    fn frame_bound(
        &mut self,
        bound: &'a ast::WindowFrameBound,
        mode: FrameMode,
        order: &[WindowOrder],
        position: u32,
    ) -> Result<FrameBound> {
        Ok(match bound {
            ast::WindowFrameBound::CurrentRow => FrameBound::CurrentRow,

            ast::WindowFrameBound::Preceding(None) => FrameBound::UnboundedPreceding,
            ast::WindowFrameBound::Following(None) => FrameBound::UnboundedFollowing,
            ast::WindowFrameBound::Preceding(Some(offset)) => {
                FrameBound::Preceding(self.frame_offset(offset, mode, order, position)?)
            }
            ast::WindowFrameBound::Following(Some(offset)) => {
                FrameBound::Following(self.frame_offset(offset, mode, order, position)?)
            }
        })
    }

    /// `transformFrameOffset`.
    fn frame_offset(&mut self, offset: &'a ast::Expr, mode: FrameMode, order: &[WindowOrder], position: u32) -> Result<Expr> {
        let (clause, name) = match mode {
            FrameMode::Rows => (Clause::WindowRows, "ROWS"),
            FrameMode::Range => (Clause::WindowRange, "RANGE"),
            FrameMode::Groups => (Clause::WindowGroups, "GROUPS"),
        };
        let bound = self.expr_in(offset, clause)?;
        let bound = if mode == FrameMode::Range {
            let [key] = order else {
                return Err(PgError::new(
                    sqlstate::WINDOWING_ERROR,
                    "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column",
                )
                .at(position));
            };
            self.range_offset(bound, key.expr.ty, offset)?
        } else {
            self.coerce_to_specific(bound, oid::INT8, name, At::Expr(offset))?
        };
        self.check_no_vars(&bound, name, start_of(offset))?;
        Ok(bound)
    }

    /// The offset's type for a sort key: its own for numbers, interval for moments.
    fn range_offset(&mut self, offset: Expr, key: Oid, at: &'a ast::Expr) -> Result<Expr> {
        let key = self.base_type(key);
        let wanted: &[Oid] = match key {
            oid::INT2 | oid::INT4 => &[oid::INT8, oid::INT4, oid::INT2],
            oid::INT8 => &[oid::INT8],
            oid::FLOAT4 | oid::FLOAT8 => &[oid::FLOAT8],
            oid::NUMERIC => &[oid::NUMERIC],
            oid::DATE | oid::TIME | oid::TIMETZ | oid::TIMESTAMP | oid::TIMESTAMPTZ | oid::INTERVAL => &[oid::INTERVAL],
            _ => {
                return Err(PgError::new(
                    sqlstate::FEATURE_NOT_SUPPORTED,
                    format!(
                        "RANGE with offset PRECEDING/FOLLOWING is not supported for column type {}",
                        self.type_text(key)
                    ),
                )
                .at(start_of(at)));
            }
        };
        if wanted.contains(&offset.ty) {
            return Ok(offset);
        }
        let target = if offset.ty == oid::UNKNOWN && wanted.contains(&key) {
            key
        } else {
            wanted[0]
        };
        if !self.can_coerce(offset.ty, target, CastContext::Implicit) {
            return Err(PgError::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                format!(
                    "RANGE with offset PRECEDING/FOLLOWING is not supported for column type {} and offset type {}",
                    self.type_text(key),
                    self.type_text(offset.ty)
                ),
            )
            .hint("Cast the offset value to an appropriate type.")
            .at(start_of(at)));
        }
        self.coerce(offset, Target::implicit(target), At::Expr(at))
    }
}

/// `checkFrameOptions` of the grammar.
fn check_frame(frame: &ast::WindowFrame) -> Result<()> {
    use ast::WindowFrameBound as B;
    let place = match &frame.end_bound {
        Some(B::Preceding(Some(expr)) | B::Following(Some(expr))) => start_of(expr),
        _ => 0,
    };
    let refuse = |message: &str| Err(PgError::new(sqlstate::WINDOWING_ERROR, message).at(place));
    let start = &frame.start_bound;
    let end = frame.end_bound.as_ref().unwrap_or(&B::CurrentRow);
    if matches!(start, B::Following(None)) {
        return refuse("frame start cannot be UNBOUNDED FOLLOWING");
    }
    if matches!(end, B::Preceding(None)) {
        return refuse("frame end cannot be UNBOUNDED PRECEDING");
    }
    if frame.end_bound.is_none() && matches!(start, B::Following(_)) {
        return refuse("frame starting from following row cannot end with current row");
    }
    match (start, end) {
        (B::CurrentRow, B::Preceding(_)) => refuse("frame starting from current row cannot have preceding rows"),
        (B::Following(_), B::Preceding(_)) => refuse("frame starting from following row cannot have preceding rows"),
        (B::Following(_), B::CurrentRow) => refuse("frame starting from following row cannot end with current row"),
        _ => Ok(()),
    }
}

fn no_window(name: &str, position: u32) -> PgError {
    PgError::new(sqlstate::UNDEFINED_OBJECT, format!("window \"{name}\" does not exist")).at(position)
}

pub(super) fn contains_window(expr: &Expr) -> bool {
    let mut found = false;
    walk(expr, 0, &mut |expr, depth| {
        found |= depth == 0 && matches!(expr.kind, ExprKind::Window(_));
        if depth == 0 { Step::Into } else { Step::Over }
    });
    found
}

fn refused_place(clause: Clause) -> Option<&'static str> {
    Some(match clause {
        Clause::None | Clause::SelectTarget | Clause::OrderBy | Clause::DistinctOn => {
            return None;
        }
        Clause::JoinOn => "JOIN conditions",
        Clause::FromFunction => "functions in FROM",
        Clause::WindowPartition | Clause::WindowOrder | Clause::WindowRange | Clause::WindowRows | Clause::WindowGroups => {
            "window definitions"
        }
        Clause::Check => "check constraints",
        Clause::Default => "DEFAULT expressions",
        Clause::IndexExpression => "index expressions",
        Clause::IndexPredicate => "index predicates",
        Clause::Generated => "column generation expressions",
        Clause::CopyWhere => "COPY FROM WHERE conditions",
        other => other.name(),
    })
}
