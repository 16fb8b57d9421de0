//! What the tracker and the table ask of a game's family.

use std::fmt::Debug;

use super::start::WrongStart;
use super::{Family, Move, Position, Reach};
use crate::sensor::Content;
use crate::square::Square;

/// A game's family: its board, its arrays and how they are read from one.
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
    /// What stands on the board and whose turn it is.
    type Position: Position<Move = Self::Move, Key = Self::Key>;
    /// A move in a position.
    type Move: Move;
    /// What makes two positions the same (9.2.2).
    type Key: Copy + Ord + Debug;
    /// A picture, ready to be compared with many positions.
    type Reach: Reach<Self::Position>;

    /// The array from which games start.
    fn array() -> Self::Position;

    /// The position of a game about to start, if `contents` is a start array as a sensor sees it that
    /// tells men apart (`named`) or does not. `shuffled` accepts any array of Chess960.
    fn recognise_start(contents: &[Content], named: bool, shuffled: bool) -> Option<Self::Position>;

    /// What is wrong with an array from which a game is about to start; `None` if it is `agreed`, or
    /// without an agreed one the start array. `shuffled`: any array of Chess960 will do.
    fn wrong_start(
        contents: &[Content],
        agreed: Option<&Self::Position>,
        named: bool,
        shuffled: bool,
    ) -> Option<WrongStart>;

    /// The start array that comes nearest to what stands there, of those that `usual` allows.
    fn nearest_array(contents: &[Content], usual: &Self::Position, named: bool) -> Self::Position;

    /// The position of a game that starts from what stands there all the same.
    fn start_from(contents: &[Content], agreed: Option<&Self::Position>, shuffled: bool) -> Self::Position;

    /// Reads the text that [`Position::fen`] writes, castling written as in `like`.
    ///
    /// # Errors
    /// What is wrong with the text.
    fn read(text: &str, like: &Self::Position) -> Result<Self::Position, String>;

    /// The placement squares on which resting kings signal a result, and which result it is:
    /// `None` if the kings of `contents` do not signal one.
    fn king_signal(contents: &[Content]) -> Option<KingSignal>;

    /// File and rank of `square`, both counted from 0.
    fn coordinates(square: Square) -> (u8, u8);

    /// The square on that file and rank, if the board has it.
    fn square_at(file: u8, rank: u8) -> Option<Square>;

    /// The game's square over `square` of a sensor that lies turned by 0, 90, 180 or 270 degrees. At
    /// 90 White's first rank lies on the sensor's a-file.
    fn turned(square: Square, degrees: u32) -> Square;
}

/// Kings on the centre squares: the players' own way to enter a result (dgt-protocol 4.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KingSignal {
    /// White's king, Black's king.
    pub squares: [Square; 2],
    /// What they say.
    pub result: super::GameResult,
}
