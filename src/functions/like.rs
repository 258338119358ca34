//! LIKE, ILIKE and SIMILAR TO: matching without a copy of the subject, and the escapes.

use std::borrow::Cow;

use super::arguments::{bytes, text};
use super::{Builtin, CallContext, pure};
use crate::error::{PgError, Result, sqlstate};
use crate::types::Value;
use crate::types::oid::{BOOL, BPCHAR, BYTEA, NAME, TEXT};

fn ends_with_escape() -> PgError {
    PgError::new(
        sqlstate::INVALID_ESCAPE_SEQUENCE,
        "LIKE pattern must not end with escape character",
    )
}

/// What the end of a match attempt says about attempts further right.
#[derive(PartialEq, Eq)]
enum Outcome {
    Matched,
    No,
    /// The subject ended first: a shorter rest cannot match either.
    Short,
}

/// How many bytes one `_` takes.
fn step(subject: &[u8], at: usize, characters: bool) -> usize {
    if !characters {
        return at + 1;
    }
    let mut end = at + 1;
    while end < subject.len() && subject[end] & 0xc0 == 0x80 {
        end += 1;
    }
    end
}

/// Matches bytes; `characters` makes `_` take a whole UTF-8 character. Literals compare by bytes either way: UTF-8 has
/// no character within another.
fn match_bytes(subject: &[u8], pattern: &[u8], characters: bool) -> Result<Outcome> {
    let (mut s, mut p) = (0, 0);
    // Where to go on after a mismatch: behind the last `%`, one character later in the subject.
    let mut back: Option<(usize, usize)> = None;
    loop {
        let Some(&byte) = pattern.get(p) else {
            if s == subject.len() {
                return Ok(Outcome::Matched);
            }
            match retry(subject, pattern, characters, &mut back)? {
                Some(places) => (s, p) = places,
                None => return Ok(Outcome::No),
            }
            continue;
        };
        if byte == b'%' {
            p += 1;
            if p == pattern.len() {
                return Ok(Outcome::Matched);
            }
            back = Some((p, s));
            continue;
        }
        if s == subject.len() {
            return Ok(Outcome::Short);
        }
        let (literal, width) = match byte {
            b'\\' => (Some(*pattern.get(p + 1).ok_or_else(ends_with_escape)?), 2),
            b'_' => (None, 1),
            other => (Some(other), 1),
        };
        match literal {
            None => s = step(subject, s, characters),
            Some(literal) if literal == subject[s] => s += 1,
            Some(_) => {
                match retry(subject, pattern, characters, &mut back)? {
                    Some(places) => (s, p) = places,
                    None => return Ok(Outcome::No),
                }
                continue;
            }
        }
        p += width;
    }
}

/// The next places in subject and pattern to try from, if a `%` lies behind.
fn retry(subject: &[u8], pattern: &[u8], characters: bool, back: &mut Option<(usize, usize)>) -> Result<Option<(usize, usize)>> {
    let Some((p, s)) = *back else { return Ok(None) };
    if s >= subject.len() {
        return Ok(None);
    }
    let mut next = step(subject, s, characters);
    // A literal after the `%`: jump to where it is.
    let literal = match pattern[p] {
        b'\\' => Some(*pattern.get(p + 1).ok_or_else(ends_with_escape)?),
        b'_' | b'%' => None,
        other => Some(other),
    };
    if let Some(literal) = literal {
        match memchr::memchr(literal, &subject[next..]) {
            Some(ahead) => next += ahead,
            None => return Ok(None),
        }
    }
    *back = Some((p, next));
    Ok(Some((next, p)))
}

fn like(subject: &str, pattern: &str) -> Result<bool> {
    Ok(match_bytes(subject.as_bytes(), pattern.as_bytes(), true)? == Outcome::Matched)
}

fn lowered(text: &str) -> Cow<'_, str> {
    if text.bytes().any(|byte| byte.is_ascii_uppercase() || !byte.is_ascii()) {
        Cow::Owned(text.to_lowercase())
    } else {
        Cow::Borrowed(text)
    }
}

fn ilike(subject: &str, pattern: &str) -> Result<bool> {
    like(&lowered(subject), &lowered(pattern))
}

fn textlike(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    like(text(&args[0])?, text(&args[1])?).map(Value::Bool)
}

fn textnlike(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    like(text(&args[0])?, text(&args[1])?).map(|found| Value::Bool(!found))
}

fn texticlike(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    ilike(text(&args[0])?, text(&args[1])?).map(Value::Bool)
}

fn texticnlike(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    ilike(text(&args[0])?, text(&args[1])?).map(|found| Value::Bool(!found))
}

fn bytealike(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::Bool(
        match_bytes(bytes(&args[0])?, bytes(&args[1])?, false)? == Outcome::Matched,
    ))
}

fn byteanlike(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    Ok(Value::Bool(
        match_bytes(bytes(&args[0])?, bytes(&args[1])?, false)? != Outcome::Matched,
    ))
}

/// One escape character, or none for the empty string.
fn escape_character(escape: &str) -> Result<Option<char>> {
    let mut chars = escape.chars();
    let first = chars.next();
    if chars.next().is_some() {
        return Err(PgError::new(sqlstate::INVALID_ESCAPE_SEQUENCE, "invalid escape string")
            .hint("Escape string must be empty or one character."));
    }
    Ok(first)
}

/// The pattern with backslash as its escape character.
fn like_escape(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let escape = escape_character(text(&args[1])?)?;
    let pattern = text(&args[0])?;
    if escape == Some('\\') {
        return Ok(args[0].clone());
    }
    let mut out = String::with_capacity(pattern.len() + 8);
    let mut after_escape = false;
    for c in pattern.chars() {
        if Some(c) == escape && !after_escape {
            out.push('\\');
            after_escape = true;
        } else {
            if c == '\\' && !after_escape {
                out.push('\\');
            }
            out.push(c);
            after_escape = false;
        }
    }
    Ok(Value::text(out))
}

/// A SIMILAR TO pattern as a regular expression (`similar_escape_internal`).
fn similar(pattern: &str, escape: Option<char>) -> Result<String> {
    let mut out = String::from("^(?:");
    let (mut after_escape, mut in_class, mut separators) = (false, false, 0);
    for c in pattern.chars() {
        if after_escape {
            if c == '"' && !in_class {
                match separators {
                    0 => out.push_str("){1,1}?("),
                    1 => out.push_str("){1,1}(?:"),
                    _ => {
                        return Err(PgError::new(
                            sqlstate::INVALID_USE_OF_ESCAPE_CHARACTER,
                            "SQL regular expression may not contain more than two escape-double-quote separators",
                        ));
                    }
                }
                separators += 1;
            } else {
                out.push('\\');
                out.push(c);
            }
            after_escape = false;
        } else if Some(c) == escape {
            after_escape = true;
        } else if in_class {
            if c == '\\' {
                out.push('\\');
            }
            out.push(c);
            in_class = c != ']';
        } else {
            match c {
                '[' => {
                    out.push('[');
                    in_class = true;
                }
                '%' => out.push_str(".*"),
                '_' => out.push('.'),
                '(' => out.push_str("(?:"),
                '\\' | '.' | '^' | '$' => {
                    out.push('\\');
                    out.push(c);
                }
                c => out.push(c),
            }
        }
    }
    out.push_str(")$");
    Ok(out)
}

pub(super) fn similar_to_escape(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let escape = match args.get(1) {
        Some(escape) => escape_character(text(escape)?)?,
        None => Some('\\'),
    };
    similar(text(&args[0])?, escape).map(Value::text)
}

/// The older name; a null escape means backslash.
fn similar_escape(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    if args[0].is_null() {
        return Ok(Value::Null);
    }
    let escape = if args[1].is_null() {
        Some('\\')
    } else {
        escape_character(text(&args[1])?)?
    };
    similar(text(&args[0])?, escape).map(Value::text)
}

#[rustfmt::skip]
pub const FUNCTIONS: &[Builtin] = &[
    pure(850, "textlike", &[TEXT, TEXT], BOOL, textlike),
    pure(851, "textnlike", &[TEXT, TEXT], BOOL, textnlike),
    pure(1633, "texticlike", &[TEXT, TEXT], BOOL, texticlike),
    pure(1634, "texticnlike", &[TEXT, TEXT], BOOL, texticnlike),
    pure(858, "namelike", &[NAME, TEXT], BOOL, textlike),
    pure(859, "namenlike", &[NAME, TEXT], BOOL, textnlike),
    pure(1635, "nameiclike", &[NAME, TEXT], BOOL, texticlike),
    pure(1636, "nameicnlike", &[NAME, TEXT], BOOL, texticnlike),
    pure(1631, "bpcharlike", &[BPCHAR, TEXT], BOOL, textlike),
    pure(1632, "bpcharnlike", &[BPCHAR, TEXT], BOOL, textnlike),
    pure(1660, "bpchariclike", &[BPCHAR, TEXT], BOOL, texticlike),
    pure(1661, "bpcharicnlike", &[BPCHAR, TEXT], BOOL, texticnlike),
    pure(2005, "bytealike", &[BYTEA, BYTEA], BOOL, bytealike),
    pure(2006, "byteanlike", &[BYTEA, BYTEA], BOOL, byteanlike),
    pure(1569, "like", &[TEXT, TEXT], BOOL, textlike),
    pure(1571, "like", &[NAME, TEXT], BOOL, textlike),
    pure(2007, "like", &[BYTEA, BYTEA], BOOL, bytealike),
    pure(1570, "notlike", &[TEXT, TEXT], BOOL, textnlike),
    pure(1572, "notlike", &[NAME, TEXT], BOOL, textnlike),
    pure(2008, "notlike", &[BYTEA, BYTEA], BOOL, byteanlike),
    pure(1637, "like_escape", &[TEXT, TEXT], TEXT, like_escape),
    pure(1986, "similar_to_escape", &[TEXT, TEXT], TEXT, similar_to_escape),
    pure(1987, "similar_to_escape", &[TEXT], TEXT, similar_to_escape),
    pure(1623, "similar_escape", &[TEXT, TEXT], TEXT, similar_escape).called_on_null(),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn like_matches_as_postgresql() {
        for (subject, pattern, expected) in [
            ("abc", "abc", true),
            ("abc", "a%", true),
            ("abc", "_b_", true),
            ("äbc", "_bc", true),
            ("abc", "%c", true),
            ("abcabd", "%ab_", true),
            ("aab", "%ab", true),
            ("a%c", "a\\%c", true),
            ("abc", "a\\%c", false),
            ("", "%", true),
            ("", "", true),
            ("abc", "", false),
            ("abc", "%%%d", false),
            ("mississippi", "%iss%ip%", true),
            ("日本語", "%本_", true),
        ] {
            assert_eq!(like(subject, pattern).expect("valid"), expected, "{subject} like {pattern}");
        }
        assert!(like("a\\", "a\\").is_err());
    }

    #[test]
    fn similar_patterns_are_translated() {
        // select similar_to_escape('a%b_(c|d).')
        assert_eq!(similar("a%b_(c|d).", Some('\\')).expect("valid"), "^(?:a.*b.(?:c|d)\\.)$");
    }
}
