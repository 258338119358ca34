//! Infix forms that sqlparser lacks or reads another way. What it reads as PostgreSQL does is left to it.

use sqlparser::ast::{BinaryOperator, Expr};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;

use super::cursor::{Cursor, PResult};
use super::dialect::{is_comparison, prec};

/// The `parse_infix` hook; `None` leaves the operator to sqlparser. `left` is cloned only for rare forms, since a chain
/// would make that quadratic.
pub(crate) fn infix(p: &mut Parser, left: &Expr, precedence: u8) -> Option<Result<Expr, ParserError>> {
    let token = p.peek_token_ref();
    if let Token::Word(word) = &token.token {
        return match word.keyword {
            Keyword::AND | Keyword::OR | Keyword::COLLATE | Keyword::AT => None,
            Keyword::OVERLAPS => Some(overlaps(p, left)),
            Keyword::OPERATOR => Some(named_operator(p, left)),
            Keyword::IS => is_forms(p, left),
            Keyword::NOT | Keyword::IN | Keyword::BETWEEN | Keyword::LIKE | Keyword::ILIKE | Keyword::SIMILAR => tests(p, left),
            _ => Some(null_test(p, left)),
        };
    }
    if precedence == prec::COMPARE && matches!(left, Expr::BinaryOp { op, .. } if is_comparison(op)) {
        return Some(p.unexpected());
    }
    let quantified = p
        .word_at(1)
        .is_some_and(|word| matches!(word.keyword, Keyword::ANY | Keyword::SOME | Keyword::ALL))
        && p.at_nth_token(2, &Token::LParen);
    if quantified {
        let op = operator_of(&token.token)?;
        p.advance_token();
        return Some(quantify(p, left, op));
    }
    // Those that sqlparser's default knows for its own PostgreSQL dialect only.
    let op = match &token.token {
        Token::Caret
        | Token::Sharp
        | Token::Overlap
        | Token::CaretAt
        | Token::AtSign
        | Token::PGSquareRoot
        | Token::PGCubeRoot
        | Token::DoubleExclamationMark => operator_of(&token.token)?,
        _ => return None,
    };
    p.advance_token();
    Some(p.parse_subexpr(precedence).map(|right| Expr::BinaryOp {
        left: Box::new(left.clone()),
        op,
        right: Box::new(right),
    }))
}

/// A whole chain of AND or OR at once, as a balanced tree: the operators are associative.
pub(crate) fn balanced(p: &mut Parser, left: &Expr, precedence: u8) -> Result<Expr, ParserError> {
    let (keyword, op) = match precedence {
        prec::AND => (Keyword::AND, BinaryOperator::And),
        _ => (Keyword::OR, BinaryOperator::Or),
    };
    let mut terms = vec![left.clone()];
    while p.eat(keyword) {
        terms.push(p.parse_subexpr(precedence)?);
    }
    while terms.len() > 1 {
        let mut pairs = Vec::with_capacity(terms.len().div_ceil(2));
        let mut rest = terms.into_iter();
        while let Some(left) = rest.next() {
            pairs.push(match rest.next() {
                Some(right) => Expr::BinaryOp {
                    left: Box::new(left),
                    op: op.clone(),
                    right: Box::new(right),
                },
                None => left,
            });
        }
        terms = pairs;
    }
    Ok(terms.remove(0))
}

/// The tree's operator for a token.
pub(crate) fn operator_of(token: &Token) -> Option<BinaryOperator> {
    Some(match token {
        Token::Eq => BinaryOperator::Eq,
        Token::Neq => BinaryOperator::NotEq,
        Token::Lt => BinaryOperator::Lt,
        Token::LtEq => BinaryOperator::LtEq,
        Token::Gt => BinaryOperator::Gt,
        Token::GtEq => BinaryOperator::GtEq,
        Token::Plus => BinaryOperator::Plus,
        Token::Minus => BinaryOperator::Minus,
        Token::Mul => BinaryOperator::Multiply,
        Token::Div => BinaryOperator::Divide,
        Token::Mod => BinaryOperator::Modulo,
        Token::StringConcat => BinaryOperator::StringConcat,
        Token::Pipe => BinaryOperator::BitwiseOr,
        Token::Ampersand => BinaryOperator::BitwiseAnd,
        Token::Caret => BinaryOperator::PGExp,
        Token::Sharp => BinaryOperator::PGBitwiseXor,
        Token::ShiftLeft => BinaryOperator::PGBitwiseShiftLeft,
        Token::ShiftRight => BinaryOperator::PGBitwiseShiftRight,
        Token::Overlap => BinaryOperator::PGOverlap,
        Token::CaretAt => BinaryOperator::PGStartsWith,
        Token::Tilde => BinaryOperator::PGRegexMatch,
        Token::TildeAsterisk => BinaryOperator::PGRegexIMatch,
        Token::ExclamationMarkTilde => BinaryOperator::PGRegexNotMatch,
        Token::ExclamationMarkTildeAsterisk => BinaryOperator::PGRegexNotIMatch,
        Token::DoubleTilde => BinaryOperator::PGLikeMatch,
        Token::DoubleTildeAsterisk => BinaryOperator::PGILikeMatch,
        Token::ExclamationMarkDoubleTilde => BinaryOperator::PGNotLikeMatch,
        Token::ExclamationMarkDoubleTildeAsterisk => BinaryOperator::PGNotILikeMatch,
        Token::Arrow => BinaryOperator::Arrow,
        Token::LongArrow => BinaryOperator::LongArrow,
        Token::HashArrow => BinaryOperator::HashArrow,
        Token::HashLongArrow => BinaryOperator::HashLongArrow,
        Token::AtArrow => BinaryOperator::AtArrow,
        Token::ArrowAt => BinaryOperator::ArrowAt,
        Token::HashMinus => BinaryOperator::HashMinus,
        Token::AtQuestion => BinaryOperator::AtQuestion,
        Token::AtAt => BinaryOperator::AtAt,
        Token::Question => BinaryOperator::Question,
        Token::QuestionAnd => BinaryOperator::QuestionAnd,
        Token::QuestionPipe => BinaryOperator::QuestionPipe,
        Token::CustomBinaryOperator(text) => BinaryOperator::Custom(text.clone()),
        Token::AtSign | Token::PGSquareRoot | Token::PGCubeRoot | Token::DoubleExclamationMark => {
            BinaryOperator::Custom(token.to_string())
        }
        _ => return None,
    })
}

/// `left op ANY|SOME|ALL (...)`, from the key word on.
fn quantify(p: &mut Parser, left: &Expr, compare_op: BinaryOperator) -> PResult<Expr> {
    let keyword = p.word().map_or(Keyword::ANY, |word| word.keyword);
    p.advance_token();
    p.want_token(&Token::LParen)?;
    let right = if super::expr::at_sub_query(p) {
        Expr::Subquery(p.query()?)
    } else {
        p.parse_expr()?
    };
    p.want_token(&Token::RParen)?;
    let (left, right) = (Box::new(left.clone()), Box::new(right));
    Ok(match keyword {
        Keyword::ALL => Expr::AllOp { left, compare_op, right },
        _ => Expr::AnyOp {
            left,
            compare_op,
            right,
            is_some: keyword == Keyword::SOME,
        },
    })
}

/// `OPERATOR([schema.]op)`: the parts of the name, cursor past the parenthesis.
pub(crate) fn operator_name(p: &mut Parser) -> PResult<Vec<String>> {
    p.want(Keyword::OPERATOR)?;
    p.want_token(&Token::LParen)?;
    let mut parts = Vec::new();
    while p.word().is_some() {
        parts.push(p.column_id()?.text.to_string());
        p.want_token(&Token::Period)?;
    }
    if operator_of(&p.peek_token_ref().token).is_none() {
        return p.unexpected();
    }
    parts.push(p.next_token().token.to_string());
    p.want_token(&Token::RParen)?;
    Ok(parts)
}

fn named_operator(p: &mut Parser, left: &Expr) -> PResult<Expr> {
    let op = BinaryOperator::PGCustomBinaryOperator(operator_name(p)?);
    let quantified = p
        .word()
        .is_some_and(|w| matches!(w.keyword, Keyword::ANY | Keyword::SOME | Keyword::ALL));
    if quantified && p.at_nth_token(1, &Token::LParen) {
        return quantify(p, left, op);
    }
    let right = p.parse_subexpr(prec::OTHER)?;
    Ok(Expr::BinaryOp {
        left: Box::new(left.clone()),
        op,
        right: Box::new(right),
    })
}

fn overlaps(p: &mut Parser, left: &Expr) -> PResult<Expr> {
    if !matches!(left, Expr::Tuple(_)) {
        return p.unexpected();
    }
    p.advance_token();
    let right = p.parse_subexpr(prec::BETWEEN)?;
    Ok(Expr::BinaryOp {
        left: Box::new(left.clone()),
        op: BinaryOperator::Overlaps,
        right: Box::new(right),
    })
}

/// Results of the level of IS, which does not chain.
fn is_null_test(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::IsNull(_)
            | Expr::IsNotNull(_)
            | Expr::IsTrue(_)
            | Expr::IsNotTrue(_)
            | Expr::IsFalse(_)
            | Expr::IsNotFalse(_)
            | Expr::IsUnknown(_)
            | Expr::IsNotUnknown(_)
            | Expr::IsDistinctFrom(..)
            | Expr::IsNotDistinctFrom(..)
            | Expr::IsNormalized { .. }
    )
}

fn is_forms(p: &mut Parser, left: &Expr) -> Option<PResult<Expr>> {
    if is_null_test(left) {
        return Some(p.unexpected());
    }
    // IS JSON is younger than PostgreSQL 15.
    let after = if p.at_nth(1, Keyword::NOT) { 2 } else { 1 };
    let form = p.word_at(after).map(|word| word.value.as_str());
    match form {
        Some("null" | "true" | "false" | "unknown" | "distinct" | "normalized" | "nfc" | "nfd" | "nfkc" | "nfkd") => None,
        Some("document") => Some(super::cursor::unsupported("XML")),
        _ => {
            (0..after).for_each(|_| p.advance_token());
            Some(p.unexpected())
        }
    }
}

/// ISNULL, NOTNULL.
fn null_test(p: &mut Parser, left: &Expr) -> PResult<Expr> {
    if is_null_test(left) {
        return p.unexpected();
    }
    let negated = p.at(Keyword::NOTNULL);
    p.advance_token();
    let left = Box::new(left.clone());
    Ok(if negated { Expr::IsNotNull(left) } else { Expr::IsNull(left) })
}

/// `[NOT] IN|BETWEEN|LIKE|ILIKE|SIMILAR`, which do not chain.
fn tests(p: &mut Parser, left: &Expr) -> Option<PResult<Expr>> {
    let chained = matches!(
        left,
        Expr::In { .. } | Expr::Between { .. } | Expr::Like { .. } | Expr::ILike { .. } | Expr::SimilarTo { .. }
    );
    if chained {
        return Some(p.unexpected());
    }
    let negated = p.at(Keyword::NOT);
    let at = usize::from(negated);
    let (first, second) = (p.word_at(at)?.keyword, p.word_at(at + 1).map(|word| word.keyword));
    match (first, second) {
        (Keyword::BETWEEN, Some(Keyword::SYMMETRIC | Keyword::ASYMMETRIC)) => {
            (0..at + 2).for_each(|_| p.advance_token());
            Some(between(p, left, negated, second == Some(Keyword::SYMMETRIC)))
        }
        (Keyword::LIKE | Keyword::ILIKE, Some(Keyword::ANY | Keyword::SOME | Keyword::ALL))
            if p.at_nth_token(at + 2, &Token::LParen) =>
        {
            let op = match (first, negated) {
                (Keyword::LIKE, false) => BinaryOperator::PGLikeMatch,
                (Keyword::LIKE, true) => BinaryOperator::PGNotLikeMatch,
                (_, false) => BinaryOperator::PGILikeMatch,
                (_, true) => BinaryOperator::PGNotILikeMatch,
            };
            (0..=at).for_each(|_| p.advance_token());
            Some(quantify(p, left, op))
        }
        _ => None,
    }
}

/// After `[NOT] BETWEEN [A]SYMMETRIC`. The symmetric form is spelled out, as PostgreSQL's `transformAExprBetween` does.
fn between(p: &mut Parser, left: &Expr, negated: bool, symmetric: bool) -> PResult<Expr> {
    let low = p.parse_subexpr(prec::BETWEEN)?;
    p.want(Keyword::AND)?;
    let high = p.parse_subexpr(prec::BETWEEN)?;
    let one = |low: &Expr, high: &Expr| Expr::Between {
        expr: Box::new(left.clone()),
        negated,
        low: Box::new(low.clone()),
        high: Box::new(high.clone()),
    };
    if !symmetric {
        return Ok(one(&low, &high));
    }
    let op = if negated { BinaryOperator::And } else { BinaryOperator::Or };
    let (left, right) = (Box::new(one(&low, &high)), Box::new(one(&high, &low)));
    Ok(Expr::Nested(Box::new(Expr::BinaryOp { left, op, right })))
}
