//! What no single value of a configuration shows.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;

use serde::Serialize;

use super::{Board, Config, LichessFeed, Tournament, settings};
use crate::link::Port;
use adoube_core::station::OpenError;
use adoube_core::wire::{protocol, protocol_names};
use adoube_rules::GameKind;
use adoube_rules::clock::{ParseTimeControlError, TimeControl};
use adoube_rules::laws::{FOUR_PLAYER, ProfileError};
use adoube_rules::spelling::nearest;

/// Something wrong with the `nth` appearance of `key`, from 0.
pub(super) struct Fault {
    pub(super) key: String,
    pub(super) nth: usize,
    pub(super) what: String,
}

impl Config {
    /// What is wrong, first of all.
    pub(super) fn check(&self) -> Result<(), Fault> {
        let laws = self.tournament.laws().map_err(|(key, error)| {
            let what = unknown_key::<Tournament>(&key, &error, "[tournament]");
            Fault { key, nth: 0, what }
        })?;
        if let Some(Err(error)) = self.tournament.time_control.as_deref().map(time_control) {
            return Err(Fault { key: "time_control".to_owned(), nth: 0, what: error.to_string() });
        }
        let mut ids = BTreeSet::new();
        for (nth, board) in self.boards.iter().enumerate() {
            if board.id.is_empty() || !ids.insert(&board.id) {
                let what = format!("each board needs an id of its own, not \"{}\"", board.id);
                return Err(Fault { key: "id".to_owned(), nth, what });
            }
            if let Err(error) = check_name(&board.id) {
                return Err(Fault { key: "id".to_owned(), nth, what: error.to_string() });
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
        self.check_autos()?;
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

    /// Boards that are found by nothing but that they answer can be told apart.
    fn check_autos(&self) -> Result<(), Fault> {
        let mut before: Vec<&Board> = Vec::new();
        let is_found = |board: &Board| board.port == Port::Auto && board.serial.is_none();
        for (nth, board) in self.boards.iter().enumerate().filter(|(_, board)| is_found(board)) {
            let speaks = |other: &&&Board| {
                let protocols = board.protocol.as_ref().zip(other.protocol.as_ref());
                protocols.is_none_or(|(one, two)| one == two)
            };
            if let Some(other) = before.iter().find(speaks) {
                let what = format!(
                    "board \"{}\": it and board \"{}\" are \"auto\" without a serial, and nobody could tell which \
                     of them answers; \"adoube boards\" shows their numbers",
                    board.id, other.id
                );
                return Err(Fault { key: "id".to_owned(), nth, what });
            }
            before.push(board);
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
        let livechess = self.feeds.livechess.as_ref().map(|feed| ("[feeds.livechess]", feed.address));
        let listeners = [Some(("arbiter", web.arbiter)), web.public.map(|at| ("public", at)), livechess];
        let mut before: Vec<(&str, SocketAddr)> = Vec::new();
        for (key, at) in listeners.into_iter().flatten() {
            if let Some((other, there)) = before.iter().find(|(_, there)| is_same(at, *there)) {
                return fault(key, format!("{at}: {other} = \"{there}\" listens there already"));
            }
            before.push((key, at));
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

/// Not a name of a board.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" cannot be the name of a board: 1 to {NAME_MAX} letters, digits and signs, without \"/\"")]
pub struct NameError(String);

/// The longest name of a board: it stands on pages, in files' names and in every event.
const NAME_MAX: usize = 32;

/// May a board be called so?
///
/// # Errors
/// [`NameError`] if not.
pub fn check_name(name: &str) -> Result<(), NameError> {
    let is_short = (1..=NAME_MAX).contains(&name.chars().count());
    let is_plain = name.trim() == name && !name.chars().any(|letter| letter.is_control() || letter == '/');
    if is_short && is_plain { Ok(()) } else { Err(NameError(name.to_owned())) }
}

/// Neither clock nor a time that is known is a time control as well.
fn time_control(text: &str) -> Result<(), ParseTimeControlError> {
    if ["-", "?"].contains(&text) { Ok(()) } else { text.parse::<TimeControl>().map(|_| ()) }
}

/// Could only one of them listen?
fn is_same(one: SocketAddr, two: SocketAddr) -> bool {
    let is_any = one.ip().is_unspecified() || two.ip().is_unspecified();
    one.port() == two.port()
        && one.port() != 0
        && (is_any || one.ip().to_canonical() == two.ip().to_canonical())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_plain() {
        for name in ["1", "12", "Saal 2, Brett 7", "Tisch-Ä", &"x".repeat(32)] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        for name in ["", " 1", "1 ", "a/b", "a\nb", &"x".repeat(33)] {
            assert!(check_name(name).is_err(), "{name:?}");
        }
    }
}
