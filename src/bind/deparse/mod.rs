//! Bound trees back to SQL text, as PostgreSQL's `ruleutils.c` prints them: defaults, checks, index expressions, views.
//!
//! The text is canonical: bound again it gives the same tree. Operators stand in parentheses always, as `pg_get_expr`
//! prints without `pretty`. Queries name their tables with the schema, whatever the search path.

use smol_str::SmolStr;

use super::tree::{AggregateCall, BooleanTest, Call, Cast, CastKind, Expr, ExprKind, Query, RowOperator, Window};
use crate::catalog::Catalog;
use crate::ids::Oid;
use crate::parse::quote_identifier;
use crate::types::info::{format_type, format_type_given};
use crate::types::{TypeEnv, Value, io, oid};

mod query;

/// What printing needs to know.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    pub catalog: &'a Catalog,
    pub env: TypeEnv<'a>,
}

/// An expression over the columns of one rel (or none), unqualified.
pub fn expression(expr: &Expr, columns: &[SmolStr], names: &Names<'_>) -> String {
    let scope = Scope {
        rels: vec![RelNames {
            alias: String::new(),
            columns: columns.to_vec(),
        }],
        qualify: false,
        windows: Vec::new(),
    };
    let mut printer = Printer {
        out: String::new(),
        names: *names,
        scopes: vec![scope],
        indent: 0,
    };
    printer.bare(expr);
    printer.out
}

/// A query, as a view's definition (without a semicolon).
pub fn query(query: &Query, names: &Names<'_>) -> String {
    let mut printer = Printer {
        out: String::new(),
        names: *names,
        scopes: Vec::new(),
        indent: 0,
    };
    printer.query(query);
    printer.out
}

/// Names of one rel as printed.
struct RelNames {
    alias: String,
    columns: Vec<SmolStr>,
}

/// Names of one query level.
struct Scope {
    rels: Vec<RelNames>,
    qualify: bool,
    windows: Vec<Window>,
}

/// `PRETTYINDENT_VAR`: spaces before the parts of a CASE.
const VAR_INDENT: isize = 4;

struct Printer<'a> {
    out: String,
    names: Names<'a>,
    /// Levels, innermost last.
    scopes: Vec<Scope>,
    indent: usize,
}

impl Printer<'_> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn type_name(&self, ty: Oid, typmod: i32) -> String {
        format_type(ty, typmod, self.names.env.names)
    }

    fn list(&mut self, exprs: &[Expr]) {
        for (at, expr) in exprs.iter().enumerate() {
            if at > 0 {
                self.put(", ");
            }
            self.expr(expr);
        }
    }

    fn call(&mut self, name: &str, args: &[Expr]) {
        self.put(name);
        self.put("(");
        self.list(args);
        self.put(")");
    }

    /// Operands of AND and OR.
    fn logic(&mut self, word: &str, exprs: &[Expr]) {
        self.put("(");
        for (at, expr) in exprs.iter().enumerate() {
            if at > 0 {
                self.put(word);
            }
            self.bare(expr);
        }
        self.put(")");
    }

    fn joined(&mut self, word: &str, exprs: &[Expr]) {
        self.put("(");
        for (at, expr) in exprs.iter().enumerate() {
            if at > 0 {
                self.put(word);
            }
            self.expr(expr);
        }
        self.put(")");
    }

    /// An expression whose implicit cast is not shown.
    fn bare(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Cast(cast) if !cast.explicit && value_function(expr).is_none() => self.bare(&cast.arg),
            _ => self.expr(expr),
        }
    }

    /// An expression, with its implicit cast: an operand, an argument, a result.
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Const(value) => self.constant(value, expr.ty, expr.typmod, true),
            ExprKind::Var { level, rel, column } => self.var(*level, *rel, Some(*column), ""),
            ExprKind::SystemVar { level, rel, column } => {
                self.var(*level, *rel, None, super::scope::system_column_name(*column));
            }
            ExprKind::WholeRow { level, rel } => self.var(*level, *rel, None, "*"),
            ExprKind::Param(number) => self.put(&format!("${}", number + 1)),
            ExprKind::Call(call) => self.function_call(call),
            ExprKind::SqlCall { function, args } => self.call(&format!("function_{function}"), args),
            ExprKind::Cast(cast) => self.cast(cast, expr),
            ExprKind::And(list) => self.logic(" AND ", list),
            ExprKind::Or(list) => self.logic(" OR ", list),
            ExprKind::Not(arg) => {
                self.put("(NOT ");
                self.bare(arg);
                self.put(")");
            }
            ExprKind::NullTest { arg, negated } => self.test(arg, if *negated { " IS NOT NULL" } else { " IS NULL" }),
            ExprKind::BooleanTest { arg, test } => self.test(
                arg,
                match test {
                    BooleanTest::True => " IS TRUE",
                    BooleanTest::NotTrue => " IS NOT TRUE",
                    BooleanTest::False => " IS FALSE",
                    BooleanTest::NotFalse => " IS NOT FALSE",
                    BooleanTest::Unknown => " IS UNKNOWN",
                    BooleanTest::NotUnknown => " IS NOT UNKNOWN",
                },
            ),
            ExprKind::Distinct { equal, negated } => {
                self.put(if *negated { "(NOT " } else { "" });
                self.joined(" IS DISTINCT FROM ", &equal.args);
                self.put(if *negated { ")" } else { "" });
            }
            ExprKind::NullIf { equal } => self.call("NULLIF", &equal.args),
            ExprKind::Case {
                operand,
                branches,
                otherwise,
            } => self.case(operand.as_deref(), branches, otherwise.as_deref(), expr),
            ExprKind::CaseOperand => self.put("CASE_TEST_EXPR"),
            ExprKind::Coalesce(list) => self.call("COALESCE", list),
            ExprKind::Greatest(list) => self.call("GREATEST", list),
            ExprKind::Least(list) => self.call("LEAST", list),
            ExprKind::ScalarArray {
                operator,
                scalar,
                array,
                all,
                ..
            } => {
                self.put("(");
                self.expr(scalar);
                let word = if *all { "ALL" } else { "ANY" };
                self.put(&format!(" {operator} {word} ("));
                self.expr(array);
                self.put("))");
            }
            ExprKind::Array { elements, .. } => self.array(elements, expr),
            ExprKind::Row(list) => self.call("ROW", list),
            ExprKind::RowCompare { operator, left, right } => {
                self.put("(");
                self.call("ROW", left);
                self.put(match operator {
                    RowOperator::Eq => " = ",
                    RowOperator::Ne => " <> ",
                    RowOperator::Lt => " < ",
                    RowOperator::Le => " <= ",
                    RowOperator::Gt => " > ",
                    RowOperator::Ge => " >= ",
                });
                self.call("ROW", right);
                self.put(")");
            }
            ExprKind::Field { record, field } => self.field(record, *field),
            ExprKind::Subscript { array, indexes, slice } => self.subscript(array, indexes, *slice),
            ExprKind::SubLink(link) => self.sublink(link),
            ExprKind::Aggregate(call) => self.aggregate(call),
            ExprKind::Grouping(places) => self.grouping(places),
            ExprKind::Window(call) => self.window(call),
            ExprKind::Default => self.put("DEFAULT"),
            ExprKind::CurrentOf(cursor) => {
                let text = format!("CURRENT OF {}", quote_identifier(cursor));
                self.put(&text);
            }
            ExprKind::DomainValue => self.put("VALUE"),
            ExprKind::NextVal(sequence) => {
                let name = self.names.env.names.reg_out(oid::REGCLASS, *sequence);
                self.put(&format!("nextval({}::regclass)", quote_literal(&name)));
            }
            ExprKind::Input(at) => self.put(&format!("${at}")),
            ExprKind::Outer(at) | ExprKind::Slot(at) => self.put(&format!("${at}")),
        }
    }

    fn var(&mut self, level: u32, rel: usize, column: Option<usize>, special: &str) {
        let Some(scope) = self
            .scopes
            .len()
            .checked_sub(1 + level as usize)
            .and_then(|at| self.scopes.get(at))
        else {
            return self.put("?");
        };
        let found = scope.rels.get(rel);
        let name = match column {
            Some(column) => found
                .and_then(|rel| rel.columns.get(column))
                .map_or_else(|| "?".to_owned(), |name| quote_identifier(name)),
            None => special.to_owned(),
        };
        let alias = found.map_or("", |rel| rel.alias.as_str());
        let qualify = (scope.qualify || level > 0 || special == "*") && !alias.is_empty();
        let text = if qualify {
            format!("{}.{name}", quote_identifier(alias))
        } else {
            name
        };
        self.put(&text);
    }

    /// `get_const_expr`.
    fn constant(&mut self, value: &Value, ty: Oid, typmod: i32, label: bool) {
        if value.is_null() {
            self.put("NULL");
            if label && ty != oid::UNKNOWN {
                let name = self.type_name(ty, typmod);
                self.put(&format!("::{name}"));
            }
            return;
        }
        let text = io::to_text(ty, value, &self.names.env).unwrap_or_default();
        let numeric = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
        let (shown, labelled) = match ty {
            oid::BOOL => ((if text == "t" { "true" } else { "false" }).to_owned(), false),
            oid::INT4 if !text.starts_with('-') => (text, false),
            oid::NUMERIC if numeric(&text) && text.contains(['.', 'e', 'E']) => (text, typmod >= 0),
            oid::UNKNOWN => (quote_literal(&text), false),
            _ => (quote_literal(&text), true),
        };
        self.put(&shown);
        if label && labelled {
            let name = format_type_given(ty, typmod, self.names.env.names);
            self.put(&format!("::{name}"));
        }
    }

    fn function_call(&mut self, call: &Call) {
        if let Some(written) = call.operator {
            match call.args.as_slice() {
                [] => self.put(written),
                [arg] => {
                    self.put(&format!("({written} "));
                    self.expr(arg);
                    self.put(")");
                }
                [left, right] => {
                    self.put("(");
                    self.expr(left);
                    self.put(&format!(" {written} "));
                    self.expr(right);
                    self.put(")");
                }
                _ => {}
            }
            return;
        }
        match (call.function.name, call.args.as_slice()) {
            ("extract", [field, source]) => {
                if let ExprKind::Const(Value::Text(field)) = &field.kind {
                    self.put(&format!("EXTRACT({field} FROM "));
                    self.expr(source);
                    return self.put(")");
                }
            }
            ("timezone", [zone, moment]) => {
                self.put("(");
                self.expr(moment);
                self.put(" AT TIME ZONE ");
                self.expr(zone);
                return self.put(")");
            }
            ("position", [text, part]) => {
                self.put("POSITION((");
                self.expr(part);
                self.put(") IN (");
                self.expr(text);
                return self.put("))");
            }
            _ => {}
        }
        self.function_name(call.function.name);
        self.put("(");
        let last = call.args.len().saturating_sub(1);
        for (at, arg) in call.args.iter().enumerate() {
            if at > 0 {
                self.put(", ");
            }
            // Arguments gathered into the variadic array are printed one by one.
            match &arg.kind {
                ExprKind::Array { elements, .. } if at == last && call.function.variadic && !call.variadic_array => {
                    self.list(elements);
                }
                _ => {
                    if at == last && call.variadic_array {
                        self.put("VARIADIC ");
                    }
                    self.expr(arg);
                }
            }
        }
        self.put(")");
    }

    fn function_name(&mut self, name: &str) {
        let text = if name.contains('.') {
            name.to_owned()
        } else {
            quote_identifier(name)
        };
        self.put(&text);
    }

    fn cast(&mut self, cast: &Cast, whole: &Expr) {
        if !cast.explicit
            && let Some(written) = value_function(&cast.arg)
        {
            let text = match cast.kind {
                CastKind::Typmod => format!("{written}({})", whole.typmod),
                _ => written.to_owned(),
            };
            return self.put(&text);
        }
        // A length over the cast to its type is one cast.
        let arg = match (&cast.kind, &cast.arg.kind) {
            (CastKind::Typmod, ExprKind::Cast(inner)) if inner.explicit == cast.explicit => &inner.arg,
            _ => &cast.arg,
        };
        match &arg.kind {
            ExprKind::Const(value) if arg.ty == whole.ty && arg.typmod < 0 => self.constant(value, arg.ty, -1, false),
            _ => {
                self.put("(");
                self.bare(arg);
                self.put(")");
            }
        }
        let name = format_type_given(whole.ty, whole.typmod, self.names.env.names);
        self.put(&format!("::{name}"));
    }

    fn test(&mut self, arg: &Expr, word: &str) {
        self.put("(");
        self.expr(arg);
        self.put(word);
        self.put(")");
    }

    fn case(&mut self, operand: Option<&Expr>, branches: &[(Expr, Expr)], otherwise: Option<&Expr>, whole: &Expr) {
        self.line("CASE", 0, VAR_INDENT);
        if let Some(operand) = operand {
            self.put(" ");
            self.expr(operand);
        }
        for (when, then) in branches {
            self.line("WHEN ", 0, 0);
            match &when.kind {
                // `CASE x WHEN value`: only the value is printed.
                ExprKind::Call(call) if operand.is_some() && call.args.len() == 2 => self.bare(&call.args[1]),
                _ => self.bare(when),
            }
            self.put(" THEN ");
            self.expr(then);
        }
        self.line("ELSE ", 0, 0);
        if let Some(otherwise) = otherwise {
            self.expr(otherwise);
        } else {
            let name = self.type_name(whole.ty, whole.typmod);
            self.put(&format!("NULL::{name}"));
        }
        self.line("END", -VAR_INDENT, 0);
    }

    /// `appendContextKeyword`: a word on a line of its own; the indentation changes before and after it.
    fn line(&mut self, word: &str, before: isize, after: isize) {
        self.line_plus(word, before, after, 0);
    }

    /// The same, this line alone indented by some more.
    fn line_plus(&mut self, word: &str, before: isize, after: isize, plus: usize) {
        self.indent = self.indent.saturating_add_signed(before);
        self.out.truncate(self.out.trim_end_matches(' ').len());
        self.put("\n");
        let indent = " ".repeat(self.indent + plus);
        self.put(&indent);
        self.put(word);
        self.indent = self.indent.saturating_add_signed(after);
    }

    fn array(&mut self, elements: &[Expr], whole: &Expr) {
        self.put("ARRAY[");
        self.list(elements);
        self.put("]");
        if elements.is_empty() {
            let name = self.type_name(whole.ty, -1);
            self.put(&format!("::{name}"));
        }
    }

    fn field(&mut self, record: &Expr, field: usize) {
        let name = match self.names.env.names.user_type(record.ty) {
            Some(crate::types::env::UserType::Composite { fields, .. }) => fields.get(field).map(|(name, ..)| name.clone()),
            _ => None,
        };
        self.put("(");
        self.expr(record);
        let name = name.unwrap_or_else(|| format!("f{}", field + 1).into());
        self.put(&format!(").{}", quote_identifier(&name)));
    }

    fn subscript(&mut self, array: &Expr, indexes: &[(Option<Expr>, Option<Expr>)], slice: bool) {
        let plain = matches!(array.kind, ExprKind::Var { .. } | ExprKind::Param(_));
        if plain {
            self.expr(array);
        } else {
            self.put("(");
            self.expr(array);
            self.put(")");
        }
        for (low, high) in indexes {
            self.put("[");
            low.iter().for_each(|bound| self.expr(bound));
            if slice {
                self.put(":");
                high.iter().for_each(|bound| self.expr(bound));
            }
            self.put("]");
        }
    }

    fn aggregate(&mut self, call: &AggregateCall) {
        self.function_name(call.function.name);
        self.put("(");
        if call.distinct {
            self.put("DISTINCT ");
        }
        let real = call.arg_types.len().min(call.args.len());
        let ordered_set = matches!(call.function.body, crate::functions::Body::OrderedSet(..));
        if ordered_set {
            self.list(&call.direct);
        } else if call.star {
            self.put("*");
        } else {
            self.list(&call.args[..real]);
        }
        if !call.order.is_empty() {
            self.put(if ordered_set {
                ") WITHIN GROUP (ORDER BY "
            } else {
                " ORDER BY "
            });
            for (at, key) in call.order.iter().enumerate() {
                if at > 0 {
                    self.put(", ");
                }
                if let Some(arg) = call.args.get(key.column) {
                    self.expr(arg);
                }
                self.direction(key.descending, key.nulls_first);
            }
        }
        self.put(")");
        self.filter(call.filter.as_ref());
    }

    fn filter(&mut self, filter: Option<&Expr>) {
        if let Some(filter) = filter {
            self.put(" FILTER (WHERE ");
            self.bare(filter);
            self.put(")");
        }
    }

    fn direction(&mut self, descending: bool, nulls_first: bool) {
        self.put(match (descending, nulls_first) {
            (false, false) => "",
            (false, true) => " NULLS FIRST",
            (true, true) => " DESC",
            (true, false) => " DESC NULLS LAST",
        });
    }
}

/// How `CURRENT_DATE` and its kin were written, if the expression is one.
fn value_function(expr: &Expr) -> Option<&'static str> {
    match &expr.kind {
        ExprKind::Call(call) if call.args.is_empty() => call.operator,
        ExprKind::Cast(cast) if !cast.explicit => value_function(&cast.arg),
        _ => None,
    }
}

/// `simple_quote_literal`: never an escape string.
pub(crate) fn quote_literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
