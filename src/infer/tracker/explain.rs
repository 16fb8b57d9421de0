//! What could follow from the explanations that are alive, and how likely each is.

use super::{
    BEAM_MAX, Explanation, GAP_NS, HOPELESS, INSTEAD, MISSED, MISSED_MAX, NAT, NODES_FIRST, Step, TAKEN_BACK,
    TRACELESS, Tracker, UNUSUAL_PROMOTION, Via,
};
use crate::infer::image::{View, key};
use crate::infer::tree::NodeId;
use crate::rules::Variant;

impl<V: Variant> Tracker<V> {
    pub(super) fn weight(&self, explanation: &Explanation) -> i32 {
        self.tree.node(explanation.node).score + explanation.penalty
    }

    /// Looks the picture up; false if nothing explains it.
    pub(super) fn explain(&mut self, at_ns: u64, steps: &mut Vec<Step<V>>) -> bool {
        let hash = self.image.hash();
        let mut found = Vec::new();
        for index in 0..self.beam.len() {
            self.explain_from(self.beam[index], hash, &mut found);
        }
        if found.is_empty() {
            return false;
        }
        self.adopt(found, at_ns);
        self.decide(at_ns, steps);
        true
    }

    /// What could follow from `from` and shows the picture `hash`.
    pub(super) fn explain_from(&mut self, from: Explanation, hash: u64, found: &mut Vec<Explanation>) {
        let mut nodes = std::mem::take(&mut self.spare);
        let node = self.tree.node(from.node);
        let parent = node.parent;
        if node.hash == hash {
            found.push(Explanation { missed: 0, via: Via::Same, ..from });
        }
        nodes.clear();
        self.tree.children_showing(from.node, hash, &mut nodes);
        found.extend(nodes.iter().map(|&node| Explanation { node, missed: 0, via: Via::NextMove, ..from }));
        if let Some(parent) = parent {
            nodes.clear();
            self.tree.children_showing(parent, hash, &mut nodes);
            found.extend(nodes.iter().filter(|&&node| node != from.node).map(|&node| Explanation {
                node,
                penalty: from.penalty + INSTEAD,
                missed: 0,
                via: Via::Instead,
            }));
            // From an explanation that has failed already, that would be more than one ply taken back.
            if from.missed == 0 && self.tree.node(parent).hash == hash {
                let penalty = from.penalty + TAKEN_BACK;
                found.push(Explanation { node: parent, penalty, missed: 0, via: Via::TakenBack });
            }
        }
        self.spare = nodes;
    }

    /// A move that is done while the opponent already holds the piece of his reply: blitz hands
    /// overlap, and the picture of the move alone is never seen.
    pub(super) fn explain_with_early_reply(&mut self, at_ns: u64, steps: &mut Vec<Step<V>>) {
        let leaf = self.beam[0].node;
        let bases = [(Some(leaf), Via::NextMove, 0), (self.tree.node(leaf).parent, Via::Instead, INSTEAD)];
        for (base, via, penalty) in bases {
            let Some(base) = base else { continue };
            let Some(hash) = self.hash_with_hand_empty(base) else { continue };
            let mut nodes = Vec::new();
            self.tree.children_showing(base, hash, &mut nodes);
            nodes.retain(|&node| node != leaf);
            if !nodes.is_empty() {
                let penalty = self.beam[0].penalty + penalty;
                let found = nodes.into_iter().map(|node| Explanation { node, penalty, missed: 0, via });
                self.adopt(found.collect(), at_ns);
                self.decide(at_ns, steps);
                return;
            }
        }
    }

    /// The hash of the picture with the men put back that the side not to move has in its hand; `None`
    /// if it holds none, or more than one.
    pub(super) fn hash_with_hand_empty(&self, base: NodeId) -> Option<u64> {
        let position = &self.tree.node(base).position;
        let waiting = V::turn(position).other().index();
        let mut hash = self.image.hash();
        let mut held = 0;
        for (square, shown) in (0_u8..).zip(self.image.contents()) {
            if !shown.is_empty() {
                continue;
            }
            let man = V::content(position, square);
            if man.seat_role().is_some_and(|(seat, _)| usize::from(seat & 1) == waiting) {
                hash ^= key(square, man);
                held += 1;
            }
        }
        (held == 1).then_some(hash)
    }

    /// Weighs what was found and makes it the beam, with what did not explain this picture behind.
    pub(super) fn adopt(&mut self, mut found: Vec<Explanation>, at_ns: u64) {
        self.settle_ns = None;
        self.gap_ns = None;
        self.blind = false;
        for explanation in &found {
            self.weigh(explanation, at_ns);
        }
        // A captured man pushed aside can look like another move of his own for a moment.
        let is_doubtful = |explanation: &Explanation| {
            matches!(explanation.via, Via::Search | Via::Instead) || explanation.missed > 0
        };
        let keeps_old = self.view == View::Occupancy
            || found.iter().any(is_doubtful)
            || self.beam.iter().any(is_doubtful);
        if keeps_old {
            for old in &self.beam {
                let missed = old.missed + 1;
                if missed <= MISSED_MAX && found.iter().all(|new| new.node != old.node) {
                    found.push(Explanation { penalty: old.penalty + MISSED, missed, ..*old });
                }
            }
        }
        // An old explanation that the picture contradicts waits behind what explains it, however much
        // it weighs; one that lacks nothing but men in a hand may still be right.
        let explains = found.iter().filter(|explanation| explanation.missed == 0);
        let best = explains.map(|explanation| self.weight(explanation)).max();
        found.sort_by_cached_key(|explanation| {
            let weight = self.weight(explanation);
            let is_refuted = explanation.missed > 0
                && Some(weight) > best
                && !self.is_shown_less_men_in_hand(explanation.node);
            (is_refuted, std::cmp::Reverse(weight))
        });
        let mut kept: Vec<Explanation> = Vec::with_capacity(found.len().min(BEAM_MAX));
        let best = self.weight(&found[0]);
        for explanation in found {
            let hopeless = best - self.weight(&explanation) > HOPELESS;
            if kept.len() == BEAM_MAX {
                break;
            }
            if !hopeless && kept.iter().all(|other| other.node != explanation.node) {
                kept.push(explanation);
            }
        }
        // Only differences count, and the best one carries no old debt.
        let debt = kept[0].penalty;
        for explanation in &mut kept {
            explanation.penalty -= debt;
        }
        self.beam = kept;
        self.is_lifted_only = self.is_explained();
        if !self.is_lifted_only {
            self.gap_ns = Some(at_ns + GAP_NS);
        }
        self.compact();
    }

    /// Gives the last ply of `explanation` its weight and its times.
    pub(super) fn weigh(&mut self, explanation: &Explanation, at_ns: u64) {
        let id = explanation.node;
        let node = self.tree.node(id);
        let (Some(parent), Some(mv)) = (node.parent, node.mv) else { return };
        if explanation.via == Via::TakenBack || explanation.via == Via::Search {
            return;
        }
        let is_announced = self.announced.get(node.ply as usize - 1) == Some(&id);
        if explanation.via == Via::Same && (is_announced || self.view == View::Identity) {
            return;
        }
        let parent = self.tree.node(parent);
        let score = parent.score + self.ply_weight(parent.made_ns, &parent.position, mv, id);
        let first_lift_ns = self.first_lift_ns(id, parent.made_ns, at_ns);
        let node = self.tree.node_mut(id);
        node.score = score;
        if !is_announced {
            node.made_ns = at_ns;
            node.first_lift_ns = first_lift_ns;
        }
    }

    pub(super) fn first_lift_ns(&self, id: NodeId, since_ns: u64, at_ns: u64) -> u64 {
        let lifts = self.tree.node(id).footprint.changes().iter().filter_map(|&(square, _, _)| {
            self.handling.lifted_ns(square).filter(|&lifted| lifted > since_ns)
        });
        lifts.min().unwrap_or(at_ns)
    }

    /// How well the handling fits the move: only an occupancy board leaves a doubt.
    pub(super) fn ply_weight(&self, since_ns: u64, before: &V::Position, mv: V::Move, id: NodeId) -> i32 {
        if self.view == View::Identity {
            return 0;
        }
        let mut weight = 0;
        if V::is_unusual_promotion(mv) {
            weight += UNUSUAL_PROMOTION;
        }
        if self.is_traceless(id, since_ns) {
            weight += TRACELESS + V::prior(before, mv);
        } else if self.target(id).is_some() {
            // The exchange on that square is explained; without this move it would be an adjustment.
            weight += NAT + V::prior(before, mv) / 4;
        }
        weight
    }

    /// The square on which a man took the place of another.
    pub(super) fn target(&self, id: NodeId) -> Option<u8> {
        let changes = self.tree.node(id).footprint.changes().iter();
        changes
            .copied()
            .find(|&(_, before, after)| !before.is_empty() && !after.is_empty())
            .map(|change| change.0)
    }

    /// A capture on an occupancy board whose target was not seen to change after the capturer
    /// was lifted. (A piece that was adjusted before that is no trace.)
    pub(super) fn is_traceless(&self, id: NodeId, since_ns: u64) -> bool {
        if self.view == View::Identity {
            return false;
        }
        let Some(target) = self.target(id) else { return false };
        let changes = self.tree.node(id).footprint.changes().iter();
        let lifted_ns = changes
            .filter(|&&(_, _, after)| after.is_empty())
            .filter_map(|&(square, _, _)| self.handling.lifted_ns(square))
            .max();
        !lifted_ns.is_some_and(|lifted_ns| self.handling.exchanged(target, since_ns, lifted_ns))
    }

    /// The squares of a later ply were left before those of an earlier one.
    pub(super) fn disorder(&self, earlier: NodeId, later: NodeId) -> i32 {
        // Where the mover stood: the square of arrival may have been left long before.
        let left = |id: NodeId| {
            let changes = self.tree.node(id).footprint.changes().iter();
            let departures = changes.filter(|&&(_, _, after)| after.is_empty());
            departures.filter_map(|&(square, _, _)| self.handling.lifted_ns(square)).max()
        };
        match (left(earlier), left(later)) {
            (Some(first), Some(second)) if second < first => NAT,
            _ => 0,
        }
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
