//! What a ruling says of the line: another position, moves that were played before and stand again.

use super::{Explanation, Step, Tracker, Via};
use crate::infer::image::position_hash;
use crate::rules::Variant;

impl<V: Variant> Tracker<V> {
    /// From now on `position` stands where the last announced ply led, whatever the picture shows: no
    /// ply, and no step.
    pub fn revise(&mut self, position: V::Position) {
        let node = self.announced_node(self.plies());
        let hash = position_hash::<V>(self.view, &position);
        let node = self.tree.revise(node, position, hash);
        if let Some(last) = self.announced.last_mut() {
            *last = node;
        }
        self.beam = vec![Explanation { node, penalty: 0, missed: 0, via: Via::Same }];
        self.announce_ns = None;
        self.settle_ns = None;
        self.gap_ns = None;
        self.is_lifted_only = self.is_explained();
    }

    /// Takes `mv` as made at the time at which it was; false, and nothing changed, if it is no legal
    /// move of the position that the line ends with.
    pub fn take_as_made_then(
        &mut self,
        mv: V::Move,
        [first_lift_ns, made_ns]: [u64; 2],
        at_ns: u64,
        steps: &mut Vec<Step<V>>,
    ) -> bool {
        let is_made = self.take_as_made(mv, at_ns, steps);
        if is_made {
            let node = self.tree.node_mut(self.beam[0].node);
            node.first_lift_ns = first_lift_ns;
            node.made_ns = made_ns;
            for step in steps.iter_mut() {
                if let Step::Made(made) = step
                    && made.ply == node.ply
                {
                    (made.first_lift_ns, made.made_ns) = (first_lift_ns, made_ns);
                }
            }
        }
        is_made
    }
}
