//! What sqlparser accepts and PostgreSQL's grammar refuses, found in the finished tree.

use std::ops::ControlFlow;

use sqlparser::ast::{
    JoinConstraint, JoinOperator, Query, SetExpr, Spanned, Statement, TableFactor, TableWithJoins, Visit, Visitor,
};
use sqlparser::keywords::Keyword;
use sqlparser::parser::ParserError;
use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::cursor::{PResult, position_of};
use super::error::{fail, syntax};
use super::rewrite::{LockWait, SideTables};
use super::{Source, error};
use crate::error::{PgError, sqlstate};

/// Refuses a statement that PostgreSQL's grammar refuses.
pub(crate) fn check(statement: &Statement, source: &Source, side: &SideTables) -> PResult<()> {
    if let Statement::Update(update) = statement
        && let Some(join) = update.table.joins.first()
    {
        return Err(error::syntax_error_at(position_of(join.span())));
    }
    if !side.suspect {
        return Ok(());
    }
    match statement.visit(&mut Checker { source, side }) {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(()),
    }
}

/// Whether the tokens hold something that [`check`] has to look for: subqueries in FROM, WITH TIES.
pub(crate) fn is_suspect(tokens: &[TokenWithSpan]) -> bool {
    tokens.windows(2).any(|pair| match (&pair[0].token, &pair[1].token) {
        (Token::Word(word), Token::LParen) => matches!(word.keyword, Keyword::FROM | Keyword::JOIN | Keyword::LATERAL),
        (Token::Comma | Token::LParen, Token::LParen) => true,
        (Token::Word(join), _) if join.keyword == Keyword::JOIN => true,
        (Token::Word(with), Token::Word(ties)) => with.keyword == Keyword::WITH && ties.keyword == Keyword::TIES,
        _ => false,
    })
}

struct Checker<'a> {
    source: &'a Source<'a>,
    side: &'a SideTables,
}

impl Visitor for Checker<'_> {
    type Break = ParserError;

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<ParserError> {
        if let SetExpr::Select(select) = query.body.as_ref() {
            for table in &select.from {
                Self::joins(table)?;
            }
        }
        if !query.fetch.as_ref().is_some_and(|fetch| fetch.with_ties) {
            return ControlFlow::Continue(());
        }
        if query.order_by.is_none() {
            return ControlFlow::Break(syntax("WITH TIES cannot be specified without ORDER BY clause", 0));
        }
        if self.side.locking_of(query).iter().any(|clause| clause.wait == LockWait::Skip) {
            return ControlFlow::Break(syntax("SKIP LOCKED and WITH TIES options cannot be used together", 0));
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<ParserError> {
        let TableFactor::Derived {
            subquery, alias: None, ..
        } = factor
        else {
            return ControlFlow::Continue(());
        };
        let kind = if matches!(*subquery.body, SetExpr::Values(_)) {
            "VALUES"
        } else {
            "subquery"
        };
        let form = if kind == "VALUES" { "VALUES" } else { "SELECT" };
        let error = PgError::new(sqlstate::SYNTAX_ERROR, format!("{kind} in FROM must have an alias"))
            .hint(format!("For example, FROM ({form} ...) [AS] foo."))
            .at(self.opening(subquery));
        ControlFlow::Break(fail(&error))
    }
}

impl Checker<'_> {
    /// Every join but CROSS and NATURAL has a condition.
    fn joins(table: &TableWithJoins) -> ControlFlow<ParserError> {
        for join in &table.joins {
            let bare = matches!(
                join.join_operator,
                JoinOperator::Join(JoinConstraint::None)
                    | JoinOperator::Inner(JoinConstraint::None)
                    | JoinOperator::Left(JoinConstraint::None)
                    | JoinOperator::LeftOuter(JoinConstraint::None)
                    | JoinOperator::Right(JoinConstraint::None)
                    | JoinOperator::RightOuter(JoinConstraint::None)
                    | JoinOperator::FullOuter(JoinConstraint::None)
            );
            if bare {
                let end = u32::try_from(join.relation.span().end.column).unwrap_or(0);
                return ControlFlow::Break(error::syntax_error_at(end));
            }
            if let TableFactor::NestedJoin { table_with_joins, .. } = &join.relation {
                Self::joins(table_with_joins)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Position of the parenthesis before a subquery.
    fn opening(&self, subquery: &Query) -> u32 {
        let start = match subquery.body.as_ref() {
            SetExpr::Values(values) => values.rows.first().map_or(0, |row| position_of(row.opening_token.0.span)),
            _ => position_of(subquery.span()),
        };
        let before = self.source.slice(1, start);
        match before.rfind('(') {
            Some(at) => u32::try_from(before[..at].chars().count()).unwrap_or(0) + 1,
            None => 0,
        }
    }
}
