//! CREATE FUNCTION and CREATE PROCEDURE.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::Token;

use super::ast::{OwnStatement, Reset};
use super::ddl::{ArgumentMode, CreateFunction, FunctionArgument, OptionItem};
use super::{Context, Own};
use crate::parse::cursor::{Cursor, PResult};
use crate::parse::keywords::{Category, category};
use crate::parse::types;

pub(super) fn create_function(c: &mut Context, or_replace: bool) -> Own {
    let procedure = c.p.at(Keyword::PROCEDURE);
    c.p.advance_token();
    let name = c.p.function_name()?;
    let mut function = CreateFunction {
        name,
        or_replace,
        procedure,
        arguments: arguments(c)?,
        returns: None,
        language: None,
        body: Vec::new(),
        sql_body: None,
        volatility: None,
        strict: false,
        security_definer: false,
        settings: Vec::new(),
        resets: Vec::new(),
        options: Vec::new(),
    };
    if !procedure && c.p.eat_text("returns") {
        if c.p.eat(Keyword::TABLE) {
            c.p.want_token(&Token::LParen)?;
            loop {
                let name = Some(c.p.non_reserved()?);
                let type_name = types::parse_type_name(&mut c.p)?;
                function.arguments.push(FunctionArgument {
                    mode: ArgumentMode::Table,
                    name,
                    type_name,
                    default: None,
                });
                if !c.p.eat_token(&Token::Comma) {
                    break;
                }
            }
            c.p.want_token(&Token::RParen)?;
        } else {
            function.returns = Some(types::parse_type_name(&mut c.p)?);
        }
    }
    while option(c, &mut function)? {}
    body(c, &mut function)?;
    Ok(OwnStatement::CreateFunction(Box::new(function)))
}

fn arguments(c: &mut Context) -> PResult<Vec<FunctionArgument>> {
    c.p.want_token(&Token::LParen)?;
    let mut list = Vec::new();
    if c.p.eat_token(&Token::RParen) {
        return Ok(list);
    }
    loop {
        list.push(argument(c)?);
        if !c.p.eat_token(&Token::Comma) {
            break;
        }
    }
    c.p.want_token(&Token::RParen)?;
    Ok(list)
}

fn mode(c: &mut Context) -> Option<ArgumentMode> {
    let mode = match c.p.word().map(|word| (word.keyword, word.value.as_str())) {
        Some((Keyword::IN, _)) => ArgumentMode::In,
        Some((_, "out")) => ArgumentMode::Out,
        Some((_, "inout")) => ArgumentMode::InOut,
        Some((Keyword::VARIADIC, _)) => ArgumentMode::Variadic,
        _ => return None,
    };
    c.p.advance_token();
    if mode == ArgumentMode::In && c.p.eat_text("out") {
        return Some(ArgumentMode::InOut);
    }
    Some(mode)
}

/// `[mode] [name] type [DEFAULT expr]`, the mode before or after the name.
fn argument(c: &mut Context) -> PResult<FunctionArgument> {
    let mut argument_mode = mode(c);
    let named = c.p.word().is_some_and(|word| {
        matches!(category(word), Category::Unreserved | Category::TypeFunction) && word.keyword != Keyword::DOUBLE
    }) && c
        .p
        .word_at(1)
        .is_some_and(|word| !matches!(word.keyword, Keyword::DEFAULT | Keyword::ARRAY));
    let name = if named { Some(c.p.label()?) } else { None };
    if argument_mode.is_none() {
        argument_mode = mode(c);
    }
    let type_name = types::parse_type_name(&mut c.p)?;
    let default = if c.p.eat(Keyword::DEFAULT) || c.p.eat_token(&Token::Eq) {
        Some(c.expr_text()?)
    } else {
        None
    };
    Ok(FunctionArgument {
        mode: argument_mode.unwrap_or(ArgumentMode::In),
        name,
        type_name,
        default,
    })
}

fn option(c: &mut Context, function: &mut CreateFunction) -> PResult<bool> {
    let Some((keyword, text)) = c.p.word().map(|word| (word.keyword, word.value.clone())) else {
        return Ok(false);
    };
    match (keyword, text.as_str()) {
        (Keyword::AS, _) => {
            c.p.advance_token();
            function.body = c.p.comma_list(Cursor::string)?;
        }
        (Keyword::LANGUAGE, _) => {
            c.p.advance_token();
            let position = c.here();
            function.language = Some(match c.p.try_string() {
                Some(text) => crate::parse::Name {
                    text: text.into(),
                    position,
                },
                None => c.p.non_reserved()?,
            });
        }
        (_, "immutable" | "stable" | "volatile") => {
            c.p.advance_token();
            function.volatility = Some(text);
        }
        (_, "strict") => {
            c.p.advance_token();
            function.strict = true;
        }
        (_, "called" | "returns") => {
            c.p.advance_token();
            function.strict = text == "returns";
            if function.strict {
                c.p.want(Keyword::NULL)?;
            }
            c.p.want(Keyword::ON)?;
            c.p.want(Keyword::NULL)?;
            c.p.want_text("input")?;
        }
        (_, "external" | "security") => {
            c.p.advance_token();
            if text == "external" {
                c.p.want_text("security")?;
            }
            function.security_definer = c.p.eat_text("definer");
            if !function.security_definer {
                c.p.want_text("invoker")?;
            }
        }
        _ => return rare_option(c, function, keyword, &text),
    }
    Ok(true)
}

/// Options that are kept by name only, and settings.
fn rare_option(c: &mut Context, function: &mut CreateFunction, keyword: Keyword, text: &str) -> PResult<bool> {
    let position = c.here();
    let mut push = |name: &str, value: Option<String>| {
        function.options.push(OptionItem {
            name: name.to_owned(),
            value,
            position,
        });
    };
    match (keyword, text) {
        (_, "leakproof" | "window") => {
            c.p.advance_token();
            push(text, None);
        }
        (Keyword::NOT, _) => {
            c.p.advance_token();
            c.p.want_text("leakproof")?;
        }
        (_, "cost" | "rows") => {
            c.p.advance_token();
            let value = c.signed_number()?;
            push(text, Some(value));
        }
        (_, "parallel" | "support") => {
            c.p.advance_token();
            let value = c.p.qname()?.to_string();
            push(text, Some(value));
        }
        (_, "transform") => {
            push("transform", None);
            transforms(c)?;
        }
        (Keyword::SET, _) => {
            c.p.advance_token();
            let set = super::session::set_rest(c, false)?;
            function.settings.push(set);
        }
        (Keyword::RESET, _) => {
            c.p.advance_token();
            if let Reset::Variable(name) = super::session::reset_rest(c)? {
                function.resets.push(name);
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn transforms(c: &mut Context) -> PResult<()> {
    c.p.advance_token();
    loop {
        c.p.want(Keyword::FOR)?;
        c.p.want(Keyword::TYPE)?;
        types::parse_type_name(&mut c.p)?;
        if !c.p.eat_token(&Token::Comma) {
            return Ok(());
        }
    }
}

/// `RETURN expr` or `BEGIN ATOMIC ... END`, kept as text.
fn body(c: &mut Context, function: &mut CreateFunction) -> PResult<()> {
    let start = c.here();
    if c.p.eat_text("return") {
        c.p.parse_expr()?;
        function.sql_body = Some(c.text_from(start));
    } else if c.p.at(Keyword::BEGIN) && c.p.at_nth_text(1, "atomic") {
        let mut depth = 0usize;
        loop {
            match c.p.word().map(|word| word.keyword) {
                Some(Keyword::BEGIN | Keyword::CASE) => depth += 1,
                Some(Keyword::END) => depth -= 1,
                _ if c.p.at_end() => return c.p.unexpected(),
                _ => {}
            }
            c.p.advance_token();
            if depth == 0 {
                break;
            }
        }
        function.sql_body = Some(c.text_from(start));
    }
    Ok(())
}
