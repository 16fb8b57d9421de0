//! After a gap: plies that nobody saw, as many as can be found in bounded time.

use super::hindsight::Fact;
use super::order::PRESS_NS;
use super::weigh::UNSEEN;
use super::{Explanation, FRAME_OF_PLIES, SETTLE_NS, SETTLED_GAP_PLIES_MAX, Step, TAKEN_BACK, Tracker};
use crate::infer::difference::Difference;
use crate::infer::image::View;
use crate::infer::search::{Goal, Way};
use crate::infer::tree::NodeId;
use crate::ply::Ply;
use adoube_rules::sensor::{Content, Side};
use adoube_rules::square::{Square, Squares};
use adoube_rules::stamp::MS;
use adoube_rules::{Move as _, Position as _, Variant};

/// Positions looked at in one go: some 80 ms of one core at most, 4 ms on average where six plies are
/// missing. A second try may look at twice as many.
const BUDGET: u32 = 150_000;
/// Tries for one picture; a third one would hardly reach a ply further.
const TRIES_MAX: u32 = 2;
/// From one try to the next.
const AGAIN_NS: u64 = 500 * MS;
/// Of more plies nobody knows the order, and mostly not the moves: what stands is the position (DESIGN 2.4).
const PLIES_MAX: u32 = 6;
/// So many plies or more are not believed against the lever: a few may be, where somebody forgot to press.
const DOUBTFUL_PLIES: u32 = 5;
/// Plies after which what was supplied for a gap is doubted no more.
const DOUBTED_PLIES: usize = 8;
/// The clock answers within this time after the link is back, whichever of it and the board comes first.
const CLOCK_NS: u64 = 1_000 * MS;
/// Men that arrive in one frame: castling brings two, and no two hands put down more within a scan.
const ARRIVALS_BY_HAND: usize = 2;

/// What is known of a gap that is not explained yet.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Recovery {
    /// How often this picture was searched for.
    tries: u32,
    /// No shorter way leads to this picture.
    plies: u32,
    /// More squares changed at once than hands change within a scan, though the link is there.
    is_leap: bool,
    /// When the picture was there that nobody saw come about: what arrived later was seen.
    pub(super) picture_ns: Option<u64>,
    /// Whose turn it is by the lever.
    pub(super) lever: Option<Side>,
    /// When the time of each side was last known to run, by [`Side::index`]; `None`: it has not in this game, or there is no
    /// clock.
    ran_ns: Option<[u64; 2]>,
    /// When the link was lost.
    pub(super) lost_ns: u64,
    /// Plies announced then.
    pub(super) lost_ply: Option<Ply>,
    /// There is a clock, and since the link was lost it has not said whose time ran.
    awaits_clock: bool,
}

impl Recovery {
    /// The link is lost after `ply` plies; what came before it is not explained yet if `is_blind`.
    pub(super) fn lost(&self, ply: Ply, is_blind: bool, lost_ns: u64) -> Self {
        let awaits_clock = self.awaits_clock || self.lever.is_some();
        let lost_ns = if is_blind { self.lost_ns } else { lost_ns };
        Self { lost_ply: Some(ply), lost_ns, awaits_clock, ran_ns: self.ran_ns, ..Self::default() }
    }

    /// Whose time ran is known from `other`.
    pub(super) fn keep_times(&mut self, other: &Self) {
        self.ran_ns = other.ran_ns;
    }

    /// The board shows again what stands.
    pub(super) fn shows_again(&mut self, at_ns: u64) {
        self.picture_ns.get_or_insert(at_ns);
    }

    /// The picture is another one.
    pub(super) fn begin_again(&mut self) {
        *self = Self { tries: 0, plies: 0, is_leap: false, ..*self };
    }
}

/// Where a search starts from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Base {
    pub(super) node: NodeId,
    /// Plies taken back to get there.
    pub(super) back: u32,
    penalty: i32,
}

/// Plies that lead to the picture.
#[derive(Debug)]
pub(super) struct Found<V: Variant> {
    pub(super) base: NodeId,
    pub(super) penalty: i32,
    pub(super) moves: Vec<V::Move>,
    /// How many orders lead to the same position.
    pub(super) count: u32,
}

impl<V: Variant> Tracker<V> {
    /// Whose turn it is by the lever of the clock.
    pub fn lever(&mut self, side: Option<Side>, at_ns: u64) {
        if self.recovery.lever != side {
            self.note(Fact::Lever(side), at_ns);
        }
        self.recovery.lever = side;
        if std::mem::take(&mut self.recovery.awaits_clock) && self.settle_ns.is_some() {
            self.settle_ns = Some(at_ns + SETTLE_NS);
        }
    }

    /// The times of these sides ran until now.
    pub fn ran(&mut self, sides: [bool; 2], at_ns: u64) {
        if sides.contains(&true) {
            let ran_ns = self.recovery.ran_ns.get_or_insert_default();
            ran_ns.iter_mut().zip(sides).filter(|known| known.1).for_each(|known| *known.0 = at_ns);
        }
    }

    /// Nothing is known of times any more.
    pub fn clock_is_gone(&mut self) {
        self.recovery.ran_ns = None;
    }

    /// Somebody's time has run in this game.
    pub(crate) fn has_clock(&self) -> bool {
        self.recovery.ran_ns.is_some()
    }

    /// May nobody have seen `moves`, from `base` on? They go somewhere, and each side had the time for its own.
    pub(super) fn may_be_unseen(&mut self, base: NodeId, moves: &[V::Move]) -> bool {
        let (before, unseen) = self.unseen(base, moves);
        !self.is_mostly_there_and_back(before, unseen) && self.is_clocked(before, unseen.len())
    }

    /// Each side that would have made one of `plies` without being seen, after ply `before`, had the time for it: its clock
    /// has run since then, and since it was last pressed if the link was there.
    fn is_clocked(&self, before: NodeId, plies: usize) -> bool {
        let Some(ran_ns) = self.recovery.ran_ns else { return true };
        let node = self.tree.node(before);
        let turn = node.position.turn();
        let pressed_ns = |side: Side| self.presses_ns[side.index()][1];
        let is_lost = self.recovery.lost_ns > node.made_ns;
        let since_ns = |side| if is_lost { node.made_ns } else { node.made_ns.max(pressed_ns(side)) };
        [turn, turn.other()].into_iter().take(plies).all(|side| ran_ns[side.index()] > since_ns(side))
    }

    /// The last of `moves`, from `base` on, that is known already, and those after it.
    fn unseen<'a>(&mut self, base: NodeId, moves: &'a [V::Move]) -> (NodeId, &'a [V::Move]) {
        let (mut before, mut unseen) = (base, moves);
        while let [mv, rest @ ..] = unseen {
            let Some(next) = self.tree.descend(before, *mv).filter(|&next| self.is_alive(next)) else {
                break;
            };
            (before, unseen) = (next, rest);
        }
        (before, unseen)
    }

    /// What nobody saw is searched for when the clock has spoken: puts it off once, if it has not.
    pub(super) fn awaits_clock(&mut self, at_ns: u64) -> bool {
        let awaits_clock = std::mem::take(&mut self.recovery.awaits_clock);
        if awaits_clock {
            self.settle_ns = Some(at_ns + CLOCK_NS);
        }
        awaits_clock
    }

    /// Squares changed, all of them at once: are these frames that were lost, and plies with them?
    pub(super) fn note_leap(&mut self, changes: &[(Square, Content)]) {
        let arrivals = changes.iter().filter(|(_, content)| !content.is_empty()).count();
        self.recovery.is_leap = arrivals > 0 && changes.len() >= FRAME_OF_PLIES;
        if self.recovery.is_leap {
            self.recovery.picture_ns = Some(self.changed_ns);
        }
        self.blind |= arrivals > ARRIVALS_BY_HAND;
    }

    /// Searches for a way of at most `plies_max` plies to a picture that came about out of sight,
    /// shortest first. What the same plies in another order, or one ply more, make of it is kept
    /// as well: the next move tells whose turn it was.
    pub(super) fn recover(&mut self, plies_max: u32, at_ns: u64, steps: &mut Vec<Step<V>>) -> bool {
        if self.recovery.tries >= TRIES_MAX || self.is_explained() {
            return false;
        }
        let plies_max = match self.missing_alone() {
            None => plies_max,
            // A capture that was begun lacks both men, and no plies are needed for that.
            Some(missing) if self.is_lifted_in_sight(missing) && self.is_in_hand() => return false,
            // Nobody holds two men for long: they were exchanged.
            Some(missing) if missing.count() > 1 => plies_max,
            // A long way could always be found on which the man in the hand is captured.
            Some(_) if plies_max > SETTLED_GAP_PLIES_MAX => SETTLED_GAP_PLIES_MAX,
            Some(_) => return false,
        };
        let mut budget = BUDGET << self.recovery.tries;
        let bases = self.recovery_bases();
        let mut doubtful = Vec::new();
        for cost in self.recovery.plies.max(1)..=plies_max.min(PLIES_MAX) {
            let mut found = self.ways_of_cost(cost, &bases, at_ns, &mut budget);
            if self.is_doubtful(cost, &found, at_ns) {
                doubtful.append(&mut found);
            }
            let is_against_lever = found.iter().all(|way| self.is_against_lever(way.base, &way.moves, at_ns));
            if !found.is_empty() && self.is_rather_held(cost + u32::from(is_against_lever), &bases, at_ns) {
                return false;
            }
            if !found.is_empty() {
                found.append(&mut doubtful);
                // Kings and rooks in an open ending may have used all of it.
                found.extend(self.ways_of_cost(cost + 1, &bases, at_ns, &mut { BUDGET / 2 }));
                self.recovery.begin_again();
                self.adopt_paths(&found, at_ns, steps);
                return true;
            }
            if budget == 0 {
                self.recovery.tries += 1;
                if self.recovery.tries < TRIES_MAX {
                    self.gap_ns = Some(at_ns + AGAIN_NS);
                }
                return false;
            }
            if doubtful.is_empty() {
                self.recovery.plies = cost + 1;
            }
        }
        if !doubtful.is_empty() {
            // Whoever moved last may be about to press.
            let pressed_ns = self.changed_ns + PRESS_NS;
            self.gap_ns = Some(pressed_ns).filter(|&pressed_ns| pressed_ns > at_ns);
        }
        false
    }

    /// There are many plies in every way that was `found`, the lever lies as if there had been one more, and a board that
    /// names its pieces shows where the game goes on without them.
    fn is_doubtful(&self, plies: u32, found: &[Found<V>], at_ns: u64) -> bool {
        plies >= DOUBTFUL_PLIES
            && self.sight.view == View::Identity
            && !found.is_empty()
            && found.iter().all(|way| self.is_against_lever(way.base, &way.moves, at_ns))
    }

    /// `changes` came about before anybody looked. Nothing is changed if no plies lead there.
    pub(crate) fn went_on_unseen(
        &mut self,
        changes: &[(Square, Content)],
        at_ns: u64,
        steps: &mut Vec<Step<V>>,
    ) {
        let mut gone_on = self.clone();
        let mut said = Vec::new();
        gone_on.lost(at_ns);
        gone_on.changed(changes, at_ns, &mut said);
        if gone_on.is_explained() || gone_on.recover(SETTLED_GAP_PLIES_MAX, at_ns, &mut said) {
            let unseen = gone_on.tree.path(gone_on.beam[0].node);
            unseen.into_iter().for_each(|id| gone_on.tree.node_mut(id).recovered = true);
            gone_on.announce_whole(at_ns, &mut said);
            *self = gone_on;
            steps.append(&mut said);
        }
    }

    /// The ways on which plies taken back and plies made are `cost` in all.
    fn ways_of_cost(&mut self, cost: u32, bases: &[Base], at_ns: u64, budget: &mut u32) -> Vec<Found<V>> {
        let mut found = Vec::new();
        for base in bases {
            let plies = cost.saturating_sub(base.back);
            if plies == 0 || plies > PLIES_MAX {
                continue;
            }
            let mut ways = self.ways(base.node, plies, budget);
            ways.retain(|way| self.may_be_unseen(base.node, &way.moves));
            found.extend(ways.into_iter().map(|way| {
                let (moves, penalty) = self.likeliest_order(base.node, way.moves, at_ns);
                Found { base: base.node, penalty: base.penalty + penalty, moves, count: way.count }
            }));
        }
        found
    }

    /// The link was lost after `ply` was announced, or while it waited for that.
    pub(crate) fn was_lost_after(&self, ply: Ply) -> bool {
        self.recovery.lost_ply.is_some_and(|lost| [lost, lost.next()].contains(&ply))
    }

    /// When what nobody saw is searched for once more.
    pub(crate) fn searches_ns(&self) -> Option<u64> {
        self.gap_ns
    }

    /// Plies may have been made that nobody saw.
    pub(super) fn is_unseen(&self) -> bool {
        self.blind || self.recovery.is_leap
    }

    fn ways(&self, base: NodeId, plies: u32, budget: &mut u32) -> Vec<Way<V>> {
        let node = self.tree.node(base);
        let goal = Goal {
            sight: self.sight,
            contents: self.image.contents(),
            hash: self.image.hash(),
            seen: None,
            paths_max: usize::MAX,
        };
        goal.ways::<V>(&node.position, node.hash, plies, budget)
    }

    /// Most plies are only there to make their number come out: pieces come back to where they stood, without need,
    /// which is worse than not knowing.
    pub(super) fn is_mostly_there_and_back(&self, base: NodeId, moves: &[V::Move]) -> bool {
        let mut position = self.tree.node(base).position.clone();
        // The pieces that moved quietly: where they stand now, where they stood at first, and how often they moved.
        let mut quiet: Vec<(Square, Square, usize)> = Vec::new();
        let mut wasted = 0;
        for &mv in moves {
            let footprint = position.footprint(mv);
            let arrival = footprint.changes().iter().find(|change| !change.2.is_empty());
            let [from, _] = mv.departures();
            let known = quiet.iter().position(|known| known.0 == from).map(|at| quiet.swap_remove(at));
            if let Some(&(to, taken, _)) = arrival.filter(|_| mv.castling().is_none()) {
                quiet.retain(|known| known.0 != to);
                let (_, first, times) = known.unwrap_or((from, from, 0));
                let is_forced = position.is_in_check() || !taken.is_empty();
                if !is_forced && first == to {
                    wasted += times + 1;
                } else if !is_forced {
                    quiet.push((to, first, times + 1));
                }
            }
            position = position.play(mv);
        }
        2 * wasted > moves.len()
    }

    /// The best explanation, what stood before an earlier gap that it fills, the other explanations,
    /// and the last two plies taken back.
    fn recovery_bases(&self) -> Vec<Base> {
        let best = self.beam[0];
        let base = |node, back, penalty| Base { node, back, penalty };
        let is_unseen = self.is_unseen();
        let mut bases = Vec::new();
        if is_unseen {
            bases.push(base(best.node, 0, best.penalty));
        }
        if let Some(before) = self.before_last_gap() {
            bases.push(base(before, 0, best.penalty + UNSEEN));
        }
        if is_unseen {
            // Beside a clock, what stood is taken back where that is seen, and what was pressed stays.
            let is_bound = self.recovery.lever.is_some();
            let may_be = |node: NodeId| {
                !is_bound || (self.tree.node(node).ply >= self.standing && self.keeps_pressed(node))
            };
            let others = self.beam[1..].iter().take(7).filter(|other| may_be(other.node));
            bases.extend(others.map(|other: &Explanation| base(other.node, 0, other.penalty)));
            let before = self.tree.upwards(best.node).skip(1).take_while(|&node| may_be(node));
            for (back, node) in (1..=2).zip(before) {
                let penalty = best.penalty + TAKEN_BACK * i32::try_from(back).unwrap_or(2);
                bases.push(base(node, back, penalty));
            }
        }
        let mut known: Vec<NodeId> = Vec::new();
        bases.retain(|base| {
            let is_new = !known.contains(&base.node);
            known.push(base.node);
            is_new
        });
        bases
    }

    /// The men of the best explanation that are missing, if nothing else is different.
    fn missing_alone(&self) -> Option<Squares> {
        let Difference { wrong, missing } = self.tree.difference(self.beam[0].node, &self.image);
        wrong.is_empty().then_some(missing)
    }

    /// Somebody lifted a man of `missing` since the board is looked at again.
    fn is_lifted_in_sight(&self, missing: Squares) -> bool {
        let picture_ns = self.recovery.picture_ns;
        self.blind
            && picture_ns.is_some()
            && missing.iter().any(|square| self.handling.lifted_ns(square) > picture_ns)
    }

    /// What stood before the last gap, if that is not long ago: the plies that were supplied may have been
    /// others, or the men may stand as before after plies that nobody saw.
    pub(super) fn before_last_gap(&self) -> Option<NodeId> {
        let node = |id| self.tree.node(id);
        let mut late = self.tree.upwards(self.beam[0].node).take(DOUBTED_PLIES + 1);
        let last = late.find(|&id| node(id).recovered || Some(node(id).ply) == self.recovery.lost_ply)?;
        self.tree.upwards(last).find(|&id| !node(id).recovered)
    }
}
