//! The picture of the board, with a hash that is kept up to date.

use serde::{Deserialize, Serialize};

use super::sight::hash_of;
use adoube_rules::Variant;
use adoube_rules::sensor::Content;
use adoube_rules::square::{Square, Squares};

/// What the sensor can tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum View {
    /// Every man.
    Identity,
    /// Only whether something stands on a square.
    Occupancy,
}

impl View {
    /// What a sensor of this kind sees where `content` stands.
    #[must_use]
    pub fn see(self, content: Content) -> Content {
        match self {
            Self::Identity => content,
            Self::Occupancy => content.occupancy(),
        }
    }
}

/// Squares of the largest board.
const SQUARES: usize = 160;

/// A random number for each content of each square; nothing for an empty one.
static KEYS: [[u64; Content::COUNT]; SQUARES] = {
    let mut keys = [[0; Content::COUNT]; SQUARES];
    // splitmix64: any generator that fills 64 bits evenly will do, but always the same numbers.
    let mut state = 0x6164_6f75_6265_2121_u64;
    let mut square = 0;
    while square < SQUARES {
        let mut content = 1;
        while content < Content::COUNT {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut mixed = state;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            keys[square][content] = mixed ^ (mixed >> 31);
            content += 1;
        }
        square += 1;
    }
    keys
};

/// What `content` on `square` adds to the hash of a picture.
pub(super) fn key(square: Square, content: Content) -> u64 {
    KEYS[square][content.index()]
}

/// The squares of the board.
pub fn squares<V: Variant>() -> impl Iterator<Item = Square> {
    Square::all().take(V::SQUARES)
}

/// The squares of a picture on which something stands.
pub(super) fn occupied(contents: &[Content]) -> Squares {
    Square::all().zip(contents).filter(|(_, content)| !content.is_empty()).map(|(square, _)| square).collect()
}

/// What the sensor shows now.
#[derive(Debug, Clone)]
pub(super) struct Image {
    contents: Vec<Content>,
    occupied: Squares,
    hash: u64,
}

impl Image {
    /// The picture with these contents.
    pub(super) fn of(contents: Box<[Content]>) -> Self {
        Self { occupied: occupied(&contents), hash: hash_of(&contents), contents: contents.into_vec() }
    }

    /// Puts `content` on `square`; what was there before.
    pub(super) fn set(&mut self, square: Square, content: Content) -> Content {
        let before = std::mem::replace(&mut self.contents[square], content);
        self.hash ^= key(square, before) ^ key(square, content);
        if content.is_empty() {
            self.occupied.remove(square);
        } else {
            self.occupied.insert(square);
        }
        before
    }

    /// Where something stands.
    pub(super) fn occupied(&self) -> Squares {
        self.occupied
    }

    pub(super) fn hash(&self) -> u64 {
        self.hash
    }

    pub(super) fn contents(&self) -> &[Content] {
        &self.contents
    }

    pub(super) fn at(&self, square: Square) -> Content {
        self.contents[square]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::infer::sight::Sight;
    use adoube_rules::{Chess, ChessPosition, Position as _};

    /// The hash kept up to date over a walk of moves equals the hash made anew.
    #[test]
    fn the_kept_hash_equals_the_recomputed_one() {
        for view in [View::Identity, View::Occupancy] {
            let mut position = ChessPosition::default();
            let sight = Sight::whole(view);
            let mut hash = hash_of(&sight.picture::<Chess>(&position));
            for step in 0..120_usize {
                let mut moves = Vec::new();
                position.legal_moves(&mut moves);
                let Some(&mv) = moves.get(step * 7 % moves.len().max(1)) else { break };
                hash ^= sight.footprint_key(&position.footprint(mv));
                position = position.play(mv);
                assert_eq!(hash, Image::of(sight.picture::<Chess>(&position)).hash());
            }
        }
    }
}
