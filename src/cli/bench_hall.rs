//! `adoube bench hall`: a hall of boards on which real games are played, and how soon they are in the journal
//! and before a viewer's eyes.
//!
//! ```text
//! generator ── DGT bytes over TCP ──▶ daemon (this process) ── events ──▶ viewer
//!     │                                  └─ journal on disk ◀── looks ──────┘
//!     └─ what was played ───────▶ compared, ply by ply ◀─── what was seen ──┘
//! ```

mod generator;
mod hostile;
mod orders;
mod restart;
pub(super) mod table;
mod truth;
mod viewer;

pub(super) use generator::Generator;
pub(super) use restart::Restart;
pub(super) use viewer::Viewer;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::Args;
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::{Instant, interval, sleep, timeout};

use super::input::progress;
use super::{Answer, process};
use crate::auth::Role;
use crate::daemon::{Daemon, Settings};
use crate::feed::view::BoardView;
use crate::link::Port;
use adoube_core::station::Open;
use adoube_core::wire::dgt::{Command as Asked, Message};
use adoube_rules::ChessPosition;
use adoube_rules::stamp::SECOND;

use restart::Started;
use truth::{Played, Tally, Watched, per_mille};

/// Measure a hall of boards: processor, memory, delays, and that no event is lost
#[derive(Debug, Args)]
#[command(
    after_help = "Without --plies-per-second moves are thought about as in a game, from a second to half a minute.\n\n\
                  Example:\n  adoube bench hall --boards 1000 --plies-per-second 1 --minutes 10\n  \
                  adoube bench hall --boards 1000 --minutes 60 --speed 6 --json"
)]
pub(super) struct BenchHall {
    /// Boards, each with a game and a running clock
    #[arg(long, value_name = "N", default_value_t = 100)]
    boards: usize,
    /// Plies of each board in a second, without a pause; else a mix of quick ones and long thoughts
    #[arg(long, value_name = "R")]
    plies_per_second: Option<f64>,
    /// Minutes on the boards' clocks
    #[arg(long, value_name = "M", default_value_t = 1.0)]
    minutes: f64,
    /// Let time run so many times as fast
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    speed: f64,
    /// Devices beside them that send noise and lies as fast as they are read
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "restart")]
    hostile: usize,
    /// Folder of the journal (else a temporary one); on a memory disk the commit costs nothing
    #[arg(long, value_name = "FOLDER")]
    journal: Option<PathBuf>,
    /// Then start the daemon anew on the journal, and measure that as well
    #[arg(long)]
    restart: bool,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

/// How quickly games are played.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct Pace {
    /// The quickest ply, from press to press.
    #[arg(long)]
    ply_ns: u64,
    /// Others are thought about longer.
    #[arg(long)]
    is_mixed: bool,
}

/// From the end of play to the end of all: what is on its way arrives.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// All boards are connected after so long, ten thousand of them on a busy machine too.
const PATIENCE: Duration = Duration::from_secs(180);

/// What one process took while the games were played.
#[derive(Debug, Clone, Copy)]
struct Taken {
    name: &'static str,
    cpu_percent: f64,
}

/// All that is told in the end.
struct Figures {
    tally: Tally,
    watched: Watched,
    late_us: Vec<u32>,
    taken: Vec<Taken>,
    passed: Duration,
    idle_kib: u64,
    full_kib: u64,
    /// A start without a journal, and one on that of this hall.
    restarts: Option<[Started; 2]>,
}

impl BenchHall {
    #[tokio::main]
    pub(super) async fn run(&self) -> anyhow::Result<Answer> {
        self.validate()?;
        process::allow_many_files();
        let folder = tempfile::tempdir()?;
        let journal = self.journal.clone().unwrap_or_else(|| folder.path().join("journal"));
        let (truth, seen) = (folder.path().join("truth"), folder.path().join("seen"));
        let mut generator = Helper::start(&self.generator(&truth))?;
        let ports = generator.line().await?;
        let before_kib = process::resident_kib(std::process::id());
        let daemon = start(&ports, &journal, self.speed).await?;
        self.wait_for_boards(&daemon).await?;
        let boards = self.boards as u64;
        let grown_kib = || process::resident_kib(std::process::id()).saturating_sub(before_kib) / boards;
        let idle_kib = grown_kib();
        let mut viewer = Helper::start(&self.viewer(daemon.desk, &journal, &seen))?;
        viewer.say(&daemon.hall.admit(Role::Operator, "bench")?).await?;
        viewer.line().await?;

        generator.say("play").await?;
        let processes =
            [("daemon", std::process::id()), ("generator", generator.pid()), ("viewer", viewer.pid())];
        let before_s = processes.map(|(_, pid)| process::cpu_s(pid));
        let started = Instant::now();
        self.wait_for_the_end().await;
        let passed = started.elapsed();
        let taken = (0..processes.len()).map(|index| {
            let (name, pid) = processes[index];
            let cpu_percent = (process::cpu_s(pid) - before_s[index]) / passed.as_secs_f64() * 100.0;
            Taken { name, cpu_percent }
        });
        let (taken, full_kib) = (taken.collect(), grown_kib());
        if self.restart {
            generator.say("rest").await?;
        } else {
            generator.stop();
        }
        sleep(LAST_WORDS / 2).await;
        viewer.end().await?;
        let restarts = if self.restart {
            daemon.stop().await;
            let idle = self.start_anew(&ports, &folder.path().join("empty")).await?;
            let full = self.start_anew(&ports, &journal).await?;
            generator.end().await?;
            Some([idle, full])
        } else {
            generator.end().await?;
            daemon.stop().await;
            None
        };

        let (played, watched): (Vec<Played>, Watched) = (truth::read(&truth)?, truth::read(&seen)?);
        let mut late_us: Vec<u32> = played.iter().map(|ply| ply.late_us).collect();
        late_us.sort_unstable();
        let tally = Tally::new(&played, &watched);
        let figures = Figures { tally, watched, late_us, taken, passed, idle_kib, full_kib, restarts };
        let is_whole = figures.is_whole();
        if self.json {
            self.print_json(&figures);
        } else {
            self.print(&figures);
        }
        Ok(if is_whole { Answer::Yes } else { Answer::No })
    }

    fn validate(&self) -> anyhow::Result<()> {
        if !(1..=20_000).contains(&self.boards) {
            bail!("--boards {}: between 1 and 20000", self.boards);
        }
        if !(self.minutes > 0.0 && self.minutes <= 1_440.0) {
            bail!("--minutes {}: more than 0, and a day at the most", self.minutes);
        }
        if !(self.speed > 0.0 && self.speed <= 1_000.0) {
            bail!("--speed {}: more than 0, and 1000 at the most", self.speed);
        }
        if self.plies_per_second.is_some_and(|plies| !(0.01..=1.0).contains(&plies)) {
            bail!("--plies-per-second: between 0.01 and 1; with --speed they come faster");
        }
        Ok(())
    }

    fn generator(&self, out: &Path) -> Vec<String> {
        let ply_ns = (SECOND as f64 / self.plies_per_second.unwrap_or(1.0)) as u64;
        let mut arguments = vec![
            "bench".to_owned(),
            "hall-boards".to_owned(),
            format!("--boards={}", self.boards),
            format!("--hostile={}", self.hostile),
            format!("--speed={}", self.speed),
            format!("--ply-ns={ply_ns}"),
            format!("--out={}", out.display()),
        ];
        arguments.extend(self.plies_per_second.is_none().then(|| "--is-mixed".to_owned()));
        arguments
    }

    fn viewer(&self, desk: SocketAddr, journal: &Path, out: &Path) -> Vec<String> {
        vec![
            "bench".to_owned(),
            "hall-viewer".to_owned(),
            format!("--desk={desk}"),
            format!("--journal={}", journal.display()),
            format!("--out={}", out.display()),
        ]
    }

    async fn start_anew(&self, ports: &str, journal: &Path) -> anyhow::Result<Started> {
        let arguments =
            ["bench".to_owned(), "hall-restart".to_owned(), format!("--journal={}", journal.display())];
        let mut daemon = Helper::start(&arguments)?;
        daemon.say(ports).await?;
        let started = serde_json::from_str(&daemon.line().await?)?;
        daemon.end().await?;
        Ok(started)
    }

    /// Waits until a game is open on every board: connected, asked and at rest.
    async fn wait_for_boards(&self, daemon: &Daemon) -> anyhow::Result<()> {
        let bar = progress(self.boards as u64, "boards");
        let is_ours =
            |board: &&BoardView| board.board.parse().is_ok_and(|number: usize| number <= self.boards);
        let opened = async {
            loop {
                let count = daemon.hall.desk.with_view(|view| {
                    view.boards().filter(|board| board.game.is_some()).filter(is_ours).count()
                });
                bar.set_position(count as u64);
                if count == self.boards {
                    return;
                }
                sleep(Duration::from_millis(200)).await;
            }
        };
        timeout(PATIENCE, opened)
            .await
            .context("not every board answers; does \"ulimit -n\" allow so many?")?;
        bar.finish_and_clear();
        Ok(())
    }

    async fn wait_for_the_end(&self) {
        let all = Duration::from_secs_f64(self.minutes * 60.0 / self.speed);
        let bar = progress(all.as_secs(), "seconds");
        let end = Instant::now() + all;
        let mut ticks = interval(Duration::from_secs(1).min(all));
        while Instant::now() < end {
            ticks.tick().await;
            bar.set_position(all.saturating_sub(end - Instant::now()).as_secs());
        }
        bar.finish_and_clear();
    }

    fn print_json(&self, figures: &Figures) {
        let Figures { tally, watched, late_us, taken, passed, idle_kib, full_kib, restarts } = figures;
        let ms = |sorted: &[i64]| [500, 990, 1_000].map(|mille| per_mille(sorted, mille) as f64 / 1e6);
        let cpu: serde_json::Map<_, _> =
            taken.iter().map(|one| (one.name.to_owned(), json!(one.cpu_percent))).collect();
        let [journal, viewer] = [&tally.to_journal_ns, &tally.to_viewer_ns].map(|sorted| {
            let [p50, p99, max] = ms(sorted);
            json!({ "count": sorted.len(), "p50_ms": p50, "p99_ms": p99, "max_ms": max })
        });
        let object = json!({
            "boards": self.boards, "hostile": self.hostile, "speed": self.speed, "seconds": passed.as_secs_f64(), "plies": tally.plies,
            "events": watched.events, "wrong_plies": tally.wrong, "out_of_order": watched.out_of_order,
            "resyncs": watched.resyncs, "links_lost": watched.links_lost, "retracted": tally.retracted,
            "to_journal": journal, "to_viewer": viewer,
            "generator_late_ms": { "p99": f64::from(per_mille(late_us, 990)) / 1e3, "max": f64::from(per_mille(late_us, 1_000)) / 1e3 },
            "cpu_percent": cpu, "idle_kib_per_board": idle_kib, "full_kib_per_board": full_kib,
            "restart": restarts.map(|[idle, full]| json!({ "empty": idle, "full": full })),
        });
        println!("{object}");
    }

    fn print(&self, figures: &Figures) {
        let Figures { tally, watched, late_us, taken, passed, idle_kib, full_kib, restarts } = figures;
        let seconds = passed.as_secs_f64();
        println!(
            "{} boards, {:.1} min on their clocks in {seconds:.0} s: {} plies, {} events, {:.0} in a second",
            self.boards,
            seconds * self.speed / 60.0,
            tally.plies,
            watched.events,
            watched.events as f64 / seconds
        );
        println!(
            "{} plies lost, wrong or reordered; {} events out of order, {} snapshots repeated, {} links lost, {} moves retracted",
            tally.wrong, watched.out_of_order, watched.resyncs, watched.links_lost, tally.retracted
        );
        for (name, sorted) in [("journal", &tally.to_journal_ns), ("viewer", &tally.to_viewer_ns)] {
            let [p50, p99, max] = [500, 990, 1_000].map(|mille| per_mille(sorted, mille) as f64 / 1e6);
            println!(
                "last byte to {name:<8} p50 {p50:.1} ms, p99 {p99:.1} ms, max {max:.1} ms ({})",
                sorted.len()
            );
        }
        for one in taken {
            println!("{:<10} {:>5.1} % of a processor", one.name, one.cpu_percent);
        }
        let late_ms = [990, 1_000].map(|mille| f64::from(per_mille(late_us, mille)) / 1e3);
        println!("generator late by p99 {:.1} ms, max {:.1} ms", late_ms[0], late_ms[1]);
        println!("memory of a board: {idle_kib} KiB at rest, {full_kib} KiB in the end");
        for (what, start) in
            restarts.iter().flat_map(|both| ["without a journal", "on this journal"].into_iter().zip(both))
        {
            let Started { ready_s, heard_s, resident_kib, peak_kib } = start;
            let [resident, peak] = [resident_kib, peak_kib].map(|kib| kib >> 10);
            println!(
                "started {what}: pages after {ready_s:.1} s, every board after {heard_s:.1} s, {resident} MiB, {peak} at most"
            );
        }
    }
}

impl Figures {
    /// Every event came once and in order, and says what was played.
    fn is_whole(&self) -> bool {
        self.tally.wrong == 0 && self.watched.out_of_order == 0 && self.watched.resyncs == 0
    }
}

/// A daemon of the boards at `ports`, whose time runs `speed` times as fast.
async fn start(ports: &str, journal: &Path, speed: f64) -> anyhow::Result<Daemon> {
    let mut boards = Vec::new();
    for (number, port) in (1..).zip(ports.split_whitespace()) {
        let port = Port::Tcp { host: Ipv4Addr::LOCALHOST.to_string(), port: port.parse()? };
        let mut open = Open::new(&format!("{number}"), "dgt", &port.to_string());
        open.time_control = Some(table::TIME_CONTROL.to_owned());
        boards.push((open, port));
    }
    let desk = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let settings = Settings { boards, speed, ..Settings::new(journal.to_owned(), desk) };
    Ok(Daemon::start(settings).await?)
}

/// A process of our own program that takes orders on its input.
struct Helper {
    child: Child,
    orders: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Helper {
    fn start(arguments: &[String]) -> anyhow::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().context("a second process cannot be started")?;
        let (orders, out) = (child.stdin.take(), child.stdout.take());
        let lines = BufReader::new(out.context("no output of the second process")?).lines();
        Ok(Self { child, orders, lines })
    }

    fn pid(&self) -> u32 {
        self.child.id().unwrap_or(0)
    }

    async fn line(&mut self) -> anyhow::Result<String> {
        let line =
            timeout(PATIENCE, self.lines.next_line()).await.context("a second process says nothing")??;
        line.context("a second process has ended")
    }

    async fn say(&mut self, order: &str) -> anyhow::Result<()> {
        let orders = self.orders.as_mut().context("a second process takes no orders any more")?;
        orders.write_all(format!("{order}\n").as_bytes()).await?;
        Ok(())
    }

    /// Ends its input.
    fn stop(&mut self) {
        self.orders = None;
    }

    /// Ends its input, and waits until it is done.
    async fn end(&mut self) -> anyhow::Result<()> {
        self.stop();
        let status =
            timeout(PATIENCE, self.child.wait()).await.context("a second process does not end")??;
        if !status.success() {
            bail!("a second process has failed: {status}");
        }
        Ok(())
    }
}

/// What a board on which `position` stands answers.
pub(super) fn answer(command: &Asked, position: &ChessPosition) -> Option<Message> {
    match command {
        Asked::SendBoard => {
            let contents: [_; 64] = position.contents().try_into().ok()?;
            Some(Message::Dump(Box::new(contents)))
        }
        Asked::Serial => Some(Message::Serial("10001".to_owned())),
        Asked::Version => Some(Message::Version { major: 3, minor: 1 }),
        _ => None,
    }
}
