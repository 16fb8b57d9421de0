//! What a DGT board does in bus mode: silent until its address is called (dgt-protocol 2.8, 3.9).

use fastrand::Rng;

use super::{Firmware, Mode, VERSION};
use adoube_core::wire::dgt::bus::{ADDRESS_MAX, BROADCAST, Command, CommandDecoder, Message, Order, Packet};
use adoube_rules::sensor::Content;
use adoube_rules::stamp::{MS, SECOND};

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
    /// It was told that a game begins: whoever does that has seen the board, and listens.
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

    /// Was it told that a game begins, as whoever listens on a bus does?
    #[must_use]
    pub(crate) fn is_asked_on_bus(&self) -> bool {
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
                let is_ignored = std::mem::take(&mut self.bus.ignores_next_ping);
                if !is_ignored {
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
                self.bus.is_asked = true;
                let picture = self.picture();
                self.memory.start_game(&picture[..]);
                self.answer_in(START_MS * MS, &Message::StartWritten);
            }
            Command::SendFromStart => {
                let records = self.memory.since_start();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Act, FirmwareConfig};
    use adoube_core::wire::dgt::bus::Decoder;
    use adoube_core::wire::dgt::{Record, records};
    use adoube_rules::ChessPosition;
    use adoube_rules::square::Square;

    const ADDRESS: u16 = 1_025;

    struct Bench {
        firmware: Firmware,
        now_ns: u64,
    }

    impl Bench {
        fn new(serial: u16) -> Self {
            let config = FirmwareConfig { serial: serial.into(), ..FirmwareConfig::default() };
            Self { firmware: Firmware::on_bus(config, &ChessPosition::default().contents()), now_ns: 0 }
        }

        fn ask(&mut self, address: u16, command: Command) -> Vec<Message> {
            self.firmware.receive(&Order { address, command }.encode(), self.now_ns);
            self.after(100)
        }

        fn after(&mut self, ms: u64) -> Vec<Message> {
            self.now_ns += ms * MS;
            let (mut bytes, mut packets) = (Vec::new(), Vec::new());
            self.firmware.poll(self.now_ns, &mut bytes);
            assert_eq!(Decoder::default().push(&bytes, &mut packets), 0);
            packets.iter().map(Packet::message).collect()
        }

        fn records(&mut self, command: Command) -> Vec<Record> {
            match &self.ask(ADDRESS, command)[..] {
                [Message::Changes { records: bytes, .. } | Message::FromStart(bytes)] => records(bytes).0,
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn only_who_is_called_answers() {
        let mut bench = Bench::new(ADDRESS);
        assert_eq!(bench.ask(ADDRESS + 1, Command::Ping), []);
        assert_eq!(bench.ask(ADDRESS, Command::Ping), [Message::Ping]);
        assert_eq!(bench.ask(BROADCAST, Command::SendBoard), [], "not for everybody");
        bench.firmware.receive(&[0x87, 0x08, 0x01, 0x11], bench.now_ns);
        assert_eq!(bench.after(100), [], "a wrong checksum");
    }

    #[test]
    fn a_broadcast_ping_is_answered_some_time_unless_it_is_to_be_ignored() {
        let mut bench = Bench::new(ADDRESS);
        let mut answers = bench.ask(BROADCAST, Command::Ping);
        answers.extend(bench.after(1_100));
        assert_eq!(answers, [Message::Ping]);
        assert_eq!(bench.ask(ADDRESS, Command::IgnoreNextPing), [Message::Ping]);
        for expected in [0, 1] {
            let mut answers = bench.ask(BROADCAST, Command::Ping);
            answers.extend(bench.after(1_100));
            assert_eq!(answers.len(), expected, "the next one only");
        }
    }

    #[test]
    fn a_command_that_finds_single_mode_only_changes_it() {
        let mut bench = Bench::new(ADDRESS);
        bench.firmware.receive(&adoube_core::wire::dgt::Command::Reset.encode(), 0);
        assert_eq!(bench.firmware.mode(), Mode::Idle);
        assert_eq!(bench.ask(ADDRESS, Command::Ping), []);
        assert_eq!(bench.ask(ADDRESS, Command::Ping), [Message::Ping]);
    }

    #[test]
    fn changes_come_once_and_again_when_they_are_to_be_repeated() {
        let mut bench = Bench::new(ADDRESS);
        assert_eq!(bench.records(Command::SendChanges)[3], Record::PowerUp);
        bench.firmware.act(Act::Lift { square: Square::new(12) }, bench.now_ns);
        bench.after(500);
        let lifted = [Record::Square { square: Square::new(12), content: Content::EMPTY, quick: false }];
        assert_eq!(bench.records(Command::SendChanges), lifted);
        assert_eq!(bench.records(Command::RepeatChanges), lifted);
        assert_eq!(bench.records(Command::SendChanges), []);
    }

    #[test]
    fn everything_since_the_start_but_what_is_pending() {
        let mut bench = Bench::new(ADDRESS);
        assert_eq!(bench.records(Command::SendFromStart), [], "no game was started");
        assert_eq!(bench.ask(ADDRESS, Command::StartGame), [Message::StartWritten]);
        bench.records(Command::SendChanges);
        bench.firmware.act(Act::Lift { square: Square::new(12) }, bench.now_ns);
        bench.after(500);
        let before = bench.records(Command::SendFromStart);
        assert_eq!((before[0], before.len()), (Record::StartTag, 33));
        bench.records(Command::SendChanges);
        assert_eq!(bench.records(Command::SendFromStart).len(), 34);
    }

    #[test]
    fn newer_boards_number_their_changes() {
        let mut evens = Vec::new();
        let mut bench = Bench::new(ADDRESS + 1);
        for command in
            [Command::SendChanges, Command::SendChanges, Command::RepeatChanges, Command::SendChanges]
        {
            let [Message::Changes { even, .. }] = bench.ask(ADDRESS + 1, command)[..] else { panic!("none") };
            evens.push(even);
        }
        assert_eq!(evens, [false, true, true, false]);
    }

    #[test]
    fn a_board_that_starts_again_is_deaf_and_then_says_so() {
        let mut bench = Bench::new(ADDRESS);
        bench.records(Command::SendChanges);
        assert_eq!(bench.ask(ADDRESS, Command::Reset), []);
        assert_eq!(bench.ask(ADDRESS, Command::Ping), []);
        bench.after(3_000);
        assert!(bench.records(Command::SendChanges).contains(&Record::PowerUp));
    }
}
