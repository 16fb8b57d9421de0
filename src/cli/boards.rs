//! `adoube boards`: what is attached, why something is not used, and what to do.

use std::fs;
use std::io::IsTerminal as _;
use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;
use indicatif::ProgressBar;
use tokio::task::JoinSet;

use super::control::Control;
use super::{Answer, columns};
use crate::config::Config;
use crate::hall::{PortState, PortStatus};
use crate::link::Port;
use crate::link::{Candidate, Devices, probe, protocols_for};

/// Show what is attached, what answers, and what to do about the rest
#[derive(Debug, Args)]
#[command(
    after_help = "A daemon that runs here is asked first: it holds the ports of its boards. Exit 1: no board answers.\n\n\
                  Example:\n  adoube boards\n  adoube boards --json tcp://127.0.0.1:9000"
)]
pub(super) struct Boards {
    /// Ports to ask beside those that are found: serial:PATH or tcp://HOST:PORT
    #[arg(value_name = "PORT")]
    ports: Vec<String>,
    /// A JSON array
    #[arg(long)]
    json: bool,
    /// Configuration file: the ports that it names are asked, too
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Folder in which dev and sys are; for tests
    #[arg(long, value_name = "FOLDER", hide = true)]
    devices: Option<PathBuf>,
}

impl Boards {
    pub(super) fn run(&self) -> anyhow::Result<Answer> {
        let mut named = Vec::new();
        for port in &self.ports {
            named.push(parse_port(port)?);
        }
        let (known, is_from_daemon) = match self.ask_daemon()? {
            Some(known) => (known, true),
            None => (Vec::new(), false),
        };
        let devices = self.devices.as_deref().map(Devices::below).unwrap_or_default();
        let mut targets: Vec<Target> = Vec::new();
        if !is_from_daemon {
            targets.extend(devices.candidates().into_iter().map(Target::of_candidate));
            named.extend(self.configured());
        }
        for port in named {
            let name = port.to_string();
            let is_known =
                known.iter().any(|status| status.port == name && status.state != PortState::NotAsked);
            match targets.iter_mut().find(|target| target.is(&port)) {
                Some(target) => target.is_asked = true,
                None if !is_known => targets.push(Target::of_port(port)),
                None => {}
            }
        }
        let asked = tokio::runtime::Runtime::new()?.block_on(ask_all(targets));
        let is_new = |status: &PortStatus| !asked.iter().any(|asked| asked.port == status.port);
        let mut rows: Vec<PortStatus> = known.into_iter().filter(is_new).collect();
        rows.extend(asked);
        self.print(&rows, is_from_daemon)?;
        let answers = rows.iter().any(|row| row.answers);
        Ok(if answers { Answer::Yes } else { Answer::No })
    }

    /// The ports that the configuration names. What is wrong with it is for "config check" to say.
    fn configured(&self) -> Vec<Port> {
        let config = match Config::load(self.config.as_deref()) {
            Ok((config, _)) => config,
            Err(error) => {
                eprintln!("adoube: {error}; the configuration is left out");
                return Vec::new();
            }
        };
        let of_boards = config.boards.into_iter().map(|board| board.port);
        of_boards.chain(config.discovery.ports).filter(|port| *port != Port::Auto).collect()
    }

    /// What the daemon knows that runs here; `None` if there is none.
    fn ask_daemon(&self) -> anyhow::Result<Option<Vec<PortStatus>>> {
        if self.devices.is_some() {
            return Ok(None);
        }
        let Ok(daemon) = Control::connect() else { return Ok(None) };
        Ok(Some(serde_json::from_value(daemon.get("/api/v1/ports")?)?))
    }

    fn print(&self, rows: &[PortStatus], is_from_daemon: bool) -> anyhow::Result<()> {
        if self.json {
            println!("{}", serde_json::to_string(rows)?);
            return Ok(());
        }
        if rows.is_empty() {
            println!(
                "no serial port looks like a board; plug one in, or name a port: adoube boards serial:/dev/ttyUSB0"
            );
            return Ok(());
        }
        let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_owned());
        let mut table = vec![["PORT", "STATE", "BOARD", "PROTOCOL", "NUMBER", "FIRMWARE"].map(str::to_owned)];
        table.extend(rows.iter().map(|row| {
            let PortStatus { port, board, protocol, serial, version, .. } = row;
            [port.clone(), state(row).to_owned(), text(board), text(protocol), text(serial), text(version)]
        }));
        print!("{}", columns::columns(&table));
        for row in rows {
            if let Some(reason) = &row.reason {
                println!("\n{}: {reason}", row.port);
                if let Some(advice) = &row.advice {
                    println!("  {advice}");
                }
            }
        }
        if is_from_daemon {
            eprintln!("as the running daemon has it");
        }
        Ok(())
    }
}

/// In a word or two.
fn state(row: &PortStatus) -> &'static str {
    match row.state {
        PortState::Used if row.answers => "in use",
        PortState::Used => "in use, silent",
        PortState::Unused => "answers",
        PortState::Asking => "being asked",
        PortState::NoBoard => "no board",
        PortState::NotAsked => "not asked",
    }
}

/// The port that somebody wrote: a path alone will do.
pub(super) fn parse_port(text: &str) -> anyhow::Result<Port> {
    let is_path = text.starts_with('/');
    let text = if is_path { format!("serial:{text}") } else { text.to_owned() };
    match text.parse() {
        Ok(Port::Auto) => Err(anyhow!("\"auto\" is no port; write serial:PATH or tcp://HOST:PORT")),
        Ok(port) => Ok(port),
        Err(error) => Err(anyhow!("{error}")),
    }
}

/// A port, and whether it is to be asked.
struct Target {
    port: Port,
    candidate: Candidate,
    is_asked: bool,
}

impl Target {
    fn of_candidate(candidate: Candidate) -> Self {
        Self { port: Port::Serial(candidate.path.clone()), is_asked: candidate.is_known, candidate }
    }

    /// Is it that port, under whatever name?
    fn is(&self, port: &Port) -> bool {
        let is_device =
            |path: &PathBuf| fs::canonicalize(path).ok() == fs::canonicalize(&self.candidate.path).ok();
        self.port == *port || matches!(port, Port::Serial(path) if path.exists() && is_device(path))
    }

    fn of_port(port: Port) -> Self {
        Self { candidate: Candidate::named(&port), port, is_asked: true }
    }

    fn status(&self) -> PortStatus {
        let Candidate { device, path, .. } = &self.candidate;
        PortStatus {
            port: self.port.to_string(),
            device: (device != path).then(|| device.display().to_string()),
            usb_id: self.candidate.usb_id(),
            ..PortStatus::default()
        }
    }
}

/// Asks all at once: each has its own line.
async fn ask_all(targets: Vec<Target>) -> Vec<PortStatus> {
    let count = targets.iter().filter(|target| target.is_asked).count();
    let bar = if std::io::stderr().is_terminal() && count > 0 {
        ProgressBar::new_spinner()
    } else {
        ProgressBar::hidden()
    };
    bar.set_message(format!("asking {count} ports"));
    bar.enable_steady_tick(std::time::Duration::from_millis(100));
    let mut tasks = JoinSet::new();
    for (at, target) in targets.into_iter().enumerate() {
        tasks.spawn(async move { (at, ask(&target).await) });
    }
    let mut rows = Vec::new();
    while let Some(asked) = tasks.join_next().await {
        if let Ok((at, status)) = asked {
            bar.println(format!("{}: {}", status.port, state(&status)));
            rows.push((at, status));
        }
    }
    bar.finish_and_clear();
    rows.sort_by_key(|(at, _)| *at);
    rows.into_iter().map(|(_, status)| status).collect()
}

async fn ask(target: &Target) -> PortStatus {
    let mut status = target.status();
    if !target.is_asked {
        status.not_asked();
        return status;
    }
    match probe(&target.port, &protocols_for(&target.candidate)).await {
        Ok(found) => status.found(&found),
        Err(error) => status.not_found(&error),
    }
    status
}
