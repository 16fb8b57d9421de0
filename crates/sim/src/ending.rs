//! After the last move: the kings go to the centre squares by the result (dgt-protocol 4.5).

use shakmaty::Square as ChessSquare;

use super::habits::SpanMs;
use super::script::Script;
use adoube_rules::sensor::{Army, Content, Role};
use adoube_rules::square::Square;
use adoube_rules::{GameResult, Position as _, Variant};

/// Between two acts of a player who enters the result without haste.
const PACE_MS: SpanMs = (300.0, 900.0);

/// How long the kings stay: DGT asks for five seconds.
const STAY_MS: f64 = 5_000.0;

/// White's and Black's king on the centre squares of chess. Which of these mean a result, and which, the game says:
/// where it knows no such signal, none does.
const PAIRS: [[ChessSquare; 2]; 12] = [
    [ChessSquare::E4, ChessSquare::D5],
    [ChessSquare::D5, ChessSquare::E4],
    [ChessSquare::D4, ChessSquare::E5],
    [ChessSquare::E5, ChessSquare::D4],
    [ChessSquare::D4, ChessSquare::E4],
    [ChessSquare::E4, ChessSquare::D4],
    [ChessSquare::D5, ChessSquare::E5],
    [ChessSquare::E5, ChessSquare::D5],
    [ChessSquare::D4, ChessSquare::D5],
    [ChessSquare::D5, ChessSquare::D4],
    [ChessSquare::E4, ChessSquare::E5],
    [ChessSquare::E5, ChessSquare::E4],
];

/// Lifts both kings first, so that neither is taken for a move, then sets them down; a man who
/// stands in the way is taken off. Results without kings on the board have no such signal.
pub(super) fn signal<V: Variant>(script: &mut Script, last: &V::Position, result: GameResult) {
    let is_king = |square: Square| last.content(square).role() == Some(Role::King);
    let is_free = |square: Square| last.content(square).is_empty() || is_king(square);
    let means_it = |pair: &[Square; 2]| {
        let mut contents = vec![Content::EMPTY; V::SQUARES];
        for (army, &square) in Army::ALL.into_iter().zip(pair) {
            contents[square] = Content::man(army, Role::King);
        }
        V::king_signal(&contents).is_some_and(|signal| signal.result == result)
    };
    let places: Vec<[Square; 2]> =
        PAIRS.map(|pair| pair.map(Into::into)).into_iter().filter(means_it).collect();
    let free: Vec<[Square; 2]> =
        places.iter().copied().filter(|pair| pair.iter().all(|&square| is_free(square))).collect();
    let Some(pair) = script.pick(if free.is_empty() { &places } else { &free }) else { return };
    for square in adoube_core::infer::squares::<V>().filter(|&square| is_king(square)) {
        script.wait(PACE_MS);
        script.lift(square);
    }
    for (army, square) in Army::ALL.into_iter().zip(pair) {
        script.wait(PACE_MS);
        if !is_free(square) {
            script.lift(square);
            script.wait(PACE_MS);
        }
        script.place(square, Content::man(army, Role::King));
    }
    script.now_ms += STAY_MS;
}
