//! Functions of regular expressions. Compiled patterns are kept: most statements use one again and again.

use std::sync::Arc;

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::arguments::{count, int4, invalid, listed, text};
use super::regex_syntax::{Options, bad, translate};
use super::{Body, Builtin, CallContext, SetRows, pure, unused};
use crate::error::{PgError, Result, sqlstate};
use crate::types::oid::{BOOL, BPCHAR, INT4, NAME, TEXT, TEXT_ARRAY};
use crate::types::{Array, Value};

/// Compiled patterns kept for the next call.
const PATTERNS_MAX: usize = 256;

enum Engine {
    Linear(regex::Regex),
    Backtracking(fancy_regex::Regex),
}

/// A compiled pattern.
struct Pattern {
    engine: Engine,
    /// Parenthesised groups.
    groups: usize,
}

/// Byte ranges of a match and its groups.
type Groups = Vec<Option<(usize, usize)>>;

fn failed(error: &fancy_regex::Error) -> PgError {
    PgError::new(
        sqlstate::INVALID_REGULAR_EXPRESSION,
        format!("regular expression failed: {error}"),
    )
}

impl Pattern {
    fn compile(source: &str, options: Options) -> Result<Pattern> {
        let translated = translate(source, options)?;
        let options = translated.options;
        let engine = if translated.backtracks {
            fancy_regex::RegexBuilder::new(&translated.pattern)
                .case_insensitive(options.ignore_case)
                .multi_line(options.line_anchors)
                .dot_matches_new_line(true)
                .build()
                .map(Engine::Backtracking)
                .map_err(|error| bad(&error.to_string()))?
        } else {
            regex::RegexBuilder::new(&translated.pattern)
                .case_insensitive(options.ignore_case)
                .multi_line(options.line_anchors)
                .dot_matches_new_line(true)
                .build()
                .map(Engine::Linear)
                .map_err(|error| bad(&error.to_string()))?
        };
        let groups = match &engine {
            Engine::Linear(regex) => regex.captures_len() - 1,
            Engine::Backtracking(regex) => regex.captures_len() - 1,
        };
        Ok(Pattern { engine, groups })
    }

    fn is_match(&self, subject: &str) -> Result<bool> {
        match &self.engine {
            Engine::Linear(regex) => Ok(regex.is_match(subject)),
            Engine::Backtracking(regex) => regex.is_match(subject).map_err(|error| failed(&error)),
        }
    }

    /// The first match at or after a byte.
    fn find(&self, subject: &str, from: usize) -> Result<Option<Groups>> {
        Ok(match &self.engine {
            Engine::Linear(regex) => regex.captures_at(subject, from).map(|found| {
                found
                    .iter()
                    .map(|group| group.map(|group| (group.start(), group.end())))
                    .collect()
            }),
            Engine::Backtracking(regex) => regex
                .captures_from_pos(subject, from)
                .map_err(|error| failed(&error))?
                .map(|found| {
                    (0..=self.groups)
                        .map(|at| found.get(at).map(|group| (group.start(), group.end())))
                        .collect()
                }),
        })
    }

    /// All matches from a byte on (`setup_regexp_matches`). `skip_empty` leaves out the empty ones that a split ignores.
    fn find_all(&self, subject: &str, from: usize, global: bool, skip_empty: bool) -> Result<Vec<Groups>> {
        let (mut at, mut previous_end) = (from, 0);
        let mut all = Vec::new();
        while at <= subject.len() {
            let Some(groups) = self.find(subject, at)? else { break };
            let (start, end) = whole(&groups);
            if !skip_empty || (start < subject.len() && end > previous_end) {
                all.push(groups);
                if !global {
                    break;
                }
            }
            previous_end = end;
            at = if start == end { next_char(subject, end) } else { end };
        }
        Ok(all)
    }
}

fn whole(groups: &Groups) -> (usize, usize) {
    groups.first().copied().flatten().unwrap_or((0, 0))
}

fn next_char(subject: &str, at: usize) -> usize {
    at + subject[at..].chars().next().map_or(1, char::len_utf8)
}

/// A pattern compiled, or found among those compiled before.
fn pattern(source: &str, options: Options) -> Result<Arc<Pattern>> {
    type Compiled = FxHashMap<String, Vec<(Options, Arc<Pattern>)>>;
    static KNOWN: Mutex<Option<Compiled>> = Mutex::new(None);
    let mut known = KNOWN.lock();
    let known = known.get_or_insert_default();
    if let Some(found) = known
        .get(source)
        .and_then(|list| list.iter().find(|(had, _)| *had == options))
    {
        return Ok(Arc::clone(&found.1));
    }
    let built = Arc::new(Pattern::compile(source, options)?);
    if known.len() >= PATTERNS_MAX {
        known.clear();
    }
    known
        .entry(source.to_owned())
        .or_default()
        .push((options, Arc::clone(&built)));
    Ok(built)
}

fn options_at(args: &[Value], at: usize) -> Result<Options> {
    args.get(at)
        .map_or(Ok(Options::default()), |letters| Options::parse(text(letters)?))
}

fn refuse_global(options: Options, function: &str) -> Result<Options> {
    if options.global {
        return Err(invalid(format!("{function}() does not support the \"global\" option")));
    }
    Ok(options)
}

fn matches(args: &[Value], ignore_case: bool, wanted: bool) -> Result<Value> {
    let options = Options {
        ignore_case,
        ..Options::default()
    };
    let found = pattern(text(&args[1])?, options)?.is_match(text(&args[0])?)?;
    Ok(Value::Bool(found == wanted))
}

fn regex_eq(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    matches(args, false, true)
}

fn regex_ne(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    matches(args, false, false)
}

fn iregex_eq(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    matches(args, true, true)
}

fn iregex_ne(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    matches(args, true, false)
}

fn regexp_like(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let options = refuse_global(options_at(args, 2)?, "regexp_like")?;
    pattern(text(&args[1])?, options)?.is_match(text(&args[0])?).map(Value::Bool)
}

/// `substring(text from pattern)`: the first group, or the whole match where there is none.
fn textregexsubstr(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let (subject, pattern) = (text(&args[0])?, pattern(text(&args[1])?, Options::default())?);
    let found = pattern.find(subject, 0)?;
    let place = found.and_then(|groups| groups.get(pattern.groups.min(1)).copied().flatten());
    Ok(place.map_or(Value::Null, |(start, end)| Value::text(&subject[start..end])))
}

/// `substring(text similar pattern escape e)`.
fn similar_substring(call: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let translated = super::like::similar_to_escape(call, &args[1..])?;
    textregexsubstr(call, &[args[0].clone(), translated])
}

/// What a match gives: its groups, or all of it where the pattern has none.
fn found_texts(subject: &str, groups: &Groups) -> Value {
    let places = if groups.len() > 1 { &groups[1..] } else { &groups[..] };
    let texts = places
        .iter()
        .map(|place| place.map_or(Value::Null, |(start, end)| Value::text(&subject[start..end])))
        .collect();
    Value::Array(Arc::new(Array::one(TEXT, texts)))
}

fn regexp_match(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let options = refuse_global(options_at(args, 2)?, "regexp_match")
        .map_err(|error| error.hint("Use the regexp_matches function instead."))?;
    let subject = text(&args[0])?;
    let found = pattern(text(&args[1])?, options)?.find(subject, 0)?;
    Ok(found.map_or(Value::Null, |groups| found_texts(subject, &groups)))
}

fn regexp_matches(_: &CallContext<'_>, args: &[Value]) -> Result<Box<dyn SetRows>> {
    let options = options_at(args, 2)?;
    let subject = text(&args[0])?;
    let all = pattern(
        text(&args[1])?,
        Options {
            global: false,
            ..options
        },
    )?
    .find_all(subject, 0, options.global, false)?;
    listed(all.iter().map(|groups| vec![found_texts(subject, groups)]).collect())
}

fn split(args: &[Value], function: &str) -> Result<Vec<Value>> {
    let options = refuse_global(options_at(args, 2)?, function)?;
    let subject = text(&args[0])?;
    let all = pattern(text(&args[1])?, options)?.find_all(subject, 0, true, true)?;
    let mut parts = Vec::with_capacity(all.len() + 1);
    let mut from = 0;
    for groups in &all {
        let (start, end) = whole(groups);
        parts.push(Value::text(&subject[from..start]));
        from = end;
    }
    parts.push(Value::text(&subject[from..]));
    Ok(parts)
}

fn regexp_split_to_array(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let parts = split(args, "regexp_split_to_array")?;
    Ok(Value::Array(Arc::new(Array::one(TEXT, parts))))
}

fn regexp_split_to_table(_: &CallContext<'_>, args: &[Value]) -> Result<Box<dyn SetRows>> {
    super::arguments::listed_values(split(args, "regexp_split_to_table")?)
}

/// Appends the replacement with `\1`, `\&` and `\\` filled in.
fn write_replacement(subject: &str, groups: &Groups, replacement: &str, out: &mut String) {
    let mut chars = replacement.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('&') => {
                let (start, end) = whole(groups);
                out.push_str(&subject[start..end]);
            }
            Some(digit @ '1'..='9') => {
                let at = digit.to_digit(10).map_or(0, |digit| digit as usize);
                if let Some((start, end)) = groups.get(at).copied().flatten() {
                    out.push_str(&subject[start..end]);
                }
            }
            Some('\\') | None => out.push('\\'),
            Some(other) => {
                out.push('\\');
                out.push(other);
            }
        }
    }
}

/// Replaces the `nth` match from a byte on, or all of them for 0.
fn replace(subject: &str, pattern: &Pattern, replacement: &str, from: usize, nth: usize) -> Result<Value> {
    let mut out = String::with_capacity(subject.len());
    let (mut copied, mut at, mut number) = (0, from, 0);
    while at <= subject.len() {
        let Some(groups) = pattern.find(subject, at)? else { break };
        let (start, end) = whole(&groups);
        number += 1;
        if nth == 0 || number == nth {
            out.push_str(&subject[copied..start]);
            write_replacement(subject, &groups, replacement, &mut out);
            copied = end;
            if nth > 0 {
                break;
            }
        }
        at = if start == end { next_char(subject, end) } else { end };
    }
    out.push_str(&subject[copied..]);
    Ok(Value::text(out))
}

fn regexp_replace(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let letters = args.get(3).map_or(Ok(""), text)?;
    // A number here was meant as the start of the form with more arguments.
    if letters.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(
            invalid(format!("invalid regular expression option: \"{}\"", &letters[..1])).hint(
                "If you meant to use regexp_replace() with a start parameter, cast the fourth argument to integer explicitly.",
            ),
        );
    }
    let options = Options::parse(letters)?;
    let pattern = pattern(
        text(&args[1])?,
        Options {
            global: false,
            ..options
        },
    )?;
    replace(text(&args[0])?, &pattern, text(&args[2])?, 0, usize::from(!options.global))
}

/// A positive `integer` argument, 1 where it is left out.
fn positive(args: &[Value], at: usize, name: &str) -> Result<usize> {
    let value = args.get(at).map_or(Ok(1), int4)?;
    match usize::try_from(value) {
        Ok(value) if value > 0 => Ok(value),
        _ => Err(invalid(format!("invalid value for parameter \"{name}\": {value}"))),
    }
}

/// An `integer` argument that is not negative.
fn not_negative(args: &[Value], at: usize, name: &str, default: i32) -> Result<usize> {
    let value = args.get(at).map_or(Ok(default), int4)?;
    usize::try_from(value).map_err(|_| invalid(format!("invalid value for parameter \"{name}\": {value}")))
}

/// The byte of a character place from 1; past the end for one behind it.
fn byte_of(subject: &str, place: usize) -> usize {
    subject
        .char_indices()
        .map(|(at, _)| at)
        .chain([subject.len()])
        .nth(place - 1)
        .unwrap_or(subject.len() + 1)
}

fn regexp_replace_from(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let start = positive(args, 3, "start")?;
    let options = options_at(args, 5)?;
    let nth = not_negative(args, 4, "n", i32::from(!options.global))?;
    let subject = text(&args[0])?;
    let pattern = pattern(
        text(&args[1])?,
        Options {
            global: false,
            ..options
        },
    )?;
    replace(subject, &pattern, text(&args[2])?, byte_of(subject, start), nth)
}

fn regexp_count(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let start = positive(args, 2, "start")?;
    let options = refuse_global(options_at(args, 3)?, "regexp_count")?;
    let subject = text(&args[0])?;
    let all = pattern(text(&args[1])?, options)?.find_all(subject, byte_of(subject, start), true, false)?;
    count(all.len())
}

fn regexp_instr(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let start = positive(args, 2, "start")?;
    let nth = positive(args, 3, "n")?;
    let end_option = args.get(4).map_or(Ok(0), int4)?;
    if !(0..=1).contains(&end_option) {
        return Err(invalid(format!("invalid value for parameter \"endoption\": {end_option}")));
    }
    let options = refuse_global(options_at(args, 5)?, "regexp_instr")?;
    let group = not_negative(args, 6, "subexpr", 0)?;
    let subject = text(&args[0])?;
    let all = pattern(text(&args[1])?, options)?.find_all(subject, byte_of(subject, start), true, false)?;
    let place = all.get(nth - 1).and_then(|groups| groups.get(group).copied().flatten());
    match place {
        None => Ok(Value::Int4(0)),
        Some((start, end)) => count(subject[..if end_option == 1 { end } else { start }].chars().count() + 1),
    }
}

fn regexp_substr(_: &CallContext<'_>, args: &[Value]) -> Result<Value> {
    let start = positive(args, 2, "start")?;
    let nth = positive(args, 3, "n")?;
    let options = refuse_global(options_at(args, 4)?, "regexp_substr")?;
    let group = not_negative(args, 5, "subexpr", 0)?;
    let subject = text(&args[0])?;
    let all = pattern(text(&args[1])?, options)?.find_all(subject, byte_of(subject, start), true, false)?;
    let place = all.get(nth - 1).and_then(|groups| groups.get(group).copied().flatten());
    Ok(place.map_or(Value::Null, |(start, end)| Value::text(&subject[start..end])))
}

#[rustfmt::skip]
pub const FUNCTIONS: &[Builtin] = &[
    pure(1254, "textregexeq", &[TEXT, TEXT], BOOL, regex_eq),
    pure(1256, "textregexne", &[TEXT, TEXT], BOOL, regex_ne),
    pure(1238, "texticregexeq", &[TEXT, TEXT], BOOL, iregex_eq),
    pure(1239, "texticregexne", &[TEXT, TEXT], BOOL, iregex_ne),
    pure(79, "nameregexeq", &[NAME, TEXT], BOOL, regex_eq),
    pure(1252, "nameregexne", &[NAME, TEXT], BOOL, regex_ne),
    pure(1240, "nameicregexeq", &[NAME, TEXT], BOOL, iregex_eq),
    pure(1241, "nameicregexne", &[NAME, TEXT], BOOL, iregex_ne),
    pure(1658, "bpcharregexeq", &[BPCHAR, TEXT], BOOL, regex_eq),
    pure(1659, "bpcharregexne", &[BPCHAR, TEXT], BOOL, regex_ne),
    pure(1656, "bpcharicregexeq", &[BPCHAR, TEXT], BOOL, iregex_eq),
    pure(1657, "bpcharicregexne", &[BPCHAR, TEXT], BOOL, iregex_ne),
    pure(6263, "regexp_like", &[TEXT, TEXT], BOOL, regexp_like),
    pure(6264, "regexp_like", &[TEXT, TEXT, TEXT], BOOL, regexp_like),
    pure(2073, "substring", &[TEXT, TEXT], TEXT, textregexsubstr),
    pure(2074, "substring", &[TEXT, TEXT, TEXT], TEXT, similar_substring),
    pure(3396, "regexp_match", &[TEXT, TEXT], TEXT_ARRAY, regexp_match),
    pure(3397, "regexp_match", &[TEXT, TEXT, TEXT], TEXT_ARRAY, regexp_match),
    Builtin { body: Body::Set(regexp_matches), ..pure(2763, "regexp_matches", &[TEXT, TEXT], TEXT_ARRAY, unused) },
    Builtin { body: Body::Set(regexp_matches), ..pure(2764, "regexp_matches", &[TEXT, TEXT, TEXT], TEXT_ARRAY, unused) },
    pure(2767, "regexp_split_to_array", &[TEXT, TEXT], TEXT_ARRAY, regexp_split_to_array),
    pure(2768, "regexp_split_to_array", &[TEXT, TEXT, TEXT], TEXT_ARRAY, regexp_split_to_array),
    Builtin { body: Body::Set(regexp_split_to_table), ..pure(2765, "regexp_split_to_table", &[TEXT, TEXT], TEXT, unused) },
    Builtin { body: Body::Set(regexp_split_to_table), ..pure(2766, "regexp_split_to_table", &[TEXT, TEXT, TEXT], TEXT, unused) },
    pure(2284, "regexp_replace", &[TEXT, TEXT, TEXT], TEXT, regexp_replace),
    pure(2285, "regexp_replace", &[TEXT, TEXT, TEXT, TEXT], TEXT, regexp_replace),
    pure(6253, "regexp_replace", &[TEXT, TEXT, TEXT, INT4], TEXT, regexp_replace_from),
    pure(6252, "regexp_replace", &[TEXT, TEXT, TEXT, INT4, INT4], TEXT, regexp_replace_from),
    pure(6251, "regexp_replace", &[TEXT, TEXT, TEXT, INT4, INT4, TEXT], TEXT, regexp_replace_from),
    pure(6254, "regexp_count", &[TEXT, TEXT], INT4, regexp_count),
    pure(6255, "regexp_count", &[TEXT, TEXT, INT4], INT4, regexp_count),
    pure(6256, "regexp_count", &[TEXT, TEXT, INT4, TEXT], INT4, regexp_count),
    pure(6257, "regexp_instr", &[TEXT, TEXT], INT4, regexp_instr),
    pure(6258, "regexp_instr", &[TEXT, TEXT, INT4], INT4, regexp_instr),
    pure(6259, "regexp_instr", &[TEXT, TEXT, INT4, INT4], INT4, regexp_instr),
    pure(6260, "regexp_instr", &[TEXT, TEXT, INT4, INT4, INT4], INT4, regexp_instr),
    pure(6261, "regexp_instr", &[TEXT, TEXT, INT4, INT4, INT4, TEXT], INT4, regexp_instr),
    pure(6262, "regexp_instr", &[TEXT, TEXT, INT4, INT4, INT4, TEXT, INT4], INT4, regexp_instr),
    pure(6265, "regexp_substr", &[TEXT, TEXT], TEXT, regexp_substr),
    pure(6266, "regexp_substr", &[TEXT, TEXT, INT4], TEXT, regexp_substr),
    pure(6267, "regexp_substr", &[TEXT, TEXT, INT4, INT4], TEXT, regexp_substr),
    pure(6268, "regexp_substr", &[TEXT, TEXT, INT4, INT4, TEXT], TEXT, regexp_substr),
    pure(6269, "regexp_substr", &[TEXT, TEXT, INT4, INT4, TEXT, INT4], TEXT, regexp_substr),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(subject: &str, source: &str, replacement: &str, nth: usize) -> String {
        let pattern = Pattern::compile(source, Options::default()).expect("valid");
        match replace(subject, &pattern, replacement, 0, nth).expect("works") {
            Value::Text(text) => text.to_string(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn replaces_as_postgresql() {
        assert_eq!(replaced("foobarbaz", "b..", "X", 1), "fooXbaz");
        assert_eq!(replaced("foobarbaz", "b(..)", "X\\1Y", 0), "fooXarYXazY");
        assert_eq!(replaced("abc", "", "x", 0), "xaxbxcx");
        assert_eq!(replaced("abc", "b", "x\\\\y\\z", 1), "ax\\y\\zc");
        assert_eq!(replaced("a", "(a)|(b)", "[\\2]", 1), "[]");
    }

    #[test]
    fn patterns_are_checked_as_postgresql() {
        for (source, message) in [
            ("(", "parentheses () not balanced"),
            ("a)", "parentheses () not balanced"),
            ("a**", "quantifier operand invalid"),
            ("[", "brackets [] not balanced"),
            ("*a", "quantifier operand invalid"),
            ("a{2,1}", "invalid repetition count(s)"),
            ("\\2", "invalid backreference number"),
            ("[[:foo:]]", "invalid character class"),
            ("\\", "invalid escape \\ sequence"),
            ("[b-a]", "invalid character range"),
        ] {
            let error = Pattern::compile(source, Options::default()).err().expect("invalid");
            assert_eq!(error.message(), format!("invalid regular expression: {message}"), "{source}");
        }
    }

    #[test]
    fn matches_classes_words_and_references() {
        for (subject, source, expected) in [
            ("abc", "a(?=b)", true),
            ("abab", "^(ab)\\1$", true),
            ("one two", "\\mtwo\\M", true),
            ("a\nb", "a.b", true),
            ("a\nb", "^b", false),
            ("x]", "^x[]]$", true),
            ("a-b", "^[a-]+[-b]+$", true),
            ("a{", "a{", true),
            ("ABC", "(?i)abc", true),
        ] {
            let pattern = Pattern::compile(source, Options::default()).expect("valid");
            assert_eq!(pattern.is_match(subject).expect("works"), expected, "{subject} ~ {source}");
        }
    }
}
