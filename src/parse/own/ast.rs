//! Statements of our own, but for those that define objects (`ddl`).

use sqlparser::ast::{Expr, Query};

use super::ddl::{
    AlterDatabase, AlterDomain, AlterIndex, AlterObject, AlterRole, AlterSequence, AlterTable, AlterType, AlterView, CommentOn,
    CreateDatabase, CreateDomain, CreateExtension, CreateFunction, CreateIndex, CreateRole, CreateSchema, CreateSequence,
    CreateTable, CreateTableAs, CreateType, CreateView, Drop, DropDatabase, DropRole, Grant, GrantRole, OptionItem, Refresh,
};
use crate::parse::names::{Name, QName};
use crate::parse::types::TypeName;
use crate::parse::{LockWait, Parsed};

/// A statement that is not a query or DML.
#[derive(Clone, Debug)]
pub enum OwnStatement {
    Begin(Begin),
    Commit {
        chain: bool,
    },
    Rollback {
        chain: bool,
    },
    Savepoint(Name),
    Release(Name),
    RollbackTo(Name),
    PrepareTransaction(String),
    CommitPrepared(String),
    RollbackPrepared(String),
    SetTransaction(SetTransaction),
    Set(SetVariable),
    Show(VariableName),
    Reset(Reset),
    SetConstraints(SetConstraints),
    Declare(Box<DeclareCursor>),
    Fetch(Fetch),
    Close(CloseCursor),
    Lock(LockTable),
    Discard(Discard),
    Listen(Name),
    Unlisten(Option<Name>),
    Notify {
        channel: Name,
        payload: Option<String>,
    },
    Prepare(Box<Prepare>),
    Execute(Execute),
    /// `None`: ALL.
    Deallocate(Option<Name>),
    Copy(Box<Copy>),
    Explain(Box<Explain>),
    Vacuum(Vacuum),
    Analyze(Vacuum),
    Reindex(Reindex),
    Cluster(Cluster),
    Checkpoint,
    Truncate(Truncate),
    Load(String),
    Do(Do),
    Call(Box<Expr>),

    CreateTable(Box<CreateTable>),
    CreateTableAs(Box<CreateTableAs>),
    AlterTable(Box<AlterTable>),
    CreateIndex(Box<CreateIndex>),
    AlterIndex(AlterIndex),
    CreateSequence(Box<CreateSequence>),
    AlterSequence(Box<AlterSequence>),
    CreateView(Box<CreateView>),
    AlterView(Box<AlterView>),
    RefreshMaterializedView(Refresh),
    CreateSchema(CreateSchema),
    CreateType(CreateType),
    AlterType(AlterType),
    CreateDomain(Box<CreateDomain>),
    AlterDomain(Box<AlterDomain>),
    CreateFunction(Box<CreateFunction>),
    CreateExtension(CreateExtension),
    CreateRole(CreateRole),
    AlterRole(AlterRole),
    DropRole(DropRole),
    CreateDatabase(CreateDatabase),
    AlterDatabase(AlterDatabase),
    DropDatabase(DropDatabase),
    Drop(Drop),
    /// RENAME TO, OWNER TO, SET SCHEMA of any kind of object.
    AlterObject(AlterObject),
    Comment(CommentOn),
    Grant(Grant),
    GrantRole(GrantRole),
    /// A statement that PostgreSQL has and holdfast has not: 0A000 with its command tag.
    Other {
        tag: &'static str,
    },
}

impl OwnStatement {
    /// The command tag as in `CommandComplete`, without counts.
    pub fn tag(&self) -> &'static str {
        super::tags::tag(self)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IsolationLevel {
    ReadUncommitted,
    ReadCommitted,
    RepeatableRead,
    Serializable,
}

impl IsolationLevel {
    /// As `transaction_isolation` shows it.
    pub fn as_str(self) -> &'static str {
        match self {
            IsolationLevel::ReadUncommitted => "read uncommitted",
            IsolationLevel::ReadCommitted => "read committed",
            IsolationLevel::RepeatableRead => "repeatable read",
            IsolationLevel::Serializable => "serializable",
        }
    }
}

/// Transaction modes; of a mode given twice the last counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransactionModes {
    pub isolation: Option<IsolationLevel>,
    pub read_only: Option<bool>,
    pub deferrable: Option<bool>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Begin {
    /// START TRANSACTION, whose tag differs.
    pub start: bool,
    pub modes: TransactionModes,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetTransaction {
    /// `SET [LOCAL] TRANSACTION`.
    Transaction(TransactionModes),
    /// SET TRANSACTION SNAPSHOT.
    Snapshot(String),
    /// SET SESSION CHARACTERISTICS AS TRANSACTION.
    Session(TransactionModes),
}

/// A setting's name, dots included, folded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableName {
    pub name: String,
    pub position: u32,
}

/// SET; TIME ZONE, NAMES, ROLE, SESSION AUTHORIZATION, XML OPTION and SCHEMA appear under their setting's name.
#[derive(Clone, Debug, PartialEq)]
pub struct SetVariable {
    pub name: VariableName,
    pub local: bool,
    pub value: SetValue,
}

#[derive(Clone, Debug, PartialEq)]
pub enum SetValue {
    Default,
    /// FROM CURRENT (only in ALTER and CREATE FUNCTION).
    FromCurrent,
    List(Vec<SetItem>),
}

/// One value of a SET.
#[derive(Clone, Debug, PartialEq)]
pub enum SetItem {
    /// A word, or a string.
    Text(String),
    /// A number as written, sign included.
    Number(String),
    /// `INTERVAL '...' [fields]` of SET TIME ZONE.
    Interval(Box<Expr>),
}

impl SetValue {
    /// The value as one string, a list joined as PostgreSQL's `flatten_set_variable_args` does for list settings.
    pub fn text(&self) -> Option<String> {
        let SetValue::List(items) = self else {
            return None;
        };
        let one = |item: &SetItem| match item {
            SetItem::Text(text) | SetItem::Number(text) => text.clone(),
            SetItem::Interval(expr) => expr.to_string(),
        };
        match items.as_slice() {
            [item] => Some(one(item)),
            _ => Some(
                items
                    .iter()
                    .map(|item| match item {
                        SetItem::Text(text) => crate::parse::names::quote_identifier(text),
                        other => one(other),
                    })
                    .collect::<Vec<_>>()
                    .join(", "),
            ),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reset {
    All,
    Variable(VariableName),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetConstraints {
    /// Empty: ALL.
    pub names: Vec<QName>,
    pub deferred: bool,
}

#[derive(Clone, Debug)]
pub struct DeclareCursor {
    pub name: Name,
    pub binary: bool,
    /// INSENSITIVE or ASENSITIVE (true, false).
    pub insensitive: Option<bool>,
    /// SCROLL or NO SCROLL.
    pub scroll: Option<bool>,
    pub hold: bool,
    /// A query, always `Statement::Sql`.
    pub query: Parsed,
}

/// Where FETCH goes, as PostgreSQL's `FetchDirection`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FetchDirection {
    Forward,
    Backward,
    Absolute,
    Relative,
}

/// FETCH or MOVE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetch {
    pub direction: FetchDirection,
    /// `i64::MAX` is ALL.
    pub count: i64,
    pub cursor: Name,
    pub is_move: bool,
}

impl Fetch {
    pub const ALL: i64 = i64::MAX;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloseCursor {
    /// `None`: ALL.
    pub name: Option<Name>,
}

/// A relation with or without its children.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelationRef {
    pub name: QName,
    pub only: bool,
}

/// LOCK TABLE modes, weakest first, as PostgreSQL numbers them from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TableLock {
    AccessShare,
    RowShare,
    RowExclusive,
    ShareUpdateExclusive,
    Share,
    ShareRowExclusive,
    Exclusive,
    AccessExclusive,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockTable {
    pub tables: Vec<RelationRef>,
    pub mode: TableLock,
    /// `Block` or `NoWait`.
    pub wait: LockWait,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discard {
    All,
    Plans,
    Sequences,
    Temp,
}

#[derive(Clone, Debug)]
pub struct Prepare {
    pub name: Name,
    pub types: Vec<TypeName>,
    pub statement: Parsed,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Execute {
    pub name: Name,
    pub args: Vec<Expr>,
}

#[derive(Clone, Debug)]
pub enum CopySource {
    Table {
        name: QName,
        columns: Vec<Name>,
    },
    /// A query or DML with RETURNING.
    Query(Parsed),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CopyTarget {
    /// STDIN or STDOUT.
    Client,
    File(String),
    Program(String),
}

/// COPY; options of the old syntax appear under their new names.
#[derive(Clone, Debug)]
pub struct Copy {
    pub source: CopySource,
    pub is_from: bool,
    pub target: CopyTarget,
    pub options: Vec<CopyOption>,
    pub selection: Option<Expr>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyOption {
    /// Folded: `format`, `header`, `delimiter`, ...
    pub name: String,
    pub value: CopyValue,
    pub position: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CopyValue {
    None,
    Text(String),
    Star,
    List(Vec<Name>),
}

#[derive(Clone, Debug)]
pub struct Explain {
    /// Folded names with values, in order; the old syntax's words appear as `analyze` and `verbose`.
    pub options: Vec<OptionItem>,
    pub statement: Parsed,
}

/// VACUUM or ANALYZE.
#[derive(Clone, Debug, PartialEq)]
pub struct Vacuum {
    pub options: Vec<OptionItem>,
    pub relations: Vec<VacuumRelation>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VacuumRelation {
    pub name: QName,
    pub columns: Vec<Name>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReindexKind {
    Index,
    Table,
    Schema,
    System,
    Database,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Reindex {
    pub kind: ReindexKind,
    pub options: Vec<OptionItem>,
    pub concurrently: bool,
    pub name: QName,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    pub options: Vec<OptionItem>,
    pub table: Option<QName>,
    pub index: Option<Name>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Truncate {
    pub tables: Vec<RelationRef>,
    pub restart_identity: bool,
    pub cascade: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Do {
    pub body: String,
    pub language: Option<Name>,
}

/// A query inside a defining statement, with its own text.
#[derive(Clone, Debug)]
pub struct QueryText {
    pub query: Box<Query>,
    /// Source text, as written.
    pub text: String,
    pub parsed: Parsed,
}
