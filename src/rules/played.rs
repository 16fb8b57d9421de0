//! A move with the position that it was made in, of any variant: written out only when somebody
//! reads it, because `san` costs more than finding the move did.

use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position as _};

use crate::sensor::Side;

/// A move and the position before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Played {
    /// Chess and Chess960.
    Chess {
        /// Before the move.
        before: Chess,
        /// The move.
        mv: Move,
        /// How castling is written: `e1g1`, or king takes rook.
        mode: CastlingMode,
    },
}

impl Played {
    /// Who moved.
    #[must_use]
    pub fn side(&self) -> Side {
        let Self::Chess { before, .. } = self;
        if before.turn().is_white() { Side::White } else { Side::Black }
    }

    /// Standard algebraic notation with check and mate signs.
    #[must_use]
    pub fn san(&self) -> String {
        let Self::Chess { before, mv, .. } = self;
        SanPlus::from_move(before.clone(), *mv).to_string()
    }

    /// From-to notation; castling is `e1g1`, in Chess960 king takes rook.
    #[must_use]
    pub fn uci(&self) -> String {
        let Self::Chess { mv, mode, .. } = self;
        UciMove::from_move(*mv, *mode).to_string()
    }

    /// FEN of the position after the move; en passant only where a capture is legal.
    #[must_use]
    pub fn fen(&self) -> String {
        let Self::Chess { before, mv, .. } = self;
        let mut after = before.clone();
        after.play_unchecked(*mv);
        Fen::from_position(&after, EnPassantMode::Legal).to_string()
    }

    /// FEN of the position before the move.
    #[must_use]
    pub fn fen_before(&self) -> String {
        let Self::Chess { before, .. } = self;
        Fen::from_position(before, EnPassantMode::Legal).to_string()
    }
}
