//! From the tracker's steps to events: moves made, completed and withdrawn.

use serde_json::Value;

use crate::event::{Body, Cause, CompletedBy, Event, MoveCompleted, MoveMade, MoveRetracted, Status, Times};
use crate::infer::{Gap, Made, Retracted, Step, Tracker};
use crate::rules::Variant;
use crate::sensor::Side;
use crate::stamp::MS;

use super::{Ply, Press, Table};

/// A press and the move that it completes may reach us this far apart, either way round
/// (dgt-protocol 4.1: clock data lag up to a second).
const PRESS_NS: u64 = 1_000 * MS;

impl<V: Variant> Table<V> {
    /// Lets the tracker work and says what came of it.
    pub(super) fn with_tracker(
        &mut self,
        out: &mut Vec<Event>,
        work: impl FnOnce(&mut Tracker<V>, &mut Vec<Step<V>>),
    ) {
        let mut steps = std::mem::take(&mut self.steps);
        if let Some(game) = self.game.as_mut().filter(|game| game.result.is_none()) {
            work(&mut game.tracker, &mut steps);
        }
        for step in steps.drain(..) {
            match step {
                Step::Made(made) => self.made(made, out),
                Step::Retracted(retracted) => self.retracted(&retracted, out),
                Step::Stands { ply } => self.stands(ply, out),
                Step::Gap(gap) => self.gap(&gap, out),
            }
        }
        self.steps = steps;
    }

    fn made(&mut self, made: Made, out: &mut Vec<Event>) {
        self.open_game(out);
        let clock = self.times();
        let (made_ns, first_lift_ns) = (self.elapsed_ns(made.made_ns), self.elapsed_ns(made.first_lift_ns));
        let Some(game) = &mut self.game else { return };
        game.plies.truncate(made.ply as usize - 1);
        game.plies.push(Ply { clock, is_completed: false });
        game.is_started = true;
        let cause = match (made.recovered, made.explanation) {
            (true, _) => Cause::Recovered,
            (false, true) => Cause::Explanation,
            (false, false) => Cause::Played,
        };
        let event = MoveMade {
            ply: made.ply,
            played: made.played,
            confidence_milli: made.confidence_milli,
            first_lift_ns,
            made_ns,
            clock,
            cause,
        };
        self.emit(Body::MoveMade(Box::new(event)), out);
    }

    fn retracted(&mut self, retracted: &Retracted<V>, out: &mut Vec<Event>) {
        if let Some(game) = &mut self.game {
            game.plies.truncate(retracted.ply as usize - 1);
        }
        let event = MoveRetracted {
            ply: retracted.ply,
            played: retracted.played.clone(),
            fen: V::fen(&retracted.position),
            cause: if retracted.explanation { Cause::Explanation } else { Cause::Played },
        };
        self.emit(Body::MoveRetracted(Box::new(event)), out);
    }

    fn gap(&mut self, gap: &Gap, out: &mut Vec<Event>) {
        self.open_game(out);
        let mut finding = self.finding("record-gap", Status::Open);
        let paths = match gap.paths {
            0 => Value::from(0),
            1 => Value::from(1),
            _ => Value::from("many"),
        };
        finding.payload.insert("since_ply".into(), gap.since_ply.into());
        finding.payload.insert("paths".into(), paths);
        let recovered: Vec<String> = gap.recovered.iter().map(crate::rules::Played::san).collect();
        finding.payload.insert("recovered".into(), recovered.into());
        self.emit(Body::Finding(Box::new(finding)), out);
    }

    /// Ply `ply` stands: what hangs on a made move is said now (DESIGN 2.3).
    fn stands(&mut self, ply: u32, out: &mut Vec<Event>) {
        // The same side's next move completes the one before it (6.2.1.2).
        for earlier in 1..ply.saturating_sub(1) {
            self.complete(earlier, CompletedBy::NextMove, None, out);
        }
        self.take_press(ply, out);
        self.judge_end(ply, out);
    }

    /// A press that came before its move was understood.
    fn take_press(&mut self, ply: u32, out: &mut Vec<Event>) {
        let Some(press) = self.press else { return };
        let age_ns = self.now.mono_ns.saturating_sub(press.at_ns);
        if self.mover(ply) == Some(press.side) && age_ns <= PRESS_NS {
            self.press = None;
            self.complete(ply, CompletedBy::Press, Some((press.at_ns, press.clock)), out);
        }
    }

    fn mover(&self, ply: u32) -> Option<Side> {
        let game = self.game.as_ref()?;
        (ply > 0).then(|| V::turn(game.tracker.position(ply - 1)))
    }

    /// `side` pressed; `clock` is what the clock showed then.
    pub(super) fn pressed(&mut self, side: Side, clock: Times, out: &mut Vec<Event>) {
        let at_ns = self.now.mono_ns;
        self.emit(Body::Pressed { side, clock }, out);
        if self.playing().is_none() {
            return;
        }
        self.press = Some(Press { side, at_ns, clock });
        self.with_tracker(out, |tracker, steps| tracker.pressed(side, at_ns, steps));
        self.late_press(side, at_ns, clock, out);
    }

    /// A press after the opponent has already answered still completes the last move (6.2.1).
    fn late_press(&mut self, side: Side, at_ns: u64, clock: Times, out: &mut Vec<Event>) {
        let Some(game) = self.playing() else { return };
        let plies = game.tracker.standing();
        let is_last_of_side = |ply: &u32| self.mover(*ply) == Some(side);
        let Some(ply) = (1..=plies).rev().take(2).find(is_last_of_side) else { return };
        // The press of a move still in the air comes when that move is understood.
        if self.press.is_none() || game.tracker.turn() != side {
            self.press =
                self.press.filter(|_| !self.complete(ply, CompletedBy::Press, Some((at_ns, clock)), out));
        }
    }

    /// Says that `ply` is completed, once; true if it was said now.
    pub(super) fn complete(
        &mut self,
        ply: u32,
        by: CompletedBy,
        press: Option<(u64, Times)>,
        out: &mut Vec<Event>,
    ) -> bool {
        let (at_ns, clock) = press.unzip();
        let at_ns = at_ns.unwrap_or(self.now.mono_ns);
        let Some(game) = &mut self.game else { return false };
        let Some(known) = game.plies.get_mut(ply as usize - 1).filter(|known| !known.is_completed) else {
            return false;
        };
        known.is_completed = true;
        let clock = clock.or(known.clock);
        let Some(played) = game.tracker.played(ply) else { return false };
        let completed_ns = self.elapsed_ns(at_ns);
        let event = MoveCompleted { ply, played, by, completed_ns, clock };
        self.emit(Body::MoveCompleted(Box::new(event)), out);
        true
    }
}
