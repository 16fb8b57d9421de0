//! A move with the position that it was made in, of any variant: written out only when somebody
//! reads it, because `san` costs more than finding the move did.

use shakmaty::san::{San, SanPlus, Suffix};
use shakmaty::uci::UciMove;
use shakmaty::{Move, MoveList};

use super::chess::side;
use super::four::{FourMove, FourPosition, FourStood};
use super::stood::Stood;
use super::{ChessPosition, End, Position as _, Seated};
use crate::sensor::Side;

/// A move and the position before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Played {
    /// A legal move of chess or Chess960.
    Chess {
        /// Before the move.
        before: ChessPosition,
        /// The move.
        mv: Move,
    },
    /// Something illegal, from which the game goes on.
    Stood(Box<Stood>),
    /// A legal move of four-player chess.
    Four {
        /// Before the move.
        before: Box<FourPosition>,
        /// The move.
        mv: FourMove,
    },
    /// Something illegal there, from which the game goes on.
    FourStood(Box<FourStood>),
}

impl Played {
    /// What led from `before` to `after` and was no legal move, but stands (A.4.2).
    #[must_use]
    pub fn stood(before: ChessPosition, after: ChessPosition) -> Self {
        Self::Stood(Box::new(Stood { before, after }))
    }

    /// Who moved.
    #[must_use]
    pub fn side(&self) -> Side {
        match self {
            Self::Chess { before, .. } => before.turn(),
            Self::Stood(stood) => side(stood.mover()),
            Self::Four { before, .. } => before.turn(),
            Self::FourStood(stood) => stood.mover().side(),
        }
    }

    /// Which of several players of that side.
    #[must_use]
    pub fn seated(&self) -> Option<Seated> {
        match self {
            Self::Chess { .. } | Self::Stood(_) => None,
            Self::Four { before, .. } => before.seated(before.army()),
            Self::FourStood(stood) => stood.before.seated(stood.mover().number()),
        }
    }

    /// Standard algebraic notation with check and mate signs; what is not legal is written from
    /// square to square (`Bc1-g5`), or as the list of the squares that it changed.
    #[must_use]
    pub fn san(&self) -> String {
        match self {
            Self::Chess { before, mv } => match before.regular() {
                Some(chess) => SanPlus::from_move(chess.clone(), *mv).to_string(),
                None => irregular_san(before, *mv).to_string(),
            },
            Self::Stood(stood) => stood.san(),
            Self::Four { before, mv } => before.san(*mv),
            Self::FourStood(stood) => stood.san(),
        }
    }

    /// The same without signs of check and mate, as lists of moves are written.
    #[must_use]
    pub fn bare_san(&self) -> String {
        if let Self::Chess { before, mv } = self
            && let Some(chess) = before.regular()
        {
            return San::from_move(chess, *mv).to_string();
        }
        let mut san = self.san();
        san.truncate(san.trim_end_matches(['+', '#']).len());
        san
    }

    /// True if it was a legal move.
    #[must_use]
    pub fn is_legal(&self) -> bool {
        !matches!(self, Self::Stood(_) | Self::FourStood(_))
    }

    /// From-to notation; castling is `e1g1`, in Chess960 king takes rook. What is no movement of one
    /// man is `0000`.
    #[must_use]
    pub fn uci(&self) -> String {
        match self {
            Self::Chess { before, mv } => UciMove::from_move(*mv, before.mode()).to_string(),
            Self::Stood(stood) => stood.uci(),
            Self::Four { before, mv } => before.uci(*mv),
            Self::FourStood(stood) => stood.uci(),
        }
    }

    /// FEN of the position after the move; en passant only where a capture is legal.
    #[must_use]
    pub fn fen(&self) -> String {
        match self {
            Self::Chess { before, mv } => before.play(*mv).fen(),
            Self::Stood(stood) => stood.after.fen(),
            Self::Four { before, mv } => before.play(*mv).fen(),
            Self::FourStood(stood) => stood.after.fen(),
        }
    }

    /// FEN of the position before the move.
    #[must_use]
    pub fn fen_before(&self) -> String {
        match self {
            Self::Chess { before, .. } => before.fen(),
            Self::Stood(stood) => stood.before.fen(),
            Self::Four { before, .. } => before.fen(),
            Self::FourStood(stood) => stood.before.fen(),
        }
    }
}

fn irregular_san(before: &ChessPosition, mv: Move) -> SanPlus {
    let mut legal = Vec::new();
    before.legal_moves(&mut legal);
    // The list of `shakmaty` has an end; men of one kind that reach one square are few enough.
    let alike: MoveList =
        legal.into_iter().filter(|other| other.role() == mv.role() && other.to() == mv.to()).collect();
    let after = before.play(mv);
    let suffix = match after.end() {
        Some(End::Checkmate) => Some(Suffix::Checkmate),
        _ => after.is_check().then_some(Suffix::Check),
    };
    SanPlus { san: San::disambiguate(mv, &alike), suffix }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn san(fen: &str, uci: &str) -> String {
        let position = ChessPosition::from_fen(fen, false).unwrap();
        assert!(!position.is_regular(), "{fen}");
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let played = moves.into_iter().map(|mv| position.played(mv));
        played.into_iter().find(|played| played.uci() == uci).unwrap().san()
    }

    #[test]
    fn moves_of_irregular_positions_are_written_as_others() {
        // Black's king is in check and White to move.
        let checked = "4k3/8/8/8/8/8/R6R/4QK2 w - - 0 1";
        assert_eq!(san(checked, "a2d2"), "Rad2+");
        assert_eq!(san(checked, "e1e2"), "Qe2+");
        assert_eq!(san(checked, "e1d1"), "Qd1");
        // Without kings there is no check.
        assert_eq!(san("8/4P3/8/8/8/8/8/8 w - - 0 1", "e7e8q"), "e8=Q");
        // Nine queens and eight pawns.
        assert_eq!(san("QQQQQQQQ/8/8/8/8/k7/PPPPPPPP/6QK w - - 0 1", "d8d6"), "Qdd6#");
        // Both kings in check: White has to answer.
        assert_eq!(san("4k1r1/8/8/8/8/8/4Q3/6K1 w - - 0 1", "g1f1"), "Kf1+");
        assert_eq!(san("4k1r1/8/8/8/8/8/4Q3/6K1 w - - 0 1", "e2g4"), "Qg4");
    }
}
