//! A chess clock as a DGT clock is: it ticks by itself, adds increments at the press and the next
//! period when this one is over, and shows whole seconds.

use adoube_rules::clock::{ClockMode, LONGEST_SHOWN_MS, Period, TimeControl};
use adoube_rules::sensor::{ClockReading, Side};
use adoube_rules::stamp::{MS, SECOND};

/// What a clock is set to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Control(TimeControl);

impl Control {
    /// Reads `5400+30`, `40/7200:20/3600:900+30`, `600d5`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        text.parse().ok().map(Self)
    }

    fn periods(&self) -> usize {
        self.0.periods().len()
    }

    /// The period `index`; the last one goes on.
    fn period(&self, index: usize) -> Period {
        self.0.periods()[index.min(self.periods() - 1)]
    }

    /// What each move of the period `index` is given, in nanoseconds, if it is given in this form.
    fn bonus_ns(&self, form: ClockMode, index: usize) -> u64 {
        if self.0.mode() == form { u64::from(self.period(index).extra_s) * SECOND } else { 0 }
    }

    /// The moves that complete the periods up to `index`, if they are limited.
    fn required(&self, index: usize) -> Option<u32> {
        self.0.periods().get(..=index)?.iter().map(|period| period.moves).sum()
    }
}

/// One side of the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Half {
    left_ns: u64,
    flag: bool,
    period: usize,
    /// Completed moves, as far as the clock knows: presses.
    moves: u32,
    /// What this move has used so far, for delay and Bronstein's form.
    used_ns: u64,
}

/// The clock on the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Clock {
    control: Control,
    halves: [Half; 2],
    lever: Side,
    running: bool,
    /// A clock that was never started is started by the first press.
    is_started: bool,
    has_counter: bool,
    now_ns: u64,
}

impl Clock {
    /// A clock that stands, with `completed` moves behind it. The first increment is on it already,
    /// as on DGT's clocks (dgt-protocol 4.4).
    pub(super) fn new(control: Control, completed: [u32; 2], has_counter: bool) -> Self {
        let bonus_ns = control.bonus_ns(ClockMode::Increment, 0);
        let half = |moves| Half {
            left_ns: u64::from(control.period(0).base_s) * SECOND + bonus_ns,
            flag: false,
            // A clock that does not count is in its first period until it reaches zero.
            period: if has_counter { periods_over(&control, moves) } else { 0 },
            moves,
            used_ns: 0,
        };
        let halves = completed.map(half);
        let (lever, running, is_started) = (Side::White, false, false);
        Self { control, halves, lever, running, is_started, has_counter, now_ns: 0 }
    }

    /// Starts `side`'s time.
    pub(super) fn start(&mut self, side: Side) {
        self.lever = side;
        self.is_started = true;
        self.running = !self.half(side).flag;
    }

    /// Stops both times; false if they stood.
    pub(super) fn stop(&mut self) -> bool {
        std::mem::replace(&mut self.running, false)
    }

    /// Whose time runs.
    pub(super) fn running(&self) -> Option<Side> {
        self.running.then_some(self.lever)
    }

    /// `side` presses; false if nothing comes of it, because its time does not run.
    pub(super) fn press(&mut self, side: Side) -> bool {
        if !self.is_started {
            self.start(side.other());
            return true;
        }
        if self.running() != Some(side) {
            return false;
        }
        self.lever = side.other();
        self.pay(side);
        self.running = !self.half(side.other()).flag;
        true
    }

    /// What a press gives to the side that made it: the bonus, and at the control move the next
    /// period, if the clock counts moves.
    fn pay(&mut self, side: Side) {
        let (has_counter, control) = (self.has_counter, self.control.clone());
        let half = &mut self.halves[side.index()];
        half.moves += 1;
        half.left_ns += control.bonus_ns(ClockMode::Increment, half.period)
            + half.used_ns.min(control.bonus_ns(ClockMode::Bronstein, half.period));
        half.used_ns = 0;
        if has_counter && control.required(half.period) == Some(half.moves) {
            half.next_period(&control);
        }
    }

    /// Sets the time of `side` as a hand would.
    pub(super) fn set(&mut self, side: Side, left_ms: u64) {
        let half = &mut self.halves[side.index()];
        half.left_ns = left_ms * MS;
        half.flag = half.flag && left_ms == 0;
    }

    /// Milliseconds left, not rounded.
    pub(super) fn left_ms(&self, side: Side) -> u64 {
        self.half(side).left_ns / MS
    }

    /// The time of `side` is over; its clock blocks (dgt-protocol 4.4).
    pub(super) fn fall(&mut self, side: Side) {
        let half = &mut self.halves[side.index()];
        (half.left_ns, half.flag) = (0, true);
        if self.lever == side {
            self.running = false;
        }
    }

    /// When the running time reaches zero.
    pub(super) fn zero_at_ns(&self) -> Option<u64> {
        let side = self.running()?;
        let half = self.half(side);
        Some(self.now_ns + half.left_ns + self.delay_left_ns(half))
    }

    fn delay_left_ns(&self, half: Half) -> u64 {
        let delay_ns = self.control.bonus_ns(ClockMode::Delay, half.period);
        delay_ns.saturating_sub(half.used_ns)
    }

    /// Lets time run to `now_ns`.
    pub(super) fn advance(&mut self, now_ns: u64) {
        while let Some(zero_ns) = self.zero_at_ns().filter(|&zero_ns| zero_ns <= now_ns) {
            self.run(zero_ns);
            let (side, control) = (self.lever, self.control.clone());
            let half = &mut self.halves[side.index()];
            if half.period + 1 < control.periods() {
                half.next_period(&control);
            } else {
                self.fall(side);
            }
        }
        self.run(now_ns);
    }

    fn run(&mut self, now_ns: u64) {
        let passed_ns = now_ns.saturating_sub(self.now_ns);
        self.now_ns = self.now_ns.max(now_ns);
        let Some(side) = self.running() else { return };
        let waits_ns = self.delay_left_ns(self.half(side));
        let half = &mut self.halves[side.index()];
        half.used_ns += passed_ns;
        half.left_ns = half.left_ns.saturating_sub(passed_ns.saturating_sub(waits_ns));
    }

    fn half(&self, side: Side) -> Half {
        self.halves[side.index()]
    }

    /// What the clock reports: whole seconds, a started one counts until it is over.
    pub(super) fn reading(&self) -> ClockReading {
        ClockReading {
            left_ms: self.halves.map(|half| (half.left_ns.div_ceil(SECOND) * 1_000).min(LONGEST_SHOWN_MS)),
            running: self.running(),
            lever: Some(self.lever),
            flags: self.halves.map(|half| half.flag),
            counter: self.has_counter.then(|| self.halves.map(|half| half.moves)),
            by_end: false,
        }
    }
}

impl Half {
    fn next_period(&mut self, control: &Control) {
        if self.period + 1 < control.periods() {
            self.period += 1;
            self.left_ns += u64::from(control.period(self.period).base_s) * SECOND;
        }
    }
}

/// How many periods `moves` completed moves leave behind.
fn periods_over(control: &Control, moves: u32) -> usize {
    (0..control.periods() - 1)
        .take_while(|&index| control.required(index).is_some_and(|required| required <= moves))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(control: &str, has_counter: bool) -> Clock {
        Clock::new(Control::parse(control).unwrap(), [0; 2], has_counter)
    }

    fn left_s(clock: &Clock) -> [u64; 2] {
        clock.reading().left_ms.map(|ms| ms / 1_000)
    }

    #[test]
    fn controls_are_read() {
        for text in ["5400+30", "40/7200:20/3600:900+30", "40/5400:1800", "300", "600d5", "600b5"] {
            assert!(Control::parse(text).is_some(), "{text}");
        }
        for text in ["", "x", "5400+", "40/", "/5400", "0/5400", "5400+30:", "90 min"] {
            assert!(Control::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn the_first_press_starts_the_other_clock_and_a_press_of_a_clock_that_stands_is_none() {
        let mut clock = clock("180+2", false);
        assert_eq!((left_s(&clock), clock.running()), ([182, 182], None));
        assert!(clock.press(Side::Black));
        assert_eq!(clock.running(), Some(Side::White));
        assert!(!clock.press(Side::Black), "Black's time does not run");
        clock.advance(2_500 * MS);
        assert!(clock.press(Side::White));
        assert_eq!((left_s(&clock), clock.running()), ([182, 182], Some(Side::Black)));
        assert!(clock.stop() && !clock.stop());
        assert!(!clock.press(Side::Black));
    }

    #[test]
    fn the_next_period_comes_at_the_control_move_or_at_zero() {
        let two_moves = |has_counter| {
            let mut clock = clock("2/60:30", has_counter);
            clock.start(Side::White);
            for side in [Side::White, Side::Black, Side::White] {
                assert!(clock.press(side));
            }
            clock
        };
        assert_eq!(left_s(&two_moves(true)), [90, 60]);
        let mut uncounted = two_moves(false);
        assert_eq!(left_s(&uncounted), [60, 60]);
        uncounted.press(Side::Black);
        uncounted.advance(61 * SECOND);
        assert_eq!((left_s(&uncounted), uncounted.reading().flags), ([29, 60], [false; 2]));
        uncounted.advance(95 * SECOND);
        let reading = uncounted.reading();
        assert_eq!((reading.left_ms[0], reading.flags, reading.running), (0, [true, false], None));
    }

    #[test]
    fn a_delay_and_bronsteins_form_leave_the_same_time() {
        for control in ["600d5", "600b5"] {
            let mut clock = clock(control, false);
            clock.start(Side::White);
            clock.advance(3 * SECOND);
            clock.press(Side::White);
            assert_eq!(left_s(&clock), [600, 600], "{control}");
            clock.press(Side::Black);
            clock.advance(11 * SECOND);
            clock.press(Side::White);
            assert_eq!(left_s(&clock), [597, 600], "{control}");
        }
    }

    #[test]
    fn a_counter_starts_with_the_moves_behind_it() {
        let control = Control::parse("40/5400:1800").unwrap();
        let mut clock = Clock::new(control, [39, 39], true);
        clock.set(Side::White, 190_000);
        clock.start(Side::White);
        clock.press(Side::White);
        assert_eq!(left_s(&clock), [1_990, 5_400]);
        assert_eq!(clock.reading().counter, Some([40, 39]));
    }
}
