//! Functions: which one is meant (PostgreSQL 15 docs, 10.3), and ordinary calls of it.

use std::sync::Arc;

use smallvec::SmallVec;

use super::Binder;
use super::at::At;
use super::coerce::Target;
use super::kind::{NO_CATEGORY, STRING_CATEGORY};
use super::polymorphic::is_polymorphic;
use super::tree::{Call, Expr, ExprKind};
use crate::error::{PgError, Result, sqlstate};
use crate::functions::argument_names::argument_names;
use crate::functions::{Body, Builtin, Operator, registry};
use crate::ids::Oid;
use crate::types::{Value, info, oid};

/// A function or operator that a use may mean.
pub(super) struct Candidate<'c> {
    pub operator: Option<&'c Operator>,
    pub function: Option<&'static Builtin>,
    /// Declared types, one for each actual argument.
    pub args: SmallVec<[Oid; 4]>,
    /// How many actual arguments the variadic array takes up; 0 if it is not expanded.
    pub variadic: usize,
    /// Arguments that come from defaults.
    pub defaults: usize,
    /// For a call by name: the declared place of each actual argument.
    pub places: SmallVec<[u8; 4]>,
}

impl<'c> Candidate<'c> {
    pub fn of_operator(operator: &'c Operator, args: &[Oid]) -> Self {
        Candidate {
            operator: Some(operator),
            function: None,
            args: SmallVec::from_slice(args),
            variadic: 0,
            defaults: 0,
            places: SmallVec::new(),
        }
    }
}

/// A function as resolved for some arguments.
pub(super) struct Resolved {
    pub function: &'static Builtin,
    /// Declared types, defaults and variadic elements included, polymorphism not yet resolved.
    pub declared: SmallVec<[Oid; 4]>,
    pub variadic: usize,
    pub defaults: usize,
    pub places: SmallVec<[u8; 4]>,
}

/// What a name with arguments turned out to be.
pub(super) enum Found {
    Function(Resolved),
    /// `int4(x)`: a cast.
    Cast(Oid),
    None,
    Many,
}

/// A call as written.
pub(super) struct Written<'a> {
    pub name: &'a str,
    pub args: Vec<Expr>,
    pub at: Vec<At<'a>>,
    /// Names of the last arguments.
    pub names: Vec<&'a str>,
    /// The last argument is `VARIADIC array`.
    pub variadic: bool,
    pub position: u32,
}

impl<'a> Binder<'a> {
    /// `func_get_detail`.
    pub(super) fn find_function(&self, name: &str, types: &[Oid], names: &[&str], variadic: bool) -> Found {
        let mut candidates = candidates(name, types.len(), names, variadic);
        // An exact match wins at once.
        if let Some(at) = candidates.iter().position(|found| found.args.as_slice() == types) {
            return Found::Function(resolved(candidates.swap_remove(at)));
        }
        if let [only] = types
            && !variadic
            && names.is_empty()
            && let Some(found) = self.as_cast(name, *only)
        {
            return found;
        }
        candidates.retain(|candidate| self.args_fit(types, &candidate.args));
        match candidates.len() {
            0 => Found::None,
            1 => Found::Function(resolved(candidates.remove(0))),
            _ => match select_candidate(self, types, &candidates) {
                Some(at) => Found::Function(resolved(candidates.swap_remove(at))),
                None => Found::Many,
            },
        }
    }

    /// A type's name over one argument that becomes it without a function of its own.
    fn as_cast(&self, name: &str, from: Oid) -> Option<Found> {
        let target = info::by_name(name)
            .filter(|row| row.name == name)
            .map(|row| row.oid)
            .or_else(|| self.catalog.lookup_type(self.path, None, name).ok())?;
        if from == oid::UNKNOWN {
            return Some(Found::Cast(target));
        }
        match self.pathway(from, target, crate::types::cast::CastContext::Explicit)? {
            super::coerce::Path::Relabel => Some(Found::Cast(target)),
            // A cast through text counts for everything but composite to string; one by a function is that function.
            super::coerce::Path::Function => {
                let by_function = registry::functions()
                    .by_name(name)
                    .iter()
                    .any(|function| function.args == [from]);
                (!by_function && !self.is_row(from)).then_some(Found::Cast(target))
            }
            super::coerce::Path::ArrayElements => None,
        }
    }

    /// Resolves a call's function or raises 42883 or 42725.
    pub(super) fn resolve_function(&self, written: &Written<'_>) -> Result<Found> {
        let types: SmallVec<[Oid; 8]> = written.args.iter().map(|arg| arg.ty).collect();
        match self.find_function(written.name, &types, &written.names, written.variadic) {
            Found::None => Err(self.no_function(written, &types)),
            Found::Many => Err(PgError::new(
                sqlstate::AMBIGUOUS_FUNCTION,
                format!(
                    "function {} is not unique",
                    self.function_text(written.name, &types, &written.names)
                ),
            )
            .hint("Could not choose a best candidate function. You might need to add explicit type casts.")
            .at(written.position)),
            found => Ok(found),
        }
    }

    fn no_function(&self, written: &Written<'_>, types: &[Oid]) -> PgError {
        PgError::new(
            sqlstate::UNDEFINED_FUNCTION,
            format!(
                "function {} does not exist",
                self.function_text(written.name, types, &written.names)
            ),
        )
        .hint("No function matches the given name and argument types. You might need to add explicit type casts.")
        .at(written.position)
    }

    /// `name(type, type)`.
    pub(super) fn function_text(&self, name: &str, types: &[Oid], names: &[&str]) -> String {
        let positional = types.len() - names.len();
        let args: Vec<String> = types
            .iter()
            .enumerate()
            .map(|(at, ty)| match at.checked_sub(positional) {
                Some(named) => format!("{} => {}", names[named], self.type_text(*ty)),
                None => self.type_text(*ty),
            })
            .collect();
        format!("{name}({})", args.join(", "))
    }

    /// `make_fn_arguments`: coerces the arguments, adds defaults, gathers variadic ones. Answers them with the result type.
    pub(super) fn fit_arguments(&mut self, resolved: &Resolved, written: &mut Written<'_>) -> Result<(Vec<Expr>, Oid)> {
        let function = resolved.function;
        let mut args = std::mem::take(&mut written.args);
        let mut declared = resolved.declared.clone();
        if !resolved.places.is_empty() {
            args = self.by_place(resolved, args)?;
            declared = SmallVec::from_slice(function.args);
        } else if resolved.defaults > 0 {
            self.add_defaults(resolved, &mut args)?;
        }
        let actual: SmallVec<[Oid; 8]> = args.iter().map(|arg| arg.ty).collect();
        let returns = if declared.iter().any(|ty| is_polymorphic(*ty)) || is_polymorphic(function.returns) {
            self.resolve_polymorphic(&actual, &mut declared, function.returns)
                .map_err(|error| error.at(written.position))?
        } else {
            function.returns
        };
        let mut fitted = Vec::with_capacity(args.len());
        for (at, (arg, ty)) in args.into_iter().zip(&declared).enumerate() {
            let place = written.at.get(at).copied().unwrap_or(At::NONE);
            fitted.push(self.coerce(arg, Target::implicit(*ty), place)?);
        }
        if resolved.variadic > 0 && function.args.last() != Some(&oid::ANY) {
            let first = fitted.len() - resolved.variadic;
            let elements: Vec<Expr> = fitted.split_off(first);
            let element = elements.first().map_or(oid::TEXT, |expr| expr.ty);
            let array = self.array_of(element).ok_or_else(|| {
                PgError::new(
                    sqlstate::UNDEFINED_OBJECT,
                    format!("could not find array type for data type {}", self.type_text(element)),
                )
            })?;
            fitted.push(Expr::new(ExprKind::Array { elements, nested: false }, array));
        }
        Ok((fitted, returns))
    }

    /// Arguments given by name, in the declared order, defaults between.
    fn by_place(&mut self, resolved: &Resolved, args: Vec<Expr>) -> Result<Vec<Expr>> {
        let function = resolved.function;
        let mut placed: Vec<Option<Expr>> = function.args.iter().map(|_| None).collect();
        for (arg, place) in args.into_iter().zip(&resolved.places) {
            placed[usize::from(*place)] = Some(arg);
        }
        let first_default = function.args.len() - function.defaults.len();
        let mut all = Vec::with_capacity(placed.len());
        for (at, arg) in placed.into_iter().enumerate() {
            all.push(match arg {
                Some(arg) => arg,
                None => self.default_argument(function.defaults[at - first_default], function.args[at])?,
            });
        }
        Ok(all)
    }

    fn default_argument(&self, text: &str, ty: Oid) -> Result<Expr> {
        if text.eq_ignore_ascii_case("null") {
            return Ok(Expr::constant(Value::Null, ty));
        }
        let value = crate::types::io::text_in(ty, -1, text.trim_matches('\''), &self.env)?;
        Ok(Expr::constant(value, ty))
    }

    fn add_defaults(&mut self, resolved: &Resolved, args: &mut Vec<Expr>) -> Result<()> {
        let function = resolved.function;
        let skip = function.defaults.len() - resolved.defaults;
        for (text, ty) in function.defaults[skip..].iter().zip(&resolved.declared[args.len()..]) {
            args.push(self.default_argument(text, *ty)?);
        }
        Ok(())
    }

    /// An ordinary function's call node.
    pub(super) fn call(&mut self, resolved: &Resolved, mut written: Written<'a>) -> Result<Expr> {
        let actual: Arc<[Oid]> = written.args.iter().map(|arg| arg.ty).collect();
        let (args, ty) = self.fit_arguments(resolved, &mut written)?;
        let takes_any = resolved.function.args.contains(&oid::ANY);
        let arg_types: Arc<[Oid]> = if takes_any {
            // Unknown literals given to "any" are text.
            actual
                .iter()
                .map(|ty| if *ty == oid::UNKNOWN { oid::TEXT } else { *ty })
                .collect()
        } else {
            args.iter().map(|arg| arg.ty).collect()
        };
        let mut fitted = Vec::with_capacity(args.len());
        for arg in args {
            let literal = takes_any && !matches!(arg.kind, ExprKind::Param(_));
            fitted.push(if literal { self.resolve_unknown(arg, At::NONE)? } else { arg });
        }
        Ok(Expr::new(
            ExprKind::Call(Box::new(Call {
                function: resolved.function,
                args: fitted,
                arg_types,
                operator: None,
                variadic_array: written.variadic,
            })),
            ty,
        ))
    }

    /// A call of a builtin by name over bound arguments, for syntax that stands for a function.
    pub(super) fn call_named(&mut self, name: &'a str, args: Vec<Expr>, at: Vec<At<'a>>, position: u32) -> Result<Expr> {
        let written = Written {
            name,
            args,
            at,
            names: Vec::new(),
            variadic: false,
            position,
        };
        match self.resolve_function(&written)? {
            Found::Function(resolved) => self.call(&resolved, written),
            Found::Cast(ty) => self.function_cast(written, ty),
            Found::None | Found::Many => Err(PgError::internal("unresolved function")),
        }
    }

    /// `int4(x)` as a cast.
    pub(super) fn function_cast(&mut self, mut written: Written<'a>, ty: Oid) -> Result<Expr> {
        let at = written.at.first().copied().unwrap_or(At::NONE);
        match written.args.pop() {
            Some(arg) => self.cast(arg, ty, -1, at, written.position),
            None => Err(PgError::internal("a cast without argument")),
        }
    }
}

fn resolved(candidate: Candidate<'_>) -> Resolved {
    Resolved {
        function: candidate.function.expect("candidates of a function name carry the function"),
        declared: candidate.args,
        variadic: candidate.variadic,
        defaults: candidate.defaults,
        places: candidate.places,
    }
}

/// `FuncnameGetCandidates`: functions of a name that take this many arguments.
fn candidates(name: &str, count: usize, names: &[&str], variadic_call: bool) -> SmallVec<[Candidate<'static>; 8]> {
    let mut found: SmallVec<[Candidate<'static>; 8]> = SmallVec::new();
    for function in registry::functions().by_name(name) {
        let declared = function.args.len();
        let direct_variadic = function.variadic && !variadic_call;
        let mut candidate = Candidate {
            operator: None,
            function: Some(function),
            args: SmallVec::from_slice(function.args),
            variadic: 0,
            defaults: 0,
            places: SmallVec::new(),
        };
        if !names.is_empty() {
            found.extend(named_candidate(candidate, count, names));
            continue;
        }
        if direct_variadic && count + 1 > declared {
            // At least one argument for the array's elements.
            let element = match function.args[declared - 1] {
                oid::ANY => oid::ANY,
                oid::ANYARRAY => oid::ANYELEMENT,
                oid::ANYCOMPATIBLEARRAY => oid::ANYCOMPATIBLE,
                array => info::element_of(array).unwrap_or(array),
            };
            candidate.args.truncate(declared - 1);
            candidate.variadic = count + 1 - declared;
            candidate.args.resize(count, element);
        } else if direct_variadic {
            continue;
        } else if declared > count {
            candidate.defaults = declared - count;
            if candidate.defaults > function.defaults.len() {
                continue;
            }
        } else if declared < count || (variadic_call && !function.variadic) {
            continue;
        }
        insert_candidate(&mut found, candidate, count);
    }
    found
}

/// `MatchNamedCall`: a candidate whose names the call uses, its argument types in the call's order.
fn named_candidate(mut candidate: Candidate<'static>, count: usize, names: &[&str]) -> Option<Candidate<'static>> {
    let function = candidate.function?;
    let declared = argument_names(function.oid)?;
    if function.variadic || count > declared.len() || declared.len() != function.args.len() {
        return None;
    }
    let positional = count - names.len();
    let mut places: SmallVec<[u8; 4]> = (0..positional).map(|at| u8::try_from(at).unwrap_or(u8::MAX)).collect();
    for name in names {
        let place = u8::try_from(declared.iter().position(|other| other == name)?).ok()?;
        if places.contains(&place) {
            return None;
        }
        places.push(place);
    }
    let first_default = function.args.len() - function.defaults.len();
    let missing_required = (0..first_default).any(|at| !places.iter().any(|place| usize::from(*place) == at));
    if missing_required {
        return None;
    }
    candidate.args = places.iter().map(|place| function.args[usize::from(*place)]).collect();
    candidate.places = places;
    Some(candidate)
}

/// Of two candidates that look alike over the actual arguments, the one without expansion or defaults stays.
fn insert_candidate(found: &mut SmallVec<[Candidate<'static>; 8]>, candidate: Candidate<'static>, count: usize) {
    let alike = found.iter().position(|other| other.args[..count] == candidate.args[..count]);
    match alike {
        None => found.push(candidate),
        Some(at) => {
            let other = &found[at];
            let better = (other.variadic > 0 && candidate.variadic == 0)
                || (other.variadic == candidate.variadic && other.defaults > candidate.defaults);
            if better {
                found[at] = candidate;
            }
        }
    }
}

/// `func_select_candidate`: the place of the best of several that fit, or `None` if it cannot be told.
pub(super) fn select_candidate(binder: &Binder<'_>, types: &[Oid], candidates: &[Candidate<'_>]) -> Option<usize> {
    let base: SmallVec<[Oid; 8]> = types.iter().map(|ty| binder.base_type(*ty)).collect();
    let unknown = base.iter().filter(|ty| **ty == oid::UNKNOWN).count();
    let mut left: SmallVec<[usize; 16]> = (0..candidates.len()).collect();

    keep_best(&mut left, |at| {
        let args = &candidates[at].args;
        base.iter()
            .zip(args)
            .filter(|(ty, arg)| **ty != oid::UNKNOWN && ty == arg)
            .count()
    });
    if let [only] = left.as_slice() {
        return Some(*only);
    }
    let categories: SmallVec<[char; 8]> = base.iter().map(|ty| binder.category(*ty).0).collect();
    keep_best(&mut left, |at| {
        let args = &candidates[at].args;
        base.iter()
            .zip(args)
            .zip(&categories)
            .filter(|((ty, arg), category)| **ty != oid::UNKNOWN && (ty == arg || is_preferred(binder, **category, **arg)))
            .count()
    });
    if let [only] = left.as_slice() {
        return Some(*only);
    }
    if unknown == 0 {
        return None;
    }
    resolve_unknowns(binder, &base, candidates, &mut left);
    if let [only] = left.as_slice() {
        return Some(*only);
    }
    same_type_for_all(binder, &base, candidates, &left, unknown)
}

/// Keeps those with the highest score.
fn keep_best(left: &mut SmallVec<[usize; 16]>, score: impl Fn(usize) -> usize) {
    let scores: SmallVec<[usize; 16]> = left.iter().map(|at| score(*at)).collect();
    let best = scores.iter().copied().max().unwrap_or(0);
    let mut at = 0;
    left.retain(|_| {
        at += 1;
        scores[at - 1] == best
    });
}

fn is_preferred(binder: &Binder<'_>, category: char, ty: Oid) -> bool {
    let (of_ty, preferred) = binder.category(ty);
    of_ty == category && preferred
}

/// Unknown arguments: a category that all candidates share, or string where one takes a string.
fn resolve_unknowns(binder: &Binder<'_>, base: &[Oid], candidates: &[Candidate<'_>], left: &mut SmallVec<[usize; 16]>) {
    let mut slots: SmallVec<[(char, bool); 8]> = SmallVec::from_elem((NO_CATEGORY, false), base.len());
    let mut resolved = false;
    for (place, ty) in base.iter().enumerate() {
        if *ty != oid::UNKNOWN {
            continue;
        }
        resolved = true;
        let mut slot = (NO_CATEGORY, false);
        let mut conflict = false;
        for at in left.iter() {
            let (category, preferred) = binder.category(candidates[*at].args[place]);
            if slot.0 == NO_CATEGORY {
                slot = (category, preferred);
            } else if slot.0 == category {
                slot.1 |= preferred;
            } else if category == STRING_CATEGORY {
                // String is the first choice for literals.
                slot = (category, preferred);
                conflict = false;
            } else if slot.0 != STRING_CATEGORY {
                conflict = true;
            }
        }
        if conflict && slot.0 != STRING_CATEGORY {
            resolved = false;
            break;
        }
        slots[place] = slot;
    }
    if !resolved {
        return;
    }
    let fits = |at: usize| {
        base.iter().enumerate().all(|(place, ty)| {
            if *ty != oid::UNKNOWN {
                return true;
            }
            let (category, preferred) = binder.category(candidates[at].args[place]);
            category == slots[place].0 && (!slots[place].1 || preferred)
        })
    };
    let kept: SmallVec<[usize; 16]> = left.iter().copied().filter(|at| fits(*at)).collect();
    if !kept.is_empty() {
        *left = kept;
    }
}

/// Last resort: if all known arguments have one type, the unknown ones are taken to have it too.
fn same_type_for_all(
    binder: &Binder<'_>,
    base: &[Oid],
    candidates: &[Candidate<'_>],
    left: &[usize],
    unknown: usize,
) -> Option<usize> {
    if unknown >= base.len() {
        return None;
    }
    let mut known = base.iter().copied().filter(|ty| *ty != oid::UNKNOWN);
    let first = known.next()?;
    if known.any(|ty| ty != first) {
        return None;
    }
    let guess: SmallVec<[Oid; 8]> = SmallVec::from_elem(first, base.len());
    let mut fitting = left
        .iter()
        .copied()
        .filter(|at| binder.args_fit(&guess, &candidates[*at].args));
    match (fitting.next(), fitting.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    }
}

/// Whether a call may stand for rows.
pub(super) fn returns_set(function: &Builtin) -> bool {
    matches!(function.body, Body::Set(_))
}

impl<'a> Binder<'a> {
    /// Resolves and calls an ordinary function; no aggregate or window function may stand here.
    pub(super) fn call_written(&mut self, written: Written<'a>) -> Result<Expr> {
        match self.resolve_function(&written)? {
            Found::Function(resolved) => match resolved.function.body {
                Body::Aggregate(_) | Body::OrderedSet(..) => Err(PgError::new(
                    sqlstate::GROUPING_ERROR,
                    "aggregate functions are not allowed in functions in FROM",
                )
                .at(written.position)),
                Body::Window(_) => Err(PgError::new(
                    sqlstate::WINDOWING_ERROR,
                    "window functions are not allowed in functions in FROM",
                )
                .at(written.position)),
                Body::Scalar(_) | Body::Set(_) | Body::Waiting(_) => self.call(&resolved, written),
            },
            Found::Cast(ty) => self.function_cast(written, ty),
            Found::None | Found::Many => Err(PgError::internal("unresolved function")),
        }
    }
}
