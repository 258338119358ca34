//! COPY data into lines: PostgreSQL's `CopyReadLineText`.
//!
//! All lines of one copy end alike (`\n`, `\r` or `\r\n`, as the first one does); the other ends are errors then. In CSV a
//! quoted field may hold line ends.

use std::ops::Range;

use memchr::{memchr3, memchr3_iter};

use super::options::{CopyOptions, Format};
use super::{CopySource, bad_format};
use crate::error::{PgError, Result};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineEnd {
    Unknown,
    Newline,
    Return,
    ReturnNewline,
}

/// Splits what a source gives into lines.
pub struct Lines {
    buffer: Vec<u8>,
    /// Where the next line begins.
    start: usize,
    /// The source has given everything.
    ended: bool,
    /// `\.` was read: what follows is not looked at.
    finished: bool,
    end: LineEnd,
    csv: bool,
    quote: u8,
    /// Differs from `quote`, or 0.
    escape: u8,
    /// Lines begun so far.
    number: u64,
}

/// What a scan of the buffer found.
enum Scanned {
    /// The line without its end, and where the next one begins.
    Line(Range<usize>, usize),
    /// `\.` with the text in front of it.
    EndMark(Range<usize>),
    /// More data is needed to tell.
    More,
}

impl Lines {
    pub fn new(options: &CopyOptions) -> Self {
        Lines {
            buffer: Vec::new(),
            start: 0,
            ended: false,
            finished: false,
            end: LineEnd::Unknown,
            csv: options.format == Format::Csv,
            quote: options.quote,
            escape: if options.escape == options.quote { 0 } else { options.escape },
            number: 0,
        }
    }

    /// Number of the line that was read last, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    pub fn bytes(&self, line: Range<usize>) -> &[u8] {
        &self.buffer[line]
    }

    /// The next line's place in the buffer; `None` at the end.
    pub async fn next(&mut self, source: &mut dyn CopySource) -> Result<Option<Range<usize>>> {
        if self.finished {
            return Ok(None);
        }
        self.number += 1;
        let first = self.number;
        loop {
            self.number = first;
            match self.scan()? {
                Scanned::Line(line, next) => {
                    self.start = next;
                    return Ok(Some(line));
                }
                Scanned::EndMark(line) => {
                    self.finished = true;
                    return Ok((!line.is_empty()).then_some(line));
                }
                Scanned::More if self.ended => return self.last(),
                Scanned::More => self.fill(source).await?,
            }
        }
    }

    /// What is left when the source has ended without a line end.
    fn last(&mut self) -> Result<Option<Range<usize>>> {
        self.finished = true;
        let rest = self.start..self.buffer.len();
        Ok((!rest.is_empty()).then_some(rest))
    }

    async fn fill(&mut self, source: &mut dyn CopySource) -> Result<()> {
        if self.start > 0 {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        match source.next().await? {
            Some(data) => self.buffer.extend_from_slice(&data),
            None => self.ended = true,
        }
        Ok(())
    }

    /// Reads on to the end of `\.`'s rest, so that the client's messages are all taken.
    pub async fn drain(&mut self, source: &mut dyn CopySource) -> Result<()> {
        while !self.ended {
            self.ended = source.next().await?.is_none();
        }
        Ok(())
    }

    fn scan(&mut self) -> Result<Scanned> {
        if self.csv { self.scan_csv() } else { self.scan_text() }
    }

    fn scan_text(&mut self) -> Result<Scanned> {
        let mut from = self.start;
        while let Some(found) = memchr3(b'\n', b'\r', b'\\', &self.buffer[from..]) {
            let at = from + found;
            match self.buffer[at] {
                b'\\' => match self.buffer.get(at + 1) {
                    Some(b'.') => return self.end_mark(at),
                    // Whatever follows a backslash is data, a line end too.
                    Some(_) => from = at + 2,
                    None => return Ok(Scanned::More),
                },
                b'\n' => return self.newline(at),
                _ => return self.carriage_return(at),
            }
        }
        Ok(Scanned::More)
    }

    fn newline(&mut self, at: usize) -> Result<Scanned> {
        if matches!(self.end, LineEnd::Return | LineEnd::ReturnNewline) {
            return Err(if self.csv {
                bad_format("unquoted newline found in data").hint("Use quoted CSV field to represent newline.")
            } else {
                bad_format("literal newline found in data").hint("Use \"\\n\" to represent newline.")
            });
        }
        self.end = LineEnd::Newline;
        Ok(Scanned::Line(self.start..at, at + 1))
    }

    fn carriage_return(&mut self, at: usize) -> Result<Scanned> {
        let stray = || -> PgError {
            if self.csv {
                bad_format("unquoted carriage return found in data").hint("Use quoted CSV field to represent carriage return.")
            } else {
                bad_format("literal carriage return found in data").hint("Use \"\\r\" to represent carriage return.")
            }
        };
        match self.end {
            LineEnd::Newline => Err(stray()),
            LineEnd::Return => Ok(Scanned::Line(self.start..at, at + 1)),
            LineEnd::Unknown | LineEnd::ReturnNewline => match self.buffer.get(at + 1) {
                Some(b'\n') => {
                    self.end = LineEnd::ReturnNewline;
                    Ok(Scanned::Line(self.start..at, at + 2))
                }
                None if !self.ended => Ok(Scanned::More),
                _ if self.end == LineEnd::ReturnNewline => Err(stray()),
                _ => {
                    self.end = LineEnd::Return;
                    Ok(Scanned::Line(self.start..at, at + 1))
                }
            },
        }
    }

    /// `\.` ends the data, alone on its line or after data.
    fn end_mark(&mut self, at: usize) -> Result<Scanned> {
        match self.buffer.get(at + 2) {
            Some(b'\n' | b'\r') => Ok(Scanned::EndMark(self.start..at)),
            None if self.ended => Ok(Scanned::EndMark(self.start..at)),
            None => Ok(Scanned::More),
            Some(_) => Err(bad_format("end-of-copy marker corrupt")),
        }
    }

    fn scan_csv(&mut self) -> Result<Scanned> {
        if self.buffer[self.start..].starts_with(b"\\") {
            // `\.` alone on its line.
            match self.buffer.get(self.start + 1) {
                Some(b'.') => match self.buffer.get(self.start + 2) {
                    Some(b'\n' | b'\r') => return Ok(Scanned::EndMark(self.start..self.start)),
                    None if self.ended => return Ok(Scanned::EndMark(self.start..self.start)),
                    None => return Ok(Scanned::More),
                    Some(_) => {}
                },
                None if !self.ended => return Ok(Scanned::More),
                _ => {}
            }
        }
        let (mut quoted, mut escaped_at, mut inner_lines) = (false, usize::MAX, 0);
        let mut found = None;
        // Line ends inside quotes count as lines once it is known how lines end.
        let counted = if self.end == LineEnd::Newline { b'\n' } else { b'\r' };
        let bytes = &self.buffer[self.start..];
        if self.escape == 0 {
            for at in memchr3_iter(b'\n', b'\r', self.quote, bytes) {
                let byte = bytes[at];
                if byte == self.quote {
                    quoted = !quoted;
                } else if !quoted {
                    found = Some(at);
                    break;
                } else if byte == counted {
                    inner_lines += 1;
                }
            }
        } else {
            for (at, byte) in bytes.iter().enumerate() {
                if quoted && *byte == self.escape && escaped_at != at {
                    escaped_at = at + 1;
                } else if *byte == self.quote && escaped_at != at {
                    quoted = !quoted;
                } else if matches!(byte, b'\n' | b'\r') {
                    if !quoted {
                        found = Some(at);
                        break;
                    }
                    inner_lines += u64::from(*byte == counted);
                }
            }
        }
        self.number += inner_lines;
        match found {
            Some(at) if bytes[at] == b'\n' => self.newline(self.start + at),
            Some(at) => self.carriage_return(self.start + at),
            None => Ok(Scanned::More),
        }
    }
}
