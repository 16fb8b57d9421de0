//! What the clock's display shows the players, and the times that it is given.
//!
//! Messages to the clock wait in the session's own queue, one under way at a time (section 2.4), so that
//! nothing here disturbs the reading of the board. A newer text takes the place of one that still waits.

use serde::{Deserialize, Serialize};

use super::Link;
use crate::sensor::Side;
use crate::square::Square;
use crate::stamp::MS;
use crate::wire::Announcement;
use crate::wire::dgt::clock_message::{ClockMessage, Display, run};

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
    use crate::sim::{ClockSetting, Firmware, FirmwareConfig};
    use crate::stamp::SECOND;
    use crate::wire::dgt::DgtSession;
    use crate::wire::{Session as _, SessionInput, SessionOutput};

    /// A session and a simulated board with a clock, in virtual time.
    struct Bench {
        session: DgtSession,
        board: Firmware,
        now_ns: u64,
        dumps: usize,
    }

    impl Bench {
        fn new() -> Self {
            let clock = Some("300+0".parse::<ClockSetting>().unwrap());
            let config = FirmwareConfig { clock, ..FirmwareConfig::default() };
            let board = Firmware::new(config, &crate::rules::ChessPosition::default().contents());
            let mut bench = Self { session: DgtSession::new(), board, now_ns: 0, dumps: 0 };
            bench.tell(SessionInput::LinkUp);
            bench
        }

        fn tell(&mut self, input: SessionInput<'_>) {
            let mut said = Vec::new();
            self.session.handle(input, self.now_ns, &mut said);
            for output in said {
                match output {
                    SessionOutput::Write(bytes) => self.board.receive(&bytes, self.now_ns),
                    SessionOutput::Reading(crate::sensor::Reading::Frame(_)) => self.dumps += 1,
                    _ => {}
                }
            }
        }

        fn run(&mut self, length_ns: u64) {
            let end_ns = self.now_ns + length_ns;
            while self.now_ns < end_ns {
                self.now_ns += 10 * MS;
                let mut said = Vec::new();
                self.board.poll(self.now_ns, &mut said);
                let input = if said.is_empty() { SessionInput::Wake } else { SessionInput::Bytes(&said) };
                self.tell(input);
            }
        }

        fn announce(&mut self, announcement: &Announcement) {
            self.tell(SessionInput::Announce(announcement));
        }
    }

    fn mv(text: &str) -> Announcement {
        Announcement::Move { squares: vec![Square::new(52), Square::new(36)], text: text.to_owned() }
    }

    #[test]
    fn a_move_is_shown_with_a_beep_until_it_is_cleared_and_the_board_is_read_on() {
        let mut bench = Bench::new();
        // Announced before anything is known of a clock.
        bench.announce(&mv("e7-e5"));
        bench.run(3 * SECOND);
        assert_eq!((bench.board.clock_text(), bench.board.clock_beeps()), (Some("e7-e5"), 1));
        // The last of several counts.
        for text in ["a7-a6", "a7-a5", "b7-b8q"] {
            bench.announce(&mv(text));
        }
        bench.run(SECOND);
        assert_eq!(bench.board.clock_text(), Some("b7-b8q"));
        bench.announce(&Announcement::Clear);
        bench.run(SECOND);
        assert_eq!(bench.board.clock_text(), None);
        let dumps = bench.dumps;
        bench.run(25 * SECOND);
        assert!(bench.dumps >= dumps + 2, "the board is still verified");
    }

    #[test]
    fn what_was_announced_is_shown_again_when_the_link_is_back() {
        let mut bench = Bench::new();
        bench.run(3 * SECOND);
        bench.tell(SessionInput::LinkDown);
        bench.announce(&mv("g8-f6"));
        bench.run(SECOND);
        assert_eq!(bench.board.clock_text(), None);
        bench.tell(SessionInput::LinkUp);
        bench.run(3 * SECOND);
        assert_eq!(bench.board.clock_text(), Some("g8-f6"));
    }

    #[test]
    fn times_are_set_on_a_clock_that_takes_them_and_not_offered_again_to_another() {
        let times = Announcement::Times { left_ms: [61_000, 59_500], running: Some(Side::Black) };
        let mut bench = Bench::new();
        bench.announce(&times);
        bench.run(3 * SECOND);
        assert_eq!(bench.board.clock_shows(), [300, 300], "it plays its own time control");
        assert!(bench.session.link.as_ref().is_some_and(|link| link.refuses_times));
        let mut bench = Bench::new();
        bench.board.let_clock_be_set();
        bench.announce(&times);
        bench.run(4 * SECOND);
        assert_eq!(bench.board.clock_shows(), [61, 56], "with the time since the announcement taken off");
    }

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
