//! A search by depth, in which a move towards a mate costs none: it goes far along few lines.
//!
//! Where `search` weighs every position against every other, this follows one aim at a time: a corner, who has to come
//! there, and who to stay away. So it finds the long way round a wall that `search` takes for no way at all, for a
//! tenth of the time a position. It never shows that there is no mate.

mod aim;
mod depths;

use shakmaty::{Chess, Color, Move, Position as _};

use self::aim::Aim;
use self::depths::Depths;
use super::{Found, material};

/// Deeper than this no search gets.
const DEPTH_MAX: u8 = 100;
/// Longer lines are circles, and each ply has its place on the stack.
const PLIES_MAX: usize = 128;

struct Search {
    winner: Color,
    depths: Depths,
    line: Vec<Move>,
    looked_at: u32,
    limit: u32,
}

/// Looks for a mate by `winner`, both sides helping, over at most `limit` positions.
pub(super) fn helpmate(chess: &Chess, winner: Color, limit: u32) -> Found {
    let aims = Aim::all(chess.board(), winner);
    let mut search = Search { winner, depths: Depths::new(), line: Vec::new(), looked_at: 0, limit };
    for depth in 1..=DEPTH_MAX {
        for aim in &aims {
            search.depths.forget();
            if search.is_found(chess, aim, depth, false) {
                return Found::Mate(search.line);
            }
            if search.looked_at >= limit {
                return Found::Limit { nodes: search.looked_at };
            }
        }
    }
    Found::Limit { nodes: search.looked_at }
}

impl Search {
    /// Looks `depth` moves deep, of those that lead nowhere in particular; those that lead towards a mate do not count,
    /// nor does the answer to one.
    fn is_found(&mut self, chess: &Chess, aim: &Aim, depth: u8, is_answer: bool) -> bool {
        if !self.depths.is_deeper(chess, depth) {
            return false;
        }
        let moves = chess.legal_moves();
        if moves.is_empty() {
            return chess.turn() != self.winner && chess.is_check();
        }
        let is_over = || material::insufficient(chess.board(), self.winner).is_some();
        if depth == 0 || self.line.len() >= PLIES_MAX || is_over() {
            return false;
        }
        for mv in moves {
            if self.looked_at >= self.limit {
                return false;
            }
            self.looked_at += 1;
            let is_progress = aim.is_progress(chess, mv);
            let is_free = is_progress || is_answer;
            let mut next = chess.clone();
            next.play_unchecked(mv);
            self.line.push(mv);
            if self.is_found(&next, aim, depth - u8::from(!is_free), is_progress) {
                return true;
            }
            self.line.pop();
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::read;

    fn found(fen: &str, winner: Color, limit: u32) -> Found {
        helpmate(&read(fen), winner, limit)
    }

    /// Behind walls, in a cage, and with a lone knight: the lines are legal and mate.
    #[test]
    fn what_is_far_is_found() {
        for (fen, winner) in [
            ("3k4/4b3/3bB3/p1pBp1p1/P1PbP1P1/4b3/4B3/3K1B2 b - - 0 1", Color::White),
            ("7k/8/8/3B4/8/6p1/6Pb/6bK w - - 0 1", Color::Black),
            ("8/8/8/8/3k4/4R1P1/3n1P2/5K2 w - - 0 1", Color::Black),
        ] {
            let Found::Mate(line) = found(fen, winner, 20_000) else { panic!("{fen}") };
            let mut chess = read(fen);
            for mv in line {
                assert!(chess.is_legal(mv), "{fen} {mv}");
                chess.play_unchecked(mv);
            }
            assert!(chess.is_checkmate() && chess.turn() != winner, "{fen}");
        }
    }

    /// A bare king never mates, however long it is looked for.
    #[test]
    fn the_budget_is_kept() {
        for limit in [0, 1, 77, 2_000] {
            let found = found("rnbqkbnr/pppppppp/8/8/8/8/8/4K3 w kq - 0 1", Color::White, limit);
            assert!(matches!(found, Found::Limit { nodes } if nodes <= limit));
        }
    }
}
