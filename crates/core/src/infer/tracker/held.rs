//! A hand at work when the board is looked at again: what it holds was not captured on a longer way.

use super::recover::Base;
use super::{GAP_NS, Tracker};
use adoube_rules::square::Square;
use adoube_rules::stamp::MS;
use adoube_rules::{Move as _, Position as _, Variant};

/// Moves looked at in one go: a tenth of the positions that a search for plies may look at.
const BUDGET: u32 = 15_000;
/// A man that was captured was moved to where it was captured, and something captured it.
const CAPTURED_PLIES: u32 = 2;
/// Where nobody is short of time a ply takes longer, on average: in less time nobody went a longer way.
const PLY_NS: u64 = 2_000 * MS;
/// Hardly anybody holds a man for longer.
const HELD_NS: u64 = 10_000 * MS;

impl<V: Variant> Tracker<V> {
    /// Out of sight there was time for fewer plies than the `cost` of what was found, or the board has been in sight for no
    /// longer than a hand hovers; and at least two plies fewer lead to the picture if whoever is to move then holds a man,
    /// or a man and what it captures. Puts the search for more plies off until nobody holds it any more.
    pub(super) fn is_rather_held(&mut self, cost: u32, bases: &[Base], at_ns: u64) -> bool {
        let (looked_ns, lost_ns) = (self.recovery.picture_ns.unwrap_or(0), self.recovery.lost_ns);
        let is_short = looked_ns < lost_ns + u64::from(cost) * PLY_NS;
        let until_ns = self.changed_ns.max(looked_ns) + if is_short { HELD_NS } else { GAP_NS };
        // How long nobody looked has to be known.
        if !self.blind || looked_ns <= lost_ns || at_ns >= until_ns {
            return false;
        }
        let mut budget = BUDGET;
        let mut is_held_after = |base: &Base, plies| {
            base.back + plies + CAPTURED_PLIES <= cost
                && self.is_held_after(&self.tree.node(base.node).position, plies, &mut budget)
        };
        let is_held = (1..cost).any(|plies| bases.iter().any(|base| is_held_after(base, plies)));
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

    /// The picture is `position` without a man that may move, and without what it may capture if anything else is missing.
    fn is_held_in(&self, position: &V::Position) -> bool {
        let (mut held, mut captured) = (None, None);
        for (square, &shown) in Square::all().zip(self.image.contents()) {
            let man = position.content(square);
            if shown == self.sight.see(square, man) {
                continue;
            }
            let Some((army, _)) = man.seat_role().filter(|_| shown.is_empty()) else { return false };
            let missing = if army.side() == position.turn() { &mut held } else { &mut captured };
            if missing.replace(square).is_some() {
                return false;
            }
        }
        let Some(held) = held else { return false };
        let takes = |mv: V::Move, captured| {
            let footprint = position.footprint(mv);
            footprint.changes().iter().any(|&(square, man, _)| square == captured && !man.is_empty())
        };
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        moves
            .into_iter()
            .any(|mv| mv.departures().contains(&held) && captured.is_none_or(|captured| takes(mv, captured)))
    }
}
