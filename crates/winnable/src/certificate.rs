//! Why no series of legal moves mates, in a form that somebody else can check (`checker`).

use shakmaty::{Bitboard, Board, Chess, Color, Role, Square};

use super::Reason;

/// A proof that a side cannot mate from a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Certificate {
    /// There is no legal move, and no mate by that side.
    GameOver,
    /// The men that it has, and those of the other side, never give a mate.
    Material(Material),
    /// The men never get to where a mate would need them.
    Fence(Box<Fence>),
    /// Kings and pawns stay within these scenes, wherever the pieces are, and none of them may be a mate.
    Roamed(Box<Roamed>),
    /// Everything that can be played stays within these positions.
    Closed(Box<Closed>),
}

/// Men that never give a mate, whatever is played (laws-model 9, steps 1 to 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Material {
    /// Nothing but the king.
    BareKing,
    /// One knight, and the other side has at most queens.
    LoneKnight,
    /// All bishops on the board stand on squares of one colour; the other side has no pawn and no knight, and the
    /// side in question nothing but bishops.
    OneColouredBishops,
}

/// Where every man may ever come to stand, at most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    /// One for each man on the board.
    pub men: Vec<Fenced>,
}

/// A man, and all that may become of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fenced {
    /// Its colour.
    pub color: Color,
    /// What it is in the position in question.
    pub role: Role,
    /// Where it stands in the position in question.
    pub origin: Square,
    /// Squares on which it may stand as what it is.
    pub squares: Bitboard,
    /// Squares on which it may stand promoted, whatever to.
    pub promoted: Bitboard,
    /// It may be taken.
    pub may_be_taken: bool,
}

/// Scenes that nothing leaves, wherever the pieces that are not part of them stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roamed {
    /// The pieces that may stand anywhere in their realms of a scene, or be gone.
    pub roamers: Vec<Roamer>,
    /// The placement of the other men in the position in question, and all that may come of it.
    pub scenes: Vec<Scene>,
}

/// A piece of which it is not told where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Roamer {
    /// Its colour.
    pub color: Color,
    /// What it is.
    pub role: Role,
    /// Where it stands in the position in question.
    pub origin: Square,
}

/// Where the men stand that are no roamers, and whose turn it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scene {
    /// The placed men.
    pub board: Board,
    /// Whose turn it is.
    pub turn: Color,
    /// The square that a pawn has just passed.
    pub passed: Option<Square>,
    /// A pawn of the side that cannot be the winner has promoted: there may be a piece of it of any kind anywhere.
    pub has_promoted: bool,
    /// The roamer of this number has just taken what stood on this square, and stands on the board there until the
    /// other side has moved: what it does, or what is done about it, can be told.
    pub landed: Option<(usize, Square)>,
    /// A placed man has just left this square: nothing stands there, nothing promoted either.
    pub left: Option<Square>,
    /// Where each roamer may stand, in their order; nowhere for the one that has landed.
    pub realms: Vec<Bitboard>,
}

/// Positions that no legal move leaves, but into one of the `leaves`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closed {
    /// The position in question and those that can come of it; none of them is a mate by the side in question.
    pub positions: Vec<Chess>,
    /// Positions that can come of them, with a proof of their own.
    pub leaves: Vec<(Chess, Certificate)>,
}

impl Certificate {
    /// What it rests on, for people.
    #[must_use]
    pub fn reason(&self) -> Reason {
        match self {
            Self::GameOver => Reason::NoLegalMove,
            Self::Material(Material::BareKing) => Reason::BareKing,
            Self::Material(Material::LoneKnight) => Reason::LoneKnight,
            Self::Material(Material::OneColouredBishops) => Reason::OneColouredBishops,
            Self::Fence(_) => Reason::Blocked,
            Self::Roamed(_) => Reason::Blocked,
            Self::Closed(closed) => {
                let count = closed.positions.len() + closed.leaves.len();
                Reason::Exhausted(u32::try_from(count).unwrap_or(u32::MAX))
            }
        }
    }
}
