//! Time controls: periods, moves, and what each move adds (6.3.1, 6.3.2).
//!
//! The text is field 222 of TRF-26, which PGN's `TimeControl` shares: periods behind one another
//! with `:`, each `MOVES/BASE+INCREMENT` in seconds, the last without a number of moves. TRF knows
//! no delay; `d5` and `b5` in the place of `+5` are ours, after the `d5` of US Chess.
//!
//! | text | means |
//! |---|---|
//! | `5400+30` | 90 minutes, 30 seconds a move from move 1 |
//! | `40/5400+30:1800+30` | 90 minutes for 40 moves, then 30 minutes; 30 seconds a move |
//! | `40/7200:20/3600:900+30` | two controls, then 15 minutes with 30 seconds a move |
//! | `600d5` | 10 minutes that begin to run after 5 seconds of each move (6.3.2) |
//! | `600b5` | the same by Bronstein: what was used, 5 seconds at most, is paid back at the press |

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Longest time that a period may give, seconds: a day. DGT clocks show ten hours at most.
const LONGEST_S: u32 = 86_400;

/// The moves over which an increment is counted to class a game (A.1, B.1).
const CLASS_MOVES: u32 = 60;

/// What the extra time of a move does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClockMode {
    /// There is none: sudden death.
    None,
    /// It is added for each move, used or not (cumulative, Fischer).
    Increment,
    /// The main time waits for it before it runs down.
    Delay,
    /// What was used of it is paid back at the press: the same net times as with a delay.
    Bronstein,
}

impl ClockMode {
    /// As configuration has it: `none`, `increment`, `delay`, `bronstein`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Increment => "increment",
            Self::Delay => "delay",
            Self::Bronstein => "bronstein",
        }
    }

    /// The sign before the extra seconds.
    fn sign(self) -> char {
        match self {
            Self::None | Self::Increment => '+',
            Self::Delay => 'd',
            Self::Bronstein => 'b',
        }
    }
}

/// A period of a time control.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// Moves to be completed in it; `None` for all the rest.
    pub moves: Option<u32>,
    /// Time that it gives, seconds.
    pub base_s: u32,
    /// Extra time for each move in it, seconds.
    pub extra_s: u32,
}

/// A time control: one period or more, of which the last takes all the moves that are left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeControl {
    /// Shared: parts of a table have it each.
    periods: Arc<[Period]>,
    mode: ClockMode,
}

/// A text that is no time control.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("time control \"{text}\": {fault}; write it as 5400+30, 40/5400:1800+30 or 600d5")]
pub struct ParseTimeControlError {
    text: String,
    fault: String,
}

impl TimeControl {
    /// The periods, in order.
    #[must_use]
    pub fn periods(&self) -> &[Period] {
        &self.periods
    }

    /// What the extra time does, in every period that has some.
    #[must_use]
    pub fn mode(&self) -> ClockMode {
        self.mode
    }

    /// The period in which a player makes his next move who has completed `completed`: its number
    /// from 0, and the moves required by its end, counted from the game's start.
    fn at(&self, completed: u32) -> (usize, Option<u32>) {
        let mut required = 0_u32;
        for (index, period) in self.periods.iter().enumerate() {
            let Some(moves) = period.moves else { return (index, None) };
            required = required.saturating_add(moves);
            if completed < required {
                return (index, Some(required));
            }
        }
        (self.periods.len() - 1, None)
    }

    /// The period of the next move of a player who has completed `completed` moves, from 0.
    #[must_use]
    pub fn period_index(&self, completed: u32) -> usize {
        self.at(completed).0
    }

    /// How many moves, counted from the start, the running period requires of a player who has
    /// completed `completed`; `None` in the last period.
    #[must_use]
    pub fn moves_required(&self, completed: u32) -> Option<u32> {
        self.at(completed).1
    }

    /// How many moves, counted from the start, period `period` (from 0) requires by its end; `None`
    /// for the last one, which requires them all.
    #[must_use]
    pub fn required_by(&self, period: usize) -> Option<u32> {
        self.periods.get(..=period)?.iter().map(|period| period.moves).sum()
    }

    /// The same control with another increment, in every period (III.4).
    #[must_use]
    pub fn with_increment(&self, extra_s: u32) -> Self {
        let periods = self.periods.iter().map(|period| Period { extra_s, ..*period }).collect();
        Self { periods, mode: ClockMode::Increment }
    }

    /// The extra time of the move after `completed` moves, in any mode.
    #[must_use]
    pub fn extra_ms(&self, completed: u32) -> u64 {
        u64::from(self.periods[self.period_index(completed)].extra_s) * 1_000
    }

    /// The increment of the move after `completed` moves: 0 with a delay, which adds nothing.
    #[must_use]
    pub fn increment_ms(&self, completed: u32) -> u64 {
        if self.mode == ClockMode::Increment { self.extra_ms(completed) } else { 0 }
    }

    /// The time of the first period, with the first move's increment if the clock shows it before
    /// the move, as DGT's do (dgt-protocol 4.4).
    #[must_use]
    pub(crate) fn start_ms(&self, first_increment: bool) -> u64 {
        self.base_ms(0) + if first_increment { self.increment_ms(0) } else { 0 }
    }

    pub(super) fn base_ms(&self, period: usize) -> u64 {
        self.periods.get(period).map_or(0, |period| u64::from(period.base_s) * 1_000)
    }

    /// What is left of `left_ms` after a move that took `used_ms`, without what the press credits:
    /// the main time. `None` if it ran out first.
    ///
    /// By Bronstein the display runs down at once and is paid back, so its flag falls where a delay
    /// would still have some of the extra time: with less than the extra left, that is all one has.
    #[must_use]
    pub(crate) fn after_use(&self, left_ms: u64, used_ms: u64, completed: u32) -> Option<u64> {
        let extra_ms = self.extra_ms(completed);
        let left_ms = match self.mode {
            ClockMode::None | ClockMode::Increment => left_ms.checked_sub(used_ms)?,
            ClockMode::Delay => left_ms.checked_sub(used_ms.saturating_sub(extra_ms))?,
            ClockMode::Bronstein => left_ms.checked_sub(used_ms)? + used_ms.min(extra_ms),
        };
        (left_ms > 0).then_some(left_ms)
    }

    /// The time by which a game is classed: the base times and 60 times the increment (A.1, B.1),
    /// or delay. In seconds, because a minute and a second is more than a minute.
    #[must_use]
    pub(crate) fn class_time_s(&self) -> u64 {
        let base: u64 = self.periods.iter().map(|period| u64::from(period.base_s)).sum();
        base + (0..CLASS_MOVES).map(|completed| self.extra_ms(completed) / 1_000).sum::<u64>()
    }

    /// The class of a game with this control.
    #[must_use]
    pub fn class(&self, limits: ClassLimits) -> TimeClass {
        let time_s = self.class_time_s();
        match limits {
            ClassLimits::Laws2005 if time_s < 15 * 60 => TimeClass::Blitz,
            ClassLimits::Laws2005 if time_s <= 60 * 60 => TimeClass::Rapid,
            ClassLimits::Laws2017 if time_s <= 10 * 60 => TimeClass::Blitz,
            ClassLimits::Laws2017 if time_s < 60 * 60 => TimeClass::Rapid,
            ClassLimits::Laws2005 | ClassLimits::Laws2017 => TimeClass::Standard,
        }
    }
}

/// Which times make a game rapid or blitz.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClassLimits {
    /// Blitz below 15 minutes, rapid up to 60 (2005: B1, C1).
    Laws2005,
    /// Blitz up to 10 minutes, rapid below 60 (A.1, B.1).
    Laws2017,
}

/// The class of a game by its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TimeClass {
    /// Neither rapid nor blitz.
    Standard,
    /// Appendix A.
    Rapid,
    /// Appendix B.
    Blitz,
}

impl TimeClass {
    /// `standard`, `rapid`, `blitz`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Rapid => "rapid",
            Self::Blitz => "blitz",
        }
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, period) in self.periods.iter().enumerate() {
            if index > 0 {
                f.write_str(":")?;
            }
            if let Some(moves) = period.moves {
                write!(f, "{moves}/")?;
            }
            write!(f, "{}", period.base_s)?;
            if period.extra_s > 0 {
                write!(f, "{}{}", self.mode.sign(), period.extra_s)?;
            }
        }
        Ok(())
    }
}

impl FromStr for TimeControl {
    type Err = ParseTimeControlError;

    fn from_str(text: &str) -> Result<Self, ParseTimeControlError> {
        parse(text.trim()).map_err(|fault| ParseTimeControlError { text: text.to_owned(), fault })
    }
}

fn parse(text: &str) -> Result<TimeControl, String> {
    match text {
        "" => return Err("it is empty".to_owned()),
        "?" => return Err("\"?\" says that it is unknown".to_owned()),
        "-" => return Err("\"-\" says that the game has no clock".to_owned()),
        _ if text.starts_with('*') => return Err("hourglass clocks are not known".to_owned()),
        _ => {}
    }
    let parts: Vec<&str> = text.split(':').collect();
    let mut periods = Vec::new();
    let mut mode = ClockMode::None;
    for (index, part) in parts.iter().enumerate() {
        let (period, of_period) = parse_period(part)?;
        match (period.moves.is_some(), index + 1 == parts.len()) {
            (false, false) => {
                return Err(format!("period \"{part}\" has no number of moves, but another one follows"));
            }
            (true, true) => {
                return Err(format!(
                    "the last period, \"{part}\", takes all moves and has no number of them"
                ));
            }
            _ => periods.push(period),
        }
        if of_period != ClockMode::None {
            if mode != ClockMode::None && mode != of_period {
                return Err(format!("it has both {} and {}", mode.name(), of_period.name()));
            }
            mode = of_period;
        }
    }
    Ok(TimeControl { periods: periods.into(), mode })
}

fn parse_period(part: &str) -> Result<(Period, ClockMode), String> {
    let (moves, times) = match part.split_once('/') {
        Some((moves, times)) => (Some(number(moves, "number of moves", 1, 999)?), times),
        None => (None, part),
    };
    let (base, mode, extra) = match times.find(['+', 'd', 'b']) {
        Some(at) => {
            let mode = match &times[at..=at] {
                "+" => ClockMode::Increment,
                "d" => ClockMode::Delay,
                _ => ClockMode::Bronstein,
            };
            (&times[..at], mode, &times[at + 1..])
        }
        None => (times, ClockMode::None, "0"),
    };
    let base_s = number(base, "time in seconds", 0, LONGEST_S)?;
    let extra_s = number(extra, "extra time in seconds", 0, LONGEST_S)?;
    if base_s == 0 && (extra_s == 0 || mode != ClockMode::Increment) {
        return Err(format!("period \"{part}\" gives no time"));
    }
    let mode = if extra_s == 0 { ClockMode::None } else { mode };
    Ok((Period { moves, base_s, extra_s }, mode))
}

fn number(text: &str, what: &str, least: u32, most: u32) -> Result<u32, String> {
    // `parse` would take "+5".
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse()
        .ok()
        .filter(|value| is_number && (least..=most).contains(value))
        .ok_or_else(|| format!("\"{text}\" is no {what} from {least} to {most}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn control(text: &str) -> TimeControl {
        text.parse().unwrap()
    }

    #[test]
    fn field_222_reads_and_writes() {
        for text in [
            "5400",
            "5400+30",
            "40/7200:20/3600:900+30",
            "40/5400:1800",
            "40/6000+30:900+30",
            "600d5",
            "600b5",
            "0+10",
        ] {
            assert_eq!(control(text).to_string(), text);
        }
        assert_eq!(control(" 180+0 ").to_string(), "180");
        assert_eq!(
            control("40/7200:20/3600d5:900").periods(),
            [
                Period { moves: Some(40), base_s: 7200, extra_s: 0 },
                Period { moves: Some(20), base_s: 3600, extra_s: 5 },
                Period { moves: None, base_s: 900, extra_s: 0 },
            ]
        );
        assert_eq!(control("40/7200:20/3600d5:900").mode(), ClockMode::Delay);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, fault) in [
            ("", "it is empty"),
            ("?", "\"?\" says that it is unknown"),
            ("-", "\"-\" says that the game has no clock"),
            ("*180", "hourglass clocks are not known"),
            ("90 min", "\"90 min\" is no time in seconds from 0 to 86400"),
            ("5400++30", "\"+30\" is no extra time in seconds from 0 to 86400"),
            ("5400+", "\"\" is no extra time in seconds from 0 to 86400"),
            ("0/5400:1800", "\"0\" is no number of moves from 1 to 999"),
            ("5400:1800", "period \"5400\" has no number of moves, but another one follows"),
            ("40/5400", "the last period, \"40/5400\", takes all moves and has no number of them"),
            ("40/5400+30:1800d5", "it has both increment and delay"),
            ("0", "period \"0\" gives no time"),
            ("0d5", "period \"0d5\" gives no time"),
            ("99999999999", "\"99999999999\" is no time in seconds from 0 to 86400"),
        ] {
            assert_eq!(
                text.parse::<TimeControl>().unwrap_err().to_string(),
                format!("time control \"{text}\": {fault}; write it as 5400+30, 40/5400:1800+30 or 600d5")
            );
        }
    }

    #[test]
    fn periods_go_by_completed_moves() {
        let control = control("40/7200:20/3600:900+30");
        for (completed, index, required, increment_ms) in [
            (0, 0, Some(40), 0),
            (39, 0, Some(40), 0),
            (40, 1, Some(60), 0),
            (59, 1, Some(60), 0),
            (60, 2, None, 30_000),
            (200, 2, None, 30_000),
        ] {
            assert_eq!(control.period_index(completed), index);
            assert_eq!(control.moves_required(completed), required);
            assert_eq!(control.increment_ms(completed), increment_ms);
        }
    }

    /// S-088.
    #[test]
    fn a_game_is_classed_by_base_and_sixty_increments() {
        use TimeClass::{Blitz, Rapid, Standard};
        for (text, minutes, of_2017, of_2005) in [
            ("900+10", 25, Rapid, Rapid),
            ("180+2", 5, Blitz, Blitz),
            ("600", 10, Blitz, Blitz),
            ("600+1", 11, Rapid, Blitz),
            ("3000+10", 60, Standard, Rapid),
            ("3600", 60, Standard, Rapid),
        ] {
            let control = control(text);
            assert_eq!(control.class_time_s(), minutes * 60);
            assert_eq!(control.class(ClassLimits::Laws2017), of_2017, "{text}");
            assert_eq!(control.class(ClassLimits::Laws2005), of_2005, "{text}");
        }
        // Only the moves of a period have its increment: 20 of the sixty here.
        assert_eq!(control("40/5400:1800+30").class_time_s(), 5400 + 1800 + 20 * 30);
        assert_eq!(control("901").class(ClassLimits::Laws2005).name(), "rapid");
    }

    proptest! {
        #[test]
        fn a_control_reads_as_it_is_written(
            controls in prop::collection::vec((1..100_u32, 1..9_000_u32, 0..60_u32), 0..3),
            last in (1..9_000_u32, 0..60_u32),
            mode in prop::sample::select(vec![ClockMode::Increment, ClockMode::Delay, ClockMode::Bronstein]),
        ) {
            let mut periods: Vec<Period> = controls
                .into_iter()
                .map(|(moves, base_s, extra_s)| Period { moves: Some(moves), base_s, extra_s })
                .collect();
            periods.push(Period { moves: None, base_s: last.0, extra_s: last.1 });
            let has_extra = periods.iter().any(|period| period.extra_s > 0);
            let mode = if has_extra { mode } else { ClockMode::None };
            let control = TimeControl { periods: periods.into(), mode };
            prop_assert_eq!(control.to_string().parse(), Ok(control));
        }

        #[test]
        fn no_text_makes_the_reader_fall(text in "[0-9/:+db*?-]{0,16}|\\PC{0,12}") {
            if let Ok(control) = text.parse::<TimeControl>() {
                prop_assert_eq!(control.to_string().parse(), Ok(control));
            }
        }
    }
}
