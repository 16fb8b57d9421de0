//! A hall, its feeds and its pages, started and stopped together.

mod feeds;
mod settings;
mod sockets;

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock, mpsc};

use axum_server::tls_rustls::RustlsAcceptor;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinSet;

use crate::auth::Auth;
use crate::feed::delay::Delays;
use crate::feed::hub::{DeskHub, PublicHub, UNKNOWN};
use crate::feed::nats::{self, Given};
use crate::hall::beginning::Beginning;
use crate::hall::finder::{self, Finding};
use crate::hall::fleet::{self, Fleet, Origin, Replays, placed};
use crate::hall::secretary::{self, Secretary};
use crate::hall::sensors::Sensors;
use crate::hall::setting_up::SettingUp;
use crate::hall::showing::{Release, Showing};
use crate::hall::starting::Starting;
use crate::hall::watchdog::{self, Health};
use crate::hall::{Clock, Hall, Metrics, Tap, backfill, retaining};
use crate::journal::{Committed, Journal, JournalHandle, Look, Recovered, Retention};
use crate::web::control::{self, ControlListener};
use crate::web::{self, Listener};
use adoube_core::station::CORE;
pub use feeds::Feeds;
pub use settings::{Access, Settings, StartError};
pub use sockets::{SocketError, Sockets};

/// Commits that may wait to be shown: showing is faster than committing.
const COMMITS: usize = 256;

/// What the journal holds, while the pages are put together from it.
struct Begun {
    recovered: Recovered,
    /// What is shown of it first, once somebody has looked.
    beginning: mpsc::SyncSender<Beginning>,
    /// The pages show all of it; the games whose moves come later.
    pages: oneshot::Receiver<Vec<String>>,
}

/// Where pages are asked for.
struct Doors {
    desk: Listener,
    control: Option<ControlListener>,
    public: Option<Listener>,
}

/// The hubs, and who fills them.
struct Shown {
    public: Arc<PublicHub>,
    desk: Arc<DeskHub>,
    delays: Arc<Delays>,
    tap: Arc<Tap>,
    metrics: Arc<Metrics>,
    begun: Begun,
}

/// What the journal holds is shown, as soon as somebody has looked what that is, and then what is `committed`. Boards need
/// no page: they go on before.
async fn show(
    settings: &Settings,
    journal: &JournalHandle,
    recovered: Recovered,
    clock: &Clock,
    committed: mpsc::Receiver<Committed>,
) -> Result<Shown, StartError> {
    let finds_others = settings.discovery.as_ref().is_some_and(|discovery| discovery.adds.is_some());
    let boards = settings.boards.len().max(if finds_others { UNKNOWN } else { 0 });
    let (public, desk) = (Arc::new(PublicHub::for_boards(boards)), Arc::new(DeskHub::for_boards(boards)));
    public.set_epoch(&recovered.epoch);
    desk.set_epoch(&recovered.epoch);
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
    let (folder, names) = (settings.journal.clone(), journal.clone());
    // A game that a board opens now has a name of its own.
    blocking(move || Look::open(&folder).free_games().iter().for_each(|game| names.seen(game))).await;
    let (folder, (loaded, pages)) = (settings.journal.clone(), oneshot::channel());
    let (begin, begins) = mpsc::sync_channel(1);
    let show = move || {
        // A daemon that was told to end meanwhile waits no more.
        let Some((beginning, waiting)) = showing.begins(&begins, &committed) else { return };
        let waiting = showing.load(&folder, &beginning, waiting, &committed);
        let _gone = loaded.send(beginning.outlined);
        showing.run(waiting, &committed);
    };
    let thread = std::thread::Builder::new().name("showing".into());
    drop(thread.spawn(show).map_err(StartError::Thread)?);
    Ok(Shown { public, desk, delays, tap, metrics, begun: Begun { recovered, beginning: begin, pages } })
}

/// Opens the journal; one that turns out to be an old copy of itself begins a new epoch before anything is shown.
async fn open_journal(
    settings: &Settings,
    sink: impl FnMut(Committed) + Send + 'static,
    starting: &Starting,
) -> Result<(JournalHandle, Recovered), StartError> {
    let folder = settings.journal.clone();
    let (journal, mut recovered) = blocking(move || Journal::open(&folder, CORE, sink)).await?;
    if let Some(nats) = &settings.feeds.nats {
        starting.begins("asking NATS how far it is", 0);
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

/// How the desk speaks TLS, which it has to beyond loopback.
fn tls(settings: &Settings) -> Result<Option<RustlsAcceptor>, StartError> {
    let tls = settings.access.tls.as_ref();
    let at = sockets::address(settings.sockets.desk.as_ref(), settings.desk);
    if tls.is_none() && !at.ip().to_canonical().is_loopback() {
        return Err(StartError::PlainHttp(at));
    }
    Ok(tls.map(web::acceptor).transpose()?)
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
    /// Starts everything: journal first, then boards with what it holds, then pages.
    ///
    /// # Errors
    /// [`StartError`]; nothing is left running.
    pub async fn start(settings: Settings) -> Result<Self, StartError> {
        let starting = Arc::<Starting>::default();
        starting.told(Self::start_up(settings, &starting)).await
    }

    async fn start_up(settings: Settings, starting: &Arc<Starting>) -> Result<Self, StartError> {
        let tls = tls(&settings)?;
        let Access { operator_results, link, .. } = &settings.access;
        let (auth, link) = Auth::new(&settings.journal, *operator_results, tls.is_some(), link.clone())?;
        let (commits, committed) = mpsc::sync_channel(COMMITS);
        let sink = move |commit: Committed| {
            // The publisher lives as long as this sender.
            let _gone = commits.send(commit);
        };
        let (journal, mut recovered) = open_journal(&settings, sink, starting).await?;
        // That takes longest, and nothing of the pages waits for it.
        let replays = Replays::begin(std::mem::take(&mut recovered.boards), &settings.journal);
        starting.begins("looking up the games", 0);
        let clock = Clock::start(recovered.last_stamp, settings.speed);
        let Shown { public, desk, delays, tap, metrics, begun } =
            show(&settings, &journal, recovered, &clock, committed).await?;
        let folder = settings.journal.clone();
        let sensors = blocking(move || Sensors::load(&folder)).await;
        let (stop, stopped) = watch::channel(false);
        let hall = Arc::new(Hall {
            public,
            desk,
            tags: settings.tags.clone(),
            live_pgn: settings.live_pgn,
            publish_pgn_at: settings.feeds.pgn.as_ref().map(|files| files.publish_at).unwrap_or_default(),
            auth: Arc::new(auth),
            folder: settings.journal.clone(),
            fleet: Fleet::new(sensors),
            plan: tokio::sync::Mutex::default(),
            setting_up: SettingUp::default(),
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
                settings.rounds,
                settings.publish_pairings,
                begun.recovered.pairings.as_deref(),
            ),
            feeds: OnceLock::new(),
        });
        let mut daemon =
            Self { hall, desk: settings.desk, public: None, link, tasks: JoinSet::new(), stop, journal };
        match daemon.begin(settings, tls, begun, replays, stopped, starting).await {
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
        Begun { recovered, beginning, pages }: Begun,
        replays: Replays,
        stopped: watch::Receiver<bool>,
        starting: &Arc<Starting>,
    ) -> Result<(), StartError> {
        // Whoever comes early is not turned away, and a place that is taken is said at once.
        let doors = self.open_doors(&settings).await?;
        starting.begins("going through the games that are open", 0);
        self.hall.fleet.recover(replays).await;
        starting.begins("opening the boards", settings.boards.len());
        for (open, port) in &settings.boards {
            self.hall.begin_board(open.clone(), placed(port.clone()), Origin::Configured).await?;
            starting.did();
        }
        let has_plan = settings.source.is_some();
        self.hall.begin_plan(settings.source.clone().unwrap_or_default()).await?;
        let (folder, delays) = (settings.journal.clone(), Arc::clone(&self.hall.delays));
        // Not before: it would take the boards' time.
        let (last_seq, last_stamp) = (recovered.last_seq, recovered.last_stamp);
        tokio::task::spawn_blocking(move || {
            let _gone = beginning.send(Beginning::of(&folder, (last_seq, last_stamp), &delays));
        });
        starting.begins("putting the pages together", 0);
        let outlined = pages.await.map_err(|_| StartError::Showing)?;
        // And what the boards have said meanwhile.
        self.journal.beat().await.map_err(|_| StartError::JournalGone)?;
        self.hall.health.beat();
        let hubs = (Arc::clone(&self.hall.desk), Arc::clone(&self.hall.public));
        self.tasks.spawn(backfill::run(settings.journal.clone().into(), outlined, hubs, stopped.clone()));
        // Before anybody looks: who was awaited is.
        self.hall.publish_pairings();
        self.serve_pages(doors, &settings, tls, &stopped);
        self.start_feeds(&settings, &recovered, &stopped)?;
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
        if settings.retention != Retention::Keep {
            self.tasks.spawn(retaining::run(hall.clone(), settings.retention, stopped.clone()));
        }
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

    /// Listens where pages are asked for.
    async fn open_doors(&mut self, settings: &Settings) -> Result<Doors, StartError> {
        let desk = sockets::listen(settings.sockets.desk.as_ref(), settings.desk).await?;
        self.desk = desk.local_addr().unwrap_or(settings.desk);
        let control = settings.control.as_deref().map(control::listen).transpose()?;
        let given = settings.sockets.public.as_ref();
        // Whoever has the manager open a socket wants it used.
        let address = given.and_then(|socket| socket.local_addr().ok()).or(settings.public);
        let public = match address {
            Some(address) => Some(sockets::listen(given, address).await?),
            None => None,
        };
        self.public = public.as_ref().and_then(|public| public.local_addr().ok()).or(address);
        Ok(Doors { desk, control, public })
    }

    /// Answers whoever came.
    fn serve_pages(
        &mut self,
        Doors { desk, control, public }: Doors,
        settings: &Settings,
        tls: Option<RustlsAcceptor>,
        stopped: &watch::Receiver<bool>,
    ) {
        let mut viewers = vec![("desk", desk.viewers())];
        let names = &settings.access.names;
        let of_public = tls.clone().filter(|_| settings.access.public_tls);
        let pages = web::desk(&self.hall, names);
        if let Some(control) = control {
            self.tasks.spawn(control::serve(control, pages.clone(), stopped.clone()));
        }
        let proxies = &settings.access.proxies;
        self.tasks.spawn(web::serve(desk.behind(proxies), tls, pages, stopped.clone()));
        if let Some(public) = public {
            viewers.push(("public", public.viewers()));
            let pages = web::public(Arc::clone(&self.hall.public), web::Context::public(&self.hall), names);
            self.tasks.spawn(web::serve(public.behind(proxies), of_public, pages, stopped.clone()));
        }
        self.hall.viewers.get_or_init(|| viewers);
    }

    /// The address of the desk with the one-time login: whoever opens it first is arbiter.
    #[must_use]
    pub fn login_link(&self) -> String {
        let (scheme, link) = (self.hall.auth.scheme(), &self.link);
        format!("{scheme}://{}/#login={link}", reached(self.desk))
    }

    /// The address of the spectators' pages, if there are any, with or without TLS.
    #[must_use]
    pub fn public_link(&self, has_tls: bool) -> Option<String> {
        let scheme = if has_tls { "https" } else { "http" };
        Some(format!("{scheme}://{}/", reached(self.public?)))
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

/// `address` as others reach it: nobody reaches "every address" as such.
fn reached(address: SocketAddr) -> SocketAddr {
    match address.ip() {
        ip if ip.is_unspecified() => SocketAddr::new(web::machine::address().unwrap_or(ip), address.port()),
        _ => address,
    }
}
