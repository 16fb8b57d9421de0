//! A hall, its feeds and its pages, started and stopped together.

mod feeds;
mod settings;
mod sockets;

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock, mpsc};

use axum_server::tls_rustls::RustlsAcceptor;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::auth::Auth;
use crate::feed::hub::{DeskHub, PublicHub};
use crate::feed::nats::{self, Given};
use crate::hall::beginning::Beginning;
use crate::hall::finder::{self, Finding};
use crate::hall::fleet::{self, Fleet, Origin, Replays, placed};
use crate::hall::secretary::{self, Secretary};
use crate::hall::sensors::Sensors;
use crate::hall::showing::{Release, Showing};
use crate::hall::starting::Starting;
use crate::hall::watchdog::{self, Health};
use crate::hall::{Clock, Hall, Metrics, Tap, backfill, retaining};
use crate::journal::{Committed, Journal, JournalHandle, Recovered, Retention};
use crate::web::{self, control};
use adoube_core::station::CORE;
pub use feeds::Feeds;
pub use settings::{Access, Settings, StartError};
pub use sockets::{SocketError, Sockets};

/// Commits that may wait to be shown: showing is faster than committing.
const COMMITS: usize = 256;

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
    /// Starts everything: journal first, then what it holds, then pages, then boards.
    ///
    /// # Errors
    /// [`StartError`]; nothing is left running.
    pub async fn start(settings: Settings) -> Result<Self, StartError> {
        let starting = Arc::<Starting>::default();
        starting.told(Self::start_up(settings, &starting)).await
    }

    async fn start_up(settings: Settings, starting: &Arc<Starting>) -> Result<Self, StartError> {
        let tls = tls(&settings)?;
        let (auth, link) = Auth::new(&settings.journal, settings.access.operator_results, tls.is_some())?;
        let (commits, committed) = mpsc::sync_channel(COMMITS);
        let sink = move |commit: Committed| {
            // The publisher lives as long as this sender.
            let _gone = commits.send(commit);
        };
        let (journal, mut recovered) = open_journal(&settings, sink, starting).await?;
        // That takes longest, and nothing of the pages waits for it.
        let replays = Replays::begin(std::mem::take(&mut recovered.boards), &settings.journal);
        starting.begins("putting the pages together", 0);
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
        let (showing, recovered, outlined, sensors) = blocking(move || {
            let beginning = Beginning::of(&folder, &recovered, &late);
            showing.load(&folder, &beginning);
            (showing, recovered, beginning.outlined, Sensors::load(&folder))
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
            fleet: Fleet::new(sensors),
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
        match daemon.begin(settings, tls, recovered, replays, stopped, starting).await {
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
        recovered: Recovered,
        replays: Replays,
        stopped: watch::Receiver<bool>,
        starting: &Arc<Starting>,
    ) -> Result<(), StartError> {
        self.serve_pages(&settings, tls, &stopped).await?;
        self.start_feeds(&settings, &recovered, &stopped)?;
        starting.begins("going through the games that are open", 0);
        self.hall.fleet.recover(replays).await;
        starting.begins("opening the boards", settings.boards.len());
        for (open, port) in settings.boards {
            self.hall.begin_board(open, placed(port), Origin::Configured).await?;
            starting.did();
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
