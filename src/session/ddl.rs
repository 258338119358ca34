//! DDL and COPY of a session: what they carry from it, and what only a session can check.

use std::sync::Arc;

use sqlparser::ast;

use super::session::Session;
use crate::catalog::Catalog;
use crate::error::{PgError, Result, sqlstate};
use crate::exec::ddl::{self, DdlContext};
use crate::parse::{self, Execute, OwnStatement, Parsed, Persistence, QName, Statement, TableSource};
use crate::txn::Txn;

impl Session {
    /// Runs a statement that defines objects, or maintains them.
    pub(super) async fn run_ddl(&mut self, parsed: &Arc<Parsed>, statement: &OwnStatement) -> Result<String> {
        match statement {
            OwnStatement::CreateDatabase(_) => self.forbid_block("CREATE DATABASE")?,
            OwnStatement::DropDatabase(_) => self.forbid_block("DROP DATABASE")?,
            OwnStatement::Vacuum(_) => self.forbid_block("VACUUM")?,
            _ => {}
        }
        let txn = self.ensure_transaction();
        check_read_only(statement, &txn)?;
        if let OwnStatement::DropDatabase(drop) = statement {
            self.before_drop_database(&drop.name.text, drop.force).await?;
        }
        let shared = Arc::clone(&self.shared);
        let path = move |catalog: &Catalog| shared.search_path(catalog);
        let context = self.ddl_context(&txn, Some(parsed), &path);
        let tag = match statement {
            OwnStatement::CreateTableAs(create) if let TableSource::Execute(execute) = &create.source => {
                let query = self.prepared_query(execute)?;
                Box::pin(ddl::create_table_as(&context, create, &query)).await?
            }
            _ => Box::pin(ddl::run(&context, statement)).await?,
        };
        txn.next_command();
        Ok(tag)
    }

    /// The query of CREATE TABLE AS EXECUTE.
    fn prepared_query(&self, execute: &Execute) -> Result<Arc<Parsed>> {
        let Some(prepared) = self.prepared.get(execute.name.text.as_str()) else {
            return Err(PgError::new(
                sqlstate::UNDEFINED_PSTATEMENT,
                format!("prepared statement \"{}\" does not exist", execute.name),
            ));
        };
        match &prepared.parsed {
            Some(parsed) if execute.args.is_empty() => Ok(Arc::clone(parsed)),
            _ => Err(PgError::unsupported("CREATE TABLE AS EXECUTE with parameters")),
        }
    }

    /// SELECT ... INTO: a query that makes a table; `None` for any other statement.
    pub(super) async fn run_select_into(&mut self, parsed: &Arc<Parsed>) -> Result<Option<String>> {
        let Some((name, persistence, query)) = split_into(parsed) else {
            return Ok(None);
        };
        let txn = self.ensure_transaction();
        if txn.options().read_only && persistence != Persistence::Temporary {
            return Err(PgError::new(
                sqlstate::READ_ONLY_SQL_TRANSACTION,
                "cannot execute SELECT INTO in a read-only transaction",
            ));
        }
        let shared = Arc::clone(&self.shared);
        let path = move |catalog: &Catalog| shared.search_path(catalog);
        let context = self.ddl_context(&txn, Some(parsed), &path);
        let tag = Box::pin(ddl::select_into(&context, &name, persistence, &query)).await?;
        txn.next_command();
        Ok(Some(tag))
    }

    /// What DDL and COPY carry from this session.
    pub(super) fn ddl_context<'a>(
        &'a self,
        txn: &'a Arc<Txn>,
        parsed: Option<&'a Parsed>,
        search_path: &'a (dyn Fn(&Catalog) -> crate::catalog::SearchPath + Send + Sync),
    ) -> DdlContext<'a> {
        let work_mem_kb = self.shared.settings.lock().integer("work_mem");
        DdlContext {
            txn,
            parsed,
            catalogs: &self.shared.instance.catalogs,
            overlay: &self.shared.overlay,
            search_path,
            temp_schema: self.shared.temporary_schema(),
            role: self.shared.current_role(),
            session_role: self.shared.user_oid,
            superuser: self.shared.superuser,
            database: self.shared.database_oid,
            timeouts: self.shared.lock_timeouts(),
            settings: self.shared.type_settings(),
            names: self.names.clone(),
            host: self.shared.clone(),
            cancel: Arc::clone(&self.shared.link.cancel),
            now_micros: self.shared.now_micros(),
            work_mem: usize::try_from(work_mem_kb).unwrap_or(4096) * 1024,
        }
    }

    /// 55006 while others are connected, unless FORCE ends them.
    async fn before_drop_database(&mut self, name: &str, force: bool) -> Result<()> {
        let Some(database) = self.shared.catalog().find_database(name) else {
            return Ok(());
        };
        if database == self.shared.database_oid {
            return Err(PgError::new(
                sqlstate::OBJECT_IN_USE,
                "cannot drop the currently open database",
            ));
        }
        if force {
            self.shared.instance.end_sessions_of(database, self.shared.pid()).await;
            return Ok(());
        }
        let there = self
            .shared
            .instance
            .sessions()
            .iter()
            .filter(|one| one.database_oid == database)
            .count();
        if there == 0 {
            return Ok(());
        }
        let who = if there == 1 {
            "There is 1 other session using the database.".to_owned()
        } else {
            format!("There are {there} other sessions using the database.")
        };
        Err(PgError::new(
            sqlstate::OBJECT_IN_USE,
            format!("database \"{name}\" is being accessed by other users"),
        )
        .detail(who))
    }

    /// Temporary objects end with their session.
    pub(super) async fn drop_temporary_objects(&mut self) {
        if self.shared.catalog().find_schema(&self.shared.temporary_schema()).is_none() {
            return;
        }
        let done = self.drop_temporary().await;
        if let Err(error) = done {
            tracing::warn!(%error, "cannot drop a session's temporary objects");
            self.abort_transaction();
        }
    }

    async fn drop_temporary(&mut self) -> Result<()> {
        let txn = self.ensure_transaction();
        let shared = Arc::clone(&self.shared);
        let path = move |catalog: &Catalog| shared.search_path(catalog);
        let context = self.ddl_context(&txn, None, &path);
        Box::pin(ddl::drop_temporary(&context)).await?;
        txn.next_command();
        if self.block.is_explicit() {
            Ok(())
        } else {
            self.commit_transaction().await
        }
    }
}

/// A query with INTO at its top: the table, and the query without INTO.
fn split_into(parsed: &Parsed) -> Option<(QName, Persistence, Parsed)> {
    let Statement::Sql(statement) = &parsed.statement else {
        return None;
    };
    let ast::Statement::Query(query) = &**statement else {
        return None;
    };
    let ast::SetExpr::Select(select) = &*query.body else {
        return None;
    };
    let into = select.into.as_ref()?;
    let persistence = match (into.temporary, into.unlogged) {
        (true, _) => Persistence::Temporary,
        (false, true) => Persistence::Unlogged,
        (false, false) => Persistence::Permanent,
    };
    let name = match into.targets.first()? {
        ast::Expr::Identifier(ident) => parse::qname_of(&ast::ObjectName::from(vec![ident.clone()])),
        ast::Expr::CompoundIdentifier(parts) => parse::qname_of(&ast::ObjectName::from(parts.clone())),
        _ => return None,
    };
    let mut without = query.clone();
    if let ast::SetExpr::Select(select) = &mut *without.body {
        select.into = None;
    }
    let statement = Statement::Sql(Box::new(ast::Statement::Query(without)));
    Some((
        name,
        persistence,
        Parsed {
            statement,
            ..Parsed::clone(parsed)
        },
    ))
}

fn check_read_only(statement: &OwnStatement, txn: &Txn) -> Result<()> {
    let harmless = matches!(
        statement,
        OwnStatement::Vacuum(_) | OwnStatement::Analyze(_) | OwnStatement::Checkpoint | OwnStatement::Reindex(_)
    );
    if txn.options().read_only && !harmless {
        return Err(PgError::new(
            sqlstate::READ_ONLY_SQL_TRANSACTION,
            format!("cannot execute {} in a read-only transaction", statement.tag()),
        ));
    }
    Ok(())
}
