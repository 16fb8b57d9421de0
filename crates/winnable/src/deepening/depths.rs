//! How deep positions were looked at.

use shakmaty::{Chess, EnPassantMode, Position as _};

/// A table with one place for many positions: of two that fall on one place the newer is remembered. Two positions that
/// are taken for one cost a line at most, never a wrong answer.
pub(super) struct Depths {
    /// 56 bits of a hash, and the depth plus one.
    places: Vec<u64>,
    /// Part of every hash, so that a new number forgets everything.
    round: u64,
}

/// 512 KiB, which stays in the processor's cache. A power of two.
const PLACES: usize = 1 << 16;
/// Odd numbers without a pattern (the golden ratio in 64 bits, and one that is as far from it as may be).
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
const ROUND: u64 = 0xd6e8_feb8_6659_fd93;

impl Depths {
    pub(super) fn new() -> Self {
        Self { places: vec![0; PLACES], round: 0 }
    }

    pub(super) fn forget(&mut self) {
        self.round += 1;
    }

    /// True, and remembered, if the position was not looked at as deep as this yet.
    pub(super) fn is_deeper(&mut self, chess: &Chess, depth: u8) -> bool {
        let hash = hash(chess) ^ self.round.wrapping_mul(ROUND);
        let number = usize::try_from(hash >> 40).unwrap_or(0) & (PLACES - 1);
        let (known, depth) = (self.places[number], u64::from(depth) + 1);
        if known >> 8 == hash << 8 >> 8 && known & 0xff >= depth {
            return false;
        }
        self.places[number] = hash << 8 | depth;
        true
    }
}

fn hash(chess: &Chess) -> u64 {
    let board = chess.board();
    let passed = chess.ep_square(EnPassantMode::Always).map_or(0, |square| 1 + square as u64);
    let words = [
        board.pawns().0,
        board.knights().0,
        board.bishops().0,
        board.rooks().0,
        board.queens().0,
        board.kings().0,
        board.white().0,
        u64::from(chess.turn().is_white()) | chess.castles().castling_rights().0 << 1,
        passed,
    ];
    words.into_iter().fold(0, |hash: u64, word| (hash.rotate_left(23) ^ word).wrapping_mul(SPREAD))
}
