//! Statements that PostgreSQL knows and holdfast does not have: told apart from syntax errors, but not read.

use sqlparser::keywords::Keyword;

use super::ast::OwnStatement;
use super::{Context, Own};
use crate::parse::cursor::Cursor;

/// A statement by its first words.
pub(super) fn other(c: &mut Context) -> Own {
    let text =
        c.p.word()
            .filter(|word| word.quote_style.is_none())
            .map(|word| word.value.clone());
    let second = c.p.word_at(1).map(|word| word.value.clone()).unwrap_or_default();
    let tag = match (text.as_deref(), second.as_str()) {
        (Some("import"), "foreign") => "IMPORT FOREIGN SCHEMA",
        (Some("reassign"), "owned") => "REASSIGN OWNED",
        (Some("security"), "label") => "SECURITY LABEL",
        _ => return c.p.unexpected(),
    };
    c.skip_rest();
    Ok(OwnStatement::Other { tag })
}

/// After CREATE [OR REPLACE]: kinds of objects that are not there yet.
pub(super) fn other_create(c: &mut Context, text: &str) -> Own {
    let second = c.p.word_at(1).map(|word| word.value.clone()).unwrap_or_default();
    let tag = match (text, second.as_str()) {
        ("trigger", _) | ("constraint", "trigger") => "CREATE TRIGGER",
        ("rule", _) => "CREATE RULE",
        ("policy", _) => "CREATE POLICY",
        ("aggregate", _) => "CREATE AGGREGATE",
        ("operator", "class") => "CREATE OPERATOR CLASS",
        ("operator", "family") => "CREATE OPERATOR FAMILY",
        ("operator", _) => "CREATE OPERATOR",
        ("cast", _) => "CREATE CAST",
        ("collation", _) => "CREATE COLLATION",
        ("conversion", _) | ("default", "conversion") => "CREATE CONVERSION",
        ("statistics", _) => "CREATE STATISTICS",
        ("publication", _) => "CREATE PUBLICATION",
        ("subscription", _) => "CREATE SUBSCRIPTION",
        ("tablespace", _) => "CREATE TABLESPACE",
        ("transform", _) => "CREATE TRANSFORM",
        ("language" | "trusted" | "procedural", _) => "CREATE LANGUAGE",
        ("event", "trigger") => "CREATE EVENT TRIGGER",
        ("foreign", "table") => "CREATE FOREIGN TABLE",
        ("foreign", "data") => "CREATE FOREIGN DATA WRAPPER",
        ("server", _) => "CREATE SERVER",
        ("user", "mapping") => "CREATE USER MAPPING",
        ("access", "method") => "CREATE ACCESS METHOD",
        ("text", "search") => "CREATE TEXT SEARCH",
        _ => return c.p.unexpected(),
    };
    if c.p.at_nth(1, Keyword::NoKeyword) && c.p.at_end() {
        return c.p.unexpected();
    }
    c.p.advance_token();
    if c.p.at_end() {
        return c.p.unexpected();
    }
    c.skip_rest();
    Ok(OwnStatement::Other { tag })
}
