//! Who can still mate with few men, solved completely: what `mate` is held against.
//!
//! With both sides helping a position is won by White if it is a mate by White or a move leads to a position that
//! is. So each set of men is solved from its mates backwards, after the sets that captures and promotions lead to.
//! Nothing here uses `mate`. Black as the winner is the same with colours exchanged.

mod men;
mod positions;
mod rights;
mod row;
mod solve;
mod table;

use shakmaty::{Bitboard, Chess, Color, Position as _};

pub(crate) use men::Men;

use men::{Placement, SETS};
use rights::Rights;
use row::{Goal as _, Row};

use solve::Winnable;
use table::Table;

/// Who can mate, for every position of the sets of men that were solved.
#[derive(Debug)]
pub(crate) struct Solution(Vec<Option<Solved>>);

/// One set of men, solved.
#[derive(Debug)]
pub(crate) struct Solved {
    table: Table,
    rights: Rights,
}

impl Default for Solution {
    fn default() -> Self {
        Self((0..SETS).map(|_| None).collect())
    }
}

impl Solution {
    /// Every position with three men, or with three and four, kings included.
    #[must_use]
    pub(crate) fn with_men(most: usize) -> Self {
        let mut solution = Self::default();
        for group in (3..=most).flat_map(Men::groups) {
            let solved: Vec<Solved> = group.into_iter().map(|men| solution.solve(men)).collect();
            solved.into_iter().for_each(|solved| solution.insert(solved));
        }
        solution
    }

    /// Solves a set of men; those of the groups before it must have been inserted.
    #[must_use]
    pub(crate) fn solve(&self, men: Men) -> Solved {
        let table = solve::solve(self, men);
        let rights = Rights::solve(&Winnable { solution: self, table: &table });
        Solved { table, rights }
    }

    /// Makes a set known to those that depend on it.
    pub(crate) fn insert(&mut self, solved: Solved) {
        let index = solved.table.men.index();
        self.0[index] = Some(solved);
    }

    /// Can that side mate by any series of legal moves? `None` if the set of men was not solved.
    #[must_use]
    pub(crate) fn can_mate(&self, chess: &Chess, winner: Color) -> Option<bool> {
        let is_turned = winner == Color::Black;
        let placement = Placement::of(chess.board(), is_turned)?;
        if placement.men().len() == 2 {
            return Some(false);
        }
        let solved = self.0[placement.set()].as_ref()?;
        let turn = if is_turned { !chess.turn() } else { chess.turn() };
        let rooks = chess.castles().castling_rights();
        let rooks = if is_turned { rooks.flip_vertical() } else { rooks };
        let Some(passing) = chess.legal_ep_square() else {
            return Some(self.is_won(turn, &placement, rooks));
        };
        let passing = if is_turned { passing.flip_vertical() } else { passing };
        let pushed = Bitboard::from(passing).shift(turn.fold_wb(-8, 8)).first()?;
        let (row, last) = Row::of(&placement)?;
        Some(Winnable { solution: self, table: &solved.table }.passing(turn, &row, last, pushed))
    }

    /// What White can mate from, without a right to take in passing.
    fn is_won(&self, turn: Color, placement: &Placement, rooks: Bitboard) -> bool {
        self.0[placement.set()].as_ref().is_some_and(|solved| {
            let goal = Winnable { solution: self, table: &solved.table };
            goal.is_won(turn, placement) || rooks.any() && solved.rights.contains(turn, placement, rooks)
        })
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::{CastlingMode, fen::Fen};

    use super::*;

    fn chess(fen: &str) -> Chess {
        fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap()
    }

    fn positions(solution: &Solution, men: Men) -> impl Iterator<Item = (Chess, bool)> {
        (0..solution.parts(men)).flat_map(move |part| solution.positions(men, part))
    }

    /// Counted by others: 28,056 positions of king and rook with the king to move, 331,352 of king and pawn
    /// if mirrored ones count twice.
    #[test]
    fn every_position_is_there_once() {
        let solution = Solution::with_men(3);
        let (mut rook, mut pawn) = (0, 0);
        for men in Men::groups(3).concat() {
            let has_no_right = |chess: &Chess| chess.castles().castling_rights().is_empty();
            let all = positions(&solution, men).map(|(chess, _)| chess).filter(has_no_right);
            match men.name().as_str() {
                "KRk" => rook = all.filter(|chess| chess.turn() == Color::Black).count(),
                "KPk" => pawn = all.count(),
                _ => {}
            }
        }
        assert_eq!((rook, 2 * pawn), (28_056, 331_352));
    }

    #[test]
    fn a_king_alone_a_bishop_and_a_knight_never_mate() {
        let solution = Solution::with_men(3);
        for men in Men::groups(3).concat() {
            let won = positions(&solution, men).filter(|(_, can)| *can).count();
            let can = ["KQk", "KRk", "KPk"].contains(&men.name().as_str());
            assert_eq!(won > 0, can, "{}", men.name());
        }
    }

    /// Moves are played by `shakmaty` here, and positions are those that it accepts.
    #[test]
    fn a_position_is_won_exactly_if_a_move_leads_to_one_that_is() {
        let solution = Solution::with_men(3);
        for men in Men::groups(3).concat() {
            for (chess, can) in positions(&solution, men) {
                assert_eq!(can, can_mate_by_moves(&solution, &chess), "{chess:?}");
            }
        }
    }

    fn can_mate_by_moves(solution: &Solution, chess: &Chess) -> bool {
        let is_won = |mv: shakmaty::Move| {
            let mut after = chess.clone();
            after.play_unchecked(mv);
            solution.can_mate(&after, Color::White) == Some(true)
        };
        chess.is_checkmate() && chess.turn() == Color::Black || chess.legal_moves().into_iter().any(is_won)
    }

    #[test]
    fn colours_may_be_exchanged() {
        let solution = Solution::with_men(3);
        let ask = |fen: &str, winner| solution.can_mate(&chess(fen), winner);
        assert_eq!(ask("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", Color::White), Some(true));
        assert_eq!(ask("r3k3/8/8/8/8/8/8/4K3 b q - 0 1", Color::Black), Some(true));
        assert_eq!(ask("r3k3/8/8/8/8/8/8/4K3 b q - 0 1", Color::White), Some(false));
        // Stalemate, and a rook that is lost at once.
        assert_eq!(ask("8/8/8/8/8/8/1r6/K1k5 w - - 0 1", Color::Black), Some(false));
        assert_eq!(ask("8/8/8/8/8/8/1r6/K2k4 w - - 0 1", Color::Black), Some(false));
        assert_eq!(ask("8/8/8/8/8/8/8/K2k4 w - - 0 1", Color::Black), Some(false));
        assert_eq!(ask("8/8/8/8/8/8/QQ6/K2k4 w - - 0 1", Color::White), None);
    }
}
