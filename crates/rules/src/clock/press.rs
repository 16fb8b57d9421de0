//! From clock readings to presses.
//!
//! A clock has no message for a press: it is seen as the lever having changed in the next reading
//! (dgt-protocol 3.6), with the increment already added.

use serde::{Deserialize, Serialize};

use crate::sensor::{ClockReading, Side};
use crate::stamp::MS;

/// What a reading says that the one before it did not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClockNews {
    /// This side pressed: its lever end went down while the clock ran.
    pub pressed: Option<Side>,
    /// The clock was started (it stood, or was not there before).
    pub started: Option<Side>,
    /// The clock was stopped: this side's time ran before, and no flag stopped it.
    pub stopped: Option<Side>,
    /// The reading is not what the last one predicts within a second.
    pub unexpected: bool,
}

/// The readings of one clock.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct ClockLog {
    last: Option<(ClockReading, u64)>,
    /// A reading, or the lack of a clock, was reported already.
    reported: bool,
    /// The clock has run in this game.
    has_run: bool,
}

/// Times are whole seconds and come up to a second late (dgt-protocol 4.4).
const TOLERANCE_MS: u64 = 1_000;

impl ClockLog {
    /// The last reading, if there is a clock.
    #[must_use]
    pub fn last(&self) -> Option<&ClockReading> {
        self.last.as_ref().map(|(reading, _)| reading)
    }

    /// The last reading, and when it came.
    #[must_use]
    pub fn last_at(&self) -> Option<(ClockReading, u64)> {
        self.last
    }

    /// The clock has run in this game.
    #[must_use]
    pub fn has_run(&self) -> bool {
        self.has_run
    }

    /// Another game begins: a clock that stands has not been started for it.
    pub fn begin_game(&mut self) {
        self.has_run = self.last().is_some_and(|reading| reading.running.is_some());
    }

    /// The two ends were taken for each other.
    pub fn swap(&mut self) {
        self.last = self.last.map(|(reading, at_ns)| (reading.swapped(), at_ns));
    }

    /// Takes a reading of the game's sides (already swapped for a turned board).
    pub fn read(&mut self, reading: Option<ClockReading>, at_ns: u64) -> ClockNews {
        let before = self.last;
        self.last = reading.map(|reading| (reading, at_ns));
        let first = !std::mem::replace(&mut self.reported, true);
        let Some(now) = reading else {
            return ClockNews { unexpected: before.is_some() || first, ..ClockNews::default() };
        };
        let had_run = self.has_run;
        self.has_run |= now.running.is_some();
        let Some((before, before_ns)) = before else {
            return ClockNews { started: now.running, unexpected: true, ..ClockNews::default() };
        };
        let lever_changed = before.lever.is_some() && now.lever.is_some() && before.lever != now.lever;
        // The press may be the one that starts the clock; a clock that was halted is started again by
        // an arbiter. It may also find the other flag down, and then no time runs behind it.
        let can_press = before.running.is_some() || (now.running.is_some() && !had_run);
        let is_blocked = |side: Side| now.flags[side.index()];
        ClockNews {
            pressed: now.lever.filter(|_| lever_changed && can_press).map(Side::other),
            started: now.running.filter(|_| before.running.is_none()),
            stopped: before
                .running
                .filter(|&side| now.running.is_none() && !is_blocked(now.lever.unwrap_or(side))),
            unexpected: !is_predicted(&before, before_ns, &now, at_ns),
        }
    }
}

fn is_predicted(before: &ClockReading, before_ns: u64, now: &ClockReading, at_ns: u64) -> bool {
    if (before.running, before.lever, before.flags) != (now.running, now.lever, now.flags) {
        return false;
    }
    let elapsed_ms = at_ns.saturating_sub(before_ns) / MS;
    Side::BOTH.into_iter().all(|side| {
        let used_ms = if before.running == Some(side) { elapsed_ms } else { 0 };
        let expected_ms = before.left_ms[side.index()].saturating_sub(used_ms);
        expected_ms.abs_diff(now.left_ms[side.index()]) <= TOLERANCE_MS
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stamp::SECOND;

    fn reading(white_s: u64, black_s: u64, lever: Side, running: bool) -> Option<ClockReading> {
        Some(ClockReading {
            left_ms: [white_s * 1_000, black_s * 1_000],
            running: running.then_some(lever),
            lever: Some(lever),
            flags: [false; 2],
            counter: None,
            by_end: false,
        })
    }

    #[test]
    fn a_lever_that_changes_while_the_clock_runs_is_a_press() {
        let mut log = ClockLog::default();
        let first = log.read(reading(182, 182, Side::White, false), 0);
        assert_eq!(first, ClockNews { unexpected: true, ..ClockNews::default() });
        let started = log.read(reading(182, 182, Side::White, true), SECOND);
        assert_eq!(
            started,
            ClockNews { started: Some(Side::White), unexpected: true, ..ClockNews::default() }
        );
        assert_eq!(log.read(reading(181, 182, Side::White, true), 2 * SECOND), ClockNews::default());
        let pressed = log.read(reading(183, 182, Side::Black, true), 3 * SECOND);
        assert_eq!(
            pressed,
            ClockNews { pressed: Some(Side::White), unexpected: true, ..ClockNews::default() }
        );
    }

    #[test]
    fn ticking_is_no_news_and_a_jump_is() {
        let mut log = ClockLog::default();
        log.read(reading(100, 100, Side::White, true), 0);
        assert!(!log.read(reading(98, 100, Side::White, true), 2 * SECOND).unexpected);
        assert!(log.read(reading(90, 100, Side::White, true), 3 * SECOND).unexpected);
        assert!(log.read(None, 4 * SECOND).unexpected);
        assert!(!log.read(None, 5 * SECOND).unexpected);
    }

    #[test]
    fn a_lever_moved_while_the_clock_stands_is_no_press() {
        let mut log = ClockLog::default();
        log.read(reading(100, 100, Side::Black, false), 0);
        assert_eq!(log.read(reading(100, 100, Side::White, false), SECOND).pressed, None);
        let black_starts = log.read(reading(100, 100, Side::White, true), 2 * SECOND);
        assert_eq!((black_starts.pressed, black_starts.started), (None, Some(Side::White)));
    }

    #[test]
    fn a_clock_that_is_started_again_was_not_pressed() {
        let mut log = ClockLog::default();
        log.read(reading(100, 100, Side::Black, true), 0);
        let halted = log.read(reading(100, 99, Side::Black, false), SECOND);
        assert_eq!((halted.stopped, halted.pressed), (Some(Side::Black), None));
        let started = log.read(reading(100, 99, Side::White, true), 2 * SECOND);
        assert_eq!((started.started, started.pressed), (Some(Side::White), None));
    }

    #[test]
    fn a_flag_stops_no_clock() {
        let mut log = ClockLog::default();
        log.read(reading(1, 99, Side::White, true), 0);
        let mut fallen = reading(0, 99, Side::White, false);
        fallen.as_mut().unwrap().flags = [true, false];
        assert_eq!(log.read(fallen, SECOND).stopped, None);
    }
}
