//! One run of the daemon in a simulated hall, from its start until it is stopped or killed: the daemon's own parts, put
//! together on one thread and one clock.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::task::JoinError;
use tokio::time::{Instant, sleep, timeout};

use super::plan::{Plan, Trouble};
use super::table::{Table, Time};
use crate::auth::Auth;
use crate::config::{PublishPairings, Rounds};
use crate::feed::delay::Delays;
use crate::feed::hub::{DeskHub, PublicHub};
use crate::feed::parts::LivePgn;
use crate::feed::pgn::EventTags;
use crate::hall::beginning::Beginning;
use crate::hall::finder::Finding;
use crate::hall::fleet::{Fleet, Origin, Replays};
use crate::hall::secretary::{self, Secretary};
use crate::hall::sensors::Sensors;
use crate::hall::showing::{Release, Showing};
use crate::hall::watchdog::Health;
use crate::hall::{Clock, Hall, Metrics, Tap};
use crate::journal::simulated::{Disk, KILLED, Mood};
use crate::journal::{Committed, Journal, JournalHandle, Look, Options, Recovered};
use crate::link::{Port, simulated};
use adoube_core::event::Numbered;
use adoube_core::pairings::{Pairing, Pairings};
use adoube_core::station::{CORE, Open};

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The daemon is gone for so long.
    Away(Duration),
    /// All games are over, and it was stopped.
    Over,
}

/// What goes from one run of the daemon to the next.
pub(super) struct World<'a> {
    pub(super) plan: &'a Plan,
    pub(super) folder: &'a Path,
    pub(super) tables: Vec<Table>,
    pub(super) disk: Arc<Disk>,
    /// Since the doors were opened, nanoseconds.
    pub(super) now_ns: u64,
    /// The next trouble.
    pub(super) next: usize,
    /// What anybody heard, with the epoch.
    pub(super) said: Vec<(String, Numbered)>,
    /// The games as desk and spectators saw them at the end.
    pub(super) desk: Vec<Value>,
    pub(super) public: Vec<Value>,
    /// What was wrong.
    pub(super) wrong: Vec<String>,
}

/// When the doors were opened, nanoseconds of UTC: the first of May 2026, ten o'clock.
pub(super) const DOORS_NS: i64 = 1_777_629_600_000_000_000;

/// So long it takes until the pages show what the journal holds.
const LOADS: Duration = Duration::from_secs(2);

/// After the last game nobody needs longer: a line that was cut is tried every half minute.
const REST: Duration = Duration::from_secs(90);

/// After the last trouble, and once its line is there, each board is read right.
const SETTLED: Duration = Duration::from_secs(5);

impl<'a> World<'a> {
    pub(super) fn new(plan: &'a Plan, folder: &'a Path, tables: Vec<Table>) -> Self {
        let (disk, now_ns, next, said, wrong) = (Arc::default(), 0, 0, Vec::new(), Vec::new());
        Self { plan, folder, tables, disk, now_ns, next, said, desk: Vec::new(), public: Vec::new(), wrong }
    }

    /// Time passes while no daemon is there.
    pub(super) fn pass(&mut self, away: Duration) {
        self.now_ns += u64::try_from(away.as_nanos()).expect("seconds");
        self.tables.iter().for_each(|table| table.pass(self.now_ns));
    }

    /// A run of the daemon.
    pub(super) async fn live(&mut self) -> End {
        let time = Time { before_ns: self.now_ns, began: Instant::now() };
        // Who was to be killed and was stopped is not killed any more; how the disk is has nothing to do with us.
        self.disk.die(None);
        let options = Options {
            file_bytes: self.plan.file_bytes,
            queue_inputs: self.plan.queue_inputs,
            held_inputs: self.plan.held_inputs,
            disk: Arc::clone(&self.disk),
            ..Options::new(self.folder)
        };
        let (commits, committed) = unbounded_channel();
        let sink = move |commit: Committed| drop(commits.send(commit));
        let (journal, mut recovered, writing) =
            Journal::simulated(self.folder, CORE, options, sink).expect("nobody else has the journal");
        let replays = Replays::begin(std::mem::take(&mut recovered.boards), self.folder);
        let (hall, showing, beginning) = self.open(&journal, &recovered);
        // While other threads are at work nothing here waits for a time.
        hall.fleet.recover(replays).await;
        let mut writing = tokio::spawn(writing);
        let (heard, mut hears) = unbounded_channel();
        let (loaded, pages) = oneshot::channel();
        let load = (self.folder.to_owned(), beginning, loaded);
        tokio::spawn(show(showing, load, committed, heard));
        for (index, table) in self.tables.iter().enumerate() {
            tokio::spawn(table.clone().serve(simulated::plug(number(index)), time));
        }
        let end = tokio::select! {
            biased;
            ended = &mut writing => self.gone(ended),
            end = self.day(&hall, pages, time) => end,
        };
        self.now_ns = time.now_ns();
        if end == End::Over {
            self.look(&hall).await;
            hall.fleet.stop().await;
            journal.close();
            writing.await.expect("the writer ends when it is told to");
        }
        while let Ok(event) = hears.try_recv() {
            self.said.push((recovered.epoch.clone(), event));
        }
        end
    }

    /// The hall with what the journal holds, and who shows it.
    fn open(&self, journal: &JournalHandle, recovered: &Recovered) -> (Arc<Hall>, Showing, Beginning) {
        let clock = Clock::going_on(recovered.last_stamp, DOORS_NS + self.now_ns.cast_signed(), 1.0);
        let delays = Arc::new(Delays { usual_s: self.plan.delay_s, ..Delays::default() });
        let (public, desk) = (Arc::<PublicHub>::default(), Arc::<DeskHub>::default());
        let (tap, metrics) = (Arc::<Tap>::default(), Arc::new(Metrics::new(journal.figures())));
        let release = Release::new(
            &delays,
            Arc::clone(&public),
            clock.clone(),
            journal.clone(),
            (self.folder, recovered),
        );
        let showing = Showing::new(Arc::clone(&desk), Arc::clone(&tap), release, Arc::clone(&metrics));
        Look::open(self.folder).free_games().iter().for_each(|game| journal.seen(game));
        let beginning = Beginning::of(self.folder, (recovered.last_seq, recovered.last_stamp), &delays);
        let hall = Hall {
            public,
            desk,
            tags: EventTags::default(),
            live_pgn: LivePgn::default(),
            publish_pgn_at: Default::default(),
            auth: Arc::new(Auth::new(self.folder, false, false, None).expect("the system has random bits").0),
            folder: self.folder.to_owned(),
            fleet: Fleet::new(Sensors::load(self.folder)),
            plan: tokio::sync::Mutex::default(),
            setting_up: super::super::setting_up::SettingUp::default(),
            finding: Finding::default(),
            tap,
            clock,
            delays,
            journal: journal.clone(),
            metrics,
            health: Health::new(),
            viewers: OnceLock::new(),
            secretary: Secretary::new(
                journal.clone(),
                Rounds::Manual,
                PublishPairings::AtOpening,
                recovered.pairings.as_deref(),
            ),
            feeds: OnceLock::new(),
        };
        (Arc::new(hall), showing, beginning)
    }
}

impl World<'_> {
    /// What happens while the daemon is there.
    async fn day(&mut self, hall: &Arc<Hall>, pages: oneshot::Receiver<()>, time: Time) -> End {
        for index in 0..self.tables.len() {
            let (open, port) = self.seat(index);
            hall.begin_board(open, Some(port), Origin::Configured).await.expect("the boards are in order");
        }
        pages.await.expect("pages are put together");
        hall.journal.beat().await.expect("the journal is there");
        hall.all_have_begun(false);
        let (_never, stopped) = tokio::sync::watch::channel(false);
        tokio::spawn(secretary::run(Arc::downgrade(hall), stopped));
        tokio::spawn(open_round(Arc::clone(hall), self.tables.len()));
        while let Some((at_ns, trouble)) = self.plan.troubles.get(self.next).cloned() {
            sleep(time.until(at_ns)).await;
            self.next += 1;
            match trouble {
                Trouble::Slow(delay) => self.disk.delay(delay),
                Trouble::Disk(mood) => self.disk.turn(mood),
                Trouble::Killed(None, away) => return End::Away(away),
                Trouble::Killed(Some(death), _) => self.disk.die(Some(death)),
                Trouble::Stopped(_) => {
                    hall.fleet.stop().await;
                    hall.journal.clone().close();
                    // Until the writer has ended.
                    std::future::pending::<()>().await;
                }
                Trouble::Cut(board) => self.tables[board].cut(true),
                Trouble::Mended(board) => self.tables[board].cut(false),
                Trouble::Garbage(board, bytes) => self.tables[board].say(&bytes.0),
                Trouble::Ruled(board, ruled) => {
                    let handle = hall.board(&name(board)).expect("all boards are there");
                    // It may be refused, and who waits for a disk that hangs holds up nobody else.
                    tokio::spawn(async move { handle.rule(ruled).await });
                }
            }
        }
        self.disk.delay(Duration::ZERO);
        self.disk.turn(Mood::Well);
        self.disk.die(None);
        self.tables.iter().for_each(|table| table.cut(false));
        let is_over = async {
            while !self.tables.iter().all(Table::is_finished) {
                sleep(SETTLED).await;
            }
        };
        is_over.await;
        // A batch that hangs in the disk hangs for as long as it was to.
        if timeout(REST, hall.journal.settled()).await.is_err() {
            self.wrong.push("the journal hangs".to_owned());
        }
        let is_linked = || hall.boards_now().iter().all(|board| ["fresh", "stale"].contains(&board.state));
        let linked = async {
            while !is_linked() {
                sleep(SETTLED).await;
            }
        };
        if timeout(REST, linked).await.is_err() {
            self.wrong.push("a board is not linked again".to_owned());
        }
        sleep(SETTLED).await;
        End::Over
    }

    /// A board as the configuration has it, and where it is.
    fn seat(&self, index: usize) -> (Open, Port) {
        let (_, config) = &self.plan.games[index];
        let port = Port::Tcp { host: simulated::HOST.to_owned(), port: number(index) };
        let mut open = Open::new(&name(index), config.protocol, &port.to_string());
        open.publish_at = self.plan.publish_at;
        open.time_control = config.clock.map(|_| "600+5".to_owned());
        (open, port)
    }

    /// The writer has ended: it was told to, or killed at its commit.
    fn gone(&self, ended: Result<(), JoinError>) -> End {
        if let Err(error) = ended {
            let why = error.into_panic();
            if why.downcast_ref::<&str>() != Some(&KILLED) {
                std::panic::resume_unwind(why);
            }
        }
        let gone = self.plan.troubles[..self.next].iter().rev().find_map(|(_, trouble)| match trouble {
            Trouble::Killed(Some(_), away) | Trouble::Stopped(away) => Some(*away),
            _ => None,
        });
        End::Away(gone.expect("nothing else ends it"))
    }
}

/// An operator who opens the round, and tries again until it is open.
async fn open_round(hall: Arc<Hall>, boards: usize) {
    let pairing = |number| Pairing { round: 1, number, ..Pairing::default() };
    let boards = u32::try_from(boards).expect("a few boards");
    let rounds = [(1, (1..=boards).map(pairing).collect())].into();
    let pairings = Pairings { rounds, ..Pairings::default() };
    while hall.open_round_number().is_none() {
        let imported = hall.import(pairings.clone(), None).await;
        if imported.is_err() || hall.open_round(1, None).await.is_err() {
            sleep(SETTLED).await;
        }
    }
}

/// The number of a board, and the port at which it is.
fn number(index: usize) -> u16 {
    u16::try_from(index + 1).expect("a few boards")
}

/// The name of a board.
pub(super) fn name(index: usize) -> String {
    (index + 1).to_string()
}

/// Shows what is committed, as the daemon's own thread does; `heard` is everybody who listens.
async fn show(
    mut showing: Showing,
    (folder, beginning, loaded): (PathBuf, Beginning, oneshot::Sender<()>),
    mut committed: UnboundedReceiver<Committed>,
    heard: UnboundedSender<Numbered>,
) {
    // Boards do not wait for it.
    sleep(LOADS).await;
    // On one thread nothing comes meanwhile.
    showing.load(&folder, &beginning, VecDeque::default(), &std::sync::mpsc::channel().1);
    let _gone = loaded.send(());
    loop {
        let commit = match showing.release.wait() {
            None => Ok(committed.recv().await),
            Some(wait) => timeout(wait, committed.recv()).await,
        };
        match commit {
            Ok(Some(commit)) => {
                for event in &commit.events {
                    drop(heard.send(event.clone()));
                }
                showing.show(commit);
            }
            Ok(None) => return,
            Err(_) => {}
        }
        showing.release.release_due();
    }
}
