//! Moves in long coordinates (section 11).

use crate::Position as _;
use crate::square::Square;
use shakmaty::Role;

use super::moves::{FourMove, Manner};
use super::position::FourPosition;

/// Why a text is no move of a position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// Not written as moves are.
    #[error("\"{0}\" is no move: write h2-h4, b8xa9=Q, O-O or O-O-O")]
    Syntax(String),
    /// A square that the board does not have.
    #[error("\"{text}\": the board has no square {square}")]
    Square {
        /// The move.
        text: String,
        /// The square.
        square: String,
    },
    /// No legal move in the position.
    #[error("\"{text}\" is no legal move of {army} here")]
    Illegal {
        /// The move.
        text: String,
        /// The player to move.
        army: &'static str,
    },
}

impl FourPosition {
    /// `h2-h4`, `b8xa9=Q`, `g4xh3` (in passing alike), `O-O`, `O-O-O`: no letters of pieces, no signs
    /// of check.
    #[must_use]
    pub fn san(&self, mv: FourMove) -> String {
        let is_capture = !self.content(mv.to).is_empty() || matches!(mv.manner, Manner::EnPassant { .. });
        let sign = if is_capture { 'x' } else { '-' };
        let (from, to) = (self.square_name(mv.from), self.square_name(mv.to));
        match mv.manner {
            Manner::Castling { is_short: true, .. } => "O-O".to_owned(),
            Manner::Castling { .. } => "O-O-O".to_owned(),
            Manner::Promotion(role) => format!("{from}{sign}{to}={}", role.upper_char()),
            _ => format!("{from}{sign}{to}"),
        }
    }

    /// `h2h4`, `b8a9q`, castling by the king's squares.
    #[must_use]
    pub fn uci(&self, mv: FourMove) -> String {
        let (from, to) = (self.square_name(mv.from), self.square_name(mv.to));
        match mv.manner {
            Manner::Promotion(role) => format!("{from}{to}{}", role.char()),
            _ => format!("{from}{to}"),
        }
    }

    /// `a10`; `?200` for a number that no square has.
    #[must_use]
    pub fn square_name(&self, square: Square) -> String {
        self.geometry.name(square).unwrap_or_else(|| format!("?{}", square.number()))
    }
}

/// Reads a move of `position`: with or without `-`, `x` and `=`, castling also by the king's squares.
///
/// # Errors
/// [`MoveError`] if it is not written as a move, or is none here.
pub fn read_move(position: &FourPosition, text: &str) -> Result<FourMove, MoveError> {
    let illegal = || MoveError::Illegal { text: text.to_owned(), army: position.player().name() };
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    let castling = match text {
        "O-O" | "0-0" => Some(true),
        "O-O-O" | "0-0-0" => Some(false),
        _ => None,
    };
    if let Some(short) = castling {
        let fits =
            |mv: &FourMove| matches!(mv.manner, Manner::Castling { is_short, .. } if is_short == short);
        return moves.into_iter().find(fits).ok_or_else(illegal);
    }
    let (from, to, promotion) = split(text).ok_or_else(|| MoveError::Syntax(text.to_owned()))?;
    let square = |name: &str| {
        let missing = || MoveError::Square { text: text.to_owned(), square: name.to_owned() };
        position.geometry().square(name).ok_or_else(missing)
    };
    let (from, to) = (square(from)?, square(to)?);
    let becomes = |mv: &FourMove| match mv.manner {
        Manner::Promotion(role) => Some(role),
        _ => None,
    };
    let fits = |mv: &FourMove| mv.from == from && mv.to == to && becomes(mv) == promotion;
    moves.into_iter().find(fits).ok_or_else(illegal)
}

/// The names of two squares and what a pawn becomes.
fn split(text: &str) -> Option<(&str, &str, Option<Role>)> {
    let (from, rest) = name(text)?;
    let rest = rest.strip_prefix(['-', 'x']).unwrap_or(rest);
    let (to, rest) = name(rest)?;
    let rest = rest.strip_prefix('=').unwrap_or(rest);
    let mut letters = rest.chars();
    let promotion = match letters.next() {
        None => None,
        Some(letter) => Some(Role::from_char(letter)?),
    };
    letters.next().is_none().then_some((from, to, promotion))
}

/// What could be the name of a square, and what follows it.
fn name(text: &str) -> Option<(&str, &str)> {
    let digits = text.strip_prefix(|letter: char| letter.is_ascii_lowercase())?;
    let rest = digits.trim_start_matches(|letter: char| letter.is_ascii_digit());
    (rest.len() < digits.len()).then(|| text.split_at(text.len() - rest.len()))
}
