//! How a feed stands.

use std::sync::{Mutex, PoisonError};

use serde::Serialize;

/// How a feed stands, as the desk is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct FeedStatus {
    /// Its name.
    #[schema(example = "webhook")]
    pub feed: &'static str,
    /// Where to, without path and secrets.
    #[schema(example = "https://alerts.example")]
    pub to: String,
    /// `ok`, `behind` (more waits than what is on its way), `failing`, `idle` (no game goes there, or some that are
    /// played go nowhere: `homeless`), or `off`.
    #[schema(example = "ok")]
    pub state: &'static str,
    /// Since when it has been failing, RFC 3339.
    pub failing_since: Option<String>,
    /// What the last failure was, also if it is over.
    pub last_error: Option<String>,
    /// How many wait, the one on its way included; no more than fit into memory are counted.
    pub queued: u64,
    /// How many games are played that go nowhere: their round has no place there.
    pub homeless: u64,
    /// Nothing goes there now.
    #[serde(skip)]
    is_idle: bool,
    /// Something is wrong there, though what is sent gets through.
    #[serde(skip)]
    is_faulty: bool,
    /// How many were delivered since the start.
    pub delivered: u64,
    /// How many the receiver refused since the start.
    pub refused: u64,
    /// How many could not be delivered within a day.
    pub expired: u64,
    /// What whoever runs it shall know: `any-page` (every web page on this machine can read it), `some-pages`
    /// (those of the configured origins can), `delayed` (it is off because spectators see the games later).
    #[schema(example = "any-page")]
    pub note: Option<&'static str>,
    /// Games that the receiver does not take as they are; each is sent again when it has changed. Of four players
    /// no game is sent to who knows chess alone (on LiveChess they are boards, by their names).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub games: Vec<GameProblem>,
}

/// What is wrong with a game, in the receiver's eyes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct GameProblem {
    /// Its name.
    #[schema(example = "5-12")]
    pub game: String,
    /// What is wrong.
    pub error: String,
}

/// The state of a feed that is set up, but not run.
const OFF: &str = "off";

/// The state of a feed to which no game goes.
const IDLE: &str = "idle";

impl FeedStatus {
    /// Something waits, and gets through.
    pub(crate) fn is_moving(&self) -> bool {
        (self.is_faulty || self.failing_since.is_none()) && self.queued > 0
    }
}

/// The same while it changes.
#[derive(Debug)]
pub struct Status(Mutex<FeedStatus>);

impl Status {
    pub(crate) fn new(feed: &'static str, to: String) -> Self {
        Self(Mutex::new(FeedStatus {
            feed,
            to,
            state: "ok",
            failing_since: None,
            last_error: None,
            queued: 0,
            homeless: 0,
            is_idle: false,
            is_faulty: false,
            delivered: 0,
            refused: 0,
            expired: 0,
            note: None,
            games: Vec::new(),
        }))
    }

    /// As it stands now.
    #[must_use]
    pub fn now(&self) -> FeedStatus {
        self.with(|status| status.clone())
    }

    pub(crate) fn queued(&self) {
        self.with(|status| status.queued += 1);
    }

    /// One more was delivered, by a feed that counts what waits itself.
    pub(crate) fn did(&self) {
        self.with(|status| status.delivered += 1);
    }

    pub(crate) fn delivered(&self) {
        self.done(|status| {
            status.delivered += 1;
            status.failing_since = None;
        });
    }

    /// The receiver answers, but does not want this one.
    pub(crate) fn refused(&self, error: String) {
        self.done(|status| status.refused += 1);
        self.failed(error);
    }

    pub(crate) fn expired(&self) {
        self.done(|status| status.expired += 1);
    }

    pub(crate) fn failed(&self, error: String) {
        self.with(|status| {
            status.last_error = Some(error);
            status.failing_since.get_or_insert_with(|| format!("{:.3}", crate::world::now()));
        });
    }

    /// Says what is to be known of it.
    pub(crate) fn note(&self, note: &'static str) {
        self.with(|status| status.note = Some(note));
    }

    /// It is not run, for the reason in `note`.
    pub(crate) fn off(&self, note: &'static str) {
        self.note(note);
        self.with(|status| status.state = OFF);
    }

    /// Something that is not as it should be, though it gets through.
    pub(crate) fn noted(&self, what: String) {
        self.with(|status| status.last_error = Some(what));
    }

    /// What is wrong there, if anything is, though what is sent gets through.
    pub(crate) fn set_fault(&self, fault: Option<String>) {
        self.with(|status| {
            let was_faulty = std::mem::replace(&mut status.is_faulty, fault.is_some());
            match fault {
                Some(fault) => status.last_error = Some(fault),
                None if was_faulty => status.failing_since = None,
                None => {}
            }
        });
    }

    /// How many wait now, for who counts them himself.
    pub(crate) fn set_queued(&self, count: u64) {
        self.with(|status| status.queued = count);
    }

    /// Which games the receiver does not take now, for who keeps them himself.
    pub(crate) fn set_games(&self, games: Vec<GameProblem>) {
        self.with(|status| {
            status.refused = games.len() as u64;
            status.games = games;
        });
    }

    /// Nothing goes there, or `homeless` games that are played go nowhere.
    pub(crate) fn set_idle(&self, is_idle: bool, homeless: u64) {
        self.with(|status| (status.is_idle, status.homeless) = (is_idle, homeless));
    }

    /// It gets through again, with nothing new delivered.
    pub(crate) fn well(&self) {
        self.with(|status| status.failing_since = None);
    }

    fn done(&self, count: impl FnOnce(&mut FeedStatus)) {
        self.with(|status| {
            status.queued = status.queued.saturating_sub(1);
            count(status);
        });
    }

    fn with<T>(&self, work: impl FnOnce(&mut FeedStatus) -> T) -> T {
        let mut status = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let done = work(&mut status);
        if status.state == OFF {
            return done;
        }
        if status.is_faulty {
            status.failing_since.get_or_insert_with(|| format!("{:.3}", crate::world::now()));
        }
        status.state = match (&status.failing_since, status.queued) {
            (Some(_), _) => "failing",
            (None, 0) if status.is_idle => IDLE,
            (None, 0 | 1) => "ok",
            (None, _) => "behind",
        };
        done
    }
}
