//! Games against somebody who does not sit at the board: hands on a simulated DGT board make our moves and,
//! when the clock's display announces them, the opponent's; the opponent is a mock of Lichess or an engine.

mod engine;
mod lichess;
mod mock;
mod page;
mod table;

use adoube_rules::{ChessPosition, Played, Position as _};
use shakmaty::Move;

/// The legal moves of a position.
fn legal(position: &ChessPosition) -> Vec<Move> {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    moves
}

/// From-to notation, as events have it.
fn uci(position: &ChessPosition, mv: Move) -> String {
    Played::Chess { before: position.clone(), mv }.uci()
}

/// The legal move of that text.
fn mv(position: &ChessPosition, text: &str) -> Move {
    let found = legal(position).into_iter().find(|&mv| uci(position, mv) == text);
    found.unwrap_or_else(|| panic!("{text} in {}", position.fen()))
}

/// The moves of a text.
fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}
