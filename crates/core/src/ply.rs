//! A ply of a game, by its number, and lists with an entry for each.

use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

/// A ply by its number: 1 is the first of a game, whoever makes it.
///
/// The position *after* a ply is the one in which the next is made: after [`Ply::START`] the game starts.
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
    Default,
    Serialize,
    Deserialize,
)]
#[serde(transparent)]
pub struct Ply(u32);

impl Ply {
    /// Before the first: nothing was played.
    pub const START: Self = Self(0);
    /// The first.
    pub const FIRST: Self = Self(1);

    /// The ply of that number.
    #[must_use]
    #[inline]
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    /// The last of so many.
    #[must_use]
    #[inline]
    pub(crate) fn last_of(count: usize) -> Self {
        Self(u32::try_from(count).unwrap_or(u32::MAX))
    }

    /// Its number: how many plies there are up to it.
    #[must_use]
    #[inline]
    pub const fn number(self) -> u32 {
        self.0
    }

    /// How many plies there are up to it, for lists.
    #[must_use]
    #[inline]
    pub const fn count(self) -> usize {
        self.0 as usize
    }

    /// True if nothing was played.
    #[must_use]
    #[inline]
    pub const fn is_start(self) -> bool {
        self.0 == 0
    }

    /// The one after it.
    #[must_use]
    #[inline]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// The one before it; before the start there is nothing but the start.
    #[must_use]
    #[inline]
    pub const fn before(self) -> Self {
        self.back(1)
    }

    /// The one so many plies before it, or the start.
    #[must_use]
    #[inline]
    pub const fn back(self, plies: u32) -> Self {
        Self(self.0.saturating_sub(plies))
    }

    /// All from this one up to `last`.
    #[inline]
    pub fn to(self, last: Self) -> impl DoubleEndedIterator<Item = Self> + Clone {
        (self.0..=last.0).map(Self)
    }

    /// All from the first up to this one.
    #[inline]
    pub fn all(self) -> impl DoubleEndedIterator<Item = Self> + Clone {
        Self::FIRST.to(self)
    }
}

impl std::fmt::Display for Ply {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(to)
    }
}

/// What is known of each ply of a line, from the first on.
#[derive(Debug, Clone)]
pub struct Plies<T>(Vec<T>);

impl<T> Default for Plies<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Plies<T> {
    /// The last ply.
    #[must_use]
    #[inline]
    pub fn last(&self) -> Ply {
        Ply::last_of(self.0.len())
    }

    /// How many they are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if nothing was played.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What is known of `ply`, if it was played.
    #[must_use]
    pub fn get(&self, ply: Ply) -> Option<&T> {
        self.0.get(ply.count().checked_sub(1)?)
    }

    /// The same, to be changed.
    #[must_use]
    pub fn get_mut(&mut self, ply: Ply) -> Option<&mut T> {
        self.0.get_mut(ply.count().checked_sub(1)?)
    }

    /// What is known of the last one, if there is one.
    #[must_use]
    pub fn newest(&self) -> Option<&T> {
        self.0.last()
    }

    /// Another ply.
    pub fn push(&mut self, known: T) {
        self.0.push(known);
    }

    /// What was played after `ply` is gone.
    pub(crate) fn cut_after(&mut self, ply: Ply) {
        self.0.truncate(ply.count());
    }

    /// All, each with its number.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Ply, &T)> + ExactSizeIterator {
        self.0.iter().enumerate().map(|(before, known)| (Ply::last_of(before).next(), known))
    }
}

impl<T> Index<Ply> for Plies<T> {
    type Output = T;

    #[inline]
    fn index(&self, ply: Ply) -> &T {
        &self.0[ply.count() - 1]
    }
}

impl<T> IndexMut<Ply> for Plies<T> {
    #[inline]
    fn index_mut(&mut self, ply: Ply) -> &mut T {
        &mut self.0[ply.count() - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_is_before_the_first_and_before_nothing() {
        assert_eq!(Ply::FIRST.before(), Ply::START);
        assert_eq!(Ply::START.before(), Ply::START);
        assert_eq!(Ply::new(5).back(2), Ply::new(3));
        assert_eq!(Ply::START.all().count(), 0);
        assert_eq!(Ply::new(2).all().map(Ply::number).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(Ply::new(3).to(Ply::new(2)).count(), 0);
    }

    #[test]
    fn a_list_begins_with_the_first() {
        let mut plies = Plies::default();
        assert_eq!(plies.last(), Ply::START);
        for known in ["e4", "e5", "Nf3"] {
            plies.push(known);
        }
        assert_eq!((plies[Ply::FIRST], plies.last()), ("e4", Ply::new(3)));
        assert_eq!((plies.get(Ply::START), plies.get(Ply::new(4))), (None, None));
        plies.cut_after(Ply::FIRST);
        assert_eq!(plies.iter().collect::<Vec<_>>(), [(Ply::FIRST, &"e4")]);
    }
}
