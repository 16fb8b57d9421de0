//! Ways that were searched for, taken into the line: plies that nobody saw, and what else they may have been.

use super::recover::Found;
use super::weigh::UNSEEN;
use super::{Explanation, Gap, NAT, Step, Tracker, Via};
use crate::infer::tree::NodeId;
use crate::ply::Ply;
use adoube_rules::{Played, Position as _, Variant};

/// Each of several plies that were made in sight and that nobody noticed: rare, but they come in numbers.
const UNNOTICED: i32 = -3 * NAT / 5;

/// Plies that are found for a picture, if it was in sight, and that count as seen; more of them nobody saw.
pub(super) const SEEN_PLIES_MAX: usize = 2;

/// So many other ways over a gap are told: the players know which it was, and an arbiter reads no more at a glance.
const OTHER_WAYS_MAX: usize = 3;
/// Positions that are looked at for them: a tenth of what recovery may cost, which has just been spent. Four plies need no
/// more; of more there are too many orders to choose from.
const OTHER_WAYS_BUDGET: u32 = 15_000;

impl<V: Variant> Tracker<V> {
    pub(super) fn adopt_paths(&mut self, found: &[Found<V>], at_ns: u64, steps: &mut Vec<Step<V>>) {
        let blind = self.blind;
        // Plies in sight that nobody noticed are dearer.
        let is_unseen = self.is_unseen();
        let mut explanations = Vec::new();
        for way in found {
            let mut node = way.base;
            for &mv in &way.moves {
                let Some(next) = self.tree.descend(node, mv) else { break };
                if !self.is_alive(next) {
                    let recovered = way.moves.len() > SEEN_PLIES_MAX || blind;
                    if recovered && is_unseen {
                        self.suppose_unseen(next, at_ns);
                    } else {
                        let unseen = if recovered { UNNOTICED } else { UNSEEN };
                        self.suppose(next, unseen - self.disorder(node, next), self.changed_ns);
                    }
                    self.tree.node_mut(next).recovered = recovered;
                }
                node = next;
            }
            explanations.push(Explanation::new(node, way.penalty, Via::Search));
        }
        let leaves: Vec<Ply> = explanations.iter().map(|leaf| self.tree.node(leaf.node).ply).collect();
        self.adopt(&mut explanations, at_ns);
        let best = self.beam[0].node;
        let path = self.tree.path(best);
        let supplied: Vec<NodeId> = path
            .into_iter()
            .filter(|&id| self.tree.node(id).recovered && !self.announced.contains(&id))
            .collect();
        let since_ply = supplied.first().map_or(Ply::START, |&first| self.tree.node(first).ply.before());
        let recovered = self.played_along(&supplied);
        if recovered.len() > 1 {
            let ply = self.tree.node(best).ply;
            let alike = found.iter().zip(leaves).filter(|&(_, leaf)| leaf == ply);
            let paths = alike.map(|(way, _)| way.count as usize).sum();
            let others = self.other_ways(&supplied);
            steps.push(Step::Gap(Gap { since_ply, paths, recovered, others }));
            self.announce(best, at_ns, steps);
        } else {
            self.decide(at_ns, steps);
        }
    }

    /// What the plies `path` were, each after the one before it.
    fn played_along(&self, path: &[NodeId]) -> Vec<Played> {
        let played = |&id: &NodeId| {
            let node = self.tree.node(id);
            Some(self.tree.node(node.parent?).position.played(node.mv?))
        };
        path.iter().filter_map(played).collect()
    }

    /// The other ways of as many plies as were `supplied`, from where those began, to the picture.
    fn other_ways(&self, supplied: &[NodeId]) -> Vec<Vec<Played>> {
        let since = supplied.first().and_then(|&first| self.tree.node(first).parent);
        let (Some(since), Ok(plies)) = (since, u32::try_from(supplied.len())) else { return Vec::new() };
        let known: Vec<Option<V::Move>> = supplied.iter().map(|&id| self.tree.node(id).mv).collect();
        let mut ways = self.paths(since, plies, &mut { OTHER_WAYS_BUDGET });
        ways.retain(|way| {
            !way.iter().copied().map(Some).eq(known.iter().copied())
                && !self.is_mostly_there_and_back(since, way)
        });
        let told = |way: &Vec<V::Move>| {
            let mut position = self.tree.node(since).position.clone();
            let (mut weight, mut told) = (0, Vec::new());
            for &mv in way {
                weight += position.prior(mv);
                told.push(position.played(mv));
                position = position.play(mv);
            }
            (std::cmp::Reverse(weight), told)
        };
        let mut ways: Vec<_> = ways.iter().map(told).collect();
        ways.sort_by_key(|way| way.0);
        ways.into_iter().take(OTHER_WAYS_MAX).map(|way| way.1).collect()
    }
}
