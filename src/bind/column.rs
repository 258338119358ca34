//! Column references: which item of which level a name means, and the errors when none does.

use smol_str::SmolStr;
use sqlparser::ast;

use super::Binder;
use super::scope::{Clause, Item, Level, system_column};
use super::tree::{Expr, ExprKind, Rel, RelKind, SystemColumn};
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::parse::position_of;
use crate::types::oid;

/// Distance past which a similar name is not suggested (`MAX_FUZZY_DISTANCE`).
const FUZZY_DISTANCE_MAX: usize = 3;

impl<'a> Binder<'a> {
    /// `name`.
    pub(super) fn identifier(&mut self, ident: &'a ast::Ident) -> Result<Expr> {
        let position = position_of(ident.span);
        if ident.quote_style.is_none() && ident.value == "default" {
            return Err(PgError::new(sqlstate::SYNTAX_ERROR, "DEFAULT is not allowed in this context").at(position));
        }
        if let Some(expr) = self.find_bare(&ident.value, position)? {
            return Ok(expr);
        }
        if ident.value == "value"
            && let Some((base, typmod)) = self.level_ref().domain
        {
            let mut expr = Expr::new(ExprKind::DomainValue, base);
            expr.typmod = typmod;
            return Ok(expr);
        }
        if let Some((up, at)) = self.find_item(None, &ident.value, position)? {
            return self.whole_row(up, at).map_err(|error| error.at(position));
        }
        Err(self.missing_column(None, &ident.value, position))
    }

    /// `a.b`, `a.b.c`, ...
    pub(super) fn compound(&mut self, parts: &'a [ast::Ident]) -> Result<Expr> {
        let position = parts.first().map_or(0, |part| position_of(part.span));
        let (schema, relation, column) = match parts {
            [relation, column] => (None, relation, column),
            [schema, relation, column] => (Some(schema.value.as_str()), relation, column),
            [catalog, schema, relation, column] => {
                if catalog.value != self.host.current_database() {
                    return Err(PgError::new(
                        sqlstate::FEATURE_NOT_SUPPORTED,
                        format!("cross-database references are not implemented: {}", dotted(parts)),
                    )
                    .at(position));
                }
                (Some(schema.value.as_str()), relation, column)
            }
            _ => {
                return Err(PgError::new(
                    sqlstate::SYNTAX_ERROR,
                    format!("improper qualified name (too many dotted names): {}", dotted(parts)),
                )
                .at(position));
            }
        };
        let Some((up, at)) = self.find_item(schema, &relation.value, position)? else {
            return Err(self.missing_relation(schema, &relation.value, position));
        };
        if let Some(expr) = self.item_column(up, at, &column.value, position)? {
            return Ok(expr);
        }
        Err(self.missing_column(Some(&relation.value), &column.value, position))
    }

    /// `relation.*` as (levels up, item).
    pub(super) fn find_star(&mut self, name: &ast::ObjectName) -> Result<(u32, usize)> {
        let parts: Vec<&ast::Ident> = name.0.iter().filter_map(|part| part.as_ident()).collect();
        let position = parts.first().map_or(0, |part| position_of(part.span));
        let (schema, relation) = match parts.as_slice() {
            [relation] => (None, relation),
            [schema, relation] | [_, schema, relation] => (Some(schema.value.as_str()), relation),
            _ => {
                return Err(PgError::new(
                    sqlstate::SYNTAX_ERROR,
                    format!("improper qualified name (too many dotted names): {name}.*"),
                )
                .at(position));
            }
        };
        match self.find_item(schema, &relation.value, position)? {
            Some(found) => Ok(found),
            None => Err(self.missing_relation(schema, &relation.value, position)),
        }
    }

    /// `colNameToVar`: a bare name, innermost level first.
    pub(super) fn find_bare(&mut self, name: &str, position: u32) -> Result<Option<Expr>> {
        for up in 0..self.levels.len() {
            let level = &self.levels[self.levels.len() - 1 - up];
            let up = u32::try_from(up).unwrap_or(u32::MAX);
            let mut found: Option<Expr> = None;
            for item in level.items.iter().filter(|item| item.columns_visible) {
                if item.lateral_only && !level.lateral {
                    continue;
                }
                let Some(expr) = column_in(level, item, name, up, position)? else {
                    continue;
                };
                if found.is_some() {
                    return Err(ambiguous_column(name, position));
                }
                check_lateral(item, position)?;
                found = Some(expr);
            }
            if found.is_some() {
                self.note_system_column(found.as_ref(), position)?;
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// System columns that an expression of this clause may not name.
    fn note_system_column(&self, found: Option<&Expr>, position: u32) -> Result<()> {
        let Some(Expr {
            kind: ExprKind::SystemVar { column, .. },
            ..
        }) = found
        else {
            return Ok(());
        };
        let name = super::scope::system_column_name(*column);
        let clause = match self.level_ref().clause {
            Clause::Check if *column != SystemColumn::TableOid => "check constraint",
            Clause::Generated if *column != SystemColumn::TableOid => "column generation expression",
            _ => return Ok(()),
        };
        let message = match clause {
            "check constraint" => format!("system column \"{name}\" reference in check constraint is invalid"),
            _ => format!("cannot use system column \"{name}\" in column generation expression"),
        };
        Err(PgError::new(sqlstate::INVALID_COLUMN_REFERENCE, message).at(position))
    }

    /// `refnameNamespaceItem`: (levels up, item).
    pub(super) fn find_item(&self, schema: Option<&str>, name: &str, position: u32) -> Result<Option<(u32, usize)>> {
        let schema = match schema {
            None => None,
            Some(schema) => match self.catalog.find_schema(schema) {
                Some(oid) => Some(oid),
                None => return Ok(None),
            },
        };
        for up in 0..self.levels.len() {
            let level = &self.levels[self.levels.len() - 1 - up];
            let mut found = None;
            for (at, item) in level.items.iter().enumerate() {
                let matches = item.rel_visible
                    && item.name == name
                    && (schema.is_none() || item.schema == schema)
                    && (!item.lateral_only || level.lateral);
                if !matches {
                    continue;
                }
                if found.is_some() {
                    return Err(
                        PgError::new(sqlstate::AMBIGUOUS_ALIAS, format!("table reference \"{name}\" is ambiguous")).at(position),
                    );
                }
                check_lateral(item, position)?;
                found = Some(at);
            }
            if let Some(at) = found {
                return Ok(Some((u32::try_from(up).unwrap_or(u32::MAX), at)));
            }
        }
        Ok(None)
    }

    /// A column of a known item.
    fn item_column(&mut self, up: u32, at: usize, name: &str, position: u32) -> Result<Option<Expr>> {
        let level = &self.levels[self.levels.len() - 1 - up as usize];
        let found = column_in(level, &level.items[at], name, up, position)?;
        self.note_system_column(found.as_ref(), position)?;
        Ok(found)
    }

    /// `t` as a value.
    pub(super) fn whole_row(&mut self, up: u32, at: usize) -> Result<Expr> {
        if up == 0 && self.level_ref().clause == Clause::Generated {
            return Err(PgError::new(
                sqlstate::INVALID_OBJECT_DEFINITION,
                "cannot use whole-row variable in column generation expression",
            )
            .detail("This would cause the generated column to depend on its own value."));
        }
        let level = &self.levels[self.levels.len() - 1 - up as usize];
        let item = &level.items[at];
        let Some(rel) = item.rel else {
            let columns = (0..item.columns.len())
                .filter(|at| item.columns[*at].expr.is_some())
                .map(|at| level.column_expr(item, at, up))
                .collect();
            return Ok(Expr::new(ExprKind::Row(columns), oid::RECORD));
        };
        // A function of one scalar column stands for its value.
        if let RelKind::Functions {
            calls,
            ordinality: false,
        } = &level.rels[rel].kind
            && let [call] = calls.as_slice()
            && call.columns == 1
            && !self.is_row(call.expr.ty)
        {
            return Ok(level.column_expr(item, 0, up));
        }
        let ty = match &level.rels[rel].kind {
            RelKind::Table { table, .. } if table.row_type.is_valid() => table.row_type,
            _ => oid::RECORD,
        };
        Ok(Expr::new(ExprKind::WholeRow { level: up, rel }, ty))
    }

    /// 42P01 with PostgreSQL's hints (`errorMissingRTE`).
    pub(super) fn missing_relation(&self, schema: Option<&str>, name: &str, position: u32) -> PgError {
        let oid = self.catalog.lookup_relation(self.path, schema, name).ok();
        let mut wrong: Option<(&SmolStr, bool)> = None;
        'levels: for level in self.levels.iter().rev() {
            for (at, rel) in level.rels.iter().enumerate() {
                let same_table = match (&rel.kind, oid) {
                    (RelKind::Table { table, .. }, Some(oid)) => table.oid == oid,
                    (RelKind::Subquery { view: Some(view), .. }, Some(oid)) => *view == oid,
                    _ => false,
                };
                if same_table || rel.name == name {
                    let visible = level
                        .items
                        .iter()
                        .any(|item| item.rel == Some(at) && item.rel_visible && (!item.lateral_only || level.lateral));
                    wrong = Some((&rel.name, visible));
                    break 'levels;
                }
            }
        }
        let Some((alias, visible)) = wrong else {
            return PgError::new(
                sqlstate::UNDEFINED_TABLE,
                format!("missing FROM-clause entry for table \"{name}\""),
            )
            .at(position);
        };
        let error = PgError::new(
            sqlstate::UNDEFINED_TABLE,
            format!("invalid reference to FROM-clause entry for table \"{name}\""),
        )
        .at(position);
        if alias != name && visible {
            error.hint(format!("Perhaps you meant to reference the table alias \"{alias}\"."))
        } else {
            error.hint(format!(
                "There is an entry for table \"{alias}\", but it cannot be referenced from this part of the query."
            ))
        }
    }

    /// 42703 with PostgreSQL's hints (`errorMissingColumn`).
    pub(super) fn missing_column(&self, relation: Option<&str>, name: &str, position: u32) -> PgError {
        let message = match relation {
            Some(relation) => format!("column {relation}.{name} does not exist"),
            None => format!("column \"{name}\" does not exist"),
        };
        let error = PgError::new(sqlstate::UNDEFINED_COLUMN, message).at(position);
        match self.similar_column(relation, name) {
            Similar::None => error,
            Similar::Hidden(table) => error.hint(format!(
                "There is a column named \"{name}\" in table \"{table}\", but it cannot be referenced from this part of the query."
            )),
            Similar::One(first) => error.hint(format!("Perhaps you meant to reference the column \"{first}\".")),
            Similar::Two(first, second) => error.hint(format!(
                "Perhaps you meant to reference the column \"{first}\" or the column \"{second}\"."
            )),
        }
    }

    /// `searchRangeTableForCol`.
    fn similar_column(&self, relation: Option<&str>, name: &str) -> Similar {
        let mut best = FUZZY_DISTANCE_MAX + 1;
        let mut candidates: Vec<String> = Vec::new();
        for level in self.levels.iter().rev() {
            for rel in &level.rels {
                if matches!(rel.kind, RelKind::Join) {
                    continue;
                }
                let penalty = relation.map_or(0, |alias| distance(alias, &rel.name).min(FUZZY_DISTANCE_MAX + 1));
                for column in rel.columns.iter().filter(|column| !column.dropped) {
                    if column.name == name && penalty == 0 {
                        return Similar::Hidden(rel.name.to_string());
                    }
                    let of_column = distance(name, &column.name);
                    if of_column > name.chars().count() / 2 && column.name != name {
                        continue;
                    }
                    let total = of_column + penalty;
                    if total > FUZZY_DISTANCE_MAX {
                        continue;
                    }
                    let text = format!("{}.{}", rel.name, column.name);
                    if total < best {
                        best = total;
                        candidates = vec![text];
                    } else if total == best {
                        candidates.push(text);
                    }
                }
            }
        }
        match candidates.as_slice() {
            [first] => Similar::One(first.clone()),
            [first, second] => Similar::Two(first.clone(), second.clone()),
            _ => Similar::None,
        }
    }
}

/// What a message may suggest.
enum Similar {
    None,
    Hidden(String),
    One(String),
    Two(String, String),
}

pub(super) fn ambiguous_column(name: &str, position: u32) -> PgError {
    PgError::new(
        sqlstate::AMBIGUOUS_COLUMN,
        format!("column reference \"{name}\" is ambiguous"),
    )
    .at(position)
}

fn check_lateral(item: &Item, position: u32) -> Result<()> {
    if item.lateral_only && !item.lateral_ok {
        return Err(PgError::new(
            sqlstate::INVALID_COLUMN_REFERENCE,
            format!("invalid reference to FROM-clause entry for table \"{}\"", item.name),
        )
        .detail("The combining JOIN type must be INNER or LEFT for a LATERAL reference.")
        .at(position));
    }
    Ok(())
}

/// A column of an item by name, system columns last.
fn column_in(level: &Level<'_>, item: &Item, name: &str, up: u32, position: u32) -> Result<Option<Expr>> {
    match level.find_column(item, name) {
        (0, _) => {}
        (1, Some(at)) => return Ok(Some(level.column_expr(item, at, up))),
        _ => return Err(ambiguous_column(name, position)),
    }
    let Some(rel) = item.rel else {
        return Ok(None);
    };
    // `excluded` is no stored row.
    let stored = matches!(level.rels[rel].kind, RelKind::Table { .. });
    if !stored || item.name == "excluded" && level.rels[rel].lateral {
        return Ok(None);
    }
    Ok(system_column(name).map(|(column, ty)| Expr::new(ExprKind::SystemVar { level: up, rel, column }, ty)))
}

fn dotted(parts: &[ast::Ident]) -> String {
    parts.iter().map(|part| part.value.as_str()).collect::<Vec<_>>().join(".")
}

/// Levenshtein distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let cost = if ca == *cb { diagonal } else { diagonal + 1 };
            diagonal = row[j + 1];
            row[j + 1] = cost.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// OID of the schema that an item's table is in, where its name may be written with it.
pub(super) fn schema_of(rel: &Rel, has_alias: bool) -> Option<Oid> {
    match &rel.kind {
        RelKind::Table { table, .. } if !has_alias => Some(table.schema),
        _ => None,
    }
}
