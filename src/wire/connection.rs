//! One connection, from its first byte to its last.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use pgwire::messages::PgWireFrontendMessage;
use pgwire::messages::response::NotificationResponse;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tracing::debug;

use super::dispatch::{Dispatch, Next};
use super::input::{CopyGate, WireInput};
use super::output::WireOutput;
use super::startup::{self, Started};
use crate::cancel::Reason;
use crate::error::Result;
use crate::session::{Instance, Session};

/// Time a client has to log in (PostgreSQL's `authentication_timeout`).
const LOGIN_TIMEOUT: Duration = Duration::from_mins(1);

/// Serves one accepted socket to its end. Every error is told to the client where there still is one.
pub(crate) async fn run(stream: TcpStream, peer: SocketAddr, instance: Arc<Instance>) {
    if let Err(error) = serve(stream, peer, &instance).await {
        debug!(%peer, %error, "connection ended");
    }
}

async fn serve(stream: TcpStream, peer: SocketAddr, instance: &Arc<Instance>) -> Result<()> {
    let Ok(local) = stream.local_addr() else { return Ok(()) };
    let (reader, mut writer) = stream.into_split();
    let copy_gate = Arc::new(CopyGate::default());
    let mut input = WireInput::new(reader, Arc::clone(&copy_gate));
    let login = timeout(
        LOGIN_TIMEOUT,
        Box::pin(startup::start(&mut input, &mut writer, peer, local, instance)),
    );
    let session = match login.await {
        Ok(Ok(Started::Session(session))) => session,
        Ok(Ok(Started::Done)) | Err(_) => return Ok(()),
        Ok(Err(error)) => return Err(error),
    };
    let output = WireOutput::new(writer, Arc::clone(session.shared()), copy_gate);
    converse(input, output, session).await
}

/// The message loop after the greeting.
async fn converse(mut input: WireInput, output: WireOutput, session: Box<Session>) -> Result<()> {
    let mut dispatch = Dispatch::new(*session, output);
    loop {
        let message = match input.buffered() {
            Ok(Some(message)) => message,
            Ok(None) => match idle(&mut input, &mut dispatch).await {
                Ok(Some(message)) => message,
                Ok(None) => break,
                Err(error) => return dispatch.fail_connection(error).await,
            },
            Err(error) => return dispatch.fail_connection(error).await,
        };
        if matches!(message, PgWireFrontendMessage::Terminate(_)) {
            break;
        }
        let shared = Arc::clone(dispatch.session().shared());
        // Boxed: a statement's state is large, an idle connection's must not be.
        let step = input.watch(shared.cancel(), Box::pin(dispatch.message(message))).await;
        match step {
            Ok(Next::Continue) => {}
            Ok(Next::Close) => break,
            Err(error) => return dispatch.fail_connection(error).await,
        }
    }
    dispatch.end().await;
    Ok(())
}

/// Waits for the next message; meanwhile pushes notifications and minds the idle timeouts and a raised stop flag.
async fn idle(input: &mut WireInput, dispatch: &mut Dispatch) -> Result<Option<PgWireFrontendMessage>> {
    let shared = Arc::clone(dispatch.session().shared());
    let limit = dispatch.session().idle_limit();
    let mut deadline = std::pin::pin!(async move {
        match limit {
            Some(limit) => tokio::time::sleep(limit.after).await,
            None => std::future::pending().await,
        }
    });
    loop {
        tokio::select! {
            biased;
            message = input.next() => return message,
            notification = dispatch.next_notification() => {
                dispatch.output().message(&NotificationResponse::new(
                    notification.pid.0, notification.channel.to_string(), notification.payload.to_string()));
                dispatch.output().flush().await?;
            }
            reason = shared.cancel().raised() => {
                // A cancel of a statement that has ended already is stale.
                if reason <= Reason::StatementTimeout {
                    shared.cancel().clear_statement();
                } else {
                    return Err(reason.error());
                }
            }
            () = &mut deadline => return Err(limit.expect("the deadline only ends where there is a limit").error()),
        }
    }
}
