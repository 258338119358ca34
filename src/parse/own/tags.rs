//! Command tags, as `CommandComplete` carries them.

use super::ast::OwnStatement;
use super::ddl::{ObjectKind, TableKind};

pub(super) fn tag(statement: &OwnStatement) -> &'static str {
    match statement {
        OwnStatement::Begin(begin) if begin.start => "START TRANSACTION",
        OwnStatement::Begin(_) => "BEGIN",
        OwnStatement::Commit { .. } => "COMMIT",
        OwnStatement::Rollback { .. } | OwnStatement::RollbackTo(_) => "ROLLBACK",
        OwnStatement::Savepoint(_) => "SAVEPOINT",
        OwnStatement::Release(_) => "RELEASE",
        OwnStatement::PrepareTransaction(_) => "PREPARE TRANSACTION",
        OwnStatement::CommitPrepared(_) => "COMMIT PREPARED",
        OwnStatement::RollbackPrepared(_) => "ROLLBACK PREPARED",
        OwnStatement::SetTransaction(_) | OwnStatement::Set(_) => "SET",
        OwnStatement::Show(_) => "SHOW",
        OwnStatement::Reset(_) => "RESET",
        OwnStatement::SetConstraints(_) => "SET CONSTRAINTS",
        OwnStatement::Declare(_) => "DECLARE CURSOR",
        OwnStatement::Fetch(fetch) if fetch.is_move => "MOVE",
        OwnStatement::Fetch(_) => "FETCH",
        OwnStatement::Close(close) if close.name.is_none() => "CLOSE CURSOR ALL",
        OwnStatement::Close(_) => "CLOSE CURSOR",
        OwnStatement::Lock(_) => "LOCK TABLE",
        OwnStatement::Discard(what) => match what {
            super::ast::Discard::All => "DISCARD ALL",
            super::ast::Discard::Plans => "DISCARD PLANS",
            super::ast::Discard::Sequences => "DISCARD SEQUENCES",
            super::ast::Discard::Temp => "DISCARD TEMP",
        },
        OwnStatement::Listen(_) => "LISTEN",
        OwnStatement::Unlisten(_) => "UNLISTEN",
        OwnStatement::Notify { .. } => "NOTIFY",
        OwnStatement::Prepare(_) => "PREPARE",
        OwnStatement::Execute(_) => "EXECUTE",
        OwnStatement::Deallocate(None) => "DEALLOCATE ALL",
        OwnStatement::Deallocate(_) => "DEALLOCATE",
        OwnStatement::Copy(_) => "COPY",
        OwnStatement::Explain(_) => "EXPLAIN",
        OwnStatement::Vacuum(_) => "VACUUM",
        OwnStatement::Analyze(_) => "ANALYZE",
        OwnStatement::Reindex(_) => "REINDEX",
        OwnStatement::Cluster(_) => "CLUSTER",
        OwnStatement::Checkpoint => "CHECKPOINT",
        OwnStatement::Truncate(_) => "TRUNCATE TABLE",
        OwnStatement::Load(_) => "LOAD",
        OwnStatement::Do(_) => "DO",
        OwnStatement::Call(_) => "CALL",
        _ => define_tag(statement),
    }
}

fn define_tag(statement: &OwnStatement) -> &'static str {
    match statement {
        OwnStatement::CreateTable(_) => "CREATE TABLE",
        OwnStatement::CreateTableAs(create) if create.materialized_view => "CREATE MATERIALIZED VIEW",
        OwnStatement::CreateTableAs(_) => "CREATE TABLE AS",
        OwnStatement::AlterTable(alter) => match alter.kind {
            TableKind::Table => "ALTER TABLE",
            TableKind::View => "ALTER VIEW",
            TableKind::MaterializedView => "ALTER MATERIALIZED VIEW",
            TableKind::Sequence => "ALTER SEQUENCE",
            TableKind::Index => "ALTER INDEX",
            TableKind::ForeignTable => "ALTER FOREIGN TABLE",
        },
        OwnStatement::CreateIndex(_) => "CREATE INDEX",
        OwnStatement::AlterIndex(_) => "ALTER INDEX",
        OwnStatement::CreateSequence(_) => "CREATE SEQUENCE",
        OwnStatement::AlterSequence(_) => "ALTER SEQUENCE",
        OwnStatement::CreateView(_) => "CREATE VIEW",
        OwnStatement::AlterView(_) => "ALTER VIEW",
        OwnStatement::RefreshMaterializedView(_) => "REFRESH MATERIALIZED VIEW",
        OwnStatement::CreateSchema(_) => "CREATE SCHEMA",
        OwnStatement::CreateType(_) => "CREATE TYPE",
        OwnStatement::AlterType(_) => "ALTER TYPE",
        OwnStatement::CreateDomain(_) => "CREATE DOMAIN",
        OwnStatement::AlterDomain(_) => "ALTER DOMAIN",
        OwnStatement::CreateFunction(create) if create.procedure => "CREATE PROCEDURE",
        OwnStatement::CreateFunction(_) => "CREATE FUNCTION",
        OwnStatement::CreateExtension(_) => "CREATE EXTENSION",
        OwnStatement::CreateRole(_) => "CREATE ROLE",
        OwnStatement::AlterRole(_) => "ALTER ROLE",
        OwnStatement::DropRole(_) => "DROP ROLE",
        OwnStatement::CreateDatabase(_) => "CREATE DATABASE",
        OwnStatement::AlterDatabase(_) => "ALTER DATABASE",
        OwnStatement::DropDatabase(_) => "DROP DATABASE",
        OwnStatement::Drop(drop) => drop_tag(drop.kind),
        OwnStatement::AlterObject(alter) => alter_tag(alter.kind),
        OwnStatement::Comment(_) => "COMMENT",
        OwnStatement::Grant(grant) if grant.is_grant => "GRANT",
        OwnStatement::Grant(_) => "REVOKE",
        OwnStatement::GrantRole(grant) if grant.is_grant => "GRANT ROLE",
        OwnStatement::GrantRole(_) => "REVOKE ROLE",
        OwnStatement::Other { tag } => tag,
        _ => "???",
    }
}

macro_rules! kinds {
    ($($kind:ident => $words:literal),* $(,)?) => {
        pub(super) fn kind_words(kind: ObjectKind) -> &'static str {
            match kind { $(ObjectKind::$kind => $words),* }
        }

        pub(super) fn alter_tag(kind: ObjectKind) -> &'static str {
            match kind { $(ObjectKind::$kind => concat!("ALTER ", $words)),* }
        }

        pub(super) fn drop_tag(kind: ObjectKind) -> &'static str {
            match kind { $(ObjectKind::$kind => concat!("DROP ", $words)),* }
        }
    };
}

kinds! {
    Table => "TABLE",
    View => "VIEW",
    MaterializedView => "MATERIALIZED VIEW",
    Sequence => "SEQUENCE",
    Index => "INDEX",
    ForeignTable => "FOREIGN TABLE",
    Schema => "SCHEMA",
    Type => "TYPE",
    Domain => "DOMAIN",
    Column => "COLUMN",
    Constraint => "CONSTRAINT",
    DomainConstraint => "CONSTRAINT",
    Function => "FUNCTION",
    Procedure => "PROCEDURE",
    Routine => "ROUTINE",
    Aggregate => "AGGREGATE",
    Operator => "OPERATOR",
    OperatorClass => "OPERATOR CLASS",
    OperatorFamily => "OPERATOR FAMILY",
    Collation => "COLLATION",
    Conversion => "CONVERSION",
    Extension => "EXTENSION",
    Database => "DATABASE",
    Role => "ROLE",
    Tablespace => "TABLESPACE",
    Trigger => "TRIGGER",
    Rule => "RULE",
    Policy => "POLICY",
    Language => "LANGUAGE",
    Cast => "CAST",
    Transform => "TRANSFORM",
    LargeObject => "LARGE OBJECT",
    AccessMethod => "ACCESS METHOD",
    EventTrigger => "EVENT TRIGGER",
    ForeignDataWrapper => "FOREIGN DATA WRAPPER",
    ForeignServer => "SERVER",
    Publication => "PUBLICATION",
    Subscription => "SUBSCRIPTION",
    Statistics => "STATISTICS",
    TextSearchConfiguration => "TEXT SEARCH CONFIGURATION",
    TextSearchDictionary => "TEXT SEARCH DICTIONARY",
    TextSearchParser => "TEXT SEARCH PARSER",
    TextSearchTemplate => "TEXT SEARCH TEMPLATE",
}
