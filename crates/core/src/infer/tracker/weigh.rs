//! How likely an explanation is: what its plies, the way to it and the picture say.

use super::strangers::Strangers;
use super::{Explanation, NAT, Step, Tracker, Via};
use crate::infer::difference::Difference;
use crate::infer::image::View;
use crate::infer::search::RECAPTURE;
use crate::infer::tree::NodeId;
use adoube_rules::sensor::Content;
use adoube_rules::square::Square;
use adoube_rules::stamp::MS;
use adoube_rules::touch::side_of;
use adoube_rules::{End, Move as _, Position as _, Variant};

/// Each ply: what is explained by fewer moves is explained better.
const PLY: i32 = -NAT;
/// A capture without a trace on the target. Half of those on recorded boards were such exchanges inside
/// one scan (dgt-protocol 4.1), one in ten on fast ones. An arrival on a square that is not believed leaves none either.
const TRACELESS: i32 = -3 * NAT / 2;
/// A move that mates is what a player looks for: where another may have been played as well, it is hardly ever chance.
/// If it was, the game goes on, and that tells.
const MATE: i32 = 2 * NAT;
/// A man left his square and another came there while the mover was in the air, and the move does not
/// say why; more the longer the square was empty.
const UNEXPLAINED_EXCHANGE: i32 = -3 * NAT / 2;
const UNEXPLAINED_EXCHANGE_MAX: i32 = -5 * NAT;
const EXCHANGE_NAT_NS: u64 = 150 * MS;
/// A reply that is begun before the move is done: hands overlap by a few hundred milliseconds.
const OVERLAP_NAT_NS: u64 = 250 * MS;
const OVERLAP_MAX: i32 = 12 * NAT;
/// A man who came where he is long before he was lifted is somebody else.
const ARRIVED_BEFORE_NAT_NS: u64 = 50 * MS;
const ARRIVED_BEFORE_MAX: i32 = 14 * NAT;
/// How long one look of a board takes, as far as nothing else is known: so far the order of two squares says nothing.
pub(super) const LOOK_NS: u64 = 250 * MS;
/// Each ply that was never seen by itself.
pub(super) const UNSEEN: i32 = -NAT;
/// A promotion to another piece than usual, where the sensor cannot tell.
pub(super) const UNUSUAL_PROMOTION: i32 = -4 * NAT;

/// A man arrived where nothing is read, and captures are seen: as long as a hand that hovers for some three seconds.
const UNREAD: i32 = -4 * NAT;

/// A man is missing: one of the side to move, about to move.
const IN_HAND: i32 = -NAT / 4;
/// One of the other side: an adjustment, a sensor that has lost him.
const LOST: i32 = -NAT;
/// One of the mover's, lifted before his move: nobody moves with another man in the hand.
const TWO_IN_HAND: i32 = -4 * NAT;
/// And each further ply of its player since then, unless it is the sensor that has lost it.
const HELD: i32 = -2 * NAT;
/// The longer he is missing, the less likely: hands hover half a second, rarely two.
const HOVER_NAT_NS: u64 = 750 * MS;
const MISSING_MAX: i32 = -12 * NAT;
/// A man who was away and is back: hands that adjust do so within a second.
const AWAY_FREE_NS: u64 = 1_000 * MS;

/// Something stands where nothing should: a man in passing, a victim pushed aside.
const CONTRADICTED: i32 = -3 * NAT;
/// Such contacts are over soon.
const CONTRADICTED_NAT_NS: u64 = 250 * MS;
const CONTRADICTED_MAX: i32 = -20 * NAT;

/// A man who has rested so long that this is reached was let go of.
const RESTED_MAX: i32 = 10 * NAT;

/// How often the explanations of a picture at rest are weighed again, and how long.
const AGAIN_NS: u64 = 250 * MS;
const AGAIN_MAX_NS: u64 = 4_000 * MS;

/// A nat for each `nat_ns` of `age_ns`.
pub(super) fn nats(age_ns: u64, nat_ns: u64) -> i32 {
    i32::try_from(age_ns * u64::from(NAT.unsigned_abs()) / nat_ns).unwrap_or(i32::MAX / 2)
}

/// What a contradiction of `age_ns` costs.
pub(super) fn contradiction(age_ns: u64) -> i32 {
    CONTRADICTED.saturating_sub(nats(age_ns, CONTRADICTED_NAT_NS)).max(CONTRADICTED_MAX)
}

impl<V: Variant> Tracker<V> {
    pub(super) fn weight(&self, explanation: &Explanation) -> i32 {
        self.tree.node(explanation.node).score + explanation.penalty + explanation.residue
    }

    /// Holds `explanation` against the picture as it is at `at_ns`.
    pub(super) fn compare(&self, explanation: &mut Explanation, at_ns: u64) {
        let node = self.tree.node(explanation.node);
        if node.hash == self.image.hash() && explanation.holds() {
            explanation.residue = 0;
            return;
        }
        let difference = self.tree.difference(explanation.node, &self.image);
        explanation.residue = 0;
        if difference.wrong.is_empty() {
            if let Some(since_ns) = explanation.contradicted_ns.take() {
                explanation.penalty += contradiction(at_ns - since_ns);
                explanation.strangers = Strangers::default();
                explanation.holds_ns = at_ns;
            }
        } else {
            let since_ns = *explanation.contradicted_ns.get_or_insert(at_ns);
            for square in difference.wrong.iter() {
                explanation.strangers.remember(square, self.image.at(square));
            }
            explanation.residue += contradiction(at_ns - since_ns);
        }
        let turn = node.position.turn();
        let mut in_hand_ns: Option<u64> = None;
        for square in difference.missing.iter() {
            let man = node.position.content(square);
            let is_own = man.seat_role().is_some_and(|(army, _)| army.side() == turn);
            let age_ns = self.handling.lifted_ns(square).map_or(0, |lifted_ns| at_ns - lifted_ns);
            let cost = match () {
                () if is_own => IN_HAND,
                () if at_ns - age_ns >= node.first_lift_ns
                    && self.is_being_captured(explanation.node, square, &difference) =>
                {
                    continue;
                }
                () if at_ns - age_ns < node.made_ns => TWO_IN_HAND,
                () => LOST,
            };
            explanation.residue += cost.saturating_sub(nats(age_ns, HOVER_NAT_NS)).max(MISSING_MAX)
                + self.moved_with_in_hand(explanation.node, square, at_ns - age_ns);
            if is_own {
                in_hand_ns = Some(in_hand_ns.unwrap_or(at_ns).min(at_ns - age_ns));
            }
        }
        // A capture with the man in hand would explain an exchange; holding him does not.
        if let (View::Occupancy, Some(lifted_ns)) = (self.sight.view, in_hand_ns) {
            explanation.residue += self.exchanged(node.made_ns, lifted_ns, |_| false);
        }
    }

    /// The man of `square`, who was there when the last ply was begun, is away, and so is one who may capture him: a
    /// capture in two steps. (A board that names its men needs no such guess.)
    fn is_being_captured(&self, id: NodeId, square: Square, difference: &Difference) -> bool {
        let node = self.tree.node(id);
        self.sight.view == View::Occupancy
            && node.left.meets(difference.missing)
            && self.tree.moves(id).any(|mv| {
                let fills = |change: &(Square, Content, Content)| change.0 == square && !change.2.is_empty();
                mv.departures().into_iter().all(|from| difference.missing.contains(from))
                    && node.position.footprint(mv).changes().iter().any(fills)
            })
    }

    /// Gives the last ply of `explanation` its weight and its times: when it is supposed anew, and again
    /// when a man is set down somewhere as long as nothing rests on it.
    pub(super) fn weigh(&mut self, explanation: &Explanation, at_ns: u64) {
        let id = explanation.node;
        let node = self.tree.node(id);
        let Some(parent) = node.parent else { return };
        let is_supposed = match explanation.via {
            Via::NextMove | Via::Instead | Via::Two => !self.is_alive(id),
            Via::Same => {
                self.sight.view == View::Occupancy
                    && self.handling.last_placed_ns() == at_ns
                    && !self.is_settled(id)
            }
            Via::TakenBack | Via::Search => false,
        };
        if !is_supposed {
            return;
        }
        let mut made_ns = at_ns;
        if explanation.via == Via::Same {
            // An exchange may have come after the picture had looked like this before.
            let since_ns = self.tree.node(parent).made_ns;
            let is_exchanged = !self.is_traceless(id, since_ns);
            let arrived_ns = self.target(id).and_then(|target| self.handling.placed_ns(target));
            made_ns =
                arrived_ns.filter(|_| is_exchanged).map_or(node.made_ns, |at_ns| at_ns.max(node.made_ns));
        }
        let before =
            (explanation.via == Via::Same && self.target(id).is_none()).then_some(self.tree.node(id).score);
        self.suppose(id, 0, made_ns);
        if let Some(before) = before {
            let node = self.tree.node_mut(id);
            node.score = node.score.min(before);
        }
    }

    /// Gives ply `id` its weight, `extra` beside what its handling says, and its times.
    pub(super) fn suppose(&mut self, id: NodeId, extra: i32, made_ns: u64) {
        let node = self.tree.node(id);
        let (Some(parent), Some(mv)) = (node.parent, node.mv) else { return };
        let parent = self.tree.node(parent);
        let score = parent.score + extra + self.ply_weight(parent.made_ns, &parent.position, mv, id);
        let first_lift_ns = self.first_lift_ns(id, parent.made_ns, made_ns);
        let node = self.tree.node_mut(id);
        (node.score, node.made_ns, node.first_lift_ns) = (score, made_ns, first_lift_ns);
        self.tree.forget_rivals(id);
    }

    /// The same for a ply that came about out of sight.
    pub(super) fn suppose_unseen(&mut self, id: NodeId, at_ns: u64) {
        let node = self.tree.node(id);
        let (Some(parent), Some(mv)) = (node.parent, node.mv) else { return };
        let parent = self.tree.node(parent);
        let score = parent.score + self.unseen_weight(&parent.position, mv);
        let first_lift_ns = self.first_lift_ns(id, parent.made_ns, at_ns);
        let node = self.tree.node_mut(id);
        (node.score, node.made_ns, node.first_lift_ns) = (score, at_ns, first_lift_ns);
    }

    /// An explanation, or what was announced, goes through `id`.
    pub(super) fn is_alive(&self, id: NodeId) -> bool {
        self.announced_at(self.tree.node(id).ply) == Some(id)
            || self.beam.iter().any(|explanation| self.tree.leads_to(id, explanation.node))
    }

    /// Ply `id` was announced, or another one rests on it.
    fn is_settled(&self, id: NodeId) -> bool {
        let ply = self.tree.node(id).ply;
        let rests_on = |leaf: NodeId| leaf != id && self.tree.leads_to(id, leaf);
        // The same move after another line was made no less than the one that was announced.
        let mv = |node: NodeId| self.tree.node(node).mv;
        ply.is_start()
            || self.announced_at(ply).is_some_and(|announced| mv(announced) == mv(id))
            || self.beam.iter().any(|explanation| rests_on(explanation.node))
    }

    pub(super) fn first_lift_ns(&self, id: NodeId, since_ns: u64, at_ns: u64) -> u64 {
        let lifts = self.tree.node(id).footprint.changes().iter().filter_map(|&(square, _, _)| {
            self.handling.lifted_ns(square).filter(|&lifted| lifted > since_ns)
        });
        lifts.min().unwrap_or(at_ns)
    }

    /// How well the handling fits the move: only an occupancy board leaves a doubt.
    pub(super) fn ply_weight(&self, since_ns: u64, before: &V::Position, mv: V::Move, id: NodeId) -> i32 {
        let mut weight = PLY + self.overlap(id, since_ns);
        let is_unread = self.is_unread(id);
        if self.sight.view == View::Identity {
            return weight + if is_unread { UNREAD } else { 0 };
        }
        weight += self.unexplained_exchange(id, since_ns) + self.disordered_arrival(id);
        if mv.is_unusual_promotion() {
            weight += UNUSUAL_PROMOTION;
        }
        if is_unread || self.is_traceless(id, since_ns) {
            weight += TRACELESS + before.prior(mv) + self.taking_back(id);
        } else if self.target(id).is_some() {
            weight += before.prior(mv) / 4;
        }
        if self.tree.node(id).position.end() == Some(End::Checkmate) {
            weight += MATE;
        }
        weight
    }

    /// What speaks for a capture where the opponent has just captured.
    fn taking_back(&self, id: NodeId) -> i32 {
        let taken = self.tree.node(id).parent.and_then(|parent| self.target(parent));
        if taken.is_some() && taken == self.target(id) { RECAPTURE } else { 0 }
    }

    /// The mover arrived on a square that is not believed: he may as well be in a hand.
    fn is_unread(&self, id: NodeId) -> bool {
        let mut changes = self.tree.node(id).footprint.changes().iter();
        changes.any(|change| !change.2.is_empty() && self.sight.doubted.contains(change.0))
    }

    /// What it costs that somebody stood on the empty target before the mover was lifted.
    fn disordered_arrival(&self, id: NodeId) -> i32 {
        let changes = self.tree.node(id).footprint.changes().iter();
        let arrived = changes
            .filter(|change| change.1.is_empty())
            .filter_map(|change| self.handling.placed_ns(change.0));
        match (arrived.max(), self.mover_lifted_ns(id)) {
            (Some(arrived_ns), Some(lifted_ns)) => {
                let look_ns = self.scan.slow_ns().map_or(LOOK_NS, |slow_ns| slow_ns.max(LOOK_NS));
                let before_ns = lifted_ns.saturating_sub(arrived_ns).saturating_sub(look_ns);
                -nats(before_ns, ARRIVED_BEFORE_NAT_NS).min(ARRIVED_BEFORE_MAX)
            }
            _ => 0,
        }
    }

    /// What it costs that the ply leaves an exchange unexplained.
    fn unexplained_exchange(&self, id: NodeId, since_ns: u64) -> i32 {
        let Some(lifted_ns) = self.mover_lifted_ns(id) else { return 0 };
        let footprint = self.tree.node(id).footprint;
        let is_explained = |square: Square| footprint.changes().iter().any(|change| change.0 == square);
        self.exchanged(since_ns, lifted_ns, is_explained)
    }

    /// What it costs that men were exchanged since `since_ns` while another was in the air from `lifted_ns`
    /// on, except where that `is_explained`.
    fn exchanged(&self, since_ns: u64, lifted_ns: u64, is_explained: impl Fn(Square) -> bool) -> i32 {
        let exchanges = self.handling.exchanges(since_ns, lifted_ns);
        let cost = |empty_ns| {
            UNEXPLAINED_EXCHANGE.saturating_sub(nats(empty_ns, EXCHANGE_NAT_NS)).max(UNEXPLAINED_EXCHANGE_MAX)
        };
        exchanges
            .filter(|exchange| !is_explained(exchange.square))
            .map(|exchange| cost(exchange.placed_ns - exchange.lifted_ns))
            .min()
            .unwrap_or(0)
    }

    /// When the men of a ply were lifted, the last of them.
    pub(super) fn mover_lifted_ns(&self, id: NodeId) -> Option<u64> {
        let departures = self.tree.node(id).mv?.departures();
        let believed = departures.into_iter().filter(|&square| !self.sight.doubted.contains(square));
        believed.filter_map(|square| self.handling.lifted_ns(square)).max()
    }

    /// What it costs that the mover of `id` was lifted while the ply before, made at `since_ns`, was still
    /// being played: hands overlap a little, not for long.
    fn overlap(&self, id: NodeId, since_ns: u64) -> i32 {
        let lifted_ns = self.mover_lifted_ns(id).unwrap_or(since_ns);
        -nats(since_ns.saturating_sub(lifted_ns), OVERLAP_NAT_NS).min(OVERLAP_MAX)
    }

    /// The square on which a man took the place of another.
    pub(super) fn target(&self, id: NodeId) -> Option<Square> {
        let changes = self.tree.node(id).footprint.changes().iter();
        changes
            .copied()
            .find(|&(_, before, after)| !before.is_empty() && !after.is_empty())
            .map(|change| change.0)
    }

    /// A capture on an occupancy board whose target was not seen to change after the capturer
    /// was lifted. (A piece that was adjusted before that is no trace.)
    pub(super) fn is_traceless(&self, id: NodeId, since_ns: u64) -> bool {
        if self.sight.view == View::Identity {
            return false;
        }
        let Some(target) = self.target(id) else { return false };
        let lifted_ns = self.mover_lifted_ns(id);
        lifted_ns.and_then(|lifted_ns| self.handling.exchanged_ns(target, since_ns, lifted_ns)).is_none()
    }

    /// The squares of a later ply were left before those of an earlier one.
    pub(super) fn disorder(&self, earlier: NodeId, later: NodeId) -> i32 {
        match (self.mover_lifted_ns(earlier), self.mover_lifted_ns(later)) {
            (Some(first), Some(second)) if second < first => NAT,
            _ => 0,
        }
    }

    /// What it costs that the owner of the piece of `square` in `id`, which is missing since `lifted_ns`, has made more than
    /// one move with others since then. A board that names its pieces has no other piece that could be the one in the hand.
    fn moved_with_in_hand(&self, id: NodeId, square: Square, lifted_ns: u64) -> i32 {
        if self.sight.view == View::Identity {
            return 0;
        }
        let owner = side_of(self.tree.node(id).position.content(square));
        let since = self.tree.upwards(id).take_while(|&ply| self.tree.node(ply).made_ns > lifted_ns);
        let is_owners = |&ply: &NodeId| {
            let parent = self.tree.node(ply).parent;
            parent.is_some_and(|parent| Some(self.tree.node(parent).position.turn()) == owner)
        };
        let further = since.filter(is_owners).count().saturating_sub(1);
        i32::try_from(further).map_or(MISSING_MAX, |further| further * HELD)
    }

    /// What it costs that men of `id` who were missing are back where they belong, except on squares that
    /// a further move explains: the longer they were away, the less likely that nothing was played.
    pub(super) fn returned(&self, id: NodeId, is_explained: impl Fn(Square) -> bool) -> i32 {
        // So much at once is no hand that puts something back.
        if self.is_leap {
            return 0;
        }
        let shown = &self.tree.node(id).shown;
        let away = self.filled.iter().filter(|&square| shown[square] == self.image.at(square));
        let cost = |square: Square| {
            let (lifted_ns, placed_ns) = (self.handling.lifted_ns(square)?, self.handling.placed_ns(square)?);
            let away_ns = placed_ns.saturating_sub(lifted_ns).saturating_sub(AWAY_FREE_NS);
            // What was exchanged meanwhile, he did not capture.
            let made_ns = self.tree.node(id).made_ns;
            let exchanged =
                self.exchanged(made_ns, lifted_ns, |other| other == square || is_explained(other));
            let held = self.moved_with_in_hand(id, square, lifted_ns);
            Some((exchanged - nats(away_ns, HOVER_NAT_NS)).max(MISSING_MAX) + held)
        };
        away.filter(|&square| !is_explained(square))
            .filter_map(cost)
            .fold(0, i32::saturating_add)
            .max(MISSING_MAX)
    }

    /// What it costs that what `from` says was no contradiction before the move `id` that explains what
    /// stands there now.
    pub(super) fn contradiction_before(&self, from: &Explanation, id: NodeId, at_ns: u64) -> i32 {
        let footprint = self.tree.node(id).footprint;
        self.contradiction_by(from, at_ns, |square, content| {
            footprint
                .changes()
                .iter()
                .any(|change| change.0 == square && self.sight.see(change.0, change.2) == content)
        })
    }

    /// What it costs that something stood where `from` says that nothing does, unless all of it
    /// `is_explained`.
    pub(super) fn contradiction_by(
        &self,
        from: &Explanation,
        at_ns: u64,
        is_explained: impl Fn(Square, Content) -> bool,
    ) -> i32 {
        let Some(since_ns) = from.contradicted_ns else { return 0 };
        if from.strangers.all(is_explained) { 0 } else { contradiction(at_ns - since_ns) }
    }

    /// What it costs to take back the last ply of `leaf`: the longer its men rested where it brought them,
    /// the more; nothing if they stand there after `instead`, too.
    pub(super) fn rested(&self, leaf: NodeId, instead: NodeId, at_ns: u64) -> i32 {
        let (node, instead) = (self.tree.node(leaf), self.tree.node(instead));
        let arrivals = node.footprint.changes().iter().filter(|change| !change.2.is_empty());
        let left = arrivals.filter(|&&(square, _, _)| instead.shown[square] != node.shown[square]);
        let rested_ns = left
            .map(|&(square, _, _)| {
                let lifted_ns = self.handling.lifted_ns(square).filter(|&lifted_ns| lifted_ns > node.made_ns);
                lifted_ns.unwrap_or(at_ns).saturating_sub(node.made_ns)
            })
            .max();
        -rested_ns.map_or(0, |rested_ns| nats(rested_ns, CONTRADICTED_NAT_NS).min(RESTED_MAX))
    }

    /// Another explanation that holds is nearly as good and does without the ply `id`.
    pub(super) fn has_rival(&self, id: NodeId) -> bool {
        let best = self.weight(&self.beam[0]);
        self.beam[1..].iter().any(|other| {
            other.holds() && best - self.weight(other) < 3 * NAT / 2 && !self.tree.leads_to(id, other.node)
        })
    }

    /// When the explanations have to be weighed again.
    pub(super) fn plan_weighing(&mut self, at_ns: u64) {
        let is_moot = self.beam.len() == 1 || self.beam[0].residue == 0;
        let is_over = at_ns - self.changed_ns > AGAIN_MAX_NS;
        self.weigh_ns = (!is_moot && !is_over).then_some(at_ns + AGAIN_NS);
    }

    /// The picture has lasted: what is missing or wrong in it counts for more.
    pub(super) fn weigh_again(&mut self, at_ns: u64, steps: &mut Vec<Step<V>>) {
        let first = self.beam[0].node;
        let mut beam = std::mem::take(&mut self.beam);
        for explanation in &mut beam {
            self.compare(explanation, at_ns);
        }
        beam.sort_by_cached_key(|explanation| std::cmp::Reverse(self.weight(explanation)));
        self.beam = beam;
        self.plan_weighing(at_ns);
        if self.beam[0].node != first {
            self.decide(at_ns, steps);
        }
    }
}
