//! Type names: PostgreSQL's `Typename`, carried through sqlparser's tree as `DataType::Custom` and `DataType::Array`.

use std::fmt;

use smol_str::SmolStr;
use sqlparser::ast::{ArrayElemTypeDef, DataType, Expr, Ident, ObjectName, ObjectNamePart, TypeModifier, UnaryOperator, Value};
use sqlparser::keywords::Keyword;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Span, Token};

use super::cursor::{Cursor, PResult, position_of};
use super::keywords::{Category, category};

/// A type as named in SQL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeName {
    /// `[schema.]name`. Built-in spellings are resolved: `int` is `pg_catalog.int4`, `char` is `pg_catalog.bpchar`.
    pub names: Vec<SmolStr>,
    /// As written, without quotes; INTERVAL's are PostgreSQL's field mask and precision.
    pub modifiers: Vec<SmolStr>,
    /// Number of `[]`; any number names the same type.
    pub dimensions: u32,
    /// RETURNS SETOF.
    pub setof: bool,
    /// `table.column%TYPE`: `names` is then the column.
    pub of_column: bool,
    pub position: u32,
}

impl TypeName {
    /// The last part of the name.
    pub fn name(&self) -> &str {
        self.names.last().map_or("", SmolStr::as_str)
    }

    /// The schema, if one is given (`pg_catalog` for built-in spellings).
    pub fn schema(&self) -> Option<&str> {
        self.names.len().checked_sub(2).map(|at| self.names[at].as_str())
    }
}

/// As PostgreSQL's `TypeNameToString`.
impl fmt::Display for TypeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.names.join("."))?;
        if self.of_column {
            f.write_str("%TYPE")?;
        }
        if self.dimensions > 0 {
            f.write_str("[]")?;
        }
        Ok(())
    }
}

/// The mask that INTERVAL's typmod has for no field restriction (`INTERVAL_FULL_RANGE`).
pub const INTERVAL_FULL_RANGE: i32 = 0x7fff;

/// The type name behind a `DataType` of this floor.
pub fn type_name_of(data_type: &DataType) -> TypeName {
    match data_type {
        DataType::Array(ArrayElemTypeDef::SquareBracket(inner, _)) => {
            let mut name = type_name_of(inner);
            name.dimensions += 1;
            name
        }
        DataType::Custom(name, modifiers) => {
            let idents = || name.0.iter().filter_map(|part| part.as_ident());
            TypeName {
                names: idents().map(|ident| SmolStr::new(&ident.value)).collect(),
                modifiers: modifiers
                    .iter()
                    .map(|modifier| match modifier {
                        TypeModifier::Identifier(ident) => SmolStr::new(&ident.value),
                        TypeModifier::Number(text, _) | TypeModifier::String(text) => SmolStr::new(text),
                    })
                    .collect(),
                position: idents().next().map_or(0, |ident| position_of(ident.span)),
                ..TypeName::default()
            }
        }
        // No other form leaves this floor's parser.
        other => TypeName {
            names: vec![SmolStr::new(other.to_string().to_ascii_lowercase())],
            ..TypeName::default()
        },
    }
}

/// The `DataType` hook: a type name without SETOF, with its array brackets.
pub(crate) fn parse_data_type(p: &mut Parser) -> PResult<DataType> {
    let simple = simple_type(p)?;
    array_suffix(p, simple)
}

fn array_suffix(p: &mut Parser, mut data_type: DataType) -> PResult<DataType> {
    if p.eat(Keyword::ARRAY) {
        if p.at_token(&Token::LBracket) {
            bracket(p)?;
        }
        return Ok(array_of(data_type));
    }
    while p.at_token(&Token::LBracket) {
        bracket(p)?;
        data_type = array_of(data_type);
    }
    Ok(data_type)
}

fn array_of(data_type: DataType) -> DataType {
    DataType::Array(ArrayElemTypeDef::SquareBracket(Box::new(data_type), None))
}

/// `[]` or `[n]`; the bound means nothing, as in PostgreSQL.
fn bracket(p: &mut Parser) -> PResult<()> {
    p.want_token(&Token::LBracket)?;
    p.try_number();
    p.want_token(&Token::RBracket)
}

/// `Typename` of CREATE FUNCTION and the like: with SETOF, `%TYPE`.
pub(crate) fn parse_type_name(p: &mut Parser) -> PResult<TypeName> {
    let setof = p.eat(Keyword::SETOF);
    let position = p.here();
    let data_type = parse_data_type(p)?;
    let mut name = TypeName {
        setof,
        position,
        ..type_name_of(&data_type)
    };
    if p.at_token(&Token::Mod) && p.at_nth(1, Keyword::TYPE) {
        p.advance_token();
        p.advance_token();
        name.of_column = true;
    }
    Ok(name)
}

fn builtin(name: &str, modifiers: Vec<TypeModifier>, span: Span) -> DataType {
    let part = |text: &str| ObjectNamePart::Identifier(Ident::with_span(span, text));
    DataType::Custom(ObjectName(vec![part("pg_catalog"), part(name)]), modifiers)
}

fn number(value: i32) -> TypeModifier {
    TypeModifier::Number(value.to_string(), false)
}

/// `'(' ... ')'`, if there.
fn modifiers(p: &mut Parser) -> PResult<Vec<TypeModifier>> {
    if !p.eat_token(&Token::LParen) {
        return Ok(Vec::new());
    }
    let list = p.comma_list(|p| {
        let position = p.here();
        match p.parse_expr()? {
            Expr::Value(value) => match value.value {
                Value::Number(text, long) => Ok(TypeModifier::Number(text, long)),
                Value::SingleQuotedString(text) => Ok(TypeModifier::String(text)),
                _ => Err(super::error::syntax_error_at(position)),
            },
            Expr::UnaryOp {
                op: UnaryOperator::Minus,
                expr,
            } => Ok(TypeModifier::Number(format!("-{expr}"), false)),
            Expr::Identifier(ident) => Ok(TypeModifier::Identifier(ident)),
            _ => Err(super::error::syntax_error_at(position)),
        }
    })?;
    p.want_token(&Token::RParen)?;
    Ok(list)
}

/// `( n )` with n an integer constant, if there.
fn precision(p: &mut Parser) -> PResult<Option<TypeModifier>> {
    if !p.eat_token(&Token::LParen) {
        return Ok(None);
    }
    let Some(text) = p.try_number() else {
        return p.unexpected();
    };
    p.want_token(&Token::RParen)?;
    Ok(Some(TypeModifier::Number(text, false)))
}

/// A type without array brackets.
pub(crate) fn simple_type(p: &mut Parser) -> PResult<DataType> {
    let span = p.peek_token_ref().span;
    let Some(word) = p.word() else {
        return p.unexpected();
    };
    let keyword = word.keyword;
    let plain = |p: &mut Parser, name| {
        p.advance_token();
        Ok(builtin(name, Vec::new(), span))
    };
    match keyword {
        Keyword::INT | Keyword::INTEGER => plain(p, "int4"),
        Keyword::SMALLINT => plain(p, "int2"),
        Keyword::BIGINT => plain(p, "int8"),
        Keyword::REAL => plain(p, "float4"),
        Keyword::BOOLEAN => plain(p, "bool"),
        Keyword::DOUBLE if p.at_nth(1, Keyword::PRECISION) => {
            p.advance_token();
            plain(p, "float8")
        }
        Keyword::FLOAT => float(p, span),
        Keyword::DECIMAL | Keyword::DEC | Keyword::NUMERIC => {
            p.advance_token();
            Ok(builtin("numeric", modifiers(p)?, span))
        }
        Keyword::BIT => bit(p, span),
        Keyword::CHARACTER | Keyword::CHAR | Keyword::NATIONAL | Keyword::NCHAR | Keyword::VARCHAR => character(p, span),
        Keyword::TIME | Keyword::TIMESTAMP => datetime(p, keyword, span),
        Keyword::INTERVAL => {
            p.advance_token();
            let (mask, digits) = interval_fields(p)?;
            Ok(builtin("interval", interval_modifiers(mask, digits), span))
        }
        _ => generic(p, span),
    }
}

fn float(p: &mut Parser, span: Span) -> PResult<DataType> {
    p.advance_token();
    let at = p.here();
    let digits = match precision(p)? {
        Some(TypeModifier::Number(text, _)) => text.parse::<i64>().unwrap_or(i64::MAX),
        _ => return Ok(builtin("float8", Vec::new(), span)),
    };
    let problem = |text: &str| {
        let error = crate::error::PgError::new(crate::error::sqlstate::INVALID_PARAMETER_VALUE, text);
        Err(super::error::fail(&error.at(at + 1)))
    };
    match digits {
        ..1 => problem("precision for type float must be at least 1 bit"),
        1..=24 => Ok(builtin("float4", Vec::new(), span)),
        25..=53 => Ok(builtin("float8", Vec::new(), span)),
        _ => problem("precision for type float must be less than 54 bits"),
    }
}

fn bit(p: &mut Parser, span: Span) -> PResult<DataType> {
    p.advance_token();
    let varying = p.eat(Keyword::VARYING);
    let mut list = modifiers(p)?;
    if !varying && list.is_empty() {
        list.push(number(1));
    }
    Ok(builtin(if varying { "varbit" } else { "bit" }, list, span))
}

fn character(p: &mut Parser, span: Span) -> PResult<DataType> {
    let mut varying = p.eat(Keyword::VARCHAR);
    if !varying {
        if p.eat(Keyword::NATIONAL) {
            if !p.eat(Keyword::CHARACTER) {
                p.want(Keyword::CHAR)?;
            }
        } else {
            p.advance_token();
        }
        varying = p.eat(Keyword::VARYING);
    }
    let mut list: Vec<TypeModifier> = precision(p)?.into_iter().collect();
    if !varying && list.is_empty() {
        list.push(number(1));
    }
    Ok(builtin(if varying { "varchar" } else { "bpchar" }, list, span))
}

fn datetime(p: &mut Parser, keyword: Keyword, span: Span) -> PResult<DataType> {
    p.advance_token();
    let list = precision(p)?.into_iter().collect();
    let zone = p.at(Keyword::WITH);
    if (zone || p.at(Keyword::WITHOUT)) && p.at_nth(1, Keyword::TIME) {
        p.advance_token();
        p.advance_token();
        p.want(Keyword::ZONE)?;
    }
    let name = match (keyword, zone) {
        (Keyword::TIME, false) => "time",
        (Keyword::TIME, true) => "timetz",
        (_, false) => "timestamp",
        (_, true) => "timestamptz",
    };
    Ok(builtin(name, list, span))
}

fn interval_modifiers(mask: Option<i32>, digits: Option<String>) -> Vec<TypeModifier> {
    match (mask, digits) {
        (None, None) => Vec::new(),
        (mask, None) => vec![number(mask.unwrap_or(INTERVAL_FULL_RANGE))],
        (mask, Some(digits)) => vec![
            number(mask.unwrap_or(INTERVAL_FULL_RANGE)),
            TypeModifier::Number(digits, false),
        ],
    }
}

/// PostgreSQL's bits of the interval fields (`INTERVAL_MASK`).
fn interval_bit(keyword: Keyword) -> Option<i32> {
    match keyword {
        Keyword::YEAR => Some(1 << 2),
        Keyword::MONTH => Some(1 << 1),
        Keyword::DAY => Some(1 << 3),
        Keyword::HOUR => Some(1 << 10),
        Keyword::MINUTE => Some(1 << 11),
        Keyword::SECOND => Some(1 << 12),
        _ => None,
    }
}

/// `opt_interval` or `(p)`: the field mask and the precision.
pub(crate) fn interval_fields(p: &mut Parser) -> PResult<(Option<i32>, Option<String>)> {
    if let Some(TypeModifier::Number(digits, _)) = precision(p)? {
        return Ok((None, Some(digits)));
    }
    let Some(first) = p
        .word()
        .map(|word| word.keyword)
        .filter(|keyword| interval_bit(*keyword).is_some())
    else {
        return Ok((None, None));
    };
    p.advance_token();
    let mut last = first;
    if p.at(Keyword::TO) {
        let Some(to) = p.word_at(1).map(|word| word.keyword).filter(|to| follows(first, *to)) else {
            p.advance_token();
            return p.unexpected();
        };
        p.advance_token();
        p.advance_token();
        last = to;
    }
    let digits = match (last, p.at_token(&Token::LParen)) {
        (Keyword::SECOND, true) => match precision(p)? {
            Some(TypeModifier::Number(digits, _)) => Some(digits),
            _ => None,
        },
        _ => None,
    };
    Ok((Some(range_mask(first, last)), digits))
}

fn follows(first: Keyword, last: Keyword) -> bool {
    matches!(
        (first, last),
        (Keyword::YEAR, Keyword::MONTH)
            | (Keyword::DAY, Keyword::HOUR | Keyword::MINUTE | Keyword::SECOND)
            | (Keyword::HOUR, Keyword::MINUTE | Keyword::SECOND)
            | (Keyword::MINUTE, Keyword::SECOND)
    )
}

fn range_mask(first: Keyword, last: Keyword) -> i32 {
    const FIELDS: [Keyword; 6] = [
        Keyword::YEAR,
        Keyword::MONTH,
        Keyword::DAY,
        Keyword::HOUR,
        Keyword::MINUTE,
        Keyword::SECOND,
    ];
    let place = |keyword| FIELDS.iter().position(|field| *field == keyword).unwrap_or(0);
    FIELDS[place(first)..=place(last)]
        .iter()
        .filter_map(|field| interval_bit(*field))
        .fold(0, |mask, bit| mask | bit)
}

/// `type_function_name [attrs] [modifiers]`.
fn generic(p: &mut Parser, span: Span) -> PResult<DataType> {
    let allowed = match p.word().map(category) {
        Some(Category::Unreserved | Category::TypeFunction) => true,
        // A schema may carry a column key word's name: `ColId` before a dot never names a type alone.
        _ => false,
    };
    if !allowed {
        return p.unexpected();
    }
    let quoted = |p: &Parser| p.word().and_then(|word| word.quote_style);
    let mut parts = Vec::new();
    let style = quoted(p);
    let first = p.label()?;
    parts.push(ObjectNamePart::Identifier(Ident {
        value: first.text.to_string(),
        quote_style: style,
        span,
    }));
    while p.eat_token(&Token::Period) {
        let (span, style) = (p.peek_token_ref().span, quoted(p));
        let part = p.label()?;
        parts.push(ObjectNamePart::Identifier(Ident {
            value: part.text.to_string(),
            quote_style: style,
            span,
        }));
    }
    let list = modifiers(p)?;
    Ok(DataType::Custom(ObjectName(parts), list))
}
