//! After the last move: the kings go to the centre squares by the result (dgt-protocol 4.5).

use shakmaty::{Role, Square};

use super::habits::SpanMs;
use super::script::Script;
use crate::rules::{ChessPosition, GameResult};
use crate::sensor::Content;

/// Between two acts of a player who enters the result without haste.
const PACE_MS: SpanMs = (300.0, 900.0);

/// How long the kings stay: DGT asks for five seconds.
const STAY_MS: f64 = 5_000.0;

/// White's and Black's king for each result, either way round.
const WHITE_WINS: [[Square; 2]; 2] = [[Square::E4, Square::D5], [Square::D5, Square::E4]];
const BLACK_WINS: [[Square; 2]; 2] = [[Square::D4, Square::E5], [Square::E5, Square::D4]];
const DRAW: [[Square; 2]; 8] = [
    [Square::D4, Square::E4],
    [Square::E4, Square::D4],
    [Square::D5, Square::E5],
    [Square::E5, Square::D5],
    [Square::D4, Square::D5],
    [Square::D5, Square::D4],
    [Square::E4, Square::E5],
    [Square::E5, Square::E4],
];

/// Lifts both kings first, so that neither is taken for a move, then sets them down; a man who
/// stands in the way is taken off. Results without kings on the board have no such signal.
pub(super) fn signal(script: &mut Script, last: &ChessPosition, result: GameResult) {
    let places: &[[Square; 2]] = match result {
        GameResult::WhiteWins => &WHITE_WINS,
        GameResult::BlackWins => &BLACK_WINS,
        GameResult::Draw => &DRAW,
        _ => return,
    };
    let board = last.board();
    let king = |seat: u8| Content::man(seat, Role::King as u8 - 1);
    let free: Vec<[Square; 2]> = places
        .iter()
        .copied()
        .filter(|pair| pair.iter().all(|&square| board.role_at(square).is_none_or(|role| role == Role::King)))
        .collect();
    let Some(pair) = script.pick(if free.is_empty() { places } else { &free }) else { return };
    for square in board.kings() {
        script.wait(PACE_MS);
        script.lift(square.into());
    }
    for (seat, square) in (0u8..).zip(pair) {
        script.wait(PACE_MS);
        if board.role_at(square).is_some_and(|role| role != Role::King) {
            script.lift(square.into());
            script.wait(PACE_MS);
        }
        script.place(square.into(), king(seat));
    }
    script.now_ms += STAY_MS;
}
