//! The announced line: when the best explanation is announced, what that withdraws, when it stands.

use super::{Made, NAT, Retracted, STAND_NS, Step, TAKE_BACK_MS, TRACELESS_MS, Tracker, Via};
use crate::infer::tree::{NodeId, ROOT};
use crate::rules::Variant;

impl<V: Variant> Tracker<V> {
    /// Announces the best explanation now, if the picture shows it whole.
    pub fn announce_best(&mut self, at_ns: u64, steps: &mut Vec<Step<V>>) {
        if self.is_explained() {
            self.announce_ns = None;
            self.announce(self.beam[0].node, at_ns, steps);
        }
    }

    /// A piece of the side to move was lifted and stayed away: the last move stands.
    pub fn opponent_lifted(&mut self, square: u8, steps: &mut Vec<Step<V>>) {
        if let Some(&last) = self.announced.last() {
            let content = V::content(&self.tree.node(last).position, square);
            let turn = V::turn(&self.tree.node(last).position);
            if content.seat_role().is_some_and(|(seat, _)| usize::from(seat & 1) == turn.index()) {
                self.stand(steps);
            }
        }
    }

    /// Sets when the best explanation is announced; what lies before its last ply is announced at
    /// once, because a further move rests on it.
    pub(super) fn decide(&mut self, at_ns: u64, steps: &mut Vec<Step<V>>) {
        let best = self.beam[0];
        if self.announced.last().copied().unwrap_or(ROOT) == best.node {
            self.settle_by_press(at_ns, steps);
            return;
        }
        let node = self.tree.node(best.node);
        let (Some(parent), Some(mv)) = (node.parent, node.mv) else {
            self.announce_ns = Some(at_ns + self.parameters.announce.scale(TAKE_BACK_MS));
            return;
        };
        let since_ns = self.tree.node(parent).made_ns;
        let traceless = self.is_traceless(best.node, since_ns);
        if best.via == Via::NextMove && !traceless {
            self.announce(parent, at_ns, steps);
        }
        let mut rest_ms = V::rest_ms(&self.tree.node(parent).position, mv);
        if traceless {
            rest_ms = rest_ms.max(TRACELESS_MS);
        }
        if self.withdraws(best.node) {
            rest_ms = rest_ms.max(TAKE_BACK_MS);
        }
        self.announce_ns = Some(at_ns + self.parameters.announce.scale(rest_ms));
        self.settle_by_press(at_ns, steps);
    }

    /// Would announcing `leaf` withdraw something?
    pub(super) fn withdraws(&self, leaf: NodeId) -> bool {
        let Some(&last) = self.announced.last() else { return false };
        let ply = self.tree.node(last).ply;
        !self.tree.upwards(leaf).take_while(|&id| self.tree.node(id).ply >= ply).any(|id| id == last)
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
        let via = self.beam[0].via;
        let explanation = common < self.announced.len() && (via == Via::NextMove || via == Via::Search);
        if common < self.announced.len() {
            let ply = u32::try_from(common).expect("a game has fewer than 2^32 plies") + 1;
            let played = self.played(ply).expect("an announced ply has a move");
            let position = self.position(ply - 1).clone();
            let (mv, made_ns) = (self.mv(ply), self.made_ns(ply));
            // What it left and where it arrived: the first of these squares that changed afterwards.
            let undone_ns = mv
                .map(|mv| V::footprint(&position, mv))
                .into_iter()
                .flat_map(|footprint| footprint.changes().to_vec())
                .filter_map(|(square, _, after)| {
                    let at_ns = self.handling.lifted_ns(square)?;
                    (!after.is_empty() && at_ns > made_ns).then_some(at_ns)
                })
                .min();
            let rested_ns = undone_ns.unwrap_or(made_ns) - made_ns;
            steps.push(Step::Retracted(Retracted {
                ply,
                played,
                position,
                explanation,
                mv,
                made_ns,
                rested_ns,
            }));
            self.announced.truncate(common);
            self.standing = self.standing.min(ply - 1);
        }
        let confidence_milli = self.confidence_milli();
        for id in added {
            self.announced.push(id);
            let node = self.tree.node(id);
            let played = self.played(node.ply).expect("an announced ply has a move");
            steps.push(Step::Made(Made {
                ply: node.ply,
                played,
                first_lift_ns: node.first_lift_ns,
                made_ns: node.made_ns,
                confidence_milli,
                explanation,
                recovered: node.recovered,
            }));
        }
        // A later ply was begun: the earlier ones stand.
        let plies = self.plies();
        if plies > 1 && self.standing < plies - 1 {
            self.standing = plies - 1;
            steps.push(Step::Stands { ply: self.standing });
        }
        self.stand_ns = self.announced.last().map(|&id| at_ns.max(self.tree.node(id).made_ns + STAND_NS));
        if self.standing == plies {
            self.stand_ns = None;
        }
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
        let Some(second) = self.beam[1..].iter().find(|other| other.missed == 0) else { return 1_000 };
        let nats = usize::try_from((best - self.weight(second)) / NAT).unwrap_or(0);
        CHANCE.get(nats).copied().unwrap_or(1_000)
    }
}
