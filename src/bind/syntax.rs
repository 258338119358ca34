//! Calls, and the forms of SQL that stand for calls: EXTRACT, SUBSTRING, LIKE, `CURRENT_DATE` and the like.

use sqlparser::ast::{self, FunctionArg, FunctionArgExpr, FunctionArguments};

use super::Binder;
use super::at::{At, start_of};
use super::coerce::{Target, cast_node};
use super::function::{Found, Written, returns_set};
use super::operator::Use;
use super::scope::Clause;
use super::tree::{CastKind, Expr, ExprKind};
use crate::error::{PgError, Result, sqlstate};
use crate::functions::{Body, registry};
use crate::ids::Oid;
use crate::parse::position_of;
use crate::types::{info, oid};

impl<'a> Binder<'a> {
    /// Forms that sqlparser has a node for and PostgreSQL a function.
    pub(super) fn special_form(&mut self, expr: &'a ast::Expr) -> Result<Expr> {
        use ast::Expr as E;
        let position = start_of(expr);
        match expr {
            E::AtTimeZone { timestamp, time_zone } => {
                let args = vec![self.expr(time_zone)?, self.expr(timestamp)?];
                let at = vec![At::Expr(time_zone), At::Expr(timestamp)];
                let position = self.position_after(timestamp, "at");
                self.call_named("timezone", args, at, position)
            }
            E::Extract { field, expr, .. } => {
                let text = match field {
                    ast::DateTimeField::Custom(ident) => ident.value.clone(),
                    other => other.to_string().to_ascii_lowercase(),
                };
                let args = vec![super::literal::unknown(&text), self.expr(expr)?];
                let position = self.position_before(position, "extract");
                self.call_named("extract", args, vec![At::NONE, At::Expr(expr)], position)
            }
            E::Position { expr, r#in } => {
                let args = vec![self.expr(r#in)?, self.expr(expr)?];
                let at = vec![At::Expr(r#in), At::Expr(expr)];
                self.call_named("position", args, at, self.position_before(position, "position"))
            }
            E::Substring {
                expr,
                substring_from,
                substring_for,
                ..
            } => self.substring(expr, substring_from.as_deref(), substring_for.as_deref(), position),
            E::Overlay {
                expr,
                overlay_what,
                overlay_from,
                overlay_for,
            } => {
                let mut args: Vec<&'a ast::Expr> = vec![expr, overlay_what, overlay_from];
                args.extend(overlay_for.as_deref());
                self.call_over("overlay", &args, position)
            }
            E::Trim {
                trim_where,
                trim_what,
                expr,
                trim_characters,
            } => {
                let name = match trim_where {
                    Some(ast::TrimWhereField::Leading) => "ltrim",
                    Some(ast::TrimWhereField::Trailing) => "rtrim",
                    _ => "btrim",
                };
                let mut args: Vec<&'a ast::Expr> = vec![expr];
                args.extend(trim_characters.iter().flatten());
                args.extend(trim_what.as_deref());
                self.call_over(name, &args, position)
            }
            E::Like {
                negated,
                expr,
                pattern,
                escape_char,
                ..
            } => {
                let name = if *negated { "!~~" } else { "~~" };
                self.like(name, "like", expr, pattern, escape_char.as_deref(), "like_escape")
            }
            E::ILike {
                negated,
                expr,
                pattern,
                escape_char,
                ..
            } => {
                let name = if *negated { "!~~*" } else { "~~*" };
                self.like(name, "ilike", expr, pattern, escape_char.as_deref(), "like_escape")
            }
            E::SimilarTo {
                negated,
                expr,
                pattern,
                escape_char,
            } => self.similar(*negated, expr, pattern, escape_char.as_deref()),
            E::Ceil { expr, .. } => self.call_over("ceil", &[expr], position),
            E::Floor { expr, .. } => self.call_over("floor", &[expr], position),
            E::IsNormalized { expr, negated, .. } => {
                let call = self.call_over("is_normalized", &[expr], position)?;
                Ok(if *negated {
                    Expr::new(ExprKind::Not(Box::new(call)), oid::BOOL)
                } else {
                    call
                })
            }
            _ => Err(PgError::unsupported("this expression").at(position)),
        }
    }

    fn call_over(&mut self, name: &'static str, args: &[&'a ast::Expr], position: u32) -> Result<Expr> {
        let mut bound = Vec::with_capacity(args.len());
        for arg in args {
            bound.push(self.expr(arg)?);
        }
        let at = args.iter().map(|arg| At::Expr(arg)).collect();
        self.call_named(name, bound, at, position)
    }

    fn substring(
        &mut self,
        text: &'a ast::Expr,
        from: Option<&'a ast::Expr>,
        length: Option<&'a ast::Expr>,
        position: u32,
    ) -> Result<Expr> {
        match (from, length) {
            (Some(from), Some(length)) => self.call_over("substring", &[text, from, length], position),
            (Some(from), None) => self.call_over("substring", &[text, from], position),
            (None, Some(length)) => {
                let bound = self.expr(text)?;
                let count = self.expr(length)?;
                let count = self.cast(count, oid::INT4, -1, At::Expr(length), 0)?;
                let one = Expr::constant(crate::types::Value::Int4(1), oid::INT4);
                let at = vec![At::Expr(text), At::NONE, At::Expr(length)];
                self.call_named("substring", vec![bound, one, count], at, position)
            }
            (None, None) => self.call_over("substring", &[text], position),
        }
    }

    fn like(
        &mut self,
        name: &'static str,
        word: &'static str,
        text: &'a ast::Expr,
        pattern: &'a ast::Expr,
        escape: Option<&'a ast::Expr>,
        escape_function: &'static str,
    ) -> Result<Expr> {
        let left = self.expr(text)?;
        let mut right = self.expr(pattern)?;
        if let Some(escape) = escape {
            let character = self.expr(escape)?;
            let at = vec![At::Expr(pattern), At::Expr(escape)];
            right = self.call_named(escape_function, vec![right, character], at, start_of(text))?;
        }
        let word = if name.starts_with('!') { "not" } else { word };
        self.binary(Use::written(name, text, word), left, right, At::Expr(text), At::Expr(pattern))
    }

    fn similar(
        &mut self,
        negated: bool,
        text: &'a ast::Expr,
        pattern: &'a ast::Expr,
        escape: Option<&'a ast::Expr>,
    ) -> Result<Expr> {
        let left = self.expr(text)?;
        let mut args = vec![self.expr(pattern)?];
        let mut at = vec![At::Expr(pattern)];
        if let Some(escape) = escape {
            args.push(self.expr(escape)?);
            at.push(At::Expr(escape));
        }
        let right = self.call_named("similar_to_escape", args, at, start_of(text))?;
        let (name, word) = if negated { ("!~", "not") } else { ("~", "similar") };
        self.binary(Use::written(name, text, word), left, right, At::Expr(text), At::Expr(pattern))
    }

    /// `(a, b) OVERLAPS (c, d)`.
    pub(super) fn overlaps(&mut self, left: &'a ast::Expr, right: &'a ast::Expr) -> Result<Expr> {
        let (ast::Expr::Tuple(lefts), ast::Expr::Tuple(rights)) = (left, right) else {
            return Err(PgError::new(
                sqlstate::SYNTAX_ERROR,
                "wrong number of parameters on right side of OVERLAPS expression",
            ));
        };
        for (side, name) in [(lefts, "left"), (rights, "right")] {
            if side.len() != 2 {
                return Err(PgError::new(
                    sqlstate::SYNTAX_ERROR,
                    format!("wrong number of parameters on {name} side of OVERLAPS expression"),
                )
                .at(start_of(left)));
            }
        }
        let args: Vec<&'a ast::Expr> = lefts.iter().chain(rights).collect();
        self.call_over("overlaps", &args, start_of(left))
    }

    /// `name(...)` in all its forms.
    pub(super) fn function(&mut self, function: &'a ast::Function) -> Result<Expr> {
        let parts: Vec<&'a ast::Ident> = function.name.0.iter().filter_map(|part| part.as_ident()).collect();
        let Some(last) = parts.last() else {
            return Err(PgError::internal("a function without name"));
        };
        let position = position_of(parts[0].span);
        if let [only] = parts.as_slice()
            && only.quote_style.is_none()
            && let Some(expr) = self.special_call(function, only.value.as_str(), position)?
        {
            return Ok(expr);
        }
        let name: &'a str = match parts.as_slice() {
            [_] => last.value.as_str(),
            [schema, _] if schema.value == "pg_catalog" => last.value.as_str(),
            _ => self.schema_function(function, &parts, position)?,
        };
        self.ordinary_call(function, name, position)
    }

    /// Functions of other schemas carry their schema in the registry's name.
    fn schema_function(&self, function: &'a ast::Function, parts: &[&'a ast::Ident], position: u32) -> Result<&'static str> {
        let full = parts.iter().map(|part| part.value.as_str()).collect::<Vec<_>>().join(".");
        if let Some(found) = registry::functions().by_name(&full).first() {
            return Ok(found.name);
        }
        if parts.len() > 2 {
            return Err(PgError::new(
                sqlstate::SYNTAX_ERROR,
                format!("improper qualified name (too many dotted names): {}", function.name),
            )
            .at(position));
        }
        if self.catalog.find_schema(&parts[0].value).is_none() {
            return Err(PgError::new(
                sqlstate::UNDEFINED_SCHEMA,
                format!("schema \"{}\" does not exist", parts[0].value),
            )
            .at(position));
        }
        let count = match &function.args {
            FunctionArguments::List(list) => list.args.len(),
            _ => 0,
        };
        Err(PgError::new(
            sqlstate::UNDEFINED_FUNCTION,
            format!("function {full}({}) does not exist", vec!["unknown"; count].join(", ")),
        )
        .hint("No function matches the given name and argument types. You might need to add explicit type casts.")
        .at(position))
    }

    /// Key words that look like calls, or functions without parentheses.
    fn special_call(&mut self, function: &'a ast::Function, name: &str, position: u32) -> Result<Option<Expr>> {
        match &function.args {
            FunctionArguments::Subquery(query) if name == "array" => return self.array_subquery(query).map(Some),
            FunctionArguments::None => return self.value_function(name, None).map(Some),
            FunctionArguments::List(list) => {
                if matches!(name, "current_timestamp" | "current_time" | "localtime" | "localtimestamp") {
                    let digits = match list.args.first() {
                        Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(ast::Expr::Value(value)))) => {
                            value.value.to_string().parse().ok()
                        }
                        _ => None,
                    };
                    return self.value_function(name, digits).map(Some);
                }
                let special = matches!(name, "coalesce" | "greatest" | "least" | "nullif" | "grouping");
                if special {
                    let args = plain_args(list)?;
                    return match name {
                        "coalesce" => self.common_list("COALESCE", &args),
                        "greatest" => self.common_list("GREATEST", &args),
                        "least" => self.common_list("LEAST", &args),
                        "grouping" => self.grouping(&args, position),
                        _ => match args.as_slice() {
                            [left, right] => self.null_if(left, right, position),
                            _ => Err(PgError::new(sqlstate::SYNTAX_ERROR, "syntax error in NULLIF").at(position)),
                        },
                    }
                    .map(Some);
                }
                if name.starts_with('\u{1}')
                    && let Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(cursor))) = list.args.first()
                {
                    return self.current_of_cursor(cursor).map(Some);
                }
            }
            FunctionArguments::Subquery(_) => {}
        }
        Ok(None)
    }

    fn current_of_cursor(&mut self, cursor: &'a ast::Expr) -> Result<Expr> {
        match cursor {
            ast::Expr::Identifier(ident) => Ok(Expr::new(ExprKind::CurrentOf(ident.value.as_str().into()), oid::BOOL)),
            _ => Err(PgError::unsupported("WHERE CURRENT OF with a parameter")),
        }
    }

    /// `CURRENT_DATE`, `CURRENT_USER`, ...: calls of functions with the same value.
    fn value_function(&mut self, name: &str, digits: Option<i64>) -> Result<Expr> {
        let (function, ty, written) = match name {
            "current_date" => ("now", oid::DATE, "CURRENT_DATE"),
            "current_time" => ("now", oid::TIMETZ, "CURRENT_TIME"),
            "current_timestamp" => ("now", oid::TIMESTAMPTZ, "CURRENT_TIMESTAMP"),
            "localtime" => ("now", oid::TIME, "LOCALTIME"),
            "localtimestamp" => ("now", oid::TIMESTAMP, "LOCALTIMESTAMP"),
            "current_role" => ("current_user", oid::NAME, "CURRENT_ROLE"),
            "current_user" => ("current_user", oid::NAME, "CURRENT_USER"),
            "user" => ("current_user", oid::NAME, "USER"),
            "session_user" => ("session_user", oid::NAME, "SESSION_USER"),
            "current_catalog" => ("current_database", oid::NAME, "CURRENT_CATALOG"),
            "current_schema" => ("current_schema", oid::NAME, "CURRENT_SCHEMA"),
            _ => return Err(PgError::internal(format!("no such value function: {name}"))),
        };
        let Some(found) = registry::functions().by_name(function).iter().find(|f| f.args.is_empty()) else {
            return Err(PgError::unsupported(written));
        };
        let call = super::coerce::call_node(found, Vec::new(), found.returns, Some(written));
        let mut expr = if found.returns == ty {
            call
        } else {
            cast_node(call, CastKind::Plain, ty, false)
        };
        if let Some(digits) = digits {
            let typmod = info::typmod_in(ty, &[digits.min(6)])?;
            expr = self.coerce_typmod(expr, Target::implicit(ty).with_typmod(typmod));
        }
        Ok(expr)
    }

    fn ordinary_call(&mut self, function: &'a ast::Function, name: &'a str, position: u32) -> Result<Expr> {
        let FunctionArguments::List(list) = &function.args else {
            return Err(PgError::internal("a call without argument list"));
        };
        let mut written = Written {
            name,
            args: Vec::with_capacity(list.args.len()),
            at: Vec::with_capacity(list.args.len()),
            names: Vec::new(),
            variadic: false,
            position,
        };
        let mut star = false;
        for arg in &list.args {
            star |= self.argument(arg, &mut written)?;
        }
        let mut order: &'a [ast::OrderByExpr] = &[];
        for clause in &list.clauses {
            match clause {
                ast::FunctionArgumentClause::OrderBy(keys) => order = keys,
                _ => return Err(PgError::unsupported("this clause of a call")),
            }
        }
        let form = CallForm {
            function,
            star,
            distinct: list.duplicate_treatment == Some(ast::DuplicateTreatment::Distinct),
            order,
        };
        if !function.within_group.is_empty() {
            return self.ordered_set(form, written);
        }
        if star && written.args.is_empty() && name != "count" && function.over.is_none() {
            let known = registry::functions().by_name(name);
            let is_aggregate = known.iter().any(|f| f.is_aggregate());
            if !known.is_empty() && !is_aggregate {
                return Err(wrong_object(
                    format!("{name}(*) specified, but {name} is not an aggregate function"),
                    position,
                ));
            }
        }
        match self.resolve_function(&written)? {
            Found::Cast(ty) => {
                self.check_plain(&form, name, position)?;
                self.function_cast(written, ty)
            }
            Found::Function(resolved) => match resolved.function.body {
                Body::Aggregate(_) if function.over.is_none() => self.aggregate(&form, &resolved, written),
                Body::OrderedSet(..) => Err(wrong_object(
                    format!("WITHIN GROUP is required for ordered-set aggregate {name}"),
                    position,
                )),
                Body::Aggregate(_) | Body::Window(_) => self.window_call(&form, &resolved, written),
                Body::Scalar(_) | Body::Set(_) | Body::Waiting(_) => {
                    self.check_plain(&form, name, position)?;
                    if returns_set(resolved.function) {
                        self.check_set_returning(position)?;
                    }
                    self.call(&resolved, written)
                }
            },
            Found::None | Found::Many => Err(PgError::internal("unresolved function")),
        }
    }

    /// One argument into `written`; whether it is `*`.
    fn argument(&mut self, arg: &'a FunctionArg, written: &mut Written<'a>) -> Result<bool> {
        let (name, value) = match arg {
            FunctionArg::Unnamed(value) => (None, value),
            FunctionArg::Named { name, arg, .. } => (Some(name), arg),
            FunctionArg::ExprNamed { .. } => return Err(PgError::unsupported("this argument")),
        };
        match value {
            FunctionArgExpr::Wildcard => return Ok(true),
            FunctionArgExpr::WildcardWithOptions(_) => return Err(PgError::unsupported("this argument")),
            FunctionArgExpr::QualifiedWildcard(relation) => {
                let (up, at) = self.find_star(relation)?;
                let row = self.whole_row(up, at)?;
                written.args.push(row);
                written.at.push(At::NONE);
            }
            FunctionArgExpr::Expr(expr) => {
                let inner = match expr {
                    ast::Expr::Prefixed { prefix, value } if prefix.value.eq_ignore_ascii_case("variadic") => {
                        written.variadic = true;
                        value
                    }
                    other => other,
                };
                let bound = self.expr(inner)?;
                written.args.push(bound);
                written.at.push(At::Expr(inner));
            }
        }
        if let Some(name) = name {
            written.names.push(name.value.as_str());
        } else if !written.names.is_empty() {
            return Err(
                PgError::new(sqlstate::SYNTAX_ERROR, "positional argument cannot follow named argument")
                    .at(written.at.last().map_or(0, |at| at.position())),
            );
        }
        Ok(false)
    }

    /// Clauses that only aggregates take.
    fn check_plain(&self, form: &CallForm<'_>, name: &str, position: u32) -> Result<()> {
        let what = if form.star {
            return Err(wrong_object(
                format!("{name}(*) specified, but {name} is not an aggregate function"),
                position,
            ));
        } else if form.distinct {
            "DISTINCT"
        } else if !form.order.is_empty() {
            "ORDER BY"
        } else if form.function.filter.is_some() {
            "FILTER"
        } else if form.function.over.is_some() {
            return Err(wrong_object(
                format!("OVER specified, but {name} is not a window function nor an aggregate function"),
                position,
            ));
        } else {
            return Ok(());
        };
        Err(wrong_object(
            format!("{what} specified, but {name} is not an aggregate function"),
            position,
        ))
    }

    /// `check_srf_call_placement`.
    fn check_set_returning(&mut self, position: u32) -> Result<()> {
        let clause = self.level_ref().clause;
        let place = match clause {
            Clause::FromFunction => {
                self.level().set_returning_at = position;
                return Ok(());
            }
            Clause::SelectTarget | Clause::GroupBy | Clause::OrderBy | Clause::DistinctOn | Clause::ValuesSingle => {
                self.level().has_set_returning = true;
                self.level().set_returning_at = position;
                return Ok(());
            }
            Clause::JoinOn => "JOIN conditions",
            Clause::WindowPartition | Clause::WindowOrder => "window definitions",
            Clause::Check => "check constraints",
            Clause::Default => "DEFAULT expressions",
            Clause::IndexExpression => "index expressions",
            Clause::IndexPredicate => "index predicates",
            Clause::Generated => "column generation expressions",
            other => other.name(),
        };
        Err(PgError::new(
            sqlstate::FEATURE_NOT_SUPPORTED,
            format!("set-returning functions are not allowed in {place}"),
        )
        .at(position))
    }
}

/// How a call was written, beyond its arguments.
pub(super) struct CallForm<'a> {
    pub function: &'a ast::Function,
    pub star: bool,
    pub distinct: bool,
    pub order: &'a [ast::OrderByExpr],
}

impl Target {
    pub fn with_typmod(mut self, typmod: i32) -> Self {
        self.typmod = typmod;
        self
    }
}

pub(super) fn wrong_object(message: String, position: u32) -> PgError {
    PgError::new(sqlstate::WRONG_OBJECT_TYPE, message).at(position)
}

fn plain_args(list: &ast::FunctionArgumentList) -> Result<Vec<&ast::Expr>> {
    list.args
        .iter()
        .map(|arg| match arg {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Ok(expr),
            _ => Err(PgError::new(sqlstate::SYNTAX_ERROR, "syntax error in argument list")),
        })
        .collect()
}

/// Types that a plain column of a function in FROM may have.
pub(super) fn is_void(ty: Oid) -> bool {
    ty == oid::VOID
}
