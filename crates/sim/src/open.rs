//! A home-made board of the open line protocol: a microcontroller that scans its squares and writes lines.
//!
//! A board that only feels occupancy has reed contacts, which bounce: it believes a contact that says the same
//! in three scans, and is sometimes deceived all the same.

use std::collections::VecDeque;

use fastrand::Rng;

use super::act::{Act, Surface};
use super::board::FirmwareConfig;
use super::clock::{ChessClock, Display};
use super::device::{Device, Model};
use adoube_core::wire::open::{Abilities, Ability, Command, Hello, Line, Lines, Message, Shape, encode};
use adoube_rules::sensor::{ClockReading, Content};
use adoube_rules::square::Square;
use adoube_rules::stamp::{MS, SECOND};

/// Open boards, of both kinds.
pub(super) const MODEL: Model = Model {
    protocol: "open",
    names_men: None,
    squares: &[64, 160],
    device: |config, men| Box::new(OpenBoard::new(config, men)),
};

/// One scan of all squares: eight ranks, a bit more than a millisecond each. Larger boards are built of modules that
/// scan side by side.
const SCAN_NS: u64 = 10 * MS;
/// Scans that must agree before a change is believed.
const AGREEING: u8 = 3;
/// How long a contact bounces, milliseconds.
const BOUNCE_MS: std::ops::RangeInclusive<u64> = 0..=20;
/// One man in so many stands at the edge of his contact, which then takes so many times longer.
const EDGE: u64 = 8;
/// A running clock says something when its second is over; ten looks a second are enough to be in time.
const TICK_NS: u64 = 100 * MS;
/// A restart: boot loader and set-up.
const BOOT_NS: u64 = 1_500 * MS;
/// From a question to its answer, milliseconds: the loop has other things to do.
const ANSWER_MS: std::ops::RangeInclusive<u64> = 1..=30;
/// Questions that wait; those of a host that asks more are lost, as in a small buffer.
const QUESTIONS_MAX: usize = 8;
/// A board with nothing to say says so after this long.
const ALIVE_NS: u64 = SECOND;

/// A simulated open board with its clock.
#[derive(Debug)]
pub struct OpenBoard {
    config: FirmwareConfig,
    shape: Shape,
    surface: Surface,
    clock: Option<ChessClock>,
    has_checksum: bool,
    /// What the board believes stands on each of its squares.
    seen: Vec<Content>,
    /// What the scans before said otherwise, and how many of them.
    doubt: Vec<(Content, u8)>,
    /// By the squares of the game.
    bounce_until_ns: Vec<u64>,
    /// From then on nothing can change by itself.
    quiet_ns: u64,
    next_scan_ns: u64,
    /// It starts, and hears and says nothing before.
    awake_ns: Option<u64>,
    lines: Lines,
    questions: VecDeque<(u64, Command)>,
    lamps: Vec<Square>,
    text: String,
    beeps: u32,
    clock_said: Option<Display>,
    said_ns: u64,
    is_heard: bool,
    now_ns: u64,
    pending: Vec<u8>,
    rng: Rng,
}

impl OpenBoard {
    /// A board that is switched on at time 0, with these men on its squares.
    ///
    /// # Panics
    /// If the protocol knows no board of so many squares.
    #[must_use]
    pub fn new(config: FirmwareConfig, men: &[Content]) -> Self {
        let shape = Shape::of(men.len());
        let mut board = Self {
            config,
            shape: shape.expect("the board is one that the protocol knows"),
            surface: Surface::new(men),
            clock: config.clock.map(ChessClock::new),
            has_checksum: true,
            seen: vec![Content::EMPTY; men.len()],
            doubt: vec![(Content::EMPTY, 0); men.len()],
            bounce_until_ns: vec![0; men.len()],
            quiet_ns: 0,
            next_scan_ns: 0,
            awake_ns: None,
            lines: Lines::default(),
            questions: VecDeque::new(),
            lamps: Vec::new(),
            text: String::new(),
            beeps: 0,
            clock_said: None,
            said_ns: 0,
            is_heard: false,
            now_ns: 0,
            pending: Vec::new(),
            rng: Rng::with_seed(config.seed),
        };
        board.introduce();
        board
    }

    /// The same with firmware that knows no checksums.
    #[must_use]
    pub fn without_checksum(mut self) -> Self {
        self.has_checksum = false;
        self.pending.clear();
        self.introduce();
        self
    }

    /// The power fails for a moment, or somebody opens the port.
    pub fn restart(&mut self, at_ns: u64) {
        self.advance(at_ns);
        self.pending.clear();
        self.questions.clear();
        self.lamps.clear();
        self.text.clear();
        self.lines = Lines::default();
        self.awake_ns = Some(at_ns + BOOT_NS);
    }

    /// The squares whose lamps burn.
    #[must_use]
    pub fn lamps(&self) -> &[Square] {
        &self.lamps
    }

    /// What the host has it show.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How often the host had it beep.
    #[must_use]
    pub fn beeps(&self) -> u32 {
        self.beeps
    }

    fn hello(&self) -> Hello {
        let mut can = vec![Ability::Lamps, Ability::Display, Ability::Beep];
        can.extend(self.clock.is_some().then_some(Ability::Clock));
        can.extend(self.has_checksum.then_some(Ability::Checksum));
        Hello {
            name: Some("simulated".to_owned()),
            serial: Some(self.config.serial.to_string()),
            firmware: Some("1.0".to_owned()),
            shape: self.shape,
            names_men: !self.config.occupancy,
            can: Abilities::of(&can),
        }
    }

    fn say(&mut self, message: &Message) {
        self.pending.extend(encode(&message.text(self.shape), self.has_checksum));
        self.said_ns = self.now_ns;
    }

    fn introduce(&mut self) {
        for square in 0..self.seen.len() {
            self.seen[square] = self.standing(square, self.now_ns);
            self.doubt[square] = (self.seen[square], 0);
        }
        self.say(&Message::Hello(self.hello()));
        self.say(&Message::Board(self.seen.clone()));
        self.clock_said = None;
        self.tell_clock();
    }

    /// The square of the game over one of the board's, as the board lies.
    fn of_game(&self, square: usize) -> usize {
        if self.config.turned { self.seen.len() - 1 - square } else { square }
    }

    /// What a good sensor says of one of the board's squares.
    fn standing(&self, square: usize, at_ns: u64) -> Content {
        let content = self.surface.sensed(self.of_game(square), at_ns);
        if self.config.occupancy { content.occupancy() } else { content }
    }

    fn scan(&mut self) {
        for square in 0..self.seen.len() {
            let mut content = self.standing(square, self.now_ns);
            if self.now_ns < self.bounce_until_ns[self.of_game(square)] && self.rng.bool() {
                content = if content.is_empty() { Content::OCCUPIED } else { Content::EMPTY };
            }
            let (doubted, scans) = self.doubt[square];
            if content == self.seen[square] {
                self.doubt[square].1 = 0;
            } else if content != doubted || scans == 0 {
                self.doubt[square] = (content, 1);
            } else {
                self.doubt[square].1 = scans + 1;
            }
            if self.doubt[square].1 >= AGREEING {
                self.doubt[square].1 = 0;
                self.seen[square] = content;
                let square = Square::new(u8::try_from(square).expect("a board has 64 or 160 squares"));
                self.say(&Message::Square { square, content });
            }
        }
    }

    fn tell_clock(&mut self) {
        let Some(clock) = &mut self.clock else { return };
        clock.advance(self.now_ns);
        let shown = clock.display();
        if self.clock_said == Some(shown) {
            return;
        }
        self.clock_said = Some(shown);
        let reading = ClockReading {
            left_ms: shown.left_s.map(|s| s * 1_000),
            running: shown.running.then_some(shown.lever),
            lever: Some(shown.lever),
            flags: shown.flags,
            counter: None,
            by_end: true,
        };
        // The ends of the clock go with the board.
        let reading = if self.config.turned { reading.swapped() } else { reading };
        self.say(&Message::Clock(Some(reading)));
    }

    fn answer(&mut self, question: &Command) {
        self.is_heard = true;
        match question {
            Command::Hello => {
                self.say(&Message::Hello(self.hello()));
                self.say(&Message::Board(self.seen.clone()));
                self.clock_said = None;
                self.tell_clock();
            }
            Command::Board => self.say(&Message::Board(self.seen.clone())),
            Command::Lamps(squares) => self.lamps.clone_from(squares),
            Command::Text(text) => self.text.clone_from(text),
            Command::Beep => self.beeps += 1,
            Command::Times { .. } => {}
        }
    }

    /// Lets the board run to `now_ns`, doing everything at its own time.
    fn advance(&mut self, now_ns: u64) {
        while let Some(at_ns) = self.next_ns().filter(|&at_ns| at_ns <= now_ns) {
            self.now_ns = self.now_ns.max(at_ns);
            if let Some(awake_ns) = self.awake_ns {
                if self.now_ns >= awake_ns {
                    self.awake_ns = None;
                    self.introduce();
                }
                continue;
            }
            while let Some((_, question)) = self.questions.pop_front_if(|(due_ns, _)| *due_ns <= at_ns) {
                self.answer(&question);
            }
            if self.next_scan_ns <= at_ns {
                self.scan();
                self.next_scan_ns = at_ns + SCAN_NS;
            }
            self.tell_clock();
        }
        self.now_ns = self.now_ns.max(now_ns);
        if self.awake_ns.is_none() && self.now_ns >= self.said_ns + ALIVE_NS {
            self.say(&Message::Alive);
        }
    }

    /// When the board does something next that may have it say something.
    fn next_ns(&self) -> Option<u64> {
        if self.awake_ns.is_some() {
            return self.awake_ns;
        }
        let scan = (self.next_scan_ns <= self.quiet_ns).then_some(self.next_scan_ns);
        let question = self.questions.front().map(|(at_ns, _)| *at_ns);
        let clock = self.clock.as_ref().is_some_and(|clock| clock.display().running);
        let tick = clock.then_some((self.now_ns + 1).next_multiple_of(TICK_NS));
        [scan, question, tick].into_iter().flatten().min()
    }
}

impl Device for OpenBoard {
    fn receive(&mut self, bytes: &[u8], now_ns: u64) {
        self.advance(now_ns);
        if self.awake_ns.is_some() {
            return;
        }
        let mut lines = Vec::new();
        self.lines.push(bytes, &mut lines);
        for line in lines {
            let Line::Text { text, is_checked } = line else { continue };
            let Some(command) = Command::read(&text, self.shape) else { continue };
            // A hello may come before the host knows of checksums.
            let is_heard = is_checked || !self.has_checksum || command == Command::Hello;
            if is_heard && self.questions.len() < QUESTIONS_MAX {
                let at_ns = now_ns + self.rng.u64(ANSWER_MS) * MS;
                let at_ns = self.questions.back().map_or(at_ns, |(last_ns, _)| at_ns.max(*last_ns));
                self.questions.push_back((at_ns, command));
            }
        }
    }

    fn act(&mut self, act: Act, at_ns: u64) {
        self.advance(at_ns);
        self.surface.apply(act, at_ns);
        if let Some(clock) = &mut self.clock {
            clock.act(act, at_ns);
        }
        let mut changes_until_ns = at_ns;
        match act {
            Act::Lift { square } | Act::Place { square, .. } if self.config.occupancy => {
                let length_ms = self.rng.u64(BOUNCE_MS) * if self.rng.u64(..EDGE) == 0 { EDGE } else { 1 };
                changes_until_ns = at_ns + length_ms * MS;
                if let Some(until_ns) = self.bounce_until_ns.get_mut(square.index()) {
                    *until_ns = changes_until_ns;
                }
            }
            Act::Dropout { length_ns, .. } => changes_until_ns = at_ns.saturating_add(length_ns),
            _ => {}
        }
        // Scans go on until every change that can come has been believed.
        self.next_scan_ns = self.next_scan_ns.max(at_ns.next_multiple_of(SCAN_NS));
        self.quiet_ns =
            self.quiet_ns.max(changes_until_ns.saturating_add(SCAN_NS * (u64::from(AGREEING) + 1)));
        let is_of_clock =
            matches!(act, Act::Press(_) | Act::StartClock | Act::StopClock | Act::SetClock { .. });
        if is_of_clock && self.awake_ns.is_none() {
            self.tell_clock();
        }
    }

    fn poll(&mut self, now_ns: u64, out: &mut Vec<u8>) {
        self.advance(now_ns);
        out.append(&mut self.pending);
    }

    fn wake_at_ns(&self) -> Option<u64> {
        if !self.pending.is_empty() {
            return Some(self.now_ns);
        }
        let clock = self.clock.as_ref().filter(|clock| clock.display().running && self.awake_ns.is_none());
        let tick = clock.map(|_| (self.now_ns + 1).next_multiple_of(TICK_NS));
        let scan =
            (self.awake_ns.is_none() && self.next_scan_ns <= self.quiet_ns).then_some(self.next_scan_ns);
        let question = self.questions.front().map(|(at_ns, _)| *at_ns);
        let alive = self.awake_ns.unwrap_or(self.said_ns + ALIVE_NS);
        [scan, question, tick, Some(alive)].into_iter().flatten().min()
    }

    fn is_heard(&self) -> bool {
        self.is_heard
    }
}

#[cfg(test)]
mod tests;
