//! What stands where, by tags: lines are noisy, so each square has a vote.

use serde::{Deserialize, Serialize};

use crate::wire::by_square::BySquare;

/// Squares on the board.
pub(super) const SQUARES: usize = 64;
/// Numbers that a square has in a line.
pub(super) const TAG_BYTES: usize = 5;
/// More zeros than this among them, and nothing stands there: an empty coil says some numbers, too.
const ZEROS_MAX: usize = 2;
/// Lines that have a vote. Two of them must agree, so that a man who is not read for once stays where he is.
const VOTERS: usize = 3;

/// What a coil reads in the foot of a man.
pub(super) type Tag = [u8; TAG_BYTES];
/// The tag on each square, a1 first, as the sensor has it.
pub(super) type Tags = BySquare<Option<Tag>>;

/// The tags of a line, which begins with a8.
pub(super) fn tags(numbers: &[u8]) -> Tags {
    let mut tags = BySquare([None; SQUARES]);
    for (place, numbers) in numbers.chunks_exact(TAG_BYTES).take(SQUARES).enumerate() {
        let zeros = numbers.iter().filter(|&&number| number == 0).count();
        tags[place ^ 0x38] = Tag::try_from(numbers).ok().filter(|_| zeros <= ZEROS_MAX);
    }
    tags
}

/// The last lines, and what they agree on.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Picture {
    voters: [Tags; VOTERS],
    /// How many of them there are.
    lines: usize,
    agreed: Tags,
}

impl Default for Picture {
    fn default() -> Self {
        let nothing = BySquare([None; SQUARES]);
        Self { voters: [nothing; VOTERS], lines: 0, agreed: nothing }
    }
}

impl Picture {
    /// Takes a line; what the last ones agree on, once there are enough.
    pub(super) fn take(&mut self, line: Tags) -> Option<&Tags> {
        self.voters.rotate_left(1);
        self.voters[VOTERS - 1] = line;
        self.lines = (self.lines + 1).min(VOTERS);
        if self.lines < VOTERS {
            return None;
        }
        for square in 0..SQUARES {
            let [first, second, third] = self.voters.map(|voter| voter[square]);
            match () {
                () if second == third || first == third => self.agreed[square] = third,
                () if first == second => self.agreed[square] = first,
                // Three lines, three stories: it stays what it was.
                () => {}
            }
        }
        Some(&self.agreed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOK: Tag = [9, 8, 0, 0, 5];

    fn line(tag: Option<Tag>) -> Tags {
        let mut tags = BySquare([None; SQUARES]);
        tags[56] = tag;
        tags
    }

    #[test]
    fn three_zeros_are_an_empty_square_whatever_the_rest() {
        let mut numbers = vec![0; 320];
        numbers[..5].copy_from_slice(&ROOK);
        numbers[5..10].copy_from_slice(&[0, 0, 56, 0, 0]);
        numbers[315..].copy_from_slice(&[201, 7, 0, 0, 0]);
        let tags = tags(&numbers);
        assert_eq!(tags[56], Some(ROOK), "a8 comes first");
        assert_eq!(tags.iter().flatten().count(), 1, "neither b8 nor h1");
    }

    #[test]
    fn two_of_three_decide() {
        let mut picture = Picture::default();
        assert_eq!(picture.take(line(Some(ROOK))), None);
        assert_eq!(picture.take(line(Some(ROOK))), None);
        let mut told = |tag| picture.take(line(tag)).unwrap()[56];
        assert_eq!(told(None), Some(ROOK), "not read for once");
        assert_eq!(told(Some([1, 1, 1, 1, 1])), Some(ROOK), "three stories");
        assert_eq!(told(Some(ROOK)), Some(ROOK));
        assert_eq!(told(None), Some(ROOK));
        assert_eq!(told(None), None, "gone");
    }
}
