//! The games as they stand: a fold over events.
//!
//! Public and private events are folded alike, by what is public of them, so that a page built from public events and one
//! built for the arbiter come from the same code. What only the desk sees is where its boards are and how they are.

mod awaited;
mod last_move;

pub use awaited::Awaited;
pub use last_move::LastMove;

use std::collections::{BTreeMap, BTreeSet};

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::line::Line;
use adoube_core::event::TeamMatch;
use adoube_core::event::finding::{BothTimes, Score};
use adoube_core::event::said::{CompletedSaid, GameSaid, MadeSaid};
use adoube_core::event::{
    Cause, CompletedBy, Numbered, Player, PublicClock, PublicEvent, PublicSaid, PublicThreat, Said, Status,
};
use adoube_core::ply::Ply;
use adoube_rules::four::Army;
use adoube_rules::laws::Name;
use adoube_rules::sensor::Side;
use adoube_rules::{GameKind, Seated};

/// The clock as last read; viewers tick on by themselves.
#[derive(utoipa::ToSchema, Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClockView {
    /// Both times then.
    #[serde(flatten)]
    pub times: BothTimes,
    /// Whose time runs, if anybody's.
    pub running: Option<Side>,
    /// When it was read, RFC 3339.
    pub at: String,
}

/// One move of a game.
#[derive(utoipa::ToSchema, Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveView {
    /// From 1.
    pub ply: Ply,
    /// Who moved; of four players their team.
    pub side: Side,
    /// Of four players who moved, and where he sits.
    #[serde(flatten)]
    #[schema(value_type = adoube_rules::SeatedIfAny)]
    pub seated: Option<Seated>,
    /// Standard algebraic notation; of four players long coordinates.
    pub san: String,
    /// From-to notation.
    pub uci: String,
    /// FEN after it.
    pub fen: String,
    /// When it was made, milliseconds since the board was opened.
    pub made_ms: u64,
    /// Times at its press, or when it was made.
    pub clock: Option<BothTimes>,
    /// It was completed.
    pub completed: bool,
    /// When it was completed by a press, milliseconds since the board was opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pressed_ms: Option<u64>,
    /// False if it was illegal and stands: no line of legal moves contains it.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub legal: bool,
    /// Supplied after a gap.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub recovered: bool,
}

// Serde gives a reference.
#[expect(clippy::trivially_copy_pass_by_ref)]
fn is_true(value: &bool) -> bool {
    *value
}

fn yes() -> bool {
    true
}

/// One game.
#[derive(utoipa::ToSchema, Debug, Clone, PartialEq, Serialize)]
pub struct GameView {
    /// Its name.
    pub game: String,
    /// The board on which it is played.
    pub board: String,
    /// Round, if there is one.
    pub round: Option<u32>,
    /// Number in the round.
    pub number: u32,
    /// What is played.
    pub variant: GameKind,
    /// FEN of the start, or the variant's text of a position.
    pub start: String,
    /// Time control, if known.
    pub time_control: Option<String>,
    /// White.
    pub white: Player,
    /// Black.
    pub black: Player,
    /// Of four players Red, whose partner is Blue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub red: Option<Player>,
    /// Of four players Blue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blue: Option<Player>,
    /// Its place in a match of two teams.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    pub team_match: Option<TeamMatch>,
    /// `*` as long as there is none.
    pub result: String,
    /// When it was opened, RFC 3339; of one that is awaited when it was published.
    pub opened_at: String,
    /// Who plays is known, and nothing else yet.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub awaited: bool,
    /// The moves.
    #[schema(value_type = Vec<MoveView>)]
    pub moves: Line,
    /// Of four players those who would be mated if it were their turn.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub threats: Vec<Army>,
    /// The clock.
    pub clock: Option<ClockView>,
    /// It is closed.
    pub closed: bool,
    /// Its clock was started, or a move made.
    #[serde(skip)]
    pub started: bool,
    /// It does not count: another one may be played in its place.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub annulled: bool,
    /// Its moves have not been read from the journal yet.
    #[serde(skip)]
    pub is_outlined: bool,
    /// It is awaited in a round that is open.
    #[serde(skip)]
    pub is_in_open_round: bool,
    /// Its place in the order in which games were opened.
    #[serde(skip)]
    pub place: usize,
    /// Grows with whatever changes any game of the hall: who has this state of the game knows it by the number.
    #[serde(skip)]
    pub revision: u64,
}

/// One board.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct BoardView {
    /// Its name.
    pub board: String,
    /// `fresh`, `stale`, `lost`; not told in public.
    pub state: Option<&'static str>,
    /// The game on it.
    pub game: Option<String>,
    /// The board's own number, once it told it; not told in public.
    pub serial: Option<String>,
    /// Where it is; not told in public.
    pub port: Option<String>,
}

/// All boards and games of the hall.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HallView {
    boards: BTreeMap<BoardName, BoardView>,
    games: BTreeMap<String, GameView>,
    /// In the order in which they were opened.
    order: Vec<String>,
    /// How many events changed a game, or may have.
    revision: u64,
    /// How many games have had a place in the order.
    places: usize,
    /// By round and number, the names of those that are awaited; and those that have begun.
    awaited: BTreeMap<(u32, u32), String>,
    begun: BTreeSet<(u32, u32)>,
    /// The boards of which whoever watches is to be told.
    to_tell: BTreeSet<String>,
}

/// A name that sorts as people count: 2 before 10.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct BoardName(u64, String);

impl BoardName {
    fn new(name: &str) -> Self {
        Self(name.parse().unwrap_or(u64::MAX), name.to_owned())
    }
}

impl HallView {
    /// A board that may not have said anything yet.
    pub fn add_board(&mut self, board: &str) {
        self.boards
            .entry(BoardName::new(board))
            .or_insert_with(|| BoardView { board: board.to_owned(), ..BoardView::default() });
    }

    /// A board was taken away. It stays as long as its game is open, and for spectators if it has one at all; its
    /// games stay in any case.
    pub fn remove_board(&mut self, board: &str, is_for_spectators: bool) {
        let name = BoardName::new(board);
        let game = self.boards.get(&name).and_then(|board| self.games.get(board.game.as_ref()?));
        if !game.is_some_and(|game| !game.awaited && (is_for_spectators || !game.closed))
            && let Some(removed) = self.boards.remove(&name)
        {
            let on_it = removed.game.as_ref().and_then(|game| self.games.get(game));
            if on_it.is_some_and(|game| game.awaited) {
                self.to_tell.insert(board.to_owned());
            }
            removed.game.iter().for_each(|game| self.put_away(game));
        }
    }

    /// Takes a public event.
    pub fn apply(&mut self, event: &PublicEvent) {
        self.take(&event.board, event.game.as_ref(), &event.at, Some(&event.said));
    }

    /// Takes any event, and what it says of its board.
    pub fn apply_private(&mut self, event: &Numbered) {
        self.take(&event.board, event.game.as_ref(), &event.at, event.said.public().as_ref());
        let Some(board) = self.boards.get_mut(&BoardName::new(&event.board)) else { return };
        match &event.said {
            Said::BoardConnected(connected) => {
                board.state = Some("fresh");
                (board.serial, board.port) = (connected.serial.clone(), Some(connected.port.clone()));
            }
            Said::BoardStale(_) => board.state = Some("stale"),
            Said::BoardLost(_) => board.state = Some("lost"),
            _ => {}
        }
    }

    fn take(&mut self, board: &Arc<str>, game: Option<&Arc<str>>, at: &Arc<str>, said: Option<&PublicSaid>) {
        // The journal's remarks on itself are of no board.
        if board.is_empty() {
            return;
        }
        self.add_board(board);
        self.revision += 1;
        let Some(said) = said else { return };
        if let (PublicSaid::GameOpened(opened), Some(game)) = (said, game) {
            return self.opened(GameView::opened(board, game, at, opened));
        }
        if let (PublicSaid::GameChanged(_), Some(game)) = (said, game) {
            self.goes_on_at(board, game);
        }
        let on_it = || self.boards.get(&BoardName::new(board))?.game.as_deref();
        let game = match said {
            // Of one that is awaited nothing is known yet.
            PublicSaid::ClockRead(_) => game
                .map(|game| &**game)
                .or_else(on_it)
                .filter(|game| self.games.get(*game).is_none_or(|game| !game.awaited)),
            _ => game.map(|game| &**game),
        };
        let Some(game) = game.and_then(|game| self.games.get_mut(game)) else { return };
        game.apply(at, said);
        game.revision = self.revision;
        let (round, number, name) = (game.round, game.number, game.game.clone());
        let is_closed = game.closed;
        if let PublicSaid::GameChanged(_) = said {
            // One that nobody had paired may have got its pairing.
            self.begins(round, number, (&name, board));
        }
        if let PublicSaid::GameClosed(_) = said {
            self.has_closed();
        }
        if is_closed {
            self.put_away(&name);
        }
    }

    /// Packs the moves of a game that is over, if another one has begun on its board.
    fn put_away(&mut self, game: &str) {
        let Some(game) = self.games.get_mut(game).filter(|game| game.closed) else { return };
        let on_board = self.boards.get(&BoardName::new(&game.board)).and_then(|board| board.game.as_ref());
        if on_board != Some(&game.game) {
            game.moves.pack();
        }
    }

    fn opened(&mut self, mut game: GameView) {
        self.begins(game.round, game.number, (&game.game, &game.board));
        self.places += 1;
        (game.revision, game.place) = (self.revision, self.places);
        let before = self
            .boards
            .get_mut(&BoardName::new(&game.board))
            .and_then(|board| board.game.replace(game.game.clone()));
        match self.games.get(&game.game) {
            // Its closing was undone; or it was given another board before it began.
            Some(known) => {
                game.opened_at.clone_from(&known.opened_at);
                game.place = known.place;
                if let Some(left) =
                    self.boards.get_mut(&BoardName::new(&known.board)).filter(|left| left.board != game.board)
                {
                    left.game.take_if(|on_it| *on_it == game.game);
                }
            }
            None => self.order.push(game.game.clone()),
        }
        self.games.insert(game.game.clone(), game);
        before.iter().for_each(|game| self.put_away(game));
    }

    /// What is said of a game is said by the board at which it is played: it may have gone there from another one.
    fn goes_on_at(&mut self, board: &str, name: &str) {
        let Some(game) = self.games.get_mut(name).filter(|game| game.board != board) else { return };
        let left = std::mem::replace(&mut game.board, board.to_owned());
        if let Some(left) = self.boards.get_mut(&BoardName::new(&left)) {
            left.game.take_if(|on_it| on_it == name);
        }
        let before =
            self.boards.get_mut(&BoardName::new(board)).and_then(|it| it.game.replace(name.to_owned()));
        before.iter().for_each(|game| self.put_away(game));
    }

    /// Of these games only the outline is known: who played, and how it ended.
    pub fn outline(&mut self, games: &[String]) {
        for game in games {
            if let Some(game) = self.games.get_mut(game) {
                game.is_outlined = true;
            }
        }
    }

    /// The moves of a game of which only the outline was known: what was changed about it since stays.
    pub fn complete(&mut self, whole: GameView) {
        let Some(game) = self.games.get_mut(&whole.game).filter(|game| game.is_outlined) else { return };
        self.revision += 1;
        (game.moves, game.threats, game.clock) = (whole.moves, whole.threats, whole.clock);
        game.started |= whole.started;
        (game.is_outlined, game.revision) = (false, self.revision);
        self.put_away(&whole.game);
    }

    /// The boards, in the order in which people count.
    pub fn boards(&self) -> impl ExactSizeIterator<Item = &BoardView> {
        self.boards.values()
    }

    /// The games, in the order in which they were opened.
    pub fn games(&self) -> impl Iterator<Item = &GameView> {
        self.order.iter().filter_map(|game| self.games.get(game))
    }

    /// A board by its name.
    #[must_use]
    pub fn board(&self, board: &str) -> Option<&BoardView> {
        self.boards.get(&BoardName::new(board))
    }

    /// A game by its name.
    #[must_use]
    pub fn game(&self, game: &str) -> Option<&GameView> {
        self.games.get(game)
    }

    /// A game by its name, or by that of its pairing: the game may have begun before it had one.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&GameView> {
        self.game(name).or_else(|| self.of_pairing(name))
    }

    /// The last game of the pairing `ROUND-NUMBER` that counts, or the last one, whatever it was called when it began.
    #[must_use]
    pub fn of_pairing(&self, name: &str) -> Option<&GameView> {
        let (round, number) = name.split_once('-')?;
        let (round, number) = (round.parse().ok()?, number.parse().ok()?);
        let of_pairing = || self.games().filter(|game| (game.round, game.number) == (Some(round), number));
        let has_begun = |game: &GameView| !game.moves.is_empty() || game.result != "*";
        of_pairing().filter(|game| has_begun(game) && !game.annulled).last().or_else(|| of_pairing().last())
    }
}

impl GameView {
    fn opened(board: &str, game: &str, at: &str, opened: &GameSaid) -> Self {
        let mut game = Self {
            game: game.to_owned(),
            board: board.to_owned(),
            round: opened.round,
            number: opened.number,
            variant: opened.variant,
            start: opened.start.clone(),
            time_control: opened.time_control.clone(),
            white: Player::default(),
            black: Player::default(),
            red: None,
            blue: None,
            team_match: None,
            result: Score(None).as_str().to_owned(),
            opened_at: at.to_owned(),
            awaited: false,
            moves: Line::default(),
            threats: Vec::new(),
            clock: None,
            closed: false,
            started: false,
            annulled: false,
            is_outlined: false,
            is_in_open_round: false,
            place: 0,
            revision: 0,
        };
        game.set_pairing(opened);
        game
    }

    fn set_pairing(&mut self, said: &GameSaid) {
        (self.white, self.black) = (said.white.clone(), said.black.clone());
        (self.red, self.blue) = (said.red.clone(), said.blue.clone());
        self.team_match = said.team_match;
    }

    fn apply(&mut self, at: &str, said: &PublicSaid) {
        match said {
            PublicSaid::MoveMade(made) => self.made(made),
            PublicSaid::MoveCompleted(completed) => self.completed(completed),
            PublicSaid::MoveRetracted(retracted) => {
                self.moves.edit().retain(|mv| mv.ply < retracted.ply);
            }
            PublicSaid::ClockRead(clock) => self.clock_read(at, *clock),
            PublicSaid::GameClosed(closed) => {
                self.closed = true;
                self.set_result(closed.result);
            }
            PublicSaid::GameAnnulled(annulled) => self.annulled = annulled.status == Status::Confirmed,
            PublicSaid::MateThreat(threat) => self.threatened(*threat),
            PublicSaid::Result(Name::ResultSignalled, signalled) if signalled.status != Status::Confirmed => {
            }
            PublicSaid::Result(Name::ResultSignalled | Name::GameOver | Name::ResultChanged, said) => {
                self.set_result(said.result);
            }
            PublicSaid::GameChanged(changed) => {
                self.changed(changed);
                // Of a closed game the board knows no longer what was ruled since.
                if !self.closed {
                    self.set_result(changed.result);
                }
            }
            // That an outcome was found is not yet the end; and a game is opened by the hall.
            PublicSaid::GameStarted => self.started = true,
            PublicSaid::Result(..)
            | PublicSaid::GameOpened(_)
            | PublicSaid::RoundOpened(_)
            | PublicSaid::RoundClosed(_) => {}
        }
    }

    /// Who plays was corrected; a game that nobody had paired may have got its pairing, and one whose array was
    /// not known its start.
    fn changed(&mut self, said: &GameSaid) {
        self.set_pairing(said);
        self.round = said.round.or(self.round);
        self.number = said.number;
        self.start.clone_from(&said.start);
    }

    fn set_result(&mut self, result: Score) {
        result.as_str().clone_into(&mut self.result);
    }

    fn made(&mut self, made: &MadeSaid) {
        if made.ply.before().count() != self.moves.len() || made.ply.is_start() {
            return;
        }
        self.moves.edit().push(MoveView {
            ply: made.ply,
            side: made.side,
            seated: made.seated,
            san: made.san.clone(),
            uci: made.uci.clone(),
            fen: made.fen.clone(),
            made_ms: made.made_ms,
            clock: made.clock,
            completed: false,
            pressed_ms: None,
            legal: made.legal,
            recovered: made.cause == Cause::Recovered,
        });
    }

    fn threatened(&mut self, threat: PublicThreat) {
        let Some(Seated { player, .. }) = threat.seated else { return };
        self.threats.retain(|other| *other != player);
        if matches!(threat.status, Status::Open | Status::Confirmed) {
            self.threats.push(player);
        }
    }

    fn completed(&mut self, completed: &CompletedSaid) {
        if let Some(mv) = self.moves.edit().iter_mut().find(|mv| mv.ply == completed.ply) {
            mv.completed = true;
            mv.clock = completed.clock.or(mv.clock);
            if completed.by == CompletedBy::Press {
                mv.pressed_ms = Some(completed.completed_ms);
            }
        }
    }

    fn clock_read(&mut self, at: &str, clock: PublicClock) {
        let times = clock.white_ms.zip(clock.black_ms);
        self.clock = times.map(|(white_ms, black_ms)| ClockView {
            times: BothTimes { white_ms, black_ms },
            running: clock.running,
            at: at.to_owned(),
        });
    }

    /// True if it is four-player chess: a board of 160 squares, and a record that no reader of PGN takes.
    #[must_use]
    pub fn is_of_four(&self) -> bool {
        self.variant == GameKind::FourPlayer
    }

    /// Everybody who plays has a name.
    #[must_use]
    pub fn is_named(&self) -> bool {
        let has_name = |player: &Player| player.name.is_some();
        let others = [&self.red, &self.blue];
        has_name(&self.white)
            && has_name(&self.black)
            && (!self.is_of_four() || others.into_iter().all(|player| player.as_ref().is_some_and(has_name)))
    }

    /// The same with its moves at hand: they are looked at more than once.
    #[must_use]
    pub fn unpacked(mut self) -> Self {
        self.moves.edit();
        self
    }

    /// FEN of the position now.
    #[must_use]
    pub fn fen(&self) -> &str {
        self.moves.last().map_or(&self.start, |mv| &mv.fen)
    }
}

#[cfg(test)]
mod tests;
