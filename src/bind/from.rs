//! FROM: tables, views, sub-selects, functions; joins are in [`super::join`].

use smol_str::SmolStr;
use sqlparser::ast::{self, FunctionArg, FunctionArgExpr, TableFactor};

use super::at::{At, start_of};
use super::column::schema_of;
use super::expr::has_vars;
use super::function::Written;
use super::params::ParamTypes;
use super::scope::{Clause, Item, Level};
use super::select::contains_set_returning;
use super::syntax::is_void;
use super::tree::{Expr, ExprKind, From, Rel, RelColumn, RelKind, TableFunction};
use super::{BindContext, Binder};
use crate::catalog::{RelationRef, View};
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::lock::RelationMode;
use crate::parse::{self, NO_ALIAS, ROWS_FROM, position_of};
use crate::types::oid;

impl<'a> Binder<'a> {
    /// Binds the FROM list; the level's items are then what the rest of the query sees.
    pub(super) fn from_clause(&mut self, list: &'a [ast::TableWithJoins]) -> Result<Vec<From>> {
        let mut from = Vec::with_capacity(list.len());
        for entry in list {
            let (bound, mut items) = self.table_with_joins(entry)?;
            super::join::check_conflicts(&self.level_ref().items, &items, self.level_ref())?;
            for item in &mut items {
                item.lateral_only = true;
                item.lateral_ok = true;
            }
            self.level().items.append(&mut items);
            from.push(bound);
        }
        for item in &mut self.level().items {
            item.lateral_only = false;
            item.lateral_ok = true;
        }
        Ok(from)
    }

    /// One item of FROM before any join.
    pub(super) fn factor(&mut self, factor: &'a TableFactor) -> Result<(From, Vec<Item>)> {
        match factor {
            TableFactor::Table {
                name,
                alias,
                args: None,
                sample,
                with_ordinality: false,
                ..
            } => {
                if sample.is_some() {
                    return Err(PgError::unsupported("TABLESAMPLE"));
                }
                let (schema, relation, position) = self.relation_name(name)?;
                let (at, schema) = self.relation(schema, relation, alias.as_ref(), position)?;
                Ok(self.entry(at, schema))
            }
            TableFactor::Table {
                name,
                alias,
                args,
                with_ordinality,
                ..
            } => {
                let args = args.as_ref().map_or(&[][..], |args| &args.args);
                self.functions(name, args, alias.as_ref(), *with_ordinality)
            }
            TableFactor::Function {
                name,
                args,
                alias,
                with_ordinality,
                ..
            } => self.functions(name, args, alias.as_ref(), *with_ordinality),
            TableFactor::Derived {
                lateral,
                subquery,
                alias,
                sample: None,
            } => self.derived(*lateral, subquery, alias.as_ref()),
            TableFactor::NestedJoin { table_with_joins, alias } => {
                self.nested(|binder| binder.nested_join(table_with_joins, alias.as_ref()))
            }
            TableFactor::TableFunction { expr, alias } => {
                let bound = self.from_expression(expr)?;
                let name = super::targets::column_name(expr);
                self.function_rel(vec![bound], name, alias.as_ref(), false, start_of(expr))
            }
            _ => Err(PgError::unsupported("this FROM item")),
        }
    }

    fn entry(&mut self, at: usize, schema: Option<Oid>) -> (From, Vec<Item>) {
        let item = Item {
            name: self.level_ref().rels[at].name.clone(),
            schema,
            rel: Some(at),
            columns: Vec::new(),
            rel_visible: true,
            columns_visible: true,
            lateral_only: false,
            lateral_ok: true,
        };
        (From::Rel(at), vec![item])
    }

    /// (schema, name, position) of a relation's name.
    pub(super) fn relation_name(&self, name: &'a ast::ObjectName) -> Result<(Option<&'a str>, &'a str, u32)> {
        let parts = &name.0;
        let ident = |at: usize| parts.get(at).and_then(|part| part.as_ident());
        let position = ident(0).map_or(0, |ident| position_of(ident.span));
        let text = |at: usize| ident(at).map_or("", |ident| ident.value.as_str());
        match parts.len() {
            1 => Ok((None, text(0), position)),
            2 => Ok((Some(text(0)), text(1), position)),
            3 if text(0) == self.host.current_database() => Ok((Some(text(1)), text(2), position)),
            3 => Err(PgError::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                format!(
                    "cross-database references are not implemented: \"{}.{}.{}\"",
                    text(0),
                    text(1),
                    text(2)
                ),
            )
            .at(position)),
            _ => Err(PgError::new(
                sqlstate::SYNTAX_ERROR,
                format!("improper qualified name (too many dotted names): {name}"),
            )
            .at(position)),
        }
    }

    /// Adds a named relation to the level: a CTE first, then the catalog.
    pub(super) fn relation(
        &mut self,
        schema: Option<&str>,
        name: &str,
        alias: Option<&'a ast::TableAlias>,
        position: u32,
    ) -> Result<(usize, Option<Oid>)> {
        if schema.is_none()
            && let Some(at) = self.cte_reference(name, alias, position)?
        {
            return Ok((at, None));
        }
        let oid = self.lookup(schema, name, position)?;
        let mut rel = self.relation_rel(oid, RelationMode::AccessShare, position)?;
        let schema = schema_of(&rel, alias.is_some());
        apply_alias(&mut rel, alias)?;
        Ok((self.level().add_rel(rel), schema))
    }

    /// OID of a relation, or 42P01 with PostgreSQL's hints.
    pub(super) fn lookup(&self, schema: Option<&str>, name: &str, position: u32) -> Result<Oid> {
        self.catalog.lookup_relation(self.path, schema, name).map_err(|error| {
            let hidden = schema.is_none()
                && self
                    .levels
                    .iter()
                    .any(|level| level.cte_names.iter().any(|cte| cte.name == name && !cte.visible));
            let error = error.at(position);
            if hidden {
                error
                    .detail(format!(
                        "There is a WITH item named \"{name}\", but it cannot be referenced from this part of the query."
                    ))
                    .hint("Use WITH RECURSIVE, or re-order the WITH items to remove forward references.")
            } else {
                error
            }
        })
    }

    /// A relation of the catalog as a rel.
    pub(super) fn relation_rel(&mut self, oid: Oid, lock: RelationMode, position: u32) -> Result<Rel> {
        match self.catalog.relation(oid) {
            Some(RelationRef::Table(table)) => {
                let columns = table
                    .columns
                    .iter()
                    .map(|column| RelColumn {
                        name: column.name.clone(),
                        ty: column.ty,
                        typmod: column.typmod,
                        dropped: column.dropped,
                    })
                    .collect();
                Ok(Rel {
                    name: table.name.clone(),
                    columns,
                    lateral: false,
                    kind: RelKind::Table {
                        table: table.clone(),
                        indexes: self.catalog.indexes_of(table).cloned().collect(),
                        lock,
                    },
                })
            }
            Some(RelationRef::View(view)) => {
                let view = view.clone();
                self.view_rel(&view)
            }
            Some(RelationRef::Sequence(sequence)) => {
                let column = |name: &'static str, ty| RelColumn {
                    name: SmolStr::new_static(name),
                    ty,
                    typmod: -1,
                    dropped: false,
                };
                Ok(Rel {
                    name: sequence.name.clone(),
                    columns: vec![
                        column("last_value", oid::INT8),
                        column("log_cnt", oid::INT8),
                        column("is_called", oid::BOOL),
                    ],
                    lateral: false,
                    kind: RelKind::Sequence(sequence.clone()),
                })
            }
            Some(RelationRef::Index(index)) => {
                Err(PgError::new(sqlstate::WRONG_OBJECT_TYPE, format!("\"{}\" is an index", index.name)).at(position))
            }
            None => Err(PgError::internal(format!("relation {oid} has gone"))),
        }
    }

    /// A view is its query, bound anew.
    fn view_rel(&mut self, view: &View) -> Result<Rel> {
        let parsed = parse::parse_query(&view.query)?;
        let parse::Statement::Sql(statement) = &parsed.statement else {
            return Err(PgError::internal("a view's text is no query"));
        };
        let mut params = ParamTypes::none();
        let path = crate::catalog::SearchPath::system();
        let mut cx = BindContext {
            catalog: self.catalog,
            path: &path,
            env: self.env,
            host: self.host,
            params: &mut params,
        };
        let mut query = super::bind_query(&mut cx, &parsed, statement).map_err(|mut error| {
            // Positions in the view's text mean nothing in this statement.
            error.fields_mut().position = None;
            error
        })?;
        let mut columns = query.rel_columns();
        for (column, named) in columns.iter_mut().zip(&view.columns) {
            column.name = named.name.clone();
        }
        let names = view.columns.iter().map(|column| column.name.clone());
        for (target, name) in query.targets.iter_mut().filter(|target| !target.junk).zip(names) {
            target.name = name;
        }
        Ok(Rel {
            name: view.name.clone(),
            columns,
            lateral: false,
            kind: RelKind::Subquery {
                query: Box::new(query),
                view: Some(view.oid),
            },
        })
    }

    fn derived(
        &mut self,
        lateral: bool,
        subquery: &'a ast::Query,
        alias: Option<&'a ast::TableAlias>,
    ) -> Result<(From, Vec<Item>)> {
        let before = std::mem::replace(&mut self.level().lateral, lateral);
        let query = self.in_clause(Clause::FromSubselect, |binder| binder.subquery(subquery))?;
        self.level().lateral = before;
        let mut rel = Rel {
            columns: query.rel_columns(),
            kind: RelKind::Subquery {
                query: Box::new(query),
                view: None,
            },
            name: SmolStr::new_static("unnamed_subquery"),
            lateral,
        };
        apply_alias(&mut rel, alias)?;
        let at = self.level().add_rel(rel);
        Ok(self.entry(at, None))
    }

    /// `f(...)` or ROWS FROM in FROM.
    fn functions(
        &mut self,
        name: &'a ast::ObjectName,
        args: &'a [FunctionArg],
        alias: Option<&'a ast::TableAlias>,
        ordinality: bool,
    ) -> Result<(From, Vec<Item>)> {
        let parts: Vec<&'a ast::Ident> = name.0.iter().filter_map(|part| part.as_ident()).collect();
        let position = parts.first().map_or(0, |part| position_of(part.span));
        let last: &'a str = parts.last().map_or("", |part| part.value.as_str());
        if last == ROWS_FROM {
            let mut bound = Vec::with_capacity(args.len());
            let mut first_name = None;
            for arg in args {
                let FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) = arg else {
                    return Err(PgError::unsupported("this form of ROWS FROM"));
                };
                first_name.get_or_insert_with(|| super::targets::column_name(expr));
                bound.push(self.from_expression(expr)?);
            }
            let name = first_name.unwrap_or_default();
            return self.function_rel(bound, name, alias, ordinality, position);
        }
        let full = parts.iter().map(|part| part.value.as_str()).collect::<Vec<_>>().join(".");
        let builtin = full.strip_prefix("pg_catalog.").unwrap_or(&full);
        let registry = crate::functions::registry::functions();
        let known: &'a str = match registry.by_name(builtin).first() {
            Some(found) => found.name,
            None => last,
        };
        // `unnest(a, b)` is ROWS FROM (unnest(a), unnest(b)).
        let bound = if known == "unnest" && args.len() > 1 {
            let mut calls = Vec::with_capacity(args.len());
            for arg in args {
                calls.push(self.from_call(known, std::slice::from_ref(arg), position)?);
            }
            calls
        } else {
            vec![self.from_call(known, args, position)?]
        };
        self.function_rel(bound, SmolStr::new(last), alias, ordinality, position)
    }

    /// A call whose arguments may refer to items on the left.
    fn from_call(&mut self, name: &'a str, args: &'a [FunctionArg], position: u32) -> Result<Expr> {
        let before = std::mem::replace(&mut self.level().lateral, true);
        let result = self.in_clause(Clause::FromFunction, |binder| {
            if matches!(name, "coalesce" | "greatest" | "least" | "nullif") {
                return Err(PgError::unsupported(format!("{name} in FROM")));
            }
            let mut written = Written {
                name,
                args: Vec::new(),
                at: Vec::new(),
                names: Vec::new(),
                variadic: false,
                position,
            };
            for arg in args {
                match arg {
                    FunctionArg::Unnamed(FunctionArgExpr::Expr(ast::Expr::Prefixed { prefix, value }))
                        if prefix.value.eq_ignore_ascii_case("variadic") =>
                    {
                        written.variadic = true;
                        written.args.push(binder.expr(value)?);
                        written.at.push(At::Expr(value));
                    }
                    FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => {
                        written.args.push(binder.expr(expr)?);
                        written.at.push(At::Expr(expr));
                    }
                    FunctionArg::Named {
                        name,
                        arg: FunctionArgExpr::Expr(expr),
                        ..
                    } => {
                        written.args.push(binder.expr(expr)?);
                        written.at.push(At::Expr(expr));
                        written.names.push(name.value.as_str());
                    }
                    _ => return Err(PgError::unsupported("this argument of a function in FROM")),
                }
            }
            if written.args.iter().any(contains_set_returning) {
                return Err(PgError::new(
                    sqlstate::FEATURE_NOT_SUPPORTED,
                    "set-returning functions must appear at top level of FROM",
                )
                .at(binder.level_ref().set_returning_at));
            }
            binder.call_written(written)
        });
        self.level().lateral = before;
        result
    }

    fn from_expression(&mut self, expr: &'a ast::Expr) -> Result<Expr> {
        let before = std::mem::replace(&mut self.level().lateral, true);
        let result = self.expr_in(expr, Clause::FromFunction);
        self.level().lateral = before;
        result
    }

    /// `addRangeTableEntryForFunction`.
    fn function_rel(
        &mut self,
        calls: Vec<Expr>,
        name: SmolStr,
        alias: Option<&'a ast::TableAlias>,
        ordinality: bool,
        position: u32,
    ) -> Result<(From, Vec<Item>)> {
        let definitions: Vec<&'a ast::TableAliasColumnDef> = alias
            .map(|alias| alias.columns.iter().filter(|column| column.data_type.is_some()).collect())
            .unwrap_or_default();
        let named = alias.filter(|alias| alias.name.value != NO_ALIAS);
        let only_name = match named {
            Some(alias) => SmolStr::new(&alias.name.value),
            None => name.clone(),
        };
        let mut columns = Vec::new();
        let mut bound = Vec::with_capacity(calls.len());
        let lateral = calls.iter().any(has_vars);
        for call in calls {
            let of_call = if definitions.is_empty() {
                self.function_columns(&call, &only_name, position)?
            } else {
                self.defined_columns(&definitions, &call, position)?
            };
            bound.push(TableFunction {
                columns: of_call.len(),
                expr: call,
            });
            columns.extend(of_call);
        }
        if ordinality {
            columns.push(plain_column("ordinality".into(), oid::INT8));
        }
        let mut rel = Rel {
            kind: RelKind::Functions {
                calls: bound,
                ordinality,
            },
            name,
            columns,
            lateral,
        };
        if let Some(alias) = named {
            if definitions.is_empty() {
                apply_alias(&mut rel, Some(alias))?;
            } else {
                rel.name = SmolStr::new(&alias.name.value);
            }
        }
        let at = self.level().add_rel(rel);
        Ok(self.entry(at, None))
    }

    fn function_columns(&mut self, call: &Expr, name: &SmolStr, position: u32) -> Result<Vec<RelColumn>> {
        if let ExprKind::Call(inner) = &call.kind
            && inner.function.columns.len() > 1
        {
            let arg_types = &inner.arg_types;
            let declared = inner.function.args;
            return Ok(inner
                .function
                .columns
                .iter()
                .map(|(name, ty)| {
                    // An OUT column of a polymorphic type takes it from the arguments.
                    let ty = match *ty {
                        oid::ANYELEMENT => declared
                            .iter()
                            .zip(arg_types.iter())
                            .find_map(|(declared, actual)| match *declared {
                                oid::ANYELEMENT => Some(*actual),
                                oid::ANYARRAY => self.element_of(*actual),
                                _ => None,
                            })
                            .unwrap_or(oid::TEXT),
                        other => other,
                    };
                    plain_column(SmolStr::new(*name), ty)
                })
                .collect());
        }
        if let Some(fields) = self.fields_of(call.ty) {
            return Ok(fields
                .iter()
                .map(|(name, ty, typmod)| RelColumn {
                    name: name.clone(),
                    ty: *ty,
                    typmod: *typmod,
                    dropped: false,
                })
                .collect());
        }
        if call.ty == oid::RECORD {
            return Err(PgError::new(
                sqlstate::SYNTAX_ERROR,
                "a column definition list is required for functions returning \"record\"",
            )
            .at(position));
        }
        let ty = if call.ty == oid::UNKNOWN { oid::TEXT } else { call.ty };
        // A single OUT column names the column unless an alias does; void is a column too.
        let out_name = match &call.kind {
            ExprKind::Call(inner) if inner.function.columns.len() == 1 && inner.function.name == name.as_str() => {
                SmolStr::new(inner.function.columns[0].0)
            }
            _ => name.clone(),
        };
        let mut column = plain_column(out_name, ty);
        column.typmod = call.typmod;
        let _ = is_void(ty);
        Ok(vec![column])
    }

    fn defined_columns(
        &mut self,
        definitions: &[&'a ast::TableAliasColumnDef],
        call: &Expr,
        position: u32,
    ) -> Result<Vec<RelColumn>> {
        if call.ty != oid::RECORD {
            return Err(PgError::new(
                sqlstate::SYNTAX_ERROR,
                "a column definition list is only allowed for functions returning \"record\"",
            )
            .at(position));
        }
        let mut columns = Vec::with_capacity(definitions.len());
        for definition in definitions {
            let (ty, typmod) = match &definition.data_type {
                Some(data_type) => self.type_of(data_type)?,
                None => (oid::TEXT, -1),
            };
            columns.push(RelColumn {
                name: SmolStr::new(&definition.name.value),
                ty,
                typmod,
                dropped: false,
            });
        }
        Ok(columns)
    }

    /// A level for a statement that names one table only (defaults, checks, index expressions).
    pub(super) fn push_table_level(&mut self, rel: Rel, clause: Clause) {
        let mut level = Level::new();
        level.clause = clause;
        let at = level.add_rel(rel);
        level.add_item(at, None, true, true);
        self.levels.push(level);
    }
}

pub(super) fn plain_column(name: SmolStr, ty: Oid) -> RelColumn {
    RelColumn {
        name,
        ty,
        typmod: -1,
        dropped: false,
    }
}

/// Renames a rel and its first columns.
pub(super) fn apply_alias(rel: &mut Rel, alias: Option<&ast::TableAlias>) -> Result<()> {
    let Some(alias) = alias else {
        return Ok(());
    };
    rel.name = SmolStr::new(&alias.name.value);
    let live = rel.columns.iter().filter(|column| !column.dropped).count();
    if alias.columns.len() > live {
        return Err(PgError::new(
            sqlstate::INVALID_COLUMN_REFERENCE,
            format!(
                "table \"{}\" has {live} columns available but {} columns specified",
                rel.name,
                alias.columns.len()
            ),
        ));
    }
    let columns = rel.columns.iter_mut().filter(|column| !column.dropped);
    for (column, name) in columns.zip(&alias.columns) {
        column.name = SmolStr::new(&name.name.value);
    }
    Ok(())
}
