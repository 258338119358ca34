use super::*;

#[test]
fn parses_a_query() {
    let parsed = parse("SELECT 1; ; UPDATE t SET a = 1 WHERE b = 'x'").expect("valid");
    assert_eq!(parsed.len(), 2);
    assert_eq!(&*parsed[1].text, "UPDATE t SET a = 1 WHERE b = 'x'");
}
