//! What a time as such gives rise to: a forgotten press, time trouble, the regular check, the
//! quickplay zone. All of it is for the arbiter's list, nothing for the players (12.6).

use super::records::Draft;
use super::scene::Report;
use crate::event::finding::{ClockNotPressed, QpfZone, SnapshotKind, TimeTrouble};
use crate::ply::Ply;
use adoube_rules::Variant;
use adoube_rules::sensor::{ClockReading, Side};
use adoube_rules::stamp::SECOND;

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

impl Reminders {
    /// Looks at the times of a reading.
    pub(super) fn remind<V: Variant>(&mut self, reading: &ClockReading, report: &mut Report<'_, V>) {
        self.remind_of_press(reading, report);
        self.check_times(reading, report);
        self.note_controls(report);
        report.setting_window_closes();
        for side in Side::BOTH {
            self.note_trouble(side, reading, report);
            self.note_zone(side, reading, report);
        }
    }

    /// A move is made and its player's time still runs.
    fn remind_of_press<V: Variant>(&mut self, reading: &ClockReading, report: &mut Report<'_, V>) {
        let (Some(side), Some(game)) = (reading.running, report.playing()) else { return };
        let plies = game.tracker.plies();
        let is_open = |ply: &Ply| report.mover(*ply) == Some(side) && game.plies[*ply].completed_ns.is_none();
        let Some(ply) = plies.all().rev().take(2).find(is_open) else { return };
        let made_ns = game.tracker.made_ns(ply);
        let due_ns = made_ns + u64::from(report.profile.clock_not_pressed_after_s) * SECOND;
        if report.now.mono_ns < due_ns || self.unpressed == Some((ply, made_ns)) {
            return;
        }
        self.unpressed = Some((ply, made_ns));
        report.open(Draft::notice(ClockNotPressed { by: side, ply }));
    }

    /// Both times, the counts and the side running, every half an hour or so (6.10.1).
    fn check_times<V: Variant>(&mut self, reading: &ClockReading, report: &mut Report<'_, V>) {
        let interval_ns = u64::from(report.profile.time_check_interval_min) * 60 * SECOND;
        let played_ns = report.now.mono_ns.saturating_sub(report.timing.started_ns);
        let Some(checks) = played_ns.checked_div(interval_ns) else { return };
        if checks > self.checks {
            self.checks = checks;
            let snapshot = report.snapshot(reading.left_ms, reading.running);
            report.open(Draft::notice((SnapshotKind::TimeCheck, snapshot)));
        }
    }

    /// A side has completed the moves of a period (6.3.1).
    fn note_controls<V: Variant>(&mut self, report: &mut Report<'_, V>) {
        let Some(control) = report.timing.control.clone() else { return };
        let completed = report.counts().completed;
        for side in Side::BOTH {
            let index = side.index();
            while let Some(required) = control.required_by(self.reached[index]) {
                if completed[index] < required {
                    break;
                }
                let period = self.reached[index];
                self.reached[index] += 1;
                // Reached before this table saw the game.
                if report.timing.moves_before[index] < required {
                    report.check_control(side, period);
                }
            }
        }
    }

    fn note_trouble<V: Variant>(&mut self, side: Side, reading: &ClockReading, report: &mut Report<'_, V>) {
        let index = side.index();
        let left_ms = reading.left_ms[index];
        let period = report.period_of(side) + 1;
        let limit_ms = u64::from(report.profile.time_trouble_s) * 1_000;
        if left_ms < limit_ms && self.trouble[index] < period {
            self.trouble[index] = period;
            report.open(Draft::notice(TimeTrouble { side, left_ms }));
        }
    }

    /// The player on move may claim or ask by guideline III (III.4, III.5; 2005: 10.2).
    fn note_zone<V: Variant>(&mut self, side: Side, reading: &ClockReading, report: &mut Report<'_, V>) {
        let index = side.index();
        let left_ms = reading.left_ms[index];
        let period = report.period_of(side);
        let is_last =
            report.timing.control.as_ref().is_none_or(|control| period + 1 == control.periods().len());
        let is_under = left_ms < u64::from(report.profile.qpf_threshold_s) * 1_000 && left_ms > 0;
        let is_zone = is_last && is_under && report.side_on_move() == side && report.is_qpf_in_force();
        if is_zone && !std::mem::replace(&mut self.is_zone_said[index], true) {
            report.open(Draft::notice(QpfZone { side, left_ms }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::testing::{Bench, reading};
    use super::*;
    use adoube_rules::laws::Name;

    #[test]
    fn time_trouble_and_the_regular_check_are_said_once() {
        let (mut reminders, mut bench) = (Reminders::default(), Bench::new());
        let mut remind = |second, left_s| {
            reminders.remind(&reading(left_s, Some(Side::White)), &mut bench.report(second));
            bench.said()
        };
        assert!(remind(60, [5_350, 5_400]).is_empty());
        assert_eq!(remind(1_811, [3_599, 5_400]), [Name::TimeCheck]);
        assert!(remind(1_812, [3_598, 5_400]).is_empty());
        let first = remind(1_900, [299, 5_400]);
        assert_eq!(first, [Name::TimeTrouble]);
        assert!(remind(1_901, [298, 5_400]).is_empty());
    }
}
