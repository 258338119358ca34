//! Names of catalog objects for types (`regclass`, enums, ...), read from the session's catalog at each look-up.

use std::sync::Arc;

use super::shared::SessionShared;
use crate::catalog::CatalogNames;
use crate::error::Result;
use crate::ids::Oid;
use crate::types::env::{NameLookup, UserType};

/// [`NameLookup`] over the session's own view of the catalog.
pub(super) struct SessionNames {
    pub session: Arc<SessionShared>,
}

impl SessionNames {
    fn with<T>(&self, run: impl FnOnce(&CatalogNames<'_>) -> T) -> T {
        let catalog = self.session.catalog();
        let path = self.session.search_path(&catalog);
        run(&CatalogNames {
            catalog: &catalog,
            path: &path,
        })
    }
}

impl NameLookup for SessionNames {
    fn reg_in(&self, reg_type: Oid, text: &str) -> Result<Oid> {
        self.with(|names| names.reg_in(reg_type, text))
    }

    fn reg_out(&self, reg_type: Oid, oid: Oid) -> String {
        self.with(|names| names.reg_out(reg_type, oid))
    }

    fn user_type(&self, ty: Oid) -> Option<UserType> {
        self.with(|names| names.user_type(ty))
    }
}
