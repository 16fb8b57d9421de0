//! A chess clock with an increment for each side: a value that is advanced to a time.

use std::str::FromStr;

use super::act::Act;
use adoube_rules::sensor::Side;
use adoube_rules::stamp::SECOND;

/// What each side has, as PGN writes it: `180+2` is three minutes and two seconds a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockSetting {
    /// The base time of each side, seconds, by [`Side::index`].
    pub base_s: [u64; 2],
    /// Added after each of a side's moves, seconds, by [`Side::index`].
    pub increment_s: [u64; 2],
}

impl ClockSetting {
    /// The same for both sides.
    #[must_use]
    pub fn equal(base_s: u64, increment_s: u64) -> Self {
        Self { base_s: [base_s; 2], increment_s: [increment_s; 2] }
    }
}

/// A text that is no setting of a clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a clock setting; use BASE or BASE+INCREMENT in seconds, such as 180+2")]
pub struct ParseClockSettingError;

impl FromStr for ClockSetting {
    type Err = ParseClockSettingError;

    fn from_str(text: &str) -> Result<Self, ParseClockSettingError> {
        let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
        match (base.parse::<u32>(), increment.parse::<u32>()) {
            (Ok(base_s), Ok(increment_s)) => Ok(Self::equal(base_s.into(), increment_s.into())),
            _ => Err(ParseClockSettingError),
        }
    }
}

/// What a clock's display and lever show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Display {
    /// Whole seconds left, by [`Side::index`]: a started second counts until it is over.
    pub left_s: [u64; 2],
    /// Whose time runs, or would run.
    pub lever: Side,
    /// The time is running.
    pub running: bool,
    /// Fallen flags, by [`Side::index`].
    pub flags: [bool; 2],
}

/// A clock with its lever.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChessClock {
    left_ns: [u64; 2],
    increment_ns: [u64; 2],
    lever: Side,
    running: bool,
    flags: [bool; 2],
    now_ns: u64,
}

impl ChessClock {
    /// A stopped clock with White to move. The first increment is on it already, as on DGT's
    /// clocks (dgt-protocol 4.4): 3+2 shows 3:02.
    #[must_use]
    pub fn new(setting: ClockSetting) -> Self {
        let increment_ns = setting.increment_s.map(|s| s.saturating_mul(SECOND));
        let left_ns = Side::BOTH.map(|side| {
            setting.base_s[side.index()].saturating_mul(SECOND).saturating_add(increment_ns[side.index()])
        });
        Self { left_ns, increment_ns, lever: Side::White, running: false, flags: [false; 2], now_ns: 0 }
    }

    /// Lets time run to `now_ns`; an earlier instant changes nothing.
    pub fn advance(&mut self, now_ns: u64) {
        let passed_ns = now_ns.saturating_sub(self.now_ns);
        self.now_ns = self.now_ns.max(now_ns);
        if !self.running {
            return;
        }
        let left_ns = &mut self.left_ns[self.lever.index()];
        *left_ns = left_ns.saturating_sub(passed_ns);
        if *left_ns == 0 {
            // The clock blocks at zero (dgt-protocol 4.4).
            self.flags[self.lever.index()] = true;
            self.running = false;
        }
    }

    /// Starts the clock, unless a flag has fallen.
    pub fn start(&mut self, now_ns: u64) {
        self.advance(now_ns);
        self.running = self.flags == [false; 2];
    }

    /// Stops the clock.
    pub fn stop(&mut self, now_ns: u64) {
        self.advance(now_ns);
        self.running = false;
    }

    /// Sets the times and the lever by hand: the clock stands, and no flag is down.
    pub fn set(&mut self, left_s: [u64; 2], lever: Side, now_ns: u64) {
        self.stop(now_ns);
        self.left_ns = left_s.map(|s| s.saturating_mul(SECOND));
        (self.lever, self.flags) = (lever, [false; 2]);
    }

    /// `side` presses its end of the lever; one that is down already cannot be pressed.
    pub fn press(&mut self, side: Side, now_ns: u64) {
        self.advance(now_ns);
        if self.lever != side {
            return;
        }
        self.lever = side.other();
        if self.running {
            self.left_ns[side.index()] += self.increment_ns[side.index()];
        }
    }

    /// Carries out `act` at `at_ns`; acts on the board change nothing.
    pub fn act(&mut self, act: Act, at_ns: u64) {
        match act {
            Act::Press(side) => self.press(side, at_ns),
            Act::StartClock => self.start(at_ns),
            Act::StopClock => self.stop(at_ns),
            Act::SetClock { left_s, lever } => self.set(left_s, lever, at_ns),
            Act::Lift { .. }
            | Act::Place { .. }
            | Act::Dropout { .. }
            | Act::UnplugClock
            | Act::PlugInClock => {}
        }
    }

    /// What the clock shows, as of the last call.
    #[must_use]
    pub fn display(&self) -> Display {
        Display {
            left_s: self.left_ns.map(|ns| ns.div_ceil(SECOND)),
            lever: self.lever,
            running: self.running,
            flags: self.flags,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = adoube_rules::stamp::MS;

    #[test]
    fn the_first_increment_is_there_before_the_start() {
        let clock = ChessClock::new("180+2".parse().unwrap());
        assert_eq!(clock.display().left_s, [182, 182]);
        assert!(!clock.display().running);
    }

    #[test]
    fn a_press_adds_the_increment_and_turns_the_lever_at_once() {
        let mut clock = ChessClock::new(ClockSetting::equal(180, 2));
        clock.start(SECOND);
        clock.press(Side::White, SECOND + 2_500 * MS);
        let shown = clock.display();
        // 182 - 2.5 + 2 = 181.5: the started second counts.
        assert_eq!((shown.left_s, shown.lever, shown.running), ([182, 182], Side::Black, true));
        clock.press(Side::White, 5 * SECOND);
        assert_eq!(clock.display().lever, Side::Black, "an end that is down cannot be pressed");
        assert_eq!(clock.display().left_s, [182, 181]);
    }

    #[test]
    fn a_fallen_flag_blocks_the_clock() {
        let mut clock = ChessClock::new(ClockSetting { base_s: [1, 60], increment_s: [0, 0] });
        clock.start(0);
        clock.advance(999 * MS);
        assert_eq!(clock.display().left_s[0], 1);
        clock.press(Side::Black, 3 * SECOND);
        let shown = clock.display();
        assert_eq!((shown.left_s, shown.flags, shown.running), ([0, 60], [true, false], false));
        clock.start(4 * SECOND);
        assert!(!clock.display().running);
    }

    #[test]
    fn a_lever_moved_while_stopped_adds_nothing() {
        let mut clock = ChessClock::new(ClockSetting::equal(60, 5));
        clock.press(Side::White, 0);
        assert_eq!((clock.display().left_s, clock.display().lever), ([65, 65], Side::Black));
    }

    #[test]
    fn a_clock_that_is_set_stands_and_can_be_started_again() {
        let mut clock = ChessClock::new(ClockSetting::equal(1, 0));
        clock.start(0);
        clock.advance(2 * SECOND);
        assert_eq!(clock.display().flags, [true, false]);
        clock.set([90, 120], Side::Black, 3 * SECOND);
        clock.advance(9 * SECOND);
        let shown = clock.display();
        assert_eq!((shown.left_s, shown.lever, shown.flags), ([90, 120], Side::Black, [false; 2]));
        clock.start(9 * SECOND);
        clock.advance(19 * SECOND);
        assert_eq!(clock.display().left_s, [90, 110]);
    }

    #[test]
    fn settings_are_read() {
        assert_eq!("300".parse(), Ok(ClockSetting::equal(300, 0)));
        assert_eq!("3 min".parse::<ClockSetting>(), Err(ParseClockSettingError));
    }
}
