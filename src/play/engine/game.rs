//! The game as an engine's opponent keeps it: its moves, its times, its end.

use tokio::time::Instant;

use super::Limit;
use crate::play::line::Line;
use crate::play::opponent::{End, Opening, Order, Said, State, Times};
use adoube_rules::sensor::Side;
use adoube_rules::{ChessPosition, GameResult, Position as _};

/// The game as the engine keeps it.
pub(super) struct Game {
    pub(super) opening: Opening,
    pub(super) start: ChessPosition,
    pub(super) line: Line,
    pub(super) moves: Vec<String>,
    times: Option<Times>,
    /// Since when the side to move thinks.
    since: Instant,
    pub(super) end: Option<End>,
    /// What the engine thought of its position when it moved last.
    pub(super) score: Option<i32>,
}

impl Game {
    pub(super) fn new(opening: Opening, limit: Limit) -> Option<Self> {
        let start = ChessPosition::from_fen(&opening.start, opening.is_chess960).ok()?;
        start.regular()?;
        let mut line = Line::new(start.clone(), opening.ours);
        let moves = opening.moves.clone();
        line.agree(&moves, &[]).ok()?;
        let times = match limit {
            Limit::Clock { base_ms, .. } => Some(Times { white_ms: base_ms, black_ms: base_ms }),
            _ => None,
        };
        let mut game =
            Self { opening, start, line, moves, times, since: Instant::now(), end: None, score: None };
        game.see_end();
        Some(game)
    }

    pub(super) fn state(&self) -> State {
        State {
            moves: self.moves.clone(),
            times: self.times_now(),
            end: self.end.clone(),
            ..State::default()
        }
    }

    pub(super) fn is_engines_turn(&self) -> bool {
        self.line.turn() != self.opening.ours
    }

    /// The times with what the side to move has used.
    pub(super) fn times_now(&self) -> Option<Times> {
        // A clock starts with the first move.
        let passed_ms = if self.moves.is_empty() { 0 } else { self.since.elapsed().as_millis() as u64 };
        self.times.map(|times| match self.line.turn() {
            Side::White => Times { white_ms: times.white_ms.saturating_sub(passed_ms).max(1), ..times },
            Side::Black => Times { black_ms: times.black_ms.saturating_sub(passed_ms).max(1), ..times },
        })
    }

    pub(super) fn engines_ms(&self) -> u64 {
        self.times_now().map_or(0, |times| match self.opening.ours {
            Side::White => times.black_ms,
            Side::Black => times.white_ms,
        })
    }

    /// The side to move made this move; false if it is not legal.
    pub(super) fn made(&mut self, uci: &str, limit: Limit) -> bool {
        let mut moves = self.moves.clone();
        moves.push(uci.to_owned());
        let (times, mover) = (self.times_now(), self.line.turn());
        if self.line.agree(&moves, &[]).is_err() {
            return false;
        }
        self.times = times.map(|mut times| {
            if let Limit::Clock { increment_ms, .. } = limit {
                match mover {
                    Side::White => times.white_ms += increment_ms,
                    Side::Black => times.black_ms += increment_ms,
                }
            }
            times
        });
        self.moves = self.line.plies().iter().map(|ply| ply.uci.clone()).collect();
        self.since = Instant::now();
        self.see_end();
        true
    }

    /// The game is over where the position says so.
    fn see_end(&mut self) {
        let fen = self.line.fen_after(self.moves.len());
        let Ok(position) = ChessPosition::from_fen(&fen, self.opening.is_chess960) else { return };
        let Some(end) = position.end() else { return };
        let winner = position.turn().other();
        let is_mate = end.name() == "checkmate";
        let result = if is_mate { GameResult::win(winner) } else { GameResult::Draw };
        self.end = Some(End { result: Some(result), reason: end.name().to_owned() });
    }

    /// Does what we said; gives what the engine has to say to it.
    pub(super) fn take(&mut self, order: Order, limit: Limit) -> Option<Said> {
        let ours = self.opening.ours;
        match order {
            Order::Move { ply, uci } => {
                if ply != self.moves.len() + 1 || self.is_engines_turn() || !self.made(&uci, limit) {
                    return Some(Said::Refused { ply, reason: "it is not legal here".to_owned() });
                }
            }
            Order::Resign => {
                let result = Some(GameResult::win(ours.other()));
                self.end = Some(End { result, reason: "resign".to_owned() });
            }
            Order::Draw(true) if self.score.is_some_and(|score| score <= 0) => {
                self.end = Some(End { result: Some(GameResult::Draw), reason: "draw".to_owned() });
            }
            Order::Draw(true) => {
                return Some(Said::Note("the engine declines the draw: it stands better".to_owned()));
            }
            Order::Takeback(true) => {
                // To our last move, and not before the game.
                let back = if self.is_engines_turn() { 1 } else { 2 };
                let Some(kept) = self.moves.len().checked_sub(back) else {
                    return Some(Said::Note("there is no move of yours to take back".to_owned()));
                };
                self.moves.truncate(kept);
                let moves = self.moves.clone();
                // Shorter than a legal line, it is legal.
                let _shorter = self.line.agree(&moves, &[]);
                self.since = Instant::now();
            }
            Order::Abort => self.end = Some(End { result: None, reason: "aborted".to_owned() }),
            Order::Draw(false) | Order::Takeback(false) => {}
        }
        None
    }
}
