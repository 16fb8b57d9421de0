//! The configuration: what can be set, where it is looked for, and what is wrong with it.
//!
//! Unknown keys are errors that name the nearest known one. Keys that exist but have no effect yet
//! are refused with "not supported yet": nobody shall rely on a delay that is not there. The
//! commented defaults are [`DEFAULT_TOML`].

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize};

use crate::ruling::nearest;

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
    /// `[web]`: the pages.
    pub web: Web,
    /// `[feeds.*]`: where games go.
    pub feeds: Feeds,
    /// `[journal]`: the durable store.
    pub journal: Journal,
}

/// `[tournament]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tournament {
    /// Event, as PGN headers carry it.
    pub name: Option<String>,
    /// Place.
    pub site: Option<String>,
    /// How rounds open.
    pub rounds: Rounds,
    /// Edition of the Laws and class of play, one of [`PROFILES`].
    pub profile: String,
    /// Time control in PGN notation.
    pub time_control: Option<String>,
    /// Seconds by which the public feed is behind.
    pub feed_delay_s: u32,
    /// Which moves the public sees.
    pub publish_at: PublishAt,
    /// How soon a move is announced.
    pub announce: Announce,
    /// Moves by each side before which a draw must not be agreed.
    pub draw_min_moves: u32,
    /// What kings on the centre squares mean.
    pub board_results: BoardResults,
}

/// The profiles of the edition whose articles the registry gives. Others are known by name only:
/// they would cite the wrong articles.
pub const PROFILES: [&str; 5] = [
    "fide-2023-standard",
    "fide-2023-rapid",
    "fide-2023-rapid-reduced",
    "fide-2023-blitz",
    "fide-2023-blitz-reduced",
];

/// Beginnings of the names of profiles of other editions.
const OTHER_EDITIONS: [&str; 4] = ["fide-2005-", "fide-2017-", "fide-2018-", "fi-2017-"];

impl Default for Tournament {
    fn default() -> Self {
        Self {
            name: None,
            site: None,
            rounds: Rounds::Auto,
            // The edition in force.
            profile: PROFILES[0].to_owned(),
            time_control: None,
            feed_delay_s: 0,
            publish_at: PublishAt::Made,
            announce: Announce::Balanced,
            draw_min_moves: 0,
            board_results: BoardResults::Publish,
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

/// Which moves the public sees (DESIGN 2.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PublishAt {
    /// Announced ones.
    Made,
    /// Completed ones only.
    Completed,
}

/// How soon a move is announced (DESIGN 2.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Announce {
    /// At the first scan that shows it.
    Fast,
    /// When one explanation is clear.
    Balanced,
    /// When hardly anything could change it.
    Careful,
}

/// What kings on the centre squares mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BoardResults {
    /// The result.
    Publish,
    /// A proposal to the arbiter.
    Propose,
}

/// `[[board]]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
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
    /// Whose lever is which, if the clock lies turned.
    pub lever_map: Option<String>,
    /// Does it lie turned by 180 degrees? `None`: it shows.
    pub turned: Option<bool>,
    /// The board beside it, whose clock a player may press by mistake.
    pub linked: Option<String>,
    /// The other board of the same game.
    pub pair: Option<String>,
    /// `chess`, `chess960`, `four-player`.
    pub variant: Option<String>,
    /// FEN of the start, if it is not the variant's own.
    pub start: Option<String>,
}

/// Where a board is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(try_from = "String")]
pub enum Port {
    /// Wherever a board with that serial number answers.
    #[default]
    Auto,
    /// A serial device.
    Serial(PathBuf),
    /// A board, or a box with boards, in the network.
    Tcp {
        /// Name or address.
        host: String,
        /// Port.
        port: u16,
    },
}

impl TryFrom<String> for Port {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl std::str::FromStr for Port {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("port \"{text}\" is none of \"serial:PATH\", \"tcp://HOST:PORT\", \"auto\"");
        if text == "auto" {
            return Ok(Self::Auto);
        }
        if let Some(path) = text.strip_prefix("serial:").filter(|path| !path.is_empty()) {
            return Ok(Self::Serial(path.into()));
        }
        let (host, port) = text.strip_prefix("tcp://").and_then(|rest| rest.rsplit_once(':')).ok_or_else(wrong)?;
        let port = port.parse().map_err(|_| wrong())?;
        // An IPv6 address stands in brackets.
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        if host.is_empty() { Err(wrong()) } else { Ok(Self::Tcp { host: host.to_owned(), port }) }
    }
}

impl std::fmt::Display for Port {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Auto => write!(f, "auto"),
            Self::Serial(path) => write!(f, "serial:{}", path.display()),
            Self::Tcp { host, port } if host.contains(':') => write!(f, "tcp://[{host}]:{port}"),
            Self::Tcp { host, port } => write!(f, "tcp://{host}:{port}"),
        }
    }
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
    /// Certificates.
    pub tls: Option<toml::Value>,
}

impl Default for Web {
    fn default() -> Self {
        // Loopback: quiet by default.
        Self { arbiter: SocketAddr::from(([127, 0, 0, 1], 8064)), public: None, tls: None }
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
    /// The `LiveChess` API.
    pub livechess: Option<toml::Value>,
    /// Lichess broadcasts.
    pub lichess: Option<toml::Value>,
    /// NATS `JetStream`.
    pub nats: Option<toml::Value>,
    /// HTTP calls.
    pub webhook: Option<toml::Value>,
}

/// `[feeds.pgn]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PgnFeed {
    /// Folder for the files.
    pub path: PathBuf,
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

/// What becomes of closed journal files.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(from = "String")]
pub enum Retention {
    /// They stay until somebody takes them away.
    #[default]
    Keep,
    /// Something else.
    Other(String),
}

impl From<String> for Retention {
    fn from(text: String) -> Self {
        if text == "keep" { Self::Keep } else { Self::Other(text) }
    }
}

/// What is wrong with a configuration, in one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{file}: {reason}")]
    Unreadable {
        /// Its name.
        file: String,
        /// Why.
        reason: String,
    },
    /// Something in it is wrong.
    #[error("{file}:{line}: {what}")]
    Wrong {
        /// Its name.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// `--set` is wrong.
    #[error("--set {key}={value}: {what}")]
    Set {
        /// The key.
        key: String,
        /// The value.
        value: String,
        /// What is wrong.
        what: String,
    },
    /// There is no place for the journal.
    #[error("no place for the journal: set [journal] path, $STATE_DIRECTORY, $XDG_STATE_HOME or $HOME")]
    NoState,
}

impl Config {
    /// Reads the configuration: the file given, else `$CONFIGURATION_DIRECTORY/adoube.toml`, else
    /// `/etc/adoube/adoube.toml`, else the defaults. Also gives the file that was read.
    ///
    /// # Errors
    /// [`ConfigError`] if the file cannot be read or is wrong.
    pub fn load(given: Option<&Path>) -> Result<(Self, Option<PathBuf>), ConfigError> {
        let Some(path) = find(given, |name| std::env::var_os(name)) else { return Ok((Self::default(), None)) };
        let file = path.display().to_string();
        let text = std::fs::read_to_string(&path)
            .map_err(|error| ConfigError::Unreadable { file: file.clone(), reason: error.to_string() })?;
        Ok((Self::parse(&file, &text)?, Some(path)))
    }

    /// Reads `text`; `file` is its name in errors.
    ///
    /// # Errors
    /// [`ConfigError::Wrong`] with the first thing that is wrong.
    pub fn parse(file: &str, text: &str) -> Result<Self, ConfigError> {
        let wrong = |line, what| ConfigError::Wrong { file: file.to_owned(), line, what };
        let config: Self = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            wrong(line_at(text, at), explained(error.message(), section_at(text, at)))
        })?;
        config.check().map_err(|(key, what)| wrong(line_of(text, key), what))?;
        Ok(config)
    }

    /// Sets a key of `[tournament]`, as `--set KEY=VALUE` does. The value is TOML, or a plain text.
    ///
    /// # Errors
    /// [`ConfigError::Set`] if there is no such key, or it cannot have that value.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), ConfigError> {
        let wrong = |what| ConfigError::Set { key: key.to_owned(), value: value.to_owned(), what };
        let with = |value: toml::Value| -> Result<Tournament, String> {
            let mut table = toml::Table::try_from(&self.tournament).map_err(|error| error.to_string())?;
            table.insert(key.to_owned(), value);
            table.try_into().map_err(|error: toml::de::Error| explained(error.message(), None))
        };
        let text = toml::Value::String(value.to_owned());
        let tournament = match toml::from_str::<toml::Table>(&format!("value = {value}")) {
            // A name may look like a number.
            Ok(mut table) => {
                let parsed = table.remove("value").unwrap_or_else(|| text.clone());
                with(parsed).or_else(|error| with(text).map_err(|_| error))
            }
            Err(_) => with(text),
        };
        let mut config = self.clone();
        config.tournament = tournament.map_err(wrong)?;
        config.check().map_err(|(_, what)| wrong(what))?;
        *self = config;
        Ok(())
    }

    /// Where the journal lies: `[journal] path`, else `$STATE_DIRECTORY`, else
    /// `$XDG_STATE_HOME/adoube`, which is `~/.local/state/adoube` when it is not set.
    ///
    /// # Errors
    /// [`ConfigError::NoState`] if nothing of that is known.
    pub fn state_directory(&self) -> Result<PathBuf, ConfigError> {
        self.state_directory_in(|name| std::env::var_os(name)).ok_or(ConfigError::NoState)
    }

    fn state_directory_in(&self, variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
        let home = || Some(PathBuf::from(variable("HOME")?).join(".local/state"));
        self.journal
            .path
            .clone()
            .or_else(|| first_folder(variable("STATE_DIRECTORY")?))
            .or_else(|| Some(variable("XDG_STATE_HOME").map(PathBuf::from).or_else(home)?.join("adoube")))
    }

    /// What no single value shows: the key, and what is wrong with it.
    fn check(&self) -> Result<(), (&'static str, String)> {
        check_profile(&self.tournament.profile)?;
        let mut ids = BTreeSet::new();
        for board in &self.boards {
            if board.id.is_empty() || !ids.insert(&board.id) {
                return Err(("id", format!("each board needs an id of its own, not \"{}\"", board.id)));
            }
        }
        match self.unsupported() {
            Some((key, written)) => Err((key, format!("{written} is not supported yet"))),
            None => Ok(()),
        }
    }

    /// The first key that is set and would have no effect. Who gives it one strikes it here.
    fn unsupported(&self) -> Option<(&'static str, &'static str)> {
        let Self { tournament, boards, web, feeds, journal } = self;
        let any = |has: fn(&Board) -> bool| boards.iter().any(has);
        let keys = [
            (tournament.rounds == Rounds::Manual, "rounds", "rounds = \"manual\""),
            (tournament.feed_delay_s > 0, "feed_delay_s", "feed_delay_s"),
            (tournament.publish_at == PublishAt::Completed, "publish_at", "publish_at = \"completed\""),
            (tournament.draw_min_moves > 0, "draw_min_moves", "draw_min_moves"),
            (any(|board| board.lever_map.is_some()), "lever_map", "lever_map"),
            (any(|board| board.linked.is_some()), "linked", "linked"),
            (any(|board| board.pair.is_some()), "pair", "pair"),
            (web.tls.is_some(), "tls", "[web] tls"),
            (feeds.livechess.is_some(), "[feeds.livechess", "[feeds.livechess]"),
            (feeds.lichess.is_some(), "[feeds.lichess", "[feeds.lichess]"),
            (feeds.nats.is_some(), "[feeds.nats", "[feeds.nats]"),
            (feeds.webhook.is_some(), "[feeds.webhook", "[feeds.webhook]"),
            (journal.retention != Retention::Keep, "retention", "retention other than \"keep\""),
        ];
        keys.into_iter().find(|(is_set, ..)| *is_set).map(|(_, key, written)| (key, written))
    }
}

fn check_profile(profile: &str) -> Result<(), (&'static str, String)> {
    if PROFILES.contains(&profile) {
        return Ok(());
    }
    if OTHER_EDITIONS.iter().any(|edition| profile.starts_with(edition)) {
        return Err(("profile", format!("profile \"{profile}\" is not supported yet")));
    }
    let nearest = nearest(profile, PROFILES.into_iter());
    Err(("profile", format!("no profile is called \"{profile}\"; did you mean \"{nearest}\"?")))
}

/// The configuration file to read.
fn find(given: Option<&Path>, variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    if let Some(given) = given {
        return Some(given.to_owned());
    }
    let service = variable("CONFIGURATION_DIRECTORY").and_then(first_folder);
    let folders = service.into_iter().chain([PathBuf::from("/etc/adoube")]);
    folders.map(|folder| folder.join("adoube.toml")).find(|path| path.exists())
}

/// The first of the folders that systemd gives, with colons between them.
fn first_folder(value: OsString) -> Option<PathBuf> {
    std::env::split_paths(&value).next().filter(|path| !path.as_os_str().is_empty())
}

/// What the TOML reader says, with the nearest known name where it found an unknown one.
fn explained(message: &str, section: Option<&str>) -> String {
    let mut names = message.split('`').skip(1).step_by(2);
    let (is_field, is_variant) = (message.starts_with("unknown field"), message.starts_with("unknown variant"));
    let Some(given) = names.next().filter(|_| is_field || is_variant) else {
        return message.lines().next().unwrap_or_default().to_owned();
    };
    let nearest = nearest(given, names);
    let hint = if nearest.is_empty() { String::new() } else { format!("; did you mean \"{nearest}\"?") };
    let place = section.filter(|_| is_field).map_or_else(String::new, |section| format!(" in {section}"));
    format!("unknown {} \"{given}\"{place}{hint}", if is_field { "key" } else { "value" })
}

/// The line of the byte `at`, from 1.
fn line_at(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|&byte| byte == b'\n').count() + 1
}

/// The section in which the byte `at` lies.
fn section_at(text: &str, at: usize) -> Option<&str> {
    let before = text.lines().take(line_at(text, at) - 1);
    before.map(str::trim).filter(|line| line.starts_with('[')).last()
}

/// The first line that begins with `key`.
fn line_of(text: &str, key: &str) -> usize {
    text.lines().position(|line| line.trim_start().starts_with(key)).map_or(1, |line| line + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commented_file_is_the_default() {
        assert_eq!(Config::parse("default.toml", DEFAULT_TOML).unwrap(), Config::default());
    }

    #[test]
    fn the_commented_examples_are_right() {
        let text: String = DEFAULT_TOML
            .lines()
            .map(|line| match line.strip_prefix('#') {
                Some(example) if !example.starts_with(' ') => format!("{example}\n"),
                _ => format!("{line}\n"),
            })
            .collect();
        let config = Config::parse("examples", &text).unwrap();
        assert_eq!(config.tournament.name.as_deref(), Some("Spring Open"));
        assert_eq!(config.boards[0].protocol.as_deref(), Some("dgt"));
        assert_eq!(config.feeds.pgn.unwrap().path, Path::new("/var/lib/adoube/pgn"));
    }

    #[test]
    fn errors_name_the_key_the_line_and_the_nearest() {
        let error = |text: &str| Config::parse("adoube.toml", text).unwrap_err().to_string();
        let texts = [
            "[tournament]\nname = \"X\"\nanounce = \"fast\"\n",
            "[tournament]\nannounce = \"quick\"\n",
            "[turnament]\n",
            "[tournament]\nfeed_delay_s = 900\n",
            "[tournament]\nfeed_delay_s = \"soon\"\n",
            "[tournament]\nprofile = \"fide-2018-blitz\"\n",
            "[tournament]\nprofile = \"fide-2023-rapdi\"\n",
            "[[board]]\nid = \"1\"\nport = \"/dev/ttyUSB0\"\n",
            "[[board]]\nport = \"auto\"\n",
            "[[board]]\nid = \"1\"\n[[board]]\nid = \"1\"\n",
            "[web]\npublic = \"everywhere\"\n",
            "[web]\ntls = true\n",
            "[feeds.nats]\nurl = \"x\"\n",
            "[journal]\nretention = \"30d\"\n",
            "[tournament\n",
        ];
        let errors: Vec<String> = texts.into_iter().map(error).collect();
        insta::assert_snapshot!(errors.join("\n"), @"");
    }

    #[test]
    fn ports_read_and_write() {
        for text in ["auto", "serial:/dev/ttyACM0", "tcp://board.local:4001", "tcp://[::1]:4001"] {
            assert_eq!(text.parse::<Port>().unwrap().to_string(), text);
        }
        assert_eq!("tcp://[::1]:7".parse(), Ok(Port::Tcp { host: "::1".into(), port: 7 }));
        for text in ["", "serial:", "tcp://host", "tcp://:1", "tcp://host:99999", "usb:1"] {
            assert!(text.parse::<Port>().is_err(), "{text}");
        }
    }

    #[test]
    fn set_changes_a_tournament_key_or_nothing() {
        let mut config = Config::default();
        config.set("announce", "fast").unwrap();
        config.set("name", "2026").unwrap();
        config.set("board_results", "\"propose\"").unwrap();
        assert_eq!(config.tournament.announce, Announce::Fast);
        assert_eq!(config.tournament.name.as_deref(), Some("2026"));
        assert_eq!(config.tournament.board_results, BoardResults::Propose);
        let before = config.clone();
        let errors = [("anounce", "fast"), ("announce", "slow"), ("feed_delay_s", "60"), ("feed_delay_s", "x")]
            .map(|(key, value)| config.set(key, value).unwrap_err().to_string());
        insta::assert_snapshot!(errors.join("\n"), @"");
        assert_eq!(config, before);
    }

    #[test]
    fn files_and_folders_are_looked_for_in_order() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("adoube.toml");
        std::fs::write(&file, "").unwrap();
        let folder = |name: &str| (name == "CONFIGURATION_DIRECTORY").then(|| dir.path().as_os_str().to_owned());
        assert_eq!(find(Some(Path::new("x.toml")), folder), Some("x.toml".into()));
        assert_eq!(find(None, folder), Some(file));

        let mut config = Config::default();
        let all = |name: &str| match name {
            "STATE_DIRECTORY" => Some("/var/lib/adoube:/other".into()),
            "HOME" => Some("/home/x".into()),
            _ => None,
        };
        let home = |name: &str| all(name).filter(|_| name == "HOME");
        assert_eq!(config.state_directory_in(all), Some("/var/lib/adoube".into()));
        assert_eq!(config.state_directory_in(home), Some("/home/x/.local/state/adoube".into()));
        assert_eq!(config.state_directory_in(|_| None), None);
        config.journal.path = Some("/j".into());
        assert_eq!(config.state_directory_in(all), Some("/j".into()));
    }
}
