//! Positions of the tests.

use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, PositionError};

/// The position of a FEN. No game need lead to it: nine queens and impossible checks are asked about as well.
pub(crate) fn read(fen: &str) -> Chess {
    let fen: Fen = fen.parse().unwrap();
    let position = fen.into_position(CastlingMode::Standard);
    let position = position.or_else(PositionError::ignore_too_much_material);
    position.or_else(PositionError::ignore_impossible_check).unwrap()
}
