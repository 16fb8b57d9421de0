//! A man was lifted and is nowhere to be seen, and the game goes on: he arrived on a square that did not read him.

use super::{Explanation, NAT, Step, Tracker, Via};
use crate::infer::tree::NodeId;
use adoube_rules::{Move as _, Position as _, Variant};

/// That a healthy square did not read a man is rarer than anything that hands do.
const UNREAD: i32 = -6 * NAT;
/// A square that has read a man before is less likely to be the one.
const HAS_READ: i32 = -NAT;
/// Explanations that are gone on from.
const BASES_MAX: usize = 4;

impl<V: Variant> Tracker<V> {
    /// The man in the hand was put down unread: a reply is on the board.
    pub(super) fn explain_by_unread(&mut self, at_ns: u64, steps: &mut Vec<Step<V>>) -> bool {
        if self.is_unseen() || self.is_explained() {
            return false;
        }
        let mut found = Vec::new();
        let bases: Vec<Explanation> = self.beam.iter().take(BASES_MAX).copied().collect();
        for base in bases {
            for (node, cost) in self.unread(base.node) {
                let penalty = base.penalty + cost;
                let difference = self.tree.difference(node, &self.image);
                let lifted_ns = self.mover_lifted_ns(node).unwrap_or(0);
                let is_alive = self.is_alive(node);
                let before = found.len();
                if difference.wrong.is_empty() {
                    continue;
                }
                self.fits(node, &difference, &mut found, |node| Explanation::new(node, penalty, Via::Two));
                if found.len() > before && !is_alive {
                    self.suppose(node, 0, lifted_ns);
                }
            }
        }
        if found.is_empty() {
            return false;
        }
        self.adopt(&mut found, at_ns);
        self.decide(at_ns, steps);
        true
    }

    /// The moves from `base` of men who are missing to squares on which nothing is read, each with what it costs.
    fn unread(&mut self, base: NodeId) -> Vec<(NodeId, i32)> {
        let missing = self.tree.difference(base, &self.image).missing;
        if missing.is_empty() {
            return Vec::new();
        }
        let contents = self.image.contents();
        let mut nodes = Vec::new();
        self.tree.children_leaving(base, missing, &mut nodes, |node, mv| {
            let mut arrivals = 0;
            let is_unread = node.position.footprint(mv).changes().iter().all(|&(square, _, after)| {
                arrivals += u32::from(!after.is_empty());
                contents[square].is_empty()
            });
            is_unread && arrivals == 1 && mv.departures().into_iter().all(|square| missing.contains(square))
        });
        let cost = |&id: &NodeId| {
            let node = self.tree.node(id);
            let (parent, mv) = node.parent.zip(node.mv)?;
            let arrivals = node.footprint.changes().iter().filter(|change| !change.2.is_empty());
            let has_read = arrivals.filter(|change| self.handling.placed_ns(change.0).is_some()).count();
            let before = &self.tree.node(parent).position;
            Some((id, UNREAD + before.prior(mv) / 2 + if has_read > 0 { HAS_READ } else { 0 }))
        };
        nodes.iter().filter_map(cost).collect()
    }
}
