//! What the resolution rules ask of types: category, preference, elements, bases.

use super::Binder;
use crate::catalog::UserTypeKind;
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::parse::{TypeName, type_name_of};
use crate::types::env::UserType;
use crate::types::info::{self, format_type};
use crate::types::oid;
use sqlparser::ast;

/// `TYPCATEGORY_INVALID`.
pub(crate) const NO_CATEGORY: char = '\0';
pub(crate) const STRING_CATEGORY: char = 'S';

impl Binder<'_> {
    /// As messages name a type.
    pub(crate) fn type_text(&self, ty: Oid) -> String {
        format_type(ty, -1, self.env.names)
    }

    pub(crate) fn category(&self, ty: Oid) -> (char, bool) {
        if let Some(row) = info::info(ty) {
            return (row.category, row.preferred);
        }
        match self.env.names.user_type(ty) {
            Some(UserType::Enum { .. }) => ('E', false),
            Some(UserType::Composite { .. }) => ('C', false),
            Some(UserType::Array { .. }) => ('A', false),
            Some(UserType::Domain { base, .. }) => self.category(base),
            None => (NO_CATEGORY, false),
        }
    }

    /// The type below all domains.
    pub(crate) fn base_type(&self, ty: Oid) -> Oid {
        if ty < Oid::FIRST_CATALOG {
            return ty;
        }
        info::base_type(ty, -1, self.env.names).0
    }

    /// The type below all domains, with its modifier.
    pub(crate) fn base_type_and_typmod(&self, ty: Oid, typmod: i32) -> (Oid, i32) {
        if ty < Oid::FIRST_CATALOG {
            return (ty, typmod);
        }
        info::base_type(ty, typmod, self.env.names)
    }

    /// The element of an array type (through domains).
    pub(crate) fn element_of(&self, ty: Oid) -> Option<Oid> {
        info::element_type(self.base_type(ty), self.env.names)
    }

    pub(crate) fn array_of(&self, element: Oid) -> Option<Oid> {
        self.catalog.array_type_of(element)
    }

    pub(crate) fn is_enum(&self, ty: Oid) -> bool {
        ty >= Oid::FIRST_CATALOG && matches!(self.env.names.user_type(ty), Some(UserType::Enum { .. }))
    }

    pub(crate) fn is_domain(&self, ty: Oid) -> bool {
        ty >= Oid::FIRST_CATALOG
            && self
                .catalog
                .user_type(ty)
                .is_some_and(|ty| matches!(ty.kind, UserTypeKind::Domain { .. }))
    }

    /// Whether it is a row type (or `record`).
    pub(crate) fn is_row(&self, ty: Oid) -> bool {
        ty == oid::RECORD
            || (ty >= Oid::FIRST_CATALOG && matches!(self.env.names.user_type(ty), Some(UserType::Composite { .. })))
    }

    /// Fields of a composite type.
    pub(crate) fn fields_of(&self, ty: Oid) -> Option<std::sync::Arc<[(smol_str::SmolStr, Oid, i32)]>> {
        match self.env.names.user_type(self.base_type(ty)) {
            Some(UserType::Composite { fields, .. }) => Some(fields),
            _ => None,
        }
    }

    /// Types without `<`: no ORDER BY.
    pub(crate) fn is_orderable(&self, ty: Oid) -> bool {
        let ty = self.base_type(ty);
        self.has_equality(ty) && !matches!(ty, oid::XID | oid::CID | oid::ACLITEM | oid::TXID_SNAPSHOT | oid::PG_SNAPSHOT)
    }

    /// Types without `=`: no GROUP BY, DISTINCT or UNION.
    pub(crate) fn has_equality(&self, ty: Oid) -> bool {
        let ty = self.element_of(ty).unwrap_or_else(|| self.base_type(ty));
        !matches!(ty, oid::JSON | oid::XML | oid::POINT | oid::JSONPATH)
    }

    /// A type as written, with its modifier.
    pub(crate) fn type_of(&self, data_type: &ast::DataType) -> Result<(Oid, i32)> {
        self.resolve_type(&type_name_of(data_type))
    }

    /// `typenameTypeIdAndMod`.
    pub(crate) fn resolve_type(&self, name: &TypeName) -> Result<(Oid, i32)> {
        if name.of_column {
            return Err(PgError::unsupported("%TYPE").at(name.position));
        }
        let missing = || PgError::new(sqlstate::UNDEFINED_OBJECT, format!("type \"{name}\" does not exist")).at(name.position);
        let element = match name.schema() {
            // Most types of most statements: no catalog lookup.
            Some("pg_catalog") => info::by_name(name.name()).map(|row| row.oid),
            schema => self.catalog.lookup_type(self.path, schema, name.name()).ok(),
        };
        let element = element.ok_or_else(missing)?;
        let ty = if name.dimensions > 0 {
            self.array_of(element).ok_or_else(missing)?
        } else {
            element
        };
        if name.modifiers.is_empty() {
            return Ok((ty, -1));
        }
        let mut modifiers = smallvec::SmallVec::<[i64; 2]>::new();
        for text in &name.modifiers {
            let number = text.parse::<i64>().map_err(|_| {
                PgError::new(
                    sqlstate::INVALID_PARAMETER_VALUE,
                    format!("type modifiers must be simple constants or identifiers: \"{text}\""),
                )
                .at(name.position)
            })?;
            modifiers.push(number);
        }
        let typmod = info::typmod_in(element, &modifiers).map_err(|error| error.at(name.position))?;
        Ok((ty, typmod))
    }
}
