//! Parts of a `json` text as they are written. The text was checked on input, so that a scan finds the tokens.

use crate::error::Result;
use crate::types::json::{Json, parse};

/// What a JSON text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Object,
    Array,
    String,
    Number,
    Bool,
    Null,
}

fn trimmed(text: &str) -> &str {
    text.trim_matches([' ', '\t', '\n', '\r'])
}

pub(super) fn kind(text: &str) -> Kind {
    match trimmed(text).as_bytes().first() {
        Some(b'{') => Kind::Object,
        Some(b'[') => Kind::Array,
        Some(b'"') => Kind::String,
        Some(b't' | b'f') => Kind::Bool,
        Some(b'n') => Kind::Null,
        _ => Kind::Number,
    }
}

/// Splits at the separators of the outermost level, brackets taken off.
fn split(text: &str, separator: u8) -> Vec<&str> {
    let whole = trimmed(text);
    let inner = whole.get(1..whole.len().saturating_sub(1)).unwrap_or("");
    if trimmed(inner).is_empty() {
        return Vec::new();
    }
    let mut parts = Vec::new();
    let (mut depth, mut from, mut in_string, mut escaped) = (0_usize, 0, false, false);
    for (at, byte) in inner.bytes().enumerate() {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            byte if byte == separator && depth == 0 => {
                parts.push(trimmed(&inner[from..at]));
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(trimmed(&inner[from..]));
    parts
}

/// The elements of an array.
pub(super) fn elements(text: &str) -> Vec<&str> {
    split(text, b',')
}

/// Keys, decoded, and values of an object in order, repeated keys too.
pub(super) fn members(text: &str) -> Result<Vec<(String, &str)>> {
    split(text, b',').into_iter().map(member).collect()
}

fn member(pair: &str) -> Result<(String, &str)> {
    let mut escaped = false;
    let end = pair
        .bytes()
        .enumerate()
        .skip(1)
        .find(|(_, byte)| match byte {
            _ if escaped => {
                escaped = false;
                false
            }
            b'\\' => {
                escaped = true;
                false
            }
            byte => *byte == b'"',
        })
        .map_or(pair.len(), |(at, _)| at + 1);
    let value = trimmed(&pair[end..]).trim_start_matches(':');
    Ok((string(&pair[..end])?, trimmed(value)))
}

/// The content of a string token.
pub(super) fn string(token: &str) -> Result<String> {
    if !token.contains('\\') {
        return Ok(token.trim_matches('"').to_owned());
    }
    match parse(token)? {
        Json::String(text) => Ok(text.to_string()),
        other => Ok(other.to_string()),
    }
}

/// What `->>` gives: a string's content, nothing for null, other values as written.
pub(super) fn as_text(text: &str) -> Result<Option<String>> {
    match kind(text) {
        Kind::Null => Ok(None),
        Kind::String => string(trimmed(text)).map(Some),
        _ => Ok(Some(trimmed(text).to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_keep_their_text() {
        // select '{"a": 1 , "b":[1,2 ,{"c":3}]}'::json -> 'b'  -- [1,2 ,{"c":3}]
        let parts = members(r#"{"a": 1 , "b":[1,2 ,{"c":3}], "x\"y,": "]"}"#).expect("valid");
        assert_eq!(parts[0], ("a".to_owned(), "1"));
        assert_eq!(parts[1], ("b".to_owned(), r#"[1,2 ,{"c":3}]"#));
        assert_eq!(parts[2], ("x\"y,".to_owned(), "\"]\""));
        assert_eq!(elements(" [ 1 , [2,3] ] "), ["1", "[2,3]"]);
        assert!(elements("[ ]").is_empty());
        assert_eq!(as_text(r#""a\nb""#).expect("valid").as_deref(), Some("a\nb"));
    }
}
