//! What a picture shows that no legal move explains: a move half done, an illegal one, a move out of
//! turn, pieces displaced (laws-model 5, "telling them apart"; 3.1 to 3.9 for the kinds).

mod chess;
mod picture;

use crate::square::Square;
use crate::words::words;

pub(super) use chess::departure;
pub(super) use picture::{Change, Picture};

words! {
    /// The registry's kinds of `illegal-move-completed`.
    Kind {
        /// Geometry not allowed for that piece (3.2 to 3.8.1).
        Movement = "movement",
        /// Passes over a piece (3.5, 3.7).
        PathBlocked = "path-blocked",
        /// Own piece removed (3.1).
        OwnPieceCaptured = "own-piece-captured",
        /// Own king left or placed in check (1.4.1, 3.9.2).
        SelfCheck = "self-check",
        /// Enemy king removed and replaced (1.4.1).
        KingCaptured = "king-captured",
        /// King or rook has moved, or castling is banned (3.8.2.1).
        CastlingRightLost = "castling-right-lost",
        /// A square of the king's way is attacked (3.8.2.2.1).
        CastlingThroughCheck = "castling-through-check",
        /// A piece stands between king and rook (3.8.2.2.2).
        CastlingBlocked = "castling-blocked",
        /// Pressed with the rook not moved (3.8.2, 4.7.2).
        CastlingIncomplete = "castling-incomplete",
        /// King and rook moved in one turn, the king more than one step, not to where castling takes them (3.8; T8).
        CastlingWrong = "castling-wrong",
        /// Not the immediate reply (3.7.4.2).
        EnPassantLate = "en-passant-late",
        /// Captured pawn left on the board (3.7.4.1, 4.7.1).
        EnPassantNotRemoved = "en-passant-not-removed",
        /// A king or an enemy-coloured piece placed (3.7.5.1).
        PromotionPiece = "promotion-piece",
        /// More than one piece moved as one move (1.1, 3.1).
        SeveralPieces = "several-pieces",
        /// Confirmed by the arbiter (7.5.4).
        TwoHands = "two-hands",
        /// Four-player chess: a man of the partner was taken off (T3).
        PartnerCaptured = "partner-captured",
        /// Four-player chess: a man of the partner was moved (T2).
        PartnerPieceMoved = "partner-piece-moved",
        /// Four-player chess: a pawn on the partner's back row was moved (T5).
        DeadPawnMoved = "dead-pawn-moved",
        /// Four-player chess: a pawn on the partner's back row became another man (T5).
        PromotionOnPartnerEnd = "promotion-on-partner-end",
        /// Four-player chess: a pawn became another man at the side of an arm (T5).
        PromotionOnSideSquare = "promotion-on-side-square",
    }
}

impl Kind {
    /// Is it about king and rook that moved together?
    #[must_use]
    pub fn is_of_castling(self) -> bool {
        matches!(
            self,
            Self::CastlingRightLost
                | Self::CastlingThroughCheck
                | Self::CastlingBlocked
                | Self::CastlingWrong
        )
    }
}

/// What a picture shows beside the position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Departure<M> {
    /// Nothing: the picture is the position.
    None,
    /// Men are missing and none has arrived anywhere: they are in a hand, or were taken off.
    Lifted {
        /// From where.
        squares: Vec<Square>,
    },
    /// The king stands where castling takes it, the rook has not moved, or in Chess960 the other way round; the castling
    /// would be legal.
    CastlingHalf {
        /// Where the one that has moved stood.
        from: Square,
        /// Where it stands.
        to: Square,
    },
    /// A pawn stands on the last rank.
    PromotionHalf {
        /// Where the pawn stood.
        from: Square,
        /// Where it stands.
        square: Square,
    },
    /// The side to move moved one man, and that was no legal move; or castled, or took en passant so. In
    /// four-player chess the man may be the partner's ([`Kind::PartnerPieceMoved`]), or a pawn of anybody
    /// that became another man where it stands (`from` and `to` are one square then).
    Illegal {
        /// Where the man stood.
        from: Square,
        /// Where it stands.
        to: Square,
        /// A man that was taken off for it.
        captured: Option<Square>,
        /// What is wrong.
        kinds: Vec<Kind>,
    },
    /// The side to move moved several men, each as it could.
    Several {
        /// Every square that changed.
        squares: Vec<Square>,
    },
    /// The waiting side made what would be a legal move; in four-player chess any other player, whose
    /// man it is.
    OutOfTurn(M),
    /// Anything else.
    Displaced {
        /// Every square that changed.
        squares: Vec<Square>,
        /// Men that stand nowhere now, by the square where they stood.
        missing: Vec<Square>,
        /// Men that nothing brought.
        extra: Vec<Square>,
    },
}

impl<M> Departure<M> {
    /// King and rook moved together, which was not legal.
    #[must_use]
    pub fn is_of_castling(&self) -> bool {
        matches!(self, Self::Illegal { kinds, .. } if kinds.iter().any(|kind| kind.is_of_castling()))
    }
}
