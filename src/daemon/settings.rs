//! What a daemon is started with, and why it did not start.

use std::net::SocketAddr;
use std::path::PathBuf;

use super::feeds::Feeds;
use super::sockets::Sockets;
use crate::config::{Proxy, PublishPairings, Rounds, Tls};
use crate::feed::delay::Delays;
use crate::feed::parts::LivePgn;
use crate::feed::pgn::EventTags;
use crate::hall::{Discovery, FleetError, Source};
use crate::journal::{JournalError, Retention};
use crate::link::Port;
use crate::web::TlsError;
use crate::web::control::ControlError;
use adoube_core::station::Open;

/// What a daemon is started with.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The boards and where they are.
    pub boards: Vec<(Open, Port)>,
    /// Where boards are looked for that are not placed; `None`: nowhere.
    pub discovery: Option<Discovery>,
    /// Folder of the journal.
    pub journal: PathBuf,
    /// What becomes of its closed files.
    pub retention: Retention,
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
    /// When spectators learn who plays.
    pub publish_pairings: PublishPairings,
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
            retention: Retention::Keep,
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
            publish_pairings: PublishPairings::default(),
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
    /// Proxies that are believed when they say from where somebody asks.
    pub proxies: Vec<Proxy>,
    /// Certificate and key of the desk.
    pub tls: Option<Tls>,
    /// Do the spectators' pages have them, too?
    pub public_tls: bool,
    /// Do operators enter results?
    pub operator_results: bool,
    /// The secret of the one-time link, if somebody was promised it; else a new one.
    pub link: Option<String>,
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
    /// Whoever shows it has ended.
    #[error("what the journal holds cannot be shown: an error of adoube")]
    Showing,
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
