//! The viewer of the bench: follows the desk's events like a page, and looks into the journal all the time.
//!
//! A process of its own as well. It reads the cookie from its input, prints a line once it has the snapshot, and
//! writes down what it saw when its input ends.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::Args;
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

use super::super::Answer;
use super::orders::{self, Orders};
use super::truth::{self, Seen, Watched};
use crate::hall::Clock;

/// Between two looks into the journal: so exact is what is told of it.
const LOOK: Duration = Duration::from_millis(2);

/// Looks after which a newer file is looked for.
const LOOKS_A_FILE: u32 = 500;

/// The viewer of "bench hall"
#[derive(Debug, Args)]
pub(in crate::cli) struct Viewer {
    #[arg(long)]
    desk: SocketAddr,
    /// The folder of the journal.
    #[arg(long)]
    journal: PathBuf,
    /// Where it is written down what was seen.
    #[arg(long)]
    out: PathBuf,
}

impl Viewer {
    #[tokio::main(flavor = "current_thread")]
    pub(in crate::cli) async fn run(&self) -> anyhow::Result<Answer> {
        let mut orders = Orders::read();
        let cookie = orders.next().await.context("no cookie")?;
        let is_over = Arc::new(AtomicBool::new(false));
        let (folder, stop) = (self.journal.clone(), Arc::clone(&is_over));
        let journal = std::thread::spawn(move || look(&folder, &stop));
        let mut stream = TcpStream::connect(self.desk).await?;
        let request = format!(
            "GET /api/v1/events?moves=last HTTP/1.1\r\nHost: {}\r\nCookie: {cookie}\r\nAccept: text/event-stream\r\n\r\n",
            self.desk
        );
        stream.write_all(request.as_bytes()).await?;
        let mut lines = BufReader::with_capacity(1 << 16, stream).lines();
        let mut watching =
            Watching { clock: Clock::start(None, 1.0), last: None, watched: Watched::default() };
        loop {
            tokio::select! {
                line = lines.next_line() => {
                    let Some(line) = line? else { bail!("the daemon closed the connection") };
                    if watching.take(&line) {
                        orders::answer("watching")?;
                    }
                }
                order = orders.next() => {
                    if order.is_none() {
                        break;
                    }
                }
            }
        }
        is_over.store(true, Ordering::Relaxed);
        let mut watched = watching.watched;
        match journal.join() {
            Ok(looks) => watched.journal = looks?,
            Err(_) => bail!("looking into the journal failed"),
        }
        truth::write(&self.out, &watched)?;
        Ok(Answer::Yes)
    }
}

struct Watching {
    clock: Clock,
    /// The number of the last event.
    last: Option<u64>,
    watched: Watched,
}

impl Watching {
    /// Takes a line of the stream; true if it was the first snapshot.
    fn take(&mut self, line: &str) -> bool {
        if let Some(number) = line.strip_prefix("id: ").and_then(|id| id.rsplit_once('-')?.1.parse().ok()) {
            self.number(number);
        } else if line == "event: resync" {
            self.watched.resyncs += 1;
            // The numbers go on behind it.
            self.last = None;
        } else if line == "event: snapshot" {
            return true;
        } else if let Some(data) = line.strip_prefix("data: ") {
            // Most events are none of ours, and are not read for that.
            let is_ours = ["\"type\":\"move-", "\"type\":\"game-opened\"", "\"type\":\"board-lost\""];
            if is_ours.iter().any(|ours| data.contains(ours)) {
                let event = serde_json::from_str(data).unwrap_or_default();
                self.event(&event);
            }
        }
        false
    }

    fn number(&mut self, number: u64) {
        self.watched.events += 1;
        if self.last.is_some_and(|last| number != last + 1) {
            self.watched.out_of_order += 1;
        }
        self.last = Some(number);
    }

    fn event(&mut self, event: &Value) {
        let number = |key: &str| event[key].as_u64().unwrap_or(0);
        let Some(board) = event["board"].as_str().and_then(|board| board.parse().ok()) else { return };
        let ply = number("ply") as usize;
        let seen = match event["type"].as_str() {
            Some("game-opened") => Seen::Opened { board },
            Some("move-made") => {
                Seen::Made { board, ply, uci: event["uci"].as_str().unwrap_or_default().to_owned() }
            }
            Some("move-retracted") => Seen::Retracted { board, ply },
            Some("move-completed") => Seen::Completed {
                board,
                ply,
                seq: number("seq"),
                at_ns: self.clock.now().utc_ns,
                by_press: event["by"] == "press",
            },
            Some("board-lost") => {
                self.watched.links_lost += 1;
                return;
            }
            _ => return,
        };
        self.watched.seen.push(seen);
    }
}

/// Looks how far the journal is, from outside: what another connection reads is committed.
fn look(folder: &Path, is_over: &AtomicBool) -> anyhow::Result<Vec<(i64, u64)>> {
    let clock = Clock::start(None, 1.0);
    let mut looks: Vec<(i64, u64)> = Vec::new();
    while !is_over.load(Ordering::Relaxed) {
        let files = std::fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path()));
        let newest = files.filter(|path| path.extension().is_some_and(|ending| ending == "db")).max();
        let Some(newest) = newest else { continue };
        let connection = Connection::open_with_flags(
            &newest,
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )?;
        let mut last = connection.prepare("SELECT MAX(seq) FROM event")?;
        for _ in 0..LOOKS_A_FILE {
            // A file that was begun just now has none.
            let seq: Option<i64> = last.query_row([], |row| row.get(0))?;
            let seq = seq.map_or(0, i64::cast_unsigned);
            // Only a look that finds something new says anything.
            if looks.last().is_none_or(|&(_, before)| before < seq) {
                looks.push((clock.now().utc_ns, seq));
            }
            pause();
        }
    }
    Ok(looks)
}

#[expect(clippy::disallowed_methods, reason = "a thread that looks now and then")]
fn pause() {
    std::thread::sleep(LOOK);
}
