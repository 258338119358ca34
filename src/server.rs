//! Putting the floors together: a data directory becomes a server that listens.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tracing::info;

use crate::catalog::CatalogStore;
use crate::clock::SystemClock;
use crate::cluster::Ownership;
use crate::error::{PgError, Result, sqlstate};
use crate::functions::directory;
use crate::ids::NodeId;
use crate::session::{Instance, Place};
use crate::storage::Store;
use crate::storage::pipeline::PipelineOptions;
use crate::storage::rocks::{RocksOptions, RocksStore};
use crate::txn::{Engine, EngineOptions};
use crate::wire;

/// How a server is started: the flags of `holdfast serve` over its configuration file.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    pub data: PathBuf,
    pub listen: String,
    pub rocks: RocksOptions,
    /// Whether clients on this machine need no password.
    pub trust_loopback: bool,
}

/// The configuration file (TOML); flags win over it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfigFile {
    /// Folder of the data.
    pub data: Option<PathBuf>,
    /// `HOST:PORT` for clients.
    pub listen: Option<String>,
    /// Block cache in MB.
    pub cache_mb: Option<usize>,
    /// Memtable in MB.
    pub memtable_mb: Option<usize>,
    /// `false`: clients on this machine need a password too.
    pub trust_loopback: Option<bool>,
}

impl ConfigFile {
    /// # Errors
    /// F0000 where the file cannot be read or says something unknown.
    pub fn read(path: &std::path::Path) -> Result<Self> {
        let failed = |what: String| {
            PgError::new(
                sqlstate::CONFIG_FILE_ERROR,
                format!("configuration file \"{}\": {what}", path.display()),
            )
        };
        let text = std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
        toml::from_str(&text).map_err(|error| failed(error.to_string()))
    }
}

/// A server that listens; ended by [`Server::stop`].
pub struct Server {
    instance: Arc<Instance>,
    address: std::net::SocketAddr,
    stop: watch::Sender<bool>,
    serving: tokio::task::JoinHandle<()>,
}

impl Server {
    /// Opens the data directory and begins to listen.
    ///
    /// # Errors
    /// One clear error where the directory is used by another server, has another format, or cannot be written, and where
    /// the address cannot be listened on.
    pub async fn start(options: &ServerOptions) -> Result<Server> {
        let listener = TcpListener::bind(&options.listen).await.map_err(|error| {
            PgError::new(
                sqlstate::CONNECTION_FAILURE,
                format!("cannot listen on {}: {error}", options.listen),
            )
        })?;
        let store: Arc<dyn Store> = Arc::new(RocksStore::open(&options.data, &options.rocks)?);
        let data = options.data.display().to_string();
        Self::put_together(store, listener, data, options.trust_loopback, PipelineOptions::default())
    }

    /// Serves a store that is open already; `pipeline` has switches for tests.
    pub fn start_on(store: Arc<dyn Store>, listener: TcpListener, data: String, pipeline: PipelineOptions) -> Result<Server> {
        Self::put_together(store, listener, data, true, pipeline)
    }

    fn put_together(
        store: Arc<dyn Store>,
        listener: TcpListener,
        data_directory: String,
        trust_loopback: bool,
        pipeline: PipelineOptions,
    ) -> Result<Server> {
        let address = listener
            .local_addr()
            .map_err(|error| PgError::new(sqlstate::CONNECTION_FAILURE, format!("cannot listen: {error}")))?;
        directory::install();
        let clock = Arc::new(SystemClock);
        let ownership = Ownership::open(&store, NodeId(1), clock.clone())?;
        let engine = Engine::open(
            Arc::clone(&store),
            ownership.clone(),
            EngineOptions {
                pipeline,
                clock,
                ..EngineOptions::default()
            },
        )?;
        ownership.join(&engine.pipeline);
        let catalogs = CatalogStore::open(&engine)?;
        let orphans = engine.remove_orphans(&catalogs.storages())?;
        if orphans > 0 {
            info!(orphans, "removing storages that nothing names");
        }
        let instance = Instance::new(
            engine,
            catalogs,
            ownership,
            Place {
                listen: address.to_string(),
                data_directory,
                trust_loopback,
            },
        )?;
        let (stop, stopped) = watch::channel(false);
        let serving = tokio::spawn(wire::serve(listener, Arc::clone(&instance), stopped));
        info!(%address, "ready for connections");
        Ok(Server {
            instance,
            address,
            stop,
            serving,
        })
    }

    pub fn address(&self) -> std::net::SocketAddr {
        self.address
    }

    pub fn instance(&self) -> &Arc<Instance> {
        &self.instance
    }

    /// Ends all sessions, makes everything durable, and stops.
    pub async fn stop(self) -> Result<()> {
        // Fails only when the task has ended already.
        let _ = self.stop.send(true);
        let ended = tokio::time::timeout(Duration::from_secs(30), self.serving).await;
        if ended.is_err() {
            tracing::warn!("sessions did not end within 30 seconds");
        }
        let engine = Arc::clone(&self.instance.engine);
        tokio::task::spawn_blocking(move || engine.shutdown())
            .await
            .map_err(|error| PgError::internal(format!("the shutdown failed: {error}")))
    }
}
