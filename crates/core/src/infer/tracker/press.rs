//! A press as evidence: it settles the move that the picture shows, and tells against an explanation in
//! which the presser has not moved.

use super::hindsight::Fact;
use super::{
    BEAM_MAX, Explanation, HOPELESS, NAT, NOT_PRESSED, PRESS_TOLERANCE_NS, SETTLE_NS, Step, Tracker, Via,
    scan,
};
use crate::infer::difference::Difference;
use crate::infer::image::squares;
use crate::infer::tree::{NodeId, Tree};
use crate::ply::Ply;
use adoube_rules::sensor::{Content, Side};
use adoube_rules::square::Square;
use adoube_rules::stamp::MS;
use adoube_rules::touch::side_of;
use adoube_rules::{Move as _, Position as _, Variant};

/// An explanation that is so much likelier than any that keeps what was pressed withdraws it, once the picture rests:
/// nonsense could lead to every picture.
const BOUND: i32 = 8 * NAT;

/// From a square on its way a piece is not put down, let go of and pressed for within this time: a hand takes longer from
/// board to clock alone.
const TO_THE_CLOCK_NS: u64 = 150 * MS;
const RUSHED: i32 = -4 * NAT;

/// Who pressed, and when.
#[derive(Debug, Clone, Copy)]
pub(super) struct Press {
    side: Side,
    at_ns: u64,
}

impl<V: Variant> Tracker<V> {
    /// `side` pressed the clock: its move, if the picture shows one, is over. A slow board may not have shown it yet.
    pub fn pressed(&mut self, side: Side, at_ns: u64, steps: &mut Vec<Step<V>>) {
        self.note(Fact::Pressed(side), at_ns);
        self.learn(at_ns, steps);
        self.judge_press_now(at_ns, steps);
        let press = Press { side, at_ns };
        match self.scan.slow_ns() {
            Some(slow_ns) => self.unjudged = Some((at_ns + scan::with_delay_ns(slow_ns), press)),
            None => self.judge_press(press, at_ns, steps),
        }
    }

    /// A press that waits for a slow board is judged by what it has shown.
    pub(crate) fn judge_press_now(&mut self, at_ns: u64, steps: &mut Vec<Step<V>>) {
        if let Some((_, press)) = self.unjudged.take() {
            self.judge_press(press, at_ns, steps);
        }
    }

    /// When a press is judged that waits for a slow board.
    pub(crate) fn judges_press_ns(&self) -> Option<u64> {
        self.unjudged.map(|(due_ns, _)| due_ns)
    }

    /// The board has looked at all of its squares since the press.
    pub(super) fn judge_press(&mut self, press: Press, at_ns: u64, steps: &mut Vec<Step<V>>) {
        let side = press.side;
        self.weigh_press(side, press.at_ns);
        if self.castled_against_the_laws(at_ns, steps) {
            return;
        }
        self.pressed = Some((side, at_ns));
        self.explain_without_surplus(Some(side), at_ns, steps);
        // Nobody presses with a piece in the hand: what shows the whole picture is what happened.
        if self.is_explained() || self.prefer_what_is_shown(Some(side)) || self.prefers_reply_in_hand(side) {
            self.settle_by_press(at_ns, steps);
        }
    }

    /// Puts in front what is shown whole but for the opponent's reply in the air. False if there is none, or if what is
    /// missing of the best explanation may have been captured: the next pictures tell.
    fn prefers_reply_in_hand(&mut self, side: Side) -> bool {
        let pressed_ns = self.presses_ns[side.index()][1];
        !self.is_reply_in_hand(self.beam[0].node, side, true)
            && self.prefer(|tracker, explanation| {
                tracker.is_reply_in_hand(explanation.node, side, false)
                    && !tracker.is_rushed(explanation.node, side, pressed_ns)
            })
    }

    /// The last ply of `id` is a move of `side`, shown whole but for pieces that its opponent has already taken up to
    /// reply, and for the one that they capture, if that `is_capture`.
    fn is_reply_in_hand(&self, id: NodeId, side: Side, is_capture: bool) -> bool {
        let position = &self.tree.node(id).position;
        let Difference { missing, wrong } = self.tree.difference(id, &self.image);
        if position.turn() != side.other() || !wrong.is_empty() {
            return false;
        }
        let is_own = |&square: &Square| side_of(position.content(square)) == Some(side);
        let captured: Vec<Square> = missing.iter().filter(is_own).collect();
        let [captured] = captured[..] else { return captured.is_empty() && !is_capture };
        let captures = |mv: V::Move| {
            let is_captured = |change: &(Square, _, Content)| change.0 == captured && !change.2.is_empty();
            mv.departures().into_iter().all(|square| missing.contains(square))
                && position.footprint(mv).changes().iter().any(is_captured)
        };
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        is_capture && moves.into_iter().any(captures)
    }

    /// A press means one ply since the opponent's: an explanation in which `side` has not moved since
    /// then loses weight. (The opponent may have replied already.)
    pub(super) fn weigh_press(&mut self, side: Side, at_ns: u64) {
        let [_, opponents_ns] = self.presses_ns[side.other().index()];
        let since_ns = opponents_ns.saturating_sub(PRESS_TOLERANCE_NS);
        let presses_ns = &mut self.presses_ns[side.index()];
        *presses_ns = [presses_ns[1], at_ns];
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
        let rushed: Vec<bool> =
            self.beam.iter().map(|explanation| self.is_rushed(explanation.node, side, at_ns)).collect();
        for (explanation, is_rushed) in self.beam.iter_mut().zip(rushed) {
            explanation.penalty += if is_rushed { RUSHED } else { 0 };
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
        self.prefer(|tracker, explanation| {
            let node = tracker.tree.node(explanation.node);
            let is_pressed = |mover: Side| {
                let pressed_ns = tracker.presses_ns[mover.index()][1];
                node.position.turn() == mover.other()
                    && !tracker.is_rushed(explanation.node, mover, pressed_ns)
            };
            node.hash == hash && mover.is_none_or(is_pressed)
        })
    }

    /// When `side` last pressed.
    pub(crate) fn pressed_ns(&self, side: Side) -> u64 {
        self.presses_ns[side.index()][1]
    }

    /// Where whoever has the move put down the piece of `from` before he pressed, if that was on an opponent's piece: only
    /// one was exchanged meanwhile.
    pub(crate) fn put_down_before_press(&self, from: Square) -> Option<Square> {
        let node = self.tree.node(self.beam[0].node);
        let lifted_ns = self.handling.lifted_ns(from)?;
        let [_, pressed_ns] = self.presses_ns[node.position.turn().index()];
        let is_exchanged = |&square: &Square| {
            side_of(node.position.content(square)) == Some(node.position.turn().other())
                && !self.image.at(square).is_empty()
                && self.handling.exchanged_ns(square, node.made_ns, lifted_ns).is_some()
                && self.handling.placed_ns(square) <= Some(pressed_ns)
        };
        let mut exchanged = squares::<V>().filter(is_exchanged);
        let square = exchanged.next()?;
        exchanged.next().is_none().then_some(square)
    }

    /// `side` pressed just after its piece had been seen to leave a square on its way, and the capture with which it would
    /// have arrived left no trace: no hand is so fast.
    fn is_rushed(&self, id: NodeId, side: Side, pressed_ns: u64) -> bool {
        let node = self.tree.node(id);
        let Some(parent) = node.parent else { return false };
        let before = self.tree.node(parent);
        let lifted_ns = self.mover_lifted_ns(id);
        if node.position.turn() != side.other()
            || self.scan.slow_ns().is_some()
            || !self.is_traceless(id, before.made_ns)
        {
            return false;
        }
        squares::<V>().any(|square| {
            let is_passing =
                before.position.content(square).is_empty() && node.position.content(square).is_empty();
            let left_ns =
                self.handling.lifted_ns(square).filter(|_| is_passing && self.image.at(square).is_empty());
            left_ns.is_some_and(|left_ns| {
                Some(left_ns) > lifted_ns && left_ns <= pressed_ns && pressed_ns - left_ns < TO_THE_CLOCK_NS
            })
        })
    }

    /// A press binds: while an explanation that keeps every pressed ply tells the picture no worse, it goes before a
    /// likelier one that does not. True if none does.
    pub(super) fn withdraws_pressed(&mut self, at_ns: u64) -> bool {
        if self.keeps_pressed(self.beam[0].node) || self.keeps_what_was_moved_on(at_ns) {
            return false;
        }
        let hash = self.image.hash();
        let is_whole = |tracker: &Self, other: &Explanation| tracker.tree.node(other.node).hash == hash;
        let (is_best_whole, least) = (is_whole(self, &self.beam[0]), self.weight(&self.beam[0]) - BOUND);
        !self.prefer(|tracker, other| {
            tracker.keeps_pressed(other.node)
                && tracker.weight(other) >= least
                && (is_whole(tracker, other) || (!is_best_whole && other.holds()))
        })
    }

    /// The piece of the ply that was pressed last went on after its player had pressed, and nobody has replied: that is no
    /// move any more (6.2.1). Or what the Laws or a ruling have made would be another move. Puts the line as it
    /// was announced in front; false if it is not so.
    fn keeps_what_was_moved_on(&mut self, at_ns: u64) -> bool {
        let best = self.beam[0].node;
        let is_fixed = self.announced_at(self.fixed).is_some_and(|fixed| !self.tree.leads_to(fixed, best));
        let announced = self.announced_node(self.plies());
        if !is_fixed && (self.plies() != self.bound || !self.is_moved_on(announced)) {
            return false;
        }
        let known = self.beam.iter().position(|explanation| explanation.node == announced);
        let mut as_announced = known
            .map_or_else(|| Explanation::new(announced, 0, Via::TakenBack), |index| self.beam.remove(index));
        self.compare(&mut as_announced, at_ns);
        self.beam.truncate(BEAM_MAX - 1);
        self.beam.insert(0, as_announced);
        self.announce_ns = None;
        true
    }

    /// What the picture shows instead of `pressed` is another move of the same piece, and came after the press. (What is
    /// taken back is not played.)
    fn is_moved_on(&self, pressed: NodeId) -> bool {
        let (best, node) = (self.tree.node(self.beam[0].node), self.tree.node(pressed));
        let is_other = best.parent == node.parent
            && best.mv.map(|mv| mv.departures()) == node.mv.map(|mv| mv.departures());
        let mover = node.position.turn().other();
        let [pressed_ns, replied_ns] = [mover, mover.other()].map(|side| self.presses_ns[side.index()][1]);
        let hand_ns = PRESS_TOLERANCE_NS + self.scan.slow_ns().map_or(0, scan::with_delay_ns);
        is_other && replied_ns <= pressed_ns && self.changed_ns > pressed_ns + hand_ns
    }

    /// `plies` plies after `base`, instead of what was pressed after it, would leave a press without a move: nobody presses
    /// for nothing so that a picture comes out.
    pub(super) fn wastes_presses(&self, base: NodeId, plies: u32) -> bool {
        let node = self.tree.node(base);
        let pressed = self.bound.number().saturating_sub(node.ply.number());
        // Whoever has the move then may have pressed since.
        let turn =
            if pressed.is_multiple_of(2) { node.position.turn() } else { node.position.turn().other() };
        let [own_ns, others_ns] = [turn, turn.other()].map(|side| self.presses_ns[side.index()][1]);
        pressed > 0 && pressed + u32::from(own_ns > others_ns) > plies
    }

    pub(super) fn keeps_pressed(&self, node: NodeId) -> bool {
        self.announced_at(self.bound).is_none_or(|bound| self.tree.leads_to(bound, node))
    }

    /// Puts the first of the explanations that are meant in front, one that keeps what was pressed if it is not
    /// much less likely. False if none is meant.
    fn prefer(&mut self, is_meant: impl Fn(&Self, &Explanation) -> bool) -> bool {
        let mut meant = (0..self.beam.len()).filter(|&index| is_meant(self, &self.beam[index]));
        let Some(first) = meant.next() else { return false };
        let least = self.weight(&self.beam[first]) - BOUND;
        let keeps = |&index: &usize| {
            self.keeps_pressed(self.beam[index].node) && self.weight(&self.beam[index]) >= least
        };
        let chosen = std::iter::once(first).chain(meant).find(keeps).unwrap_or(first);
        self.beam[..=chosen].rotate_right(1);
        true
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
        // What was pressed before is withdrawn by nothing that goes by.
        let is_at_rest = at_ns >= self.changed_ns + SETTLE_NS;
        // Nobody presses with the man in his hand: if he is missing, his sensor has lost him.
        let is_told = best.via != Via::TakenBack && best.holds();
        if has_moved && is_told && (is_at_rest || self.keeps_pressed(best.node)) {
            self.pressed = None;
            self.announce(best.node, at_ns, steps);
            self.stand(steps);
            self.bound = self.plies();
        }
    }

    /// Ply `ply`, which stands, was pressed: what is told again as it was pressed binds again.
    pub(crate) fn was_pressed(&mut self, ply: Ply, at_ns: u64) {
        self.note(Fact::Stands(ply), at_ns);
        self.bound = self.bound.max(ply.min(self.plies()));
    }

    /// What was pressed after `ply` binds no more: the other board of the game shows something else.
    pub(crate) fn binds_up_to(&mut self, ply: Ply) {
        self.bound = self.bound.min(ply);
    }

    /// Every announced ply up to `ply` stands: it was pressed.
    pub(crate) fn stands_up_to(&mut self, ply: Ply, at_ns: u64, steps: &mut Vec<Step<V>>) {
        self.was_pressed(ply, at_ns);
        if self.standing < ply && ply <= self.plies() {
            self.standing = ply;
            if ply == self.plies() {
                self.stand_ns = None;
            }
            steps.push(Step::Stands { ply });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::infer::tracker::Parameters;
    use crate::infer::{Made, View};
    use adoube_rules::stamp::SECOND;
    use adoube_rules::{Chess, ChessPosition};

    /// A capture was made and pressed after a second, and another one, which the sensors do not tell from it, is `nats`
    /// likelier all of a sudden.
    fn pressed_and_unlikely(nats: i32) -> Tracker<Chess> {
        let start = ChessPosition::from_fen("4k3/8/8/3q4/8/8/P5P1/4K3 b - - 0 1", false).unwrap();
        let mut tracker: Tracker<Chess> = Tracker::new(View::Occupancy, start, Parameters::default(), 0);
        let (kept, other) = (tracker.after("d5a2"), tracker.after("d5g2"));
        let shown = tracker.tree.node(kept).shown.clone();
        let mut steps = Vec::new();
        tracker.beam = vec![Explanation::new(kept, 0, Via::Same)];
        tracker.announce(kept, SECOND, &mut steps);
        tracker.stands_up_to(Ply::new(1), SECOND, &mut steps);
        tracker.image = crate::infer::image::Image::of(shown);
        tracker.changed_ns = SECOND;
        tracker.beam.insert(0, Explanation::new(other, nats * NAT, Via::Same));
        tracker
    }

    /// What is withdrawn and made then: at once, and a second later.
    fn said(nats: i32) -> [Vec<String>; 2] {
        let mut tracker = pressed_and_unlikely(nats);
        let said = |at_ns: u64, tracker: &mut Tracker<Chess>| {
            let mut steps = Vec::new();
            tracker.decide(at_ns, &mut steps);
            tracker.advance(at_ns, &mut steps);
            let told = |step: Step<Chess>| match step {
                Step::Retracted(retracted) => Some(format!("-{}", retracted.played.uci())),
                Step::Made(Made { played, .. }) => Some(played.uci()),
                _ => None,
            };
            steps.into_iter().filter_map(told).collect::<Vec<String>>()
        };
        [said(SECOND, &mut tracker), said(2 * SECOND, &mut tracker)]
    }

    #[test]
    fn what_was_pressed_stays_while_it_tells_the_picture_as_well() {
        assert_eq!(said(7), [Vec::<String>::new(), Vec::new()]);
        assert_eq!(said(9), [Vec::new(), vec!["-d5a2".to_owned(), "d5g2".to_owned()]]);
    }

    #[test]
    fn a_line_that_was_to_be_announced_before_the_press_withdraws_nothing_that_goes_by() {
        let (mut tracker, mut steps) = (pressed_and_unlikely(20), Vec::new());
        tracker.announce_ns = Some(SECOND + 100 * MS);
        tracker.advance(SECOND + 250 * MS, &mut steps);
        assert!(steps.is_empty(), "the picture does not rest yet");
        tracker.advance(2 * SECOND, &mut steps);
        assert!(matches!(steps[..], [Step::Retracted(_), Step::Made(_), ..]));
    }

    #[test]
    fn a_queen_that_was_in_the_air_just_before_the_press_has_captured_nothing_unseen() {
        const FEN: &str = "r1bk2nr/p2p1pNp/n2B4/1p1NP2P/6P1/3P1Q2/P1P1K3/q5b1 w - - 1 22";
        let start = ChessPosition::from_fen(FEN, false).unwrap();
        let square = |name: &str| adoube_rules::square_from_name(name).unwrap();
        let told = |pressed_ms: u64| {
            let mut tracker: Tracker<Chess> =
                Tracker::new(View::Occupancy, start.clone(), Parameters::default(), 0);
            let mut steps = Vec::new();
            // The queen is dragged to f6, and Black takes her off before the knight is lifted.
            let hands = [
                (1_100, "-f3"),
                (1_450, "+f6"),
                (1_650, "-f6"),
                (pressed_ms, ""),
                (2_950, "-g8"),
                (3_350, "+f6"),
            ];
            for (at_ms, change) in hands {
                let at_ns = at_ms * MS;
                tracker.advance(at_ns, &mut steps);
                match change.split_at_checked(1) {
                    Some((sign, name)) => {
                        let content = if sign == "+" { Content::OCCUPIED } else { Content::EMPTY };
                        tracker.changed(&[(square(name), content)], at_ns, &mut steps);
                    }
                    None => tracker.pressed(Side::White, at_ns, &mut steps),
                }
            }
            tracker.advance(8 * SECOND, &mut steps);
            let plies = tracker.plies().all();
            plies.filter_map(|ply| Some(tracker.played(ply)?.uci())).collect::<Vec<String>>()
        };
        assert_eq!(told(1_700), ["f3f6", "g8f6"]);
        // A second later there was time to take on f7.
        assert_eq!(told(2_700)[0], "f3f7");
    }
}
