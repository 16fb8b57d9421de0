//! A public hub, and games on it that a test plays.

use std::collections::BTreeMap;
use std::sync::Arc;

use adoube::feed::hub::PublicHub;
use adoube_core::event::PublicEvent;
use serde_json::{Value, json};
use shakmaty::fen::Fen;
use shakmaty::san::{San, SanPlus};
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position as _};

/// The usual start.
pub(crate) const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// When the first game was opened.
const OPENED: &str = "2026-05-01T10:00:00.000Z";

/// A hall as spectators see it.
#[derive(Default)]
pub(crate) struct PublicHall {
    pub(crate) hub: Arc<PublicHub>,
    id: u64,
    positions: BTreeMap<String, (Chess, u64)>,
}

/// A public event with these fields, and with others made up so that it is one of its type.
pub(crate) fn public(given: Value) -> PublicEvent {
    let mut event = json!({ "at": OPENED, "t_ms": 0, "round": null, "number": 1, "variant": "chess", "start": START,
        "time_control": null, "white": { "name": null }, "black": { "name": null }, "result": "*", "ply": 1,
        "side": "white", "san": "", "uci": "", "fen": "", "legal": true, "confidence": 1.0, "first_lift_ms": 0,
        "made_ms": 0, "clock": null, "cause": "played", "by": "press", "completed_ms": 0, "status": "confirmed" });
    event.as_object_mut().unwrap().extend(given.as_object().unwrap().clone());
    PublicEvent::read(event.to_string().as_bytes()).unwrap()
}

impl PublicHall {
    /// A hall on a hub that is there.
    pub(crate) fn on(hub: Arc<PublicHub>) -> Self {
        Self { hub, ..Self::default() }
    }

    /// Says something of a game.
    pub(crate) fn say(&mut self, game: &str, name: &str, mut event: Value) {
        self.id += 1;
        let board = game.rsplit('-').next().unwrap();
        event["type"] = name.into();
        event["board"] = board.into();
        event["game"] = game.into();
        event["id"] = self.id.into();
        let mut parts = game.split('-');
        let round = parts.next().and_then(|round| round.parse::<u64>().ok());
        let number = parts.find_map(|part| part.parse::<u64>().ok().filter(|&number| number < 1_000));
        let named = event.as_object_mut().unwrap();
        named.entry("round").or_insert_with(|| round.into());
        named.entry("number").or_insert_with(|| number.unwrap_or(1).into());
        self.hub.push(&public(event));
    }

    /// Opens a game between two players whose name says which game it is; `round-number`, or `free-day-number`.
    pub(crate) fn open(&mut self, game: &str) {
        self.open_with(game, json!({}));
    }

    /// The same, with some fields of the event other than usual.
    pub(crate) fn open_with(&mut self, game: &str, fields: Value) {
        let player = |side: &str| json!({ "name": format!("{side} of {game}") });
        let mut event = json!({ "at": OPENED, "variant": "chess", "start": START, "time_control": "5400+30", "white": player("White"), "black": player("Black") });
        for (name, value) in fields.as_object().unwrap() {
            event[name] = value.clone();
        }
        let mode =
            if event["variant"] == "chess960" { CastlingMode::Chess960 } else { CastlingMode::Standard };
        let fen: Fen = event["start"].as_str().unwrap().parse().unwrap();
        self.positions.insert(game.to_owned(), (fen.into_position(mode).unwrap(), 0));
        self.say(game, "game-opened", event);
    }

    /// Makes a move given as SAN, and completes it with a press.
    pub(crate) fn play(&mut self, game: &str, san: &str) {
        let (position, _) = &self.positions[game];
        let mv = san
            .parse::<San>()
            .unwrap()
            .to_move(position)
            .unwrap_or_else(|error| panic!("{game} {san}: {error}"));
        self.make(game, &mv, "played", true);
    }

    /// The position of a game.
    pub(crate) fn position(&self, game: &str) -> &Chess {
        &self.positions[game].0
    }

    /// Makes a move.
    pub(crate) fn make(&mut self, game: &str, mv: &Move, cause: &str, has_clock: bool) {
        let (position, ply) = self.positions.get_mut(game).unwrap();
        let side = if position.turn().is_white() { "white" } else { "black" };
        let san = SanPlus::from_move_and_play_unchecked(position, *mv).to_string();
        *ply += 1;
        let mode = position.castles().mode();
        let uci = mv.to_uci(mode).to_string();
        let fen = Fen::from_position(position, EnPassantMode::Legal).to_string();
        let (ply, left_ms) = (*ply, 5_400_000_u64.saturating_sub(*ply * 7_000));
        let clock = has_clock.then(|| json!({ "white_ms": left_ms, "black_ms": left_ms }));
        let made_ms = ply * 14_000;
        self.say(
            game,
            "move-made",
            json!({ "ply": ply, "side": side, "san": san, "uci": uci, "fen": fen,
            "legal": true, "confidence": 1.0, "made_ms": made_ms, "clock": clock, "cause": cause }),
        );
        self.say(
            game,
            "move-completed",
            json!({ "ply": ply, "side": side, "san": san, "uci": uci, "by": "press",
            "completed_ms": made_ms + 1_000, "clock": clock }),
        );
    }

    /// Something stands on the board that no legal move leads to.
    pub(crate) fn stand(&mut self, game: &str, san: &str, uci: &str, fen: &str) {
        let (position, ply) = self.positions.get_mut(game).unwrap();
        let side = if position.turn().is_white() { "white" } else { "black" };
        *ply += 1;
        let ply = *ply;
        if let Ok(after) = fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard) {
            *position = after;
        }
        self.say(
            game,
            "move-made",
            json!({ "ply": ply, "side": side, "san": san, "uci": uci, "fen": fen,
            "legal": false, "confidence": 1.0, "made_ms": ply * 14_000, "clock": null, "cause": "ruling" }),
        );
    }

    /// Any legal move, the `nth` of them.
    pub(crate) fn play_any(&mut self, game: &str, nth: usize) {
        let moves = self.positions[game].0.legal_moves();
        if moves.is_empty() {
            return;
        }
        let mv = moves[nth % moves.len()];
        self.make(game, &mv, "played", true);
    }

    /// Takes back everything from `ply` on; games from the usual start alone.
    pub(crate) fn take_back(&mut self, game: &str, ply: u32) {
        let moves: Vec<String> = self.hub.with_view(|view| {
            let moves = &view.game(game).unwrap().moves;
            moves.all().iter().take_while(|mv| mv.ply.number() < ply).map(|mv| mv.uci.clone()).collect()
        });
        let mut position = Chess::default();
        for uci in &moves {
            let mv = uci.parse::<UciMove>().unwrap().to_move(&position).unwrap();
            position.play_unchecked(mv);
        }
        self.positions.insert(game.to_owned(), (position, moves.len() as u64));
        self.say(game, "move-retracted", json!({ "ply": ply, "cause": "ruling" }));
    }

    /// The game has a result.
    pub(crate) fn end(&mut self, game: &str, result: &str) {
        self.say(game, "game-over", json!({ "result": result, "status": "confirmed" }));
    }

    /// The clock was read.
    pub(crate) fn clock(&mut self, game: &str, times_ms: [u64; 2], running: Option<&str>) {
        let [white_ms, black_ms] = times_ms;
        self.say(
            game,
            "clock-read",
            json!({ "at": "2026-05-01T11:22:33.444Z", "white_ms": white_ms,
            "black_ms": black_ms, "running": running }),
        );
    }
}
