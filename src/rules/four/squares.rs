//! A set of squares of a board of up to 192.

/// A set of squares, in the order of their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Squares([u64; 3]);

impl Squares {
    /// No square.
    pub const EMPTY: Self = Self([0; 3]);

    /// Adds a square.
    #[inline]
    pub fn insert(&mut self, square: u8) {
        self.0[usize::from(square >> 6)] |= 1 << (square & 63);
    }

    /// Takes a square out.
    #[inline]
    pub fn remove(&mut self, square: u8) {
        self.0[usize::from(square >> 6)] &= !(1 << (square & 63));
    }

    /// Is the square in it? No number beyond the board is.
    #[must_use]
    #[inline]
    pub fn contains(self, square: u8) -> bool {
        self.0.get(usize::from(square >> 6)).is_some_and(|word| word >> (square & 63) & 1 == 1)
    }

    /// How many squares it has.
    #[must_use]
    pub fn count(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// True if it has none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == [0; 3]
    }

    /// The squares of either.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        self.with(other, |one, other| one | other)
    }

    /// The squares of both.
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        self.with(other, |one, other| one & other)
    }

    /// The squares of this one that the other has not.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        self.with(other, |one, other| one & !other)
    }

    fn with(self, other: Self, join: impl Fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|word| join(self.0[word], other.0[word])))
    }

    /// The squares, lowest first.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = u8> {
        (0_u8..).step_by(64).zip(self.0).flat_map(|(first, mut word)| {
            std::iter::from_fn(move || {
                let place = word.trailing_zeros();
                word &= word.wrapping_sub(1);
                // Below 64 it fits.
                (place < 64).then(|| first + place as u8)
            })
        })
    }
}

impl FromIterator<u8> for Squares {
    fn from_iter<I: IntoIterator<Item = u8>>(squares: I) -> Self {
        let mut set = Self::EMPTY;
        squares.into_iter().for_each(|square| set.insert(square));
        set
    }
}
