//! `adoube bench spectators`: how long a move takes to everybody who watches, and what a spectator costs.
//!
//! The daemon, and the relays if there are any, are processes of their own, so that what they take is told
//! apart from what the spectators take, who are all in this one.

use std::fmt::Write as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::Args;
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio::time::{Instant, interval, sleep, timeout};

use super::bench_hall::{self, table::changes};
use super::demo::GAMES;
use super::{Answer, process};
use crate::hall::Clock;
use adoube_core::wire::dgt::{CommandDecoder, Message};
use adoube_rules::pgn::{PgnGame, read_games};
use adoube_rules::stamp::Stamp;
use adoube_rules::{ChessPosition, Position as _};

/// Time from a move to its event at everybody who watches, and what a spectator costs
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  adoube bench spectators\n  adoube bench spectators --relays 2 --nats-server /usr/sbin/nats-server --json"
)]
pub(super) struct BenchSpectators {
    /// Spectators, each with a stream of its own
    #[arg(long, value_name = "N", default_value_t = 5_000)]
    spectators: usize,
    /// Boards, each with a move every second
    #[arg(long, value_name = "N", default_value_t = 20)]
    boards: usize,
    /// Seconds that are measured
    #[arg(long, value_name = "N", default_value_t = 30)]
    seconds: u64,
    /// Relays between which the spectators are divided; without any they watch the daemon
    #[arg(long, value_name = "N", default_value_t = 0)]
    relays: usize,
    /// The server between daemon and relays
    #[arg(long, value_name = "PROGRAM", default_value = "nats-server")]
    nats_server: String,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

/// Boards move so often.
const MOVE: Duration = Duration::from_secs(1);

/// Nothing here takes longer to start.
const PATIENCE: Duration = Duration::from_secs(60);

/// Connections that are made at one time: a listener's queue is not endless.
const CONNECTING: usize = 100;

/// What one process took.
struct Taken {
    name: &'static str,
    cpu_percent: f64,
    idle_kib: u64,
    full_kib: u64,
}

impl BenchSpectators {
    #[tokio::main]
    pub(super) async fn run(&self) -> anyhow::Result<Answer> {
        if self.boards == 0 || self.spectators == 0 || !(1..=600).contains(&self.seconds) {
            bail!("at least one board and one spectator, and between 1 and 600 seconds");
        }
        process::allow_many_files();
        let folder = tempfile::tempdir()?;
        let mut games: Vec<PgnGame> = read_games(GAMES.as_bytes())?;
        games.sort_by_key(|game| std::cmp::Reverse(game.moves.len()));
        let games = Arc::new(games);
        let (mut hands, mut config) = (JoinSet::new(), String::new());
        for number in 1..=self.boards {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
            let port = listener.local_addr()?.port();
            writeln!(config, "[[board]]\nid = \"{number}\"\nport = \"tcp://127.0.0.1:{port}\"")?;
            hands.spawn(board(listener, Arc::clone(&games), number));
        }
        let mut children = Vec::new();
        if self.relays > 0 {
            let (nats, server) = self.nats(folder.path()).await?;
            writeln!(config, "[feeds.nats]\nurl = \"{nats}\"\nprivate = false")?;
            children.push(("nats-server", server));
            children.push(("daemon", daemon(folder.path(), &config, None).await?));
            let mut watched = Vec::new();
            for _ in 0..self.relays {
                let listen = free_address().await?;
                let arguments = ["relay".to_owned(), "--nats".to_owned(), nats.clone()];
                let arguments = arguments.into_iter().chain(["--listen".to_owned(), listen.to_string()]);
                children.push(("relay", start(&std::env::current_exe()?, arguments)?));
                watched.push(listen);
            }
            return self.measure(&watched, children).await;
        }
        let public = free_address().await?;
        children.push(("daemon", daemon(folder.path(), &config, Some(public)).await?));
        self.measure(&[public], children).await
    }

    /// A server on a free port, and its address.
    async fn nats(&self, folder: &std::path::Path) -> anyhow::Result<(String, Child)> {
        let address = free_address().await?;
        let store = folder.join("nats").display().to_string();
        let arguments =
            ["-js", "-a", "127.0.0.1", "-p", &address.port().to_string(), "-sd", &store].map(str::to_owned);
        let server = start(std::path::Path::new(&self.nats_server), arguments)
            .with_context(|| format!("{}: is nats-server installed?", self.nats_server))?;
        reachable(address).await?;
        Ok((format!("nats://{address}"), server))
    }

    async fn measure(
        &self,
        watched: &[SocketAddr],
        children: Vec<(&'static str, Child)>,
    ) -> anyhow::Result<Answer> {
        for &address in watched {
            reachable(address).await?;
        }
        // Connected, asked and at rest: before the spectators come.
        sleep(Duration::from_secs(3)).await;
        let pids: Vec<(&'static str, u32)> =
            children.iter().filter_map(|(name, child)| Some((*name, child.id()?))).collect();
        let idle_kib: Vec<u64> = pids.iter().map(|(_, pid)| process::resident_kib(*pid)).collect();
        let clock = Clock::start(None, 1.0);
        let (sender, mut latencies) = mpsc::channel(1_024);
        let connected = Arc::new(AtomicU64::new(0));
        let places = Arc::new(Semaphore::new(CONNECTING));
        let mut viewers = JoinSet::new();
        for index in 0..self.spectators {
            let viewer = Viewer {
                address: watched[index % watched.len()],
                clock: clock.clone(),
                connected: Arc::clone(&connected),
                latencies: sender.clone(),
            };
            viewers.spawn(viewer.watch(Arc::clone(&places)));
        }
        drop(sender);
        let all = self.spectators as u64;
        timeout(PATIENCE * 2, async {
            while connected.load(Ordering::Relaxed) < all {
                if let Some(ended) = viewers.try_join_next() {
                    ended??;
                }
                sleep(Duration::from_millis(50)).await;
            }
            anyhow::Ok(())
        })
        .await
        .context("the spectators are not all connected; does \"ulimit -n\" allow so many?")??;
        // What the start of so many cost is not what is measured.
        sleep(Duration::from_secs(2)).await;
        let mut all = Vec::new();
        let collect = async {
            while let Some(some) = latencies.recv().await {
                all.extend::<Vec<u32>>(some);
            }
        };
        let seconds = Duration::from_secs(self.seconds);
        let measured = async {
            let before = taken(&pids, &idle_kib, &[], Duration::ZERO);
            let started = Instant::now();
            sleep(seconds).await;
            let after = taken(&pids, &idle_kib, &before, started.elapsed());
            viewers.shutdown().await;
            after
        };
        let (taken, ()) = tokio::join!(measured, collect);
        self.report(all, &taken);
        drop(children);
        Ok(Answer::Yes)
    }

    fn report(&self, mut latencies_us: Vec<u32>, taken: &[Taken]) {
        latencies_us.sort_unstable();
        let percentile_ms = |per_mille: usize| {
            let index = (latencies_us.len() * per_mille / 1_000).min(latencies_us.len().saturating_sub(1));
            latencies_us.get(index).map_or(0.0, |&us| f64::from(us) / 1e3)
        };
        let (p50, p99, max) = (percentile_ms(500), percentile_ms(990), percentile_ms(1_000));
        let events = latencies_us.len();
        if self.json {
            let processes: Vec<_> = taken
                .iter()
                .map(|one| {
                    json!({ "name": one.name, "cpu_percent": one.cpu_percent, "idle_kib": one.idle_kib, "full_kib": one.full_kib })
                })
                .collect();
            let Self { spectators, boards, seconds, relays, .. } = self;
            let object = json!({ "spectators": spectators, "boards": boards, "seconds": seconds, "relays": relays,
                "delivered": events, "p50_ms": p50, "p99_ms": p99, "max_ms": max, "processes": processes });
            return println!("{object}");
        }
        let expected = self.spectators as u64 * self.boards as u64 * self.seconds;
        println!(
            "{events} moves delivered to {} spectators in {} s (about {expected} were made): p50 {p50:.1} ms, p99 {p99:.1} ms, max {max:.1} ms",
            self.spectators, self.seconds
        );
        for one in taken {
            let each = (one.full_kib.saturating_sub(one.idle_kib)) as f64 / self.spectators as f64;
            println!(
                "{:<12} {:>5.1} % of a processor, {} MiB, {each:.1} KiB for each spectator of all",
                one.name,
                one.cpu_percent,
                one.full_kib / 1_024
            );
        }
    }
}

/// What each process took since `before`; without it, what they had taken until now.
fn taken(pids: &[(&'static str, u32)], idle_kib: &[u64], before: &[Taken], passed: Duration) -> Vec<Taken> {
    let own = ("spectators", std::process::id());
    let all = pids.iter().copied().chain([own]).zip(idle_kib.iter().copied().chain([0]));
    all.enumerate()
        .map(|(index, ((name, pid), idle_kib))| {
            let cpu_s = process::cpu_s(pid);
            let full_kib = process::resident_kib(pid);
            let cpu_percent = match before.get(index) {
                // Until now it is kept as it is.
                None => cpu_s,
                Some(before) => (cpu_s - before.cpu_percent) / passed.as_secs_f64() * 100.0,
            };
            Taken { name, cpu_percent, idle_kib, full_kib }
        })
        .collect()
}

struct Viewer {
    address: SocketAddr,
    clock: Clock,
    connected: Arc<AtomicU64>,
    latencies: mpsc::Sender<Vec<u32>>,
}

impl Viewer {
    /// Watches until it is stopped; sends, in microseconds, how old each move was when it came.
    async fn watch(self, places: Arc<Semaphore>) -> anyhow::Result<()> {
        let place = places.acquire().await?;
        let mut stream = TcpStream::connect(self.address).await?;
        let address = self.address;
        let request = format!(
            "GET /api/v1/events?moves=last HTTP/1.1\r\nHost: {address}\r\nAccept: text/event-stream\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await?;
        let mut lines = BufReader::with_capacity(4_096, stream).lines();
        let mut is_connected = false;
        let mut place = Some(place);
        while let Some(line) = lines.next_line().await? {
            if !is_connected && line.contains("snapshot") {
                is_connected = true;
                place.take();
                self.connected.fetch_add(1, Ordering::Relaxed);
            }
            if !line.contains("\"type\":\"move-made\"") {
                continue;
            }
            let at = line.split_once("\"at\":\"").and_then(|(_, rest)| rest.split_once('"'));
            let Some(at_ns) = at.and_then(|(at, _)| Stamp::parse_utc(at)) else { continue };
            let us = (self.clock.now().utc_ns - at_ns) / 1_000;
            // Whoever measures may have ended.
            if self.latencies.send(vec![u32::try_from(us).unwrap_or(0)]).await.is_err() {
                return Ok(());
            }
        }
        bail!("a spectator was sent away")
    }
}

/// A daemon with that configuration; the boards are in it.
async fn daemon(folder: &std::path::Path, config: &str, public: Option<SocketAddr>) -> anyhow::Result<Child> {
    let file = folder.join("adoube.toml");
    let public = public.map_or_else(|| "off".to_owned(), |address| address.to_string());
    let (desk, journal) = (free_address().await?, folder.join("journal"));
    let head = format!(
        "[web]\narbiter = \"{desk}\"\npublic = \"{public}\"\n[journal]\npath = \"{}\"\n",
        journal.display()
    );
    tokio::fs::write(&file, head + config).await?;
    let arguments = ["run".to_owned(), "--config".to_owned(), file.display().to_string()];
    let child = start(&std::env::current_exe()?, arguments)?;
    reachable(desk).await?;
    Ok(child)
}

fn start(program: &std::path::Path, arguments: impl IntoIterator<Item = String>) -> anyhow::Result<Child> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.kill_on_drop(true).spawn().with_context(|| format!("{} cannot be started", program.display()))
}

/// Waits until something listens at `address`.
async fn reachable(address: SocketAddr) -> anyhow::Result<()> {
    let trying = async {
        while TcpStream::connect(address).await.is_err() {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(PATIENCE, trying).await.with_context(|| format!("nothing listens at {address}"))
}

async fn free_address() -> anyhow::Result<SocketAddr> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?.local_addr()?)
}

/// A board that answers what the daemon asks, and on which a move is made every second.
async fn board(listener: TcpListener, games: Arc<Vec<PgnGame>>, number: usize) -> anyhow::Result<()> {
    let (mut stream, _) = listener.accept().await?;
    stream.set_nodelay(true)?;
    let mut line = line(&games, number);
    let mut decoder = CommandDecoder::default();
    let (mut heard, mut commands) = ([0; 256], Vec::new());
    let mut position = ChessPosition::default();
    // Not all boards at once.
    sleep(MOVE.mul_f64(number as f64 * 0.618 % 1.0)).await;
    let mut moves = interval(MOVE);
    // The start array has to stand for a while before a game opens.
    let begin = Instant::now() + Duration::from_secs(5);
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
                    if let Some(answer) = bench_hall::answer(command, &position) {
                        stream.write_all(&answer.encode()).await?;
                    }
                }
            }
            now = moves.tick() => {
                if now < begin {
                    continue;
                }
                let Some(next) = line.next() else { continue };
                let changed = changes(&position.contents(), &next.contents());
                position = next;
                for (square, content) in changed {
                    stream.write_all(&Message::FieldUpdate { square, content }.encode()).await?;
                }
            }
        }
    }
}

/// The positions of one of the four longest games.
fn line(games: &[PgnGame], number: usize) -> impl Iterator<Item = ChessPosition> + use<> {
    let game = &games[number % games.len().min(4)];
    let (mut position, mut positions) = (game.start.clone(), Vec::new());
    for &mv in &game.moves {
        position = position.play(mv);
        positions.push(position.clone());
    }
    positions.into_iter()
}
