//! A hand at work when the board is looked at again: what it holds was not captured on a longer way.

use super::recover::Base;
use super::{GAP_NS, Tracker};
use adoube_rules::square::Square;
use adoube_rules::stamp::MS;
use adoube_rules::{Position as _, Variant};

/// Positions looked at in one go: a tenth of what a search for plies may cost, which has just been spent.
const BUDGET: u32 = 15_000;
/// A man that was captured was moved to where it was captured, and something captured it.
const CAPTURED_PLIES: u32 = 2;
/// Hardly any ply is made faster than this, on average: in a shorter time nobody went a longer way.
const PLY_NS: u64 = 2_000 * MS;
/// Hardly anybody holds a man for longer.
const HELD_NS: u64 = 10_000 * MS;

impl<V: Variant> Tracker<V> {
    /// At least two plies fewer than `cost` lead to the picture if whoever is to move then holds a man, or a man and what it
    /// captures, and nobody has held it for longer than anybody would: puts a search for more plies off until then.
    pub(super) fn is_rather_held(&mut self, cost: u32, bases: &[Base], at_ns: u64) -> bool {
        let looked_ns = self.recovery.picture_ns.unwrap_or(0);
        let is_short = looked_ns < self.recovery.lost_ns + u64::from(cost) * PLY_NS;
        let until_ns = self.changed_ns.max(looked_ns) + if is_short { HELD_NS } else { GAP_NS };
        let mut budget = BUDGET;
        let plies = |base: &Base| 1..=cost.saturating_sub(base.back + CAPTURED_PLIES);
        let mut is_held_after =
            |base: &Base, plies| self.is_held_after(&self.tree.node(base.node).position, plies, &mut budget);
        let is_held =
            at_ns < until_ns && bases.iter().any(|base| plies(base).any(|plies| is_held_after(base, plies)));
        if is_held {
            self.gap_ns.get_or_insert(until_ns);
        }
        is_held
    }

    fn is_held_after(&self, position: &V::Position, plies: u32, budget: &mut u32) -> bool {
        if plies == 0 {
            return self.is_held_in(position);
        }
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        moves.into_iter().any(|mv| {
            *budget = budget.saturating_sub(1);
            *budget > 0 && self.is_held_after(&position.play(mv), plies - 1, budget)
        })
    }

    /// The picture is `position` without one man of the side to move, and at most one of the other side.
    fn is_held_in(&self, position: &V::Position) -> bool {
        let mut held = [0_u32; 2];
        for (square, &shown) in Square::all().zip(self.image.contents()) {
            let man = position.content(square);
            match man.seat_role() {
                _ if shown == self.sight.see(square, man) => {}
                Some((army, _)) if shown.is_empty() => held[army.side().index()] += 1,
                _ => return false,
            }
        }
        let turn = position.turn();
        held[turn.index()] == 1 && held[turn.other().index()] <= 1
    }
}
