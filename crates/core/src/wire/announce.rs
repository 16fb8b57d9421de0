//! What a board is asked to show its players: on the display of its clock, or by its lamps.

use adoube_rules::sensor::Side;
use adoube_rules::square::Square;

/// Something that players shall see on the board, as far as it can show it.
///
/// A session keeps the last one and shows it again after a lost link; what its board cannot show it
/// drops without a word, because whoever announces has other ways, too (page, terminal).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Announcement {
    /// This move is to be made on the board.
    Move {
        /// Squares between which men move, as the sensor counts them; for lamps.
        squares: Vec<Square>,
        /// From square to square, for displays: `e7-e5`, `e7-e8q`, `0-0`; at most seven characters.
        text: String,
    },
    /// A word to the players, at most six characters: the least that a display has.
    Text(String),
    /// These squares are to be looked at, as the sensor counts them; for lamps. None: the lamps go out.
    ///
    /// It says nothing to displays and makes no sound.
    Squares(Vec<Square>),
    /// Nothing is to be shown any more; a clock shows its times again.
    Clear,
    /// The times of somebody else's clock, for a clock that can be set.
    Times {
        /// Milliseconds left at the clock's left and right end.
        left_ms: [u64; 2],
        /// The end whose time runs: White is the left one.
        running: Option<Side>,
    },
}

impl Announcement {
    /// The squares whose lamps burn from now on, all others being dark; `None`: the lamps stay as they are.
    #[must_use]
    pub fn lamps(&self) -> Option<&[Square]> {
        match self {
            Self::Move { squares, .. } | Self::Squares(squares) => Some(squares),
            Self::Text(_) | Self::Clear => Some(&[]),
            Self::Times { .. } => None,
        }
    }
}
