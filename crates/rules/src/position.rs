//! What the tracker and the table ask of a position and of a move, whatever the board.

use crate::words::words;
use std::fmt::Debug;

use super::departure::Departure;
use super::legality::Reason;
use super::mate::Dead;
use super::prior::prior;
use super::rest::Rest;
use super::{MateTest, Mirrored, Need, Played, Seated, Shown};
use crate::sensor::{Army, Content, Side};
use crate::square::Square;

/// A position: a value, cheap to clone.
///
/// `infer` and `table` ask it for everything that is true of what stands on the board and whose turn it is.
pub trait Position: Clone + Debug + Send + Sync {
    /// A move in a position.
    type Move: Move;
    /// What makes two positions the same (9.2.2).
    type Key: Copy + Ord + Debug;

    /// The legal moves, appended to `moves`.
    fn legal_moves(&self, moves: &mut Vec<Self::Move>);

    /// The position after the legal move `mv`.
    fn play(&self, mv: Self::Move) -> Self;

    /// The same position by the rules of the event that `like` is played by, as far as the men do not tell them.
    fn under(&self, like: &Self) -> Self;

    /// The squares that `mv` changes.
    fn footprint(&self, mv: Self::Move) -> Footprint;

    /// What stands on `square`.
    fn content(&self, square: Square) -> Content;

    /// Whose turn it is.
    fn turn(&self) -> Side;

    /// The player whose turn it is stands in check.
    fn is_in_check(&self) -> bool;

    /// Whose men may move, as [`Content::man`] counts armies.
    fn army(&self) -> Army;

    /// The same position with `army` to move.
    fn with_army(&self, army: Army) -> Self;

    /// The same position with `side` to move.
    fn with_turn(&self, side: Side) -> Self;

    /// The player of `army`, where a side has several; `None` where the side says it all.
    fn seated(&self, army: Army) -> Option<Seated>;

    /// Armies whose king would be mated if their turn came now; never the one to move, and none where the next
    /// turn is always the mated one's.
    fn mate_threats(&self) -> Vec<Army>;

    /// How the position ends the game, if it does.
    fn end(&self) -> Option<End>;

    /// What the exchange on the square of arrival wins at once, in pawns: the victim, less the capturer where the
    /// square is defended; a queen at most, either way.
    fn gain(&self, mv: Self::Move) -> i32;

    /// How likely a player is to choose `mv`, compared with the other moves: 1/1024 nat, 0 for an
    /// ordinary move, negative for one that gives a piece away. Only used between moves that the
    /// sensors cannot tell apart.
    fn prior(&self, mv: Self::Move) -> i32 {
        prior(self.gain(mv))
    }

    /// True if the man on `square` has a legal move with which it becomes another one.
    fn may_promote(&self, square: Square) -> bool;

    /// What the piece of `mv` may still do once it rests on its new square.
    fn rest(&self, mv: Self::Move) -> Rest;

    /// Move, position before and after it, ready to be written out.
    fn played(&self, mv: Self::Move) -> Played;

    /// The position to play on from when `contents` stand on the board after something illegal was
    /// played: the other side is to move.
    fn stood(&self, contents: &[Content]) -> Self;

    /// The position to play on from when the arbiter accepts the `contents` that stand on the board. To move
    /// is a player of `side`, or without one the player who was to move before.
    fn accepted(&self, contents: &[Content], side: Option<Side>) -> Self;

    /// What led from here to `after` and was no legal move, ready to be written out.
    fn played_stood(&self, after: &Self) -> Played;

    /// The key for repetitions.
    fn key(&self) -> Self::Key;

    /// Half-moves since the last that cannot be undone: a pawn's move, a capture (9.3).
    fn halfmoves(&self) -> u32;

    /// Can `winner` mate by any series of legal moves? Looks at no more than `nodes` positions.
    fn can_mate(&self, winner: Side, nodes: u32) -> MateTest;

    /// Whether neither side can mate any more (5.2.2), as it is asked after every ply.
    fn dead(&self, nodes: u32) -> Dead;

    /// The registry's subs of `illegal-position` that hold here (A.4.4).
    fn illegal_position(&self) -> Vec<IllegalPositionKind>;

    /// Where the king of the castling `mv` arrives.
    fn castling_target(&self, mv: Self::Move) -> Option<Square>;

    /// A king's step from `from` to `to` that can only mean castling, legal or not: two squares along
    /// his home rank (never in Chess960, where it may be a plain move of the king).
    fn is_castling_step(&self, from: Square, to: Square) -> bool;

    /// King and rook of a castling may be taken in any order (Chess960, II.3.2.5).
    fn castles_in_any_order(&self) -> bool;

    /// How a settled picture that no legal move explains departs from the position: squares of which
    /// the sensor shows something else, as a sensor sees them that tells men apart (`named`) or not.
    fn departure(&self, contents: &[Content], named: bool) -> Departure<Self::Move>;

    /// FEN, or the variant's text of the position.
    fn fen(&self) -> String;

    /// The position, ready to be written out.
    fn shown(&self) -> Shown;

    /// How the men of a start array are laid out, where the rules know several ways: the parameter that sets
    /// it, and the name of what is set.
    fn layout(&self) -> Vec<(&'static str, &'static str)>;

    /// The start array of another layout that looks just like this one where a board feels squares only; `None` where there
    /// is no other, or this is no start array.
    fn other_layout(&self) -> Option<Self>;

    /// Kings, and single rooks by their square, that stand wrong at this start of a game for which
    /// another array was `agreed`: no castling with them (A.4.1.2).
    fn misplaced(&self, agreed: Option<&Self>) -> Vec<(Side, Option<Square>)>;

    /// Numbers of men that no series of moves gives (3.10.3).
    fn impossible_counts(&self) -> Vec<Reason>;

    /// Moves that each side has made before, by [`Side::index`], as the position tells.
    fn moves_before(&self) -> [u32; 2];

    /// A castling with king and queen exchanged from the start that `contents` show, whole or half
    /// (national blitz). Whether king and rook have moved before is for the caller to know.
    fn mirrored_castling(&self, contents: &[Content], named: bool) -> Option<Mirrored<Self>>;

    /// The same position without the castling rights of `side`: all of them, or that with the rook on
    /// one square (A.4.1.2).
    fn without_castling(&self, side: Side, rook: Option<Square>) -> Self;
}

/// A move in a position, as far as it says itself what it does.
pub trait Move: Copy + Eq + Debug + Send + Sync {
    /// True if it is one of several that leave the same squares occupied and differ only in the
    /// man chosen: a promotion to anything but the usual piece.
    fn is_unusual_promotion(self) -> bool;

    /// The square next to the target over which a man comes who is dragged there straight; `None` for
    /// one that cannot be.
    fn last_step(self) -> Option<Square>;

    /// Squares that its pieces leave; twice the same if it is one. (A castling king of Chess960
    /// may stay where he is, but not the rook as well.)
    fn departures(self) -> [Square; 2];

    /// King and rook of a castling, by the squares on which they stand; `None` for any other move.
    fn castling(self) -> Option<(Square, Square)>;
}

/// A picture, ready to be compared with many positions.
pub trait Reach<P>: Debug {
    /// The picture `contents`, as a sensor shows it that tells men apart (`named`) or does not.
    fn new(contents: &[Content], named: bool) -> Self;

    /// The fewest moves from `position` to the picture; `None` if no moves lead there.
    fn need(&self, position: &P) -> Option<Need>;
}

/// The squares that a move changes: at most four (castling), each from what to what, the square
/// that the mover leaves first and the square that he arrives on last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Footprint {
    changes: [(Square, Content, Content); 4],
    len: u8,
}

impl Footprint {
    /// A footprint of these changes, at most four; a square that stays as it is, is left out.
    #[must_use]
    pub fn new(changes: &[(Square, Content, Content)]) -> Self {
        let mut footprint = Self::default();
        for &change in changes.iter().filter(|change| change.1 != change.2) {
            footprint.changes[usize::from(footprint.len)] = change;
            footprint.len += 1;
        }
        footprint
    }

    /// The footprint of a man that leaves one square and arrives on another.
    #[must_use]
    #[inline]
    pub(crate) fn of_one_man(left: (Square, Content, Content), filled: (Square, Content, Content)) -> Self {
        let nothing = (Square::default(), Content::EMPTY, Content::EMPTY);
        Self { changes: [left, filled, nothing, nothing], len: 2 }
    }

    /// `(square, before, after)` for each changed square.
    #[must_use]
    #[inline]
    pub fn changes(&self) -> &[(Square, Content, Content)] {
        &self.changes[..usize::from(self.len)]
    }
}

words! {
    /// What makes a position illegal where few arbiters watch (A.4.4).
    IllegalPositionKind {
        /// Both kings are in check.
        BothKingsInCheck = "both-kings-in-check",
        /// A pawn stands on its last rank.
        PawnOnLastRank = "pawn-on-last-rank",
    }
}

/// How a position ends the game by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The side to move is mated (5.1.1).
    Checkmate,
    /// The side to move has no legal move and is not in check (5.2.1).
    Stalemate,
    /// Neither side can mate by any series of legal moves (5.2.2), as far as material shows.
    DeadPosition,
}

impl End {
    /// The registry's name of the outcome.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Checkmate => "checkmate",
            Self::Stalemate => "stalemate",
            Self::DeadPosition => "dead-position",
        }
    }
}
