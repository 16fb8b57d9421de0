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
    /// Half a point for White, a point for Black, whose score was raised (12.9.4).
    HalfOne,
    /// A point for White, whose score was raised, half a point for Black.
    OneHalf,
    /// A point for both: that of the loser was raised.
    OneOne,
}

/// A result, its name, its name in PGN, and the halves of a point that White and Black have of it.
type Row = (GameResult, &'static str, &'static str, [u8; 2]);

const NAMES: [Row; 12] = [
    (GameResult::WhiteWins, "1-0", "1-0", [2, 0]),
    (GameResult::BlackWins, "0-1", "0-1", [0, 2]),
    (GameResult::Draw, "1/2-1/2", "1/2-1/2", [1, 1]),
    (GameResult::WhiteForfeit, "+/-", "1-0", [2, 0]),
    (GameResult::BlackForfeit, "-/+", "0-1", [0, 2]),
    (GameResult::BothForfeit, "-/-", "*", [0, 0]),
    (GameResult::BothLost, "0-0", "*", [0, 0]),
    (GameResult::NothingHalf, "0-1/2", "*", [0, 1]),
    (GameResult::HalfNothing, "1/2-0", "*", [1, 0]),
    (GameResult::HalfOne, "1/2-1", "*", [1, 2]),
    (GameResult::OneHalf, "1-1/2", "*", [2, 1]),
    (GameResult::OneOne, "1-1", "*", [2, 2]),
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

    /// The halves of a point that White and Black have of it.
    #[must_use]
    pub fn halves(self) -> [u8; 2] {
        NAMES.iter().find(|row| row.0 == self).map_or([0, 0], |row| row.3)
    }

    /// The result of a game that was played, with these halves of a point; `None` if no game gives as many.
    #[must_use]
    pub fn of_halves(halves: [u8; 2]) -> Option<Self> {
        NAMES.iter().find(|row| row.3 == halves && !row.0.is_forfeit()).map(|row| row.0)
    }

    /// Was the game decided without being played?
    #[must_use]
    pub fn is_forfeit(self) -> bool {
        matches!(self, Self::WhiteForfeit | Self::BlackForfeit | Self::BothForfeit)
    }

    /// Is it one that play on the board gives: a win or a draw? The others come from penalties, or from nobody's
    /// having come.
    #[must_use]
    pub fn is_of_play(self) -> bool {
        matches!(self, Self::WhiteWins | Self::BlackWins | Self::Draw)
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
#[error("not a result; use 1-0, 0-1, 1/2-1/2, +/-, -/+, -/-, 0-0, 0-1/2, 1/2-0, 1/2-1, 1-1/2 or 1-1")]
pub struct ParseResultError;

impl FromStr for GameResult {
    type Err = ParseResultError;

    fn from_str(text: &str) -> Result<Self, ParseResultError> {
        NAMES.iter().find(|row| row.1 == text).map(|row| row.0).ok_or(ParseResultError)
    }
}
