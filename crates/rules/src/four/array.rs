//! Start arrays: the men of every seat, for both seat orders and both colourings (section 3).

use shakmaty::Role;

use super::army::{Army, FourRules, Parity, Seat};
use super::geometry::forward;
use super::position::FourPosition;
use crate::sensor::Content;
use crate::square::Square;

/// From the player's left to his right, king and queen left out.
const OUTER: [Option<Role>; 8] = [
    Some(Role::Rook),
    Some(Role::Knight),
    Some(Role::Bishop),
    None,
    None,
    Some(Role::Bishop),
    Some(Role::Knight),
    Some(Role::Rook),
];

impl FourPosition {
    /// The array from which a game under `rules` starts: Red to move.
    #[must_use]
    pub fn start(rules: FourRules) -> Self {
        let mut start = Self::empty(rules);
        for seat in Seat::ALL {
            let army = rules.army_at(seat);
            let inner =
                if start.is_queen_left(seat) { [Role::Queen, Role::King] } else { [Role::King, Role::Queen] };
            for (place, square) in start.geometry.home(seat).into_iter().enumerate() {
                let role = OUTER[place].unwrap_or_else(|| inner[place - 3]);
                start.put(square, army.man(role));
                start.put(start.geometry.step(square, forward(seat)), army.man(Role::Pawn));
            }
        }
        start.castling = [[true; 2]; 4];
        start
    }

    /// Every layout of `rules`: both seat orders, both colourings.
    pub(super) fn layouts(rules: FourRules) -> impl Iterator<Item = FourRules> {
        [Army::White, Army::Black].into_iter().flat_map(move |seat_after_red| {
            [Parity::Light, Parity::Dark].into_iter().map(move |parity| FourRules {
                parity,
                seat_after_red,
                ..rules
            })
        })
    }

    /// The start position whose array stands there, as a sensor sees it that tells men apart (`named`)
    /// or does not. Squares alone tell neither seats nor colours: then it is that of `rules`.
    #[must_use]
    pub fn recognise(rules: FourRules, contents: &[Content], named: bool) -> Option<Self> {
        let see = |content: Content| if named { content } else { content.occupancy() };
        std::iter::once(rules).chain(Self::layouts(rules)).map(Self::start).find(|start| {
            contents.len() == start.contents().len()
                && start.contents().iter().zip(contents).all(|(&man, &shown)| see(man) == shown)
        })
    }

    /// The start position to whose array `contents` come nearest, of every layout of `rules`; that of
    /// `rules` itself where none comes nearer.
    #[must_use]
    pub(crate) fn nearest_start(rules: FourRules, contents: &[Content], named: bool) -> Self {
        let see = |content: Content| if named { content } else { content.occupancy() };
        let differing = |start: &Self| {
            let pairs = start.contents().iter().zip(contents);
            pairs.filter(|&(&man, &shown)| see(man) != see(shown)).count()
        };
        let mut nearest = Self::start(rules);
        for start in Self::layouts(rules).map(Self::start) {
            if differing(&start) < differing(&nearest) {
                nearest = start;
            }
        }
        nearest
    }

    /// Rooks, by their squares, with which no castling is allowed because they or their king stood
    /// wrong at this start of a game for which `agreed` was agreed (A.4.1.2).
    pub(super) fn misplaced_rooks(&self, agreed: &Self) -> Vec<(Army, Square)> {
        let stands = |position: &Self, army: Army, role: Role| -> Vec<Square> {
            position.men().filter(|man| (man.1, man.2) == (army, role)).map(|man| man.0).collect()
        };
        let mut found = Vec::new();
        for army in Army::ALL {
            let is_king_right = stands(self, army, Role::King) == stands(agreed, army, Role::King);
            let right = stands(agreed, army, Role::Rook);
            let rooks = stands(self, army, Role::Rook).into_iter();
            found.extend(
                rooks.filter(|rook| !is_king_right || !right.contains(rook)).map(|rook| (army, rook)),
            );
        }
        found
    }
}
