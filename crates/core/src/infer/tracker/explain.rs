//! What could have led to the picture from the explanations that are alive.

use std::cmp::Reverse;

use super::weigh::UNSEEN;
use super::{
    BEAM_MAX, Explanation, GAP_NS, HOPELESS, INSTEAD, NAT, NODES_FIRST, Step, TAKEN_BACK, Tracker, Via,
};
use crate::infer::difference::Difference;
use crate::infer::image::View;
use crate::infer::tree::NodeId;
use adoube_rules::square::{Square, Squares};
use adoube_rules::{Move, Position as _, Variant};

/// Men that may be missing beside those that a move accounts for: one in a hand, one that his sensor
/// has lost.
const MISSING_MAX: u32 = 2;

/// Castling brings two men where they were not.
const ARRIVALS_MAX: u32 = 2;

/// The same man set down elsewhere: a hand that had not let go of him.
const GOING_ON: i32 = -NAT / 2;

impl<V: Variant> Tracker<V> {
    /// Finds what explains the picture; false if nothing does.
    pub(super) fn explain(&mut self, at_ns: u64, steps: &mut Vec<Step<V>>) -> bool {
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        self.explain_from(self.beam[0], at_ns, &mut found);
        if found.is_empty() && !self.blind && !self.is_leap {
            self.explain_by_two(&mut found);
        }
        for index in 1..self.beam.len() {
            self.explain_from(self.beam[index], at_ns, &mut found);
        }
        let is_found = !found.is_empty();
        if is_found {
            self.adopt(&mut found, at_ns);
            self.decide(at_ns, steps);
        }
        self.found = found;
        is_found
    }

    /// What one step from `from` explains the picture.
    fn explain_from(&mut self, from: Explanation, at_ns: u64, found: &mut Vec<Explanation>) {
        let difference = self.tree.difference(from.node, &self.image);
        let is_unseen = self.blind || self.is_leap;
        // After a gap, a man who is missing may have been captured in it: only a search can tell.
        if difference.wrong.is_empty() && (!is_unseen || difference.missing.is_empty()) {
            let returned = self.returned(from.node, |_| false);
            let (penalty, away) = (from.penalty + returned, from.away + returned);
            found.push(Explanation { via: Via::Same, penalty, away, ..from });
            // A board that names its men shows a move by what arrives.
            let is_told = self.sight.view == View::Identity && self.sight.doubted.is_empty();
            if is_told || difference.is_none() {
                return self.castled_in_place(from, found);
            }
        }
        let first = found.len();
        self.fits(from.node, &difference, found, |node| Explanation::new(node, from.penalty, Via::NextMove));
        for next in &mut found[first..] {
            let footprint = self.tree.node(next.node).footprint;
            let is_explained = |square| footprint.changes().iter().any(|change| change.0 == square);
            let returned = self.returned(from.node, is_explained);
            next.away = from.away + returned;
            next.penalty += self.contradiction_before(&from, next.node, at_ns) + returned;
        }
        let node = self.tree.node(from.node);
        let Some(parent) = node.parent else { return };
        // Nothing arrived and the men of the last move stand where it brought them: it was that one.
        let is_left = node.footprint.changes().iter().any(|change| difference.contains(change.0));
        if difference.wrong.is_empty() && !is_left {
            return;
        }
        // Without the last ply, what it explained was away. (A board that names its pieces has shown whether it was.)
        let is_owed = self.sight.view == View::Occupancy && !self.is_leap;
        let known = self.beam.iter().find(|known| is_owed && known.node == parent);
        let owed = known.map_or(0, |known| (known.away - from.away).min(0));
        let difference = self.tree.difference(parent, &self.image);
        let first = found.len();
        self.fits(parent, &difference, found, |node| Explanation::new(node, from.penalty, Via::Instead));
        let mut index = first;
        while let Some(instead) = found.get_mut(index) {
            if instead.node == from.node {
                found.remove(index);
                continue;
            }
            let footprint = self.tree.node(instead.node).footprint;
            let is_explained = |square| footprint.changes().iter().any(|change| change.0 == square);
            let returned = if is_owed { self.returned(parent, is_explained) + owed } else { 0 };
            instead.away = from.away + returned;
            instead.penalty += self.contradiction_before(&from, instead.node, at_ns)
                + self.instead_of(from.node, instead.node, at_ns)
                + returned;
            index += 1;
        }
        if difference.is_none() {
            let penalty = from.penalty
                + TAKEN_BACK
                + self.contradiction_by(&from, at_ns, |square, content| {
                    self.tree.node(parent).shown[square] == content
                });
            found.push(Explanation::new(parent, penalty, Via::TakenBack));
        }
    }

    /// What it costs that `instead` was played and not the last ply of `leaf`.
    fn instead_of(&self, leaf: NodeId, instead: NodeId, at_ns: u64) -> i32 {
        let departures = |id: NodeId| self.tree.node(id).mv.map(Move::departures);
        let goes_on = departures(leaf) == departures(instead);
        (if goes_on { GOING_ON } else { INSTEAD }) + self.rested(leaf, instead, at_ns)
    }

    /// Two plies at once, or two instead of the last one: hands that overlap.
    fn explain_by_two(&mut self, found: &mut Vec<Explanation>) {
        let best = self.beam[0];
        if let Some(before) = self.tree.upwards(best.node).nth(2)
            && self.tree.difference(before, &self.image).is_none()
        {
            found.push(Explanation::new(before, best.penalty + 2 * TAKEN_BACK, Via::TakenBack));
        }
        let bases = [(Some(best.node), false), (self.tree.node(best.node).parent, true)];
        for (base, is_instead) in bases {
            let Some(base) = base else { continue };
            let difference = self.tree.difference(base, &self.image);
            let since_ns = self.tree.node(base).made_ns;
            let handling = &self.handling;
            let mut left = Squares::EMPTY;
            let is_lift = |square: &Square| handling.lifted_ns(*square).is_some_and(|at_ns| at_ns > since_ns);
            difference.squares().iter().filter(is_lift).for_each(|square| left.insert(square));
            let mut firsts = std::mem::take(&mut self.spare);
            firsts.clear();
            self.tree.children_leaving(base, left, &mut firsts, |_, _| true);
            for &first in &firsts {
                let difference = self.tree.difference(first, &self.image);
                let cost = if is_instead { self.instead_of(best.node, first, self.changed_ns) } else { 0 };
                let penalty = best.penalty + cost + 2 * UNSEEN;
                let before = found.len();
                self.fits(first, &difference, found, |node| Explanation::new(node, penalty, Via::Two));
                // What the first one brought still stands there, or was captured by the second.
                let shown = self.tree.node(first).footprint;
                let tree = &self.tree;
                let mut index = before;
                while let Some(second) = found.get(index) {
                    let footprint = tree.node(second.node).footprint;
                    let stands = shown.changes().iter().all(|&(square, _, after)| {
                        after.is_empty()
                            || !difference.contains(square)
                            || footprint.changes().iter().any(|change| change.0 == square)
                    });
                    if stands {
                        index += 1;
                    } else {
                        found.remove(index);
                    }
                }
                if found.len() > before && !self.is_alive(first) {
                    self.suppose(first, 0, self.changed_ns);
                }
            }
            self.spare = firsts;
        }
    }

    /// Appends what legal moves of `base` make of it, as far as the picture is that but for a few men
    /// missing.
    pub(super) fn fits(
        &mut self,
        base: NodeId,
        difference: &Difference,
        found: &mut Vec<Explanation>,
        explained: impl Fn(NodeId) -> Explanation,
    ) {
        // No move brings more than two men where they were not.
        if difference.wrong.count() > ARRIVALS_MAX {
            return;
        }
        let sight = self.sight;
        let picture = self.image.contents();
        let missing_max = if self.blind || self.is_leap { 0 } else { MISSING_MAX };
        let mut nodes = std::mem::take(&mut self.fitting);
        nodes.clear();
        let left = difference.squares().union(self.sight.doubted);
        self.tree.children_leaving(base, left, &mut nodes, |node, mv| {
            let footprint = node.position.footprint(mv);
            let (mut wrong, mut missing) = (difference.wrong.count(), difference.missing.count());
            for &(square, _, after) in footprint.changes() {
                if picture[square] != sight.see(square, after) {
                    return false;
                }
                wrong -= u32::from(difference.wrong.contains(square));
                missing -= u32::from(difference.missing.contains(square));
            }
            wrong == 0 && missing <= missing_max
        });
        found.extend(nodes.iter().map(|&node| explained(node)));
        self.fitting = nodes;
    }

    /// Weighs what was found and makes it the beam, with what does not explain this picture behind.
    pub(super) fn adopt(&mut self, found: &mut Vec<Explanation>, at_ns: u64) {
        self.settle_ns = None;
        self.gap_ns = None;
        for explanation in found.iter() {
            self.weigh(explanation, at_ns);
        }
        // A captured man pushed aside can look like another move of his own for a moment.
        let is_doubtful = |explanation: &Explanation| {
            matches!(explanation.via, Via::Search | Via::Two | Via::Instead) || !explanation.holds()
        };
        let keeps_old =
            self.sight.view == View::Occupancy || self.beam.len() > 1 || found.iter().any(is_doubtful);
        if keeps_old {
            for old in &self.beam {
                if found.iter().all(|new| new.node != old.node) {
                    found.push(*old);
                }
            }
        }
        self.forget_past(found);
        for explanation in found.iter_mut() {
            self.compare(explanation, at_ns);
        }
        if found.len() > 1 {
            found.sort_by_cached_key(|explanation| Reverse(self.weight(explanation)));
        }
        let best = self.weight(&found[0]);
        self.beam.clear();
        for &explanation in found.iter() {
            let is_hopeless = best - self.weight(&explanation) > HOPELESS;
            if self.beam.len() == BEAM_MAX || is_hopeless {
                break;
            }
            if self.beam.iter().all(|other| !self.is_same(other.node, explanation.node)) {
                self.beam.push(explanation);
            } else {
                self.merge(&explanation);
            }
        }
        // Only differences count, and the best one carries no old debt.
        let debt = self.beam[0].penalty;
        for explanation in &mut self.beam {
            explanation.penalty -= debt;
        }
        if self.is_explained() {
            self.blind = false;
        } else {
            self.gap_ns = Some(at_ns + GAP_NS);
        }
        self.plan_weighing(at_ns);
        self.compact();
    }

    /// A position that has come again is not the one that was there before: nothing was taken back, unless its last plies
    /// were made the other way round, as plies are taken back.
    fn forget_past(&self, found: &mut Vec<Explanation>) {
        let is_in_order = |node: &NodeId| {
            self.tree.node(*node).parent.is_some_and(|parent| self.disorder(parent, *node) == 0)
        };
        let nodes: Vec<NodeId> =
            found.iter().map(|explanation| explanation.node).filter(is_in_order).collect();
        let comes_again = |past: NodeId, node: NodeId| {
            past != node && self.is_same(past, node) && self.tree.leads_to(past, node)
        };
        found.retain(|past| !nodes.iter().any(|&node| comes_again(past.node, node)));
    }

    /// Two ways to one position: what comes will not tell them apart.
    pub(super) fn is_same(&self, one: NodeId, other: NodeId) -> bool {
        let (first, second) = (self.tree.node(one), self.tree.node(other));
        one == other || (first.hash == second.hash && first.position.key() == second.position.key())
    }

    pub(super) fn compact(&mut self) {
        if self.tree.len() < self.compact_at {
            return;
        }
        let beam = self.beam.iter().map(|explanation| explanation.node);
        let leaves: Vec<NodeId> = beam.chain(self.announced.iter().copied()).collect();
        let mut renamed = self.tree.compact(&leaves).into_iter();
        for (explanation, node) in self.beam.iter_mut().zip(renamed.by_ref()) {
            explanation.node = node;
        }
        self.announced = renamed.collect();
        self.compact_at = NODES_FIRST.max(2 * self.tree.len());
    }
}
