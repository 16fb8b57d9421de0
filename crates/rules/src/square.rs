//! A square of a board, by its number, and sets of squares.

use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

/// A square, numbered as its game's family numbers them (chess: a1 = 0, b1 = 1 … h8 = 63).
///
/// Lists with a value for each square of a board are indexed by it. Its name is the family's to say
/// ([`Family::square_name`](crate::Family::square_name)).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Square(u8);

impl Square {
    /// The square of that number.
    #[must_use]
    #[inline]
    pub const fn new(number: u8) -> Self {
        Self(number)
    }

    /// Its number.
    #[must_use]
    #[inline]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Its number, for lists.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// All that a board may have, in order: to go through a list, or to take as many as there are.
    #[inline]
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        (0..u8::MAX).map(Self)
    }
}

impl<T> Index<Square> for [T] {
    type Output = T;

    #[inline]
    fn index(&self, square: Square) -> &T {
        &self[square.index()]
    }
}

impl<T> IndexMut<Square> for [T] {
    #[inline]
    fn index_mut(&mut self, square: Square) -> &mut T {
        &mut self[square.index()]
    }
}

impl<T> Index<Square> for Vec<T> {
    type Output = T;

    #[inline]
    fn index(&self, square: Square) -> &T {
        &self[square.index()]
    }
}

impl<T> IndexMut<Square> for Vec<T> {
    #[inline]
    fn index_mut(&mut self, square: Square) -> &mut T {
        &mut self[square.index()]
    }
}

/// A set of squares of a board of up to 192, small enough to be handed about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Squares([u64; 3]);

impl Squares {
    /// No square.
    pub const EMPTY: Self = Self([0; 3]);

    /// Adds a square.
    #[inline]
    pub fn insert(&mut self, square: Square) {
        self.0[square.index() >> 6] |= 1 << (square.number() & 63);
    }

    /// Takes a square out.
    #[inline]
    pub fn remove(&mut self, square: Square) {
        self.0[square.index() >> 6] &= !(1 << (square.number() & 63));
    }

    /// Is the square in it? No number beyond the board is.
    #[must_use]
    #[inline]
    pub fn contains(self, square: Square) -> bool {
        self.0.get(square.index() >> 6).is_some_and(|word| word >> (square.number() & 63) & 1 == 1)
    }

    /// How many squares it has.
    #[must_use]
    #[inline]
    pub fn count(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// True if it has none.
    #[must_use]
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == [0; 3]
    }

    /// The squares of either.
    #[must_use]
    #[inline]
    pub fn union(self, other: Self) -> Self {
        self.with(other, |one, other| one | other)
    }

    /// The squares of both.
    #[must_use]
    #[inline]
    pub fn intersection(self, other: Self) -> Self {
        self.with(other, |one, other| one & other)
    }

    /// They have a square in common.
    #[must_use]
    #[inline]
    pub fn meets(self, other: Self) -> bool {
        !self.intersection(other).is_empty()
    }

    /// The squares of this one that the other has not.
    #[must_use]
    #[inline]
    pub fn without(self, other: Self) -> Self {
        self.with(other, |one, other| one & !other)
    }

    #[inline]
    fn with(self, other: Self, join: impl Fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|word| join(self.0[word], other.0[word])))
    }

    /// The squares, lowest first.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = Square> {
        (0_u8..).step_by(64).zip(self.0).flat_map(|(first, mut word)| {
            std::iter::from_fn(move || {
                let place = word.trailing_zeros();
                word &= word.wrapping_sub(1);
                // Below 64 it fits.
                (place < 64).then(|| Square(first + place as u8))
            })
        })
    }
}

impl FromIterator<Square> for Squares {
    #[inline]
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        let mut set = Self::EMPTY;
        squares.into_iter().for_each(|square| set.insert(square));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_was_put_in() {
        let mut set = Squares::EMPTY;
        assert!(set.is_empty());
        for square in [159, 0, 63, 64] {
            set.insert(Square::new(square));
        }
        set.remove(Square::new(0));
        assert_eq!(set.iter().map(Square::number).collect::<Vec<_>>(), [63, 64, 159]);
        assert_eq!(set.count(), 3);
        assert!(set.contains(Square::new(64)) && !set.contains(Square::new(65)) && !set.is_empty());
        assert!(!set.contains(Square::new(u8::MAX)), "beyond every board");
    }
}
