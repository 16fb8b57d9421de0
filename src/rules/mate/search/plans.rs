//! The plans of the search, in the order in which they are tried.

use super::glance::Plan;

/// Found by trial on positions of real games, for few positions looked at; what they do not mind is 0.
#[rustfmt::skip]
pub(super) const PLANS: [Plan; 4] = [
    Plan { escape: 0, kings: 4, corner: 4, edge: 3, pawn: 14, their_pawn: 0, loss: 12, check: 2, man: 4, nearest: 0, approach: 0, crowd: 0 },
    Plan { escape: 3, kings: 8, corner: 0, edge: 13, pawn: 3, their_pawn: 0, loss: 0, check: 22, man: 7, nearest: 0, approach: 0, crowd: 0 },
    Plan { escape: 8, kings: 1, corner: 6, edge: 0, pawn: 4, their_pawn: 0, loss: 45, check: 25, man: 21, nearest: 6, approach: 0, crowd: 4 },
    Plan { escape: 0, kings: 10, corner: 7, edge: 0, pawn: 24, their_pawn: 0, loss: 15, check: 0, man: 13, nearest: 3, approach: 0, crowd: 7 },
];

/// What each plan has at first. Nine real positions of ten need less.
pub(super) const FIRST_NODES: u32 = 150;
/// How much more each has in every round: little is lost on the rounds before.
pub(super) const GROWTH: u32 = 4;
/// With more than this for each, the plans share what is left of the budget.
pub(super) const LAST_NODES: u32 = 10_000;
