//! What a DGT board does with what the host sends: commands, and its answers to questions.

use super::{Firmware, Mode, VERSION};
use adoube_core::wire::dgt::{Battery, Command, CommandDecoder, DraughtsSquares, Message};

/// Bytes of a bus command after the first (dgt-protocol 2.8).
const BUS_COMMAND_REST: u8 = 3;

/// In place of the maker's text, which a simulator must not send (dgt-protocol 0.1).
const TRADEMARK: &str = "adoube\nsimulated board";

impl Firmware {
    /// One byte from the host. A byte with the top bit begins a command of the bus: a board in
    /// single mode only changes its mode by it (dgt-protocol 0.3).
    pub(super) fn take(&mut self, byte: u8) {
        if byte & 0x80 != 0 {
            self.bus_rest = BUS_COMMAND_REST;
            self.decoder = CommandDecoder::default();
            self.take_bus(byte);
        } else if self.bus_rest > 0 {
            self.bus_rest -= 1;
            self.take_bus(byte);
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
}
