//! The conversation with one board of a bus: what its packets mean, and what else to ask.
//!
//! The session is handed the whole verified packets of its board and nothing else. It learns its address from
//! the first of them; before, it has nothing to say. The master asks for changes by itself; the session asks for
//! the rest: the board at first and now and then, the clock every other second, the memory when something is
//! missing.
//!
//! What is known of the board outlasts the link: its memory goes on while nobody listens, and its records tell
//! afterwards what happened, in order and with the times at which the clock was pressed.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::codec::{Decoder, Message, Packet};
use super::command::{Command, Order};
use super::memory_walk::unread;
use crate::wire::by_square::BySquare;
use crate::wire::dgt::clock_answer::{ClockEnd, ClockTimes};
use crate::wire::dgt::eeprom::{Record, records};
use crate::wire::dgt::square::SQUARES;
use crate::wire::{Identity, LostReason, Session, SessionInput, SessionOutput, saved};
use adoube_rules::sensor::{Content, Frame, Reading};
use adoube_rules::square::Square;
use adoube_rules::stamp::SECOND;

/// Between two looks at the clock: presses come with the records, so this is for what viewers cannot count by
/// themselves (a start, a stop). Thirty boards spend a fifth of their line on it.
const CLOCK: u64 = 3 * SECOND;
/// The same when a flag is near.
const CLOCK_NEAR: u64 = SECOND;
/// So near, seconds.
const NEAR_S: u16 = 60;
/// The same where there is no clock: until somebody plugs one in.
const NO_CLOCK: u64 = 10 * SECOND;
/// Between two looks at the whole board. Nothing gets lost that the checksums do not show; this is for what
/// nobody thought of, and costs thirty boards a twenty-fifth of their line.
const VERIFY: u64 = 60 * SECOND;
/// An answer that did not come is asked for again.
const RETRY: u64 = 5 * SECOND;
/// Silence after which the board is given up: three signs of life that the master passes on.
const SILENCE: u64 = 15 * SECOND;

/// What a session waits for; of two due at the same instant the earlier in this order fires first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Timer {
    Clock,
    Verify,
    Silence,
}

const TIMERS: [Timer; 3] = [Timer::Clock, Timer::Verify, Timer::Silence];

/// A conversation with one board of a bus.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct BusSession {
    /// What the link is good for; nothing while it is down.
    link: Option<Link>,
    address: Option<u16>,
    picture: Option<BySquare<Content>>,
    clock: Option<ClockTimes>,
    /// The start of the game is in the board's memory.
    is_started: bool,
    /// The last changes, of which a board may remind whoever comes anew.
    last: Vec<u8>,
    /// A list of all pieces is coming in, and these squares of it have come.
    listing: Option<u64>,
    /// Squares of which a dump told before their own records did.
    ahead: u64,
    /// The clock showed a press of which no record told yet.
    press_unwritten: bool,
    /// The clock told of the last press, and no record did.
    press_told: bool,
}

/// What is known since the link came up.
#[derive(Debug, Serialize, Deserialize)]
struct Link {
    decoder: Decoder,
    timers: [Option<u64>; TIMERS.len()],
    identity: Identity,
    /// Something was heard.
    is_heard: bool,
    /// The board was shown.
    is_shown: bool,
    /// The board is not what was read of it, and its memory was asked why.
    is_recovering: bool,
    is_lost: bool,
}

impl Link {
    fn new() -> Self {
        Self {
            decoder: Decoder::default(),
            timers: [None; TIMERS.len()],
            identity: Identity::default(),
            is_heard: false,
            is_shown: false,
            is_recovering: false,
            is_lost: false,
        }
    }

    fn set(&mut self, timer: Timer, at_ns: u64) {
        self.timers[timer as usize] = Some(at_ns);
    }

    fn next(&self) -> Option<(u64, Timer)> {
        let due = TIMERS.into_iter().filter_map(|timer| Some((self.timers[timer as usize]?, timer)));
        due.min_by_key(|(at_ns, _)| *at_ns)
    }
}

impl BusSession {
    /// A session whose link is down.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn fire_until(&mut self, at_ns: u64, out: &mut Vec<SessionOutput>) {
        while let Some(link) = &mut self.link {
            let Some((due_ns, timer)) = link.next().filter(|(due_ns, _)| *due_ns <= at_ns) else { return };
            link.timers[timer as usize] = None;
            match timer {
                Timer::Clock => {
                    link.set(Timer::Clock, due_ns + until_next_look(self.clock));
                    self.ask(Command::SendClock, out);
                }
                Timer::Verify => {
                    link.set(Timer::Verify, due_ns + RETRY);
                    self.ask(Command::SendBoard, out);
                }
                Timer::Silence => {
                    link.is_lost = true;
                    link.timers = [None; TIMERS.len()];
                    out.push(SessionOutput::Lost(LostReason::Silent));
                }
            }
        }
    }

    fn ask(&self, command: Command, out: &mut Vec<SessionOutput>) {
        if let Some(address) = self.address {
            out.push(SessionOutput::Write(Order { address, command }.encode()));
        }
    }

    fn hear(&mut self, bytes: &[u8], at_ns: u64, out: &mut Vec<SessionOutput>) {
        let mut packets = Vec::new();
        let Some(link) = &mut self.link else {
            return out.push(SessionOutput::Skipped { bytes: bytes.len() as u64 });
        };
        let mut skipped = link.decoder.push(bytes, &mut packets);
        for packet in packets {
            if self.address.is_some_and(|own| own != packet.address()) {
                skipped += packet.bytes().len() as u64;
            } else {
                self.take(&packet, at_ns, out);
            }
        }
        if skipped > 0 {
            out.push(SessionOutput::Skipped { bytes: skipped });
        }
    }

    fn take(&mut self, packet: &Packet, at_ns: u64, out: &mut Vec<SessionOutput>) {
        let is_first = self.greet(packet.address(), at_ns, out);
        let Some(link) = &mut self.link else { return };
        link.set(Timer::Silence, at_ns + SILENCE);
        match packet.message() {
            // What the board said last before the link was up was heard then, perhaps.
            Message::Changes { .. } if is_first && packet.bytes() == self.last => {}
            Message::Changes { records: bytes, .. } => {
                if !bytes.is_empty() {
                    packet.bytes().clone_into(&mut self.last);
                }
                let (found, skipped) = records(&bytes);
                found.into_iter().for_each(|record| self.take_record(record, out));
                // A record that nobody knows may have been a change.
                if skipped > 0 {
                    self.ask(Command::SendBoard, out);
                }
            }
            Message::FromStart(bytes) => self.take_memory(&records(&bytes).0, out),
            Message::Dump(contents) => self.take_dump(*contents, at_ns, out),
            Message::Clock(times) => self.take_clock(times, out),
            Message::StartWritten => self.is_started = true,
            Message::Version(Some((major, minor))) => {
                let version = Some(format!("{major}.{minor}"));
                if link.identity.version != version {
                    link.identity.version = version;
                    out.push(SessionOutput::Identity(link.identity.clone()));
                }
            }
            Message::Version(None) | Message::Ping | Message::Unknown { .. } => {}
        }
    }

    /// The first packet of a link says who the board is; now there is somebody to ask.
    fn greet(&mut self, address: u16, at_ns: u64, out: &mut Vec<SessionOutput>) -> bool {
        let Some(link) = &mut self.link else { return false };
        if std::mem::replace(&mut link.is_heard, true) && !std::mem::take(&mut link.is_lost) {
            return false;
        }
        self.address = Some(address);
        // As the same board says it when it is alone on its line.
        link.identity.serial = Some(format!("{address:05}"));
        link.set(Timer::Clock, at_ns + CLOCK);
        link.set(Timer::Verify, at_ns + RETRY);
        out.push(SessionOutput::Identity(link.identity.clone()));
        for command in [Command::SendBoard, Command::SendClock, Command::SendVersion] {
            self.ask(command, out);
        }
        true
    }

    fn take_record(&mut self, record: Record, out: &mut Vec<SessionOutput>) {
        match record {
            Record::Square { square, content, .. } => self.take_square(square, content, out),
            Record::Clock { end, seconds } => {
                self.listing = None;
                self.take_halted(end, seconds, out);
            }
            Record::StartTag => self.listing = Some(0),
            // The board was without power: what stands on it follows, but not what is gone.
            Record::PowerUp | Record::Watchdog => {
                self.listing = Some(0);
                self.ask(Command::SendBoard, out);
            }
            // After the first look at the board it is asked for anyway.
            Record::BeginPosition | Record::BeginPositionTurned | Record::FourRows => {
                if self.picture.is_some() {
                    self.ask(Command::StartGame, out);
                }
            }
            Record::EndOfFile
            | Record::EmptyBoard
            | Record::Downloaded
            | Record::Nothing
            | Record::Zero
            | Record::Reserved(_) => {}
        }
    }

    fn take_square(&mut self, square: Square, content: Content, out: &mut Vec<SessionOutput>) {
        let Some(picture) = &mut self.picture else { return };
        let (here, bit) = (&mut picture[square], 1 << square.number());
        let is_listed = self.listing.is_some_and(|listed| listed & bit == 0 && !content.is_empty());
        self.listing = self.listing.filter(|_| is_listed).map(|listed| listed | bit);
        let is_ahead = self.ahead & bit != 0;
        self.ahead &= !bit;
        let reading = |content| SessionOutput::Reading(Reading::Square { square, content });
        if *here != content {
            *here = content;
            out.push(reading(content));
        } else if !content.is_empty() && !is_listed && !is_ahead {
            // A record is written when something changes, and over the one before if that was about the
            // same square: he was away and is back.
            out.push(reading(Content::EMPTY));
            out.push(reading(content));
        }
    }

    /// The lever was pressed, and this end's time stands. The other's stood until now, so both are known.
    fn take_halted(&mut self, end: ClockEnd, seconds: u16, out: &mut Vec<SessionOutput>) {
        self.press_unwritten = false;
        let was_told = std::mem::take(&mut self.press_told);
        let Some(before) = self.clock.filter(|clock| clock.running()) else {
            // Nobody knows whether it runs: it has to say so itself.
            self.press_unwritten = true;
            return self.ask(Command::SendClock, out);
        };
        let lever = other(end);
        let (mut left, mut right) = (before.left, before.right);
        match end {
            ClockEnd::Left => left.seconds = seconds,
            ClockEnd::Right => right.seconds = seconds,
        }
        if before.lever() == lever && !was_told {
            // Very fast moves are not written: before this one, the other end was pressed.
            self.show_clock(ClockTimes::new(before.left, before.right, true, end), out);
        }
        self.show_clock(ClockTimes::new(left, right, true, lever), out);
    }

    fn take_clock(&mut self, times: ClockTimes, out: &mut Vec<SessionOutput>) {
        let pressed = self.clock.is_some_and(|before| before.running() && before.lever() != times.lever());
        if pressed && times.running() && !std::mem::take(&mut self.press_unwritten) {
            // Its record comes with the next changes, behind the move that it ends; should there be none, the
            // clock is believed when it says so again.
            self.press_unwritten = true;
            return;
        }
        self.press_unwritten = false;
        self.press_told = pressed;
        self.show_clock(times, out);
    }

    fn show_clock(&mut self, times: ClockTimes, out: &mut Vec<SessionOutput>) {
        let Some(reading) = times.reading() else { return };
        self.clock = Some(times).filter(|_| reading != Reading::Clock(None));
        out.push(SessionOutput::Reading(reading));
    }

    fn take_dump(&mut self, contents: [Content; SQUARES], at_ns: u64, out: &mut Vec<SessionOutput>) {
        let Some(link) = &mut self.link else { return };
        link.set(Timer::Verify, at_ns + VERIFY);
        let differs = self.picture.as_ref().map_or(0, |picture| difference(picture, &contents));
        if differs != 0 && self.is_started && !link.is_recovering {
            // Something was lost. The memory knows in which order it happened; then the board once more.
            link.is_recovering = true;
            link.set(Timer::Verify, at_ns + RETRY);
            self.ask(Command::SendFromStart, out);
            return self.ask(Command::SendBoard, out);
        }
        link.is_recovering = false;
        let is_first = !std::mem::replace(&mut link.is_shown, true);
        self.ahead = differs;
        out.push(SessionOutput::Reading(Reading::Frame(Frame::Identity(contents.to_vec()))));
        self.picture = Some(BySquare(contents));
        if is_first && !self.is_started {
            self.ask(Command::StartGame, out);
        }
    }

    fn take_memory(&mut self, memory: &[Record], out: &mut Vec<SessionOutput>) {
        let news = self.picture.as_ref().and_then(|picture| unread(memory, picture));
        let news = news.map(<[Record]>::to_vec);
        let Some(link) = &mut self.link else { return };
        if news.is_none() {
            // No way leads from what is known to what stands there: the board is believed as it is.
            link.is_recovering = true;
        }
        for record in news.unwrap_or_default() {
            self.take_record(record, out);
        }
        self.ask(Command::SendBoard, out);
    }
}

impl Session for BusSession {
    fn handle(&mut self, input: SessionInput<'_>, at_ns: u64, out: &mut Vec<SessionOutput>) {
        self.fire_until(at_ns, out);
        match input {
            SessionInput::LinkUp => {
                let mut link = Link::new();
                link.set(Timer::Silence, at_ns + SILENCE);
                (self.listing, self.ahead, self.press_unwritten) = (None, 0, false);
                self.link = Some(link);
            }
            SessionInput::LinkDown => self.link = None,
            SessionInput::Bytes(bytes) => self.hear(bytes, at_ns, out),
            // How a clock is told something through a bus is not known (section 2.8: arguments unknown).
            SessionInput::Announce(_) | SessionInput::Wake => {}
        }
    }

    fn wake_at_ns(&self) -> Option<u64> {
        Some(self.link.as_ref()?.next()?.0)
    }

    fn state(&self) -> Value {
        saved(self)
    }
}

/// How long to leave this clock alone.
fn until_next_look(clock: Option<ClockTimes>) -> u64 {
    let Some(clock) = clock else { return NO_CLOCK };
    let runs = match clock.lever() {
        ClockEnd::Left => clock.left,
        ClockEnd::Right => clock.right,
    };
    if clock.running() && runs.seconds <= NEAR_S { CLOCK_NEAR } else { CLOCK }
}

fn other(end: ClockEnd) -> ClockEnd {
    match end {
        ClockEnd::Left => ClockEnd::Right,
        ClockEnd::Right => ClockEnd::Left,
    }
}

/// The squares that are not the same, a bit each.
fn difference(one: &[Content; SQUARES], two: &[Content; SQUARES]) -> u64 {
    (0..SQUARES).filter(|&square| one[square] != two[square]).fold(0, |bits, square| bits | 1 << square)
}

#[cfg(test)]
mod tests;
