//! What a DGT board does in bus mode: silent until its address is called (dgt-protocol 2.8, 3.9).

use fastrand::Rng;

use super::{Firmware, Mode, VERSION};
use crate::sensor::Content;
use crate::stamp::{MS, SECOND};
use crate::wire::dgt::bus::{ADDRESS_MAX, BROADCAST, Command, CommandDecoder, Message, Order, Packet};

/// How long a board takes to answer, milliseconds; the longer time while it writes its memory.
const ANSWER_MS: std::ops::RangeInclusive<u64> = 1..=5;
const BUSY_MS: u64 = 20;
/// Writing the start of a game takes its time.
const START_MS: u64 = 70;
/// A board answers to a broadcast ping at a random moment within this time, milliseconds.
const PING_MS: u64 = 1_100;
/// A board that starts hears nothing for some seconds.
const RESET_NS: u64 = 3 * SECOND;

/// The state of a board that only a bus needs.
#[derive(Debug)]
pub(super) struct Bus {
    decoder: CommandDecoder,
    /// The command under way only changes the mode.
    is_swallowed: bool,
    ignores_next_ping: bool,
    /// It was asked for changes: somebody listens.
    pub(super) is_asked: bool,
    /// It numbers its changes, as newer boards do.
    numbers: bool,
    is_even: bool,
    last: Packet,
    /// What it will say, and when.
    answers: Vec<(u64, Packet)>,
    deaf_until_ns: u64,
    rng: Rng,
}

impl Bus {
    pub(super) fn new(address: u16, seed: u64) -> Self {
        Self {
            decoder: CommandDecoder::default(),
            is_swallowed: false,
            ignores_next_ping: false,
            is_asked: false,
            numbers: false,
            is_even: true,
            last: Packet::new(address, &Message::Changes { records: Vec::new(), even: false }),
            answers: Vec::new(),
            deaf_until_ns: 0,
            rng: Rng::with_seed(seed),
        }
    }

    pub(super) fn next_answer_ns(&self) -> Option<u64> {
        self.answers.iter().map(|(at_ns, _)| *at_ns).min()
    }

    pub(super) fn take_answer(&mut self, now_ns: u64) -> Option<Packet> {
        let index = self.answers.iter().position(|(at_ns, _)| *at_ns <= now_ns)?;
        Some(self.answers.remove(index).1)
    }

    pub(super) fn is_deaf(&self, now_ns: u64) -> bool {
        now_ns < self.deaf_until_ns
    }
}

impl Firmware {
    /// A board whose firmware numbers its packets of changes, if its serial number is even: both kinds are
    /// met on one line.
    #[must_use]
    pub fn on_bus(config: super::FirmwareConfig, contents: &[Content]) -> Self {
        let mut firmware = Self::new(config, contents);
        firmware.bus.numbers = config.serial.is_multiple_of(2);
        firmware
    }

    /// Was it asked for changes, as whoever listens on a bus does?
    #[must_use]
    pub fn is_asked_on_bus(&self) -> bool {
        self.mode == Mode::Bus && self.bus.is_asked
    }

    /// Its address: the serial number, as far as it fits.
    #[must_use]
    pub fn address(&self) -> u16 {
        (self.config.serial & u32::from(ADDRESS_MAX)) as u16
    }

    /// A byte of a bus command; the first of one that finds the board in single mode changes only that.
    pub(super) fn take_bus(&mut self, byte: u8) {
        if byte & 0x80 != 0 {
            self.bus.is_swallowed = self.mode != Mode::Bus;
            self.mode = Mode::Bus;
        }
        let mut orders = Vec::new();
        self.bus.decoder.push(&[byte], &mut orders);
        for order in orders {
            if !self.bus.is_swallowed {
                self.obey(order);
            }
        }
    }

    fn obey(&mut self, Order { address, command }: Order) {
        let is_mine = address == self.address();
        if !is_mine && address != BROADCAST {
            return;
        }
        match command {
            Command::Reset => self.restart(),
            Command::EndBusMode => self.mode = Mode::Idle,
            Command::Ping if !is_mine => {
                if !std::mem::take(&mut self.bus.ignores_next_ping) {
                    let wait_ns = self.bus.rng.u64(0..PING_MS) * MS;
                    self.answer_in(wait_ns, &Message::Ping);
                }
            }
            _ if is_mine => self.answer_order(command),
            // Nothing else is for everybody.
            _ => {}
        }
    }

    fn answer_order(&mut self, command: Command) {
        let is_busy = self.now_ns < self.written_ns + BUSY_MS * MS;
        let wait_ms = if is_busy { BUSY_MS } else { self.bus.rng.u64(ANSWER_MS) };
        let wait_ns = wait_ms * MS;
        let clock = Message::Clock(self.clock.times());
        match command {
            Command::SendClock => self.answer_in(wait_ns, &clock),
            Command::SendBoard => self.answer_in(wait_ns, &Message::Dump(self.picture())),
            Command::SendChanges => self.answer_changes(wait_ns),
            Command::RepeatChanges => {
                let last = self.bus.last.clone();
                self.bus.answers.push((self.now_ns + wait_ns, last));
            }
            Command::StartGame => {
                let picture = self.picture();
                self.memory.start_game(&picture[..]);
                self.answer_in(START_MS * MS, &Message::StartWritten);
            }
            Command::SendFromStart => {
                let records = self.memory.from_start();
                self.answer_in(wait_ns, &Message::FromStart(records));
            }
            Command::IgnoreNextPing => {
                self.bus.ignores_next_ping = true;
                self.answer_in(wait_ns, &Message::Ping);
            }
            Command::Ping => self.answer_in(wait_ns, &Message::Ping),
            Command::SendVersion => self.answer_in(wait_ns, &Message::Version(Some(VERSION))),
            Command::SendAll => {
                self.answer_changes(wait_ns);
                self.answer_in(wait_ns, &clock);
                self.answer_in(wait_ns, &Message::Dump(self.picture()));
            }
            Command::EndBusMode | Command::Reset => {}
        }
    }

    fn answer_changes(&mut self, wait_ns: u64) {
        self.bus.is_asked = true;
        self.bus.is_even = self.bus.numbers && !self.bus.is_even;
        let changes = Message::Changes { records: self.memory.changes(), even: self.bus.is_even };
        self.bus.last = Packet::new(self.address(), &changes);
        self.bus.answers.push((self.now_ns + wait_ns, self.bus.last.clone()));
    }

    fn answer_in(&mut self, wait_ns: u64, message: &Message) {
        self.bus.answers.push((self.now_ns + wait_ns, Packet::new(self.address(), message)));
    }

    /// As if the power had been off for a moment.
    fn restart(&mut self) {
        self.bus.answers.clear();
        (self.bus.ignores_next_ping, self.bus.is_even) = (false, true);
        self.bus.deaf_until_ns = self.now_ns + RESET_NS;
        let picture = self.picture();
        self.memory.switched_on(&picture[..]);
        self.remember_start();
    }
}
