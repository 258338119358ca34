//! Names as parsed: folded or quoted, cut to 63 bytes, with positions.

use std::fmt;

use smol_str::SmolStr;
use sqlparser::ast::{Ident, ObjectName};

use super::cursor::position_of;
use super::keywords;

/// A name without qualification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Name {
    pub text: SmolStr,
    /// Characters from 1 in the query string; 0 if unknown.
    pub position: u32,
}

/// A name that may be qualified: `[catalog.][schema.]name`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QName {
    pub parts: Vec<SmolStr>,
    pub position: u32,
}

impl QName {
    /// The last part.
    ///
    /// # Panics
    /// Never for a parsed name, which has a part.
    pub fn name(&self) -> &SmolStr {
        self.parts.last().expect("a parsed name has a part")
    }

    /// The part before the last, if any.
    pub fn schema(&self) -> Option<&SmolStr> {
        self.parts.len().checked_sub(2).map(|at| &self.parts[at])
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// As PostgreSQL's `NameListToString`: parts with dots, unquoted.
impl fmt::Display for QName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, part) in self.parts.iter().enumerate() {
            if at > 0 {
                f.write_str(".")?;
            }
            f.write_str(part)?;
        }
        Ok(())
    }
}

/// The name that an identifier stands for. The lexer has folded and cut it already.
pub fn ident_name(ident: &Ident) -> SmolStr {
    SmolStr::new(&ident.value)
}

/// A name of sqlparser's tree in this floor's form.
pub fn qname_of(name: &ObjectName) -> QName {
    let idents = || name.0.iter().filter_map(|part| part.as_ident());
    QName {
        parts: idents().map(ident_name).collect(),
        position: idents().next().map_or(0, |ident| position_of(ident.span)),
    }
}

/// The name as SQL text, quoted where PostgreSQL's `quote_identifier` does.
pub fn quote_identifier(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if plain && !keywords::must_quote(name) {
        name.to_owned()
    } else {
        format!("\"{}\"", name.replace('"', "\"\""))
    }
}
