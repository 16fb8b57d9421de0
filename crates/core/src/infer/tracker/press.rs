//! A press as evidence: it settles the move that the picture shows, and tells against an explanation in
//! which the presser has not moved.

use super::hindsight::Fact;
use super::{HOPELESS, NOT_PRESSED, PRESS_TOLERANCE_NS, Step, Tracker, Via};
use crate::infer::tree::{NodeId, Tree};
use crate::ply::Ply;
use adoube_rules::sensor::Side;
use adoube_rules::square::Square;
use adoube_rules::{Position as _, Variant};

impl<V: Variant> Tracker<V> {
    /// `side` pressed the clock: its move, if the picture shows one, is over.
    pub fn pressed(&mut self, side: Side, at_ns: u64, steps: &mut Vec<Step<V>>) {
        self.note(Fact::Pressed(side), at_ns);
        self.learn(at_ns, steps);
        self.pressed = Some((side, at_ns));
        self.weigh_press(side, at_ns);
        self.explain_without_surplus(Some(side), at_ns, steps);
        // Nobody presses with a piece in the hand: what shows the whole picture is what happened.
        if self.is_explained() || self.prefer_what_is_shown(Some(side)) || self.is_reply_in_hand(side) {
            self.settle_by_press(at_ns, steps);
        }
    }

    /// The best explanation is a move of `side`, shown whole but for men that its opponent has already
    /// lifted to reply.
    pub(super) fn is_reply_in_hand(&self, side: Side) -> bool {
        let position = &self.tree.node(self.beam[0].node).position;
        position.turn() == side.other()
            && Square::all().zip(self.image.contents()).all(|(square, &shown)| {
                let man = position.content(square);
                let owner = man.seat_role().map(|(army, _)| army.side());
                shown == self.sight.see(square, man) || (shown.is_empty() && owner == Some(side.other()))
            })
    }

    /// A press means one ply since the opponent's: an explanation in which `side` has not moved since
    /// then loses weight. (The opponent may have replied already.)
    pub(super) fn weigh_press(&mut self, side: Side, at_ns: u64) {
        let since_ns = self.presses_ns[side.other().index()].saturating_sub(PRESS_TOLERANCE_NS);
        self.presses_ns[side.index()] = at_ns;
        if self.beam.len() == 1 {
            return;
        }
        let has_moved = |tree: &Tree<V>, id: NodeId| {
            let node = tree.node(id);
            node.position.turn() == side.other() && node.made_ns >= since_ns
        };
        for explanation in &mut self.beam {
            let parent = self.tree.node(explanation.node).parent;
            let fits = has_moved(&self.tree, explanation.node)
                || parent.is_some_and(|parent| has_moved(&self.tree, parent));
            if !fits {
                explanation.penalty += NOT_PRESSED;
            }
        }
        let weights: Vec<i32> = self.beam.iter().map(|explanation| self.weight(explanation)).collect();
        let best = weights.iter().copied().max().unwrap_or(0);
        let mut index = 0;
        let first = self.beam[0].node;
        self.beam.retain(|explanation| {
            index += 1;
            explanation.node == first || best - weights[index - 1] <= HOPELESS
        });
    }

    /// Puts the best explanation of the whole picture before those that suppose men in a hand; of
    /// moves of `mover` alone, if it is given. False if there is none.
    pub(super) fn prefer_what_is_shown(&mut self, mover: Option<Side>) -> bool {
        let hash = self.image.hash();
        let shown = self.beam.iter().position(|explanation| {
            let node = self.tree.node(explanation.node);
            node.hash == hash && mover.is_none_or(|mover| node.position.turn() == mover.other())
        });
        if let Some(index) = shown {
            self.beam[..=index].rotate_right(1);
        }
        shown.is_some()
    }

    pub(super) fn settle_by_press(&mut self, at_ns: u64, steps: &mut Vec<Step<V>>) {
        let Some((side, pressed_ns)) = self.pressed else { return };
        if at_ns - pressed_ns > PRESS_TOLERANCE_NS {
            self.pressed = None;
            return;
        }
        let best = self.beam[0];
        let node = self.tree.node(best.node);
        // The side that pressed has moved, and this is not an older move of it shown again.
        let has_moved = node.mv.is_some() && node.position.turn() == side.other();
        // Nobody presses with the man in his hand: if he is missing, his sensor has lost him.
        if has_moved && best.via != Via::TakenBack && best.holds() {
            self.pressed = None;
            self.announce(best.node, at_ns, steps);
            self.stand(steps);
        }
    }

    /// Every announced ply up to `ply` stands: it was pressed.
    pub(crate) fn stands_up_to(&mut self, ply: Ply, at_ns: u64, steps: &mut Vec<Step<V>>) {
        self.note(Fact::Stands(ply), at_ns);
        if self.standing < ply && ply <= self.plies() {
            self.standing = ply;
            if ply == self.plies() {
                self.stand_ns = None;
            }
            steps.push(Step::Stands { ply });
        }
    }
}
