//! What a ruling says of the line: another position, moves that were played before and stand again.

use super::{Explanation, STAND_NS, Step, Tracker, Via};
use crate::infer::image::Image;
use crate::infer::tree::NodeId;
use crate::ply::Ply;
use adoube_rules::Variant;

/// A ply as it was published: its move, or the position after it.
#[derive(Debug)]
pub(crate) struct Published<V: Variant> {
    pub(crate) mv: Option<V::Move>,
    pub(crate) position: Option<V::Position>,
    pub(crate) first_lift_ns: u64,
    pub(crate) made_ns: u64,
    pub(crate) is_recovered: bool,
}

impl<V: Variant> Tracker<V> {
    /// Goes on from what stands on the board, though no legal move leads there: one ply after the
    /// announced line (see [`Tracker::announce_whole`]), without a step. It stands at once.
    pub(crate) fn go_on_from(&mut self, position: V::Position, at_ns: u64) {
        debug_assert!(self.is_announced_whole(), "the ply follows on the announced line");
        let node = self.tree.append(self.beam[0].node, position, at_ns);
        self.rest_on(node);
        self.remember_from_here();
    }

    /// The same for what stands after a gap that no moves fill: nobody saw how it came about.
    pub(crate) fn adopt_position(&mut self, position: V::Position, at_ns: u64) {
        self.go_on_from(position, at_ns);
        self.blind = false;
        let node = self.beam[0].node;
        self.tree.node_mut(node).recovered = true;
        self.remember_from_here();
    }

    /// A position that was adopted stands, and nothing has been played from it: the next move tells whether a piece was
    /// missing, and whose turn it was.
    pub(crate) fn is_adopted(&self) -> bool {
        let node = self.tree.node(self.beam[0].node);
        node.recovered && node.mv.is_none()
    }

    /// Takes `mv` as made, whatever the picture shows, and says so: a ruling, or the Laws themselves.
    pub(crate) fn take_as_made(&mut self, mv: V::Move, at_ns: u64, steps: &mut Vec<Step<V>>) -> bool {
        let Some(node) = self.tree.descend(self.beam[0].node, mv) else { return false };
        self.remember_rivals();
        let made = self.tree.node_mut(node);
        made.made_ns = at_ns;
        made.first_lift_ns = at_ns;
        self.beam = vec![Explanation::new(node, 0, Via::NextMove)];
        self.announce(node, at_ns, steps);
        self.stand(steps);
        self.settle_ns = None;
        self.gap_ns = None;
        self.weigh_ns = None;
        self.remember_from_here();
        true
    }

    /// Takes a ply over that was published, after the last one; false if it leads nowhere.
    pub(crate) fn takes_over(&mut self, published: Published<V>) -> bool {
        let before = self.beam[0].node;
        let node = match (published.mv, published.position) {
            (Some(mv), _) => self.tree.descend(before, mv),
            (None, Some(position)) => Some(self.tree.append(before, position, published.made_ns)),
            (None, None) => None,
        };
        let Some(node) = node else { return false };
        let made = self.tree.node_mut(node);
        (made.first_lift_ns, made.made_ns) = (published.first_lift_ns, published.made_ns);
        made.recovered = published.is_recovered;
        self.rest_on(node);
        true
    }

    /// The board shows what was published last, as far as anybody has seen. `is_judged`: the last ply stands already.
    pub(crate) fn stands_as_taken_over(&mut self, is_judged: bool, at_ns: u64) {
        if !is_judged {
            self.standing = self.plies().before();
            self.stand_ns = Some(at_ns + STAND_NS);
        }
        self.image = Image::of(self.tree.node(self.beam[0].node).shown.clone());
        self.health.shows(self.image.contents(), at_ns);
        self.remember_from_here();
    }

    /// No picture withdraws what was played so far: a ruling may.
    pub(crate) fn fix(&mut self) {
        self.fixed = self.plies();
    }

    pub(super) fn rest_on(&mut self, node: NodeId) {
        self.remember_rivals();
        self.beam = vec![Explanation::new(node, 0, Via::Same)];
        self.announced.push(node);
        self.standing = self.plies();
        self.announce_ns = None;
        self.stand_ns = None;
        self.settle_ns = None;
        self.gap_ns = None;
        self.weigh_ns = None;
        self.unjudged = None;
        self.pressed = None;
    }

    /// Withdraws every announced ply after `ply` and goes on from there: what came after it was not
    /// play.
    pub fn cut(&mut self, ply: Ply, at_ns: u64, steps: &mut Vec<Step<V>>) {
        let node = self.announced_node(ply);
        self.remember_rivals();
        self.beam = vec![Explanation::new(node, 0, Via::TakenBack)];
        self.unjudged = None;
        self.announce(node, at_ns, steps);
        self.settle_ns = None;
        self.gap_ns = None;
        self.weigh_ns = None;
        self.remember_from_here();
    }

    /// From now on `position` stands where the last announced ply led, whatever the picture shows: no
    /// ply, and no step.
    pub fn revise(&mut self, position: V::Position) {
        self.remember_rivals();
        let node = self.announced_node(self.plies());
        let node = self.tree.revise(node, position);
        // Whatever was adopted there, this is what somebody says.
        self.tree.node_mut(node).recovered = false;
        self.unjudged = None;
        if let Some(last) = self.announced.last_mut() {
            *last = node;
        }
        self.beam = vec![Explanation::new(node, 0, Via::Same)];
        self.announce_ns = None;
        self.settle_ns = None;
        self.gap_ns = None;
        self.weigh_ns = None;
        self.remember_from_here();
    }

    /// Takes `mv` as made at the time at which it was; false, and nothing changed, if it is no legal
    /// move of the position that the line ends with.
    pub(crate) fn take_as_made_then(
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
