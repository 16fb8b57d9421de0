//! What the board says: bytes to messages and back, without time (section 3).
//!
//! A message is its id with the top bit set, a length in two bytes of seven bits that counts the
//! whole message, and data with the top bit clear. There is no checksum: a byte with the top bit set
//! always begins a message, and what does not fit is skipped and counted.

use serde::{Deserialize, Serialize};

use super::clock_answer::{ClockAck, ClockTimes};
use super::square::{SQUARES, content_from_code, field_from_square, piece_code, square_from_field};
use adoube_rules::sensor::Content;
use adoube_rules::square::Square;

/// Id and the two bytes of the length.
const HEADER: usize = 3;

/// Message ids as they are on the wire (section 3.2).
mod id {
    pub(super) const NOTHING: u8 = 0x80;
    pub(super) const DUMP: u8 = 0x86;
    pub(super) const CLOCK: u8 = 0x8d;
    pub(super) const FIELD_UPDATE: u8 = 0x8e;
    pub(super) const EEPROM_MOVES: u8 = 0x8f;
    pub(super) const BUS_ADDRESS: u8 = 0x90;
    pub(super) const SERIAL: u8 = 0x91;
    pub(super) const TRADEMARK: u8 = 0x92;
    pub(super) const VERSION: u8 = 0x93;
    pub(super) const DRAUGHTS_DARK: u8 = 0x94;
    pub(super) const DRAUGHTS_LIGHT: u8 = 0x95;
    pub(super) const HARDWARE_VERSION: u8 = 0x96;
    pub(super) const BATTERY: u8 = 0xa0;
    pub(super) const LONG_SERIAL: u8 = 0xa2;
}

/// Which squares a draughts dump shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DraughtsSquares {
    /// The fifty dark ones.
    Dark,
    /// The fifty light ones.
    Light,
    /// All hundred.
    All,
}

/// The state of a Bluetooth board's battery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Battery {
    /// How full it is.
    pub percent: u8,
    /// Hours and minutes that remain, or until it is full; `None` where the board does not know.
    pub remaining: Option<(u8, u8)>,
    /// Hours and minutes for which the board has been on.
    pub on: (u8, u8),
    /// Days, hours and minutes for which it stood by.
    pub standby: (u8, u8, u8),
    /// It is being charged.
    pub charging: bool,
    /// It is being discharged.
    pub discharging: bool,
}

/// A message from the board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// A message that says nothing.
    Nothing,
    /// What stands on every square, a1 first.
    Dump(Box<[Content; SQUARES]>),
    /// A draughts board, as raw codes.
    Draughts {
        /// Which squares.
        squares: DraughtsSquares,
        /// Their codes in the board's order.
        codes: Vec<u8>,
    },
    /// One square changed.
    FieldUpdate {
        /// Which, a1 = 0.
        square: Square,
        /// What is there now.
        content: Content,
    },
    /// The clock's times.
    Clock(ClockTimes),
    /// The clock's answer, or a button.
    ClockAck(ClockAck),
    /// The memory; [`super::records`] reads it.
    EepromMoves(Vec<u8>),
    /// The address on the bus, fourteen bits.
    BusAddress(u16),
    /// The serial number, five digits.
    Serial(String),
    /// The serial number of newer boards, ten characters.
    LongSerial(String),
    /// Who made the board.
    Trademark(String),
    /// The firmware.
    Version {
        /// Before the point.
        major: u8,
        /// After the point.
        minor: u8,
    },
    /// The hardware.
    HardwareVersion {
        /// Before the point.
        major: u8,
        /// After the point.
        minor: u8,
    },
    /// The battery.
    Battery(Battery),
    /// A whole message of an unknown id, or one whose content makes no sense.
    Unknown {
        /// The id on the wire, top bit set.
        id: u8,
        /// What followed the header.
        data: Vec<u8>,
    },
}

impl Message {
    /// Its bytes on the wire, for a simulated board.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Nothing => frame(id::NOTHING, &[]),
            Self::Dump(contents) => {
                let mut codes = [0; SQUARES];
                for (square, content) in Square::all().zip(contents.iter()) {
                    codes[usize::from(field_from_square(square))] = piece_code(*content);
                }
                frame(id::DUMP, &codes)
            }
            Self::Draughts { squares: DraughtsSquares::Dark, codes } => frame(id::DRAUGHTS_DARK, codes),
            Self::Draughts { squares: DraughtsSquares::Light, codes } => frame(id::DRAUGHTS_LIGHT, codes),
            Self::Draughts { squares: DraughtsSquares::All, codes } => frame(id::DUMP, codes),
            Self::FieldUpdate { square, content } => {
                frame(id::FIELD_UPDATE, &[field_from_square(*square), piece_code(*content)])
            }
            Self::Clock(times) => frame(id::CLOCK, &times.encode()),
            Self::ClockAck(ack) => frame(id::CLOCK, &ack.encode()),
            Self::EepromMoves(bytes) => frame(id::EEPROM_MOVES, bytes),
            Self::BusAddress(address) => frame(id::BUS_ADDRESS, &seven_bits(*address)),
            Self::Serial(text) => frame(id::SERIAL, text.as_bytes()),
            Self::LongSerial(text) => frame(id::LONG_SERIAL, text.as_bytes()),
            Self::Trademark(text) => frame(id::TRADEMARK, text.as_bytes()),
            Self::Version { major, minor } => frame(id::VERSION, &[*major, *minor]),
            Self::HardwareVersion { major, minor } => frame(id::HARDWARE_VERSION, &[*major, *minor]),
            Self::Battery(battery) => frame(id::BATTERY, &battery.encode()),
            Self::Unknown { id, data } => frame(*id | 0x80, data),
        }
    }

    /// Reads a message of a length that its id can have.
    fn decode(id: u8, data: &[u8]) -> Self {
        Self::known(id, data).unwrap_or_else(|| Self::Unknown { id, data: data.to_vec() })
    }

    fn known(id: u8, data: &[u8]) -> Option<Self> {
        Some(match (id, data) {
            (id::NOTHING, []) => Self::Nothing,
            (id::DUMP, codes) if codes.len() == SQUARES => Self::Dump(Box::new(dump(codes))),
            (id::DUMP, codes) => draughts(DraughtsSquares::All, codes),
            (id::DRAUGHTS_DARK, codes) => draughts(DraughtsSquares::Dark, codes),
            (id::DRAUGHTS_LIGHT, codes) => draughts(DraughtsSquares::Light, codes),
            (id::FIELD_UPDATE, &[field, code]) => {
                Self::FieldUpdate { square: square_from_field(field), content: content_from_code(code) }
            }
            (id::CLOCK, data) => clock(data)?,
            (id::EEPROM_MOVES, data) => Self::EepromMoves(data.to_vec()),
            (id::BUS_ADDRESS, &[high, low]) => Self::BusAddress(u16::from(high) << 7 | u16::from(low)),
            // The oldest boards say a version after the number.
            (id::SERIAL, data) => Self::Serial(text(data).split(' ').next()?.to_owned()),
            (id::LONG_SERIAL, data) => Self::LongSerial(text(data)),
            (id::TRADEMARK, data) => Self::Trademark(text(data)),
            (id::VERSION, &[major, minor]) => Self::Version { major, minor },
            (id::HARDWARE_VERSION, &[major, minor]) => Self::HardwareVersion { major, minor },
            (id::BATTERY, data) => Self::Battery(Battery::decode(data.try_into().ok()?)),
            _ => return None,
        })
    }
}

impl Battery {
    /// A time that the board does not know.
    const NOT_KNOWN: u8 = 0x7f;

    fn decode([percent, hours, minutes, on_h, on_m, days, by_h, by_m, status]: [u8; 9]) -> Self {
        Self {
            percent,
            remaining: (hours != Self::NOT_KNOWN && minutes != Self::NOT_KNOWN).then_some((hours, minutes)),
            on: (on_h, on_m),
            standby: (days, by_h, by_m),
            charging: status & 1 != 0,
            discharging: status & 2 != 0,
        }
    }

    fn encode(self) -> [u8; 9] {
        let (hours, minutes) = self.remaining.unwrap_or((Self::NOT_KNOWN, Self::NOT_KNOWN));
        let (on_h, on_m) = self.on;
        let (days, by_h, by_m) = self.standby;
        let status = u8::from(self.charging) | u8::from(self.discharging) << 1;
        [self.percent, hours, minutes, on_h, on_m, days, by_h, by_m, status]
    }
}

/// Cuts a stream of bytes into messages. Any cutting of the stream gives the same messages.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Decoder {
    /// The beginning of a message; as long as the longest message at most.
    partial: Vec<u8>,
    consumed: u64,
    skipped: u64,
}

impl Decoder {
    /// Takes bytes, cut anywhere, and appends the messages that they complete. Returns how many bytes
    /// turned out to belong to no message.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<Message>) -> u64 {
        let before = self.skipped;
        for &byte in bytes {
            self.take(byte, out);
        }
        self.skipped - before
    }

    /// Drops a message that does not go on, and returns how many bytes that were.
    pub fn abandon(&mut self) -> u64 {
        let dropped = self.partial.len() as u64;
        self.skipped += dropped;
        self.partial.clear();
        dropped
    }

    /// Bytes of a message that is not complete.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.partial.len()
    }

    /// The memory is being received, which takes seconds.
    #[must_use]
    pub(crate) fn in_long_message(&self) -> bool {
        self.partial.first() == Some(&id::EEPROM_MOVES)
    }

    /// Bytes so far that made up messages.
    #[must_use]
    pub fn consumed(&self) -> u64 {
        self.consumed
    }

    /// Bytes so far that belonged to none.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    fn take(&mut self, byte: u8, out: &mut Vec<Message>) {
        let begins = byte & 0x80 != 0;
        if begins {
            self.abandon();
        }
        self.partial.push(byte);
        if !begins && self.partial.len() == 1 {
            self.abandon();
        }
        let &[id, high, low, ref data @ ..] = self.partial.as_slice() else { return };
        let length = usize::from(high) << 7 | usize::from(low);
        if data.is_empty() && !is_length_of(id, length) {
            self.abandon();
        } else if self.partial.len() == length {
            out.push(Message::decode(id, data));
            self.consumed += length as u64;
            self.partial.clear();
        }
    }
}

/// Whether a message of this id can have this length.
fn is_length_of(id: u8, length: usize) -> bool {
    match id {
        id::NOTHING => length == 3,
        id::DUMP => length == 67 || length == 103,
        id::CLOCK => length == 10,
        id::FIELD_UPDATE | id::BUS_ADDRESS | id::VERSION | id::HARDWARE_VERSION => length == 5,
        id::EEPROM_MOVES => (3..=0x1f03).contains(&length),
        id::SERIAL => (4..=12).contains(&length),
        id::DRAUGHTS_DARK | id::DRAUGHTS_LIGHT => length == 53,
        // The headers say 7; every implementation that works says 12.
        id::BATTERY => length == 12,
        id::LONG_SERIAL => length == 13,
        // The trade mark text is the longest of the rest; ids of newer boards are shorter.
        _ => (3..=259).contains(&length),
    }
}

/// A message around data, of which the length can count no more than 16,380 bytes.
fn frame(id: u8, data: &[u8]) -> Vec<u8> {
    let data = &data[..data.len().min(0x3fff - HEADER)];
    let length = u16::try_from(HEADER + data.len()).expect("the data was cut to fourteen bits");
    let [high, low] = seven_bits(length);
    let mut bytes = vec![id, high, low];
    bytes.extend(data.iter().map(|byte| byte & 0x7f));
    bytes
}

/// The upper and lower seven bits of a number of fourteen.
pub(super) fn seven_bits(number: u16) -> [u8; 2] {
    let [high, low] = (number << 1).to_be_bytes();
    [high & 0x7f, low >> 1]
}

fn dump(codes: &[u8]) -> [Content; SQUARES] {
    let mut contents = [Content::EMPTY; SQUARES];
    for (field, code) in (0..).zip(codes) {
        contents[square_from_field(field)] = content_from_code(*code);
    }
    contents
}

fn draughts(squares: DraughtsSquares, codes: &[u8]) -> Message {
    Message::Draughts { squares, codes: codes.to_vec() }
}

fn clock(data: &[u8]) -> Option<Message> {
    let data = data.try_into().ok()?;
    ClockAck::decode(data).map(Message::ClockAck).or_else(|| ClockTimes::decode(data).map(Message::Clock))
}

fn text(data: &[u8]) -> String {
    data.iter().map(|byte| char::from(byte & 0x7f)).collect()
}
