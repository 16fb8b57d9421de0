//! A position as events carry it, of any variant: written out as FEN only when somebody reads it.

use super::ChessPosition;
use super::four::FourPosition;
use crate::Position as _;

/// A position, or what was written in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// A position of chess or Chess960.
    Chess(ChessPosition),
    /// A position of four-player chess.
    Four(Box<FourPosition>),
    /// A FEN; empty where there is no position.
    Text(String),
}

impl Shown {
    /// FEN, or the variant's text; en passant in chess only where a capture is legal.
    #[must_use]
    pub fn fen(&self) -> String {
        match self {
            Self::Chess(position) => position.fen(),
            Self::Four(position) => position.fen(),
            Self::Text(text) => text.clone(),
        }
    }
}

impl From<String> for Shown {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}
