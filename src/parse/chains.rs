//! Long chains of operators, told before they are parsed.
//!
//! Brackets nest by recursion, which the parser counts. A chain `a + b + c ...` nests without recursion while it is
//! parsed, but whatever walks the tree later recurses into it. AND and OR chains, which programs write by the thousand, are
//! built balanced; others end in 54001.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::error::{PgError, Result};

/// Operators in a row that the tree may nest.
const CHAIN_MAX: u32 = 2_000;
/// Terms of AND or OR from which a chain is built balanced.
pub(crate) const BALANCED_FROM: u32 = 64;

/// Terms of the longest AND or OR chain, or 0 if none is worth counting.
///
/// # Errors
/// 54001 for a chain of other operators, or of set operations, past the maximum.
pub(crate) fn longest(tokens: &[TokenWithSpan]) -> Result<u32> {
    if tokens.len() < BALANCED_FROM as usize {
        return Ok(0);
    }
    // Counts since the last separator, by bracket: operators, terms of AND and OR, set operations.
    let mut levels = vec![(0u32, 0u32, 0u32)];
    let mut longest = 0;
    for token in tokens {
        let Some(level) = levels.last_mut() else {
            return Ok(longest);
        };
        match &token.token {
            Token::LParen | Token::LBracket => levels.push((0, 0, 0)),
            Token::RParen | Token::RBracket => {
                levels.pop();
            }
            Token::Comma => *level = (0, 0, level.2),
            Token::Word(word) => match word.keyword {
                Keyword::AND | Keyword::OR => {
                    *level = (0, level.1 + 1, level.2);
                    longest = longest.max(level.1);
                }
                Keyword::UNION | Keyword::INTERSECT | Keyword::EXCEPT => *level = (0, 0, level.2 + 1),
                Keyword::SELECT | Keyword::FROM | Keyword::WHERE | Keyword::ON | Keyword::BY | Keyword::WHEN | Keyword::THEN => {
                    *level = (0, 0, level.2);
                }
                Keyword::COLLATE | Keyword::AT => level.0 += 1,
                _ => {}
            },
            Token::DoubleColon => level.0 += 1,
            token if super::infix::operator_of(token).is_some() => level.0 += 1,
            _ => {}
        }
        if levels.last().is_some_and(|level| level.0 > CHAIN_MAX || level.2 > CHAIN_MAX) {
            return Err(PgError::too_deep());
        }
    }
    Ok(longest)
}
