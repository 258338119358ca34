//! The JSON grammar of `json` and `jsonb` input, with PostgreSQL's errors.

use smol_str::SmolStr;

use super::Json;
use crate::error::{PgError, Result, sqlstate};
use crate::types::numeric;

/// Nesting past which 54001 is raised.
const DEPTH_MAX: usize = 2_000;
/// Bytes of context that an error shows.
const CONTEXT_BYTES_MAX: usize = 50;

/// Parses into a tree.
pub fn parse(text: &str) -> Result<Json> {
    let mut parser = Parser::new(text, Mode::Build);
    parser.document()
}

/// Checks the grammar only, as `json` does: escapes are looked at, not decoded.
pub fn validate(text: &str) -> Result<()> {
    Parser::new(text, Mode::Check).document().map(|_| ())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Build,
    Check,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    String,
    Number,
    ObjectStart,
    ObjectEnd,
    ArrayStart,
    ArrayEnd,
    Comma,
    Colon,
    True,
    False,
    Null,
    End,
}

struct Parser<'a> {
    text: &'a str,
    mode: Mode,
    token: Token,
    start: usize,
    end: usize,
    line: u32,
    line_start: usize,
    /// The decoded text of a string token.
    string: String,
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, mode: Mode) -> Self {
        Parser {
            text,
            mode,
            token: Token::End,
            start: 0,
            end: 0,
            line: 1,
            line_start: 0,
            string: String::new(),
        }
    }

    fn document(&mut self) -> Result<Json> {
        self.lex()?;
        let value = self.value(0)?;
        if self.token == Token::End {
            Ok(value)
        } else {
            Err(self.unexpected("Expected end of input"))
        }
    }

    fn value(&mut self, depth: usize) -> Result<Json> {
        if depth > DEPTH_MAX {
            return Err(PgError::too_deep());
        }
        let value = match self.token {
            Token::ObjectStart => return self.object(depth),
            Token::ArrayStart => return self.array(depth),
            Token::String => Json::String(SmolStr::new(&self.string)),
            Token::Number if self.mode == Mode::Check => Json::Null,
            Token::Number => Json::Number(numeric::parse(&self.text[self.start..self.end])?),
            Token::True => Json::Bool(true),
            Token::False => Json::Bool(false),
            Token::Null => Json::Null,
            _ => return Err(self.unexpected("Expected JSON value")),
        };
        self.lex()?;
        Ok(value)
    }

    fn array(&mut self, depth: usize) -> Result<Json> {
        self.lex()?;
        let mut items = Vec::new();
        if self.token != Token::ArrayEnd {
            loop {
                let item = self.value(depth + 1)?;
                if self.mode == Mode::Build {
                    items.push(item);
                }
                if self.token != Token::Comma {
                    break;
                }
                self.lex()?;
            }
        }
        if self.token != Token::ArrayEnd {
            return Err(self.unexpected("Expected \",\" or \"]\""));
        }
        self.lex()?;
        Ok(Json::Array(items))
    }

    fn object(&mut self, depth: usize) -> Result<Json> {
        self.lex()?;
        let mut pairs = Vec::new();
        match self.token {
            Token::ObjectEnd => {}
            Token::String => loop {
                let key = SmolStr::new(&self.string);
                self.lex()?;
                if self.token != Token::Colon {
                    return Err(self.unexpected("Expected \":\""));
                }
                self.lex()?;
                let value = self.value(depth + 1)?;
                if self.mode == Mode::Build {
                    pairs.push((key, value));
                }
                if self.token != Token::Comma {
                    break;
                }
                self.lex()?;
                if self.token != Token::String {
                    return Err(self.unexpected("Expected string"));
                }
            },
            _ => return Err(self.unexpected("Expected string or \"}\"")),
        }
        if self.token != Token::ObjectEnd {
            return Err(self.unexpected("Expected \",\" or \"}\""));
        }
        self.lex()?;
        Ok(Json::object(pairs))
    }

    /// Reads the next token.
    fn lex(&mut self) -> Result<()> {
        let bytes = self.text.as_bytes();
        let mut at = self.end;
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = bytes.get(at) {
            at += 1;
            if bytes[at - 1] == b'\n' {
                self.line += 1;
                self.line_start = at;
            }
        }
        self.start = at;
        self.end = at + 1;
        self.token = match bytes.get(at) {
            None => {
                self.end = at;
                Token::End
            }
            Some(b'{') => Token::ObjectStart,
            Some(b'}') => Token::ObjectEnd,
            Some(b'[') => Token::ArrayStart,
            Some(b']') => Token::ArrayEnd,
            Some(b',') => Token::Comma,
            Some(b':') => Token::Colon,
            Some(b'"') => {
                self.lex_string()?;
                Token::String
            }
            Some(b'-' | b'0'..=b'9') => {
                self.lex_number()?;
                Token::Number
            }
            Some(_) => self.lex_word()?,
        };
        Ok(())
    }

    fn lex_word(&mut self) -> Result<Token> {
        let bytes = self.text.as_bytes();
        let mut at = self.start;
        while bytes.get(at).is_some_and(|byte| is_word(*byte)) {
            at += 1;
        }
        self.end = at.max(self.start + 1);
        match &self.text[self.start..self.end] {
            "true" => Ok(Token::True),
            "false" => Ok(Token::False),
            "null" => Ok(Token::Null),
            _ => Err(self.bad_token()),
        }
    }

    fn lex_number(&mut self) -> Result<()> {
        let bytes = self.text.as_bytes();
        let digits = |mut at: usize| {
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            at
        };
        let mut at = self.start;
        let mut good = true;
        if bytes.get(at) == Some(&b'-') {
            at += 1;
        }
        match bytes.get(at) {
            Some(b'0') => at += 1,
            Some(b'1'..=b'9') => at = digits(at),
            _ => good = false,
        }
        if bytes.get(at) == Some(&b'.') {
            let fraction = digits(at + 1);
            good &= fraction > at + 1;
            at = fraction;
        }
        if let Some(b'e' | b'E') = bytes.get(at) {
            at += 1;
            if let Some(b'+' | b'-') = bytes.get(at) {
                at += 1;
            }
            let exponent = digits(at);
            good &= exponent > at;
            at = exponent;
        }
        while bytes.get(at).is_some_and(|byte| is_word(*byte)) {
            good = false;
            at += 1;
        }
        self.end = at;
        if good { Ok(()) } else { Err(self.bad_token()) }
    }

    fn lex_string(&mut self) -> Result<()> {
        let text = self.text;
        let bytes = text.as_bytes();
        self.string.clear();
        let mut at = self.start + 1;
        let mut high: Option<u32> = None;
        loop {
            // A run of plain characters goes over at once.
            let run = at;
            while bytes
                .get(at)
                .is_some_and(|byte| !matches!(byte, b'"' | b'\\') && *byte >= 0x20)
            {
                at += 1;
            }
            if at > run {
                if high.is_some() {
                    return Err(self.lone_surrogate(run));
                }
                self.string.push_str(&text[run..at]);
            }
            match bytes.get(at) {
                None => {
                    self.end = at;
                    return Err(self.bad_token());
                }
                Some(b'"') if high.is_some() => return Err(self.lone_surrogate(at)),
                Some(b'"') => {
                    self.end = at + 1;
                    return Ok(());
                }
                Some(b'\\') => at = self.lex_escape(at + 1, &mut high)?,
                Some(control) => {
                    self.end = at;
                    let detail = format!("Character with value 0x{control:02x} must be escaped.");
                    return Err(self.error(detail));
                }
            }
        }
    }

    /// Decodes the escape whose letter is at `at`; answers the position after it.
    fn lex_escape(&mut self, at: usize, high: &mut Option<u32>) -> Result<usize> {
        let bytes = self.text.as_bytes();
        let letter = match bytes.get(at) {
            None => {
                self.end = at;
                return Err(self.bad_token());
            }
            Some(b'u') => return self.lex_unicode(at + 1, high),
            Some(letter) => *letter,
        };
        if high.is_some() {
            return Err(self.lone_surrogate(at));
        }
        let decoded = match letter {
            b'"' | b'\\' | b'/' => char::from(letter),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            _ => {
                self.end = self.char_end(at);
                let detail = format!("Escape sequence \"\\{}\" is invalid.", &self.text[at..self.end]);
                return Err(self.error(detail));
            }
        };
        self.string.push(decoded);
        Ok(at + 1)
    }

    fn lex_unicode(&mut self, at: usize, high: &mut Option<u32>) -> Result<usize> {
        let bytes = self.text.as_bytes();
        let mut code = 0_u32;
        for place in at..at + 4 {
            let digit = match bytes.get(place) {
                None => {
                    self.end = place;
                    return Err(self.bad_token());
                }
                Some(byte) => char::from(*byte).to_digit(16),
            };
            let Some(digit) = digit else {
                self.end = self.char_end(place);
                return Err(self.error("\"\\u\" must be followed by four hexadecimal digits."));
            };
            code = code * 16 + digit;
        }
        if self.mode == Mode::Check {
            return Ok(at + 4);
        }
        let last = at + 3;
        let decoded = match (code, high.take()) {
            (0xd800..=0xdbff, Some(_)) => {
                self.end = self.char_end(last);
                return Err(self.error("Unicode high surrogate must not follow a high surrogate."));
            }
            (0xd800..=0xdbff, None) => {
                *high = Some(code);
                return Ok(at + 4);
            }
            (0xdc00..=0xdfff, Some(first)) => 0x10000 + ((first & 0x3ff) << 10) + (code & 0x3ff),
            (0xdc00..=0xdfff, None) | (_, Some(_)) => return Err(self.lone_surrogate(last)),
            (0, None) => {
                self.end = self.char_end(last);
                return Err(
                    PgError::new(sqlstate::UNTRANSLATABLE_CHARACTER, "unsupported Unicode escape sequence")
                        .detail("\\u0000 cannot be converted to text.")
                        .context(self.context()),
                );
            }
            (code, None) => code,
        };
        self.string.push(char::from_u32(decoded).unwrap_or('\u{fffd}'));
        Ok(at + 4)
    }

    /// The end of the character at `at`.
    fn char_end(&self, at: usize) -> usize {
        let len = self
            .text
            .get(at..)
            .and_then(|rest| rest.chars().next())
            .map_or(1, char::len_utf8);
        (at + len).min(self.text.len())
    }

    fn lone_surrogate(&mut self, at: usize) -> PgError {
        self.end = self.char_end(at);
        self.error("Unicode low surrogate must follow a high surrogate.")
    }

    fn bad_token(&self) -> PgError {
        self.error(format!("Token \"{}\" is invalid.", &self.text[self.start..self.end]))
    }

    fn unexpected(&self, expected: &str) -> PgError {
        if self.token == Token::End {
            return self.error("The input string ended unexpectedly.");
        }
        self.error(format!("{expected}, but found \"{}\".", &self.text[self.start..self.end]))
    }

    fn error(&self, detail: impl Into<String>) -> PgError {
        PgError::new(sqlstate::INVALID_TEXT_REPRESENTATION, "invalid input syntax for type json")
            .detail(detail)
            .context(self.context())
    }

    /// The line up to the offending token, cut to its last bytes.
    fn context(&self) -> String {
        let end = self.end;
        let mut start = self.line_start.min(end);
        while end - start >= CONTEXT_BYTES_MAX {
            start = self.char_end(start);
        }
        if start - self.line_start.min(end) <= 3 {
            start = self.line_start.min(end);
        }
        let prefix = if start > self.line_start { "..." } else { "" };
        let more = self
            .text
            .as_bytes()
            .get(end)
            .is_some_and(|byte| !matches!(byte, b'\n' | b'\r'));
        let suffix = if more { "..." } else { "" };
        format!("JSON data, line {}: {prefix}{}{suffix}", self.line, &self.text[start..end])
    }
}
