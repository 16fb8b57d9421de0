//! What the tracker and the table ask of a game, whatever its board.

use std::fmt::Debug;

use super::departure::Departure;
use super::legality::Reason;
use super::mate::Dead;
use super::rest::Rest;
use super::start::WrongStart;
use super::{Family, MateTest, Mirrored, Need, Seated};
use crate::sensor::{Content, Side};

/// The squares that a move changes: at most four (castling), each from what to what, the square
/// that the mover leaves first and the square that he arrives on last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Footprint {
    changes: [(u8, Content, Content); 4],
    len: u8,
}

impl Footprint {
    /// A footprint of these changes, at most four; a square that stays as it is, is left out.
    #[must_use]
    pub fn new(changes: &[(u8, Content, Content)]) -> Self {
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
    pub fn of_one_man(left: (u8, Content, Content), filled: (u8, Content, Content)) -> Self {
        let nothing = (0, Content::EMPTY, Content::EMPTY);
        Self { changes: [left, filled, nothing, nothing], len: 2 }
    }

    /// `(square, before, after)` for each changed square.
    #[must_use]
    #[inline]
    pub fn changes(&self) -> &[(u8, Content, Content)] {
        &self.changes[..usize::from(self.len)]
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

/// A game's family: its geometry, its moves and what each of them does to the squares.
///
/// `infer` and `table` are generic over it and know nothing else about chess.
pub trait Variant: Debug + Copy + Send + Sync + 'static {
    /// Its board and men, as they are written.
    const FAMILY: Family;
    /// How many armies there are. Army `n` plays for side `n & 1`; more than one of a side are partners.
    const ARMIES: usize;
    /// How many squares the board has; squares are numbered below it.
    const SQUARES: usize;
    /// How many men stand in a start array.
    const MEN: usize;
    /// A position: a value, cheap to clone.
    type Position: Clone + Debug + Send + Sync;
    /// What makes two positions the same (9.2.2).
    type Key: Copy + Ord + Debug;
    /// A move in a position.
    type Move: Copy + Eq + Debug + Send + Sync;
    /// A picture, ready to be compared with many positions.
    type Reach: Debug;

    /// The position from which a game starts where nobody said otherwise.
    fn usual_start() -> Self::Position;

    /// The legal moves of `position`, appended to `moves`.
    fn legal_moves(position: &Self::Position, moves: &mut Vec<Self::Move>);

    /// The position after the legal move `mv`.
    fn play(position: &Self::Position, mv: Self::Move) -> Self::Position;

    /// The same position by the rules of the event that `like` is played by, as far as the men do not tell them.
    fn under(position: &Self::Position, like: &Self::Position) -> Self::Position {
        let _ = like;
        position.clone()
    }

    /// The squares that `mv` changes.
    fn footprint(position: &Self::Position, mv: Self::Move) -> Footprint;

    /// What stands on `square`.
    fn content(position: &Self::Position, square: u8) -> Content;

    /// Whose turn it is.
    fn turn(position: &Self::Position) -> Side;

    /// Whose men may move, as [`Content::man`] counts armies.
    fn army(position: &Self::Position) -> u8;

    /// The same position with `army` to move.
    fn with_army(position: &Self::Position, army: u8) -> Self::Position;

    /// The player of `army`, where a side has several; `None` where the side says it all.
    fn seated(position: &Self::Position, army: u8) -> Option<Seated> {
        let _ = (position, army);
        None
    }

    /// Armies whose king would be mated if their turn came now; never the one to move, and none where the next
    /// turn is always the mated one's.
    fn mate_threats(position: &Self::Position) -> Vec<u8> {
        let _ = position;
        Vec::new()
    }

    /// How `position` ends the game, if it does.
    fn end(position: &Self::Position) -> Option<End>;

    /// How likely a player is to choose `mv`, compared with the other moves: 1/1024 nat, 0 for an
    /// ordinary move, negative for one that gives a piece away. Only used between moves that the
    /// sensors cannot tell apart.
    fn prior(position: &Self::Position, mv: Self::Move) -> i32;

    /// The picture `contents`, as a sensor shows it that tells men apart (`named`) or does not.
    fn reach(contents: &[Content], named: bool) -> Self::Reach;

    /// The fewest moves from `position` to the picture; `None` if no moves lead there.
    fn need(reach: &Self::Reach, position: &Self::Position) -> Option<Need>;

    /// True if `mv` is one of several that leave the same squares occupied and differ only in the
    /// man chosen: a promotion to anything but the usual piece.
    fn is_unusual_promotion(mv: Self::Move) -> bool;

    /// True if the man on `square` has a legal move with which it becomes another one.
    fn may_promote(position: &Self::Position, square: u8) -> bool;

    /// What the man of `mv` may still do once he rests on his new square.
    fn rest(position: &Self::Position, mv: Self::Move) -> Rest;

    /// The square next to the target over which a man comes who is dragged there straight; `None` for
    /// one that cannot be.
    fn last_step(mv: Self::Move) -> Option<u8>;

    /// File and rank of `square`, both counted from 0.
    fn coordinates(square: u8) -> (u8, u8);

    /// The square on that file and rank, if the board has it.
    fn square_at(file: u8, rank: u8) -> Option<u8>;

    /// Squares that the men of `mv` leave; twice the same if it is one. (A castling king of Chess960
    /// may stay where he is, but not the rook as well.)
    fn departures(mv: Self::Move) -> [u8; 2];

    /// Move, position before and after it, ready to be written out.
    fn played(position: &Self::Position, mv: Self::Move) -> super::Played;

    /// The position to play on from when `contents` stand on the board after something illegal was
    /// played from `before`: the other side is to move.
    fn stood(before: &Self::Position, contents: &[Content]) -> Self::Position;

    /// The position to play on from when the arbiter accepts the `contents` that stand on the board. To move
    /// is a player of `side`, or without one the player who was to move before.
    fn accepted(before: &Self::Position, contents: &[Content], side: Option<Side>) -> Self::Position {
        let stood = Self::stood(before, contents);
        match side {
            Some(side) => Self::with_turn(&stood, side),
            None => Self::with_army(&stood, Self::army(before)),
        }
    }

    /// What led from `before` to `after` and was no legal move, ready to be written out.
    fn played_stood(before: &Self::Position, after: &Self::Position) -> super::Played;

    /// The placement squares on which resting kings signal a result, and which result it is:
    /// `None` if the kings of `contents` do not signal one.
    fn king_signal(contents: &[Content]) -> Option<KingSignal>;

    /// The array from which games start.
    fn array() -> Self::Position;

    /// The position of a game about to start, if `contents` is a start array as a sensor sees it that
    /// tells men apart (`named`) or does not. `shuffled` accepts any array of Chess960.
    fn recognise_start(contents: &[Content], named: bool, shuffled: bool) -> Option<Self::Position>;

    /// The key of `position` for repetitions.
    fn key(position: &Self::Position) -> Self::Key;

    /// Half-moves since the last that cannot be undone: a pawn's move, a capture (9.3).
    fn halfmoves(position: &Self::Position) -> u32;

    /// The same position with `side` to move.
    fn with_turn(position: &Self::Position, side: Side) -> Self::Position;

    /// Can `winner` mate by any series of legal moves? Looks at no more than `nodes` positions.
    fn can_mate(position: &Self::Position, winner: Side, nodes: u32) -> MateTest;

    /// Whether neither side can mate any more (5.2.2), as it is asked after every ply.
    fn dead(position: &Self::Position, nodes: u32) -> Dead;

    /// The registry's subs of `illegal-position` that hold here (A.4.4).
    fn illegal_position(position: &Self::Position) -> Vec<&'static str>;

    /// King and rook of a castling, by the squares on which they stand; `None` for any other move.
    fn castling(position: &Self::Position, mv: Self::Move) -> Option<(u8, u8)>;

    /// Where the king of the castling `mv` arrives.
    fn castling_target(position: &Self::Position, mv: Self::Move) -> Option<u8>;

    /// A king's step from `from` to `to` that can only mean castling, legal or not: two squares along
    /// his home rank (never in Chess960, where it may be a plain move of the king).
    fn is_castling_step(position: &Self::Position, from: u8, to: u8) -> bool;

    /// King and rook of a castling may be taken in any order (Chess960, II.3.2.5).
    fn castles_in_any_order(position: &Self::Position) -> bool;

    /// How a settled picture that no legal move explains departs from `position`: squares of which
    /// the sensor shows something else, as a sensor sees them that tells men apart (`named`) or not.
    fn departure(position: &Self::Position, contents: &[Content], named: bool) -> Departure<Self::Move>;

    /// FEN, or the variant's text of a position.
    fn fen(position: &Self::Position) -> String;

    /// The position, ready to be written out.
    fn shown(position: &Self::Position) -> super::Shown;

    /// The start array that comes nearest to what stands there, of those that `usual` allows.
    fn nearest_array(contents: &[Content], usual: &Self::Position, named: bool) -> Self::Position {
        let _ = (contents, named);
        usual.clone()
    }

    /// How the men of a start array are laid out, where the rules know several ways: the parameter that sets
    /// it, and the name of what is set.
    fn layout(start: &Self::Position) -> Vec<(&'static str, &'static str)> {
        let _ = start;
        Vec::new()
    }

    /// What is wrong with an array from which a game is about to start; `None` if it is `agreed`, or
    /// without an agreed one the start array. `shuffled`: any array of Chess960 will do.
    fn wrong_start(
        contents: &[Content],
        agreed: Option<&Self::Position>,
        named: bool,
        shuffled: bool,
    ) -> Option<WrongStart>;

    /// The position of a game that starts from what stands there all the same.
    fn start_from(contents: &[Content], agreed: Option<&Self::Position>, shuffled: bool) -> Self::Position;

    /// Kings, and single rooks by their square, that stand wrong at the `start` of a game for which
    /// another array was `agreed`: no castling with them (A.4.1.2).
    fn misplaced(start: &Self::Position, agreed: Option<&Self::Position>) -> Vec<(Side, Option<u8>)>;

    /// Numbers of men that no series of moves gives (3.10.3).
    fn impossible_counts(position: &Self::Position) -> Vec<Reason>;

    /// Moves that each side has made before `position`, by [`Side::index`], as the position tells.
    fn moves_before(position: &Self::Position) -> [u32; 2];

    /// A castling with king and queen exchanged from the start that `contents` show, whole or half
    /// (national blitz). Whether king and rook have moved before is for the caller to know.
    fn mirrored_castling(
        position: &Self::Position,
        contents: &[Content],
        named: bool,
    ) -> Option<Mirrored<Self::Position>>;

    /// The game's square over `square` of a sensor that lies turned by 0, 90, 180 or 270 degrees. At
    /// 90 White's first rank lies on the sensor's a-file.
    fn turned(square: u8, degrees: u32) -> u8;

    /// Reads the text that [`Variant::fen`] writes, castling written as in `like`.
    ///
    /// # Errors
    /// What is wrong with the text.
    fn read(text: &str, like: &Self::Position) -> Result<Self::Position, String> {
        let _ = like;
        Err(format!("\"{text}\": positions of this game cannot be entered"))
    }

    /// The same position without the castling rights of `side`: all of them, or that with the rook on
    /// one square (A.4.1.2).
    #[must_use]
    fn without_castling(position: &Self::Position, side: Side, rook: Option<u8>) -> Self::Position {
        let _ = (side, rook);
        position.clone()
    }
}

/// Kings on the centre squares: the players' own way to enter a result (dgt-protocol 4.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KingSignal {
    /// White's king, Black's king.
    pub squares: [u8; 2],
    /// What they say.
    pub result: super::GameResult,
}
