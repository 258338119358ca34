//! The prefix forms of an expression: `c_expr` of PostgreSQL's grammar, and its prefix operators.

use sqlparser::ast::DuplicateTreatment;
use sqlparser::ast::helpers::attached_token::AttachedToken;
use sqlparser::ast::{
    AccessExpr, Array, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgOperator, FunctionArgumentClause,
    FunctionArgumentList, FunctionArguments, Ident, ObjectName, ObjectNamePart, Subscript, TypedString, UnaryOperator, Value,
    ValueWithSpan, WindowType,
};
use sqlparser::keywords::Keyword;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Span, Token};

use super::cursor::{Cursor, PResult, unsupported};
use super::dialect::prec;
use super::forms;
use super::infix::operator_name;
use super::keywords::{Category, category};
use super::types;

/// The `parse_prefix` hook.
pub(crate) fn prefix(p: &mut Parser) -> PResult<Expr> {
    let expr = primary(p)?;
    match p.peek_token_ref().token {
        // Only columns, parameters and parentheses take fields and subscripts; they have theirs by now.
        Token::LBracket => p.unexpected(),
        Token::Period if !(p.at_nth_token(1, &Token::Mul) && takes_fields(&expr)) => p.unexpected(),
        _ => Ok(expr),
    }
}

fn takes_fields(expr: &Expr) -> bool {
    match expr {
        Expr::Nested(_) | Expr::Tuple(_) | Expr::Subquery(_) | Expr::CompoundFieldAccess { .. } => true,
        Expr::Value(value) => matches!(value.value, Value::Placeholder(_)),
        _ => false,
    }
}

fn primary(p: &mut Parser) -> PResult<Expr> {
    let span = p.peek_token_ref().span;
    let value = match &p.peek_token_ref().token {
        Token::Word(_) => return word(p),
        Token::Number(text, long) => Value::Number(text.clone(), *long),
        Token::EscapedStringLiteral(text) => Value::SingleQuotedString(text.clone()),
        Token::Placeholder(text) => {
            let root = Expr::Value(ValueWithSpan {
                value: Value::Placeholder(text.clone()),
                span,
            });
            p.advance_token();
            return indirection(p, root);
        }
        Token::SingleQuotedByteStringLiteral(text) => Value::SingleQuotedByteStringLiteral(text.clone()),
        Token::HexStringLiteral(text) => Value::HexStringLiteral(text.clone()),
        Token::NationalStringLiteral(text) => Value::NationalStringLiteral(text.clone()),
        Token::LParen => return parenthesized(p),
        Token::LBracket => return p.unexpected(),
        Token::Minus => return signed(p, UnaryOperator::Minus),
        Token::Plus => return signed(p, UnaryOperator::Plus),
        token if is_prefix_operator(token) => return operator(p),
        _ => return p.unexpected(),
    };
    p.advance_token();
    Ok(Expr::Value(ValueWithSpan { value, span }))
}

fn signed(p: &mut Parser, op: UnaryOperator) -> PResult<Expr> {
    p.advance_token();
    let expr = Box::new(p.parse_subexpr(prec::SIGN)?);
    Ok(Expr::UnaryOp { op, expr })
}

/// Operators that may stand before their operand: all but those with a precedence of their own.
fn is_prefix_operator(token: &Token) -> bool {
    super::infix::operator_of(token).is_some()
        && !matches!(
            token,
            Token::Eq
                | Token::Neq
                | Token::Lt
                | Token::Gt
                | Token::LtEq
                | Token::GtEq
                | Token::Mul
                | Token::Div
                | Token::Mod
                | Token::Caret
        )
        && !matches!(token, Token::CustomBinaryOperator(text) if text == "..")
}

fn operator(p: &mut Parser) -> PResult<Expr> {
    let token = p.next_token();
    let op = match &token.token {
        Token::Tilde => UnaryOperator::BitwiseNot,
        Token::AtSign => UnaryOperator::PGAbs,
        Token::PGSquareRoot => UnaryOperator::PGSquareRoot,
        Token::PGCubeRoot => UnaryOperator::PGCubeRoot,
        Token::DoubleExclamationMark => UnaryOperator::PGPrefixFactorial,
        Token::Sharp => UnaryOperator::Hash,
        Token::AtAt => UnaryOperator::DoubleAt,
        Token::QuestionPipe => UnaryOperator::QuestionPipe,
        other => {
            let prefix = Ident::with_span(token.span, other.to_string());
            let value = Box::new(p.parse_subexpr(prec::OTHER)?);
            return Ok(Expr::Prefixed { prefix, value });
        }
    };
    let expr = Box::new(p.parse_subexpr(prec::OTHER)?);
    Ok(Expr::UnaryOp { op, expr })
}

/// Whether a query begins this far ahead.
pub(crate) fn at_query_from(p: &Parser, mut ahead: usize) -> bool {
    while p.at_nth_token(ahead, &Token::LParen) {
        ahead += 1;
    }
    p.word_at(ahead).is_some_and(|word| {
        matches!(
            word.keyword,
            Keyword::SELECT | Keyword::WITH | Keyword::VALUES | Keyword::TABLE
        )
    })
}

/// Whether the cursor (past a parenthesis) is at a query and not at an expression that begins with one.
pub(crate) fn at_sub_query(p: &Parser) -> bool {
    let mut depth = 0;
    while p.at_nth_token(depth, &Token::LParen) {
        depth += 1;
    }
    let starts = p.word_at(depth).is_some_and(|word| match word.keyword {
        Keyword::SELECT | Keyword::WITH | Keyword::TABLE => true,
        Keyword::VALUES => p.at_nth_token(depth + 1, &Token::LParen),
        _ => false,
    });
    if !starts || depth == 0 {
        return starts;
    }
    // `((SELECT 1) + 2)` is an expression, `((SELECT 1) UNION ...)` a query: what follows the inner parenthesis tells.
    let mut open = 0usize;
    let mut ahead = 0;
    loop {
        match &p.ahead(ahead).token {
            Token::LParen => open += 1,
            Token::RParen => open -= 1,
            Token::EOF => return true,
            _ => {}
        }
        ahead += 1;
        if open == 0 {
            break;
        }
    }
    match &p.ahead(ahead).token {
        Token::RParen => true,
        Token::Word(word) => matches!(
            word.keyword,
            Keyword::UNION
                | Keyword::INTERSECT
                | Keyword::EXCEPT
                | Keyword::ORDER
                | Keyword::LIMIT
                | Keyword::OFFSET
                | Keyword::FETCH
                | Keyword::FOR
        ),
        _ => false,
    }
}

/// `( query )`, `( expr )` or `( expr, expr, ... )`, with what follows.
fn parenthesized(p: &mut Parser) -> PResult<Expr> {
    p.want_token(&Token::LParen)?;
    let root = if at_sub_query(p) {
        Expr::Subquery(p.query()?)
    } else {
        let mut items = p.comma_list(row_item)?;
        match items.pop() {
            Some(one) if items.is_empty() => Expr::Nested(Box::new(one)),
            last => {
                items.extend(last);
                Expr::Tuple(items)
            }
        }
    };
    p.want_token(&Token::RParen)?;
    indirection(p, root)
}

/// An expression that may be `t.*` (in ROW and argument lists).
fn row_item(p: &mut Parser) -> PResult<Expr> {
    p.parse_expr()
}

/// `.field`, `[subscript]` and `.*` after a parameter or a parenthesis.
fn indirection(p: &mut Parser, root: Expr) -> PResult<Expr> {
    let mut chain = Vec::new();
    loop {
        if p.at_token(&Token::Period) && !p.at_nth_token(1, &Token::Mul) {
            p.advance_token();
            chain.push(AccessExpr::Dot(Expr::Identifier(label_ident(p)?)));
        } else if p.at_token(&Token::LBracket) {
            chain.push(AccessExpr::Subscript(subscript(p)?));
        } else {
            break;
        }
    }
    if chain.is_empty() {
        return Ok(root);
    }
    Ok(Expr::CompoundFieldAccess {
        root: Box::new(root),
        access_chain: chain,
    })
}

pub(crate) fn subscript(p: &mut Parser) -> PResult<Subscript> {
    p.want_token(&Token::LBracket)?;
    let at_bound = |p: &Parser| !p.at_token(&Token::Colon) && !p.at_token(&Token::RBracket);
    let lower_bound = if at_bound(p) { Some(p.parse_expr()?) } else { None };
    if !p.eat_token(&Token::Colon) {
        p.want_token(&Token::RBracket)?;
        let Some(index) = lower_bound else {
            p.prev_token();
            return p.unexpected();
        };
        return Ok(Subscript::Index { index });
    }
    let upper_bound = if at_bound(p) { Some(p.parse_expr()?) } else { None };
    p.want_token(&Token::RBracket)?;
    Ok(Subscript::Slice {
        lower_bound,
        upper_bound,
        stride: None,
    })
}

/// Any word as an `Ident`, its quotes kept.
fn label_ident(p: &mut Parser) -> PResult<Ident> {
    let token = p.peek_token_ref();
    let Token::Word(word) = &token.token else {
        return p.unexpected();
    };
    let ident = Ident {
        value: word.value.clone(),
        quote_style: word.quote_style,
        span: token.span,
    };
    p.advance_token();
    Ok(ident)
}

fn null_or_bool(p: &mut Parser, value: Value) -> Expr {
    let span = p.peek_token_ref().span;
    p.advance_token();
    Expr::Value(ValueWithSpan { value, span })
}

fn word(p: &mut Parser) -> PResult<Expr> {
    let Some(word) = p.word() else {
        return p.unexpected();
    };
    let class = category(word);
    if word.keyword == Keyword::NoKeyword && (word.quote_style.is_some() || class == Category::Unreserved) {
        return name_or_call(p);
    }
    match word.keyword {
        Keyword::NULL => return Ok(null_or_bool(p, Value::Null)),
        Keyword::TRUE => return Ok(null_or_bool(p, Value::Boolean(true))),
        Keyword::FALSE => return Ok(null_or_bool(p, Value::Boolean(false))),
        Keyword::NOT => {
            p.advance_token();
            let expr = Box::new(p.parse_subexpr(prec::NOT)?);
            return Ok(Expr::UnaryOp {
                op: UnaryOperator::Not,
                expr,
            });
        }
        Keyword::CASE => {
            p.advance_token();
            return p.parse_case_expr();
        }
        Keyword::ARRAY => return array(p),
        Keyword::DEFAULT => return Ok(Expr::Identifier(label_ident(p)?)),
        Keyword::OPERATOR if p.at_nth_token(1, &Token::LParen) => {
            let span = p.peek_token_ref().span;
            let prefix = Ident::with_span(span, format!("OPERATOR({})", operator_name(p)?.join(".")));
            let value = Box::new(p.parse_subexpr(prec::OTHER)?);
            return Ok(Expr::Prefixed { prefix, value });
        }
        Keyword::CURRENT if p.at_nth(1, Keyword::OF) => return forms::current_of(p),
        _ => {}
    }
    if let Some(special) = forms::special(p, class)? {
        return Ok(special);
    }
    match class {
        Category::Reserved => p.unexpected(),
        Category::ColumnName if p.at_nth_token(1, &Token::LParen) => {
            p.advance_token();
            p.unexpected()
        }
        Category::Unreserved | Category::ColumnName => name_or_call(p),
        // A function or a type before a string; never a column.
        Category::TypeFunction => match p.ahead(1).token {
            Token::LParen | Token::EscapedStringLiteral(_) => name_or_call(p),
            _ => {
                p.advance_token();
                p.unexpected()
            }
        },
    }
}

/// A column, a function call, or a type name before a string.
fn name_or_call(p: &mut Parser) -> PResult<Expr> {
    let first = label_ident(p)?;
    match &p.peek_token_ref().token {
        Token::LParen => return call_or_literal(p, vec![first]),
        Token::EscapedStringLiteral(_) => return typed_string(p, vec![first]),
        Token::Period | Token::LBracket => {}
        _ => return Ok(Expr::Identifier(first)),
    }
    let mut parts = vec![first];
    while p.at_token(&Token::Period) {
        if p.word_at(1).is_some() {
            p.advance_token();
            parts.push(label_ident(p)?);
        } else if p.at_nth_token(1, &Token::Mul) {
            p.advance_token();
            let star = p.next_token();
            return Ok(Expr::QualifiedWildcard(object_name(parts), AttachedToken(star)));
        } else {
            p.advance_token();
            return p.unexpected();
        }
    }
    match &p.peek_token_ref().token {
        Token::LParen => return call_or_literal(p, parts),
        Token::EscapedStringLiteral(_) => return typed_string(p, parts),
        Token::LBracket => {}
        _ => return Ok(Expr::CompoundIdentifier(parts)),
    }
    let mut parts = parts.into_iter();
    let root = Expr::Identifier(parts.next().expect("a name has a part"));
    let mut chain: Vec<AccessExpr> = parts.map(|part| AccessExpr::Dot(Expr::Identifier(part))).collect();
    match indirection(p, Expr::Value(Value::Null.with_empty_span()))? {
        Expr::CompoundFieldAccess { access_chain, .. } => chain.extend(access_chain),
        _ => return p.unexpected(),
    }
    Ok(Expr::CompoundFieldAccess {
        root: Box::new(root),
        access_chain: chain,
    })
}

pub(crate) fn object_name(parts: Vec<Ident>) -> ObjectName {
    ObjectName(parts.into_iter().map(ObjectNamePart::Identifier).collect())
}

/// The string token here as a value.
pub(crate) fn string_value(p: &mut Parser) -> PResult<ValueWithSpan> {
    let span = p.peek_token_ref().span;
    let text = p.string()?;
    Ok(ValueWithSpan {
        value: Value::SingleQuotedString(text),
        span,
    })
}

fn typed_string(p: &mut Parser, parts: Vec<Ident>) -> PResult<Expr> {
    let data_type = sqlparser::ast::DataType::Custom(object_name(parts), Vec::new());
    Ok(Expr::TypedString(TypedString {
        data_type,
        value: string_value(p)?,
        uses_odbc_syntax: false,
    }))
}

/// `name (...)`: a call, or a type with modifiers before a string (`mytype(3) 'x'`).
fn call_or_literal(p: &mut Parser, parts: Vec<Ident>) -> PResult<Expr> {
    if closes_before_string(p) {
        let back = parts.len() * 2 - 1;
        (0..back).for_each(|_| p.prev_token());
        let data_type = types::simple_type(p)?;
        return Ok(Expr::TypedString(TypedString {
            data_type,
            value: string_value(p)?,
            uses_odbc_syntax: false,
        }));
    }
    call(p, object_name(parts))
}

/// At `(`: whether a string follows the matching `)`, within a few tokens.
fn closes_before_string(p: &Parser) -> bool {
    for ahead in 1..8 {
        match &p.ahead(ahead).token {
            Token::RParen => {
                return ahead > 1 && matches!(p.ahead(ahead + 1).token, Token::EscapedStringLiteral(_));
            }
            Token::LParen | Token::EOF => return false,
            _ => {}
        }
    }
    false
}

/// A call's tail over a name: arguments, WITHIN GROUP, FILTER, OVER.
pub(crate) fn call(p: &mut Parser, name: ObjectName) -> PResult<Expr> {
    let args = FunctionArguments::List(arguments(p)?);
    call_tail(p, name, args).map(Expr::Function)
}

/// A function node without anything optional.
pub(crate) fn plain_function(name: ObjectName, args: FunctionArguments) -> Function {
    Function {
        name,
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args,
        filter: None,
        null_treatment: None,
        over: None,
        within_group: Vec::new(),
    }
}

fn call_tail(p: &mut Parser, name: ObjectName, args: FunctionArguments) -> PResult<Function> {
    let mut function = plain_function(name, args);
    if p.at(Keyword::WITHIN) && p.at_nth(1, Keyword::GROUP) {
        within_group_allowed(p, &function)?;
        p.eat_all(&[Keyword::WITHIN, Keyword::GROUP]);
        p.want_token(&Token::LParen)?;
        p.want(Keyword::ORDER)?;
        p.want(Keyword::BY)?;
        function.within_group = p.comma_list(Parser::parse_order_by_expr)?;
        p.want_token(&Token::RParen)?;
    }
    if p.at(Keyword::FILTER) && p.at_nth_token(1, &Token::LParen) {
        p.advance_token();
        p.advance_token();
        p.want(Keyword::WHERE)?;
        function.filter = Some(Box::new(p.parse_expr()?));
        p.want_token(&Token::RParen)?;
    }
    if p.at(Keyword::OVER) {
        p.advance_token();
        function.over = Some(if p.eat_token(&Token::LParen) {
            WindowType::WindowSpec(p.parse_window_spec()?)
        } else {
            let span = p.peek_token_ref().span;
            let name = p.column_id()?;
            WindowType::NamedWindow(Ident::with_span(span, name.text.as_str()))
        });
    }
    Ok(function)
}

/// WITHIN GROUP takes no ORDER BY, DISTINCT or VARIADIC in the arguments.
fn within_group_allowed(p: &Parser, function: &Function) -> PResult<()> {
    let FunctionArguments::List(list) = &function.args else {
        return Ok(());
    };
    let variadic = |arg: &FunctionArg| matches!(arg, FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Prefixed { prefix, .. })) if prefix.value == "variadic");
    let problem = if !list.clauses.is_empty() {
        "cannot use multiple ORDER BY clauses with WITHIN GROUP"
    } else if list.duplicate_treatment == Some(DuplicateTreatment::Distinct) {
        "cannot use DISTINCT with WITHIN GROUP"
    } else if list.args.iter().any(variadic) {
        "cannot use VARIADIC with WITHIN GROUP"
    } else {
        return Ok(());
    };
    Err(super::error::syntax(problem, p.here()))
}

/// `( arguments )` of a call.
fn arguments(p: &mut Parser) -> PResult<FunctionArgumentList> {
    p.want_token(&Token::LParen)?;
    let mut list = FunctionArgumentList {
        duplicate_treatment: None,
        args: Vec::new(),
        clauses: Vec::new(),
    };
    if p.eat_token(&Token::RParen) {
        return Ok(list);
    }
    if p.eat_token(&Token::Mul) {
        list.args.push(FunctionArg::Unnamed(FunctionArgExpr::Wildcard));
        p.want_token(&Token::RParen)?;
        return Ok(list);
    }
    if p.eat(Keyword::DISTINCT) {
        list.duplicate_treatment = Some(DuplicateTreatment::Distinct);
    } else if p.eat(Keyword::ALL) {
        list.duplicate_treatment = Some(DuplicateTreatment::All);
    }
    loop {
        let variadic = p.at(Keyword::VARIADIC);
        list.args.push(argument(p)?);
        if variadic || !p.eat_token(&Token::Comma) {
            break;
        }
    }
    if p.at(Keyword::ORDER) {
        p.advance_token();
        p.want(Keyword::BY)?;
        let order = p.comma_list(Parser::parse_order_by_expr)?;
        list.clauses.push(FunctionArgumentClause::OrderBy(order));
    }
    p.want_token(&Token::RParen)?;
    Ok(list)
}

fn argument(p: &mut Parser) -> PResult<FunctionArg> {
    if p.at(Keyword::VARIADIC) {
        let prefix = label_ident(p)?;
        let value = match named_argument(p)? {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Box::new(expr),
            _ => return unsupported("a named VARIADIC argument"),
        };
        return Ok(FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Prefixed { prefix, value })));
    }
    named_argument(p)
}

fn named_argument(p: &mut Parser) -> PResult<FunctionArg> {
    let operator = match p.ahead(1).token {
        Token::Assignment => Some(FunctionArgOperator::Assignment),
        Token::RArrow => Some(FunctionArgOperator::RightArrow),
        _ => None,
    };
    if let (Some(operator), true) = (operator, p.word().is_some()) {
        let name = label_ident(p)?;
        p.advance_token();
        return Ok(FunctionArg::Named {
            name,
            arg: FunctionArgExpr::Expr(p.parse_expr()?),
            operator,
        });
    }
    Ok(FunctionArg::Unnamed(match p.parse_expr()? {
        Expr::QualifiedWildcard(name, _) => FunctionArgExpr::QualifiedWildcard(name),
        expr => FunctionArgExpr::Expr(expr),
    }))
}

/// `ARRAY[...]` or `ARRAY(query)`.
fn array(p: &mut Parser) -> PResult<Expr> {
    let span = p.peek_token_ref().span;
    p.advance_token();
    if p.at_token(&Token::LBracket) {
        let root = Expr::Array(array_items(p, true)?);
        return Ok(root);
    }
    p.want_token(&Token::LParen)?;
    let query = p.query()?;
    p.want_token(&Token::RParen)?;
    let name = object_name(vec![Ident::with_span(span, "array")]);
    Ok(Expr::Function(plain_function(name, FunctionArguments::Subquery(query))))
}

fn array_items(p: &mut Parser, named: bool) -> PResult<Array> {
    p.want_token(&Token::LBracket)?;
    if p.eat_token(&Token::RBracket) {
        return Ok(Array { elem: Vec::new(), named });
    }
    let elem = p.comma_list(|p| {
        if p.at_token(&Token::LBracket) {
            array_items(p, false).map(Expr::Array)
        } else {
            p.parse_expr()
        }
    })?;
    p.want_token(&Token::RBracket)?;
    Ok(Array { elem, named })
}

/// A name of one part at a span.
pub(crate) fn simple_name(text: &str, span: Span) -> ObjectName {
    object_name(vec![Ident::with_span(span, text)])
}
