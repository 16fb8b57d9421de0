//! Which men are on the board, and where.

use shakmaty::{Board, Color, Piece, Role, Square};

/// Both kings and two more: as many as are ever solved.
pub(super) const MOST: usize = 4;
/// Without the kings a man is one of these many, absent included.
const KINDS: usize = 11;
/// One place for each set of men.
pub(super) const SETS: usize = KINDS * KINDS;
/// In the order in which men are written. Pawns come last, so that one which promotes hardly changes it.
const ROLES: [Role; 6] = [Role::King, Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn];
/// What a pawn may become (3.7.3.3).
pub(super) const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

/// Men and their squares in a fixed order: White's king, Black's king, then by kind, colour and square.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Placement {
    men: [(Piece, Square); MOST],
    count: usize,
}

impl Default for Placement {
    fn default() -> Self {
        Self { men: [(Role::King.of(Color::White), Square::A1); MOST], count: 0 }
    }
}

impl Placement {
    /// The men of a board, `None` with more than are ever solved; with colours and ranks exchanged if `is_turned`.
    pub(super) fn of(board: &Board, is_turned: bool) -> Option<Self> {
        let mut placement = Self::default();
        for (square, piece) in board.iter() {
            *placement.men.get_mut(placement.count)? = if is_turned {
                (piece.role.of(!piece.color), square.flip_vertical())
            } else {
                (piece, square)
            };
            placement.count += 1;
        }
        placement.sort();
        Some(placement)
    }

    fn sort(&mut self) {
        self.men[..self.count].sort_unstable_by_key(|&(piece, square)| (order(piece), square));
    }

    pub(super) fn men(&self) -> &[(Piece, Square)] {
        &self.men[..self.count]
    }

    /// After the man `moved` went to a square and became `piece`, and took what stood on `taken`.
    pub(super) fn after(&self, moved: usize, to: (Piece, Square), taken: Option<Square>) -> Self {
        let others =
            self.men().iter().enumerate().filter(|&(index, man)| index != moved && Some(man.1) != taken);
        let mut after = Self { count: 1, ..Self::default() };
        after.men[0] = to;
        for (_, &man) in others {
            after.men[after.count] = man;
            after.count += 1;
        }
        after.sort();
        after
    }

    /// The squares alone, as a key: the men of a set are known.
    pub(super) fn squares(&self) -> [Square; MOST] {
        self.men.map(|(_, square)| square)
    }

    pub(super) fn set(&self) -> usize {
        set_index(self.men().iter().map(|&(piece, _)| piece))
    }
}

fn order(piece: Piece) -> usize {
    let role = match piece.role {
        Role::King => 0,
        Role::Queen => 1,
        Role::Rook => 2,
        Role::Bishop => 3,
        Role::Knight => 4,
        Role::Pawn => 5,
    };
    2 * role + usize::from(piece.color.is_black())
}

/// The number of a set of men in their order, kings included: below [`SETS`].
fn set_index(men: impl Iterator<Item = Piece>) -> usize {
    men.skip(2).fold(0, |index, piece| index * KINDS + order(piece) - 1)
}

/// A set of men: both kings and one or two more, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Men {
    men: [Piece; MOST],
    count: usize,
}

impl Men {
    /// Every set with so many men, kings included, in an order in which what a capture or a promotion leads to
    /// comes first: those of one group do not depend on each other.
    #[must_use]
    pub(crate) fn groups(count: usize) -> Vec<Vec<Self>> {
        let others: Vec<Piece> =
            ROLES[1..].iter().flat_map(|&role| Color::ALL.map(|color| role.of(color))).collect();
        let kings = [Role::King.of(Color::White), Role::King.of(Color::Black)];
        let mut groups = vec![Vec::new(); 3];
        for (index, &first) in others.iter().enumerate() {
            if count == 3 {
                let set = Self { men: [kings[0], kings[1], first, first], count };
                groups[set.pawns()].push(set);
            }
            for &second in &others[index..] {
                if count == 4 {
                    let set = Self { men: [kings[0], kings[1], first, second], count };
                    groups[set.pawns()].push(set);
                }
            }
        }
        groups.retain(|group| !group.is_empty());
        groups
    }

    /// The men in their order.
    #[must_use]
    pub(crate) fn men(&self) -> &[Piece] {
        &self.men[..self.count]
    }

    /// The men as they are commonly written: `KRk`, White's in capitals.
    #[must_use]
    pub(crate) fn name(&self) -> String {
        let (white, black): (Vec<Piece>, Vec<Piece>) =
            self.men().iter().partition(|piece| piece.color.is_white());
        white.into_iter().chain(black).map(Piece::char).collect()
    }

    pub(super) fn pawns(&self) -> usize {
        self.men().iter().filter(|piece| piece.role == Role::Pawn).count()
    }

    /// These men on these squares, one for each.
    pub(super) fn placed(&self, squares: impl IntoIterator<Item = Square>) -> Placement {
        let mut placement = Placement::default();
        for man in self.men().iter().copied().zip(squares) {
            placement.men[placement.count] = man;
            placement.count += 1;
        }
        placement.sort();
        placement
    }

    /// The men of a position.
    pub(super) fn of(placement: &Placement) -> Self {
        Self { men: placement.men.map(|(piece, _)| piece), count: placement.count }
    }

    pub(super) fn index(&self) -> usize {
        set_index(self.men().iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_has_a_place_of_its_own() {
        let sets: Vec<Men> = [3, 4].into_iter().flat_map(Men::groups).flatten().collect();
        assert_eq!(sets.len(), 10 + 55);
        let mut indices: Vec<usize> = sets.iter().map(Men::index).collect();
        indices.sort_unstable();
        indices.dedup();
        assert_eq!(indices.len(), sets.len());
        assert!(indices.iter().all(|&index| index < SETS));
        assert!(sets.iter().any(|set| set.name() == "KPkp"));
    }
}
