//! Statements that define objects, as PostgreSQL's grammar has them.

// The grammar has as many flags; a statement is read once and never moved about by the thousand.
#![allow(clippy::struct_excessive_bools, clippy::large_enum_variant)]

use sqlparser::ast::Expr;

use super::ast::{QueryText, RelationRef, SetVariable, VariableName};
use crate::parse::names::{Name, QName};
use crate::parse::types::TypeName;
use crate::parse::{IndexElement, OwnStatement};

/// `name [= value]` of WITH lists, EXPLAIN and the like; the value as text.
#[derive(Clone, Debug, PartialEq)]
pub struct OptionItem {
    /// Folded; with its namespace before a dot (`toast.autovacuum_enabled`).
    pub name: String,
    pub value: Option<String>,
    pub position: u32,
}

/// An expression with the text it was written as (for the catalog).
#[derive(Clone, Debug, PartialEq)]
pub struct ExprText {
    pub expr: Expr,
    pub text: String,
    pub position: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Persistence {
    #[default]
    Permanent,
    Temporary,
    Unlogged,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum OnCommit {
    /// Not given, or PRESERVE ROWS.
    #[default]
    Preserve,
    DeleteRows,
    Drop,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CreateTable {
    pub name: QName,
    pub persistence: Persistence,
    pub if_not_exists: bool,
    pub elements: Vec<TableElement>,
    /// OF type.
    pub of_type: Option<TypeName>,
    pub inherits: Vec<QName>,
    /// PARTITION BY.
    pub partitioned: bool,
    /// PARTITION OF parent.
    pub partition_of: Option<QName>,
    pub access_method: Option<Name>,
    pub options: Vec<OptionItem>,
    pub on_commit: OnCommit,
    pub tablespace: Option<Name>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum TableElement {
    Column(Box<ColumnDef>),
    Constraint(TableConstraint),
    Like(LikeClause),
}

#[derive(Clone, Debug, PartialEq)]
pub struct ColumnDef {
    pub name: Name,
    /// `None` only in CREATE TABLE OF.
    pub type_name: Option<TypeName>,
    pub collation: Option<QName>,
    pub storage: Option<Name>,
    pub compression: Option<Name>,
    pub constraints: Vec<ColumnConstraint>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ColumnConstraint {
    pub name: Option<Name>,
    pub kind: ColumnConstraintKind,
    pub deferral: Deferral,
    pub position: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ColumnConstraintKind {
    Null,
    NotNull,
    Default(ExprText),
    Check {
        expr: ExprText,
        no_inherit: bool,
    },
    PrimaryKey(IndexParameters),
    Unique(IndexParameters),
    References(References),
    /// GENERATED ALWAYS|BY DEFAULT AS IDENTITY.
    Identity {
        always: bool,
        options: Vec<SequenceOption>,
    },
    /// GENERATED ALWAYS AS (...) STORED.
    Generated(ExprText),
}

/// `[NOT] DEFERRABLE`, `INITIALLY ...`, `NOT VALID` after a constraint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deferral {
    pub deferrable: bool,
    pub initially_deferred: bool,
    pub not_valid: bool,
    pub no_inherit: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexParameters {
    /// False: NULLS NOT DISTINCT.
    pub nulls_not_distinct: bool,
    pub include: Vec<Name>,
    pub options: Vec<OptionItem>,
    pub tablespace: Option<Name>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct References {
    pub table: QName,
    pub columns: Vec<Name>,
    pub match_kind: MatchKind,
    pub on_delete: ReferentialAction,
    /// Columns of `ON DELETE SET NULL|DEFAULT (columns)`.
    pub on_delete_columns: Vec<Name>,
    pub on_update: ReferentialAction,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MatchKind {
    #[default]
    Simple,
    Full,
    Partial,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReferentialAction {
    #[default]
    NoAction,
    Restrict,
    Cascade,
    SetNull,
    SetDefault,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TableConstraint {
    pub name: Option<Name>,
    pub kind: TableConstraintKind,
    pub deferral: Deferral,
    pub position: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub enum TableConstraintKind {
    Check(ExprText),
    PrimaryKey {
        columns: Vec<Name>,
        parameters: IndexParameters,
    },
    Unique {
        columns: Vec<Name>,
        parameters: IndexParameters,
    },
    /// ADD PRIMARY KEY USING INDEX.
    PrimaryKeyUsing(Name),
    UniqueUsing(Name),
    ForeignKey {
        columns: Vec<Name>,
        references: References,
    },
    Exclude,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LikeClause {
    pub table: QName,
    /// In order: (INCLUDING, what), what folded: `all`, `defaults`, `indexes`, ...
    pub options: Vec<(bool, String)>,
}

/// CREATE TABLE AS, CREATE MATERIALIZED VIEW, SELECT INTO stays with sqlparser.
#[derive(Clone, Debug)]
pub struct CreateTableAs {
    pub name: QName,
    pub persistence: Persistence,
    pub if_not_exists: bool,
    pub columns: Vec<Name>,
    pub access_method: Option<Name>,
    pub options: Vec<OptionItem>,
    pub on_commit: OnCommit,
    pub tablespace: Option<Name>,
    /// The query, or EXECUTE.
    pub source: TableSource,
    pub with_data: bool,
    pub materialized_view: bool,
}

#[derive(Clone, Debug)]
pub enum TableSource {
    Query(QueryText),
    Execute(super::ast::Execute),
}

#[derive(Clone, Debug)]
pub struct AlterTable {
    pub kind: TableKind,
    pub if_exists: bool,
    pub relation: RelationRef,
    pub actions: Vec<AlterAction>,
}

/// What kind of relation the words ALTER ... named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableKind {
    Table,
    View,
    MaterializedView,
    Sequence,
    Index,
    ForeignTable,
}

#[derive(Clone, Debug, PartialEq)]
pub enum AlterAction {
    AddColumn {
        if_not_exists: bool,
        column: Box<ColumnDef>,
    },
    DropColumn {
        if_exists: bool,
        column: Name,
        cascade: bool,
    },
    SetType {
        column: Name,
        type_name: Box<TypeName>,
        collation: Option<QName>,
        using: Option<Box<ExprText>>,
    },
    SetDefault {
        column: Name,
        default: Box<ExprText>,
    },
    DropDefault {
        column: Name,
    },
    SetNotNull {
        column: Name,
    },
    DropNotNull {
        column: Name,
    },
    DropExpression {
        column: Name,
        if_exists: bool,
    },
    AddIdentity {
        column: Name,
        always: bool,
        options: Vec<SequenceOption>,
    },
    /// SET GENERATED, SET sequence option, RESTART.
    SetIdentity {
        column: Name,
        always: Option<bool>,
        options: Vec<SequenceOption>,
    },
    DropIdentity {
        column: Name,
        if_exists: bool,
    },
    SetStatistics {
        column: Name,
        target: i64,
    },
    SetStorage {
        column: Name,
        storage: Name,
    },
    SetCompression {
        column: Name,
        method: Name,
    },
    SetColumnOptions {
        column: Name,
        options: Vec<OptionItem>,
    },
    ResetColumnOptions {
        column: Name,
        options: Vec<OptionItem>,
    },
    AddConstraint(Box<TableConstraint>),
    AlterConstraint {
        name: Name,
        deferral: Deferral,
    },
    ValidateConstraint(Name),
    DropConstraint {
        if_exists: bool,
        name: Name,
        cascade: bool,
    },
    RenameColumn {
        from: Name,
        to: Name,
    },
    RenameConstraint {
        from: Name,
        to: Name,
    },
    RenameTo(Name),
    OwnerTo(Name),
    SetSchema(Name),
    SetTablespace(Name),
    SetOptions(Vec<OptionItem>),
    ResetOptions(Vec<OptionItem>),
    SetLogged(bool),
    SetAccessMethod(Name),
    ClusterOn(Name),
    SetWithoutCluster,
    SetWithoutOids,
    /// REPLICA IDENTITY.
    ReplicaIdentity(String),
    RowSecurity(String),
    Trigger(String),
    Inherit(QName),
    NoInherit(QName),
    AttachPartition(QName),
    DetachPartition(QName),
    OfType(QName),
    NotOfType,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CreateIndex {
    pub unique: bool,
    pub concurrently: bool,
    pub if_not_exists: bool,
    pub name: Option<Name>,
    pub table: RelationRef,
    pub method: Option<Name>,
    pub elements: Vec<IndexElement>,
    /// Source text of each element's expression, without collation and options.
    pub texts: Vec<String>,
    pub include: Vec<Name>,
    pub nulls_not_distinct: bool,
    pub options: Vec<OptionItem>,
    pub tablespace: Option<Name>,
    pub selection: Option<ExprText>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct AlterIndex {
    pub if_exists: bool,
    pub name: QName,
    pub action: AlterIndexAction,
}

#[derive(Clone, Debug, PartialEq)]
pub enum AlterIndexAction {
    RenameTo(Name),
    SetOptions(Vec<OptionItem>),
    ResetOptions(Vec<OptionItem>),
    SetTablespace(Name),
    Other(&'static str),
}

/// An option of a sequence or an identity column. Numbers are text: they may not fit, and that is not a syntax error.
#[derive(Clone, Debug, PartialEq)]
pub enum SequenceOption {
    As(TypeName),
    Increment(String),
    /// `None`: NO MINVALUE.
    MinValue(Option<String>),
    MaxValue(Option<String>),
    Start(String),
    /// `None`: back to the start.
    Restart(Option<String>),
    Cache(String),
    Cycle(bool),
    /// `None`: OWNED BY NONE.
    OwnedBy(Option<QName>),
    SequenceName(QName),
}

#[derive(Clone, Debug, PartialEq)]
pub struct CreateSequence {
    pub name: QName,
    pub persistence: Persistence,
    pub if_not_exists: bool,
    pub options: Vec<SequenceOption>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct AlterSequence {
    pub name: QName,
    pub if_exists: bool,
    pub options: Vec<SequenceOption>,
}

#[derive(Clone, Debug)]
pub struct CreateView {
    pub name: QName,
    pub or_replace: bool,
    pub temporary: bool,
    pub recursive: bool,
    pub columns: Vec<Name>,
    pub options: Vec<OptionItem>,
    pub query: QueryText,
    pub check_option: Option<CheckOption>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckOption {
    Local,
    Cascaded,
}

/// ALTER VIEW, but for RENAME TO, OWNER TO and SET SCHEMA (`AlterObject`).
#[derive(Clone, Debug, PartialEq)]
pub struct AlterView {
    pub name: QName,
    pub if_exists: bool,
    pub action: AlterAction,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refresh {
    pub name: QName,
    pub concurrently: bool,
    pub with_data: bool,
}

#[derive(Clone, Debug)]
pub struct CreateSchema {
    /// `None`: named after the role.
    pub name: Option<Name>,
    pub authorization: Option<Name>,
    pub if_not_exists: bool,
    pub elements: Vec<OwnStatement>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CreateType {
    pub name: QName,
    pub kind: CreateTypeKind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum CreateTypeKind {
    Enum(Vec<String>),
    Composite(Vec<ColumnDef>),
    Range(Vec<OptionItem>),
    Base(Vec<OptionItem>),
    Shell,
}

#[derive(Clone, Debug, PartialEq)]
pub struct AlterType {
    pub name: QName,
    pub action: AlterTypeAction,
}

#[derive(Clone, Debug, PartialEq)]
pub enum AlterTypeAction {
    AddValue {
        if_not_exists: bool,
        value: String,
        place: Option<(EnumPlace, String)>,
    },
    RenameValue {
        from: String,
        to: String,
    },
    RenameAttribute {
        from: Name,
        to: Name,
        cascade: bool,
    },
    /// ADD, DROP, ALTER ATTRIBUTE.
    Attributes,
    SetProperties,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnumPlace {
    Before,
    After,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CreateDomain {
    pub name: QName,
    pub base: TypeName,
    pub collation: Option<QName>,
    /// DEFAULT, NULL, NOT NULL, CHECK.
    pub constraints: Vec<ColumnConstraint>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct AlterDomain {
    pub name: QName,
    pub action: AlterDomainAction,
}

#[derive(Clone, Debug, PartialEq)]
pub enum AlterDomainAction {
    SetDefault(ExprText),
    DropDefault,
    SetNotNull,
    DropNotNull,
    AddConstraint(TableConstraint),
    DropConstraint { if_exists: bool, name: Name, cascade: bool },
    ValidateConstraint(Name),
    RenameConstraint { from: Name, to: Name },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentMode {
    In,
    Out,
    InOut,
    Variadic,
    /// A column of RETURNS TABLE.
    Table,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FunctionArgument {
    pub mode: ArgumentMode,
    pub name: Option<Name>,
    pub type_name: TypeName,
    pub default: Option<ExprText>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CreateFunction {
    pub name: QName,
    pub or_replace: bool,
    pub procedure: bool,
    pub arguments: Vec<FunctionArgument>,
    pub returns: Option<TypeName>,
    pub language: Option<Name>,
    /// AS 'body' or AS 'file', 'symbol'.
    pub body: Vec<String>,
    /// Text of `RETURN expr` or `BEGIN ATOMIC ... END`.
    pub sql_body: Option<String>,
    /// `immutable`, `stable`, `volatile`.
    pub volatility: Option<String>,
    pub strict: bool,
    pub security_definer: bool,
    pub settings: Vec<SetVariable>,
    pub resets: Vec<VariableName>,
    /// The rest: `cost`, `rows`, `parallel`, `leakproof`, `support`, `window`, `transform`.
    pub options: Vec<OptionItem>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateExtension {
    pub name: Name,
    pub if_not_exists: bool,
    pub schema: Option<Name>,
    pub version: Option<String>,
    pub cascade: bool,
}

/// A role as named in SQL: `CURRENT_USER` and the like are resolved by the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoleSpec {
    Name(Name),
    CurrentUser,
    CurrentRole,
    SessionUser,
    Public,
}

/// What a CREATE ROLE or ALTER ROLE option sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoleOption {
    Superuser(bool),
    Inherit(bool),
    CreateRole(bool),
    CreateDb(bool),
    Login(bool),
    Replication(bool),
    BypassRls(bool),
    /// `None`: PASSWORD NULL.
    Password(Option<String>),
    ConnectionLimit(i64),
    ValidUntil(String),
    InRole(Vec<RoleSpec>),
    Members(Vec<RoleSpec>),
    Admins(Vec<RoleSpec>),
    SysId(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateRole {
    pub name: Name,
    /// CREATE USER: LOGIN by default.
    pub is_user: bool,
    pub options: Vec<RoleOption>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct AlterRole {
    /// `None`: ALL.
    pub role: Option<RoleSpec>,
    pub action: AlterRoleAction,
}

#[derive(Clone, Debug, PartialEq)]
pub enum AlterRoleAction {
    Options(Vec<RoleOption>),
    Set {
        database: Option<Name>,
        set: SetVariable,
    },
    Reset {
        database: Option<Name>,
        reset: super::ast::Reset,
    },
    /// ALTER GROUP ADD or DROP USER.
    Members {
        add: bool,
        members: Vec<RoleSpec>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DropRole {
    pub roles: Vec<RoleSpec>,
    pub if_exists: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CreateDatabase {
    pub name: Name,
    /// `owner`, `template`, `encoding`, `lc_collate`, `connection_limit`, ...; DEFAULT is `None`.
    pub options: Vec<OptionItem>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct AlterDatabase {
    pub name: Name,
    pub action: AlterDatabaseAction,
}

#[derive(Clone, Debug, PartialEq)]
pub enum AlterDatabaseAction {
    Options(Vec<OptionItem>),
    Set(SetVariable),
    Reset(super::ast::Reset),
    SetTablespace(Name),
    RefreshCollation,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DropDatabase {
    pub name: Name,
    pub if_exists: bool,
    pub force: bool,
}

/// A kind of object that DROP, ALTER, COMMENT and GRANT name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    Table,
    View,
    MaterializedView,
    Sequence,
    Index,
    ForeignTable,
    Schema,
    Type,
    Domain,
    Column,
    Constraint,
    DomainConstraint,
    Function,
    Procedure,
    Routine,
    Aggregate,
    Operator,
    OperatorClass,
    OperatorFamily,
    Collation,
    Conversion,
    Extension,
    Database,
    Role,
    Tablespace,
    Trigger,
    Rule,
    Policy,
    Language,
    Cast,
    Transform,
    LargeObject,
    AccessMethod,
    EventTrigger,
    ForeignDataWrapper,
    ForeignServer,
    Publication,
    Subscription,
    Statistics,
    TextSearchConfiguration,
    TextSearchDictionary,
    TextSearchParser,
    TextSearchTemplate,
}

impl ObjectKind {
    /// The words of its command tags: `TABLE`, `MATERIALIZED VIEW`.
    pub fn words(self) -> &'static str {
        super::tags::kind_words(self)
    }
}

/// An object as DROP, COMMENT or ALTER names it.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectRef {
    pub name: QName,
    /// Argument types of a function, if given.
    pub arguments: Option<Vec<TypeName>>,
    /// The table of a trigger, rule, policy or constraint.
    pub on: Option<QName>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Drop {
    pub kind: ObjectKind,
    pub objects: Vec<ObjectRef>,
    pub if_exists: bool,
    pub cascade: bool,
    pub concurrently: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct AlterObject {
    pub kind: ObjectKind,
    pub object: ObjectRef,
    pub if_exists: bool,
    pub action: AlterObjectAction,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AlterObjectAction {
    RenameTo(Name),
    OwnerTo(RoleSpec),
    SetSchema(Name),
}

#[derive(Clone, Debug, PartialEq)]
pub struct CommentOn {
    pub kind: ObjectKind,
    pub object: ObjectRef,
    /// `None`: IS NULL.
    pub comment: Option<String>,
}

/// A privilege with its columns; `name` folded, `all` for `ALL [PRIVILEGES]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Privilege {
    pub name: String,
    pub columns: Vec<Name>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum GrantTarget {
    Objects {
        kind: ObjectKind,
        objects: Vec<ObjectRef>,
    },
    /// ALL TABLES IN SCHEMA and the like.
    AllInSchema {
        kind: ObjectKind,
        schemas: Vec<Name>,
    },
    Parameters(Vec<VariableName>),
}

/// GRANT or REVOKE of rights on objects.
#[derive(Clone, Debug, PartialEq)]
pub struct Grant {
    pub is_grant: bool,
    pub privileges: Vec<Privilege>,
    pub target: GrantTarget,
    pub grantees: Vec<RoleSpec>,
    /// WITH GRANT OPTION or GRANT OPTION FOR.
    pub grant_option: bool,
    pub cascade: bool,
}

/// GRANT or REVOKE of roles.
#[derive(Clone, Debug, PartialEq)]
pub struct GrantRole {
    pub is_grant: bool,
    pub roles: Vec<Name>,
    pub grantees: Vec<RoleSpec>,
    pub admin_option: bool,
    pub cascade: bool,
}
