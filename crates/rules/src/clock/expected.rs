//! What a side's clock should show after a press, and whether it does (6.3.2, laws-model 10).

use super::{ClockMode, TimeControl};

/// How clocks of an event are set and read, where the time control leaves it open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockRules {
    /// The clock shows the first move's increment before the move. On: DGT's clocks do (3+2 shows
    /// 3:02, dgt-protocol 4.4).
    pub first_increment: bool,
    /// Unused time goes on to the next period. On (6.3.2); only the Laws of 2005 make an exception
    /// of the delay (2005: 6.2b).
    pub carry_over: bool,
    /// A reading so far from the expected one is right, milliseconds. Two seconds: displays are in
    /// whole seconds and come up to a second late, once at each end of the time used.
    pub tolerance_ms: u64,
}

impl Default for ClockRules {
    fn default() -> Self {
        Self { first_increment: true, carry_over: true, tolerance_ms: 2_000 }
    }
}

/// The longest time that a DGT clock can report, milliseconds: 9:59:59 (dgt-protocol 4.4). One that has
/// more shows this until it has come down to it.
pub const LONGEST_SHOWN_MS: u64 = 35_999_000;

/// A time that stands is shown as it is: one second may be rounded off it.
const STANDING_TOLERANCE_MS: u64 = 1_000;

/// Presses over which it is added up what each gave too much or too little, and what that may come to,
/// milliseconds. Displays round half a second at most to one side; an increment of two seconds that is
/// missing is missed after three presses.
const DRIFT_PRESSES: u32 = 8;
const DRIFT_MS: i64 = 5_000;
/// A press that gives so much, milliseconds, gave a period.
const PERIOD_MS: i64 = 60_000;

/// A reading that the time control does not give: `clock-setting-wrong`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockDeviation {
    /// What the clock should show.
    pub expected_ms: u64,
    /// What it shows.
    pub seen_ms: u64,
}

impl ClockDeviation {
    /// How much too much the clock shows; negative if too little.
    #[must_use]
    pub fn difference_ms(self) -> i64 {
        difference_ms(self.expected_ms, self.seen_ms)
    }
}

fn difference_ms(expected_ms: u64, seen_ms: u64) -> i64 {
    let distance = i64::try_from(expected_ms.abs_diff(seen_ms)).unwrap_or(i64::MAX);
    if seen_ms < expected_ms { -distance } else { distance }
}

/// Does a display that shows `seen_ms` stand at `expected_ms`, as far as it can tell?
fn is_shown_within(expected_ms: u64, seen_ms: u64, tolerance_ms: u64) -> bool {
    let is_at_its_end = expected_ms > LONGEST_SHOWN_MS && seen_ms.abs_diff(LONGEST_SHOWN_MS) <= tolerance_ms;
    expected_ms.abs_diff(seen_ms) <= tolerance_ms || is_at_its_end
}

/// One side's clock, from press to press.
///
/// A clock that counts moves gives the next period's time at the control move; one that does not
/// gives it when the old time has run down. Both are right, and which one it is shows at the control.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    control: TimeControl,
    rules: ClockRules,
    left_ms: u64,
    completed: u32,
    /// Periods whose time is on the clock.
    given: usize,
    /// What so many presses gave too much, together.
    drift_ms: i64,
    presses: u32,
}

/// A reading that the control gives.
#[derive(Debug, Clone, Copy)]
struct Outcome {
    left_ms: u64,
    given: usize,
}

impl Expected {
    /// A clock before the first move; `handicap_s` is taken off a player who cannot use the clock
    /// himself (6.2.6).
    #[must_use]
    pub fn start(control: TimeControl, rules: ClockRules, handicap_s: u32) -> Self {
        let left_ms = control.start_ms(rules.first_increment).saturating_sub(u64::from(handicap_s) * 1_000);
        Self { control, rules, left_ms, completed: 0, given: 1, drift_ms: 0, presses: 0 }
    }

    /// A clock in a game under way: what it shows, how many moves its owner has completed, and how
    /// many periods' time it has been given.
    #[must_use]
    pub fn resume(
        control: TimeControl,
        rules: ClockRules,
        left_ms: u64,
        completed: u32,
        given: usize,
    ) -> Self {
        Self { control, rules, left_ms, completed, given, drift_ms: 0, presses: 0 }
    }

    /// The time control.
    #[must_use]
    pub fn control(&self) -> &TimeControl {
        &self.control
    }

    /// Another control holds from now on.
    pub fn set_control(&mut self, control: TimeControl) {
        self.control = control;
    }

    /// The period whose time is running down, from 0.
    #[must_use]
    pub fn period(&self) -> usize {
        self.given.saturating_sub(1)
    }

    /// The time of the next period, if there is one that is not on the clock yet.
    #[must_use]
    pub fn next_base_ms(&self) -> Option<u64> {
        (self.given < self.control.periods().len()).then(|| self.control.base_ms(self.given))
    }

    /// The next period's time was put on the clock, by itself or by hand.
    pub fn give_period(&mut self) {
        self.given += 1;
    }

    /// What the clock shows while the opponent thinks.
    #[must_use]
    pub fn left_ms(&self) -> u64 {
        self.left_ms
    }

    /// The side's completed moves.
    #[must_use]
    pub fn completed(&self) -> u32 {
        self.completed
    }

    /// Holds a reading taken while the side's time stands against what it should be.
    #[must_use]
    pub fn deviation(&self, seen_ms: u64) -> Option<ClockDeviation> {
        let is_right = is_shown_within(self.left_ms, seen_ms, STANDING_TOLERANCE_MS);
        (!is_right).then_some(ClockDeviation { expected_ms: self.left_ms, seen_ms })
    }

    /// A move is completed that took `used_ms`: the side's new time, and what is wrong with
    /// `seen_ms`, the reading behind the press, if there is one. The reading holds from then on, so
    /// that one deviation is told once.
    pub fn press(&mut self, used_ms: u64, seen_ms: Option<u64>) -> Option<ClockDeviation> {
        let outcomes = self.outcomes(used_ms);
        let first = outcomes[0].unwrap_or(Outcome { left_ms: 0, given: self.given });
        let fitting = outcomes
            .into_iter()
            .flatten()
            .find(|outcome| seen_ms.is_none_or(|seen_ms| self.is_right(outcome.left_ms, seen_ms)));
        self.completed += 1;
        let expected_ms = fitting.unwrap_or(first).left_ms;
        self.given = fitting.unwrap_or(first).given;
        // Above 9:59:59 the display does not tell.
        let told_ms = seen_ms.filter(|_| expected_ms <= LONGEST_SHOWN_MS);
        self.left_ms = told_ms.unwrap_or(expected_ms);
        let seen_ms = seen_ms?;
        (!self.is_right(expected_ms, seen_ms)).then_some(ClockDeviation { expected_ms, seen_ms })
    }

    /// The display gained `gain_ms` with the press that comes now. How much too much the last presses gave
    /// together, negative if too little, if that is more than rounding: increments that are missing, or are
    /// seen twice, and are too small to be missed at one press.
    pub fn gained(&mut self, gain_ms: i64) -> Option<i64> {
        if !matches!(self.control.mode(), ClockMode::None | ClockMode::Increment)
            || gain_ms >= PERIOD_MS
            || self.left_ms > LONGEST_SHOWN_MS
        {
            return None;
        }
        let increment_ms = i64::try_from(self.control.increment_ms(self.earned())).unwrap_or(i64::MAX);
        self.drift_ms = self.drift_ms.saturating_add(gain_ms.saturating_sub(increment_ms));
        self.presses += 1;
        let drift_ms = self.drift_ms;
        let is_too_much = drift_ms.abs() > DRIFT_MS;
        if is_too_much || self.presses == DRIFT_PRESSES {
            self.forget_drift();
        }
        is_too_much.then_some(drift_ms)
    }

    /// The press that comes now gave what it should, by the display alone: `gain_ms` from the last reading
    /// before it to the first one behind. Whoever reads late cannot tell how long a move took, but can tell
    /// this.
    #[must_use]
    pub fn has_given(&self, gain_ms: i64) -> bool {
        let increment_ms = self.control.increment_ms(self.earned());
        matches!(self.control.mode(), ClockMode::None | ClockMode::Increment)
            && gain_ms.saturating_sub_unsigned(increment_ms).unsigned_abs() <= self.rules.tolerance_ms
    }

    /// The move whose increment comes with the next press: with the first one on the clock, the next move's.
    fn earned(&self) -> u32 {
        if self.rules.first_increment { self.completed + 1 } else { self.completed }
    }

    fn forget_drift(&mut self) {
        (self.drift_ms, self.presses) = (0, 0);
    }

    /// What the display shows holds, as far as it can tell: above 9:59:59 it does not.
    pub fn take_shown(&mut self, seen_ms: u64) {
        if !is_shown_within(self.left_ms, seen_ms, STANDING_TOLERANCE_MS) || self.left_ms <= LONGEST_SHOWN_MS
        {
            self.set(seen_ms);
        }
    }

    /// A time set by hand, by a ruling (12.5) or before play goes on.
    pub fn set(&mut self, left_ms: u64) {
        self.forget_drift();
        self.left_ms = left_ms;
    }

    /// A time added or taken off by hand.
    pub fn adjust(&mut self, ms: i64) {
        self.left_ms = self.left_ms.saturating_add_signed(ms);
    }

    /// Nothing was seen for a while: the reading holds, and so does the record's count.
    pub fn adopt(&mut self, left_ms: u64, completed: u32) {
        self.forget_drift();
        (self.left_ms, self.completed) = (left_ms, completed);
    }

    fn is_right(&self, expected_ms: u64, seen_ms: u64) -> bool {
        is_shown_within(expected_ms, seen_ms, self.rules.tolerance_ms)
    }

    /// What the clock may show after the next press: as a clock that counts moves has it, and as
    /// one that does not. Nothing if the time ran out.
    fn outcomes(&self, used_ms: u64) -> [Option<Outcome>; 2] {
        let Some(Outcome { left_ms, given }) = self.run_down(used_ms) else { return [None; 2] };
        let stays = Outcome { left_ms: left_ms + self.control.increment_ms(self.earned()), given };
        let reaches_control = self.control.moves_required(self.completed) == Some(self.completed + 1);
        if !reaches_control || given > self.control.period_index(self.completed) + 1 {
            return [Some(stays), None];
        }
        let carried_ms = if self.rules.carry_over { stays.left_ms } else { stays.left_ms - left_ms };
        let counted = Outcome { left_ms: carried_ms + self.control.base_ms(given), given: given + 1 };
        [Some(counted), Some(stays)]
    }

    /// The time after `used_ms`; where it has run down and another period is due, that one's begins.
    fn run_down(&self, used_ms: u64) -> Option<Outcome> {
        let (mut left_ms, mut given) = (self.left_ms, self.given);
        loop {
            if let Some(left_ms) = self.control.after_use(left_ms, used_ms, self.completed) {
                return Some(Outcome { left_ms, given });
            }
            if given > self.control.period_index(self.completed) {
                return None;
            }
            left_ms += self.control.base_ms(given);
            given += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE_MS: u64 = 60_000;

    fn start(control: &str, rules: ClockRules) -> Expected {
        Expected::start(control.parse().unwrap(), rules, 0)
    }

    /// A clock at its 40th move, with so much left.
    fn at_move_40(control: &str, rules: ClockRules, left_ms: u64) -> Expected {
        let mut clock = start(control, rules);
        for _ in 0..39 {
            assert_eq!(clock.press(1_000, None), None);
        }
        clock.set(left_ms);
        clock
    }

    /// S-079.
    #[test]
    fn a_handicap_is_expected_only_where_it_was_given() {
        let control: TimeControl = "5400".parse().unwrap();
        let handicapped = Expected::start(control.clone(), ClockRules::default(), 600);
        assert_eq!(handicapped.deviation(80 * MINUTE_MS), None);
        let plain = Expected::start(control, ClockRules::default(), 0);
        assert_eq!(plain.deviation(90 * MINUTE_MS), None);
        let deviation = plain.deviation(80 * MINUTE_MS).unwrap();
        assert_eq!(deviation.difference_ms(), -10 * 60_000);
    }

    /// S-080.
    #[test]
    fn time_is_carried_over_at_the_control() {
        let clock = at_move_40("40/5400:1800", ClockRules::default(), 200_000);
        assert_eq!(clock.clone().press(10_000, Some(33 * MINUTE_MS + 10_000)), None);
        let deviation = clock.clone().press(10_000, Some(30 * MINUTE_MS)).unwrap();
        assert_eq!(deviation.expected_ms, 33 * MINUTE_MS + 10_000);
        assert_eq!(deviation.seen_ms, 30 * MINUTE_MS);
        let mut told = clock;
        assert!(told.press(10_000, Some(30 * MINUTE_MS)).is_some());
        assert_eq!(told.press(1_000, Some(30 * MINUTE_MS - 1_000)), None, "told once");
    }

    /// A clock without a counter gives the second period's time at zero.
    #[test]
    fn a_clock_that_counts_no_moves_gives_the_next_time_at_zero() {
        let mut clock = at_move_40("40/5400:1800", ClockRules::default(), 200_000);
        assert_eq!(clock.press(10_000, Some(190_000)), None);
        assert_eq!(clock.press(100_000, Some(90_000)), None);
        assert_eq!(clock.press(100_000, Some(30 * MINUTE_MS - 10_000)), None);
        assert_eq!(clock.press(MINUTE_MS, None), None);
        assert_eq!(clock.left_ms(), 29 * MINUTE_MS - 10_000);
        // That was the last period: nothing more comes.
        assert!(clock.press(31 * MINUTE_MS, Some(28 * MINUTE_MS)).is_some());
    }

    /// Before the control, zero is zero.
    #[test]
    fn no_period_begins_before_its_moves_are_made() {
        let mut clock = start("40/5400:1800", ClockRules::default());
        clock.set(2_000);
        let deviation = clock.press(5_000, Some(30 * MINUTE_MS)).unwrap();
        assert_eq!((deviation.expected_ms, clock.completed()), (0, 1));
    }

    #[test]
    fn increments_come_before_or_after_the_move() {
        let on_clock = ClockRules::default();
        let after_move = ClockRules { first_increment: false, ..on_clock };
        for (rules, first_ms) in [(on_clock, 182_000), (after_move, 180_000)] {
            let mut clock = start("180+2", rules);
            assert_eq!(clock.left_ms(), first_ms);
            clock.press(5_000, None);
            assert_eq!(clock.left_ms(), first_ms - 3_000);
        }
        // The increment of the second period begins with its first move, on the clock or after it.
        for (rules, second_s) in [(on_clock, 60 + 1_800 + 30), (after_move, 60 + 1_800)] {
            let mut clock = at_move_40("40/5400:1800+30", rules, 61_000);
            clock.press(1_000, None);
            assert_eq!(clock.left_ms(), second_s * 1_000);
        }
    }

    /// S-081.
    #[test]
    fn delay_and_bronstein_leave_the_same_time() {
        for control in ["600d5", "600b5"] {
            let mut clock = start(control, ClockRules { tolerance_ms: 0, ..ClockRules::default() });
            assert_eq!(clock.press(3_000, Some(600_000)), None);
            assert_eq!(clock.press(8_000, Some(597_000)), None);
            assert_eq!(clock.press(5_000, Some(602_000)).map(ClockDeviation::difference_ms), Some(5_000));
        }
    }

    /// An increment too small to be missed at one press is missed after three.
    #[test]
    fn small_deviations_add_up() {
        let mut clock = start("180+2", ClockRules::default());
        assert_eq!([(); 3].map(|()| clock.gained(0)), [None, None, Some(-6_000)]);
        assert_eq!([(); 3].map(|()| clock.gained(4_000)), [None, None, Some(6_000)]);
    }

    /// A display in whole seconds is late now and then; that makes no drift.
    #[test]
    fn rounding_makes_no_drift() {
        let mut clock = start("180+2", ClockRules::default());
        for press in 0..40 {
            assert_eq!(clock.gained(if press % 20 < 10 { 2_500 } else { 1_500 }), None, "{press}");
        }
    }

    #[test]
    fn above_ten_hours_the_display_stands_at_its_end() {
        let mut clock = start("40/36600+30:3600+30", ClockRules::default());
        assert_eq!(clock.deviation(LONGEST_SHOWN_MS), None);
        assert!(clock.deviation(LONGEST_SHOWN_MS - 60_000).is_some());
        // 10:10:30 less a minute, and the increment, is still more than it can show.
        assert_eq!(clock.press(60_000, Some(LONGEST_SHOWN_MS)), None);
        assert_eq!(clock.left_ms(), 36_600_000);
        assert_eq!(clock.press(1_200_000, Some(35_430_000)), None);
        assert_eq!(clock.left_ms(), 35_430_000);
    }

    #[test]
    fn by_the_laws_of_2005_a_delay_carries_nothing_over() {
        let rules = ClockRules { carry_over: false, ..ClockRules::default() };
        let mut clock = at_move_40("40/5400d5:1800d5", rules, 200_000);
        assert_eq!(clock.press(1_000, Some(30 * MINUTE_MS)), None);
    }
}
