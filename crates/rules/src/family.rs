//! The boards on which games are played, as what is written of them needs it: squares and men by name.
//!
//! A square is a number, and a man a [`Content`], wherever games are followed; only who writes or reads them
//! asks for names. [`Family`] goes with whatever is to be written later, so that an event needs no type
//! parameter.

use serde::{Deserialize, Serialize};

use super::cross;
use super::four::{self, Army, FourPlayer, Seat};
use super::{Chess, Variant as _};
use crate::sensor::Content;
use crate::square::Square;
use crate::words::{self, UnknownWord};

/// A game's family: the board that it is played on, and the men.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Family {
    /// Chess and Chess960: a1 to h8, two armies.
    #[default]
    Chess,
    /// Four-player team chess: d1 to k14 and a4 to n11, four armies.
    FourPlayer,
}

/// A game that a board may be for.
#[derive(utoipa::ToSchema, Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GameKind {
    /// Chess.
    #[default]
    Chess,
    /// Chess from any of 960 arrays.
    Chess960,
    /// Four-player team chess.
    FourPlayer,
}

impl GameKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Chess, Self::Chess960, Self::FourPlayer];

    /// Its name: `chess`, `chess960`, `four-player`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Chess => "chess",
            Self::Chess960 => "chess960",
            Self::FourPlayer => "four-player",
        }
    }

    /// The board that it is played on, and the pieces.
    #[must_use]
    pub const fn family(self) -> Family {
        match self {
            Self::Chess | Self::Chess960 => Family::Chess,
            Self::FourPlayer => Family::FourPlayer,
        }
    }
}

impl std::str::FromStr for GameKind {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        words::read("variant", text)
    }
}

impl std::fmt::Display for GameKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// One of several players of a side, by name: whose men they are, and where he sits.
#[derive(utoipa::ToSchema, Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seated {
    /// Whose men they are.
    pub player: Army,
    /// Where he sits.
    pub seat: Seat,
}

/// [`Seated`] as documents describe it where it stands among other fields: there, or not.
#[derive(Debug, utoipa::ToSchema)]
#[expect(dead_code, reason = "it is read by documents alone")]
pub struct SeatedIfAny {
    /// Of four players, whose men they are.
    player: Option<Army>,
    /// Of four players, where he sits.
    seat: Option<Seat>,
}

impl Family {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::Chess, Self::FourPlayer];

    /// The family whose board has so many squares.
    #[must_use]
    pub fn of_squares(squares: usize) -> Option<Self> {
        Self::ALL.into_iter().find(|family| family.squares() == squares)
    }

    /// How many squares its board has.
    #[must_use]
    pub fn squares(self) -> usize {
        match self {
            Self::Chess => Chess::SQUARES,
            Self::FourPlayer => FourPlayer::SQUARES,
        }
    }

    /// How many armies there are.
    #[must_use]
    pub fn armies(self) -> usize {
        match self {
            Self::Chess => Chess::ARMIES,
            Self::FourPlayer => FourPlayer::ARMIES,
        }
    }

    /// The name of a square, such as `e4`; `?` and the number if there is none.
    #[must_use]
    pub fn square_name(self, square: Square) -> String {
        match self {
            Self::Chess => super::square_name(square),
            Self::FourPlayer => cross().name(square).unwrap_or_else(|| format!("?{}", square.number())),
        }
    }

    /// The square of that name.
    #[must_use]
    pub fn square(self, name: &str) -> Option<Square> {
        match self {
            Self::Chess => super::square_from_name(name),
            Self::FourPlayer => cross().square(name),
        }
    }

    /// Which squares there are, for whoever named another one.
    #[must_use]
    pub fn square_range(self) -> &'static str {
        match self {
            Self::Chess => "squares are a1 to h8",
            Self::FourPlayer => "squares are d1 to k14 and a4 to n11",
        }
    }

    /// The game's square over `square` of a sensor that lies turned ([`Variant::turned`](super::Variant::turned)).
    #[must_use]
    pub fn turned(self, square: Square, degrees: u32) -> Square {
        match self {
            Self::Chess => Chess::turned(square, degrees),
            Self::FourPlayer => FourPlayer::turned(square, degrees),
        }
    }

    /// The man as placements write him, if the sensor named one of this family: `Q`, `q`; `rQ`, `kQ`.
    #[must_use]
    pub fn man_name(self, content: Content) -> Option<String> {
        match self {
            Self::Chess => super::letter(content).map(String::from),
            Self::FourPlayer => Some(four::man(content)).filter(|name| !name.is_empty()),
        }
    }

    /// The man of that name.
    #[must_use]
    pub fn man(self, name: &str) -> Option<Content> {
        match self {
            Self::Chess => {
                let mut letters = name.chars();
                let letter = letters.next().filter(|_| letters.as_str().is_empty())?;
                super::man_from_letter(letter)
            }
            Self::FourPlayer => four::read_man(name),
        }
    }

    /// Which men there are, for whoever named another one.
    #[must_use]
    pub fn man_range(self) -> &'static str {
        match self {
            Self::Chess => "pieces are P N B R Q K and p n b r q k",
            Self::FourPlayer => "pieces are P N B R Q K, with r, w, b or k (blacK) before it for the army",
        }
    }

    /// The letter of a man's kind alone: `P N B R Q K`.
    #[must_use]
    pub fn kind_letter(content: Content) -> Option<char> {
        content.role().map(shakmaty::Role::upper_char)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sensor::Role;

    #[test]
    fn squares_and_men_have_one_name_each() {
        for family in Family::ALL {
            assert_eq!(Family::of_squares(family.squares()), Some(family));
            for square in Square::all().take(family.squares()) {
                assert_eq!(family.square(&family.square_name(square)), Some(square), "{family:?} {square:?}");
            }
            for army in crate::sensor::Army::ALL.into_iter().take(family.armies()) {
                for man in Role::ALL.map(|role| Content::man(army, role)) {
                    let name = family.man_name(man).unwrap();
                    assert_eq!(family.man(&name), Some(man), "{name}");
                }
            }
            assert_eq!(family.man_name(Content::EMPTY), None);
            assert_eq!(family.man_name(Content::OCCUPIED), None);
        }
        assert_eq!(Family::FourPlayer.square("a1"), None, "a corner");
        assert_eq!(Family::FourPlayer.square_name(Square::new(159)), "k14");
    }
}
