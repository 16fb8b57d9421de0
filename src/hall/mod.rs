//! What the services of one hall share: its boards and their tasks, the journal, the hubs, who may do what.
//!
//! Bytes, commands and time-outs of a board become one input each in its task (`board`), go
//! through its station and, with what came of them, into the journal. Only what the journal has on
//! disk reaches the hubs (`showing`) and through them anybody else.
//!
//! `web` and `feed` stand on it, `daemon` starts and stops everything.

pub(crate) mod backfill;
pub(crate) mod beginning;
mod board;
mod clock;
pub(crate) mod finder;
pub(crate) mod fleet;
pub mod manager;
mod metrics;
mod neighbours;
pub(crate) mod past;
mod places;
mod proof;
mod quiet;
mod restart;
pub(crate) mod retaining;
pub(crate) mod secretary;
pub(crate) mod sensors;
pub(crate) mod setting_up;
pub(crate) mod showing;
#[cfg(test)]
mod simulation;
pub(crate) mod starting;
mod tap;
pub(crate) mod watchdog;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use tokio::sync::broadcast;

use crate::auth::{Auth, Role};
use crate::feed::delay::Delays;
use crate::feed::hub::{About, DeskHub, PublicHub};
use crate::feed::parts::LivePgn;
use crate::feed::pgn::EventTags;
use crate::feed::sheets::PublishAt;
use crate::feed::status::{FeedStatus, Status};
use crate::journal::{JournalHandle, JournalState, SubmitError};
use adoube_core::station::{Open, Seen};
use adoube_rules::stamp::Stamp;
pub use board::{BoardHandle, RuleError};
pub use clock::Clock;
use finder::Finding;
pub use finder::{Discovery, PortState, PortStatus, Wanted};
pub use fleet::{BoardEntry, BoardStatus, Changes, FleetError, Origin, Source};
use fleet::{Fleet, Plan};
pub use metrics::Metrics;
pub use places::Viewers;
pub(crate) use places::{Place, Places};
pub use proof::Proof;
pub use restart::{Replay, inputs as stored_inputs, opened as opened_with, station as reopened};
use secretary::Secretary;
pub use secretary::{RoundStatus, SecretaryError};
pub(crate) use tap::Tap;
use watchdog::Health;
pub use watchdog::Unfit;

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
    /// Which moves PGN over HTTP shows.
    pub publish_pgn_at: PublishAt,
    /// Who may do what.
    pub(crate) auth: Arc<Auth>,
    /// Folder of the journal, for who looks into it.
    pub folder: PathBuf,
    /// The boards and their tasks.
    pub(crate) fleet: Fleet,
    /// Which boards there ought to be.
    pub(crate) plan: tokio::sync::Mutex<Plan>,
    /// Who writes the first configuration.
    pub(crate) setting_up: setting_up::SettingUp,
    /// Where boards were found.
    pub(crate) finding: Finding,
    pub(crate) tap: Arc<Tap>,
    pub(crate) clock: Clock,
    pub(crate) delays: Arc<Delays>,
    pub(crate) journal: JournalHandle,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) health: Health,
    pub(crate) viewers: OnceLock<Vec<(&'static str, Viewers)>>,
    /// Who keeps pairings and rounds.
    pub(crate) secretary: Secretary,
    /// Feeds that go to others, of those that are set up.
    pub(crate) feeds: OnceLock<Vec<Arc<Status>>>,
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
            heard: None,
        }
    }

    /// The same for spectators, for whom it is as much earlier as they are behind.
    #[must_use]
    pub fn about_then(&self) -> About {
        About { now: self.delays.then(self.clock.now()).rfc3339(), ..self.about() }
    }

    /// How many are connected, by listener.
    pub(crate) fn viewers(&self) -> impl Iterator<Item = (&'static str, usize)> {
        self.viewers.get().into_iter().flatten().map(|(listener, viewers)| (*listener, viewers.count()))
    }

    /// What time it is here.
    pub(crate) fn now(&self) -> Stamp {
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
    pub(crate) fn finding(&self) -> &Finding {
        &self.finding
    }

    /// Opens a session for a part of this process; gives the `Cookie` header of whoever holds it.
    ///
    /// # Errors
    /// The system gives no random bits.
    pub fn admit(&self, role: Role, name: &str) -> Result<String, getrandom::Error> {
        self.auth.admit(role, name)
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
