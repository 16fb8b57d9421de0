//! The plans of the search, in the order in which they are tried.

use super::glance::Plan;

/// Found by trial, for few positions looked at: the first four on positions of real games, the others on
/// walls of pawns and on men that mate only in a corner, the losing king's own men beside it.
#[rustfmt::skip]
pub(super) const PLANS: [Plan; 8] = [
    Plan { escape: 0, kings: 4, corner: 4, edge: 2, pawn: 12, their_pawn: 0, loss: 7, check: 7, man: 4, nearest: 0, approach: 0, crowd: 0, offer: 0 },
    Plan { escape: 3, kings: 8, corner: 0, edge: 13, pawn: 3, their_pawn: 0, loss: 0, check: 21, man: 7, nearest: 0, approach: 0, crowd: 0, offer: 0 },
    Plan { escape: 10, kings: 3, corner: 6, edge: 0, pawn: 12, their_pawn: 0, loss: 42, check: 23, man: 21, nearest: 6, approach: 0, crowd: 4, offer: 0 },
    Plan { escape: 0, kings: 10, corner: 7, edge: 0, pawn: 24, their_pawn: 0, loss: 20, check: 0, man: 15, nearest: 3, approach: 0, crowd: 5, offer: 0 },
    Plan { escape: 4, kings: 1, corner: 8, edge: 0, pawn: 4, their_pawn: 0, loss: 0, check: 0, man: 0, nearest: 0, approach: 1, crowd: 4, offer: 0 },
    Plan { escape: 2, kings: 1, corner: 2, edge: 0, pawn: 10, their_pawn: 3, loss: 0, check: 0, man: 0, nearest: 0, approach: 0, crowd: 1, offer: 40 },
    Plan { escape: 4, kings: 0, corner: 4, edge: 0, pawn: 0, their_pawn: 0, loss: 0, check: 0, man: 0, nearest: 0, approach: 3, crowd: 3, offer: 0 },
    Plan { escape: 2, kings: 1, corner: 2, edge: 0, pawn: 10, their_pawn: 3, loss: 0, check: 0, man: 0, nearest: 0, approach: 0, crowd: 2, offer: 10 },
];

/// So many of them, the ones for real games, have the first round to themselves.
pub(super) const QUICK_PLANS: usize = 4;
/// From this one on they have the last round to themselves: what the others find they find with less.
pub(super) const HARD_PLANS: usize = 3;
/// What each plan has at first: nine real positions of ten need less.
pub(super) const FIRST_NODES: u32 = 150;
/// How much more each has in every round: little is lost on the rounds before.
pub(super) const GROWTH: u32 = 4;
/// With more than this for each, the last round begins, which spends what is left of the budget.
pub(super) const LAST_NODES: u32 = 3_000;
