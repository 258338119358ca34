//! The `holdfast` command.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use holdfast::error::{PgError, Result};
use holdfast::server::{ConfigFile, Server, ServerOptions};
use holdfast::storage::rocks::RocksOptions;
use tokio::signal::unix::{SignalKind, signal};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A PostgreSQL-compatible server whose record locks hold over a whole cluster.
#[derive(Parser)]
#[command(version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve a data directory to PostgreSQL clients until Ctrl-C or SIGTERM.
    Serve(ServeArgs),
}

#[derive(Args)]
struct ServeArgs {
    /// Folder of the data; made where there is none.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Address for clients. Loopback is trusted, any other address needs a password (SCRAM-SHA-256).
    #[arg(long, value_name = "HOST:PORT")]
    listen: Option<String>,
    /// Configuration file (TOML: data, listen, `cache_mb`, `memtable_mb`, `trust_loopback`). Flags win over it.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

fn main() -> ExitCode {
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::try_from_env("HOLDFAST_LOG").unwrap_or_else(|_| "info".into()))
        .with_writer(std::io::stderr)
        .init();
    let Command::Serve(args) = Cli::parse().command;
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("holdfast: {}", error.message());
            ExitCode::FAILURE
        }
    }
}

fn options(args: &ServeArgs) -> Result<ServerOptions> {
    let file = args.config.as_deref().map(ConfigFile::read).transpose()?.unwrap_or_default();
    let mut rocks = RocksOptions::default();
    if let Some(megabytes) = file.cache_mb {
        rocks.cache_bytes = megabytes << 20;
    }
    if let Some(megabytes) = file.memtable_mb {
        rocks.memtable_bytes = megabytes << 20;
    }
    Ok(ServerOptions {
        data: args
            .data
            .clone()
            .or(file.data)
            .unwrap_or_else(|| PathBuf::from("holdfast-data")),
        listen: args
            .listen
            .clone()
            .or(file.listen)
            .unwrap_or_else(|| "127.0.0.1:5433".to_owned()),
        rocks,
        trust_loopback: file.trust_loopback.unwrap_or(true),
    })
}

fn run(args: &ServeArgs) -> Result<()> {
    let options = options(args)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_stack_size(8 << 20)
        .build()
        .map_err(|error| PgError::internal(format!("cannot start the runtime: {error}")))?;
    runtime.block_on(serve(&options))
}

async fn serve(options: &ServerOptions) -> Result<()> {
    let failed = |error: std::io::Error| PgError::internal(format!("cannot wait for signals: {error}"));
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    let server = Server::start(options).await?;
    println!("holdfast serves {} on {}", options.data.display(), server.address());
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    server.stop().await
}
