//! Events by NATS `JetStream`: one stream with what spectators see, one with what the arbiter sees.
//!
//! ```text
//!     hub ──▶ publisher ── in flight ──▶ stream ──▶ relay, anybody
//! journal ──▶     ▲      (bounded)         │
//!                 └──── last message ◀─────┘
//! ```
//!
//! The journal is the truth and the stream a copy of it; one daemon writes it. What is missing there is found by
//! looking at its last message: at the start, and whenever it is not certain whether a message got through. Each
//! message is for one place in the stream (`Nats-Expected-Last-Sequence`), behind the one before it
//! (`Nats-Expected-Last-Msg-Id`, while that is under way), and as long as a daemon lives every place is for one
//! event: so nothing is there twice, however late an answer comes, and nothing behind somebody else's message. Nothing
//! waits for the server but this feed, and nothing is kept in memory for it: what the hub has no more comes from the journal.
//!
//! Each message carries `Nats-Msg-Id: EPOCH-NUMBER`, `Adoube-Whole: N` (the stream holds all events up to N),
//! `Adoube-Highest: M` (and none above M), and on the public side `Adoube-Tournament` with the name and the site
//! as JSON. A stream goes on over a change of the epoch: the journal was replaced, and its events begin anew.

mod eaten;
mod held;
mod names;
mod pairings;
mod publisher;
mod retry;
mod server;
mod stream;

pub(crate) use held::Mark;
pub use names::{Names, Side, is_site};
pub(crate) use pairings::{RoundPairings, start as start_pairings};
pub(crate) use retry::{Retry, answered};
pub use server::Server;
pub(crate) use stream::is_missing;

use std::fmt::{self, Display};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use super::delay::Delays;
use super::hub::{Frame, Hub, Outgoing};
use super::parts::LivePgn;
use super::status::Status;
use crate::journal::JournalHandle;
use publisher::Publisher;
use stream::Last;

/// Its name on the desk.
pub const NAME: &str = "nats";

/// Messages under way at one time. A server on loopback answers within 40 us, one across a continent within
/// 100 ms: then these are 2,500 events a second.
pub(crate) const WINDOW: usize = 256;

/// How long a daemon that is told to stop waits for what is on its way, and how often it looks.
const FAREWELL: Duration = Duration::from_secs(2);
const LOOK: Duration = Duration::from_millis(10);

/// The header with what pages say of the tournament.
pub(crate) const TOURNAMENT: &str = "Adoube-Tournament";

/// Events of the arbiter that say no more than what was sensed: most of them, and of little use outside.
const SENSED: [&str; 3] = ["piece-lifted", "piece-placed", "clock-read"];

/// What is published where.
#[derive(Debug, Clone)]
pub struct Nats {
    /// The servers.
    pub server: Server,
    /// The hall's part of the names, if several share a server.
    pub site: Option<String>,
    /// Publish what spectators see?
    pub is_public: bool,
    /// Publish what the arbiter sees?
    pub is_private: bool,
    /// With every piece lifted and placed and every reading of a clock?
    pub is_sensed: bool,
    /// On how many servers of a cluster a stream is kept, if we make it.
    pub replicas: usize,
}

impl Nats {
    /// The sides that are published.
    fn sides(&self) -> impl Iterator<Item = Side> {
        let sides = [(self.is_public, Side::Public), (self.is_private, Side::Private)];
        sides.into_iter().filter_map(|(is_published, side)| is_published.then_some(side))
    }
}

/// What pages say of the tournament.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tournament {
    /// Its name.
    pub name: Option<String>,
    /// Where it is.
    pub site: Option<String>,
    /// By how much spectators are behind.
    #[serde(default)]
    pub delays: Delays,
    /// What PGN shows of a game that is not one line of legal moves.
    #[serde(default)]
    pub live_pgn: LivePgn,
}

/// Events that a hub has no more.
pub trait Past: fmt::Debug + Send + Sync + 'static {
    /// The events after the number `after` that may be seen by now, `limit` at most, in the order of their
    /// numbers; none if there are no more. It reads from disk.
    fn after(&self, after: u64, limit: usize) -> Vec<Arc<Frame>>;
}

/// Where the events of one stream come from.
#[derive(Debug)]
pub struct Source<E: Outgoing> {
    /// The events as they come.
    pub hub: Arc<Hub<E>>,
    /// Those that the hub has no more.
    pub past: Arc<dyn Past>,
    /// What pages say of the tournament.
    pub tournament: Tournament,
    /// Where it is noted that this journal has written the stream.
    pub journal: JournalHandle,
    /// The epoch of which that is noted there already.
    pub noted: Option<String>,
    /// The last number of this side that the journal had given out when the daemon started.
    pub given: u64,
    /// Who is told why a new epoch has to begin.
    pub renew: mpsc::Sender<String>,
}

/// Under which name the journal has it that it wrote a stream.
#[must_use]
pub fn note(names: &Names, epoch: &str) -> String {
    format!("{NAME} {} {epoch}", names.stream)
}

/// The last numbers that a journal has given out.
#[derive(Debug, Clone, Copy)]
pub struct Given {
    /// Among all events.
    pub seq: u64,
    /// Among public ones.
    pub public: u64,
}

impl Given {
    fn on(self, side: Side) -> u64 {
        match side {
            Side::Public => self.public,
            Side::Private => self.seq,
        }
    }
}

/// How long a start waits for the servers to say what their streams hold: the games go first, and a publisher finds
/// out in any case.
const START: Duration = Duration::from_secs(3);

/// Why the journal is an old copy of itself: a stream holds events of its epoch that it does not know. `None` if that is
/// not so, or nobody answers.
pub async fn ahead(nats: &Nats, epoch: &str, given: Given) -> Option<String> {
    let look = async {
        let line = nats.server.connect().await?;
        for side in nats.sides() {
            let names = Names::new(side, nats.site.as_deref());
            let Some(last) = Last::of(&line.context, &names).await? else { continue };
            if let Some(why) = is_ahead(&last, &names, epoch, given.on(side)) {
                return Ok(Some(why));
            }
        }
        Ok::<_, Trouble>(None)
    };
    match timeout(START, look).await {
        Ok(Ok(why)) => why,
        Ok(Err(trouble)) => {
            tracing::warn!(
                feed = NAME,
                "whether its streams are ahead of the journal is not known yet: {trouble}"
            );
            None
        }
        Err(_) => {
            tracing::warn!(feed = NAME, server = %nats.server, "no answer at the start");
            None
        }
    }
}

/// Says so if a stream whose last message that is holds events of `epoch` that were never given a number.
fn is_ahead(last: &Last, names: &Names, epoch: &str, given: u64) -> Option<String> {
    let mark = last.mark.as_ref().filter(|mark| mark.epoch == epoch && mark.highest > given)?;
    let (stream, highest) = (&names.stream, mark.highest);
    Some(format!(
        "stream {stream} holds event {highest} of this journal, which itself ends at {given}: it is an old copy of \
         itself (a backup?); a new epoch begins, so that no number stands for two events"
    ))
}

/// Why nothing gets through.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Trouble {
    #[error("no connection to {server}: {reason}")]
    Unreachable { server: String, reason: String },
    #[error("the connection broke off")]
    Lost,
    #[error("the server has not answered in time")]
    Late,
    #[error("it is not clear what got through")]
    Unclear,
    #[error("stream {stream}: {reason}")]
    Refused { stream: String, reason: String },
    #[error("there is no stream {stream} yet; it is made by a daemon with [feeds.nats]")]
    Missing { stream: String },
    #[error("stream {stream} was made anew")]
    Replaced { stream: String },
    #[error(
        "stream {stream} does not take {subjects}; add them to its subjects, or remove it and it is made anew"
    )]
    OtherSubjects { stream: String, subjects: String },
    #[error(
        "somebody else writes stream {stream}: its message {sequence} is {what}, not ours; give each daemon its own \
         site in [feeds.nats], or take the message out (nats stream rmm {stream} {sequence})"
    )]
    Foreign { stream: String, sequence: u64, what: String },
    #[error(
        "stream {stream} holds messages of another site as well ({subject}), whose games would be taken for those of this \
         one; give each site a stream of its own ({subjects})"
    )]
    Mixed { stream: String, subject: String, subjects: String },
    #[error(
        "stream {stream} has thrown away the beginning of game {game}{others}: a relay that starts now cannot show it; \
         raise the limits of the stream (nats stream edit {stream})"
    )]
    Eaten { stream: String, game: String, others: String },
    #[error("{0}")]
    Ahead(String),
}

/// What the server says to a request.
pub(crate) fn asked(names: &Names, error: &dyn Display) -> Trouble {
    Trouble::Refused { stream: names.stream.clone(), reason: error.to_string() }
}

/// Begins to publish one side, and says how it stands.
pub fn start<E: Outgoing + Send + Sync + 'static>(
    nats: &Nats,
    side: Side,
    source: Source<E>,
    stop: &watch::Receiver<bool>,
    tasks: &mut JoinSet<()>,
) -> Arc<Status> {
    let names = Names::new(side, nats.site.as_deref());
    let status = Arc::new(Status::new(NAME, format!("{} at {}", names.stream, nats.server)));
    let publisher = Publisher::new(nats.clone(), side, names, source, Arc::clone(&status));
    let mut stopped = stop.clone();
    let last = Arc::clone(&status);
    tasks.spawn(async move {
        let stopped = async {
            // Whoever could tell us is gone: that is the same.
            drop(stopped.wait_for(|&stop| stop).await);
            // What is on its way gets there, if it can; the rest goes out at the next start.
            let begun = Instant::now();
            while last.now().is_moving() && begun.elapsed() < FAREWELL {
                sleep(LOOK).await;
            }
        };
        tokio::select! {
            () = stopped => {}
            () = publisher.run() => {}
        }
    });
    status
}
