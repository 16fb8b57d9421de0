//! Why a text is no move.

use super::{Entry, Locale};

/// A text that is not one legal move of the position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{text}\" {fault}{}", hint(*.reads_in, "it is a legal move"))]
pub struct NotationError {
    /// What was read.
    pub text: String,
    /// What is wrong with it.
    pub fault: Fault,
    /// The locale in which it would be a legal move, if this one is the wrong one.
    pub reads_in: Option<Locale>,
}

/// What is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It is written like no move.
    #[error("is not a move in {notation} notation: {detail}")]
    Malformed {
        /// `English`, `PGN` …
        notation: &'static str,
        /// Which part, and what would do.
        detail: String,
    },
    /// A letter for a pawn, which has none (C.4).
    #[error("has a letter for a pawn, which has none; write \"{without}\"")]
    PawnLetter {
        /// The text without it.
        without: String,
    },
    /// No legal move fits.
    #[error("is not a legal move here; {}", suggestion(.nearest.as_deref()))]
    Illegal {
        /// The legal move that is written most like it, if there are any.
        nearest: Option<String>,
    },
    /// Several legal moves fit.
    #[error("may be {}", .moves.join(" or "))]
    Ambiguous {
        /// How to write each of them.
        moves: Vec<String>,
    },
    /// A sign that the move belies.
    #[error("says {said}, but {fact}")]
    FalseSign {
        /// The sign's meaning.
        said: String,
        /// What the move is.
        fact: String,
    },
}

/// A game that cannot be read to its end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("move {number}: {error}{}", hint(*.reads_in, "the whole game can be played"))]
pub struct GameError {
    /// `12.` or `12...`.
    pub number: String,
    /// What is wrong with the move.
    pub error: NotationError,
    /// The moves before it.
    pub before: Vec<Entry>,
    /// The locale in which every move of the text is legal.
    pub reads_in: Option<Locale>,
}

fn hint(reads_in: Option<Locale>, what: &str) -> String {
    reads_in.map_or_else(String::new, |locale| format!(" ({what} if the notation is {locale})"))
}

fn suggestion(text: Option<&str>) -> String {
    text.map_or_else(|| "there is no legal move".to_owned(), |text| format!("did you mean \"{text}\"?"))
}
