//! Rulings about the clock, and the start of the round (DESIGN 5.6).
//!
//! The hall's clocks are set by hand. A ruling says what the hand will do, so that the reading that
//! follows is recognised; it settles the proposal of its name.

use super::Table;
use super::records::{Draft, Record};
use super::scene::Report;
use super::watch::adjustments::{Grant, amount, is_reminder};
use crate::event::finding::{BothTimes, ClockResumed, Finding};
use crate::event::{Event, Status, Times};
use crate::ruling::{Outcome, inapplicable};
use adoube_rules::Variant;
use adoube_rules::laws::Name;
use adoube_rules::sensor::Side;

impl<V: Variant> Table<V> {
    /// The clocks are stopped, by a player or by the arbiter.
    pub(super) fn rule_pause(&mut self, by: Option<&str>, out: &mut Vec<Event>) -> Outcome {
        // Whoever is no player is the arbiter, by whatever name he entered it.
        let player = Side::BOTH.into_iter().find(|side| by == Some(side.name()));
        let by = player.map_or("arbiter", Side::name).to_owned();
        if self.scene.timing.pause.is_some() {
            return Err(inapplicable("the game is paused already"));
        }
        if self.scene.clock.last().is_some() {
            self.scene.timing.pause_by = Some((by, self.scene.now.mono_ns));
        } else {
            self.pause(None, &by, out);
        }
        Ok(())
    }

    /// The clocks run again.
    pub(super) fn rule_resume(&mut self, side: Side, out: &mut Vec<Event>) -> Outcome {
        if self.scene.timing.pause.is_none() {
            return Err(inapplicable("the game is not paused"));
        }
        // Where there is a clock, its hands show when time runs again.
        if self.scene.clock.last().is_none() {
            self.open(Draft::notice(ClockResumed { side, paused_ms: None }), out);
            self.end_pause(out);
        }
        Ok(())
    }

    /// `side` has pressed, where nothing shows it.
    pub(super) fn rule_press(&mut self, side: Side, out: &mut Vec<Event>) -> Outcome {
        if self.scene.clock.last().is_some() {
            return Err(inapplicable("the clock of this board tells its presses itself"));
        }
        if self.scene.is_before_the_start() && side == Side::Black {
            self.start_game(None, None, out);
        }
        self.pressed(side, None, out);
        Ok(())
    }

    pub(super) fn rule_clock_start(&mut self, side: Side, out: &mut Vec<Event>) {
        if side == Side::White {
            self.start_game(None, None, out);
        } else if self.scene.is_before_the_start() {
            self.wrong_clock_started(out);
        }
    }

    /// Both times shall be these.
    pub(super) fn rule_clock_times(&mut self, times: Times, out: &mut Vec<Event>) {
        set_by_hand(Name::ClockTimes, None, &mut self.report(out));
        self.times_decided(times, out);
    }

    /// `side` gets so much time, or loses it; `name` is the ruling's.
    pub(super) fn rule_time(&mut self, name: Name, side: Side, ms: i64, out: &mut Vec<Event>) {
        set_by_hand(name, Some(side), &mut self.report(out));
        self.watch(out, |watch, report| watch.grant(&[Grant::By(side, ms)], report));
    }

    /// Both times change by so much.
    pub(super) fn rule_adjust(&mut self, by_ms: [i64; 2], out: &mut Vec<Event>) {
        let running = self.scene.running();
        self.report(out).note_before_correction(running);
        for side in Side::BOTH.into_iter().filter(|side| by_ms[side.index()] != 0) {
            self.watch(out, |watch, report| watch.grant(&[Grant::By(side, by_ms[side.index()])], report));
        }
    }

    /// A press is undone that was not its presser's (6.5, 7.5.3).
    pub(super) fn rule_undo_press(&mut self, side: Side, out: &mut Vec<Event>) {
        set_by_hand(Name::UndoPress, Some(side), &mut self.report(out));
        self.press_undone(self.scene.times_before_press, out);
    }

    /// The move counter is put right: on the clock itself, or by presses that follow.
    pub(super) fn rule_counter(&mut self, value: Option<u64>, out: &mut Vec<Event>) {
        if value.is_some() {
            settle(Name::CounterCorrection, None, &mut self.report(out));
        } else {
            self.scene.timing.counter.is_corrected_by_presses();
        }
    }

    /// Each move earns an increment from now on (III.4).
    pub(super) fn rule_increment(&mut self, out: &mut Vec<Event>) -> Outcome {
        if self.scene.profile.qpf_increment_s.is_none() {
            return Err(inapplicable("this edition knows no increment for a quickplay finish"));
        }
        set_by_hand(Name::IncrementMode, None, &mut self.report(out));
        self.increment_begins();
        Ok(())
    }

    /// The arbiter has confirmed a proposal about the clock: the table expects what a hand does now, as if
    /// he had entered the ruling of that name.
    pub(super) fn clock_proposal_confirmed(&mut self, proposal: &Record, out: &mut Vec<Event>) {
        match &proposal.finding {
            Finding::TimePenalty(..) => {
                if let Some((side, ms)) = amount(proposal) {
                    self.watch(out, |watch, report| watch.grant(&[Grant::By(side, ms)], report));
                }
            }
            Finding::ClockTimes(times) => self.times_confirmed(proposal, times.then, out),
            Finding::UndoPress(press) => self.press_undone(press.clock.map(Times::from), out),
            Finding::IncrementMode(_) => self.increment_begins(),
            _ => {}
        }
    }

    /// Both times shall be these: a hand sets them.
    fn times_decided(&mut self, times: Times, out: &mut Vec<Event>) {
        self.close_all(|record| record.name() == Name::ClockSettingWrong, Status::Corrected, out);
        self.watch(out, |watch, report| watch.grant_times(times, report));
    }

    /// Both times shall be those of a proposal, and on top of them what was given for the same record and stands
    /// on the clock already. It answers no record but its own.
    pub(super) fn times_confirmed(
        &mut self,
        proposal: &Record,
        then: Option<BothTimes>,
        out: &mut Vec<Event>,
    ) {
        let Some(mut times) = then.map(Times::from) else { return };
        for side in Side::BOTH {
            let time = &mut times[side.index()];
            *time = time.saturating_add_signed(self.scene.timing.watch.given_ms(
                &self.records,
                proposal.of,
                side,
            ));
        }
        let is_answered =
            |record: &Record| proposal.of == Some(record.number) && record.name() == Name::ClockSettingWrong;
        let is_due_already = proposal.of.and_then(|of| self.records.record(of)).is_some_and(is_reminder);
        self.close_all(is_answered, Status::Corrected, out);
        if !is_due_already {
            self.watch(out, |watch, report| watch.grant_times(times, report));
        }
    }

    /// A press that was not the presser's counts for nothing; the times before it may be set again.
    fn press_undone(&mut self, before: Option<Times>, out: &mut Vec<Event>) {
        self.close_all(|record| record.name() == Name::NeighbourClockPressed, Status::Corrected, out);
        if let Some(times) = before {
            self.watch(out, |watch, report| watch.grant(&[Grant::May(times)], report));
        }
    }

    /// Each move earns an increment from now on (III.4).
    fn increment_begins(&mut self) {
        let Some(extra_s) = self.scene.profile.qpf_increment_s else { return };
        if let Some(control) = &mut self.scene.timing.control {
            *control = control.with_increment(extra_s);
        }
        self.scene.timing.watch.increment_begins(extra_s);
    }
}

/// Whose time a proposal is about, where it is that of one side.
fn side_of(proposal: &Record) -> Option<Side> {
    match &proposal.finding {
        Finding::TimePenalty(_, penalty) => Some(penalty.side),
        Finding::ReturnClock(press) => Some(press.side),
        Finding::UndoPress(press) => Some(press.side),
        _ => None,
    }
}

/// The presser's time runs again (7.5.3).
pub(super) fn rule_return<V: Variant>(side: Side, report: &mut Report<'_, V>) {
    set_by_hand(Name::ReturnClock, Some(side), report);
}

/// A hand sets the clock: what proposed it is answered.
fn set_by_hand<V: Variant>(name: Name, side: Option<Side>, report: &mut Report<'_, V>) {
    let running = report.running();
    report.note_before_correction(running);
    settle(name, side, report);
}

/// The open proposals of that name, for that side if one is meant, are decided.
fn settle<V: Variant>(name: Name, side: Option<Side>, report: &mut Report<'_, V>) {
    let is_meant = |record: &Record| record.name() == name && (side.is_none() || side_of(record) == side);
    report.close_all(is_meant, Status::Confirmed);
}
