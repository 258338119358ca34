//! Executing statements that define objects.
//!
//! Every change goes through the transaction's catalog overlay, so it is seen by later statements of the transaction at
//! once, by others at commit, and goes with ROLLBACK TO. Names are made unique by key locks on them; relations are locked
//! as PostgreSQL locks them. New storage is filled past the transaction's buffer; storage that is let go is removed after
//! the commit.
//!
//! One kind of object a file: [`run`] is the way in.

pub mod context;
pub mod depend;
pub mod drop;
pub mod exprs;

mod alter;
mod alter_column;
mod alter_constraint;
mod build;
mod column;
mod comment;
mod constraint;
mod create_as;
mod database;
mod foreign;
mod grant;
mod index;
mod like;
mod maintenance;
mod options;
mod remove;
mod rename;
mod role;
mod schema;
mod sequence;
mod table;
mod truncate;
mod types;
mod view;

pub(crate) use build::busy;
pub use context::DdlContext;
pub use create_as::{create_table_as, select_into};
pub use drop::drop_temporary;

use crate::error::{PgError, Result};
use crate::parse::{OwnStatement, TableSource};

/// Runs a statement and answers its command tag. CREATE TABLE AS EXECUTE and SELECT INTO have functions of their own:
/// the session knows prepared statements.
pub async fn run(ctx: &DdlContext<'_>, statement: &OwnStatement) -> Result<String> {
    match statement {
        OwnStatement::CreateTable(one) => table::create(ctx, one).await,
        OwnStatement::CreateTableAs(one) => match &one.source {
            TableSource::Query(query) => create_table_as(ctx, one, &query.parsed).await,
            TableSource::Execute(_) => Err(PgError::unsupported("CREATE TABLE AS EXECUTE")),
        },
        OwnStatement::AlterTable(one) => alter::alter(ctx, one).await,
        OwnStatement::CreateIndex(one) => index::create(ctx, one).await,
        OwnStatement::AlterIndex(one) => index::alter(ctx, one).await,
        OwnStatement::CreateSequence(one) => sequence::create(ctx, one).await,
        OwnStatement::AlterSequence(one) => sequence::alter(ctx, one).await,
        OwnStatement::CreateView(one) => view::create(ctx, one).await,
        OwnStatement::AlterView(one) => alter::alter_view(ctx, one).await,
        OwnStatement::CreateSchema(one) => schema::create(ctx, one).await,
        OwnStatement::CreateType(one) => types::create_type(ctx, one).await,
        OwnStatement::AlterType(one) => types::alter_type(ctx, one).await,
        OwnStatement::CreateDomain(one) => types::create_domain(ctx, one).await,
        OwnStatement::AlterDomain(one) => types::alter_domain(ctx, one).await,
        OwnStatement::CreateRole(one) => role::create(ctx, one).await,
        OwnStatement::AlterRole(one) => role::alter(ctx, one).await,
        OwnStatement::DropRole(one) => role::drop_roles(ctx, one).await,
        OwnStatement::CreateDatabase(one) => database::create(ctx, one).await,
        OwnStatement::AlterDatabase(one) => database::alter(ctx, one).await,
        OwnStatement::DropDatabase(one) => database::drop_database(ctx, one).await,
        OwnStatement::Drop(one) => drop::drop_objects(ctx, one).await,
        OwnStatement::AlterObject(one) => rename::alter_object(ctx, one).await,
        OwnStatement::Comment(one) => comment::comment(ctx, one).await,
        OwnStatement::Grant(one) => grant::grant(ctx, one),
        OwnStatement::GrantRole(one) => grant::grant_role(ctx, one).await,
        OwnStatement::Truncate(one) => truncate::truncate(ctx, one).await,
        OwnStatement::Vacuum(one) => maintenance::vacuum(ctx, one).await,
        OwnStatement::Analyze(one) => maintenance::analyze(ctx, one).await,
        OwnStatement::Reindex(one) => maintenance::reindex(ctx, one).await,
        OwnStatement::Cluster(_) => Err(PgError::unsupported("CLUSTER")),
        other => Err(PgError::unsupported(other.tag())),
    }
}
