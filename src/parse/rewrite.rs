//! The token pass: forms that neither sqlparser nor a hook of the dialect can read, put aside before parsing.
//!
//! Each is replaced by tokens that sqlparser takes, with a reserved name (it starts with U+0001) that carries an index
//! into [`SideTables`].

use sqlparser::ast::{Expr, ObjectName, Query, Subscript};
use sqlparser::dialect::Dialect;
use sqlparser::keywords::Keyword;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Span, Token, TokenWithSpan, Word};

use super::cursor::{Cursor, PResult, unsupported};
use super::keywords::{Category, category};
use super::lexer::RESERVED_MARK;
use super::names::{Name, QName};

/// Strength of a locking clause, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LockStrength {
    KeyShare,
    Share,
    NoKeyUpdate,
    Update,
}

impl LockStrength {
    /// As PostgreSQL's messages spell it: `FOR UPDATE`.
    pub fn as_str(self) -> &'static str {
        match self {
            LockStrength::KeyShare => "FOR KEY SHARE",
            LockStrength::Share => "FOR SHARE",
            LockStrength::NoKeyUpdate => "FOR NO KEY UPDATE",
            LockStrength::Update => "FOR UPDATE",
        }
    }
}

/// What a locking clause does about a lock that another holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockWait {
    Block,
    Skip,
    NoWait,
}

/// One locking clause of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockingClause {
    pub strength: LockStrength,
    /// Names after OF; empty: all.
    pub of: Vec<QName>,
    pub wait: LockWait,
    /// Of FOR.
    pub position: u32,
}

/// An element of an index, or of ON CONFLICT's inference.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexElement {
    pub expr: Expr,
    pub collation: Option<QName>,
    pub opclass: Option<QName>,
    /// Whether `opclass (option = ...)` had options.
    pub opclass_options: bool,
    pub descending: bool,
    pub nulls_first: Option<bool>,
    pub position: u32,
}

/// What an INSERT's column or an assignment's target is, when it is not a plain name.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetElement {
    pub column: Name,
    pub indirection: Vec<TargetStep>,
}

#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // a handful per statement
pub enum TargetStep {
    Field(Name),
    Subscript(Subscript),
}

/// What the token pass put aside, by index.
#[derive(Clone, Debug, Default)]
pub struct SideTables {
    pub(crate) locking: Vec<Vec<LockingClause>>,
    pub(crate) conflicts: Vec<Vec<IndexElement>>,
    pub(crate) targets: Vec<TargetElement>,
    /// Whether the finished tree needs `check`.
    pub(crate) suspect: bool,
}

/// A kind of reserved name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Lock,
    Conflict,
    Target,
}

impl Mark {
    fn text(self) -> &'static str {
        match self {
            Mark::Lock => "lock",
            Mark::Conflict => "conflict",
            Mark::Target => "target",
        }
    }

    fn name(self, index: usize) -> String {
        format!("{RESERVED_MARK}{}:{index}", self.text())
    }

    /// The index that a reserved name of this kind carries.
    pub(crate) fn index_of(self, name: &str) -> Option<usize> {
        name.strip_prefix(RESERVED_MARK)?
            .strip_prefix(self.text())?
            .strip_prefix(':')?
            .parse()
            .ok()
    }
}

/// The reserved function name that stands for ROWS FROM.
pub const ROWS_FROM: &str = "\u{1}rows_from";
/// The reserved alias of a column definition list without an alias of its own.
pub const NO_ALIAS: &str = "\u{1}no_alias";

impl SideTables {
    /// Number of queries with locking clauses.
    #[cfg(test)]
    pub(crate) fn locking_len(&self) -> usize {
        self.locking.len()
    }

    /// The locking clauses that a query node carries.
    pub(crate) fn locking_of(&self, query: &Query) -> Vec<LockingClause> {
        let name = query.locks.first().and_then(|lock| lock.of.as_ref()).and_then(first_part);
        let index = name.and_then(|name| Mark::Lock.index_of(name));
        index.and_then(|index| self.locking.get(index)).cloned().unwrap_or_default()
    }
}

fn first_part(name: &ObjectName) -> Option<&str> {
    name.0
        .first()
        .and_then(|part| part.as_ident())
        .map(|ident| ident.value.as_str())
}

fn word_token(value: String, keyword: Keyword, quoted: bool, span: Span) -> TokenWithSpan {
    TokenWithSpan::new(
        Token::Word(Word {
            value,
            quote_style: quoted.then_some('"'),
            keyword,
        }),
        span,
    )
}

/// Whether the pass has anything to do: most statements are told by one look at their tokens.
pub(crate) fn needs_pass(tokens: &[TokenWithSpan]) -> bool {
    tokens.iter().any(|token| match &token.token {
        Token::Word(word) => matches!(
            word.keyword,
            Keyword::FOR
                | Keyword::ROWS
                | Keyword::CONFLICT
                | Keyword::AS
                | Keyword::DISTINCT
                | Keyword::FETCH
                | Keyword::TABLE
                | Keyword::GROUP
                | Keyword::EXCLUDE
                | Keyword::SEARCH
                | Keyword::CYCLE
        ),
        Token::LBracket => true,
        _ => false,
    })
}

/// Rewrites the tokens of one statement.
pub(crate) fn rewrite(tokens: Vec<TokenWithSpan>, dialect: &dyn Dialect) -> PResult<(Vec<TokenWithSpan>, SideTables)> {
    let suspect = super::check::is_suspect(&tokens);
    if !needs_pass(&tokens) {
        return Ok((
            tokens,
            SideTables {
                suspect,
                ..SideTables::default()
            },
        ));
    }
    let mut pass = Pass {
        out: Vec::with_capacity(tokens.len()),
        p: Parser::new(dialect).with_tokens_with_locations(tokens),
        side: SideTables {
            suspect,
            ..SideTables::default()
        },
        set_depths: Vec::new(),
        depth: 0,
        columns_at: None,
        insert_body: usize::MAX,
    };
    pass.run()?;
    Ok((pass.out, pass.side))
}

struct Pass<'a> {
    p: Parser<'a>,
    out: Vec<TokenWithSpan>,
    side: SideTables,
    /// Parenthesis depths of the SET clauses that are open.
    set_depths: Vec<usize>,
    depth: usize,
    /// Depth of an INSERT's column list that is open.
    columns_at: Option<usize>,
    /// Index of the token after the name in INSERT INTO.
    insert_body: usize,
}

impl Pass<'_> {
    fn copy(&mut self) {
        self.out.push(self.p.next_token());
    }

    fn run(&mut self) -> PResult<()> {
        loop {
            let token = &self.p.peek_token_ref().token;
            match token {
                Token::EOF => return Ok(()),
                Token::LParen => {
                    // `SET (a[1], b) = ...`: a list of targets.
                    if self.opens_target() {
                        self.columns_at = Some(self.depth + 1);
                    }
                    self.depth += 1;
                    self.copy();
                }
                Token::RParen => {
                    self.depth = self.depth.saturating_sub(1);
                    self.set_depths.retain(|depth| *depth <= self.depth);
                    if self.columns_at.is_some_and(|depth| depth > self.depth) {
                        self.columns_at = None;
                    }
                    self.copy();
                }
                Token::Word(word) if word.keyword != Keyword::NoKeyword => {
                    let keyword = word.keyword;
                    self.keyword(keyword)?;
                }
                _ => self.copy(),
            }
            if self.at_target_place() {
                self.target_name()?;
            }
        }
    }

    fn keyword(&mut self, keyword: Keyword) -> PResult<()> {
        match keyword {
            Keyword::FOR => return self.locking(),
            Keyword::ROWS if self.p.at_nth(1, Keyword::FROM) && self.p.at_nth_token(2, &Token::LParen) => {
                let span = self.p.next_token().span;
                self.p.advance_token();
                self.out
                    .push(word_token(ROWS_FROM.to_owned(), Keyword::NoKeyword, true, span));
                return Ok(());
            }
            Keyword::AS if self.p.at_nth_token(1, &Token::LParen) && self.is_column_definition_list() => {
                self.copy();
                let span = self.p.peek_token_ref().span;
                self.out.push(word_token(NO_ALIAS.to_owned(), Keyword::NoKeyword, true, span));
                return Ok(());
            }
            Keyword::CONFLICT if self.p.at_nth_token(1, &Token::LParen) => {
                self.copy();
                return self.conflict();
            }
            Keyword::BY if self.p.at_nth(1, Keyword::DISTINCT) && self.after_word(Keyword::GROUP) => {
                return unsupported("GROUP BY DISTINCT");
            }
            Keyword::BY if self.p.at_nth(1, Keyword::ALL) && self.after_word(Keyword::GROUP) => {
                self.copy();
                self.p.advance_token();
                if self.p.at_token(&Token::RParen)
                    || self.p.word().is_some_and(|word| category(word) == Category::Reserved)
                    || self.p.at_end()
                {
                    return self.p.unexpected();
                }
                return Ok(());
            }
            Keyword::DISTINCT if self.after_word(Keyword::SELECT) && self.p.at_nth(1, Keyword::FROM) => {
                self.p.advance_token();
                return self.p.unexpected();
            }
            Keyword::FETCH if self.p.at_nth(1, Keyword::FIRST) || self.p.at_nth(1, Keyword::NEXT) => return self.fetch(),
            Keyword::EXCLUDE if self.after_frame() => return unsupported("frame exclusion"),
            Keyword::SEARCH | Keyword::CYCLE if self.after_cte() => return unsupported("SEARCH and CYCLE"),
            Keyword::TABLE if self.is_table_query() => return self.table_query(),
            Keyword::SET if !self.is_referential_action() => self.set_depths.push(self.depth),
            Keyword::FROM | Keyword::WHERE | Keyword::RETURNING | Keyword::WHEN => {
                let depth = self.depth;
                self.set_depths.retain(|open| *open < depth);
            }
            Keyword::INTO => self.insert_columns(),
            _ => {}
        }
        self.copy();
        Ok(())
    }

    /// `ON DELETE SET NULL` and `ON UPDATE SET DEFAULT` of a foreign key.
    fn is_referential_action(&self) -> bool {
        let before = self.out.len().checked_sub(2).and_then(|at| self.out.get(at));
        (self.after_word(Keyword::DELETE) || self.after_word(Keyword::UPDATE))
            && matches!(before, Some(TokenWithSpan { token: Token::Word(word), .. }) if word.keyword == Keyword::ON)
    }

    /// TABLE as a query, not as a kind of object.
    fn is_table_query(&self) -> bool {
        let may_begin = match self.out.last().map(|token| &token.token) {
            None | Some(Token::LParen) => true,
            Some(Token::RParen) => !matches!(self.p.ahead(1).token, Token::LParen),
            Some(Token::Word(word)) => matches!(
                word.keyword,
                Keyword::UNION
                    | Keyword::ALL
                    | Keyword::EXCEPT
                    | Keyword::INTERSECT
                    | Keyword::DISTINCT
                    | Keyword::AS
                    | Keyword::FOR
                    | Keyword::VALUE
                    | Keyword::EXPLAIN
                    | Keyword::ANALYZE
                    | Keyword::VERBOSE
            ),
            _ => false,
        };
        (may_begin || self.insert_body == self.p.index()) && self.p.word_at(1).is_some()
    }

    /// `TABLE t` is `SELECT * FROM t`; as such it may follow INSERT INTO.
    fn table_query(&mut self) -> PResult<()> {
        let span = self.p.next_token().span;
        self.out.push(word_token("select".to_owned(), Keyword::SELECT, false, span));
        self.out.push(TokenWithSpan::new(Token::Mul, span));
        self.out.push(word_token("from".to_owned(), Keyword::FROM, false, span));
        let parenthesized = self.p.at(Keyword::ONLY) && self.p.at_nth_token(1, &Token::LParen);
        if self.p.at(Keyword::ONLY) {
            self.copy();
        }
        if parenthesized {
            self.copy();
        }
        self.copy();
        while self.p.at_token(&Token::Period) && self.p.word_at(1).is_some() {
            self.copy();
            self.copy();
        }
        if parenthesized && self.p.at_token(&Token::RParen) || !parenthesized && self.p.at_token(&Token::Mul) {
            self.copy();
        }
        // As a SELECT it would take an alias and clauses.
        let goes_on = match &self.p.ahead(0).token {
            Token::Word(word) => matches!(
                word.keyword,
                Keyword::ORDER
                    | Keyword::LIMIT
                    | Keyword::OFFSET
                    | Keyword::FETCH
                    | Keyword::FOR
                    | Keyword::UNION
                    | Keyword::INTERSECT
                    | Keyword::EXCEPT
                    | Keyword::ON
                    | Keyword::RETURNING
                    | Keyword::WITH
                    | Keyword::CREATE
                    | Keyword::GRANT
            ),
            Token::RParen | Token::EOF => true,
            _ => false,
        };
        if goes_on { Ok(()) } else { self.p.unexpected() }
    }

    fn after_word(&self, keyword: Keyword) -> bool {
        matches!(self.out.last(), Some(TokenWithSpan { token: Token::Word(word), .. }) if word.keyword == keyword)
    }

    /// Before an EXCLUDE that ends a window frame.
    fn after_frame(&self) -> bool {
        self.after_word(Keyword::ROW) || self.after_word(Keyword::PRECEDING) || self.after_word(Keyword::FOLLOWING)
    }

    fn after_cte(&self) -> bool {
        let after = matches!(self.out.last().map(|token| &token.token), Some(Token::RParen));
        after
            && (self.p.at_nth_text(1, "depth")
                || self.p.at_nth_text(1, "breadth")
                || self.p.at(Keyword::CYCLE) && self.p.word_at(1).is_some())
    }

    /// `f(...) AS (name type, ...)`, told from a CTE's `name (columns) AS (query)`.
    fn is_column_definition_list(&self) -> bool {
        let after_call = matches!(self.out.last().map(|token| &token.token), Some(Token::RParen));
        after_call
            && self.p.word_at(2).is_some_and(|word| category(word) != Category::Reserved)
            && self.p.word_at(3).is_some()
            && !(self.p.at_nth(2, Keyword::VALUES))
            && !matches!(
                self.p.word_at(2).map(|word| word.keyword),
                Some(Keyword::INSERT | Keyword::UPDATE | Keyword::DELETE | Keyword::SELECT | Keyword::WITH)
            )
    }

    /// A run of locking clauses becomes one `FOR UPDATE OF <mark>`.
    fn locking(&mut self) -> PResult<()> {
        if self.p.at_nth_text(1, "read") && self.p.at_nth_text(2, "only") {
            (0..3).for_each(|_| self.p.advance_token());
            return Ok(());
        }
        if self.after_word(Keyword::CURSOR) || self.after_word(Keyword::HOLD) {
            self.copy();
            return Ok(());
        }
        if self.p.at_nth(1, Keyword::KEY) && self.p.at_nth(2, Keyword::UPDATE) {
            (0..2).for_each(|_| self.p.advance_token());
            return self.p.unexpected();
        }
        let mut clauses = Vec::new();
        while let Some((strength, words)) = self.strength() {
            let position = self.p.here();
            let span = self.p.peek_token_ref().span;
            (0..words).for_each(|_| self.p.advance_token());
            let of = if self.p.eat(Keyword::OF) {
                self.p.qnames()?
            } else {
                Vec::new()
            };
            let wait = if self.p.eat(Keyword::NOWAIT) {
                LockWait::NoWait
            } else if self.p.eat_all(&[Keyword::SKIP, Keyword::LOCKED]) {
                LockWait::Skip
            } else {
                LockWait::Block
            };
            if clauses.is_empty() {
                let mark = Mark::Lock.name(self.side.locking.len());
                self.out.push(word_token("for".to_owned(), Keyword::FOR, false, span));
                self.out.push(word_token("update".to_owned(), Keyword::UPDATE, false, span));
                self.out.push(word_token("of".to_owned(), Keyword::OF, false, span));
                self.out.push(word_token(mark, Keyword::NoKeyword, true, span));
            }
            clauses.push(LockingClause {
                strength,
                of,
                wait,
                position,
            });
        }
        if clauses.is_empty() {
            self.copy();
        } else {
            self.side.locking.push(clauses);
        }
        Ok(())
    }

    /// `FETCH FIRST [count] ROWS ONLY` is `LIMIT count`. WITH TIES stays, since LIMIT has nothing for it.
    fn fetch(&mut self) -> PResult<()> {
        let mut ahead = 2;
        if !self.at_row_word(ahead) {
            ahead += match self.p.ahead(ahead).token {
                Token::LParen => self.balanced(ahead),
                Token::Plus | Token::Minus => 2,
                _ => 1,
            };
        }
        if !self.at_row_word(ahead) || !self.p.at_nth(ahead + 1, Keyword::ONLY) {
            if self.p.at_nth_token(2, &Token::LParen) && self.p.at_nth(ahead + 1, Keyword::WITH) {
                return unsupported("FETCH FIRST (expression) WITH TIES");
            }
            self.copy();
            return Ok(());
        }
        let span = self.p.next_token().span;
        self.p.advance_token();
        self.out.push(word_token("limit".to_owned(), Keyword::LIMIT, false, span));
        if ahead == 2 {
            self.out.push(TokenWithSpan::new(Token::Number("1".to_owned(), false), span));
        }
        for _ in 2..ahead {
            self.copy();
        }
        (0..2).for_each(|_| self.p.advance_token());
        Ok(())
    }

    fn at_row_word(&self, ahead: usize) -> bool {
        self.p.at_nth(ahead, Keyword::ROW) || self.p.at_nth(ahead, Keyword::ROWS)
    }

    /// Number of tokens of the parenthesis that opens at `ahead`.
    fn balanced(&self, ahead: usize) -> usize {
        let (mut depth, mut count) = (0usize, 0);
        loop {
            match self.p.ahead(ahead + count).token {
                Token::LParen => depth += 1,
                Token::RParen => depth = depth.saturating_sub(1),
                Token::EOF => return count,
                _ => {}
            }
            count += 1;
            if depth == 0 {
                return count;
            }
        }
    }

    /// At FOR: the strength that follows and how many words say it.
    fn strength(&self) -> Option<(LockStrength, usize)> {
        if !self.p.at(Keyword::FOR) {
            return None;
        }
        let word = |ahead| self.p.word_at(ahead).map(|word| word.keyword);
        match (word(1)?, word(2), word(3)) {
            (Keyword::UPDATE, _, _) => Some((LockStrength::Update, 2)),
            (Keyword::SHARE, _, _) => Some((LockStrength::Share, 2)),
            (Keyword::KEY, Some(Keyword::SHARE), _) => Some((LockStrength::KeyShare, 3)),
            (Keyword::NO, Some(Keyword::KEY), Some(Keyword::UPDATE)) => Some((LockStrength::NoKeyUpdate, 4)),
            _ => None,
        }
    }

    /// At `(` of ON CONFLICT: anything but plain columns goes aside.
    fn conflict(&mut self) -> PResult<()> {
        let mut ahead = 1;
        while self.p.word_at(ahead).is_some() {
            match self.p.ahead(ahead + 1).token {
                Token::Comma => ahead += 2,
                Token::RParen => return Ok(()),
                _ => break,
            }
        }
        let span = self.p.next_token().span;
        let elements = self.p.comma_list(index_element)?;
        let close = self.p.peek_token_ref().clone();
        self.p.want_token(&Token::RParen)?;
        let mark = Mark::Conflict.name(self.side.conflicts.len());
        self.side.conflicts.push(elements);
        self.out.push(TokenWithSpan::new(Token::LParen, span));
        self.out.push(word_token(mark, Keyword::NoKeyword, true, span));
        self.out.push(close);
        Ok(())
    }

    /// At INTO of an INSERT: notes where its column list will open.
    fn insert_columns(&mut self) {
        if !self.after_word(Keyword::INSERT) {
            return;
        }
        let mut ahead = 2;
        while self.p.at_nth_token(ahead, &Token::Period) {
            ahead += 2;
        }
        if self.p.at_nth(ahead, Keyword::AS) {
            ahead += 2;
        }
        self.insert_body = self.p.index() + ahead;
        let starts_query = self.p.word_at(ahead + 1).is_some_and(|word| {
            matches!(
                word.keyword,
                Keyword::SELECT | Keyword::WITH | Keyword::VALUES | Keyword::TABLE
            )
        });
        if self.p.at_nth_token(ahead, &Token::LParen) && !starts_query {
            self.columns_at = Some(self.depth + 1);
        }
    }

    /// Whether an assignment of an open SET clause begins here.
    fn opens_target(&self) -> bool {
        self.set_depths.last() == Some(&self.depth)
            && (self.after_word(Keyword::SET) || matches!(self.out.last().map(|token| &token.token), Some(Token::Comma)))
    }

    /// Whether an assignment's target or an insert's column begins here.
    fn at_target_place(&self) -> bool {
        let Some(last) = self.out.last() else {
            return false;
        };
        let opens = match &last.token {
            Token::Word(word) => word.keyword == Keyword::SET,
            Token::Comma | Token::LParen => true,
            _ => false,
        };
        opens && self.p.word().is_some() && (self.set_depths.last() == Some(&self.depth) || self.columns_at == Some(self.depth))
    }

    /// A target's name must be one, which sqlparser does not check; with a subscript it goes aside.
    fn target_name(&mut self) -> PResult<()> {
        // `ON DELETE SET NULL` and `SET DEFAULT` have no target.
        let action = self.p.at(Keyword::NULL) || self.p.at(Keyword::DEFAULT);
        let is_name = |word: &Word| matches!(category(word), Category::Unreserved | Category::ColumnName);
        if !action && !self.p.word().is_some_and(is_name) {
            return self.p.unexpected();
        }
        let mut ahead = 1;
        while self.p.at_nth_token(ahead, &Token::Period) && self.p.word_at(ahead + 1).is_some() {
            ahead += 2;
        }
        if self.p.at_nth_token(ahead, &Token::LBracket) {
            self.target()
        } else {
            Ok(())
        }
    }

    fn target(&mut self) -> PResult<()> {
        let span = self.p.peek_token_ref().span;
        let column = self.p.column_id()?;
        let mut indirection = Vec::new();
        loop {
            if self.p.eat_token(&Token::Period) {
                indirection.push(TargetStep::Field(self.p.label()?));
            } else if self.p.at_token(&Token::LBracket) {
                indirection.push(TargetStep::Subscript(super::expr::subscript(&mut self.p)?));
            } else {
                break;
            }
        }
        let mark = Mark::Target.name(self.side.targets.len());
        self.side.targets.push(TargetElement { column, indirection });
        self.out.push(word_token(mark, Keyword::NoKeyword, true, span));
        Ok(())
    }
}

/// `index_elem`: a column, a call or an expression in parentheses, with its options.
pub(crate) fn index_element(p: &mut Parser) -> PResult<IndexElement> {
    let position = p.here();
    let expr = if p.at_token(&Token::LParen) {
        p.advance_token();
        let expr = p.parse_expr()?;
        p.want_token(&Token::RParen)?;
        Expr::Nested(Box::new(expr))
    } else {
        // A prefix form is just what PostgreSQL allows: a column or a call.
        match super::expr::prefix(p)? {
            expr @ (Expr::Identifier(_)
            | Expr::Function(_)
            | Expr::Cast { .. }
            | Expr::Extract { .. }
            | Expr::Trim { .. }
            | Expr::Substring { .. }) => expr,
            _ => return Err(super::error::syntax_error_at(position)),
        }
    };
    let collation = if p.eat(Keyword::COLLATE) { Some(p.qname()?) } else { None };
    let mut element = IndexElement {
        expr,
        collation,
        opclass: None,
        opclass_options: false,
        descending: false,
        nulls_first: None,
        position,
    };
    let opclass_follows = p.word().is_some_and(|word| {
        matches!(category(word), Category::Unreserved | Category::ColumnName)
            && word.keyword != Keyword::NULLS
            && word.keyword != Keyword::INCLUDE
    });
    if opclass_follows {
        element.opclass = Some(p.qname()?);
        if p.at_token(&Token::LParen) {
            element.opclass_options = true;
            skip_parentheses(p)?;
        }
    }
    if p.eat(Keyword::DESC) {
        element.descending = true;
    } else {
        p.eat(Keyword::ASC);
    }
    if p.at(Keyword::NULLS) && (p.at_nth(1, Keyword::FIRST) || p.at_nth(1, Keyword::LAST)) {
        p.advance_token();
        element.nulls_first = Some(p.at(Keyword::FIRST));
        p.advance_token();
    }
    Ok(element)
}

/// Skips a balanced `(...)`.
pub(crate) fn skip_parentheses(p: &mut Parser) -> PResult<()> {
    p.want_token(&Token::LParen)?;
    let mut depth = 1usize;
    while depth > 0 {
        match p.peek_token_ref().token {
            Token::LParen => depth += 1,
            Token::RParen => depth -= 1,
            Token::EOF => return p.unexpected(),
            _ => {}
        }
        p.advance_token();
    }
    Ok(())
}
