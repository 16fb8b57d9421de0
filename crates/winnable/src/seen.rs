//! Which positions were looked at: by exact comparison, found by a hash.

use std::hash::{Hash as _, Hasher};

use crate::Key;

/// A set of positions that only grows.
pub(super) struct Seen {
    keys: Vec<Key>,
    /// Open addressing: the number of a key plus one and, above it, half of its hash; 0 for an empty place. Never more
    /// than half full.
    places: Vec<u64>,
}

/// Places at first: enough for most positions of real games, a power of two.
const PLACES: usize = 512;

impl Seen {
    pub(super) fn new() -> Self {
        Self { keys: Vec::with_capacity(PLACES / 2), places: vec![0; PLACES] }
    }

    /// True if it was not there yet.
    pub(super) fn insert(&mut self, key: Key) -> bool {
        if 2 * self.keys.len() >= self.places.len() {
            self.grow();
        }
        let hash = hash(&key);
        let mut place = self.first_place(hash);
        while self.places[place] != 0 {
            // Only what looks alike is worth fetching.
            if self.places[place] >> 32 == hash >> 32 && self.keys[number(self.places[place])] == key {
                return false;
            }
            place = self.after(place);
        }
        self.keys.push(key);
        // No search looks at as many positions as a u32 counts.
        self.places[place] = hash >> 32 << 32 | self.keys.len() as u64;
        true
    }

    fn grow(&mut self) {
        let places = vec![0; 2 * self.places.len()];
        for known in std::mem::replace(&mut self.places, places) {
            if known != 0 {
                let mut place = self.first_place(hash(&self.keys[number(known)]));
                while self.places[place] != 0 {
                    place = self.after(place);
                }
                self.places[place] = known;
            }
        }
    }

    fn first_place(&self, hash: u64) -> usize {
        // The other half than the one that is kept: what shares a place is mostly told apart by that.
        usize::try_from(hash & u64::from(u32::MAX)).unwrap_or(0) & (self.places.len() - 1)
    }

    fn after(&self, place: usize) -> usize {
        (place + 1) & (self.places.len() - 1)
    }
}

/// The number of the key that this place has.
fn number(place: u64) -> usize {
    usize::try_from(place & u64::from(u32::MAX)).map_or(0, |number| number - 1)
}

fn hash(key: &Key) -> u64 {
    let mut mixer = Mixer(0);
    key.hash(&mut mixer);
    // The product's upper half is the better spread one: fold it into the lower.
    mixer.finish() ^ mixer.finish() >> 32
}

/// Spreads the words of a key; the same on every machine and in every run.
struct Mixer(u64);

/// An odd number without a pattern (the golden ratio in 64 bits).
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for &word in words {
            self.write_u64(u64::from_le_bytes(word));
        }
        for &byte in rest {
            self.write_u64(byte.into());
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(SPREAD);
    }

    fn write_isize(&mut self, word: isize) {
        self.write_u64(word.unsigned_abs() as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::{Bitboard, Board, Color};

    use super::*;

    /// More than it has room for at first, told apart by as little as a castling right.
    #[test]
    fn each_is_new_once() {
        let board = Board::new();
        let keys = (0..2_000).map(|rights| Key::of(&board, Color::White, Bitboard(rights), None));
        let mut seen = Seen::new();
        assert!(keys.clone().all(|key| seen.insert(key)));
        assert!(!keys.into_iter().any(|key| seen.insert(key)));
    }
}
