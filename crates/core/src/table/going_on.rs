//! A man who rests on a square where he mates, and goes on from there: sensors do not feel the hand, and the
//! mate that ended the game was none that was made (4.7, 5.1.1).
//!
//! What happens after the end is no play. Only for an instant, and only as long as nobody touches another man,
//! the board is still watched for this; what players do after a real mate is something else. That the man had
//! rested as long as one who was let go of stays for the arbiter to judge (`move-changed-after-release`).

use super::records::Draft;
use super::scene::Scene;
use super::{Game, Table};
use crate::event::finding::{ResultChanged, Score};
use crate::event::{Body, CompletedBy, Event, Finding, Recorded, Status};
use crate::infer::{Step, Tracker};
use adoube_rules::sensor::{Content, Side};
use adoube_rules::square::Square;
use adoube_rules::stamp::MS;
use adoube_rules::{Move as _, Position as _, Variant};

/// A hand that goes on is there so soon after the end; who shows what else there was takes longer.
const GOING_ON_NS: u64 = 2_000 * MS;

/// The board is watched for a man who goes on.
#[derive(Debug, Clone)]
pub(super) struct GoingOn<V: Variant> {
    /// As if the game had not ended.
    tracker: Box<Tracker<V>>,
    since_ns: u64,
    /// What was said of the end.
    said: Option<Recorded>,
}

impl<V: Variant> GoingOn<V> {
    fn until_ns(&self) -> u64 {
        self.since_ns + GOING_ON_NS
    }
}

impl<V: Variant> Game<V> {
    /// The same men moved elsewhere from where they stood before the last ply; with the ply itself.
    fn elsewhere(&self) -> Vec<V::Move> {
        let plies = self.tracker.plies();
        let Some(mv) = self.tracker.mv(plies) else { return Vec::new() };
        let mut moves = Vec::new();
        self.tracker.position(plies.before()).legal_moves(&mut moves);
        moves.retain(|&other| other.departures() == mv.departures());
        moves
    }

    /// `square` has to do with where those men may be.
    fn is_on_their_way(&self, square: Square) -> bool {
        let before = self.tracker.position(self.tracker.plies().before());
        let concerns = |mv| before.footprint(mv).changes().iter().any(|change| change.0 == square);
        self.elsewhere().into_iter().any(concerns)
    }

    /// The last ply is withdrawn, and the same man was seen to arrive elsewhere.
    fn goes_on(&self, steps: &[Step<V>], after: &GoingOn<V>) -> bool {
        let (plies, tracker) = (self.tracker.plies(), &after.tracker);
        let is_withdrawn = steps.iter().any(|step| matches!(step, Step::Retracted(it) if it.ply == plies));
        if !is_withdrawn || tracker.plies() != plies {
            return false;
        }
        let Some(other) = tracker.mv(plies).filter(|other| self.elsewhere().contains(other)) else {
            return false;
        };
        let footprint = self.tracker.position(plies.before()).footprint(other);
        let is_new = |square| tracker.square_placed_ns(square).is_some_and(|at_ns| at_ns > after.since_ns);
        footprint.changes().iter().any(|&(square, _, man)| !man.is_empty() && is_new(square))
    }
}

impl<V: Variant> Table<V> {
    /// A game was ended by its last ply, which nothing shows but that its man rests: he may go on.
    /// `said` is what has been said of it.
    pub(super) fn watch_going_on(&mut self, said: &[Event]) {
        let since_ns = self.scene.now.mono_ns;
        let said = said.iter().rev().find_map(|event| match &event.body {
            Body::Record(said) if matches!(said.finding, Finding::GameOver(_)) => Some(Recorded::clone(said)),
            _ => None,
        });
        let Some(game) = self.scene.game.as_mut().filter(|game| game.tracker.is_explained()) else { return };
        let tracker = Box::new(game.tracker.clone());
        game.going_on = Some(GoingOn { tracker, since_ns, said });
    }

    /// The game is over, whatever the man does.
    pub(super) fn goes_on_no_more(&mut self) {
        if let Some(game) = &mut self.scene.game {
            game.going_on = None;
        }
    }

    /// The squares `changes` changed after the end.
    pub(super) fn changed_after_end(&mut self, changes: &[(Square, Content)], out: &mut Vec<Event>) {
        let Some(game) = self.scene.game.as_ref().filter(|game| game.going_on.is_some()) else { return };
        if changes.iter().all(|&(square, _)| game.is_on_their_way(square)) {
            let at_ns = self.scene.now.mono_ns;
            self.follow(out, |tracker, steps| tracker.changed(changes, at_ns, steps));
        } else {
            self.goes_on_no_more();
        }
    }

    /// `side` presses after the end: what its man did is over, on the square of the mate or elsewhere.
    pub(super) fn pressed_after_end(&mut self, side: Side, out: &mut Vec<Event>) {
        let at_ns = self.scene.now.mono_ns;
        self.follow(out, |tracker, steps| tracker.pressed(side, at_ns, steps));
        self.goes_on_no_more();
    }

    /// Time has passed.
    pub(super) fn going_on_due(&mut self, at_ns: u64, out: &mut Vec<Event>) {
        self.follow(out, |tracker, steps| tracker.advance(at_ns, steps));
        let is_over = |going_on: &GoingOn<V>| going_on.until_ns() <= at_ns;
        if self.scene.game.as_ref().and_then(|game| game.going_on.as_ref()).is_some_and(is_over) {
            self.goes_on_no_more();
        }
    }

    fn follow(&mut self, out: &mut Vec<Event>, work: impl FnOnce(&mut Tracker<V>, &mut Vec<Step<V>>)) {
        let Some(game) = &mut self.scene.game else { return };
        let Some(mut going_on) = game.going_on.take() else { return };
        let mut steps = Vec::new();
        work(&mut going_on.tracker, &mut steps);
        if game.goes_on(&steps, &going_on) {
            self.not_over(going_on, steps, out);
        } else if steps.is_empty() {
            game.going_on = Some(going_on);
        }
    }

    /// The game goes on as it was followed, by these steps.
    fn not_over(&mut self, after: GoingOn<V>, happened: Vec<Step<V>>, out: &mut Vec<Event>) {
        let Some(game) = &mut self.scene.game else { return };
        let Some(result) = game.result.take() else { return };
        game.ended_by = None;
        if let Some(last) = game
            .plies
            .get_mut(game.plies.last())
            .filter(|last| last.completed_by == Some(CompletedBy::GameEnd))
        {
            (last.completed_ns, last.completed_by) = (None, None);
        }
        self.with_tracker(out, |tracker, steps| {
            *tracker = *after.tracker;
            steps.extend(happened);
        });
        if let Some(said) = after.said {
            let clock = self.scene.times();
            self.emit(Body::Record(Box::new(Recorded { status: Status::Withdrawn, clock, ..said })), out);
        }
        let changed = ResultChanged { from: result.into(), to: Score(None), result: Score(None), by: None };
        self.open(Draft::notice(changed), out);
    }
}

/// When a man who goes on is looked at next.
pub(super) fn going_on_due_ns<V: Variant>(scene: &Scene<V>) -> Option<u64> {
    let going_on = scene.game.as_ref()?.going_on.as_ref()?;
    Some(going_on.tracker.wake_at_ns().unwrap_or(u64::MAX).min(going_on.until_ns()))
}
