//! A board behind a Millennium ChessLink: commands, settings, and what it tells by itself (other-boards, section 1).
//!
//! It sends as its module does: characters with parity, noise between frames, frames of its own between a command and
//! the answer to it.

use std::collections::VecDeque;

use fastrand::Rng;

use super::act::{Act, SQUARES};
use super::board::FirmwareConfig;
use super::device::{Device, Model};
use super::scan::Scanner;
use adoube_core::wire::chesslink::{Blinking, Command, CommandDecoder, Message, setting};
use adoube_rules::sensor::Content;
use adoube_rules::stamp::SECOND;

/// ChessLink boards.
pub(super) const MODEL: Model = Model {
    protocol: "chesslink",
    names_men: Some(true),
    squares: &[64],
    device: |config, men| Box::new(ChessLinkBoard::new(config, men)),
};

/// Units of a scan's time.
const SCAN_UNIT_NS: u64 = 2_048_000;
/// Units of a status period.
const PERIOD_UNIT_NS: u64 = 4_096_000;
/// A shorter scan cannot be set; the maker's own is taken then.
const SCAN_MIN: u8 = 15;
const SCAN_USUAL: u8 = 20;
/// How long it says nothing after a reset.
const RESET_NS: u64 = 3 * SECOND;
/// One frame in so many has a character before it that is none of it.
const NOISE: u32 = 20;
/// The firmware's version, as a real one said it.
const VERSION: (u8, u8) = (1, 3);

/// A board from the side of the wire.
#[derive(Debug)]
pub struct ChessLinkBoard {
    scanner: Scanner,
    memory: [u8; 256],
    decoder: CommandDecoder,
    /// Commands that wait for the end of the scan.
    waiting: VecDeque<Command>,
    /// What the last scan saw, how many have seen the same, and what was told last.
    seen: [Content; SQUARES],
    same: u8,
    told: Option<[Content; SQUARES]>,
    told_ns: u64,
    lamps: Option<Blinking>,
    silent_until_ns: u64,
    is_heard: bool,
    rng: Rng,
    pending: Vec<u8>,
}

impl ChessLinkBoard {
    /// A board that was just switched on at time 0, with these men on it. It has no clock.
    #[must_use]
    pub fn new(config: FirmwareConfig, men: &[Content]) -> Self {
        let mut memory = [0; 256];
        memory[usize::from(setting::SCAN_TIME)] = SCAN_USUAL;
        Self {
            scanner: Scanner::new(men, config.turned, u64::from(SCAN_USUAL) * SCAN_UNIT_NS),
            memory,
            decoder: CommandDecoder::default(),
            waiting: VecDeque::new(),
            seen: [Content::EMPTY; SQUARES],
            same: 0,
            told: None,
            told_ns: 0,
            lamps: None,
            silent_until_ns: 0,
            is_heard: false,
            rng: Rng::with_seed(config.seed),
            pending: Vec::new(),
        }
    }

    /// What the lamps do.
    #[must_use]
    pub fn lamps(&self) -> Option<&Blinking> {
        self.lamps.as_ref()
    }

    /// A setting, as it is remembered.
    #[must_use]
    pub fn setting(&self, address: u8) -> u8 {
        self.memory[usize::from(address)]
    }

    /// Somebody sets it otherwise.
    pub fn set(&mut self, address: u8, value: u8) {
        let value = if address == setting::SCAN_TIME && value < SCAN_MIN { SCAN_USUAL } else { value };
        self.memory[usize::from(address)] = value;
        self.scanner.set_scan_ns(u64::from(self.setting(setting::SCAN_TIME)) * SCAN_UNIT_NS);
    }

    fn advance(&mut self, now_ns: u64) {
        while let Some((at_ns, seen)) = self.scanner.run(now_ns) {
            self.same = if seen == self.seen { self.same.saturating_add(1) } else { 0 };
            self.seen = seen;
            if at_ns < self.silent_until_ns {
                self.waiting.clear();
                continue;
            }
            if self.is_due(at_ns) {
                self.tell(at_ns);
            }
            while let Some(command) = self.waiting.pop_front() {
                self.execute(command, at_ns);
            }
        }
    }

    /// Does it tell its squares by itself now?
    fn is_due(&self, at_ns: u64) -> bool {
        let is_news = self.told.as_ref() != Some(&self.seen);
        match self.setting(setting::STATUS) & 7 {
            0 => true,
            1 => false,
            2 => at_ns - self.told_ns >= u64::from(self.setting(setting::PERIOD)) * PERIOD_UNIT_NS,
            3 => is_news,
            debounce => is_news && self.same >= debounce - 3,
        }
    }

    fn tell(&mut self, at_ns: u64) {
        self.told = Some(self.seen);
        self.told_ns = at_ns;
        self.say(&Message::Board(Box::new(self.seen)));
    }

    fn execute(&mut self, command: Command, at_ns: u64) {
        match command {
            Command::Board => self.tell(at_ns),
            Command::Lamps(blinking) => {
                self.lamps = Some(*blinking);
                self.say(&Message::LampsLit);
            }
            Command::LampsOut => {
                self.lamps = None;
                self.say(&Message::LampsOut);
            }
            Command::Version => self.say(&Message::Version { major: VERSION.0, minor: VERSION.1 }),
            Command::Write { address, value } => {
                self.set(address, value);
                self.say(&Message::Written { address, value: self.setting(address) });
            }
            Command::Read { address } => {
                self.say(&Message::Setting { address, value: self.setting(address) });
            }
            Command::Reset => {
                self.silent_until_ns = at_ns + RESET_NS;
                self.lamps = None;
            }
        }
    }

    fn say(&mut self, message: &Message) {
        if self.rng.u32(..NOISE) == 0 {
            self.pending.push(self.rng.u8(0x20..0x7f));
        }
        self.pending.extend(message.encode());
    }
}

impl Device for ChessLinkBoard {
    fn receive(&mut self, bytes: &[u8], now_ns: u64) {
        self.advance(now_ns);
        let mut commands = Vec::new();
        self.decoder.push(bytes, &mut commands);
        // It reports at every scan, whatever a host says first.
        self.is_heard |= !commands.is_empty();
        // What does not fit into its buffer is lost; no host says so much within one scan.
        self.waiting.extend(commands.into_iter().take(WAITING_MAX.saturating_sub(self.waiting.len())));
    }

    fn act(&mut self, act: Act, at_ns: u64) {
        self.advance(at_ns);
        self.scanner.act(act, at_ns);
    }

    fn poll(&mut self, now_ns: u64, out: &mut Vec<u8>) {
        self.advance(now_ns);
        out.append(&mut self.pending);
    }

    fn wake_at_ns(&self) -> Option<u64> {
        Some(if self.pending.is_empty() { self.scanner.done_ns() } else { 0 })
    }

    fn is_heard(&self) -> bool {
        self.is_heard
    }
}

/// Commands that wait at most.
const WAITING_MAX: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use adoube_core::wire::chesslink::{ChessLinkSession, Decoder};
    use adoube_core::wire::{Announcement, Session as _, SessionInput, SessionOutput};
    use adoube_rules::ChessPosition;
    use adoube_rules::square::Square;
    use adoube_rules::stamp::MS;

    fn board(turned: bool) -> ChessLinkBoard {
        let config = FirmwareConfig { turned, ..FirmwareConfig::default() };
        ChessLinkBoard::new(config, &ChessPosition::default().contents())
    }

    /// What it says from one question to the next.
    fn heard(board: &mut ChessLinkBoard, now_ns: u64) -> Vec<Message> {
        let (mut bytes, mut messages) = (Vec::new(), Vec::new());
        board.poll(now_ns, &mut bytes);
        Decoder::default().push(&bytes, &mut messages);
        messages
    }

    fn ask(board: &mut ChessLinkBoard, command: &Command, now_ns: u64) -> Vec<Message> {
        board.receive(&command.encode(), now_ns);
        heard(board, now_ns + 100 * MS)
    }

    #[test]
    fn it_tells_every_scan_until_it_is_told_otherwise() {
        let mut board = board(false);
        let boards = |messages: Vec<Message>| {
            messages.iter().filter(|message| matches!(message, Message::Board(_))).count()
        };
        let count = boards(heard(&mut board, SECOND));
        assert!((22..=25).contains(&count), "{count} scans in a second");
        let set = Command::Write { address: setting::STATUS, value: setting::ON_CHANGE };
        let said = ask(&mut board, &set, SECOND);
        assert!(said.contains(&Message::Written { address: setting::STATUS, value: setting::ON_CHANGE }));
        assert!(matches!(said[0], Message::Board(_)), "one of its own comes before the answer");
        assert_eq!(heard(&mut board, 5 * SECOND), []);
        board.act(Act::Lift { square: Square::new(12) }, 5 * SECOND);
        assert_eq!(boards(heard(&mut board, 6 * SECOND)), 1);
        assert_eq!(boards(ask(&mut board, &Command::Board, 6 * SECOND)), 1);
    }

    #[test]
    fn a_scan_cannot_be_too_short_and_a_reset_board_is_silent() {
        let mut board = board(false);
        let said = ask(&mut board, &Command::Write { address: setting::SCAN_TIME, value: 3 }, 0);
        assert!(said.contains(&Message::Written { address: setting::SCAN_TIME, value: SCAN_USUAL }));
        board.receive(&Command::Reset.encode(), SECOND);
        heard(&mut board, SECOND + 50 * MS);
        assert_eq!(ask(&mut board, &Command::Version, 2 * SECOND), []);
        assert!(!ask(&mut board, &Command::Version, 5 * SECOND).is_empty());
    }

    #[test]
    fn what_came_with_wrong_parity_is_not_heard() {
        let mut board = board(false);
        board.set(setting::STATUS, 1);
        let plain: Vec<u8> = Command::Version.encode().iter().map(|byte| byte & 0x7f).collect();
        board.receive(&plain, 0);
        assert_eq!(heard(&mut board, SECOND), []);
    }

    fn announce(session: &mut ChessLinkSession, board: &mut ChessLinkBoard, what: &Announcement, at_ns: u64) {
        let mut said = Vec::new();
        session.handle(SessionInput::Announce(what), at_ns, &mut said);
        for output in said {
            if let SessionOutput::Write(bytes) = output {
                board.receive(&bytes, at_ns);
            }
        }
    }

    /// A session and a board, a hundredth of a second a step.
    fn run(session: &mut ChessLinkSession, board: &mut ChessLinkBoard, from_ns: u64, length_ns: u64) {
        for now_ns in (from_ns..from_ns + length_ns).step_by(10 * MS as usize) {
            let (mut bytes, mut said) = (Vec::new(), Vec::new());
            board.poll(now_ns, &mut bytes);
            session.handle(SessionInput::Bytes(&bytes), now_ns, &mut said);
            for output in said {
                if let SessionOutput::Write(bytes) = output {
                    board.receive(&bytes, now_ns);
                }
            }
        }
    }

    #[test]
    fn lamps_lie_at_the_corners_of_the_sensors_squares() {
        let (mut session, mut board) = (ChessLinkSession::new(), board(true));
        session.handle(SessionInput::LinkUp, 0, &mut Vec::new());
        run(&mut session, &mut board, 0, SECOND);
        // a1 and h8.
        let squares = Announcement::Squares(vec![Square::new(0), Square::new(63)]);
        announce(&mut session, &mut board, &squares, SECOND);
        run(&mut session, &mut board, SECOND, SECOND);
        let lit = |board: &ChessLinkBoard| -> Vec<usize> {
            let lamps = board.lamps().map(|blinking| blinking.lamps).unwrap_or([0; 81]);
            (0..81).filter(|&lamp| lamps[lamp] != 0).collect()
        };
        assert_eq!(
            lit(&board),
            [7, 8, 16, 17, 63, 64, 72, 73],
            "lamp 9 is at the corner of a1, 73 at that of h8"
        );
        announce(&mut session, &mut board, &Announcement::Clear, 2 * SECOND);
        run(&mut session, &mut board, 2 * SECOND, SECOND);
        assert_eq!(board.lamps(), None);
    }

    #[test]
    fn a_board_that_was_set_otherwise_is_put_right_and_not_written_to_again() {
        let (mut session, mut board) = (ChessLinkSession::new(), board(false));
        session.handle(SessionInput::LinkUp, 0, &mut Vec::new());
        run(&mut session, &mut board, 0, 3 * SECOND);
        assert_eq!(board.setting(setting::STATUS), setting::ON_CHANGE);
        // Another host wants it silent; the next change is seen late, and then the setting.
        board.set(setting::STATUS, 1);
        board.act(Act::Lift { square: Square::new(12) }, 3 * SECOND);
        run(&mut session, &mut board, 3 * SECOND, 6 * SECOND);
        assert_eq!(board.setting(setting::STATUS), setting::ON_CHANGE);
    }
}
