//! PostgreSQL's advanced regular expressions (PostgreSQL 15 docs, 9.7.3) in the syntax of the `regex` crates.
//!
//! The grammar is checked here, so that errors read as PostgreSQL's. What differs is left: among alternatives the first
//! that matches wins, where PostgreSQL takes the longest.

use std::fmt::Write as _;
use std::iter::Peekable;
use std::str::Chars;

use crate::error::{PgError, Result, sqlstate};

/// How a pattern is read and matched: PostgreSQL's option letters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Options {
    /// `i`.
    pub ignore_case: bool,
    /// `g`.
    pub global: bool,
    /// `.` and negated classes leave out the newline (`n`, `p`).
    pub newline_stops: bool,
    /// `^` and `$` match at lines (`n`, `w`).
    pub line_anchors: bool,
    /// `x`.
    pub expanded: bool,
    /// `q`.
    pub literal: bool,
}

impl Options {
    pub fn parse(letters: &str) -> Result<Options> {
        let mut options = Options::default();
        for letter in letters.chars() {
            if !options.set(letter) {
                return Err(PgError::new(
                    sqlstate::INVALID_PARAMETER_VALUE,
                    format!("invalid regular expression option: \"{letter}\""),
                ));
            }
        }
        Ok(options)
    }

    fn set(&mut self, letter: char) -> bool {
        match letter {
            'g' => self.global = true,
            'i' => self.ignore_case = true,
            'c' => self.ignore_case = false,
            'm' | 'n' => (self.newline_stops, self.line_anchors) = (true, true),
            's' => (self.newline_stops, self.line_anchors) = (false, false),
            'p' => (self.newline_stops, self.line_anchors) = (true, false),
            'w' => (self.newline_stops, self.line_anchors) = (false, true),
            'x' => self.expanded = true,
            't' => self.expanded = false,
            'q' => self.literal = true,
            'b' | 'e' => {}
            _ => return false,
        }
        true
    }
}

/// A pattern translated.
pub(super) struct Translated {
    pub pattern: String,
    pub options: Options,
    /// Only the backtracking crate can run it: back references, look-around.
    pub backtracks: bool,
}

pub(super) fn bad(reason: &str) -> PgError {
    PgError::new(
        sqlstate::INVALID_REGULAR_EXPRESSION,
        format!("invalid regular expression: {reason}"),
    )
}

const BAD_QUANTIFIER: &str = "quantifier operand invalid";
const BAD_COUNT: &str = "invalid repetition count(s)";
const UNBALANCED: &str = "parentheses () not balanced";
const BAD_BRACKETS: &str = "brackets [] not balanced";
const BAD_ESCAPE: &str = "invalid escape \\ sequence";
const BAD_RANGE: &str = "invalid character range";
const BAD_CLASS: &str = "invalid character class";
const REPEAT_MAX: u32 = 255;

pub(super) fn translate(source: &str, mut options: Options) -> Result<Translated> {
    let mut source = source;
    if let Some(literal) = source.strip_prefix("***=") {
        options.literal = true;
        source = literal;
    } else if let Some(advanced) = source.strip_prefix("***:") {
        source = advanced;
    }
    if options.literal {
        return Ok(Translated {
            pattern: regex::escape(source),
            options,
            backtracks: false,
        });
    }
    source = embedded_options(source, &mut options)?;
    let mut translator = Translator {
        chars: source.chars().peekable(),
        out: String::with_capacity(source.len() + 8),
        options,
        groups: 0,
        open: 0,
        backtracks: false,
    };
    translator.run()?;
    Ok(Translated {
        pattern: translator.out,
        options,
        backtracks: translator.backtracks,
    })
}

/// `(?letters)` at the start.
fn embedded_options<'a>(source: &'a str, options: &mut Options) -> Result<&'a str> {
    let Some(rest) = source.strip_prefix("(?") else {
        return Ok(source);
    };
    if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return Ok(source);
    }
    let Some((letters, rest)) = rest.split_once(')') else {
        return Err(bad("invalid embedded option"));
    };
    for letter in letters.chars() {
        if letter == 'g' || !options.set(letter) {
            return Err(bad("invalid embedded option"));
        }
    }
    Ok(rest)
}

struct Translator<'a> {
    chars: Peekable<Chars<'a>>,
    out: String,
    options: Options,
    groups: u32,
    open: u32,
    backtracks: bool,
}

impl Translator<'_> {
    fn run(&mut self) -> Result<()> {
        // Whether an atom precedes, which a quantifier may follow.
        let mut atom = false;
        while let Some(c) = self.chars.next() {
            atom = match c {
                '(' => self.group()?,
                ')' => {
                    self.open = self.open.checked_sub(1).ok_or_else(|| bad(UNBALANCED))?;
                    self.out.push(')');
                    true
                }
                '|' => {
                    self.out.push('|');
                    false
                }
                '*' | '+' | '?' => {
                    self.quantified(atom)?;
                    self.out.push(c);
                    self.lazy();
                    false
                }
                '{' if self.chars.peek().is_some_and(char::is_ascii_digit) => {
                    self.quantified(atom)?;
                    self.bounds()?;
                    self.lazy();
                    false
                }
                '[' => {
                    self.brackets()?;
                    true
                }
                '\\' => self.escape()?,
                '.' => {
                    self.out.push_str(if self.options.newline_stops { "[^\\n]" } else { "." });
                    true
                }
                '^' | '$' => {
                    self.out.push(c);
                    false
                }
                c if self.options.expanded && c.is_whitespace() => atom,
                '#' if self.options.expanded => {
                    for _ in self.chars.by_ref().take_while(|c| *c != '\n') {}
                    atom
                }
                c => {
                    self.literal(c);
                    true
                }
            };
        }
        if self.open > 0 { Err(bad(UNBALANCED)) } else { Ok(()) }
    }

    fn literal(&mut self, c: char) {
        if c.is_ascii_punctuation() {
            self.out.push('\\');
        }
        self.out.push(c);
    }

    fn quantified(&self, atom: bool) -> Result<()> {
        if atom { Ok(()) } else { Err(bad(BAD_QUANTIFIER)) }
    }

    fn lazy(&mut self) {
        if self.chars.next_if_eq(&'?').is_some() {
            self.out.push('?');
        }
    }

    /// After `(`; answers whether an atom precedes.
    fn group(&mut self) -> Result<bool> {
        if self.chars.next_if_eq(&'?').is_none() {
            self.groups += 1;
            self.open += 1;
            self.out.push('(');
            return Ok(false);
        }
        match self.chars.next() {
            Some(':') => self.out.push_str("(?:"),
            Some(c @ ('=' | '!')) => {
                self.backtracks = true;
                self.out.push_str("(?");
                self.out.push(c);
            }
            Some('<') => {
                let c = self.chars.next().filter(|c| matches!(c, '=' | '!'));
                self.backtracks = true;
                self.out.push_str("(?<");
                self.out.push(c.ok_or_else(|| bad(BAD_QUANTIFIER))?);
            }
            Some('#') => {
                for _ in self.chars.by_ref().take_while(|c| *c != ')') {}
                return Ok(true);
            }
            _ => return Err(bad(BAD_QUANTIFIER)),
        }
        self.open += 1;
        Ok(false)
    }

    fn number(&mut self) -> Result<Option<u32>> {
        let mut number = None;
        while let Some(digit) = self.chars.next_if(char::is_ascii_digit).and_then(|c| c.to_digit(10)) {
            let next = number.unwrap_or(0) * 10 + digit;
            if next > REPEAT_MAX {
                return Err(bad(BAD_COUNT));
            }
            number = Some(next);
        }
        Ok(number)
    }

    fn bounds(&mut self) -> Result<()> {
        let low = self.number()?.unwrap_or(0);
        let bounds = if self.chars.next_if_eq(&',').is_some() {
            match self.number()? {
                Some(high) if high < low => return Err(bad(BAD_COUNT)),
                Some(high) => format!("{{{low},{high}}}"),
                None => format!("{{{low},}}"),
            }
        } else {
            format!("{{{low}}}")
        };
        match self.chars.next() {
            Some('}') => {
                self.out.push_str(&bounds);
                Ok(())
            }
            None => Err(bad("braces {} not balanced")),
            Some(_) => Err(bad(BAD_COUNT)),
        }
    }

    /// After `\`; answers whether it stands for an atom.
    fn escape(&mut self) -> Result<bool> {
        let c = self.chars.next().ok_or_else(|| bad(BAD_ESCAPE))?;
        match c {
            'm' => self.out.push_str("\\b{start}"),
            'M' => self.out.push_str("\\b{end}"),
            'y' => self.out.push_str("\\b"),
            'Y' => self.out.push_str("\\B"),
            'A' => self.out.push_str("\\A"),
            'Z' => self.out.push_str("\\z"),
            'd' | 'D' | 's' | 'S' | 'w' | 'W' => {
                self.out.push('\\');
                self.out.push(c);
                return Ok(true);
            }
            '1'..='9' => {
                let mut number = c.to_digit(10).unwrap_or(0);
                while let Some(digit) = self.chars.peek().and_then(|c| c.to_digit(10)) {
                    let next = number * 10 + digit;
                    if next > self.groups {
                        break;
                    }
                    number = next;
                    self.chars.next();
                }
                if number > self.groups {
                    return Err(bad("invalid backreference number"));
                }
                self.backtracks = true;
                _ = write!(self.out, "(?:\\{number})");
                return Ok(true);
            }
            c => {
                let c = self.character(c)?;
                self.literal(c);
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn hex(&mut self, most: usize, exact: bool) -> Result<char> {
        let mut digits = String::new();
        while digits.len() < most
            && let Some(digit) = self.chars.next_if(char::is_ascii_hexdigit)
        {
            digits.push(digit);
        }
        if digits.is_empty() || (exact && digits.len() < most) {
            return Err(bad(BAD_ESCAPE));
        }
        let code = u32::from_str_radix(&digits, 16).map_err(|_| bad(BAD_ESCAPE))?;
        char::from_u32(code).ok_or_else(|| bad(BAD_ESCAPE))
    }

    /// The character that an escape stands for.
    fn character(&mut self, c: char) -> Result<char> {
        Ok(match c {
            'a' => '\x07',
            'b' => '\x08',
            'B' => '\\',
            'c' => {
                let c = self.chars.next().ok_or_else(|| bad(BAD_ESCAPE))?;
                char::from_u32(u32::from(c) & 0x1f).ok_or_else(|| bad(BAD_ESCAPE))?
            }
            'e' => '\x1b',
            'f' => '\x0c',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\x0b',
            'u' => self.hex(4, true)?,
            'U' => self.hex(8, true)?,
            'x' => self.hex(255, false)?,
            '0' => '\0',
            c if c.is_alphanumeric() => return Err(bad(BAD_ESCAPE)),
            c => c,
        })
    }

    /// After `[`.
    fn brackets(&mut self) -> Result<()> {
        for (word, boundary) in [("[:<:]]", "\\b{start}"), ("[:>:]]", "\\b{end}")] {
            let rest: String = self.chars.clone().take(word.len()).collect();
            if rest == word {
                self.chars.nth(word.len() - 1);
                self.out.push_str(boundary);
                return Ok(());
            }
        }
        self.out.push('[');
        if self.chars.next_if_eq(&'^').is_some() {
            self.out.push('^');
            if self.options.newline_stops {
                self.out.push_str("\\n");
            }
        }
        let mut first = true;
        loop {
            let c = self.chars.next().ok_or_else(|| bad(BAD_BRACKETS))?;
            if c == ']' && !first {
                self.out.push(']');
                return Ok(());
            }
            first = false;
            let Some(low) = self.bracket_item(c)? else { continue };
            let range = self.chars.peek() == Some(&'-') && self.chars.clone().nth(1).is_some_and(|c| c != ']');
            self.bracket_literal(low);
            if range {
                self.chars.next();
                let c = self.chars.next().ok_or_else(|| bad(BAD_BRACKETS))?;
                let high = self.bracket_item(c)?.ok_or_else(|| bad(BAD_RANGE))?;
                if high < low {
                    return Err(bad(BAD_RANGE));
                }
                self.out.push('-');
                self.bracket_literal(high);
            }
        }
    }

    fn bracket_literal(&mut self, c: char) {
        self.literal(c);
    }

    /// One member of a bracket expression: a character, or a class, which is written out.
    fn bracket_item(&mut self, c: char) -> Result<Option<char>> {
        match c {
            '[' if self.chars.peek().is_some_and(|c| matches!(c, ':' | '.' | '=')) => self.named_item(),
            '\\' => {
                let c = self.chars.next().ok_or_else(|| bad(BAD_ESCAPE))?;
                if matches!(c, 'd' | 's' | 'w') {
                    self.out.push('\\');
                    self.out.push(c);
                    return Ok(None);
                }
                self.character(c).map(Some)
            }
            c => Ok(Some(c)),
        }
    }

    /// `[:class:]`, `[.x.]` and `[=x=]`.
    fn named_item(&mut self) -> Result<Option<char>> {
        let kind = self.chars.next().ok_or_else(|| bad(BAD_BRACKETS))?;
        let mut name = String::new();
        loop {
            let c = self.chars.next().ok_or_else(|| bad(BAD_BRACKETS))?;
            if c == kind && self.chars.next_if_eq(&']').is_some() {
                break;
            }
            name.push(c);
        }
        if kind != ':' {
            let mut chars = name.chars();
            return match (chars.next(), chars.next()) {
                (Some(c), None) => Ok(Some(c)),
                _ => Err(bad("invalid collating element")),
            };
        }
        self.out.push_str(match name.as_str() {
            "alpha" => "\\p{Alphabetic}",
            "alnum" => "\\p{Alphabetic}\\p{Nd}",
            "digit" => "\\d",
            "space" => "\\s",
            "lower" => "\\p{Lowercase}",
            "upper" => "\\p{Uppercase}",
            "punct" => "[:punct:]",
            "xdigit" => "[:xdigit:]",
            "cntrl" => "[:cntrl:]",
            "blank" => "[:blank:]",
            "graph" => "[:graph:]",
            "print" => "[:print:]",
            "word" => "\\w",
            "ascii" => "[:ascii:]",
            _ => return Err(bad(BAD_CLASS)),
        });
        Ok(None)
    }
}
