//! Every relation of the system answers rows of the shape that `sql/` declares.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use super::*;
use crate::catalog::server_state::{
    ActivityRow, CursorRow, PreparedStatementRow, PreparedTransactionRow, ServerState, SettingRow,
};
use crate::catalog::tests::sample;
use crate::catalog::{PG_CATALOG, SearchPath};
use crate::ids::BackendPid;
use crate::lock::{AdvisoryKey, AdvisoryMode, LockRow, Mode, RelationMode, Target};

struct Server;

fn lock(target: Target, mode: Mode) -> LockRow {
    LockRow {
        pid: BackendPid(7),
        xid: crate::ids::Xid(9),
        target,
        mode,
        granted: true,
        session: false,
        wait_start: None,
        position: None,
    }
}

impl ServerState for Server {
    fn settings(&self) -> Vec<SettingRow> {
        vec![SettingRow {
            name: "work_mem",
            setting: "4096".into(),
            reset: "4096".into(),
            source: "default",
        }]
    }

    fn activity(&self) -> Vec<ActivityRow> {
        let client = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 5);
        vec![ActivityRow {
            pid: 7,
            client: Some(client),
            transaction: Some(9),
            ..ActivityRow::default()
        }]
    }

    fn locks(&self) -> Vec<LockRow> {
        let advisory = Target::Advisory {
            database: Oid(5),
            key: AdvisoryKey::Big((7 << 32) | 5),
        };
        let relation = Target::Relation {
            database: Oid(5),
            relation: Oid(20000),
        };
        vec![
            lock(relation, Mode::Relation(RelationMode::RowShare)),
            lock(advisory, Mode::Advisory(AdvisoryMode::Exclusive)),
        ]
    }

    fn cursors(&self) -> Vec<CursorRow> {
        vec![CursorRow {
            name: "c".into(),
            statement: "select 1".into(),
            holdable: false,
            binary: false,
            scrollable: true,
            created_micros: 1,
        }]
    }

    fn prepared_statements(&self) -> Vec<PreparedStatementRow> {
        vec![PreparedStatementRow {
            name: "p".into(),
            statement: "select $1".into(),
            prepared_micros: 1,
            parameter_types: vec![types::INT4],
            from_sql: true,
            generic_plans: 0,
            custom_plans: 0,
        }]
    }

    fn prepared_transactions(&self) -> Vec<PreparedTransactionRow> {
        vec![PreparedTransactionRow {
            transaction: 9,
            gid: "g".into(),
            prepared_micros: 1,
            owner: Oid(10),
            database: Oid(5),
        }]
    }
}

fn with<T>(run: impl FnOnce(&VirtualContext<'_>) -> T) -> T {
    let catalog = sample();
    let path = SearchPath::resolve(&catalog, "public", "postgres");
    run(&VirtualContext {
        catalog: &catalog,
        search_path: &path,
        current_user: Oid(10),
        state: &Server,
    })
}

/// Whether a value is of the variant that a type's values have.
fn fits(catalog: &Catalog, value: &Value, ty: Oid) -> bool {
    let base = match catalog.user_type(ty).map(|one| &one.kind) {
        Some(crate::catalog::UserTypeKind::Domain { base, .. }) => *base,
        _ => ty,
    };
    let is_array = crate::types::info::info(base).is_some_and(|row| row.category == 'A');
    match (base, value) {
        (_, Value::Null) => true,
        (types::BOOL, Value::Bool(_))
        | (types::INT2, Value::Int2(_))
        | (types::INT4, Value::Int4(_))
        | (types::INT8, Value::Int8(_))
        | (types::FLOAT4, Value::Float4(_))
        | (types::FLOAT8, Value::Float8(_))
        | (types::TIMESTAMPTZ, Value::TimestampTz(_))
        | (types::INTERVAL, Value::Interval(_)) => true,
        (types::OID | types::XID | types::REGPROC | types::REGTYPE | types::REGCLASS, Value::Oid(_)) => true,
        (types::TEXT | types::NAME | types::CHAR | types::VARCHAR | types::INET | types::PG_NODE_TREE, Value::Text(_)) => true,
        (types::ANYARRAY, Value::Array(_)) => true,
        (_, Value::Array(_)) => is_array,
        _ => false,
    }
}

#[test]
fn rows_have_the_columns_that_sql_declares() {
    with(|context| {
        let catalog = context.catalog;
        let mut seen = 0;
        for table in catalog.tables() {
            let Some(source) = &table.virtual_source else { continue };
            let rows = match rows(source, context) {
                None => panic!("{}: no source {source}", table.name),
                Some(Err(error)) => {
                    assert!(source.starts_with("unsupported:"), "{}: {error}", table.name);
                    continue;
                }
                Some(Ok(rows)) => rows,
            };
            for row in &rows {
                assert_eq!(row.len(), table.columns.len(), "columns of {}", table.name);
                for (value, column) in row.iter().zip(&table.columns) {
                    assert!(
                        fits(catalog, value, column.ty),
                        "{}.{} of type {} holds {value:?}",
                        table.name,
                        column.name,
                        column.ty
                    );
                    assert!(
                        !(column.not_null && value.is_null()),
                        "{}.{} is null",
                        table.name,
                        column.name
                    );
                }
            }
            seen += usize::from(!rows.is_empty());
        }
        assert!(seen > 60, "{seen} relations have rows");
    });
}

fn find<'a>(context: &VirtualContext<'_>, relation: &str, rows: &'a [Row], column: &str, value: &str) -> Vec<&'a Row> {
    let oid = context.catalog.find_relation(PG_CATALOG, relation).expect("declared");
    let table = context.catalog.table(oid).expect("a table");
    let (place, _) = table.column(column).expect("a column");
    rows.iter().filter(|row| shown(&row[place]) == value).collect()
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(is) => if *is { "t" } else { "f" }.to_owned(),
        Value::Int2(number) => number.to_string(),
        Value::Int4(number) => number.to_string(),
        Value::Int8(number) => number.to_string(),
        Value::Float4(number) => number.to_string(),
        Value::Oid(number) => number.to_string(),
        Value::Text(text) => text.to_string(),
        Value::Array(array) => array.values.iter().map(shown).collect::<Vec<_>>().join(" "),
        other => format!("{other:?}"),
    }
}

fn line(row: &Row) -> String {
    row.iter().map(shown).collect::<Vec<_>>().join("|")
}

/// The expected lines are PostgreSQL's for the same objects, with our OIDs.
#[test]
fn rows_are_postgresqls() {
    with(|context| {
        let all = |name: &str| rows(name, context).expect("known").expect("readable");
        let one = |relation: &str, column: &str, value: &str| {
            let rows = all(relation);
            let found = find(context, relation, &rows, column, value);
            found.iter().map(|row| line(row)).collect::<Vec<_>>().join("\n")
        };
        assert_eq!(
            one("pg_class", "relname", "acct"),
            "20000|acct|2200|20002|0|10|2|20000|0|0|-1|0|0|t|f|p|r|3|1|f|t|f|f|f|t|d|f|0|726|1|||"
        );
        assert_eq!(
            one("pg_class", "relname", "rich"),
            "20020|rich|2200|20021|0|10|0|0|0|0|-1|0|0|f|f|p|v|2|0|t|f|f|f|f|t|n|f|0|0|0|||"
        );
        assert_eq!(
            one("pg_index", "indexrelid", "20017"),
            "20017|20010|2|2|f|f|f|f|t|f|t|f|t|t|f|3 0|0 0|3127 3124|3 0|(id + 1)|(acct > 0)"
        );
        assert_eq!(
            one("pg_type", "typname", "mood"),
            "20031|mood|2200|10|4|t|e|E|f|t|,|0|0|0|20030|3506|3507|3532|3533|0|0|0|i|p|f|0|-1|0|0|||"
        );
        assert_eq!(
            one("pg_type", "typname", "_numeric"),
            "1231|_numeric|11|10|-1|f|b|A|f|t|,|0|6179|1700|0|750|751|2400|2401|2917|2918|3816|i|x|f|0|-1|0|0|||"
        );
        assert_eq!(
            one("pg_constraint", "conname", "Line_acct_fkey"),
            "20016|Line_acct_fkey|2200|f|f|f|t|20010|0|20003|0|20000|a|c|s|t|0|t|2|1|0|0|0|||"
        );
    });
}
