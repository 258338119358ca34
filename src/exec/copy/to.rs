//! COPY TO.

use std::sync::Arc;

use smol_str::SmolStr;

use super::binary::{write_field, write_header};
use super::options::{CopyOptions, Format, Header, parse};
use super::{CopySink, columns_of, forced, may_use, not_copied, only_client};
use crate::catalog::{RelationRef, Table};
use crate::error::{PgError, Result, sqlstate};
use crate::exec::Execution;
use crate::exec::ddl::{DdlContext, exprs};
use crate::ids::Oid;
use crate::limits::BATCH_ROWS_MAX;
use crate::lock::RelationMode;
use crate::parse::{Copy, CopySource as What, Name, Parsed, QName, quote_identifier};
use crate::plan::PlanKind;
use crate::types::{TypeEnv, Value, io};

/// Writes a table's or a query's rows to the sink; answers how many.
pub async fn copy_out(ctx: &DdlContext<'_>, _parsed: &Parsed, copy: &Copy, sink: &mut dyn CopySink) -> Result<u64> {
    only_client(&copy.target)?;
    let (plan, table) = match &copy.source {
        What::Table { name, columns } => {
            let (table, query) = table_query(ctx, name, columns).await?;
            parse(&copy.options, false)?;
            (exprs::plan_query(ctx, &query).await?, Some(table))
        }
        What::Query(query) => (exprs::plan_query(ctx, query).await?, None),
    };
    let options = parse(&copy.options, false)?;
    if plan.columns.is_empty() && plan.kind != PlanKind::Select {
        return Err(PgError::new(
            sqlstate::FEATURE_NOT_SUPPORTED,
            "COPY query must have a RETURNING clause",
        ));
    }
    if plan.writes && ctx.txn.options().read_only {
        return Err(PgError::new(
            sqlstate::READ_ONLY_SQL_TRANSACTION,
            "cannot execute COPY in a read-only transaction",
        ));
    }
    let names: Vec<SmolStr> = plan.columns.iter().map(|column| column.name.clone()).collect();
    let quoted = forced(&options.force_quote, &names, |column| match &table {
        Some(table) => not_copied(table, column, "FORCE_QUOTE"),
        None => PgError::new(sqlstate::UNDEFINED_COLUMN, format!("column \"{column}\" does not exist")),
    })?;
    let types: Vec<Oid> = plan.columns.iter().map(|column| column.ty).collect();
    let mut execution = Execution::start(Arc::clone(&plan), exprs::exec_context(ctx, &plan)?)?;
    let mut writer = Writer {
        options: &options,
        types: &types,
        quoted: &quoted,
        out: Vec::new(),
        text: String::new(),
    };
    sink.start(options.format == Format::Binary, types.len());
    writer.begin(&names);
    writer.hand_over(sink);
    let mut rows = 0;
    let env = TypeEnv {
        settings: &ctx.settings,
        names: &*ctx.names,
        now_micros: ctx.now_micros,
    };
    while !execution.is_done() {
        ctx.breathe().await?;
        let batch = execution.next_batch(BATCH_ROWS_MAX).await?;
        for row in batch.rows() {
            writer.row(row, &env)?;
            writer.hand_over(sink);
            rows += 1;
        }
        sink.pressure().await?;
    }
    if options.format == Format::Binary {
        sink.data(&(-1_i16).to_be_bytes());
    }
    Ok(rows)
}

/// `SELECT columns FROM table`.
async fn table_query(ctx: &DdlContext<'_>, name: &QName, columns: &[Name]) -> Result<(Arc<Table>, Parsed)> {
    let Some(oid) = ctx.find_locked(name, RelationMode::AccessShare).await? else {
        return Err(ctx.missing_relation(name));
    };
    let catalog = ctx.catalog();
    let table = match catalog.relation(oid) {
        Some(RelationRef::Table(table)) => table,
        Some(RelationRef::View(view)) => {
            return Err(PgError::new(
                sqlstate::WRONG_OBJECT_TYPE,
                format!("cannot copy from view \"{}\"", view.name),
            )
            .hint("Try the COPY (SELECT ...) TO variant."));
        }
        Some(other) => {
            let what = if matches!(other, RelationRef::Sequence(_)) {
                "sequence"
            } else {
                "non-table relation"
            };
            return Err(PgError::new(
                sqlstate::WRONG_OBJECT_TYPE,
                format!("cannot copy from {what} \"{}\"", other.name()),
            ));
        }
        None => return Err(PgError::internal("a relation that is there and is not")),
    };
    if table.virtual_source.is_none() {
        may_use(ctx, table)?;
    }
    let places = columns_of(table, columns)?;
    let list: Vec<String> = places.iter().map(|at| quote_identifier(&table.columns[*at].name)).collect();
    let schema = ctx.schema_name(table.schema);
    let sql = format!(
        "SELECT {} FROM {}.{}",
        list.join(", "),
        quote_identifier(&schema),
        quote_identifier(&table.name)
    );
    Ok((Arc::clone(table), crate::parse::parse_query(&sql)?))
}

/// Makes rows into bytes.
struct Writer<'a> {
    options: &'a CopyOptions,
    types: &'a [Oid],
    quoted: &'a [bool],
    out: Vec<u8>,
    text: String,
}

impl Writer<'_> {
    /// The header, if there is one.
    fn begin(&mut self, names: &[SmolStr]) {
        match self.options.format {
            Format::Binary => write_header(&mut self.out),
            _ if self.options.header == Header::No => {}
            format => {
                for (at, name) in names.iter().enumerate() {
                    if at > 0 {
                        self.out.push(self.options.delimiter);
                    }
                    if format == Format::Csv {
                        csv_value(name, false, names.len() == 1, self.options, &mut self.out);
                    } else {
                        text_value(name, self.options.delimiter, &mut self.out);
                    }
                }
                self.out.push(b'\n');
            }
        }
    }

    fn row(&mut self, row: &[Value], env: &TypeEnv<'_>) -> Result<()> {
        if self.options.format == Format::Binary {
            return self.binary_row(row, env);
        }
        let single = self.types.len() == 1;
        for (at, ty) in self.types.iter().enumerate() {
            if at > 0 {
                self.out.push(self.options.delimiter);
            }
            if row[at].is_null() {
                self.out.extend_from_slice(self.options.null.as_bytes());
                continue;
            }
            self.text.clear();
            io::text_out(*ty, &row[at], env, &mut self.text)?;
            if self.options.format == Format::Csv {
                csv_value(&self.text, self.quoted[at], single, self.options, &mut self.out);
            } else {
                text_value(&self.text, self.options.delimiter, &mut self.out);
            }
        }
        self.out.push(b'\n');
        Ok(())
    }

    fn binary_row(&mut self, row: &[Value], env: &TypeEnv<'_>) -> Result<()> {
        let count = i16::try_from(self.types.len()).map_err(|_| PgError::internal("a row of too many columns"))?;
        self.out.extend_from_slice(&count.to_be_bytes());
        for (at, ty) in self.types.iter().enumerate() {
            if row[at].is_null() {
                self.out.extend_from_slice(&(-1_i32).to_be_bytes());
            } else {
                write_field(&mut self.out, |out| io::binary_out(*ty, &row[at], env, out))?;
            }
        }
        Ok(())
    }

    fn hand_over(&mut self, sink: &mut dyn CopySink) {
        if !self.out.is_empty() {
            sink.data(&self.out);
            self.out.clear();
        }
    }
}

/// `CopyAttributeOutText`.
fn text_value(text: &str, delimiter: u8, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    let special = |byte: u8| matches!(byte, 0x08..=0x0d | b'\\') || byte == delimiter;
    if !bytes.iter().any(|byte| special(*byte)) {
        out.extend_from_slice(bytes);
        return;
    }
    for byte in bytes {
        let escaped = match byte {
            0x08 => b'b',
            0x0c => b'f',
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            0x0b => b'v',
            b'\\' => b'\\',
            other if *other == delimiter => delimiter,
            other => {
                out.push(*other);
                continue;
            }
        };
        out.extend_from_slice(&[b'\\', escaped]);
    }
}

/// `CopyAttributeOutCSV`. `single`: the only column, where `\.` would end the data.
fn csv_value(text: &str, force: bool, single: bool, options: &CopyOptions, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    let special = |byte: u8| byte == options.delimiter || byte == options.quote || matches!(byte, b'\n' | b'\r');
    let quote = force || text == options.null || single && text == "\\." || bytes.iter().any(|byte| special(*byte));
    if !quote {
        out.extend_from_slice(bytes);
        return;
    }
    out.push(options.quote);
    for byte in bytes {
        if *byte == options.quote || *byte == options.escape {
            out.push(options.escape);
        }
        out.push(*byte);
    }
    out.push(options.quote);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As PostgreSQL 15 writes them.
    #[test]
    fn values_are_escaped() {
        let mut out = Vec::new();
        text_value("x\ny\r\u{8}\u{c}\u{b}\\\t", b'\t', &mut out);
        assert_eq!(out, b"x\\ny\\r\\b\\f\\v\\\\\\t");
        let options = parse(
            &[crate::parse::CopyOption {
                name: "format".to_owned(),
                value: crate::parse::CopyValue::Text("csv".to_owned()),
                position: 0,
            }],
            false,
        )
        .expect("accepted");
        let csv = |text: &str, single: bool| {
            let mut out = Vec::new();
            csv_value(text, false, single, &options, &mut out);
            String::from_utf8(out).expect("UTF-8")
        };
        assert_eq!(csv("q\"q", false), "\"q\"\"q\"");
        assert_eq!(csv("", false), "\"\"");
        assert_eq!(csv("\\.", false), "\\.");
        assert_eq!(csv("\\.", true), "\"\\.\"");
    }
}
