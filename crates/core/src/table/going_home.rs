//! Players break off and set up the start array: the first man that goes home may look like a move, or
//! like the last move taken back. The line as it was when he was lifted is kept, until play goes on; if
//! the array comes to stand, that line is the game's record.

use crate::event::{CompletedBy, Event, Times};
use crate::infer::{TAKE_BACK_TO_START_MAX, Tracker, View};
use crate::ply::{Plies, Ply};
use adoube_rules::sensor::Content;
use adoube_rules::square::Square;
use adoube_rules::stamp::{MS, SECOND};
use adoube_rules::{Position as _, Variant};

use super::{Game, Known, Table};

/// A man who is not at home has moved there if the board then rests so long (laws-editions:
/// `release_dwell_ms`).
const REST_NS: u64 = 1_500 * MS;
/// A reply that is thought about: men who go home follow one another faster.
const REPLY_NS: u64 = 2_500 * MS;
/// Hands that set up do not rest so long: what was shown is the game.
const BREAK_NS: u64 = 10 * SECOND;

/// A ply of the line that is kept.
#[derive(Debug, Clone, Copy)]
struct Kept<V: Variant> {
    mv: Option<V::Move>,
    /// First lift and made.
    times_ns: [u64; 2],
    clock: Option<Times>,
    completed: Option<(u64, CompletedBy)>,
}

/// The line before the men began to go home, if that is what they do.
#[derive(Debug, Clone)]
pub(super) struct GoingHome<V: Variant> {
    line: Vec<Kept<V>>,
    /// How many plies of it are still just what the game has: they need not be copied again.
    same: usize,
    since_ns: u64,
    changed_ns: u64,
    /// The last change before which the board had rested so long as a reply is thought about.
    thought_ns: u64,
}

impl<V: Variant> GoingHome<V> {
    fn new(since_ns: u64) -> Self {
        Self { line: Vec::new(), same: 0, since_ns, changed_ns: since_ns, thought_ns: 0 }
    }

    /// Keeps the first `plies` plies of the game.
    fn keep(&mut self, plies: usize, known: &Plies<Known>, tracker: &Tracker<V>) {
        self.line.truncate(self.same.min(plies));
        let first = self.line.len();
        self.line.extend(known.iter().take(plies).skip(first).map(|(ply, known)| Kept {
            mv: tracker.mv(ply),
            times_ns: [tracker.lifted_ns(ply), tracker.made_ns(ply)],
            clock: known.clock,
            completed: known.completed_ns.zip(known.completed_by),
        }));
        self.same = self.line.len();
    }

    /// Ply `ply` of the game is no longer what it was, and those after it may not be.
    fn changed_from(&mut self, ply: Ply) {
        self.same = self.same.min(ply.before().count());
    }

    /// Who plays presses: a man who came home without a press was not moved there.
    fn is_pressed(&self) -> bool {
        let by = |kept: &Kept<V>| kept.completed.map(|(_, by)| by);
        self.line.last().and_then(by) == Some(CompletedBy::Press)
    }
}

impl<V: Variant> Game<V> {
    /// It looks as if the whole game was taken back, and it was too long for that.
    pub(super) fn is_taken_back_too_far(&self) -> bool {
        let is_long = self.going_home.as_ref().is_some_and(|home| home.line.len() > TAKE_BACK_TO_START_MAX);
        is_long && self.tracker.best_plies().is_start()
    }

    /// The plies up to `ply` are play; what was done since may still be men going home.
    fn was_play(&mut self, ply: usize, since_ns: u64) {
        if let Some(home) = &mut self.going_home {
            home.keep(ply, &self.plies, &self.tracker);
            (home.since_ns, home.thought_ns) = (since_ns, 0);
        }
    }

    /// The men of ply `ply` arrived where the start array has such men.
    fn went_home(&self, ply: Ply) -> bool {
        let start = self.tracker.position(Ply::START);
        self.arrivals(ply).iter().all(|&(square, content)| start.content(square) == content)
    }

    /// The men of ply `ply` were seen to arrive, after `since_ns`, where the start array has none such.
    fn was_seen_abroad(&self, ply: Ply, since_ns: u64, view: View) -> bool {
        let start = self.tracker.position(Ply::START);
        self.arrivals(ply).iter().any(|&(square, content)| {
            let is_seen = self.tracker.square_placed_ns(square).is_some_and(|at_ns| at_ns >= since_ns);
            is_seen && view.see(start.content(square)) != view.see(content)
        })
    }

    fn arrivals(&self, ply: Ply) -> Vec<(Square, Content)> {
        let Some(mv) = self.tracker.mv(ply) else { return Vec::new() };
        let footprint = self.tracker.position(ply.before()).footprint(mv);
        let changes = footprint.changes().iter();
        changes.filter(|change| !change.2.is_empty()).map(|change| (change.0, change.2)).collect()
    }
}

impl<V: Variant> Table<V> {
    /// The picture is about to change: perhaps the first man goes home.
    pub(super) fn watch_men_going_home(&mut self) {
        let at_ns = self.scene.now.mono_ns;
        let Some(game) = &mut self.scene.game else { return };
        let plies = game.plies.len();
        let tracker = &game.tracker;
        let is_shown = tracker.is_explained() && tracker.is_announced_whole() && game.displaced.is_empty();
        let Some(home) = &mut game.going_home else {
            let mut home = GoingHome::new(at_ns);
            home.keep(plies, &game.plies, tracker);
            game.going_home = Some(home);
            return;
        };
        let rest_ns = at_ns - std::mem::replace(&mut home.changed_ns, at_ns);
        if rest_ns >= REPLY_NS && is_shown {
            home.thought_ns = at_ns;
        }
        let kept = home.line.len();
        let is_play = rest_ns >= BREAK_NS
            || (rest_ns >= REST_NS && plies > kept && !game.went_home(game.tracker.plies()));
        if is_shown && is_play {
            game.was_play(plies, at_ns);
        }
    }

    /// A ply was announced: it may show that the men do not go home.
    pub(super) fn watch_play(&mut self, ply: Ply) {
        let view = self.scene.view;
        let Some(game) = &mut self.scene.game else { return };
        let Some(home) = &game.going_home else { return };
        let (since_ns, thought_ns) = (home.since_ns, home.thought_ns);
        let (kept, is_pressed) = (home.line.len(), home.is_pressed());
        let plies = ply.count();
        if plies <= kept || ply > game.tracker.plies() {
            return;
        }
        let is_abroad = game.was_seen_abroad(ply, since_ns, view);
        let (made_ns, lifted_ns) = (game.tracker.made_ns(ply), game.tracker.lifted_ns(ply));
        if is_abroad || made_ns < since_ns {
            game.was_play(plies, since_ns.max(made_ns + 1));
        } else if plies > kept + 1 && !is_pressed && lifted_ns == thought_ns {
            game.was_play(plies - 1, lifted_ns);
        }
    }

    /// Ply `ply` and those after it were withdrawn.
    pub(super) fn watch_withdrawn(&mut self, ply: Ply) {
        if let Some(home) = self.scene.game.as_mut().and_then(|game| game.going_home.as_mut()) {
            home.changed_from(ply);
        }
    }

    /// Ply `ply` was completed; by a press it is play.
    pub(super) fn watch_completed(&mut self, ply: Ply, by: CompletedBy) {
        let Some(game) = &mut self.scene.game else { return };
        let Some(home) = &mut game.going_home else { return };
        home.changed_from(ply);
        if by != CompletedBy::Press {
            return;
        }
        let (since_ns, plies) = (home.since_ns, ply.count());
        if home.line.len() <= plies {
            let is_new = home.line.len() < plies;
            game.was_play(plies, if is_new { since_ns.max(game.tracker.made_ns(ply) + 1) } else { since_ns });
        }
    }

    /// The arbiter says what was played.
    pub(super) fn men_do_not_go_home(&mut self) {
        if let Some(game) = &mut self.scene.game {
            game.going_home = None;
        }
    }

    /// The start array stands, and not by play: the record ends where the men began to go home.
    pub(super) fn men_went_home(&mut self, out: &mut Vec<Event>) {
        let at_ns = self.scene.now.mono_ns;
        let Some(game) = self.scene.game.as_mut().filter(|game| game.result.is_none()) else { return };
        let Some(home) = game.going_home.take() else { return };
        // What stands without a move is the same if it stands since then.
        let is_same = |(ply, kept): &(Ply, &Kept<V>)| {
            let (mv, made_ns) = (game.tracker.mv(*ply), game.tracker.made_ns(*ply));
            mv == kept.mv && (mv.is_some() || made_ns == kept.times_ns[1])
        };
        let common = game.tracker.plies().all().zip(&home.line).take_while(is_same).count();
        let plies = Ply::last_of(common);
        self.with_tracker(out, |tracker, steps| tracker.cut(plies, at_ns, steps));
        for (after, kept) in home.line.iter().enumerate().skip(common) {
            let ply = Ply::last_of(after).next();
            let Some(mv) = kept.mv else { return };
            self.clock_then = Some(kept.clock);
            self.with_tracker(out, |tracker, steps| {
                tracker.take_as_made_then(mv, kept.times_ns, at_ns, steps);
            });
            self.clock_then = None;
            if let Some((completed_ns, by)) = kept.completed {
                self.complete(ply, by, Some((completed_ns, kept.clock)), out);
            }
        }
    }
}
