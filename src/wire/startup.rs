//! From an accepted socket to an authenticated session.

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::BytesMut;
use pgwire::messages::response::{ErrorResponse, ReadyForQuery, SslResponse, TransactionStatus};
use pgwire::messages::startup::{Authentication, BackendKeyData, NegotiateProtocolVersion, ParameterStatus, SecretKey, Startup};
use pgwire::messages::{Message, PgWireFrontendMessage, SslNegotiationMetaMessage};
use tokio::io::AsyncWriteExt;
use tokio::net::tcp::OwnedWriteHalf;

use super::input::WireInput;
use super::{auth, encode};
use crate::error::{PgError, Result, Severity, sqlstate};
use crate::session::{Instance, Session, StartOptions};

/// What came of a connection's first messages.
pub(crate) enum Started {
    Session(Box<Session>),
    /// A cancel request, or a client that left: nothing to serve.
    Done,
}

/// Writes messages at once; before the session exists there is nothing to wait for.
pub(crate) struct PlainOutput<'a> {
    pub writer: &'a mut OwnedWriteHalf,
    pub buffer: BytesMut,
}

impl PlainOutput<'_> {
    pub(crate) fn message<M: Message>(&mut self, message: &M) -> Result<()> {
        message
            .encode(&mut self.buffer)
            .map_err(|error| PgError::internal(format!("cannot encode a message: {error}")))
    }

    pub(crate) async fn send(&mut self) -> Result<()> {
        let sent = self.writer.write_all(&self.buffer).await;
        self.buffer.clear();
        sent.map_err(|_| gone())
    }
}

fn gone() -> PgError {
    PgError::new(sqlstate::CONNECTION_FAILURE, "connection to client lost").severity(Severity::Fatal)
}

/// Reads the first messages, authenticates, opens the session and greets the client.
pub(crate) async fn start(
    input: &mut WireInput,
    writer: &mut OwnedWriteHalf,
    peer: SocketAddr,
    local: SocketAddr,
    instance: &Arc<Instance>,
) -> Result<Started> {
    let mut out = PlainOutput {
        writer,
        buffer: BytesMut::new(),
    };
    match first_messages(input, &mut out, peer, local, instance).await {
        Ok(started) => Ok(started),
        Err(error) => {
            let error = error.severity(Severity::Fatal);
            out.buffer.clear();
            out.message(&ErrorResponse::new(encode::error_fields(&error)))?;
            out.send().await?;
            Err(error)
        }
    }
}

async fn first_messages(
    input: &mut WireInput,
    out: &mut PlainOutput<'_>,
    peer: SocketAddr,
    local: SocketAddr,
    instance: &Arc<Instance>,
) -> Result<Started> {
    loop {
        let Some(message) = input.next().await? else {
            return Ok(Started::Done);
        };
        match message {
            // No TLS here: `N` lets the client go on in the clear or give up.
            PgWireFrontendMessage::SslNegotiation(
                SslNegotiationMetaMessage::PostgresSsl(_) | SslNegotiationMetaMessage::PostgresGss(_),
            ) => {
                out.message(&SslResponse::Refuse)?;
                out.send().await?;
            }
            PgWireFrontendMessage::SslNegotiation(SslNegotiationMetaMessage::None) => {
                input.decode_context().awaiting_frontend_ssl = false;
            }
            PgWireFrontendMessage::CancelRequest(request) => {
                if let Some(secret) = request.secret_key.as_i32() {
                    instance.cancel_request(request.pid, secret).await;
                }
                return Ok(Started::Done);
            }
            PgWireFrontendMessage::Startup(startup) => {
                let context = input.decode_context();
                context.awaiting_frontend_startup = false;
                return open(input, out, startup, (peer, local), instance).await;
            }
            _ => return Err(PgError::new(sqlstate::PROTOCOL_VIOLATION, "expected a startup packet")),
        }
    }
}

async fn open(
    input: &mut WireInput,
    out: &mut PlainOutput<'_>,
    startup: Startup,
    (peer, local): (SocketAddr, SocketAddr),
    instance: &Arc<Instance>,
) -> Result<Started> {
    let unknown: Vec<String> = startup
        .parameters
        .keys()
        .filter(|name| name.starts_with("_pq_."))
        .cloned()
        .collect();
    if startup.protocol_number_minor > 0 || !unknown.is_empty() {
        out.message(&NegotiateProtocolVersion::new(0, unknown))?;
    }
    let parameters = startup
        .parameters
        .into_iter()
        .filter(|(name, _)| !name.starts_with("_pq_."))
        .collect();
    let options = StartOptions::from_parameters(parameters, peer, local)?;
    if !(instance.trust_loopback && auth::is_loopback(peer)) {
        auth::scram(input, out, &options, instance).await?;
    }
    let session = Session::open(instance, options)?;
    out.message(&Authentication::Ok)?;
    for (name, value) in session.reported_settings() {
        out.message(&ParameterStatus::new(name.to_owned(), value))?;
    }
    let (pid, secret) = session.cancel_key();
    out.message(&BackendKeyData::new(pid, SecretKey::I32(secret)))?;
    out.message(&ReadyForQuery::new(TransactionStatus::Idle))?;
    out.send().await?;
    Ok(Started::Session(Box::new(session)))
}
