//! Functions and operators as the catalog shows them. The registry itself is a higher floor: it hands a
//! [`FunctionDirectory`] in at start. The input, output and modifier functions of types, which SQL seldom calls, are data
//! of this floor (`sql/data/type_functions.tsv`).

use std::sync::{LazyLock, OnceLock};

use rustc_hash::FxHashMap;

use crate::ids::Oid;

/// One function, aggregate or window function.
#[derive(Clone, Debug)]
pub struct FunctionRow {
    pub oid: Oid,
    /// With its schema in front where that is not `pg_catalog`: `holdfast.owner`.
    pub name: &'static str,
    pub args: Vec<Oid>,
    pub variadic: bool,
    /// Defaults of the last arguments, as SQL.
    pub defaults: &'static [&'static str],
    pub returns: Oid,
    pub returns_set: bool,
    /// Output columns (`OUT` arguments).
    pub columns: &'static [(&'static str, Oid)],
    /// `f`unction, `a`ggregate, `w`indow.
    pub kind: char,
    pub strict: bool,
    /// `i`mmutable, `s`table, `v`olatile.
    pub volatility: char,
}

/// One operator.
#[derive(Clone, Copy, Debug)]
pub struct OperatorRow {
    pub oid: Oid,
    pub name: &'static str,
    pub left: Option<Oid>,
    pub right: Oid,
    pub returns: Oid,
    pub function: Oid,
    pub commutator: Oid,
    pub negator: Oid,
}

/// The registry as this floor sees it.
pub trait FunctionDirectory: Send + Sync {
    fn function(&self, oid: Oid) -> Option<FunctionRow>;
    fn functions_named(&self, name: &str) -> Vec<FunctionRow>;
    fn functions(&self) -> Vec<FunctionRow>;
    fn operator(&self, oid: Oid) -> Option<OperatorRow>;
    fn operators_named(&self, name: &str) -> Vec<OperatorRow>;
    fn operators(&self) -> Vec<OperatorRow>;
}

static INSTALLED: OnceLock<&'static dyn FunctionDirectory> = OnceLock::new();

/// Once, at start; later calls change nothing.
pub fn install_functions(directory: &'static dyn FunctionDirectory) {
    // A second server in one process (tests) installs the same registry.
    let _ = INSTALLED.set(directory);
}

struct TypeFunctions {
    rows: Vec<FunctionRow>,
    by_oid: FxHashMap<Oid, usize>,
    by_name: FxHashMap<&'static str, Vec<usize>>,
}

static TYPE_FUNCTIONS: LazyLock<TypeFunctions> = LazyLock::new(|| {
    let rows: Vec<FunctionRow> = include_str!("../../sql/data/type_functions.tsv")
        .lines()
        .map(|line| {
            let fields: Vec<&'static str> = line.split('\t').collect();
            let number = |text: &str| Oid(text.parse().expect("type_functions.tsv holds OIDs"));
            FunctionRow {
                oid: number(fields[0]),
                name: fields[1],
                args: fields[2].split_ascii_whitespace().map(number).collect(),
                variadic: false,
                defaults: &[],
                returns: number(fields[3]),
                returns_set: false,
                columns: &[],
                kind: 'f',
                strict: fields[4] == "t",
                volatility: fields[5].chars().next().unwrap_or('i'),
            }
        })
        .collect();
    let by_oid = rows.iter().enumerate().map(|(at, row)| (row.oid, at)).collect();
    let mut by_name: FxHashMap<_, Vec<usize>> = FxHashMap::default();
    for (at, row) in rows.iter().enumerate() {
        by_name.entry(row.name).or_default().push(at);
    }
    TypeFunctions { rows, by_oid, by_name }
});

pub fn function(oid: Oid) -> Option<FunctionRow> {
    INSTALLED
        .get()
        .and_then(|directory| directory.function(oid))
        .or_else(|| TYPE_FUNCTIONS.by_oid.get(&oid).map(|at| TYPE_FUNCTIONS.rows[*at].clone()))
}

/// By name without schema (`pg_catalog`), or with (`holdfast.owner`).
pub fn functions_named(name: &str) -> Vec<FunctionRow> {
    let mut found = INSTALLED
        .get()
        .map_or_else(Vec::new, |directory| directory.functions_named(name));
    for at in TYPE_FUNCTIONS.by_name.get(name).into_iter().flatten() {
        let row = &TYPE_FUNCTIONS.rows[*at];
        if found.iter().all(|one| one.oid != row.oid) {
            found.push(row.clone());
        }
    }
    found
}

/// All, by OID.
pub fn functions() -> Vec<FunctionRow> {
    let mut all = INSTALLED.get().map_or_else(Vec::new, |directory| directory.functions());
    all.extend(TYPE_FUNCTIONS.rows.iter().cloned());
    all.sort_by_key(|row| row.oid);
    all.dedup_by_key(|row| row.oid);
    all
}

pub fn operator(oid: Oid) -> Option<OperatorRow> {
    INSTALLED.get().and_then(|directory| directory.operator(oid))
}

pub fn operators_named(name: &str) -> Vec<OperatorRow> {
    INSTALLED
        .get()
        .map_or_else(Vec::new, |directory| directory.operators_named(name))
}

/// All, by OID.
pub fn operators() -> Vec<OperatorRow> {
    let mut all = INSTALLED.get().map_or_else(Vec::new, |directory| directory.operators());
    all.sort_by_key(|row| row.oid);
    all
}

/// The OID of a type's function by name (`int4in`), 0 for none.
pub(super) fn type_function(name: &str) -> Oid {
    TYPE_FUNCTIONS
        .by_name
        .get(name)
        .and_then(|places| places.first())
        .map_or(Oid::INVALID, |at| TYPE_FUNCTIONS.rows[*at].oid)
}
