//! Which positions were looked at: by exact comparison, found by a hash.

use std::hash::{Hash as _, Hasher};

use crate::rules::draw::Key;

/// A set of positions that only grows.
pub(super) struct Seen {
    keys: Vec<Key>,
    /// Open addressing: number of a key plus one, 0 for an empty place. Never more than half full.
    places: Vec<u32>,
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
        let mut place = self.first_place(&key);
        while let Some(number) = self.places[place].checked_sub(1) {
            if self.keys[number as usize] == key {
                return false;
            }
            place = self.after(place);
        }
        self.keys.push(key);
        // No search looks at as many positions as a u32 counts.
        self.places[place] = u32::try_from(self.keys.len()).unwrap_or(u32::MAX);
        true
    }

    fn grow(&mut self) {
        self.places = vec![0; 2 * self.places.len()];
        for number in 0..self.keys.len() {
            let mut place = self.first_place(&self.keys[number]);
            while self.places[place] != 0 {
                place = self.after(place);
            }
            self.places[place] = u32::try_from(number + 1).unwrap_or(u32::MAX);
        }
    }

    fn first_place(&self, key: &Key) -> usize {
        let mut mixer = Mixer(0);
        key.hash(&mut mixer);
        usize::try_from(mixer.finish() >> 32).unwrap_or(0) & (self.places.len() - 1)
    }

    fn after(&self, place: usize) -> usize {
        (place + 1) & (self.places.len() - 1)
    }
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
