use super::{Json, parse, validate};

fn print(text: &str) -> String {
    parse(text).expect("valid JSON").to_string()
}

#[test]
fn jsonb_is_canonical() {
    assert_eq!(
        print(r#" {"bb":1.50,"a":[true,null,"x\u00e9\n"],"a":2, "ccc":{}} "#),
        r#"{"a": 2, "bb": 1.50, "ccc": {}}"#
    );
    assert_eq!(print(r#""\ud83d\ude00\u0001""#), "\"😀\\u0001\"");
    assert_eq!(print("1e3"), "1000");
}

#[test]
fn errors_are_postgresqls() {
    let cases = [
        ("", "The input string ended unexpectedly.", "JSON data, line 1: "),
        (
            "{\"a\":1,}",
            "Expected string, but found \"}\".",
            "JSON data, line 1: {\"a\":1,}",
        ),
        ("nul", "Token \"nul\" is invalid.", "JSON data, line 1: nul"),
        (
            "{\"a\" 1}",
            "Expected \":\", but found \"1\".",
            "JSON data, line 1: {\"a\" 1...",
        ),
        ("\"abc", "Token \"\"abc\" is invalid.", "JSON data, line 1: \"abc"),
        (
            "\"\\x\"",
            "Escape sequence \"\\x\" is invalid.",
            "JSON data, line 1: \"\\x...",
        ),
        (
            "\"\\u12\"",
            "\"\\u\" must be followed by four hexadecimal digits.",
            "JSON data, line 1: \"\\u12\"",
        ),
        ("01", "Token \"01\" is invalid.", "JSON data, line 1: 01"),
        ("+1", "Token \"+\" is invalid.", "JSON data, line 1: +..."),
        (
            "[1,\n2 3]",
            "Expected \",\" or \"]\", but found \"3\".",
            "JSON data, line 2: 2 3...",
        ),
        (
            "\"a\nb\"",
            "Character with value 0x0a must be escaped.",
            "JSON data, line 1: \"a",
        ),
        (
            "\"\\ud800x\"",
            "Unicode low surrogate must follow a high surrogate.",
            "JSON data, line 1: \"\\ud800x...",
        ),
        (
            "\"\\u0000\"",
            "\\u0000 cannot be converted to text.",
            "JSON data, line 1: \"\\u0000...",
        ),
    ];
    for (text, detail, context) in cases {
        let error = parse(text).expect_err(text);
        assert_eq!(error.fields().detail.as_deref(), Some(detail), "{text}");
        assert_eq!(error.fields().context.as_deref(), Some(context), "{text}");
    }
    assert!(validate(r#""\u0000\ud800""#).is_ok());
    assert!(validate("{1:2}").is_err());
}

#[test]
fn orders_as_jsonb() {
    // select string_agg(j::text, ' < ' order by j) from the same values
    let sorted = [
        "[]",
        "null",
        "\"a\"",
        "\"b\"",
        "1",
        "2",
        "false",
        "true",
        "[0]",
        "[1, 2]",
        "{}",
        "{\"a\": 1}",
    ];
    let values: Vec<Json> = sorted.iter().map(|text| parse(text).expect("valid JSON")).collect();
    for pair in values.windows(2) {
        assert!(pair[0].compare(&pair[1]).is_lt(), "{} < {}", pair[0], pair[1]);
    }
}
