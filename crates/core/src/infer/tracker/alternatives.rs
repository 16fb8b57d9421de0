//! What else the picture could mean, and what the best explanation rests on: for whoever asks why.
//!
//! Nothing here is kept; it is worked out when it is asked for, and decides nothing.

use std::cmp::Reverse;

use super::{Explanation, NAT, Tracker, Via};
use crate::infer::tree::NodeId;
use crate::ply::Ply;
use adoube_rules::square::Square;
use adoube_rules::{Played, Position as _, Variant};

/// So many explanations are told; more of them help nobody.
const TOLD_MAX: usize = 5;

/// An explanation that holds, as far as it is other than the announced line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alternative {
    /// The first ply at which it is other than the announced line; one more than that has if it goes on
    /// from it, or is it.
    pub ply: Ply,
    /// Its plies from there on; none if it only takes back what was announced, or is the announced line.
    pub plies: Vec<Played>,
    /// How likely it is among all explanations that hold, thousandths.
    pub chance_milli: u16,
}

/// What a ply rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// Its number.
    pub ply: Ply,
    /// The first lift of one of its men.
    pub first_lift_ns: u64,
    /// When the picture first showed it.
    pub made_ns: u64,
    /// How long its men have to rest before it is announced, unless a press or a further move comes first.
    pub rest_ns: u64,
    /// Was its target seen to change? `None` if it captured nothing, or the board names its men.
    pub is_traced: Option<bool>,
    /// Squares whose men are missing from the picture.
    pub missing: Vec<Square>,
    /// The first announced ply that it would withdraw.
    pub withdraws: Option<Ply>,
}

/// A ply on which explanations that hold do not agree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The ply.
    pub ply: Ply,
    /// The moves there, likeliest first, each with its chance in thousandths; `None` for no move at all.
    pub moves: Vec<(Option<Played>, u16)>,
}

impl<V: Variant> Tracker<V> {
    /// The explanations that hold, best first.
    #[must_use]
    pub fn alternatives(&self) -> Vec<Alternative> {
        let holding = self.holding();
        let weights: Vec<i32> = holding.iter().map(|explanation| self.weight(explanation)).collect();
        let told = holding.iter().zip(chances(&weights)).take(TOLD_MAX);
        told.map(|(explanation, chance_milli)| self.alternative(explanation.node, chance_milli)).collect()
    }

    /// The first ply on which they do not agree, if the best one has a move there: as long as it is not
    /// `sure_milli` likely, or
    /// another is less than `clear_nats` behind it.
    #[must_use]
    pub fn choice(&self, sure_milli: u16, clear_nats: u8) -> Option<Choice> {
        if self.beam.len() < 2 {
            return None;
        }
        let holding = self.holding();
        let best = self.weight(holding.first()?);
        let clear = i32::from(clear_nats) * NAT;
        let weights: Vec<i32> = holding.iter().map(|explanation| self.weight(explanation)).collect();
        let chances = chances(&weights);
        let is_close = weights.get(1).is_some_and(|second| best - second < clear);
        if holding.len() < 2 || !(is_close || chances[0] < sure_milli) {
            return None;
        }
        let told = &holding[..holding.len().min(TOLD_MAX)];
        let paths: Vec<Vec<NodeId>> =
            told.iter().map(|explanation| self.tree.path(explanation.node)).collect();
        let first = &paths[0];
        let agreed = paths[1..].iter().map(|path| common(first, path)).min()?;
        first.get(agreed)?;
        let mut moves: Vec<(Option<Played>, u16)> = Vec::new();
        for (path, chance) in paths.iter().zip(chances) {
            let played = path.get(agreed).and_then(|&id| self.played_at(id));
            match moves.iter_mut().find(|(known, _)| *known == played) {
                Some((_, sum)) => *sum += chance,
                None => moves.push((played, chance)),
            }
        }
        moves.sort_by_key(|&(_, chance)| Reverse(chance));
        let ply = Ply::last_of(agreed).next();
        Some(Choice { ply, moves })
    }

    /// What announced ply `ply` rests on.
    #[must_use]
    pub fn evidence(&self, ply: Ply) -> Option<Evidence> {
        let id = self.announced_at(ply)?;
        let via =
            self.beam.iter().find(|explanation| explanation.node == id).map_or(Via::Same, |own| own.via);
        Some(self.evidence_of(id, via))
    }

    /// What the last ply of the best explanation rests on, announced or not.
    #[must_use]
    pub(crate) fn best_evidence(&self) -> Evidence {
        self.evidence_of(self.beam[0].node, self.beam[0].via)
    }

    fn evidence_of(&self, id: NodeId, via: Via) -> Evidence {
        let node = self.tree.node(id);
        let since_ns = node.parent.map_or(0, |parent| self.tree.node(parent).made_ns);
        let names_men = self.sight.view == crate::infer::View::Identity;
        let withdraws = self.withdraws(id).then(|| {
            let kept = common(&self.tree.path(id), &self.announced);
            Ply::last_of(kept).next()
        });
        Evidence {
            ply: node.ply,
            first_lift_ns: node.first_lift_ns,
            made_ns: self.arrived_ns(id).max(node.made_ns),
            rest_ns: self.rest_ns(id, via),
            is_traced: self.target(id).filter(|_| !names_men).map(|_| !self.is_traceless(id, since_ns)),
            missing: self.tree.difference(id, &self.image).missing.iter().collect(),
            withdraws,
        }
    }

    /// The explanations that hold, the one that is believed first, the others by their weight.
    fn holding(&self) -> Vec<&Explanation> {
        let mut holding: Vec<&Explanation> =
            self.beam.iter().filter(|explanation| explanation.holds()).collect();
        if let Some((_, others)) = holding.split_first_mut() {
            others.sort_by_key(|explanation| Reverse(self.weight(explanation)));
        }
        holding
    }

    fn alternative(&self, leaf: NodeId, chance_milli: u16) -> Alternative {
        let path = self.tree.path(leaf);
        let kept = common(&path, &self.announced);
        let ply = Ply::last_of(kept).next();
        let plies = path[kept..].iter().filter_map(|&id| self.played_at(id)).collect();
        Alternative { ply, plies, chance_milli }
    }

    /// The move of node `id`; `None` for the start.
    pub(super) fn played_at(&self, id: NodeId) -> Option<Played> {
        let node = self.tree.node(id);
        let parent = self.tree.node(node.parent?);
        Some(match node.mv {
            Some(mv) => parent.position.played(mv),
            None => parent.position.played_stood(&node.position),
        })
    }
}

/// How many plies two lines have in common.
fn common(one: &[NodeId], other: &[NodeId]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

/// How likely each of these weights is among them, thousandths.
fn chances(weights: &[i32]) -> Vec<u16> {
    let best = weights.iter().copied().max().unwrap_or(0);
    let shares: Vec<u64> = weights.iter().map(|weight| decay(best.saturating_sub(*weight))).collect();
    let sum: u64 = shares.iter().sum::<u64>().max(1);
    shares.iter().map(|share| u16::try_from((1_000 * share + sum / 2) / sum).unwrap_or(1_000)).collect()
}

/// One, in the fixed point of [`decay`].
const ONE: u64 = 1 << 30;

/// e to the power of minus `nats` / 1024.
fn decay(nats: i32) -> u64 {
    /// e to the power of minus 2^k / 1024.
    const FACTORS: [u64; 15] = [
        1_072_693_760,
        1_071_646_719,
        1_069_555_701,
        1_065_385_899,
        1_057_095_000,
        1_040_706_261,
        1_008_687_096,
        947_573_834,
        836_230_973,
        651_257_337,
        395_007_542,
        145_315_154,
        19_666_268,
        360_200,
        121,
    ];
    let nats = nats.unsigned_abs();
    if nats >> FACTORS.len() > 0 {
        return 0;
    }
    let bits = FACTORS.iter().enumerate().filter(|&(bit, _)| nats >> bit & 1 == 1);
    bits.fold(ONE, |value, (_, factor)| value * factor / ONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_those_of_the_weights() {
        assert_eq!(chances(&[0]), [1_000]);
        assert_eq!(chances(&[-500, -500]), [500, 500]);
        // 1 / (1 + e^-1), 1 / (1 + e^-3).
        assert_eq!(chances(&[7 * NAT, 6 * NAT]), [731, 269]);
        assert_eq!(chances(&[0, -3 * NAT]), [953, 47]);
        assert_eq!(chances(&[0, 0, -NAT / 2]), [384, 384, 233]);
        assert_eq!(chances(&[0, i32::MIN / 2]), [1_000, 0]);
    }

    #[test]
    fn a_nat_is_a_factor_of_e() {
        let two_nats = decay(2 * NAT);
        let by_steps = decay(NAT) * decay(NAT) / ONE;
        assert!(two_nats.abs_diff(by_steps) < 4, "{two_nats} {by_steps}");
        // But for what rounding leaves, at most one for each factor.
        assert!((0..16 * NAT).all(|nats| decay(nats + 1) <= decay(nats) + 14));
    }
}
