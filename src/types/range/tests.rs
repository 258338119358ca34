//! Expected values are PostgreSQL 15's.

use super::*;
use crate::types::env::{NoNames, TypeSettings};

fn with_env<T>(f: impl FnOnce(&TypeEnv<'_>) -> T) -> T {
    let settings = TypeSettings::default();
    f(&TypeEnv {
        settings: &settings,
        names: &NoNames,
        now_micros: 0,
    })
}

fn range(text: &str) -> Range {
    with_env(|env| io::text_in(oid::INT4RANGE, -1, text, env).and_then(|value| Range::of(&value))).expect(text)
}

fn show(result: Result<Range>) -> String {
    with_env(|env| match result {
        Ok(range) => io::to_text(oid::INT4RANGE, &range.into_value(), env).expect("printable"),
        Err(error) => error.message().to_owned(),
    })
}

#[test]
fn operators() {
    assert_eq!(show(range("[1,5]").union(&range("[6,8)"))), "[1,8)");
    assert_eq!(
        show(range("[1,2)").union(&range("[3,4)"))),
        "result of range union would not be contiguous"
    );
    assert_eq!(show(range("[1,5)").intersect(&range("(,3]"))), "[1,4)");
    assert_eq!(show(range("[1,5)").minus(&range("[3,9)"))), "[1,3)");
    assert_eq!(
        show(range("[1,9)").minus(&range("[3,5)"))),
        "result of range difference would not be contiguous"
    );
    assert_eq!(show(range("[1,2)").merge(&range("[5,)"))), "[1,)");
    assert!(range("[1,5)").contains_value(&Value::Int4(1)));
    assert!(!range("[1,5)").contains_value(&Value::Int4(5)));
    assert!(range("[1,)").contains(&range("[5,9)")));
    assert!(range("[1,5)").is_adjacent(&range("[5,6)")));
    assert!(range("[1,5)").is_before(&range("[5,6)")));
    assert!(!range("[1,5)").overlaps(&range("[5,6)")));
}

#[test]
fn order_is_that_of_records() {
    // select string_agg(r::text, ' ' order by r) from the same ranges
    let sorted = ["empty", "(,1)", "(,)", "[1,2)", "[1,5)", "[1,)", "[2,3)"];
    let values: Vec<Value> = sorted.iter().map(|text| range(text).into_value()).collect();
    for pair in values.windows(2) {
        assert!(compare_as(oid::INT4RANGE, &pair[0], &pair[1]).is_lt(), "{pair:?}");
    }
}
