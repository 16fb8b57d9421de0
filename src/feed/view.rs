//! The games as they stand: a fold over events.
//!
//! It takes the JSON of public and of private events alike and looks only at fields that both have,
//! so that a page built from public events and one built for the arbiter come from the same code.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::event::Player;
use crate::pairings::TeamMatch;

/// Times of both sides.
#[cfg_attr(feature = "daemon", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TimesView {
    /// White's, milliseconds.
    pub white_ms: u64,
    /// Black's, milliseconds.
    pub black_ms: u64,
}

/// The clock as last read; viewers tick on by themselves.
#[cfg_attr(feature = "daemon", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClockView {
    /// Both times then.
    #[serde(flatten)]
    pub times: TimesView,
    /// Whose time runs: `white`, `black` or nobody's.
    pub running: Option<String>,
    /// When it was read, RFC 3339.
    pub at: String,
}

/// One move of a game.
#[cfg_attr(feature = "daemon", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MoveView {
    /// From 1.
    pub ply: u64,
    /// `white` or `black`; of four players their team.
    pub side: String,
    /// Of four players who moved: `red`, `white`, `blue`, `black`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub player: Option<String>,
    /// Of four players where he sits: `south`, `west`, `north`, `east`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seat: Option<String>,
    /// Standard algebraic notation; of four players long coordinates.
    pub san: String,
    /// From-to notation.
    pub uci: String,
    /// FEN after it.
    pub fen: String,
    /// When it was made, milliseconds since the board was opened.
    pub made_ms: u64,
    /// Times at its press, or when it was made.
    pub clock: Option<TimesView>,
    /// It was completed.
    pub completed: bool,
    /// When it was completed by a press, milliseconds since the board was opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pressed_ms: Option<u64>,
    /// False if it was illegal and stands: no line of legal moves contains it.
    #[serde(skip_serializing_if = "is_true")]
    pub legal: bool,
    /// Supplied after a gap.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub recovered: bool,
}

// Serde gives a reference.
#[expect(clippy::trivially_copy_pass_by_ref)]
fn is_true(value: &bool) -> bool {
    *value
}

/// One game.
#[cfg_attr(feature = "daemon", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GameView {
    /// Its name.
    pub game: String,
    /// The board on which it is played.
    pub board: String,
    /// Round, if there is one.
    pub round: Option<u64>,
    /// Number in the round.
    pub number: u64,
    /// `chess`, `chess960`, `four-player`.
    pub variant: String,
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
    /// When it was opened, RFC 3339.
    pub opened_at: String,
    /// The moves.
    pub moves: Vec<MoveView>,
    /// Of four players those who would be mated if it were their turn: `red`, `white`, `blue`, `black`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub threats: Vec<String>,
    /// The clock.
    pub clock: Option<ClockView>,
    /// It is closed.
    pub closed: bool,
    /// It does not count: another one may be played in its place.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub annulled: bool,
    /// Its moves have not been read from the journal yet.
    #[serde(skip)]
    pub is_outlined: bool,
    /// Grows with whatever changes any game of the hall: who has this state of the game knows it by the number.
    #[serde(skip)]
    pub revision: u64,
}

/// A game as a list shows it: with its last move and how many there are.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LastMove<'a> {
    game: &'a str,
    board: &'a str,
    round: Option<u64>,
    number: u64,
    variant: &'a str,
    start: &'a str,
    time_control: Option<&'a str>,
    white: &'a Player,
    black: &'a Player,
    #[serde(skip_serializing_if = "Option::is_none")]
    red: Option<&'a Player>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blue: Option<&'a Player>,
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    team_match: Option<TeamMatch>,
    result: &'a str,
    opened_at: &'a str,
    plies: usize,
    moves: &'a [MoveView],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    threats: &'a [String],
    clock: Option<&'a ClockView>,
    closed: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    annulled: bool,
}

impl<'a> LastMove<'a> {
    /// That of `game`.
    #[must_use]
    pub fn of(game: &'a GameView) -> Self {
        let plies = game.moves.len();
        Self {
            game: &game.game,
            board: &game.board,
            round: game.round,
            number: game.number,
            variant: &game.variant,
            start: &game.start,
            time_control: game.time_control.as_deref(),
            white: &game.white,
            black: &game.black,
            red: game.red.as_ref(),
            blue: game.blue.as_ref(),
            team_match: game.team_match,
            result: &game.result,
            opened_at: &game.opened_at,
            plies,
            moves: &game.moves[plies.saturating_sub(1)..],
            threats: &game.threats,
            clock: game.clock.as_ref(),
            closed: game.closed,
            annulled: game.annulled,
        }
    }
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
}

/// A name that sorts as people count: 2 before 10.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct BoardName(u64, String);

impl BoardName {
    fn new(name: &str) -> Self {
        Self(name.parse().unwrap_or(u64::MAX), name.to_owned())
    }
}

/// The name of the game of four players.
pub const FOUR_PLAYER: &str = "four-player";

fn text(json: &Map<String, Value>, key: &str) -> Option<String> {
    json.get(key).and_then(Value::as_str).map(str::to_owned)
}

fn number(json: &Map<String, Value>, key: &str) -> Option<u64> {
    json.get(key).and_then(Value::as_u64)
}

fn times(value: Option<&Value>) -> Option<TimesView> {
    let value = value?;
    Some(TimesView { white_ms: value.get("white_ms")?.as_u64()?, black_ms: value.get("black_ms")?.as_u64()? })
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
        if !game.is_some_and(|game| is_for_spectators || !game.closed) {
            self.boards.remove(&name);
        }
    }

    /// Takes an event.
    pub fn apply(&mut self, json: &Map<String, Value>) {
        let (Some(board), Some(name)) = (text(json, "board"), text(json, "type")) else { return };
        // The journal's remarks on itself are of no board.
        if board.is_empty() {
            return;
        }
        self.add_board(&board);
        self.revision += 1;
        let revision = self.revision;
        let game = text(json, "game");
        match name.as_str() {
            "board-connected" => {
                self.set_state(&board, "fresh");
                self.identified(&board, json);
            }
            "board-stale" => self.set_state(&board, "stale"),
            "board-lost" => self.set_state(&board, "lost"),
            "game-opened" => self.opened(&board, json),
            "clock-read" => {
                let game = game.or_else(|| self.boards.get(&BoardName::new(&board))?.game.clone());
                if let Some(game) = game.and_then(|game| self.games.get_mut(&game)) {
                    game.clock_read(json);
                    game.revision = revision;
                }
            }
            _ => {
                if let Some(game) = game.and_then(|game| self.games.get_mut(&game)) {
                    game.apply(&name, json);
                    game.revision = revision;
                }
            }
        }
    }

    fn set_state(&mut self, board: &str, state: &'static str) {
        if let Some(board) = self.boards.get_mut(&BoardName::new(board)) {
            board.state = Some(state);
        }
    }

    fn identified(&mut self, board: &str, json: &Map<String, Value>) {
        if let Some(board) = self.boards.get_mut(&BoardName::new(board)) {
            (board.serial, board.port) = (text(json, "serial"), text(json, "port"));
        }
    }

    fn opened(&mut self, board: &str, json: &Map<String, Value>) {
        let Some(mut game) = GameView::opened(board, json) else { return };
        game.revision = self.revision;
        if let Some(board) = self.boards.get_mut(&BoardName::new(board)) {
            board.game = Some(game.game.clone());
        }
        match self.games.get(&game.game) {
            // Its closing was undone; or it was given another board before it began.
            Some(known) => {
                game.opened_at.clone_from(&known.opened_at);
                if let Some(left) =
                    self.boards.get_mut(&BoardName::new(&known.board)).filter(|left| left.board != board)
                {
                    left.game.take_if(|on_it| *on_it == game.game);
                }
            }
            None => self.order.push(game.game.clone()),
        }
        self.games.insert(game.game.clone(), game);
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
        (game.is_outlined, game.revision) = (false, self.revision);
    }

    /// The boards, in the order in which people count.
    pub fn boards(&self) -> impl Iterator<Item = &BoardView> {
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
}

impl GameView {
    fn opened(board: &str, json: &Map<String, Value>) -> Option<Self> {
        let mut game = Self {
            game: text(json, "game")?,
            board: board.to_owned(),
            round: number(json, "round"),
            number: number(json, "number")?,
            variant: text(json, "variant")?,
            start: text(json, "start")?,
            time_control: text(json, "time_control"),
            white: Player::default(),
            black: Player::default(),
            red: None,
            blue: None,
            team_match: None,
            result: "*".to_owned(),
            opened_at: text(json, "at")?,
            moves: Vec::new(),
            threats: Vec::new(),
            clock: None,
            closed: false,
            annulled: false,
            is_outlined: false,
            revision: 0,
        };
        game.set_pairing(json);
        Some(game)
    }

    fn set_pairing(&mut self, json: &Map<String, Value>) {
        let player =
            |name: &str| json.get(name).cloned().and_then(|player| serde_json::from_value(player).ok());
        (self.white, self.black) = (player("white").unwrap_or_default(), player("black").unwrap_or_default());
        (self.red, self.blue) = (player("red"), player("blue"));
        self.team_match =
            json.get("match").cloned().and_then(|place| serde_json::from_value(place).ok()).flatten();
    }

    fn apply(&mut self, name: &str, json: &Map<String, Value>) {
        match name {
            "move-made" => self.made(json),
            "move-completed" => self.completed(json),
            "move-retracted" => {
                let ply = number(json, "ply").unwrap_or(u64::MAX);
                self.moves.retain(|mv| mv.ply < ply);
            }
            "game-closed" => {
                self.closed = true;
                self.set_result(json);
            }
            "game-annulled" => {
                self.annulled = json.get("status").and_then(Value::as_str) == Some("confirmed");
            }
            "mate-threat" => self.threatened(json),
            "result-signalled" if json.get("status").and_then(Value::as_str) != Some("confirmed") => {}
            "result-signalled" | "game-over" | "result-changed" => self.set_result(json),
            "game-changed" => {
                self.changed(json);
                self.set_result(json);
            }
            _ => {}
        }
    }

    /// Who plays was corrected; a game that nobody had paired may have got its pairing, and one whose array was
    /// not known its start.
    fn changed(&mut self, json: &Map<String, Value>) {
        self.set_pairing(json);
        self.round = number(json, "round").or(self.round);
        self.number = number(json, "number").unwrap_or(self.number);
        if let Some(start) = text(json, "start") {
            self.start = start;
        }
    }

    fn set_result(&mut self, json: &Map<String, Value>) {
        if let Some(result) = text(json, "result") {
            self.result = result;
        }
    }

    fn made(&mut self, json: &Map<String, Value>) {
        let parts = || {
            Some(MoveView {
                ply: number(json, "ply")?,
                side: text(json, "side")?,
                player: text(json, "player"),
                seat: text(json, "seat"),
                san: text(json, "san")?,
                uci: text(json, "uci")?,
                fen: text(json, "fen")?,
                made_ms: number(json, "made_ms")?,
                clock: times(json.get("clock")),
                completed: false,
                pressed_ms: None,
                legal: json.get("legal").and_then(Value::as_bool) != Some(false),
                recovered: json.get("cause").and_then(Value::as_str) == Some("recovered"),
            })
        };
        if let Some(mv) = parts().filter(|mv| mv.ply == self.moves.len() as u64 + 1) {
            self.moves.push(mv);
        }
    }

    fn threatened(&mut self, json: &Map<String, Value>) {
        let Some(player) = text(json, "player") else { return };
        let status = json.get("status").and_then(Value::as_str);
        self.threats.retain(|other| *other != player);
        if matches!(status, Some("open" | "confirmed")) {
            self.threats.push(player);
        }
    }

    fn completed(&mut self, json: &Map<String, Value>) {
        let Some(ply) = number(json, "ply") else { return };
        if let Some(mv) = self.moves.iter_mut().find(|mv| mv.ply == ply) {
            mv.completed = true;
            mv.clock = times(json.get("clock")).or(mv.clock);
            if json.get("by").and_then(Value::as_str) == Some("press") {
                mv.pressed_ms = number(json, "completed_ms");
            }
        }
    }

    fn clock_read(&mut self, json: &Map<String, Value>) {
        self.clock = times(Some(&Value::Object(json.clone()))).map(|times| ClockView {
            times,
            running: text(json, "running"),
            at: text(json, "at").unwrap_or_default(),
        });
    }

    /// True if it is four-player chess: a board of 160 squares, and a record that no reader of PGN takes.
    #[must_use]
    pub fn is_of_four(&self) -> bool {
        self.variant == FOUR_PLAYER
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

    /// FEN of the position now.
    #[must_use]
    pub fn fen(&self) -> &str {
        self.moves.last().map_or(&self.start, |mv| &mv.fen)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_the_arbiter_changes_is_changed() {
        let mut hall = HallView::default();
        let mut take = |kind: &str, mut event: Value| {
            event["type"] = kind.into();
            event["board"] = "1".into();
            event["game"] = "5-1".into();
            hall.apply(event.as_object().unwrap());
            let game = hall.game("5-1").unwrap();
            (game.result.clone(), game.white.name.clone())
        };
        let a_plays_b = json!({ "at": "2026-05-01T10:00:00.000Z", "round": 5, "number": 1,
            "variant": "chess", "start": "", "white": {"name": "A"}, "black": {"name": "B"} });
        let said = |result: &str, white: &str| (result.to_owned(), Some(white.to_owned()));
        assert_eq!(take("game-opened", a_plays_b), said("*", "A"));
        assert_eq!(take("game-over", json!({ "result": "1-0" })), said("1-0", "A"));
        assert_eq!(take("result-changed", json!({ "result": "1/2-1/2" })), said("1/2-1/2", "A"));
        assert_eq!(take("result-changed", json!({ "result": "*" })), said("*", "A"));
        assert_eq!(take("game-closed", json!({ "result": "*" })), said("*", "A"));
        let again = json!({ "at": "2026-05-01T11:00:00.000Z", "round": 5, "number": 1,
            "variant": "chess", "start": "", "white": {"name": "A"}, "black": {"name": "B"} });
        assert_eq!(take("game-opened", again), said("*", "A"));
        let swapped = json!({ "white": {"name": "B"}, "black": {"name": "A"}, "result": "*" });
        assert_eq!(take("game-changed", swapped), said("*", "B"));
        let games: Vec<(&str, bool)> =
            hall.games().map(|game| (game.opened_at.as_str(), game.closed)).collect();
        assert_eq!(games, [("2026-05-01T10:00:00.000Z", false)], "one game, opened again");
    }

    #[test]
    fn a_game_is_on_one_board() {
        let mut hall = HallView::default();
        for board in ["1", "2"] {
            let opened = json!({ "type": "game-opened", "board": board, "game": "5-1", "at": "", "round": 5,
                "number": 1, "variant": "chess", "start": "", "match": { "number": 3, "board": 2 } });
            hall.apply(opened.as_object().unwrap());
        }
        assert_eq!(["1", "2"].map(|board| hall.board(board).unwrap().game.as_deref()), [None, Some("5-1")]);
        let game = hall.game("5-1").unwrap();
        assert_eq!((game.board.as_str(), game.team_match), ("2", Some(TeamMatch { number: 3, board: 2 })));
        let corrected = json!({ "type": "game-changed", "board": "2", "game": "5-1", "round": 6, "number": 4,
            "start": "8/8/8/8/8/8/8/8 w - - 0 1", "result": "*" });
        hall.apply(corrected.as_object().unwrap());
        let game = hall.game("5-1").unwrap();
        assert_eq!((game.round, game.number, game.team_match), (Some(6), 4, None));
        assert_eq!(game.start, "8/8/8/8/8/8/8/8 w - - 0 1");
    }
}
