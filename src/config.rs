//! The configuration: what can be set, where it is looked for, and what is wrong with it.
//!
//! Unknown keys are errors that name the nearest known one. Keys that exist but have no effect yet
//! are refused with "not supported yet": nobody shall rely on a delay that is not there. The
//! commented defaults are [`DEFAULT_TOML`].

mod boards;
mod bus;
mod check;
mod discovery;
mod lichess;
mod livechess;
pub(crate) mod nats;
mod proxy;
mod read;
mod set_up;
mod webhook;

pub use crate::feed::parts::LivePgn;
use crate::feed::sheets;
pub use adoube_core::station::{Announce, BoardResults, PublishAt};
pub use check::{NameError, check_name};
pub use discovery::Discovery;
pub use lichess::LichessFeed;
pub use livechess::LiveChessFeed;
pub use nats::NatsFeed;
pub use proxy::Proxy;
pub use read::ConfigError;
pub(crate) use read::{parse_toml, unwritable};
pub(crate) use set_up::SPECTATORS;
pub use set_up::{NamedBoard, Places, SetUp};
pub use webhook::WebhookFeed;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;

use serde::{Deserialize, Deserializer, Serialize};

use crate::feed::pgn_files::PgnFiles;
use crate::feed::unseen::RecoveredAtFeeds;
use crate::journal::Retention;
use crate::link::Port;
use adoube_rules::GameKind;
use adoube_rules::laws::{Profile, ProfileError};
use adoube_rules::sensor::Side;

/// The commented default file, as `config init` prints it.
pub const DEFAULT_TOML: &str = include_str!("default.toml");

/// Everything that can be set.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// `[tournament]`: what holds for all boards.
    pub tournament: Tournament,
    /// `[[board]]`: the boards; none means every board that answers.
    #[serde(rename = "board")]
    pub boards: Vec<Board>,
    /// `[discovery]`: where boards are looked for.
    pub discovery: Discovery,
    /// `[web]`: the pages.
    pub web: Web,
    /// `[feeds.*]`: where games go.
    pub feeds: Feeds,
    /// `[journal]`: the durable store.
    pub journal: Journal,
}

/// `[tournament]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tournament {
    /// Event, as PGN headers carry it.
    pub name: Option<String>,
    /// Place.
    pub site: Option<String>,
    /// How rounds open.
    pub rounds: Rounds,
    /// When spectators learn who plays.
    pub publish_pairings: PublishPairings,
    /// Edition of the Laws and class of play: a name of [`Profile::names`].
    pub profile: String,
    /// What the event's regulations announce: `qpf`, `default-time 30`.
    pub regulations: Vec<String>,
    /// Time control in PGN notation.
    pub time_control: Option<String>,
    /// Seconds by which the public feed is behind.
    pub feed_delay_s: u32,
    /// Which moves the public sees.
    pub publish_at: PublishAt,
    /// How soon a move is announced.
    pub announce: Announce,
    /// What kings on the centre squares mean.
    pub board_results: BoardResults,
    /// Lamps help to set up the men before a game.
    pub setup_lamps: bool,
    /// What live files show of a game that is not one line of legal moves.
    pub live_pgn: LivePgn,
    /// Do operators enter results?
    pub operator_results: bool,
    /// Any other key is a parameter of the Laws or of adoube, as [`Profile::set`] takes it.
    #[serde(flatten)]
    pub laws: BTreeMap<String, toml::Value>,
}

impl Tournament {
    /// The Laws as they hold in this tournament.
    ///
    /// # Errors
    /// The key that is wrong, and what is wrong with it.
    pub fn laws(&self) -> Result<Profile, (String, ProfileError)> {
        let at = |key: &str| {
            let key = key.to_owned();
            move |error| (key, error)
        };
        let mut profile = Profile::named(&self.profile).map_err(at("profile"))?;
        for regulation in &self.regulations {
            profile.regulation(regulation).map_err(at("regulations"))?;
        }
        for (key, value) in settings(&self.laws) {
            profile.set(&key, &value).map_err(at(&key))?;
        }
        Ok(profile)
    }
}

/// Parameters of the Laws, as [`Profile::set`] takes them.
#[must_use]
pub fn settings(laws: &BTreeMap<String, toml::Value>) -> Vec<(String, String)> {
    let text = |value: &toml::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    laws.iter().map(|(key, value)| (key.clone(), text(value))).collect()
}

impl Default for Tournament {
    fn default() -> Self {
        Self {
            name: None,
            site: None,
            rounds: Rounds::Auto,
            publish_pairings: PublishPairings::default(),
            // The edition in force.
            profile: Profile::default().name.to_owned(),
            regulations: Vec::new(),
            time_control: None,
            feed_delay_s: 0,
            publish_at: PublishAt::default(),
            announce: Announce::default(),
            board_results: BoardResults::default(),
            // Before a game nobody is playing whom it could disturb, and a wrong array is best found then.
            setup_lamps: true,
            live_pgn: LivePgn::Both,
            operator_results: false,
            laws: BTreeMap::new(),
        }
    }
}

/// How rounds open (DESIGN 5.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rounds {
    /// When half of the boards show the start array again.
    Auto,
    /// By command.
    Manual,
}

/// When spectators learn who plays. What happens comes after the delay in any case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PublishPairings {
    /// As soon as the pairings are imported.
    AtImport,
    /// When the round is opened: who imports has time to look at them.
    #[default]
    AtOpening,
}

/// `[[board]]`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Board {
    /// Its name everywhere.
    pub id: String,
    /// Where it is.
    #[serde(default)]
    pub port: Port,
    /// Its own number.
    pub serial: Option<String>,
    /// Its protocol, if it must not be found out.
    pub protocol: Option<String>,
    /// Its address on a bus, if it is not its serial number.
    pub address: Option<u16>,
    /// The side of the clock's left end, if it is not the usual one: White's, as the board lies unturned.
    pub lever_map: Option<Side>,
    /// Does it lie turned by 180 degrees? `None`: it shows.
    pub turned: Option<bool>,
    /// The board beside it, whose clock a player may press by mistake.
    pub linked: Option<String>,
    /// The other board of the same game.
    pub pair: Option<String>,
    /// Seconds by which the public feed is behind at this board, if it is not the usual.
    pub feed_delay_s: Option<u32>,
    /// The game that it is for.
    pub variant: Option<GameKind>,
    /// FEN of the start, if it is not the variant's own.
    pub start: Option<String>,
    /// Any other key is a parameter of the Laws or of adoube that is different at this board.
    #[serde(flatten)]
    pub laws: BTreeMap<String, toml::Value>,
}

/// `[web]`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Web {
    /// Where the arbiter's desk listens.
    pub arbiter: SocketAddr,
    /// Where the spectators' pages listen; `None` for `"off"`.
    #[serde(deserialize_with = "address_or_off")]
    pub public: Option<SocketAddr>,
    /// Certificate and key of the desk.
    pub tls: Option<Tls>,
    /// Do the spectators' pages have them, too?
    pub public_tls: bool,
    /// Names by which the listeners are asked for, beside the machine's own and its addresses.
    pub names: Vec<String>,
    /// Proxies that are believed when they say from where somebody asks.
    pub proxies: Vec<Proxy>,
}

/// `[web.tls]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tls {
    /// PEM file of the certificate, and of those that it rests on.
    pub certificate: PathBuf,
    /// PEM file of its private key.
    pub key: PathBuf,
}

impl Default for Web {
    fn default() -> Self {
        // Loopback: quiet by default.
        let arbiter = SocketAddr::from(([127, 0, 0, 1], 8064));
        Self { arbiter, public: None, tls: None, public_tls: false, names: Vec::new(), proxies: Vec::new() }
    }
}

fn address_or_off<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SocketAddr>, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text == "off" {
        return Ok(None);
    }
    let wrong = |_| serde::de::Error::custom(format!("\"{text}\" is neither \"off\" nor ADDRESS:PORT"));
    text.parse().map(Some).map_err(wrong)
}

/// `[feeds.*]`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Feeds {
    /// PGN files; off when absent.
    pub pgn: Option<PgnFeed>,
    /// The `LiveChess` API; off when absent.
    pub livechess: Option<LiveChessFeed>,
    /// A broadcast on Lichess; off when absent.
    pub lichess: Option<LichessFeed>,
    /// NATS `JetStream`.
    pub nats: Option<NatsFeed>,
    /// HTTP calls; none when absent.
    pub webhook: Option<WebhookFeed>,
}

/// `[feeds.pgn]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PgnFeed {
    /// Folder for the files.
    pub path: PathBuf,
    /// Has each game a file of its own, too?
    #[serde(default = "yes")]
    pub per_game: bool,
    /// When plies are in them that nobody saw.
    #[serde(default)]
    pub recovered_at_feeds: RecoveredAtFeeds,
    /// Which moves are in them.
    #[serde(default)]
    pub publish_at: sheets::PublishAt,
}

fn yes() -> bool {
    true
}

impl PgnFeed {
    /// The files to be written.
    #[must_use]
    pub fn files(&self) -> PgnFiles {
        PgnFiles {
            folder: self.path.clone(),
            per_game: self.per_game,
            recovered: self.recovered_at_feeds,
            publish_at: self.publish_at,
        }
    }
}

/// `[journal]`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Journal {
    /// Folder of the journal; see [`Config::state_directory`].
    pub path: Option<PathBuf>,
    /// What becomes of closed files.
    pub retention: Retention,
}
