//! One vocabulary for all boards: what stands on a square, what the clock shows.
//!
//! Squares are numbered as the variant numbers them (chess: a1 = 0, b1 = 1 … h8 = 63) and always
//! as the *sensor* has them: a board that stands turned by 180° is turned back by the table, which
//! alone knows how the game lies on it.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::square::Square;

/// The kinds of pieces.
pub use shakmaty::Role;

/// The two sides of a game and of its clock. In four-player chess a side is a team.
#[derive(
    utoipa::ToSchema, Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// White; the side that begins.
    White,
    /// Black.
    Black,
}

impl Side {
    /// Both, White first.
    pub const BOTH: [Self; 2] = [Self::White, Self::Black];

    /// The other side.
    #[must_use]
    #[inline]
    pub fn other(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }

    /// `white` or `black`, as events write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::White => "white",
            Self::Black => "black",
        }
    }

    /// 0 for White, 1 for Black.
    #[must_use]
    #[inline]
    pub fn index(self) -> usize {
        self as usize
    }
}

/// An army, by its number: 0 White and 1 Black; of four players 0 Red, 1 White, 2 Blue, 3 Black.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Army(u8);

impl Army {
    /// The most that any game has.
    pub const MAX: usize = 4;
    /// They, in order.
    pub const ALL: [Self; Self::MAX] = [Self(0), Self(1), Self(2), Self(3)];

    /// The army of that number.
    ///
    /// # Panics
    /// If it is not below [`Army::MAX`].
    #[must_use]
    #[inline]
    pub const fn new(number: u8) -> Self {
        assert!((number as usize) < Self::MAX);
        Self(number)
    }

    /// Its number, for lists.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The side for which it plays: partners have numbers two apart.
    #[must_use]
    #[inline]
    pub const fn side(self) -> Side {
        if self.0 & 1 == 0 { Side::White } else { Side::Black }
    }
}

/// The army of a side, where each has one.
impl From<Side> for Army {
    fn from(side: Side) -> Self {
        Self(side as u8)
    }
}

/// What a sensor says about one square.
///
/// One byte: empty, a piece that the sensor cannot name, one of 24 men (four armies of six), or one
/// of the three result pieces of DGT boards (dgt-protocol 3.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Content(u8);

impl Content {
    /// Nothing stands there.
    pub const EMPTY: Self = Self(0);
    /// Something stands there; an occupancy sensor cannot say what.
    pub const OCCUPIED: Self = Self(25);
    /// The piece that signals a draw.
    pub const MARK_DRAW: Self = Self(26);
    /// The piece that signals a win for White.
    pub const MARK_WHITE_WINS: Self = Self(27);
    /// The piece that signals a win for Black.
    pub const MARK_BLACK_WINS: Self = Self(28);
    /// How many different contents there are.
    pub const COUNT: usize = 29;

    /// A piece of that army and kind.
    #[must_use]
    #[inline]
    pub const fn man(army: Army, role: Role) -> Self {
        // Roles are numbered from 1.
        Self(army.0 * 6 + role as u8)
    }

    /// Army and kind, if the sensor named a man.
    #[must_use]
    #[inline]
    pub fn seat_role(self) -> Option<(Army, Role)> {
        let number = self.0.checked_sub(1).filter(|&number| number < 24)?;
        Some((Army(number / 6), Role::ALL[usize::from(number % 6)]))
    }

    /// Kind alone, if the sensor named a piece.
    #[must_use]
    #[inline]
    pub fn role(self) -> Option<Role> {
        self.seat_role().map(|(_, role)| role)
    }

    /// Nothing stands there.
    #[must_use]
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// What an occupancy sensor would say.
    #[must_use]
    #[inline]
    pub fn occupancy(self) -> Self {
        if self.is_empty() { self } else { Self::OCCUPIED }
    }

    /// The number of this content.
    #[inline]
    pub fn byte(self) -> u8 {
        self.0
    }

    /// The content with that number, if there is one.
    #[inline]
    pub fn from_byte(byte: u8) -> Option<Self> {
        (usize::from(byte) < Self::COUNT).then_some(Self(byte))
    }

    /// A number below [`Content::COUNT`], for tables.
    #[must_use]
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// As its number: 0 for an empty square, 1 to 24 for the men, six an army.
impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(self.0)
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let byte = u8::deserialize(deserializer)?;
        Self::from_byte(byte)
            .ok_or_else(|| D::Error::custom(format!("{byte} is nothing that can stand on a square")))
    }
}

/// The picture of a whole board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Frame {
    /// Each square's man, by square number.
    Identity(Vec<Content>),
    /// Each square's occupancy, by square number ([`Content::EMPTY`] or [`Content::OCCUPIED`]).
    Occupancy(Vec<Content>),
}

impl Frame {
    /// The squares, whatever the sensor can tell about them.
    #[must_use]
    #[inline]
    pub fn contents(&self) -> &[Content] {
        match self {
            Self::Identity(contents) | Self::Occupancy(contents) => contents,
        }
    }
}

/// What a clock shows.
///
/// `white` and `black` are the sides of an unturned board: a DGT board reports the two *ends* of
/// its clock, and which end is White's depends on how the board lies (dgt-protocol 3.5). `by_end`
/// says that the table has to swap them on a turned board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockReading {
    /// Time left to each side, milliseconds, by [`Side::index`].
    pub left_ms: [u64; 2],
    /// Whose time runs now.
    pub running: Option<Side>,
    /// Whose time runs, or would run if the clock were started.
    pub lever: Option<Side>,
    /// Fallen flags, by [`Side::index`].
    pub flags: [bool; 2],
    /// Completed moves that the clock counted, by [`Side::index`], if it counts.
    pub counter: Option<[u32; 2]>,
    /// The reading is by clock ends, to be swapped on a turned board.
    pub by_end: bool,
}

impl ClockReading {
    /// The same reading with the two sides exchanged.
    #[must_use]
    #[inline]
    pub fn swapped(self) -> Self {
        Self {
            left_ms: [self.left_ms[1], self.left_ms[0]],
            running: self.running.map(Side::other),
            lever: self.lever.map(Side::other),
            flags: [self.flags[1], self.flags[0]],
            counter: self.counter.map(|[white, black]| [black, white]),
            ..self
        }
    }
}

/// One thing that a board said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reading {
    /// One square changed.
    Square {
        /// Which, as the sensor numbers it.
        square: Square,
        /// What is there now.
        content: Content,
    },
    /// The whole board.
    Frame(Frame),
    /// The clock, or that there is none.
    Clock(Option<ClockReading>),
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// How that is saved, and that it is the same when it is read.
    fn saved(reading: &Reading) -> Value {
        let saved = serde_json::to_value(reading).unwrap();
        assert_eq!(serde_json::from_value::<Reading>(saved.clone()).unwrap(), *reading);
        saved
    }

    #[test]
    fn readings_are_saved_in_few_words() {
        let square =
            Reading::Square { square: Square::new(4), content: Content::man(Army::new(0), Role::King) };
        assert_eq!(saved(&square), json!({ "square": { "square": 4, "content": 6 } }));
        let frame = Frame::Identity(vec![
            Content::man(Army::new(0), Role::Rook),
            Content::EMPTY,
            Content::man(Army::new(1), Role::King),
        ]);
        assert_eq!(saved(&Reading::Frame(frame)), json!({ "frame": { "identity": [4, 0, 12] } }));
        let frame = Frame::Occupancy(vec![Content::OCCUPIED, Content::EMPTY]);
        assert_eq!(saved(&Reading::Frame(frame)), json!({ "frame": { "occupancy": [25, 0] } }));
        assert_eq!(saved(&Reading::Clock(None)), json!({ "clock": null }));
        let clock = ClockReading {
            left_ms: [300_000, 295_400],
            running: Some(Side::Black),
            lever: Some(Side::Black),
            flags: [false, true],
            counter: Some([12, 11]),
            by_end: true,
        };
        let expected = json!({ "clock": {
            "left_ms": [300_000, 295_400],
            "running": "black",
            "lever": "black",
            "flags": [false, true],
            "counter": [12, 11],
            "by_end": true,
        } });
        assert_eq!(saved(&Reading::Clock(Some(clock))), expected);
    }

    #[test]
    fn only_what_can_stand_on_a_square_is_read() {
        let read = |number: u64| serde_json::from_value::<Content>(json!(number)).ok();
        assert!((0..Content::COUNT).all(|number| read(number as u64).is_some_and(|it| it.index() == number)));
        assert_eq!((read(Content::COUNT as u64), read(256)), (None, None));
    }
}
