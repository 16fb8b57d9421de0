//! Has one square lied for longer than anybody noticed? What the board and the clock told is kept, and when nothing
//! explains a picture any more the game is gone through again with a square doubted from the beginning on: the moves
//! that were read wrongly because of it, and all that was read after them, come out as they were.
//!
//! Squares are asked where the picture is wrong, or where a move through them could have made the picture what it is; on a
//! board that names no men then all others. One that explains everything is believed to lie, unless another one tells
//! another game as well.

use super::health::SICK_MAX;
use super::{Diagnosis, NAT, SETTLE_NS, Sickness, Step, Tracker};
use crate::infer::image::{Image, View, squares};
use crate::infer::tree::NodeId;
use crate::ply::Ply;
use adoube_rules::sensor::{Content, Side};
use adoube_rules::square::{Square, Squares};
use adoube_rules::stamp::SECOND;
use adoube_rules::{Move as _, Position as _, Variant};

/// Facts that are gone through again at least, if there are so many: some eighty plies. Twice as many at most are kept
/// where nothing is found.
const KEPT: usize = 1_024;
/// A picture that rests is asked about once; one that goes on changing not more often than this.
const AGAIN_NS: u64 = SECOND;
/// Facts that may be gone through again at one look: some two tenths of a second on the slower kind of board.
const WORK_MAX: usize = 32_768;
/// So much of it comes back with each fact: a board whose squares lie costs so many times what a sound one costs, at
/// most, at whatever speed it is played.
const WORK_A_FACT: usize = 256;
/// Plies before the last one, a move instead of which may have made the picture what it is.
const BACK_MAX: usize = 4;
/// Announced plies that may turn out not to have been played, beside those in whose place others were.
const NOT_PLAYED_MAX: usize = 2;
/// A square that tells another game counts if it is not so much less likely.
const RIVAL: i32 = NAT;

/// That two squares lie is rarer than that one does.
const ANOTHER: i32 = -8 * NAT;
/// Pictures that stay and are not explained although a square is doubted: then it is not that square alone.
const UNEXPLAINED_MAX: u32 = 2;

/// What the tracker was told.
#[derive(Debug, Clone, Copy)]
pub(super) enum Fact {
    /// A square changed; together with the one before, or not.
    Changed {
        square: Square,
        content: Content,
        is_with_last: bool,
    },
    Pressed(Side),
    Lever(Option<Side>),
    Lifted(Square),
    Stands(Ply),
    AnnounceBest,
    Illegal,
    Lost,
    Back,
}

/// What there is to go through again.
#[derive(Debug, Clone)]
pub(super) struct Past<V: Variant> {
    /// As the tracker was before the first fact.
    from: Box<Tracker<V>>,
    facts: Vec<(u64, Fact)>,
    /// As it was before a later one, from which on is kept one day.
    next: Option<(usize, Box<Tracker<V>>)>,
    /// Squares that were found to lie.
    doubted: Squares,
    looked_ns: u64,
    /// The picture that was looked at.
    looked: u64,
    /// Facts that may be gone through again now.
    work: usize,
}

impl<V: Variant> Tracker<V> {
    /// What is told from now on can be gone through again; what was told before is as it is.
    pub(super) fn remember_from_here(&mut self) {
        let (looked_ns, work) = self.past.take().map_or((0, WORK_MAX), |past| (past.looked_ns, past.work));
        self.past = Some(Box::new(Past {
            from: Box::new(self.clone()),
            facts: Vec::new(),
            next: None,
            doubted: Squares::EMPTY,
            looked_ns,
            looked: 0,
            work,
        }));
    }

    /// The game is gone through again: nothing is searched for that takes long.
    pub(super) fn is_again(&self) -> bool {
        self.past.is_none()
    }

    /// Notes what the tracker is told, before it acts on it.
    pub(super) fn note(&mut self, fact: Fact, at_ns: u64) {
        let Some(past) = &mut self.past else { return };
        let kept = past.next.as_ref().map_or(0, |next| next.0) + KEPT;
        let is_with_last = matches!(fact, Fact::Changed { is_with_last: true, .. });
        if past.facts.len() >= kept && !is_with_last && !self.health.is_masked {
            let past = self.past.take();
            let now = Box::new(self.clone());
            self.past = past.map(|past| past.shifted(now));
        }
        if let Some(past) = &mut self.past {
            past.facts.push((at_ns, fact));
            past.work = WORK_MAX.min(past.work + WORK_A_FACT);
        }
    }

    /// The same for `changes`, which came together.
    pub(crate) fn note_changes(&mut self, changes: &[(Square, Content)], at_ns: u64) {
        for (index, &(square, content)) in changes.iter().enumerate() {
            self.note(Fact::Changed { square, content, is_with_last: index > 0 }, at_ns);
        }
    }

    /// Nothing explains the picture, which rests: does it, and all that led to it, if a square lied? True if so.
    /// Some squares really show what `hidden` says; what was handled last may be sure.
    pub(crate) fn look_back(
        &mut self,
        hidden: &[(Square, Content)],
        is_last_sure: bool,
        at_ns: u64,
        steps: &mut Vec<Step<V>>,
    ) -> bool {
        self.look_back_for(i32::MIN, hidden, is_last_sure, at_ns, steps)
    }

    /// The same, and something else explains the picture with the weight `known`.
    pub(super) fn look_back_for(
        &mut self,
        known: i32,
        hidden: &[(Square, Content)],
        is_last_sure: bool,
        at_ns: u64,
        steps: &mut Vec<Step<V>>,
    ) -> bool {
        if self.blind {
            return false;
        }
        let mut picture = self.image.clone();
        for &(square, content) in hidden {
            picture.set(square, self.sight.see(square, content));
        }
        let Some(mut past) = self.past.take() else { return false };
        let looked = picture.hash();
        if past.looked == looked || at_ns < past.looked_ns + AGAIN_NS {
            self.past = Some(past);
            return false;
        }
        (past.looked, past.looked_ns) = (looked, at_ns);
        let found = self.liar(&picture, &mut past, is_last_sure, at_ns).filter(|found| found.2 > known);
        let is_found = found.is_some();
        if let Some((doubted, tracker, _)) = found {
            past.doubted = doubted;
            past.next = None;
            self.turn_into(tracker, steps);
        }
        self.past = Some(past);
        is_found
    }

    /// The squares that lied, beside those that were known to before anything was noted, the game as it was then, and its
    /// weight.
    fn liar(
        &self,
        picture: &Image,
        past: &mut Past<V>,
        is_last_sure: bool,
        at_ns: u64,
    ) -> Option<(Squares, Self, i32)> {
        let mut told: Vec<(i32, Squares, Self)> = Vec::new();
        for square in self.suspects(picture) {
            let alone: Squares = std::iter::once(square).collect();
            let both = past.doubted.union(alone);
            let ways = if both == alone || both.count() as usize > SICK_MAX {
                vec![alone]
            } else {
                vec![alone, both]
            };
            for doubted in ways {
                let Some(work) = past.work.checked_sub(past.facts.len()) else { break };
                past.work = work;
                let Some(tracker) = past.with(doubted, at_ns) else { continue };
                let best = tracker.beam[0];
                let is_whole = tracker.is_explained() && best.holds() && !tracker.blind;
                let plies = tracker.tree.node(best.node).ply.count();
                let is_as_long = plies + NOT_PLAYED_MAX >= self.announced.len();
                if is_whole && is_as_long && self.is_told_by(&tracker, square, is_last_sure) {
                    let others = i32::try_from(tracker.sight.doubted.count()).unwrap_or(1) - 1;
                    told.push((tracker.weight(&best) + others * ANOTHER, doubted, tracker));
                }
            }
        }
        told.sort_by_key(|other| std::cmp::Reverse(other.0));
        let (weight, _, likeliest) = told.first()?;
        let line = likeliest.best_line();
        let is_certain = told[1..]
            .iter()
            .all(|(other, _, tracker)| weight - other >= RIVAL || tracker.best_line() == line);
        let (weight, doubted, tracker) = told.swap_remove(0);
        is_certain.then_some((doubted, tracker, weight))
    }

    /// `other`, in which `square` lies, tells another game: because of a move through it, but not of the last one if that
    /// is sure; or because nobody stands where it reads a man, and all that was played instead was seen elsewhere.
    fn is_told_by(&self, other: &Self, square: Square, is_last_sure: bool) -> bool {
        let (old, new) = (self.best_line(), other.best_line());
        let common = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
        let path = other.tree.path(other.beam[0].node);
        let goes_through =
            |&id: &NodeId| other.tree.node(id).footprint.changes().iter().any(|change| change.0 == square);
        let later = &path[common..];
        // Beside a clock nobody makes a ply, and then lets the opponent make the one before it, nor arrives with a piece that
        // was not seen to leave while the opponent's is still on its way.
        let is_reversed = |plies: &[NodeId]| {
            let &[before, after] = plies else { return false };
            let is_last = later.last() == Some(&after);
            let lifted_ns = other.mover_lifted_ns(before).filter(|_| is_last);
            let is_unseen_to_leave = other
                .tree
                .node(after)
                .mv
                .is_some_and(|mv| mv.departures().into_iter().any(|from| from == square));
            let on_its_way_ns = is_unseen_to_leave.then(|| other.arrived_ns(before));
            lifted_ns.max(on_its_way_ns) > Some(other.arrived_ns(after) + SETTLE_NS)
        };
        if self.has_clock() && later.windows(2).any(is_reversed) {
            return false;
        }
        // A piece that takes another one leaves a trace on one of the two squares at least.
        let is_untold = |&id: &NodeId| {
            let since_ns = other.tree.node(id).parent.map_or(0, |parent| other.tree.node(parent).made_ns);
            let target = other.target(id).filter(|_| other.sight.view == View::Occupancy);
            let is_quiet = |target| {
                let changed = [other.handling.lifted_ns(target), other.handling.placed_ns(target)];
                changed.into_iter().flatten().all(|changed_ns| changed_ns <= since_ns)
            };
            target.is_some_and(is_quiet)
        };
        if later.iter().any(|id| goes_through(id) && is_untold(id)) {
            return false;
        }
        let sure = later.len().saturating_sub(usize::from(is_last_sure));
        later[..sure].iter().any(goes_through)
            || (other.reads_a_ghost(square) && !later.is_empty() && later.iter().all(|&id| other.is_seen(id)))
    }

    /// `square` reads a man, and nobody stands there.
    fn reads_a_ghost(&self, square: Square) -> bool {
        self.best().content(square).is_empty() && !self.health.read(square).0.is_empty()
    }

    /// All that ply `id` changed was seen to change.
    fn is_seen(&self, id: NodeId) -> bool {
        let node = self.tree.node(id);
        let since_ns = node.parent.map_or(0, |parent| self.tree.node(parent).made_ns);
        !self.is_traceless(id, since_ns)
            && node.footprint.changes().iter().all(|change| !self.sight.doubted.contains(change.0))
    }

    fn best_line(&self) -> Vec<Option<V::Move>> {
        self.tree.path(self.beam[0].node).into_iter().map(|id| self.tree.node(id).mv).collect()
    }

    /// Squares where the picture is wrong, or through which a move could have made it what it is, those first with
    /// which least of it stays unexplained.
    fn suspects(&self, picture: &Image) -> Vec<Square> {
        let best = self.beam[0].node;
        let wrong = self.tree.difference(best, picture).squares();
        let mut suspects: Vec<(u32, Square)> = wrong.iter().map(|square| (wrong.count(), square)).collect();
        for id in self.tree.upwards(best).take(BACK_MAX + 1) {
            let (node, wrong) = (self.tree.node(id), self.tree.difference(id, picture).squares());
            for footprint in self.tree.moves(id).map(|mv| node.position.footprint(mv)) {
                let is_shown = |&&(square, _, after): &&(Square, Content, Content)| {
                    picture.at(square) == self.sight.see(square, after)
                };
                let unshown =
                    footprint.changes().iter().filter(|change| !is_shown(change)).map(|change| change.0);
                let moved: Squares = footprint.changes().iter().map(|change| change.0).collect();
                let unshown: Squares = unshown.collect();
                let explained = moved.intersection(wrong).without(unshown);
                if let Some(square) =
                    unshown.iter().next().filter(|_| unshown.count() == 1 && !explained.is_empty())
                {
                    suspects.push((wrong.without(moved).count() + 1, square));
                }
            }
        }
        suspects.retain(|suspect| !self.sight.doubted.contains(suspect.1));
        suspects.sort_by_key(|&(unexplained, square)| (square, unexplained));
        suspects.dedup_by_key(|suspect| suspect.1);
        suspects.sort_by_key(|suspect| suspect.0);
        let mut suspects: Vec<Square> = suspects.into_iter().map(|suspect| suspect.1).collect();
        // Where pieces have no names a line can be wrong for long before a picture shows it, far from where it parted.
        if self.sight.view == View::Occupancy {
            let known: Squares = suspects.iter().copied().chain(self.sight.doubted.iter()).collect();
            suspects.extend(squares::<V>().filter(|&square| !known.contains(square)));
        }
        suspects
    }

    /// From now on `other` is what was played.
    fn turn_into(&mut self, other: Self, steps: &mut Vec<Step<V>>) {
        let line = |tracker: &Self| -> Vec<Option<V::Move>> {
            tracker.announced.iter().map(|&id| tracker.tree.node(id).mv).collect()
        };
        let (old, new) = (line(self), line(&other));
        let common = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
        let is_other = common < old.len();
        if is_other {
            steps.push(Step::Retracted(self.retracted_from(Ply::last_of(common).next(), true)));
        }
        let standing = self.standing.min(Ply::last_of(common));
        let sick = std::mem::take(&mut self.health.sick);
        let recovery = self.recovery;
        *self = other;
        self.recovery.keep_times(&recovery);
        let added: Vec<NodeId> = self.announced[common..].to_vec();
        let confidence_milli = self.confidence_milli();
        steps.extend(added.into_iter().map(|id| Step::Made(self.made_step(id, confidence_milli, is_other))));
        if self.standing > standing {
            steps.push(Step::Stands { ply: self.standing });
        }
        self.say_sick(&sick, steps);
    }

    fn repeat(&mut self, at_ns: u64, facts: &[Fact], steps: &mut Vec<Step<V>>) {
        match facts[0] {
            Fact::Changed { .. } => {
                let change = |fact: &Fact| match *fact {
                    Fact::Changed { square, content, .. } => Some((square, content)),
                    _ => None,
                };
                let changes: Vec<(Square, Content)> = facts.iter().filter_map(change).collect();
                self.changed(&changes, at_ns, steps);
            }
            Fact::Pressed(side) => self.pressed(side, at_ns, steps),
            Fact::Lever(side) => self.lever(side, at_ns),
            Fact::Lifted(square) => self.opponent_lifted(square, at_ns, steps),
            Fact::Stands(ply) => self.stands_up_to(ply, at_ns, steps),
            Fact::AnnounceBest => self.announce_best(at_ns, steps),
            Fact::Illegal => _ = self.castled_after_all(at_ns, steps),
            Fact::Lost => self.lost(at_ns),
            Fact::Back => self.back(at_ns),
        }
    }
}

/// Does a step show that it was not that square? Plies had to be supplied, or what was pressed up to ply `bound`, and
/// shown by name, had to be taken back: with the square doubted from the beginning the game is read rightly from there on.
fn breaks<V: Variant>(step: &Step<V>, bound: Ply, view: View) -> bool {
    match step {
        Step::Gap(_) => true,
        Step::Retracted(retracted) => view == View::Identity && retracted.ply <= bound,
        _ => false,
    }
}

impl<V: Variant> Past<V> {
    /// Half of it is forgotten; `now` is kept for the next time.
    fn shifted(mut self: Box<Self>, now: Box<Tracker<V>>) -> Box<Self> {
        if let Some((known, next)) = self.next.take() {
            self.facts.drain(..known);
            self.from = next;
        }
        self.next = Some((self.facts.len(), now));
        self
    }

    /// The game with `doubted` squares, up to `at_ns`; `None` if that breaks it.
    fn with(&self, doubted: Squares, at_ns: u64) -> Option<Tracker<V>> {
        let mut tracker = (*self.from).clone();
        let mut steps = Vec::new();
        tracker.health.suspected = tracker.health.suspected.union(doubted);
        tracker.see_anew(tracker.changed_ns);
        let is_with_last =
            |_: &(u64, Fact), next: &(u64, Fact)| matches!(next.1, Fact::Changed { is_with_last: true, .. });
        for together in self.facts.chunk_by(is_with_last) {
            let facts: Vec<Fact> = together.iter().map(|fact| fact.1).collect();
            let bound = tracker.bound;
            tracker.advance(together[0].0, &mut steps);
            tracker.repeat(together[0].0, &facts, &mut steps);
            if tracker.unexplained > UNEXPLAINED_MAX
                || steps.iter().any(|step| breaks(step, bound, tracker.sight.view))
            {
                return None;
            }
            steps.clear();
        }
        let bound = tracker.bound;
        tracker.advance(at_ns, &mut steps);
        (!steps.iter().any(|step| breaks(step, bound, tracker.sight.view))).then_some(tracker)
    }
}

impl<V: Variant> Tracker<V> {
    /// What is said of the squares, where it was `known` before.
    fn say_sick(&self, known: &[(Square, Sickness)], steps: &mut Vec<Step<V>>) {
        let now = &self.health.sick;
        for &(square, sickness) in now.iter().filter(|sick| !known.contains(sick)) {
            let evidence = self.health.diagnosis(square, self.sight.view).map_or(1, |known| known.1);
            steps.push(Step::Diagnosed(Diagnosis { square, sickness: Some(sickness), evidence }));
        }
        for &(square, _) in known.iter().filter(|sick| now.iter().all(|other| other.0 != sick.0)) {
            steps.push(Step::Diagnosed(Diagnosis { square, sickness: None, evidence: 0 }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::infer::tracker::Parameters;
    use adoube_rules::Chess;
    use adoube_rules::stamp::MS;

    type Position = <Chess as Variant>::Position;

    fn tracker() -> Tracker<Chess> {
        Tracker::new(View::Identity, Position::default(), Parameters::default(), 0)
    }

    /// A knight that is adjusted again and again.
    fn adjusted(tracker: &mut Tracker<Chess>, times: u64) {
        let square = Square::new(6);
        let knight = tracker.at(square);
        for time in 0..times {
            for (content, after_ms) in [(Content::EMPTY, 100), (knight, 500)] {
                let at_ns = (time * 1_000 + after_ms) * MS;
                tracker.advance(at_ns, &mut Vec::new());
                tracker.changed(&[(square, content)], at_ns, &mut Vec::new());
            }
        }
    }

    #[test]
    fn a_long_game_is_kept_in_bounded_space_and_never_less_than_some_eighty_plies_of_it() {
        let mut tracker = tracker();
        adjusted(&mut tracker, KEPT as u64 / 2);
        for _ in 0..5 {
            adjusted(&mut tracker, KEPT as u64 / 2 + 3);
            let kept = tracker.past.as_ref().unwrap().facts.len();
            assert!((KEPT..=2 * KEPT).contains(&kept), "{kept}");
        }
    }

    #[test]
    fn what_is_gone_through_again_comes_out_as_it_was() {
        let mut tracker = tracker();
        adjusted(&mut tracker, 3 * KEPT as u64);
        let again = tracker.past.as_ref().unwrap().with(Squares::EMPTY, 10_000_000 * MS).unwrap();
        assert_eq!(again.best_line(), tracker.best_line());
        assert!(squares::<Chess>().all(|square| again.at(square) == tracker.at(square)));
    }
}
