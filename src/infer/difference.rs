//! Where the picture and a position differ.

use super::square_set::SquareSet;
use crate::sensor::Content;

/// Where the picture and what a position shows differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Difference {
    /// Squares that are empty though a man belongs there: he is in a hand, or his sensor lost him.
    pub(super) missing: SquareSet,
    /// Squares on which something stands that does not belong there.
    pub(super) wrong: SquareSet,
}

/// Squares that are compared at a stroke: nearly all rows are equal.
const ROW: usize = 8;

impl Difference {
    /// Of the picture `seen` and what is `expected`.
    pub(super) fn between(seen: &[Content], expected: &[Content]) -> Self {
        let mut difference = Self::default();
        for (row, (seen, expected)) in seen.chunks(ROW).zip(expected.chunks(ROW)).enumerate() {
            // Without a branch for each square: the compiler compares the row at a stroke.
            let differs =
                |differs, (seen, expected): (&Content, &Content)| differs | (seen.byte() ^ expected.byte());
            if seen.iter().zip(expected).fold(0, differs) == 0 {
                continue;
            }
            for (column, (seen, expected)) in seen.iter().zip(expected).enumerate() {
                if seen != expected {
                    let square = u8::try_from(row * ROW + column).unwrap_or(u8::MAX);
                    let squares =
                        if seen.is_empty() { &mut difference.missing } else { &mut difference.wrong };
                    squares.insert(square);
                }
            }
        }
        difference
    }

    /// Of the squares occupied and those expected to be.
    pub(super) fn of_occupied(seen: SquareSet, expected: SquareSet) -> Self {
        Self { missing: expected.without(seen), wrong: seen.without(expected) }
    }

    /// The picture is what the position shows.
    pub(super) fn is_none(&self) -> bool {
        self.missing.is_empty() && self.wrong.is_empty()
    }

    /// Every square on which they differ.
    pub(super) fn squares(&self) -> SquareSet {
        self.missing.or(self.wrong)
    }

    pub(super) fn contains(&self, square: u8) -> bool {
        self.missing.contains(square) || self.wrong.contains(square)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sensor::Role;

    #[test]
    fn missing_and_wrong_men_are_told_apart() {
        let (king, rook) = (Content::man(0, Role::King), Content::man(1, Role::Rook));
        let mut seen = [Content::EMPTY; 64];
        let mut expected = seen;
        (seen[4], expected[4]) = (king, king);
        (seen[9], expected[9]) = (rook, king);
        seen[63] = rook;
        expected[17] = king;
        let difference = Difference::between(&seen, &expected);
        assert_eq!(difference.missing.iter().collect::<Vec<_>>(), [17]);
        assert_eq!(difference.wrong.iter().collect::<Vec<_>>(), [9, 63]);
        let [occupied, expected_occupied] = [seen, expected].map(|contents| SquareSet::occupied(&contents));
        let difference_of_sets = Difference::of_occupied(occupied, expected_occupied);
        assert_eq!(difference_of_sets.missing.iter().collect::<Vec<_>>(), [17]);
        assert_eq!(difference_of_sets.wrong.iter().collect::<Vec<_>>(), [63]);
        assert!(Difference::between(&seen, &seen).is_none() && !difference.is_none());
        assert!(difference.contains(17) && difference.contains(63) && !difference.contains(4));
    }
}
