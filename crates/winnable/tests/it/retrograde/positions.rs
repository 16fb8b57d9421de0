//! Every position with the same men, with what was solved about it.

use shakmaty::{Bitboard, Chess, Color, Position as _, Rank, Role, Square};

use super::Solution;
use super::men::{Men, Placement};
use super::rights::{chess, placements};
use super::row::{Row, beside};
use super::table::is_first;

/// Some thousand positions: enough parts for several cores and a progress bar.
const PART_ROWS: usize = 64;

impl Solution {
    /// Into how many parts [`Self::positions`] divides a set of men.
    #[must_use]
    pub(crate) fn parts(&self, men: Men) -> usize {
        // The last has the rights to castle.
        self.0[men.index()].as_ref().map_or(0, |solved| solved.table.len().div_ceil(PART_ROWS) + 1)
    }

    /// The positions of a part, and whether White can mate.
    ///
    /// Those that are the same but for a board turned round come once; those with a right to castle or to take
    /// in passing come beside those without.
    #[must_use]
    pub(crate) fn positions(&self, men: Men, part: usize) -> Vec<(Chess, bool)> {
        let Some(solved) = &self.0[men.index()] else { return Vec::new() };
        let found: Vec<Chess> = if part + 1 == self.parts(men) {
            let placements = placements(&men).into_iter();
            placements.filter_map(|(placement, turn, rooks)| chess(&placement, turn, rooks, None)).collect()
        } else {
            let rows = solved.table.rows(part * PART_ROWS..(part + 1) * PART_ROWS);
            rows.flat_map(|(_, row)| without_castling(men, row)).collect()
        };
        found
            .into_iter()
            .filter_map(|chess| self.can_mate(&chess, Color::White).map(|can| (chess, can)))
            .collect()
    }
}

fn without_castling(men: Men, row: Row) -> impl Iterator<Item = Chess> {
    Color::ALL.into_iter().flat_map(move |turn| {
        let lasts = row.legal(turn).into_iter().filter(move |&last| is_first(men, &row, last));
        lasts.map(move |last| row.placement(last)).flat_map(move |placement| {
            let passing = in_passing(turn, &placement).into_iter().map(Some);
            passing.chain([None]).filter_map(move |passing| chess(&placement, turn, Bitboard::EMPTY, passing))
        })
    })
}

/// The squares on which a pawn that has just come two squares can be taken.
pub(super) fn in_passing(turn: Color, placement: &Placement) -> Bitboard {
    let pawns = |color: Color| {
        let pawns = placement.men().iter().filter(move |(piece, _)| *piece == Role::Pawn.of(color));
        pawns.map(|&(_, square)| square).collect::<Bitboard>()
    };
    let rank = Bitboard::from((!turn).relative_rank(Rank::Fourth));
    let pushed = (pawns(!turn) & rank).into_iter();
    let is_possible = |square: &Square| {
        chess(placement, turn, Bitboard::EMPTY, Some(*square))
            .is_some_and(|chess| chess.legal_ep_square().is_some())
    };
    let beside = pushed.filter(|&square| (beside(square) & pawns(turn)).any());
    let behind: Bitboard = beside.collect::<Bitboard>().shift(turn.fold_wb(8, -8));
    behind.into_iter().filter(is_possible).collect()
}
