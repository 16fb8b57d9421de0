//! Spectators' pages far from the hall: built from the public stream alone, without boards and without a journal.
//!
//! ```text
//! ADOUBE_PUBLIC ──▶ follow ──▶ hub ──▶ pages, events, PGN
//! ```
//!
//! A relay keeps nothing. It reads the stream from its beginning, and listens once it has caught up; whoever comes
//! to another relay finds the same events there under the same ids, in the same order, and goes on where he was.
//! When the server is away it goes on with what it has.

mod follow;
mod pairings;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use crate::config::Proxy;
use crate::feed::hub::{About, Heard, PublicHub};
use crate::feed::nats::{Server, Tournament};
use crate::feed::pgn::EventTags;
use crate::feed::sheets::Shown;
use crate::hall::Clock;
use crate::web;
use follow::Follow;

/// So often it is looked at how old what is shown is; pages count on from what they are told.
const AGE: Duration = Duration::from_secs(5);

/// What a relay is started with.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where the stream is.
    pub server: Server,
    /// The hall's part of the stream's name.
    pub site: Option<String>,
    /// Where the pages are.
    pub listen: SocketAddr,
    /// Names by which they are asked for, beside the machine's own.
    pub names: Vec<String>,
    /// Proxies that are believed when they say from where somebody asks.
    pub proxies: Vec<Proxy>,
}

/// A relay at work.
#[derive(Debug)]
pub struct Relay {
    /// Where the pages really are.
    pub address: SocketAddr,
    stop: watch::Sender<bool>,
    pages: JoinHandle<()>,
    follow: [JoinHandle<()>; 3],
}

impl Relay {
    /// Reads the stream, however long it takes to reach it, and then listens.
    ///
    /// # Errors
    /// The address is in use or not ours.
    pub async fn start(settings: Settings) -> std::io::Result<Self> {
        let hub = Arc::new(PublicHub::default());
        let tournament = Arc::new(Mutex::new(Tournament::default()));
        let word = Arc::new(Mutex::new(Word { checked: Instant::now(), event_at: None }));
        let follow = Follow::new(&settings, Arc::clone(&hub), Arc::clone(&tournament), Arc::clone(&word));
        let mut caught_up = follow.caught_up();
        let pairings = tokio::spawn(pairings::follow(settings.clone(), Arc::clone(&hub)));
        let age = tokio::spawn(tell_age(Arc::clone(&hub), Arc::clone(&word)));
        let follow = [tokio::spawn(follow.run()), pairings, age];
        // It ends with the process only.
        let _gone = caught_up.wait_for(|&is| is).await;
        let told = Arc::clone(&tournament);
        let context = web::Context::relayed(move || about(&tournament, &word), move || shown(&told));
        // Not before: who finds nobody here asks another relay.
        let listener = web::listen(settings.listen).await?;
        let address = listener.local_addr()?;
        let (stop, stopped) = watch::channel(false);
        let pages = web::serve(
            listener.behind(&settings.proxies),
            None,
            web::public(hub, context, &settings.names),
            stopped,
        );
        Ok(Self { address, stop, pages: tokio::spawn(pages), follow })
    }

    /// Stops.
    pub async fn stop(self) {
        self.follow.iter().for_each(JoinHandle::abort);
        // Pages that are gone need no telling, and ended otherwise.
        let _gone = self.stop.send(true);
        let _ended = self.pages.await;
    }
}

fn shown(tournament: &Mutex<Tournament>) -> Shown {
    let Tournament { name, site, live_pgn, .. } =
        tournament.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Shown { tags: EventTags { event: name, site }, live: live_pgn, ..Shown::default() }
}

/// The hall's last word.
#[derive(Debug)]
struct Word {
    /// All that the stream held was here then.
    checked: Instant,
    /// The stream took it then.
    event_at: Option<SystemTime>,
}

impl Word {
    /// How old it is.
    fn heard(&self) -> Heard {
        let event = self
            .event_at
            .map(|at| SystemTime::from(crate::world::now()).duration_since(at).unwrap_or_default());
        Heard { checked_s: self.checked.elapsed().as_secs(), event_s: event.map(|age| age.as_secs()) }
    }
}

/// Tells who watches while what is shown is old, and once when it is no more.
async fn tell_age(hub: Arc<PublicHub>, word: Arc<Mutex<Word>>) {
    let mut was_old = false;
    loop {
        sleep(AGE).await;
        let heard = word.lock().unwrap_or_else(PoisonError::into_inner).heard();
        if heard.is_old() || was_old {
            hub.tell_heard(heard);
        }
        was_old = heard.is_old();
    }
}

fn about(tournament: &Mutex<Tournament>, word: &Mutex<Word>) -> About {
    let Tournament { name, site, delays, .. } =
        tournament.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let now = delays.then(Clock::start(None, 1.0).now()).rfc3339();
    let heard = Some(word.lock().unwrap_or_else(PoisonError::into_inner).heard());
    About { now, delays: Arc::new(delays), name, site, heard, ..About::default() }
}
