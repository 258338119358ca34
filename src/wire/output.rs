//! The sending side of a connection: messages are buffered and sent together.
//!
//! Invariant: no byte leaves before everything that the session has observed is durable.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::{BufMut, Bytes, BytesMut};
use pgwire::messages::copy::{CopyDone, CopyInResponse, CopyOutResponse};
use pgwire::messages::response::{CommandComplete, EmptyQueryResponse, ErrorResponse, NoticeResponse};
use pgwire::messages::startup::ParameterStatus;
use pgwire::messages::{Message, PgWireFrontendMessage};
use tokio::io::AsyncWriteExt;
use tokio::net::tcp::OwnedWriteHalf;
use tokio::sync::mpsc;

use super::encode;
use crate::error::{PgError, Result, sqlstate};
use crate::session::{Format, Formats, Output, ResultColumn, SessionShared};
use crate::types::{TypeEnv, Value};
use crate::wire::input::CopyGate;

/// Bytes that wait before a running statement sends them.
const SEND_AT_BYTES: usize = 64 * 1024;
/// Buffer that an idle connection keeps.
const KEEP_BYTES: usize = 8 * 1024;

/// The sending side.
pub(crate) struct WireOutput {
    buffer: BytesMut,
    writer: OwnedWriteHalf,
    session: Arc<SessionShared>,
    scratch: Vec<u8>,
    text: String,
    copy_gate: Arc<CopyGate>,
    copy_messages: Option<mpsc::Receiver<PgWireFrontendMessage>>,
}

impl WireOutput {
    pub(crate) fn new(writer: OwnedWriteHalf, session: Arc<SessionShared>, copy_gate: Arc<CopyGate>) -> Self {
        WireOutput {
            buffer: BytesMut::with_capacity(KEEP_BYTES),
            writer,
            session,
            scratch: Vec::new(),
            text: String::new(),
            copy_gate,
            copy_messages: None,
        }
    }

    /// Buffers a message. Encoding fails only for a message over the protocol's size, which becomes an error message.
    pub(crate) fn message<M: Message>(&mut self, message: &M) {
        let start = self.buffer.len();
        if let Err(error) = message.encode(&mut self.buffer) {
            self.buffer.truncate(start);
            let error = PgError::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, format!("message too large: {error}"));
            // An error message is small, so this cannot come back here.
            let _ = ErrorResponse::new(encode::error_fields(&error)).encode(&mut self.buffer);
        }
    }

    pub(crate) fn error(&mut self, error: &PgError) {
        self.message(&ErrorResponse::new(encode::error_fields(error)));
    }

    /// Waits until what the session has seen is durable, then sends everything.
    pub(crate) async fn flush(&mut self) -> Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        self.session.wait_durable().await;
        let sent = self.writer.write_all(&self.buffer).await;
        self.buffer.clear();
        if self.buffer.capacity() > KEEP_BYTES {
            self.buffer = BytesMut::with_capacity(KEEP_BYTES);
        }
        sent.map_err(|_| {
            PgError::new(sqlstate::CONNECTION_FAILURE, "connection to client lost").severity(crate::error::Severity::Fatal)
        })
    }

    /// Ends a COPY that its statement left early, so that its reader discards the rest.
    pub(crate) fn end_copy(&mut self) {
        self.copy_messages = None;
    }
}

#[async_trait]
impl Output for WireOutput {
    fn row_description(&mut self, columns: &[ResultColumn], formats: &Formats) {
        self.message(&encode::row_description(columns, formats));
    }

    // Hand-made rather than through `DataRow`, which would copy each row once more.
    fn row(&mut self, columns: &[ResultColumn], formats: &Formats, row: &[Value], env: &TypeEnv<'_>) -> Result<()> {
        let start = self.buffer.len();
        self.buffer.put_u8(b'D');
        self.buffer.put_i32(0);
        self.buffer
            .put_i16(i16::try_from(columns.len()).expect("the binder bounds result columns"));
        for (at, column) in columns.iter().enumerate() {
            let value = &row[at];
            if value.is_null() {
                self.buffer.put_i32(-1);
                continue;
            }
            let encoded = match formats.of(at) {
                Format::Text => encode::put_text(&mut self.buffer, column.ty, value, env, &mut self.text),
                Format::Binary => encode::put_binary(&mut self.buffer, column.ty, value, env, &mut self.scratch),
            };
            if let Err(error) = encoded {
                self.buffer.truncate(start);
                return Err(error);
            }
        }
        let length = i32::try_from(self.buffer.len() - start - 1)
            .map_err(|_| PgError::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, "row is too large to send"))?;
        self.buffer[start + 1..start + 5].copy_from_slice(&length.to_be_bytes());
        Ok(())
    }

    fn complete(&mut self, tag: &str) {
        self.message(&CommandComplete::new(tag.to_owned()));
    }

    fn empty_query(&mut self) {
        self.message(&EmptyQueryResponse::new());
    }

    fn notice(&mut self, notice: &PgError) {
        self.message(&NoticeResponse::new(encode::error_fields(notice)));
    }

    fn parameter_status(&mut self, name: &str, value: &str) {
        self.message(&ParameterStatus::new(name.to_owned(), value.to_owned()));
    }

    async fn pressure(&mut self) -> Result<()> {
        if self.buffer.len() >= SEND_AT_BYTES {
            self.flush().await
        } else {
            Ok(())
        }
    }

    fn copy_in_start(&mut self, binary: bool, columns: usize) {
        let format = i16::from(binary);
        let columns = i16::try_from(columns).expect("a table has at most 1,600 columns");
        self.message(&CopyInResponse::new(
            i8::from(binary),
            columns,
            vec![format; columns.unsigned_abs().into()],
        ));
        self.copy_messages = Some(self.copy_gate.open());
    }

    async fn copy_in_next(&mut self) -> Result<Option<Bytes>> {
        // The client waits for CopyInResponse before it sends anything.
        self.flush().await?;
        let Some(messages) = &mut self.copy_messages else {
            return Err(PgError::internal("COPY data asked for outside COPY"));
        };
        loop {
            match messages.recv().await {
                Some(PgWireFrontendMessage::CopyData(data)) => return Ok(Some(data.data)),
                Some(PgWireFrontendMessage::CopyDone(_)) => {
                    self.copy_messages = None;
                    return Ok(None);
                }
                Some(PgWireFrontendMessage::CopyFail(fail)) => {
                    self.copy_messages = None;
                    return Err(PgError::new(
                        sqlstate::QUERY_CANCELED,
                        format!("COPY from stdin failed: {}", fail.message),
                    ));
                }
                // PostgreSQL ignores Flush and Sync inside COPY.
                Some(PgWireFrontendMessage::Flush(_) | PgWireFrontendMessage::Sync(_)) => {}
                Some(_) => {
                    return Err(PgError::new(
                        sqlstate::PROTOCOL_VIOLATION,
                        "unexpected message type during COPY from stdin",
                    ));
                }
                None => {
                    return Err(PgError::new(
                        sqlstate::CONNECTION_FAILURE,
                        "unexpected EOF on client connection with an open transaction",
                    )
                    .severity(crate::error::Severity::Fatal));
                }
            }
        }
    }

    fn copy_out_start(&mut self, binary: bool, columns: usize) {
        let format = i16::from(binary);
        let columns = i16::try_from(columns).expect("a table has at most 1,600 columns");
        self.message(&CopyOutResponse::new(
            i8::from(binary),
            columns,
            vec![format; columns.unsigned_abs().into()],
        ));
    }

    fn copy_out_data(&mut self, data: &[u8]) {
        self.buffer.put_u8(b'd');
        self.buffer
            .put_i32(i32::try_from(data.len() + 4).expect("COPY hands over rows under 1 GB"));
        self.buffer.put_slice(data);
    }

    fn copy_out_end(&mut self) {
        self.message(&CopyDone::new());
    }
}
