//! The four armies, where they sit, and what an event may choose about the game.

use shakmaty::Role;

use super::geometry::Geometry;
use crate::sensor::{self, Content, Side};

/// An army, by its colour. Red and Blue are partners, White and Black are.
#[derive(
    utoipa::ToSchema,
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Army {
    /// Begins; sits South.
    Red,
    /// Sits at Red's left hand unless [`FourRules::seat_after_red`] says otherwise.
    White,
    /// Red's partner; sits North.
    Blue,
    /// White's partner.
    Black,
}

impl Army {
    /// All four, as [`Content::man`] numbers them.
    pub const ALL: [Self; 4] = [Self::Red, Self::White, Self::Blue, Self::Black];

    /// 0 for Red, 1 for White, 2 for Blue, 3 for Black: the army's number in [`Content::man`].
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
    }

    /// `red`, `white`, `blue`, `black`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Red => "red",
            Self::White => "white",
            Self::Blue => "blue",
            Self::Black => "black",
        }
    }

    /// `r`, `w`, `b`, `k` (blacK).
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Self::Red => 'r',
            Self::White => 'w',
            Self::Blue => 'b',
            Self::Black => 'k',
        }
    }

    /// The army of that letter, small or capital.
    #[must_use]
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|army| army.letter() == letter.to_ascii_lowercase())
    }

    /// Its number among those of any game.
    #[must_use]
    pub fn number(self) -> sensor::Army {
        sensor::Army::ALL[self.index()]
    }

    /// The army of that number.
    #[must_use]
    pub fn numbered(number: sensor::Army) -> Self {
        Self::ALL[number.index()]
    }

    /// The team, and the end of the clock: Red and Blue are the side that begins.
    #[must_use]
    pub fn side(self) -> Side {
        if self.index() & 1 == 0 { Side::White } else { Side::Black }
    }

    /// The other army of the team.
    #[must_use]
    pub fn partner(self) -> Self {
        Self::ALL[self.index() ^ 2]
    }

    /// The army of a man, if the sensor named one.
    #[must_use]
    pub fn of(content: Content) -> Option<Self> {
        let (army, _) = content.seat_role()?;
        Some(Self::numbered(army))
    }

    /// A man of this army.
    #[must_use]
    pub fn man(self, role: Role) -> Content {
        Content::man(self.number(), role)
    }
}

/// A place at the board, clockwise from above, as the turn goes (T-start, R-5).
#[derive(
    utoipa::ToSchema,
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Seat {
    /// Home row rank 1.
    South,
    /// Home row file a.
    West,
    /// Home row the last rank.
    North,
    /// Home row the last file.
    East,
}

impl Seat {
    /// All four, in the order of turns.
    pub const ALL: [Self; 4] = [Self::South, Self::West, Self::North, Self::East];

    /// 0 for South, 1 for West, 2 for North, 3 for East.
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
    }

    /// `south`, `west`, `north`, `east`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::South => "south",
            Self::West => "west",
            Self::North => "north",
            Self::East => "east",
        }
    }

    /// The seat that so many turns later has the move.
    #[must_use]
    pub fn after(self, plies: usize) -> Self {
        Self::ALL[(self.index() + plies) % 4]
    }

    /// The seat at the left hand, whose turn is next.
    #[must_use]
    pub fn next(self) -> Self {
        self.after(1)
    }

    /// The seat opposite.
    #[must_use]
    pub fn partner(self) -> Self {
        self.after(2)
    }

    /// The two seats of the other team.
    #[must_use]
    pub fn opponents(self) -> [Self; 2] {
        [self.after(1), self.after(3)]
    }
}

/// Colour of the square at South's right hand (`board_parity`, R-2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Parity {
    /// k1 is light.
    #[default]
    Light,
    /// k1 is dark.
    Dark,
}

/// How long a pawn may be taken in passing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum EpWindow {
    /// By each opponent on his first turn after the double step.
    #[default]
    OwnTurn,
    /// By the next player only.
    NextPly,
}

/// How deep the arms of the cross are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum WingDepth {
    /// 128 squares.
    Two,
    /// 160 squares: the board that is played on.
    #[default]
    Three,
    /// 192 squares.
    Four,
}

impl WingDepth {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Two, Self::Three, Self::Four];

    /// In squares.
    #[must_use]
    pub fn squares(self) -> u8 {
        match self {
            Self::Two => 2,
            Self::Three => 3,
            Self::Four => 4,
        }
    }
}

/// What an event may choose (section 8); the default is the spec's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FourRules {
    /// Colour of k1, and with it where queens and kings stand.
    pub parity: Parity,
    /// Who sits at Red's left hand: White or Black.
    pub seat_after_red: Army,
    /// How long a pawn may be taken in passing.
    pub ep_window: EpWindow,
    /// True: no move may bring the partner's king into an attack in which he did not stand before.
    pub protect_partner: bool,
    /// How deep the arms are.
    pub wing_depth: WingDepth,
}

impl Default for FourRules {
    fn default() -> Self {
        Self {
            parity: Parity::Light,
            seat_after_red: Army::White,
            ep_window: EpWindow::OwnTurn,
            protect_partner: false,
            wing_depth: WingDepth::Three,
        }
    }
}

impl FourRules {
    /// Where an army sits.
    #[must_use]
    pub fn seat_of(self, army: Army) -> Seat {
        Seat::ALL[self.opposite_number(army.index())]
    }

    /// Who sits there.
    #[must_use]
    pub fn army_at(self, seat: Seat) -> Army {
        Army::ALL[self.opposite_number(seat.index())]
    }

    /// Armies and seats have the same numbers, or run against each other: either way the same
    /// exchange leads there and back.
    fn opposite_number(self, number: usize) -> usize {
        if self.seat_after_red == Army::Black { (4 - number) % 4 } else { number }
    }

    /// The board.
    #[must_use]
    pub fn geometry(self) -> &'static Geometry {
        Geometry::of(self.wing_depth)
    }
}
