//! The lamps of a Revelation II (dgt-protocol 2.3). Other boards freeze when they are told of lamps, so only one
//! that says what it is gets a word of them.

use super::Link;
use crate::wire::Announcement;
use crate::wire::dgt::command::{Command, Leds};
use adoube_rules::square::Square;

/// More lamps than these take longer than a second to light, and tell nobody anything.
const LAMPS_MAX: usize = 16;

/// The last firmware that can light lamps and not put them out (2.3).
const ONLY_ON: (u32, u32) = (3, 21);

/// Does a board with this long serial number have lamps that can be put out? A Revelation II puts its firmware's
/// version in front, as `3.36012345`; the long numbers of all other boards are digits (3.8).
fn has_lamps(long_serial: Option<&str>) -> bool {
    let version = long_serial.and_then(|text| {
        let (major, rest) = text.split_once('.')?;
        let is_plain = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
        let minor = rest.get(..2).filter(|minor| is_plain(minor))?;
        (major.len() == 1 && is_plain(major)).then_some((major.parse().ok()?, minor.parse().ok()?))
    });
    version.is_some_and(|version: (u32, u32)| version > ONLY_ON)
}

impl Link {
    /// Lights these squares and no others, if the board can.
    pub(super) fn light(&mut self, squares: &[Square], at_ns: u64) {
        if !has_lamps(self.identity.long_serial.as_deref()) {
            return;
        }
        self.queue.retain(|waiting| !matches!(waiting, Command::Leds(_)));
        // By itself it puts out everything when a man is moved, and turns the lamps with the board: these squares are
        // the sensor's, which never turn.
        self.ask(Command::Leds(Leds::AutoOff(false)), at_ns);
        self.ask(Command::Leds(Leds::AutoTurn(false)), at_ns);
        self.ask(Command::Leds(Leds::Clear), at_ns);
        for pair in squares[..squares.len().min(LAMPS_MAX)].chunks(2) {
            if let (Some(&from), Some(&to)) = (pair.first(), pair.last()) {
                self.ask(Command::Leds(Leds::On { from, to }), at_ns);
            }
        }
    }

    /// Lights what was announced just now.
    pub(super) fn light_announced(&mut self, announcement: &Announcement, at_ns: u64) {
        if let Some(squares) = announcement.lamps() {
            self.light(squares, at_ns);
        }
    }

    /// The board has said that it is one with lamps. What burns may be left from before the link broke, or from
    /// another program.
    pub(super) fn light_again(&mut self, at_ns: u64) {
        let squares = self.shown.lamps().to_vec();
        self.light(&squares, at_ns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::dgt::{CommandDecoder, DgtSession, Message};
    use crate::wire::{Session as _, SessionInput, SessionOutput};
    use adoube_rules::stamp::SECOND;

    /// What a board with that long serial number is told of lamps.
    fn told(long_serial: &str, announcements: &[Announcement], is_known_before: bool) -> Vec<Leds> {
        let (mut session, mut out) = (DgtSession::new(), Vec::new());
        session.handle(SessionInput::LinkUp, 0, &mut out);
        let said = Message::LongSerial(long_serial.to_owned()).encode();
        if is_known_before {
            session.handle(SessionInput::Bytes(&said), 1, &mut out);
        }
        for announcement in announcements {
            session.handle(SessionInput::Announce(announcement), 2, &mut out);
        }
        session.handle(SessionInput::Bytes(&said), SECOND, &mut out);
        session.handle(SessionInput::Wake, 4 * SECOND, &mut out);
        let (mut decoder, mut commands) = (CommandDecoder::default(), Vec::new());
        for output in out {
            if let SessionOutput::Write(bytes) = output {
                decoder.push(&bytes, &mut commands);
            }
        }
        let leds = |command| if let Command::Leds(leds) = command { Some(leds) } else { None };
        commands.into_iter().filter_map(leds).collect()
    }

    fn move_and_squares() -> [Announcement; 2] {
        let mv =
            Announcement::Move { squares: vec![Square::new(52), Square::new(36)], text: "e7-e5".to_owned() };
        [mv, Announcement::Squares(vec![Square::new(0), Square::new(1), Square::new(2)])]
    }

    #[test]
    fn only_a_revelation_is_told_of_lamps() {
        for other in ["3000448278", "30000.3.36", "3.21012345", "3.1", "3.x6012345", "33.6012345", "", "."] {
            assert_eq!(told(other, &move_and_squares(), true), [], "{other}");
        }
    }

    #[test]
    fn what_burns_from_before_is_put_out() {
        let dark = [Leds::AutoOff(false), Leds::AutoTurn(false), Leds::Clear];
        assert_eq!(told("3.36012345", &[], false), dark);
    }

    #[test]
    fn the_last_that_was_announced_burns() {
        let expected = [
            Leds::AutoOff(false),
            Leds::AutoTurn(false),
            Leds::Clear,
            Leds::On { from: Square::new(0), to: Square::new(1) },
            Leds::On { from: Square::new(2), to: Square::new(2) },
        ];
        let known_later = told("3.36012345", &move_and_squares(), false);
        assert_eq!(known_later, expected);
        assert_eq!(
            told("3.36012345", &move_and_squares(), true),
            expected,
            "what waited is not sent any more"
        );
        let [mv, _] = move_and_squares();
        assert_eq!(told("3.36012345", &[mv, Announcement::Clear], true), expected[..3]);
    }
}
