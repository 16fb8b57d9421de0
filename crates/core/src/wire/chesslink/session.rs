//! The conversation with a ChessLink: what it is, how it is set, and its squares whenever they change.
//!
//! The board tells its squares by itself once it is set to; there is a checksum, so what comes is right, but what is
//! spoilt on the way is not said again. So it is asked after every burst of changes and now and then, which is the sign
//! of life as well. Settings survive power-off in a memory that wears out: they are read first, and written only if
//! they are others.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::codec::{Blinking, Command, Decoder, Message, setting};
use crate::wire::by_square::BySquare;
use crate::wire::lamps::{Squares, lit};
use crate::wire::timers::Timers;
use crate::wire::{Identity, LostReason, SAY_AGAIN, Session, SessionInput, SessionOutput, saved};
use adoube_rules::sensor::{Content, Frame, Reading};
use adoube_rules::stamp::{MS, SECOND};

/// From opening the link to the first byte: lets the line settle after DTR has changed.
const OPEN_WAIT: u64 = 50 * MS;
/// Between two commands: the longest takes 44 ms on the line, and a board scans for 41 ms before it answers.
const SPACING: u64 = 100 * MS;
/// Without an answer for this long a question is repeated; hosts wait as long for a version.
const RETRY: u64 = 2 * SECOND;
/// How often a question is asked that boards need not know, and a setting written that a board does not keep.
const TRIES: u8 = 3;
/// A gap in the middle of a frame after which it will not go on (other-boards, section 1).
const BROKEN_OFF: u64 = 200 * MS;
/// Quiet after the last change before the board is asked for all its squares: nothing of a move is still to come.
const VERIFY_QUIET: u64 = SECOND;
/// Between two looks at a board that does not change; under one per cent of the line.
const VERIFY_IDLE: u64 = 3 * SECOND;
/// Silence, questions notwithstanding, after which the link is given up: three of them were not answered.
const SILENCE: u64 = 10 * SECOND;
/// Bytes without a message before the sender cannot be a board: two seconds of a full line.
const GARBAGE_BYTES: u64 = 8 * 1024;
/// Commands that wait; there are not so many different ones.
const QUEUE: usize = 8;

/// The settings that a board is to have, and which bits of each: checksums and scans of 41 ms, as it comes from the maker,
/// and squares whenever they change.
const SETTINGS: [(u8, u8, u8); 3] = [
    (setting::BLOCK_PARITY, 0x01, 0),
    (setting::SCAN_TIME, ALL, 20),
    (setting::STATUS, ALL, setting::ON_CHANGE),
];
const ALL: u8 = 0xff;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Timer {
    /// The next command may go out.
    Send,
    /// A frame that began does not go on.
    BrokenOff,
    /// Questions may be open.
    Retry,
    /// It is time to look at the whole board.
    Verify,
    /// The lamps are not acknowledged.
    Lamps,
    /// The board said nothing for too long.
    Silence,
}

/// Something to be said. The lamps are looked up when their turn has come: what is stale then is never sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Ask {
    Version,
    Board,
    Read(u8),
    Write(u8, u8),
    Lamps,
}

/// A conversation with one board.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ChessLinkSession {
    link: Option<Link>,
    /// The squares that the players are to see, whether or not the link is up; `None`: nobody ever said.
    lit: Option<Squares>,
}

impl ChessLinkSession {
    /// A session whose link is down.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl Session for ChessLinkSession {
    fn handle(&mut self, input: SessionInput<'_>, at_ns: u64, out: &mut Vec<SessionOutput>) {
        if let Some(link) = &mut self.link {
            link.fire_until(at_ns, self.lit, out);
        }
        match input {
            SessionInput::LinkUp => self.link = Some(Link::new(at_ns, self.lit.is_some())),
            SessionInput::LinkDown => self.link = None,
            SessionInput::Bytes(bytes) => match &mut self.link {
                Some(link) => link.hear(bytes, at_ns, out),
                None => out.push(SessionOutput::Skipped { bytes: bytes.len() as u64 }),
            },
            SessionInput::Announce(announcement) => {
                if let Some(squares) = lit(announcement) {
                    self.lit = Some(squares);
                    if let Some(link) = &mut self.link {
                        link.show(at_ns);
                    }
                }
            }
            SessionInput::Wake => {}
        }
        if let Some(link) = &mut self.link {
            link.fire_until(at_ns, self.lit, out);
        }
    }

    fn wake_at_ns(&self) -> Option<u64> {
        self.link.as_ref()?.timers.wake_at_ns()
    }

    fn state(&self) -> Value {
        saved(self)
    }
}

/// All that is known since the link came up.
#[derive(Debug, Serialize, Deserialize)]
struct Link {
    decoder: Decoder,
    timers: Timers<Timer>,
    /// What waits for its turn; each at most once.
    queue: VecDeque<Ask>,
    /// When the next command may go out.
    free_ns: u64,
    /// The squares as they were last told, and when that was last said.
    told: Option<BySquare<Content>>,
    said_ns: u64,
    /// The answer to a question for all squares is still to come.
    is_asked: bool,
    identity: Option<Identity>,
    /// The board's settings, by their place in [`SETTINGS`].
    settings: [Option<u8>; SETTINGS.len()],
    /// How often the questions of the beginning were repeated.
    rounds: u8,
    /// How often each was written, by its place in [`SETTINGS`].
    writes: [u8; SETTINGS.len()],
    lamp_tries: u8,
    garbage_bytes: u64,
    is_lost: bool,
}

impl Link {
    fn new(at_ns: u64, has_lamps: bool) -> Self {
        let mut link = Self {
            decoder: Decoder::default(),
            timers: Timers::default(),
            queue: VecDeque::new(),
            free_ns: at_ns + OPEN_WAIT,
            told: None,
            said_ns: at_ns,
            is_asked: false,
            identity: None,
            settings: [None; SETTINGS.len()],
            rounds: 0,
            writes: [0; SETTINGS.len()],
            lamp_tries: 0,
            garbage_bytes: 0,
            is_lost: false,
        };
        link.begin(at_ns);
        // What burns may be left from before the link broke.
        if has_lamps {
            link.show(at_ns);
        }
        link
    }

    fn begin(&mut self, at_ns: u64) {
        self.timers.set(Timer::Silence, at_ns + SILENCE);
        self.timers.set(Timer::Retry, at_ns + RETRY);
        self.ask(Ask::Version, at_ns);
        SETTINGS.iter().for_each(|&(address, ..)| self.ask(Ask::Read(address), at_ns));
        self.ask(Ask::Board, at_ns);
    }

    // What the timers do.

    fn fire_until(&mut self, at_ns: u64, lit: Option<Squares>, out: &mut Vec<SessionOutput>) {
        while let Some((due_ns, timer)) = self.timers.take_due(at_ns) {
            match timer {
                Timer::Send => self.send(due_ns, lit, out),
                Timer::BrokenOff => {
                    let bytes = self.decoder.abandon();
                    self.skipped(bytes, due_ns, out);
                }
                Timer::Retry => self.retry(due_ns),
                Timer::Verify => self.look(due_ns),
                Timer::Lamps if self.lamp_tries < TRIES => self.ask(Ask::Lamps, due_ns),
                Timer::Lamps => {}
                Timer::Silence => self.lose(LostReason::Silent, out),
            }
        }
    }

    fn send(&mut self, at_ns: u64, lit: Option<Squares>, out: &mut Vec<SessionOutput>) {
        let Some(ask) = self.queue.pop_front() else { return };
        let command = match ask {
            Ask::Version => Command::Version,
            Ask::Board => {
                self.is_asked = true;
                Command::Board
            }
            Ask::Read(address) => Command::Read { address },
            Ask::Write(address, value) => Command::Write { address, value },
            Ask::Lamps => {
                self.lamp_tries = self.lamp_tries.saturating_add(1);
                self.timers.set(Timer::Lamps, at_ns + RETRY);
                match lit {
                    Some(squares) if squares != 0 => Command::Lamps(Box::new(Blinking::steady(squares))),
                    _ => Command::LampsOut,
                }
            }
        };
        out.push(SessionOutput::Write(command.encode()));
        self.free_ns = at_ns + SPACING;
        if !self.queue.is_empty() {
            self.timers.set(Timer::Send, self.free_ns);
        }
    }

    /// Asks again for what was not answered: for the squares without end, for the rest a few times.
    fn retry(&mut self, at_ns: u64) {
        self.rounds = self.rounds.saturating_add(1);
        let may_ask = self.rounds < TRIES;
        if may_ask && self.identity.is_none() {
            self.ask(Ask::Version, at_ns);
        }
        for (place, (address, bits, value)) in SETTINGS.into_iter().enumerate() {
            // What does not tell its settings may take them all the same; where other bits are not known, they stay.
            if may_ask && self.settings[place].is_none() && bits == ALL {
                self.ask(Ask::Write(address, value), at_ns);
            }
        }
        if self.told.is_none() {
            self.ask(Ask::Board, at_ns);
        }
        if may_ask || self.told.is_none() {
            self.timers.set(Timer::Retry, at_ns + RETRY);
        }
    }

    fn look(&mut self, at_ns: u64) {
        self.ask(Ask::Board, at_ns);
        self.timers.set(Timer::Verify, at_ns + VERIFY_IDLE);
    }

    /// Gives the link up: no timer is left until it comes up again, or until the board speaks after all.
    fn lose(&mut self, reason: LostReason, out: &mut Vec<SessionOutput>) {
        self.is_lost = true;
        self.timers = Timers::default();
        self.queue.clear();
        self.garbage_bytes = 0;
        out.push(SessionOutput::Lost(reason));
    }

    // What is asked.

    /// Lets a question wait for its turn, if it does not wait already.
    fn ask(&mut self, ask: Ask, at_ns: u64) {
        if !self.queue.contains(&ask) && self.queue.len() < QUEUE {
            self.queue.push_back(ask);
        }
        if !self.timers.is_set(Timer::Send) {
            self.timers.set(Timer::Send, at_ns.max(self.free_ns));
        }
    }

    /// Other squares are to be lit.
    fn show(&mut self, at_ns: u64) {
        self.lamp_tries = 0;
        self.ask(Ask::Lamps, at_ns);
    }

    // What the board says.

    fn hear(&mut self, bytes: &[u8], at_ns: u64, out: &mut Vec<SessionOutput>) {
        if bytes.is_empty() {
            return;
        }
        if self.is_lost {
            self.is_lost = false;
            self.begin(at_ns);
        }
        self.timers.set(Timer::Silence, at_ns + SILENCE);
        let mut messages = Vec::new();
        let skipped = self.decoder.push(bytes, &mut messages);
        for message in messages {
            self.garbage_bytes = 0;
            self.take(message, at_ns, out);
        }
        self.skipped(skipped, at_ns, out);
    }

    /// Notes bytes that made no message, and watches the frame that is still coming in.
    fn skipped(&mut self, bytes: u64, at_ns: u64, out: &mut Vec<SessionOutput>) {
        if self.decoder.pending() == 0 {
            self.timers.clear(Timer::BrokenOff);
        } else {
            self.timers.set(Timer::BrokenOff, at_ns + BROKEN_OFF);
        }
        if bytes == 0 {
            return;
        }
        out.push(SessionOutput::Skipped { bytes });
        // It may have been a change that was spoilt on the way.
        if self.told.is_some() {
            self.timers.set(Timer::Verify, at_ns + VERIFY_QUIET);
        }
        self.garbage_bytes += bytes;
        if self.garbage_bytes >= GARBAGE_BYTES {
            self.lose(LostReason::Unintelligible, out);
        }
    }

    fn take(&mut self, message: Message, at_ns: u64, out: &mut Vec<SessionOutput>) {
        match message {
            Message::Board(contents) => self.take_board(*contents, at_ns, out),
            Message::Version { major, minor } => {
                let identity = Identity { version: Some(format!("{major}.{minor}")), ..Identity::default() };
                if self.identity.as_ref() != Some(&identity) {
                    self.identity = Some(identity.clone());
                    out.push(SessionOutput::Identity(identity));
                }
            }
            Message::Written { address, value } | Message::Setting { address, value } => {
                self.take_setting(address, value, at_ns);
            }
            Message::LampsLit | Message::LampsOut => self.timers.clear(Timer::Lamps),
        }
    }

    fn take_board(&mut self, contents: [Content; 64], at_ns: u64, out: &mut Vec<SessionOutput>) {
        let is_answer = std::mem::take(&mut self.is_asked);
        let is_news = self.told.is_none_or(|told| told.0 != contents);
        if is_news && is_answer && self.told.is_some() {
            // It should have been said unasked: has the board forgotten how it was set?
            self.ask(Ask::Read(setting::STATUS), at_ns);
        }
        if is_news || at_ns >= self.said_ns + SAY_AGAIN {
            self.said_ns = at_ns;
            out.push(SessionOutput::Reading(Reading::Frame(Frame::Identity(contents.to_vec()))));
            if self.told.is_none() {
                out.push(SessionOutput::Reading(Reading::Clock(None)));
            }
            self.told = Some(BySquare(contents));
        }
        self.timers.set(Timer::Verify, at_ns + if is_news { VERIFY_QUIET } else { VERIFY_IDLE });
    }

    fn take_setting(&mut self, address: u8, value: u8, at_ns: u64) {
        let Some(place) = SETTINGS.iter().position(|&(known, ..)| known == address) else { return };
        self.settings[place] = Some(value);
        let (_, bits, wanted) = SETTINGS[place];
        if value & bits != wanted && self.writes[place] < TRIES {
            self.writes[place] += 1;
            self.ask(Ask::Write(address, value & !bits | wanted), at_ns);
        }
    }
}

#[cfg(test)]
mod tests;
