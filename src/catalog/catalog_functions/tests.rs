//! Answers are PostgreSQL's for the same objects.

use super::*;
use crate::catalog::server_state::ServerState;
use crate::catalog::tests::sample;
use crate::catalog::{SearchPath, class};
use crate::error::sqlstate;
use crate::types::oid as types;

struct Nothing;
impl ServerState for Nothing {}

fn ask(user: u32, name: &str, args: &[Value]) -> Result<Value> {
    let catalog = sample();
    let path = SearchPath::resolve(&catalog, "public", "postgres");
    let context = VirtualContext {
        catalog: &catalog,
        search_path: &path,
        current_user: Oid(user),
        state: &Nothing,
    };
    call(name, &context, args)
}

fn answer(name: &str, args: &[Value]) -> String {
    match ask(10, name, args).expect("an answer") {
        Value::Null => "null".to_owned(),
        Value::Text(text) => text.to_string(),
        other => format!("{other:?}"),
    }
}

fn bool_for(user: u32, name: &str, args: &[Value]) -> Option<bool> {
    match ask(user, name, args).expect("an answer") {
        Value::Bool(is) => Some(is),
        _ => None,
    }
}

#[test]
fn definitions_and_names() {
    let oid = Value::Oid;
    let t = |text: &str| Value::text(text);
    assert_eq!(
        answer("pg_get_indexdef", &[oid(20003)]),
        "CREATE UNIQUE INDEX acct_pkey ON public.acct USING btree (id)"
    );
    assert_eq!(
        answer("pg_get_indexdef", &[oid(20017), Value::Int4(2), Value::Bool(true)]),
        "(id + 1)"
    );
    assert_eq!(answer("pg_get_indexdef", &[oid(1)]), "null");
    assert_eq!(
        answer("pg_get_constraintdef", &[oid(20004), Value::Bool(true)]),
        "CHECK (bal >= 0::numeric)"
    );
    assert_eq!(answer("pg_get_expr", &[t("(1 + 2)"), oid(20000), Value::Bool(true)]), "1 + 2");
    assert!(answer("pg_get_viewdef", &[oid(20020)]).ends_with("(acct.bal > (100)::numeric);"));
    assert_eq!(
        answer("pg_get_serial_sequence", &[t("\"Line\""), t("id")]),
        "public.\"Line_id_seq\""
    );
    assert_eq!(answer("pg_get_serial_sequence", &[t("acct"), t("id")]), "null");
    let error = ask(10, "pg_get_serial_sequence", &[t("acct"), t("nosuch")]).expect_err("no column");
    assert_eq!(error.message(), "column \"nosuch\" of relation \"acct\" does not exist");
    assert_eq!(
        answer("format_type", &[oid(types::VARCHAR.0), Value::Int4(24)]),
        "character varying(20)"
    );
    assert_eq!(answer("format_type", &[oid(20030), Value::Null]), "mood[]");
    assert_eq!(answer("col_description", &[oid(20000), Value::Int4(2)]), "who");
    assert_eq!(
        answer("obj_description", &[oid(11), t("pg_namespace")]),
        "system catalog schema"
    );
    assert_eq!(answer("pg_get_userbyid", &[oid(99)]), "unknown (OID=99)");
    assert_eq!(answer("to_regclass", &[t("nosuch.x")]), "null");
    assert_eq!(answer("pg_encoding_to_char", &[Value::Int4(6)]), "UTF8");
    assert_eq!(
        answer("pg_describe_object", &[oid(class::RELATION.0), oid(20000), Value::Int4(1)]),
        "column id of table acct"
    );
    assert_eq!(ask(10, "nosuch", &[]).expect_err("unknown").code(), sqlstate::INTERNAL_ERROR);
}

#[test]
fn rights() {
    let t = |text: &str| Value::text(text);
    let table = |user, right| bool_for(user, "has_table_privilege", &[t("acct"), t(right)]);
    assert_eq!(table(10, "select"), Some(true));
    assert_eq!(table(20100, "SELECT, insert"), Some(false));
    assert_eq!(
        bool_for(20100, "has_table_privilege", &[t("pg_class"), t("select")]),
        Some(true)
    );
    assert_eq!(
        bool_for(10, "has_table_privilege", &[t("bob"), t("acct"), t("select")]),
        Some(false)
    );
    assert_eq!(
        bool_for(20100, "has_schema_privilege", &[t("public"), t("usage")]),
        Some(true)
    );
    assert_eq!(
        bool_for(20100, "has_schema_privilege", &[t("public"), t("create")]),
        Some(false)
    );
    assert_eq!(
        bool_for(20100, "has_database_privilege", &[t("postgres"), t("connect")]),
        Some(true)
    );
    assert_eq!(bool_for(10, "has_table_privilege", &[Value::Oid(1), t("select")]), None);
    let error = ask(10, "has_table_privilege", &[t("acct"), t("foo")]).expect_err("no such right");
    assert_eq!(error.message(), "unrecognized privilege type: \"foo\"");
    let error = ask(10, "has_table_privilege", &[t("nobody"), t("acct"), t("select")]).expect_err("no such role");
    assert_eq!(error.message(), "role \"nobody\" does not exist");
}
