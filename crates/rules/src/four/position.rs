//! A position: what stands where, whose turn it is and what is still allowed (section 9).

use crate::Position as _;
use std::fmt;

use shakmaty::Role;

use super::army::{Army, FourRules, Seat};
use super::geometry::{Geometry, MAX_SQUARES};
use crate::sensor::Content;
use crate::square::{Square, Squares};

/// A pawn that may be taken in passing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct EnPassant {
    /// The square that it went over.
    pub crossed: Square,
    /// Where it stands.
    pub pawn: Square,
}

/// The two castlings of a player, by where his queen stood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wing {
    /// Away from the queen's square.
    Short,
    /// Over the queen's square.
    Long,
}

impl Wing {
    pub(super) const BOTH: [Self; 2] = [Self::Short, Self::Long];
}

/// The squares of a castling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Castling {
    pub(super) king: Square,
    pub(super) king_to: Square,
    pub(super) rook: Square,
    pub(super) rook_to: Square,
}

/// A position of four-player chess.
#[derive(Clone)]
pub struct FourPosition {
    pub(super) rules: FourRules,
    pub(super) geometry: &'static Geometry,
    pub(super) men: [Content; MAX_SQUARES],
    /// By army.
    armies: [Squares; 4],
    /// By army.
    kings: [Squares; 4],
    pub(super) turn: Seat,
    /// By seat, then [`Wing`].
    pub(super) castling: [[bool; 2]; 4],
    /// By the seat of the pawn's player.
    pub(super) en_passant: [Option<EnPassant>; 4],
    pub(super) halfmoves: u32,
    pub(super) round: u32,
}

impl FourPosition {
    /// An empty board, South to move.
    pub(super) fn empty(rules: FourRules) -> Self {
        Self {
            rules,
            geometry: rules.geometry(),
            men: [Content::EMPTY; MAX_SQUARES],
            armies: [Squares::EMPTY; 4],
            kings: [Squares::EMPTY; 4],
            turn: Seat::South,
            castling: [[false; 2]; 4],
            en_passant: [None; 4],
            halfmoves: 0,
            round: 1,
        }
    }

    /// What the event chose.
    #[must_use]
    pub fn rules(&self) -> FourRules {
        self.rules
    }

    /// The board.
    #[must_use]
    pub fn geometry(&self) -> &'static Geometry {
        self.geometry
    }

    /// Whose turn it is, by his seat.
    #[must_use]
    pub fn seat(&self) -> Seat {
        self.turn
    }

    /// Whose turn it is.
    #[must_use]
    pub fn player(&self) -> Army {
        self.rules.army_at(self.turn)
    }

    /// Who moved last, if the turns went round.
    #[must_use]
    pub fn mover(&self) -> Army {
        self.rules.army_at(self.turn.after(3))
    }

    /// The round, from 1; it goes up when it is Red's turn again.
    #[must_use]
    pub fn round(&self) -> u32 {
        self.round
    }

    /// What stands on each square.
    #[must_use]
    pub fn contents(&self) -> &[Content] {
        &self.men[..self.geometry.squares()]
    }

    /// The squares on which men of an army stand.
    #[must_use]
    #[inline]
    pub fn squares_of(&self, army: Army) -> Squares {
        self.armies[army.index()]
    }

    /// Is it a man of the other team than `army`'s?
    #[must_use]
    #[inline]
    pub fn is_enemy(army: Army, content: Content) -> bool {
        content.seat_role().is_some_and(|(other, _)| (other.index() ^ army.index()) & 1 == 1)
    }

    /// The square of the king; `None` if there is none or more than one.
    #[must_use]
    #[inline]
    pub fn king(&self, army: Army) -> Option<Square> {
        let mut kings = self.kings[army.index()].iter();
        kings.next().filter(|_| kings.next().is_none())
    }

    pub(super) fn put(&mut self, square: Square, content: Content) {
        for army in Army::ALL {
            self.armies[army.index()].remove(square);
            self.kings[army.index()].remove(square);
        }
        if let Some(army) = Army::of(content) {
            self.armies[army.index()].insert(square);
            if content == army.man(Role::King) {
                self.kings[army.index()].insert(square);
            }
        }
        self.men[square] = content;
    }

    /// The squares of a castling, whatever stands there.
    pub(super) fn castling_squares(&self, seat: Seat, wing: Wing) -> Castling {
        let home = self.geometry.home(seat);
        let at = |place: usize| home[place];
        let (king, rook, king_to, rook_to) = match (self.is_queen_left(seat), wing) {
            (true, Wing::Short) => (4, 7, 6, 5),
            (true, Wing::Long) => (4, 0, 2, 3),
            (false, Wing::Short) => (3, 0, 1, 2),
            (false, Wing::Long) => (3, 7, 5, 4),
        };
        Castling { king: at(king), king_to: at(king_to), rook: at(rook), rook_to: at(rook_to) }
    }

    /// Queens stand on light squares, kings beside them (T-set).
    pub(super) fn is_queen_left(&self, seat: Seat) -> bool {
        let (home, corner) = (self.geometry.home(seat), self.geometry.home(Seat::South)[7]);
        let is_like_corner = self.geometry.same_colour(home[3], corner);
        is_like_corner == (self.rules.parity == super::Parity::Light)
    }

    pub(super) fn may_castle(&self, seat: Seat, wing: Wing) -> bool {
        self.castling[seat.index()][wing as usize]
    }

    /// Drops castling rights without their king and rook, and rights to take in passing without the
    /// pawn or with a man on the square that it crossed.
    pub(super) fn drop_dead_rights(&mut self) {
        for seat in Seat::ALL {
            let army = self.rules.army_at(seat);
            for wing in Wing::BOTH {
                if self.may_castle(seat, wing) {
                    let squares = self.castling_squares(seat, wing);
                    let stands = |square, role| self.content(square) == army.man(role);
                    let is_there = stands(squares.king, Role::King) && stands(squares.rook, Role::Rook);
                    self.castling[seat.index()][wing as usize] = is_there;
                }
            }
            if let Some(right) = self.en_passant[seat.index()] {
                let is_there = self.content(right.pawn) == army.man(Role::Pawn);
                if !is_there || !self.content(right.crossed).is_empty() {
                    self.en_passant[seat.index()] = None;
                }
            }
        }
    }

    /// The same position with another player to move. He starts as after any other ply: a right to
    /// take his pawn in passing is gone.
    #[must_use]
    pub(crate) fn with_seat(&self, seat: Seat) -> Self {
        let mut other = self.clone();
        other.turn = seat;
        other.en_passant[seat.index()] = None;
        other
    }

    /// A pawn that never moves again and attacks nothing: one on the back row of its player's partner
    /// (T5, R-16).
    #[must_use]
    pub(crate) fn is_dead_pawn(&self, square: Square) -> bool {
        let content = self.content(square);
        Army::of(content).is_some_and(|army| {
            content == army.man(Role::Pawn) && self.geometry.end(self.rules.seat_of(army)).contains(square)
        })
    }
}

/// What makes two positions the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FourKey {
    /// The number of each square's content, a bit a plane.
    planes: [[u64; 3]; 5],
    turn: Seat,
    castling: [[bool; 2]; 4],
    crossed: [Option<Square>; 4],
}

impl From<&FourPosition> for FourKey {
    fn from(position: &FourPosition) -> Self {
        let mut planes = [[0; 3]; 5];
        for (square, content) in
            position.contents().iter().enumerate().filter(|(_, content)| !content.is_empty())
        {
            for (bit, plane) in planes.iter_mut().enumerate() {
                plane[square / 64] |= u64::from(content.byte() >> bit & 1) << (square % 64);
            }
        }
        Self {
            planes,
            turn: position.turn,
            castling: position.castling,
            crossed: position.en_passant.map(|right| right.map(|right| right.crossed)),
        }
    }
}

impl PartialEq for FourPosition {
    /// Equal are positions with the same men, move, rights and rules; counters may differ.
    fn eq(&self, other: &Self) -> bool {
        self.rules == other.rules
            && self.men == other.men
            && self.turn == other.turn
            && self.castling == other.castling
            && self.en_passant == other.en_passant
    }
}

impl Eq for FourPosition {}

impl fmt::Debug for FourPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FourPosition").field(&self.fen()).finish()
    }
}
