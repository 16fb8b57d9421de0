//! What a replay told: its events, and the games that somebody sees who follows them.

use std::sync::Arc;

use adoube::feed::view::{GameView, HallView};
use adoube_core::capture::{Header, Line};
use adoube_core::event::{Event, Numbered, Numbering};
use adoube_core::replay::{Remarks, Replay, open};
use adoube_rules::pgn::PgnGame;
use adoube_rules::{ChessPosition, Position as _};
use serde_json::{Map, Value};

/// Everything that was told.
pub(crate) struct Seen {
    /// The events as JSON, in order.
    pub(crate) events: Vec<Map<String, Value>>,
    /// The games, first opened first.
    pub(crate) games: Vec<GameView>,
    /// What was noticed beside the events.
    pub(crate) remarks: Remarks,
}

impl Seen {
    /// What these events tell.
    pub(crate) fn new(board: &str, events: &[Event], remarks: Remarks) -> Self {
        let board: Arc<str> = board.into();
        let mut numbering = Numbering::default();
        let mut hall = HallView::default();
        let events: Vec<Numbered> = events.iter().map(|event| numbering.number(&board, event)).collect();
        events.iter().for_each(|event| hall.apply_private(event));
        let events = events.iter().map(Numbered::json).collect();
        Self { events, games: hall.games().cloned().collect(), remarks }
    }

    /// The moves of game `index`; none if there is no such game.
    pub(crate) fn moves(&self, index: usize) -> Vec<String> {
        let moves = self.games.get(index).map(|game| game.moves.all()).unwrap_or_default();
        moves.iter().map(|mv| mv.uci.clone()).collect()
    }

    /// The events of one type.
    pub(crate) fn of_type(&self, name: &str) -> Vec<&Map<String, Value>> {
        self.events.iter().filter(|event| event["type"] == name).collect()
    }

    /// The events, a line each.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.events.iter().map(|event| Value::Object(event.clone()).to_string()).collect()
    }
}

/// Replays a capture.
pub(crate) fn replay(header: &Header, lines: &[Line]) -> Seen {
    let mut replay = Replay::new(open(header), header.started_utc_ns).unwrap();
    let mut events = Vec::new();
    for line in lines {
        replay.line(line, &mut events);
    }
    let remarks = replay.finish(&mut events);
    Seen::new(&header.board, &events, remarks)
}

/// The moves of `game` as far as the Laws let it go: a dead position ends it (5.2.2), whatever its
/// source says.
pub(crate) fn lawful_moves(game: &PgnGame) -> Vec<String> {
    let mut position = game.start.clone();
    let mut moves = Vec::new();
    for &mv in &game.moves {
        if position.end().is_some() {
            break;
        }
        moves.push(position.played(mv).uci());
        position = position.play(mv);
    }
    moves
}

/// The positions of a game, the start first.
///
/// # Panics
/// If one of its moves is illegal.
pub(crate) fn positions(start: &ChessPosition, moves: &[String]) -> Vec<ChessPosition> {
    let mut positions = vec![start.clone()];
    for uci in moves {
        let position = positions.last().unwrap();
        let mut legal = Vec::new();
        position.legal_moves(&mut legal);
        let mv = legal.into_iter().find(|&mv| position.played(mv).uci() == *uci);
        let mv = mv.unwrap_or_else(|| panic!("{uci} is illegal in {}", position.fen()));
        positions.push(position.play(mv));
    }
    positions
}
