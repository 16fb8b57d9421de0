//! A real server on loopback, with its store in a folder of its own, and what is in its streams.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use async_nats::jetstream::consumer::{DeliverPolicy, pull};
use async_nats::jetstream::{self, Context};
use futures_util::StreamExt as _;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

use crate::daemon::{PATIENCE, awaited, nowhere, reserved_address, skip};

/// The program; Debian has it where only root looks.
fn program() -> Option<PathBuf> {
    let places = ["nats-server", "/usr/sbin/nats-server"].map(PathBuf::from);
    let is_there = |place: &PathBuf| Command::new(place).arg("--version").stdout(nowhere()).status().is_ok();
    places.into_iter().find(is_there)
}

/// A server; it dies with this value.
pub(crate) struct NatsServer {
    folder: TempDir,
    pub(crate) address: SocketAddr,
    child: Option<Child>,
}

impl NatsServer {
    /// A server as anybody has it; `None` if there is no such program here.
    pub(crate) async fn start() -> Option<Self> {
        Self::configured("").await
    }

    /// The same with more in its configuration, in which `FOLDER` is its folder.
    pub(crate) async fn configured(lines: &str) -> Option<Self> {
        let server = Self::prepared(reserved_address(), lines)?;
        Some(server.started().await)
    }

    /// The same, not yet started.
    pub(crate) fn prepared(address: SocketAddr, lines: &str) -> Option<Self> {
        if program().is_none() {
            skip("no nats-server");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().display();
        let text = format!("listen: \"{address}\"\njetstream {{ store_dir: \"{path}/store\" }}\n{lines}\n");
        std::fs::write(folder.path().join("server.conf"), text.replace("FOLDER", &path.to_string())).unwrap();
        Some(Self { folder, address, child: None })
    }

    /// Starts it, and comes back when it listens.
    pub(crate) async fn started(mut self) -> Self {
        self.restart().await;
        self
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://{}", self.address)
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Starts it again, with what it has on disk.
    pub(crate) async fn restart(&mut self) {
        self.launch();
        let address = self.address;
        awaited("server", PATIENCE, async || TcpStream::connect(address).await.ok()).await;
    }

    /// The same, without waiting for it.
    pub(crate) fn launch(&mut self) {
        let log =
            std::fs::OpenOptions::new().create(true).append(true).open(self.path().join("log")).unwrap();
        let mut command = Command::new(program().unwrap());
        command.arg("-c").arg(self.path().join("server.conf")).stdin(Stdio::null());
        self.child = Some(command.stdout(nowhere()).stderr(log).spawn().unwrap());
    }

    /// Ends it between two instructions.
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    pub(crate) async fn context(&self) -> Context {
        jetstream::new(async_nats::connect(self.url()).await.unwrap())
    }

    /// All messages of a stream.
    pub(crate) async fn contents(&self, stream: &str) -> Vec<Stored> {
        contents(&self.context().await, stream).await
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A message of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stored {
    pub(crate) sequence: u64,
    pub(crate) subject: String,
    /// `EPOCH-NUMBER`.
    pub(crate) id: String,
    pub(crate) whole: u64,
    pub(crate) line: String,
}

impl Stored {
    pub(crate) fn number(&self) -> u64 {
        self.id.rsplit_once('-').unwrap().1.parse().unwrap()
    }
}

/// All messages of a stream, in order; none if it is not there.
pub(crate) async fn contents(context: &Context, stream: &str) -> Vec<Stored> {
    let Ok(stream) = context.get_stream(stream).await else { return Vec::new() };
    let last = stream.get_info().await.unwrap().state.last_sequence;
    let config = pull::OrderedConfig { deliver_policy: DeliverPolicy::All, ..pull::OrderedConfig::default() };
    let mut messages = stream.create_consumer(config).await.unwrap().messages().await.unwrap();
    let mut found = Vec::new();
    while found.last().map_or(0, |stored: &Stored| stored.sequence) < last {
        let message = timeout(PATIENCE, messages.next()).await.unwrap().unwrap().unwrap();
        let headers = message.headers.clone().unwrap_or_default();
        let header = |name: &str| headers.get(name).map_or(String::new(), |value| value.as_str().to_owned());
        found.push(Stored {
            sequence: message.info().unwrap().stream_sequence,
            subject: message.subject.to_string(),
            id: header("Nats-Msg-Id"),
            whole: header("Adoube-Whole").parse().unwrap_or(0),
            line: String::from_utf8(message.payload.to_vec()).unwrap(),
        });
    }
    found
}

/// A line to `server` on which everything that it says takes so long.
pub(crate) async fn slow_line(server: SocketAddr, delay: Duration) -> SocketAddr {
    line_of(server, 65_536, delay).await
}

/// A line to `server` that carries no more than so much of what it says.
pub(crate) async fn narrow_line(server: SocketAddr, bytes_per_second: usize) -> SocketAddr {
    line_of(server, bytes_per_second / 20, Duration::from_millis(50)).await
}

async fn line_of(server: SocketAddr, chunk: usize, delay: Duration) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (client, _) = listener.accept().await.unwrap();
            let Ok(server) = TcpStream::connect(server).await else { continue };
            tokio::spawn(async move {
                let (mut from_client, mut to_client) = client.into_split();
                let (mut from_server, mut to_server) = server.into_split();
                let answered = async {
                    let mut buffer = vec![0; chunk];
                    while let Ok(count @ 1..) = from_server.read(&mut buffer).await {
                        sleep(delay).await;
                        if to_client.write_all(&buffer[..count]).await.is_err() {
                            return;
                        }
                    }
                };
                tokio::select! {
                    _ = tokio::io::copy(&mut from_client, &mut to_server) => {}
                    () = answered => {}
                }
            });
        }
    });
    address
}
