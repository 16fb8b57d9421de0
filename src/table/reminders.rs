//! What a time as such gives rise to: a forgotten press, time trouble, the regular check, the
//! quickplay zone. All of it is for the arbiter's list, nothing for the players (12.6).

use super::Table;
use super::records::Draft;
use crate::event::Event;
use crate::event::finding::{ClockNotPressed, QpfZone, SnapshotKind, TimeTrouble};
use crate::ply::Ply;
use crate::rules::Variant;
use crate::sensor::{ClockReading, Side};
use crate::stamp::SECOND;

/// What was said already.
#[derive(Debug, Clone, Default)]
pub(super) struct Reminders {
    /// Controls that each side has been seen to reach.
    reached: [usize; 2],
    /// The period, from 1, in which each side's time trouble was noted.
    trouble: [usize; 2],
    is_zone_said: [bool; 2],
    /// Regular checks so far.
    checks: u64,
    /// The ply, and when it was made, whose press was missed last.
    unpressed: Option<(Ply, u64)>,
}

impl<V: Variant> Table<V> {
    /// Looks at the times of a reading.
    pub(super) fn remind(&mut self, reading: &ClockReading, out: &mut Vec<Event>) {
        if !self.is_timed() {
            return;
        }
        self.remind_of_press(reading, out);
        self.check_times(reading, out);
        self.note_controls(out);
        self.setting_window_closes(out);
        for side in Side::BOTH {
            self.note_trouble(side, reading, out);
            self.note_zone(side, reading, out);
        }
        self.note_exemptions(reading, out);
    }

    /// A move is made and its player's time still runs.
    fn remind_of_press(&mut self, reading: &ClockReading, out: &mut Vec<Event>) {
        let (Some(side), Some(game)) = (reading.running, self.playing()) else { return };
        let plies = game.tracker.plies();
        let is_open = |ply: &Ply| self.mover(*ply) == Some(side) && game.plies[*ply].completed_ns.is_none();
        let Some(ply) = plies.all().rev().take(2).find(is_open) else { return };
        let made_ns = game.tracker.made_ns(ply);
        let due_ns = made_ns + u64::from(self.profile.clock_not_pressed_after_s) * SECOND;
        if self.now.mono_ns < due_ns || self.timing.reminders.unpressed == Some((ply, made_ns)) {
            return;
        }
        self.timing.reminders.unpressed = Some((ply, made_ns));
        self.open(Draft::notice(ClockNotPressed { by: side, ply }), out);
    }

    /// Both times, the counts and the side running, every half an hour or so (6.10.1).
    fn check_times(&mut self, reading: &ClockReading, out: &mut Vec<Event>) {
        let interval_ns = u64::from(self.profile.time_check_interval_min) * 60 * SECOND;
        let played_ns = self.now.mono_ns.saturating_sub(self.timing.started_ns);
        let Some(checks) = played_ns.checked_div(interval_ns) else { return };
        if checks > self.timing.reminders.checks {
            self.timing.reminders.checks = checks;
            let snapshot = self.snapshot(reading.left_ms, reading.running);
            self.open(Draft::notice((SnapshotKind::TimeCheck, snapshot)), out);
        }
    }

    /// A side has completed the moves of a period (6.3.1).
    fn note_controls(&mut self, out: &mut Vec<Event>) {
        let Some(control) = self.timing.control.clone() else { return };
        let completed = self.counts().completed;
        for side in Side::BOTH {
            let index = side.index();
            while let Some(required) = control.required_by(self.timing.reminders.reached[index]) {
                if completed[index] < required {
                    break;
                }
                let period = self.timing.reminders.reached[index];
                self.timing.reminders.reached[index] += 1;
                // Reached before this table saw the game.
                if self.timing.moves_before[index] < required {
                    self.check_control(side, period, out);
                }
            }
        }
    }

    fn note_trouble(&mut self, side: Side, reading: &ClockReading, out: &mut Vec<Event>) {
        let index = side.index();
        let left_ms = reading.left_ms[index];
        let period = self.period_of(side) + 1;
        let limit_ms = u64::from(self.profile.time_trouble_s) * 1_000;
        if left_ms < limit_ms && self.timing.reminders.trouble[index] < period {
            self.timing.reminders.trouble[index] = period;
            self.open(Draft::notice(TimeTrouble { side, left_ms }), out);
        }
    }

    /// The player on move may claim or ask by guideline III (III.4, III.5; 2005: 10.2).
    fn note_zone(&mut self, side: Side, reading: &ClockReading, out: &mut Vec<Event>) {
        let index = side.index();
        let left_ms = reading.left_ms[index];
        let period = self.period_of(side);
        let is_last =
            self.timing.control.as_ref().is_none_or(|control| period + 1 == control.periods().len());
        let is_under = left_ms < u64::from(self.profile.qpf_threshold_s) * 1_000 && left_ms > 0;
        let is_zone = is_last && is_under && self.side_on_move() == side && self.is_qpf_in_force();
        if is_zone && !std::mem::replace(&mut self.timing.reminders.is_zone_said[index], true) {
            self.open(Draft::notice(QpfZone { side, left_ms }), out);
        }
    }
}
