//! Splits date and time input into fields, as `ParseDateTime` does.

/// Kind of a field by its looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Digits, with a point perhaps.
    Number,
    /// A word.
    Word,
    /// A date with separators, or a zone's name.
    Date,
    /// `hh:mm...`.
    Time,
    /// A sign and digits: a displacement, or a signed number of an interval.
    Zone,
    /// A sign and a word.
    Special,
}

/// One field, in lower case where it holds letters.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub kind: Kind,
    pub text: String,
}

/// Why input was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    BadFormat,
    FieldOverflow,
    /// Month or day out of range: maybe the other `DateStyle` was meant.
    MonthDayOverflow,
    IntervalOverflow,
    ZoneOverflow,
    /// A zone's name that nobody knows, by field.
    ZoneNotRecognized,
}

pub(super) type Decoded<T> = std::result::Result<T, Fault>;

const FIELDS_MAX: usize = 25;
const BYTES_MAX: usize = 128 + FIELDS_MAX;

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    text: String,
}

impl Scanner<'_> {
    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    fn take(&mut self) {
        let byte = self.peek().to_ascii_lowercase();
        self.text.push(char::from(byte));
        self.at += 1;
    }

    fn take_while(&mut self, keep: impl Fn(u8) -> bool) {
        while self.at < self.bytes.len() && keep(self.peek()) {
            self.take();
        }
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Splits into fields.
pub(super) fn split(text: &str) -> Decoded<Vec<Field>> {
    let mut scanner = Scanner {
        bytes: text.as_bytes(),
        at: 0,
        text: String::new(),
    };
    let mut fields = Vec::new();
    let mut total = 0;
    while scanner.at < scanner.bytes.len() {
        if is_space(scanner.peek()) {
            scanner.at += 1;
            continue;
        }
        scanner.text.clear();
        let Some(kind) = field(&mut scanner)? else { continue };
        total += scanner.text.len() + 1;
        if fields.len() >= FIELDS_MAX || total > BYTES_MAX {
            return Err(Fault::BadFormat);
        }
        fields.push(Field {
            kind,
            text: scanner.text.clone(),
        });
    }
    Ok(fields)
}

/// Reads one field; `None` for punctuation that is passed over.
fn field(scanner: &mut Scanner<'_>) -> Decoded<Option<Kind>> {
    let digit = |byte: u8| byte.is_ascii_digit();
    match scanner.peek() {
        b'0'..=b'9' => Ok(Some(number(scanner))),
        b'.' => {
            scanner.take();
            scanner.take_while(digit);
            Ok(Some(Kind::Number))
        }
        byte if byte.is_ascii_alphabetic() => Ok(Some(word(scanner))),
        b'+' | b'-' => {
            scanner.take();
            while is_space(scanner.peek()) {
                scanner.at += 1;
            }
            if scanner.peek().is_ascii_digit() {
                scanner.take_while(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.' | b'-'));
                Ok(Some(Kind::Zone))
            } else if scanner.peek().is_ascii_alphabetic() {
                scanner.take_while(|byte| byte.is_ascii_alphabetic());
                Ok(Some(Kind::Special))
            } else {
                Err(Fault::BadFormat)
            }
        }
        byte if byte.is_ascii_punctuation() => {
            scanner.at += 1;
            Ok(None)
        }
        _ => Err(Fault::BadFormat),
    }
}

fn number(scanner: &mut Scanner<'_>) -> Kind {
    let digit = |byte: u8| byte.is_ascii_digit();
    scanner.take_while(digit);
    match scanner.peek() {
        b':' => {
            scanner.take_while(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.'));
            Kind::Time
        }
        separator @ (b'-' | b'/' | b'.') => {
            scanner.take();
            if !scanner.peek().is_ascii_digit() {
                scanner.take_while(|byte| byte.is_ascii_alphanumeric() || byte == separator);
                // `2.` is a number with nothing after the point.
                return Kind::Date;
            }
            scanner.take_while(digit);
            if scanner.peek() == separator {
                scanner.take_while(|byte| byte.is_ascii_digit() || byte == separator);
                return Kind::Date;
            }
            if separator == b'.' { Kind::Number } else { Kind::Date }
        }
        _ => Kind::Number,
    }
}

fn word(scanner: &mut Scanner<'_>) -> Kind {
    scanner.take_while(|byte| byte.is_ascii_alphabetic());
    let is_date = match scanner.peek() {
        b'-' | b'/' | b'.' => true,
        // `+` and digits may follow a zone's name, but also a known word (`t040506`, `j2451187`).
        byte if byte == b'+' || byte.is_ascii_digit() => super::words::date_word(&scanner.text).is_none(),
        _ => false,
    };
    if !is_date {
        return Kind::Word;
    }
    scanner.take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'/' | b'_' | b'.' | b':'));
    Kind::Date
}
