//! COPY's options, checked as PostgreSQL checks them (`ProcessCopyOptions`).

use crate::error::{PgError, Result, sqlstate};
use crate::parse::{CopyOption, CopyValue, Name};
use crate::types::io::parse_bool;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Text,
    Csv,
    Binary,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    No,
    Yes,
    /// Names must be the columns' names.
    Match,
}

/// Columns of `FORCE_QUOTE` and its like.
#[derive(Clone, Debug, Default)]
pub enum Columns {
    #[default]
    None,
    All,
    Some(Vec<Name>),
}

#[derive(Clone, Debug)]
pub struct CopyOptions {
    pub format: Format,
    pub delimiter: u8,
    pub null: String,
    pub header: Header,
    pub quote: u8,
    pub escape: u8,
    pub force_quote: Columns,
    pub force_not_null: Columns,
    pub force_null: Columns,
    pub freeze: bool,
}

fn syntax(message: &str) -> PgError {
    PgError::new(sqlstate::SYNTAX_ERROR, message)
}

fn unsupported(message: &str) -> PgError {
    PgError::new(sqlstate::FEATURE_NOT_SUPPORTED, message)
}

fn invalid(message: impl Into<String>) -> PgError {
    PgError::new(sqlstate::INVALID_PARAMETER_VALUE, message)
}

/// What was given, before it is known what may be given.
#[derive(Default)]
struct Given<'a> {
    format: Option<Format>,
    delimiter: Option<&'a str>,
    null: Option<&'a str>,
    header: Option<Header>,
    quote: Option<&'a str>,
    escape: Option<&'a str>,
    force_quote: Columns,
    force_not_null: Columns,
    force_null: Columns,
    freeze: bool,
}

fn text(option: &CopyOption) -> Result<&str> {
    match &option.value {
        CopyValue::Text(text) => Ok(text),
        _ => Err(syntax(&format!("{} requires a parameter", option.name))),
    }
}

fn boolean(option: &CopyOption) -> Result<bool> {
    match &option.value {
        CopyValue::None => Ok(true),
        CopyValue::Text(text) => parse_bool(text).ok_or_else(|| syntax(&format!("{} requires a Boolean value", option.name))),
        CopyValue::Star | CopyValue::List(_) => Err(syntax(&format!("{} requires a Boolean value", option.name))),
    }
}

fn columns(option: &CopyOption, star: bool) -> Result<Columns> {
    match &option.value {
        CopyValue::Star if star => Ok(Columns::All),
        CopyValue::List(names) => Ok(Columns::Some(names.clone())),
        _ => Err(invalid(format!(
            "argument to option \"{}\" must be a list of column names",
            option.name
        ))
        .at(option.position)),
    }
}

fn header(option: &CopyOption, is_from: bool) -> Result<Header> {
    let wrong = || syntax("header requires a Boolean value or \"match\"");
    match &option.value {
        CopyValue::None => Ok(Header::Yes),
        CopyValue::Text(text) if text.eq_ignore_ascii_case("match") => {
            if is_from {
                Ok(Header::Match)
            } else {
                Err(unsupported("cannot use \"match\" with HEADER in COPY TO"))
            }
        }
        CopyValue::Text(text) => match parse_bool(text) {
            Some(true) => Ok(Header::Yes),
            Some(false) => Ok(Header::No),
            None => Err(wrong()),
        },
        CopyValue::Star | CopyValue::List(_) => Err(wrong()),
    }
}

fn encoding(option: &CopyOption) -> Result<()> {
    let name = text(option)?;
    let plain: String = name
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect::<String>()
        .to_ascii_lowercase();
    if matches!(plain.as_str(), "utf8" | "unicode") {
        return Ok(());
    }
    let known = [
        "latin", "iso", "win", "sqlascii", "euc", "koi8", "sjis", "big5", "gb", "uhc", "johab", "mule", "shift",
    ];
    if known.iter().any(|prefix| plain.starts_with(prefix)) {
        return Err(PgError::unsupported(format!("encoding {name}")));
    }
    Err(invalid("argument to option \"encoding\" must be a valid encoding name").at(option.position))
}

pub fn parse(options: &[CopyOption], is_from: bool) -> Result<CopyOptions> {
    let mut given = Given::default();
    let mut seen: Vec<&str> = Vec::new();
    for option in options {
        if seen.contains(&option.name.as_str()) {
            return Err(syntax("conflicting or redundant options").at(option.position));
        }
        seen.push(&option.name);
        match option.name.as_str() {
            "format" => {
                given.format = Some(match text(option)? {
                    "text" => Format::Text,
                    "csv" => Format::Csv,
                    "binary" => Format::Binary,
                    other => return Err(invalid(format!("COPY format \"{other}\" not recognized")).at(option.position)),
                });
            }
            "freeze" => given.freeze = boolean(option)?,
            "delimiter" => given.delimiter = Some(text(option)?),
            "null" => given.null = Some(text(option)?),
            "header" => given.header = Some(header(option, is_from)?),
            "quote" => given.quote = Some(text(option)?),
            "escape" => given.escape = Some(text(option)?),
            "force_quote" => given.force_quote = columns(option, true)?,
            "force_not_null" => given.force_not_null = columns(option, false)?,
            "force_null" => given.force_null = columns(option, false)?,
            "encoding" => encoding(option)?,
            other => return Err(syntax(&format!("option \"{other}\" not recognized")).at(option.position)),
        }
    }
    checked(given, is_from)
}

/// One byte, or the error that `what` must be.
fn one_byte(text: &str, what: &str) -> Result<u8> {
    match text.as_bytes() {
        [byte] => Ok(*byte),
        _ => Err(unsupported(&format!("COPY {what} must be a single one-byte character"))),
    }
}

fn checked(given: Given<'_>, is_from: bool) -> Result<CopyOptions> {
    let format = given.format.unwrap_or(Format::Text);
    let csv = format == Format::Csv;
    if format == Format::Binary {
        if given.delimiter.is_some() {
            return Err(syntax("cannot specify DELIMITER in BINARY mode"));
        }
        if given.null.is_some() {
            return Err(syntax("cannot specify NULL in BINARY mode"));
        }
    }
    let delimiter = one_byte(given.delimiter.unwrap_or(if csv { "," } else { "\t" }), "delimiter")?;
    let null = given.null.unwrap_or(if csv { "" } else { "\\N" }).to_owned();
    if matches!(delimiter, b'\r' | b'\n') {
        return Err(invalid("COPY delimiter cannot be newline or carriage return"));
    }
    if null.contains(['\r', '\n']) {
        return Err(invalid("COPY null representation cannot use newline or carriage return"));
    }
    if !csv && b"\\.abcdefghijklmnopqrstuvwxyz0123456789".contains(&delimiter) {
        return Err(invalid(format!("COPY delimiter cannot be \"{}\"", char::from(delimiter))));
    }
    let header = given.header.unwrap_or(Header::No);
    if format == Format::Binary && header != Header::No {
        return Err(unsupported("cannot specify HEADER in BINARY mode"));
    }
    if !csv && given.quote.is_some() {
        return Err(unsupported("COPY quote available only in CSV mode"));
    }
    let quote = one_byte(given.quote.unwrap_or("\""), "quote")?;
    if csv && quote == delimiter {
        return Err(invalid("COPY delimiter and quote must be different"));
    }
    if !csv && given.escape.is_some() {
        return Err(unsupported("COPY escape available only in CSV mode"));
    }
    let escape = match given.escape {
        Some(escape) => one_byte(escape, "escape")?,
        None => quote,
    };
    check_forced(&given, csv, is_from)?;
    if format != Format::Binary && null.as_bytes().contains(&delimiter) {
        return Err(unsupported("COPY delimiter must not appear in the NULL specification"));
    }
    if csv && null.as_bytes().contains(&quote) {
        return Err(unsupported("CSV quote character must not appear in the NULL specification"));
    }
    Ok(CopyOptions {
        format,
        delimiter,
        null,
        header,
        quote,
        escape,
        force_quote: given.force_quote,
        force_not_null: given.force_not_null,
        force_null: given.force_null,
        freeze: given.freeze,
    })
}

fn check_forced(given: &Given<'_>, csv: bool, is_from: bool) -> Result<()> {
    let any = |columns: &Columns| !matches!(columns, Columns::None);
    if any(&given.force_quote) {
        if !csv {
            return Err(unsupported("COPY force quote available only in CSV mode"));
        }
        if is_from {
            return Err(unsupported("COPY force quote only available using COPY TO"));
        }
    }
    for (columns, what) in [(&given.force_not_null, "force not null"), (&given.force_null, "force null")] {
        if !any(columns) {
            continue;
        }
        if !csv {
            return Err(unsupported(&format!("COPY {what} available only in CSV mode")));
        }
        if !is_from {
            return Err(unsupported(&format!("COPY {what} only available using COPY FROM")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn option(name: &str, value: &str) -> CopyOption {
        CopyOption {
            name: name.to_owned(),
            value: CopyValue::Text(value.to_owned()),
            position: 0,
        }
    }

    fn message(options: &[CopyOption], is_from: bool) -> String {
        parse(options, is_from).expect_err("refused").message().to_owned()
    }

    /// What PostgreSQL 15 says.
    #[test]
    fn options_that_do_not_fit_are_refused() {
        assert_eq!(
            message(&[option("delimiter", "ab")], true),
            "COPY delimiter must be a single one-byte character"
        );
        assert_eq!(
            message(&[option("quote", "x")], true),
            "COPY quote available only in CSV mode"
        );
        assert_eq!(message(&[option("delimiter", "a")], true), "COPY delimiter cannot be \"a\"");
        let both = [option("format", "csv"), option("quote", ",")];
        assert_eq!(message(&both, true), "COPY delimiter and quote must be different");
        assert_eq!(
            message(&[option("header", "match")], false),
            "cannot use \"match\" with HEADER in COPY TO"
        );
        assert_eq!(message(&[option("nosuch", "1")], true), "option \"nosuch\" not recognized");
    }

    #[test]
    fn csv_has_its_own_defaults() {
        let options = parse(&[option("format", "csv")], true).expect("accepted");
        assert_eq!((options.delimiter, options.quote, options.escape), (b',', b'"', b'"'));
        assert_eq!(options.null, "");
    }
}
