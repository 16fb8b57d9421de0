//! Finds, reads and checks a configuration, and says what is wrong with it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Board, Config, LichessFeed, Tournament, Web, settings};
use crate::link::Port;
use adoube_core::station::OpenError;
use adoube_core::wire::{protocol, protocol_names};
use adoube_rules::GameKind;
use adoube_rules::laws::{FOUR_PLAYER, ProfileError};
use adoube_rules::spelling::nearest;

/// Where the service's state directory is: systemd's place for `StateDirectory=adoube`.
const SERVICE: &str = "/var/lib/adoube";

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
        let Some((path, text)) = text(given)? else { return Ok((Self::default(), None)) };
        Ok((Self::parse(&path.display().to_string(), &text)?, Some(path)))
    }

    /// Reads `[web]` as [`Config::load`] does, but asks for no certificate: for who is about to make one.
    ///
    /// # Errors
    /// [`ConfigError`] if the file cannot be read or is no configuration.
    pub fn load_web(given: Option<&Path>) -> Result<Web, ConfigError> {
        let Some((path, text)) = text(given)? else { return Ok(Web::default()) };
        Ok(Self::unchecked(&path.display().to_string(), &text)?.web)
    }

    /// Reads `text`; `file` is its name in errors.
    ///
    /// # Errors
    /// [`ConfigError::Wrong`] with the first thing that is wrong.
    pub fn parse(file: &str, text: &str) -> Result<Self, ConfigError> {
        let mut config = Self::unchecked(file, text)?;
        config.check().map_err(|Fault { key, nth, what }| {
            let line = line_of(text, &key, nth);
            ConfigError::Wrong { file: file.to_owned(), line, what }
        })?;
        config.boards.iter_mut().for_each(Board::onto_its_line);
        Ok(config)
    }

    fn unchecked(file: &str, text: &str) -> Result<Self, ConfigError> {
        parse_toml(file, text)
    }

    /// What is wrong with it that no single value shows; `None` if nothing is.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        self.check().err().map(|fault| fault.what)
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
        config.check().map_err(|fault| wrong(fault.what))?;
        *self = config;
        Ok(())
    }

    /// Where the journal lies: `[journal] path`, else `$STATE_DIRECTORY`, else
    /// `$XDG_STATE_HOME/adoube`; when that is not set, the service's folder for those who may enter it
    /// (root, who wants to see what the service has), else `~/.local/state/adoube`.
    ///
    /// # Errors
    /// [`ConfigError::NoState`] if nothing of that is known.
    pub fn state_directory(&self) -> Result<PathBuf, ConfigError> {
        self.state_directory_in(Path::new(SERVICE), |name| std::env::var_os(name)).ok_or(ConfigError::NoState)
    }

    fn state_directory_in(
        &self,
        service: &Path,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Option<PathBuf> {
        let ours = || std::fs::read_dir(service).is_ok().then(|| service.to_owned());
        let home = || Some(PathBuf::from(variable("HOME")?).join(".local/state/adoube"));
        self.journal
            .path
            .clone()
            .or_else(|| first_folder(variable("STATE_DIRECTORY")?))
            .or_else(|| Some(PathBuf::from(variable("XDG_STATE_HOME")?).join("adoube")))
            .or_else(ours)
            .or_else(home)
    }

    /// What no single value shows.
    fn check(&self) -> Result<(), Fault> {
        let laws = self.tournament.laws().map_err(|(key, error)| {
            let what = unknown_key::<Tournament>(&key, &error, "[tournament]");
            Fault { key, nth: 0, what }
        })?;
        let mut ids = BTreeSet::new();
        for (nth, board) in self.boards.iter().enumerate() {
            if board.id.is_empty() || !ids.insert(&board.id) {
                let what = format!("each board needs an id of its own, not \"{}\"", board.id);
                return Err(Fault { key: "id".to_owned(), nth, what });
            }
            let mut own = laws.clone();
            for (key, value) in settings(&board.laws) {
                own.set(&key, &value).map_err(|error| {
                    let what = unknown_key::<Board>(&key, &error, "[[board]]");
                    // The same key may stand in other places before; the first one is near enough.
                    Fault { key, nth: 0, what }
                })?;
            }
        }
        self.check_protocols()?;
        self.check_games()?;
        if let Some((nth, what)) = super::bus::fault(&self.boards) {
            return Err(Fault { key: "id".to_owned(), nth, what });
        }
        self.check_places()?;
        self.check_neighbours()?;
        self.check_web()?;
        if let Some(what) = self.feeds.livechess.as_ref().and_then(|feed| feed.unknown_first(&self.boards)) {
            return Err(Fault { key: "first".to_owned(), nth: 0, what });
        }
        if let Some(what) = self.feeds.lichess.as_ref().and_then(LichessFeed::fault) {
            return Err(Fault { key: "[feeds.lichess".to_owned(), nth: 0, what: what.to_owned() });
        }
        Ok(())
    }

    /// A board's number is its own, and ports to be asked are ports.
    fn check_places(&self) -> Result<(), Fault> {
        let mut serials = BTreeSet::new();
        let numbered = self.boards.iter().filter_map(|board| board.serial.as_ref());
        for (nth, serial) in numbered.enumerate() {
            if !serials.insert(serial) {
                let what = format!("serial = \"{serial}\": another board has that number already");
                return Err(Fault { key: "serial".to_owned(), nth, what });
            }
        }
        let autos = self.boards.iter().any(|board| board.port == Port::Auto);
        if autos && !self.discovery.enabled {
            let what = "enabled = false: a board whose port is \"auto\" is never found so".to_owned();
            return Err(Fault { key: "enabled".to_owned(), nth: 0, what });
        }
        if self.discovery.has_nowhere() {
            let what =
                "[discovery] ports: \"auto\" names no port; write serial:PATH or tcp://HOST:PORT".to_owned();
            return Err(Fault { key: "ports".to_owned(), nth: 0, what });
        }
        Ok(())
    }

    /// Every protocol is one that is spoken.
    fn check_protocols(&self) -> Result<(), Fault> {
        let named = self.boards.iter().filter_map(|board| board.protocol.as_ref());
        for (nth, name) in named.enumerate() {
            if protocol(name).is_none() {
                let what =
                    format!("protocol \"{name}\" is not known; this version speaks {}", protocol_names());
                return Err(Fault { key: "protocol".to_owned(), nth, what });
            }
        }
        Ok(())
    }

    /// Every board plays a game that it has the squares for, with the parameters of that game.
    fn check_games(&self) -> Result<(), Fault> {
        for board in &self.boards {
            if let Err(error) = self.open_board(board).check() {
                let key = match &error {
                    OpenError::Start { .. } => "start",
                    OpenError::OtherGame { key, .. } => *key,
                    OpenError::WingDepth(_) => "wing_depth",
                    _ => "variant",
                };
                let of_key = |board: &&Board| match key {
                    "variant" => board.variant.is_some(),
                    "start" => board.start.is_some(),
                    key => board.laws.contains_key(key),
                };
                let nth = self.boards.iter().take_while(|known| known.id != board.id).filter(of_key).count();
                return Err(Fault { key: key.to_owned(), nth, what: error.to_string() });
            }
        }
        let set = self.tournament.laws.keys().find(|key| FOUR_PLAYER.contains(&key.as_str()));
        let is_played = |board: &Board| board.variant == Some(GameKind::FourPlayer);
        match set.filter(|_| !self.boards.iter().any(is_played)) {
            Some(key) => {
                let what = format!(
                    "{key} belongs to the four-player game, and no board has variant = \"four-player\""
                );
                Err(Fault { key: key.clone(), nth: 0, what })
            }
            None => Ok(()),
        }
    }

    /// Whoever listens in must not learn what the arbiter sees, nor his session.
    fn check_web(&self) -> Result<(), Fault> {
        let fault = |key: &str, what: String| Err(Fault { key: key.to_owned(), nth: 0, what });
        let Self { web, .. } = self;
        if web.tls.is_none() && !web.arbiter.ip().to_canonical().is_loopback() {
            let what = format!(
                "arbiter = \"{}\": outside loopback the desk needs [web.tls] with certificate and key; \"adoube \
                 cert\" makes both",
                web.arbiter
            );
            return fault("arbiter", what);
        }
        if web.tls.is_none() && web.public_tls {
            return fault("public_tls", "public_tls needs [web.tls] with certificate and key".to_owned());
        }
        Ok(())
    }

    /// Boards that have to do with each other are boards of this hall, and a game has two at most.
    fn check_neighbours(&self) -> Result<(), Fault> {
        let mut paired = BTreeMap::new();
        let (mut linked, mut pairs) = (0, 0);
        for board in &self.boards {
            if let Some(other) = &board.linked {
                self.check_other(board, other, "linked", linked)?;
                linked += 1;
            }
            let Some(other) = &board.pair else { continue };
            self.check_other(board, other, "pair", pairs)?;
            for (one, two) in [(&board.id, other), (other, &board.id)] {
                if let Some(first) = paired.insert(one, two).filter(|first| *first != two) {
                    let what = format!(
                        "board \"{one}\" is paired with \"{first}\" and with \"{two}\"; a game has two boards"
                    );
                    return Err(Fault { key: "pair".to_owned(), nth: pairs, what });
                }
            }
            pairs += 1;
        }
        Ok(())
    }

    fn check_other(&self, board: &Board, other: &str, key: &str, nth: usize) -> Result<(), Fault> {
        let fault = |what| Err(Fault { key: key.to_owned(), nth, what });
        if other == board.id {
            return fault(format!("{key} = \"{other}\": that is this board itself"));
        }
        let ids = || self.boards.iter().map(|board| board.id.as_str()).filter(|id| *id != board.id);
        if ids().any(|id| id == other) {
            return Ok(());
        }
        match ids().next() {
            Some(_) => {
                let nearest = nearest(other, ids());
                fault(format!("{key} = \"{other}\": no board has that id; did you mean \"{nearest}\"?"))
            }
            None => fault(format!("{key} = \"{other}\": there is no other board")),
        }
    }
}

/// Reads `text`; `file` is its name in errors.
///
/// # Errors
/// [`ConfigError::Wrong`] with the first thing that is wrong.
pub(crate) fn parse_toml<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, ConfigError> {
    toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let what = explained(error.message(), section_at(text, at));
        ConfigError::Wrong { file: file.to_owned(), line: line_at(text, at), what }
    })
}

/// Something wrong with the `nth` appearance of `key`, from 0.
struct Fault {
    key: String,
    nth: usize,
    what: String,
}

/// What is wrong with a key that the Laws were asked for: most likely it was meant for the section.
fn unknown_key<Section: Default + Serialize>(key: &str, error: &ProfileError, section: &str) -> String {
    match error {
        ProfileError::UnknownParameter { nearest: of_laws, .. } => {
            // Keys of the section that are no parameters of the Laws: JSON writes those that are not set, too.
            let known = serde_json::to_value(Section::default()).unwrap_or_default();
            let known = known.as_object().into_iter().flat_map(serde_json::Map::keys);
            let nearest = nearest(key, known.map(String::as_str).chain([of_laws.as_str()]));
            format!("unknown key \"{key}\" in {section}; did you mean \"{nearest}\"?")
        }
        error => error.to_string(),
    }
}

/// The configuration file to read, and what is in it.
fn text(given: Option<&Path>) -> Result<Option<(PathBuf, String)>, ConfigError> {
    let Some(path) = find(given, |name| std::env::var_os(name)) else { return Ok(None) };
    let text = std::fs::read_to_string(&path).map_err(|error| ConfigError::Unreadable {
        file: path.display().to_string(),
        reason: error.to_string(),
    })?;
    Ok(Some((path, text)))
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

/// What the TOML reader says, in the words of the file. It puts names between backticks: first the
/// one that it found, then those that it knows.
fn explained(message: &str, section: Option<&str>) -> String {
    let mut names = message.split('`').skip(1).step_by(2);
    let first = names.next().unwrap_or_default();
    if message.starts_with("unknown field") {
        let place = section.map_or_else(String::new, |section| format!(" in {section}"));
        format!("unknown key \"{first}\"{place}; did you mean \"{}\"?", nearest(first, names))
    } else if message.starts_with("unknown variant") {
        let known: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
        format!("unknown value \"{first}\"; use one of {}", known.join(", "))
    } else if message.starts_with("missing field") {
        format!("the key \"{first}\" is missing")
    } else {
        message.lines().next().unwrap_or_default().to_owned()
    }
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

/// The line that is the `nth` to begin with `key`, from 1; the first line if there is none.
fn line_of(text: &str, key: &str, nth: usize) -> usize {
    let lines = text.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with(key));
    lines.map(|(at, _)| at + 1).nth(nth).unwrap_or(1)
}

#[cfg(test)]
mod tests;
