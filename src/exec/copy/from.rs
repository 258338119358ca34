//! COPY FROM.

use std::ops::Range;
use std::sync::Arc;

use smol_str::SmolStr;

use super::binary::BinaryReader;
use super::fields::{Field, Fields};
use super::lines::Lines;
use super::options::{CopyOptions, Format, Header, parse};
use super::{CopySource, bad_format, columns_of, forced, may_use, not_copied, only_client};
use crate::bind::tree::Expr;
use crate::catalog::{ConstraintKind, RelationRef, RowKey, Table};
use crate::codec::{layout, row};
use crate::error::{PgError, Result, sqlstate};
use crate::exec::ExecContext;
use crate::exec::ddl::{DdlContext, exprs};
use crate::exec::foreign_keys::ForeignKeys;
use crate::exec::row::Row;
use crate::exec::slots::eval_sync;
use crate::exec::table_writer::TableWriter;
use crate::ids::Oid;
use crate::lock::RelationMode;
use crate::parse::{Copy, CopySource as From, Parsed};
use crate::plan;
use crate::txn::Bulk;
use crate::types::{TypeEnv, Value, io};

/// Lines between two looks at the cancel flag.
const LINES_BATCH: u64 = 128;
/// Characters of data in a message (`MAX_COPY_DATA_DISPLAY`).
const SHOWN_BYTES_MAX: usize = 100;

/// Reads rows from the source into a table; answers how many were inserted.
pub async fn copy_in(ctx: &DdlContext<'_>, _parsed: &Parsed, copy: &Copy, source: &mut dyn CopySource) -> Result<u64> {
    let From::Table { name, columns } = &copy.source else {
        return Err(PgError::internal("COPY FROM a query"));
    };
    only_client(&copy.target)?;
    let Some(oid) = ctx.find_locked(name, RelationMode::RowExclusive).await? else {
        return Err(ctx.missing_relation(name));
    };
    let table = target_table(ctx, oid)?;
    may_use(ctx, &table)?;
    let condition = match &copy.selection {
        Some(selection) => Some(exprs::copy_condition(ctx, &table, selection)?),
        None => None,
    };
    let options = parse(&copy.options, true)?;
    if ctx.txn.options().read_only && !table.temporary {
        return Err(PgError::new(
            sqlstate::READ_ONLY_SQL_TRANSACTION,
            "cannot execute COPY FROM in a read-only transaction",
        ));
    }
    let places = columns_of(&table, columns)?;
    if options.freeze && !ctx.txn.can_bulk(table.storage) {
        return Err(PgError::new(
            sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE,
            "cannot perform COPY FREEZE because the table was not created or truncated in the current subtransaction",
        ));
    }
    let mut loader = Loader::new(ctx, &table, places, condition)?;
    source.start(options.format == Format::Binary, loader.places.len());
    if options.format == Format::Binary {
        loader.read_binary(source).await?;
    } else {
        loader.read_lines(&options, source).await?;
    }
    loader.finish().await
}

fn target_table(ctx: &DdlContext<'_>, oid: Oid) -> Result<Arc<Table>> {
    let catalog = ctx.catalog();
    let wrong = |what: &str, name: &str| PgError::new(sqlstate::WRONG_OBJECT_TYPE, format!("cannot copy to {what} \"{name}\""));
    match catalog.relation(oid) {
        Some(RelationRef::Table(table)) if table.virtual_source.is_none() => Ok(Arc::clone(table)),
        Some(RelationRef::Table(table)) => {
            Err(wrong("view", &table.name).hint("To enable copying to a view, provide an INSTEAD OF INSERT trigger."))
        }
        Some(RelationRef::View(view)) => {
            Err(wrong("view", &view.name).hint("To enable copying to a view, provide an INSTEAD OF INSERT trigger."))
        }
        Some(RelationRef::Sequence(one)) => Err(wrong("sequence", &one.name)),
        Some(RelationRef::Index(one)) => Err(wrong("non-table relation", &one.name)),
        None => Err(PgError::internal("a relation that is there and is not")),
    }
}

/// A column that the data does not have.
enum Default {
    /// The same for every row.
    Value(usize, Value),
    Each(usize, Expr),
}

/// Where rows go.
enum Destination {
    Bulk(Bulk),
    Rows,
}

struct Loader<'a> {
    ctx: &'a DdlContext<'a>,
    exec: ExecContext,
    table: &'a Arc<Table>,
    writer: TableWriter,
    foreign_keys: ForeignKeys,
    /// Columns of the data, in its order.
    places: Vec<usize>,
    types: Vec<Oid>,
    defaults: Vec<Default>,
    condition: Option<Expr>,
    destination: Destination,
    row: Row,
    stored: Vec<u8>,
    inserted: u64,
}

impl<'a> Loader<'a> {
    fn new(ctx: &'a DdlContext<'a>, table: &'a Arc<Table>, places: Vec<usize>, condition: Option<Expr>) -> Result<Self> {
        let exec = ctx.exec()?;
        let target = plan::write_target(table, &exec.plan_context())?;
        let mut defaults = Vec::new();
        for (at, column) in table.live_columns() {
            if places.contains(&at) || column.generated.is_some() {
                continue;
            }
            let Some(expr) = exprs::column_default(ctx, table, at)? else {
                continue;
            };
            defaults.push(if exprs::is_mutable(&expr, true) {
                Default::Each(at, expr)
            } else {
                Default::Value(at, eval_sync(&exec, &expr, &[])?)
            });
        }
        let foreign = table
            .constraints
            .iter()
            .any(|one| matches!(one.kind, ConstraintKind::ForeignKey(_)));
        let plain = table.indexes.is_empty() && table.row_key == RowKey::RowId && !foreign;
        let destination = if plain && ctx.txn.can_bulk(table.storage) {
            Destination::Bulk(ctx.txn.bulk_ordered(table.storage)?)
        } else {
            Destination::Rows
        };
        Ok(Loader {
            ctx,
            foreign_keys: ForeignKeys::of(table, &exec.catalog),
            writer: TableWriter::new(target),
            types: table.columns.iter().map(|column| column.ty).collect(),
            row: vec![Value::Null; table.columns.len()],
            exec,
            table,
            places,
            defaults,
            condition,
            destination,
            stored: Vec::new(),
            inserted: 0,
        })
    }

    fn names(&self) -> Vec<SmolStr> {
        self.places.iter().map(|at| self.table.columns[*at].name.clone()).collect()
    }

    async fn read_lines(&mut self, options: &CopyOptions, source: &mut dyn CopySource) -> Result<()> {
        let names = self.names();
        let table = self.table;
        let unknown = |option| move |column: &str| not_copied(table, column, option);
        let not_null = forced(&options.force_not_null, &names, unknown("FORCE_NOT_NULL"))?;
        let nullable = forced(&options.force_null, &names, unknown("FORCE_NULL"))?;
        let forced = options.format == Format::Csv && (not_null.contains(&true) || nullable.contains(&true));
        let mut lines = Lines::new(options);
        let mut fields = Fields::default();
        if options.header != Header::No {
            self.header(options, &mut lines, &mut fields, source).await?;
        }
        loop {
            let next = lines.next(source).await;
            let number = lines.number();
            let Some(line) = next.map_err(|error| error.context(format!("COPY {}, line {number}", self.table.name)))? else {
                break;
            };
            if number.is_multiple_of(LINES_BATCH) {
                self.ctx.breathe().await?;
            }
            self.line_values(
                options,
                &lines,
                line.clone(),
                &mut fields,
                forced.then_some((&not_null, &nullable)),
            )?;
            let passed = self.complete();
            if passed.map_err(|error| self.in_line(error, number, lines.bytes(line)))? {
                self.store().await.map_err(|error| self.at_line(error, number))?;
            }
        }
        lines.drain(source).await
    }

    /// The header line: passed over, or compared with the columns' names.
    async fn header(
        &mut self,
        options: &CopyOptions,
        lines: &mut Lines,
        fields: &mut Fields,
        source: &mut dyn CopySource,
    ) -> Result<()> {
        let line = lines.next(source).await?;
        if options.header != Header::Match {
            return Ok(());
        }
        let line: &[u8] = line.map_or(&[], |line| lines.bytes(line));
        fields.parse(line, options)?;
        let fail = |message: String| Err(self.in_line(bad_format(message), 1, line));
        if fields.fields.len() != self.places.len() {
            return fail(format!(
                "wrong number of fields in header line: got {}, expected {}",
                fields.fields.len(),
                self.places.len()
            ));
        }
        for (at, place) in self.places.iter().enumerate() {
            let expected = &self.table.columns[*place].name;
            let got = String::from_utf8_lossy(fields.bytes(at, line));
            if fields.fields[at] == Field::Null {
                return fail(format!(
                    "column name mismatch in header line field {}: got null value (\"{}\"), expected \"{expected}\"",
                    at + 1,
                    options.null
                ));
            }
            if got != expected.as_str() {
                return fail(format!(
                    "column name mismatch in header line field {}: got \"{got}\", expected \"{expected}\"",
                    at + 1
                ));
            }
        }
        Ok(())
    }

    /// Reads a line's values into the row.
    fn line_values(
        &mut self,
        options: &CopyOptions,
        lines: &Lines,
        place: Range<usize>,
        fields: &mut Fields,
        forced: Option<(&Vec<bool>, &Vec<bool>)>,
    ) -> Result<()> {
        let number = lines.number();
        let line = lines.bytes(place);
        let text = io::decode_utf8(line).map_err(|error| error.context(format!("COPY {}, line {number}", self.table.name)))?;
        fields
            .parse(line, options)
            .map_err(|error| self.in_line(error, number, line))?;
        if fields.fields.len() > self.places.len() {
            return Err(self.in_line(bad_format("extra data after last expected column"), number, line));
        }
        let env = TypeEnv {
            settings: &self.ctx.settings,
            names: &*self.ctx.names,
            now_micros: self.ctx.now_micros,
        };
        for (at, place) in self.places.iter().enumerate() {
            if let Some((not_null, nullable)) = forced.filter(|_| at < fields.fields.len()) {
                if nullable[at] {
                    fields.nullify(at, line, options);
                }
                if not_null[at] {
                    fields.unnull(at, options);
                }
            }
            let column = &self.table.columns[*place];
            let Some(field) = fields.fields.get(at) else {
                let missing = bad_format(format!("missing data for column \"{}\"", column.name));
                return Err(self.in_line(missing, number, line));
            };
            let value = match *field {
                Field::Null => Value::Null,
                // Fields are cut at ASCII bytes, so they are whole characters.
                Field::Line { start, end } => io::text_in(column.ty, column.typmod, &text[start..end], &env)
                    .map_err(|error| in_column(error, self.table, number, &column.name, &text[start..end]))?,
                Field::Scratch { .. } => {
                    let unescaped = io::decode_utf8(fields.bytes(at, line))
                        .map_err(|error| error.context(format!("COPY {}, line {number}", self.table.name)))?;
                    io::text_in(column.ty, column.typmod, unescaped, &env)
                        .map_err(|error| in_column(error, self.table, number, &column.name, unescaped))?
                }
            };
            self.row[*place] = value;
        }
        Ok(())
    }

    fn in_line(&self, error: PgError, number: u64, line: &[u8]) -> PgError {
        let text = String::from_utf8_lossy(line);
        error.context(format!("COPY {}, line {number}: \"{}\"", self.table.name, shortened(&text)))
    }

    async fn read_binary(&mut self, source: &mut dyn CopySource) -> Result<()> {
        let mut reader = BinaryReader::default();
        reader.header(source).await?;
        let mut number = 0_u64;
        loop {
            number += 1;
            let at_line = |error: PgError| error.context(format!("COPY {}, line {number}", self.table.name));
            let more = reader.tuple(source, self.places.len()).await.map_err(at_line)?;
            if !more {
                return reader.drain(source).await;
            }
            if number.is_multiple_of(LINES_BATCH) {
                self.ctx.breathe().await?;
            }
            for (at, place) in self.places.iter().enumerate() {
                let column = &self.table.columns[*place];
                let value = match reader.field(at) {
                    None => Ok(Value::Null),
                    Some(bytes) => io::binary_in(column.ty, column.typmod, bytes, &self.exec.env()),
                };
                self.row[*place] = value
                    .map_err(|error| error.context(format!("COPY {}, line {number}, column {}", self.table.name, column.name)))?;
            }
            if self.complete().map_err(|error| self.at_line(error, number))? {
                self.store().await.map_err(|error| self.at_line(error, number))?;
            }
        }
    }

    fn at_line(&self, error: PgError, number: u64) -> PgError {
        error.context(format!("COPY {}, line {number}", self.table.name))
    }

    /// Fills in defaults and checks the row; false where WHERE leaves it out.
    fn complete(&mut self) -> Result<bool> {
        for default in &self.defaults {
            match default {
                Default::Value(at, value) => self.row[*at] = value.clone(),
                Default::Each(at, expr) => self.row[*at] = eval_sync(&self.exec, expr, &[])?,
            }
        }
        if let Some(condition) = &self.condition
            && !matches!(eval_sync(&self.exec, condition, &self.row)?, Value::Bool(true))
        {
            return Ok(false);
        }
        self.writer.check_row(&self.exec, &mut self.row)?;
        Ok(true)
    }

    /// Puts the row where rows go.
    async fn store(&mut self) -> Result<()> {
        match &mut self.destination {
            Destination::Bulk(bulk) => {
                self.stored.clear();
                row::encode_row(self.exec.txn.xid(), &self.types, &self.row, &mut self.stored)?;
                let key = layout::row_id_key(self.exec.txn.next_row_id(self.table.storage));
                bulk.put(&key, &self.stored)?;
            }
            Destination::Rows => {
                self.writer.insert(&self.exec, &self.row).await?;
                self.foreign_keys.inserted(&self.row);
            }
        }
        self.inserted += 1;
        Ok(())
    }

    /// Makes bulk rows part of the table, or checks references.
    async fn finish(mut self) -> Result<u64> {
        match self.destination {
            Destination::Bulk(bulk) => {
                crate::exec::ddl::busy(|| bulk.finish(&self.exec.txn))?;
            }
            Destination::Rows => self.foreign_keys.check(&self.exec).await?,
        }
        Ok(self.inserted)
    }
}

fn in_column(error: PgError, table: &Table, number: u64, column: &str, text: &str) -> PgError {
    error.context(format!(
        "COPY {}, line {number}, column {column}: \"{}\"",
        table.name,
        shortened(text)
    ))
}

/// At most 100 bytes, and `...` for what is left out.
fn shortened(text: &str) -> String {
    if text.len() <= SHOWN_BYTES_MAX {
        return text.to_owned();
    }
    let mut end = SHOWN_BYTES_MAX;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}...", &text[..end])
}
