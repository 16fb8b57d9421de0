//! What a computer asks of the board (section 2), and the same read by a simulated board.
//!
//! Commands to one board are one byte with the top bit clear; three of them carry data. Left out on
//! purpose: the jump into the boot loader and the scans that only write into the board's memory.

use serde::{Deserialize, Serialize};

use super::clock_message::{CLOCK_MESSAGE, ClockMessage, SIZES};
use super::square::{field_from_square, square_from_field};
use adoube_rules::square::Square;

/// First byte of an LED command, and how many bytes follow its size.
const LEDS: u8 = 0x60;
const LEDS_SIZE: u8 = 4;
/// The field number that stands for all fields.
const ALL_FIELDS: u8 = 0x40;

/// First byte of a developer key, and how many bytes follow its size.
const DEVELOPER_KEY: u8 = 0x63;
const DEVELOPER_KEY_SIZE: u8 = 7;

/// A command to one board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Command {
    /// Stop all updates: idle mode.
    Reset,
    /// Send the clock's times.
    SendClock,
    /// Send the whole board.
    SendBoard,
    /// Send changes, and the clock all the time.
    Update,
    /// Send changes of squares only; the clock's answers are not sent either.
    UpdateBoard,
    /// Send changes, and the clock when it changed.
    UpdateNice,
    /// Send the serial number of five digits.
    Serial,
    /// Send the address on the bus.
    BusAddress,
    /// Send the trade mark text.
    Trademark,
    /// Send the hardware's version (newer boards).
    HardwareVersion,
    /// Send the memory: up to 8 s of it.
    EepromMoves,
    /// Go into bus mode: silent until addressed.
    ToBusMode,
    /// Send the battery's state (Bluetooth boards).
    Battery,
    /// Send the firmware's version.
    Version,
    /// Send the dark squares of a draughts board.
    SendDraughtsDark,
    /// Send the light squares of a draughts board.
    SendDraughtsLight,
    /// Send the serial number of ten characters.
    LongSerial,
    /// Send whether the board is locked (Pegasus).
    LockState,
    /// Send whether a developer key is set (Pegasus).
    DeveloperKeyState,
    /// Unlock with a developer key (Pegasus).
    DeveloperKey([u8; 6]),
    /// Tell the clock something. It answers only in [`Command::Update`] and
    /// [`Command::UpdateNice`]; wait for the answer before the next one.
    Clock(ClockMessage),
    /// Light squares. For the Revelation II only: other boards hang on it.
    Leds(Leds),
}

/// What to light on a Revelation II.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Leds {
    /// Two squares on.
    On {
        /// One of them.
        from: Square,
        /// The other.
        to: Square,
    },
    /// Two squares off.
    Off {
        /// One of them.
        from: Square,
        /// The other.
        to: Square,
    },
    /// Everything off.
    Clear,
    /// Lights go off by themselves when a piece changes.
    AutoOff(bool),
    /// Lights turn with a turned board.
    AutoTurn(bool),
}

/// The commands without data.
const ONE_BYTE: [(u8, Command); 19] = [
    (0x40, Command::Reset),
    (0x41, Command::SendClock),
    (0x42, Command::SendBoard),
    (0x43, Command::Update),
    (0x44, Command::UpdateBoard),
    (0x45, Command::Serial),
    (0x46, Command::BusAddress),
    (0x47, Command::Trademark),
    (0x48, Command::HardwareVersion),
    (0x49, Command::EepromMoves),
    (0x4a, Command::ToBusMode),
    (0x4b, Command::UpdateNice),
    (0x4c, Command::Battery),
    (0x4d, Command::Version),
    (0x50, Command::SendDraughtsDark),
    (0x52, Command::SendDraughtsLight),
    (0x55, Command::LongSerial),
    (0x59, Command::LockState),
    (0x5a, Command::DeveloperKeyState),
];

impl Command {
    /// Its bytes.
    #[must_use]
    pub fn encode(self) -> Vec<u8> {
        match self {
            Self::Clock(message) => message.encode(),
            Self::Leds(leds) => {
                let [mode, from, to] = leds.encode();
                vec![LEDS, LEDS_SIZE, mode, from, to, 0]
            }
            Self::DeveloperKey([a, b, c, d, e, f]) => {
                vec![DEVELOPER_KEY, DEVELOPER_KEY_SIZE, a, b, c, d, e, f, 0]
            }
            plain => {
                ONE_BYTE.iter().filter(|(_, command)| *command == plain).map(|(byte, _)| *byte).collect()
            }
        }
    }

    /// Reads a command with data: its first byte, and what follows the size.
    fn decode(first: u8, body: &[u8]) -> Option<Self> {
        match (first, body) {
            (CLOCK_MESSAGE, _) => ClockMessage::decode(body).map(Self::Clock),
            (LEDS, &[mode, from, to, 0]) => Leds::decode(mode, from, to).map(Self::Leds),
            (DEVELOPER_KEY, &[a, b, c, d, e, f, 0]) => Some(Self::DeveloperKey([a, b, c, d, e, f])),
            _ => None,
        }
    }
}

impl Leds {
    fn encode(self) -> [u8; 3] {
        match self {
            Self::On { from, to } => [1, field_from_square(from), field_from_square(to)],
            Self::Off { from, to } => [0, field_from_square(from), field_from_square(to)],
            Self::Clear => [0, ALL_FIELDS, ALL_FIELDS],
            Self::AutoOff(on) => [2, 1, u8::from(on)],
            Self::AutoTurn(on) => [2, 2, u8::from(on)],
        }
    }

    fn decode(mode: u8, from: u8, to: u8) -> Option<Self> {
        let on_board = from < ALL_FIELDS && to < ALL_FIELDS;
        match (mode, from, to) {
            (0, ALL_FIELDS, _) => Some(Self::Clear),
            (0, ..) if on_board => {
                Some(Self::Off { from: square_from_field(from), to: square_from_field(to) })
            }
            (1, ..) if on_board => {
                Some(Self::On { from: square_from_field(from), to: square_from_field(to) })
            }
            (2, 1, 0 | 1) => Some(Self::AutoOff(to == 1)),
            (2, 2, 0 | 1) => Some(Self::AutoTurn(to == 1)),
            _ => None,
        }
    }
}

/// Cuts a stream of bytes into commands, as a board does.
#[derive(Debug, Clone, Default)]
pub struct CommandDecoder {
    /// The beginning of a command with data; at most as long as the longest of them.
    partial: Vec<u8>,
    skipped: u64,
}

impl CommandDecoder {
    /// Takes bytes, cut anywhere, and appends the commands that they complete.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<Command>) {
        for &byte in bytes {
            self.take(byte, out);
        }
    }

    /// Bytes so far that belong to no command.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Bytes of a command that is not complete.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.partial.len()
    }

    fn take(&mut self, byte: u8, out: &mut Vec<Command>) {
        self.partial.push(byte);
        if byte & 0x80 != 0 && self.partial[0] != DEVELOPER_KEY {
            // The top bit begins a command on the bus, which nobody here understands; only a key may
            // have it inside.
            return self.skip();
        }
        match *self.partial {
            [CLOCK_MESSAGE | LEDS | DEVELOPER_KEY] => {}
            [first] => match ONE_BYTE.iter().find(|(code, _)| *code == first) {
                Some((_, command)) => {
                    out.push(*command);
                    self.partial.clear();
                }
                None => self.skip(),
            },
            [CLOCK_MESSAGE, size] if SIZES.contains(&size) => {}
            [LEDS, LEDS_SIZE] | [DEVELOPER_KEY, DEVELOPER_KEY_SIZE] => {}
            [first, size, ref body @ ..] if body.len() == usize::from(size) => {
                match Command::decode(first, body) {
                    Some(command) => {
                        out.push(command);
                        self.partial.clear();
                    }
                    None => self.skip(),
                }
            }
            [_, _] => self.skip(),
            _ => {}
        }
    }

    fn skip(&mut self) {
        self.skipped += self.partial.len() as u64;
        self.partial.clear();
    }
}
