//! The machine, as checks see it.

use std::io::{self, Write as _};
use std::net::{SocketAddr, TcpListener, ToSocketAddrs as _};
use std::path::Path;
use std::time::Duration;

use rustix::fs::{Access, access, statvfs};
use rustix::process::{Resource, getgroups, getrlimit, getuid};
use tokio::process::Command;
use tokio::time::{Instant, timeout};

use crate::hall::Clock;
use adoube_rules::stamp::SECOND;

/// A program that says how the system is answers at once, or hangs.
const PROGRAM: Duration = Duration::from_secs(5);
/// A server that is there answers a connection within this time.
const CONNECT: Duration = Duration::from_secs(3);
/// Commits to measure: enough for a median.
const COMMITS: usize = 15;
/// What one writes: a page of a database.
const PAGE: [u8; 4_096] = [0; 4_096];

/// Whose process it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct User {
    pub(super) uid: u32,
    pub(super) gids: Vec<u32>,
}

/// Room on a disk, bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Space {
    pub(super) free: u64,
    pub(super) total: u64,
}

/// Everything that checks ask a machine.
pub(super) trait System {
    /// Where its files are: `/`.
    fn root(&self) -> &Path;
    /// Who asks.
    fn user(&self) -> User;
    /// What a program prints; `None` if it is not there, fails or does not come back.
    fn run(&self, program: &str, arguments: &[&str]) -> Option<String>;
    /// May that be read and written?
    fn may_use(&self, path: &Path) -> bool;
    /// How much room there is.
    fn space(&self, folder: &Path) -> Option<Space>;
    /// How long a commit to a disk takes, milliseconds.
    fn commit_ms(&self, folder: &Path) -> io::Result<u64>;
    /// Could somebody listen there now?
    fn can_listen(&self, address: SocketAddr) -> io::Result<()>;
    /// Does somebody listen there?
    fn can_reach(&self, host: &str, port: u16) -> io::Result<()>;
    /// Seconds since 1970.
    fn utc_s(&self) -> i64;
    /// Files that may be open at one time.
    fn files_max(&self) -> Option<u64>;
}

/// This machine.
pub(super) struct Machine {
    runtime: tokio::runtime::Runtime,
}

impl Machine {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self { runtime: tokio::runtime::Builder::new_current_thread().enable_all().build()? })
    }
}

impl System for Machine {
    fn root(&self) -> &Path {
        Path::new("/")
    }

    fn user(&self) -> User {
        let gids = getgroups().unwrap_or_default().into_iter().map(rustix::process::Gid::as_raw);
        User { uid: getuid().as_raw(), gids: gids.collect() }
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Option<String> {
        self.runtime.block_on(async {
            let mut command = Command::new(program);
            command.args(arguments).env("LC_ALL", "C").kill_on_drop(true);
            let output = timeout(PROGRAM, command.output()).await.ok()?.ok()?;
            output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
        })
    }

    fn may_use(&self, path: &Path) -> bool {
        access(path, Access::READ_OK | Access::WRITE_OK).is_ok()
    }

    fn space(&self, folder: &Path) -> Option<Space> {
        let disk = statvfs(folder).ok()?;
        Some(Space { free: disk.f_bavail * disk.f_frsize, total: disk.f_blocks * disk.f_frsize })
    }

    fn commit_ms(&self, folder: &Path) -> io::Result<u64> {
        let mut file = tempfile::tempfile_in(folder)?;
        let mut taken = Vec::new();
        for _ in 0..COMMITS {
            let before = Instant::now();
            file.write_all(&PAGE)?;
            file.sync_data()?;
            taken.push(before.elapsed());
        }
        taken.sort_unstable();
        Ok(u64::try_from(taken[COMMITS / 2].as_millis()).unwrap_or(u64::MAX))
    }

    fn can_listen(&self, address: SocketAddr) -> io::Result<()> {
        TcpListener::bind(address).map(drop)
    }

    fn can_reach(&self, host: &str, port: u16) -> io::Result<()> {
        // Asking for a name can take long, so it has its time like the rest.
        let host = host.to_owned();
        let reach = async move {
            let addresses = tokio::task::spawn_blocking(move || {
                (host.as_str(), port).to_socket_addrs().map(Iterator::collect::<Vec<_>>)
            });
            let addresses = addresses.await.map_err(io::Error::other)??;
            tokio::net::TcpStream::connect(addresses.as_slice()).await.map(drop)
        };
        self.runtime.block_on(async {
            timeout(CONNECT, reach)
                .await
                .unwrap_or_else(|_| Err(io::Error::new(io::ErrorKind::TimedOut, "no answer within 3 s")))
        })
    }

    fn utc_s(&self) -> i64 {
        Clock::start(None, 1.0).now().utc_ns / i64::try_from(SECOND).unwrap_or(1_000_000_000)
    }

    fn files_max(&self) -> Option<u64> {
        getrlimit(Resource::Nofile).maximum
    }
}
