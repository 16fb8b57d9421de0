//! The conversation with one DGT board: what to ask and when, and what the answers mean.
//!
//! A link begins with reset, identity, update mode, a dump and the clock, in this order: the mode comes
//! before the dump so that no change falls between them. From then on the board speaks by itself. There is
//! no checksum and no counter, so a lost update shows only in a dump: one is asked for after every
//! burst of changes, whenever something looks wrong, and now and then.

mod display;
mod lamps;

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::clock_answer::{AckResult, ClockAck, ClockTimes};
use super::clock_message::ClockMessage;
use super::codec::{Decoder, Message};
use super::command::Command;
use super::square::SQUARES;
use super::timers::Timer;
use crate::wire::by_square::BySquare;
use crate::wire::timers::Timers;
use crate::wire::{Identity, LostReason, Session, SessionInput, SessionOutput, saved};
use adoube_rules::sensor::{Content, Frame, Reading};
use adoube_rules::square::Square;
use adoube_rules::stamp::{MS, SECOND};

use display::Shown;

/// From opening the link to the first byte: lets the line settle. Some hosts wait 500 ms for serial
/// adapters; the retry of the handshake covers those, and nobody else has to wait.
const OPEN_WAIT: u64 = 50 * MS;
/// Between two commands: a board's input buffer holds ten bytes, and hosts that keep 75 to 100 ms
/// lose none (section 2).
const SPACING: u64 = 75 * MS;
/// Without an answer for this long the handshake is repeated (section 4.3), and a dump asked again.
const RETRY: u64 = 2 * SECOND;
/// How often an identity question is asked: older boards do not know all of them.
const IDENTITY_ROUNDS: u8 = 3;
/// A gap in the middle of a message after which it will not go on (section 3.1).
const BROKEN_OFF: u64 = 500 * MS;
/// Quiet after the last change before the dump that verifies it: two scans of a slow board, so that
/// nothing of a move is still to come. Also the least time between two dumps asked out of doubt, so
/// that a noisy line is not made busier.
const VERIFY_QUIET: u64 = SECOND;
/// Between dumps of a board that does not change: finds a board that forgot its mode, as after a
/// loss of power, and costs under one per cent of the slowest line.
const VERIFY_IDLE: u64 = 10 * SECOND;
/// Silence before a sign of life is asked for; hosts commonly use this rate (section 2.2).
const KEEP_ALIVE: u64 = SECOND;
/// Silence, questions notwithstanding, after which the link is given up (section 4.3).
const SILENCE: u64 = 5 * SECOND;
/// Bytes without a message that make sense before the sender cannot be a board. More than the
/// longest message, 7,939 bytes, so that one that broke off is not mistaken for noise.
const GARBAGE_BYTES: u64 = 8 * 1024;
/// Waiting for the clock's answer once the message is out (section 2.4): old clocks take up to 2 s.
const CLOCK_ANSWER: u64 = 2 * SECOND;
/// How often a message to the clock is sent before it is given up (section 2.4).
const CLOCK_TRIES: u8 = 3;
/// Messages to the clock that can wait; a session has one to send.
const CLOCK_QUEUE: usize = 4;

/// The first words to a board, which may be in any mode. The clock is asked because in this mode a
/// board tells only what changes, and a clock that stands still does not.
const HANDSHAKE: [Command; 7] = [
    Command::Reset,
    Command::Serial,
    Command::LongSerial,
    Command::Version,
    Command::UpdateNice,
    Command::SendBoard,
    Command::SendClock,
];

/// A conversation with one board.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct DgtSession {
    /// What is known since the link came up; nothing while it is down.
    link: Option<Link>,
    /// What the players are to see, whether or not the link is up.
    shown: Shown,
}

impl DgtSession {
    /// A session whose link is down.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl Session for DgtSession {
    fn handle(&mut self, input: SessionInput<'_>, at_ns: u64, out: &mut Vec<SessionOutput>) {
        if let Some(link) = &mut self.link {
            link.fire_until(at_ns, out);
        }
        match input {
            SessionInput::LinkUp => self.link = Some(Link::new(at_ns, self.shown.clone())),
            SessionInput::LinkDown => self.link = None,
            SessionInput::Bytes(bytes) => match &mut self.link {
                Some(link) => link.hear(bytes, at_ns, out),
                None => out.push(SessionOutput::Skipped { bytes: bytes.len() as u64 }),
            },
            SessionInput::Announce(announcement) => {
                self.shown.take(announcement, at_ns);
                if let Some(link) = &mut self.link {
                    link.announce(announcement, at_ns);
                }
            }
            SessionInput::Wake => {}
        }
        // What was said may ask for an answer at once.
        if let Some(link) = &mut self.link {
            link.fire_until(at_ns, out);
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
    /// Commands that wait for their turn; each at most once.
    queue: VecDeque<Command>,
    /// When the board can take the next command.
    free_ns: u64,
    /// The board as dumps and updates have it; nothing before the first dump.
    picture: Option<BySquare<Content>>,
    /// An update may have been lost since the last dump.
    in_doubt: bool,
    dump_asked_ns: u64,
    identity: Identity,
    /// How often the identity was asked for.
    rounds: u8,
    /// A clock showed its times.
    has_clock: bool,
    /// Messages to the clock; the first is under way.
    to_clock: VecDeque<ClockMessage>,
    clock_tries: u8,
    /// What the players are to see.
    shown: Shown,
    /// The clock takes no times.
    refuses_times: bool,
    /// Bytes skipped since the last message that made sense.
    garbage_bytes: u64,
    lost: bool,
}

impl Link {
    fn new(at_ns: u64, shown: Shown) -> Self {
        let mut link = Self {
            decoder: Decoder::default(),
            timers: Timers::default(),
            queue: VecDeque::new(),
            free_ns: at_ns + OPEN_WAIT,
            picture: None,
            in_doubt: false,
            dump_asked_ns: at_ns,
            identity: Identity::default(),
            rounds: 0,
            has_clock: false,
            to_clock: VecDeque::new(),
            clock_tries: 0,
            shown,
            refuses_times: false,
            garbage_bytes: 0,
            lost: false,
        };
        link.heard(at_ns);
        link.shake_hands(at_ns);
        link
    }

    // What the timers do.

    fn fire_until(&mut self, at_ns: u64, out: &mut Vec<SessionOutput>) {
        while let Some((due_ns, timer)) = self.timers.take_due(at_ns) {
            self.fire(timer, due_ns, out);
        }
    }

    fn fire(&mut self, timer: Timer, at_ns: u64, out: &mut Vec<SessionOutput>) {
        match timer {
            Timer::Send => self.send(at_ns, out),
            Timer::BrokenOff => {
                let bytes = self.decoder.abandon();
                self.skipped(bytes, at_ns, out);
            }
            Timer::Retry => self.retry(at_ns),
            Timer::Verify => {
                self.ask(Command::SendBoard, at_ns);
                self.timers.set(Timer::Verify, at_ns + RETRY);
            }
            Timer::ClockAnswer if self.clock_tries >= CLOCK_TRIES => self.next_to_clock(at_ns),
            Timer::ClockAnswer => self.speak_to_clock(at_ns),
            Timer::KeepAlive => {
                self.ask(Command::Serial, at_ns);
                self.timers.set(Timer::KeepAlive, at_ns + KEEP_ALIVE);
            }
            Timer::Silence => self.lose(LostReason::Silent, out),
        }
    }

    /// Sends the first command that waits, unless the board is busy sending its memory: what it does
    /// not take in for seconds would overflow its input buffer.
    fn send(&mut self, at_ns: u64, out: &mut Vec<SessionOutput>) {
        if !self.decoder.in_long_message() {
            let Some(command) = self.queue.pop_front() else { return };
            match command {
                Command::SendBoard => self.dump_asked_ns = at_ns,
                Command::Clock(_) => self.timers.set(Timer::ClockAnswer, at_ns + CLOCK_ANSWER),
                _ => {}
            }
            self.free_ns = at_ns + SPACING;
            out.push(SessionOutput::Write(command.encode()));
        }
        if !self.queue.is_empty() {
            self.timers.set(Timer::Send, at_ns + SPACING);
        }
    }

    /// Asks again for what was not answered; for the dump without end, for the rest a few times.
    fn retry(&mut self, at_ns: u64) {
        if self.picture.is_none() {
            return self.shake_hands(at_ns);
        }
        let known = &self.identity;
        let questions = [
            (Command::Serial, known.serial.is_none()),
            (Command::LongSerial, known.long_serial.is_none()),
            (Command::Version, known.version.is_none()),
        ];
        let open = questions.into_iter().filter(|(_, open)| *open).map(|(question, _)| question);
        let open: Vec<Command> = open.collect();
        if self.rounds < IDENTITY_ROUNDS && !open.is_empty() {
            self.rounds += 1;
            open.into_iter().for_each(|question| self.ask(question, at_ns));
            self.timers.set(Timer::Retry, at_ns + RETRY);
        }
    }

    /// Gives the link up: no timer is left until it comes up again, or until the board speaks after
    /// all.
    fn lose(&mut self, reason: LostReason, out: &mut Vec<SessionOutput>) {
        self.lost = true;
        self.timers = Timers::default();
        self.queue.clear();
        self.garbage_bytes = 0;
        out.push(SessionOutput::Lost(reason));
    }

    // What is asked.

    fn shake_hands(&mut self, at_ns: u64) {
        self.rounds = self.rounds.saturating_add(1);
        self.queue.clear();
        self.to_clock.clear();
        self.timers.clear(Timer::ClockAnswer);
        HANDSHAKE.into_iter().for_each(|command| self.ask(command, at_ns));
        self.tell_clock(ClockMessage::Version, at_ns);
        self.timers.set(Timer::Retry, at_ns + RETRY);
    }

    /// Lets a command wait for its turn, if it does not wait already.
    fn ask(&mut self, command: Command, at_ns: u64) {
        if !self.queue.contains(&command) {
            self.queue.push_back(command);
        }
        if !self.timers.is_set(Timer::Send) {
            self.timers.set(Timer::Send, at_ns.max(self.free_ns));
        }
    }

    /// Wants a dump soon: an update may have been lost.
    fn doubt(&mut self, at_ns: u64) {
        if self.picture.is_some() && !self.in_doubt {
            self.in_doubt = true;
            self.timers.set(Timer::Verify, at_ns.max(self.dump_asked_ns + VERIFY_QUIET));
        }
    }

    // The clock takes one message at a time.

    fn tell_clock(&mut self, message: ClockMessage, at_ns: u64) {
        if self.to_clock.contains(&message) || self.to_clock.len() == CLOCK_QUEUE {
            return;
        }
        self.to_clock.push_back(message);
        if self.to_clock.len() == 1 {
            self.clock_tries = 0;
            self.speak_to_clock(at_ns);
        }
    }

    /// Sends the first message to the clock, once more if need be.
    fn speak_to_clock(&mut self, at_ns: u64) {
        let Some(message) = self.to_clock.front() else { return };
        self.clock_tries += 1;
        self.ask(Command::Clock(*message), at_ns);
    }

    /// Done with the first message to the clock, answered or not.
    fn next_to_clock(&mut self, at_ns: u64) {
        let done = self.to_clock.pop_front();
        self.clock_tries = 0;
        self.timers.clear(Timer::ClockAnswer);
        self.speak_to_clock(at_ns);
        // How to show something follows from the version, or from its not being told.
        if done == Some(ClockMessage::Version) {
            self.show_again(at_ns);
        }
    }

    // What the board says.

    fn hear(&mut self, bytes: &[u8], at_ns: u64, out: &mut Vec<SessionOutput>) {
        if bytes.is_empty() {
            return;
        }
        if self.lost {
            self.lost = false;
            self.shake_hands(at_ns);
        }
        self.heard(at_ns);
        let mut messages = Vec::new();
        let skipped = self.decoder.push(bytes, &mut messages);
        for message in messages {
            self.take(message, at_ns, out);
        }
        self.skipped(skipped, at_ns, out);
    }

    /// Notes a sign of life.
    fn heard(&mut self, at_ns: u64) {
        self.timers.set(Timer::KeepAlive, at_ns + KEEP_ALIVE);
        self.timers.set(Timer::Silence, at_ns + SILENCE);
    }

    /// Notes bytes that made no message, and watches the message that is still coming in.
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
        self.doubt(at_ns);
        self.garbage_bytes += bytes;
        if self.garbage_bytes >= GARBAGE_BYTES {
            self.lose(LostReason::Unintelligible, out);
        }
    }

    fn take(&mut self, message: Message, at_ns: u64, out: &mut Vec<SessionOutput>) {
        if !matches!(message, Message::Unknown { .. } | Message::Nothing) {
            self.garbage_bytes = 0;
        }
        match message {
            Message::Dump(contents) => self.take_dump(*contents, at_ns, out),
            Message::FieldUpdate { square, content } => self.take_update(square, content, at_ns, out),
            Message::Clock(times) => self.take_clock(times, at_ns, out),
            Message::ClockAck(ack) => self.take_ack(ack, at_ns, out),
            Message::Serial(text) => self.identify(out, |known| known.serial = printable(&text)),
            Message::LongSerial(text) => {
                let is_news = self.identity.long_serial.is_none();
                self.identify(out, |known| known.long_serial = printable(&text));
                if is_news {
                    self.light_again(at_ns);
                }
            }
            Message::Version { major, minor } => {
                self.identify(out, |known| known.version = Some(format!("{major}.{minor}")));
            }
            // It may have been an update whose id was spoilt on the way.
            Message::Unknown { .. } => self.doubt(at_ns),
            Message::Nothing
            | Message::Draughts { .. }
            | Message::EepromMoves(_)
            | Message::BusAddress(_)
            | Message::Trademark(_)
            | Message::HardwareVersion { .. }
            | Message::Battery(_) => {}
        }
    }

    fn take_dump(&mut self, contents: [Content; SQUARES], at_ns: u64, out: &mut Vec<SessionOutput>) {
        out.push(SessionOutput::Reading(Reading::Frame(Frame::Identity(contents.to_vec()))));
        if self.picture.as_ref().is_some_and(|picture| picture.0 != contents) {
            // Updates were lost, or never sent because the board forgot its mode.
            self.ask(Command::UpdateNice, at_ns);
            self.ask(Command::SendBoard, at_ns);
        }
        self.picture = Some(BySquare(contents));
        self.in_doubt = false;
        self.timers.set(Timer::Verify, at_ns + VERIFY_IDLE);
    }

    fn take_update(&mut self, square: Square, content: Content, at_ns: u64, out: &mut Vec<SessionOutput>) {
        let Some(picture) = &mut self.picture else { return };
        let place = &mut picture[square.index()];
        let lifted_from_empty = place.is_empty() && content.is_empty();
        *place = content;
        out.push(SessionOutput::Reading(Reading::Square { square, content }));
        if lifted_from_empty {
            self.doubt(at_ns);
        }
        if !self.in_doubt {
            self.timers.set(Timer::Verify, at_ns + VERIFY_QUIET);
        }
    }

    fn take_clock(&mut self, times: ClockTimes, at_ns: u64, out: &mut Vec<SessionOutput>) {
        let Some(reading) = times.reading() else { return };
        let had_clock = std::mem::replace(&mut self.has_clock, reading != Reading::Clock(None));
        out.push(SessionOutput::Reading(reading));
        if had_clock && !self.has_clock {
            self.identify(out, |known| known.clock_version = None);
        }
        if self.has_clock && !had_clock {
            if self.identity.clock_version.is_none() {
                self.tell_clock(ClockMessage::Version, at_ns);
            }
            self.show_again(at_ns);
        }
    }

    fn take_ack(&mut self, ack: ClockAck, at_ns: u64, out: &mut Vec<SessionOutput>) {
        if ack.result == AckResult::Done && ack.about == ClockMessage::Version.number() {
            let version = format!("{}.{}", ack.value >> 4, ack.value & 0x0f);
            self.identify(out, |known| known.clock_version = Some(version));
        }
        let asked = self.to_clock.front().filter(|message| message.number() == ack.about);
        if let (Some(ClockMessage::SetAndRun { .. }), AckResult::Refused) = (asked, ack.result) {
            self.refuses_times = true;
        }
        let answers = asked.is_some();
        // A confused clock is asked again when its time for an answer is over.
        if answers && ack.result != AckResult::Confused {
            self.next_to_clock(at_ns);
        }
    }

    /// Learns something about the board, and says so if it is new.
    fn identify(&mut self, out: &mut Vec<SessionOutput>, learn: impl FnOnce(&mut Identity)) {
        let before = self.identity.clone();
        learn(&mut self.identity);
        if self.identity != before {
            out.push(SessionOutput::Identity(self.identity.clone()));
        }
    }
}

/// The visible characters of a text; nothing if there are none.
fn printable(text: &str) -> Option<String> {
    let visible: String = text.chars().filter(char::is_ascii_graphic).collect();
    (!visible.is_empty()).then_some(visible)
}

#[cfg(test)]
mod tests;
