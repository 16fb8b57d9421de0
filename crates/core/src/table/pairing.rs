//! Who plays here: a pairing opens its game, corrects it, and may go again (DESIGN 5.7).
//!
//! A game of a pairing is open from the moment at which it is assigned, whatever stands on the board then: it
//! *waits* until the start array stands, and only from there on the board is followed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::scene::Scene;
use super::{Game, Mode, Table, setting_up};
use crate::event::TeamMatch;
use crate::event::{Body, Event, GameInfo, GameName, Player};
use crate::ruling::{Outcome, inapplicable};
use adoube_rules::{Family, GameResult, Position as _, Variant};

/// A game that was paired to the board.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pairing {
    /// Round.
    pub round: u32,
    /// Number in the round.
    pub number: u32,
    /// White.
    pub white: Player,
    /// Black.
    pub black: Player,
    /// Red and Blue, in a four-player game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub red_blue: Option<Box<[Player; 2]>>,
    /// Its place in a match of two teams.
    #[serde(default)]
    pub team_match: Option<TeamMatch>,
    /// How many games of it were begun before, on any board: `5-12` is the first, `5-12-2` the second.
    #[serde(default)]
    pub games: u32,
    /// It is played: the next game of it begins by a ruling only.
    #[serde(default)]
    pub is_over: bool,
}

impl Pairing {
    /// The name of its first game.
    #[must_use]
    pub fn game(&self) -> String {
        format!("{}-{}", self.round, self.number)
    }

    /// Has it the players of that game? Whoever is not named may be anybody.
    pub(super) fn is_of(&self, family: Family) -> bool {
        match (family, &self.red_blue) {
            (Family::Chess, others) => others.is_none(),
            (Family::FourPlayer, Some(_)) => true,
            (Family::FourPlayer, None) => {
                [&self.white, &self.black].iter().all(|player| player.name.is_none())
            }
        }
    }

    fn players(&self) -> [Player; 2] {
        [self.white.clone(), self.black.clone()]
    }

    fn is_same_game(&self, other: &Self) -> bool {
        (self.round, self.number) == (other.round, other.number)
    }
}

/// The pairing of a board, and its games here.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Paired {
    pairing: Option<Pairing>,
    /// It came with a round and stays until another one comes. One that was given when the board was opened is
    /// that of its first game.
    is_of_round: bool,
    /// Its game is over: set up again, the board waits for the next pairing.
    is_spent: bool,
    /// Its game is open, and the array from which it starts has not stood yet.
    waiting: Option<Box<GameInfo>>,
    /// How many games were opened here under each pairing's name, by its round.
    pub(super) games: BTreeMap<u32, BTreeMap<u32, u32>>,
    /// Its last game that was closed, and the result: it may still be corrected.
    closed: Option<(Box<GameInfo>, Option<GameResult>)>,
}

impl Paired {
    pub(super) fn new(pairing: Option<Pairing>) -> Self {
        Self { pairing, ..Self::default() }
    }

    /// The game of the board goes on at another one.
    pub(super) fn is_elsewhere(&mut self) {
        (self.pairing, self.closed, self.waiting) = (None, None, None);
        (self.is_of_round, self.is_spent) = (false, false);
    }

    /// The game is played now, whether or not its array was seen.
    pub(super) fn waits_no_more(&mut self) {
        self.waiting = None;
    }

    /// Nobody of the pairing whose game comes next lacks a name.
    pub(super) fn has_names(&self) -> bool {
        let next = self.pairing.as_ref().filter(|_| !self.is_spent);
        next.is_none_or(|pairing| {
            let others = pairing.red_blue.iter().flat_map(|others| others.iter());
            [&pairing.white, &pairing.black].into_iter().chain(others).all(|player| player.name.is_some())
        })
    }

    /// The board is kept for its round, whose game here is over.
    pub(super) fn is_kept(&self) -> bool {
        self.is_of_round && self.is_spent
    }

    /// What is known of games that are not on the board, for who fills in what they have in common.
    pub(super) fn infos_mut(&mut self) -> impl Iterator<Item = &mut GameInfo> {
        self.waiting.as_deref_mut().into_iter().chain(self.closed.as_mut().map(|(info, _)| &mut **info))
    }

    /// The pairing, if that game is one of it.
    pub(super) fn of(&self, info: &GameInfo) -> Option<&Pairing> {
        self.pairing.as_ref().filter(|pairing| is_game_of(info, pairing))
    }

    /// The game is one of `pairing`, and none of that which it was taken for.
    pub(super) fn exchanges(&mut self, before: &GameInfo, pairing: &Pairing) {
        if let Some(games) =
            before.round.and_then(|round| self.games.get_mut(&round)?.get_mut(&before.number))
        {
            *games = games.saturating_sub(1);
        }
        let known = self.games.entry(pairing.round).or_default().entry(pairing.number).or_default();
        *known = (*known).max(pairing.games).max(1);
        (self.pairing, self.is_of_round, self.closed) = (Some(pairing.clone()), true, None);
    }

    /// The name of the next game of `pairing`, which is then taken.
    fn name(&mut self, pairing: &Pairing) -> GameName {
        let known = self.games.entry(pairing.round).or_default().entry(pairing.number).or_default();
        *known = (*known).max(pairing.games) + 1;
        let name = pairing.game();
        GameName::Given(if *known == 1 { name.into() } else { format!("{name}-{known}").into() })
    }
}

/// Why `game` is not played at `board`, where the game of `family` is played.
#[must_use]
pub fn other_game(game: &str, board: &str, family: Family) -> String {
    let (players, plays) = match family {
        Family::Chess => ("four", "chess: give the board variant = \"four-player\""),
        Family::FourPlayer => ("two", "the four-player game: give the board another variant"),
    };
    format!("{game} has {players} players, and board {board} plays {plays}, or the game another board")
}

impl<V: Variant> Game<V> {
    /// Something of it was played, or it has a result.
    pub(super) fn has_begun(&self) -> bool {
        self.is_started || !self.plies.is_empty() || self.result.is_some()
    }
}

impl<V: Variant> Table<V> {
    /// Why the board cannot be given `pairing` now.
    ///
    /// # Errors
    /// A sentence.
    pub(super) fn check_pairing(&self, pairing: Option<&Pairing>) -> Result<(), String> {
        if let Some(pairing) = pairing.filter(|pairing| !pairing.is_of(V::FAMILY)) {
            return Err(other_game(&pairing.game(), &self.scene.setting.board, V::FAMILY));
        }
        let Some(game) = self.scene.playing().filter(|game| game.has_begun()) else { return Ok(()) };
        let Some(info) = game.info.as_deref() else { return Ok(()) };
        let board = &self.scene.setting.board;
        match (&info.name, pairing) {
            _ if !is_of_pairing(info) => Ok(()),
            (_, Some(pairing)) if is_game_of(info, pairing) => Ok(()),
            _ => Err(format!("board {board} plays {}, which has no result yet", name_of(info))),
        }
    }

    /// The board is given a pairing, or loses its own. One that [`Table::check_pairing`] refuses changes nothing.
    pub(super) fn take_pairing(&mut self, pairing: Option<Pairing>, out: &mut Vec<Event>) {
        self.scene.inputs += 1;
        if self.check_pairing(pairing.as_ref()).is_err() {
            return;
        }
        let Some(pairing) = pairing else { return self.unpair(out) };
        let before = self.scene.paired.pairing.replace(pairing.clone());
        // A round that was closed and is opened again plays what was not played.
        let is_again = |before: &Pairing| before.is_over && !pairing.is_over;
        let before = before.filter(|before| before.is_same_game(&pairing) && !is_again(before));
        self.scene.paired.is_of_round = true;
        if let Some(info) = self.scene.info().filter(|info| is_game_of(info, &pairing)).cloned() {
            if pairing.is_over && !self.scene.game.as_ref().is_some_and(Game::has_begun) {
                self.scene.paired.is_spent = true;
                return self.leave(out);
            }
            let corrected = Self::corrected(&info, before.as_ref(), &pairing);
            return self.correct_info(corrected, out);
        }
        if let Some(before) = before {
            self.scene.paired.is_spent |= pairing.is_over;
            return self.correct_closed(&before, &pairing, out);
        }
        self.scene.paired.is_spent = pairing.is_over;
        let free = self.scene.playing().filter(|game| game.has_begun()).and_then(|game| game.info.as_deref());
        if let Some(free) = free.cloned().filter(|_| !pairing.is_over) {
            // It keeps its name, and is the game of the pairing from now on.
            let of_pairing = GameInfo { round: Some(pairing.round), number: pairing.number, ..free };
            let info = GameInfo {
                players: pairing.players(),
                red_blue: Self::red_blue(Some(&pairing)),
                team_match: pairing.team_match,
                ..of_pairing
            };
            return self.correct_info(info, out);
        }
        self.leave(out);
        self.scene.paired.closed = None;
        if !pairing.is_over {
            self.await_array(&pairing, out);
        }
        self.watch_for_start(out);
    }

    /// The pairing goes: its game too, if nothing of it was played.
    fn unpair(&mut self, out: &mut Vec<Event>) {
        self.scene.paired.pairing = None;
        self.scene.paired.closed = None;
        (self.scene.paired.is_of_round, self.scene.paired.is_spent) = (false, false);
        let is_given = self.scene.info().is_some_and(|info| info.round.is_some());
        if is_given && !self.scene.game.as_ref().is_some_and(Game::has_begun) {
            self.leave(out);
            self.watch_for_start(out);
        }
    }

    /// Closes what is open, to make room; the name of a game that has not begun is free again.
    pub(super) fn leave(&mut self, out: &mut Vec<Event>) {
        let has_begun = self.scene.game.as_ref().is_some_and(Game::has_begun);
        let unused = self.scene.info().filter(|info| !has_begun && info.round.is_some());
        if let Some((round, number)) = unused.and_then(|info| Some((info.round?, info.number)))
            && let Some(games) =
                self.scene.paired.games.get_mut(&round).and_then(|games| games.get_mut(&number))
        {
            *games = games.saturating_sub(1);
        }
        let (pairing, is_spent) = (self.scene.paired.pairing.clone(), self.scene.paired.is_spent);
        self.close_game(out);
        self.scene.paired.is_spent = is_spent;
        if !has_begun {
            self.scene.paired.pairing = pairing;
            self.scene.paired.closed = None;
        }
    }

    /// Opens the game of `pairing`, which starts when its array stands.
    fn await_array(&mut self, pairing: &Pairing, out: &mut Vec<Event>) {
        let start = usual_start(&self.scene).fen();
        let info = self.info_of(pairing, start);
        self.offer.awaits_another();
        self.scene.paired.waiting = Some(Box::new(info.clone()));
        self.emit(Body::GameOpened(Box::new(info)), out);
    }

    fn info_of(&mut self, pairing: &Pairing, start: String) -> GameInfo {
        GameInfo {
            name: self.scene.paired.name(pairing),
            round: Some(pairing.round),
            number: pairing.number,
            variant: self.scene.setting.variant,
            start,
            time_control: self.scene.setting.time_control.clone(),
            players: pairing.players(),
            red_blue: Self::red_blue(Some(pairing)),
            team_match: pairing.team_match,
        }
    }

    /// Red and Blue, where there are four players.
    fn red_blue(pairing: Option<&Pairing>) -> Option<Box<[Player; 2]>> {
        let known = pairing.and_then(|pairing| pairing.red_blue.clone());
        (V::ARMIES > 2).then(|| known.unwrap_or_default())
    }

    /// What the game that is about to open is: that of the pairing, or one without.
    pub(super) fn next_info(&mut self, start: String) -> GameInfo {
        self.free_games += 1;
        let number = self.free_games;
        if let Some(pairing) = self.scene.paired.pairing.clone() {
            self.scene.paired.is_spent = false;
            return self.info_of(&pairing, start);
        }
        GameInfo {
            name: GameName::Free(number),
            round: None,
            number,
            variant: self.scene.setting.variant,
            start,
            time_control: self.scene.setting.time_control.clone(),
            players: Default::default(),
            red_blue: Self::red_blue(None),
            team_match: None,
        }
    }

    /// The game that waited begins, from `start`.
    pub(super) fn waiting_info(&mut self, start: &str, out: &mut Vec<Event>) -> Option<Box<GameInfo>> {
        let mut info = self.scene.paired.waiting.take()?;
        if info.start != start {
            start.clone_into(&mut info.start);
            self.scene.paired.waiting = Some(info.clone());
            self.emit(Body::GameChanged { info: info.clone(), result: None }, out);
            self.scene.paired.waiting = None;
        }
        Some(info)
    }

    /// A ruling speaks of the game that waits: it is the game on the board, whatever stands there.
    pub(super) fn take_waiting(&mut self, out: &mut Vec<Event>) {
        if self.scene.game.is_none() && self.scene.is_waiting() {
            let start = usual_start(&self.scene).clone();
            let turned = self.scene.setting.turned.unwrap_or(0);
            self.begin(start, turned, out);
            self.open_game(out);
        }
    }

    /// A game was closed, or would be if its array had stood.
    pub(super) fn was_closed(&mut self, info: GameInfo, result: Option<GameResult>) {
        self.scene.paired.waiting = None;
        if self.scene.paired.is_of_round {
            self.scene.paired.is_spent = true;
        } else {
            self.scene.paired.pairing = None;
        }
        self.scene.paired.closed = Some((Box::new(info), result));
    }

    /// The game does not count: there will be another one of the same pairing.
    pub(super) fn is_played_again(&mut self, pairing: Option<Pairing>) {
        self.scene.paired.pairing = pairing;
        self.scene.paired.is_spent = false;
    }

    /// The pairing whose game is open.
    pub(super) fn pairing(&self) -> Option<Pairing> {
        self.scene.paired.pairing.clone()
    }

    /// The men of a game of the round stand at home again, and nobody has entered its result: that is still
    /// to come. True if the game is one.
    pub(super) fn awaits_result(&mut self) -> bool {
        let is_open =
            self.scene.paired.is_of_round && self.scene.playing().is_some_and(|game| game.info.is_some());
        if is_open {
            self.scene.set_mode(Mode::AtHome);
            self.pending.forget_picture();
            self.pending.forget_presses();
        }
        is_open
    }

    /// The board changed: the men may stand again as they did before they went home.
    pub(super) fn watch_at_home(&mut self, out: &mut Vec<Event>) {
        if self.scene.mode() == Mode::AtHome && setting_up::differing_squares(&self.scene).is_empty() {
            self.scene.set_mode(Mode::Running);
            self.look_again();
            self.show_to_tracker(out);
        }
    }

    /// The round is closed, and with it its game.
    pub(super) fn rule_round_close(&mut self, out: &mut Vec<Event>) -> Outcome {
        if self.scene.info().is_none_or(|info| info.round.is_none()) {
            return Err(inapplicable("no game of a round is open on this board"));
        }
        self.close_game(out);
        Ok(())
    }

    /// What is known of the open game is `info` from now on.
    fn correct_info(&mut self, info: GameInfo, out: &mut Vec<Event>) {
        if self.scene.info() == Some(&info) {
            return;
        }
        let info = Box::new(info);
        let mut result = None;
        match &mut self.scene.game {
            Some(game) if game.info.is_some() => {
                game.info = Some(info.clone());
                result = game.result;
            }
            _ => self.scene.paired.waiting = Some(info.clone()),
        }
        self.emit(Body::GameChanged { info, result }, out);
    }

    /// The pairing of a game that is closed is corrected.
    fn correct_closed(&mut self, before: &Pairing, pairing: &Pairing, out: &mut Vec<Event>) {
        let Some((info, result)) = self.scene.paired.closed.take() else { return };
        let info_after = Box::new(Self::corrected(&info, Some(before), pairing));
        if info_after != info {
            self.emit(Body::GameChanged { info: info_after.clone(), result }, out);
            if let Some(event) = out.last_mut() {
                event.game = Some(info_after.name.clone());
            }
        }
        self.scene.paired.closed = Some((info_after, result));
    }

    /// What is known of a game after its pairing was corrected; players whom a ruling has put on each other's
    /// side stay there (7.3).
    pub(super) fn corrected(info: &GameInfo, before: Option<&Pairing>, pairing: &Pairing) -> GameInfo {
        let [white, black] = &info.players;
        let is_swapped = before.is_some_and(|before| match &before.red_blue {
            Some(others) => info.players == **others && info.players != before.players(),
            None => white != black && (white, black) == (&before.black, &before.white),
        });
        let mut players = pairing.players();
        let mut red_blue = Self::red_blue(Some(pairing));
        match &mut red_blue {
            _ if !is_swapped => {}
            Some(others) => std::mem::swap(&mut players, others),
            None => players.swap(0, 1),
        }
        GameInfo { players, red_blue, team_match: pairing.team_match, ..info.clone() }
    }
}

impl<V: Variant> Scene<V> {
    /// What is known of the game that is open.
    #[inline]
    pub(super) fn info(&self) -> Option<&GameInfo> {
        let playing = self.game.as_ref().and_then(|game| game.info.as_deref());
        playing.or(self.paired.waiting.as_deref())
    }

    /// A game is open whose array has not stood yet.
    pub(super) fn is_waiting(&self) -> bool {
        self.paired.waiting.is_some()
    }
}

/// What a game of a round is called.
pub(super) fn name_of(info: &GameInfo) -> String {
    match &info.name {
        GameName::Given(name) => name.to_string(),
        GameName::Free(_) => format!("{}-{}", info.round.unwrap_or_default(), info.number),
    }
}

/// Is it a game of `pairing`?
fn is_game_of(info: &GameInfo, pairing: &Pairing) -> bool {
    info.round == Some(pairing.round) && info.number == pairing.number
}

/// A free game that was given a pairing.
fn is_of_pairing(info: &GameInfo) -> bool {
    info.round.is_some()
}

/// The position from which games start here, as far as it is known before it stands.
pub(super) fn usual_start<V: Variant>(scene: &Scene<V>) -> &V::Position {
    scene.setting.first()
}

#[cfg(test)]
mod tests;
