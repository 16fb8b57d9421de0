//! What the clock says through the board: its times (section 3.5) and its answers (section 3.6).
//!
//! Both travel in the same message of seven bytes. The two ends of the clock are called left and
//! right as seen from its front; which colour sits at which end depends on how the board lies.

use serde::{Deserialize, Serialize};

use adoube_rules::sensor::{ClockReading, Reading, Side};

/// Bytes of a clock message after its header.
pub(super) const LENGTH: usize = 7;

/// Status: the clock runs; otherwise it is stopped or paused.
const RUNNING: u8 = 0x01;
/// Status: the lever is high at the right end.
const LEVER_RIGHT: u8 = 0x02;
/// Status: the clock's battery is low.
const BATTERY_LOW: u8 = 0x04;
/// Status: the left end is to move.
const TURN_LEFT: u8 = 0x08;
/// Status: the right end is to move.
const TURN_RIGHT: u8 = 0x10;
/// Status: no clock, the rest means nothing.
const NO_CLOCK: u8 = 0x20;

/// Hour byte: the flag fell and the clock is blocked at zero.
const FLAG_FALLEN: u8 = 0x10;
/// Hour byte: time per move (increment or delay).
const PER_MOVE: u8 = 0x20;
/// Hour byte: a flag is on the display; the clock may run on in the next period.
const FLAG_SHOWN: u8 = 0x40;

/// The low nibble of an hour byte that makes the message an answer: no clock shows ten hours.
const ACK_NIBBLE: u8 = 0x0a;

/// One end of a clock, as seen from its front.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockEnd {
    /// White's end on a board that lies with its connector to White's left.
    Left,
    /// Black's end there.
    Right,
}

/// What one end of the clock shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EndTime {
    /// Time left, whole seconds, below ten hours.
    pub seconds: u16,
    /// The flag fell and the clock is blocked at zero.
    pub flag_fallen: bool,
    /// The end plays with an increment or a delay.
    pub per_move: bool,
    /// A flag is on the display, though the next period may be running.
    pub flag_shown: bool,
}

impl EndTime {
    /// Reads hour, minute and second bytes; `None` if they are no time.
    fn decode([hours, minutes, seconds]: [u8; 3]) -> Option<Self> {
        let (whole_hours, minutes, seconds) = (hours & 0x0f, from_bcd(minutes)?, from_bcd(seconds)?);
        (whole_hours <= 9).then(|| Self {
            seconds: (u16::from(whole_hours) * 60 + u16::from(minutes)) * 60 + u16::from(seconds),
            flag_fallen: hours & FLAG_FALLEN != 0,
            per_move: hours & PER_MOVE != 0,
            flag_shown: hours & FLAG_SHOWN != 0,
        })
    }

    fn encode(self) -> [u8; 3] {
        let [hours, minutes, seconds] = hours_minutes_seconds(self.seconds);
        let bits = bit(self.flag_fallen, FLAG_FALLEN)
            | bit(self.per_move, PER_MOVE)
            | bit(self.flag_shown, FLAG_SHOWN);
        [hours | bits, to_bcd(minutes), to_bcd(seconds)]
    }

    fn has_flag(self) -> bool {
        self.flag_fallen || self.flag_shown
    }

    fn left_ms(self) -> u64 {
        u64::from(self.seconds) * 1000
    }
}

/// The clock's times and state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ClockTimes {
    /// The right end.
    pub right: EndTime,
    /// The left end.
    pub left: EndTime,
    status: u8,
}

impl ClockTimes {
    /// A clock with this lever, as clocks say it: both turn bits follow the lever.
    #[must_use]
    pub fn new(left: EndTime, right: EndTime, running: bool, lever: ClockEnd) -> Self {
        let lever_bits = match lever {
            ClockEnd::Left => TURN_LEFT,
            ClockEnd::Right => LEVER_RIGHT | TURN_RIGHT,
        };
        Self { right, left, status: bit(running, RUNNING) | lever_bits }
    }

    /// What a board without a clock says.
    #[must_use]
    pub fn no_clock() -> Self {
        Self { status: NO_CLOCK, ..Self::default() }
    }

    /// Neither stopped nor paused.
    #[must_use]
    pub fn running(self) -> bool {
        self.status & RUNNING != 0
    }

    /// The end whose lever is high: its time runs while the clock runs.
    #[must_use]
    pub fn lever(self) -> ClockEnd {
        if self.status & LEVER_RIGHT == 0 { ClockEnd::Left } else { ClockEnd::Right }
    }

    /// The clock's battery is low.
    #[must_use]
    pub fn battery_low(self) -> bool {
        self.status & BATTERY_LOW != 0
    }

    /// The two turn bits agree with the lever. Documents dispute which bit is which, so the lever
    /// alone is believed and this is only a sign that something is odd.
    #[must_use]
    pub fn turn_agrees(self) -> bool {
        let turn = self.status & (TURN_LEFT | TURN_RIGHT);
        turn == match self.lever() {
            ClockEnd::Left => TURN_LEFT,
            ClockEnd::Right => TURN_RIGHT,
        }
    }

    /// The reading, by clock ends; `None` for the empty message that some boards give as an answer
    /// to a clock command and that means nothing.
    #[must_use]
    pub fn reading(self) -> Option<Reading> {
        if self.status & NO_CLOCK != 0 {
            return Some(Reading::Clock(None));
        }
        if self == Self::default() {
            return None;
        }
        let lever = match self.lever() {
            ClockEnd::Left => Side::White,
            ClockEnd::Right => Side::Black,
        };
        Some(Reading::Clock(Some(ClockReading {
            left_ms: [self.left.left_ms(), self.right.left_ms()],
            running: self.running().then_some(lever),
            lever: Some(lever),
            flags: [self.left.has_flag(), self.right.has_flag()],
            counter: None,
            by_end: true,
        })))
    }

    /// Reads the seven bytes; `None` if they hold no times.
    #[must_use]
    pub(super) fn decode(data: [u8; LENGTH]) -> Option<Self> {
        let [rh, rm, rs, lh, lm, ls, status] = data;
        let right = EndTime::decode([rh, rm, rs])?;
        let left = EndTime::decode([lh, lm, ls])?;
        Some(Self { right, left, status })
    }

    pub(super) fn encode(self) -> [u8; LENGTH] {
        let [rh, rm, rs] = self.right.encode();
        let [lh, lm, ls] = self.left.encode();
        [rh, rm, rs, lh, lm, ls, self.status]
    }
}

/// How a clock took a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AckResult {
    /// Done.
    Done,
    /// Refused, as times are by a clock that is not in its computer-controlled option.
    Refused,
    /// Seen now and then from old clocks, for no known reason; asking again helps.
    Confused,
    /// Something else.
    Other(u8),
}

/// A button of the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockButton {
    /// The first from the left.
    Back,
    /// The second.
    Plus,
    /// The third.
    RunPause,
    /// The fourth.
    Minus,
    /// The fifth.
    Ok,
}

/// The clock's answer to a message, or a word of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockAck {
    /// How it went.
    pub result: AckResult,
    /// The number of the message that it answers, or what happened: see the constants.
    pub about: u8,
    /// First value; main and sub version in its halves in the answer to a version message.
    pub value: u8,
    /// Second value; the button as ASCII digit.
    pub detail: u8,
}

impl ClockAck {
    /// Spontaneous: the clock is ready.
    pub const READY: u8 = 0x81;
    /// Spontaneous: a button was pressed.
    pub const BUTTON: u8 = 0x88;

    /// That the message numbered `about` was done.
    #[must_use]
    pub fn done(about: u8) -> Self {
        Self { result: AckResult::Done, about, value: 0, detail: 0 }
    }

    /// That this one button was pressed.
    #[must_use]
    pub fn pressed(button: ClockButton) -> Self {
        let (mask, digit) = match button {
            ClockButton::Back => (0x04, b'1'),
            ClockButton::Plus => (0x08, b'2'),
            ClockButton::RunPause => (0x10, b'3'),
            ClockButton::Minus => (0x20, b'4'),
            ClockButton::Ok => (0x40, b'5'),
        };
        Self { value: 0x01 | mask, detail: digit, ..Self::done(Self::BUTTON) }
    }

    /// The button that was pressed, if this says so.
    #[must_use]
    pub fn button(self) -> Option<ClockButton> {
        match (self.about, self.detail) {
            (Self::BUTTON, b'1') => Some(ClockButton::Back),
            (Self::BUTTON, b'2') => Some(ClockButton::Plus),
            (Self::BUTTON, b'3') => Some(ClockButton::RunPause),
            (Self::BUTTON, b'4') => Some(ClockButton::Minus),
            (Self::BUTTON, b'5') => Some(ClockButton::Ok),
            _ => None,
        }
    }

    /// Reads the seven bytes; `None` if they are no answer. The top bit of each value travels in
    /// the upper half of an hour byte.
    #[must_use]
    pub(super) fn decode([low, ack0, ack1, high, ack2, ack3, _]: [u8; LENGTH]) -> Option<Self> {
        if low & 0x0f != ACK_NIBBLE && high & 0x0f != ACK_NIBBLE {
            return None;
        }
        let result = match ack0 | (high & 0x10) << 3 {
            0x10 => AckResult::Done,
            0x20 => AckResult::Confused,
            0x40 => AckResult::Refused,
            other => AckResult::Other(other),
        };
        Some(Self {
            result,
            about: ack1 | (high & 0x20) << 2,
            value: ack2 | (low & 0x10) << 3,
            detail: ack3 | (low & 0x20) << 2,
        })
    }

    pub(super) fn encode(self) -> [u8; LENGTH] {
        let ack0 = match self.result {
            AckResult::Done => 0x10,
            AckResult::Confused => 0x20,
            AckResult::Refused => 0x40,
            AckResult::Other(other) => other,
        };
        let low = ACK_NIBBLE | self.value >> 7 << 4 | self.detail >> 7 << 5;
        let high = ACK_NIBBLE | ack0 >> 7 << 4 | self.about >> 7 << 5;
        [low, ack0 & 0x7f, self.about & 0x7f, high, self.value & 0x7f, self.detail & 0x7f, 0]
    }
}

/// Hours, minutes and seconds of a time, held at 9:59:59, the most that a clock shows.
pub(super) fn hours_minutes_seconds(seconds: u16) -> [u8; 3] {
    let hours = seconds / 3600;
    if hours > 9 {
        return [9, 59, 59];
    }
    let [hours, minutes, seconds] = [hours, seconds / 60 % 60, seconds % 60].map(u16::to_le_bytes);
    [hours[0], minutes[0], seconds[0]]
}

/// A number below 60 of two decimal digits, one in each half of the byte.
pub(super) fn from_bcd(byte: u8) -> Option<u8> {
    let (tens, units) = (byte >> 4, byte & 0x0f);
    (tens < 6 && units < 10).then_some(tens * 10 + units)
}

/// The two decimal digits of a number below 100.
pub(super) fn to_bcd(number: u8) -> u8 {
    ((number / 10) << 4) | (number % 10)
}

fn bit(set: bool, mask: u8) -> u8 {
    if set { mask } else { 0 }
}
