//! A hall: its boards, its journal, its hubs and its pages, started and stopped together.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, mpsc};

use tokio::sync::{broadcast, watch};
use tokio::task::JoinSet;

use super::board::{Around, BoardHandle, BoardTask};
use super::clock::Clock;
use super::feeds::{self, Feeds, Source};
use super::neighbours::Neighbours;
use super::restart;
use super::secretary::{self, Secretary};
use super::showing::{Release, Showing};
use super::tap::Tap;
use axum_server::tls_rustls::RustlsAcceptor;

use crate::config::{Port, Rounds, Tls};
use crate::feed::delay::Delays;
use crate::feed::hub::{About, DeskHub, PublicHub};
use crate::feed::parts::LivePgn;
use crate::feed::pgn::EventTags;
use crate::feed::status::{FeedStatus, Status};
use crate::journal::{
    Committed, Journal, JournalError, JournalHandle, JournalState, Recovered, RecoveredBoard, SubmitError,
};
use crate::stamp::Stamp;
use crate::station::{CORE, Open, OpenError, Seen, Station};
use crate::web::auth::Auth;
use crate::web::control::{self, ControlError};
use crate::web::{self, Role, TlsError};

/// Commits that may wait to be shown: showing is faster than committing.
const COMMITS: usize = 256;

/// What a daemon is started with.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The boards and where they are.
    pub boards: Vec<(Open, Port)>,
    /// Folder of the journal.
    pub journal: PathBuf,
    /// What the pages and PGN tags say about the event.
    pub tags: EventTags,
    /// What PGN shows of a game that is not one line of legal moves.
    pub live_pgn: LivePgn,
    /// By how much spectators are behind.
    pub delays: Delays,
    /// Where games and incidents go.
    pub feeds: Feeds,
    /// Where the arbiter's pages are.
    pub desk: SocketAddr,
    /// Where the spectators' pages are.
    pub public: Option<SocketAddr>,
    /// Who gets in there, and how.
    pub access: Access,
    /// Where commands on this machine reach the desk.
    pub control: Option<PathBuf>,
    /// How rounds open.
    pub rounds: Rounds,
    /// How many times as fast as the world.
    pub speed: f64,
}

impl Settings {
    /// A hall without boards, whose journal lies in `journal` and whose desk is at `desk`; everything else as
    /// usual.
    #[must_use]
    pub fn new(journal: PathBuf, desk: SocketAddr) -> Self {
        Self {
            boards: Vec::new(),
            journal,
            tags: EventTags::default(),
            live_pgn: LivePgn::default(),
            delays: Delays::default(),
            feeds: Feeds::default(),
            desk,
            public: None,
            access: Access::default(),
            control: None,
            rounds: Rounds::Auto,
            speed: 1.0,
        }
    }
}

/// Who gets in, and how.
#[derive(Debug, Clone, Default)]
pub struct Access {
    /// Names by which the listeners are asked for, beside the machine's own.
    pub names: Vec<String>,
    /// Certificate and key of the desk.
    pub tls: Option<Tls>,
    /// Do the spectators' pages have them, too?
    pub public_tls: bool,
    /// Do operators enter results?
    pub operator_results: bool,
}

/// Why a daemon did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A board.
    #[error("board {board}: {error}")]
    Board {
        /// Which.
        board: String,
        /// Why.
        error: OpenError,
    },
    /// The client that posts incidents.
    #[error("[feeds.webhook]: {0}; are the certificates of the system there (ca-certificates)?")]
    Webhook(reqwest::Error),
    /// The client that pushes games to Lichess.
    #[error("[feeds.lichess]: {0}; are the certificates of the system there (ca-certificates)?")]
    Lichess(reqwest::Error),
    /// The desk would be open to listeners.
    #[error(
        "{0}: the desk speaks plain http on loopback only; make a certificate (\"adoube cert\") and name it in [web.tls]"
    )]
    PlainHttp(SocketAddr),
    /// A certificate.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The control socket.
    #[error(transparent)]
    Control(#[from] ControlError),
    /// No random bits.
    #[error("no random bits for the login link: {0}")]
    Random(#[from] getrandom::Error),
    /// An address.
    #[error("{address}: cannot listen there: {error}; is another adoube running?")]
    Listen {
        /// Which.
        address: SocketAddr,
        /// Why.
        error: std::io::Error,
    },
}

/// What the pages know of the daemon.
#[derive(Debug)]
pub struct Hall {
    /// What spectators see.
    pub public: Arc<PublicHub>,
    /// What the arbiter sees.
    pub desk: Arc<DeskHub>,
    /// What tags and pages say about the event.
    pub tags: EventTags,
    /// What PGN shows of a game that is not one line of legal moves.
    pub live_pgn: LivePgn,
    /// Who may do what.
    pub(crate) auth: Arc<Auth>,
    /// Folder of the journal, for who looks into it.
    pub folder: PathBuf,
    boards: Mutex<BTreeMap<String, BoardHandle>>,
    neighbours: Arc<Neighbours>,
    tap: Arc<Tap>,
    clock: Clock,
    pub(super) delays: Arc<Delays>,
    journal: JournalHandle,
    /// Who keeps pairings and rounds.
    pub(super) secretary: Secretary,
    /// Feeds that go to others, of those that are set up.
    feeds: OnceLock<Vec<Arc<Status>>>,
}

impl Hall {
    /// What a snapshot says beside the games.
    #[must_use]
    pub fn about(&self) -> About {
        About {
            now: self.clock.now().rfc3339(),
            delays: Arc::clone(&self.delays),
            speed: self.clock.speed(),
            journal: if self.journal.state() == JournalState::Ok { "ok" } else { "degraded" },
            name: self.tags.event.clone(),
            site: self.tags.site.clone(),
        }
    }

    /// The same for spectators, for whom it is as much earlier as they are behind.
    #[must_use]
    pub fn about_then(&self) -> About {
        About { now: self.delays.then(self.clock.now()).rfc3339(), ..self.about() }
    }

    /// What time it is here.
    pub(super) fn now(&self) -> Stamp {
        self.clock.now()
    }

    /// How the feeds stand that go to others.
    #[must_use]
    pub fn feeds(&self) -> Vec<FeedStatus> {
        self.feeds.get().into_iter().flatten().map(|status| status.now()).collect()
    }

    /// Opens a session for a part of this process; gives the `Cookie` header of whoever holds it.
    ///
    /// # Errors
    /// The system gives no random bits.
    pub fn admit(&self, role: Role, name: &str) -> Result<String, StartError> {
        Ok(self.auth.admit(role, name)?)
    }

    /// Waits until what was seen is in the journal, or held.
    ///
    /// # Errors
    /// [`SubmitError`] if the journal is gone.
    pub async fn settled(&self) -> Result<(), SubmitError> {
        self.journal.settled().await.map(drop)
    }

    /// What a board was opened with.
    #[must_use]
    pub fn opened(&self, board: &str) -> Option<Arc<Open>> {
        self.board(board).map(|handle| handle.opened_with())
    }

    /// What a board shows from now on, once it is on disk; `None` if there is no such board. Whoever is too far
    /// behind misses the oldest. As long as nobody listens, nothing is passed on.
    #[must_use]
    pub fn readings(&self, board: &str) -> Option<broadcast::Receiver<Arc<Seen>>> {
        self.tap.listen(board)
    }

    /// What a board last showed; `None` if nobody listens, or it has shown nothing yet.
    #[must_use]
    pub fn picture(&self, board: &str) -> Option<Arc<Seen>> {
        self.tap.last(board)
    }

    /// Keeps the picture of each board from now on, whether or not anybody listens.
    pub fn keep_pictures(&self) {
        self.tap.keep();
    }

    /// Now, on the line of stamps.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// A board by its name.
    #[must_use]
    pub fn board(&self, board: &str) -> Option<BoardHandle> {
        self.boards.lock().unwrap_or_else(PoisonError::into_inner).get(board).cloned()
    }
}

/// A running daemon.
#[derive(Debug)]
pub struct Daemon {
    /// Its hall.
    pub hall: Arc<Hall>,
    /// Where the arbiter's pages really are.
    pub desk: SocketAddr,
    /// Where the spectators' pages really are.
    pub public: Option<SocketAddr>,
    /// The secret of the one-time link.
    link: String,
    tasks: JoinSet<()>,
    stop: watch::Sender<bool>,
    journal: JournalHandle,
}

impl Daemon {
    /// Starts everything: journal first, then what it holds, then pages, then boards.
    ///
    /// # Errors
    /// [`StartError`]; nothing is left running.
    pub async fn start(settings: Settings) -> Result<Self, StartError> {
        let access = &settings.access;
        if access.tls.is_none() && !settings.desk.ip().to_canonical().is_loopback() {
            return Err(StartError::PlainHttp(settings.desk));
        }
        let tls = access.tls.as_ref().map(web::acceptor).transpose()?;
        let (auth, link) = Auth::new(&settings.journal, access.operator_results, tls.is_some())?;
        let (commits, committed) = mpsc::sync_channel(COMMITS);
        let sink = move |commit: Committed| {
            // The publisher lives as long as this sender.
            let _gone = commits.send(commit);
        };
        let (journal, recovered) = Journal::open(&settings.journal, CORE, sink)?;
        for remark in &recovered.remarks {
            tracing::warn!("journal: {remark}");
        }
        let (public, desk) = (Arc::new(PublicHub::default()), Arc::new(DeskHub::default()));
        public.set_epoch(&recovered.epoch);
        desk.set_epoch(&recovered.epoch);
        let clock = Clock::start(recovered.last_stamp, settings.speed);
        let delays = Arc::new(settings.delays.clone());
        let released = Release::new(
            &delays,
            Arc::clone(&public),
            clock.clone(),
            journal.clone(),
            (&settings.journal, &recovered),
        );
        let tap = Arc::<Tap>::default();
        let mut showing = Showing::new(Arc::clone(&desk), Arc::clone(&tap), released);
        showing.load(&settings.journal);
        std::thread::spawn(move || showing.run(&committed));

        let (stop, stopped) = watch::channel(false);
        let hall = Arc::new(Hall {
            public,
            desk,
            tags: settings.tags.clone(),
            live_pgn: settings.live_pgn,
            auth: Arc::new(auth),
            folder: settings.journal.clone(),
            boards: Mutex::default(),
            neighbours: Arc::default(),
            tap,
            clock,
            delays,
            journal: journal.clone(),
            secretary: Secretary::new(journal.clone(), settings.rounds, recovered.pairings.as_deref()),
            feeds: OnceLock::new(),
        });
        let mut daemon =
            Self { hall, desk: settings.desk, public: None, link, tasks: JoinSet::new(), stop, journal };
        daemon.serve_pages(&settings, tls, &stopped).await?;
        daemon.start_feeds(&settings, &recovered, &stopped)?;
        let mut old: BTreeMap<Arc<str>, RecoveredBoard> =
            recovered.boards.into_iter().map(|board| (Arc::clone(&board.board), board)).collect();
        for (open, port) in settings.boards {
            let recovered = old.remove(open.board.as_str());
            daemon.add_board(open, port, recovered, &stopped).await?;
        }
        daemon.tasks.spawn(secretary::run(Arc::downgrade(&daemon.hall), stopped));
        Ok(daemon)
    }

    fn start_feeds(
        &mut self,
        settings: &Settings,
        recovered: &Recovered,
        stopped: &watch::Receiver<bool>,
    ) -> Result<(), StartError> {
        let source = Source { hall: &self.hall, journal: &self.journal, settings, recovered, stopped };
        let feeds = feeds::start(&source, &mut self.tasks)?;
        self.hall.feeds.get_or_init(|| feeds);
        Ok(())
    }

    async fn serve_pages(
        &mut self,
        settings: &Settings,
        tls: Option<RustlsAcceptor>,
        stopped: &watch::Receiver<bool>,
    ) -> Result<(), StartError> {
        let desk = web::listen(settings.desk)
            .await
            .map_err(|error| StartError::Listen { address: settings.desk, error })?;
        self.desk = desk.local_addr().unwrap_or(settings.desk);
        let names = &settings.access.names;
        let of_public = tls.clone().filter(|_| settings.access.public_tls);
        let pages = web::desk(&self.hall, names);
        if let Some(path) = &settings.control {
            self.tasks.spawn(control::serve(control::listen(path)?, pages.clone(), stopped.clone()));
        }
        self.tasks.spawn(web::serve(desk, tls, pages, stopped.clone()));
        if let Some(address) = settings.public {
            let public = web::listen(address).await.map_err(|error| StartError::Listen { address, error })?;
            self.public = Some(public.local_addr().unwrap_or(address));
            let pages = web::public(Arc::clone(&self.hall.public), web::Context::public(&self.hall), names);
            self.tasks.spawn(web::serve(public, of_public, pages, stopped.clone()));
        }
        Ok(())
    }

    /// The address of the desk with the one-time login: whoever opens it first is arbiter.
    #[must_use]
    pub fn login_link(&self) -> String {
        let (scheme, link) = (self.hall.auth.scheme(), &self.link);
        // Nobody reaches "every address" as such.
        let address = match self.desk.ip() {
            ip if ip.is_unspecified() => {
                SocketAddr::new(web::machine::address().unwrap_or(ip), self.desk.port())
            }
            _ => self.desk,
        };
        format!("{scheme}://{address}/#login={link}")
    }

    /// Adds a board; a game that was open when the daemon stopped goes on.
    async fn add_board(
        &mut self,
        open: Open,
        port: Port,
        recovered: Option<RecoveredBoard>,
        stopped: &watch::Receiver<bool>,
    ) -> Result<(), StartError> {
        let name = open.board.clone();
        self.hall.public.add_board(&name);
        self.hall.desk.add_board(&name);
        let going_on = recovered.and_then(|board| go_on(&self.journal, &board, &open));
        let at = self.hall.clock.now();
        let (station, is_new) = match going_on {
            Some(station) => (station, false),
            None => {
                let station = Station::open(open.clone(), at)
                    .map_err(|error| StartError::Board { board: name.clone(), error })?;
                (station, true)
            }
        };
        let clock = self.hall.clock.clone();
        let around = Around { neighbours: Arc::clone(&self.hall.neighbours), tap: self.hall.tap.of(&name) };
        let (mut task, handle) =
            BoardTask::new(port, station, self.journal.clone(), clock, stopped.clone(), around);
        if is_new {
            self.hall.desk.reopen(&name);
            task.opened(&open, at).await;
        } else {
            task.restarted().await;
        }
        self.hall.boards.lock().unwrap_or_else(PoisonError::into_inner).insert(name, handle);
        self.tasks.spawn(task.run());
        Ok(())
    }

    /// Adds a board while the daemon runs.
    ///
    /// # Errors
    /// [`StartError`] if it cannot be opened.
    pub async fn add(&mut self, open: Open, port: Port) -> Result<(), StartError> {
        let stopped = self.stop.subscribe();
        self.add_board(open, port, None, &stopped).await
    }

    /// Stops everything and waits until what was said is on disk.
    pub async fn stop(mut self) {
        // Tasks that are gone need no telling.
        let _gone = self.stop.send(true);
        while self.tasks.join_next().await.is_some() {}
        let journal = self.journal;
        drop(self.hall);
        let closed = tokio::task::spawn_blocking(move || journal.close()).await;
        if let Err(error) = closed {
            tracing::error!(%error, "the journal did not close");
        }
    }
}

/// The station of a game that was open, if it replays to what was said.
fn go_on(journal: &JournalHandle, board: &RecoveredBoard, open: &Open) -> Option<Station> {
    let name = &board.board;
    if !board.is_same_core || !board.is_whole {
        tracing::warn!(board = %name, "recorded by another version or with a gap; it starts afresh");
        return None;
    }
    let rebuilt = match restart::rebuild(&board.inputs) {
        Ok(rebuilt) => rebuilt,
        Err(error) => {
            tracing::error!(board = %name, "{error}; it starts afresh");
            return None;
        }
    };
    if let Some(difference) = restart::replay_difference(board, &rebuilt.events) {
        tracing::error!("the replay differs, the table starts afresh: {difference}");
        return None;
    }
    // A board that was configured otherwise, or has no game to go on with, starts afresh.
    if rebuilt.open != *open || !rebuilt.station.is_playing() {
        return None;
    }
    for (event, stored) in rebuilt.events.iter().zip(&board.events) {
        journal.recall(event, stored);
    }
    Some(rebuilt.station)
}
