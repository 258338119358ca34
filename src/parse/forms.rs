//! Expressions with a syntax of their own: CAST, EXTRACT, TRIM, `CURRENT_DATE`, typed literals and the like.

use sqlparser::ast::{
    CastKind, DateTimeField, Expr, ExtractSyntax, FunctionArg, FunctionArgExpr, FunctionArgumentList, FunctionArguments, Ident,
    Interval, TrimWhereField, TypedString, Value, ValueWithSpan,
};
use sqlparser::keywords::Keyword;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Span, Token};

use super::cursor::{Cursor, PResult, unsupported};
use super::dialect::prec;
use super::expr::{call, object_name, plain_function, simple_name, string_value};
use super::keywords::Category;
use super::lexer::RESERVED_MARK;
use super::types;

/// An expression that begins with a key word and is neither a name nor a plain call; `None` if this is not one.
pub(crate) fn special(p: &mut Parser, class: Category) -> PResult<Option<Expr>> {
    let Some(word) = p.word() else {
        return Ok(None);
    };
    let keyword = word.keyword;
    let span = p.peek_token_ref().span;
    if keyword == Keyword::NoKeyword {
        return match word.value.as_str() {
            "greatest" if p.at_nth_token(1, &Token::LParen) => named_call(p, "greatest", span).map(Some),
            text if class == Category::ColumnName && text.starts_with("xml") => unsupported("XML"),
            _ => Ok(None),
        };
    }
    if let Some(expr) = value_function(p, keyword, span)? {
        return Ok(Some(expr));
    }
    if class == Category::Unreserved {
        return match keyword {
            Keyword::DOUBLE if p.at_nth(1, Keyword::PRECISION) => typed_literal(p).map(Some),
            _ => Ok(None),
        };
    }
    if is_constant_type(keyword) {
        return if begins_literal(p) {
            typed_literal(p).map(Some)
        } else {
            Ok(None)
        };
    }
    if keyword == Keyword::GROUPING && p.at_nth_text(1, "sets") {
        p.advance_token();
        p.advance_token();
        return grouping_sets(p).map(Some);
    }
    if keyword == Keyword::INTERVAL {
        return interval(p);
    }
    if keyword == Keyword::COLLATION && p.at_nth(1, Keyword::FOR) {
        p.advance_token();
        p.advance_token();
        return named_call_here(p, "pg_collation_for", span).map(Some);
    }
    if p.at_nth_token(1, &Token::LParen) {
        return parenthesized(p, keyword, span);
    }
    Ok(None)
}

/// A key word with its own syntax inside the parentheses that follow.
fn parenthesized(p: &mut Parser, keyword: Keyword, span: Span) -> PResult<Option<Expr>> {
    let expr = match keyword {
        Keyword::CAST => cast(p)?,
        Keyword::EXISTS => {
            p.advance_token();
            p.want_token(&Token::LParen)?;
            let subquery = p.query()?;
            p.want_token(&Token::RParen)?;
            Expr::Exists {
                subquery,
                negated: false,
            }
        }
        Keyword::EXTRACT => extract(p)?,
        Keyword::POSITION => position(p)?,
        Keyword::SUBSTRING => substring(p, span)?,
        Keyword::OVERLAY => overlay(p, span)?,
        Keyword::TRIM => trim(p)?,
        Keyword::NORMALIZE => normalize(p, span)?,
        Keyword::ROW => row(p)?,
        Keyword::COALESCE => named_call(p, "coalesce", span)?,
        Keyword::LEAST => named_call(p, "least", span)?,
        Keyword::NULLIF => named_call(p, "nullif", span)?,
        Keyword::GROUPING => named_call(p, "grouping", span)?,
        Keyword::TREAT => return unsupported("TREAT"),
        _ => return Ok(None),
    };
    Ok(Some(expr))
}

fn named_call(p: &mut Parser, name: &str, span: Span) -> PResult<Expr> {
    p.advance_token();
    named_call_here(p, name, span)
}

fn named_call_here(p: &mut Parser, name: &str, span: Span) -> PResult<Expr> {
    call(p, simple_name(name, span))
}

/// `CURRENT_DATE` and the other functions without parentheses, some with a precision.
fn value_function(p: &mut Parser, keyword: Keyword, span: Span) -> PResult<Option<Expr>> {
    let (name, takes_precision) = match keyword {
        Keyword::CURRENT_TIMESTAMP => ("current_timestamp", true),
        Keyword::CURRENT_TIME => ("current_time", true),
        Keyword::LOCALTIME => ("localtime", true),
        Keyword::LOCALTIMESTAMP => ("localtimestamp", true),
        Keyword::CURRENT_DATE => ("current_date", false),
        Keyword::CURRENT_ROLE => ("current_role", false),
        Keyword::CURRENT_USER => ("current_user", false),
        Keyword::SESSION_USER => ("session_user", false),
        Keyword::USER => ("user", false),
        Keyword::CURRENT_CATALOG => ("current_catalog", false),
        Keyword::CURRENT_SCHEMA if !p.at_nth_token(1, &Token::LParen) => ("current_schema", false),
        _ => return Ok(None),
    };
    p.advance_token();
    let mut args = FunctionArguments::None;
    if takes_precision && p.eat_token(&Token::LParen) {
        let span = p.peek_token_ref().span;
        let Some(digits) = p.try_number() else {
            return p.unexpected();
        };
        p.want_token(&Token::RParen)?;
        args = arguments_of(vec![Expr::Value(ValueWithSpan {
            value: Value::Number(digits, false),
            span,
        })]);
    }
    Ok(Some(Expr::Function(plain_function(simple_name(name, span), args))))
}

fn arguments_of(args: Vec<Expr>) -> FunctionArguments {
    let args = args
        .into_iter()
        .map(|arg| FunctionArg::Unnamed(FunctionArgExpr::Expr(arg)))
        .collect();
    FunctionArguments::List(FunctionArgumentList {
        duplicate_treatment: None,
        args,
        clauses: Vec::new(),
    })
}

/// Type key words that may begin a literal (`ConstTypename`).
fn is_constant_type(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::INT
            | Keyword::INTEGER
            | Keyword::SMALLINT
            | Keyword::BIGINT
            | Keyword::REAL
            | Keyword::FLOAT
            | Keyword::DECIMAL
            | Keyword::DEC
            | Keyword::NUMERIC
            | Keyword::BOOLEAN
            | Keyword::BIT
            | Keyword::CHARACTER
            | Keyword::CHAR
            | Keyword::NATIONAL
            | Keyword::NCHAR
            | Keyword::VARCHAR
            | Keyword::TIME
            | Keyword::TIMESTAMP
    )
}

/// After a type key word: whether this is a literal and not a column of that name.
fn begins_literal(p: &Parser) -> bool {
    match &p.ahead(1).token {
        Token::EscapedStringLiteral(_) | Token::LParen => true,
        Token::Word(word) => match word.keyword {
            Keyword::VARYING | Keyword::CHARACTER | Keyword::CHAR => true,
            Keyword::WITH | Keyword::WITHOUT => p.at_nth(2, Keyword::TIME),
            _ => false,
        },
        _ => false,
    }
}

fn typed_literal(p: &mut Parser) -> PResult<Expr> {
    let data_type = types::simple_type(p)?;
    Ok(Expr::TypedString(TypedString {
        data_type,
        value: string_value(p)?,
        uses_odbc_syntax: false,
    }))
}

fn field_of(keyword: Keyword) -> Option<DateTimeField> {
    Some(match keyword {
        Keyword::YEAR => DateTimeField::Year,
        Keyword::MONTH => DateTimeField::Month,
        Keyword::DAY => DateTimeField::Day,
        Keyword::HOUR => DateTimeField::Hour,
        Keyword::MINUTE => DateTimeField::Minute,
        Keyword::SECOND => DateTimeField::Second,
        _ => return None,
    })
}

/// `INTERVAL '...' [fields]` or `INTERVAL(p) '...'`; otherwise a column.
fn interval(p: &mut Parser) -> PResult<Option<Expr>> {
    match &p.ahead(1).token {
        Token::EscapedStringLiteral(_) => {}
        Token::LParen => return typed_literal(p).map(Some),
        _ => return Ok(None),
    }
    p.advance_token();
    let value = Box::new(Expr::Value(string_value(p)?));
    let mut interval = Interval {
        value,
        leading_field: None,
        leading_precision: None,
        last_field: None,
        fractional_seconds_precision: None,
    };
    let first = p.word().map(|word| word.keyword);
    let last = if p.at_nth(1, Keyword::TO) {
        p.word_at(2).map(|word| word.keyword)
    } else {
        None
    };
    if let Some(leading) = first.and_then(field_of) {
        let (_, digits) = types::interval_fields(p)?;
        interval.leading_field = Some(leading);
        interval.last_field = last.and_then(field_of);
        interval.fractional_seconds_precision = digits.and_then(|digits| digits.parse().ok());
    }
    Ok(Some(Expr::Interval(interval)))
}

/// `( set, ... )` of GROUPING SETS inside another one; a set may be GROUPING SETS, ROLLUP or CUBE again.
fn grouping_sets(p: &mut Parser) -> PResult<Expr> {
    p.want_token(&Token::LParen)?;
    let sets = p.comma_list(|p| {
        if p.at_token(&Token::LParen) && p.at_nth_token(1, &Token::RParen) {
            p.advance_token();
            p.advance_token();
            return Ok(Vec::new());
        }
        Ok(match p.parse_expr()? {
            Expr::Tuple(items) => items,
            expr => vec![expr],
        })
    })?;
    p.want_token(&Token::RParen)?;
    Ok(Expr::GroupingSets(sets))
}

fn cast(p: &mut Parser) -> PResult<Expr> {
    p.advance_token();
    p.want_token(&Token::LParen)?;
    let expr = Box::new(p.parse_expr()?);
    p.want(Keyword::AS)?;
    let data_type = p.parse_data_type()?;
    p.want_token(&Token::RParen)?;
    Ok(Expr::Cast {
        kind: CastKind::Cast,
        expr,
        data_type,
        format: None,
    })
}

fn extract(p: &mut Parser) -> PResult<Expr> {
    p.advance_token();
    p.want_token(&Token::LParen)?;
    let span = p.peek_token_ref().span;
    let text = match p.try_string() {
        Some(text) => text,
        // A key word is a field only if it is a unit of intervals.
        None => match p.word() {
            Some(word) if word.keyword == Keyword::NoKeyword || field_of(word.keyword).is_some() => p.label()?.text.to_string(),
            _ => return p.unexpected(),
        },
    };
    let field = match text.to_ascii_lowercase().as_str() {
        "year" => DateTimeField::Year,
        "month" => DateTimeField::Month,
        "day" => DateTimeField::Day,
        "hour" => DateTimeField::Hour,
        "minute" => DateTimeField::Minute,
        "second" => DateTimeField::Second,
        "century" => DateTimeField::Century,
        "decade" => DateTimeField::Decade,
        "dow" => DateTimeField::Dow,
        "doy" => DateTimeField::Doy,
        "epoch" => DateTimeField::Epoch,
        "isodow" => DateTimeField::Isodow,
        "isoyear" => DateTimeField::Isoyear,
        "julian" => DateTimeField::Julian,
        "millennium" => DateTimeField::Millennium,
        "quarter" => DateTimeField::Quarter,
        "timezone" => DateTimeField::Timezone,
        "timezone_hour" => DateTimeField::TimezoneHour,
        "timezone_minute" => DateTimeField::TimezoneMinute,
        "week" => DateTimeField::Week(None),
        _ => DateTimeField::Custom(Ident::with_span(span, text)),
    };
    p.want(Keyword::FROM)?;
    let expr = Box::new(p.parse_expr()?);
    p.want_token(&Token::RParen)?;
    Ok(Expr::Extract {
        field,
        syntax: ExtractSyntax::From,
        expr,
    })
}

fn position(p: &mut Parser) -> PResult<Expr> {
    p.advance_token();
    p.want_token(&Token::LParen)?;
    let expr = Box::new(p.parse_subexpr(prec::BETWEEN)?);
    p.want(Keyword::IN)?;
    let inside = Box::new(p.parse_subexpr(prec::BETWEEN)?);
    p.want_token(&Token::RParen)?;
    Ok(Expr::Position { expr, r#in: inside })
}

/// Back to `name (`: the rest is an ordinary call.
fn ordinary_call(p: &mut Parser, name: &str, span: Span, consumed: usize) -> PResult<Expr> {
    (0..consumed).for_each(|_| p.prev_token());
    named_call_here(p, name, span)
}

fn substring(p: &mut Parser, span: Span) -> PResult<Expr> {
    p.advance_token();
    let start = p.index();
    p.want_token(&Token::LParen)?;
    if p.at_token(&Token::RParen) {
        return ordinary_call(p, "substring", span, 1);
    }
    let expr = Box::new(p.parse_subexpr(prec::BETWEEN)?);
    if p.eat(Keyword::SIMILAR) {
        let pattern = p.parse_subexpr(prec::BETWEEN)?;
        p.want(Keyword::ESCAPE)?;
        let escape = p.parse_subexpr(prec::BETWEEN)?;
        p.want_token(&Token::RParen)?;
        let args = arguments_of(vec![*expr, pattern, escape]);
        return Ok(Expr::Function(plain_function(simple_name("substring", span), args)));
    }
    let (mut substring_from, mut substring_for) = (None, None);
    if p.at(Keyword::FROM) || p.at(Keyword::FOR) {
        loop {
            if substring_from.is_none() && p.eat(Keyword::FROM) {
                substring_from = Some(Box::new(p.parse_expr()?));
            } else if substring_for.is_none() && p.eat(Keyword::FOR) {
                substring_for = Some(Box::new(p.parse_expr()?));
            } else {
                break;
            }
        }
        p.want_token(&Token::RParen)?;
        return Ok(Expr::Substring {
            expr,
            substring_from,
            substring_for,
            special: false,
            shorthand: false,
        });
    }
    let consumed = p.index() - start;
    ordinary_call(p, "substring", span, consumed)
}

fn overlay(p: &mut Parser, span: Span) -> PResult<Expr> {
    p.advance_token();
    let start = p.index();
    p.want_token(&Token::LParen)?;
    if p.at_token(&Token::RParen) {
        return ordinary_call(p, "overlay", span, 1);
    }
    let expr = Box::new(p.parse_expr()?);
    if !p.eat(Keyword::PLACING) {
        let consumed = p.index() - start;
        return ordinary_call(p, "overlay", span, consumed);
    }
    let overlay_what = Box::new(p.parse_expr()?);
    p.want(Keyword::FROM)?;
    let overlay_from = Box::new(p.parse_expr()?);
    let overlay_for = if p.eat(Keyword::FOR) {
        Some(Box::new(p.parse_expr()?))
    } else {
        None
    };
    p.want_token(&Token::RParen)?;
    Ok(Expr::Overlay {
        expr,
        overlay_what,
        overlay_from,
        overlay_for,
    })
}

fn trim(p: &mut Parser) -> PResult<Expr> {
    p.advance_token();
    p.want_token(&Token::LParen)?;
    let trim_where = match p.word().map(|word| word.keyword) {
        Some(Keyword::BOTH) => Some(TrimWhereField::Both),
        Some(Keyword::LEADING) => Some(TrimWhereField::Leading),
        Some(Keyword::TRAILING) => Some(TrimWhereField::Trailing),
        _ => None,
    };
    if trim_where.is_some() {
        p.advance_token();
    }
    let what = if p.at(Keyword::FROM) { None } else { Some(p.parse_expr()?) };
    let (trim_what, mut list) = if p.eat(Keyword::FROM) {
        (what.map(Box::new), p.comma_list(Parser::parse_expr)?)
    } else {
        let mut list: Vec<Expr> = what.into_iter().collect();
        if p.eat_token(&Token::Comma) {
            list.extend(p.comma_list(Parser::parse_expr)?);
        }
        (None, list)
    };
    p.want_token(&Token::RParen)?;
    let expr = Box::new(list.remove(0));
    let trim_characters = if list.is_empty() { None } else { Some(list) };
    Ok(Expr::Trim {
        trim_where,
        trim_what,
        expr,
        trim_characters,
    })
}

fn normalize(p: &mut Parser, span: Span) -> PResult<Expr> {
    p.advance_token();
    p.want_token(&Token::LParen)?;
    let mut args = vec![p.parse_expr()?];
    if p.eat_token(&Token::Comma) {
        let span = p.peek_token_ref().span;
        let form = p.label()?.text.to_ascii_uppercase();
        if !matches!(form.as_str(), "NFC" | "NFD" | "NFKC" | "NFKD") {
            p.prev_token();
            return p.unexpected();
        }
        args.push(Expr::Value(ValueWithSpan {
            value: Value::SingleQuotedString(form),
            span,
        }));
    }
    p.want_token(&Token::RParen)?;
    Ok(Expr::Function(plain_function(
        simple_name("normalize", span),
        arguments_of(args),
    )))
}

/// `ROW(...)`, always a tuple, however short.
fn row(p: &mut Parser) -> PResult<Expr> {
    p.advance_token();
    p.want_token(&Token::LParen)?;
    let items = if p.at_token(&Token::RParen) {
        Vec::new()
    } else {
        p.comma_list(Parser::parse_expr)?
    };
    p.want_token(&Token::RParen)?;
    Ok(Expr::Tuple(items))
}

/// `CURRENT OF cursor` as a call of a name that no user can write.
pub(crate) fn current_of(p: &mut Parser) -> PResult<Expr> {
    let span = p.peek_token_ref().span;
    p.advance_token();
    p.advance_token();
    let cursor_span = p.peek_token_ref().span;
    let arg = if let Token::Placeholder(text) = &p.peek_token_ref().token {
        let value = Value::Placeholder(text.clone());
        p.advance_token();
        Expr::Value(ValueWithSpan {
            value,
            span: cursor_span,
        })
    } else {
        let cursor = p.column_id()?;
        Expr::Identifier(Ident::with_span(cursor_span, cursor.text.as_str()))
    };
    let name = object_name(vec![Ident::with_span(span, format!("{RESERVED_MARK}current_of"))]);
    Ok(Expr::Function(plain_function(name, arguments_of(vec![arg]))))
}
