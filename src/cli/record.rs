//! `adoube record`: what a real board says, as a capture.

use std::fs::File;
use std::io::{BufWriter, IsTerminal as _, Write};
use std::path::PathBuf;

use anyhow::{Context as _, anyhow};
use clap::Args;

use super::Answer;
use super::boards::parse_port;
use crate::hall::Clock;
use crate::link::Port;
use crate::link::{self, Candidate, Passed, Talk, protocols_for};
use adoube_core::capture::{Header, Item, Line};
use adoube_core::wire::{self, Protocol, protocol_names};
use adoube_rules::stamp::Stamp;

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
    /// What the board speaks (else it is asked)
    #[arg(long, value_name = "PROTOCOL")]
    protocol: Option<String>,
}

impl Record {
    #[tokio::main]
    pub(super) async fn run(&self) -> anyhow::Result<Answer> {
        let port = parse_port(&self.port)?;
        let protocol = self.protocol(&port).await?;
        let stream = link::open(&port, protocol.line).await?;
        let name = self.out.display();
        let file = File::create(&self.out).with_context(|| name.to_string())?;
        let mut out: Box<dyn Write> = if self.out.extension().is_some_and(|extension| extension == "zst") {
            Box::new(zstd::Encoder::new(file, 0)?.auto_finish())
        } else {
            Box::new(BufWriter::new(file))
        };
        let clock = Clock::start(None, 1.0);
        let mut talk = Talk::new(stream, protocol);
        let start = clock.now();
        let header = Header {
            board: "1".to_owned(),
            protocol: protocol.name.to_owned(),
            started_utc_ns: start.utc_ns,
            ..Header::default()
        };
        writeln!(out, "{}", header.to_line())?;
        eprintln!("recording {port} ({}) into {name}; Ctrl-C ends it", protocol.name);
        let mut bytes = 0_u64;
        let interrupted = super::interrupted();
        tokio::pin!(interrupted);
        loop {
            let passed = tokio::select! {
                passed = talk.step() => passed.context("the board takes no bytes")?,
                stopped = &mut interrupted => { stopped?; break }
            };
            // What the session makes of it is not needed here; what it wants written is.
            drop(talk.heard());
            let item = match passed {
                Passed::Received(received) => {
                    bytes += received.len() as u64;
                    Item::Received(received)
                }
                Passed::Sent(sent) => Item::Sent(sent),
                Passed::Nothing => continue,
                Passed::Gone => {
                    write_line(&mut out, clock.now(), start, Item::LinkLost)?;
                    eprintln!("the board is gone");
                    break;
                }
            };
            write_line(&mut out, clock.now(), start, item)?;
            if std::io::stderr().is_terminal() {
                eprint!("\r{bytes} bytes");
            }
        }
        out.flush()?;
        eprintln!("\r{bytes} bytes from the board in {name}");
        Ok(Answer::Yes)
    }

    /// What the board speaks: as it was said, else as it answers.
    async fn protocol(&self, port: &Port) -> anyhow::Result<&'static Protocol> {
        if let Some(name) = &self.protocol {
            return wire::protocol(name).ok_or_else(|| {
                anyhow!("protocol \"{name}\" is not known; this version speaks {}", protocol_names())
            });
        }
        let asked = protocols_for(&Candidate::named(port));
        let found = link::probe(port, &asked)
            .await
            .with_context(|| format!("--protocol NAME records without asking ({})", protocol_names()))?;
        wire::protocol(found.protocol).context("a protocol of the registry")
    }
}

fn write_line(out: &mut impl Write, now: Stamp, start: Stamp, item: Item) -> std::io::Result<()> {
    let line = Line { t_ns: now.mono_ns - start.mono_ns, items: vec![item] };
    writeln!(out, "{}", line.to_line())?;
    out.flush()
}
