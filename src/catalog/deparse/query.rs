//! Definitions of views: names of relations as the search path shows them, and the pretty form.
//!
//! Views are stored with all parentheses and with schemas before their relations' names; line breaks stay as they are.

use super::Form;
use super::pretty::{Parent, Token, expression, is_word, text, tokens, trim};
use crate::catalog::catalog::RelationRef;
use crate::catalog::names::CatalogNames;
use crate::catalog::objects::Table;
use crate::catalog::quote::quote_literal;
use crate::types::env::NameLookup;

/// A view's query as `pg_get_viewdef` prints it, without the semicolon.
pub fn view_query(names: CatalogNames<'_>, stored: &str, form: Form) -> String {
    let stored = stored.trim_end().trim_end_matches(';');
    let Some(mut tokens) = tokens(stored) else {
        return stored.to_owned();
    };
    shorten(names, &mut tokens);
    match form {
        Form::Full => text(&tokens),
        Form::Pretty => {
            let mut out = String::with_capacity(stored.len());
            query(&tokens, &mut out);
            out
        }
    }
}

/// A name without its quotes.
fn plain(word: &str) -> String {
    match word.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')) {
        Some(inner) => inner.replace("\"\"", "\""),
        None => word.to_owned(),
    }
}

/// An expression as the path shows its names: `'public.s'::regclass` becomes `'s'::regclass`, `public.mood` `mood`.
pub fn display(names: CatalogNames<'_>, stored: &str) -> String {
    if !stored.contains('.') {
        return stored.to_owned();
    }
    let Some(mut tokens) = tokens(stored) else {
        return stored.to_owned();
    };
    shorten(names, &mut tokens);
    text(&tokens)
}

/// Takes schemas off relations and types that the path shows.
fn shorten(names: CatalogNames<'_>, tokens: &mut Vec<Token>) {
    let mut at = 0;
    while at < tokens.len() {
        if let [Token::Word(schema), Token::Symbol(dot), Token::Word(name), ..] = &tokens[at..]
            && dot == "."
            && !matches!(tokens.get(at + 3), Some(Token::Round(_)))
            && is_shown(names, &plain(schema), &plain(name), at > 0 && tokens[at - 1] == Token::Cast)
        {
            tokens.drain(at..at + 2);
        }
        if let [Token::Word(literal), Token::Cast, Token::Word(ty), ..] = &tokens[at..]
            && ty == "regclass"
            && let Some(inner) = literal.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''))
            && let Ok(relation) = names.class_in(&inner.replace("''", "'"))
        {
            let shown = names.reg_out(crate::types::oid::REGCLASS, relation);
            tokens[at] = Token::Word(quote_literal(&shown));
        }
        if let Token::Round(inner) | Token::Square(inner) = &mut tokens[at] {
            shorten(names, inner);
        }
        at += 1;
    }
}

/// Whether a relation (or, after `::`, a type) of a schema is found by its bare name.
fn is_shown(names: CatalogNames<'_>, schema: &str, name: &str, is_type: bool) -> bool {
    let Some(schema) = names.catalog.find_schema(schema) else {
        return false;
    };
    if is_type {
        let found = names.catalog.find_type(schema, name);
        return found.is_some_and(|ty| names.path.shows_type(names.catalog, schema, name, ty));
    }
    let relation = names.catalog.find_relation(schema, name);
    relation.is_some_and(|relation| {
        names.path.shows_relation(names.catalog, schema, name, relation)
            && names
                .catalog
                .relation(relation)
                .is_some_and(|one| !matches!(one, RelationRef::Index(_)))
    })
}

/// 0-based columns of a table that a stored expression names.
pub fn named_columns(table: &Table, stored: &str) -> Vec<u16> {
    let mut found = Vec::new();
    if let Some(tokens) = tokens(stored) {
        collect_columns(table, &tokens, &mut found);
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn collect_columns(table: &Table, tokens: &[Token], found: &mut Vec<u16>) {
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Round(inner) | Token::Square(inner) => collect_columns(table, inner, found),
            Token::Word(word) if !word.starts_with('\'') => {
                let is_call = matches!(tokens.get(at + 1), Some(Token::Round(_)));
                let is_type = at > 0 && tokens[at - 1] == Token::Cast;
                if let (Some((place, _)), false, false) = (table.column(&plain(word)), is_call, is_type) {
                    found.extend(u16::try_from(place));
                }
            }
            _ => {}
        }
    }
}

/// Whether the inside of parentheses is a sub-select.
pub(super) fn is_query(tokens: &[Token]) -> bool {
    trim(tokens)
        .first()
        .is_some_and(|token| is_word(token, "SELECT") || is_word(token, "WITH") || is_word(token, "VALUES"))
}

/// Words that stand between expressions in a query.
const SEPARATORS: &[&str] = &[
    "SELECT",
    "DISTINCT",
    "FROM",
    "WHERE",
    "GROUP",
    "BY",
    "HAVING",
    "ORDER",
    "LIMIT",
    "OFFSET",
    "UNION",
    "INTERSECT",
    "EXCEPT",
    "ALL",
    "AS",
    "JOIN",
    "LEFT",
    "RIGHT",
    "FULL",
    "INNER",
    "CROSS",
    "NATURAL",
    "ON",
    "USING",
    "WITH",
    "RECURSIVE",
    "VALUES",
    "ASC",
    "DESC",
    "NULLS",
    "FIRST",
    "LAST",
    "FOR",
    "UPDATE",
    "SHARE",
    "LATERAL",
    "WINDOW",
    "MATERIALIZED",
    "FETCH",
];

fn is_separator(token: &Token) -> bool {
    match token {
        Token::Word(word) => SEPARATORS.contains(&word.as_str()),
        Token::Comma => true,
        _ => false,
    }
}

fn is_join(tokens: &[Token]) -> bool {
    !is_query(tokens) && tokens.iter().any(|token| is_word(token, "JOIN"))
}

/// Prints a query: what stands between its words as expressions, blanks as they were.
pub(super) fn query(tokens: &[Token], out: &mut String) {
    let mut before = "";
    let mut section = "";
    let mut at = 0;
    while at < tokens.len() {
        let token = &tokens[at];
        if is_separator(token) || matches!(token, Token::Space(_)) {
            if let Token::Word(word) = token {
                before = word;
                if matches!(
                    word.as_str(),
                    "SELECT" | "FROM" | "WHERE" | "GROUP" | "HAVING" | "ORDER" | "LIMIT"
                ) {
                    section = word;
                }
            }
            out.push_str(&text(std::slice::from_ref(token)));
            at += 1;
            continue;
        }
        let end = segment_end(tokens, at);
        let segment = &tokens[at..end];
        let kept = trim(segment);
        print_segment(kept, before, section, out);
        out.push_str(&text(&segment[kept.len()..]));
        at = end;
    }
}

/// Where an expression ends: at the next separator outside CASE.
fn segment_end(tokens: &[Token], start: usize) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(start) {
        match token {
            Token::Word(word) if word == "CASE" => depth += 1,
            Token::Word(word) if word == "END" => depth -= 1,
            _ => {}
        }
        if depth == 0 && is_separator(token) {
            return at;
        }
    }
    tokens.len()
}

fn print_segment(segment: &[Token], before: &str, section: &str, out: &mut String) {
    match segment {
        [Token::Round(inner), rest @ ..] if section == "FROM" && is_join(inner) => {
            // A join on the right keeps its parentheses, and so does one with an alias.
            let keeps = before == "JOIN" || !rest.is_empty();
            if keeps {
                out.push('(');
            }
            query(inner, out);
            if keeps {
                out.push(')');
            }
            out.push_str(&text(rest));
        }
        // Sorting and grouping by an expression is always in parentheses; so are lists of columns and of values.
        [Token::Round(inner)] if matches!(section, "GROUP" | "ORDER") || matches!(before, "USING" | "VALUES") => {
            out.push('(');
            if is_query(inner) {
                query(inner, out);
            } else if inner.contains(&Token::Comma) {
                out.push_str(&text(inner));
            } else {
                expression(inner, Parent::Open, out);
            }
            out.push(')');
        }
        // `name AS ( SELECT ...)` and sub-selects with an alias.
        [Token::Round(inner), rest @ ..] if is_query(inner) => {
            out.push('(');
            query(inner, out);
            out.push(')');
            out.push_str(&text(rest));
        }
        _ if section == "FROM" && !matches!(before, "ON") => out.push_str(&text(segment)),
        _ => expression(segment, Parent::Open, out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::SearchPath;
    use crate::catalog::tests::sample;

    /// Both forms as PostgreSQL 15 prints them.
    #[test]
    fn views_are_printed_as_postgresql_prints_them() {
        let catalog = sample();
        let path = SearchPath::resolve(&catalog, "public", "postgres");
        let names = CatalogNames {
            catalog: &catalog,
            path: &path,
        };
        let stored = " SELECT acct.id,\n    ((acct.bal + l.id) * 2) AS x,\n        CASE\n            WHEN (acct.id > 1) THEN 'q'::text\n            \
                      ELSE NULL::text\n        END AS y\n   FROM (public.acct\n     JOIN public.\"Line\" l ON ((l.acct = acct.id)))\n  \
                      WHERE (((acct.id > 1) OR (l.id < 2)) AND (EXISTS ( SELECT 1\n           FROM public.acct b\n          \
                      WHERE (b.id = l.id))))\n  ORDER BY (acct.id + 1) DESC\n LIMIT 5";
        let full = view_query(names, stored, Form::Full);
        assert_eq!(full, stored.replace("public.", ""));
        assert_eq!(
            view_query(names, stored, Form::Pretty),
            " SELECT acct.id,\n    (acct.bal + l.id) * 2 AS x,\n        CASE\n            WHEN acct.id > 1 THEN 'q'::text\n            \
             ELSE NULL::text\n        END AS y\n   FROM acct\n     JOIN \"Line\" l ON l.acct = acct.id\n  \
             WHERE (acct.id > 1 OR l.id < 2) AND (EXISTS ( SELECT 1\n           FROM acct b\n          \
             WHERE b.id = l.id))\n  ORDER BY (acct.id + 1) DESC\n LIMIT 5"
        );
        let hidden = SearchPath::system();
        let names = CatalogNames {
            catalog: &catalog,
            path: &hidden,
        };
        assert_eq!(view_query(names, stored, Form::Full), stored);
    }
}
