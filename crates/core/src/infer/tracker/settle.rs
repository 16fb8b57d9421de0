//! A picture that has come to rest and follows by no single step: replies that overlapped, several
//! plies taken back, plies that nobody saw.

use super::hindsight::Fact;
use super::recover::Found;
use super::ways::SEEN_PLIES_MAX;
use super::weigh::UNUSUAL_PROMOTION;
use super::{
    BACK_MAX, BEAM_MAX, BUDGET, Explanation, GAP_PLIES_MAX, NAT, PATHS_MAX, PRESS_TOLERANCE_NS,
    SETTLED_GAP_PLIES_MAX, Step, TAKE_BACK_TO_START_MAX, TAKEN_BACK, Tracker, Via,
};
use crate::infer::difference::Difference;
use crate::infer::image::View;
use crate::infer::search::Goal;
use crate::infer::squares;
use crate::infer::tree::{NodeId, ROOT};
use adoube_rules::departure::Departure;
use adoube_rules::sensor::{Content, Role};
use adoube_rules::square::Square;
use adoube_rules::stamp::MS;
use adoube_rules::{Move as _, Position as _, Rest, Variant};

/// Castling changes four squares; a move of one piece and a square that lies are seen as three at most.
const SEEN_IN_CASTLING: u32 = 4;
/// In Chess960 one of the two may go to where the other has stood.
const SEEN_IN_CASTLING_960: u32 = 3;

/// What is this close together may have been seen in the order of a scan, not of the hands (dgt-protocol.md, section 4).
const SCAN_NS: u64 = 250 * MS;

/// Each ply made out of sight: a gap that hides some plies may well hide one more.
const OUT_OF_SIGHT: i32 = -NAT / 2;

impl<V: Variant> Tracker<V> {
    /// The picture has come to rest and no explanation follows by one step.
    pub(super) fn settled(&mut self, at_ns: u64, steps: &mut Vec<Step<V>>) {
        if self.blind && self.is_again() {
            return;
        }
        if self.blind && self.awaits_clock(at_ns) {
            return;
        }
        if self.blind {
            // Plies went on while nobody looked; taken back are they where they are seen.
            if !self.recover(SETTLED_GAP_PLIES_MAX, at_ns, steps) {
                self.explain_by_ancestors(at_ns, steps);
            }
            return;
        }
        if self.king_goes_on_to_castle() || self.castled_against_the_laws(at_ns, steps) {
            return;
        }
        // A hand that hovers; one that does so for long is looked at when the gap is due.
        if self.is_lifted_only() || self.explain_without_surplus(None, at_ns, steps) {
            return;
        }
        // Shortly after a gap, plies that were others than supposed are likelier than many taken back.
        let since = self.before_last_gap();
        let is_found = self.explain_by_reply(at_ns, steps) || self.explain_back_to(since, at_ns, steps);
        if !is_found && !self.search(2, at_ns, steps) && !self.began_otherwise(steps) {
            self.explain_by_unread(at_ns, steps);
        }
    }

    /// The king was dragged and paused on the square in between: that was no move of its own. The rook is still to come.
    fn king_goes_on_to_castle(&mut self) -> bool {
        let best = self.beam[0].node;
        let before = self.tree.node(best).parent.filter(|_| !self.announced.contains(&best));
        let Some(before) = before.filter(|&before| self.is_half_castled_from(before)) else { return false };
        self.beam.retain(|explanation| explanation.node != before);
        self.beam.truncate(BEAM_MAX - 1);
        self.beam.insert(0, Explanation::new(before, 0, Via::Same));
        self.announce_ns = None;
        true
    }

    /// King and rook were seen to go as castling has it, and that was no legal move: no move of one of them, with the other
    /// one astray, and none that was played before, is what happened. A move of the rook alone that was announced meanwhile,
    /// and not pressed, is withdrawn.
    pub(crate) fn castled_against_the_laws(&mut self, at_ns: u64, steps: &mut Vec<Step<V>>) -> bool {
        let last = self.announced_node(self.plies());
        let before = self.tree.node(last).parent.filter(|_| self.plies() > self.bound);
        let mut bases = [Some(last), before].into_iter().flatten();
        let Some(base) = bases.find(|&base| self.shows_illegal_castling(base)) else { return false };
        if self.beam.len() > 1 || self.beam[0].node != base {
            self.return_to(base, at_ns, steps);
        }
        true
    }

    /// Goes back to what was announced: nothing that was supposed to have followed did.
    pub(crate) fn return_to_announced(&mut self, at_ns: u64, steps: &mut Vec<Step<V>>) {
        self.return_to(self.announced_node(self.plies()), at_ns, steps);
    }

    fn return_to(&mut self, base: NodeId, at_ns: u64, steps: &mut Vec<Step<V>>) {
        let mut as_before = Explanation::new(base, 0, Via::TakenBack);
        self.compare(&mut as_before, at_ns);
        self.beam = vec![as_before];
        (self.announce_ns, self.weigh_ns) = (None, None);
        self.announce(base, at_ns, steps);
    }

    fn shows_illegal_castling(&self, base: NodeId) -> bool {
        if self.castled_by_hand(base).is_some() {
            return true;
        }
        let node = self.tree.node(base);
        let difference = self.tree.difference(base, &self.image).squares();
        let is_seen = |square: Square| {
            self.handling.lifted_ns(square).max(self.handling.placed_ns(square)) > Some(node.made_ns)
        };
        if self.is_explained() || !difference.iter().all(is_seen) {
            return false;
        }
        let departure = node.position.departure(self.image.contents(), self.sight.view == View::Identity);
        match departure {
            Departure::Illegal { to, .. } if departure.is_of_castling() => {
                // A square that one of the two took over from the other need not differ.
                let seen = difference.count() + u32::from(!difference.contains(to) && is_seen(to));
                let in_any_order = node.position.castles_in_any_order();
                seen >= if in_any_order { SEEN_IN_CASTLING_960 } else { SEEN_IN_CASTLING }
            }
            _ => false,
        }
    }

    /// An illegal castling by the order of the hands alone: the king went to an empty square before the rook left its own,
    /// and the rook then took the king's. In Chess960 that looks like a move of the rook where squares are only felt.
    fn castled_by_hand(&self, base: NodeId) -> Option<Departure<V::Move>> {
        let node = self.tree.node(base);
        let position = &node.position;
        if self.sight.view == View::Identity || !position.castles_in_any_order() {
            return None;
        }
        let is_own =
            |square: &Square, role| position.content(*square).seat_role() == Some((position.army(), role));
        let Difference { missing, wrong } = self.tree.difference(base, &self.image);
        let rook = missing.iter().find(|rook| missing.count() == 1 && is_own(rook, Role::Rook))?;
        let to = wrong.iter().find(|_| wrong.count() == 1)?;
        let king = squares::<V>().find(|square| is_own(square, Role::King))?;
        let hands = [
            Some(node.made_ns),
            self.handling.lifted_ns(king),
            self.handling.placed_ns(to),
            self.handling.lifted_ns(rook).map(|lifted_ns| lifted_ns.saturating_sub(SCAN_NS)),
            self.handling.placed_ns(king).map(|placed_ns| placed_ns.saturating_sub(SCAN_NS)),
        ];
        if hands.contains(&None) || !hands.is_sorted_by(|before, after| before < after) {
            return None;
        }
        let mut contents: Vec<Content> = squares::<V>().map(|square| position.content(square)).collect();
        contents[to] = contents[king];
        contents[king] = std::mem::replace(&mut contents[rook], Content::EMPTY);
        Some(position.departure(&contents, true)).filter(Departure::is_of_castling)
    }

    /// The same, from the best explanation.
    pub(crate) fn castled_by_hand_now(&self) -> Option<Departure<V::Move>> {
        self.castled_by_hand(self.beam[0].node)
    }

    /// A move and its reply whose pieces were in the air together, lifted in the order of play.
    pub(super) fn explain_by_reply(&mut self, at_ns: u64, steps: &mut Vec<Step<V>>) -> bool {
        if self.is_in_hand() {
            return false;
        }
        let best = self.beam[0];
        let mut found = self.paths(best.node, 2, &mut { BUDGET });
        found.retain(|path| self.is_in_order(best.node, path));
        let found: Vec<_> = found
            .into_iter()
            .map(|moves| Found { base: best.node, penalty: best.penalty, moves, count: 1 })
            .collect();
        if found.is_empty() {
            return false;
        }
        self.adopt_paths(&found, at_ns, steps);
        true
    }

    pub(super) fn is_in_order(&mut self, base: NodeId, path: &[V::Move]) -> bool {
        let Some(first) = path.first().and_then(|&mv| self.tree.descend(base, mv)) else { return false };
        let Some(second) = path.get(1).and_then(|&mv| self.tree.descend(first, mv)) else { return false };
        self.disorder(first, second) == 0
    }

    /// Several plies taken back at once, or one move instead of what was taken for several.
    pub(super) fn explain_by_ancestors(&mut self, at_ns: u64, steps: &mut Vec<Step<V>>) -> bool {
        self.explain_back_to(None, at_ns, steps)
    }

    /// The same, looking back no further than to `since`.
    fn explain_back_to(&mut self, since: Option<NodeId>, at_ns: u64, steps: &mut Vec<Step<V>>) -> bool {
        let hash = self.image.hash();
        let best = self.beam[0];
        let mut ancestors: Vec<NodeId> = self.tree.upwards(best.node).collect();
        if let Some(plies) = ancestors.iter().position(|&id| Some(id) == since) {
            ancestors.truncate(plies + 1);
        }
        let mut found = Vec::new();
        for (plies, &node) in ancestors.iter().enumerate().skip(2) {
            let cost = i32::try_from(plies).unwrap_or(i32::MAX / NAT).saturating_mul(TAKEN_BACK);
            let penalty = best.penalty.saturating_add(cost);
            // The start array out of the middle of a game is the next game being set up, not play.
            let is_set_up = node == ROOT && plies > TAKE_BACK_TO_START_MAX;
            if self.tree.node(node).hash == hash && !is_set_up {
                found.push(Explanation::new(node, penalty, Via::TakenBack));
            }
            if plies <= BACK_MAX && !self.wastes_presses(node, 1) && !self.is_known_after(node) {
                let mut nodes = Vec::new();
                self.tree.children_showing(node, hash, &mut nodes);
                let instead = nodes.into_iter().filter(|instead| !ancestors.contains(instead));
                found.extend(instead.map(|node| Explanation::new(node, penalty, Via::Instead)));
            }
            if !found.is_empty() {
                self.adopt(&mut found, at_ns);
                self.decide(at_ns, steps);
                return true;
            }
        }
        false
    }

    /// A picture that has stayed for longer than a hand hovers.
    pub(super) fn stayed(&mut self, at_ns: u64, steps: &mut Vec<Step<V>>) {
        // However long the king waits for its rook, nothing lies.
        if self.is_half_castled()
            || self.king_goes_on_to_castle()
            || self.castled_against_the_laws(at_ns, steps)
        {
            return;
        }
        if self.began_otherwise(steps)
            || self.explain_without_surplus(None, at_ns, steps)
            || self.explain_by_unread(at_ns, steps)
        {
            return;
        }
        if self.is_again() {
            self.unexplained += u32::from(!self.is_lifted_only());
            return;
        }
        if self.is_gone_for_good() && !self.health.is_masked && self.look_back(&[], false, at_ns, steps) {
            return;
        }
        // Where nobody saw anything the handling tells nothing; elsewhere it tells most.
        let is_unseen = self.is_unseen();
        let is_found = (is_unseen && self.recover(u32::MAX, at_ns, steps))
            || self.search(GAP_PLIES_MAX, at_ns, steps)
            || (!is_unseen && self.recover(u32::MAX, at_ns, steps));
        if !is_found && (self.blind || self.before_last_gap().is_some()) {
            self.explain_by_ancestors(at_ns, steps);
        }
    }

    /// Searches for a way to the picture of at most `plies_max` plies, from the best explanations
    /// and from shortly before them, shortest first.
    pub(super) fn search(&mut self, plies_max: u32, at_ns: u64, steps: &mut Vec<Step<V>>) -> bool {
        // What happened out of sight is looked for when the board rests and the clock has spoken.
        if self.blind || self.is_in_hand() {
            return false;
        }
        let mut budget = BUDGET;
        let bases = self.bases();
        for cost in 2..=plies_max + 2 {
            let mut found = Vec::new();
            for &(base, back, penalty) in &bases {
                let plies = cost.saturating_sub(back);
                let is_too_long = plies == 0 || plies > plies_max || (plies < 2 && back == 0);
                if is_too_long || self.wastes_presses(base, plies) {
                    continue;
                }
                let mut paths = self.paths(base, plies, &mut budget);
                paths.retain(|moves| moves.len() <= SEEN_PLIES_MAX || self.may_be_unseen(base, moves));
                found.extend(paths.into_iter().map(|moves| Found { base, penalty, moves, count: 1 }));
            }
            if !found.is_empty() {
                self.adopt_paths(&found, at_ns, steps);
                return true;
            }
        }
        false
    }

    /// The ways of exactly `plies` plies from `base` to the picture.
    pub(super) fn paths(&self, base: NodeId, plies: u32, budget: &mut u32) -> Vec<Vec<V::Move>> {
        let node = self.tree.node(base);
        let seen = (!self.blind).then(|| self.handling.changed_since(node.made_ns));
        let goal = Goal {
            sight: self.sight,
            contents: self.image.contents(),
            hash: self.image.hash(),
            seen: seen.as_deref(),
            paths_max: PATHS_MAX,
        };
        goal.paths::<V>(&node.position, node.hash, plies, budget)
    }

    /// The picture is what the best explanation shows, less men that were lifted since.
    pub(super) fn is_lifted_only(&self) -> bool {
        self.tree.difference(self.beam[0].node, &self.image).wrong.is_empty()
    }

    /// A man of the best explanation has been missing since before its last ply was begun: nobody moves with another
    /// man in the hand.
    fn is_gone_for_good(&self) -> bool {
        let best = self.tree.node(self.beam[0].node);
        let missing = self.tree.difference(self.beam[0].node, &self.image).missing;
        let mut lifted_ns = missing.iter().filter_map(|square| self.handling.lifted_ns(square));
        lifted_ns.any(|lifted_ns| lifted_ns < best.first_lift_ns)
    }

    /// Men of the best explanation are missing and none has arrived anywhere: they are in a hand.
    pub(super) fn is_in_hand(&self) -> bool {
        self.is_shown_less_men_in_hand(self.beam[0].node)
    }

    /// The picture is what `id` shows, except that men are missing. Two captures on one square look
    /// like that too: both captors are missing from where they stood, and the square was left and
    /// filled again, if only by a man of the same kind. One man missing is in a hand, whatever was
    /// adjusted before.
    pub(super) fn is_shown_less_men_in_hand(&self, id: NodeId) -> bool {
        let node = self.tree.node(id);
        let mut missing = 0;
        let mut is_exchanged = false;
        for (square, &shown) in Square::all().zip(self.image.contents()) {
            let expected = self.sight.see(square, node.position.content(square));
            if shown == expected {
                is_exchanged |=
                    !shown.is_empty() && self.handling.exchanged_ns(square, node.made_ns, 0).is_some();
            } else if shown.is_empty() {
                missing += 1;
            } else {
                return false;
            }
        }
        missing < 2 || !is_exchanged
    }

    /// Where a search starts from: each explanation, and up to two plies before the best one.
    pub(super) fn bases(&self) -> Vec<(NodeId, u32, i32)> {
        let mut bases: Vec<(NodeId, u32, i32)> =
            self.beam.iter().take(8).map(|explanation| (explanation.node, 0, explanation.penalty)).collect();
        let best = self.beam[0];
        for (back, id) in (1..=2).zip(self.tree.upwards(best.node).skip(1)) {
            if bases.iter().all(|base| base.0 != id) && !self.is_known_after(id) {
                bases.push((id, back, best.penalty + TAKEN_BACK * i32::try_from(back).unwrap_or(2)));
            }
        }
        bases
    }

    /// What followed on `id` was on a board that names its pieces when it was pressed: it was that, unless nobody saw how
    /// it came about, or it was half a castling.
    fn is_known_after(&self, id: NodeId) -> bool {
        let is_pressed = self.sight.view == View::Identity && self.tree.node(id).ply < self.bound;
        is_pressed && !self.blind && self.before_last_gap().is_none() && !self.is_half_castling_after(id)
    }

    /// What looks illegal is a king that came over a rook that was taken to have moved alone, its opponent having replied
    /// in between or not.
    pub(crate) fn castled_after_all(&mut self, at_ns: u64, steps: &mut Vec<Step<V>>) -> bool {
        let before: Vec<NodeId> = self.tree.upwards(self.beam[0].node).skip(1).take(2).collect();
        if self.is_explained() || !before.into_iter().any(|id| self.is_half_castling_after(id)) {
            return false;
        }
        self.note(Fact::Illegal, at_ns);
        self.search(2, at_ns, steps) && self.prefer_what_is_shown(None)
    }

    /// A rook went where castling takes it, and its king was taken up before that was pressed and answered.
    fn is_half_castling_after(&self, id: NodeId) -> bool {
        let line = self.tree.path(self.beam[0].node);
        let Some(index) = line.iter().position(|&next| self.tree.node(next).parent == Some(id)) else {
            return false;
        };
        let (before, node) = (&self.tree.node(id).position, self.tree.node(line[index]));
        let answered_ns = line.get(index + 1).map_or(u64::MAX, |&reply| self.tree.node(reply).made_ns);
        // The first press after it was that of this move.
        let mut presses = self.presses_ns[before.turn().index()].into_iter();
        let pressed_ns = presses.find(|&pressed_ns| pressed_ns >= node.made_ns);
        let over_ns = pressed_ns.map_or(answered_ns, |at_ns| answered_ns.min(at_ns + PRESS_TOLERANCE_NS));
        let own_king = Some((before.army(), Role::King));
        let mut kings = Square::all().filter(|&square| before.content(square).seat_role() == own_king);
        let is_taken_up = |king: Square| {
            let lifted_ns = self.handling.lifted_ns(king);
            lifted_ns > self.handling.placed_ns(king) && lifted_ns.is_some_and(|at_ns| at_ns <= over_ns)
        };
        node.mv.is_some_and(|mv| before.rest(mv) == Rest::Castling) && kings.any(is_taken_up)
    }

    /// How likely a move is that nobody saw, among those that the sensor cannot tell apart.
    pub(super) fn unseen_weight(&self, before: &V::Position, mv: V::Move) -> i32 {
        let by_sensor = match self.sight.view {
            View::Identity => 0,
            View::Occupancy if mv.is_unusual_promotion() => UNUSUAL_PROMOTION,
            View::Occupancy => before.prior(mv),
        };
        OUT_OF_SIGHT + by_sensor
    }
}
