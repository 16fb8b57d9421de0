//! The firmware of a DGT board: squares sampled one after another, commands, updates.
//!
//! Sans-I/O. What a real board shows (a capture as one change of code, an arrival before its
//! departure, a dragged man on every square of his way) arises here from sampling alone, because
//! hands act in continuous time. `commands` is what it does when the host asks.

mod bus;
mod commands;

use super::act::{Act, SQUARES, Surface};
use super::clock::ClockSetting;
use super::clock_link::{self, ClockLink};
use super::device::Model;
use super::memory::Memory;
use adoube_core::wire::dgt::bus::ADDRESS_MAX;
use adoube_core::wire::dgt::{CommandDecoder, Message, square_from_field};
use adoube_rules::ChessPosition;
use adoube_rules::sensor::Content;
use adoube_rules::square::Square;
use adoube_rules::stamp::{MS, SECOND};

use bus::Bus;

/// DGT boards.
pub(super) const MODEL: Model = Model {
    protocol: "dgt",
    names_men: Some(true),
    squares: &[64],
    device: |config, men| Box::new(Firmware::new(config, men)),
};

/// The same, one of many on a line.
pub(super) const ON_BUS: Model = Model {
    protocol: "dgt-bus",
    names_men: Some(true),
    squares: &[64],
    device: |config, men| Box::new(Firmware::on_bus(config, men)),
};

/// A scan of all squares (dgt-protocol 4.1: 200 to 250 ms). A Bluetooth board takes twice as long.
const SCAN_MS: u64 = 225;

/// The firmware's version, as a recorded board said it.
const VERSION: (u8, u8) = (3, 1);

/// The start array counts as another one after more than two men have left it (dgt-protocol 3.10).
const GONE: usize = 2;

/// What a board is and how it lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirmwareConfig {
    /// The serial number, of which five digits are sent.
    pub serial: u32,
    /// It lies turned by 180°, its connector to White's right.
    pub turned: bool,
    /// One scan of all squares, milliseconds; at least 1.
    pub scan_ms: u64,
    /// The clock beside it.
    pub clock: Option<ClockSetting>,
    /// It only feels whether something stands on a square; of those kinds of which some do.
    pub occupancy: bool,
    /// For what a clock does by chance.
    pub seed: u64,
}

impl Default for FirmwareConfig {
    /// A USB board without a clock.
    fn default() -> Self {
        Self { serial: 1, turned: false, scan_ms: SCAN_MS, clock: None, occupancy: false, seed: 0 }
    }
}

/// What the board sends by itself (dgt-protocol 2.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Nothing; waits to be addressed. So it is when switched on.
    Bus,
    /// Nothing.
    Idle,
    /// Changes, and the clock every second.
    Update,
    /// Changes only.
    UpdateBoard,
    /// Changes, and the clock when it changes.
    UpdateNice,
}

impl Mode {
    fn sends_squares(self) -> bool {
        matches!(self, Self::Update | Self::UpdateBoard | Self::UpdateNice)
    }

    fn sends_clock(self) -> bool {
        matches!(self, Self::Update | Self::UpdateNice)
    }
}

/// A board with its clock, from the side of the wire.
#[derive(Debug)]
pub struct Firmware {
    config: FirmwareConfig,
    mode: Mode,
    surface: Surface,
    clock: ClockLink,
    /// What the last sample of each field said.
    scanned: [Content; SQUARES],
    clock_sent_ns: u64,
    memory: Memory,
    /// When something was written into it.
    written_ns: u64,
    /// The start array of the sensor's squares, and whether it has to be noted when it stands again.
    array: Vec<Content>,
    notes_array: bool,
    decoder: CommandDecoder,
    /// Bytes of a bus command that are still to come.
    bus_rest: u8,
    bus: Bus,
    now_ns: u64,
    pending: Vec<u8>,
}

/// Something that the firmware does by itself.
enum Due {
    Sample(usize),
    ClockPoll,
    Ack,
    BusAnswer,
}

impl Firmware {
    /// A board that was just switched on at time 0, with these men on it.
    #[must_use]
    pub fn new(config: FirmwareConfig, contents: &[Content]) -> Self {
        let mut firmware = Self {
            config: FirmwareConfig { scan_ms: config.scan_ms.max(1), ..config },
            mode: Mode::Bus,
            surface: Surface::new(contents),
            clock: ClockLink::new(config.clock, config.turned, config.seed),
            scanned: [Content::EMPTY; SQUARES],
            clock_sent_ns: 0,
            memory: Memory::power_up(&[]),
            written_ns: 0,
            array: ChessPosition::default().contents(),
            notes_array: true,
            decoder: CommandDecoder::default(),
            bus_rest: 0,
            bus: Bus::new((config.serial & u32::from(ADDRESS_MAX)) as u16, config.seed),
            now_ns: 0,
            pending: Vec::new(),
        };
        for field in 0..SQUARES {
            firmware.scanned[field] = firmware.sensed(field, 0);
        }
        if config.turned {
            firmware.array.reverse();
        }
        firmware.memory = Memory::power_up(&firmware.picture()[..]);
        firmware.remember_start();
        firmware
    }

    /// What the board sends by itself at the moment.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// What a computer has the clock show instead of its times.
    #[must_use]
    pub fn clock_text(&self) -> Option<&str> {
        self.clock.text()
    }

    /// The seconds that the clock has for White and Black, as the board was told last.
    #[must_use]
    pub fn clock_shows(&self) -> [u64; 2] {
        self.clock.shows()
    }

    /// How often a computer had the clock beep.
    #[must_use]
    pub fn clock_beeps(&self) -> u32 {
        self.clock.beeps()
    }

    /// Puts the clock into the option in which a computer may set it (dgt-protocol 2.7).
    pub fn let_clock_be_set(&mut self) {
        self.clock.let_be_set();
    }

    /// Takes bytes from the host at `now_ns`, cut anywhere.
    pub fn receive(&mut self, bytes: &[u8], now_ns: u64) {
        self.advance(now_ns);
        if self.bus.is_deaf(now_ns) {
            return;
        }
        for &byte in bytes {
            self.take(byte);
        }
    }

    /// Somebody does `act` to the board or its clock at `at_ns`.
    pub fn act(&mut self, act: Act, at_ns: u64) {
        self.advance(at_ns);
        self.surface.apply(act, at_ns);
        self.clock.act(act, at_ns);
    }

    /// Appends what the board has said until `now_ns`.
    pub fn poll(&mut self, now_ns: u64, out: &mut Vec<u8>) {
        self.advance(now_ns);
        out.append(&mut self.pending);
    }

    /// When the board may have something to say, if nothing happens to it before.
    #[must_use]
    pub fn wake_at_ns(&self) -> Option<u64> {
        if !self.pending.is_empty() {
            return Some(self.now_ns);
        }
        let poll_ns = match self.mode {
            Mode::Update => Some(self.clock.next_poll_ns()),
            Mode::UpdateNice if self.clock.may_change() => Some(self.clock.next_poll_ns()),
            _ => None,
        };
        let sample = if self.mode.sends_squares() { self.next_sample() } else { None };
        let sample_ns = sample.map(|(at_ns, _)| at_ns);
        [sample_ns, poll_ns, self.clock.next_ack_ns(), self.bus.next_answer_ns()].into_iter().flatten().min()
    }

    /// Lets the firmware run to `now_ns`, doing everything at its own time.
    fn advance(&mut self, now_ns: u64) {
        while let Some((at_ns, due)) = self.next_due().filter(|(at_ns, _)| *at_ns <= now_ns) {
            self.now_ns = self.now_ns.max(at_ns);
            match due {
                Due::Sample(field) => self.sample(field),
                Due::ClockPoll => self.poll_clock(),
                Due::Ack => self.send_ack(),
                Due::BusAnswer => {
                    if let Some(packet) = self.bus.take_answer(self.now_ns) {
                        self.pending.extend(packet.bytes());
                    }
                }
            }
        }
        self.now_ns = self.now_ns.max(now_ns);
    }

    fn next_due(&self) -> Option<(u64, Due)> {
        let sample = self.next_sample().map(|(at_ns, field)| (at_ns, Due::Sample(field)));
        let poll = (self.clock.next_poll_ns(), Due::ClockPoll);
        let ack = self.clock.next_ack_ns().map(|at_ns| (at_ns, Due::Ack));
        let answer = self.bus.next_answer_ns().map(|at_ns| (at_ns, Due::BusAnswer));
        sample.into_iter().chain([poll]).chain(ack).chain(answer).min_by_key(|(at_ns, _)| *at_ns)
    }

    /// The next sample that differs from the one before, and its field.
    fn next_sample(&self) -> Option<(u64, usize)> {
        (0..SQUARES).filter_map(|field| Some((self.next_change_ns(field)?, field))).min()
    }

    /// When the next sample of `field` that differs from the last one is taken. Samples between
    /// them need not be taken: they would say nothing.
    fn next_change_ns(&self, field: usize) -> Option<u64> {
        let next_ns = self.sample_ns(field, self.now_ns);
        if self.sensed(field, next_ns) != self.scanned[field] {
            return Some(next_ns);
        }
        // A man whom the sensor lost is found again.
        let back_ns = self.sample_ns(field, self.surface.dropout_until_ns(self.square(field)));
        (back_ns > next_ns && self.sensed(field, back_ns) != self.scanned[field]).then_some(back_ns)
    }

    /// The first time at or after `from_ns` at which `field` is sampled.
    fn sample_ns(&self, field: usize, from_ns: u64) -> u64 {
        let scan_ns = self.config.scan_ms * MS;
        let phase_ns = scan_ns * field as u64 / SQUARES as u64;
        phase_ns + from_ns.saturating_sub(phase_ns).div_ceil(scan_ns) * scan_ns
    }

    fn sensed(&self, field: usize, at_ns: u64) -> Content {
        self.surface.sensed(self.square(field), at_ns)
    }

    /// The square of the game over `field`, as the board lies.
    fn square(&self, field: usize) -> usize {
        let square = sensor_square(field);
        if self.config.turned { 63 - square.index() } else { square.index() }
    }

    fn sample(&mut self, field: usize) {
        let content = self.sensed(field, self.now_ns);
        let square = sensor_square(field);
        self.scanned[field] = content;
        self.memory.changed(square, content, self.now_ns);
        self.written_ns = self.now_ns;
        self.remember_start();
        if self.mode.sends_squares() {
            self.say(&Message::FieldUpdate { square, content });
        }
    }

    /// Notes the start array when it stands, once.
    fn remember_start(&mut self) {
        let picture = self.picture();
        let gone = picture.iter().zip(&self.array).filter(|(is, was)| is != was && !was.is_empty()).count();
        self.notes_array |= gone > GONE;
        if self.notes_array && picture[..] == self.array[..] {
            self.notes_array = false;
            self.memory.begins(self.config.turned);
        }
    }

    fn poll_clock(&mut self) {
        let polled = self.clock.poll(self.now_ns);
        if let Some((end, seconds)) = polled.halted {
            self.memory.halted(end, seconds);
        }
        // "At least every second", so not only at the next poll.
        let next_ns = self.now_ns + clock_link::POLL_NS;
        let regular = self.mode == Mode::Update && next_ns - self.clock_sent_ns > SECOND;
        if self.mode.sends_clock() && (polled.changed || regular) {
            self.clock_sent_ns = self.now_ns;
            self.say(&Message::Clock(self.clock.times()));
        }
    }

    fn send_ack(&mut self) {
        let Some(ack) = self.clock.take_ack() else { return };
        if self.mode.sends_clock() {
            self.say(&Message::ClockAck(ack));
        }
    }

    /// The board as it was scanned, by the sensor's own squares, a1 first.
    fn picture(&self) -> Box<[Content; SQUARES]> {
        let mut contents = Box::new([Content::EMPTY; SQUARES]);
        for (field, &content) in self.scanned.iter().enumerate() {
            contents[sensor_square(field)] = content;
        }
        contents
    }

    fn say(&mut self, message: &Message) {
        self.pending.extend(message.encode());
    }
}

/// The sensor's square, a1 = 0, of a field below 64.
fn sensor_square(field: usize) -> Square {
    square_from_field(u8::try_from(field).expect("a board has 64 fields"))
}

#[cfg(test)]
mod tests;
