//! Accepts connections until the server is told to stop.

use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::sync::watch;
use tracing::warn;

use super::connection;
use crate::session::Instance;

/// Serves connections until `stop` turns true; then waits until every session has ended.
pub async fn serve(listener: TcpListener, instance: Arc<Instance>, mut stop: watch::Receiver<bool>) {
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    // One small message a round trip: waiting to fill a segment would only add latency.
                    if let Err(error) = stream.set_nodelay(true) {
                        warn!(%peer, %error, "cannot set TCP_NODELAY");
                    }
                    tokio::spawn(connection::run(stream, peer, Arc::clone(&instance)));
                }
                Err(error) => {
                    // Out of file descriptors, mostly: others have to close first.
                    warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
                }
            },
            () = stopped(&mut stop) => break,
        }
    }
    drop(listener);
    instance.end_all_sessions().await;
}

/// Returns when the server is told to stop, or whoever would tell it is gone.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    // The guard inside must not live across an await.
    drop(stop.wait_for(|stop| *stop).await);
}
