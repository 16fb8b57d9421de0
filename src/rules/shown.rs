//! A position as events carry it, of any variant: written out as FEN only when somebody reads it.

use super::ChessPosition;

/// A position, or what was written in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// A position of chess or Chess960.
    Chess(ChessPosition),
    /// A FEN; empty where there is no position.
    Text(String),
}

impl Shown {
    /// FEN; en passant only where a capture is legal.
    #[must_use]
    pub fn fen(&self) -> String {
        match self {
            Self::Chess(position) => position.fen(),
            Self::Text(text) => text.clone(),
        }
    }
}

impl From<String> for Shown {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}
