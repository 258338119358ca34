//! The index of built-in functions and operators: by name and by OID. Built once, on first use.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::operators::OPERATORS;
use super::{Builtin, Operator};
use crate::ids::Oid;

/// The tables of all families; a new family adds its line here. No OID stands in two of them (a test looks).
const FAMILIES: &[&[Builtin]] = &[
    super::math::FUNCTIONS,
    super::like::FUNCTIONS,
    super::regexes::FUNCTIONS,
    super::strings::FUNCTIONS,
    super::dates::FUNCTIONS,
    super::arrays::FUNCTIONS,
    super::json_access::FUNCTIONS,
    super::json_build::FUNCTIONS,
    super::json_change::FUNCTIONS,
    super::binary::FUNCTIONS,
    super::ranges::FUNCTIONS,
    super::bits::FUNCTIONS,
    super::format_dates::FUNCTIONS,
    super::aggregates::FUNCTIONS,
    super::assign::FUNCTIONS,
    super::catalog::FUNCTIONS,
    super::compare::FUNCTIONS,
    super::integers::FUNCTIONS,
    super::numerics::FUNCTIONS,
    super::sets::FUNCTIONS,
    super::system::FUNCTIONS,
    super::text::FUNCTIONS,
];

/// Functions and operators by name and OID.
pub struct Registry {
    by_name: FxHashMap<&'static str, Vec<&'static Builtin>>,
    by_oid: FxHashMap<Oid, &'static Builtin>,
    operators: FxHashMap<&'static str, Vec<Operator>>,
    operators_by_oid: FxHashMap<Oid, Operator>,
}

static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::build);

/// The one registry.
pub fn functions() -> &'static Registry {
    &REGISTRY
}

impl Registry {
    fn build() -> Registry {
        let mut by_name: FxHashMap<_, Vec<&'static Builtin>> = FxHashMap::default();
        let mut by_oid = FxHashMap::default();
        for function in FAMILIES.iter().copied().flatten() {
            by_oid.insert(function.oid, function);
            by_name.entry(function.name).or_default().push(function);
        }
        let mut operators: FxHashMap<_, Vec<Operator>> = FxHashMap::default();
        let mut operators_by_oid = FxHashMap::default();
        for operator in OPERATORS.iter().filter(|operator| by_oid.contains_key(&operator.function)) {
            operators.entry(operator.name).or_default().push(*operator);
            operators_by_oid.insert(operator.oid, *operator);
        }
        Registry {
            by_name,
            by_oid,
            operators,
            operators_by_oid,
        }
    }

    /// All functions of a name (folded as SQL folds it), aggregates and window functions included.
    pub fn by_name(&self, name: &str) -> &[&'static Builtin] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    pub fn by_oid(&self, oid: Oid) -> Option<&'static Builtin> {
        self.by_oid.get(&oid).copied()
    }

    /// All functions, in no order.
    pub fn all(&self) -> impl Iterator<Item = &'static Builtin> + '_ {
        self.by_oid.values().copied()
    }

    /// All operators of a name whose function exists.
    pub fn operators(&self, name: &str) -> &[Operator] {
        self.operators.get(name).map_or(&[], Vec::as_slice)
    }

    pub fn operator_by_oid(&self, oid: Oid) -> Option<&Operator> {
        self.operators_by_oid.get(&oid)
    }

    /// The operator of exactly these types.
    pub fn operator(&self, name: &str, left: Option<Oid>, right: Oid) -> Option<&Operator> {
        self.operators(name)
            .iter()
            .find(|operator| operator.left == left && operator.right == right)
    }

    /// All operators, in no order.
    pub fn all_operators(&self) -> impl Iterator<Item = &Operator> + '_ {
        self.operators_by_oid.values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::oid;

    #[test]
    fn finds_functions_and_operators_by_name_and_oid() {
        let registry = functions();
        assert_eq!(registry.by_oid(Oid(177)).map(|f| f.name), Some("int4pl"));
        assert_eq!(registry.by_name("int4pl").len(), 1);
        let plus = registry.operator("+", Some(oid::INT4), oid::INT4).expect("int4 + int4");
        assert_eq!((plus.oid, plus.function, plus.commutator), (Oid(551), Oid(177), Oid(551)));
        assert!(registry.by_name("no_such_function").is_empty());
    }

    #[test]
    fn every_oid_has_one_function() {
        let mut seen = FxHashMap::default();
        for function in FAMILIES.iter().copied().flatten() {
            let before = seen.insert(function.oid, function.name);
            assert_eq!(
                before, None,
                "OID {} is claimed twice, here by {}",
                function.oid, function.name
            );
        }
    }

    #[test]
    fn operators_agree_with_their_functions() {
        let registry = functions();
        for operator in registry.all_operators() {
            let function = registry.by_oid(operator.function).expect("offered only if it exists");
            let args: Vec<Oid> = operator.left.into_iter().chain([operator.right]).collect();
            assert_eq!(function.args, args, "operator {} {}", operator.oid, operator.name);
            assert_eq!(
                function.returns, operator.returns,
                "operator {} {}",
                operator.oid, operator.name
            );
        }
    }
}
