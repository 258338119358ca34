//! A database of a few tables, without a session.

use std::sync::Arc;
use std::time::Duration;

use smol_str::SmolStr;

use crate::bind::{self, BindContext, ParamTypes};
use crate::cancel::Cancel;
use crate::catalog::{
    BOOTSTRAP_SUPERUSER, Catalog, Change, Column, Constraint, ConstraintKind, Index, IndexExpr, IndexKey, Object, PUBLIC, RowKey,
    Schema, SearchPath, Table,
};
use crate::codec::key::{self, KeyOrder};
use crate::codec::layout::{index_entry, row_id_key};
use crate::codec::row::encode_row;
use crate::error::{PgError, Result};
use crate::exec::context::ExecSession;
use crate::exec::{ExecContext, Execution};
use crate::functions::Host;
use crate::functions::host::Addresses;
use crate::ids::{BackendPid, Oid, StorageId};
use crate::limits::BATCH_ROWS_MAX;
use crate::lock::{AdvisoryKey, Everything};
use crate::parse;
use crate::plan::explain::{ExplainOptions, explain};
use crate::plan::{Plan, PlanContext, plan};
use crate::storage::memory::MemoryStore;
use crate::txn::{Engine, EngineOptions, LockTimeouts, SessionLink, Txn, TxnOptions};
use crate::types::env::{NoNames, TypeSettings};
use crate::types::{TypeEnv, Value, oid};

/// A session that knows next to nothing.
struct TestHost;

impl Host for TestHost {
    fn current_user(&self) -> String {
        "postgres".to_owned()
    }
    fn session_user(&self) -> String {
        "postgres".to_owned()
    }
    fn current_database(&self) -> String {
        "postgres".to_owned()
    }
    fn search_path(&self, _include_implicit: bool) -> Vec<String> {
        vec!["public".to_owned()]
    }
    fn backend_pid(&self) -> i32 {
        1
    }
    fn addresses(&self) -> Addresses {
        Addresses::default()
    }
    fn statement_micros(&self) -> i64 {
        0
    }
    fn transaction_micros(&self) -> i64 {
        0
    }
    fn server_start_micros(&self) -> i64 {
        0
    }
    fn setting(&self, _name: &str) -> Option<String> {
        None
    }
    fn set_setting(&self, _name: &str, value: &str, _local: bool) -> Result<String> {
        Ok(value.to_owned())
    }
    fn nextval(&self, _sequence: Oid) -> Result<i64> {
        Ok(1)
    }
    fn currval(&self, _sequence: Oid) -> Result<i64> {
        Ok(1)
    }
    fn lastval(&self) -> Result<i64> {
        Ok(1)
    }
    fn setval(&self, _sequence: Oid, value: i64, _is_called: bool) -> Result<i64> {
        Ok(value)
    }
    fn transaction_id(&self) -> Result<u64> {
        Ok(1)
    }
    fn transaction_id_if_assigned(&self) -> Option<u64> {
        None
    }
    fn notify(&self, _channel: &str, _payload: &str) -> Result<()> {
        Ok(())
    }
    fn listening_channels(&self) -> Vec<String> {
        Vec::new()
    }
    fn signal_backend(&self, _pid: i32, _terminate: bool) -> Result<bool> {
        Ok(false)
    }
    fn blocking_pids(&self, _pid: i32) -> Vec<i32> {
        Vec::new()
    }
    fn is_blocked_by(&self, _pid: i32, _interesting: &[i32]) -> bool {
        false
    }
    fn advisory_unlock(&self, _key: AdvisoryKey, _shared: bool) -> Result<bool> {
        Ok(false)
    }
    fn advisory_unlock_all(&self) {}
    fn notice(&self, _notice: PgError) {}
    fn catalog_function(&self, name: &str, _args: &[Value]) -> Result<Value> {
        Err(PgError::internal(name))
    }
    fn virtual_rows(&self, name: &str, _args: &[Value]) -> Result<Vec<Vec<Value>>> {
        Err(PgError::internal(name))
    }
    fn random(&self) -> f64 {
        0.5
    }
    fn set_seed(&self, _seed: f64) {}
}

/// Tables `t (id int primary key, grp int, name text)` with an index on `grp`, `u (id int, t_id int, note text)` by row id
/// with an index on `t_id`, and `big (n int primary key, m int)` with 3,000 rows.
pub(super) struct Db {
    engine: Arc<Engine>,
    link: Arc<SessionLink>,
    pub catalog: Arc<Catalog>,
    host: TestHost,
    settings: TypeSettings,
}

fn column(name: &str, ty: Oid, not_null: bool) -> Column {
    Column {
        name: SmolStr::new(name),
        ty,
        typmod: -1,
        not_null,
        default: None,
        identity: None,
        generated: None,
        dropped: false,
        missing: None,
        collation: Oid::INVALID,
    }
}

fn table(oid: u32, name: &str, columns: Vec<Column>, keyed: bool, indexes: &[u32]) -> Table {
    let primary = Constraint {
        oid: Oid(oid + 9),
        name: SmolStr::from(format!("{name}_pkey")),
        kind: ConstraintKind::PrimaryKey { index: Oid(oid + 3) },
        deferrable: false,
        initially_deferred: false,
        validated: true,
    };
    Table {
        oid: Oid(oid),
        schema: PUBLIC,
        name: SmolStr::new(name),
        owner: BOOTSTRAP_SUPERUSER,
        storage: StorageId(u64::from(oid)),
        row_key: if keyed { RowKey::Columns(vec![0]) } else { RowKey::RowId },
        columns,
        constraints: if keyed { vec![primary] } else { Vec::new() },
        indexes: indexes.iter().map(|oid| Oid(*oid)).collect(),
        row_type: Oid(oid + 2),
        array_type: Oid(oid + 1),
        temporary: false,
        unlogged: false,
        options: Vec::new(),
        virtual_source: None,
        acl: None,
    }
}

fn index(oid: u32, name: &str, table: u32, column: u16, primary: bool) -> Index {
    Index {
        oid: Oid(oid),
        schema: PUBLIC,
        name: SmolStr::new(name),
        table: Oid(table),
        storage: (!primary).then(|| StorageId(u64::from(oid))),
        unique: primary,
        primary,
        nulls_not_distinct: false,
        deferrable: false,
        keys: vec![IndexKey {
            expr: IndexExpr::Column(column),
            ty: oid::INT4,
            descending: false,
            nulls_first: false,
            collation: Oid::INVALID,
            opclass: None,
        }],
        include: Vec::new(),
        predicate: None,
        constraint: None,
        method: SmolStr::new("btree"),
        valid: true,
        options: Vec::new(),
    }
}

fn int(value: i32) -> Value {
    Value::Int4(value)
}

impl Db {
    pub fn new() -> Self {
        let store = Arc::new(MemoryStore::new());
        let engine = Engine::open(store, Arc::new(Everything), EngineOptions::default()).expect("opens");
        let cancel = Arc::new(Cancel::new());
        let holder = engine.locks.register(BackendPid(1), Arc::clone(&cancel));
        let link = Arc::new(SessionLink::new(holder, BackendPid(1), cancel, Oid(5)));
        let t = vec![
            column("id", oid::INT4, true),
            column("grp", oid::INT4, false),
            column("name", oid::TEXT, false),
        ];
        let u = vec![
            column("id", oid::INT4, false),
            column("t_id", oid::INT4, false),
            column("note", oid::TEXT, false),
        ];
        let big = vec![column("n", oid::INT4, true), column("m", oid::INT4, false)];
        let tables = [
            table(20_000, "t", t, true, &[20_003, 20_004]),
            table(21_000, "u", u, false, &[21_004]),
            table(22_000, "big", big, true, &[22_003]),
        ];
        let indexes = [
            index(20_003, "t_pkey", 20_000, 0, true),
            index(20_004, "t_grp", 20_000, 1, false),
            index(21_004, "u_t_id", 21_000, 1, false),
            index(22_003, "big_pkey", 22_000, 0, true),
        ];
        let public = Schema {
            oid: PUBLIC,
            name: SmolStr::new("public"),
            owner: BOOTSTRAP_SUPERUSER,
        };
        let changes: Vec<Change> = std::iter::once(Change::Put(Object::Schema(Arc::new(public))))
            .chain(tables.into_iter().map(|table| Change::Put(Object::Table(Arc::new(table)))))
            .chain(indexes.into_iter().map(|index| Change::Put(Object::Index(Arc::new(index)))))
            .collect();
        let catalog = Arc::new(Catalog::empty(Oid(5)).apply(&changes));
        Db {
            engine,
            link,
            catalog,
            host: TestHost,
            settings: TypeSettings::default(),
        }
    }

    pub async fn with_rows() -> Self {
        let db = Db::new();
        let txn = db.begin();
        for (id, grp, name) in [
            (1, Some(10), Some("one")),
            (2, Some(20), Some("two")),
            (3, Some(10), None),
            (4, None, Some("four")),
        ] {
            let row = [int(id), grp.map_or(Value::Null, int), name.map_or(Value::Null, Value::text)];
            db.put(&txn, 20_000, &row);
        }
        for (id, t, note) in [
            (1, Some(1), "a"),
            (2, Some(1), "b"),
            (3, Some(3), "c"),
            (4, None, "d"),
            (5, Some(9), "e"),
        ] {
            db.put(&txn, 21_000, &[int(id), t.map_or(Value::Null, int), Value::text(note)]);
        }
        for n in 0..3_000 {
            db.put(&txn, 22_000, &[int(n), int(n % 7)]);
        }
        txn.commit().await.expect("commits");
        db
    }

    fn put(&self, txn: &Txn, table: u32, row: &[Value]) {
        let table = self.catalog.table(Oid(table)).expect("is there");
        let mut bytes = Vec::new();
        encode_row(txn.xid(), &[], row, &mut bytes).expect("encodes");
        let mut row_key = Vec::new();
        match &table.row_key {
            RowKey::Columns(_) => key::encode(oid::INT4, &row[0], KeyOrder::default(), &mut row_key).expect("encodes"),
            RowKey::RowId => row_key.extend_from_slice(&row_id_key(txn.next_row_id(table.storage))),
        }
        for index in self.catalog.indexes_of(table) {
            let (Some(storage), IndexExpr::Column(column)) = (index.storage, &index.keys[0].expr) else {
                continue;
            };
            let mut columns = Vec::new();
            key::encode(oid::INT4, &row[usize::from(*column)], KeyOrder::default(), &mut columns).expect("encodes");
            let (entry, value) = index_entry(&columns, &row_key, false);
            txn.put(storage, entry, value).expect("fits");
        }
        txn.put(table.storage, row_key, bytes).expect("fits");
    }

    pub fn begin(&self) -> Arc<Txn> {
        Txn::begin(&self.engine, &self.link, TxnOptions::default())
    }

    fn env(&self) -> TypeEnv<'_> {
        TypeEnv {
            settings: &self.settings,
            names: &NoNames,
            now_micros: 0,
        }
    }

    pub fn plan(&self, sql: &str, params: &[Oid]) -> Result<Arc<Plan>> {
        let parsed = parse::parse_single(sql)?.expect("a statement");
        let path = SearchPath::resolve(&self.catalog, "public", "postgres");
        let mut types = ParamTypes::variable(params);
        let mut context = BindContext {
            catalog: &self.catalog,
            path: &path,
            env: self.env(),
            host: &self.host,
            params: &mut types,
        };
        let parse::Statement::Sql(statement) = &parsed.statement else {
            return Err(PgError::internal("not a query"));
        };
        let query = bind::bind_query(&mut context, &parsed, statement)?;
        let param_types = types.finish()?.into();
        let context = PlanContext {
            catalog: &self.catalog,
            env: self.env(),
            host: &self.host,
            param_types,
        };
        Ok(Arc::new(plan(&query, &context)?))
    }

    pub fn explain(&self, sql: &str) -> String {
        let plan = self.plan(sql, &[]).unwrap_or_else(|error| panic!("{sql}: {error}"));
        explain(
            &plan,
            ExplainOptions {
                costs: false,
                ..ExplainOptions::default()
            },
            None,
        )
        .join("\n")
    }

    pub fn context(&self, plan: &Arc<Plan>, txn: &Arc<Txn>, params: Vec<Value>) -> Result<ExecContext> {
        Ok(ExecContext::new(
            plan,
            ExecSession {
                txn: Arc::clone(txn),
                view: txn.statement_view()?,
                params: params.into(),
                settings: Arc::new(TypeSettings::default()),
                names: Arc::new(NoNames),
                host: Arc::new(TestHost),
                catalog: Arc::clone(&self.catalog),
                cancel: Arc::clone(&self.link.cancel),
                timeouts: LockTimeouts {
                    lock_timeout: None,
                    deadlock_timeout: Duration::from_secs(1),
                },
                now_micros: 0,
                work_mem: 64 << 10,
            },
        ))
    }

    /// The rows as text, `a|b` a row, null as nothing; an error as its text.
    pub async fn run(&self, sql: &str, params: &[(Oid, Value)]) -> Vec<String> {
        match self.try_run(sql, params).await {
            Ok(rows) => rows,
            Err(error) => vec![format!("{error}")],
        }
    }

    async fn try_run(&self, sql: &str, params: &[(Oid, Value)]) -> Result<Vec<String>> {
        let (types, values): (Vec<Oid>, Vec<Value>) = params.iter().cloned().unzip();
        let plan = self.plan(sql, &types)?;
        let txn = self.begin();
        let context = self.context(&plan, &txn, values)?;
        let mut execution = Execution::start(Arc::clone(&plan), context)?;
        let mut out = Vec::new();
        while !execution.is_done() {
            let batch = execution.next_batch(BATCH_ROWS_MAX).await?;
            out.extend(batch.rows().map(|row| show(&row[..plan.columns.len()])));
        }
        txn.commit().await?;
        Ok(out)
    }

    pub async fn query(&self, sql: &str) -> String {
        self.run(sql, &[]).await.join(" ")
    }
}

fn show(row: &[Value]) -> String {
    row.iter().map(show_value).collect::<Vec<_>>().join("|")
}

fn show_value(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(v) => if *v { "t" } else { "f" }.to_owned(),
        Value::Int4(v) => v.to_string(),
        Value::Int8(v) => v.to_string(),
        Value::Text(v) => v.to_string(),
        Value::Numeric(v) => v.to_string(),
        Value::Array(array) => format!("{{{}}}", array.values.iter().map(show_value).collect::<Vec<_>>().join(",")),
        other => format!("{other:?}"),
    }
}
