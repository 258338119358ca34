//! Literals, casts, rows, arrays, subscripts and fields.

use smol_str::SmolStr;
use sqlparser::ast;

use super::Binder;
use super::at::{At, start_of};
use super::coerce::{Target, common_typmod};
use super::expr::unnest;
use super::tree::{Expr, ExprKind, Rel, RelKind};
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::parse::position_of;
use crate::types::{Value, info, io, oid};

impl<'a> Binder<'a> {
    pub(super) fn literal(&mut self, literal: &'a ast::ValueWithSpan) -> Result<Expr> {
        let position = position_of(literal.span);
        match &literal.value {
            ast::Value::Number(text, _) => self.number(text, position),
            ast::Value::SingleQuotedString(text) => Ok(unknown(text)),
            ast::Value::Boolean(value) => Ok(Expr::constant(Value::Bool(*value), oid::BOOL)),
            ast::Value::Null => Ok(Expr::constant(Value::Null, oid::UNKNOWN)),
            ast::Value::Placeholder(text) => self.param(text, position),
            ast::Value::SingleQuotedByteStringLiteral(text) => self.bits(&format!("b{text}"), position),
            ast::Value::HexStringLiteral(text) => self.bits(&format!("x{text}"), position),
            ast::Value::NationalStringLiteral(text) => Ok(Expr::constant(Value::Text(SmolStr::new(text)), oid::BPCHAR)),
            ast::Value::EscapedStringLiteral(text) | ast::Value::UnicodeStringLiteral(text) => Ok(unknown(text)),
            ast::Value::DollarQuotedString(text) => Ok(unknown(&text.value)),
            other => Err(PgError::new(sqlstate::SYNTAX_ERROR, format!("syntax error at or near \"{other}\"")).at(position)),
        }
    }

    fn bits(&self, text: &str, position: u32) -> Result<Expr> {
        let value = io::text_in(oid::BIT, -1, text, &self.env).map_err(|error| error.at(position))?;
        Ok(Expr::constant(value, oid::BIT))
    }

    /// `make_const`: the smallest of integer, bigint and numeric that holds it.
    pub(super) fn number(&self, text: &str, position: u32) -> Result<Expr> {
        if let Ok(value) = text.parse::<i32>() {
            return Ok(Expr::constant(Value::Int4(value), oid::INT4));
        }
        if let Ok(value) = text.parse::<i64>() {
            return Ok(Expr::constant(Value::Int8(value), oid::INT8));
        }
        let value = io::text_in(oid::NUMERIC, -1, text, &self.env).map_err(|error| error.at(position))?;
        Ok(Expr::constant(value, oid::NUMERIC))
    }

    /// `x::type` and CAST.
    pub(super) fn cast_expr(
        &mut self,
        arg: &'a ast::Expr,
        data_type: &'a ast::DataType,
        kind: &'a ast::CastKind,
    ) -> Result<Expr> {
        let (ty, typmod) = self.type_of(data_type)?;
        // `ARRAY[...]::type[]` gives its elements the type at once, also when there are none.
        if let ast::Expr::Array(array) = unnest(arg)
            && let Some(element) = self.element_of(ty)
        {
            let bound = self.array(array, Some((element, typmod, ty)), start_of(arg))?;
            return self.cast(bound, ty, typmod, At::Expr(arg), 0);
        }
        let bound = self.expr(arg)?;
        match self.cast(bound, ty, typmod, At::Expr(arg), 0) {
            Err(error) if error.code() == sqlstate::CANNOT_COERCE => {
                // PostgreSQL points at `::`, or at the key word CAST.
                let mut error = error;
                error.fields_mut().position = match kind {
                    ast::CastKind::DoubleColon => Some(self.position_after(arg, "::")),
                    _ => Some(self.position_before(start_of(arg), "cast").min(start_of(arg))),
                }
                .filter(|position| *position > 0);
                Err(error)
            }
            result => result,
        }
    }

    /// `type 'text'`.
    pub(super) fn typed_string(&mut self, typed: &'a ast::TypedString) -> Result<Expr> {
        let (ty, typmod) = self.type_of(&typed.data_type)?;
        let at = At::Position(position_of(typed.value.span));
        let literal = self.literal(&typed.value)?;
        self.cast(literal, ty, typmod, at, 0)
    }

    /// `INTERVAL 'text' fields`.
    pub(super) fn interval(&mut self, interval: &'a ast::Interval) -> Result<Expr> {
        let bit = |field: &ast::DateTimeField| match field {
            ast::DateTimeField::Year => 1 << 2,
            ast::DateTimeField::Month => 1 << 1,
            ast::DateTimeField::Day => 1 << 3,
            ast::DateTimeField::Hour => 1 << 10,
            ast::DateTimeField::Minute => 1 << 11,
            _ => 1_i64 << 12,
        };
        let order = [1_i64 << 2, 1 << 1, 1 << 3, 1 << 10, 1 << 11, 1 << 12];
        let typmod = match (&interval.leading_field, &interval.last_field) {
            (None, _) => -1,
            (Some(first), last) => {
                let (first, last) = (bit(first), last.as_ref().map_or(bit(first), bit));
                let mask: i64 = order
                    .iter()
                    .skip_while(|field| **field != first)
                    .take_while({
                        let mut done = false;
                        move |field| {
                            let take = !done;
                            done |= **field == last;
                            take
                        }
                    })
                    .sum();
                match interval.fractional_seconds_precision {
                    Some(digits) => info::typmod_in(oid::INTERVAL, &[mask, i64::try_from(digits).unwrap_or(6)])?,
                    None => info::typmod_in(oid::INTERVAL, &[mask])?,
                }
            }
        };
        let bound = self.expr(&interval.value)?;
        self.cast(bound, oid::INTERVAL, typmod, At::Expr(&interval.value), 0)
    }

    /// `ROW(...)`, with `t.*` spread out.
    pub(super) fn row(&mut self, items: &'a [ast::Expr]) -> Result<Expr> {
        let fields = self.row_items(items)?;
        let mut resolved = Vec::with_capacity(fields.len());
        for field in fields {
            // Unknown literals in a row stay unknown until the row is coerced; text is what they are by themselves.
            resolved.push(field);
        }
        Ok(Expr::new(ExprKind::Row(resolved), oid::RECORD))
    }

    /// The members of a row constructor.
    pub(super) fn row_items(&mut self, items: &'a [ast::Expr]) -> Result<Vec<Expr>> {
        let mut fields = Vec::with_capacity(items.len());
        for item in items {
            if let ast::Expr::QualifiedWildcard(name, _) = item {
                let (up, at) = self.find_star(name)?;
                let level = &self.levels[self.levels.len() - 1 - up as usize];
                let entry = &level.items[at];
                for column in 0..level.width(entry) {
                    if level.column_name(entry, column).is_some() {
                        fields.push(level.column_expr(entry, column, up));
                    }
                }
            } else {
                fields.push(self.expr(item)?);
            }
        }
        Ok(fields)
    }

    /// `transformArrayExpr`; `wanted` is (element, typmod, array type) of a cast around it.
    pub(super) fn array(&mut self, array: &'a ast::Array, wanted: Option<(Oid, i32, Oid)>, position: u32) -> Result<Expr> {
        let mut elements = Vec::with_capacity(array.elem.len());
        let mut nested = false;
        for item in &array.elem {
            if let ast::Expr::Array(inner) = unnest(item) {
                // Inner arrays of a cast have its element type, one dimension down.
                elements.push(self.array(inner, wanted, start_of(item))?);
                nested = true;
            } else {
                let bound = self.expr(item)?;
                nested |= bound.ty != oid::INT2VECTOR
                    && bound.ty != oid::OIDVECTOR
                    && wanted.is_none()
                    && self.element_of(bound.ty).is_some();
                elements.push(bound);
            }
        }
        let at: Vec<At<'a>> = array.elem.iter().map(At::Expr).collect();
        if let Some((element, typmod, array_type)) = wanted {
            let element = if nested { array_type } else { element };
            let mut coerced = Vec::with_capacity(elements.len());
            for (expr, at) in elements.into_iter().zip(&at) {
                let typmod = if nested { -1 } else { typmod };
                coerced.push(self.cast(expr, element, typmod, *at, 0)?);
            }
            let elements = coerced;
            return Ok(Expr::new(ExprKind::Array { elements, nested }, array_type));
        }
        if elements.is_empty() {
            return Err(
                PgError::new(sqlstate::INDETERMINATE_DATATYPE, "cannot determine type of empty array")
                    .hint("Explicitly cast to the desired type, for example ARRAY[]::integer[].")
                    .at(if position > 0 {
                        position
                    } else {
                        self.position_from(1, "array[")
                    }),
            );
        }
        let (elements, common) = self.unify(elements, &at, "ARRAY")?;
        let (ty, nested) = match self.element_of(common) {
            Some(_) if nested => (common, true),
            _ => match self.array_of(common) {
                Some(array) => (array, false),
                None => {
                    return Err(PgError::new(
                        sqlstate::UNDEFINED_OBJECT,
                        format!("could not find array type for data type {}", self.type_text(common)),
                    )
                    .at(position));
                }
            },
        };
        let typmod = common_typmod(&elements, common);
        let mut expr = Expr::new(ExprKind::Array { elements, nested }, ty);
        expr.typmod = typmod;
        Ok(expr)
    }

    /// `x.field`, `x[i]`, `x[a:b]` in chains.
    pub(super) fn access(&mut self, root: &'a ast::Expr, chain: &'a [ast::AccessExpr]) -> Result<Expr> {
        // `t.col[1]`: the leading fields may be a qualified column.
        let (mut value, mut rest) = self.access_root(root, chain)?;
        while let Some((first, tail)) = rest.split_first() {
            match first {
                ast::AccessExpr::Dot(ast::Expr::Identifier(name)) => {
                    value = self.field(value, &name.value, position_of(name.span), start_of(root))?;
                    rest = tail;
                }
                ast::AccessExpr::Dot(_) => return Err(PgError::unsupported("this field selection")),
                ast::AccessExpr::Subscript(_) => {
                    let count = rest
                        .iter()
                        .take_while(|step| matches!(step, ast::AccessExpr::Subscript(_)))
                        .count();
                    value = self.subscript(value, &rest[..count], At::Expr(root))?;
                    rest = &rest[count..];
                }
            }
        }
        Ok(value)
    }

    fn access_root(&mut self, root: &'a ast::Expr, chain: &'a [ast::AccessExpr]) -> Result<(Expr, &'a [ast::AccessExpr])> {
        let ast::Expr::Identifier(first) = root else {
            return Ok((self.expr(root)?, chain));
        };
        let position = position_of(first.span);
        let Some(ast::AccessExpr::Dot(ast::Expr::Identifier(second))) = chain.first() else {
            return Ok((self.expr(root)?, chain));
        };
        let Some((up, at)) = self.find_item(None, &first.value, position)? else {
            // `schema.table.column[1]`.
            if let Some(ast::AccessExpr::Dot(ast::Expr::Identifier(third))) = chain.get(1)
                && let Some((up, at)) = self.find_item(Some(&first.value), &second.value, position)?
                && let Some(found) = self.column_of(up, at, &third.value)
            {
                return Ok((found, &chain[2..]));
            }
            return Err(self.missing_relation(None, &first.value, position));
        };
        match self.column_of(up, at, &second.value) {
            Some(found) => Ok((found, &chain[1..])),
            None => Err(self.missing_column(Some(&first.value), &second.value, position)),
        }
    }

    fn column_of(&self, up: u32, at: usize, name: &str) -> Option<Expr> {
        let level = &self.levels[self.levels.len() - 1 - up as usize];
        let item = &level.items[at];
        let (_, column) = level.find_column(item, name);
        Some(level.column_expr(item, column?, up))
    }

    /// `(record).name`.
    pub(super) fn field(&mut self, record: Expr, name: &str, position: u32, root: u32) -> Result<Expr> {
        // Fields of a whole row are its rel's columns.
        if let ExprKind::WholeRow { level, rel } = record.kind
            && let Some(found) = self.levels.get(self.levels.len() - 1 - level as usize)
            && let Some(at) = found.rels[rel].columns.iter().position(|c| !c.dropped && c.name == name)
        {
            let mut expr = found.var(rel, at);
            super::walk::deepen(&mut expr, level);
            return Ok(expr);
        }
        if let Some(fields) = self.fields_of(record.ty)
            && let Some(at) = fields.iter().position(|(field, ..)| field == name)
        {
            let (_, ty, typmod) = fields[at];
            let record = Box::new(record);
            let mut expr = Expr::new(ExprKind::Field { record, field: at }, ty);
            expr.typmod = typmod;
            return Ok(expr);
        }
        // A function's OUT arguments.
        if let ExprKind::Call(call) = &record.kind
            && let Some(at) = call.function.columns.iter().position(|(column, _)| *column == name)
        {
            let ty = match call.function.columns[at].1 {
                oid::ANYELEMENT => call
                    .arg_types
                    .first()
                    .and_then(|ty| self.element_of(*ty))
                    .unwrap_or(oid::TEXT),
                other => other,
            };
            let record = Box::new(record);
            return Ok(Expr::new(ExprKind::Field { record, field: at }, ty));
        }
        if let ExprKind::Row(values) = &record.kind
            && let Some(at) = name.strip_prefix('f').and_then(|n| n.parse::<usize>().ok())
            && (1..=values.len()).contains(&at)
        {
            let (ty, typmod) = (values[at - 1].ty, values[at - 1].typmod);
            let record = Box::new(record);
            let mut expr = Expr::new(ExprKind::Field { record, field: at - 1 }, ty);
            expr.typmod = typmod;
            return Ok(expr);
        }
        if record.ty == oid::RECORD
            && let Some(fields) = self.record_fields(&record)
            && let Some(at) = fields.iter().position(|(field, ..)| field == name)
        {
            let (_, ty, typmod) = fields[at];
            let record = Box::new(record);
            let mut expr = Expr::new(ExprKind::Field { record, field: at }, ty);
            expr.typmod = typmod;
            return Ok(expr);
        }
        let error = if record.ty == oid::RECORD {
            PgError::new(
                sqlstate::UNDEFINED_COLUMN,
                format!("could not identify column \"{name}\" in record data type"),
            )
        } else if self.is_row(self.base_type(record.ty)) {
            PgError::new(
                sqlstate::UNDEFINED_COLUMN,
                format!("column \"{name}\" not found in data type {}", self.type_text(record.ty)),
            )
        } else {
            PgError::new(
                sqlstate::WRONG_OBJECT_TYPE,
                format!(
                    "column notation .{name} applied to type {}, which is not a composite type",
                    self.type_text(record.ty)
                ),
            )
        };
        Err(error.at(if root > 0 { root } else { position }))
    }

    /// Fields of an anonymous record, looked for where it is made (`expandRecordVariable`).
    pub(super) fn record_fields(&self, record: &Expr) -> Option<Vec<(SmolStr, Oid, i32)>> {
        match &record.kind {
            ExprKind::Var { level, rel, column } => {
                let owner = self.levels.get(self.levels.len().checked_sub(1 + *level as usize)?)?;
                rel_record_fields(&owner.rels[*rel], *column)
            }
            ExprKind::WholeRow { level, rel } => {
                let owner = self.levels.get(self.levels.len().checked_sub(1 + *level as usize)?)?;
                Some(rel_fields(&owner.rels[*rel]))
            }
            other => made_fields(other),
        }
    }

    /// A run of subscripts over one container.
    pub(super) fn subscript(&mut self, container: Expr, steps: &'a [ast::AccessExpr], at: At<'a>) -> Result<Expr> {
        if self.base_type(container.ty) == oid::JSONB {
            return self.jsonb_subscript(container, steps, at);
        }
        let base = self.base_type(container.ty);
        let element = match info::info(base) {
            Some(row) if row.element.is_valid() => Some(row.element),
            _ => self.element_of(base),
        };
        let Some(element) = element else {
            return Err(PgError::new(
                sqlstate::DATATYPE_MISMATCH,
                format!(
                    "cannot subscript type {} because it does not support subscripting",
                    self.type_text(container.ty)
                ),
            )
            .at(at.position()));
        };
        let is_slice = |step: &ast::AccessExpr| matches!(step, ast::AccessExpr::Subscript(ast::Subscript::Slice { .. }));
        let slice = steps.iter().any(is_slice);
        let mut indexes = Vec::with_capacity(steps.len());
        for step in steps {
            let ast::AccessExpr::Subscript(step) = step else {
                continue;
            };
            indexes.push(match step {
                // In a slice, `[n]` means `[1:n]`.
                ast::Subscript::Index { index } if slice => {
                    let one = Expr::constant(Value::Int4(1), oid::INT4);
                    (Some(one), Some(self.index(index)?))
                }
                ast::Subscript::Index { index } => (Some(self.index(index)?), None),
                ast::Subscript::Slice {
                    lower_bound,
                    upper_bound,
                    ..
                } => (
                    lower_bound.as_ref().map(|bound| self.index(bound)).transpose()?,
                    upper_bound.as_ref().map(|bound| self.index(bound)).transpose()?,
                ),
            });
        }
        let typmod = container.typmod;
        let ty = if slice { container.ty } else { element };
        let array = Box::new(container);
        let mut expr = Expr::new(ExprKind::Subscript { array, indexes, slice }, ty);
        expr.typmod = typmod;
        Ok(expr)
    }

    pub(super) fn index(&mut self, index: &'a ast::Expr) -> Result<Expr> {
        let bound = self.expr(index)?;
        let from = bound.ty;
        if let Some(expr) = self.coerce_to(bound, Target::assignment(oid::INT4, -1), At::Expr(index))? {
            Ok(expr)
        } else {
            let _ = from;
            Err(PgError::new(sqlstate::DATATYPE_MISMATCH, "array subscript must have type integer").at(start_of(index)))
        }
    }

    /// `jsonb['a'][1]` is `jsonb #> path`, element by element.
    fn jsonb_subscript(&mut self, container: Expr, steps: &'a [ast::AccessExpr], at: At<'a>) -> Result<Expr> {
        let mut value = container;
        for step in steps {
            let ast::AccessExpr::Subscript(ast::Subscript::Index { index }) = step else {
                return Err(
                    PgError::new(sqlstate::DATATYPE_MISMATCH, "jsonb subscript does not support slices").at(at.position()),
                );
            };
            let bound = self.expr(index)?;
            let key = if bound.ty == oid::INT4 {
                bound
            } else {
                self.coerce_to_specific(bound, oid::TEXT, "jsonb subscript", At::Expr(index))?
            };
            let used = super::operator::Use::at("->", at.position());
            value = self.binary(used, value, key, at, At::Expr(index))?;
        }
        Ok(value)
    }

    /// COLLATE: all collations that exist here compare alike, so only the name is checked.
    pub(super) fn collate(&mut self, arg: &'a ast::Expr, collation: &'a ast::ObjectName) -> Result<Expr> {
        let bound = self.expr(arg)?;
        let name = collation.0.last().and_then(|part| part.as_ident());
        let text = name.map_or("", |ident| ident.value.as_str());
        let position = name.map_or(0, |ident| position_of(ident.span));
        if !matches!(text, "C" | "POSIX" | "default" | "ucs_basic") {
            return Err(PgError::new(
                sqlstate::UNDEFINED_OBJECT,
                format!("collation \"{text}\" for encoding \"UTF8\" does not exist"),
            )
            .at(self.position_before(position, "collate").max(1)));
        }
        let collatable = bound.ty == oid::UNKNOWN || {
            let base = self.element_of(bound.ty).unwrap_or_else(|| self.base_type(bound.ty));
            info::info(base).is_some_and(|row| row.collation.is_valid())
        };
        if !collatable {
            return Err(PgError::new(
                sqlstate::DATATYPE_MISMATCH,
                format!("collations are not supported by type {}", self.type_text(bound.ty)),
            )
            .at(self.position_before(position, "collate").max(1)));
        }
        Ok(bound)
    }
}

/// A string literal before it meets a type.
pub(super) fn unknown(text: &str) -> Expr {
    Expr::constant(Value::Text(SmolStr::new(text)), oid::UNKNOWN)
}

/// Live columns of a rel as fields.
fn rel_fields(rel: &Rel) -> Vec<(SmolStr, Oid, i32)> {
    rel.columns
        .iter()
        .filter(|column| !column.dropped)
        .map(|column| (column.name.clone(), column.ty, column.typmod))
        .collect()
}

/// Fields of a record that an expression makes by itself.
fn made_fields(kind: &ExprKind) -> Option<Vec<(SmolStr, Oid, i32)>> {
    match kind {
        ExprKind::Row(values) => Some(
            values
                .iter()
                .enumerate()
                .map(|(at, value)| (SmolStr::from(format!("f{}", at + 1)), value.ty, value.typmod))
                .collect(),
        ),
        ExprKind::Call(call) if call.function.columns.len() > 1 => {
            let columns = call.function.columns.iter();
            Some(columns.map(|(name, ty)| (SmolStr::new(*name), *ty, -1)).collect())
        }
        _ => None,
    }
}

/// Fields of the record in a column of a sub-select.
fn rel_record_fields(rel: &Rel, column: usize) -> Option<Vec<(SmolStr, Oid, i32)>> {
    let RelKind::Subquery { query, .. } = &rel.kind else {
        return None;
    };
    let target = query.output_targets().iter().filter(|target| !target.junk).nth(column)?;
    match &target.expr.kind {
        ExprKind::Var { level: 0, rel, column } => rel_record_fields(query.rels.get(*rel)?, *column),
        ExprKind::WholeRow { level: 0, rel } => Some(rel_fields(query.rels.get(*rel)?)),
        other => made_fields(other),
    }
}
