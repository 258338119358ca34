//! The planner's state over one statement, and the translation of expressions.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::node::{CtePlan, Estimate, Node, NodeKind, NodeRef, RelationUse, SlotKind, SlotPlan};
use super::reads;
use super::same::{ColRef, same_expr};
use crate::bind::tree::{Expr, ExprKind, Query, SubLink, SubLinkKind};
use crate::bind::walk::children_mut;
use crate::catalog::Catalog;
use crate::error::{PgError, Result};
use crate::functions::{Body, Host};
use crate::ids::Oid;
use crate::lock::RelationMode;
use crate::types::TypeEnv;

/// What planning may look at.
pub struct PlanContext<'a> {
    pub catalog: &'a Arc<Catalog>,
    pub env: TypeEnv<'a>,
    pub host: &'a dyn Host,
    pub param_types: Arc<[Oid]>,
}

/// The statement as planned so far.
pub(super) struct Planner<'a> {
    pub cx: &'a PlanContext<'a>,
    pub slots: Vec<SlotPlan>,
    pub ctes: Vec<CtePlan>,
    pub outer_count: usize,
    pub scan_count: usize,
    pub node_count: usize,
    pub work_tables: usize,
    pub relations: Vec<RelationUse>,
    pub writes: bool,
    pub locks_rows: bool,
    /// Enclosing query levels, outermost first.
    pub scopes: Vec<Scope>,
    sub_plans: usize,
    init_plans: usize,
}

/// A query level that is being planned.
#[derive(Default)]
pub(super) struct Scope {
    /// Columns of this level that are wanted as outer parameters by what is planned inside it.
    pub requests: Vec<(ColRef, usize, Oid)>,
    pub ctes: Vec<CteRef>,
    /// Types of the columns of its range table entries.
    pub rels: Vec<RelTypes>,
}

/// What is needed of a range table entry to make a row value of it.
#[derive(Clone, Default)]
pub(super) struct RelTypes {
    pub row_type: Oid,
    pub columns: Vec<(SmolStr, Oid, i32, bool)>,
}

/// What a reference to a CTE stands for.
#[derive(Clone)]
pub(super) enum CteRef {
    Plan(usize),
    WorkTable(usize),
    Inline(Arc<Query>),
    /// Not planned: nobody reads it.
    Unused,
}

/// Where a row has what.
#[derive(Clone, Default)]
pub(super) struct Layout {
    pub columns: FxHashMap<ColRef, usize>,
    /// Whole expressions that are there already (group keys, aggregates, window calls).
    pub exprs: Vec<(Expr, usize)>,
    pub width: usize,
}

impl Layout {
    /// This row followed by another.
    pub fn join(&self, right: &Layout) -> Layout {
        let mut both = self.clone();
        both.columns
            .extend(right.columns.iter().map(|(column, place)| (*column, place + self.width)));
        both.exprs
            .extend(right.exprs.iter().map(|(expr, place)| (expr.clone(), place + self.width)));
        both.width += right.width;
        both
    }
}

impl<'a> Planner<'a> {
    pub fn new(cx: &'a PlanContext<'a>) -> Self {
        Planner {
            cx,
            slots: Vec::new(),
            ctes: Vec::new(),
            outer_count: 0,
            scan_count: 0,
            node_count: 0,
            work_tables: 0,
            relations: Vec::new(),
            writes: false,
            locks_rows: false,
            scopes: Vec::new(),
            sub_plans: 0,
            init_plans: 0,
        }
    }

    /// Makes a node.
    pub fn node(&mut self, kind: NodeKind, width: usize, estimate: Estimate) -> NodeRef {
        let id = self.node_count;
        self.node_count += 1;
        let reads = reads::of_node(&kind, &self.slots, &self.ctes);
        Arc::new(Node {
            kind,
            width,
            estimate,
            id,
            reads,
        })
    }

    pub fn new_scan(&mut self) -> usize {
        self.scan_count += 1;
        self.scan_count - 1
    }

    /// Notes that the statement locks a relation; the strongest mode counts, at its first place.
    pub fn lock(&mut self, oid: Oid, mode: RelationMode) {
        match self.relations.iter_mut().find(|relation| relation.oid == oid) {
            Some(relation) => relation.mode = relation.mode.max(mode),
            None => self.relations.push(RelationUse { oid, mode }),
        }
    }

    fn scope_at(&mut self, level: u32) -> Result<&mut Scope> {
        let depth = self.scopes.len().checked_sub(1 + level as usize);
        depth
            .and_then(|depth| self.scopes.get_mut(depth))
            .ok_or_else(|| PgError::internal(format!("a column of a query {level} levels up, which is not there")))
    }

    /// An outer parameter for a column of the query `level` levels up.
    fn request(&mut self, level: u32, column: ColRef, ty: Oid) -> Result<ExprKind> {
        let number = self.outer_count;
        let scope = self.scope_at(level)?;
        if let Some((_, number, _)) = scope.requests.iter().find(|(wanted, ..)| *wanted == column) {
            return Ok(ExprKind::Outer(*number));
        }
        scope.requests.push((column, number, ty));
        self.outer_count += 1;
        Ok(ExprKind::Outer(number))
    }

    /// An expression of this query level over a row of `layout`: no columns, sub-selects or waiting calls remain.
    pub fn translate(&mut self, expr: &Expr, layout: &Layout) -> Result<Expr> {
        let mut out = expr.clone();
        self.translate_in_place(&mut out, layout)?;
        Ok(out)
    }

    pub fn translate_all<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>, layout: &Layout) -> Result<Vec<Expr>> {
        exprs.into_iter().map(|expr| self.translate(expr, layout)).collect()
    }

    fn translate_in_place(&mut self, expr: &mut Expr, layout: &Layout) -> Result<()> {
        if let Some((_, place)) = layout.exprs.iter().find(|(known, _)| same_expr(known, expr)) {
            expr.kind = ExprKind::Input(*place);
            return Ok(());
        }
        match &mut expr.kind {
            ExprKind::Var { level, rel, column } => {
                expr.kind = self.column(*level, ColRef::Column(*rel, *column), expr.ty, layout)?;
            }
            ExprKind::SystemVar { level, rel, column } => {
                expr.kind = self.column(*level, ColRef::System(*rel, (*column).into()), expr.ty, layout)?;
            }
            ExprKind::WholeRow { level, rel } => {
                let (level, rel) = (*level, *rel);
                *expr = self.whole_row(level, rel, layout)?;
            }
            ExprKind::SubLink(link) => {
                let link = link.clone();
                expr.kind = self.sub_link(&link, expr.ty, layout)?;
            }
            ExprKind::Aggregate(_) => return Err(PgError::unsupported("an aggregate of an outer query")),
            ExprKind::Call(call) => {
                for arg in &mut call.args {
                    self.translate_in_place(arg, layout)?;
                }
                if let Body::Waiting(waiting) = call.function.body {
                    let kind = SlotKind::Waiting {
                        waiting,
                        args: std::mem::take(&mut call.args),
                        strict: call.function.strict,
                    };
                    expr.kind = self.slot(kind, Vec::new(), expr.ty);
                }
            }
            _ => {
                let mut result = Ok(());
                children_mut(expr, &mut |child| {
                    if result.is_ok() {
                        result = self.translate_in_place(child, layout);
                    }
                });
                result?;
            }
        }
        Ok(())
    }

    fn column(&mut self, level: u32, column: ColRef, ty: Oid, layout: &Layout) -> Result<ExprKind> {
        if level == 0
            && let Some(place) = layout.columns.get(&column)
        {
            return Ok(ExprKind::Input(*place));
        }
        self.request(level, column, ty)
    }

    /// `t` as a value: its columns as a row; null where an outer join found none is a row of nulls.
    fn whole_row(&mut self, level: u32, rel: usize, layout: &Layout) -> Result<Expr> {
        let types = self.scope_at(level)?.rels.get(rel).cloned().unwrap_or_default();
        let mut fields = Vec::with_capacity(types.columns.len());
        for (column, (_, ty, typmod, dropped)) in types.columns.iter().enumerate() {
            if *dropped {
                continue;
            }
            let kind = self.column(level, ColRef::Column(rel, column), *ty, layout)?;
            fields.push(Expr {
                kind,
                ty: *ty,
                typmod: *typmod,
            });
        }
        Ok(Expr::new(ExprKind::Row(fields), types.row_type))
    }

    fn slot(&mut self, kind: SlotKind, params: Vec<(usize, Expr)>, ty: Oid) -> ExprKind {
        let label = if matches!(kind, SlotKind::Waiting { .. }) {
            SmolStr::default()
        } else if params.is_empty() && !kind.by_row() {
            self.init_plans += 1;
            SmolStr::from(format!("InitPlan {}", self.init_plans + self.sub_plans))
        } else {
            self.sub_plans += 1;
            SmolStr::from(format!("SubPlan {}", self.init_plans + self.sub_plans))
        };
        let reads = reads::of_slot(&kind, &params, &self.slots);
        self.slots.push(SlotPlan {
            kind,
            params,
            reads,
            label,
            ty,
        });
        ExprKind::Slot(self.slots.len() - 1)
    }

    /// Plans a sub-select in an expression.
    fn sub_link(&mut self, link: &SubLink, ty: Oid, layout: &Layout) -> Result<ExprKind> {
        let before = std::mem::take(&mut self.scope_at(0)?.requests);
        let planned = self.plan_query(&link.query);
        let wanted = std::mem::replace(&mut self.scope_at(0)?.requests, before);
        let input = planned?;
        let mut params = Vec::with_capacity(wanted.len());
        for (column, number, ty) in wanted {
            let kind = self.column(0, column, ty, layout)?;
            params.push((number, Expr::new(kind, ty)));
        }
        let kind = match &link.kind {
            SubLinkKind::Exists => SlotKind::Exists(input),
            SubLinkKind::Scalar => {
                let visible: Vec<Oid> = visible_types(&link.query);
                if ty == crate::types::oid::RECORD && visible.len() > 1 {
                    SlotKind::Record { input, types: visible }
                } else {
                    SlotKind::Scalar(input)
                }
            }
            SubLinkKind::Array => {
                let element = visible_types(&link.query).first().copied().unwrap_or(crate::types::oid::TEXT);
                SlotKind::Array { input, element }
            }
            SubLinkKind::Quantified { tests, all, operator } => {
                return self.quantified(input, params, tests, *all, operator, ty, layout);
            }
        };
        Ok(self.slot(kind, params, ty))
    }

    /// `test OP ANY|ALL (sub-select)`: hashed where nothing but equality is asked of rows that do not change.
    #[allow(clippy::too_many_arguments)]
    fn quantified(
        &mut self,
        input: NodeRef,
        mut params: Vec<(usize, Expr)>,
        tests: &[Expr],
        all: bool,
        operator: &str,
        ty: Oid,
        layout: &Layout,
    ) -> Result<ExprKind> {
        let hashable = params.is_empty() && ((operator == "=" && !all) || (operator == "<>" && all));
        if hashable && let Some(left) = tests.iter().map(hash_operand).collect::<Option<Vec<_>>>() {
            let types = left.iter().map(|expr| expr.ty).collect();
            let left = self.translate_all(left, layout)?;
            let slot = self.slot(SlotKind::Hashed { input, left, types }, params, ty);
            if all {
                return Ok(ExprKind::Not(Box::new(Expr::new(slot, ty))));
            }
            return Ok(slot);
        }
        let mut parts = Vec::with_capacity(tests.len());
        for test in tests {
            let mut test = test.clone();
            if let ExprKind::Call(call) = &mut test.kind {
                for arg in &mut call.args {
                    if super::walk::any_expr(arg, &mut |part| matches!(part.kind, ExprKind::Input(_))) {
                        continue;
                    }
                    let value = self.translate(arg, layout)?;
                    let number = self.outer_count;
                    self.outer_count += 1;
                    params.push((number, value));
                    arg.kind = ExprKind::Outer(number);
                }
            }
            parts.push(test);
        }
        let test = match (parts.len(), operator) {
            (1, _) => parts.swap_remove(0),
            (_, "<>") => Expr::new(ExprKind::Or(parts), ty),
            (_, "=") => Expr::new(ExprKind::And(parts), ty),
            _ => {
                return Err(PgError::unsupported(format!(
                    "row comparison {operator} with ANY or ALL of a sub-select"
                )));
            }
        };
        Ok(self.slot(SlotKind::Quantified { input, test, all }, params, ty))
    }
}

/// The left operand of an equality whose sides have one type and whose right side is the sub-select's column.
fn hash_operand(test: &Expr) -> Option<&Expr> {
    match &test.kind {
        ExprKind::Call(call) => match &call.args[..] {
            [left, right] if left.ty == right.ty && matches!(right.kind, ExprKind::Input(_)) => Some(left),
            _ => None,
        },
        _ => None,
    }
}

fn visible_types(query: &Query) -> Vec<Oid> {
    query
        .targets
        .iter()
        .filter(|target| !target.junk)
        .map(|target| target.expr.ty)
        .collect()
}
