//! What the clock's display shows the players, and the times that it is given.
//!
//! Messages to the clock wait in the session's own queue, one under way at a time (section 2.4), so that
//! nothing here disturbs the reading of the board. A newer text takes the place of one that still waits.

use serde::{Deserialize, Serialize};

use super::Link;
use crate::wire::Announcement;
use crate::wire::dgt::clock_message::{ClockMessage, Display, run};
use adoube_rules::sensor::Side;
use adoube_rules::square::Square;
use adoube_rules::stamp::MS;

/// A short beep with an announced move: 62.5 ms and so many sixteenths of a second (section 2.4).
const BEEP: u8 = 3;

/// The main version from which on a clock is a 3000 and shows characters rather than segments (4.4).
const FIRST_WITH_CHARACTERS: u32 = 2;

/// What the players are to see; kept over lost links.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Shown {
    text: Text,
    times: Option<Times>,
    lamps: Vec<Square>,
}

/// What stands on the display.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
enum Text {
    /// Nothing was ever announced: the clock is left alone.
    #[default]
    Untouched,
    /// The clock shows its times again.
    Times,
    /// This, and whether it comes with a beep.
    Shown(String, bool),
}

/// The times of somebody else's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Times {
    left_ms: [u64; 2],
    running: Option<Side>,
    /// When they were so.
    at_ns: u64,
}

impl Shown {
    pub(super) fn take(&mut self, announcement: &Announcement, at_ns: u64) {
        if let Some(lamps) = announcement.lamps() {
            self.lamps = lamps.to_vec();
        }
        match announcement {
            Announcement::Move { text, .. } => self.text = Text::Shown(text.clone(), true),
            Announcement::Text(text) => self.text = Text::Shown(text.clone(), false),
            Announcement::Squares(_) => {}
            Announcement::Clear if self.text == Text::Untouched => {}
            Announcement::Clear => self.text = Text::Times,
            Announcement::Times { left_ms, running } => {
                self.times = Some(Times { left_ms: *left_ms, running: *running, at_ns });
            }
        }
    }

    /// The squares that are to burn.
    pub(super) fn lamps(&self) -> &[Square] {
        &self.lamps
    }

    /// The message that sets the clock to the times as they are at `at_ns`.
    fn times_message(&self, at_ns: u64) -> Option<ClockMessage> {
        let Times { mut left_ms, running, at_ns: then_ns } = self.times?;
        let run = match running {
            Some(side) => {
                let left_ms = &mut left_ms[side.index()];
                *left_ms = left_ms.saturating_sub(at_ns.saturating_sub(then_ns) / MS);
                if side == Side::White { run::LEFT } else { run::RIGHT }
            }
            None => run::PAUSE,
        };
        let [left_seconds, right_seconds] =
            left_ms.map(|ms| u16::try_from(ms.div_ceil(1_000)).unwrap_or(u16::MAX));
        Some(ClockMessage::SetAndRun { left_seconds, right_seconds, run })
    }

    /// The message that shows the text on a clock of that version.
    fn text_message(&self, version: Option<&str>) -> Option<ClockMessage> {
        let main = version.and_then(|version| version.split('.').next()?.parse::<u32>().ok());
        match &self.text {
            Text::Untouched => None,
            Text::Times => Some(ClockMessage::End),
            Text::Shown(text, beep) if main.is_some_and(|main| main >= FIRST_WITH_CHARACTERS) => {
                let mut characters = [b' '; 8];
                let ascii = text.bytes().filter(u8::is_ascii_graphic);
                characters.iter_mut().zip(ascii).for_each(|(place, byte)| *place = byte);
                Some(ClockMessage::Ascii { text: characters, beep: if *beep { BEEP } else { 0 } })
            }
            Text::Shown(text, beep) => {
                Some(ClockMessage::Display(Display { beep: *beep, ..Display::text(&halves(text)) }))
            }
        }
    }
}

/// The six places of older clocks are two groups of three: `e7-e8q` reads `e7 e8q` there.
fn halves(text: &str) -> String {
    match text.split_once('-') {
        Some((from, to)) if from.len() == 2 => format!("{from} {to}"),
        _ => text.to_owned(),
    }
}

impl Link {
    /// Shows the players something, if there is a clock.
    pub(super) fn announce(&mut self, announcement: &Announcement, at_ns: u64) {
        self.shown.take(announcement, at_ns);
        self.light_announced(announcement, at_ns);
        match announcement {
            Announcement::Times { .. } => self.set_times(at_ns),
            Announcement::Squares(_) => {}
            _ => self.show_text(at_ns),
        }
    }

    /// Has a clock show everything that it is to show: it was just found.
    pub(super) fn show_again(&mut self, at_ns: u64) {
        self.set_times(at_ns);
        self.show_text(at_ns);
    }

    /// A clock whose version is still asked is told afterwards.
    fn is_clock_known(&self) -> bool {
        self.has_clock && !self.to_clock.contains(&ClockMessage::Version)
    }

    fn show_text(&mut self, at_ns: u64) {
        let message = self.shown.text_message(self.identity.clock_version.as_deref());
        let Some(message) = message.filter(|_| self.is_clock_known()) else { return };
        self.replace_waiting(message, at_ns, |waiting| {
            matches!(waiting, ClockMessage::Display(_) | ClockMessage::Ascii { .. } | ClockMessage::End)
        });
    }

    /// Gives the clock the times, unless it said that it takes none: only one that waits for a computer
    /// does (section 2.7).
    fn set_times(&mut self, at_ns: u64) {
        let message = self.shown.times_message(at_ns);
        let Some(message) = message.filter(|_| self.is_clock_known() && !self.refuses_times) else { return };
        self.replace_waiting(message, at_ns, |waiting| matches!(waiting, ClockMessage::SetAndRun { .. }));
    }

    /// Puts a message into the queue in the place of those like it. The first one is under way and stays.
    fn replace_waiting(
        &mut self,
        message: ClockMessage,
        at_ns: u64,
        is_like: impl Fn(&ClockMessage) -> bool,
    ) {
        let mut place = 0;
        self.to_clock.retain(|waiting| {
            place += 1;
            place == 1 || !is_like(waiting)
        });
        self.tell_clock(message, at_ns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_clocks_draw_segments() {
        let shown = |text: &str| Shown { text: Text::Shown(text.to_owned(), true), ..Shown::default() };
        for version in [None, Some("1.14")] {
            let message = shown("e7-e8q").text_message(version);
            assert_eq!(
                message,
                Some(ClockMessage::Display(Display { beep: true, ..Display::text("e7 e8q") }))
            );
        }
        let message = shown("0-0").text_message(Some("2.0"));
        assert_eq!(message, Some(ClockMessage::Ascii { text: *b"0-0     ", beep: BEEP }));
    }
}
