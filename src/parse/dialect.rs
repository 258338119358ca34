//! The dialect: PostgreSQL's precedence (docs, table 4.2), its non-associative operators, and which word may stand where.

use std::cell::Cell;

use sqlparser::ast::{BinaryOperator, DataType, Expr};
use sqlparser::dialect::{Dialect, Precedence};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, Word};

use super::chains::BALANCED_FROM;
use super::cursor::Cursor;
use super::keywords::{Category, category_of, is_bare_label};
use super::{expr, infix, types};

pub(crate) mod prec {
    pub const OR: u8 = 10;
    pub const AND: u8 = 20;
    pub const NOT: u8 = 30;
    pub const IS: u8 = 40;
    pub const COMPARE: u8 = 50;
    pub const BETWEEN: u8 = 60;
    pub const OTHER: u8 = 70;
    pub const ADD: u8 = 80;
    pub const MULTIPLY: u8 = 90;
    pub const POWER: u8 = 100;
    pub const AT: u8 = 110;
    pub const COLLATE: u8 = 120;
    pub const SIGN: u8 = 130;
    pub const CAST: u8 = 140;
    pub const PERIOD: u8 = 200;
}

/// PostgreSQL as sqlparser's hooks see it, for one parse.
#[derive(Debug, Default)]
pub(crate) struct HoldfastDialect {
    /// Whether AND and OR chains are built balanced.
    balanced: bool,
    /// Inside a `b_expr` (a column's DEFAULT), outside of its parentheses: no boolean operators, tests, AT or COLLATE.
    restricted: Cell<bool>,
}

impl HoldfastDialect {
    /// For a statement whose longest AND or OR chain has so many terms.
    pub(crate) fn for_chains(longest: u32) -> Self {
        HoldfastDialect {
            balanced: longest >= BALANCED_FROM,
            restricted: Cell::new(false),
        }
    }

    /// Runs a parser under the rules of `b_expr`.
    pub(crate) fn restricted<T>(&self, parse: impl FnOnce() -> T) -> T {
        let before = self.restricted.replace(true);
        let result = parse();
        self.restricted.set(before);
        result
    }
}

/// How strongly the next token binds what stands left of it; 0 ends the expression.
pub(crate) fn next_precedence(p: &Parser) -> u8 {
    match &p.peek_token_ref().token {
        Token::Word(word) => word_precedence(p, word),
        Token::Eq | Token::Lt | Token::Gt | Token::LtEq | Token::GtEq | Token::Neq => prec::COMPARE,
        Token::Plus | Token::Minus => prec::ADD,
        Token::Mul | Token::Div | Token::Mod => prec::MULTIPLY,
        Token::Caret => prec::POWER,
        Token::DoubleColon => prec::CAST,
        Token::EOF
        | Token::Comma
        | Token::LParen
        | Token::RParen
        | Token::SemiColon
        | Token::Colon
        | Token::Assignment
        | Token::RArrow
        | Token::LBracket
        | Token::RBracket
        | Token::Period
        | Token::Number(..)
        | Token::EscapedStringLiteral(_)
        | Token::Placeholder(_)
        | Token::SingleQuotedByteStringLiteral(_)
        | Token::NationalStringLiteral(_)
        | Token::HexStringLiteral(_)
        | Token::Char(_) => 0,
        Token::CustomBinaryOperator(text) if text == ".." => 0,
        _ => prec::OTHER,
    }
}

fn word_precedence(p: &Parser, word: &Word) -> u8 {
    match word.keyword {
        Keyword::OR => prec::OR,
        Keyword::AND => prec::AND,
        Keyword::IS | Keyword::NOTNULL => prec::IS,
        Keyword::IN | Keyword::BETWEEN | Keyword::LIKE | Keyword::ILIKE | Keyword::SIMILAR | Keyword::OVERLAPS => prec::BETWEEN,
        Keyword::NOT => match p.word_at(1).map(|word| word.keyword) {
            Some(Keyword::IN | Keyword::BETWEEN | Keyword::LIKE | Keyword::ILIKE | Keyword::SIMILAR) => prec::BETWEEN,
            _ => 0,
        },
        Keyword::OPERATOR if p.at_nth_token(1, &Token::LParen) => prec::OTHER,
        Keyword::AT if p.at_nth(1, Keyword::TIME) => prec::AT,
        Keyword::COLLATE => prec::COLLATE,
        Keyword::NoKeyword if word.quote_style.is_none() && word.value == "isnull" => prec::IS,
        _ => 0,
    }
}

/// Whether an operator belongs to `a_expr` only.
fn is_outside_b_expr(p: &Parser, precedence: u8) -> bool {
    match precedence {
        prec::OR | prec::AND | prec::BETWEEN | prec::AT | prec::COLLATE => true,
        // IS DISTINCT FROM is the one test that `b_expr` has.
        prec::IS => {
            !p.at(Keyword::IS) || !(p.at_nth(1, Keyword::DISTINCT) || p.at_nth(1, Keyword::NOT) && p.at_nth(2, Keyword::DISTINCT))
        }
        _ => false,
    }
}

/// Operators of the non-associative comparison level.
pub(crate) fn is_comparison(op: &BinaryOperator) -> bool {
    matches!(
        op,
        BinaryOperator::Eq
            | BinaryOperator::NotEq
            | BinaryOperator::Lt
            | BinaryOperator::LtEq
            | BinaryOperator::Gt
            | BinaryOperator::GtEq
    )
}

impl Dialect for HoldfastDialect {
    fn identifier_quote_style(&self, _identifier: &str) -> Option<char> {
        Some('"')
    }

    fn is_delimited_identifier_start(&self, ch: char) -> bool {
        ch == '"'
    }

    fn is_identifier_start(&self, ch: char) -> bool {
        ch.is_alphabetic() || ch == '_' || !ch.is_ascii()
    }

    fn is_identifier_part(&self, ch: char) -> bool {
        ch.is_alphanumeric() || ch == '_' || ch == '$' || !ch.is_ascii()
    }

    fn get_next_precedence(&self, parser: &Parser) -> Option<Result<u8, ParserError>> {
        let precedence = next_precedence(parser);
        if self.restricted.get() && is_outside_b_expr(parser, precedence) {
            return Some(Ok(0));
        }
        Some(Ok(precedence))
    }

    fn parse_prefix(&self, parser: &mut Parser) -> Option<Result<Expr, ParserError>> {
        // What is nested in a restricted expression is free again.
        let before = self.restricted.replace(false);
        let result = expr::prefix(parser);
        self.restricted.set(before);
        Some(result)
    }

    fn parse_infix(&self, parser: &mut Parser, left: &Expr, precedence: u8) -> Option<Result<Expr, ParserError>> {
        if self.balanced && (precedence == prec::AND || precedence == prec::OR) {
            return Some(infix::balanced(parser, left, precedence));
        }
        infix::infix(parser, left, precedence)
    }

    fn parse_data_type(&self, parser: &mut Parser) -> Option<Result<DataType, ParserError>> {
        Some(types::parse_data_type(parser))
    }

    fn prec_value(&self, precedence: Precedence) -> u8 {
        match precedence {
            Precedence::Period => prec::PERIOD,
            Precedence::DoubleColon => prec::CAST,
            Precedence::AtTz => prec::AT,
            Precedence::MulDivModOp => prec::MULTIPLY,
            Precedence::PlusMinus => prec::ADD,
            Precedence::Caret => prec::POWER,
            Precedence::Xor | Precedence::Ampersand | Precedence::Pipe | Precedence::Colon | Precedence::PgOther => prec::OTHER,
            Precedence::Between | Precedence::Like => prec::BETWEEN,
            Precedence::Eq => prec::COMPARE,
            Precedence::Is => prec::IS,
            Precedence::UnaryNot => prec::NOT,
            Precedence::And => prec::AND,
            Precedence::Or => prec::OR,
        }
    }

    fn is_select_item_alias(&self, explicit: bool, kw: &Keyword, _parser: &mut Parser) -> bool {
        explicit || is_bare_label(*kw)
    }

    fn is_column_alias(&self, kw: &Keyword, _parser: &mut Parser) -> bool {
        is_bare_label(*kw)
    }

    /// The word is read already: a function's name must have its parenthesis next.
    fn is_table_factor(&self, kw: &Keyword, parser: &mut Parser) -> bool {
        match category_of(*kw) {
            Category::Unreserved | Category::ColumnName => true,
            Category::TypeFunction => parser.at_token(&Token::LParen),
            Category::Reserved => false,
        }
    }

    fn is_table_alias(&self, kw: &Keyword, _parser: &mut Parser) -> bool {
        // `UPDATE t SET`: SET could name an alias, but PostgreSQL's grammar decides against it.
        *kw != Keyword::SET && matches!(category_of(*kw), Category::Unreserved | Category::ColumnName)
    }

    fn is_table_factor_alias(&self, _explicit: bool, kw: &Keyword, parser: &mut Parser) -> bool {
        self.is_table_alias(kw, parser)
    }

    fn is_reserved_for_identifier(&self, kw: Keyword) -> bool {
        category_of(kw) == Category::Reserved
    }

    fn supports_string_literal_column_alias(&self, _explicit: bool) -> bool {
        false
    }

    fn supports_string_literal_table_alias(&self, _explicit: bool) -> bool {
        false
    }

    fn supports_cte_materialization(&self) -> bool {
        true
    }

    fn supports_filter_during_aggregation(&self) -> bool {
        true
    }

    fn supports_group_by_expr(&self) -> bool {
        true
    }

    fn supports_empty_projections(&self) -> bool {
        true
    }

    fn supports_select_expr_star(&self) -> bool {
        true
    }

    fn supports_named_fn_args_with_assignment_operator(&self) -> bool {
        true
    }

    fn supports_named_fn_args_with_rarrow_operator(&self) -> bool {
        true
    }

    fn supports_insert_table_alias(&self) -> bool {
        true
    }

    fn supports_order_by_using_operator(&self) -> bool {
        true
    }

    fn supports_table_inheritance_markers(&self) -> bool {
        true
    }

    fn supports_bitwise_shift_operators(&self) -> bool {
        true
    }

    fn supports_comparison_in_between_low_bound(&self) -> bool {
        true
    }

    fn supports_left_associative_joins_without_parens(&self) -> bool {
        false
    }

    fn supports_window_clause_named_window_reference(&self) -> bool {
        false
    }

    fn supports_array_typedef_with_brackets(&self) -> bool {
        true
    }
}
