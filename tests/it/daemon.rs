//! The real binary: a place for it, started there, killed there, and started again.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use tempfile::TempDir;
use tokio::net::TcpSocket;
use tokio::time::{Instant, sleep, timeout_at};

use crate::children::{Ended, Lines};
use crate::depth::say;
use crate::http;

/// Between two looks at something that is awaited.
pub(crate) const LOOK: Duration = Duration::from_millis(20);

/// What is to happen happens within this time, however busy the machine is. Nobody waits for longer than it takes, so
/// that it costs nothing; what is asked of a time is asked where it is measured.
pub(crate) const PATIENCE: Duration = Duration::from_secs(150);

/// Where a daemon lives: its configuration, its journal, and ports that stay the same.
pub(crate) struct Site {
    folder: TempDir,
    pub(crate) journal: PathBuf,
    pub(crate) desk: SocketAddr,
    pub(crate) public: SocketAddr,
    speed: f64,
    /// A token of ours: it is good over restarts.
    token: OnceLock<String>,
}

/// A running daemon; it dies with this value.
pub(crate) struct Daemon {
    child: Ended,
}

impl Site {
    /// A place for a daemon whose boards are at `ports`, named from 1.
    pub(crate) fn new(speed: f64, ports: &[String]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path().join("journal");
        std::fs::create_dir(folder.path().join("runtime")).unwrap();
        let site = Self {
            folder,
            journal,
            desk: reserved_address(),
            public: reserved_address(),
            speed,
            token: OnceLock::new(),
        };
        site.configure(ports);
        site
    }

    /// The same with its journal elsewhere.
    pub(crate) fn with_journal(speed: f64, ports: &[String], journal: &Path) -> Self {
        let mut site = Self::new(speed, ports);
        site.journal = journal.to_owned();
        site.configure(ports);
        site
    }

    fn configure(&self, ports: &[String]) {
        let Self { journal, desk, public, .. } = self;
        let (journal, pgn) = (journal.display(), self.pgn_folder());
        let mut text = format!(
            "[tournament]\nname = \"Spring Open\"\nsite = \"Þingvellir\"\ntime_control = \"5400+30\"\n\
             [web]\narbiter = \"{desk}\"\npublic = \"{public}\"\n\
             [feeds.pgn]\npath = \"{}\"\n[journal]\npath = \"{journal}\"\n",
            pgn.display()
        );
        for (number, port) in (1..).zip(ports) {
            writeln!(text, "[[board]]\nid = \"{number}\"\nport = \"{port}\"").unwrap();
        }
        std::fs::write(self.config(), text).unwrap();
    }

    /// Adds a line to the tournament's part of the configuration.
    pub(crate) fn set(&self, line: &str) {
        let text = std::fs::read_to_string(self.config()).unwrap();
        let text = text.replacen("[tournament]\n", &format!("[tournament]\n{line}\n"), 1);
        std::fs::write(self.config(), text).unwrap();
    }

    /// Puts `after` in the place of `before`, which must stand in the configuration.
    pub(crate) fn change(&self, before: &str, after: &str) {
        let text = std::fs::read_to_string(self.config()).unwrap();
        assert!(text.contains(before), "{before} is not in {text}");
        std::fs::write(self.config(), text.replace(before, after)).unwrap();
    }

    /// Adds a line to the part of the pages.
    pub(crate) fn set_web(&self, line: &str) {
        let text = std::fs::read_to_string(self.config()).unwrap();
        std::fs::write(self.config(), text.replacen("[web]\n", &format!("[web]\n{line}\n"), 1)).unwrap();
    }

    /// Adds a section at the end.
    pub(crate) fn add_section(&self, section: &str) {
        let text = std::fs::read_to_string(self.config()).unwrap();
        std::fs::write(self.config(), format!("{text}\n{section}\n")).unwrap();
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn pgn_folder(&self) -> PathBuf {
        self.path().join("pgn")
    }

    pub(crate) fn config(&self) -> PathBuf {
        self.path().join("adoube.toml")
    }

    /// What the daemon has logged, over all of its lives.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.path().join("log")).unwrap_or_default()
    }

    /// A new token of this place.
    pub(crate) fn add_token(&self, role: &str, name: &str) -> String {
        let output = self.adoube(&["token", "add", role, name]);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Starts the daemon; comes back when its pages are there and we are their arbiter.
    pub(crate) fn start(&self) -> Daemon {
        self.start_and_link().0
    }

    /// The same, and the link that it printed.
    pub(crate) fn start_and_link(&self) -> (Daemon, String) {
        self.start_as(self.command())
    }

    /// What starts the daemon of this place.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(program());
        command.args(["run", "--speed", &self.speed.to_string(), "--config"]).arg(self.config());
        // As systemd gives it: a place that is no disk.
        command.env("RUNTIME_DIRECTORY", self.path().join("runtime")).env("ADOUBE_LOG", "info");
        command
    }

    /// The file of the log, for what the next life says.
    pub(crate) fn log_file(&self) -> File {
        OpenOptions::new().create(true).append(true).open(self.path().join("log")).unwrap()
    }

    /// Starts the daemon by that command, and knows its desk.
    pub(crate) fn start_as(&self, mut command: Command) -> (Daemon, String) {
        command.stderr(self.log_file());
        let token = self.token.get_or_init(|| self.add_token("arbiter", "tester"));
        http::know(self.desk, format!("Authorization: Bearer {token}"));
        let (daemon, link) = Daemon::spawn(command);
        assert!(link.contains(&format!("://{}/#login=", self.desk)), "{link}: {}", self.log());
        (daemon, link)
    }

    /// `adoube COMMAND` for this place, done.
    pub(crate) fn adoube(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(program());
        command.args(arguments).arg("--config").arg(self.config()).output().unwrap()
    }

    /// The events in the journal, a line each.
    pub(crate) fn exported(&self) -> Vec<String> {
        let output = self.adoube(&["export", "--events"]);
        assert!(output.status.success(), "export: {output:?}");
        String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
    }

    /// Fails unless `adoube verify` finds the journal whole and replays all of it.
    pub(crate) fn verify(&self) {
        let output = self.adoube(&["verify", "--json"]);
        let report = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0), "{report}\n{}", self.log());
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        assert_eq!(
            (&report["ok"], report["left_out"].as_array().map(Vec::len)),
            (&true.into(), Some(0)),
            "{report}"
        );
    }
}

/// What a failed test leaves behind is kept, and where is said: a failure that comes once in a hundred runs can be looked
/// into.
impl Drop for Site {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.folder.disable_cleanup(true);
            say(&format!("kept: {}", self.folder.path().display()));
        }
    }
}

impl Daemon {
    /// Starts a command and waits for the link that it prints first.
    ///
    /// # Panics
    /// If it prints none; nothing is left running.
    pub(crate) fn spawn(mut command: Command) -> (Self, String) {
        let mut child = Ended(command.stdout(Stdio::piped()).spawn().unwrap());
        let link = Lines::of(&mut child.0).next(PATIENCE);
        (Self { child }, link)
    }

    /// Ends it between two instructions, as a loss of power would.
    pub(crate) fn kill(self) {
        drop(self.child);
    }

    /// Its number.
    pub(crate) fn id(&self) -> u32 {
        self.child.0.id()
    }

    /// Sends it a signal, `-STOP` for example.
    pub(crate) fn signal(&self, signal: &str) {
        let id = self.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    }

    /// Asks it to end, and gives how it did.
    pub(crate) async fn terminate(self) -> Option<i32> {
        self.signal("-TERM");
        self.ended().await
    }

    /// How it ended, which it does by itself.
    pub(crate) async fn ended(mut self) -> Option<i32> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.0.try_wait().unwrap() {
                return status.code();
            }
            assert!(Instant::now() < deadline, "it does not stop");
            sleep(LOOK).await;
        }
    }
}

/// So many addresses are kept for tests: more than those that run at a time ask for, and few files.
const RESERVED: usize = 400;

/// An address of loopback that the system gave, and that nobody else is given while the test runs: it is bound, and
/// whoever means it may listen there, however often. A client that comes back to it while nobody does is refused, and
/// not given that port itself.
///
/// (Both sockets may be bound as long as only one of them listens, and both say so, which whoever listens does.)
pub(crate) fn reserved_address() -> SocketAddr {
    static KEPT: Mutex<VecDeque<TcpSocket>> = Mutex::new(VecDeque::new());
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_reuseaddr(true).unwrap();
    socket.bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).unwrap();
    let address = socket.local_addr().unwrap();
    let mut kept = KEPT.lock().unwrap();
    kept.push_back(socket);
    if kept.len() > RESERVED {
        kept.pop_front();
    }
    address
}

/// Waits until `look` finds something. A look itself may take no longer, either.
///
/// # Panics
/// If it has not after `patience`; `what` says what was awaited.
pub(crate) async fn awaited<T, F>(what: &str, patience: Duration, mut look: impl FnMut() -> F) -> T
where
    F: Future<Output = Option<T>>,
{
    let deadline = Instant::now() + patience;
    loop {
        match timeout_at(deadline, look()).await {
            Ok(Some(found)) => return found,
            Ok(None) if Instant::now() < deadline => sleep(LOOK).await,
            _ => panic!("still no {what} after {patience:?}"),
        }
    }
}

/// Must everything be tested here, or may a test that lacks something be skipped?
///
/// # Panics
/// If nothing may be skipped.
pub(crate) fn skip(reason: &str) {
    assert!(std::env::var_os("ADOUBE_REQUIRE_DATA").is_none(), "ADOUBE_REQUIRE_DATA is set, but {reason}");
    say(&format!("skipped: {reason}"));
}

/// A file for output that nobody wants.
pub(crate) fn nowhere() -> File {
    OpenOptions::new().write(true).open("/dev/null").unwrap()
}

/// The command that the tests were made with; the benchmarks that share this file start none.
fn program() -> &'static str {
    option_env!("CARGO_BIN_EXE_adoube").unwrap_or("tests are built with the command")
}
