//! Prepared statements: parsed once, bound and planned once, planned again when what they rest on changed.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::output::ResultColumn;
use super::session::Session;
use crate::bind::scalar::Purpose;
use crate::bind::tree::Expr;
use crate::bind::{self, BindContext, ParamTypes};
use crate::catalog::Catalog;
use crate::error::{PgError, Result};
use crate::ids::Oid;
use crate::parse::{Parsed, Statement, TypeName};
use crate::plan::{self, Plan, PlanContext};
use crate::types::TypeEnv;

/// How many unnamed texts a session remembers.
const RECENT_MAX: usize = 64;
/// Longer texts are not remembered.
const RECENT_TEXT_MAX: usize = 8 * 1024;

/// A statement with its parameters' types.
pub(super) struct Prepared {
    pub parsed: Option<Arc<Parsed>>,
    /// As the client declared them; 0 where it left the type open.
    declared: Vec<Oid>,
    /// With the `search_path` that names were found along.
    planned: Mutex<Option<(String, Planned)>>,
}

/// A plan with its columns as clients are told of them.
#[derive(Clone)]
pub(super) struct Planned {
    pub plan: Arc<Plan>,
    pub columns: Arc<[ResultColumn]>,
}

impl Prepared {
    /// `parsed` is `None` for an empty query.
    pub(super) fn new(parsed: Option<Arc<Parsed>>, declared: Vec<Oid>) -> Self {
        Prepared {
            parsed,
            declared,
            planned: Mutex::new(None),
        }
    }

    /// Whether it is a query with a plan (rather than a utility statement).
    pub(super) fn is_planned(&self) -> bool {
        self.parsed
            .as_ref()
            .is_some_and(|parsed| matches!(parsed.statement, Statement::Sql(_)))
    }

    /// The plan for the catalog given: the one from before where it still holds.
    pub(super) fn plan(&self, session: &Session, catalog: &Arc<Catalog>) -> Result<Planned> {
        let mut planned = self.planned.lock();
        let settings = session.shared.settings.lock();
        let search_path = settings.get("search_path").unwrap_or_default();
        if let Some((path, before)) = &*planned
            && path == search_path
            && before.plan.is_valid(catalog)
        {
            return Ok(before.clone());
        }
        let search_path = search_path.to_owned();
        // Binding reads settings itself.
        drop(settings);
        // Types that were settled before stay, so that a statement keeps the description that its client knows.
        let declared = planned
            .as_ref()
            .map_or_else(|| self.declared.clone(), |(_, before)| before.plan.param_types.to_vec());
        let parsed = self.parsed.as_ref().expect("an empty query is never planned");
        let plan = session.build_plan(parsed, declared, catalog)?;
        let fresh = Planned {
            columns: result_columns(&plan),
            plan,
        };
        *planned = Some((search_path, fresh.clone()));
        Ok(fresh)
    }
}

impl Planned {
    /// The columns as Describe answers them: none where the statement returns no rows.
    pub(super) fn described(&self) -> Option<Arc<[ResultColumn]>> {
        Some(Arc::clone(&self.columns)).filter(|columns| !columns.is_empty())
    }
}

/// Statements of unnamed Parse messages by text and declared types.
#[derive(Default)]
pub(super) struct Recent {
    statements: HashMap<(String, Vec<Oid>), Arc<Prepared>>,
}

impl Recent {
    pub(super) fn get(&self, text: &str, types: &[Oid]) -> Option<Arc<Prepared>> {
        // A tuple of borrowed parts cannot look up a tuple of owned ones; texts are short.
        self.statements.get(&(text.to_owned(), types.to_vec())).cloned()
    }

    pub(super) fn put(&mut self, text: &str, types: &[Oid], prepared: &Arc<Prepared>) {
        if text.len() > RECENT_TEXT_MAX {
            return;
        }
        if self.statements.len() >= RECENT_MAX {
            self.statements.clear();
        }
        self.statements
            .insert((text.to_owned(), types.to_vec()), Arc::clone(prepared));
    }

    pub(super) fn clear(&mut self) {
        self.statements.clear();
    }
}

impl Session {
    /// Binds and plans a query.
    pub(super) fn build_plan(&self, parsed: &Parsed, declared: Vec<Oid>, catalog: &Arc<Catalog>) -> Result<Arc<Plan>> {
        let path = self.shared.search_path(catalog);
        let settings = self.shared.type_settings();
        let env = TypeEnv {
            settings: &settings,
            names: &*self.names,
            now_micros: self.shared.now_micros(),
        };
        let mut params = ParamTypes::variable(&declared);
        let mut context = BindContext {
            catalog,
            path: &path,
            env,
            host: &*self.shared,
            params: &mut params,
        };
        let Statement::Sql(statement) = &parsed.statement else {
            return Err(PgError::internal("only queries are planned"));
        };
        let query = bind::bind_query(&mut context, parsed, statement)?;
        let types = params.finish()?;
        let plan_context = PlanContext {
            catalog,
            env,
            host: &*self.shared,
            param_types: types.into(),
        };
        Ok(Arc::new(plan::plan(&query, &plan_context)?))
    }
}

impl Session {
    fn with_binding<T>(&self, catalog: &Arc<Catalog>, run: impl FnOnce(&mut BindContext<'_>) -> Result<T>) -> Result<T> {
        let path = self.shared.search_path(catalog);
        let settings = self.shared.type_settings();
        let env = TypeEnv {
            settings: &settings,
            names: &*self.names,
            now_micros: self.shared.now_micros(),
        };
        let mut params = ParamTypes::none();
        run(&mut BindContext {
            catalog,
            path: &path,
            env,
            host: &*self.shared,
            params: &mut params,
        })
    }

    /// Binds expressions that stand on their own, as EXECUTE's arguments do.
    pub(super) fn bind_lone_expressions(
        &self,
        parsed: &Parsed,
        exprs: &[sqlparser::ast::Expr],
        catalog: &Arc<Catalog>,
    ) -> Result<Vec<Expr>> {
        self.with_binding(catalog, |context| {
            exprs
                .iter()
                .map(|expr| bind::bind_scalar(context, Some(parsed), expr, None, Purpose::Plain))
                .collect()
        })
    }

    /// The type that a written type name means.
    pub(super) fn resolve_type_name(&self, name: &TypeName) -> Result<Oid> {
        let catalog = self.shared.catalog();
        self.with_binding(&catalog, |context| bind::resolve_type(context, name))
            .map(|(ty, _)| ty)
    }
}

/// A plan's columns as clients are told of them.
fn result_columns(plan: &Plan) -> Arc<[ResultColumn]> {
    plan.columns
        .iter()
        .map(|column| ResultColumn {
            name: column.name.clone(),
            ty: column.ty,
            typmod: column.typmod,
            table: column.table,
            attnum: column.attnum,
        })
        .collect()
}
