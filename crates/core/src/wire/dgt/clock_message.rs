//! What a computer tells the clock (sections 2.4 to 2.7).
//!
//! A message is `2b`, the number of bytes that follow, `03`, its number, its content and `00`. Texts
//! are shown in every option of the clock; times are taken only in option 23 (XL) or 25 (3000).

use serde::{Deserialize, Serialize};

use super::clock_answer::hours_minutes_seconds;

/// First byte of a message to the clock.
pub(super) const CLOCK_MESSAGE: u8 = 0x2b;
/// Sizes that a message can say of itself: from one without content to the longest text.
pub(super) const SIZES: std::ops::RangeInclusive<u8> = 3..=0x0f;

/// Begins what follows the size.
const START: u8 = 0x03;
/// Ends the message.
const STOP: u8 = 0x00;
/// The beep byte of a display message that beeps.
const BEEP: u8 = 0x03;

/// Bits of [`ClockMessage::SetAndRun`].
pub mod run {
    /// The left end counts down.
    pub const LEFT: u8 = 0x01;
    /// The right end counts down.
    pub const RIGHT: u8 = 0x02;
    /// Nothing runs.
    pub const PAUSE: u8 = 0x04;
    /// The lever changes which end runs.
    pub const LEVER: u8 = 0x08;
}

/// Six seven-segment characters; every clock shows them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Display {
    /// Segments from left to right: 01 top, then clockwise, 20 upper left, 40 middle.
    pub segments: [u8; 6],
    /// Dots, colons and the two leading ones.
    pub dots: u8,
    /// Beep with it.
    pub beep: bool,
}

impl Display {
    /// The first six characters of `text`; what cannot be drawn is blank.
    #[must_use]
    pub fn text(text: &str) -> Self {
        let mut display = Self::default();
        for (place, letter) in display.segments.iter_mut().zip(text.chars()) {
            *place = segments(letter);
        }
        display
    }
}

/// Symbols on the clock's display.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Icons {
    /// Left: from bit 0 TIME, FISCH, DELAY, HGLASS, UPCNT, BYO, END.
    pub left: u8,
    /// Right: the same.
    pub right: u8,
    /// Left: from bit 0 periods 1 to 5, then the flag.
    pub left_period: u8,
    /// Right: the same.
    pub right_period: u8,
    /// From bit 0: clear all, sound, black-white, white-black, battery, sound, keep them.
    pub special: u8,
}

/// A message to the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ClockMessage {
    /// Show six characters.
    Display(Display),
    /// Show symbols.
    Icons(Icons),
    /// Show the times again.
    End,
    /// Ask for the button; the answer does not name it.
    Button,
    /// Ask which clock it is.
    Version,
    /// Set both times and run or stop.
    SetAndRun {
        /// Left end, whole seconds below ten hours.
        left_seconds: u16,
        /// Right end.
        right_seconds: u16,
        /// Bits of [`run`].
        run: u8,
    },
    /// Beep for this many times 64 ms.
    Beep(u8),
    /// Show eight ASCII characters (DGT 3000); beep 0 to 15.
    Ascii {
        /// The characters.
        text: [u8; 8],
        /// 0 for none, else the length in sixteenths of a second.
        beep: u8,
    },
    /// Show eleven ASCII characters (Revelation II).
    RevelationAscii {
        /// The characters.
        text: [u8; 11],
        /// As above.
        beep: u8,
    },
}

impl ClockMessage {
    /// Its number, which the clock's answer repeats.
    #[must_use]
    pub fn number(self) -> u8 {
        match self {
            Self::Display(_) => 0x01,
            Self::Icons(_) => 0x02,
            Self::End => 0x03,
            Self::Button => 0x08,
            Self::Version => 0x09,
            Self::SetAndRun { .. } => 0x0a,
            Self::Beep(_) => 0x0b,
            Self::Ascii { .. } => 0x0c,
            Self::RevelationAscii { .. } => 0x0d,
        }
    }

    /// The whole command.
    pub(super) fn encode(self) -> Vec<u8> {
        let content = self.content();
        // Four bytes stand around the content: start and number before, stop after, and the size
        // counts those three; the longest content has twelve bytes.
        let size = u8::try_from(content.len() + 3).expect("content is at most twelve bytes");
        let mut bytes = vec![CLOCK_MESSAGE, size, START, self.number()];
        bytes.extend(content.iter().map(|byte| byte & 0x7f));
        bytes.push(STOP);
        bytes
    }

    fn content(self) -> Vec<u8> {
        match self {
            Self::Display(Display { segments: [a, b, c, d, e, f], dots, beep }) => {
                vec![c, b, a, f, e, d, dots, if beep { BEEP } else { 0 }]
            }
            Self::Icons(icons) => {
                vec![icons.left, icons.right, icons.left_period, icons.right_period, icons.special, 0, 0, 0]
            }
            Self::End | Self::Button | Self::Version => Vec::new(),
            Self::SetAndRun { left_seconds, right_seconds, run } => {
                let mut bytes = hours_minutes_seconds(left_seconds).to_vec();
                bytes.extend(hours_minutes_seconds(right_seconds));
                bytes.push(run);
                bytes
            }
            Self::Beep(length) => vec![length],
            Self::Ascii { text, beep } => [&text[..], &[beep]].concat(),
            Self::RevelationAscii { text, beep } => [&text[..], &[beep]].concat(),
        }
    }

    /// Reads what follows the size byte; `None` if it is no message that a clock knows.
    pub(super) fn decode(body: &[u8]) -> Option<Self> {
        let [START, number, content @ .., STOP] = body else { return None };
        Some(match (number, content) {
            (0x01, &[c, b, a, f, e, d, dots, beep]) => {
                Self::Display(Display { segments: [a, b, c, d, e, f], dots, beep: beep == BEEP })
            }
            (0x02, &[left, right, left_period, right_period, special, _, _, _]) => {
                Self::Icons(Icons { left, right, left_period, right_period, special })
            }
            (0x03, []) => Self::End,
            (0x08, []) => Self::Button,
            (0x09, []) => Self::Version,
            (0x0a, &[lh, lm, ls, rh, rm, rs, run]) => {
                Self::SetAndRun { left_seconds: time([lh, lm, ls])?, right_seconds: time([rh, rm, rs])?, run }
            }
            (0x0b, &[length]) => Self::Beep(length),
            (0x0c, &[ref text @ .., beep]) => Self::Ascii { text: text.try_into().ok()?, beep },
            (0x0d, &[ref text @ .., beep]) => Self::RevelationAscii { text: text.try_into().ok()?, beep },
            _ => return None,
        })
    }
}

/// Seconds of hours, minutes and seconds in plain binary.
fn time([hours, minutes, seconds]: [u8; 3]) -> Option<u16> {
    (hours <= 9 && minutes <= 59 && seconds <= 59)
        .then(|| (u16::from(hours) * 60 + u16::from(minutes)) * 60 + u16::from(seconds))
}

/// The segments that draw a character; none if it cannot be drawn.
#[must_use]
pub fn segments(letter: char) -> u8 {
    const DIGITS: [u8; 10] = [0x3f, 0x06, 0x5b, 0x4f, 0x66, 0x6d, 0x7d, 0x07, 0x7f, 0x6f];
    const LETTERS: [u8; 26] = [
        0x5f, 0x7c, 0x58, 0x5e, 0x7b, 0x71, 0x3d, 0x74, 0x10, 0x1e, 0x75, 0x38, 0x55, 0x54, 0x5c, 0x73, 0x67,
        0x50, 0x6d, 0x78, 0x3e, 0x2a, 0x7e, 0x64, 0x6e, 0x5b,
    ];
    let Ok(byte) = u8::try_from(letter) else { return 0 };
    match byte.to_ascii_lowercase() {
        digit @ b'0'..=b'9' => DIGITS[usize::from(digit - b'0')],
        letter @ b'a'..=b'z' => LETTERS[usize::from(letter - b'a')],
        b'-' => 0x40,
        _ => 0,
    }
}
