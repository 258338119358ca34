//! Statements with the answer that PostgreSQL's grammar gives them.
//!
//! `testdata/grammar.txt`: blocks between `---` lines; the first line is `ok` or `error SQLSTATE POSITION MESSAGE`, the
//! rest the statement. The answers are PostgreSQL 15's. `HOLDFAST_GRAMMAR` names another such file to try.

use std::fmt::Write as _;

use super::*;

struct Case<'a> {
    expected: &'a str,
    sql: &'a str,
}

fn cases(text: &str) -> Vec<Case<'_>> {
    text.split("\n---\n")
        .filter_map(|block| block.split_once('\n'))
        .map(|(expected, sql)| Case {
            expected,
            sql: sql.strip_suffix('\n').unwrap_or(sql),
        })
        .collect()
}

fn answer(sql: &str) -> String {
    match parse(sql) {
        Ok(_) => "ok".to_owned(),
        Err(error) => {
            let fields = error.fields();
            let position = fields.position.unwrap_or(0);
            format!(
                "error {} {position} {}",
                error.code().as_str(),
                error.message().replace('\n', "\\n")
            )
        }
    }
}

#[test]
fn grammar_agrees_with_postgresql() {
    let text = match std::env::var("HOLDFAST_GRAMMAR") {
        Ok(path) => std::fs::read_to_string(path).expect("a readable file"),
        Err(_) => include_str!("testdata/grammar.txt").to_owned(),
    };
    let cases = cases(&text);
    let (mut report, mut passed) = (String::new(), 0);
    for case in &cases {
        let got = answer(case.sql);
        // What the tree cannot hold is refused by name, never taken for a syntax error.
        let unsupported = case.expected == "ok" && got.starts_with("error 0A000") && got.contains("not supported by holdfast");
        if got == case.expected || unsupported {
            passed += 1;
        } else {
            let _ = writeln!(report, "{}\n  expected {}\n  got      {got}", case.sql, case.expected);
        }
    }
    println!("{passed} of {} statements agree", cases.len());
    assert!(report.is_empty(), "{report}");
}
