//! What boards say on a bus: bytes to verified packets and back, without time (section 3.9).
//!
//! A packet is its id with the top bit set, a length in two bytes of seven bits that counts all of it, the
//! address, data, and a checksum. The ids are not those of single mode (86 is the whole board there and the
//! memory here), so this is a decoder of its own: who uses it says which mode the line is in.

use serde::{Deserialize, Serialize};

use super::checksum;
use crate::wire::dgt::clock_answer::ClockTimes;
use crate::wire::dgt::codec::seven_bits;
use crate::wire::dgt::square::{
    SQUARES, content_from_code, field_from_square, piece_code, square_from_field,
};
use adoube_rules::sensor::Content;
use adoube_rules::square::Square;

/// Id, length and address.
const HEADER: usize = 5;
/// Header and checksum.
const AROUND: usize = HEADER + 1;
/// The longest packet: the whole memory of 7,936 bytes.
const LONGEST: usize = AROUND + 0x1f00;

/// Packet ids (section 3.9).
mod id {
    pub(super) const DUMP: u8 = 0x83;
    pub(super) const CLOCK: u8 = 0x84;
    pub(super) const CHANGES: u8 = 0x85;
    pub(super) const FROM_START: u8 = 0x86;
    pub(super) const PING: u8 = 0x87;
    pub(super) const START_WRITTEN: u8 = 0x88;
    pub(super) const VERSION: u8 = 0x89;
    pub(super) const DRAUGHTS: u8 = 0x8a;
    pub(super) const CHANGES_EVEN: u8 = 0x8b;
}

/// A packet whose length and checksum are right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packet {
    bytes: Vec<u8>,
}

/// What a packet says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// What stands on every square, a1 first.
    Dump(Box<[Content; SQUARES]>),
    /// The clock's times.
    Clock(ClockTimes),
    /// What changed since the packet before; [`crate::wire::dgt::records`] reads it.
    Changes {
        /// The records.
        records: Vec<u8>,
        /// The second, fourth … of a board that counts them.
        even: bool,
    },
    /// What happened since the game was started.
    FromStart(Vec<u8>),
    /// I am here.
    Ping,
    /// The start of the game is in the memory.
    StartWritten,
    /// The firmware; boards up to 1.2 say nothing of it.
    Version(Option<(u8, u8)>),
    /// Something else, or something whose content makes no sense.
    Unknown {
        /// The id on the wire, top bit set.
        id: u8,
        /// What followed the address.
        data: Vec<u8>,
    },
}

impl Packet {
    /// The packet in which the board at `address` says `message`, for a simulated board.
    #[must_use]
    pub fn new(address: u16, message: &Message) -> Self {
        let (id, mut data) = message.parts();
        data.truncate(LONGEST - AROUND);
        let length = u16::try_from(AROUND + data.len()).expect("the data was cut to fourteen bits");
        let mut bytes = vec![id];
        bytes.extend(seven_bits(length));
        bytes.extend(seven_bits(address));
        bytes.extend(data.iter().map(|byte| byte & 0x7f));
        bytes.push(checksum(&bytes));
        Self { bytes }
    }

    /// Who sent it.
    #[must_use]
    pub fn address(&self) -> u16 {
        u16::from(self.bytes[3]) << 7 | u16::from(self.bytes[4])
    }

    /// All of it, as it was on the line.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// What it says.
    #[must_use]
    pub fn message(&self) -> Message {
        let (id, data) = (self.bytes[0], &self.bytes[HEADER..self.bytes.len() - 1]);
        known(id, data).unwrap_or_else(|| Message::Unknown { id, data: data.to_vec() })
    }
}

impl Message {
    fn parts(&self) -> (u8, Vec<u8>) {
        match self {
            Self::Dump(contents) => {
                let mut codes = vec![0; SQUARES];
                for (square, content) in Square::all().zip(contents.iter()) {
                    codes[usize::from(field_from_square(square))] = piece_code(*content);
                }
                (id::DUMP, codes)
            }
            Self::Clock(times) => (id::CLOCK, times.encode().to_vec()),
            Self::Changes { records, even: false } => (id::CHANGES, records.clone()),
            Self::Changes { records, even: true } => (id::CHANGES_EVEN, records.clone()),
            Self::FromStart(records) => (id::FROM_START, records.clone()),
            Self::Ping => (id::PING, Vec::new()),
            Self::StartWritten => (id::START_WRITTEN, Vec::new()),
            Self::Version(version) => {
                (id::VERSION, version.map(|(major, minor)| vec![major, minor]).unwrap_or_default())
            }
            Self::Unknown { id, data } => (*id | 0x80, data.clone()),
        }
    }
}

fn known(id: u8, data: &[u8]) -> Option<Message> {
    Some(match (id, data) {
        (id::DUMP, codes) if codes.len() == SQUARES => {
            let mut contents = Box::new([Content::EMPTY; SQUARES]);
            for (field, code) in (0..).zip(codes) {
                contents[square_from_field(field)] = content_from_code(*code);
            }
            Message::Dump(contents)
        }
        (id::CLOCK, data) => Message::Clock(ClockTimes::decode(data.try_into().ok()?)?),
        (id::CHANGES, records) => Message::Changes { records: records.to_vec(), even: false },
        (id::CHANGES_EVEN, records) => Message::Changes { records: records.to_vec(), even: true },
        (id::FROM_START, records) => Message::FromStart(records.to_vec()),
        (id::PING, []) => Message::Ping,
        (id::START_WRITTEN, []) => Message::StartWritten,
        (id::VERSION, []) => Message::Version(None),
        (id::VERSION, &[major, minor]) => Message::Version(Some((major, minor))),
        _ => return None,
    })
}

/// Whether a packet of this id can have this length.
fn is_length_of(id: u8, length: usize) -> bool {
    match id {
        id::DUMP => length == AROUND + SQUARES,
        id::CLOCK => length == 13,
        id::PING | id::START_WRITTEN => length == AROUND,
        id::VERSION => length == AROUND || length == AROUND + 2,
        id::DRAUGHTS => length == AROUND + 50,
        id::CHANGES | id::CHANGES_EVEN | id::FROM_START => (AROUND..=LONGEST).contains(&length),
        // What newer boards say besides is short.
        _ => (AROUND..=259).contains(&length),
    }
}

/// Cuts a stream of bytes into packets. Any cutting of the stream gives the same packets.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Decoder {
    /// The beginning of a packet; as long as the longest packet at most.
    partial: Vec<u8>,
    skipped: u64,
    broken: u64,
}

impl Decoder {
    /// Takes bytes, cut anywhere, and appends the packets that they complete. Returns how many bytes
    /// turned out to belong to none.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<Packet>) -> u64 {
        let before = self.skipped;
        for &byte in bytes {
            self.take(byte, out);
        }
        self.skipped - before
    }

    /// Drops a packet that does not go on, and returns how many bytes that were.
    pub fn abandon(&mut self) -> u64 {
        let dropped = self.partial.len() as u64;
        self.skipped += dropped;
        self.partial.clear();
        dropped
    }

    /// Bytes of a packet that is not complete.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.partial.len()
    }

    /// Whole packets so far whose checksum was wrong: whoever waits for one need not wait on.
    #[must_use]
    pub fn broken(&self) -> u64 {
        self.broken
    }

    /// Bytes so far that belonged to no packet.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    fn take(&mut self, byte: u8, out: &mut Vec<Packet>) {
        let begins = byte & 0x80 != 0;
        if begins {
            self.abandon();
        }
        self.partial.push(byte);
        if !begins && self.partial.len() == 1 {
            self.abandon();
        }
        let &[id, high, low, ..] = self.partial.as_slice() else { return };
        let length = usize::from(high) << 7 | usize::from(low);
        // With each byte: a packet that was begun may come from a session that was saved, and be spoilt.
        if !is_length_of(id, length) {
            self.abandon();
        } else if self.partial.len() == length {
            let (content, sum) = self.partial.split_at(length - 1);
            if checksum(content) == sum[0] {
                out.push(Packet { bytes: std::mem::take(&mut self.partial) });
            } else {
                self.broken += 1;
                self.abandon();
            }
        }
    }
}
