//! The receiving side of a connection. It keeps reading while a statement runs: that is how a client that went away
//! is noticed at once, and how COPY data reaches its statement.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;

use bytes::BytesMut;
use parking_lot::Mutex;
use pgwire::messages::{DecodeContext, PgWireFrontendMessage, ProtocolVersion};
use tokio::io::AsyncReadExt;
use tokio::net::tcp::OwnedReadHalf;
use tokio::sync::{Notify, mpsc};

use crate::cancel::{Cancel, Reason};
use crate::error::{PgError, Result, Severity, sqlstate};

/// Bytes read ahead of a running statement; a pipelining client waits past it.
const READ_AHEAD_BYTES: usize = 256 * 1024;
/// Buffer that an idle connection keeps.
const KEEP_BYTES: usize = 4 * 1024;
/// Pieces of COPY data between the socket and the statement.
const COPY_QUEUE: usize = 64;

/// Joins a running COPY FROM STDIN with the socket: while it is open, messages go to the statement.
#[derive(Default)]
pub(crate) struct CopyGate {
    sender: Mutex<Option<mpsc::Sender<PgWireFrontendMessage>>>,
    opened: Notify,
}

impl CopyGate {
    /// Opens the gate and answers its other end.
    pub(crate) fn open(&self) -> mpsc::Receiver<PgWireFrontendMessage> {
        let (sender, receiver) = mpsc::channel(COPY_QUEUE);
        *self.sender.lock() = Some(sender);
        self.opened.notify_one();
        receiver
    }

    fn sender(&self) -> Option<mpsc::Sender<PgWireFrontendMessage>> {
        self.sender.lock().clone()
    }

    fn close(&self) {
        *self.sender.lock() = None;
    }
}

/// The receiving side.
pub(crate) struct WireInput {
    reader: OwnedReadHalf,
    buffer: BytesMut,
    decode: DecodeContext,
    closed: bool,
    copy_gate: Arc<CopyGate>,
}

impl WireInput {
    pub(crate) fn new(reader: OwnedReadHalf, copy_gate: Arc<CopyGate>) -> Self {
        WireInput {
            reader,
            buffer: BytesMut::with_capacity(KEEP_BYTES),
            decode: DecodeContext::new(ProtocolVersion::PROTOCOL3_0),
            closed: false,
            copy_gate,
        }
    }

    pub(crate) fn decode_context(&mut self) -> &mut DecodeContext {
        &mut self.decode
    }

    /// A whole message that has arrived already.
    pub(crate) fn buffered(&mut self) -> Result<Option<PgWireFrontendMessage>> {
        if self.buffer.is_empty() {
            return Ok(None);
        }
        PgWireFrontendMessage::decode(&mut self.buffer, &self.decode).map_err(|error| {
            PgError::new(sqlstate::PROTOCOL_VIOLATION, format!("invalid frontend message: {error}")).severity(Severity::Fatal)
        })
    }

    /// Waits for the next message; `None` when the client closed the connection. Cancel-safe.
    pub(crate) async fn next(&mut self) -> Result<Option<PgWireFrontendMessage>> {
        loop {
            if let Some(message) = self.buffered()? {
                return Ok(Some(message));
            }
            if self.closed {
                return Ok(None);
            }
            if self.buffer.is_empty() && self.buffer.capacity() > 4 * KEEP_BYTES {
                self.buffer = BytesMut::with_capacity(KEEP_BYTES);
            }
            if !matches!(self.reader.read_buf(&mut self.buffer).await, Ok(count) if count > 0) {
                self.closed = true;
            }
        }
    }

    /// Runs a statement to its end and reads the socket meanwhile. The statement is never dropped: a lost client only
    /// raises its cancel flag.
    pub(crate) async fn watch<F: Future>(&mut self, cancel: &Cancel, statement: F) -> F::Output {
        let mut statement = pin!(statement);
        loop {
            tokio::select! {
                biased;
                done = &mut statement => {
                    self.copy_gate.close();
                    return done;
                }
                () = self.pump(cancel), if !self.closed => {}
            }
        }
    }

    /// One step of reading ahead: hands a COPY message over, or reads from the socket.
    async fn pump(&mut self, cancel: &Cancel) {
        if let Some(sender) = self.copy_gate.sender() {
            // Reserve first: a message that was taken from the buffer must not be lost when this future is dropped.
            let Ok(place) = sender.reserve().await else {
                self.copy_gate.close();
                return;
            };
            match self.buffered() {
                Ok(Some(message)) => {
                    let last = matches!(
                        message,
                        PgWireFrontendMessage::CopyDone(_) | PgWireFrontendMessage::CopyFail(_)
                    );
                    place.send(message);
                    if last {
                        self.copy_gate.close();
                    }
                    return;
                }
                Ok(None) => {}
                Err(_) => {
                    self.closed = true;
                    cancel.raise(Reason::ClientGone);
                    self.copy_gate.close();
                    return;
                }
            }
        } else if self.buffer.len() >= READ_AHEAD_BYTES {
            self.copy_gate.opened.notified().await;
            return;
        }
        let gate = Arc::clone(&self.copy_gate);
        let read = tokio::select! {
            // The data may have come before the statement asked for it.
            () = gate.opened.notified() => return,
            read = self.reader.read_buf(&mut self.buffer) => read,
        };
        if !matches!(read, Ok(count) if count > 0) {
            self.closed = true;
            self.copy_gate.close();
            cancel.raise(Reason::ClientGone);
        }
    }
}
