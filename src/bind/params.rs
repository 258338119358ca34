//! Types of `$n`: declared by the client, or deduced from where the parameter first meets a type.

use super::Binder;
use super::at::At;
use super::tree::{Expr, ExprKind};
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::limits::PARAMETERS_MAX;
use crate::types::info::format_type;
use crate::types::oid;

/// Parameter types of one statement.
#[derive(Clone, Debug, Default)]
pub struct ParamTypes {
    /// By number; 0 for one that was not met yet, `unknown` for one met without a type.
    types: Vec<Oid>,
    /// Whether parameters beyond the declared ones may appear.
    variable: bool,
}

impl ParamTypes {
    /// No parameters may appear: 42P02.
    pub fn none() -> Self {
        ParamTypes::default()
    }

    /// As the Parse message declares them: 0 and missing ones are deduced.
    pub fn variable(declared: &[Oid]) -> Self {
        ParamTypes {
            types: declared.to_vec(),
            variable: true,
        }
    }

    /// Exactly these.
    pub fn fixed(types: &[Oid]) -> Self {
        ParamTypes {
            types: types.to_vec(),
            variable: false,
        }
    }

    /// The types so far.
    pub fn types(&self) -> &[Oid] {
        &self.types
    }

    /// The final types: 42P18 where one could not be deduced.
    pub fn finish(&self) -> Result<Vec<Oid>> {
        for (at, ty) in self.types.iter().enumerate() {
            if !ty.is_valid() || *ty == oid::UNKNOWN {
                return Err(undetermined(at));
            }
        }
        Ok(self.types.clone())
    }
}

fn undetermined(at: usize) -> PgError {
    PgError::new(
        sqlstate::INDETERMINATE_DATATYPE,
        format!("could not determine data type of parameter ${}", at + 1),
    )
}

impl Binder<'_> {
    /// `$n` as written.
    pub(super) fn param(&mut self, text: &str, position: u32) -> Result<Expr> {
        let missing = || PgError::new(sqlstate::UNDEFINED_PARAMETER, format!("there is no parameter {text}")).at(position);
        let number: usize = text.trim_start_matches('$').parse().map_err(|_| missing())?;
        if number == 0 || number > PARAMETERS_MAX {
            return Err(missing());
        }
        if number > self.params.types.len() {
            if !self.params.variable {
                return Err(missing());
            }
            self.params.types.resize(number, Oid::INVALID);
        }
        let slot = &mut self.params.types[number - 1];
        if !slot.is_valid() {
            if !self.params.variable {
                return Err(missing());
            }
            *slot = oid::UNKNOWN;
        }
        Ok(Expr::new(ExprKind::Param(number - 1), *slot))
    }

    /// An untyped parameter meets a type.
    pub(super) fn param_becomes(&mut self, number: usize, ty: Oid, at: At<'_>) -> Result<Expr> {
        let names = self.env.names;
        let slot = &mut self.params.types[number];
        if *slot == oid::UNKNOWN {
            *slot = ty;
        } else if *slot != ty {
            return Err(PgError::new(
                sqlstate::AMBIGUOUS_PARAMETER,
                format!("inconsistent types deduced for parameter ${}", number + 1),
            )
            .detail(format!(
                "{} versus {}",
                format_type(*slot, -1, names),
                format_type(ty, -1, names)
            ))
            .at(at.position()));
        }
        Ok(Expr::new(ExprKind::Param(number), ty))
    }
}
