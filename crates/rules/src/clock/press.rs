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
    /// The clock does not say that it runs, and has just been found to: it may have for a while.
    pub understood: bool,
}

/// The readings of one clock.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct ClockLog {
    last: Option<(ClockReading, u64)>,
    /// A reading, or the lack of a clock, was reported already.
    reported: bool,
    /// The clock has run in this game.
    has_run: bool,
    /// What its times say of a clock that never says that it runs.
    #[serde(default)]
    unsaid: Unsaid,
}

/// A clock that does not say whose time runs, or whether any does: its times tell.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Unsaid {
    /// It has said so once: it is believed.
    is_said: bool,
    /// One of its times has been seen to run.
    is_known: bool,
    /// Readings in a row that one time fell with.
    falls: u8,
    /// When a time last fell.
    fell_ns: u64,
}

/// A time that falls as time passes, so often in a row, is set by no hand.
const FALLS: u8 = 3;
/// A time that has not fallen for so long stands.
const STANDS_NS: u64 = 2_500 * MS;
/// A press gives this at most; who sets a clock gives more.
const GIVEN_MS: i64 = 60_000;
/// How far whole seconds, a little late, may be from the time that has passed.
const FALL_TOLERANCE_MS: i64 = 1_500;

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

    /// The reading with whose time runs, where the clock does not say it: a time that falls is running.
    fn understood(&mut self, now: ClockReading, at_ns: u64) -> ClockReading {
        self.unsaid.is_said |= now.running.is_some();
        let Some((before, before_ns)) = self.last.filter(|_| !self.unsaid.is_said) else { return now };
        let signed = |ms: u64| i64::try_from(ms).unwrap_or(i64::MAX);
        let elapsed_ms = signed(at_ns.saturating_sub(before_ns) / MS);
        let gone_ms = Side::BOTH.map(|side| {
            signed(before.left_ms[side.index()]).saturating_sub(signed(now.left_ms[side.index()]))
        });
        let falls = |side: Side| {
            let (gone_ms, others_ms) = (gone_ms[side.index()], gone_ms[side.other().index()]);
            gone_ms > 0 && others_ms <= 0 && (gone_ms - elapsed_ms).abs() <= FALL_TOLERANCE_MS
        };
        let fallen = Side::BOTH.into_iter().find(|&side| falls(side));
        // Behind a press it is the other time that runs; the increment may hide what has gone.
        let pressed = before.lever.filter(|&side| now.lever == Some(side.other()));
        let is_press = pressed.is_some_and(|side| {
            let (gone_ms, others_ms) = (gone_ms[side.index()], gone_ms[side.other().index()]);
            gone_ms != 0 && others_ms == 0 && (-GIVEN_MS..=elapsed_ms + FALL_TOLERANCE_MS).contains(&gone_ms)
        });
        let unsaid = &mut self.unsaid;
        let is_still = gone_ms == [0; 2] && at_ns.saturating_sub(unsaid.fell_ns) < STANDS_NS;
        unsaid.falls = match fallen {
            Some(_) => unsaid.falls.saturating_add(1),
            None if is_still => unsaid.falls,
            None => 0,
        };
        unsaid.is_known |= is_press || unsaid.falls >= FALLS;
        if fallen.is_some() || is_press {
            unsaid.fell_ns = at_ns;
        }
        let runs_on = before.running.filter(|_| at_ns.saturating_sub(unsaid.fell_ns) < STANDS_NS);
        let running = match pressed {
            Some(side) if is_press || before.running == Some(side) => Some(side.other()),
            _ => fallen.or(runs_on),
        };
        let running = running.filter(|_| unsaid.is_known && !now.flags.contains(&true));
        ClockReading { running, lever: now.lever.or(running), ..now }
    }

    /// Takes a reading of the game's sides (already swapped for a turned board).
    pub fn read(&mut self, reading: Option<ClockReading>, at_ns: u64) -> ClockNews {
        let before = self.last;
        let reading = reading.map(|reading| self.understood(reading, at_ns));
        self.last = reading.map(|reading| (reading, at_ns));
        let first = !std::mem::replace(&mut self.reported, true);
        let Some(now) = reading else {
            return ClockNews { unexpected: before.is_some() || first, ..ClockNews::default() };
        };
        let had_run = self.has_run;
        let understood = !had_run && self.unsaid.is_known;
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
            understood,
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

    /// A reading of a clock that says nothing of what runs.
    fn unsaid(white_s: u64, black_s: u64, lever: Option<Side>) -> Option<ClockReading> {
        let told = reading(white_s, black_s, Side::White, false);
        told.map(|told| ClockReading { lever, ..told })
    }

    #[test]
    fn a_time_that_falls_is_running() {
        let white = Some(Side::White);
        let mut log = ClockLog::default();
        for (s, left_s) in [(0, 100), (5, 100), (6, 99), (7, 98)] {
            assert_eq!(log.read(unsaid(left_s, 100, white), s * SECOND).started, None);
        }
        assert_eq!(log.read(unsaid(97, 100, white), 8 * SECOND).started, white);
        // The press falls between two readings; both times stand for a moment.
        let pressed = log.read(unsaid(97, 100, Some(Side::Black)), 9 * SECOND);
        assert_eq!((pressed.pressed, pressed.stopped), (white, None));
        log.read(unsaid(97, 99, Some(Side::Black)), 10 * SECOND);
        assert_eq!(log.last().unwrap().running, Some(Side::Black));
        // Halted.
        assert_eq!(log.read(unsaid(97, 99, Some(Side::Black)), 11 * SECOND).stopped, None);
        assert_eq!(log.read(unsaid(97, 99, Some(Side::Black)), 13 * SECOND).stopped, Some(Side::Black));
    }

    #[test]
    fn a_clock_without_a_lever_is_read_by_what_falls() {
        let mut log = ClockLog::default();
        for (s, left_s) in [(0, 100), (1, 99), (2, 98), (3, 97)] {
            log.read(unsaid(left_s, 100, None), s * SECOND);
        }
        assert_eq!(log.read(unsaid(97, 99, None), 4 * SECOND).pressed, Some(Side::White));
    }

    #[test]
    fn a_clock_that_reads_at_presses_alone_is_understood_by_them() {
        let mut log = ClockLog::default();
        log.read(unsaid(100, 100, Some(Side::White)), 0);
        let first = log.read(unsaid(88, 100, Some(Side::Black)), 12 * SECOND);
        assert_eq!((first.pressed, first.started), (Some(Side::White), Some(Side::Black)));
        let second = log.read(unsaid(88, 97, Some(Side::White)), 15 * SECOND);
        assert_eq!((second.pressed, second.started), (Some(Side::Black), None));
    }

    #[test]
    fn hands_that_set_a_clock_start_none() {
        let mut log = ClockLog::default();
        log.read(unsaid(0, 0, Some(Side::White)), 0);
        for (s, white_s, black_s, lever) in [
            (2, 5_400, 0, Side::White),
            (4, 5_400, 5_400, Side::Black),
            (6, 5_398, 5_400, Side::Black),
            (7, 5_370, 5_400, Side::White),
            (9, 5_400, 5_400, Side::White),
        ] {
            let news = log.read(unsaid(white_s, black_s, Some(lever)), s * SECOND);
            assert_eq!((news.started, news.pressed), (None, None), "at {s} s");
        }
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
