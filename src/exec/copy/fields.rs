//! A line into fields: PostgreSQL's `CopyReadAttributesText` and `CopyReadAttributesCSV`.

use memchr::{memchr, memchr2};

use super::bad_format;
use super::options::{CopyOptions, Format};
use crate::error::Result;

/// Where a field's text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Null,
    /// In the line itself.
    Line {
        start: usize,
        end: usize,
    },
    /// In the scratch buffer: quotes or escapes were taken away.
    Scratch {
        start: usize,
        end: usize,
    },
}

/// The fields of one line. Buffers are used again for the next.
#[derive(Debug, Default)]
pub struct Fields {
    pub fields: Vec<Field>,
    scratch: Vec<u8>,
    /// In CSV: whether the field was quoted (a quoted null text is no null).
    quoted: Vec<bool>,
}

impl Fields {
    pub fn parse(&mut self, line: &[u8], options: &CopyOptions) -> Result<()> {
        self.fields.clear();
        self.scratch.clear();
        self.quoted.clear();
        if options.format == Format::Csv {
            self.csv(line, options)
        } else {
            self.text(line, options)
        }
    }

    /// A field's bytes; empty for null.
    pub fn bytes<'a>(&'a self, at: usize, line: &'a [u8]) -> &'a [u8] {
        match self.fields[at] {
            Field::Null => &[],
            Field::Line { start, end } => &line[start..end],
            Field::Scratch { start, end } => &self.scratch[start..end],
        }
    }

    /// `FORCE_NOT_NULL`: the null text stands for itself.
    pub fn unnull(&mut self, at: usize, options: &CopyOptions) {
        if self.fields[at] == Field::Null {
            let start = self.scratch.len();
            self.scratch.extend_from_slice(options.null.as_bytes());
            self.fields[at] = Field::Scratch {
                start,
                end: self.scratch.len(),
            };
        }
    }

    /// `FORCE_NULL`: the null text is null although it was quoted.
    pub fn nullify(&mut self, at: usize, line: &[u8], options: &CopyOptions) {
        if self.quoted.get(at) == Some(&true) && self.bytes(at, line) == options.null.as_bytes() {
            self.fields[at] = Field::Null;
        }
    }

    fn text(&mut self, line: &[u8], options: &CopyOptions) -> Result<()> {
        let null = options.null.as_bytes();
        let mut start = 0;
        loop {
            let rest = &line[start..];
            // Most fields have no backslash: they stay where they are.
            let (end, plain) = match memchr2(options.delimiter, b'\\', rest) {
                None => (line.len(), true),
                Some(at) if rest[at] == options.delimiter => (start + at, true),
                Some(at) => (self.unescape(line, start, start + at, options.delimiter), false),
            };
            let raw = &line[start..end];
            if raw == null {
                self.fields.push(Field::Null);
            } else if plain {
                self.fields.push(Field::Line { start, end });
            } else {
                let from = self.scratch_start();
                self.fields.push(Field::Scratch {
                    start: from,
                    end: self.scratch.len(),
                });
            }
            if end >= line.len() {
                return Ok(());
            }
            start = end + 1;
        }
    }

    /// Where the field that is being unescaped begins in the scratch buffer.
    fn scratch_start(&self) -> usize {
        self.fields
            .iter()
            .rev()
            .find_map(|field| match field {
                Field::Scratch { end, .. } => Some(*end),
                _ => None,
            })
            .unwrap_or(0)
    }

    /// Unescapes a field into the scratch buffer from its first backslash on; answers where the field ends in the line.
    fn unescape(&mut self, line: &[u8], start: usize, first: usize, delimiter: u8) -> usize {
        // A field that turned out null has left its bytes.
        let keep = self.scratch_start();
        self.scratch.truncate(keep);
        self.scratch.extend_from_slice(&line[start..first]);
        let mut at = first;
        while let Some(&byte) = line.get(at) {
            at += 1;
            if byte == delimiter {
                return at - 1;
            }
            if byte != b'\\' {
                self.scratch.push(byte);
                continue;
            }
            let Some(&escaped) = line.get(at) else {
                // A backslash at the end of the line stands for itself.
                self.scratch.push(b'\\');
                break;
            };
            at += 1;
            let value = match escaped {
                b'0'..=b'7' => {
                    let mut value = u32::from(escaped - b'0');
                    for _ in 0..2 {
                        match line.get(at) {
                            Some(digit @ b'0'..=b'7') => value = value << 3 | u32::from(digit - b'0'),
                            _ => break,
                        }
                        at += 1;
                    }
                    (value & 0xff) as u8
                }
                b'x' => match line.get(at).and_then(|digit| char::from(*digit).to_digit(16)) {
                    Some(mut value) => {
                        at += 1;
                        if let Some(digit) = line.get(at).and_then(|digit| char::from(*digit).to_digit(16)) {
                            value = value << 4 | digit;
                            at += 1;
                        }
                        (value & 0xff) as u8
                    }
                    None => b'x',
                },
                b'b' => 0x08,
                b'f' => 0x0c,
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'v' => 0x0b,
                other => other,
            };
            self.scratch.push(value);
        }
        at.min(line.len())
    }

    fn csv(&mut self, line: &[u8], options: &CopyOptions) -> Result<()> {
        let null = options.null.as_bytes();
        let mut at = 0;
        loop {
            let rest = &line[at..];
            let plain_end = memchr(options.delimiter, rest).map_or(line.len(), |found| at + found);
            if memchr(options.quote, &line[at..plain_end]).is_none() {
                let plain = Field::Line {
                    start: at,
                    end: plain_end,
                };
                self.fields
                    .push(if &line[at..plain_end] == null { Field::Null } else { plain });
                self.quoted.push(false);
                at = plain_end;
            } else {
                at = self.quoted_field(line, at, options)?;
            }
            if at >= line.len() {
                return Ok(());
            }
            at += 1;
        }
    }

    /// A field with quotes in it; answers where it ends.
    fn quoted_field(&mut self, line: &[u8], start: usize, options: &CopyOptions) -> Result<usize> {
        let from = self.scratch.len();
        let mut at = start;
        let mut inside = false;
        while let Some(&byte) = line.get(at) {
            if !inside {
                if byte == options.delimiter {
                    break;
                }
                at += 1;
                if byte == options.quote {
                    inside = true;
                } else {
                    self.scratch.push(byte);
                }
                continue;
            }
            at += 1;
            if byte == options.escape
                && let Some(&next) = line.get(at)
                && (next == options.escape || next == options.quote)
            {
                self.scratch.push(next);
                at += 1;
            } else if byte == options.quote {
                inside = false;
            } else {
                self.scratch.push(byte);
            }
        }
        if inside {
            return Err(bad_format("unterminated CSV quoted field"));
        }
        self.fields.push(Field::Scratch {
            start: from,
            end: self.scratch.len(),
        });
        self.quoted.push(true);
        Ok(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::copy::options::parse;
    use crate::parse::{CopyOption, CopyValue};

    fn split(line: &str, csv: bool) -> Vec<Option<String>> {
        let format = if csv { "csv" } else { "text" };
        let option = CopyOption {
            name: "format".to_owned(),
            value: CopyValue::Text(format.to_owned()),
            position: 0,
        };
        let options = parse(&[option], true).expect("accepted");
        let mut fields = Fields::default();
        fields.parse(line.as_bytes(), &options).expect("well formed");
        (0..fields.fields.len())
            .map(|at| {
                let bytes = fields.bytes(at, line.as_bytes()).to_vec();
                (fields.fields[at] != Field::Null).then(|| String::from_utf8(bytes).expect("UTF-8"))
            })
            .collect()
    }

    fn some(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    /// As PostgreSQL 15 reads them.
    #[test]
    fn text_fields() {
        assert_eq!(split("1\ty\t\\N", false), [some("1"), some("y"), None]);
        assert_eq!(split("", false), [some("")]);
        assert_eq!(split("\\x41\\101\\t\\q\\\\\tz", false), [some("AA\tq\\"), some("z")]);
        assert_eq!(
            split("\\N\ta\\nb\t\\N\tc\\td", false),
            [None, some("a\nb"), None, some("c\td")]
        );
        assert_eq!(split("a\t", false), [some("a"), some("")]);
    }

    #[test]
    fn csv_fields() {
        assert_eq!(split("1,\"a\"\"b\",,\"\"", true), [some("1"), some("a\"b"), None, some("")]);
        assert_eq!(split("x\"y,z\"w,v", true), [some("xy,zw"), some("v")]);
        assert_eq!(split("", true), [None]);
    }
}
