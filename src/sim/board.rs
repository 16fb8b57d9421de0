//! The firmware of a DGT board: squares sampled one after another, commands, updates.
//!
//! Sans-I/O. What a real board shows (a capture as one change of code, an arrival before its
//! departure, a dragged man on every square of his way) arises here from sampling alone, because
//! hands act in continuous time.

use super::act::{Act, SQUARES, Surface};
use super::clock::ClockSetting;
use super::clock_link::{self, ClockLink};
use super::memory::Memory;
use crate::sensor::Content;
use crate::stamp::{MS, SECOND};
use crate::wire::dgt::{Battery, Command, CommandDecoder, DraughtsSquares, Message, square_from_field};

/// A scan of all squares (dgt-protocol 4.1: 200 to 250 ms). A Bluetooth board takes twice as long.
const SCAN_MS: u64 = 225;

/// The firmware's version, as a recorded board said it.
const VERSION: (u8, u8) = (3, 1);

/// Bytes of a bus command after the first (dgt-protocol 2.8).
const BUS_COMMAND_REST: u8 = 3;

/// In place of the maker's text, which a simulator must not send (dgt-protocol 0.1).
const TRADEMARK: &str = "adoube\nsimulated board";

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
    /// For what a clock does by chance.
    pub seed: u64,
}

impl Default for FirmwareConfig {
    /// A USB board without a clock.
    fn default() -> Self {
        Self { serial: 1, turned: false, scan_ms: SCAN_MS, clock: None, seed: 0 }
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
    decoder: CommandDecoder,
    /// Bytes of a bus command that are still to come.
    bus_rest: u8,
    now_ns: u64,
    pending: Vec<u8>,
}

/// Something that the firmware does by itself.
enum Due {
    Sample(usize),
    ClockPoll,
    Ack,
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
            decoder: CommandDecoder::default(),
            bus_rest: 0,
            now_ns: 0,
            pending: Vec::new(),
        };
        for field in 0..SQUARES {
            firmware.scanned[field] = firmware.sensed(field, 0);
        }
        firmware.memory = Memory::power_up(&firmware.picture()[..]);
        firmware
    }

    /// What the board sends by itself at the moment.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Takes bytes from the host at `now_ns`, cut anywhere.
    pub fn receive(&mut self, bytes: &[u8], now_ns: u64) {
        self.advance(now_ns);
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
        let sample_ns = self.next_sample().filter(|_| self.mode.sends_squares()).map(|(at_ns, _)| at_ns);
        [sample_ns, poll_ns, self.clock.next_ack_ns()].into_iter().flatten().min()
    }

    /// Lets the firmware run to `now_ns`, doing everything at its own time.
    fn advance(&mut self, now_ns: u64) {
        while let Some((at_ns, due)) = self.next_due().filter(|(at_ns, _)| *at_ns <= now_ns) {
            self.now_ns = self.now_ns.max(at_ns);
            match due {
                Due::Sample(field) => self.sample(field),
                Due::ClockPoll => self.poll_clock(),
                Due::Ack => self.send_ack(),
            }
        }
        self.now_ns = self.now_ns.max(now_ns);
    }

    fn next_due(&self) -> Option<(u64, Due)> {
        let sample = self.next_sample().map(|(at_ns, field)| (at_ns, Due::Sample(field)));
        let poll = (self.clock.next_poll_ns(), Due::ClockPoll);
        let ack = self.clock.next_ack_ns().map(|at_ns| (at_ns, Due::Ack));
        sample.into_iter().chain([poll]).chain(ack).min_by_key(|(at_ns, _)| *at_ns)
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
        usize::from(if self.config.turned { 63 - square } else { square })
    }

    fn sample(&mut self, field: usize) {
        let content = self.sensed(field, self.now_ns);
        let square = sensor_square(field);
        self.scanned[field] = content;
        self.memory.changed(square, content, self.now_ns);
        if self.mode.sends_squares() {
            self.say(&Message::FieldUpdate { square, content });
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

    /// One byte from the host. A byte with the top bit begins a command of the bus: a board in
    /// single mode only changes its mode by it, and this one answers none (dgt-protocol 0.3).
    fn take(&mut self, byte: u8) {
        if byte & 0x80 != 0 {
            self.mode = Mode::Bus;
            self.bus_rest = BUS_COMMAND_REST;
            self.decoder = CommandDecoder::default();
        } else if self.bus_rest > 0 {
            self.bus_rest -= 1;
        } else {
            let mut commands = Vec::new();
            self.decoder.push(&[byte], &mut commands);
            for command in commands {
                self.execute(command);
            }
        }
    }

    fn execute(&mut self, command: Command) {
        if self.mode == Mode::Bus {
            self.mode = Mode::Idle;
        }
        match command {
            Command::Reset => self.mode = Mode::Idle,
            Command::ToBusMode => self.mode = Mode::Bus,
            Command::Update => self.mode = Mode::Update,
            Command::UpdateBoard => self.mode = Mode::UpdateBoard,
            Command::UpdateNice => self.mode = Mode::UpdateNice,
            // In the other modes a clock takes a message and gives no answer.
            Command::Clock(message) if self.mode.sends_clock() => self.clock.ask(message, self.now_ns),
            Command::EepromMoves => {
                let bytes = self.memory.download();
                self.say(&Message::EepromMoves(bytes));
            }
            question => {
                if let Some(answer) = self.answer(question) {
                    self.say(&answer);
                }
            }
        }
    }

    fn answer(&self, question: Command) -> Option<Message> {
        let draughts = |squares| Message::Draughts { squares, codes: vec![0; 50] };
        Some(match question {
            Command::SendClock => Message::Clock(self.clock.times()),
            Command::SendBoard => Message::Dump(self.picture()),
            Command::Serial => Message::Serial(format!("{:05}", self.config.serial % 100_000)),
            Command::LongSerial => Message::LongSerial(format!("30000{:05}", self.config.serial % 100_000)),
            Command::BusAddress => Message::BusAddress((self.config.serial & 0x3fff) as u16),
            Command::Trademark => Message::Trademark(TRADEMARK.to_owned()),
            Command::Version => Message::Version { major: VERSION.0, minor: VERSION.1 },
            Command::HardwareVersion => Message::HardwareVersion { major: 1, minor: 0 },
            Command::SendDraughtsDark => draughts(DraughtsSquares::Dark),
            Command::SendDraughtsLight => draughts(DraughtsSquares::Light),
            Command::Battery => Message::Battery(Battery {
                percent: 100,
                remaining: None,
                on: (0, 0),
                standby: (0, 0, 0),
                charging: false,
                discharging: true,
            }),
            // Lights and keys of other boards, of which this one knows nothing, and a clock message
            // in a mode without answers.
            _ => return None,
        })
    }

    /// The board as it was scanned, by the sensor's own squares, a1 first.
    fn picture(&self) -> Box<[Content; SQUARES]> {
        let mut contents = Box::new([Content::EMPTY; SQUARES]);
        for (field, &content) in self.scanned.iter().enumerate() {
            contents[usize::from(sensor_square(field))] = content;
        }
        contents
    }

    fn say(&mut self, message: &Message) {
        self.pending.extend(message.encode());
    }
}

/// The sensor's square, a1 = 0, of a field below 64.
fn sensor_square(field: usize) -> u8 {
    square_from_field(u8::try_from(field).expect("a board has 64 fields"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::ChessPosition;
    use crate::sensor::Side;
    use crate::wire::dgt::{ClockAck, ClockEnd, ClockMessage, Decoder, Record, records};

    const E2: u8 = 12;
    const E4: u8 = 28;

    fn board(config: FirmwareConfig) -> Firmware {
        Firmware::new(config, &ChessPosition::default().contents())
    }

    fn with_clock() -> FirmwareConfig {
        FirmwareConfig { clock: Some(ClockSetting::equal(180, 2)), ..FirmwareConfig::default() }
    }

    fn ask(firmware: &mut Firmware, command: Command, now_ns: u64) -> Vec<Message> {
        firmware.receive(&command.encode(), now_ns);
        heard(firmware, now_ns)
    }

    fn heard(firmware: &mut Firmware, now_ns: u64) -> Vec<Message> {
        let (mut bytes, mut messages) = (Vec::new(), Vec::new());
        firmware.poll(now_ns, &mut bytes);
        assert_eq!(Decoder::default().push(&bytes, &mut messages), 0);
        messages
    }

    fn fields(messages: &[Message]) -> Vec<(u8, Content)> {
        let field = |message: &Message| match message {
            Message::FieldUpdate { square, content } => Some((*square, *content)),
            _ => None,
        };
        messages.iter().filter_map(field).collect()
    }

    #[test]
    fn a_board_says_nothing_by_itself_until_it_is_asked_for_updates() {
        let mut firmware = board(with_clock());
        assert_eq!(firmware.mode(), Mode::Bus);
        firmware.act(Act::Lift { square: E2 }, 10 * MS);
        firmware.act(Act::StartClock, 20 * MS);
        assert!(heard(&mut firmware, 3 * SECOND).is_empty());
        assert_eq!(firmware.wake_at_ns(), None);
        assert!(ask(&mut firmware, Command::Reset, 4 * SECOND).is_empty());
        assert_eq!(firmware.mode(), Mode::Idle);
        firmware.act(Act::Lift { square: E4 - 1 }, 5 * SECOND);
        assert!(heard(&mut firmware, 9 * SECOND).is_empty());
    }

    #[test]
    fn a_single_command_wakes_a_board_on_the_bus_and_is_carried_out() {
        let mut firmware = board(FirmwareConfig { serial: 25_805, ..FirmwareConfig::default() });
        assert_eq!(ask(&mut firmware, Command::Serial, 0), [Message::Serial("25805".to_owned())]);
        assert_eq!(firmware.mode(), Mode::Idle);
        ask(&mut firmware, Command::Update, 0);
        assert_eq!(firmware.mode(), Mode::Update);
        // A bus ping: only the mode changes, and its address is not read as commands.
        firmware.receive(&[0x87, 0x42, 0x45, 0x0e], 1);
        assert!(heard(&mut firmware, SECOND).is_empty());
        assert_eq!(firmware.mode(), Mode::Bus);
    }

    #[test]
    fn questions_are_answered_and_leave_the_mode_alone() {
        let mut firmware = board(with_clock());
        ask(&mut firmware, Command::UpdateBoard, 0);
        for (question, answers) in [
            (Command::Version, 1),
            (Command::LongSerial, 1),
            (Command::BusAddress, 1),
            (Command::Battery, 1),
            (Command::SendClock, 1),
            (Command::EepromMoves, 1),
            (Command::LockState, 0),
        ] {
            assert_eq!(ask(&mut firmware, question, 1).len(), answers, "{question:?}");
            assert_eq!(firmware.mode(), Mode::UpdateBoard);
        }
        let Some(Message::Trademark(text)) = ask(&mut firmware, Command::Trademark, 2).pop() else {
            panic!("none")
        };
        assert!(!text.to_lowercase().contains("dgt") && text.contains("adoube"), "{text}");
    }

    #[test]
    fn a_dump_is_the_board_as_it_lies() {
        let contents = ChessPosition::default().contents();
        let mut straight = board(FirmwareConfig::default());
        let Some(Message::Dump(dump)) = ask(&mut straight, Command::SendBoard, 0).pop() else {
            panic!("no dump")
        };
        assert_eq!(dump.to_vec(), contents);
        let mut turned = board(FirmwareConfig { turned: true, ..FirmwareConfig::default() });
        let Some(Message::Dump(dump)) = ask(&mut turned, Command::SendBoard, 0).pop() else {
            panic!("no dump")
        };
        assert!(dump.iter().eq(contents.iter().rev()));
    }

    #[test]
    fn changes_are_said_within_a_scan_and_only_once() {
        let pawn = Content::man(0, 0);
        let mut firmware = board(FirmwareConfig::default());
        ask(&mut firmware, Command::UpdateBoard, 0);
        firmware.act(Act::Lift { square: E2 }, SECOND);
        let wake_ns = firmware.wake_at_ns().expect("a change is waiting");
        assert!(wake_ns < SECOND + SCAN_MS * MS);
        assert!(heard(&mut firmware, wake_ns - 1).is_empty());
        assert_eq!(fields(&heard(&mut firmware, wake_ns)), [(E2, Content::EMPTY)]);
        assert_eq!(firmware.wake_at_ns(), None);
        firmware.act(Act::Place { square: E4, man: pawn }, 2 * SECOND);
        assert_eq!(fields(&heard(&mut firmware, 2 * SECOND + SCAN_MS * MS)), [(E4, pawn)]);
        assert!(heard(&mut firmware, 9 * SECOND).is_empty());
    }

    #[test]
    fn what_is_quicker_than_a_scan_comes_in_the_order_of_the_fields_or_not_at_all() {
        let (pawn, knight) = (Content::man(0, 0), Content::man(1, 1));
        let mut firmware = board(FirmwareConfig::default());
        ask(&mut firmware, Command::UpdateNice, 0);
        // Field 0 is sampled at the beginning of a scan: e4 (field 36) comes before e2 (field 52).
        let scan_ns = 4 * SCAN_MS * MS;
        firmware.act(Act::Lift { square: E2 }, scan_ns + 1);
        firmware.act(Act::Place { square: E4, man: pawn }, scan_ns + 2);
        // A capture: the square is empty for a moment that no sample sees.
        firmware.act(Act::Lift { square: 1 }, scan_ns + 3);
        firmware.act(Act::Place { square: 1, man: knight }, scan_ns + 4);
        // A man who is back in time was never away.
        firmware.act(Act::Dropout { square: 0, length_ns: MS }, scan_ns + 5);
        let seen = fields(&heard(&mut firmware, scan_ns + 2 * SCAN_MS * MS));
        assert_eq!(seen, [(E4, pawn), (E2, Content::EMPTY), (1, knight)]);
    }

    #[test]
    fn a_dropout_is_said_and_taken_back() {
        let rook = Content::man(0, 3);
        let mut firmware = board(FirmwareConfig::default());
        ask(&mut firmware, Command::UpdateBoard, 0);
        firmware.act(Act::Dropout { square: 0, length_ns: SCAN_MS * MS }, SECOND);
        let seen = fields(&heard(&mut firmware, 3 * SECOND));
        assert_eq!(seen, [(0, Content::EMPTY), (0, rook)]);
    }

    #[test]
    fn a_press_and_its_increment_are_in_the_same_message() {
        let mut firmware = board(with_clock());
        ask(&mut firmware, Command::UpdateNice, 0);
        let times = |messages: &[Message]| match messages {
            [Message::Clock(times)] => *times,
            other => panic!("{other:?}"),
        };
        let before = times(&ask(&mut firmware, Command::SendClock, 0));
        assert_eq!((before.left.seconds, before.right.seconds, before.running()), (182, 182, false));
        firmware.act(Act::StartClock, SECOND);
        heard(&mut firmware, 3 * SECOND);
        firmware.act(Act::Press(Side::White), 3 * SECOND + 100 * MS);
        let after = times(&heard(&mut firmware, 3 * SECOND + 300 * MS));
        // 182 - 2.1 + 2 = 181.9 on the left, a bit less than 182 on the right.
        assert_eq!((after.left.seconds, after.right.seconds), (182, 182));
        assert_eq!((after.lever(), after.running()), (ClockEnd::Right, true));
    }

    #[test]
    fn in_nice_mode_no_clock_message_repeats_and_in_update_mode_none_is_late() {
        let mut nice = board(with_clock());
        ask(&mut nice, Command::UpdateNice, 0);
        assert!(heard(&mut nice, 5 * SECOND).is_empty(), "a clock that stands says nothing");
        nice.act(Act::StartClock, 5 * SECOND);
        let said = heard(&mut nice, 15 * SECOND);
        assert!((10..=12).contains(&said.len()), "{}", said.len());
        assert!(said.windows(2).all(|pair| pair[0] != pair[1]));

        let mut update = board(with_clock());
        ask(&mut update, Command::Update, 0);
        for second in 1..10 {
            assert!(!heard(&mut update, second * SECOND).is_empty(), "second {second}");
        }
    }

    #[test]
    fn a_clock_answers_only_where_clocks_are_heard() {
        let version = Command::Clock(ClockMessage::Version);
        for (mode, answers) in [
            (Command::Reset, false),
            (Command::UpdateBoard, false),
            (Command::Update, true),
            (Command::UpdateNice, true),
        ] {
            let mut firmware = board(with_clock());
            ask(&mut firmware, mode, 0);
            assert!(
                ask(&mut firmware, version, SECOND).iter().all(|said| !matches!(said, Message::ClockAck(_)))
            );
            assert!(
                !heard(&mut firmware, SECOND + 69 * MS)
                    .iter()
                    .any(|said| matches!(said, Message::ClockAck(_)))
            );
            let said = heard(&mut firmware, SECOND + 110 * MS);
            let ack = ClockAck { value: 0x20, ..ClockAck::done(9) };
            assert_eq!(said.contains(&Message::ClockAck(ack)), answers, "{mode:?}");
        }
    }

    #[test]
    fn a_board_without_a_clock_says_so_and_gives_no_answers() {
        let mut firmware = board(FirmwareConfig::default());
        ask(&mut firmware, Command::UpdateNice, 0);
        let [Message::Clock(times)] = ask(&mut firmware, Command::SendClock, 0)[..] else {
            panic!("no clock message")
        };
        assert_eq!(times.reading(), Some(crate::sensor::Reading::Clock(None)));
        ask(&mut firmware, Command::Clock(ClockMessage::Version), 0);
        assert!(heard(&mut firmware, 5 * SECOND).is_empty());
    }

    #[test]
    fn on_a_turned_board_the_ends_of_the_clock_change_places() {
        let setting = ClockSetting { base_s: [60, 120], increment_s: [0, 0] };
        let config = FirmwareConfig { clock: Some(setting), turned: true, ..FirmwareConfig::default() };
        let [Message::Clock(times)] = ask(&mut board(config), Command::SendClock, 0)[..] else {
            panic!("no clock")
        };
        assert_eq!((times.left.seconds, times.right.seconds, times.lever()), (120, 60, ClockEnd::Right));
    }

    #[test]
    fn the_memory_tells_what_happened_while_nobody_listened() {
        let mut firmware = board(FirmwareConfig::default());
        firmware.act(Act::Lift { square: E2 }, SECOND);
        let said = ask(&mut firmware, Command::EepromMoves, 2 * SECOND);
        let [Message::EepromMoves(bytes)] = &said[..] else { panic!("no memory") };
        let (read, skipped) = records(bytes);
        assert_eq!((read[3], read.len(), skipped), (Record::PowerUp, 4 + 32 + 2, 0));
        assert_eq!(read[36], Record::Square { square: E2, content: Content::EMPTY, quick: false });
    }

    #[test]
    fn bytes_that_mean_nothing_do_no_harm() {
        let mut firmware = board(with_clock());
        let noise: Vec<u8> = (0..=255).cycle().take(5_000).collect();
        firmware.receive(&noise, 0);
        firmware.receive(&Command::Reset.encode().repeat(16), 1);
        heard(&mut firmware, 2);
        assert_eq!(ask(&mut firmware, Command::Serial, 3), [Message::Serial("00001".to_owned())]);
    }
}
