//! CREATE TABLE: columns, constraints, and what follows the parentheses.

use sqlparser::ast::{Expr, Value};
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::Token;

use super::ast::OwnStatement;
use super::ddl::{
    ColumnConstraint, ColumnConstraintKind, ColumnDef, CreateTable, CreateTableAs, Deferral, ExprText, IndexParameters,
    LikeClause, MatchKind, OnCommit, OptionItem, Persistence, References, ReferentialAction, TableConstraint,
    TableConstraintKind, TableElement, TableSource,
};
use super::session::refuse;
use super::{Context, Own};
use crate::error::{PgError, sqlstate};
use crate::parse::cursor::{Cursor, PResult};
use crate::parse::error::fail;
use crate::parse::names::{Name, QName, qname_of};
use crate::parse::types;

/// What may stand after a table's parentheses, in this order.
#[derive(Default)]
struct Tail {
    inherits: Vec<QName>,
    partitioned: bool,
    access_method: Option<Name>,
    options: Vec<OptionItem>,
    on_commit: OnCommit,
    tablespace: Option<Name>,
}

/// After CREATE [TEMP|UNLOGGED] TABLE.
pub(super) fn create_table(c: &mut Context, persistence: Persistence) -> Own {
    let if_not_exists = c.if_not_exists();
    let name = c.p.qname()?;
    if c.p.eat(Keyword::PARTITION) {
        c.p.want(Keyword::OF)?;
        return partition_of(c, name, persistence, if_not_exists);
    }
    if is_table_as(c) {
        return table_as(c, name, persistence, if_not_exists);
    }
    let mut table = CreateTable {
        name,
        persistence,
        if_not_exists,
        elements: Vec::new(),
        of_type: None,
        inherits: Vec::new(),
        partitioned: false,
        partition_of: None,
        access_method: None,
        options: Vec::new(),
        on_commit: OnCommit::default(),
        tablespace: None,
    };
    if c.p.eat(Keyword::OF) {
        let name = c.p.qname()?;
        table.of_type = Some(types::TypeName {
            names: name.parts,
            position: name.position,
            ..types::TypeName::default()
        });
        if c.p.at_token(&Token::LParen) {
            table.elements = elements(c, true, false)?;
        }
    } else {
        table.elements = elements(c, false, true)?;
    }
    finish(c, &mut table)?;
    Ok(OwnStatement::CreateTable(Box::new(table)))
}

fn finish(c: &mut Context, table: &mut CreateTable) -> PResult<()> {
    let tail = tail(c)?;
    table.inherits = tail.inherits;
    table.partitioned = tail.partitioned;
    table.access_method = tail.access_method;
    table.options = tail.options;
    table.on_commit = tail.on_commit;
    table.tablespace = tail.tablespace;
    Ok(())
}

fn partition_of(c: &mut Context, name: QName, persistence: Persistence, if_not_exists: bool) -> Own {
    let parent = c.p.qname()?;
    let elements = if c.p.at_token(&Token::LParen) {
        elements(c, true, false)?
    } else {
        Vec::new()
    };
    partition_bound(c)?;
    let mut table = CreateTable {
        name,
        persistence,
        if_not_exists,
        elements,
        of_type: None,
        inherits: Vec::new(),
        partitioned: false,
        partition_of: Some(parent),
        access_method: None,
        options: Vec::new(),
        on_commit: OnCommit::default(),
        tablespace: None,
    };
    finish(c, &mut table)?;
    Ok(OwnStatement::CreateTable(Box::new(table)))
}

/// `FOR VALUES ...` or DEFAULT; nothing keeps it, since partitions are not there yet.
pub(super) fn partition_bound(c: &mut Context) -> PResult<()> {
    if c.p.eat(Keyword::DEFAULT) {
        return Ok(());
    }
    c.p.want(Keyword::FOR)?;
    c.p.want(Keyword::VALUES)?;
    if c.p.eat(Keyword::WITH) {
        return crate::parse::rewrite::skip_parentheses(&mut c.p);
    }
    if c.p.eat(Keyword::IN) {
        c.call_arguments()?;
        return Ok(());
    }
    c.p.want(Keyword::FROM)?;
    c.call_arguments()?;
    c.p.want(Keyword::TO)?;
    c.call_arguments()?;
    Ok(())
}

/// After the name: whether this is CREATE TABLE AS.
fn is_table_as(c: &Context) -> bool {
    if c.p.at_token(&Token::LParen) {
        // A name without a type.
        return c.p.word_at(1).is_some() && matches!(c.p.ahead(2).token, Token::Comma | Token::RParen);
    }
    matches!(
        c.p.word().map(|word| word.keyword),
        Some(Keyword::AS | Keyword::USING | Keyword::WITH | Keyword::WITHOUT | Keyword::ON | Keyword::TABLESPACE)
    )
}

fn table_as(c: &mut Context, name: QName, persistence: Persistence, if_not_exists: bool) -> Own {
    let columns = c.p.optional_names()?;
    if c.p.at(Keyword::PARTITION) || c.p.at_text("inherits") {
        return c.p.unexpected();
    }
    let tail = tail(c)?;
    c.p.want(Keyword::AS)?;
    let source = if c.p.at(Keyword::EXECUTE) {
        TableSource::Execute(super::session::execute(c)?)
    } else {
        TableSource::Query(c.query_text()?)
    };
    let with_data = with_data(c)?;
    Ok(OwnStatement::CreateTableAs(Box::new(CreateTableAs {
        name,
        persistence,
        if_not_exists,
        columns,
        access_method: tail.access_method,
        options: tail.options,
        on_commit: tail.on_commit,
        tablespace: tail.tablespace,
        source,
        with_data,
        materialized_view: false,
    })))
}

/// `WITH [NO] DATA`, if there.
pub(super) fn with_data(c: &mut Context) -> PResult<bool> {
    if !c.p.eat(Keyword::WITH) {
        return Ok(true);
    }
    let with = !c.p.eat(Keyword::NO);
    c.p.want(Keyword::DATA)?;
    Ok(with)
}

fn tail(c: &mut Context) -> PResult<Tail> {
    let mut tail = Tail::default();
    if c.p.eat_text("inherits") {
        c.p.want_token(&Token::LParen)?;
        tail.inherits = c.p.qnames()?;
        c.p.want_token(&Token::RParen)?;
    }
    if c.p.eat(Keyword::PARTITION) {
        c.p.want(Keyword::BY)?;
        tail.partitioned = true;
        c.p.column_id()?;
        crate::parse::rewrite::skip_parentheses(&mut c.p)?;
    }
    if c.p.eat(Keyword::USING) {
        tail.access_method = Some(c.p.column_id()?);
    }
    if c.p.eat(Keyword::WITH) {
        tail.options = c.definitions()?;
    } else if c.p.at(Keyword::WITHOUT) {
        c.p.advance_token();
        c.p.want_text("oids")?;
    }
    if c.p.eat(Keyword::ON) {
        c.p.want(Keyword::COMMIT)?;
        tail.on_commit = if c.p.eat(Keyword::DROP) {
            OnCommit::Drop
        } else if c.p.eat_all(&[Keyword::DELETE, Keyword::ROWS]) {
            OnCommit::DeleteRows
        } else {
            c.p.want(Keyword::PRESERVE)?;
            c.p.want(Keyword::ROWS)?;
            OnCommit::Preserve
        };
    }
    if c.p.eat(Keyword::TABLESPACE) {
        tail.tablespace = Some(c.p.column_id()?);
    }
    Ok(tail)
}

/// `( element, ... )`. `typed`: columns have no type (CREATE TABLE OF). `empty`: `()` is allowed.
fn elements(c: &mut Context, typed: bool, empty: bool) -> PResult<Vec<TableElement>> {
    c.p.want_token(&Token::LParen)?;
    let mut list = Vec::new();
    if empty && c.p.eat_token(&Token::RParen) {
        return Ok(list);
    }
    loop {
        list.push(element(c, typed)?);
        if !c.p.eat_token(&Token::Comma) {
            break;
        }
    }
    c.p.want_token(&Token::RParen)?;
    Ok(list)
}

fn element(c: &mut Context, typed: bool) -> PResult<TableElement> {
    if at_constraint(c) {
        return table_constraint(c).map(TableElement::Constraint);
    }
    if c.p.at(Keyword::LIKE) && !typed {
        c.p.advance_token();
        let table = c.p.qname()?;
        let mut options = Vec::new();
        loop {
            let including = c.p.at_text("including");
            if !including && !c.p.at_text("excluding") {
                break;
            }
            c.p.advance_token();
            options.push((including, c.p.label()?.text.to_string()));
        }
        return Ok(TableElement::Like(LikeClause { table, options }));
    }
    let column = if typed { typed_column(c)? } else { column(c)? };
    Ok(TableElement::Column(Box::new(column)))
}

fn typed_column(c: &mut Context) -> PResult<ColumnDef> {
    let name = c.p.column_id()?;
    c.p.eat_all(&[Keyword::WITH, Keyword::OPTIONS]);
    let mut column = ColumnDef {
        name,
        type_name: None,
        collation: None,
        storage: None,
        compression: None,
        constraints: Vec::new(),
    };
    column_constraints(c, &mut column)?;
    Ok(column)
}

/// Whether a table constraint begins here.
pub(super) fn at_constraint(c: &Context) -> bool {
    match c.p.word().map(|word| word.keyword) {
        Some(Keyword::CONSTRAINT | Keyword::CHECK | Keyword::UNIQUE | Keyword::PRIMARY | Keyword::FOREIGN) => true,
        Some(Keyword::EXCLUDE) => c.p.at_nth(1, Keyword::USING) || c.p.at_nth_token(1, &Token::LParen),
        _ => false,
    }
}

/// `columnDef`.
pub(super) fn column(c: &mut Context) -> PResult<ColumnDef> {
    let name = c.p.column_id()?;
    let type_name = Some(types::parse_type_name(&mut c.p)?);
    let mut column = ColumnDef {
        name,
        type_name,
        collation: None,
        storage: None,
        compression: None,
        constraints: Vec::new(),
    };
    if c.p.at_text("storage") {
        return c.p.unexpected();
    }
    if c.p.eat_text("compression") {
        column.compression = Some(c.p.column_id()?);
    }
    column_constraints(c, &mut column)?;
    Ok(column)
}

fn column_constraints(c: &mut Context, column: &mut ColumnDef) -> PResult<()> {
    loop {
        let position = c.here();
        if c.p.eat(Keyword::COLLATE) {
            if column.collation.is_some() {
                return refuse("multiple COLLATE clauses not allowed", position);
            }
            column.collation = Some(c.p.qname()?);
            continue;
        }
        let name = if c.p.eat(Keyword::CONSTRAINT) {
            Some(c.p.column_id()?)
        } else {
            None
        };
        if let Some(mut kind) = column_constraint(c)? {
            if let ColumnConstraintKind::Default(default) = &mut kind {
                take_collation(default, &mut column.collation);
            }
            column.constraints.push(ColumnConstraint {
                name,
                kind,
                deferral: Deferral::default(),
                position,
            });
            continue;
        }
        if name.is_some() {
            return c.p.unexpected();
        }
        let mut deferral = Deferral::default();
        if !attributes(c, &mut deferral, true)? {
            return Ok(());
        }
        match column.constraints.last_mut() {
            Some(last) if takes_deferral(&last.kind) => last.deferral = deferral,
            _ => return refuse(misplaced(deferral), position),
        }
    }
}

/// `DEFAULT expr COLLATE name`: sqlparser reads the collation into the expression, PostgreSQL into the column.
fn take_collation(default: &mut ExprText, collation: &mut Option<QName>) {
    if let Expr::Collate { expr, collation: name } = &mut default.expr {
        *collation = Some(qname_of(name));
        default.expr = *std::mem::replace(expr, Box::new(Expr::Value(Value::Null.with_empty_span())));
        if let Some(at) = default.text.to_ascii_lowercase().rfind("collate") {
            let length = default.text[..at].trim_end().len();
            default.text.truncate(length);
        }
    }
}

fn takes_deferral(kind: &ColumnConstraintKind) -> bool {
    matches!(
        kind,
        ColumnConstraintKind::PrimaryKey(_) | ColumnConstraintKind::Unique(_) | ColumnConstraintKind::References(_)
    )
}

fn misplaced(deferral: Deferral) -> &'static str {
    if deferral.initially_deferred {
        "misplaced INITIALLY DEFERRED clause"
    } else if deferral.deferrable {
        "misplaced DEFERRABLE clause"
    } else {
        "misplaced NOT DEFERRABLE clause"
    }
}

/// `[NOT] DEFERRABLE`, `INITIALLY DEFERRED|IMMEDIATE`; with `of_column` not NOT VALID and NO INHERIT. Whether any came.
fn attributes(c: &mut Context, deferral: &mut Deferral, of_column: bool) -> PResult<bool> {
    let (mut any, mut not_deferrable, mut immediate) = (false, false, false);
    loop {
        let position = c.here();
        if c.p.eat(Keyword::DEFERRABLE) {
            deferral.deferrable = true;
        } else if c.p.at(Keyword::NOT) && c.p.at_nth(1, Keyword::DEFERRABLE) {
            (0..2).for_each(|_| c.p.advance_token());
            not_deferrable = true;
        } else if c.p.eat(Keyword::INITIALLY) {
            if c.p.eat(Keyword::DEFERRED) {
                deferral.initially_deferred = true;
            } else {
                c.p.want(Keyword::IMMEDIATE)?;
                immediate = true;
            }
        } else if !of_column && c.p.at(Keyword::NOT) {
            c.p.advance_token();
            c.p.want(Keyword::VALID)?;
            deferral.not_valid = true;
        } else if !of_column && c.p.at(Keyword::NO) {
            c.p.advance_token();
            c.p.want(Keyword::INHERIT)?;
            deferral.no_inherit = true;
        } else {
            break;
        }
        any = true;
        if not_deferrable && deferral.initially_deferred {
            return refuse("constraint declared INITIALLY DEFERRED must be DEFERRABLE", position);
        }
        if not_deferrable && deferral.deferrable || immediate && deferral.initially_deferred {
            return refuse("conflicting constraint properties", position);
        }
    }
    deferral.deferrable |= deferral.initially_deferred;
    Ok(any)
}

fn column_constraint(c: &mut Context) -> PResult<Option<ColumnConstraintKind>> {
    let Some(keyword) = c.p.word().map(|word| word.keyword) else {
        return Ok(None);
    };
    let kind = match keyword {
        Keyword::NOT if !c.p.at_nth(1, Keyword::DEFERRABLE) => {
            c.p.advance_token();
            c.p.want(Keyword::NULL)?;
            ColumnConstraintKind::NotNull
        }
        Keyword::NULL => {
            c.p.advance_token();
            ColumnConstraintKind::Null
        }
        Keyword::DEFAULT => {
            c.p.advance_token();
            ColumnConstraintKind::Default(default_expr(c)?)
        }
        Keyword::CHECK => {
            c.p.advance_token();
            let expr = c.parenthesized_expr()?;
            ColumnConstraintKind::Check {
                expr,
                no_inherit: c.p.eat_all(&[Keyword::NO, Keyword::INHERIT]),
            }
        }
        Keyword::PRIMARY => {
            c.p.advance_token();
            c.p.want(Keyword::KEY)?;
            ColumnConstraintKind::PrimaryKey(index_parameters(c, false)?)
        }
        Keyword::UNIQUE => {
            c.p.advance_token();
            let nulls = nulls_distinct(c)?;
            let mut parameters = index_parameters(c, false)?;
            parameters.nulls_not_distinct = nulls;
            ColumnConstraintKind::Unique(parameters)
        }
        Keyword::REFERENCES => ColumnConstraintKind::References(references(c)?),
        Keyword::GENERATED => generated(c)?,
        _ => return Ok(None),
    };
    Ok(Some(kind))
}

/// DEFAULT's `b_expr`.
pub(super) fn default_expr(c: &mut Context) -> PResult<ExprText> {
    let position = c.here();
    let dialect = c.dialect;
    let expr = dialect.restricted(|| c.p.parse_expr())?;
    Ok(ExprText {
        expr,
        text: c.text_from(position),
        position,
    })
}

fn generated(c: &mut Context) -> PResult<ColumnConstraintKind> {
    c.p.want(Keyword::GENERATED)?;
    let position = c.here();
    let always = c.p.eat(Keyword::ALWAYS);
    if !always {
        c.p.want(Keyword::BY)?;
        c.p.want(Keyword::DEFAULT)?;
    }
    c.p.want(Keyword::AS)?;
    if c.p.eat(Keyword::IDENTITY) {
        let options = if c.p.eat_token(&Token::LParen) {
            let options = super::create::sequence_options(c)?;
            c.p.want_token(&Token::RParen)?;
            options
        } else {
            Vec::new()
        };
        return Ok(ColumnConstraintKind::Identity { always, options });
    }
    let expr = c.parenthesized_expr()?;
    c.p.want_text("stored")?;
    if !always {
        return refuse("for a generated column, GENERATED ALWAYS must be specified", position);
    }
    Ok(ColumnConstraintKind::Generated(expr))
}

/// `NULLS [NOT] DISTINCT`, if there: whether NOT.
pub(super) fn nulls_distinct(c: &mut Context) -> PResult<bool> {
    if !c.p.at(Keyword::NULLS) {
        return Ok(false);
    }
    c.p.advance_token();
    let not = c.p.eat(Keyword::NOT);
    c.p.want(Keyword::DISTINCT)?;
    Ok(not)
}

/// `[INCLUDE (...)] [WITH (...)] [USING INDEX TABLESPACE x]`.
fn index_parameters(c: &mut Context, include: bool) -> PResult<IndexParameters> {
    let mut parameters = IndexParameters::default();
    if include && c.p.eat(Keyword::INCLUDE) {
        parameters.include = c.p.parenthesized_names()?;
    }
    if c.p.at(Keyword::WITH) && c.p.at_nth_token(1, &Token::LParen) {
        c.p.advance_token();
        parameters.options = c.definitions()?;
    }
    if c.p.at(Keyword::USING) && c.p.at_nth(1, Keyword::INDEX) && c.p.at_nth(2, Keyword::TABLESPACE) {
        (0..3).for_each(|_| c.p.advance_token());
        parameters.tablespace = Some(c.p.column_id()?);
    }
    Ok(parameters)
}

/// From REFERENCES on.
fn references(c: &mut Context) -> PResult<References> {
    c.p.want(Keyword::REFERENCES)?;
    let table = c.p.qname()?;
    let columns = c.p.optional_names()?;
    let mut references = References {
        table,
        columns,
        match_kind: MatchKind::Simple,
        on_delete: ReferentialAction::NoAction,
        on_delete_columns: Vec::new(),
        on_update: ReferentialAction::NoAction,
    };
    if c.p.eat(Keyword::MATCH) {
        references.match_kind = match c.p.word().map(|word| word.value.as_str()) {
            Some("full") => MatchKind::Full,
            Some("partial") => MatchKind::Partial,
            Some("simple") => MatchKind::Simple,
            _ => return c.p.unexpected(),
        };
        c.p.advance_token();
    }
    while c.p.at(Keyword::ON) {
        let position = c.here();
        c.p.advance_token();
        if c.p.eat(Keyword::DELETE) {
            (references.on_delete, references.on_delete_columns) = action(c)?;
        } else {
            c.p.want(Keyword::UPDATE)?;
            let (action, columns) = action(c)?;
            if !columns.is_empty() {
                let text = "a column list with SET NULL is only supported for ON DELETE actions";
                let text = if action == ReferentialAction::SetDefault {
                    text.replace("NULL", "DEFAULT")
                } else {
                    text.to_owned()
                };
                return Err(fail(&PgError::new(sqlstate::FEATURE_NOT_SUPPORTED, text).at(position)));
            }
            references.on_update = action;
        }
    }
    Ok(references)
}

fn action(c: &mut Context) -> PResult<(ReferentialAction, Vec<Name>)> {
    let action = if c.p.eat(Keyword::NO) {
        c.p.want(Keyword::ACTION)?;
        ReferentialAction::NoAction
    } else if c.p.eat(Keyword::RESTRICT) {
        ReferentialAction::Restrict
    } else if c.p.eat(Keyword::CASCADE) {
        ReferentialAction::Cascade
    } else {
        c.p.want(Keyword::SET)?;
        let action = if c.p.eat(Keyword::NULL) {
            ReferentialAction::SetNull
        } else {
            c.p.want(Keyword::DEFAULT)?;
            ReferentialAction::SetDefault
        };
        return Ok((action, c.p.optional_names()?));
    };
    Ok((action, Vec::new()))
}

/// `TableConstraint`.
pub(super) fn table_constraint(c: &mut Context) -> PResult<TableConstraint> {
    let position = c.here();
    let name = if c.p.eat(Keyword::CONSTRAINT) {
        Some(c.p.column_id()?)
    } else {
        None
    };
    let kind = match c.p.word().map(|word| word.keyword) {
        Some(Keyword::CHECK) => {
            c.p.advance_token();
            TableConstraintKind::Check(c.parenthesized_expr()?)
        }
        Some(Keyword::PRIMARY) => {
            c.p.advance_token();
            c.p.want(Keyword::KEY)?;
            if let Some(index) = using_index(c)? {
                TableConstraintKind::PrimaryKeyUsing(index)
            } else {
                let columns = c.p.parenthesized_names()?;
                TableConstraintKind::PrimaryKey {
                    columns,
                    parameters: index_parameters(c, true)?,
                }
            }
        }
        Some(Keyword::UNIQUE) => {
            c.p.advance_token();
            if let Some(index) = using_index(c)? {
                TableConstraintKind::UniqueUsing(index)
            } else {
                let nulls_not_distinct = nulls_distinct(c)?;
                let columns = c.p.parenthesized_names()?;
                let mut parameters = index_parameters(c, true)?;
                parameters.nulls_not_distinct = nulls_not_distinct;
                TableConstraintKind::Unique { columns, parameters }
            }
        }
        Some(Keyword::FOREIGN) => {
            c.p.advance_token();
            c.p.want(Keyword::KEY)?;
            let columns = c.p.parenthesized_names()?;
            TableConstraintKind::ForeignKey {
                columns,
                references: references(c)?,
            }
        }
        Some(Keyword::EXCLUDE) => exclude(c)?,
        _ => return c.p.unexpected(),
    };
    let mut deferral = Deferral::default();
    attributes(c, &mut deferral, false)?;
    let what = match kind {
        TableConstraintKind::Check(_) => "CHECK",
        TableConstraintKind::PrimaryKey { .. } | TableConstraintKind::PrimaryKeyUsing(_) => "PRIMARY KEY",
        TableConstraintKind::Unique { .. } | TableConstraintKind::UniqueUsing(_) => "UNIQUE",
        TableConstraintKind::ForeignKey { .. } => "FOREIGN KEY",
        TableConstraintKind::Exclude => "EXCLUDE",
    };
    allowed(deferral, what)?;
    Ok(TableConstraint {
        name,
        kind,
        deferral,
        position,
    })
}

/// `processCASbits`: which attributes a kind of constraint takes.
fn allowed(deferral: Deferral, what: &str) -> PResult<()> {
    let is_check = what == "CHECK";
    let problem = if is_check && deferral.deferrable {
        "DEFERRABLE"
    } else if deferral.not_valid && !is_check && what != "FOREIGN KEY" {
        "NOT VALID"
    } else if deferral.no_inherit && !is_check {
        "NO INHERIT"
    } else {
        return Ok(());
    };
    let text = format!("{what} constraints cannot be marked {problem}");
    Err(fail(&PgError::new(sqlstate::FEATURE_NOT_SUPPORTED, text)))
}

fn using_index(c: &mut Context) -> PResult<Option<Name>> {
    if c.p.at(Keyword::USING) && c.p.at_nth(1, Keyword::INDEX) {
        (0..2).for_each(|_| c.p.advance_token());
        return c.p.column_id().map(Some);
    }
    Ok(None)
}

fn exclude(c: &mut Context) -> PResult<TableConstraintKind> {
    c.p.advance_token();
    if c.p.eat(Keyword::USING) {
        c.p.column_id()?;
    }
    crate::parse::rewrite::skip_parentheses(&mut c.p)?;
    index_parameters(c, true)?;
    if c.p.eat(Keyword::WHERE) {
        crate::parse::rewrite::skip_parentheses(&mut c.p)?;
    }
    Ok(TableConstraintKind::Exclude)
}

/// `ConstraintAttributeSpec` of ALTER CONSTRAINT.
pub(super) fn deferral(c: &mut Context, deferral: &mut Deferral) -> PResult<()> {
    attributes(c, deferral, false)?;
    // Unlike in a definition, neither has a position.
    let mark = if deferral.no_inherit { "NO INHERIT" } else { "NOT VALID" };
    if deferral.no_inherit || deferral.not_valid {
        let text = format!("FOREIGN KEY constraints cannot be marked {mark}");
        return Err(fail(&PgError::new(sqlstate::FEATURE_NOT_SUPPORTED, text)));
    }
    Ok(())
}
