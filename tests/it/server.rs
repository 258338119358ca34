//! A server of a test's own: the release binary on a free port and a temporary folder, ended with the test.

use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tokio_postgres::{Client, NoTls};

/// How long a server may take to answer its first connection.
const START_LIMIT: Duration = Duration::from_mins(1);

/// A running server. Dropped, it is killed, and its folder goes.
pub struct Server {
    child: Child,
    port: u16,
    data: PathBuf,
    _folder: Option<tempfile::TempDir>,
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    listener.local_addr().expect("it is bound").port()
}

fn spawn(data: &Path, port: u16) -> Child {
    Command::new(env!("CARGO_BIN_EXE_holdfast"))
        .args(["serve", "--data"])
        .arg(data)
        .args(["--listen", &format!("127.0.0.1:{port}")])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the server starts")
}

impl Server {
    pub fn start() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let data = folder.path().join("data");
        let port = free_port();
        let server = Server {
            child: spawn(&data, port),
            port,
            data,
            _folder: Some(folder),
        };
        server.wait_ready();
        server
    }

    fn wait_ready(&self) {
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(began.elapsed() < START_LIMIT, "the server does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// SIGKILL, in the middle of whatever it does.
    pub fn kill(&mut self) {
        self.child.kill().expect("the server can be killed");
        self.child.wait().expect("and waited for");
    }

    /// Starts again on the same folder and port; answers how long it took to listen.
    pub fn restart(&mut self) -> Duration {
        let began = Instant::now();
        self.child = spawn(&self.data, self.port);
        self.wait_ready();
        began.elapsed()
    }

    pub fn dsn(&self) -> String {
        format!("host=127.0.0.1 port={} user=postgres dbname=postgres", self.port)
    }

    /// The same for programs that take an address.
    pub fn url(&self, database: &str) -> String {
        format!("postgresql://postgres@127.0.0.1:{}/{database}", self.port)
    }

    pub async fn connect(&self) -> Client {
        self.try_connect().await.expect("a connection")
    }

    pub async fn try_connect(&self) -> Result<Client, tokio_postgres::Error> {
        let (client, connection) = tokio_postgres::connect(&self.dsn(), NoTls).await?;
        // Ends with its client.
        tokio::spawn(connection);
        Ok(client)
    }

    pub async fn run(&self, sql: &str) {
        self.connect().await.batch_execute(sql).await.expect("the statements run");
    }

    /// One bigint.
    pub async fn number(&self, sql: &str) -> i64 {
        self.connect().await.query_one(sql, &[]).await.expect("one row").get(0)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A test that failed leaves no server behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
