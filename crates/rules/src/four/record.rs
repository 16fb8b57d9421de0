//! The record of a four-player game: tags and movetext as PGN has them, four half-moves a round in long
//! coordinates, each behind the letter of its player (four-player 11).
//!
//! ```text
//! [Red "A"]  [White "B"]  [Blue "C"]  [Black "D"]  [Result "RB 1-0 WK"]
//! [Variant "4p-team"]  [Board "160"]  [Seats "S=Red W=White N=Blue E=Black"]  [Parity "k1-light"]
//!
//! 1. R h2-h4 W b7-d7 B g13-g11 K m8-k8 2. R g1xb6 1-0
//! ```
//!
//! The result is that of the team Red + Blue. Readers of chess PGN read none of this.

mod read;
mod write;

use super::{Army, FourMove, FourPosition, FourRules, Parity, Seat};
use crate::GameResult;

pub use read::{moves, read};
pub use write::{Half, Text, write};

/// The value of the tag `Variant`.
pub const VARIANT: &str = "4p-team";

/// Tags that the game itself gives: whoever writes a record leaves them to it.
const OWN_TAGS: [&str; 7] = ["Variant", "Board", "Seats", "Parity", "Result", "SetUp", "FEN"];

/// A game as a record tells it.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The line on which it begins in its file, from 1.
    pub line: usize,
    /// Tags in the order in which they stand, but for those that start and result say themselves.
    pub tags: Vec<(String, String)>,
    /// The position from which it starts.
    pub start: FourPosition,
    /// Its moves.
    pub moves: Vec<FourMove>,
    /// The result of the team Red + Blue; `None` as long as there is none.
    pub result: Option<GameResult>,
}

impl Record {
    /// The value of a tag; `None` if it is absent or unknown (`?`).
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        let value = self.tags.iter().find(|(tag, _)| tag == name)?.1.as_str();
        (!value.is_empty() && value != "?").then_some(value)
    }

    /// `A + C – B + D`, for messages: the team that begins first.
    #[must_use]
    pub fn title(&self) -> String {
        let name = |tag| self.tag(tag).unwrap_or("?");
        format!("{} + {} – {} + {}", name("Red"), name("Blue"), name("White"), name("Black"))
    }
}

/// What is wrong with a record, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct RecordError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub what: String,
}

/// The seats as the tag `Seats` has them.
fn seats(rules: FourRules) -> String {
    let [south, west, north, east] = Seat::ALL.map(|seat| capital(rules.army_at(seat)));
    format!("S={south} W={west} N={north} E={east}")
}

/// The parity as the tag `Parity` has it.
fn parity(rules: FourRules) -> &'static str {
    match rules.parity {
        Parity::Light => "k1-light",
        Parity::Dark => "k1-dark",
    }
}

/// `Red`, as tags write an army.
fn capital(army: Army) -> &'static str {
    match army {
        Army::Red => "Red",
        Army::White => "White",
        Army::Blue => "Blue",
        Army::Black => "Black",
    }
}

/// The letter of a player in movetext.
fn letter(army: Army) -> char {
    army.letter().to_ascii_uppercase()
}

#[cfg(test)]
mod tests;
