//! DELETE.

use sqlparser::ast;

use super::Binder;
use super::scope::Clause;
use super::select::empty_query;
use super::tree::{Command, Delete, From, Query};
use crate::error::{PgError, Result};

impl<'a> Binder<'a> {
    pub(super) fn delete(&mut self, delete: &'a ast::Delete) -> Result<Query> {
        let (ast::FromTable::WithFromKeyword(tables) | ast::FromTable::WithoutKeyword(tables)) = &delete.from;
        let [only] = tables.as_slice() else {
            return Err(PgError::unsupported("DELETE from several tables"));
        };
        let ast::TableFactor::Table { name, alias, .. } = &only.relation else {
            return Err(PgError::unsupported("DELETE from this"));
        };
        let (target, table) = self.target_table(name, alias.as_ref().map(|alias| &alias.name), "DELETE")?;
        let schema = alias.is_none().then_some(table.schema);
        self.level().add_item(target, schema, true, true);
        let mut from = vec![From::Rel(target)];
        if let Some(list) = &delete.using {
            self.hide_target();
            from.append(&mut self.from_clause(list)?);
        }
        let filter = self.condition(delete.selection.as_ref(), Clause::Where)?;
        let returning = self.returning(delete.returning.as_deref())?;
        let query = Query {
            command: Command::Delete(Box::new(Delete { target, returning })),
            from,
            filter,
            has_sublinks: self.level_ref().has_sublinks,
            ..empty_query(Vec::new())
        };
        self.finish(query, &super::select::Tail::default())
    }
}
