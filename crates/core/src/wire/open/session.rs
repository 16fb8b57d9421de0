//! The conversation with one board: who are you, what stands there, and then the board speaks by itself.
//!
//! A changed square is one line, and a line can be lost: the whole position is asked for after every burst of
//! changes, whenever a line was damaged or makes no sense, and now and then.

use std::collections::{BTreeMap, VecDeque};
use std::mem::discriminant;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::codec::{Line, Lines, encode};
use super::command::Command;
use super::message::{Ability, Hello, Message};
use super::shape::Shape;
use crate::wire::{Announcement, Identity, LostReason, Session, SessionInput, SessionOutput, saved};
use adoube_rules::sensor::{Content, Frame, Reading, Side};
use adoube_rules::square::Square;
use adoube_rules::stamp::{MS, SECOND};

/// From opening the link to the first word: a board that does not restart answers at once.
const OPEN_WAIT: u64 = 100 * MS;
/// Without a hello for this long it is asked for again. A microcontroller that restarts when its port is
/// opened loses what it is told for up to two seconds.
const HELLO_RETRY: u64 = SECOND;
/// Between two lines to the board: a scan of a slow one, so that its input buffer of 64 bytes is read.
const SPACING: u64 = 20 * MS;
/// Without an answer for this long the position is asked for again.
const BOARD_RETRY: u64 = SECOND;
/// Quiet after the last change before the position that verifies it; also the least time between two that
/// are asked for out of doubt, so that a noisy line is not made busier.
const VERIFY_QUIET: u64 = SECOND;
/// Between positions of a board that does not change.
const VERIFY_IDLE: u64 = 10 * SECOND;
/// A board says something each second; after twice that it is asked.
const KEEP_ALIVE: u64 = 2 * SECOND;
/// Without a line that makes sense for this long the link is given up: twice a restart and a bit.
const SILENCE: u64 = 5 * SECOND;

/// What a session waits for. Of two due at the same instant the earlier in this order fires first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Timer {
    /// The next line may go out.
    Send,
    /// The board has not introduced itself.
    Hello,
    /// It is time to compare the whole board with what the changes said.
    Verify,
    /// The board said nothing for a while.
    KeepAlive,
    /// The board said nothing that makes sense for too long.
    Silence,
}

/// A conversation with one board.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct OpenSession {
    /// What is known since the link came up; nothing while it is down.
    link: Option<Link>,
    /// What the players are to see, whether or not the link is up.
    shown: Shown,
}

impl OpenSession {
    /// A session whose link is down.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl Session for OpenSession {
    fn handle(&mut self, input: SessionInput<'_>, at_ns: u64, out: &mut Vec<SessionOutput>) {
        if let Some(link) = &mut self.link {
            link.fire_until(at_ns, out);
        }
        match input {
            SessionInput::LinkUp => self.link = Some(Link::new(at_ns)),
            SessionInput::LinkDown => self.link = None,
            SessionInput::Bytes(bytes) => match &mut self.link {
                Some(link) => link.hear(bytes, &self.shown, at_ns, out),
                None => out.push(SessionOutput::Skipped { bytes: bytes.len() as u64 }),
            },
            SessionInput::Announce(announcement) => {
                self.shown.take(announcement, at_ns);
                if let Some(link) = &mut self.link {
                    link.show(announcement, &self.shown, at_ns);
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
        self.link.as_ref()?.timers.values().min().copied()
    }

    fn state(&self) -> Value {
        saved(self)
    }
}

/// What the players are to see; kept over lost links.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Shown {
    lamps: Vec<Square>,
    text: String,
    /// Times left at both ends, whose time runs, and when they were so.
    times: Option<([u64; 2], Option<Side>, u64)>,
}

impl Shown {
    fn take(&mut self, announcement: &Announcement, at_ns: u64) {
        if let Some(lamps) = announcement.lamps() {
            self.lamps = lamps.to_vec();
        }
        match announcement {
            Announcement::Move { text, .. } | Announcement::Text(text) => self.text.clone_from(text),
            Announcement::Clear => self.text.clear(),
            Announcement::Times { left_ms, running } => self.times = Some((*left_ms, *running, at_ns)),
            Announcement::Squares(_) => {}
        }
    }

    /// The times as they are at `at_ns`.
    fn times(&self, at_ns: u64) -> Option<Command> {
        let (mut left_ms, runs, then_ns) = self.times?;
        if let Some(side) = runs {
            let left_ms = &mut left_ms[side.index()];
            *left_ms = left_ms.saturating_sub(at_ns.saturating_sub(then_ns) / MS);
        }
        Some(Command::Times { left_ms, runs })
    }
}

/// All that is known since the link came up.
#[derive(Debug, Serialize, Deserialize)]
struct Link {
    lines: Lines,
    timers: BTreeMap<Timer, u64>,
    /// Lines that wait for their turn: at most one of each kind, the newest.
    queue: VecDeque<Command>,
    /// When the board can take the next line.
    free_ns: u64,
    hello: Option<Hello>,
    /// The board as positions and changes have it; nothing before the first position.
    picture: Option<Vec<Content>>,
    /// A change may have been lost since the last position.
    in_doubt: bool,
    board_asked_ns: u64,
    /// A change was heard since the position was asked for: one that says otherwise may be older.
    changed_since: bool,
    /// Something came that makes no sense, and nothing since that does.
    is_garbled: bool,
    lost: bool,
}

impl Link {
    fn new(at_ns: u64) -> Self {
        let mut link = Self {
            lines: Lines::default(),
            timers: BTreeMap::new(),
            queue: VecDeque::new(),
            free_ns: at_ns + OPEN_WAIT,
            hello: None,
            picture: None,
            in_doubt: false,
            board_asked_ns: at_ns,
            changed_since: false,
            is_garbled: false,
            lost: false,
        };
        link.begin(at_ns);
        link
    }

    fn begin(&mut self, at_ns: u64) {
        self.timers.insert(Timer::Silence, at_ns + SILENCE);
        // Even a board that introduces itself first is greeted: it may want to know that somebody listens.
        self.ask(Command::Hello, at_ns);
        self.timers.insert(Timer::Hello, at_ns.max(self.free_ns) + HELLO_RETRY);
    }

    // What the timers do.

    fn fire_until(&mut self, at_ns: u64, out: &mut Vec<SessionOutput>) {
        let due = |timers: &BTreeMap<Timer, u64>| {
            timers
                .iter()
                .map(|(&timer, &due_ns)| (due_ns, timer))
                .min()
                .filter(|(due_ns, _)| *due_ns <= at_ns)
        };
        while let Some((due_ns, timer)) = due(&self.timers) {
            self.timers.remove(&timer);
            self.fire(timer, due_ns, out);
        }
    }

    fn fire(&mut self, timer: Timer, at_ns: u64, out: &mut Vec<SessionOutput>) {
        match timer {
            Timer::Send => self.send(at_ns, out),
            Timer::Hello => {
                self.ask(Command::Hello, at_ns);
                self.timers.insert(Timer::Hello, at_ns + HELLO_RETRY);
            }
            Timer::Verify => {
                self.ask(Command::Board, at_ns);
                self.timers.insert(Timer::Verify, at_ns + BOARD_RETRY);
            }
            Timer::KeepAlive => {
                self.ask(Command::Board, at_ns);
                self.timers.insert(Timer::KeepAlive, at_ns + KEEP_ALIVE);
            }
            Timer::Silence => {
                let is_garbled = self.is_garbled || self.lines.pending() > 0;
                let reason = if is_garbled { LostReason::Unintelligible } else { LostReason::Silent };
                self.lose(reason, out);
            }
        }
    }

    fn send(&mut self, at_ns: u64, out: &mut Vec<SessionOutput>) {
        let Some(command) = self.queue.pop_front() else { return };
        if command == Command::Board {
            self.board_asked_ns = at_ns;
            self.changed_since = false;
        }
        let shape = self.hello.as_ref().map_or(Shape::Square, |hello| hello.shape);
        out.push(SessionOutput::Write(encode(&command.text(shape), self.can(Ability::Checksum))));
        self.free_ns = at_ns + SPACING;
        if !self.queue.is_empty() {
            self.timers.insert(Timer::Send, self.free_ns);
        }
    }

    /// Gives the link up: no timer is left until it comes up again, or until the board speaks after all.
    fn lose(&mut self, reason: LostReason, out: &mut Vec<SessionOutput>) {
        self.lost = true;
        self.timers.clear();
        self.queue.clear();
        out.push(SessionOutput::Lost(reason));
    }

    // What is asked and shown.

    fn can(&self, ability: Ability) -> bool {
        self.hello.as_ref().is_some_and(|hello| hello.can.has(ability))
    }

    /// Lets a line wait for its turn, in the place of one of its kind.
    fn ask(&mut self, command: Command, at_ns: u64) {
        match self.queue.iter_mut().find(|waiting| discriminant(*waiting) == discriminant(&command)) {
            Some(waiting) => *waiting = command,
            None => self.queue.push_back(command),
        }
        let due_ns = at_ns.max(self.free_ns);
        self.timers.entry(Timer::Send).or_insert(due_ns);
    }

    /// Wants the position soon: a change may have been lost.
    fn doubt(&mut self, at_ns: u64) {
        if self.hello.is_some() && !self.in_doubt {
            self.in_doubt = true;
            self.timers.insert(Timer::Verify, at_ns.max(self.board_asked_ns + VERIFY_QUIET));
        }
    }

    /// Shows what was announced just now, as far as the board can.
    fn show(&mut self, announcement: &Announcement, shown: &Shown, at_ns: u64) {
        if announcement.lamps().is_some() {
            self.ask_if(Ability::Lamps, Command::Lamps(shown.lamps.clone()), at_ns);
        }
        match announcement {
            Announcement::Move { .. } => {
                self.ask_if(Ability::Display, Command::Text(shown.text.clone()), at_ns);
                self.ask_if(Ability::Beep, Command::Beep, at_ns);
            }
            Announcement::Text(_) | Announcement::Clear => {
                self.ask_if(Ability::Display, Command::Text(shown.text.clone()), at_ns);
            }
            Announcement::Times { .. } => self.show_times(shown, at_ns),
            Announcement::Squares(_) => {}
        }
    }

    /// A board that has just introduced itself shows nothing yet; or what was shown before the link broke.
    fn show_again(&mut self, shown: &Shown, at_ns: u64) {
        self.ask_if(Ability::Lamps, Command::Lamps(shown.lamps.clone()), at_ns);
        if !shown.text.is_empty() {
            self.ask_if(Ability::Display, Command::Text(shown.text.clone()), at_ns);
        }
        self.show_times(shown, at_ns);
    }

    fn show_times(&mut self, shown: &Shown, at_ns: u64) {
        if let Some(times) = shown.times(at_ns) {
            self.ask_if(Ability::Display, times, at_ns);
        }
    }

    fn ask_if(&mut self, ability: Ability, command: Command, at_ns: u64) {
        if self.can(ability) {
            self.ask(command, at_ns);
        }
    }

    // What the board says.

    fn hear(&mut self, bytes: &[u8], shown: &Shown, at_ns: u64, out: &mut Vec<SessionOutput>) {
        let mut lines = Vec::new();
        self.lines.push(bytes, &mut lines);
        for line in lines {
            match line {
                Line::Damaged { bytes } => self.garbled(bytes, at_ns, out),
                Line::Text { text, is_checked } => self.hear_line(&text, is_checked, shown, at_ns, out),
            }
        }
    }

    fn hear_line(
        &mut self,
        text: &str,
        is_checked: bool,
        shown: &Shown,
        at_ns: u64,
        out: &mut Vec<SessionOutput>,
    ) {
        let message = Message::read(text, self.hello.as_ref());
        let wants_checksum = match &message {
            Some(Message::Hello(hello)) => hello.can.has(Ability::Checksum),
            _ => false,
        };
        let is_unchecked = (wants_checksum || self.can(Ability::Checksum)) && !is_checked;
        match message.filter(|message| *message != Message::Unknown && !is_unchecked) {
            Some(message) => self.take(message, shown, at_ns, out),
            None => self.garbled(text.len() as u64, at_ns, out),
        }
    }

    /// A line that makes no sense: it may have been a change.
    fn garbled(&mut self, bytes: u64, at_ns: u64, out: &mut Vec<SessionOutput>) {
        self.is_garbled = true;
        out.push(SessionOutput::Skipped { bytes });
        self.doubt(at_ns);
    }

    fn take(&mut self, message: Message, shown: &Shown, at_ns: u64, out: &mut Vec<SessionOutput>) {
        if let Message::Newer(_) = message {
            return self.lose(LostReason::NewerVersion, out);
        }
        if std::mem::take(&mut self.lost) {
            self.begin(at_ns);
        }
        // Without a hello nothing else makes sense: a board whose hello is wrong is given up, however alive it is.
        if self.hello.is_none() && !matches!(message, Message::Hello(_)) {
            self.is_garbled = true;
        } else {
            self.is_garbled = false;
            self.timers.insert(Timer::Silence, at_ns + SILENCE);
        }
        if self.hello.is_some() {
            self.timers.insert(Timer::KeepAlive, at_ns + KEEP_ALIVE);
        }
        match message {
            Message::Hello(hello) => self.take_hello(hello, shown, at_ns, out),
            Message::Board(contents) => self.take_board(contents, at_ns, out),
            Message::Square { square, content } => self.take_square(square, content, at_ns, out),
            Message::Touch(square) => self.take_touch(square, out),
            Message::Clock(reading) => out.push(SessionOutput::Reading(Reading::Clock(reading))),
            Message::Alive | Message::Note | Message::Newer(_) | Message::Unknown => {}
        }
    }

    /// The board introduces itself: at the beginning, when it is asked, and whenever it has restarted.
    fn take_hello(&mut self, hello: Hello, shown: &Shown, at_ns: u64, out: &mut Vec<SessionOutput>) {
        let identity =
            Identity { serial: hello.serial.clone(), version: hello.firmware.clone(), ..Identity::default() };
        let is_new = self.hello.as_ref() != Some(&hello);
        let has_clock = hello.can.has(Ability::Clock);
        self.hello = Some(hello);
        self.timers.remove(&Timer::Hello);
        self.timers.insert(Timer::KeepAlive, at_ns + KEEP_ALIVE);
        if is_new {
            self.picture = None;
            out.push(SessionOutput::Identity(identity));
            if !has_clock {
                out.push(SessionOutput::Reading(Reading::Clock(None)));
            }
        }
        // The position comes without being asked; if it gets lost, it is.
        self.in_doubt = true;
        self.timers.insert(Timer::Verify, at_ns + BOARD_RETRY);
        self.show_again(shown, at_ns);
    }

    fn take_board(&mut self, contents: Vec<Content>, at_ns: u64, out: &mut Vec<SessionOutput>) {
        let is_other = self.picture.as_ref().is_some_and(|picture| *picture != contents);
        if is_other {
            // Changes were lost, or this line was late: another one tells.
            self.ask(Command::Board, at_ns);
            if self.changed_since {
                return;
            }
        }
        let names_men = self.hello.as_ref().is_some_and(|hello| hello.names_men);
        let frame =
            if names_men { Frame::Identity(contents.clone()) } else { Frame::Occupancy(contents.clone()) };
        out.push(SessionOutput::Reading(Reading::Frame(frame)));
        self.picture = Some(contents);
        self.in_doubt = false;
        self.timers.insert(Timer::Verify, at_ns + VERIFY_IDLE);
    }

    fn take_square(&mut self, square: Square, content: Content, at_ns: u64, out: &mut Vec<SessionOutput>) {
        let Some(place) = self.picture.as_mut().and_then(|picture| picture.get_mut(square.index())) else {
            return;
        };
        let is_news = std::mem::replace(place, content) != content;
        self.changed_since = true;
        out.push(SessionOutput::Reading(Reading::Square { square, content }));
        if !is_news {
            // A line was doubled, or the one before it was lost.
            self.doubt(at_ns);
        }
        if !self.in_doubt {
            self.timers.insert(Timer::Verify, at_ns + VERIFY_QUIET);
        }
    }

    /// A touched man is one that was lifted and put back at once.
    fn take_touch(&self, square: Square, out: &mut Vec<SessionOutput>) {
        let standing = self.picture.as_ref().and_then(|picture| picture.get(square.index()));
        let Some(&content) = standing.filter(|content| !content.is_empty()) else { return };
        for content in [Content::EMPTY, content] {
            out.push(SessionOutput::Reading(Reading::Square { square, content }));
        }
    }
}

#[cfg(test)]
mod tests;
