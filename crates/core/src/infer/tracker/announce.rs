//! The announced line: when the best explanation is announced, what that withdraws, when it stands.

use super::hindsight::Fact;
use super::rest::WOBBLE_NS;
use super::{GAP_NS, Made, NAT, Retracted, SETTLE_NS, STAND_NS, Step, Tracker, Via, scan};
use crate::infer::tree::{NodeId, ROOT};
use crate::ply::Ply;
use adoube_rules::square::Square;
use adoube_rules::touch::is_of_army;
use adoube_rules::{Move as _, Position as _, Variant};

impl<V: Variant> Tracker<V> {
    /// Announces the best explanation now, if the picture shows it whole.
    pub(crate) fn announce_best(&mut self, at_ns: u64, steps: &mut Vec<Step<V>>) {
        self.note(Fact::AnnounceBest, at_ns);
        if self.is_explained() {
            self.announce_ns = None;
            self.announce_if_bound(at_ns, steps);
        }
    }

    /// Announces the best explanation; what was pressed is withdrawn by a picture at rest only, and that waits.
    pub(super) fn announce_if_bound(&mut self, at_ns: u64, steps: &mut Vec<Step<V>>) {
        let rested_ns = self.changed_ns + SETTLE_NS;
        if self.withdraws_pressed(at_ns) && at_ns < rested_ns {
            self.announce_ns = Some(rested_ns);
        } else {
            self.announce(self.beam[0].node, at_ns, steps);
        }
    }

    /// When the best explanation is announced.
    pub(crate) fn announces_ns(&self) -> Option<u64> {
        self.announce_ns
    }

    /// Announces the best explanation now, whatever the picture shows: something else rests on it.
    pub(crate) fn announce_whole(&mut self, at_ns: u64, steps: &mut Vec<Step<V>>) {
        self.announce(self.beam[0].node, at_ns, steps);
        self.remember_from_here();
    }

    /// A piece of the side to move was lifted and stayed away: the last move stands, unless its own man went
    /// on and took that piece.
    pub(crate) fn opponent_lifted(&mut self, square: Square, at_ns: u64, steps: &mut Vec<Step<V>>) {
        self.note(Fact::Lifted(square), at_ns);
        if let Some(&last) = self.announced.last() {
            let content = self.tree.node(last).position.content(square);
            let is_lifted = is_of_army(content, self.tree.node(last).position.army());
            if is_lifted && !self.may_go_on_to(last, square) {
                self.stand(steps);
            }
        }
    }

    /// The men of `id`'s move are gone from where it brought them, and could have gone to `square` instead.
    fn may_go_on_to(&self, id: NodeId, square: Square) -> bool {
        let node = self.tree.node(id);
        let Some((parent, mv)) = node.parent.zip(node.mv) else { return false };
        let before = &self.tree.node(parent).position;
        let arrives = |mv| {
            before.footprint(mv).changes().iter().any(|change| change.0 == square && !change.2.is_empty())
        };
        let mut moves = Vec::new();
        before.legal_moves(&mut moves);
        self.left_ns(id).is_some()
            && moves.into_iter().any(|other| other.departures() == mv.departures() && arrives(other))
    }

    /// Sets when the best explanation is announced; what lies before its last ply is announced at
    /// once, because a further move rests on it.
    pub(super) fn decide(&mut self, at_ns: u64, steps: &mut Vec<Step<V>>) {
        let withdraws_pressed = self.withdraws_pressed(at_ns);
        let best = self.beam[0];
        if self.announced.last().copied().unwrap_or(ROOT) == best.node {
            self.settle_by_press(at_ns, steps);
            return;
        }
        let node = self.tree.node(best.node);
        let (parent, made_ns) = (node.parent, node.made_ns);
        let is_traceless =
            parent.is_some_and(|parent| self.is_traceless(best.node, self.tree.node(parent).made_ns));
        if let Some(parent) = parent
            && best.via == Via::NextMove
            && !is_traceless
            && !withdraws_pressed
        {
            self.announce(parent, at_ns, steps);
        }
        self.announce_ns = self.is_at_rest(best.node).then(|| {
            let since_ns = match best.via {
                Via::TakenBack => at_ns,
                // A man who stood elsewhere meanwhile was in the hand until then.
                _ if is_traceless => made_ns.max(best.holds_ns),
                _ => made_ns,
            };
            let is_back = self.arrived_ns(best.node) > since_ns;
            let earliest_ns = match () {
                () if withdraws_pressed => self.changed_ns + SETTLE_NS,
                () if is_back => at_ns + WOBBLE_NS,
                () => at_ns,
            };
            // What has been seen in one look only may be going by.
            let look_ns = self.scan.slow_ns().map_or(0, scan::with_delay_ns);
            (since_ns + self.rest_ns(best.node, best.via).max(look_ns)).max(earliest_ns)
        });
        self.settle_by_press(at_ns, steps);
    }

    /// The picture shows what the last ply of `id` changed, and nothing that contradicts it.
    pub(super) fn is_at_rest(&self, id: NodeId) -> bool {
        let node = self.tree.node(id);
        self.beam[0].holds()
            && node
                .footprint
                .changes()
                .iter()
                .all(|&(square, _, after)| self.image.at(square) == self.sight.see(square, after))
    }

    /// When the men of `id`'s move left where it brought them, the last who did; `None` if all are there.
    fn left_ns(&self, id: NodeId) -> Option<u64> {
        let arrivals = self.tree.node(id).footprint.changes().iter().filter(|change| !change.2.is_empty());
        arrivals
            .filter(|&&(square, _, after)| self.image.at(square) != self.sight.see(square, after))
            .map(|&(square, _, _)| self.handling.lifted_ns(square).unwrap_or(0))
            .max()
    }

    /// When the last man of `id`'s move came to where he is.
    pub(super) fn arrived_ns(&self, id: NodeId) -> u64 {
        let changes = self.tree.node(id).footprint.changes().iter();
        let arrivals = changes.filter(|change| !change.2.is_empty());
        arrivals.filter_map(|&(square, _, _)| self.handling.placed_ns(square)).max().unwrap_or(0)
    }

    /// Would announcing `leaf` withdraw something?
    pub(super) fn withdraws(&self, leaf: NodeId) -> bool {
        let Some(&last) = self.announced.last() else { return false };
        !self.tree.leads_to(last, leaf)
    }

    /// Makes the path to `leaf` the announced line.
    pub(super) fn announce(&mut self, leaf: NodeId, at_ns: u64, steps: &mut Vec<Step<V>>) {
        let last = self.announced.last().copied().unwrap_or(ROOT);
        if last == leaf {
            return;
        }
        // Nearly always the next ply; only another line is looked through from its beginning.
        let (common, added) = if self.tree.node(leaf).parent == Some(last) {
            (self.announced.len(), vec![leaf])
        } else {
            let path = self.tree.path(leaf);
            let common = path.iter().zip(&self.announced).take_while(|(new, old)| new == old).count();
            (common, path[common..].to_vec())
        };
        self.announce_ns = None;
        let via = self.beam[0].via;
        let explanation =
            common < self.announced.len() && matches!(via, Via::NextMove | Via::Two | Via::Search);
        if common < self.announced.len() {
            let ply = Ply::last_of(common).next();
            steps.push(Step::Retracted(self.retracted_from(ply, explanation)));
            self.announced.truncate(common);
            self.health.cut_after(ply.before());
            self.standing = self.standing.min(ply.before());
            self.bound = self.bound.min(ply.before());
            self.fixed = self.fixed.min(ply.before());
        }
        let confidence_milli = self.confidence_milli();
        for id in added {
            self.announced.push(id);
            steps.push(Step::Made(self.made_step(id, confidence_milli, explanation)));
        }
        // A later ply was begun: the earlier ones stand.
        let plies = self.plies();
        if self.standing < plies.before() {
            self.standing = plies.before();
            steps.push(Step::Stands { ply: self.standing });
        }
        self.stand_ns = self.announced.last().map(|&id| at_ns.max(self.tree.node(id).made_ns + STAND_NS));
        if self.standing == plies {
            self.stand_ns = None;
        }
    }

    /// What is said when ply `ply` and all later ones are withdrawn.
    pub(super) fn retracted_from(&self, ply: Ply, explanation: bool) -> Retracted<V> {
        let played = self.played(ply).expect("an announced ply has a move");
        let position = self.position(ply.before()).clone();
        let (mv, made_ns) = (self.mv(ply), self.made_ns(ply));
        // What it left and where it arrived: the first of these squares that changed afterwards.
        let undone_ns = mv
            .map(|mv| position.footprint(mv))
            .into_iter()
            .flat_map(|footprint| footprint.changes().to_vec())
            .filter_map(|(square, _, after)| {
                let at_ns = self.handling.lifted_ns(square)?;
                (!after.is_empty() && at_ns > made_ns).then_some(at_ns)
            })
            .min();
        let rested_ns = undone_ns.unwrap_or(made_ns) - made_ns;
        Retracted { ply, played, position, explanation, mv, made_ns, rested_ns }
    }

    /// What is said of announced ply `id`.
    pub(super) fn made_step(&self, id: NodeId, confidence_milli: u16, explanation: bool) -> Made {
        let node = self.tree.node(id);
        Made {
            ply: node.ply,
            played: self.played(node.ply).expect("an announced ply has a move"),
            first_lift_ns: node.first_lift_ns,
            made_ns: node.made_ns,
            confidence_milli,
            explanation,
            recovered: node.recovered,
        }
    }

    /// The men of the last announced ply have had their time to rest: it stands, unless they are on their way
    /// again. A hand that holds one for longer than hands hover is done with the move.
    pub(super) fn stand_by_rest(&mut self, at_ns: u64, steps: &mut Vec<Step<V>>) {
        match self.on_the_way_until_ns().filter(|&until_ns| until_ns > at_ns) {
            Some(until_ns) => self.stand_ns = Some(until_ns),
            None => self.stand(steps),
        }
    }

    fn on_the_way_until_ns(&self) -> Option<u64> {
        let (&last, best) = (self.announced.last()?, self.beam[0].node);
        let is_withdrawn = self.withdraws(best);
        // A further move rests on it.
        if best != last && !is_withdrawn {
            return None;
        }
        self.announce_ns.filter(|_| is_withdrawn).or_else(|| Some(self.left_ns(last)? + GAP_NS))
    }

    /// The last announced ply stands.
    pub(super) fn stand(&mut self, steps: &mut Vec<Step<V>>) {
        self.stand_ns = None;
        let plies = self.plies();
        if self.standing < plies {
            self.standing = plies;
            steps.push(Step::Stands { ply: plies });
        }
    }

    /// Chance that the best explanation is right, against the best one that tells another game.
    pub(super) fn confidence_milli(&self) -> u16 {
        /// 1000 / (1 + e^-n) for n nats.
        const CHANCE: [u16; 8] = [500, 731, 881, 953, 982, 993, 998, 999];
        let best = self.weight(&self.beam[0]);
        let Some(second) = self.beam[1..].iter().find(|other| other.holds()) else { return 1_000 };
        let nats = usize::try_from((best - self.weight(second)) / NAT).unwrap_or(0);
        CHANCE.get(nats).copied().unwrap_or(1_000)
    }
}
