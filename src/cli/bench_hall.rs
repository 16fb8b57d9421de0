//! `adoube bench hall`: how long an event takes from the wire to a viewer, and what a board costs.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::Args;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::{Answer, process};
use crate::config::Port;
use crate::daemon::{Clock, Daemon, Settings};
use crate::rules::ChessPosition;
use crate::station::Open;
use crate::web::Role;
use crate::wire::dgt::{ClockEnd, ClockTimes, Command, CommandDecoder, EndTime, Message};

/// Time from a message of a board to its event at a viewer, and memory for each board
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  adoube bench hall\n  adoube bench hall --boards 100 --journal /dev/shm/bench --json"
)]
pub(super) struct BenchHall {
    /// Boards, each with a clock that is started and stopped
    #[arg(long, value_name = "N", default_value_t = 16)]
    boards: u16,
    /// Messages of each board
    #[arg(long, value_name = "N", default_value_t = 200)]
    messages: u16,
    /// Folder of the journal (else a temporary one); on a memory disk the commit costs nothing
    #[arg(long, value_name = "FOLDER")]
    journal: Option<PathBuf>,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

/// A message each so often: a hall in time trouble.
const PAUSE: Duration = Duration::from_millis(50);

/// Messages on their way, by board and clock time, with the instant at which each was written.
type Underway = Arc<Mutex<BTreeMap<(String, u64), u64>>>;

impl BenchHall {
    #[tokio::main]
    pub(super) async fn run(&self) -> anyhow::Result<Answer> {
        if self.boards == 0 || !(1..3_600).contains(&self.messages) {
            bail!("at least one board, and between 1 and 3599 messages");
        }
        let temporary = tempfile::tempdir()?;
        let journal = self.journal.clone().unwrap_or_else(|| temporary.path().to_owned());
        let before_kib = process::resident_kib(std::process::id());
        let clock = Clock::start(None, 1.0);
        let underway = Underway::default();
        let mut hands = JoinSet::new();
        let mut boards = Vec::new();
        for number in 1..=self.boards {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
            let port =
                Port::Tcp { host: Ipv4Addr::LOCALHOST.to_string(), port: listener.local_addr()?.port() };
            let name = number.to_string();
            boards.push((Open::new(&name, "dgt", &port.to_string()), port));
            hands.spawn(board(listener, name, self.messages, clock.clone(), Arc::clone(&underway)));
        }
        let desk = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let daemon = Daemon::start(Settings { boards, ..Settings::new(journal, desk) }).await?;
        // Connected, asked and idle: what a board costs.
        sleep(Duration::from_secs(2)).await;
        let idle_kib =
            process::resident_kib(std::process::id()).saturating_sub(before_kib) / u64::from(self.boards);
        let expected = usize::from(self.messages) * usize::from(self.boards);
        let cookie = daemon.hall.admit(Role::Operator, "bench")?;
        let latencies = viewer(daemon.desk, &cookie, &clock, &underway, expected);
        let mut latencies = tokio::time::timeout(Duration::from_secs(120), latencies)
            .await
            .context("the viewer got too little")??;
        hands.abort_all();
        daemon.stop().await;
        latencies.sort_unstable();
        self.report(&latencies, idle_kib);
        Ok(Answer::Yes)
    }

    fn report(&self, latencies_ns: &[u64], idle_kib: u64) {
        let percentile_ms = |percent: usize| {
            let index = (latencies_ns.len() * percent / 100).min(latencies_ns.len().saturating_sub(1));
            latencies_ns.get(index).map_or(0.0, |&ns| ns as f64 / 1e6)
        };
        let (p50, p99, max) = (percentile_ms(50), percentile_ms(99), percentile_ms(100));
        let (boards, events) = (self.boards, latencies_ns.len());
        if self.json {
            let object = json!({
                "boards": boards, "events": events, "p50_ms": p50, "p99_ms": p99, "max_ms": max,
                "idle_kib_per_board": idle_kib,
            });
            println!("{object}");
        } else {
            println!(
                "{boards} boards, {events} events: p50 {p50:.2} ms, p99 {p99:.2} ms, max {max:.2} ms from the last byte to the viewer"
            );
            println!("{idle_kib} KiB for each idle board");
        }
    }
}

/// A board that answers what the daemon asks, and then starts and stops its clock.
async fn board(
    listener: TcpListener,
    name: String,
    messages: u16,
    clock: Clock,
    underway: Underway,
) -> anyhow::Result<()> {
    let (mut stream, _) = listener.accept().await?;
    stream.set_nodelay(true)?;
    let mut decoder = CommandDecoder::default();
    let mut heard = [0; 256];
    let started = clock.now().mono_ns + 3_000_000_000;
    let mut sent: u16 = 0;
    let mut commands = Vec::new();
    loop {
        tokio::select! {
            read = stream.read(&mut heard) => {
                let count = read?;
                if count == 0 {
                    return Ok(());
                }
                commands.clear();
                decoder.push(&heard[..count], &mut commands);
                for command in &commands {
                    if let Some(answer) = answer(command, &ChessPosition::default()) {
                        stream.write_all(&answer.encode()).await?;
                    }
                }
            }
            () = sleep(PAUSE), if sent < messages => {
                if clock.now().mono_ns < started {
                    continue;
                }
                sent += 1;
                let end = |seconds| EndTime { seconds, ..EndTime::default() };
                let times = ClockTimes::new(end(sent), end(3_600), sent.is_multiple_of(2), ClockEnd::Left);
                underway
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .insert((name.clone(), u64::from(sent) * 1_000), clock.now().mono_ns);
                stream.write_all(&Message::Clock(times).encode()).await?;
            }
        }
    }
}

/// What a board on which `position` stands answers.
pub(super) fn answer(command: &Command, position: &ChessPosition) -> Option<Message> {
    match command {
        Command::SendBoard => {
            let contents: [_; 64] = position.contents().try_into().ok()?;
            Some(Message::Dump(Box::new(contents)))
        }
        Command::Serial => Some(Message::Serial("10001".to_owned())),
        Command::Version => Some(Message::Version { major: 3, minor: 1 }),
        _ => None,
    }
}

/// Watches the desk's events; how long each clock reading was underway, in nanoseconds.
async fn viewer(
    desk: SocketAddr,
    cookie: &str,
    clock: &Clock,
    underway: &Underway,
    expected: usize,
) -> anyhow::Result<Vec<u64>> {
    let mut stream = TcpStream::connect(desk).await?;
    let request = format!(
        "GET /api/v1/events HTTP/1.1\r\nHost: {desk}\r\nCookie: {cookie}\r\nAccept: text/event-stream\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await?;
    let mut lines = BufReader::new(stream).lines();
    let mut latencies = Vec::with_capacity(expected);
    while latencies.len() < expected {
        let Some(line) = lines.next_line().await? else { bail!("the daemon closed the connection") };
        let arrived = clock.now().mono_ns;
        let Some(event) =
            line.strip_prefix("data: ").and_then(|data| serde_json::from_str::<Value>(data).ok())
        else {
            continue;
        };
        let key = event["board"].as_str().zip(event["white_ms"].as_u64());
        if let Some((board, white_ms)) = key.filter(|_| event["type"] == "clock-read") {
            let sent =
                underway.lock().unwrap_or_else(PoisonError::into_inner).remove(&(board.to_owned(), white_ms));
            latencies.extend(sent.map(|sent| arrived.saturating_sub(sent)));
        }
    }
    Ok(latencies)
}
