//! Text forms of arrays: `{1,2}`, `[0:1]={1,2}`, nested braces, quotes and NULL; and of the two vector types.

use std::fmt::Write as _;

use std::sync::Arc;

use super::{scalar::is_space, text_in, text_out};
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::limits::ARRAY_DIMENSIONS_MAX;
use crate::types::{Array, ArrayDim, TypeEnv, Value};

fn malformed(text: &str, detail: impl Into<String>) -> PgError {
    PgError::new(
        sqlstate::INVALID_TEXT_REPRESENTATION,
        format!("malformed array literal: \"{text}\""),
    )
    .detail(detail)
}

fn too_many_dimensions(count: usize) -> PgError {
    PgError::new(
        sqlstate::PROGRAM_LIMIT_EXCEEDED,
        format!("number of array dimensions ({count}) exceeds the maximum allowed ({ARRAY_DIMENSIONS_MAX})"),
    )
}

pub(super) fn array_in(element: Oid, typmod: i32, text: &str, env: &TypeEnv<'_>) -> Result<Value> {
    let mut reader = Reader {
        text,
        at: 0,
        lengths: Vec::new(),
        leaf_depth: None,
        items: Vec::new(),
    };
    let bounds = reader.bounds()?;
    reader.skip_blanks();
    if reader.peek() != Some(b'{') {
        let detail = if bounds.is_some() {
            "Array contents must start with \"{\"."
        } else {
            "Array value must start with \"{\" or dimension information."
        };
        return Err(malformed(text, detail));
    }
    reader.level(0)?;
    reader.skip_blanks();
    if reader.at != text.len() {
        return Err(malformed(text, "Junk after closing right brace."));
    }
    let Reader { lengths, items, .. } = reader;
    // Elements are read only once the whole literal is known to be well formed.
    let values = items
        .into_iter()
        .map(|item| match item {
            None => Ok(Value::Null),
            Some(item) => text_in(element, typmod, &item, env),
        })
        .collect::<Result<Vec<_>>>()?;
    let dims = match bounds {
        _ if values.is_empty() => Vec::new(),
        Some(bounds) => {
            let given: Vec<i32> = bounds.iter().map(|dim| dim.len).collect();
            if given != lengths {
                return Err(malformed(text, "Specified array dimensions do not match array contents."));
            }
            bounds
        }
        None => lengths.iter().map(|len| ArrayDim { len: *len, lower: 1 }).collect(),
    };
    Ok(Value::Array(Arc::new(Array { element, dims, values })))
}

/// Reads one literal.
struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// Length of each dimension, once its first list has been read.
    lengths: Vec<i32>,
    /// Depth of the lists that hold elements.
    leaf_depth: Option<usize>,
    /// Texts of the elements, `None` for NULL.
    items: Vec<Option<String>>,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(is_space) {
            self.at += 1;
        }
    }

    /// `[1:2][0:3]=`, or nothing.
    fn bounds(&mut self) -> Result<Option<Vec<ArrayDim>>> {
        let mut dims = Vec::new();
        loop {
            self.skip_blanks();
            if self.peek() != Some(b'[') {
                break;
            }
            self.at += 1;
            if dims.len() >= ARRAY_DIMENSIONS_MAX {
                return Err(too_many_dimensions(dims.len() + 1));
            }
            let first = self.bound("\"[\" must introduce explicitly-specified array dimensions.")?;
            let (lower, upper) = if self.peek() == Some(b':') {
                self.at += 1;
                (first, self.bound("Missing array dimension value.")?)
            } else {
                (1, first)
            };
            if self.peek() != Some(b']') {
                return Err(malformed(self.text, "Missing \"]\" after array dimensions."));
            }
            self.at += 1;
            if upper < lower {
                return Err(PgError::new(
                    sqlstate::ARRAY_SUBSCRIPT_ERROR,
                    "upper bound cannot be less than lower bound",
                ));
            }
            let len = i64::from(upper) - i64::from(lower) + 1;
            let len = i32::try_from(len).map_err(|_| {
                PgError::new(
                    sqlstate::PROGRAM_LIMIT_EXCEEDED,
                    format!("array size exceeds the maximum allowed ({})", i32::MAX / 8),
                )
            })?;
            dims.push(ArrayDim { len, lower });
        }
        if dims.is_empty() {
            return Ok(None);
        }
        if self.peek() != Some(b'=') {
            return Err(malformed(self.text, "Missing \"=\" after array dimensions."));
        }
        self.at += 1;
        Ok(Some(dims))
    }

    fn bound(&mut self, missing: &str) -> Result<i32> {
        let start = self.at;
        if let Some(b'-' | b'+') = self.peek() {
            self.at += 1;
        }
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.text[start..self.at].parse().map_err(|_| malformed(self.text, missing))
    }

    fn unexpected_end(&self) -> PgError {
        malformed(self.text, "Unexpected end of input.")
    }

    fn ragged(&self) -> PgError {
        malformed(
            self.text,
            "Multidimensional arrays must have sub-arrays with matching dimensions.",
        )
    }

    fn unexpected(&self, byte: u8) -> PgError {
        malformed(self.text, format!("Unexpected \"{}\" character.", char::from(byte)))
    }

    /// Reads `{...}` of the dimension `depth`.
    fn level(&mut self, depth: usize) -> Result<()> {
        if depth >= ARRAY_DIMENSIONS_MAX {
            return Err(too_many_dimensions(depth + 1));
        }
        self.at += 1;
        let mut count = 0_i32;
        self.skip_blanks();
        if self.peek() == Some(b'}') {
            if depth > 0 {
                return Err(self.unexpected(b'}'));
            }
            self.at += 1;
            return self.close(depth, 0);
        }
        // Whether this list holds lists or elements: the first item decides.
        let mut holds_lists = None;
        loop {
            self.skip_blanks();
            match self.peek() {
                None => return Err(self.unexpected_end()),
                Some(b'{') if holds_lists == Some(false) => return Err(self.unexpected(b'{')),
                Some(b'{') => {
                    holds_lists = Some(true);
                    if self.leaf_depth.is_some_and(|leaf| leaf <= depth) {
                        return Err(self.ragged());
                    }
                    self.level(depth + 1)?;
                }
                Some(byte @ (b'}' | b',')) => return Err(self.unexpected(byte)),
                Some(_) if holds_lists == Some(true) => {
                    return Err(malformed(self.text, "Unexpected array element."));
                }
                Some(_) => {
                    holds_lists = Some(false);
                    if self.leaf_depth.is_some_and(|leaf| leaf != depth) {
                        return Err(self.ragged());
                    }
                    self.leaf_depth = Some(depth);
                    let item = self.item()?;
                    self.items.push(item);
                }
            }
            count += 1;
            self.skip_blanks();
            match self.peek() {
                None => return Err(self.unexpected_end()),
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return self.close(depth, count);
                }
                Some(byte @ (b'{' | b'\\')) => return Err(self.unexpected(byte)),
                Some(_) => return Err(malformed(self.text, "Unexpected array element.")),
            }
        }
    }

    /// All lists of a dimension are of one length.
    fn close(&mut self, depth: usize, count: i32) -> Result<()> {
        while self.lengths.len() <= depth {
            self.lengths.push(-1);
        }
        match self.lengths[depth] {
            -1 => self.lengths[depth] = count,
            len if len != count => return Err(self.ragged()),
            _ => {}
        }
        Ok(())
    }

    /// One element, quoted or not; blanks after an unquoted one go.
    fn item(&mut self) -> Result<Option<String>> {
        let mut item = String::new();
        // What must not be trimmed: the end of the last quoted or escaped part.
        let mut keep = 0;
        let mut plain = true;
        let mut quoted = false;
        loop {
            let Some(byte) = self.peek() else {
                return Err(self.unexpected_end());
            };
            match byte {
                b',' | b'}' => break,
                b'{' => return Err(self.unexpected(byte)),
                b'\\' if quoted => return Err(self.unexpected(byte)),
                b if quoted && !is_space(b) => return Err(malformed(self.text, "Unexpected array element.")),
                b'"' => {
                    quoted = true;
                    if !item[keep..].is_empty() || !plain {
                        return Err(malformed(self.text, "Unexpected array element."));
                    }
                    plain = false;
                    self.quoted(&mut item)?;
                    keep = item.len();
                }
                b'\\' => {
                    plain = false;
                    self.at += 1;
                    self.push_char(&mut item)?;
                    keep = item.len();
                }
                _ => self.push_char(&mut item)?,
            }
        }
        let end = item[keep..]
            .trim_end_matches(|c: char| c.is_ascii() && is_space(c as u8))
            .len()
            + keep;
        item.truncate(end);
        if plain && item.eq_ignore_ascii_case("null") {
            return Ok(None);
        }
        Ok(Some(item))
    }

    fn quoted(&mut self, item: &mut String) -> Result<()> {
        self.at += 1;
        loop {
            match self.peek() {
                None => return Err(self.unexpected_end()),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => {
                    self.at += 1;
                    self.push_char(item)?;
                }
                Some(_) => self.push_char(item)?,
            }
        }
    }

    fn push_char(&mut self, item: &mut String) -> Result<()> {
        let c = self.text[self.at..].chars().next().ok_or_else(|| self.unexpected_end())?;
        item.push(c);
        self.at += c.len_utf8();
        Ok(())
    }
}

/// Appends an element's text, quoted where an array literal needs it.
pub fn quote_element(text: &str, delim: char, out: &mut String) {
    let needs = text.is_empty()
        || text.eq_ignore_ascii_case("null")
        || text
            .chars()
            .any(|c| matches!(c, '"' | '\\' | '{' | '}') || c == delim || (c.is_ascii() && is_space(c as u8)));
    if !needs {
        out.push_str(text);
        return;
    }
    out.push('"');
    for c in text.chars() {
        if matches!(c, '"' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
}

pub(super) fn array_out(array: &Array, env: &TypeEnv<'_>, out: &mut String) -> Result<()> {
    if array.values.is_empty() {
        out.push_str("{}");
        return Ok(());
    }
    if array.dims.iter().any(|dim| dim.lower != 1) {
        for dim in &array.dims {
            let upper = i64::from(dim.lower) + i64::from(dim.len) - 1;
            let _ = write!(out, "[{}:{upper}]", dim.lower);
        }
        out.push('=');
    }
    let mut at = 0;
    write_level(array, 0, &mut at, env, out)
}

fn write_level(array: &Array, depth: usize, at: &mut usize, env: &TypeEnv<'_>, out: &mut String) -> Result<()> {
    out.push('{');
    let len = array.dims.get(depth).map_or(array.values.len() as i32, |dim| dim.len);
    let mut text = String::new();
    for place in 0..len {
        if place > 0 {
            out.push(',');
        }
        if depth + 1 < array.dims.len() {
            write_level(array, depth + 1, at, env, out)?;
            continue;
        }
        match array.values.get(*at) {
            None | Some(Value::Null) => out.push_str("NULL"),
            Some(value) => {
                text.clear();
                text_out(array.element, value, env, &mut text)?;
                quote_element(&text, ',', out);
            }
        }
        *at += 1;
    }
    out.push('}');
    Ok(())
}

/// `int2vector`, `oidvector`: numbers between blanks, lower bound 0.
pub(super) fn vector_in(element: Oid, text: &str, env: &TypeEnv<'_>) -> Result<Value> {
    let values = text
        .split_ascii_whitespace()
        .map(|item| text_in(element, -1, item, env))
        .collect::<Result<Vec<_>>>()?;
    Ok(Value::Array(Arc::new(vector(element, values))))
}

/// A value of `int2vector` or `oidvector`.
fn vector(element: Oid, values: Vec<Value>) -> Array {
    let mut array = Array::one(element, values);
    if let Some(dim) = array.dims.first_mut() {
        dim.lower = 0;
    }
    array
}

pub(super) fn vector_out(array: &Array, env: &TypeEnv<'_>, out: &mut String) -> Result<()> {
    for (at, value) in array.values.iter().enumerate() {
        if at > 0 {
            out.push(' ');
        }
        text_out(array.element, value, env, out)?;
    }
    Ok(())
}
