//! What an execution carries from the statement and the session.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::cte::CteStates;
use super::instrument::Instrument;
use super::row::EpqRows;
use crate::cancel::Cancel;
use crate::catalog::Catalog;
use crate::error::Result;
use crate::functions::{CallContext, Host};
use crate::ids::Oid;
use crate::plan::eval::{EvalContext, OuterParams, SlotValues};
use crate::plan::{Plan, PlanContext};
use crate::txn::{LockTimeouts, Txn, View};
use crate::types::env::{NameLookup, TypeSettings};
use crate::types::{TypeEnv, Value};

/// Everything an operator may use. Cheap to clone: `EvalPlanQual` runs with a copy that has rows put in place.
#[derive(Clone)]
pub struct ExecContext {
    pub txn: Arc<Txn>,
    /// What the statement sees.
    pub view: View,
    /// Statement parameters.
    pub params: Arc<[Value]>,
    pub settings: Arc<TypeSettings>,
    pub names: Arc<dyn NameLookup>,
    pub host: Arc<dyn Host>,
    pub catalog: Arc<Catalog>,
    pub cancel: Arc<Cancel>,
    pub timeouts: LockTimeouts,
    /// `now()`.
    pub now_micros: i64,
    /// Bytes that one sort or hash may hold before it spills.
    pub work_mem: usize,
    pub plan: Arc<Plan>,
    /// Values of `ExprKind::Outer`.
    pub outer: Arc<OuterParams>,
    pub ctes: Arc<CteStates>,
    /// Results of sub-selects that are computed once, by slot.
    pub once: Arc<OnceValues>,
    /// Rows put in place of scans (`EvalPlanQual`).
    pub epq: Option<Arc<EpqRows>>,
    /// Rows inserted, updated or deleted by the outermost statement.
    pub affected: Arc<AtomicU64>,
    /// Counters for EXPLAIN ANALYZE.
    pub instrument: Option<Arc<Instrument>>,
}

/// What the session brings to an execution.
pub struct ExecSession {
    pub txn: Arc<Txn>,
    pub view: View,
    pub params: Arc<[Value]>,
    pub settings: Arc<TypeSettings>,
    pub names: Arc<dyn NameLookup>,
    pub host: Arc<dyn Host>,
    pub catalog: Arc<Catalog>,
    pub cancel: Arc<Cancel>,
    pub timeouts: LockTimeouts,
    pub now_micros: i64,
    pub work_mem: usize,
}

impl ExecContext {
    /// A context for one run of `plan`.
    pub fn new(plan: &Arc<Plan>, session: ExecSession) -> Self {
        ExecContext {
            txn: session.txn,
            view: session.view,
            params: session.params,
            settings: session.settings,
            names: session.names,
            host: session.host,
            catalog: session.catalog,
            cancel: session.cancel,
            timeouts: session.timeouts,
            now_micros: session.now_micros,
            work_mem: session.work_mem,
            plan: Arc::clone(plan),
            outer: Arc::new(OuterParams::new(plan.outer_count)),
            ctes: Arc::new(CteStates::new(plan)),
            once: Arc::default(),
            epq: None,
            affected: Arc::default(),
            instrument: None,
        }
    }

    /// For functions and input/output of types.
    pub fn env(&self) -> TypeEnv<'_> {
        TypeEnv {
            settings: &self.settings,
            names: &*self.names,
            now_micros: self.now_micros,
        }
    }

    pub fn call<'a>(&'a self, arg_types: &'a [Oid], return_type: Oid) -> CallContext<'a> {
        CallContext {
            env: self.env(),
            host: &*self.host,
            arg_types,
            return_type,
        }
    }

    /// For expressions without slots.
    pub fn eval(&self) -> EvalContext<'_> {
        self.eval_with(SlotValues::none())
    }

    /// For expressions whose slots have these values.
    pub fn eval_with<'a>(&'a self, slots: &'a SlotValues) -> EvalContext<'a> {
        EvalContext {
            env: self.env(),
            host: &*self.host,
            params: &self.params,
            outer: &self.outer,
            slots,
            memo: None,
            case: None,
            domain: None,
        }
    }

    /// For plans made while the statement runs (foreign-key actions).
    pub fn plan_context(&self) -> PlanContext<'_> {
        PlanContext {
            catalog: &self.catalog,
            env: self.env(),
            host: &*self.host,
            param_types: Arc::clone(&self.plan.param_types),
        }
    }

    /// Once a batch: fails where the statement is to stop, and lets other sessions run when this one had its turn.
    pub async fn breathe(&self) -> Result<()> {
        self.cancel.check()?;
        tokio::task::consume_budget().await;
        Ok(())
    }

    /// The same context with rows put in place of scans. CTEs keep their rows.
    #[must_use]
    pub fn with_epq(&self, rows: EpqRows) -> Self {
        let mut copy = self.clone();
        copy.epq = Some(Arc::new(rows));
        copy.instrument = None;
        copy
    }

    /// The same context without rows put in place.
    #[must_use]
    pub fn without_epq(&self) -> Self {
        let mut copy = self.clone();
        copy.epq = None;
        copy
    }

    pub fn add_affected(&self, rows: u64) {
        self.affected.fetch_add(rows, Ordering::Relaxed);
    }
}

/// Results of uncorrelated sub-selects, shared by all operators of an execution: one that locks a row must not lock another
/// when `EvalPlanQual` asks again.
#[derive(Debug, Default)]
pub struct OnceValues {
    values: parking_lot::Mutex<Vec<(usize, u64, Result<Value>)>>,
}

impl OnceValues {
    /// The result of a slot, if it was computed with outer parameters of this stamp.
    pub fn get(&self, slot: usize, stamp: u64) -> Option<Result<Value>> {
        let values = self.values.lock();
        values
            .iter()
            .find(|(number, at, _)| *number == slot && *at == stamp)
            .map(|(_, _, value)| value.clone())
    }

    pub fn set(&self, slot: usize, stamp: u64, value: Result<Value>) {
        let mut values = self.values.lock();
        values.retain(|(number, ..)| *number != slot);
        values.push((slot, stamp, value));
    }
}
