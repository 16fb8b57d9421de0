//! The board's own record of what happened: its memory of 7,936 bytes (section 3.10).
//!
//! A record is known by its first byte. A byte from 60 on always begins one, since data bytes are
//! fields (up to 3f) or times in decimal digits (up to 59): that is where reading picks up again
//! after a beginning that was overwritten.

use super::clock_answer::{ClockEnd, from_bcd, to_bcd};
use super::square::{content_from_code, field_from_square, piece_code, square_from_field};
use adoube_rules::sensor::Content;
use adoube_rules::square::Square;

/// Record bit: less than about 250 ms after the piece record before.
const QUICK: u8 = 0x10;

/// One record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Record {
    /// A square changed.
    Square {
        /// Which, a1 = 0.
        square: Square,
        /// What is there now.
        content: Content,
        /// Within about 250 ms of the change before.
        quick: bool,
    },
    /// The end of the clock that was just halted.
    Clock {
        /// Which end.
        end: ClockEnd,
        /// Its time, whole seconds.
        seconds: u16,
    },
    /// The board was switched on; all pieces follow.
    PowerUp,
    /// The end of what is remembered.
    EndOfFile,
    /// All men on the four outer rows, but not as a game begins.
    FourRows,
    /// The board is empty.
    EmptyBoard,
    /// The memory was read.
    Downloaded,
    /// The start array, White with the connector to his left.
    BeginPosition,
    /// The start array, turned by 180°.
    BeginPositionTurned,
    /// A game was started from outside; all pieces follow.
    StartTag,
    /// The firmware hung and started again.
    Watchdog,
    /// Nothing.
    Nothing,
    /// Nothing, written as a zero.
    Zero,
    /// Reserved: 7d or 7e.
    Reserved(u8),
}

/// The records of one byte.
const ONE_BYTE: [(u8, Record); 14] = [
    (0x6a, Record::PowerUp),
    (0x6b, Record::EndOfFile),
    (0x6c, Record::FourRows),
    (0x6d, Record::EmptyBoard),
    (0x6e, Record::Downloaded),
    (0x6f, Record::BeginPosition),
    (0x7a, Record::BeginPositionTurned),
    (0x7b, Record::StartTag),
    (0x7c, Record::Watchdog),
    (0x7d, Record::Reserved(0x7d)),
    (0x7e, Record::Reserved(0x7e)),
    (0x7f, Record::Nothing),
    (0x00, Record::Zero),
    (0xff, Record::Nothing),
];

/// Reads records; gives them and the number of bytes that belong to none.
#[must_use]
pub fn records(mut bytes: &[u8]) -> (Vec<Record>, usize) {
    let (mut found, mut skipped) = (Vec::new(), 0);
    while !bytes.is_empty() {
        let (record, length) = first(bytes);
        match record {
            Some(record) => found.push(record),
            None => skipped += length,
        }
        bytes = &bytes[length..];
    }
    (found, skipped)
}

/// The bytes of records.
#[must_use]
pub fn encode_records(records: &[Record]) -> Vec<u8> {
    records.iter().flat_map(|record| record.encode()).collect()
}

/// The first record of some bytes and its length; none and 1 if a byte begins no record.
fn first(bytes: &[u8]) -> (Option<Record>, usize) {
    match *bytes {
        [head @ 0x40..=0x5f, field @ 0..=0x3f, ..] => {
            let (square, content) = (square_from_field(field), content_from_code(head));
            (Some(Record::Square { square, content, quick: head & QUICK != 0 }), 2)
        }
        [head @ (0x60..=0x69 | 0x70..=0x79), minutes, seconds, ..] => {
            match (from_bcd(minutes), from_bcd(seconds)) {
                (Some(minutes), Some(seconds)) => {
                    let minutes = u16::from(head & 0x0f) * 60 + u16::from(minutes);
                    let end = if head < 0x70 { ClockEnd::Right } else { ClockEnd::Left };
                    (Some(Record::Clock { end, seconds: minutes * 60 + u16::from(seconds) }), 3)
                }
                _ => (None, 1),
            }
        }
        [head, ..] => (ONE_BYTE.iter().find(|(code, _)| *code == head).map(|(_, record)| *record), 1),
        [] => (None, 0),
    }
}

impl Record {
    fn encode(self) -> Vec<u8> {
        match self {
            Self::Square { square, content, quick } => {
                let quick = if quick { QUICK } else { 0 };
                vec![0x40 | quick | piece_code(content), field_from_square(square)]
            }
            Self::Clock { end, seconds } => {
                let [hours, minutes, seconds] = super::clock_answer::hours_minutes_seconds(seconds);
                let head = match end {
                    ClockEnd::Right => 0x60,
                    ClockEnd::Left => 0x70,
                };
                vec![head | hours, to_bcd(minutes), to_bcd(seconds)]
            }
            plain => ONE_BYTE
                .iter()
                .filter(|(_, record)| *record == plain)
                .map(|(code, _)| *code)
                .take(1)
                .collect(),
        }
    }
}
