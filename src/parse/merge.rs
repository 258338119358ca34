//! MERGE, by PostgreSQL 15's grammar: sqlparser's parser takes no joins in USING and no DEFAULT VALUES.

use sqlparser::ast::helpers::attached_token::AttachedToken;
use sqlparser::ast::{
    Expr, Merge, MergeAction, MergeClause, MergeClauseKind, MergeInsertExpr, MergeInsertKind, MergeUpdateExpr, MergeUpdateKind,
    ObjectName, Parens, TableFactor, Values,
};
use sqlparser::keywords::Keyword;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::Token;

use super::cursor::{Cursor, PResult};

/// From MERGE to the statement's end. `INSERT DEFAULT VALUES` becomes `MergeInsertKind::Row`.
pub(crate) fn merge(p: &mut Parser) -> PResult<Merge> {
    let merge_token = AttachedToken(p.next_token());
    p.want(Keyword::INTO)?;
    let table = p.parse_table_factor()?;
    p.want(Keyword::USING)?;
    let source = p.parse_table_and_joins()?;
    let source = if source.joins.is_empty() {
        source.relation
    } else {
        TableFactor::NestedJoin {
            table_with_joins: Box::new(source),
            alias: None,
        }
    };
    p.want(Keyword::ON)?;
    let on = Box::new(p.parse_expr()?);
    let mut clauses = Vec::new();
    while p.at(Keyword::WHEN) {
        clauses.push(clause(p)?);
    }
    if clauses.is_empty() {
        return p.unexpected();
    }
    Ok(Merge {
        merge_token,
        optimizer_hints: Vec::new(),
        into: true,
        table,
        source,
        on,
        clauses,
        output: None,
    })
}

fn clause(p: &mut Parser) -> PResult<MergeClause> {
    let when_token = AttachedToken(p.next_token());
    let matched = !p.eat(Keyword::NOT);
    p.want(Keyword::MATCHED)?;
    let clause_kind = if matched {
        MergeClauseKind::Matched
    } else {
        MergeClauseKind::NotMatched
    };
    let predicate = if p.eat(Keyword::AND) { Some(p.parse_expr()?) } else { None };
    p.want(Keyword::THEN)?;
    let action = action(p, matched)?;
    Ok(MergeClause {
        when_token,
        clause_kind,
        predicate,
        action,
    })
}

fn action(p: &mut Parser, matched: bool) -> PResult<MergeAction> {
    let keyword = p.word().map(|word| word.keyword);
    match (keyword, matched) {
        (Some(Keyword::DO), _) => {
            let do_token = AttachedToken(p.next_token());
            if !p.at(Keyword::NOTHING) {
                return p.unexpected();
            }
            Ok(MergeAction::DoNothing {
                do_token,
                nothing_token: AttachedToken(p.next_token()),
            })
        }
        (Some(Keyword::DELETE), true) => Ok(MergeAction::Delete {
            delete_token: AttachedToken(p.next_token()),
        }),
        (Some(Keyword::UPDATE), true) => {
            let update_token = AttachedToken(p.next_token());
            p.want(Keyword::SET)?;
            let kind = MergeUpdateKind::Set(p.comma_list(Parser::parse_assignment)?);
            Ok(MergeAction::Update(MergeUpdateExpr {
                update_token,
                kind,
                update_predicate: None,
                delete_predicate: None,
            }))
        }
        (Some(Keyword::INSERT), false) => insert(p).map(MergeAction::Insert),
        _ => p.unexpected(),
    }
}

fn insert(p: &mut Parser) -> PResult<MergeInsertExpr> {
    let insert_token = AttachedToken(p.next_token());
    let columns: Vec<ObjectName> = if p.eat_token(&Token::LParen) {
        let columns = p.comma_list(|p| p.parse_object_name(false))?;
        p.want_token(&Token::RParen)?;
        columns
    } else {
        Vec::new()
    };
    if p.eat(Keyword::OVERRIDING) {
        return super::cursor::unsupported("OVERRIDING in MERGE");
    }
    let kind_token = AttachedToken(p.peek_token_ref().clone());
    let kind = if columns.is_empty() && p.eat(Keyword::DEFAULT) {
        p.want(Keyword::VALUES)?;
        MergeInsertKind::Row
    } else {
        p.want(Keyword::VALUES)?;
        MergeInsertKind::Values(values(p)?)
    };
    Ok(MergeInsertExpr {
        insert_token,
        columns,
        kind_token,
        kind,
        insert_predicate: None,
    })
}

/// One row, as MERGE takes no more.
fn values(p: &mut Parser) -> PResult<Values> {
    let opening_token = AttachedToken(p.peek_token_ref().clone());
    p.want_token(&Token::LParen)?;
    let content: Vec<Expr> = p.comma_list(Parser::parse_expr)?;
    let closing_token = AttachedToken(p.peek_token_ref().clone());
    p.want_token(&Token::RParen)?;
    let rows = vec![Parens {
        opening_token,
        content,
        closing_token,
    }];
    Ok(Values {
        explicit_row: false,
        value_keyword: false,
        rows,
    })
}
