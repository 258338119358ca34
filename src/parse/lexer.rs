//! PostgreSQL's lexical rules (`scan.l`) over sqlparser's tokens.
//!
//! Strings come out decoded, whatever their form, as `EscapedStringLiteral` (sqlparser takes a `SingleQuotedString` for an
//! identifier in many places); unquoted names come out folded and cut to 63 bytes; white space and
//! comments are dropped. Positions are characters from 1 in the whole query string.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Location, Span, Token, TokenWithSpan, Word};

use super::keywords;
use crate::error::{PgError, Result, sqlstate};
use crate::limits::IDENTIFIER_BYTES_MAX;

/// First character of the names that the token pass puts in; no user's name may start with it.
pub(crate) const RESERVED_MARK: char = '\u{1}';

/// A string as tokens.
#[derive(Debug, Default)]
pub(crate) struct Lexed {
    pub tokens: Vec<TokenWithSpan>,
    /// Names that were cut to 63 bytes, as PostgreSQL tells them.
    pub notices: Vec<PgError>,
    /// Position just past the last character.
    pub end: u32,
    /// What stopped the lexer: due only if the parser does not stop before it.
    pub error: Option<PgError>,
}

/// Cuts the text into tokens, up to what cannot be one.
pub(crate) fn lex_lazily(sql: &str) -> Lexed {
    let mut lexer = Lexer {
        sql,
        bytes: sql.as_bytes(),
        at: 0,
        ascii: sql.is_ascii(),
        counted: 0,
        column: 1,
        lexed: Lexed {
            tokens: Vec::with_capacity(sql.len() / 5 + 4),
            ..Lexed::default()
        },
    };
    lexer.lexed.error = lexer.run().err();
    lexer.lexed.end = lexer.column_of(sql.len());
    lexer.lexed
}

/// Cuts the whole text into tokens.
pub(crate) fn lex(sql: &str) -> Result<Lexed> {
    let mut lexed = lex_lazily(sql);
    match lexed.error.take() {
        Some(error) => Err(error),
        None => Ok(lexed),
    }
}

struct Lexer<'a> {
    sql: &'a str,
    bytes: &'a [u8],
    at: usize,
    ascii: bool,
    /// `column` is the position of byte `counted`.
    counted: usize,
    column: u32,
    lexed: Lexed,
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0c)
}

fn is_ident_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

fn is_ident_part(byte: u8) -> bool {
    is_ident_start(byte) || byte.is_ascii_digit() || byte == b'$'
}

fn is_operator(byte: u8) -> bool {
    matches!(
        byte,
        b'~' | b'!' | b'@' | b'#' | b'^' | b'&' | b'|' | b'`' | b'?' | b'+' | b'-' | b'*' | b'/' | b'%' | b'<' | b'>' | b'='
    )
}

impl Lexer<'_> {
    fn run(&mut self) -> Result<()> {
        loop {
            self.skip_space()?;
            let Some(&byte) = self.bytes.get(self.at) else {
                return Ok(());
            };
            let start = self.at;
            let token = match byte {
                b'\'' => Token::EscapedStringLiteral(self.plain_string(start)?),
                b'"' => self.quoted_name(start, false)?,
                b'$' => self.dollar()?,
                b'0'..=b'9' => self.number()?,
                b'.' if self.peek(1).is_some_and(|b| b.is_ascii_digit()) => self.number()?,
                _ if is_ident_start(byte) => self.word_or_prefixed()?,
                _ => self.symbol(),
            };
            self.push(token, start);
        }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    /// Position of a byte; calls come with growing offsets, mostly.
    fn column_of(&mut self, byte: usize) -> u32 {
        if self.ascii {
            return u32::try_from(byte).unwrap_or(u32::MAX).saturating_add(1);
        }
        if byte < self.counted {
            self.counted = 0;
            self.column = 1;
        }
        let chars = self.bytes[self.counted..byte].iter().filter(|b| (**b & 0xc0) != 0x80).count();
        self.column += u32::try_from(chars).unwrap_or(u32::MAX);
        self.counted = byte;
        self.column
    }

    fn push(&mut self, token: Token, start: usize) {
        let span = Span::new(
            Location::new(1, u64::from(self.column_of(start))),
            Location::new(1, u64::from(self.column_of(self.at))),
        );
        self.lexed.tokens.push(TokenWithSpan::new(token, span));
    }

    /// `message at or near "text"`, 42601.
    fn near(&mut self, message: &str, start: usize, end: usize) -> PgError {
        let end = (end..=self.sql.len())
            .find(|at| self.sql.is_char_boundary(*at))
            .unwrap_or(self.sql.len());
        let text = &self.sql[start..end];
        PgError::new(sqlstate::SYNTAX_ERROR, format!("{message} at or near \"{text}\"")).at(self.column_of(start))
    }

    fn skip_space(&mut self) -> Result<()> {
        while let Some(byte) = self.peek(0) {
            match byte {
                _ if is_space(byte) => self.at += 1,
                b'-' if self.peek(1) == Some(b'-') => self.skip_line(),
                b'/' if self.peek(1) == Some(b'*') => self.skip_block()?,
                _ => break,
            }
        }
        Ok(())
    }

    fn skip_line(&mut self) {
        while self.peek(0).is_some_and(|b| b != b'\n' && b != b'\r') {
            self.at += 1;
        }
    }

    fn skip_block(&mut self) -> Result<()> {
        let start = self.at;
        let mut depth = 0usize;
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some(b'/'), Some(b'*')) => {
                    depth += 1;
                    self.at += 2;
                }
                (Some(b'*'), Some(b'/')) => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        return Ok(());
                    }
                }
                (Some(_), _) => self.at += 1,
                (None, _) => return Err(self.near("unterminated /* comment", start, self.sql.len())),
            }
        }
    }

    /// White space with a line break, then a quote: the string goes on (SQL's rule). Leaves `at` past that quote.
    fn continues(&mut self) -> bool {
        let mut at = self.at;
        let mut newline = false;
        loop {
            match self.bytes.get(at) {
                Some(b'\n' | b'\r') => {
                    newline = true;
                    at += 1;
                }
                Some(&byte) if is_space(byte) => at += 1,
                Some(b'-') if self.bytes.get(at + 1) == Some(&b'-') => {
                    while self.bytes.get(at).is_some_and(|b| *b != b'\n' && *b != b'\r') {
                        at += 1;
                    }
                }
                Some(b'\'') if newline => {
                    self.at = at + 1;
                    return true;
                }
                _ => return false,
            }
        }
    }

    /// `'...'` with `''` doubled; `at` is at the opening quote. `start` is where the token began.
    fn plain_string(&mut self, start: usize) -> Result<String> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let from = self.at;
            match memchr::memchr(b'\'', &self.bytes[from..]) {
                None => return Err(self.near("unterminated quoted string", start, self.sql.len())),
                Some(length) => {
                    text.push_str(&self.sql[from..from + length]);
                    self.at = from + length + 1;
                    if self.peek(0) == Some(b'\'') {
                        text.push('\'');
                        self.at += 1;
                    } else if !self.continues() {
                        return Ok(text);
                    }
                }
            }
        }
    }

    /// `E'...'`; `at` is at the opening quote.
    fn escape_string(&mut self, start: usize) -> Result<String> {
        self.at += 1;
        let mut text: Vec<u8> = Vec::new();
        let mut high_surrogate: Option<u32> = None;
        loop {
            let here = self.at;
            match self.peek(0) {
                None => return Err(self.near("unterminated quoted string", start, self.sql.len())),
                Some(b'\'') => {
                    self.at += 1;
                    if self.peek(0) == Some(b'\'') {
                        text.push(b'\'');
                        self.at += 1;
                    } else if !self.continues() {
                        break;
                    }
                }
                Some(b'\\') => {
                    self.at += 1;
                    self.escape(here, start, &mut text, &mut high_surrogate)?;
                    continue;
                }
                Some(byte) => {
                    text.push(byte);
                    self.at += 1;
                }
            }
            if high_surrogate.is_some() {
                return Err(self.near("invalid Unicode surrogate pair", here, self.at));
            }
        }
        if high_surrogate.is_some() {
            return Err(self.near("invalid Unicode surrogate pair", self.at - 1, self.at));
        }
        String::from_utf8(text).map_err(|error| invalid_utf8(error.as_bytes(), error.utf8_error().valid_up_to()))
    }

    /// One escape; `at` is past the backslash at `here`.
    fn escape(&mut self, here: usize, start: usize, text: &mut Vec<u8>, high: &mut Option<u32>) -> Result<()> {
        let Some(byte) = self.peek(0) else {
            return Err(self.near("unterminated quoted string", start, self.sql.len()));
        };
        self.at += 1;
        if high.is_some() && byte != b'u' && byte != b'U' {
            return Err(self.near("invalid Unicode surrogate pair", here, here + 1));
        }
        match byte {
            b'b' => text.push(8),
            b'f' => text.push(12),
            b'n' => text.push(b'\n'),
            b'r' => text.push(b'\r'),
            b't' => text.push(b'\t'),
            b'0'..=b'7' => {
                let mut value = u32::from(byte - b'0');
                for _ in 0..2 {
                    match self.peek(0) {
                        Some(digit @ b'0'..=b'7') => {
                            value = value * 8 + u32::from(digit - b'0');
                            self.at += 1;
                        }
                        _ => break,
                    }
                }
                push_byte(text, (value & 0xff) as u8)?;
            }
            b'x' if self.peek(0).is_some_and(|b| b.is_ascii_hexdigit()) => {
                let digits = if self.peek(1).is_some_and(|b| b.is_ascii_hexdigit()) {
                    2
                } else {
                    1
                };
                let value = self.hex(digits).unwrap_or(0);
                push_byte(text, (value & 0xff) as u8)?;
            }
            b'u' | b'U' => {
                let digits = if byte == b'u' { 4 } else { 8 };
                let Some(value) = self.hex(digits) else {
                    return Err(PgError::new(sqlstate::INVALID_ESCAPE_SEQUENCE, "invalid Unicode escape")
                        .hint("Unicode escapes must be \\uXXXX or \\UXXXXXXXX.")
                        .at(self.column_of(here)));
                };
                self.unicode(here, value, text, high)?;
            }
            _ => text.push(byte),
        }
        Ok(())
    }

    /// `digits` hexadecimal digits, consumed; `None` if there are fewer.
    fn hex(&mut self, digits: usize) -> Option<u32> {
        let slice = self.bytes.get(self.at..self.at + digits)?;
        if !slice.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        let value = u32::from_str_radix(std::str::from_utf8(slice).ok()?, 16).ok()?;
        self.at += digits;
        Some(value)
    }

    fn unicode(&mut self, here: usize, value: u32, text: &mut Vec<u8>, high: &mut Option<u32>) -> Result<()> {
        let is_low = (0xdc00..0xe000).contains(&value);
        let code = match (high.take(), is_low) {
            (Some(first), true) => 0x10000_u32 + ((first & 0x3ff) << 10) + (value & 0x3ff),
            (Some(_), false) | (None, true) => {
                return Err(self.near("invalid Unicode surrogate pair", here, self.at));
            }
            (None, false) if (0xd800..0xdc00).contains(&value) => {
                *high = Some(value);
                return Ok(());
            }
            (None, false) => value,
        };
        match char::from_u32(code).filter(|c| *c != '\0') {
            Some(c) => {
                let mut buffer = [0u8; 4];
                text.extend_from_slice(c.encode_utf8(&mut buffer).as_bytes());
                Ok(())
            }
            None => Err(self.near("invalid Unicode escape value", here, self.at)),
        }
    }

    /// `"..."`, `at` at the opening quote.
    fn quoted_name(&mut self, start: usize, unicode: bool) -> Result<Token> {
        let open = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            let from = self.at;
            let Some(length) = memchr::memchr(b'"', &self.bytes[from..]) else {
                return Err(self.near("unterminated quoted identifier", start, self.sql.len()));
            };
            text.push_str(&self.sql[from..from + length]);
            self.at = from + length + 1;
            if self.peek(0) != Some(b'"') {
                break;
            }
            text.push('"');
            self.at += 1;
        }
        if text.is_empty() {
            return Err(self.near("zero-length delimited identifier", start, self.at));
        }
        if unicode {
            text = self.decode_unicode(&text, open + 1)?;
        }
        if text.starts_with(RESERVED_MARK) {
            return Err(self.near("syntax error", start, self.at));
        }
        let value = self.cut(text, start);
        Ok(Token::Word(Word {
            value,
            quote_style: Some('"'),
            keyword: Keyword::NoKeyword,
        }))
    }

    /// Cuts a name to 63 bytes, on a character's edge, with PostgreSQL's notice.
    fn cut(&mut self, mut text: String, start: usize) -> String {
        if text.len() <= IDENTIFIER_BYTES_MAX {
            return text;
        }
        let mut end = IDENTIFIER_BYTES_MAX;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let message = format!("identifier \"{text}\" will be truncated to \"{}\"", &text[..end]);
        let _ = start;
        self.lexed
            .notices
            .push(PgError::new(sqlstate::NAME_TOO_LONG, message).severity(crate::error::Severity::Notice));
        text.truncate(end);
        text
    }

    fn word_or_prefixed(&mut self) -> Result<Token> {
        let start = self.at;
        let byte = self.bytes[start];
        match (byte, self.peek(1), self.peek(2)) {
            (b'e' | b'E', Some(b'\''), _) => {
                self.at += 1;
                return Ok(Token::EscapedStringLiteral(self.escape_string(start)?));
            }
            (b'b' | b'B', Some(b'\''), _) => {
                self.at += 1;
                let text = self.bit_string(start, "unterminated bit string literal")?;
                if let Some(bad) = text.chars().find(|c| !matches!(c, '0' | '1')) {
                    return Err(self.bad_digit(bad, "binary", start));
                }
                return Ok(Token::SingleQuotedByteStringLiteral(text));
            }
            (b'x' | b'X', Some(b'\''), _) => {
                self.at += 1;
                let text = self.bit_string(start, "unterminated hexadecimal string literal")?;
                if let Some(bad) = text.chars().find(|c| !c.is_ascii_hexdigit()) {
                    return Err(self.bad_digit(bad, "hexadecimal", start));
                }
                return Ok(Token::HexStringLiteral(text));
            }
            (b'n' | b'N', Some(b'\''), _) => {
                self.at += 1;
                return Ok(Token::NationalStringLiteral(self.plain_string(start)?));
            }
            (b'u' | b'U', Some(b'&'), Some(b'\'')) => {
                self.at += 2;
                let open = self.at;
                let text = self.plain_string(start)?;
                return Ok(Token::EscapedStringLiteral(self.decode_unicode(&text, open + 1)?));
            }
            (b'u' | b'U', Some(b'&'), Some(b'"')) => {
                self.at += 2;
                return self.quoted_name(start, true);
            }
            _ => {}
        }
        while self.peek(0).is_some_and(is_ident_part) {
            self.at += 1;
        }
        let mut value = self.sql[start..self.at].to_owned();
        value.make_ascii_lowercase();
        let keyword = keywords::lookup(&value);
        let value = self.cut(value, start);
        Ok(Token::Word(Word {
            value,
            quote_style: None,
            keyword,
        }))
    }

    fn bad_digit(&mut self, bad: char, kind: &str, start: usize) -> PgError {
        let message = format!("\"{bad}\" is not a valid {kind} digit");
        PgError::new(sqlstate::INVALID_TEXT_REPRESENTATION, message).at(self.column_of(start))
    }

    fn bit_string(&mut self, start: usize, unterminated: &str) -> Result<String> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let from = self.at;
            let Some(length) = memchr::memchr(b'\'', &self.bytes[from..]) else {
                return Err(self.near(unterminated, start, self.sql.len()));
            };
            text.push_str(&self.sql[from..from + length]);
            self.at = from + length + 1;
            if !self.continues() {
                return Ok(text);
            }
        }
    }

    /// Decodes `U&` text, with its UESCAPE clause if one follows (then consumed). `from` is the byte of its first
    /// character, for positions.
    fn decode_unicode(&mut self, text: &str, from: usize) -> Result<String> {
        let escape = self.uescape()?;
        let bytes = text.as_bytes();
        let mut out: Vec<u8> = Vec::with_capacity(bytes.len());
        let mut high: Option<u32> = None;
        let mut at = 0;
        while at < bytes.len() {
            if bytes[at] != escape {
                if high.is_some() {
                    return Err(self.bad_unicode("invalid Unicode surrogate pair", from + at));
                }
                out.push(bytes[at]);
                at += 1;
                continue;
            }
            if bytes.get(at + 1) == Some(&escape) {
                if high.is_some() {
                    return Err(self.bad_unicode("invalid Unicode surrogate pair", from + at));
                }
                out.push(escape);
                at += 2;
                continue;
            }
            let (digits, skip) = if bytes.get(at + 1) == Some(&b'+') { (6, 2) } else { (4, 1) };
            let value = bytes
                .get(at + skip..at + skip + digits)
                .filter(|slice| slice.iter().all(u8::is_ascii_hexdigit))
                .and_then(|slice| std::str::from_utf8(slice).ok())
                .and_then(|digits| u32::from_str_radix(digits, 16).ok());
            let Some(value) = value else {
                return Err(self
                    .bad_unicode("invalid Unicode escape", from + at)
                    .hint("Unicode escapes must be \\XXXX or \\+XXXXXX."));
            };
            let here = from + at;
            at += skip + digits;
            let is_low = (0xdc00..0xe000).contains(&value);
            let code = match (high.take(), is_low) {
                (Some(first), true) => 0x10000_u32 + ((first & 0x3ff) << 10) + (value & 0x3ff),
                (Some(_), false) | (None, true) => {
                    return Err(self.bad_unicode("invalid Unicode surrogate pair", here));
                }
                (None, false) if (0xd800..0xdc00).contains(&value) => {
                    high = Some(value);
                    continue;
                }
                (None, false) => value,
            };
            let Some(c) = char::from_u32(code).filter(|c| *c != '\0') else {
                return Err(self.bad_unicode("invalid Unicode escape value", here));
            };
            let mut buffer = [0u8; 4];
            out.extend_from_slice(c.encode_utf8(&mut buffer).as_bytes());
        }
        if high.is_some() {
            return Err(self.bad_unicode("invalid Unicode surrogate pair", from + at));
        }
        String::from_utf8(out).map_err(|error| invalid_utf8(error.as_bytes(), error.utf8_error().valid_up_to()))
    }

    fn bad_unicode(&mut self, message: &str, at: usize) -> PgError {
        let at = (0..=at.min(self.sql.len()))
            .rev()
            .find(|at| self.sql.is_char_boundary(*at))
            .unwrap_or(0);
        PgError::new(sqlstate::SYNTAX_ERROR, message).at(self.column_of(at))
    }

    /// `UESCAPE 'c'` after a `U&` token, consumed with the space before it.
    fn uescape(&mut self) -> Result<u8> {
        let back = self.at;
        self.skip_space()?;
        let word = self.bytes.get(self.at..self.at + 7);
        if !word.is_some_and(|w| w.eq_ignore_ascii_case(b"uescape")) || self.peek(7).is_some_and(is_ident_part) {
            self.at = back;
            return Ok(b'\\');
        }
        self.at += 7;
        self.skip_space()?;
        let start = self.at;
        if self.peek(0) != Some(b'\'') {
            return Err(self.near("UESCAPE must be followed by a simple string literal", start, start + 1));
        }
        let text = self.plain_string(start)?;
        match text.as_bytes() {
            [c] if !c.is_ascii_hexdigit() && !matches!(c, b'+' | b'\'' | b'"') && !is_space(*c) => Ok(*c),
            _ => Err(self.near("invalid Unicode escape character", start, self.at)),
        }
    }

    /// `$1`, `$$...$$` or `$tag$...$tag$`.
    fn dollar(&mut self) -> Result<Token> {
        let start = self.at;
        if self.peek(1).is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
            while self.peek(0).is_some_and(|b| b.is_ascii_digit()) {
                self.at += 1;
            }
            if self.peek(0).is_some_and(is_ident_start) {
                return Err(self.junk("trailing junk after parameter", start));
            }
            return Ok(Token::Placeholder(self.sql[start..self.at].to_owned()));
        }
        let mut end = start + 1;
        while self.bytes.get(end).is_some_and(|b| is_ident_part(*b) && *b != b'$') {
            end += 1;
        }
        if self.bytes.get(end) != Some(&b'$') {
            self.at += 1;
            return Ok(Token::Char('$'));
        }
        let tag = &self.sql[start..=end];
        let body = end + 1;
        match self.sql[body..].find(tag) {
            Some(length) => {
                self.at = body + length + tag.len();
                Ok(Token::EscapedStringLiteral(self.sql[body..body + length].to_owned()))
            }
            None => Err(self.near("unterminated dollar-quoted string", start, self.sql.len())),
        }
    }

    /// A number that runs into a name: both are the token that the error shows.
    fn junk(&mut self, message: &str, start: usize) -> PgError {
        while self.peek(0).is_some_and(is_ident_part) {
            self.at += 1;
        }
        self.near(message, start, self.at)
    }

    fn digits(&mut self) -> bool {
        let from = self.at;
        while self.peek(0).is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        self.at > from
    }

    fn number(&mut self) -> Result<Token> {
        let start = self.at;
        self.digits();
        // `1..10` is an integer and two dots.
        if self.peek(0) == Some(b'.') && self.peek(1) != Some(b'.') {
            self.at += 1;
            self.digits();
        }
        if matches!(self.peek(0), Some(b'e' | b'E')) {
            let back = self.at;
            self.at += 1;
            if matches!(self.peek(0), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if !self.digits() {
                let end = self.at.max(back + 1);
                return Err(self.near("trailing junk after numeric literal", start, end));
            }
        }
        if self.peek(0).is_some_and(is_ident_start) {
            return Err(self.junk("trailing junk after numeric literal", start));
        }
        Ok(Token::Number(self.sql[start..self.at].to_owned(), false))
    }

    fn symbol(&mut self) -> Token {
        let byte = self.bytes[self.at];
        let (token, length) = match (byte, self.peek(1)) {
            (b',', _) => (Token::Comma, 1),
            (b'(', _) => (Token::LParen, 1),
            (b')', _) => (Token::RParen, 1),
            (b'[', _) => (Token::LBracket, 1),
            (b']', _) => (Token::RBracket, 1),
            (b';', _) => (Token::SemiColon, 1),
            (b'.', Some(b'.')) => (Token::CustomBinaryOperator("..".to_owned()), 2),
            (b'.', _) => (Token::Period, 1),
            (b':', Some(b':')) => (Token::DoubleColon, 2),
            (b':', Some(b'=')) => (Token::Assignment, 2),
            (b':', _) => (Token::Colon, 1),
            _ if is_operator(byte) => return self.operator(),
            _ => (Token::Char(char::from(byte)), 1),
        };
        self.at += length;
        token
    }

    /// The longest run of operator characters, cut before a comment, and without a trailing `+` or `-` unless a
    /// character before it allows that.
    fn operator(&mut self) -> Token {
        let start = self.at;
        let mut end = start;
        while self.bytes.get(end).is_some_and(|b| is_operator(*b)) {
            let two = &self.bytes[end..(end + 2).min(self.bytes.len())];
            if end > start && (two == b"--" || two == b"/*") {
                break;
            }
            end += 1;
        }
        let run = &self.bytes[start..end];
        let special = |b: &u8| matches!(b, b'~' | b'!' | b'@' | b'#' | b'^' | b'&' | b'|' | b'`' | b'?' | b'%');
        if run.len() > 1 && matches!(run.last(), Some(b'+' | b'-')) && !run[..run.len() - 1].iter().any(special) {
            while end - start > 1 && matches!(self.bytes[end - 1], b'+' | b'-') {
                end -= 1;
            }
        }
        self.at = end;
        operator_token(&self.sql[start..end])
    }
}

fn push_byte(text: &mut Vec<u8>, byte: u8) -> Result<()> {
    if byte == 0 {
        return Err(PgError::new(
            sqlstate::CHARACTER_NOT_IN_REPERTOIRE,
            "invalid byte sequence for encoding \"UTF8\": 0x00",
        ));
    }
    text.push(byte);
    Ok(())
}

fn invalid_utf8(bytes: &[u8], at: usize) -> PgError {
    let lead = bytes.get(at).copied().unwrap_or(0);
    let length = match lead {
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf7 => 4,
        _ => 1,
    };
    let shown: Vec<String> = bytes[at..].iter().take(length).map(|b| format!("0x{b:02x}")).collect();
    PgError::new(
        sqlstate::CHARACTER_NOT_IN_REPERTOIRE,
        format!("invalid byte sequence for encoding \"UTF8\": {}", shown.join(" ")),
    )
}

fn operator_token(text: &str) -> Token {
    match text {
        "+" => Token::Plus,
        "-" => Token::Minus,
        "*" => Token::Mul,
        "/" => Token::Div,
        "%" => Token::Mod,
        "^" => Token::Caret,
        "<" => Token::Lt,
        ">" => Token::Gt,
        "=" => Token::Eq,
        "<=" => Token::LtEq,
        ">=" => Token::GtEq,
        "<>" | "!=" => Token::Neq,
        "=>" => Token::RArrow,
        "||" => Token::StringConcat,
        "|" => Token::Pipe,
        "&" => Token::Ampersand,
        "#" => Token::Sharp,
        "~" => Token::Tilde,
        "~*" => Token::TildeAsterisk,
        "!~" => Token::ExclamationMarkTilde,
        "!~*" => Token::ExclamationMarkTildeAsterisk,
        "~~" => Token::DoubleTilde,
        "~~*" => Token::DoubleTildeAsterisk,
        "!~~" => Token::ExclamationMarkDoubleTilde,
        "!~~*" => Token::ExclamationMarkDoubleTildeAsterisk,
        "<<" => Token::ShiftLeft,
        ">>" => Token::ShiftRight,
        "&&" => Token::Overlap,
        "^@" => Token::CaretAt,
        "@" => Token::AtSign,
        "!!" => Token::DoubleExclamationMark,
        "|/" => Token::PGSquareRoot,
        "||/" => Token::PGCubeRoot,
        "->" => Token::Arrow,
        "->>" => Token::LongArrow,
        "#>" => Token::HashArrow,
        "#>>" => Token::HashLongArrow,
        "@>" => Token::AtArrow,
        "<@" => Token::ArrowAt,
        "#-" => Token::HashMinus,
        "@?" => Token::AtQuestion,
        "@@" => Token::AtAt,
        "?" => Token::Question,
        "?&" => Token::QuestionAnd,
        "?|" => Token::QuestionPipe,
        _ => Token::CustomBinaryOperator(text.to_owned()),
    }
}
