//! The registry as the catalog shows it (`pg_proc`, `pg_operator`, `regproc`).

use super::registry::functions;
use super::{Body, Builtin, Operator, Volatility};
use crate::catalog::directory::{FunctionDirectory, FunctionRow, OperatorRow, install_functions};
use crate::ids::Oid;

struct RegistryDirectory;

/// Makes the functions visible to the catalog; once, at start.
pub fn install() {
    install_functions(&RegistryDirectory);
}

fn function_row(function: &Builtin) -> FunctionRow {
    FunctionRow {
        oid: function.oid,
        name: function.name,
        args: function.args.to_vec(),
        variadic: function.variadic,
        defaults: function.defaults,
        returns: function.returns,
        returns_set: function.returns_set(),
        columns: function.columns,
        kind: match function.body {
            Body::Aggregate(_) | Body::OrderedSet(..) => 'a',
            Body::Window(_) => 'w',
            Body::Scalar(_) | Body::Set(_) | Body::Waiting(_) => 'f',
        },
        strict: function.strict,
        volatility: match function.volatility {
            Volatility::Immutable => 'i',
            Volatility::Stable => 's',
            Volatility::Volatile => 'v',
        },
    }
}

fn operator_row(operator: &Operator) -> OperatorRow {
    OperatorRow {
        oid: operator.oid,
        name: operator.name,
        left: operator.left,
        right: operator.right,
        returns: operator.returns,
        function: operator.function,
        commutator: operator.commutator,
        negator: operator.negator,
    }
}

impl FunctionDirectory for RegistryDirectory {
    fn function(&self, oid: Oid) -> Option<FunctionRow> {
        functions().by_oid(oid).map(function_row)
    }

    fn functions_named(&self, name: &str) -> Vec<FunctionRow> {
        functions()
            .by_name(name)
            .iter()
            .map(|function| function_row(function))
            .collect()
    }

    fn functions(&self) -> Vec<FunctionRow> {
        functions().all().map(function_row).collect()
    }

    fn operator(&self, oid: Oid) -> Option<OperatorRow> {
        functions().operator_by_oid(oid).map(operator_row)
    }

    fn operators_named(&self, name: &str) -> Vec<OperatorRow> {
        functions().operators(name).iter().map(operator_row).collect()
    }

    fn operators(&self) -> Vec<OperatorRow> {
        functions().all_operators().map(operator_row).collect()
    }
}
