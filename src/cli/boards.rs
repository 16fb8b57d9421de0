//! `adoube boards` and `adoube record`: what is attached, and what it really says.

use std::fs::File;
use std::io::{BufWriter, IsTerminal as _, Write};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use clap::Args;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{sleep, timeout};

use super::Answer;
use crate::capture::{Header, Item, Line};
use crate::config::Port;
use crate::daemon::Clock;
use crate::link::{self, Stream, WRITE_TIMEOUT, candidates};
use crate::sensor::{Content, Frame, Reading};
use crate::stamp::Stamp;
use crate::wire::{Identity, Session, SessionInput, SessionOutput, dgt};

/// A board answers within a second of being asked (dgt-protocol 1.2); the handshake takes half one.
const PATIENCE_NS: u64 = 2_500_000_000;

/// Show what is attached and what answers
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  adoube boards\n  adoube boards --json tcp://127.0.0.1:9000")]
pub(super) struct Boards {
    /// Ports to ask beside those that were found: serial:PATH or tcp://HOST:PORT
    #[arg(value_name = "PORT")]
    ports: Vec<String>,
    /// A JSON array
    #[arg(long)]
    json: bool,
}

impl Boards {
    #[tokio::main]
    pub(super) async fn run(&self) -> anyhow::Result<Answer> {
        let mut rows = Vec::new();
        for candidate in candidates() {
            let port = Port::Serial(candidate.path.clone());
            if candidate.is_known {
                rows.push(ask(&port).await);
            } else {
                let usb = candidate.usb_id.as_deref().unwrap_or("no USB numbers");
                let reason = format!(
                    "a generic port ({usb}); not asked. Name it here or in the configuration to use it"
                );
                rows.push(row(&port, None, Some(reason)));
            }
        }
        for port in &self.ports {
            rows.push(ask(&parse_port(port)?).await);
        }
        let answers = rows.iter().any(|row| row["answers"] == true);
        if self.json {
            println!("{}", Value::Array(rows));
        } else if rows.is_empty() {
            println!(
                "no serial port looks like a board; plug one in, or name a port: adoube boards serial:/dev/ttyUSB0"
            );
        } else {
            for row in &rows {
                let text = |key: &str| row[key].as_str().unwrap_or("?").to_owned();
                match row["answers"].as_bool() {
                    Some(true) => {
                        println!("{}: board {}, firmware {}", text("port"), text("serial"), text("version"));
                    }
                    _ => println!("{}: {}", text("port"), text("reason")),
                }
            }
        }
        Ok(if answers { Answer::Yes } else { Answer::No })
    }
}

fn parse_port(text: &str) -> anyhow::Result<Port> {
    let is_path = text.starts_with('/');
    let text = if is_path { format!("serial:{text}") } else { text.to_owned() };
    text.parse().map_err(|error| anyhow!("{error}"))
}

fn row(port: &Port, identity: Option<&Identity>, reason: Option<String>) -> Value {
    json!({
        "port": port.to_string(),
        "answers": identity.is_some(),
        "protocol": identity.map(|_| "dgt"),
        "serial": identity.and_then(|identity| identity.serial.clone()),
        "long_serial": identity.and_then(|identity| identity.long_serial.clone()),
        "version": identity.and_then(|identity| identity.version.clone()),
        "clock_version": identity.and_then(|identity| identity.clock_version.clone()),
        "reason": reason,
    })
}

async fn ask(port: &Port) -> Value {
    match link::open(port, dgt::PROTOCOL.line).await {
        Err(error) => row(port, None, Some(error.to_string())),
        Ok(stream) => {
            let mut talk = Talk::new(stream);
            match talk.identity().await {
                Some(identity) => row(port, Some(&identity), None),
                None => row(port, None, Some("open, but no board answers; is it switched on?".to_owned())),
            }
        }
    }
}

/// What stands on the board at `port`, a1 first, as its sensor lies; `None` if no board answers.
pub(super) async fn standing(port: &Port) -> Option<Vec<Content>> {
    Talk::new(link::open(port, dgt::PROTOCOL.line).await.ok()?).standing().await
}

/// A conversation outside the daemon.
struct Talk {
    stream: Box<dyn Stream>,
    session: Box<dyn Session>,
    clock: Clock,
    said: Vec<SessionOutput>,
}

/// What passed on the line.
enum Passed {
    Received(Vec<u8>),
    Sent(Vec<u8>),
    Gone,
    Nothing,
}

impl Talk {
    fn new(stream: Box<dyn Stream>) -> Self {
        let session = (dgt::PROTOCOL.session)();
        let mut talk = Self { stream, session, clock: Clock::start(None, 1.0), said: Vec::new() };
        talk.tell(SessionInput::LinkUp);
        talk
    }

    fn tell(&mut self, input: SessionInput<'_>) {
        self.session.handle(input, self.clock.now().mono_ns, &mut self.said);
    }

    /// Writes the next thing that is to be written, or waits for the next thing that happens.
    async fn step(&mut self) -> anyhow::Result<Passed> {
        if let Some(index) = self.said.iter().position(|said| matches!(said, SessionOutput::Write(_))) {
            let SessionOutput::Write(bytes) = self.said.remove(index) else { return Ok(Passed::Nothing) };
            timeout(WRITE_TIMEOUT, self.stream.write_all(&bytes))
                .await
                .context("the board takes no bytes")??;
            return Ok(Passed::Sent(bytes));
        }
        let wait =
            self.session.wake_at_ns().map_or(Duration::from_millis(100), |at_ns| self.clock.until(at_ns));
        let mut bytes = vec![0; 512];
        tokio::select! {
            read = self.stream.read(&mut bytes) => {
                let count = read.unwrap_or(0);
                if count == 0 {
                    return Ok(Passed::Gone);
                }
                bytes.truncate(count);
                self.tell(SessionInput::Bytes(&bytes));
                Ok(Passed::Received(bytes))
            }
            () = sleep(wait) => {
                self.tell(SessionInput::Wake);
                Ok(Passed::Nothing)
            }
        }
    }

    /// Waits for the first picture of the whole board.
    async fn standing(&mut self) -> Option<Vec<Content>> {
        while self.clock.now().mono_ns < PATIENCE_NS {
            if matches!(self.step().await, Err(_) | Ok(Passed::Gone)) {
                break;
            }
            let frame = self.said.iter().find_map(|said| match said {
                SessionOutput::Reading(Reading::Frame(Frame::Identity(contents))) => Some(contents.clone()),
                _ => None,
            });
            if frame.is_some() {
                return frame;
            }
        }
        None
    }

    /// Asks who is there; whatever answered within the patience.
    async fn identity(&mut self) -> Option<Identity> {
        let mut identity = None;
        while self.clock.now().mono_ns < PATIENCE_NS {
            if matches!(self.step().await, Err(_) | Ok(Passed::Gone)) {
                break;
            }
            for said in self.said.extract_if(.., |said| matches!(said, SessionOutput::Identity(_))) {
                if let SessionOutput::Identity(known) = said {
                    identity = Some(known);
                }
            }
            let is_complete = identity
                .as_ref()
                .is_some_and(|identity: &Identity| identity.serial.is_some() && identity.version.is_some());
            if is_complete {
                break;
            }
        }
        identity
    }
}

/// Write down what a real board says, as a capture
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  adoube record /dev/ttyACM0 --out board.jsonl\n  adoube record tcp://192.168.1.9:4001 --out board.jsonl.zst"
)]
pub(super) struct Record {
    /// serial:PATH or tcp://HOST:PORT
    #[arg(value_name = "PORT")]
    port: String,
    /// The capture; packed if its name ends in .zst
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

impl Record {
    #[tokio::main]
    pub(super) async fn run(&self) -> anyhow::Result<Answer> {
        let port = parse_port(&self.port)?;
        let stream = link::open(&port, dgt::PROTOCOL.line).await?;
        let name = self.out.display();
        let file = File::create(&self.out).with_context(|| name.to_string())?;
        let mut out: Box<dyn Write> = if self.out.extension().is_some_and(|extension| extension == "zst") {
            Box::new(zstd::Encoder::new(file, 0)?.auto_finish())
        } else {
            Box::new(BufWriter::new(file))
        };
        let mut talk = Talk::new(stream);
        let start = talk.clock.now();
        let header = Header {
            board: "1".to_owned(),
            protocol: "dgt".to_owned(),
            started_utc_ns: start.utc_ns,
            ..Header::default()
        };
        writeln!(out, "{}", header.to_line())?;
        eprintln!("recording {port} into {name}; Ctrl-C ends it");
        let mut bytes = 0_u64;
        let interrupted = super::interrupted();
        tokio::pin!(interrupted);
        loop {
            let passed = tokio::select! {
                passed = talk.step() => passed?,
                stopped = &mut interrupted => { stopped?; break }
            };
            // What the session makes of it is not needed here; what it wants written is.
            talk.said.retain(|said| matches!(said, SessionOutput::Write(_)));
            let item = match passed {
                Passed::Received(received) => {
                    bytes += received.len() as u64;
                    Item::Received(received)
                }
                Passed::Sent(sent) => Item::Sent(sent),
                Passed::Nothing => continue,
                Passed::Gone => {
                    write_line(&mut out, talk.clock.now(), start, Item::LinkLost)?;
                    eprintln!("the board is gone");
                    break;
                }
            };
            write_line(&mut out, talk.clock.now(), start, item)?;
            if std::io::stderr().is_terminal() {
                eprint!("\r{bytes} bytes");
            }
        }
        out.flush()?;
        eprintln!("\r{bytes} bytes from the board in {name}");
        Ok(Answer::Yes)
    }
}

fn write_line(out: &mut impl Write, now: Stamp, start: Stamp, item: Item) -> std::io::Result<()> {
    let line = Line { t_ns: now.mono_ns - start.mono_ns, items: vec![item] };
    writeln!(out, "{}", line.to_line())?;
    out.flush()
}
