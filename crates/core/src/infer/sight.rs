//! What is seen of a board: what its sensor tells apart, but for squares that are not believed.

use super::image::{View, key, squares};
use adoube_rules::sensor::Content;
use adoube_rules::square::{Square, Squares};
use adoube_rules::{Footprint, Position as _, Variant};

/// What can be seen of a position. On a square that is doubted nothing is ever seen, neither in the picture nor
/// in a position: whatever is held against each other there agrees.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sight {
    pub(super) view: View,
    pub(super) doubted: Squares,
}

impl Sight {
    /// Every square is believed.
    pub(super) fn whole(view: View) -> Self {
        Self { view, doubted: Squares::EMPTY }
    }

    /// What is seen on `square` where `content` stands.
    #[inline]
    pub(super) fn see(&self, square: Square, content: Content) -> Content {
        if self.doubted.contains(square) { Content::EMPTY } else { self.view.see(content) }
    }

    /// How the hash of a picture changes with a move.
    pub(super) fn footprint_key(&self, footprint: &Footprint) -> u64 {
        footprint.changes().iter().fold(0, |hash, &(square, before, after)| {
            hash ^ key(square, self.see(square, before)) ^ key(square, self.see(square, after))
        })
    }

    /// The picture that `position` shows.
    pub(super) fn picture<V: Variant>(&self, position: &V::Position) -> Box<[Content]> {
        squares::<V>().map(|square| self.see(square, position.content(square))).collect()
    }
}

/// The hash of a picture.
pub(super) fn hash_of(contents: &[Content]) -> u64 {
    Square::all().zip(contents).fold(0, |hash, (square, &content)| hash ^ key(square, content))
}
