//! Whether the display shows what it should (6.2.6, 6.3.2, 6.10): at the start, at each press, in
//! between, and behind a pause.

pub(super) mod adjustments;
pub(super) mod flags;
mod setting;

use super::records::{Draft, Record};
use super::scene::{Report, Scene};
use crate::event::finding::{
    BySide, ClockDefect, ClockDefective, ClockSettingWrong, ClockTimes, Context, CounterCorrection, Finding,
};
use crate::event::{RecordId, Status, Times};
use crate::ply::Ply;
use adjustments::Grant;
use adoube_rules::Variant;
use adoube_rules::clock::{ClockDeviation, Expected, LONGEST_SHOWN_MS};
use adoube_rules::laws::Severity;
use adoube_rules::sensor::{ClockReading, Side};
use adoube_rules::stamp::{MS, SECOND, ms};
use flags::Flags;

/// What was seen of the display.
#[derive(Debug, Clone, Default)]
struct Display {
    /// Readings are missing: what the next one shows is taken as it is.
    is_blind: bool,
    /// Host time that each side's running move has used.
    used_ns: [u64; 2],
    /// How late the last reading of a running time may have come, held against the one that came soonest.
    late_ms: [i64; 2],
    /// The running side, what its display shows, and since when; what the other one showed then.
    stands: Option<Stands>,
    is_defect_said: bool,
    /// The last reading before the clock was unplugged, when that came, and the plies then.
    gone: Option<(ClockReading, u64, Ply)>,
}

#[derive(Debug, Clone, Copy)]
struct Stands {
    side: Side,
    left_ms: u64,
    since_ns: u64,
    /// What the side whose time stands showed when this time began to run.
    idle_ms: u64,
}

/// A running display that stands still so long beyond any delay is defective; the arbiter should know
/// well before a minute and a half of it is lost.
const STUCK_NS: u64 = 60 * SECOND;
/// A standing display that has gone down so far, second by second, runs too: more than the lag of
/// readings (dgt-protocol 4.4).
const BOTH_RUN_MS: u64 = 5_000;
/// Readings of a clock that ticks come no further apart than this, unless the line is late (dgt-protocol 4.4).
const TICK_MS: i64 = 1_100;
/// A time that differs by so much was set or jumped. Readings are whole seconds, up to one late.
const JUMP_MS: i64 = 2_000;
/// A reading comes so late at most. More would hide what an arbiter set; a line hangs for longer only when it is as
/// good as lost.
const LATE_MS: i64 = 5_000;

/// What the displays of a game should show, and what has fallen.
#[derive(Debug, Clone, Default)]
pub(super) struct Watch {
    /// By side.
    expected: [Option<Expected>; 2],
    display: Display,
    /// Changes of times that were announced and not seen yet (`adjustments`).
    grants: Vec<Grant>,
    /// Both times when the clocks were stopped, adjustments that were recognised since included.
    paused: Option<Times>,
    flags: Flags,
}

impl Watch {
    /// The flags.
    pub(super) fn flags(&self) -> &Flags {
        &self.flags
    }

    /// The period whose time runs down for `side`, from 0, if that is known.
    pub(super) fn period(&self, side: Side) -> Option<usize> {
        self.expected[side.index()].as_ref().map(Expected::period)
    }

    /// The time of the next period, if the clock has not given it yet.
    pub(super) fn next_base_ms(&self, side: Side) -> Option<u64> {
        self.expected[side.index()].as_ref().and_then(Expected::next_base_ms)
    }

    /// The two ends were taken for each other: what is shown from now on holds.
    pub(super) fn begin_again(&mut self) {
        (self.expected, self.display, self.flags) = Default::default();
    }

    /// Readings are missing: what the next one shows is taken as it is.
    pub(super) fn is_unseen(&mut self) {
        self.display.is_blind = true;
    }

    /// The clocks were stopped, with these times.
    pub(super) fn pauses(&mut self, times: Option<Times>) {
        self.paused = times;
    }

    /// Each move earns an increment from now on (III.4).
    pub(super) fn increment_begins(&mut self, extra_s: u32) {
        for expected in self.expected.iter_mut().flatten() {
            let control = expected.control().with_increment(extra_s);
            expected.set_control(control);
        }
    }

    /// Holds the flags of a reading against those before.
    pub(super) fn flags_read<V: Variant>(
        &mut self,
        before: Option<(ClockReading, u64)>,
        reading: &ClockReading,
        report: &mut Report<'_, V>,
    ) {
        self.flags.read(before, reading, report);
    }

    /// The side whose time ran has used up to now.
    pub(super) fn count_used(&mut self, before: Option<(ClockReading, u64)>, now_ns: u64) {
        let Some((before, before_ns)) = before else { return };
        if let Some(side) = before.running {
            self.display.used_ns[side.index()] += now_ns.saturating_sub(before_ns);
        }
    }

    /// Holds a reading against the one before it and against the time control.
    pub(super) fn compare_display<V: Variant>(
        &mut self,
        before: Option<(ClockReading, u64)>,
        reading: &ClockReading,
        is_press: bool,
        report: &mut Report<'_, V>,
    ) {
        self.expect_from(report.scene, reading);
        let Some((before, before_ns)) = before else { return };
        if std::mem::take(&mut self.display.is_blind) {
            self.adopt(report.scene, reading);
            self.clock_is_back(reading, report);
            return;
        }
        if report.timing.pause.is_some() {
            self.adjusted_while_paused(reading, report);
            return;
        }
        let elapsed_ms = i64::try_from(ms(report.now.mono_ns.saturating_sub(before_ns))).unwrap_or(i64::MAX);
        let mut differences_ms = [0; 2];
        for side in Side::BOTH {
            let index = side.index();
            if reading.flags[index] && !before.flags[index] {
                continue;
            }
            let late_ms = std::mem::take(&mut self.display.late_ms[index]);
            if is_press && before.running == Some(side) {
                // The press was somewhere between the two readings. If they are further apart than ticks, as of a
                // clock that reads at presses alone, what it gave cannot be told from what was used.
                let gain_ms = signed(reading.left_ms[index]) - signed(before.left_ms[index]);
                let gain_ms = Some(gain_ms + elapsed_ms / 2).filter(|_| elapsed_ms <= TICK_MS);
                self.compare_press(side, reading.left_ms[index], gain_ms, report);
                continue;
            }
            let runs = before.running == Some(side);
            let predicted_ms = signed(before.left_ms[index]) - if runs { elapsed_ms } else { 0 };
            let difference_ms = signed(reading.left_ms[index]) - predicted_ms;
            // In a delay the display of the running side stands.
            let slack_ms = if runs { elapsed_ms } else { 0 };
            let late_ms = if runs { late_ms } else { 0 };
            if runs || reading.running == Some(side) {
                let gone_ms = signed(before.left_ms[index]) - signed(reading.left_ms[index]);
                self.display.late_ms[index] = (late_ms + elapsed_ms - gone_ms).clamp(0, LATE_MS);
            }
            if difference_ms < -JUMP_MS - late_ms || difference_ms > JUMP_MS + slack_ms {
                differences_ms[index] = difference_ms;
                if predicted_ms <= 1_000 && runs {
                    differences_ms[index] = self.period_began(side, predicted_ms, difference_ms, report);
                }
            }
        }
        self.explain_jumps(differences_ms, reading.left_ms, report);
        self.watch_for_defect(reading, report);
    }

    /// The clock of a game under way was unplugged, or switched off (6.10.1): `before` was its last reading.
    pub(super) fn clock_unplugged<V: Variant>(
        &mut self,
        before: Option<(ClockReading, u64)>,
        report: &mut Report<'_, V>,
    ) {
        self.display.is_blind = true;
        let Some((last, at_ns)) = before.filter(|_| report.is_timed()) else { return };
        let plies = report.scene.game.as_ref().map_or(Ply::START, |game| game.tracker.plies());
        self.display.gone = Some((last, at_ns, plies));
        let defective = ClockDefective {
            clock_before: Some(Some(last.left_ms.into())),
            running: Some(last.running),
            ..report.defect(ClockDefect::Unplugged)
        };
        report.open(Draft::open(defective));
    }

    /// It is there again. If nobody has moved meanwhile, the time that ran is the host's, and the other one
    /// stood: what is shown otherwise was lost, or set.
    fn clock_is_back<V: Variant>(&mut self, reading: &ClockReading, report: &mut Report<'_, V>) {
        let is_unplugged = |record: &Record| {
            let Finding::ClockDefective(defective) = &record.finding else { return false };
            defective.sub == ClockDefect::Unplugged
        };
        report.close_all(is_unplugged, Status::Corrected);
        // Hands set it while it stands; what counts is what it runs on with.
        if reading.running.is_none() && self.display.gone.is_some() {
            self.display.is_blind = true;
            return;
        }
        let plies = report.scene.game.as_ref().map_or(Ply::START, |game| game.tracker.plies());
        let Some((last, at_ns, _)) = self.display.gone.take().filter(|gone| gone.2 == plies) else {
            return;
        };
        let gone_ms = ms(report.now.mono_ns.saturating_sub(at_ns));
        for side in Side::BOTH {
            let index = side.index();
            let used_ms = if last.running == Some(side) { gone_ms } else { 0 };
            let expected_ms = last.left_ms[index].saturating_sub(used_ms);
            let deviation = ClockDeviation { expected_ms, seen_ms: reading.left_ms[index] };
            if deviation.difference_ms().abs() > JUMP_MS {
                setting_wrong(side, deviation, report);
            }
        }
    }

    /// What each display should show from here on, where the start was not seen.
    fn expect_from<V: Variant>(&mut self, scene: &Scene<V>, reading: &ClockReading) {
        let Some(control) = scene.timing.control.clone() else { return };
        let rules = scene.clock_rules();
        let completed = scene.counts().completed;
        for side in Side::BOTH {
            let index = side.index();
            if self.expected[index].is_some() {
                continue;
            }
            // A clock that does not count moves gives the next period's time when the old one has
            // run down: until then it is the first period's that it shows.
            let given =
                if reading.counter.is_some() { control.period_index(completed[index]) + 1 } else { 1 };
            let left_ms = reading.left_ms[index];
            let expected = Expected::resume(control.clone(), rules, left_ms, completed[index], given);
            self.expected[index] = Some(expected);
            self.display.used_ns[index] = 0;
        }
    }

    /// Readings were missed: what is shown holds.
    pub(super) fn adopt<V: Variant>(&mut self, scene: &Scene<V>, reading: &ClockReading) {
        let completed = scene.counts().completed;
        for side in Side::BOTH {
            let index = side.index();
            self.display.used_ns[index] = 0;
            if let Some(expected) = &mut self.expected[index] {
                expected.adopt(reading.left_ms[index], completed[index]);
            }
        }
        self.display.stands = None;
    }

    /// The display behind a press of `side`: what was used, what the press gives.
    fn compare_press<V: Variant>(
        &mut self,
        side: Side,
        seen_ms: u64,
        gain_ms: Option<i64>,
        report: &mut Report<'_, V>,
    ) {
        let index = side.index();
        let used_ms = std::mem::take(&mut self.display.used_ns[index]) / MS;
        let Some(expected) = &mut self.expected[index] else { return };
        let has_given = gain_ms.is_some_and(|gain_ms| expected.has_given(gain_ms));
        let drift_ms = gain_ms.and_then(|gain_ms| expected.gained(gain_ms));
        let drifted = |ms: i64| ClockDeviation { expected_ms: seen_ms.saturating_add_signed(-ms), seen_ms };
        let deviation = expected.press(used_ms, Some(seen_ms)).filter(|_| !has_given);
        let deviation = deviation.or_else(|| drift_ms.map(drifted));
        let Some(deviation) = deviation else { return };
        let mut differences_ms = [0; 2];
        differences_ms[index] = deviation.difference_ms();
        let times = report.times().unwrap_or_default();
        if self.explain(differences_ms, times, report)[index] != 0 {
            setting_wrong(side, deviation, report);
        }
    }

    /// The old time has run down and the clock shows more: the next period's, if it is right.
    fn period_began<V: Variant>(
        &mut self,
        side: Side,
        predicted_ms: i64,
        difference_ms: i64,
        report: &mut Report<'_, V>,
    ) -> i64 {
        let Some(expected) = &mut self.expected[side.index()] else { return difference_ms };
        let Some(base_ms) = expected.next_base_ms() else { return difference_ms };
        let period = expected.period();
        self.flags.time_ran_out(side, period, report);
        let Some(expected) = &mut self.expected[side.index()] else { return difference_ms };
        expected.give_period();
        expected.adjust(difference_ms);
        if (difference_ms - signed(base_ms)).abs() > JUMP_MS {
            let expected_ms = u64::try_from(predicted_ms.max(0)).unwrap_or(0) + base_ms;
            let seen_ms = u64::try_from((predicted_ms + difference_ms).max(0)).unwrap_or(0);
            setting_wrong(side, ClockDeviation { expected_ms, seen_ms }, report);
        }
        report.scene.timing.scoresheets.period_ran_out(side, period, report);
        0
    }

    /// Sets what is expected after `difference_ms` were set by hand. True if that was the time of a
    /// period that the moves have earned and the clock had not given, or what somebody took for it.
    pub(super) fn earned_period<V: Variant>(
        &mut self,
        side: Side,
        difference_ms: i64,
        now_ms: u64,
        report: &mut Report<'_, V>,
    ) -> bool {
        let completed = report.counts().completed[side.index()];
        let Some(expected) = &mut self.expected[side.index()] else { return false };
        let period = expected.period();
        let is_reached = expected.control().required_by(period).is_some_and(|required| completed >= required);
        let Some(base_ms) = expected.next_base_ms().filter(|_| is_reached) else { return false };
        // Far less than the period's time is something else.
        if difference_ms < signed(base_ms) / 2 {
            return false;
        }
        expected.give_period();
        if (difference_ms - signed(base_ms)).abs() > JUMP_MS {
            let before_ms = u64::try_from(signed(now_ms) - difference_ms).unwrap_or(0);
            let deviation = ClockDeviation { expected_ms: before_ms + base_ms, seen_ms: now_ms };
            setting_wrong(side, deviation, report);
        }
        true
    }

    /// A display that stands while it should run, or runs while it should stand (6.10.1).
    fn watch_for_defect<V: Variant>(&mut self, reading: &ClockReading, report: &mut Report<'_, V>) {
        let at_ns = report.now.mono_ns;
        let Some(side) = reading.running else {
            self.display.stands = None;
            return;
        };
        let (left_ms, idle_ms) = (reading.left_ms[side.index()], reading.left_ms[side.other().index()]);
        let Some(stands) = self.display.stands.filter(|stands| stands.side == side) else {
            self.display.stands = Some(Stands { side, left_ms, since_ns: at_ns, idle_ms });
            return;
        };
        let went_down = left_ms < stands.left_ms;
        if went_down || left_ms > stands.left_ms {
            self.display.stands = Some(Stands { left_ms, since_ns: at_ns, ..stands });
        }
        if self.display.is_defect_said {
            return;
        }
        let delay_ms = self.expected[side.index()]
            .as_ref()
            .map_or(0, |expected| expected.control().extra_ms(expected.completed()));
        let stood_ns = at_ns.saturating_sub(stands.since_ns);
        if left_ms == stands.left_ms && left_ms < LONGEST_SHOWN_MS && stood_ns >= STUCK_NS + delay_ms * MS {
            let mut then = reading.left_ms;
            then[side.index()] = left_ms.saturating_sub(ms(stood_ns));
            let defective = ClockDefective {
                side: Some(side),
                stood_ms: Some(ms(stood_ns)),
                ..report.defect(ClockDefect::DisplayStuck)
            };
            self.defective(defective, then, reading.left_ms, report);
        } else if went_down && idle_ms + BOTH_RUN_MS <= stands.idle_ms {
            let mut then = reading.left_ms;
            then[side.other().index()] = stands.idle_ms;
            self.defective(report.defect(ClockDefect::BothRunning), then, reading.left_ms, report);
        }
    }

    fn defective<V: Variant>(
        &mut self,
        defective: ClockDefective,
        then: Times,
        now: Times,
        report: &mut Report<'_, V>,
    ) {
        self.display.is_defect_said = true;
        let record = report.open(Draft::open(defective));
        report.propose_times(record, then, now);
    }

    /// The standing display was set anew.
    pub(super) fn forget_standing(&mut self) {
        self.display.stands = None;
    }
}

impl<V: Variant> Scene<V> {
    /// What is wrong with the clock, as far as any defect tells it.
    fn defect(&self, sub: ClockDefect) -> ClockDefective {
        let completed = BySide::from(self.counts().completed);
        ClockDefective { side: None, sub, clock_before: None, running: None, stood_ms: None, completed }
    }
}

impl<V: Variant> Report<'_, V> {
    /// Times for the arbiter to set, or to leave.
    pub(super) fn propose_times(&mut self, record: RecordId, then: Times, now: Times) {
        let times = ClockTimes { then: Some(then.into()), start: None, unchanged: Some(now.into()) };
        self.propose(Draft::open(times), record);
    }
}

/// `side`'s display shows another time than it should.
pub(super) fn wrong_setting(
    side: Side,
    deviation: ClockDeviation,
    context: Option<Context>,
) -> ClockSettingWrong {
    let [white_ms, black_ms] = Side::BOTH.map(|of| (of == side).then(|| deviation.difference_ms()));
    ClockSettingWrong {
        ply: None,
        side: Some(side),
        context,
        expected: None,
        seen: None,
        expected_ms: Some(deviation.expected_ms),
        seen_ms: Some(deviation.seen_ms),
        white_ms,
        black_ms,
    }
}

pub(super) fn signed(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}

/// `clock-setting-wrong`: in reduced play nothing is changed once each has completed so many
/// moves (A.4.1.1).
fn setting_wrong<V: Variant>(side: Side, deviation: ClockDeviation, report: &mut Report<'_, V>) {
    let completed = report.counts().completed;
    let is_late = report
        .profile
        .clock_setting_deadline_moves
        .is_some_and(|deadline| completed.iter().all(|&completed| completed >= deadline));
    let mut draft = Draft::open(wrong_setting(side, deviation, None));
    if is_late {
        draft = draft.severity(Severity::Info);
    }
    let record = report.open(draft);
    if is_late || !report.profile.clock_setting_rule {
        return;
    }
    let Some(now) = report.times() else { return };
    let mut then = now;
    then[side.index()] = now[side.index()].saturating_add_signed(-deviation.difference_ms());
    report.propose_times(record, then, now);
    if report.clock.last().is_some_and(|reading| reading.counter.is_some()) {
        let correction = CounterCorrection { side, value: completed[side.index()] };
        report.propose(Draft::open(correction), record);
    }
}

#[cfg(test)]
mod tests {
    use crate::event::Event;
    use crate::station::{FRAMES, Input, Open, Output, Station};
    use adoube_rules::sensor::{ClockReading, Reading, Side};
    use adoube_rules::stamp::{SECOND, Stamp};

    /// The names of what a clock gives rise to that shows `times_s` second by second, White's running.
    fn said(times_s: impl Iterator<Item = [u64; 2]>) -> Vec<&'static str> {
        said_of((0..).zip(times_s).map(|(second, times_s)| (second, times_s, Some(Side::White))))
    }

    /// The same, of readings that come in the seconds given and say whose time runs.
    fn said_of(readings: impl Iterator<Item = (u64, [u64; 2], Option<Side>)>) -> Vec<&'static str> {
        said_in(true, readings)
    }

    /// The same of a game that is under way, or of one that is about to begin.
    pub(super) fn said_in(
        in_progress: bool,
        readings: impl Iterator<Item = (u64, [u64; 2], Option<Side>)>,
    ) -> Vec<&'static str> {
        const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let mut open = Open::new("1", FRAMES, "test");
        open.start = Some(START.to_owned());
        open.time_control = Some("5400".to_owned());
        open.in_progress = in_progress;
        let stamp = |second: u64| Stamp { mono_ns: second * SECOND, utc_ns: 0 };
        let mut station = Station::open(open, stamp(0)).unwrap();
        let mut output = Output::default();
        let men = adoube_rules::sensor::Frame::Identity(
            adoube_rules::ChessPosition::from_fen(START, false).unwrap().contents(),
        );
        station.handle(&Input::Reading(Reading::Frame(men)), stamp(0), &mut output);
        for (second, times_s, running) in readings {
            let reading = ClockReading {
                left_ms: times_s.map(|time_s| time_s * 1_000),
                running,
                lever: Some(Side::White),
                flags: [false; 2],
                counter: None,
                by_end: false,
            };
            station.handle(&Input::Reading(Reading::Clock(Some(reading))), stamp(second), &mut output);
        }
        output.events.iter().map(|event: &Event| event.body.name().as_str()).collect()
    }

    #[test]
    fn a_display_that_stands_is_defective() {
        let stuck = |limit: u64| (0..limit).map(|second| [5_400 - second.min(30), 5_400]);
        assert!(!said(stuck(80)).contains(&"clock-defective"));
        let said = said(stuck(120));
        assert_eq!(said.iter().filter(|&&name| name == "clock-defective").count(), 1);
        assert!(said.contains(&"clock-times"));
    }

    /// A reading that was asked for in time and answered late is of the second in which it was made.
    #[test]
    fn a_late_reading_is_no_jump() {
        let standing = (0..5).map(|second| (second, [5_400, 5_400], None));
        for late_s in 1..=5 {
            // The clock runs from the fifth second on.
            let first = std::iter::once((6 + late_s, [5_399, 5_400], Some(Side::White)));
            let then = (7 + late_s..30).map(|second| (second, [5_405 - second, 5_400], Some(Side::White)));
            let said = said_of(standing.clone().chain(first).chain(then));
            assert_eq!(said.iter().find(|name| name.starts_with("clock-time")), None, "{late_s} s late");
        }
        for late_s in 1..=5 {
            let runs = |second: u64| (second, [5_400 - second, 5_400], Some(Side::White));
            let late = std::iter::once((10 + late_s, [5_390, 5_400], Some(Side::White)));
            let said = said_of((0..10).map(runs).chain(late).chain((11 + late_s..30).map(runs)));
            assert_eq!(said.iter().find(|name| name.starts_with("clock-time")), None, "{late_s} s late");
        }
        // One that was in time is: two minutes, or ten seconds.
        for jump_s in [3, 10, 120] {
            let runs = |jump_s: u64| {
                move |second: u64| (second, [5_400 - second - jump_s, 5_400], Some(Side::White))
            };
            let said = said_of((0..10).map(runs(0)).chain((10..30).map(runs(jump_s))));
            assert_eq!(said.iter().filter(|&&name| name == "clock-time-jump").count(), 1, "{jump_s} s");
        }
    }

    #[test]
    fn two_displays_that_run_are_defective() {
        let said = said((0..20).map(|second| [5_400 - second, 5_400 - second]));
        assert_eq!(said.iter().filter(|&&name| name == "clock-defective").count(), 1);
    }

    #[test]
    fn a_clock_that_ticks_is_not() {
        let said = said((0..1_000).map(|second| [5_400 - second, 5_400]));
        assert!(
            !said.iter().any(|name| name.starts_with("clock-defective") || name.starts_with("clock-time"))
        );
    }
}
