//! A hall: its boards, its journal, its hubs and its pages, started and stopped together.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock, mpsc};

use tokio::sync::{broadcast, watch};
use tokio::task::JoinSet;

use super::backfill;
use super::beginning::Beginning;
use super::board::BoardHandle;
use super::clock::Clock;
use super::feeds::{self, Feeds};
use super::finder::{self, Discovery, Finding, PortStatus, Wanted};
use super::fleet::{self, Fleet, FleetError, Origin, Plan, Source, placed};
use super::metrics::Metrics;
use super::secretary::{self, Secretary};
use super::showing::{Release, Showing};
use super::sockets::{self, Sockets};
use super::tap::Tap;
use super::watchdog::{self, Health};
use axum_server::tls_rustls::RustlsAcceptor;

use crate::config::{Port, Rounds, Tls};
use crate::feed::delay::Delays;
use crate::feed::hub::{About, DeskHub, PublicHub};
use crate::feed::nats::{self, Given};
use crate::feed::parts::LivePgn;
use crate::feed::pgn::EventTags;
use crate::feed::status::{FeedStatus, Status};
use crate::journal::{Committed, Journal, JournalError, JournalHandle, JournalState, Recovered, SubmitError};
use crate::stamp::Stamp;
use crate::station::{CORE, Open, Seen};
use crate::web::auth::Auth;
use crate::web::control::{self, ControlError};
use crate::web::{self, Role, TlsError, Viewers};

/// Commits that may wait to be shown: showing is faster than committing.
const COMMITS: usize = 256;

/// What a daemon is started with.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The boards and where they are.
    pub boards: Vec<(Open, Port)>,
    /// Where boards are looked for that are not placed; `None`: nowhere.
    pub discovery: Option<Discovery>,
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
    /// Those of the two that are open already; each takes the place of its address.
    pub sockets: Sockets,
    /// Who gets in there, and how.
    pub access: Access,
    /// Where commands on this machine reach the desk.
    pub control: Option<PathBuf>,
    /// How rounds open.
    pub rounds: Rounds,
    /// How many times as fast as the world.
    pub speed: f64,
    /// The configuration, so that it can be read again; its boards come after those of `boards`.
    pub source: Option<Source>,
}

impl Settings {
    /// A hall without boards, whose journal lies in `journal` and whose desk is at `desk`; everything else as
    /// usual.
    #[must_use]
    pub fn new(journal: PathBuf, desk: SocketAddr) -> Self {
        Self {
            boards: Vec::new(),
            discovery: None,
            journal,
            tags: EventTags::default(),
            live_pgn: LivePgn::default(),
            delays: Delays::default(),
            feeds: Feeds::default(),
            desk,
            public: None,
            sockets: Sockets::default(),
            access: Access::default(),
            control: None,
            rounds: Rounds::Auto,
            speed: 1.0,
            source: None,
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
    #[error(transparent)]
    Board(#[from] FleetError),
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
    /// The journal's writer has ended.
    #[error("the journal's writer has ended: an error of adoube")]
    JournalGone,
    /// No thread for what is shown.
    #[error("no thread for what is shown: {0}; is the number of threads limited?")]
    Thread(std::io::Error),
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
    /// The boards and their tasks.
    pub(super) fleet: Fleet,
    /// Which boards there ought to be.
    pub(super) plan: tokio::sync::Mutex<Plan>,
    /// Where boards were found.
    finding: Finding,
    pub(super) tap: Arc<Tap>,
    pub(super) clock: Clock,
    pub(super) delays: Arc<Delays>,
    pub(super) journal: JournalHandle,
    pub(super) metrics: Arc<Metrics>,
    pub(super) health: Health,
    viewers: OnceLock<Vec<(&'static str, Viewers)>>,
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
            variants: self.fleet.variants(),
        }
    }

    /// The same for spectators, for whom it is as much earlier as they are behind.
    #[must_use]
    pub fn about_then(&self) -> About {
        About { now: self.delays.then(self.clock.now()).rfc3339(), ..self.about() }
    }

    /// How many are connected, by listener.
    pub(super) fn viewers(&self) -> impl Iterator<Item = (&'static str, usize)> {
        self.viewers.get().into_iter().flatten().map(|(listener, viewers)| (*listener, viewers.count()))
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

    /// The ports at which boards may be, and what is known of them; none if no boards are looked for.
    #[must_use]
    pub fn ports_now(&self) -> Vec<PortStatus> {
        self.finding.ports()
    }

    /// The configuration has these boards from now on: they are looked for.
    pub fn look_for(&self, wanted: Vec<Wanted>) {
        self.finding.want(wanted);
    }

    /// What the finder and the rest of the daemon know of each other.
    pub(super) fn finding(&self) -> &Finding {
        &self.finding
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
        self.fleet.handle(board)
    }
}

/// Opens the journal; one that turns out to be an old copy of itself begins a new epoch before anything is shown.
async fn open_journal(
    settings: &Settings,
    sink: impl FnMut(Committed) + Send + 'static,
) -> Result<(JournalHandle, Recovered), StartError> {
    let folder = settings.journal.clone();
    let (journal, mut recovered) = blocking(move || Journal::open(&folder, CORE, sink)).await?;
    if let Some(nats) = &settings.feeds.nats {
        let given = Given { seq: recovered.last_seq, public: recovered.last_public };
        if let Some(why) = nats::ahead(nats, &recovered.epoch, given).await {
            recovered.remarks.push(why);
            recovered.epoch = journal.renew().await.map_err(|_| StartError::JournalGone)?;
        }
    }
    for remark in &recovered.remarks {
        tracing::warn!("journal: {remark}");
    }
    Ok((journal, recovered))
}

/// Does what takes a while where nothing else waits for it.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
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
        let at = sockets::address(settings.sockets.desk.as_ref(), settings.desk);
        if access.tls.is_none() && !at.ip().to_canonical().is_loopback() {
            return Err(StartError::PlainHttp(at));
        }
        let tls = access.tls.as_ref().map(web::acceptor).transpose()?;
        let (auth, link) = Auth::new(&settings.journal, access.operator_results, tls.is_some())?;
        let (commits, committed) = mpsc::sync_channel(COMMITS);
        let sink = move |commit: Committed| {
            // The publisher lives as long as this sender.
            let _gone = commits.send(commit);
        };
        let (journal, recovered) = open_journal(&settings, sink).await?;
        let boards = settings.boards.len();
        let (public, desk) = (Arc::new(PublicHub::for_boards(boards)), Arc::new(DeskHub::for_boards(boards)));
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
        let (tap, metrics) = (Arc::<Tap>::default(), Arc::new(Metrics::new(journal.figures())));
        let mut showing = Showing::new(Arc::clone(&desk), Arc::clone(&tap), released, Arc::clone(&metrics));
        let (folder, late) = (settings.journal.clone(), Arc::clone(&delays));
        let (showing, recovered, outlined) = blocking(move || {
            let beginning = Beginning::of(&folder, &recovered, &late);
            showing.load(&folder, &beginning);
            (showing, recovered, beginning.outlined)
        })
        .await;
        let thread = std::thread::Builder::new().name("showing".into());
        drop(thread.spawn(move || showing.run(&committed)).map_err(StartError::Thread)?);

        let (stop, stopped) = watch::channel(false);
        let hall = Arc::new(Hall {
            public,
            desk,
            tags: settings.tags.clone(),
            live_pgn: settings.live_pgn,
            auth: Arc::new(auth),
            folder: settings.journal.clone(),
            fleet: Fleet::default(),
            plan: tokio::sync::Mutex::default(),
            finding: Finding::default(),
            tap,
            clock,
            delays,
            journal: journal.clone(),
            metrics,
            health: Health::new(),
            viewers: OnceLock::new(),
            secretary: Secretary::new(journal.clone(), settings.rounds, recovered.pairings.as_deref()),
            feeds: OnceLock::new(),
        });
        let mut daemon =
            Self { hall, desk: settings.desk, public: None, link, tasks: JoinSet::new(), stop, journal };
        let hubs = (Arc::clone(&daemon.hall.desk), Arc::clone(&daemon.hall.public));
        daemon.tasks.spawn(backfill::run(settings.journal.clone().into(), outlined, hubs, stopped.clone()));
        match daemon.begin(settings, tls, recovered, stopped).await {
            Ok(()) => Ok(daemon),
            Err(error) => {
                daemon.stop().await;
                Err(error)
            }
        }
    }

    /// Everything that goes on until it is stopped.
    async fn begin(
        &mut self,
        settings: Settings,
        tls: Option<RustlsAcceptor>,
        mut recovered: Recovered,
        stopped: watch::Receiver<bool>,
    ) -> Result<(), StartError> {
        self.serve_pages(&settings, tls, &stopped).await?;
        self.start_feeds(&settings, &recovered, &stopped)?;
        self.hall.fleet.recover(std::mem::take(&mut recovered.boards)).await;
        for (open, port) in settings.boards {
            self.hall.begin_board(open, placed(port), Origin::Configured).await?;
        }
        let has_plan = settings.source.is_some();
        self.hall.begin_plan(settings.source.unwrap_or_default()).await?;
        // Boards that nobody named go on with what the journal holds of them when they are found.
        let finds_others = settings.discovery.as_ref().is_some_and(|discovery| discovery.adds.is_some());
        self.hall.all_have_begun(finds_others);
        if let Some(discovery) = settings.discovery {
            self.hall.look_for(discovery.wanted.clone());
            let hall = Arc::downgrade(&self.hall);
            self.tasks.spawn(finder::run(hall, discovery, stopped.clone()));
        }
        // Without a configuration, whoever started us knows best what is looked for.
        if has_plan {
            self.hall.look_for_plan().await;
        }
        let hall = Arc::downgrade(&self.hall);
        self.tasks.spawn(fleet::run(hall.clone(), stopped.clone()));
        self.tasks.spawn(watchdog::tell_journal(hall.clone(), self.journal.clone(), stopped.clone()));
        self.tasks.spawn(watchdog::run(hall.clone(), self.journal.clone(), stopped.clone()));
        self.tasks.spawn(secretary::run(hall, stopped));
        self.hall.health.started();
        Ok(())
    }

    fn start_feeds(
        &mut self,
        settings: &Settings,
        recovered: &Recovered,
        stopped: &watch::Receiver<bool>,
    ) -> Result<(), StartError> {
        let source = feeds::Source { hall: &self.hall, journal: &self.journal, settings, recovered, stopped };
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
        let desk = sockets::listen(settings.sockets.desk.as_ref(), settings.desk).await?;
        let mut viewers = vec![("desk", desk.viewers())];
        self.desk = desk.local_addr().unwrap_or(settings.desk);
        let names = &settings.access.names;
        let of_public = tls.clone().filter(|_| settings.access.public_tls);
        let pages = web::desk(&self.hall, names);
        if let Some(path) = &settings.control {
            self.tasks.spawn(control::serve(control::listen(path)?, pages.clone(), stopped.clone()));
        }
        self.tasks.spawn(web::serve(desk, tls, pages, stopped.clone()));
        let given = settings.sockets.public.as_ref();
        // Whoever has the manager open a socket wants it used.
        let address = given.and_then(|socket| socket.local_addr().ok()).or(settings.public);
        if let Some(address) = address {
            let public = sockets::listen(given, address).await?;
            viewers.push(("public", public.viewers()));
            self.public = Some(public.local_addr().unwrap_or(address));
            let pages = web::public(Arc::clone(&self.hall.public), web::Context::public(&self.hall), names);
            self.tasks.spawn(web::serve(public, of_public, pages, stopped.clone()));
        }
        self.hall.viewers.get_or_init(|| viewers);
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

    /// Stops everything and waits until what was said is on disk.
    pub async fn stop(mut self) {
        self.hall.health.stopping();
        // Tasks that are gone need no telling.
        let _gone = self.stop.send(true);
        self.hall.fleet.stop().await;
        while self.tasks.join_next().await.is_some() {}
        let journal = self.journal;
        drop(self.hall);
        let closed = tokio::task::spawn_blocking(move || journal.close()).await;
        if let Err(error) = closed {
            tracing::error!(%error, "the journal did not close");
        }
    }
}
