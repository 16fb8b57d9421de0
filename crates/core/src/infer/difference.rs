//! Where the picture and a position differ.

use adoube_rules::sensor::Content;
use adoube_rules::square::{Square, Squares};

/// Where the picture and what a position shows differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Difference {
    /// Squares that are empty though a man belongs there: he is in a hand, or his sensor lost him.
    pub(super) missing: Squares,
    /// Squares on which something stands that does not belong there.
    pub(super) wrong: Squares,
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
            for (square, (seen, expected)) in Square::all().skip(row * ROW).zip(seen.iter().zip(expected)) {
                if seen != expected {
                    let squares =
                        if seen.is_empty() { &mut difference.missing } else { &mut difference.wrong };
                    squares.insert(square);
                }
            }
        }
        difference
    }

    /// Of the squares occupied and those expected to be.
    pub(super) fn of_occupied(seen: Squares, expected: Squares) -> Self {
        Self { missing: expected.without(seen), wrong: seen.without(expected) }
    }

    /// The picture is what the position shows.
    pub(super) fn is_none(&self) -> bool {
        self.missing.is_empty() && self.wrong.is_empty()
    }

    /// Every square on which they differ.
    pub(super) fn squares(&self) -> Squares {
        self.missing.union(self.wrong)
    }

    pub(super) fn contains(&self, square: Square) -> bool {
        self.missing.contains(square) || self.wrong.contains(square)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adoube_rules::sensor::Army;
    use adoube_rules::sensor::Role;

    #[test]
    fn missing_and_wrong_men_are_told_apart() {
        let (king, rook) = (Content::man(Army::new(0), Role::King), Content::man(Army::new(1), Role::Rook));
        let mut seen = [Content::EMPTY; 64];
        let mut expected = seen;
        (seen[4], expected[4]) = (king, king);
        (seen[9], expected[9]) = (rook, king);
        seen[63] = rook;
        expected[17] = king;
        let difference = Difference::between(&seen, &expected);
        assert_eq!(difference.missing.iter().map(Square::number).collect::<Vec<_>>(), [17]);
        assert_eq!(difference.wrong.iter().map(Square::number).collect::<Vec<_>>(), [9, 63]);
        let [occupied, expected_occupied] =
            [seen, expected].map(|contents| crate::infer::image::occupied(&contents));
        let difference_of_sets = Difference::of_occupied(occupied, expected_occupied);
        assert_eq!(difference_of_sets.missing.iter().map(Square::number).collect::<Vec<_>>(), [17]);
        assert_eq!(difference_of_sets.wrong.iter().map(Square::number).collect::<Vec<_>>(), [63]);
        assert!(Difference::between(&seen, &seen).is_none() && !difference.is_none());
        assert!(
            difference.contains(Square::new(17))
                && difference.contains(Square::new(63))
                && !difference.contains(Square::new(4))
        );
    }
}
