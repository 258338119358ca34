//! Who may connect: loopback is trusted unless the configuration says otherwise, every other address proves its password
//! by SCRAM-SHA-256.

use std::net::SocketAddr;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pgwire::api::auth::sasl::scram::{ScramSecret, ScramServerAuth};
use pgwire::messages::PgWireFrontendMessage;
use pgwire::messages::startup::Authentication;

use super::input::WireInput;
use super::startup::PlainOutput;
use crate::error::{PgError, Result, sqlstate};
use crate::session::{Instance, StartOptions};

const MECHANISM: &str = "SCRAM-SHA-256";

/// Connections from this machine, which PostgreSQL's sample `pg_hba.conf` trusts.
pub(crate) fn is_loopback(peer: SocketAddr) -> bool {
    peer.ip().to_canonical().is_loopback()
}

/// Runs the SCRAM exchange for the role that the client names.
///
/// # Errors
/// 28P01 for a wrong password, and for a role that does not exist or has none, so that nobody learns which roles exist.
pub(crate) async fn scram(
    input: &mut WireInput,
    out: &mut PlainOutput<'_>,
    options: &StartOptions,
    instance: &Arc<Instance>,
) -> Result<()> {
    let refused = || {
        PgError::new(
            sqlstate::INVALID_PASSWORD,
            format!("password authentication failed for user \"{}\"", options.user),
        )
    };
    out.message(&Authentication::SASL(vec![MECHANISM.to_owned()]))?;
    out.send().await?;
    let first = password_message(input)
        .await?
        .into_sasl_initial_response()
        .map_err(protocol)?;
    if first.auth_method != MECHANISM {
        return Err(PgError::new(
            sqlstate::PROTOCOL_VIOLATION,
            "client selected an invalid SASL authentication mechanism",
        ));
    }
    let secret = instance.role_password(&options.user).and_then(|stored| parse_secret(&stored));
    // The exchange runs with a made-up secret where there is none.
    let known = secret.is_some();
    let secret = secret.unwrap_or_else(|| decoy(&options.user, &instance.mock_secret));
    let message = first.data.unwrap_or_default();
    let (challenge, waiting) = ScramServerAuth::new()
        .on_client_first_message_with_secret(&message, secret)
        .map_err(protocol)?;
    out.message(&Authentication::SASLContinue(challenge.into()))?;
    out.send().await?;
    let last = password_message(input).await?.into_sasl_response().map_err(protocol)?;
    let proof = waiting.on_client_final_message(&last.data).map_err(|_| refused())?;
    if !known {
        return Err(refused());
    }
    out.message(&Authentication::SASLFinal(proof.into()))
}

fn protocol(error: pgwire::error::PgWireError) -> PgError {
    PgError::new(sqlstate::PROTOCOL_VIOLATION, format!("malformed SCRAM message: {error}"))
}

async fn password_message(input: &mut WireInput) -> Result<pgwire::messages::startup::PasswordMessageFamily> {
    match input.next().await? {
        Some(PgWireFrontendMessage::PasswordMessageFamily(message)) => Ok(message),
        Some(_) => Err(PgError::new(sqlstate::PROTOCOL_VIOLATION, "expected SASL response")),
        None => Err(PgError::new(sqlstate::CONNECTION_FAILURE, "connection to client lost")),
    }
}

/// Reads `SCRAM-SHA-256$iterations:salt$stored:server`.
fn parse_secret(stored: &str) -> Option<ScramSecret> {
    let rest = stored.strip_prefix("SCRAM-SHA-256$")?;
    let (first, keys) = rest.split_once('$')?;
    let (iterations, salt) = first.split_once(':')?;
    let (stored_key, server_key) = keys.split_once(':')?;
    Some(ScramSecret::Verifier {
        salt: STANDARD.decode(salt).ok()?,
        iterations: iterations.parse().ok()?,
        stored_key: STANDARD.decode(stored_key).ok()?,
        server_key: STANDARD.decode(server_key).ok()?,
    })
}

/// A secret that no password matches, with a salt that is stable for the name.
fn decoy(user: &str, mock_secret: &[u8]) -> ScramSecret {
    use sha2::{Digest, Sha256};
    let hash = Sha256::digest([user.as_bytes(), mock_secret].concat()).to_vec();
    ScramSecret::Verifier {
        salt: hash[..16].to_vec(),
        iterations: 4096,
        stored_key: vec![0; 32],
        server_key: vec![0; 32],
    }
}
