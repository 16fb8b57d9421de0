//! Frames of either direction: a letter that tells the length, data, and a checksum of two hexadecimal digits.
//!
//! There is no terminator. What cannot be a frame is dropped character by character until something can.

use serde::{Deserialize, Serialize};

/// What the beginning of the characters so far can be.
pub(super) enum Shape {
    /// A frame, so far; or nothing at all.
    Possible,
    /// A whole frame of that many characters.
    Whole(usize),
    /// No frame begins here.
    None,
}

/// What a frame with this first character looks like: its length, and whether a character can stand at a place in it.
pub(super) type Kind = (usize, fn(u8) -> bool);

/// Looks at characters of seven bits.
pub(super) fn shape(characters: &[u8], kind: fn(u8) -> Option<Kind>) -> Shape {
    let Some((&first, rest)) = characters.split_first() else { return Shape::Possible };
    let Some((length, is_datum)) = kind(first) else { return Shape::None };
    // The last two are the checksum.
    let data = length - 3;
    let fits = |(place, &character): (usize, &u8)| {
        if place < data { is_datum(character) } else { hex_digit(character).is_some() }
    };
    if !rest.iter().take(length - 1).enumerate().all(fits) {
        return Shape::None;
    }
    if characters.len() < length {
        return Shape::Possible;
    }
    let (body, sum) = characters[..length].split_at(length - 2);
    if byte(sum) == Some(checksum(body)) { Shape::Whole(length) } else { Shape::None }
}

/// The value of a hexadecimal digit. Boards write capital letters, some that are none (emulators) small ones.
pub(super) fn hex_digit(character: u8) -> Option<u8> {
    match character {
        b'0'..=b'9' => Some(character - b'0'),
        b'A'..=b'F' => Some(character - b'A' + 10),
        b'a'..=b'f' => Some(character - b'a' + 10),
        _ => None,
    }
}

/// Two hexadecimal digits.
pub(super) fn byte(digits: &[u8]) -> Option<u8> {
    let &[high, low] = digits else { return None };
    Some(hex_digit(high)? << 4 | hex_digit(low)?)
}

fn checksum(characters: &[u8]) -> u8 {
    characters.iter().fold(0, |sum, character| sum ^ character)
}

/// A frame as it goes over the wire: with its checksum, each character with odd parity.
pub(super) fn wire(text: &str) -> Vec<u8> {
    let sum = format!("{:02X}", checksum(text.as_bytes()));
    text.bytes().chain(sum.bytes()).map(with_parity).collect()
}

/// The character with bit 7 such that the number of set bits is odd.
pub(super) fn with_parity(character: u8) -> u8 {
    let character = character & 0x7f;
    if character.count_ones().is_multiple_of(2) { character | 0x80 } else { character }
}

/// Cuts a stream of characters into frames.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Framer {
    /// The beginning of a frame; never longer than the longest.
    partial: Vec<u8>,
}

impl Framer {
    /// Takes a character of seven bits. Each whole frame goes to `take`; returns how many characters belong to none.
    pub(super) fn push(
        &mut self,
        character: u8,
        kind: fn(u8) -> Option<Kind>,
        mut take: impl FnMut(&[u8]),
    ) -> u64 {
        self.partial.push(character);
        let mut skipped = 0;
        loop {
            match shape(&self.partial, kind) {
                Shape::Possible => return skipped,
                Shape::Whole(length) => {
                    take(&self.partial[..length]);
                    self.partial.drain(..length);
                }
                Shape::None => {
                    self.partial.remove(0);
                    skipped += 1;
                }
            }
        }
    }

    /// Characters of a frame that is not complete.
    pub(super) fn pending(&self) -> usize {
        self.partial.len()
    }

    /// Drops a frame that does not go on, and returns how many characters that were.
    pub(super) fn abandon(&mut self) -> u64 {
        let dropped = self.partial.len() as u64;
        self.partial.clear();
        dropped
    }
}
