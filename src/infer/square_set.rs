//! A set of squares, small enough to be handed about.

use crate::sensor::Content;

/// A set of squares of the largest board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct SquareSet([u64; 3]);

impl SquareSet {
    /// The squares of a picture on which something stands.
    pub(super) fn occupied(contents: &[Content]) -> Self {
        let mut set = Self::default();
        for (square, content) in (0_u8..).zip(contents) {
            set.set(square, !content.is_empty());
        }
        set
    }

    pub(super) fn insert(&mut self, square: u8) {
        self.set(square, true);
    }

    pub(super) fn set(&mut self, square: u8, is_in: bool) {
        let word = &mut self.0[usize::from(square / 64)];
        *word = *word & !(1 << (square % 64)) | u64::from(is_in) << (square % 64);
    }

    /// What is in either.
    pub(super) fn or(self, other: Self) -> Self {
        Self(std::array::from_fn(|index| self.0[index] | other.0[index]))
    }

    /// They have a square in common.
    pub(super) fn meets(self, other: Self) -> bool {
        self.0.iter().zip(other.0).any(|(own, other)| own & other != 0)
    }

    /// What is in here and not in `other`.
    pub(super) fn without(self, other: Self) -> Self {
        Self(std::array::from_fn(|index| self.0[index] & !other.0[index]))
    }

    pub(super) fn contains(&self, square: u8) -> bool {
        self.0[usize::from(square / 64)] >> (square % 64) & 1 == 1
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0 == [0; 3]
    }

    pub(super) fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The squares, in rising order.
    pub(super) fn iter(&self) -> impl Iterator<Item = u8> + use<> {
        (0_u8..).step_by(64).zip(self.0).flat_map(|(first, word)| {
            let next = |rest: &u64| Some(rest & (rest - 1)).filter(|&rest| rest != 0);
            std::iter::successors((word != 0).then_some(word), next)
                .map(move |rest| first + u8::try_from(rest.trailing_zeros()).unwrap_or(u8::MAX))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_was_put_in() {
        let mut set = SquareSet::default();
        assert!(set.is_empty());
        for square in [159, 0, 63, 64] {
            set.insert(square);
        }
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 63, 64, 159]);
        assert_eq!(set.len(), 4);
        assert!(set.contains(64) && !set.contains(65) && !set.is_empty());
    }
}
