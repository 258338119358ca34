//! From the full form of an expression (every operator in parentheses) to the pretty one, by PostgreSQL's rules
//! (`isSimpleNode` in its `ruleutils.c`).
//!
//! The full form needs no precedence to be read: an expression is an operation with operands, each a name, a literal, a
//! call, a cast or a parenthesised expression. So a tree of brackets over its tokens is enough.

/// A piece of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// Name, keyword, number, string or quoted name.
    Word(String),
    /// Operator characters.
    Symbol(String),
    /// `::` and what is written between a value and its type.
    Cast,
    Comma,
    /// Any blanks, as written.
    Space(String),
    /// `(...)`.
    Round(Vec<Token>),
    /// `[...]`.
    Square(Vec<Token>),
}

/// What an expression is, as far as parentheses depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    And,
    Or,
    Not,
    /// `IS NULL`, `IS TRUE`, `IS DISTINCT FROM`.
    Test,
    /// `+` and `-`, `*` and `/` and `%` of two operands.
    Low,
    High,
    /// Another operator.
    Operator,
    /// `= ANY (...)` and what else has no rule.
    Other,
    /// A comparison with a sub-select, or EXISTS: keeps its parentheses.
    Sublink,
    /// Never needs parentheses.
    Simple,
}

/// What an expression stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parent {
    /// Nothing, or an argument, an array's element, a part of CASE.
    Open,
    And,
    Or,
    Not,
    Operator(Kind, Side),
    Test,
    Cast,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    First,
    Later,
}

/// Reads a text; `None` where its brackets do not match.
pub(super) fn tokens(text: &str) -> Option<Vec<Token>> {
    read(&mut text.chars().collect::<Vec<_>>().into_iter().peekable(), None)
}

/// The pretty form of a full one. What cannot be read comes back as it is.
pub fn pretty(full: &str) -> String {
    let Some(tokens) = tokens(full) else {
        return full.to_owned();
    };
    let mut out = String::with_capacity(full.len());
    expression(&tokens, Parent::Open, &mut out);
    out
}

/// Whether a full form is a function's call (or looks like one, as COALESCE does).
pub fn is_call(full: &str) -> bool {
    match tokens(full).as_deref() {
        Some([Token::Word(_), Token::Round(_)]) => true,
        Some([Token::Word(_), Token::Symbol(dot), Token::Word(_), Token::Round(_)]) => dot == ".",
        _ => false,
    }
}

type Chars = std::iter::Peekable<std::vec::IntoIter<char>>;

fn is_operator(c: char) -> bool {
    "+-*/<>=~!@#%^&|`?".contains(c)
}

/// Reads up to a closing sign, or to the end where there is none to close.
fn read(chars: &mut Chars, close: Option<char>) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    while let Some(c) = chars.next() {
        let token = match c {
            _ if Some(c) == close => return Some(tokens),
            '(' => Token::Round(read(chars, Some(')'))?),
            '[' => Token::Square(read(chars, Some(']'))?),
            ')' | ']' => return None,
            ',' => Token::Comma,
            ':' if chars.peek() == Some(&':') => {
                chars.next();
                Token::Cast
            }
            '\'' | '"' => Token::Word(quoted(chars, c)),
            c if c.is_whitespace() => Token::Space(run(chars, c, char::is_whitespace)),
            c if is_operator(c) => Token::Symbol(run(chars, c, is_operator)),
            c if c.is_alphanumeric() || c == '_' || c == '$' => {
                let word = run(chars, c, |c| c.is_alphanumeric() || matches!(c, '_' | '$'));
                match (word.as_str(), chars.peek()) {
                    ("E" | "B" | "X", Some('\'')) => {
                        chars.next();
                        Token::Word(word + &quoted(chars, '\''))
                    }
                    _ => Token::Word(word),
                }
            }
            other => Token::Symbol(other.to_string()),
        };
        tokens.push(token);
    }
    close.is_none().then_some(tokens)
}

fn run(chars: &mut Chars, first: char, more: impl Fn(char) -> bool) -> String {
    let mut out = String::from(first);
    while let Some(c) = chars.next_if(|c| more(*c)) {
        out.push(c);
    }
    out
}

/// A string or quoted name whose first quote has been read. Backslashes come doubled in E strings, so they need no care.
fn quoted(chars: &mut Chars, quote: char) -> String {
    let mut out = String::from(quote);
    while let Some(c) = chars.next() {
        out.push(c);
        if c == quote {
            match chars.next_if_eq(&quote) {
                Some(c) => out.push(c),
                None => break,
            }
        }
    }
    out
}

pub(super) fn trim(mut tokens: &[Token]) -> &[Token] {
    while let [Token::Space(_), rest @ ..] = tokens {
        tokens = rest;
    }
    while let [rest @ .., Token::Space(_)] = tokens {
        tokens = rest;
    }
    tokens
}

pub(super) fn is_word(token: &Token, word: &str) -> bool {
    matches!(token, Token::Word(found) if found == word)
}

/// A point does not split names, and a minus before a number in a cast is part of it.
fn is_infix(tokens: &[Token], at: usize) -> bool {
    matches!(&tokens[at], Token::Symbol(symbol) if symbol != ".")
        && at > 0
        && matches!(tokens[at - 1], Token::Space(_))
        && matches!(tokens.get(at + 1), Some(Token::Space(_)))
}

/// The operation of an expression and where it stands; CASE counts as one simple value.
fn operation(tokens: &[Token]) -> (Kind, usize) {
    let mut depth = 0;
    let mut test = None;
    let mut operator = None;
    let is_sublink = |at: usize| {
        matches!(&tokens[at], Token::Round(inner) if super::query::is_query(inner))
            && trim(&tokens[..at])
                .last()
                .is_some_and(|before| matches!(before, Token::Word(_)))
    };
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Round(_) if depth == 0 && is_sublink(at) => return (Kind::Sublink, at),
            Token::Word(word) if word == "CASE" => depth += 1,
            Token::Word(word) if word == "END" => depth -= 1,
            _ if depth > 0 => {}
            Token::Word(word) if word == "AND" => return (Kind::And, at),
            Token::Word(word) if word == "OR" => return (Kind::Or, at),
            Token::Word(word) if word == "NOT" && at == 0 => return (Kind::Not, at),
            Token::Word(word) if word == "IS" => test = test.or(Some(at)),
            Token::Symbol(_) if operator.is_none() && is_infix(tokens, at) => operator = Some(at),
            _ => {}
        }
    }
    if let Some(at) = test {
        return (Kind::Test, at);
    }
    if let Some(at) = operator {
        let quantified = tokens[at + 1..]
            .iter()
            .find(|token| !matches!(token, Token::Space(_)))
            .is_some_and(|token| is_word(token, "ANY") || is_word(token, "ALL"));
        let kind = match &tokens[at] {
            _ if quantified => Kind::Other,
            Token::Symbol(symbol) if symbol == "+" || symbol == "-" => Kind::Low,
            Token::Symbol(symbol) if matches!(symbol.as_str(), "*" | "/" | "%") => Kind::High,
            _ => Kind::Operator,
        };
        return (kind, at);
    }
    match tokens.first() {
        Some(Token::Symbol(_)) => (Kind::Operator, 0),
        _ => (Kind::Simple, 0),
    }
}

/// `isSimpleNode`: whether an expression of a kind stands without parentheses in its parent.
fn stands_alone(kind: Kind, parent: Parent) -> bool {
    match (kind, parent) {
        (Kind::Simple, _) => true,
        (_, Parent::Open) => kind != Kind::Other,
        (Kind::And | Kind::Not, Parent::And | Parent::Or) => true,
        (Kind::Or, Parent::Or) => true,
        (Kind::Test | Kind::Low | Kind::High | Kind::Operator, Parent::And | Parent::Or | Parent::Not) => true,
        (Kind::High, Parent::Operator(Kind::Low, _)) => true,
        (Kind::Low, Parent::Operator(Kind::Low, side)) | (Kind::High, Parent::Operator(Kind::High, side)) => side == Side::First,
        _ => false,
    }
}

/// Prints an expression that may be one pair of parentheses around another.
pub(super) fn expression(tokens: &[Token], parent: Parent, out: &mut String) {
    let tokens = trim(tokens);
    if let [Token::Round(inner)] = tokens {
        if super::query::is_query(inner) {
            out.push('(');
            super::query::query(inner, out);
            out.push(')');
            return;
        }
        let (kind, _) = operation(unwrap(inner));
        let alone = stands_alone(kind, parent) || (parent == Parent::Open && kind == Kind::Other);
        if alone && !has_comma(inner) {
            return expression(inner, parent, out);
        }
        out.push('(');
        expression(inner, Parent::Open, out);
        out.push(')');
        return;
    }
    let (kind, at) = operation(tokens);
    match kind {
        Kind::And | Kind::Or => {
            let word = if kind == Kind::And { "AND" } else { "OR" };
            let parent = if kind == Kind::And { Parent::And } else { Parent::Or };
            for (place, part) in split(tokens, |token| is_word(token, word)).into_iter().enumerate() {
                if place > 0 {
                    out.push(' ');
                    out.push_str(word);
                    out.push(' ');
                }
                expression(part, parent, out);
            }
        }
        Kind::Not => {
            out.push_str("NOT ");
            expression(&tokens[1..], Parent::Not, out);
        }
        Kind::Test => {
            expression(&tokens[..at], Parent::Test, out);
            out.push(' ');
            pieces(&tokens[at..], Parent::Test, out);
        }
        Kind::Low | Kind::High | Kind::Operator | Kind::Other => {
            if at == 0 {
                // A prefix operator.
                out.push_str(&text(&tokens[..1]));
                out.push(' ');
                return expression(&tokens[1..], Parent::Operator(Kind::Operator, Side::Later), out);
            }
            expression(&tokens[..at], Parent::Operator(kind, Side::First), out);
            out.push(' ');
            out.push_str(&text(&tokens[at..=at]));
            out.push(' ');
            expression(&tokens[at + 1..], Parent::Operator(kind, Side::Later), out);
        }
        Kind::Sublink | Kind::Simple => cast_or_pieces(tokens, parent, out),
    }
}

/// Pairs of parentheses around one expression, taken away.
fn unwrap(mut tokens: &[Token]) -> &[Token] {
    while let [Token::Round(inner)] = trim(tokens) {
        tokens = inner;
    }
    trim(tokens)
}

fn has_comma(tokens: &[Token]) -> bool {
    tokens.contains(&Token::Comma)
}

fn split(tokens: &[Token], at: impl Fn(&Token) -> bool) -> Vec<&[Token]> {
    let mut depth = 0;
    let mut parts = Vec::new();
    let mut start = 0;
    for (place, token) in tokens.iter().enumerate() {
        match token {
            Token::Word(word) if word == "CASE" => depth += 1,
            Token::Word(word) if word == "END" => depth -= 1,
            _ => {}
        }
        if depth == 0 && at(token) {
            parts.push(&tokens[start..place]);
            start = place + 1;
        }
    }
    parts.push(&tokens[start..]);
    parts
}

/// `(operand)::type`, or a name, a literal, a call.
fn cast_or_pieces(tokens: &[Token], parent: Parent, out: &mut String) {
    let last = tokens.iter().rposition(|token| *token == Token::Cast);
    let (Some(at), false) = (last, tokens.iter().any(|token| is_word(token, "CASE"))) else {
        return pieces(tokens, Parent::Open, out);
    };
    let operand = unwrap(&tokens[..at]);
    let simple = is_simple_value(operand);
    // A cast is as simple as what it casts.
    let wrap = !simple && matches!(parent, Parent::Operator(..) | Parent::Test | Parent::Cast);
    if wrap {
        out.push('(');
    }
    if simple {
        expression(operand, Parent::Cast, out);
    } else {
        out.push('(');
        expression(operand, Parent::Open, out);
        out.push(')');
    }
    out.push_str("::");
    out.push_str(&text(&tokens[at + 1..]));
    if wrap {
        out.push(')');
    }
}

fn is_simple_value(tokens: &[Token]) -> bool {
    let (kind, _) = operation(tokens);
    if kind != Kind::Simple {
        return false;
    }
    match tokens.iter().rposition(|token| *token == Token::Cast) {
        Some(at) => is_simple_value(unwrap(&tokens[..at])),
        None => !tokens.iter().any(|token| is_word(token, "CASE")),
    }
}

/// Prints tokens one by one; what stands in brackets of a call, an array or a CASE is open.
fn pieces(tokens: &[Token], parent: Parent, out: &mut String) {
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Round(inner) if super::query::is_query(inner) => {
                out.push('(');
                super::query::query(inner, out);
                out.push(')');
            }
            Token::Round(inner) => {
                let is_call = at > 0 && matches!(tokens[at - 1], Token::Word(_));
                let quantified = at > 1
                    && matches!(tokens[at - 1], Token::Space(_))
                    && (is_word(&tokens[at - 2], "ANY") || is_word(&tokens[at - 2], "ALL") || is_word(&tokens[at - 2], "ROW"));
                if is_call || quantified {
                    out.push('(');
                    list(inner, out);
                    out.push(')');
                } else {
                    // A part of CASE is open; an operand of a test is not.
                    expression(std::slice::from_ref(token), parent, out);
                }
            }
            Token::Square(inner) => {
                out.push('[');
                list(inner, out);
                out.push(']');
            }
            other => out.push_str(&text(std::slice::from_ref(other))),
        }
    }
}

/// Arguments, each open. `SUBSTRING(x FROM y)` and the like are one argument of several words.
fn list(tokens: &[Token], out: &mut String) {
    for (place, part) in split(tokens, |token| *token == Token::Comma).into_iter().enumerate() {
        if place > 0 {
            out.push_str(", ");
        }
        expression(part, Parent::Open, out);
    }
}

/// Tokens as they were written.
pub(super) fn text(tokens: &[Token]) -> String {
    let mut out = String::new();
    for token in tokens {
        match token {
            Token::Word(word) => out.push_str(word),
            Token::Symbol(symbol) => out.push_str(symbol),
            Token::Space(space) => out.push_str(space),
            Token::Cast => out.push_str("::"),
            Token::Comma => out.push(','),
            Token::Round(inner) => {
                out.push('(');
                out.push_str(&text(inner));
                out.push(')');
            }
            Token::Square(inner) => {
                out.push('[');
                out.push_str(&text(inner));
                out.push(']');
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both forms as PostgreSQL 15 prints them.
    #[test]
    fn parentheses_go_where_postgresql_leaves_them_out() {
        let forms = [
            ("(((a > 0) AND (b < 5)) OR (c IS NULL))", "a > 0 AND b < 5 OR c IS NULL"),
            ("((a + (b * 2)) > 7)", "(a + b * 2) > 7"),
            (
                "(c = ANY (ARRAY['x'::text, 'y'::text]))",
                "c = ANY (ARRAY['x'::text, 'y'::text])",
            ),
            ("(lower(c) = 'q'::text)", "lower(c) = 'q'::text"),
            ("((a)::text ~~ '1%'::text)", "a::text ~~ '1%'::text"),
            ("(COALESCE(a, 0) > (b - (a - 1)))", "COALESCE(a, 0) > (b - (a - 1))"),
            (
                "(\nCASE\n    WHEN (a > 1) THEN b\n    ELSE 0\nEND = 0)",
                "CASE\n    WHEN a > 1 THEN b\n    ELSE 0\nEND = 0",
            ),
            ("(NOT (a = 1))", "NOT a = 1"),
            ("(c IS DISTINCT FROM 'a'::text)", "c IS DISTINCT FROM 'a'::text"),
            ("((a IS NULL) = (b IS NULL))", "(a IS NULL) = (b IS NULL)"),
            ("(length((c || 'x'::text)) < 3)", "length(c || 'x'::text) < 3"),
            ("((- a) > 3)", "(- a) > 3"),
            ("(((a)::numeric * 2.5) > (3)::numeric)", "(a::numeric * 2.5) > 3::numeric"),
            (
                "(upper(((c)::character varying(10))::text) <> ''::text)",
                "upper(c::character varying(10)::text) <> ''::text",
            ),
            ("(d > (now() - '1 day'::interval))", "d > (now() - '1 day'::interval)"),
            ("((a > 0) IS TRUE)", "(a > 0) IS TRUE"),
            ("(SUBSTRING(c FROM 2) = 'x'::text)", "SUBSTRING(c FROM 2) = 'x'::text"),
            ("(a > '-5'::integer)", "a > '-5'::integer"),
            (
                "((a IS NOT NULL) AND ((b > 1) OR (b < 0)))",
                "a IS NOT NULL AND (b > 1 OR b < 0)",
            ),
            ("(((a + b))::text = 'x'::text)", "((a + b)::text) = 'x'::text"),
            ("nextval('\"Line_id_seq\"'::regclass)", "nextval('\"Line_id_seq\"'::regclass)"),
            ("(1 + 2)", "1 + 2"),
            ("'it''s (x) AND y'::text", "'it''s (x) AND y'::text"),
        ];
        for (full, wanted) in forms {
            assert_eq!(pretty(full), wanted, "{full}");
        }
        assert!(is_call("lower((a)::text)") && is_call("public.f(x)"));
        assert!(!is_call("(id + 1)") && !is_call("(lower(a) || 'x'::text)") && !is_call("a"));
    }
}
