//! COPY between the client and a table or query.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;

use super::output::Output;
use super::session::Session;
use crate::catalog::Catalog;
use crate::error::Result;
use crate::exec::copy::{self as exec_copy, CopySink, CopySource};
use crate::parse::{Copy, Parsed};

/// The client as a source of COPY data.
struct ClientSource<'a> {
    out: &'a mut dyn Output,
}

#[async_trait]
impl CopySource for ClientSource<'_> {
    fn start(&mut self, binary: bool, columns: usize) {
        self.out.copy_in_start(binary, columns);
    }

    async fn next(&mut self) -> Result<Option<Bytes>> {
        self.out.copy_in_next().await
    }
}

/// The client as a sink of COPY data.
struct ClientSink<'a> {
    out: &'a mut dyn Output,
}

#[async_trait]
impl CopySink for ClientSink<'_> {
    fn start(&mut self, binary: bool, columns: usize) {
        self.out.copy_out_start(binary, columns);
    }

    fn data(&mut self, data: &[u8]) {
        self.out.copy_out_data(data);
    }

    async fn pressure(&mut self) -> Result<()> {
        self.out.pressure().await
    }
}

impl Session {
    /// Runs COPY and answers its tag.
    pub(super) async fn run_copy(&mut self, parsed: &Arc<Parsed>, copy: &Copy, out: &mut dyn Output) -> Result<String> {
        let txn = self.ensure_transaction();
        let shared = Arc::clone(&self.shared);
        let path = move |catalog: &Catalog| shared.search_path(catalog);
        let context = self.ddl_context(&txn, Some(parsed), &path);
        let rows = if copy.is_from {
            exec_copy::copy_in(&context, parsed, copy, &mut ClientSource { out }).await?
        } else {
            let rows = exec_copy::copy_out(&context, parsed, copy, &mut ClientSink { out: &mut *out }).await?;
            out.copy_out_end();
            rows
        };
        txn.next_command();
        Ok(format!("COPY {rows}"))
    }
}
