//! Results and how they are written.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::sensor::Side;

/// The result of a game (laws-model 12; scenario-format, `result`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GameResult {
    /// White won.
    WhiteWins,
    /// Black won.
    BlackWins,
    /// Drawn.
    Draw,
    /// White won by forfeit.
    WhiteForfeit,
    /// Black won by forfeit.
    BlackForfeit,
    /// Both forfeited.
    BothForfeit,
    /// Both lost.
    BothLost,
    /// Nothing for White, half a point for Black.
    NothingHalf,
    /// Half a point for White, nothing for Black.
    HalfNothing,
}

const NAMES: [(GameResult, &str, &str); 9] = [
    (GameResult::WhiteWins, "1-0", "1-0"),
    (GameResult::BlackWins, "0-1", "0-1"),
    (GameResult::Draw, "1/2-1/2", "1/2-1/2"),
    (GameResult::WhiteForfeit, "+/-", "1-0"),
    (GameResult::BlackForfeit, "-/+", "0-1"),
    (GameResult::BothForfeit, "-/-", "*"),
    (GameResult::BothLost, "0-0", "*"),
    (GameResult::NothingHalf, "0-1/2", "*"),
    (GameResult::HalfNothing, "1/2-0", "*"),
];

impl GameResult {
    /// The names of all results.
    pub const NAMES: [&'static str; NAMES.len()] = {
        let mut names = [""; NAMES.len()];
        let mut index = 0;
        while index < names.len() {
            names[index] = NAMES[index].1;
            index += 1;
        }
        names
    };

    /// The win of `side`.
    #[must_use]
    pub fn win(side: Side) -> Self {
        match side {
            Side::White => Self::WhiteWins,
            Side::Black => Self::BlackWins,
        }
    }

    /// As events write it: `1-0`, `+/-`, `0-1/2`.
    #[must_use]
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|row| row.0 == self).map_or("*", |row| row.1)
    }

    /// As a PGN `Result` tag may hold it: PGN knows three results and `*`.
    #[must_use]
    pub fn pgn(self) -> &'static str {
        NAMES.iter().find(|row| row.0 == self).map_or("*", |row| row.2)
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text that is no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a result; use 1-0, 0-1, 1/2-1/2, +/-, -/+, -/-, 0-0, 0-1/2 or 1/2-0")]
pub struct ParseResultError;

impl FromStr for GameResult {
    type Err = ParseResultError;

    fn from_str(text: &str) -> Result<Self, ParseResultError> {
        NAMES.iter().find(|row| row.1 == text).map(|row| row.0).ok_or(ParseResultError)
    }
}
